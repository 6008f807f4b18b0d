"""The tests of private reports hold their level; those of large samples do not, and are caught.

Where a table of counts has few outcomes, the level is computed: the probability of all outcomes that are
rejected. The p-values of two samples, and of Rayleigh's test in 3 cells or more, come from draws whose seed
is a hash of the counts, so the level of one such table can exceed α a little: by 5 standard deviations of the
draws with probability 3e-7. The seeds are fixed, so a test that passes once passes always.
"""

import itertools

import measure_tests
import numpy as np
import pytest
from scipy import stats
from sweeps import swept


def large_sample_p_value(test, *groups):
    """P-value by the distribution of many continuous reports (Zar; Mardia and Jupp), which has no room for ties."""
    if test == "rayleigh":
        count = groups[0].sum()
        share = abs(groups[0] @ np.exp(1j * measure_tests.middles(len(groups[0])))) / count
        room = max(1.0 - share**2, 0.0)
        return min(np.exp(np.sqrt(1.0 + 4.0 * count + 4.0 * count**2 * room) - (1.0 + 2.0 * count)), 1.0)
    sizes, both = [group.sum() for group in groups], groups[0] + groups[1]
    apart = np.cumsum(groups[0] / sizes[0] - groups[1] / sizes[1])
    statistic = sizes[0] * sizes[1] / sum(sizes) ** 2 * (both @ (apart - both @ apart / sum(sizes)) ** 2)
    terms = np.exp(-2.0 * np.pi**2 * statistic * np.arange(1, 30) ** 2)
    return 1.0 if statistic < 0.01 else 2.0 * float(terms[::2].sum() - terms[1::2].sum())


def outcomes(cells, count):
    """All counts of so many reports in these cells."""
    bars = np.array(list(itertools.combinations(range(count + cells - 1), cells - 1)))
    edges = np.hstack([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), count + cells - 1)])
    return np.diff(edges, axis=1) - 1


def exact_levels(test, cells, count, p_value=measure_tests.p_value):
    """Probability of a rejection at each level, and 5 standard deviations of what the draws add to it."""
    counts = outcomes(cells, count)
    mass = stats.multinomial.pmf(counts, count, measure_tests.shares(test, cells))
    tables = [(row,) for row in counts] if test == "rayleigh" else list(itertools.product(counts, counts))
    mass = mass if test == "rayleigh" else np.outer(mass, mass).ravel()
    values = np.array([p_value(test, *table) for table in tables])
    found = []
    for level in measure_tests.LEVELS:
        near = (values > 0.5 * level) & (values < 2.0 * level)
        found.append((mass[values <= level].sum(), 2.5 * np.sqrt(np.sum(mass[near] ** 2))))
    return found


@pytest.mark.parametrize("count", [*measure_tests.COUNTS[:-1], *swept(measure_tests.COUNTS[-1:])])
def test_rayleigh_in_two_cells_is_exact(count):
    """The p-value is the binomial probability; the distribution of many continuous reports rejects far too often."""
    first = np.arange(count + 1)
    values = [measure_tests.p_value("rayleigh", np.array([n, count - n])) for n in first]
    rejected = [level for level, _ in exact_levels("rayleigh", 2, count, lambda _, table: values[table[0]])]
    assert np.less_equal(rejected, measure_tests.LEVELS).all()
    assert values == pytest.approx([stats.binomtest(int(n), count).pvalue for n in first], rel=1e-9)
    wrong = [level for level, _ in exact_levels("rayleigh", 2, count, large_sample_p_value)]
    assert np.greater(wrong, [0.075, 0.02]).all()
    assert power(wrong) > 1.0 - 1e-12


def power(levels):
    """Probability that a table of 10 000 runs refuses a test that rejects as often as this at each level."""
    runs = 10_000
    most = measure_tests.limits(runs, 54)
    return max(stats.binom.sf(round(top * runs), runs, level) for top, level in zip(most, levels, strict=True))


@pytest.mark.parametrize(
    ("test", "cells", "count"),
    [("rayleigh", 3, 20), ("uniform", 2, 20), *swept(("uniform", 3, 8), ("rayleigh", 4, 20), ("peaked", 2, 20))],
)
def test_levels_of_small_tables(test, cells, count):
    for level, (rejected, room) in zip(measure_tests.LEVELS, exact_levels(test, cells, count), strict=True):
        assert 0.0 < rejected <= level + min(room, 0.2 * level), (level, rejected, room)


def test_the_distribution_of_large_samples_is_caught_for_two_samples():
    """Groups of 20 in two cells: computed, as above; of 100: more often than the table accepts."""
    wrong = [level for level, _ in exact_levels("uniform", 2, 20, large_sample_p_value)]
    assert wrong[0] > 0.07
    assert power(wrong) > 1.0 - 1e-12
    rng = np.random.default_rng(1)
    found = measure_tests.rejections("uniform", 2, 100, 10_000, rng, large_sample_p_value)
    assert found[0] > measure_tests.limits(10_000, 54)[0]


@pytest.mark.sweep
def test_small_table(monkeypatch, capsys):
    """500 runs each; a test of the right level fails with the probability 1e-4 at most."""
    options = ["--runs", "500", "--cells", "7", "--counts", "20", "100"]
    monkeypatch.setattr("sys.argv", ["measure_tests.py", *options])
    with pytest.raises(SystemExit) as caught:
        measure_tests.main()
    rows = [line.split(",") for line in capsys.readouterr().out.splitlines()[1:]]
    assert len(rows) == 6 and caught.value.code == 0
    assert all(float(row[4]) > 0.02 for row in rows)
    monkeypatch.setattr(measure_tests, "p_value", lambda *_: 0.04)
    monkeypatch.setattr(measure_tests.rejections, "__defaults__", (measure_tests.p_value,))
    with pytest.raises(SystemExit) as caught:
        measure_tests.main()
    assert caught.value.code == 1


@pytest.mark.sweep
def test_whole_table(monkeypatch, capsys):
    """10 000 runs of each row (15 minutes)."""
    monkeypatch.setattr("sys.argv", ["measure_tests.py"])
    with pytest.raises(SystemExit) as caught:
        measure_tests.main()
    assert caught.value.code == 0, capsys.readouterr().out
