"""What ``dirpriv plan`` says of levels, and the release that it plans."""

import shlex
from pathlib import Path

import pytest
from command_runs import folder, run

from dirpriv import planner
from dirpriv.release import read_guarantee

PLAN = planner.responses_needed
PLANS = {
    "--level 1 --within 3h": (1.0, "3h", 1, "Purkayastha, released"),
    "--level 1 --within 3h --rows-per-person 5": (1.0, "3h", 5, "Purkayastha, released"),
    "--level 0.123456789 --within 75min --rows-per-person 2": (
        0.123456789,
        "75min",
        2,
        "Purkayastha, released",
    ),
    "--epsilon 1 --rows-per-person 3": (1.0 / 3.0, "12h", 3, "Purkayastha"),
}


@pytest.mark.parametrize("options", PLANS)
def test_a_plan_ends_with_the_release_that_it_planned(options, folder, monkeypatch):
    """That very line is run; the wrong variant is a level of a person that is taken for one of a row."""
    needs = []

    def planned(*arguments, **named):
        needs.append(PLAN(*arguments, **named))
        return needs[-1]

    monkeypatch.setattr(planner, "responses_needed", planned)
    ran = run("plan", "mean", "--error", "30min", "--trust", "local", "--resultant", "1", *options.split())
    level, within, rows, mechanism = PLANS[options]
    pure = "epsilon" in options
    assert f"{level * rows if pure else level:.6g} " in ran.out.splitlines()[1]
    assert f"level {level * rows:.6g} for a person with {rows} row" in ran.out or pure
    program, *words = shlex.split(ran.out.splitlines()[-1])
    lines = [f"{person},{8 + person % 9:02}:15" for person in range(30) for _ in range(rows + 1)]
    Path("arrivals.csv").write_text("\n".join(["person,arrival", *lines]) + "\n", encoding="utf-8")
    assert program == "dirpriv" and run(*words).status == 0
    guarantee = read_guarantee("private.csv")
    (column,) = guarantee.columns
    assert (guarantee.level, column.within, guarantee.rows_per_person) == (level, within, rows)
    assert guarantee.person_level == pytest.approx(rows * level, rel=1e-15, abs=0.0)
    # and its law is the one of the table
    (law,) = (need.law for need in needs[-1] if (need.mechanism, need.calibration) == (mechanism, "tight"))
    assert column.release().law.mean_cosine() == pytest.approx(law.mean_cosine(), rel=1e-4, abs=0.0)


def test_the_level_of_a_person_is_cautioned_of():
    words = "plan mean --level 1 --within 3h --error 1h --rows-per-person".split()
    assert "gives almost no protection" in run(*words, 5).out and "Caution" not in run(*words, 4).out


def test_no_release_is_named_where_others_are_trusted():
    said = run(*"plan mean --epsilon 1 --error 0.1rad --trust central".split()).out
    assert "'dirpriv release' is for local trust only" in said and "arrivals.csv" not in said
