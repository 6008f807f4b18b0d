"""What the measurement of the cost asks for and says."""

import numpy as np
from measure_cost import line, targets


def test_targets_are_those_of_the_workflow():
    assert targets()["prepare"] == ["results/checkins/tist2015.parquet"]
    assert "results/time_histogram/tist2015/uniform.csv" in targets()["time_histogram"]
    assert "results/busyness/tist2015/purkayastha.csv" in targets()["busyness"]


def test_line_through_costs():
    rows = np.array([1e5, 1e6, 1e7, 3.3e7])
    seconds = 4.0 + 2.5e-6 * rows
    assert line(rows, seconds) == "4.0 s + 2.50 s for a million rows, at most 0 % off"
    bent = line(rows, seconds * [1.0, 1.0, 1.3, 1.0])
    assert int(bent.removesuffix(" % off").split()[-1]) > 8
