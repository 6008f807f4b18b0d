"""Releases pickle to their parameters: no table, no state of draws, nothing of what was released."""

import copy
import pickle
import pickletools

import numpy as np
import pytest

from dirpriv import mechanisms
from dirpriv.release import CircleRelease, PlaneRelease, SphereRelease

CITY = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}
RELEASES = {
    "per radian": CircleRelease(2.5, cells=96, period="7d"),
    "radius": CircleRelease.within(1.0, "20min", cells=100),
    "pure": CircleRelease.pure(2.0, purpose="histogram"),
    "of a distribution": CircleRelease.from_mechanism(mechanisms.VonMisesFisherMechanism.pure(1.0), cells=96),
    "of a staircase": CircleRelease.from_mechanism(mechanisms.StaircaseMechanism.within(1.0, np.pi / 4), cells=96),
    "plane": PlaneRelease(0.01, **CITY),
    "plane, within": PlaneRelease.within(1.0, "200m", **CITY),
    "sphere": SphereRelease(1e-5, cells=100),
    "sphere, within": SphereRelease.within(4.0, "1000km", cells=100),
}
each = pytest.mark.parametrize("name", RELEASES)


def use(release):
    """Release something."""
    if isinstance(release, CircleRelease):
        return release.randomise_times([8.25, 23.0])
    return release.randomise_places([40.758, 40.689], [-73.985, -74.045])


def weights(release):
    return release.weights if isinstance(release, CircleRelease) else release.weights(7)


def losses(release):
    distances = ["6min", "3h", 0.3] if isinstance(release, CircleRelease) else ["1m", "200m", "1000km"]
    return [release.certificate.loss(distance) for distance in distances]


def modules_in(data):
    """Packages whose classes and functions a pickle names."""
    names = [argument for _, argument, _ in pickletools.genops(data) if isinstance(argument, str)]
    return {name.split(".")[0] for name in names} & {"dirpriv", "fractions", "numpy", "scipy", "random"}


@each
@pytest.mark.parametrize("again", [lambda made: pickle.loads(pickle.dumps(made)), copy.copy, copy.deepcopy])
def test_what_comes_back_has_the_same_weights_and_certificate(name, again):
    made = RELEASES[name]
    found = again(made)
    assert type(found) is type(made) and repr(found) == repr(made)
    assert weights(found) == weights(made) and losses(found) == losses(made)
    assert repr(found.certificate) == repr(made.certificate)
    assert len(use(found)) == 2


@each
def test_a_pickle_holds_the_parameters_alone(name):
    """The same bytes before and after a release, without an array; all attributes would have some."""
    made = RELEASES[name]
    before = pickle.dumps(made)
    use(made)
    assert pickle.dumps(made) == before
    if name.startswith("sphere"):  # with the partition as its user gave it
        assert len(before) < len(pickle.dumps(made.partition)) + 500
    else:
        assert modules_in(before) == {"dirpriv", "fractions"}
        assert len(before) < 2500
    assert "numpy" in modules_in(pickle.dumps(vars(made)))
