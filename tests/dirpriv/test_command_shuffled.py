"""``dirpriv release --shuffled``: two levels of one file, and what is refused before anything is drawn."""

import json
import math
from pathlib import Path

import pytest
from command_runs import folder, run

from dirpriv import guarantees, release
from dirpriv._lib.rounding import upwards
from dirpriv.release import FileGuarantee, HeadingColumn, PlaceColumns, TimeColumn, read_guarantee

PEOPLE = 60
TIME = TimeColumn("arrival", 0.5, "3h", cells=96)
OPTIONS = "--time arrival --level 0.5 --within 3h --cells 96".split()


@pytest.fixture
def table(folder):
    lines = [f"{person},{8 + person % 9:02}:15,17:{person:02}" for person in range(PEOPLE) for _ in "ab"]
    Path("in.csv").write_text("\n".join(["person,arrival,end", *lines]) + "\n", encoding="utf-8")


def released(*more, out="out.csv"):
    return run("release", "in.csv", out, *OPTIONS, *more)


def entries():
    """Releases in the ledger."""
    (path,) = Path("..").glob("home/dirpriv/ledger.json")
    return len(json.loads(path.read_text(encoding="utf-8"))["releases"])


@pytest.mark.parametrize("rows", [1, 2])
def test_a_file_states_the_level_of_each_report_and_of_the_shuffled_file(rows, table):
    """By the certified bound; the wrong variants are a smaller level, and a δ that rows do not share."""
    ran = released("--user", "person", "--max-rows-per-person", rows, "--shuffled", "60,1e-2")
    assert ran.status == 0
    guarantee = read_guarantee("out.csv")
    level, distribution = guarantee.shuffled_level, guarantee.columns[0].release().noise
    assert guarantee.shuffled == (60, 0.01) and level < 0.9 * guarantee.person_level == 0.9 * rows * 0.5
    each = level / rows
    delta = guarantees.shuffled_delta(distribution, 60, each, distance="3h")
    assert delta * sum(math.exp(turn * each) for turn in range(rows)) <= 0.01
    assert guarantees.shuffled_delta(distribution, 60, 0.97 * each, distance="3h") * rows > 0.005
    said = " ".join(ran.out.split())
    assert f"level {level:g} at δ = 0.01 for a person, within 3h. This level holds against people" in said
    assert f"Level {rows * 0.5:g} holds against people who know the order of its rows" in said
    document = json.loads(Path("out.csv.guarantee.json").read_text(encoding="utf-8"))
    assert document["shuffled"] == {"reports": 60, "delta": 0.01, "level": level}
    assert document["per_response"]["level"] == 0.5
    assert run("mean", "out.csv").status == 0


def test_without_a_column_of_persons_the_level_is_of_a_row(table):
    ran = released("--shuffled", "120,1e-2")
    assert "at δ = 0.01 for a row, within 3h" in " ".join(ran.out.split())
    assert read_guarantee("out.csv").max_rows_per_person is None


def test_headings_are_shuffled_too(folder):
    Path("in.csv").write_text("wind\n" + "10\n" * 50)
    found = release.file("in.csv", "out.csv", heading="wind", level=0.5, radius="45deg", cells=72, shuffled=(50, 1e-2))
    assert found.shuffled_level < 0.5 and FileGuarantee.from_json(json.loads(found.dumps())) == found


REFUSED = {
    "--keep end": "column 'end'",
    "--keep-order": "order of the rows",
    "--missing keep": "which rows are missing",
    "--time end": "goes with one column",
}


@pytest.mark.parametrize("options", REFUSED)
def test_what_shows_whose_a_report_is_does_not_go_with_it(options, table):
    ran = released("--shuffled", "60,1e-2", *options.split())
    assert ran.status == 2 and ran.err.count("\n") == 1 and "--shuffled" in ran.err
    assert REFUSED[options] in ran.err and not Path("out.csv").exists()
    assert released(*options.split()).status == 0  # without it


def test_too_few_rows_are_refused_before_the_ledger_and_the_draw(table, monkeypatch):
    """The number that is there is not said; the wrong variant counts rows before those of a person."""
    drawn = []
    monkeypatch.setattr(release.CircleRelease, "_released", lambda *_: drawn.append(1))
    for more in (["--shuffled", "121,1e-2"], ["--user", "person", "--shuffled", "61,1e-2"]):
        ran = released(*more)
        assert ran.status == 2 and "must be at most the number of released rows, which is smaller" in ran.err
        assert "120" not in ran.err and "60" not in ran.err and "counts as a release" not in ran.err
        assert ran.err.count("\n") == 1
    assert not drawn and entries() == 0 and not Path("out.csv").exists()
    monkeypatch.undo()


def test_as_many_rows_as_declared_are_enough(table):
    assert released("--user", "person", "--shuffled", "60,1e-2").status == 0 and entries() == 1


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("level", 0.1, "'shuffled.level' is not what the settings give"),
        ("level", None, "'shuffled.level' is not what the settings give"),
        ("delta", 1e-3, "'shuffled.level' is not what the settings give"),
        ("reports", 6000, "'shuffled.level' is not what the settings give"),
        ("reports", 1, "'shuffled' must be an integer of at least 2"),
        ("reports", 60.0, "shuffled"),
        ("delta", 0.0, "'shuffled' must be"),
        ("more", 1, "'shuffled.more' is unknown"),
    ],
)
def test_an_edited_level_is_noticed(field, value, message):
    document = json.loads(FileGuarantee((TIME,), shuffled=(60, 0.01)).dumps())
    assert FileGuarantee.from_json(document).shuffled == (60, 0.01)
    document["shuffled"][field] = value
    with pytest.raises(ValueError, match=message):
        FileGuarantee.from_json(document)
    for other in (None, [60, 0.01], "60"):
        with pytest.raises(ValueError):
            FileGuarantee.from_json(document | {"shuffled": other})


CITY = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "100m"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": (PlaceColumns(("lat", "lon"), 0.5, "200m", **CITY),)}, "goes with times only, because"),
        ({"columns": (TIME, HeadingColumn("wind", 0.5, "45deg"))}, "goes with one column"),
        ({"unprotected": ("order of the rows",)}, "excludes what may show the person of a report"),
        ({"shuffled": 60}, "must be a number of reports and a δ"),
        ({"shuffled": (60, 1.0)}, "'shuffled' must be between 0 and 1"),
        ({"shuffled": (2 * 10**9, 0.1)}, "at most 1000000000 reports"),
    ],
)
def test_a_guarantee_of_what_is_not_hidden_cannot_be_made(options, message):
    with pytest.raises(ValueError, match=message):
        FileGuarantee(**({"columns": (TIME,), "shuffled": (60, 0.01)} | options))


def test_many_rows_of_a_person_are_never_worse_than_their_sum():
    for rows in (1, 5, 100, 10_000):
        found = FileGuarantee((TIME,), max_rows_per_person=rows, shuffled=(10**6, 1e-9))
        assert 0.0 < found.shuffled_level <= found.person_level
    assert found.shuffled_level == found.person_level  # δ is too small to be shared by so many


def test_a_plan_of_a_dataset_is_of_the_reports_alone(table):
    ran = released("--user", "person", "--shuffled", "60,1e-2", "--dataset", "survey", "--max-releases", "3,1e-6")
    bound = FileGuarantee((TIME,), max_rows_per_person=3, delta=1e-6).person_level
    assert ran.status == 0 and f"3 equal releases, together level {upwards(bound)} at δ" in " ".join(ran.out.split())
