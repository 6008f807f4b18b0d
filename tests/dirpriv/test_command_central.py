"""``dirpriv release --trust central``: files of results, their guarantees, the ledger and the account."""

import csv
import json
import math
import os
import re
from fractions import Fraction

import duckdb
import numpy as np
import pytest
from command_runs import folder, run
from matplotlib.text import Text

from dirpriv.command import new_files
from dirpriv.estimators import PlaceDensityEstimate
from dirpriv.geometry import earth
from dirpriv.pictures import places
from dirpriv.release import PlaneRelease, read_guarantee

CENTRAL = ["--trust", "central", "--epsilon", "2"]
REGION = ["--region-centre", "40.75,-73.98", "--region-reach", "10km", "--cell-size", "10m"]


def table(name):
    with open(name, newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def visits(folder):
    """Four rows of each of 500 people: mornings, headings to the south, places in the north-east."""
    lines = ["person,start,end,wind,lat,lon"]
    for i in range(2000):
        lines.append(f"p{i // 4},08:{i % 60:02d},{'' if i % 4 == 3 else '17:30'},{170 + i % 20},40.76,-73.97")
    (folder / "visits.csv").write_text("\n".join(lines) + "\n")
    return folder


def released(*words):
    done = run("release", "visits.csv", "out.csv", *words, *(CENTRAL if "--epsilon" not in words else CENTRAL[:2]))
    assert (done.status, done.err) == (0, ""), done
    return done.out, table("out.csv"), json.loads(open("out.csv.guarantee.json").read())


def test_a_mean(visits):
    out, (row,), document = released("--time", "start", "--mean")
    assert "08:" in row["low"] and row["low"] < "08:30:00" < row["high"] and float(row["resultant_low"]) > 0.97
    assert document["trust"] == "central" and document["per_response"] == {"level": 2.0}
    (column,) = document["columns"]
    fall = Fraction(column["certificate"]["fall"])
    assert fall * column["certificate"]["sensitivity"] <= 2 and column["certificate"]["pure"] <= 2.0
    assert document["unprotected"] == ["number of rows"] and "for each row" in out
    with pytest.raises(ValueError, match=r"a central result, which is an estimate without reports.*--plot"):
        read_guarantee("out.csv")


def test_a_second_result_adds_its_level_in_ledger_and_account(visits):
    released("--time", "start", "--mean", "--dataset", "visits", "--budget", "6,1e-6")
    words = ["release", "visits.csv", "b.csv", "--time", "start", "--dataset", "visits"]
    again = run(*words, "--histogram", "24", *CENTRAL)
    assert again.status == 2 and "--rerelease" in again.err and not (visits / "b.csv").exists()
    done = run(*words, "--histogram", "24", *CENTRAL, "--rerelease")
    assert done.status == 0 and "level 4 for each row" in done.out and "2 declared releases" in done.out
    words[2] = "c.csv"  # the radius of this column is half a turn now, where this level is 4
    local = run(*words, "--level", "1", "--within", "3h", "--rerelease")
    assert local.status == 2 and "exceed the budget" in local.err and not (visits / "c.csv").exists()


def test_a_plan_is_the_sum_of_its_results(visits):
    words = ["--time", "start", "--mean", "--dataset", "visits"]
    out, *_ = released(*words, "--max-releases", "3,1e-6")
    assert "3 equal releases, together level 6 at" in " ".join(out.split())


def test_other_values_of_a_person_cost_twice_where_it_is_hidden_who_is_there(visits):
    """They are one person less and another one more. The wrong variant adds ε and is within the budget."""
    first = ["--time", "start", "--histogram", "24", "--adjacency", "add-remove", "--dataset", "visits"]
    released(*first, "--budget", "5")
    words = ["release", "visits.csv", "b.csv", *first[:4], "--dataset", "visits", *CENTRAL, "--rerelease"]
    again = run(*words)
    assert again.status == 2 and "makes a sum of 6, above the budget" in again.err


def test_a_plan_where_it_is_hidden_who_is_there(visits):
    words = ["--time", "start", "--histogram", "24", "--adjacency", "add-remove", "--dataset", "visits"]
    out, *_ = released(*words, "--max-releases", "3,1e-6")
    assert "3 equal releases, together level 12 at" in " ".join(out.split())


def test_a_histogram_of_rows_that_lack_values_and_of_two_columns(visits):
    words = ["--time", "start", "--time", "end", "--histogram", "24", "--missing", "keep"]
    out, rows, document = released(*words)
    assert len(rows) == 48 and document["per_response"] == {"level": 4.0} and "2 columns" in out
    counts = {(row["column"], row["from"]): int(row["count"]) for row in rows}
    assert abs(counts["start", "08:00"] - 2000) < 40 and abs(counts["end", "17:00"] - 1500) < 40
    shares = {(row["column"], row["from"]): float(row["low"]) for row in rows}
    assert shares["end", "17:00"] > 0.9  # of the rows that have a value
    assert abs(sum(counts.values()) - 3500) < 500


def test_rows_of_persons(visits):
    words = ["--user", "person", "--max-rows-per-person", "3"]
    out, (start, end), document = released("--time", "start", "--time", "end", "--mean", "--missing", "keep", *words)
    assert end["low"] < "17:30:00" < end["high"] and start["resultant"] == ""
    assert document["per_person"] == {"rows": 1, "level": 4.0, "delta": 0.0} and document["rows_of_a_person"] == 3
    assert "for each person" in out
    (visits / "out.csv").unlink(), (visits / "out.csv.guarantee.json").unlink()
    _, rows, document = released("--heading", "wind", "--histogram", "12", *words)
    assert document["columns"][0]["certificate"]["sensitivity"] == 6
    counts = [int(row["count"]) for row in rows]
    assert abs(sum(counts[5:7]) - 1500) < 100 and rows[5]["from"] == "150.00"


def test_a_map_with_its_picture(visits):
    words = ["--latitude", "lat", "--longitude", "lon", *REGION, "--map", "4", "--plot", "map.png"]
    out, rows, document = released(*words)
    assert len(rows) == 16 and (visits / "map.png").stat().st_size > 1000
    best = max(rows, key=lambda row: int(row["count"]))
    assert float(best["west_m"]) < 843 < float(best["east_m"]) and float(best["south_m"]) < 1112 < float(
        best["north_m"]
    )
    assert float(best["low"]) > 0.98 and document["columns"][0]["outside"] == "ask"
    assert document["unprotected"] == ["number of rows", "whether all places are outside of the region"]
    assert "16" in out and "Drawn: map.png" in out


MAP = ["--latitude", "lat", "--longitude", "lon", *REGION, "--map"]


def reaches(row):
    """How far the nearest and the farthest point of a district are from the origin, in metres."""
    west, east, south, north = (float(row[f"{side}_m"]) for side in ("west", "east", "south", "north"))
    nearest = math.hypot(max(west, -east, 0.0), max(south, -north, 0.0))
    return nearest, math.hypot(max(-west, east), max(-south, north))


def test_the_picture_of_a_map_says_what_its_file_says(visits, monkeypatch):
    """The share on the border is the sum of the file; nothing is drawn where nobody can be.

    The wrong variant cuts negative counts at 0 before it adds them. Of 84 counts, each of which is below 0
    with a probability of .37, two or fewer are so with one below 1e-11.
    """
    figures = []
    monkeypatch.setattr(new_files, "save", lambda figure, path: figures.append(figure) or f"Drawn: {path}")
    _, rows, _ = released(*MAP, "20", "--plot", "map.png", "--epsilon", "1")
    near, far = np.transpose([reaches(row) for row in rows])
    counts, moved = np.array([int(row["count"]) for row in rows]), 10.0 / math.sqrt(2.0)
    border = (near < 1e4 + moved) & (far >= 1e4 - moved)
    assert border.sum() == 84 and np.maximum(counts[border], 0).sum() > counts[border].sum() + 2
    (figure,) = figures
    text = " ".join(figure._suptitle.get_text().split())
    said = re.search(r"all places beyond it count: (-?[0-9.]+) % of the people", text)
    assert float(said[1]) == pytest.approx(100.0 * counts[border].sum() / 2000.0, abs=0.0051)
    assert "Numbers:" not in text and "estimate lies outside" not in text  # there are none: the cells are small
    for ax in figure.axes[:2]:
        (drawn, *_) = (each for each in ax.collections if each.get_array() is not None)
        hidden = np.ma.getmaskarray(drawn.get_array()).reshape(20, 20).T.ravel()
        assert (hidden == (near >= 1e4 + moved)).all() and hidden.any()


def test_a_map_of_large_cells_shows_all_who_are_moved_to_the_border(visits, monkeypatch):
    """A release moves places to the middle of a cell; its district is where this middle lies.

    Everybody is beyond the region, on all sides. At level 50, noise changes a count with probability e^-25.
    """
    far = np.column_stack(earth.destination((40.75, -73.98), np.linspace(0.0, math.tau, 1440), 5e3).T)
    (visits / "visits.csv").write_text("lat,lon\n" + "".join(f"{a:.7f},{b:.7f}\n" for a, b in far.tolist()))
    figures = []
    monkeypatch.setattr(new_files, "save", lambda figure, path: figures.append(figure) or f"Drawn: {path}")
    region = {"region_centre": (40.75, -73.98), "region_reach": "1km", "cell_size": "100m"}
    options = "--region-reach 1km --cell-size 100m --outside clamp --map 9 --plot map.png --epsilon 50"
    _, rows, _ = released(*MAP[:6], *options.split())
    east, north = PlaneRelease(1.0, **region).cells_of(*far.T)
    edges = np.linspace(-1050.0, 1050.0, 10)
    expected, *_ = np.histogram2d(100.0 * east, 100.0 * north, [edges, edges])
    assert [int(row["count"]) for row in rows] == expected.ravel().tolist()
    (figure,) = figures
    assert "all places beyond it count: 100.00 %" in " ".join(figure._suptitle.get_text().split())
    (drawn, *_) = (each for each in figure.axes[0].collections if each.get_array() is not None)
    hidden = np.ma.getmaskarray(drawn.get_array()).reshape(9, 9).T
    assert hidden.any() and not expected[hidden].any()


def test_a_map_has_degrees_and_becomes_polygons(visits):
    _, rows, _ = released(*MAP, "5")
    done = run("map", "out.csv", "--geojson", "out.geojson")
    assert (done.status, done.err) == (0, "") and "Written: out.geojson" in done.out
    features = json.loads((visits / "out.geojson").read_text())["features"]
    assert [one["properties"] for one in features] == [{k: float(v) for k, v in row.items()} for row in rows]
    origin, corners = (40.75, -73.98), {}
    for row, one in zip(rows, features, strict=True):
        middle = [(float(row[f"{a}_m"]) + float(row[f"{b}_m"])) / 2 for a, b in (("west", "east"), ("south", "north"))]
        centre = [float(row["latitude"]), float(row["longitude"])]
        expected = earth.destination(origin, math.atan2(*middle), math.hypot(*middle))
        assert centre == pytest.approx(expected.tolist(), abs=2e-6)
        ring = np.array(one["geometry"]["coordinates"][0])
        east, north = (ring[:-1] - ring[:-1].mean(axis=0)).T
        assert (ring[0] == ring[-1]).all() and np.sum(east * np.roll(north, -1) - north * np.roll(east, -1)) > 0
        assert ring[:-1].mean(axis=0) == pytest.approx(centre[::-1], abs=1e-4)
        assert earth.great_circle_distance(ring[0, ::-1], ring[1, ::-1]) == pytest.approx(4002.0, abs=3.0)
        for corner in map(tuple, ring[:-1].tolist()):
            corners[corner] = corners.get(corner, 0) + 1
    assert sorted(corners.values()) == [1] * 4 + [2] * 16 + [4] * 16  # neighbours meet in the same points


def test_what_is_no_central_map_becomes_no_polygons(visits):
    _, rows, _ = released(*MAP, "2")
    text = (visits / "out.csv").read_text()
    for words in (["--districts", "4"], ["--plot", "a.png"], ["--csv", "b.csv"], ["--reach", "5km"], ["out.csv"]):
        done = run("map", "out.csv", *words, "--geojson", "a.geojson")
        assert done.status == 2 and "--geojson alone" in done.err
    assert run("map", "out.csv").status == 2
    first, last = text.splitlines()[0], text.splitlines()[-1]
    others = "", first, text + last, text.replace(last, ""), text.replace(last, last + ",1")
    others += text.replace("west", "wet"), text.replace(rows[0]["high"], "nan", 1), "\0" * 99
    for other in others:
        (visits / "out.csv").write_text(other)
        done = run("map", "out.csv", "--geojson", "a.geojson")
        assert done.status == 2 and "is no map of its guarantee, or was changed" in done.err
    (visits / "out.csv").unlink(), os.mkfifo("out.csv")
    assert run("map", "out.csv", "--geojson", "a.geojson").status == 2
    words = ["release", "visits.csv", "hours.csv", "--time", "start", "--histogram", "24", *CENTRAL, "--rerelease"]
    assert run(*words).status == 0
    done = run("map", "hours.csv", "--geojson", "a.geojson")
    assert done.status == 2 and "is no map" in done.err and not (visits / "a.geojson").exists()


def test_a_histogram_of_a_parquet_file_of_a_week_with_its_picture(folder, monkeypatch):
    figures, save = [], new_files.save
    monkeypatch.setattr(new_files, "save", lambda figure, path: (figures.append(figure), save(figure, path))[1])
    duckdb.sql(
        "COPY (SELECT TIMESTAMP '2024-03-05 08:15:00' + INTERVAL (i % 3) DAY AS start FROM range(900) t(i)) "
        "TO 'visits.parquet'"
    )
    done = run(
        "release", "visits.parquet", "out.csv", "--time", "start", "--period", "7d", "--cells", "168",
        "--histogram", "7", *CENTRAL, "--adjacency", "add-remove", "--plot", "week.png",
    )  # fmt: skip
    rows = table("out.csv")
    assert done.status == 0 and "added or left out" in done.out and "Not protected" not in done.out
    assert [row["from"] for row in rows][:2] == ["Mon 00:00", "Tue 00:00"]
    assert all(float(row["low"]) < 1 / 3 < float(row["high"]) for row in rows[1:4])
    assert (folder / "week.png").exists()
    assert "Times of 'start'" in [text.get_text() for text in figures[0].findobj(Text)]


def test_a_map_of_nothing_within_the_reach_is_asked_about(visits):
    """Before anything is entered; what hides who is there stays hidden beside the question."""
    far = ["--region-centre", "40.75,73.98", "--region-reach", "10km", "--cell-size", "10m"]
    words = ["release", "visits.csv", "out.csv", "--latitude", "lat", "--longitude", "lon", "--map", "4", *CENTRAL]
    ran = run(*words, *far)
    assert ran.status == 2 and "all places lie beyond the --region-reach" in ran.err and "--outside clamp" in ran.err
    ran = run(*words, *far, "--outside", "clamp")
    assert ran.status == 0 and "Not protected: whether" not in ran.out
    words[2] = "b.csv"
    ran = run(*words, *REGION, "--adjacency", "add-remove", "--rerelease")
    assert ran.status == 0 and "If one row is added or left out" in ran.out.replace("\n  ", " ")
    assert "Not protected: whether all places are outside of the region." in ran.out


def test_a_missing_value_is_refused_without_a_word_about_rows_that_nobody_sees(visits):
    ran = run("release", "visits.csv", "out.csv", "--time", "end", "--mean", *CENTRAL)
    assert ran.status == 2 and "--missing keep (rows that are released show it)" in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--mean"], "the following arguments are required: --epsilon: see 'dirpriv release --help'"),
        (["--epsilon", "1"], "one result is needed, by one of --mean, --histogram, --map"),
        (["--epsilon", "1", "--mean", "--map"], "one result is needed, by one of --mean, --histogram, --map"),
        (
            ["--epsilon", "1", "--mean", "--level", "2"],
            "--level goes with local trust only: see 'dirpriv release --help'",
        ),
        (["--epsilon", "1", "--histogram", "24", "--title", "Starts"], "--title needs --plot"),
        (["--epsilon", "1", "--mean", "--plot", "a.png"], "--plot draws one histogram or one map, and no mean"),
    ],
)
def test_what_is_no_central_release_is_said_in_one_line(visits, words, said):
    ran = run("release", "visits.csv", "a.csv", "--time", "start", "--trust", "central", *words)
    assert (ran.status, ran.out, ran.err) == (2, "", f"dirpriv release: error: {said}\n")
