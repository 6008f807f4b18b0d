"""Directional differential privacy: laws, mechanisms, guarantees and estimators on circles and spheres."""

from dirpriv import estimators, geography, geometry, guarantees, laws, mechanisms, seeding, transport

__version__ = "0.1.0"
__all__ = [
    "estimators",
    "geography",
    "geometry",
    "guarantees",
    "laws",
    "mechanisms",
    "seeding",
    "transport",
]
