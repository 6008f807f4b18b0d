"""Errors of private histograms, simulated to a wanted interval; shared by the experiments on histograms."""

import numpy as np

from study.simulation.estimates import Z95

PILOT = 50  # repetitions for planning the number of repetitions


def shares_of(counts):
    """Histograms as shares of their totals."""
    counts = np.asarray(counts, dtype=float)
    return counts / counts.sum(axis=-1, keepdims=True)


def bin_errors(counts, truth):
    """Mean absolute error of the share of a bin: one number for each histogram."""
    return np.abs(shares_of(counts) - shares_of(truth)).mean(axis=-1)


def repeat(draw, error, half_width, most_repetitions):
    """Histograms of repeated randomisations, as many as the wanted interval of the mean error needs.

    ``draw(repetition)`` gives the counts of one repetition, always the same, and ``error`` the errors of rows
    of counts. ``half_width`` is that of the 95 % interval relative to the mean error. Returns the
    counts (repetitions × bins) and the errors, for at least two repetitions.
    """
    most = max(2, most_repetitions)
    counts = np.stack([draw(repetition) for repetition in range(min(PILOT, most))])
    errors = error(counts)
    wanted = (Z95 * errors.std(ddof=1) / (half_width * errors.mean())) ** 2 if errors.mean() > 0 else 0
    more = range(len(counts), int(min(np.ceil(wanted), most)))
    if len(more):
        added = np.stack([draw(repetition) for repetition in more])
        counts, errors = np.concatenate([counts, added]), np.concatenate([errors, error(added)])
    return counts, errors


def told_apart(table, other):
    """For each row ``above`` or ``below``, or ``not told apart`` if the two 95 % intervals overlap.

    The text is empty if there is nothing to compare with. Two equal errors are told apart with probability
    0.006 if their intervals have the same length.
    """
    above = table["low"].to_numpy() > other["high"].to_numpy()
    below = table["high"].to_numpy() < other["low"].to_numpy()
    nothing = table["low"].isna().to_numpy() | other["low"].isna().to_numpy()
    return np.select([nothing, above, below], ["", "above", "below"], "not told apart")


def ratios(table, other):
    """For each row the ratio to an independent error; its 95 % interval is that of the ratio's logarithm."""
    value, base = table["value"].to_numpy(), other["value"].to_numpy()
    relative = np.hypot(table["standard_error"].to_numpy() / value, other["standard_error"].to_numpy() / base)
    width = np.exp(Z95 * relative)
    return {"ratio": value / base, "ratio_low": value / base / width, "ratio_high": value / base * width}
