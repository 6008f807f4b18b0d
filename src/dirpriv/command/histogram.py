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
HELP = "histogram of the hours of the day, from a released file"
DESCRIPTION = """\
Estimate how people's true times spread over the day or the week, from only a
released file and its guarantee. Each share has a 95 % interval, which holds for every
day. There is a warning if the reports could also come from evenly spread times."""
EPILOG = """\
examples:
  dirpriv histogram private.csv
  dirpriv histogram private.csv --plot private.png
  dirpriv histogram private.csv --bins 48 --csv shares.csv
  dirpriv histogram both.csv --column departure --plot departure.pdf

units: the table shows shares of the reporting people in percent, --csv as fractions
of 1.

intervals: they hold for every day. The share of the rows whose true time is in a bin
lies within its interval with a probability of at least 95 %. Each holds for one bin.
The estimate assumes a smooth day; where it lies outside of its interval, trust the
interval.

--intervals smooth has narrower ones, which assume one row per person and a smooth
day. In simulations of smooth days, 90 to 100 % of them held the true share (24 bins,
3000 reports, levels from 0.1 to 10 within 3h). On other days fewer held, mostly
without a warning: 78 to 91 % for even hours from 9 to 17 h, 67 to 87 % for a
timetable, 35 to 90 % for three clock times, and for two peaks of 6 minutes from none
(level 0.1) to all (level 10). More reports do not help. Their lower limit of a bin
without people is often above 0."""

TYPICAL_HOURS = 1.2  # of a day or a week: over this time, a density is expected to change by about 1
BAR = 30  # characters of the longest bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    private_file.add_file(parser)
    bins = "bins of equal width, as 24, 48 or 96 for a day, 7, 28 or 56 for a week (24, 7)"
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
        f"Estimated share of the people in each bin, with {confidence} intervals",
        "",
        *_table(found, names),
        "",
        "In the bars, o is the estimate, - its interval, and # everything below the interval.",
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
