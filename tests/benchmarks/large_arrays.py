"""What rules cost on large arrays: `python -m tests.benchmarks.large_arrays` prints a table.

For each rule the time of its adjoint as a multiple of the primal's, and what the pullback keeps as
a multiple of the first operand: 1 is one array. Arrays have a million elements; factorisations have
sizes for which the primal takes some milliseconds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import zyg
from tests.benchmarks.timing import best_seconds
from zyg.back_functions import held

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


def measured(case: Case) -> tuple[float, float, float]:
    """Milliseconds of the primal, the adjoint as its multiple, arrays that are kept."""
    y, back = zyg.pullback(case.program, *case.args)
    seed = seed_of(y)
    seconds = best_seconds(
        {"primal": lambda: case.program(*case.args), "adjoint": lambda: back(seed)},
        rounds=8, budget=0.3,
    )
    _, size = held(back._saved)
    kept = size / case.args[0].nbytes
    return 1e3 * seconds["primal"], seconds["adjoint"] / seconds["primal"], kept


def main() -> None:
    wanted = sys.argv[1:]
    kind = ""
    for case in CASES:
        if wanted and not any(word in case.name for word in wanted):
            continue
        if case.kind != kind:
            kind = case.kind
            print(f"\n| {kind} | primal, ms | adjoint / primal | arrays kept |\n|---|---|---|---|")
        milliseconds, ratio, kept = measured(case)
        name = f"`{case.name}`"
        print(f"| {name} | {milliseconds:.2f} | {ratio:.1f} | {kept:.2g} |", flush=True)


if __name__ == "__main__":
    main()
