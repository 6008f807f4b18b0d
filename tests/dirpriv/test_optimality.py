"""The theorem of the best kernels, held against linear programmes that know nothing of it."""

import itertools

import numpy as np
import pytest

from study.experiments.optimal_mechanisms import optimality

SPACES = {"circle": ("circle", 2), "sphere": ("sphere", 3), "10": ("sphere", 10), "rotations": ("rotations", 3)}
LOSSES = {
    "angle": lambda theta: theta,
    "mean": lambda theta: 1.0 - np.cos(theta),
    "far": lambda theta: (theta > np.pi / 4.0).astype(float),
}
NOTIONS = ("metric", "pure", "both", "within")
LEVELS = (0.5, 1.0, 4.0)

each_space = pytest.mark.parametrize("space", SPACES)
each_notion = pytest.mark.parametrize("notion", NOTIONS)


def further(notion, level):
    """The second number of a notion: a pure level that cuts the fall short, a radius of some steps."""
    return {"both": {"pure": 1.3 * level}, "within": {"radius": np.pi / 4.0}}.get(notion, {})


def grid_of(space, count=33):
    name, dim = SPACES[space]
    return optimality.classes(name, count, dim=dim)


def differences(space, notion, family=optimality.family):
    """Best of a family minus the least of all kernels, over the losses and levels; never negative."""
    grid = grid_of(space)
    found = []
    for loss in LOSSES.values():
        cost = loss(grid.angles)
        for level in LEVELS:
            allowed = optimality.levels(notion, level, grid.angles, **further(notion, level))
            kernels = [kernel for _, kernel in family(notion, level, grid.angles, **further(notion, level))]
            risks = [(kernel * grid.weights) @ cost / (kernel @ grid.weights) for kernel in kernels]
            found.append(min(risks) - optimality.least_risk(cost, allowed, grid.weights)[0])
    return np.array(found)


@each_space
@each_notion
def test_no_kernel_is_better_than_the_best_of_the_theorem(space, notion):
    assert np.abs(differences(space, notion)).max() < 1e-12


@pytest.mark.parametrize("length", [0.33, 0.7, 1.77])
def test_a_fall_of_both_levels_may_end_on_the_grid_and_begin_beside_it(length):
    """The fall takes pure/level radians, which is no whole number of steps; against the same programmes."""
    grid, beside = grid_of("circle"), 0
    for loss, level in itertools.product(LOSSES.values(), LEVELS):
        cost, numbers = loss(grid.angles), {"pure": length * level}
        best = optimality.best_kernel("both", level, cost, grid, **numbers)
        allowed = optimality.levels("both", level, grid.angles, **numbers)
        least = optimality.least_risk(cost, allowed, grid.weights)[0]
        assert best.risk == pytest.approx(least, rel=1e-12, abs=0.0)
        beside += np.abs(grid.angles - best.scalar).min() > 1e-6
    assert beside > 0


@each_notion
def test_another_kernel_of_the_same_level_is_seen(notion):
    """Wrong variant: von Mises-Fisher's kernel, or one scalar for all losses."""

    def other(notion, level, angles, **numbers):
        if notion in ("metric", "both"):
            return [(np.nan, np.exp(min(level, numbers.get("pure", np.inf) / 2.0) * np.cos(angles)))]
        kernels = optimality.family(notion, level, angles, **numbers)
        return kernels[len(kernels) // 3 :][:1]

    assert differences("circle", notion, other).max() > 1e-3


@each_notion
def test_a_loss_has_a_half_angle_of_its_own(notion):
    """The scalar that is best for the mean is not the best for another loss, where there is one to choose."""
    grid, numbers = grid_of("circle", 97), further(notion, 1.0)
    mean, far = (
        optimality.best_kernel(notion, 1.0, LOSSES[name](grid.angles), grid, **numbers) for name in ("mean", "far")
    )
    of_far = (mean.kernel * grid.weights) @ LOSSES["far"](grid.angles)
    if notion == "metric":
        assert of_far == pytest.approx(far.risk, rel=1e-14, abs=0.0)
    else:
        assert of_far > far.risk + 1e-3
        assert mean.scalar != far.scalar


@each_notion
def test_tables_without_symmetry_are_no_better_than_kernels(notion):
    grid = grid_of("circle", 7)
    for loss in LOSSES.values():
        cost = loss(grid.angles)
        allowed = optimality.levels(notion, 1.0, grid.angles, **further(notion, 1.0))
        risk, _ = optimality.least_risk(cost, allowed, grid.weights)
        assert optimality.least_risk_of_tables(cost, allowed) == pytest.approx(risk, abs=1e-12)


@each_notion
def test_kernels_of_a_lower_level_would_be_seen(notion):
    """Wrong variant of the last test: tables of the level against kernels that keep 1 % less."""
    grid = grid_of("circle", 7)
    allowed = optimality.levels(notion, 1.0, grid.angles, **further(notion, 1.0))
    risk, _ = optimality.least_risk(grid.angles, 0.99 * allowed, grid.weights)
    assert optimality.least_risk_of_tables(grid.angles, allowed) < risk - 1e-4


def test_the_half_angles_on_the_circle_are_those_of_the_closed_forms():
    """ε = 1: mean tan α - α = π/(e - 1), angle π/(√e + 1) (Zheng, Mishra and Hu 2025)."""
    grid = grid_of("circle", 721)
    step = grid.angles[1]
    mean = optimality.best_kernel("pure", 1.0, 1.0 - np.cos(grid.angles), grid)
    angle = optimality.best_kernel("pure", 1.0, grid.angles, grid)
    assert abs(np.tan(mean.scalar) - mean.scalar - np.pi / np.expm1(1.0)) < 12.0 * step
    assert abs(angle.scalar - np.pi / (np.exp(0.5) + 1.0)) < step
    assert mean.risk == pytest.approx(1.0 - 0.3083, abs=1e-4)


def test_the_ends_of_the_staircase_are_the_cap_and_purkayastha():
    grid = grid_of("sphere")
    cost, step = grid.angles, grid.angles[1]
    whole = optimality.best_kernel("within", 2.0, cost, grid, radius=np.pi)
    assert whole.risk == pytest.approx(optimality.best_kernel("pure", 2.0, cost, grid).risk, rel=1e-12)
    fine = optimality.best_kernel("within", 2.0 * step, cost, grid, radius=step)
    assert fine.risk == pytest.approx(optimality.best_kernel("metric", 2.0, cost, grid).risk, rel=1e-12)


@pytest.mark.parametrize("space", SPACES)
def test_the_weights_are_those_of_the_uniform_distribution(space):
    grid = grid_of(space, 1025)
    assert grid.weights.sum() == pytest.approx(1.0, abs=1e-14)
    mean = {"circle": np.pi / 2, "rotations": np.pi / 2 + 2 / np.pi}.get(space, np.pi / 2)
    assert grid.weights @ grid.angles == pytest.approx(mean, abs=1e-6)


def test_a_radius_below_a_step_is_refused():
    with pytest.raises(ValueError, match=r"the radius 0[.]01 must be at least one step of the grid"):
        optimality.levels("within", 1.0, grid_of("circle").angles, radius=0.01)
