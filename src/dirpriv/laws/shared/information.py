"""Entropies and divergences of laws: means of their log kernels."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dirpriv._lib.quadrature import NODES, WEIGHTS
from dirpriv.geometry.spaces import ROTATIONS

_SMALL = 0.1  # nats: a smaller divergence is summed of positive terms


def entropy(law: Any) -> float:
    return float(log_constant(law) - _mean(law, law._log_kernel))


def kl_divergence(law: Any, other: Any) -> float:
    shift = log_constant(other) - log_constant(law)

    def log_ratio(theta: Any) -> Any:
        return law._log_kernel(theta) - other._log_kernel(theta) + shift

    kinks = other._kinks if other._kinks.size else None
    divergence = _mean(law, log_ratio, kinks)
    if divergence < _SMALL:  # r + exp(-r) - 1 has the same mean, and no digits cancel in it
        with np.errstate(over="ignore"):
            closer = _mean(law, lambda theta: _excess(log_ratio(theta)), kinks)
        divergence = closer if closer < 2.0 * _SMALL else divergence
    return float(max(divergence, 0.0))


def log_constant(law: Any) -> float:
    """What the log kernel is above the log-density."""
    if law.space == ROTATIONS:
        return float(law.log_normalizer())
    mode = np.eye(1, law.dim)[0]
    peak = float(law.logpdf(mode, mode))
    return -peak if np.isfinite(peak) else float(law.log_normalizer())


def _excess(r: Any) -> Any:
    """r + exp(-r) - 1, by its series where that cancels."""
    near = np.where(np.abs(r) < 0.03, r, 0.0)
    series = near**2 / 2 * (1 - near / 3 * (1 - near / 4 * (1 - near / 5 * (1 - near / 6 * (1 - near / 7)))))
    return np.where(np.abs(r) < 0.03, series, r + np.expm1(-r))


def _mean(law: Any, function: Callable[[Any], Any], kinks: Any = None) -> float:
    """Expected value; of a function with logarithmic ends or kinks by panels that grow from both ends."""
    if kinks is None and not law._kernel_diverges:
        return float(law.expectation(function))
    share = np.concatenate([np.geomspace(1e-30, 1e-2, 60), np.linspace(0.0, 0.5, 51)[2:]])
    marks = [law.angle_ppf(share), law.angle_isf(share), law._kinks, [] if kinks is None else kinks]
    edges = np.unique(np.concatenate(marks))
    width = np.diff(edges)[:, None]
    theta = edges[:-1, None] + width * NODES
    return float(((law.angle_pdf(theta) * function(theta) * width) @ WEIGHTS).sum())
