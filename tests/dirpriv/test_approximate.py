"""Concentrations for (ε, δ) over several responses: near the level from below, by few compositions."""

import functools

import numpy as np
import pytest

from dirpriv import InvalidArgument, guarantees, mechanisms
from dirpriv.distributions import ClippedLaplace, Purkayastha, RotationLaplace, VectorLaplace, VonMisesFisher
from dirpriv.guarantees import composition
from dirpriv.guarantees.composition import composed_level
from dirpriv.guarantees.search import smooth_root

FAMILIES = {
    "vMF, n = 768": (lambda kappa: VonMisesFisher(768, kappa), np.pi),
    "Purkayastha within 3 h": (lambda kappa: Purkayastha(2, kappa), np.pi / 4.0),
    "rotations": (RotationLaplace, np.pi),
    "space": (lambda kappa: VectorLaplace(3, kappa), 2.0),
    "cap": (lambda level: mechanisms.CapMechanism.pure(level, dim=64).noise, np.pi),
}
pytestmark = pytest.mark.usefixtures("same_cells_once")
ASKED = [(8.0, 1e-6, 1), (1.0, 1e-9, 100), (0.1, 1e-3, 3)]


def reached(family, level, delta, responses, radius, monkeypatch):
    """The share of the level that the largest concentration reaches, and the number of compositions it takes."""
    calls, family = [], functools.cache(family)  # the cells of the one that is found are known

    def counted(distribution, responses, **where):
        composed = composed_level(distribution, responses, **where)
        calls.extend([composed] * (where["delta"] > 0.0))  # without δ levels add up
        return composed

    monkeypatch.setattr(composition, "composed_level", counted)
    kappa = guarantees.largest_concentration(family, level=level, delta=delta, responses=responses, radius=radius)
    found = composed_level(family(kappa), responses, distance=radius, delta=delta)
    return found / level, len(calls)


def check(name, asked, monkeypatch):
    """Whether the level is reached to 1e-6; always to 2e-5, and by few compositions."""
    family, radius = FAMILIES[name]
    share, calls = reached(family, *asked, radius, monkeypatch)
    assert 1.0 - 2e-5 <= share <= 1.0 and calls <= 8
    return share >= 1.0 - 1e-6


@pytest.mark.parametrize(("name", "asked"), list(zip(FAMILIES, [*ASKED, *ASKED], strict=False)))
def test_the_level_is_reached_from_below(name, asked, monkeypatch):
    assert check(name, asked, monkeypatch)


@pytest.mark.sweep
@pytest.mark.parametrize("name", FAMILIES)
def test_levels_drawn_by_lot_are_reached(name, monkeypatch):
    """Of 60 levels, δ and numbers of responses a family, all to 1e-6 here; steps differ by machine in rounding."""
    rng, near = np.random.default_rng([51, len(name)]), 0
    for _ in range(60):
        asked = np.exp(rng.uniform(-2.3, 3.0)), 10.0 ** rng.uniform(-12.0, -4.0), int(10.0 ** rng.uniform(0.0, 3.5))
        near += check(name, asked, monkeypatch)
    assert near >= 58


def test_a_root_is_found_by_few_evaluations():
    """Of functions that bend, also from where they are minus infinity; a jump ends below it."""
    for excess, root in (
        (lambda x: 2.0 * x - 3.0 - 0.2 * np.sin(x), 1.59996),
        (lambda x: -np.inf if x < 3.0 else np.log(x - 3.0), 4.0),
        (lambda x: 1.2 * x + 0.1 * x**2 - 2.0, 1.48331),
        (lambda x: x - 0.04 * x**2 - 6.0, 10.0),  # by the points nearest to it, not by the first ones
    ):
        found = smooth_root(excess, 0.0, 1e-6, 8)
        assert found == pytest.approx(root, abs=2e-4) and -1e-6 <= excess(found) <= 0.0
    assert 0.5 < smooth_root(lambda x: x - 1.5 + (x > 1.0), 0.0, 1e-6, 20) <= 1.0


def test_promises_go_together():
    """All are kept; without δ the levels add up; one response at a radius is the promise within it."""

    family = functools.cache(lambda kappa: VonMisesFisher(64, kappa))
    both = guarantees.largest_concentration(family, level=8.0, delta=1e-6, pure=9.0)
    assert both == guarantees.largest_concentration(family, pure=9.0)
    alone = guarantees.largest_concentration(family, level=8.0, delta=1e-6)
    assert alone == guarantees.largest_concentration(family, level=8.0, delta=1e-6, pure=1e3) > 1.05 * both
    added = guarantees.largest_concentration(family, level=8.0, responses=4)
    assert added == pytest.approx(1.0, rel=1e-6) and added <= 1.0
    within = guarantees.largest_concentration(family, level=1.0, radius=0.5)
    assert within == pytest.approx(guarantees.largest_concentration(family, within=(1.0, 0.5)), rel=1e-6)
    few = {"level": 2.0, "delta": 1e-6}
    least = guarantees.largest_concentration(family, **few, within=(9.0, 0.5))
    assert least == guarantees.largest_concentration(family, **few)


def test_mechanisms_take_epsilon_and_delta():
    mechanism = mechanisms.RotationLaplaceMechanism.approximate(2.0, 1e-5, 10)
    level = composed_level(mechanism.noise, 10, distance=np.pi, delta=1e-5)
    assert 2.0 * (1.0 - 1e-6) <= level <= 2.0 < 10.0 * mechanism.guarantee.pure_level
    assert isinstance(mechanism, mechanisms.RotationLaplaceMechanism)
    for wrong in ({"epsilon": -1.0}, {"delta": 1.0}, {"responses": 0}, {"responses": 1.5}, {"dim": 1}):
        with pytest.raises(InvalidArgument):
            mechanisms.PurkayasthaMechanism.approximate(**{"epsilon": 1.0, "delta": 1e-6} | wrong)
    for name in ("PolarLaplaceMechanism", "StaircaseMechanism", "VectorLaplaceMechanism", "TrapezoidMechanism"):
        with pytest.raises(InvalidArgument, match=r"no guarantee|not the best|no pure guarantee|two levels"):
            getattr(mechanisms, name).approximate(1.0, 1e-6)
    seam = guarantees.largest_concentration(ClippedLaplace, level=1.0, delta=1e-6)
    assert composed_level(ClippedLaplace(seam), 1, distance=np.pi, delta=1e-6) <= 1.0
