"""The look of the study for tests of figures (`from looks import styled  # noqa: F401`), and their faults."""

from unittest import mock

import legibility
import matplotlib.pyplot as plt
import numpy as np
import pytest
from legibility import name_of
from matplotlib.text import Annotation, Text

from study import figures


@pytest.fixture(autouse=True)
def styled():
    """Run each test of the module as a rule's script is run, and close its figures afterwards.

    Files are written at the resolution of a screen. That of the style is tested in the smoke run.
    """
    with figures.styled():
        plt.rcParams["savefig.dpi"] = 100
        yield
        plt.close("all")


def labels_of(ax):
    """The labels that :func:`study.figures.label_panels` wrote beside a panel."""
    return [text for text in ax.texts if isinstance(text, Annotation) and text.arrow_patch]


def faults(figure, resolutions=(300, 100)):
    """What is wrong with a figure in print, at the resolution of a PNG file and at that of a screen.

    The layout is that of the first of them, as it is in the files of a figure: see :func:`figures.save`.
    """
    first, *others = resolutions
    found = legibility.faults(figure, [first])
    figure.set_layout_engine("none")
    return sorted({*found, *legibility.faults(figure, others)})


NUMBERS = """
value low high expected ratio ratio_low ratio_high ratio_to_floor ratio_expected people best share noisy
relative mean_angle_degrees responses cdf lost published_over_tight certified loss
""".split()
"""Columns whose numbers a title may print."""


def without_labels():
    """In the body no label is placed beside a panel, as that takes half the time of a figure."""
    return mock.patch.object(figures, "label_panels", lambda axes, *_, **__: axes[0].figure)


def title_follows(draw, *tables):
    """Whether the title of a figure is another one if the numbers of its tables are others."""
    with without_labels():
        return len({draw(*some).get_suptitle() for some in (tables, map(other, tables))}) == 2


def other(table):
    """A table with other numbers, and their ratios and order changed."""
    factors = np.linspace(3.0, 1.0, len(table))
    columns = [name for name in NUMBERS if name in table]
    return table.assign(**{name: (table[name] * factors).astype(table[name].dtype) for name in columns})


def label_faults(figure, resolutions=(300, 100)):
    """What is wrong with the labels beside panels and with the abscissae of these; none if all is well.

    A label overlaps no panel and no axis. An abscissa ends at most matplotlib's margin beyond the data.
    """
    panels = [ax for ax in figure.axes if labels_of(ax)]
    found = [] if panels else ["no labels"]
    found += [f"{ax.get_title()}: abscissa beyond the data" for ax in panels if _beyond(ax)]
    drawn_texts = legibility.drawn_texts

    def draw(figure):
        texts = drawn_texts(figure)
        things = [("panel", ax.bbox) for ax in figure.axes]
        every = [*figure.axes, *(child for ax in figure.axes for child in ax.child_axes)]
        axes = [axis for ax in every for axis in (ax.xaxis, ax.yaxis)]
        boxes = [(axis.get_label_text() or "axis", axis.get_tightbbox()) for axis in axes]
        things += [(name, box) for name, box in boxes if box]
        for label in (label for ax in panels for label in labels_of(ax)):
            box = Text.get_window_extent(label)
            found.extend(f"{name_of(label)} overlaps {name}" for name, at in things if box.overlaps(at))
        return texts

    with mock.patch.object(legibility, "drawn_texts", draw):  # both look at the same drawing
        return faults(figure, resolutions) + found


def _beyond(ax):
    forward = ax.xaxis.get_transform().transform
    siblings = ax.get_shared_x_axes().get_siblings(ax)
    data = forward(np.concatenate([sibling.dataLim.intervalx for sibling in siblings]))
    margin = (plt.rcParams["axes.xmargin"] + 1e-9) * np.ptp(data)
    return forward(ax.get_xlim()[1]) > data.max() + margin
