"""Figures as they are printed: sizes and files, labels at the ends of curves, and that faults are found."""

import pickle
import re
import runpy
import struct
from pathlib import Path

import legibility
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from looks import faults, label_faults, labels_of, styled  # noqa: F401
from matplotlib.colors import to_rgb
from scipy.optimize import minimize
from sweeps import swept

from study import figures

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


@pytest.fixture(scope="module")
def pickled():
    """Two panels of curves that end at nearly the same heights."""
    with figures.styled():
        drawn, axes = figures.grid(1, 2, 55.0, figures.PAGE)
        axes = axes[0]
        for ax in axes:
            for height in [1.0, 1.01, 1.01, 2.0]:
                ax.plot([1.0, 100.0], [3.0, height], label="a long name, published")
            ax.set(xscale="log", xlabel="abscissa", ylabel="ordinate", title="panel")
        figures.with_headline(drawn, "headline")
        return pickle.dumps(figures.label_panels(axes))


@pytest.fixture
def figure(pickled):
    """A copy of these panels, to be altered."""
    return pickle.loads(pickled)


def test_labels_of_references_stay_and_those_of_curves_give_way():
    heights = np.array([50.0, 51.0, 49.0, 20.0])
    placed = figures.least_moved(heights, GAP, TOP, np.array([1.0, 1.0, 1e6, 1.0]))
    assert np.allclose(placed, [58.0, 67.0, 49.0, 20.0], atol=1e-3)
    assert abs(figures.least_moved(heights, GAP, TOP) - heights)[2] > 1.0


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
    assert any(words[name] in fault for fault in label_faults(figure, (300,)))


FAULTS = ("scaled", "small", "pale", "on a title", "on a number", "on a curve", "outside")


def test_only_texts_that_are_drawn_count():
    """Not hidden ones, labels of a panel without axes, numbers beyond the view, or notes outside of it."""
    drawn, (left, right) = plt.subplots(1, 2, figsize=(3.4, 2.0))
    left.set(xticks=[0.0, 1.0, 2.0], xlim=(0.0, 1.0), xlabel="x", ylabel="hidden", yticks=[])
    left.yaxis.label.set_visible(False)
    left.annotate("inside", (0.5, 0.5))
    left.annotate("outside", (3.0, 0.5))
    right.set_axis_off()
    right.set(title="no axes", xlabel="none")
    texts = [text.get_text() for text, _ in legibility.drawn_texts(drawn)]
    assert sorted(texts) == ["0", "1", "inside", "no axes", "x"]


def test_a_text_in_space_is_where_it_is_drawn():
    drawn, ax = plt.subplots(subplot_kw={"projection": "3d"}, figsize=(3.4, 3.4))
    figures.ball_axes(ax, 0.0, 0.0, half_width=1.0)  # seen along the first axis
    ax.text(0.5, 0.8, 0.0, "right")
    ax.text(0.5, 0.0, 0.8, "above")
    boxes = {text.get_text(): box for text, box in legibility.drawn_texts(drawn)}
    assert boxes["right"].x0 > boxes["above"].x1 and boxes["above"].y0 > boxes["right"].y1
    assert all(drawn.bbox.contains(*box.min) for box in boxes.values())


@pytest.mark.parametrize("name", FAULTS)
def test_faults_in_print_are_found(figure, name):
    """A figure to be scaled, texts too small or too pale to read, on others, on a curve, and cut off."""
    ax = figure.axes[0]
    if name == "scaled":
        figure.set_figwidth(8.6)
    elif name == "small":
        figures.write_within(ax, "note", (0.98, 0.98), fontsize=5.9)
    elif name == "pale":
        ax.text(0.98, 0.98, "note", transform=ax.transAxes, ha="right", va="top", color="0.45")
    elif name == "outside":
        figure.text(0.995, 0.5, "note")
    else:
        x, y = {"on a title": (0.5, 1.03), "on a number": (-0.08, 0.0), "on a curve": (0.5, 0.45)}[name]
        ax.text(x, y, "note", transform=ax.transAxes, ha="center", in_layout=False)
    words = {"scaled": "218.4 mm wide", "small": "note is small", "outside": "note is cut off"}
    words["pale"] = "note is pale"
    words |= {"on a title": "panel overlaps note", "on a number": "note overlaps", "on a curve": "crossed"}
    found = faults(figure, (300,))
    assert any(words[name] in fault for fault in found), found


COLOURS = {"wrapped Laplace": "#12a87a", "von Mises–Fisher": "#d9930d"}
"""Green and orange, which are nearly the same in grey."""


@pytest.mark.parametrize("form", [{}, {"marker": "s"}, {"linestyle": ":"}, {"linewidth": 2.0}, {"color": "0.1"}])
def test_curves_that_are_alike_in_grey_are_found(form):
    """Marker, dashes, width or lightness tell two keys of a legend apart, their hues do not."""
    drawn, [ax] = figures.panels(1)
    lines = [{"color": colour, "label": name} for name, colour in COLOURS.items()]
    for line in (lines[0], lines[1] | form):
        ax.plot([1.0, 2.0], [1.0, 1.0], **line)
    figures.with_headline(drawn, "headline", legend=ax.get_legend_handles_labels()[0])
    assert faults(drawn, (300,)) == ([] if form else ["wrapped Laplace and von Mises–Fisher are alike in grey"])


def test_hollow_markers_differ_from_filled_ones():
    drawn, _ = figures.panels(1)
    line = {"marker": "o", "color": "#003f73"}
    filled, hollow = (figures.handle("filled", **line), figures.handle("hollow", **line, markerfacecolor="white"))
    figures.with_headline(drawn, "headline", legend=[filled, hollow])
    assert not faults(drawn, (300,))


def test_lightness_and_ink():
    """Reference values of CIE L*: white, black, and greys by the formulas of sRGB."""
    assert [figures.lightness(c) for c in ("white", "black")] == pytest.approx([100.0, 0.0], abs=1e-9)
    assert figures.lightness("#777777") == pytest.approx(50.03, abs=0.01)
    assert figures.lightness("#ff0000") == pytest.approx(53.24, abs=0.01)
    assert figures.ink("#003f73") == pytest.approx(to_rgb("#003f73"))
    for colour in COLOURS.values():
        assert figures.READABLE - 1.0 < figures.lightness(figures.ink(colour)) <= figures.READABLE


@pytest.mark.parametrize("good", [True, False])
def test_the_recorder_says_what_cannot_be_read_in_print(tmp_path, monkeypatch, good):
    monkeypatch.setattr(figures, "FigureCanvasAgg", figures.FigureCanvasAgg)
    monkeypatch.setenv("RECORDED", str(tmp_path))
    runpy.run_path(Path(legibility.__file__).with_name("sitecustomize.py"))["record_faults"](figures)
    with figures.styled():
        drawn, [ax] = figures.panels(1)
        if not good:
            ax.set_title("a long name " * 5)
        figures.save(drawn, [tmp_path / "name.png"])
    [said] = [path.read_text() for path in (tmp_path / "faults").iterdir()]
    found = "no faults" if good else "a long name"
    assert said.startswith(f"name, printed 85 mm wide: {found}") and ("cut off" in said) == (not good)


def test_coinciding_curves_are_drawn_apart():
    """Abscissae beside the true ones, in the order of the curves, and markers at different points."""
    cells = [(name, 10.0**power) for name in ("purkayastha", "polar_laplace") for power in range(4)]
    table = pd.DataFrame(cells, columns=["mechanism", "epsilon"])
    table = table.assign(calibration="published", value=1.0, low=0.9, high=1.1, expected=1.0)
    _, [ax] = figures.panels(1)
    figures.draw_mechanisms(ax, table, "epsilon", beside=1.21, every=2)
    first, second = (curve[0] for curve in ax.containers)
    assert np.allclose(first.get_xdata() * 1.1, 10.0 ** np.arange(4))
    assert np.allclose(second.get_xdata() / 1.1, 10.0 ** np.arange(4))
    assert [line.get_markevery() for line in (first, second)] == [(0, 2), (1, 2)]
    assert [len(curve[2][0].get_segments()) for curve in ax.containers] == [2, 2]


@pytest.mark.parametrize(
    ("width", "count"),
    [
        (figures.COLUMN, 1),
        (figures.PAGE, 5),
        *swept((figures.COLUMN, 2), (figures.COLUMN, 5), (figures.PAGE, 1), (figures.PAGE, 2)),
    ],
)
def test_files_have_the_width_of_the_style(tmp_path, width, count):
    """Real size in both files: pixels over the resolution of the PNG file, points of the PDF file."""
    paths = [tmp_path / "a.png", tmp_path / "a.pdf"]
    with figures.styled():
        drawn, _ = figures.panels(count, width=width)
        figures.save(drawn, paths)
    pixels = struct.unpack(">I", paths[0].read_bytes()[16:20])[0]
    assert pixels == int(width / 25.4 * 300)
    box = re.search(rb"/MediaBox \[ 0 0 ([0-9.]+) ", paths[1].read_bytes())
    assert float(box[1]) / 72.0 * 25.4 == pytest.approx(width, abs=1e-3)


def test_a_label_of_a_curve_alone_is_at_its_end(figure):
    """Within a point at any resolution; the end of another curve is further off."""
    for figure.dpi in (72, 200):
        figure.draw_without_rendering()
        for ax in figure.axes:
            label = labels_of(ax)[-1]
            at = ax.bbox.y0 + label.get_position()[1] * figure.dpi / 72.0
            ends = ax.transData.transform([(100.0, 2.0), (100.0, 1.01)])[:, 1]
            assert abs(at - ends[0]) < figure.dpi / 72.0 < abs(at - ends[1])
