"""Wrong calls, each of which a type checker refuses: mypy reports a ``type: ignore`` without an error.

``test_typed_use.py`` runs the functions: each raises the one error that stands before it.
"""

from collections.abc import Callable

import numpy as np

from dirpriv import InvalidArgument, distributions, estimators, guarantees, mechanisms, release

Misuse = Callable[[], None]

MEANT: dict[Misuse, tuple[type[Exception], str]] = {}
"""The error that each misuse raises: its type, and a pattern that its message holds."""


def raises(error: type[Exception], message: str) -> Callable[[Misuse], Misuse]:
    """Note the error that a misuse raises."""

    def note(misuse: Misuse) -> Misuse:
        MEANT[misuse] = error, message
        return misuse

    return note


@raises(TypeError, r"__init__\(\) takes 2 positional arguments but 3 were given")
def dimension_by_position() -> None:
    mechanisms.PurkayasthaMechanism(2, 3)  # type: ignore[call-arg]


@raises(TypeError, r"pure\(\) takes 2 positional arguments but 3 were given")
def dimension_by_position_of_a_pure_level() -> None:
    mechanisms.PurkayasthaMechanism.pure(2, 3)  # type: ignore[call-arg]


@raises(InvalidArgument, "'epsilon' must be a positive finite number; got '1.0'")
def level_as_text() -> None:
    mechanisms.PurkayasthaMechanism("1.0")  # type: ignore[arg-type]


@raises(InvalidArgument, "'calibration' must be one of .*; got 'loose'")
def unknown_calibration() -> None:
    mechanisms.PurkayasthaMechanism(1.0, calibration="loose")  # type: ignore[arg-type]


@raises(InvalidArgument, "'rng' must be .* no seed; got int")
def release_with_a_seed() -> None:
    mechanisms.PurkayasthaMechanism(1.0).randomise([1.0, 0.0], rng=5)  # type: ignore[arg-type]


@raises(InvalidArgument, "'rng' must be .* no seed; got list")
def release_of_times_with_a_seed() -> None:
    mechanisms.PurkayasthaMechanism(1.0).randomise_times("08:15", rng=[1, 2])  # type: ignore[arg-type]


@raises(TypeError, r"randomise_times\(\) got an unexpected keyword argument 'rng'")
def release_from_integers_with_a_seed() -> None:
    release.CircleRelease(1.0).randomise_times("08:15", rng=5)  # type: ignore[call-arg]


@raises(TypeError, r"within\(\) missing 3 .*'region_centre', 'region_reach', and 'cell_size'")
def release_of_places_without_a_region() -> None:
    release.PlaneRelease.within(1.0, 200)  # type: ignore[call-arg]


@raises(TypeError, r"times\(\) missing 1 .*'level'")
def release_of_a_column_without_a_level() -> None:
    release.times(["08:15"], radius="3h")  # type: ignore[call-overload]


@raises(TypeError, r"times\(\) got an unexpected keyword argument 'rng'")
def release_of_a_column_with_a_seed() -> None:
    release.times(["08:15"], level=1.0, radius="3h", rng=5)  # type: ignore[call-overload]


@raises(TypeError, r"places\(\) missing 3 .*'region_centre', 'region_reach', and 'cell_size'")
def release_of_places_around_the_data() -> None:
    release.places([40.75], [-73.98], level=1.0, radius="200m")  # type: ignore[call-arg]


@raises(TypeError, "unexpected keyword argument 'seed'")
def release_of_a_file_with_a_seed() -> None:
    release.file("true.csv", "out.csv", time="arrival", level=1.0, radius="3h", seed=1)  # type: ignore[call-arg]


@raises(TypeError, "unexpected keyword argument 'cell'")
def mistyped_keyword_of_a_file() -> None:
    release.file("true.csv", "out.csv", time="arrival", level=1.0, radius="3h", cell=96)  # type: ignore[call-arg]


@raises(InvalidArgument, "'level' must be a positive finite number; got '1.0'")
def level_of_a_file_as_text() -> None:
    release.file("true.csv", "out.csv", time="arrival", level="1.0", radius="3h")  # type: ignore[arg-type]


@raises(TypeError, "unexpected keyword argument 'epsilon'")
def local_release_with_a_central_level() -> None:
    release.LocalFileSettings(time="arrival", level=1.0, radius="3h", epsilon=1.0)  # type: ignore[call-arg]


@raises(TypeError, "unexpected keyword argument 'level'")
def central_release_with_a_local_level() -> None:
    release.CentralFileSettings(time="arrival", epsilon=1.0, mean=True, level=1.0)  # type: ignore[call-arg]


@raises(AttributeError, "no attribute 'rvs'")
def draws_from_the_distribution_of_a_table() -> None:
    release.CircleRelease(1.0).noise.rvs([1.0, 0.0])  # type: ignore[attr-defined]


@raises(InvalidArgument, "'rng' is a legacy numpy.random.RandomState")
def draws_from_a_legacy_generator() -> None:
    distribution = distributions.Purkayastha(2, 1.0)
    distribution.rvs([1.0, 0.0], rng=np.random.RandomState(1))  # type: ignore[arg-type]


@raises(TypeError, r"rvs\(\) takes from 2 to 3 positional arguments but 4 were given")
def seed_by_position() -> None:
    distributions.Purkayastha(2, 1.0).rvs([1.0, 0.0], 5, 1)  # type: ignore[call-arg]


@raises(InvalidArgument, "'kappa' must be .*; got None")
def concentration_of_none() -> None:
    distributions.WrappedLaplace(kappa=None)  # type: ignore[arg-type]


@raises(InvalidArgument, "give a distribution, .*; got 'Purkayastha'")
def guarantee_of_a_text() -> None:
    guarantees.from_distribution("Purkayastha")  # type: ignore[arg-type]


@raises(InvalidArgument, "'domain' must be one of .*; got 'plane'")
def unknown_domain() -> None:
    guarantees.privacy_loss_at(distributions.Uniform(2), 0.1, domain="plane")  # type: ignore[arg-type]


@raises(InvalidArgument, r"a function alone has no level.*from_log_density.*from_density")
def guarantee_of_a_function() -> None:
    guarantees.from_distribution(np.cos)  # type: ignore[arg-type]


@raises(InvalidArgument, "ClippedLaplace.* is not symmetric about its mode")
def distribution_that_is_not_symmetric() -> None:
    estimators.expected_mean_error(distributions.ClippedLaplace(1.0), 10)  # type: ignore[arg-type]


@raises(InvalidArgument, "'distribution' must be a distribution on the circle.*; got 'Purkayastha'")
def histogram_of_the_distribution_by_name() -> None:
    estimators.deconvolve([1, 2, 3], "Purkayastha")  # type: ignore[arg-type]


@raises(InvalidArgument, "ClippedLaplace.* is not symmetric about its mode")
def mean_from_reports_of_a_distribution_that_is_not_symmetric() -> None:
    estimators.estimate_mean([0.5, 1.0], distributions.ClippedLaplace(1.0))  # type: ignore[arg-type]
