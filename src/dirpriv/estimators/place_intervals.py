"""Scores and bets for soft districts of a map, and intervals of their shares that hold for any people.

A score is a number for each report. Its mean over the noise is known from every input: the weight w of the input in a
soft district, or e^(-λw) - 1. As many bets as there are reports then pay 1 plus the second score: docs/mathematics.md,
“Soft districts of a map”.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import fft, special

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.quadrature import NODES, integral
from dirpriv._lib.types import Array, Integers
from dirpriv.distributions.planar_laplace import PlanarLaplace
from dirpriv.distributions.shared.base import CellNoise
from dirpriv.estimators.circle_noise_bounds import ERROR, OTHER_DISTRIBUTION

_DEEPEST, _ROWS = 45.0, 1500  # nats of a table whose sum is known
_BETTING_UNITS = 256
_ODDS = special.binom(5, np.arange(6)) / 2.0**5  # of each λ
_PRICE = -math.log(_ODDS.max())  # nats, of several λ
_LARGEST = 8.0  # λ
_HEAVIEST = 0.5625  # weight, in the middle of a soft district


class Scores(NamedTuple):
    """Scores of classes of reports, and the largest error of their means over all inputs."""

    values: Array
    error: float
    rate: float = 0.0


def spline(away: Array) -> Array:
    """The quadratic B-spline at distances from its middle, in units of its width: docs/mathematics.md."""
    away = np.abs(away)
    return np.where(away < 0.5, 0.75 - away**2, 0.5 * np.maximum(1.5 - away, 0.0) ** 2)


class SoftDistrict:
    """Scores around a soft district, by the offset of a report from its middle in units; on the border they are 0.

    A unit has one step or several. Means are looked at from inputs at every step: the cells of a release.
    """

    def __init__(self, noise: Any, side: float, units: int = 512) -> None:
        mean = float(integral(noise.radius_ppf(NODES)))
        if not isinstance(noise, CellNoise | PlanarLaplace):
            rule = "must be PlanarLaplace or that of a release for intervals that hold wherever people are"
            raise InvalidArgument("distribution", rule, got=noise, hint=OTHER_DISTRIBUTION)
        half, self._cell = 1.5 * side + 8.0 * mean, float(getattr(noise, "cell_size", 0.0))  # where reports have scores
        step = self._cell or max(min(side / 150.0, mean / 80.0), half / units / 5.0)
        steps = 1 + 2 * math.ceil(min(max(half / units / step - 1.0, 0.0), 8.0) / 2.0)  # 9 at most
        count, fall = min(math.ceil(half / (steps * step)), units), noise.kappa * step
        at = np.arange(max((count + 1) * steps, min(math.ceil(_DEEPEST / fall), _ROWS)))
        table = np.exp(-fall * np.hypot(at[:, None], at)) * np.outer(*[np.where(at, 1.0, 0.5)] * 2)
        table = table.cumsum(axis=0).cumsum(axis=1)
        self._is_summed = _DEEPEST <= _ROWS * fall  # else the sum is 2π/fall², to a share of fall³/20
        self._table = table / (4.0 * table[-1, -1] if self._is_summed else 2.0 * np.pi / fall**2)
        self._count, self._steps, self._step, self._fall = count, steps, step / side, fall
        self.side, self.unit, self._away = side, steps * step, np.arange(1 - count, count)
        self._size = [fft.next_fast_len(2 * self._away.size, real=True)] * 2
        self._pad = self._size[0] - self._away.size
        self._reaches = (count - 1) * self.unit > 1.5 * side

    def index(self, at: Array, middle: float) -> Integers:
        """Units, from the first one, of reports along an axis; the middle of a district of a release is a cell's."""
        away = at - middle
        if self._cell:
            off = away[0] - np.rint(away[0] / self._cell) * self._cell
            away -= off
            if (np.abs(away / self._cell - np.rint(away / self._cell)) > 1e-3).any():
                hint = "take the cells of the release, times the side of one, less the place in the same frame"
                rule = f"must be a whole number of cells of {self._cell:.6g} apart"
                raise InvalidArgument("positions", rule, hint=hint)
        return np.clip(np.rint(away / self.unit).astype(np.intp), -self._count, self._count) + self._count

    def scores(self, rates: Sequence[float] = (0.0,)) -> list[Scores]:
        """For each λ, or the half of it until a bet can pay them, those of e^(-λw) - 1, and for 0 those of w."""
        middle, inside = self._transfer(0, 0).real, np.s_[: self._away.size, : self._away.size]
        inverse, rates = 1.0 / np.maximum(middle, 1e-12), list(rates)
        tables = np.zeros((len(rates), *self._size))
        for number, values in enumerate(tables):
            while not values.any() or (rates[number] and values.min() < -0.95):
                rates[number] /= 2.0 if values.any() else 1.0
                wanted = fft.rfft2(_aim(self._window(0, 0), rates[number]), self._size)
                values[inside] = fft.irfft2(wanted * inverse, self._size)[inside]
        spectra, errors = [fft.rfft2(values) for values in tables], np.zeros(len(rates))
        for one in range(self._steps // 2 + 1):
            for other in range(one + 1):  # the other offsets mirror these
                transfer, window = self._transfer(one, other), np.pad(self._window(one, other), (0, self._pad))
                for number, (spectrum, rate) in enumerate(zip(spectra, rates, strict=True)):
                    off = np.abs(fft.irfft2(spectrum * transfer, self._size) - _aim(window, rate)).max()
                    errors[number] = max(errors[number], off)
        return [
            Scores(np.pad(values[inside], 1), self._error(values, middle, error, rate), rate)
            for values, error, rate in zip(tables, errors.tolist(), rates, strict=True)
        ]

    def _transfer(self, *offsets: int) -> Any:
        """Of means over the noise from inputs that are some steps from the middle of a unit."""
        steps, count = self._steps, self._count
        ends = [np.arange(-count, count) * steps + steps // 2 - of for of in offsets]
        sums = self._table[np.ix_(*[np.where(end < 0, -1 - end, end) for end in ends])]
        sums = sums * np.outer(*[np.where(end < 0, -1.0, 1.0) for end in ends])
        moves = np.pad(np.diff(np.diff(sums, axis=0), axis=1), (0, self._pad))
        return fft.rfft2(np.roll(moves, 1 - count, axis=(0, 1))).conj()

    def _window(self, *offsets: int) -> Array:
        away = [np.asarray((self._away * self._steps + of) * self._step) for of in offsets]
        return np.outer(*map(spline, away))

    def _error(self, values: Array, middle: Array, error: float, rate: float) -> float:
        """Of all inputs, from the largest one of those at steps."""
        fall, steps = self._fall, self._steps
        off = abs(1.0 - middle[0, 0]) + (0.0 if self._is_summed else fall**3 / 20.0) + ERROR
        if not self._cell:  # cells in place of a density, and inputs between two steps
            turned, changes = math.expm1(fall), fft.rfft2(np.abs(np.diff(values, axis=0, append=0.0)))
            slack = 0.25 * turned / steps * math.exp(2.0 * steps * turned)
            bend = _growth(-rate) * abs(rate) * (1.0 + 0.375 * abs(rate)) if rate else 1.0
            error += slack * fft.irfft2(changes * middle, self._size).max() + 0.375 * bend * self._step**2
            off += 0.35 * fall**2 * math.exp(fall)
        return float(error + off * np.ptp(values)) if self._reaches else 1.0


class DistrictBets:
    """Bets on reports around soft districts of a side, as many for upper as for lower ends of their shares.

    ``density`` is the number of reports to an area if people are spread evenly, for which λ is chosen.
    """

    def __init__(self, noise: Any, side: float, density: float, error: float) -> None:
        self._district = SoftDistrict(noise, side, _BETTING_UNITS)
        odds = math.log(2.0 / error) + _PRICE
        (plain,) = self._district.scores()
        best, _ = _best_rate(self._district, plain, density, odds)
        rates = np.outer([1.0, -1.0], np.minimum(2.0 ** np.arange(-3, 3) * best, _LARGEST)).ravel()
        scores = self._district.scores(rates.tolist())
        self.rates = np.array([of.rate for of in scores])
        logs = [np.log1p(of.values) - math.log1p(of.error * _growth(of.rate)) for of in scores]
        self._logs = np.stack([of.ravel() for of in logs])

    def ends(self, positions: Array, numbers: Array, middles: Array, errors: Sequence[float]) -> Array:
        """Ends (errors × 2 × middles along both axes) of shares, each interval wrong with at most its error."""
        at = [[self._district.index(axis, of) for of in middles] for axis in positions.T]
        size = math.isqrt(self._logs.shape[1])
        paid = [self._logs @ np.bincount(x * size + y, numbers, size**2) for x in at[0] for y in at[1]]
        shares = [self._shares(np.array(paid), float(numbers.sum()), error) for error in errors]
        return np.sort(shares, axis=1).reshape(len(errors), 2, len(middles), len(middles))

    def _shares(self, paid: Array, total: float, error: float) -> Array:
        """The smallest and the largest share (rows) at which all bets of a side have not won enough: by halving."""
        rates, logs = self.rates.reshape(2, 1, -1), paid.reshape(len(paid), 2, -1).swapaxes(0, 1) + np.log(_ODDS)
        low, high = np.zeros((2, len(paid))), np.full((2, len(paid)), _HEAVIEST)
        for _ in range(45):
            middle = (low + high) / 2.0
            won = special.logsumexp(logs + rates * total * middle[:, :, None], axis=2) > math.log(2.0 / error)
            won[1] ^= True  # there, on small shares
            high, low = np.where(won, middle, high), np.where(won, low, middle)
        return np.stack([low[1], high[0]])


def supports(noise: Any, reach: float, side: float, error: float) -> Callable[[float], bool]:
    """Whether numbers of people who are spread evenly have intervals, all together, of at most an even share."""
    district, share = SoftDistrict(noise, side, _BETTING_UNITS), (side / reach / 2.0) ** 2
    (scores,), odds = district.scores(), math.log(2.0 / error / min(share, 1.0)) + _PRICE

    def is_enough(people: float) -> bool:
        best, squares = _best_rate(district, scores, people / (2.0 * reach) ** 2, odds)
        return 2.0 * ((odds / best + best * squares / 2.0) / people + scores.error) <= share

    return is_enough


def _best_rate(district: SoftDistrict, scores: Scores, density: float, odds: float) -> tuple[float, float]:
    """The λ of the narrowest intervals for even people, and the variance that the noise gives the sum of their scores.

    ``odds`` are nats, those of several λ too.
    """
    noisy = district.unit**2 * float((scores.values**2).sum()) - 0.3025 * district.side**2  # less those of the weights
    squares = max(density * noisy, 1e-300)
    return min(math.sqrt(2.0 * odds / squares), _LARGEST), squares


def _aim(weights: Array, rate: float) -> Array:
    return np.expm1(-rate * weights) if rate else weights


def _growth(rate: float) -> float:
    """The largest e^(λw)."""
    return math.exp(max(rate, 0.0) * _HEAVIEST)
