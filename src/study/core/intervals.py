"""95 % intervals of what a study counts and orders; those of means are in study.core.mean_errors."""

import numpy as np
from scipy import special

from study.core.mean_errors import Z95


def of_share(count, draws):
    """The exact interval (Clopper and Pearson) of a share of which ``count`` of ``draws`` were seen.

    Parameters
    ----------
    count, draws : array_like
        Whole numbers.

    Returns
    -------
    low, high : ndarray
    """
    count, draws = np.asarray(count, dtype=float), np.asarray(draws, dtype=float)
    with np.errstate(invalid="ignore"):
        low = np.where(count > 0, special.betaincinv(count, draws - count + 1.0, 0.025), 0.0)
        high = np.where(count < draws, special.betaincinv(count + 1.0, draws - count, 0.975), 1.0)
    return low, high


def of_density(drawn, edges, widths, probabilities):
    """Density of draws in bins with the interval of each, beside that of a law.

    Parameters
    ----------
    drawn : ndarray, shape (n,)
    edges : ndarray, shape (bins + 1,)
        Borders of the bins, ascending.
    widths : float or ndarray, shape (bins,)
        Their widths on the scale that the density is meant for, which may be a logarithmic one.
    probabilities : ndarray, shape (bins + 1,)
        The law's CDF at the borders.

    Returns
    -------
    dict
        Columns value, low, high and expected.
    """
    count, _ = np.histogram(drawn, edges)
    low, high = of_share(count, len(drawn))
    return {
        "value": count / len(drawn) / widths,
        "low": low / widths,
        "high": high / widths,
        "expected": np.diff(probabilities) / widths,
    }


def of_quantile(ordered, share):
    """The interval of a quantile: the draws at the ranks between which it lies, whatever their law.

    Parameters
    ----------
    ordered : ndarray, shape (n,)
        Draws in ascending order.
    share : float
        Share of the law below the quantile.

    Returns
    -------
    low, high : float
    """
    half = Z95 * np.sqrt(len(ordered) * share * (1.0 - share))
    ranks = np.array([np.floor(len(ordered) * share - half), np.ceil(len(ordered) * share + half)])
    low, high = np.clip(ranks, 0, len(ordered) - 1).astype(int)
    return float(ordered[low]), float(ordered[high])
