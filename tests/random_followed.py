"""Random functions that change the lists, dicts and arrays of two objects, under several names.

    def f(x):
        p, q = Holder(x), Holder(2.0 * x)
        a = p.xs
        q.xs = a
        for i in range(3):
            a.append(q.xs[-1] * 0.5 + x)
        if len(p.xs) > 3:
            push(q, p.w[0] * x)
        return p.total() + q.total() * x

What they hold are numbers, so that second derivatives follow it (`ir.memory.followed_memory`).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tests.random_code import BlockWriter, names_of


class Holder:
    def __init__(self, x):
        self.xs = [x, x * x]
        self.d = {"a": 0.5 * x}
        self.w = np.array([1.0, 2.0, 0.5])
        self.v = x
        self.k = None

    def push(self, value):
        self.xs.append(value)

    def put(self, i, value):
        self.w[i] = value

    def total(self):
        total = self.v
        for item in self.xs:
            total = 0.7 * total + 0.3 * item * item
        for key in self.d:
            total += 0.1 * self.d[key]
        if self.k is not None:
            total += 0.2 * self.k[-1] * self.k[0]
        return total + np.sum(self.w * self.w)


def push(holder, value):
    holder.xs.append(value)
    return holder.xs[0] * value


def fill(items, value):
    items[0] = items[0] * 0.5 + value * 0.4
    return items[-1]


class _Writer(BlockWriter):
    def __init__(self, seed: int, is_given: bool) -> None:
        super().__init__(seed, "def f(x, p, q):" if is_given else "def f(x):")
        self.is_given = is_given

    def holder(self) -> str:
        return self.one("p", "p", "q", "o")

    def items(self) -> str:
        return self.one(f"{self.holder()}.xs", f"{self.holder()}.xs", "a", "b")

    def index(self) -> str:
        return self.one("0", "-1", "1")

    def value(self) -> str:
        holder = self.holder()
        first = self.one(
            "x", "y", "0.5", f"{self.items()}[{self.index()}]", f"{holder}.w[{self.index()}]",
            f"{holder}.d['a']", f"{holder}.v", f"sum({self.items()})", f"np.sum({holder}.w)",
            f"np.sum(np.array({self.items()}))", f"{holder}.d.get('b', y)", "c[0]",
            f"max({self.items()})",
        )
        return f"{first} * {self.one('0.5', '0.8', 'x', 'y', f'{self.items()}[0]')}"

    def statement(self, depth: int) -> None:
        kind, holder, items = self.random.random(), self.holder(), self.items()
        if kind < 0.1 and depth < 4:
            condition = self.one(
                "x > 1.0", f"len({items}) > 3", f"{items}[0] > y", f"'b' in {holder}.d", "y > 0.3",
            )
            self.branch(depth, condition)
        elif kind < 0.2 and depth < 4:
            loop = self.one(
                f"for i in range({self.random.randrange(1, 4)}):", f"for z in {items}[:3]:",
                f"for z in list({items}):", f"for i, z in enumerate({holder}.w):",
                f"for z in {holder}.w:",
            )
            self.put(depth, loop)
            self.block(depth + 1)
        elif kind < 0.25 and depth < 4:
            self.put(depth, "try:")
            self.block(depth + 1)
            self.put(depth + 1, self.one(
                f"y += {items}[{self.random.randrange(2, 7)}]", f"y += {holder}.d['b']",
            ))
            self.put(depth, "except (IndexError, KeyError):")
            self.block(depth + 1)
        else:
            self.put(depth, self.one(
                f"{items}.append({self.value()})", f"{items}.append({self.value()})",
                f"{holder}.push({self.value()})", f"y = y * 0.5 + push({holder}, {self.value()})",
                f"{items}[{self.index()}] = {self.value()}",
                f"{items}[{self.index()}] *= {self.one('x', '0.5', 'y')}",
                f"{items}.insert({self.one('0', '1', '-1')}, {self.value()})",
                f"if len({items}) > 2: y = 0.5 * y + {items}.pop()",
                f"if len({items}) > 2: del {items}[0]",
                f"{items}.extend([{self.value()}, y])", f"{items}.reverse()", f"{items}.sort()",
                f"{items}[1:] = [{self.value()}, x]", f"{items} += [{self.value()}]",
                f"y = 0.5 * y + fill({items}, {self.value()})", f"fill({holder}.w, {self.value()})",
                f"{holder}.put({self.index()}, {self.value()})",
                f"{holder}.w *= {self.one('0.7', 'x', 'q.w[0]')}",
                f"{holder}.w = {holder}.w * {self.one('x', 'y', '0.5')}",
                f"{holder}.w[1:] += {self.one('x', 'p.w[:2]', 'y')}", f"c = {holder}.w",
                "c[0] = c[1] * y", f"{holder}.w = c * 1.0",
                f"{holder}.d['{self.one('a', 'b')}'] = {self.value()}",
                f"{holder}.d['a'] += {self.value()}", f"{holder}.d.update(a={self.value()})",
                f"y = 0.5 * y + {holder}.d.setdefault('b', {self.value()})",
                f"y = 0.5 * y + {holder}.d.pop('b', x)",
                f"{holder}.v = {self.value()}", f"y = 0.5 * y + {self.value()}",
                f"{self.one('a', 'b')} = {holder}.xs", f"{holder}.xs = {self.one('a', 'b')}",
                f"{self.one('a', 'b')} = [{self.value()}, y]", f"{holder}.xs = list({items})",
                f"{self.one('a', 'b')} = {holder}.xs if y > 0.4 else [y, x]",
                f"{holder}.xs = [z * 0.5 for z in {items}]", f"o = {self.one('p', 'q')}",
                f"{holder}.k = {self.one('None', items, items, '[x, y]')}",
                f"if {holder}.k is not None: {holder}.k.append({self.value()})",
                f"if {holder}.k is not None: {holder}.k[0] *= {self.one('x', 'y', '0.5')}",
                f"if {holder}.k is not None: a = {holder}.k",
                f"y = 0.5 * y + sum(z * w for z, w in zip({items}, {items}))",
            ))

    def function(self) -> list[str]:
        if not self.is_given:
            self.put(1, "p, q = Holder(x), Holder(2.0 * x)")
        self.put(1, "y, o, a, b, c = 0.5 * x, p, p.xs, [x, 1.0], q.w")
        for _ in range(self.random.randrange(3, 8)):
            self.statement(1)
        self.put(1, "return math.tanh(0.1 * (p.total() + q.total() * y + a[0] + b[-1] + c[0]))")
        return self.lines


def random_function(seed: int, is_given: bool = False) -> Callable[..., float]:
    """A function of a number, or of a number and two holders; it may raise what Python raises."""
    names = {
        "Holder": Holder, "push": push, "fill": fill, "np": np, "math": math, "__name__": __name__,
    }
    return names_of(_Writer(seed, is_given).function(), f"<followed {seed} {is_given}>", names)["f"]
