"""Wrong calls, each of which a type checker refuses: mypy reports a ``type: ignore`` without an error.

``test_typed_use.py`` runs the functions: each raises.
"""

import numpy as np

from dirpriv import estimators, guarantees, laws, mechanisms, release


def dimension_by_position() -> None:
    mechanisms.PurkayasthaMechanism(2, 3)  # type: ignore[call-arg]


def dimension_by_position_of_a_pure_level() -> None:
    mechanisms.PurkayasthaMechanism.pure(2, 3)  # type: ignore[call-arg]


def level_as_text() -> None:
    mechanisms.PurkayasthaMechanism("1.0")  # type: ignore[arg-type]


def unknown_calibration() -> None:
    mechanisms.PurkayasthaMechanism(1.0, calibration="loose")  # type: ignore[arg-type]


def release_with_a_seed() -> None:
    mechanisms.PurkayasthaMechanism(1.0).randomise([1.0, 0.0], rng=5)  # type: ignore[arg-type]


def release_of_times_with_a_seed() -> None:
    mechanisms.PurkayasthaMechanism(1.0).randomise_times("08:15", rng=[1, 2])  # type: ignore[arg-type]


def release_from_integers_with_a_seed() -> None:
    release.CircleRelease(1.0).randomise_times("08:15", rng=5)  # type: ignore[call-arg]


def release_of_places_without_a_region() -> None:
    release.PlaneRelease.within(1.0, 200)  # type: ignore[call-arg]


def release_of_a_column_without_a_level() -> None:
    release.times(["08:15"], within="3h")  # type: ignore[call-overload]


def release_of_a_column_with_a_seed() -> None:
    release.times(["08:15"], level=1.0, within="3h", rng=5)  # type: ignore[call-overload]


def release_of_places_around_the_data() -> None:
    release.places([40.75], [-73.98], level=1.0, within="200m")  # type: ignore[call-arg]


def draws_from_the_law_of_a_table() -> None:
    try:
        release.CircleRelease(1.0).law.rvs([1.0, 0.0])  # type: ignore[attr-defined]
    except AttributeError as error:
        raise TypeError from error


def draws_from_a_legacy_generator() -> None:
    law = laws.Purkayastha(2, 1.0)
    law.rvs([1.0, 0.0], rng=np.random.RandomState(1))  # type: ignore[arg-type]


def seed_by_position() -> None:
    laws.Purkayastha(2, 1.0).rvs([1.0, 0.0], 5, 1)  # type: ignore[call-arg]


def concentration_as_text() -> None:
    laws.WrappedLaplace(kappa=None)  # type: ignore[arg-type]


def guarantee_of_a_text() -> None:
    guarantees.of("Purkayastha")  # type: ignore[arg-type]


def unknown_domain() -> None:
    guarantees.privacy_loss(np.cos, 0.1, domain="plane")  # type: ignore[arg-type]


def law_that_is_not_symmetric() -> None:
    estimators.debiased_mean([[1.0, 0.0]], laws.ClippedLaplace(1.0))  # type: ignore[arg-type]


def histogram_of_the_law_by_name() -> None:
    estimators.deconvolve([1, 2, 3], "Purkayastha")  # type: ignore[arg-type]


def mean_from_reports_of_a_law_that_is_not_symmetric() -> None:
    estimators.private_mean([0.5, 1.0], laws.ClippedLaplace(1.0))  # type: ignore[arg-type]
