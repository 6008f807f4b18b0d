"""Composed levels: never below a lower bound that is computed another way, and hardly above it."""

import functools

import numpy as np
import pytest
from scipy.fft import irfft, next_fast_len, rfft
from scipy.optimize import brentq
from scipy.signal import lfilter
from scipy.special import ive
from sweeps import swept

from dirpriv import guarantees
from dirpriv.distributions import (
    Cap,
    ChordalLaplace,
    ClippedLaplace,
    FoldedPurkayastha,
    FoldedVonMisesFisher,
    PlanarLaplace,
    PolarLaplace,
    Purkayastha,
    RotationBingham,
    RotationLaplace,
    Uniform,
    VectorLaplace,
    VonMisesFisher,
    WrappedLaplace,
)
from dirpriv.distributions.shared import loss_distribution as _losses
from dirpriv.guarantees import privacy_loss_distribution

THREE_HOURS = np.pi / 4


def lower_level(p, q, responses, delta, step):
    """Level of the composition of a finite pair of distributions, with every loss rounded *down* to the grid.

    Cells of outputs lose at most what the outputs lose, and rounding down takes more off: a lower bound.
    """
    used = (p > 0.0) & (q > 0.0)  # what is left out costs nothing here
    return level_of_losses(p[used], np.log(p[used] / q[used]), responses, delta, step)


def level_of_losses(p, losses, responses, delta, step):
    """The same for outputs of which the losses are known."""
    places = np.floor(losses / step).astype(int)
    low, high = places.min(), places.max()
    masses = np.bincount(places - low, p)
    size = (high - low) * responses + 1
    length = next_fast_len(size, real=True)
    total = irfft(rfft(masses, length) ** responses, length)[:size]
    losses = step * (low * responses + np.arange(size))
    total, losses = total[losses >= 0.0], losses[losses >= 0.0]  # at a level of 0 or more no others count
    if total.sum() <= delta:
        return 0.0
    # between two losses δ(ε) = P[L > ε] - exp(ε) Q[L > ε], and both probabilities are constant
    above, factor = np.cumsum(total[::-1])[::-1], np.exp(-step)
    below = lfilter([factor], [1.0, -factor], total[::-1])[::-1]  # times exp of the loss before
    reached = np.append(above[1:] - below[1:] <= delta, True).argmax()
    level = losses[reached] - step + np.log((above[reached] - delta) / below[reached])
    return float(max(level, 0.0))


pytestmark = pytest.mark.usefixtures("same_cells_once")


von_mises_fisher = functools.cache(VonMisesFisher)  # so that two tests of a distribution have the same cells


@functools.lru_cache(8)
def circle_pair(distribution, distance, cells=40_000):
    """Probabilities of arcs of the circle under two inputs, from the distribution's CDF alone."""
    ends = np.unique(np.concatenate([np.linspace(-np.pi, np.pi, cells), [0.0, distance, distance - np.pi, -distance]]))

    def arcs(center):
        turned = np.remainder(ends - center + np.pi, 2 * np.pi) - np.pi
        cdf = np.where(
            turned < 0.0, 0.5 * distribution.angle_sf(-turned), 1.0 - 0.5 * distribution.angle_sf(np.abs(turned))
        )
        return np.remainder(np.diff(cdf) + 0.25, 1.0) - 0.25

    return arcs(0.0), arcs(distance)


@pytest.mark.parametrize(
    ("within", "responses", "expected"),
    [
        (0.1, 10, 0.990),
        (0.1, 1000, 17.23),
        (0.316, 100, 16.55),
        (1.0, 10, 9.9986),
        (1.0, 1000, 478.9),
        *swept((0.1, 100, 4.316), (0.316, 10, 3.155), (0.316, 1000, 82.5), (1.0, 100, 70.69)),
    ],
)
def test_purkayastha_three_hours_apart(within, responses, expected):
    distribution = Purkayastha(2, within / THREE_HOURS)
    level = guarantees.composed_level(distribution, responses, distance=THREE_HOURS, delta=1e-6)
    assert isinstance(level, float) and np.isclose(level, expected, rtol=5e-4, atol=0.0)
    # the exact loss: two atoms at ±ℓ, and between them a density of P of the form exp(-κ|y|)
    p, q = circle_pair(distribution, THREE_HOURS)
    low = lower_level(p, q, responses, 1e-6, within * max(responses, 100) / 1_000_000)
    assert low <= level <= low * 1.003


@pytest.mark.parametrize(("delta", "responses"), [(1e-3, 60), (1e-9, 1), *swept((1e-3, 1), (1e-9, 60))])
@pytest.mark.parametrize(
    "distribution",
    [VonMisesFisher(2, 1.3), WrappedLaplace(0.8), Purkayastha(2, 4.0)],
    ids=lambda distribution: repr(distribution),
)
@pytest.mark.parametrize("distance", [0.02, 2.0])
def test_on_the_circle_never_below_brute_force(distribution, distance, delta, responses):
    loss = guarantees.privacy_loss_at(distribution, distance)
    level = guarantees.composed_level(distribution, responses, distance=distance, delta=delta)
    low = lower_level(*circle_pair(distribution, distance), responses, delta, loss * max(responses, 100) / 1_000_000)
    assert low * (1 - 1e-9) <= level <= low * 1.003 + 1e-6 * responses * loss


def test_rounding_down_would_be_caught():
    """The wrong variant: cells at their own log ratio, which merges outputs, give less than the truth."""
    distribution, distance, responses = Purkayastha(2, 2.0), 1.0, 100
    low = lower_level(*circle_pair(distribution, distance), responses, 1e-6, 2.0 / 2_000)
    wrong = lower_level(*circle_pair(distribution, distance, cells=20), responses, 1e-6, 2.0 / 2_000)
    assert wrong < 0.99 * low


@pytest.mark.parametrize(
    ("dim", "kappa", "distance"),
    [
        (3, 300.0, 0.05),
        (5, 20.0, 3.0),
        (40, 2.0, 1.0),
        *swept((5, 300.0, 0.05), (40, 300.0, 0.05), (3, 20.0, 3.0), (40, 20.0, 3.0), (3, 2.0, 1.0), (5, 2.0, 1.0)),
    ],
)
def test_von_mises_fisher_by_one_dimension(dim, kappa, distance):
    """On every sphere the loss is 2κ sin(d/2) t, t the coordinate along the difference of the two modes.

    t has the density (1 - t²)^((n-3)/2) exp(κ t sin(d/2)) I_ν(z)/z^ν, z = κ cos(d/2) √(1 - t²), ν = (n-3)/2.
    """
    nu, half = (dim - 3) / 2.0, np.sin(distance / 2.0)
    angle = (np.arange(100_000) + 0.5) / 100_000 * np.pi
    t, root = np.cos(angle), np.sin(angle)
    z = kappa * np.cos(distance / 2.0) * root
    log_density = (dim - 2) * np.log(root) + kappa * t * half + np.log(ive(nu, z)) + z - nu * np.log(z)
    p = np.exp(log_density - log_density.max())
    p /= p.sum()
    loss, distribution = 2.0 * kappa * half, von_mises_fisher(dim, kappa)
    for responses in (1, 50):
        level = guarantees.composed_level(distribution, responses, distance=distance, delta=1e-6)
        low = level_of_losses(p, loss * t, responses, 1e-6, loss / 20_000)
        assert low * (1 - 1e-6) <= level <= 1.02 * low


def bearings_pair(log_kernel, away, weight, distance, far, cells=1000):
    """Point masses on a fine grid of distance and bearing, and their losses."""
    theta = (np.arange(cells) + 0.5)[:, None] / cells * far
    psi = (np.arange(cells // 2) + 0.5) / (cells // 2) * np.pi
    p = weight(theta, psi) * np.exp(log_kernel(theta))
    p = (p / p.sum()).ravel()
    return p, (log_kernel(theta) - log_kernel(away(theta, psi, distance))).ravel()


def on_sphere(theta, psi, d):
    return np.arccos(np.clip(np.cos(theta) * np.cos(d) + np.sin(theta) * np.sin(d) * np.cos(psi), -1, 1))


def of_rotations(theta, psi, d):
    half = np.cos(theta / 2) * np.cos(d / 2) + np.sin(theta / 2) * np.sin(d / 2) * np.cos(psi)
    return 2.0 * np.arccos(np.clip(np.abs(half), 0, 1))


def in_space(r, psi, d):
    return np.sqrt(r * r + d * d - 2 * r * d * np.cos(psi))


CASES = [
    (Purkayastha(3, 2.0), on_sphere, lambda t, psi: np.sin(t) + 0 * psi),
    (Purkayastha(6, 4.0), on_sphere, lambda t, psi: np.sin(t) ** 4 * np.sin(psi) ** 3),
    (RotationLaplace(1.5), of_rotations, lambda t, psi: np.sin(t / 2) ** 2 * np.sin(psi)),
    (RotationBingham(3.0), of_rotations, lambda t, psi: np.sin(t / 2) ** 2 * np.sin(psi)),
    (ChordalLaplace(1.5), of_rotations, lambda t, psi: np.sin(t / 2) ** 2 * np.sin(psi)),
    (FoldedVonMisesFisher(3.0), of_rotations, lambda t, psi: np.sin(t / 2) ** 2 * np.sin(psi)),
    (FoldedPurkayastha(3.0), of_rotations, lambda t, psi: np.sin(t / 2) ** 2 * np.sin(psi)),
    (PlanarLaplace(2.0), in_space, lambda r, psi: r + 0 * psi),
    (VectorLaplace(4, 2.0), in_space, lambda r, psi: r**3 * np.sin(psi) ** 2),
]


FEW, MANY = (0.6, 1), (2.8, 40)  # distance, responses
NEXT = [(*case, *at) for case, at in zip(CASES, [FEW, MANY] * 5, strict=False)]
NEXT[7] = (*CASES[7], np.pi, 40)  # opposite inputs are on the sphere alone
NEXT, LAST = [*NEXT[:2], NEXT[3], *NEXT[6:]], [NEXT[2], *NEXT[4:6]]  # of five distributions of rotations two
OTHER = [(*case, *at) for case, at in zip(CASES, [MANY, FEW] * 5, strict=False)]


@pytest.mark.parametrize(
    ("distribution", "away", "weight", "distance", "responses"),
    [*NEXT, *swept(*LAST, *OTHER)],
    ids=[f"{case[0]!r}-{case[-1]}" for case in (*NEXT, *LAST, *OTHER)],
)
def test_in_every_space_as_a_fine_grid(distribution, away, weight, distance, responses):
    kernel = distribution._log_kernel if away is not in_space else (lambda r: -distribution.kappa * r)
    far = np.pi if away is not in_space else 15.0
    p, losses = bearings_pair(kernel, away, weight, distance, far)
    loss = guarantees.privacy_loss_at(distribution, distance)
    level = guarantees.composed_level(distribution, responses, distance=distance, delta=1e-4)
    other = level_of_losses(p, losses, responses, 1e-4, loss / 20_000)
    # the midpoints of the grid know the level to 1e-5, so this holds the formulas, not the rounding
    assert other * (1 - 3e-4) <= level <= other * 1.015


def test_clipped_laplace_is_bounded_by_its_noise():
    """Inputs on both sides of the seam; the pair of the circle itself, with its atom, costs less."""
    distribution, distance, responses = ClippedLaplace(0.3), 0.5, 20
    level = guarantees.composed_level(distribution, responses, distance=distance, delta=1e-5)
    ends = np.linspace(0.0, 2 * np.pi, 20_001)
    for first in (0.0, 0.1, 0.25, 0.5):
        pair = []
        for mode in (first, first + 2 * np.pi - distance):
            moved = ends - mode
            tail = 0.5 * np.exp(-distribution.kappa * np.abs(moved))
            cdf = np.where(moved < 0.0, tail, 1.0 - tail)
            pair.append(np.append(np.diff(cdf), distribution.seam_probability(mode)))
        assert lower_level(*pair, responses, 1e-5, 1e-4) <= level
    assert level < responses * guarantees.privacy_loss_within(distribution, distance)
    line = VectorLaplace(1, 0.3)  # inputs on both sides of the seam may be as near as can be
    assert level == guarantees.composed_level(line, responses, distance=2 * np.pi, delta=1e-5)
    one = VectorLaplace(1, 1.0)  # δ(ε) of Laplace noise is known: 1 - exp((ε - 1)/2)
    for delta in (1e-1, 1e-3, 1e-6):
        level = guarantees.composed_level(one, 1, distance=1.0, delta=delta)
        exact = 1.0 + 2.0 * np.log1p(-delta)
        assert exact <= level <= exact + 1e-3 * delta


@pytest.mark.parametrize(
    ("distribution", "distance"),
    [
        (Purkayastha(3, 6e7), 1e-7),
        (Purkayastha(2, 1e-6), 1.0),
        (VonMisesFisher(100_000, 300.0), 0.1),
        (WrappedLaplace(700.0), 1.0),
        (FoldedVonMisesFisher(50.0), 3.0),
        *swept(
            (VonMisesFisher(3, 6e7), 1e-5),
            (Purkayastha(2, 1.0), 1e-9),
            (Purkayastha(100_000, 30.0), 0.1),
            (RotationLaplace(1e4), np.pi),
        ),
    ],
)
def test_extremes(distribution, distance):
    """At most the sum, growing with the number of responses and falling with δ."""
    loss = guarantees.privacy_loss_at(distribution, distance)
    few, many, sure = (
        guarantees.composed_level(distribution, count, distance=distance, delta=delta)
        for count, delta in ((1, 1e-6), (100, 1e-6), (100, 1e-9))
    )
    assert 0.0 <= few <= loss and few <= many <= sure <= 100 * loss


@pytest.mark.parametrize("delta", [0.3, 1e-3])
def test_a_loss_beyond_the_range_of_exponentials(delta):
    """On the circle δ(ε) of Purkayastha's distribution is 1 - exp((ε - κd)/2), as exp(-κπ) is nothing: 2e4 nats."""
    level = guarantees.composed_level(Purkayastha(2, 1e4), 1, distance=2.0, delta=delta)
    exact = 2e4 + 2.0 * np.log1p(-delta)
    assert exact <= level <= min(exact + 3e-5 * 2e4, 2e4)  # a step of the grid


@pytest.mark.parametrize(("responses", "longest"), [(10_000, 2**19), *swept((1_000_000, 2**23))])
def test_many_responses_follow_the_central_limit_theorem(responses, longest, monkeypatch):
    """For many small losses it is the Gaussian mechanism's curve (Balle, Wang 2018).

    The second is the longest FFT that is used.
    """
    from scipy.stats import norm

    monkeypatch.setattr(privacy_loss_distribution, "_LONGEST", longest)
    distribution = Purkayastha(2, 1.0 / np.sqrt(responses) / THREE_HOURS)
    masses, losses = distribution.privacy_loss_distribution(THREE_HOURS)
    mean, deviation = float(masses @ losses), np.sqrt(responses * float(masses @ losses**2))
    assert np.isclose(responses * mean, deviation**2 / 2.0, rtol=1e-3, atol=0.0)

    def beyond(level):
        low = -level / deviation
        return norm.cdf(deviation / 2 + low) - np.exp(level) * norm.cdf(-deviation / 2 + low) - 1e-6

    level = guarantees.composed_level(distribution, responses, distance=THREE_HOURS, delta=1e-6)
    assert np.isclose(level, brentq(beyond, 0.0, 100.0), rtol=2e-3, atol=0.0)


def test_without_delta_levels_add_up():
    distribution = VonMisesFisher(3, 2.0)
    loss = guarantees.privacy_loss_at(distribution, 1.0)
    assert guarantees.composed_level(distribution, 7, distance=1.0) == 7 * loss
    assert guarantees.composed_level(distribution, 7, distance=0.0, delta=0.1) == 0.0
    assert guarantees.composed_level(Uniform(3), 7, distance=1.0, delta=0.1) == 0.0
    assert guarantees.composed_level(Cap(2, 1.0, 1e-9), 7, distance=1.0, delta=0.1) == 0.0  # δ covers all losses
    assert guarantees.composed_level(PolarLaplace(2.0), 7, distance=1.0) == np.inf


DISTRIBUTION = Purkayastha(2, 1.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: guarantees.composed_level(DISTRIBUTION, 0, distance=1.0),
            "'responses' must be an integer of at least 1",
        ),
        (lambda: guarantees.composed_level(DISTRIBUTION, 2.0, distance=1.0), "'responses' must be an integer"),
        (lambda: guarantees.composed_level(DISTRIBUTION, True, distance=1.0), "'responses' must be an integer"),
        (lambda: guarantees.composed_level(DISTRIBUTION, 2, distance=1.0, delta=1.0), "'delta' must be"),
        (lambda: guarantees.composed_level(DISTRIBUTION, 2, distance=1.0, delta=-0.1), "'delta' must be"),
        (lambda: guarantees.composed_level(DISTRIBUTION, 2, distance=1.0, delta=np.nan), "'delta' must be"),
        (lambda: guarantees.composed_level(DISTRIBUTION, 2, distance=4.0), "'distance' must be from 0 to π"),
        (lambda: guarantees.composed_level(np.cos, 2, distance=1.0), "a function alone has no level"),
        (
            lambda: guarantees.composed_level(PolarLaplace(2.0), 2, distance=1.0, delta=0.1),
            r"no finite privacy loss .* \(the density is unbounded at the antipode",
        ),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_sum_of_losses_has_no_level_that_its_rounding_hides():
    """Three answers at random, with losses ±1, by hand; no level where δ is below the rounding of the FFT."""
    losses, masses = np.linspace(-1.0, 1.0, 129), np.zeros(129)
    masses[0], masses[-1] = (share := 1.0 / (1.0 + np.e)), 1.0 - share
    given = masses, losses, 3
    mean = 3.0 * float(masses @ losses)
    for delta in (0.3, 0.1):
        level = privacy_loss_distribution._level_of_sum(*given, delta, 0.0, mean, 2048)
        sums = np.array([-3.0, -1.0, 1.0, 3.0])
        shares = np.array([1.0, 3.0, 3.0, 1.0]) * share ** np.arange(3, -1, -1) * (1 - share) ** np.arange(4)
        assert shares @ np.maximum(-np.expm1(level - sums), 0.0) == pytest.approx(delta, rel=1e-9)
    assert privacy_loss_distribution._level_of_sum(*given, 1e-40, 0.0, mean, 2048) == np.inf


@pytest.mark.parametrize("distribution", [VonMisesFisher(2, 1.3), VonMisesFisher(10, 5.0)], ids=repr)
def test_no_loss_lies_outside_the_bounds_of_its_cell(distribution, monkeypatch):
    """At corners and inside of every cell: κ(cos θ (1 - cos d) - sin d sin θ cos ψ), ψ the bearing."""
    panels, edges, distance = _losses._panels, [], 1.0

    def noted(*given):
        made = panels(*given)
        edges.append(made[0])
        return made

    monkeypatch.setattr(_losses, "_panels", noted)
    loss = guarantees.privacy_loss_at(distribution, distance)
    _, lows, highs = _losses.loss_cells(distribution, distance, loss)
    if distribution.dim == 2:  # straight ahead or straight behind
        first = last = np.array([0.0, np.pi])
    else:
        half = Uniform(distribution.dim - 1).angle_ppf(np.append(0.0, _losses._shares(128)))
        psi = np.concatenate([half, np.pi - half[-2::-1]])
        first, last = psi[:-1], psi[1:]
    lows, highs = (ends[:-1].reshape(len(edges[0]) - 1, len(first)) for ends in (lows, highs))
    for u, v in ((0.0, 0.0), (1.0, 1.0), (0.3, 0.6)):
        theta, psi = edges[0][:-1] + u * np.diff(edges[0]), first + v * (last - first)
        across = np.outer(np.sin(distance) * np.sin(theta), np.cos(psi))
        lost = distribution.kappa * (2.0 * np.sin(distance / 2.0) ** 2 * np.cos(theta)[:, None] - across)
        assert (lows - 1e-12 <= lost).all() and (lost <= highs + 1e-12).all()


@pytest.mark.parametrize("delta", [1e-7, 1e-15, 3e-19])
def test_a_tilt_resolves_what_the_rounding_of_the_sum_would_hide(delta):
    """Three losses of 1 with the probability 1e-6 each, else 0: δ(ε) of the sum by hand, at the level."""
    losses, masses = np.linspace(-1.0, 1.0, 129), np.zeros(129)
    masses[64], masses[-1] = 1.0 - 1e-6, 1e-6
    level = privacy_loss_distribution._level_of_sum(masses, losses, 3, delta, np.log(1e6), 1.5, 2048)
    sums = np.arange(4.0)
    shares = np.array([1.0, 3.0, 3.0, 1.0]) * 1e-6**sums * (1.0 - 1e-6) ** (3.0 - sums)
    exact = shares @ np.maximum(-np.expm1(level - sums), 0.0)
    assert delta * (1.0 - 1e-7) < exact <= delta * (1.0 + 1e-13)
