"""How well drawn and computed mean distances agree: their z-scores, and the papers' formulas."""

import numpy as np
import pandas as pd
from scipy import stats

from study.core.job import job, write_csv


def summarise(table):
    """A row per law and metric: the largest z-score, a test of all of them, and the paper's formula.

    ``p_value`` is of the z-scores being standard normal (Kolmogorov-Smirnov). The two metrics of a cell come
    from the same draws, so each is tested alone. In ``published_failed`` cells the paper has a formula, but
    it gives no finite value; ``published_difference`` is its largest relative difference from ours.
    """
    rows = []
    for (law, metric), cells in table.groupby(["law", "metric"], sort=False):
        finite = np.isfinite(cells["published"])
        relative = (cells["published"] / cells["expected"] - 1.0).abs()[finite]
        rows.append(dict(
            law=law, metric=metric, cells=len(cells), largest_z=cells["z"].abs().max(),
            p_value=stats.kstest(cells["z"], "norm").pvalue, published_cells=int(finite.sum()),
            published_failed=int((~finite).sum()) if finite.any() else 0, published_difference=relative.max(),
        ))  # fmt: skip
    return pd.DataFrame(rows)


if __name__ == "__main__":
    with job(snakemake):
        write_csv(summarise(pd.read_csv(snakemake.input[0])), snakemake.output[0])
