"""Mechanisms by the names that the configuration uses."""

import importlib


def class_name(mechanism):
    """Name of the class of a configured mechanism: ``wrapped_laplace`` is ``WrappedLaplaceMechanism``."""
    return "".join(part.capitalize() for part in mechanism.split("_")) + "Mechanism"


def source_of(mechanism):
    """The mechanism's class, as :func:`study.code_digest.code_digest` takes it as a root."""
    return f"dirpriv.mechanisms:{class_name(mechanism)}"


def pure_mechanism(mechanism, epsilon, calibration):
    """The configured mechanism on the circle, for pure ε-differential privacy.

    The class is looked up by name, so that a job's code digest holds the one mechanism it runs and an
    edit of another leaves its results alone.
    """
    return getattr(importlib.import_module("dirpriv.mechanisms"), class_name(mechanism)).pure(
        epsilon, dim=2, calibration=calibration
    )


def distinct_calibrations(mechanism, calibrations):
    """The calibrations, without those that give the same law as an earlier one (Purkayastha has but one)."""
    kept, laws = [], set()
    for calibration in calibrations:
        kappa = pure_mechanism(mechanism, 1.0, calibration).law.kappa
        if kappa not in laws:
            laws.add(kappa)
            kept.append(calibration)
    return kept
