"""The measurements of intervals that hold for any people run, and refuse what misses too often."""

import measure_intervals
import numpy as np
import pytest
from scipy import stats

pytestmark = pytest.mark.sweep


def run(monkeypatch, capsys, *arguments):
    """Rows of the table and the exit status."""
    monkeypatch.setattr("sys.argv", ["measure_intervals.py", *arguments])
    with pytest.raises(SystemExit) as caught:
        measure_intervals.main()
    header, *rows = capsys.readouterr().out.splitlines()
    return [dict(zip(header.split(","), row.split(","), strict=True)) for row in rows], caught.value.code


def test_coverage_goes_on_and_refuses(monkeypatch, capsys, tmp_path):
    """Two runs, and then two more; with intervals of a point all miss, which is refused of 30 rows of one kind."""
    arguments = ["coverage", "--bands", "1", "--levels", "3", "--counts", "300", "--kept", str(tmp_path / "runs")]
    rows, status = run(monkeypatch, capsys, *arguments, "--runs", "2")
    assert {row["kind"] for row in rows} > {"bands", "times of a band"} and status == 0
    assert sum(int(row["runs"]) for row in rows if row["kind"].endswith(" bins") and row["level"] == "all") == 2
    rows, _ = run(monkeypatch, capsys, *arguments, "--runs", "4")
    assert sum(int(row["runs"]) for row in rows if row["kind"].endswith(" bins") and row["level"] == "all") == 4
    assert len((tmp_path / "runs").read_text().splitlines()) == 4
    monkeypatch.setattr(measure_intervals, "one_day", lambda *_, **__: {"bins": [8, 4, 4]})
    assert run(monkeypatch, capsys, "coverage", "--runs", "30")[1] == 1


@pytest.mark.parametrize("part", [0.05, 0.03])
def test_a_part_within_the_error_is_seldom_refused(part):
    """Of 20 intervals that depend on each other wholly or not at all."""
    least, rng = measure_intervals.refused_from(100, 1), np.random.default_rng(1)
    assert stats.binom.sf(np.ceil(100 * least) - 1, 100, part) < measure_intervals.FAMILY_ERROR
    assert np.all(rng.binomial(2000, part, 1000) < 2000 * least)
    assert measure_intervals.refused_from(3, 1000) == np.inf


def test_bins_are_those_of_the_library():
    """Weights add up to 1; the window of the library has the same."""
    noise = measure_intervals.CircleRelease.within(1.0, "3h").noise
    around = measure_intervals.circle_noise_bounds.circle_noise(noise)
    for edges in ("hard", "soft"):
        weights = measure_intervals.bin_weights(edges, 8)
        window, begin, weight = measure_intervals.circle_window(around, edges, 7.5, 3.0)
        assert weights.sum(axis=0) == pytest.approx(1.0)
        assert weight == pytest.approx(weights[2]) and np.roll(window.highest, begin) == pytest.approx(weight)
