"""Any in an order that the operating system draws, without a file for the order or for rows that wait.

The rows are put out in the order of random keys: a uniformly random permutation. The first byte of the key is
drawn for all rows at once; the rows that share it, a bucket, are sorted by 64 further bits when they are put
out (Rao, Sankhyā A 23 (1961) 305-307; Sandelius, JRSS B 24 (1962) 472-481). Where the released rows do not
fit in memory, several rounds read the input again, each for its buckets. So the noise of each row is drawn
exactly once, and neither a raw value nor the order of the input is stored.
"""

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Integers
from dirpriv.exact.sampling import random_words

BUCKETS = 256
MEMORY = 128 << 20  # bytes of released rows of a round
_BLOCK = 1 << 20


def shuffled(
    read: Callable[[], Any], draw: Callable[[Any], Any], count: int, dtype: Any, *, memory: int = MEMORY
) -> Iterator[Any]:
    """Draws of all rows in a uniformly random order; ``memory`` are bytes of the released rows of a round."""
    buckets = np.frombuffer(os.urandom(count), dtype=np.uint8)
    sizes = np.zeros(BUCKETS, dtype=np.intp)
    for start in range(0, count, _BLOCK):  # bincount makes integers of 8 bytes
        sizes += np.bincount(buckets[start : start + _BLOCK], minlength=BUCKETS)
    rounds, most = 1, memory // np.dtype(dtype).itemsize  # rows of a round
    while rounds < BUCKETS and sizes.reshape(rounds, -1).sum(axis=1).max() > most:
        rounds *= 2
    step = BUCKETS // rounds
    for first in range(0, BUCKETS, step):
        last, own = first + step, sizes[first : first + step]
        rows = np.empty(int(own.sum()), dtype=dtype)
        starts, at = np.cumsum(own) - own, 0
        filled = starts.copy()
        for block in read():
            here = buckets[at : at + len(block)]
            at += len(block)
            order = np.argsort(here, kind="stable")  # of bytes: by counting
            counts = np.bincount(here, minlength=BUCKETS)
            begin, end = int(counts[:first].sum()), int(counts[:last].sum())
            order, counts = order[begin:end], counts[first:last]
            # row i of the sorted ones is the i-th less those of the buckets before it, in its own bucket
            places = np.arange(end - begin) + np.repeat(filled - (np.cumsum(counts) - counts), counts)
            rows[places] = draw(block[order])
            filled += counts
        if at != count:
            raise InvalidArgument("it has more or fewer rows than at first")
        for start, size in zip(starts.tolist(), own.tolist(), strict=True):
            if size:
                yield rows[start : start + size][random_order(size)]


def random_order(count: int) -> Integers:
    """A uniformly random permutation: of keys that all differ; all are drawn again if two are equal."""
    while True:
        keys = random_words(count)
        order = np.argsort(keys)
        ordered = keys[order]
        if not (ordered[1:] == ordered[:-1]).any():
            return order
