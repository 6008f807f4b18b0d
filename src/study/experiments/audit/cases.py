"""The audited cases: mechanisms with their stated levels, their samplers, and two revealing inputs.

Cases that keep their promise and cases that break it have the same form. The certified level is computed from
the distribution, or from the log kernel if a paper prints only a sampler.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.spatial.transform import Rotation

from dirpriv import guarantees, mechanisms
from study.papers import directions
from study.papers import rotations as printed
from study.simulation.baselines import NoiseOnSphere
from study.simulation.mechanisms import class_of, compared_on_rotations
from study.simulation.populations import vectors_at
from study.workflow.catalogue_rows import rows


@dataclass(frozen=True)
class Case:
    """A mechanism, its promise, and two inputs.

    Calibrations: ``published`` and ``tight`` as in :mod:`dirpriv.mechanisms`; ``printed``, a sampler exactly
    as a paper or the note prints it; ``overspent``, a larger concentration than the stated one.
    """

    mechanism: str
    calibration: str
    promise: str  # "per_unit": ε·d-privacy, or "pure"
    stated: float  # level
    certified: float  # level that is guaranteed
    kappa: float
    dim: int  # length of the vectors; 3 for rotations
    distance: float  # of the inputs
    draw: Callable  # draw(which, count, rng) gives outputs for the first (0) or the second (1) input
    detail: str = ""  # distinguishes it from others with its mechanism and calibration
    assumes: str = ""  # what the certified level rests on that is not proved
    uniform_pairs: Callable | None = None  # of outputs of the first input and rng: random inputs, their outputs

    @property
    def name(self):
        """A name that is unique in its space."""
        parts = (self.mechanism, self.calibration, self.promise, self.detail.replace(" ", "_"))
        return ".".join(part for part in parts if part)


def circle_cases(settings):
    """The mechanisms on the circle; clipped Laplace with inputs on both sides of its seam."""
    epsilon, pure = settings["epsilon"], settings["pure_epsilon"]
    seam = (-settings["seam_distance"] / 2.0, settings["seam_distance"] / 2.0)
    straight = (0.0, settings["distance"])
    yield from _promising_a_level("circle", 2, epsilon, straight)
    clipped = mechanisms.ClippedLaplaceMechanism(epsilon=epsilon, calibration="published")
    yield _vector_case("clipped_laplace", "published", clipped, epsilon, seam)
    overspent = mechanisms.PurkayasthaMechanism(dim=2, epsilon=settings["overspending"] * epsilon)
    yield _vector_case("purkayastha", "overspent", overspent, epsilon, straight)
    yield from _promising_a_level("circle", 2, pure, (0.0, np.pi), "pure")
    for calibration in ("published", "tight"):
        clipped = mechanisms.ClippedLaplaceMechanism.pure(pure, calibration=calibration)
        yield _vector_case("clipped_laplace", calibration, clipped, pure, seam, "pure")


def sphere_cases(settings):
    """The mechanisms on the sphere; polar Laplace is audited near the antipode of its inputs."""
    epsilon, pure = settings["epsilon"], settings["pure_epsilon"]
    near = (0.0, settings["polar_distance"])
    yield from _promising_a_level("sphere", 3, epsilon, (0.0, settings["distance"]))
    polar = mechanisms.PolarLaplaceMechanism(epsilon=epsilon, calibration="published")
    yield _vector_case("polar_laplace", "published", polar, epsilon, near)
    yield from _promising_a_level("sphere", 3, pure, (0.0, np.pi), "pure")
    baseline = NoiseOnSphere.pure(pure, 3)
    # for inputs a diameter apart; the division loses no privacy
    bound = guarantees.privacy_loss_at(baseline.noise.unprojected, 2.0)
    yield _vector_case("vector_laplace", "tight", baseline, pure, (0.0, np.pi), "pure", bound)
    polar = mechanisms.PolarLaplaceMechanism.pure(pure, calibration="published")
    yield _vector_case("polar_laplace", "published", polar, pure, near, "pure")


def rotation_cases(settings):
    """The mechanisms on rotations, and the SO(3) paper's sampler as printed."""
    epsilon, distance = settings["epsilon"], settings["distance"]
    for name, calibration in compared_on_rotations():
        mechanism = class_of(name)(epsilon, calibration=calibration)
        level, noise = mechanism.guarantee.metric_level, mechanism.noise
        yield _angle_case(name, calibration, epsilon, level, noise.kappa, distance, noise.angle_rvs)

    angles = partial(printed.printed_angle_rvs, epsilon)  # their density has poles, and so no level
    yield _angle_case("printed", "printed", epsilon, np.inf, epsilon, distance, angles)
    large, distance = settings["gamma_epsilon"], settings["gamma_distance"]
    for beyond, level in (("reject", printed.gamma_level(large)), ("wrap", np.inf)):
        angles = partial(printed.gamma_angle_rvs, large, beyond=beyond)
        yield _angle_case("printed", "printed", large, level, large, distance, angles, f"gamma {beyond}")


def vector_cases(settings):
    """Laplace noise in space, and the note's wrong radius."""
    epsilon, distance = settings["epsilon"], settings["vector_distance"]
    for dim in settings["vector_dims"]:
        name = "planar_laplace" if dim == 2 else "vector_laplace"
        mechanism = mechanisms.PlanarLaplaceMechanism if dim == 2 else mechanisms.VectorLaplaceMechanism
        distribution = mechanism(dim=dim, epsilon=epsilon).noise
        right = partial(distribution.rvs, np.zeros(dim))
        wrong = partial(directions.exponential_radius_rvs, dim, epsilon)
        level = guarantees.metric_level(distribution)
        beyond = np.inf if dim > 1 else epsilon  # the slope of -εr - (d - 1) log r, that of the wrong radius
        both = (name, "tight", right, level), ("exponential_radius", "printed", wrong, beyond)
        for name, calibration, sampler, level in both:
            stated = calibration, "per_unit", epsilon, level, epsilon, dim, distance
            yield Case(name, *stated, _shifted(sampler, distance), f"d {dim}")


def _promising_a_level(space, dim, epsilon, angles, promise="per_unit"):
    """Mechanisms of a space with a level per radian; equal calibrations are audited once, as tight."""
    for name, row in rows(space).items():
        cls = class_of(name)
        make = cls.pure if promise == "pure" else cls
        try:  # clipped and polar Laplace, whose published promise per radian is broken, are added one by one
            (cls if "metric" in row.promises else make)(dim=dim, epsilon=epsilon)
        except ValueError:  # the mechanism promises no level
            continue
        both = {c: make(epsilon=epsilon, dim=dim, calibration=c) for c in row.calibrations}
        if len({mechanism.noise.kappa for mechanism in both.values()}) < len(both):
            del both["published"]
        yield from (_vector_case(name, c, mechanism, epsilon, angles, promise) for c, mechanism in both.items())


def _vector_case(name, calibration, mechanism, stated, angles, promise="per_unit", certified=None):
    """A mechanism on circle or sphere, with inputs at these angles on a great circle."""
    distribution = mechanism.noise
    inputs, assumes = vectors_at(angles, distribution.dim), ""
    if certified is None:
        assumes = mechanism.guarantee.assumes.partition(":")[0]
        level = guarantees.pure_level if promise == "pure" else guarantees.metric_level
        certified = level(distribution)

    def draw(which, count, rng):
        return mechanism.randomise(np.broadcast_to(inputs[which], (count, distribution.dim)), rng=rng)

    def uniform_pairs(outputs, rng):
        vectors = rng.standard_normal(outputs.shape)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors, mechanism.randomise(vectors, rng=rng)

    kappa, dim, distance = distribution.kappa, distribution.dim, abs(angles[1] - angles[0])
    stated = calibration, promise, stated, certified, kappa, dim, distance
    return Case(name, *stated, draw, assumes=assumes, uniform_pairs=uniform_pairs)


def _angle_case(name, calibration, stated, certified, kappa, distance, angles, detail=""):
    """Noise with these angles about uniform axes, on the identity and on a turn by ``distance``: matrices."""
    turn = Rotation.from_rotvec([0.0, 0.0, distance]).as_matrix()

    def draw(which, count, rng):
        axis = rng.standard_normal((count, 3))
        axis *= (angles(count, rng=rng) / np.sqrt(np.einsum("ij,ij->i", axis, axis)))[:, None]
        noise = Rotation.from_rotvec(axis).as_matrix()
        return turn @ noise if which else noise

    def uniform_pairs(outputs, rng):  # of the identity, as the noise of all rotations is the same
        return np.broadcast_to(np.eye(3), outputs.shape), outputs

    stated = calibration, "per_unit", stated, certified, kappa, 3, distance
    return Case(name, *stated, draw, detail, uniform_pairs=uniform_pairs)


def _shifted(sampler, distance):
    """Noise around the origin, and around a point at this distance."""

    def draw(which, count, rng):
        outputs = sampler(count, rng=rng)
        outputs[:, 0] += distance * which
        return outputs

    return draw
