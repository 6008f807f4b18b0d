"""What is wrong with a figure in print: small, crowded or pale texts, and curves that are alike in grey.

A figure is drawn in the size in which it is printed, so its sizes in points are those on paper.
"""

import numpy as np
from matplotlib.axis import Axis, Tick
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox
from mpl_toolkits.mplot3d.art3d import Text3D
from mpl_toolkits.mplot3d.proj3d import proj_transform

from study.figures import COLUMN, MILLIMETRE, PAGE, READABLE, lightness

SMALLEST = 6.0  # points; indices and powers of formulas are smaller
APART = 9.0  # least difference of the lightness of two curves that only their colours tell apart


def faults(figure, resolutions=(300,)):
    """What is wrong with a figure as it is printed; none if all is well.

    It is as wide as one column of a journal or as both. Texts can be read, overlap no other text, and are
    inside the figure. No curve runs through a text of its panel. No two keys of a legend are alike in grey.
    """
    problems, before = [], figure.dpi
    if not np.isclose(figure.get_figwidth() / MILLIMETRE, (COLUMN, PAGE)).any():
        problems.append(f"{figure.get_figwidth() / MILLIMETRE:.1f} mm wide")
    for legend in figure.legends:
        problems += [f"{one} and {other} are alike in grey" for one, other in alike(legend)]
    for figure.dpi in resolutions:
        texts = drawn_texts(figure)
        problems += [f"{name_of(text)} is small" for text, _ in texts if text.get_fontsize() < SMALLEST]
        pale = [text for text, _ in texts if READABLE < lightness(text.get_color()) < 99.0]
        problems += [f"{name_of(text)} is pale" for text in pale]
        for place, (text, box) in enumerate(texts):
            if not (figure.bbox.contains(*box.min) and figure.bbox.contains(*box.max)):
                problems.append(f"{name_of(text)} is cut off")
            others = [name_of(other) for other, at in texts[:place] if box.overlaps(at)]
            problems += [f"{name_of(text)} overlaps {other}" for other in others]
            ax = text.axes
            inside = Bbox.intersection(box, ax.bbox) if ax and ax.name != "3d" else None
            if inside and any(crosses(line, inside) for line in ax.lines):
                problems.append(f"{name_of(text)} is crossed")
    figure.dpi = before
    return sorted(set(problems))


def name_of(text):
    """A text in one line."""
    return " ".join(text.get_text().split())


def drawn_texts(figure):
    """The texts that are drawn and their boxes: titles, labels, numbers of axes, legends and notes."""
    figure.draw_without_rendering()
    texts = [one for one in _visible(figure) if isinstance(one, Text) and one.get_text().strip()]
    return [(text, _box(text).padded(-1.0)) for text in texts if not _is_left_out(text)]


def _visible(artist):
    """An artist and all that is drawn in it, in this order; of an axis only the ticks within the view."""
    if not artist.get_visible():
        return
    yield artist
    for child in sorted(artist.get_children(), key=lambda child: child.get_zorder()):
        if isinstance(child, Axis) and (artist.name == "3d" or not artist.axison):  # balls have no axes
            continue
        if not isinstance(child, Tick) or _within(artist, child):
            yield from _visible(child)


def _is_left_out(text):
    """Whether a text is a note at a place outside of its panel, which is not drawn."""
    return isinstance(text, Annotation) and text.get_tightbbox().width < 0.0


def _box(text):
    """The box of a text alone: that of a note has its arrow in it, and that of a ball is not projected."""
    if not isinstance(text, Text3D):
        return Text.get_window_extent(text)
    place = text.get_position()
    text.set_position(proj_transform(*text.get_position_3d(), text.axes.get_proj())[:2])
    box = text.get_window_extent()
    text.set_position(place)
    return box


def _within(axis, tick):
    low, high = np.sort(axis.get_transform().transform(axis.get_view_interval()))
    rounding = 1e-10 * (high - low)
    return low - rounding <= axis.get_transform().transform(tick.get_loc()) <= high + rounding


def crosses(line, box):
    """Whether a curve runs through a box, or a point without a curve is in it."""
    if line.get_linestyle() == "None" or len(line.get_xydata()) < 2:
        return any(box.contains(*point) for point in line.get_transform().transform(line.get_xydata()))
    return line.get_path().transformed(line.get_transform()).intersects_bbox(box, filled=False)


def alike(legend):
    """Pairs of labels of a legend whose lines have one form (:func:`_form`) and nearly one lightness."""
    keys = zip(legend.legend_handles, legend.texts, strict=True)
    lines = [(line, text.get_text()) for line, text in keys if isinstance(line, Line2D)]
    for place, (line, name) in enumerate(lines):
        for other, of_other in lines[:place]:
            near = abs(lightness(line.get_color()) - lightness(other.get_color())) < APART
            if near and _form(line) == _form(other):
                yield of_other, name


def _form(line):
    """Dashes, width, marker and whether the marker is filled."""
    marker = line.get_marker()
    hollow = marker not in ("None", "", " ", None) and to_hex(line.get_markerfacecolor()) == "#ffffff"
    if line.get_linestyle() == "None":
        return marker, hollow
    return str(line._unscaled_dash_pattern), round(2.0 * line.get_linewidth()), marker, hollow
