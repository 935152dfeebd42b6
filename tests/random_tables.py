"""Random functions that change the places and rows of lists of lists, under several names.

    def f(t, x):
        u = [[x * (i - j) for j in range(3)] for i in range(3)]
        for i in range(3):
            row = t[i]
            row[2] = math.sin(t[i][0]) + u[i - 1][1]
            u[0], u[i] = u[i], u[0]
            for j in range(2):
                t[j][i] += 0.5 * (row[j])
        u.append(list(t[1]))
        return sum([value * (i + 1.5) for i, value in enumerate(t[0] + t[1] + u[-1])])
"""

from __future__ import annotations

import math

from tests.random_code import PlaceWriter, names_of

SIZE = 3


class _Writer(PlaceWriter):
    def __init__(self, seed: int) -> None:
        super().__init__(seed, "def f(t, x):", SIZE)
        self.rows: list[str] = []
        self.tables = ["t", "u"]
        self.has_copied = self.random.random() < 0.5

    def table(self) -> str:
        return self.random.choice(self.tables)

    def row(self) -> str:
        rows = self.rows if self.rows and self.random.random() < 0.3 else [
            f"{self.table()}[{self.index()}]"
        ]
        return self.random.choice(rows)

    def number(self) -> str:
        read = self.one(
            "x", f"{self.row()}[{self.index()}]", f"{self.row()}[{self.index()}]",
            f"{self.row()}[{self.index()}] * {self.row()}[{self.index()}]", f"sum({self.row()})",
            f"total({self.table()})", f"x * {self.row()}[{self.index()}]",
        )
        return self.one(f"math.sin({read})", f"0.5 * ({read})", f"math.tanh({read})")

    def store(self, depth: int) -> None:
        place = f"{self.row()}[{self.index()}]"
        table, row = self.table(), f"r{len(self.lines)}"
        i, j = self.index(), self.index()
        new = self.one(
            f"[{self.number()}, {self.number()}, x]", f"list({self.row()})", f"{self.row()}[:]",
            f"[math.sin(v * x) for v in {self.row()}]", f"{self.row()} + []", f"made(x, {i})",
        )
        lines = self.random.choice([
            *[[f"{place} {self.one('=', '=', '+=', '-=', '*=')} {self.number()}"]] * 6,
            *[[f"{row} = {table}[{i}]", f"{row}[{j}] = {self.number()}"]] * 2,
            [f"{table}[{i}] = {new}"],
            [f"{table}[{i}], {table}[{j}] = {table}[{j}], {table}[{i}]"],
            [f"{table}.append({new})"],
            [f"{table}.append({table}.pop({self.one('', '0', '1')}))"],
            [f"{table}.insert({i}, {new})", f"del {table}[{j}]"],
            [f"{row} = {new}", f"{row}[{j}] += {self.number()}", f"{table}[{i}] = {row}",
             f"{row}[{i}] *= {self.number()}"],
            [f"{place} = x", f"{self.row()}.append({self.number()})"],
            [f"for {row} in {table}:", f"    {row}[{j}] *= 1.0 + 0.1 * {row}[0]"],
            [f"for {row} in {table}:", f"    x += 0.1 * {row}[{j}]"],
            [f"x = x + {self.number()}"],
            [f"change({table}, {i})"],
            *([["t, u = u, t"]] if self.has_copied else []),
            [f"u = [{self.one('list(q)', 'q[:]', '[v * x for v in q]')} for q in {table}]"],
        ])
        for line in lines:
            self.put(depth, line)
        if lines[0].startswith(f"{row} =") and self.random.random() < 0.5:
            self.rows.append(row)

    def statement(self, depth: int) -> None:
        kind = self.random.random() if depth < 4 and len(self.lines) < 16 else 1.0
        known = len(self.rows)
        if kind < 0.3:
            name = "ijk"[len(self.loops)]
            self.put(depth, f"for {name} in range({self.one('3', '2', '1, 3')}):")
            self.loops.append(name)
            self.block(depth + 1)
            self.loops.pop()
            del self.rows[known:]
        elif kind < 0.4:
            condition = f"{self.loops[-1]} % 2 == 0" if self.loops else "len(t) > 3"
            self.put(depth, f"if {condition}:")
            self.block(depth + 1)
            del self.rows[known:]
            if self.random.random() < 0.6:
                self.put(depth, "else:")
                self.block(depth + 1)
                del self.rows[known:]
        else:
            self.store(depth)


def total(table):
    result = 0.0
    for i in range(len(table)):
        for j in range(2):
            result += table[i][j] * (i + 1)
    return result


def change(table, i):
    for j in range(2):
        table[i][j] += 0.3 * table[j][-1]
        table[j][i - 1] *= 0.9


def made(x, i):
    row = [0.0] * SIZE
    for j in range(SIZE):
        row[j] = x * j - row[i - 1]
    return row


def random_function(seed: int):
    """A function of a table and a number, which changes the table."""
    writer = _Writer(seed)
    if writer.has_copied:
        writer.put(1, "t = [list(row) for row in t]")
    writer.put(1, writer.one(
        "u = [[x * (i - j) for j in range(3)] for i in range(3)]",
        "u = [[0.0] * 3 for _ in range(3)]", "u = [[x, x, 1.0], [x] * 3, list(t[0])]",
    ))
    for _ in range(3):
        writer.block(1)
    writer.put(1, "last = t[0] + t[1] + u[0] + u[-1] + t[-1]")
    writer.put(1, "return x + sum([value * (i + 1.5) for i, value in enumerate(last)])")
    names = {
        "math": math, "__name__": "tables", "total": total, "change": change, "made": made,
    }
    return names_of(writer.lines, f"<tables {seed}>", names)["f"]
