"""What a run shows in the terminal: a line for each job that starts, and at its end where the results are.

The log of Snakemake in ``.snakemake/log`` has all the rest. Errors are shown in full.
"""

import contextlib
import logging
import time
from datetime import timedelta
from pathlib import Path

from snakemake.logging import ColorizingTextHandler, LogEvent, logger

OF_JOBS = ("group_info", "job_finished", "job_info", "job_started", "progress", "run_info")
"""Events of which Snakemake shows up to ten lines for each job, and a table of all rules."""
ENDS = ("Select jobs to execute...", "Complete log(s): ", "Elapsed time: ")
"""How messages begin that are left out, too: the last two after a run that succeeded alone."""
REPORT = "Report with all figures and tables on one page: `make report` writes results/report.html"
SHOWN = {"event": LogEvent.RESOURCES_INFO}
"""What our lines are to Snakemake, so that ``--quiet progress`` hides them."""


class Lines(logging.Handler):
    """Log a line for each job that starts; dry runs, and what a cluster runs, are shown as ever."""

    def __init__(self, workflow):
        super().__init__()
        self.workflow, self.started, self.left_out = workflow, time.monotonic(), ENDS[:1]
        self.rules, self.begun = {}, set()
        for handler in logger.handlers:
            if isinstance(handler, ColorizingTextHandler):
                handler.addFilter(self.is_shown)

    def is_shown(self, record):
        """Whether the terminal shows a message of Snakemake."""
        of_jobs = getattr(record, "event", None) in OF_JOBS or str(record.msg).startswith(self.left_out)
        return not of_jobs or self.workflow.dryrun or not self.workflow.is_main_process

    def emit(self, record):
        """Handle an event of Snakemake's log; ignore it if another Snakemake names its fields differently."""
        with contextlib.suppress(AttributeError, KeyError):
            event = getattr(record, "event", None)
            if event == LogEvent.RUN_INFO:
                self.rules = record.stats
            elif event == LogEvent.JOB_INFO and record.rule_name != "all" and not self.is_shown(record):
                self.begun.add(record.jobid)  # one that is started again has its number already
                number = f"{len(self.begun)} of {self.rules['total'] - ('all' in self.rules)}"
                logger.info(f"{number}: {record.rule_msg or record.rule_name}", extra=SHOWN)

    def end(self, claims):
        """After a run that succeeded, say what came out of it, where it is, and how long it took.

        ``claims`` gives what to say of the claims; it is asked only after a run of the whole study.
        """
        lines, at = (), Path.cwd()
        if "all" in self.rules:
            places = f"Verdicts: {at}/results/claims.html", f"Figures: {at}/figures"
            lines = f"Claims. {claims()}.", *places, REPORT
        for line in [*lines, f"Done in {timedelta(seconds=round(time.monotonic() - self.started))}."]:
            logger.info(line, extra=SHOWN)
        self.left_out = ENDS
