"""The catalogue of mechanisms: one row holds all that the study knows about a mechanism.

Rules read it, scripts do not. A rule passes the rows that its job uses as a parameter. So Snakemake repeats
only the jobs that use a new or changed row.
"""

from typing import NamedTuple


class Row(NamedTuple):
    """A mechanism, a baseline, or a method as printed in a source."""

    label: str = ""  # short name in figures
    colour: str = ""  # the same in all figures; no panel shows two spaces, so these may share colours
    marker: str = ""
    # where it is compared: circle, sphere, spheres (of any dimension), plane, rotation; reference: all
    # mechanisms are compared with it
    spaces: tuple = ()
    mechanism: str = ""  # its class, "module:name"; text, so that a job's digest covers only its own classes
    law: str = ""
    calibrations: tuple = ("published", "tight")  # those compared
    places: str = ""  # the mechanism of places paired with this mechanism of times


# the hues of seaborn's palette "colorblind", in steps of lightness that can be told apart in grey
BLUE, ORANGE, GREEN, RED, PURPLE = "#003f73", "#d9930d", "#12a87a", "#c8520a", "#8f2d7d"
BROWN, LIGHT_BLUE, DARK_GREY, GREY = "#b98048", "#3596cc", "0.1", "0.45"

CATALOGUE = {
    "purkayastha": Row(
        "Pur", BLUE, "o", ("circle", "sphere", "spheres"),
        "dirpriv.mechanisms:PurkayasthaMechanism", "dirpriv.laws:Purkayastha", places="purkayastha",
    ),
    "von_mises_fisher": Row(
        "VMF", ORANGE, "s", ("circle", "sphere", "spheres"),
        "dirpriv.mechanisms:VonMisesFisherMechanism", "dirpriv.laws:VonMisesFisher",
        places="von_mises_fisher",
    ),
    "wrapped_laplace": Row(
        "WL", GREEN, "^", ("circle",),
        "dirpriv.mechanisms:WrappedLaplaceMechanism", "dirpriv.laws:WrappedLaplace", places="planar_laplace",
    ),
    "clipped_laplace": Row(
        "Clipped", PURPLE, "D", ("circle",),
        "dirpriv.mechanisms:ClippedLaplaceMechanism", "dirpriv.laws:ClippedLaplace",
    ),
    "polar_laplace": Row(
        "Polar Laplace", RED, "v", ("sphere",),
        "dirpriv.mechanisms:PolarLaplaceMechanism", "dirpriv.laws:PolarLaplace",
    ),
    "planar_laplace": Row(
        "Planar Laplace", LIGHT_BLUE, "<", ("plane",), "dirpriv.mechanisms:PlanarLaplaceMechanism"
    ),
    "vector_laplace": Row(
        "Vector Laplace", BROWN, "P", ("spheres",), "study.core.baselines:NoiseOnSphere"
    ),
    "rotation_laplace": Row(
        "Laplace", GREEN, "^", ("rotation",),
        "dirpriv.rotations:RotationLaplaceMechanism", "dirpriv.rotations:RotationLaplace", ("tight",),
    ),
    # published is the SO(3) paper's budget, (π/4)ε; tight is 2ε
    "rotation_bingham": Row(
        "Bingham", PURPLE, "s", ("rotation",),
        "dirpriv.rotations:RotationBinghamMechanism", "dirpriv.rotations:RotationBingham",
    ),
    "folded_von_mises_fisher": Row(
        "Folded VMF", ORANGE, "D", ("rotation",),
        "dirpriv.rotations:FoldedVonMisesFisherMechanism", "dirpriv.rotations:FoldedVonMisesFisher",
        ("tight",),
    ),
    "folded_purkayastha": Row(
        "Folded Pur", BLUE, "o", ("rotation",),
        "dirpriv.rotations:FoldedPurkayasthaMechanism", "dirpriv.rotations:FoldedPurkayastha", ("tight",),
    ),
    "chordal_laplace": Row(
        "Chordal Laplace", BROWN, "v", ("rotation",),
        "dirpriv.rotations:ChordalLaplaceMechanism", "dirpriv.rotations:ChordalLaplace", ("tight",),
    ),
    "uniform": Row("Uniform", GREY, "x", ("reference",), "study.core.baselines:UniformNoise"),
    "no_privacy": Row(spaces=("reference",), mechanism="study.core.baselines:fresh_counts"),
    # what a paper or the note gets wrong
    "exponential_radius": Row("Exponential radius", DARK_GREY, "X"),
    "printed": Row("As printed", DARK_GREY, "X"),
}  # fmt: skip


def names(*spaces):
    """Names of the mechanisms that are compared in any of these spaces, in the order of the catalogue."""
    return [name for name, row in CATALOGUE.items() if set(spaces) & set(row.spaces)]


def laws_of_spheres():
    """Names of the laws on spheres of any dimension."""
    return [name for name in names("spheres") if CATALOGUE[name].law]


def of_times_and_places():
    """Names of the mechanisms of times that are paired with one of places."""
    return [name for name, row in CATALOGUE.items() if row.places]


def looks(*chosen):
    """The rows for a figure: labels, colours, markers and calibrations, without the classes."""
    return {name: CATALOGUE[name]._replace(mechanism="", law="") for name in _flat(chosen)}


def classes(*chosen):
    """The rows for a computation: the classes, without what figures need."""
    return {name: CATALOGUE[name]._replace(label="", colour="", marker="") for name in _flat(chosen)}


def pair(mechanism):
    """The rows of a mechanism of times and of the mechanism of places paired with it."""
    return classes(mechanism, CATALOGUE[mechanism].places)


def laws(*chosen):
    """The rows for a computation that uses the laws only."""
    return {name: row._replace(mechanism="") for name, row in classes(*chosen).items()}


def sources(*tables):
    """The classes of rows, as roots of a digest (:func:`study.core.code_digest.code_digest`)."""
    found = [row for rows in tables for row in rows.values()]
    return tuple(sorted({source for row in found for source in (row.mechanism, row.law) if source}))


def _flat(chosen):
    return [name for one in chosen for name in ([one] if isinstance(one, str) else one)]
