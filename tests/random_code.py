"""What writers of random functions share: lines of source, choices, and the function of them."""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable, Mapping
from typing import Any


class Writer:
    """Lines of a function, written by a random generator of their own."""

    def __init__(self, seed: int, head: str) -> None:
        self.random = random.Random(seed)
        self.lines = [head]

    def put(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def one(self, *choices: str) -> str:
        return self.random.choice(choices)


class BlockWriter(Writer):
    """The same, with statements in nested blocks, which `statement` writes at a depth."""

    statement: Callable[[int], None]

    def __init__(self, seed: int, head: str) -> None:
        super().__init__(seed, head)
        self.loops: list[str] = []

    def block(self, depth: int) -> None:
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth)

    def branch(self, depth: int, condition: str) -> None:
        self.put(depth, f"if {condition}:")
        self.block(depth + 1)
        if self.random.random() < 0.6:
            self.put(depth, "else:")
            self.block(depth + 1)


class PlaceWriter(BlockWriter):
    """The same, with indices that may be variables of the loops around."""

    def __init__(self, seed: int, head: str, size: int) -> None:
        super().__init__(seed, head)
        self.size = size

    def index(self) -> str:
        return self.random.choice([str(self.random.randrange(self.size)), "-1", *self.loops * 3])


def names_of(lines: list[str], file: str, names: Mapping[str, Any]) -> dict[str, Any]:
    """What lines of source define that use some names; tracebacks and zyg find them as `file`."""
    source = "\n".join(lines) + "\n"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    defined = dict(names)
    exec(compile(source, file, "exec"), defined)
    return defined
