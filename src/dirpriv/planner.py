"""How many people a private survey needs, and which mechanism needs the fewest.

A survey asks each person for a time of day, another direction or a place. The trust model decides where the
noise is added:

* ``local``: each person draws a report, and nobody else sees the value.
* ``shuffled``: each person draws a report of a higher level. A trusted shuffler removes the senders. The
  level holds for the shuffled reports (:mod:`dirpriv.guarantees`).
* ``central``: a trusted data owner publishes the sum, or counts, with noise
  (:mod:`dirpriv.mechanisms.central`). The level holds for any two values of a person.

The numbers follow from the noise distributions. If all people have one direction on the circle, the numbers
are exact for few and many people (:func:`dirpriv.estimators.expected_circular_mean_error`).
"""

import decimal
import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import scipy  # which imports its submodules where they are first used

from dirpriv import estimators, geometry, guarantees, mechanisms
from dirpriv._inputs import units, validate
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv.estimators import (
    assumed_populations,
    busyness,
    busyness_intervals,
    density_bands,
    place_densities,
    place_intervals,
    place_supports,
    shared,
)
from dirpriv.estimators.circle_noise_bounds import circle_noise
from dirpriv.exact.circle import CircleRelease
from dirpriv.exact.circle_table_distribution import CircleTableDistribution
from dirpriv.exact.plane import PlaneRelease
from dirpriv.guarantees.search import boundary
from dirpriv.mechanisms import central

Task = Literal["mean", "compare", "histogram", "map"]
Trust = Literal["local", "shuffled", "central"]

_FINEST = 1e-9  # radians, 14 microseconds of a day
_MOST_EPSILON = 1000.0
_ERROR = 0.05  # of intervals, and of a test whether two groups differ
_LIMITS = {"mean": (np.pi / 2.0, "π/2, the error of a guess"), "compare": (np.pi / 4.0, "π/4, 3h of a day")}
_LIMITS |= {"histogram": (np.pi, "π, 12h of a day"), "map": (np.inf, "")}
_BLURS = np.pi / 144.0 * (1.0 - 1e-9), geometry.TURN / 3.0 * (1.0 + 1e-9)  # 5 minutes to 8 hours of a day

_Makers = dict[str, Callable[..., Any]]

# how a mechanism is made from a level; published where it differs from tight
_PURE: _Makers = {
    "cap": functools.partial(mechanisms.CapMechanism.pure, purpose="mean"),
    "cap for one direction": functools.partial(mechanisms.CapMechanism.pure, purpose="one direction"),
    "cardioid": mechanisms.CardioidMechanism.pure,
    "von Mises-Fisher": mechanisms.VonMisesFisherMechanism.pure,
    "Purkayastha": mechanisms.PurkayasthaMechanism.pure,
    "wrapped Laplace": mechanisms.WrappedLaplaceMechanism.pure,
}
_WITHIN: _Makers = {
    "Purkayastha, released": lambda level, radius, dim: CircleRelease.within(level, radius),
    "staircase": mechanisms.StaircaseMechanism.within,
    "von Mises-Fisher": mechanisms.VonMisesFisherMechanism.within,
    "Purkayastha": mechanisms.PurkayasthaMechanism.within,
    "wrapped Laplace": mechanisms.WrappedLaplaceMechanism.within,
}
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
    "Laplace on the counts": "Its noise does not grow with the number of people, and it needs no δ.",
    "planar Laplace, released": "It is the noise of 'dirpriv release'.",
}
NO_PLACES = "a shuffler hides reports of times only. A report far from its place is too rare for others to hide it"


@dataclass(frozen=True)
class Need:
    """The people that a mechanism needs under a trust model.

    Attributes
    ----------
    trust, mechanism, calibration : str
        ``"local"``, ``"shuffled"`` or ``"central"``; a name; ``"tight"`` or ``"published"``.
    people : int
        Least number of people with at most this error on average; ``inf`` if no number is enough.
    error, resultant : float
        The error that was asked for, in radians; mean resultant length of the people's directions.
    distribution : object
        The distribution of a report, or the central mechanism.
    local_level : float
        Pure level of one report before shuffling; ``inf`` if there is no such level, or no local report.
    row_level : float
        Level of one report within the radius, or its pure level if no radius was given.
    task : str
        What is estimated.
    """

    trust: str
    mechanism: str
    calibration: str
    people: float
    error: float
    resultant: float
    noise: Any
    local_level: float
    row_level: float = math.inf
    task: Task = "mean"

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
            If no number of people is enough, there are fewer than 2 surveys, or no mean is planned.

        Examples
        --------
        >>> from dirpriv import planner
        >>> need = planner.sample_sizes("mean", 0.2, 1.0)[0]
        >>> value, low, high = need.simulate(400, rng=1)
        >>> low < 0.2 < high
        True
        """
        surveys, rng = validate.integer("surveys", surveys, 2), validate.generator(rng)
        if self.task != "mean":
            raise InvalidArgument("only surveys of a mean are simulated")
        if not math.isfinite(self.people):
            rule = f"no number of people is enough with {self.mechanism}"
            raise InvalidArgument(rule, hint="there is no survey to simulate")
        errors = np.array([self._error_of_one(rng) for _ in range(surveys)])
        value, deviation = errors.mean(), errors.std(ddof=1) / np.sqrt(surveys)
        return float(value), float(value - 1.96 * deviation), float(value + 1.96 * deviation)

    def _error_of_one(self, rng: np.random.Generator) -> float:
        true = assumed_populations.draws(self.resultant, self.noise.dim, int(self.people), rng)
        if isinstance(self.noise, central.NoisySum):
            noisy = self.noise.randomise_sum(true, rng=rng)
        elif self.trust == "central":
            noisy = self.noise.rvs(estimators.mean_direction(true), rng=rng)
        elif isinstance(self.noise, CircleTableDistribution):  # of a release: its table cannot draw by a seed
            noisy = assumed_populations.turned(true, self.noise.probabilities, rng).sum(axis=0)
        else:
            noisy = self.noise.rvs(true, rng=rng).sum(axis=0)
        return float(geometry.angle_between_vectors(noisy / np.linalg.norm(noisy), estimators.mean_direction(true)))


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


def sample_sizes(
    task: Task,
    error: float,
    epsilon: float | None = None,
    *,
    trust: Trust = "local",
    level: float | None = None,
    radius: float | str | None = None,
    delta: float = 1e-6,
    resultant: float = 1.0,
    max_rows_per_person: int = 1,
    dim: int = 2,
    power: float = 0.8,
    blur: float = geometry.TURN / 3.0,
    region: dict[str, Any] | None = None,
) -> list[Need]:
    """People that each mechanism and calibration needs for an error, the fewest first.

    Parameters
    ----------
    task : {"mean", "compare", "histogram", "map"}
        What is estimated: the mean direction of the people; whether two groups differ; the density of a day, seen
        through a blur; the density of a map, seen through a blur.
    error : float
        Of a mean: the mean absolute error that it may have, in radians. Of two groups: how far one is after the
        other, in radians, where the band of :func:`dirpriv.estimators.estimate_density_difference` at the error rate
        5 % is to show that they differ; people are those of each group. Of a histogram: the blur in radians that
        :func:`dirpriv.estimators.estimate_density_band` is to take by itself. Of a map: the blur in metres, for which
        the intervals of uniform people, of all soft districts of this side together, are at most an even share.
    epsilon : float, optional
        Pure level ε of a person, all rows together; with δ if reports are shuffled or noise is Gaussian. For a mean.
    trust : {"local", "shuffled", "central"}, keyword-only
        Who sees the values, see :mod:`dirpriv.planner`.
    level : float, optional, keyword-only
        In place of ``epsilon``: the level of one row between directions at most ``radius`` apart, as of
        :func:`dirpriv.release.file`. Of a person it is ``max_rows_per_person`` times as much.
    radius : float or str, optional, keyword-only
        Radius of ``level`` in radians, or a text such as ``"3h"`` (of a day) or ``"45deg"``; of a map in
        metres, as ``"200m"``. Shuffled reports are those of a :class:`dirpriv.release.CircleRelease`. The
        central level takes no account of it: it holds for any two values.
    delta : float, keyword-only
        δ of shuffled and of Gaussian levels.
    resultant : float, keyword-only
        Mean resultant length R of the people's directions: 1 if all are equal. For smaller ones the
        people are taken to be von Mises-Fisher, and the error is that against the mean of the same people.
    max_rows_per_person : int, keyword-only
        Rows of each person: reports, which share ``epsilon`` and have ``level`` each. They are taken to
        differ as those of different people do. A data owner adds the mean of each person's vectors.
    dim, power : int and float, keyword-only
        Length of the vectors, 2 for times of day; of two groups, the probability that the band, or under central
        trust a normal test of the means, shows the difference.
    blur : float, keyword-only
        Of two groups: the blur in radians through which they are seen; a third of a turn sees a shift best.
    region : dict, optional, keyword-only
        Of a map: ``region_centre``, ``region_reach``, ``cell_size`` of :class:`dirpriv.release.PlaneRelease`.

    Raises
    ------
    ValueError
        If the task or the trust is unknown, a number is out of range, or not one kind of level is given.

    Examples
    --------
    >>> from dirpriv import planner
    >>> for need in planner.sample_sizes("mean", 0.1, 1.0)[:3]:
    ...     print(need.mechanism, need.calibration, need.people)
    cap for one direction tight 301
    cap tight 307
    von Mises-Fisher tight 530
    """
    validate.check_one_of("task", task, get_args(Task))
    validate.check_one_of("trust", trust, get_args(Trust))
    if (task == "map") != (region is not None):
        raise InvalidArgument("region", "goes with the task 'map': its centre, reach and cells")
    error, resultant = validate.positive("error", error), central.checked_resultant(resultant)
    if error >= (limit := _LIMITS[task])[0]:
        raise InvalidArgument("error", f"must be below {limit[1]}", got=error)
    if error < _FINEST:
        raise InvalidArgument("error", f"must be at least {_FINEST:g} rad", got=error, hint="no survey is so large")
    delta, power = validate.share("delta", delta), validate.share("power", power)
    dim, rows = validate.dimension(dim), validate.integer("max_rows_per_person", max_rows_per_person, 1)
    if dim > 2 and task != "mean":
        raise InvalidArgument("dim", "must be 2, the circle, except for a mean", got=dim)
    if (epsilon is None) == (level is None) or (level is None) != (radius is None):
        raise InvalidArgument(f"give either {named('epsilon')}, or {named('level')} and {named('radius')}")
    makers: Any = _PURE
    radii: list[Any] = []
    reach = None
    if level is not None and radius is not None:
        level, radii = validate.positive("level", level), [radius]
        is_local_mean = task == "mean" and trust == "local"
        makers = {name: make for name, make in _WITHIN.items() if is_local_mean or name == "Purkayastha, released"}
        if region is not None:
            release = PlaneRelease.within(level, radius, **region)
            reach = release.region_reach
            place_densities.checked_blur(release.noise, reach, None, error)
            makers = {"planar Laplace, released": lambda *level, dim: PlaneRelease.within(*level, **region)}
        else:
            radii = [quantity := units.in_distribution_unit("radius", radius)]
            validate.check_at_most("radius", quantity, np.pi, "half a turn, π or 12h", radius)
        epsilon = level * rows
    elif task != "mean":
        rule = f"the task {task!r} needs {named('level')} and {named('radius')}"
        raise InvalidArgument(rule, hint="within 12h, a level of times is a pure level")
    epsilon = validate.positive("epsilon", epsilon)
    if level is None or trust != "local":
        hint = "such a level is no privacy, and one person's report has hardly an error"
        validate.check_at_most("epsilon", epsilon, _MOST_EPSILON, f"{_MOST_EPSILON:g}", epsilon, hint)
    blur = error if task == "histogram" else validate.positive("blur", blur)
    if not _BLURS[0] <= blur < _BLURS[1]:
        raise InvalidArgument("blur", "must be from 1/288 to 1/3 of a turn, 5min to 8h of a day", got=blur)
    survey = _Survey(task, error, dim, resultant, power, blur, reach)
    level = epsilon / rows if level is None else level
    if trust == "local":
        plans = _local(makers, survey.reports, dim, rows, level, *radii)
    elif trust == "central" and rows > 1 and task in ("histogram", "map"):
        rule = "must be 1 for shares under central trust: the number of all rows is not public, and costs accuracy"
        raise InvalidArgument("max_rows_per_person", rule, got=rows)
    elif trust == "central":
        plans = _central(epsilon, delta, survey)
    elif region is not None:
        raise InvalidArgument("trust", f"must not be 'shuffled': {NO_PLACES}")
    else:  # a change of one person changes all their rows
        of_each = delta / (rows * np.exp((rows - 1) * level))
        plans = _shuffled(makers, radius, level, of_each, survey, rows)
    needs = [
        Need(trust, name, calibration, people, error, resultant, noise, local, row, task)
        for name, calibration, noise, people, local, row in plans
    ]
    return sorted(needs, key=lambda need: need.people)


def people_near(width: float, time_noise: Any, place_noise: Any, *, side: float, bins: int = 8) -> int:
    """People of a place who are needed for its hours, as of :func:`dirpriv.estimators.estimate_busyness`.

    They are those in one district. Around it, people are as dense, and even over the day. Enough are those for whom
    the intervals of 95 % are on average so narrow, and the error without shrinkage is at most 10 points. In simulations
    of six days at the levels 1, 3 and 10, intervals were 0.67 to 1.16 times as wide as planned.

    Parameters
    ----------
    width : float
        Width of an interval of the share of a bin in the blurred hours, as a fraction of 1: 0.2 for ± 10 points.
    time_noise, place_noise : object
        ``noise`` of a release of times and of one of places, or a symmetric distribution and a planar Laplace one.
    side, bins : float and int, keyword-only
        Of the district in metres, and of the day.

    Examples
    --------
    >>> from dirpriv import planner
    >>> from dirpriv.release import CircleRelease, PlaneRelease
    >>> times = CircleRelease.within(1.0, "3h").noise
    >>> city = {"region_centre": (40.75, -73.98), "region_reach": "5km", "cell_size": "20m"}
    >>> places = PlaneRelease.within(1.0, "200m", **city).noise
    >>> planner.people_near(0.2, times, places, side=1000.0)
    2200
    """
    width, side = validate.share("width", width), validate.positive("side", side)
    bins = validate.integer("bins", bins, 2)
    support = place_supports.district_support(np.zeros((1, 2)), place_noise, side / 2.0, 1, None)
    shown = busyness.fewest_reports(support, time_noise, bins) / len(support.places)
    noises = time_noise, place_noise

    def is_enough(people: int) -> bool:
        return people >= shown and busyness_intervals.usual_width(noises, side, bins, people, _ERROR) <= width

    return _fewest(is_enough)


def _fewest(is_enough: Callable[[int], bool]) -> int:
    """Reports that are enough."""
    people = shared.fewest_people(is_enough)
    if people is None:
        hint = "plan a higher level, or less: a larger number, fewer bins or a larger district"
        raise InvalidArgument("100 million people are not enough", hint=hint)
    return people


@dataclass(frozen=True)
class _Survey:
    """What is estimated, and how well."""

    task: Task
    error: float
    dim: int
    resultant: float
    power: float
    blur: float
    region_reach: float | None

    def reports(self, noise: Any) -> int:
        """Reports with this noise that are enough; of each group, where there are two."""
        if self.task == "mean":
            return estimators.sample_size_for_error(noise, self.error, x=self.directions)
        if self.region_reach is not None:
            return _fewest(place_intervals.supports(noise, self.region_reach, self.error, _ERROR))
        return _fewest(lambda people: self.enough(noise, people))

    @functools.cached_property
    def directions(self) -> Any:
        return assumed_populations.directions(self.resultant, self.dim)

    @functools.cached_property
    def groups(self) -> Any:
        """Shares of the people of two groups in minutes of a day, the second one later; of R = 1 within minutes."""
        angles = np.linspace(0.0, geometry.TURN, 1440, endpoint=False) - np.array([[0.0], [self.error]])
        kappa = assumed_populations.distribution_of(min(self.resultant, 0.9999), 2).kappa
        people = np.exp(kappa * (np.cos(angles) - 1.0))
        return people / people.sum(axis=1, keepdims=True)

    def to_tell_sums(self, noise: float) -> int:
        """People of each group whose sums with noise of this deviation a normal test tells apart.

        The direction of a mean of n has the variance (1 - E cos 2θ)/(2 n) + noise²/n² across, over the square of its
        length; the θ are angles of people from the mean of their group.
        """
        across = 0.0
        if self.resultant < 1.0:
            across = assumed_populations.distribution_of(self.resultant, 2).mean_squared_sine()
        ends = scipy.special.ndtri(1.0 - 0.5 * _ERROR) + scipy.special.ndtri(self.power)
        scale = 2.0 * (ends / (self.error * self.resultant)) ** 2
        return max(math.ceil(0.5 * scale * (across + math.sqrt(across**2 + 4.0 * noise**2 / scale))), 1)

    def enough(self, noise: Any, reports: int) -> bool:
        """Whether a blur of times is supported, or a difference is shown."""
        around = circle_noise(noise)
        if self.task == "histogram":
            return density_bands.supports([around], [reports], self.blur, _ERROR)
        return density_bands.difference_power(around, reports, self.groups, self.blur, _ERROR) >= self.power


def recommend(task: Task, error: float, epsilon: float | None = None, **options: Any) -> Recommendation:
    """The mechanism that needs the fewest people, by how much, and why.

    Parameters
    ----------
    task, error, epsilon, **options : str, float, float and others
        As for :func:`sample_sizes`, with its errors.

    Examples
    --------
    >>> from dirpriv import planner
    >>> recommendation = planner.recommend("mean", 0.1, 1.0)
    >>> recommendation.best.mechanism, recommendation.best.people
    ('cap for one direction', 301)
    """
    needs = sample_sizes(task, error, epsilon, **options)
    best = needs[0]
    if not math.isfinite(best.people):
        raise InvalidArgument(f"no number of people is enough for an error of {error!r}", hint="use a larger level")
    others = ", ".join(
        f"{need.mechanism}{'' if need.calibration == 'tight' else ' as published'} "
        f"{need.people / best.people:.2f} times as many"
        for need in needs[1:]
    )
    why = f"{best.mechanism} needs {best.people:.0f} people, {others}. {_REASONS[best.mechanism]}"
    return Recommendation(best, tuple(needs), why)


def _local(makers: _Makers, needed: Callable[..., int], dim: int, rows: int, *level: float) -> Iterator[Any]:
    """Mechanism by mechanism: name, calibration, distribution, people, pure level and level of a report."""
    for name, make in makers.items():
        if dim > 2 and name in ("wrapped Laplace", "Purkayastha, released"):  # of the circle alone
            continue
        distributions_of = {"tight": make(*level, dim=dim).noise}
        if name in ("von Mises-Fisher", "wrapped Laplace") and makers is _PURE:
            distributions_of["published"] = make(*level, dim=dim, calibration="published").noise
        for calibration, noise in distributions_of.items():
            yield name, calibration, noise, math.ceil(needed(noise) / rows), noise.pure_level(), level[0]


def _shuffled(makers: _Makers, distance: Any, level: float, delta: float, survey: _Survey, rows: int) -> Iterator[Any]:
    """The largest level of a report at which as many people as the error needs hide it well enough.

    The larger it is, the fewer people are needed for the error, and the less they hide each other. Of a level
    within a radius it has four digits, for the command that releases.
    """
    radii = [] if distance is None else [distance]
    # of a level that a release within a radius states with four digits, rounded up, a little is spare
    kept = level if distance is None else level * (1.0 - 1.5e-3)
    for name, maker in makers.items():
        if name == "wrapped Laplace":
            continue

        def make(own: float, maker: Callable[..., Any] = maker) -> Any:
            return maker(own, *radii, dim=survey.dim)

        def hidden(reports: int | None, make: Callable[..., Any] = make) -> float:
            """The largest level at which this many reports hide each other; None: as many as a mean needs."""

            def excess(own: float) -> float:
                noise = make(own).noise
                count = survey.reports(noise) if reports is None else reports
                return math.log(max(guarantees.shuffled_delta(noise, count, kept, distance=distance), 1e-300) / delta)

            own = boundary(excess, 2.0 * level, level, max(level, 50.0), near=5e-5)  # beyond 50 nothing is gained
            down = decimal.Context(prec=4, rounding=decimal.ROUND_FLOOR)
            return own if distance is None else max(float(down.create_decimal(own)), level)

        reports = None
        if survey.task != "mean":
            reports = _fewest(lambda number: survey.enough(make(hidden(number)).noise, number))
        own = hidden(reports)
        noise = make(own).noise
        yield name, "tight", noise, math.ceil((reports or survey.reports(noise)) / rows), noise.pure_level(), own


def _central(epsilon: float, delta: float, survey: _Survey) -> Iterator[Any]:
    dim, of_none = survey.dim, (math.inf, math.inf)
    gaussian = mechanisms.GaussianSum(epsilon, delta, dim=dim)
    if survey.task == "compare":
        people: float = survey.to_tell_sums(gaussian.sigma)
        yield "Gaussian on the sum", "tight", gaussian, people, *of_none
    elif survey.task != "mean":  # replacing a person changes two counts by 1, and noise is at most t, at 95 %
        whole = geometry.TURN if survey.region_reach is None else 2.0 * survey.region_reach
        bins = math.floor(whole / survey.error + 1e-9) ** (1 if survey.region_reach is None else 2)  # all at once
        people = math.ceil(4.0 * math.log(bins / _ERROR) * bins / epsilon)
        yield "Laplace on the counts", "tight", None, people, *of_none
    else:
        laplace = mechanisms.VectorLaplaceSum(epsilon, dim=dim)
        for name, sums in (("Gaussian on the sum", gaussian), ("Laplace on the sum", laplace)):
            people = sums.sample_size(survey.error, resultant=survey.resultant)
            yield name, "tight", sums, people, *of_none
        noise = mechanisms.PurkayasthaMechanism.pure(epsilon, dim=dim).noise
        people = 1 if noise.mean_angle() <= survey.error else np.inf
        yield "Purkayastha on the mean direction", "published", noise, people, *of_none
