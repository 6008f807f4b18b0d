"""The measurements of the estimates from private reports run, and refuse what they should."""

import measure_reports
import numpy as np
import pytest

pytestmark = pytest.mark.sweep


def run(monkeypatch, capsys, *arguments):
    """Rows of the table and the exit status."""
    monkeypatch.setattr("sys.argv", ["measure_reports.py", *arguments])
    with pytest.raises(SystemExit) as caught:
        measure_reports.main()
    header, *rows = capsys.readouterr().out.splitlines()
    return [dict(zip(header.split(","), row.split(","), strict=True)) for row in rows], caught.value.code


def test_histograms(monkeypatch, capsys):
    monkeypatch.setattr(measure_reports, "WIDTHS", [*measure_reports.WIDTHS[1::3], float("inf")])
    arguments = ["--runs", "2", "--counts", "10000", "--levels", "1", "--days", "office", "flat"]
    rows, _ = run(monkeypatch, capsys, "histogram", *arguments)
    assert [(row["day"], row["accepted"]) for row in rows] == [("office", "1.15"), ("flat", "1.5")]
    assert float(rows[0]["chosen"]) < 0.5 * float(rows[0]["raw"])
    arguments.remove("office")
    monkeypatch.setattr(measure_reports, "ACCEPTED_RATIO", {"flat": 0.0})
    again, status = run(monkeypatch, capsys, "histogram", *arguments)
    assert again == [rows[1] | {"accepted": "0.0"}] and status == 1


def test_means(monkeypatch, capsys):
    rows, _ = run(monkeypatch, capsys, "mean", "--runs", "20", "--counts", "300")
    assert len(rows) == 24
    assert all(0.7 < float(row["covered"]) <= 1.0 for row in rows)
    assert float(rows[2]["whole_circles"]) > 0.5 > float(rows[-1]["whole_circles"])
    arcs = [(1.0 - float(row["covered"]), 1.0 - float(row["whole_circles"])) for row in rows]
    missed = [miss / arc if arc else np.nan for miss, arc in arcs]
    assert [float(row["arcs_missed"]) for row in rows] == pytest.approx(missed, abs=1e-4, nan_ok=True)
    assert run(monkeypatch, capsys, "mean", "--runs", "2", "--counts", "10")[1] == 0
    monkeypatch.setattr(measure_reports, "ACCEPTED_COVERAGE", 1.5)
    assert run(monkeypatch, capsys, "mean", "--runs", "2", "--counts", "10")[1] == 1


def test_coverage(monkeypatch, capsys):
    """Intervals of a smooth day hold its shares, those of three clock times miss many, without a warning."""
    rows, status = run(monkeypatch, capsys, "coverage", "--runs", "2", "--counts", "3000", "--levels", "1")
    found = {row["what"]: row for row in rows}
    assert list(found) == list(measure_reports.sharp_days()) and status == 0
    assert float(found["smooth"]["covered"]) > 0.9 and found["smooth"]["covered_of_empty"] == "nan"
    assert float(found["clock times"]["covered"]) < 0.75 and float(found["clock times"]["warned"]) == 0.0


def test_coverage_of_places(monkeypatch, capsys):
    rows, _ = run(monkeypatch, capsys, "places", "--runs", "1", "--counts", "3000", "--levels", "1")
    found = {row["what"]: row for row in rows}
    assert list(found) == list(measure_reports.places())
    assert float(found["smooth"]["covered"]) > 0.9
    assert float(found["two addresses"]["covered_of_full"]) <= 0.5
