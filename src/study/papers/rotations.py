"""The SO(3) paper's own formulas for rotations, by name.

Hildebrandt, Schömer and Hildebrandt, "Metric Differential Privacy on the Special Orthogonal Group SO(3)",
2025. Kept to reproduce the paper's figures and to compare with; the distributions of this package draw the same noise
exactly at every ε. No mechanism uses anything of this module.

Angles and radii are in radians, of rotations in [0, π], and ``epsilon`` is ε per radian. ``size`` is the
number of draws. ``rng`` is what :func:`numpy.random.default_rng` takes; ``None`` takes entropy from the
operating system.
``cap`` is the number of proposals after which the last one is returned although it was rejected. The paper
names none, but "highly skewed sampling results"; without a cap, rejection is slow and not skewed. ``beyond``
says what becomes of gamma angles above π, which the paper does not: see :func:`gamma_angle_rvs`.

Its sampler (Section 3.3) draws a uniform axis, right, and an angle: for ε < 3.5 a "Haar" proposal θ =
2 arccos √(1 - u), accepted with probability exp(-εθ); from there on Gamma(3, rate ε). Three densities are
in one paragraph: the display says that θ should be ∝ sin(θ/2), the text that the proposal is ∝ sin²(θ/2),
which would be Haar measure, and the formula gives ½ sin θ. So what is targeted is sin θ exp(-εθ), the distribution of
the angle of Purkayastha noise on the *sphere*: relative to Haar measure the kernel is cot(θ/2) exp(-εθ),
unbounded at 0 and zero at π, and not private at any level.
"""

import numpy as np
import scipy  # which imports its submodules where they are first used
from scipy.special import gammainc, gammaincc

from dirpriv.distributions import Purkayastha, RotationLaplace, RotationUniform

THRESHOLD = 3.5  # t_ε of Section 3.3


# ---------------------------------------------------------------------- the sampler as printed


def printed_haar_rvs(size, *, rng=None):
    """Draws of the paper's "Haar" angle, 2 arccos √(1 - u), with the density ½ sin θ and the mean π/2."""
    u = np.random.default_rng(rng).random(size)
    return 2.0 * np.arccos(np.sqrt(1.0 - u))


def printed_angle_rvs(epsilon, size, *, threshold=THRESHOLD, cap=None, beyond="reject", rng=None):
    """Draws of the angle by the paper's sampler: the printed proposal below the threshold, Gamma(3) above.

    The threshold is t_ε; ``inf`` is the rejection scheme at every ε, the "inefficient sampler" of Figure 2.
    Gamma angles above π are rejected by default: the reading by which the sampler keeps its level.

    Examples
    --------
    >>> from dirpriv.distributions import RotationLaplace
    >>> from study.papers import rotations
    >>> angles = rotations.printed_angle_rvs(1.0, 50_000, rng=1)
    >>> round(float(angles.mean()), 1), round(RotationLaplace(1.0).mean_angle(), 1)
    (1.1, 1.7)
    """
    if epsilon >= threshold:
        return gamma_angle_rvs(epsilon, size, beyond=beyond, rng=rng)
    return _rejected(epsilon, size, cap, lambda count, rng: printed_haar_rvs(count, rng=rng), rng)


def printed_log_kernel(theta, epsilon):
    """Log-density of the printed rejection scheme with respect to Haar measure, log cot(θ/2) - εθ.

    Up to a constant. Its slope is -ε - 1/sin θ: steeper than -ε - 1 everywhere, without bound at both
    ends.
    """
    theta = np.asarray(theta, dtype=float)
    return (-np.log(np.tan(0.5 * theta)) - epsilon * theta)[()]


def printed_angle_cdf(theta, epsilon, *, cap=None):
    """CDF of the angle that the printed rejection scheme targets, with the density ∝ sin θ exp(-εθ).

    The density is (1 + ε²) sin θ exp(-εθ)/(1 + exp(-πε)) without a cap. With one, it is mixed with the proposal
    ½ sin θ, which :func:`printed_angle_rvs` then draws from. Relative to Haar measure its logarithm has the slope
    -ε - 1/sin θ: steeper than -ε - 1 everywhere, without bound at both ends.
    """
    late = _late_share(printed_acceptance(epsilon), cap)
    half = np.sin(0.5 * np.asarray(theta, dtype=float))
    return ((1.0 - late) * Purkayastha(3, epsilon).angle_cdf(theta) + late * half**2)[()]


def printed_mean_angle(epsilon, *, cap=None):
    """Mean angle of the printed rejection scheme: 2ε/(1 + ε²) + π/(exp(πε) + 1) rad without a cap.

    Examples
    --------
    >>> from study.papers import rotations
    >>> round(rotations.printed_mean_angle(1.0), 4)
    1.1301
    >>> round(rotations.printed_mean_angle(8.0), 3), round(rotations.printed_mean_angle(8.0, cap=100), 3)
    (0.246, 0.863)
    """
    late = _late_share(printed_acceptance(epsilon), cap)
    return (1.0 - late) * Purkayastha(3, epsilon).mean_angle() + late * 0.5 * np.pi


def printed_acceptance(epsilon):
    """Share of the printed proposals that is accepted, ½ (1 + exp(-πε))/(1 + ε²)."""
    return float(0.5 * (1.0 + np.exp(-np.pi * epsilon)) / (1.0 + epsilon**2))


def rejection_angle_rvs(epsilon, size, *, cap=None, rng=None):
    """Draws of the angle by the paper's rejection scheme with the proposal it means: Haar measure.

    Exact without a cap, and slow: 2ε(1 + ε²)π/2 proposals a draw where ε is large, 1634 at ε = 8.
    """
    return _rejected(epsilon, size, cap, _haar_rvs, rng)


def _haar_rvs(count, rng):
    """Draws of the angle of uniform rotations: of an angle and its mirror image, one by its weight."""
    theta = np.pi * rng.random(count)
    return np.where(rng.random(count) < np.sin(0.5 * theta) ** 2, theta, np.pi - theta)


def _rejected(epsilon, size, cap, propose, rng):
    rng = np.random.default_rng(rng)
    out = np.empty(size)
    flat, todo, proposed = out.reshape(-1), np.arange(out.size), 0
    while todo.size:
        flat[todo] = propose(todo.size, rng)
        proposed += 1
        if proposed == cap:
            break
        todo = todo[rng.random(todo.size) >= np.exp(-epsilon * flat[todo])]
    return out


def _late_share(acceptance, cap):
    """Share of the draws that were not accepted before the last proposal under the cap."""
    return 0.0 if cap is None else (1.0 - acceptance) ** (cap - 1)


# ---------------------------------------------------------------------- the gamma approximation


def gamma_angle_rvs(epsilon, size, *, beyond="reject", rng=None):
    """Draws of Gamma(3, rate ε), the paper's approximation of the angle for ε > 3.5 (Section 3.3).

    Angles above π are drawn again (``"reject"``); taken as the rotation that they are, by min(θ mod 2π,
    2π - θ mod 2π) (``"wrap"``). Rejecting keeps the draws ε-private for ε ≥ 1/π:
    the log kernel 2 log((θ/2)/sin(θ/2)) - εθ falls by at most ε a radian, and rises by at most 2/π - ε.
    Wrapping and clipping do not: wrapped density is unbounded at the mode, relative to Haar measure, and
    clipped mass sits in half turns.
    """
    rng = np.random.default_rng(rng)
    theta = rng.standard_gamma(3.0, size) / epsilon
    if beyond == "wrap":
        turned = np.fmod(theta, 2.0 * np.pi)
        return np.minimum(turned, 2.0 * np.pi - turned)
    flat = theta.reshape(-1)
    todo = np.flatnonzero(flat > np.pi)
    while todo.size:
        flat[todo] = rng.standard_gamma(3.0, todo.size) / epsilon
        todo = todo[flat[todo] > np.pi]
    return theta


def gamma_angle_cdf(theta, epsilon, *, beyond="reject"):
    """CDF of :func:`gamma_angle_rvs` on [0, π), and 1 at π."""
    theta = np.asarray(theta, dtype=float)
    if beyond == "reject":
        value = gammainc(3.0, epsilon * theta) / gammainc(3.0, epsilon * np.pi)
    else:
        turn = 2.0 * np.pi
        value = np.zeros_like(theta)
        for k in range(int(60.0 / (epsilon * turn)) + 1):  # beyond 60/ε nothing is left
            start, end = k * turn, (k + 1) * turn
            value += gammainc(3.0, epsilon * (start + theta)) - gammainc(3.0, epsilon * start)
            value += gammainc(3.0, epsilon * end) - gammainc(3.0, epsilon * (end - theta))
    return np.where(theta >= np.pi, 1.0, value)[()]


def gamma_level(epsilon):
    """Level per radian of rotations by angles of :func:`gamma_angle_rvs`, those above π rejected.

    The slope of the log kernel is 2/θ - cot(θ/2) - ε, from -ε at 0 to 2/π - ε at π.

    Examples
    --------
    >>> from study.papers import rotations
    >>> rotations.gamma_level(3.5)
    3.5
    """
    return max(epsilon, 2.0 / np.pi - epsilon)


def gamma_share_beyond(angle, epsilon):
    """Share of the angles of Gamma(3, rate ε) that exceed an angle in radians.

    Examples
    --------
    >>> import numpy as np
    >>> from study.papers import rotations
    >>> f"{rotations.gamma_share_beyond(np.pi, 3.5):.1e}", f"{rotations.gamma_share_beyond(2.0 * np.pi, 3.5):.1e}"
    ('1.2e-03', '7.5e-08')
    """
    return float(gammaincc(3.0, epsilon * angle))


def wrapped_gamma_too_steep(epsilon):
    """Share of the outputs at which the log-density of wrapped gamma angles falls by more than ε per radian.

    They are the angles near 0, the true rotation, to which angles near 2π come back.

    Examples
    --------
    >>> from study.papers import rotations
    >>> f"{rotations.wrapped_gamma_too_steep(3.5):.1e}"
    '8.1e-05'
    """
    signs = np.array([-1.0, 1.0])

    def excess(log_theta):
        # the slope plus ε: 2/θ - cot(θ/2), that without wrapping, and what the angles 2π ∓ θ add, by their weights
        theta = np.exp(log_theta)
        lengths = 2.0 * np.pi + signs * theta
        weights = lengths**2 * np.exp(-epsilon * (lengths - theta))
        weights /= theta**2 + weights.sum()
        alone = theta / 6.0 if theta < 1e-3 else 2.0 / theta - 1.0 / np.tan(0.5 * theta)
        return float(alone + weights @ (signs * (2.0 / lengths - epsilon) + epsilon - 2.0 / theta))

    border = np.exp(scipy.optimize.brentq(excess, -2.0 * epsilon - 20.0, 0.0, xtol=1e-12))
    near, far = gammainc(3.0, epsilon * border), gammaincc(3.0, epsilon * (2.0 * np.pi + signs * border))
    return float(near + far[0] - far[1])


# ---------------------------------------------------------------------- Kent et al.'s Bingham sampler


def kent_b(eigenvalues):
    """The b of Appendix D, Σ 1/(b + 2λᵢ) = 1, that makes Kent et al.'s envelope tightest; in [1, q].

    The smallest of the q eigenvalues λ is 0.

    Examples
    --------
    >>> from study.papers import rotations
    >>> rotations.kent_b([0.0, 0.0, 0.0, 0.0])
    4.0
    """
    double = 2.0 * np.asarray(eigenvalues, dtype=float)
    b = 1.0  # Newton rises monotonically from the left, as the sum is convex and falls
    for _ in range(100):
        step = (np.sum(1.0 / (b + double)) - 1.0) / np.sum(1.0 / (b + double) ** 2)
        b += step
        if step <= 1e-15 * b:
            break
    return float(b)


def bingham_rvs(matrix, size, *, rng=None):
    """Draws of a general Bingham distribution on a sphere by Kent, Ganeiber and Mardia's rejection (Appendix D).

    Unit vectors; a vector and its negative are equally likely. ``Rotation.from_quat`` takes them. The matrix
    is the symmetric A of the density exp(-xᵀAx), q × q. For rotations q = 4 and x is a versor with its scalar
    part last, as in the paper and in SciPy. ε (I - μμᵀ) is the Bingham mechanism's, around the versor μ.

    Examples
    --------
    >>> import numpy as np
    >>> from study.papers import rotations
    >>> x = rotations.bingham_rvs(np.diag([100.0, 50.0, 10.0, 0.0]), 1000, rng=1)
    >>> np.square(x).mean(axis=0).argmax()
    np.int64(3)
    """
    matrix = np.asarray(matrix, dtype=float)
    rng = np.random.default_rng(rng)
    values, axes = np.linalg.eigh(matrix)
    values = values - values[0]  # adding a multiple of the identity changes nothing (Eq. 16)
    q, b = values.size, kent_b(values)
    deviations = 1.0 / np.sqrt(1.0 + 2.0 * values / b)  # of the normal distribution with the precision Ω(b)
    log_bound = 0.5 * (b - q) + 0.5 * q * np.log(q / b)
    out, todo = np.empty((size, q)), np.arange(size)
    while todo.size:
        y = rng.standard_normal((todo.size, q)) * deviations
        y /= np.linalg.norm(y, axis=1, keepdims=True)
        energy = np.square(y) @ values
        log_ratio = 0.5 * q * np.log1p(2.0 * energy / b) - energy - log_bound
        accepted = rng.standard_exponential(todo.size) >= -log_ratio
        out[todo[accepted]] = y[accepted]
        todo = todo[~accepted]
    return out @ axes.T


def kent_bound(epsilon, angles):
    """Both sides of the bound of Appendix D, log M* g* and log f*, for the isotropic Bingham distribution.

    At angles θ from the mode, where xᵀAx = ε sin²(θ/2). The first, the envelope, is the larger one.

    Examples
    --------
    >>> import numpy as np
    >>> from study.papers import rotations
    >>> envelope, density = rotations.kent_bound(2.0, np.linspace(0.0, np.pi, 5))
    >>> bool((envelope >= density).all())
    True
    """
    q, b = 4.0, kent_b([epsilon, epsilon, epsilon, 0.0])
    energy = epsilon * np.sin(0.5 * np.asarray(angles, dtype=float)) ** 2
    log_m = -0.5 * (q - b) + 0.5 * q * np.log(q / b)
    return log_m - 0.5 * q * np.log1p(2.0 * energy / b), -energy


# ---------------------------------------------------------------------- radius of indistinguishability


def epsilon_of_radius(radius, share):
    """The ε at which rotation Laplace has a radius of indistinguishability (Definition 4).

    ``share`` of the draws is within the radius. That of uniform noise and larger ones are refused: no ε is
    small enough for them.

    Examples
    --------
    >>> from dirpriv.distributions import RotationLaplace
    >>> from study.papers import rotations
    >>> epsilon = rotations.epsilon_of_radius(0.5, 0.683)
    >>> round(float(RotationLaplace(epsilon).radius(0.683)), 9)
    0.5
    """
    largest = float(RotationUniform().radius(share))
    if not 0.0 < radius < largest:
        raise ValueError(
            f"no ε has the radius of {np.rad2deg(radius):g}° at the level {share:g}: uniform noise has "
            f"{np.rad2deg(largest):.4g}°; give a radius above 0 and below that"
        )

    def _excess(log):
        return float(np.log(RotationLaplace(float(np.exp(log))).radius(share) / radius))

    return float(np.exp(scipy.optimize.brentq(_excess, np.log(1e-9), np.log(1e9), xtol=1e-13)))


# ---------------------------------------------------------------------- quaternions and distances


def left_matrix(p):
    """The matrix P̃ of Section 2.1, with p ⊙ q = P̃ q; the real part of a quaternion is first."""
    a, b, c, d = np.moveaxis(np.asarray(p), -1, 0)
    rows = [[a, -b, -c, -d], [b, a, -d, c], [c, d, a, -b], [d, -c, b, a]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def right_matrix(q):
    """The matrix Q of Section 2.1, with p ⊙ q = Q p; the real part of a quaternion is first."""
    a, b, c, d = np.moveaxis(np.asarray(q), -1, 0)
    rows = [[a, -b, -c, -d], [b, a, d, -c], [c, -d, a, b], [d, c, -b, a]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def axis(z, psi):
    """The axis of Eqs. 17-19, a unit vector: uniform for uniform heights in [-1, 1] and angles."""
    z = np.asarray(z)
    sine = np.sqrt(1.0 - z * z)
    return np.stack([sine * np.cos(psi), sine * np.sin(psi), z], axis=-1)


def distances(first, second):
    """Every distance of Eqs. 1-4, Section 2.2 and Eq. 12, as the paper writes it.

    The distance of each pair, by the name that it has in :mod:`dirpriv.geometry.rotation_distances`.

    Examples
    --------
    >>> from scipy.spatial.transform import Rotation
    >>> from study.papers import rotations
    >>> turn = Rotation.from_rotvec([[0.0, 0.0, 1.0]])
    >>> rotations.distances(Rotation.identity(1), turn)["phi6"].round(12)
    array([1.])
    """
    p, q = first.as_quat(), second.as_quat()
    cosine = np.einsum("ni,ni->n", p, q)
    turn = np.arccos(np.clip(cosine, -1.0, 1.0))
    relative = first.as_matrix() @ second.as_matrix().swapaxes(1, 2)  # R₁ R₂ᵀ
    return {
        "phi2": np.minimum(np.linalg.norm(p - q, axis=1), np.linalg.norm(p + q, axis=1)),
        "phi3": np.minimum(turn, np.pi - turn),
        "phi4": 1.0 - np.abs(cosine),
        "phi5": np.linalg.norm(np.eye(3) - relative, axis=(1, 2)),
        "phi5_prime": 2.0 * np.sqrt(2.0 * (1.0 - np.abs(cosine) ** 2)),
        "phi6": np.linalg.norm(scipy.spatial.transform.Rotation.from_matrix(relative).as_rotvec(), axis=1),
    }
