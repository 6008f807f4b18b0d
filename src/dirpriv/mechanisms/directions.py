"""Mechanisms of directions, and of points in space, that a paper has or that a distribution here gives."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import angles, units, validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, FloatOrArray, ReleaseRNG
from dirpriv.distributions.cardioid import Cardioid, concentration_at_sinh
from dirpriv.distributions.clipped_laplace import ClippedLaplace
from dirpriv.distributions.planar_laplace import PlanarLaplace
from dirpriv.distributions.polar_laplace import PolarLaplace
from dirpriv.distributions.purkayastha import Purkayastha
from dirpriv.distributions.vector_laplace import VectorLaplace
from dirpriv.distributions.von_mises_fisher import VonMisesFisher
from dirpriv.distributions.wrapped_laplace import WrappedLaplace, concentration_at_fall, concentration_at_slope
from dirpriv.mechanisms.base import PUBLISHED, CalibrationRule, Mechanism, same


class PurkayasthaMechanism(Mechanism):
    """Purkayastha mechanism: ε·d∡-private with κ = ε (Theorem 19); no such mechanism has smaller angles.

    Examples
    --------
    >>> from dirpriv.mechanisms import PurkayasthaMechanism
    >>> PurkayasthaMechanism(1.5, dim=3).noise
    Purkayastha(dim=3, kappa=1.5)
    """

    noise_type = Purkayastha
    tight = PUBLISHED
    published = PUBLISHED


class VonMisesFisherMechanism(Mechanism):
    """Von Mises-Fisher mechanism: ε·d∡-private with κ = ε (Corollary 16), pure 2κ.

    The calibrations differ in :meth:`pure`: κ = ε/2 is tight, κ = ε/π published.

    Examples
    --------
    >>> from dirpriv.mechanisms import VonMisesFisherMechanism
    >>> [round(VonMisesFisherMechanism.pure(1.0, calibration=c).noise.kappa, 3) for c in ("tight", "published")]
    [0.5, 0.318]
    """

    noise_type = VonMisesFisher
    tight = CalibrationRule(metric=same, pure=lambda epsilon: epsilon / 2.0)  # max - min of κ cos θ is 2κ, not κπ
    published = PUBLISHED


class WrappedLaplaceMechanism(Mechanism):
    """Wrapped Laplace mechanism, on the circle: the best adapted baseline (Section 3.6.2).

    The tight calibration has κ tanh κπ = ε, and the published calibration has κ = ε.

    Examples
    --------
    >>> from dirpriv.mechanisms import WrappedLaplaceMechanism
    >>> WrappedLaplaceMechanism(1.0, calibration="published").noise
    WrappedLaplace(kappa=1.0)
    """

    noise_type = WrappedLaplace
    tight = CalibrationRule(metric=concentration_at_slope, pure=concentration_at_fall)
    published = PUBLISHED
    only_dim = 2


class CardioidMechanism(Mechanism):
    """Cardioid mechanism: density 1 + c cos θ, pure ε with c = tanh(ε/2), and sinh(ε/2) per radian.

    Examples
    --------
    >>> from dirpriv.mechanisms import CardioidMechanism
    >>> mechanism = CardioidMechanism.pure(1.0)
    >>> mechanism.noise, round(mechanism.guarantee.metric_level, 4)
    (Cardioid(dim=2, kappa=1.0), 0.5211)
    """

    noise_type = Cardioid
    tight = CalibrationRule(metric=concentration_at_sinh, pure=same)


class ClippedLaplaceMechanism(Mechanism):
    """Clipped Laplace mechanism, on the circle: no metric guarantee across its seam (Section 3.6.1).

    Only the published calibration takes a level per radian, which does not hold. :meth:`pure` has both: tight
    is κ = ε/2π, published κ = ε/π.

    Examples
    --------
    >>> from dirpriv.mechanisms import ClippedLaplaceMechanism
    >>> ClippedLaplaceMechanism.pure(1.0).guarantee.pure_level
    1.0
    """

    noise_type = ClippedLaplace
    tight = CalibrationRule(
        metric="the clipped Laplace mechanism has no metric guarantee at any concentration: angles just "
        "above 0 and just below 2π are neighbours and lose 2πκ. Use .pure(...), or calibration='published' "
        "to reproduce the paper",
        pure=lambda epsilon: epsilon / (2.0 * np.pi),
    )
    published = PUBLISHED
    only_dim = 2


_NO_POLAR_LEVEL = (
    "the polar Laplace mechanism has no guarantee at any concentration, metric or pure: its density is "
    "unbounded at the antipode and at the mode. Use calibration='published' to reproduce the paper, or "
    "PurkayasthaMechanism, which keeps the promise"
)


class PolarLaplaceMechanism(Mechanism):
    """Polar Laplace mechanism, on the sphere: no guarantee at any concentration (Section 3.6.3).

    Planar Laplace noise walked along great circles. Its density is unbounded at the antipode and at the mode.
    Only the ``"published"`` calibrations exist, κ = ε and κ = ε/π, to reproduce the paper.

    Examples
    --------
    >>> from dirpriv.mechanisms import PolarLaplaceMechanism
    >>> mechanism = PolarLaplaceMechanism(epsilon=2.0, calibration="published")
    >>> mechanism.noise, mechanism.guarantee.metric_level
    (PolarLaplace(kappa=2.0), inf)
    """

    noise_type = PolarLaplace
    tight = CalibrationRule(metric=_NO_POLAR_LEVEL, pure=_NO_POLAR_LEVEL)
    published = PUBLISHED
    default_dim = only_dim = 3


_IN_SPACE = CalibrationRule(
    metric=same,
    pure="noise in R^d has no pure guarantee, as two points can be any distance apart; where they are at "
    "most Δ apart, use .within(level=epsilon, radius=Δ)",
)


class VectorLaplaceMechanism(Mechanism):
    """Vector-valued Laplace mechanism in R^d: ε·d-private for the Euclidean distance with κ = ε.

    Noise with the density exp(-κ ‖z‖) is added to points, which need not be unit vectors. Both calibrations
    are the same, as the slope of the log-density is κ everywhere. There is no pure level, as points can be
    any distance apart: :meth:`pure` raises an error. Where they are at most a diameter Δ apart (the mean of n
    vectors of [0, 1]^d changes by at most √d/n), ``within(level=ε, radius=Δ)`` is ε-differentially private.

    Examples
    --------
    >>> from dirpriv.mechanisms import VectorLaplaceMechanism
    >>> mechanism = VectorLaplaceMechanism.within(level=1.0, radius=0.5, dim=4)
    >>> mechanism.noise, mechanism.guarantee.level_at(0.5)
    (VectorLaplace(dim=4, kappa=2.0), 1.0)
    """

    _radius_kinds: ClassVar[tuple[str, ...]] = ()
    noise_type = VectorLaplace
    tight = _IN_SPACE
    published = _IN_SPACE

    def randomise(self, x: ArrayLike, *, rng: ReleaseRNG = None) -> Array:
        noisy = self._randomised("x", x, rng)
        _refuse_degrees(self.noise, x)
        return noisy


class PlanarLaplaceMechanism(VectorLaplaceMechanism):
    """Planar Laplace mechanism in R²: geo-indistinguishability, κ = ε per unit of length.

    The mechanism of Andrés et al. (2013). :meth:`randomise` takes points of the plane;
    :meth:`randomise_places` takes latitude and longitude, with ε per metre. On the globe the guarantee is
    that of the plane, except for noise that passes the antipode; see :class:`dirpriv.distributions.PlanarLaplace`.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.mechanisms import PlanarLaplaceMechanism
    >>> mechanism = PlanarLaplaceMechanism.within(level=np.log(4), radius=200.0)
    >>> round(mechanism.noise.mean_radius())
    289
    >>> latitude, longitude = mechanism.randomise_places([40.75, 48.86], [-73.98, 2.35])
    >>> latitude.shape
    (2,)
    """

    noise_type = PlanarLaplace  # type: ignore[assignment]
    only_dim = 2
    _radius_kinds = units.LENGTH

    def randomise_places(
        self, latitude: ArrayLike, longitude: ArrayLike, *, rng: ReleaseRNG = None
    ) -> tuple[FloatOrArray, FloatOrArray]:
        rng = validate.release_generator(rng)
        places = self.noise.rvs_places(angles.pairs(latitude, longitude), rng=rng)
        return places[..., 0][()], places[..., 1][()]


def _refuse_degrees(noise: Any, points: Any) -> None:
    """Raise an error for points that look like degrees, where the noise looks like metres."""
    if not isinstance(noise, PlanarLaplace) or noise.mean_radius() < 10.0:  # shorter, it may be no metres
        return
    sizes = np.abs(np.asarray(points, dtype=float)).reshape(-1, 2).max(axis=0, initial=0.0)
    if sizes[0] <= 90.0 and sizes[1] <= 180.0 and sizes.max() > 1.0:
        hint = "randomise_places takes them. For points of a plane so near to its origin, "
        hint += "draw with mechanism.noise.rvs(x), or move the origin"
        raise InvalidArgument("x", "looks like latitude and longitude in degrees, all rows of it", hint=hint)
