"""Estimates from directions, private or not, and the errors to expect of them."""

from dirpriv.estimators.circular_errors import circular_mean_error, people_for_error
from dirpriv.estimators.errors import expected_mean_error, limit_error, normal_mean_error
from dirpriv.estimators.histograms import bin_transitions, circular_histogram, deconvolve
from dirpriv.estimators.means import circular_mean, debiased_mean, mean_direction
from dirpriv.estimators.private_histograms import PrivateHistogram, private_histogram
from dirpriv.estimators.private_means import (
    PrivateMean,
    TestResult,
    private_mean,
    rayleigh_test,
    two_sample_test,
)
from dirpriv.estimators.private_places import PrivatePlaceDensity, private_place_density

__all__ = [
    "PrivateHistogram",
    "PrivateMean",
    "PrivatePlaceDensity",
    "TestResult",
    "bin_transitions",
    "circular_histogram",
    "circular_mean",
    "circular_mean_error",
    "debiased_mean",
    "deconvolve",
    "expected_mean_error",
    "limit_error",
    "mean_direction",
    "normal_mean_error",
    "people_for_error",
    "private_histogram",
    "private_mean",
    "private_place_density",
    "rayleigh_test",
    "two_sample_test",
]
