"""Mechanisms and laws by name, from the rows of the catalogue that a job receives."""

import importlib
import math

from study.workflow.job import InputError
from study.workflow.rows import row, rows


def class_of(mechanism):
    """The class of a mechanism, found by name: a job's digest covers no other mechanism."""
    return _found(row(mechanism).mechanism, mechanism)


def law_of(law, dim, kappa):
    """The law of this name in a dimension; a law that exists in only one dimension has no ``dim``."""
    of_row = row(law)
    return _found(of_row.law, law)(*([dim] if "spheres" in of_row.spaces else []), kappa)


def _found(source, of):
    if not source:
        raise LookupError(
            f"the job received no class of '{of}'; its rule needs rows=classes(…), or laws(…) for a law"
        )
    module, name = source.split(":")
    return getattr(importlib.import_module(module), name)


def pure_mechanism(mechanism, epsilon, calibration, dim=2):
    """The mechanism for pure ε-privacy, on the circle unless another dimension is given."""
    return class_of(mechanism).pure(epsilon, dim=dim, calibration=calibration)


def mechanism_within(mechanism, level, radius, calibration, dim=2):
    """The mechanism of this level within a radius in radians."""
    return class_of(mechanism).within(level, radius, dim=dim, calibration=calibration)


def distinct_calibrations(mechanism, calibrations):
    """The calibrations that the row has, without those that give the law of an earlier one (Purkayastha)."""
    return _distinct(
        {c: pure_mechanism(mechanism, 1.0, c).law.kappa for c in _of_row(mechanism, calibrations)}
    )


def calibrations_within(mechanism, calibrations, dim=2):
    """Distinct calibrations within a radius; without a guarantee per radian the published one alone."""
    given, first = _of_row(mechanism, calibrations), calibration_of(mechanism)
    if not math.isfinite(mechanism_within(mechanism, 1.0, 1.0, first, dim).guarantee.metric_level):
        return [calibration for calibration in given if calibration == "published"]
    return _distinct({c: mechanism_within(mechanism, 1.0, 1.0, c, dim).law.kappa for c in given})


def calibration_of(mechanism):
    """The calibration where one alone is compared: published, κ = ε within a radius, if there is that one."""
    return row(mechanism).calibrations[0]


def _of_row(mechanism, calibrations):
    return [calibration for calibration in calibrations if calibration in row(mechanism).calibrations]


def _distinct(kappas):
    values = list(kappas.values())
    return [c for i, (c, kappa) in enumerate(kappas.items()) if kappa not in values[:i]]


def mechanism_of_places(mechanism):
    """Name of the mechanism that randomises places where this one randomises times."""
    return row(mechanism).places


def check(mechanisms):
    """Refuse a row of the catalogue whose class cannot be made with each calibration of the row."""
    for name in mechanisms:
        for calibration in row(name).calibrations:
            try:
                pure_mechanism(name, 1.0, calibration)
            except (AttributeError, ImportError, TypeError, ValueError) as error:
                raise InputError(
                    f"the row of {name} in src/study/workflow/catalogue.yaml has the calibration "
                    f"{calibration}, with which its mechanism cannot be made: {error}"
                ) from error


# Rotations.


def mechanism_of(name, calibration, epsilon):
    """The mechanism of this name with ε·φ₆-privacy, where φ₆ is the rotation angle."""
    return class_of(name)(epsilon, calibration=calibration)


def compared_on_rotations():
    """Pairs of a mechanism and a calibration that experiments on rotations compare."""
    return [
        (name, calibration) for name, found in rows("rotation").items() for calibration in found.calibrations
    ]
