"""The catalogue of mechanisms, ``mechanism_catalogue.yaml``: one row holds all that the study knows about a mechanism.

Rules read it, scripts do not. A rule passes the rows that its job uses as a parameter. So Snakemake repeats
only the jobs that use a new or changed row.
"""

import itertools
from pathlib import Path
from typing import NamedTuple

import yaml
from pydantic import TypeAdapter

from study.workflow.job import InputError
from study.workflow.own_mechanisms import is_own


class Row(NamedTuple):
    """A mechanism, a baseline, or a method as printed in a source."""

    label: str = ""  # short name in figures
    colour: str = ""  # the same in all figures; no panel shows two spaces, so these may share colours
    marker: str = ""
    # where it is compared: circle, sphere, spheres (of any dimension), plane, rotation; reference: all
    # mechanisms are compared with it
    spaces: tuple[str, ...] = ()
    mechanism: str = ""  # its class, "module:name"; text, so that a job's digest covers only its own classes
    distribution: str = ""
    calibrations: tuple[str, ...] = ("published", "tight")  # those compared
    places: str = ""  # the mechanism of places paired with this mechanism of times
    promises: tuple[str, ...] = ("metric", "pure", "within")  # for which it can be calibrated
    optional: tuple[str, ...] = ()  # spaces in which it is compared where the configuration names it


_FILE = Path(__file__).with_suffix(".yaml")
CATALOGUE = TypeAdapter(dict[str, Row]).validate_python(yaml.safe_load(_FILE.read_bytes())["rows"])

_LOOKS = {"#3596cc": "<", "#b98048": "P", "#c8520a": "v", "#5f5f5f": "h"}
"""Colours and markers of mechanisms of one's own that name none."""


def enter(own_mechanisms):
    """Add the rows of mechanisms of one's own: see :mod:`study.workflow.own_mechanisms`."""
    for own, (colour, marker) in zip(own_mechanisms, itertools.cycle(_LOOKS.items()), strict=False):
        row = Row(own.name.replace("_", " "), colour, marker, ("circle",), own.source, f"{own.source}.noise_type")
        row = row._replace(**{"calibrations": ("tight",)} | own.look())
        if own.name in CATALOGUE:
            raise InputError(f"{own.path}: the study has a mechanism '{own.name}'; give {own.class_name} another name")
        for name in names(*row.spaces):
            for key in ("label", "colour"):
                if (value := getattr(row, key)) == getattr(CATALOGUE[name], key):
                    raise InputError(f"{own.path}: {own.class_name}.{key} {value!r} is that of {name}; take another")
        CATALOGUE[own.name] = row


def compare_chosen(config):
    """Have mechanisms of one's own compared in their spaces, and optional ones that the configuration names."""
    lists = {"circle": config["mechanisms"], "sphere": config["place_histogram"]["mechanisms"]}
    for name, row in CATALOGUE.items():
        if is_own(row.mechanism):
            for space in row.spaces:
                lists[space] += [name] * (name not in lists[space])
        elif chosen := tuple(space for space in row.optional if name in lists[space]):
            CATALOGUE[name] = row._replace(spaces=row.spaces + chosen)


def selectable(space):
    """Names that the configuration may list as mechanisms of a space."""
    return [*names(space), *(name for name, row in CATALOGUE.items() if space in row.optional)]


def promising(promise, chosen):
    """Those of the chosen names that can be calibrated for a promise: metric, pure or within."""
    return [name for name in chosen if promise in CATALOGUE[name].promises]


def names(*spaces):
    """Names of the mechanisms that are compared in any of these spaces, in the order of the catalogue."""
    return [name for name, row in CATALOGUE.items() if set(spaces) & set(row.spaces)]


def distributions_of_spheres():
    """Names of the distributions on spheres of any dimension."""
    return [name for name in names("spheres") if CATALOGUE[name].distribution]


def paired_mechanisms():
    """Names of the mechanisms of times that are paired with one of places."""
    return [name for name, row in CATALOGUE.items() if row.places]


def style_rows(*chosen):
    """The rows for a figure: labels, colours, markers and calibrations, without the classes."""
    return {name: CATALOGUE[name]._replace(mechanism="", distribution="") for name in _flat(chosen)}


def class_rows(*chosen):
    """The rows for a computation: the classes, without what figures need."""
    return {name: CATALOGUE[name]._replace(label="", colour="", marker="") for name in _flat(chosen)}


def pair_rows(mechanism):
    """The rows of a mechanism of times and of the mechanism of places paired with it."""
    return class_rows(mechanism, CATALOGUE[mechanism].places)


def distribution_rows(*chosen):
    """The rows for a computation that uses the distributions only."""
    return {name: row._replace(mechanism="") for name, row in class_rows(*chosen).items()}


def sources(*tables):
    """The classes of rows, as roots of a digest (:func:`study.workflow.code_digest.code_digest`)."""
    entries = [row for rows in tables for row in rows.values()]
    return tuple(sorted({source for row in entries for source in (row.mechanism, row.distribution) if source}))


def _flat(chosen):
    return [name for one in chosen for name in ([one] if isinstance(one, str) else one)]
