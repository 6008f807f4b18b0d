"""How far the paper's closed forms and numerical integration are from our angular CDFs."""

import numpy as np
import pandas as pd

from study.core.job import job, write_csv
from study.experiments.angular_cdfs.compute import METHODS


def differences(table, tolerance):
    """Largest absolute difference from our CDF, for each law, dimension, concentration and method.

    It is over the points with a finite result, and called agreement up to ``tolerance``.
    """
    rows = []
    for (law, dim, kappa), points in table.groupby(["law", "dim", "kappa"], sort=False):
        for method in METHODS:
            finite = np.isfinite(points[method])
            value = (points[method] - points["cdf"]).abs()[finite].max()
            status = "agrees" if value <= tolerance else "wrong"
            rows.append(dict(
                experiment="angular_cdfs", law=law, dim=dim, kappa=kappa, method=method,
                metric="largest_absolute_difference", value=value, points=len(points),
                not_finite=int((~finite).sum()), status=status if finite.all() else "not finite",
            ))  # fmt: skip
    return pd.DataFrame(rows)


if __name__ == "__main__":
    with job(snakemake):
        table = pd.read_csv(snakemake.input[0])
        write_csv(differences(table, snakemake.params.tolerance), snakemake.output[0])
