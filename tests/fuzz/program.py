"""A random program: its source, and how that becomes a function with given primitives."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.fuzz import field

ENTRY = "program"
FILE = "<random program"

_numbers = itertools.count()


@dataclass(frozen=True)
class Program:
    """Source text that defines `program(a, b, c)` after its helpers, and inputs to try it at."""

    source: str
    inputs: tuple[tuple[int, ...], ...]
    seed: int | None = None


def load(source: str, **primitives: Callable[..., Any]) -> Callable[..., Any]:
    """The program as a function; primitives that aren't given are those of `field`."""
    return _define(compile(source, f"{FILE}>", "exec"), primitives)


@contextmanager
def loaded(source: str, **primitives: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """The program as a function whose source `linecache` knows, within the context."""
    file = f"{FILE} {next(_numbers)}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[file] = (len(source), None, lines, file)
    try:
        yield _define(compile(source, file, "exec"), primitives)
    finally:
        linecache.cache.pop(file, None)


def _define(code: Any, primitives: dict[str, Callable[..., Any]]) -> Callable[..., Any]:
    namespace: dict[str, Any] = {
        "__name__": "random_program",
        "add": field.add,
        "sub": field.sub,
        "mul": field.mul,
        "neg": field.neg,
        "residue": field.residue,
        **primitives,
    }
    exec(code, namespace)
    return namespace[ENTRY]
