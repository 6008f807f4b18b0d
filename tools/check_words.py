"""Check the words of all that is read: phrases with a simpler one. `make lint` runs it.

It reads the README and all pages, notebooks, captions, titles, claims, settings, tools, and the code with its
docstrings and messages; not the tests.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUFFIXES = set(".py .pyi .sql .yaml .yml .rst .smk .j2 .md .ipynb .html .js .toml .cff".split())
NAMES = {"Makefile", "Snakefile", "run"}
UNREAD = "tests/", "tools/check_words.py"
INSTEAD = {
    "mend(s|ed|ing)?": "fix",
    "hand(s|ed|ing)? on": "publish, share or pass",
    "tak(e|es|ing) off who": "removes who",
    "of the user's": "the user's",
    "of yours": "your",
    "as good as (certain|never|nothing)": "nearly certain",
    "so (many|much)(?! \\w+ that)": "this many, that many",
    "but for": "except",
    "all else": "everything else",
    "(tell|tells|told) (of|none)": "says about, mentions",
    "tells? (how|what|where|when|whose|which)": "shows, says",
    "(is|are|was|were) told(?! apart)": "is given, is known",
    "as (it is |they are )?told": "as described",
    "said of": "about",
    "(it|they|that|which|claim .*) stands? in": "is in",
    "as (it|they) stands?": "as it is",
    "distributions? of the noise": "noise distribution",
    "in the place of": "instead of, in place of",
    "anew": "again",
    "beforehand": "before",
    "somebody": "someone, a person",
    "without a word": "silently",
    "for nothing(?! else)": "without need, in vain",
    "(keeps?|kept|keeping) (its|their|a) word": "holds",
    "knows? nothing of": "ignores, does not provide",
    "com(e|es|ing) on top": "is added",
    "the own": "your own, each person's own",
    "even day": "uniform day",
    "evenly spread": "uniform",
    "(give|gives|gave|given|giving) away": "reveals",
    "(promises?|protects?) almost nothing": "gives almost no protection",
    "hardly ever": "almost never",
    "at last": "finally, at the end",
    "holder of the (true )?data": "data owner",
    "what (\\w+ ){1,5}is what": "name the thing, then say what it is",
}
"""By phrase, as a regular expression: what to write instead."""
KEPT = {("src/dirpriv/estimators/", "distribution of the noise"): "parameters are distributions in the API"}
"""Phrases that stay, by the beginning of a path, and why."""


def texts():
    """By file that is read: its text; of a notebook, that of its cells."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in sorted(set(names)):
        path = ROOT / name
        if name.startswith(UNREAD) or not (path.suffix in SUFFIXES or path.name in NAMES):
            continue
        if path.is_file():  # git lists a file that was removed until this is committed
            text = path.read_text("utf-8")
            if path.suffix == ".ipynb":
                text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
            yield name, text


def faults(text, where=""):
    """Lines that say which phrases of a text have a simpler one; a phrase may go over the end of a line."""
    problems = []
    for phrase, better in INSTEAD.items():
        for match in re.finditer(rf"\b{phrase}\b".replace(" ", r"[\s#\"]+"), text, re.I):
            words = " ".join(re.findall(r"[\w']+", match[0]))
            if not any(where.startswith(path) and words.lower() == kept for path, kept in KEPT):
                line = text.count("\n", 0, match.start()) + 1
                problems.append(f"{where}:{line}: write {better!r} instead of {words!r}")
    return problems


def main():
    files = dict(texts())
    problems = [line for name, text in files.items() for line in faults(text, name)]
    print("\n".join([*problems, f"{len(files)} files, {len(problems)} phrases with a simpler one"]))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
