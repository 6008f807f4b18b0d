"""The privacy page: its tables against each other and against the design's numbers, and its figures."""

import mpmath
import numpy as np
import pandas as pd
import pytest
from looks import label_faults, styled, title_follows, without_labels  # noqa: F401

from dirpriv.distributions import PolarLaplace, Purkayastha
from study import figures
from study.experiments.privacy import compute as compute_privacy
from study.experiments.privacy import plot as plot_privacy

CITY = np.log(4.0) / 200.0 * 6_371_008.8


@pytest.fixture(scope="module")
def levels():
    return pd.DataFrame(compute_privacy.levels([1.0], [1.0]))


@pytest.fixture(scope="module")
def losses():
    return compute_privacy.losses(1.0, 2.0, 12)


def test_levels_agree_in_three_ways(levels):
    known = levels[levels["brute_force"].notna()]
    assert set(levels["mechanism"]) - set(known["mechanism"]) == {"clipped_laplace", "polar_laplace"}
    assert len(known) >= 3 * 10 and known["disagreement"].max() < 1e-12
    numerics = known["from_callable"] / known["exact"]
    assert (numerics >= 1.0).all() and numerics.max() < 1.002  # bounds from above
    infinite = levels[np.isinf(levels["exact"])]
    assert set(infinite["mechanism"]) == {"clipped_laplace", "polar_laplace"}
    assert infinite["reason"].str.contains("neighbours|unbounded").all()
    assert (levels.loc[np.isfinite(levels["exact"]), "reason"] == "").all()


def test_only_von_mises_fisher_is_private_by_the_chord(levels):
    """Its loss by brute force is κ times the chord; that of the other distributions of a finite level is above."""
    loss = levels[(levels["quantity"] == "loss") & levels["brute_force"].notna() & levels["by_chord"].notna()]
    above = (loss["brute_force"] / loss["by_chord"] - 1.0).groupby(loss["mechanism"]).max()
    assert set(loss["space"]) == {"circle", "sphere"}
    assert abs(above["von_mises_fisher"]) < 1e-12 < 0.01 < above["purkayastha"]


def test_brute_force_sees_a_wrong_level():
    """A distribution that is 1e-9 steeper is told from the right one: an error of the closed forms would be seen."""
    found = [compute_privacy.slope_by_brute_force("circle", Purkayastha(2, kappa)) for kappa in (1.0, 1.0 + 1e-9)]
    assert 0.9e-9 < found[1] - found[0] < 1.1e-9
    loss = [compute_privacy.loss_by_brute_force("circle", Purkayastha(2, k), 1.0) for k in (1.0, 1.0 + 1e-9)]
    assert 0.9e-9 < loss[1] - loss[0] < 1.1e-9


def test_losses_keep_or_break_what_is_promised(losses):
    breaking = losses[losses["loss"] > losses["promised"] * (1.0 + 1e-12)]
    broken = set(breaking[["mechanism", "calibration", "promise"]].itertuples(index=False, name=None))
    assert broken == {
        ("clipped_laplace", "published", "per_radian"),
        ("clipped_laplace", "published", "pure"),
        ("polar_laplace", "published", "per_radian"),
        ("polar_laplace", "published", "pure"),
    }
    # a tight calibration spends all that it may somewhere; the published Bingham spends π/8 of it
    spent = (losses["loss"] / losses["promised"]).groupby(
        [losses["space"], losses["mechanism"], losses["calibration"], losses["promise"]]
    )
    most = spent.max()
    pure = most.xs("pure", level="promise").xs("tight", level="calibration")
    assert np.allclose(pure.drop("clipped_laplace", level="mechanism"), 1.0, rtol=1e-12, atol=0.0)
    bingham = most["rotation", "rotation_bingham", "published", "per_radian"]
    assert 0.95 < bingham / (np.pi / 8.0) <= 1.0
    one_distribution = losses[losses["mechanism"] == "purkayastha"]
    assert set(one_distribution["calibration"]) == {"tight"}
    assert set(losses["space"]) == {"circle", "sphere", "rotation"}


def exact_share(epsilon):
    """Share of outputs with a slope above ε, with 30 digits and the derivative taken numerically."""
    with mpmath.workdps(30):
        e = mpmath.mpf(epsilon)

        def density(theta):
            total = mpmath.mpf(0)
            for k in range(-8, 9):
                distance = abs(theta + 2 * mpmath.pi * k)
                total += e * distance * mpmath.exp(-e * distance)
            return total

        def excess(theta):
            slope = mpmath.diff(lambda t: mpmath.log(density(t)) - mpmath.log(mpmath.sin(t)), theta)
            return abs(slope) - e

        near = mpmath.findroot(excess, mpmath.mpf(NEAR[epsilon]))
        far = mpmath.findroot(excess, mpmath.pi - mpmath.mpf(REST[epsilon]))
        inside = mpmath.quad(density, [0, near]) + mpmath.quad(density, [far, mpmath.pi])
        return float(inside / mpmath.quad(density, [0, near, far, mpmath.pi]))


NEAR, REST = {1.0: 0.4, 2.5: 0.02}, {1.0: 0.7, 2.5: 0.27}  # about where the slope crosses ε


def test_polar_shares():
    table = pd.DataFrame(compute_privacy.polar_breaks([0.1, 1.0, 2.5, 5.0, 10.0, CITY])).set_index("epsilon")
    for epsilon in NEAR:
        assert table.loc[epsilon, "share"] == pytest.approx(exact_share(epsilon), rel=1e-9)
    assert np.allclose(table["share"].iloc[:5], [0.94, 0.26, 0.0053, 3.4e-6, 9.9e-13], rtol=0.02, atol=0.0)
    assert table["log10_share"].iloc[5] == pytest.approx(-60246, abs=1.0) and table["share"].iloc[5] == 0.0
    # by simulation, with an error of 5 standard deviations: a correct table fails once in 10^6 seeds
    theta = PolarLaplace(1.0).angle_rvs(100_000, rng=1)
    row = table.loc[1.0]
    seen = np.mean((theta < row["near"]) | (np.pi - theta < row["rest"]))
    assert abs(seen - row["share"]) < 5.0 * np.sqrt(row["share"] * (1.0 - row["share"]) / 100_000)


def test_costs_are_those_of_the_design():
    """The numbers of responses for 0.1 rad that the design states, to the digits it states."""
    table = pd.DataFrame(compute_privacy.costs([0.1, 1.0, 8.0], 0.1, 8.0))
    found = table.set_index(["space", "mechanism", "calibration", "epsilon"])["n"]
    for key, n in {
        ("purkayastha", "tight", 1.0): 783,
        ("von_mises_fisher", "published", 1.0): 1272,
        ("von_mises_fisher", "tight", 1.0): 525,
        ("von_mises_fisher", "tight", 0.1): 50950,
        ("wrapped_laplace", "published", 1.0): 3668,
        ("wrapped_laplace", "tight", 1.0): 628,
        ("wrapped_laplace", "tight", 8.0): 14,
    }.items():
        assert found["circle", *key] == pytest.approx(n, rel=2e-3 if n > 100 else 0.05)
    assert found["circle", "clipped_laplace", "tight", 1.0] == np.inf
    ratio = table[(table["mechanism"] == "purkayastha")]["published_over_tight"]
    assert (ratio == 1.0).all()
    assert "rotation" not in set(table["space"])


def test_settings():
    levels = compute_privacy.grid({"lowest": 0.1, "highest": 10.0, "points": 3})
    assert np.allclose(levels, [0.1, 1.0, 10.0])
    assert np.isclose(compute_privacy.city_level({"level": np.log(4.0), "radius_metres": 200.0}), CITY)


def test_figures(losses):
    polar = pd.DataFrame(compute_privacy.polar_breaks([0.1, 1.0, 10.0, CITY]))
    figure = plot_privacy.draw_losses(losses, polar)
    panels = {ax.get_label(): ax for ax in figure.axes}
    assert len(panels) == 7
    circle = panels["pure circle"]
    curves = losses[(losses["promise"] == "pure") & (losses["space"] == "circle")]
    assert len(circle.lines) == curves.groupby(["mechanism", "calibration"]).ngroups >= 7
    assert {line.get_color() for line in circle.lines} >= {figures.look("clipped_laplace").colour}
    assert any("infinite" in text.get_text() for text in panels["per_radian sphere"].texts)
    assert any("60246" in text.get_text() for text in panels["polar"].texts)
    assert not label_faults(figure)
    assert figure.get_suptitle().endswith("exceed the level: clipped Laplace, polar Laplace")
    kept = losses[~losses["mechanism"].isin(["clipped_laplace", "polar_laplace"])]
    with without_labels():
        assert plot_privacy.draw_losses(kept, polar).get_suptitle().endswith(": none")
    costs = pd.DataFrame(compute_privacy.costs([0.5, 1.0, 4.0], 0.1, 8.0))
    figure = plot_privacy.draw_costs(costs)
    assert len(figure.axes) == 2 and figure.axes[1].get_ylabel().startswith("published")
    assert not label_faults(figure) and title_follows(plot_privacy.draw_costs, costs)
