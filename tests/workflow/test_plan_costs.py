"""The costs of larger studies: what the tool computes from measurements, and that its page shows it."""

import numpy as np
import pytest
from plan_costs import BENCHMARKS, DRAWS, PAGE, PRICE, RELEASES, ROWS, THREADS, filled, line, read, tables


def test_the_page_shows_what_the_tool_computes():
    """After a change of a table of measurements: python tools/plan_costs.py --write"""
    text = PAGE.read_text(encoding="utf-8")
    assert filled(text, tables()) == text
    assert f"{PRICE} USD for a core-hour" in text
    assert filled(text, tables(price=2 * PRICE)) != text


def test_the_measurements_are_those_that_the_tables_need():
    steps = {row["step"] for row in read(ROWS)}
    assert {"prepare", "time_histogram", "busyness", *RELEASES} <= steps
    assert all(row["cpu_s"] > 0.0 and row["mb"] > 0.0 for row in read(ROWS))
    assert max(row["dim"] for row in read(DRAWS)) == 1e6
    assert THREADS.keys() <= {row["rule"] for row in read(BENCHMARKS)}


@pytest.mark.parametrize("start, slope", [(4.0, 2.5e-6), (0.0, 1e-6), (300.0, 0.0)])
def test_a_line_is_found(start, slope):
    sizes = np.array([1e5, 1e6, 1e7])
    assert line(sizes, start + slope * sizes) == pytest.approx((start, slope), rel=1e-6, abs=1e-9)


def test_no_line_falls_or_begins_below_zero():
    """Whatever the errors of the measurements."""
    assert line([1e6, 2e6], [1.0, 3.0]) == pytest.approx((0.0, 1.25e-6))
    assert line([1e6, 4e6], [100.0, 81.0]) == pytest.approx((90.0, 0.0))
    assert line([1e6], [7.0]) == (7.0, 0.0)
