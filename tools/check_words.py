"""Check the words of src, in code, comments and texts: phrases with a simpler one. `make lint` runs it."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUFFIXES = {".py", ".pyi", ".sql", ".yaml", ".rst", ".smk", ".j2"}
INSTEAD = {
    "mend(s|ed|ing)?": "fix",
    "hand(s|ed|ing)? on": "publish, share or pass",
    "tak(e|es|ing) off who": "removes who",
    "of the user's": "the user's",
    "as good as (certain|never|nothing)": "nearly certain",
    "so (many|much)(?! \\w+ that)": "this many, that many",
    "but for": "except",
    "all else": "everything else",
    "(tell|tells|told) (of|none)": "says about, mentions",
    "as (it is |they are )?told": "as described",
    "said of": "about",
    "(it|they|that|which|claim .*) stands? in": "is in",
    "as (it|they) stands?": "as it is",
    "laws? of the noise": "noise distribution",
}
"""By phrase, as a regular expression: what to write instead."""
SHOWN = "captions and figures are results, which keep their bytes"
KEPT = {
    ("src/dirpriv/estimators/", "law of the noise"): "parameters are laws in the API",
    ("src/study/experiments/time_histogram/caption.rst", "as it is told"): SHOWN,
    ("src/study/experiments/trust_models/caption.rst", "so many"): SHOWN,
    ("src/study/experiments/vector_noise/caption.rst", "so many"): SHOWN,
}
"""Phrases that stay, by the beginning of a path, and why."""


def faults(text, where=""):
    """Lines that say which phrases of a text have a simpler one; a phrase may go over the end of a line."""
    found = []
    for phrase, better in INSTEAD.items():
        for match in re.finditer(rf"\b{phrase}\b".replace(" ", r"[\s#\"]+"), text, re.I):
            words = " ".join(re.findall(r"[\w']+", match[0]))
            if not any(where.startswith(path) and words.lower() == kept for path, kept in KEPT):
                line = text.count("\n", 0, match.start()) + 1
                found.append(f"{where}:{line}: write {better!r} instead of {words!r}")
    return found


def main():
    paths = sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in SUFFIXES)
    found = [
        line for path in paths for line in faults(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())
    ]
    print("\n".join([*found, f"{len(paths)} files, {len(found)} phrases with a simpler one"]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
