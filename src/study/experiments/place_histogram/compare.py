"""Where polar Laplace noise gives worse place histograms than the directional mechanisms."""

import pandas as pd

from study.simulation.baselines import REFERENCES, UNIFORM
from study.simulation.histogram_errors import ratios, told_apart
from study.workflow.job import job, write_tables

POLAR = "polar_laplace"
KEYS = ["population", "n", "bins", "metric", "epsilon"]
COLUMNS = [*KEYS, "unit", "against", "polar_laplace", "other", "ratio", "ratio_low", "ratio_high"]
COLUMNS += ["polar_laplace_is"]
VERDICTS = {"above": "worse", "below": "better", "not told apart": "not told apart", "": ""}


def compare(table):
    """Polar Laplace beside the others and uniform noise at each ε: told apart if intervals do not overlap."""
    polar = table[table["mechanism"] == POLAR].reset_index(drop=True)
    tables = []
    others = [name for name in table["mechanism"].unique() if name not in (POLAR, *REFERENCES)]
    for name in [*others, UNIFORM]:
        keys = KEYS if name != UNIFORM else [key for key in KEYS if key != "epsilon"]
        other = polar[keys].merge(table[table["mechanism"] == name], on=keys, how="left")
        beside = polar[[*KEYS, "unit"]].assign(against=name, **ratios(polar, other))
        beside["polar_laplace"], beside["other"] = polar["value"], other["value"]
        beside["polar_laplace_is"] = [VERDICTS[text] for text in told_apart(polar, other)]
        tables.append(beside)
    order = ["population", "metric", "against", "epsilon"]
    return pd.concat(tables)[COLUMNS].sort_values(order, ignore_index=True)


def summarise(comparison, band):
    """Whether polar Laplace is worse in the paper's ``band`` of ε, with its ends, by mechanism and metric."""
    for (population, metric, against), part in comparison.groupby(["population", "metric", "against"]):
        inside = part["epsilon"].between(band[0] * (1 - 1e-9), band[1] * (1 + 1e-9))
        is_worse, is_better = (part["polar_laplace_is"] == verdict for verdict in ("worse", "better"))
        worse, points = int((is_worse & inside).sum()), int(inside.sum())
        largest = part.loc[part["ratio"].idxmax()]
        yield dict(
            population=population, metric=metric, against=against,
            worse_at=_listed(part.loc[is_worse, "epsilon"]),
            better_at=_listed(part.loc[is_better, "epsilon"]),
            band_low=band[0], band_high=band[1], in_band=points, worse_in_band=worse,
            better_in_band=int((is_better & inside).sum()),
            largest_ratio=largest["ratio"], largest_ratio_at=largest["epsilon"],
            band_is={points: "reproduced", 0: "not reproduced"}.get(worse, "partly"),
        )  # fmt: skip


def _listed(epsilons):
    return " ".join(f"{epsilon:g}" for epsilon in epsilons)


if __name__ == "__main__":
    with job(snakemake):
        comparison = compare(pd.read_csv(snakemake.input[0]))
        summary = summarise(comparison, snakemake.params.band)
        write_tables(snakemake.output, comparison=comparison, summary=summary)
