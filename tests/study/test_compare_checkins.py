"""Statistics of check-ins, and how far they are from those of the real sample."""

import numpy as np
import pandas as pd
import pytest
from make_targets import by_category
from outcome import Outcome
from real_sample import SAMPLE, needs_sample

from study.checkins.checkin_statistics import (
    TARGETS,
    checkins_of_people,
    kilometres_from_the_middle,
    measure,
    regularity,
)
from study.checkins.compare import ALLOWED, HOURS, REAL, busyness_of, compare, measure_all, read_table
from study.checkins.prepare import prepare

ROW = "{}\t{}\tc\t{}\t{}\t-74\t0\t{} {:02}:00:00 +0000 2012\n"
TUESDAY, SATURDAY = "Tue Apr 03", "Sat Apr 07"
BOUNDED = [(row.statistic, row.at) for row in read_table(ALLOWED).itertuples()]


def lines(*visits):
    """Rows of ``user, venue, category, latitude, day, hour``."""
    return "".join(ROW.format(*visit) for visit in visits).encode()


@pytest.fixture
def table(tmp_path):
    visits = [(1, "home", "Home", 40.0, TUESDAY, 8)] * 60
    visits += [(2, "home", "Home", 40.0, SATURDAY, 9)] * 10
    visits += [(2, f"bar{number}", "Bar", 40.1, SATURDAY, 23) for number in range(30)]
    return checkins_of_people(Outcome(tmp_path, lines(*visits)).prepared_path)


def value(statistics, name, at=""):
    rows = statistics[(statistics["statistic"] == name) & (statistics["at"] == f"{at}")]
    return rows["value"].item()


def test_statistics_are_those_of_the_rows(table):
    found = measure(table)
    assert [value(found, name) for name in ("check-ins", "people", "venues")] == [100, 2, 31]
    assert [value(found, "hours of the day", hour) for hour in (8, 9, 23, 0)] == [0.6, 0.1, 0.3, 0.0]
    assert value(found, "check-ins of a person", 0.5) == 50
    shares = [value(found, "check-ins at a venue", least) for least in (1, 2, 50, 100)]
    assert shares == [1, 1 / 31, 1 / 31, 0]
    assert value(found, "venues visited once") == 30 / 31
    assert value(found, "check-ins at busy venues") == 0.7
    assert value(found, "check-ins at venues new to the person") == 0.32
    assert value(found, "regularity", 0.5) == pytest.approx(1)  # of one person at home; the other is there too rarely
    assert value(found, "distance from the middle", 0.5) == 0.0
    assert value(found, "distance from the middle", 0.9) == pytest.approx(11.12, abs=0.01)


def test_regularity_is_that_of_many_check_ins():
    """The mean square within 4 standard errors (chance: 6e-5); without the correction it is not."""
    rng, distribution = np.random.default_rng(1), np.exp(np.cos(np.arange(24) * np.pi / 12))
    hours = rng.choice(24, (2000, 25), p=distribution / distribution.sum())
    true = abs(np.exp(2j * np.pi * np.arange(24) / 24) @ distribution / distribution.sum()) ** 2
    squares = regularity(hours.ravel(), np.repeat(np.arange(2000), 25)) ** 2
    plain = abs(np.exp(2j * np.pi * hours / 24).mean(axis=1)) ** 2
    error = 4 * squares.std() / np.sqrt(2000)
    assert abs(squares.mean() - true) < error < abs(plain.mean() - true)


def test_categories_are_those_of_the_rows(table):
    found = by_category(table)
    assert list(found.index) == ["Home", "Bar"]
    assert found["share"].tolist() == [0.7, 0.3]
    assert found["weekend"].tolist() == [10 / 70, 1.0]
    assert found["new"].tolist() == [2 / 70, 1.0]
    assert found.loc["Home", ["h08", "h09"]].tolist() == [60 / 70, 10 / 70]
    assert found.filter(regex="^h").shape == (2, 24) and found.loc["Bar", "h23"] == 1.0


def test_a_larger_table_is_measured_on_whole_people(tmp_path):
    visits = [(user, "home", "Home", 40.0, TUESDAY, 8) for user in range(20) for _ in range(10)]
    path = Outcome(tmp_path, lines(*visits)).prepared_path
    some = checkins_of_people(path, 55)
    assert len(some) == 50 and (some["user"].value_counts() == 10).all()
    assert set(some["user"]) != set("01234"), "the order must not be that of the file"
    assert len(checkins_of_people(path, 5)) == 10, "at least one person"
    assert len(checkins_of_people(path)) == 200


def test_the_targets_are_complete_and_show_no_single_check_ins():
    real = read_table(TARGETS)
    for statistic, at in BOUNDED:
        assert 0 < value(real, statistic, at) < 1000
    assert value(real, "venues") == 11081
    shares = real[real["unit"] != ""]["value"]
    assert shares.map("{:.3g}".format).astype(float).equals(shares)
    hours = real[real["statistic"] == HOURS]["value"]
    assert hours.sum() == pytest.approx(1, abs=0.001) and hours.argmax() in (8, 13)


def busyness(**changes):
    rows = [
        dict(
            population="mine", mechanism="purkayastha", calibration="published", metric="emd",
            time_level=time_level, place_level=place_level, value=time_level + place_level,
        )
        | changes
        for time_level in (0.01, 0.1, 1.0)
        for place_level in (0.01, 100.0)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_busyness_is_that_of_the_corners():
    found = busyness_of(busyness(), "mine")
    assert found["value"].tolist() == [0.02, 100.01, 1.01, 101.0]
    assert set(zip(found["statistic"], found["at"], strict=True)) < set(BOUNDED)
    for name, other in (("mechanism", "x"), ("calibration", "tight"), ("metric", "moved"), ("population", "x")):
        assert busyness_of(busyness(**{name: other}), "mine").empty


def test_deviations_are_relative_and_those_of_hours_are_in_hours():
    real = read_table(TARGETS)
    moved = real.assign(dataset="mine", value=real["value"] * 1.22)
    hours = real["statistic"] == HOURS
    moved.loc[hours, "value"] = np.roll(real.loc[hours, "value"], 1)
    found = compare(pd.concat([real.assign(dataset=REAL), moved])).set_index("statistic")
    assert len(found) == len(BOUNDED) + 1
    assert found.loc[HOURS, "deviation"] == pytest.approx(0.45, abs=0.1)
    others = found.drop(HOURS)
    assert np.allclose(others["deviation"], 0.22)
    assert (others["within"] == np.where(others["allowed"] == 0.25, "yes", "no")).all()
    assert found.loc[HOURS, "within"] == "no"
    same = compare(pd.concat([real.assign(dataset=name) for name in (REAL, "mine")]))
    assert (same["within"] == "yes").all() and (same["deviation"] == 0).all()
    assert (same["share_of_allowed"] == 0).all()
    few = moved.assign(value=moved["value"].where(moved["statistic"] != "check-ins", 2000))
    assert compare(pd.concat([real.assign(dataset=REAL), few]))["share_of_allowed"].isna().all()


def test_the_distance_from_the_middle_is_left_out_for_the_whole_earth(tmp_path):
    path = Outcome(tmp_path / "mine", lines((1, "v", "Bar", 40.0, TUESDAY, 8))).prepared_path
    row = b"0\t2010-10-19T23:55:27Z\t30\t-97\t2\n"  # without a category
    earth = Outcome(tmp_path / "earth", row, layout="snap").prepared_path
    found = measure_all({"mine": path, "earth": earth}, busyness(), ["earth"])
    names = found[found["statistic"] == "distance from the middle"].groupby("dataset").size()
    assert names.to_dict() == {REAL: 2, "mine": 2}
    assert len(found[(found["dataset"] == "mine") & found["statistic"].str.startswith("busyness")]) == 4


@needs_sample
def test_the_targets_are_those_of_the_real_sample(tmp_path):
    outputs = [tmp_path / name for name in "prs"]
    prepare({"checkins": SAMPLE}, "tsmc2014", *outputs, 0.0, tmp_path / "kept.csv")
    found = measure(checkins_of_people(tmp_path / "p")).merge(read_table(TARGETS), on=["statistic", "at"])
    assert len(found) == len(read_table(TARGETS)) - 4  # without busyness
    assert found["value_x"].to_numpy() == pytest.approx(found["value_y"].to_numpy(), rel=0.005)


def test_distances_are_on_the_sphere():
    places = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    assert kilometres_from_the_middle(places) == pytest.approx([0, 0, 111.19], abs=0.01)
