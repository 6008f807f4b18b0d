"""Hostile uses of ``--shuffled`` and of the plans: one line, nothing written, drawn or counted, no value."""

import json
from pathlib import Path

import pytest
from leaks import leaked

from dirpriv.command import main
from dirpriv.release import read_guarantee

TIME = ["--time", "arrival", "--level", "1", "--within", "3h", "--cells", "96"]
PLACE = ["--latitude", "lat", "--longitude", "lon", "--level", "1", "--within", "200m"]
PLACE += ["--region-centre", "40.75,-73.98", "--region-reach", "30km", "--cell-size", "100m"]
ROWS = "who,arrival,end,lat,lon\n" + "zqx3709,13:37,13:37,47.3709,8.3709\n" * 5
NUMBERS = {
    "no δ": "5", "three numbers": "5,0.1,0.1", "texts": "many,0.1", "half a report": "2.5,0.1",
    "one report": "1,0.1", "none": "0,0.1", "fewer than none": "-5,0.1", "no number": "nan,0.1",
    "more than a file has": "5000000000,0.1", "a number of a thousand digits": "9" * 1000 + ",0.1",
    "a δ of 0": "5,0", "a δ of 1": "5,1", "a δ below 0": "5,-0.1", "a δ that is no number": "5,nan",
    "a δ of infinity": "5,inf", "a command of the shell": "$(id),0.1", "an escape": "\x1b[31m5,0.1",
    "SQL": "5,0.1); DROP TABLE t; --",
}  # fmt: skip
RELEASES = {
    **{f"--shuffled with {name}": [*TIME, f"--shuffled={text}"] for name, text in NUMBERS.items()},
    "places": [*PLACE, "--shuffled", "5,0.1"],
    "two columns": [*TIME, "--time", "end", "--shuffled", "5,0.1"],
    "persons who are fewer": [*TIME, "--user", "who", "--shuffled", "5,0.1"],
    "rows that are fewer": [*TIME, "--shuffled", "6,0.1"],
    "a kept column": [*TIME, "--keep", "who", "--shuffled", "5,0.1"],
    "the order": [*TIME, "--keep-order", "--shuffled", "5,0.1"],
    "missing values that pass": [*TIME, "--missing", "keep", "--shuffled", "5,0.1"],
    "twice": [*TIME, "--shuffled", "5,0.1", "--shuffled", "2,0.1"],
}
PLANS = {
    "no width": "histogram --level 1 --within 3h",
    "a width of nothing": "histogram --level 1 --within 3h --width 0%",
    "a width of no number": "histogram --level 1 --within 3h --width nan",
    "a width of all": "histogram --level 1 --within 3h --width 100%",
    "one bin": "histogram --level 1 --within 3h --width 10% --bins 1",
    "a million bins": "histogram --level 1 --within 3h --width 10% --bins 1000000",
    "a pure level of shares": "histogram --epsilon 1 --width 10%",
    "a level of 0": "mean --level 0 --within 3h --error 20min",
    "no rows": "mean --epsilon 1 --error 20min --max-rows-per-person 0",
    "no day": "mean --level 1 --within 3h --error 20min --days 0",
    "days of a map": "map --level 1 --within 200m --width 10% --days 3",
    "a map without a region": "map --level 1 --within 200m --width 10%",
    "a map of hours": "map --level 1 --within 3h --width 10% --region-centre 0,0 --region-reach 5km --cell-size 100m",
    "a radius of metres": "compare --level 1 --within 200m --difference 1h",
    "a difference of half a day": "compare --level 1 --within 3h --difference 12h",
    "a certain power": "compare --level 1 --within 3h --difference 1h --power 1",
    "a power of no number": "compare --level 1 --within 3h --difference 1h --power nan",
    "an error of two groups": "compare --level 1 --within 3h --error 1h",
}


@pytest.fixture(autouse=True)
def rows(holder):
    Path("in.csv").write_text(ROWS, encoding="utf-8")


@pytest.mark.parametrize("words", RELEASES.values(), ids=RELEASES)
def test_a_shuffled_release_is_refused_and_nothing_is_spent(words, holder, refused):
    assert leaked(refused(["release", "in.csv", "out.csv", *words])) == []
    assert [path.name for path in Path.cwd().iterdir()] == ["in.csv"]
    assert not any('"level"' in path.read_text() for path in holder.rglob("*.json"))


def test_the_same_release_is_made_without_what_is_refused(holder):
    assert main(["release", "in.csv", "out.csv", *TIME, "--shuffled", "5,0.1"]) == 0


@pytest.mark.parametrize("words", PLANS.values(), ids=PLANS)
def test_a_plan_is_refused_in_one_line(words, refused):
    assert leaked(refused(["plan", *words.split()])) == []


def test_a_forged_level_of_a_shuffled_file_is_not_believed(refused, capfd):
    assert main(["release", "in.csv", "out.csv", *TIME, "--shuffled", "5,0.1"]) == 0
    capfd.readouterr()
    path = Path("out.csv.guarantee.json")
    document = json.loads(path.read_text())
    assert read_guarantee(path).shuffled_level == document["shuffled"]["level"]
    for forged in (
        {"reports": 5, "delta": 0.1, "level": 1e-9},
        {"reports": 5_000_000, "delta": 0.1, "level": document["shuffled"]["level"]},
        {"reports": 5, "delta": 1e-12, "level": document["shuffled"]["level"]},
        {"reports": 5, "delta": 0.1},
        [5, 0.1, 0.5],
        None,
    ):
        path.write_text(json.dumps(document | {"shuffled": forged}))
        assert leaked(refused(["histogram", "out.csv"], spent=True)) == []
