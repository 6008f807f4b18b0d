"""Releases that are exact in floating point: tables of integers, their certificates, draws by the system.

Circle, city and globe have a module each (``circle``, ``plane``, ``sphere``). The integer table of the circle
is made in ``weights``, that of a city in ``lattice``, that of the globe in ``sphere``; ``draws`` draws.

No module here knows files, columns of tables or mechanisms. :mod:`dirpriv.release` hands the releases on.
"""
