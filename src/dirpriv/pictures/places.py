"""Pictures of places: maps, and what a level means for the report of one person."""

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._lib import formatting
from dirpriv.exact.plane_cells import seen_from
from dirpriv.geometry import earth
from dirpriv.pictures.figure_style import BLUE, GREY, LEADER, ORANGE, headed, look, new_figure, note, wrapped

_PAPER = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # behind words, which may lie on a hatched border

if TYPE_CHECKING:
    from dirpriv._lib.types import Array
    from dirpriv.estimators import PlaceDensityEstimate


def draw_place_noise(noise: Any, *, guarantee: str = "") -> Any:
    """Circles around a person that hold 50, 68 and 95 % of the reports.

    Parameters
    ----------
    noise : dirpriv.distributions.PlanarLaplace or dirpriv.release.PlaneTableDistribution
        Of the reports, in metres: the ``noise`` of a mechanism or a release of places.
    guarantee : str, keyword-only
        Its level for the title, as ``"level 1 within 200m"``.

    Examples
    --------
    >>> from dirpriv import distributions, pictures
    >>> pictures.draw_place_noise(distributions.PlanarLaplace(0.005)).axes[0].get_xlabel()
    'metres east of the person'
    """
    radii = {share: float(noise.radius_ppf(share)) for share in (0.95, 0.68, 0.5)}
    most = 1.08 * radii[0.95]
    with look():
        from matplotlib.patches import Circle

        figure, ax = new_figure(110.0)
        for (share, radius), turn in zip(radii.items(), (0.9, 0.45, 0.0), strict=True):
            ax.add_patch(Circle((0.0, 0.0), radius, facecolor=BLUE, alpha=0.22, linewidth=0))
            ax.add_patch(Circle((0.0, 0.0), radius, fill=False, edgecolor=BLUE, linewidth=0.8))
            ax.annotate(
                f"{formatting.percent(share, 0)} of the reports\nwithin {formatting.length(radius)}",
                (radius * math.cos(turn), radius * math.sin(turn)),
                (1.12 * most, radii[0.95] * math.sin(turn)),
                va="center", fontsize=8, color=BLUE, annotation_clip=False, arrowprops=LEADER,
            )  # fmt: skip
        ax.plot(0.0, 0.0, marker="+", color=ORANGE, markersize=9, markeredgewidth=1.6)
        note(ax, "the person", (0.0, 0.0), (0, -6), color=ORANGE, va="top", ha="center")
        ax.set(xlim=(-most, most), ylim=(-most, most), aspect="equal")
        ax.set(xlabel="metres east of the person", ylabel="metres north of the person")
        ax.set_title(headed("How far the report of one person lands", guarantee))
    return figure


def draw_map(
    density: "PlaceDensityEstimate",
    origin: tuple[float, float],
    *,
    region: float | None = None,
    border: float | None = None,
    rounding: float = 0.0,
    outlines: Sequence[ArrayLike] = (),
    title: str = "",
    warnings: Sequence[str] = (),
) -> Any:
    """Density of people on a map, with its intervals beside it, in per cent of the people.

    The colours of the intervals reach to the share of the fullest district. Cells on the border of the region
    are hatched, because all places beyond the region count there. Cells beyond it are not drawn. A density
    through a blur is drawn where the intervals of all districts together show that people are there.

    Parameters
    ----------
    density : dirpriv.estimators.PlaceDensityEstimate
        The estimate, of positions in metres; its warning is written above the maps.
    origin : tuple of float
        Latitude and longitude in degrees of the middle of the map.
    region : float, optional, keyword-only
        Radius in metres of the region of the release, whose border is shown.
    border : float, optional, keyword-only
        Share of the released cells that lie in the hatched cells.
    rounding : float, keyword-only
        Metres by which places were moved to the middle of a cell, at most.
    outlines : sequence of array_like, keyword-only
        Lines to draw, such as a coast or borders: latitudes and longitudes in degrees of the points of each, (n, 2).
    title, warnings : str and sequence of str, keyword-only
        The first line, by default the number of reports; lines above the warning of the estimate.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, distributions, pictures
    >>> distribution = distributions.PlanarLaplace(0.01)
    >>> reports = distribution.rvs(np.full((300, 2), 500.0), rng=1)
    >>> density = estimators.estimate_place_density(reports, distribution, reach=2000.0, cells=12, districts=2)
    >>> [ax.get_title("left") for ax in pictures.draw_map(density, (40.75, -73.98)).axes[:2]]
    ['Where the people are', 'How sure that is']
    """
    smooth, end = density.intervals == "smooth", np.inf if region is None else region
    cells, written = (density.on_border(end, rounding=rounding), not smooth and len(density.districts) <= 11)
    if density.blur:
        about = f"Seen through a blur of {formatting.length(density.blur)}: each person counts up to "
        about += f"{formatting.length(1.5 * density.blur)} away. Blank: it is not certain that anybody is there."
        about += " Numbers: between how many per km²." * written
    else:
        about = f"{formatting.grid(density.edges)}."
        about += " Intervals: if the density changes smoothly." * smooth
        about += " Numbers: between how many per cent of the people each district has, wherever they are." * written
    if density.shares.min() < 0.0:
        about += " Shares that noise has made negative are drawn as 0."
    if number := int(density.outside.sum()):
        about += f" In {number} districts the estimate is outside of its interval: trust the interval."
    if region is not None:
        about += f" Hatched: {formatting.on_border(float(density.shares[cells].sum()), border)}"
    head = [title or f"{density.count} private reports", *wrapped([about])]
    lines = wrapped([*warnings, *formatting.warning(density.warning)])
    kilometres, districts = density.edges / 1000.0, density.districts / 1000.0
    drawn_lines = [_kilometres(origin, earth._checked("outlines", line)) for line in outlines]
    grey: dict[str, Any] = {"facecolor": "none", "edgecolor": GREY}
    with look():
        from matplotlib.collections import LineCollection, PolyCollection
        from matplotlib.colors import PowerNorm
        from matplotlib.patches import Circle

        figure, axes = new_figure(112.0, 2, len(head) + len(lines) - 2, sharex=True, sharey=True)
        unit, scale, fine = "per cent of the people", 100.0, density
        people = density.shares * (density.count / float(kilometres[1] - kilometres[0]) ** 2)
        if density.blur:
            unit, scale = "people per km²", density.count / (density.blur / 1000.0) ** 2
            fine = dataclasses.replace(density, edges=np.linspace(density.edges[0], density.edges[-1], 193))
            people = _seen(density, fine.edges) * scale
        half = f"± {unit}, half the {formatting.percent(density.confidence, 0)} interval"
        halves, fullest = scale / 2.0 * (density.high - density.low), scale * float(density.in_districts.max())
        for ax, borders, values, least, colours, name, label in (
            (axes[0], fine.edges / 1000.0, people, 1e-300, "Blues", "Where the people are", "people per km²"),
            (axes[1], districts, halves, fullest, "Oranges", "How sure that is", half),
        ):
            hidden = fine.beyond(end, districts=ax is axes[1], rounding=rounding)
            values = np.ma.masked_where(hidden | np.isnan(values), values)
            most = max(float(values.max()) if values.count() else fullest, least)
            shades = {"cmap": colours, "norm": PowerNorm(0.5, 0.0, most), "rasterized": True}
            drawn = ax.pcolormesh(borders, borders, values.T, **shades)
            ends = kilometres[[0, -1]]  # the circle may be larger
            ax.set(title=name, aspect="equal", xlabel="km east of the centre", xlim=ends, ylim=ends)
            bar = figure.colorbar(drawn, ax=ax, location="bottom", label=label, shrink=0.9, pad=0.02)
            # a third, two thirds and all of the way along the root of the density
            last = _round_number(most, (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0))
            ticks = np.array([0.0, 0.1, 0.4, 1.0]) * last
            bar.set_ticks(ticks, labels=[f"{tick:,.15g}" if tick >= 1e-4 else f"{tick:g}" for tick in ticks])
            bar.minorticks_off()
            _degrees(ax, density, origin)
            if region is not None:
                ax.add_patch(Circle((0.0, 0.0), region / 1000.0, linewidth=0.8, **grey))
            ax.add_collection(LineCollection(drawn_lines, colors="black", linewidths=0.7), autolim=False)
        corners = kilometres[np.argwhere(cells)[:, None] + [[0, 0], [1, 0], [1, 1], [0, 1]]]
        hatch = "x" * min(max(len(kilometres) // 8, 2), 5)  # large cells are seen through it
        axes[0].add_collection(PolyCollection(corners, hatch=hatch, linewidth=0.0, **grey), autolim=False)
        axes[0].set_ylabel("km north of the centre")
        if density.blur:
            _one_person(axes[0], density.blur / 1000.0, kilometres)
        _scale_bar(axes[0], kilometres)
        if written:
            _intervals(axes[1], density, values, most, scale)
        top = {"x": 0.01, "y": 0.995, "ha": "left", "va": "top", "fontsize": 8}
        figure.suptitle("\n".join(head + [""] * len(lines)), color=GREY, **top)
        figure.text(s="\n".join([""] * len(head) + lines), color=ORANGE, **top)
    return figure


def _kilometres(origin: tuple[float, float], line: "Array") -> "Array":
    """Places of a line on the map, in kilometres; the line has a gap where it is an eighth of a turn away."""
    east, north, sine, cosine = seen_from(origin, line[:, 0], line[:, 1])
    distance = np.where(cosine > math.sqrt(0.5), earth.EARTH_RADIUS / 1000.0 * np.arctan2(sine, cosine), np.nan)
    return np.stack([east, north], axis=1) * (distance / np.where(sine > 0.0, sine, 1.0))[:, None]


def _seen(density: "PlaceDensityEstimate", borders: "Array") -> "Array":
    """The estimate through the blur between these borders, nan where the band of all districts together reaches 0."""
    at, of = ((ends[1:] + ends[:-1]) / 2.0 for ends in (borders, density.districts))
    low = np.asarray(density.low_everywhere)
    for axis in (0, 1):
        low = np.apply_along_axis(lambda along: np.interp(at, of, along), axis, low)
    return np.where(low > 0.0, density.blurred(at), np.nan)


def _one_person(ax: Any, blur: float, kilometres: "Array") -> None:
    """How far the blur carries a person, if there is room for it."""
    from matplotlib.patches import Circle

    side = float(kilometres[-1] - kilometres[0])
    if (reach := 1.5 * blur) <= 0.2 * side:
        middle = kilometres[-1] - 1.1 * reach, kilometres[0] + 1.1 * reach
        look = {"facecolor": "white", "edgecolor": GREY, "linewidth": 0.8, "linestyle": "--", "zorder": 3.0}
        ax.add_patch(Circle(middle, reach, **look))
        if reach > 0.08 * side:  # the words fit into it
            note(ax, "one\nperson\nlooks so", middle, (0, 0), ha="center", va="center")
        else:
            note(ax, "one person looks so", (middle[0] + reach, middle[1] + reach), (0, 2), ha="right", bbox=_PAPER)


def _intervals(ax: Any, places: "PlaceDensityEstimate", halves: Any, most: float, scale: float) -> None:
    """The interval of each district that is drawn, rounded outwards, written into it."""
    middles = (places.districts[1:] + places.districts[:-1]) / 2000.0
    for x, y in np.argwhere(~np.ma.getmaskarray(halves)):
        low, high = math.floor(scale * places.low[x, y] + 1e-9), math.ceil(scale * places.high[x, y] - 1e-9)
        ends = f"{low}–{high}" if high < 100 else f"{low}–\n{high}"
        wide = halves[x, y] > 0.4 * most  # on a dark ground
        look = {"ha": "center", "va": "center", "fontsize": 5.5, "color": "white" if wide else "black"}
        ax.text(middles[x], middles[y], ends, **look)


def _scale_bar(ax: Any, kilometres: "Array") -> None:
    """A bar of a round length, and where north is."""
    side = float(kilometres[-1] - kilometres[0])
    bar = _round_number(side / 5.0)
    x = y = kilometres[0] + 0.06 * side
    ax.plot([x, x + bar], [y, y], color="black", linewidth=2.0, solid_capstyle="butt")
    note(ax, formatting.length(1000.0 * bar), (x + bar / 2.0, y), (0, 3), ha="center", bbox=_PAPER)
    ax.annotate(
        "N", (0.94, 0.82), (0.94, 0.95), xycoords="axes fraction", ha="center", va="center", fontsize=8,
        arrowprops={"arrowstyle": "<-", "linewidth": 1.0},
    )  # fmt: skip


def _degrees(ax: Any, density: "PlaceDensityEstimate", origin: tuple[float, float]) -> None:
    """Lines of round degrees, with their names on the upper and the right frame."""
    low, high = ax.get_xlim()
    along = np.linspace(low, high, 201)
    few = along[::5]
    field = density.places(origin, *np.meshgrid(1000.0 * few, 1000.0 * few))
    metres = 1000.0 * along
    sides = (ax.secondary_xaxis("top"), metres, 0.0, 1), (ax.secondary_yaxis("right"), 0.0, metres, 0)
    for axis, east, north, column in sides:
        degrees = np.rad2deg(np.unwrap(np.deg2rad(density.places(origin, east, north)[:, column])))
        if np.any(np.diff(degrees) <= 0.0):  # beyond a pole
            axis.set_axis_off()
            continue
        every = _round_number(float(np.ptp(degrees)) / 2.0)
        ticks = np.arange(math.ceil(degrees[0] / every), math.floor(degrees[-1] / every) + 1) * every
        digits = max(2, -math.floor(math.log10(every)))
        values = degrees[100] + (field[..., column] - degrees[100] + 180.0) % 360.0 - 180.0
        ax.contour(few, few, values, ticks, colors=GREY, linewidths=0.3, linestyles="solid")
        names = [f"{(tick + 180.0) % 360.0 - 180.0 if column else tick:.{digits}f}°" for tick in ticks]
        axis.set_ticks(np.interp(ticks, degrees, along), names, fontsize=7)
        axis.tick_params(length=2, pad=1)


def _round_number(value: float, factors: Sequence[float] = (1.0, 2.0, 5.0)) -> float:
    """The largest of these numbers times a power of ten that is not above the value."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(factor * power for factor in factors if factor * power <= value * (1.0 + 1e-9))
