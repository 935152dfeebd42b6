"""Prints what gradients cost.

    python -m tests.benchmarks                     everything
    python -m tests.benchmarks power rk4           some programs; `overhead` for the fixed costs
    python -m tests.benchmarks --systems zyg       without the peers, which take most of the time
    python -m tests.benchmarks --markdown          tables for docs/performance.md

Ends with status 1 if anything failed or a gradient differs from the hand-written one.
"""

from __future__ import annotations

import argparse
import sys

from tests.benchmarks.threads import use_one_thread


def main() -> int:
    use_one_thread()
    # Imported only now: NumPy reads the number of threads once.
    from tests.benchmarks import overhead, peers, table
    from tests.benchmarks.programs import PROGRAMS

    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument(
        "selection", nargs="*", help=f"of {', '.join(PROGRAMS)}, indexing, overhead"
    )
    parser.add_argument("--markdown", action="store_true", help="tables for a Markdown page")
    parser.add_argument(
        "--systems",
        nargs="+",
        choices=list(peers.SYSTEMS),
        default=list(peers.SYSTEMS),
        help="those to time beside the primal and the hand-written gradient",
    )
    options = parser.parse_args()
    chosen = [
        name
        for name in PROGRAMS
        if not options.selection or any(name.startswith(prefix) for prefix in options.selection)
    ]
    if unknown := [
        word
        for word in options.selection
        if word != "overhead" and not any(name.startswith(word) for name in PROGRAMS)
    ]:
        parser.error(f"no benchmark named {', '.join(unknown)}")

    print(table.machine())
    rows = []
    for name in chosen:
        print(f"timing {name}", file=sys.stderr)
        rows.append(table.measure(PROGRAMS[name], options.systems))
    if rows:
        print("Milliseconds; in brackets the multiple of the plain primal.\n")
        cells = [table.HEADER, *(row.cells() for row in rows)]
        print("\n".join(table.lines(cells, options.markdown)), end="\n\n")
        print("\n".join(table.notes(rows)))
    failed = any(row.failed(system) for row in rows for system in row.missing)
    if not options.selection or "overhead" in options.selection:
        costs = overhead.measure()
        print("\n".join(["", *table.lines(costs, options.markdown)]))
        failed |= any(measured.startswith("failed") for _, measured, *_ in costs)
    return int(failed)


raise SystemExit(main())
