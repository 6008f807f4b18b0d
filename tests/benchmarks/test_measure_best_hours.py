"""The best linear estimate of hours: exact without noise, the mean with nothing but noise, and best in between."""

import measure_best_hours
import numpy as np
import pytest

HOURS, VENUES = 24, 10


def case(seed):
    """True hours of venues, and numbers of people of these and of one class around them."""
    rng = np.random.default_rng(seed)
    people = rng.poisson(20.0 * rng.dirichlet(np.ones(HOURS), VENUES + 1) * HOURS) + 1.0
    return people[:VENUES] / people[:VENUES].sum(axis=1, keepdims=True), people


def test_nothing_is_lost_without_noise_and_all_with_even_reports():
    hours, people = case(1)
    known = measure_best_hours.best_linear(hours, people, np.eye(HOURS), np.eye(VENUES + 1))
    assert known(people) == pytest.approx(hours, abs=1e-6)
    even = np.full((HOURS, HOURS), 1.0 / HOURS)
    estimate = measure_best_hours.best_linear(hours, people, even, np.eye(VENUES + 1))
    reports = np.random.default_rng(2).poisson(people @ even)
    assert estimate(reports) == pytest.approx(np.tile(hours.mean(axis=0), (VENUES, 1)), abs=1e-6)


def test_no_other_weight_of_the_reports_is_better():
    """Squares over 60 repetitions: half-way and one and a half times from the mean are worse, by ten errors or more."""
    hours, people = case(3)
    near = np.minimum(np.abs(np.subtract.outer(range(HOURS), range(HOURS))), 24)
    times = np.exp(-np.minimum(near, 24 - near) / 2.0)
    times, places = times / times.sum(axis=1, keepdims=True), 0.7 * np.eye(VENUES + 1) + 0.3 / (VENUES + 1)
    estimate = measure_best_hours.best_linear(hours, people, times, places)
    rng, mean, squares = np.random.default_rng(4), hours.mean(axis=0), []
    chances = np.einsum("ca,hk->chak", places, times).reshape(people.size, -1)
    for _ in range(60):
        counts = sum(rng.multinomial(int(n), p) for n, p in zip(people.ravel(), chances, strict=True))
        found = estimate(counts.reshape(people.shape)) - mean
        squares.append([np.square(mean + share * found - hours).sum() for share in (0.5, 1.0, 1.5)])
    worse = np.diff(squares, axis=1) * [-1.0, 1.0]
    assert (worse.mean(axis=0) > 10.0 * worse.std(axis=0) / np.sqrt(60)).all()
