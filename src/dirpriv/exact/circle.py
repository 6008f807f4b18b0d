"""Releases of angles and times of day, private by construction: integer tables on a circle of cells."""

import datetime
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Self

import numpy as np

from dirpriv._inputs import units, validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import FloatOrArray, Integers, Purpose, WithUnit
from dirpriv.distributions.shared.base import scalar_or_array
from dirpriv.distributions.shared.colatitude import ColatitudeDistribution
from dirpriv.distributions.user import composition_bounds
from dirpriv.distributions.user.adapter import completed
from dirpriv.exact import arithmetic, weight_tables
from dirpriv.exact.certificates import CircleCertificate
from dirpriv.exact.circle_cells import CircleCells
from dirpriv.exact.circle_table_distribution import CircleTableDistribution
from dirpriv.exact.export import Exportable, around, circle_document, read_circle
from dirpriv.exact.sampling import IntegerWeights
from dirpriv.geometry.spaces import CIRCLE


class CircleRelease(Exportable):
    r"""Release of angles or times of day with a guarantee that holds in floating point.

    The circle has m cells of width h = 2π/m. An input is rounded to its cell, exactly. What is released is a
    cell, drawn with probabilities in proportion to integers :math:`w_j`, j steps around the circle from the
    input's. They follow the Purkayastha mechanism :math:`e^{-\varepsilon h j}` (Weggenmann and Kerschbaum
    2021, Theorem 19), built upwards from a floor by

    .. math:: w_{j-1} = \lfloor w_j Q \rfloor, \quad Q \le e^{\varepsilon h} \text{ rational},

    so that no neighbours differ by more than a factor :math:`e^{\varepsilon h}`, in integers and by
    construction. The total is at most 2^128, and the floor at least 2^60. Where the kernel falls further than
    that allows, the table goes on flat (on 1440 cells with a mass below 1e-17).

    The guarantee is for each response: two inputs d apart lie in cells at most ⌈d/h⌉ apart, so no released
    cell is more than :math:`e^{\varepsilon h \lceil d/h \rceil}` times as probable for the one as for the
    other. To promise a level at a radius use :meth:`within`.

    Draws come from the operating system (``os.urandom``) alone, without seed, generator or state: calls,
    threads, forked processes and pickled copies share none. The time of a draw can depend on it, and is not
    covered. A pickle holds only the parameters. The copy builds its own table.

    Parameters
    ----------
    epsilon : float
        Level ε per radian between cells, as of the mechanisms.
    cells : int, keyword-only
        Number of cells m, from 2 to 100 000: 1440 are the minutes of a day.
    period : float, str or timedelta, keyword-only
        What one turn of the circle is: a number of hours, ``"24h"``, ``"7d"``.

    Attributes
    ----------
    weights : tuple of int
        One per cell, from the input's cell around the circle.
    certificate : CircleCertificate
        What the weights guarantee, in exact arithmetic and rounded up.
    noise : CircleTableDistribution
        The distribution of the table, for estimates and expected errors. It cannot draw.
    metric_level, pure_level : float
        The level per radian between cells and the pure level that were promised; inf where none was.
    cells, period : int, float
        Number of cells, and hours of a turn.

    Examples
    --------
    >>> from dirpriv.release import CircleRelease
    >>> release = CircleRelease(epsilon=1e4)
    >>> release.certificate.cells <= 1e4, len(release.weights), sum(release.weights) <= 2**128
    (True, 1440, True)
    >>> release.randomise_cells([33, 1439]).tolist(), release.randomise_angles([0.1, 3.0]).round(2).tolist()
    ([33, 1439], [0.1, 3.0])
    """

    weights: tuple[int, ...]
    certificate: CircleCertificate
    noise: CircleTableDistribution
    metric_level: float
    pure_level: float
    cells: int
    period: float
    _circle: CircleCells
    _table: IntegerWeights
    _step: Any  # a Fraction, or None

    def __init__(self, epsilon: float, *, cells: int = 1440, period: WithUnit = "24h") -> None:
        epsilon = validate.positive("epsilon", epsilon)
        circle = CircleCells(cells, period)
        self._build(circle, [_step(epsilon, circle)] * (circle.count // 2), metric=epsilon)

    @classmethod
    def within(cls, level: float, radius: WithUnit, *, cells: int = 1440, period: WithUnit = "24h") -> Self:
        """Release of this level between any two inputs at most ``radius`` apart.

        Inputs r apart lie at most ⌈r/h⌉ cells apart, so ε = ℓ/(h ⌈r/h⌉), which is ℓ/r where h divides r. The
        level from one cell to the next is ℓ/⌈r/h⌉, a rational number, and taken as such.

        Parameters
        ----------
        level, radius : float, and float, str or timedelta
            The level ℓ of indistinguishability, and its radius r ≤ π: radians, or a text such as ``"75min"``,
            ``"1h 30min"`` or ``"45deg"``, which is exact. A double within 4 units in the last place of a whole
            number of cells means that number.
        cells, period : keyword-only
            As for the class.
        """
        circle = CircleCells(cells, period)
        if not isinstance(radius, units.WITH_UNIT):
            validate.positive("radius", radius)
        distance = circle.cells_within("radius", radius)
        return cls._within(validate.positive("level", level), circle, distance)

    @classmethod
    def _within(cls, level: float, circle: CircleCells, distance: int) -> Self:
        """Release of this level between any two inputs at most ``distance`` cells apart."""
        step = Fraction(level) / distance
        epsilon = arithmetic.double_not_below(step * circle.count / (2 * arithmetic.pi().below))
        return cls._from_parameters(circle, [step] * (circle.count // 2), metric=epsilon, step=step)

    @classmethod
    def pure(cls, epsilon: float, *, cells: int = 1440, period: WithUnit = "24h", purpose: Purpose = "mean") -> Self:
        r"""Release of pure ε-differential privacy. The loss of any two inputs is at most ``epsilon``.

        The weights have two levels, a ≤ b :math:`e^\varepsilon`: a cap around the input's cell, and the rest.
        Among pure mechanisms a cap is the best for every loss that does not decrease with the angle, and its
        width depends on the loss. The ``metric_level`` is infinite, as the cap's border is a jump.

        Parameters
        ----------
        epsilon, cells, period : float, and keyword-only
            ε; as for the class.
        purpose : {"mean", "one direction", "angle", "histogram"}, keyword-only
            What the cap's width is best for, among the widths that the cells allow: see
            :meth:`dirpriv.mechanisms.CapMechanism.pure`, also for its sources.

        Examples
        --------
        >>> from dirpriv.release import CircleRelease
        >>> release = CircleRelease.pure(epsilon=2.0)
        >>> release.certificate.pure <= 2.0, round(release.noise.mean_cosine(), 3)
        (True, 0.564)
        """
        epsilon = validate.positive("epsilon", epsilon)
        validate.check_purpose(purpose)
        circle = CircleCells(cells, period)
        steps = [Fraction(0)] * (circle.count // 2)
        steps[weight_tables.cap_cells(epsilon, circle.count, purpose)] = Fraction(epsilon)
        return cls._from_parameters(circle, steps, pure=epsilon)

    @classmethod
    def from_mechanism(cls, mechanism: Any, *, cells: int = 1440, period: WithUnit = "24h") -> Self:
        """Release with the kernel of a mechanism on the circle, at its level.

        The log kernel is taken at the cells. It is cut where its doubles fall by more than ε h from one cell
        to the next, or in all by more than the pure level, of ``mechanism.guarantee``. The guarantee then
        holds between cells; for one between inputs at a radius see :meth:`within`. The steps of a staircase
        become ⌈r/h⌉ cells wide, so that ``certificate.loss(r)`` is at most its level at its radius r.

        Parameters
        ----------
        mechanism : dirpriv.mechanisms.Mechanism
            With a distribution on the circle (``dim=2``) that is symmetric about its mode, whose density does not
            increase with the angle, and a finite level; any other raises ValueError.
        cells, period : keyword-only
            As for the class.

        Examples
        --------
        >>> from dirpriv.mechanisms import VonMisesFisherMechanism
        >>> from dirpriv.release import CircleRelease
        >>> mechanism = VonMisesFisherMechanism.pure(1.0)
        >>> release = CircleRelease.from_mechanism(mechanism)
        >>> release.certificate.pure <= 1.0, round(release.noise.mean_angle() / mechanism.noise.mean_angle(), 5)
        (True, 1.0)
        """
        noise, guarantee = getattr(mechanism, "noise", None), getattr(mechanism, "guarantee", None)
        if noise is None or guarantee is None:
            raise InvalidArgument("mechanism", "must be a mechanism of dirpriv.mechanisms", got=mechanism)
        metric, pure = guarantee.metric_level, guarantee.pure_level

        def refused(why: Any) -> InvalidArgument:
            return InvalidArgument("mechanism", f"has no table of weights, as {why}", got=mechanism)

        complete = completed(noise)
        if complete.space != CIRCLE:
            raise refused("its distribution is not one on the circle (dim=2)")
        if not complete.is_symmetric:
            raise refused("its distribution is not symmetric about its mode")
        if min(metric, pure) == np.inf:
            raise refused(f"it has no guarantee ({guarantee.reason})")
        kernel: Any = (
            noise._log_kernel if isinstance(noise, ColatitudeDistribution) else composition_bounds.log_kernel(complete)
        )
        if isinstance(kernel, str):
            raise refused(f"the density of its distribution {kernel}")
        circle = CircleCells(cells, period)
        if guarantee.steps is not None:  # of a staircase
            level, width = guarantee.steps
            distance = circle.cells_within("radius", width)
            steps = weight_tables.staircase_steps(Fraction(level), distance, noise.offset, circle.count)
            return cls._from_parameters(circle, steps, pure=pure, within=(level, distance))
        try:
            steps = weight_tables.steps_of_kernel(kernel, circle.count)
        except InvalidArgument as error:
            raise refused(error) from None
        return cls._from_parameters(circle, steps, metric=metric, pure=pure)

    def _build(
        self,
        circle: CircleCells,
        steps: Sequence[Fraction],
        metric: float = np.inf,
        pure: float = np.inf,
        step: Fraction | None = None,
        within: tuple[float, int] = (np.inf, 0),
        table: tuple[int, ...] | None = None,
    ) -> None:
        """Fill the attributes with a table of at most these levels, and check the integers once more."""
        parameters = circle, tuple(steps), metric, pure, step, within, table
        if step is None and metric < np.inf:
            step = _step(metric, circle)
        steps = weight_tables.limited(steps, step, Fraction(pure) if pure < np.inf else None)
        by_distance = weight_tables.built_upwards(steps, circle.count) if table is None else list(table)
        certificate = CircleCertificate(by_distance, circle)
        level, distance = within  # between cells at most so far apart
        if certificate.cells > metric or certificate.pure > pure or certificate.between(distance) > level:
            promised = f"{metric!r} and {pure!r} were promised"
            raise ArithmeticError(f"the table keeps {certificate!r}, and {promised}")
        of_all = around(by_distance, circle.count)
        noise = CircleTableDistribution(of_all, certificate)
        self._set(weights=of_all, certificate=certificate, noise=noise, metric_level=metric, pure_level=pure)
        self._set(cells=circle.count, period=float(circle.period))
        self._set(_circle=circle, _table=IntegerWeights(of_all), _step=step, _parameters=parameters)

    def export(self, radius: WithUnit) -> dict[str, Any]:
        distance, seconds = self.certificate.cells_within(radius), self._circle.period * 3600
        if seconds.denominator > 1:
            raise InvalidArgument("period", "must be whole seconds for a device", got=self.period)
        by_distance = self.weights[: self.cells // 2 + 1]
        level = self.certificate.between(distance)
        return circle_document(self.cells, int(seconds), level, distance, by_distance)

    @classmethod
    def from_export(cls, document: Any) -> Self:
        cells, seconds, level, distance, weights = read_circle(document)
        circle = CircleCells(cells, datetime.timedelta(seconds=seconds))
        return cls._from_parameters(circle, [], within=(level, distance), table=weights)

    def __repr__(self) -> str:
        levels = [("metric_level", self.metric_level), ("pure_level", self.pure_level)]
        shown = [f"{name}={level!r}" for name, level in levels if level < np.inf]
        return f"CircleRelease({', '.join([*shown, f'cells={self.cells}'])}, period={self.period:g} h)"

    def randomise_cells(self, indices: Any) -> Any:
        """Randomise each of the cells on its own; a number or an array, in the shape and order of the input.

        Order and index of a release must not depend on the values. Sort nothing by a private value. If a row
        is missing, no integer or no cell, an error names it, and nothing is drawn.

        Parameters
        ----------
        indices : array_like of int
            Numbers of cells from 0 on; cell i begins at the angle 2π i/m, or at that part of the period.
        """
        cells = self._released(self._circle.check_indices(indices))
        return cells if cells.ndim else int(cells)

    def randomise_angles(self, angles: Any) -> FloatOrArray:
        """Middles of cells, in [0, 2π), for each of the angles on its own, as :meth:`randomise_cells`.

        Parameters
        ----------
        angles : array_like
            Radians from -2π to 4π. The guarantee is for doubles; other types are rounded to doubles first. An angle
            that is 7e-15 rad or less below a border, as many a multiple of π/12, is in the cell that begins there
            (float32: 4e-6 rad). A row that is not in radians is named with the rule, and without its value.
        """
        return scalar_or_array(self._circle.angles(self._released(self._circle.index_angles(angles))))

    def randomise_times(self, times: Any) -> FloatOrArray:
        """Middles of cells, in hours without a date, for each of the times, as :meth:`randomise_cells`.

        Parameters
        ----------
        times : array_like
            Times as of :meth:`dirpriv.mechanisms.Mechanism.randomise_times`. Hours as numbers are taken as they
            are: the double 8.1 is a little less than 8:06. Where the period is 168, timestamps are times of the
            week from Monday on. A row that cannot be read is named with the rule, and without its value.

        Examples
        --------
        >>> from dirpriv.release import CircleRelease
        >>> release = CircleRelease.within(level=1000.0, radius="15min", cells=96)
        >>> release.randomise_times(["08:20", "23:00"]).tolist()  # of the quarters that begin 8:15 and 23:00
        [8.375, 23.125]
        """
        return scalar_or_array(self._circle.hours(self._released(self._circle.index_times(times))))

    def _released(self, cells: Integers) -> Integers:
        """A draw for each of the cells, which are all checked by now."""
        inputs, out = cells.ravel(), np.empty(cells.size, dtype=np.intp)
        for place, steps in self._table.draws(inputs.size):
            steps += inputs[place]
            out[place] = np.where(steps >= self.cells, steps - self.cells, steps)
        return out.reshape(cells.shape)


def _step(epsilon: float, circle: CircleCells) -> Fraction:
    """ε h, a little less."""
    return Fraction(epsilon) * 2 * arithmetic.pi().below / circle.count
