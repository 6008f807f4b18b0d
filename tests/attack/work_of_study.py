"""A little of all that the study does, for tests of environments: prints the sums of what it writes.

python work_of_study.py FOLDER CHECKINS
"""

import hashlib
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from dirpriv.distributions import Purkayastha
from study import figures
from study.checkins.prepare import prepare
from study.checkins.synthetic.generate import generate
from study.provenance.collect import write_provenance
from study.simulation.seeding import generator
from study.workflow.job import write_csv

CITY = {"layout": "synthetic_city", "rows": 300, "users": 5, "venues": 20, "days": 30, "latitude": 40.75}
CITY |= {"longitude": -73.98, "radius_km": 26.0, "offset_minutes": -240}


def work(folder, checkins):
    """Draw, generate and prepare check-ins, and write a table, two figures and the provenance."""
    draws = Purkayastha(3, 2.0).rvs([0.0, 0.0, 1.0], 1000, rng=generator(1, "work", "é"))
    write_csv(pd.DataFrame(draws, columns=["x", "y", "z"]), folder / "draws.csv")
    generate(CITY, 1, "city", folder / "city.txt.gz")
    for name, path in (("city", folder / "city.txt.gz"), ("mine", checkins)):
        outputs = [folder / f"{name}.{end}" for end in ("parquet", "rejected.csv", "summary.csv")]
        prepare({"checkins": path}, "tsmc2014", *outputs, 0.5, folder / "kept.csv")
    with figures.styled():
        figure, (axes, _) = figures.panels(2)
        axes.plot(np.arange(10), draws[:10, 0], label="κ = 2, Å")
        figures.day_ticks(axes)
        figures.with_headline(figure, "Å", legend=axes.get_legend_handles_labels()[0])
        figures.save(figure, [folder / "figure.png", folder / "figure.pdf"])
    write_provenance(folder / "provenance.json", {"name": "Café"}, {}, {}, {"commit": "unknown"})


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    work(folder, Path(sys.argv[2]))
    for path in sorted(folder.iterdir()):
        print(path.name, hashlib.sha256(path.read_bytes()).hexdigest())
