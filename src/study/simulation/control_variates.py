"""Control variates with exactly known means for the error of the direction of a noisy sum, on the circle.

Given the people, the noisy sum w = x + iy, turned so that their true sum lies along x, has a characteristic
function that is known exactly, and so has the true sum of random people. The error |arg w| is therefore
corrected by a fixed trigonometric polynomial of each, less its known mean: the mean stays that of the error,
the variance falls 15 to 200 times. The theorem is in docs/mathematics.md, "Simulated errors". The
coefficients come from the normal limit and never from the repetitions: fitted to them, they would make the
intervals far too narrow.
"""

from functools import lru_cache

import numpy as np
from scipy.special import jv

from study.simulation.populations import MOMENTS

ACROSS, ALONG = 6, 2  # frequencies of y and of x: their products are the controls
PERIODS = 5.5, 6.0  # standard deviations after which the cosines of y and of x turn
GRID, WIDER = np.linspace(-5.0, 5.0, 41), 1.2  # of the fit, in standard deviations; weights of a wider distribution
FEWEST = 10  # responses; for fewer the characteristic function may vanish
CELLS = 1 << 14  # of the angles of a distribution; they leave 1e-8 of the mean cosine
TURNS = 2 * MOMENTS  # points of a turn at which the characteristic function of a response is computed
FASTEST = MOMENTS / 2  # frequency; the moments give the characteristic function of a response to 1e-12
EXACT = 1e-12  # what is left out of the logarithm of the characteristic function of a sum, at most


def controls_of(distribution, responses, population):
    """The controls for sums of this many responses; None where there are none, and errors are as drawn."""
    symmetric = getattr(distribution, "is_symmetric", False)  # a baseline without a survival function does not say
    if population.vectors.shape[1] > 2 or responses < FEWEST or not symmetric:
        return None
    controls = Controls(distribution, responses, population)
    return controls if controls.noise.rho.max() <= FASTEST else None  # the distribution is too narrow for its moments


@lru_cache(maxsize=1)
def _cosines():
    """Cosines of the multiples of the angles in the middle of the cells."""
    return np.cos(np.multiply.outer(np.arange(MOMENTS), np.pi * (np.arange(CELLS) + 0.5) / CELLS))


@lru_cache(maxsize=1)  # a search has one distribution
def moments(distribution):
    """E cos kθ, k = 0, 1, …, of a distribution on the circle that is symmetric about its mode."""
    return _cosines() @ -np.diff(distribution.angle_sf(np.linspace(0.0, np.pi, CELLS + 1)))


def characteristic(mean, rho, angle):
    """E exp(iρ cos(Θ + angle)) of an angle Θ with the moments E exp(ikΘ), by Jacobi and Anger."""
    k = np.arange(len(mean))
    factors = np.where(k == 0, 1.0, 2.0) * 1j**k * jv(k, np.asarray(rho)[..., None])
    turned = (mean * np.exp(1j * np.multiply.outer(angle, k))).real
    return np.einsum("...k,...k->...", factors, turned)


class Polynomial:
    """Σ over u, v of cos(vy) (a cos ux + b sin ux), the nearest to a function under a normal distribution."""

    def __init__(self, center, along, across, function):
        self.v = np.pi * np.arange(ACROSS + 1) / (PERIODS[0] * across)
        self.u = np.pi * np.arange(ALONG + 1) / (PERIODS[1] * along)
        self.rho = np.hypot(self.v[:, None], self.u).ravel()
        self.psi = np.arctan2(self.v[:, None], np.broadcast_to(self.u, (ACROSS + 1, ALONG + 1))).ravel()
        half = GRID[GRID.size // 2 :]
        x, y = np.meshgrid(center + along * GRID, across * half, indexing="ij")
        weight = np.exp(-((GRID[:, None] ** 2 + half**2) / (2.0 * WIDER) ** 2)).ravel()
        values = self.values(x.ravel(), y.ravel()) * weight[:, None]
        self.coefficients = np.linalg.lstsq(values, weight * function(x, y).ravel(), rcond=1e-6)[0]

    def values(self, x, y):
        """The controls at each sum: cos(vy) cos(ux) and cos(vy) sin(ux), the constant first."""
        waves = np.exp(1j * np.multiply.outer(x, self.u))[..., None, :]
        return self.parts(np.cos(np.multiply.outer(y, self.v))[..., :, None] * waves)

    @staticmethod
    def parts(waves):
        """Real and imaginary parts of cos(vy) exp(iux), without the imaginary ones at u = 0."""
        parts = waves.real, waves.imag[..., 1:]
        return np.concatenate([part.reshape(*part.shape[:-2], -1) for part in parts], axis=-1)


class Controls:
    """The controls for sums of ``responses`` responses of people of a population under a distribution."""

    def __init__(self, distribution, responses, population):
        mean, people = moments(distribution), population.moments
        self.responses, self.turn = responses, np.conj(people[1] / abs(people[1]))
        people = people * self.turn ** np.arange(MOMENTS)
        resultant, double = people[1].real, people[2].real
        # variances of a response, along and across: of all, and of those of people who are given
        means = np.array([1.0 + double, 1.0 - double]) / 2.0
        variances = np.array([1.0 + mean[2] * double, 1.0 - mean[2] * double]) / 2.0 - mean[1] ** 2 * means
        deviations = np.sqrt(responses * np.maximum(variances, 1e-6))
        length = np.sqrt(resultant**2 + (1.0 - resultant**2) / responses)  # of a mean of so few
        spread = mean[1] ** 2 * max(means[0] - resultant**2, 0.0)
        along = np.hypot(deviations[0], np.sqrt(responses * spread))
        center = responses * mean[1] * length
        self.noise = Polynomial(center, along, deviations[1], lambda x, y: np.arctan2(y, x))
        self._set_logarithms(mean)
        self.people = None
        if resultant < 1.0 - 1e-9:
            self._set_people(people, mean[1], deviations)

    def _set_logarithms(self, mean):
        """Cosine series of log E exp(iρ cos(b + θ)), in the angle b, for each pair of frequencies."""
        b = 2.0 * np.pi * np.arange(TURNS) / TURNS
        rho, psi = self.noise.rho, self.noise.psi
        main = 1j * mean[1] * np.multiply.outer(rho, np.cos(b))  # without it the logarithm would jump
        function = characteristic(mean, rho[:, None], b) * np.exp(-main)
        series = np.fft.fft(np.log(function) + main, axis=1)[:, :MOMENTS] / TURNS
        series[:, 1:] *= 2.0
        kept = np.flatnonzero(np.abs(series).max(axis=0) * self.responses > EXACT)
        k = np.arange(1, max(kept[-1], 1) + 1)
        self.constant, series = self.responses * series[:, 0], series[:, k]
        self.cosine, self.sine = (series * f(np.multiply.outer(psi, k)) for f in (np.cos, np.sin))

    def _set_people(self, people, cosine, deviations):
        """The polynomial of the true sum, nearest to the mean error under the normal limit of the noise."""
        weight = np.exp(-(GRID**2) / 2.0)
        weight /= weight.sum()
        lengths = np.linspace(0.0, self.responses, 400)
        x = np.multiply.outer(cosine * lengths, np.ones(GRID.size)) + deviations[0] * GRID
        errors = np.abs(np.arctan2(deviations[1] * GRID, x[..., None])) @ weight @ weight
        resultant, double = people[1].real, people[2].real
        spreads = (1.0 + double) / 2.0 - resultant**2, (1.0 - double) / 2.0
        spreads = np.sqrt(self.responses * np.maximum(spreads, 1e-6))
        self.people = Polynomial(
            self.responses * resultant, *spreads, lambda x, y: np.interp(np.hypot(x, y), lengths, errors)
        )
        rho, psi = self.people.rho, self.people.psi
        both = (characteristic(people, rho, turn) ** self.responses for turn in (psi, -psi))
        self.mean = Polynomial.parts(0.5 * sum(both).reshape(ACROSS + 1, ALONG + 1))

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
        return Polynomial.parts(mean.reshape(*mean.shape[:-1], ACROSS + 1, ALONG + 1))

    def errors(self, sums, powers):
        """Angles between noisy sums and true ones, less the polynomials, plus the means of these."""
        turned = sums * np.conj(powers[..., 0] / np.abs(powers[..., 0]))
        values = self.noise.values(turned.real, turned.imag) - self.means(powers)
        errors = np.abs(np.angle(turned)) - values @ self.noise.coefficients
        if self.people:
            true = powers[..., 0] * self.turn
            errors -= (self.people.values(true.real, true.imag) - self.mean) @ self.people.coefficients
        return errors
