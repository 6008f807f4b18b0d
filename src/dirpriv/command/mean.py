"""``dirpriv mean``: the mean time of people, from a released file and its guarantee."""

import argparse
import math
from typing import TYPE_CHECKING, Any

from dirpriv._lib import words
from dirpriv.command import private_file

if TYPE_CHECKING:
    from dirpriv.estimators import PrivateMean
    from dirpriv.release import TimeColumn

HELP = "estimate the mean time from a released file"
DESCRIPTION = """\
Estimate the circular mean of people's true times, with a 95 % confidence interval. The
input is a released file and its guarantee. The interval is the whole day if the reports
do not determine a mean."""
EPILOG = """\
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
each. Fisher's method combines the Rayleigh tests of different levels."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    private_file.add_files(parser, "several have one mean")
    private_file.add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    private_file.check_outputs(arguments)
    from dirpriv.estimators import private_mean
    from dirpriv.release import TimeColumn

    results = []
    groups, left_out = private_file.read(arguments, TimeColumn)
    lines = [*left_out]
    for name, parts in groups.items():
        result, warnings = private_mean(**private_file.releases(parts)), private_file.twice(parts)
        lines += [*private_file.heading(parts, name), "", *_table(result, parts[0].column), ""]
        lines += [*private_file.cautions(parts), *warnings, *[""] * (name is not None)]
        of = document(result, parts[0].column)
        results.append(private_file.described(name, parts, result, warnings, **of))
    private_file.finish(arguments, lines, {"warnings": left_out, "results": results})


def described(result: "PrivateMean", column: "TimeColumn") -> str:
    period, confidence = column.release().period, f"{words.percent(result.confidence, 0)} confidence interval"
    if result.whole_circle:
        return f"unknown, {confidence}: {whole(period)}"
    angles = result.angle, result.low, result.high
    mean, low, high = (words.clock(angle / math.tau * period, period) for angle in angles)
    return f"{mean}, {confidence} {low} to {high}"


def _table(result: "PrivateMean", column: "TimeColumn") -> list[str]:
    confidence = f"{words.percent(result.confidence, 0)} confidence interval"
    same = "at the same time" if column.kind == "time" else "the same"
    ends = f"{result.resultant_low:.2f} to {result.resultant_high:.2f}"
    length = f"{result.resultant:.2f}, {confidence} {ends} (1: all {same}; 0: no mean)"
    test = f"p {words.p_value(result.p_value)} (null hypothesis: uniform {column.kind}s)"
    rows = [[f"mean {column.kind}", described(result, column)], ["mean resultant length", length]]
    return words.table([*rows, ["Rayleigh test", test]])


def whole(period: float) -> str:
    return "the whole " + {words.WEEK: "week", words.TURN: "circle"}.get(period, "day")


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
