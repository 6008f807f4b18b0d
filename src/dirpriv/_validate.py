"""Checks of arguments, made once at the public door and nowhere else."""

import numbers

import numpy as np


def dimension(dim):
    """The length of the vectors, an integer of at least 2."""
    if isinstance(dim, bool) or not isinstance(dim, numbers.Integral) or dim < 2:
        raise ValueError(
            f"'dim' must be an integer of at least 2 (2 is the circle, 3 the sphere); got {dim!r}"
        )
    return int(dim)


def concentration(kappa):
    """The concentration, a nonnegative finite number, or an array of them, one per row."""
    try:
        value = np.asarray(kappa, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"'kappa' must be a nonnegative finite number; got {kappa!r}") from None
    bad = ~((value >= 0.0) & (value < np.inf))
    if bad.any():
        shown = repr(kappa) if value.ndim == 0 else repr(float(value[bad][0]))
        raise ValueError(f"'kappa' must be nonnegative and finite; got {shown}")
    return float(value) if value.ndim == 0 else value


def shape(name, size):
    """A shape from an integer or a tuple of integers, all nonnegative."""
    sizes = (size,) if isinstance(size, numbers.Integral) else tuple(size)
    if any(isinstance(n, bool) or not isinstance(n, numbers.Integral) or n < 0 for n in sizes):
        raise ValueError(f"'{name}' must be a nonnegative integer or a tuple of them; got {size!r}")
    return tuple(int(n) for n in sizes)


def output(out, wanted):
    """The array to write to: ``out`` if it fits, or a new one."""
    if out is None:
        return np.empty(wanted)
    if not isinstance(out, np.ndarray) or out.shape != wanted or out.dtype != np.float64:
        found = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ValueError(f"'out' must be an array of float64 of shape {wanted}; got {found}")
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise ValueError(
            "'out' must be C-contiguous and writeable; make a new array, or numpy.ascontiguousarray"
        )
    return out


def positive(name, value):
    """A positive finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"'{name}' must be a positive finite number; got {value!r}") from None
    if not 0.0 < number < np.inf:
        raise ValueError(f"'{name}' must be positive and finite; got {value!r}")
    return number


def distances(name, values, metric):
    """Distances of this metric, as float64: at least 0, and no more than π where they are angles."""
    array = np.asarray(values, dtype=float)
    bounded = metric in ("angle", "rotation angle")
    bad = ~((array >= 0.0) & (array <= (np.pi * (1.0 + 1e-15) if bounded else np.inf)))
    if bad.any():
        limits = "from 0 to π: no two inputs are further apart" if bounded else "at least 0"
        raise ValueError(f"'{name}' must be {limits}; got {float(array[bad][0])!r}")
    return array


def unit_vectors(name, vectors, dim):
    """Unit vectors along the last axis, of length ``dim``, as float64."""
    vectors = np.asarray(vectors, dtype=float)
    if vectors.ndim == 0 or vectors.shape[-1] != dim:
        raise ValueError(
            f"'{name}' must hold vectors of length {dim} along its last axis; got shape {vectors.shape}"
        )
    squares = np.einsum("...i,...i->...", vectors, vectors)
    off = np.abs(squares - 1.0)
    worst = off.max(initial=0.0)
    if worst <= 1e-15:
        return vectors
    if not worst <= 1e-5:  # float32 input carries norms that are off by up to 1e-7
        norm = float(np.sqrt(squares.flat[int(np.argmax(~(off <= 1e-5)))]))
        raise ValueError(f"'{name}' must hold unit vectors; got one of norm {norm!r}: divide by it first")
    return vectors / np.sqrt(squares)[..., None]


def histogram(name, masses):
    """Histograms along the last axis, as shares that add up to 1, and their totals.

    Counts and weights come in here, wherever they are used: nonnegative, finite, and not all zero.
    """
    masses = np.asarray(masses, dtype=float)
    if masses.ndim == 0 or masses.shape[-1] == 0:
        raise ValueError(f"'{name}' must hold histograms along its last axis; got shape {masses.shape}")
    bad = ~((masses >= 0.0) & (masses < np.inf))
    if bad.any():
        place = tuple(int(i) for i in np.argwhere(bad)[0])
        raise ValueError(
            f"'{name}' must hold nonnegative finite masses; got {float(masses[place])!r} at index {place}: "
            "leave out or repair what it was counted from"
        )
    totals = masses.sum(axis=-1, keepdims=True)
    off = ~((totals > 0.0) & (totals < np.inf))
    if off.any():
        row = tuple(int(i) for i in np.argwhere(off)[0][:-1])
        raise ValueError(
            f"'{name}' must hold a mass in every histogram; the total is {float(totals[off][0])!r}"
            + (f" in row {row[0] if len(row) == 1 else row}" if row else "")
            + ": leave the histogram out, or say what stands for it (a uniform one, for example)"
        )
    return masses / totals, totals


def generator(rng):
    """A NumPy generator from ``None`` (entropy of the operating system), an integer or a generator."""
    if rng is None or (
        isinstance(rng, (numbers.Integral, np.random.Generator)) and not isinstance(rng, bool)
    ):
        return np.random.default_rng(rng)
    raise ValueError(f"'rng' must be None, an integer or a numpy.random.Generator; got {rng!r}")
