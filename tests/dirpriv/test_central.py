"""Mechanisms of a trusted data owner: noise that keeps its promise and no more, errors against simulation."""

import mpmath
import numpy as np
import pytest

from dirpriv.mechanisms import CentralGuarantee, GaussianSum, VectorLaplaceSum
from dirpriv.mechanisms.central import gaussian_log_delta


def exact_delta(epsilon, distance):
    """δ of two normal distributions, with 50 digits."""
    with mpmath.workdps(60):
        e, s = mpmath.mpf(epsilon), mpmath.mpf(distance)
        return mpmath.ncdf(s / 2 - e / s) - mpmath.exp(e) * mpmath.ncdf(-s / 2 - e / s)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 20.0, 300.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.3])
def test_normal_noise_keeps_delta_and_hardly_less_would_do(epsilon, delta):
    sigma = GaussianSum(epsilon, delta).sigma
    assert exact_delta(epsilon, 2.0 / sigma) <= delta
    assert exact_delta(epsilon, 2.0 / (sigma * (1.0 - 1e-6))) > delta
    # sums of unit vectors differ by 2 when one is turned round: noise for a distance of 1 does not do
    assert exact_delta(epsilon, 2.0 / (0.5 * sigma)) > delta
    assert gaussian_log_delta(epsilon, 2.0 / sigma) == pytest.approx(np.log(delta), abs=1e-5)


def test_normal_noise_keeps_delta_however_small_the_level():
    """A δ of 100 digits, of which 44 are right; its two terms agree in up to 15. Noise 1e-8 narrower exceeds it."""

    def normal(z):
        return mpmath.erfc(-z / mpmath.sqrt(2)) / 2

    with mpmath.workdps(100):
        for epsilon in (1e-50, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 0.01, 1.0, 10.0, 1e3, 1e6, 1e20):
            for delta in (1e-300, 1e-200, 1e-100, 1e-50, 1e-30, 1e-12, 1e-6, 1e-3, 0.1, 0.9):
                sigma, e = mpmath.mpf(GaussianSum(epsilon, delta).sigma), mpmath.mpf(epsilon)
                narrower = [(1 - mpmath.mpf("1e-8"), False)] * (delta in (1e-300, 1e-6))
                for times, holds in ((1, True), *narrower):
                    s = 2 / (sigma * times)
                    found = normal(s / 2 - e / s) - mpmath.exp(e) * normal(-s / 2 - e / s)
                    assert (found <= mpmath.mpf(delta)) == holds, (epsilon, delta)


def test_noise_that_doubles_do_not_have_is_refused():
    with pytest.raises(ValueError, match=r"'epsilon' or 'delta' must be larger: the noise would be wider"):
        GaussianSum(1e-300, 1e-300)
    assert GaussianSum(5e-324, 1e-6).sigma == pytest.approx(797884.5616)  # √(2/π)/δ


def test_laplace_noise_keeps_its_level():
    distribution_scale = 0.7
    mechanism = VectorLaplaceSum(distribution_scale)
    assert mechanism.guarantee == CentralGuarantee(0.7, 0.0)
    # lengths have a gamma distribution of shape 2 and rate ε/2 for a density exp(-ε‖z‖/2) in the plane
    rng = np.random.default_rng(3)
    lengths = np.array([np.linalg.norm(mechanism._noise(rng)) for _ in range(4000)])
    mean, error = 4.0 / distribution_scale, np.sqrt(2.0) * 2.0 / distribution_scale / np.sqrt(4000)
    assert abs(lengths.mean() - mean) < 5.0 * error  # fails by chance in 6e-7 of all seeds
    assert abs(lengths.mean() - 0.5 * mean) > 5.0 * error  # half the noise is seen, 45 standard errors off


@pytest.mark.parametrize(
    ("mechanism", "expected"),
    [
        (GaussianSum(0.5, 1e-6), 129),
        (GaussianSum(1.0, 1e-6), 68),
        (VectorLaplaceSum(0.5), 51),
        (VectorLaplaceSum(1.0), 26),
    ],
    ids=str,
)
def test_people_needed(mechanism, expected):
    people = mechanism.sample_size(0.1)
    assert people == pytest.approx(expected, rel=0.05)
    assert mechanism.expected_error(people) <= 0.1 < mechanism.expected_error(people - 1)
    halved = mechanism.sample_size(0.1, resultant=0.5)
    assert halved in (2 * people - 1, 2 * people)


@pytest.mark.parametrize(
    ("mechanism", "error", "resultant"),
    [
        (GaussianSum(0.027479176227478235, 1e-6), 0.1245314471161755, 0.362780754389066),
        (GaussianSum(1.0, 1e-6), 0.1, 1.0),
        (VectorLaplaceSum(1e-3, dim=3), 1e-9, 1.0),  # a trillion people
    ],
)
def test_one_person_less_is_not_enough(mechanism, error, resultant):
    people = mechanism.sample_size(error, resultant)
    assert mechanism.expected_error(people, resultant) <= error
    assert mechanism.expected_error(people - 1, resultant) > error


@pytest.mark.parametrize(
    "make", [lambda dim: GaussianSum(1.0, 1e-6, dim=dim), lambda dim: VectorLaplaceSum(1.0, dim=dim)]
)
@pytest.mark.parametrize(("dim", "people"), [(2, 8), (2, 100), (3, 30), (20, 400)])
def test_expected_errors_against_simulation(make, dim, people):
    mechanism = make(dim)
    rng = np.random.default_rng(7)
    x = np.zeros((people, dim))
    x[:, 0] = 1.0
    angles = np.arccos(np.clip([mechanism.mean_direction(x, rng=rng)[0] for _ in range(1000)], -1.0, 1.0))
    error = angles.std() / np.sqrt(angles.size)
    assert abs(angles.mean() - mechanism.expected_error(people)) < 5.0 * error  # by chance in 6e-7 of all seeds
    assert abs(angles.mean() - mechanism.expected_error(2 * people)) > 5.0 * error  # seen if it were for others, 15 off


def test_errors_against_their_limits():
    for dim in (2, 3, 10):
        for mechanism in (GaussianSum(1.0, 1e-6, dim=dim), VectorLaplaceSum(1.0, dim=dim)):
            errors = [mechanism.expected_error(people) for people in (1, 10, 100, 10**4, 10**8)]
            assert (np.diff(errors) < 0.0).all()
            assert errors[3] / errors[4] == pytest.approx(1e4, rel=1e-3)
            assert mechanism.expected_error(1, resultant=1e-9) == pytest.approx(np.pi / 2, abs=1e-6)
            assert mechanism.sample_size(2.0) == 1
            with_many = mechanism.sample_size(1e-5)
            assert mechanism.expected_error(with_many) <= 1e-5 < mechanism.expected_error(with_many - 5)
    # in the plane: the mean size of a coordinate of the noise, divided by N
    gaussian = GaussianSum(1.0, 1e-6)
    assert gaussian.expected_error(10**6) == pytest.approx(gaussian.sigma * np.sqrt(2 / np.pi) / 10**6, rel=1e-6)
    assert VectorLaplaceSum(1.0).expected_error(10**6) == pytest.approx(8 / np.pi / 10**6, rel=1e-6)


def test_sums_are_unbiased_and_guarantees_said():
    mechanism = GaussianSum(2.0, 1e-3, dim=3)
    assert mechanism.guarantee == CentralGuarantee(2.0, 1e-3)
    x = np.tile([0.6, 0.0, 0.8], (50, 1))
    rng = np.random.default_rng(11)
    totals = np.array([mechanism.randomise_sum(x, rng=rng) for _ in range(2000)])
    error = mechanism.sigma / np.sqrt(2000)
    assert (np.abs(totals.mean(axis=0) - [30.0, 0.0, 40.0]) < 5.5 * error).all()  # by chance in 1e-7
    assert totals.std() > mechanism.sigma  # with the spread between coordinates
    np.testing.assert_allclose(totals.std(axis=0), mechanism.sigma, rtol=0.1)
    assert np.linalg.norm(mechanism.mean_direction(x)) == pytest.approx(1.0)
    assert repr(mechanism) == "GaussianSum(epsilon=2.0, delta=0.001, dim=3)"
    assert repr(VectorLaplaceSum(1.0)) == "VectorLaplaceSum(epsilon=1.0, dim=2)"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: GaussianSum(0.0, 1e-6), "'epsilon' must be positive"),
        (lambda: GaussianSum(1.0, 0.0), "'delta' must be positive"),
        (lambda: GaussianSum(1.0, 1.0), "'delta' must be between 0 and 1"),
        (lambda: VectorLaplaceSum(np.inf), "'epsilon' must be positive"),
        (lambda: VectorLaplaceSum(1.0, dim=1), "'dim' must be an integer of at least 2"),
        (lambda: VectorLaplaceSum(1.0).randomise_sum([1.0, 0.0]), r"'x' must have shape \(N, 2\)"),
        (lambda: VectorLaplaceSum(1.0).randomise_sum(np.empty((0, 2))), "N at least 1"),
        (lambda: VectorLaplaceSum(1.0).randomise_sum([[1.0, 1.0]]), "is no unit vector"),
        (lambda: VectorLaplaceSum(1.0).mean_direction([[1.0, 0.0]], rng=1), "no seed"),
        (lambda: VectorLaplaceSum(1.0).expected_error(0), "'people' must be an integer of at least 1"),
        (lambda: VectorLaplaceSum(1.0).expected_error(5, 1.5), "'resultant' must be at most 1"),
        (lambda: VectorLaplaceSum(1.0).sample_size(-0.1), "'error' must be positive"),
    ],
)
def test_errors_of_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
