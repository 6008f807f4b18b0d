"""How well drawn and computed mean distances agree: their z-scores, and the papers' formulas."""

import numpy as np
import pandas as pd
from scipy import stats

from study.core.job import job, write_csv


def summarise(table):
    """A row per law and metric.

    Parameters
    ----------
    table : pandas.DataFrame
        Collected table of :func:`study.experiments.expected_distances.simulate.simulate`.

    Returns
    -------
    pandas.DataFrame
        Columns law, metric, cells, largest_z, p_value (Kolmogorov-Smirnov, of the z-scores being standard
        normal), published_cells (with a finite value by the paper's formula), published_failed (where the
        paper has a formula, but it gives no finite value) and published_difference (its largest relative
        difference from ours). The two metrics of a cell come from the same draws, so each is tested alone.
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
