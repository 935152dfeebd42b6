"""Random groups of recursive functions that change an object, a list and an array, and raise.

    def f0(x, n, box, log, array):
        if n <= 0:
            raise ValueError(n)
        box.v = (x, n)
        try:
            t0 = f1(x * 1.1, n - 1, (box.child or box), log, array)
            log.append(number(t0))
        except ValueError:
            t0 = box.w
        array[n % 3] += 0.1 * number(t0)
        return t0 if n % 2 else log[-1]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.random_code import Writer, names_of
from tests.random_recursions import VALUES, number


class Box:
    def __init__(self, v, w):
        self.v = v
        self.w = w
        self.child = None


class _Writer(Writer):
    def __init__(self, seed: int) -> None:
        super().__init__(seed, "")
        self.count = self.random.randint(2, 4)

    def value(self, *names: str) -> str:
        return self.one(*VALUES, "box.v", "box.w", "log[-1]", *names)

    def change(self, depth: int, *names: str) -> None:
        value = self.value(*names)
        for inner, line in self.random.choice([
            [(0, f"box.v = {value}")],
            [(0, f"box.w = number({value}) * x")],
            [(0, "box.w += x")],
            [(0, f"log.append(number({value}))")],
            [(0, f"log[-1] = log[-1] * x + number({value})")],
            [(0, "if len(log) > 3:"), (1, "x = x + 0.1 * log.pop()")],
            [(0, f"array[n % 3] += 0.1 * number({value})")],
            [(0, f"box.child = Box({value}, x) if box.child is None else box.child")],
        ]):
            self.put(depth + inner, line)

    def call(self) -> str:
        callee, less = self.random.randrange(self.count), self.one("1", "1", "2", "3")
        box = self.one("box", "box", "box", "(box.child or box)", "Box(box.v, x)")
        log = self.one("log", "log", "log", "[x]", "log[:]")
        array = self.one("array", "array", "array", "array.copy()", "array * 0.5")
        argument = self.one("x", "x * 1.1", "0.7 * x")
        return f"f{callee}({argument}, n - {less}, {box}, {log}, {array})"

    def step(self, name: str) -> None:
        """Lines that give a name the result of a call, or something else."""
        kind, call = self.random.random(), self.call()
        if kind < 0.2:
            self.put(1, "try:")
            self.put(2, f"{name} = {call}")
            if self.random.random() < 0.4:
                self.change(2, name)
            self.put(1, "except ValueError:")
            self.put(2, f"{name} = {self.value()}")
        elif kind < 0.4:
            self.put(1, f"if n % {self.one('2', '3')} == {self.one('0', '1')}:")
            self.put(2, f"{name} = {call}")
            self.put(1, "else:")
            self.put(2, f"{name} = {self.value()}")
        elif kind < 0.5:
            self.put(1, f"{name} = 0.0")
            self.put(1, "for _ in range(2):")
            self.put(2, f"{name} = {name} * 0.5 + number({call})")
        else:
            self.put(1, f"{name} = {call}")

    def function(self, index: int) -> None:
        self.put(0, f"def f{index}(x, n, box, log, array):")
        self.put(1, "if n <= 0:")
        if self.random.random() < 0.3:
            self.change(2)
        self.put(2, "raise ValueError(n)" if self.random.random() < 0.2 else (
            f"return {self.value()}"
        ))
        names = [f"t{k}" for k in range(self.random.randint(1, 3))]
        for k, name in enumerate(names):
            if self.random.random() < 0.5:
                self.change(1, *names[:k])
            self.step(name)
        if self.random.random() < 0.5:
            self.change(1, *names)
        numbers = " + ".join(f"number({name})" for name in names)
        self.put(1, "return " + self.one(
            numbers, f"{numbers} + number(box.v)", self.one(*names),
            f"x if {names[0]} is None else number({names[0]}) * x",
            f"{self.one(*names)} if n % 2 else {self.value()}",
        ))

    def group(self) -> list[str]:
        for index in range(self.count):
            self.function(index)
        self.put(0, "def f(x):")
        self.put(1, "box, log, array = Box(None, x), [x, 1.0], np.array([x, 1.0, 0.5])")
        self.put(1, f"y = number(f0(x, {self.random.randint(2, 5)}, box, log, array))")
        self.put(1, "return y + number(box.v) + box.w + sum(log) + array @ array")
        return self.lines


def random_function(seed: int) -> Callable[[float], float]:
    """A function of a number that calls the first of a group; it may raise what Python raises."""
    names = {"number": number, "Box": Box, "np": np, "__name__": __name__}
    return names_of(_Writer(seed).group(), f"<changing recursions {seed}>", names)["f"]
