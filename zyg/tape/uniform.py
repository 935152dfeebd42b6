"""Numbers that were spread over a shape, in programs that are printed.

    t1 = np.broadcast_to(s, (10,))
    t2 = -t1 * x                        ->      t2 = -s * x

An array of one number is kept as that number as long as arithmetic with arrays of its shape reads
it, as people write it. Where something else reads it, it is spread.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ir.builder import Builder
from ir.core import Const, Operand
from zyg.tape.wengert import Tape

# Arithmetic, by the operators that do the same on arrays.
OPERATORS: dict[Any, Any] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul,
    np.divide: operator.truediv, np.negative: operator.neg, np.matmul: operator.matmul,
}  # fmt: skip
ELEMENTWISE = (operator.add, operator.sub, operator.mul, operator.truediv, operator.neg)


def as_operator(tape: Tape, function: Any, parents: tuple[int, ...]) -> Any:
    """The operator that a ufunc is for arrays; else the function itself."""
    if function in OPERATORS and any(isinstance(tape.values[p], np.ndarray) for p in parents):
        return OPERATORS[function]
    return function


class Uniform:
    """The numbers that stand for arrays, by node."""

    def __init__(self, tape: Tape, builder: Builder) -> None:
        self._tape = tape
        self._builder = builder
        self._numbers: dict[int, Operand] = {}

    def note_constant(self, idx: int) -> bool:
        """Whether a constant is an array of one number, which then stands for it."""
        value = self._tape.values[idx]
        if is_wide(value) and value.size > 1 and not any(value.strides):
            self._numbers[idx] = Const(float(value.flat[0]))
            return True
        return False

    def note_spread(self, idx: int, function: Any, operands: dict[int, Operand]) -> bool:
        """Whether a call spreads a number over a shape; the number then stands for the result."""
        parents = self._tape.calls[idx][1]
        if function is not np.broadcast_to or len(parents) != 1:
            return False
        source = parents[0]
        if not is_wide_number(self._tape.values[source]) or not is_wide(self._tape.values[idx]):
            return False
        self._numbers[idx] = operands[source]
        return True

    def numbers_for(self, idx: int, function: Any) -> dict[int, Operand] | None:
        """The numbers that a call may read in the place of arrays; None if there are none."""
        values, (_, parents, form) = self._tape.values, self._tape.calls[idx]
        if form is not None or function not in ELEMENTWISE or not is_wide(values[idx]):
            return None
        found = {parent: self._numbers[parent] for parent in parents if parent in self._numbers}
        if function is operator.truediv and self.is_number(idx):
            return None  # numbers of Python's raise where arrays give infinity
        fits = all(
            is_wide_number(values[parent])
            or (is_wide(values[parent]) and values[parent].shape == values[idx].shape)
            for parent in parents
        )
        return found if found and fits else None

    def is_number(self, idx: int) -> bool:
        """Whether all operands of arithmetic are numbers, so that its result is one as well."""
        values = self._tape.values
        return all(
            parent in self._numbers or is_wide_number(values[parent])
            for parent in self._tape.calls[idx][1]
        )

    def note(self, idx: int, number: Operand) -> None:
        self._numbers[idx] = number

    def spread(self, idx: int) -> Operand | None:
        """The array, for a call that needs it; None for nodes that are no such arrays."""
        number = self._numbers.get(idx)
        if number is None:
            return None
        shape = Const(self._tape.values[idx].shape)
        return self._builder.call(np.broadcast_to, number, shape, name=f"t{idx}")


def is_wide(value: Any) -> bool:
    return type(value) is np.ndarray and value.dtype == np.float64 and value.ndim > 0


def is_wide_number(value: Any) -> bool:
    return type(value) in (float, np.float64)
