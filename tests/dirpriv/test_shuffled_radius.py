"""Shuffled reports with a level within a radius: bounds against exact divergences, and planned surveys."""

import functools
import itertools
from fractions import Fraction

import numpy as np
import pytest
from sweeps import swept

from dirpriv import planner
from dirpriv.distributions import Purkayastha
from dirpriv.estimators import assumed_populations
from dirpriv.guarantees import shuffled_delta, shuffled_level, shuffling_by_fft
from dirpriv.release import CircleRelease, PlaneRelease

# cells, radius in cells, level within the radius
TABLES = [(2, 1, 1.0), (3, 1, 1.5), (4, 1, 0.5), (4, 2, 2.0), (5, 1, 1.0), (5, 2, 0.7)]
LEVELS = 0.05, 0.3, 0.8  # of the level within the radius


def released(cells, radius, level):
    """The distribution of a table, its probabilities from the input 0, and the radius in radians."""
    distance = 2.0 * np.pi * radius / cells * (1.0 - 1e-9)
    distribution = CircleRelease.within(level, distance, cells=cells).noise
    assert distribution._certificate.cells_within(distance) == radius
    return distribution, distribution.probabilities, distance


def counted(row, base):
    """Probabilities of the counts of all answers but the last, one report added to others."""
    found = np.zeros(np.array(base.shape) + 1)
    inner = tuple(slice(0, size) for size in base.shape)
    for answer, probability in enumerate(row):
        moved = list(inner)
        if answer < base.ndim:
            moved[answer] = slice(1, base.shape[answer] + 1)
        found[tuple(moved)] += probability * base
    return found


def worst_deltas(row, radius, levels, configurations):
    """The largest exact δ at each level over all pairs within the radius, beside others of these inputs."""
    rows, worst = [np.roll(row, x) for x in range(len(row))], np.zeros(len(levels))
    for others in configurations:
        one = np.ones((1,) * (len(row) - 1))
        base = functools.reduce(lambda base, x: counted(rows[x], base), others, one)
        first = counted(row, base)
        for shift in {sign * step for step in range(1, radius + 1) for sign in (1, -1)}:
            second = counted(rows[shift], base)
            exact = [np.maximum(first - np.exp(level) * second, 0.0).sum() for level in levels]
            worst = np.maximum(worst, exact)
    return worst


def all_configurations(cells, people):
    return itertools.combinations_with_replacement(range(cells), people - 1)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_the_bound_is_never_below_the_exact_divergence(table):
    """All configurations of the others where people are few, all of one input where they are many."""
    cells, radius, _ = table
    distribution, row, distance = released(*table)
    levels = [share * float(distribution.privacy_loss(distance)) for share in LEVELS]
    many = {2: 50, 3: 50, 4: 30, 5: 12}[cells]
    for people in (2, 3, 5, 8, many):
        alike = [(x,) * (people - 1) for x in range(cells)]
        exact = worst_deltas(row, radius, levels, all_configurations(cells, people) if people <= 8 else alike)
        found = [shuffled_delta(distribution, people, level, distance=distance) for level in levels]
        assert (exact <= found).all() and exact[0] > 0.0, people


def bound_with(row, radius, floor, people, level):
    """The bound with another radius or another floor: wrong variants."""
    one = row * len(row)
    other = np.roll(one, radius)
    values = np.append((one - np.exp(level) * other) / floor, 0.0)
    masses = np.append(np.full(len(one), floor / len(one)), 1.0 - floor)
    return shuffling_by_fft.mean_excess(values, masses, people) / people


def test_a_floor_within_the_radius_and_half_of_a_radius_are_caught():
    _, row, _ = released(5, 1, 1.0)
    level = 0.3 * np.log(row[0] / row[1])
    (exact,) = worst_deltas(row, 1, [level], all_configurations(5, 5))
    assert exact <= bound_with(row, 1, 5.0 * row.min(), 5, level)
    assert bound_with(row, 1, 5.0 * row[1], 5, level) < exact  # the least density within the radius
    _, row, _ = released(4, 2, 2.0)
    (exact,) = worst_deltas(row, 2, [0.5], all_configurations(4, 8))
    assert bound_with(row, 1, 4.0 * row.min(), 8, 0.5) < exact <= bound_with(row, 2, 4.0 * row.min(), 8, 0.5)


def test_twice_as_far_apart_is_twice_the_level_at_a_larger_delta():
    """By the bound within the radius; the wrong variant has the same δ at twice the level."""
    distribution, row, distance = released(4, 1, 0.5)
    wrong = 0
    for level in (0.02, 0.1, 0.3):
        (exact,) = worst_deltas(row, 2, [2.0 * level], all_configurations(4, 6))
        bound = shuffled_delta(distribution, 6, level, distance=distance)
        assert exact <= (1.0 + np.exp(level)) * bound
        (alone,) = worst_deltas(row, 1, [level], all_configurations(4, 6))
        wrong += exact > alone
    assert wrong


def exact_excess(row, shift, people, level):
    """E max(S, 0) without rounding: everything is a fraction."""
    cells, ratio = len(row), Fraction(level)
    floor = min(row) * cells
    draws = [((row[i] - ratio * row[i - shift]) * cells / floor, floor / cells) for i in range(cells)]
    distribution = {Fraction(0): Fraction(1)}
    for _ in range(people):
        following = {}
        for total, mass in distribution.items():
            for value, share in [*draws, (Fraction(0), 1 - floor)]:
                following[total + value] = following.get(total + value, Fraction(0)) + mass * share
        distribution = following
    return sum(max(total, Fraction(0)) * mass for total, mass in distribution.items())


@pytest.mark.parametrize("weights", [(8, 4, 2, 1, 2, 4), (9, 3, 1, 3), (20, 9, 2, 1, 2, 9)])
def test_farther_inputs_are_easier_to_tell_apart_without_any_rounding(weights):
    """The theorem in docs/mathematics.md; the wrong variant is a distribution that does not fall with the distance."""
    row = [Fraction(weight, sum(weights)) for weight in weights]
    for level in ("1", "11/10", "3/2"):
        exact = [exact_excess(row, shift, 4, level) for shift in range(len(weights) // 2 + 1)]
        assert all(one <= other for one, other in itertools.pairwise(exact))
        distribution = [float(share) for share in row]
        for shift, value in enumerate(exact):
            found = bound_with(
                np.array(distribution), shift, min(distribution) * len(distribution), 4, np.log(float(Fraction(level)))
            )
            assert float(value) / 4.0 <= found * (1.0 + 1e-12) + 1e-15
    uneven = [Fraction(weight, 16) for weight in (5, 1, 5, 1, 3, 1)]
    apart = [exact_excess(uneven, shift, 3, "1") for shift in range(4)]
    assert any(one > other for one, other in itertools.pairwise(apart))


def test_a_bound_does_not_fall_with_the_radius():
    distribution = CircleRelease.within(0.4, "3h", cells=96).noise
    found = [shuffled_delta(distribution, 1000, 0.05, distance=2.0 * np.pi * cells / 96) for cells in range(0, 49, 6)]
    assert found[0] == 0.0 and (np.diff(found) > 0.0).all()
    assert found[-1] == pytest.approx(shuffled_delta(distribution, 1000, 0.05), rel=1e-6, abs=0.0)


def test_a_level_within_a_radius_is_at_most_that_of_a_report_and_of_any_two():
    distribution = CircleRelease.within(1.0, "3h", cells=96).noise
    for people in (1, 10, 1000):
        level = shuffled_level(distribution, people, 1e-6, distance="3h")
        assert level <= min(distribution.privacy_loss("3h"), shuffled_level(distribution, people, 1e-6))
        assert shuffled_delta(distribution, people, level, distance="3h") <= 1e-6
    assert level < 0.5


@pytest.mark.parametrize(
    ("distribution", "options", "message"),
    [
        (Purkayastha(2, 1.0), {"distance": "3h"}, "use the distribution of a release on the circle"),
        (
            PlaneRelease.within(1.0, "200m", region_centre=(0.0, 0.0), region_reach="5km", cell_size="20m").noise,
            {"distance": "200m"},
            "no bound within a distance",
        ),
        (CircleRelease.within(1.0, "3h").noise, {"distance": "200m"}, "'distance' must be"),
        (CircleRelease.within(1.0, "3h").noise, {"distance": "3h", "method": "clones"}, "'method' must be one"),
    ],
)
def test_what_has_no_bound_within_a_radius_is_refused(distribution, options, message):
    with pytest.raises(ValueError, match=message):
        shuffled_level(distribution, 100, 1e-6, **options)


# people for 20 min and a level within 3 h, δ = 1e-6, of the design
PEOPLE = {
    (1.0, 0.1): 435, (1.0, 0.316): 199, (1.0, 1.0): 73,
    (0.45, 0.1): 1198, (0.45, 0.316): 596, (0.45, 1.0): 320,
}  # fmt: skip


@functools.lru_cache
def planned(resultant, level):
    (need,) = planner.sample_sizes(
        "mean", 2.0 * np.pi / 72.0, level=level, radius="3h", trust="shuffled", resultant=resultant
    )
    return need


@pytest.mark.parametrize(
    ("resultant", "level"), [*(case for case in PEOPLE if case[1] != 0.316), *swept((1.0, 0.316), (0.45, 0.316))]
)
def test_so_many_people_are_enough_for_a_shuffler(resultant, level):
    need = planned(resultant, level)
    assert need.people <= 1.05 * PEOPLE[resultant, level]
    stated = shuffled_level(need.noise, int(need.people), 1e-6, distance="3h")
    assert min(stated, need.row_level) <= level
    assert level == 1.0 or stated > 0.98 * level  # and hardly any of the level is left over


@pytest.mark.parametrize(("resultant", "level"), [(1.0, 0.316), (0.45, 1.0)])
def test_shuffled_surveys_have_the_error_that_was_planned(resultant, level, monkeypatch):
    """A right number is refused with the probability 6e-5 for each of two; half of the people are caught."""
    monkeypatch.setattr(
        assumed_populations, "distribution_of", functools.cache(assumed_populations.distribution_of)
    )  # one distribution of people, not 2500
    need, error = planned(resultant, level), 2.0 * np.pi / 72.0
    value, low, high = need.simulate(2000, rng=3)
    slack = error * (1.0 / need.people + (0.04 if resultant < 1.0 else 0.008))
    assert abs(value - error) < 4.0 * (high - low) / 3.92 + slack
    half = need.__class__(**{**vars(need), "people": need.people // 2})
    value, low, high = half.simulate(500, rng=3)
    assert value - error > 4.0 * (high - low) / 3.92 + slack
