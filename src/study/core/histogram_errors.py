"""Errors of private histograms, simulated to a wanted interval: what the histograms' experiments share."""

import numpy as np

from study.core.estimates import Z95

PILOT = 50  # repetitions from which their number is planned


def shares_of(counts):
    """Histograms as shares of their totals."""
    counts = np.asarray(counts, dtype=float)
    return counts / counts.sum(axis=-1, keepdims=True)


def bin_errors(counts, truth):
    """Mean absolute error per bin, of shares: one number for each histogram."""
    return np.abs(shares_of(counts) - shares_of(truth)).mean(axis=-1)


def repeat(draw, error, half_width, most_repetitions):
    """Histograms of repeated randomisations, as many as the wanted interval of the mean error needs.

    Parameters
    ----------
    draw : callable
        ``draw(repetition)`` gives the counts of one repetition; the same repetition is always the same.
    error : callable
        Errors of rows of counts.
    half_width : float
        Wanted half width of the 95 % interval of the mean error, as a share of it.
    most_repetitions : int
        Budget; at least two are made.

    Returns
    -------
    counts : ndarray, shape (repetitions, bins)
    errors : ndarray, shape (repetitions,)
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
    """Whether errors are above or below others by more than the intervals.

    Parameters
    ----------
    table, other : pandas.DataFrame
        Columns low and high; rows are compared one by one.

    Returns
    -------
    ndarray of str
        ``above`` or ``below`` where the two 95 % intervals do not overlap, else ``not told apart``, and empty
        where there is nothing to compare with. Two equal errors are told apart with probability 0.006 (one
        interval as long as the other).
    """
    above = table["low"].to_numpy() > other["high"].to_numpy()
    below = table["high"].to_numpy() < other["low"].to_numpy()
    nothing = table["low"].isna().to_numpy() | other["low"].isna().to_numpy()
    return np.select([nothing, above, below], ["", "above", "below"], "not told apart")


def ratios(table, other):
    """Ratio of errors to others with a 95 % interval, that of its logarithm: they are independent.

    Parameters
    ----------
    table, other : pandas.DataFrame
        Columns value and standard_error; rows are compared one by one.

    Returns
    -------
    dict of ndarray
        ratio, ratio_low, ratio_high.
    """
    value, base = table["value"].to_numpy(), other["value"].to_numpy()
    relative = np.hypot(table["standard_error"].to_numpy() / value, other["standard_error"].to_numpy() / base)
    width = np.exp(Z95 * relative)
    return {"ratio": value / base, "ratio_low": value / base / width, "ratio_high": value / base * width}


def ratios_beside(table, mechanism):
    """The ratio of each mechanism's error to that of one of them, at the same ε.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns mechanism, calibration, epsilon, value, standard_error; one row for each of the three.
    mechanism : str
        Name of the one. It has no more than one calibration.

    Returns
    -------
    pandas.DataFrame
        The rows of the others, with value, low and high of the ratio, and without ``expected``.
    """
    beside = table.loc[table["mechanism"] == mechanism, ["epsilon", "value", "standard_error"]]
    others = table[table["mechanism"] != mechanism].reset_index(drop=True)
    found = ratios(others, others[["epsilon"]].merge(beside, on="epsilon", how="left"))
    return others.assign(
        value=found["ratio"], low=found["ratio_low"], high=found["ratio_high"], expected=np.nan
    )
