"""What a run shows in the terminal: a line for each job that starts, and at its end where the results are.

The log of Snakemake in ``.snakemake/log`` has all the rest. Errors are shown in full.
"""

import contextlib
import logging
import time
from pathlib import Path

from snakemake.logging import ColorizingTextHandler, LogEvent, logger

OF_JOBS = {
    LogEvent.GROUP_INFO,
    LogEvent.JOB_FINISHED,
    LogEvent.JOB_INFO,
    LogEvent.JOB_STARTED,
    LogEvent.PROGRESS,
    LogEvent.RUN_INFO,
}
"""Events of which Snakemake shows up to ten lines for each job, and a table of all rules."""
ENDS = ("Complete log(s): ", "Elapsed time: ", "Select jobs to execute...")
"""How messages without an event begin that are left out, too: the first two at the end of a run alone."""


class Lines(logging.Handler):
    """Log a line for each job that starts; dry runs, and what a cluster runs, are shown as ever."""

    def __init__(self, workflow):
        super().__init__()
        self.workflow, self.started, self.ended = workflow, time.monotonic(), False
        self.rules, self.begun = {}, set()
        for handler in logger.handlers:
            if isinstance(handler, ColorizingTextHandler):
                handler.addFilter(self.is_shown)

    def is_shown(self, record):
        """Whether the terminal shows a message of Snakemake."""
        left_out = ENDS if self.ended else ENDS[2:]
        of_jobs = getattr(record, "event", None) in OF_JOBS or str(record.msg).startswith(left_out)
        return not of_jobs or self.workflow.dryrun or not self.workflow.is_main_process

    def emit(self, record):
        """Handle an event of Snakemake's log; ignore it if another Snakemake names its fields differently."""
        with contextlib.suppress(AttributeError, KeyError):
            event = getattr(record, "event", None)
            if event == LogEvent.RUN_INFO:
                self.rules = record.stats
            elif event == LogEvent.JOB_INFO and record.rule_name != "all" and not self.is_shown(record):
                self.begun.add(record.jobid)  # one that is started again has its number already
                jobs = self.rules["total"] - self.rules.get("all", 0)
                say(f"{len(self.begun)} of {jobs}: {record.rule_msg or record.rule_name}")

    def end(self, sources):
        """After a run that succeeded, say what came out of it, where it is, and how long it took."""
        minutes, seconds = divmod(round(time.monotonic() - self.started), 60)
        for line in outcome(sources, Path.cwd()) if "all" in self.rules else []:
            say(line)
        say(f"Done in {minutes} min {seconds} s.")
        self.ended = True


def outcome(sources, folder):
    """How many claims of each source have which status, and where all results are, in four lines."""
    from study.claims.words import groups, read_found  # here, as each start of Snakemake would wait for it

    parts = []
    for name, found in groups(read_found(folder / "results/claims.csv"), sources).items():
        statuses = found["status"].value_counts()
        parts.append(f"{name}: {', '.join(f'{count} {status}' for status, count in statuses.items())}")
    return [
        f"Claims. {'; '.join(parts)}.",
        f"Each with its verdict: {folder / 'results/claims.html'}",
        f"Figures: {folder / 'figures'}",
        "Report with all figures and tables on one page: `make report` writes results/report.html",
    ]


def say(line):
    """Show a line, as ``--quiet progress`` hides it."""
    logger.info(line, extra={"event": LogEvent.RESOURCES_INFO})
