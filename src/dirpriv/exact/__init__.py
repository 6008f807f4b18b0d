"""Releases that are exact in floating point: tables of integers, their certificates, draws by the system.

No module here knows files, columns of tables or mechanisms. :mod:`dirpriv.release` hands the releases on.
"""
