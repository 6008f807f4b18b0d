"""Hashes of text, and how many different ones there are, in bounded memory."""

import tempfile

import numpy as np

MULTIPLIERS = (np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53))  # of MurmurHash3's finalizer
HALF = np.uint64(33)


def mix(hashes, values):
    """Hash of what was hashed so far and of one more array of 64-bit values; a bijection of either."""
    hashes = hashes ^ values
    for multiplier in MULTIPLIERS:
        hashes = (hashes ^ (hashes >> HALF)) * multiplier
    return hashes ^ (hashes >> HALF)


def hash_texts(texts):
    """A 64-bit hash of each text, the same in every process.

    Texts of one length are hashed at once, eight letters at a time, straight from Arrow's buffers.

    Parameters
    ----------
    texts : pyarrow.StringArray
        Without nulls.

    Returns
    -------
    ndarray of uint64
    """
    bounds = np.frombuffer(texts.buffers()[1], dtype=np.int32)[texts.offset :][: len(texts) + 1]
    letters = np.frombuffer(texts.buffers()[2] or b"", dtype=np.uint8)
    starts, lengths = bounds[:-1], np.diff(bounds)
    hashes = np.zeros(len(texts), dtype=np.uint64)
    for length in np.unique(lengths).tolist():
        chosen = np.flatnonzero(lengths == length)
        words = np.zeros((len(chosen), -(-length // 8)), dtype="<u8")
        words.view(np.uint8)[:, :length] = letters[starts[chosen, None] + np.arange(length)]
        own = np.full(len(chosen), length, dtype=np.uint64)
        for word in words.T:
            own = mix(own, word)
        hashes[chosen] = own
    return hashes


class DistinctCounter:
    """Count different 64-bit hashes in bounded memory.

    The hashes wait in a file. They are counted in passes, each of which takes the hashes of one
    residue class. Among 33 million rows, two different ones share a hash with probability 3e-5.
    """

    def __init__(self, folder, per_pass=1 << 22):
        self.file = tempfile.TemporaryFile(dir=folder)
        self.per_pass, self.size = per_pass, 0

    def add(self, hashes):
        """Note an array of hashes (uint64)."""
        self.file.write(hashes.tobytes())
        self.size += len(hashes)

    def count(self):
        """How many different hashes were noted."""
        passes = np.uint64(self.size // self.per_pass + 1)
        different = 0
        for residue in range(int(passes)):
            self.file.seek(0)
            chosen = [np.empty(0, dtype=np.uint64)]
            while chunk := self.file.read(1 << 23):
                hashes = np.frombuffer(chunk, dtype=np.uint64)
                chosen.append(hashes[hashes % passes == residue])
            chosen = np.sort(np.concatenate(chosen))
            different += int(np.count_nonzero(chosen[1:] != chosen[:-1])) + (len(chosen) > 0)
        return different

    def close(self):
        """Give up the file."""
        self.file.close()
