"""Files of visits: one promise for the time and the place of a row, in the guarantee, the ledger and the account."""

import itertools
import json
import math

import numpy as np
import pytest
from command_runs import run
from tables_of_releases import CITY, new_holder

from dirpriv import InvalidArgument, guarantees, release
from dirpriv.command import main
from dirpriv.release import FileGuarantee, ItemColumn, PlaceColumns, TimeColumn, VisitColumns

holder = pytest.fixture(new_holder)
TIMES, PLACES = {"time": "at"}, {"latitude": "lat", "longitude": "lon", **CITY}
BOTH = {**TIMES, **PLACES, "radius": ["3h", "200m"]}
TRUE = "at,lat,lon,id\n08:15,40.751,-73.981,a\n17:30,40.689,-74.045,b\n08:15,40.751,-73.981,b\n"
RADII = "3h and 200m"


def visit_columns(level=1.0, cells=1440, **changed):
    city = CITY | changed
    return VisitColumns(TimeColumn("at", level, "3h", cells), PlaceColumns(("lat", "lon"), level, "200m", **city))


@pytest.mark.parametrize("output", ["private.csv", "private.csv.gz", "private.parquet"])
def test_visits_in_visits_out(holder, output):
    guarantee = holder.release(holder.csv(TRUE), output, level=1e6, together="either", **BOTH)
    (found,) = release.read_released(holder.output / output)
    place = found.column.place.release()
    order = np.argsort(found.cells)
    assert found.cells[order].tolist() == [495, 1050] and found.counts[order].tolist() == [2, 1]
    east, north = place.cells_of([40.751, 40.689], [-73.981, -74.045])
    assert found.east[order].tolist() == east.tolist() and found.north[order].tolist() == north.tolist()
    assert found.missing == 0 and found.column == guarantee.columns[0]
    assert release.read_guarantee(holder.output / output) == guarantee


def test_a_row_without_one_of_the_two_is_missing_in_both(holder):
    source = holder.csv("at,lat,lon\n08:15,40.751,-73.981\n,40.751,-73.981\n09:00,,\n,,\n")
    guarantee = holder.release(source, level=1e6, together="either", missing="keep", outside="clamp", **BOTH)
    (found,) = release.read_released(holder.output / "private.csv")
    assert found.counts.tolist() == [1] and found.missing == 3
    assert guarantee.unprotected == ("which rows are missing",)
    assert sorted(row != ["", "", ""] for row in holder.released()) == [False] * 3 + [True]


@pytest.mark.parametrize(
    ("together", "level", "loss"), [("either", "1", "max(1 d/3h, 1 e/200m)"), ("sum", "2", "1 d/3h + 1 e/200m")]
)
def test_what_holds_within_both_radii_stands_first(holder, together, level, loss):
    guarantee = holder.release(holder.csv(TRUE), level=1.0, together=together, **BOTH)
    first = f"Within both radii, {RADII}: level {level} for the time and the place of a row together. "
    for text in (guarantee.summary(), guarantee.text()):
        line = text.splitlines()[0]
        assert line.startswith(first) and line.endswith(f"lose at most {loss}.")
    document = json.loads(guarantee.dumps())
    assert [*document][:3] == ["format", "dirpriv", "within_both"]
    assert document["within_both"] == {"together": together, "radius": RADII, "level": float(level)}
    assert guarantee.level == float(level) == FileGuarantee.from_json(document).level
    assert [column.kind for column in guarantee.columns] == (["visit"] if together == "either" else ["time", "place"])
    assert ("one noise for both" in guarantee.text()) == (together == "either")


def test_the_sum_is_what_two_columns_at_their_own_levels_give(holder):
    how = {"level": 1.0, **BOTH}
    plain = json.loads(holder.release(holder.csv(TRUE), "plain.csv", **how).dumps())
    summed = json.loads(holder.release(holder.csv(TRUE), "sum.csv", together="sum", rerelease=True, **how).dumps())
    assert summed["columns"] == plain["columns"] and "within_both" not in plain
    times, places = release.read_released(holder.output / "sum.csv")
    assert times.counts.sum() == places.counts.sum() == 3


@pytest.mark.parametrize(("together", "level"), [("sum", 1.5), ("either", 1.0)])
def test_a_time_and_a_place_have_their_own_levels(holder, together, level):
    guarantee = holder.release(holder.csv(TRUE), level=(1.0, 0.5), together=together, **BOTH)
    losses = {"sum": "1 d/3h + 0.5 e/200m", "either": "max(1 d/3h, 0.5 e/200m)"}
    assert guarantee.level == level and guarantee.text().splitlines()[0].endswith(f"lose at most {losses[together]}.")
    assert release.read_guarantee(holder.output / "private.csv") == guarantee
    if together == "either":
        certificate = guarantee.columns[0].release().certificate
        assert certificate.loss(RADII) <= 1.0 and certificate.loss(("1h", "200m")) == pytest.approx(0.5, rel=1e-9)


def test_a_changed_guarantee_is_refused(holder):
    whole = holder.release(holder.csv(TRUE), level=1.0, together="either", **BOTH).to_json()
    changes = [
        (("within_both", "level"), 0.5),
        (("within_both", "together"), "sum"),
        (("columns", 0, "columns", 0, "level"), 0.5),
        (("columns", 0, "columns", 1, "radius"), "300m"),
        (("columns", 0, "radius"), "3h and 300m"),
        (("columns", 0, "certificate", "pure"), 1.0),
    ]
    for path, value in changes:
        document = json.loads(json.dumps(whole))
        field = document
        for name in path[:-1]:
            field = field[name]
        field[path[-1]] = value
        with pytest.raises(ValueError, match=r"settings give|'together' goes with"):
            FileGuarantee.from_json(document)
    document = json.loads(json.dumps(whole))
    del document["within_both"]
    with pytest.raises(ValueError, match="'together' goes with"):
        FileGuarantee.from_json(document)


# ---------------------------------------------------------------- the account and the ledger


def exact_losses(times, visits, cells=6, span=8):
    """The largest log ratio of a release of a time and one of its visit, over pairs of inputs within both radii."""
    table = np.array([visits._lattice.visit_weights(steps, span) for steps in range(48)], dtype=object)
    logs = np.array([[[math.log(weight) for weight in row] for row in part] for part in table.tolist()])
    of_times = np.log(np.array(times.weights, dtype=float))
    limit = (200.0 * 1.0057 + 50.0 * math.sqrt(2.0)) / 50.0  # cells of place between inputs 200 m apart
    worst = 0.0
    for later, a, b in itertools.product(range(cells + 1), range(5), range(5)):
        if math.hypot(a, b) <= limit:
            joint = np.abs(
                logs[:, a:, b:] - np.roll(logs, later, axis=0)[:, : 2 * span + 1 - a, : 2 * span + 1 - b]
            ).max()
            worst = max(worst, joint + np.abs(of_times - np.roll(of_times, later)).max())
    return worst


def test_a_joint_release_and_one_of_a_column_add_up_and_never_to_less_than_the_exact_loss(holder):
    """The exact one of both, over all pairs and outputs, is the sum of the levels: nothing less would hold."""
    few = {**BOTH, "region_reach": "500m", "cell_size": "50m", "cells": 48, "outside": "clamp", "dataset": "town"}
    source = holder.csv(TRUE)
    joint = holder.release(source, level=1.0, together="either", **few)
    assert "1 declared release. The sum is level 1 for a person, each value within 3h and 200m" in joint.account
    alone = {**TIMES, "cells": 48, "dataset": "town", "radius": "6h", "rerelease": True}
    both = holder.release(source, "times.csv", level=1.0, **alone)  # 0.5 within the 3 h that were declared first
    assert "2 declared releases. The sum is level 1.5 for a person, each value within 3h and 200m" in both.account
    exact = exact_losses(both.columns[0].release(), joint.columns[0].release())
    assert 1.45 < exact <= 1.5
    places = {**PLACES, **few} | {"radius": "400m", "rerelease": True}
    places = {name: value for name, value in places.items() if name not in ("time", "cells")}
    third = holder.release(source, "places.csv", level=1.0, **places)
    assert "3 declared releases. The sum is level 2.07476" in third.account  # 272/473 of 1 within 200 m
    again = holder.release(source, "again.csv", level=1.0, together="sum", rerelease=True, **few)
    assert "4 declared releases. The sum is level 4.07476" in again.account
    assert again.composed["per_response"]["level"] == 1.0 + 1.0 + 1.0 + 2.0
    assert [entry["radius"] for entry in holder.ledger()] == [RADII, "6h", "400m", "3h", "200m"]
    assert again.earlier[0].radius == RADII and len(again.earlier[0].columns) == 3


def test_a_joint_release_after_those_of_columns_counts_at_their_radii(holder):
    source, town = holder.csv(TRUE), {"dataset": "town"}
    holder.release(source, "times.csv", level=1.0, radius="1h", **TIMES, **town)
    joint = holder.release(source, level=1.0, together="either", rerelease=True, **BOTH, **town)
    assert "The sum is level 2 for a person, each value within 1h and 200m" in joint.account


def test_a_joint_release_without_a_name_comes_into_the_account(holder):
    source = holder.csv(TRUE)
    holder.release(source, level=1.0, together="either", other_people=False, **BOTH)
    later = holder.release(source, "times.csv", level=0.5, radius="3h", rerelease=True, dataset="town", **TIMES)
    assert "2 declared releases. The sum is level 1.5 for a person, each value within 3h and 200m" in later.account


def test_a_budget_with_a_delta_and_levels_of_a_person(holder):
    source = holder.csv(TRUE)
    rows = {"user": "id", "max_rows_per_person": 20, "dataset": "town", "delta": 1e-6}
    guarantee = holder.release(source, level=0.1, together="either", budget=(4.0, 1e-6), **rows, **BOTH)
    noise = visit_columns(0.1).release().noise
    composed = guarantees.composed_level(noise, 20, distance=RADII, delta=1e-6)
    assert guarantee.person_level == composed < 2.0
    assert "A Rényi filter enforces it" in guarantee.account
    with pytest.raises(InvalidArgument, match="would exceed the budget of 'town'"):
        holder.release(source, "more.csv", level=2.0, together="either", rerelease=True, **rows, **BOTH)


# ---------------------------------------------------------------- wrong calls, and the command


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"latitude": None, "longitude": None, **dict.fromkeys(CITY), "radius": "3h"},
            "'together' goes with one column",
        ),
        ({"time": None, "radius": "200m"}, "'together' goes with one column"),
        ({"time": ["at", "id"]}, "'together' goes with one column"),
        ({"time": None, "heading": "at", "radius": ["45deg", "200m"]}, "'together' goes with one column"),
        ({"together": "both"}, "'together' must be 'sum' or 'either'"),
        ({"radius": "3h"}, "'radius' must be two radii"),
        ({"level": (1.0, 1.0, 1.0)}, "'level' must be one number, or two"),
        ({"level": (1.0, -1.0)}, "'level' must be positive"),
        ({"level": (1.0, 2.0), "together": None, "radius": "3h"} | dict.fromkeys(PLACES), "'level' must be one number"),
        ({"shuffled": (5, 1e-6)}, "'shuffled' goes with times only"),
        ({"cells": 8640, "level": 0.01}, "'cells' .*at most"),
    ],
    ids=str,
)
def test_wrong_calls_are_refused(holder, changed, message):
    with pytest.raises(InvalidArgument, match=message):
        holder.release(holder.csv(TRUE), **{"level": 1.0, "together": "either", **BOTH, **changed})
    assert holder.outputs() == [] and holder.ledger() == []


def test_a_guarantee_of_visits_has_no_other_column():
    item = ItemColumn("venue", 1.0, "200m", ("bakery", "museum"), (40.75, 40.751), (-73.98, -73.981))
    for columns, together in (((visit_columns(),), None), ((visit_columns(), item), "either"), ((item,), "sum")):
        with pytest.raises(InvalidArgument, match="'together' goes with"):
            FileGuarantee(columns, together=together)


def test_the_command_releases_visits_and_others_say_that_they_have_one_noise(holder, capsys, monkeypatch):
    monkeypatch.chdir(holder.input)
    holder.csv(TRUE, "visits.csv")
    options = "--time at --latitude lat --longitude lon --level 1 --within 3h --within 200m --together either"
    region = "--region-centre 40.75,-73.98 --region-reach 30km --cell-size 10m"
    assert main(["release", "visits.csv", "out.csv", *options.split(), *region.split()]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"Within both radii, {RADII}: level 1 for the time and the place of a row together." in out
    for command in ("histogram", "mean", "map"):
        assert main([command, "out.csv"]) == 2
        assert "'out.csv' has one noise for times and places together" in capsys.readouterr().err


def test_explain_says_what_holds_within_both_radii():
    both = ["explain", "--level", 2, "--within", "200m", "--within", "3h", "--together"]
    out = " ".join(run(*both, "either").out.split())
    first = f"Within both radii, {RADII}: level {{}} for the time and the place of a row together. "
    assert out.startswith(first.format(2)) and "lose at most max(2 d/3h, 2 e/200m)." in out
    assert "3 h and 200 m apart 7.39 times" in out and "3 h and 0 m apart 7.39 times" in out
    assert "Two noises that share this level, with the same mean cosine of times, move places 1.26" in out
    out = " ".join(run(*both, "sum").out.split())
    assert out.startswith(first.format(4)) and "3 h and 200 m apart 54.6 times" in out
    assert "Two noises that share" not in out
    for wrong in (both[:-1], [*both[:5], "--together", "sum"], [*both[:5], "--within", "1km", "--together", "sum"]):
        assert "--together goes with --within twice" in run(*wrong).err
    assert "do not go with --together" in run(*both, "sum", "--at", "08:15").err
