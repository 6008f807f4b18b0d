"""The places that check-ins refer to where these stand in a file of their own, and their join.

A place is held as a 64-bit hash of its venue, two coordinates, a category number and a line number, sorted
by hash: some 40 bytes, whatever the length of the venue's name. Among 4 million venues, two share a hash
with probability 4e-7; they would be reported as one venue with two rows.
"""

import numpy as np
import pyarrow as pa
from scipy.spatial import cKDTree

from dirpriv.geography import EARTH_RADIUS, places_to_vectors
from study.checkins.hashes import hash_texts

AT_ONCE = 1 << 18  # places looked at in one go


class Places:
    """Gather places block by block, sort them, look venues up."""

    def __init__(self):
        self.parts = {name: [] for name in ("venue", "latitude", "longitude", "category", "line")}
        self.numbers = {}  # category -> its number

    def add(self, block, first_line):
        """Take the usable rows of a :class:`~study.checkins.blocks.Block` and the line it begins at."""
        good = block.good()
        words = block.columns["category"].filter(pa.array(good)).dictionary_encode()
        numbers = [self.numbers.setdefault(c, len(self.numbers)) for c in words.dictionary.to_pylist()]
        self.parts["category"].append(np.array(numbers, dtype=np.int32)[words.indices.to_numpy()])
        self.parts["venue"].append(hash_texts(block.columns["venue"].filter(pa.array(good))))
        for name in ("latitude", "longitude"):
            self.parts[name].append(block.columns[name][good])
        self.parts["line"].append(first_line + block.rows[good])

    def finish(self):
        """Sort what was taken. Of several rows for one venue the first counts.

        Returns
        -------
        repeated : int
            Further rows that say the same as the first.
        differing : ndarray
            Line numbers of further rows that say something else, in file order.
        """
        columns, order = {}, None
        for name in list(self.parts):  # one column at a time, as each is held twice meanwhile
            column = np.concatenate(self.parts.pop(name))
            if name == "venue":
                order = np.argsort(column, kind="stable")  # rows of one venue stay in file order
            columns[name] = column[order]
        venue, line = columns.pop("venue"), columns.pop("line")
        first = np.append(True, venue[1:] != venue[:-1])
        further = np.flatnonzero(~first)
        its_first = np.flatnonzero(first)[np.cumsum(first)[further] - 1]
        differs = np.zeros(len(further), dtype=bool)
        for column in columns.values():
            differs |= column[further] != column[its_first]
        if len(further):
            venue, columns = venue[first], {name: column[first] for name, column in columns.items()}
        self.venue, self.columns = venue, columns
        self.categories = pa.array(list(self.numbers), type=pa.string())
        self.visited = np.zeros(len(venue), dtype=bool)
        return int(np.count_nonzero(~differs)), np.sort(line[further[differs]])

    def __len__(self):
        return len(self.venue)

    def join(self, block):
        """Give a block of check-ins its coordinates and categories; flag those at no known venue."""
        wanted = hash_texts(block.columns["venue"])
        order = np.argsort(wanted)  # neighbours are looked up together: several times as fast
        found = np.empty(len(wanted), dtype=np.int64)
        found[order] = np.searchsorted(self.venue, wanted[order])
        found = np.minimum(found, len(self.venue) - 1)
        known = self.venue[found] == wanted
        for name in ("latitude", "longitude"):
            block.columns[name] = self.columns[name][found]
        block.columns["category"] = self.categories.take(pa.array(self.columns["category"][found]))
        block.flag(~known, "venue_unknown")
        self.visited[found[block.good()]] = True

    def nearest_cities(self, cities):
        """How many cities the places with check-ins lie next to, and how far from them they are at most.

        Parameters
        ----------
        cities : ndarray, shape (k, 2)
            Latitudes and longitudes in degrees.

        Returns
        -------
        cities_visited : int
            Cities that are the nearest one of some place with check-ins.
        farthest : float
            Largest great-circle distance from such a place to its nearest city, in kilometres.
        """
        tree = cKDTree(places_to_vectors(cities))
        seen, longest = np.zeros(len(cities), dtype=bool), 0.0
        visited = np.flatnonzero(self.visited)
        for start in range(0, len(visited), AT_ONCE):
            some = visited[start : start + AT_ONCE]
            degrees = np.column_stack([self.columns[name][some] for name in ("latitude", "longitude")])
            chord, nearest = tree.query(places_to_vectors(degrees))
            seen[nearest] = True
            longest = max(longest, chord.max())
        # rounded to a metre, as the last digits of a chord are not the same on every machine
        farthest = round(2 * np.arcsin(min(longest / 2, 1.0)) * EARTH_RADIUS / 1000, 3)
        return int(seen.sum()), float(farthest)
