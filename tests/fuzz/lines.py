"""Lines of a program that is being written: names, nesting, chance."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from tests.fuzz.scope import Class, Manager


class Lines:
    """Collects `lines`; counts what the program costs to run, so that it stays bounded."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.depth = 0
        self.loops = 0
        self.numbers = 0
        self.cost = 0
        self.times = 1
        self.classes: list[Class] = []
        self.managers: list[Manager] = []
        # Functions that may raise, and what.
        self.raising: list[tuple[str, str]] = []
        # Whether what is written should change nothing in place.
        self.is_quiet = False

    def write(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    @contextmanager
    def inside(self, header: str, times: int = 1) -> Iterator[None]:
        self.write(header)
        before, self.times = self.times, self.times * times
        self.depth += 1
        yield
        self.depth -= 1
        self.times = before

    def fresh(self, prefix: str) -> str:
        self.numbers += 1
        return f"{prefix}{self.numbers}"

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability
