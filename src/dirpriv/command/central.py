"""``dirpriv release --trust central``: a mean, a histogram or a map of a file, and none of its rows."""

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dirpriv._inputs.errors import Note
from dirpriv._lib import formatting
from dirpriv._lib.rounding import upwards
from dirpriv.command import new_files, options, terminal

OPTIONS = "trust", "epsilon", "mean", "bins", "districts", "adjacency", "plot", "title"
_LOCAL = "level", "radius", "keep", "keep_order", "delta", "shuffled"
_SHOWN = 10  # districts with the most rows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("a result only, with central trust (trusted data owner)").add_argument
    who = "local: noise on each row; central: noise on the result only (local)"
    add("--trust", choices=("local", "central"), default="local", help=who)
    add("--epsilon", type=options.number, help="pure level of a row; with --user, of a person")
    add("--mean", action="store_true", help="release the mean time or heading")
    whole, bins = options.whole_number, "release a histogram with this number of bins, such as 24"
    add("--histogram", dest="bins", type=whole, metavar="BINS", help=bins)
    districts = "release counts of districts; number of districts along each side (8)"
    add("--map", dest="districts", type=whole, nargs="?", const=8, metavar="DISTRICTS", help=districts)
    hidden = "replace: hide people's values; add-remove: also hide who is in the file (replace)"
    add("--adjacency", choices=("replace", "add-remove"), default="replace", help=hidden)
    add("--plot", type=Path, metavar="FILE", help="also write a picture: a new .png or .pdf")
    add("--title", help="title of the picture")


def check(arguments: argparse.Namespace) -> None:
    """Refuse options of the other kind of release, and what would fail after noise was drawn."""
    values = vars(arguments)
    central = arguments.trust == "central"
    others = _LOCAL if central else [name for name in OPTIONS if name != "trust"]
    usual = {name: arguments.parser.get_default(name) for name in others}
    if wrong := [name for name in others if values[name] != usual[name]]:
        names = {action.dest: action.option_strings[-1] for action in arguments.parser._actions[3:]}
        rule = f"{names[wrong[0]]} goes {'with local trust' if central else 'with --trust central'} only"
        raise options.Misuse(f"{rule}: see 'dirpriv release --help'")
    if not central:
        return
    asked = [arguments.mean, arguments.bins is not None, arguments.districts is not None]
    if sum(asked) != 1 or arguments.epsilon is None:
        raise options.Misuse("--trust central needs --epsilon and one result: --mean, --histogram or --map")
    if arguments.plot is None and arguments.title is not None:
        raise options.Misuse("--title needs --plot")
    if arguments.plot is not None:
        if arguments.mean or len(arguments.time or []) + len(arguments.heading or []) > 1:
            raise options.Misuse("--plot draws one histogram or one map, and no mean")
        new_files.check(arguments.plot)


def run(arguments: argparse.Namespace, tell: Callable[[str], object]) -> None:
    from dirpriv.release.files.central import central_file

    result = "mean" if arguments.mean else "map" if arguments.bins is None else "histogram"
    settings = vars(arguments) | {"result": result, "input": arguments.files}
    with terminal.progress() as show:
        say = lambda share: show(f"release: {100.0 * share:.0f} %")  # noqa: E731
        guarantee, results = central_file(settings, tell, say)
    lines = [f"Released: {arguments.output}, with its guarantee in {arguments.output}.guarantee.json\n"]
    lines += terminal.wrapped(guarantee.text() if arguments.verbose else guarantee.summary())
    lines += options.cautions(guarantee.level)
    for each in results:
        names, *rows = each.lines(digits=4)
        if result == "map":
            rows = sorted(rows, key=lambda row: -int(row[6]))[:_SHOWN]
            lines += ["", f"The {len(rows)} districts with the most rows, of {each.estimate.counts.size}:"]
        lines += ["", *formatting.table([names, *rows], right=range(len(names)))]
    of = "for all data" if guarantee.max_rows_per_person is None else "for the rows that were chosen"
    lines += ["", f"low to high: 95 % interval of each line, {of}. Counts can be negative."]
    if arguments.user is not None and result == "mean":
        lines.append("Each person counts once in this mean, with the mean direction of the person's rows.")
    elif arguments.user is not None:
        lines.append("The shares are of the rows that were chosen: people with more rows count more.")
    terminal.show(lines)
    if arguments.plot is not None:
        try:
            terminal.show([new_files.save(_picture(arguments, results[0]), arguments.plot)])
        except BaseException as error:
            error.add_note(Note(f"{arguments.output!r} is complete, and counts as a release"))
            raise


def _picture(arguments: argparse.Namespace, result: Any) -> Any:
    """A histogram with shares of at least 0, or a map, which adds up shares."""
    import numpy as np

    from dirpriv import pictures
    from dirpriv.estimators import PrivatePlaceDensity
    from dirpriv.estimators.private_histograms import PrivateHistogram

    estimate = result.estimate
    people = estimate.people or max(int(estimate.counts.sum()), 1)
    shares = estimate.shares if result.kind == "place" else np.maximum(estimate.shares, 0.0)
    level = f"central level {upwards(result.level)}"
    fields: Any = [result.edges, shares, estimate.low, estimate.high, math.inf, math.nan, "", people, 0.95]
    if result.kind == "place":
        drawn = PrivatePlaceDensity(*fields, districts=result.edges, intervals="distribution-free")
        title = arguments.title or f"Places of {people} rows, {level}"
        plane, centre = result.read.release(), arguments.region_centre
        rounding = plane.cell_size / 2**0.5
        return pictures.draw_map(drawn, centre, region=plane.region_reach, rounding=rounding, title=title)
    histogram = PrivateHistogram(*[*fields, np.zeros(0)], intervals="distribution-free")
    title = arguments.title or f"{result.kind.capitalize()}s of '{result.names[0]}'"
    period = {"24h": 24.0, "7d": formatting.WEEK}.get(result.period, formatting.TURN)
    return pictures.draw_histogram(histogram, period=period, title=title, guarantee=level, reports="rows")
