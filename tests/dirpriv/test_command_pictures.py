"""What the command draws: maps of places, and pictures of all estimates."""

import csv
import dataclasses
import json
import re
import struct
import sys

import databases
import matplotlib
import numpy as np
import pytest
from command_runs import (
    all_over_the_city,
    estimate_histogram,
    estimate_place_density,
    folder,
    released_places,
    released_times,
    run,
)
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.text import Text
from sweeps import swept

from dirpriv import estimators, pictures
from dirpriv.command import new_files
from dirpriv.distributions import PlanarLaplace
from dirpriv.geometry import earth
from dirpriv.pictures import figure_style, times
from dirpriv.release import CircleRelease, FileGuarantee, PlaneRelease, TimeColumn, read_released

pytestmark = pytest.mark.usefixtures("folder")


TOO_SMALL = r"Warning: (\S+) % of the reports are more than .* outside of the map"


def test_a_map_is_that_of_the_estimator():
    people = np.repeat([[40.7725, -73.95], [40.645, -73.785]], [850, 150], axis=0)
    column = released_places("places.csv", people)
    ran = run("map", "places.csv", "--cells", 12, "--intervals", "smooth", "--csv", "map.csv")
    assert ran.status == 0 and ran.err == ""
    (reports,) = read_released("places.csv", FileGuarantee((column,)))
    distribution = column.release().noise
    found = estimate_place_density(
        reports.positions, distribution, reach=30e3, cells=12, weights=reports.counts, intervals="smooth"
    )
    with open("map.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    shares = np.array([float(row["share"]) for row in rows])
    assert shares == pytest.approx(np.sort(found.shares, axis=None)[::-1], rel=1e-3, abs=1e-6)
    top = rows[0]
    assert float(top["people_per_km2"]) == pytest.approx(shares[0] * 1000 / 25.0, rel=1e-4)
    # most people are in the middle of the cell of 5 km from the origin to the north and east
    assert float(top["east_m"]) == 2500.0 and float(top["latitude"]) == pytest.approx(40.7725, abs=0.001)
    assert len(re.findall(r"^ +40\.", ran.out, re.M)) == 10
    assert not re.search(TOO_SMALL, ran.out)


# ---------------------------------------------------------------------- pictures


def width_of(content, kind):
    """Width of a file in inches: of a PNG at 150 pixels each, of a PDF by its page."""
    if kind == "png":
        assert content[:8] == b"\x89PNG\r\n\x1a\n"
        return struct.unpack(">I", content[16:20])[0] / 150.0
    assert content.startswith(b"%PDF")
    return float(re.search(rb"/MediaBox \[ 0 0 ([0-9.]+) ", content)[1]) / 72.0


def same_file(folder, kind, draw, *arguments, **about):
    """Whether the command has written this picture as a file of this kind, as wide as a page.

    Here the user has other settings of Matplotlib.
    """
    written = (folder / f"a.{kind}").read_bytes()
    assert width_of(written, kind) == pytest.approx(170.0 / 25.4, abs=0.013)
    settings = {"font.size": 30.0, "savefig.dpi": 10.0, "figure.facecolor": "red", "axes.grid": True}
    with matplotlib.rc_context(settings | {"text.parse_math": True}):
        return pictures.figure_bytes(draw(*arguments, **about), kind) == written


def test_python_draws_the_histogram_of_the_command(folder):
    column, _ = released_times("private.csv", np.arange(0, 1500, 5), WEEK)
    assert run("histogram", "private.csv", "--edges", "hard", "--bins", 28, "--plot", "a.png").status == 0
    (reports,) = read_released("private.csv", FileGuarantee((column,)))
    width, noises = 1.2 / 168.0 * 2.0 * np.pi, [column.release().noise]
    with pytest.warns(UserWarning, match=NARROW):
        found = estimate_histogram([reports.angles], noises, bins=28, typical_width=width, weights=[reports.counts])
    about = {"period": 168.0, "title": "Estimated times of 'visit'"}
    assert same_file(folder, "png", pictures.draw_histogram, found, **about, guarantee="level 1 within 12h")
    assert not same_file(folder, "png", pictures.draw_histogram, found, **about)


def test_python_draws_the_map_of_the_command(folder):
    column = released_places("places.csv", all_over_the_city())
    assert run("map", "places.csv", "--cells", 12, "--districts", 2, "--plot", "a.png").status == 0
    (reports,) = read_released("places.csv", FileGuarantee((column,)))
    about = {"reach": 30e3, "cells": 12, "districts": 2, "weights": reports.counts, "edges": "soft"}
    found = estimate_place_density(reports.positions, column.release().noise, **about)
    title = "places.csv: 300 reports of 'lat' and 'lon', level 1 within 2km"
    origin, region = column.region_centre, column.release().region_reach
    cells = ((reports.positions + 30e3) // 5e3).astype(int)
    corners = np.abs(cells[:, :, None] - 6 + [0, 1]) * 5e3  # of the cells of the map, nearest and farthest
    near, far = np.hypot(*corners.min(axis=2).T), np.hypot(*corners.max(axis=2).T)
    on_border = (near < 30e3) & (far >= 30e3) & ((cells >= 0) & (cells < 12)).all(axis=1)
    about = {"region": region, "border": reports.counts[on_border].sum() / 300.0, "title": title}
    assert 0.0 < about["border"] < 0.1
    assert same_file(folder, "png", pictures.draw_map, found, origin, **about)
    assert not same_file(folder, "png", pictures.draw_map, found, origin, title=title)


def test_a_map_says_what_lies_on_its_border(drawn):
    """People at 0, 0 are the densest place: it is marked in the table, in both files and in the picture."""
    people = np.vstack([all_over_the_city(), np.zeros((60, 2))])
    released_places("places.csv", people)
    files = "--plot", "a.png", "--csv", "a.csv", "--geojson", "a.geojson", "--intervals", "smooth"
    ran = run("map", "places.csv", "--cells", 12, *files)
    share = re.search(r"\* on the border of the region.*: (\S+) % of the\s+people", ran.out)[1]
    assert 15.0 < float(share) < 25.0
    densest = re.search(r"share +interval\n(.*)\n", ran.out)[1]
    assert densest.endswith("*") and ran.out.count("%  *") < 10
    assert f"{share} % of the people" in " ".join(texts_of(drawn[0]))
    with open("a.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with open("a.geojson", encoding="utf-8") as file:
        cells = json.load(file)
    assert [{name: float(text) for name, text in row.items()} for row in rows] == [
        cell["properties"] for cell in cells["features"]
    ]
    marked = [float(row["share"]) for row in rows if row["border"] == "1"]
    assert sum(marked) == pytest.approx(float(share) / 100.0, abs=6e-4)
    top = cells["features"][0]
    ring, about = np.array(top["geometry"]["coordinates"][0]), top["properties"]
    east, north = ring[:-1].T
    assert (ring[0] == ring[-1]).all() and len(ring) == 5
    assert np.sum(east * np.roll(north, -1) - north * np.roll(east, -1)) > 0.0  # counterclockwise
    assert ring[:-1].mean(axis=0) == pytest.approx([about["longitude"], about["latitude"]], abs=1e-3)
    assert np.ptp(north) * 111.2 == pytest.approx(5.0, rel=0.02)
    assert run("map", "places.csv", "--cells", 12, "--geojson", "a.geojson").status == 2
    assert "must end in .geojson" in run("map", "places.csv", "--geojson", "a.json").err


RING = [[-74.1, 40.6, 5.0], [-73.9, 40.6, 5.0], [-73.9, 40.8, 5.0], [-74.1, 40.6, 5.0]]  # the third is a height
FEW_CELLS = "--cells", 12, "--intervals", "smooth"


def test_outlines_lie_where_the_map_has_their_places(drawn):
    """Lines of every type, in every nesting, from the middle of the map on; what is far away is not drawn."""
    released_places("places.csv", all_over_the_city())
    line, far = [[-73.98, 40.7], [-73.98, 40.8]], [[100.0, -40.0], [110.0, -40.0]]
    shapes = [
        {"type": "LineString", "coordinates": line},
        {"type": "MultiLineString", "coordinates": [line, far]},
        {"type": "MultiPolygon", "coordinates": [[RING], [RING, RING]]},
        {"type": "Point", "coordinates": line[0]},
        {"type": "GeometryCollection", "geometries": [{"type": "Polygon", "coordinates": [RING]}]},
    ]
    features = [{"type": "Feature", "geometry": of, "properties": {}} for of in [*shapes, None]]
    with open("coast.geojson", "w", encoding="utf-8-sig") as file:
        json.dump({"type": "FeatureCollection", "features": features}, file)
    ran = run("map", "places.csv", *FEW_CELLS, "--outlines", "coast.geojson", "--plot", "a.png")
    assert (ran.status, ran.err) == (0, "")
    origin = released_places("others.csv", all_over_the_city()).region_centre
    for ax in drawn[0].axes[:2]:
        (lines,) = [of for of in ax.collections if isinstance(of, LineCollection)]
        paths = [path.vertices for path in lines.get_paths() if np.isfinite(path.vertices).all()]
        assert sorted(map(len, paths)) == [2, 2, 4, 4, 4, 4]
        for path, of in ((path, line if len(path) == 2 else RING) for path in paths):
            for (east, north), (longitude, latitude, *_) in zip(path, of, strict=True):
                there = earth.destination(origin, np.arctan2(east, north), 1000.0 * np.hypot(east, north))
                assert there == pytest.approx([latitude, longitude], abs=1e-9)
        assert ax.get_xlim() == pytest.approx((-30.0, 30.0))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "GeoJSON with lines or areas"),
        ("[]", "GeoJSON with lines or areas"),
        ('{"type": "Point", "coordinates": [1, 2]}', "GeoJSON with lines or areas"),
        ('{"type": "LineString", "coordinates": [[1, 2], 3]}', "GeoJSON with lines or areas"),
        ('{"type": "LineString", "coordinates": [[1, 2], ["3", "x"]]}', "GeoJSON with lines or areas"),
        ('{"type": "LineString", "coordinates": [[1], [2, 3]]}', "GeoJSON with lines or areas"),
        ('{"type": "LineString", "coordinates": [[1, 1' + "0" * 400 + "]]}", "GeoJSON with lines or areas"),
        ('{"type": "LineString", "coordinates": [[583000, 4507000], [584000, 4507000]]}', "EPSG:4326"),
        ('{"type": "LineString", "coordinates": [[40.7, -95.0], [40.8, -95.0]]}', "longitudes first"),
        (None, "No such file"),
    ],
)
def test_outlines_that_are_none_are_refused_before_the_estimate(content, words, monkeypatch):
    monkeypatch.setattr(estimators, "estimate_place_density", lambda *_, **__: pytest.fail("an estimate began"))
    if content:
        with open("coast.geojson", "w", encoding="utf-8") as file:
            file.write(content)
    ran = run("map", "places.csv", "--outlines", "coast.geojson", "--plot", "a.png")
    assert ran.status == 2 and words in ran.err and "coast.geojson" in ran.err, ran.err
    assert "--outlines needs --plot" in run("map", "places.csv", "--outlines", "coast.geojson").err


def test_a_map_on_which_nobody_is_certain_is_blank():
    """Its colours reach to the density of the fullest district, as where somebody is."""
    noise = PlanarLaplace(0.005)
    reports = noise.rvs(np.full((60, 2), 300.0), rng=1)
    about = {"reach": 1000.0, "cells": 4, "blur": 500.0, "edges": "soft"}
    density = estimators.estimate_place_density(reports, noise, **about)
    nobody = dataclasses.replace(density, low_everywhere=np.zeros_like(density.low_everywhere))
    people = pictures.draw_map(nobody, (0.0, 0.0)).axes[0].collections[0]
    assert people.get_array().mask.all()
    assert people.norm.vmax == pytest.approx(60.0 / 0.5**2 * density.in_districts.max())


def test_titles_are_those_of_the_user(drawn):
    """Also with dollar signs, which Matplotlib would read as mathematics."""
    released_times("private.csv")
    assert run("histogram", "private.csv", "--bins", 8, "--plot", "a.png", "--title", "Hours a$_$").status == 0
    released_places("places.csv", all_over_the_city())
    assert (
        run("map", "places.csv", "--cells", 12, "--districts", 2, "--plot", "b.png", "--title", "Places a$_$").status
        == 0
    )
    times, places = drawn
    assert "Hours a$_$" in texts_of(times) and not any("Estimated times" in text for text in texts_of(times))
    assert any(text.startswith("Places a$_$ Seen through") for text in texts_of(places))
    ran = run("histogram", "private.csv", "--title", "Hours")
    assert ran.status != 0 and "--title needs --plot" in ran.err


@pytest.mark.parametrize(("period", "unit"), [(24.0, "hour"), (168.0, "hour"), (360.0, "degree")])
def test_a_curve_is_marked_where_it_leaves_the_band(period, unit):
    """All are per cent in an hour or degree, and the last is the first again."""
    at = np.arange(48) * (np.pi / 24.0)
    low, high = np.full(48, 0.1), 0.3 + 0.05 * np.cos(at)
    within = np.full(48, 0.15)
    beyond = np.where(np.arange(48) == 10, 0.4, within)
    for density in (within, beyond):
        ends = low, high, 0.9 * low, 1.1 * high
        found = estimators.DensityBand(at, density, *ends, np.pi / 4.0, 1.0, 0.0, "", 99, 0.95)
        figure = pictures.draw_density_band(found, period=period)
        ax, scale = figure.axes[0], 200.0 * np.pi / period
        curve = next(line for line in ax.lines if len(line.get_xdata()) == 49)
        assert curve.get_ydata() == pytest.approx(scale * np.append(density, density[0]))
        assert ax.get_xlim() == (0.0, period) and ax.get_ylabel() == f"people per {unit} (%)"
        tops = [path.vertices[:, 1].max() for shape in ax.collections[:2] for path in shape.get_paths()]
        assert tops == pytest.approx([scale * 0.385, scale * 0.35])
        marks = [text for text in ax.texts if text.get_text() == "trust the band"]
        assert [mark.xy for mark in marks] == [pytest.approx((period * 10 / 48, scale * 0.4))] * (density is beyond)
        reach = f"{1.5 * period / 8.0:.4g}{'°' if unit == 'degree' else ' h'}"
        assert {f"-{reach}", f"+{reach}", "one person looks so"} <= set(texts_of(figure))


def test_a_map_has_a_scale_and_degrees_with_two_decimals():
    found = estimators.PlaceDensityEstimate(
        edges := np.linspace(-25e3, 25e3, 3), *[np.full((2, 2), 0.25)] * 3, 1.0, 0.0, "", 9, 0.95, districts=edges
    )
    figure = pictures.draw_map(found, (40.75, -73.98))
    figure.canvas.draw()
    texts = texts_of(figure)
    assert "10 km" in texts and "N" in texts
    degrees = [text for text in texts if text.endswith("°")]
    assert {"-74.00°", "40.80°"} <= set(degrees) and all(re.fullmatch(r"-?\d+\.\d\d°", text) for text in degrees)
    lines = [shape for shape in figure.axes[0].collections if -74.0 in getattr(shape, "levels", [])]
    (line,) = (shape.get_paths()[list(shape.levels).index(-74.0)].vertices for shape in lines)
    assert np.ptp(line[:, 1]) > 49.0  # km, from the lower to the upper border
    assert line[:, 0] == pytest.approx(np.full(len(line), -0.02 * 111.2 * np.cos(np.deg2rad(40.75))), abs=0.02)


@pytest.mark.parametrize(("blur", "words"), [(6000.0, "one\nperson\nlooks so"), (2000.0, "one person looks so")])
def test_the_blur_of_one_person_is_legible_on_the_hatched_border(blur, words):
    """A white circle above the hatches, with the words in it, or above it if they are wider."""
    edges, share = np.linspace(-25e3, 25e3, 3), np.full((2, 2), 0.25)
    about = {"districts": edges, "blur": blur, "low_everywhere": share}
    found = estimators.PlaceDensityEstimate(edges, *[share] * 3, 1.0, 0.0, "", 9, 0.95, **about)
    ax = pictures.draw_map(found, (40.75, -73.98), region=25e3).axes[0]
    circle = next(patch for patch in ax.patches if getattr(patch, "radius", 0.0) == pytest.approx(1.5e-3 * blur))
    assert circle.get_facecolor() == (1.0, 1.0, 1.0, 1.0) and circle.zorder > max(of.zorder for of in ax.collections)
    (text,) = (text for text in ax.texts if "person" in text.get_text())
    assert text.get_text() == words and circle.contains_point(ax.transData.transform(text.xy)) == ("\n" in words)


def test_python_draws_what_the_command_explains(folder, monkeypatch):
    monkeypatch.setitem(figure_style._LOOK, "pdf.fonttype", 3)  # else fonts are cut to letters in use
    words = "explain", "--level", 1, "--plot"
    guarantee = "level 1 within 3h"
    assert run(*words, "a.png", "--within", "3h").status == 0
    release = CircleRelease.within(1.0, "3h")
    assert same_file(folder, "png", pictures.draw_time_noise, release, 8.25, guarantee=guarantee)
    assert not same_file(folder, "png", pictures.draw_time_noise, release, 8.5, guarantee=guarantee)
    notes = [text.get_text() for text in pictures.draw_time_noise(release, 8.25, guarantee=guarantee).axes[0].texts]
    assert notes[:2] == ["95 % of the reports", "68 % of the reports"] and len(notes) == 3
    assert run(*words, "a.pdf", "--within", "200m").status == 0
    release = PlaneRelease.within(1.0, "200m", region_centre=(0.0, 0.0), region_reach="30km", cell_size="10m")
    guarantee = "level 1 within 200m"
    assert same_file(folder, "pdf", pictures.draw_place_noise, release.noise, guarantee=guarantee)
    assert not same_file(folder, "pdf", pictures.draw_place_noise, PlanarLaplace(0.004), guarantee=guarantee)


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.style", None)
    with pytest.raises(ImportError, match=r'pictures need Matplotlib: pip install "dirpriv\[pictures\]"'):
        pictures.draw_place_noise(PlanarLaplace(0.005))


# ---------------------------------------------------------------------- what is written in a picture


@pytest.fixture
def drawn(monkeypatch):
    """The figures that a command has drawn, with all in its place, but not written: that takes as long again."""
    figures = []

    def keep(figure, path):
        assert figure.get_figwidth() == pytest.approx(170.0 / 25.4)
        figures.append(figure)
        with figure_style.look():
            figure.draw_without_rendering()
        return f"Drawn: {path}"

    monkeypatch.setattr(new_files, "save", keep)
    return figures


def texts_of(figure):
    """All texts that are drawn, each in one line."""
    return [" ".join(text.get_text().split()) for text in figure.findobj(Text) if text.get_visible()]


def printed_warnings(out):
    return [line for line in out.splitlines() if line.startswith("Warning: ")]


FLAT = "do not differ significantly from a uniform day"
NARROW = "the noise moves most people out of their bin"
WEEK = TimeColumn("visit", level=1.0, radius="12h", cells=2016, period="7d")
OF_TIMES = {
    "times of two peaks": (None, None, [], []),
    "many bins": (None, None, ["--edges", "hard"], ["times the share of a bin of a uniform day"]),
    "a flat day": (np.arange(0, 1440, 72), None, ["--blur", "8h"], [FLAT]),
    # the flat hypothesis has p = 2e-34
    "a week in parts of 6 hours": (np.arange(0, 1500, 5), WEEK, ["--edges", "hard", "--bins", 28], [NARROW]),
}


@pytest.mark.parametrize("case", OF_TIMES)
def test_a_picture_of_times_has_the_warning_that_applies(case, drawn):
    """The wrong variant is the sentence on flat days, whatever the warning is."""
    cells, column, words, warnings = OF_TIMES[case]
    released_times("private.csv", cells, column)
    ran = run("histogram", "private.csv", *words, "--plot", "a.png")
    [figure] = drawn
    said = [text for text in texts_of(figure) if text.startswith("Warning")]
    assert said == printed_warnings(ran.out) and len(said) == len(warnings)
    for text, part in zip(said, warnings, strict=True):
        assert part in text
    # and no text is in the way of the bars
    [ax] = figure.axes
    top = max((bar.get_window_extent().y1 for bar in ax.patches), default=ax.get_window_extent().y1)
    for text in ax.texts:
        box = text.get_window_extent()
        assert box.y0 >= top or box.x0 >= ax.get_window_extent().x1 or not text.get_text()


def test_a_map_has_the_warnings_that_apply(drawn):
    released_places("places.csv", all_over_the_city())
    rans = [
        run("map", "places.csv", "--cells", 12, "--districts", 2, *words)
        for words in (["--reach", "8km", "--plot", "a.png"], ["--plot", "b.png"])
    ]
    for figure, ran in zip(drawn, rans, strict=True):
        said = [text for text in texts_of(figure) if text.startswith("Warning")]
        assert said == [" ".join(printed_warnings(ran.out))] * bool(printed_warnings(ran.out))
    assert re.search(TOO_SMALL, " ".join(texts_of(drawn[0])))
    # no row is on the border of the region, and nothing says what `*` is
    assert re.search(TOO_SMALL, rans[0].out) and "*" not in rans[0].out
    # and they are in the way of nothing
    texts = [text for text in drawn[0].findobj(Text) if text.get_visible() and text.get_text().strip()]
    [warning] = (text for text in texts if "Warning" in text.get_text())
    lowest = warning.get_window_extent().y0
    others = [text for text in texts if text not in (warning, drawn[0]._suptitle)]
    assert max(artist.get_window_extent().y1 for artist in [*others, *drawn[0].axes]) <= lowest


def labels_in_the_way(figure):
    """Pairs of labels of one axis that overlap."""
    found = []
    figure.canvas.draw()
    for ax in figure.findobj(lambda artist: hasattr(artist, "xaxis")):
        for axis in (ax.xaxis, ax.yaxis):
            boxes = [label.get_window_extent() for label in axis.get_ticklabels() if label.get_text()]
            found += [(one, other) for i, one in enumerate(boxes) for other in boxes[:i] if one.overlaps(other)]
    return found


@pytest.mark.parametrize(
    ("people", "reach"),
    [(46_700, 500.0), *swept((1, 8e3), (999_999, 15e3), (1_499_999, 30e3), (123_456_789, 200e3), (7, 100.0))],
)
def test_labels_of_a_map_do_not_collide(people, reach):
    """At any density, and on maps of any size; Matplotlib's own choice, of four labels, does."""
    edges = np.linspace(-reach, reach, 9)
    shares = np.full((8, 8), 0.2 / 63.0)
    shares[3, 4] = 0.8
    found = estimators.PlaceDensityEstimate(
        edges, shares, 0.9 * shares, 1.1 * shares, 1.0, 0.0, "", people, 0.95, districts=edges
    )
    figure = pictures.draw_map(found, (40.75, -173.98), region=2.0 * reach)
    assert labels_in_the_way(figure) == []
    # the circle around the region of the release, which is larger here, does not make the map small
    assert figure.axes[0].get_xlim() == figure.axes[1].get_ylim() == (-reach / 1000.0, reach / 1000.0)


@pytest.mark.parametrize(
    ("first", "last", "names"),
    [
        (8.0, 10.0, ["08:00", "08:15", "08:30", "08:45", "09:00", "09:15", "09:30", "09:45", "10:00"]),
        (8.0, 16.0, ["08:00", "09:00", "10:00", "11:00", "12:00", "13:00", "14:00", "15:00", "16:00"]),
        (0.0, 24.0, ["00:00", "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00", "24:00"]),
    ],
)
def test_at_most_ten_times_stand_below_a_picture(first, last, names):
    ax = Figure().add_subplot()
    ax.set_xlim(first, last)
    times._time_axis(ax, 24.0)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == names
