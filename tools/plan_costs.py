"""Core-hours, memory and money of larger studies and files, from what was measured.

python tools/plan_costs.py [--price USD] [--grid TIMES ...] [--rows ROWS ...] [--dimensions N ...]
python tools/plan_costs.py --write

Prints three tables as Markdown. ``--write`` renews those of docs/large_studies.md, which has the formulas
and says how far they reach; do so after a change of a table of measurements:

* src/study/workflow/benchmarks.csv: the study, results/benchmarks.csv of a run;
* benchmarks/rows.csv: what benchmarks/measure_cost.py and measure_files.py print;
* benchmarks/draws.csv: what benchmarks/measure_draws.py prints.
"""

import argparse
import contextlib
import csv
import re
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/large_studies.md"
BENCHMARKS = ROOT / "src/study/workflow/benchmarks.csv"
ROWS = ROOT / "benchmarks/rows.csv"
DRAWS = ROOT / "benchmarks/draws.csv"

PRICE = 0.05
"""US dollars for a core-hour with 4 GB: an assumption."""
GRID = (1, 10, 100, 1000)
CHECKINS = (10**5, 10**6, 10**7, 10**8, 10**9)
DIMENSIONS = (2, 10, 100, 1000, 10**4, 10**6)
PER_CELL = ("compute_", "evaluate_", "check_printed_", "search_", "simulate_")
"""How the names of the rules begin whose work grows with the grid."""
THREADS = {"prepare_checkins": 2, "simulate_busyness": 2}
"""Cores that a job occupies, where they are more than one."""
RELEASES = ("release times", "release places")
"""Steps of a file's release; all others are those of the study."""
DRAWN = 10**6
"""Draws in each row of the table of dimensions."""


def read(path):
    """Rows of a table, with numbers where there are some; not those of another checkout."""

    def value(text):
        with contextlib.suppress(ValueError):
            return float(text)
        return text

    with open(path, encoding="utf-8", newline="") as handle:
        rows = csv.DictReader(line for line in handle if not line.startswith("#"))
        records = [{key: value(text) for key, text in row.items()} for row in rows]
    return [row for row in records if row.get("checkout", "this") == "this"]


def line(sizes, values):
    """Start and slope of the straight line through values; relative errors count, and neither is negative."""
    sizes, values = np.asarray(sizes), np.asarray(values)
    slope, start = np.polyfit(sizes, values, 1, w=1.0 / values) if len(sizes) > 1 else (0.0, values[0])
    if start < 0.0:  # a line through the origin
        start, slope = 0.0, np.mean(values / sizes)
    return (np.exp(np.mean(np.log(values))), 0.0) if slope < 0.0 else (start, slope)


def grid_table(benchmarks, grid, price):
    """Cost of the study with this many times as many cells: rows of text."""
    seconds = {True: 0.0, False: 0.0}
    for row in benchmarks:
        seconds[row["rule"].startswith(PER_CELL)] += row["seconds"] * THREADS.get(row["rule"], 1)
    cells = sum(row["jobs"] for row in benchmarks if row["rule"].startswith(PER_CELL))
    largest = max(row["memory_mb"] or 0.0 for row in benchmarks)
    yield "grid", "cells", "core-hours", "memory of a job, at most", "USD"
    for times in grid:
        hours = (seconds[False] + times * seconds[True]) / 3600.0
        beyond = " †" if times > 1 else ""
        money = short(price * hours)
        yield f"× {times:,}{beyond}", f"{times * cells:,.0f}", short(hours), memory(largest), money


def rows_table(measured, checkins, price):
    """Cost of this many check-ins, in the study and in releases of a file: rows of text."""
    steps = list(dict.fromkeys(row["step"] for row in measured if row["step"] != "write"))
    fits, reach = {}, {}
    for step in steps:
        of_step = [row for row in measured if row["step"] == step]
        sizes = [row["rows"] for row in of_step]
        fits[step] = [line(sizes, [row[key] for row in of_step]) for key in ("cpu_s", "mb")]
        reach[step] = min(sizes), max(sizes)
    of_study = [step for step in steps if step not in RELEASES]
    names = [step.replace("_", " ") for step in of_study]
    yield ("check-ins", *names, "study in all", "memory", "USD", *RELEASES, "memory")
    for rows in checkins:
        hours = {step: (start + rows * slope) / 3600.0 for step, ((start, slope), _) in fits.items()}
        most = {step: start + rows * slope for step, (_, (start, slope)) in fits.items()}
        beyond = {step: "" if low <= rows <= high else " †" for step, (low, high) in reach.items()}
        of_sum, in_all = max(beyond[step] for step in of_study), sum(hours[step] for step in of_study)
        yield (
            f"{rows:,}",
            *(short(hours[step]) + beyond[step] for step in of_study),
            short(in_all) + of_sum,
            memory(max(most[step] for step in of_study)) + of_sum,
            short(price * in_all) + of_sum,
            *(short(hours[step]) + beyond[step] for step in RELEASES),
            memory(max(most[step] for step in RELEASES)) + max(beyond[step] for step in RELEASES),
        )


def draws_table(measured, dimensions):
    """Time and memory of a million directions in each dimension: rows of text.

    Between measured dimensions time and memory are those of the straight line between the two beside it.
    """
    dims = [row["dim"] for row in measured]
    seconds = [row["cpu_s"] / row["draws"] for row in measured]
    yield "n", f"core-seconds for {DRAWN:,} draws", "memory of a process", "size of the draws"
    for dim in dimensions:
        one = np.interp(dim, dims, seconds) * max(dim / dims[-1], 1.0)
        used = np.interp(dim, dims, [row["mb"] for row in measured]) * max(dim / dims[-1], 1.0)
        mark = "" if dims[0] <= dim <= dims[-1] else " †"
        size = memory(DRAWN * dim * 8 / 1e6)
        yield f"{dim:,}{mark}", short(DRAWN * one), memory(used), size


def short(value):
    """A number with two digits that count, and no exponent."""
    if value <= 0.0:
        return "0"
    rounded = float(f"{value:.1e}")
    return f"{rounded:,.{max(1 - int(np.floor(np.log10(rounded))), 0)}f}"


def memory(megabytes):
    """Megabytes with their unit, or what is more readable."""
    for unit, size in (("TB", 1e6), ("GB", 1e3), ("MB", 1.0)):
        if megabytes >= size:
            return f"{short(megabytes / size)} {unit}"
    return "1 MB"


def markdown(table):
    """The table as Markdown; numbers to the right."""
    head, *rows = table
    lines = [head, ["--:"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def tables(price=PRICE, grid=GRID, checkins=CHECKINS, dimensions=DIMENSIONS):
    """The three tables as Markdown, by their names on the page."""
    return {
        "grid": markdown(grid_table(read(BENCHMARKS), grid, price)),
        "rows": markdown(rows_table(read(ROWS), checkins, price)),
        "dimensions": markdown(draws_table(read(DRAWS), dimensions)),
    }


def filled(text, texts):
    """The text of the page with these tables, each between the two comments that name it."""
    for name, table in texts.items():
        pattern = rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)"
        text, count = re.subn(pattern, lambda m, t=table: f"{m[1]}\n{t}\n\n{m[2]}", text, flags=re.S)
        assert count == 1, f"{PAGE.name} has {count} places for the table {name!r}"
    return text


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    of_price = "USD for a core-hour; %(default)s, an assumption"
    parser.add_argument("--price", type=_positive, default=PRICE, help=of_price)
    for option, default, help_text in (
        ("--grid", GRID, "cells, as multiples of those of config/config.yaml"),
        ("--rows", CHECKINS, "numbers of check-ins"),
        ("--dimensions", DIMENSIONS, "dimensions of the vectors that are drawn"),
    ):
        parser.add_argument(option, type=_count, nargs="+", default=default, help=help_text)
    parser.add_argument("--write", action="store_true", help="renew the tables of the page")
    arguments = parser.parse_args()
    if arguments.write:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables()), encoding="utf-8")
    else:
        texts = tables(arguments.price, arguments.grid, arguments.rows, arguments.dimensions)
        print(*texts.values(), sep="\n\n")


def _positive(text):
    with contextlib.suppress(ValueError):
        if 0.0 < float(text) < np.inf:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text} is no price: give US dollars for a core-hour, above 0")


def _count(text):
    with contextlib.suppress(ValueError):
        if 1.0 <= float(text) < np.inf and float(text).is_integer():
            return int(float(text))
    raise argparse.ArgumentTypeError(f"{text} is no count: give whole numbers from 1 on")


if __name__ == "__main__":
    main()
