"""Labels at the ends of curves: where they are put, and that faults of theirs are found."""

import numpy as np
import pytest
from looks import label_faults, labels_of, styled  # noqa: F401
from scipy.optimize import minimize

from study.core import figures

GAP, TOP = 9.0, 100.0


def programme(heights):
    """The least displacement as a quadratic programme, by a method that knows nothing of its form."""
    order = np.argsort(heights, kind="stable")
    apart = [{"type": "ineq", "fun": lambda z, i=i: z[i + 1] - z[i] - GAP} for i in range(len(heights) - 1)]
    start = np.linspace(GAP, TOP - GAP, len(heights))
    found = minimize(
        lambda z: np.mean((z - heights[order]) ** 2) / TOP, start,
        bounds=[(GAP / 2.0, TOP - GAP / 2.0)] * len(heights), constraints=apart, method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )  # fmt: skip
    assert found.success
    return found.x[np.argsort(order)]


def from_below(heights):
    """A wrong variant: from the lowest on, each label as near to its height as those below it allow."""
    order = np.argsort(heights, kind="stable")
    placed, last = np.empty(len(heights)), -GAP / 2.0
    for i in order:
        last = placed[i] = max(heights[i], last + GAP)
    return placed


@pytest.mark.parametrize("count", [1, 2, 5, 8, 11])
@pytest.mark.parametrize("spread", [(0.0, TOP), (40.0, 60.0), (90.0, 130.0), (7.0, 7.0)])
def test_labels_are_moved_least(count, spread):
    """The optimum is unique, so places agree; some heights are outside the panel, some are equal."""
    heights = np.random.default_rng([count, int(spread[0])]).uniform(*spread, count)
    placed = figures.least_moved(heights, GAP, TOP)
    assert np.allclose(placed, programme(heights), atol=0.01)
    assert (np.diff(np.sort(placed)) > GAP - 1e-9).all()
    assert placed.min() > GAP / 2.0 - 1e-9 and placed.max() < TOP - GAP / 2.0 + 1e-9
    assert (np.argsort(placed) == np.argsort(heights, kind="stable")).all()


def test_labels_from_below_are_moved_further():
    heights = np.array([30.0, 31.0, 32.0, 33.0, 60.0])
    placed = from_below(heights)
    assert np.diff(placed).min() == GAP and placed.max() < TOP - GAP / 2.0
    assert not np.allclose(placed, programme(heights), atol=1.0)
    best = figures.least_moved(heights, GAP, TOP)
    assert np.sum((best - heights) ** 2) < 0.8 * np.sum((placed - heights) ** 2)


def test_a_panel_without_curves_has_no_labels():
    assert figures.least_moved(np.array([]), GAP, TOP).size == 0


@pytest.fixture
def figure():
    """Two panels of curves that end at nearly the same heights."""
    drawn, axes = figures.panels(2)
    for ax in axes:
        for height in [1.0, 1.01, 1.01, 2.0]:
            ax.plot([1.0, 100.0], [3.0, height], label="a long name, published")
        ax.set(xscale="log", xlabel="abscissa", ylabel="ordinate", title="panel")
    figures.with_headline(drawn, "headline")
    return figures.label_panels(axes)


def test_labels_have_no_faults(figure):
    assert [len(labels_of(ax)) for ax in figure.axes] == [4, 4]
    assert not label_faults(figure)


@pytest.mark.parametrize("name", ["beside", "below", "left", "right", "up", "axis", "layout"])
def test_faults_are_found(figure, name):
    """Labels on one another, on numbers, in the panel, cut off, on a title; a wide axis; no room."""
    left, right = figure.axes
    first, second, *_, last = labels_of(right)
    if name == "beside":
        first.set_y(second.get_position()[1] + 7.0)
    elif name == "below":
        first.set(x=-30.0, y=-12.0)
    elif name == "left":
        first.set_x(-20.0)
    elif name == "right":
        last.set_x(15.0)
    elif name == "up":
        last.set(x=-100.0, y=72.0 / figure.dpi * right.bbox.height + 8.0)
    elif name == "axis":
        left.set_xlim(right=1e3)
    else:
        for label in labels_of(left):
            label.set_in_layout(False)
        figure.set_layout_engine("constrained")
    words = {"beside": "name", "below": "abscissa", "left": "panel", "right": "cut off", "up": "panel"}
    words |= {"axis": "beyond the data", "layout": "overlaps ordinate"}
    assert any(words[name] in fault for fault in label_faults(figure))


def test_a_label_of_a_curve_alone_is_at_its_end(figure):
    """Within a point at any resolution; the end of another curve is further off."""
    for figure.dpi in (72, 200):
        figure.draw_without_rendering()
        for ax in figure.axes:
            label = labels_of(ax)[-1]
            at = ax.bbox.y0 + label.get_position()[1] * figure.dpi / 72.0
            ends = ax.transData.transform([(100.0, 2.0), (100.0, 1.01)])[:, 1]
            assert abs(at - ends[0]) < figure.dpi / 72.0 < abs(at - ends[1])
