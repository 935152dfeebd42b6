"""The nightly run: many random programs, how often each construct occurs, the smallest failure."""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
from collections import Counter

from tests.fuzz.check import Differentiate, check
from tests.fuzz.constructs import ALL, constructs
from tests.fuzz.generate import SHORT, generate
from tests.fuzz.reduction import reduced


def reason(refusal: str) -> str:
    """What a refusal says, without the names and lines of a program."""
    first = re.split(r"\\\\n|['\"], \(", refusal)[0]
    return re.sub(r"`[^`]*`", "_", first)[:120]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first program")
    parser.add_argument(
        "--twice", action="store_true",
        help=f"second derivatives, of the programs of at most {SHORT} characters",
    )
    parser.add_argument("--show", action="store_true", help="only print the programs")
    parser.add_argument("--save", type=pathlib.Path, help="a folder for failing programs")
    options = parser.parse_args()

    ways: tuple[Differentiate, ...] = ()
    if options.twice:
        from tests.fuzz.twice import by_nested_duals, by_zyg_twice

        ways = by_zyg_twice, by_nested_duals
    checked = 0
    seen: Counter[str] = Counter()
    failed = []
    refused: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.count):
        program = generate(seed)
        if options.show:
            print(f"# seed {seed}, inputs {program.inputs}\n{program.source}")
            continue
        if options.twice and len(program.source) > SHORT:
            continue
        checked += 1
        seen.update(constructs(program.source))
        failure = check(program, *ways)
        if failure is not None and failure.is_refusal:
            refused[reason(str(failure.found))] += 1
        elif failure is not None:
            failed.append(failure)
            print(f"seed {seed} fails at {failure.inputs}: {failure.kind}", flush=True)
            if options.save:
                options.save.mkdir(parents=True, exist_ok=True)
                (options.save / f"seed_{seed}.py").write_text(program.source)
    if options.show:
        return 0

    for name in sorted(ALL, key=seen.__getitem__):
        print(f"{seen[name] / checked:7.1%}  {name}")
    print()
    for text, count in refused.most_common():
        print(f"{count / checked:7.1%}  {text}")
    print(f"{checked} programs, {refused.total()} refused, {len(failed)} failures")
    if failed:
        smallest = min(failed, key=lambda failure: len(failure.program.source))
        print(f"\nthe smallest, seed {smallest.program.seed}, reduced:\n")
        print(check(reduced(smallest, *ways), *ways) or smallest)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
