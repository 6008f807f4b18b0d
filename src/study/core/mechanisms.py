"""Mechanisms and laws by the names that the configuration uses."""

import importlib
import math

OF_THE_STUDY = {
    "vector_laplace": "study.core.baselines:NoiseOnSphere",
    "uniform": "study.core.references:UniformNoise",
    "no_privacy": "study.core.references:fresh_counts",
}
"""Baselines and references that are no mechanisms of the library: where they are."""

ON_PLACES = {"wrapped_laplace": "planar_laplace"}
"""The mechanism of places that goes with one of times, where it is not the same."""


def class_name(mechanism):
    """Name of the class of a configured mechanism: ``wrapped_laplace`` is ``WrappedLaplaceMechanism``."""
    return "".join(part.capitalize() for part in mechanism.split("_")) + "Mechanism"


def source_of(mechanism):
    """The mechanism's class, as :func:`study.core.code_digest.code_digest` takes it as a root."""
    return OF_THE_STUDY.get(mechanism) or f"dirpriv.mechanisms:{class_name(mechanism)}"


def source_of_law(law):
    """The class of a configured law, as :func:`study.core.code_digest.code_digest` takes it as a root."""
    return f"dirpriv.laws:{class_name(law).removesuffix('Mechanism')}"


def law_of(law, dim, kappa):
    """The configured law in this dimension, looked up by name like :func:`pure_mechanism`."""
    module, name = source_of_law(law).split(":")
    return getattr(importlib.import_module(module), name)(dim, kappa)


def pure_mechanism(mechanism, epsilon, calibration, dim=2):
    """The configured mechanism, on the circle unless another dimension is given, for pure ε-privacy.

    The class is looked up by name, so that a job's code digest holds the one mechanism it runs and an
    edit of another leaves its results alone.
    """
    module, name = source_of(mechanism).split(":")
    return getattr(importlib.import_module(module), name).pure(epsilon, dim=dim, calibration=calibration)


def distinct_calibrations(mechanism, calibrations):
    """The calibrations, without those that give the same law as an earlier one (Purkayastha has but one)."""
    kept, laws = [], set()
    for calibration in calibrations:
        kappa = pure_mechanism(mechanism, 1.0, calibration).law.kappa
        if kappa not in laws:
            laws.add(kappa)
            kept.append(calibration)
    return kept


def mechanism_within(mechanism, level, radius, calibration, dim=2):
    """The configured mechanism of this level within a radius in radians; see :func:`pure_mechanism`."""
    module, name = source_of(mechanism).split(":")
    found = getattr(importlib.import_module(module), name)
    return found.within(level, radius, dim=dim, calibration=calibration)


def calibrations_within(mechanism, calibrations, dim=2):
    """As :func:`distinct_calibrations`, for a level within a radius.

    A mechanism that guarantees nothing per radian is there as published only.
    """
    published = mechanism_within(mechanism, 1.0, 1.0, "published", dim)
    if not math.isfinite(published.guarantee.metric_level):
        return [calibration for calibration in calibrations if calibration == "published"]
    laws = {c: mechanism_within(mechanism, 1.0, 1.0, c, dim).law.kappa for c in calibrations}
    return [c for i, c in enumerate(calibrations) if laws[c] not in [laws[d] for d in calibrations[:i]]]


def sources_of_pair(mechanism):
    """Where the mechanism of times and its fellow of places are."""
    return [source_of(mechanism), source_of(place_mechanism_of(mechanism))]


def place_mechanism_of(mechanism):
    """Name of the mechanism that randomises places where this one randomises times."""
    return ON_PLACES.get(mechanism, mechanism)
