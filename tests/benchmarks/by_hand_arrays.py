"""More formulas and gradients by hand: rearrangements, products, matrices, Fourier, SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, special

from tests.benchmarks.by_hand import (
    CUBE,
    DEEP,
    GRID,
    LONG,
    LONG_C,
    LOWER,
    MASK,
    PLACES,
    ROW,
    ROWS,
    SIDE,
    SMALL,
    SYMMETRIC,
    WEIGHTS,
    WIDE,
    WIDE_GRID,
    WIDE_ROW,
    C,
    X,
    Y,
    pair,
)

SQUARE = WIDE[:, :2000].copy()

# Rearrangements and indices

MOVE = "rearrangement"
pair(
    MOVE, "concatenate",
    lambda x, y: np.sum(np.concatenate((x, y)) ** 2), lambda x, y: parts_by_hand(x, y), X, Y,
)
pair(
    MOVE, "stack",
    lambda x, y: np.sum(np.stack((x, y)) ** 2), lambda x, y: layers_by_hand(x, y), X, Y,
)
pair(
    MOVE, "split", lambda x: split_formula(x), lambda x: np.concatenate((x[HALF:], x[:HALF])), LONG,
)
pair(MOVE, "pad", lambda x: np.sum(np.pad(x, 5) ** 2), lambda x: padded_by_hand(x), X)
pair(
    MOVE, "tile",
    lambda x: np.sum(np.tile(x, 2) ** 2),
    lambda x: (2 * np.tile(x, 2)).reshape(2, -1).sum(axis=0), X,
)
pair(
    MOVE, "repeat",
    lambda x: np.sum(np.repeat(x, 2) ** 2),
    lambda x: (2 * np.repeat(x, 2)).reshape(-1, 2).sum(axis=1), X,
)
pair(MOVE, "roll", lambda x: np.sum(LONG_C * np.roll(x, 7)), lambda x: np.roll(LONG_C, -7), LONG)
pair(MOVE, "flip", lambda x: np.sum(LONG_C * np.flip(x)), lambda x: LONG_C[::-1].copy(), LONG)
pair(MOVE, "transpose", lambda x: np.sum(GRID * x.T), lambda x: GRID.T.copy(), ROWS)
pair(
    MOVE, "reshape",
    lambda x: np.sum(LONG_C * np.reshape(x, -1)), lambda x: LONG_C.reshape(x.shape).copy(), WIDE,
)
pair(MOVE, "tril", lambda x: np.sum(GRID * np.tril(x)), lambda x: np.tril(GRID), ROWS)
pair(
    MOVE, "diagonal",
    lambda x: np.sum(WIDE_ROW[:2000] * np.diagonal(x)), lambda x: np.diag(WIDE_ROW[:2000]), SQUARE,
)
pair(
    MOVE, "x[places]",
    lambda x: np.sum(x[PLACES] ** 2), lambda x: np.bincount(PLACES, 2 * x[PLACES], x.size), X,
)
pair(
    MOVE, "take",
    lambda x: np.sum(np.take(x, PLACES) ** 2),
    lambda x: np.bincount(PLACES, 2 * np.take(x, PLACES), x.size), X,
)
pair(MOVE, "x[mask]", lambda x: np.sum(x[MASK] ** 2), lambda x: masked_by_hand(x), X)
pair(MOVE, "x[1:-1]", lambda x: np.sum(x[1:-1] ** 2), lambda x: inner_by_hand(x), X)
pair(
    MOVE, "x[1:] - x[:-1]",
    lambda x: np.sum((x[1:] - x[:-1]) ** 2), lambda x: steps_by_hand(x), X,
)
pair(
    MOVE, "select",
    lambda x: np.sum(np.select([x < 0.4, x < 0.7], [x * x, 3.0 * x], 1.0)),
    lambda x: np.select([x < 0.4, x < 0.7], [2 * x, 3.0], 0.0), X,
)
HALF = LONG.size // 2


def parts_by_hand(x: Any, y: Any) -> Any:
    z_bar = 2 * np.concatenate((x, y))
    return z_bar[: x.size].copy(), z_bar[x.size :].copy()


def layers_by_hand(x: Any, y: Any) -> Any:
    z_bar = 2 * np.stack((x, y))
    return z_bar[0].copy(), z_bar[1].copy()


def padded_by_hand(x: Any) -> Any:
    return (2 * np.pad(x, 5))[5:-5].copy()


def split_formula(x: Any) -> Any:
    left, right = np.split(x, 2)
    return np.sum(left * right)


def masked_by_hand(x: Any) -> Any:
    x_bar = np.zeros(x.shape)
    x_bar[MASK] = 2 * x[MASK]
    return x_bar


def inner_by_hand(x: Any) -> Any:
    x_bar = np.zeros(x.shape)
    x_bar[1:-1] = 2 * x[1:-1]
    return x_bar


def steps_by_hand(x: Any) -> Any:
    y_bar = 2 * (x[1:] - x[:-1])
    x_bar = np.zeros(x.shape)
    x_bar[1:] = y_bar
    x_bar[:-1] -= y_bar
    return x_bar


# Products

DOT = "product"
pair(
    DOT, "matmul",
    lambda x, y: np.sum(WEIGHTS * (x @ y)), lambda x, y: (WEIGHTS @ y.T, x.T @ WEIGHTS),
    SMALL, SIDE,
)
pair(
    DOT, "matmul of stacks",
    lambda x, y: np.sum(np.matmul(x, y) ** 2), lambda x, y: stacks_by_hand(x, y), CUBE, DEEP,
)
pair(
    DOT, "matrix and vector",
    lambda x, y: np.sum(ROW * (x @ y)), lambda x, y: (np.outer(ROW, y), ROW @ x), ROWS, X[:1000],
)
pair(
    DOT, "dot of vectors",
    lambda x, y: np.dot(x, y), lambda x, y: (y.copy(), x.copy()), LONG, LONG_C,
)
pair(
    DOT, "outer",
    lambda x, y: np.sum(WIDE_GRID * np.outer(x, y)), lambda x, y: (WIDE_GRID @ y, x @ WIDE_GRID),
    X[:2000], Y[:4000],
)
pair(
    DOT, "einsum ij,jk->ik",
    lambda x, y: np.sum(WEIGHTS[:100, :100] * np.einsum("ij,jk->ik", x, y)),
    lambda x, y: (
        np.einsum("ik,jk->ij", WEIGHTS[:100, :100], y),
        np.einsum("ij,ik->jk", x, WEIGHTS[:100, :100]),
    ),
    SMALL[:100, :100].copy(), SIDE[:100, :100].copy(),
)
pair(
    DOT, "einsum ij->j",
    lambda x: np.sum(WIDE_ROW * np.einsum("ij->j", x)), lambda x: np.tile(WIDE_ROW, (2000, 1)),
    WIDE,
)
pair(
    DOT, "tensordot",
    lambda x, y: np.sum(WEIGHTS * np.tensordot(x, y, 1)),
    lambda x, y: (np.tensordot(WEIGHTS, y, (1, 1)), np.tensordot(x, WEIGHTS, (0, 0))),
    SMALL, SIDE,
)
pair(
    DOT, "kron",
    lambda x, y: np.sum(np.kron(x, y) ** 2), lambda x, y: kron_by_hand(x, y),
    SMALL[:30, :30].copy(), SIDE[:30, :30].copy(),
)


def stacks_by_hand(x: Any, y: Any) -> Any:
    z_bar = 2 * np.matmul(x, y)
    return np.matmul(z_bar, y.swapaxes(1, 2)), np.matmul(x.swapaxes(1, 2), z_bar)


def kron_by_hand(x: Any, y: Any) -> Any:
    bar = (2 * np.kron(x, y)).reshape(30, 30, 30, 30)
    return np.einsum("iajb,ab->ij", bar, y), np.einsum("iajb,ij->ab", bar, x)


# Matrices

LIN = "linear algebra"
pair(
    LIN, "solve",
    lambda a, b: np.sum(ROW[:300] * np.linalg.solve(a, b)), lambda a, b: solve_by_hand(a, b),
    SMALL, SIDE[0].copy(),
)
pair(
    LIN, "solve of a matrix",
    lambda a, b: np.sum(WEIGHTS * np.linalg.solve(a, b)), lambda a, b: solved_matrix(a, b),
    SMALL, SIDE,
)
pair(LIN, "inv", lambda a: np.sum(WEIGHTS * np.linalg.inv(a)), lambda a: inv_by_hand(a), SMALL)
pair(
    LIN, "det",
    lambda a: np.linalg.det(a), lambda a: np.linalg.det(a) * np.linalg.inv(a).T, SMALL / 9,
)
pair(LIN, "slogdet", lambda a: np.linalg.slogdet(a)[1], lambda a: np.linalg.inv(a).T, SMALL)
pair(
    LIN, "cholesky",
    lambda a: np.sum(WEIGHTS * np.linalg.cholesky(a)), lambda a: cholesky_by_hand(a), SYMMETRIC,
)
pair(
    LIN, "eigvalsh",
    lambda a: np.sum(ROW[:300] * np.linalg.eigvalsh(a)), lambda a: values_by_hand(a), SYMMETRIC,
)
pair(LIN, "eigh", lambda a: eigh_formula(a), lambda a: eigh_by_hand(a), SYMMETRIC)
pair(
    LIN, "svd, values",
    lambda a: np.sum(ROW[:300] * np.linalg.svd(a, compute_uv=False)),
    lambda a: singular_by_hand(a), SMALL,
)
pair(LIN, "qr", lambda a: qr_formula(a), lambda a: qr_by_hand(a), SMALL)
pair(LIN, "pinv", lambda a: np.sum(WEIGHTS * np.linalg.pinv(a)), lambda a: pinv_by_hand(a), SMALL)
pair(
    LIN, "norm, Frobenius",
    lambda a: np.linalg.norm(a), lambda a: a / np.linalg.norm(a), ROWS,
)
pair(
    LIN, "norm, nuclear",
    lambda a: np.linalg.norm(a, "nuc"), lambda a: nuclear_by_hand(a), SMALL,
)
pair(
    LIN, "solve_triangular",
    lambda a, b: np.sum(WEIGHTS * linalg.solve_triangular(a, b, lower=True)),
    lambda a, b: triangular_by_hand(a, b), LOWER, SIDE,
)


def solve_by_hand(a: Any, b: Any) -> Any:
    y = np.linalg.solve(a, b)
    b_bar = np.linalg.solve(a.T, ROW[:300])
    return -np.outer(b_bar, y), b_bar


def solved_matrix(a: Any, b: Any) -> Any:
    y = np.linalg.solve(a, b)
    b_bar = np.linalg.solve(a.T, WEIGHTS)
    return -b_bar @ y.T, b_bar


def inv_by_hand(a: Any) -> Any:
    y = np.linalg.inv(a).T
    return -y @ WEIGHTS @ y


def lower_half(bar: Any) -> Any:
    """NumPy reads the lower half of a symmetric matrix: what it stands for counts there."""
    return np.tril(bar) + np.tril(bar, -1)


def cholesky_by_hand(a: Any) -> Any:
    lower = np.linalg.cholesky(a)
    inner = np.tril(lower.T @ np.tril(WEIGHTS))
    inner[np.diag_indices(300)] *= 0.5
    inverse = np.linalg.inv(lower)
    bar = inverse.T @ inner @ inverse
    return lower_half(0.5 * (bar + bar.T))


def values_by_hand(a: Any) -> Any:
    _, vectors = np.linalg.eigh(a)
    return lower_half((vectors * ROW[:300]) @ vectors.T)


def eigh_formula(a: Any) -> Any:
    values, vectors = np.linalg.eigh(a)
    return np.sum(ROW[:300] * values) + np.sum((WEIGHTS * vectors) ** 2)


def eigh_by_hand(a: Any) -> Any:
    values, vectors = np.linalg.eigh(a)
    bar = 2 * WEIGHTS * WEIGHTS * vectors
    gaps = values - values[:, None]
    gaps[np.diag_indices(300)] = np.inf
    inner = vectors.T @ bar / gaps
    inner[np.diag_indices(300)] = ROW[:300]
    full = vectors @ inner @ vectors.T
    return lower_half(0.5 * (full + full.T))


def singular_by_hand(a: Any) -> Any:
    left, _, right = np.linalg.svd(a)
    return (left * ROW[:300]) @ right


def qr_formula(a: Any) -> Any:
    q, r = np.linalg.qr(a)
    return np.sum((WEIGHTS * q) ** 2) + np.sum(SIDE * r)


def qr_by_hand(a: Any) -> Any:
    q, r = np.linalg.qr(a)
    q_bar = 2 * WEIGHTS * WEIGHTS * q
    m = r @ SIDE.T - q_bar.T @ q
    below = np.tril(m, -1)
    m = below + below.T + np.diag(np.diag(m))
    return np.linalg.solve(r, (q_bar + q @ m).T).T


def pinv_by_hand(a: Any) -> Any:
    y = np.linalg.pinv(a)
    first = -(y.T @ WEIGHTS @ y.T)
    inner = WEIGHTS.T @ y.T
    second = (WEIGHTS.T - a @ (y @ WEIGHTS.T)) @ y @ y.T
    third = y.T @ (y @ (WEIGHTS.T - (WEIGHTS.T @ a) @ y))
    del inner
    return first + second + third


def nuclear_by_hand(a: Any) -> Any:
    left, _, right = np.linalg.svd(a, full_matrices=False)
    return left @ right


def triangular_by_hand(a: Any, b: Any) -> Any:
    y = linalg.solve_triangular(a, b, lower=True)
    b_bar = linalg.solve_triangular(a, WEIGHTS, lower=True, trans=1)
    return -np.tril(b_bar @ y.T), b_bar


# Fourier transforms

FFT = "Fourier"
pair(
    FFT, "rfft", lambda x: np.sum(np.abs(np.fft.rfft(x)) ** 2), lambda x: power_by_hand(x), X,
)
pair(
    FFT, "fft2",
    lambda x: np.sum(GRID * np.real(np.fft.fft2(x))), lambda x: np.real(np.fft.fft2(GRID)), ROWS,
)
pair(
    FFT, "filter",
    lambda x: np.sum(C * np.fft.irfft(FILTER * np.fft.rfft(x), X.size)),
    lambda x: np.fft.irfft(FILTER * np.fft.rfft(C), X.size), X,
)
FILTER = 1 / (1 + np.arange(X.size // 2 + 1.0))


def power_by_hand(x: Any) -> Any:
    bar = 2 * np.fft.rfft(x)
    bar[1:-1] *= 0.5
    return np.fft.irfft(bar, x.size) * x.size


# Special functions

SPC = "special"
pair(
    SPC, "gammaln",
    lambda x: np.sum(C * special.gammaln(x)), lambda x: C * special.digamma(x), X,
)
pair(
    SPC, "erf",
    lambda x: np.sum(C * special.erf(x)), lambda x: C * (1.1283791670955126 * np.exp(-x * x)), X,
)
pair(SPC, "expit", lambda x: np.sum(C * special.expit(x)), lambda x: expit_by_hand(x), X)
pair(SPC, "logit", lambda x: np.sum(C * special.logit(x)), lambda x: C / (x * (1 - x)), X)
pair(SPC, "j0", lambda x: np.sum(C * special.j0(x)), lambda x: -C * special.j1(x), X)
pair(
    SPC, "entr", lambda x: np.sum(C * special.entr(x)), lambda x: C * (-1 - np.log(x)), X,
)
pair(
    SPC, "xlogy",
    lambda x, y: np.sum(C * special.xlogy(x, y)), lambda x, y: (C * np.log(y), C * (x / y)), X, Y,
)
pair(
    SPC, "ndtr",
    lambda x: np.sum(C * special.ndtr(x)),
    lambda x: C * (0.3989422804014327 * np.exp(-0.5 * x * x)), X,
)
pair(
    SPC, "logsumexp of rows",
    lambda x: np.sum(special.logsumexp(x, axis=1)), lambda x: special.softmax(x, axis=1), ROWS,
)
pair(
    SPC, "softmax of rows",
    lambda x: np.sum(GRID * special.softmax(x, axis=1)), lambda x: softmax_by_hand(x), ROWS,
)


def expit_by_hand(x: Any) -> Any:
    y = special.expit(x)
    return C * (y * (1 - y))


def softmax_by_hand(x: Any) -> Any:
    y = special.softmax(x, axis=1)
    return y * (GRID - (GRID * y).sum(axis=1, keepdims=True))
