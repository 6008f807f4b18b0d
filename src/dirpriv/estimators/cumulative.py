"""Shares of the people before times of the day, and quantiles, from private reports: for every day."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dirpriv import geometry
from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array
from dirpriv.estimators import bets, reports
from dirpriv.estimators.circle_noise import MOST_BINS, circle_noise
from dirpriv.geometry.spaces import CIRCLE
from dirpriv.laws.own.completed import check_law
from dirpriv.laws.protocols import AngularNoise


@dataclass(frozen=True)
class PrivateCumulative:
    """Intervals of the shares of people before angles, from an origin on.

    Attributes
    ----------
    origin : float
        Where the turn begins, in radians.
    thresholds : ndarray, shape (count,)
        Radians from the origin on.
    low, high : ndarray, shape (count,)
        Interval of the share of the people from the origin to before each threshold.
    count, confidence : int and float
        Number of reports; confidence of each interval, and of each interval of a quantile.
    """

    origin: float
    thresholds: Array
    low: Array
    high: Array
    count: int
    confidence: float

    def quantile(self, share: float = 0.5) -> tuple[float, float]:
        """Interval of a quantile of the people who reported, in radians from the origin on.

        At most this share of the people is before a quantile, and at least this share is not after it. The
        lower end is the last of the thresholds up to which all have intervals below the share; the upper end
        is the first from which on all have intervals above it. An end is wrong only if the interval of the
        next threshold beyond the quantile is, which no report has chosen. So thresholds need no more
        confidence, however many they are.

        Parameters
        ----------
        share : float
            Between 0 and 1: 0.5 is the median.

        Examples
        --------
        >>> import numpy as np
        >>> from dirpriv.estimators import PrivateCumulative
        >>> low, high = np.array([0.0, 0.3, 0.7]), np.array([0.2, 0.6, 1.0])
        >>> PrivateCumulative(0.0, np.array([1.0, 2.0, 3.0]), low, high, 100, 0.95).quantile(0.5)
        (1.0, 3.0)
        """
        share = validate.share("share", share)
        early = int(np.argmin(np.append(self.high < share, False)))
        late = int(np.argmin(np.append(self.low[::-1] > share, False)))
        ends = np.concatenate([[0.0], self.thresholds, [geometry.TURN]])
        return float(ends[early]), float(ends[len(ends) - 1 - late])


def private_cumulative(
    angles: ArrayLike,
    law: AngularNoise,
    *,
    thresholds: ArrayLike = 24,
    origin: float = 0.0,
    weights: ArrayLike | None = None,
    confidence: float = 0.95,
    simultaneous: bool = False,
) -> PrivateCumulative:
    """Intervals of the shares of people before angles, as “before 9:00”, from their private reports.

    They hold for every day, as those of :func:`private_histogram`. So do those of the quantiles that follow.

    Parameters
    ----------
    angles : array_like
        The reports in radians, within [-2π, 4π].
    law : object
        The law of the noise on the circle, symmetric about its mode, as for :func:`private_histogram`.
    thresholds : int or array_like, keyword-only
        Radians from the origin on, between 0 and 2π and increasing, at most 168; or into how many equal parts
        they divide the turn. They must not be chosen by the reports.
    origin : float, keyword-only
        Where the turn begins, in radians from 0 to 2π: a day that ends at 4:00 begins there. It must not be
        chosen by the reports.
    weights, confidence : array_like of int and float, keyword-only
        As for :func:`private_histogram`.
    simultaneous : bool, keyword-only
        Whether the intervals of all shares hold at once. For a quantile this is not needed.

    Raises
    ------
    ValueError
        If there are fewer than two reports, one is not finite, the law is not one on the circle, or an
        argument is not as above.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, geometry, mechanisms
    >>> mechanism, rng = mechanisms.PurkayasthaMechanism.within(2.0, np.pi / 4), np.random.default_rng(1)
    >>> people = geometry.hours_to_angles(rng.normal(10.0, 1.5, 10_000))
    >>> reports = mechanism.randomise_angles(people, rng=rng)
    >>> day = estimators.private_cumulative(reports, mechanism.law)
    >>> [round(float(end[11]), 2) for end in (day.low, day.high)]  # before 12:00, truly 0.91
    [0.77, 1.0]
    >>> [round(24.0 * end / (2.0 * np.pi)) for end in day.quantile(0.5)]  # hours; truly 10:00
    [8, 11]
    """
    values, numbers = reports.checked_reports("angles", angles, weights)
    confidence, origin = validate.share("confidence", confidence), validate.nonnegative("origin", origin)
    if origin >= geometry.TURN:
        raise InvalidArgument("origin", "must be an angle from 0 to before 2π", got=origin)
    at: Array = validate.reals("thresholds", thresholds)
    if at.ndim == 0:
        count = validate.integer("thresholds", thresholds, 2)
        at = np.linspace(0.0, geometry.TURN, count + 1)[1:-1]
    rising = at.ndim == 1 and at.size and np.all(np.diff(at, prepend=0.0, append=geometry.TURN) > 0.0)
    if not rising or at.size > MOST_BINS:
        rule = f"must increase between 0 and 2π, and be at most {MOST_BINS}"
        raise InvalidArgument("thresholds", rule)
    check_law(law, "a law on the circle", CIRCLE, "angle_sf")
    noise = circle_noise(law, 24)
    inside, touched = noise.arcs(np.full(at.size, origin), origin + at)
    error = (1.0 - confidence) / (at.size if simultaneous else 1)
    counted = bets.Reports(noise.counted(values, numbers), noise, inside, touched)
    low, high = bets.ends([counted], error)
    return PrivateCumulative(origin, at, low, high, int(numbers.sum()), confidence)
