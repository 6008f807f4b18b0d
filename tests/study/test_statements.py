"""The lists of what the sources state: held against the claims, and against the excerpts where they are."""

import os
import re
import shutil
from pathlib import Path

import pytest

from study.claims.claims import read_claims
from study.claims.numbered_statements import listed, names, references

CONFIG = Path(__file__).resolve().parents[2] / "config"


def names_it(place, name):
    """Whether the place of a claim names a statement."""
    return name in references(place) or (not references(name) and name in place)


@pytest.fixture(scope="module")
def book():
    return read_claims(CONFIG / "claims")


def faults_of_lists(book):
    """What is wrong with the lists of statements, held against the places of the claims."""
    faults = []
    for letter, source in book["sources"].items():
        places = {name: one["place"] for name, one in book["claims"].items() if one["source"] == letter}
        claimed = [name for part in source["sections"] for name in names(part.get("claimed", []))]
        every = [name for part in source["sections"] for name in names(listed(part))]
        faults += [f"{letter}: {name} stands twice" for name in set(every) if every.count(name) > 1]
        for name in every:
            covered = any(names_it(place, name) for place in places.values())
            if covered != (name in claimed):
                faults.append(f"{letter}: {name} is {'covered' if covered else 'covered by no claim'}")
        for claim_name, place in places.items():
            faults += [f"{claim_name}: {one} is not listed" for one in references(place) if one not in every]
            if not book["claims"][claim_name]["section"]:
                faults.append(f"{claim_name}: no section")
    return faults


def test_every_statement_is_claimed_or_named_with_a_reason(book):
    assert faults_of_lists(book) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("    place: Eq. 18 (Lemma 21)\n", "    place: Eq. 17\n", "A: Eq. 18 is covered by no claim"),
        ("    place: Eq. 17\n", "    place: Eqs. 17, 99\n", "central_error_wrapped_laplace: Eq. 99 is"),
        ("    place: Eq. 17\n", "    place: Eqs. 9, 17\n", "A: Eq. 9 is covered"),
        ("    place: Eq. 17\n", "    place: the seventeenth\n", "central_error_wrapped_laplace: no section"),
        ("[Figure 8]", "[Figure 10]", "A: Figure 10 stands twice"),
        (", over 3600", ", over 3700", "A: over 3700 is covered by no claim"),
        ("MAEs 0.321, 0.407, 0.695", "MAEs 0.321, 0.408, 0.695", "A: MAE 0.408 is covered by no claim"),
    ],
)
def test_a_list_that_does_not_fit_the_claims_is_found(tmp_path, book, old, new, fault):
    folder = shutil.copytree(CONFIG / "claims", tmp_path / "claims")
    text = (folder / "A.yaml").read_text(encoding="utf-8")
    assert old in text
    (folder / "A.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    found = set(faults_of_lists(read_claims(folder))) - set(faults_of_lists(book))
    assert any(one.startswith(fault) for one in found), found


NUMBERED = re.compile(
    r"(?<![A-Za-z])(Equation|Eq[.]|Theorem|Lemma|Definition|Corollary|Proposition|Fact|Example|Algorithm|Figure|Fig[.]|Table)"
    r"\s+\(?([A-Z]?\d+)|(?<![A-Za-z])(Equation|Eq|Theorem|Lemma|Definition|Corollarie|Figure|Fig)s[.]?\s+"
    r"\(?([A-Z]?\d+)\)?(?:,|\s+and)\s+\(?([A-Z]?\d+)"
)
DISPLAYED = re.compile(r"(?:^|\s|\\tag|\\quad )[({](A?\d{1,2})[)}]\s*(?:\$\$)?\s*$", re.M)
SHORT = {"Equation": "Eq", "Fig": "Figure", "Corollarie": "Corollary"}


def numbers_in(text):
    """The numbered statements that an excerpt names: (kind, number), without the letters of subfigures.

    >>> sorted(numbers_in("By Eqs. (7)\\nand (14), Fig. 2a\\nx = y (3)\\nVMF(3)\\n"))
    [('Eq', '14'), ('Eq', '3'), ('Eq', '7'), ('Figure', '2')]
    """
    found = {("Eq", number) for number in DISPLAYED.findall(text)}
    for one, number, many, *of_many in NUMBERED.findall(text):
        kind = (one or many).removesuffix(".")
        found |= {(SHORT.get(kind, kind), each) for each in (number, *of_many) if each}
    return found


QUOTED = re.compile(r"(?<!Section )(?<![\w./:-])(\d{1,3}(?:,\d{3})+|\d+[.]\d+|\d{3,})(?![.,]?\d|\w)")


def quoted_in(text):
    r"""Decimal and large numbers in the prose of an excerpt, between abstract and references.

    Not years, numbers of sections, of pages or of axes; lines of axes have fewer than four words.

    >>> quoted_in("2.1. We find 0.5 in one of 1,200 cases and over 3600.\n0.2\nsince 2006, as Section 3.2")
    ['0.5', '1,200', '3600']
    """
    text = re.sub(r"\A.*?\nAbstract\n|\nReferences\n.*", "", text, flags=re.S)
    lines = [line for line in text.split("\n") if len(re.findall(r"[^\W\d_]{3,}", line)) >= 4]
    lines = [line for line in lines if "Session 4D" not in line and "2021 ACM" not in line]
    lines = [re.sub(r"^\d+(?:[.]\d+)+[.]? |cid:123", "", line) for line in lines]
    found = [number for line in lines for number in QUOTED.findall(line)]
    return [number for number in found if not re.fullmatch(r"(19|20)\d\d", number)]


@pytest.fixture(scope="module")
def excerpts():
    """The texts of the excerpts by the letter of their source."""
    if not os.environ.get("DIRPRIV_EXCERPTS"):
        pytest.skip("needs the excerpts of the sources, which are not in the project: set DIRPRIV_EXCERPTS")
    texts = [path.read_text(encoding="utf-8") for path in Path(os.environ["DIRPRIV_EXCERPTS"]).glob("*.txt")]
    signs = {"B": "Metric Differential Privacy on the Special Orthogonal", "N": "# Generating vector-valued noise"}
    letters = [next((letter for letter, sign in signs.items() if sign in text), "A") for text in texts]
    assert set(letters) == {"A", "B", "N"}
    pairs = list(zip(letters, texts, strict=True))
    return {letter: [text for one, text in pairs if one == letter] for letter in "ABN"}


def missing_from_list(sections, texts):
    """Numbered statements and quoted numbers of the excerpts that the list of a source does not have."""
    every = [name for part in sections for name in names(listed(part))]
    numbers = {re.sub(r"(?<=\d)[a-z]$", "", name) for name in every}
    wanted = {" ".join(pair).replace("Eq ", "Eq. ") for text in texts for pair in numbers_in(text)}
    quoted = {number for text in texts for number in quoted_in(text)}
    missing = {number for number in quoted if not re.search(rf"(?<![\d.]){number}(?![\d])", " ".join(every))}
    return wanted - numbers, missing, len(wanted), len(quoted)


def test_every_number_of_the_excerpts_is_listed(book, excerpts):
    for letter, source in book["sources"].items():
        if letter == "beyond":  # ours
            continue
        without, missing, wanted, quoted = missing_from_list(source["sections"], excerpts[letter])
        assert not without and not missing, letter
        assert (wanted, quoted) >= {"A": (30, 10), "B": (30, 5), "N": (0, 0)}[letter]


def test_a_number_of_the_excerpts_that_is_not_listed_is_found(book, excerpts):
    parts = [part for part in book["sources"]["A"]["sections"] if part["section"] != "Section 3.6.2"]
    without, missing, *_ = missing_from_list(parts, excerpts["A"])
    assert without == {"Eq. 15", "Eq. 16", "Eq. 17", "Eq. 18", "Theorem 24"} and not missing
    parts = [part for part in book["sources"]["A"]["sections"] if part["section"] != "Section 1"]
    assert {"4.8", "750", "3600", "0.407"} <= missing_from_list(parts, excerpts["A"])[1]
