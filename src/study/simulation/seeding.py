"""One random generator per named cell of a study.

A study is reproducible when the stream of each of its cells depends on the study's seed and on the
cell's own name, and on nothing else: not on the number of cores, not on the order of the jobs, not
on which other cells there are. A *release* of real data must not be seeded; it uses
``rng=None`` everywhere, which takes entropy from the operating system.
"""

import hashlib

import numpy as np


def generator(seed: int, *names: str | int | float) -> np.random.Generator:
    """Random generator of the cell called ``names`` in the study with this ``seed``.

    The name goes from the general to the particular; a block number comes last. Names are compared by type
    and value: ``1`` and ``"1"`` are different cells. The generator is PCG64, seeded by ``SeedSequence(seed,
    spawn_key=...)`` with the key from SHA-256 of the names.

    >>> int(generator(1, "survey", 0).integers(1000)) == int(generator(1, "survey", 0).integers(1000))
    True
    >>> int(generator(1, "survey", 0).integers(10**9)) == int(generator(1, "survey", 1).integers(10**9))
    False
    """
    values = [name.item() if isinstance(name, np.generic) else name for name in names]
    digest = hashlib.sha256(repr(values).encode()).digest()
    key = tuple(int.from_bytes(digest[start : start + 4], "little") for start in range(0, 16, 4))
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(int(seed), spawn_key=key)))
