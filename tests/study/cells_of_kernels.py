"""Print some cells of the study, the verdicts on them, and the kernels that computed them, as JSON."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
from threadpoolctl import threadpool_info

from study.claims.check import check
from study.claims.claims import read_claims
from study.experiments.circular_mean import simulate as circular_mean
from study.experiments.rotation_errors import simulate as rotation_errors
from study.experiments.theorem_24 import compute as theorem_24
from study.simulation.estimates import grid
from study.simulation.populations import population_of_hour

CONFIG = Path(__file__).resolve().parents[2] / "config"
POINTS = {"epsilons": [1.0], "responses": 30, "epsilon": 1.0, "responses_grid": []}
POINTS |= {"half_width": 0.05, "most_draws": 20_000}


def tables(config):
    """Two tables of simulations, and three by closed forms and quadrature, which reach all kinds of sums."""
    people = population_of_hour(8.0)
    given = people, "one_direction", ["published", "tight"], POINTS, config["seed"]
    names = "purkayastha", "wrapped_laplace", "clipped_laplace"
    rows = [row for name in names for row in circular_mean.simulate(name, *given)]
    return {
        "circular_mean/circular_mean.csv": pd.DataFrame(rows),
        "rotation_errors/rotation_errors.csv": pd.DataFrame(
            rotation_errors.simulate(config["rotation_errors"] | {"draws": 1000}, config["seed"])
        ),
        "theorem_24/theorem_24.csv": theorem_24.theorem_24(grid(config["theorem_24"])),
        "theorem_24/limits.csv": pd.DataFrame(theorem_24.limits(config["theorem_24"]["limits"])),
    }


def main():
    config = yaml.safe_load((CONFIG / "config.yaml").read_text(encoding="utf-8"))
    found = tables(config)
    claims = {
        name: claim
        for name, claim in read_claims(CONFIG / "claims")["claims"].items()
        if claim["measure"]["table"] in list(found)[1:] and "numbers" not in claim
    }
    judged = check(claims, found.__getitem__, config["claims"])
    numbers = {
        f"{name}: {column}": np.nan_to_num(table[column].to_numpy(float)).tolist()
        for name, table in found.items()
        for column in table.select_dtypes("number")
    }
    print(json.dumps({
        "blas": sorted({pool["architecture"] for pool in threadpool_info() if "architecture" in pool}),
        "features": [name for name in __cpu_dispatch__ if __cpu_features__[name]],
        "numbers": numbers,
        "verdicts": dict(zip(judged["claim"], judged["verdict"], strict=True)),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
