"""The radius that holds a share of a mechanism's outputs, and the level for which it does."""

from typing import Any

import numpy as np

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv.geometry.spaces import Euclidean
from dirpriv.laws.own.completed import lacking


def radius_of(law: Any, share: Any) -> Any:
    shares = validate.reals("share", share)
    if not np.all((shares >= 0.0) & (shares <= 1.0)):
        raise InvalidArgument("share", "must be a number from 0 to 1, or an array of them")
    name = "radius_ppf" if isinstance(law.space, Euclidean) else "angle_ppf"
    if lacking(law, name):
        raise InvalidArgument(f"the radius of {law!r} is not known, as it has no method {name}")
    radius = np.asarray(law.radius_ppf(shares) if name == "radius_ppf" else law.angle_ppf(shares))
    return radius if radius.ndim else float(radius)


def epsilon_for(cls: Any, radius: float, share: float, **how: Any) -> float:
    from scipy.optimize import brentq  # here, as few need it

    radius, share = validate.positive("radius", radius), validate.share("share", share)

    def off(log_epsilon: float) -> float:
        law = cls(epsilon=float(np.exp(log_epsilon)), **how).law
        return float(np.log(radius_of(law, share) / radius))

    start = -np.log(radius)
    low = high = start
    while off(low) < 0.0:  # the mechanism of this level stays too near: less is enough
        low -= 2.0
        if low < start - 60.0:
            raise InvalidArgument(
                "no level is that low",
                remedy=(
                    f"even of a uniform output a share of {share!r} or more lies within "
                    f"{radius!r}; give a smaller {named('radius')} or a larger 'share'"
                ),
            )
    while off(high) > 0.0:
        high += 2.0
        if high > start + 60.0:
            raise InvalidArgument(f"no level is so high that a share of {share!r} lies within {radius!r}")
    return float(np.exp(brentq(off, low, high, xtol=1e-14, rtol=1e-14)))
