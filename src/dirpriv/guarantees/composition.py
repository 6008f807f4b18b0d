"""The level of several responses of one person."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv.distributions.protocols import Levels
from dirpriv.distributions.user.adapter import completed
from dirpriv.guarantees.search import boundary, smooth_root


@np.errstate(under="ignore")
def composed_level(distribution: Levels, responses: int, *, distance: Any, delta: float = 0.0) -> float:
    """Privacy level of several responses of one person, whose inputs may move by up to a distance.

    The T responses of a person are as private as one response of the returned level ε: if each of her T inputs moves by
    up to the distance, by as much and in the direction that is worst, and depending on what was released of the others,
    no event becomes more than exp(ε) times as probable, except with a probability of ``delta``. With ``delta`` = 0 the
    levels add up. With a small ``delta``, losses and gains partly cancel, and the level grows nearly as √T at first.

    The level is in nats, and at most ``responses`` times :func:`dirpriv.guarantees.privacy_loss_within`. It comes
    from the ``privacy_loss_distribution`` of the distribution, with every step rounded up. Compared with lower bounds
    it is at most 0.3 % above on the circle (0.1 % for a release, whose table is known), and 2 % in other spaces (most
    for a single response). For clipped Laplace it is that of the noise before it is clipped, for inputs on both sides
    of the seam, which is an upper bound.

    No level is above that of randomised response with the same loss, which can be far above the least one.
    It is that for a release on the globe, for caps and staircases in other spaces than the circle, and for
    your own distribution if it has neither ``privacy_loss_distribution`` nor ``logpdf``, or if its density does not
    fall with the distance alone. The error of a ``logpdf`` between points is bounded by ``metric_level`` and added.

    Parameters
    ----------
    distribution : distribution
        Of all responses, with a finite loss at the distance: ``mechanism.noise``, the distribution of a release
        (``release.noise``), or your own :class:`dirpriv.distributions.Distribution`.
    responses : int
        Number of responses T, at least 1.
    distance : float, keyword-only
        Of the two inputs: radians from 0 to π (3 hours are π/4); of a distribution in space, any length. For the
        distribution of a release also a text, as ``"3h"`` or ``"200m"``.
    delta : float, keyword-only
        δ of (ε, δ)-indistinguishability, from 0 to less than 1. It should be much smaller than one over the
        number of persons. Below about 1e-25 the level is rounded up coarsely.

    Raises
    ------
    ValueError
        If an argument is out of its range, the distribution is a function, or its loss is infinite and ``delta`` > 0.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import guarantees, mechanisms, release
    >>> distribution = mechanisms.PurkayasthaMechanism.within(level=0.1, radius=np.pi / 4).noise  # within 3 h
    >>> round(guarantees.composed_level(distribution, 100, distance=np.pi / 4), 3)
    10.0
    >>> round(guarantees.composed_level(distribution, 100, distance=np.pi / 4, delta=1e-6), 3)
    4.316

    A person with 100 rows, each of a place within 200 m:

    >>> region = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}
    >>> city = release.PlaneRelease.within(0.1, "200m", **region)
    >>> round(guarantees.composed_level(city.noise, 100, distance="200m", delta=1e-6), 3)
    3.295
    """
    responses = validate.integer("responses", responses, 1)
    delta = validate.share("delta", delta, zero=True)
    complete = completed(distribution)
    distance = complete._distance(distance)
    loss = float(complete.privacy_loss_within(distance))
    if not loss >= 0.0:
        kind = type(distribution).__name__
        raise InvalidArgument(f"the privacy loss of a {kind} must be at least 0; it gives {loss!r}")
    if delta == 0.0 or loss == 0.0:
        return float(responses * loss)
    from dirpriv.guarantees.privacy_loss_distribution import level_of_sum  # here, as it needs more of SciPy

    pair = complete.privacy_loss_distribution(distance)
    if not pair[0].sum() >= 1.0 - 1e-9 or pair[0].min() < 0.0:
        raise InvalidArgument(
            f"the probabilities of privacy_loss_distribution of {distribution!r} do not add up to 1 or more"
        )
    return level_of_sum(pair, responses, delta, loss)


def composed_concentration(
    family: Callable[[float], Levels], level: float, responses: int, distance: float, delta: float
) -> float:
    """The largest concentration whose ``composed_level`` is at most a level, to 1e-6 of the level."""

    def excess(kappa: float, delta: float = delta) -> float:
        return float(np.log(composed_level(family(kappa), responses, distance=distance, delta=delta) / level))

    with np.errstate(divide="ignore"):
        start = boundary(lambda kappa: excess(kappa, delta=0.0), 1.0, 1e-12, 1e12)  # less than is possible
        return math.exp(smooth_root(lambda log_kappa: excess(math.exp(log_kappa)), math.log(start), 1e-6, 8))
