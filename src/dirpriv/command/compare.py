"""Compare the times of two groups, from released files.

Compare people's true times in two groups: the difference of the mean times with a 95 %
confidence interval, a two-sample test, both histograms through one blur, and the times
at which the days differ. The input is released files and their guarantees.

examples:
  dirpriv compare north.csv south.csv
  dirpriv compare north.csv south.csv --blur 3h --plot both.png
  dirpriv compare kept.csv --by shift --json -

units: times of the day or week, or degrees; differences in hours and minutes, or
degrees. The table shows shares in percent. --csv and --json contain fractions of 1.

groups: two files, or the two values of a column that the release kept. This column is
not protected: everyone sees the group of each row.

difference: the mean of the second group minus the mean of the first group. The interval
holds for every distribution of the true times, every number of reports and any levels.
It combines the intervals of both means, each with half of the error.

days that differ: the difference of both densities, through the same blur, with a band
that holds at all times together and for every two days. A blur of width H moves people
by up to 1.5 H. --edges hard omits this and prints bins with hard edges.

two-sample test: Watson's test by permutations. It is valid for every number of reports,
if people are independent, each has one row, and both groups have the same level,
radius and cells.

intervals of shares: as in 'dirpriv histogram'. Each holds for one bin of one group.
"""

import argparse
import functools
import math
import textwrap
from pathlib import Path
from typing import Any

from dirpriv._lib import formatting
from dirpriv.command import histogram, mean, options, released_files
from dirpriv.command.histogram import ERROR

FREE = "The intervals need no assumptions about the day. Each interval of a share holds for one bin. Shares are of the "
FREE += "rows."
SMOOTH = "The intervals of shares assume smooth densities and one row per person. They do not hold for timetables or a "
SMOOTH += "few distinct times."
TESTED = "The test assumes independent people with one row each, in both groups together."
NO_TEST = "none, because the noise differs: reports differ even if the true times do not"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    released_files.add_files(parser, "two, or with --by one or more")
    histogram.add_bins(parser)
    released_files.add_outputs(parser)


def run(arguments: argparse.Namespace) -> None:
    released_files.check_outputs(arguments)
    from dirpriv.estimators import estimate_mean
    from dirpriv.pictures.times import draw_comparison

    groups, lines = _two(arguments, *released_files.read(arguments, "times"))
    every = [part for parts in groups.values() for part in parts]
    column, period, twice = every[0].column, every[0].column.release().period, released_files.twice(every)
    names, test = list(map(released_files.shown, groups)), _test(groups)
    both, days = histogram.answered(arguments, groups)
    if arguments.plot is not None and both[0].drawn is None:
        raise options.Misuse(f"--plot has nothing to draw. {' '.join(both[0].notes)}")
    half, bins, results, rows, after = [], [answer.document["bins"] for answer in both], [], [], [*both[0].notes]
    for label, (name, parts), answer in zip(names, groups.items(), both, strict=True):
        reports, of = released_files.releases(parts), answer.estimate
        half.append(estimate_mean(**reports, confidence=1.0 - ERROR / 2.0))
        average, warnings = estimate_mean(**reports, confidence=1.0 - ERROR), formatting.warning(of.warning)
        lines += released_files.heading(parts, name if arguments.by else None)
        rows.append([f"mean {column.kind} of {label}", mean.described(average, column)])
        after += [f"{label}: {text}" for text in warnings]
        about = mean.document(average, column) | answer.document
        results.append(released_files.described(name, parts, of, [*warnings, *twice], **about))
    value, low, high = (angle / math.tau * period for angle in half[0].difference(half[1]))
    bounded = high - low < period * (1.0 - 1e-9)
    ends = f"{_signed(low, period)} to {_signed(high, period)}" if bounded else mean.whole(period)
    confidence = f"{formatting.percent(1.0 - ERROR, 0)} confidence interval"
    shift = f"{_signed(value, period)}, {confidence} {ends}" if bounded else f"unknown, {confidence}: {ends}"
    tested = "" if test is None else f"p {formatting.p_value(test)} (null hypothesis: both have the same times)"
    rows += [[f"{names[1]} minus {names[0]}", shift], ["two-sample test", tested or NO_TEST]]
    density, soft = days and histogram.curve(days, "difference", period), both[0].estimate.blur > 0.0
    differs, differ = _differs(density["times"], [*groups], names[1]) if density else (None, [])
    lines += ["", *formatting.table(rows), "", *[*both[0].about, ""] * soft, *_table(bins, names), "", *differ]
    assumed = textwrap.wrap(SMOOTH if arguments.intervals == "smooth" else FREE, 83)
    lines += [*assumed, *[TESTED] * bool(tested), *after, *twice]
    title = arguments.title or f"Estimated {column.kind}s of '{column.name}'"
    labels = [f"{arguments.by or ''} {name}".strip() for name in groups]
    result = f"{labels[1]} minus {labels[0]}: {shift}.\nWatson's test: {tested.partition(' (')[0] or 'none'}"
    look = {"title": title, "names": labels, "period": period, "guarantee": released_files.promise(every)}
    draw = functools.partial(draw_comparison, both[0].drawn, both[1].drawn, days, result=result, **look)
    difference = dict(zip(("value", "low", "high"), (value, low, high) if bounded else [None] * 3, strict=True))
    written = {"results": results, "difference": difference, "two_sample_p": test}
    written |= {"difference_density": density, "differs": differs} if soft else {}
    table = [row for name, of in zip(groups, bins, strict=True) for row in released_files.rows(of, name)]
    released_files.finish(arguments, lines, written, table, draw)


def _two(
    arguments: argparse.Namespace, groups: released_files.ReportGroups, lines: list[str]
) -> tuple[released_files.ReportGroups, list[str]]:
    if arguments.by is None:
        files = [Path(file).name for file in arguments.files]
        files = files if len(set(files)) == len(files) else arguments.files
        groups = {file: [part] for file, part in zip(files, groups[None], strict=True)}
    if len(groups) != 2 or lines:
        rule = "needs two groups of at least two reports: give two files, or one file with --by"
        raise options.Misuse(f"dirpriv compare {rule}; got {len(groups)}")
    return groups, lines


def _test(groups: released_files.ReportGroups) -> float | None:
    """P-value of the hypothesis that both groups have the same times; None where their noise differs."""
    import numpy as np

    from dirpriv.estimators import two_sample_test

    one, other = map(released_files.releases, groups.values())
    if len(set(map(id, one["distribution"] + other["distribution"]))) > 1:
        return None
    angles, weights = ([np.concatenate(of[name]) for of in (one, other)] for name in ("angles", "weights"))
    return two_sample_test(*angles, first_weights=weights[0], second_weights=weights[1]).p_value


def _differs(times: list[dict[str, Any]], groups: list[Any], second: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Runs of times at which the days differ, with who has more there; and the same in words."""
    runs, words = [], []
    signs = [(at["low_everywhere"] > 0.0) - (at["high_everywhere"] < 0.0) for at in times]
    for begin, sign in enumerate(signs):
        if sign and signs[begin - 1] != sign:
            end = next(place for place in range(begin - len(signs), begin) if signs[place + 1] != sign)
            runs.append({"from": times[begin]["time"], "to": times[end]["time"], "more": groups[sign > 0]})
            words.append(f"{'more' if sign > 0 else 'fewer'} of {second} from {runs[-1]['from']} to {runs[-1]['to']}")
    differ = "; ".join(words) or "no time at which the days differ"
    return runs, textwrap.wrap(f"With {formatting.percent(1.0 - ERROR, 0)}, all times together: {differ}.", 83)


def _signed(hours: float, period: float) -> str:
    """A difference of times as +1:08 h, of headings as +12.3°."""
    minutes, sign = round(abs(hours) * 60.0), "-" if hours < 0.0 else "+"
    amount = f"{abs(hours):.1f}°" if period == formatting.TURN else f"{minutes // 60}:{minutes % 60:02} h"
    return sign + amount


def _table(bins: list[list[dict[str, Any]]], names: list[str]) -> list[str]:
    lines = [["", *(text for name in names for text in ("", "", name))]]
    for pair in zip(*bins, strict=True):
        shares = [released_files.percents(of["share"], of["low"], of["high"]) for of in pair]
        lines.append([f"{pair[0]['from']}-{pair[0]['to']}", *shares[0], *shares[1]])
    return formatting.table(lines, right=range(1, 7))
