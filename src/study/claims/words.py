"""Text for claims, measured values and counter-examples, from the results and config/claims/."""

import re

import numpy as np
import pandas as pd

from study.claims.claims import FAILED, OURS, SEVERITIES
from study.claims.verdicts import AS_EXPECTED, REPORTED, REPRODUCED, UNDECIDABLE

NUMBERS = ("value", "low", "high", "detectable", "confidence", "stated", "accepted_from", "accepted_to")
"""Columns of results/claims.csv in which an empty cell is a missing number; in others it is empty text."""


def read_verdicts(path):
    """The table of :func:`study.claims.check.check`, as written to ``results/claims.csv``."""
    return pd.read_csv(path, keep_default_na=False, na_values={name: [""] for name in NUMBERS})


def groups(claims, sources):
    """The rows of each who makes claims, by name: sources, whom they quote, we; then users' files."""
    on_file, quoted = claims["status"] == REPORTED, claims["excerpt"] == "quoted"
    parts = {}
    for letter, source in sources.items():
        own = ~on_file & (claims["source"] == letter)
        parts |= {source["name"]: claims[own & ~quoted], f"Quoted by {source['name']}": claims[own & quoted]}
    for name, rows in claims[on_file].groupby("dataset"):
        own = rows["source"] == OURS
        parts |= {f"On {name}": rows[~own], f"On {name}, beyond the papers": rows[own]}
    return {name: rows for name, rows in parts.items() if len(rows)}


def faults(claims):
    """Claims that fail, the most severe first; of those that fail by one fault the worst."""
    failed = claims[claims["verdict"].isin(FAILED)]
    severe = failed["severity"].map({"": -1} | {name: rank for rank, name in enumerate(SEVERITIES)})
    order = failed.assign(severe=severe).sort_values("severe", ascending=False, kind="stable")
    return order.drop_duplicates("fault")


def counts(claims, sources):
    """How many claims of each who makes some hold, and their faults by severity, as text."""
    return "; ".join(f"{name}: {count(rows)}" for name, rows in groups(claims, sources).items())


def statuses(claims, sources):
    """How many claims of each who makes some have which status, as text."""
    counted = {name: rows["status"].value_counts().items() for name, rows in groups(claims, sources).items()}
    return "; ".join(f"{name}: {', '.join(f'{n} {of}' for of, n in rows)}" for name, rows in counted.items())


def count(claims):
    """How many of these claims hold and how they fail; a fault counts once, however many fail by it.

    >>> own = pd.DataFrame({"source": OURS, "verdict": ["reproduced"] * 2, "severity": "", "fault": ""})
    >>> count(own), count(own.assign(source="A", verdict="refuted", severity="misprint"))
    ('2 of 2 hold', '0 of 2 reproduced, 1 fault (1 misprint)')
    """
    ours = (claims["source"] == OURS).all()
    text = [f"{(claims['verdict'] == REPRODUCED).sum()} of {len(claims)} {'hold' if ours else 'reproduced'}"]
    if len(failed := faults(claims)):
        kinds = failed["severity"].where(failed["severity"] != "", failed["verdict"]).value_counts()
        of_kinds = ", ".join(f"{kinds[kind]} {kind}" for kind in (*SEVERITIES, *FAILED) if kind in kinds)
        noun = "fault" if (failed["severity"] != "").any() else "failure"  # whose is not known
        text.append(f"{len(failed)} {noun}{'s' if len(failed) > 1 else ''} ({of_kinds})")
    if left := (claims["verdict"] == UNDECIDABLE).sum():
        text.append(f"{left} undecidable")
    return ", ".join(text)


def said(row):
    """The verdict in words: our own claims hold or fail."""
    wording = {REPRODUCED: "holds"} | dict.fromkeys(FAILED, "fails")
    return wording.get(row.verdict, row.verdict) if row.source == OURS else row.verdict


_FIELD = re.compile(r"{(?:([a-z0-9_]+)[.])?([a-z0-9_]+)(?::([^{}]*))?}")
_SENTENCES = re.compile(r"(?<=[.;]) (?=[A-ZΑ-Ω{φ])")


def finding(says, row, rows, numbers):
    """A finding or a headline with its numbers; of a user's file nothing, of another verdict only that."""
    if row.status == REPORTED or not says:
        return ""
    if row.status != AS_EXPECTED:
        return f"This run finds: {row.verdict}." + (f" Reason: {row.reason}." if row.reason else "")
    return filled(says, row, rows, numbers)


def filled(says, row, rows, numbers, missing="This run has no such row."):
    """A text on a claim with its numbers; a sentence whose numbers this run does not have says so, or is left out.

    ``numbers`` are those of the claim by name. Other fields are columns of its row, or of that of another
    claim, ``{name.value}``.
    """

    def shown(field):
        other, name, form = field.groups("")
        of = rows[other] if other else row
        value = numbers[name] if name in numbers and not other else getattr(of, name)
        if isinstance(value, str):
            return value
        if np.isnan(value) or of.status == REPORTED:
            raise LookupError
        return format(value, form).replace("-", "−" if form.endswith("f") else "-")

    sentences = []
    for sentence in _SENTENCES.split(says):
        try:
            sentences.append(_FIELD.sub(shown, sentence))
        except LookupError:
            sentences.append(missing)
    return " ".join(filter(None, dict.fromkeys(sentences)))


def interval(row):
    """Value of a claim with its interval."""
    value = "" if pd.isna(row.value) else "not finite" if np.isinf(row.value) else number(row.value)
    ends = f"[{number(row.low)}, {number(row.high)}]" if row.low < row.high else ""
    return f"{value} {ends}".strip() or "no value"


def with_unit(row):
    """Value of a claim with its interval and its unit, where it is a number."""
    return f"{interval(row)} {row.unit}".strip() if np.isfinite(row.low) else interval(row)


def described(measure):
    """The measure in words: the rows, and what they are compared with."""
    value, against = measure["value"], measure.get("against")
    text = f"{value['column']} = {value['equals']}" if isinstance(value, dict) else value
    text += _conditions(measure["where"])
    if against:
        how = {"ratio": "divided by that", "difference": "less that"}[against["as"]]
        column = f" ({against['value']})" if "value" in against else ""
        text += f", {how}{column}{_conditions(against['where'])}"
    return text


def _conditions(where):
    text = "; ".join(f"{column} {_condition(wanted)}" for column, wanted in where.items())
    return f" where {text}" if text else ""


def _condition(wanted):
    if isinstance(wanted, dict):
        signs = {"above": ">", "below": "<", "at_least": "≥", "at_most": "≤"}
        return " and ".join(f"{signs[bound]} {number(limit)}" for bound, limit in wanted.items())
    if isinstance(wanted, list):
        return "in " + ", ".join(number(value) for value in wanted)
    return "= " + number(wanted)


def number(value):
    """A number as text, to at most five digits; other values unchanged.

    >>> number(0.123456), number(1 - 3e-9)  # so that it can be seen why 1 - 3e-9 is below 1
    ('0.12346', '1 − 3e-09')
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        return str(value)
    if float(value).is_integer():
        return f"{value:.6g}"
    text = f"{value:.5g}"
    if not (abs(value) < 10.0 and float(text).is_integer()):
        return text
    return f"{text} {'−' if value < float(text) else '+'} {abs(value - float(text)):.2g}"


def accepted(claim, stated):
    """The accepted region in words, for the row that decides; ``stated`` is the stated value."""
    expected, tolerance = claim["expected"], claim.get("tolerance", 0.0)
    relation, about = claim["relation"], claim.get("rows", "every")
    if relation == "within":
        text = f"from {number(expected[0])} to {number(expected[1])}"
    else:
        sign = {"near": "", "above": "> ", "below": "< "}[relation]
        if isinstance(expected, dict):
            stated = f"{'' if np.isnan(stated) else number(stated) + ' '}({expected['column']})"
        else:
            stated = number(expected)
        width = f"{100.0 * tolerance:.3g} %" if claim.get("tolerance_of") == "value" else number(tolerance)
        plus = {"near": " ± ", "above": " − ", "below": " + "}[relation]
        text = sign + stated + (f"{plus}{width}" if tolerance else "")
    return text + {"every": "", "some": ", in some row", "unknown": ", for the rows it may mean"}[about]


def place_of(rows, row, measure):
    """The deciding cell in words, by the columns that name a row."""
    if row is None:
        return ""
    names = [column for column, wanted in measure["where"].items() if isinstance(wanted, list | dict)]
    names = list(dict.fromkeys([*measure.get("by", []), *names]))
    cells = rows[names].astype(object).iloc[row]  # Python's own numbers
    return ", ".join(f"{name} = {number(value)}" for name, value in cells.items())


def counter_example(rows, decision, claim):
    """The row of the results in which a contradicted claim fails most, in words."""
    if not decision["contradicted"] or decision["row"] is None:
        return ""
    where = place_of(rows, decision["row"], claim["measure"])
    value = interval(pd.Series(decision))
    text = f"{claim['quantity']} = {value} where {region(decision['from'], decision['to'])} is accepted"
    fails = decision["rows"] - decision["rows_fulfilling"]
    count = f" (not fulfilled in {fails} of {decision['rows']} rows)" if decision["rows"] > 1 else ""
    return (f"{where}: " if where else "") + text + count


def region(low, high):
    if low == high:
        return number(low)
    ends = [f"> {number(low)}"] if np.isfinite(low) else []
    ends += [f"< {number(high)}"] if np.isfinite(high) else []
    return " and ".join(ends)
