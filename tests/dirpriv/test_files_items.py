"""Files of items of a public list: venues in, venues out, with a guarantee that holds the list."""

import contextlib
import csv
import io
import json

import numpy as np
import pytest
from tables_of_releases import new_holder

from dirpriv import InvalidArgument, release
from dirpriv.command import main
from dirpriv.estimators import estimate_item_shares

holder = pytest.fixture(new_holder)
NAMES = ['Café "Zum, Anker"', "Bäckerei", "museum", "station", "theatre"]
PLACES = [(40.75, -73.98), (40.7508, -73.9811), (40.7512, -73.9795), (40.7495, -73.9789), (40.70, -74.01)]
SURE = {"level": 1e6, "radius": "200m"}
ROWS = [*NAMES[:4], "station", "station"]


def table(holder, rows, name):
    path = holder.input / name
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def venues(holder, rows=None, names=("item", "latitude", "longitude")):
    rows = list(zip(NAMES, *zip(*PLACES, strict=True), strict=True)) if rows is None else rows
    return table(holder, [names, *rows], "venues.csv")


def visits(holder, rows=ROWS):
    return table(holder, [("id", "venue"), *enumerate(rows)], "visits.csv")


@pytest.mark.parametrize("output", ["private.csv", "private.csv.gz", "private.parquet"])
def test_venues_in_venues_out(holder, output):
    guarantee = holder.release(visits(holder), output, item="venue", items=venues(holder), **SURE)
    (found,) = release.read_released(holder.output / output)
    assert found.counts.tolist() == [1, 1, 1, 3, 0] and found.missing == 0
    assert release.read_guarantee(holder.output / output) == guarantee
    (column,) = guarantee.columns
    assert column.items == tuple(NAMES) and found.column == column
    made = release.FiniteRelease.within(1e6, "200m", NAMES, places=PLACES)
    assert json.loads(guarantee.dumps())["columns"][0]["sha256"] == made.sha256 == column.release().sha256


def test_noise_is_that_of_the_list_and_shares_are_estimated(holder):
    source = visits(holder, (["museum"] * 2 + ["station"] * 3) * 600)
    holder.release(source, item="venue", items=venues(holder), level=1.0, radius="200m")
    (found,) = release.read_released(holder.output / "private.csv")
    noise = found.column.release().noise
    expected = (noise.transitions()[2] * 2 + noise.transitions()[3] * 3) * 600
    assert np.abs(found.counts - expected).max() < 6.0 * np.sqrt(expected.max())
    shares = estimate_item_shares(range(5), noise, weights=found.counts)
    assert shares.low[2] <= 0.4 <= shares.high[2] and shares.low[3] <= 0.6 <= shares.high[3]


def test_missing_and_unknown_items(holder):
    source, listed = visits(holder, ["museum", "", "secret place"]), venues(holder)
    with pytest.raises(InvalidArgument, match="row 2 of 'venue' has no value"):
        holder.release(source, item="venue", items=listed, **SURE)
    with pytest.raises(InvalidArgument, match="row 3 of 'venue' is not on the list") as refused:
        holder.release(source, item="venue", items=listed, missing="keep", **SURE)
    assert "secret" not in str(refused.value)
    guarantee = holder.release(source, item="venue", items=listed, missing="keep", unknown="other", **SURE)
    (found,) = release.read_released(holder.output / "private.csv")
    assert found.counts.tolist() == [0, 0, 1, 0, 0, 1] and found.missing == 1
    assert guarantee.unprotected == ("which rows are missing",)


def test_a_list_that_was_changed_is_refused(holder):
    holder.release(visits(holder), item="venue", items=venues(holder), **SURE)
    path = holder.output / "private.csv.guarantee.json"
    document = json.loads(path.read_text("utf-8"))
    document["columns"][0]["latitude"][0] += 1e-4
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(ValueError, match=r"'columns\.0\.\w+' is not what the settings give"):
        release.read_released(holder.output / "private.csv")
    with pytest.raises(ValueError, match="columns of one length"):
        release.ItemColumn("venue", 1.0, "200m", ("a", "b"), (0.0, 1e-3), (0.0, 0.0, 1.0))


def test_levels_of_a_person_and_an_account(holder):
    how = {"item": "venue", "items": venues(holder), "level": 1.0, "radius": "200m", "dataset": "town"}
    guarantee = holder.release(visits(holder), user="id", max_rows_per_person=2, budget=5.0, **how)
    assert guarantee.person_level == 2.0 and "budget is a total level of 5" in guarantee.account


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"items": None}, "'item' and 'items' go together"),
        ({"item": None}, "no column is named"),
        ({"radius": "3h"}, "'radius' must be a length"),
        ({"item": "place"}, "'item' names no column"),
        ({"user": "venue"}, "'user' must not be a released column"),
        ({"most_unchanged": 0.5}, "'most_unchanged' is exceeded by the item"),
        ({"shuffled": (5, 1e-6)}, "'shuffled' goes with times only"),
        ({"rows": [("a", 1, 2), ("a", 1, 3)]}, "'items' has an item twice"),
        ({"rows": [("a", 1, 2), ("b", "x", 3)]}, "row 1 of 'latitude' is nan or infinite"),
        ({"rows": [("a", 1, 2), ("b", 91, 3)]}, "latitudes"),
        ({"rows": [("a", 1, 2), ("", 3, 3)]}, "'items' has an item without a name"),
        ({"rows": [("a", 1, 2)]}, "'items' must be a list of 2 to 5000"),
        ({"rows": [(name, 1 + i, 2) for i, name in enumerate(sorted(set(ROWS)))]}, "exactly the items that occur"),
        (
            {"names": ("venue", "lat", "lon")},
            "'items' must have the columns item, latitude, longitude; it has no 'item'",
        ),
    ],
    ids=str,
)
def test_wrong_lists_are_refused(holder, changed, message):
    rows, names = changed.pop("rows", None), changed.pop("names", ("item", "latitude", "longitude"))
    call = {"item": "venue", "items": venues(holder, rows, names), **SURE} | changed
    with pytest.raises(InvalidArgument, match=message) as refused:
        holder.release(visits(holder), **call)
    assert "\n" not in str(refused.value) and holder.outputs() == []


def test_the_command_says_how_much_stays_as_it_is(holder, capsys, monkeypatch):
    monkeypatch.chdir(holder.input)
    source, listed = visits(holder).name, venues(holder).name
    words = ["release", source, "p.csv", "--item", "venue", "--items", listed, "--level", "1", "--within", "200m"]
    assert main(words) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "An item is released as itself with a probability of 51.1% (median), and of up to 100.0%." in said
    assert "Within the radius it has 2 other items (median), and at least 0." in said
    assert main([*words[:2], "q.csv", *words[3:], "--rerelease", "--most-unchanged", ".6"]) == 2
    assert "--most-unchanged is exceeded by the item 'theatre'" in capsys.readouterr().err


def test_explain_says_what_a_list_reveals(holder, capsys, monkeypatch):
    monkeypatch.chdir(holder.input)
    assert main(["explain", "--level", "1", "--within", "200m", "--items", venues(holder).name]) == 0
    said = " ".join(capsys.readouterr().out.split())
    mean = release.FiniteRelease.within(1.0, "200m", NAMES, places=PLACES).noise.mean_distance()
    assert "items of a public list of 5" in said and "200 m apart 2.72 times 74:26" in said
    assert f"The mean distance of a noisy report from the true item is {mean:.1f} m." in said
    assert main(["explain", "--level", "1", "--within", "3h", "--items", "venues.csv"]) == 2
    assert "--within must be a length" in capsys.readouterr().err


def shares(*words, status=0):
    """What ``dirpriv histogram`` says, and its JSON."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["histogram", *words]) == status
    return out.getvalue()


def test_the_command_estimates_the_shares_of_items(holder, capsys, monkeypatch):
    """The numbers of the library, the largest first; another list, and options of times, are refused."""
    listed = venues(holder)
    for name, people in (("first", [2, 3, 3]), ("second", [0, 1])):
        source = visits(holder, [NAMES[i] for i in people] * 300)
        holder.release(source, f"{name}.csv", item="venue", items=listed, level=1.0, radius="200m")
    monkeypatch.chdir(holder.output)
    found = [release.read_released(f"{name}.csv")[0] for name in ("first", "second")]
    noise = found[0].column.release().noise
    for files, counts in (
        (["first.csv"], found[0].counts),
        (["first.csv", "second.csv"], found[0].counts + found[1].counts),
    ):
        (result,) = json.loads(shares(*files, "--items", str(listed), "--json", "-"))["results"]
        assert result["sha256"] == found[0].column.release().sha256 and result["count"] == counts.sum()
        values = [of["share"] for of in result["items"]]
        assert values == sorted(values, reverse=True) and {of["item"] for of in result["items"]} == set(NAMES)
        estimate = estimate_item_shares(range(5), noise, weights=counts)
        for of in result["items"]:
            at = NAMES.index(of["item"])
            assert [of["share"], of["low"], of["high"]] == [
                end[at] for end in (estimate.shares, estimate.low, estimate.high)
            ]
    said = shares("first.csv", "--csv", "shares.csv").splitlines()
    lines = [line.strip() for line in said if line.strip().startswith(tuple(NAMES))]
    assert lines[0].startswith("station") and lines[1].startswith("museum") and len(lines) == 5
    with open("shares.csv", encoding="utf-8", newline="") as file:
        assert [row["item"] for row in csv.DictReader(file)] == [line.split("  ")[0] for line in lines]
    rows = [(name, *place) for name, place in zip(NAMES, PLACES, strict=True)]
    for changed in (rows[::-1], [(*rows[0][:2], -73.98001), *rows[1:]], [*rows, ("port", 40.7, -74.02)]):
        path = table(holder, [("item", "latitude", "longitude"), *changed], "other.csv")
        shares("first.csv", "--items", str(path), status=2)
        assert f"is another list; the guarantee has SHA-256 {result['sha256']}" in capsys.readouterr().err
    for option in (["--bins", "5"], ["--cumulative"], ["--blur", "1h"], ["--plot", "a.png"]):
        shares("first.csv", *option, status=2)
        assert f"{option[0]} is for times, and 'first.csv' has items" in capsys.readouterr().err
    holder.release(visits(holder), "other.csv", item="venue", items=listed, level=2.0, radius="200m")
    shares("first.csv", "other.csv", status=2)
    assert "different lists or levels" in capsys.readouterr().err
