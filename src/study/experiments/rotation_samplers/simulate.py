"""Samplers of the rotation Laplace angle, as printed and exact (SO(3) paper, Section 3.3 and Figure 2).

Figure 2 of the paper compares an "efficient" sampler with an "inefficient" one at ε = 8. The efficient one
replaces the exact distribution by the gamma distribution. The inefficient one is rejection; it "fails to converge,
leading to a drastic over-representation of larger distances". Rejection that continues until it accepts cannot do that;
rejection that gives up after a number of iterations does.
"""

import itertools
from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from dirpriv.distributions import RotationLaplace, RotationUniform
from study.papers import rotations
from study.simulation import seeding
from study.simulation.estimates import histogram_of_angles, mean_of_cdf, mean_of_draws, tidy_row
from study.workflow.job import job, with_progress, write_tables

SAMPLERS = ("exact", "gamma", "gamma_of_scale", "printed", "printed_capped", "haar", "haar_capped")
"""Of this package; the paper's gamma distribution; the same with ε taken for the scale, where it is the rate;
rejection from the printed proposal until one is accepted, and with a cap on the iterations; and both from
Haar measure, the proposal that the paper means."""


def sampler_and_cdf(sampler, epsilon, cap):
    """The named sampler, a function of size and ``rng``, and the CDF, in radians, of what it really draws."""
    exact, haar = RotationLaplace(epsilon), RotationUniform()
    late = (1.0 - np.exp(exact.log_normalizer())) ** (cap - 1)  # the share that takes the last proposal
    gamma, gamma_cdf = rotations.gamma_angle_rvs, rotations.gamma_angle_cdf
    wrapped, wrapped_cdf = (partial(draw, beyond="wrap") for draw in (gamma, gamma_cdf))
    printed = partial(rotations.printed_angle_rvs, epsilon, threshold=np.inf)
    printed_cdf = partial(rotations.printed_angle_cdf, epsilon=epsilon)
    rejection = partial(rotations.rejection_angle_rvs, epsilon)
    return {
        "exact": (exact.angle_rvs, exact.angle_cdf),
        "gamma": (partial(gamma, epsilon), partial(gamma_cdf, epsilon=epsilon)),
        "gamma_of_scale": (partial(wrapped, 1.0 / epsilon), partial(wrapped_cdf, epsilon=1.0 / epsilon)),
        "printed": (printed, printed_cdf),
        "printed_capped": (partial(printed, cap=cap), partial(printed_cdf, cap=cap)),
        "haar": (rejection, exact.angle_cdf),
        "haar_capped": (
            partial(rejection, cap=cap),
            lambda theta: (1.0 - late) * exact.angle_cdf(theta) + late * haar.angle_cdf(theta),
        ),
    }[sampler]


def proposals_per_draw(sampler, epsilon, cap):
    """Mean number of proposals for one draw by the paper's rejection; nan for the other samplers."""
    if sampler.startswith("printed"):
        accepted = rotations.printed_acceptance(epsilon)
    elif sampler.startswith("haar"):
        accepted = float(np.exp(RotationLaplace(epsilon).log_normalizer()))
    else:
        return np.nan
    return (1.0 - (1.0 - accepted) ** cap) / accepted if sampler.endswith("_capped") else 1.0 / accepted


def summarise(angles, sampler, epsilon, settings):
    """A row: the mean angle, drawn and by both distributions, and KS tests against each of them."""
    exact, (_, target) = RotationLaplace(epsilon), sampler_and_cdf(sampler, epsilon, settings["cap"])
    cap = settings["cap"] if sampler.endswith("_capped") else np.nan
    test = stats.kstest(angles, exact.angle_cdf)
    return tidy_row(
        "rotation_samplers", mean_of_draws(angles), mechanism="rotation_laplace", sampler=sampler,
        epsilon=epsilon, cap=cap, n=len(angles), metric="mean_angle", unit="rad",
        expected=mean_of_cdf(target),
        exact=exact.mean_angle(), ks_distance=test.statistic, p_value=test.pvalue,
        target_p_value=stats.kstest(angles, target).pvalue,
        proposals_per_draw=proposals_per_draw(sampler, epsilon, settings["cap"]),
    )  # fmt: skip


def histogram(angles, sampler, epsilon, settings):
    """Drawn density per degree with interval; ``expected`` of the distribution drawn from, ``exact`` of Laplace."""
    cdfs = {"expected": sampler_and_cdf(sampler, epsilon, settings["cap"])[1]}
    cdfs["exact"] = RotationLaplace(epsilon).angle_cdf
    columns = histogram_of_angles(np.rad2deg(angles), settings["bins"], **cdfs)
    cell = dict(experiment="rotation_samplers", sampler=sampler, epsilon=epsilon, n=len(angles))
    return pd.DataFrame(cell | columns)


def specifications(settings):
    """Mean angle of rejection with each cap over rotation Laplace's, by distribution; Figure 2 names no cap."""
    caps = sorted({settings["cap"], *settings["other_caps"]})
    readings = itertools.product(("printed_capped", "haar_capped"), settings["epsilons"], caps)
    for sampler, epsilon, cap in readings:
        mean = mean_of_cdf(sampler_and_cdf(sampler, epsilon, cap)[1])
        ratio = mean / RotationLaplace(epsilon).mean_angle()
        cell = dict(experiment="rotation_samplers", sampler=sampler, epsilon=epsilon, cap=cap)
        yield cell | dict(metric="mean_angle_ratio", unit="1", value=ratio)


def simulate(settings, seed):
    """All samplers at every ε: rows of :func:`summarise`, and of :func:`histogram`."""
    rows, histograms = [], []
    for epsilon, sampler in with_progress("samplers of rotations", itertools.product(settings["epsilons"], SAMPLERS)):
        rng = seeding.generator(seed, "rotation_samplers", sampler, epsilon)
        angles = sampler_and_cdf(sampler, epsilon, settings["cap"])[0](settings["draws"], rng=rng)
        rows.append(summarise(angles, sampler, epsilon, settings))
        histograms.append(histogram(angles, sampler, epsilon, settings))
    return pd.DataFrame(rows), pd.concat(histograms)


if __name__ == "__main__":
    with job(snakemake):
        summary, histograms = simulate(snakemake.params.settings, snakemake.params.seed)
        specified = specifications(snakemake.params.settings)
        write_tables(snakemake.output, summary=summary, histograms=histograms, specifications=specified)
