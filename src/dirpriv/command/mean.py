"""``dirpriv mean``: the mean time of people, from a released file and its guarantee."""

import argparse
import math

from dirpriv._lib import words
from dirpriv.command import private_file, terminal

NAME = "mean"
HELP = "mean time with an interval, from a released file"
DESCRIPTION = """\
Estimate the circular mean of people's true times, from only a released file and its
guarantee, with a 95 % interval. The interval is the whole day if the reports show
no mean."""
EPILOG = """\
examples:
  dirpriv mean private.csv
  dirpriv mean both.csv --column departure

units: times of day (or of the week), or degrees. The concentration is the length of
the mean vector: 1 if all people have the same time, 0 if there is no mean.

intervals: both hold for every day and every number of reports: for the people who
reported, and for those they are a random sample of. The mean time is
"the whole day" until the reports exclude a direction: at level 1 within 3h, with 10
reports always, with 300 hardly ever."""


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
    confidence = f"{words.percent(found.confidence, 0)} interval"
    mean = f"{time(found.angle)}, {confidence} {time(found.low)} to {time(found.high)}"
    if found.whole_circle:
        mean = f"unknown, {confidence} the whole {turn}"
    same = "at the same time" if column.kind == "time" else "the same"
    ends = f"{found.resultant_low:.2f} to {found.resultant_high:.2f}"
    concentration = f"{found.resultant:.2f}, {confidence} {ends} (1: all {same}; 0: no mean)"
    test = f"p {words.p_value(found.p_value)} (null hypothesis: evenly spread {column.kind}s)"
    rows = [[f"mean {column.kind}", mean], ["concentration", concentration], ["Rayleigh test", test]]
    head = [private_file.heading(arguments, column, found.count), ""]
    terminal.show([*head, *words.table(rows), "", *private_file.cautions(guarantee)])
