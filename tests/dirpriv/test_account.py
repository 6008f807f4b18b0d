"""The account of a dataset: never below the exact loss, and entered in one locked step before the draw."""

import functools
import hashlib
import itertools
import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from command_runs import SOURCE, python
from killed_runs import STEPS
from tables_of_releases import new_holder

from dirpriv import guarantees, release
from dirpriv.exact.arithmetic import added
from dirpriv.guarantees import renyi
from dirpriv.release import FileGuarantee, PlaceColumns, TimeColumn, settings
from dirpriv.release.ledger import dataset_account, ledger

holder = pytest.fixture(new_holder)
CALL = {"time": "arrival", "level": 1.0, "radius": "3h"}
DAY = "2026-11-23"


def code(name):
    return hashlib.sha256(name.encode()).hexdigest()


def claim(budget=None, max_releases=None, user=None):
    return settings.AccountSettings(user=user, dataset="staff", budget=budget, max_releases=max_releases)


def entered(state, *columns, rows=None, **fixed):
    """The account after a release of these columns."""
    guarantee = FileGuarantee(tuple(columns), max_rows_per_person=rows)
    return dataset_account.entered(state, claim(user=rows and "id", **fixed), guarantee, code, [], DAY)


def total(state):
    return added(each["level"] for each in state["releases"])


# ------------------------------------------------------- sums, against all outputs and all pairs of inputs


def exact_loss(columns, distance):
    """Largest log ratio of the probability of all outputs, over all inputs at most so many cells apart."""
    tables = [column.release().weights for column in columns]
    worst = 0.0
    for inputs in itertools.product(*(range(-d, d + 1) for d in distance)):
        ratios = np.zeros(1)
        for table, shift in zip(tables, inputs, strict=True):
            moved = [table[(z + shift) % len(table)] for z in range(len(table))]
            one = [math.log(Fraction(int(a), int(b))) for a, b in zip(table, moved, strict=True)]
            ratios = np.add.outer(ratios, one).ravel()
        worst = max(worst, ratios.max())
    return worst


SEQUENCES = {  # levels and radii of two or three releases; the first declares 6 h, two cells of 3 h
    "equal": [(0.5, "6h"), (0.5, "6h"), (0.5, "6h")],
    "other levels": [(0.3, "6h"), (1.0, "6h")],
    "a smaller radius later": [(0.5, "6h"), (0.5, "3h")],
    "a larger radius later": [(0.5, "6h"), (0.5, "12h")],
}


@pytest.mark.parametrize("sequence", SEQUENCES.values(), ids=SEQUENCES)
def test_the_sum_is_the_exact_loss_of_all_releases(sequence):
    columns = [TimeColumn("a", level, radius, cells=8) for level, radius in sequence]
    state = None
    for column in columns:
        state = entered(state, column)
    loss = exact_loss(columns, [2] * len(columns))
    assert loss <= total(state) * (1 + 1e-12) and total(state) <= loss * (1 + 1e-9)
    if sequence[-1][1] == "3h":  # wrong: each charged at its own radius
        assert sum(level for level, _ in sequence) < loss - 0.4


def test_columns_and_rows_of_a_person_add_up():
    """Two columns, each with its own radius, and two rows of a person."""
    columns = TimeColumn("a", 0.5, "6h", cells=8), TimeColumn("b", 0.25, "3h", cells=8)
    loss = exact_loss([*columns, *columns], [2, 1, 2, 1])
    state = entered(None, *columns, rows=2)
    assert loss <= total(state) * (1 + 1e-12) and total(state) == pytest.approx(loss)
    with pytest.raises(ValueError, match="counts the rows of each person, so this release needs 'user'"):
        entered(state, columns[1])  # one person may have many rows in it
    first = entered(None, columns[1])
    later = entered(first, *columns, rows=2)
    assert total(later) == pytest.approx(loss + 0.25)
    assert "1 of them did not limit the rows per person" in dataset_account.stated(later)
    assert [column["radius"] for column in state["columns"]] == ["6h", "3h"]


# --------------------------------------- levels at a δ, against every strategy of who chooses the next level

LEVELS = (0.25, 0.5, 1.0)
DELTA = 0.05


def bits(level):
    """A release that is one bit, right with the probability e^ℓ/(1 + e^ℓ)."""
    return TimeColumn("a", level, "12h", cells=2)


def worst_delta(go_on, level, limit, depth=7):
    """Largest δ at a level that a choice of releases on the way can reach, and stopping, whatever was seen.

    ``go_on(levels)`` says whether these may have been released; ``limit(levels)`` is the level that is
    claimed when nothing more follows.
    """

    def rest(levels, loss):
        found = max(0.0, 1.0 - math.exp(limit(levels) - loss))
        for more in level if len(levels) < depth else ():
            if go_on((*levels, more)):
                right = 1.0 / (1.0 + math.exp(-more))
                after = [rest((*levels, more), loss + sign * more) for sign in (1.0, -1.0)]
                found = max(found, right * after[0] + (1.0 - right) * after[1])
        return found

    return rest((), 0.0)


def test_a_filter_keeps_its_budget_whatever_levels_are_chosen_on_the_way(monkeypatch):
    budget, known, divergences, same = (1.5, DELTA), {}, renyi.divergences, {}

    def once(distribution, distance, orders):
        """Those of a level are asked for after each choice before it."""
        key = distribution.probabilities.tobytes(), distance, tuple(orders)
        if key not in same:
            same[key] = divergences(distribution, distance, orders)
        return same[key]

    monkeypatch.setattr(renyi, "divergences", once)

    def state_of(levels):
        if levels not in known:
            before = state_of(levels[:-1]) if len(levels) > 1 else None
            try:
                fixed = {"budget": budget} if len(levels) == 1 else {}
                known[levels] = before is not False and entered(before, bits(levels[-1]), **fixed)
            except ValueError as error:
                assert "would exceed the budget of 'staff', level 1.5 at δ = 0.05" in str(error)
                known[levels] = False
        return known[levels]

    reached = worst_delta(lambda levels: bool(state_of(levels)), LEVELS, lambda levels: budget[0])
    assert 0.0 < reached <= DELTA
    most = max(total(state) for state in known.values() if state)
    assert most > budget[0]  # more than a sum of levels allows

    def fits(levels):  # wrong: the whole distribution of the loss, whose budget is asked of what was chosen
        return composed(levels) <= budget[0]

    assert worst_delta(fits, LEVELS, lambda levels: budget[0]) > DELTA


def composed(levels):
    """The exact least level at δ of releases of one bit, as if their levels had been fixed."""
    return composed_of(tuple(sorted(levels)))


@functools.cache
def composed_of(levels):
    outputs = [1.0 / (1.0 + math.exp(-level)) for level in levels]
    losses, masses = np.zeros(1), np.ones(1)
    for level, right in zip(levels, outputs, strict=True):
        losses = np.concatenate([losses + level, losses - level])
        masses = np.concatenate([masses * right, masses * (1.0 - right)])
    low, high = 0.0, sum(levels)
    for _ in range(50):
        middle = 0.5 * (low + high)
        excess = masses @ np.maximum(0.0, 1.0 - np.exp(middle - losses))
        low, high = (middle, high) if excess > DELTA else (low, middle)
    return high


def test_a_composed_level_after_the_fact_is_below_the_exact_loss():
    """So none is stated: who stops when the loss is large exceeds δ, which each number of releases keeps."""
    level = 0.5
    assert worst_delta(lambda levels: True, (level,), lambda levels: composed(levels) if levels else 0.0) > DELTA
    state = None
    for _ in range(4):
        state = entered(state, bits(level))
    assert "No level at a δ is known" in dataset_account.stated(state) and total(state) == pytest.approx(2.0)


def test_a_plan_keeps_its_level_at_delta():
    """Against all outputs of three releases of 8 cells; a plan of fewer would promise too much."""
    column, planned = TimeColumn("a", 1.0, "6h", cells=8), (3, DELTA)
    state = None
    for _ in range(3):
        state = entered(state, column, max_releases=planned)
    table = column.release().noise.probabilities
    one, other = (
        np.array([math.prod(row) for row in itertools.product(p, repeat=3)]) for p in (table, np.roll(table, 2))
    )

    def excess(level):
        return np.maximum(0.0, one - math.exp(level) * other).sum()

    assert excess(state["bound"]) <= DELTA < excess(state["bound"] - 0.02)
    assert state["bound"] < total(state) - 0.2
    shorter = entered(None, column, max_releases=(2, DELTA))["bound"]
    assert excess(shorter) > DELTA
    with pytest.raises(ValueError, match="is not one of the 3 planned for 'staff'"):
        entered(state, column)
    for other in (TimeColumn("a", 0.5, "6h", cells=8), TimeColumn("a", 1.0, "6h", cells=24)):
        with pytest.raises(ValueError, match="all with the same options"):
            entered(entered(None, column, max_releases=planned), other)
    with pytest.raises(ValueError, match="all with the same options"):
        entered(entered(None, column, max_releases=planned), column, rows=2)


@pytest.mark.parametrize("level", [1e-5, 0.1, 1.0, 5.0])
def test_divergences_are_never_below_the_exact_ones(level):
    orders = [*dataset_account._ORDERS[::6], math.inf]
    for column, distance in ((bits(level), 1), (TimeColumn("a", level, "6h", cells=8), 2)):
        weights = column.release().weights
        ratios = [Fraction(int(a), int(b)) for a, b in zip(weights, np.roll(weights, distance), strict=True)]
        losses, masses = (np.array([math.log(r) for r in ratios]), np.array([int(w) / sum(weights) for w in weights]))
        found = renyi.divergences(column.release().noise, column.radius, orders)
        for order, bound in zip(orders[:-1], found, strict=False):
            small = (order - 1.0) * losses.max() < 1e-3  # no digits cancel: E e^-L = 1 under the first input
            moment = masses @ (np.expm1((order - 1.0) * losses) + (order - 1.0) * np.expm1(-losses)) if small else None
            exact = math.log1p(moment) if small else np.logaddexp.reduce(np.log(masses) + (order - 1.0) * losses)
            exact /= order - 1.0
            assert exact <= bound * (1 + 1e-12) and bound <= exact * 1.001 + 1e-11


def test_ten_releases_of_a_tenth_fit_a_budget_of_one_and_no_more():
    state = entered(None, TimeColumn("a", 0.1, "3h"), budget=1.0)
    for _ in range(9):
        state = entered(state, TimeColumn("a", 0.1, "3h"))
    with pytest.raises(ValueError, match=r"makes a sum of 1.1, above the budget of 'staff', 1: nothing was drawn"):
        entered(state, TimeColumn("a", 0.1, "3h"))


# ------------------------------------------------------------------------- files of a next day


def days(holder, count=3):
    """Files of the same columns: other contents, so the ledger cannot know them by these."""
    return [holder.csv(f"id,arrival,leave\n{i},08:1{i},17:00\n2,09:00,18:00\n", f"{i}.csv") for i in range(count)]


def next_day(holder, source, output, **call):
    return release.file(source, holder.output / output, **(CALL | call))


def test_the_same_columns_of_another_file_need_a_name_or_other_people(holder):
    monday, tuesday, other = days(holder)
    next_day(holder, monday, "1.csv")
    with pytest.raises(
        ValueError, match=r"'arrival' of another file was released before, on .* level 1 within 3h"
    ) as raised:
        next_day(holder, tuesday, "2.csv", level=0.5)
    assert "give dataset='NAME'" in str(raised.value) and "give other_people=True" in str(raised.value)
    assert len(holder.ledger()) == 1 and holder.outputs() == ["1.csv", "1.csv.guarantee.json"]
    next_day(holder, tuesday, "leave.csv", time="leave")  # no column of the same name
    renamed = holder.csv("Arrival \n08:15\n", "capitals.csv")
    with pytest.raises(ValueError, match="'Arrival ' of another file was released before"):
        next_day(holder, renamed, "2.csv", time="Arrival ")
    assert next_day(holder, other, "3.csv", other_people=True).account is None


def test_a_next_day_is_told_the_sum_before_it_is_counted_and_drawn(holder):
    monday, tuesday, wednesday = days(holder)
    next_day(holder, monday, "1.csv")
    told = []

    def tell(text):
        told.append(text)
        assert len(holder.ledger()) == 1 + len(told) - 1 and not (holder.output / f"{len(told) + 1}.csv").exists()

    found = next_day(holder, tuesday, "2.csv", dataset="staff", tell=tell)
    assert "Dataset 'staff': 2 declared releases. The sum is level 2 for a person, each value within 3h" in told[0]
    assert "The name starts a new account" in told[0] and "It includes earlier releases without a name: 1" in told[0]
    assert "staff" not in found.account and "The sum is level 2 for a person" in found.text()
    assert release.read_guarantee(holder.output / "2.csv") == found
    next_day(holder, wednesday, "3.csv", dataset=" staff ", radius="1h", tell=tell)  # 3 at the declared radius
    assert "3 declared releases. The sum is level 5 for a person" in told[1] and "new" not in told[1]
    assert [entry["account"] for entry in holder.ledger()] == ["staff"] * 3
    text = (ledger.folder() / ledger.NAME).read_text()
    assert not any(word in text for word in ("arrival", "08:1", str(holder.input)))


def test_who_is_told_can_stop_before_anything_counts(holder):
    def stop(text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        next_day(holder, days(holder)[0], "1.csv", dataset="staff", tell=stop)
    assert holder.ledger() == holder.outputs() == [] and not getattr(raised.value, "__notes__", [])


def test_the_people_of_a_file_stay_in_its_account(holder):
    monday, tuesday, wednesday = days(holder)
    next_day(holder, monday, "1.csv", dataset="staff")
    for call in ({}, {"dataset": "others"}, {"dataset": "others", "other_people": True}):
        with pytest.raises(ValueError, match="this file belongs to a dataset: give dataset='staff'"):
            next_day(holder, monday, "2.csv", time="leave", **call)
    with pytest.raises(ValueError, match=r"the levels add up: give dataset='staff'"):
        next_day(holder, tuesday, "2.csv")
    with pytest.raises(ValueError, match="needs a new name; 'staff' already has releases"):
        next_day(holder, tuesday, "2.csv", dataset="staff", other_people=True)
    again = next_day(holder, monday, "2.csv", dataset="staff", rerelease=True)
    assert "2 declared releases. The sum is level 2 for" in again.account
    both = next_day(holder, tuesday, "3.csv", dataset="staff", time=["arrival", "leave"])
    assert "3 declared releases. The sum is level 4 for" in both.account
    new = next_day(holder, wednesday, "4.csv", dataset="visitors", other_people=True)
    assert "1 declared release. The sum is level 1 for" in new.account


def test_releases_without_a_name_count_with_all_their_columns_and_for_the_same_persons_only(holder):
    monday, tuesday, _ = days(holder)
    next_day(holder, monday, "1.csv", time=["arrival", "leave"], user="id", max_rows_per_person=3)
    same = next_day(holder, tuesday, "2.csv", dataset="staff", user="id")
    assert "2 declared releases. The sum is level 7 for a person, each value within 3h. No level at" in same.account
    with pytest.raises(ValueError, match="'user' must be the column that identifies persons in 'staff'"):
        next_day(holder, tuesday, "3.csv", dataset="staff", user="leave", rerelease=True)


def test_a_column_that_was_released_otherwise_is_refused():
    state = entered(None, TimeColumn("a", 1.0, "3h"))
    places = PlaceColumns(("a", "b"), 1.0, "2km", (40.75, -73.98), "30km", "100m")
    for column in (TimeColumn("a", 1.0, "3h", 168, "7d"), places):
        with pytest.raises(ValueError, match="with another kind or period"):
            entered(state, column)


def test_what_is_fixed_is_fixed_with_the_first_release(holder):
    monday, tuesday, wednesday = days(holder)
    with pytest.raises(ValueError, match="'budget' or 'max_releases' goes with 'dataset'"):
        next_day(holder, monday, "1.csv", budget=2.0)
    next_day(holder, monday, "1.csv", dataset="staff")
    for fixed in ({"budget": 9.0}, {"budget": (9.0, 1e-6)}, {"max_releases": (9, 1e-6)}):
        with pytest.raises(
            ValueError, match="must be set with the first release of a dataset; 'staff' already has a release"
        ):
            next_day(holder, tuesday, "2.csv", dataset="staff", **fixed)
    next_day(holder, wednesday, "3.csv", other_people=True, time="leave")
    with pytest.raises(ValueError, match=r"would exceed the budget of 'new', level 0.5 at δ = 1e-06"):
        next_day(holder, tuesday, "4.csv", dataset="new", other_people=True, budget=(0.5, 1e-6))
    assert len(holder.ledger()) == 2 and len(holder.outputs()) == 4


def test_nothing_is_fixed_for_people_who_were_released_before(holder):
    monday, tuesday, _ = days(holder)
    next_day(holder, monday, "1.csv")
    for fixed in ({"budget": (9.0, 1e-6)}, {"max_releases": (9, 1e-6)}):
        with pytest.raises(ValueError, match="these people were released before a budget or plan was set"):
            next_day(holder, tuesday, "2.csv", dataset="staff", **fixed)
    assert "The budget is a total level of 9" in next_day(holder, tuesday, "2.csv", dataset="staff", budget=9.0).account


def test_a_budget_refuses_before_anything_is_counted_and_the_same_command_goes_on(holder):
    files = days(holder, 4)
    for i, source in enumerate(files[:2]):
        next_day(holder, source, f"{i}.csv", dataset="staff", budget=2.5)
    before = (ledger.folder() / ledger.NAME).read_bytes()
    with pytest.raises(ValueError, match=r"makes a sum of 3, above the budget of 'staff', 2.5"):
        next_day(holder, files[2], "2.csv", dataset="staff")
    assert (ledger.folder() / ledger.NAME).read_bytes() == before and len(holder.outputs()) == 4
    next_day(holder, files[3], "3.csv", dataset="staff", level=0.5)


# ------------------------------------------------------------------------- the ledger's file


def test_a_ledger_of_the_first_format_is_read(holder):
    """Its releases are recognised and kept; they cannot be put into an account."""
    monday, tuesday, _ = days(holder)
    next_day(holder, monday, "1.csv")
    path = ledger.folder() / ledger.NAME
    said = json.loads(path.read_text())
    names = {new: old for old, new in ledger._RENAMED.items()}
    kept = [{name: entry[name] for name in entry if name not in ledger._ADDED} for entry in said["releases"]]
    old = [{names.get(name, name): value for name, value in entry.items()} for entry in kept]
    assert {"within", "rows_per_person"} < {*old[0]} and not {"radius", "max_rows_per_person"} & {*old[0]}
    check = hashlib.blake2b(json.dumps(old).encode(), key=bytes.fromhex(said["key"]), digest_size=32).hexdigest()
    path.write_text(json.dumps({"format": 1, "key": said["key"], "releases": old, "check": check}))
    with pytest.raises(ValueError, match="'arrival' of this file was released before"):
        next_day(holder, monday, "2.csv")
    with pytest.raises(ValueError, match=r"released by a version without accounts; .*: leave 'dataset' out"):
        next_day(holder, monday, "2.csv", dataset="staff", rerelease=True)
    found = next_day(holder, monday, "2.csv", rerelease=True)
    assert [one.level for one in found.earlier] == [1.0]
    next_day(holder, tuesday, "3.csv", dataset="staff", time="leave")
    said = json.loads(path.read_text())
    assert said["format"] == 3 and len(said["releases"]) == 3 and {**said["releases"][0]}.items() >= kept[0].items()


def with_check(said):
    covered = json.dumps(said["releases"]) + json.dumps(said["accounts"])
    check = hashlib.blake2b(covered.encode(), key=bytes.fromhex(said["key"]), digest_size=32).hexdigest()
    return json.dumps(said | {"check": check})


def test_a_changed_account_is_a_damaged_ledger(holder):
    monday, tuesday, _ = days(holder)
    next_day(holder, monday, "1.csv", dataset="staff")
    path = ledger.folder() / ledger.NAME
    text, said = path.read_text(), json.loads(path.read_text())
    damaged = [text.replace('"level": 1.0', '"level": 0.1'), text.replace('"accounts"', '"account"')]
    for name in said["accounts"]["staff"]:
        if name in ("columns", "releases", "budget", "max_releases"):
            less = json.loads(text)
            del less["accounts"]["staff"][name]
            damaged.append(with_check(less))
    damaged += [with_check(said | {"accounts": value}) for value in ([], {"staff": 1}, {"staff": {}})]
    for one in damaged:
        path.write_text(one)
        with pytest.raises(ValueError, match=r"the ledger '.*' is damaged"):
            next_day(holder, tuesday, "2.csv", dataset="staff")
        assert path.read_text() == one


RUN = """
import os, sys, time
from pathlib import Path
from dirpriv import release
source, output, mine, other = map(Path, sys.argv[1:5])
def wait(share):
    if share > 0.1 and not mine.exists():
        mine.touch()
        end = time.monotonic() + 60.0
        while not other.exists() and time.monotonic() < end:
            time.sleep(0.01)
try:
    call = {"time": "arrival", "level": 1.0, "radius": "3h", "dataset": "staff"}
    print(release.file(source, output, progress=wait, **call).account)
except ValueError as error:
    print("refused:", error)
"""


def test_one_of_two_processes_at_once_sees_the_other(holder, tmp_path):
    """Both have been told that theirs is the first release when they go to the ledger."""
    files, marks = days(holder), [tmp_path / "one", tmp_path / "two"]
    runs = []
    for i in range(2):
        words = [files[i], holder.output / f"{i}.csv", marks[i], marks[1 - i]]
        command = [sys.executable, "-c", RUN, *map(str, words)]
        variables = {"PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "XDG_CONFIG_HOME": str(ledger.folder().parent)}
        runs.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=variables))
    said = sorted(run.communicate(timeout=120)[0] for run in runs)
    assert said[0].startswith("Account of these people: 1 declared release. The sum is level 1")
    assert "its dataset was released by another run at the same time: start again" in said[1]
    assert len(holder.ledger()) == 1 and len(holder.outputs()) == 2
    assert "2 declared releases. The sum is level 2" in next_day(holder, files[2], "2.csv", dataset="staff").account


KILLED = """
import os, signal, sys
from pathlib import Path
import numpy
from killed_runs import import_all, killed_at
from dirpriv import release
from dirpriv.release.files import release as files
source, folder, first, every = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
import_all(dataset="staff", budget=(8.0, 1e-6))
draw = files.LocalJob._draw
def drew(job, rows):
    os.close(os.open(home / "drew", os.O_CREAT))  # a step, too: the noise is not drawn yet
    return draw(job, rows)
files.LocalJob._draw = drew
step, status = first, -1
while status:
    home = folder / str(step)
    home.mkdir(parents=True)
    child = os.fork()
    if child == 0:
        os.environ["XDG_CONFIG_HOME"] = str(home / "user")
        os.mkdir(home / "out")
        killed_at(step)
        release.file(source, home / "out" / "private.csv", time="arrival", level=1.0, radius="3h",
                     dataset="staff", budget=(8.0, 1e-6), progress=lambda share: sys.audit("work"))
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL), status
    step += every
"""


@pytest.mark.parametrize("every", [18, pytest.param(3, marks=pytest.mark.sweep)])
def test_a_run_that_is_killed_at_a_step_counts_if_it_may_have_drawn(holder, tmp_path, monkeypatch, every):
    assert {"open", "fcntl.flock", "os.rename", "work"} <= STEPS
    source, folder = days(holder)[0], tmp_path / "runs"
    tests = str(Path(__file__).parent)
    done = python("-c", KILLED, source, folder, 1, every, PYTHONPATH=f"{SOURCE}:{tests}", OMP_NUM_THREADS="1")
    assert (done.returncode, done.stderr) == (0, "")
    counted = []
    for home in sorted(folder.iterdir(), key=lambda path: int(path.name)):
        monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "user"))
        known = ledger.Ledger().accounts()
        counted.append(len(known["staff"]["releases"]) if known else 0)
        assert counted[-1] == len(holder.ledger())  # the account and the entry are one step
        if (home / "drew").exists() or any((home / "out").glob("private*")):
            assert counted[-1] == 1
    assert counted == sorted(counted) and counted[0] == 0 and counted[-1] == 1 and len(counted) > 3


def test_levels_at_a_delta_of_a_filter_are_of_its_first_order(holder):
    """A budget of many small releases: its order is not that of sums, and is kept in the ledger."""
    files = days(holder, 3)
    call = {"dataset": "staff", "level": 0.02}
    next_day(holder, files[0], "0.csv", budget=(1.0, 1e-6), **call)
    (known,) = ledger.Ledger().accounts().values()
    assert 5.0 < known["order"] < 500.0
    distribution = TimeColumn("a", 0.02, "3h").release().noise
    kept = renyi.divergence_kept(1.0, 1e-6, known["order"])
    assert kept / renyi.divergences(distribution, "3h", [known["order"]])[0] > 100 > 1.0 / 0.02
    assert guarantees.composed_level(distribution, 100, distance="3h", delta=1e-6) < 1.0
    found = next_day(holder, files[1], "1.csv", **call)
    assert "level 1 at δ = 1e-06. A Rényi filter enforces" in found.account
    (after,) = ledger.Ledger().accounts().values()
    assert after["order"] == known["order"] and after["releases"][1]["divergence"] > 0.0
