"""Releases of one item of a public list, private by construction: a distance, and a table of integer weights."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._lib.immutable import Built
from dirpriv._lib.types import Array, Integers, Mask, WithUnit
from dirpriv.exact import arithmetic, distances
from dirpriv.exact.certificates import PlaceCertificate
from dirpriv.exact.circle_table_distribution import TableDistribution
from dirpriv.exact.distances import KINDS
from dirpriv.exact.finite_table import MOST_PLACES, FiniteTable
from dirpriv.exact.place_release import level_per_metre
from dirpriv.exact.sampling import uniform_below
from dirpriv.geometry.spaces import FiniteSet


class FiniteRelease(Built):
    r"""Release of one item of a public list, with a guarantee that holds in floating point.

    The items are venues, words, codes or nodes of a network, and a public distance says which ones are alike. The
    item j has the probability

    .. math:: P_{ij} = w_j e^{-\varepsilon' d_{ij}} / r_i, \qquad r_i = \sum_j w_j e^{-\varepsilon' d_{ij}},

    for the input i. The loss between the inputs i and k is at most :math:`\varepsilon d_{ik}`. Where the weights w can
    make all :math:`r_i` equal, ε' is ε, less one part in 10^9. Elsewhere it is the largest rate found for which the
    totals keep the level, at least ε/2, with which the exponential mechanism must do [1]_. Where that has the smaller
    mean error, the weights are equal. The level is computed from the integers, with all that is rounded, also in the
    distances.

    What is promised is a level per unit of distance, as of the mechanisms; for one at a radius see :meth:`within`.
    An item without others near it is protected by the distance alone: see ``unchanged``. Items at one place are
    released as one, and drawn from with equal probability. Up to 5000 items need 900 MB and some seconds. For draws
    and pickles see :class:`CircleRelease`.

    Parameters
    ----------
    epsilon : float
        Level ε per metre, per radian, or per unit of the lengths of edges.
    items : sequence of str or int
        The list, with each item once. It must be public, and not be made from the data.
    unknown : str, optional, keyword-only
        Name of one more item that stands for all that are not on the list, such as ``"other"``. It is as far from
        every item as the two that are farthest apart. Without it they are errors.
    **distance : array_like, keyword-only
        One argument that says how far items are apart:

        * ``places``: latitudes and longitudes in degrees, (items, 2). Metres on the ground.
        * ``points``: coordinates in metres of a plane or of space, (items, n). Metres, straight.
        * ``vectors``: vectors of any length but 0, (items, n). The angle between them, in radians.
        * ``edges``: a list of (item, item, length), roads in both directions. The length of the shortest way.
        * ``distance``: a symmetric matrix with zeros on its diagonal, of up to 2000 items. The shortest way by it over
          other items, which is a metric and not above the matrix, so that the promise holds for the matrix, too.

    Attributes
    ----------
    items : tuple
        All items, with that of the unknown ones last.
    certificate : PlaceCertificate
        What the weights guarantee, in exact arithmetic and rounded up.
    noise : FiniteTableDistribution
        The distribution of the weights, for estimates and expected errors. It cannot draw.
    unchanged : ndarray, shape (items,)
        Probability of each item that it is released as itself.
    sha256 : str
        Of the list and of what its distance is made from: of UTF-8 JSON, then of the numbers as little-endian doubles.

    Raises
    ------
    ValueError
        If an argument is not as above, or two items are so near to each other that rounding hides their distance.

    References
    ----------
    .. [1] Chatzikokolakis, K., Andrés, M. E., Bordenabe, N. E., Palamidessi, C., "Broadening the scope of differential
       privacy using metrics", PETS 2013.

    Examples
    --------
    >>> from dirpriv.release import FiniteRelease
    >>> venues, places = ["bakery", "museum", "harbour"], [[40.750, -73.980], [40.751, -73.981], [40.700, -74.010]]
    >>> release = FiniteRelease.within(1.0, "200m", venues, places=places)
    >>> release.certificate.loss("200m") <= 1.0, release.unchanged.round(2).tolist()  # the harbour has no cover
    (True, [0.67, 0.67, 1.0])
    >>> len(release.randomise(["bakery", "harbour"]))
    2
    """

    items: tuple[Any, ...]
    certificate: PlaceCertificate
    noise: FiniteTableDistribution
    unchanged: Array
    sha256: str
    _numbers: Mapping[Any, int]

    def __init__(self, epsilon: float, items: Sequence[Any], *, unknown: str | None = None, **distance: Any) -> None:
        self._build(level_per_metre(epsilon), *_checked(items, unknown, distance), unknown)

    @classmethod
    def within(
        cls,
        level: float,
        radius: WithUnit,
        items: Sequence[Any],
        *,
        unknown: str | None = None,
        most_unchanged: float = 1.0,
        **distance: Any,
    ) -> Self:
        """Release of this level between any two items at most ``radius`` apart: ε = ℓ/r.

        Parameters
        ----------
        level, radius : float, and float or str
            The level ℓ of indistinguishability, and its radius r, in the unit of the distance or with its own, as
            ``"200m"`` or ``"0.5rad"``.
        items : sequence of str or int
            As for the class.
        unknown : str, optional, keyword-only
            As for the class.
        most_unchanged : float, keyword-only
            Refuse a list with an item that is released as itself with a larger probability.
        **distance : array_like, keyword-only
            As for the class, with its errors.

        Examples
        --------
        >>> from dirpriv.release import FiniteRelease
        >>> words = {"red": [1.0, 0.1], "blue": [0.8, 0.6], "tax": [-0.5, 0.9]}
        >>> release = FiniteRelease.within(2.0, "0.5rad", list(words), vectors=list(words.values()))
        >>> release.certificate.cells, round(release.noise.mean_distance(), 2)  # radians
        (4.0, 0.04)
        """
        items, kind, values = _checked(items, unknown, distance)
        _, unit, stretch = KINDS[kind]
        length = arithmetic.exact_distance("radius", radius, unit)
        if not length > 0:
            raise InvalidArgument("radius", "must be positive", got=radius)
        epsilon = Fraction(validate.positive("level", level)) / (stretch * length)
        release = cls._from_parameters(epsilon, items, kind, values, unknown)
        worst = int(np.argmax(release.unchanged))
        if (share := release.unchanged[worst]) > validate.positive("most_unchanged", most_unchanged):
            rule = f"is exceeded by the item {release.items[worst]!r}, which {share:.0%} of the draws leave as it is"
            hint = f"give a lower {named('level')}, a larger {named('radius')}, or a list with more items near it"
            raise InvalidArgument("most_unchanged", rule, got=most_unchanged, hint=hint)
        return release

    def _build(self, level: Fraction, items: tuple[Any, ...], kind: str, values: Any, unknown: str | None) -> None:
        compute, unit, stretch = KINDS[kind]
        parameters, is_text = (level, items, kind, values, unknown), kind == "edges"
        apart, off = compute(values, items)
        text = json.dumps([items, kind, unknown, values if is_text else None], default=lambda number: number.item())
        digest = hashlib.sha256(text.encode() + (b"" if is_text else values.astype("<f8").tobytes()))
        if unknown is not None:
            items = *items, unknown
            apart = np.pad(apart, (0, 1), constant_values=apart.max())
            apart[-1, -1] = 0.0
        apart, place = distances.distinct(apart)
        table = FiniteTable(apart, off, level)
        certificate = PlaceCertificate(level, stretch, Fraction(0), table.pure, unit)
        noise = FiniteTableDistribution(table, apart, place, certificate)
        self._set(items=items, certificate=certificate, noise=noise, sha256=digest.hexdigest(), _parameters=parameters)
        numbers = MappingProxyType({item: number for number, item in enumerate(items)})
        self._set(unchanged=table.unchanged()[place] / noise._sharing[place], _numbers=numbers)

    def __repr__(self) -> str:
        return f"FiniteRelease(epsilon={self.certificate.cells!r}, items={len(self.items)})"

    def neighbours(self, radius: WithUnit) -> Integers:
        """Number of other items within a radius of each item: they are its cover.

        Parameters
        ----------
        radius : float or str
            As for :meth:`within`.
        """
        _, unit, stretch = KINDS[self._parameters[2]]
        length, noise = float(stretch * arithmetic.exact_distance("radius", radius, unit)), self.noise
        counts = np.array([noise._sharing[row <= length * (1.0 + 1e-12)].sum() for row in noise._distances])
        return np.asarray(counts[noise._place] - 1)

    def weights(self, item: Any) -> list[int]:
        """The integer weights of all places of items, for an input item.

        Parameters
        ----------
        item : str or int
            Of the list. Items at one place are drawn from with equal probability.
        """
        return [int(w) for w in self.noise._table.row(self.noise._place[self.indices_of(item)]).tolist()]

    def indices_of(self, values: ArrayLike) -> Integers:
        """Numbers of items in the list, from 0 on. They are not private.

        Parameters
        ----------
        values : array_like of str or int, shape () or (N,)
            Items. An error names the row of one that is not on the list, and not the value.
        """
        array = validate.array("values", values)
        if array.ndim > 1:
            raise InvalidArgument("values", f"must be one column of items; got the shape {array.shape}")
        return self._indices("values", array, np.zeros(array.shape, dtype=bool))

    def _indices(self, name: str, array: Any, missing: Mask) -> Integers:
        """Numbers of items; any where one is missing."""
        other = -1 if self._parameters[-1] is None else len(self.items) - 1  # the item of unknown ones
        plain: Any = (value if isinstance(value, str | int | float) else None for value in array.ravel().tolist())
        numbers = np.array([self._numbers.get(value, other) for value in plain], dtype=np.intp).reshape(array.shape)
        hint = f"check its spelling, or give {named('unknown', 'other')}, an item for all others"
        validate.refuse(name, (numbers < 0) & ~missing, "is not on the list", hint)
        return numbers

    def randomise(self, values: ArrayLike) -> Any:
        """Release each of the items on its own, with noise from the operating system: an item, or a list of them.

        Their order must not depend on the values.

        Parameters
        ----------
        values : array_like of str or int, shape () or (N,)
            As for :meth:`indices_of`, with its errors.
        """
        released = self.randomise_indices(self.indices_of(values))
        return [self.items[number] for number in released.tolist()] if released.ndim else self.items[int(released)]

    def randomise_indices(self, indices: ArrayLike) -> Integers:
        """As :meth:`randomise`, of the numbers of items in the list.

        Parameters
        ----------
        indices : array_like of int, shape () or (N,)
            Numbers of items, from 0 on; of a row that is none, an error names the row.
        """
        most = len(self.items) - 1
        return self._released(validate.numbers_of("indices", indices, 0, most, "is no item", "count from 0 on"))

    def _released(self, numbers: Integers) -> Integers:
        noise = self.noise
        places = noise._table.draws(noise._place[numbers.ravel()])
        order = np.argsort(noise._place, kind="stable")
        first = np.searchsorted(noise._place[order], places)
        return order[first + uniform_below(noise._sharing[places], places.size)].reshape(numbers.shape)


class FiniteTableDistribution(TableDistribution):
    """Distribution of the released item, in doubles. It cannot draw: :class:`FiniteRelease` does.

    Parameters
    ----------
    table, distances, place, certificate : FiniteTable, ndarray, ndarray of int and PlaceCertificate
        The integers of places, their distances, the place of each item, and what the weights guarantee.

    Examples
    --------
    >>> from dirpriv.release import FiniteRelease
    >>> distribution = FiniteRelease(1.0, ["a", "b", "c"], points=[[0.0], [1.0], [3.0]]).noise
    >>> distribution.transitions().round(2).tolist(), round(distribution.mean_distance(), 2)
    ([[0.73, 0.23, 0.04], [0.27, 0.61, 0.12], [0.04, 0.08, 0.88]], 0.38)
    """

    space = FiniteSet()
    why_infinite = ""
    _certificate: PlaceCertificate
    _table: FiniteTable
    _distances: Array
    _place: Integers
    _sharing: Integers  # items at each place

    def __init__(self, table: FiniteTable, distances: Array, place: Integers, certificate: PlaceCertificate) -> None:
        self._set(_table=table, _distances=distances, _place=place, _sharing=np.bincount(place))
        self._set(_certificate=certificate)

    def __repr__(self) -> str:
        return f"FiniteTableDistribution(items={len(self._place)})"

    def metric_level(self) -> float:
        return arithmetic.double_not_below(self._certificate._epsilon * self._certificate._stretch)

    def transitions(self) -> Array:
        """Probabilities that an input item (row) is released as another (column); rows add up to 1."""
        return (self._table.transitions() / self._sharing)[np.ix_(self._place, self._place)]

    def mean_distance(self) -> float:
        """Mean distance of the released item from the true one, where all items are equally frequent."""
        return float(self._table.means[self._place].mean())


def _checked(items: Any, unknown: Any, distance: dict[str, Any]) -> tuple[tuple[Any, ...], str, Any]:
    """The list, and the one argument that says how far its items are apart, and nothing that could change."""
    asked = {name: value for name, value in distance.items() if value is not None}
    if len(asked) != 1 or not asked.keys() <= KINDS.keys():
        raise InvalidArgument(f"one distance is needed, by one of {', '.join(map(named, KINDS))}")
    ((kind, values),) = asked.items()
    if isinstance(items, list | tuple | range):
        names = tuple(item.item() if isinstance(item, np.generic) else item for item in items)
    else:
        listed = validate.array("items", items)
        names = tuple(listed.tolist()) if listed.ndim == 1 else ()
    rule = f"must be a list of 2 to {MOST_PLACES} texts or whole numbers"
    if not 2 <= len(names) <= MOST_PLACES:
        hint = "join items that are near each other, or release places of a city by PlaneRelease"
        raise InvalidArgument("items", f"{rule}; got {len(names) or type(items).__name__}", hint=hint)
    if wrong := [name for name in names if not isinstance(name, str) and type(name) is not int]:
        raise InvalidArgument("items", f"{rule}, and one of them has the type {type(wrong[0]).__name__}")
    if unknown is not None and not isinstance(unknown, str):
        raise InvalidArgument("unknown", "must be a text, such as 'other'", got=unknown)
    if len({*names, unknown}) <= len(names):
        raise InvalidArgument("items", f"has an item twice, or that of {named('unknown')}", hint="name each item once")
    if kind == "edges":
        if not isinstance(values, list | tuple):
            raise InvalidArgument("edges", "must be a list of (item, item, length)")
        return names, kind, tuple(tuple(edge) if isinstance(edge, list | tuple) else edge for edge in values)
    rows = np.array(validate.reals(kind, values))
    if rows.ndim != 2 or len(rows) != len(names):
        raise InvalidArgument(kind, f"must have a row for each of the {len(names)} items; got shape {rows.shape}")
    return names, kind, rows
