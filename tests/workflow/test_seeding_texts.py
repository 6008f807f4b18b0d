"""The texts that seed the random generators of the study stay byte for byte: others would be other results.

``seeding_texts.csv`` has, for each first text, how many different ones a smoke run uses, and a hash of them.
"""

import ast
import csv
import hashlib
from collections import defaultdict
from pathlib import Path

TABLE = Path(__file__).with_name("seeding_texts.csv")


def rows_of(folder):
    """A row for each first text of what was recorded in a folder."""
    texts = {line for path in folder.iterdir() for line in path.read_text("utf-8").splitlines()}
    groups = defaultdict(list)
    for text in sorted(texts):
        groups[ast.literal_eval(text)[0]].append(text)
    return [
        {"first": first, "texts": str(len(group)), "sha256": hashlib.sha256("\n".join(group).encode()).hexdigest()}
        for first, group in sorted(groups.items())
    ]


def test_texts_of_a_smoke_run_stay_byte_for_byte(smoke_run):
    """On a change that is meant, write what is found into the table."""
    folder = smoke_run.directory.parent / "recorded/texts"
    found = rows_of(folder)
    with TABLE.open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    assert found == written


def test_a_text_that_is_new_lost_or_changed_is_seen(tmp_path):
    texts = ["['a', 1.0, 3]", "['a', 1, 3]", "['b', 'local', 'tight']"]
    found = []
    for number, lines in enumerate([texts, texts[1:], [*texts, "['c']"], [*texts[:2], "['b', 'local', 'wide']"]]):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "7").write_text("\n".join(lines) + "\n", "utf-8")
        found.append(rows_of(folder))
    assert [row["texts"] for row in found[0]] == ["2", "1"]
    assert all(one != other for i, one in enumerate(found) for other in found[:i])
