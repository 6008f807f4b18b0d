"""Formulas of the SO(3) paper beside what they stand for."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dirpriv.distributions import RotationBingham, RotationLaplace
from study.experiments.rotation_forms import identities, totals
from study.experiments.rotation_forms.check_printed import compute
from study.papers import rotations

EPSILONS = [0.05, 8.0]
ANGLES = np.linspace(0.0, np.pi, 91)


@pytest.fixture(scope="module")
def table():
    return compute({"epsilons": EPSILONS}, ANGLES)


@pytest.fixture(scope="module")
def numbers():
    found = totals.compare({"epsilons": EPSILONS, "dimensions": [2, 3, 4, 9]})
    return found.set_index("form")


def of(table, form, epsilon=8.0):
    return table[(table["form"] == form) & (table["epsilon"] == epsilon)]


def test_the_printed_haar_angles_have_the_distances_of_their_distributions(table):
    assert len(table) == 14 * 2 * 89
    # ½ sin θ against (1 - cos θ)/π: the CDFs are furthest apart where the densities cross, tan(θ/2) = π/2
    theta = 2.0 * np.arctan(0.5 * np.pi)
    largest = np.sin(0.5 * theta) ** 2 - (theta - np.sin(theta)) / np.pi
    assert np.isclose(of(table, "haar_proposal")["difference"].max(), largest, atol=1e-3)
    assert of(table, "haar_display")["difference"].min() > 0.0


def test_the_elementary_cdf_is_the_integral_and_the_gamma_distribution_is_not(table):
    for epsilon in EPSILONS:
        assert of(table, "laplace_cdf", epsilon)["difference"].abs().max() < 1e-13
        square = of(table, "printed_cdf", epsilon)
        whole = 0.5 * np.pi * np.exp(RotationLaplace(epsilon).log_normalizer())  # ∫ sin²(θ/2) exp(-εθ)
        assert np.allclose(square["printed"] / square["exact"], whole**2, rtol=1e-12, atol=0.0)
    # 0.405/ε² in total variation
    assert np.isclose(of(table, "gamma_cdf")["difference"].abs().max(), 0.405 / 64.0, rtol=0.05, atol=0.0)
    assert of(table, "gamma_cdf", 0.05)["difference"].abs().max() > 0.05


def test_theorem_1_is_loose_and_appendix_f_is_on_the_wrong_side(table):
    bound = of(table, "theorem_1")
    assert np.allclose(bound["exact"], 8.0 * np.sin(0.5 * bound["angle"]), rtol=1e-12, atol=0.0)
    assert (bound["difference"] > 0.0).all()
    assert (bound["printed"] / bound["exact"]).min() > np.sqrt(2.0)
    assert (of(table, "appendix_f")["difference"] > 0.0).all()
    ratio = of(table, "definition_1")["printed"] / of(table, "definition_1")["exact"]
    assert ((ratio > 0.35) & (ratio < 0.51)).all()


def test_corollary_1_holds_with_the_factor_1_and_for_two_distances_with_no_smaller_one(table):
    for metric, smallest in {"phi2": 1.0, "phi3": 1.0, "phi5": np.sqrt(8.0), "phi6": 2.0}.items():
        rows = of(table, f"corollary_1_{metric}")
        assert np.isclose((rows["printed"] / rows["exact"]).min(), smallest, rtol=1e-3, atol=0.0)
        assert (rows["difference"] > 0.0).all()
    bound = of(table, "phi5_bound")
    assert np.allclose(bound["printed"], 4.0 * bound["exact"], rtol=1e-12, atol=0.0)


def test_kents_bound_touches_the_density_it_bounds():
    for epsilon in (0.3, 8.0, 100.0):
        bound, density = rotations.kent_bound(epsilon, np.linspace(0.0, np.pi, 100_001))
        assert -1e-14 < (bound - density).min() < 1e-7, "a bound that is 1e-7 lower is none"
    energies = [100.0, 50.0, 10.0, 0.0]
    assert np.isclose(sum(1.0 / (rotations.kent_b(energies) + 2.0 * x) for x in energies), 1.0, rtol=1e-14, atol=0.0)


def test_distances_are_those_of_rotations_and_all_but_one_are_equivalent_metrics():
    rows = identities.compare_distances(ANGLES[1:], np.random.default_rng(3)).set_index("metric")
    assert len(rows) == 6 * 90 and rows["difference"].abs().max() < 1e-12
    assert (rows["step"] > 0.0).all()
    others = rows.drop(index="phi4")
    assert others["over_angle"].between(0.45, 1.4143).all() and (others["excess"] < 1e-12).all()
    assert rows.loc["phi4", "over_angle"].min() < 0.01 and (rows.loc["phi4", "excess"] > 0.0).all()
    # a quaternion and its opposite are the same rotation; without the minimum of Eq. 12 they would not be
    first, second = Rotation.random(50, 1), Rotation.random(50, 2)
    opposite = Rotation.from_quat(-second.as_quat())
    for name, values in identities.distances(first, second).items():
        assert np.allclose(values, identities.distances(first, opposite)[name], atol=1e-14), name
    turn = np.arccos([(pair @ second.as_quat().T).diagonal() for pair in (first.as_quat(), -first.as_quat())])
    assert np.abs(turn[0] - turn[1]).min() > 1e-3


def with_a_wrong_sign(function):
    return lambda x: function(x) * np.where(np.arange(16).reshape(4, 4) == 6, -1.0, 1.0)


@pytest.mark.parametrize(
    ("name", "wrong", "caught"),
    [
        ("left_matrix", with_a_wrong_sign(identities.left_matrix), {"product", "orthogonal", "p2"}),
        ("right_matrix", with_a_wrong_sign(identities.right_matrix), {"product", "orthogonal"}),
        ("_times", lambda a, x: np.einsum("nij,nj->ni", np.triu(a), x), {"product", "p1", "p2"}),
        ("axis", lambda z, psi: np.stack([z * np.cos(psi), z * np.sin(psi), z], axis=-1), {"axis"}),
        (
            "_unit",
            lambda x: 0.999996 * x / np.linalg.norm(x, axis=-1, keepdims=True),  # 0.99 would be refused
            {"orthogonal", "arc", "p2", "p3"},
        ),
    ],
)
def test_identities_hold_and_wrong_ones_are_caught_by_nearly_every_draw(monkeypatch, name, wrong, caught):
    rows = identities.compare(50, np.random.default_rng(4))
    assert len(rows) == 7 * 50 and rows["difference"].max() < 1e-12
    monkeypatch.setattr(identities, name, wrong)
    rows = identities.compare(50, np.random.default_rng(4))
    share = (rows["difference"] > 1e-8).groupby(rows["form"]).mean()
    assert set(share.index[share > 0.9]) == caught and share.drop(index=list(caught)).max() == 0.0


def test_masses(numbers):
    for form in ("von_mises_fisher", "purkayastha_product", "haar_volume", "haar_unit"):
        assert numbers.loc[[form], "difference"].abs().max() < 1e-13, form
    # F_1 and F_2 by parts; the printed index is one too high
    kappa = numbers.loc["purkayastha"].query("dim == 3")["epsilon"].to_numpy()
    first = (1.0 + np.exp(-np.pi * kappa)) / (1.0 + kappa**2)
    second = 2.0 * (1.0 - np.exp(-np.pi * kappa)) / (kappa * (kappa**2 + 4.0))
    found = numbers.loc["purkayastha"].query("dim == 3")["printed"]
    assert np.allclose(found, first / second, rtol=1e-12, atol=0.0)
    largest = numbers.loc["riccati_bessel"].set_index("dim")["printed"]
    x = 2.7437072699922695  # where the derivative of sin x/x - cos x is 0
    assert largest[2] == pytest.approx(1.0, abs=1e-6)
    assert largest[3] == pytest.approx(np.sin(x) / x - np.cos(x), abs=1e-6)
    assert np.allclose(numbers.loc["riccati_bessel", "exact"][:3], [2.0, 2.0 * np.pi, 4.0 * np.pi])


def test_the_constant_of_bingham_is_a_reciprocal(numbers):
    distribution = [2.0 * np.pi**2 * np.exp(RotationBingham(epsilon).log_normalizer()) for epsilon in EPSILONS]
    assert np.allclose(numbers.loc["bingham", "printed"], np.square(distribution), rtol=1e-12, atol=0.0)
    for form in ("bingham_series", "bingham_shift"):
        assert np.allclose(numbers.loc[form, "printed"], numbers.loc[form, "exact"], rtol=1e-13, atol=0.0)


def test_the_acceptance_falls_as_a_power(numbers):
    def accepted(epsilon):
        return np.exp(RotationLaplace(epsilon).log_normalizer())

    shares = {"acceptance_haar": accepted, "acceptance_printed": rotations.printed_acceptance}
    for form, share in shares.items():
        rates = [np.log(share(epsilon - 1e-4) / share(epsilon + 1e-4)) / 2e-4 for epsilon in EPSILONS]
        assert np.allclose(numbers.loc[form, "exact"], rates, rtol=1e-6, atol=0.0)
        start = np.log(share(1e-5) / share(2e-5)) / 1e-5
        assert np.allclose(numbers.loc[form, "printed"], start, rtol=1e-4, atol=0.0)
    assert np.isclose(accepted(100.0) * np.pi * 100.0**3, 1.0, rtol=1e-3, atol=0.0)
    assert np.isclose(rotations.printed_acceptance(100.0) * 2.0 * 100.0**2, 1.0, rtol=1e-3, atol=0.0)
