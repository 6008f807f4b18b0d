"""The mechanisms on rotations that experiments compare, by name and calibration."""

import numpy as np
from scipy.optimize import brentq

from dirpriv.rotations import (
    ChordalLaplaceMechanism,
    FoldedPurkayasthaMechanism,
    FoldedVonMisesFisherMechanism,
    RotationBinghamMechanism,
    RotationLaplace,
    RotationLaplaceMechanism,
    RotationUniform,
)
from study.core.job import InputError

MECHANISMS = {
    "rotation_laplace": RotationLaplaceMechanism,
    "rotation_bingham": RotationBinghamMechanism,
    "folded_von_mises_fisher": FoldedVonMisesFisherMechanism,
    "folded_purkayastha": FoldedPurkayasthaMechanism,
    "chordal_laplace": ChordalLaplaceMechanism,
}
COMPARED = [
    ("rotation_laplace", "tight"),
    ("rotation_bingham", "published"),
    ("rotation_bingham", "tight"),
    ("folded_von_mises_fisher", "tight"),
    ("folded_purkayastha", "tight"),
    ("chordal_laplace", "tight"),
]
"""Mechanisms and calibrations; published is the SO(3) paper's budget of Bingham, (π/4)ε, tight is 2ε."""


def mechanism_of(name, calibration, epsilon):
    """The mechanism of ε·φ₆-privacy of this name, φ₆ being the rotation angle."""
    return MECHANISMS[name](epsilon, calibration=calibration)


def epsilon_of_radius(radius, share):
    """The ε at which rotation Laplace has this radius of indistinguishability (SO(3) paper, Definition 4).

    Parameters
    ----------
    radius : float
        ρ in radians, below that of uniform noise.
    share : float
        p, share of the draws within ρ.

    Returns
    -------
    float

    Raises
    ------
    study.core.job.InputError
        If uniform noise stays within the radius as often: no ε is small enough.
    """
    largest = float(RotationUniform().radius(share))
    if not 0.0 < radius < largest:
        raise InputError(
            f"no ε has the radius of {np.rad2deg(radius):g}° at the level {share:g}: uniform noise has "
            f"{np.rad2deg(largest):.4g}°; give a radius above 0 and below that"
        )

    def excess(log):
        return float(np.log(RotationLaplace(np.exp(log)).radius(share) / radius))

    return float(np.exp(brentq(excess, np.log(1e-9), np.log(1e9), xtol=1e-13)))
