"""What the measurement of the cost asks for, measures and says."""

import sys

import numpy as np
import pandas as pd
import pytest
from measure_cost import COSTS, ROOT, line, run, summary, targets

pytestmark = pytest.mark.sweep


def test_targets_are_those_of_the_workflow():
    assert targets()["prepare"] == ["results/checkins/tist2015.parquet"]
    assert "results/time_histogram/tist2015/uniform.csv" in targets()["time_histogram"]
    assert "results/place_histogram/tist2015/polar_laplace.csv" in targets()["place_histogram"]
    assert "results/busyness/tist2015/purkayastha.csv" in targets()["busyness"]


def test_line_through_costs():
    rows = np.array([1e5, 1e6, 1e7, 3.3e7])
    seconds = 4.0 + 2.5e-6 * rows
    assert line(rows, seconds) == "4.0 s + 2.50 s for a million rows, at most 0 % off"
    bent = line(rows, seconds * [1.0, 1.0, 1.3, 1.0])
    assert int(bent.removesuffix(" % off").split()[-1]) > 8


def test_ratios_to_another_checkout():
    """Seconds of all steps are added up, without those of writing the files; memory is the largest."""
    costs = [
        (100, "this", "write", 50.0, 50.0, 900.0, 2.0),
        (100, "this", "prepare", 10.0, 15.0, 300.0, 2.0),
        (100, "other", "prepare", 10.0, 10.0, 600.0, 2.0),
        (100, "this", "busyness", 20.0, 30.0, 500.0, 2.0),
        (100, "other", "busyness", 50.0, 80.0, 400.0, 2.0),
    ]
    said = list(summary(pd.DataFrame(costs, columns=["rows", "checkout", "step", *COSTS])))
    of = "of the other's seconds"
    assert said[0] == f"# 100 rows, prepare: 100 % {of}, 150 % of its processor seconds, 50 % of its memory"
    assert said[2] == f"# 100 rows, in all: 50 % {of}, 50 % of its processor seconds, 83 % of its memory"
    assert len(said) == 3


WORK = """
import subprocess, sys
work = "import time\\nheld = bytes(range(256)) * (200 << 12)\\nwhile time.process_time() < 0.6: pass"
subprocess.run([sys.executable, "-c", work])
"""


def test_costs_are_those_of_all_processes_at_work():
    waiting = run(sys.executable, ROOT, "-c", "import time; time.sleep(0.6)")
    working = run(sys.executable, ROOT, "-c", WORK)
    assert min(waiting[0], working[0]) >= 0.6
    assert working[1] - waiting[1] > 0.5 and waiting[1] < 0.5
    # of the memory of one that waits there is no bound: it begins with that of the process that starts it
    assert working[2] > 200.0 and waiting[2] > 5.0
    with pytest.raises(SystemExit, match="failed with status 3"):
        run(sys.executable, ROOT, "-c", "raise SystemExit(3)")
