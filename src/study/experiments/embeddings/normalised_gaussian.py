"""Gaussian noise on unit vectors, divided by their length: it has levels, which follow from its density."""

from functools import cached_property

import numpy as np
import scipy  # SciPy imports its submodules at their first use

from dirpriv.geometry import spaces
from study.simulation.baselines import AngleMeans
from study.simulation.quadrature import panels

ANGLES = np.linspace(0.0, np.pi, 257)
REACH = np.linspace(-12.0, 12.0, 7)  # of the lengths around the likeliest one, whose deviation is below 1


class NormalisedGaussian(AngleMeans):
    """Distribution of (x + σz)/‖x + σz‖, z standard normal in R^n; its concentration κ is 1/σ.

    At the angle θ the logarithm of its density is H(κ cos θ), up to a constant, where H(b) is that of the integral of
    r^(n-1) exp(br - r²/2) over the lengths r > 0.
    """

    is_symmetric = True

    def __init__(self, dim, kappa):
        self.dim, self.kappa, self.space = dim, kappa, spaces.Sphere(dim)

    def log_integral(self, b):
        """H and its slope, the mean length, at an array of b."""
        likeliest = 0.5 * (b + np.sqrt(b * b + 4.0 * (self.dim - 1)))
        move, width = panels(REACH)
        r = np.maximum(likeliest[..., None] + move, 1e-300)
        powers = (self.dim - 1) * np.log(r / likeliest[..., None]) + move * (b - likeliest)[..., None] - 0.5 * move**2
        weight = np.where(r > 1e-300, np.exp(powers) * width, 0.0)
        total = weight.sum(axis=-1)
        top = (self.dim - 1) * np.log(likeliest) + b * likeliest - 0.5 * likeliest**2
        return top + np.log(total), (weight * r).sum(axis=-1) / total

    def metric_level(self):
        """The steepest slope per radian."""
        _, length = self.log_integral(self.kappa * np.cos(ANGLES))
        return float((self.kappa * np.sin(ANGLES) * length).max())

    def privacy_loss_within(self, radius):
        """The largest difference between two angles that are ``radius`` apart."""
        low = np.linspace(0.0, np.pi - radius, ANGLES.size)
        near, far = (self.log_integral(self.kappa * np.cos(angle))[0] for angle in (low, low + radius))
        return float((near - far).max())

    @cached_property
    def _means(self):
        """Means of the angle, of its cosine and of its squared sine."""
        theta, width = panels(np.linspace(0.0, np.pi, 65))
        log_density = self.log_integral(self.kappa * np.cos(theta))[0] + (self.dim - 2) * np.log(np.sin(theta))
        weight = width * np.exp(log_density - log_density.max())
        return [float((weight * f).sum() / weight.sum()) for f in (theta, np.cos(theta), np.sin(theta) ** 2)]

    @classmethod
    def calibrated(cls, dim, level, radius):
        """The distribution with the least noise of a level within a radius; per radian, without a radius."""

        def excess(kappa):
            noise = cls(dim, kappa)
            return (noise.privacy_loss_within(radius) if radius else noise.metric_level()) - level

        return cls(dim, scipy.optimize.brentq(excess, 1e-12, level / np.sin(0.5 * radius) if radius else level))

    @classmethod
    def approximate(cls, dim, level, delta):
        """The same of (ε, δ), exact for the vectors before they are divided by their length, at most 2 apart."""

        def excess(shift):  # of the mean, in standard deviations (Balle and Wang 2018)
            near, far = scipy.special.ndtr(np.array([0.5, -0.5]) * shift - level / shift)
            return near - np.exp(level) * far - delta

        return cls(dim, 0.5 * scipy.optimize.brentq(excess, 1e-3, 2.0 * level + 20.0))
