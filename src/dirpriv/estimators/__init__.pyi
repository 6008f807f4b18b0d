from dirpriv._lib.results import PrivateMean as PrivateMean
from dirpriv.estimators import transport as transport
from dirpriv.estimators.histograms import bin_transitions as bin_transitions
from dirpriv.estimators.histograms import circular_histogram as circular_histogram
from dirpriv.estimators.histograms import deconvolve as deconvolve
from dirpriv.estimators.means import asymptotic_bias as asymptotic_bias
from dirpriv.estimators.means import circular_mean as circular_mean
from dirpriv.estimators.means import expected_circular_mean_error as expected_circular_mean_error
from dirpriv.estimators.means import expected_mean_error as expected_mean_error
from dirpriv.estimators.means import mean_direction as mean_direction
from dirpriv.estimators.means import normal_mean_error as normal_mean_error
from dirpriv.estimators.means import sample_size_for_error as sample_size_for_error
from dirpriv.estimators.private_density_bands import PrivateDensityBand as PrivateDensityBand
from dirpriv.estimators.private_density_bands import private_density_band as private_density_band
from dirpriv.estimators.private_histograms import PrivateCumulative as PrivateCumulative
from dirpriv.estimators.private_histograms import PrivateHistogram as PrivateHistogram
from dirpriv.estimators.private_histograms import private_cumulative as private_cumulative
from dirpriv.estimators.private_histograms import private_histogram as private_histogram
from dirpriv.estimators.private_means import TestResult as TestResult
from dirpriv.estimators.private_means import private_mean as private_mean
from dirpriv.estimators.private_means import rayleigh_test as rayleigh_test
from dirpriv.estimators.private_means import two_sample_test as two_sample_test
from dirpriv.estimators.private_places import PrivatePlaceDensity as PrivatePlaceDensity
from dirpriv.estimators.private_places import private_place_density as private_place_density

__all__: list[str]
