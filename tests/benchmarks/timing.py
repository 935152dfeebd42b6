"""Interleaved timing: calls of no arguments -> the best seconds per call of each.

Each round times one short batch of every call, in a new order, so that a slow spell of the machine
and what the call before left in caches and free lists hit all of them alike.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from time import perf_counter
from typing import Any

BATCH_SECONDS = 0.003


def seconds_of_batch(
    call: Callable[[], Any], repetitions: int, clock: Callable[[], float] = perf_counter
) -> float:
    start = clock()
    for _ in range(repetitions):
        call()
    return clock() - start


def repetitions_for(call: Callable[[], Any]) -> int:
    """How many calls make a batch of about `BATCH_SECONDS`; also warms the call up."""
    repetitions = 1
    while True:
        seconds = seconds_of_batch(call, repetitions)
        if seconds >= BATCH_SECONDS / 2:
            return max(1, round(repetitions * BATCH_SECONDS / seconds))
        repetitions *= 2 if seconds > BATCH_SECONDS / 20 else 10


def best_seconds(
    calls: dict[str, Callable[[], Any]],
    rounds: int = 250,
    budget: float = 2.0,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, float]:
    """The best of `rounds`, fewer (but at least three) for a call that used up `budget` seconds.

    On a machine that others use as well, `time.thread_time` is steadier as a clock.
    """
    repetitions = {name: repetitions_for(call) for name, call in calls.items()}
    best = dict.fromkeys(calls, float("inf"))
    spent = dict.fromkeys(calls, 0.0)
    order = random.Random(0)
    gc.collect()
    collecting = gc.isenabled()
    gc.disable()
    try:
        for turn in range(rounds):
            for name, call in order.sample(list(calls.items()), len(calls)):
                if turn >= 3 and spent[name] > budget:
                    continue
                seconds = seconds_of_batch(call, repetitions[name], clock)
                spent[name] += seconds
                best[name] = min(best[name], seconds / repetitions[name])
            gc.collect(0)
    finally:
        if collecting:
            gc.enable()
    return best
