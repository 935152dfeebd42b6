"""Random programs of numbers, vectors and matrices, which run in all three systems.

Each is a function of a number, a vector and a matrix, with loops and branches on plain counts and
on values that are differentiated; it mixes them with constants, on either side. Values stay in a
range where differences tell a derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.random_code import Writer, names_of

SIZE = 3
NUMBER = (
    "np.sin({n})", "np.tanh({n} * {n})", "{n} * {n}", "{n} - {m}", "{n} / (1.5 + {m} * {m})",
    "np.sum({v})", "{v} @ {w}", "np.mean({a})", "np.trace({a} @ {b})", "{v}[{i}]", "{a}[{i}, {j}]",
    "np.max({v})", "sum({v})", "np.linalg.norm({v} + 2.0)", "-{n}", "abs({n} + 3.0)",
    "2.0 * {n}", "np.float64(0.5) * {n}", "{n} ** 2", "np.sqrt(1.0 + {n} * {n})", "{a}.mean()",
    "np.dot({v}, C)", "(C * {v})[{i}]", "max({n}, {m})", "np.std({v} * K)",
)  # fmt: skip
VECTOR = (
    "np.cos({v})", "{v} * {w}", "{v} - {n}", "C * {v}", "{n} * C", "{a} @ {v}", "{v} @ {a}",
    "M @ {v}", "{a}[{i}]", "{a}[:, {j}]", "np.cumsum({v}) / 3", "{v}[::-1]", "np.sort({v})",
    "np.where({v} > {w}, {v}, {w} * 0.5)", "np.stack([{n}, {m}, {n} * {m}])", "np.exp(-{v} * {v})",
    "np.concatenate([{v}[1:], {w}[:1]])", "np.sum({a}, axis=0)", "{a}.mean(axis=1)", "C - {v}",
    "np.linalg.solve(4 * np.eye(3) + np.tanh({a}), {v})", "np.clip({v}, -0.7, {n} + 0.9)",
    "np.diagonal({a})", "np.roll({v}, {i})", "np.array(K) * {v}", "{v} / (2.0 + {w} * {w})",
    "np.split(np.tanh({a}), 3)[{i}][0]", "np.maximum(C, {v})", "{v}[[0, 2, 2]]",
)  # fmt: skip
MATRIX = (
    "np.outer({v}, {w})", "{a} @ {b} / 3", "{a} * {v}", "{v} * {a}", "{a}.T", "M * {a}", "M - {a}",
    "np.tanh({a})", "{n} * {a}", "{a} + np.eye(3)", "np.where(M > 0, {a}, {b})", "{a} - {b}",
    "np.linalg.inv(4 * np.eye(3) + np.sin({a}))", "np.reshape(np.stack([{v}, {w}, {v}]), (3, 3))",
    "np.einsum('ij,j->ij', {a}, {v})", "np.tril({a}) + {n}", "np.concatenate([{a}[1:], {b}[:1]])",
    "np.vstack([{v}, {w}, C])", "{a}[:, ::-1]", "np.expand_dims({v}, 1) * {w}",
)  # fmt: skip


class _Program(Writer):
    """Variables of three kinds, each assigned again and again."""

    def expression(self, choices: tuple[str, ...]) -> str:
        names = {
            **{key: self.one("n0", "n1") for key in "nm"},
            **{key: self.one("v0", "v1") for key in "vw"},
            **{key: self.one("a0", "a1") for key in "ab"},
            **{key: str(self.random.randrange(SIZE)) for key in "ij"},
        }
        return self.one(*choices).format(**names)

    def statement(self, depth: int) -> None:
        kind, choices = self.random.choice([("n", NUMBER), ("v", VECTOR), ("a", MATRIX)])
        target = self.one(f"{kind}0", f"{kind}1")
        value = self.expression(choices)
        # Bounded, so that no program runs away.
        self.put(depth, f"{target} = np.tanh({value})" if self.random.random() < 0.3 else
                 f"{target} = 0.5 * {target} + 0.3 * ({value})")  # fmt: skip

    def write(self) -> None:
        self.put(1, "n1, v1, a1 = 0.5 * n0, C * n0, M + n0")
        for _ in range(self.random.randrange(4, 9)):
            form = self.random.random()
            if form < 0.15:
                self.put(1, f"for _ in range({self.random.randrange(1, 4)}):")
                self.statement(2)
                self.statement(2)
            elif form < 0.3:
                self.put(1, f"if {self.expression(NUMBER)} > {self.random.uniform(-1, 1):.3f}:")
                self.statement(2)
                self.put(1, "else:")
                self.statement(2)
            else:
                self.statement(1)
        self.put(1, "return n0 + n1 + np.sum(v0 * v1) + np.sum(a0 * np.cos(a1))")


def random_program(seed: int) -> Callable[..., Any]:
    writer = _Program(seed, "def program(n0, v0, a0):")
    writer.write()
    names = {
        "np": np, "C": np.array([0.3, -0.6, 0.8]), "K": [1.0, -0.5, 2.0],
        "M": np.array([[0.2, -0.4, 0.7], [0.9, 0.1, -0.3], [-0.8, 0.6, 0.5]]),
    }  # fmt: skip
    function: Callable[..., Any] = names_of(
        writer.lines, f"<random arrays {seed}>", names
    )["program"]
    return function


def inputs(seed: int) -> tuple[float, Any, Any]:
    draw = np.random.default_rng(seed).uniform
    return float(draw(-1, 1)), draw(-1, 1, SIZE), draw(-1, 1, (SIZE, SIZE))
