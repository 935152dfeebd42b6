"""Many random compositions: what is wrong, what is refused."""

from __future__ import annotations

import argparse

from tests.compositions.check import check
from tests.compositions.writer import written


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.compositions", description=__doc__)
    parser.add_argument("--count", type=int, default=500, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first program")
    options = parser.parse_args()
    wrong = refused = checked = 0
    for seed in range(options.seed, options.seed + options.count):
        faults = check(seed)
        checked += faults is not None
        if not faults:
            continue
        are_refusals = all(fault.startswith("refused") for fault in faults)
        refused += are_refusals
        wrong += not are_refusals
        print(f"# seed {seed}", *faults, written(seed), sep="\n", flush=True)
    print(f"{checked} of {options.count} have derivatives; wrong {wrong}, refused {refused}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
