"""Formulas of the SO(3) paper beside the correct values, where deterministic computation can compare them.

Hildebrandt, Schömer and Hildebrandt, "Metric Differential Privacy on the Special Orthogonal Group SO(3)",
2025. Each form is evaluated over the angle θ; ``printed`` is the paper's side, ``exact`` the other one:

haar_proposal
    CDF of the proposal θ = 2 arccos √(1 - u) of Section 3.3, and of the angle under Haar measure.
haar_display
    CDF of the density ∝ sin(θ/2) that the same section displays, and of the angle under Haar measure.
laplace_cdf
    CDF of rotation Laplace by numerical integration, as the paper says it must be, and in elementary
    functions.
gamma_cdf
    CDF of Gamma(3, rate ε), kept below π by rejection, and of rotation Laplace.
theorem_1
    The bound √2 ε Φ with the Φ of Definition 1, and the largest log-ratio of the Bingham mechanism.
definition_1
    That Φ, and φ'₅, which Definition 1 says it is.
appendix_f
    √2 ε'_B Φ at the budget ε'_B = (π/4)ε with the Φ of Appendix F, and ε φ₆, below which it should stay.
printed_cdf
    F(ρ) of Section 3.4, a product of two integrals, and the CDF of rotation Laplace.
corollary_1_phi2, corollary_1_phi3, corollary_1_phi5, corollary_1_phi6
    ε times each of these distances, and the largest log-ratio of the Bingham mechanism.
phi5_bound
    √2 ε φ₅ (Section 4, Appendix F), and this log-ratio.
kent_bound
    The logarithms of M* g* and of f* in Appendix D, for the isotropic Bingham distribution at the angle θ.

:mod:`.totals` and :mod:`.identities` describe the other tables.
"""

import numpy as np
import pandas as pd
from scipy.spatial.transform import Rotation

from dirpriv import guarantees
from dirpriv.distributions import RotationBingham, RotationLaplace, RotationUniform
from dirpriv.geometry import rotation_distances as metrics
from study.experiments.rotation_forms import identities, totals
from study.papers import rotations as printed
from study.simulation import seeding
from study.simulation.estimates import integrated
from study.simulation.method_differences import both_sides
from study.workflow.job import job, write_tables


def laplace_integrals(epsilon, angles):
    """∫ sin²(θ/2) exp(-εθ) dθ up to ascending angles from 0 to π by ``scipy.integrate.quad``."""
    return integrated(lambda theta: np.sin(0.5 * theta) ** 2 * np.exp(-epsilon * theta), angles, epsabs=0.0)


def forms(epsilon, angles):
    """Both sides of every form at one ε, by name, each an array over ``angles``."""
    rotations = Rotation.from_rotvec(angles[:, None] * np.array([0.0, 0.0, 1.0]))
    origin = Rotation.identity()
    haar, laplace = RotationUniform().angle_cdf(angles), RotationLaplace(epsilon)
    phi, chord = metrics.phi2(origin, rotations), metrics.phi5_prime(origin, rotations)
    phi5 = metrics.phi5(origin, rotations)
    loss = guarantees.privacy_loss_at(RotationBingham(epsilon), angles)
    sums = laplace_integrals(epsilon, angles)
    return {
        "haar_proposal": (np.sin(0.5 * angles) ** 2, haar),
        "haar_display": (1.0 - np.cos(0.5 * angles), haar),
        "laplace_cdf": (sums / sums[-1], laplace.angle_cdf(angles)),
        "gamma_cdf": (printed.gamma_angle_cdf(angles, epsilon, beyond="reject"), laplace.angle_cdf(angles)),
        "theorem_1": (np.sqrt(2.0) * epsilon * phi, loss),
        "definition_1": (phi, chord),
        "appendix_f": (np.sqrt(2.0) * 0.25 * np.pi * epsilon * chord, epsilon * angles),
        "printed_cdf": (sums * sums[-1], laplace.angle_cdf(angles)),
        "corollary_1_phi2": (epsilon * phi, loss),
        "corollary_1_phi3": (epsilon * metrics.phi3(origin, rotations), loss),
        "corollary_1_phi5": (epsilon * phi5, loss),
        "corollary_1_phi6": (epsilon * angles, loss),
        "phi5_bound": (np.sqrt(2.0) * epsilon * phi5, loss),
        "kent_bound": printed.kent_bound(epsilon, angles),
    }


def compute(settings, angles):
    """All forms over ε and the angle in radians, but 0 and π; ``difference`` is ``printed`` minus ``exact``."""
    of_levels = ((epsilon, forms(float(epsilon), angles)) for epsilon in settings["epsilons"])
    tables = [both_sides("rotation_forms", of_level, epsilon=epsilon, angle=angles) for epsilon, of_level in of_levels]
    table = pd.concat(tables)
    return table[(table["angle"] > 0.0) & (table["angle"] < np.pi)].reset_index(drop=True)


if __name__ == "__main__":
    with job(snakemake):
        settings, seed, output = snakemake.params.settings, snakemake.params.seed, snakemake.output
        angles = np.linspace(0.0, np.pi, settings["points"])
        rngs = [seeding.generator(seed, "rotation_forms", name) for name in ("distances", "identities")]
        distances = identities.compare_distances(angles[1:], rngs[0])
        sides = identities.compare(settings["draws"], rngs[1])
        write_tables(output, forms=compute(settings, angles), totals=totals.compare(settings))
        write_tables(output, distances=distances, identities=sides)
