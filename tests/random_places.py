"""Random functions that put three arrays into lists, dicts, tuples, tables and objects, take them
out again, and change and read them by any of their names.

    def f(x):
        a, b, c = arrays(x)
        l1 = [b, a]
        n2 = Node(l1[1])
        for i1 in range(2):
            t3 = (n2.v, c)
            l1.append(t3[0])
            change(l1[-1], x * x)
        return np.sum(a * n2.get()) + np.sum(l1[0] * b) * 2.0

Most of what variables name may be several things, so that many programs are refused: what counts is
that no derivative is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.random_code import Writer, names_of
from tests.random_names import arrays

KINDS = ("array", "list", "dict", "node", "tuple", "table")


class Node:
    def __init__(self, v: Any, n: Any = None) -> None:
        self.v = v
        self.n = n

    def get(self) -> Any:
        return self.v

    def put(self, v: Any) -> None:
        self.v = v

    def grow(self, w: Any) -> Any:
        self.v[0] += w[1]
        return self.v

    def chain(self) -> Any:
        return self.n if self.n is not None else self


def same(s: Any) -> Any:
    return s


def pick(s: Any, t: Any) -> Any:
    return t if s[0] > 0.3 else s


def change(s: Any, v: float) -> None:
    s[1] = v


NAMES = {
    "np": np, "arrays": arrays, "Node": Node, "same": same, "pick": pick, "change": change,
}


class PlacesWriter(Writer):
    def __init__(self, seed: int) -> None:
        super().__init__(seed, "def f(x):")
        self.names: dict[str, list[str]] = {kind: [] for kind in KINDS}
        self.names["array"] += ["a", "b", "c"]
        self.count = 0
        self.put(1, "a, b, c = arrays(x)")
        for _ in range(self.random.randrange(5, 12)):
            self.statement(1)
        one, *others = [self.array() for _ in range(4)]
        pairs = [(one, others[0]), ("a", "b"), ("c", others[1])]
        terms = [f"np.sum({r} * {s}) * {k}.0" for k, (r, s) in enumerate(pairs, 1)]
        self.put(1, f"return {' + '.join(terms)}")

    def any_of(self, kind: str) -> str:
        return self.one(*self.names[kind])

    def let(self, depth: int, kind: str, value: str) -> None:
        """A new variable of a kind."""
        self.count += 1
        name = f"{kind[0]}{self.count}"
        self.put(depth, f"{name} = {value}")
        self.names[kind].append(name)

    def array(self) -> str:
        """An array by one of its names."""
        i, j = self.one("0", "1"), self.one("0", "1")
        ways = [self.any_of("array") for _ in range(3)]
        if self.names["list"]:
            ways += [f"{self.any_of('list')}[{self.one('0', '1', '-1')}]"] * 2
        if self.names["dict"]:
            ways += [f"{self.any_of('dict')}['{self.one('p', 'q')}']"]
        if self.names["node"]:
            node = self.any_of("node")
            ways += [f"{node}.v", f"{node}.v", f"{node}.get()"]
        if self.names["tuple"]:
            ways += [f"{self.any_of('tuple')}[{i}]"]
        if self.names["table"]:
            ways += [f"{self.any_of('table')}[{i}][{j}]"]
        return self.one(*ways)

    def list(self) -> str:
        ways = [f"[{self.array()}, {self.array()}]"]
        if self.names["list"]:
            of = self.any_of("list")
            ways += [of, f"list({of})", f"{of}[::-1]", f"[r for r in {of}]"]
            ways += [f"{of} + [{self.array()}]"]
        if self.names["tuple"]:
            ways += [f"list({self.any_of('tuple')})"]
        if self.names["table"]:
            ways += [f"{self.any_of('table')}[{self.one('0', '1')}]"]
        if self.names["dict"]:
            ways += [f"list({self.any_of('dict')}.values())"]
        return self.one(*ways)

    def node(self) -> str:
        ways = [f"Node({self.array()})"] * 2
        if self.names["node"]:
            of = self.any_of("node")
            ways += [f"{of}.chain()", f"Node({self.array()}, {of})"]
        return self.one(*ways)

    def number(self) -> str:
        one = self.array()
        return self.one(
            "x", "x * x", "0.5 * x", "x**3", f"{one}[0]", f"np.sum({one})", f"{one}[1] * x"
        )

    def made(self, depth: int) -> None:
        one, other = self.array(), self.array()
        match self.one("array", "array", "new", *KINDS):
            case "array":
                self.let(depth, "array", one)
            case "new":
                self.let(depth, "array", self.one(
                    f"{one} * x", f"{one} + {other}", f"{one}[:]", f"np.asarray({one})",
                    f"{one}.copy()", f"{one}[::-1]", f"same({one})", f"pick({one}, {other})",
                ))
            case "list":
                self.let(depth, "list", self.list())
            case "dict":
                self.let(depth, "dict", f"{{'p': {one}, 'q': {other}}}")
            case "node":
                self.let(depth, "node", self.node())
            case "tuple":
                self.let(depth, "tuple", f"({one}, {other})")
            case "table":
                self.let(depth, "table", f"[{self.list()}, {self.list()}]")

    def put_somewhere(self, depth: int) -> None:
        one, i = self.array(), self.one("0", "1")
        kind = self.one("node", "list", "dict", "table")
        if not self.names[kind]:
            self.made(depth)
            return
        of = self.any_of(kind)
        self.put(depth, {
            "node": self.one(
                f"{of}.v = {one}", f"{of}.put({one})", f"setattr({of}, 'v', {one})",
                f"{of}.grow({one})",
            ),
            "list": self.one(
                f"{of}[{i}] = {one}", f"{of}.append({one})", f"{of}.reverse()",
                f"{of}.insert(0, {one})",
            ),
            "dict": f"{of}['{self.one('p', 'q')}'] = {one}",
            "table": f"{of}[{i}].append({one})",
        }[kind])

    def changed(self, depth: int) -> None:
        one, i, number = self.array(), self.one("0", "1"), self.number()
        is_place = one.endswith(("]", ".v"))
        self.put(depth, self.one(
            f"{one}[{i}] = {number}", f"{one}[{i}] += {number}", f"{one}[1:] = {number}",
            f"change({one}, {number})", f"{one} *= x" if is_place else f"{one}[:] = {one} * x",
        ))

    def renamed(self, depth: int) -> None:
        kind = self.one("array", "list", "node")
        if not self.names[kind] or len(self.names["array"]) == 3:
            self.made(depth)
            return
        value = {"array": self.array, "list": self.list, "node": self.node}[kind]()
        self.put(depth, f"{self.any_of(kind)} = {value}")

    def block(self, depth: int, names: tuple[str, ...] = ()) -> None:
        """Statements whose variables are not set behind them, perhaps."""
        outer, self.names = self.names, {kind: [*known] for kind, known in self.names.items()}
        self.names["array"] += names
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth)
        self.names = outer

    def statement(self, depth: int) -> None:
        kind = self.random.random()
        if depth > 2 or kind < 0.66:
            self.one_of(self.made, self.made, self.put_somewhere, self.changed)(depth)
        elif kind < 0.76:
            self.renamed(depth)
        elif kind < 0.84:
            self.put(depth, self.one(
                "if x > 1.0:", "if x < 1.0:", f"if {self.array()}[0] > 0.4:"
            ))
            self.block(depth + 1)
            if self.random.random() < 0.5:
                self.put(depth, "else:")
                self.block(depth + 1)
        elif kind < 0.92:
            self.put(depth, f"for i{depth} in range({self.one('1', '2')}):")
            self.block(depth + 1)
        elif kind < 0.97 and self.names["list"]:
            of = self.any_of("list")
            self.put(depth, f"for r{depth} in {self.one(f'list({of})', f'{of}[:2]')}:")
            self.block(depth + 1, (f"r{depth}",))
        else:
            self.put(depth, "try:")
            self.block(depth + 1)
            self.put(depth, "except KeyError: pass")

    def one_of(self, *writers: Callable[[int], None]) -> Callable[[int], None]:
        return self.random.choice(writers)


def random_function(seed: int) -> Callable[[float], float]:
    return names_of(PlacesWriter(seed).lines, f"<random places {seed}>", NAMES)["f"]
