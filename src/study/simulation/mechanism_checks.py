"""Checks of a mechanism of one's own before any job: that it draws, has what experiments ask for, and keeps its levels.

The levels that the class states are held against its log-density, and for each space and promise against outputs of
two inputs and of uniformly random ones. The mechanism is refused if a lower bound of its level is above the level that
it states; all bounds hold together with a confidence of 99.9 %. A level that only rare outputs have is not found.
"""

import contextlib
from functools import partial

import numpy as np

from dirpriv import geometry, guarantees
from dirpriv.guarantees import audit, utility_audit
from dirpriv.mechanisms import Mechanism
from study.simulation import seeding
from study.simulation.mechanisms import class_of, distribution_of
from study.simulation.populations import vectors_at
from study.workflow.catalogue_rows import row
from study.workflow.job import InputError
from study.workflow.own_mechanisms import PAGE

DIMS = {"circle": 2, "sphere": 3}
LEVEL, RADIUS = 1.0, np.pi / 4.0
DISTANCES = {"metric": 1.0, "pure": np.pi, "within": RADIUS}
"""Of the two inputs, by promise."""
RADII = {"metric": None, "pure": np.pi, "within": RADIUS}
DRAWS, RISK = 300_000, 0.001
SINGLE = 1000  # outputs that are calls of their own
CERTAIN = 6.0  # standard errors by which a mean may differ from that of the draws
ROUNDING = 1e-6
COARSE = 0.01  # error of an integral over ANGLES, of a density with jumps
ANGLES = np.linspace(0.0, np.pi, 721)
NEEDED = ("rvs", "logpdf", "angle_cdf", "angle_sf", "mean_angle", "mean_cosine", "mean_squared_sine")
NEEDED += ("metric_level", "pure_level", "privacy_loss")


def check(name, seed):
    """Raise an InputError that names file, class and method if a mechanism of one's own cannot be used."""
    entry = row(name)
    with _naming(entry.mechanism, ", when its file is run,"):
        make = class_of(name)
    if not (isinstance(make, type) and issubclass(make, Mechanism) and make.noise_type):
        _refuse(entry.mechanism, "", "must be a class derived from dirpriv.mechanisms.Mechanism, with a noise_type")
    with _naming(entry.mechanism, f".noise_type(dim={DIMS[entry.spaces[0]]}, kappa=1.0)"):
        distribution_of(name, DIMS[entry.spaces[0]], 1.0)
    promises = [promise for promise in entry.promises if promise != "within" or "metric" not in entry.promises]
    cells = [(s, p, c) for s in entry.spaces for p in promises for c in entry.calibrations]
    for space, promise, calibration in cells:
        call = {"metric": f"({LEVEL}, ", "pure": f".pure({LEVEL}, ", "within": f".within({LEVEL}, {RADIUS:.4g}, "}
        source = f"{entry.mechanism}{call[promise]}dim={DIMS[space]}, calibration='{calibration}')"
        rngs = [seeding.generator(seed, "own_mechanism", name, space, promise, calibration, i) for i in range(6)]
        with _naming(source):
            mechanism = made(make, promise, LEVEL, DIMS[space], calibration)
            _check_methods(mechanism, source)
            _check_draws(mechanism, source, rngs[0])
            limit = level_of(mechanism, promise)
            if calibration == "tight" and limit > LEVEL * (1.0 + ROUNDING):
                _refuse(source, "", f"has the level {limit:.4g}, and {LEVEL:g} is asked for")
            _check_log_density(mechanism, source)
            for bound, outputs in audited_bounds(mechanism, promise, rngs[1:], RISK / len(cells)):
                if bound > limit:
                    text = f"states a level of at most {limit:.4g}, and {DRAWS} outputs of {outputs} show {bound:.4g}"
                    _refuse(source, "", f"{text} or more; one right mechanism in a thousand is refused by chance")


def made(make, promise, level, dim, calibration="tight"):
    """The mechanism of a class that keeps this promise at a level."""
    arguments = (level, RADIUS) if promise == "within" else (level,)
    return (make if promise == "metric" else getattr(make, promise))(*arguments, dim=dim, calibration=calibration)


def level_of(mechanism, promise):
    """The loss that the mechanism states for the two inputs."""
    if promise == "within":
        return float(guarantees.privacy_loss_within(mechanism.noise, RADIUS))
    return getattr(mechanism.guarantee, f"{promise}_level")


def audited_bounds(mechanism, promise, rngs, risk):
    """Lower bounds of the level, and the inputs from whose outputs they come; half of the risk is for either kind."""
    for place in (0, 1):
        yield audited_bound(mechanism, promise, place, rngs[2 * place : 2 * place + 2], risk / 4), "two inputs"
    inputs = rngs[-1].standard_normal((DRAWS, mechanism.noise.dim))
    inputs /= np.linalg.norm(inputs, axis=1, keepdims=True)
    outputs = _called_singly(mechanism, inputs[:SINGLE], rngs[-1])
    outputs.append(mechanism.randomise(inputs[SINGLE:], rng=rngs[-1]))
    bound = utility_audit.lower_bound(inputs, np.concatenate(outputs), 1.0 - risk / 2, radius=RADII[promise])
    yield bound, "uniformly random inputs"


def audited_bound(mechanism, promise, place, rngs, risk):
    """A lower bound of the loss of two inputs around an angle, from their outputs."""
    inputs = vectors_at(place + np.array([-0.5, 0.5]) * DISTANCES[promise], mechanism.noise.dim)
    copies = (np.broadcast_to(x, (DRAWS, len(x))) for x in inputs)
    outputs = [mechanism.randomise(x, rng=rng) for x, rng in zip(copies, rngs, strict=True)]
    along = np.array([inputs[0] - inputs[1], inputs[0] + inputs[1]])[: 1 + (promise != "pure")]
    # noise that is symmetric about the true value depends on the cosines of both angles alone
    return audit.lower_bound(*outputs, distance=1.0, confidence=1.0 - risk, score=lambda y: y @ along.T)


def _called_singly(mechanism, inputs, rng):
    """The output of each input, by a call of its own."""
    return [mechanism.randomise(x[None], rng=rng) for x in inputs]


def _refuse(source, method, text):
    raise InputError(f"{source}{method} {text}. {PAGE}")


@contextlib.contextmanager
def _naming(source, method=""):
    """Name class and method in what goes wrong in the body."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        _refuse(source, method, f"fails: {type(error).__name__}: {error}")


def _check_methods(mechanism, source):
    noise, kind = getattr(mechanism, "noise", None), type(getattr(mechanism, "noise", None)).__name__
    missing = [f"method {name}" for name in NEEDED if not callable(getattr(noise, name, None))]
    missing += [f"attribute {name}" for name in ("space", "dim", "kappa") if not hasattr(noise, name)]
    if missing:
        text = f"is a {kind} and lacks the {', the '.join(missing)}; add what is missing to its class"
        _refuse(source, ".noise", text)
    if not getattr(noise, "is_symmetric", True):
        _refuse(source, ".noise", "is not symmetric about the true value; the study needs this of one file")


def _numbers(source, method, shape, compute):
    """What a method gives: finite numbers of this shape."""
    with _naming(source, method):
        values = np.asarray(compute(), dtype=float)
    if values.shape != shape:
        _refuse(source, method, f"gives an array of the shape {values.shape}, and not {shape}")
    if not np.isfinite(values).all():
        _refuse(source, method, "gives NaN or infinite numbers")
    return values


def _check_draws(mechanism, source, rng):
    """Draws of each kind, and the means and probabilities that the distribution states of them."""
    noise, axis, method = mechanism.noise, np.eye(mechanism.noise.dim)[0], ".randomise(x, rng=rng)"
    vectors, state = np.broadcast_to(axis, (DRAWS, len(axis))), rng.bit_generator.state
    drawn = _numbers(source, method, vectors.shape, partial(mechanism.randomise, vectors, rng=rng))
    if np.abs(np.linalg.norm(drawn, axis=1) - 1.0).max() > ROUNDING:
        _refuse(source, method, "gives vectors whose length is not 1; divide them by it")
    rng.bit_generator.state = state
    if not np.array_equal(drawn, mechanism.randomise(vectors, rng=rng)):
        _refuse(source, method, "gives other draws for the same rng; draw all numbers from rng")
    if noise.dim == 2:
        angles = ".randomise_angles(angles, rng=rng)"
        _numbers(source, angles, ANGLES.shape, partial(mechanism.randomise_angles, ANGLES, rng=rng))
    single = np.concatenate(_called_singly(mechanism, vectors[:SINGLE], rng))
    for outputs, draws in ((drawn, "draws"), (single, "draws, each by a call of its own,")):
        theta = geometry.angle_between_vectors(outputs, axis)
        stated = {"mean_angle": theta, "mean_cosine": np.cos(theta), "mean_squared_sine": np.sin(theta) ** 2}
        stated |= {"angle_cdf": theta <= 1.0, "angle_sf": theta > 1.0}
        for name, values in stated.items():
            at = (1.0,) if name.startswith("angle") else ()
            method = f".noise.{name}({'1.0' * len(at)})"
            value = _numbers(source, method, (), partial(getattr(noise, name), *at))
            mean, error = values.mean(), values.std() / np.sqrt(len(values))
            if abs(value - mean) > CERTAIN * error + ROUNDING:
                _refuse(source, method, f"is {value:.5g}, and {len(values)} {draws} have {mean:.5g} ± {error:.1g}")


def _check_log_density(mechanism, source):
    """Hold the stated levels against the log-density on a grid of angles, and this against the probabilities."""
    dim = mechanism.noise.dim
    outputs = vectors_at(ANGLES, dim)
    compute = partial(mechanism.noise.logpdf, outputs, outputs[0])
    log_density = _numbers(source, ".noise.logpdf(x, mu)", ANGLES.shape, compute)
    heights = 2.0 * np.pi ** (dim - 2) * np.sin(ANGLES) ** (dim - 2) * np.exp(log_density)
    below = np.concatenate([[0.0], np.cumsum(0.5 * (heights[1:] + heights[:-1]) * np.diff(ANGLES))])
    if (most := np.abs(below - mechanism.noise.angle_cdf(ANGLES)).max()) > COARSE:
        _refuse(source, ".noise.logpdf(x, mu)", f"integrates to other probabilities than angle_cdf, by {most:.2g}")
    slope = np.abs(np.diff(log_density) / np.diff(ANGLES)).max()
    for name, level in (("pure_level", np.ptp(log_density)), ("metric_level", slope)):
        stated = getattr(mechanism.guarantee, name)
        if level > stated * (1.0 + ROUNDING) + ROUNDING:
            _refuse(source, f".noise.{name}()", f"states {stated:.4g}, and its own logpdf has {level:.4g}")
