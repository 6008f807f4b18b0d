"""Releases whose guarantee holds in floating point: integer tables, drawn from by the operating system.

One double of a naive sampler can exclude a wrong input with certainty, whatever the law's guarantee. Here all
that a promise rests on are integers: inputs are rounded to cells exactly, the table of weights keeps the
promise by construction, and a draw is a comparison of 128 random bits of the operating system with sums of
weights. No class and no function here takes a seed or a generator.

:func:`times` and :func:`places` take columns of a table and give private ones of the same type.
:func:`shuffle_keys` gives columns by which an engine sorts what is released into a random order. Behind them
:class:`CircleRelease` is for angles and times of day, :class:`PlaneRelease` for places of a city, and
:class:`SphereRelease` for places anywhere on Earth.

:func:`file` takes a file of times and places, and gives a private one with a guarantee beside it: the holder
of the true values calls it. An analyst calls :func:`read_guarantee` and :func:`read_released`. Tables are
read by DuckDB and pandas, the extra ``tables`` (``pip install "dirpriv[tables]"``).

>>> from dirpriv import release
>>> noisy = release.times(["08:15", "09:00", "07:30", "23:45"], level=1.0, within="3h")
>>> len(noisy)
4
>>> from dirpriv.release import CircleRelease
>>> release = CircleRelease.within(level=1.0, radius="3h")
>>> noisy = release.randomise_times(["08:15", "09:00", "07:30", "23:45"])
>>> noisy.shape, release.certificate.loss("3h") <= 1.0
((4,), True)
"""

import importlib
from typing import TYPE_CHECKING, Any

from dirpriv.exact.certificates import CircleCertificate, PlaceCertificate
from dirpriv.exact.circle import CircleRelease
from dirpriv.exact.plane import PlaneRelease
from dirpriv.exact.plane_law import PlaneTableLaw
from dirpriv.exact.sphere import Partition, SphereRelease, SphereTableLaw
from dirpriv.exact.table_laws import CircleTableLaw
from dirpriv.release.columns import places, shuffle_keys, times

if TYPE_CHECKING:
    from dirpriv.release.document import (
        EarlierRelease,
        FileGuarantee,
        PlaceColumns,
        TimeColumn,
        read_guarantee,
    )
    from dirpriv.release.files import release_file as file
    from dirpriv.release.reading import ReleasedPlaces, ReleasedTimes, read_released

__all__ = [
    "CircleCertificate",
    "CircleRelease",
    "CircleTableLaw",
    "EarlierRelease",
    "FileGuarantee",
    "Partition",
    "PlaceCertificate",
    "PlaceColumns",
    "PlaneRelease",
    "PlaneTableLaw",
    "ReleasedPlaces",
    "ReleasedTimes",
    "SphereRelease",
    "SphereTableLaw",
    "TimeColumn",
    "file",
    "places",
    "read_guarantee",
    "read_released",
    "shuffle_keys",
    "times",
]

_OF_FILES = {
    "document": ("EarlierRelease", "FileGuarantee", "PlaceColumns", "TimeColumn", "read_guarantee"),
    "files": ("file",),
    "reading": ("ReleasedPlaces", "ReleasedTimes", "read_released"),
}
"""Names by the modules that know files."""


def __getattr__(name: str) -> Any:
    """A name that knows files, imported when it is first used: columns need no files."""
    for module, names in _OF_FILES.items():
        if name in names:
            found = importlib.import_module(f"dirpriv.release.{module}")
            return getattr(found, "release_file" if name == "file" else name)
    raise AttributeError(f"module 'dirpriv.release' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
