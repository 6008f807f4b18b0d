"""Hashes of text: equal for equal text, different for different text."""

import numpy as np
import pyarrow as pa
import pytest

from study.checkins.hashes import hash_texts, mix


def test_equal_texts_have_equal_hashes_wherever_they_stand():
    texts = ["", "a", "ab", "a" * 8, "a" * 9, "Café", "寿司", "a\0", "a\0\0"] * 3
    hashes = hash_texts(pa.array(texts))
    assert len(set(hashes.tolist())) == len(set(texts))
    assert (hashes[:9] == hashes[9:18]).all()
    assert (hash_texts(pa.array(["x", *texts])[1:]) == hashes).all()  # a slice
    assert hashes[1] == hash_texts(pa.array(["a"]))[0]


def test_no_texts():
    assert hash_texts(pa.array([], type=pa.string())).tolist() == []


@pytest.mark.parametrize("form", ["{:d}", "4b4b87b5f964a520{:08x}", "{:08x}f964a5204a9f26e3", "{:x}{:09d}"])
def test_similar_texts_do_not_collide(form):
    hashes = hash_texts(pa.array([form.format(number, number) for number in range(200_000)]))
    assert len(np.unique(hashes)) == len(hashes)
    for shift in (0, 32, 48):  # and each part of the hash is evenly used
        counts = np.bincount((hashes >> np.uint64(shift) & np.uint64(255)).astype(int), minlength=256)
        assert np.abs(counts - len(hashes) / 256).max() < 6 * np.sqrt(len(hashes) / 256)


def test_mix_depends_on_the_order_of_the_columns():
    one, other = np.arange(1, 1000, dtype=np.uint64), np.arange(5001, 6000, dtype=np.uint64)
    start = np.zeros(999, dtype=np.uint64)
    assert not (mix(mix(start, one), other) == mix(mix(start, other), one)).any()
