"""How many people a private survey needs, and which mechanism needs the fewest.

A survey asks each person for a time of day or another direction. :func:`responses_needed` lists, for an error
that the result may have and a level that is promised, the people that each mechanism needs; :func:`recommend`
names the best. Who is trusted decides where the noise is added:

* ``local``: each person draws a report, and nobody else sees the value.
* ``shuffled``: each draws a report of a higher level, and a trusted shuffler removes who sent it. The level
  is that of what the shuffler publishes (:mod:`dirpriv.guarantees`).
* ``central``: a curator whom all trust publishes the sum with noise (:mod:`dirpriv.mechanisms.central`).

The numbers are those of laws, for people of one direction without a limit of many people on the circle
(:func:`dirpriv.estimators.circular_mean_error`); :meth:`Need.simulate` draws surveys that check them.
"""

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import scipy  # which imports its submodules where they are first used

from dirpriv import estimators, guarantees, mechanisms
from dirpriv._inputs import units, validate
from dirpriv._inputs.errors import InvalidArgument, describe, named
from dirpriv.estimators import populations
from dirpriv.exact.circle import CircleRelease
from dirpriv.exact.table_laws import CircleTableLaw
from dirpriv.mechanisms import central

Trust = Literal["local", "shuffled", "central"]

_FINEST = 1e-9  # radians, 14 microseconds of a day
_MOST_EPSILON = 1000.0
_STEP = 2e-4  # of the search for the level of shuffled reports, as a share of it
_FARTHEST = 50.0  # level of a report beyond which nothing is gained

# how a mechanism is made from a level; published where it differs from tight
_PURE: dict[str, Callable[..., Any]] = {
    "cap": functools.partial(mechanisms.CapMechanism.pure, purpose="mean"),
    "cap for one direction": functools.partial(mechanisms.CapMechanism.pure, purpose="one direction"),
    "cardioid": mechanisms.CardioidMechanism.pure,
    "von Mises-Fisher": mechanisms.VonMisesFisherMechanism.pure,
    "Purkayastha": mechanisms.PurkayasthaMechanism.pure,
    "wrapped Laplace": mechanisms.WrappedLaplaceMechanism.pure,
}
_WITHIN: dict[str, Callable[..., Any]] = {
    "Purkayastha, released": lambda level, radius, dim: CircleRelease.within(level, radius),
    "staircase": mechanisms.StaircaseMechanism.within,
    "von Mises-Fisher": mechanisms.VonMisesFisherMechanism.within,
    "Purkayastha": mechanisms.PurkayasthaMechanism.within,
    "wrapped Laplace": mechanisms.WrappedLaplaceMechanism.within,
}
_PUBLISHED = "von Mises-Fisher", "wrapped Laplace"
_SHUFFLED = "cap", "cap for one direction", "cardioid", "von Mises-Fisher", "Purkayastha"
_CIRCLE_ONLY = "wrapped Laplace", "Purkayastha, released"
_THEOREM = "Of all mechanisms of one report and this level it has the least expected loss (Theorem 3)"
_REASONS = {
    "cap": f"{_THEOREM}, which for a mean is 1 - cos θ. It has no level per radian.",
    "cap for one direction": "Its width is best if all have the same direction. It has no level per radian.",
    "cardioid": "Shuffled among many people, it is as good as the central Gaussian mechanism.",
    "staircase": f"{_THEOREM}, which for a mean is 1 - cos θ.",
    "Purkayastha, released": "It is the noise of 'dirpriv release', with cells of a minute.",
    "Purkayastha": "Of all mechanisms of this level per radian it has the least error (Theorem 2).",
    "Gaussian on the sum": "Its noise does not grow with the number of people.",
    "Laplace on the sum": "Its noise does not grow with the number of people, and it needs no δ.",
}


@dataclass(frozen=True)
class Need:
    """The people that a mechanism needs under a trust model.

    Attributes
    ----------
    trust, mechanism, calibration : str
        ``"local"``, ``"shuffled"`` or ``"central"``; a name; ``"tight"`` or ``"published"``.
    people : int
        Fewest people whose mean direction has at most the error on average; ``inf`` where none are enough.
    error, resultant : float
        The error that was asked for, in radians; length of the mean vector of the people's directions.
    law : object
        The law of a report, or the central mechanism.
    local_level : float
        Pure level of one report, which is not shuffled yet; ``inf`` where there is none, or nobody reports.
    """

    trust: str
    mechanism: str
    calibration: str
    people: float
    error: float
    resultant: float
    law: Any
    local_level: float

    def simulate(self, surveys: int = 1000, *, rng: Any = None) -> tuple[float, float, float]:
        """Mean absolute error, in radians, of simulated surveys of these people, with its 95 % interval.

        Parameters
        ----------
        surveys : int
            Number of surveys, 2 or more.
        rng : None, int, SeedSequence, BitGenerator or Generator, keyword-only
            What :func:`numpy.random.default_rng` takes. The people are invented, so a seed does no harm.

        Raises
        ------
        ValueError
            If no number of people is enough, or there are fewer than 2 surveys.

        Examples
        --------
        >>> from dirpriv import planner
        >>> need = planner.responses_needed("mean", 0.2, 1.0)[0]
        >>> value, low, high = need.simulate(400, rng=1)
        >>> low < 0.2 < high
        True
        """
        surveys, rng = validate.integer("surveys", surveys, 2), validate.generator(rng)
        if not math.isfinite(self.people):
            rule = f"no number of people is enough with {self.mechanism}"
            raise InvalidArgument(rule, remedy="there is no survey to simulate")
        errors = np.array([self._error_of_one(rng) for _ in range(surveys)])
        value, deviation = errors.mean(), errors.std(ddof=1) / np.sqrt(surveys)
        return float(value), float(value - 1.96 * deviation), float(value + 1.96 * deviation)

    def _error_of_one(self, rng: np.random.Generator) -> float:
        true = populations.draws(self.resultant, self.law.dim, int(self.people), rng)
        if isinstance(self.law, central.NoisySum):
            noisy = self.law.randomise_sum(true, rng=rng)
        elif self.trust == "central":
            noisy = self.law.rvs(populations.direction(true), rng=rng)
        elif isinstance(self.law, CircleTableLaw):  # of a release: its table cannot draw by a seed
            noisy = populations.turned(true, self.law.probabilities, rng).sum(axis=0)
        else:
            noisy = self.law.rvs(true, rng=rng).sum(axis=0)
        return populations.angle_between_sums(noisy, true)


@dataclass(frozen=True)
class Recommendation:
    """The mechanism that needs the fewest people.

    Attributes
    ----------
    best, needs : Need, and tuple of Need
        It and the people that it needs; all that were compared, the best first.
    why : str
        Why it is the best, and by how much.
    """

    best: Need
    needs: tuple[Need, ...]
    why: str


def responses_needed(
    task: Literal["mean"],
    error: float,
    epsilon: float | None = None,
    *,
    trust: Trust = "local",
    level: float | None = None,
    within: float | str | None = None,
    delta: float = 1e-6,
    resultant: float = 1.0,
    rows_per_person: int = 1,
    dim: int = 2,
) -> list[Need]:
    """People that each mechanism and calibration needs for an error, the fewest first.

    Parameters
    ----------
    task : {"mean"}
        What is estimated: the mean direction of the people.
    error : float
        Mean absolute error that the result may have, in radians.
    epsilon : float, optional
        Pure level ε of a person, all rows together; with δ where the reports are shuffled or noise is
        Gaussian.
    trust : {"local", "shuffled", "central"}, keyword-only
        Who sees the values, see :mod:`dirpriv.planner`.
    level : float, optional, keyword-only
        In place of ``epsilon``: the level of one row between directions at most ``within`` apart, as of
        :func:`dirpriv.release.file`. Of a person it is ``rows_per_person`` times as much.
    within : float or str, optional, keyword-only
        Radius of ``level`` in radians, or a text such as ``"3h"`` (of a day) or ``"45deg"``. Levels within a
        radius are local.
    delta : float, keyword-only
        δ of shuffled and of Gaussian levels.
    resultant : float, keyword-only
        Length R of the mean vector of the people's directions: 1 if all are equal. For smaller ones the
        people are taken to be von Mises-Fisher, and the error is that against the mean of the same people.
    rows_per_person : int, keyword-only
        Number of rows of each person: of reports, which share ``epsilon`` and have ``level`` each. The rows
        of a person are taken to differ as those of different people do. A curator adds the mean of each
        person's vectors.
    dim : int, keyword-only
        Length of the vectors: 2 for times of day.

    Raises
    ------
    ValueError
        If the task or the trust is unknown, a number is out of range, or not one kind of level is given.

    Examples
    --------
    >>> from dirpriv import planner
    >>> for need in planner.responses_needed("mean", 0.1, 1.0)[:3]:
    ...     print(need.mechanism, need.calibration, need.people)
    cap for one direction tight 301
    cap tight 307
    von Mises-Fisher tight 530
    """
    if task != "mean":
        raise InvalidArgument("task", "must be 'mean', the only one that is planned", got=task)
    validate.check_one_of("trust", trust, get_args(Trust))
    error, resultant = validate.positive("error", error), central.checked_resultant(resultant)
    if error >= np.pi / 2.0:
        raise InvalidArgument("error", "must be below π/2, the error of a guess", got=error)
    if error < _FINEST:
        rule = f"must be at least {_FINEST:g} rad"
        raise InvalidArgument("error", rule, got=error, remedy="no survey is so large")
    delta = validate.share("delta", delta)
    dim, rows = validate.dimension(dim), validate.integer("rows_per_person", rows_per_person, 1)
    needed = functools.partial(
        estimators.people_for_error, error=error, x=populations.directions(resultant, dim)
    )
    if (epsilon is None) == (level is None) or (level is None) != (within is None):
        raise InvalidArgument(f"give either {named('epsilon')}, or {named('level')} and {named('within')}")
    if level is not None and within is not None:
        if trust != "local":
            rule = "a level within a radius is planned for local trust only"
            raise InvalidArgument(f"{rule}; got trust={describe(trust)}")
        radius = units.in_law_unit("within", within)
        validate.check_at_most("within", radius, np.pi, "half a turn, π or 12h", within)
        made = _local(_WITHIN, needed, dim, rows, validate.positive("level", level), radius)
    else:
        epsilon = validate.positive("epsilon", epsilon)
        remedy = "such a level is no privacy, and one person's report has hardly an error"
        validate.check_at_most("epsilon", epsilon, _MOST_EPSILON, f"{_MOST_EPSILON:g}", epsilon, remedy)
        if trust == "local":
            made = _local(_PURE, needed, dim, rows, epsilon / rows)
        elif trust == "shuffled":  # a change of one person changes all their rows
            of_each = delta / (rows * np.exp((rows - 1) * epsilon / rows))
            made = _shuffled(epsilon / rows, of_each, needed, dim, rows)
        else:
            made = _central(epsilon, delta, error, dim, resultant)
    needs = [
        Need(trust, name, calibration, people, error, resultant, law, local)
        for name, calibration, law, people, local in made
    ]
    return sorted(needs, key=lambda need: need.people)


def recommend(
    task: Literal["mean"], error: float, epsilon: float | None = None, **options: Any
) -> Recommendation:
    """The mechanism that needs the fewest people, by how much, and why.

    Parameters
    ----------
    task, error, epsilon, **options : str, float, float and others
        As for :func:`responses_needed`, with its errors.

    Examples
    --------
    >>> from dirpriv import planner
    >>> found = planner.recommend("mean", 0.1, 1.0)
    >>> found.best.mechanism, found.best.people
    ('cap for one direction', 301)
    """
    needs = responses_needed(task, error, epsilon, **options)
    best = needs[0]
    if not math.isfinite(best.people):
        rule = f"no number of people is enough for an error of {error!r} rad"
        raise InvalidArgument(rule, remedy="use a larger level")
    others = ", ".join(
        f"{need.mechanism}{'' if need.calibration == 'tight' else ' as published'} "
        f"{need.people / best.people:.2f} times as many"
        for need in needs[1:]
    )
    why = f"{best.mechanism} needs {best.people:.0f} people, {others}. {_REASONS[best.mechanism]}"
    return Recommendation(best, tuple(needs), why)


def _local(
    makers: dict[str, Callable[..., Any]], needed: Callable[[Any], int], dim: int, rows: int, *level: float
) -> Iterator[Any]:
    """Mechanism by mechanism: name, calibration, law, people, level of a report."""
    for name, make in makers.items():
        if dim > 2 and name in _CIRCLE_ONLY:
            continue
        laws_of = {"tight": make(*level, dim=dim).law}
        if name in _PUBLISHED and makers is _PURE:
            laws_of["published"] = make(*level, dim=dim, calibration="published").law
        for calibration, law in laws_of.items():
            yield name, calibration, law, math.ceil(needed(law) / rows), law.pure_level()


def _shuffled(level: float, delta: float, needed: Callable[[Any], int], dim: int, rows: int) -> Iterator[Any]:
    """The largest level of a report at which as many people as the error needs hide it well enough.

    The larger it is, the fewer people are needed for the error, and the less they hide each other.
    """
    for name in _SHUFFLED:
        make = functools.partial(_PURE[name], dim=dim)
        own = level if level >= _FARTHEST else _level_to_shuffle(make, level, delta, needed)
        while True:  # the search was for numbers of people that need not be whole
            law = make(own).law
            reports = needed(law)
            if own <= level or guarantees.shuffled_delta(law, reports, level) <= delta:
                break
            own = max(own * (1.0 - 0.5 * _STEP), level)
        yield name, "tight", law, math.ceil(reports / rows), law.pure_level()


def _level_to_shuffle(
    make: Callable[[float], Any], level: float, delta: float, needed: Callable[[Any], int]
) -> float:
    """Level of a report at which the bound on δ of the shuffled reports is the δ that is promised."""

    def excess(log_own: float) -> float:
        law = make(np.exp(log_own)).law
        return float(np.log(max(guarantees.shuffled_delta(law, needed(law), level), 1e-300) / delta))

    low = np.log(level)
    if excess(low) >= 0.0:
        return level
    high = low + 0.5
    while excess(high) < 0.0:
        low, high = high, high + 0.5
        if high > np.log(_FARTHEST):
            return _FARTHEST
    return float(np.exp(scipy.optimize.brentq(excess, low, high, xtol=_STEP)))


def _central(epsilon: float, delta: float, error: float, dim: int, resultant: float) -> Iterator[Any]:
    for name, law in (
        ("Gaussian on the sum", mechanisms.GaussianSum(epsilon, delta, dim=dim)),
        ("Laplace on the sum", mechanisms.VectorLaplaceSum(epsilon, dim=dim)),
    ):
        yield name, "tight", law, law.people_needed(error, resultant=resultant), np.inf
    law = mechanisms.PurkayasthaMechanism.pure(epsilon, dim=dim).law
    people = 1 if law.mean_angle() <= error else np.inf
    yield "Purkayastha on the mean direction", "published", law, people, np.inf
