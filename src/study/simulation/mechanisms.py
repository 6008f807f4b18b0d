"""Mechanisms and distributions by name, from the rows of the catalogue that a job receives."""

import inspect
import math
from functools import partial

from dirpriv import InvalidArgument
from study.workflow.catalogue_rows import row, rows
from study.workflow.job import InputError
from study.workflow.own_mechanisms import resolved


def class_of(mechanism):
    """The class of a mechanism, found by name: a job's digest covers no other mechanism."""
    return _found(row(mechanism).mechanism, mechanism)


def distribution_of(distribution, dim, kappa):
    """The distribution of this name in a dimension; one that exists in only one dimension may have no ``dim``."""
    make = _found(row(distribution).distribution, distribution)
    return make(*[dim] * ("dim" in inspect.signature(make).parameters), kappa)


def _found(source, of):
    if not source:
        needed = "class_rows(…), or distribution_rows(…)"
        raise LookupError(f"the job received no class of '{of}'; its rule needs rows={needed}")
    return resolved(source)


def pure_mechanism(mechanism, epsilon, calibration, dim=2):
    """The mechanism for pure ε-privacy, on the circle unless another dimension is given."""
    return class_of(mechanism).pure(epsilon, dim=dim, calibration=calibration)


def mechanism_within(mechanism, level, radius, calibration, dim=2):
    """The mechanism of this level within a radius in radians."""
    return class_of(mechanism).within(level, radius, dim=dim, calibration=calibration)


def if_promised(mechanism, promise, level, dim=None, calibration="tight"):
    """The mechanism of a level, pure or per radian; None if it can promise none, or has no such calibration."""
    make = class_of(mechanism).pure if promise == "pure" else class_of(mechanism)
    try:
        return make(level, calibration=calibration, **({"dim": dim} if dim else {}))
    except InvalidArgument:
        return None


def distinct_calibrations(mechanism, calibrations):
    """The calibrations that the row has, without those that give the distribution of an earlier one (Purkayastha)."""
    return _distinct(mechanism, calibrations, lambda c: pure_mechanism(mechanism, 1.0, c))


def calibrations_within(mechanism, calibrations, dim=2):
    """Distinct calibrations within a radius; without a guarantee per radian the published one alone."""
    make = partial(mechanism_within, mechanism, 1.0, 1.0, dim=dim)
    published = "published" in row(mechanism).calibrations
    if published and not math.isfinite(make(usual(mechanism)).guarantee.metric_level):
        calibrations = [calibration for calibration in calibrations if calibration == "published"]
    return _distinct(mechanism, calibrations, make)


def usual(mechanism):
    """The calibration where one alone is compared: published, κ = ε within a radius, if there is that one."""
    return row(mechanism).calibrations[0]


def _distinct(mechanism, calibrations, make):
    kappas = {c: make(c).noise.kappa for c in calibrations if c in row(mechanism).calibrations}
    values = list(kappas.values())
    return [c for i, (c, kappa) in enumerate(kappas.items()) if kappa not in values[:i]]


def check(mechanism, calibrations):
    """Refuse a row whose classes cannot be made as it says, or that has no calibration of those asked for."""
    try:
        distinct = distinct_calibrations if "pure" in row(mechanism).promises else calibrations_within
        distinct(mechanism, row(mechanism).calibrations)
        if row(mechanism).distribution:
            distribution_of(mechanism, 2, 1.0)
    except (AttributeError, ImportError, TypeError, ValueError) as error:
        raise InputError(f"the row of {mechanism} in src/study/workflow/mechanism_catalogue.yaml: {error}") from error
    if not {*calibrations} & {*row(mechanism).calibrations}:
        raise InputError(f"calibrations: {mechanism} has {usual(mechanism)} alone; add it, or leave that out")


def compared_on_rotations():
    """Pairs of a mechanism and a calibration that experiments on rotations compare."""
    return [(name, calibration) for name, entry in rows("rotation").items() for calibration in entry.calibrations]
