"""Random functions of a number that change a list, and what an object holds, by functions too.

    def f(x):
        held = Held([x, 1.5, x * x])
        xs = [x, 0.5, x * 2.0]
        ys = xs
        look = lambda s: xs[1] * s
        t = 0.5 * x
        for i in range(2):
            put(ys, 1, held.v[2])
        t += filled(held.v, 2, xs[0]) * 0.3
        return t + xs[0] * held.v[0]
"""

from __future__ import annotations

import math
from collections.abc import Callable, MutableSequence
from typing import Any

import numpy as np

from tests.random_code import Writer, names_of

Numbers = MutableSequence[float]


class Held:
    def __init__(self, v: Any) -> None:
        self.v = v

    def bump(self, i: int, y: float) -> None:
        self.v[i] = self.v[i] * 0.5 + y


def read(xs: Numbers, y: float) -> float:
    return xs[0] * y + xs[-1]


def put(xs: Numbers, i: int, y: float) -> None:
    xs[i] = math.sin(y) + xs[i] * 0.5


def folded(xs: Numbers, n: int, y: float) -> float:
    return y if n == 0 else folded(xs, n - 1, y * 0.5 + xs[n % 2] * 0.3)


def filled(xs: Numbers, n: int, y: float) -> float:
    if n == 0:
        return y
    xs[n % 3] = xs[n % 3] * 0.7 + y
    return filled(xs, n - 1, y * 0.5 + xs[0] * 0.3)


def kept(held: Held, ys: Numbers) -> float:
    held.v[0] = ys[0] * ys[1]
    return ys[2]


NAMES = {
    "math": math, "np": np, "Held": Held, "read": read, "put": put, "folded": folded,
    "filled": filled, "kept": kept,
}


class _Writer(Writer):
    def __init__(self, seed: int) -> None:
        super().__init__(seed, "def f(x):")
        memory = self.one("np.array([{}])", "[{}]", "{{0: {}, 1: {}, 2: {}}}")
        parts = ("x", "1.5", "x * x")
        held = memory.format(*parts) if ":" in memory else memory.format(", ".join(parts))
        self.is_list = self.random.random() < 0.7
        local = "[x, 0.5, x * 2.0]" if self.is_list else "np.array([x, 0.5, x * 2.0])"
        for line in (f"held = Held({held})", f"xs = {local}", "ys = xs", "t = 0.5 * x"):
            self.put(1, line)
        if self.random.random() < 0.6:
            self.put(1, "look = lambda s: xs[1] * s")
            self.looks = ["look({})"]
        else:
            self.looks = ["xs[1] * {}"]
        for _ in range(self.random.randrange(4, 10)):
            self.statement(1)
        self.put(1, "return t + xs[0] * held.v[0] + ys[1] * held.v[2] + xs[2]")

    def number(self) -> str:
        return self.one(
            "x", "t", "xs[0]", "xs[1]", "xs[2]", "ys[1]", "held.v[0]", "held.v[1]", "held.v[2]",
            "math.sin(t)", "0.7", "xs[0] * held.v[1]", "t * 0.3 + ys[2]",
        )

    def statement(self, depth: int) -> None:
        i, a, b = self.random.randrange(3), self.number(), self.number()
        if depth < 3 and self.random.random() < 0.15:
            self.put(depth, self.one(f"for i{depth} in range(2):", f"if {a} > {b}:"))
            for _ in range(self.random.randrange(1, 4)):
                self.statement(depth + 1)
            return
        simple = [
            f"held.v[{i}] = math.sin({a}) * {b}", f"xs[{i}] = math.sin({a} * {b})",
            f"xs[{i}] += math.sin({a})",
            f"ys[{i}] = {a} * 0.5 + {b}", f"t += read(xs, {a})", f"t = folded(xs, 3, {a})",
            f"put({self.one('xs', 'ys', 'held.v')}, {i}, {a})", f"held.bump({i}, {a})",
            f"t = t * 0.5 + filled({self.one('xs', 'xs', 'held.v')}, 2, {a}) * 0.3",
            "t += kept(held, ys) * 0.2", "ys = xs[:]" if self.is_list else "ys = xs.copy()",
            f"t += {self.one(*self.looks).format(a)} * 0.3", f"t = t * 0.6 + math.sin({a} * {b})",
            f"t += math.sin(xs[{i}] * held.v[{self.random.randrange(3)}])",
        ]
        if self.is_list:
            simple.append(f"xs.append({a}); t += xs.pop() * xs[0]")
        self.put(depth, self.one(*simple))


def random_function(seed: int) -> Callable[[float], float]:
    return names_of(_Writer(seed).lines, f"<random lists {seed}>", NAMES)["f"]
