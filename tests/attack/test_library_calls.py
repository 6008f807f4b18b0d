"""Hostile calls of the library: an error that names the argument, and never a value of a person."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest
from leaks import HOUR, LATITUDE, LONGITUDE, NAME, TEXT, leaked, texts_of

from dirpriv import distributions, estimators, geometry, guarantees, mechanisms, planner, release
from dirpriv.estimators import transport
from dirpriv.geometry import earth
from dirpriv.guarantees import audit
from dirpriv.mechanisms import GaussianSum
from dirpriv.release import CircleRelease, PlaneRelease, SphereRelease

# columns of a person's values, where they do not belong
ANGLE = 2.3709
ANGLES, HOURS, TEXTS = np.array([0.5, ANGLE]), np.array([8.25, HOUR]), ["08:15", TEXT]
POINT, OFF = [LATITUDE, LONGITUDE], [[1.0, 0.0], [HOUR, LATITUDE]]
PLACES = [[40.75, -73.98], POINT]
BEYOND = [40.75, 147.3709], [-73.98, LONGITUDE]
MIXED = [8.25, "zqx3709"]
MASKED = np.ma.array([8.25, HOUR], mask=[False, True])
COMPLEX = np.array([8.25, HOUR + 1j])
TRUTHS = np.array([True, False])
TABLE = pd.DataFrame({"time": TEXTS, "who": ["ann", NAME]})
DATES = np.array(["2012-04-03T08:15:00", "2012-04-03T13:37:09"], dtype="datetime64[s]")
STAMP = datetime.datetime(2012, 4, 3, 13, 37, 9)
WEIGHTS = [3.0, -8.3709]
NOT = 8.3709

CITY = {"level": 1.0, "radius": "200m", "region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}
TIMES = {"level": 1.0, "radius": "3h"}
DAY, GLOBE = mechanisms.PurkayasthaMechanism(1.0), mechanisms.PurkayasthaMechanism(1.0, dim=3)
PLANE, DISTRIBUTION, FLAT = (
    mechanisms.PlanarLaplaceMechanism(0.01),
    distributions.VonMisesFisher(2, 1.0),
    distributions.PlanarLaplace(0.01),
)

CALLS = {
    # ------------------------------------------------------------------ inputs of mechanisms
    "vectors that are none": (lambda: DAY.randomise(OFF), "row 1 of 'x' is no unit vector"),
    "angles for vectors": (lambda: DAY.randomise(ANGLES), "'x'|unit vector|length"),
    "times for vectors": (lambda: DAY.randomise(TEXTS), "'x'"),
    "stamps for vectors": (lambda: DAY.randomise(DATES), "randomise_times"),
    "places for vectors": (lambda: GLOBE.randomise(PLACES), "randomise_places"),
    "texts among angles": (lambda: DAY.randomise_angles(MIXED), "'angles'"),
    "masked angles": (lambda: DAY.randomise_angles(MASKED), "masked"),
    "complex angles": (lambda: DAY.randomise_angles(COMPLEX), "real numbers"),
    "angles in degrees": (lambda: DAY.randomise_angles([1.0, 137.3709]), "row 1 of 'angles'"),
    "truth values": (lambda: DAY.randomise_angles(TRUTHS), "'angles'"),
    "minutes for hours": (lambda: DAY.randomise_times([8.25, 813.3709]), "row 1 of 'times'"),
    "a time that is none": (lambda: DAY.randomise_times(["08:15", "13:37:99"]), "row 1 of 'times'"),
    "times of two kinds": (lambda: DAY.randomise_times(["08:15", STAMP]), "row 1 of 'times'"),
    "a dictionary": (lambda: DAY.randomise_times({"ann": TEXT}), "'times'"),
    "a set": (lambda: DAY.randomise_times({TEXT}), "'times'"),
    "bytes": (lambda: DAY.randomise_times([TEXT.encode()]), "'times'"),
    "a lambda": (lambda: DAY.randomise_times(lambda: TEXT), "'times'"),
    "a latitude beyond the pole": (lambda: GLOBE.randomise_places(*BEYOND), "row 1 of 'latitude'"),
    "places with texts": (lambda: GLOBE.randomise_places([40.75], ["zqx3709"]), "'longitude'"),
    "places with nan": (lambda: GLOBE.randomise_places([np.nan], [LONGITUDE]), "row 0 of 'latitude'"),
    "degrees for metres": (lambda: PLANE.randomise(PLACES), "randomise_places"),
    "points of three": (lambda: PLANE.randomise([[1.0, 2.0, HOUR]]), "length 2"),
    "ragged rows": (lambda: DAY.randomise([[1.0, 0.0], [HOUR]]), "'x'|inhomogeneous"),
    # ------------------------------------------------------------------ data in place of an argument
    "a column as level": (lambda: mechanisms.PurkayasthaMechanism(HOURS), "'epsilon' must be a positive"),
    "texts as level": (lambda: mechanisms.PurkayasthaMechanism(TEXTS), "'epsilon' must be a positive"),
    "a table as level": (lambda: mechanisms.WrappedLaplaceMechanism.pure(TABLE), "'epsilon' must be"),
    "a column as radius": (lambda: mechanisms.PurkayasthaMechanism.within(1.0, HOURS), "'radius' must be"),
    "a column as dimension": (lambda: mechanisms.PurkayasthaMechanism(1.0, dim=HOURS), "'dim' must be"),
    "a column as calibration": (
        lambda: mechanisms.PurkayasthaMechanism(1.0, calibration=tuple(TEXTS)),
        "'calibration' must be",
    ),
    "a column as generator": (lambda: DAY.randomise([1.0, 0.0], rng=HOURS), "'rng' must be"),
    "a column as seed of a distribution": (lambda: DISTRIBUTION.rvs([1.0, 0.0], rng=HOURS), "'rng' must be"),
    "a column as size": (lambda: DISTRIBUTION.rvs([1.0, 0.0], HOURS), "'size' must be"),
    "a column as distribution": (lambda: mechanisms.Mechanism.from_distribution(HOURS), "'distribution' must be"),
    "a column as concentration": (lambda: distributions.Purkayastha(2, TEXTS), "'kappa' must hold"),
    "a table as concentration": (lambda: distributions.Purkayastha(2, TABLE), "'kappa'"),
    "a column as concentration of objects": (
        lambda: distributions.Purkayastha(2, np.array([1.0, NAME], dtype=object)),
        "'kappa' must hold real numbers; got the type str in row 1",
    ),
    "a column as period": (lambda: DAY.randomise_times(TEXTS, period=HOURS), "'period' must be"),
    "a column as share": (lambda: DAY.radius_of(TEXTS), "'share' must hold"),
    "a column for a kernel": (lambda: guarantees.from_distribution(HOURS), "give a distribution"),
    "a column as domain": (lambda: guarantees.privacy_loss_at(DISTRIBUTION, 1.0, domain=TABLE), "'domain'|ambiguous"),
    "a column as distance": (lambda: guarantees.privacy_loss_at(DISTRIBUTION, TEXTS), "'distance' must hold"),
    "a column as task": (lambda: planner.sample_sizes(tuple(TEXTS), epsilon=1.0, error=0.1), "'task'|'"),
    "a column as people": (lambda: guarantees.shuffled_level(DISTRIBUTION, HOURS, 1e-6), "'people' must be"),
    "a column as distribution of reports": (lambda: guarantees.shuffled_level(HOURS, 100, 1e-6), "distribution"),
    "a column as method": (lambda: guarantees.shuffled_level(DISTRIBUTION, 100, 1e-6, method=tuple(TEXTS)), "'method'"),
    "a column for a sum": (lambda: GaussianSum(HOURS, 1e-6, dim=2), "'epsilon' must be"),
    # ------------------------------------------------------------------ questions to a distribution
    **{
        f"{name} of {type(distribution).__name__}, {kind}": (
            lambda distribution=distribution, name=name, values=values: getattr(distribution, name)(values),
            "must hold real numbers|masked values",
        )
        for distribution, names in (
            (DISTRIBUTION, ("angle_pdf", "angle_cdf", "angle_sf", "angle_ppf", "angle_isf", "angle_logpdf")),
            (FLAT, ("radius_pdf", "radius_cdf", "radius_sf", "radius_ppf", "radius_isf")),
            (distributions.ClippedLaplace(1.0), ("angle_sf",)),
            (distributions.RotationLaplace(1.0), ("radius", "angle_pdf")),
        )
        for name in names
        for kind, values in (
            ("texts", ["0.5", "2.3709"]),
            ("masked", np.ma.array([0.5, ANGLE], mask=[0, 1])),
            ("truths", TRUTHS),
            ("complex", np.array([0.5, 2.3709j])),
        )
        if hasattr(distribution, name)
    },
    "density of vectors that are none": (lambda: DISTRIBUTION.pdf(OFF, [1.0, 0.0]), "'x' is no unit vector"),
    "density of texts": (lambda: DISTRIBUTION.pdf([TEXTS], [1.0, 0.0]), "'x' must hold real numbers"),
    "mean of vectors that are none": (lambda: DISTRIBUTION.mean_vector(OFF), "'mu' is no unit vector"),
    "draws around no unit vector": (lambda: DISTRIBUTION.rvs(OFF), "'mu' is no unit vector"),
    "fit of times": (lambda: distributions.VonMisesFisher.fit(TEXTS), "'x'"),
    # ------------------------------------------------------------------ the ends of doubles
    **{
        f"{name} of {kappa}": (lambda make=make, kappa=kappa: make(kappa), "'kappa' must be from 1e-300 to 1e.150")
        for name, make in (
            ("wrapped Laplace", distributions.WrappedLaplace),
            ("rotation Bingham", distributions.RotationBingham),
            ("vector Laplace", lambda kappa: distributions.VectorLaplace(2, kappa)),
            ("rows of Purkayastha", lambda kappa: distributions.Purkayastha(2, [1.0, kappa])),
        )
        for kappa in (5e-324, 1.7e308)
    },
    "a level that is no privacy": (
        lambda: planner.sample_sizes("mean", 0.1, 1e9),
        "'epsilon' must be at most 1000; got 1000000000.0: such a level is no privacy",
    ),
    # ------------------------------------------------------------------ conversions
    "hours of texts": (lambda: geometry.hours_to_angles(["13:37:99"]), "'hours'|HH:MM"),
    "vectors of texts": (lambda: geometry.angles_to_vectors(TEXTS), "'angles' must hold real numbers"),
    "angles of texts": (lambda: geometry.angles_to_hours(TEXTS), "'angles' must hold real numbers"),
    "angles of texts of digits": (lambda: geometry.angles_to_hours(["2.3709"]), "'angles' must hold real"),
    "angles of masked vectors": (
        lambda: geometry.vectors_to_angles(np.ma.array([[1.0, HOUR]], mask=[[0, 1]])),
        "'vectors' has masked",
    ),
    "distance of complex": (lambda: geometry.circular_distance(COMPLEX, 0.0), "'first' must hold real numbers"),
    "places of texts": (lambda: earth.places_to_vectors([TEXTS]), "'places' must hold real numbers"),
    "places beyond the pole": (lambda: earth.places_to_vectors(np.transpose(BEYOND)), "row 1 of 'places'"),
    "distance of texts": (
        lambda: earth.great_circle_distance(["47.3709", "8.3709"], [0.0, 0.0]),
        "'first' must hold real numbers",
    ),
    "no venues": (lambda: earth.NearestPlaces([TEXTS]), "'places' must hold real numbers"),
    "cells of texts": (lambda: earth.EqualAreaCells(100).cell_of([TEXTS]), "'places' must hold real numbers"),
    # ------------------------------------------------------------------ releases of columns
    "times as index": (lambda: release.times(pd.Series(TEXTS, index=TEXTS), **TIMES), "has an index"),
    "a column as cells": (lambda: release.times(TEXTS, **TIMES, cells=HOURS), "'cells' must be an integer"),
    "a long text as radius": (
        lambda: release.times(TEXTS, level=1.0, radius=" ".join(TEXTS * 20)),
        "'radius' must be a duration such as",
    ),
    "columns exchanged, of a release": (
        lambda: PlaneRelease(1.0, region_centre=(52.5, 13.4), region_reach="20km", cell_size="10m").cells_of(
            [13.403709, 13.41], [52.53709, 52.51]
        ),
        "within it if latitude and longitude are exchanged",
    ),
    "cells for places": (
        lambda: PlaneRelease(1.0, region_centre=(52.5, 13.4), region_reach="20km", cell_size="10m").randomise_cells(
            [13.3709], [47.3709]
        ),
        "'east' must be one column of integers",
    ),
    "a cell beyond the region": (
        lambda: PlaneRelease(1.0, region_centre=(52.5, 13.4), region_reach="20km", cell_size="10m").randomise_cells(
            [83709], [1]
        ),
        "is no cell of the region",
    ),
    "a cell beyond the day": (
        lambda: CircleRelease.within(level=1.0, radius="3h").randomise_cells([8, 83709]),
        "row 1 of",
    ),
    "a place for the globe": (
        lambda: SphereRelease.within(level=1.0, radius="200km", cells=1000).randomise_places([147.3709], [8.3709]),
        "row 0 of",
    ),
    # ------------------------------------------------------------------ estimates from reports
    "reports that are none": (lambda: estimators.circular_mean(MIXED), "'angles'"),
    "weights below 0": (lambda: estimators.estimate_mean(ANGLES, DISTRIBUTION, weights=WEIGHTS), "'weights'"),
    "counts below 0": (lambda: transport.circular_emd(WEIGHTS, [1, 1]), r"row 1 of '.*' is no nonnegative"),
    "texts for counts": (lambda: transport.circular_emd(TEXTS, [1, 1]), "'p' must hold real numbers"),
    "a column as confidence": (
        lambda: estimators.estimate_mean(ANGLES, DISTRIBUTION, confidence=TEXTS),
        "'confidence'",
    ),
    "outputs that are masked": (
        lambda: audit.lower_bound(np.ones(60), np.ma.array([HOUR] * 60, mask=True), 1.0),
        "'outputs_x_prime' has masked values",
    ),
    "vectors that are none in a mean": (lambda: estimators.mean_direction([TEXTS]), "'x' must hold|real numbers"),
}


@pytest.mark.parametrize(("call", "words"), CALLS.values(), ids=CALLS)
def test_an_error_names_the_argument_and_no_value(call, words, capfd, logged):
    with warnings.catch_warnings(record=True) as warned, pytest.raises((ValueError, TypeError)) as raised:
        warnings.simplefilter("always")
        call()
    texts = texts_of(raised.value)
    assert raised.match(words)
    assert leaked(*texts, *(str(one.message) for one in warned), *capfd.readouterr(), logged.getvalue()) == []


def test_levels_keep_their_digits_at_the_ends_of_doubles():
    """Half of κ²π² at the least: a level of 0 would promise more than there is."""
    distribution = distributions.WrappedLaplace(1e-20)
    assert distribution.pure_level() == pytest.approx(0.5e-40 * np.pi**2, rel=1e-12, abs=0.0)
    assert distribution.privacy_loss(np.pi / 2) == pytest.approx(0.375e-40 * np.pi**2, rel=1e-12, abs=0.0)
    assert str(guarantees.from_distribution(distributions.Uniform(3)).pure_level) == "0.0"
    assert distributions.WrappedLaplace(1e-300).angle_rvs(1000, rng=1).mean() == pytest.approx(np.pi / 2, abs=0.2)
    for kappa in (1e-300, 1e150):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.isfinite(distributions.VectorLaplace(2, kappa).rvs([0.0, 0.0], 100, rng=1)).all()


def test_one_place_alone_and_places_within_reach_are_not_taken_for_exchanged():
    """The rule may refuse only what cannot be meant: a person alone may be where nobody is expected."""
    assert len(release.places([-73.98], [40.75], **CITY)[0]) == 1
    assert len(release.places([40.75, -73.98], [-73.98, 40.75], **CITY)[0]) == 2
    diagonal = CITY | {"region_centre": (41.0, 40.9)}
    assert len(release.places([40.6, 40.61], [41.1, 41.1], **diagonal)[0]) == 2
