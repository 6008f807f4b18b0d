"""Pictures of what a level means, of histograms and of maps. Matplotlib is imported when one is drawn."""

import contextlib
import io
import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dirpriv._lib import words
from dirpriv._lib.rounding import upwards
from dirpriv.geometry import earth

if TYPE_CHECKING:
    from dirpriv._lib.types import Array
    from dirpriv.estimators import PrivateHistogram, PrivatePlaceDensity
    from dirpriv.release import CircleRelease

WIDTH = 170.0 / 25.4  # inches, the width of a page without its margins
MILLIMETRE = 72.0 / 25.4  # in points
LINE = 11.2  # points, of text of 8 points
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "0.4"  # told apart by the colour-blind (Okabe and Ito)
LOOK = {
    "axes.axisbelow": True,
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "legend.frameon": False,
    "pdf.fonttype": 42,
    "savefig.dpi": 150,
    "text.parse_math": False,  # names of columns may have dollar signs
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}


# ---------------------------------------------------------------------- files


def content(figure: Any, kind: str) -> bytes:
    """A figure as a PNG or a PDF; the same picture has the same bytes."""
    written = io.BytesIO()
    with _look():
        figure.savefig(written, format=kind, metadata={"CreationDate": None} if kind == "pdf" else None)
    return written.getvalue()


@contextlib.contextmanager
def _look() -> Iterator[None]:
    """Draw with one look, whatever the user's settings of matplotlib."""
    from matplotlib import style

    with style.context(["default", LOOK]):
        yield


def _figure(height: float, columns: int = 1, **kwargs: Any) -> tuple[Any, Any]:
    """A figure of the width of a page and of this height in millimetres, with its panels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height / 25.4))
    FigureCanvasAgg(figure)
    return figure, figure.subplots(1, columns, **kwargs)


def _wrapped(texts: Sequence[str]) -> list[str]:
    """Lines that are as wide as a picture."""
    return [line for text in texts for line in textwrap.wrap(text, 92)]


# ---------------------------------------------------------------------- times


def draw_histogram(
    found: "PrivateHistogram", period: float, title: str, note: str, warnings: Sequence[str]
) -> Any:
    """Shares of bins as bars, their intervals as bands, and the line of an even spread."""
    lines = _wrapped(warnings)
    with _look():
        figure, ax = _figure(85.0 + LINE / MILLIMETRE * len(lines))
        edges = found.edges / (2.0 * np.pi) * period
        widths, even = np.diff(edges), 100.0 / len(found.shares)
        left, shares = edges[:-1], 100.0 * found.shares
        low, high = 100.0 * found.low, 100.0 * found.high
        ax.bar(left, shares, widths, align="edge", color=BLUE, alpha=0.35, edgecolor="white", linewidth=0.5)
        middle = left + widths / 2.0
        ax.bar(middle, high - low, 0.5 * widths, bottom=low, color=BLUE, alpha=0.55, linewidth=0)
        ax.hlines(shares, left, edges[1:], color=BLUE, linewidth=1.6)
        ax.axhline(even, color=ORANGE, linewidth=1.0, linestyle=(0, (5, 2)))
        ax.annotate(
            "if the times were\nspread evenly", (1.0, even), xycoords=("axes fraction", "data"),
            xytext=(4, 0), textcoords="offset points", va="center", color=ORANGE, fontsize=8,
            annotation_clip=False,
        )  # fmt: skip
        top = float(high.max())
        ax.set(xlim=(0.0, period), ylim=(0.0, 1.05 * top))
        _time_axis(ax, period)
        width = words.duration(period / len(shares))
        ax.set_ylabel(f"share of the people in each {'hour' if width == '1 h' else width} (%)")
        above = LINE * len(lines)
        ax.set_title(title, loc="left", pad=18 + above)
        for text, height, colour in ((note, above, GREY), ("\n".join(lines), 0.0, ORANGE)):
            ax.annotate(
                text, (0.0, 1.0), xycoords="axes fraction", xytext=(0, 5 + height),
                textcoords="offset points", fontsize=8, color=colour,
            )  # fmt: skip
    return figure


def draw_times(release: "CircleRelease", within: str, level: float, at: float) -> Any:
    """Where the report of a person at a time of the day lands."""
    period, count = release.period, release.cells
    width = period / count
    cell = math.floor(at / width + 1e-9)
    steps = np.arange(count) - count // 2
    density = release.law.probabilities[steps % count] / width * 100.0  # per cent in an hour
    edges = (cell + np.append(steps, steps[-1] + 1)) * width
    order = np.argsort(np.abs(steps), kind="stable")
    held = np.empty(count)
    held[order] = np.cumsum(release.law.probabilities[steps[order] % count])
    with _look():
        figure, ax = _figure(75.0)
        shown = density.max() * 1.18
        for share, alpha in ((1.0, 0.15), (0.95, 0.25), (0.68, 0.45)):
            inside = np.flatnonzero(held <= share + 1e-12) if share < 1.0 else np.arange(count)
            if inside.size == 0:
                continue
            first, last = inside[0], inside[-1] + 1
            ax.stairs(
                density[first:last], edges[first : last + 1], fill=True, color=BLUE, alpha=alpha, linewidth=0
            )
            if share < 1.0 and last - first > 1:
                end = edges[last]
                ax.annotate(
                    f"{words.percent(share, 0)} of the reports", (end, density[last - 1]),
                    xytext=(8, 8), textcoords="offset points", fontsize=8, color=BLUE, va="bottom",
                    arrowprops={"arrowstyle": "-", "color": BLUE, "linewidth": 0.6},
                )  # fmt: skip
        ax.stairs(density, edges, color=BLUE, linewidth=1.2)
        ax.vlines(at, 0.0, shown, color=ORANGE, linewidth=1.2)
        ax.annotate(
            f"the person: {words.clock(at, period)}", (at, shown), xytext=(5, -2),
            textcoords="offset points", color=ORANGE, fontsize=8, va="top",
        )  # fmt: skip
        wide = int(np.searchsorted(np.sort(held), 0.999)) + 8  # cells that hold all but a few of the reports
        first, last = max(count // 2 - wide, 0), min(count // 2 + wide + 1, count)
        ax.set(xlim=(edges[first], edges[last]), ylim=(0.0, shown))
        _time_axis(ax, period)
        ax.set_ylabel("probability of a report (% per hour)")
        ax.set_title(
            f"Where the report of one person lands: level {upwards(level)} within {within}", loc="left"
        )
    return figure


def _time_axis(ax: Any, period: float) -> None:
    """Ticks at times of the day, or at days of the week, on an axis of hours."""
    first, last = ax.get_xlim()
    every = next(
        hours for hours in (1 / 12, 0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 24.0, period) if last - first <= 9 * hours
    )
    ticks = np.arange(math.ceil(first / every - 1e-9), math.floor(last / every + 1e-9) + 1) * every
    names = [words.clock(tick, period) for tick in ticks]
    if every == 24.0:
        names = [name.partition(" ")[0] for name in names]
    elif (first, last) == (0.0, 24.0):
        names[-1] = "24:00"
    ax.set_xticks(ticks, names)
    ax.set_xlabel("day of the week, from 00:00 on" if every == 24.0 else "time of day")


# ---------------------------------------------------------------------- places


def draw_reach(law: Any, within: str, level: float) -> Any:
    """Circles around a person that hold 50, 68 and 95 % of the reports."""
    radii = {share: float(law.radius_ppf(share)) for share in (0.95, 0.68, 0.5)}
    most = 1.08 * radii[0.95]
    with _look():
        from matplotlib.patches import Circle

        figure, ax = _figure(110.0)
        for (share, radius), turn in zip(radii.items(), (0.9, 0.45, 0.0), strict=True):
            ax.add_patch(Circle((0.0, 0.0), radius, facecolor=BLUE, alpha=0.22, linewidth=0))
            ax.add_patch(Circle((0.0, 0.0), radius, fill=False, edgecolor=BLUE, linewidth=0.8))
            ax.annotate(
                f"{words.percent(share, 0)} of the reports\nwithin {words.length(radius)}",
                (radius * math.cos(turn), radius * math.sin(turn)),
                (1.12 * most, radii[0.95] * math.sin(turn)),
                va="center", fontsize=8, color=BLUE, annotation_clip=False,
                arrowprops={"arrowstyle": "-", "color": BLUE, "linewidth": 0.6},
            )  # fmt: skip
        ax.plot(0.0, 0.0, marker="+", color=ORANGE, markersize=9, markeredgewidth=1.6)
        ax.annotate(
            "the person", (0.0, 0.0), xytext=(0, -6), textcoords="offset points", color=ORANGE, va="top",
            ha="center", fontsize=8,
        )  # fmt: skip
        ax.set(xlim=(-most, most), ylim=(-most, most), aspect="equal")
        ax.set(xlabel="metres east of the person", ylabel="metres north of the person")
        ax.set_title(f"How far the report of one person lands: level {upwards(level)} within {within}")
    return figure


def draw_map(
    found: "PrivatePlaceDensity",
    origin: tuple[float, float],
    title: str,
    note: str,
    disc: float,
    warnings: Sequence[str],
) -> Any:
    """Density of people on a map, and beside it how sure it is."""
    head, lines = [title, *_wrapped([note])], _wrapped(warnings)
    kilometres = found.edges / 1000.0
    area = float(kilometres[1] - kilometres[0]) ** 2
    per_area = found.count / area
    confidence = words.percent(found.confidence, 0)
    with _look():
        from matplotlib.colors import PowerNorm

        figure, axes = _figure(112.0 + LINE / MILLIMETRE * len(lines), 2, sharex=True, sharey=True)
        for ax, values, colours, name, label in (
            (axes[0], found.shares, "Blues", "Where the people are", "people per km²"),
            (
                axes[1],
                (found.high - found.low) / 2.0,
                "Oranges",
                "How sure that is",
                f"± people per km², half the {confidence} interval",
            ),
        ):
            most = max(float(values.max()) * per_area, 1e-300)
            drawn = ax.pcolormesh(
                kilometres, kilometres, per_area * values.T, cmap=colours, norm=PowerNorm(0.5, 0.0, most),
                rasterized=True,
            )  # fmt: skip
            ends = kilometres[[0, -1]]  # the circle may be larger
            ax.set(aspect="equal", xlabel="km east of the origin", xlim=ends, ylim=ends)
            bar = figure.colorbar(drawn, ax=ax, location="bottom", label=label, shrink=0.9, pad=0.02)
            # a third, two thirds and all of the way along the root of the density
            ticks = np.array([0.0, 0.1, 0.4, 1.0]) * _round_number(
                most, (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
            )
            bar.set_ticks(ticks, labels=[f"{tick:g}" for tick in ticks])
            bar.minorticks_off()
            _degrees(ax, origin)
            _outline(ax, disc / 1000.0)
            ax.set_title(name)
        axes[0].set_ylabel("km north of the origin")
        _smallest_areas(axes[0], found, kilometres)
        _scale_bar(axes[0], kilometres)
        top = {"x": 0.01, "y": 0.995, "ha": "left", "va": "top", "fontsize": 8}
        figure.suptitle("\n".join(head + [""] * len(lines)), color=GREY, **top)
        figure.text(s="\n".join([""] * len(head) + lines), color=ORANGE, **top)
    return figure


def _smallest_areas(ax: Any, found: "PrivatePlaceDensity", kilometres: "Array") -> None:
    """Borders of the fewest cells with half and with nine tenths of the people."""
    from matplotlib.collections import LineCollection

    order = np.argsort(found.shares, axis=None)[::-1]
    held = np.cumsum(found.shares.ravel()[order])
    handles = []
    for share, style, name in ((0.5, "-", "half of the people"), (0.9, ":", "nine tenths")):
        inside = np.zeros(found.shares.size, dtype=bool)
        inside[order[: int(np.searchsorted(held, share)) + 1]] = True
        framed = np.pad(inside.reshape(found.shares.shape), 1)
        # sides between a cell of the area and one that is not
        i, j = np.nonzero(framed[1:, 1:-1] != framed[:-1, 1:-1])
        sides = [
            np.array([[kilometres[x], kilometres[y + k]] for k in (0, 1)]) for x, y in zip(i, j, strict=True)
        ]
        i, j = np.nonzero(framed[1:-1, 1:] != framed[1:-1, :-1])
        sides += [
            np.array([[kilometres[x + k], kilometres[y]] for k in (0, 1)]) for x, y in zip(i, j, strict=True)
        ]
        lines = LineCollection(sides, colors="black", linewidths=0.9, linestyles=style, label=name)
        handles.append(ax.add_collection(lines, autolim=False))
    ax.legend(handles=handles, loc="upper left", fontsize=7, borderaxespad=0.2, handlelength=1.6)


def _outline(ax: Any, radius: float) -> None:
    from matplotlib.patches import Circle

    ax.add_patch(Circle((0.0, 0.0), radius, fill=False, edgecolor=GREY, linewidth=0.8))


def _scale_bar(ax: Any, kilometres: "Array") -> None:
    """A bar of a round length, and where north is."""
    side = float(kilometres[-1] - kilometres[0])
    bar = _round_number(side / 5.0)
    x, y = kilometres[0] + 0.06 * side, kilometres[0] + 0.06 * side
    ax.plot([x, x + bar], [y, y], color="black", linewidth=2.0, solid_capstyle="butt")
    ax.annotate(
        words.length(1000.0 * bar), (x + bar / 2.0, y), xytext=(0, 3), textcoords="offset points",
        ha="center", fontsize=8,
    )  # fmt: skip
    ax.annotate(
        "N", (0.94, 0.82), (0.94, 0.95), xycoords="axes fraction", ha="center", va="center", fontsize=8,
        arrowprops={"arrowstyle": "<-", "linewidth": 1.0},
    )  # fmt: skip


def _degrees(ax: Any, origin: tuple[float, float]) -> None:
    """Degrees on the upper and the right frame, where the axes through the origin have them."""
    low, high = ax.get_xlim()
    along = np.linspace(low, high, 201)
    for axis, bearing, column in (
        (ax.secondary_xaxis("top"), 90.0, 1),
        (ax.secondary_yaxis("right"), 0.0, 0),
    ):
        places = earth.destination(origin, np.deg2rad(np.full(201, bearing)), 1000.0 * along)
        degrees = places[:, column]
        if column == 1:
            degrees = np.rad2deg(np.unwrap(np.deg2rad(degrees)))
        if np.any(np.diff(degrees) <= 0.0):  # beyond a pole
            axis.set_axis_off()
            continue
        every = _round_number(float(np.ptp(degrees)) / 2.0)
        ticks = np.arange(math.ceil(degrees[0] / every), math.floor(degrees[-1] / every) + 1) * every
        digits = max(0, -math.floor(math.log10(every)))
        axis.set_ticks(
            np.interp(ticks, degrees, along),
            [f"{(tick + 180.0) % 360.0 - 180.0 if column else tick:.{digits}f}°" for tick in ticks],
            fontsize=7,
        )
        axis.tick_params(length=2, pad=1)


def _round_number(value: float, factors: Sequence[float] = (1.0, 2.0, 5.0)) -> float:
    """The largest of these numbers times a power of ten that is not above the value."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(factor * power for factor in factors if factor * power <= value * (1.0 + 1e-9))
