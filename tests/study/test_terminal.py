"""What a run shows in the terminal: a line for each job, errors in full, and where the results are."""

import logging
from types import SimpleNamespace

import pytest
from snakemake.logging import ColorizingTextHandler, LogEvent

from study.claims import words
from study.workflow import terminal

CLAIMS = """\
claim,dataset,source,excerpt,status
a,,A,printed,as expected
b,,A,printed,as expected
c,,A,printed,changed
d,,A,quoted,as expected
e,,beyond,,not decided here
f,mine,A,printed,reported
"""
SOURCES = {"A": {"name": "Paper A"}, "beyond": {"name": "Beyond the papers"}}


def record(text, event=None, **fields):
    return logging.makeLogRecord({"msg": text, "event": event, "levelno": logging.INFO, **fields})


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Snakemake's logger, what it prints, and a workflow that runs jobs."""
    shown, logger = [], logging.Logger("snakemake")
    handler = ColorizingTextHandler(stream=SimpleNamespace(write=shown.append, flush=lambda: None))
    logger.addHandler(handler)
    monkeypatch.setattr(terminal, "logger", logger)
    monkeypatch.chdir(tmp_path)
    workflow = SimpleNamespace(dryrun=False, is_main_process=True)
    lines = terminal.Lines(workflow)
    logger.addHandler(lines)
    return SimpleNamespace(
        logger=logger, workflow=workflow, lines=lines, text=lambda: [text for text in shown if text.strip()]
    )


def plan_and_begin(run):
    run.logger.handle(record("Job stats:", LogEvent.RUN_INFO, stats={"draw": 2, "all": 1, "total": 3}))
    for jobid, message in ((7, "Draw one"), (9, None), (7, "Draw one")):
        run.logger.handle(record("Select jobs to execute..."))
        run.logger.handle(record("Execute 1 jobs...", LogEvent.JOB_STARTED))
        info = {"jobid": jobid, "rule_name": "draw", "rule_msg": message}
        run.logger.handle(record("job", LogEvent.JOB_INFO, **info))
        run.logger.handle(record("Finished", LogEvent.JOB_FINISHED, job_id=jobid))
        run.logger.handle(record("done", LogEvent.PROGRESS, done=1, total=3))
    info = {"jobid": 0, "rule_name": "all", "rule_msg": "See"}
    run.logger.handle(record("all", LogEvent.JOB_INFO, **info))


def test_each_job_has_one_line_and_messages_stay(run):
    """The rule at the end has none; one that is started again has its own number."""
    plan_and_begin(run)
    run.logger.handle(record("Trying to restart job 7."))
    run.logger.handle(record("Error in rule draw", LogEvent.ERROR, levelno=logging.ERROR))
    lines = ["1 of 2: Draw one", "2 of 2: draw", "2 of 2: Draw one"]
    assert run.text() == [*lines, "Trying to restart job 7.", "Error in rule draw"]


@pytest.mark.parametrize("change", [{"dryrun": True}, {"is_main_process": False}], ids=str)
def test_dry_runs_and_runs_within_a_run_are_shown_as_ever(run, change):
    vars(run.workflow).update(change)
    run.logger.handle(record("Job stats:", LogEvent.RUN_INFO, stats={"draw": 2, "all": 1, "total": 3}))
    run.logger.handle(record("Select jobs to execute..."))
    assert run.text() == ["Job stats:", "Select jobs to execute..."]


def test_a_run_ends_with_five_lines(run, tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results/claims.csv").write_text(CLAIMS, encoding="utf-8")
    plan_and_begin(run)
    run.logger.handle(record("Complete log(s): before"))
    run.lines.started -= 125.0
    run.lines.end(lambda: words.statuses(words.read_verdicts("results/claims.csv"), SOURCES))
    run.logger.handle(record("Complete log(s): after"))
    run.logger.handle(record("Elapsed time: 0:02:05"))
    before, claims, page, figures, report, time = run.text()[-6:]
    assert before == "Complete log(s): before"
    assert claims == (
        "Claims. Paper A: 2 as expected, 1 changed; Quoted by Paper A: 1 as expected; "
        "Beyond the papers: 1 not decided here; On mine: 1 reported."
    )
    assert (page, figures) == (
        f"Verdicts: {tmp_path / 'results/claims.html'}", f"Figures: {tmp_path / 'figures'}",
    )  # fmt: skip
    assert "`make report` writes results/report.html" in report and time == "Done in 0:02:05."


def test_a_part_of_the_study_ends_with_its_time_alone(run):
    run.logger.handle(record("Job stats:", LogEvent.RUN_INFO, stats={"draw": 1, "total": 1}))
    run.lines.end(lambda: 1 / 0)  # not asked
    assert len(run.text()) == 1 and run.text()[0].startswith("Done in 0:00:0")
