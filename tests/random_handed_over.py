"""Random functions that hand lists, dicts, arrays and tables to each other, read them by items and
change some of them.

    def f0(xs, ys, i, n):
        t = xs[i % 3] * ys[(i + 1) % 3]
        if n > 0:
            t += f1(ys, xs, i + 1, n - 1)
            xs[(i + 2) % 3] = math.sin(t)
        for j in range(2):
            zs = keep(xs)
            t = t + f0(zs, ys, j, n - 2)
        return t
"""

from __future__ import annotations

import math

import numpy as np

from tests.random_code import Writer, names_of

KINDS = {
    "list": "[x * (k + 1.0) for k in range(3)]",
    "dict": "{k: x * (k + 0.5) for k in range(3)}",
    "array": "np.array([x, x * x, 2.0 * x])",
    "table": "[[x * k, x + j] for k, j in ((1, 2), (0, 1), (3, 1))]",
}
COPIES = {
    "list": ("[v * x for v in xs]", "list(xs)", "[xs[1], *ys[1:]]", "xs[:]", "xs"),
    "dict": ("dict(xs)", "{k: v * x for k, v in xs.items()}", "{**ys, 1: xs[0]}", "{**xs}", "xs"),
    "array": ("xs.copy()", "xs * x", "xs + ys", "xs[::-1]", "xs"),
    "table": ("[list(row) for row in xs]", "[[v * x for v in row] for row in xs]", "xs[:]", "xs"),
}


class _Writer(Writer):
    def __init__(self, seed: int) -> None:
        super().__init__(seed, "")
        self.lines = []
        self.kind = self.one(*KINDS)
        self.count = self.random.randrange(1, 3)
        self.changes = self.random.random() < 0.6  # else several names may mean one container

    def item(self, name: str | None = None) -> str:
        name = name or self.one("xs", "ys")
        index = self.one("i % 3", f"(i + {self.random.randrange(3)}) % 3", "0", "2")
        place = f"{name}[{index}]"
        return f"{place}[{self.one('0', '1', 'i % 2')}]" if self.kind == "table" else place

    def call(self) -> str:
        given = self.one("xs, ys", "ys, xs", "zs, ys", "xs, zs", "xs, ys") if self.changes else (
            self.one("xs, ys", "ys, xs", "xs, xs", "zs, ys", "xs, zs", "xs, ys", "ys, ys")
        )
        step = self.one("i + 1", "i", "j")
        return f"f{self.random.randrange(self.count)}({given}, x, {step}, n - {self.one('1', '2')})"

    def number(self) -> str:
        read = self.one(
            self.item(), self.item(), f"{self.item()} * {self.item()}", f"x * {self.item()}", "t",
            f"whole({self.one('xs', 'ys')})",
        )
        return self.one(f"math.sin({read})", f"0.5 * ({read})", f"math.tanh({read})")

    def statement(self, depth: int) -> None:
        kind = self.random.random()
        if kind < 0.3:
            self.put(depth, f"t += {self.one('', '0.5 * ', 'x * ')}{self.call()}")
        elif kind < 0.5 and self.changes:
            change = self.one("=", "=", "+=", "-=")
            self.put(depth, f"{self.item()} {change} {self.number()}")
        elif kind < 0.6:
            copies = COPIES[self.kind]
            self.put(depth, f"zs = {self.one(*(copies[:-2] if self.changes else copies))}")
        elif kind < 0.7 and not self.changes:
            self.put(depth, self.one("xs, ys = ys, xs", "xs = ys", "ys = zs", "zs = xs"))
        elif kind < 0.8 and depth < 3:
            self.put(depth, f"if {self.one('i % 2 == 0', 'n > 1', 'j == 1')}:")
            self.statement(depth + 1)
            self.statement(depth + 1)
        elif kind < 0.9 and depth < 3:
            self.put(depth, "for j in range(2):")
            self.statement(depth + 1)
            self.statement(depth + 1)
        else:
            self.put(depth, f"t = t + {self.number()}")


def whole(values):
    """A number of all items, which are read one by one."""
    total = 0.0
    for k in range(3):
        item = values[k]
        total = 0.5 * total + (item[0] * item[1] if isinstance(item, list) else item)
    return total


def random_function(seed: int):
    """A function of a number."""
    writer = _Writer(seed)
    for k in range(writer.count):
        writer.put(0, f"def f{k}(xs, ys, x, i, n):")
        writer.put(1, f"t = {writer.number().replace('t)', 'x)')}")
        writer.put(1, "if n <= 0:")
        writer.put(2, f"return {writer.one('t', writer.item(), 'x')}")
        writer.put(1, f"j, zs = 0, {COPIES[writer.kind][0] if writer.changes else 'ys'}")
        for _ in range(writer.random.randrange(3, 7)):
            writer.statement(1)
        writer.put(1, "return t")
    writer.put(0, "def f(x):")
    writer.put(1, f"a = {KINDS[writer.kind]}")
    writer.put(1, f"b = {KINDS[writer.kind].replace('x', '(0.7 * x)', 1)}")
    writer.put(1, "t = 0.0")
    writer.put(1, writer.one("for i in range(2):", "if x > 0.0:"))
    writer.put(2, f"t += f0(a, {'b' if writer.changes else writer.one('a', 'b')}, x, 1, 3)")
    writer.put(1, f"return t + {writer.one('whole(a)', '0.0', 'whole(a) * whole(b)')}")
    names = {"math": math, "np": np, "__name__": "handed_over", "whole": whole}
    return names_of(writer.lines, f"<handed over {seed}>", names)["f"]
