"""Estimate a histogram of times, or of items of a list, from a released file.

Estimate the density of people's true times of the day or week, seen through a blur, and
the shares of bins; or the shares of the items of a public list. The input is a released
file and its guarantee. The 95 % intervals need no assumptions about the true times or
items. A warning appears if uniform times could explain the reports.

examples:
  dirpriv histogram private.csv
  dirpriv histogram private.csv --plot private.png
  dirpriv histogram private.csv --bins 6 --csv shares.csv
  dirpriv histogram both.csv --column departure --plot departure.pdf
  dirpriv histogram monday.csv tuesday.csv --json day.json
  dirpriv histogram kept.csv --by department --plot departments.png
  dirpriv histogram private.csv --edges hard --bins 48 --csv shares.csv
  dirpriv histogram private.csv --cumulative
  dirpriv histogram visited.csv --items venues.csv --json shares.json

units: the table shows shares of the rows in percent. --csv and --json contain fractions
of 1. A blur is a duration, or degrees of headings.

blur: noise of hours hides whether a person came at 8:59 or 9:01. So the day is shown
through a blur of width H, a moving average over H, three times: a person becomes a bump
that reaches 1.5 H to both sides. Two peaks that are nearer than 1.5 H can look like
one. The bins of the table are soft: a row counts in the bins around it, with weights
that add up to 1.

choice of the blur: without --blur, it follows from the number of reports and the noise.
An interval holds for a blur that was chosen before the reports were seen. If you try
several blurs or numbers of bins, give their number with --blurs. Peaks are named that
the blurred density has for certain. Such a peak can lie where nobody came. Few reports
at a low level support no curve. Then the command says what is necessary.

--cumulative also prints which share of the rows has come by about each time, with the
median and the quartiles. "By about 9:00" has a tolerance, half a bin: at most U is
before 9:00 minus the tolerance, and at least L before 9:00 plus the tolerance. With
--edges hard there is no tolerance, and wide intervals.

items: the table shows the ten largest shares. --csv and --json contain all. The public
list is in the guarantee. Give it as --items to check this: another list is refused.
Options for blurs, bins and pictures are for times.

several files: shares are of the rows of all files, whose levels of times can differ. A
person in several files counts in each. The estimate is the weighted mean of those for
each level. A copy of a file is refused.

intervals: each interval contains the true share of its bin, or the true density at its
time, with a probability of at least 95 %. This holds for every distribution of the true
times, for one bin or time. The light band of the picture holds at all times together.
The estimate itself assumes a smooth density. Where it is outside of its interval, rely
on the interval.

--intervals smooth computes narrower intervals of bins with hard edges. They assume a
smooth density and one row per person. In simulations with smooth densities, 90 to 100 %
of these intervals contained the true share (24 bins, 3000 reports, levels from 0.1 to
10 within 3h). Densities with jumps or peaks give fewer correct intervals, mostly
without a warning:
  uniform from 9 to 17 h  78 to 91 %
  a timetable             67 to 87 %
  three clock times       35 to 90 %
  two peaks of 6 minutes  0 % (level 0.1) to 100 % (level 10)
More reports do not help. The lower limit of an empty bin is often above 0.
"""

import argparse
import dataclasses
import functools
import math
import textwrap
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib import formatting
from dirpriv.command import options, released_files, terminal

if TYPE_CHECKING:
    from dirpriv.estimators import HistogramEstimate


ERROR = 0.05  # of intervals through blurs, all that are tried together
FEWEST, MOST = 3, 168  # soft bins
SHOWN = 10  # largest shares of items in the printed table
BARS = "Bars: o is the estimate, - the interval, # the range below the interval."
ITEMS = "Each interval holds for one item that was chosen before the reports were seen, without assumptions about the "
ITEMS += "people. Shares are of the rows. Items at the same place cannot be told apart."


class Answer(NamedTuple):
    """An estimate, what is drawn of it, and texts about it."""

    estimate: "HistogramEstimate"
    drawn: Any  # HistogramEstimate or DensityBand, or None
    document: dict[str, Any]  # for --json, with the bins
    about: list[str]  # what the table of bins is, in lines
    notes: list[str]  # in lines, first why nothing is drawn


def add_arguments(parser: argparse.ArgumentParser) -> None:
    released_files.add_files(parser, "several give one histogram")
    add_bins(parser)
    options.add_settings(parser, "items", texts={"items": "public list of items, to check that of the guarantee"})
    parser.add_argument("--cumulative", action="store_true", help="also shares by about each time, and quartiles")
    released_files.add_outputs(parser)


def add_bins(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--blur", metavar="WIDTH", help="width of the blur, such as 2h or 15deg, chosen without the reports")
    released_files.add_edges(parser, "bin")
    bins = "number of equal bins (as many as the blur allows; with hard edges 24, or 7 for a week)"
    add("--bins", type=options.whole_number, help=bins)
    released_files.add_intervals(parser, "day")


def run(arguments: argparse.Namespace) -> None:
    released_files.check_outputs(arguments)
    from dirpriv.pictures import times

    drawn, rows, results = {}, [], []
    groups, left_out = released_files.read(arguments, "times or items")
    if next(iter(groups.values()))[0].column.kind == "item":
        return _items(arguments, groups, left_out)
    if arguments.items is not None:
        raise options.Misuse(f"--items is for items, and {arguments.files[0]!r} has times")
    lines = [*left_out]
    for name, parts in groups.items():
        (answer,), _ = answered(arguments, {name: parts})
        estimate, column, bins = answer.estimate, parts[0].column, answer.document["bins"]
        shares, document = _cumulative(arguments, parts, estimate) if arguments.cumulative else ([], {})
        warnings = [*formatting.warning(estimate.warning), *released_files.twice(parts)]
        lines += [*released_files.heading(parts, name), *answer.about, "", *table(bins), ""]
        lines += [BARS, *released_files.notes(estimate, parts, "bin", "day", "timetables or a few distinct times")]
        lines += [*answer.notes, *warnings, *shares, *[""] * (name is not None)]
        results.append(released_files.described(name, parts, estimate, warnings, **answer.document, **document))
        rows += released_files.rows(bins, name)
        if answer.drawn is not None:
            drawn[f"{arguments.by} {name}"] = answer.drawn
    if arguments.plot is not None and not drawn:
        raise options.Misuse(f"--plot has nothing to draw. {' '.join(answer.notes)}")
    title = arguments.title or f"Estimated {column.kind}s of '{column.name}'"
    look = {"period": column.release().period, "title": title, "guarantee": released_files.promise(parts)}
    picture = times.draw_density_band if answer.estimate.blur else times.draw_histogram
    draw = functools.partial(picture, answer.drawn if arguments.by is None else drawn, **look)
    released_files.finish(arguments, lines, {"warnings": left_out, "results": results}, rows, draw)


def _items(arguments: argparse.Namespace, groups: released_files.ReportGroups, left_out: list[str]) -> None:
    """Shares of the items of a list: of the rows of each group, the largest first."""
    from dirpriv.estimators import estimate_item_shares
    from dirpriv.release.files.settings_to_columns import public_list

    for name in "blur blurs edges bins cumulative intervals plot title".split():
        if getattr(arguments, name) != arguments.parser.get_default(name):
            raise options.Misuse(f"--{name} is for times, and {arguments.files[0]!r} has items")
    lines, rows, results = [*left_out], [], []
    for name, parts in groups.items():
        column, release, warnings = parts[0].column, parts[0].column.release(), released_files.twice(parts)
        if len({(of.column.level, of.column.radius, of.column.release().sha256) for of in parts}) > 1:
            raise options.Misuse("the files have different lists or levels: estimate the shares of each on its own")
        listed = column.items, column.latitude, column.longitude
        if arguments.items is not None and tuple(public_list(arguments.items)) != listed:
            rule = f"is another list; the guarantee has SHA-256 {release.sha256}"
            raise options.Misuse(f"--items {arguments.items} {rule}")
        with terminal.progress() as say:
            say("histogram: estimating the shares")
            counts = sum(of.reports.counts for of in parts)
            estimate = estimate_item_shares(range(column.cells), release.noise, weights=counts)
        items = released_files.records(item=release.items, share=estimate.shares, low=estimate.low, high=estimate.high)
        items.sort(key=lambda of: -of["share"])
        about = f"Estimated shares of {len(items[:SHOWN])} of {len(items)} items, with 95 % confidence intervals"
        lines += [*released_files.heading(parts, name), about, "", *table(items[:SHOWN]), "", BARS]
        lines += [*textwrap.wrap(ITEMS, 83), *warnings, *[""] * (name is not None)]
        results.append(released_files.described(name, parts, estimate, warnings, sha256=release.sha256, items=items))
        rows += released_files.rows(items, name)
    released_files.finish(arguments, lines, {"warnings": left_out, "results": results}, rows)


def answered(arguments: argparse.Namespace, groups: released_files.ReportGroups) -> tuple[list[Answer], Any]:
    """Bins of one group or of two, their densities through one blur, if they support one, and the difference of two."""
    from dirpriv.estimators.histogram_estimates import estimate_histogram

    every = [part for parts in groups.values() for part in parts]
    column, soft = every[0].column, released_files.is_soft(arguments)
    period, confidence, reports = column.release().period, 1.0 - ERROR, [*map(released_files.releases, groups.values())]
    # a density is expected to change by about 1 over 1.2 h of a day or a week
    how: dict[str, Any] = {"typical_width": 1.2 / (24.0 if column.kind == "heading" else period) * math.tau}
    about = f"Estimated share of the rows in each bin, with {formatting.percent(confidence, 0)} confidence intervals"
    days, bins, notes = None, 7 if period == formatting.WEEK else 24, list[str]()
    if soft and (cells := min(part.column.release().cells for part in every)) < 2 * FEWEST:
        soft, bins = False, cells
        notes = [f"No curve: {cells} cells are too coarse. Release at least {2 * FEWEST}. The bins have hard edges."]
    elif soft:
        labels = dict(zip(("first", "second"), map(released_files.shown, groups), strict=False))
        days, bins, notes = _seen(arguments, column, reports, labels, confidence=confidence, **how)
        how["edges"] = "soft"
    bands, answers = [days] if len(groups) == 1 else [days and days.first, days and days.second], []
    how |= {"bins": bins if arguments.bins is None else arguments.bins, "intervals": arguments.intervals}
    how["confidence"] = 1.0 - ERROR / arguments.blurs
    for of, band in zip(reports, bands, strict=True):
        estimate = dataclasses.replace(estimate_histogram(**of, **how), confidence=confidence)  # of all blurs tried
        shares = bins_of(estimate.edges, period, share=estimate.shares, low=estimate.low, high=estimate.high)
        document: dict[str, Any] = {"intervals": estimate.intervals, "bins": shares}
        width, text = estimate.blur / math.tau * period, about
        if soft:
            of_band = band and curve(band, "density", period) | {"peaks": _peaks(band, period)}
            document |= weights(width) | {"band": of_band}
            text += f", seen through a blur of {formatting.span(width, period)}: each row counts in the bins whose "
            text += f"middles are within {formatting.span(1.5 * width, period)}, with weights that add up to 1"
            if band and abs(band.blur - estimate.blur) > 1e-9:
                text += f". The blur of the curve is {formatting.span(band.blur / math.tau * period, period)}"
        answers.append(Answer(estimate, band if soft else estimate, document, textwrap.wrap(text, 83), notes))
    return answers, days


def _seen(arguments: argparse.Namespace, column: Any, reports: Any, labels: Any, **how: Any) -> tuple[Any, int, Any]:
    """The density of a group or the difference of two, through a blur that they support; bins for it; and texts."""
    from dirpriv._inputs import units
    from dirpriv.estimators.density_bands import estimate_density_band, estimate_density_difference

    period, heading, notes = column.release().period, column.kind == "heading", []
    how |= {"blurs": arguments.blurs, "rounding": (5.0 if heading else 0.5) / period * math.tau}
    if arguments.blur is not None:
        blur = units.quantity("blur", arguments.blur, units.ANGLE if heading else units.DURATION)
        how["blur"] = float(blur.hours(Fraction(period))) / period * math.tau
    days, bins = None, FEWEST
    try:
        if len(reports) == 1:
            days = estimate_density_band(**reports[0], **how)
        else:
            how |= {"first_weights": reports[0]["weights"], "second_weights": reports[1]["weights"]}
            both = (of[key] for of in reports for key in ("angles", "distribution"))
            days = estimate_density_difference(*both, **how)
        most, whole = math.floor(math.tau / days.blur + 1e-9), round(period if heading else 60.0 * period)
        bins = next(number for number in range(min(most, MOST), 0, -1) if whole % number == 0)  # of minutes or degrees
        if len(reports) == 1 and (text := peaks(days, period)):
            notes.append(text)
        if arguments.blur is None:
            supported = formatting.span(days.blur / math.tau * period, period)
            notes.append(f"The number of reports and the noise support a blur of {supported}.")
    except InvalidArgument as error:
        if error.argument == "blur":
            raise InvalidArgument("blur", error.rule, got=arguments.blur) from None  # not in radians
        if error.argument is not None:
            raise
        notes = [f"No curve: {error.text(lambda name, _: labels.get(name, name))}."]
    if (arguments.blur, arguments.bins, arguments.blurs) != (None, None, 1):
        several = f", and for up to {arguments.blurs} of them" if arguments.blurs > 1 else ""
        notes.append(f"The intervals hold for a blur that was chosen before the reports were seen{several}.")
    return days, bins, textwrap.wrap(" ".join(notes), 83)


def _peaks(band: Any, period: float) -> list[dict[str, str]]:
    """What ``--json`` says of the peaks of a density: about when they are, and between which times."""
    names = [[formatting.clock(at / math.tau * period, period) for at in peak] for peak in band.peaks]
    return [dict(zip(("time", "from", "to"), of, strict=True)) for of in names]


def peaks(band: Any, period: float) -> str:
    """The peaks of a density, in words; empty where none is certain."""
    names = [of["time"] for of in _peaks(band, period)]
    several = f"{len(names)} peaks, near" if len(names) > 1 else "a peak near"
    return f"With 95 %, the blurred density has {several} {' and '.join(names)}." if names else ""


def _cumulative(arguments: argparse.Namespace, parts: Any, estimate: "HistogramEstimate") -> tuple[Any, dict[str, Any]]:
    """Shares by about each time, the median and the quartiles, in lines, and what ``--json`` says of them."""
    from dirpriv.estimators.histogram_estimates import estimate_cumulative

    period, confidence = parts[0].column.release().period, 1.0 - ERROR / arguments.blurs
    how: dict[str, Any] = {"thresholds": 28 if period == formatting.WEEK else 24, "tolerance": estimate.blur / 2.0}
    unit, reports = period / math.tau, released_files.releases(parts)
    result = estimate_cumulative(**reports, **how, confidence=confidence)
    times = [formatting.clock(at * unit, period) for at in result.thresholds.tolist()]
    shares = released_files.records(time=times, low=result.low, high=result.high)
    ends = {share: [end * unit for end in result.quantile(share)] for share in (0.25, 0.5, 0.75)}
    quantiles = [{"share": share, "low": low, "high": high} for share, (low, high) in ends.items()]
    about = f" ± {formatting.span(result.tolerance * unit, period)}" if result.tolerance else ""
    table = [[f"by{' about' * bool(about)}", "at least", "at most"]]
    table += [[f"{of['time']}{about}", *map(formatting.percent, (of["low"], of["high"]))] for of in shares]
    for name, of in zip(("first quartile", "median", "third quartile"), quantiles, strict=True):
        clocks = [formatting.clock(of[end], period) if of[end] < period else "the end" for end in ("low", "high")]
        table.append([name, *clocks])
    document = {"tolerance": result.tolerance * unit, "shares": shares, "quantiles": quantiles}
    return ["", *formatting.table(table, right=(1, 2))], {"cumulative": document}


def weights(width: float) -> dict[str, Any]:
    """What ``--json`` says of soft bins and districts: how a row counts."""
    import numpy as np

    from dirpriv.estimators.place_intervals import spline

    places = np.linspace(-1.5, 1.5, 25)
    weights = released_files.records(offset=places * width, weight=spline(places))
    return {"edges": "soft", "blur": width, "weights": weights}


def curve(days: Any, value: str, period: float) -> dict[str, Any]:
    """What ``--json`` says of a density or a difference of densities, per hour or degree."""
    import numpy as np

    names, scale = (value, "low", "high", "low_everywhere", "high_everywhere"), math.tau / period
    times = [time for time, _ in released_files.bin_names(np.append(days.angles, math.tau), period)]
    at = released_files.records(time=times, **{name: getattr(days, name) * scale for name in names})
    return {"blur": days.blur / math.tau * period, "times": at}


def bins_of(edges: Any, period: float, **columns: Any) -> list[dict[str, Any]]:
    """Each bin with its ends, and what the columns have for it."""
    first, last = zip(*released_files.bin_names(edges, period), strict=True)
    return released_files.records(**{"from": first, "to": last}, **columns)


def table(bins: list[dict[str, Any]]) -> list[str]:
    """Bins or items with their shares and, where there are any, their intervals."""
    scale, rows = 30 / max(each.get("high", each["share"]) for each in bins), []
    for each in bins:
        values = [each["share"], each.get("low", each["share"]), each.get("high", each["share"])]
        middle, begin, end = (round(scale * place) for place in values)
        bar = "#" * begin + "-" * (end - begin)
        bar = bar[:middle].ljust(middle) + "o" + bar[middle + 1 :]
        names = [text for key, text in each.items() if key not in ("share", "low", "high", "unblurred")]
        rows.append(["-".join(names), *released_files.percents(*values)[: 3 if "low" in each else 1], bar])
    return formatting.table(rows, right=range(1, len(rows[0]) - 1))
