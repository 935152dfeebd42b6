"""The rows of the table of rules, and the numbers that stand in them.

Numbers are random but the same in each run, whichever tables are made, distinct, and away from
kinks.
"""

from __future__ import annotations

import functools
import math
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
_random = np.random.default_rng(20240229)


@dataclass(frozen=True)
class Row:
    """One call: `callee(*args, **kwargs)`, or the attribute of `args[0]` for a descriptor."""

    callee: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        name = getattr(self.callee, "__qualname__", None) or self.callee.__name__
        module = getattr(self.callee, "__module__", None) or getattr(
            getattr(self.callee, "__objclass__", None), "__module__", None
        )
        options = [f"{key}={value!r}" for key, value in self.kwargs.items()]
        described = ", ".join([described_argument(x) for x in self.args] + options)
        return f"{module or 'numpy'}.{name}({described})"

    def call(self, *args: Any) -> Any:
        if callable(self.callee):
            return self.callee(*args, **self.kwargs)
        return self.callee.__get__(args[0])


def described_argument(x: Any) -> str:
    if isinstance(x, np.ndarray):
        return f"{x.dtype}{list(x.shape)}"
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(map(described_argument, x)) + "]"
    return f"{type(x).__name__}:{x}"


def real(*shape: int, low: float = 0.2, high: float = 0.9) -> np.ndarray:
    """Numbers in (low, high), one in each of equally wide strips: far enough apart for kinks."""
    count = math.prod(shape)
    places = _random.permutation(count) + _random.uniform(0.25, 0.75, count)
    return (low + (high - low) * places / max(count, 1)).reshape(shape)


def signed(*shape: int) -> np.ndarray:
    return real(*shape) * _random.choice([-1.0, 1.0], shape)


def single(*shape: int) -> np.ndarray:
    return real(*shape).astype(np.float32)


def cplx(*shape: int) -> np.ndarray:
    return signed(*shape) + 1j * signed(*shape)


def whole(*shape: int) -> np.ndarray:
    """Small distinct positive integers."""
    return _random.permutation(math.prod(shape)).reshape(shape) + 1


def definite(n: int, *stack: int) -> np.ndarray:
    a = signed(*stack, n, n)
    return a @ np.swapaxes(a, -1, -2) + n * np.eye(n)


def hermitian(n: int) -> np.ndarray:
    a = cplx(n, n)
    return a @ a.conj().T + n * np.eye(n)


def cases(callee: Any, *argument_lists: Any) -> Iterator[Row]:
    """Each list of arguments is a tuple, whose last entry may be a dict of keyword arguments."""
    for arguments in argument_lists:
        if arguments and isinstance(arguments[-1], Options):
            yield Row(callee, arguments[:-1], dict(arguments[-1]))
        else:
            yield Row(callee, arguments)


def table(function: Callable[[], Iterator[T]]) -> Callable[[], Iterator[T]]:
    """Rows whose numbers depend on the function's name only."""

    @functools.wraps(function)
    def made() -> Iterator[T]:
        global _random
        others, _random = _random, np.random.default_rng(zlib.crc32(function.__qualname__.encode()))
        try:
            return iter(list(function()))
        finally:
            _random = others

    return made


class Options(dict):
    """Keyword arguments of a row."""
