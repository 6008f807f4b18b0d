"""Properties of releases at every level, number of cells, radius and input: what their integers promise.

The inequalities are recomputed here from the integers, in exact arithmetic and without the library's own
exponential function. Each has a wrong table that the same check refuses.
"""

import functools
import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import polars
import pytest
from for_all import for_all
from hypothesis import assume, target
from hypothesis import strategies as st
from places_of_releases import below_exp, chord_on_the_ground, largest_quotient

from dirpriv import release
from dirpriv.exact import sampling
from dirpriv.exact.circle_cells import CircleCells
from dirpriv.exact.sampling import IntegerWeights
from dirpriv.geometry import earth
from dirpriv.geometry.earth import EARTH_RADIUS
from dirpriv.release import CircleRelease, PlaneRelease, SphereRelease
from dirpriv.release.files import max_rows_per_person as _persons
from dirpriv.release.files import shuffle as _order

LEVELS = st.floats(-6.0, 3.0).map(lambda power: 10.0**power)
SECONDS = st.integers(1, 12 * 3600)
ULPS = st.integers(-3, 3)
with mpmath.workprec(600):
    PI_BELOW = Fraction(int(mpmath.floor(mpmath.pi * 2**500)), 2**500)


def moved(x, ulps):
    """The double so many doubles on."""
    for _ in range(abs(ulps)):
        x = math.nextafter(x, math.copysign(math.inf, ulps))
    return x


# ---------------------------------------------------------------- the circle


def largest_ratio(weights, distance):
    """Largest ratio of two probabilities of one released cell, for inputs this many cells apart."""
    start = -distance % len(weights)
    return largest_quotient(weights, [*weights[start:], *weights[:start]])


def assert_bounded(weights, distance, level):
    """No released cell is more than e^level times as probable, for inputs this many cells apart or nearer."""
    for k in {1, distance // 2, distance}:
        ratio = max(largest_ratio(weights, k), largest_ratio(weights, -k))
        assert ratio == 1 or ratio <= below_exp(Fraction(level)), f"{k} cells apart"


def cells_apart(seconds, cells):
    return min(math.ceil(Fraction(seconds * cells, 86_400)), cells // 2)


@for_all(40, 1000, level=LEVELS, cells=st.integers(2, 300), seconds=SECONDS)
def test_times_keep_the_level_within_the_radius(level, cells, seconds):
    made = CircleRelease.within(level, f"{seconds}s", cells=cells)
    weights, certificate = made.weights, made.certificate
    assert len(weights) == cells and all(type(weight) is int and weight > 0 for weight in weights)
    assert weights[1:] == weights[:0:-1] and sum(weights) <= 2**128
    distance = cells_apart(seconds, cells)
    assert_bounded(weights, distance, level)
    assert certificate.loss(f"{seconds}s") <= level
    for k in {1, distance, cells // 2}:  # what the certificate says holds
        assert_bounded(weights, k, certificate.between(k))
    assert_bounded(weights, cells // 2, certificate.pure)


@for_all(20, 500, level=LEVELS, cells=st.integers(2, 300), seconds=SECONDS)
def test_a_weight_that_is_a_little_too_large_is_found(level, cells, seconds):
    """The wrong variant of the property above: the largest weight is larger by 1e-12 of it."""
    distance = cells_apart(seconds, cells)
    assume(level / distance < 40.0)  # steeper tables fall less than they may
    weights = list(CircleRelease.within(level, f"{seconds}s", cells=cells).weights)
    assert_bounded(weights, 1, level / distance * (1.0 + 1e-15))
    weights[0] += weights[0] // 10**12
    with pytest.raises(AssertionError):
        assert_bounded(weights, 1, level / distance)


@for_all(20, 500, epsilon=LEVELS, cells=st.integers(2, 300), purpose=st.sampled_from(["mean", "histogram"]))
def test_directions_keep_a_pure_level(epsilon, cells, purpose):
    made = CircleRelease.pure(epsilon, cells=cells, purpose=purpose)
    assert_bounded(made.weights, cells // 2, epsilon)
    assert_bounded(made.weights, cells // 2, made.certificate.pure)
    assert made.certificate.pure <= epsilon and len(set(made.weights)) <= 2


@for_all(100, 3000, cells=st.integers(2, 2000), border=st.integers(0, 2000), ulps=ULPS, y=st.floats(0.0, 24.0))
def test_two_hours_lie_no_more_cells_apart_than_their_distance_says(cells, border, ulps, y):
    """In exact arithmetic, for doubles at borders of cells and anywhere."""
    x = min(max(moved(float(Fraction(24 * (border % (cells + 1)), cells)), ulps), 0.0), 24.0)
    circle = CircleCells(cells, "24h")
    distance = abs(Fraction(x) - Fraction(y))
    allowed = math.ceil(min(distance, 24 - distance) * cells / 24)
    found = circle.index_times(np.array([x, y]))
    steps = int(abs(found[0] - found[1]))
    assert min(steps, cells - steps) <= allowed
    assert found[0] == math.floor(Fraction(x) * cells / 24) % cells


@for_all(
    100,
    3000,
    cells=st.integers(2, 2000),
    border=st.integers(-2000, 4000),
    ulps=ULPS,
    shift=st.sampled_from([0, 2**-47]),
    y=st.floats(-6.28, 12.56),
)
def test_two_angles_lie_no_more_cells_apart_than_their_distance_says(cells, border, ulps, shift, y):
    """For doubles at true borders, at those of the cells, which lie a little earlier, and anywhere."""
    x = moved(float(2 * PI_BELOW * (border % (3 * cells + 1) - cells) / cells - Fraction(shift)), ulps)
    assume(-2 * PI_BELOW <= Fraction(x) <= 4 * PI_BELOW)
    found = CircleCells(cells, "24h").index_angles(np.array([x, y]))
    distance = abs(Fraction(x) - Fraction(y)) % (2 * PI_BELOW)
    # π is a little more than its bound: less than 2^-400 of a cell, which no two doubles are near
    allowed = math.ceil(min(distance, 2 * PI_BELOW - distance) * cells / (2 * PI_BELOW))
    steps = int(abs(found[0] - found[1]))
    assert min(steps, cells - steps) <= allowed


# ---------------------------------------------------------------- places

LENGTHS = st.floats(0.0, 6.0).map(lambda power: 10.0**power)
ORIGINS = st.tuples(st.floats(-90.0, 90.0), st.floats(-180.0, 180.0))


def assert_lattice_bounded(weights, fall):
    """No two offsets differ by more than e^(fall · distance): of inputs so far apart, one released cell."""
    size, bounds = len(weights), {}
    for (a, b), (c, d) in itertools.combinations(itertools.product(range(size), repeat=2), 2):
        low, high = sorted((weights[a][b], weights[c][d]))
        square = (a - c) ** 2 + (b - d) ** 2
        if square not in bounds:
            with mpmath.workprec(700):
                exponent = mpmath.mpf(fall.numerator) / fall.denominator * mpmath.sqrt(square)
                bounds[square] = below_exp(exponent)
        assert high * bounds[square].denominator <= low * bounds[square].numerator


@for_all(
    12, 200, level=LEVELS, radius=LENGTHS, cell_size=LENGTHS, region_reach=st.floats(100.0, 1e7), region_centre=ORIGINS
)
def test_places_keep_the_level_per_metre(level, radius, cell_size, region_reach, region_centre):
    """Or are refused: where the table would be too fine or its square larger than the Earth."""
    try:
        made = PlaneRelease.within(
            level, radius, region_centre=region_centre, region_reach=region_reach, cell_size=cell_size
        )
    except ValueError as error:
        assert len(str(error)) < 400
        return
    assert made.certificate.loss(radius) <= level
    fall = Fraction(made.certificate.cells) * Fraction(made.cell_size)
    weights = made.weights(2)
    assert all(type(weight) is int and weight > 0 for row in weights for weight in row)
    assert_lattice_bounded(weights, fall)
    if fall < 50:  # else all others are on the floor
        weights[2][2] += weights[2][2] // 100  # the wrong variant
        with pytest.raises(AssertionError):
            assert_lattice_bounded(weights, fall)


def test_longitudes_beside_a_border_are_turned_into_their_range():
    for border, ulps in itertools.product([-540.0, -180.0, 0.0, 180.0, 540.0], range(-9, 10)):
        longitude = moved(border, ulps)
        found = float(earth._turned_in(np.array(longitude)))
        assert -180.0 <= found < 180.0
        assert found == longitude or not -180.0 <= longitude < 180.0
        off = abs(Fraction(longitude) - Fraction(found)) % 360
        assert min(off, 360 - off) < Fraction(2) ** -43


@for_all(
    200,
    4000,
    region_centre=ORIGINS,
    region_reach=st.floats(100.0, 1e7),
    cell_size=st.floats(1.0, 1e5),
    bearing=st.floats(-4.0, 4.0),
    away=st.floats(0.0, math.pi),
    aside=st.floats(-4.0, 4.0),
    metres=st.floats(0.0, 1000.0),
)
def test_the_map_lengthens_no_way_by_more_than_is_charged(
    region_centre, region_reach, cell_size, bearing, away, aside, metres
):
    """Of two places up to 1 km apart anywhere on Earth, the antipode of the origin included."""
    assume(cell_size <= region_reach)
    made = PlaneRelease(54.0 / cell_size, region_centre=region_centre, region_reach=region_reach, cell_size=cell_size)
    place = earth.destination(region_centre, bearing, away * EARTH_RADIUS)
    places = np.stack([place, earth.destination(place, aside, metres)])
    ground = float(chord_on_the_ground(*places))
    # one after the other, as two beyond the reach may look like places with exchanged coordinates
    (east, north), (other_east, other_north) = (made.cells_of(*place) for place in places)
    distance = made.cell_size * math.hypot(east - other_east, north - other_north)
    allowed = float(made.certificate._stretch) * ground * (1.0 + 2e-9) + float(made.certificate._rounding)
    target(distance - allowed)
    assert distance <= allowed


@for_all(12, 150, cells=st.integers(2, 24), per_radian=LEVELS)
def test_the_globe_keeps_its_level_or_is_refused(cells, per_radian):
    try:
        made = SphereRelease(per_radian / EARTH_RADIUS, cells=cells)
    except ValueError as error:
        assert len(str(error)) < 400
        return
    weights = [made.weights(cell) for cell in range(cells)]
    totals = [sum(row) for row in weights]
    centres = made.partition.centres()
    angles = [earth.great_circle_distance(centre, centres, radius=1.0) for centre in centres]
    pure = below_exp(Fraction(made.certificate.pure))
    for i, k in itertools.permutations(range(cells), 2):
        with mpmath.workprec(700):
            angle = mpmath.mpf(float(angles[i][k])) + mpmath.mpf("1e-13")  # of which it is known
            bound = below_exp(mpmath.mpf(per_radian) * angle)
        ratio = largest_quotient(weights[i], weights[k]) * Fraction(totals[k], totals[i])
        assert ratio <= bound and ratio <= pure


# ---------------------------------------------------------------- draws


@for_all(100, 5000, weights=st.lists(st.integers(0, 2**120), min_size=1, max_size=60).filter(any))
def test_every_table_is_drawn_from_in_proportion_to_its_integers(weights):
    """The first and the last integer of each index find it, and the integers are as many as the weights."""
    table = IntegerWeights(weights)
    scale = table.total // sum(weights)
    ends = list(itertools.accumulate((weight * scale for weight in weights), initial=0))
    there = [i for i, weight in enumerate(weights) if weight]
    assert ends[-1] == table.total

    def found(integers):
        high, low = (
            np.array(words, dtype=np.uint64) for words in zip(*(divmod(n, 1 << 64) for n in integers), strict=True)
        )
        return table.find(high, low).tolist()

    assert found([ends[i] for i in there]) == there == found([ends[i + 1] - 1 for i in there])


def orders(count, wrong=False):
    """The exact probability of every order of so many rows, from all words of two values of a bucket."""
    shares = {}
    for buckets in itertools.product(range(2), repeat=count):
        sizes = [buckets.count(0), buckets.count(1)]
        keys = [list(itertools.permutations(range(size))) for size in sizes]
        for chosen in itertools.product(*keys):
            queue = [np.array(key, np.uint64) for key in chosen if key]
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(_order.os, "urandom", lambda n, buckets=buckets: bytes(buckets))
                patch.setattr(_order, "random_words", lambda n, queue=queue: np.arange(n) if wrong else queue.pop(0))
                blocks = _order.shuffled(lambda: iter([np.arange(count)]), lambda rows: rows, count, np.int64)
                order = tuple(np.concatenate(list(blocks)).tolist())
            shares[order] = shares.get(order, 0) + Fraction(1, 2**count * len(keys[0]) * len(keys[1]))
    return shares


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_every_order_of_few_rows_has_the_same_probability(count):
    """Exactly: the order of what is released says nothing of that of the input. Wrong: unsorted buckets."""
    expected = dict.fromkeys(itertools.permutations(range(count)), Fraction(1, math.factorial(count)))
    assert orders(count) == expected
    if count > 1:
        assert orders(count, wrong=True) != expected


@for_all(60, 3000, persons=st.lists(st.integers(1, 4), min_size=1, max_size=30), most=st.integers(1, 4))
def test_at_most_so_many_rows_of_each_person_whatever_their_order(persons, most):
    blocks = [np.array(persons[start : start + 7], np.uint64) for start in range(0, len(persons), 7)]
    rows, whose = _persons.chosen_rows(iter(blocks), most)
    assert (np.diff(rows) > 0).all() and whose.tolist() == [persons[row] for row in rows.tolist()]
    for person in set(persons):
        assert (whose == person).sum() == min(persons.count(person), most)


# ---------------------------------------------------------------- columns in memory

MINUTES = st.integers(0, 1439)
SURE = {"level": 1e6, "radius": "3h"}  # noise of less than a cell


def clock(minute):
    return f"{minute // 60:02d}:{minute % 60:02d}"


KINDS = {
    "texts": (lambda minute: clock(minute), lambda value: int(value[:2]) * 60 + int(value[3:5])),
    "hours": (lambda minute: (minute + 0.5) / 60.0, lambda value: int(value * 60.0)),
}
UNITS = {"texts": None, "hours": "h"}
COLUMNS = {
    "list": lambda values: list(values),
    "tuple": lambda values: tuple(values),
    "objects": lambda values: np.array(values, dtype=object),
    "polars": lambda values: polars.Series("sp\u00e4t \u2603", values),
}


@functools.cache
def middles_of(kind):
    """The middles of all cells."""
    values = [KINDS[kind][0](minute) for minute in range(1440)]
    return set(release.times(values, unit=UNITS[kind], **SURE))


@for_all(
    60,
    3000,
    minutes=st.lists(st.none() | MINUTES, min_size=1, max_size=40).filter(lambda rows: rows != [None] * len(rows)),
    kind=st.sampled_from(sorted(KINDS)),
    column=st.sampled_from(sorted(COLUMNS)),
)
def test_columns_keep_their_rows_and_hold_middles_of_cells_only(minutes, kind, column):
    write, read = KINDS[kind]
    assume(any(minute is not None for minute in minutes))
    values = COLUMNS[column]([None if minute is None else write(minute) for minute in minutes])
    released = release.times(values, missing="keep", unit=UNITS[kind], **SURE)
    assert type(released) is type(values) and len(released) == len(minutes)
    rows = list(released)
    found = [None if value is None or value != value else read(value) for value in rows]
    assert found == minutes
    wide = list(release.times(values, missing="keep", unit=UNITS[kind], level=1e-6, radius="3h"))
    for value, minute in zip(wide, minutes, strict=True):
        assert (value in middles_of(kind)) == (minute is not None)


@for_all(20, 500, minute=MINUTES, level=st.floats(1e-6, 10.0))
def test_the_same_input_twice_gives_two_outputs(minute, level):
    """Of 200 rows, at a level whose most probable cell has less than 3 %: equal with probability 1e-300."""
    column = [clock(minute)] * 200
    assert release.times(column, level=level, radius="3h") != release.times(column, level=level, radius="3h")


@for_all(
    40,
    2000,
    minutes=st.lists(MINUTES, min_size=1, max_size=30),
    at=st.integers(0, 29),
    bad=st.sampled_from(["25:17", "8.7.6 Uhr", "Zyxander", "12:61", "7654", "\u0661\u0662:\u0663\u0664"]),
)
def test_an_error_names_the_row_and_the_rule_and_no_value(minutes, at, bad):
    at %= len(minutes) + 1
    values = [clock(minute) for minute in minutes]
    values.insert(at, bad)
    rules = "HH:MM|is a text that is a number|numbers without a unit"
    with pytest.MonkeyPatch.context() as patch, pytest.raises(ValueError, match=rules) as caught:
        patch.setattr(sampling.os, "urandom", lambda count: pytest.fail("something was drawn"))
        release.times(values, **SURE)
    said = str(caught.value)
    # the first value says of which kind the column is
    where = "'column' contains numbers" if bad.isascii() and bad.isdecimal() and at == 0 else f"row {at} of 'column'"
    assert where in said and bad not in said and "\n" not in said
