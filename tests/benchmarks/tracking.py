"""What tracking costs beside other systems that record at run time.

`python -m tests.benchmarks.tracking` prints the microseconds per recorded operation of programs
of many small operations, forward and backward; the milliseconds of a gradient of larger ones, and
of tapes that are replayed, beside what the compiler makes of the same program; how much memory a
gradient takes at its peak, and how long chains of a million operations take.
"""

from __future__ import annotations

import contextlib
import gc
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import zyg
from tests.benchmarks import peers
from tests.benchmarks.micrograd import Value
from tests.benchmarks.program import Program
from tests.benchmarks.programs import PROGRAMS
from tests.benchmarks.timing import best_seconds
from zyg import tape, tracker

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


def with_tape() -> dict[str, Callable[[], Any]]:
    vector = np.full(10, 0.9)

    def arrays(x: Any) -> Any:
        return np.sum(array_loop(x, np.sin))

    return {
        "scalar, recorded": lambda: tape.trace(scalar_loop, 0.999),
        "scalar, with gradient": lambda: tape.gradient(scalar_loop, 0.999),
        "scalar, adjoint appended": lambda: tape.append_adjoint(tape.trace(scalar_loop, 0.999)),
        "array, recorded": lambda: tape.trace(arrays, vector),
        "array, with gradient": lambda: tape.gradient(arrays, vector),
        "array, adjoint appended": lambda: tape.append_adjoint(tape.trace(arrays, vector)),
    }


def with_micrograd() -> dict[str, Callable[[], Any]]:
    return {
        "scalar, recorded": lambda: scalar_loop(Value(0.999)),
        "scalar, with gradient": lambda: scalar_loop(Value(0.999)).backward(),
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


def replayed(program: Program) -> Callable[[], Any]:
    """The gradient of a program by a tape that was recorded once."""
    t = tape.trace(program.primal, *program.arguments, **program.data)
    tape.append_adjoint(t)
    return lambda: tape.replay(t, *program.arguments)


SYSTEMS: dict[str, Callable[[Program], Callable[[], Any]]] = {
    "zyg.tracker": tracked,
    "zyg.tape": lambda program: (
        lambda: tape.gradient(program.primal, *program.arguments, **program.data)
    ),
    "replayed": replayed,
    "compiler": lambda program: peers.thunk("zyg", program),
    "autograd": lambda program: peers.thunk("autograd", program),
    "PyTorch": lambda program: peers.thunk("torch", program),
}


def print_larger() -> None:
    """Milliseconds of a gradient, each checked against the hand-written one."""
    print("\nmilliseconds per gradient" + "".join(f"{name:>13}" for name in SYSTEMS))
    for name, program in PROGRAMS.items():
        if not name.startswith(LARGER):
            continue
        runs = {}
        for system, make in SYSTEMS.items():
            with contextlib.suppress(peers.NotAvailable):
                run = runs[system] = make(program)
                peers.check_gradient(program, run(), 1e-6)
        best = best_seconds(runs, rounds=100)
        figures = [f"{best[s] * 1000:13.3f}" if s in best else " " * 13 for s in SYSTEMS]
        print(f"{name:25}" + "".join(figures))


# Straight lines, for which a replayed tape should cost what compiled code does.


def polynomial(x: float, y: float) -> float:
    a = x * y + 2.0 * x
    b = a * a - y / x
    c = b * x + a * y - 0.5 * b
    return (c * c + a * b) / (1.0 + b * b) + c * x * y


def waves(x: Any, y: Any) -> Any:
    a = np.sin(x * y) + np.exp(-x * x)
    b = np.tanh(a @ y) + np.cos(a).sum()
    return np.sum(a * a) * b + np.sqrt(1.0 + b * b)


def print_straight() -> None:
    random = np.random.default_rng(0)
    print("\nmicroseconds, straight lines   replayed   compiler      ratio")
    for name, f, args in (
        ("numbers", polynomial, (0.7, 1.3)),
        ("arrays of 10", waves, (random.normal(size=10), random.normal(size=10))),
        ("arrays of 10000", waves, (random.normal(size=10**4), random.normal(size=10**4) / 100)),
    ):
        t = tape.trace(f, *args)
        tape.append_adjoint(t)
        for a, b in zip(tape.replay(t, *args), zyg.gradient(f, *args), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9)
        best = best_seconds({
            "replayed": lambda t=t, args=args: tape.replay(t, *args),
            "compiler": lambda f=f, args=args: zyg.gradient(f, *args),
        })
        ours, theirs = (best[name] * 1e6 for name in ("replayed", "compiler"))
        print(f"{name:27}{ours:11.2f}{theirs:11.2f}{ours / theirs:11.2f}")


# Memory


def layers(x: Any) -> Any:
    for _ in range(50):
        x = np.tanh(x * 1.01)
    return np.sum(x)


def peak(run: Callable[[], Any]) -> float:
    """Megabytes of what is allocated at the same time."""
    gc.collect()
    tracemalloc.start()
    run()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def print_memory() -> None:
    x = np.linspace(-1.0, 1.0, 100_000)

    def by_tracker(once: bool) -> None:
        tracker.back(layers(tracker.param(x)), once=once)

    print("\nmegabytes at the peak, 100 operations on arrays of 0.8 MB")
    for name, run in {
        "tracker, recorded": lambda: layers(tracker.param(x)),
        "tracker, back": lambda: by_tracker(False),
        "tracker, back consumes": lambda: by_tracker(True),
        "tape, recorded": lambda: tape.trace(layers, x),
        "tape, gradient consumes": lambda: tape.gradient(layers, x),
        "tape, adjoint appended": lambda: tape.append_adjoint(tape.trace(layers, x)),
        "compiler": lambda: zyg.gradient(layers, x),
    }.items():
        print(f"{name:26}{peak(run):10.1f}")


def print_chains() -> None:
    """Seconds of the processor for chains; a tenth of the length should take a tenth of the time.

    Python's collector of cycles looks through what was recorded again and again, which costs more
    the more there is: the last columns are without it.
    """

    def chain(x: Any, count: int) -> Any:
        for _ in range(count):
            x = -x
        return x

    print("\nseconds for a chain of         100000    1000000   100000    1000000, no collector")
    for name, run in {
        "tracker": lambda count: tracker.back(chain(tracker.param(1.0), count)),
        "tape": lambda count: tape.gradient(lambda x: chain(x, count), 1.0),
        "tape, adjoint appended": lambda count: tape.append_adjoint(
            tape.trace(lambda x: chain(x, count), 1.0)
        ),
    }.items():
        figures = []
        for switch in (gc.enable, gc.disable):
            switch()
            for count in (100_000, 1_000_000):
                start = time.process_time()
                run(count)
                figures.append(f"{time.process_time() - start:11.2f}")
        gc.enable()
        print(f"{name:26}" + "".join(figures))


def main() -> None:
    rows = [
        "scalar, recorded", "scalar, with gradient", "scalar, adjoint appended",
        "array, recorded", "array, with gradient", "array, adjoint appended",
    ]  # fmt: skip
    systems = {}
    for name, make in (
        ("zyg.tracker", with_tracker), ("zyg.tape", with_tape), ("autograd", with_autograd),
        ("PyTorch", with_torch), ("micrograd", with_micrograd),
    ):  # fmt: skip
        with contextlib.suppress(ImportError):
            systems[name] = make()
    print("microseconds per operation" + "".join(f"{name:>14}" for name in systems))
    for row in rows:
        best = best_seconds(
            {name: programs[row] for name, programs in systems.items() if row in programs},
            rounds=60,
        )
        figures = [best[name] / STEPS * 1e6 if name in best else None for name in systems]
        print(f"{row:26}" + "".join(f"{x:14.2f}" if x else " " * 14 for x in figures))
    print_larger()
    print_straight()
    print_memory()
    print_chains()


if __name__ == "__main__":
    main()
