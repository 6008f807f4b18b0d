"""Rényi divergences: closed forms against quadrature in high precision, levels against exact composition."""

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from sweeps import swept, thinned

from dirpriv import guarantees
from dirpriv.guarantees import renyi_divergence
from dirpriv.guarantees.renyi import _excess, _of_losses
from dirpriv.laws import (
    PolarLaplace,
    Purkayastha,
    RotationLaplace,
    VonMisesFisher,
    WrappedLaplace,
)

THREE_HOURS = np.pi / 4


pytestmark = pytest.mark.usefixtures("same_cells_once")


def exact_on_circle(kernel, breaks, order, distance):
    """Divergence of two laws on the circle with this log kernel, by quadrature with 30 digits."""
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
            return (
                mpmath.exp(here) * (here - there)
                if order == 1
                else mpmath.exp(order * here + (1 - order) * there)
            )

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
    ("kappa", "order", "distance"),
    thinned([1e-6, 0.3, 2.0, 60.0], [1.0, 1.001, 2.0, 30.0], [1e-3, THREE_HOURS, np.pi]),
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
    law = VonMisesFisher(7, 4.0)

    def moment(w):
        return np.exp(4.0 * (2 * 2.5 - 1) * w) * (1 - w * w) ** 2.0

    def mass(w):
        return np.exp(4.0 * w) * (1 - w * w) ** 2.0

    expected = np.log(quad(moment, -1, 1, epsrel=1e-12)[0] / quad(mass, -1, 1, epsrel=1e-12)[0]) / 1.5
    assert renyi_divergence(law, 2.5, distance=np.pi) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("order", [1.0, 2.0, 12.0])
def test_other_laws_are_bounded_from_above(order):
    law = WrappedLaplace(1.3)

    def kernel(theta):
        return mpmath.log(mpmath.cosh(1.3 * (mpmath.pi - theta)))

    exact = exact_on_circle(kernel, kinks, order, THREE_HOURS)
    assert exact <= renyi_divergence(law, order, distance=THREE_HOURS) <= 1.003 * exact
    # Purkayastha by its cells, as any other law, against its closed form
    law = Purkayastha(2, 1.0)
    closed = renyi_divergence(law, order, distance=1.0)
    assert closed <= _of_losses(*law.loss_distribution(1.0), 1.0, [order])[0] <= 1.003 * closed


def level_by_divergences(law, responses, distance, delta):
    """The least level over orders α: T D_α + log(1 - 1/α) - (log δ + log α)/(α - 1)."""
    levels = [
        responses * renyi_divergence(law, 1.0 + x, distance=distance)
        + np.log(x / (1.0 + x))
        - (np.log(delta) + np.log1p(x)) / x
        for x in np.exp(np.linspace(-6.0, 8.0, 57))
    ]
    return min(levels)


@pytest.mark.parametrize(
    ("law", "distance"),
    [
        (Purkayastha(2, 0.316 / THREE_HOURS), THREE_HOURS),
        (VonMisesFisher(2, 0.5), np.pi),
        (RotationLaplace(0.3), 0.5),
        *swept((Purkayastha(2, 3.0), THREE_HOURS), (WrappedLaplace(1.0), 0.7)),
    ],
)
def test_levels_are_above_those_of_exact_composition(law, distance):
    for responses, delta in ((100, 1e-6), (1000, 1e-12))[: 2 if getattr(law, "dim", 2) == 2 else 1]:
        exact = guarantees.composed_level(law, responses, distance=distance, delta=delta)
        level = level_by_divergences(law, responses, distance, delta)
        assert exact <= level * (1 + 1e-9)
        if responses == 100:
            assert level < 1.3 * exact + 0.02  # and it is of use
    # without the conversion's last term it would promise too much
    assert responses * renyi_divergence(law, 1.0, distance=distance) < exact


def test_extremes():
    for kappa in (1e-9, 1e6):
        for law in (Purkayastha(2, kappa), VonMisesFisher(3, kappa)):
            for order in (1.0, 1.0 + 1e-9, 1e6, np.inf):
                found = renyi_divergence(law, order, distance=1e-3)
                assert 0.0 < found <= law.privacy_loss(1e-3)
    law = Purkayastha(2, 1.0)
    orders = [1.0, 1.5, 2.0, 5.0, 50.0, np.inf]
    divergences = [renyi_divergence(law, order, distance=1.0) for order in orders]
    assert (np.diff(divergences) > 0.0).all() and divergences[-1] == 1.0
    assert renyi_divergence(law, 2.0, distance=0.0) == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(order=0.5), "'order' must be a number of at least 1; got 0.5"),
        (dict(order=True), "'order' must be"),
        (dict(distance=4.0), "'distance' must be from 0 to π"),
        (dict(law=PolarLaplace(1.0)), "no finite privacy loss"),
        (dict(law=lambda theta: -theta), "a function alone has no level"),
    ],
)
def test_errors(arguments, message):
    arguments = dict(law=Purkayastha(2, 1.0), order=2.0, distance=1.0) | arguments
    with pytest.raises(ValueError, match=message):
        renyi_divergence(arguments["law"], arguments["order"], distance=arguments["distance"])


@pytest.mark.parametrize("order", [1.0, 2.0, 7.5])
def test_the_excess_of_a_moment_keeps_its_digits(order):
    r = np.array([-5.0, -0.3, -0.01, 1e-9, 0.02, 0.5, 3.0])
    with mpmath.workdps(40):
        exact = [
            mpmath.diff(lambda a, x=x: mpmath.exp(a * x) - a * mpmath.expm1(x), 1)
            if order == 1.0
            else (mpmath.expm1(order * x) - order * mpmath.expm1(x)) / (order - 1)
            for x in map(mpmath.mpf, r)
        ]
    assert _excess(r, order) == pytest.approx(np.array(exact, dtype=float), rel=1e-12, abs=0.0)
