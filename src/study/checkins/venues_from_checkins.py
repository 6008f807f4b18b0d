"""The venues of a prepared table of check-ins: their places and numbers of check-ins.

The place of a venue is that of its first check-in; in real files a few venues move from row to row. Venues
with the same coordinates count as one: a released place cannot distinguish them. The file is read half a
million rows at a time, so that 33 million check-ins at 4 million venues need a few hundred megabytes.
"""

import numpy as np

from dirpriv.geometry import earth
from study.checkins import prepared
from study.workflow.parquet import hashed, query

ROWS = 1 << 19  # check-ins in a block
NAME = f"{hashed('venue')} AS venue"  # 64 bits: among 4 million venues, two share one with probability 4e-7
# 180° E and W are one meridian
VENUES = f"""
    SELECT {NAME}, arg_min(latitude, file_row_number) AS latitude, count(*) AS checkins,
        arg_min(if(longitude = 180, -180, longitude), file_row_number) AS longitude
    FROM read_parquet(?) GROUP BY ALL ORDER BY venue"""
CELLS = 10**7  # of 7 km: nearby cells have nearby numbers


class Venues:
    """Venues of a Parquet file of check-ins, numbered so that nearby ones have nearby numbers.

    :func:`study.checkins.prepare.prepare` wrote the file. ``places`` are latitudes and longitudes in degrees,
    shape (k, 2), all different, ``checkins`` the number of check-ins at each, and ``names`` the number of
    venues by name: more than k if some share their coordinates.
    """

    def __init__(self, path):
        self.path = path
        venues = query(VENUES, str(path))
        degrees = venues["latitude"] + 1j * venues["longitude"]
        places, place_of_name = np.unique(degrees, return_inverse=True)  # sorts by latitude, then longitude
        places = np.stack([places.real, places.imag], axis=-1)
        order = np.argsort(earth.EqualAreaCells(CELLS).cell_of(places), kind="stable")
        number = np.empty(len(order), dtype=np.int32)
        number[order] = np.arange(len(order))
        self.places = places[order]
        self.names = len(degrees)
        self._names, self._numbers = venues["venue"], number[place_of_name]
        self.checkins = np.bincount(self._numbers, weights=venues["checkins"], minlength=len(places))
        self.checkins = self.checkins.astype(np.int64)
        self._only = None  # block, once it was read

    def __len__(self):
        return len(self.places)

    def blocks(self):
        """Yield check-ins, those of nearby venues together: numbers of venues, and seconds since midnight."""
        if self._only is not None:
            yield self._only
            return
        for table in prepared.blocks(self.path, [NAME, "local_time"], ROWS):
            venue = self._numbers_of(table["venue"])
            order = np.argsort(venue, kind="stable")
            block = venue[order], prepared.seconds_of_day(table)[order]
            if self.checkins.sum() <= ROWS:
                self._only = block
            yield block

    def _numbers_of(self, names):
        """Numbers of venues by the hashes of their names; an arbitrary number for an unknown hash."""
        order = np.argsort(names)  # sorted names are found several times as fast
        at = np.minimum(np.searchsorted(self._names, names[order]), len(self._names) - 1)
        numbers = np.empty(len(names), dtype=self._numbers.dtype)
        numbers[order] = self._numbers[at]
        return numbers
