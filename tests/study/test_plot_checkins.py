"""The figures of the check-ins: what is counted, and that they can be drawn for every extent."""

import numpy as np
import pandas as pd
import pytest
from looks import faults, label_faults, labels_of, styled, title_follows  # noqa: F401
from outcome import Outcome, joined

from study import figures
from study.checkins.checkin_statistics import TARGETS
from study.checkins.compare import REAL, read_table
from study.checkins.plot import count, draw, draw_statistics, grid


def prepared(folder, places, hours):
    rows = [
        f"1\tv{n}\tc\tBar\t{latitude}\t{longitude}\t0\tTue Apr 03 {hour:02d}:00:00 +0000 2012".encode()
        for n, ((latitude, longitude), hour) in enumerate(zip(places, hours, strict=True))
    ]
    return Outcome(folder, joined(rows)).prepared_path


def test_every_check_in_is_counted_once(tmp_path, monkeypatch):
    monkeypatch.setattr("study.checkins.prepare.ROW_GROUP", 100)
    rng = np.random.default_rng(1)
    places = rng.uniform([40.5, -74.2], [41.0, -73.7], (777, 2))
    hours = rng.integers(0, 24, 777)
    counts = count("city", prepared(tmp_path, places, hours))
    assert counts.cells.sum() == counts.hours.sum() == 777
    assert counts.hours.tolist() == np.bincount(hours, minlength=24).tolist()
    rows = np.searchsorted(counts.south_north, places[:, 0], side="right") - 1
    columns = np.searchsorted(counts.west_east, places[:, 1], side="right") - 1
    assert (counts.cells[rows, columns] > 0).all()
    assert not counts.is_world


def test_the_whole_earth_is_shown_from_some_width_on(tmp_path):
    places = [(-90, -180), (90, 180), (0, 0), (51.5, 179.99)]
    counts = count("earth", prepared(tmp_path, places, [0, 6, 12, 23]))
    assert counts.is_world
    assert counts.cells.sum() == 4
    assert counts.south_north[[0, -1]].tolist() == [-90, 90]
    assert counts.west_east[[0, -1]].tolist() == [-180, 180]


@pytest.mark.parametrize(
    "extent",
    [
        (40.5, 41.0, -74.2, -73.7),
        (40.5, 40.5, -74.2, -74.2),
        (-10.0, 60.0, 5.0, 6.0),
        (89.0, 90.0, 0.0, 100.0),
        (0.0, 0.0, 0.0, 110.0),
    ],
)
def test_the_grid_holds_the_extent_in_square_cells(extent):
    south_north, west_east, is_world = grid(*extent)
    assert not is_world
    assert south_north[0] <= extent[0] and extent[1] <= south_north[-1]
    assert west_east[0] <= extent[2] and extent[3] <= west_east[-1]
    assert len(south_north) * len(west_east) < 1e5
    narrowing = max(np.cos(np.radians((extent[0] + extent[1]) / 2)), 0.05)
    assert np.diff(west_east)[0] * narrowing == pytest.approx(np.diff(south_north)[0])


def test_figure_has_a_row_for_each_data_set_and_the_same_bytes_every_time(tmp_path):
    one = count("one_city", prepared(tmp_path / "one", [(40.5, -74.2), (40.6, -74.2)], [3, 5]))
    earth = count("earth", prepared(tmp_path / "earth", [(0, -170), (0, 170)], [3, 3]))
    figure = draw([one, earth])
    titles = [ax.get_title() for ax in figure.axes if ax.get_title()]
    assert titles == ["one city: 2 check-ins", "earth: 2 check-ins"]
    labels = {ax.get_ylabel() for ax in figure.axes}
    assert {"latitude (°)", "check-ins per hour (%)"} <= labels
    figures.save(figure, [tmp_path / "first.png", tmp_path / "first.pdf"])
    figures.save(draw([one, earth]), [tmp_path / "second.png", tmp_path / "second.pdf"])
    assert not faults(figure)
    ramp = np.arange(float(one.cells.size)).reshape(one.cells.shape)
    assert draw([one._replace(cells=ramp)]).get_suptitle() != figure.get_suptitle()
    for kind in ("png", "pdf"):
        assert (tmp_path / f"first.{kind}").read_bytes() == (tmp_path / f"second.{kind}").read_bytes()


def test_statistics_are_drawn_as_they_are_with_a_label_for_each_data_set():
    names = [REAL, "city", "my_world"]
    table = pd.concat([read_table(TARGETS).assign(dataset=name) for name in names])
    table.loc[(table["dataset"] == "city") & (table["statistic"] == "check-ins at a venue"), "value"] *= 0.5
    table.loc[(table["dataset"] == "my_world") & (table["at"] == "100"), "value"] = 0.0  # has no place on the axis
    figure = draw_statistics(table)
    for ax in figure.axes:
        assert {text.get_text() for text in labels_of(ax)} == {REAL, "city", "my world"}
        assert ax.get_xlabel() and "(%)" in ax.get_ylabel()
    day, venues, people = (dict(zip(names, ax.get_lines(), strict=True)) for ax in figure.axes)
    assert day["city"].get_xydata()[13].tolist() == pytest.approx([13.5, 6.49])
    assert venues["city"].get_xydata()[0].tolist() == [1, 50]
    assert venues[REAL].get_xydata()[-1].tolist() == pytest.approx([100, 0.0722])
    assert venues["my_world"].get_xydata()[-1].tolist() == pytest.approx([50, 0.821])
    assert people[REAL].get_xydata()[3].tolist() == [178, 50]
    assert not label_faults(figure) and title_follows(draw_statistics, table)
