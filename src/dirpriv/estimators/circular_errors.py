"""Expected error of a private circular mean for any number of responses, without a limit of many."""

import functools
import math

import numpy as np
import scipy  # which imports its submodules where they are first used
from numpy.typing import ArrayLike
from scipy.special import jv

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.quadrature import panels
from dirpriv._lib.types import Array
from dirpriv.estimators.errors import expected_mean_error, normal_mean_error
from dirpriv.estimators.means import symmetric
from dirpriv.geometry.spaces import CIRCLE
from dirpriv.laws.protocols import SymmetricNoise

_LONGEST = 500.0  # frequency up to which characteristic functions are summed
_MANY = 200  # responses from which the normal law is as good: its error is below 1e-3 of the value
_NORMAL = 1000  # responses beyond which only the normal law is computed: its error is below 4e-4 there
_EDGES = np.unique(np.concatenate([np.linspace(0.0, np.pi, 2049), np.geomspace(1e-9, 0.05, 500)]))  # of cells
_NARROW = 0.03  # radians: angles of so little are their own sines, and their mean is that of the directions


def circular_mean_error(law: SymmetricNoise, n: int) -> float:
    r"""Expected error of the circular mean of ``n`` responses around one direction, for every n, in radians.

    Let S be the sum of the responses, φ its angle from the true direction, and :math:`S_t` the component of S
    in the direction π/2 further than the angle t. :math:`S_t > 0` says that φ is in :math:`(t, t + \pi)`, so

    .. math:: \operatorname{E}|\varphi| = \int_0^\pi P(S_t > 0)\,dt ,

    exactly. :math:`S_t` is a sum of n independent numbers :math:`\sin(\Theta - t)`, Θ the signed angle of the
    noise. Their characteristic function is :math:`\sum_k J_k(u) a_k e^{-ikt}` with the moments
    :math:`a_k = \operatorname{E}\cos k\Theta` of the law, so that an inversion of its n-th power gives the
    probability. The result is right to about 5e-4 of its value. For large n, in all dimensions and for any
    people there is :func:`expected_mean_error`.

    Parameters
    ----------
    law : dirpriv.laws.SymmetricLaw
        A law on the circle that is symmetric about its mode.
    n : int
        Number of responses.

    Raises
    ------
    ValueError
        If ``n`` is not a whole number above 0, or the law is not on the circle, or not symmetric.

    Examples
    --------
    >>> from dirpriv.estimators import circular_mean_error, expected_mean_error
    >>> from dirpriv.laws import Purkayastha
    >>> law = Purkayastha(dim=2, kappa=1.0)
    >>> [round(error(law, 5), 3) for error in (expected_mean_error, circular_mean_error)]
    [0.414, 0.458]
    """
    n = validate.integer("n", n, 1)
    if symmetric(law).space != CIRCLE:
        raise InvalidArgument("law", "must be one on the circle (dim=2)", got=law)
    if n == 1:
        survival = _survival(law)  # the mean angle is ∫ P(θ > t) dt
        return float(np.diff(_EDGES) @ (survival[1:] + survival[:-1]) / 2.0)
    if n > _NORMAL:
        return normal_mean_error(law, n)
    length, sine = law.mean_cosine(), np.sqrt(law.mean_squared_sine())
    if length > 0.0 and sine < _NARROW:
        return _of_narrow_law(law, n, sine)
    return _integral(law, n, length, sine)


def people_for_error(law: SymmetricNoise, error: float, *, x: ArrayLike | None = None) -> int:
    """Fewest responses whose mean direction has at most this expected error.

    By :func:`normal_mean_error`, and on the circle for at most 200 equal responses by
    :func:`circular_mean_error`.

    Parameters
    ----------
    law : dirpriv.laws.SymmetricLaw
        A law that is symmetric about its mode, and not uniform.
    error : float
        Radians, below π/2.
    x : array_like, shape (P, dim), optional, keyword-only
        The true unit vectors from which responses are taken; by default all responses are equal. The error is
        that against the mean direction of the same responses without noise.

    Raises
    ------
    ValueError
        If the error is not positive, or not below π/2, which uniform noise has, or the law is uniform.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, laws
    >>> estimators.people_for_error(laws.Purkayastha(dim=2, kappa=1 / np.pi), 0.1)
    791
    """
    error = validate.positive("error", error)
    if error >= np.pi / 2.0:
        raise InvalidArgument("error", "must be below π/2, the error of uniform noise", got=error)
    validate.positive("mean cosine of the law", symmetric(law).mean_cosine())

    def excess(log_people: float) -> float:
        return normal_mean_error(law, np.exp(log_people), x=x) - error

    start = 2.0 * np.log(expected_mean_error(law, 1, x=x) / error)  # for large n, and near for others
    low, high = max(start - 1.0, 0.0), max(start, 0.0) + 1.0
    while excess(high) > 0.0:
        low, high = high, high + 2.0
    while low > 0.0 and excess(low) < 0.0:
        low, high = max(low - 2.0, 0.0), low
    found = 1.0 if excess(low) <= 0.0 else np.exp(scipy.optimize.brentq(excess, low, high, rtol=1e-9))
    if found > _MANY or x is not None or law.space != CIRCLE:
        return math.ceil(found)
    people = max(int(found), 1)
    while circular_mean_error(law, people) > error:
        people += 1
    while people > 1 and circular_mean_error(law, people - 1) <= error:
        people -= 1
    return people


def _integral(law: SymmetricNoise, n: int, length: float, sine: float) -> float:
    """∫ P(S_t > 0) dt over [0, π], by Gil-Pelaez's inversion at the midpoints of even steps."""
    across = sine * np.sqrt(n)
    half = np.pi / 2.0  # the law is symmetric, and so t and π - t have the same probability
    reach = min(10.0 * across / (length * n), half) if length > 0.0 else half
    ends = np.unique([0.0, reach / 4.0, reach / 2.0, reach, (reach + half) / 2.0, half])
    # Bernstein's inequality at exp(-20): beyond it nothing is left, and S_t is too narrow for the frequencies
    farthest = (20.0 / 3.0 + np.sqrt(400.0 / 9.0 + 40.0 * across**2)) / max(length * n, 1e-300)
    if farthest < 0.5:
        ends = np.linspace(0.0, farthest, 6)
    t, weights = panels(ends)
    # the sum lies within ``room``; a step of π/room repeats it beyond, where nothing is
    room = min(n * length + 12.0 * np.sqrt(n), 1.05 * n)
    # where the n-th power has vanished: a kink of the density leaves (u sine)^(-2n), its breadth u^(-n/2)
    end = max(12.0 / across, 10.0 ** (3.5 / n) / sine, min(60.0, 0.7 * 1e16 ** (1.0 / n)))
    u = np.pi / room * (np.arange(int(min(end, _LONGEST) * room / np.pi) + 1) + 0.5)
    k = np.arange(int(u[-1] + 12.0 * np.cbrt(u[-1])) + 20)
    moments = _moments(law, _harmonics(1 << (len(k) - 1).bit_length())[: len(k)])
    terms = (moments * np.where(k == 0, 1.0, 2.0))[:, None] * jv(k[:, None], u)
    even = k % 2 == 0
    real = np.cos(np.outer(t, k[even])) @ terms[even]
    imaginary = -np.sin(np.outer(t, k[~even])) @ terms[~even]
    powers = ((real + 1j * imaginary) ** n).imag
    above = 0.5 + powers @ (1.0 / (np.arange(len(u)) + 0.5)) / np.pi
    return float(2.0 * weights @ above)


def _of_narrow_law(law: SymmetricNoise, n: int, sine: float) -> float:
    """E|ΣΘ|/n = 2/(πn) ∫ (1 - ψ(u)^n)/u² du, ψ(u) = E cos uΘ, by u = exp(v)."""
    v = np.linspace(-9.0, 7.0, 257)
    u = np.exp(v) / (sine * np.sqrt(n))
    lost = -np.expm1(n * np.log(np.maximum(np.abs(_moments(law, _mean_cosines(u))), 1e-300)))
    inner = 0.5 * n * sine**2 * u[0]  # below, where 1 - ψ^n is n sine² u²/2
    return float(2.0 / (np.pi * n) * ((lost / u).sum() * (v[1] - v[0]) + inner + 1.0 / u[-1]))


def _moments(law: SymmetricNoise, cosines: Array) -> Array:
    """E cos kθ from the mean cosines of the cells; the density is taken as constant within each cell."""
    return np.asarray(cosines @ -np.diff(_survival(law)))


def _mean_cosines(k: Array) -> Array:
    """The mean of cos kθ over each cell, a row for each k."""
    half, middle, rows = np.diff(_EDGES) / 2.0, (_EDGES[1:] + _EDGES[:-1]) / 2.0, k[:, None]
    return np.asarray(np.cos(rows * middle) * np.sinc(rows * half / np.pi))


@functools.lru_cache(maxsize=1, typed=True)
def _harmonics(count: int) -> Array:
    """The same for k = 0, 1, 2, …: all laws share it, and a search asks for it hundreds of times."""
    return _mean_cosines(np.arange(count, dtype=float))


def _survival(law: SymmetricNoise) -> Array:
    """The share of the draws beyond each edge of the cells."""
    survival = np.asarray(law.angle_sf(_EDGES), dtype=float)
    survival[0], survival[-1] = 1.0, 0.0
    return survival
