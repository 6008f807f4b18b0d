"""Samplers of the rotation Laplace angle, as printed and exact (SO(3) paper, Section 3.3 and Figure 2).

Figure 2 of the paper holds an "efficient" sampler against an "inefficient" one at ε = 8. The efficient one is
the gamma law in the place of the exact one. The inefficient one is rejection; it "fails to converge, leading
to a drastic over-representation of larger distances", which rejection that goes on until it accepts cannot
do, and one that gives up after a number of iterations does.
"""

import numpy as np
import pandas as pd
from scipy import stats

from dirpriv import seeding
from dirpriv.rotations import RotationLaplace, RotationUniform, published
from study.core.estimates import density_of_draws, mean_of_cdf, mean_of_draws, tidy_row
from study.core.job import job, with_progress, write_csv

SAMPLERS = ("exact", "gamma", "gamma_of_scale", "printed", "printed_capped", "haar", "haar_capped")
"""Of this package; the paper's gamma law; the same with ε taken for the scale, where it is the rate;
rejection from the printed proposal until one is accepted, and with a cap on the iterations; and both from
Haar measure, the proposal that the paper means."""


def draw(sampler, epsilon, size, cap, rng):
    """Angles by the named sampler, in radians."""
    match sampler:
        case "exact":
            return RotationLaplace(epsilon).angle_rvs(size, rng=rng)
        case "gamma":
            return published.gamma_angle_rvs(epsilon, size, beyond="wrap", rng=rng)
        case "gamma_of_scale":
            return published.gamma_angle_rvs(1.0 / epsilon, size, beyond="wrap", rng=rng)
        case "printed":
            return published.printed_angle_rvs(epsilon, size, threshold=np.inf, rng=rng)
        case "printed_capped":
            return published.printed_angle_rvs(epsilon, size, threshold=np.inf, cap=cap, rng=rng)
        case "haar":
            return published.rejection_angle_rvs(epsilon, size, rng=rng)
        case "haar_capped":
            return published.rejection_angle_rvs(epsilon, size, cap=cap, rng=rng)
    raise ValueError(f"'sampler' must be one of {', '.join(SAMPLERS)}; got {sampler!r}")


def target_cdf(sampler, epsilon, cap):
    """CDF of the law that the named sampler really draws from, a function of angles in [0, π]."""
    match sampler:
        case "exact" | "haar":
            return RotationLaplace(epsilon).angle_cdf
        case "gamma":
            return lambda theta: published.gamma_angle_cdf(theta, epsilon, beyond="wrap")
        case "gamma_of_scale":
            return lambda theta: published.gamma_angle_cdf(theta, 1.0 / epsilon, beyond="wrap")
        case "printed":
            return lambda theta: published.printed_angle_cdf(theta, epsilon)
        case "printed_capped":
            return lambda theta: published.printed_angle_cdf(theta, epsilon, cap=cap)
        case "haar_capped":
            exact, haar = RotationLaplace(epsilon), RotationUniform()
            late = (1.0 - np.exp(exact.log_normalizer())) ** (cap - 1)  # the last proposal stands
            return lambda theta: (1.0 - late) * exact.angle_cdf(theta) + late * haar.angle_cdf(theta)
    raise ValueError(f"'sampler' must be one of {', '.join(SAMPLERS)}; got {sampler!r}")


def proposals_per_draw(sampler, epsilon, cap):
    """Mean number of proposals for one draw by the paper's rejection; nan for the other samplers."""
    if sampler.startswith("printed"):
        accepted = published.printed_acceptance(epsilon)
    elif sampler.startswith("haar"):
        accepted = float(np.exp(RotationLaplace(epsilon).log_normalizer()))
    else:
        return np.nan
    return (1.0 - (1.0 - accepted) ** cap) / accepted if sampler.endswith("_capped") else 1.0 / accepted


def summarise(angles, sampler, epsilon, settings):
    """One row: mean angle with its interval, that of the law drawn from and of the exact one, and two tests.

    ``ks_distance`` and ``p_value`` are of the Kolmogorov-Smirnov test against exact rotation Laplace,
    ``target_p_value`` is of the test against the law that the sampler should draw from.
    """
    exact, target = RotationLaplace(epsilon), target_cdf(sampler, epsilon, settings["cap"])
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
    """Drawn density of the angle per degree, in bins of equal width, with its interval.

    ``expected`` is that of the law drawn from, ``exact`` that of rotation Laplace.
    """
    edges = np.linspace(0.0, 180.0, settings["bins"] + 1)
    width, radians = edges[1] - edges[0], np.deg2rad(edges)
    probabilities = target_cdf(sampler, epsilon, settings["cap"])(radians)
    density = density_of_draws(np.rad2deg(angles), edges, width, probabilities)
    return pd.DataFrame(dict(
        experiment="rotation_samplers", sampler=sampler, epsilon=epsilon, n=len(angles),
        angle=0.5 * (edges[1:] + edges[:-1]), metric="density", unit="1/deg", **density,
        exact=np.diff(RotationLaplace(epsilon).angle_cdf(radians)) / width,
    ))  # fmt: skip


def simulate(settings, seed):
    """All samplers at every ε: rows of :func:`summarise`, and of :func:`histogram`."""
    rows, histograms = [], []
    cells = [(epsilon, sampler) for epsilon in settings["epsilons"] for sampler in SAMPLERS]
    for epsilon, sampler in with_progress("samplers of rotations", cells):
        rng = seeding.generator(seed, "rotation_samplers", sampler, epsilon)
        angles = draw(sampler, epsilon, settings["draws"], settings["cap"], rng)
        rows.append(summarise(angles, sampler, epsilon, settings))
        histograms.append(histogram(angles, sampler, epsilon, settings))
    return pd.DataFrame(rows), pd.concat(histograms)


if __name__ == "__main__":
    with job(snakemake):
        summary, histograms = simulate(snakemake.params.settings, snakemake.params.seed)
        write_csv(summary, snakemake.output.summary)
        write_csv(histograms, snakemake.output.histograms)
