"""Pictures of the hours of places: a small panel for each district or venue."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dirpriv._lib import formatting
from dirpriv.pictures.figure_style import BLUE, GREY, ORANGE, look, new_figure, note, wrapped

if TYPE_CHECKING:
    from dirpriv.estimators import BusynessEstimate

_COLUMNS, _MOST = 4, 24  # of panels, where they do not lie as on a map
_ENDS = {formatting.WEEK: "Mon", formatting.TURN: "360°"}  # of the axis


def draw_busyness(
    busyness: "BusynessEstimate",
    *,
    names: Sequence[str] = (),
    period: float = 24.0,
    title: str = "Estimated hours of places",
    guarantee: str = "",
) -> Any:
    """The hours of the people of each place: a panel each, with the hours of all people as a line.

    Panels of districts lie as on a map, with north at the top; those of venues or items are in the order of their
    people, at most 24. Bars are shares of the people of the place, and narrow bars their intervals, if there are any.

    Parameters
    ----------
    busyness : dirpriv.estimators.BusynessEstimate
        The estimate; of districts those that were asked for are drawn.
    names : sequence of str, keyword-only
        Names of the places that were asked for.
    period, title, guarantee : float and str, keyword-only
        As for :func:`draw_histogram`.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import distributions, estimators, pictures
    >>> times, places = distributions.Purkayastha(dim=2, kappa=4.0), distributions.PlanarLaplace(0.02)
    >>> hours, positions = np.full(3000, 2.0), np.zeros((3000, 2))
    >>> busyness = estimators.estimate_busyness(hours, positions, times, places, reach=500.0, bins=3)
    >>> figure = pictures.draw_busyness(busyness, names=["the square"])
    >>> figure.axes[0].texts[0].get_text().splitlines()[0]
    'the square'
    """
    chosen, side = np.flatnonzero(busyness.asked), busyness.side
    labels = dict(zip(chosen.tolist(), names, strict=False))
    if side:
        east, north = (np.unique(axis, return_inverse=True)[1] for axis in busyness.places[chosen].round(3).T)
        rows, columns = north.max() - north, east
    else:
        chosen = chosen[np.argsort(-busyness.shares[chosen], kind="stable")][:_MOST]
        rows, columns = np.divmod(np.arange(len(chosen)), _COLUMNS)
    has_ends = bool(np.isfinite(busyness.low[chosen]).all())
    values = 100.0 * (busyness.blurred if has_ends else busyness.hours)[chosen]
    low, high = 100.0 * busyness.low[chosen], 100.0 * busyness.high[chosen]
    width = period / busyness.bins
    top = 1.3 * float((high if has_ends else values).max())
    about = f"{busyness.count} private reports{f', {guarantee}' if guarantee else ''}"
    if has_ends:
        about += f"; seen through a blur of {formatting.span(width, period)}"
        about += f" and {formatting.length(side)}" if side else ""
        about += (
            f"; narrow bars: {formatting.percent(busyness.confidence, 0)} intervals, of one bin each, for all people"
        )
    about += "; orange: all people"
    if (left_out := int(busyness.asked.sum()) - len(chosen)) > 0:
        about += f"; {left_out} places with fewer people are not drawn"
    lines = wrapped(formatting.warning(busyness.warning))
    head = [title, *wrapped([about + "."])]
    grid = int(rows.max()) + 1, int(columns.max()) + 1
    with look():
        height = max(22.0, min(60.0, 130.0 / grid[0])) * grid[0] + 16.0
        shape: Any = {"rows": grid[0], "sharex": True, "sharey": True, "squeeze": False}
        figure, panels = new_figure(height, grid[1], len(head) + len(lines), **shape)
        for ax in panels.flat:
            ax.set_axis_off()
        left, ticks = np.arange(busyness.bins) * width, np.linspace(0.0, period, 5 if grid[1] < _COLUMNS else 3)
        clocks = [*(formatting.clock(tick, period) for tick in ticks[:-1]), _ENDS.get(period, "24:00")]
        for place, row, column, of, *ends in zip(chosen.tolist(), rows, columns, values, low, high, strict=True):
            ax = panels[row, column]
            ax.set_axis_on()
            ax.bar(left, of, width, align="edge", color=BLUE, alpha=0.35, edgecolor="white", linewidth=0.5)
            if has_ends:
                inner = {"align": "edge", "color": BLUE, "alpha": 0.55, "linewidth": 0}
                ax.bar(left + width / 4.0, ends[1] - ends[0], width / 2.0, bottom=ends[0], **inner)
            ax.stairs(100.0 * busyness.city, np.append(left, period), color=ORANGE, baseline=None, linewidth=1.0)
            ax.set(xlim=(0.0, period), ylim=(0.0, top))
            ax.set_xticks(ticks, clocks)
            share = f"{formatting.percent(busyness.shares[place])} of the people"
            label = textwrap.shorten(labels.get(place, ""), 28)
            text = share if grid[1] > _COLUMNS or not label else f"{label}\n{share}"
            note(ax, text, (0.0, 1.0), (3, -2), va="top", xycoords="axes fraction", color=BLUE)
            ax.label_outer()
        below = (
            "heading"
            if period == formatting.TURN
            else "time of day"
            if period < formatting.WEEK
            else "time of the week"
        )
        below += "; panels lie as on a map, with north at the top" * bool(len(chosen) > 1 and side)
        figure.supxlabel(below, fontsize=9)
        figure.supylabel(f"people of the place in each {formatting.span(width, period)} (%)", fontsize=9)
        top_left = {"x": 0.01, "y": 0.995, "ha": "left", "va": "top", "fontsize": 8}
        figure.suptitle("\n".join(head + [""] * len(lines)), color=GREY, **top_left)
        figure.text(s="\n".join([""] * len(head) + lines), color=ORANGE, **top_left)
    return figure
