"""What a law guarantees when it is used as a mechanism, exactly.

A mechanism draws from a law whose mode is the true value. Where the law has the log kernel f(θ), the log
ratio of the densities of one output under two inputs is f(θ) - f(θ'), so with θ the angle

* the **metric level** is sup |f'| per radian: inputs at distance d lose at most this times d
  (ε·d∡-privacy; Weggenmann and Kerschbaum 2021, Definition 13), and
* the **pure level** is max f - min f: no two inputs lose more (pure ε-differential privacy).

Both are infinite where there is no guarantee. The levels are those of the exact law: a naive sampler in
floating point has gaps through which more can leak.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Guarantee:
    """The privacy a mechanism guarantees.

    Attributes
    ----------
    metric_level : float
        ε of ε·d-privacy, per radian of the metric; ``inf`` where there is none.
    pure_level : float
        ε of pure differential privacy for one response; ``inf`` where there is none.
    metric : str
        Name of the distance d: ``"angle"`` is the surface distance d∡ in radians, ``"euclidean"`` the
        straight-line distance of points (then the level is per unit of length).

    Examples
    --------
    >>> from dirpriv.mechanisms import PurkayasthaMechanism
    >>> PurkayasthaMechanism(dim=2, epsilon=1.0).guarantee.metric_level
    1.0
    """

    metric_level: float
    pure_level: float
    metric: str = "angle"

    def within(self, radius):
        """Level guaranteed to any two inputs at most ``radius`` radians apart."""
        return min(self.metric_level * radius, self.pure_level)


def metric_level(law):
    """Largest loss of privacy per radian: sup |f'| of the log kernel.

    Parameters
    ----------
    law : object
        A law of :mod:`dirpriv.laws`.

    Returns
    -------
    float
        Per radian; ``inf`` for a law with a jump or a point mass.

    Examples
    --------
    >>> from dirpriv import guarantees
    >>> from dirpriv.laws import ClippedLaplace, VonMisesFisher
    >>> guarantees.metric_level(VonMisesFisher(dim=3, kappa=2.0))
    2.0
    >>> guarantees.metric_level(ClippedLaplace(kappa=2.0))
    inf
    """
    return law._metric_level()


def pure_level(law):
    """Largest loss of privacy between any two inputs: max f - min f of the log kernel.

    Parameters
    ----------
    law : object
        A law of :mod:`dirpriv.laws`.

    Returns
    -------
    float

    Examples
    --------
    >>> from dirpriv import guarantees
    >>> from dirpriv.laws import VonMisesFisher
    >>> guarantees.pure_level(VonMisesFisher(dim=3, kappa=2.0))
    4.0
    """
    return law._pure_level()


def of(law):
    """Both levels of a law as a :class:`Guarantee`."""
    return Guarantee(metric_level=metric_level(law), pure_level=pure_level(law))
