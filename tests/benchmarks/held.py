"""Prints what derivatives of simulations cost whose objects hold lists, dicts and arrays.

    python -m tests.benchmarks.held [names]

In plain primals: the gradient, an adjoint by hand that keeps the state in local variables, `jvp`
and `hvp`.
"""

from __future__ import annotations

import functools
import sys

from tests.benchmarks.threads import use_one_thread


def main() -> None:
    use_one_thread()

    import zyg
    from tests.benchmarks.programs.held_state import PROGRAMS
    from tests.benchmarks.table import lines, machine
    from tests.benchmarks.timing import best_seconds

    print(machine())
    print("In plain primals; of the primal, microseconds.\n")
    cells = [("program", "primal, µs", "gradient", "by hand", "`jvp`", "`hvp`")]
    for program in PROGRAMS:
        if sys.argv[1:] and program.name not in sys.argv[1:]:
            continue
        (x,) = program.arguments
        calls = {
            "primal": functools.partial(program.primal, x),
            "gradient": functools.partial(zyg.gradient, program.primal, x),
            "by hand": functools.partial(program.gradient_by_hand, x),
            "jvp": functools.partial(zyg.jvp, program.primal, (x,), (1.0,)),
            "hvp": functools.partial(zyg.hvp, program.primal, x, 1.0),
        }
        seconds = best_seconds(calls, rounds=100, budget=3.0)
        primal = seconds.pop("primal")
        ratios = [f"{value / primal:.3g}" for value in seconds.values()]
        cells.append((program.name, f"{primal * 1e6:.1f}", *ratios))
    print("\n".join(lines(cells, True)))


if __name__ == "__main__":
    main()
