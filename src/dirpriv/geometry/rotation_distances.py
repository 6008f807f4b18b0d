"""Distances of rotations, by the names of Huynh (2009) that the SO(3) paper uses.

With θ the angle of the rotation that turns one into the other:

======== ============================= ===================== =======
name     as the paper defines it       in θ                  largest
======== ============================= ===================== =======
φ₂       min(‖q₁ - q₂‖, ‖q₁ + q₂‖)     2 sin(θ/4)            √2
φ₃       arccos |q₁·q₂|                θ/2                   π/2
φ₄       1 - |q₁·q₂|                   2 sin²(θ/4)           1
φ₅       ‖I - R₁R₂ᵀ‖_F                 2√2 sin(θ/2)          2√2
φ'₅      2 √(2(1 - |q₁·q₂|²))          2√2 sin(θ/2)          2√2
φ₆       ‖log R₁R₂ᵀ‖                   θ                     π
======== ============================= ===================== =======

(Hildebrandt, Schömer and Hildebrandt 2025, Eqs. 1-4 and Eq. 12.) φ₄ is no metric: it fails the triangle
inequality. φ₅ is the *chordal* metric, the straight-line distance of the two matrices.

**The paper has three different Φ.** Section 2.2 calls φ'₅ = 2√2 sin(θ/2) by that name, and so does Appendix
F. Definition 1 introduces Φ = √(2(1 - |q₁·q₂|)) = 2 sin(θ/4), says that it is φ'₅, but it is φ₂. The last
line of the proof of Theorem 1 reads Φ = √(2(1 - |q₁·q₂|²)) = √2 sin(θ/2), half of φ'₅. So the theorem's bound
√2 ε Φ is 4ε sin(θ/2), 2√2 ε sin(θ/4) or 2ε sin(θ/2); what the proof shows is the last. The tight one is
ε sin(θ/2), see :class:`dirpriv.distributions.RotationBingham`.

Every function takes rotations, one or a batch each, and broadcasts. The relative rotation is taken of the
*difference* of the two quaternions, so a distance of 1e-9, or 1e-200 around the identity, keeps its digits.
"""

from typing import Any

import numpy as np
import scipy  # which imports its submodules where they are first used

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, FloatOrArray, RotationOrBatch

__all__ = ["phi2", "phi3", "phi4", "phi5", "phi5_prime", "phi6"]


def phi2(first: RotationOrBatch, second: RotationOrBatch) -> FloatOrArray:
    """φ₂ = min(‖q₁ - q₂‖, ‖q₁ + q₂‖) = 2 sin(θ/4): Eq. 1; the Φ of the paper's Definition 1.

    Parameters
    ----------
    first, second : scipy.spatial.transform.Rotation
        One or a batch each; broadcast against each other.

    Examples
    --------
    >>> from scipy.spatial.transform import Rotation
    >>> from dirpriv.geometry import rotation_distances
    >>> float(rotation_distances.phi2(Rotation.identity(), Rotation.from_rotvec([0.0, 0.0, 2e-9])))
    1e-09
    """
    return 2.0 * np.sin(0.25 * phi6(first, second))


def phi3(first: RotationOrBatch, second: RotationOrBatch) -> FloatOrArray:
    """φ₃ = arccos |q₁·q₂| = θ/2: the distance of the quaternions on S³ up to sign (Eq. 12).

    Parameters
    ----------
    first, second : scipy.spatial.transform.Rotation
        One rotation or a batch each, as of :func:`phi2`.
    """
    return 0.5 * phi6(first, second)


def phi4(first: RotationOrBatch, second: RotationOrBatch) -> FloatOrArray:
    """φ₄ = 1 - |q₁·q₂| = 2 sin²(θ/4): Eq. 2, without the difference's loss of digits. Not a metric.

    Parameters
    ----------
    first, second : scipy.spatial.transform.Rotation
        One rotation or a batch each, as of :func:`phi2`.
    """
    return 2.0 * np.sin(0.25 * phi6(first, second)) ** 2


def phi5(first: RotationOrBatch, second: RotationOrBatch) -> FloatOrArray:
    """φ₅ = ‖I - R₁R₂ᵀ‖_F = 2√2 sin(θ/2): Eq. 3, the chordal metric.

    Parameters
    ----------
    first, second : scipy.spatial.transform.Rotation
        One rotation or a batch each, as of :func:`phi2`.
    """
    return np.sqrt(8.0) * np.sin(0.5 * phi6(first, second))


def phi5_prime(first: RotationOrBatch, second: RotationOrBatch) -> FloatOrArray:
    """φ'₅ = 2 √(2(1 - |q₁·q₂|²)): φ₅ in quaternions, the same distance; the Φ of Section 2.2, Appendix F.

    Parameters
    ----------
    first, second : scipy.spatial.transform.Rotation
        One rotation or a batch each, as of :func:`phi2`.
    """
    vector, _ = _relative(first, second)
    return np.sqrt(8.0) * vector


def phi6(first: RotationOrBatch, second: RotationOrBatch) -> FloatOrArray:
    """φ₆ = ‖log R₁R₂ᵀ‖ = θ: Eq. 4, the angle in radians between two rotations, their distance on the group.

    Parameters
    ----------
    first, second : scipy.spatial.transform.Rotation
        One rotation or a batch each, as of :func:`phi2`.

    Examples
    --------
    >>> from scipy.spatial.transform import Rotation
    >>> from dirpriv.geometry import rotation_distances
    >>> float(rotation_distances.phi6(Rotation.identity(), Rotation.from_rotvec([1e-9, 0.0, 0.0])))
    1e-09
    """
    vector, scalar = _relative(first, second)
    return 2.0 * np.arctan2(vector, scalar)


def checked(name: str, rotation: Any) -> RotationOrBatch:
    """The rotation, if it is one; an error names the argument."""
    if not isinstance(rotation, scipy.spatial.transform.Rotation):
        rule = f"must be a scipy.spatial.transform.Rotation; got {type(rotation).__name__}"
        raise InvalidArgument(name, rule, hint="make one, for example by Rotation.from_matrix or Rotation.from_quat")
    return rotation


def shape_of(rotation: RotationOrBatch) -> tuple[int, ...]:
    """Shape of a batch of rotations, () for one; ``Rotation.shape`` came with SciPy 1.17."""
    if hasattr(rotation, "shape"):
        return rotation.shape
    return () if rotation.single else (len(rotation),)


def _relative(first: RotationOrBatch, second: RotationOrBatch) -> tuple[Array, Array]:
    """Norm of the vector part, and absolute scalar part, of the relative quaternion conj(p) q.

    The vector part is that of conj(p) (q - p), which loses nothing where the two are near.
    """
    p, q = checked("first", first).as_quat(), checked("second", second).as_quat()
    scalar = np.einsum("...i,...i->...", p, q)
    d = np.where(scalar < 0.0, -1.0, 1.0)[..., None] * q - p
    v, w = p[..., :3], p[..., 3:]
    vector = w * d[..., :3] - d[..., 3:] * v - np.cross(v, d[..., :3])
    # no squares: they underflow below 1e-154
    norm = np.hypot(np.hypot(vector[..., 0], vector[..., 1]), vector[..., 2])
    return norm, np.abs(scalar)
