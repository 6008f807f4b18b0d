"""What the tests of all engines share: the recipes of the documentation, rows to release, checks.

The input has the times of day from 6 to 9 in their order, each minute for many rows, and columns that must
not be released. Three million rows are counted. The statistics look at few: of a release of
level 1.1 where 1 is promised, the noncentrality of χ² is 845, and the check misses it with a probability below
1e-14. Every check says its error rate and is shown to catch a wrong release.
"""

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dirpriv.release import CircleRelease

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "in_your_engine.md"
ROWS, FEW = 3_000_000, 150_000  # two blocks of an engine, or more
WRONG = 1.1  # the level that FEW rows tell from 1
ALPHA = 1e-6  # error rate of each statistical check
NORMAL = 4.9  # standard errors: 1e-6 on both sides
FIRST, MINUTES = 360, 180  # of the day
SAME = 16  # draws in a row that no two workers have in common: they hold 130 bits or more


def needed(*modules, program=None):
    """Skip what needs a package or a program that is missing, by name; fail where engines are required."""
    missing = []
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            missing.append(module)
    if program and not shutil.which(program):
        missing.append(program)
    if missing and os.environ.get("DIRPRIV_ENGINES") == "required":
        raise AssertionError(f"DIRPRIV_ENGINES is 'required', and there is no {', '.join(missing)}")
    if missing:
        pytest.skip(f"there is no {', '.join(missing)}", allow_module_level=True)


def recipe(title):
    """The first block of Python below a heading of the documentation."""
    return re.search(rf"^## {title}\n.*?^```python\n(.*?)^```", GUIDE.read_text("utf-8"), re.S | re.M)[1]


def write_visits(folder, rows):
    """visits.parquet: sorted arrivals, in row groups of their own, with a person and a venue."""
    import duckdb

    duckdb.sql(
        f"COPY (SELECT TIMESTAMP '2026-03-02' + to_minutes(CAST({FIRST} + i * {MINUTES} // {rows} AS INT)) "
        f"AS arrival, i AS person, i % 100 AS venue FROM range({rows}) AS rows(i)) "
        f"TO '{folder / 'visits.parquet'}' (FORMAT parquet, ROW_GROUP_SIZE 122880)"
    )


def inputs(rows):
    """How many rows of :func:`write_visits` are in each minute of the day."""
    return np.bincount(FIRST + np.arange(rows) * MINUTES // rows, minlength=1440)


def run(code, folder, before=(), **environment):
    """Run a script as a user would, in a folder, in a process of its own."""
    script = folder / "script.py"
    script.write_text(code, "utf-8")
    done = subprocess.run(
        [*before, sys.executable, script.name],
        cwd=folder,
        env=os.environ | {"OMP_NUM_THREADS": "1"} | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def run_here(code, folder):
    """Run a recipe in this process, whose engine is at work; its workers know the folder by its whole path."""
    for name in ("visits.parquet", "private.parquet", "drawn"):
        code = code.replace(f'"{name}"', repr(str(folder / name)))
    exec(code, {"__name__": "__main__"})


def released(folder):
    """Columns of what a recipe wrote, and the minutes of the day of its rows, in their order."""
    import duckdb

    path = folder / "private.parquet"
    table = f"read_parquet('{path / '*.parquet' if path.is_dir() else path}')"
    columns = [row[0] for row in duckdb.sql(f"DESCRIBE FROM {table}").fetchall()]
    found = duckdb.sql(
        f"SELECT CAST(60 * hour(t) + minute(t) AS INT) AS cell FROM (SELECT CAST({columns[0]} AS TIME) AS t "
        f"FROM {table})"
    )
    return columns, found.fetchnumpy()["cell"]


def p_value(cells, counts, level=1.0):
    """χ² of released cells against the weights of the certified table, moved to where the inputs are.

    Rows have inputs that differ, so their counts vary less than those of a sample of the mixture: where the
    release is right, this is below ALPHA with at most that probability.
    """
    distribution = CircleRelease.within(level, "3h").noise
    turns = np.fft.rfft(counts) * np.fft.rfft(distribution.probabilities)
    return stats.chisquare(np.bincount(cells, minlength=1440), np.fft.irfft(turns, 1440)).pvalue


def order_scores(cells):
    """Correlations of the released times with the place in the file, and with the row before, in errors.

    Of a random order both are standard normal.
    """
    times = (np.asarray(cells) - (FIRST + MINUTES / 2) + 720) % 1440 - 720
    scale = np.sqrt(len(times))
    return (scale * np.corrcoef(times, np.arange(len(times)))[0, 1], scale * np.corrcoef(times[1:], times[:-1])[0, 1])


def assert_rows(folder, rows):
    """Fail where a recipe wrote more than it may, or another number of rows; return their minutes of the day."""
    columns, cells = released(folder)
    assert columns == ["arrival"] and len(cells) == rows
    assert not any("drawn" in path.name for path in folder.iterdir())
    return cells


def assert_released(folder):
    """Fail where a recipe released FEW rows by another distribution, or in the order of the input, too.

    In that order, the scores are 16 or more, with standard deviations of 1.1: missed below 1e-20.
    """
    cells = assert_rows(folder, FEW)
    assert p_value(cells, inputs(FEW)) > ALPHA > p_value(cells, inputs(FEW), level=WRONG)
    assert max(map(abs, order_scores(cells))) < NORMAL
    kept = CircleRelease.within(1.0, "3h").randomise_cells(FIRST + np.arange(FEW) * MINUTES // FEW)
    assert min(order_scores(kept)) > NORMAL  # the same in the order of the input is caught


def shared_runs(*draws):
    """How often SAME draws in a row occur more than once, in one worker or in two.

    They are compared by hashes of 64 bits. Of right releases on 1440 nearly equal cells, a million rows have
    one in common with a probability below 1e-7.
    """
    weights = np.random.default_rng(1).integers(1, 2**64, SAME, dtype=np.uint64)
    windows = [np.lib.stride_tricks.sliding_window_view(np.asarray(one, np.uint64), SAME) for one in draws]
    _, times = np.unique(np.concatenate([one @ weights for one in windows]), return_counts=True)
    return int((times - 1).sum())
