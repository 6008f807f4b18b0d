"""The papers' own formulas for directions, by name.

Kept to reproduce the papers and to compare with; the distributions of this package compute the same quantities to the
last digits for every dimension and concentration. "Paper A" is Weggenmann and Kerschbaum, "Differential
Privacy for Directional Data", CCS 2021. Each form is written with care: what can be scaled or reordered so
that it keeps its digits, is. Each docstring says where its form is right in double precision and what comes
out beyond; the errors are against the distributions, which were checked with 30 to 120 digits.

No function here warns when it overflows: a form that has failed gives nan, inf or a number that is no
probability, as described, and nothing is corrected silently. Angles are in radians, ``dim`` is the length of
the vectors, ``kappa`` the concentration κ, and ``size`` the number of draws. ``rng`` is what
:func:`numpy.random.default_rng` takes; ``None`` takes entropy from the operating system.
"""

import numpy as np
from scipy import special

_CACHED = 4096  # draws that are bisected at a time: the loop over the sum's terms runs in the cache
_LOG_2 = (0.6931471824645996, -1.904654299957767e-09)  # their sum; a multiple of the first is exact


# ---------------------------------------------------------------------- von Mises-Fisher


def subsphere_area(dim):
    """Area S_{n-2} of the unit sphere in R^(n-1): 2π^a / Γ(a), a = (n - 1)/2 (paper A, Fact 6)."""
    half = 0.5 * (dim - 1)
    return float(2.0 * np.pi**half / special.gamma(half))


def von_mises_fisher_constant(dim, kappa):
    """The constant of exp(κt), κ^ν/((2π)^(ν+1) I_ν(κ)), ν = n/2 - 1: the SO(3) paper, Eqs. 7 and 8."""
    order = dim / 2.0 - 1.0
    return float(kappa**order / (2.0 * np.pi) ** (dim / 2.0) / special.iv(order, kappa))


def expected_chord(dim, kappa):
    """Expected chord of the von Mises-Fisher distribution: paper A, Eq. 6.

    2 B(a, a+½) M(a, 2a+½, 2κ) / (B(a, a) M(a, 2a, 2κ)), a = (n - 1)/2, with Kummer's transformation
    M(a, b, z) = e^z M(b - a, b, -z) in both places: as printed, both M overflow above κ = 354.

    Relative error at most 3e-14 for n ≤ 50 up to κ = 1e6, 1e-12 for n ≤ 1000 up to κ = 1e3, 1e-11 at n = 10
    000 up to κ = 100. Beyond, M(a, 2a, -2κ) underflows and the result is nan: n = 500 at κ = 1e4, n = 10 000
    at 1e3.

    Examples
    --------
    >>> from dirpriv.distributions import VonMisesFisher
    >>> from study.papers import directions
    >>> abs(float(directions.expected_chord(10, 5.0) / VonMisesFisher(10, 5.0).mean_chord()) - 1.0) < 1e-14
    True
    """
    a, kappa = (dim - 1) / 2.0, np.asarray(kappa, dtype=float)
    with np.errstate(all="ignore"):
        betas = np.exp(special.betaln(a, a + 0.5) - special.betaln(a, a))
        above = special.hyp1f1(a + 0.5, 2.0 * a + 0.5, -2.0 * kappa)
        return (2.0 * betas * above / special.hyp1f1(a, 2.0 * a, -2.0 * kappa))[()]


def humbert_cdf(theta, dim, kappa):
    """CDF of the angle of the von Mises-Fisher distribution by the Humbert series, for θ in [0, π]: paper A, Eq. 7.

    1 - P[t ≤ cos θ] with P[t ≤ T] = x^a Φ₁(a, 1-a, 1+a; x, 2κx) / (a B(a, a) M(a, 2a, 2κ)), x = (1 +
    T)/2. Φ₁ is summed over the powers of 2κx. The inner sum, over those of x, is the incomplete beta
    function: ₂F₁(p, 1-a; 1+p; x) = p x^-p B_x(p, a). All terms are then positive.

    The *absolute* error is at most 3e-15 for n ≤ 500 and κ ≤ 1e3, 2e-14 for n ≤ 10 000 and κ ≤ 1e6, and 1e-12
    at κ = 6e7. Being a difference from 1, the CDF has no *relative* precision at small angles anywhere. The
    number of terms grows with √κ: 900 at κ = 1e3, 2e5 at κ = 6e7.

    The order of the two sums matters. With the powers of x outside, ₁F₁(a+m; 1+a+m; 2κx) inside, the terms
    alternate in sign, and what they leave is about 8^-a of the largest: at κ = 10 the error is 1e-9 at n =
    15, 1e-6 at n = 25, and above 1 from n = 41 on.

    Examples
    --------
    >>> from dirpriv.distributions import VonMisesFisher
    >>> from study.papers import directions
    >>> abs(float(directions.humbert_cdf(0.5, 3, 2.0)) - VonMisesFisher(3, 2.0).angle_cdf(0.5)) < 1e-15
    True
    >>> VonMisesFisher(100, 2.0).angle_cdf(0.3) < 1e-50, float(directions.humbert_cdf(0.3, 100, 2.0)) < 1e-50
    (True, False)
    """
    a, theta = (dim - 1) / 2.0, np.asarray(theta, dtype=float)
    x, rest = np.cos(theta / 2.0) ** 2, np.sin(theta / 2.0) ** 2
    total = np.zeros_like(x)
    for j, weight in zip(*_weights_of_powers(a, kappa), strict=True):
        from_one = np.where(rest < 1e-12, 1.0 - special.betainc(a, a + j, rest), special.betaincc(a, a + j, rest))
        total += weight * np.where(x < 0.5, special.betainc(a + j, a, x), from_one)  # I_x(a+j, a)
    return (1.0 - total)[()]


def _weights_of_powers(a, kappa):
    """Powers j of 2κx in Eq. 7, and their weights (2κ)^j (a)_j/((2a)_j j!) / M(a, 2a, 2κ).

    The weights are positive and have the sum 1. They are computed from the largest to both sides and divided
    by their sum, so that nothing overflows; those below 1e-20 are left out.
    """
    half = a + 0.5 - kappa  # the largest: 2κ (a+j) = (2a+j) (j+1), j² + 2 half j = 2a (κ - 1)
    root = np.sqrt(max(half * half + 2.0 * a * (kappa - 1.0), 0.0))
    largest = 2.0 * a * (kappa - 1.0) / (root + half) if half > 0.0 else root - half
    largest = max(0, int(largest))
    width = int(9.0 * np.sqrt(largest + 1.0)) + 40
    j = np.arange(max(0, largest - width), largest + width)
    ratios = 2.0 * kappa * (a + j) / ((2.0 * a + j) * (j + 1.0))  # of the weight of j + 1 to that of j
    at = largest - int(j[0])
    falling = np.cumprod(1.0 / ratios[:at][::-1])[::-1]
    weights = np.concatenate([falling, [1.0], np.cumprod(ratios[at:-1])])
    weights = weights / weights.sum()
    return j[weights > 1e-20], weights[weights > 1e-20]


# ---------------------------------------------------------------------- Purkayastha


def expected_angle(dim, kappa):
    """Expected angle of the Purkayastha distribution as finite sums, κ above 0: paper A, Theorem 22, Eq. 13.

    n even: 1/κ - π/(e^{πκ} - 1) + Σ_{j=1}^{n/2-1} 2κ/(κ² + 4j²);
    n odd: π/(e^{πκ} + 1) + Σ_{j=0}^{(n-3)/2} 2κ/(κ² + (2j+1)²).

    Relative error at most 1e-15 for odd n ≤ 10 001 and κ from 1e-6 to 6e7. For even n the first two terms
    cancel at small κ: 1e-15 from κ = 0.1 on, 1e-13 at 1e-2, 1e-11 at 1e-3, 1e-4 at 1e-6, and nan at κ = 0.
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> from study.papers import directions
    >>> float(directions.expected_angle(2, 1 / np.pi).round(4))
    1.3133
    """
    n, kappa = dim, np.asarray(kappa, dtype=float)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        growth = np.exp(np.pi * kappa)
        if n % 2:
            first, steps = np.pi / (growth + 1.0), np.arange(1.0, n - 1.0, 2.0)
        else:
            first, steps = 1.0 / kappa - np.pi / (growth - 1.0), np.arange(2.0, n - 1.0, 2.0)
    terms = 2.0 * kappa[..., None] / (kappa[..., None] ** 2 + steps**2)
    return (first + terms.sum(axis=-1))[()]


def closed_form_cdf(theta, dim, kappa):
    """CDF of the angle of the Purkayastha distribution as a finite sum, θ in [0, π]: paper A, Corollary 23, Eq. 14.

    F_{m,a}(θ)/F_{m,a}(π), m = n - 2, a = -κ, with F_m = [e^{aθ} sin^{m-1}θ (a sin θ - m cos θ) + m (m-1)
    F_{m-2}]/(a² + m²), F_0 = (e^{aθ} - 1)/a, and F_1 = [e^{aθ}(a sin θ - cos θ) + 1]/(a² + 1).

    Each step of the recurrence is divided by its F_m(π), and the power of the sine carries an exponent of its
    own, so that nothing under- or overflows. (As printed, with F_m(θ) and F_m(π) apart, F_m(π) is below the
    normal doubles from n = 336 on at κ = 1e3 and n = 48 at κ = 6e7; and m! overflows at n = 173.)

    The *absolute* error is at most 5e-14 for n ≤ 500, and 2e-12 for n ≤ 10 000, for κ up to 6e7. The
    *relative* error of the CDF left of the mode, and of 1 - CDF right of it, is unbounded, as the CDF is a
    difference of numbers near 1: about 1e-4 at the 1e-12 quantile, no digit and often not the sign at the
    1e-20 quantile. O(n).

    Examples
    --------
    >>> from dirpriv.distributions import Purkayastha
    >>> from study.papers import directions
    >>> abs(float(directions.closed_form_cdf(0.46, 500, 1e3)) - Purkayastha(500, 1e3).angle_cdf(0.46)) < 1e-13
    True
    >>> Purkayastha(500, 1e3).angle_cdf(0.2) < 1e-60 < abs(float(directions.closed_form_cdf(0.2, 500, 1e3)))
    True
    """
    # R_m = F_m(θ)/F_m(π) = R_{m-2} - w_m (κ sin θ + m cos θ), w_{m+2}/w_m = sin²θ (κ² + m²)/((m+1)(m+2)). The weight
    # w_m starts from e^{-κθ}; it is a number near 1 times a power of two that is kept apart.
    theta = np.asarray(theta, dtype=float)
    sine, cosine, square = np.sin(theta), np.cos(theta), np.sin(theta) ** 2
    if dim % 2 == 0:
        whole = -np.expm1(-kappa * np.pi) / kappa if kappa else np.pi  # F_0(π)
        total = (-np.expm1(-kappa * theta) / kappa if kappa else theta) / whole
        first = sine / (2.0 * whole)
    else:
        whole = 1.0 + np.exp(-kappa * np.pi)  # F_1(π) (κ² + 1)
        total = (1.0 - np.exp(-kappa * theta) * (kappa * sine + cosine)) / whole
        first = square * ((kappa * kappa + 1.0) / (6.0 * whole))
    twos = np.rint(kappa * theta / -np.log(2.0))
    weight = first * np.exp((-kappa * theta - twos * _LOG_2[0]) - twos * _LOG_2[1])
    scale, pull, growth = np.ldexp(1.0, twos.astype(int)), kappa * sine, 1.0
    for m in range(2 + dim % 2, dim - 1, 2):
        total = total - weight * scale * (pull + m * cosine)
        ratio = (kappa * kappa + m * m) / ((m + 1.0) * (m + 2.0))
        weight = weight * square * ratio
        growth *= max(ratio, 1.0)
        if growth > 1e200:
            weight, moved = np.frexp(weight)
            twos, growth = twos + moved, 1.0
            scale = np.ldexp(1.0, twos.astype(int))
    return total[()]


def bisection_rvs(dim, kappa, size, *, iterations=50, rng=None):
    """Draws of the angle of the Purkayastha distribution by bisection: paper A, Algorithm 1.

    Right in distribution, with the CDF of :func:`closed_form_cdf`; O(n M) a draw. The M ``iterations`` halve
    [0, π]: 50 bring the interval to 3e-15 rad. No draw ends earlier, whatever the listing's tolerance δ would allow.

    Examples
    --------
    >>> from study.papers import directions
    >>> directions.bisection_rvs(10, 1.0, 3, rng=1).shape
    (3,)
    """
    u = np.random.default_rng(rng).random(size)
    theta = np.empty_like(u)
    flat_u, flat_theta = u.reshape(-1), theta.reshape(-1)
    for start in range(0, u.size, _CACHED):
        part = slice(start, start + _CACHED)
        flat_theta[part] = bisected(lambda angles: closed_form_cdf(angles, dim, kappa), flat_u[part], iterations)
    return theta


def bisected(cdf, u, iterations):
    """The angles at which a CDF has the values u, by halvings of [0, π]: the loop of Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> from study.papers import directions
    >>> directions.bisected(lambda theta: theta / np.pi, np.array([0.75]), 2) / np.pi
    array([0.75])
    """
    low, high = np.zeros_like(u), np.full_like(u, np.pi)
    for _ in range(iterations):
        theta = (low + high) / 2.0
        y = cdf(theta)
        low, high = np.where(y < u, theta, low), np.where(y > u, theta, high)
    return theta


# ---------------------------------------------------------------------- wrapped Laplace


def wrapped_laplace_pdf(angle, kappa):
    """Density of the wrapped Laplace distribution on the circle: paper A, Eq. 15.

    (κ/2) (e^{-κθ}/(1 - e^{-2πκ}) + e^{κθ}/(e^{2πκ} - 1)).

    Relative error at most 1e-13 for 1e-4 ≤ κ ≤ 112. At κ = 1e-6 the differences from 1 have lost five digits
    (1e-11), at κ = 0 it is nan. From κ = 113 on e^{2πκ} overflows: the second term, half of the density at θ
    = π, is lost, and where e^{κθ} overflows too the result is nan. The angle, in [0, 2π), is from the mode
    and in one direction.

    Examples
    --------
    >>> import numpy as np
    >>> from study.papers import directions
    >>> float(directions.wrapped_laplace_pdf(np.pi, 1.0).round(6))
    0.043295
    """
    angle = np.asarray(angle, dtype=float)
    with np.errstate(all="ignore"):
        straight = np.exp(-kappa * angle) / (1.0 - np.exp(-2.0 * np.pi * kappa))
        around = np.exp(kappa * angle) / (np.exp(2.0 * np.pi * kappa) - 1.0)
        return (kappa / 2.0 * (straight + around))[()]


def wrapped_laplace_angle_pdf(theta, kappa):
    """Density of the angle of the wrapped Laplace distribution: paper A, Eq. 16, twice Eq. 15 on [0, π).

    With the limits of :func:`wrapped_laplace_pdf`.

    Examples
    --------
    >>> from dirpriv.distributions import WrappedLaplace
    >>> from study.papers import directions
    >>> density = directions.wrapped_laplace_angle_pdf(1.0, 0.6)
    >>> abs(float(density / WrappedLaplace(0.6).angle_pdf(1.0)) - 1.0) < 1e-13
    True
    """
    return 2.0 * wrapped_laplace_pdf(theta, kappa)


# ---------------------------------------------------------------------- vector-valued noise


def exponential_radius_rvs(dim, kappa, size, *, rng=None):
    """Noise vectors with an exponential radius: the *wrong* sampler that the note warns of.

    "Generating vector-valued noise for differential privacy" (the seeds' note): reading the density
    exp(-κ ‖z‖) as "the norm is exponential" forgets the r^(d-1) of the change of variables.

    Around the origin the density is κ e^{-κr}/r^(d-1) up to a constant: unbounded at the origin, and its
    logarithm has the slope κ + (d - 1)/r, so for d ≥ 2 it is not private at any level. The mean radius is
    1/κ, the inverse of the rate, instead of d/κ. For d = 1 it is right.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.distributions import VectorLaplace
    >>> from study.papers import directions
    >>> z = directions.exponential_radius_rvs(10, 1.0, 2000, rng=1)
    >>> float(np.linalg.norm(z, axis=1).mean().round(1)), VectorLaplace(10, 1.0).mean_radius()
    (1.0, 10.0)
    """
    rng = np.random.default_rng(rng)
    normals = rng.standard_normal((*np.broadcast_shapes(size), dim))
    radius = rng.standard_exponential(normals.shape[:-1]) / kappa
    return normals * (radius / np.linalg.norm(normals, axis=-1))[..., None]


# ---------------------------------------------------------------------- the note: noise in R^d


def erlang_cdf(radii, dim):
    """CDF of the sum of d exponential variables of the rate 1, 1 - Σ_{k<d} R^k e^{-R}/k!, at these radii."""
    k, r = np.arange(dim), np.asarray(radii)[:, None]
    return 1.0 - np.exp(special.xlogy(k, r) - r - special.gammaln(k + 1.0)).sum(axis=1)


def log_jacobian(r, phi):
    """Logarithm of the Jacobian of spherical coordinates, r^{d-1} sin^{d-2} φ₁ … sin φ_{d-2}."""
    return float(len(phi) * np.log(r) + np.sum(np.arange(len(phi))[::-1] * np.log(np.sin(phi))))
