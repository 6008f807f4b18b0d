"""Base of the distributions of rotations: the angle (:mod:`dirpriv.distributions.shared.colatitude`), a uniform axis.

The density is exp(f(θ)) with respect to Haar measure, θ = φ₆ the angle from the mode, so that of the angle is
sin²(θ/2) exp(f(θ)), both up to a constant (Hildebrandt, Schömer and Hildebrandt 2025, Section 3.3).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import scipy  # which imports its submodules where they are first used
from numpy.typing import ArrayLike

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import RNG, Array, FloatOrArray, RotationOrBatch, Size
from dirpriv.distributions.rotations.angle_sampling import draw_haar
from dirpriv.distributions.sampling.directions import draw_in_blocks
from dirpriv.distributions.shared import loss_distribution
from dirpriv.distributions.shared.base import scalar_or_array, shape_around
from dirpriv.distributions.shared.colatitude import Angle, ColatitudeDistribution, FlatKernel
from dirpriv.distributions.shared.spherical import on_sphere
from dirpriv.geometry import rotation_distances as metrics
from dirpriv.geometry.spaces import ROTATIONS


class RotationDistribution(ColatitudeDistribution):
    """Base of the distributions of rotations whose log kernel is continuous and falls with the angle.

    Parameters
    ----------
    kappa : float
        One finite concentration κ ≥ 0, else a ValueError; 0 is the uniform distribution.
    """

    space = ROTATIONS
    _likeliest_mode: ClassVar[str] = ""  # of a sample: "eigenvector", of the mean square, or by a search
    _log_area = float(np.log(2.0 / np.pi))

    def __init__(self, kappa: float) -> None:
        self._set(kappa=validate.one_concentration(kappa))

    @property
    def _uniform(self) -> ColatitudeDistribution:
        return UNIFORM

    def _bearings(self) -> tuple[Any, Any]:
        return on_sphere(3), loss_distribution.away_of_rotations

    @classmethod
    def fit(cls, rotations: RotationOrBatch) -> tuple[RotationOrBatch, Self]:
        """Mode and distribution of maximum likelihood, as :meth:`dirpriv.distributions.VonMisesFisher.fit`.

        Parameters
        ----------
        rotations : scipy.spatial.transform.Rotation
            Independent draws of the distribution, two or more.

        Examples
        --------
        >>> from scipy.spatial.transform import Rotation
        >>> from dirpriv.distributions import RotationBingham
        >>> draws = RotationBingham(kappa=50.0).rvs(Rotation.from_rotvec([0.0, 0.0, 1.0]), 10_000, rng=1)
        >>> mode, distribution = RotationBingham.fit(draws)
        >>> mode.as_rotvec().round(2).tolist(), round(distribution.kappa)
        ([0.0, 0.0, 1.0], 50)
        """
        from dirpriv.distributions.shared import fit as _fit  # here, as few need it

        return _fit.fit_rotations(cls, rotations)

    @abstractmethod
    def _half_peak(self) -> tuple[float, float]:
        """Sine and cosine of half of the angle with the highest angle density."""

    def _peak_angle(self) -> Angle:
        sine, cosine = self._half_peak()
        return Angle(2.0 * np.arctan2(sine, cosine), 2.0 * np.arctan2(cosine, sine))

    def _log_element_change(self, at: Angle, shift: FloatOrArray, there: FloatOrArray = None) -> FloatOrArray:
        """The logarithm of the ratio of two sines, taken of their difference where they are near."""
        with np.errstate(divide="ignore", invalid="ignore"):
            change = _half_cotangent(at) * np.sin(0.5 * shift) - 2.0 * np.sin(0.25 * shift) ** 2
            near = np.log1p(np.maximum(change, -0.5))
            there = np.maximum(at.from_zero + shift, 0.0) if there is None else there
            far = np.log(np.sin(0.5 * there) / np.sin(0.5 * at.from_zero))
        return 2.0 * np.where(change >= -0.5, near, far)

    def _log_element_slope_and_bend(self, at: Angle) -> tuple[FloatOrArray, FloatOrArray]:
        with np.errstate(divide="ignore"):
            return _half_cotangent(at), 0.5 / np.sin(0.5 * at.from_zero) ** 2

    def _log_element_at_peak(self) -> float:
        return 2.0 * np.log(self._half_peak()[0])

    @abstractmethod
    def _draw_block(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        """Exact draws of the angle."""

    def _draw_angles(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        return draw_in_blocks(size, lambda count: self._draw_block(count, kappa, rng))

    def radius(self, p: ArrayLike) -> FloatOrArray:
        """Radius of indistinguishability ρ(p): the radians within which a share ``p`` of the draws stays.

        Hildebrandt, Schömer and Hildebrandt (2025), Definition 4; the same as :meth:`angle_ppf`.

        Parameters
        ----------
        p : array_like
            Probabilities.
        """
        return self.angle_ppf(p)

    def log_normalizer(self) -> float:
        """Logarithm of ∫ exp(f(θ) - f(0)) over the Haar probability measure: the kernel is 1 at the mode."""
        return float(self._log_area + self._log_angle_normalizer)

    def logpdf(self, rotation: RotationOrBatch, mode: RotationOrBatch) -> FloatOrArray:
        """Log-density with respect to the Haar probability measure, of which the uniform distribution has 0.

        Parameters
        ----------
        rotation, mode : scipy.spatial.transform.Rotation
            One rotation or many each; broadcast against each other.
        """
        theta = np.asarray(metrics.phi6(rotation, mode))
        return scalar_or_array(self._log_kernel(theta) - self.log_normalizer())

    def pdf(self, rotation: RotationOrBatch, mode: RotationOrBatch) -> FloatOrArray:
        """Density with respect to the Haar probability measure; see :meth:`logpdf`.

        Parameters
        ----------
        rotation, mode : scipy.spatial.transform.Rotation
            As there.
        """
        return scalar_or_array(np.exp(self.logpdf(rotation, mode)))

    def _inputs(self, name: str, rotation: Any) -> RotationOrBatch:
        return metrics.checked(name, rotation)

    def rvs(self, rotation: RotationOrBatch, size: Size | None = None, *, rng: RNG = None) -> RotationOrBatch:
        """Exact draws of rotations around ``rotation``.

        They are ``rotation * noise``: the noise, by a drawn angle about a uniform axis, is applied first.
        ``noise * rotation`` would have the same distribution. Around the identity the draws keep all digits of a tiny
        angle; around another rotation a stored quaternion resolves angles to 1e-16 rad.

        Parameters
        ----------
        rotation : scipy.spatial.transform.Rotation
            One mode, or a batch of modes of any shape.
        size : int or tuple of int, optional
            Shape of the draws around a single mode; ``None`` gives one around each, in their order and shape.
        rng : None, int, SeedSequence, BitGenerator or Generator, keyword-only
            As for :meth:`dirpriv.distributions.VonMisesFisher.rvs`.
        """
        rotation = self._inputs("rotation", rotation)
        shape = shape_around("rotation", "rotation", metrics.shape_of(rotation), size)
        rng = validate.generator(rng)
        noise = rotation_about_uniform_axis(np.asarray(self.angle_rvs(shape, rng=rng)), rng)
        return rotation * noise


def _half_cotangent(at: Angle) -> FloatOrArray:
    """The cotangent of half of the angle, exact at tiny angles too."""
    return np.where(at.from_zero <= at.from_pi, 1.0 / np.tan(0.5 * at.from_zero), np.tan(0.5 * at.from_pi))


def rotation_about_uniform_axis(theta: Array, rng: np.random.Generator) -> RotationOrBatch:
    """Rotations by the angles ``theta`` about uniform axes, to the last digit of a tiny angle."""
    quaternions = np.empty((*theta.shape, 4))
    axis = rng.standard_normal((*theta.shape, 3))
    square = np.einsum("...i,...i->...", axis, axis)
    half = 0.5 * theta
    quaternions[..., :3] = axis * (np.sin(half) / np.sqrt(square))[..., None]
    quaternions[..., 3] = np.cos(half)
    try:
        return scipy.spatial.transform.Rotation.from_quat(quaternions)
    except ValueError as error:
        if theta.ndim < 2:
            raise
        raise InvalidArgument(
            f"a batch of rotations of shape {theta.shape} needs SciPy 1.17 or newer; this is "
            f"{scipy.__version__}. Draw {theta.size} of them with one axis, or update SciPy"
        ) from error


class RotationUniform(FlatKernel, RotationDistribution):
    """Uniform distribution on SO(3), the Haar probability measure: angle density (2/π) sin²(θ/2).

    Examples
    --------
    >>> from dirpriv.distributions import RotationUniform
    >>> round(RotationUniform().mean_angle(), 4)  # π/2 + 2/π
    2.2074
    """

    def __init__(self) -> None:
        super().__init__(0.0)

    def _half_peak(self) -> tuple[float, float]:
        return 1.0, 0.0

    def _draw_block(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        return draw_haar(size, rng)


UNIFORM = RotationUniform()
