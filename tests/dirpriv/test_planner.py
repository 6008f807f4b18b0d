"""The planner's numbers against those of the design, and against simulated surveys."""

import functools
import inspect

import numpy as np
import pytest
from sweeps import swept

from dirpriv import guarantees, planner
from dirpriv.command import main
from dirpriv.estimators import assumed_populations

LEVELS = (0.5, 1.0, 2.0)
# people for 0.1 rad, one direction; those of the local caps are of the limit of many people, within 3 %
LOCAL = {"cap": (1245, 303, 68), "cap for one direction": (1238, 296, 63)}
CENTRAL = {"Gaussian on the sum": (129, 68), "Laplace on the sum": (51, 26)}


PLAN, PLANNED = planner.sample_sizes, {}


def plan_once(*arguments, **options):
    """``planner.sample_sizes``, which answers the same question only once in all tests."""
    asked = inspect.signature(PLAN).bind(*arguments, **options)
    asked.apply_defaults()
    key = tuple(asked.arguments.items())
    if key not in PLANNED:
        PLANNED[key] = PLAN(*arguments, **options)
    return PLANNED[key]


def needed(trust, epsilon, error=0.1, **options):
    return plan_once("mean", error, epsilon, trust=trust, **options)


def people(trust, epsilon, **options):
    needs = needed(trust, epsilon, **options)
    return {need.mechanism: need.people for need in needs if need.calibration == "tight"}


@pytest.mark.parametrize("place", range(3))
def test_local_caps_need_so_many_people(place):
    found = people("local", LEVELS[place])
    for name, expected in LOCAL.items():  # at ε = 2 the limit is 2.8 people short of 66
        assert found[name] == pytest.approx(expected[place], rel=0.03, abs=3)


@pytest.mark.parametrize("place", range(2))
def test_central_trust_needs_so_many_people(place):
    found = people("central", LEVELS[place])
    for name, expected in CENTRAL.items():
        assert found[name] == pytest.approx(expected[place], rel=0.05, abs=1)


@pytest.mark.parametrize(("epsilon", "most"), [(1.0, 101), *swept((0.5, 175))])
def test_shuffled_reports_are_certified_by_two_implementations(epsilon, most):
    best = needed("shuffled", epsilon)[0]
    assert best.people <= most
    for method in ("blanket", "variation ratio"):  # in small cells, and in counts of two levels
        assert guarantees.shuffled_delta(best.noise, best.people, epsilon, method=method) <= 1e-6
    assert guarantees.shuffled_delta(best.noise, best.people, 0.9 * epsilon) > 1e-6  # which a smaller level shows


# a correct number is refused with the probability 6e-5 for each of 14 mechanisms: four standard errors
@pytest.mark.parametrize(
    ("trust", "resultant", "epsilon", "error"),
    [
        ("local", 0.7, 2.0, 0.25),
        ("shuffled", 1.0, 1.0, 0.1),
        ("central", 0.7, 2.0, 0.25),
        *swept(("local", 1.0, 2.0, 0.25), ("shuffled", 1.0, 2.0, 0.25), ("central", 1.0, 2.0, 0.25)),
    ],
)
def test_simulated_surveys_have_the_error(trust, resultant, epsilon, error, monkeypatch):
    monkeypatch.setattr(
        assumed_populations, "distribution_of", functools.cache(assumed_populations.distribution_of)
    )  # one distribution of people, not 500
    for need in needed(trust, epsilon, error, resultant=resultant):
        if not np.isfinite(need.people) or need.people < 10:
            continue
        value, low, high = need.simulate(500, rng=1)
        assert high - value == pytest.approx(value - low)
        # a whole number of people can have a smaller error; for R < 1 the distribution is that of many people
        slack = error * (1.0 / need.people + (0.04 if resultant < 1.0 else 0.008))
        assert abs(value - error) < 4.0 * (high - low) / 3.92 + slack, need


def test_too_few_people_are_seen():
    """Wrong variant of the last test: two thirds of the people."""
    need = needed("local", 2.0, 0.25)[1]
    value, low, high = need.__class__(**{**vars(need), "people": need.people * 2 // 3}).simulate(1000, rng=1)
    assert value - 0.25 > 4.0 * (high - low) / 3.92 + 0.25 / need.people + 0.002


def test_a_level_within_a_radius_is_that_of_releases():
    needs = planner.sample_sizes("mean", 0.1, level=1.0, radius="3h")
    assert needs[0].mechanism == "staircase"
    found = {need.mechanism: need for need in needs}
    released = found["Purkayastha, released"]
    assert released.people == found["Purkayastha"].people
    assert abs(released.simulate(500, rng=2)[0] - 0.1) < 0.01


def test_several_rows_share_a_pure_level(monkeypatch):
    once, five = people("local", 1.0)["cap"], people("local", 1.0, max_rows_per_person=5)["cap"]
    assert five == pytest.approx(5.0 * once, rel=0.1)  # a fifth of the level costs 25 times the reports
    assert people("central", 1.0, max_rows_per_person=5) == people("central", 1.0)
    # under a shuffler, of a cap and of a distribution that is none
    monkeypatch.setattr(planner, "_PURE", {name: planner._PURE[name] for name in ("cap", "von Mises-Fisher")})
    # a change of three reports is three changes of one: levels add up, and δ grows by e^ε at each
    three = planner.sample_sizes("mean", 0.1, 1.0, trust="shuffled", max_rows_per_person=3)
    of_each = 1e-6 / (3.0 * np.exp(2.0 / 3.0))
    reports = planner.sample_sizes("mean", 0.1, 1.0 / 3.0, trust="shuffled", delta=of_each)
    assert {need.mechanism: need.people for need in three} == {
        need.mechanism: pytest.approx(need.people / 3.0, abs=1.0) for need in reports
    }


def test_several_rows_have_the_level_of_a_release_each():
    """Levels within a radius are of one row, so the reports are the same, from fewer people."""
    once = planner.sample_sizes("mean", 0.1, level=1.0, radius="3h")
    five = planner.sample_sizes("mean", 0.1, level=1.0, radius="3h", max_rows_per_person=5)
    for one, several in zip(once, five, strict=True):
        assert (several.mechanism, several.local_level) == (one.mechanism, one.local_level)
        assert several.people == -(-one.people // 5)


def test_the_sphere_is_planned_too():
    best = planner.recommend("mean", 0.2, 1.0, dim=3)
    assert best.best.mechanism == "cap for one direction"
    assert best.best.people < best.needs[-1].people
    assert "times as many" in best.why


def test_mechanisms_of_the_circle_alone_are_left_out_on_the_sphere_and_no_others():
    needs = planner.sample_sizes("mean", 0.2, level=1.0, radius=0.8, dim=3)
    assert {need.mechanism for need in needs} == {"staircase", "von Mises-Fisher", "Purkayastha"}


@pytest.mark.parametrize("dim", [2, 3, 10])
def test_people_have_the_mean_vector_that_is_asked_for(dim):
    for resultant in (1e-3, 0.3, 0.7, 0.9999):
        assert assumed_populations.distribution_of(resultant, dim).mean_cosine() == pytest.approx(
            resultant, rel=1e-12, abs=0.0
        )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": "median"}, "'task' must be one of mean, compare, histogram, map"),
        ({"trust": "nobody"}, "'trust' must be one of local, shuffled, central"),
        ({"error": 1.6}, "'error' must be below π/2"),
        ({"resultant": 1.2}, "'resultant' must be at most 1"),
        ({"epsilon": None}, "give either 'epsilon', or 'level' and 'radius'"),
        ({"epsilon": None, "level": 1.0, "radius": "30h"}, "'radius' must be at most half a turn"),
        ({"task": "histogram"}, "the task 'histogram' needs 'level' and 'radius'"),
        ({"task": "compare", "error": 0.9}, "'error' must be below π/4"),
        ({"task": "compare", "dim": 3}, "'dim' must be 2"),
        ({"task": "map"}, "'region' goes with the task 'map'"),
        ({"region": {"region_reach": "5km"}}, "'region' goes with the task 'map'"),
        ({"power": 1.0}, "'power' must be between 0 and 1"),
        ({"epsilon": -1.0}, "'epsilon' must be"),
    ],
)
def test_bad_arguments_are_named(change, message):
    options = {"task": "mean", "error": 0.1, "epsilon": 1.0} | change
    with pytest.raises(ValueError, match=message):
        planner.sample_sizes(**options)


def test_a_mechanism_that_never_gets_there_is_not_simulated():
    never = needed("central", 1.0)[-1]
    assert never.people == np.inf
    with pytest.raises(ValueError, match="no number of people is enough"):
        never.simulate(rng=1)


def test_the_command_prints_the_same_numbers(capsys, monkeypatch):
    monkeypatch.setattr(planner, "sample_sizes", plan_once)
    assert main(["plan", "mean", "--epsilon", "1", "--error", "0.1rad", "--resultant", "1", "--all"]) == 0
    said = capsys.readouterr().out
    for trust in ("local", "shuffled", "central"):
        for name, count in people(trust, 1.0).items():
            shown = f"{count:,.0f}" if np.isfinite(count) else "never"
            assert any(line.split(shown)[0].strip() == name for line in said.splitlines() if shown in line), name
    assert main(["plan", "mean", "--level", "1", "--within", "3h", "--error", "20min", "--all"]) == 0
    assert "At R = 1, 'staircase' needs the fewest people." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--epsilon 1 --error 1e-12rad", "--error must be at least 1e-09 rad; got 1e-12"),
        ("--epsilon 1 --error 1e-9rad --trust shuffled", "more than 1e+15 shuffled responses"),
        ("--epsilon 1 --error 20min --delta -1", "--delta must be positive and finite; got -1.0"),
        ("--epsilon 1 --error 20min --max-rows-per-person 0", "--max-rows-per-person must be an integer of at least 1"),
        ("--epsilon 1 --error 9h", "--error must be below 6 h"),
        ("--level 1 --error 20min", "give either --epsilon, or --level and --within"),
        ("--level 1 --within 200m --error 20min", "--within must be a duration"),
        ("--epsilon 1 --error 20min --resultant 3", "--resultant must be at most 1"),
    ],
)
def test_the_command_refuses_in_one_line(options, message, capsys):
    assert main(["plan", "mean", *options.split()]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1


@pytest.mark.parametrize("error", ["20", "1.2.3rad", "20m"])
def test_the_command_names_an_error_without_a_unit(error, capsys):
    assert main(["plan", "mean", "--epsilon", "1", "--error", error]) == 2
    assert f"got {error!r}" in capsys.readouterr().err
