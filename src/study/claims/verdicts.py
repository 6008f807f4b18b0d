"""Verdicts on claims. They are computed from values, intervals and the statement of the source.

A claim accepts a region: ``near`` a value (± tolerance), ``above`` or ``below`` it, or ``within`` two. It is
about ``every`` row of its measure, about ``some`` row, or about one that the source leaves open (``unknown``:
one interval over all rows). An interval inside the region fulfils the claim, one outside contradicts it, and
one across the border leaves it open. The verdict is

reproduced
    every row fulfils it, and no cell of the grid it speaks of is missing (``some``: one row fulfils it).
refuted
    it is a *statement* (a theorem, a formula, a sentence of the kind "always") and there is a
    counter-example that is computed without chance, or that chance explains with a probability below
    1 - ``certainty`` only.
not reproduced
    it is contradicted, and is either a *result* (a number or a figure of an experiment, which another
    experiment may not find again but cannot refute), or a statement with a less certain counter-example.
undecidable
    neither: cells are missing, the source leaves open what is needed, or an interval crosses the border. So is
    a claim whose entry says in ``undecided`` what is not known; its measurement is shown all the same.
"""

import numpy as np

from study.claims.rows import with_interval

VERDICTS = ("reproduced", "not reproduced", "refuted", "undecidable")
REPRODUCED, NOT_REPRODUCED, REFUTED, UNDECIDABLE = VERDICTS
AS_EXPECTED, CHANGED, OPEN = "as expected", "changed", "not decided here"
REPORTED = "reported"
"""Status of a verdict on a user's file, of which none is expected."""


def with_region(rows, claim):
    """Rows with ``stated`` (the value of the source) and the accepted region ``from``-``to``."""
    expected, relation = claim["expected"], claim["relation"]
    if relation == "within":
        low, high = map(float, expected)
        return rows.assign(stated=(low + high) / 2.0, **{"from": low, "to": high})
    stated = rows[expected["column"]].astype(float) if isinstance(expected, dict) else float(expected)
    width = float(claim.get("tolerance", 0.0))
    if claim.get("tolerance_of") == "value":
        width = width * np.abs(stated)
    low = stated - width if relation in ("near", "above") else -np.inf
    high = stated + width if relation in ("near", "below") else np.inf
    return rows.assign(stated=stated, **{"from": low, "to": high})


def scaled(claim, factor):
    """The claim with this multiple of its tolerance, or of what it is ``within``; None if it has neither."""
    if claim["relation"] == "within":
        low, high = claim["expected"]
        middle, half = (low + high) / 2.0, factor * (high - low) / 2.0
        return claim | {"expected": [middle - half, middle + half]}
    return claim | {"tolerance": factor * claim["tolerance"]} if "tolerance" in claim else None


def detectable(row):
    """How far outside its region a value must be for an interval as wide as that of this row to show it.

    A true value so far outside gives an interval outside the region with a probability of at least
    (1 + confidence) / 2: the measured value would have to miss it by half the width of the interval. So
    it is the whole width, and for a ratio, whose logarithm has the interval, a share of the border.
    """
    low, high = row["low"], row["high"]
    if not low < high:
        return np.nan
    if not row["relative"]:
        return high - low
    above = row["to"] - row["measured"] < row["measured"] - row["from"]  # the nearer border
    return row["to"] * (high / low - 1.0) if above else row["from"] * (1.0 - low / high)


def _inside_outside(rows, relation):
    """Whether intervals lie in their regions, and whether outside; a value on a border is neither above nor below."""
    low, high, start, end = (rows[key].to_numpy() for key in ("low", "high", "from", "to"))
    one_sided = {"above": (low > start, high <= start), "below": (high < end, low >= end)}
    between = (low >= start) & (high <= end), (high < start) | (low > end)
    return one_sided.get(relation, between)


def _slack(rows):
    """Distance of a value from the border of its region, negative outside, relative to the stated value."""
    slack = np.minimum(rows["measured"] - rows["from"], rows["to"] - rows["measured"]).to_numpy(dtype=float)
    scale = np.where(rows["stated"] == 0.0, 1.0, np.abs(rows["stated"]))
    return np.where(np.isnan(slack), -np.inf, slack / scale)


def decide(rows, claim, missing, settings):
    """Verdict on a claim from its measured rows.

    ``missing`` are the cells that the claim is about and the table does not have. Returns the verdict, the
    reason if it is undecidable, and value, low, high, stated, from, to and :func:`detectable` of the row that
    decides: the one nearest to the border, or furthest beyond it. Also returns ``row``, its position or None,
    and how many rows fulfil the claim.
    """
    relation, about = claim["relation"], claim.get("rows", "every")
    decision = {"rows": len(rows), "rows_fulfilling": 0, "row": None, "contradicted": False, "reason": ""}
    ends = ("low", "high", "stated", "from", "to")
    decision |= dict.fromkeys(("value", "detectable", *ends), np.nan)
    if rows.empty:
        return decision | {"verdict": UNDECIDABLE, "reason": _missing_text(missing)}
    rows = with_interval(with_region(rows, claim), settings["confidence"]).reset_index(drop=True)
    inside, outside = _inside_outside(rows, relation)
    decision["rows_fulfilling"] = int(inside.sum())
    if about == "unknown":
        hull = rows.iloc[:1].assign(low=rows["low"].min(), high=rows["high"].max(), measured=np.nan)
        decision |= {key: float(hull[key].iloc[0]) for key in ends}
        fulfilled, contradicted = (not missing and is_so[0] for is_so in _inside_outside(hull, relation))
        reason = "the values go across what is accepted, by what the source leaves open"
    else:
        slack = _slack(rows)
        worst = int(np.argmin(slack) if about == "every" else np.argmax(slack))
        decision |= {key: float(rows.loc[worst, key]) for key in ends}
        decision |= {"value": float(rows.loc[worst, "measured"]), "row": worst}
        decision["detectable"] = float(detectable(rows.loc[worst]))
        if about == "every":
            contradicted, fulfilled = outside.any(), inside.all() and not missing
        else:
            contradicted, fulfilled = outside.all() and not missing, inside.any()
        reason = "an interval crosses the border of what is accepted"
    if "undecided" in claim:
        return decision | {"verdict": UNDECIDABLE, "reason": claim["undecided"]}
    if fulfilled:
        return decision | {"verdict": REPRODUCED}
    if contradicted:
        _, certain = _inside_outside(with_interval(rows, settings["certainty"]), relation)
        certain = certain.any() if about == "every" else certain.all()
        refuted = claim["kind"] == "statement" and certain
        return decision | {"verdict": REFUTED if refuted else NOT_REPRODUCED, "contradicted": True}
    if rows["measured"].isna().any() and about != "unknown":
        reason = "a cell has no value: it could not be computed within the limits of the configuration"
    return decision | {"verdict": UNDECIDABLE, "reason": _missing_text(missing) if missing else reason}


def _missing_text(missing):
    if not missing:
        return "the results have no row that the claim is about"
    first = ", ".join(f"{column} = {_written(value)}" for column, value in missing[0].items())
    count = "1 cell is" if len(missing) == 1 else f"{len(missing)} cells are"
    return f"{count} not in the results: {first}" + (", …" if len(missing) > 1 else "")


def _written(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def compare(verdict, expected):
    """Whether a verdict is the expected one; none is expected on a user's file.

    >>> compare("refuted", "refuted"), compare("reproduced", "refuted"), compare("undecidable", "refuted")
    ('as expected', 'changed', 'not decided here')
    >>> compare("refuted", "")
    'reported'
    """
    if not expected:
        return REPORTED
    if verdict == expected:
        return AS_EXPECTED
    return OPEN if verdict == UNDECIDABLE else CHANGED
