"""Random functions that change what objects hold, under many names.

    def f(p, q, x, y):
        p.others, q.others = [q], [p]
        p.rows[0][0] *= 1.0
        r0 = [x, y * 0.5]
        q.rows.append(r0)
        p.rows[0], p.rows[-1] = r0, q.rows[0]
        fill(p.rows[0], q.others[0].rows[-1][0])
        for r in q.rows:
            r[0] = r[-1] * 0.5 + x * 0.2
        return y + r0[0] + p.rows[0][0] * q.rows[-1][0]

Rows are lists or arrays; they stand in lists, dicts and local names, of two objects that know each
other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tests.random_code import Writer, names_of


class Holder:
    def __init__(self, rows):
        self.rows = rows
        self.log = []
        self.named = {"k": [1.0]}
        self.others = []

    def put(self, i, value):
        self.rows[i][0] = value

    def get(self, i):
        return self.rows[i][-1]

    def add(self, row):
        self.rows.append(row)

    def bump(self, row, value):
        row[0] = row[0] * 0.5 + value
        return self.rows[0][0]


def fill(row, value):
    row[0] = value * 0.5 + row[0] * 0.3


def fill_first(rows, value):
    rows[0][0] = rows[-1][0] * 0.4 + value * 0.3


def twist(a, b):
    a[0] = b[0] * 0.6 + a[0] * 0.2
    return a[0] * b[0]


def pair(value):
    return [value, value * 0.5]


class _Writer(Writer):
    def __init__(self, seed: int, is_array: bool) -> None:
        super().__init__(seed, "def f(p, q, x, y):")
        self.is_array = is_array
        self.rows = ["r0"]
        self.put(1, "p.others, q.others = [q], [p]")
        self.put(1, "p.rows[0][0] *= 1.0")
        self.put(1, "r0 = np.array([x, 2.0])" if is_array else "r0 = [x, y * 0.5]")

    def holder(self) -> str:
        return self.one("p", "q", "p", "q", "p.others[0]")

    def end(self) -> str:
        return self.one("0", "-1")

    def row(self) -> str:
        return self.one(
            self.random.choice(self.rows), f"{self.holder()}.rows[{self.one('0', '-1', '1')}]",
            f"{self.holder()}.rows[{self.end()}]", f"{self.holder()}.named['k']",
        )

    def value(self) -> str:
        read = f"{self.row()}[{self.end()}]"
        return self.one("x", "y", "1.5", read, read, read, f"({read} * x * 0.5 + 0.3)")

    def made(self) -> str:
        first, second = self.value(), self.value()
        if self.is_array:
            return f"np.array([{first} * 0.9, {second} * 0.4])"
        return self.one(f"[{first} * 0.9, {second} * 0.4]", f"pair({first})", f"[{second}]")

    def any_row(self) -> str:
        return self.one(self.row(), self.row(), self.made())

    def statement(self, depth: int) -> None:
        holder, other, row = self.holder(), self.holder(), self.row()
        value, any_row, end = self.value(), self.any_row(), self.end()
        lines = self.random.choice([
            [f"{row}[{end}] = {value} * 0.7 + {self.value()} * 0.2"],
            [f"{row}[{end}] = {value} * 0.7 + {self.value()} * 0.2"],
            [f"{row}[0] {self.one('+=', '*=', '-=')} {value} * 0.3"],
            [f"{row}[0] {self.one('+=', '*=', '-=')} {value} * 0.3"],
            [f"{holder}.rows.append({any_row})"],
            [f"{holder}.rows[{end}] = {any_row}"],
            [f"{holder}.named['k'] = {any_row}"],
            [f"{holder}.named = {{'k': {any_row}}}"],
            ["p.rows, q.rows = q.rows, p.rows"],
            [f"{holder}.rows[0], {other}.rows[-1] = {row}, {self.row()}"],
            [f"y = y * 0.5 + {value} * 0.5"],
            [f"{holder}.put({end}, {value})"],
            [f"y = y * 0.7 + {holder}.get({end}) * 0.3"],
            [f"{holder}.add({any_row})"],
            [f"fill({row}, {value})"],
            [f"fill_first({holder}.rows, {value})"],
            [f"y += 0.1 * twist({row}, {self.row()})"],
            [f"y += 0.1 * {holder}.bump({row}, {value})"],
            [f"{holder}.log.append({value})", f"y += 0.1 * sum({other}.log)"],
            [f"y += 0.1 * sum([sum(r) for r in {holder}.rows])"],
            [f"for r in {holder}.rows:", f"    r[0] = r[-1] * 0.5 + {value} * 0.2"],
            [f"{holder}.rows = list({holder}.rows)"],
            [f"if len({holder}.rows) > 2:", f"    y += 0.1 * {holder}.rows.pop()[0]"],
            [f"if len({holder}.rows) > 2:", f"    del {holder}.rows[0]"],
            [f"{holder}.rows.insert(0, {any_row})"],
            [f"{holder}.rows.reverse()"],
            [f"{holder}.rows += [{self.made()}]"],
            [f"{holder}.others = [{self.one('p', 'q')}]"],
        ])
        self.lines += ["    " * (depth + 1) + line for line in lines]

    def block(self, depth: int) -> None:
        kind = self.random.random()
        indent = "    " * (depth + 1)
        if depth == 0 and kind < 0.08:
            self.lines.append(f"{indent}for i in range(2):")
        elif depth == 0 and kind < 0.15:
            self.lines.append(f"{indent}if {self.value()} > {self.one('0.7', '1.2')}:")
        elif depth == 0 and kind < 0.25:
            name = f"r{len(self.rows)}"
            self.lines.append(f"{indent}{name} = {self.any_row()}")
            self.rows.append(name)
            return
        else:
            self.statement(depth)
            return
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth + 1)

    def function(self) -> list[str]:
        for _ in range(self.random.randint(4, 14)):
            self.block(0)
        self.lines.append(
            f"    return y + {self.value()} + p.rows[0][0] * q.rows[-1][0] + {self.value()}"
        )
        return self.lines


def random_function(seed: int, is_array: bool) -> Callable[..., float]:
    """A function of two holders and two numbers, the same for the same seed."""
    names = {
        "np": np, "fill": fill, "fill_first": fill_first, "twist": twist, "pair": pair,
        "__name__": __name__,
    }
    lines = _Writer(seed, is_array).function()
    return names_of(lines, f"<random holders {seed} {is_array}>", names)["f"]


def arguments(is_array: bool, is_shared: bool) -> tuple[Holder, Holder, float, float]:
    """What such a function is called with; `is_shared`: both holders hold one row."""
    made = np.array if is_array else list
    p = Holder([made([1.0, 0.8]), made([0.9, 1.3])])
    q = Holder([made([0.7, 1.1]), made([1.2, 0.6])])
    if is_shared:
        q.rows[0] = p.rows[1]
    return p, q, 0.9, 1.1


def places(p: Holder, q: Holder) -> Iterator[tuple[int, int, int]]:
    """Where the numbers of both holders stand: holder, row, column."""
    for number, holder in enumerate((p, q)):
        for i, row in enumerate(holder.rows):
            yield from ((number, i, j) for j in range(len(row)))
