"""Identities and distances of the SO(3) paper at random arguments, each as the paper writes it."""

import numpy as np
import pandas as pd
from scipy.spatial.transform import Rotation

from dirpriv import geometry
from dirpriv.geometry import rotation_distances
from study.papers.rotations import axis, distances, left_matrix, right_matrix

STEP = 1e-30  # of derivatives by a complex step, which have no cancellation


def sides(draws, rng):
    """Both sides of every identity, by name, each with an entry for every draw along its first axis.

    Of Eqs. 17-19 (``axis``) these are the area |∂n/∂z × ∂n/∂ψ| on the sphere for a unit of (z, ψ), and 1.
    """
    p, q, r = _unit(rng.standard_normal((3, draws, 4)))
    x, y = rng.standard_normal((2, draws, 4))
    a = rng.standard_normal((draws, 4, 4))
    a = a + a.swapaxes(1, 2)
    pair = np.stack([left_matrix(p), right_matrix(p)], axis=1)
    radius, z, psi = rng.uniform([[0.5], [-1.0], [0.0]], [[2.0], [1.0], [2.0 * np.pi]], (3, draws))
    cosine = _dot(radius[:, None] * p, radius[:, None] * q) / radius**2
    slopes = axis(z + 1j * STEP, psi).imag / STEP, axis(z, psi + 1j * STEP).imag / STEP
    return {
        "product": (_times(left_matrix(x), y), _times(right_matrix(y), x)),
        "orthogonal": (pair.swapaxes(2, 3) @ pair, np.eye(4)),
        "arc": (radius * np.arccos(cosine), radius * geometry.angle_between_vectors(p, q)),
        "axis": (np.linalg.norm(np.cross(*slopes), axis=1), 1.0),
        "p1": (_dot(x - y, _times(a, x + y)), _dot(x, _times(a, x)) - _dot(y, _times(a, y))),
        "p2": (_dot(_times(left_matrix(p), r), _times(left_matrix(q), r)), _dot(p, q)),
        "p3": (_dot(p - q, p - q) * _dot(p + q, p + q), 4.0 * (1.0 - _dot(p, q) ** 2)),
    }


def compare(draws, rng):
    """The largest absolute difference of the two sides of every identity, a row for each draw."""
    return pd.concat([
        pd.DataFrame(dict(
            experiment="rotation_forms", form=name, draw=np.arange(draws),
            difference=np.abs(left - right).reshape(draws, -1).max(axis=1),
        ))
        for name, (left, right) in sides(draws, rng).items()
    ])  # fmt: skip


def compare_distances(angles, rng):
    """Every distance at ascending angles above 0, each angle between another random pair of rotations.

    ``over_angle`` is the distance over the angle, ``step`` its growth from the angle before. ``excess`` is by
    how much it is longer than the way over the rotation in the middle; of a metric it is at most 0.
    """
    first = Rotation.random(len(angles), rng)
    turns = angles[:, None] * _unit(rng.standard_normal((len(angles), 3)))
    middle, second = (Rotation.from_rotvec(share * turns) * first for share in (0.5, 1.0))
    ways = distances(first, middle), distances(middle, second)
    table = pd.concat([
        pd.DataFrame(dict(
            experiment="rotation_forms", metric=name, angle=angles, printed=printed,
            exact=getattr(rotation_distances, name)(first, second), over_angle=printed / angles,
            step=np.diff(printed, prepend=0.0), excess=printed - ways[0][name] - ways[1][name],
        ))
        for name, printed in distances(first, second).items()
    ])  # fmt: skip
    return table.assign(difference=table["printed"] - table["exact"])


def _unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def _dot(x, y):
    return np.einsum("ni,ni->n", x, y)


def _times(matrices, vectors):
    return np.einsum("nij,nj->ni", matrices, vectors)
