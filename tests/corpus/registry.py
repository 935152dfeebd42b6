"""How a plain function becomes a program of the corpus.

    @program((2.0, 3.0), (-1.0, 0.5))
    def larger(x, y):
        return x if x > y else y

puts `Program(larger, ((2.0, 3.0), (-1.0, 0.5)), "branches")` into `programs` (the area is the
module's name) and leaves the function as it is. Floats and float arrays among the inputs,
at any depth, are what the program is differentiated by; ints, bools, strings steer it. A program
is smooth near each of its inputs, and its inputs together reach each of its lines.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

Inputs: TypeAlias = tuple[tuple[Any, ...], ...]
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Program:
    """A function that has a gradient at each of its inputs."""

    f: Callable[..., Any]
    inputs: Inputs
    area: str

    def __str__(self) -> str:
        return f"{self.area}.{self.f.__name__}"


@dataclass(frozen=True)
class Raising:
    """A function that raises this exception at each of its inputs."""

    f: Callable[..., Any]
    inputs: Inputs
    area: str
    exception: type[Exception]

    def __str__(self) -> str:
        return f"{self.area}.{self.f.__name__}"


@dataclass(frozen=True)
class Refused:
    """A function that runs, but holds a statement that can't be differentiated yet.

    `line` counts from 1, the line of the function's `def`.
    """

    f: Callable[..., Any]
    inputs: Inputs
    line: int

    @property
    def file_line(self) -> int:
        """The line of the offending statement in its file."""
        lines, first = inspect.getsourcelines(self.f)
        offset = next(i for i, text in enumerate(lines) if text.startswith("def "))
        return first + offset + self.line - 1

    def __str__(self) -> str:
        return self.f.__name__


programs: list[Program] = []
late_bound: list[Program] = []
raising: list[Raising] = []
refused: list[Refused] = []


def program(*inputs: tuple[Any, ...]) -> Callable[[F], F]:
    """Registers a function with the argument tuples that it is tried at."""

    def register(f: F) -> F:
        programs.append(Program(f, inputs, area_of(f)))
        return f

    return register


def binds_late(*inputs: tuple[Any, ...]) -> Callable[[F], F]:
    """Registers a function whose closures capture a variable that is bound again later.

    Such a program may be refused, but never be differentiated wrongly.
    """

    def register(f: F) -> F:
        late_bound.append(Program(f, inputs, area_of(f)))
        return f

    return register


def raises(exception: type[Exception], *inputs: tuple[Any, ...]) -> Callable[[F], F]:
    """Registers a function that raises exactly this class at each of the argument tuples."""

    def register(f: F) -> F:
        raising.append(Raising(f, inputs, area_of(f), exception))
        return f

    return register


def refuses(line: int, *inputs: tuple[Any, ...]) -> Callable[[F], F]:
    """Registers a function that must not be differentiated because of its `line`-th line."""

    def register(f: F) -> F:
        refused.append(Refused(f, inputs, line))
        return f

    return register


def area_of(f: Callable[..., Any]) -> str:
    return f.__module__.rpartition(".")[2]
