"""Estimate a histogram of times from a released file.

Estimate a histogram of people's true times of the day or week. The input is a released
file and its guarantee. Each share has a 95 % confidence interval, without assumptions
about the true times. A warning appears if uniform times could explain the reports.

examples:
  dirpriv histogram private.csv
  dirpriv histogram private.csv --plot private.png
  dirpriv histogram private.csv --bins 48 --csv shares.csv
  dirpriv histogram both.csv --column departure --plot departure.pdf
  dirpriv histogram monday.csv tuesday.csv --json day.json
  dirpriv histogram kept.csv --by department --plot departments.png

units: the table shows shares of the rows in percent. --csv and --json contain fractions
of 1.

several files: shares are of the rows of all files. The levels can differ. The intervals
hold as for one file. A person in several files counts in each. The estimate is the
weighted mean of the estimates for each level. A copy of a file is refused.

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
More reports do not help. The lower limit of an empty bin is often above 0.
"""

import argparse
import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dirpriv._lib import formatting
from dirpriv.command import options, released_files

if TYPE_CHECKING:
    from dirpriv.estimators import PrivateHistogram


TYPICAL_HOURS = 1.2  # of a day or a week: over this time, a density is expected to change by about 1
BAR = 30  # characters of the longest bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    released_files.add_files(parser, "several give one histogram")
    add_bins(parser)
    released_files.add_outputs(parser)


def add_bins(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bins", type=options.whole_number, help="number of equal bins (24 for a day, 7 for a week)")
    released_files.add_intervals(parser, "day")


def run(arguments: argparse.Namespace) -> None:
    released_files.check_outputs(arguments)
    from dirpriv.pictures.times import draw_histogram
    from dirpriv.release.guarantee.columns import TimeColumn

    drawn, rows, results = {}, [], []
    groups, left_out = released_files.read(arguments, TimeColumn)
    lines = [*left_out]
    for name, parts in groups.items():
        estimate = estimated(arguments, parts)
        column, bins = parts[0].column, bins_of(estimate, parts)
        warnings = [*formatting.warning(estimate.warning), *released_files.twice(parts)]
        confidence = formatting.percent(estimate.confidence, 0)
        lines += [
            *released_files.heading(parts, name),
            f"Estimated share of the rows in each bin, with {confidence} confidence intervals",
            "",
            *_table(bins),
            "",
            "Bars: o is the estimate, - the interval, # the range below the interval.",
            *released_files.notes(estimate, parts, "bin", "day", "timetables or a few distinct times"),
            *warnings,
            *[""] * (name is not None),
        ]
        shares = {"intervals": estimate.intervals, "bins": bins}
        results.append(released_files.described(name, parts, estimate, warnings, **shares))
        rows += released_files.rows(bins, name)
        drawn[f"{arguments.by} {name}"] = estimate
    title = arguments.title or f"Estimated {column.kind}s of '{column.name}'"
    about = {"period": column.release().period, "title": title, "guarantee": released_files.promise(parts)}
    draw = functools.partial(draw_histogram, estimate if arguments.by is None else drawn, **about)
    released_files.finish(arguments, lines, {"warnings": left_out, "results": results}, rows, draw)


def estimated(arguments: argparse.Namespace, parts: "Sequence[released_files.FilePart]") -> "PrivateHistogram":
    """The histogram of the people of all parts."""
    from dirpriv.estimators.private_histograms import private_histogram

    period, heading = parts[0].column.release().period, parts[0].column.kind == "heading"
    bins = (7 if period == formatting.WEEK else 24) if arguments.bins is None else arguments.bins
    width = TYPICAL_HOURS / (24.0 if heading else period) * math.tau
    how = {"bins": bins, "typical_width": width, "intervals": arguments.intervals}
    return private_histogram(**released_files.releases(parts), **how)


def bins_of(estimate: "PrivateHistogram", parts: "Sequence[released_files.FilePart]") -> list[dict[str, Any]]:
    """Each bin with its ends, its share and the interval."""
    names = released_files.bin_names(estimate.edges, parts[0].column.release().period)
    values = zip(estimate.shares.tolist(), estimate.low.tolist(), estimate.high.tolist(), strict=True)
    keys = "from", "to", "share", "low", "high"
    return [dict(zip(keys, (*ends, *of), strict=True)) for ends, of in zip(names, values, strict=True)]


def _table(bins: list[dict[str, Any]]) -> list[str]:
    scale, rows = BAR / max(each["high"] for each in bins), []
    for first, last, share, low, high in (each.values() for each in bins):
        begin, middle, end = (round(scale * place) for place in (low, share, high))
        bar = "#" * begin + "-" * (end - begin)
        bar = bar[:middle].ljust(middle) + "o" + bar[middle + 1 :]
        rows.append([f"{first}-{last}", *released_files.percents(share, low, high), bar])
    return formatting.table(rows, right=(1, 2, 3))
