"""The ledger of releases: a second one is refused or composed, and nobody else can read it."""

import errno
import fcntl
import hashlib
import json
import os
import pwd
import shutil
import stat
import threading

import pytest
from tables_of_releases import CITY, new_holder

from dirpriv import release
from dirpriv.release.ledger import ledger

holder = pytest.fixture(new_holder)
CALL = {"time": "arrival", "level": 1.0, "radius": "3h"}
ROWS = "id,arrival,leave,lat,lon\n1,08:15,09:00,40.75,-73.98\n2,09:00,10:00,40.75,-73.98\n"
ROWS += "1,10:00,11:00,40.75,-73.98\n"


def ledger_path():
    return ledger.folder() / ledger.NAME


def test_a_second_release_is_refused_whatever_the_names_of_the_files(holder):
    source = holder.csv(ROWS)
    holder.release(source, **CALL)
    for again in (source, holder.csv(ROWS, "copy.csv"), holder.csv(ROWS, "other name.csv")):
        with pytest.raises(ValueError, match=r"'arrival' of this file was released before, .* 1 within 3h"):
            holder.release(again, "second.csv", **(CALL | {"level": 0.5, "radius": "1h"}))
    assert holder.outputs() == ["private.csv", "private.csv.guarantee.json"] and len(holder.ledger()) == 1
    holder.release(holder.csv(ROWS + "3,11:00,12:00,40.75,-73.98\n"), "edited.csv", **CALL)  # not recognised


def test_another_release_states_the_sum(holder):
    source = holder.csv(ROWS)
    holder.release(source, **CALL)
    guarantee = holder.release(source, "second.csv", rerelease=True, **(CALL | {"level": 0.1, "radius": "1h"}))
    assert guarantee.earlier == (release.EarlierRelease(("arrival",), 1.0, "3h"),)
    assert guarantee.composed == {"per_response": {"level": 1.1}, "per_person": None}
    assert release.read_guarantee(holder.output / "second.csv") == guarantee
    third = holder.release(source, "third.csv", rerelease=True, **CALL)
    assert [(one.level, one.radius) for one in third.earlier] == [(1.0, "3h"), (0.1, "1h")]
    assert third.composed["per_response"]["level"] == 2.1
    text = third.text()
    assert "Earlier release of 'arrival' of this file: level 0.1 within 1h." in text
    assert "level 2.1 for each row" in text


def test_other_columns_of_a_file_are_no_second_release_but_are_stated(holder):
    source = holder.csv(ROWS)
    holder.release(source, **CALL)
    other = holder.release(source, "leave.csv", **(CALL | {"time": "leave"}))
    assert other.earlier == (release.EarlierRelease(None, 1.0, "3h"),)
    assert other.composed["per_response"]["level"] == 2.0
    places = {"latitude": "lat", "longitude": "lon", "level": 1.0, "radius": "200m", **CITY}
    holder.release(source, "places.csv", **places)
    with pytest.raises(ValueError, match="'lat' and 'lon' of this file were released before"):
        holder.release(source, "again.csv", **places)
    with pytest.raises(ValueError, match="'leave' of this file was released before"):
        holder.release(source, "again.csv", **(CALL | {"time": ["id", "leave"], "unit": "h"}))


def test_levels_of_persons_add_up_if_all_releases_were_per_person(holder):
    source = holder.csv(ROWS)
    person = CALL | {"user": "id", "max_rows_per_person": 2}
    holder.release(source, **person)
    second = holder.release(source, "second.csv", rerelease=True, **(person | {"max_rows_per_person": 1}))
    assert second.composed == {"per_response": {"level": 2.0}, "per_person": {"level": 3.0, "delta": 0.0}}
    holder.release(source, "third.csv", rerelease=True, **CALL)
    fourth = holder.release(source, "fourth.csv", rerelease=True, **person)
    assert fourth.composed["per_person"] is None and fourth.composed["per_response"]["level"] == 4.0


def test_levels_of_other_persons_do_not_add_up(holder):
    source = holder.csv(ROWS.replace("id,", "id,trip,").replace("\n1,", "\n1,1,").replace("\n2,", "\n2,2,"))
    holder.release(source, **CALL, user="trip")
    other = holder.release(source, "second.csv", rerelease=True, **CALL, user="id")
    assert other.earlier == (release.EarlierRelease(("arrival",), 1.0, "3h"),)
    assert other.composed == {"per_response": {"level": 2.0}, "per_person": None}
    assert "No level for all rows of a person is known" in other.text()
    assert release.read_guarantee(holder.output / "second.csv") == other
    same = holder.release(holder.csv(ROWS), "third.csv", **CALL, user="id")
    again = holder.release(holder.csv(ROWS), "fourth.csv", rerelease=True, **CALL, user="id")
    assert (same.composed, again.composed["per_person"]) == (None, {"level": 2.0, "delta": 0.0})


def test_a_level_of_0_at_a_large_delta_is_recorded(holder):
    person = {"time": "arrival", "level": 0.3, "radius": "3h", "user": "id", "max_rows_per_person": 2, "delta": 0.5}
    guarantee = holder.release(holder.csv(ROWS), **person)
    assert guarantee.person_level == 0.0 and "level 0 at δ = 0.5" in guarantee.text()
    again = holder.release(holder.csv(ROWS), "second.csv", rerelease=True, **person)
    assert again.composed["per_person"] == {"level": 0.0, "delta": 1.0}
    assert release.read_guarantee(holder.output / "second.csv") == again


def test_what_the_ledger_holds(holder, monkeypatch, tmp_path):
    source = holder.csv(ROWS, "clinic.csv")
    holder.release(source, **CALL)
    path = ledger_path()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    text = path.read_text()
    for word in ("arrival", "clinic", "csv", str(holder.input), "08:15"):
        assert word not in text
    (entry,) = json.loads(text)["releases"]
    assert {*entry} == {*FIELDS, *ADDED}
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "other" / "user"))  # another key: other hashes
    holder.release(source, "other.csv", **CALL)
    (other,) = json.loads(ledger_path().read_text())["releases"]
    assert other["file"] != entry["file"] and other["columns"] != entry["columns"]


def test_a_ledger_that_others_could_read_or_change_is_refused(holder):
    source = holder.csv(ROWS)
    holder.release(source, **CALL)
    for path, mode in ((ledger_path(), 0o640), (ledger_path(), 0o604), (ledger_path().parent, 0o770)):
        before = path.stat().st_mode
        path.chmod(mode)
        with pytest.raises(ValueError, match=r"other users can read or change .*\(chmod [67]00 "):
            holder.release(source, "second.csv", rerelease=True, **CALL)
        path.chmod(before)
    moved = ledger_path().rename(holder.input / "ledger.json")
    ledger_path().symlink_to(moved)
    with pytest.raises(ValueError, match="is a link"):
        holder.release(source, "second.csv", rerelease=True, **CALL)
    assert holder.outputs() == ["private.csv", "private.csv.guarantee.json"]


FIELDS = "file columns level radius max_rows_per_person person_level delta user date".split()
ADDED = "names period account release".split()


def one_digit(text, code):
    return text.replace(code, ("1" if code[0] == "0" else "0") + code[1:])


def with_check(said):
    """The ledger's text, with the check of what it says: whoever can edit the ledger has its key."""
    releases = (json.dumps(said["releases"]) + json.dumps(said["accounts"])).encode()
    check = hashlib.blake2b(releases, key=bytes.fromhex(said["key"]), digest_size=32).hexdigest()
    return json.dumps(said | {"check": check})


def changed(**fields):
    """Damage to a release, with a check that fits: a field that is another, or that is gone."""

    def damage(text):
        said = json.loads(text)
        entry = said["releases"][0]
        for name, value in fields.items():
            entry[name] = value
            if value is None:
                del entry[name]
        return with_check(said)

    return damage


DAMAGE = {
    "cut off": lambda text: text[:-40],
    "empty": lambda text: "",
    "no key": lambda text: text.replace('"key"', '"kye"'),
    "a short key": lambda text: text.replace('"key": "', '"key": "" , "x": "'),
    "no columns": lambda text: text.replace('"columns"', '"column"'),
    "a format before the first": lambda text: text.replace('"format": 3', '"format": 0'),
    "a format that is true": lambda text: text.replace('"format": 3', '"format": true'),
    "no check": lambda text: text.replace('"check"', '"chekc"'),
    "a field twice": lambda text: text.replace('"releases"', '"releases": [], "releases"'),
    "a field nobody knows": lambda text: text.replace('"format": 3', '"format": 3, "more": 1'),
    "lists in lists": lambda text: text.replace('"format": 3', f'"more": {"[" * 900}{"]" * 900}, "format": 2'),
    "very deep lists": lambda text: text.replace('"format": 3', f'"more": {"[" * 90000}, "format": 2'),
    **{f"a release without its {name}": changed(**{name: None}) for name in FIELDS + ADDED},
    "a level below 0": changed(level=-1.0),
    "true for a level": changed(level=True),
    "a level of nobody": changed(person_level=1.0),
    "a radius of words": changed(radius="3 o'clock"),
    "another day": changed(date="yesterday"),
    "a name for a hash": changed(columns=["arrival"]),
    "a release of no columns": changed(columns=[]),
    "a list": lambda text: "[]",
    "no list of releases": lambda text: json.dumps(json.loads(text) | {"releases": {}}),
    "a digit of the key": lambda text: one_digit(text, json.loads(text)["key"]),
    "a digit of a file": lambda text: one_digit(text, json.loads(text)["releases"][0]["file"]),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_ledger_is_refused_and_stays(holder, damage):
    source = holder.csv(ROWS)
    holder.release(source, **CALL)
    damaged = damage(ledger_path().read_text())
    ledger_path().write_text(damaged)
    with pytest.raises(ValueError, match=r"the ledger '.*' is damaged, .* restore it from a backup"):
        holder.release(source, "second.csv", rerelease=True, **CALL)
    assert ledger_path().read_text() == damaged and len(holder.outputs()) == 2


def test_a_ledger_of_a_later_version_is_not_called_damaged(holder):
    source = holder.csv(ROWS)
    holder.release(source, **CALL)
    later = json.dumps({"format": 4, "releases": {"in": "another way"}})
    ledger_path().write_text(later)
    with pytest.raises(ValueError, match=r"by a later version of dirpriv.*\(pip install") as raised:
        holder.release(source, "second.csv", rerelease=True, **CALL)
    assert "damaged" not in str(raised.value) and "move" not in str(raised.value)
    assert ledger_path().read_text() == later and len(holder.outputs()) == 2


@pytest.mark.parametrize("share", [0.05, 0.2])
@pytest.mark.parametrize("way", ["removed", "with its folder", "exchanged"])
def test_a_ledger_that_goes_during_a_run_is_noticed_before_noise_is_drawn(holder, monkeypatch, way, share):
    """Hashes with the old key, in a ledger with another one, would find nothing."""
    source, met = holder.csv(ROWS), []

    def remove(done):
        if done >= share and not met:
            met.append(done)
            ledger_path().unlink()
            if way == "with its folder":
                shutil.rmtree(ledger_path().parent)
            if way == "exchanged":
                holder.release(holder.csv(ROWS + "3,08:15,,,\n", "b.csv"), "b.csv", **CALL)

    with pytest.raises(ValueError, match="was removed or exchanged during this run: restore it, and start"):
        holder.release(source, progress=remove, **CALL)
    assert holder.outputs() == ["b.csv", "b.csv.guarantee.json"] * (way == "exchanged")
    holder.release(source, **CALL)
    with pytest.raises(ValueError, match="was released before"):
        holder.release(source, "second.csv", **CALL)


def test_folders_that_are_made_for_the_ledger_are_of_its_owner_alone(holder, monkeypatch, tmp_path):
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(home := tmp_path / "home"))
    home.mkdir(mode=0o755)
    before = os.umask(0)
    try:
        holder.release(holder.csv(ROWS), **CALL)
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.rglob("*")}
    assert modes == {".config": 0o700, "dirpriv": 0o700, ".lock": 0o600, "ledger.json": 0o600}


@pytest.mark.parametrize("home", [None, "here", "./here"])
def test_without_a_home_the_ledger_is_nowhere(holder, monkeypatch, tmp_path, home):
    def unknown(uid):
        raise KeyError(uid)

    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.delenv("HOME")
    if home is not None:
        monkeypatch.setenv("HOME", home)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ValueError, match=r"no home folder .*: set XDG_CONFIG_HOME to the absolute path"):
        holder.release(holder.csv(ROWS), **CALL)
    assert sorted(tmp_path.iterdir()) == before and holder.outputs() == []


def test_a_run_that_is_stopped_with_the_ledger_stops_no_other_for_ever(holder, monkeypatch):
    monkeypatch.setattr(ledger, "PATIENCE", 0.1, raising=False)
    source = holder.csv(ROWS)
    holder.release(source, **CALL)
    with open(ledger_path().with_name(".lock"), "rb+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ValueError, match=r"another run has locked the ledger \('.*\.lock'\) for 0.1 s"):
            holder.release(source, "second.csv", rerelease=True, **CALL)
    holder.release(source, "second.csv", rerelease=True, **CALL)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_ledger_that_is_no_file_is_refused(holder, make):
    source = holder.csv(ROWS)
    holder.release(source, **CALL)
    ledger_path().unlink()
    make(ledger_path(), 0o700 if make is os.mkdir else 0o600)
    with pytest.raises(ValueError, match="is no file: put the file itself there"):
        holder.release(source, "second.csv", **CALL)


def test_an_input_that_is_a_pipe_is_refused(holder):
    os.mkfifo(source := holder.input / "true.csv")
    with pytest.raises(ValueError, match="'input' must be a file"):
        holder.release(source, **CALL)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_ledger_that_cannot_be_written_is_named_and_nothing_counts(holder, monkeypatch, code):
    source = holder.csv(ROWS)
    holder.release(source, **CALL)

    def failing(descriptor):
        raise OSError(code, "MARKER")

    with monkeypatch.context() as patch, pytest.raises(OSError) as raised:
        patch.setattr(os, "fsync", failing)
        holder.release(source, "second.csv", rerelease=True, **CALL)
    said = str(raised.value)
    assert f"the ledger '{ledger_path()}' cannot be" in said and os.strerror(code) in said
    assert "MARKER" not in said and not hasattr(raised.value, "__notes__")
    assert len(holder.ledger()) == 1 and len(holder.outputs()) == 2


def test_a_configuration_that_cannot_be_written(holder, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(holder.csv("x", "no folder")))
    with pytest.raises(OSError, match=r"the ledger's folder .* cannot be written .*: set XDG_CONFIG_HOME"):
        holder.release(holder.csv(ROWS), **CALL)
    assert holder.outputs() == []


@pytest.mark.parametrize("end", [".", "dirpriv", "dirpriv/a"])
def test_the_ledger_is_never_beside_input_or_output(holder, end):
    folder = holder.input.parent / "user" / "configuration" / end
    folder.mkdir(parents=True)
    (source := folder / "true.csv").write_text(ROWS)
    with pytest.raises(ValueError, match="must be apart from the input and output"):
        holder.release(source, **CALL)
    with pytest.raises(ValueError, match="must be apart from the input and output"):
        holder.release(holder.csv(ROWS), folder / "private.csv", **CALL)
    assert not ledger_path().exists() and holder.outputs() == []


def test_a_relative_folder_of_the_configuration_is_not_used(holder, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert ledger.folder() == tmp_path / "home" / ".config" / "dirpriv"


def test_one_of_two_runs_at_the_same_time_is_refused(holder):
    """Both have passed the first check when the first of them writes into the ledger."""
    source, both, found = holder.csv(ROWS), threading.Barrier(2, timeout=20), []

    def run(name):
        met = []

        def wait(share):
            if share > 0.1 and not met:
                met.append(share)
                both.wait()

        try:
            found.append(holder.release(source, name, progress=wait, **CALL))
        except ValueError as error:
            found.append(str(error))

    threads = [threading.Thread(target=run, args=[name]) for name in ("one.csv", "two.csv")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    refused = [result for result in found if isinstance(result, str)]
    assert len(refused) == 1 and "was released before" in refused[0]
    assert len(holder.ledger()) == 1 and len(holder.outputs()) == 2


@pytest.mark.parametrize("written", [False, True])
def test_an_interrupt_beside_the_record_counts_if_it_is_written(holder, monkeypatch, written):
    source, replace = holder.csv(ROWS), os.replace
    holder.release(source, **CALL)

    def interrupted(new, path):
        if written:
            replace(new, path)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt) as raised:
        patch.setattr(os, "replace", interrupted)
        holder.release(source, "second.csv", rerelease=True, **CALL)
    notes = getattr(raised.value, "__notes__", [])
    assert len(holder.ledger()) == 1 + written
    assert [note for note in notes if "counts as a release" in note] == notes and len(notes) == written
