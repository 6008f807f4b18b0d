"""Releases of items of a public list: losses of the integers by exact distances, lists that are refused, draws."""

import collections
import functools
import heapq
import math
import pickle
import re
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from places_of_releases import below_exp, largest_quotient, p_value
from scipy.sparse import csgraph
from statistics_of_draws import ALPHA, DRAWS

from dirpriv import InvalidArgument, release
from dirpriv.exact import distances, finite_table
from dirpriv.exact.place_release import GROUND
from dirpriv.release import FiniteRelease, SphereRelease

DOCS = Path(__file__).resolve().parents[2] / "docs"
VENUES = {"bakery": (40.750, -73.980), "museum": (40.751, -73.981), "harbour": (40.700, -74.010)}
K33 = [(a, b, 1.0) for a in "abc" for b in "xyz"]
PUBLIC = {"items": list(VENUES), "level": 1.0, "radius": "200m", "places": list(VENUES.values())}

# ---------------------------------------------------------------- lists, and their distances by exact arithmetic


def clustered(count, seed=1):
    """Latitudes and longitudes of venues in 12 quarters of a town, some of them at one place."""
    rng = np.random.default_rng(seed)
    metres = rng.uniform(-5000, 5000, (12, 2))[rng.integers(0, 12, count)] + rng.normal(0, 400, (count, 2))
    places = metres / 111_000 * [1.0, 1.3] + [40.75, -73.98]
    places[: count // 20] = places[count // 20 : 2 * (count // 20)]
    return places


def words(count, coordinates):
    """Vectors of the most frequent words of the documentation, by the words next to them."""
    found = re.findall("[a-z]{3,}", " ".join(path.read_text("utf-8") for path in sorted(DOCS.glob("*.md"))).lower())
    frequent = [word for word, _ in collections.Counter(found).most_common(count)]
    number = {word: i for i, word in enumerate(frequent)}
    pairs = np.zeros((count, count))
    for apart in (1, 2, 3):
        for one, other in zip(found, found[apart:], strict=False):
            if one in number and other in number:
                pairs[number[one], number[other]] += 1
                pairs[number[other], number[one]] += 1
    expected = np.outer(pairs.sum(1), pairs.sum(1)) / pairs.sum()
    logs = np.log(np.maximum(pairs / np.maximum(expected, 1e-300), 1.0))
    left, sizes, _ = np.linalg.svd(logs)
    return frequent, left[:, :coordinates] * np.sqrt(sizes[:coordinates])


def roads(count, seed=1):
    """A road network: streets from each node to the next and to some others."""
    rng = np.random.default_rng(seed)
    ends = [(i, i + 1) for i in range(count - 1)] + rng.integers(0, count, (count, 2)).tolist()
    return [(a, b, float(rng.uniform(20, 300))) for a, b in {tuple(sorted(end)) for end in ends} if a != b]


def ground_below(first, second):
    """A lower bound of the angle between two places, times the radius."""
    with mpmath.workdps(50):
        vectors = []
        for north, east in ([mpmath.mpf(float(x)) * mpmath.pi / 180 for x in place] for place in (first, second)):
            vectors.append(
                (mpmath.cos(north) * mpmath.cos(east), mpmath.cos(north) * mpmath.sin(east), mpmath.sin(north))
            )
        return angle_below(*vectors) * Fraction(6371008.8)


def angle_below(first, second):
    """A rational number below the angle between two vectors, by 1e-30 of it."""
    with mpmath.workdps(60):
        units = []
        for vector in (first, second):
            values = [mpmath.mpf(x) for x in vector]
            size = mpmath.sqrt(mpmath.fsum(x * x for x in values))
            units.append([x / size for x in values])
        chords = [
            mpmath.sqrt(mpmath.fsum((x + sign * y) ** 2 for x, y in zip(*units, strict=True))) for sign in (-1, 1)
        ]
        angle = 2 * mpmath.atan2(*chords) * (1 - mpmath.mpf(10) ** -30)
        return Fraction(int(mpmath.floor(angle * 10**45)), 10**45)


def length_below(first, second):
    """A rational number below the straight distance of two points."""
    square = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(first.tolist(), second.tolist(), strict=True))
    return Fraction(math.isqrt(int(square * 10**60)), 10**30)


@functools.cache
def ways(edges, start):
    """Lengths of the shortest ways from a node, exactly: whole multiples of 2^-52."""
    neighbours = collections.defaultdict(list)
    for a, b, length in edges:
        neighbours[a].append((b, int(Fraction(length) * 2**52)))
        neighbours[b].append((a, int(Fraction(length) * 2**52)))
    lengths, queue = {}, [(0, start)]
    while queue:
        length, node = heapq.heappop(queue)
        if node not in lengths:
            lengths[node] = length
            for other, more in neighbours[node]:
                heapq.heappush(queue, (length + more, other))
    return lengths


def listed(kind, count):
    """A release, and a function of exact distances between its items."""
    if kind == "venues":
        places = clustered(count)
        made = FiniteRelease.within(1.0, "200m", range(count), places=places)
        return made, lambda i, k: ground_below(places[i], places[k])
    if kind == "points":  # with two that are 1 m apart
        points = (clustered(count) - [40.75, -73.98]) * 111_000
        points[0] = points[-1] + [1.0, 0.0]
        return FiniteRelease.within(1.0, "200m", range(count), points=points), lambda i, k: length_below(
            points[i], points[k]
        )
    if kind == "words":
        names, vectors = words(count, 40)
        return FiniteRelease(3.0, names, vectors=vectors), lambda i, k: angle_below(vectors[i], vectors[k])
    edges = tuple(roads(count))
    return FiniteRelease.within(1.0, 300.0, range(count), edges=edges), lambda i, k: Fraction(ways(edges, i)[k], 2**52)


def largest_excess(made, distance, pairs):
    """Largest ratio of probabilities of a released place from two items, over e^(ε d) from below."""
    worst, level = Fraction(0), made._parameters[0]
    for i, k in pairs:
        first, second = (made.weights(made.items[j]) for j in (i, k))
        if made.noise._place[i] == made.noise._place[k]:
            assert first == second
            continue
        totals = Fraction(sum(second), sum(first))
        ratio = max(largest_quotient(first, second) * totals, largest_quotient(second, first) / totals)
        worst = max(worst, ratio / below_exp(level * distance(i, k)))
    return worst


def drawn_pairs(made, count, seed=1):
    """Pairs of items, half of them neighbours, where the totals of rows count the most."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, len(made.items), count)
    near = np.argsort(made.noise._distances[made.noise._place[first]], axis=1)[:, 1:4]
    places = near[np.arange(count), rng.integers(0, 3, count)]
    one_of_place = np.unique(made.noise._place, return_index=True)[1]
    second = np.where(np.arange(count) % 2, rng.integers(0, len(made.items), count), one_of_place[places])
    return [(i, k) for i, k in zip(first.tolist(), second.tolist(), strict=True) if i != k]


KINDS = "venues", "points", "words", "roads"


@pytest.mark.parametrize("kind", KINDS)
def test_no_pair_of_items_has_a_larger_loss_than_promised(kind):
    made, distance = listed(kind, 120)
    assert largest_excess(made, distance, drawn_pairs(made, 100)) <= 1


@pytest.mark.sweep
@pytest.mark.parametrize(("kind", "count"), [("venues", 2000), ("points", 1000), ("words", 1500), ("roads", 600)])
def test_no_pair_of_many_items_has_a_larger_loss_than_promised(kind, count):
    made, distance = listed(kind, count)
    assert largest_excess(made, distance, drawn_pairs(made, 2000)) <= 1


def test_a_table_without_certificate_breaks_the_promise(monkeypatch):
    """What the tests above must catch: the weights of the highest rate, where the totals of rows differ."""
    monkeypatch.setattr(finite_table, "_missed", lambda *_: 0.0)
    points = (clustered(120) - [40.75, -73.98]) * 111_000
    made = FiniteRelease.within(0.2, 200.0, range(120), points=points)
    pairs = drawn_pairs(made, 100)
    assert largest_excess(made, lambda i, k: length_below(points[i], points[k]), pairs) > 1


@pytest.mark.parametrize(("kind", "count"), [*((kind, 60) for kind in KINDS), ("roads", 200)])
def test_distances_are_known_as_well_as_is_said(kind, count):
    """Against exact arithmetic, with three hundred pairs. Of 200 nodes of roads, some are searched."""
    made, distance = listed(kind, count)
    _, _, name, values, _ = made._parameters
    matrix, off = distances.KINDS[name][0](values, made.items)
    for i, k in drawn_pairs(made, 60):
        assert abs(Fraction(float(matrix[i, k])) - distance(i, k)) <= off * (1 + 1e-9)
    assert (matrix == matrix.T).all() and off < 1e-5 * matrix.max()


@pytest.mark.parametrize(("count", "more"), [(2, 0), (60, 0), (200, 300), (60, 1700)])
def test_ways_along_edges_are_those_of_dijkstra(count, more):
    """On trees, on roads, and where all items are near each other. Lengths are whole numbers, so sums are exact."""
    rng = np.random.default_rng(count + more)
    ends = [(i, int(rng.integers(i))) for i in range(1, count)] + rng.integers(0, count, (more, 2)).tolist()
    edges = [(*end, int(rng.integers(1, 1000))) for end in {(max(end), min(end)) for end in ends}]
    given = np.zeros((count, count))
    for first, second, length in edges:
        given[first, second] = given[second, first] = length * (first != second)
    found, off = distances.along_edges(edges, range(count))
    assert (found == csgraph.dijkstra(given)).all() and off > 0.0


def test_near_vectors_keep_their_angle():
    """Down to 1e-9 rad, at which an arc cosine says 0."""
    angles = np.array([0.0, 1e-9, 1e-6, 1e-4, 0.0141, 0.0142, 1.0, math.pi - 1e-9, math.pi])
    vectors = np.zeros((9, 50))
    vectors[:, 0], vectors[:, 1] = np.cos(angles), np.sin(angles)
    scales = np.geomspace(1e-200, 1e200, 9)[:, None]
    matrix, off = distances.between_vectors(vectors * scales, range(9))
    assert np.abs(matrix[0] - angles).max() < off < 1e-11


@pytest.mark.parametrize("count", [3, 64, 65, 150])
def test_shortest_ways_are_those_of_floyd_and_warshall(count):
    given = np.random.default_rng(count).uniform(0.1, 10.0, (count, count)) ** 3
    given = np.triu(given, 1) + np.triu(given, 1).T
    expected = given.copy()
    for k in range(count):
        expected = np.minimum(expected, expected[:, [k]] + expected[k])
    assert distances.along_matrix(given, range(count))[0] == pytest.approx(expected, rel=1e-14)
    assert (expected < given).any()


def test_a_matrix_that_is_no_metric_keeps_its_promise():
    """Squares of distances: two steps of 1 are 2 in all, where the matrix says 4."""
    squares = np.subtract.outer(np.arange(5.0), np.arange(5.0)) ** 2
    made = FiniteRelease(1.0, list("abcde"), distance=squares)
    assert largest_excess(made, lambda i, k: Fraction(abs(i - k)), [(i, k) for i in range(5) for k in range(i)]) <= 1


# ---------------------------------------------------------------- the table


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 5.0, 1e3])
def test_a_kernel_that_is_not_positive_definite(epsilon):
    """Both sides of K₃,₃: all rows have one total, so the weights are equal and the level is used up."""
    made = FiniteRelease(epsilon, list("abcxyz"), edges=K33)
    kernel = np.exp(-epsilon * np.array([[0, 2, 2, 1, 1, 1]]))
    assert made.unchanged == pytest.approx(np.full(6, 1.0 / kernel.sum()), rel=1e-6)
    assert np.linalg.eigvalsh(np.exp(-0.3 * made.noise._distances)).min() < 0.0
    pairs = [(i, k) for i in range(6) for k in range(i)]
    assert largest_excess(made, lambda i, k: Fraction(1 if (i < 3) != (k < 3) else 2), pairs) <= 1


def test_certified_weights_are_better_than_half_of_the_level():
    """Mean errors of 300 clustered venues, level 1 within 200 m: the exponential mechanism has half of the level."""
    points = (clustered(300) - [40.75, -73.98]) * 111_000
    made = FiniteRelease.within(1.0, 200.0, range(300), points=points)
    rate, apart = 1.0 / 400.0, made.noise._distances
    half = np.exp(-rate * apart)
    half /= half.sum(axis=1, keepdims=True)
    assert 1.0 / 400.0 < made.noise._table.rate < 1.0 / 200.0
    assert made.noise.mean_distance() < 0.6 * (half * apart).sum(axis=1)[made.noise._place].mean()


@pytest.mark.parametrize("level", [1e-6, 1e-3, 0.1, 1.0, 30.0, 1e5])
def test_every_level_has_a_table(level):
    """Far below a level at which K w = 1 has a positive solution, and far above the floor of the weights."""
    made = FiniteRelease.within(level, 200.0, range(100), points=(clustered(100) - [40.75, -73.98]) * 111_000)
    epsilon = float(made._parameters[0])
    assert made.noise._table.rate >= min(0.4999 * epsilon, 52.0 / made.noise._distances.max())
    assert made.noise.transitions().sum(axis=1) == pytest.approx(np.ones(100), rel=1e-12)
    assert np.diagonal(made.noise.transitions()) == pytest.approx(made.unchanged, rel=1e-12)
    assert made.certificate.loss(200.0) <= level and made.certificate.loss(np.inf) == made.certificate.pure


def test_a_release_of_the_globe_is_a_user_of_the_table():
    globe = SphereRelease.within(4.0, "1000km", cells=100)
    centres = globe.partition.centres()
    made = FiniteRelease(globe._parameters[0], range(100), places=centres)
    assert made.noise.transitions() == pytest.approx(globe.noise.transitions(), rel=1e-8)
    assert made.noise.metric_level() == pytest.approx(globe.certificate.cells * float(GROUND))
    assert made.certificate.loss("500km") == pytest.approx(globe.certificate.cells * float(GROUND) * 500_000.0)


def test_places_one_metre_apart_at_level_one_within_200_metres():
    places = [[40.75 + i // 3 * 1e-3 + i % 3 * 9e-6, -73.98] for i in range(60)]
    made = FiniteRelease.within(1.0, "200m", range(60), places=places)
    assert made.certificate.loss("200m") <= 1.0 and made.noise._table.rate > 0.99999 * made.certificate.cells
    assert made.neighbours("1.5m").tolist() == [1, 2, 1] * 20


def test_equal_weights_at_half_the_level_where_they_are_better():
    """Venues within 50 m, at level 1 within 200 m: the solution of K w = 1 would send all people to both ends."""
    points = np.arange(50.0)[:, None]
    made = FiniteRelease.within(1.0, 200.0, range(50), points=points)
    half = np.exp(-np.abs(points - points.T) / 400.0)
    half /= half.sum(axis=1, keepdims=True)
    assert made.noise.transitions() == pytest.approx(half, rel=1e-3)
    assert made.noise.mean_distance() < 17.0 and made.certificate.loss(200.0) < 0.2


def test_the_unit_of_a_distance():
    made = FiniteRelease.within(1.0, "30deg", ["a", "b"], vectors=[[1.0, 0.0], [0.0, 1.0]])
    assert made.certificate.loss("30deg") <= 1.0 and made.certificate.loss("0.2rad") == pytest.approx(0.6 / math.pi * 2)
    with pytest.raises(ValueError, match="'radius' must be an angle"):
        FiniteRelease.within(1.0, "200m", ["a", "b"], vectors=[[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match="'radius' must be a number"):
        FiniteRelease.within(1.0, "200m", list("abcxyz"), edges=K33)
    with pytest.raises(ValueError, match="'distance' must be a length"):
        FiniteRelease.within(1.0, "200m", **{k: PUBLIC[k] for k in ("items", "places")}).certificate.loss("1rad")


# ---------------------------------------------------------------- draws


def chi_square(draws):
    """From three venues, and of a level 10 % higher: a p-value each."""
    made = FiniteRelease.within(1.0, "200m", range(60), places=clustered(60))
    other = FiniteRelease.within(1.1, "200m", range(60), places=clustered(60))
    for item in (0, 20, 59):
        counts = np.bincount(made.randomise_indices(np.full(draws, item)), minlength=60)
        yield tuple(p_value(counts, each.noise.transitions()[item]) for each in (made, other))


def test_frequencies_are_those_of_the_table():
    for right, wrong in chi_square(DRAWS):
        assert right > ALPHA > wrong


@pytest.mark.sweep
def test_frequencies_of_ten_million_draws():
    for right, wrong in chi_square(10_000_000):
        assert right > ALPHA > wrong


def test_items_at_one_place_are_drawn_from_uniformly():
    made = FiniteRelease(1.0, list("abcd"), points=[[0.0], [1.0], [1.0], [1.0]])
    assert made.weights("b") == made.weights("d")
    counts = np.bincount(made.randomise_indices(np.full(DRAWS, 2)), minlength=4)
    assert p_value(counts, made.noise.transitions()[2]) > ALPHA
    assert p_value(counts[1:], [0.34, 0.33, 0.33]) < ALPHA
    alone = FiniteRelease(1.0, list("ab"), points=[[1.0], [1.0]])
    assert alone.unchanged.tolist() == [0.5, 0.5] and alone.certificate.pure == 0.0


def test_copies_draw_on_their_own():
    made, inputs = FiniteRelease(0.1, range(50), points=np.arange(50.0)[:, None]), np.arange(50)
    copied = pickle.loads(pickle.dumps(made))
    assert copied.sha256 == made.sha256 and copied.weights(7) == made.weights(7)
    assert len({tuple(each.randomise_indices(inputs).tolist()) for each in (made, made, copied)}) == 3
    sure = FiniteRelease(100.0, range(50), points=np.arange(50.0)[:, None])
    mixed = np.random.default_rng(1).permutation(np.repeat(inputs, 20))
    assert np.array_equal(sure.randomise_indices(mixed), mixed)


def test_another_list_has_another_digest():
    changes = [
        {"items": ["bakery", "museum", "port"]},
        {"unknown": "other"},
        {"places": [*list(VENUES.values())[:2], (40.7001, -74.01)]},
    ]
    given = {"items": PUBLIC["items"], "places": PUBLIC["places"], "radius": "200m"}
    digests = {FiniteRelease.within(1.0, **(given | change)).sha256 for change in [{}, {"radius": "1km"}, *changes]}
    assert len(digests) == 4


# ---------------------------------------------------------------- columns


def test_columns_come_back_as_they_were():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    texts = ["bakery", "museum", "bakery"]
    for column in (texts, tuple(texts), np.array(texts), pd.Series(texts, name="v"), pl.Series("v", texts)):
        found = release.items(column, **PUBLIC)
        assert type(found) is type(column) and set(found) <= set(VENUES) and len(found) == 3
        assert getattr(found, "name", "v") == getattr(column, "name", "v")
    assert release.items("harbour", **PUBLIC) == "harbour"  # which stands alone
    assert release.items(["harbour", None], **PUBLIC, missing="keep") == ["harbour", None]
    numbers = {"items": [4, 7, 9], "points": [[0.0], [1.0], [9.0]], "level": 1e6, "radius": 1.0}
    assert release.items(np.array([7, 4]), **numbers).tolist() == [7, 4]
    assert release.items(pd.Series([7, 9], dtype="Int64"), **numbers).tolist() == [7, 9]
    assert release.items([7, 12], unknown="other", **numbers) == [7, "other"]


def test_a_lone_venue_can_be_refused():
    with pytest.raises(ValueError, match="exceeded by the item 'harbour', which 100% of the draws leave") as refused:
        release.items(["bakery"], most_unchanged=0.9, **PUBLIC)
    assert "\n" not in str(refused.value)
    made = FiniteRelease.within(
        1.0,
        "200m",
        most_unchanged=0.7,
        **{k: PUBLIC[k] for k in ("items",)},
        places=[[40.75, -73.98], [40.751, -73.981], [40.7505, -73.98]],
    )
    assert made.unchanged.max() <= 0.7


def test_a_list_that_is_made_from_the_data_is_refused():
    column = [*VENUES, "bakery"]
    with pytest.raises(ValueError, match="has exactly the items that occur in the column"):
        release.items(column, **PUBLIC)
    with pytest.raises(ValueError, match="has exactly the items that occur in the column"):
        release.items(column, unknown="other", **PUBLIC)
    assert len(release.items([*column[1:], "somewhere"], unknown="other", **PUBLIC)) == 4
    assert len(release.items(column, public_list=True, **PUBLIC)) == 4


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["bakery", "Bakery"], "row 1 of 'column' is not on the list"),
        ([None, "secret"], "row 0 of 'column' has no value"),
        (["bakery", 3], "row 1 of 'column' is not on the list"),
        ([["bakery"]], "'column' must be one column"),
        (np.ma.array(["bakery", "museum"], mask=[0, 1]), "row 1 of 'column' has no value"),
        ({"bakery"}, "'column' must be a list"),
        ([True], "row 0 of 'column' is not on the list"),
        ([1.0], "row 0 of 'column' is not on the list"),
        ([b"bakery"], "row 0 of 'column' is not on the list"),
        (np.array([{}, []], dtype=object), "row 0 of 'column' is not on the list"),
    ],
    ids=str,
)
def test_columns_are_refused_by_row_and_rule(column, message):
    with pytest.raises(InvalidArgument, match=message) as refused:
        release.items(column, **PUBLIC)
    assert "secret" not in str(refused.value)


def given(**changed):
    """Arguments with a change; None leaves one out."""
    arguments = {"level": 1.0, "radius": "200m", "items": list("abc"), "places": [[0, 0], [0, 1], [1, 1]]}
    return {name: value for name, value in (arguments | changed).items() if value is not None}


def matrix(**changed):
    values = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0], [2.0, 2.0, 0.0]])
    for place, value in changed.items():
        values[tuple(map(int, place[1:]))] = value
    return given(places=None, radius=1.0, distance=values)


def graph(*edges, **changed):
    return given(places=None, radius=1.0, edges=list(edges), **changed)


HOSTILE = [
    (given(items=["a"], places=[[0, 0]]), "2 to 5000 .* got 1"),
    (given(items=[], places=np.zeros((0, 2))), "2 to 5000 .* got list"),
    (given(items=range(100_000), places=np.zeros((100_000, 2))), "got 100000: join items"),
    (given(items=range(5001), places=np.zeros((5001, 2))), "got 5001"),
    (given(items=["a", "a", "b"]), "'items' has an item twice"),
    (given(items=["a", None, "b"]), "one of them has the type NoneType"),
    (given(items=["a", math.nan, "b"]), "one of them has the type float"),
    (given(items=["a", 1.5, "b"]), "one of them has the type"),
    (given(items=["a", True, "b"]), "one of them has the type"),
    (given(items=["a", ("b", "c"), "d"]), "one of them has the type tuple"),
    (given(items=[["a", "b", "c"]]), "'items' must be a list of 2"),
    (given(items="abc"), "'items' must be a list"),
    (given(items=["a", "b"]), "'places' must have a row for each of the 2 items"),
    (given(places=[[0, 0], [0, 1], [91, 1]]), "row 2 of 'places' has no latitude from -90 to 90"),
    (given(places=[[0, 0], [0, 1], [math.nan, 1]]), "row 2 of 'places' is not finite"),
    (given(places=[[0, 0], [0, 1], [math.inf, 1]]), "row 2 of 'places' is not finite"),
    (given(places=[0, 1, 2]), "'places' must have a row"),
    (given(places=[[0, 0, 0]] * 3), "'places' must hold 2 coordinates"),
    (given(places=[["x", "y"]] * 3), "'places' must hold real numbers"),
    (given(places=None), "one distance is needed, by one of 'places', 'points', 'vectors', 'edges', 'distance'"),
    (given(points=[[0], [1], [2]]), "one distance is needed"),
    (given(metric=[[0], [1], [2]]), "one distance is needed"),
    (given(places=[[0, 0], [0, 1], [1e-13, 0]]), "two of them are .* apart, where distances are known"),
    (given(places=None, points=[[0.0], [1e-16], [1e16]]), "two of them are 1e-16 apart"),
    (given(places=None, points=[[0.0], [1e-150], [1.0]]), "distances must be from 1e-100"),
    (given(places=None, points=[[0.0], [1e200], [1.0]]), "distances must be from 1e-100"),
    (given(places=None, points=[[0.0], [math.nan], [1.0]]), "row 1 of 'points' is not finite"),
    (given(places=None, points=np.zeros((3, 0))), "'points' must hold the coordinates"),
    (given(places=None, radius=1.0, vectors=[[1, 0], [0, 0], [0, 1]]), "row 1 of 'vectors' has the length 0"),
    (given(places=None, radius=1.0, vectors=[[1, 0], [0, math.inf], [0, 1]]), "row 1 of 'vectors' is not finite"),
    (given(places=None, radius=1.0, vectors=[[1, 1e-15], [1, 0], [0, 1]]), "two of them are .* apart"),
    (given(places=None, radius=1.0, vectors=[1.0, 2.0, 3.0]), "'vectors' must have a row"),
    (matrix(_01=1.5), "is not the same in both directions.* its transpose"),
    (matrix(_00=1.0), "'distance' must be 0 from an item to itself"),
    (matrix(_01=math.nan, _10=math.nan), "is no finite distance"),
    (matrix(_01=math.inf, _10=math.inf), "is no finite distance"),
    (matrix(_01=-1.0, _10=-1.0), "is no finite distance"),
    (matrix() | {"distance": np.zeros((3, 2))}, "'distance' must be a square matrix"),
    (matrix() | {"distance": np.zeros((2, 2))}, "'distance' must have a row for each of the 3 items"),
    (matrix() | {"items": range(2001), "distance": np.ones((2001, 2001))}, "of at most 2000 items"),
    (graph(("a", "b", 1.0)), "'edges' must connect all items; none leads from 'a' to 'c'"),
    (graph(), "'edges' must connect all items"),
    (graph(("a", "b", 1.0), ("b", "a", 2.0), ("b", "c", 1.0)), "row 1 of 'edges' has another length .* one-way roads"),
    (graph(("a", "b", 1.0), ("b", "d", 1.0)), "row 1 of 'edges' must be two items of the list"),
    (graph(("a", "b"), ("b", "c", 1.0)), "row 0 of 'edges' must be two items of the list"),
    (graph(("a", "b", 0.0), ("b", "c", 1.0)), "'edges' must be positive"),
    (graph(("a", "b", -1.0), ("b", "c", 1.0)), "'edges' must be positive"),
    (graph(("a", "b", math.nan), ("b", "c", 1.0)), "'edges' must be positive"),
    (graph(("a", "b", math.inf), ("b", "c", 1.0)), "'edges' must be positive"),
    (graph(("a", "b", "far"), ("b", "c", 1.0)), "'edges' must be a positive"),
    (graph((["a"], "b", 1.0), ("b", "c", 1.0)), "row 0 of 'edges' must be two items"),
    (given(places=None, radius=1.0, edges="abc"), "'edges' must be a list"),
    (given(level=0.0), "'level' must be positive"),
    (given(level=math.nan), "'level' must be positive"),
    (given(level=math.inf), "'level' must be positive"),
    (given(level="1"), "'level' must be a positive finite number"),
    (given(radius=0.0), "'radius' must be positive"),
    (given(radius="3h"), "'radius' must be a length"),
    (given(radius=-1.0), "'radius' must be nonnegative"),
    (given(unknown="a"), "'items' has an item twice, or that of 'unknown'"),
    (given(unknown=3), "'unknown' must be a text"),
    (given(most_unchanged=0.0), "'most_unchanged' must be positive"),
    (given(most_unchanged="half"), "'most_unchanged' must be a positive"),
]


@pytest.mark.parametrize(("arguments", "message"), HOSTILE, ids=[str(i) for i in range(len(HOSTILE))])
def test_what_is_no_list_is_refused_in_one_line(arguments, message):
    with pytest.raises(InvalidArgument, match=message) as refused:
        FiniteRelease.within(**arguments)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 400


def test_what_is_no_number_of_an_item_is_refused():
    made = FiniteRelease.within(**given())
    for wrong in ([3], [-1], [0.0], ["a"], [[0]], [True]):
        with pytest.raises(ValueError, match="'indices'"):
            made.randomise_indices(wrong)
    with pytest.raises(ValueError, match="'values' must be one column"):
        made.randomise([["a"]])
    assert made.randomise([]) == [] and made.randomise_indices(np.array([], dtype=int)).shape == (0,)
    with pytest.raises(AttributeError, match="cannot be set"):
        made.items = ()
    assert not hasattr(made.noise, "rvs")


def test_errors_of_numpy_that_are_raised_change_nothing():
    with np.errstate(all="raise"):
        made = FiniteRelease.within(1.0, "200m", range(60), places=clustered(60))
        vectors = FiniteRelease(1e3, range(60), vectors=clustered(60))
    assert made.weights(7) == FiniteRelease.within(1.0, "200m", range(60), places=clustered(60)).weights(7)
    assert vectors.certificate.cells == 1e3
