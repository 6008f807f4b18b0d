"""Which cells of a long grid of cases `make test` runs; `make test-sweeps` runs the others."""

import itertools

import pytest


def swept(*cases):
    """Cases that only the sweeps run; the others have each of their values once."""
    return [pytest.param(*case, marks=pytest.mark.sweep) for case in cases]


def thinned(*axes):
    """All cells of a grid. The corners and a diagonal, which has each value, are no sweep."""
    last = [len(axis) - 1 for axis in axes]
    length = max(last)
    kept = set(itertools.product(*({0, end} for end in last)))
    kept |= {tuple(round(step * end / length) for end in last) for step in range(length + 1)}
    places = itertools.product(*(range(end + 1) for end in last))
    cells = [(place, tuple(axis[i] for axis, i in zip(axes, place, strict=True))) for place in places]
    return [case for place, cell in cells for case in ([cell] if place in kept else swept(cell))]
