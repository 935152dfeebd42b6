"""Loops over checkpoints beside the plain loop: `python -m tests.benchmarks.checkpoints`.

Steps of 100 logistic equations, 100 000 by default, reversed with several
numbers of slots: the largest memory that Python's allocator had handed out (tracemalloc), how often
the body ran beside what theory tells, and the time as a multiple of the plain loop's gradient.
"""

from __future__ import annotations

import argparse
import tracemalloc
from time import perf_counter
from typing import Any

import numpy as np

import zyg
from tests.benchmarks.table import lines, machine
from zyg.binomial import fewest_steps

STEPS = 100_000
POINTS = 100
SLOTS = (1000, 100, 30, 10)
HEADER = ("slots", "peak, MB", "runs / step", "theory", "time, s", "of plain")

runs = 0


@zyg.nograd
def tick() -> None:
    global runs
    runs += 1


def plain(u: Any, rate: float, steps: int) -> Any:
    for _ in range(steps):
        u = u + rate * u * (1.0 - u)
    return np.sum(u * u)


def marked(u: Any, rate: float, steps: int, slots: int) -> Any:
    for _ in zyg.checkpoints(range(steps), slots=slots):
        u = u + rate * u * (1.0 - u)
    return np.sum(u * u)


def counted(u: Any, rate: float, steps: int, slots: int) -> Any:
    for _ in zyg.checkpoints(range(steps), slots=slots):
        tick()
        u = u + rate * u * (1.0 - u)
    return np.sum(u * u)


def seconds_of(f: Any, *args: Any) -> tuple[float, Any]:
    start = perf_counter()
    gradient = zyg.gradient(f, *args)
    return perf_counter() - start, gradient


def peak_of(f: Any, *args: Any) -> int:
    tracemalloc.start()
    try:
        zyg.gradient(f, *args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def main(arguments: list[str] | None = None) -> None:
    global runs
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--points", type=int, default=POINTS)
    parser.add_argument("--slots", type=int, nargs="*", default=SLOTS)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args(arguments)
    args = np.linspace(0.0, 1.0, options.points) ** 2, 1e-4
    steps = options.steps
    zyg.gradient(plain, *args, 3)
    plain_seconds, expected = seconds_of(plain, *args, steps)
    peak = peak_of(plain, *args, steps)
    rows = [HEADER, ("all", f"{peak / 1e6:.2f}", "1.00", "1.00", f"{plain_seconds:.1f}", "1.0")]
    for slots in options.slots:
        zyg.gradient(marked, *args, 3, slots)
        seconds, gradient = seconds_of(marked, *args, steps, slots)
        assert all(map(np.array_equal, gradient, expected)), "the gradient is another one"
        peak = peak_of(marked, *args, steps, slots)
        runs = 0
        zyg.gradient(counted, *args, steps, slots)
        theory = (fewest_steps(steps, slots) + 1 + steps) / steps
        rows.append((
            str(slots), f"{peak / 1e6:.2f}", f"{runs / steps:.2f}", f"{theory:.2f}",
            f"{seconds:.1f}", f"{seconds / plain_seconds:.1f}",
        ))
    print(f"{steps} steps of {options.points} equations; {machine()}")
    print("\n".join(lines(rows, options.markdown)))


if __name__ == "__main__":
    main()
