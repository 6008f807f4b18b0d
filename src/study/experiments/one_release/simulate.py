"""One file of times: its true hours, those of one draw of reports, what these estimate, and central counts."""

from pathlib import Path

import numpy as np
import pandas as pd

import study
from dirpriv import estimators, geometry
from dirpriv.release import CentralRelease, CircleRelease
from study.simulation import seeding
from study.workflow.job import job, write_csv

ARRIVALS = Path(study.__file__).resolve().parents[2] / "examples/arrivals.csv"
DAY = 24.0
CELLS = 1440


def shares(times, settings, seed):
    """A row for each bin of the day: shares of people, and the band of the estimate at all times together."""
    release = CircleRelease.within(settings["level"], settings["radius"])
    people, bins = len(times), settings["bins"]
    minutes = (times.dt.hour * 60 + times.dt.minute).to_numpy()
    rng = seeding.generator(seed, "one_release", "reports")
    moved = (minutes + rng.choice(CELLS, size=people, p=np.asarray(release.noise.probabilities))) % CELLS
    angles = geometry.hours_to_angles((moved + 0.5) / 60.0)
    blur = settings["blur"] / DAY
    band = estimators.estimate_density_band(angles, release.noise, blur=blur * geometry.TURN)
    true, reports = (np.bincount(cells * bins // CELLS, minlength=bins) for cells in (minutes, moved))
    # discrete Laplace noise, the difference of two geometric numbers
    fall = float(CentralRelease(settings["epsilon"]).certificate.fall)
    up, down = seeding.generator(seed, "one_release", "counts").geometric(-np.expm1(-fall), size=(2, bins))
    hours = (np.arange(bins) + 0.5) * DAY / bins
    per_minute = blurred(np.bincount(minutes, minlength=CELLS) / people, blur)
    curves = {"blurred": np.interp(hours, (np.arange(CELLS) + 0.5) / 60.0, per_minute) * CELLS / bins}
    for name, values in (("estimate", band.density), ("low", band.low_everywhere), ("high", band.high_everywhere)):
        at_hours = np.interp(hours, geometry.angles_to_hours(band.angles), values, period=DAY)
        curves[name] = at_hours * geometry.TURN / bins
    counts = {"true": true / people, "reports": reports / people, "central": (true + up - down) / people}
    return pd.DataFrame({"experiment": "one_release", "people": people, "hour": hours, **counts, **curves})


def blurred(probabilities, blur):
    """Shares after three moving averages over ``blur``, a share of the day, as a band has them."""
    averages = np.sinc(np.arange(len(probabilities) // 2 + 1) * blur) ** 3
    return np.fft.irfft(np.fft.rfft(probabilities) * averages, len(probabilities))


if __name__ == "__main__":
    with job(snakemake):
        times = pd.read_csv(ARRIVALS, parse_dates=["arrival"])["arrival"]
        write_csv(shares(times, snakemake.params.settings, snakemake.params.seed), snakemake.output[0])
