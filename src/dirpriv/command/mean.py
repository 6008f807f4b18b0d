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

intervals: all intervals hold for every distribution of the true times and every number
of reports. The mean is that of the rows. The mean of a population has a wider interval.
It assumes that the people are a random sample and have one row each, and is left out if
a person can have several rows. With few reports, the interval of the mean is the whole
day: at level 1 within 3h often with 10 reports, and almost never with 100. If the
density has several peaks for certain, as in 'dirpriv histogram', they are named.

several files: the mean is of the rows of all files. A person in several files counts in
each. Fisher's method combines the Rayleigh tests of different levels.
"""

import argparse
import math
import textwrap
from typing import TYPE_CHECKING, Any

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib import formatting
from dirpriv.command import histogram, released_files

if TYPE_CHECKING:
    from dirpriv.estimators import MeanEstimate
    from dirpriv.release import TimeColumn


SEVERAL_ROWS = "The intervals are of the rows. A person can have several of them, so there is no interval of a "
SEVERAL_ROWS += "population. The test assumes one row per person."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    released_files.add_files(parser, "several have one mean")
    released_files.add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    released_files.check_outputs(arguments)
    from dirpriv.estimators import estimate_mean

    results = []
    groups, left_out = released_files.read(arguments, "times")
    lines = [*left_out]
    for name, parts in groups.items():
        reports, several = released_files.releases(parts), bool(released_files.cautions(parts))
        result, warnings = estimate_mean(**reports), released_files.twice(parts)
        population = None if several else estimate_mean(**reports, of="population")
        peaks = textwrap.wrap(_peaks(reports, parts[0].column.release().period), 83)
        lines += [*released_files.heading(parts, name), *peaks, "", *_table(result, population, parts[0].column), ""]
        lines += [*textwrap.wrap(SEVERAL_ROWS * several, 83), *warnings, *[""] * (name is not None)]
        of = document(result, parts[0].column, population)
        results.append(released_files.described(name, parts, result, warnings, **of))
    released_files.finish(arguments, lines, {"warnings": left_out, "results": results})


def _peaks(reports: dict[str, Any], period: float) -> str:
    """Where there are several peaks for certain: that a single mean says little."""
    from dirpriv.estimators.density_bands import estimate_density_band

    try:
        band = estimate_density_band(**reports)
    except InvalidArgument:  # no blur is enough
        return ""
    return f"{histogram.peaks(band, period)} A mean says little about it." if len(band.peaks) > 1 else ""


def described(result: "MeanEstimate", column: "TimeColumn") -> str:
    period, confidence = column.release().period, f"{formatting.percent(result.confidence, 0)} confidence interval"
    if result.whole_circle:
        return f"unknown, {confidence}: {whole(period)}"
    angles = result.angle, result.low, result.high
    mean, low, high = (formatting.clock(angle / math.tau * period, period) for angle in angles)
    return f"{mean}, {confidence} {low} to {high}"


def _table(result: "MeanEstimate", population: "MeanEstimate | None", column: "TimeColumn") -> list[str]:
    confidence = f"{formatting.percent(result.confidence, 0)} confidence interval"
    same = "at the same time" if column.kind == "time" else "the same"
    ends = f"{result.resultant_low:.2f} to {result.resultant_high:.2f}"
    length = f"{result.resultant:.2f}, {confidence} {ends} (1: all {same}; 0: no mean)"
    test = f"p {formatting.p_value(result.p_value)} (null hypothesis: uniform {column.kind}s)"
    rows = [[f"mean {column.kind} of the rows", described(result, column)]]
    if population:
        rows.append(["of a population", described(population, column)])
    rows.append(["mean resultant length", length])
    return formatting.table([*rows, ["Rayleigh test", test]])


def whole(period: float) -> str:
    return "the whole " + {formatting.WEEK: "week", formatting.TURN: "circle"}.get(period, "day")


def document(result: "MeanEstimate", column: "TimeColumn", population: "MeanEstimate | None" = None) -> dict[str, Any]:
    """What ``--json`` says of a mean: hours since midnight or Monday, or degrees; no ends where unknown."""
    unit, means = column.release().period / math.tau, {}
    for name, of in (("mean", result), ("population_mean", population)):
        if of:
            value, low, high = (None if of.whole_circle else end * unit for end in (of.angle, of.low, of.high))
            means[name] = {"value": value, "low": low, "high": high}
    ends = {"low": result.resultant_low, "high": result.resultant_high}
    return {**means, "resultant": {"value": result.resultant, **ends}, "rayleigh_p": result.p_value}
