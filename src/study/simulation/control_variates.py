"""Control variates with exactly known means for the error of the direction of a noisy sum, on the circle.

Given the people, the noisy sum w = x + iy, turned so that their true sum lies along x, has a characteristic
function that is known exactly. The error |arg w| is therefore corrected by a fixed trigonometric polynomial
g(w) less its known mean: the mean stays that of the error, the variance falls 15 to 200 times. The theorem is
in docs/mathematics.md, "Simulated errors". The coefficients come from the normal limit and never from the
repetitions: fitted to them, they would make the intervals too narrow.
"""

from functools import lru_cache

import numpy as np
from scipy.special import jv

ACROSS, ALONG = 6, 2  # frequencies of y and of x: their products are the controls
PERIODS = 5.5, 6.0  # standard deviations after which the cosines of y and of x turn
REACH, WIDER = 5.0, 1.2  # of the grid of the fit, in standard deviations; the weights are those of a wider law
FEWEST = 10  # responses; for fewer the characteristic function may vanish
CELLS = 1 << 14  # of the angles of a law; they leave 1e-8 of the mean cosine
TURNS = 128  # points of a turn at which characteristic functions are computed
EXACT = 1e-12  # what is left out of the logarithm of the characteristic function of a sum, at most


def controls_of(law, responses, vectors):
    """The controls for sums of so many responses; None where there are none, and errors are as drawn."""
    if vectors.shape[1] > 2 or responses < FEWEST or not law.is_symmetric:
        return None
    return Controls(law, responses, vectors)


@lru_cache(maxsize=1)
def _cosines():
    """Cosines of the multiples of the angles in the middle of the cells."""
    return np.cos(np.multiply.outer(np.arange(TURNS // 2), np.pi * (np.arange(CELLS) + 0.5) / CELLS))


def moments(law):
    """E cos kθ, k = 0, 1, …, of a law on the circle that is symmetric about its mode."""
    return _cosines() @ -np.diff(law.angle_sf(np.linspace(0.0, np.pi, CELLS + 1)))


class Controls:
    """The controls for sums of ``responses`` responses of people with these unit vectors under a law."""

    def __init__(self, law, responses, vectors):
        mean, people = moments(law), np.ascontiguousarray(vectors).view(complex).ravel()
        resultant = abs(people.mean())
        double = (people**2).mean() * np.exp(-2j * np.angle(people.mean()))
        mixed = mean[2] * double.real
        # of the sum: its mean, and the deviations of y given the people and of x
        spread = (1.0 - mixed - mean[1] ** 2 * (1.0 - double.real)) / 2.0, (1.0 + mixed) / 2.0
        length = mean[1] * np.sqrt(resultant**2 + (1.0 - resultant**2) / responses)
        self.center = responses * length
        self.across = np.sqrt(responses * spread[0])
        self.along = np.sqrt(responses * max(spread[1] - length**2, 1e-3 * spread[1]))
        self.v = np.pi * np.arange(ACROSS + 1) / (PERIODS[0] * self.across)
        self.u = np.pi * np.arange(ALONG + 1) / (PERIODS[1] * self.along)
        self.coefficients = self._fitted()
        self._set_logarithms(mean, responses)

    def values(self, x, y):
        """The controls at each sum: cos(vy) cos(ux) and cos(vy) sin(ux), the constant first."""
        cosines = np.cos(np.multiply.outer(y, self.v))
        waves = np.exp(1j * np.multiply.outer(x, self.u))
        return _stacked(cosines[..., :, None] * waves[..., None, :])

    def _fitted(self):
        """Coefficients of the polynomial that is nearest to the error under the normal limit of the sum."""
        grid = np.linspace(-REACH, REACH, 41)
        x, y = np.meshgrid(self.center + self.along * grid, self.across * grid[20:], indexing="ij")
        weight = np.exp(-((grid[:, None] ** 2 + grid[20:] ** 2) / (2.0 * WIDER) ** 2)).ravel()
        values = self.values(x.ravel(), y.ravel()) * weight[:, None]
        return np.linalg.lstsq(values, weight * np.arctan2(y, x).ravel(), rcond=1e-6)[0]

    def _set_logarithms(self, mean, responses):
        """Cosine series of log E exp(iρ cos(b + θ)), in the angle b, for each pair of frequencies."""
        rho = np.hypot(self.v[:, None], self.u).ravel()
        psi = np.arctan2(self.v[:, None], self.u + 0.0 * self.v[:, None]).ravel()
        k, b = np.arange(len(mean)), 2.0 * np.pi * np.arange(TURNS) / TURNS
        terms = np.where(k == 0, 1.0, 2.0) * 1j**k * jv(k, rho[:, None]) * mean
        main = 1j * mean[1] * np.multiply.outer(rho, np.cos(b))  # without it the logarithm would jump
        function = terms @ np.cos(np.multiply.outer(k, b)) * np.exp(-main)
        series = np.fft.fft(np.log(function) + main, axis=1)[:, : TURNS // 2] / TURNS
        series[:, 1:] *= 2.0
        kept = np.flatnonzero(np.abs(series).max(axis=0) * responses > EXACT)
        k = np.arange(1, max(kept[-1], 1) + 1)
        self.constant, series = responses * series[:, 0], series[:, k]
        self.cosine, self.sine = (series * f(np.multiply.outer(psi, k)) for f in (np.cos, np.sin))

    def powers(self, people):
        """Sums of the powers of complex responses, repetitions × responses: all that the means need."""
        sums, power = [people.sum(axis=-1)], people.copy()
        for _ in range(1, self.cosine.shape[1]):
            power *= people
            sums.append(power.sum(axis=-1))
        return np.stack(sums, axis=-1)

    def means(self, powers):
        """Exact means of the controls given the people, from their sums of powers, turned to the true sum."""
        unit = powers[..., :1] / np.abs(powers[..., :1])
        turned = powers * unit.conj() ** np.arange(1, powers.shape[-1] + 1)
        mean = np.exp(self.constant + turned.real @ self.cosine.T) * np.cosh(turned.imag @ self.sine.T)
        return _stacked(mean.reshape(*mean.shape[:-1], ACROSS + 1, ALONG + 1))

    def errors(self, sums, powers):
        """Angles between noisy sums and true ones, less the polynomial, plus its mean given the people."""
        turned = sums * np.conj(powers[..., 0] / np.abs(powers[..., 0]))
        values = self.values(turned.real, turned.imag) - self.means(powers)
        return np.abs(np.angle(turned)) - values @ self.coefficients


def _stacked(waves):
    """Real and imaginary parts of cos(vy) exp(iux), without the imaginary ones at u = 0."""
    parts = waves.real.reshape(*waves.shape[:-2], -1), waves.imag[..., 1:].reshape(*waves.shape[:-2], -1)
    return np.concatenate(parts, axis=-1)
