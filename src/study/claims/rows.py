"""Select the rows of a result table that a claim is about, each with its value and interval.

The key ``measure`` of a claim of ``config/claims/`` names the table of ``results/``, the rows, and the column
of the value. If the claim is a comparison, it also names the rows to divide by or to subtract.
:mod:`study.claims.verdicts` decides about the claim.
"""

import itertools

import numpy as np
import pandas as pd
from scipy.special import ndtri

from study.workflow.job import InputError

BOUNDS = {"above": np.greater, "below": np.less, "at_least": np.greater_equal, "at_most": np.less_equal}
_TABLE_QUANTILE = ndtri(0.5 + 0.95 / 2.0)  # of the columns low and high in every table of results/


def select(table, where, claim):
    """Rows of a table in which every column of ``where`` meets its condition.

    A condition is a value, a list of values, or bounds such as ``{above: 0.5, at_most: 2}``. Numbers are
    compared to nine digits.

    >>> table = pd.DataFrame({"distribution": ["a", "a", "b"], "kappa": [1.0, 2.0, 1.0]})
    >>> select(table, {"distribution": "a", "kappa": {"above": 1.5}}, "some_claim")
      distribution  kappa
    1   a    2.0
    """
    keep = np.ones(len(table), dtype=bool)
    for column, wanted in where.items():
        values = _column(table, column, claim)
        if isinstance(wanted, dict):
            for bound, limit in wanted.items():
                keep &= BOUNDS[bound](values.to_numpy(dtype=float), limit)
        else:
            wanted = wanted if isinstance(wanted, list) else [wanted]
            keep &= np.logical_or.reduce([_equals(values, value) for value in wanted])
    return table[keep]


def _equals(values, value):
    if isinstance(value, int | float) and not isinstance(value, bool):
        numbers = pd.to_numeric(values, errors="coerce").to_numpy(dtype=float)
        return np.isclose(numbers, value, rtol=1e-9, atol=0.0)
    return (values == value).to_numpy()


def _column(table, column, claim):
    if column not in table.columns:
        problem = f"the table has no column {column}; fix its measure in config/claims/."
        raise InputError(f"claim {claim}: {problem} The columns are {', '.join(map(str, table.columns))}")
    return table[column]


def missing_cells(rows, where):
    """Cells listed by ``where`` that have no row: a part of a grid does not prove a claim about all of it."""
    lists = {column: wanted for column, wanted in where.items() if isinstance(wanted, list)}
    cells = [dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values())]

    def is_there(cell):
        return np.logical_and.reduce([_equals(rows[column], value) for column, value in cell.items()]).any()

    return [cell for cell in cells if not is_there(cell)]


def measured(tables, measure, claim):
    """The rows of a claim with what :func:`with_interval` needs; ``tables`` gives a table of the results by its name.

    They get the columns ``measured`` (the value), ``error`` (its standard error; 0 if the value is exact) and
    ``relative`` (whether the error is that of the logarithm).
    """
    rows = _with_value(select(tables(measure["table"]), measure["where"], claim), measure, claim)
    against = measure.get("against")
    if against is None:
        return rows
    where = {**measure["where"], **against["where"]}
    partners = select(tables(against.get("table", measure["table"])), where, claim)
    partners = _with_value(partners, {**measure, "value": against.get("value", measure["value"])}, claim)
    by = against.get("on", measure.get("by", []))
    if partners.duplicated(by).any() if by else len(partners) > 1:
        raise InputError(f"claim {claim}: several rows to compare one with; name more columns in its `on`")
    how = {"on": by} if by else {"how": "cross"}
    joined = rows.merge(partners[[*by, "measured", "error"]], **how, suffixes=("", "_other"))
    first, second = joined["measured"], joined["measured_other"]
    if against["as"] == "ratio":
        joined["measured"] = first / second
        joined["error"] = np.hypot(joined["error"] / first, joined["error_other"] / second)
        joined["relative"] = True
    else:
        joined["measured"] = first - second
        joined["error"] = np.hypot(joined["error"], joined["error_other"])
    return joined.drop(columns=["measured_other", "error_other"])


def _with_value(rows, measure, claim):
    wanted = measure["value"]
    if isinstance(wanted, dict):  # {column: status, equals: timed}: 1 if equal, 0 if not
        values = _equals(_column(rows, wanted["column"], claim), wanted["equals"]).astype(float)
    else:
        values = _column(rows, wanted, claim).to_numpy(dtype=float)
    if measure.get("missing") == "infinite":
        values = np.where(np.isnan(values), np.inf, values)
    if measure.get("exact", False):
        errors = np.zeros(len(rows))
    else:
        ends = measure.get("interval", ["low", "high"])
        low, high = (_column(rows, end, claim).to_numpy(dtype=float) for end in ends)
        errors = (high - low) / (2.0 * _TABLE_QUANTILE)
    return rows.assign(measured=values, error=errors, relative=False).reset_index(drop=True)


def with_interval(rows, confidence):
    """The rows with ``low`` and ``high``, simultaneous (Bonferroni) over those that have an error."""
    uncertain = int((rows["error"] > 0.0).sum())
    width = -ndtri((1.0 - confidence) / 2.0 / max(uncertain, 1)) * rows["error"]
    value = rows["measured"]
    low = np.where(rows["relative"], value * np.exp(-width), value - width)
    high = np.where(rows["relative"], value * np.exp(width), value + width)
    return rows.assign(low=low, high=high)
