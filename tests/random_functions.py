"""Random functions whose memory is referred to by functions, and changed by these or by name.

    def f(x):
        a, b = np.array([x, 0.5]), np.array([0.3 * x, x])
        c, y = [x, 0.4 * x], 0.2 * x
        g = scaled(a, 0.3)
        h = functools.partial(np.sum, b)
        def k(s):
            nonlocal y
            a[0] = s * y
            y = g(s) * 0.5
            return y
        a[1] = x * 0.5
        y = y + k(x) * 0.1
        return np.tanh(0.1 * np.sum(y + h() + g(x) + np.sum(a) + np.sum(b) + sum(c)))
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable

import numpy as np

from tests.random_code import BlockWriter, names_of


def total_of(a):
    return lambda s: np.sum(a) * s


def item_of(items, i):
    def item(s):
        return items[i] * s

    return item


def scaled(a, rate):
    def scale(s):
        a[0] = a[0] * rate + s * 0.1
        return a[1] * s

    return scale


def counter(start):
    n = start

    def count(s):
        nonlocal n
        n = n * 0.5 + s
        return n

    return count


def both(f, g):
    return lambda s: f(s) + 0.5 * g(s)


def called(f, s):
    return f(s)


def called_between(f, a, s):
    before = f(s)
    a[1] = s * 0.3
    return before * 0.5 + f(s)


def kept(f, *args):
    return functools.partial(f, *args)


def changed(a, s):
    a[0] = s * 0.7
    return a


class Model:
    def __init__(self, a, f):
        self.a = a
        self.f = f

    def __call__(self, s):
        return self.f(s) * 0.5 + self.a[0]

    def change(self, s):
        self.a[1] = s * 0.4
        return self.a[0]


class _Writer(BlockWriter):
    def __init__(self, seed: int, has_objects: bool) -> None:
        super().__init__(seed, "def f(x):")
        self.has_objects = has_objects
        self.depth = 0

    def array(self) -> str:
        found = ["a", "a", "b", "b", "r[0]", "r[1]"]
        if self.has_objects:
            found.append("q.a")
        return self.random.choice(found)

    def index(self) -> str:
        return self.one("0", "-1", "1")

    def function(self) -> str:
        found = ["g", "h", "k", "fs[0]", "fs[-1]", "d['f']"]
        if self.has_objects:
            found += ["q", "q.f", "q.change"]
        return self.random.choice(found)

    def made(self) -> str:
        """A function of a number."""
        a = self.array()
        return self.random.choice([
            f"total_of({a})", f"item_of({self.one('c', a)}, {self.index()})", f"scaled({a}, 0.3)",
            f"counter({self.number()})", f"both({self.function()}, {self.function()})",
            f"lambda s: np.sum({a} * s)", f"lambda s, v={a}: v[0] * s", f"lambda s: {a}[0] * y * s",
            f"{a}.dot", f"functools.partial(np.dot, {a})", "c.__getitem__",
            f"kept(operator.mul, {a}[{self.index()}])", f"lambda s, f={self.function()}: f(s) * x",
            f"{self.function()}",
            f"lambda s: sum(v * s for v in {self.one('c', a)})", "lambda s: fs[0](s) * 0.5",
        ])

    def called(self) -> str:
        """A number that a function gives. Bound methods take and give what they do."""
        f, s = self.function(), self.one("x", "0.5", "y")
        return self.random.choice([
            f"number({f}, {s})", f"number({f}, {s})", f"number({self.made()}, {s})",
            f"sum(number(v, {s}) for v in fs)", f"sum([number(v, {s}) for v in [{f}, h]])",
            f"number(lambda s: called(g, s), {s})", f"sum(map(g, [{s}, x]))",
            f"number(lambda s: called_between(h, {self.array()}, s), {s})",
        ])

    def number(self) -> str:
        a = self.array()
        return self.random.choice([
            "x", "y", f"{a}[{self.index()}]", f"np.sum({a})", "c[0]", "sum(c)",
            f"np.sum({a} * {self.array()})", "d['n']",
        ])

    def expression(self) -> str:
        return self.random.choice([
            f"{self.number()} * 0.5 + {self.called()} * 0.1", f"{self.called()} * {self.number()}",
            f"np.sin({self.number()})", f"{self.called()} - {self.called()} * 0.3",
        ])

    def statement(self, depth: int) -> None:
        a, i = self.array(), self.index()
        kind = self.random.randrange(16)
        if kind < 3:
            self.put(depth, f"{self.one('g', 'h', 'k')} = {self.made()}")
        elif kind < 5:
            self.put(depth, f"{a}[{i}] = {self.expression()}")
        elif kind == 5:
            self.put(depth, self.random.choice([
                f"{a} *= 0.8", f"{self.one('a', 'b')} = {a} * x", f"changed({a}, x)",
                f"c[{i}] = {self.expression()}", f"c.append({self.number()})", "c = [*c, x]",
                f"d['n'] = {self.expression()}", f"r[{i}] = {self.one('a', 'b')}",
                f"{self.one('a', 'b')} = {a}", f"fs.append({self.function()})",
            ]))
        elif kind == 6:
            self.put(depth, self.random.choice([
                f"fs = [{self.made()}, {self.made()}]", f"fs[{i}] = {self.made()}",
                f"d['f'] = {self.made()}", f"d = {{'n': y, 'f': {self.made()}}}",
            ]))
        elif kind == 7 and self.has_objects:
            self.put(depth, self.random.choice([
                f"q = Model({a}, {self.made()})", f"q.f = {self.made()}", f"q.a = {a}",
                f"q.a[{i}] = {self.expression()}", f"y = q.change({self.number()})",
            ]))
        elif kind == 8 and depth < 3:
            self.branch(depth, f"{self.one('x', 'y', 'c[0]')} > {self.one('0.5', '2.0')}")
        elif kind == 9 and depth < 3:
            self.put(depth, f"for i{depth} in range(2):")
            self.block(depth + 1)
        elif kind in (10, 11) and depth < 3:
            name = self.one("g", "h", "k")
            self.put(depth, f"def {name}(s, v={a}):")
            self.put(depth + 1, self.one(
                f"v[{i}] = s * x * 0.3", f"{self.array()}[{i}] = s * 0.5", "c[0] = c[0] * s",
                "pass",
            ))
            self.put(depth + 1, f"return v[0] * s + {self.array()}[{i}]")
        else:
            self.put(depth, f"y = {self.expression()}")


def number(f, s):
    """A number, by a function that may want or give an array."""
    if getattr(f, "__name__", "") == "__getitem__":
        return f(0) * s
    found = f(s)
    return np.sum(found)


NAMESPACE = {
    "np": np, "functools": functools, "operator": operator, "total_of": total_of, "Model": Model,
    "item_of": item_of, "scaled": scaled, "counter": counter, "both": both, "called": called,
    "called_between": called_between, "kept": kept, "changed": changed, "number": number,
}


def random_function(seed: int, has_objects: bool = False) -> Callable[[float], float]:
    writer = _Writer(seed, has_objects)
    for line in [
        "a, b, c, y = np.array([x, 0.5]), np.array([0.3 * x, x]), [x, 0.4 * x], 0.2 * x",
        "g, h, k = total_of(a), lambda s: b[0] * s, item_of(c, 1)", "r = [a, b]",
        "fs = [g, scaled(b, 0.5)]", "d = {'n': x, 'f': h}", *["q = Model(a, g)"] * has_objects,
    ]:
        writer.put(1, line)
    for _ in range(writer.random.randrange(3, 8)):
        writer.statement(1)
    ends = ["y", "np.sum(a)", "np.sum(b)", "sum(c)", "number(g, x)", "number(h, x)", "number(k, x)",
            "number(fs[-1], x)", "d['n']", "number(d['f'], x)", *["q(x)"] * has_objects]
    writer.put(1, f"return np.tanh(0.1 * np.sum({' + '.join(ends)}))")
    return names_of(writer.lines, f"<random functions {seed} {has_objects}>", NAMESPACE)["f"]
