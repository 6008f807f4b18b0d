"""Files of 87e0f510 are read and counted in full: the ledger, guarantees, surveys, reports and exports.

The code of that commit has written ``older_files/``: it ran the commands of "made_by" in ``expected.json`` on
the synthetic files in ``true/``, and printed what else is in there. Only the intervals of "analyses" are of
later code. Of the pages of surveys only the survey was kept; the reports
are made up. The exports are of ``CircleRelease.within(1.0, "3h", cells=24)`` and of a ``PlaneRelease``.

A ledger that is read as empty, or in parts, is a fault of privacy. So tests lose each entry and each field in
turn, as a reader would that skips what it does not know.
"""

import hashlib
import json
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
from command_runs import enter, run

from dirpriv import release
from dirpriv.release.files.atomic_output import Rows, appearing_together
from dirpriv.release.guarantee import file
from dirpriv.release.ledger import ledger
from dirpriv.release.survey.survey import Survey, read_survey

FILES = Path(__file__).with_name("older_files")
EXPECTED = json.loads((FILES / "expected.json").read_text("utf-8"))
LATER = {"names", "period", "account", "release"}  # fields of an entry that the first format had not
# what options and words of these texts are called now
NOW = {
    "--again": "--rerelease",
    "--rows-per-person": "--max-rows-per-person",
    "--planned": "--max-releases",
    "--origin": "--region-centre",
    "--reach": "--region-reach",
    "--step": "--cell-size",
    "--missing pass": "--missing keep",
    "--outside pass": "--outside keep",
    "--trust curator": "--trust central",
    "--bins": "--edges hard --bins",
    "a curator's result": "a central result",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, in which estimates are those of a user."""
    return enter(tmp_path, monkeypatch)


@pytest.fixture
def holder(folder):
    """Whose ledger this is, in a folder with all files; returns its path."""
    shutil.copytree(FILES, folder, dirs_exist_ok=True)
    place = ledger.folder()
    place.mkdir(mode=0o700)
    path = place / ledger.NAME
    put(path, (FILES / "ledger.json").read_bytes())
    return path


def put(path, content):
    path.write_bytes(content)
    path.chmod(0o600)


def now(text):
    for old, new in NOW.items():
        text = text.replace(old, new)
    return text


def ran(words):
    return run(*shlex.split(now(words)))


def numbers(text):
    """All numbers of a text, and names in quotes: what is left if words change."""
    return re.findall(r"\d[\d.:e-]*|'[^']*'", re.sub(r"--[a-z-]+", "", text))


def refused(words, error, path):
    """Run a command that is refused in the line of the old code; nothing is written."""
    before = path.read_bytes()
    found = ran(words)
    assert (found.status, found.out, found.err) == (2, "", now(error) + "\n")
    assert path.read_bytes() == before and not list(Path().glob("new.csv*"))


def allowed(one, path):
    """Release once more; the sums are those of the old code, also when the ledger is read again."""
    found = ran(one["words"])
    assert found.status == 0, found.err
    guarantee = json.loads(Path("new.csv.guarantee.json").read_text("utf-8"))
    for name in ("new.csv", "new.csv.guarantee.json"):
        Path(name).unlink()
    assert numbers(json.dumps(guarantee["composed"])) == numbers(json.dumps(one["composed"]))
    if one["says"] is not None:
        assert numbers(guarantee["account"]) == numbers(one["says"])
        assert numbers(without_last_date(ran(f"account {one['account']}").out)) == numbers(
            without_last_date(one["text"])
        )
    if "then_refused" in one:
        refused(*one["then_refused"], path)


def without_last_date(text):
    """What an account says, without the day of its last release, which is today."""
    return re.sub(r"\d{4}-\d\d-\d\d(?=[^\n]*\n*\Z)", "", text)


def check_counted(path):
    """The accounts, each refusal, and what is allowed: as the old code printed it."""
    content = path.read_bytes()
    for name, text in EXPECTED["accounts"].items():
        found = run("account", *[name] * bool(name))
        assert found.status == 0 and numbers(found.out) == numbers(text)
    for words, error in EXPECTED["refused"]:
        refused(words, error, path)
    for one in EXPECTED["allowed"]:
        allowed(one, path)
        put(path, content)


# ------------------------------------------------------------------------- the ledger


def test_an_older_ledger_is_counted_in_full(holder):
    check_counted(holder)


def test_it_is_still_counted_after_it_was_written_again(holder):
    """A release of other people, of which these accounts know nothing."""
    Path("new_people.csv").write_text("moment\n08:15\n09:15\n")
    others = "release new_people.csv others.csv --time moment --level 1 --within 3h"
    assert ran(others).status == 0
    older, newer = json.loads((FILES / "ledger.json").read_text()), json.loads(holder.read_text())
    assert len(newer["releases"]) == len(older["releases"]) + 1 and newer["accounts"].keys() == older["accounts"].keys()
    check_counted(holder)


def checked(document, *covered):
    """A ledger with the hash of what it holds."""
    text = "".join(json.dumps(document[name]) for name in covered)
    check = hashlib.blake2b(text.encode(), key=bytes.fromhex(document["key"]), digest_size=32).hexdigest()
    return json.dumps(document | {"check": check}).encode()


def test_a_ledger_of_the_first_format_is_counted(holder):
    """It has no accounts: each file is known, and its releases add up."""
    document = json.loads(holder.read_text())
    entries = [{name: value for name, value in entry.items() if name not in LATER} for entry in document["releases"]]
    put(holder, checked({"format": 1, "key": document["key"], "releases": entries}, "releases"))
    for words, error in [one for one in EXPECTED["refused"] if "of this file w" in one[1]]:
        refused(words, error, holder)
    for one in [one for one in EXPECTED["allowed"] if one["says"] is None]:
        content = holder.read_bytes()
        allowed(one, holder)
        put(holder, content)


def unnoticed(document, path):
    """Whether nothing above notices what was done to a ledger, whose hash is made again."""
    put(path, checked(document, "releases", "accounts"))
    try:
        check_counted(path)
    except AssertionError:
        return False
    return True


def test_each_lost_entry_is_noticed(holder):
    text = holder.read_text()
    count = len(json.loads(text)["releases"])
    for lost in range(count):
        document = json.loads(text)
        del document["releases"][lost]
        assert not unnoticed(document, holder), lost


NOTHING = {"rows_per_person": None, "person_level": None, "names": [], "period": None, "account": None}
NOTHING_OF_ACCOUNTS = dict.fromkeys(("user", "settings", "bound", "order", "budget", "planned"))
NOTHING_OF_ACCOUNTS |= {"columns": [], "releases": []}


def test_each_lost_field_is_noticed(holder):
    """As of a reader that puts the usual value where it does not know a field."""
    text = holder.read_text()
    for name, value in NOTHING.items():
        document = json.loads(text)
        for entry in document["releases"]:
            entry[name] = value
        assert not unnoticed(document, holder), name
    for name, value in NOTHING_OF_ACCOUNTS.items():
        document = json.loads(text)
        for account in document["accounts"].values():
            account[name] = value
        assert not unnoticed(document, holder), name


def test_an_empty_ledger_and_one_without_accounts_are_noticed(holder):
    document = json.loads(holder.read_text())
    assert not unnoticed(document | {"releases": []}, holder)
    assert not unnoticed(document | {"accounts": {}}, holder)


CALLED = {"staff": "planned", "visitors": "within", "club": "rows_per_person"}  # as fields of older ledgers


def test_datasets_that_are_called_as_an_older_field_keep_their_names(holder):
    document = json.loads(holder.read_text())
    document["accounts"] = {CALLED[name]: account for name, account in document["accounts"].items()}
    for entry in document["releases"]:
        entry["account"] = CALLED.get(entry["account"], entry["account"])
    put(holder, checked(document, "releases", "accounts"))
    for old, name in CALLED.items():
        assert numbers(run("account", name).out)[1:] == numbers(EXPECTED["accounts"][old])[1:]
    for one in [one for one in EXPECTED["allowed"] if one.get("account") in CALLED]:
        content, old, name = holder.read_bytes(), one["account"], CALLED[one["account"]]
        words = one["words"].replace(f"--dataset {old}", f"--dataset {name}")
        other = {"words": words, "account": name, "text": one["text"].replace(repr(old), repr(name))}
        allowed({key: one[key] for key in ("composed", "says")} | other, holder)
        newer = json.loads(holder.read_text())
        assert newer["format"] == 3 and list(newer["accounts"]) == list(document["accounts"])
        put(holder, content)


def at_entry(document):
    return document["releases"][0]


def at_account(document):
    return document["accounts"]["visitors"]


def at_column(document):
    return document["accounts"]["visitors"]["columns"][0]


FIELDS = [
    (at_entry, "within", "radius"),
    (at_entry, "rows_per_person", "max_rows_per_person"),
    (at_account, "planned", "max_releases"),
    (at_column, "within", "radius"),
]


def refused_as_damaged(path):
    before = path.read_bytes()
    for words in ("account", EXPECTED["refused"][0][0], EXPECTED["allowed"][0]["words"]):
        found = ran(words)
        assert (found.status, found.out, found.err.count("\n")) == (2, "", 1)
        assert f"the ledger '{path}' is damaged, so earlier releases are unknown" in found.err
    assert path.read_bytes() == before and not list(Path().glob("new.csv*"))


@pytest.mark.parametrize("both", [True, False], ids=["and the new one", "instead of the new one"])
@pytest.mark.parametrize(("at", "old", "new"), FIELDS, ids=[f"{at.__name__} {old}" for at, old, _ in FIELDS])
def test_a_ledger_with_an_older_field_in_the_new_format_is_damaged(holder, at, old, new, both):
    """And one of the older format with a new field."""
    older = holder.read_text()
    Path("new_people.csv").write_text("moment\n08:15\n09:15\n")
    assert ran("release new_people.csv others.csv --time moment --level 1 --within 3h").status == 0
    for text, has, other in ((holder.read_text(), new, old), (older, old, new)):
        document = json.loads(text)
        fields = at(document)
        fields[other] = fields[has]
        if not both:
            del fields[has]
        put(holder, checked(document, "releases", "accounts"))
        refused_as_damaged(holder)


@pytest.mark.parametrize("change", [(b'"level": 1.0', b'"level": 0.5'), (b'"within": "', b'"radius": "')])
def test_a_changed_older_ledger_is_damaged(holder, change):
    """Its hash covers the older names."""
    content = holder.read_bytes()
    put(holder, content.replace(*change))
    assert holder.read_bytes() != content
    refused_as_damaged(holder)


@pytest.mark.parametrize("number", [1, 3])
def test_a_ledger_with_the_number_of_another_format_is_damaged(holder, number):
    """Its hash covers the fields alone, not the number."""
    document = json.loads(holder.read_text())
    put(holder, checked(document | {"format": number}, "releases", "accounts"))
    refused_as_damaged(holder)


# ------------------------------------------------------------------------- guarantees, beside their files


@pytest.mark.parametrize("words", [words for words, *_ in EXPECTED["analyses"]])
def test_analyses_of_older_files_have_the_same_numbers(holder, words):
    """A file of a data owner's is refused in one line."""
    (status, lines), *_ = [rest for first, *rest in EXPECTED["analyses"] if first == words]
    found = ran(words)
    assert found.status == status, found.err
    if status:
        assert found.err.count("\n") == 1 and "guarantee.json" in found.err and not found.out
    else:
        table = [line for line in found.out.splitlines() if re.match("  .*[0-9]", line)]
        assert [*map(numbers, table)] == [*map(numbers, lines)]


def test_older_files_are_read_as_files_with_the_same_cells_are_that_are_written_now(holder):
    """To the bit. They have the starts of cells, and those of now the middles."""

    def results():
        read = [release.read_released(name) for name in ("monday.csv", "tuesday.parquet", "sail.csv")]
        estimate = run(
            "histogram", "sail.csv", "--column", "course", "--blur", "60deg", "--json", "-", "--plot", "picture.svg"
        )
        picture = Path("picture.svg").read_bytes()
        Path("picture.svg").unlink()
        return read, (estimate, picture, [each.counts.tolist() for columns in read for each in columns])

    read, before = results()
    for name, columns in zip(("monday.csv", "tuesday.parquet", "sail.csv"), read, strict=True):
        cells = [np.repeat(np.arange(len(each.counts)), each.counts) for each in columns]
        block = np.rec.fromarrays(cells, names=[str(i) for i in range(len(cells))])
        Path(name).rename("older")
        with appearing_together(Path(name)) as (hidden,):
            Rows(tuple(each.column for each in columns), []).write(iter([block]), hidden, Path(name).suffix)
    assert "17:42," in Path("older").read_text() and "17:43," in Path("sail.csv").read_text()
    assert results()[1] == before and before[0].status == 0


@pytest.mark.parametrize("name", EXPECTED["levels"])
def test_levels_of_older_guarantees_are_the_same(name):
    found = release.read_guarantee(FILES / name)
    *levels, composed = EXPECTED["levels"][name]
    assert numbers(str([found.level, found.person_level, found.shuffled_level])) == numbers(str(levels))
    assert numbers(json.dumps(found.composed)) == numbers(json.dumps(composed))


def test_a_changed_level_of_an_older_guarantee_is_refused(tmp_path):
    """They are checked as before, also what the new names are for."""
    for name in EXPECTED["levels"]:
        document = json.loads((FILES / name).read_text("utf-8"))
        for column in document["columns"]:
            column["level"] *= 0.5
        path = tmp_path / name
        path.write_text(json.dumps(document), "utf-8")
        with pytest.raises(ValueError, match="is no guarantee of dirpriv, or was changed"):
            release.read_guarantee(path)


@pytest.mark.parametrize("old", ["within", "origin", "rows_per_person"])
def test_a_guarantee_with_an_older_and_a_new_field_is_refused_in_one_line(holder, old):
    new = {"within": "radius", "origin": "region_centre", "rows_per_person": "max_rows_per_person"}[old]
    name, part = ("again.csv", "earlier_releases") if old == "rows_per_person" else ("may.csv", "columns")
    path = Path(f"{name}.guarantee.json")
    document = json.loads(path.read_text("utf-8"))
    document[part][0][new] = document[part][0][old]
    path.write_text(json.dumps(document), "utf-8")
    found = ran(f"map {name}" if part == "columns" else f"mean {name}")
    assert (found.status, found.out, found.err.count("\n")) == (2, "", 1)
    assert f"or was changed: it is of a format that has no field '{new}'" in found.err


@pytest.mark.parametrize("name", EXPECTED["levels"])
def test_an_older_guarantee_with_the_number_of_the_new_format_is_refused(name, tmp_path):
    document = json.loads((FILES / name).read_text("utf-8"))
    for number in (0, 1.0, True, "1", None, 2):
        (path := tmp_path / name).write_text(json.dumps(document | {"format": number}), "utf-8")
        with pytest.raises(ValueError, match="is no guarantee of dirpriv, or was changed"):
            release.read_guarantee(path)


def test_the_guarantee_of_an_older_central_map_is_read(holder):
    """The file of 87e0f510 has no degrees, which is said in one line, and the guarantee is read."""
    found = ran("map map.csv --geojson cells.geojson")
    assert found.status == 2
    assert found.err == "dirpriv map: error: 'map.csv' is no map of its guarantee, or was changed\n"
    document = json.loads(Path("map.csv.guarantee.json").read_text("utf-8"))
    with pytest.raises(file.CentralResult) as caught:
        release.read_guarantee("map.csv")
    column, older = caught.value.document["columns"][0], document["columns"][0]
    assert column["region_centre"] == older["origin"] and column["outside"] == "clamp"
    assert (column["region_reach"], column["cell_size"]) == (older["reach"], older["step"])
    assert caught.value.document["trust"] == "central"


# ------------------------------------------------------------------------- surveys, reports and exports


@pytest.mark.parametrize("kind", ["times", "places"])
def test_older_surveys_and_reports_are_collected_or_refused_in_one_line(holder, kind):
    found = ran(f"collect {kind}.html {kind}.jsonl new.csv")
    if found.status == 0:
        old, new = (sorted(Path(name).read_text().splitlines()[1:]) for name in (f"{kind}.csv", "new.csv"))
        assert (old if kind == "places" else [middle(text) for text in old]) == new and len(new) == 8
    else:
        assert READS_SURVEYS is False and found.status == 2 and found.err.count("\n") == 1
        assert "of this version of 'dirpriv device'" in found.err and not list(Path().glob("new.csv*"))


def middle(text):
    """Of a quarter of an hour that begins then."""
    return f"{text[:3]}{int(text[3:]) + 7:02}:30"


READS_SURVEYS = True  # False from the version on that refuses older pages, if there is one


@pytest.mark.parametrize("name", ["circle", "plane"])
def test_older_exports_are_the_same_releases(name):
    document = json.loads((FILES / f"{name}.json").read_text("utf-8"))
    if name == "circle":
        made = release.CircleRelease.within(1.0, "3h", cells=24)
    else:
        made = release.PlaneRelease.within(
            1.0, "500m", region_centre=(40.75, -73.98), region_reach="30km", cell_size="100m"
        )
    found, radius = type(made).from_export(document), {"circle": "3h", "plane": "500m"}[name]
    assert found.export(radius) == made.export(radius)
    with pytest.raises(ValueError, match="hash of its own fields"):
        type(made).from_export(document | {"level": document["level"] * 2.0})
    others = {"radius_cells": 1}, {"region_centre": [0.0, 0.0]}, {"format": f"dirpriv.{name}/2"}
    for names in others:
        with pytest.raises(ValueError, match=r"no field|must have the fields"):
            type(made).from_export(document | names)


@pytest.mark.parametrize("kind", ["times", "places"])
def test_an_older_survey_keeps_its_format_and_its_id(kind):
    text = (FILES / f"{kind}.html").read_text("utf-8")
    document = json.loads(re.search(r'id="survey">(.*?)</script>', text, re.DOTALL)[1])
    survey = read_survey(FILES / f"{kind}.html")
    assert survey.to_json() == document and document["format"] == "dirpriv.survey/1"
    newer = Survey(survey.question, survey.column, survey.every, survey.send_to, survey.send_at).to_json()
    assert newer["format"] == "dirpriv.survey/2" and newer["id"] != document["id"] and "radius" in newer["column"]
    wrong = [document | {name: newer[name]} for name in ("format", "id", "column", "release")]
    wrong += [newer | {name: document[name]} for name in ("format", "id", "column", "release")]
    wrong += [document | {"column": document["column"] | {"radius": document["column"]["within"]}}]
    wrong += [document | {"format": "dirpriv.survey/3"}, document | {"level": 1.0}]
    for one in wrong:
        with pytest.raises(ValueError):
            Survey.from_json(one)
