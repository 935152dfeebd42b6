"""The random functions of `random_places`, with more that hands an array on: functions, closures,
generators, methods, context managers, classes with items of their own.

    def f(x):
        a, b, c = arrays(x)
        k1 = Cell(a, b)
        f2 = lambda s=b: s
        with lent(k1.first) as w1: w1[0] = x * x
        for g1 in stepping(c, f2()): g1[1] += x
        return np.sum(a * k1[1]) + np.sum(next(given([b, c])) * b)
"""

from __future__ import annotations

import contextlib
import copy
import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from tests import random_places
from tests.random_code import names_of


class Cell:
    def __init__(self, a: Any, b: Any) -> None:
        self._items = [a, b]

    def __getitem__(self, i: int) -> Any:
        return self._items[i]

    def __setitem__(self, i: int, v: Any) -> None:
        self._items[i] = v

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __call__(self) -> Any:
        return self._items[1]

    def __enter__(self) -> Any:
        return self._items[0]

    def __exit__(self, *exception: object) -> bool:
        return False

    @property
    def first(self) -> Any:
        return self._items[0]

    @first.setter
    def first(self, v: Any) -> None:
        self._items[0] = v


def given(items: Any) -> Iterator[Any]:
    yield from items


def stepping(s: Any, t: Any) -> Iterator[Any]:
    yield s
    t[0] *= 1.5
    yield t


@contextlib.contextmanager
def lent(s: Any) -> Iterator[Any]:
    yield s
    s[1] += 0.5


def first(*items: Any) -> Any:
    return items[0]


def named(**items: Any) -> Any:
    return items["p"]


def chosen(s: Any, t: Any = None) -> Any:
    return s if t is None else t


def swapped(s: Any, t: Any) -> dict[str, Any]:
    return {"p": t, "q": s}


def bump(s: Any, v: float) -> Any:
    s[0] += v
    return s


def turned(items: Any, n: int) -> Any:
    return items[0] if n == 0 else turned(items[::-1], n - 1)


NAMES = {
    **random_places.NAMES, "Cell": Cell, "given": given, "stepping": stepping, "lent": lent,
    "first": first, "named": named, "chosen": chosen, "swapped": swapped, "bump": bump,
    "turned": turned, "functools": functools, "itertools": itertools, "copy": copy,
}


class _Writer(random_places.PlacesWriter):
    def __init__(self, seed: int) -> None:
        self.cells: list[str] = []
        self.functions: list[str] = []
        self.is_inside = False
        super().__init__(seed)

    def array(self) -> str:
        if self.is_inside or self.random.random() < 0.6:
            return super().array()
        self.is_inside = True
        handed_on = self.handed_on()
        self.is_inside = False
        return handed_on

    def handed_on(self) -> str:
        """An array that something gives which is given it, or holds it."""
        a, b, items = self.array(), self.array(), self.list()
        ways = [
            f"first({a}, {b})", f"named(p={a}, q={b})", f"chosen({a})", f"chosen({a}, {b})",
            f"({a}, {b})[1]", f"swapped({a}, {b})['p']", f"turned({items}, 1)",
            f"next(given({items}))", f"list(given({items}))[1]", f"[*given({items})][0]",
            f"max({items}, key=len)", f"sorted({items}, key=lambda r: r[0])[0]",
            f"functools.reduce(pick, {items})", f"dict(zip('pq', {items}))['q']",
            f"next(iter({items}))", f"list(map(same, {items}))[0]", f"copy.copy({items})[1]",
            f"list(itertools.chain({items}, {items}))[2]", f"(None or {items})[0]",
            f"(lambda s={a}: s)()", f"(lambda: {a})()", f"({a} if x > 1.0 else {b})",
            f"Cell({a}, {b})()", f"Cell({a}, {b})[0]", f"list(Cell({a}, {b}))[1]",
        ]
        if self.cells:
            cell = self.one(*self.cells)
            ways += [f"{cell}[0]", f"{cell}[1]", f"{cell}.first", f"{cell}()"] * 2
        if self.functions:
            ways += [f"{self.one(*self.functions)}()"] * 4
        return self.one(*ways)

    def changed(self, depth: int) -> None:
        if self.random.random() < 0.6:
            super().changed(depth)
            return
        a, b = (super(_Writer, self).array() for _ in range(2))
        changes = [
            f"bump({a}, {self.one('x', 'x * x')})", f"np.multiply({a}, x, out={b})",
            f"with lent({a}) as w{depth}: w{depth}[0] = {self.number()}",
            f"with Cell({a}, {self.array()}) as w{depth}: w{depth}[1] *= x",
            f"for g{depth} in stepping({a}, {b}): g{depth}[1] += x",
            f"{a}[0], {a}[1] = {a}[1], x",
        ]
        if self.cells:
            place = f"{self.one(*self.cells)}{self.one('[0]', '[1]', '.first')}"
            changes += [f"{place} = {a}", f"{place}[1] = {self.number()}"]
        self.put(depth, self.one(*changes))

    def made(self, depth: int) -> None:
        kind = self.random.random()
        if kind < 0.75:
            super().made(depth)
            return
        self.count += 1
        a, b = (super(_Writer, self).array() for _ in range(2))
        if kind < 0.85:
            self.put(depth, f"k{self.count} = Cell({a}, {b})")
            self.cells.append(f"k{self.count}")
        else:
            name = f"f{self.count}"
            self.put(depth, self.one(f"def {name}(): return {a}", f"{name} = lambda s={a}: s"))
            self.functions.append(name)

    def block(self, depth: int, names: tuple[str, ...] = ()) -> None:
        cells, functions = [*self.cells], [*self.functions]
        super().block(depth, names)
        self.cells, self.functions = cells, functions


def random_function(seed: int) -> Callable[[float], float]:
    return names_of(_Writer(seed).lines, f"<random calls {seed}>", NAMES)["f"]
