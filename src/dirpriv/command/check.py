"""Check the promise of a mechanism of your own, a function in a Python file.

Check what a function promises, by its outputs: FILE.py:FUNCTION takes unit vectors, an
array with one in each row, and gives a noisy vector for each. Two audits look for a
proof that the level is higher than promised. This command also shows how near to the
best possible mechanism the function is.

examples:
  dirpriv check mechanism.py:randomise --promise "1 within .5rad" --dim 64
  dirpriv check mechanism.py:randomise --promise "2 per rad" --dim 64 --draws 5000
  dirpriv check mechanism.py:randomise --promise "pure 8" --dim 3 --json -

promises: "1 within .5rad", "1 per rad", "pure 8", and "8 delta 1e-6" for (ε, δ) of
any two inputs.

units: the radius is in rad or deg. A level has no unit.

FILE.py runs as 'python FILE.py' would run it, with all that it can do on your
computer. Check only a file that you trust. It runs in a process of its own, which
ends after --seconds, and fails with more than --memory (not on Windows and macOS).

Each row must get its own noise, and a call must not change later calls. A thousand rows
are called one by one. The audits hold together with a confidence of 99.9 %, so a right
promise is refuted at most once in a thousand runs. The exit status is 1 where a promise
is refuted. A promise that is not refuted is not proved. Audits do not see what rarely
happens, or happens at other inputs.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dirpriv._lib import formatting
from dirpriv.command import options, released_files

if TYPE_CHECKING:
    from dirpriv._lib.types import Array

RISK = 0.001  # of all lower bounds together
SINGLE = 1000  # rows that are called one by one
PLACES = "one", "far", "near"  # of fixed inputs
CERTAIN = 6.0  # standard errors between these and the others
_NUMBER = r"([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)"
_FORMS = rf"per rad(?:ian)?|delta {_NUMBER}|within ({_NUMBER} *(?:rad|deg))"
_PROMISE = re.compile(rf"{_NUMBER} (?:{_FORMS})|pure {_NUMBER}", re.ASCII)


class FunctionPromise(NamedTuple):
    """A level, per radian or within a radius (π: any two inputs), for which δ may be allowed."""

    text: str
    level: float
    radius: float | None
    delta: float = 0.0

    def losses(self) -> dict[float, float]:
        """Distances of the inputs whose outputs are compared, and what they may lose."""
        far, near = self.radius or 1.0, 0.1 if self.radius is None else 1.0
        return {far: self.level, 0.1 * far: near * self.level}


def read_promise(text: str) -> FunctionPromise:
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
    promise = FunctionPromise(text, float(pure or level), within, float(delta or 0.0))
    if not (0.0 < promise.level < math.inf and promise.delta < 1.0 and 1e-4 <= (within or 1.0) <= math.pi):
        raise argparse.ArgumentTypeError(f"must have a positive level, δ below 1, and 1e-4 to π rad; got {text!r}")
    return promise


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("function", metavar="FILE.py:FUNCTION", help="a function of unit vectors, an array of shape (N, dim)")
    add("--promise", required=True, type=read_promise, help="what it promises, as below")
    add("--dim", required=True, type=options.whole_number, metavar="N", help="number of coordinates")
    add("--draws", type=options.whole_number, metavar="N", help="outputs of each input (by --dim, up to 100000)")
    add("--seconds", type=options.number, default=300.0, metavar="S", help="longest time that it may take (300)")
    add("--memory", type=options.number, default=8.0, metavar="GB", help="most memory that it may take, in GB (8)")
    released_files.add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    released_files.check_outputs(arguments)
    promise, inputs = arguments.promise, _inputs(arguments)
    findings = _findings(promise, inputs, _outputs(arguments, inputs))
    texts = {
        "outputs": "{draws}; {no_unit} are no unit vectors, {no_direction} have no direction",
        "mean cosine": "{mean_cosine:.4g}; {best:.4g} is the best possible with this promise",
        "level, by utility": f"at least {{level:.4g}}, promised {promise.level:g}",
    }
    rows = [[name, text.format(**findings)] for name, text in texts.items()]
    loss = "loss at {distance:.2g} rad, by events", "at least {loss:.4g}, promised {promised:g}"
    rows += [[text.format(**one) for text in loss] for one in findings["events"]]
    rows.append(["time", f"{1e6 * findings['seconds']:.3g} µs an output"])
    verdict = "Refuted at 99.9 %: a lower bound is above what is promised."
    verdict = verdict if findings["refuted"] else "Not refuted at 99.9 %. This does not prove the promise."
    about = {"function": arguments.function, "promise": promise.text, "dim": arguments.dim}
    heading = f"{arguments.function} promises {promise.text}, with {arguments.dim} coordinates:"
    released_files.finish(arguments, [heading, *formatting.table(rows), verdict], about | findings)
    if findings["refuted"]:
        raise SystemExit(1)


def _inputs(arguments: argparse.Namespace) -> dict[str, Any]:
    """Uniformly random unit vectors, of which the first are called one by one, and three fixed ones."""
    import numpy as np

    from dirpriv._inputs import validate

    dim, draws = validate.dimension(arguments.dim), arguments.draws
    draws = min(100_000, max(5000, 8_000_000 // dim)) if draws is None else draws
    if draws < 2 * SINGLE:
        raise options.Misuse(f"--draws must be at least {2 * SINGLE}; got {draws}")
    x = np.random.default_rng().standard_normal((draws, dim))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    inputs = {"single": x[:SINGLE], "uniform": x[SINGLE:]}
    for place, angle in zip(PLACES, (0.0, *arguments.promise.losses()), strict=True):
        inputs[place] = np.zeros((draws, dim))
        inputs[place][:, 0], inputs[place][:, 1] = np.cos(angle), np.sin(angle)
    return inputs


def _outputs(arguments: argparse.Namespace, inputs: dict[str, Any]) -> dict[str, "Array"]:
    """What the function gives, in a process of its own. What it prints is not shown."""
    import numpy as np

    from dirpriv._inputs import validate

    seconds, memory = validate.positive("seconds", arguments.seconds), validate.positive("memory", arguments.memory)
    file, _, name = arguments.function.rpartition(":")
    if not file.endswith(".py") or not Path(file).is_file() or not name.isidentifier():
        raise options.Misuse(f"FILE.py:FUNCTION must name a file and a function in it; got {arguments.function!r}")
    with tempfile.TemporaryDirectory() as folder, open(Path(folder, "errors"), "w+", errors="replace") as errors:
        np.savez(Path(folder, "inputs.npz"), **inputs)
        streams: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": errors}
        script = str(Path(__file__).with_name("function_outputs.py"))
        words = [sys.executable, script, folder, file, name, str(int(1e9 * memory))]
        child = subprocess.Popen(words, start_new_session=True, **streams)
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            hint = "give fewer --draws, or more --seconds"
            raise options.Misuse(f"{arguments.function} takes more than {seconds:g} s: {hint}") from None
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL) if hasattr(os, "killpg") else child.kill()
                child.wait()
        outputs = Path(folder, "outputs.npz")
        if child.returncode or not outputs.exists():
            errors.seek(0)
            last = ["its process ended", *errors.read().splitlines()][-1]
            raise options.Misuse(f"{arguments.function} failed: {last}")
        with np.load(outputs) as arrays:
            return dict(arrays)


def _findings(promise: FunctionPromise, inputs: dict[str, Any], outputs: dict[str, "Array"]) -> dict[str, Any]:
    """What the outputs show, as ``--json`` says it. Each audit has half of the risk."""
    import numpy as np

    from dirpriv.guarantees import audit, utility_audit

    x, y = (np.concatenate([of["single"], of["uniform"]]) for of in (inputs, outputs))
    norms, cosines = np.linalg.norm(y, axis=1), utility_audit._cosines(x, y)[0]
    apart = abs(cosines[:SINGLE].mean() - cosines[SINGLE:].mean())
    if apart > CERTAIN * cosines.std() / np.sqrt(SINGLE) * 2.0**0.5:
        rule = "the rows of one call are not independent, or a call changes later ones"
        raise options.Misuse(f"{rule}: {SINGLE} calls of one row have another mean cosine than one call of all rows")
    how: Any = {"radius": promise.radius, "delta": promise.delta}
    level, events = utility_audit.lower_bound(x, y, 1.0 - RISK / 2, **how), []
    first, *others = (np.nan_to_num(outputs[place], nan=-9.0, posinf=9.0, neginf=-9.0) for place in PLACES)
    for place, rows, (distance, promised) in zip(PLACES[1:], others, promise.losses().items(), strict=True):
        pair = np.array([inputs["one"][0], inputs[place][0]])

        def score(rows: "Array", pair: "Array" = pair) -> "Array":  # rounding may differ in one coordinate alone
            largest = [np.abs(rows - each).max(axis=1) for each in pair]
            return np.column_stack([rows @ np.stack([pair[0] - pair[1], pair[0] + pair[1]]).T, largest[0] - largest[1]])

        finding = audit.examine(first, rows, 1.0, 1.0 - RISK / 4, score=score, delta=promise.delta)
        events.append({"distance": distance, "loss": finding.level, "promised": promised})
    return {
        "draws": len(x),
        "no_unit": int((~(np.abs(norms - 1.0) <= 1e-5)).sum()),
        "no_direction": int((~((norms > 0.0) & np.isfinite(norms))).sum()),
        "mean_cosine": float(cosines.mean()),
        "best": utility_audit.largest_mean_cosine(promise.level, x.shape[1], **how),
        "level": level,
        "events": events,
        "seconds": float(outputs["seconds"]) / (4 * len(x) - SINGLE),
        "refuted": level > promise.level or any(one["loss"] > one["promised"] for one in events),
    }
