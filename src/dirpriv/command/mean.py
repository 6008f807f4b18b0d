"""Estimate the mean time from a released file.

Estimate the circular mean of people's true times, with a 95 % confidence interval. The
input is a released file and its guarantee. The interval is the whole day if the reports
do not determine a mean.

examples:
  dirpriv mean private.csv
  dirpriv mean both.csv --column departure
  dirpriv mean monday.csv tuesday.csv
  dirpriv mean kept.csv --by department --json means.json

units: times of the day or week, or degrees. The mean resultant length is the length of
the mean of the people's unit vectors. It is 1 if all people have the same time, and 0
if there is no mean.

intervals: both intervals hold for every distribution of the true times and every number
of reports. They hold for the reporting people, and for the population of which these
people are a random sample. With few reports, the interval of the mean is the whole day:
at level 1 within 3h always with 10 reports, and almost never with 300.

several files: the mean is of the rows of all files. A person in several files counts in
each. Fisher's method combines the Rayleigh tests of different levels.
"""

import argparse
import math
from typing import TYPE_CHECKING, Any

from dirpriv._lib import formatting
from dirpriv.command import released_files

if TYPE_CHECKING:
    from dirpriv.estimators import PrivateMean
    from dirpriv.release import TimeColumn


def add_arguments(parser: argparse.ArgumentParser) -> None:
    released_files.add_files(parser, "several have one mean")
    released_files.add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    released_files.check_outputs(arguments)
    from dirpriv.estimators import private_mean
    from dirpriv.release import TimeColumn

    results = []
    groups, left_out = released_files.read(arguments, TimeColumn)
    lines = [*left_out]
    for name, parts in groups.items():
        result, warnings = private_mean(**released_files.releases(parts)), released_files.twice(parts)
        lines += [*released_files.heading(parts, name), "", *_table(result, parts[0].column), ""]
        lines += [*released_files.cautions(parts), *warnings, *[""] * (name is not None)]
        of = document(result, parts[0].column)
        results.append(released_files.described(name, parts, result, warnings, **of))
    released_files.finish(arguments, lines, {"warnings": left_out, "results": results})


def described(result: "PrivateMean", column: "TimeColumn") -> str:
    period, confidence = column.release().period, f"{formatting.percent(result.confidence, 0)} confidence interval"
    if result.whole_circle:
        return f"unknown, {confidence}: {whole(period)}"
    angles = result.angle, result.low, result.high
    mean, low, high = (formatting.clock(angle / math.tau * period, period) for angle in angles)
    return f"{mean}, {confidence} {low} to {high}"


def _table(result: "PrivateMean", column: "TimeColumn") -> list[str]:
    confidence = f"{formatting.percent(result.confidence, 0)} confidence interval"
    same = "at the same time" if column.kind == "time" else "the same"
    ends = f"{result.resultant_low:.2f} to {result.resultant_high:.2f}"
    length = f"{result.resultant:.2f}, {confidence} {ends} (1: all {same}; 0: no mean)"
    test = f"p {formatting.p_value(result.p_value)} (null hypothesis: uniform {column.kind}s)"
    rows = [[f"mean {column.kind}", described(result, column)], ["mean resultant length", length]]
    return formatting.table([*rows, ["Rayleigh test", test]])


def whole(period: float) -> str:
    return "the whole " + {formatting.WEEK: "week", formatting.TURN: "circle"}.get(period, "day")


def document(result: "PrivateMean", column: "TimeColumn") -> dict[str, Any]:
    """What ``--json`` says of a mean: hours since midnight or Monday, or degrees; no ends where unknown."""
    unit = column.release().period / math.tau
    low, high = (None if result.whole_circle else end * unit for end in (result.low, result.high))
    ends = {"low": result.resultant_low, "high": result.resultant_high}
    return {
        "mean": {"value": None if result.whole_circle else result.angle * unit, "low": low, "high": high},
        "resultant": {"value": result.resultant, **ends},
        "rayleigh_p": result.p_value,
    }
