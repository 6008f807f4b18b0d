"""Distributions and mechanisms cannot be changed, what is no number is refused, a release takes no seed."""

import copy
import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dirpriv import distributions as _distributions
from dirpriv import estimators, guarantees
from dirpriv.distributions import (
    ClippedLaplace,
    PlanarLaplace,
    PolarLaplace,
    Purkayastha,
    Uniform,
    VectorLaplace,
    VonMisesFisher,
    WrappedLaplace,
)
from dirpriv.distributions.sampling import directions as drawing
from dirpriv.guarantees import audit
from dirpriv.mechanisms import (
    ClippedLaplaceMechanism,
    Mechanism,
    PlanarLaplaceMechanism,
    PolarLaplaceMechanism,
    PurkayasthaMechanism,
    RotationBinghamMechanism,
    VectorLaplaceMechanism,
    VonMisesFisherMechanism,
    WrappedLaplaceMechanism,
)

DISTRIBUTIONS = [
    *(Purkayastha(3, 2.0), VonMisesFisher(2, 2.0), WrappedLaplace(2.0), PolarLaplace(2.0), Uniform(4)),
    *(ClippedLaplace(2.0), PlanarLaplace(2.0), VectorLaplace(3, 2.0), _distributions.RotationUniform()),
    *(_distributions.RotationLaplace(2.0), _distributions.RotationBingham(2.0), _distributions.ChordalLaplace(2.0)),
    *(_distributions.FoldedPurkayastha(2.0), _distributions.FoldedVonMisesFisher(2.0)),
]
MECHANISMS = [
    *(PurkayasthaMechanism(1.0), VonMisesFisherMechanism(1.0, dim=3), WrappedLaplaceMechanism(1.0)),
    *(ClippedLaplaceMechanism.pure(1.0), PolarLaplaceMechanism(1.0, calibration="published")),
    *(VectorLaplaceMechanism(1.0, dim=2), PlanarLaplaceMechanism(1.0), RotationBinghamMechanism(1.0)),
]


def name_of(made):
    return type(made).__name__


def inputs_of(distribution):
    """Three inputs of a distribution."""
    return (
        Rotation.random(3, rng=1)
        if not hasattr(distribution, "dim")
        else np.eye(distribution.dim)[np.arange(3) % distribution.dim]
    )


def draws_of(distribution):
    """Draws around modes, the same from call to call."""
    if not hasattr(distribution, "dim"):
        return distribution.rvs(Rotation.random(3, rng=1), rng=2).as_quat()
    return distribution.rvs(inputs_of(distribution), rng=2)


# ---------------------------------------------------------------- nothing changes


@pytest.mark.parametrize("made", [*DISTRIBUTIONS, *MECHANISMS], ids=name_of)
def test_copies_and_pickles_are_the_same_and_as_fixed(made):
    distribution = getattr(made, "noise", made)
    if hasattr(distribution, "mean_angle"):
        distribution.mean_angle()  # what a distribution has computed goes with it
    for again in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert type(again) is type(made) and repr(again) == repr(made)
        distribution_again = getattr(again, "noise", again)
        assert np.array_equal(draws_of(distribution_again), draws_of(distribution))
        assert guarantees.from_distribution(distribution_again) == guarantees.from_distribution(distribution)
        with pytest.raises(AttributeError, match="cannot be set"):
            distribution_again.kappa = 50.0


# ---------------------------------------------------------------- draws over their own modes


@pytest.mark.parametrize("compiled_size", [0, np.inf])
@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5, 9, 10, 15, 16, 50])
def test_draws_may_be_written_over_their_modes(dim, compiled_size, monkeypatch):
    monkeypatch.setattr(drawing, "COMPILED_SIZE", compiled_size)
    distributions = [VectorLaplace(dim, 20.0)]
    if dim > 1:
        distributions += [Purkayastha(dim, 20.0), VonMisesFisher(dim, 20.0), Uniform(dim)]
    distributions += {2: [WrappedLaplace(20.0), PlanarLaplace(20.0)], 3: [PolarLaplace(20.0)]}.get(dim, [])
    modes = np.random.default_rng(1).standard_normal((9000, dim))
    modes /= np.linalg.norm(modes, axis=1, keepdims=True)
    for distribution in distributions:
        x = modes.copy()
        assert distribution.rvs(x, rng=2, out=x) is x
        assert np.array_equal(x, distribution.rvs(modes, rng=2))
        both = np.concatenate([modes, modes[:1]])  # modes that lie one row before where they are needed
        distribution.rvs(both[1:], rng=2, out=both[:-1])
        assert np.array_equal(both[:-1], distribution.rvs(np.roll(modes, -1, axis=0), rng=2))
        one = modes[:7].copy()
        distribution.rvs(one[3], 7, rng=2, out=one)
        assert np.array_equal(one, distribution.rvs(modes[3], 7, rng=2))


# ---------------------------------------------------------------- what is no number


NO_LEVELS = [
    *(True, np.True_, "1", "１", b"1", "1e3", 1j, None, [1.0], np.array([1.0]), 10**400, -(10**400)),
    *(np.ma.masked, np.ma.array(1.0, mask=True), np.array(True), np.nan, np.inf, -1.0),
]


@pytest.mark.parametrize("value", NO_LEVELS, ids=lambda value: f"{type(value).__name__} {str(value)[:9]}")
def test_what_is_no_level_is_refused(value):
    for name, call in (
        ("epsilon", lambda: PurkayasthaMechanism(value)),
        ("epsilon", lambda: RotationBinghamMechanism.pure(value)),
        ("level", lambda: PurkayasthaMechanism.within(value, 1.0)),
        ("radius", lambda: PurkayasthaMechanism.within(1.0, value)),
        ("kappa", lambda: VectorLaplace(2, value)),
        ("metric", lambda: guarantees.largest_concentration(WrappedLaplace, metric=value)),
    ):
        if name == "metric" and value is None:
            continue  # nothing is promised
        with pytest.raises(ValueError, match=f"'{name}' must be (a )?(positive|duration)"):
            call()
    if np.ndim(value) or np.ma.is_masked(value):
        return  # one concentration per row, below
    for make in (WrappedLaplace, ClippedLaplace, _distributions.RotationLaplace, lambda k: Purkayastha(3, k)):
        with pytest.raises(ValueError, match=r"'kappa' must be (a )?nonnegative"):
            make(value)


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int8(2), np.array(2.0), np.longdouble(2)])
def test_numbers_of_any_type_are_levels(value):
    made = PurkayasthaMechanism(value)
    assert type(made.noise.kappa) is float and made.noise.kappa == 2.0
    assert Purkayastha(3, value).kappa == 2.0


@pytest.mark.parametrize(
    ("kappa", "words"),
    [
        (["1", "2"], "'kappa' must hold real numbers; got <U1"),
        ([True, False], "'kappa' must hold real numbers; got bool"),
        ([1.0, 2j], "'kappa' must hold real numbers; got complex128"),
        ([1.0, None], "'kappa' must hold real numbers; got the type NoneType in row 1"),
        ([1, 10**400], "'kappa' must hold real numbers; got one that is too large"),
        (np.ma.array([1.0, 2.0, 3.0], mask=[0, 0, 1]), "'kappa' has masked values, the first in row 2"),
        (np.ma.array(1.0, mask=True), "'kappa' must be a nonnegative finite number"),
        ([1.0, -2.0], "row 1 of 'kappa' must be nonnegative and finite; got -2.0"),
    ],
)
def test_what_are_no_concentrations_is_refused(kappa, words):
    with pytest.raises(ValueError, match=words):
        Purkayastha(3, kappa)


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (np.ma.array(np.eye(2), mask=[[0, 0], [1, 1]]), r"row \(1, 0\) of 'x' is masked .2 such values.: leave"),
        ([np.ma.array([1.0, 0.0], mask=[1, 0])], "'x' has masked values, the first in row 0"),
        ([["1", "0"]], "row \\(0, 0\\) of 'x' is no real number"),
        ([[True, False]], "'x' must hold real numbers; got the type bool"),
        ([[1.0 + 1e-9j, 0.0]], "'x' must hold real numbers; got the type complex128"),
        (np.array([[1.0, 0.0], [0.0, "1"]], dtype=object), "row \\(1, 1\\) of 'x' is no real number"),
        (np.array([["2024", "2025"]], dtype="datetime64[D]"), "'x' must hold vectors and holds times: randomise_times"),
    ],
)
@pytest.mark.parametrize(
    "mechanism", [PurkayasthaMechanism(1.0), ClippedLaplaceMechanism.pure(1.0), VectorLaplaceMechanism(1.0)]
)
def test_inputs_that_are_no_numbers_are_refused(mechanism, x, words):
    with pytest.raises(ValueError, match=words):
        mechanism.randomise(x)


def test_masked_places_and_outputs_are_refused():
    places = np.ma.array(np.ones((60, 2)), mask=np.arange(120).reshape(60, 2) == 7)
    with pytest.raises(ValueError, match="row 3 of 'longitude' is masked"):
        PlanarLaplaceMechanism(1.0).randomise_places(places[:, 0], places[:, 1])
    with pytest.raises(ValueError, match="'outputs_x_prime' has masked values, the first in row 3"):
        audit.lower_bound(np.ones((60, 2)), places, 1.0)
    with pytest.raises(ValueError, match="'angles' has masked values, the first in row 3"):
        estimators.circular_mean(places)


def test_errors_name_the_argument_and_the_row():
    rows = [[1.0, 0.0], [0.0, 2.0]]
    with pytest.raises(ValueError, match="row 1 of 'x' is no unit vector, its norm is not 1: divide"):
        PurkayasthaMechanism(1.0).randomise(rows)
    with pytest.raises(ValueError, match="'mu' is no unit vector"):
        Purkayastha(2, 1.0).rvs(rows)
    with pytest.raises(ValueError, match="row 1 of 'x' must hold finite coordinates"):
        VectorLaplaceMechanism(1.0).randomise([[1.0, 0.0], [np.nan, 2.0]])
    unmasked = np.ma.array(np.eye(2), mask=False)
    assert PurkayasthaMechanism(1.0).randomise(unmasked).shape == (2, 2)
    assert PurkayasthaMechanism(1.0).randomise(np.eye(2).astype(object)).shape == (2, 2)


# ---------------------------------------------------------------- randomness


SEEDS = [0, 5, np.int64(5), 10**30, [1, 2], (1, 2), np.array([1, 2]), np.random.SeedSequence(5)]


@pytest.mark.parametrize(
    ("distribution", "seed"),
    [*((DISTRIBUTIONS[0], seed) for seed in SEEDS), *((each, 5) for each in DISTRIBUTIONS[1:])],
)
def test_distributions_take_what_default_rng_takes(distribution, seed):
    x = Rotation.identity() if not hasattr(distribution, "dim") else np.eye(distribution.dim)[0]
    first = distribution.rvs(x, 3, rng=seed)
    if isinstance(seed, np.random.SeedSequence):
        seed = np.random.SeedSequence(5)
    again = distribution.rvs(x, 3, rng=np.random.default_rng(seed))
    same = first.as_quat() == again.as_quat() if isinstance(first, Rotation) else first == again
    assert np.all(same)


def test_distributions_take_generators_and_go_on_with_them():
    distribution, mu = Purkayastha(2, 1.0), [1.0, 0.0]
    for make in (np.random.default_rng, np.random.PCG64, np.random.MT19937):
        source = make(1)
        first, second = distribution.rvs(mu, rng=source), distribution.rvs(mu, rng=source)
        assert not np.array_equal(first, second) and np.array_equal(first, distribution.rvs(mu, rng=make(1)))


@pytest.mark.parametrize(
    "rng", [True, -1, 1.0, "dice", [1.5], [True], np.random, object()], ids=lambda rng: type(rng).__name__
)
def test_what_default_rng_does_not_document_is_refused(rng):
    with pytest.raises(ValueError, match="'rng' must be None, an integer or a sequence of integers"):
        Purkayastha(2, 1.0).rvs([1.0, 0.0], rng=rng)


def test_a_random_state_is_refused_and_told_why():
    for draw in (Purkayastha(2, 1.0).rvs, VectorLaplace(2, 1.0).rvs, PlanarLaplace(1.0).rvs_places):
        with pytest.raises(ValueError, match=r"legacy numpy\.random\.RandomState: the draws would be neither"):
            draw([1.0, 0.0], rng=np.random.RandomState(1))


@pytest.mark.parametrize(
    ("mechanism", "seed"),
    [
        *((MECHANISMS[0], seed) for seed in (*SEEDS, np.random.RandomState(1), True, "5")),
        *((each, 5) for each in MECHANISMS[1:]),
    ],
)
def test_a_release_takes_no_seed(mechanism, seed):
    releases = [lambda rng: mechanism.randomise(inputs_of(mechanism.noise), rng=rng)]
    if isinstance(mechanism, PlanarLaplaceMechanism):
        releases.append(lambda rng: mechanism.randomise_places([1.0], [2.0], rng=rng))
    for release in releases:
        with pytest.raises(ValueError, match=r"no seed; got \w+: each call with one seed adds the same noise"):
            release(seed)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=name_of)
def test_a_release_takes_a_generator_and_goes_on_with_it(mechanism):
    """Two calls add other noise; the noise is that of the distribution with the same generator."""
    x = inputs_of(mechanism.noise)
    number = lambda drawn: drawn.as_quat() if isinstance(drawn, Rotation) else drawn  # noqa: E731
    for make in (np.random.default_rng, np.random.PCG64):
        rng = make(1)
        first, second = number(mechanism.randomise(x, rng=rng)), number(mechanism.randomise(x, rng=rng))
        assert np.array_equal(first, number(mechanism.noise.rvs(x, rng=make(1))))
        assert not np.array_equal(first, second)


def test_a_duration_is_no_level_and_no_dimension():
    for wrong in (np.timedelta64(5, "s"), np.timedelta64(5)):
        with pytest.raises(ValueError, match="'epsilon' must be a positive finite number"):
            PurkayasthaMechanism(wrong)
        with pytest.raises(ValueError, match="'dim' must be an integer"):
            Purkayastha(wrong, 1.0)


def test_a_function_is_no_distribution_to_draw_from():
    with pytest.raises(ValueError, match="'distribution' must be a distribution with a method rvs"):
        Mechanism.from_distribution(lambda theta: -theta)


@pytest.mark.parametrize(
    "call",
    [
        lambda distribution, angles: guarantees.shuffled_level(distribution, 1000, 1e-6),
        lambda distribution, angles: guarantees.shuffled_delta(distribution, 1000, 0.5),
        lambda distribution, angles: guarantees.composed_level(distribution, 100, distance=0.5, delta=1e-6),
        lambda distribution, angles: guarantees.renyi_divergence(distribution, 1e4, distance=0.5),
        lambda distribution, angles: guarantees.from_distribution(VonMisesFisher(3, 50.0)),
        lambda distribution, angles: estimators.estimate_histogram(
            angles, distribution, bins=4, intervals="distribution-free"
        ).high.tolist(),
        lambda distribution, angles: estimators.estimate_mean(angles[:60], distribution),
        lambda distribution, angles: estimators.rayleigh_test(angles, distribution),
        lambda distribution, angles: estimators.two_sample_test(angles, angles[:100] + 3.0),
        lambda distribution, angles: estimators.circular_mean(angles),
        lambda distribution, angles: VonMisesFisher(2, 1e6).angle_pdf([0.1, 3.0]).tolist(),
        lambda distribution, angles: Purkayastha(3, 1e-300).angle_rvs(9, rng=1).tolist(),
        lambda distribution, angles: PlanarLaplace(1.0).radius_sf([1.0, 1e3]).tolist(),
        lambda distribution, angles: (WrappedLaplace(1e-300).pure_level(), WrappedLaplace(1e6).pure_level()),
    ],
)
def test_what_the_caller_asks_of_numpy_changes_nothing(call):
    """An underflow to 0 is harmless in the library, and was an error where the caller makes it one."""
    distribution = Purkayastha(2, 1.27)
    angles = distribution.angle_rvs(500, rng=1)
    wanted = call(distribution, angles)
    with np.errstate(all="raise"):
        assert call(distribution, angles) == wanted
