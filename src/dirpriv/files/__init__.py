"""Files of times and places, released with a guarantee. Only this part of the library knows files.

:func:`release_file` is also :func:`dirpriv.release.file`. The holder of the true values calls it. An analyst
calls :func:`read_guarantee` and :func:`read_released`. Tables are read by DuckDB and pandas, the extra
``tables`` (``pip install "dirpriv[tables]"``).
"""

from dirpriv.files._release import release_file
from dirpriv.files._released import ReleasedPlaces, ReleasedTimes, read_released
from dirpriv.files.guarantee import EarlierRelease, Guarantee, PlaceColumns, TimeColumn, read_guarantee

__all__ = [
    "EarlierRelease",
    "Guarantee",
    "PlaceColumns",
    "ReleasedPlaces",
    "ReleasedTimes",
    "TimeColumn",
    "read_guarantee",
    "read_released",
    "release_file",
]
