"""Pictures of the hours of places: a small panel for each district or venue."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dirpriv._lib import formatting
from dirpriv.pictures.figure_style import BLUE, GREY, ORANGE, look, new_figure, note, wrapped

if TYPE_CHECKING:
    from dirpriv.estimators import BusynessEstimate


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
        Names of the places; those of venues or items are written.
    period, title, guarantee : float and str, keyword-only
        As for :func:`draw_histogram`.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import distributions, estimators, pictures
    >>> times, places = distributions.Purkayastha(dim=2, kappa=4.0), distributions.PlanarLaplace(0.02)
    >>> hours, positions = np.full(3000, 2.0), np.zeros((3000, 2))
    >>> busyness = estimators.estimate_busyness(hours, positions, times, places, reach=500.0, bins=3)
    >>> pictures.draw_busyness(busyness).axes[0].texts[0].get_text().endswith("of the people")
    True
    """
    chosen, side, width = np.flatnonzero(busyness.asked), busyness.side, period / busyness.bins
    is_map = bool(np.isfinite(busyness.error))
    if is_map:
        axes = (np.unique(at, return_inverse=True) for at in busyness.places[chosen].T.round(3))
        (east, columns), (north, rows) = axes
        rows = len(north) - 1 - rows
    else:
        chosen = chosen[np.argsort(-busyness.shares[chosen], kind="stable")][:24]
        rows, columns = np.divmod(np.arange(len(chosen)), 4)
    shape, has_ends = (int(rows.max()) + 1, int(columns.max()) + 1), bool(np.isfinite(busyness.low[chosen]).all())
    values, low, high = busyness.blurred if has_ends else busyness.hours, busyness.low, busyness.high
    is_grid = is_map and len(chosen) > 1
    about = f"{busyness.count} private reports{f', {guarantee}' if guarantee else ''}. Wide bars: the people of the "
    about += "place. Orange line: all people."
    about += f" Not drawn: {more} places with fewer people." if (more := busyness.asked.sum() - len(chosen)) else ""
    about += " Panels lie as on a map, with north at the top." if is_grid else ""
    if has_ends:
        about += f" Narrow bars: {formatting.percent(busyness.confidence, 0)} intervals, of one bin each. Bars are "
        blur = f"{formatting.span(width, period)}{f' and {formatting.length(side)}' if side else ''}"
        about += f"seen through a blur of {blur}."
    head = [title, *wrapped([about])]
    with look():
        how: dict[str, Any] = {"rows": shape[0], "sharex": True, "sharey": True, "squeeze": False}
        figure, panels = new_figure(max(85.0, min(45.0 * shape[0], 150.0)), shape[1], len(head), **how)
        figure.suptitle("\n".join(head), x=0.01, ha="left", fontsize=8, color=GREY)
        for ax in panels.flat:
            ax.set_axis_off()
        edges = np.arange(busyness.bins + 1) * width
        for place, row, column in zip(chosen.tolist(), rows, columns, strict=True):
            ax = panels[row, column]
            ax.set_axis_on()
            for of, begin, part, alpha in ((values[place], 0.0, 1.0, 0.35), (high[place], low[place], 0.5, 0.55)):
                look_of = {"color": BLUE, "alpha": alpha, "edgecolor": "white", "linewidth": 0.5 * (part > 0.9)}
                ax.bar(edges[:-1] + width / 2.0, 100.0 * (of - begin), part * width, bottom=100.0 * begin, **look_of)
            ax.stairs(100.0 * busyness.city, edges, color=ORANGE, baseline=None)
            text = f"{formatting.percent(busyness.shares[place])} of the people"
            text = text if is_map or not names else f"{textwrap.shorten(names[place], 24)}\n{text}"
            note(ax, text, (0.0, 1.0), (3, -2), va="top", xycoords="axes fraction", color=BLUE)
            is_first, is_last = column == columns[rows == row].min(), row == rows[columns == column].max()
            ax.tick_params(labelleft=is_first, labelbottom=is_last)  # also beside places that are not drawn
        for ax, metres in zip(panels[0], east if is_grid else (), strict=False):
            ax.set_title(_away(metres, "west", "east"), fontsize=8, loc="center", color=GREY)
        for ax, metres in zip(panels[::-1, 0], north if is_grid else (), strict=False):
            ax.set_ylabel(_away(metres, "south", "north"), fontsize=8, color=GREY)
        ticks = np.linspace(0.0, period, 8 if period == formatting.WEEK else 5)
        top = 135.0 * float(np.nanmax([values[chosen], high[chosen]]))
        panels[0, 0].set(xlim=(0.0, period), ylim=(0.0, top), xticks=ticks)
        labels = {formatting.WEEK: "hours since Monday, 00:00", formatting.TURN: "heading (degrees)"}
        figure.supxlabel(labels.get(period, "time of day (hours)"), fontsize=9)
        figure.supylabel(f"people of the place in each {formatting.span(width, period)} (%)", fontsize=9)
    return figure


def _away(metres: float, before: str, after: str) -> str:
    return f"{formatting.length(abs(metres))} {before if metres < 0.0 else after}" if abs(metres) > 0.5 else "middle"
