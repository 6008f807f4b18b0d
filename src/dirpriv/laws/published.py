"""The papers' own forms, by name, as what they are.

Kept to reproduce the papers and to compare with; the laws of this package compute the same quantities to the
last digits for every dimension and concentration. "Paper A" is Weggenmann and Kerschbaum, "Differential
Privacy for Directional Data", CCS 2021. Each docstring says where its form is right in double precision and
what comes out beyond; the errors are against the laws, which were checked with 30 to 120 digits.

No function here warns when it overflows: a form that has failed gives nan, inf or a number that is no
probability, as told, and nothing is mended silently.
"""

import numpy as np
from scipy import special

from dirpriv import _validate

_CACHED = 4096  # draws that are bisected at a time: the loop over the sum's terms runs in the cache


# ---------------------------------------------------------------------- von Mises-Fisher


def expected_chord(dim, kappa):
    """Expected chord of the von Mises-Fisher law: paper A, Eq. 6.

    Parameters
    ----------
    dim : int
    kappa : array_like
        Concentrations.

    Returns
    -------
    float or ndarray
        2 B(a, a+½) M(a, 2a+½, 2κ) / (B(a, a) M(a, 2a, 2κ)), a = (n - 1)/2, with Kummer's transformation
        M(a, b, z) = e^z M(b - a, b, -z) in both places: as printed, both M overflow above κ = 354.

    Notes
    -----
    Relative error at most 3e-14 for n ≤ 50 up to κ = 1e6, 1e-12 for n ≤ 1000 up to κ = 1e3, 1e-11 at n = 10
    000 up to κ = 100. Beyond, M(a, 2a, -2κ) underflows and the result is nan: n = 500 at κ = 1e4, n = 10 000
    at 1e3.

    Examples
    --------
    >>> from dirpriv.laws import VonMisesFisher, published
    >>> abs(float(published.expected_chord(10, 5.0) / VonMisesFisher(10, 5.0).mean_chord()) - 1.0) < 1e-14
    True
    """
    a, kappa = (_validate.dimension(dim) - 1) / 2.0, np.asarray(kappa, dtype=float)
    with np.errstate(all="ignore"):
        betas = np.exp(special.betaln(a, a + 0.5) - special.betaln(a, a))
        above = special.hyp1f1(a + 0.5, 2.0 * a + 0.5, -2.0 * kappa)
        return (2.0 * betas * above / special.hyp1f1(a, 2.0 * a, -2.0 * kappa))[()]


def humbert_cdf(theta, dim, kappa):
    """CDF of the angle of the von Mises-Fisher law by the Humbert series: paper A, Eq. 7.

    Parameters
    ----------
    theta : array_like
        Angles in [0, π].
    dim : int
    kappa : float

    Returns
    -------
    float or ndarray
        1 - P[t ≤ cos θ] with P[t ≤ T] = x^a Φ₁(a, 1-a, 1+a; x, 2κx) / (a B(a, a) M(a, 2a, 2κ)), x = (1 +
        T)/2. Φ₁ is summed over the powers of 2κx; the inner sum, over those of x, is SciPy's ₂F₁.

    Notes
    -----
    The inner sum alternates, and what it leaves is the beta function's 4^-a. Where it ends (odd n) SciPy sums
    it without loss: absolute error at most 1e-12 for odd n ≤ 101 and κ ≤ 350. For even n it is infinite. At κ
    ≤ 10 the error is 1e-13 for n = 4 (n = 2 too, but 2e-8 at θ = 1e-8, as x rounds to 1), 1e-11 for n ≤ 10,
    1e-7 at n = 20, 1e-2 at n = 36, 0.1 and more at n = 50, 1e12 and more at n = 100; at κ = 100 many angles
    give nan. From κ = 360 on the powers overflow, for odd n too: -inf or nan. Being a difference from 1, the
    CDF has no relative precision at small angles anywhere.

    Examples
    --------
    >>> from dirpriv.laws import VonMisesFisher, published
    >>> abs(float(published.humbert_cdf(0.5, 3, 2.0)) - VonMisesFisher(3, 2.0).angle_cdf(0.5)) < 1e-15
    True
    >>> abs(float(published.humbert_cdf(1.5, 100, 2.0))) > 1e6  # no probability
    True
    """
    a, kappa = (_validate.dimension(dim) - 1) / 2.0, _validate.concentration(kappa)
    theta = np.asarray(theta, dtype=float)
    x = np.cos(theta / 2.0) ** 2
    with np.errstate(all="ignore"):
        scale = a * special.beta(a, a) * special.hyp1f1(a, 2.0 * a, 2.0 * kappa)
        if not np.isfinite(scale):
            return np.full(x.shape, np.nan)[()]
        total, weight = np.zeros_like(x), np.ones_like(x)
        for j in range(int(2.0 * kappa + 12.0 * np.sqrt(2.0 * kappa)) + 60):  # beyond, y^j/j! has died out
            term = weight * special.hyp2f1(a + j, 1.0 - a, 1.0 + a + j, x)
            total = total + term
            if np.isnan(total).all() or (j > 2.0 * kappa and np.all(np.abs(term) <= 1e-17 * np.abs(total))):
                break
            weight = weight * (2.0 * kappa * x) * (a + j) / ((1.0 + a + j) * (j + 1.0))
        return (1.0 - x**a * total / scale)[()]


# ---------------------------------------------------------------------- Purkayastha


def expected_angle(dim, kappa):
    """Expected angle of the Purkayastha law as finite sums: paper A, Theorem 22, Eq. 13.

    Parameters
    ----------
    dim : int
    kappa : array_like
        Concentrations above 0.

    Returns
    -------
    float or ndarray
        n even: 1/κ - π/(e^{πκ} - 1) + Σ_{j=1}^{n/2-1} 2κ/(κ² + 4j²);
        n odd: π/(e^{πκ} + 1) + Σ_{j=0}^{(n-3)/2} 2κ/(κ² + (2j+1)²).

    Notes
    -----
    Relative error at most 1e-15 for odd n ≤ 10 001 and κ from 1e-6 to 6e7. For even n the first two terms
    cancel at small κ: 1e-15 from κ = 0.1 on, 1e-13 at 1e-2, 1e-11 at 1e-3, 1e-4 at 1e-6, and nan at κ = 0.
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.laws import published
    >>> float(published.expected_angle(2, 1 / np.pi).round(4))
    1.3133
    """
    n, kappa = _validate.dimension(dim), np.asarray(kappa, dtype=float)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        growth = np.exp(np.pi * kappa)
        if n % 2:
            first, steps = np.pi / (growth + 1.0), np.arange(1.0, n - 1.0, 2.0)
        else:
            first, steps = 1.0 / kappa - np.pi / (growth - 1.0), np.arange(2.0, n - 1.0, 2.0)
    terms = 2.0 * kappa[..., None] / (kappa[..., None] ** 2 + steps**2)
    return (first + terms.sum(axis=-1))[()]


def circular_purkayastha_mean_angle(kappa):
    """Expected angle of the Purkayastha law on the circle, 1/κ - π/(e^{κπ} - 1): paper A, Eq. 18.

    Parameters
    ----------
    kappa : array_like
        Concentrations above 0.

    Returns
    -------
    float or ndarray
        Eq. 13 at n = 2, with its cancellation: relative error 1e-13 from κ = 1e-2 on, 1e-4 at κ = 1e-6.

    Examples
    --------
    >>> from dirpriv.laws import published
    >>> float(published.circular_purkayastha_mean_angle(1.0).round(4))
    0.8581
    """
    return expected_angle(2, kappa)


def closed_form_cdf(theta, dim, kappa):
    """CDF of the angle of the Purkayastha law as a finite sum: paper A, Corollary 23, Eq. 14.

    Parameters
    ----------
    theta : array_like
        Angles in [0, π].
    dim : int
    kappa : float

    Returns
    -------
    float or ndarray
        F_{m,a}(θ)/F_{m,a}(π), m = n - 2, a = -κ, with the products of the sum taken as they are, not as
        logarithms: F_m = [e^{aθ} sin^{m-1}θ (a sin θ - m cos θ) + m (m-1) F_{m-2}]/(a² + m²), and
        F_0 = (e^{aθ} - 1)/a, F_1 = [e^{aθ}(a sin θ - cos θ) + 1]/(a² + 1).

    Notes
    -----
    The *absolute* error is at most 1e-15 for n ≤ 5, 1e-13 for n ≤ 1000 and 1e-12 at n = 10 000. The
    *relative* error of the CDF left of the mode, and of 1 - CDF right of it, is unbounded, as F is a
    difference of numbers near F(π): about 1e-4 at the 1e-12 quantile, no digit and often not the sign at the
    1e-20 quantile. F_m(π) leaves the normal doubles (2e-308) at n = 336 for κ = 1e3, n = 68 for κ = 1e6, and
    n = 48 for κ = 6e7; soon after it is 0 and the result nan. (Written with m! and the product of the
    a² + j² apart, m! overflows at n = 173, whatever κ.)

    Examples
    --------
    >>> from dirpriv.laws import Purkayastha, published
    >>> abs(float(published.closed_form_cdf(1.0, 10, 2.0)) - Purkayastha(10, 2.0).angle_cdf(1.0)) < 1e-15
    True
    >>> float(published.closed_form_cdf(0.5, 500, 1000.0))
    nan
    """
    n, kappa = _validate.dimension(dim), _validate.concentration(kappa)
    theta = np.asarray(theta, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (_finite_sum(theta, n, kappa) / _whole_sum(n, kappa))[()]


def bisection_rvs(dim, kappa, size, *, iterations=50, tolerance=None, rng=None):
    """Draws of the angle of the Purkayastha law by bisection: paper A, Algorithm 1.

    Parameters
    ----------
    dim : int
    kappa : float
    size : int
    iterations : int
        M: halvings of [0, π]. 50 bring the interval to 3e-15 rad.
    tolerance : float, optional
        δ: a draw is done once its CDF is this near to the uniform number.
    rng : None, int, SeedSequence, BitGenerator or Generator, keyword-only

    Returns
    -------
    ndarray, shape (size,)
        Right in distribution; O(n M) a draw.

    Raises
    ------
    ValueError
        If the sum underflows, see :func:`closed_form_cdf`: every comparison would be with nan. Or if
        ``iterations`` is not a positive integer.

    Examples
    --------
    >>> from dirpriv.laws import published
    >>> published.bisection_rvs(10, 1.0, 3, rng=1).shape
    (3,)
    """
    n, kappa = _validate.dimension(dim), _validate.concentration(kappa)
    iterations = _validate.integer("iterations", iterations, 1)
    whole = _whole_sum(n, kappa)
    if whole < np.finfo(float).tiny:
        raise ValueError(
            f"the finite sum of Eq. 14 underflows to {whole} at dim = {n}, kappa = {kappa!r}: Algorithm 1 "
            "cannot be run there in double precision; use dirpriv.laws.Purkayastha(dim, kappa).angle_rvs"
        )
    u = _validate.generator(rng).random(_validate.shape("size", size))
    theta = np.empty_like(u)
    flat_u, flat_theta = u.reshape(-1), theta.reshape(-1)
    for start in range(0, u.size, _CACHED):
        part = slice(start, start + _CACHED)
        flat_theta[part] = _bisect(flat_u[part], n, kappa, whole, iterations, tolerance)
    return theta


def _bisect(u, n, kappa, whole, iterations, tolerance):
    low, high = np.zeros_like(u), np.full_like(u, np.pi)
    theta = np.empty_like(u)
    todo = np.arange(u.size)
    for _ in range(iterations):
        middle = (low + high) / 2.0
        theta[todo] = middle
        y = _finite_sum(middle, n, kappa) / whole
        low, high = np.where(y < u, middle, low), np.where(y > u, middle, high)
        if tolerance is not None:
            left = np.abs(y - u) > tolerance
            todo, u, low, high = todo[left], u[left], low[left], high[left]
            if todo.size == 0:
                break
    return theta


def _finite_sum(theta, n, kappa):
    """F_m(θ) = ∫₀^θ sin^m t exp(-κt) dt, m = n - 2, as the recurrence of Eq. 14."""
    sine, cosine, decay = np.sin(theta), np.cos(theta), np.exp(-kappa * theta)
    m = n % 2
    if m == 0:
        total = -np.expm1(-kappa * theta) / kappa if kappa else theta
        power = decay * sine  # e^{aθ} sin^{m+1} θ
    else:
        total = (1.0 - decay * (kappa * sine + cosine)) / (kappa * kappa + 1.0)
        power = decay * sine * sine
    square, pull = sine * sine, kappa * sine
    while m < n - 2:
        m += 2
        total = (m * (m - 1.0) * total - power * (pull + m * cosine)) / (kappa * kappa + m * m)
        power = power * square
    return total


def _whole_sum(n, kappa):
    """F_m(π), where all powers of the sine vanish."""
    m = n % 2
    growth = np.exp(-kappa * np.pi)
    if m == 0:
        total = -np.expm1(-kappa * np.pi) / kappa if kappa else np.pi
    else:
        total = (1.0 + growth) / (kappa * kappa + 1.0)
    while m < n - 2:
        m += 2
        total *= m * (m - 1.0) / (kappa * kappa + m * m)
    return float(total)


# ---------------------------------------------------------------------- wrapped Laplace


def wrapped_laplace_pdf(angle, kappa):
    """Density of the wrapped Laplace law on the circle: paper A, Eq. 15.

    Parameters
    ----------
    angle : array_like
        Radians in [0, 2π), from the mode and in one direction.
    kappa : float
        Concentration above 0.

    Returns
    -------
    float or ndarray
        (κ/2) (e^{-κθ}/(1 - e^{-2πκ}) + e^{κθ}/(e^{2πκ} - 1)).

    Notes
    -----
    Relative error at most 1e-13 for 1e-4 ≤ κ ≤ 112. At κ = 1e-6 the differences from 1 have lost five digits
    (1e-11), at κ = 0 it is nan. From κ = 113 on e^{2πκ} overflows: the second term, half of the density at θ
    = π, is lost, and where e^{κθ} overflows too the result is nan.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.laws import published
    >>> float(published.wrapped_laplace_pdf(np.pi, 1.0).round(6))
    0.043295
    """
    angle = np.asarray(angle, dtype=float)
    with np.errstate(all="ignore"):
        straight = np.exp(-kappa * angle) / (1.0 - np.exp(-2.0 * np.pi * kappa))
        around = np.exp(kappa * angle) / (np.exp(2.0 * np.pi * kappa) - 1.0)
        return (kappa / 2.0 * (straight + around))[()]


def wrapped_laplace_angle_pdf(theta, kappa):
    """Density of the angle of the wrapped Laplace law: paper A, Eq. 16, twice Eq. 15 on [0, π).

    Parameters
    ----------
    theta : array_like
        Radians in [0, π).
    kappa : float
        Concentration above 0.

    Returns
    -------
    float or ndarray
        With the limits of :func:`wrapped_laplace_pdf`.

    Examples
    --------
    >>> from dirpriv.laws import WrappedLaplace, published
    >>> density = published.wrapped_laplace_angle_pdf(1.0, 0.6)
    >>> abs(float(density / WrappedLaplace(0.6).angle_pdf(1.0)) - 1.0) < 1e-13
    True
    """
    return 2.0 * wrapped_laplace_pdf(theta, kappa)


def wrapped_laplace_mean_angle(kappa):
    """Expected angle of the wrapped Laplace law, (1/κ) (1 - e^{-κπ})/(1 + e^{-κπ}): paper A, Eq. 17.

    Parameters
    ----------
    kappa : array_like
        Concentrations above 0.

    Returns
    -------
    float or ndarray
        Relative error at most 1e-13 from κ = 1e-3 on, 1e-10 at κ = 1e-6; nan at κ = 0.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.laws import published
    >>> float(published.wrapped_laplace_mean_angle(1 / np.pi).round(4))
    1.4518
    """
    kappa = np.asarray(kappa, dtype=float)
    fall = np.exp(-kappa * np.pi)
    with np.errstate(invalid="ignore", divide="ignore"):
        return ((1.0 - fall) / (1.0 + fall) / kappa)[()]


# ---------------------------------------------------------------------- vector-valued noise


def exponential_radius_rvs(dim, kappa, size, *, rng=None):
    """Noise vectors with an exponential radius: the *wrong* sampler that the note warns of.

    "Generating vector-valued noise for differential privacy" (the seeds' note): reading the density
    exp(-κ ‖z‖) as "the norm is exponential" forgets the r^(d-1) of the change of variables.

    Parameters
    ----------
    dim : int
        d.
    kappa : float
        Rate κ of the radius.
    size : int
    rng : None, int, SeedSequence, BitGenerator or Generator, keyword-only

    Returns
    -------
    ndarray, shape (size, dim)
        Around the origin. The density is κ e^{-κr}/r^(d-1) up to a constant: unbounded at the origin, and its
        logarithm has the slope κ + (d - 1)/r, so for d ≥ 2 it is not private at any level. The mean radius is
        1/κ in the place of d/κ. For d = 1 it is right.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.laws import VectorLaplace, published
    >>> z = published.exponential_radius_rvs(10, 1.0, 2000, rng=1)
    >>> float(np.linalg.norm(z, axis=1).mean().round(1)), VectorLaplace(10, 1.0).mean_radius()
    (1.0, 10.0)
    """
    kappa = _validate.positive("kappa", kappa)
    rng = _validate.generator(rng)
    normals = rng.standard_normal((*_validate.shape("size", size), dim))
    radius = rng.standard_exponential(normals.shape[:-1]) / kappa
    return normals * (radius / np.linalg.norm(normals, axis=-1))[..., None]
