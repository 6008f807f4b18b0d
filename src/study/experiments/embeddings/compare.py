"""One word of a public list, released at the same level: the list with its weights, and what else is done."""

import numpy as np

from dirpriv.release import FiniteRelease
from study.experiments.embeddings.word_vectors import texts, word_vectors
from study.simulation.estimates import Estimate, mean_of_draws, share_of_draws
from study.simulation.mechanisms import class_of
from study.simulation.seeding import generator
from study.workflow.job import job, with_progress, write_csv

NOISE = "purkayastha"


def share_and_angle(chances, angles):
    """Share of true words, and mean angle, of a table of probabilities."""
    return Estimate(float(np.diagonal(chances).mean())), Estimate(float((chances * angles).sum(axis=1).mean()))


def share_and_angle_by_weights(weights, angles):
    """The same of a table in proportion to these weights."""
    return share_and_angle(weights / weights.sum(axis=1, keepdims=True), angles)


def share_and_angle_by_noise(vectors, angles, level, draws, rng):
    """The same of the word nearest to a noisy vector, of each word drawn equally often."""
    true = np.arange(draws) % len(vectors)
    noisy = class_of(NOISE)(level, dim=vectors.shape[1]).noise.rvs(vectors[true], rng=rng)
    nearest = np.argmax(noisy @ vectors.T, axis=1)
    return share_of_draws(int((nearest == true).sum()), draws), mean_of_draws(angles[true, nearest])


def rows(settings, seed):
    """A row for each level, method and metric; ``pure`` is the level of the table between any two words."""
    words, vectors = word_vectors(texts(), settings["words"], settings["coordinates"])
    angles = np.arccos(np.clip(vectors @ vectors.T, -1.0, 1.0))
    np.fill_diagonal(angles, 0.0)
    for level in with_progress("words", settings["words_per_radian"]):
        release = FiniteRelease(level, words, vectors=vectors)
        pure, rng = release.certificate.pure, generator(seed, "embeddings", level)
        of_methods = {
            "certified_weights": share_and_angle(release.noise.transitions(), angles),
            "exponential": share_and_angle_by_weights(np.exp(-0.5 * level * angles), angles),
            NOISE: share_and_angle_by_noise(vectors, angles, level, settings["draws"], rng),
            "randomised_response": share_and_angle_by_weights(np.exp(-pure * (angles > 0.0)), angles),
        }
        for method, estimates in of_methods.items():
            for metric, of in zip(("unchanged", "angle"), estimates, strict=True):
                row = dict(experiment="embeddings", level=level, pure=pure, mechanism=method, metric=metric)
                yield row | dict(value=of.value, low=of.low, high=of.high)


if __name__ == "__main__":
    with job(snakemake):
        write_csv(rows(snakemake.params.settings, snakemake.params.seed), snakemake.output[0])
