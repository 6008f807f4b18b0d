"""Numbers of people by time and place, from counts of noisy reports: the mode of a posterior, and its strength.

The logarithm of the expected number of people at a time and a place departs from a base, which is a product of
one function of each, by waves of the time. Their coefficients are normal and independent for each place. At the base
the Fisher information is a Kronecker product of one matrix for each axis. So the evidence of every strength, by
Laplace's approximation, follows from two decompositions, and they precondition the search for the mode.
"""

from typing import Any

import numpy as np
from scipy import optimize, sparse

from dirpriv._lib.types import Array

_STRENGTHS = np.append(0.0, np.geomspace(0.03, 30.0, 31))
_ANYWHERE = 1e-9  # share of the reports that may be anywhere
_STEPS = 100


def likeliest(counts: Array, place: Any) -> Array:
    """Numbers of people at places that are likeliest for counts of reports: steps of expectation-maximisation."""
    reached = place.sum(axis=1)
    counts = np.where(place.sum(axis=0) > 0.0, counts, 0.0)  # others, as those far from all venues, count for none
    people = np.full(len(reached), counts.sum() / len(reached))
    for _ in range(_STEPS):
        people = people * (place @ (counts / np.maximum(people @ place, np.finfo(float).tiny))) / reached
    return np.asarray(np.maximum(people, _ANYWHERE * people.max()))


def fitted(counts: Array, time: Array, spectrum: list[Any], base: tuple[Array, Array]) -> tuple[Array, float]:
    """Expected numbers of people (times × places) from counts (classes of time × of place), and the strength.

    ``time`` has the transitions, ``spectrum`` those of places, for each wave of the time where both noises are one, and
    ``base`` is proportional to a product of shares of times and of places.
    """
    numbers = np.arange(1, (len(time) + 1) // 2)
    turns = np.outer((np.arange(len(time)) + 0.5) * (2.0 * np.pi / len(time)), numbers)
    basis = np.hstack([np.ones((len(time), 1)), np.cos(turns), np.sin(turns)])
    deviations = np.concatenate([[1.0], *[numbers**-1.5] * 2])  # of the coefficients at strength 1
    hours, shares = base
    place, is_joint = spectrum[0], len(spectrum) > 1

    def spread(people: Array) -> Array:
        """What is reported on average."""
        return _filtered(people, spectrum) if is_joint else (time.T @ people) @ place

    def gather(values: Array) -> Array:
        """The transpose."""
        return _filtered(values, [of.T for of in spectrum]) if is_joint else time @ (place @ values.T).T

    def reported(people: Array) -> Array:
        """The people who did report, as they are expected; of those off the map, as before."""
        return people * (1.0 + gather(counts / (spread(people) + anywhere) - 1.0))

    start = np.outer(hours, shares)
    start *= counts.sum() / spread(start).sum()
    anywhere = _ANYWHERE * counts.sum() / counts.size
    margins = [of + _ANYWHERE * of.max() for of in (hours @ time, shares @ place)]
    own = place @ (sparse.diags_array(1.0 / margins[1]) @ place.T)
    own = own.toarray() if sparse.issparse(own) else own
    across, mix = np.linalg.eigh(shares[:, None] * own * shares)
    total = start.sum() / (hours.sum() * shares.sum())

    def along_time(basis: Array) -> tuple[Array, Array]:
        """Directions of the coefficients of waves, and the information about each in each of those of places."""
        lift = (basis * hours[:, None]).T @ time
        along, turn = np.linalg.eigh(deviations[:, None] * ((lift / margins[0]) @ lift.T) * deviations)
        return deviations[:, None] * turn, total * np.outer(np.maximum(along, 0.0), np.maximum(across, 0.0))

    # the evidence is of waves that leave the numbers of people at places as the base has them
    common = (basis * hours[:, None]).T @ time @ (hours @ time / margins[0])
    centred = basis - common / common[0]
    turn, information = along_time(centred)
    score = turn.T @ centred.T @ (start * gather(counts / (spread(start) + anywhere) - 1.0)) @ mix
    squares = (_STRENGTHS**2)[:, None, None]
    gains = squares * score**2 / (1.0 + squares * information) - np.log1p(squares * information)
    evidence = 0.5 * gains.sum(axis=(1, 2)) - np.log(len(_STRENGTHS) - 1.0) * (_STRENGTHS > 0.0)
    turn, information = along_time(basis)
    strength = float(_STRENGTHS[evidence.argmax()])
    if not strength:
        return reported(start), 0.0
    scale, turned = 1.0 / np.sqrt(1.0 + strength**2 * information), strength * basis @ turn

    def objective(flat: Array) -> tuple[float, Array]:
        scaled = scale * flat.reshape(scale.shape)
        people = start * np.exp(np.clip(turned @ scaled @ mix.T, -50.0, 50.0))
        mass = spread(people) + anywhere
        slopes = people * gather(1.0 - counts / mass)
        value = mass.sum() - (counts * np.log(mass)).sum() + 0.5 * (scaled**2).sum()
        return value, (scale * (turned.T @ slopes @ mix + scaled)).ravel()

    how: Any = {"jac": True, "method": "L-BFGS-B", "options": {"maxiter": _STEPS, "gtol": 0.03}}
    best = optimize.minimize(objective, np.zeros(scale.size), **how)
    scaled = scale * best.x.reshape(scale.shape)
    return reported(start * np.exp(np.clip(turned @ scaled @ mix.T, -50.0, 50.0))), strength


def _filtered(values: Array, spectrum: list[Any]) -> Array:
    """Each wave of the values (rows) times its matrix, which is real."""
    pairs = np.fft.rfft(values, axis=0).view(float).reshape(len(spectrum), -1, 2)
    waves = np.stack([(pair.T @ of).T for pair, of in zip(pairs, spectrum, strict=True)])
    return np.fft.irfft(waves[..., 0] + 1j * waves[..., 1], len(values), axis=0)
