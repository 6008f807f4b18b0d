"""``dirpriv release --trust central``: a mean, a histogram or a map of a file, and none of its rows."""

import argparse
import math
from pathlib import Path
from typing import Any

from dirpriv._lib import formatting
from dirpriv._lib.rounding import upwards
from dirpriv.command import new_files, options, released_files, terminal
from dirpriv.release.settings import CentralFileSettings, LocalFileSettings, settings_by_name

_SHOWN = 10  # districts with the most rows


def add_arguments(part: Any) -> None:
    who = "local: noise on each row; central: noise on the result only (local)"
    part.add_argument("--trust", choices=("local", "central"), default="local", help=who)
    part.add_argument("--plot", type=Path, metavar="FILE", help="also write a picture: a new .png or .pdf")
    part.add_argument("--title", help="title of the picture")


def check(arguments: argparse.Namespace, settings: dict[str, Any]) -> None:
    """Refuse options of the other kind of release, and what would fail after noise was drawn."""
    is_central = arguments.trust == "central"
    own = settings_by_name(CentralFileSettings if is_central else LocalFileSettings)
    wrong = [options.option(name) for name in options.SETTINGS if name in settings and name not in own]
    if not is_central:
        wrong += [f"--{name}" for name in ("plot", "title") if getattr(arguments, name) is not None]
    if wrong:
        rule = f"{wrong[0]} goes {'with local trust' if is_central else 'with --trust central'} only"
        raise options.Misuse(f"{rule}: see 'dirpriv release --help'")
    if not is_central:
        return
    several = "mean" in settings or len([*settings.get("time", []), *settings.get("heading", [])]) > 1
    if arguments.plot is not None and several:
        raise options.Misuse("--plot draws one histogram or one map, and no mean")
    released_files.check_outputs(arguments)


def show(arguments: argparse.Namespace, guarantee: Any) -> None:
    """Print the results of a guarantee, and draw one of them."""
    lines, what = [], guarantee.columns[0].settings["result"]
    for each in guarantee.columns:
        names, *rows = each.lines(digits=4)
        if what == "map":
            rows = sorted(rows, key=lambda row: -int(row[6]))[:_SHOWN]
            lines += ["", f"The {len(rows)} districts with the most rows, of {each.estimate.counts.size}:"]
        lines += ["", *formatting.table([names, *rows], right=range(len(names)))]
    of = "for all data" if guarantee.max_rows_per_person is None else "for the rows that were chosen"
    lines += ["", f"low to high: 95 % interval of each line, {of}. Counts can be negative."]
    if guarantee.max_rows_per_person is not None and what == "mean":
        lines.append("Each person counts once in this mean, with the mean direction of the person's rows.")
    elif guarantee.max_rows_per_person is not None:
        lines.append("The shares are of the rows that were chosen: people with more rows count more.")
    terminal.show(lines)
    if arguments.plot is not None:
        terminal.show([new_files.save(_picture(arguments, guarantee.columns[0]), arguments.plot)])


def _picture(arguments: argparse.Namespace, result: Any) -> Any:
    """A histogram with shares of at least 0, or a map, which adds up shares."""
    import numpy as np

    from dirpriv import pictures
    from dirpriv.estimators import PlaceDensityEstimate
    from dirpriv.estimators.histogram_estimates import HistogramEstimate

    estimate = result.estimate
    people = estimate.people or max(int(estimate.counts.sum()), 1)
    shares = estimate.shares if result.kind == "place" else np.maximum(estimate.shares, 0.0)
    level = f"central level {upwards(result.level)}"
    fields: Any = [result.edges, shares, estimate.low, estimate.high, math.inf, math.nan, "", people, 0.95]
    if result.kind == "place":
        drawn = PlaceDensityEstimate(*fields, districts=result.edges, intervals="distribution-free")
        title = arguments.title or f"Places of {people} rows, {level}"
        cells = result.read.map
        region, rounding = float(cells.reach), float(cells.size) / 2**0.5
        return pictures.draw_map(drawn, cells.centre, region=region, rounding=rounding, title=title)
    histogram = HistogramEstimate(*[*fields, np.zeros(0)], intervals="distribution-free")
    title = arguments.title or f"{result.kind.capitalize()}s of '{result.names[0]}'"
    period = {"24h": 24.0, "7d": formatting.WEEK}.get(result.period, formatting.TURN)
    return pictures.draw_histogram(histogram, period=period, title=title, guarantee=level, reports="rows")
