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


FIRST, FLAT = 1024, 0.9  # draws of the first call; fall of the time per draw that is none
AGREEING = 1.03  # a time that is longer by so little agrees


def seconds(function, rows, clock=time.perf_counter):
    """Time of one call, by default that on the wall; another clock is ``time.process_time``."""
    start = clock()
    function(rows)
    return clock() - start


def rows_of_calls(functions, most, longest_call, first=FIRST):
    """Number of draws of a call, one for all functions: it grows until the time per draw of each is flat.

    It is flat where four times as many draws take at least ``FLAT`` times as long each. The number is at most
    ``most``, and grows no further once a call takes longer than ``longest_call``. Each is timed twice, as the
    first call warms up, in processor time, which other programs change little.
    """
    rows, before, clock = min(first, most), np.inf, time.process_time
    while True:
        taken = np.array([min(seconds(function, rows, clock) for _ in range(2)) for function in functions])
        flat = np.all(taken / rows >= FLAT * before)
        if flat or rows == most or taken.max() > longest_call:
            return rows
        rows, before = min(most, 4 * rows), taken / rows


def is_known(times):
    """Whether the smallest of these times is known: two others are hardly longer."""
    return len(times) >= 3 and sorted(times)[2] <= AGREEING * min(times)


def time_in_turn(timed, rows, rounds, floor, enough, shares=None):
    """Columns of the table for each method with a number of draws in ``rows``, timed in turn in each round.

    A method is timed until its smallest time :func:`is_known`, in at most ``rounds`` rounds and no longer
    than ``enough`` seconds, and the floor as long as any other. ``shares`` are the parts of the draws' work
    that a call does, where it is not all of it.

    The columns are nanoseconds per draw (median, minimum and maximum over the rounds), the ratio of the
    minimum to that of the method ``floor`` (other programs can only add time), and the range of this ratio
    and of those to the floor of the same round.
    """
    taken, open_keys = {key: [] for key in rows}, list(rows)
    while open_keys and len(taken[floor]) < rounds:
        for key in dict.fromkeys([floor, *open_keys]):
            taken[key].append(seconds(timed[key], rows[key]))
        open_keys = [key for key in open_keys if not is_known(taken[key]) and sum(taken[key]) < enough]
    done = {key: count * (shares or {}).get(key, 1.0) for key, count in rows.items()}
    per_draw = {key: np.array(times) / done[key] * 1e9 for key, times in taken.items()}
    base = per_draw[floor]
    table = {}
    for key, times in per_draw.items():
        ratio = np.min(times) / np.min(base)  # the floor has more rounds
        ratios = np.append(times / base[: len(times)], ratio)
        table[key] = dict(
            n=rows[key], metric="time_per_draw", unit="ns", value=np.median(times), low=np.min(times),
            high=np.max(times), ratio_to_floor=ratio, ratio_low=np.min(ratios),
            ratio_high=np.max(ratios), repetitions=len(times), status="timed",
        )  # fmt: skip
    return table
