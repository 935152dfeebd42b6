"""Random functions that store into arrays and their views, in loops and branches.

    def f(x, m, s):
        u = np.sin(x)
        for i in range(4):
            m[i, 2] = np.sin(m[i] @ u)
            if i % 2 == 0:
                row = m[:, i]
                row[1:] *= np.tanh(s)
        return s + np.sum(np.sin(u)) + np.sum(m * m) + np.sum(x)
"""

from __future__ import annotations

import numpy as np

from tests.random_code import PlaceWriter, names_of

SIZE = 4


class _Writer(PlaceWriter):
    def __init__(self, seed: int) -> None:
        super().__init__(seed, "def f(x, m, s):", SIZE)
        self.put(1, "u = np.sin(x)")

    def number(self) -> str:
        i, j = self.index(), self.index()
        read = self.one(
            "s", f"u[{i}]", f"m[{i}, {j}]", f"x[{i}]", f"m[{i}] @ u", f"m[{i}] @ m[{j}]",
            "np.sum(u * u)", f"m[{i}, :] @ m[:, {j}]", "u[1:] @ u[:-1]",
            f"np.sum(m[:{i}, 1:] ** 2)", f"m[{i}, :{j}] @ u[:{j}]" if j != "-1" else "s",
        )
        return self.one(f"np.sin({read})", f"0.5 * ({read})", f"np.tanh({read})")

    def vector(self) -> str:
        i = self.index()
        read = self.one(
            "u", "x", f"m[{i}]", f"m[:, {i}]", "m @ u", "u * x", "u[::-1]", "m.T[0]",
            f"u * m[{i}]", "np.cos(u)",
        )
        return self.one(f"np.sin({read})", f"0.5 * ({read})", f"np.tanh(({read}) * u)")

    def store(self, depth: int) -> None:
        i, j = self.index(), self.index()
        number, vector = self.number(), self.vector()
        view = self.one(f"m[{i}]", f"m[:, {i}]", f"m.T[{i}]", f"m[::-1][{i}]")
        lines = self.random.choice([
            [f"m[{i}, {j}] = {number}"], [f"m[{i}, {j}] = {number}"], [f"u[{i}] = {number}"],
            [f"m[{i}] = {vector}"], [f"m[:, {i}] {self.one('+=', '-=', '*=', '=')} {vector}"],
            [f"u[1:] = np.sin(u[:-1] * {vector}[1:])"], [f"u[...] = {vector}"],
            [f"u {self.one('*=', '+=')} {vector}"], [f"u[[0, 2]] = {vector}[:2]"],
            [f"np.add.at(u, [0, 1, 0], {vector}[1:])"], [f"np.multiply({vector}, u, out=u)"],
            [f"x[{i}] = {number}"], [f"m[m > 0.4] = {number}"], [f"s = s + {number}"],
            ["u[1:], u[:-1] = u[:-1].copy(), u[1:].copy()"],
            [f"row = {view}", f"row[{j}] = {number}", "s = s + np.sin(row @ u)"],
            [f"row = {view}", f"row[{j}] = {number}", f"row[1:] *= {number}"],
        ])
        for line in lines:
            self.put(depth, line)

    def statement(self, depth: int) -> None:
        kind = self.random.random() if depth < 4 and len(self.lines) < 16 else 1.0
        if kind < 0.2:
            name = "ijk"[len(self.loops)]
            count = self.one("4", "3", f"{self.loops[-1]} + 1" if self.loops else "2")
            self.put(depth, f"for {name} in range({count}):")
            self.loops.append(name)
            self.block(depth + 1)
            if self.random.random() < 0.2:
                self.put(depth + 1, f"if {name} == 2:")
                self.put(depth + 2, self.one("break", "continue"))
                self.store(depth + 1)
            self.loops.pop()
        elif kind < 0.3:
            condition = f"{self.number()} > 0.1"
            if self.loops and self.random.random() < 0.6:
                condition = f"{self.loops[-1]} % 2 == 0"
            self.branch(depth, condition)
        else:
            self.store(depth)


def random_function(seed: int):
    """A function of a vector, a matrix and a number, which changes the arrays that it is given."""
    writer = _Writer(seed)
    if writer.random.random() < 0.5:
        writer.put(1, "m = m.copy()")
    for _ in range(3):
        writer.block(1)
    writer.put(1, "return s + np.sum(np.sin(u)) + np.sum(m * m) + np.sum(x)")
    names = {"np": np, "__name__": "stores"}
    return names_of(writer.lines, f"<stores {seed}>", names)["f"]
