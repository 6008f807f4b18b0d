"""The result that estimates from private reports and central releases share."""

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class MeanEstimate:
    """Mean direction of people, from their private reports.

    Attributes
    ----------
    angle, low, high : float
        Circular mean of the reports, the estimate for the people, and the ends of its interval: radians in
        [0, 2π), from ``low`` counterclockwise to ``high``; 0 and 2π where it is the whole circle.
    whole_circle : bool
        Whether the interval is the whole circle: the reports do not show a mean.
    resultant, resultant_low, resultant_high : float
        Mean resultant length of the people, 1 if all are at one angle, 0 if they have no mean; its interval.
    p_value : float
        Of the Rayleigh test, see :func:`~dirpriv.estimators.rayleigh_test`; up to 1e-4 an upper bound.
    count, confidence : int and float
        Number of reports; confidence of both intervals, each on its own.
    """

    angle: float
    low: float
    high: float
    whole_circle: bool
    resultant: float
    resultant_low: float
    resultant_high: float
    p_value: float
    count: int
    confidence: float

    def difference(self, other: "MeanEstimate") -> tuple[float, float, float]:
        """By how much another mean is farther counterclockwise, and the ends of an interval of that.

        The interval is -π to π where no difference is excluded. It is wrong only if one of both intervals is.
        So its error is at most the sum of theirs: for 5 %, take means with a confidence of 0.975 each.

        Parameters
        ----------
        other : MeanEstimate
            The mean of other people.

        Examples
        --------
        >>> from dirpriv.estimators import MeanEstimate
        >>> at_1, at_2 = (
        ...     MeanEstimate(at, at - 0.1, at + 0.2, False, 0.9, 0.8, 1.0, 0.0, 99, 0.975) for at in (1.0, 2.0)
        ... )
        >>> [round(angle, 6) for angle in at_1.difference(at_2)]
        [1.0, 0.7, 1.3]
        """
        turned = (other.angle - self.angle + np.pi) % math.tau - np.pi
        sides = [(of.angle - of.low, of.high - of.angle) for of in (self, other)]
        (before, after), (its_before, its_after) = np.mod(sides, math.tau)
        low, high = float(turned - after - its_before), float(turned + before + its_after)
        if self.whole_circle or other.whole_circle or high - low >= math.tau:
            low, high = -np.pi, np.pi
        return turned, low, high
