"""The committed table of ``make robustness``, read without pandas: which verdicts change."""

import csv
import re

from study.workflow.job import InputError

OTHER_PEOPLE = {
    "half_busy": "half as many busy venues",
    "twice_busy": "twice as many busy venues",
    "half_regular": "people half as regular",
    "twice_regular": "people almost twice as regular",
}
"""What the variants that are no seeds have, in words; tools/measure_robustness.py makes them."""
NEVER = "never"


def read_robustness(path):
    """The dates of the table, and by claim the verdict in each variant; empty if there is no table."""
    if not path.is_file():
        return {"date": "", "verdicts": {}}
    with open(path, encoding="utf-8", newline="") as file:
        date = " and ".join(re.findall(r"\d{4}-\d\d-\d\d", file.readline()))
        rows = list(csv.DictReader(file))
    columns = {"claim", "run", *OTHER_PEOPLE}
    names = list(rows[0]) if rows else []
    if not date or names[:2] != ["claim", "run"] or not all(n in columns or _is_seed(n) for n in names):
        raise InputError(f"{path.name} is no table of `make robustness`; run it again, or remove the file")
    return {"date": date, "verdicts": {row.pop("claim"): row for row in rows}}


def _is_seed(variant):
    return variant.startswith("seed_")


def changes(of, verdict):
    """In which variants of a claim the verdict is another, in words; empty if this was not measured.

    ``of`` has the verdict by variant. It says nothing about a run with another verdict than its own run.

    >>> seeds = {f"seed_{i}": "refuted" for i in range(1, 11)}
    >>> changes({"run": "refuted", **seeds, "half_busy": "refuted"}, "refuted")
    'never'
    >>> changes({"run": "refuted", **seeds, "seed_3": "undecidable", "half_busy": "undecidable"}, "refuted")
    'undecidable with 1 of 10 other seeds and with half as many busy venues'
    >>> changes({}, "refuted"), changes({"run": "refuted", **seeds}, "undecidable")
    ('', '')
    """
    if of.get("run") != verdict:
        return ""
    seeds = [variant for variant in of if _is_seed(variant)]
    texts = []
    for other in dict.fromkeys(of.values()):
        if other != verdict:
            count = sum(of[variant] == other for variant in seeds)
            places = [f"{count} of {len(seeds)} other seeds"] * (count > 0)
            places += [words for name, words in OTHER_PEOPLE.items() if of.get(name) == other]
            texts.append(f"{other} " + " and ".join(f"with {place}" for place in places))
    return "; ".join(texts) or NEVER


def summary(measured, texts):
    """A sentence on all claims: how many have verdicts of variants, and how many of these never change.

    ``texts`` has :func:`changes` of each.

    >>> one = {"date": "2026-01-02", "verdicts": {"a": {"run": "refuted", "seed_1": "refuted"}}}
    >>> summary(one, ["never", "", "refuted with twice as many busy venues"])
    'Measured on 2026-01-02 with 1 other seed, of all claims but 1: 1 of 2 verdicts never changes.'
    """
    rest = sum(not text for text in texts)
    texts = [text for text in texts if text]
    if not texts:
        return ""
    variants = next(iter(measured["verdicts"].values()))
    seeds = sum(map(_is_seed, variants))
    people = [words for name, words in OTHER_PEOPLE.items() if name in variants]
    over = f"{seeds} other seed{'s' if seeds != 1 else ''}"
    over += f", and with invented people otherwise ({', '.join(people)})" if people else ""
    never = texts.count(NEVER)
    over += f", of all claims but {rest}" if rest else ""
    return (
        f"Measured on {measured['date']} with {over}: "
        f"{never} of {len(texts)} verdicts never change{'s' if never == 1 else ''}."
    )
