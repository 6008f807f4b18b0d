"""The numbered statements of the sources: how texts name them, and in which section each stands."""

import re

from study.workflow import settings as s
from study.workflow.settings import key, maybe

_KINDS = (
    "Eqs?[.]|Corollary|Corollaries|Lemmas?|MAEs?|Algorithms?|Definitions?|Examples?|Facts?|Figures?|"
    "Propositions?|Statements?|Tables?|Theorems?"
)
_NUMBER = r"[A-Z]?\d+(?:[.]\d+)?[a-z]?"
_AND, _TO = ", and |, | and ", " to |–"
_REFERENCE = re.compile(rf"\b({_KINDS}) ({_NUMBER}(?:(?:{_AND}|{_TO}){_NUMBER})*)(?!\w)")
OTHERWISE = re.compile(r"\b(?:Equations?|Eqn|Figs?|Thm|Cor|Def|Sec)\b|\bEqs?\b(?![.] )|§|(?<!\w)\(\d+\)")
"""How a place must not name a statement, as it would be overlooked."""


def references(text):
    """The numbered statements that a text names, each by its own name.

    >>> references("Section 3.3, Eqs. 7, 13 to 15 (Corollary 23) and Figure 2c")
    ['Eq. 7', 'Eq. 13', 'Eq. 14', 'Eq. 15', 'Corollary 23', 'Figure 2c']
    """
    statements = []
    for kind, numbers in _REFERENCE.findall(text):
        one = {"Eqs.": "Eq.", "Corollaries": "Corollary"}.get(kind, kind.removesuffix("s"))
        for part in re.split(_AND, numbers):
            first, *last = re.split(_TO, part)
            all_of = range(int(first), int(last[0]) + 1) if last else [first]
            statements += [f"{one} {number}" for number in all_of]
    return statements


def names(texts):
    """Names of the statements in a list of ``config/claims/``: numbered ones, or words that are quoted."""
    return [name for text in texts for name in references(text) or [text]]


def section_of(place, parts):
    """The section that a place names first, or that of the first statement that it names; or None."""
    place = place.replace("Sections ", "Section ")
    matches = {part["section"]: re.search(rf"\b{part['section']}(?!\w|[.]\d)", place) for part in parts}
    starts = [(text.start(), section) for section, text in matches.items() if text]
    if starts:
        return min(starts)[1]
    of = {name: part["section"] for part in parts for name in names(listed(part))}
    return next((of[name] for name in references(place) if name in of), None)


def listed(part):
    """All that a section states, claimed or not."""
    return sum(part.get("not_claimed", {}).values(), part.get("claimed", []))


class SourceSection(s.Section):
    """what a section states"""

    section: str = key("the section as places name it")
    title: str = key("its title, without <, { and }, which Snakemake would act on", pattern=r"^[^<{}]*\Z")
    claimed: s.Listed[str] = maybe("statements and quoted numbers that claims cover")
    not_claimed: dict[str, s.Listed[str]] = maybe("by reason the statements and numbers that no claim covers")
