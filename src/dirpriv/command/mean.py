"""``dirpriv mean``: the mean time of people, from a released file and its guarantee."""

import argparse
import math

from dirpriv._lib import words
from dirpriv.command import private_file, terminal

NAME = "mean"
HELP = "estimate the mean time from a released file"
DESCRIPTION = """\
Estimate the circular mean of people's true times, with a 95 % confidence interval. The
input is a released file and its guarantee. The interval is the whole day if the reports
do not determine a mean."""
EPILOG = """\
examples:
  dirpriv mean private.csv
  dirpriv mean both.csv --column departure

units: times of the day or week, or degrees. The concentration is the length of the mean
vector. It is 1 if all people have the same time, and 0 if there is no mean.

intervals: both intervals hold for every distribution of the true times and every number
of reports. They hold for the reporting people, and for the population of which these
people are a random sample. With few reports, the interval of the mean is the whole day:
at level 1 within 3h always with 10 reports, and almost never with 300."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    private_file.add_file(parser)


def run(arguments: argparse.Namespace) -> None:
    from dirpriv.estimators import private_mean
    from dirpriv.release import TimeColumn

    guarantee, column, reports = private_file.read(arguments, TimeColumn)
    release = column.release()
    found = private_mean(reports.angles, release.law, weights=reports.counts)
    hours = release.period / math.tau

    def time(angle: float) -> str:
        return words.clock(angle * hours, release.period)

    turn = {words.WEEK: "week", words.TURN: "circle"}.get(release.period, "day")
    confidence = f"{words.percent(found.confidence, 0)} confidence interval"
    mean = f"{time(found.angle)}, {confidence} {time(found.low)} to {time(found.high)}"
    if found.whole_circle:
        mean = f"unknown, {confidence}: the whole {turn}"
    same = "at the same time" if column.kind == "time" else "the same"
    ends = f"{found.resultant_low:.2f} to {found.resultant_high:.2f}"
    concentration = f"{found.resultant:.2f}, {confidence} {ends} (1: all {same}; 0: no mean)"
    test = f"p {words.p_value(found.p_value)} (null hypothesis: uniform {column.kind}s)"
    rows = [[f"mean {column.kind}", mean], ["concentration", concentration], ["Rayleigh test", test]]
    head = [private_file.heading(arguments, column, found.count), ""]
    terminal.show([*head, *words.table(rows), "", *private_file.cautions(guarantee)])
