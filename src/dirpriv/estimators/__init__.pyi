from dirpriv._lib.mean_estimate import MeanEstimate as MeanEstimate
from dirpriv.estimators import transport as transport
from dirpriv.estimators.histogram_estimates import CumulativeEstimate as CumulativeEstimate
from dirpriv.estimators.histogram_estimates import HistogramEstimate as HistogramEstimate
from dirpriv.estimators.histogram_estimates import estimate_cumulative as estimate_cumulative
from dirpriv.estimators.histogram_estimates import estimate_histogram as estimate_histogram
from dirpriv.estimators.histograms import bin_transitions as bin_transitions
from dirpriv.estimators.histograms import circular_histogram as circular_histogram
from dirpriv.estimators.histograms import deconvolve as deconvolve
from dirpriv.estimators.mean_estimates import TestResult as TestResult
from dirpriv.estimators.mean_estimates import estimate_mean as estimate_mean
from dirpriv.estimators.mean_estimates import rayleigh_test as rayleigh_test
from dirpriv.estimators.mean_estimates import two_sample_test as two_sample_test
from dirpriv.estimators.means import asymptotic_bias as asymptotic_bias
from dirpriv.estimators.means import circular_mean as circular_mean
from dirpriv.estimators.means import expected_circular_mean_error as expected_circular_mean_error
from dirpriv.estimators.means import expected_mean_error as expected_mean_error
from dirpriv.estimators.means import mean_direction as mean_direction
from dirpriv.estimators.means import normal_mean_error as normal_mean_error
from dirpriv.estimators.means import sample_size_for_error as sample_size_for_error
from dirpriv.estimators.place_density_estimates import PlaceDensityEstimate as PlaceDensityEstimate
from dirpriv.estimators.place_density_estimates import estimate_place_density as estimate_place_density

__all__: list[str]
