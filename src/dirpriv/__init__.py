"""Directional differential privacy on circles, spheres and rotations: laws, mechanisms, estimators."""

from dirpriv import (
    audit,
    estimators,
    geography,
    geometry,
    guarantees,
    laws,
    mechanisms,
    rotations,
    seeding,
    transport,
)

__version__ = "0.1.0"
__all__ = [
    "audit",
    "estimators",
    "geography",
    "geometry",
    "guarantees",
    "laws",
    "mechanisms",
    "rotations",
    "seeding",
    "transport",
]
