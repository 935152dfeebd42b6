"""What tracking costs beside other systems that record at run time.

`python -m tests.benchmarks.tracking` prints the microseconds per recorded operation of programs
of many small operations, forward and backward, and the milliseconds of a gradient of larger ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.benchmarks import peers
from tests.benchmarks.program import Program
from tests.benchmarks.programs import PROGRAMS
from zyg import tracker

STEPS = 1000


def scalar_loop(x: Any) -> Any:
    """As many multiplications and additions of numbers."""
    total = x
    for _ in range(STEPS // 2):
        total = total * x + 0.5
    return total


def array_loop(x: Any, sin: Callable[[Any], Any]) -> Any:
    """As many operations on short arrays."""
    total = x
    for _ in range(STEPS // 2):
        total = sin(total * x)
    return total


def fastest(run: Callable[[], Any], repetitions: int = 7) -> float:
    """Microseconds per recorded operation."""
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times) / STEPS * 1e6


def with_tracker() -> dict[str, Callable[[], Any]]:
    def scalars() -> None:
        tracker.back(scalar_loop(tracker.param(0.999)))

    def arrays() -> None:
        tracker.back(array_loop(tracker.param(np.full(10, 0.9)), np.sin), 1)

    return {
        "scalar, recorded": lambda: scalar_loop(tracker.param(0.999)),
        "scalar, with gradient": scalars,
        "array, recorded": lambda: array_loop(tracker.param(np.full(10, 0.9)), np.sin),
        "array, with gradient": arrays,
    }


def with_autograd() -> dict[str, Callable[[], Any]]:
    import autograd
    import autograd.numpy as numpy

    scalars = autograd.grad(scalar_loop)
    arrays = autograd.elementwise_grad(lambda x: array_loop(x, numpy.sin))
    return {
        "scalar, with gradient": lambda: scalars(0.999),
        "array, with gradient": lambda: arrays(np.full(10, 0.9)),
    }


def with_torch() -> dict[str, Callable[[], Any]]:
    import torch

    torch.set_num_threads(1)

    def leaf(x: Any) -> Any:
        return torch.tensor(x, dtype=torch.float64, requires_grad=True)

    return {
        "scalar, recorded": lambda: scalar_loop(leaf(0.999)),
        "scalar, with gradient": lambda: scalar_loop(leaf(0.999)).backward(),
        "array, recorded": lambda: array_loop(leaf([0.9] * 10), torch.sin),
        "array, with gradient": lambda: (
            array_loop(leaf([0.9] * 10), torch.sin).backward(torch.ones(10, dtype=torch.float64))
        ),
    }


# Programs of `tests.benchmarks` that the peers run as they are.
LARGER = ("power", "mlp", "rnn")


def tracked(program: Program) -> Callable[[], Any]:
    """The gradient of a program by the tracker."""

    def run() -> Any:
        arguments = [
            tracker.param(x) if i in program.differentiated else x
            for i, x in enumerate(program.arguments)
        ]
        tracker.back(program.primal(*arguments, **program.data), once=True)
        return tuple([arguments[i].grad for i in program.differentiated])

    return run


def print_larger() -> None:
    """Milliseconds of a gradient, each checked against the hand-written one."""
    print("\nmilliseconds per gradient      zyg.tracker      autograd       PyTorch")
    for name, program in PROGRAMS.items():
        if not name.startswith(LARGER):
            continue
        figures = []
        for system in ("tracker", "autograd", "torch"):
            try:
                run = tracked(program) if system == "tracker" else peers.thunk(system, program)
            except peers.NotAvailable:
                figures.append(" " * 14)
                continue
            peers.check_gradient(program, run(), 1e-6)
            figures.append(f"{fastest(run) * STEPS / 1000:14.3f}")
        print(f"{name:28}" + "".join(figures))


def main() -> None:
    rows = [
        "scalar, recorded", "scalar, with gradient", "array, recorded", "array, with gradient",
    ]  # fmt: skip
    columns = {}
    for name, make in (
        ("zyg.tracker", with_tracker), ("autograd", with_autograd), ("PyTorch", with_torch),
    ):  # fmt: skip
        try:
            programs = make()
        except ImportError:
            continue
        columns[name] = {row: fastest(program) for row, program in programs.items()}
    print("microseconds per operation" + "".join(f"{name:>14}" for name in columns))
    for row in rows:
        figures = [column.get(row) for column in columns.values()]
        print(f"{row:26}" + "".join(f"{x:14.2f}" if x else " " * 14 for x in figures))
    print_larger()


if __name__ == "__main__":
    main()
