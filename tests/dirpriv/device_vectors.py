"""The same integers must give the same cells on every device: vectors, by Python's own integers alone.

``python tests/dirpriv/device_vectors.py`` writes ``reference/device_vectors.json`` once more.
"""

import bisect
import itertools
import json
import random
from pathlib import Path

from dirpriv.release import CircleRelease

PLACE = Path(__file__).parent / "reference/device_vectors.json"
SETTINGS = [  # level, radius, cells, period, borders to be looked at
    (1.0, "3h", 96, "24h", 96),
    (0.1, "3h", 1440, "24h", 60),
    (1.0, "12h", 10_080, "7d", 60),
]


def vectors():
    """By setting: uniform integers and the steps that they give, seconds and their cells."""
    choose = random.Random(37)
    for level, within, cells, period, count in SETTINGS:
        release = CircleRelease.within(level, within, cells=cells, period=period)
        document, sums = release.export(within), [*itertools.accumulate(release.weights)]
        shift = next(s for s in itertools.count() if sums[-1] << s + 1 > 1 << 128)
        borders = [border << shift for border in sums]
        some = sorted(choose.sample(range(cells - 1), min(count, cells - 1)))
        uniforms = [u for i in some for u in (borders[i] - 1, borders[i])]
        uniforms += [0, borders[-1] - 1] + [choose.randrange(borders[-1]) for _ in range(10)]
        turn = document["period_seconds"]
        seconds = sorted({0, turn - 1} | {i * turn // cells + d for i in some[1:40] for d in (-1, 0)})
        yield {
            "settings": [level, within, cells, period],
            "sha256": document["sha256"],
            "uniforms": [f"{u:x}" for u in uniforms],
            "steps": [bisect.bisect_right(borders, u) for u in uniforms],
            "seconds": seconds,
            "cells": [second * cells // turn for second in seconds],
        }


if __name__ == "__main__":
    PLACE.write_text("[\n" + ",\n".join(json.dumps(each) for each in vectors()) + "\n]\n")
