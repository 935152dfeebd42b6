"""Two derivatives of a random program, which share nothing with the compiler or each other.

`by_duals` runs the source on numbers that carry their derivative forward, `by_tape` on numbers
that record how they were made. Each is a context that gives a function from inputs to the value and
its derivatives. Both leave every decision (`residue`, truth) to the plain value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from tests.fuzz.field import P
from tests.fuzz.objects import OBJECT_NUMPY, on_arrays
from tests.fuzz.program import Inputs, Program, flat, load, outputs, with_arrays

# The numbers that a call leaves behind, and the derivatives of its result by those it was given.
Derivatives: TypeAlias = tuple[tuple[Any, ...], tuple[Any, ...]]
Run: TypeAlias = Callable[[Inputs], Derivatives]


@dataclass(frozen=True, eq=False)
class Dual:
    """A value and its derivatives by each argument, modulo P.

    They may be dual numbers in turn, which carry second derivatives.
    """

    value: Any
    tangent: tuple[Any, ...]

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented  # the array adds item by item
        value, tangent = _parts(other, len(self.tangent))
        sums = (s + t for s, t in zip(self.tangent, tangent, strict=True))
        return Dual(self.value + value, tuple(s % P for s in sums))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self + _negative(other)

    def __rsub__(self, other: Any) -> Any:
        return _negative(self) + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        value, tangent = _parts(other, len(self.tangent))
        sums = (s * value + t * self.value for s, t in zip(self.tangent, tangent, strict=True))
        return Dual(self.value * value, tuple(s % P for s in sums))

    __rmul__ = __mul__

    def __mod__(self, other: int) -> Dual:
        assert other == P
        return Dual(self.value % P, self.tangent)

    def __neg__(self) -> Dual:
        return Dual(-self.value, tuple(-t % P for t in self.tangent))

    def __bool__(self) -> bool:
        return bool(self.value)

    def __eq__(self, other: object) -> bool:
        raise AssertionError("a random program compares residues only")


def _parts(number: Any, size: int) -> tuple[Any, tuple[Any, ...]]:
    if isinstance(number, Dual):
        return number.value, number.tangent
    return number, (0,) * size


def _negative(number: Any) -> Any:
    return -number


def residue(a: Any, k: int) -> int:
    """The residue of a plain or dual number."""
    return int(plain(a)) % k


def plain(number: Any) -> Any:
    """The value of a number, or of a dual number of dual numbers."""
    return plain(number.value) if isinstance(number, Dual) else number


def _add(a: Any, b: Any) -> Any:
    return (a + b) % P


def _sub(a: Any, b: Any) -> Any:
    return (a - b) % P


def _mul(a: Any, b: Any) -> Any:
    return a * b % P


DUAL_PRIMITIVES: dict[str, Any] = {
    "np": OBJECT_NUMPY,
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "neg": lambda a: -a % P,
    "residue": residue,
    **on_arrays(_add, _sub, _mul, residue),
}


@contextmanager
def by_duals(program: Program) -> Iterator[Run]:
    f = load(program.source, **DUAL_PRIMITIVES)
    yield lambda inputs: on_duals(f, inputs)


def on_duals(f: Callable[..., Any], inputs: Inputs) -> Derivatives:
    """Value and derivatives of a function whose primitives take dual numbers."""
    numbers = flat(inputs)
    axes = range(len(numbers))
    duals = [Dual(x, tuple(int(i == j) for j in axes)) for i, x in enumerate(numbers)]
    arguments = with_arrays(inputs, duals, object)
    result = f(*arguments)
    _, tangent = _parts(result, len(numbers))
    return tuple(_parts(n, 0)[0] for n in outputs(result, arguments)), tangent


class Tape:
    """How each number was made: `(operand, factor)` pairs for each, in the order of making."""

    def __init__(self) -> None:
        self.entries: list[list[tuple[int, int]]] = []

    def number(self, value: int, made_of: list[tuple[Any, int]]) -> Recorded:
        self.entries.append([(x.index, by) for x, by in made_of if isinstance(x, Recorded)])
        return Recorded(self, len(self.entries) - 1, value)

    def add(self, a: Any, b: Any) -> Any:
        return self.number((_value(a) + _value(b)) % P, [(a, 1), (b, 1)])

    def sub(self, a: Any, b: Any) -> Any:
        return self.number((_value(a) - _value(b)) % P, [(a, 1), (b, -1)])

    def mul(self, a: Any, b: Any) -> Any:
        return self.number(_value(a) * _value(b) % P, [(a, _value(b)), (b, _value(a))])

    def neg(self, a: Any) -> Any:
        return self.number(-_value(a) % P, [(a, -1)])

    def sweep(self, result: Any) -> list[int]:
        """The derivative of the result by each number of the tape."""
        bars = [0] * len(self.entries)
        if isinstance(result, Recorded):
            bars[result.index] = 1
        for index in reversed(range(len(bars))):
            for operand, factor in self.entries[index]:
                bars[operand] = (bars[operand] + bars[index] * factor) % P
        return bars


@dataclass(frozen=True, eq=False)
class Recorded:
    """A number of a tape. Plain sums (`+=`, `sum`) don't reduce the value, as with ints."""

    tape: Tape
    index: int
    value: int

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented  # the array adds item by item
        return self.tape.number(self.value + _value(other), [(self, 1), (other, 1)])

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.tape.number(self.value - _value(other), [(self, 1), (other, -1)])

    def __rsub__(self, other: Any) -> Recorded:
        return self.tape.number(_value(other) - self.value, [(self, -1), (other, 1)])

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        by, value = _value(other), self.value
        return self.tape.number(value * by, [(self, by), (other, value)])

    __rmul__ = __mul__

    def __neg__(self) -> Recorded:
        return self.tape.number(-self.value, [(self, -1)])

    def __bool__(self) -> bool:
        return bool(self.value)


def _value(number: Any) -> int:
    return number.value if isinstance(number, Recorded) else number


@contextmanager
def by_tape(program: Program, tape_class: type[Tape] = Tape) -> Iterator[Run]:
    def run(inputs: Inputs) -> Derivatives:
        tape = tape_class()
        primitives: dict[str, Any] = {
            "np": OBJECT_NUMPY,
            "add": tape.add,
            "sub": tape.sub,
            "mul": tape.mul,
            "neg": tape.neg,
            "residue": lambda a, k: int(_value(a)) % k,
        }
        primitives.update(on_arrays(*(primitives[n] for n in ("add", "sub", "mul", "residue"))))
        numbers = flat(inputs)
        arguments = with_arrays(inputs, [tape.number(x, []) for x in numbers], object)
        result = load(program.source, **primitives)(*arguments)
        values = tuple(map(_value, outputs(result, arguments)))
        return values, tuple(tape.sweep(result)[: len(numbers)])

    yield run
