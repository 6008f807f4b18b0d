"""All tests draw with a seed except those of ``tests/unseeded.csv``, whose rates of error add up to little.

Of each of these the table has the probability that it fails for nothing and that it misses its wrong variant.
"""

import csv
import fnmatch
import os
import re
from pathlib import Path

import numpy as np

from dirpriv.exact.sampling import random_words
from study.simulation import seeding

TESTS = Path(__file__).resolve().parents[1]
MOST = 1e-4
"""Of the sum of all rates: how often a run of all tests may fail for nothing."""
# what starts processes, forks and threads, by itself or by a module beside the test
STARTS = re.compile(r"\bsubprocess\b|\bfork|\bmultiprocessing\b|\bthreading\b")
SEEDED = "study", "workflow", "cluster"  # folders whose processes are those of the study, which has a seed


def listed():
    with open(TESTS / "unseeded.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def sources(path):
    """The text of a test file and those of the modules beside it that it imports."""
    text = path.read_text(encoding="utf-8")
    names = re.findall(r"^(?:from|import) (\w+)", text, re.M)
    beside = [path.with_name(f"{name}.py") for name in names]
    return "\n".join([text, *(other.read_text(encoding="utf-8") for other in beside if other.exists())])


def starting():
    """Files of tests that start something."""
    paths = [path for path in TESTS.glob("*/test_*.py") if path.parent.name not in SEEDED]
    found = [path for path in paths if path != Path(__file__) and STARTS.search(sources(path))]
    return [f"tests/{path.relative_to(TESTS)}" for path in found]


def test_what_starts_a_process_is_listed():
    """A thread takes its draws in any order, too. A file without its row is noticed."""
    files, rows = starting(), listed()
    patterns = [row["test"].split("::")[0] for row in rows]
    assert [name for name in files if not any(fnmatch.fnmatch(name, each) for each in patterns)] == []
    assert len({*patterns}) == len(patterns)
    for row, pattern in zip(rows, patterns, strict=True):
        function, paths = row["test"].partition("::")[2], [*TESTS.parent.glob(pattern)]
        assert paths and all(f"def {function}" in path.read_text("utf-8") for path in paths), row["test"]


def test_the_rates_add_up_to_little():
    rates = [float(row[rate]) for row in listed() for rate in ("false_alarms", "missed")]
    assert min(rates) >= 0.0 and sum(rates) <= MOST


def test_a_test_draws_by_the_seed_and_its_name(request):
    """Releases, and NumPy's generators without a seed."""
    seed = int(os.environ.get("SEED_OF_DRAWS", "1"))
    draws = seeding.generator(seed, request.node.nodeid).bytes
    assert random_words(3).tobytes() == draws(24)
    assert np.random.default_rng().bit_generator.seed_seq.entropy == int.from_bytes(draws(16), "big")
