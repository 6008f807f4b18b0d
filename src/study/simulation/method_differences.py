"""Differences between several methods that compute the same numbers, cell by cell."""

import itertools

import numpy as np
import pandas as pd

METHODS = ("high_precision", "cdf", "expected", "published", "numerical", "drawn")
SMALLEST = 1e-290  # doubles lose digits below it: no relative difference there


def both_sides(experiment, forms, **cell):
    """A row for each form and each entry of its sides, ``printed`` and ``exact``, beside the columns of ``cell``."""
    tables = [
        pd.DataFrame({"experiment": experiment, "form": form, **cell, "printed": printed, "exact": exact})
        for form, (printed, exact) in forms.items()
    ]
    table = pd.concat(tables, ignore_index=True)
    return table.assign(difference=table["printed"] - table["exact"])


def differences(table, tolerance, draws):
    """A row for each cell and each pair of the methods that are columns of the table.

    ``value`` is the largest absolute difference and ``relative`` the largest relative one, which is above
    the tolerance at ``lost`` of the ``points``; ``lost_below`` is the largest value among those. ``status``
    judges the absolute difference; draws may be off by 5/√draws. If the paper has no formula, the column
    ``high_precision`` is empty and there is no row.
    """
    methods, rows = [name for name in METHODS if name in table], []
    keys = [name for name in ("distribution", "metric", "dim", "kappa") if name in table]
    for cell, points in table.groupby(keys, sort=False):
        columns = [n for n in methods if points[n].notna().any() or points["high_precision"].notna().all()]
        for against, method in itertools.combinations(columns, 2):
            limit = 5.0 / np.sqrt(draws) if method == "drawn" else tolerance
            finite, base = np.isfinite(points[method]), points[against].abs()
            absolute = (points[method] - points[against]).abs()
            relative = (absolute / base)[base > SMALLEST]
            lost = base[relative.index][~(relative <= limit)]
            status = "agrees" if absolute.max() <= limit else "wrong"
            rows.append(dict(
                zip(keys, cell, strict=True), method=method, against=against, value=absolute[finite].max(),
                relative=relative.max(), lost=len(lost), lost_below=lost.max(), points=len(points),
                not_finite=int((~finite).sum()), status=status if finite.all() else "not finite",
            ))  # fmt: skip
    return pd.DataFrame(rows)


def largest(table, column, method, against):
    """Largest difference of a pair of methods."""
    return table.loc[(table["method"] == method) & (table["against"] == against), column].max()


def panel_dimensions(table):
    """The dimensions of a table that Figures 10 and 11 of paper A have, or all of them."""
    dimensions = list(table["dim"].unique())
    return [dim for dim in (2, 3, 10, 25, 100, 500) if dim in dimensions] or dimensions
