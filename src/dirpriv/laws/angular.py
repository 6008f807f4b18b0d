"""What all rotationally symmetric laws share: everything about the angle from the mode.

A law on the unit sphere of R^n is rotationally symmetric about its mode ``mu`` when its density is
``exp(f(θ))`` up to a constant, with θ in [0, π] the angle from ``mu`` and f the *log kernel*. The angle
then has the density ``exp(h(θ))`` up to a constant with ``h(θ) = m log sin θ + f(θ)``, m = n - 2
(Weggenmann and Kerschbaum 2021, Corollary 9).

One evaluation serves every n and κ: the *local* log-density ``h(T ± u) - h(T)`` is integrated away from
T over the length in which it falls by 38 nats. Nothing in it grows with n or κ, so nothing overflows or
cancels; 24 Gauss-Legendre nodes reach 4e-13 relative, down to tails of 1e-290.
"""

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from dirpriv import _validate, geometry
from dirpriv.laws._quadrature import NODES, WEIGHTS

PI_TAIL = 1.2246467991473532e-16  # π minus the double nearest to it
_FALL = 38.0  # nats: exp(-38) = 3e-17 of the peak is below rounding
_FALL_ACCEPTED = 44.0  # a panel a little too long is as accurate
BLOCK_ROWS = 8192  # draws made at a time: their angles stay in the cache, and scratch memory is bounded


class AngularLaw(ABC):
    """Base of the rotationally symmetric laws with a continuous log kernel that falls with the angle.

    A subclass gives ``_mode_sine_cosine``, ``_log_kernel``, ``_kernel_fall``, ``_kernel_slope`` and
    ``_draw_angles``; all the public methods follow. ``dim`` and ``kappa`` are read-only by convention.

    ``kappa`` may be an array, one concentration per row: then draws can be made, and nothing else be asked.
    """

    def __init__(self, dim, kappa):
        self.dim = _validate.dimension(dim)
        self.kappa = _validate.concentration(kappa)

    def __repr__(self):
        return f"{type(self).__name__}(dim={self.dim}, kappa={self.kappa!r})"

    # ------------------------------------------------------------------ what a subclass gives

    @abstractmethod
    def _mode_sine_cosine(self):
        """Sine and cosine of the angle with the highest angle density."""

    @abstractmethod
    def _log_kernel(self, theta):
        """f(θ) - f(0)."""

    @abstractmethod
    def _kernel_fall(self, theta, rest, moved, side):
        """f(t) - f(T) for T = ``theta`` = π - ``rest`` and t = T + side * moved."""

    @abstractmethod
    def _kernel_slope(self, theta):
        """f'(θ), never positive."""

    @abstractmethod
    def _draw_angles(self, size, kappa, rng):
        """Exact draws of the angle; ``kappa`` is one number, or one for each draw."""

    # ------------------------------------------------------------------ local quadrature
    #
    # A point is written twice, as its distances ``theta`` from 0 and ``rest`` from π: each is exact where it
    # is small. ``side`` is +1 on the way to π and -1 on the way to 0.

    @cached_property
    def _mode(self):
        if np.ndim(self.kappa):
            raise ValueError(
                f"only draws can be made with one 'kappa' per row (here {np.size(self.kappa)} of them); "
                "make a law of each to ask for its density, probabilities or means"
            )
        sine, cosine = self._mode_sine_cosine()
        return float(np.arctan2(sine, cosine))

    @cached_property
    def _mode_rest(self):
        sine, cosine = self._mode_sine_cosine()
        return float(np.arctan2(sine, -cosine)) if sine > 0.0 else np.pi

    def _fall(self, theta, rest, moved, side, nearer_there=None):
        """h(t) - h(T) for t = T + side * moved.

        The logarithm of sin t / sin T is taken of the difference, not as a difference of logarithms.
        ``nearer_there`` is the distance of t from the nearer of 0 and π, where the caller knows it exactly.
        """
        fall = self._kernel_fall(theta, rest, moved, side)
        m = self.dim - 2
        if m == 0:
            return fall
        nearer = np.minimum(theta, rest)
        with np.errstate(divide="ignore", invalid="ignore"):
            cotangent = np.where(theta <= rest, 1.0, -1.0) / np.tan(nearer)
            change = side * cotangent * np.sin(moved) - 2.0 * np.sin(moved / 2.0) ** 2
            near = np.log1p(np.maximum(change, -0.5))
            if nearer_there is None:
                nearer_there = np.maximum(np.minimum(theta + side * moved, rest - side * moved), 0.0)
            far = np.log(np.sin(nearer_there) / np.sin(nearer))
        return fall + m * np.where(change >= -0.5, near, far)

    def _reach(self, theta, rest, side):
        """Length over which the angle density falls by about 38 nats from T on this side, or all of it."""
        limit = rest if side > 0 else theta
        m = self.dim - 2
        nearer = np.minimum(theta, rest)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            pull = m / np.tan(nearer) * np.where(theta <= rest, 1.0, -1.0) if m else 0.0
            slope = np.abs(pull + self._kernel_slope(theta))
            curvature = m / np.sin(nearer) ** 2 + self.kappa
            guess = 2.0 * _FALL / (slope + np.hypot(slope, np.sqrt(2.0 * _FALL * curvature)))
        low, high = np.zeros_like(limit), limit.copy()
        length = np.minimum(np.where(np.isfinite(guess), guess, limit), limit)
        todo = np.arange(limit.size)
        for _ in range(60):
            u = length[todo]
            fall = -self._fall(theta[todo], rest[todo], u, side)
            short, long = (fall < _FALL) & (u < limit[todo]), fall > _FALL_ACCEPTED
            low[todo[short]], high[todo[long]] = u[short], u[long]
            again = short | long
            todo, fall, short = todo[again], fall[again], short[again]
            if todo.size == 0:
                break
            # the fall grows between linearly and quadratically; a step that leaves the bracket is halved
            with np.errstate(divide="ignore", invalid="ignore"):
                step = length[todo] * np.clip((_FALL + 1.0) / fall, 1e-6, 1e6) ** 0.6
            whole = short & (step >= limit[todo]) & (high[todo] == limit[todo])
            inside = (step > low[todo]) & (step < high[todo])
            step = np.where(inside, step, (low[todo] + high[todo]) / 2.0)
            length[todo] = np.where(whole, limit[todo], step)
        return length

    def _integral(self, theta, rest, start, length, side, weight=None):
        """∫ exp(h(T + side u) - h(T)) weight(T + side u) du, u from start to start + length."""
        moved = np.expand_dims(start, -1) + length[..., None] * NODES
        values = np.exp(self._fall(theta[..., None], rest[..., None], moved, side))
        if weight is not None:
            values = values * weight(theta[..., None] + side * moved)
        return length * (values @ WEIGHTS)

    def _tail(self, theta, rest, side):
        """∫ exp(h(t) - h(T)) dt from T to the end on this side."""
        return self._integral(theta, rest, 0.0, self._reach(theta, rest, side), side)

    def _fall_from_mode(self, theta):
        mode, rest = self._mode, self._mode_rest
        moved = np.abs(theta - mode)
        nearer = np.minimum(theta, np.pi - theta + PI_TAIL)
        right = self._fall(mode, rest, moved, 1, nearer)
        if mode == 0.0:
            return right
        return np.where(theta > mode, right, self._fall(mode, rest, moved, -1, nearer))

    @cached_property
    def _masses(self):
        """Integrals of exp(h - h(mode)) left and right of the mode."""
        return self._weighted_masses(None)

    def _weighted_masses(self, weight):
        """The same with a weight. Made once a law, they are worth four panels: 1e-15 instead of 1e-14."""
        mode, rest = np.array([self._mode]), np.array([self._mode_rest])
        masses = []
        for side in (-1, 1):
            if side < 0 and self._mode == 0.0:
                masses.append(0.0)
                continue
            panel = self._reach(mode, rest, side) / 4.0
            parts = [self._integral(mode, rest, k * panel, panel, side, weight)[0] for k in range(4)]
            masses.append(float(np.sum(parts[::-1])))
        return tuple(masses)

    @cached_property
    def _log_angle_normalizer(self):
        """log ∫ sin^m θ exp(f(θ) - f(0)) dθ."""
        return self._log_sine_part + float(self._log_kernel(np.float64(self._mode)))

    @cached_property
    def _log_sine_part(self):
        """m log sin of the mode, and the log of the integral relative to the mode."""
        m = self.dim - 2
        sine, cosine = self._mode_sine_cosine()
        log_sine = 0.0
        if m:
            log_sine = 0.5 * np.log1p(-(cosine**2)) if cosine**2 < 0.5 else np.log(sine)
        return float(m * log_sine + np.log(sum(self._masses)))

    # ------------------------------------------------------------------ the angle

    def angle_logpdf(self, theta):
        """Log-density of the angle from the mode.

        Parameters
        ----------
        theta : array_like
            Angles in radians; outside [0, π] the log-density is -inf.

        Returns
        -------
        float or ndarray
            ``(n - 2) log sin θ + f(θ) - log Z`` (Weggenmann and Kerschbaum 2021, Corollary 9).
        """
        theta, shape = _flat(theta)
        inside = (theta >= 0.0) & (theta <= np.pi)
        out = np.full(theta.shape, -np.inf)
        out[inside] = self._fall_from_mode(theta[inside]) - np.log(sum(self._masses))
        out[np.isnan(theta)] = np.nan
        return _shaped(out, shape)

    def angle_pdf(self, theta):
        """Density of the angle from the mode, per radian; see :meth:`angle_logpdf`."""
        return np.exp(self.angle_logpdf(theta))

    def angle_cdf(self, theta):
        """Probability of an angle of at most ``theta``, to 12 digits *relative*, tails included.

        Parameters
        ----------
        theta : array_like
            Angles in radians.

        Returns
        -------
        float or ndarray
        """
        return self._probabilities(theta)[0]

    def angle_sf(self, theta):
        """Probability of an angle of more than ``theta`` (survival), to 12 digits relative."""
        return self._probabilities(theta)[1]

    def _probabilities(self, theta):
        theta, shape = _flat(theta)
        cdf = np.where(theta >= np.pi, 1.0, 0.0)
        cdf[np.isnan(theta)] = np.nan
        sf = 1.0 - cdf
        inside = np.flatnonzero((theta > 0.0) & (theta < np.pi))
        for block in np.array_split(inside, 1 + inside.size // 8192):  # bounds the scratch memory
            if block.size:
                cdf[block], sf[block] = self._split(theta[block])
        return _shaped(cdf, shape), _shaped(sf, shape)

    def _split(self, theta):
        """Probabilities below and above; the smaller of the two is integrated, not subtracted."""
        left, right = self._masses
        total = left + right
        scale = np.exp(self._fall_from_mode(theta)) / total
        rest = np.pi - theta + PI_TAIL
        below, above = np.empty_like(theta), np.empty_like(theta)
        lower = theta <= self._mode
        if lower.any():
            below[lower] = scale[lower] * self._tail(theta[lower], rest[lower], -1)
            above[lower] = 1.0 - below[lower]
        upper = np.flatnonzero(~lower)
        if upper.size:
            above[upper] = scale[upper] * self._tail(theta[upper], rest[upper], 1)
            below[upper] = 1.0 - above[upper]
            heavy = upper[above[upper] > 0.5]
            if heavy.size:
                mode, mode_rest = np.full(heavy.size, self._mode), np.full(heavy.size, self._mode_rest)
                body = self._integral(mode, mode_rest, 0.0, theta[heavy] - self._mode, 1)
                below[heavy] = (left + body) / total
        return below, above

    def angle_ppf(self, u):
        """Angle below which a share ``u`` of the draws falls: the inverse of :meth:`angle_cdf`.

        Parameters
        ----------
        u : array_like
            Probabilities; outside [0, 1] the result is nan. For the far end, where ``1 - u`` is
            smaller than 1e-16, use :meth:`angle_isf`.

        Returns
        -------
        float or ndarray
            Radians, to machine precision.
        """
        u, shape = _flat(u)
        with np.errstate(invalid="ignore"):
            return _shaped(self._quantiles(u, 1.0 - u), shape)

    def angle_isf(self, q):
        """Angle above which a share ``q`` of the draws falls: the inverse of :meth:`angle_sf`."""
        q, shape = _flat(q)
        with np.errstate(invalid="ignore"):
            return _shaped(self._quantiles(1.0 - q, q), shape)

    def _quantiles(self, u, q):
        """Angles with the probabilities u below and q = 1 - u above; nan where one is negative."""
        out = np.full(u.shape, np.nan)
        out[u == 0.0], out[q == 0.0] = 0.0, np.pi
        inside = (u > 0.0) & (q > 0.0)
        left = u <= self._masses[0] / sum(self._masses)
        for part, probability, rising, low, high in (
            (inside & left, u, True, 0.0, self._mode),
            (inside & ~left & (u < q), u, True, self._mode, np.pi),
            (inside & ~left & (u >= q), q, False, self._mode, np.pi),
        ):
            if part.any():
                out[part] = self._solve(probability[part], rising, low, high)
        return out

    def _solve(self, wanted, rising, low, high):
        """Angles at which the CDF (``rising``) or the survival function has the wanted values.

        Newton's method on the logarithm of the probability, which is nearly straight in log θ near 0, in
        log(π - θ) near π, and in θ between; kept in a bracket.
        """
        low, high = np.full(wanted.shape, low), np.full(wanted.shape, high)
        theta = (low + high) / 2.0
        from_zero = low[0] == 0.0
        todo = np.arange(wanted.size)
        for _ in range(200):
            t = theta[todo]
            value = self._split(t)[0 if rising else 1]
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                gap = np.log(value / wanted[todo])
                move = -gap * value / self.angle_pdf(t) * (1.0 if rising else -1.0)
                if rising and from_zero:
                    step = t * np.exp(move / t)
                else:
                    rest = np.pi - t + PI_TAIL
                    step = np.where(t > 0.5 * np.pi, np.pi - rest * np.exp(-move / rest) + PI_TAIL, t + move)
            beyond = (gap > 0.0) == rising
            high[todo[beyond]], low[todo[~beyond]] = t[beyond], t[~beyond]
            bottom, top = low[todo], high[todo]
            middle = np.where(
                bottom < 0.1 * top, np.sqrt(np.maximum(bottom, 1e-6 * top) * top), (bottom + top) / 2
            )
            settled = np.abs(step - t) <= 1e-13 * t  # Newton doubles the digits: this step has them all
            usable = settled | ((step > bottom) & (step < top))
            theta[todo] = np.where(usable, step, middle)
            todo = todo[~settled]
            if todo.size == 0:
                break
        return theta

    def angle_rvs(self, size=None, *, rng=None):
        """Exact draws of the angle from the mode.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; ``None`` gives one number (one for each concentration, if ``kappa`` is an
            array).
        rng : None, int or numpy.random.Generator, keyword-only
            ``None`` takes entropy from the operating system.

        Returns
        -------
        float or ndarray
            Radians in [0, π].
        """
        rng = _validate.generator(rng)
        shape = np.shape(self.kappa) if size is None else _validate.shape("size", size)
        kappa = np.broadcast_to(self.kappa, shape).ravel() if np.ndim(self.kappa) else self.kappa
        angles = self._draw_angles(int(np.prod(shape, dtype=np.int64)), kappa, rng)
        return float(angles[0]) if shape == () and size is None else angles.reshape(shape)

    # ------------------------------------------------------------------ means

    def expectation(self, function):
        """Expected value of a smooth function of the angle, by the quadrature of this module.

        Parameters
        ----------
        function : callable
            Takes an array of angles in radians, gives an array of the same shape.

        Returns
        -------
        float
        """
        return sum(self._weighted_masses(function)) / sum(self._masses)

    def mean_angle(self):
        """Expected angle E θ from the mode, in radians."""
        return self.expectation(lambda theta: theta)

    def mean_chord(self):
        """Expected straight-line distance E ‖x - μ‖ = E 2 sin(θ/2)."""
        return self.expectation(lambda theta: 2.0 * np.sin(theta / 2.0))

    def mean_cosine(self):
        """Expected cosine E cos θ: the length ρ of the mean vector.

        Integrating ``sin^(n-1) θ exp(f(θ))`` by parts gives E cos θ = E[-f'(θ) sin θ]/(n - 1), a sum of
        positive terms, which keeps its digits where κ is small and the cosine averages to almost nothing.
        """
        return self.expectation(lambda theta: -self._kernel_slope(theta) * np.sin(theta)) / (self.dim - 1)

    def mean_vector(self, mu):
        """Mean vector E x = ρ μ of draws around the unit vectors ``mu``, shape (..., dim)."""
        return self.mean_cosine() * _validate.unit_vectors("mu", mu, self.dim)

    def mean_squared_sine(self):
        """Expected squared sine E sin² θ, which sets the error of a mean direction."""
        return self.expectation(lambda theta: np.sin(theta) ** 2)

    # ------------------------------------------------------------------ the sphere

    def log_normalizer(self):
        """Logarithm of the constant that makes exp(log kernel) a density on the sphere (surface measure)."""
        return self._log_subsphere_area + self._log_sine_part + self._log_kernel_of_mode()

    @property
    def _log_subsphere_area(self):
        """Logarithm of the area of the unit sphere in R^(n-1)."""
        half = (self.dim - 1) / 2.0
        return float(np.log(2.0) + half * np.log(np.pi) - gammaln(half))

    def _log_kernel_of_mode(self):
        """f(mode), without subtracting f(0): for the von Mises-Fisher law the two can nearly cancel."""
        return float(self._log_kernel(np.float64(self._mode)))

    def logpdf(self, x, mu):
        """Log-density with respect to surface measure.

        Parameters
        ----------
        x, mu : array_like, shape (..., dim)
            Unit vectors; broadcast against each other.

        Returns
        -------
        float or ndarray

        Raises
        ------
        ValueError
            If a vector is not of unit norm or not of length ``dim``.
        """
        x = _validate.unit_vectors("x", x, self.dim)
        mu = _validate.unit_vectors("mu", mu, self.dim)
        theta = np.asarray(geometry.angular_distance(x, mu))
        value = self._log_kernel(theta) - (self._log_subsphere_area + self._log_angle_normalizer)
        return value if value.ndim else float(value)

    def pdf(self, x, mu):
        """Density with respect to surface measure; see :meth:`logpdf`."""
        return np.exp(self.logpdf(x, mu))

    def rvs(self, mu, size=None, *, rng=None, out=None):
        """Exact draws of unit vectors around ``mu``.

        Parameters
        ----------
        mu : array_like, shape (dim,) or (N, dim)
            One mode, or one mode per row.
        size : int or tuple of int, optional
            Number of draws around a single mode; ``None`` gives one vector (or one per row of ``mu``, or one
            per concentration if ``kappa`` is an array).
        rng : None, int or numpy.random.Generator, keyword-only
            ``None`` takes entropy from the operating system, as a release of real data must.
        out : ndarray of float64, optional, keyword-only
            Where to write the draws, C-contiguous and of the shape of the result. Beside it, a few megabytes
            are used, whatever its size.

        Returns
        -------
        ndarray, shape (dim,), (size, dim) or (N, dim)
            ``out``, if it was given.

        Raises
        ------
        ValueError
            If ``mu`` is not of unit norm, ``size`` is given with several modes, or ``out`` does not fit.

        See Also
        --------
        rvs_tangent : the same draws for tiny angles, which a stored unit vector cannot resolve.
        """
        mu, shape = self._modes_and_shape(mu, size)
        rng = _validate.generator(rng)
        out = _validate.output(out, (*shape, self.dim))
        rows = out.reshape(-1, self.dim)
        modes = mu if mu.ndim == 1 else np.broadcast_to(mu, out.shape).reshape(-1, self.dim)
        kappa = np.broadcast_to(self.kappa, shape).ravel() if np.ndim(self.kappa) else self.kappa
        for start in range(0, len(rows), BLOCK_ROWS):
            block = slice(start, min(start + BLOCK_ROWS, len(rows)))
            cosine, sine = self._draw_cosines(
                block.stop - start, kappa[block] if np.ndim(kappa) else kappa, rng
            )
            geometry.place(rows[block], modes if modes.ndim == 1 else modes[block], cosine, sine, rng)
        return out

    def rvs_tangent(self, mu, size=None, *, rng=None):
        """Exact draws as angles and tangent directions, x = cos θ μ + sin θ ξ.

        Storing x in double precision rounds θ by 1e-16 rad, however small it is: on Earth, by a nanometre.
        Where that matters (θ near 1e-8 and below), keep the two parts.

        Parameters
        ----------
        mu, size, rng
            As for :meth:`rvs`.

        Returns
        -------
        theta : ndarray, shape (size,) or (N,) or ()
            Angles in radians, to full relative precision.
        xi : ndarray, shape (..., dim)
            Unit vectors orthogonal to ``mu``.
        """
        mu, shape = self._modes_and_shape(mu, size)
        rng = _validate.generator(rng)
        theta = np.asarray(self.angle_rvs(shape, rng=rng))
        xi = np.empty((*shape, self.dim))
        modes = mu if mu.ndim == 1 else np.broadcast_to(mu, xi.shape).reshape(-1, self.dim)
        rows = theta.size
        geometry.place(xi.reshape(-1, self.dim), modes, np.zeros(rows), np.ones(rows), rng)
        return theta, xi

    def _modes_and_shape(self, mu, size):
        """Checked modes, and the shape of the draws without its last axis."""
        mu = _validate.unit_vectors("mu", mu, self.dim)
        if mu.ndim > 1 and size is not None:
            raise ValueError(
                f"'size' goes with a single mode; 'mu' has shape {mu.shape}: one draw is made per row"
            )
        shape = mu.shape[:-1] if size is None else _validate.shape("size", size)
        return mu, np.broadcast_shapes(shape, np.shape(self.kappa))

    def _draw_cosines(self, size, kappa, rng):
        """Cosine and sine of draws of the angle, by way of t = tan(θ/2)."""
        tangent = np.tan(0.5 * self._draw_angles(size, kappa, rng))
        square = tangent * tangent
        scale = 1.0 / (1.0 + square)
        return (1.0 - square) * scale, 2.0 * tangent * scale

    # ------------------------------------------------------------------ privacy, see dirpriv.guarantees

    @abstractmethod
    def _metric_level(self):
        """sup |f'|: the privacy lost per radian between two modes."""

    def _pure_level(self):
        """max f - min f: the privacy lost between antipodal modes, as f falls all the way."""
        return float(-self._log_kernel(np.float64(np.pi)))


def draw_by_rejection(size, share, propose, *, per_row=False):
    """Fill an array with accepted proposals.

    Parameters
    ----------
    size : int
    share : float
        About the share of proposals that is accepted; sets how many are made at a time.
    propose : callable
        ``propose(count, rows)`` gives ``count`` independent proposals and whether each is accepted. ``rows``
        are the rows they are for, or ``...`` where all rows have the same law.
    per_row : bool
        Whether the rows have laws of their own.

    Returns
    -------
    ndarray, shape (size,)
    """
    out = np.empty(size)
    if per_row:
        rows = np.arange(size)
        while rows.size:
            values, accepted = propose(rows.size, rows)
            out[rows[accepted]] = values[accepted]
            rows = rows[~accepted]
        return out
    filled = 0
    while filled < size:
        missing = size - filled
        values, accepted = propose(int((missing + 2.0 * np.sqrt(missing)) / share) + 4, ...)
        values = values[accepted][:missing]
        out[filled : filled + values.size] = values
        filled += values.size
    return out


def draw_by_case(size, kappa, cases, rng):
    """Draws whose method depends on the concentration.

    Parameters
    ----------
    size : int
    kappa : float or ndarray, shape (size,)
    cases : list of (condition, draw)
        The first condition ``condition(kappa)`` that holds chooses ``draw(size, kappa, rng)``.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (size,)
    """
    if np.ndim(kappa) == 0:
        return next(draw for condition, draw in cases if condition(kappa))(size, kappa, rng)
    out = np.empty(size)
    left = np.ones(size, dtype=bool)
    for condition, draw in cases:
        rows = np.flatnonzero(left & condition(kappa))
        if rows.size:
            out[rows] = draw(rows.size, kappa[rows], rng)
            left[rows] = False
    return out


def always(kappa):
    """The condition of the last case of :func:`draw_by_case`."""
    return np.ones(np.shape(kappa), dtype=bool)


def _flat(values):
    array = np.asarray(values, dtype=float)
    return array.ravel(), array.shape


def _shaped(values, shape):
    return float(values[0]) if shape == () else values.reshape(shape)
