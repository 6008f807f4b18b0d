"""The mechanisms with the smallest expected loss for their promise: cap, trapezoid, staircase."""

from typing import Literal, Self

from dirpriv._inputs import validate
from dirpriv._lib.types import Purpose, WithUnit
from dirpriv.distributions import optimal_widths
from dirpriv.distributions.piecewise.families import Cap, Staircase, Trapezoid
from dirpriv.geometry.spaces import CIRCLE
from dirpriv.mechanisms.base import CalibrationRule, How, Mechanism, same


class BestCapMechanism(Mechanism):
    """Base of the mechanisms that draw from a cap."""

    tight = CalibrationRule(
        metric="a cap promises nothing per radian: its density jumps, and inputs on both sides of an "
        "output's border lose all of its level, however near they are. Use .pure(epsilon), or a staircase "
        "for a level within a radius",
        pure=same,
    )

    @classmethod
    def pure(
        cls, epsilon: float, *, purpose: Purpose = "mean", dim: int | None = None, calibration: How = "tight"
    ) -> Self:
        """Mechanism of pure ε-differential privacy that is the best for a purpose.

        See H. Asi, V. Feldman, K. Talwar, "Optimal algorithms for mean estimation under local differential privacy",
        ICML 2022, and for subset selection M. Ye, A. Barg, "Optimal schemes for discrete distribution estimation under
        locally differential privacy", IEEE Transactions on Information Theory 64 (2018) 5662-5676.

        Parameters
        ----------
        epsilon : float
            ε.
        purpose : {"mean", "one direction", "angle", "histogram"}, keyword-only
            What the half angle is best for. ``"mean"``: the length of the mean of many outputs (largest E cos
            θ). ``"one direction"``: the fewest outputs for the mean direction of inputs that are all the same
            (smallest E sin² θ/ρ², ρ the length of the mean). ``"angle"``: the angle of one output (smallest E
            θ). ``"histogram"``: a cap with a share of 1/(e^ε + 1) of the space, as of subset selection.
        dim, calibration : optional, keyword-only
            As for the class.

        Raises
        ------
        ValueError
            If the level is not positive and finite or the purpose unknown, or if the best half angle is too
            small for doubles (a level above about 690 for a histogram on the circle).

        Examples
        --------
        >>> from dirpriv.mechanisms import CapMechanism
        >>> round(CapMechanism.pure(1.0).noise.mean_cosine(), 4)
        0.3083
        >>> round(CapMechanism.pure(1.0, purpose="angle").noise.half_angle, 3)  # π/(e^(1/2) + 1)
        1.186
        """
        epsilon = validate.positive("epsilon", epsilon)
        make, _ = cls._maker(dim, calibration)
        return cls.from_distribution(optimal_widths.cap(make, epsilon, purpose))


class CapMechanism(BestCapMechanism):
    """Cap mechanism: two levels, e^ε times as dense within the half angle as beyond; pure ε.

    No mechanism of pure ε-differential privacy has a smaller expected loss for the loss that the half angle is best
    for; see :meth:`pure`. Per radian it promises nothing, as its density jumps. With ``purpose="angle"`` it is the
    optimal piecewise mechanism on the circle of Y. Zheng, S. Mishra, Y. Hu, "Optimal piecewise-based mechanism for
    collecting bounded numerical data under local differential privacy", PoPETs 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.mechanisms import CapMechanism
    >>> mechanism = CapMechanism.pure(1.0, dim=3)
    >>> mechanism.guarantee.pure_level, mechanism.guarantee.metric_level
    (1.0, inf)
    >>> bool(np.isclose(mechanism.noise.mean_cosine(), np.tanh(1 / 4), rtol=1e-12))
    True
    """

    noise_type = Cap


class BestStaircaseMechanism(Mechanism):
    """Base of the mechanisms that draw from a staircase."""

    tight = CalibrationRule(
        metric="a staircase promises nothing per radian, as its density jumps at each step: use "
        ".within(level, radius), where inputs nearer than the radius may lose the whole level as well",
        pure="a staircase is not the best for a pure level: use a cap, as CapMechanism.pure or "
        "RotationCapMechanism.pure",
    )

    @classmethod
    def within(
        cls,
        level: float,
        radius: WithUnit,
        *,
        purpose: Literal["mean", "angle"] = "mean",
        dim: int | None = None,
        calibration: How = "tight",
    ) -> Self:
        """Mechanism of this level between any two inputs at most ``radius`` apart, and of nothing per radian.

        Inputs at most k radii apart lose at most k levels. Nearer inputs may lose a whole level, even
        at tiny distances. In return, the noise is smaller than with a level per radian.

        Parameters
        ----------
        level, radius : float, and float, str or timedelta
            As for :meth:`Mechanism.within`: the height of a step, and its width, at most π.
        purpose : {"mean", "angle"}, keyword-only
            What the first step is best for: many outputs' mean (largest E cos θ), or one's angle (least E θ).
        dim, calibration : optional, keyword-only
            As for the class.

        Examples
        --------
        >>> import numpy as np
        >>> from dirpriv.mechanisms import PurkayasthaMechanism, StaircaseMechanism
        >>> radius = np.pi / 4  # 3 hours
        >>> best = StaircaseMechanism.within(level=2.0, radius=radius, purpose="angle")
        >>> best.guarantee.level_at(radius), best.guarantee.level_at(1.5 * radius)
        (2.0, 4.0)
        >>> round(best.noise.mean_angle() / PurkayasthaMechanism.within(2.0, radius).noise.mean_angle(), 2)
        0.85
        """
        level, radius = validate.positive("level", level), cls._read_radius(radius, dim)
        radius = float(CIRCLE.distances("radius", radius))
        make, _ = cls._maker(dim, calibration)
        return cls.from_distribution(
            optimal_widths.staircase(lambda offset: make(level, radius, offset), radius, purpose)
        )


class StaircaseMechanism(BestStaircaseMechanism):
    """Staircase mechanism: the whole level is allowed within a radius; see ``within``.

    The log-density falls by the level at steps as wide as the radius.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.mechanisms import StaircaseMechanism
    >>> mechanism = StaircaseMechanism.within(level=1.0, radius=np.pi / 4)
    >>> mechanism.noise.privacy_loss([0.01, np.pi / 4, 0.8]).tolist()
    [1.0, 1.0, 2.0]
    """

    noise_type = Staircase


class TrapezoidMechanism(Mechanism):
    """Trapezoid mechanism: at once ε per radian and the level ``pure`` at every distance.

    The density is flat, falls at ε per radian, and is flat again. It begins to fall at the angle that is best
    for the mean of many outputs (largest E cos θ).

    Parameters
    ----------
    epsilon : float
        Level per radian, ε of ε·d∡-privacy.
    pure : float, keyword-only
        Level between any two inputs; above πε it promises nothing more, and the distribution is Purkayastha's.
    dim, calibration : optional, keyword-only
        As for :class:`Mechanism`.

    Examples
    --------
    >>> from dirpriv.mechanisms import TrapezoidMechanism
    >>> mechanism = TrapezoidMechanism(epsilon=2.0, pure=1.0)
    >>> mechanism.guarantee.metric_level, mechanism.guarantee.pure_level
    (2.0, 1.0)
    >>> round(mechanism.noise.plateau, 4)
    1.0486
    >>> TrapezoidMechanism.within(level=1.0, radius=0.5, pure=2.0).guarantee.level_at(0.5)
    1.0
    """

    noise_type = Trapezoid
    tight = CalibrationRule(
        metric=same,
        pure="a trapezoid keeps two levels: use TrapezoidMechanism(epsilon, pure=...), or "
        "CapMechanism.pure(epsilon) for a pure level alone",
    )

    def __init__(self, epsilon: float, *, pure: float, dim: int | None = None, calibration: How = "tight") -> None:
        epsilon, pure = validate.positive("epsilon", epsilon), validate.positive("pure", pure)
        make, _ = self._maker(dim, calibration)
        self._hold(optimal_widths.trapezoid(lambda plateau: make(epsilon, pure, plateau), pure / epsilon))

    @classmethod
    def within(  # type: ignore[override]  # needs the pure level too
        cls, level: float, radius: WithUnit, *, pure: float, dim: int | None = None, calibration: How = "tight"
    ) -> Self:
        """Mechanism of this level between any two inputs at most ``radius`` apart, and of ``pure`` in all.

        Parameters
        ----------
        level, radius : float, and float, str or timedelta
            As for :meth:`Mechanism.within`.
        pure, dim, calibration : keyword-only
            As for the class.
        """
        level, radius = validate.positive("level", level), cls._read_radius(radius, dim)
        return cls(level / float(CIRCLE.distances("radius", radius)), pure=pure, dim=dim, calibration=calibration)
