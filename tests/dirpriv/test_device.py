"""Releases as documents for devices: read back, refused where they break their promise, drawn from in node.

The test in node draws from the operating system: a correct sampler fails with the probability ALPHA.
"""

import hashlib
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from device_vectors import PLACE, vectors
from node import in_node
from scipy import stats

from dirpriv import InvalidArgument
from dirpriv.release import CircleRelease, TimeColumn

DRIVER = Path(__file__).with_name("device.mjs")
VECTORS = json.loads(PLACE.read_text())
ALPHA = 1e-6
DRAWS = 100_000


def hashed(document):
    """The document with the hash of its fields, as a forger would write it."""
    level = document["level"]
    fraction = Fraction(level) if isinstance(level, int | float) and 0 < level < float("inf") else Fraction(1)
    text = f"{fraction.numerator}/{fraction.denominator}"
    fields = [document["format"], document["cells"], document["period_seconds"], text]
    fields += [document["within_cells"], *map(str, document["weights"])]
    return document | {"sha256": hashlib.sha256("\n".join(map(str, fields)).encode()).hexdigest()}


GOOD = CircleRelease.within(1.0, "3h", cells=96).export("3h")
WEIGHTS = [int(weight, 16) for weight in GOOD["weights"]]


def with_weights(change):
    return hashed(GOOD | {"weights": [f"{w:x}" for w in change(list(WEIGHTS))]})


def at(place, value):
    return lambda weights: [*weights[:place], value(weights[place]), *weights[place:][1:]]


def texts(place, value):
    return hashed(GOOD | {"weights": at(place, value)(GOOD["weights"])})


def without(field):
    return {name: value for name, value in GOOD.items() if name != field}


POINT = hashed(GOOD | {"within_cells": 0, "weights": [f"{1 << 100:x}", *["1"] * 48]})
BREAKING = {  # by what is wrong: a document, and the reason with which it is refused
    **{f"no {field}": (without(field), "fields") for field in GOOD},
    "one field more": (GOOD | {"seed": 1}, "fields"),
    "a list": ([GOOD], "fields"),
    "nothing": (None, "fields"),
    "another format": (hashed(GOOD | {"format": "dirpriv.circle/2"}), "format"),
    "cells as a text": (hashed(GOOD | {"cells": "96"}), "cells"),
    "half a cell": (hashed(GOOD | {"cells": 96.5}), "cells"),
    "one cell": (hashed(GOOD | {"cells": 1, "weights": ["1"]}), "cells"),
    "too many cells": (hashed(GOOD | {"cells": 1_000_000}), "cells"),
    "no period": (hashed(GOOD | {"period_seconds": 0}), "period"),
    "a period as a text": (hashed(GOOD | {"period_seconds": "86400"}), "period"),
    "a level as a text": (hashed(GOOD | {"level": "1"}), "level above 0"),
    "a level of 0": (hashed(GOOD | {"level": 0}), "level above 0"),
    "a level below 0": (hashed(GOOD | {"level": -1}), "level above 0"),
    "a level of 1000": (hashed(GOOD | {"level": 1000}), "level above 0"),
    "a level that is true": (hashed(GOOD | {"level": True}), "level above 0"),
    "a point mass, within 0 cells": (POINT, "one cell or more"),
    "a radius below 0": (hashed(GOOD | {"within_cells": -12}), "one cell or more"),
    "more than half a turn": (hashed(GOOD | {"within_cells": 49}), "one cell or more"),
    "a smaller level than it holds": (hashed(GOOD | {"level": 0.999999}), "break it 0 cells"),
    "a larger radius than it holds": (hashed(GOOD | {"within_cells": 13}), "break it 0 cells"),
    "a weight too few": (hashed(GOOD | {"weights": GOOD["weights"][:-1]}), "for each distance"),
    "a weight too many": (hashed(GOOD | {"weights": [*GOOD["weights"], "1"]}), "for each distance"),
    "no weights": (hashed(GOOD | {"weights": []}), "for each distance"),
    "a weight of 0": (texts(48, lambda _: "0"), "hexadecimal"),
    "a weight below 0": (texts(48, lambda text: f"-{text}"), "hexadecimal"),
    "a zero in front": (texts(48, lambda text: f"0{text}"), "hexadecimal"),
    "capital letters": (texts(3, lambda _: "A" * 30), "hexadecimal"),
    "a line after the digits": (texts(48, lambda text: f"{text}\n"), "hexadecimal"),
    "a weight as a number": (texts(48, lambda text: int(text, 16) % 1000), "hexadecimal"),
    "the own cell a millionth heavier": (with_weights(at(0, lambda w: w + w // 10**6)), "break it 0 cells"),
    "the own cell heavier by 2^-80": (with_weights(at(0, lambda w: w + (w >> 80))), "break it 0 cells"),
    "cell 40 lighter": (with_weights(at(40, lambda w: w * 99 // 100)), "break it 28 cells"),
    "the farthest lighter": (with_weights(at(48, lambda w: w * 95 // 100)), "break it 36 cells"),
    "a cell that rises by 1": (with_weights(lambda w: [w[0], w[0] + 1, *w[2:]]), "rise"),
    "a total above 2^128": (with_weights(lambda w: [each << 2 for each in w]), "2^128"),
    "a wrong hash": (GOOD | {"sha256": "0" * 64}, "hash"),
    "the hash of another": (GOOD | {"sha256": hashed(GOOD | {"level": 2})["sha256"]}, "hash"),
    "a hash in capital letters": (GOOD | {"sha256": GOOD["sha256"].upper()}, "hash"),
}
SHOWN = {"level": 1.0, "within_cells": 12}
UNLIKE = {  # good in itself, and not what the page shows
    "a level of 50 where 1 is shown": CircleRelease.within(50.0, "3h", cells=96).export("3h"),
    "a smaller radius than is shown": CircleRelease.within(1.0, "15min", cells=96).export("15min"),
}


def test_a_document_is_read_back():
    for level, within, cells, period in (each["settings"] for each in VECTORS):
        release = CircleRelease.within(level, within, cells=cells, period=period)
        document = json.loads(json.dumps(release.export(within)))
        found = CircleRelease.of_export(document)
        assert (found.weights, found.period) == (release.weights, release.period)
        assert document["level"] == level == found.certificate.loss(within)
    assert CircleRelease.within(0.5, "100min", cells=96).export("100min")["within_cells"] == 7
    with pytest.raises(InvalidArgument, match="one cell or more"):
        CircleRelease(1.0).export(0.0)
    with pytest.raises(InvalidArgument, match="whole seconds"):
        CircleRelease.within(1.0, 0.5, period=0.00001).export(0.5)


@pytest.mark.parametrize("name", BREAKING)
def test_what_breaks_its_promise_or_the_format_is_refused(name):
    document, reason = BREAKING[name]
    with pytest.raises(InvalidArgument, match=r"must .*") as error:
        CircleRelease.of_export(document)
    assert reason in str(error.value)


def test_vectors_are_those_of_python():
    """The committed ones are made by integers alone; here the library's own search finds them."""
    assert [*vectors()] == VECTORS
    for each in VECTORS:
        level, within, cells, period = each["settings"]
        release = CircleRelease.within(level, within, cells=cells, period=period)
        uniforms = [int(u, 16) for u in each["uniforms"]]
        words = ([u >> 64 for u in uniforms], [u & (1 << 64) - 1 for u in uniforms])
        found = release._table.find(*(np.array(word, dtype=np.uint64) for word in words))
        assert found.tolist() == each["steps"]
        times = np.array(each["seconds"], dtype="timedelta64[s]")
        assert release._circle.of_times(times).tolist() == each["cells"]


def test_node_finds_the_same_cells_and_refuses_the_same_documents():
    questions, labels = [], []
    for each in VECTORS:
        level, within, cells, period = each["settings"]
        document = CircleRelease.within(level, within, cells=cells, period=period).export(within)
        assert document["sha256"] == each["sha256"]
        some = [*range(0, cells, cells // 96 + 1), cells - 1]
        column = TimeColumn("t", level=level, within=within, cells=cells, period=period)
        labels.append([column.label(cell) for cell in some])
        asked = {"uniforms": each["uniforms"], "seconds": each["seconds"], "cells": some}
        questions.append({"document": document} | asked)
    wrong = [{"document": document} for document, _ in BREAKING.values()]
    wrong += [{"document": document, "promise": SHOWN} for document in UNLIKE.values()]
    answers = in_node(DRIVER, [*questions, {"document": GOOD}, *wrong])
    for each, texts, answer in zip(VECTORS, labels, answers, strict=False):
        assert (answer["steps"], answer["cells"]) == (each["steps"], each["cells"])
        assert answer["labels"] == texts
    assert "refused" not in answers[len(VECTORS)]
    reasons = [reason for _, reason in BREAKING.values()] + ["shown"] * len(UNLIKE)
    names = [*BREAKING, *UNLIKE]
    assert len(names) >= 40
    for name, reason, answer in zip(names, reasons, answers[len(VECTORS) + 1 :], strict=True):
        assert reason in answer.get("refused", "accepted"), name


def p_value(counts, release):
    return stats.chisquare(counts, np.sum(counts) * release.law.probabilities).pvalue


def test_draws_in_node_are_of_the_law():
    """The wrong variant has a level of 1.2 instead of 1: it is missed with a probability below 1e-12."""
    right, wrong = (CircleRelease.within(level, "3h", cells=96) for level in (1.0, 1.2))
    questions = [{"document": release.export("3h"), "draws": DRAWS} for release in (right, wrong)]
    ours, others = (answer["counts"] for answer in in_node(DRIVER, questions))
    assert p_value(ours, right) > ALPHA >= p_value(others, right)
