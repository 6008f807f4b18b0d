"""Noise by a declared log-density: probabilities, quantiles, draws and levels are those of the library's own."""

import functools

import numpy as np
import pytest
from scipy.stats import kstest

from dirpriv import distributions, guarantees
from dirpriv.distributions import Cap, Purkayastha, Staircase, Trapezoid, VonMisesFisher, from_density, from_log_density
from dirpriv.mechanisms import Mechanism

KAPPA = 2.0
# kernels at κ = 1, what is declared of them, and the same noise of the library
CASES = {
    "cap": (lambda t: -1.0 * (t > 0.7), {"steepest": 0.0, "breaks": [0.7]}, lambda n: Cap(n, KAPPA, 0.7)),
    "staircase": (
        lambda t: -np.ceil((t - 0.3) / 0.8),
        {"steepest": 0.0, "breaks": [0.3, 1.1, 1.9, 2.7]},
        lambda n: Staircase(n, KAPPA, 0.8, 0.3),
    ),
    "trapezoid": (
        lambda t: -np.clip(t - 0.5, 0.0, 0.75),
        {"finest": 0.5, "breaks": [0.5, 1.25]},
        lambda n: Trapezoid(n, KAPPA, 1.5, 0.5),
    ),
    "Purkayastha": (lambda t: -t, {"steepest": 1.0}, lambda n: Purkayastha(n, KAPPA)),
    "von Mises-Fisher": (np.cos, {"finest": 1.0}, lambda n: VonMisesFisher(n, KAPPA)),
}
ANGLES, SHARES = np.linspace(0.0, np.pi, 200), np.linspace(0.0, 1.0, 201)
DISTANCES = np.array([0.0, 0.2, 0.9, 2.0, np.pi])
# of the 11 Kolmogorov-Smirnov tests of right draws one fails with at most 2e-8
ALPHA, DRAWS = 1e-9, 20_000


@functools.cache
def declared(case):
    kernel, words, _ = CASES[case]
    return from_log_density(kernel, **words)


@pytest.mark.parametrize("dim", [2, 5])
@pytest.mark.parametrize("case", CASES)
def test_it_is_the_noise_of_the_library(case, dim):
    """The wrong variant is noise of 2 κ. It is caught with a probability above 1 - ALPHA, by Massart's inequality."""
    own, exact = declared(case), CASES[case][2](dim)
    noise = own.noise(dim, KAPPA)
    assert noise.angle_cdf(ANGLES) == pytest.approx(exact.angle_cdf(ANGLES), abs=1e-12)
    assert noise.angle_ppf(SHARES[1:-1]) == pytest.approx(exact.angle_ppf(SHARES[1:-1]), abs=1e-10)
    for name in ("mean_angle", "mean_cosine", "mean_squared_sine"):
        assert getattr(noise, name)() == pytest.approx(getattr(exact, name)(), rel=1e-11)
    bound = exact.privacy_loss(DISTANCES)
    losses = noise.privacy_loss(DISTANCES)
    assert (losses >= bound * (1.0 - 1e-12)).all() and losses == pytest.approx(bound, rel=1e-3, abs=1e-3)
    assert noise.privacy_loss_within(0.5) == pytest.approx(exact.privacy_loss_within(0.5), rel=1e-3)
    assert noise.pure_level() == pytest.approx(exact.pure_level(), rel=1e-4)
    levels = noise.metric_level(), exact.metric_level()
    assert levels[0] == levels[1] == np.inf or levels[1] * (1.0 - 1e-12) <= levels[0] <= 1.003 * levels[1]
    drawn = noise.angle_rvs(DRAWS, rng=np.random.default_rng(1))
    assert kstest(drawn, exact.angle_cdf).pvalue > ALPHA
    wrong = own.noise(dim, 2.0 * KAPPA)
    assert np.abs(wrong.angle_cdf(ANGLES) - exact.angle_cdf(ANGLES)).max() > 2.0 * np.sqrt(
        np.log(2.0 / ALPHA) / DRAWS / 2
    )
    assert kstest(drawn, wrong.angle_cdf).pvalue < ALPHA


def test_a_jump_has_a_pure_level_alone():
    own = declared("cap")
    guarantee = guarantees.from_distribution(own.noise(2, KAPPA))
    assert (guarantee.metric_level, guarantee.reason) == (np.inf, own.why_infinite)
    assert own.why_infinite == "the density jumps at θ = 0.7: outputs there tell near inputs apart"
    assert "continuous but at θ = 0.7, where jumps are above 3.6e-15" in own.assumes
    assert repr(own) == "from_log_density(<lambda>, steepest=0.0, breaks=[0.7])"
    assert guarantees.composed_level(own.noise(2, 0.5), 3, distance=0.5, delta=1e-9) <= 1.5 * (1.0 + 1e-9)
    # a kink is no jump
    assert declared("trapezoid").why_infinite == ""


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (lambda t: -1.0 * (t > 0.7), {"steepest": 0.0, "breaks": [0.6]}),
        (lambda t: -1.0 * (t > 0.7) - 1e-9 * (t > 2.0), {"steepest": 0.0, "breaks": [0.7]}),
        (lambda t: -np.clip(t - 0.5, 0.0, 0.75), {"finest": 0.5, "breaks": [0.5, 1.3]}),
        (lambda t: -np.abs(t - 1.0) - np.abs(t - 1.2), {"finest": 0.3, "breaks": [1.0]}),
    ],
    ids=["a jump elsewhere", "one more jump", "a kink elsewhere", "a kink near a break"],
)
def test_breaks_that_values_contradict_are_refused(kernel, words):
    with pytest.raises(ValueError, match=r"between θ = .* declared, not proved"):
        from_log_density(kernel, **words)


def test_where_nothing_is_declared_there_is_no_level_but_draws():
    bell = from_density(lambda t: np.exp(2.0 * np.cos(t)))
    noise, exact = bell.noise(3, 1.0), VonMisesFisher(3, 2.0)
    assert noise.metric_level() == noise.pure_level() == noise.privacy_loss(0.1) == np.inf == bell.pure_level()
    assert noise.privacy_loss(0.0) == 0.0 and bell.privacy_loss_within([0.0, 1.0]).tolist() == [0.0, np.inf]
    found = Mechanism.from_distribution(noise).guarantee
    assert found.reason == "nothing is declared of the density between its values"
    assert found.assumes.startswith(found.reason + ": probabilities differ by ")
    error = float(found.assumes.split("differ by ")[1].split()[0])
    # a kink in a cell, and a jump: the error that is stated is not far below the true one
    for kernel, other in ((lambda t: -np.abs(t - 1.0), 1e-8), (lambda t: -2.0 * (t > 1.0), 1e-3)):
        rough = from_log_density(kernel).noise(2, 1.0)
        known = from_log_density(kernel, steepest=1.0, breaks=[1.0]).noise(2, 1.0)
        stated = float(rough.assumes.split("differ by ")[1].split()[0])
        assert np.abs(rough.angle_cdf(ANGLES) - known.angle_cdf(ANGLES)).max() < 3.0 * stated < other
    assert np.abs(noise.angle_cdf(ANGLES) - exact.angle_cdf(ANGLES)).max() < error + 1e-14 < 1e-13
    drawn = noise.angle_rvs(DRAWS, rng=np.random.default_rng(1))
    assert kstest(drawn, exact.angle_cdf).pvalue > ALPHA > kstest(drawn, VonMisesFisher(3, 3.0).angle_cdf).pvalue
    assert isinstance(distributions.from_log_density(np.cos).noise(2).angle_ppf(0.5), float)


@pytest.mark.parametrize("u", [1.1, -0.1, [0.5, np.nan], "0.5"])
def test_probabilities_are_checked(u):
    with pytest.raises(ValueError, match="'u' must"):
        from_log_density(np.cos, finest=1.0).noise(2).angle_ppf(u)
