"""Check the promise of a mechanism of your own, a function in a Python file.

Check what a function promises, by its outputs: FILE.py:FUNCTION takes unit vectors, an
array with one in each row, and gives a noisy vector for each. Two audits look for a
proof that the level is higher than promised. This command also shows how near to the
best possible mechanism the function is.

examples:
  dirpriv check mechanism.py:randomise --promise "1 within .5rad" --dim 64
  dirpriv check mechanism.py:randomise --promise "2 per rad" --dim 64 --draws 5000
  dirpriv check mechanism.py:randomise --promise "pure 8" --dim 3 --json -

promises: "1 within .5rad", "1 per rad", "pure 8", and "8 delta 1e-6" for (ε, δ) of any
two inputs.

units: the radius is in rad or deg. A level has no unit.

FILE.py runs as 'python FILE.py' would run it, with all that it can do on your computer.
Check only a file that you trust. It runs in a process of its own. This process ends after
--seconds, and fails if it takes more than --memory (not on Windows and macOS).

Each row must get its own noise, and a call must not change later calls. A thousand rows
are called one by one. The audits hold together with a confidence of 99.9 %, so a right
promise is refuted once in a thousand runs. The exit status is 1 where a promise is
refuted. A promise that is not refuted is not proved. Audits do not see what rarely
happens, or happens at other inputs.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dirpriv._lib import formatting
from dirpriv.command import options, released_files

if TYPE_CHECKING:
    from dirpriv._lib.types import Array

CONFIDENCE = 0.999
SINGLE = 1000  # rows that are called one by one
CERTAIN = 6.0  # standard errors between these and the others
_NUMBER = r"([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)"
_PROMISE = re.compile(
    rf"{_NUMBER} (?:per rad(?:ian)?|delta {_NUMBER}|within ({_NUMBER} *(?:rad|deg)))|pure {_NUMBER}", re.ASCII
)


@dataclass(frozen=True)
class Promise:
    """A level, per radian or within a radius (π: any two inputs), for which δ may be allowed."""

    text: str
    level: float
    radius: float | None
    delta: float = 0.0

    def loss_at(self, distance: float) -> float:
        """What two inputs may lose."""
        if self.radius is None:
            return self.level * distance
        return self.level * max(1.0, -(-distance // self.radius))

    def distances(self) -> tuple[float, float]:
        """Of the inputs whose outputs are compared: far and near."""
        farthest = 1.0 if self.radius is None else self.radius
        return farthest, 0.1 * farthest


def read_promise(text: str) -> Promise:
    """A promise as it is typed."""
    import math

    from dirpriv._inputs import units

    match = _PROMISE.fullmatch(" ".join(text.split()))
    if match is None:
        forms = '"1 within .5rad", "1 per rad", "pure 8" or "8 delta 1e-6"'
        raise argparse.ArgumentTypeError(f"must be a promise such as {forms}; got {text!r}")
    level, delta, radius, _, pure = match.groups()
    whole = math.pi if pure or delta else None
    within = units.in_distribution_unit("promise", re.sub(r"^\.", "0.", radius), units.ANGLE) if radius else whole
    promise = Promise(text, float(pure or level), within, float(delta or 0.0))
    if not (0.0 < promise.level < math.inf and promise.delta < 1.0 and 1e-4 <= (within or 1.0) <= math.pi):
        raise argparse.ArgumentTypeError(f"must have a positive level, δ below 1, and 1e-4 to π rad; got {text!r}")
    return promise


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("function", metavar="FILE.py:FUNCTION", help="a function of unit vectors, an array of shape (N, dim)")
    add("--promise", required=True, type=read_promise, help="what it promises, as below")
    add("--dim", required=True, type=options.whole_number, metavar="N", help="number of coordinates")
    add(
        "--draws", type=options.whole_number, metavar="N", help="outputs of each input; default: by --dim, up to 100000"
    )
    add("--seconds", type=options.number, default=300.0, metavar="S", help="longest time that it may take (300)")
    add("--memory", type=options.number, default=8.0, metavar="GB", help="most memory that it may take, in GB (8)")
    released_files.add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    released_files.check_outputs(arguments)
    found = _findings(arguments.promise, arguments.dim, *_outputs(arguments))
    rows = [
        [
            "outputs",
            f"{found['draws']}; {found['no_unit']} are no unit vectors, {found['no_direction']} have no direction",
        ],
        ["mean cosine", f"{found['mean_cosine']:.4g}; {found['best']:.4g} is the best possible with this promise"],
        ["level, by utility", f"at least {found['level']:.4g}, promised {arguments.promise.level:g}"],
        *(
            [
                f"loss at {one['distance']:.2g} rad, by events",
                f"at least {one['loss']:.4g}, promised {one['promised']:g}",
            ]
            for one in found["events"]
        ),
        ["time", f"{1e6 * found['seconds']:.3g} µs an output"],
    ]
    verdict = "Not refuted. This does not prove the promise."
    if found["refuted"]:
        verdict = "Refuted: a lower bound is above what is promised."
    about = f"{arguments.function} promises {arguments.promise.text}, with {arguments.dim} coordinates:"
    document = {"function": arguments.function, "promise": arguments.promise.text, "dim": arguments.dim, **found}
    released_files.finish(arguments, [about, *formatting.table(rows), verdict], document)
    if found["refuted"]:
        raise SystemExit(1)


def _outputs(arguments: argparse.Namespace) -> tuple[dict[str, "Array"], dict[str, "Array"]]:
    """Inputs and their outputs, of a process of its own: uniformly random ones, and some of fixed ones."""
    import numpy as np

    from dirpriv._inputs import validate

    file, _, name = arguments.function.rpartition(":")
    if not file.endswith(".py") or not Path(file).is_file() or not name.isidentifier():
        raise options.Misuse(f"FILE.py:FUNCTION must name a file and a function in it; got {arguments.function!r}")
    dim = validate.dimension(arguments.dim)
    draws = min(100_000, max(5000, 8_000_000 // dim)) if arguments.draws is None else arguments.draws
    if draws < 2 * SINGLE:
        raise options.Misuse(f"--draws must be at least {2 * SINGLE}; got {draws}")
    x = np.random.default_rng().standard_normal((draws, dim))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    inputs = {"single": x[:SINGLE], "uniform": x[SINGLE:]}
    for place, distance in {
        "one": 0.0,
        **dict(zip(("far", "near"), arguments.promise.distances(), strict=True)),
    }.items():
        inputs[place] = np.zeros((draws, dim))
        inputs[place][:, 0], inputs[place][:, 1] = np.cos(distance), np.sin(distance)
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder, "inputs.npz"), **inputs)
        script, memory = Path(__file__).with_name("function_outputs.py"), str(int(1e9 * arguments.memory))
        error = _error_of([sys.executable, str(script), folder, file, name, memory], arguments.seconds, folder)
        if error:
            raise options.Misuse(f"{arguments.function} {error}")
        with np.load(Path(folder, "outputs.npz")) as outputs:
            return inputs, dict(outputs)


def _error_of(words: list[str], seconds: float, folder: str) -> str:
    """Run a process; what went wrong, or nothing. What it prints is not shown."""
    with open(Path(folder, "errors"), "w+", errors="replace") as errors:
        quiet: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": errors}
        child = subprocess.Popen(words, start_new_session=True, **quiet)
        try:
            if child.wait(seconds) == 0:
                return ""
        except subprocess.TimeoutExpired:
            return f"takes more than {seconds:g} s: give fewer --draws, or more --seconds"
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL) if hasattr(os, "killpg") else child.kill()
                child.wait()
        errors.seek(0)
        return f"failed: {([*errors.read().split(chr(10)), ''][-3:] or [''])[0].strip() or 'its process was ended'}"


def _findings(promise: Promise, dim: int, inputs: dict[str, "Array"], outputs: dict[str, "Array"]) -> dict[str, Any]:
    """What the outputs show, as ``--json`` says it. Each audit has half of the risk."""
    import numpy as np

    from dirpriv.guarantees import audit

    x, y = (np.concatenate([of["single"], of["uniform"]]) for of in (inputs, outputs))
    with np.errstate(all="ignore"):
        norms = np.linalg.norm(y, axis=1)
        cosines = np.nan_to_num(np.einsum("ni,ni->n", x, y) / norms, nan=-1.0)
    apart = abs(cosines[:SINGLE].mean() - cosines[SINGLE:].mean())
    if apart > CERTAIN * np.sqrt(cosines.var() / SINGLE + cosines.var() / (len(x) - SINGLE)):
        rule = "the rows of one call are not independent, or a call changes later ones"
        raise options.Misuse(f"{rule}: {SINGLE} calls of one row have another mean cosine than one call of all rows")
    risk = 1.0 - CONFIDENCE
    level = audit.utility_bound(x, y, 1.0 - risk / 2, radius=promise.radius, delta=promise.delta)
    events = []
    for place, distance in zip(("far", "near"), promise.distances(), strict=True):
        pair = [np.nan_to_num(outputs[each], nan=-9.0, posinf=9.0, neginf=-9.0) for each in ("one", place)]
        one, other = inputs["one"][0], inputs[place][0]

        def score(rows: "Array", one: "Array" = one, other: "Array" = other) -> "Array":
            largest = [
                np.abs(rows - each).max(axis=1) for each in (one, other)
            ]  # rounding may differ in one coordinate
            return np.column_stack([rows @ (one - other), rows @ (one + other), largest[0] - largest[1]])

        finding = audit.examine(*pair, 1.0, 1.0 - risk / 4, score=score, delta=promise.delta)
        events.append({"distance": distance, "loss": finding.level, "promised": promise.loss_at(distance)})
    return {
        "draws": len(x),
        "no_unit": int((~(np.abs(norms - 1.0) <= 1e-5)).sum()),
        "no_direction": int((~((norms > 0.0) & np.isfinite(norms))).sum()),
        "mean_cosine": float(cosines.mean()),
        "best": audit.largest_mean_cosine(promise.level, dim, radius=promise.radius, delta=promise.delta),
        "level": level,
        "events": events,
        "seconds": float(outputs["seconds"]) / (4 * len(x) - SINGLE),
        "refuted": level > promise.level or any(one["loss"] > one["promised"] for one in events),
    }
