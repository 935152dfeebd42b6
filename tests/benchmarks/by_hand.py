"""Formulas beside their gradients as one writes them by hand, for arrays of a million elements.

    pair("elementwise", "sin", lambda x: np.sum(C * np.sin(x)), lambda x: C * np.cos(x), X)

Both are in the joint form: what the gradient doesn't need of the formula is left out. The gradient
by hand is the formula that the rule has, kinks and ties included, written for these operands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

RANDOM = np.random.default_rng(0)
COUNT = 10**6


def uniform(*shape: int) -> Any:
    return RANDOM.uniform(0.2, 0.9, shape)


X, Y, C = uniform(COUNT), uniform(COUNT), uniform(COUNT)
ROWS, GRID, ROW, COLUMN = uniform(1000, 1000), uniform(1000, 1000), uniform(1000), uniform(1000, 1)
CUBE, DEEP = uniform(100, 100, 100), uniform(100, 100, 100)
MASK = X > 0.5
PLACES = RANDOM.integers(0, COUNT, COUNT)
SMALL = uniform(300, 300) + 5 * np.eye(300)
SIDE, WEIGHTS = uniform(300, 300), uniform(300, 300)
SYMMETRIC = SMALL @ SMALL.T
LOWER = np.linalg.cholesky(SYMMETRIC)
KNOTS, HEIGHTS = np.linspace(0.0, 1.0, 1000), uniform(1000)
NEAR = 1 + 1e-6 * (X - 0.5)
KERNEL = uniform(50)


@dataclass(frozen=True)
class Pair:
    """A scalar formula, and its gradient by hand: one array for each operand, or the one."""

    kind: str
    name: str
    formula: Callable[..., Any]
    gradient: Callable[..., Any]
    operands: tuple[Any, ...]


PAIRS: list[Pair] = []


def pair(
    kind: str,
    name: str,
    formula: Callable[..., Any],
    gradient: Callable[..., Any],
    *operands: Any,
) -> None:
    PAIRS.append(Pair(kind, name, formula, gradient, operands))


# Elementwise, of one operand

ONE = "elementwise"
pair(ONE, "negative", lambda x: np.sum(C * -x), lambda x: -C, X)
pair(ONE, "absolute", lambda x: np.sum(C * np.abs(x)), lambda x: C * np.sign(x), X)
pair(ONE, "sin", lambda x: np.sum(C * np.sin(x)), lambda x: C * np.cos(x), X)
pair(ONE, "cos", lambda x: np.sum(C * np.cos(x)), lambda x: -(C * np.sin(x)), X)
pair(ONE, "tan", lambda x: np.sum(C * np.tan(x)), lambda x: C * (1 + np.tan(x) ** 2), X)
pair(ONE, "arctan", lambda x: np.sum(C * np.arctan(x)), lambda x: C / (1 + x * x), X)
pair(ONE, "arcsin", lambda x: np.sum(C * np.arcsin(x)), lambda x: C / np.sqrt((1 - x) * (1 + x)), X)
pair(ONE, "tanh", lambda x: np.sum(C * np.tanh(x)), lambda x: C * (1 - np.tanh(x) ** 2), X)
pair(ONE, "exp", lambda x: np.sum(C * np.exp(x)), lambda x: C * np.exp(x), X)
pair(ONE, "expm1", lambda x: np.sum(C * np.expm1(x)), lambda x: C * (np.expm1(x) + 1), X)
pair(ONE, "log", lambda x: np.sum(C * np.log(x)), lambda x: C / x, X)
pair(ONE, "log1p", lambda x: np.sum(C * np.log1p(x)), lambda x: C / (1 + x), X)
pair(ONE, "log10", lambda x: np.sum(C * np.log10(x)), lambda x: C / (x * 2.302585092994046), X)
pair(ONE, "sqrt", lambda x: np.sum(C * np.sqrt(x)), lambda x: C * (0.5 / np.sqrt(x)), X)
pair(ONE, "cbrt", lambda x: np.sum(C * np.cbrt(x)), lambda x: C / (3 * np.cbrt(x) ** 2), X)
pair(ONE, "square", lambda x: np.sum(C * np.square(x)), lambda x: C * (2 * x), X)
pair(ONE, "x ** 3", lambda x: np.sum(C * x**3), lambda x: C * (3 * x**2), X)
pair(ONE, "x ** 1.5", lambda x: np.sum(C * x**1.5), lambda x: C * (1.5 * np.sqrt(x)), X)
pair(ONE, "reciprocal", lambda x: np.sum(C * np.reciprocal(x)), lambda x: -C / (x * x), X)
pair(ONE, "sinc", lambda x: np.sum(C * np.sinc(x)), lambda x: sinc_by_hand(x), X)
pair(
    ONE, "logistic",
    lambda x: np.sum(C * (1 / (1 + np.exp(-x)))), lambda x: logistic_by_hand(x), X,
)
pair(ONE, "softplus", lambda x: np.sum(C * np.logaddexp(0, x)), lambda x: softplus_by_hand(x), X)
pair(
    ONE, "clip",
    lambda x: np.sum(C * np.clip(x, 0.3, 0.7)), lambda x: C * ((x >= 0.3) & (x <= 0.7)), X,
)
pair(ONE, "nan_to_num", lambda x: np.sum(C * np.nan_to_num(x)), lambda x: C * np.isfinite(x), X)


def sinc_by_hand(x: Any) -> Any:
    angle = np.pi * x
    return C * ((np.cos(angle) - np.sin(angle) / angle) / x)


def softplus_by_hand(x: Any) -> Any:
    smaller = np.exp(-np.abs(x))
    return C * (np.where(x >= 0, 1, smaller) / (1 + smaller))


def logistic_by_hand(x: Any) -> Any:
    y = 1 / (1 + np.exp(-x))
    return C * (y * (1 - y))


# Elementwise, of two operands, and broadcast

TWO = "of two"
pair(TWO, "add", lambda x, y: np.sum(C * (x + y)), lambda x, y: (C.copy(), C.copy()), X, Y)
pair(TWO, "multiply", lambda x, y: np.sum(C * (x * y)), lambda x, y: (C * y, C * x), X, Y)
pair(TWO, "divide", lambda x, y: np.sum(C * (x / y)), lambda x, y: divide_by_hand(x, y), X, Y)
pair(TWO, "power", lambda x, y: np.sum(C * x**y), lambda x, y: power_by_hand(x, y), X, Y)
pair(TWO, "maximum", lambda x, y: np.sum(C * np.maximum(x, y)), lambda x, y: larger(x, y), X, Y)
pair(TWO, "hypot", lambda x, y: np.sum(C * np.hypot(x, y)), lambda x, y: hypot_by_hand(x, y), X, Y)
pair(
    TWO, "arctan2",
    lambda x, y: np.sum(C * np.arctan2(x, y)), lambda x, y: arctan2_by_hand(x, y), X, Y,
)
pair(
    TWO, "logaddexp",
    lambda x, y: np.sum(C * np.logaddexp(x, y)), lambda x, y: logaddexp_by_hand(x, y), X, Y,
)
pair(
    TWO, "where",
    lambda x, y: np.sum(C * np.where(MASK, x, y)),
    lambda x, y: (np.where(MASK, C, 0), np.where(MASK, 0, C)), X, Y,
)
pair(
    TWO, "where of formulas",
    lambda x: np.sum(C * np.where(x > 0.5, np.log(x), x * x)),
    lambda x: np.where(x > 0.5, C / x, C * (2 * x)), X,
)
pair(
    TWO, "add a row",
    lambda x, y: np.sum(GRID * (x + y)), lambda x, y: (GRID.copy(), GRID.sum(axis=0)), ROWS, ROW,
)
pair(
    TWO, "multiply by a column",
    lambda x, y: np.sum(GRID * (x * y)),
    lambda x, y: (GRID * y, (GRID * x).sum(axis=1, keepdims=True)), ROWS, COLUMN,
)
pair(
    TWO, "subtract the mean of rows",
    lambda x: np.sum(GRID * (x - np.mean(x, axis=1, keepdims=True))),
    lambda x: GRID - GRID.mean(axis=1, keepdims=True), ROWS,
)


def divide_by_hand(x: Any, y: Any) -> Any:
    x_bar = C / y
    return x_bar, -(x_bar * (x / y))


def power_by_hand(x: Any, y: Any) -> Any:
    z_bar = C * x**y
    return z_bar * y / x, z_bar * np.log(x)


def larger(x: Any, y: Any) -> Any:
    """Ties are split."""
    share = (x > y) + 0.5 * (x == y)
    return C * share, C * (1 - share)


def hypot_by_hand(x: Any, y: Any) -> Any:
    scale = C / np.hypot(x, y)
    return scale * x, scale * y


def arctan2_by_hand(x: Any, y: Any) -> Any:
    scale = C / (x * x + y * y)
    return scale * y, -(scale * x)


def logaddexp_by_hand(x: Any, y: Any) -> Any:
    z = np.logaddexp(x, y)
    return C * np.exp(x - z), C * np.exp(y - z)


# Reductions

RED = "reduction"
pair(RED, "sum", lambda x: np.sum(x), lambda x: np.ones(x.shape), X)
pair(
    RED, "sum, axis=0",
    lambda x: np.sum(ROW * np.sum(x, axis=0)), lambda x: np.tile(ROW, (1000, 1)), ROWS,
)
pair(
    RED, "mean, keepdims",
    lambda x: np.sum(COLUMN * np.mean(x, axis=1, keepdims=True)),
    lambda x: np.repeat(COLUMN / 1000, 1000, axis=1), ROWS,
)
pair(RED, "prod", lambda x: np.prod(x), lambda x: np.prod(x) / x, NEAR)
pair(RED, "max", lambda x: np.max(x), lambda x: max_by_hand(x), X)
pair(RED, "max, axis=0", lambda x: np.sum(ROW * np.max(x, axis=0)), lambda x: rows_max(x), ROWS)
pair(RED, "var", lambda x: np.var(x), lambda x: (2 / x.size) * (x - x.mean()), X)
pair(RED, "std", lambda x: np.std(x), lambda x: (x - x.mean()) / (x.size * x.std()), X)
pair(
    RED, "var, axis=0",
    lambda x: np.sum(ROW * np.var(x, axis=0)),
    lambda x: (2 / 1000 * ROW) * (x - x.mean(axis=0)), ROWS,
)
pair(RED, "ptp", lambda x: np.ptp(x), lambda x: ptp_by_hand(x), X)
pair(RED, "norm", lambda x: np.linalg.norm(x), lambda x: x / np.linalg.norm(x), X)
pair(
    RED, "norm of rows",
    lambda x: np.sum(np.linalg.norm(x, axis=1)),
    lambda x: x / np.linalg.norm(x, axis=1, keepdims=True), ROWS,
)
pair(RED, "sum, where=", lambda x: np.sum(x, where=MASK), lambda x: np.where(MASK, 1.0, 0.0), X)
pair(RED, "average", lambda x: np.average(x, weights=Y), lambda x: average_by_hand(x), X)
pair(RED, "nansum", lambda x: np.nansum(x), lambda x: np.where(np.isnan(x), 0.0, 1.0), X)
pair(RED, "median", lambda x: np.median(x), lambda x: median_by_hand(x), X)
pair(
    RED, "logsumexp of rows",
    lambda x: np.sum(np.log(np.sum(np.exp(x), axis=1))), lambda x: softmax_by_hand(x), ROWS,
)


def max_by_hand(x: Any) -> Any:
    winners = x == x.max()
    return winners / np.count_nonzero(winners)


def rows_max(x: Any) -> Any:
    winners = x == x.max(axis=0)
    return winners * (ROW / np.count_nonzero(winners, axis=0))


def ptp_by_hand(x: Any) -> Any:
    top, bottom = x == x.max(), x == x.min()
    return top / np.count_nonzero(top) - bottom / np.count_nonzero(bottom)


def average_by_hand(x: Any) -> Any:
    np.average(x, weights=Y)  # which may raise
    return Y / Y.sum()


def median_by_hand(x: Any) -> Any:
    middle = [(x.size - 1) // 2, x.size // 2]
    x_bar = np.zeros(x.shape)
    x_bar[np.argpartition(x, middle)[middle]] = 0.5
    return x_bar


def softmax_by_hand(x: Any) -> Any:
    y = np.exp(x)
    return y / y.sum(axis=1, keepdims=True)


# Cumulative functions, sorting, differences

ORD = "order"
pair(ORD, "cumsum", lambda x: np.sum(C * np.cumsum(x)), lambda x: np.cumsum(C[::-1])[::-1], X)
pair(
    ORD, "cumsum, axis=0",
    lambda x: np.sum(GRID * np.cumsum(x, axis=0)), lambda x: GRID[::-1].cumsum(axis=0)[::-1], ROWS,
)
pair(
    ORD, "cumprod",
    lambda x: np.sum(C * np.cumprod(x)),
    lambda x: np.cumsum((C * np.cumprod(x))[::-1])[::-1] / x, NEAR,
)
pair(
    ORD, "maximum.accumulate",
    lambda x: np.sum(np.maximum.accumulate(x) ** 2), lambda x: running_by_hand(x), X,
)
pair(ORD, "sort", lambda x: np.sum(C * np.sort(x)), lambda x: sort_by_hand(x), X)
pair(ORD, "diff", lambda x: np.sum(np.diff(x) ** 2), lambda x: diff_by_hand(x), X)
pair(ORD, "gradient", lambda x: np.sum(np.gradient(x) ** 2), lambda x: slopes_by_hand(x), X)
pair(ORD, "trapezoid", lambda x: trapezoid(x, dx=0.1), lambda x: trapezoid_by_hand(x), X)
pair(
    ORD, "interp",
    lambda y: np.sum(C * np.interp(X, KNOTS, y)), lambda y: interp_by_hand(y), HEIGHTS,
)
pair(
    ORD, "convolve",
    lambda x: np.sum(np.convolve(x, KERNEL) ** 2),
    lambda x: np.convolve(2 * np.convolve(x, KERNEL), KERNEL[::-1], "valid"), X[:100000].copy(),
)
trapezoid = np.trapezoid if hasattr(np, "trapezoid") else np.trapz


def running_by_hand(x: Any) -> Any:
    best = np.maximum.accumulate(x)
    new = np.concatenate(([True], best[1:] > best[:-1]))
    x_bar = np.zeros(x.shape)
    starts = np.flatnonzero(new)
    x_bar[starts] = np.add.reduceat(2 * best, starts)
    return x_bar


def sort_by_hand(x: Any) -> Any:
    x_bar = np.empty(x.shape)
    x_bar[np.argsort(x)] = C
    return x_bar


def diff_by_hand(x: Any) -> Any:
    y_bar = 2 * np.diff(x)
    x_bar = np.zeros(x.shape)
    x_bar[1:] = y_bar
    x_bar[:-1] -= y_bar
    return x_bar


def slopes_by_hand(x: Any) -> Any:
    y_bar = 2 * np.gradient(x)
    x_bar = np.zeros(x.shape)
    half = 0.5 * y_bar[1:-1]
    x_bar[2:] = half
    x_bar[:-2] -= half
    x_bar[1] += y_bar[0]
    x_bar[0] -= y_bar[0]
    x_bar[-1] += y_bar[-1]
    x_bar[-2] -= y_bar[-1]
    return x_bar


def trapezoid_by_hand(x: Any) -> Any:
    x_bar = np.full(x.shape, 0.1)
    x_bar[0] = x_bar[-1] = 0.05
    return x_bar


def interp_by_hand(y: Any) -> Any:
    right = np.clip(np.searchsorted(KNOTS, X, "right"), 1, 999)
    share = (X - KNOTS[right - 1]) / (KNOTS[right] - KNOTS[right - 1])
    return (
        np.bincount(right - 1, C * (1 - share), 1000) + np.bincount(right, C * share, 1000)
    )
