"""A random program: its source, and how that becomes a function with given primitives."""

from __future__ import annotations

import itertools
import linecache
from collections import defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, TypeAlias

import numpy as np

from tests.fuzz import field

ENTRY = "program"
FILE = "<random program"

# What a program is called with: numbers, and arrays of numbers, which are tuples here.
Inputs: TypeAlias = tuple["int | tuple[int, ...]", ...]

_numbers = itertools.count()
Point = namedtuple("Point", ["u", "v"])


@dataclass(frozen=True)
class Program:
    """Source text that defines `program` after its helpers, and inputs to try it at.

    The first parameters are numbers, `a`, `b` and `c`, those that follow arrays, `x` and `y`.
    """

    source: str
    inputs: tuple[Inputs, ...]
    seed: int | None = None


def flat(inputs: Iterable[Any]) -> list[Any]:
    """The numbers of the inputs, those in arrays included."""
    return [n for item in inputs for n in (item if isinstance(item, tuple) else (item,))]


def with_arrays(inputs: Inputs, numbers: Iterable[Any], dtype: Any) -> list[Any]:
    """Arguments of the kind of these inputs, made of other numbers."""
    following = iter(numbers)
    return [
        np.array([next(following) for _ in item], dtype=dtype)
        if isinstance(item, tuple)
        else next(following)
        for item in inputs
    ]


def outputs(result: Any, arguments: list[Any]) -> list[Any]:
    """All numbers that a call leaves behind: its result, and the contents of array arguments."""
    return [result, *(n for x in arguments if isinstance(x, np.ndarray) for n in x)]


def load(source: str, **primitives: Callable[..., Any]) -> Callable[..., Any]:
    """The program as a function; primitives that aren't given are those of `field`."""
    return _define(compile(source, f"{FILE}>", "exec", dont_inherit=True), primitives)


@contextmanager
def loaded(
    source: str, name: str = ENTRY, **primitives: Any
) -> Iterator[Callable[..., Any]]:
    """The program as a function whose source `linecache` knows, within the context."""
    file = f"{FILE} {next(_numbers)}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[file] = (len(source), None, lines, file)
    try:
        yield _define(compile(source, file, "exec", dont_inherit=True), primitives, name)
    finally:
        linecache.cache.pop(file, None)


def _define(
    code: Any, primitives: dict[str, Any], name: str = ENTRY
) -> Callable[..., Any]:
    namespace: dict[str, Any] = {
        "__name__": "random_program",
        "np": np,
        "dataclass": dataclass,
        "defaultdict": defaultdict,
        "deque": deque,
        "Point": Point,
        "reduce": reduce,
        "partial": partial,
        "accumulate": itertools.accumulate,
        "chain": itertools.chain,
        "islice": itertools.islice,
        "product": itertools.product,
        "suppress": suppress,
        **field.PRIMITIVES,
        **primitives,
    }
    exec(code, namespace)
    function: Callable[..., Any] = namespace[name]
    return function
