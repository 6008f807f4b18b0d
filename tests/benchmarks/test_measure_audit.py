"""The audit of releases by their draws: it accepts the releases, and finds what is wrong with others.

A right release is refused with probability 1e-6. Of a million draws, wrong variants are found that are wrong
by 50 %; of 1e8, by 5 %.
"""

import csv

import measure_audit
import numpy as np
import pytest


def run(monkeypatch, capsys, *arguments):
    """Rows of the table and the exit status."""
    monkeypatch.setattr("sys.argv", ["measure_audit.py", *arguments])
    with pytest.raises(SystemExit) as caught:
        measure_audit.main()
    return list(csv.DictReader(capsys.readouterr().out.splitlines())), caught.value.code


def assert_audited(monkeypatch, capsys, *arguments):
    rows, status = run(monkeypatch, capsys, *arguments)
    assert [row for row in rows if row["as_it_must_be"] != "True"] == [] and status == 0
    for row in rows:
        shown, level = float(row["shown"]), float(row["level"])
        assert (shown > level) == (row["wrong"] == "level") and shown > 0.8 * level
        if row["wrong"] != "level":
            assert (int(row["cells_off"]) > 0) == (row["wrong"] == "weight")
    return [row["release"] for row in rows if row["wrong"] == ""]


def test_releases_of_few_draws(monkeypatch, capsys):
    names = ["times of the week", "directions, pure", "places of the globe"]
    assert assert_audited(monkeypatch, capsys, "1000000", *names, "--off", "0.5") == names


@pytest.mark.sweep
def test_every_release_of_a_million_draws(monkeypatch, capsys):
    names = list(measure_audit.RELEASES)
    assert assert_audited(monkeypatch, capsys, "1000000", "--off", "0.5") == names


def test_a_certificate_that_says_too_little_is_refused(monkeypatch, capsys):
    def wrong(times):
        return measure_audit.times_of_the_week(times)._replace(level=1.5)  # it is 2

    monkeypatch.setattr(measure_audit, "RELEASES", {"wrong": wrong})
    (row, *_), status = run(monkeypatch, capsys, "400000", "--off", "0.5")
    assert status == 1 and row["as_it_must_be"] == "False" and row["cells_off"] == "0"


def test_sets_of_cells_are_those_of_the_largest_losses():
    weights = np.array([[8.0, 4.0, 2.0, 2.0], [2.0, 2.0, 4.0, 8.0]])
    sets = measure_audit.sets_of(weights)
    count = len(measure_audit.SHARES)
    assert sets.shape == (2 * count, 4)
    assert sets[0].tolist() == [True, False, False, False] and sets[count].tolist() == [False] * 3 + [True]
