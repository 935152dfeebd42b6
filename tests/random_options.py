"""Random functions of variables that may be None, numbers, lists, tuples, arrays or objects, as
conditions tell.

    def f(x):
        a = None
        b = [x, 2.0 * x]
        for i in range(3):
            if a is None or isinstance(a, tuple):
                a = maybe(x, i)
            elif not isinstance(a, float):
                continue
            if isinstance(b, list):
                b.append(0.5 * (number(a)))
            c = b
        return x + number(a) + number(b) + number(c)
"""

from __future__ import annotations

import math

import numpy as np

from tests.random_code import BlockWriter, names_of

NAMES = ("a", "b", "c")


class Node:
    def __init__(self, value, rest=None):
        self.value = value
        self.rest = rest


class _Writer(BlockWriter):
    def __init__(self, seed: int) -> None:
        super().__init__(seed, "def f(x):")
        self.kinds = self.random.sample(["list", "tuple", "array", "node", "number"], 3)

    def name(self) -> str:
        return self.random.choice(NAMES)

    def number(self) -> str:
        read = self.one(
            "x", "x * x", f"number({self.name()})", f"number({self.name()})",
            f"x * number({self.name()})",
        )
        return self.one(f"math.sin({read})", f"0.5 * ({read})", f"math.tanh({read})")

    def new(self) -> str:
        name, number = self.name(), self.number()
        of_kind = {
            "list": f"[{number}, {self.number()}]", "tuple": f"({number}, {self.number()})",
            "array": f"np.array([{number}, x])", "number": number,
            "node": f"Node({number}, {self.one('None', 'p')})",
        }
        made = of_kind[self.random.choice(self.kinds)]
        return self.one(
            made, made, made, "None", name, f"maybe(x, {self.random.randrange(3)})",
            f"{made} if {self.condition(name)} else {name}", f"{name} or {made}"
            if "array" not in self.kinds else f"{made} if {name} is None else {name}",
        )

    def condition(self, name: str) -> str:
        classes = {
            "list": "list", "tuple": "tuple", "array": "np.ndarray", "node": "Node",
            "number": "float",
        }
        some = self.random.sample([classes[kind] for kind in self.kinds], 2)
        test = self.one(
            f"{name} is None", f"{name} is not None", f"isinstance({name}, {some[0]})",
            f"isinstance({name}, ({some[0]}, {some[1]}))",
        )
        other = self.name()
        return self.one(
            test, test, test, f"not {test}", f"{name} is None or {test}",
            f"{name} is not None and {test}", f"{test} and {other} is not None",
            f"not ({test} or {other} is None)", f"({test} if x > 0.0 else {other} is None)",
        )

    def use(self, name: str, depth: int) -> None:
        """Changes a value, whatever it is, by its class."""
        self.put(depth, f"if {name} is None:")
        self.put(depth + 1, self.one(f"{name} = {self.new()}", f"x = x + {self.number()}"))
        changes = {
            "list": ("list", [
                f"{name}.append({self.number()})", f"{name}[0] = {self.number()}",
                f"{name}[-1] *= x", f"{name}[1] += {self.number()}", f"{name} = list({name})",
            ]),
            "tuple": ("tuple", [
                f"{name} = ({name}[1], {self.number()})", f"x = x + 0.1 * {name}[0]",
            ]),
            "array": ("np.ndarray", [
                f"{name}[0] = {self.number()}", f"{name} *= 1.0 + 0.1 * x",
                f"{name} = {name} * 0.5 + {self.number()}", f"{name}[1] += {name}[0]",
            ]),
            "node": ("Node", [
                f"{name}.value = {self.number()}", f"{name}.value += 0.2 * {self.number()}",
                f"p = {name}", f"{name} = {name}.rest", f"{name}.rest = None",
            ]),
            "number": ("float", [
                f"{name} = {name} * x", f"{name} += {self.number()}", f"x = x + 0.1 * {name}",
            ]),
        }
        for kind in self.kinds:
            cls, choices = changes[kind]
            self.put(depth, f"elif isinstance({name}, {cls}):")
            self.put(depth + 1, self.random.choice(choices))

    def statement(self, depth: int) -> None:
        kind = self.random.random() if depth < 4 and len(self.lines) < 22 else 1.0
        name = self.name()
        if kind < 0.2:
            index = "ijk"[len(self.loops)]
            self.put(depth, f"for {index} in range({self.one('3', '2')}):")
            self.loops.append(index)
            self.block(depth + 1)
            self.loops.pop()
        elif kind < 0.45:
            self.branch(depth, self.condition(name))
        elif kind < 0.55 and self.loops:
            self.put(depth, f"if {self.condition(name)}:")
            self.put(depth + 1, self.one("continue", "break"))
        elif kind < 0.7:
            self.use(name, depth)
        else:
            line = self.one(
                f"{name} = {self.new()}", f"{name} = {self.new()}", f"change({name}, x)",
                f"x = x + 0.1 * {self.number()}", f"{name} = told({name}, x)",
                "p = p.rest if p is not None else None" if "node" in self.kinds else "x = 0.9 * x",
            )
            self.put(depth, line)


def maybe(x, k):
    return None if k == 0 else x * k


def number(value):
    if value is None:
        return 0.5
    if isinstance(value, float):
        return value
    if isinstance(value, Node):
        total = 0.0
        while value is not None:
            total = total * 0.5 + value.value
            value = value.rest
        return total
    total = 0.0
    for item in value:
        total = 0.5 * total + item
    return total


def change(value, x):
    if isinstance(value, (list, np.ndarray)):
        value[0] = x * value[1]
    elif isinstance(value, Node):
        value.value *= x


def told(value, x):
    if value is None:
        return x
    if not isinstance(value, float):
        return value
    return value * x


def random_function(seed: int):
    """A function of a number."""
    writer = _Writer(seed)
    writer.put(1, "p = None")
    for name in NAMES:
        writer.put(1, f"{name} = None")
    writer.put(1, f"a = {writer.new()}")
    for _ in range(3):
        writer.block(1)
    writer.put(1, "return x + number(a) + 2.0 * number(b) + 3.0 * number(c)")
    names = {
        "math": math, "np": np, "__name__": "options", "Node": Node, "maybe": maybe,
        "number": number, "change": change, "told": told,
    }
    return names_of(writer.lines, f"<options {seed}>", names)["f"]
