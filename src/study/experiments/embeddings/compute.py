"""Unit vectors of many coordinates: Algorithm 1 with general-purpose quadrature, and errors at the same promise."""

from functools import partial
from itertools import product

import numpy as np

from dirpriv import estimators, guarantees
from study.experiments.embeddings import bisection_sampler
from study.experiments.embeddings.normalised_gaussian import NormalisedGaussian
from study.papers.directions import closed_form_cdf
from study.simulation.mechanisms import class_of, if_promised
from study.workflow.job import job, with_progress, write_tables

GAUSSIAN = "normalised_gaussian"
MECHANISMS = ("von_mises_fisher", "purkayastha", GAUSSIAN, "cap", "staircase")
PROMISES = ("pure", "per_radian", "within", "approximate")


def closed_form(dim, kappa, depth):
    """The CDF of the angle by the paper's closed form, at the ends of the parts after ``depth`` bisections."""
    values = closed_form_cdf(np.pi * np.arange(2**depth + 1) / 2**depth, dim, kappa)
    return lambda theta: values[round(theta / np.pi * 2**depth)]


def algorithm_1(settings):
    """What Algorithm 1 draws with quadrature and with the closed form, beside the exact distribution."""
    depth = bisection_sampler.DEPTHS[-1]
    for dim, epsilon in with_progress("Algorithm 1", product(settings["dimensions"], settings["epsilons"])):
        exact = class_of("purkayastha")(epsilon, dim=dim).noise
        cdfs = {
            "quadrature": bisection_sampler.quadrature_cdf(dim, epsilon),
            "closed form": closed_form(dim, epsilon, depth),
        }
        for method, cdf in cdfs.items():
            row = dict(experiment="embeddings", dim=dim, epsilon=epsilon, method=method, expected=exact.mean_cosine())
            row["status"] = "drawn" if cdf else "the integral is 0"
            if cdf:
                parts = bisection_sampler.drawn_parts(cdf, settings["most_integrals"])
                row |= bisection_sampler.against_exact(parts, exact)
            yield row


def noise_of(name, promise, level, dim, settings):
    """The noise of a mechanism that spends the whole of a promise; None if it cannot promise that."""
    radius, delta = {"pure": np.pi, "within": settings["radius"]}.get(promise), settings["delta"]
    if name == GAUSSIAN:
        own = NormalisedGaussian
        return own.approximate(dim, level, delta) if promise == "approximate" else own.calibrated(dim, level, radius)
    if promise == "approximate":
        return None if name == "staircase" else class_of(name).approximate(level, delta, dim=dim).noise
    if radius is None:
        mechanism = if_promised(name, promise, level, dim)
        return mechanism and mechanism.noise
    if name == "staircase":
        return class_of(name).within(level, radius, dim=dim).noise
    if name == "cap":  # its pure level is its level within every radius
        return class_of(name).pure(level, dim=dim).noise
    family = partial(class_of(name).noise_type, dim)
    return family(guarantees.largest_concentration(family, within=(level, radius)))


def errors(settings, error):
    """Error of one response, and responses for a mean with a given error if all are equal, in the limit of large N."""
    for promise in PROMISES:
        for level, dim, name in product(settings[promise], settings["dimensions"], MECHANISMS):
            noise = noise_of(name, promise, level, dim, settings)
            row = dict(experiment="embeddings", promise=promise, level=level, dim=dim, mechanism=name)
            row["status"] = "kept" if noise else "none"
            if noise:
                responses = (estimators.expected_mean_error(noise, 1) / error) ** 2
                row |= dict(mean_angle=noise.mean_angle(), mean_cosine=noise.mean_cosine(), responses=responses)
            yield row


if __name__ == "__main__":
    with job(snakemake):
        settings = snakemake.params.settings
        errors_of_all = errors(settings, snakemake.params.error)
        write_tables(snakemake.output, algorithm=algorithm_1(settings), errors=errors_of_all)
