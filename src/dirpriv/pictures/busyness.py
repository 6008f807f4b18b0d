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
_LARGEST = 150.0  # millimetres: height of all panels


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
        Names of venues or items.
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
    chosen, side = np.flatnonzero(busyness.asked), busyness.side
    if side:
        (east, columns), (north, rows) = (
            np.unique(at, return_inverse=True) for at in busyness.places[chosen].T.round(3)
        )
        rows, shape = len(north) - 1 - rows, (len(north), len(east))
    else:
        chosen = chosen[np.argsort(-busyness.shares[chosen], kind="stable")][:_MOST]
        rows, columns = np.divmod(np.arange(len(chosen)), _COLUMNS)
        shape = int(rows.max()) + 1, min(len(chosen), _COLUMNS)
    has_ends, width = bool(np.isfinite(busyness.low[chosen]).all()), period / busyness.bins
    values, low, high = (
        100.0 * of[chosen] for of in (busyness.blurred if has_ends else busyness.hours, busyness.low, busyness.high)
    )
    about = f"{busyness.count} private reports{f', {guarantee}' if guarantee else ''}. "
    if has_ends:
        about += f"Seen through a blur of {formatting.span(width, period)}"
        about += f" and {formatting.length(side)}" if side else ""
        about += f". Narrow bars: {formatting.percent(busyness.confidence, 0)} intervals, of one bin each. "
    about += f"Orange: all people. {_panels(len(chosen), int(busyness.asked.sum()), side)}"
    head = [title, *wrapped([about, *formatting.warning(getattr(busyness, "warning", ""))])]
    with look():
        how: dict[str, Any] = {"rows": shape[0], "sharex": True, "sharey": True, "squeeze": False}
        figure, panels = new_figure(max(85.0, min(45.0 * shape[0], _LARGEST)), shape[1], len(head), **how)
        figure.suptitle("\n".join(head), x=0.01, ha="left", fontsize=8, color=GREY)
        for ax in panels.flat:
            ax.set_axis_off()
        left = np.arange(busyness.bins) * width
        for number, (place, of) in enumerate(zip(chosen.tolist(), values, strict=True)):
            ax = panels[rows[number], columns[number]]
            ax.set_axis_on()
            ax.bar(left, of, width, align="edge", color=BLUE, alpha=0.35, edgecolor="white", linewidth=0.5)
            if has_ends:
                inner = {"align": "edge", "color": BLUE, "alpha": 0.55, "linewidth": 0}
                ax.bar(left + width / 4.0, (high - low)[number], width / 2.0, bottom=low[number], **inner)
            ax.stairs(100.0 * busyness.city, np.append(left, period), color=ORANGE, baseline=None, linewidth=1.0)
            text = f"{formatting.percent(busyness.shares[place])} of the people"
            if not side and number < len(names):
                text = f"{textwrap.shorten(names[place], 24)}\n{text}"
            note(ax, text, (0.0, 1.0), (3, -2), va="top", xycoords="axes fraction", color=BLUE)
            ax.label_outer()
        if side:
            for ax, metres in zip(panels[0], east, strict=True):
                ax.set_title(_away(metres, "west", "east"), fontsize=8, loc="center", color=GREY)
            for ax, metres in zip(panels[::-1, 0], north, strict=True):
                ax.set_ylabel(_away(metres, "south", "north"), fontsize=8, color=GREY)
        ticks, clocks, label = _AXES[period]
        panels[0, 0].set(xlim=(0.0, period), ylim=(0.0, 1.35 * float(np.nanmax([values, high]))), xticks=ticks)
        panels[-1, 0].set_xticks(ticks, clocks)
        figure.supxlabel(label, fontsize=9)
        figure.supylabel(f"people of the place in each {formatting.span(width, period)} (%)", fontsize=9)
    return figure


_AXES: dict[float, Any] = {
    24.0: (range(0, 25, 6), [f"{hour}" for hour in range(0, 25, 6)], "time of day (hours)"),
    formatting.WEEK: (range(0, 168, 48), formatting.DAYS[::2], "time of the week, from 00:00 on"),
    formatting.TURN: (range(0, 361, 90), [f"{degrees}°" for degrees in range(0, 361, 90)], "heading"),
}
"""Ticks, their names and the label of a period."""


def _panels(drawn: int, asked: int, side: float) -> str:
    """How the panels lie, or how many of the places are drawn."""
    if side and drawn > 1:
        return "Panels lie as on a map, with north at the top."
    return f"The {drawn} places with the most people, of {asked}." if drawn < asked else ""


def _away(metres: float, before: str, after: str) -> str:
    return f"{formatting.length(abs(metres))} {before if metres < 0.0 else after}" if abs(metres) > 0.5 else "middle"
