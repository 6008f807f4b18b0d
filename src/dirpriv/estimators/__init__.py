"""Estimates from directions, private or not, and the errors to expect of them."""

from dirpriv.estimators.errors import expected_mean_error, limit_error, normal_mean_error
from dirpriv.estimators.histograms import bin_transitions, circular_histogram, deconvolve
from dirpriv.estimators.means import circular_mean, debiased_mean, mean_direction

__all__ = [
    "bin_transitions",
    "circular_histogram",
    "circular_mean",
    "debiased_mean",
    "deconvolve",
    "expected_mean_error",
    "limit_error",
    "mean_direction",
    "normal_mean_error",
]
