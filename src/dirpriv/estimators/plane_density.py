"""Densities of places on a fine grid from counts of noisy reports, by Fourier transforms.

The model is that of :mod:`dirpriv.estimators.density`, with a wave for every cell of a fine grid, so matrices
would not fit. Products with the waves are cosine transforms, the noise is a convolution. The mode is found by
Newton's method and conjugate gradients, scaled by what is known of each wave where the density is flat. The
determinant in the evidence comes from a few probes by the method of Lanczos (Ubaru, Chen, Saad, SIAM J.
Matrix Anal. Appl. 38, 2017), the posterior variances from a few draws of the posterior (Papandreou, Yuille,
NIPS 2010). Their random numbers are always the same, so that the same reports give the same estimate.
"""

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.fft import dctn, irfft2, next_fast_len, rfft2

from dirpriv._lib.types import Array
from dirpriv.estimators.density import Shares, choice, flatness_p_value, normalised

_SOLVED = 0.05  # relative norm of what conjugate gradients leave
_PROBES = 4
_LANCZOS = 40  # steps with each probe
_DRAWS = 16


class MapNoise:
    """Noise of places that are even in the cells of a square, seen there and in a margin around it.

    ``moves`` has the probabilities of moves by -r to r cells along both axes. All reports beyond the margin
    are one count, the last.
    """

    def __init__(self, moves: Array, cells: int, margin: int) -> None:
        self.cells, self.margin, self.span = cells, margin, cells + 2 * margin
        self.moves = cropped(moves, cells + margin)
        reach = len(self.moves) // 2
        size = next_fast_len(cells + margin + reach, real=True)  # nothing wraps around into what is seen
        self._size = size, size
        kernel = np.zeros(self._size)
        places = (np.arange(-reach, reach + 1) + margin) % size
        kernel[np.ix_(places, places)] = self.moves
        self._transfer = rfft2(kernel)
        self.escape = np.zeros((cells, cells))  # to the last count
        self.escape = np.maximum(1.0 - self.gather(np.append(np.ones(self.span**2), 0.0)), 0.0)
        waves = np.cos(np.pi / cells * np.outer(np.arange(cells), np.arange(-reach, reach + 1)))
        self.left = waves @ self.moves @ waves.T  # of each wave

    def spread(self, masses: Array) -> Array:
        """Masses of the reports, from masses in the cells of the square (the last two axes)."""
        moved = irfft2(rfft2(masses, self._size) * self._transfer, self._size)
        inside = moved[..., : self.span, : self.span].reshape(*masses.shape[:-2], -1)
        return np.concatenate([inside, (masses * self.escape).sum(axis=(-2, -1))[..., None]], axis=-1)

    def gather(self, values: Array) -> Array:
        """Expected values of the reports from each cell: the transpose of :meth:`spread`."""
        square = values[..., :-1].reshape(*values.shape[:-1], self.span, self.span)
        moved = irfft2(rfft2(square, self._size) * self._transfer.conj(), self._size)
        return moved[..., : self.cells, : self.cells] + self.escape * values[..., -1, None, None]

    def report_masses(self, density: Array) -> Array:
        return np.maximum(self.spread(density), 0.0) + 1e-9 / (self.span**2 + 1)  # above the rounding of transforms


class PlaneFit(NamedTuple):
    """Posterior mode at one width."""

    density: Array
    mass: Array  # probabilities of the reports
    scaled: Array  # coefficients over their prior deviations
    posterior: "Posterior"
    log_posterior: float


class Posterior:
    """Curvature of the log posterior around a density: the Fisher information plus the identity."""

    def __init__(self, total: float, noise: MapNoise, deviations: Array, density: Array, mass: Array) -> None:
        self._noise, self._deviations, self._density = noise, deviations, density
        self._weights = total / mass
        squares = np.where(np.arange(noise.cells) == 0, 1.0, 0.5)
        self._typical = 1.0 + total * (noise.left * deviations) ** 2 * np.outer(squares, squares)

    def slopes(self, scaled: Array) -> Array:
        """Change of the density with the coefficients."""
        waves = sum_of_waves(self._deviations * scaled)
        return self._density * (waves - _dot(self._density, waves))

    def back(self, values: Array) -> Array:
        """The transpose of :meth:`slopes`."""
        moved = self._density * (values - _dot(self._density, values))
        return self._deviations * dctn(moved, type=2, axes=(-2, -1)) / 4.0

    def _times(self, scaled: Array) -> Array:
        mass = self._noise.spread(self.slopes(scaled))
        return self.back(self._noise.gather(mass * self._weights)) + scaled

    def solve(self, values: Array) -> Array:
        """Solutions of linear equations, one or several at once."""
        solution, left = np.zeros_like(values), values.copy()
        ahead = left / self._typical
        step, old = ahead, _dot(left, ahead)
        aim = _SOLVED**2 * old
        for _ in range(200):
            product = self._times(step)
            length = old / np.maximum(_dot(step, product), 1e-300)
            solution += length * step
            left -= length * product
            ahead = left / self._typical
            new = _dot(left, ahead)
            if (new <= aim).all():
                break
            step, old = ahead + new / np.maximum(old, 1e-300) * step, new
        return solution

    def log_determinant(self) -> float:
        """Its logarithm: exactly that of the scale, and an estimate of what is left."""
        inside = self._deviations > 0.0
        probes = np.where(np.random.default_rng(0).random((_PROBES, *inside.shape)) < 0.5, -1.0, 1.0) * inside
        root, count = np.sqrt(self._typical), float(inside.sum())
        bands = np.zeros((2, _LANCZOS, _PROBES))
        now, before, beta = probes / np.sqrt(count), np.zeros_like(probes), np.zeros((_PROBES, 1, 1))
        for j in range(_LANCZOS):
            product = self._times(now / root) / root - beta * before
            alpha = _dot(now, product)
            product -= alpha * now
            beta = np.sqrt(_dot(product, product))
            bands[:, j] = alpha[:, 0, 0], beta[:, 0, 0]
            before, now = now, product / np.maximum(beta, 1e-300)
        total = 0.0
        for middle, beside in zip(bands[0].T, bands[1].T, strict=True):
            values, vectors = np.linalg.eigh(np.diag(middle) + np.diag(beside[:-1], -1))  # of the lower triangle
            total += float(vectors[0] ** 2 @ np.log(np.maximum(values, 1e-12)))
        return float(np.log(self._typical[inside]).sum()) + count * total / _PROBES

    def draws(self) -> Array:
        """Draws of the coefficients around the mode, with the inverse matrix as their covariance."""
        rng, shape = np.random.default_rng(1), (_DRAWS, *self._deviations.shape)
        reports = rng.standard_normal((_DRAWS, self._weights.size)) * np.sqrt(self._weights)
        prior = rng.standard_normal(shape) * (self._deviations > 0.0)
        return self.solve(self.back(self._noise.gather(reports)) + prior)


class PlanePrior(NamedTuple):
    """Prior of the logarithm of a density, as that of :mod:`dirpriv.estimators.density`."""

    roughness: Array  # of each wave: 1 over its prior variance at the width 1, inf for the constant
    widths: Array  # from the largest on
    log_odds: Array  # of each width
    flat_log_odds: float


def estimate(counts: Array, noise: MapNoise, prior: PlanePrior, bins: int) -> Shares:
    """Choose the width, or the flat density, and estimate the shares of bins with their standard errors."""
    smooth = np.sqrt(prior.roughness)
    flat = np.zeros((noise.cells, noise.cells))
    fits = [_at(flat, counts, noise, flat)]
    scores = [fits[0].log_posterior + min(prior.flat_log_odds, 0.0)]
    start, last, best = flat, 1.0, -np.inf
    models = zip(prior.widths, prior.log_odds, strict=True) if prior.flat_log_odds < np.inf else ()
    for width, odds in models:
        fit = maximise(counts, noise, 1.0 / (width * smooth), start * (width / last))
        scores.append(fit.log_posterior - 0.5 * fit.posterior.log_determinant() + odds)
        fits.append(fit)
        start, last, best = fit.scaled, width, max(best, scores[-1])
        if scores[-1] < best - 20.0:  # nats: narrower widths are not tried any more
            break
    _, chosen = choice(scores)
    width = float(prior.widths[chosen - 1]) if chosen else np.inf
    shares = _respondent_shares(counts, noise, fits[chosen], bins)
    # smoothing flattens peaks, which its own variance does not show: at half the width it shows
    half = min(width, prior.widths[0]) / 2.0
    rough = maximise(counts, noise, 1.0 / (half * smooth), fits[chosen].scaled * (half / width))
    others = _respondent_shares(counts, noise, rough, bins)
    variance = _variance(counts, noise, rough, bins) + (others - shares) ** 2
    return Shares(fits[chosen].density, shares, np.sqrt(variance), width)


def flat_p_value(counts: Array, noise: MapNoise, roughness: Array) -> float:
    """p-value of the hypothesis that the people are spread evenly, of the longest waves."""
    most = min(13, noise.cells)
    numbers = [(i, j) for i in range(most) for j in range(most) if 0 < i * i + j * j < most * most]
    waves = np.zeros((len(numbers), noise.cells, noise.cells))
    for wave, (i, j) in zip(waves, numbers, strict=True):
        wave[i, j] = roughness[i, j] ** -0.5
    flat = np.full((noise.cells, noise.cells), noise.cells**-2.0)
    slopes = noise.spread(sum_of_waves(waves) * flat)
    return flatness_p_value(counts, noise.report_masses(flat), slopes.T / np.abs(slopes).max())


def maximise(counts: Array, noise: MapNoise, deviations: Array, start: Array) -> PlaneFit:
    """Posterior mode for these prior deviations, by Fisher scoring with halved steps."""
    fit = _at(start, counts, noise, deviations)
    for _ in range(60):
        rise = fit.posterior.back(noise.gather(counts / fit.mass)) - fit.scaled
        move = fit.posterior.solve(rise)
        gain, size = float(_dot(move, rise)[0, 0]), 1.0
        if gain < 0.1:  # nats
            break
        tried = _at(fit.scaled + move, counts, noise, deviations)
        while tried.log_posterior < fit.log_posterior + 1e-4 * size * gain and size > 1e-8:
            size /= 2.0
            tried = _at(fit.scaled + size * move, counts, noise, deviations)
        if tried.log_posterior <= fit.log_posterior:  # rounding, at a mode that is known to the last digit
            break
        fit = tried
    return fit


def sum_of_waves(coefficients: Array) -> Array:
    """Sums of the waves cos(π i (a + ½)/n) cos(π j (b + ½)/n) with these coefficients, at the cells."""
    halves = np.where(np.arange(coefficients.shape[-1]) == 0, 1.0, 0.5)
    return np.asarray(dctn(coefficients * np.outer(halves, halves), type=3, axes=(-2, -1)))


def cropped(moves: Array, reach: int) -> Array:
    """The moves by at most ``reach`` cells."""
    cut = max(len(moves) // 2 - reach, 0)
    return moves[cut : len(moves) - cut, cut : len(moves) - cut]


def _at(scaled: Array, counts: Array, noise: MapNoise, deviations: Array) -> PlaneFit:
    density = normalised(sum_of_waves(deviations * scaled))
    mass = noise.report_masses(density)
    posterior = Posterior(float(counts.sum()), noise, deviations, density, mass)
    return PlaneFit(density, mass, scaled, posterior, float(counts @ np.log(mass) - 0.5 * (scaled**2).sum()))


def _respondent_shares(counts: Array, noise: MapNoise, fit: PlaneFit, bins: int) -> Array:
    shares = fit.density * noise.gather(counts / (counts.sum() * fit.mass))
    return _binned(np.maximum(shares, 0.0), bins)  # rounding where there is next to nobody


def _variance(counts: Array, noise: MapNoise, fit: PlaneFit, bins: int) -> Array:
    """Variance of these shares: what each report leaves open, and what is not known of the density."""
    total = counts.sum()
    lifted = noise.gather(counts / (total * fit.mass))
    slopes = fit.posterior.slopes(fit.posterior.draws())
    mass = noise.spread(slopes) * (counts / (total * fit.mass**2))
    moved = _binned(slopes * lifted - fit.density * noise.gather(mass), bins)
    shares = _binned(fit.density * lifted, bins)
    left = np.maximum(shares - _squared_chances(counts, noise, fit, bins) / total, 0.0)
    return np.asarray((moved**2).mean(axis=0) + left / total)


def _squared_chances(counts: Array, noise: MapNoise, fit: PlaneFit, bins: int) -> Array:
    """Sum over the reports near each bin of the squared probabilities that they come from it."""
    side, moves = noise.cells // bins, cropped(noise.moves, min(noise.margin, 12))  # reports in 12 cells around
    edge = noise.margin - len(moves) // 2
    window = side + len(moves) - 1
    size = (next_fast_len(window, real=True),) * 2
    ratios = (counts[:-1] / fit.mass[:-1] ** 2).reshape(noise.span, noise.span)
    ratios = ratios[edge : noise.span - edge, edge : noise.span - edge]
    windows = sliding_window_view(ratios, (window, window))[::side, ::side]
    blocks = fit.density.reshape(bins, side, bins, side).transpose(0, 2, 1, 3)
    transfer, sums = rfft2(moves, size), np.empty((bins, bins))
    for row in range(bins):
        masses = irfft2(rfft2(blocks[row], size) * transfer, size)[:, :window, :window]
        sums[row] = np.einsum("bij,bij->b", masses**2, windows[row])
    return sums + _binned(fit.density * noise.escape, bins) ** 2 * (counts[-1] / fit.mass[-1] ** 2)


def _binned(values: Array, bins: int) -> Array:
    side = values.shape[-1] // bins
    return np.asarray(values.reshape(*values.shape[:-2], bins, side, bins, side).sum(axis=(-3, -1)))


def _dot(one: Array, other: Array) -> Array:
    return np.asarray((one * other).sum(axis=(-2, -1), keepdims=True))
