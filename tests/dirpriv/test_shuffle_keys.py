"""Keys by which rows are sorted into a random order."""

import os

import numpy as np
import pytest
from scipy import stats
from statistics_of_draws import ALPHA

from dirpriv import release
from dirpriv.exact import sampling


def test_a_column_of_every_library_gets_keys_of_its_library():
    for column in (["08:15", "09:00"], ("08:15", "09:00"), np.zeros(2), np.zeros((2, 3))):
        keys = release.shuffle_keys(column)
        assert keys.dtype == np.int64 and keys.shape == (2,)
    assert release.shuffle_keys([]).shape == (0,)
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    table = pd.DataFrame({"a": pd.array([1, None], "Int64")}, index=[7, 3])
    for column in (table, table["a"]):
        keys = release.shuffle_keys(column)
        assert keys.dtype == np.int64 and keys.index.tolist() == [7, 3]
    for column in (pl.DataFrame({"a": [1, 2]}), pl.Series("a", ["x", "y"])):
        assert isinstance(release.shuffle_keys(column), pl.Series)


@pytest.mark.arrow
def test_a_column_of_arrow_gets_keys_of_arrow():
    pa = pytest.importorskip("pyarrow")
    column = pa.array(["08:15", None])
    batch = pa.record_batch({"a": column})
    for one in (column, pa.chunked_array([column, column[:0]]), batch, pa.table(batch)):
        keys = release.shuffle_keys(one)
        assert isinstance(keys, pa.Array) and keys.type == pa.int64() and len(keys) == 2


def orders(keys):
    """How often each of the 6 orders of three keys occurs."""
    ranks = np.argsort(np.asarray(keys).reshape(-1, 3), axis=1) @ [9, 3, 1]
    return np.unique(ranks, return_counts=True)[1]


def test_every_order_is_equally_likely():
    """χ² at an error rate of 1e-6; keys that rise a little with the row are caught."""
    keys = release.shuffle_keys(np.zeros(300_000))
    assert keys.min() >= 0 and len(set(keys)) == len(keys)
    assert stats.chisquare(orders(keys)).pvalue > ALPHA
    risen = keys / 2.0**63 + 0.02 * (np.arange(len(keys)) % 3)
    assert stats.chisquare(orders(risen)).pvalue < ALPHA


def test_the_operating_system_draws_them_anew_each_time(monkeypatch):
    first, again = release.shuffle_keys(range(100)), release.shuffle_keys(range(100))
    assert not set(first) & set(again)
    asked, urandom = [], os.urandom
    monkeypatch.setattr(sampling.os, "urandom", lambda count: asked.append(count) or urandom(count))
    release.shuffle_keys(range(100))
    assert asked == [800]


def test_what_has_no_rows_is_refused():
    pl = pytest.importorskip("polars")
    for wrong in (5, iter([1]), pl.col("a"), pl.LazyFrame({"a": [1]})):
        with pytest.raises(ValueError, match=r"'column' must have rows to count.*compute it first"):
            release.shuffle_keys(wrong)
