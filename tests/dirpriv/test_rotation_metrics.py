"""Distances of rotations: the definitions, the identities, and no digits lost."""

import numpy as np
import pytest
from scipy.linalg import logm
from scipy.spatial.transform import Rotation

from dirpriv.geometry import rotation_distances

FIRST, SECOND, THIRD = (Rotation.random(200, rng=seed) for seed in (1, 2, 3))


def dot():
    return np.abs(np.sum(FIRST.as_quat() * SECOND.as_quat(), axis=1))


def test_definitions():
    """Each as the paper writes it (Eqs. 1 to 4 and 12)."""
    p, q = FIRST.as_quat(), SECOND.as_quat()
    shorter = np.minimum(np.linalg.norm(p - q, axis=1), np.linalg.norm(p + q, axis=1))
    assert np.allclose(rotation_distances.phi2(FIRST, SECOND), shorter, rtol=1e-13, atol=0.0)
    assert np.allclose(rotation_distances.phi3(FIRST, SECOND), np.arccos(dot()), rtol=1e-9, atol=0.0)
    assert np.allclose(rotation_distances.phi4(FIRST, SECOND), 1.0 - dot(), rtol=1e-9, atol=0.0)
    matrices = FIRST.as_matrix() @ np.swapaxes(SECOND.as_matrix(), 1, 2)
    chord = np.linalg.norm(np.eye(3) - matrices, axis=(1, 2))
    assert np.allclose(rotation_distances.phi5(FIRST, SECOND), chord, rtol=1e-12, atol=0.0)
    assert np.allclose(
        rotation_distances.phi5_prime(FIRST, SECOND), 2 * np.sqrt(2 * (1 - dot() ** 2)), rtol=1e-9, atol=0.0
    )
    assert np.allclose(
        rotation_distances.phi5_prime(FIRST, SECOND), rotation_distances.phi5(FIRST, SECOND), rtol=1e-14, atol=0.0
    )
    generators = [logm(matrix).real for matrix in matrices[:5]]
    length = [np.linalg.norm([g[2, 1], g[0, 2], g[1, 0]]) for g in generators]
    assert np.allclose(rotation_distances.phi6(FIRST, SECOND)[:5], length, rtol=1e-10, atol=0.0)
    assert np.allclose(rotation_distances.phi6(FIRST, SECOND), (FIRST.inv() * SECOND).magnitude(), rtol=1e-13, atol=0.0)


def test_the_three_phis_of_the_paper():
    """Section 2.2 and Appendix F: φ'₅; Definition 1: φ₂; the proof of Theorem 1: half of φ'₅."""
    theta = rotation_distances.phi6(FIRST, SECOND)
    definition_1, proof = np.sqrt(2 * (1 - dot())), np.sqrt(2 * (1 - dot() ** 2))
    assert np.allclose(definition_1, rotation_distances.phi2(FIRST, SECOND), rtol=1e-9, atol=0.0)
    assert np.allclose(definition_1, 2 * np.sin(theta / 4), rtol=1e-9, atol=0.0)
    assert np.allclose(2 * proof, rotation_distances.phi5_prime(FIRST, SECOND), rtol=1e-9, atol=0.0)
    assert np.allclose(proof, np.sqrt(2) * np.sin(theta / 2), rtol=1e-9, atol=0.0)
    assert not np.allclose(definition_1, rotation_distances.phi5_prime(FIRST, SECOND), rtol=0.1, atol=0.0)


def test_which_are_metrics():
    for distance in (
        rotation_distances.phi2,
        rotation_distances.phi3,
        rotation_distances.phi5,
        rotation_distances.phi5_prime,
        rotation_distances.phi6,
    ):
        sides = distance(FIRST, SECOND) + distance(SECOND, THIRD)
        assert np.all(distance(FIRST, THIRD) <= sides * (1 + 1e-14))
        assert np.allclose(distance(FIRST, SECOND), distance(SECOND, FIRST), rtol=1e-15, atol=0.0)
        assert np.allclose(distance(THIRD * FIRST, THIRD * SECOND), distance(FIRST, SECOND), rtol=1e-13, atol=0.0)
    step = [Rotation.from_rotvec([0.0, 0.0, angle]) for angle in (0.0, 0.5, 1.0)]
    apart = rotation_distances.phi4(step[0], step[2])
    assert apart > 1.9 * (rotation_distances.phi4(step[0], step[1]) + rotation_distances.phi4(step[1], step[2]))


@pytest.mark.parametrize("angle", [1e-9, 1e-12, 1e-200, 1.0, np.pi - 1e-9, np.pi])
def test_angles_keep_their_digits(angle):
    """A rotation by 1e-9 is measured as 1e-9, to the last digit around the identity."""
    turned = Rotation.from_quat([0.0, 0.6 * np.sin(angle / 2), -0.8 * np.sin(angle / 2), np.cos(angle / 2)])
    identity = Rotation.identity()
    assert abs(rotation_distances.phi6(identity, turned) / angle - 1.0) <= 4e-16
    assert abs(rotation_distances.phi3(turned, identity) / (angle / 2) - 1.0) <= 4e-16
    assert abs(rotation_distances.phi2(turned, identity) / (2 * np.sin(angle / 4)) - 1.0) <= 4e-16
    assert abs(rotation_distances.phi5_prime(identity, turned) / (np.sqrt(8) * np.sin(angle / 2)) - 1.0) <= 4e-16
    naive = 2.0 * np.arccos(min(1.0, abs(turned.as_quat()[3])))
    assert angle > 1e-8 or naive == 0.0  # what the arc cosine makes of it


def test_tiny_distances_far_from_the_identity():
    """Stored quaternions resolve 1e-16 rad; nothing is lost beyond that, nor to a sign."""
    turn = Rotation.from_rotvec([0.0, 0.0, 1e-9])
    distance = rotation_distances.phi6(FIRST, FIRST * turn)
    assert np.abs(distance - 1e-9).max() < 5e-16
    negative = Rotation.from_quat(-(FIRST * turn).as_quat())
    assert np.abs(rotation_distances.phi6(FIRST, negative) - distance).max() < 3e-16
    assert np.all(rotation_distances.phi6(FIRST, FIRST) == 0.0)


def test_batches_broadcast():
    assert (
        rotation_distances.phi6(FIRST[0], SECOND).shape == (200,)
        and np.ndim(rotation_distances.phi2(FIRST[0], SECOND[0])) == 0
    )
    assert rotation_distances.phi5(FIRST[:1], SECOND).shape == (200,)
