"""Error of a mean direction at a pure level ε of a *person*, who has several responses.

Three ways to spend the level ε of a person who has T responses:

``budget_split``  every response is randomised at ε/T
``one_response``  one response, chosen at random, is randomised at ε
``own_mean``      the direction of the sum of the person's own responses is randomised at ε

What is estimated is the *mean of persons*: the direction of the mean, over all people, of the mean vector of
each person's responses. Every person has the same weight. The first two ways estimate it without bias. In the
third, everyone has the same weight as a unit vector, however spread their responses are. So its estimate
tends to another direction where people are spread differently in different directions.

The noise is that of the table of :meth:`dirpriv.release.CircleRelease.pure`, the cap, drawn by a generator.
"""

import numpy as np

from dirpriv import geometry
from dirpriv.distributions import VonMisesFisher
from dirpriv.release import CircleRelease
from study.checkins import prepared
from study.simulation import seeding
from study.simulation.estimates import mean_of_draws, tidy_row
from study.simulation.populations import MODELS
from study.workflow.job import job, with_progress, write_rows
from study.workflow.parquet import hashed

STRATEGIES = ("budget_split", "one_response", "own_mean")
BLOCK = 1 << 20  # responses drawn at a time
COLUMNS = ["experiment", "view", "population", "mechanism", "strategy", "epsilon", "n", "responses", "metric"]
COLUMNS += ["unit", "value", "standard_error", "low", "high", "repetitions"]


class GroupPopulation:
    """People of some groups, whose distributions are given by the configuration."""

    def __init__(self, groups):
        self.groups, self.shares = groups, [group["share"] for group in groups]
        kappas = [(group["people"], group["responses"]) for group in groups]
        lengths = [np.prod([VonMisesFisher(2, kappa).mean_cosine() for kappa in both]) for both in kappas]
        self.hours = geometry.hours_to_angles([group["hour"] for group in groups])
        self.truth = float(np.angle((np.multiply(self.shares, lengths) * np.exp(1j * self.hours)).sum()))

    def draw(self, people, count, rng):
        """``count`` responses of each of some people, as complex numbers of length 1: people × responses."""
        of, vectors = rng.choice(len(self.groups), people, p=self.shares), np.empty((people, count), complex)
        for number, group in enumerate(self.groups):
            rows = np.flatnonzero(of == number)
            directions = np.exp(1j * self.hours[number]) * _around(group["people"], (rows.size, 1), rng)
            vectors[rows] = directions * _around(group["responses"], (rows.size, count), rng)
        return vectors


def _around(kappa, shape, rng):
    """Draws of a von Mises distribution about 1, as complex numbers."""
    return VonMisesFisher(2, kappa).rvs([1.0, 0.0], shape, rng=rng).view(complex)[..., 0]


class Persons:
    """People of a table of check-ins, each with many; a response is a random one of a person's check-ins."""

    def __init__(self, path, fewest):
        columns = ['hash("user") AS rank', hashed('"user"') + " AS person", "local_time"]
        blocks = list(prepared.blocks(path, columns))
        # in the order of a hash that is the same in every process, and told apart by one with a key
        ranks, names = (np.concatenate([block[name] for block in blocks]) for name in ("rank", "person"))
        seconds = np.concatenate([prepared.seconds_of_day(block) for block in blocks])
        order = np.lexsort((names, ranks))
        ranks, names = ranks[order], names[order]
        self.vectors = np.exp(1j * geometry.hours_to_angles(seconds[order] / 3600.0))
        others = (ranks[1:] != ranks[:-1]) | (names[1:] != names[:-1])
        first = np.flatnonzero(np.concatenate([[True], others]))
        counts = np.diff(np.append(first, len(names)))
        sums = np.add.reduceat(self.vectors, first)
        many = counts >= fewest
        self.first, self.counts = first[many], counts[many]
        self.truth = float(np.angle(np.sum(sums[many] / self.counts)))

    def draw(self, people, count, rng):
        """As :meth:`GroupPopulation.draw`; the people are drawn with replacement."""
        of = rng.integers(len(self.counts), size=people)
        which = rng.random((people, count)) * self.counts[of, None]
        return self.vectors[self.first[of, None] + which.astype(np.intp)]


class CapReports:
    """Private reports at a pure level: of a cell, the middle of another as a complex number of length 1.

    The cap has two probabilities. So a report is even over all cells, or else over those of the cap.
    """

    def __init__(self, epsilon, cells):
        shares = CircleRelease.pure(epsilon, cells=cells).noise.probabilities
        high = shares > shares.min()
        self.cells, self.even, self.many = cells, float(shares.min() * cells), np.count_nonzero(high)
        self.first = int(np.flatnonzero(high & ~np.roll(high, 1))[0])
        self.vectors = np.exp(2j * np.pi * (np.arange(3 * cells) + 0.5) / cells)

    def draw(self, cell, rng):
        """A report of each cell."""
        u, even = rng.random(cell.shape), self.even
        of_cap = self.first + (u - even) * (self.many / (1.0 - even))
        return self.vectors[cell + np.where(u < even, u * (self.cells / even), of_cap).astype(np.intp)]


def inputs_of(strategy, vectors):
    """What each person hands in; vectors are repetitions × people × responses."""
    if strategy == "budget_split":
        return vectors
    if strategy == "one_response":  # the responses are in random order
        return vectors[:, :, :1]
    return vectors.sum(axis=2, keepdims=True)


def cells_of(vectors, cells):
    """Cells of the circle that complex numbers point to; a time between two cells is in the later."""
    return np.floor(np.angle(vectors) * (cells / geometry.TURN) + 1e-9).astype(np.intp) % cells


def points_of(settings):
    """The points of the study: (view, level of a person, number of responses of a person)."""
    points = [("epsilon", epsilon, settings["responses"]) for epsilon in settings["epsilons"]]
    return points + [("responses", settings["epsilon"], count) for count in settings["responses_grid"]]


def errors_of(name, population, count, epsilons, settings, seed):
    """Signed errors of each strategy at each level: by both; all have the same people and responses."""
    people, samples = settings["people"], {}
    reports = {epsilon: CapReports(epsilon, settings["cells"]) for epsilon in epsilons}
    split_reports = {epsilon: CapReports(epsilon / count, settings["cells"]) for epsilon in epsilons}
    block = max(1, BLOCK // (people * count))
    for number in range(-(-settings["repetitions"] // block)):
        cell = "persons", name, count, number
        vectors = population.draw(block * people, count, seeding.generator(seed, *cell, "people"))
        vectors = vectors.reshape(block, people, count)
        for strategy in STRATEGIES:
            split = strategy == "budget_split"
            if split and number * block >= settings["split_repetitions"]:
                continue  # its errors are large, and fewer repetitions tell them
            inputs = cells_of(inputs_of(strategy, vectors), settings["cells"])
            for epsilon in epsilons:
                rng = seeding.generator(seed, *cell, strategy, str(epsilon))
                drawn = (split_reports if split else reports)[epsilon].draw(inputs, rng).sum(axis=(1, 2))
                errors = np.angle(drawn * np.exp(-1j * population.truth))
                samples.setdefault((strategy, epsilon), []).append(errors)
    wanted = dict.fromkeys(STRATEGIES, settings["repetitions"]) | {"budget_split": settings["split_repetitions"]}
    return {key: np.concatenate(errors)[: wanted[key[0]]] for key, errors in samples.items()}


def simulate(name, population, settings, seed):
    """Mean errors, and mean signed errors (``bias``), of all strategies on one population."""
    points = points_of(settings)
    for count in with_progress(f"persons, {name}", sorted({count for _, _, count in points})):
        epsilons = list(dict.fromkeys(epsilon for _, epsilon, other in points if other == count))
        samples = errors_of(name, population, count, epsilons, settings, seed)
        for view, epsilon, strategy in [(v, e, s) for v, e, c in points if c == count for s in STRATEGIES]:
            errors = samples[strategy, epsilon]
            for metric, values in (("mae", np.abs(errors)), ("bias", errors)):
                yield tidy_row(
                    "persons", mean_of_draws(values), view=view, population=name, mechanism="cap",
                    strategy=strategy, epsilon=epsilon, n=settings["people"], responses=count, metric=metric,
                    unit="rad", repetitions=errors.size,
                )  # fmt: skip


if __name__ == "__main__":
    with job(snakemake) as logger:
        name, settings = snakemake.wildcards.population, snakemake.params.settings
        if name in MODELS:
            population = GroupPopulation(settings[name])
        else:
            population = Persons(snakemake.input[0], max(settings["responses"], *settings["responses_grid"]))
        rows = []
        if name in MODELS or len(population.counts) > 1:
            rows = simulate(name, population, settings, snakemake.params.seed)
        else:
            logger.warning("no two people of '%s' have enough check-ins", name)
        write_rows(rows, snakemake.output[0], COLUMNS)
