"""People whose directions have a mean vector of a given length, for plans and simulated surveys."""

import numpy as np
from scipy.special import ive

from dirpriv import distributions, geometry
from dirpriv._lib.types import Array


def distribution_of(resultant: float, dim: int) -> distributions.VonMisesFisher:
    """The von Mises-Fisher distribution with a mean vector of this length: a ratio of Bessel functions, bisected."""
    half, low, high = dim / 2.0, 0.0, 1.0
    while ive(half, high) / ive(half - 1.0, high) < resultant:
        low, high = high, 2.0 * high
    for _ in range(80):
        kappa = (low + high) / 2.0
        below = ive(half, kappa) / ive(half - 1.0, kappa) < resultant
        low, high = (kappa, high) if below else (low, kappa)
    return distributions.VonMisesFisher(dim, (low + high) / 2.0)


def directions(resultant: float, dim: int) -> Array | None:
    """Directions that stand for those of the people, spread as evenly as their distribution; None if all are equal."""
    if resultant == 1.0:
        return None
    angles = np.asarray(distribution_of(resultant, dim).angle_ppf((np.arange(256) + 0.5) / 256.0))
    north, across = np.eye(dim)[0], np.eye(dim)[1:]
    axes = np.concatenate([across, -across])  # whose second moments are those of all directions
    turned = np.cos(angles)[:, None, None] * north + np.sin(angles)[:, None, None] * axes
    return turned.reshape(-1, dim)


def draws(resultant: float, dim: int, people: int, rng: np.random.Generator) -> Array:
    """Directions of this many people."""
    north = np.eye(dim)[0]
    if resultant == 1.0:
        return np.broadcast_to(north, (people, dim))
    return distribution_of(resultant, dim).rvs(north, people, rng=rng)


def turned(vectors: Array, probabilities: Array, rng: np.random.Generator) -> Array:
    """Directions on the circle, each turned by a number of equal cells of these probabilities."""
    cells = rng.choice(len(probabilities), len(vectors), p=probabilities)
    angles = geometry.vectors_to_angles(vectors) + 2.0 * np.pi * cells / len(probabilities)
    return np.asarray(geometry.angles_to_vectors(angles))
