"""Time per draw of the samplers of rotations, ours and the SO(3) paper's, and of the floor, in one run.

The ratio to the floor, one standard normal by NumPy measured in turn with it, is the result; nanoseconds are
context. Stages: ``angle`` draws the angle alone, ``versor`` the paper's samplers the unit quaternion of the
noise, ``rotation`` puts it on a rotation, both as SciPy's objects (whose product costs more than the noise).
These make all draws of a call at once. The stages :data:`ONE_DRAW` make one a call: Kent et al.'s constants are
computed in each call, as printed, or once.
"""

import numpy as np
import pandas as pd
from scipy.spatial.transform import Rotation

from dirpriv.distributions import RotationLaplace
from study.experiments.rotation_sampling import single_draws as versors
from study.papers import rotations
from study.simulation import mechanisms, timing
from study.workflow.job import job, with_progress, write_tables

FLOOR = ("floor", "angle")
ONE_DRAW = ("one draw", "one draw, constants once")
PEERS = ("as printed", "as printed, rejection", "Haar rejection", "Kent et al.")


def methods(epsilon, settings, rng):
    """The timed functions at one ε: (method, stage) -> function of the number of draws.

    Our samplers have the names of their mechanisms, each at the same tight level ε. Of the paper's, ``as
    printed`` has its threshold, ``as printed, rejection`` not, ``Haar rejection`` is the scheme that it
    means, and ``Kent et al.`` draws the Bingham distribution of the tight mechanism.
    """
    space, origin = np.zeros(settings["most_rows"]), Rotation.identity()
    ours = {name: mechanisms.class_of(name)(epsilon).noise for name in mechanisms.rows("rotation")}
    spread = ours["rotation_bingham"].kappa * np.diag([1.0, 1.0, 1.0, 0.0])

    noise = {
        "as printed": lambda rows: printed_versors(epsilon, rows, rng),
        "Kent et al.": lambda rows: rotations.bingham_rvs(spread, rows, rng=rng),
    }
    timed = {FLOOR: lambda rows: rng.standard_normal(out=space[:rows])}
    for name, distribution in ours.items():
        timed[name, "angle"] = lambda rows, distribution=distribution: distribution.angle_rvs(rows, rng=rng)
        timed[name, "rotation"] = lambda rows, distribution=distribution: distribution.rvs(origin, rows, rng=rng)
    timed["as printed", "angle"] = lambda rows: rotations.printed_angle_rvs(epsilon, rows, rng=rng)
    for name, draw in noise.items():
        timed[name, "versor"] = draw
        timed[name, "rotation"] = lambda rows, draw=draw: origin * Rotation.from_quat(draw(rows))
    timed["as printed, rejection", "angle"] = lambda rows: rotations.printed_angle_rvs(
        epsilon, rows, threshold=np.inf, rng=rng
    )
    timed["Haar rejection", "angle"] = lambda rows: rotations.rejection_angle_rvs(epsilon, rows, rng=rng)
    single = single_draws(epsilon, spread, rng).items()
    return timed | {key: lambda rows, draw=draw: [draw() for _ in range(rows)] for key, draw in single}


def single_draws(epsilon, spread, rng):
    """The paper's samplers with one draw a call: (method, stage) -> function without arguments."""
    versor, kappa, (each, once) = np.full(4, 0.5), spread[0, 0], ONE_DRAW
    constants = versors.kent_constants(np.array([0.0, 0.0, 0.0, 1.0]), kappa)
    return {
        ("as printed", each): lambda: versors.laplace_versor(versor, epsilon, rng),
        ("as printed", once): lambda: versors.laplace_versor(versor, epsilon, rng),
        ("Kent et al.", each): lambda: versors.bingham_versor(versors.kent_constants(versor, kappa), rng),
        ("Kent et al.", once): lambda: versors.product(versor, versors.bingham_versor(constants, rng)),
    }


def printed_versors(epsilon, rows, rng):
    """Noise of the paper's Laplace sampler as unit quaternions: its angle, and its axis by Eqs. 17 to 19."""
    half = 0.5 * rotations.printed_angle_rvs(epsilon, rows, rng=rng)
    height, azimuth = 2.0 * rng.random(rows) - 1.0, 2.0 * np.pi * rng.random(rows)
    out, sine = np.empty((rows, 4)), np.sin(half)
    across = sine * np.sqrt(1.0 - height**2)
    out[:, 0], out[:, 1] = across * np.cos(azimuth), across * np.sin(azimuth)
    out[:, 2], out[:, 3] = sine * height, np.cos(half)
    return out


def proposals(method, epsilon):
    """Mean number of proposals for one draw, 1 for the methods that need a bounded number of them."""
    if method == "as printed, rejection":
        return 1.0 / rotations.printed_acceptance(epsilon)
    if method == "Haar rejection":
        return float(np.exp(-RotationLaplace(epsilon).log_normalizer()))
    return 1.0


def time_cell(epsilon, settings, rng):
    """Rows of all methods and stages at one ε, or the status that a rejection is too slow to be timed."""
    timed = methods(epsilon, settings, rng)
    tries = {key: proposals(key[0], epsilon) for key in timed}
    fast = [key for key in timed if tries[key] <= settings["most_proposals"] and key[1] not in ONE_DRAW]
    # one number of draws for all: a rejection works on all of a call at once, and few draws would wrong it
    functions, limits = [timed[key] for key in fast], (settings["most_rows"], settings["longest_call"])
    rows = dict.fromkeys(fast, timing.rows_of_calls(functions, *limits))
    rows |= {key: settings["single_draws"] for key in timed if key[1] in ONE_DRAW}
    measured = timing.time_in_turn(timed, rows, settings["rounds"], FLOOR, settings["repeat_seconds"])
    untimed = {"status": "not timed: too many proposals a draw"}
    return [
        dict(experiment="rotation_sampling", method=method, stage=stage, epsilon=epsilon, proposals=tried)
        | measured.get((method, stage), untimed)
        for (method, stage), tried in tries.items()
    ]


def time_rotation_sampling(settings):
    """The whole benchmark."""
    rng = np.random.default_rng(1)  # the draws are thrown away
    cells = with_progress("timing of samplers of rotations", settings["epsilons"])
    return pd.DataFrame([row for epsilon in cells for row in time_cell(epsilon, settings, rng)])


def compared(table):
    """How many times longer the paper's samplers take than ours, and its Bingham than its Laplace."""
    table = table[table["status"] == "timed"]
    pairs = {peer: "rotation_laplace" for peer in PEERS} | {"Kent et al.": "rotation_bingham"}
    for (epsilon, stage), cell in table.groupby(["epsilon", "stage"]):
        least = cell.set_index("method")["low"]
        for peer, ours in [*pairs.items(), ("Kent et al.", "as printed")]:
            if {ours, peer} <= set(least.index):
                ratio = least[peer] / least[ours]
                yield dict(epsilon=epsilon, stage=stage, ours=ours, peer=peer, times_slower=ratio)


def summarise(table):
    """The requirements on our samplers of the angle: the cost at large ε, and its evenness."""
    angles = table[(table["stage"] == "angle") & table["method"].isin(list(mechanisms.rows("rotation")))]
    for method, cell in angles.groupby("method", sort=False):
        large = cell.loc[cell["epsilon"] >= rotations.THRESHOLD, "ratio_to_floor"]
        quantities = {
            f"most standard normals an angle at ε ≥ {rotations.THRESHOLD:g}": large.max(),
            "most standard normals an angle": cell["ratio_to_floor"].max(),
            "dearest ε over cheapest ε": cell["ratio_to_floor"].max() / cell["ratio_to_floor"].min(),
        }
        yield from ({"method": method, "quantity": q, "value": value} for q, value in quantities.items())


if __name__ == "__main__":
    with job(snakemake) as logger, timing.one_thread(logger):
        table = time_rotation_sampling(snakemake.params.settings)
        write_tables(snakemake.output, table=table, compared=compared(table), summary=summarise(table))
