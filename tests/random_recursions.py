"""Random groups of functions that call each other, and return values of several types.

    def f0(x, n):
        if n <= 0:
            return None
        t0 = f1(x * 1.1, n - 1)
        if isinstance(t0, tuple):
            t0 = t0[0] * x
        t1 = f0(x, n - 2)
        return x if t1 is None else number(t0) * x

What such a function returns rests on what others return of which nothing is known yet, and
sometimes holds it: what inference finds out about a group has to be true of all of them at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tests.random_code import Writer, names_of

VALUES = "None", "x", "x * x", "(x, n)", "[x, 2.0]", "0.5", "True", "'a'", "{'k': x}", "n"


def number(value):
    """A number that depends on all numbers in a value."""
    match value:
        case None:
            return 0.25
        case str():
            return 0.125
        case dict():
            return number(value["k"]) * 1.5
        case tuple() | list():
            total = 0.0
            for item in value:
                total = total * 0.5 + number(item)
            return total
        case _:
            return math.sin(value)


class _Writer(Writer):
    def __init__(self, seed: int) -> None:
        super().__init__(seed, "")
        self.count = self.random.randint(2, 4)

    def function(self, index: int) -> None:
        self.put(0, f"def f{index}(x, n):")
        self.put(1, "if n <= 0:")
        self.put(2, f"return {self.one(*VALUES)}")
        names = [f"t{k}" for k in range(self.random.randint(1, 3))]
        for name in names:
            self.call(name)
            if self.random.random() < 0.5:
                self.look_at(name)
        numbers = " + ".join(f"number({name})" for name in names)
        self.put(1, "return " + self.one(
            numbers, self.one(*names), f"({', '.join(names)},)",
            f"x if {names[0]} is None else number({names[0]}) * x",
            f"{self.one(*names)} if n % 2 else {self.one(*VALUES)}",
        ))

    def call(self, name: str) -> None:
        callee = f"f{self.random.randrange(self.count)}"
        argument, less = self.one("x", "x", "x * 1.1", "0.7 * x"), self.one("1", "1", "2", "3")
        call = f"{name} = {callee}({argument}, n - {less})"
        if self.random.random() < 0.7:
            self.put(1, call)
            return
        self.put(1, f"if n % {self.one('2', '3')} == {self.one('0', '1')}:")
        self.put(2, call)
        self.put(1, "else:")
        self.put(2, f"{name} = {self.one(*VALUES)}")

    def look_at(self, name: str) -> None:
        for depth, line in self.random.choice([
            [(1, f"if {name} is None:"), (2, f"return {self.one(*VALUES)}")],
            [(1, f"if isinstance({name}, tuple):"), (2, f"{name} = {name}[0] * x")],
            [(1, f"if isinstance({name}, float):"), (2, f"return {name} * x")],
            [(1, f"{name} = [{name}, x]")],
            [(1, f"if isinstance({name}, list) and len({name}) > 1:"), (2, f"{name} = {name}[1]")],
            [(1, f"{name} = number({name}) * x")],
        ]):
            self.put(depth, line)

    def group(self) -> list[str]:
        for index in range(self.count):
            self.function(index)
        self.put(0, "def f(x):")
        self.put(1, f"return number(f0(x, {self.random.randint(3, 6)}))")
        return self.lines


def random_function(seed: int) -> Callable[[float], float]:
    """A function of a number that calls the first of a group; it may raise TypeError."""
    names = {"number": number, "__name__": __name__}
    return names_of(_Writer(seed).group(), f"<recursions {seed}>", names)["f"]
