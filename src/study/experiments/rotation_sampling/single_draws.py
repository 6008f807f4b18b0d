"""The SO(3) paper's samplers with one draw a call, as a program without arrays of draws has them.

Versors have their scalar part last, as in the paper and in SciPy.
"""

import math

import numpy as np

from study.papers import rotations


def laplace_versor(versor, epsilon, rng):
    """A versor with Laplace noise: the angle by Section 3.3 (not wrapped), the axis by Eqs. 17 to 19.

    >>> noisy = laplace_versor(np.array([0.0, 0.0, 0.0, 1.0]), 5.0, np.random.default_rng(1))
    >>> float(np.linalg.norm(noisy).round(9))
    1.0
    """
    if epsilon >= rotations.THRESHOLD:
        angle = rng.gamma(3.0, 1.0 / epsilon)
    else:
        angle = 2.0 * math.acos(math.sqrt(1.0 - rng.random()))
        while rng.random() >= math.exp(-epsilon * angle):
            angle = 2.0 * math.acos(math.sqrt(1.0 - rng.random()))
    height, azimuth, sine = 2.0 * rng.random() - 1.0, 2.0 * math.pi * rng.random(), math.sin(0.5 * angle)
    across = sine * math.sqrt(1.0 - height * height)
    noise = across * math.cos(azimuth), across * math.sin(azimuth), sine * height, math.cos(0.5 * angle)
    return product(versor, noise)


def product(p, q):
    """Hamilton product p ⊙ q of two quaternions, the scalar part last."""
    b, c, d, a = p
    f, g, h, e = q
    return np.array([
        a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e, a * e - b * f - c * g - d * h,
    ])  # fmt: skip


def kent_constants(versor, epsilon):
    """Matrix A, Ω, a root of Ω⁻¹, and M* of Appendix D.

    A = M diag(ε, ε, ε, 0) Mᵀ by Definition 1: the first columns of M span the null space of q qᵀ.
    """
    axes = np.linalg.svd(np.outer(versor, versor))[2].T[:, ::-1]
    matrix, q = (axes * (epsilon, epsilon, epsilon, 0.0)) @ axes.T, 4
    b = rotations.kent_b(np.linalg.eigvalsh(matrix))
    omega, bound = np.eye(q) + 2.0 * matrix / b, math.exp(-0.5 * (q - b)) * (q / b) ** (0.5 * q)
    return matrix, omega, np.linalg.cholesky(np.linalg.inv(omega)), bound


def bingham_versor(constants, rng):
    """A draw of the Bingham distribution by Algorithm A1 with the proposals of Kent et al.

    >>> constants = kent_constants(np.array([0.6, 0.0, 0.0, 0.8]), 1e6)
    >>> np.abs(bingham_versor(constants, np.random.default_rng(1))).round(2).tolist()
    [0.6, 0.0, 0.0, 0.8]
    """
    matrix, omega, root, bound = constants
    while True:
        y = root @ rng.standard_normal(len(matrix))
        x = y / math.sqrt(y @ y)
        if rng.random() * bound * (x @ omega @ x) ** (-0.5 * len(matrix)) <= math.exp(-(x @ matrix @ x)):
            return x
