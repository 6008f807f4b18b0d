"""Rényi divergences: closed forms against quadrature in high precision, levels against exact composition."""

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from sweeps import swept, thinned

from dirpriv import guarantees
from dirpriv.distributions import (
    Cap,
    PlanarLaplace,
    PolarLaplace,
    Purkayastha,
    RotationLaplace,
    VonMisesFisher,
    WrappedLaplace,
    from_log_density,
)
from dirpriv.guarantees import renyi_divergence
from dirpriv.guarantees.renyi import _excess, _renyi_bounds
from dirpriv.release import CircleRelease

THREE_HOURS = np.pi / 4


pytestmark = pytest.mark.usefixtures("same_cells_once")


def exact_on_circle(kernel, breaks, order, distance):
    """Divergence of two distributions on the circle with this log kernel, by quadrature with 30 digits."""
    with mpmath.workdps(30):
        order, distance = mpmath.mpf(order), mpmath.mpf(distance)

        turn = 2 * mpmath.pi

        def log_density(t):  # of a t from -π to 2π
            t = abs(t)
            return kernel(min(t, turn - t))

        points = sorted([0, *[b % turn for b in breaks(distance)], turn])
        total = mpmath.quad(lambda t: mpmath.exp(log_density(t)), points)

        def moment(t):
            here, there = log_density(t), log_density(t - distance)
            return mpmath.exp(here) * (here - there) if order == 1 else mpmath.exp(order * here + (1 - order) * there)

        found = mpmath.quad(moment, points) / total
        return float(found if order == 1 else mpmath.log(found) / (order - 1))


def kinks(distance):
    return [mpmath.pi, distance, distance + mpmath.pi]


@pytest.mark.parametrize(
    ("kappa", "order", "distance"),
    thinned([1e-6, 0.4, 3.0, 40.0], [1.0, 1.0001, 2.0, 30.0], [1e-3, THREE_HOURS, np.pi]),
)
def test_purkayastha_on_the_circle(kappa, order, distance):
    found = renyi_divergence(Purkayastha(2, kappa), order, distance=distance)
    expected = exact_on_circle(lambda theta: -kappa * theta, kinks, order, distance)
    assert found == pytest.approx(expected, rel=1e-8, abs=0.0)
    # another order has another divergence: the test sees a wrong one
    wrong = exact_on_circle(lambda t: -kappa * t, kinks, order + 0.5, distance)
    assert abs(found / wrong - 1.0) > 1e-7


@pytest.mark.parametrize(
    ("kappa", "order", "distance"), thinned([1e-6, 0.3, 2.0, 60.0], [1.0, 1.001, 2.0, 30.0], [1e-3, THREE_HOURS, np.pi])
)
def test_von_mises(kappa, order, distance):
    with mpmath.workdps(40):
        k, a = mpmath.mpf(kappa), mpmath.mpf(order)
        longer = k * mpmath.sqrt(1 + 4 * a * (a - 1) * mpmath.sin(mpmath.mpf(distance) / 2) ** 2)
        if order == 1.0:
            ratio = mpmath.besseli(1, k) / mpmath.besseli(0, k)
            expected = k * ratio * 2 * mpmath.sin(mpmath.mpf(distance) / 2) ** 2
        else:
            expected = (mpmath.log(mpmath.besseli(0, longer)) - mpmath.log(mpmath.besseli(0, k))) / (a - 1)
    found = renyi_divergence(VonMisesFisher(2, kappa), order, distance=distance)
    assert found == pytest.approx(float(expected), rel=1e-9, abs=0.0)


def test_von_mises_fisher_in_other_dimensions():
    for kappa, order in ((0.5, 3.0), (20.0, 1.5), (300.0, 8.0)):
        # on S², at the ends of a diameter: ∫ exp(κ(2α - 1) w) dw
        longer = kappa * (2 * order - 1)

        def log_integral(k):
            return k + np.log(-np.expm1(-2 * k) / k)

        expected = (log_integral(longer) - log_integral(kappa)) / (order - 1)
        found = renyi_divergence(VonMisesFisher(3, kappa), order, distance=np.pi)
        assert found == pytest.approx(expected, rel=1e-10)
    distribution = VonMisesFisher(7, 4.0)

    def moment(w):
        return np.exp(4.0 * (2 * 2.5 - 1) * w) * (1 - w * w) ** 2.0

    def mass(w):
        return np.exp(4.0 * w) * (1 - w * w) ** 2.0

    expected = np.log(quad(moment, -1, 1, epsrel=1e-12)[0] / quad(mass, -1, 1, epsrel=1e-12)[0]) / 1.5
    assert renyi_divergence(distribution, 2.5, distance=np.pi) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("order", [1.0, 2.0, 12.0])
def test_other_distributions_are_bounded_from_above(order):
    distribution = WrappedLaplace(1.3)

    def kernel(theta):
        return mpmath.log(mpmath.cosh(1.3 * (mpmath.pi - theta)))

    exact = exact_on_circle(kernel, kinks, order, THREE_HOURS)
    assert exact <= renyi_divergence(distribution, order, distance=THREE_HOURS) <= 1.003 * exact
    # Purkayastha by its cells, as any other distribution, against its closed form
    distribution = Purkayastha(2, 1.0)
    closed = renyi_divergence(distribution, order, distance=1.0)
    assert closed <= _renyi_bounds(*distribution.privacy_loss_distribution(1.0), 1.0, [order])[0] <= 1.003 * closed


def level_by_divergences(distribution, responses, distance, delta):
    """The least level over orders α: T D_α + log(1 - 1/α) - (log δ + log α)/(α - 1)."""
    levels = [
        responses * renyi_divergence(distribution, 1.0 + x, distance=distance)
        + np.log(x / (1.0 + x))
        - (np.log(delta) + np.log1p(x)) / x
        for x in np.exp(np.linspace(-6.0, 8.0, 57))
    ]
    return min(levels)


@pytest.mark.parametrize(
    ("distribution", "distance"),
    [
        (Purkayastha(2, 0.316 / THREE_HOURS), THREE_HOURS),
        (VonMisesFisher(2, 0.5), np.pi),
        *swept((RotationLaplace(0.3), 0.5), (Purkayastha(2, 3.0), THREE_HOURS), (WrappedLaplace(1.0), 0.7)),
    ],
)
def test_levels_are_above_those_of_exact_composition(distribution, distance):
    for responses, delta in ((100, 1e-6), (1000, 1e-12))[: 2 if getattr(distribution, "dim", 2) == 2 else 1]:
        exact = guarantees.composed_level(distribution, responses, distance=distance, delta=delta)
        level = level_by_divergences(distribution, responses, distance, delta)
        assert exact <= level * (1 + 1e-9)
        if responses == 100:
            assert level < 1.3 * exact + 0.02  # and it is of use
    # without the conversion's last term it would promise too much
    assert responses * renyi_divergence(distribution, 1.0, distance=distance) < exact


def test_extremes():
    for kappa in (1e-9, 1e6):
        for distribution in (Purkayastha(2, kappa), VonMisesFisher(3, kappa)):
            for order in (1.0, 1.0 + 1e-9, 1e6, np.inf):
                found = renyi_divergence(distribution, order, distance=1e-3)
                assert 0.0 < found <= distribution.privacy_loss(1e-3)
    distribution = Purkayastha(2, 1.0)
    orders = [1.0, 1.5, 2.0, 5.0, 50.0, np.inf]
    divergences = [renyi_divergence(distribution, order, distance=1.0) for order in orders]
    assert (np.diff(divergences) > 0.0).all() and divergences[-1] == 1.0
    assert renyi_divergence(distribution, 2.0, distance=0.0) == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(order=0.5), "'order' must be a number of at least 1; got 0.5"),
        (dict(order=True), "'order' must be"),
        (dict(distance=4.0), "'distance' must be from 0 to π"),
        (dict(distribution=PolarLaplace(1.0)), "no finite privacy loss"),
        (dict(distribution=lambda theta: -theta), "a function alone has no level"),
    ],
)
def test_errors(arguments, message):
    arguments = dict(distribution=Purkayastha(2, 1.0), order=2.0, distance=1.0) | arguments
    with pytest.raises(ValueError, match=message):
        renyi_divergence(arguments["distribution"], arguments["order"], distance=arguments["distance"])


@pytest.mark.parametrize("order", [1.0, 1.0 + 2.0**-52, 2.0, 7.5])
def test_the_excess_of_a_moment_keeps_its_digits(order):
    losses = np.array([-5.0, -0.3, -0.01, 1e-9, 0.02, 0.5, 3.0])
    with mpmath.workdps(60):
        exact = [excess(x, mpmath.mpf(order) - 1) for x in map(mpmath.mpf, losses)]
    assert _excess(losses, order - 1.0) == pytest.approx(np.array(exact, dtype=float), rel=1e-12, abs=0.0)


def excess(loss, tilt):
    """(exp(tL) - 1)/t + exp(-L) - 1 in high precision; log(1 + t E of it)/t is the divergence."""
    return (mpmath.expm1(tilt * loss) / tilt if tilt else loss) + mpmath.expm1(-loss)


def divergence(masses_and_losses, order):
    tilt = mpmath.mpf(order) - 1
    mean = mpmath.fsum(mass * excess(loss, tilt) for mass, loss in masses_and_losses)
    return mpmath.log1p(tilt * mean) / tilt if tilt else mean


NEAR_ONE = [1.0, 1.0 + 2.0**-52, 1.0 + 1e-15, 1.0 + 1e-12, 1.0 + 1e-9, 1.0 + 1e-6]
ORDERS = [*NEAR_ONE, 1.1, 2.0, 11.0, 101.0, 1001.0]


def closed_form(kappa, order, distance):
    """That of Purkayastha on the circle, by its four arcs."""
    k, d, tilt = mpmath.mpf(kappa), mpmath.mpf(distance), mpmath.mpf(order) - 1
    a, far = k * d, mpmath.exp(-k * (mpmath.pi - d))
    share = k / 2 / -mpmath.expm1(-k * mpmath.pi)
    behind = share * (1 - far) / k
    masses = [(behind, a), (behind * mpmath.exp(-a), -a)]
    rate = (mpmath.exp(tilt * a) - mpmath.exp(-(1 + tilt) * a)) / (1 + 2 * tilt)
    if tilt:
        between = share * (1 + far) / k * (rate + mpmath.expm1(-a)) / tilt
    else:
        between = share * (1 + far) / k * (-a * mpmath.expm1(-a) - 2 * (1 - mpmath.exp(-a) * (1 + a)))
    mean = between + mpmath.fsum(mass * excess(loss, tilt) for mass, loss in masses)
    return mpmath.log1p(tilt * mean) / tilt if tilt else mean


@pytest.mark.parametrize("kappa", [1e-5, 1.0, 29.0, 50.0, 1000.0, 1e6])
def test_closed_forms_are_never_below_the_truth_and_hardly_above(kappa):
    """At orders from 1 + 2e-16 on and distances from 1e-9 on, where it was 0 or off by up to all of it."""
    with mpmath.workdps(120):
        for distance in (1e-9, 1e-3, 1.0, np.pi):
            if kappa * distance < 1e4:
                exact = [closed_form(kappa, order, distance) for order in ORDERS]
                found = [renyi_divergence(Purkayastha(2, kappa), order, distance=distance) for order in ORDERS]
                off = [one / mpmath.mpf(other) - 1.0 for one, other in zip(found, exact, strict=True)]
                assert 0.0 <= min(off) and max(off) < 2e-12 and min(found) == found[0]
    other = closed_form(kappa, 1.5, 1e-3)
    assert abs(renyi_divergence(Purkayastha(2, kappa), 1.501, distance=1e-3) / float(other) - 1.0) > 1e-7


def test_other_distributions_are_never_below_the_truth():
    """A release by its integers, and caps by their three losses; WrappedLaplace falls below 3 times of it."""
    release, distribution = CircleRelease.within(0.1, "3h", cells=96), Cap(2, 1.0, 1.0)
    with mpmath.workdps(50):
        weights = [mpmath.mpf(weight) / sum(release.weights) for weight in release.weights]
        for steps in (1, 48):
            losses = [mpmath.log(one / weights[i - steps]) for i, one in enumerate(weights)]
            for order in ORDERS:
                exact = divergence(zip(weights, losses, strict=True), order)
                found = renyi_divergence(release.noise, order, distance=2.0 * np.pi * steps / 96)
                assert 0.0 <= found / exact - 1.0 < 1e-5
        total = 2 * mpmath.e + 2 * mpmath.pi - 2
        for distance in (1e-9, 1e-3, 1.0):
            part = mpmath.mpf(distance) / total
            for order in ORDERS:
                exact = divergence([(part * mpmath.e, mpmath.mpf(1)), (part, mpmath.mpf(-1))], order)
                assert 0.0 <= renyi_divergence(distribution, order, distance=distance) / exact - 1.0 < 1e-6
    for distribution, distance, least in (
        (WrappedLaplace(1.0), 0.5, 0.0902289),
        (WrappedLaplace(1.0), 1e-6, None),
        (PlanarLaplace(0.005), 0.5, 1.562e-6),
    ):
        found = [renyi_divergence(distribution, order, distance=distance) for order in ORDERS]
        assert min(found) == found[0] >= (least or 0.1 * distance**2)
        assert found[0] <= float(distribution.privacy_loss_within(distance)) ** 2 * 0.500001  # randomised response


def test_half_a_turn_by_rounding_is_half_a_turn():
    """An ulp above π was accepted, and gave nan, or an error about an argument that was not given."""
    above = 25 * (np.pi / 25)
    assert above > np.pi
    for distribution in (Purkayastha(2, 0.5), WrappedLaplace(0.5), VonMisesFisher(3, 0.5), Cap(2, 0.5, 1.0)):
        for distance in (above, np.nextafter(above, 9.0), sum([np.pi / 12] * 12)):
            assert renyi_divergence(distribution, 2.0, distance=distance) == renyi_divergence(
                distribution, 2.0, distance=np.pi
            )
            levels = [
                guarantees.composed_level(distribution, 3, distance=each, delta=1e-6) for each in (distance, np.pi)
            ]
            assert levels[0] == levels[1]
            assert distribution.privacy_loss(distance) == distribution.privacy_loss(np.pi)
    own = from_log_density(np.cos, finest=1.0)
    assert guarantees.privacy_loss_within(own, above) == guarantees.privacy_loss_within(own, np.pi)


def test_the_largest_orders_of_the_smallest_losses():
    assert guarantees.renyi_divergence(Purkayastha(3, 1.0), 1e100, distance=1e-30) == pytest.approx(1e-30)
    tiny = guarantees.renyi_divergence(WrappedLaplace(1.0), 1e300, distance=1e-300)
    assert tiny == guarantees.privacy_loss_within(WrappedLaplace(1.0), 1e-300) > 9e-301
