"""Releases as measurements of OpenDP, by the code of the documentation, and its own histogram beside ours."""

import math
import os
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dirpriv.release import CentralRelease, CircleRelease, FiniteRelease, PlaneRelease, SphereRelease, VisitRelease

if os.environ.get("DIRPRIV_OPENDP") == "required":
    import opendp.prelude as dp
else:
    dp = pytest.importorskip("opendp.prelude", reason="OpenDP is not installed (locks/opendp.txt)")

dp.enable_features("contrib")

PAGE = Path(__file__).resolve().parents[2] / "docs/from_other_libraries.md"


@pytest.fixture(scope="module")
def to_opendp():
    """The function of the page."""
    (code,) = [
        block
        for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
        if "def to_opendp" in block
    ]
    names = {}
    exec(code, names)
    assert 0 <= names["report"] < 1440 and names["level"] == 1.0
    return names["to_opendp"]


def test_the_map_of_a_release_of_times_is_its_certificate(to_opendp):
    for release in (CircleRelease.within(1.0, "3h"), CircleRelease.pure(0.7), CircleRelease(2.0, cells=7)):
        measurement, half = to_opendp(release), release.cells // 2
        for cells in (0, 1, half - 1, half, half + 1, 10**6):
            assert measurement.map(cells) == release.certificate.between(min(cells, half))
        assert 0 <= measurement(release.cells - 1) < release.cells
    assert measurement.map(0) == 0.0 < measurement.map(1)


def test_the_map_of_a_release_of_places_is_never_below_its_certificate(to_opendp):
    city = {"region_centre": (40.75, -73.98), "region_reach": "10km", "cell_size": "10m"}
    release = PlaneRelease.within(1.0, "200m", **city)
    measurement, level = to_opendp(release), Fraction(release.certificate.cells) * 10
    for cells in (1, 20, 117, 1000):
        assert measurement.map(cells) >= min(level * cells, Fraction(release.certificate.pure))
        assert measurement.map(cells) <= float(level * cells) * (1.0 + 1e-15)
    assert measurement.map(10**9) == release.certificate.pure and len(measurement([3, 4])) == 2
    globe = SphereRelease.within(1.0, "2000km", cells=1000)
    assert to_opendp(globe).map(1) == globe.certificate.pure and len(to_opendp(globe)([40.75, -73.98])) == 2
    listed = FiniteRelease(1.0, ["a", "b"], points=[[0.0], [1.0]])
    assert to_opendp(listed).map(1) == listed.certificate.pure and to_opendp(listed)(1) in (0, 1)


def test_the_map_of_a_release_of_visits_takes_both_distances(to_opendp):
    city = {"region_centre": (40.75, -73.98), "region_reach": "10km", "cell_size": "10m"}
    release = VisitRelease(CircleRelease.within(1.0, "3h"), PlaneRelease.within(1.0, "200m", **city))
    measurement = to_opendp(release)
    for apart in ("3h and 200m", "1min and 1m", "3h and 1km", "12h and 1000km"):
        assert measurement.map(apart) == release.certificate.loss(apart) <= release.certificate.pure
    assert measurement.map("1min and 1m") < measurement.map("3h and 200m") == 1.0 < measurement.map("6h and 200m")
    hour, latitude, longitude = measurement([8.25, 40.758, -73.985])
    assert 0.0 <= hour < 24.0 and abs(latitude - 40.75) < 0.2 and abs(longitude + 73.98) < 0.3
    assert dp.c.make_composition([measurement, measurement]).map("3h and 200m") == 2.0


def test_the_map_of_a_central_release_is_never_below_its_certificate(to_opendp):
    for release in (CentralRelease(0.7, max_rows_per_person=3), CentralRelease(1.0, cells=1440)):
        certificate, measurement = release.certificate, to_opendp(release)
        assert Fraction(measurement.map(certificate.sensitivity)) >= certificate.fall * certificate.sensitivity
        assert measurement.map(certificate.sensitivity) <= math.nextafter(certificate.pure, math.inf)
        assert len(measurement([5, 2])) == 2


def test_opendp_composes_and_refuses_what_a_budget_does_not_allow(to_opendp):
    one = to_opendp(CircleRelease.within(1.0, "3h"))
    both = dp.c.make_composition([one, one])
    assert both.map(180) == 2.0 and len(both(495)) == 2
    counts = to_opendp(CentralRelease(1.0))
    space = counts.input_space
    level = counts.map(2)
    asked = dp.c.make_adaptive_composition(*space, dp.max_divergence(), d_in=2, d_mids=[level, level])([5, 600, 7])
    assert len(asked(counts)) == len(asked(counts)) == 3
    with pytest.raises(dp.OpenDPException):
        asked(counts)


def test_a_histogram_of_opendp_has_as_much_noise_as_ours():
    """The mean absolute noise of 24 000 counts by each is within 6 standard errors of that of the distribution."""
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    theirs = dp.binary_search_chain(lambda scale: dp.m.make_laplace(*space, scale=scale), d_in=2, d_out=1.0)
    ours, p = CentralRelease(1.0), math.exp(-0.5)
    expected = 2.0 * p / (1.0 - p * p)
    for noise in (np.array([theirs([0] * 24) for _ in range(1000)]), ours.randomise(np.zeros(24_000, dtype=int))):
        off = np.abs(noise).mean() - expected
        assert abs(off) < 6.0 * np.abs(noise).std() / math.sqrt(noise.size)
        assert abs(off + 0.2 * expected) > 6.0 * np.abs(noise).std() / math.sqrt(noise.size)  # 20 % more is seen
