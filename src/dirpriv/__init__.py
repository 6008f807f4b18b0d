"""Directional differential privacy: laws, mechanisms, guarantees and estimators on circles and spheres."""

from dirpriv import estimators, geometry, guarantees, laws, mechanisms, seeding

__version__ = "0.1.0"
__all__ = ["estimators", "geometry", "guarantees", "laws", "mechanisms", "seeding"]
