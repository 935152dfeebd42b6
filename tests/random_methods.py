"""Random classes, whose methods call each other and those above them, with functions as arguments.

    class C1(C0):
        def m0(self, x, n, g):
            if n <= 0:
                return self.items[-1]
            self.v = number(g(x))
            g = lambda y, g=g: g(y) * 0.5 + number(self.v)
            t0 = super().m1(x * 1.1, n - 1, g)
            t1 = [number(C0(x, self).m0(x, n - 2, math.tanh)) for _ in range(2)]
            return x if t0 is None else number(t0) * x
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tests.random_code import Writer, names_of
from tests.random_recursions import number


class Base:
    def __init__(self, v, parent):
        self.v = v
        self.w = 1.0
        self.parent = parent
        self.items = [v, 0.5]
        self.table = {0: v}

    def total(self):
        return sum(self.items) * 0.1 + self.v

    def times(self, y):
        return y * self.v


class _Writer(Writer):
    def __init__(self, seed: int) -> None:
        super().__init__(seed, "")
        self.methods, self.classes = self.random.randint(2, 3), self.random.randint(2, 3)

    def value(self, *names: str) -> str:
        return self.one(
            "x", "x * x", "0.5", "self.v", "self.w", "g(x)", "g(0.5)", "self.total()", "None",
            "(x, n)", "self.items[-1]", "sum(self.items)", *names, *names,
        )

    def change(self, *names: str) -> None:
        value = f"number({self.value(*names)})"
        for depth, line in self.random.choice([
            [(2, f"self.v = {value}")],
            [(2, f"self.w = {self.value(*names)}")],
            [(2, f"self.items.append({value})")],
            [(2, f"self.items[0] *= 0.5 + 0.1 * {value}")],
            [(2, f"g = lambda y, g=g: g(y) * 0.5 + {value}")],
            [(2, f"g = lambda y: y * {value}")],
            [
                (2, "def h(y):"), (3, "nonlocal x"), (3, "x = x * 0.9 + 0.1 * y"),
                (3, f"return number({self.one('x', 'self.v', 'y')})"),
                (2, f"g = {self.one('h', 'h', 'g')}"),
            ],
            [(2, "if self.parent is not None:"), (3, f"self.parent.v += 0.1 * {value}")],
            [(2, "for item in self.items[:3]:"), (3, "x = x + 0.1 * number(item)")],
            [(2, f"self.table[{self.one('n % 2', '0', '1')}] = {self.value(*names)}")],
            [(2, f"x = x + 0.1 * number(self.table.get(n % 2, {self.value(*names)}))")],
        ]):
            self.put(depth, line)

    def call(self, has_base: bool) -> str:
        owner = self.one(
            "self", "self", "self", "super()" if has_base else "self", "(self.parent or self)",
            f"C{self.random.randrange(self.classes)}(x, self)",
        )
        method, less = self.random.randrange(self.methods), self.one("1", "1", "2")
        function = self.one("g", "g", "lambda y: y * x", "math.tanh", "self.times")
        return f"{owner}.m{method}({self.one('x', 'x * 1.1', '0.7 * x')}, n - {less}, {function})"

    def step(self, name: str, has_base: bool) -> None:
        kind, call = self.random.random(), self.call(has_base)
        if kind < 0.2:
            self.put(2, f"if n % {self.one('2', '3')} == 0:")
            self.put(3, f"{name} = {call}")
            self.put(2, "else:")
            self.put(3, f"{name} = {self.value()}")
        elif kind < 0.35:
            owner = call.replace("super()", "self")  # a comprehension has no `super()` in 3.11
            self.put(2, f"{name} = [number({owner}) for _ in range(2)]")
        elif kind < 0.45:
            method = self.random.randrange(self.methods)
            self.put(2, f"{name} = sum(number(self.m{method}(y, n - 2, g)) for y in (x, 0.5))")
        else:
            self.put(2, f"{name} = {call}")

    def method(self, index: int, has_base: bool) -> None:
        self.put(1, f"def m{index}(self, x, n, g):")
        self.put(2, "if n <= 0:")
        self.put(3, f"return {self.value()}")
        names = [f"t{k}" for k in range(self.random.randint(1, 3))]
        for k, name in enumerate(names):
            if self.random.random() < 0.7:
                self.change(*names[:k])
            self.step(name, has_base)
        if self.random.random() < 0.5:
            self.change(*names)
        self.put(2, "return " + self.one(
            " + ".join(f"number({name})" for name in names), self.one(*names),
            f"x if {names[0]} is None else number({names[0]}) * x", f"g(number({names[-1]}))",
        ))

    def module(self) -> list[str]:
        for c in range(self.classes):
            self.put(0, f"class C{c}({f'C{self.random.randrange(c)}' if c else 'Base'}):")
            self.put(1, "pass")
            for index in range(self.methods):
                if c == 0 or self.random.random() < 0.6:
                    self.method(index, c > 0)
        self.put(0, "def f(x):")
        self.put(1, f"o = C{self.classes - 1}(x, C0(0.5, None))")
        self.put(1, f"y = number(o.m0(x, {self.random.randint(2, 4)}, math.sin))")
        self.put(1, "parts = [o.w, o.items, o.parent.v, list(o.table.values())]")
        self.put(1, "return y + o.v + number(parts)")
        return self.lines


def random_function(seed: int) -> Callable[[float], float]:
    """A function of a number that works with objects; it may raise what Python raises."""
    names = {"number": number, "Base": Base, "math": math, "__name__": __name__}
    return names_of(_Writer(seed).module(), f"<methods {seed}>", names)["f"]
