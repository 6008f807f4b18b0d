"""Releases whose guarantee holds in floating point: integer tables, drawn from by the operating system.

One double of a naive sampler can exclude a wrong input with certainty, whatever the law's guarantee. Here all
that a promise rests on are integers: inputs are rounded to cells exactly, the table of weights keeps the
promise by construction, and a draw is a comparison of 128 random bits of the operating system with sums of
weights. No class and no function here takes a seed or a generator.

:func:`times` and :func:`places` take columns of a table and give private ones of the same type.
:func:`shuffle_keys` gives columns by which an engine sorts what is released into a random order. Behind them
:class:`CircleRelease` is for angles and times of day, :class:`PlaneRelease` for places of a city, and
:class:`SphereRelease` for places anywhere on Earth.

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

from typing import TYPE_CHECKING, Any

from dirpriv.release.certificates import CircleCertificate, PlaceCertificate
from dirpriv.release.circle import CircleRelease
from dirpriv.release.columns import places, shuffle_keys, times
from dirpriv.release.plane import PlaneRelease
from dirpriv.release.plane_law import PlaneTableLaw
from dirpriv.release.sphere import Partition, SphereRelease, SphereTableLaw
from dirpriv.release.table_laws import CircleTableLaw

if TYPE_CHECKING:
    from dirpriv.files import release_file as file

__all__ = [
    "CircleCertificate",
    "CircleRelease",
    "CircleTableLaw",
    "Partition",
    "PlaceCertificate",
    "PlaneRelease",
    "PlaneTableLaw",
    "SphereRelease",
    "SphereTableLaw",
    "file",
    "places",
    "shuffle_keys",
    "times",
]


def __getattr__(name: str) -> Any:
    """``file``, imported when it is first used: the rest of the library knows no files."""
    if name == "file":
        from dirpriv.files import release_file

        return release_file
    raise AttributeError(f"module 'dirpriv.release' has no attribute '{name}'")
