"""Rule require_expected_claims: fail if a verdict is not the one that ``config/claims/`` expects.

It is the last rule of the workflow: if it fails, all other results exist. Verdicts on users' files are
reported, and no verdict is expected of them.
"""

import json

from study.claims.verdicts import CHANGED, OPEN, REPORTED
from study.claims.words import counts, interval, read_verdicts, said
from study.workflow.job import InputError, job, write_text


def unexpected(claims, settings):
    """One paragraph for each verdict that fails the run by the section ``claims`` of the settings."""
    failing = {CHANGED: settings["changed"] == "fail", OPEN: settings["undecided"] == "fail"}
    return [_described(row) for row in claims.itertuples() if failing.get(row.status, False)]


def _described(row):
    confidence = f" at {100.0 * row.confidence:.6g} %" if row.low < row.high else ""
    lines = [
        f"{row.claim} ({row.source}, {row.place}): {row.verdict}, expected {row.expected_verdict}",
        f"  {row.quantity}: {interval(row)}{confidence}, accepted {row.accepted}",
    ]
    if row.counter_example or row.reason:
        lines.append(f"  {row.counter_example or row.reason}")
    places = ", ".join(filter(None, (row.measured_in, row.figure)))
    lines.append(f"  look at {places}, and at the row of results/claims.html")
    return "\n".join(lines)


if __name__ == "__main__":
    with job(snakemake):
        claims = read_verdicts(snakemake.input.claims)
        problems = unexpected(claims, snakemake.params.settings)
        if problems:
            count = "1 claim has" if len(problems) == 1 else f"{len(problems)} claims have"
            raise InputError(
                f"{count} another verdict than expected:\n" + "\n".join(problems) + "\n"
                "If the results are right, change the verdict in config/claims/; if not, find what broke.\n"
                "On a smaller grid of your own, `undecided: report` under `claims:` lets open claims pass."
            )
        sources = json.loads(snakemake.params.sources)
        lines = [f"{claims['claim'].nunique()} claims", *counts(claims, sources).split("; ")]
        different = claims["status"].isin([CHANGED, OPEN])
        lines += [f"not as expected: {name}" for name in claims.loc[different, "claim"]]
        reported = claims[claims["status"] == REPORTED]
        lines += [f"on {row.dataset}: {row.claim}: {said(row)}" for row in reported.itertuples()]
        write_text("\n".join(lines) + "\n", snakemake.output[0])
