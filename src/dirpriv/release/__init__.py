"""Releases whose guarantee holds in floating point: they draw from integer tables with system random bits.

One double of a naive sampler can exclude a wrong input with certainty, whatever the distribution's guarantee. Here all
that a promise rests on are integers: inputs are rounded to cells exactly, the table of weights keeps the
promise by construction, and a draw is a comparison of 128 random bits of the operating system with sums of
weights. No class and no function here takes a seed or a generator.

:func:`times`, :func:`places` and :func:`items` take columns of a table and give private ones of the same type.
:func:`shuffle_keys` gives columns by which an engine sorts what is released into a random order. Behind them
:class:`CircleRelease` is for angles and times of day, :class:`PlaneRelease` for places of a city,
:class:`SphereRelease` for places anywhere on Earth, and :class:`FiniteRelease` for items of a public list.

:func:`file` takes a file of times and places, and gives a private one with a guarantee beside it: the holder
of the true values calls it. An analyst calls :func:`read_guarantee` and :func:`read_released`. Tables are
read by DuckDB and pandas, the extra ``tables`` (``pip install "dirpriv[tables]"``).
"""

from dirpriv._lib.lazy import face

__getattr__, __dir__, __all__ = face(__name__)
