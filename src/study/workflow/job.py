"""What every job of the workflow does around its pure functions.

A script ends with ``if __name__ == "__main__":`` and one ``with job(snakemake):`` block. The block
sends messages to the log file and to the terminal, and turns bad input into one readable line
instead of a traceback.
"""

import contextlib
import csv
import errno
import logging
import secrets
import sys
import time
import traceback
from pathlib import Path

from study.workflow.catalogue_rows import job_rows
from study.workflow.output_folders import leftovers
from study.workflow.printable import printable

DISK = {
    errno.ENOSPC: "the disk is full; make room",
    errno.EDQUOT: "the quota on the disk is used up; make room",
    errno.EROFS: "the disk is read-only; work in a folder that can be written to",
    errno.EACCES: "this may not be written to, or read; change the permissions",
}


class InputError(Exception):
    """An input of the user is unusable. The message names it and says what would be right.

    Names of files and columns may have any characters. Those that a terminal would act on are escaped.
    """

    def __init__(self, text):
        super().__init__(printable(text))


@contextlib.contextmanager
def job(snakemake):
    """Run a script's body with its log and its rows of the catalogue; end cleanly on bad input."""
    log_path = Path(str(snakemake.log[0]))
    log_path.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(log_path, "w", encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(_Printable("%(asctime)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.captureWarnings(True)
    logger = logging.getLogger("study")
    try:
        with job_rows(snakemake.params.get("rows", {})):
            yield logger
        logger.info("done")
    except Exception as error:
        if isinstance(error, OSError) and error.errno in DISK:
            error = InputError(f"{error.filename or 'a file'}: {DISK[error.errno]}, then run the same command again")
        if isinstance(error, InputError):
            logger.error("%s", error)
            sys.exit(f"Error in {snakemake.rule}: {error}")
        trace = traceback.format_exc()
        logger.error("%s", trace)
        sys.exit(printable(trace))


class _Printable(logging.Formatter):
    """Lines of a log, in which messages of other packages may have any characters."""

    def format(self, record):
        return printable(super().format(record))


@contextlib.contextmanager
def moved_into_place(path):
    """Yield a temporary path beside ``path``; move it there only if the body succeeds.

    A killed job leaves no half-written result under the final name. It may leave a file under a temporary
    name, which the next writer of the same path removes. Who may read the file is as the umask says.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    for leftover in leftovers(path):
        leftover.unlink(missing_ok=True)
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}{''.join(path.suffixes)}")
    temporary.touch(exist_ok=False)
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(text, path):
    """Write a text under a temporary name, then move it into place."""
    with moved_into_place(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_csv(rows, path):
    """Write a data frame, or rows that make one, as CSV under a temporary name, then move it into place."""
    import pandas as pd  # here, as not all jobs need it

    table = pd.DataFrame(rows)  # all rows are made before the file
    with moved_into_place(path) as temporary:
        table.to_csv(temporary, index=False, lineterminator="\n")


def write_tables(output, **tables):
    """Write each table as :func:`write_csv` does, to the output of a rule that has its name."""
    for name, rows in tables.items():
        write_csv(rows, output[name])


def write_rows(rows, path, columns=None):
    """Write rows, dictionaries with the same columns, as :func:`write_csv` writes a data frame of them.

    ``columns`` are needed only where there may be no rows. A job that needs no data frame does not import
    pandas, and so starts a fifth of a second earlier.
    """
    rows = list(rows)  # all are made before the file
    with moved_into_place(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, columns or rows[0], lineterminator="\n")
        writer.writeheader()
        for row in rows:  # not a number: nothing
            writer.writerow({name: value if value == value else "" for name, value in row.items()})


class JobProgress:
    """Print the progress and the remaining time of a long job to the terminal every few seconds."""

    def __init__(self, name, total, every=10.0, stream=sys.stderr):
        self.name, self.total, self.every, self.stream = printable(name), total, every, stream
        self.started = self.last = time.monotonic()

    def update(self, done):
        """Report that ``done`` of ``total`` units are finished, if a report is due."""
        now = time.monotonic()
        if now - self.last < self.every or done <= 0:
            return
        self.last = now
        left = (now - self.started) * (self.total - done) / done
        share = 100.0 * done / self.total
        print(f"{self.name}: {share:.0f} % done, about {left:.0f} s left", file=self.stream, flush=True)


def with_progress(name, cells):
    """Yield the cells of a long job one by one, and report how many are done: see :class:`JobProgress`."""
    cells = list(cells)
    progress = JobProgress(name, len(cells))
    for done, cell in enumerate(cells, start=1):
        yield cell
        progress.update(done)
