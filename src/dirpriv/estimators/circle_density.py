"""Densities of angles, fitted to private reports, and their shares through windows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dirpriv import geometry
from dirpriv._inputs import validate
from dirpriv._lib.types import Array
from dirpriv.estimators import betting_intervals, density, shared
from dirpriv.estimators.circle_noise_bounds import Arc, CircleNoise, circle_noise
from dirpriv.estimators.histograms import bin_index, bin_transitions
from dirpriv.estimators.p_values import combined

_FREQUENCIES = 48, 96  # of the logarithm of the density: waves of down to half an hour; of many bins, shorter
TYPICAL_WIDTH = geometry.TURN / 20.0  # 1.2 hours of a day
_ORDERS = {1.5: 1.0, 2.5: 1.25}  # typical width of each order, in units of the first

Releases = Sequence[tuple[Array, Array, Any]]  # reports, numbers of repetitions, and the distribution of the noise


class CircleFit(NamedTuple):
    """A density of all people, and what follows from it."""

    estimate: density.Shares  # through the windows
    p_value: float  # of the hypothesis that the people are spread evenly
    moves: Array  # probabilities of moves between cells, of all reports
    members: Array  # weight of each cell (rows) in each window


def fitted(releases: Releases, starts: Array, arc: Arc, width: float | None, typical_width: float | None) -> CircleFit:
    """Of reports, through an arc that begins at angles; without a blur, the arcs are the bins of a histogram."""
    typical = TYPICAL_WIDTH if typical_width is None else validate.positive("typical_width", typical_width)
    wanted = int(np.ceil(_FREQUENCIES[0] * (TYPICAL_WIDTH / typical)))
    bins = 1 if arc.blur else len(starts)
    frequencies = min(max(_FREQUENCIES[0], wanted, bins // 2), _FREQUENCIES[1])
    cells = bins * -(-3 * frequencies // bins)
    if arc.blur:
        middles = (np.arange(cells) + 0.5)[:, None] * (geometry.TURN / cells)
        away = np.mod(middles - starts - arc.middle, geometry.TURN)
        members = arc.weight(np.minimum(away, geometry.TURN - away))
    else:
        members = np.repeat(np.eye(bins), cells // bins, axis=0)
    transitions = [bin_transitions(distribution, cells) for *_, distribution in releases]
    counts = [np.bincount(bin_index(at, cells), times, cells).astype(float) for at, times, _ in releases]
    prior = _circle_prior(cells, frequencies, shared.checked_width(width), typical)
    totals = [float(of.sum()) for of in counts]
    parts = [total / sum(totals) for total in totals]
    own = [density.estimate(*of, prior, members) for of in zip(counts, transitions, strict=True)]
    p_value = combined([density.flat_p_value(*of, prior) for of in zip(counts, transitions, strict=True)])
    moves = np.sum([part * each for part, each in zip(parts, transitions, strict=True)], axis=0)
    return CircleFit(density.together(list(zip(parts, own, strict=True))), p_value, moves, members)


def divided(releases: Releases, noises: Sequence[CircleNoise] = ()) -> list[betting_intervals.DividedReports]:
    """Reports in blocks, for intervals."""
    noises = noises or [circle_noise(of) for *_, of in releases]
    return betting_intervals.divided([(noise, *of[:2]) for noise, of in zip(noises, releases, strict=True)])


def _circle_prior(cells: int, count: int, width: float | None, typical: float) -> density.Prior:
    """Waves of the frequencies 1 to ``count`` around the circle."""
    frequencies = np.arange(1, count + 1)
    turns = np.outer((np.arange(cells) + 0.5) * (geometry.TURN / cells), frequencies)
    basis = np.hstack([np.cos(turns), np.sin(turns)])
    families, log_share = [], np.log(0.5 / len(_ORDERS))  # the flat density has the other half
    for order, ratio in _ORDERS.items():
        roughness = np.pi * np.tile(frequencies, 2) ** (2.0 * order)
        widths, log_odds = shared.possible_widths(width, ratio * typical, np.log(1.6))
        precisions = np.outer(widths ** (2.0 * order - 1.0), roughness)
        families.append(list(map(density.Model, widths, precisions, log_odds + log_share)))
    return density.Prior(basis, families, shared.flat_log_odds(width))
