"""Audit of every mechanism: a lower confidence bound on its level, and how often such an audit catches it."""

import dataclasses
import importlib

import numpy as np
from scipy.special import ndtri

from dirpriv.guarantees import audit, utility_audit
from study.experiments.audit.broken_promises import exceeds
from study.simulation import seeding
from study.workflow.job import job, with_progress, write_rows

CONFIDENCE_OF_POWER = 0.95
UNITS = {"circle": "per rad", "sphere": "per rad", "rotation": "per rad", "vector": "per unit of length"}


def cases_of(space, settings):
    """The cases of a space, looked up by name so that a job's code digest covers only its own cases."""
    return getattr(importlib.import_module("study.experiments.audit.cases"), f"{space}_cases")(settings)


def drawn(case, count, seed, cell):
    """Outputs of both inputs of a case."""
    return [case.draw(which, count, seeding.generator(seed, *cell, which)) for which in (0, 1)]


def audited(case, cells, count, seed, cell, confidence):
    """An event and the larger bound of both audits, each at half of the risk, of ``count`` outputs for each.

    The cells were learnt from no such outputs. In space no utility is known, and the event has all of the risk.
    """
    outputs = drawn(case, count, seed, cell)
    per_unit = case.promise == "per_unit"
    confidence = 0.5 * (1.0 + confidence) if case.uniform_pairs else confidence
    # the loss is divided by this; pure privacy has no divisor
    finding = audit.examine(*outputs, case.distance if per_unit else 1.0, confidence, cells=cells)
    if case.uniform_pairs:
        pair = case.uniform_pairs(outputs[0], seeding.generator(seed, *cell, "uniform"))
        level = utility_audit.lower_bound(*pair, confidence, radius=None if per_unit else np.pi)
        finding = dataclasses.replace(finding, level=max(finding.level, level))
    return finding


def smallest_detected(case, levels):
    """Level, as a multiple of the stated one, above which such an audit would catch it 19 times in 20.

    This assumes that a slightly higher level leaves the scatter of the bound and its distance from the level
    unchanged. It is for a mechanism that keeps its promise; nan for another.
    """
    if exceeds(case.certified, case.stated):
        return np.nan
    distance = case.certified - np.mean(levels) + ndtri(0.95) * np.std(levels, ddof=1)
    return (case.stated + distance) / case.stated


def audit_case(case, space, settings, seed):
    """The row of one case."""
    cell = ("audit", space, case.name)
    cells = audit.learn(*drawn(case, settings["learnt"], seed, (*cell, "learnt")))
    finding = audited(case, cells, settings["samples"], seed, cell, settings["confidence"])
    caught = finding.level > case.stated
    for count in (settings["repetition_samples"], settings["samples"]):
        levels = [
            audited(case, cells, count, seed, (*cell, count, repetition), settings["confidence"]).level
            for repetition in range(settings["repetitions"])
        ]
        times = int(np.sum(np.array(levels) > case.stated))
        if not caught or times == len(levels):
            break  # else fewer outputs miss what was caught: how often it is caught with all of them
    low, high = audit.share_interval(times, len(levels), 0.5 * (1.0 - CONFIDENCE_OF_POWER))
    return dict(
        experiment="audit", space=space, case=case.name, mechanism=case.mechanism,
        calibration=case.calibration, detail=case.detail, promise=case.promise,
        unit=UNITS[space] if case.promise == "per_unit" else "pure", epsilon=case.stated, kappa=case.kappa,
        dim=case.dim, distance=case.distance, samples=settings["samples"], confidence=settings["confidence"],
        stated=case.stated, certified=case.certified, estimate=finding.estimate, audited=finding.level,
        share=finding.share, share_neighbour=finding.share_prime,
        verdict="caught" if caught else "not caught", repetitions=len(levels), repetition_samples=count,
        power=times / len(levels), power_low=float(low), power_high=float(high),
        smallest_detected=smallest_detected(case, levels), assumes=case.assumes,
    )  # fmt: skip


def audit_space(space, settings, seed):
    """All cases of a space, a row for each.

    ``audited`` is the lower bound at ``confidence`` from ``samples`` outputs of each of two inputs at the
    distance ``distance``, and of uniformly random inputs. Cells are learnt once from other outputs, for all audits.
    ``power`` is the share of ``repetitions`` further audits of ``repetition_samples`` outputs that catch the
    case, with its 95 % interval.
    """
    cases = with_progress(f"audit, {space}", cases_of(space, settings))
    return [audit_case(case, space, settings, seed) for case in cases]


if __name__ == "__main__":
    with job(snakemake):
        params = snakemake.params
        write_rows(audit_space(snakemake.wildcards.space, params.settings, params.seed), snakemake.output[0])
