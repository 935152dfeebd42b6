"""Random programs of a class that holds its state: arrays, lists, a dict and a queue, which grow,
are replaced, or are changed in place, under several names.

    def f(t):
        h, g = State(t), State(0.7 * t)
        k, x, v, total = h, 0.5 * g.a, t, 0.0
        for i in range(2):
            h.log.append(np.sum(g.a) * 0.3)
            h.a, g.b = g.b, h.a
        try:
            x[1] = h.norm()
            g.log[99]
        except IndexError:
            total += np.sum(h.rows[0] * x) * 0.2
        return total + t + np.sum(h.a) * 0.3 + sum(h.log) + h.n * g.n

Half of the programs change no array in place.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.random_code import BlockWriter, names_of


class State:
    def __init__(self, t: float) -> None:
        self.a: Any = np.array([t, 0.5, 1.0 - t])
        self.b: Any = np.array([0.3, t * t, 0.2])
        self.log = [0.5 * t]
        self.by_name = {"k": t}
        self.queue = deque([t, 0.1])
        self.rows = [0.5 * self.a]
        self.n = t

    def note(self, v: float) -> float:
        self.log.append(math.tanh(v))
        return self.log[-1]

    def norm(self) -> Any:
        return np.sum(self.a * self.b)

    def move(self, s: float) -> None:
        self.a = np.tanh(self.a * s + self.b)


def bump(a: Any, s: float) -> None:
    a[1] += s


def scaled(a: Any, s: float) -> Any:
    return a * s


class _Writer(BlockWriter):
    def __init__(self, seed: int) -> None:
        super().__init__(seed, "def f(t):")
        self.changes_arrays = self.random.random() < 0.5
        self.put(1, "h, g = State(t), State(0.7 * t)")
        self.put(1, "k, x, v, total = h, 0.5 * g.a, t, 0.0")

    def one_object(self) -> str:
        return self.one("h", "g", "h", "k")

    def number(self, depth: int = 0) -> str:
        o = self.one_object()
        if depth < 2 and self.random.random() < 0.2:
            return f"math.tanh({self.number(depth + 1)} * {self.number(depth + 1)})"
        return self.one(
            "t", "v", "x[1]", "total * 0.1", f"{o}.n", f"{o}.log[0]", f"{o}.log[-1]",
            f"{o}.by_name['k']", f"{o}.by_name.get('z', 0.1)", f"np.sum({o}.a) * 0.3",
            f"{o}.norm()", f"len({o}.log) * 0.1", f"sum({o}.log) * 0.1", f"max({o}.log)",
            f"{o}.rows[-1][1]", f"{o}.a[0]", f"sum({o}.queue) * 0.2",
        )

    def array(self) -> str:
        o = self.one_object()
        return self.one(
            "x", f"{o}.a", f"{o}.b", f"{o}.rows[0]", f"{o}.rows[-1]", f"{o}.a * x",
            f"np.tanh({o}.a * {self.number()})", f"scaled({o}.b, {self.number()})",
        )

    def statement(self, depth: int) -> None:
        if depth < 3 and self.random.random() < 0.22:
            self.nested(depth)
            return
        o, other = self.one_object(), self.one_object()
        lines = [
            f"{o}.log.append({self.number()})", f"{o}.log[-1] = {self.number()}",
            f"{o}.log[0] *= {self.number()}", f"{o}.log.insert(0, {self.number()})",
            f"{o}.log.extend([{self.number()}, {self.number()}])", f"v = {o}.note({self.number()})",
            f"v = {o}.log.pop(); {o}.log.append(v * t)", f"{o}.by_name['k'] = {self.number()}",
            f"{o}.by_name['z'] = {o}.by_name.get('z', 0.0) * 0.5 + {self.number()}",
            f"{o}.queue.append({self.number()})",
            f"v = {o}.queue.popleft(); {o}.queue.append(v * {self.number()})",
            f"v = {self.number()}", f"{o}.n = math.tanh({self.number()})",
            f"total = total + {self.number()}",
            f"total += np.sum({self.array()} * {self.array()}) * 0.2",
            f"{o}.a = np.tanh({self.array()} * {self.number()})", f"{o}.b = {self.array()}",
            f"x = {self.array()}", f"{o}.a, {o}.b = {o}.b, {o}.a",
            f"{o}.rows.append({self.array()})", f"{o}.rows[0] = {self.array()}",
            f"{o}.move({self.number()})", f"{other}.log = {o}.log", f"{other}.a = {o}.a",
            f"{other}.rows = {o}.rows", f"k = {o}",
            f"for w in {o}.log: total += w * 0.1",
            f"for w in {o}.rows: total += np.sum(w * w) * 0.1",
        ]
        if self.changes_arrays:
            lines += 2 * [
                f"{o}.a[0] = {self.number()}", f"{o}.b *= {self.number()}",
                f"x[1] = {self.number()}", f"{o}.a[1:] += {o}.b[:-1] * t",
                f"bump({o}.a, {self.number()})", f"{o}.rows[0][1] = {self.number()}",
                f"{o}.a += {o}.b * 0.5", f"bump(x, {self.number()})", f"{o}.a *= {o}.a[0]",
            ]
        self.put(depth, self.one(*lines))

    def nested(self, depth: int) -> None:
        kind = self.one("for", "if", "if", "try")
        if kind == "if":
            self.branch(depth, f"{self.number()} > {self.one('0.3', '0.5', '-1.0')}")
            return
        self.put(depth, f"for i in range({self.one('1', '2', '3')}):" if kind == "for" else "try:")
        self.block(depth + 1)
        if kind == "try":
            self.put(depth + 1, f"{self.one_object()}.log[{self.one('0', '99')}]")
            self.put(depth, "except IndexError:")
            self.block(depth + 1)


def random_function(seed: int) -> Callable[[float], float]:
    writer = _Writer(seed)
    for _ in range(writer.random.randrange(3, 10)):
        writer.statement(1)
    number, array = writer.number(), writer.array()
    writer.put(1, f"return total + {number} + np.sum({array}) * 0.3 + sum(h.log) + h.n * g.n")
    names = {
        "State": State, "bump": bump, "scaled": scaled, "np": np, "math": math, "deque": deque,
    }
    found: Callable[[float], float] = names_of(writer.lines, f"<states {seed}>", names)["f"]
    return found
