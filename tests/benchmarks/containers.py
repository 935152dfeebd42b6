"""Prints what gradients of programs on lists, dicts, queues and objects cost, by their length.

    python -m tests.benchmarks.containers [names]
"""

from __future__ import annotations

import functools
import sys

from tests.benchmarks.threads import use_one_thread

LENGTHS = (500, 1000, 2000)


def main() -> None:
    use_one_thread()
    import numpy as np

    import zyg
    from tests.benchmarks.table import lines, machine
    from tests.benchmarks.timing import best_seconds
    from tests.growing_programs import PROGRAMS

    print(machine())
    print("Gradients in plain primals, by the number of items.\n")
    cells = [("program", *map(str, LENGTHS))]
    for f in PROGRAMS:
        if sys.argv[1:] and f.__name__ not in sys.argv[1:]:
            continue
        ratios = []
        for n in LENGTHS:
            values = np.random.default_rng(0).uniform(0.1, 1.0, n).tolist()
            calls = {
                "primal": functools.partial(f, values),
                "zyg": functools.partial(zyg.gradient, f, values),
            }
            seconds = best_seconds(calls, rounds=20, budget=2.0)
            ratios.append(f"{seconds['zyg'] / seconds['primal']:.3g}")
        cells.append((f.__name__, *ratios))
    print("\n".join(lines(cells, True)))


if __name__ == "__main__":
    main()
