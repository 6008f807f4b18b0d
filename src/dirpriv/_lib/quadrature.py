"""Gauss-Legendre quadrature with 24 nodes, to the last digit.

The weights of NumPy and SciPy have errors of 1e-13 to 1e-12, which would be those of every normalizer and
tail here. ``tests/dirpriv/test_quadrature.py`` recomputes the constants with 60 digits.
"""

import numpy as np

from dirpriv._lib.types import Array

# on [0, 1]; the rule is symmetric about 1/2
_LOWER_NODES_AND_WEIGHTS = np.array(
    [
        (0.00240639000148931991, 0.0061706148999935997734),
        (0.012635722014345250901, 0.014265694314466831591),
        (0.030862723998633620738, 0.022138719408709903084),
        (0.056792236497799482893, 0.029649292457718390373),
        (0.089999007013048539023, 0.036673240705540152867),
        (0.12993790421072281788, 0.043095080765976637959),
        (0.17595317403151221537, 0.048809326052056944135),
        (0.22728926430558023217, 0.053722135057982817391),
        (0.28310324618697743076, 0.057752834026862800677),
        (0.34247866015191831281, 0.060835236463901695602),
        (0.40444056626319184542, 0.062918728173414148061),
        (0.46797155356869718696, 0.063969097673376078487),
    ]
)
_x, _w = _LOWER_NODES_AND_WEIGHTS.T
NODES = np.concatenate([_x, 1.0 - _x[::-1]])
WEIGHTS = np.concatenate([_w, _w[::-1]])


def integral(values: Array) -> Array:
    """Integrals over [0, 1] of the values at the nodes, along the last axis.

    They are added in one order on every processor; BLAS has an order for each.
    """
    return np.asarray((values * WEIGHTS).sum(axis=-1))


def panels(ends: Array) -> tuple[Array, Array]:
    """Nodes and weights of the rule on all panels that meet at ``ends``, an ascending array."""
    width = np.diff(ends)
    return (ends[:-1, None] + width[:, None] * NODES).ravel(), np.outer(width, WEIGHTS).ravel()
