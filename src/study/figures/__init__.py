"""One look for all figures: the same colour and marker for the same mechanism everywhere.

Every figure is as wide as a column of a journal (:data:`COLUMN`), or as a page (:data:`PAGE`) if its panels
cannot stand below one another. It is drawn in its real size: a paper that includes it does not scale it, so
its texts have the sizes of the style.
"""

import contextlib
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy  # SciPy imports its submodules at their first use
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.colors import to_rgb
from matplotlib.container import ErrorbarContainer
from matplotlib.text import OffsetFrom
from matplotlib.ticker import LogLocator

from study.workflow.catalogue_rows import row as look
from study.workflow.job import job, moved_into_place
from study.workflow.printable import printable

MILLIMETRE = 1.0 / 25.4  # in inches
COLUMN, PAGE = 85.0, 174.0  # widths of a figure in mm: one column of a journal, or both
READABLE = 43.5  # lightness of the palest text: its contrast to a grey region is 4.5, the least of WCAG 2.2
NOTE = 6.5  # size of texts within a panel, in points
GAP = 8.0  # between labels of curves, in points
STYLE = Path(__file__).with_name("study.mplstyle")
LINES = {"published": "-", "tight": (0, (4, 1.5)), "mean vector": (0, (1.5, 1.5))}
REFERENCE = "0.45"  # grey of references and of theory
REGION = "0.9"  # background of a highlighted region
FAILURE = {"linestyle": "", "marker": "X", "color": "black"}  # no mechanism is black
PRINTED = FAILURE | {"marker": "*", "markersize": 6.5, "markerfacecolor": "white", "zorder": 4}
"""Look of a number that a paper prints."""
RING = FAILURE | {"marker": "o", "markersize": 5.0, "markeredgewidth": 0.7, "fillstyle": "none"}


@contextlib.contextmanager
def figure_job(snakemake):
    """Run the body of a rule's script as :func:`study.workflow.job.job` does, with the look of the study.

    The body gets the tables of the rule's input, in their order; each is read when it is asked for.
    """
    with job(snakemake), styled():
        yield map(pd.read_csv, snakemake.input)


def one_figure(snakemake, draw, *settings):
    """Run the script of a rule with one figure, which ``draw`` makes of the tables of its input and the settings."""
    with figure_job(snakemake) as tables:
        save(draw(*tables, *settings), snakemake.output)


@contextlib.contextmanager
def styled():
    """Draw without a screen and with the look of the study, whatever the user's settings of matplotlib."""
    with plt.style.context(["default", STYLE]):
        plt.switch_backend("Agg")
        yield


def rows_with(table, **values):
    """The rows of a table with these values in the named columns; floats need only be close."""
    for column, value in values.items():
        same = np.isclose(table[column], value) if isinstance(value, float) else table[column] == value
        table = table[same]
    return table


def label_of(mechanism, calibration, alone=False):
    """Short name of a mechanism, with its calibration unless it has only one."""
    return look(mechanism).label if alone else f"{look(mechanism).label}, {calibration}"


def line_of(table, mechanism, calibration):
    """Style and label of the curve of a mechanism among those of a table."""
    alone = rows_with(table, mechanism=mechanism)["calibration"].nunique() == 1
    row, label = look(mechanism), label_of(mechanism, calibration, alone)
    filled, above = (row.colour, 0.0) if calibration == "published" else ("white", 0.1)
    line = {"color": row.colour, "linestyle": LINES[calibration], "label": label, "zorder": 2.0 + above}
    return {**line, "marker": row.marker, "markerfacecolor": filled}


def handles_of(table):
    """Legend handles of the curves that :func:`draw_mechanisms` makes of a table."""
    curves = table.groupby(["mechanism", "calibration"], sort=False)
    return [handle(**line_of(table, *curve)) for curve, _ in curves]


def handle(label, **line):
    """Legend handle of a line with this style."""
    return plt.Line2D([], [], label=label, **line)


def region_handle(label):
    """Legend handle of a highlighted region."""
    return plt.Rectangle((0, 0), 1, 1, color=REGION, label=label)


def without_formulas(text):
    """A text of a configuration or a file for a figure: matplotlib would take two ``$`` for mathematics."""
    return printable(text).replace("$", r"\$")


def dataset_title(dataset):
    """Name of a dataset for a figure."""
    return without_formulas(dataset.replace("_", " "))


def population_title(population):
    """Name of a population for a panel's title."""
    everyone = population == "one_direction"
    return "everyone at one time" if everyone else f"check-ins: {dataset_title(population)}"


def panels(count, height=50.0, width=COLUMN, **kwargs):
    """Panels below one another, each ``height`` mm high and with numbers below it."""
    figure, axes = grid(count, 1, height, width, **kwargs)
    for ax in axes.flat:
        ax.tick_params(which="both", labelbottom=True)
    return figure, axes[:, 0]


def grid(rows, columns, height=30.0, width=PAGE, **kwargs):
    """Rows and columns of panels, each row ``height`` mm high, in a figure ``width`` mm wide."""
    size = (width * MILLIMETRE, (height * rows + 10.0) * MILLIMETRE)
    return plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained", **kwargs)


def cells(axes, rows, columns):
    """Yield each panel of a grid with the value of its row and that of its column."""
    for of_row, row in zip(axes, rows, strict=True):
        for ax, column in zip(of_row, columns, strict=True):
            yield ax, row, column


def label_grid(axes, titles=(), x_label="", y_labels=()):
    """Titles over the columns of a grid, one label under all of them, and labels beside the rows."""
    for ax, title in zip(axes[0], titles, strict=False):
        ax.set_title(title)
    label_below(axes, x_label)
    for row, label in zip(axes, y_labels, strict=False):
        row[0].set_ylabel(label)


def label_below(axes, text):
    """One label under the lowest of these panels, in their middle; a legend would lie on that of a figure."""
    rows = [ax.get_subplotspec().rowspan.start for ax in np.ravel(axes)]
    lowest = np.ravel(axes)[np.equal(rows, max(rows))]
    lowest[(len(lowest) - 1) // 2].set_xlabel(text, x=0.5 if len(lowest) % 2 else 1.05)


def angle_ticks(ax):
    """Make the abscissa one of angles with ticks at 0, π/2 and π."""
    ax.set_xticks([0.0, np.pi / 2.0, np.pi], ["0", "π/2", "π"])


def day_ticks(ax):
    """Make the abscissa one of the hours of a day."""
    ax.set(xlim=(0, 24), xticks=range(0, 25, 6))


def with_headline(figure, text, axes=(), more=(), legend=(), ncols=None):
    """The figure with its message over all panels, in one line, with a legend, and with labels of its curves.

    ``axes`` and ``more`` are for :func:`label_panels`. The handles of the legend, which is below all panels, are in
    two columns or, on a page, four, unless ``ncols`` says their number.
    """
    if legend:
        ncols = ncols or (4 if figure.get_figwidth() > 5.0 else 2)
        figure.legend(handles=legend, loc="outside lower center", ncols=ncols, frameon=False)
    figure.suptitle(text)
    return label_panels(axes, more) if len(axes) else figure


def lightness(colour):
    """Lightness L* (CIE 1976) of a colour, from 0 to 100: what is left of it in grey."""
    parts = np.array(to_rgb(colour))
    linear = np.where(parts > 0.04045, ((parts + 0.055) / 1.055) ** 2.4, parts / 12.92)
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    return 116.0 * np.cbrt(luminance) - 16.0 if luminance > 216.0 / 24389.0 else luminance * 24389.0 / 27.0


def ink(colour):
    """The colour, darkened as far as a text of it needs to be read on white."""
    parts = np.array(to_rgb(colour))
    while lightness(parts) > READABLE:
        parts *= 0.98
    return tuple(parts)


def nearest(values, wanted):
    """Of some levels that nearest to a wanted one, by their ratio: grids can be changed."""
    return min(set(values), key=lambda value: (abs(np.log(value / wanted)), value))


def draw_mechanisms(ax, table, x, beside=1.0, every=1):
    """Simulated values with 95 % intervals, joined by a line, and theory (dotted) against column ``x``.

    Two ways to see curves that coincide. The abscissae of each curve are ``beside`` times those of the curve
    before it, all together around the true ones. Of each curve every ``every``-th point has a marker and a
    bar, of the next curve the points after these.
    """
    curves = table.groupby(["mechanism", "calibration"], sort=False)
    for place, (cell, curve) in enumerate(curves):
        curve = curve.assign(**{x: curve[x] * beside ** (place - (curves.ngroups - 1) / 2.0)})
        curve, line = curve.sort_values(x), line_of(table, *cell)
        ax.plot(curve[x], curve["expected"], ":", color=line["color"], linewidth=0.8, zorder=1.5)
        marked = {"markevery": (place % every, every), "errorevery": (place % every, every)}
        draw_intervals(ax, curve, x, **line, **marked, capsize=1.2, elinewidth=0.6)


def draw_intervals(ax, table, x, **line):
    """Draw values with bars from ``low`` to ``high``."""
    error = [table["value"] - table["low"], table["high"] - table["value"]]
    ax.errorbar(table[x], table["value"], yerr=error, **line)


def scaled(table, factor):
    """A table with its values, intervals and expected values multiplied by ``factor``."""
    return table.assign(**{name: table[name] * factor for name in ("value", "low", "high", "expected")})


def label_panels(axes, more=()):
    """Write the label of each curve to the right of its panel, as near as possible to the curve's end.

    ``more`` are labels of reference lines: panel, position in it, text, colour. They stay at their lines, and
    those of curves give way. Labels are :data:`GAP` points apart or more.
    Call this last: it fixes the layout, with room for the labels. Returns the figure.
    """
    labels = {ax: {_label(ax, *end): 1.0 for end in _ends(ax)} for ax in axes}  # with weights
    for ax, *end in more:
        labels[ax][_label(ax, *end)] = 1e6
    figure = axes[0].figure
    figure.get_layout_engine().execute(figure)
    figure.set_layout_engine("none")  # at another resolution a new layout would move curves away from labels
    for ax, of_panel in labels.items():
        bottom, top = ax.bbox.y0, ax.bbox.y1
        heights = [ax.transData.transform(label.xy)[1] - bottom for label in of_panel]
        points = 72.0 / figure.dpi
        weights = np.array(list(of_panel.values()))
        placed = least_moved(points * np.array(heights), GAP, points * (top - bottom), weights)
        for label, height in zip(of_panel, placed, strict=True):
            label.set_y(height)
    return figure


def _ends(ax):
    """Last point, label and colour of each curve of a panel that has a label."""
    for drawn, label in zip(*ax.get_legend_handles_labels(), strict=True):
        line = drawn[0] if isinstance(drawn, ErrorbarContainer) else drawn
        points = line.get_xydata()
        finite = points[~np.isnan(points[:, 1])]
        if len(finite):
            yield finite[-1], label, line.get_color()


def least_moved(heights, gap, top, weights=None):
    """Nearest heights (least squares) at least ``gap`` apart, and half a gap away from 0 and ``top``."""
    order = np.argsort(heights, kind="stable")
    steps = gap * (np.arange(len(heights)) + 0.5)
    weights = None if weights is None else weights[order]
    placed = scipy.optimize.isotonic_regression(heights[order] - steps, weights=weights).x
    return (np.clip(placed, 0.0, top - gap * len(heights)) + steps)[np.argsort(order)]


def _label(ax, at, text, colour):
    beside = {"xytext": (7.0, 0.0), "textcoords": OffsetFrom(ax.transAxes, (1.0, 0.0)), "va": "center"}
    line = {"arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkA": 1, "shrinkB": 2, "relpos": (0.0, 0.5)}
    look = {"fontsize": 7, "color": ink(colour), "arrowprops": line}
    return ax.annotate(text, at, **beside, **look, annotation_clip=False)


def reference_line(ax, y, text="", **line):
    """A grey horizontal line with its meaning under the right end, where there are no curves."""
    ax.axhline(y, color=REFERENCE, linewidth=0.7, **line)
    if text:
        where = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "top"}
        write_beside(ax, text, (1.0, y), (-2, -2), **where)


def write_beside(ax, text, at, offset, color=REFERENCE, fontsize=NOTE, **kwargs):
    """Write a text at an offset in points (right, up) from a position in data coordinates."""
    kwargs |= {"xytext": offset, "textcoords": "offset points", "fontsize": fontsize}
    ax.annotate(text, at, color=None if color is None else ink(color), **kwargs)


def write_within(ax, text, at, color=REFERENCE, fontsize=NOTE):
    """Write a text in a corner of a panel; ``at`` is its outermost point, as shares of the panel."""
    corner = {"ha": "right" if at[0] > 0.5 else "left", "va": "top" if at[1] > 0.5 else "baseline"}
    write_beside(ax, text, at, (0, 0), color, fontsize, xycoords="axes fraction", **corner)


def ball_axes(ax, elevation, turn, half_width, zoom=1.0):
    """Show a ball around the origin in parallel projection, without axes; angles of view are in degrees."""
    ax.set_proj_type("ortho")
    ax.view_init(elev=elevation, azim=turn)
    ax.set_box_aspect((1, 1, 1), zoom=zoom)
    ax.set_axis_off()
    ax.set(xlim=(-half_width, half_width), ylim=(-half_width, half_width), zlim=(-half_width, half_width))


def sphere(meridians, parallels):
    """Points x, y, z of a unit sphere, each an array of meridians × parallels."""
    longitude, latitude = np.linspace(0.0, 2.0 * np.pi, meridians), np.linspace(0.0, np.pi, parallels)
    x, y = (np.outer(f(longitude), np.sin(latitude)) for f in (np.cos, np.sin))
    return x, y, np.outer(np.ones_like(longitude), np.cos(latitude))


def log_ticks(ax, ticks, labels):
    """Make the abscissa logarithmic with these ticks alone, and their labels."""
    ax.set(xscale="log", xticks=ticks, xticklabels=labels)
    ax.minorticks_off()


def plain_log_ticks(ax, name="y", between=(2, 5)):
    """Make an axis logarithmic with plain numbers at powers of ten and at these times each of them."""
    ax.set(**{f"{name}scale": "log"})
    axis = getattr(ax, f"{name}axis")
    axis.set_major_formatter("{x:g}")
    axis.set_minor_locator(LogLocator(subs=between))
    axis.set_minor_formatter("{x:g}")
    axis.set_tick_params(which="both", length=3.0)  # all numbers in one line


def save(figure, paths):
    """Write a figure to a PNG and a PDF file, with the same bytes every time."""
    figure.set_dpi(plt.rcParams["savefig.dpi"])  # also of pictures in a PDF file
    for path in paths:
        with moved_into_place(path) as temporary:  # without the trial drawing of `savefig`
            if str(path).endswith(".pdf"):
                FigureCanvasPdf(figure).print_pdf(temporary, metadata={"CreationDate": None})
            else:
                FigureCanvasAgg(figure).print_png(temporary, metadata={"Software": None})
        figure.set_layout_engine("none")  # the layout is done; to repeat it would take longer than drawing
    plt.close(figure)
