"""Rule check_claims: compare every claim of ``config/claims/`` with the results of this run.

It reads only the tables of ``results/`` and the statements of the sources. :mod:`study.claims.verdicts`
defines the verdicts. An unexpected verdict does not fail this rule but ``require_expected_claims``, so that this
table, the page and the figure exist in that case too.
"""

import json

import numpy as np
import pandas as pd

from study.claims import verdicts
from study.claims import words as text
from study.claims.claims import FAILED, texts_of
from study.claims.robustness_table import changes
from study.claims.rows import measured, missing_cells, select
from study.simulation.populations import INVENTED
from study.workflow.job import InputError, job, write_csv

OF_NO_DATASET = (None, *INVENTED)
"""Populations of a claim that is not about data."""


LIKE_THE_SAMPLE = "checkins/compared.csv"


def check(claims, tables, settings, user_data=(), variants=None, unlike=None):
    """Verdicts of claims; ``tables`` maps a name such as ``audit/audit.csv`` to its table.

    ``user_data`` names the datasets that are read from users' files. A claim about data, one whose
    ``where`` names a dataset, has a row for each of these before that of the dataset that it names.
    ``variants`` has by claim the verdicts of ``make robustness``, and ``unlike`` what :func:`unlike_sample`
    gives.
    """
    rows, numbers = [], {}
    for name, claim in claims.items():
        named = claim["measure"]["where"].get("population")
        about = [""] if named in OF_NO_DATASET else [*sorted(set(user_data) - {named}), named]
        rows += [check_one(name, claim, tables, settings, dataset, dataset in user_data) for dataset in about]
        wanted = claim.get("numbers", {})
        numbers[name] = {key: number_of(number, claim, tables, name) for key, number in wanted.items()}
    table = pd.DataFrame(rows)
    of_variants = [{} if row["status"] == verdicts.REPORTED else (variants or {}).get(row["claim"], {}) for row in rows]
    table["changes"] = list(map(changes, of_variants, table["verdict"]))
    table["unlike_sample"] = [(unlike or {}).get(name, "") for name in table["dataset"]]
    rows = list(table.itertuples())
    judged = {row.claim: row for row in rows}  # of several datasets the built-in one is the last
    for key, fill in (("finding", text.finding), ("headline", text.finding), ("because", text.filled)):
        shown = [judged[row.claim] for row in rows] if key == "because" else rows
        table[key] = [fill(texts_of(claims[row.claim])[key], row, judged, numbers[row.claim]) for row in shown]
    return table


def unlike_sample(compared):
    """By dataset the statistics in which it is farther from the real sample than is allowed, in words.

    >>> columns = ["population", "statistic", "at", "target", "value", "within"]
    >>> rows = [["world", "regularity", 0.5, 0.6, 0.4, "no"], ["city", "regularity", 0.5, 0.6, 0.5, "yes"]]
    >>> unlike_sample(pd.DataFrame(rows, columns=columns))
    {'world': 'regularity at 0.5: 0.4, not 0.6'}
    """
    differences = {}
    for row in compared[compared["within"] == "no"].itertuples():
        at = f" at {text.number(row.at)}" if row.at == row.at else ""
        one = f"{row.statistic}{at}: {text.number(row.value)}, not {text.number(row.target)}"
        differences[row.population] = "; ".join(filter(None, (differences.get(row.population), one)))
    return differences


def number_of(wanted, claim, tables, name):
    """A number of the results that a text of a claim shows; not a number if this run has none such."""
    own = claim["measure"]
    if "table" not in wanted:
        wanted = {"table": own["table"], "value": own["value"]} | wanted
        wanted |= {"where": own["where"] | wanted.get("where", {})}
    measure = {"where": {}, "exact": True} | wanted
    values = measured(tables, measure, name)["measured"].dropna()
    take = measure.get("take")
    if take is None and values.nunique() > 1:
        raise InputError(f"claim {name}: a number of it has several rows; name more columns in its `where`")
    if take == "rows":
        return len(values)
    return (values.max() if take == "largest" else values.min()) if len(values) else np.nan


def check_one(name, claim, tables, settings, dataset="", is_user_data=False):
    """The row of one claim: what is stated and measured, the verdict; ``is_user_data``: on a user's file."""
    measure = claim["measure"]
    if dataset:
        measure = measure | {"where": measure["where"] | {"population": dataset}}

    def judged(claim):
        return verdicts.decide(rows, claim, missing, settings) if claim else {"verdict": ""}

    if claim.get("timed", False) and not settings["timings"]:
        rows, missing = pd.DataFrame(), []
        decision = judged(claim)
        decision["reason"] = "it is about speed, which is not measured where the machine may be busy"
    else:
        table, rows = tables(measure["table"]), measured(tables, measure, name)
        missing = missing_cells(rows, measure["where"])
        decision = judged(claim)
        if is_user_data and decision["verdict"] == verdicts.UNDECIDABLE and (missing or rows.empty):
            grid = claim["measure"]["where"]  # of the built-in data: this run's grid may lack cells of it
            built_in = select(table, grid, name)
            covered = len(built_in) and not missing_cells(built_in, grid)
            if covered or dataset not in set(table["population"]):
                decision["reason"] = f"it needs {claim['needs']}"
    expected = "" if is_user_data else claim["verdict"]
    fails = decision["verdict"] in FAILED
    made_in = f"results/{measure['table']}"
    figure = f"figures/{claim['figure']}.png" if "figure" in claim else ""
    failure = claim if fails and expected in FAILED else {}
    return {
        "claim": name,
        "dataset": dataset,
        **{key: claim[key] for key in ("source", "place", "kind", "title", "says", "quantity", "excerpt")},
        **{key: claim.get(key, "") for key in ("section", "reconstruction", "unit")},
        "measured_in": made_in,
        "rows_are": text.described(measure),
        "accepted": text.accepted(claim, decision["stated"]),
        "because": claim["because"],
        **{key: decision[key] for key in ("value", "low", "high")},
        "confidence": settings["confidence"] if decision["low"] < decision["high"] else np.nan,
        "stated": decision["stated"],
        "accepted_from": decision["from"],
        "accepted_to": decision["to"],
        "where": text.place_of(rows, decision["row"], measure),
        **{key: decision[key] for key in ("rows", "rows_fulfilling", "verdict", "reason")},
        "at_half": judged(verdicts.scaled(claim, 0.5))["verdict"],
        "at_twice": judged(verdicts.scaled(claim, 2.0))["verdict"],
        "detectable": decision["detectable"],
        "severity": failure.get("severity", ""),
        "fault": failure.get("fault", name) if fails else "",
        "counter_example": text.counter_example(rows, decision, claim),
        "expected_verdict": expected,
        "status": verdicts.compare(decision["verdict"], expected),
        "figure": figure,
        "command": f"snakemake --cores all {figure or made_in}",
    }


if __name__ == "__main__":
    with job(snakemake) as logger:
        read = {path.removeprefix("results/"): pd.read_csv(path) for path in snakemake.input}
        params = snakemake.params
        claims, variants = json.loads(params.claims), json.loads(params.variants)
        unlike = unlike_sample(read[LIKE_THE_SAMPLE]) if LIKE_THE_SAMPLE in read else {}
        table = check(claims, read.__getitem__, params.settings, params.given, variants, unlike)
        write_csv(table, snakemake.output[0])
        logger.info("%s", table["verdict"].value_counts().to_dict())
