"""The measurements of the estimates from private reports run, and refuse what they should."""

import measure_reports
import pytest


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
    rows, _ = run(monkeypatch, capsys, "mean", "--runs", "50", "--counts", "100")
    assert len(rows) == 21
    assert all(0.8 < float(row["covered"]) <= 1.0 for row in rows)
    assert float(rows[2]["whole_circles"]) > 0.5 > float(rows[-1]["whole_circles"])
    monkeypatch.setattr(measure_reports, "ACCEPTED_COVERAGE", (1.1, 1.2))
    assert run(monkeypatch, capsys, "mean", "--runs", "2", "--counts", "100")[1] == 1
