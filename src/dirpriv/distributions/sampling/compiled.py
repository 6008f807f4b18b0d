"""Samplers' inner loops in compiled code (extra ``fast``, numba): the same draws in a fraction of the time.

NumPy draws the random numbers, so a seed gives the same vectors up to rounding. Logarithm, cosine and sine
are series with errors below 4e-16, so that LLVM makes vector instructions of the loops.
"""

import math

import numpy as np
from numba import njit

from dirpriv.distributions.sampling.box_muller import LANES

_ROWS = 128  # rows of short vectors that are worked on together: their coordinates stay in the fastest cache
_TURN = 2.0 * math.pi
# the last terms are below 1e-16 of the sum for an eighth of a turn, and for a mantissa from √½ to √2
_S1, _S2, _S3, _S4, _S5, _S6, _S7 = ((-1) ** k / math.factorial(2 * k + 1) for k in range(1, 8))
_C1, _C2, _C3, _C4, _C5, _C6, _C7, _C8 = ((-1) ** k / math.factorial(2 * k) for k in range(1, 9))
_L1, _L2, _L3, _L4, _L5, _L6, _L7, _L8, _L9, _L10 = (2.0 / (2 * k + 1) for k in range(1, 11))
_LOG2_HIGH = float.fromhex("0x1.62e42fefa3800p-1")  # times an exponent without rounding
_LOG2_LOW = float.fromhex("0x1.ef35793c76730p-45")  # log 2 less that
_ROOT_HALF = 0x3FE6A09E00000000  # the bits of √½, rounded down

_1, _3, _11, _24, _40 = (np.uint64(k) for k in (1, 3, 11, 24, 40))  # with a signed one there would be doubles

# divisions by zero give inf or nan, as NumPy's do: a check of each would rule out vector instructions
_compile = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
_compile_inline = njit(inline="always", error_model="numpy", fastmath={"contract"})
_compile_as_written = njit(cache=True, nogil=True, error_model="numpy")
_compile_sums = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})


@_compile_inline
def _log(x):
    """Logarithm of a positive normal number: x = 2^e m, log m = 2 artanh s with s = (m - 1)/(m + 1)."""
    bits = np.float64(x).view(np.int64)
    exponent = (bits - _ROOT_HALF) >> 52
    m = np.int64(bits - (exponent << 52)).view(np.float64)
    e = np.float64(exponent)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    tail = _L6 + z * (_L7 + z * (_L8 + z * (_L9 + z * _L10)))
    tail = z * (_L1 + z * (_L2 + z * (_L3 + z * (_L4 + z * (_L5 + z * tail)))))
    return e * _LOG2_HIGH + (2.0 * s + (s * tail + e * _LOG2_LOW))


@_compile_inline
def _cos_sin(turns):
    """Cosine and sine of an angle from minus half a turn to half a turn."""
    quarter = np.floor(4.0 * turns + 0.5)
    x = _TURN * (turns - 0.25 * quarter)
    z = x * x
    s = x + x * z * (_S1 + z * (_S2 + z * (_S3 + z * (_S4 + z * (_S5 + z * (_S6 + z * _S7))))))
    c = _C4 + z * (_C5 + z * (_C6 + z * (_C7 + z * _C8)))
    c = 1.0 + z * (_C1 + z * (_C2 + z * (_C3 + z * c)))
    size = abs(quarter)
    cosine, sine = (s, c) if size == 1.0 else (c, s)
    cosine = -cosine if (size == 2.0) | (quarter == 1.0) else cosine
    sine = -sine if (size == 2.0) | (quarter == -1.0) else sine
    return cosine, sine


@_compile
def to_normals(uniforms):
    """As ``normals.to_normals``."""
    half = uniforms.size // 2
    first, second = uniforms[:half], uniforms[half:]
    for j in range(half):
        radius = np.sqrt(-2.0 * _log(1.0 - first[j]))
        cosine, sine = _cos_sin(second[j] - 0.5)
        first[j], second[j] = radius * cosine, radius * sine


@_compile
def _draw_uniforms(out, state):
    """Uniforms of ``LANES`` generators SFC64 in turn (Doty-Humphrey's), as NumPy makes them of 53 bits."""
    a, b, c, count = state[0], state[1], state[2], state[3]
    for start in range(0, out.size, LANES):
        row = out[start : start + LANES]
        for lane in range(LANES):
            x, y, z = a[lane], b[lane], c[lane]
            value = x + y + count[lane]
            a[lane] = y ^ (y >> _11)
            b[lane] = z + (z << _3)
            c[lane] = ((z << _24) | (z >> _40)) + value
            count[lane] += _1
            row[lane] = np.int64(value >> _11) * 2.0**-53


@_compile
def seeded(seeds):
    """States of the lanes after the twelve rounds with which SFC64 mixes three words of a seed."""
    state = np.empty((4, LANES), np.uint64)
    for word in range(3):
        state[word] = seeds[:, word]
    state[3] = _1
    _draw_uniforms(np.empty(12 * LANES), state)
    return state


@_compile
def draw_normals(out, state):
    """Fill an array, whose length is a multiple of ``LANES``, with normals; the state moves on."""
    _draw_uniforms(out, state)
    to_normals(out)


@_compile_sums
def _products(x, y):
    along = square = 0.0
    for j in range(x.size):
        along += x[j] * y[j]
        square += x[j] * x[j]
    return along, square


@_compile
def project(out, mu, cosine, sine, normals):
    """As ``directions._project``; ``mu`` has one row for all, or a row for each."""
    for i in range(out.shape[0]):
        row, z = out[i], normals[i]
        mode = mu[i] if mu.shape[0] > 1 else mu[0]
        along, square = _products(z, mode)
        across = sine[i] / np.sqrt(square - along * along)
        back = cosine[i] - across * along
        for j in range(row.size):
            row[j] = across * z[j] + back * mode[j]


@_compile
def reflect(out, mu, cosine, sine, normals):
    """As ``directions._reflect``: some rows at a time, coordinate by coordinate."""
    n = out.shape[1]
    x, mode, square, along = (np.empty((n, _ROWS)), np.empty((n, _ROWS)), np.empty(_ROWS), np.empty(_ROWS))
    for j in range(n):
        mode[j] = mu[0, j]
    for start in range(0, out.shape[0], _ROWS):
        rows = min(_ROWS, out.shape[0] - start)
        if mu.shape[0] > 1:
            for i in range(rows):
                for j in range(n):
                    mode[j, i] = mu[start + i, j]
        square[:] = 0.0
        for j in range(1, n):
            z = normals[j - 1, start : start + rows]
            for i in range(rows):
                square[i] += z[i] * z[i]
        for i in range(rows):
            sign = -1.0 if mode[0, i] < 0.0 else 1.0
            square[i] = sign * sine[start + i] / np.sqrt(square[i])
            along[i] = (1.0 + abs(mode[0, i])) * cosine[start + i]
        for j in range(1, n):
            z = normals[j - 1, start : start + rows]
            for i in range(rows):
                x[j, i] = square[i] * z[i]
                along[i] += mode[j, i] * x[j, i]
        for i in range(rows):
            sign = -1.0 if mode[0, i] < 0.0 else 1.0
            along[i] /= 1.0 + abs(mode[0, i])
            x[0, i] = along[i] * (mode[0, i] + sign) - sign * cosine[start + i]
            square[i] = x[0, i] * x[0, i]
        for j in range(1, n):
            for i in range(rows):
                x[j, i] = along[i] * mode[j, i] - x[j, i]
                square[i] += x[j, i] * x[j, i]
        for i in range(rows):
            scale = 1.5 - 0.5 * square[i]
            for j in range(n):
                out[start + i, j] = scale * x[j, i]


@_compile
def place_normals(out, mu, cosine, sine, numbers, rows, state):
    """As ``directions._place_normals``: from ``numbers`` normals a row, drawn for a block of rows at a time."""
    scratch = np.empty(rows * numbers + LANES)
    for start in range(0, out.shape[0], rows):
        stop = min(start + rows, out.shape[0])
        modes = mu[start:stop] if mu.shape[0] > 1 else mu
        total = (stop - start) * numbers
        draw_normals(scratch[: total + -total % LANES], state)
        if numbers < out.shape[1]:
            normals = scratch[:total].reshape((numbers, stop - start))
            reflect(out[start:stop], modes, cosine[start:stop], sine[start:stop], normals)
        else:
            normals = scratch[:total].reshape((stop - start, numbers))
            project(out[start:stop], modes, cosine[start:stop], sine[start:stop], normals)


@_compile
def reflect_circle(out, mu, cosine, sine, uniform):
    """As ``directions._place_on_sphere``."""
    around = np.empty((2, uniform.size))
    for i in range(uniform.size):
        around[0, i], around[1, i] = _cos_sin(uniform[i] - 0.5)
    reflect(out, mu, cosine, sine, around)


@_compile_as_written
def turn(out, mu, cosine, sine, left):
    """As ``directions._place_on_circle``, bit for bit."""
    for i in range(out.shape[0]):
        mode = mu[i] if mu.shape[0] > 1 else mu[0]
        across = sine[i] if left[i] else -sine[i]
        out[i, 0] = cosine[i] * mode[0] - across * mode[1]
        out[i, 1] = cosine[i] * mode[1] + across * mode[0]


@_compile
def half_tangents(uniforms, kappa, z):
    """Accepted ones of ``von_mises_fisher._propose_half_tangents``; rounding judges one in 1e15 otherwise."""
    count = uniforms.shape[1]
    tangent, accepted = np.empty(count), np.empty(count, np.bool_)
    scale, best = np.sqrt(z), 2.0 * kappa * z / (1.0 + z)
    for i in range(count):
        cosine, sine = _cos_sin(0.25 * uniforms[0, i])
        square = z * sine * sine
        energy = 2.0 * kappa * square / (cosine * cosine + square)
        tangent[i] = scale * sine / cosine
        accepted[i] = _log((0.5 + 0.5 * z + energy) / (1.0 - uniforms[1, i])) >= energy - best
    kept = 0
    for i in range(count):
        tangent[kept] = tangent[i]
        kept += accepted[i]
    return tangent[:kept]


@_compile
def near_mode(theta, energy, m, mode, slope, log_peak):
    """Accepted ones of ``purkayastha._propose_near_mode``, which overwrite θ; as above, up to rounding."""
    accepted = np.empty(theta.size, np.bool_)
    for i in range(theta.size):
        theta[i] *= mode / m
        d = theta[i] - mode
        accepted[i] = (0.2974 * (m * d * d) < energy[i]) & (theta[i] <= math.pi / 2.0)
    kept = 0
    for i in range(theta.size):
        t = theta[i]
        if not accepted[i] and t < math.pi and m * (t - mode) * (t - mode) <= 6.0 * energy[i]:
            log_ratio = m * (math.log(math.sin(t) / t) - log_peak + slope * (t - mode))
            accepted[i] = energy[i] >= -log_ratio
        theta[kept] = t
        kept += accepted[i]
    return theta[:kept]
