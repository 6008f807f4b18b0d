"""The costs of larger studies: what the tool computes from measurements, and that its page shows it."""

import numpy as np
import pytest
from plan_costs import (
    BENCHMARKS,
    DRAWS,
    PAGE,
    PRICE,
    RELEASES,
    ROWS,
    THREADS,
    draws_table,
    filled,
    grid_table,
    line,
    read,
    rows_table,
    tables,
)


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


def benchmark(rule, jobs, seconds, memory):
    return {"rule": rule, "jobs": jobs, "seconds": seconds, "memory_mb": memory}


def test_cells_grow_with_the_grid_and_tables_do_not():
    benchmarks = [
        benchmark("simulate_busyness", 4, 900.0, 500.0),  # on two cores
        benchmark("search_survey_size", 2, 1800.0, 100.0),
        benchmark("plot_busyness", 1, 36.0, 200.0),
    ]
    head, once, tenfold = grid_table(benchmarks, (1, 10), 0.5)
    assert head[2:] == ("core-hours", "memory of a job, at most", "USD")
    assert once == ("× 1", "6", "1.0", "500 MB", "0.51")
    assert tenfold == ("× 10 †", "60", "10", "500 MB", "5.0")


def test_costs_of_rows_are_on_lines_and_extrapolated_ones_are_marked():
    steps = {"prepare": 3.6e-3, "busyness": 7.2e-3, "release times": 3.6e-3, "release places": 3.6e-2}
    measured = [
        {"step": step, "rows": rows, "cpu_s": slope * rows, "mb": 100.0 + rows / 1e4}
        for step, slope in steps.items()
        for rows in (1e6, 2e6, 4e6)
    ]
    head, inside, beyond = rows_table(measured, (2 * 10**6, 10**8), 2.0)
    assert head[1:4] == ("prepare", "busyness", "study in all")
    assert inside == ("2,000,000", "2.0", "4.0", "6.0", "300 MB", "12", "2.0", "20", "300 MB")
    assert beyond[0] == "100,000,000" and all(text.endswith(" †") for text in beyond[1:])
    numbers = [text.removesuffix(" †") for text in beyond[1:]]
    assert numbers == ["100", "200", "300", "10 GB", "600", "100", "1,000", "10 GB"]


def test_costs_of_draws_lie_between_those_beside_them():
    measured = [
        {"dim": 10.0, "draws": 1e6, "cpu_s": 1.0, "mb": 100.0},
        {"dim": 1000.0, "draws": 1e4, "cpu_s": 1.0, "mb": 100.0},
    ]
    _, first, between, last, beyond = draws_table(measured, (10, 505, 1000, 2000))
    assert first == ("10", "1.0", "100 MB", "80 MB")
    assert between[:2] == ("505", "50") and last[:2] == ("1,000", "100")
    assert beyond == ("2,000 †", "200", "200 MB", "16 GB")
