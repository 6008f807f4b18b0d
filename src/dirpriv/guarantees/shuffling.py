"""Responses that are shuffled before anyone sees them: certified bounds for every number of people.

N people each randomise their own value with the same local distribution of pure level ε₀. A trusted shuffler sends on
the N responses in a random order. What it sends is (ε, δ)-indistinguishable for any two inputs of one person,
with ε far below ε₀. The functions here bound this for the N at hand, without asymptotics, and for every
choice of the values of the others.

Let U = f_x/γ and V = f_x'/γ be the densities of a response under the two inputs of a person, relative to the
uniform distribution and to its smallest value γ. Then [1]_, Lemma 5.3, is, with independent X = U - exp(ε) V at a
uniform response with probability γ and 0 otherwise,

    δ(ε) ≤ E max(X₁ + … + X_N, 0)/N.

The worst two inputs are the farthest apart (docs/mathematics.md, "Shuffled reports"). γ is over all inputs.

**Three methods**, each at most the next, up to its rounding up:

* ``"blanket"``: the bound itself, with the distribution in small cells; X is spread within a cell so that its mean
  stays, which raises the bound. The sum is computed by FFT with its errors added. The default.
* ``"variation ratio"``: from the level, the total variation and the floor γ alone. Computed by sums of
  binomial probabilities: a second implementation, which shares nothing with the first. Its time grows with √N.
* ``"clones"``: from the level alone, with the total variation tanh(ε₀/2). It holds for *every* distribution of this
  level, and is exact for randomised response with two answers when all others give the answer at random.

The guarantee is for a response that is shuffled once, among N people who all randomise with this distribution; a
person who sends something else takes herself out of N. Against those who see the responses before the
shuffler a person has the local level ε₀ only.

References
----------
.. [1] Balle, B., Bell, J., Gascón, A., Nissim, K., "The privacy blanket of the shuffle model", CRYPTO 2019.
"""

import itertools
import numbers
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import FloatOrArray
from dirpriv.distributions.shared.colatitude import Angle
from dirpriv.distributions.shared.privacy_blanket import ShufflingParameters, gain, loss, relative_density
from dirpriv.distributions.shared.spherical import SphericalDistribution
from dirpriv.distributions.user.adapter import completed
from dirpriv.guarantees import shuffling_by_counts, shuffling_by_fft
from dirpriv.guarantees.search import boundary

Method = Literal["blanket", "variation ratio", "clones"]
METHODS = get_args(Method)
_MOST_PEOPLE = 10**15
_FARTHEST = 50.0  # nats: at a larger level no population of people hides a response


@np.errstate(under="ignore")
def shuffled_delta(
    distribution: Any, people: int, level: float, *, distance: Any = None, method: Method = "blanket"
) -> float:
    """An upper bound of δ at which the shuffled responses of ``people`` keep a level.

    All errors of the computation are bounded and added. It is 0 from the pure level on.

    Parameters
    ----------
    distribution : distribution or ShufflingParameters
        Of one response: a distribution of directions or rotations with a finite pure level, symmetric about its mode
        and falling with the angle; the distribution of a release on the circle (``release.noise``); your own
        :class:`dirpriv.distributions.Distribution` with ``privacy_blanket`` or ``logpdf``; or a
        :class:`dirpriv.guarantees.ShufflingParameters`, of which the level alone will do.
    people, level : int and float
        Number of people N, at least 1; level ε after shuffling, at least 0.
    distance : float, str or timedelta, optional, keyword-only
        A radius, such as ``"3h"`` or radians. δ then holds for two inputs at most so far apart; by default it
        holds for any two inputs. Only for the distribution of a release on the circle and ``method="blanket"``.
    method : {"blanket", "variation ratio", "clones"}, keyword-only
        See :mod:`dirpriv.guarantees.shuffling`. Each gives at most the δ of the next, where counts are quick to sum
        over (some hundred people); with more people, up to a relative 1e-3 of rounding up.

    Raises
    ------
    ValueError
        If an argument is out of its range, or the distribution has no finite pure level or does not fall with the
        angle.

    Examples
    --------
    >>> from dirpriv import guarantees, distributions
    >>> distribution = distributions.Purkayastha(dim=2, kappa=0.5)  # a pure level of 1.57
    >>> [f"{guarantees.shuffled_delta(distribution, people, 0.5):.1e}" for people in (100, 200, 400)]
    ['6.4e-06', '3.5e-09', '2.7e-15']
    """
    delta, _ = _delta_of(_shuffling_parameters(distribution, distance), _people(people), method, distance)
    return delta(validate.nonnegative("level", level))


@np.errstate(under="ignore")
def shuffled_level(
    distribution: Any, people: int, delta: float, *, distance: Any = None, method: Method = "blanket"
) -> float:
    """Level in nats of the shuffled responses of ``people`` at a δ: an upper bound for this number of people.

    It is at most the level of one response. ``shuffled_delta`` was found to be at most ``delta`` there.

    Parameters
    ----------
    distribution, people : distribution or ShufflingParameters, int
        As for :func:`shuffled_delta`, with its errors.
    delta : float
        δ of (ε, δ)-indistinguishability, in (0, 1). It should be much smaller than 1/N.
    distance, method : keyword-only
        As for :func:`shuffled_delta`.

    Examples
    --------
    >>> from dirpriv import guarantees, distributions
    >>> from dirpriv.guarantees.shuffling import METHODS
    >>> distribution = distributions.Purkayastha(dim=2, kappa=0.5)
    >>> [round(guarantees.shuffled_level(distribution, people, 1e-6), 3) for people in (100, 1000, 10_000)]
    [0.564, 0.161, 0.047]
    >>> [round(guarantees.shuffled_level(distribution, 1000, 1e-6, method=method), 3) for method in METHODS]
    [0.161, 0.205, 0.276]

    For inputs within a radius, where one response has the level 1:

    >>> from dirpriv.release import CircleRelease
    >>> distribution = CircleRelease.within(1.0, "3h").noise
    >>> [round(guarantees.shuffled_level(distribution, people, 1e-6, distance="3h"), 3) for people in (200, 2000)]
    [0.982, 0.339]
    """
    people, delta = _people(people), validate.share("delta", delta)
    parameters = _shuffling_parameters(distribution, distance)
    own = parameters.level
    if own == 0.0 or own > _FARTHEST:
        return own
    log_delta = float(np.log(delta))
    delta_at, spread = _delta_of(parameters, people, method, distance)

    def _above(level: float) -> float:
        value = delta_at(level)
        return float(np.log(value)) - log_delta if value > 0.0 else -np.inf

    if delta_at(0.0) <= delta:
        return 0.0
    guess = _gaussian_level(float(np.sqrt(spread / people)), delta)
    return boundary(_above, min(guess, 0.5 * own), own, own * 1e-9 / people)


def shuffled_sample_size_ratio(distribution: Any) -> float:
    """People needed after shuffling over those of the central Gaussian mechanism, for many people.

    With f_x the density of a response relative to the uniform distribution, I = E (f_x - f_x')² at a uniform response
    for the two inputs that are easiest to tell apart, and ρ the mean cosine, shuffled responses of many people among
    whom all directions occur equally often are as hard to tell apart as normal distributions √(I/N) standard deviations
    apart. The mean of the responses, divided by ρ, has the error of a sum of the true directions with normal noise,
    which is 2ρ√(n/N) standard deviations apart. The ratio of the squares is I/(4nρ²).

    It is 1 for the cardioid distribution on the circle, 1 + 2ρ cos θ, and more for every other distribution. This is a
    limit, to compare distributions with. This number is no guarantee. Use :func:`shuffled_level` for a guarantee. For
    inputs of the others that are not uniform the certified bound has I/γ instead of I, with γ the smallest relative
    density.

    Parameters
    ----------
    distribution : distribution
        Of directions, symmetric about its mode and falling with the angle.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import guarantees, distributions
    >>> round(guarantees.shuffled_sample_size_ratio(distributions.Purkayastha(dim=2, kappa=4.0 / np.pi)), 2)
    1.08
    """
    if not isinstance(completed(distribution), SphericalDistribution):
        raise InvalidArgument("distribution", "must be a distribution of directions", got=distribution)
    if distribution.privacy_blanket().level == 0.0:
        raise InvalidArgument(f"{distribution!r} is uniform", hint="its responses hold no information")
    density, length = relative_density(distribution), distribution.mean_cosine()
    # nearly all digits of f - f' cancel: (f - f')² itself, without the 1 of both
    if distribution.pure_level() < 1e-3:

        def squares(t: FloatOrArray) -> FloatOrArray:
            other = np.pi - np.asarray(t)
            change = distribution._log_kernel_change(Angle(other, t), t - other)
            return (density(other) * np.expm1(change) / length) ** 2

        return float(distribution._uniform.expectation(squares)) / (4.0 * distribution.dim)
    # E_uniform (f - f')² = E_f (f - f') - E_f' (f - f') = 2 E_f (f - f')
    information = 2.0 * float(distribution.expectation(lambda t: density(t) - density(np.pi - np.asarray(t))))
    return information / (4.0 * distribution.dim * length**2)


def _delta_of(
    parameters: ShufflingParameters, people: int, method: str, distance: Any
) -> tuple[Callable[[float], float], float]:
    """δ as a function of the level, and the mean square of X at the level 0."""
    methods = METHODS if distance is None else METHODS[:1]
    validate.check_one_of("method", method, methods)
    own = parameters.level
    if own > _FARTHEST:
        return lambda level: float(level < own), 0.0
    bounds = [_Bound(parameters, name) for name in methods[methods.index(method) :]]
    # a looser method rounds up less: where it knows nearly as much, the least of both is taken
    used = bounds[:1]
    for one, other in itertools.pairwise(bounds):
        alike = people <= 100 or other.spread <= (1.0 + 1e-3) * one.spread
        if not alike or not other.is_quick(people):
            break
        used.append(other)

    def delta(level: float) -> float:
        if level >= own:
            return 0.0
        value = min(bound.excess(level, people) for bound in used) / people
        return max(float(value), 0.0) if value <= 1.0 else 1.0  # also where it is no number

    return delta, used[0].spread


class _Bound:
    """The mean excess by one of the methods."""

    def __init__(self, noise: ShufflingParameters, method: str) -> None:
        if method != "blanket":
            noise = ShufflingParameters(noise.level, *(() if method == "clones" else (noise.variation, noise.floor)))
        self.points, self._own, self._in_cells = noise.points, noise.level, method == "blanket"
        self._counts = noise.three_counts()
        values, masses = noise.points(0.0)
        self.spread = float(masses @ values**2)

    def excess(self, level: float, people: int) -> float:
        """An upper bound of E max(X₁ + … + X_N, 0)."""
        if self._in_cells:
            return shuffling_by_fft.mean_excess(*self.points(level), people)
        informative, other, ratio = self._counts
        ends = gain(self._own, level), loss(self._own, level), ratio * float(np.expm1(level))
        return shuffling_by_counts.mean_excess(*ends, informative, other, people)

    def is_quick(self, people: int) -> bool:
        informative, other, _ = self._counts
        # with so large a product of the mean counts of two answers, counting takes 0.03 s
        return people * (informative + 1e-3) * (people * (other + 1e-3) if other else 1.0) < 1e4


def _gaussian_level(distance: float, delta: float) -> float:
    """About the level at which two normal distributions, this many standard deviations apart, keep δ."""
    t = 1.0
    for _ in range(4):
        t = float(np.sqrt(max(2.0 * np.log(max(distance / max(2.5 * delta * t**2, 5e-324), 1.0)), 0.04)))
    return distance * t + 0.5 * distance**2


def _shuffling_parameters(distribution: Any, distance: Any) -> ShufflingParameters:
    """What is known of a distribution; an error says what to do without it."""
    if isinstance(distribution, ShufflingParameters):
        if distance is not None:
            rule = "'distance' goes with the distribution of a release on the circle"
            raise InvalidArgument(rule, got=distribution, hint="omit it, or give release.noise")
        return distribution
    if isinstance(distribution, numbers.Real):
        raise InvalidArgument("give a distribution, or a level as ShufflingParameters(level)", got=distribution)
    distribution = completed(distribution)
    return distribution.privacy_blanket() if distance is None else distribution._blanket_within(distance)


def _people(people: Any) -> int:
    value = validate.integer("people", people, 1)
    if value > _MOST_PEOPLE:
        rule = f"no bound is computed for more than {_MOST_PEOPLE:g} shuffled responses; got {value:.6g}"
        raise InvalidArgument(rule, hint="its rounding errors would be larger than it")
    return value
