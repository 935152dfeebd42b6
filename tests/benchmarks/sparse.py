"""Prints what sparse Hessians and Jacobians take for functions of many numbers, and gradients of
solutions of equations with sparse matrices.

    python -m tests.benchmarks.sparse           n = 10^3, 10^4, 10^5

`pattern` is a run of the program on index sets, `first` the derivative by a pattern whose colours
are not known yet, `again` the same at the next point. A pass is a product with a vector: there are
as many as colours, and one that checks. Times are those of the processor, which other programs on
the machine disturb less than the clock's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tests.benchmarks.threads import use_one_thread

SIZES = (1_000, 10_000, 100_000)


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


def best(call: Callable[[], Any], rounds: int = 3) -> float:
    return min(seconds(call)[0] for _ in range(rounds))


def row(name: str, f: Any, n: int, is_hessian: bool) -> str:
    import numpy as np

    import zyg
    from zyg.sparsity import colouring

    x = np.linspace(-1.0, 1.0, n)
    direction = np.cos(np.arange(n))

    def derivative(pattern: Any) -> Any:
        if is_hessian:
            return zyg.hessian(f, x, sparsity=pattern)
        return zyg.jacobian(f, x, sparsity=pattern)[0]

    def one_pass() -> Any:
        return zyg.hvp(f, x, direction) if is_hessian else zyg.jvp(f, (x,), (direction,))

    detect = zyg.hessian_sparsity if is_hessian else zyg.jacobian_sparsity
    one_pass()
    detect(f, x[:4])
    to_detect, pattern = seconds(lambda: detect(f, x))
    pattern = pattern if is_hessian else pattern[0]
    first, found = seconds(lambda: derivative(pattern))
    again = best(lambda: derivative(pattern))
    groups = colouring.hessian_groups(pattern) if is_hessian else (
        colouring.jacobian_groups(pattern, True)[1]
    )
    times = (best(lambda: f(x)), best(one_pass), to_detect, first, again)
    shown = " | ".join(f"{1e3 * t:.3g}" for t in times)
    return f"| {name} | {n} | {found.nnz} | {colouring.count(groups)} | {shown} |"


def system_row(name: str, f: Any, by_hand: Any, n: int) -> str:
    import numpy as np

    import zyg

    k = np.linspace(0.5, 1.5, n)
    np.testing.assert_allclose(zyg.gradient(f, k)[0], by_hand(k), rtol=1e-8)
    primal, found, hand = (
        best(call, 5) for call in (lambda: f(k), lambda: zyg.gradient(f, k), lambda: by_hand(k))
    )
    return (
        f"| {name} | {n} | {1e3 * primal:.3g} | {found / primal:.2f} | {hand / primal:.2f} | "
        f"{found / hand:.2f} |"
    )


def main() -> None:
    use_one_thread()
    from tests.benchmarks.programs import chains, sparse_systems

    print("| milliseconds | n | entries | colours | primal | pass | pattern | first | again |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, f, is_hessian in (
        ("Hessian, Rosenbrock by slices", chains.rosenbrock_by_slices, True),
        ("Hessian, Rosenbrock by a loop", chains.rosenbrock_by_a_loop, True),
        ("Jacobian, Broyden by a loop", chains.broyden, False),
        ("Jacobian, Bratu on a grid", chains.bratu, False),
    ):
        for n in SIZES:
            print(row(name, f, round(n**0.5) ** 2 if f is chains.bratu else n, is_hessian))
    print()
    print("| linear equations | n | primal, ms | gradient, primals | by hand, primals | of it |")
    print("|---|---|---|---|---|---|")
    for name, system, by_hand in (
        ("rod: three diagonals", sparse_systems.rod, sparse_systems.rod_by_hand),
        ("grid: coordinates", sparse_systems.grid, sparse_systems.grid_by_hand),
    ):
        for n in (100, 10_000, 90_000):
            print(system_row(name, system, by_hand, n))


if __name__ == "__main__":
    main()
