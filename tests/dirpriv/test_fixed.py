"""What carries a guarantee or noise cannot be changed: no attribute, and no array inside."""

import contextlib
import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil

import numpy as np
import pytest

import dirpriv
from dirpriv import distributions, guarantees, mechanisms, planner, release
from dirpriv import release as releases
from dirpriv._lib.immutable import Frozen
from dirpriv.distributions.user.adapter import CompletedDistribution
from dirpriv.geometry import earth
from dirpriv.guarantees import audit
from dirpriv.mechanisms import central
from dirpriv.release.files.central import CentralFileGuarantee, _Result
from dirpriv.release.guarantee.column_cells import TimeCells

PLANE = {"region_centre": (40.75, -73.98), "region_reach": "3km", "cell_size": "10m"}


def rotation_distributions():
    simple = ("Laplace", "Bingham", "Uniform")
    made = [getattr(distributions, f"Rotation{name}") for name in simple]
    made += [distributions.ChordalLaplace, distributions.FoldedVonMisesFisher, distributions.FoldedPurkayastha]
    return [
        *(
            distribution() if distribution is distributions.RotationUniform else distribution(2.0)
            for distribution in made
        ),
        distributions.RotationCap(2.0, 1.0),
        distributions.RotationStaircase(1.0, 1.0, 0.5),
    ]


def made_of_all():
    """One of every class that carries a guarantee or noise."""
    rows = np.array([1.0, 2.0, 3.0])
    directions = [
        *(distributions.Purkayastha(3, rows), distributions.VonMisesFisher(2, 2.0), distributions.WrappedLaplace(rows)),
        *(
            distributions.PolarLaplace(2.0),
            distributions.Cardioid(2, 1.0),
            distributions.ClippedLaplace(2.0),
            distributions.Uniform(4),
        ),
        *(
            distributions.Cap(3, 2.0, 1.0),
            distributions.Trapezoid(2, 2.0, 1.0, 0.5),
            distributions.Staircase(2, 1.0, 1.0, 0.5),
        ),
        *(distributions.PlanarLaplace(2.0), distributions.VectorLaplace(3, 2.0)),
        distributions.VonMisesFisher(3, 2.0).frozen([0.0, 0.6, 0.8]),
        *(
            CompletedDistribution(distributions.VonMisesFisher(3, 2.0)),
            distributions.from_log_density(np.negative, steepest=1.0),
            distributions.from_log_density(np.cos, steepest=1.0).noise(3, 2.0),
        ),
    ]
    of_directions = [
        *(mechanisms.PurkayasthaMechanism(1.0), mechanisms.VonMisesFisherMechanism(1.0)),
        *(mechanisms.WrappedLaplaceMechanism(1.0), mechanisms.CardioidMechanism(1.0)),
        *(mechanisms.ClippedLaplaceMechanism.pure(1.0), mechanisms.VectorLaplaceMechanism(1.0, dim=2)),
        *(mechanisms.PolarLaplaceMechanism(1.0, calibration="published"), mechanisms.PlanarLaplaceMechanism(1.0)),
        *(mechanisms.CapMechanism.pure(1.0), mechanisms.StaircaseMechanism.within(1.0, 0.5)),
        mechanisms.TrapezoidMechanism(2.0, pure=1.0),
        mechanisms.Mechanism.from_distribution(distributions.Purkayastha(3, 1.0)),
    ]
    rotations = [
        *(mechanisms.RotationLaplaceMechanism(1.0), mechanisms.RotationBinghamMechanism(1.0)),
        *(mechanisms.FoldedVonMisesFisherMechanism(1.0), mechanisms.FoldedPurkayasthaMechanism(1.0)),
        *(mechanisms.ChordalLaplaceMechanism(1.0), mechanisms.RotationCapMechanism.pure(1.0)),
        mechanisms.RotationStaircaseMechanism.within(1.0, 0.5),
    ]
    tables = [
        releases.CircleRelease.within(1.0, "3h"),
        releases.PlaneRelease.within(1.0, "200m", **PLANE),
        releases.SphereRelease.within(4.0, "1000km", cells=20),
        releases.FiniteRelease(1.0, ["a", "b", "c"], points=[[0.0], [1.0], [3.0]]),
        releases.VisitRelease(
            releases.CircleRelease.within(1.0, "3h"), releases.PlaneRelease.within(1.0, "200m", **PLANE)
        ),
    ]
    central = releases.CentralRelease(1.0)
    need = planner.sample_sizes("mean", 0.1, 1.0, trust="central")[0]
    central_settings = release.CentralFileSettings(time="arrival", epsilon=1.0, bins=24)
    return [
        *(directions + rotation_distributions() + of_directions + rotations + tables),
        *(table.noise for table in tables),
        *(table.certificate for table in [*tables[:2], tables[-1]]),
        *(central, central.certificate),
        CentralFileGuarantee((_Result(TimeCells("arrival", 24, "24h"), central_settings),)),
        *(
            mechanisms.GaussianSum(1.0, 1e-6),
            mechanisms.VectorLaplaceSum(1.0),
            mechanisms.GaussianSum(1.0, 1e-6).guarantee,
        ),
        *(
            guarantees.from_distribution(distributions.Staircase(2, 1.0, 1.0, 0.5)),
            guarantees.ShufflingParameters(1.0),
            need,
        ),
        distributions.Purkayastha(2, 0.5).privacy_blanket(),
        planner.Recommendation(need, (need,), "alone"),
        audit.Finding(1.0, 1.0, 1.0, 0.99, 0.5, 0.1),
        release.TimeColumn("arrival", level=1.0, radius="3h"),
        release.HeadingColumn("heading", level=1.0, radius="45deg"),
        release.PlaceColumns(("lat", "lon"), level=1.0, radius="200m", **PLANE),
        release.VisitColumns(
            release.TimeColumn("arrival", level=1.0, radius="3h"),
            release.PlaceColumns(("lat", "lon"), level=1.0, radius="200m", **PLANE),
        ),
        release.ItemColumn("venue", 1.0, "200m", ("a", "b"), (0.0, 1e-3), (0.0, 0.0)),
        release.EarlierRelease(("arrival",), 1.0, "3h"),
        TimeCells("arrival", 24, "24h"),
        release.FileGuarantee((release.TimeColumn("arrival", level=1.0, radius="3h"),)),
        release.LocalFileSettings(time="arrival", level=1.0, radius="3h"),
        central_settings,
        earth.EqualAreaCells(20),
    ]


ALL = made_of_all()


def label(made):
    return type(made).__name__


MARKS = {"guarantee", "certificate", "level", "levels", "epsilon", "delta", "loss", "noise", "distribution"}
MARKS |= {"metric_level", "pure_level", "privacy_loss", "rvs", "covering_radius"}


def test_every_class_with_a_guarantee_or_noise_is_here():
    """By the names of its attributes; bases and protocols of them are no objects."""
    here = {base for made in ALL for base in type(made).__mro__}
    for module in pkgutil.walk_packages(dirpriv.__path__, "dirpriv."):
        for name, found in vars(importlib.import_module(module.name)).items():
            if not inspect.isclass(found) or found.__module__ != module.name or name.startswith("_"):
                continue
            if issubclass(found, tuple | dict):  # immutable, or keywords of a call
                continue
            names = set(dir(found)).union(*(vars(base).get("__annotations__", ()) for base in found.__mro__))
            if MARKS & names and not getattr(found, "_is_protocol", False):
                assert found in here, found


@pytest.mark.parametrize("made", ALL, ids=label)
def test_no_attribute_is_set_or_deleted(made):
    before = repr(made)
    names = {name for name in dir(made) if not name.startswith("__")} | {"more"}
    for name in sorted(names):
        with pytest.raises(AttributeError):
            setattr(made, name, 50.0)
        with pytest.raises(AttributeError):
            delattr(made, name)
    assert repr(made) == before


def changeable(value, path=""):
    """Paths to what can be changed inside an immutable object: its attributes, and theirs."""
    if isinstance(value, np.ndarray):
        return [path] if value.flags.writeable else []
    if isinstance(value, list | dict | set | bytearray):
        return [path]
    if isinstance(value, tuple):
        return [found for i, part in enumerate(value) for found in changeable(part, f"{path}[{i}]")]
    if isinstance(value, Frozen) or dataclasses.is_dataclass(value):
        return [found for name, part in vars(value).items() for found in changeable(part, f"{path}.{name}")]
    return []


def returned_by(made):
    """What the public methods that need no argument return, by name; of a concentration per row few do."""
    for name in dir(made):
        method = getattr(type(made), name, None)
        if name.startswith("_") or name.endswith("rvs") or inspect.isclass(method) or not callable(method):
            continue
        if inspect.ismethod(method):  # of the class
            continue
        if any(p.default is p.empty for p in list(inspect.signature(method).parameters.values())[1:]):
            continue
        with contextlib.suppress(ValueError):
            yield name, getattr(made, name)()


@pytest.mark.parametrize("made", ALL, ids=label)
def test_nothing_inside_is_writable(made):
    dict(returned_by(made))  # which fills what is kept of computations
    assert changeable(made) == []
    assert changeable(copy.deepcopy(made)) == []
    if label(made) != "Blanket":  # which holds a function
        assert changeable(pickle.loads(pickle.dumps(made))) == []


def test_what_can_be_changed_is_found():
    class Loose(Frozen):
        def __init__(self):
            self._set(distribution=distributions.Purkayastha(2, 1.0), table=(np.zeros(2), [1.0]))

    loose = Loose()
    assert changeable(loose) == [".table[1]"]
    vars(loose)["kept"] = np.zeros(2)
    assert changeable(loose) == [".table[1]", ".kept"]


@pytest.mark.parametrize("made", ALL, ids=label)
def test_what_a_method_returns_may_be_written_over(made):
    """It is a copy, or cannot be: the next call returns the same."""
    for name, returned in returned_by(made):
        if isinstance(returned, np.ndarray) and returned.flags.writeable:
            first = returned.copy()
            returned[...] = 0
            assert np.array_equal(getattr(made, name)(), first), name


def test_the_arrays_that_were_given_stay_the_callers():
    rows, mode = np.array([1.0, 2.0]), np.array([0.0, 1.0])
    distribution = distributions.Purkayastha(2, rows)
    around = distribution.frozen(mode)
    rows[0], mode[:] = 99.0, (1.0, 0.0)
    assert distribution.kappa.tolist() == [1.0, 2.0] and around.mu.tolist() == [0.0, 1.0]


def test_a_central_mechanism_keeps_its_noise():
    """The level that the guarantee states is that of the noise."""
    for made in (mechanisms.GaussianSum(1.0, 1e-6), mechanisms.VectorLaplaceSum(1.0)):
        before = made.guarantee, made.expected_error(100)
        with pytest.raises(AttributeError, match=r"'epsilon' of a .* cannot be set.*make a new"):
            made.epsilon = 0.01
        assert (made.guarantee, made.expected_error(100)) == before
    with pytest.raises(TypeError, match="abstract"):
        central.NoisySum()
