"""Times of several methods, measured in turn in one run; shared by the benchmarks."""

import contextlib
import time

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits


@contextlib.contextmanager
def one_thread(logger):
    """Restrict linear algebra to one thread, for a fair comparison of the methods; write that to the log."""
    with threadpool_limits(1):
        logger.info("threads of BLAS: %s", sorted({pool["num_threads"] for pool in threadpool_info()}))
        yield


def seconds(function, rows, clock=time.perf_counter):
    """Time of one call, by default that on the wall; another clock is ``time.process_time``."""
    start = clock()
    function(rows)
    return clock() - start


def rows_of_call(function, most, call_seconds):
    """Number of draws with which one timed call takes about the wanted time; this also warms up.

    Each number is tried twice. The shorter time counts, because other programs can only add to it.
    """
    rows = min(8, most)
    seconds(function, rows)
    while (taken := min(seconds(function, rows) for _ in range(2))) < call_seconds / 2.0 and rows < most:
        grown = rows * min(8.0, call_seconds / max(taken, 1e-9))
        rows = int(min(most, max(grown, rows + 1)))
    return rows


def time_in_turn(timed, rows, rounds, floor):
    """Columns of the table for each method with a number of draws in ``rows``, timed once in every round.

    ``rounds`` is their number, or the numbers by method: a slow method is timed in the first ones only.
    The columns are nanoseconds per draw (median, minimum and maximum over the rounds), the ratio of the
    minimum to that of the method ``floor`` (other programs can only add time), and the range of the ratios
    to the floor of the same round.
    """
    per_draw = {key: [] for key in rows}
    rounds = rounds if isinstance(rounds, dict) else dict.fromkeys(rows, rounds)
    for number in range(rounds[floor]):
        for key, count in rows.items():
            if number < rounds[key]:
                per_draw[key].append(seconds(timed[key], count) / count * 1e9)
    base = np.array(per_draw[floor])
    table = {}
    for key, times in per_draw.items():
        ratios = np.array(times) / base[: len(times)]
        table[key] = dict(
            n=rows[key], metric="time_per_draw", unit="ns", value=np.median(times), low=np.min(times),
            high=np.max(times), ratio_to_floor=np.min(times) / np.min(base), ratio_low=np.min(ratios),
            ratio_high=np.max(ratios), repetitions=len(times), status="timed",
        )  # fmt: skip
    return table
