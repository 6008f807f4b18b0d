"""Releases that are exact in floating point: tables of integers, their certificates, draws by the system.

It knows no files, no columns of tables and no mechanisms. :mod:`dirpriv.release` hands its releases on.
"""
