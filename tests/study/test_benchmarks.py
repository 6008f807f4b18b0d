"""The table of benchmarks, and the time that a run has left."""

import csv
import logging
from types import SimpleNamespace

import pytest
import yaml
from snakemake.logging import LogEvent

from study.workflow import benchmarks
from study.workflow.benchmarks import TimeLeft, by_rule, shipped, write_benchmarks
from study.workflow.code_digest import SOURCE

CONFIG = SOURCE.parent / "config"
HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


def line(seconds, memory="NA", cpu="NA"):
    """A line of a file of benchmarks, as Snakemake writes it."""
    return f"{seconds}\t0:00:01\t{memory}\tNA\tNA\tNA\tNA\tNA\tNA\t{cpu}\n"


def fill(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.fixture
def folder(tmp_path):
    files = {
        "simulate/a/x.tsv": HEADER + line(10.5, 100.25, 6.0),
        "simulate/b.tsv": HEADER + line(20.0, 300.5, 7.0),
        "simulate/c.tsv": HEADER + line(4.0),
        "plot.tsv": HEADER + line(2.0) + line(3.0),
        "notes.txt": "not a benchmark",
    }
    return fill(tmp_path / "benchmarks", files)


SIMULATE = {"rule": "simulate", "jobs": 3, "seconds": 34.5, "longest_seconds": 20.0, "cpu_seconds": 13.0}
PLOT = {"rule": "plot", "jobs": 2, "seconds": 5.0, "longest_seconds": 3.0, "cpu_seconds": None}
TABLE = [PLOT | {"memory_mb": None}, SIMULATE | {"memory_mb": 300.5}]


def test_a_row_has_all_jobs_of_its_rule(folder):
    assert by_rule(folder) == TABLE


DAMAGED = {
    "empty": "",
    "header_only": HEADER,
    "cut": HEADER[:9],
    "cut_line": HEADER + "1",
    "words": HEADER + line("fast", 1.0, 1.0),
    "no_time": HEADER + line("NA", 1.0, 1.0),
    "infinite": HEADER + line("inf", "nan", -1.0),
    "columns": "a\tb\n1\t2\n",
    "nulls": b"\0\0\n\0\0\n",
    "binary": b"\x89PNG\xff\xfe\n",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_left_out(folder, name):
    fill(folder, {"damaged.tsv": DAMAGED[name], "simulate/damaged.tsv": DAMAGED[name]})
    rows = by_rule(folder)
    if name == "cut_line":  # what is there can be read
        assert [row["jobs"] for row in rows] == [1, 2, 4]
    else:
        assert rows == TABLE


def test_a_folder_in_place_of_a_file_is_left_out(folder):
    (folder / "odd.tsv").mkdir()
    assert by_rule(folder) == TABLE


def test_the_table_is_written(folder, tmp_path):
    path = tmp_path / "results/benchmarks.csv"
    write_benchmarks(folder, path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "rule,jobs,seconds,longest_seconds,cpu_seconds,memory_mb"
    assert lines[1:] == ["plot,2,5.0,3.0,,", "simulate,3,34.5,20.0,13.0,300.5"]


def test_without_benchmarks_there_is_no_table(tmp_path):
    (tmp_path / "empty").mkdir()
    for name in ("missing", "empty"):
        write_benchmarks(tmp_path / name, tmp_path / "results/benchmarks.csv")
    assert not (tmp_path / "results").exists()


def test_a_table_that_cannot_be_written_fails_no_run(folder, tmp_path):
    (tmp_path / "results").write_text("a file where the folder should be", encoding="utf-8")
    write_benchmarks(folder, tmp_path / "results/benchmarks.csv")
    assert (tmp_path / "results").is_file()


# The tables that come with the study.


def configuration(*names):
    config = {}
    for name in names:
        benchmarks.update_config(config, yaml.safe_load((CONFIG / name).read_text(encoding="utf-8")))
    return config


@pytest.mark.parametrize("names", [("config.yaml",), ("config.yaml", "smoke.yaml")], ids=str)
def test_both_configurations_have_a_table(names):
    rows = shipped(configuration(*names))
    assert len(rows) > 50 and list(rows[0]) == list(TABLE[0])
    assert all(float(row["seconds"]) > 0 and int(row["jobs"]) > 0 for row in rows)
    assert {"simulate_audit", "plot_claims", "collect_results"} <= {row["rule"] for row in rows}
    others = shipped(configuration("config.yaml"))
    assert (rows == others) == (names == ("config.yaml",))


def test_other_data_and_another_seed_leave_the_table_and_another_grid_does_not():
    config = configuration("config.yaml")
    rows = shipped(config)
    assert shipped(config | {"seed": 1, "datasets": {"mine": {"path": "x"}}}) == rows
    assert shipped(config | {"calibrations": ["tight"]}) == []
    assert shipped({}) == []


# The time left.


@pytest.fixture
def clock(monkeypatch):
    """The time, as a number to be set."""
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(benchmarks.time, "monotonic", lambda: clock.now)
    return clock


@pytest.fixture
def said(monkeypatch):
    """The lines that are logged."""
    lines = []
    monkeypatch.setattr(benchmarks.logger, "info", lambda text, extra: lines.append(text))
    return lines


def happens(time_left, event, **fields):
    time_left.handle(logging.makeLogRecord({"event": event, **fields}))


def planned(folder, monkeypatch, stats, cores=2, theirs=()):
    """A run that is about to start."""
    monkeypatch.setattr(benchmarks, "shipped", lambda config: list(theirs))
    time_left = TimeLeft()
    happens(time_left, LogEvent.RESOURCES_INFO, cores=cores)
    happens(time_left, LogEvent.RESOURCES_INFO)
    happens(time_left, LogEvent.RUN_INFO, stats={**stats, "all": 1, "total": sum(stats.values()) + 1})
    return time_left


def row(rule, seconds, jobs=1):
    return {"rule": rule, "jobs": str(jobs), "seconds": str(seconds)}


TWELVE_MINUTES = [row("search", 600.0, 10), row("draw", 100.0, 5)]
"""Of work, half as long on two cores."""


def test_the_whole_run_is_told_at_its_start(tmp_path, monkeypatch, clock, said):
    planned(tmp_path, monkeypatch, {"search": 10, "draw": 5}, theirs=TWELVE_MINUTES).start({}, tmp_path)
    assert said == ["About 6 min on 2 cores, going by a run elsewhere."]


def test_of_a_part_only_its_jobs_count_and_cores_share_them(tmp_path, monkeypatch, clock, said):
    planned(tmp_path, monkeypatch, {"search": 5}, 1, TWELVE_MINUTES).start({}, tmp_path)
    planned(tmp_path, monkeypatch, {"search": 5}, 8, TWELVE_MINUTES).start({}, tmp_path)
    assert [text.split(",")[0] for text in said] == ["About 5 min on 1 core", "About 1 min on 8 cores"]


def test_earlier_runs_here_go_before_what_comes_with_the_study(tmp_path, monkeypatch, clock, said):
    fill(tmp_path, {"search/a.tsv": HEADER + line(120.0), "draw.tsv": HEADER + line(20.0)})
    planned(tmp_path, monkeypatch, {"search": 10, "draw": 5}, theirs=TWELVE_MINUTES).start({}, tmp_path)
    assert said == ["About 11 min on 2 cores, going by earlier runs here."]
    (tmp_path / "draw.tsv").unlink()
    planned(tmp_path, monkeypatch, {"search": 10, "draw": 5}, theirs=TWELVE_MINUTES).start({}, tmp_path)
    assert said[1] == "About 11 min on 2 cores, going by a run elsewhere."


def test_jobs_of_unknown_rules_are_counted(tmp_path, monkeypatch, clock, said):
    stats = {"search": 10, "download": 2, "new": 1}
    planned(tmp_path, monkeypatch, stats, theirs=TWELVE_MINUTES).start({}, tmp_path)
    assert said == ["About 5 min on 2 cores, going by a run elsewhere, besides 3 jobs of unknown length."]


def test_where_nothing_is_known_nothing_is_told(tmp_path, monkeypatch, clock, said):
    planned(tmp_path, monkeypatch, {"new": 3}, theirs=TWELVE_MINUTES).start({}, tmp_path)
    planned(tmp_path, monkeypatch, {"search": 3}).start({}, tmp_path / "missing")
    planned(tmp_path, monkeypatch, {"search": 3}, None, TWELVE_MINUTES).start({}, tmp_path)
    TimeLeft().start({}, tmp_path)
    assert said == []


def test_a_run_that_was_not_started_is_silent(tmp_path, monkeypatch, clock, said):
    """As a dry run, which has the same events, and a study that is a module of another workflow."""
    time_left = planned(tmp_path, monkeypatch, {"search": 10}, theirs=TWELVE_MINUTES)
    happens(time_left, LogEvent.JOB_INFO, jobid=1, rule_name="search")
    clock.now += 100.0
    happens(time_left, LogEvent.JOB_FINISHED, job_id=1)
    happens(time_left, LogEvent.PROGRESS, done=1, total=11)
    assert said == []


def run(time_left, clock, jobs, seconds):
    """Two jobs at a time of so many seconds each."""
    for number in range(0, jobs, 2):
        for job in (number, number + 1):
            happens(time_left, LogEvent.JOB_INFO, jobid=job, rule_name="search")
        clock.now += seconds
        for job in (number, number + 1):
            happens(time_left, LogEvent.JOB_FINISHED, job_id=job)
            happens(time_left, LogEvent.PROGRESS, done=job + 1, total=11)


def minutes(said):
    return [int(text.split()[1]) for text in said]


@pytest.mark.parametrize("factor, expected", [(1.0, [5, 4, 3, 2, 1]), (3.0, [5, 10, 9, 6, 3])])
def test_what_is_left_is_told_when_jobs_end_and_goes_by_the_pace(factor, expected, tmp_path, monkeypatch, clock, said):
    """Also of a machine that takes three times as long, where 15 minutes would have been right."""
    time_left = planned(tmp_path, monkeypatch, {"search": 10}, theirs=TWELVE_MINUTES)
    time_left.start({}, tmp_path)
    run(time_left, clock, 10, 60.0 * factor)
    assert all(text.endswith(" min left.") for text in said[1:])
    assert minutes(said) == pytest.approx(expected, abs=1) and len(said) == 5


def test_a_line_comes_every_half_minute_at_most(tmp_path, monkeypatch, clock, said):
    time_left = planned(tmp_path, monkeypatch, {"search": 40}, theirs=TWELVE_MINUTES)
    time_left.start({}, tmp_path)
    run(time_left, clock, 40, 8.0)
    assert len(said) == 1 + 20 * 8 // 32


def test_other_fields_of_events_do_no_harm(tmp_path, monkeypatch, clock, said):
    time_left = planned(tmp_path, monkeypatch, {"search": 10}, theirs=TWELVE_MINUTES)
    time_left.start({}, tmp_path)
    for event in LogEvent:
        happens(time_left, event)
    happens(time_left, LogEvent.JOB_FINISHED, job_id=77)
    happens(time_left, None)
    happens(time_left, LogEvent.JOB_INFO, jobid=1, rule_name="never heard of")
    clock.now += 60.0
    happens(time_left, LogEvent.JOB_FINISHED, job_id=1)
    happens(time_left, LogEvent.PROGRESS)
    assert len(said) == 2


def test_the_shipped_tables_are_tables_of_this_kind():
    for name in benchmarks.SHIPPED.values():
        with open(SOURCE / "study/workflow" / name, encoding="utf-8", newline="") as handle:
            assert list(next(csv.DictReader(handle))) == list(TABLE[0])
