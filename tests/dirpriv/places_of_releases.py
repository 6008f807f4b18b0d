"""What the tests of releases share: exact bounds, χ² and columns of places that must be refused."""

import math
from fractions import Fraction

import mpmath
import numpy as np
from scipy import stats

EQUATOR, POLAR = 6_378_137.0, 6_356_752.314245179  # half axes of the WGS 84 ellipsoid, metres


def largest_quotient(above, below):
    """The largest of the quotients of some positive integers, exactly."""
    best, divisor = 0, 1
    for a, b in zip(above, below, strict=True):
        if a * divisor > best * b:
            best, divisor = a, b
    return Fraction(best, divisor)


def below_exp(x):
    """A rational number below e^x, by 2^-500 of it, without the library. ``x`` is a Fraction or an mpf."""
    with mpmath.workprec(700):
        x = mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x
        return Fraction(int(mpmath.floor(mpmath.exp(x) * 2**500)) - 1, 2**500)


def above_log(ratio):
    """An mpf of 600 bits above the logarithm of a Fraction, by 2^-500."""
    with mpmath.workprec(600):
        return mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator) + mpmath.mpf(2) ** -500


def p_value(counts, probabilities):
    """χ² of counts; classes of less than 10 expected are put together."""
    expected = counts.sum() * np.asarray(probabilities)
    few = expected < 10.0
    seen, expected = (np.append(x[~few], x[few].sum()) for x in (counts.astype(float), expected))
    if expected[-1] < 10.0:
        seen, expected = (np.append(x[:-2], x[-2:].sum()) for x in (seen, expected))
    return stats.chisquare(seen, expected * (seen.sum() / expected.sum())).pvalue


def chord_on_the_ground(first, second):
    """Metres straight through the ellipsoid: no more than along it, and the same to 1e-9 within 1 km."""
    vectors = []
    for latitude, longitude in (np.deg2rad(np.asarray(place)).T for place in (first, second)):
        normal = EQUATOR**2 / np.hypot(EQUATOR * np.cos(latitude), POLAR * np.sin(latitude))
        flat = normal * np.cos(latitude)
        z = (POLAR / EQUATOR) ** 2 * normal * np.sin(latitude)
        vectors.append(np.stack([flat * np.cos(longitude), flat * np.sin(longitude), z], axis=-1))
    return np.linalg.norm(vectors[0] - vectors[1], axis=-1)


COLUMNS = [  # latitude, longitude, what the message says
    ([40.0, 91.0], [0.0, 0.0], "row 1 of 'latitude' is not between -90 and 90"),
    ([40.0, -90.1], [0.0, 0.0], "row 1 of 'latitude' is not between -90 and 90"),
    ([4_514_000.0], [583_000.0], "row 0 of 'latitude' is not between"),
    ([40.0], [361.0], "row 0 of 'longitude' is not between -180 and 360"),
    ([40.0], [-181.0], "row 0 of 'longitude' is not between -180 and 360"),
    ([91.0, 92.0, 0.0], [0.0] * 3, r"row 0 .* \(2 such values\)"),
    ([40.0, math.nan], [0.0, 0.0], "row 1 of 'latitude' is nan"),
    ([40.0, 41.0], [math.inf, 0.0], "row 0 of 'longitude' is nan or infinite"),
    ([40.0, None], [0.0, 0.0], "row 1 of 'latitude' has no value"),
    (np.ma.masked_array([1.0, 2.0], [False, True]), [0.0, 0.0], "row 1 of 'latitude' is masked"),
    (["40.0", "41.0"], [0.0, 0.0], "give degrees as numbers"),
    ([40.0, "41"], [0.0, 0.0], "row 1 of 'latitude' is no real number"),
    ([True, False], [0.0, 0.0], "'latitude' must hold real numbers"),
    ([40.0 + 1j], [0.0], "'latitude' must hold real numbers"),
    (np.array(["2024-01-01"], dtype="datetime64[s]"), [0.0], "'latitude' contains times"),
    ([40.0], np.array([5], dtype="timedelta64[s]"), "'longitude' contains times"),
    ([[40.0, -74.0]], [[0.0, 0.0]], "'latitude' must be one column"),
    ([40.0, 41.0], [0.0], "must be columns of one length"),
    (40.0, [0.0], "must be columns of one length"),
]


def assert_names_no_value(error, *columns):
    """The message is one line, and holds no number of the data."""
    text = str(error)
    assert "\n" not in text and len(text) < 400
    for column in columns:
        for value in np.ravel(np.asarray(column, dtype=object)):
            if isinstance(value, float) and math.isfinite(value) and value not in (0.0, 1.0, 2.0):
                assert f"{value:g}" not in text and repr(value) not in text
