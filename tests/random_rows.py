"""Random functions in which objects and local containers hold the same arrays.

    def f(x):
        p, q = Holder(x), Holder(0.5 * x)
        w = [p.rows[0], q.a]
        p.rows[0][1] = x * 0.5
        look = lambda s: np.sum(w[0] * s)
        q.put(0, look(x))
        t = (q.a, w[-1])
        return np.tanh(0.1 * (y + np.sum(np.concatenate(w)) + sum(map(np.sum, t)) + p.total()))
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

import numpy as np

import zyg
from tests.random_code import BlockWriter, names_of


class Holder:
    def __init__(self, x):
        self.rows = [np.array([x, 0.5]), np.array([0.3 * x, x])]
        self.d = {"a": np.array([x, 0.2 * x])}
        self.a = np.array([0.7, x])
        self.xs = [x, 0.5 * x]
        self.n = {"a": 0.4 * x, "b": x}

    def put(self, i, value):
        self.rows[i][i] = value

    def scale(self, value):
        for row in self.rows:
            row *= value

    def row(self, i):
        return self.rows[i]

    def total(self):
        return np.sum(self.a * self.a) + np.sum(np.concatenate(self.rows)) + (
            self.d["a"][0] + self.xs[0] * self.n["b"]
        )

    def weighted(self, value):
        return np.sum(self.rows[0] * value * value) + self.a[0]


def total(rows):
    return sum(np.sum(row * row) for row in rows)


def fill(row, value):
    row[0] = row[1] * 0.5 + value * 0.4
    return row[1]


def first(rows):
    return rows[0]


def ends(items):
    """The sum of what is last in each item."""
    return sum(item[-1] if isinstance(item, tuple) else item for item in items)


def pairs(holder):
    return zip(holder.xs, holder.a, strict=False)


NAMES = ("'a'", "'b'")


class _Writer(BlockWriter):
    def __init__(self, seed: int, is_nested: bool) -> None:
        super().__init__(seed, "def f(x):")
        self.is_nested = is_nested

    def holder(self) -> str:
        return self.one("p", "q", "o")

    def rows(self) -> str:
        return self.one("w", "w", "v", f"{self.holder()}.rows", "t")

    def table(self) -> str:
        return self.one("w", "v", f"{self.holder()}.rows")

    def row(self) -> str:
        holder = self.holder()
        return self.one(
            f"{self.rows()}[{self.index()}]", f"{self.rows()}[{self.index()}]", f"{holder}.a",
            f"{holder}.d['a']", "r", "u['a']", f"first({self.rows()})",
            f"{holder}.row({self.index()})",
        )

    def shown(self) -> str:
        """An iterator over numbers, or a view of some."""
        holder = self.holder()
        return self.one(
            "k", f"{holder}.n.values()", f"{holder}.n.items()", f"zip({holder}.xs, m)",
            f"enumerate({self.one('m', f'{holder}.xs', self.row())})", f"reversed({holder}.xs)",
            f"map(lambda z: z * x, {self.one('m', f'{holder}.n.values()')})", f"iter({holder}.xs)",
            f"pairs({holder})", f"(z * x for z in {self.one('m', f'{holder}.n.values()')})",
            f"{self.row()}.flat", f"itertools.chain({holder}.xs, m)",
        )

    def index(self) -> str:
        return self.one("0", "-1", "1")

    def number(self) -> str:
        rows, row = self.rows(), self.row()
        found = [
            "x", "y", f"{row}[{self.index()}]", f"{row}[{self.index()}]", f"np.sum({row})",
            f"np.sum(np.concatenate({rows}))", f"sum(np.sum(z) for z in {rows})", f"total({rows})",
            f"functools.reduce(np.add, {rows})[0]", f"np.stack({rows})[{self.index()}, 0]",
            f"(lambda s: np.sum({rows}[0] * s))(x)", f"sum(map(np.sum, {rows}))", "look(x)",
            f"max([np.sum(z) for z in {rows}])", f"np.sum(np.array({rows}))",
            f"sum(a[0] * b[1] for a, b in zip({rows}, {self.rows()}))", "look(y)",
            f"functools.partial(total, {rows})()", f"[z[0] for z in {rows}][-1]",
            f"sum(z[1] for z in reversed({rows}))", f"np.dot({row}, {self.row()})",
            f"next(iter({rows}))[1]", f"{self.holder()}.total()", "sum(u.values())[0]",
            f"sum({rows}, np.zeros(2))[1]", f"list(itertools.accumulate({rows}))[-1][0]",
            f"np.sum(np.where({row} > 0.4, {row}, {self.row()}))", f"total([{row}, {self.row()}])",
            f"{self.holder()}.xs[{self.index()}]", "m[-1]", "ends(list(k))", "sum(m)",
            f"ends({self.holder()}.n.values())", f"ends({self.shown()})",
            f"[*{rows}][0][1]", f"{{**u, 'b': {row}}}['a'][0]", f"total(list({rows}))",
            f"[i + z for i, z in enumerate({rows})][0][0]", f"np.einsum('ki->i', {rows})[0]",
        ]
        if self.is_nested:
            found += [
                f"zyg.gradient(lambda s: np.sum({rows}[0] * s * s), x)[0]",
                f"zyg.gradient(total, {rows})[0][0][1]", "zyg.gradient(look, x)[0]",
                f"zyg.gradient(lambda z: np.sum(z * z * x), {row})[0][0]",
                f"zyg.jvp(lambda s: np.sum({rows}[0] * s * s), (x,), (1.0,))[1]",
                f"zyg.checkpointed(total, {rows})", "zyg.checkpointed(lambda s: look(s), x)",
                f"zyg.withgradient(lambda s: total({rows}) * s, x)[0]",
                f"zyg.gradient(lambda s: {self.holder()}.weighted(s), x)[0]",
                f"zyg.gradient({self.holder()}.weighted, x)[0]",
            ]
        return self.random.choice(found)

    def value(self) -> str:
        return f"{self.number()} * {self.one('0.5', '0.3', 'x', '0.2')}"

    def statement(self, depth: int) -> None:
        kind, holder, row, table = self.random.random(), self.holder(), self.row(), self.table()
        if kind < 0.08 and depth < 3:
            self.branch(depth, self.one("x > 1.0", f"len({table}) > 2", f"{row}[0] > y", "y > 0.5"))
        elif kind < 0.16 and depth < 3:
            self.put(depth, self.one(
                f"for i in range({self.random.randrange(1, 3)}):", f"for r in {table}[:2]:",
                f"for r in list({self.rows()}):", f"for i, r in enumerate({self.rows()}):",
            ))
            self.block(depth + 1)
        else:
            changes = [
                f"{row}[{self.index()}] = {self.value()}",
                f"{row}[{self.index()}] *= {self.one('x', '0.5', 'y')}",
                f"{table}[{self.index()}][0] = {self.value()}", f"fill({row}, {self.value()})",
                f"{holder}.put({self.one('0', '1')}, {self.value()})", f"{holder}.scale(0.8)",
                f"{row}[:] = {self.row()} * 0.5", f"np.multiply({row}, 0.7, out={row})",
                f"{holder}.xs[{self.index()}] = {self.value()}", f"m[0] = {self.value()}",
                f"{holder}.n[{self.one(*NAMES)}] = {self.value()}",
                f"{holder}.xs.append({self.value()})",
                f"{table}[{self.index()}] *= 0.6", f"{holder}.a *= {self.one('0.9', '0.5 * x')}",
            ]
            moves = [
                f"m = {holder}.xs", f"{holder}.xs = m", f"m = [y, {self.number()}]",
                f"k = {self.shown()}", f"k = {self.shown()}", f"{holder}.kept = {self.shown()}",
                f"k = {holder}.kept", f"{holder}.b = {self.table()}",
                f"{table}[{self.index()}] = {row}", f"{self.one('w', 'v')} = {holder}.rows",
                f"{self.one('w', 'v')} = list({self.rows()})",
                f"{self.one('w', 'v')} = [{row}, {self.row()}]", f"{holder}.rows = {table}",
                f"{holder}.rows = [z * 0.5 for z in {self.rows()}]", f"r = {row}",
                f"{holder}.rows = [{row}, {self.row()}]", f"t = ({row}, {self.row()})",
                f"{holder}.a = {row}", f"{holder}.d['a'] = {row}", f"u = {{'a': {row}}}",
                f"u['a'] = {row}", f"o = {self.one('p', 'q')}", f"u = {holder}.d",
                f"w, v = {table}, {self.table()}",
                f"look = lambda s, z={self.rows()}: np.sum(z[0]) * s",
                f"if len({table}) < 4: {table}.append({row})",
                f"if len({table}) > 2: r = {table}.pop()",
            ]
            reads = [f"y = 0.5 * y + {self.value()}"] * 2
            self.put(depth, self.random.choice(self.random.choice([changes, moves, reads])))

    def function(self) -> list[str]:
        self.put(1, "p, q = Holder(x), Holder(0.5 * x)")
        self.put(1, "w, v = [p.rows[0], q.a], [np.array([x, 0.1]), q.rows[1]]")
        self.put(1, "o, y, r, u, t = q, 0.5 * x, v[0], {'a': p.a}, (v[0], p.rows[1])")
        self.put(1, "m, k, p.kept, q.kept = [x, 0.5], q.n.values(), [y, x], p.n.values()")
        self.put(1, "def look(s):")
        self.put(2, f"return np.sum({self.one('w', 'v')}[-1]) * s + t[0][1] + u['a'][0]")
        for _ in range(self.random.randrange(3, 8)):
            self.statement(1)
        self.put(1, f"y += {self.number()}")
        self.put(1, f"y += 0.3 * {self.one('ends(k)', 'ends(q.kept)', 'look(x)', 'sum(m)')}")
        self.put(1, "y += 0.3 * np.sum(np.concatenate(w)) + total(v) * 0.2 + u['a'][0] + t[0][1]")
        self.put(1, "return np.tanh(0.1 * (y + r[0] + p.total() + q.total() * x + v[0][1]))")
        return self.lines


def random_function(seed: int, is_nested: bool = False) -> Callable[[float], float]:
    """A function of a number; it may raise what Python raises. `is_nested`: it may differentiate
    what it computes."""
    names = {
        "Holder": Holder, "total": total, "fill": fill, "first": first, "np": np, "zyg": zyg,
        "ends": ends, "pairs": pairs, "functools": functools, "itertools": itertools,
        "__name__": __name__,
    }
    lines = _Writer(seed, is_nested).function()
    return names_of(lines, f"<rows {seed} {is_nested}>", names)["f"]
