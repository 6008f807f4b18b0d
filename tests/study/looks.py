"""The look of the study for tests of figures (`from looks import styled  # noqa: F401`), and their faults."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Annotation, Text

from study.core import figures


@pytest.fixture(autouse=True)
def styled():
    """Run each test of the module as a rule's script is run, and close its figures afterwards."""
    with figures.styled():
        yield
        plt.close("all")


def labels_of(ax):
    """The labels that :func:`study.core.figures.label_panels` wrote beside a panel."""
    return [text for text in ax.texts if isinstance(text, Annotation) and text.arrow_patch]


def label_faults(figure, resolutions=(100, 200)):
    """What is wrong with the labels beside panels and with the abscissae of these; none if all is well.

    A label overlaps no panel, axis, title or other text, and is inside the figure, at the resolution of a
    screen and of a PNG file. An abscissa ends at most matplotlib's margin beyond the data.
    """
    panels = [ax for ax in figure.axes if labels_of(ax)]
    faults = [] if panels else ["no labels"]
    faults += [f"{ax.get_title()}: abscissa beyond the data" for ax in panels if _beyond(ax)]
    for figure.dpi in resolutions:
        figure.draw_without_rendering()
        things = {id(text): (text.get_text(), Text.get_window_extent(text)) for text in _texts(figure)}
        things |= {id(ax): ("panel", ax.bbox) for ax in figure.axes}
        every = [*figure.axes, *(child for ax in figure.axes for child in ax.child_axes)]
        axes = [axis for ax in every for axis in (ax.xaxis, ax.yaxis) if axis.get_tightbbox()]
        things |= {id(axis): (axis.get_label_text() or "axis", axis.get_tightbbox()) for axis in axes}
        for label in (label for ax in panels for label in labels_of(ax)):
            text, box = things[id(label)]
            others = [name for other, (name, at) in things.items() if other != id(label) and box.overlaps(at)]
            faults += [f"{text} overlaps {name} at {figure.dpi} dpi" for name in others]
            if not (figure.bbox.contains(*box.min) and figure.bbox.contains(*box.max)):
                faults.append(f"{text} is cut off at {figure.dpi} dpi")
    return faults


def _texts(figure):
    of_panels = [text for ax in figure.axes for text in (ax.title, *ax.texts)]
    return [text for text in (*figure.texts, *of_panels) if text.get_text()]


def _beyond(ax):
    forward = ax.xaxis.get_transform().transform
    siblings = ax.get_shared_x_axes().get_siblings(ax)
    data = forward(np.concatenate([sibling.dataLim.intervalx for sibling in siblings]))
    margin = (plt.rcParams["axes.xmargin"] + 1e-9) * np.ptp(data)
    return forward(ax.get_xlim()[1]) > data.max() + margin
