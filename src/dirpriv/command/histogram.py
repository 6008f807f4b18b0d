"""``dirpriv histogram``: how times spread over the day, from a released file and its guarantee."""

import argparse
import functools
import math
from typing import TYPE_CHECKING

from dirpriv._lib import words
from dirpriv.command import options, private_file, terminal

if TYPE_CHECKING:
    from dirpriv.estimators import PrivateHistogram

NAME = "histogram"
HELP = "estimate a histogram of times from a released file"
DESCRIPTION = """\
Estimate a histogram of people's true times of the day or week. The input is a released
file and its guarantee. Each share has a 95 % confidence interval, without assumptions
about the true times. A warning appears if uniform times could explain the reports."""
EPILOG = """\
examples:
  dirpriv histogram private.csv
  dirpriv histogram private.csv --plot private.png
  dirpriv histogram private.csv --bins 48 --csv shares.csv
  dirpriv histogram both.csv --column departure --plot departure.pdf

units: the table shows shares of the rows in percent. --csv contains fractions of 1.

intervals: each interval contains the true share of its bin with a probability of at
least 95 %. This holds for every distribution of the true times, for one bin at a time.
The estimate itself assumes a smooth density. It can be outside of its interval. Then
rely on the interval.

--intervals smooth computes narrower intervals. They assume a smooth density and one
row per person. In simulations with smooth densities, 90 to 100 % of these intervals
contained the true share (24 bins, 3000 reports, levels from 0.1 to 10 within 3h).
Densities with jumps or peaks give fewer correct intervals, mostly without a warning:
  uniform from 9 to 17 h  78 to 91 %
  a timetable             67 to 87 %
  three clock times       35 to 90 %
  two peaks of 6 minutes  0 % (level 0.1) to 100 % (level 10)
More reports do not help. The lower limit of an empty bin is often above 0."""

TYPICAL_HOURS = 1.2  # of a day or a week: over this time, a density is expected to change by about 1
BAR = 30  # characters of the longest bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    private_file.add_file(parser)
    bins = "number of equal bins (24 for a day, 7 for a week)"
    parser.add_argument("--bins", type=options.whole_number, help=bins)
    private_file.add_intervals(parser, "day")
    private_file.add_outputs(parser)


def run(arguments: argparse.Namespace) -> None:
    private_file.check_outputs(arguments)
    from dirpriv.estimators.private_histograms import private_histogram
    from dirpriv.pictures.times import draw_histogram
    from dirpriv.release.document import TimeColumn

    guarantee, column, reports = private_file.read(arguments, TimeColumn)
    release = column.release()
    usual = 7 if release.period == words.WEEK else 24
    bins = usual if arguments.bins is None else arguments.bins
    width = TYPICAL_HOURS / (24.0 if column.kind == "heading" else release.period) * math.tau
    found = private_histogram(
        reports.angles,
        release.law,
        bins=bins,
        typical_width=width,
        weights=reports.counts,
        intervals=arguments.intervals,
    )
    names = private_file.bin_names(found.edges, release.period)
    confidence = words.percent(found.confidence, 0)
    lines = [
        private_file.heading(arguments, column, found.count),
        f"Estimated share of the rows in each bin, with {confidence} confidence intervals",
        "",
        *_table(found, names),
        "",
        "Bars: o is the estimate, - the interval, # the range below the interval.",
        *private_file.held(found, guarantee, "bin", "day", "timetables or a few distinct times"),
        *words.warning(found.warning),
    ]
    values = zip(found.shares, found.low, found.high, strict=True)
    rows = ((*name, *(f"{value:.6g}" for value in row)) for name, row in zip(names, values, strict=True))
    title = arguments.title or f"Estimated {column.kind}s of '{column.name}'"
    promise = words.level_within(column.level, column.within)
    draw = functools.partial(draw_histogram, found, period=release.period, title=title, guarantee=promise)
    written = private_file.write(arguments, ("from", "to", "share", "low", "high"), rows, draw)
    terminal.show([*lines, *written])


def _table(found: "PrivateHistogram", names: list[tuple[str, str]]) -> list[str]:
    scale = BAR / float(found.high.max())
    rows = []
    for (first, last), share, low, high in zip(names, found.shares, found.low, found.high, strict=True):
        begin, middle, end = (round(scale * float(place)) for place in (low, share, high))
        bar = "#" * begin + "-" * (end - begin)
        bar = bar[:middle].ljust(middle) + "o" + bar[middle + 1 :]
        rows.append([f"{first}-{last}", *private_file.percents(share, low, high), bar])
    return words.table(rows, right=(1, 2, 3))
