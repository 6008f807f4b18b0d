"""All distributions by one rule: a concentration per row, the ends of their arguments, and extreme concentrations."""

import functools
import inspect
import warnings

import mpmath
import numpy as np
import pytest
from scipy.special import gamma
from sweeps import swept

from dirpriv import InvalidArgument, distributions, release
from dirpriv.distributions.protocols import Distribution, SymmetricDistribution
from dirpriv.distributions.rotations.base import RotationDistribution

# what a family takes beside its concentration and dimension
SHAPES = {"half_angle": 1.0, "depth": 1.0, "plateau": 0.5, "width": 1.0, "offset": 0.5}
FAMILIES = [
    getattr(distributions, name)
    for name in distributions.__all__
    if inspect.isclass(getattr(distributions, name)) and hasattr(getattr(distributions, name), "privacy_loss")
    if getattr(distributions, name) not in (Distribution, SymmetricDistribution)
]
WITH_KAPPA = [family for family in FAMILIES if "kappa" in inspect.signature(family).parameters]
EVERY = [
    (family, dim)
    for family in WITH_KAPPA
    for dim in ((2, 3, 20) if "dim" in inspect.signature(family).parameters else (None,))
]


def made(family, dim, kappa):
    """A distribution of the family: in what else it takes, the same for all."""
    names = inspect.signature(family).parameters
    given = {name: SHAPES[name] for name in names if name in SHAPES} | {"kappa": kappa}
    return family(**given, **({} if dim is None else {"dim": dim}))


def label(value):
    return getattr(value, "__name__", str(value))


def test_all_families_are_here():
    assert len(FAMILIES) == 20 and {family.__name__ for family in FAMILIES} - {
        family.__name__ for family in WITH_KAPPA
    } == {"Uniform", "RotationUniform"}


# ---------------------------------------------------------------- a concentration per row

ROWS = np.array([1e-3, 1.0, 1e12])


def arguments_of(distribution, count):
    """Something for each argument that a public method may ask for, in as many rows."""
    vectors = np.tile(np.eye(distribution.dim)[0], (count, 1))
    numbers = np.full(count, 0.5)
    return {
        **dict.fromkeys(("theta", "u", "q", "p", "radius", "distance"), numbers),
        **dict.fromkeys(("x", "mu", "z", "center"), vectors),
        "function": np.cos,
        "bins": 3,
    }


@pytest.mark.parametrize("count", [3, *swept((1,), (5,))])
@pytest.mark.parametrize(("family", "dim"), EVERY, ids=label)
def test_a_concentration_per_row_is_right_or_refused_by_name(family, dim, count):
    """Never an error of NumPy's own: draws of each row, or the error that names 'kappa'."""
    try:
        distribution = made(family, dim, ROWS)
    except InvalidArgument as error:
        assert error.argument == "kappa" and "'kappa' must be" in str(error)
        return
    names = [name for name in dir(distribution) if not name.startswith("_") and callable(getattr(distribution, name))]
    assert {"rvs", "logpdf", "entropy", "mean_angle", "metric_level"} <= set(names)
    given = arguments_of(distribution, count)
    one = given | {"distance": 0.5}  # a distribution is that of one distance
    for name in sorted(set(names) - {"fit", "frozen", "rvs", "rvs_tangent", "angle_rvs"}):
        method = getattr(distribution, name)
        asked = [p.name for p in inspect.signature(method).parameters.values() if p.default is p.empty]
        with pytest.raises(InvalidArgument, match="'kappa'") as refused:
            method(**{key: (one if name == "privacy_loss_distribution" else given)[key] for key in asked})
        assert refused.value.argument == "kappa", name
    around = distribution.frozen(given["mu"][0])
    for call in (around.entropy, lambda: around.pdf(given["x"]), lambda: around.logpdf(given["x"])):
        with pytest.raises(InvalidArgument, match="'kappa'"):
            call()


@pytest.mark.parametrize(("family", "dim"), EVERY, ids=label)
def test_draws_with_a_concentration_per_row(family, dim):
    try:
        distribution = made(family, dim, ROWS)
    except InvalidArgument:
        return
    mode = np.eye(distribution.dim)[0]
    modes = np.tile(mode, (3, 1))
    theta, xi = distribution.rvs_tangent(mode, rng=1)
    near = np.pi if family is distributions.Cardioid else 1e-4  # of the third row; a cardioid is never concentrated
    for x in (distribution.rvs(mode, rng=1), distribution.rvs(modes, rng=1), distribution.frozen(mode).rvs(rng=1)):
        assert x.shape == (3, distribution.dim) and np.linalg.norm(x[2] - mode) < near
        assert np.linalg.norm(x[0] - mode) > 1e-4
    assert theta.shape == (3,) and xi.shape == (3, distribution.dim) and theta[2] < near and theta[0] > 1e-4
    assert distribution.angle_rvs((4, 3), rng=1)[:, 2].max() < near
    five = np.tile(mode, (5, 1))
    for call in (
        lambda: distribution.rvs(five),
        lambda: distribution.rvs(mode, 5),
        lambda: distribution.rvs_tangent(five),
        lambda: distribution.angle_rvs(5),
        lambda: distribution.angle_rvs((3, 2)),
    ):
        with pytest.raises(InvalidArgument, match="'kappa' has the shape"):
            call()


def test_clipped_laplace_has_one_concentration():
    with pytest.raises(InvalidArgument, match=r"'kappa' must be one number.*make a distribution of each"):
        distributions.ClippedLaplace([1.0, 2.0])


# ---------------------------------------------------------------- the ends of the arguments

INF, NAN = np.inf, np.nan


def ends(kind, last):
    """Values of the functions of an angle or a radius where they are known for every distribution."""
    at_end = {last: 1.0} if kind == "angle" else {}
    beyond = {4.0: 1.0} if kind == "angle" else {}
    cdf = {INF: 1.0, -INF: 0.0, -1.0: 0.0, NAN: NAN} | at_end | beyond
    bad = dict.fromkeys((INF, -INF, NAN, -0.1, 1.1), NAN)
    return {
        "pdf": {INF: 0.0, -INF: 0.0, -1.0: 0.0, NAN: NAN} | dict.fromkeys(beyond, 0.0),
        "logpdf": {INF: -INF, -INF: -INF, -1.0: -INF, NAN: NAN} | dict.fromkeys(beyond, -INF),
        "cdf": cdf,
        "sf": {at: 1.0 - value for at, value in cdf.items()},
        "ppf": bad | {0.0: 0.0, 1.0: last},
        "isf": bad | {1.0: 0.0, 0.0: last},
    }


def check_ends(distribution, refused=()):
    kind = "radius" if hasattr(distribution, "radius_ppf") else "angle"
    last = INF if kind == "radius" else np.pi
    checked = 0
    for function, values in ends(kind, last).items():
        method, found = getattr(distribution, f"{kind}_{function}", None), {}
        for at, value in values.items() if method else ():
            if function in refused and np.isnan(value):
                with pytest.raises(InvalidArgument, match="from 0 to 1"):
                    method(at)
            elif not (refused and value == INF):
                found[at] = method(at)
                assert np.array_equal(found[at], value, equal_nan=True), (function, at, found[at])
        if found:
            together = method(np.array([*found, 0.5, *found]))
            assert np.array_equal(np.delete(together, len(found)), [*found.values()] * 2, equal_nan=True), function
        checked += len(found)
    return checked


@pytest.mark.parametrize("kappa", [0.0, 1e150, *swept((0.5,), (1e-300,), (1e10,))])
@pytest.mark.parametrize(("family", "dim"), EVERY, ids=label)
def test_ends_of_arguments(family, dim, kappa):
    if kappa == 0.0 and family in (distributions.PlanarLaplace, distributions.VectorLaplace):
        return  # no uniform distribution
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        distribution = made(family, dim, kappa)
        assert check_ends(distribution) >= 27
        if family is distributions.VectorLaplace:
            assert distributions.VectorLaplace(1, kappa).radius_logpdf(INF) == -INF


@pytest.mark.parametrize(
    "distribution",
    [
        release.CircleRelease.within(1.0, "3h", cells=96).noise,
        release.CircleRelease.within(0.01, "3h", cells=25).noise,
        release.PlaneRelease(0.01, region_centre=(40.75, -73.98), region_reach=10_000, cell_size=10).noise,
        release.PlaneRelease(
            0.001, region_centre=(40.75, -73.98), region_reach=10_000, cell_size=1
        ).noise,  # as planar Laplace
    ],
    ids=repr,
)
def test_ends_of_arguments_of_table_distributions(distribution):
    plane = hasattr(distribution, "radius_ppf")
    assert check_ends(distribution, refused={"ppf"} if plane else ()) >= 3
    with pytest.raises(InvalidArgument, match="must hold real numbers"):
        (distribution.radius_sf if plane else distribution.angle_sf)(["secret"])


# ---------------------------------------------------------------- extreme concentrations

EXTREMES = [1e-300, 1e-100, 1e8, 1e20, 1e150, *swept((1e-160,), (1e-20,), (1e16,), (1e50,), (1e100,))]
RANGES = {"mean_angle": np.pi, "mean_chord": 2.0, "mean_squared_sine": 1.0, "mean_radius": INF}
FINITE = "entropy", "log_normalizer"
LEVELS = "metric_level", "pure_level"


@pytest.mark.parametrize("kappa", EXTREMES)
@pytest.mark.parametrize(("family", "dim"), EVERY, ids=label)
def test_summaries_at_extreme_concentrations(family, dim, kappa):
    """In their ranges, with no warning and no failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        distribution = made(family, dim, kappa)
        got = {
            name: getattr(distribution, name)() for name in (*RANGES, *FINITE, *LEVELS) if hasattr(distribution, name)
        }
        assert len(got) >= 4
        for name, value in got.items():
            if name in RANGES:
                assert 0.0 <= value <= RANGES[name] and np.isfinite(value), (name, value)
            elif name in FINITE:
                assert np.isfinite(value), (name, value)
            else:
                assert value >= 0.0, (name, value)
        if hasattr(distribution, "mean_cosine"):
            assert -1.0 <= distribution.mean_cosine() <= 1.0
        kind = "radius" if hasattr(distribution, "radius_ppf") else "angle"
        middle = getattr(distribution, f"{kind}_ppf")(0.3)
        assert 0.0 < middle < np.inf and np.isfinite(getattr(distribution, f"{kind}_logpdf")(middle))
        if not family.__name__.startswith("Clipped"):  # which jumps
            both = getattr(distribution, f"{kind}_cdf")(middle), getattr(distribution, f"{kind}_sf")(middle)
            assert both == pytest.approx((0.3, 0.7), rel=1e-9)


# the shape m of the density θ^m exp(-κ c θ^p) that the distribution has near its mode, for its dimension n
NEAR = {
    "Purkayastha": (lambda n: n - 2, 1, 1.0),
    "WrappedLaplace": (lambda n: 0, 1, 1.0),
    "PolarLaplace": (lambda n: 1, 1, 1.0),
    "ClippedLaplace": (lambda n: 0, 1, 1.0),
    "VonMisesFisher": (lambda n: n - 2, 2, 0.5),
    "RotationLaplace": (lambda n: 2, 1, 1.0),
    "ChordalLaplace": (lambda n: 2, 1, 1.0),
    "FoldedPurkayastha": (lambda n: 2, 1, 0.5),
    "RotationBingham": (lambda n: 2, 2, 0.25),
    "FoldedVonMisesFisher": (lambda n: 2, 2, 0.125),
}
NEAR_EVERY = [(family, dim) for family, dim in EVERY if family.__name__ in NEAR]


@pytest.mark.parametrize("kappa", [1e50, 1e150])
@pytest.mark.parametrize(("family", "dim"), NEAR_EVERY, ids=label)
def test_means_of_the_concentrated(family, dim, kappa):
    """They are those of the tangent space, by gamma functions."""
    distribution = made(family, dim, kappa)
    shape, power, factor = NEAR[family.__name__]
    m, scale = shape(dim), (factor * kappa) ** (-1.0 / power)

    def moment(k):
        return scale**k * gamma((m + 1 + k) / power) / gamma((m + 1) / power)

    assert distribution.mean_angle() == pytest.approx(moment(1), rel=1e-11)
    if hasattr(distribution, "mean_chord"):
        assert distribution.mean_chord() == pytest.approx(moment(1), rel=1e-11)
        assert distribution.mean_cosine() == pytest.approx(1.0, abs=1e-15)
    if hasattr(distribution, "mean_squared_sine"):
        assert distribution.mean_squared_sine() == pytest.approx(moment(2), rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("kappa", [1e-300, 1e-20])
@pytest.mark.parametrize(("family", "dim"), NEAR_EVERY, ids=label)
def test_means_of_the_nearly_uniform(family, dim, kappa):
    distribution = made(family, dim, kappa)
    if family is distributions.ClippedLaplace:  # all at the seam, opposite the mode
        assert distribution.mean_angle() == pytest.approx(np.pi, rel=1e-15)
        return
    rotation = issubclass(family, RotationDistribution)
    assert distribution.mean_angle() == pytest.approx(np.pi / 2 + (2 / np.pi if rotation else 0.0), rel=1e-13)
    if family.__name__ in ("VonMisesFisher", "Purkayastha"):  # κ E sin² θ/(n - 1), and κ E sin θ/(n - 1)
        sine = gamma(dim / 2) ** 2 / gamma((dim - 1) / 2) / gamma((dim + 1) / 2)
        slope = 1 / dim if family.__name__ == "VonMisesFisher" else sine / (dim - 1)
        assert distribution.mean_cosine() == pytest.approx(kappa * slope, rel=1e-12)


KERNELS = {
    "Purkayastha": lambda k, t: -k * t,
    "VonMisesFisher": lambda k, t: k * (mpmath.cos(t) - 1),
    "WrappedLaplace": lambda k, t: mpmath.log(mpmath.cosh(k * (mpmath.pi - t)) / mpmath.cosh(k * mpmath.pi)),
    "Cardioid": lambda k, t: mpmath.log(1 + mpmath.tanh(k / 2) * mpmath.cos(t)),
}


@pytest.mark.parametrize("kappa", [1e-160, 1e3, *swept((1.0,))])
@pytest.mark.parametrize(("family", "dim"), [(f, d) for f, d in EVERY if f.__name__ in KERNELS and d != 20], ids=label)
def test_means_by_30_digits(family, dim, kappa):
    distribution, kernel = made(family, dim, kappa), KERNELS[family.__name__]
    with mpmath.workdps(30):
        k, m = mpmath.mpf(kappa), (dim or 2) - 2
        marks = [0, *(mpmath.mpf(2) ** -i * mpmath.pi for i in range(16, -1, -1))]

        density = functools.cache(lambda t: mpmath.sin(t) ** m * mpmath.exp(kernel(k, t)))  # all have the same nodes

        def total(function):
            return mpmath.quad(lambda t: function(t) * density(t), marks, maxdegree=5)

        mass = total(lambda t: 1)
        for name, function in (
            ("mean_angle", lambda t: t),
            ("mean_chord", lambda t: 2 * mpmath.sin(t / 2)),
            ("mean_squared_sine", lambda t: mpmath.sin(t) ** 2),
        ):
            assert getattr(distribution, name)() == pytest.approx(float(total(function) / mass), rel=1e-12), name


@pytest.mark.parametrize("kappa", [0.0, 1e-300, 1e-100, 1e-9, 2e-8, 1e-3, 0.5, 2.1, 50.0, 1e10, 1e100, 1e150])
def test_steepest_slope_of_a_fold(kappa):
    """The maximum of (κ/2) s tanh κc is at a sinh 2a = 2 (κ² - a²), a = κc, here by bisection."""
    got = distributions.FoldedVonMisesFisher(kappa).metric_level()
    with mpmath.workdps(60):
        k = mpmath.mpf(kappa)
        low, high = mpmath.mpf(0), k
        for _ in range(800):
            a = (low + high) / 2
            above = mpmath.log(a * mpmath.sinh(2 * a) + 2 * a * a) > mpmath.log(2 * k * k) if a > 0 else True
            low, high = (low, a) if above else (a, high)
        exact = float(k / 2 * mpmath.sqrt((k - low) * (k + low)) / k * mpmath.tanh(low)) if kappa else 0.0
    assert got == pytest.approx(exact, rel=2e-15)


@pytest.mark.parametrize(
    "distribution", [distributions.Uniform(2), distributions.Uniform(3), distributions.RotationUniform()], ids=repr
)
def test_ends_of_arguments_of_uniform_distributions(distribution):
    assert check_ends(distribution) >= 27
