"""At most K rows of each person, drawn by the operating system."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from dirpriv._lib.types import Integers
from dirpriv.exact.sampling import Words, random_words

_BUFFER = 1_000_000  # rows that wait before those of each person are counted


def chosen_rows(persons: Iterator[Words], most: int) -> tuple[Integers, Words]:
    """Numbers of the chosen rows, ascending, and whose they are: those with the smallest of random keys.

    The choice does not depend on values. A person with fewer rows keeps all. Each chosen row takes about 64
    bytes of memory. Two persons with one hash of 64 bits count as one, with fewer rows and never more.
    """
    kept = [np.zeros((3, 0), dtype=np.uint64)]  # persons, keys, rows
    waiting, start, least = 0, 0, 0
    for block in persons:
        numbers = np.arange(start, start + len(block), dtype=np.uint64)
        kept.append(np.stack([block, random_words(len(block)), numbers]))
        start += len(block)
        waiting += len(block)
        if waiting > max(_BUFFER, least):
            kept = [_smallest(np.concatenate(kept, axis=1), most)]
            least, waiting = kept[0].shape[1], 0
    person, _, row = _smallest(np.concatenate(kept, axis=1), most)
    order = np.argsort(row)
    return row[order].astype(np.int64), person[order]


def _smallest(rows: npt.NDArray[np.uint64], most: int) -> npt.NDArray[np.uint64]:
    """Of columns (person, key, row), those with the smallest keys of each person."""
    person, key, _ = rows
    rows = rows[:, np.lexsort((key, person))]
    starts = np.flatnonzero(np.concatenate([[True], rows[0, 1:] != rows[0, :-1]]))
    rank = np.arange(rows.shape[1]) - np.repeat(starts, np.diff(np.append(starts, rows.shape[1])))
    return rows[:, rank < most]
