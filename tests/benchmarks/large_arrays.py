"""What rules cost on large arrays: `python -m tests.benchmarks.large_arrays` prints tables.

    --hand       formulas beside their gradients by hand, in the joint form: what the code costs
    --rules      for each rule the time of its adjoint as a multiple of the primal's, what the
                 pullback keeps as a multiple of the largest operand (1 is one array), and from n
                 to 4n elements the growth of the adjoint's time beyond that of its primal, or of
                 the elements: 1 for what it should be, 4 for what is quadratic and needn't be
    words        only what has one of them in its name

At the end stand the best and the worst of each family. Times are those of the processor.

Arrays have a million elements, or as many as a call of a hundredth of a second takes;
factorisations have sizes for which the primal takes some milliseconds.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from time import thread_time
from typing import Any

import numpy as np

import zyg
from tests.benchmarks import by_hand, by_hand_arrays, scaled_rows
from tests.benchmarks.table import lines
from tests.benchmarks.timing import best_seconds
from tests.rule_row import Row
from zyg.calls.saved_values import held

RANDOM = np.random.default_rng(0)
COUNT = 10**6
X = RANDOM.uniform(0.2, 0.9, COUNT)
Y = RANDOM.uniform(0.2, 0.9, COUNT)
ROWS = X.reshape(1000, 1000)
MASK = X > 0.5
PLACES = RANDOM.integers(0, COUNT, COUNT)
SMALL = RANDOM.uniform(0.2, 0.9, (300, 300)) + 5 * np.eye(300)
SYMMETRIC = SMALL @ SMALL.T
SIDE = RANDOM.uniform(0.2, 0.9, (300, 300))


@dataclass(frozen=True)
class Case:
    kind: str
    name: str
    program: Callable[..., Any]
    args: tuple[Any, ...]


def elementwise() -> Iterator[Case]:
    for name in (
        "negative", "absolute", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh",
        "tanh", "arcsinh", "arctanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p",
        "sqrt", "square", "cbrt", "reciprocal", "degrees", "sinc", "nan_to_num",
    ):
        yield Case("elementwise", name, getattr(np, name), (X,))
    yield Case("elementwise", "clip", lambda x: np.clip(x, 0.3, 0.7), (X,))
    yield Case("elementwise", "x ** 3", lambda x: x**3, (X,))
    yield Case("elementwise", "2.0 * x", lambda x: 2.0 * x, (X,))
    yield Case("elementwise", "x / 3.0", lambda x: x / 3.0, (X,))


def of_two() -> Iterator[Case]:
    for name in (
        "add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "fmax", "hypot",
        "arctan2", "logaddexp", "remainder", "copysign",
    ):
        yield Case("of two", name, getattr(np, name), (X, Y))
    yield Case("of two", "where", lambda x, y: np.where(MASK, x, y), (X, Y))
    yield Case("of two", "add to rows", np.add, (ROWS, ROWS[0]))
    yield Case("of two", "multiply by column", np.multiply, (ROWS, ROWS[:, :1]))


def reductions() -> Iterator[Case]:
    for name in (
        "sum", "mean", "prod", "max", "min", "var", "std", "ptp", "nansum", "nanmean", "nanmax",
        "cumsum", "cumprod", "median", "sort", "diff", "average",
    ):
        function = getattr(np, name)
        yield Case("reduction", name, function, (X,))
        if name in ("sum", "mean", "prod", "max", "var", "cumsum", "sort", "median"):
            yield Case("reduction", f"{name}, axis=0", AXIS_0[name], (ROWS,))
    yield Case("reduction", "sum, where=", lambda x: np.sum(x, where=MASK), (X,))
    yield Case("reduction", "quantile", lambda x: np.quantile(x, 0.3), (X,))
    yield Case("reduction", "logaddexp.reduce", lambda x: np.logaddexp.reduce(x), (X,))
    yield Case("reduction", "maximum.accumulate", lambda x: np.maximum.accumulate(x), (X,))
    yield Case("reduction", "norm", np.linalg.norm, (X,))
    yield Case("reduction", "gradient", np.gradient, (X,))
    yield Case("reduction", "trapezoid", lambda x: np.trapezoid(x, dx=0.1), (X,))


AXIS_0: dict[str, Callable[..., Any]] = {
    "sum": lambda x: np.sum(x, axis=0), "mean": lambda x: np.mean(x, axis=0),
    "prod": lambda x: np.prod(x, axis=0), "max": lambda x: np.max(x, axis=0),
    "var": lambda x: np.var(x, axis=0), "cumsum": lambda x: np.cumsum(x, axis=0),
    "sort": lambda x: np.sort(x, axis=0), "median": lambda x: np.median(x, axis=0),
}


def rearrangements() -> Iterator[Case]:
    kind = "rearrangement"
    yield Case(kind, "transpose, copied", lambda x: x.T.copy(), (ROWS,))
    yield Case(kind, "flip, copied", lambda x: np.flip(x).copy(), (X,))
    yield Case(kind, "roll", lambda x: np.roll(x, 7), (X,))
    yield Case(kind, "repeat", lambda x: np.repeat(x, 2), (X,))
    yield Case(kind, "tile", lambda x: np.tile(x, 2), (X,))
    yield Case(kind, "concatenate", lambda x, y: np.concatenate((x, y)), (X, Y))
    yield Case(kind, "stack", lambda x, y: np.stack((x, y)), (X, Y))
    yield Case(kind, "pad", lambda x: np.pad(x, 5), (X,))
    yield Case(kind, "pad, edge", lambda x: np.pad(x, 5, "edge"), (X,))
    yield Case(kind, "pad, reflect", lambda x: np.pad(x, 5, "reflect"), (ROWS,))
    yield Case(kind, "tril", np.tril, (ROWS,))
    yield Case(kind, "x[places]", lambda x: x[PLACES], (X,))
    yield Case(kind, "take", lambda x: np.take(x, PLACES), (X,))
    yield Case(kind, "x[mask]", lambda x: x[MASK], (X,))
    yield Case(kind, "x[1:-1].copy()", lambda x: x[1:-1].copy(), (X,))
    yield Case(kind, "add.at", scattered, (X,))
    yield Case(kind, "astype", lambda x: x.astype(np.float32), (X,))


def scattered(x: Any) -> Any:
    y = np.zeros(COUNT)
    np.add.at(y, PLACES, x)
    return y


def algebra() -> Iterator[Case]:
    kind = "algebra"
    yield Case(kind, "matmul", np.matmul, (SMALL, SIDE))
    yield Case(kind, "matmul, vector", np.matmul, (ROWS, X[:1000]))
    yield Case(kind, "dot, vectors", np.dot, (X, Y))
    yield Case(kind, "outer", np.outer, (X[:1000], Y[:1000]))
    yield Case(kind, "einsum ij,jk->ik", lambda x, y: np.einsum("ij,jk->ik", x, y), (
        SMALL[:100, :100].copy(), SIDE[:100, :100].copy()))
    yield Case(kind, "einsum ij->j", lambda x: np.einsum("ij->j", x), (ROWS,))
    yield Case(kind, "tensordot", lambda x, y: np.tensordot(x, y, 1), (SMALL, SIDE))
    yield Case(kind, "kron", np.kron, (SMALL[:30, :30].copy(), SIDE[:30, :30].copy()))
    yield Case(kind, "convolve", lambda x, y: np.convolve(x, y), (X[:100000], Y[:50]))
    yield Case(kind, "solve", np.linalg.solve, (SMALL, SIDE[0]))
    yield Case(kind, "solve, matrix", np.linalg.solve, (SMALL, SIDE))
    yield Case(kind, "inv", np.linalg.inv, (SMALL,))
    yield Case(kind, "det", np.linalg.det, (SMALL / 5,))
    yield Case(kind, "slogdet", lambda x: np.linalg.slogdet(x)[1], (SMALL,))
    yield Case(kind, "cholesky", np.linalg.cholesky, (SYMMETRIC,))
    yield Case(kind, "qr", np.linalg.qr, (SMALL,))
    yield Case(kind, "svd", lambda x: np.linalg.svd(x, full_matrices=False), (SMALL,))
    yield Case(kind, "svd, values", lambda x: np.linalg.svd(x, compute_uv=False), (SMALL,))
    yield Case(kind, "eigh", np.linalg.eigh, (SYMMETRIC,))
    yield Case(kind, "eigvalsh", np.linalg.eigvalsh, (SYMMETRIC,))
    yield Case(kind, "eigvals", np.linalg.eigvals, (SMALL[:150, :150].copy(),))
    yield Case(kind, "pinv", np.linalg.pinv, (SMALL,))
    yield Case(kind, "lstsq", lambda x, y: np.linalg.lstsq(x, y, rcond=None)[0], (SMALL, SIDE[0]))
    yield Case(kind, "matrix_power 5", lambda x: np.linalg.matrix_power(x, 5), (SMALL / 5,))
    yield Case(kind, "norm, nuclear", lambda x: np.linalg.norm(x, "nuc"), (SMALL,))
    yield Case(kind, "rfft", lambda x: np.fft.rfft(x), (X,))
    yield Case(kind, "fft2", lambda x: np.fft.fft2(x), (ROWS,))


CASES = (*elementwise(), *of_two(), *reductions(), *rearrangements(), *algebra())


def seed_of(y: Any) -> Any:
    """A cotangent for a result: ones of its structure."""
    if isinstance(y, (tuple, list)):
        return tuple(map(seed_of, y))
    return np.ones_like(y) if isinstance(y, np.ndarray) else 1.0


@dataclass(frozen=True)
class Cost:
    """What one rule costs; `growth` is that of the adjoint beyond its primal's, from n to 4n."""

    kind: str
    name: str
    milliseconds: float
    ratio: float
    kept: float
    growth: float | None = None


def measured(
    kind: str, name: str, program: Callable[..., Any], args: tuple[Any, ...], **options: Any
) -> Cost:
    y, back = zyg.pullback(program, *args, **options)
    seed = seed_of(y)
    seconds = best_seconds(
        {"primal": lambda: program(*args, **options), "adjoint": lambda: back(seed)},
        rounds=8, budget=0.06, clock=thread_time,
    )
    _, size = held(back._saved)
    most = max([x.nbytes for x in scaled_rows.arrays_in(args)], default=1)
    ratio = seconds["adjoint"] / seconds["primal"]
    return Cost(kind, name, 1e3 * seconds["primal"], ratio, size / most)


def of_row(row: Row, factor: int) -> Cost:
    """A row of the tables of rules at its size, and the same at four times as many elements."""
    callee, options = row.callee, row.kwargs
    owner = getattr(callee, "__objclass__", None)
    module = str(getattr(owner or callee, "__module__", None) or type(callee).__module__)
    name = str(getattr(callee, "__qualname__", None) or callee.__name__)
    kind = "scipy.special" if "special" in module or name in SPECIAL else module.split("._")[0]

    large = scaled_rows.scaled(row, factor)
    array = scaled_rows.largest(large)
    assert array is not None
    rank = sum(n > 1 for n in array.shape)
    small = scaled_rows.scaled(row, max(1, round(factor / 4 ** (1 / rank))))
    cost = measured(kind, name, callee, large.args, **options)
    before = measured(kind, name, callee, small.args, **options)
    # Views cost nothing, and their gradients a copy.
    expected = max(cost.milliseconds / before.milliseconds, array.size / small_size(small))
    growth = cost.ratio * cost.milliseconds / (before.ratio * before.milliseconds) / expected
    return replace(cost, growth=growth)


def small_size(row: Row) -> int:
    array = scaled_rows.largest(row)
    return 1 if array is None else array.size


def rows(words: list[str]) -> Iterator[tuple[Row, int]]:
    from tests import rule_rows_composites, rule_rows_special
    from tests.rule_table import ROWS

    special = [
        *rule_rows_special.of_one(), *rule_rows_special.of_several(),
        *rule_rows_special.composites(),
    ]
    SPECIAL.update(str(row.callee.__name__) for row in special)
    every = (*ROWS, *rule_rows_composites.ROWS, *special)
    return scaled_rows.one_of_each(tuple(
        row for row in every if is_wanted(str(row), words) and not is_of_ours(row.callee)
    ))


def is_of_ours(callee: Any) -> bool:
    """Whether only rules call a function: what adjoints consist of."""
    return str(getattr(callee, "__module__", "")).startswith("zyg")


# Ufuncs of SciPy don't say where they come from.
SPECIAL: set[str] = set()


def is_wanted(name: str, words: list[str]) -> bool:
    return not words or any(word in name for word in words)


def costs(words: list[str]) -> Iterator[Cost]:
    for case in CASES:
        if is_wanted(case.name, words):
            yield measured(case.kind, case.name, case.program, case.args)
    for row, factor in rows(words):
        try:
            yield of_row(row, factor)
        except Exception as error:  # the rows behind it are still wanted
            print(f"not measured: {row}: {type(error).__name__}: {error}", file=sys.stderr)


def print_rules(found: Iterable[Cost]) -> list[Cost]:
    kind, done = "", []
    for cost in found:
        if cost.kind != kind:
            kind = cost.kind
            print(
                f"\n| {kind} | primal, ms | adjoint / primal | arrays kept | growth to 4n |\n"
                "|---|---|---|---|---|"
            )
        growth = "" if cost.growth is None else f"{cost.growth:.1f}"
        print(
            f"| `{cost.name}` | {cost.milliseconds:.2f} | {cost.ratio:.1f} | {cost.kept:.2g} "
            f"| {growth} |", flush=True,
        )
        done.append(cost)
    return done


def print_hand(words: list[str]) -> list[tuple[str, str, float, float]]:
    """Kind, name, milliseconds by hand, and the multiple of that which generated code takes."""
    found, kind = [], ""
    for pair in by_hand.PAIRS:
        if not is_wanted(pair.name, words):
            continue
        if pair.kind != kind:
            kind = pair.kind
            print(f"\n| {kind} | by hand, ms | over by hand |\n|---|---|---|")
        check_pair(pair)
        seconds = best_seconds(
            {
                "zyg": lambda pair=pair: zyg.gradient(pair.formula, *pair.operands),
                "hand": lambda pair=pair: pair.gradient(*pair.operands),
            },
            rounds=15, budget=0.2, clock=thread_time,
        )
        ratio = seconds["zyg"] / seconds["hand"]
        print(f"| `{pair.name}` | {1e3 * seconds['hand']:.2f} | {ratio:.2f} |", flush=True)
        found.append((kind, pair.name, 1e3 * seconds["hand"], ratio))
    return found


def check_pair(pair: by_hand.Pair) -> None:
    expected = pair.gradient(*pair.operands)
    bars = zyg.gradient(pair.formula, *pair.operands)
    for bar, other in zip(
        bars, expected if isinstance(expected, tuple) else (expected,), strict=True
    ):
        scale = 1e-9 * float(np.max(np.abs(other)))
        np.testing.assert_allclose(bar, other, rtol=1e-6, atol=scale, err_msg=pair.name)


def print_summary(
    hand: list[tuple[str, str, float, float]], rules: list[Cost]
) -> None:
    """The best and the worst of each family."""
    table = [("family", "formulas", "best", "median", "worst")]
    for kind in dict.fromkeys(row[0] for row in hand):
        of_kind = sorted([row for row in hand if row[0] == kind], key=lambda row: row[3])
        best, worst = of_kind[0], of_kind[-1]
        middle = of_kind[len(of_kind) // 2][3]
        table.append((
            kind, str(len(of_kind)), f"{best[3]:.2f} (`{best[1]}`)", f"{middle:.2f}",
            f"{worst[3]:.2f} (`{worst[1]}`)",
        ))
    if hand:
        print("\nGenerated code over the gradient by hand:\n")
        print("\n".join(lines(table, True)))
    table = [
        ("family", "rules", "adjoint / primal", "worst", "arrays kept, most", "growth")
    ]
    for kind in dict.fromkeys(cost.kind for cost in rules):
        of_one = sorted([cost for cost in rules if cost.kind == kind], key=ratio_of_work)
        most = max(of_one, key=lambda cost: cost.kept)
        grown = max(of_one, key=lambda cost: cost.growth or 0)
        growth = "" if grown.growth is None else f"{grown.growth:.1f} (`{grown.name}`)"
        table.append((
            kind, str(len(of_one)), f"{of_one[len(of_one) // 2].ratio:.1f}",
            f"{of_one[-1].ratio:.1f} (`{of_one[-1].name}`)", f"{most.kept:.2g} (`{most.name}`)",
            growth,
        ))
    if rules:
        print("\nRules:\n")
        print("\n".join(lines(table, True)))


def ratio_of_work(cost: Cost) -> float:
    """The ratio; 0 where the primal is a view or reads a few items: all work is backwards."""
    return cost.ratio if cost.milliseconds > 0.02 else 0.0


# Else glibc gives an array of 8 MB back to the system each time.
KEPT = {"MALLOC_TRIM_THRESHOLD_": 2**32 - 1, "MALLOC_MMAP_THRESHOLD_": 2**32 - 1}
ENVIRONMENT = {name: str(size) for name, size in KEPT.items()} | {
    "MALLOC_TOP_PAD_": str(2**28), "OPENBLAS_NUM_THREADS": "1",
}


def with_environment() -> None:
    """Starts anew with what glibc and BLAS read at their start."""
    if any(os.environ.get(name) is None for name in ENVIRONMENT):
        given = {**ENVIRONMENT, **os.environ}
        command = [sys.executable, "-m", "tests.benchmarks.large_arrays", *sys.argv[1:]]
        os.execve(sys.executable, command, given)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.large_arrays")
    parser.add_argument("words", nargs="*", help="parts of names")
    parser.add_argument("--hand", action="store_true", help="gradients by hand only")
    parser.add_argument("--rules", action="store_true", help="rules only")
    options = parser.parse_args()
    with_environment()
    warnings.simplefilter("ignore")
    assert by_hand_arrays.pair is by_hand.pair
    both = options.hand == options.rules
    hand = print_hand(options.words) if options.hand or both else []
    rules = print_rules(costs(options.words)) if options.rules or both else []
    print_summary(hand, rules)


if __name__ == "__main__":
    main()
