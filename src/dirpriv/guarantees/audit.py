"""A lower bound on the privacy loss of a mechanism, from its outputs alone.

A mechanism that is ε·d-private gives every set of outputs (event) a probability that is at most exp(ε·d) times as large
for one of two inputs at distance d as for the other. One event with a larger ratio refutes the promise. The audit
chooses an event on one part of the outputs (B. Bichsel, S. Steffen, I. Bogunovic, M. Vechev, "DP-Sniper: black-box
discovery of differential privacy violations using classifiers", IEEE S&P 2021) and bounds its two probabilities on the
rest (C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
Biometrika 26, 1934). The bound holds for every mechanism on every space, however the event was chosen. The choice
affects only the *power*: how near the bound comes to the true level.

>>> import numpy as np
>>> from dirpriv.guarantees import audit
>>> from dirpriv.distributions import Purkayastha
>>> distribution = Purkayastha(dim=2, kappa=1.0)
>>> x, x_prime = [1.0, 0.0], [np.cos(2.0), np.sin(2.0)]  # 2 rad apart
>>> outputs = [distribution.rvs(mode, 50_000, rng=seed) for seed, mode in enumerate((x, x_prime), 1)]
>>> level = audit.lower_bound(*outputs, distance=2.0)
>>> 0.9 < level < 1.0  # it is 1 per radian
True

:mod:`dirpriv.guarantees.utility_audit` needs no event. The two complement each other: it is sharp where the mechanism
is nearly the best one, in any number of dimensions, and events also see what rounding leaks. Run both, each at half of
the risk.

A bound below the stated level means that the audit found no violation. It does not prove the statement; the
exact levels of :mod:`dirpriv.guarantees` do.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, Codes, Integers, Score
from dirpriv.guarantees.output_partition import Cells

LEAST_OUTPUTS = 50  # of each input
_LEARN, _RANK, _CHOOSE = 0.1, 0.25, 0.15  # of the outputs build, rank, choose; the rest gives the bound
_MOST_LEARNT = 40_000  # outputs of each input from which cells are built


@dataclass(frozen=True)
class Finding:
    """What an audit found.

    Attributes
    ----------
    level : float
        Lower confidence bound on the privacy level per unit of distance; 0 where nothing was found.
    estimate : float
        The level that the event shows without a margin: the log ratio of its shares, per unit of distance.
    distance, confidence : float
        Distance between the two inputs; confidence of the bound.
    share, share_prime : float
        Shares of the outputs of the first and of the second input that lie in the event, in the part that
        gives the bound.
    """

    level: float
    estimate: float
    distance: float
    confidence: float
    share: float
    share_prime: float


def lower_bound(
    outputs_x: ArrayLike,
    outputs_x_prime: ArrayLike,
    distance: float,
    confidence: float = 0.99,
    *,
    score: Score | None = None,
) -> float:
    """Lower confidence bound on the privacy level per unit of distance, at least 0; see also :func:`examine`.

    Parameters
    ----------
    outputs_x, outputs_x_prime : array_like, shape (N,), (N, k) or (N, k, l)
        Independent outputs of the mechanism for two inputs: angles, vectors, rotation matrices, or categories as
        numbers. Convert unit quaternions to matrices, as q and -q are the same rotation. Repeated values (atoms) are
        detected and become events of their own. For a sharp bound, give half a million outputs or more of each input.
    distance : float
        Distance between the two inputs. For pure ε-differential privacy use 1; the bound is then on ε.
    confidence : float
        Least probability that the bound does not exceed the true level. Of m pairs of inputs, each with the
        confidence 1 - α/m, all bounds hold together with the probability 1 - α (Bonferroni).
    score : callable, optional, keyword-only
        Score of an output. By default the coordinates and the distances from the two sample means. The
        function takes outputs of shape (N,) or (N, k) and returns numbers of shape (N,) or (N, m). Its choice
        may use knowledge of the mechanism, but not of these outputs.

    Raises
    ------
    ValueError
        If the outputs are not finite numbers, fewer than 50, or not of one shape; if ``distance`` is not
        positive or ``confidence`` not between 0 and 1.
    """
    return examine(outputs_x, outputs_x_prime, distance, confidence, score=score).level


def examine(
    outputs_x: ArrayLike,
    outputs_x_prime: ArrayLike,
    distance: float,
    confidence: float = 0.99,
    *,
    score: Score | None = None,
    cells: Cells | None = None,
    delta: float = 0.0,
) -> Finding:
    """Run the audit of :func:`lower_bound`, and return the bound and the event that it comes from.

    Parameters
    ----------
    outputs_x, outputs_x_prime, distance, confidence, score : array_like, float and callable
        As for :func:`lower_bound`, with its errors.
    cells : Cells, optional, keyword-only
        What :func:`learn` made of *other* outputs; by default a tenth of these outputs are learnt from.
    delta : float, keyword-only
        The bound is on ε of (ε, δ)-differential privacy: δ is taken from the larger probability.
    """
    distance, delta = validate.positive("distance", distance), validate.share("delta", delta, zero=True)
    confidence = validate.share("confidence", confidence)
    samples = _samples(outputs_x, outputs_x_prime)
    risk = 0.5 * (1.0 - confidence)  # each of the two probabilities may be missed with half of the risk
    parts = [_parts(len(rows), name, cells is None) for name, rows in enumerate(samples)]
    if cells is None:
        learnt = [rows[of == 0][:_MOST_LEARNT] for rows, of in zip(samples, parts, strict=True)]
        cells = Cells(learnt[0], learnt[1], score)
    coded = [(cells.codes(rows), of) for rows, of in zip(samples, parts, strict=True)]
    ranked, chosen, tested = ([codes[of == part] for codes, of in coded] for part in (1, 2, 3))
    event, forwards = _chosen_event(cells, ranked, chosen, risk, delta)
    inside = np.zeros(cells.atoms + 2**cells.depth, dtype=bool)
    inside[event] = True
    tested = tested if forwards else tested[::-1]
    counts, sizes = [int(inside[part].sum()) for part in tested], [len(part) for part in tested]
    share, share_prime = (float(count / size) for count, size in zip(counts, sizes, strict=True))
    low = np.maximum(_lowest_share(counts[0], sizes[0], risk) - delta, 0.0)
    high = _highest_share(counts[1], sizes[1], risk)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss, estimate = np.log(low / high), np.log(max(np.float64(share) - delta, 0.0) / share_prime)
    level = max(float(loss), 0.0) / distance
    return Finding(level, float(estimate) / distance, distance, confidence, share, share_prime)


def learn(outputs_x: ArrayLike, outputs_x_prime: ArrayLike, *, score: Score | None = None) -> Cells:
    """Cells in which the outputs of two inputs differ, for audits of *other* outputs of the same inputs.

    Learnt once, they serve many audits. The bound of each holds whatever they were learnt from, as long as
    it is not from its own outputs.

    Parameters
    ----------
    outputs_x, outputs_x_prime, score : array_like and callable
        As for :func:`lower_bound`, with its errors.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.guarantees import audit
    >>> rng = np.random.default_rng(1)
    >>> cells = audit.learn(rng.laplace(0.0, 1.0, 2000), rng.laplace(3.0, 1.0, 2000))
    >>> others = rng.laplace(0.0, 1.0, 20_000), rng.laplace(3.0, 1.0, 20_000)
    >>> 0.8 < audit.examine(*others, distance=3.0, cells=cells).level < 1.0
    True
    """
    return Cells(*_samples(outputs_x, outputs_x_prime), score)


def share_interval(count: ArrayLike, draws: ArrayLike, risk: float = 0.025) -> tuple[Any, Any]:
    """Exact interval of a probability, after Clopper and Pearson: its lower and its upper end.

    Parameters
    ----------
    count, draws : array_like of int
        Numbers of successes and of independent trials.
    risk : float, optional
        Largest probability of missing the true value at each end: 0.025 for an interval of 95 %.

    Examples
    --------
    >>> from dirpriv.guarantees import audit
    >>> low, high = audit.share_interval([0, 5, 10], 10)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.187, 0.692], [0.308, 0.813, 1.0])
    """
    counts, trials = validate.reals("count", count), validate.reals("draws", draws)
    for name, values, least in (("count", counts, 0.0), ("draws", trials, 1.0)):
        if not np.all((values >= least) & (values < np.inf) & (values == np.floor(values))):
            raise InvalidArgument(name, f"must hold integers of at least {least:.0f}")
    try:
        beyond = np.any(counts > trials)
    except ValueError:
        rule = f"'count' and 'draws' must go together; got the shapes {counts.shape} and {trials.shape}"
        raise InvalidArgument(rule) from None
    if beyond:
        raise InvalidArgument("count", "must be at most 'draws'", hint="no more trials can succeed")
    risk = validate.share("risk", risk)
    return _lowest_share(counts, trials, risk), _highest_share(counts, trials, risk)


def _rows(name: str, outputs: ArrayLike) -> Array:
    rows = validate.unmasked(name, outputs)
    if rows.dtype.kind not in "fiub" or rows.ndim == 0 or len(rows) < LEAST_OUTPUTS:
        rule = f"must hold at least {LEAST_OUTPUTS} outputs as real numbers"
        actual = f"got an array of shape {rows.shape} and type {rows.dtype}"
        hint = "write rotations as matrices, and categories as numbers"
        raise InvalidArgument(name, f"{rule}; {actual}", hint=hint)
    rows = np.ascontiguousarray(rows.reshape(len(rows), -1), dtype=float)
    if not np.isfinite(rows).all():
        hint = "if the mechanism returns them, replace them by a number that it never returns otherwise"
        raise InvalidArgument(name, "must hold finite numbers; got nan or inf", hint=hint)
    return rows


def _samples(outputs_x: ArrayLike, outputs_x_prime: ArrayLike) -> tuple[Array, Array]:
    samples = _rows("outputs_x", outputs_x), _rows("outputs_x_prime", outputs_x_prime)
    if samples[0].shape[1:] != samples[1].shape[1:]:
        shapes = f"{samples[0].shape[1:]} and {samples[1].shape[1:]}"
        raise InvalidArgument(f"the outputs of both inputs must have one shape; got {shapes}")
    return samples


@functools.lru_cache(maxsize=4)
def _parts(count: int, name: int, to_learn: bool) -> NDArray[np.int8]:
    """Part of each output: 0 builds the cells, 1 ranks them, 2 chooses the event, 3 gives the bound."""
    learn = min(_LEARN, _MOST_LEARNT / count) if to_learn else 0.0
    uniform = np.random.default_rng([20_210_101, name]).random(count)  # the same each time
    parts = np.digitize(uniform, np.cumsum([learn, _RANK, _CHOOSE])).astype(np.int8)
    parts.flags.writeable = False  # many audits share it
    return parts


def _chosen_event(
    cells: Cells, ranked: Sequence[Codes], chosen: Sequence[Codes], risk: float, delta: float
) -> tuple[Integers, bool]:
    """Cells whose union has the highest bound, and whether the first input favours them.

    One part of the outputs ranks the cells by their log ratio; another bounds the first 1, 2, 3, ... of them.
    """
    best, event, forwards = -np.inf, np.zeros(0, dtype=np.intp), True
    atoms, leaves = cells.atoms, 2**cells.depth
    every = [[np.bincount(part, minlength=atoms + leaves) for part in pair] for pair in (ranked, chosen)]
    risk = risk / 30  # undivided, small events win by chance
    deviations = -float(ndtri(risk))
    for drop in range(cells.depth + 1):
        starts = np.concatenate([np.arange(atoms), np.arange(atoms, atoms + leaves, 2**drop)])
        counted = [[np.add.reduceat(counts, starts) for counts in pair] for pair in every]
        ratio = np.subtract(*(np.log((counts + 0.5) / counts.sum()) for counts in counted[0]))
        for one, other in ((0, 1), (1, 0)):
            order = np.argsort(-ratio if one == 0 else ratio, kind="stable")
            common, rare = (np.cumsum(counted[1][i][order]) for i in (one, other))
            sizes = len(chosen[one]), len(chosen[other])
            rough = np.maximum(_wilson(common, sizes[0], -deviations) - delta, 0.0)
            rough /= _wilson(rare, sizes[1], deviations)
            likely = np.argsort(-rough, kind="stable")[:32]  # exact limits of all would take far longer
            low = np.maximum(_lowest_share(common[likely], sizes[0], risk) - delta, 0.0)
            with np.errstate(divide="ignore"):
                bound = np.log(low / _highest_share(rare[likely], sizes[1], risk))
            top = int(np.argmax(bound))
            if bound[top] > best:
                best, forwards = bound[top], one == 0
                ends = np.append(starts, atoms + leaves)
                event = np.concatenate([np.arange(ends[i], ends[i + 1]) for i in order[: likely[top] + 1]])
    return event, forwards


def _wilson(count: Integers, size: int, deviations: float) -> Array:
    """Wilson's limit of a binomial share: this number of standard deviations away."""
    square = deviations**2
    spread = np.sqrt(count * (size - count) / size + square / 4.0)
    return np.asarray((count + square / 2.0 + deviations * spread) / (size + square))


def _lowest_share(count: ArrayLike, size: Any, risk: float) -> Any:
    """Lower limit of Clopper and Pearson for a binomial share: a quantile of Beta(k, n - k + 1)."""
    count = np.asarray(count, dtype=float)
    some = np.maximum(count, np.finfo(float).tiny)
    return np.where(count > 0.0, betaincinv(some, np.maximum(size - count, 0.0) + 1.0, risk), 0.0)


def _highest_share(count: ArrayLike, size: Any, risk: float) -> Any:
    """Upper limit of Clopper and Pearson: 1 less the lower limit of the complement."""
    count = np.asarray(count, dtype=float)
    rest = np.maximum(size - count, np.finfo(float).tiny)
    return np.where(count < size, betaincinv(count + 1.0, rest, 1.0 - risk), 1.0)
