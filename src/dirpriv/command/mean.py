"""``dirpriv mean``: the mean time of people, from a released file and its guarantee."""

import argparse
import math

from dirpriv._lib import words
from dirpriv.command import private_file, terminal

NAME = "mean"
HELP = "mean time with an interval, from a released file"
DESCRIPTION = """\
Estimate the circular mean of the true times of people, from a released file and
its guarantee alone, with a 95 % interval. It is the whole day if the reports do
not show a mean."""
EPILOG = """\
examples:
  dirpriv mean private.csv
  dirpriv mean both.csv --column departure

units: times of day (or of the week). The concentration is the length of the mean
vector: 1 if all have one time, 0 if there is no mean. The intervals take the rows
for reports of different people.

intervals: 94 to 98 % of those of the mean time hold the true one, from 10 reports
on, if "the whole day" counts as right. Of those that are not the whole day, 3 to
64 % miss it with 10 reports, and 4 to 41 % with 100, most at level 0.1 within 3h.
Of the intervals of the concentration, 55 to 93 % hold with 10 reports, 78 to 97 %
with 30, and 91 to 98 % with 100."""


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

    what = "week" if release.period == words.WEEK else "day"
    confidence = f"{words.percent(found.confidence, 0)} interval"
    mean = f"{time(found.angle)}, {confidence} {time(found.low)} to {time(found.high)}"
    if found.whole_circle:
        mean = f"the whole {what}: nothing is known"
    ends = f"{found.resultant_low:.2f} to {found.resultant_high:.2f}"
    concentration = f"{found.resultant:.2f}, {confidence} {ends} (1: all at one time; 0: no mean)"
    test = f"p {words.p_value(found.p_value)} that evenly spread people report so, or with more of a mean"
    rows = [["mean time", mean], ["concentration", concentration], ["Rayleigh test", test]]
    head = [private_file.heading(arguments, column, found.count), ""]
    terminal.show([*head, *words.table(rows), "", *private_file.cautions(guarantee)])
