"""The look of the study for tests of figures (`from looks import styled  # noqa: F401`), and their faults."""

from unittest import mock

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from study.core import figures

SMALLEST = 6.0  # points; indices and powers of formulas are smaller


@pytest.fixture(autouse=True)
def styled():
    """Run each test of the module as a rule's script is run, and close its figures afterwards."""
    with figures.styled():
        yield
        plt.close("all")


def labels_of(ax):
    """The labels that :func:`study.core.figures.label_panels` wrote beside a panel."""
    return [text for text in ax.texts if isinstance(text, Annotation) and text.arrow_patch]


def faults(figure, resolutions=(100, 300)):
    """What is wrong with a figure as it is printed; none if all is well.

    It is as wide as one column of a journal or as both. Texts can be read, overlap no other text, and are
    inside the figure, at the resolution of a screen and of a PNG file. No curve runs through a text of its
    panel. Labels beside panels overlap no panel and no axis.
    """
    found = []
    if not np.isclose(figure.get_figwidth() * 25.4, (figures.COLUMN, figures.PAGE)).any():
        found.append(f"{figure.get_figwidth() * 25.4:.1f} mm wide")
    for figure.dpi in resolutions:
        texts = drawn_texts(figure)
        found += [f"{name_of(text)} is small" for text, _ in texts if text.get_fontsize() < SMALLEST]
        for place, (text, box) in enumerate(texts):
            if not (figure.bbox.contains(*box.min) and figure.bbox.contains(*box.max)):
                found.append(f"{name_of(text)} is cut off")
            others = [name_of(other) for other, at in texts[:place] if box.overlaps(at)]
            found += [f"{name_of(text)} overlaps {other}" for other in others]
            ax = text.axes
            inside = Bbox.intersection(box, ax.bbox) if ax and ax.name != "3d" else None
            if inside and any(crosses(line, inside) for line in ax.lines):
                found.append(f"{name_of(text)} is crossed")
    return sorted(set(found))


def name_of(text):
    """A text in one line."""
    return " ".join(text.get_text().split())


def drawn_texts(figure):
    """The texts that are drawn and their boxes: titles, labels, numbers of axes, legends and notes."""
    drawn = []

    def draw(text, renderer):
        drawn.append((text, Text.get_window_extent(text, renderer).padded(-1.0)))

    with mock.patch.object(Text, "draw", draw):
        figure.draw_without_rendering()
    return [(text, box) for text, box in drawn if text.get_visible() and text.get_text().strip()]


def crosses(line, box):
    """Whether a curve runs through a box, or a point without a curve is in it."""
    if line.get_linestyle() == "None" or len(line.get_xydata()) < 2:
        return any(box.contains(*point) for point in line.get_transform().transform(line.get_xydata()))
    return line.get_path().transformed(line.get_transform()).intersects_bbox(box, filled=False)


def label_faults(figure, resolutions=(100, 300)):
    """What is wrong with the labels beside panels and with the abscissae of these; none if all is well.

    A label overlaps no panel and no axis. An abscissa ends at most matplotlib's margin beyond the data.
    """
    panels = [ax for ax in figure.axes if labels_of(ax)]
    found = [] if panels else ["no labels"]
    found += [f"{ax.get_title()}: abscissa beyond the data" for ax in panels if _beyond(ax)]
    for figure.dpi in resolutions:
        figure.draw_without_rendering()
        things = [("panel", ax.bbox) for ax in figure.axes]
        every = [*figure.axes, *(child for ax in figure.axes for child in ax.child_axes)]
        axes = [axis for ax in every for axis in (ax.xaxis, ax.yaxis) if axis.get_tightbbox()]
        things += [(axis.get_label_text() or "axis", axis.get_tightbbox()) for axis in axes]
        for label in (label for ax in panels for label in labels_of(ax)):
            box = Text.get_window_extent(label)
            found += [f"{name_of(label)} overlaps {name}" for name, at in things if box.overlaps(at)]
    return found + faults(figure, resolutions)


def _beyond(ax):
    forward = ax.xaxis.get_transform().transform
    siblings = ax.get_shared_x_axes().get_siblings(ax)
    data = forward(np.concatenate([sibling.dataLim.intervalx for sibling in siblings]))
    margin = (plt.rcParams["axes.xmargin"] + 1e-9) * np.ptp(data)
    return forward(ax.get_xlim()[1]) > data.max() + margin
