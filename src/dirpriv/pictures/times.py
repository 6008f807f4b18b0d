"""Pictures of times: densities, histograms, and what a level means for the report of one person."""

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dirpriv._lib import formatting
from dirpriv.pictures import figure_style
from dirpriv.pictures.figure_style import BLUE, GREY, LEADER, ORANGE, headed, look, new_figure, note, wrapped

if TYPE_CHECKING:
    from dirpriv.estimators import DensityBand, DensityDifference, HistogramEstimate


def draw_density_band(
    band: "DensityBand | Mapping[str, DensityBand]",
    *,
    period: float = 24.0,
    title: str = "Estimated times",
    guarantee: str = "",
    reports: str = "private reports",
) -> Any:
    """The density of times through a blur as a curve in its bands, and what one person looks like.

    Groups have a panel each. Where the curve leaves the band, it is marked.

    Parameters
    ----------
    band : dirpriv.estimators.DensityBand or mapping of str to it
        The estimate, or those of groups by name. Warnings are written above the curves.
    period, title, guarantee, reports : float and str, keyword-only
        As for :func:`draw_histogram`.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, mechanisms, pictures
    >>> mechanism = mechanisms.PurkayasthaMechanism(epsilon=4.0)
    >>> reports = mechanism.randomise_angles(np.full(300, 2.0), rng=np.random.default_rng(1))
    >>> band = estimators.estimate_density_band(reports, mechanism.noise, blur=np.pi / 4.0)
    >>> pictures.draw_density_band(band).axes[0].get_ylabel()
    'people per hour (%)'
    """
    groups = _groups(band)
    widths = [of.blur / math.tau * period for _, of in groups]
    blur = "its own blur" if len(set(widths)) > 1 else f"a blur of {formatting.span(widths[0], period)}"
    unit, at, whole = ("degree", "heading", "heading") if period == formatting.TURN else ("hour", "time", "day")
    about = f"{_counts(groups, reports, guarantee)}; {'each ' * (len(set(widths)) > 1)}seen through {blur}; "
    about += f"dark: {formatting.percent(groups[0][1].confidence, 0)} at each {at}; light: at all {at}s together; "
    peak = 100.0 * math.tau / period * max(float(of.high_everywhere.max()) for _, of in groups)
    above = groups[0][1] is not band, any(of.outside.any() for _, of in groups)  # names, marks
    top = (1.05 + 0.2 * sum(above)) * peak

    def panel(ax: Any, of: "DensityBand") -> str:
        width = of.blur / math.tau * period
        _curve(ax, of, period, BLUE, peak)
        _frame(ax, period, period, top, ORANGE)
        ax.set_ylabel(f"people per {unit} (%)")
        _one_person(ax, width, period, top)
        return f", blur of {formatting.span(width, period)}"

    return _figure(band, title, "\n".join(wrapped([f"{about}for every {whole}"])), reports, panel)


def draw_histogram(
    histogram: "HistogramEstimate | Mapping[str, HistogramEstimate]",
    *,
    period: float = 24.0,
    title: str = "Estimated times",
    guarantee: str = "",
    reports: str = "private reports",
) -> Any:
    """Shares of bins as bars, their intervals as narrow bars, and the line of an even spread.

    Groups have a panel each.

    Parameters
    ----------
    histogram : dirpriv.estimators.HistogramEstimate or mapping of str to it
        The estimate, or those of groups by name, of the same bins. Warnings are written above the bars.
    period : float, keyword-only
        Hours of a turn: 24 for a day, 168 for a week; 360 for headings, in degrees.
    title, guarantee, reports : str, keyword-only
        The first line; level of the reports for the second line, as ``"level 1 within 3h"``; what is counted.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, mechanisms, pictures
    >>> mechanism = mechanisms.PurkayasthaMechanism(epsilon=4.0)
    >>> reports = mechanism.randomise_angles(np.full(300, 2.0), rng=np.random.default_rng(1))
    >>> histogram = estimators.estimate_histogram(reports, mechanism.noise, bins=4)
    >>> pictures.draw_histogram(histogram).axes[0].get_ylabel()
    'share of the people in each 6 h (%)'
    """
    groups = _groups(histogram)
    first, counts = groups[0][1], _counts(groups, reports, guarantee)
    about = _about(first, counts, "narrow bars", period)
    top = (105.0 if histogram is first else 125.0) * max(float(of.high.max()) for _, of in groups)

    def panel(ax: Any, of: "HistogramEstimate") -> str:
        _bars(ax, of, period)
        _frame(ax, len(of.shares), period, top, ORANGE)
        return ""

    return _figure(histogram, title, about, reports, panel)


def draw_comparison(
    first: "HistogramEstimate | DensityBand",
    second: "HistogramEstimate | DensityBand",
    difference: "DensityDifference | None" = None,
    *,
    names: Sequence[str] = ("first", "second"),
    period: float = 24.0,
    title: str = "Estimated times of two groups",
    guarantee: str = "",
    result: str = "",
) -> Any:
    """Shares of the bins in two groups side by side, and their intervals as bars; or both densities in their bands.

    Parameters
    ----------
    first, second : dirpriv.estimators.HistogramEstimate or DensityBand
        The estimates, of the same bins, or those of ``difference``.
    difference : dirpriv.estimators.DensityDifference, optional
        Of densities. Marks on the axis, in the colour of a group, are where it has more than the other.
    names : two of str, keyword-only
        The groups, as they are named beside their lines.
    period, title, guarantee : float and str, keyword-only
        As for :func:`draw_histogram`.
    result : str, keyword-only
        What the comparison found, as ``"difference +0:40 h"``: the line below the title.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, mechanisms, pictures
    >>> mechanism, rng = mechanisms.PurkayasthaMechanism(epsilon=4.0), np.random.default_rng(1)
    >>> groups = (mechanism.randomise_angles(np.full(300, time), rng=rng) for time in (2.0, 4.0))
    >>> early, late = (estimators.estimate_histogram(reports, mechanism.noise, bins=4) for reports in groups)
    >>> figure = pictures.draw_comparison(early, late, names=("early", "late"))
    >>> [text.get_text() for text in figure.axes[0].texts[1:3]]
    ['early', 'late']
    """
    both: Any = first, second
    lines = _warnings(zip(names, both, strict=True))
    about = f"{first.count} and {second.count} private reports{f', {guarantee}' if guarantee else ''}"
    if difference is None:
        about, apart = _about(both[0], about, "bars", period), both[1].shares - both[0].shares
        top = 100.0 * max(float(of.high.max()) for of in both)
    else:
        apart = difference.difference
        top = 100.0 * math.tau / period * max(float(of.high_everywhere.max()) for of in both)
        about += f"; seen through a blur of {formatting.span(difference.blur / math.tau * period, period)};\nbands and"
        sure = formatting.percent(difference.first.confidence, 0)
        about += f" marks where one has more: {sure} at all times together"
    about = "\n".join([*wrapped(result.split("\n")), about])
    with look():
        figure, ax = new_figure(85.0, lines=len(lines) + about.count("\n"))
        _frame(ax, len(apart) if difference is None else period, period, 1.25 * top, GREY)
        width, ends = period / len(apart), (int(apart.argmin()), int(apart.argmax()))
        sides = "left" if 2 * ends[0] < len(apart) else "right", "left" if ends[0] <= ends[1] else "right"
        for number, (of, colour, bin) in enumerate(zip(both, (BLUE, ORANGE), ends, strict=True)):
            if difference is None:
                at = (np.arange(len(apart)) + (0.28, 0.72)[number]) * width
                low, shares, high = (100.0 * values for values in (of.low, of.shares, of.high))
                ax.bar(at, high - low, 0.4 * width, bottom=low, color=colour, alpha=0.35, linewidth=0)
                ax.hlines(shares, at - 0.2 * width, at + 0.2 * width, color=colour, linewidth=1.8)
            else:
                at, shares = _curve(ax, of, period, colour)
                more = (difference.high_everywhere < 0.0, difference.low_everywhere > 0.0)[number]
                mark = np.arange(len(apart)) * width, np.where(more, 0.0, np.nan)
                ax.plot(*mark, "s-", color=colour, lw=5.0, ms=5.0, mew=0.0, clip_on=False)
                ax.set_ylabel(f"people per {'degree' if period == formatting.TURN else 'hour'} (%)")
            side = sides[number]
            leader = LEADER | {"color": colour, "relpos": (float(side == "right"), 0.0)}
            height = (1.18, 1.08)[number] * top  # the line from the upper one does not cross the lower one
            place = bin * (len(shares) - (difference is not None)) // len(apart)  # there are more differences
            tip, text = (at[place], shares[place]), (at[place], height)
            ax.annotate(_short(names[number]), tip, text, ha=side, color=colour, arrowprops=leader)
        ax.set_yticks([tick for tick in ax.get_yticks() if tick <= 100.0])
        _head(ax, title, about, lines)
    return figure


def _groups(estimates: Any) -> list[tuple[str, Any]]:
    """Estimates of groups with their names; of all reports without one."""
    return list(estimates.items()) if isinstance(estimates, Mapping) else [("", estimates)]


def _counts(groups: list[tuple[str, Any]], reports: str, guarantee: str) -> str:
    """How many reports there are, and their level."""
    return f"{sum(of.count for _, of in groups)} {reports}{f', {guarantee}' if guarantee else ''}"


def _figure(estimates: Any, title: str, about: str, reports: str, panel: Callable[[Any, Any], str]) -> Any:
    """A panel for each estimate, which ``panel`` draws, and the lines above. It returns what a group's name needs."""
    groups = _groups(estimates)
    lines, more = _warnings(groups), about.count("\n")
    with look():
        height = max(85.0, 15.0 + 33.0 * len(groups))
        figure, panels = new_figure(height, rows=len(groups), lines=len(lines) + more, sharex=True, squeeze=False)
        for (ax,), (name, of) in zip(panels, groups, strict=True):
            after = panel(ax, of)
            if estimates is not of:
                label, beside = f"{_short(name)}: {of.count} {reports}{after}", {"xycoords": "axes fraction"}
                note(ax, label, (0.0, 1.0), (4, -2), va="top", color=BLUE, **beside)
                figure.supylabel(ax.get_ylabel(), fontsize=9)
                ax.set_ylabel("")
                ax.label_outer()
        _head(panels[0, 0], title, about, lines)
    return figure


def _short(name: str) -> str:
    """The name of a group beside what is drawn of it."""
    return textwrap.shorten(name, 40)


def _warnings(groups: "Iterable[tuple[str, HistogramEstimate]]") -> list[str]:
    """The warnings of estimates in lines, with the names of their groups: at most two."""
    texts = [(name, text) for name, of in groups for text in formatting.warning(of.warning)]
    lines = [f"{_short(name)}: {text}" if name else text for name, text in texts]
    if len(lines) > 2:
        lines = [lines[0], f"{len(lines) - 1} more groups have a warning."]
    return wrapped(lines)


def _bars(ax: Any, histogram: "HistogramEstimate", period: float) -> None:
    edges = histogram.edges / (2.0 * np.pi) * period
    widths = np.diff(edges)
    left, shares = edges[:-1], 100.0 * histogram.shares
    low, high = 100.0 * histogram.low, 100.0 * histogram.high
    middle = left + widths / 2.0
    ax.bar(middle, shares, widths, color=BLUE, alpha=0.35, edgecolor="white", linewidth=0.5 * (shares.size < 60))
    ax.bar(middle, high - low, 0.5 * widths, bottom=low, color=BLUE, alpha=0.55, linewidth=0)
    ax.hlines(shares, left, edges[1:], color=BLUE, linewidth=1.6)


def _about(histogram: "HistogramEstimate", counts: str, drawn: str, period: float) -> str:
    """The second line of a picture: what the reports and the intervals are."""
    day = "heading" if period == formatting.TURN else "day"
    holds = f"for smooth {day}s only" if histogram.intervals == "smooth" else f"for any {day}"
    return f"{counts}; {drawn}: {formatting.percent(histogram.confidence, 0)} interval of each bin, {holds}"


def _curve(ax: Any, band: "DensityBand", period: float, colour: str, peak: float | None = None) -> Any:
    """The estimate in its bands, with a mark where it leaves them; without a peak, only in that of all times."""
    names = "density", "low", "high", "low_everywhere", "high_everywhere"
    scaled = (100.0 * math.tau / period * getattr(band, name) for name in names)
    density, *ends = (np.append(values, values[0]) for values in scaled)
    times = np.append(band.angles, math.tau) / math.tau * period
    for low, high, alpha in ((*ends[2:], 0.18), (*ends[:2], 0.3))[: 1 if peak is None else 2]:
        ax.fill_between(times, low, high, color=colour, alpha=alpha, linewidth=0)
    ax.plot(times, density, color=colour, linewidth=1.6)
    beyond = np.maximum(ends[2] - density, density - ends[3])
    if peak is not None and band.outside.any():
        ax.plot(times, np.where(beyond > 0.0, density, np.nan), ".-", color=ORANGE, linewidth=1.6, markersize=4)
        worst = int(beyond.argmax())
        at, side = times[worst], "left" if 2.0 * times[worst] < period else "right"
        leader = LEADER | {"color": ORANGE, "relpos": (float(side == "right"), 0.0)}
        look = {"ha": side, "va": "bottom", "fontsize": 8, "color": ORANGE, "arrowprops": leader}
        ax.annotate("trust the band", (at, density[worst]), (at, 1.03 * peak), **look)
    return times, density


def _one_person(ax: Any, blur: float, period: float, top: float) -> None:
    """The weight of one person's time, beside the panel, away from the name of its line."""
    from dirpriv.estimators.place_intervals import spline

    away = np.linspace(-2.0, 2.0, 101) * blur
    inset = ax.inset_axes((1.02, 0.1 if 100.0 / period > 0.55 * top else 0.76, 0.15, 0.2))
    inset.fill_between(away, spline(away / blur), color=BLUE, alpha=0.3, linewidth=0)
    unit = "°" if period == formatting.TURN else " h"
    ticks = [-1.5 * blur, 1.5 * blur]
    inset.set_xticks(ticks, [f"{tick:+.4g}{unit}" for tick in ticks], fontsize=7)
    inset.set(yticks=[], ylim=(0.0, 0.9))
    inset.spines["left"].set_visible(False)
    inset.set_title("one person looks so", fontsize=7, loc="center", pad=2)


def _frame(ax: Any, bins: float, period: float, top: float, colour: str) -> None:
    """Both axes, and the line of an even spread."""
    ax.axhline(100.0 / bins, color=colour, linewidth=1.0, linestyle=(0, (5, 2)))
    beside = {"xycoords": ("axes fraction", "data"), "va": "center", "annotation_clip": False}
    what = "headings" if period == formatting.TURN else "times"
    note(ax, f"if the {what} were\nspread evenly", (1.0, 100.0 / bins), (4, 0), color=colour, **beside)
    ax.set(xlim=(0.0, period), ylim=(0.0, top))
    _time_axis(ax, period)
    width = formatting.span(period / bins, period)
    ax.set_ylabel(f"share of the people in each {'hour' if width == '1 h' else width} (%)")


def _head(ax: Any, title: str, about: str, lines: list[str]) -> None:
    """The lines above a picture: what it is about, in a line or more, then warnings."""
    above = figure_style.LINE * len(lines)
    ax.set_title(title, loc="left", pad=18 + above + figure_style.LINE * about.count("\n"))
    for text, height, colour in ((about, above, GREY), ("\n".join(lines), 0.0, ORANGE)):
        note(ax, text, (0.0, 1.0), (0, 5 + height), xycoords="axes fraction", color=colour)


def draw_time_noise(release: Any, at: float, *, guarantee: str = "") -> Any:
    """Where the report of a person at a time of the day lands.

    Parameters
    ----------
    release, at : dirpriv.release.CircleRelease and float
        It draws the reports; hours of the person's time, from the beginning of the period.
    guarantee : str, keyword-only
        Level of the release for the title, as ``"level 1 within 3h"``.

    Examples
    --------
    >>> from dirpriv import pictures
    >>> from dirpriv.release import CircleRelease
    >>> figure = pictures.draw_time_noise(CircleRelease.within(1.0, "3h"), 8.25, guarantee="level 1 within 3h")
    >>> figure.axes[0].get_title("left")
    'Where the report of one person lands: level 1 within 3h'
    """
    period, count = release.period, release.cells
    width = period / count
    cell = math.floor(at / width + 1e-9)
    steps = np.arange(count) - count // 2
    density = release.noise.probabilities[steps % count] / width * 100.0  # per cent in an hour
    edges = (cell + np.append(steps, steps[-1] + 1)) * width
    order = np.argsort(np.abs(steps), kind="stable")
    sums = np.empty(count)
    sums[order] = np.cumsum(release.noise.probabilities[steps[order] % count])
    with look():
        figure, ax = new_figure(75.0)
        shown = density.max() * 1.18
        for share, alpha in ((1.0, 0.15), (0.95, 0.25), (0.68, 0.45)):
            inside = np.flatnonzero(sums <= share + 1e-12) if share < 1.0 else np.arange(count)
            if inside.size == 0:
                continue
            first, last = inside[0], inside[-1] + 1
            filled = {"fill": True, "color": BLUE, "alpha": alpha, "linewidth": 0}
            ax.stairs(density[first:last], edges[first : last + 1], **filled)
            if share < 1.0 and last - first > 1:
                text, end = f"{formatting.percent(share, 0)} of the reports", (edges[last], density[last - 1])
                note(ax, text, end, (8, 8), color=BLUE, va="bottom", arrowprops=LEADER)
        ax.stairs(density, edges, color=BLUE, linewidth=1.2)
        ax.vlines(at, 0.0, shown, color=ORANGE, linewidth=1.2)
        note(ax, f"the person: {formatting.clock(at, period)}", (at, shown), (5, -2), color=ORANGE, va="top")
        wide = int(np.searchsorted(np.sort(sums), 0.999)) + 8  # cells that hold all but a few of the reports
        first, last = max(count // 2 - wide, 0), min(count // 2 + wide + 1, count)
        ax.set(xlim=(edges[first], edges[last]), ylim=(0.0, shown))
        _time_axis(ax, period)
        ax.set_ylabel(f"probability of a report (% per {'degree' if period == formatting.TURN else 'hour'})")
        ax.set_title(headed("Where the report of one person lands", guarantee))
    return figure


def _time_axis(ax: Any, period: float) -> None:
    """Ticks at times of the day, or at days of the week, on an axis of hours."""
    first, last = ax.get_xlim()
    usual, label = (1 / 12, 0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 24.0, period), "time of day"
    if period == formatting.TURN:
        usual, label = (1.0, 5.0, 15.0, 45.0, period), "heading"
    every = next(hours for hours in usual if last - first <= 9 * hours)
    ticks = np.arange(math.ceil(first / every - 1e-9), math.floor(last / every + 1e-9) + 1) * every
    names = [formatting.clock(tick, period) for tick in ticks]
    if every == 24.0:
        names = [name.partition(" ")[0] for name in names]
        label = "day of the week, from 00:00 on"
    elif (first, last) == (0.0, period) != (0.0, formatting.WEEK):
        names[-1] = "360°" if period == formatting.TURN else "24:00"
    ax.set_xticks(ticks, names)
    ax.set_xlabel(label)
