"""Mean angle of every mechanism on rotations against ε, at the same level of φ₆-privacy, and as printed.

All mechanisms lose at most ε per radian of the rotation angle φ₆, each by its tight calibration. Bingham
also appears with the paper's budget (π/4)ε, which spends only (π/8)ε. ``printed`` is the paper's own Laplace
sampler at the ε it claims. Its proposal, below ε = 3.5, is private at no level: its density is unbounded at the true
rotation. From 3.5 on it draws from a gamma distribution. With angles above π rejected, the first reading, its level is
ε. As rotations by such angles they are wrapped, and the density is unbounded again. ``above_pi`` and ``above_two_pi``
are the shares of these angles, and ``too_steep`` is that of the outputs at which the level fails.
"""

import numpy as np

from dirpriv import guarantees
from dirpriv.distributions import RotationLaplace
from study.papers import rotations
from study.simulation import seeding
from study.simulation.estimates import mean_of_cdf, mean_of_draws, tidy_row
from study.simulation.mechanisms import class_of, compared_on_rotations
from study.workflow.job import job, with_progress, write_csv

PRINTED = ("printed", "published")


def point(name, calibration, epsilon, draws, rng):
    """Drawn angles in radians, and mean, concentration and guaranteed level per radian of their distribution."""
    if name == "printed":
        level = np.inf if epsilon < rotations.THRESHOLD else rotations.gamma_level(epsilon)
        return rotations.printed_angle_rvs(epsilon, draws, rng=rng), printed_mean(epsilon), epsilon, level
    noise = class_of(name)(epsilon, calibration=calibration).noise
    return noise.angle_rvs(draws, rng=rng), noise.mean_angle(), noise.kappa, guarantees.metric_level(noise)


def printed_mean(epsilon):
    """Mean angle of the paper's sampler, by the distribution that it draws from at this ε."""
    if epsilon < rotations.THRESHOLD:
        return rotations.printed_mean_angle(epsilon)
    return mean_of_cdf(lambda theta: rotations.gamma_angle_cdf(theta, epsilon))


def shares_beyond(name, epsilon):
    """Shares of the paper's gamma angles above π, above 2π and, if wrapped, where too steep; nan for all others."""
    if name != "printed" or epsilon < rotations.THRESHOLD:
        return dict.fromkeys(("above_pi", "above_two_pi", "too_steep"), np.nan)
    beyond = rotations.gamma_share_beyond(np.pi, epsilon), rotations.gamma_share_beyond(2.0 * np.pi, epsilon)
    return {"above_pi": beyond[0], "above_two_pi": beyond[1], "too_steep": rotations.wrapped_gamma_too_steep(epsilon)}


def simulate(settings, seed):
    """Mean angles, ratios to rotation Laplace, and levels really guaranteed, over the grid of ε."""
    draws, pairs = settings["draws"], [*compared_on_rotations(), PRINTED]
    cells = [(epsilon, *pair) for pair in pairs for epsilon in settings["epsilons"]]
    for epsilon, name, calibration in with_progress("errors of rotations", cells):
        rng = seeding.generator(seed, "rotation_errors", name, calibration, epsilon)
        angles, expected, kappa, level = point(name, calibration, epsilon, draws, rng)
        mean, best = mean_of_draws(angles), RotationLaplace(epsilon).mean_angle()
        yield tidy_row(
            "rotation_errors", mean, mechanism=name, calibration=calibration, epsilon=epsilon, kappa=kappa,
            metric_level=level, n=draws, metric="mean_angle", unit="rad", expected=expected,
            ratio=mean.value / best, ratio_expected=expected / best, **shares_beyond(name, epsilon),
        )  # fmt: skip


if __name__ == "__main__":
    with job(snakemake):
        write_csv(simulate(snakemake.params.settings, snakemake.params.seed), snakemake.output[0])
