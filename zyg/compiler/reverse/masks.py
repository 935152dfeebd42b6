"""Arms of `np.where`: an infinite derivative where the other arm was selected does not count.

    np.where(x > 0, np.log(x), x * x)   x_bar = np.where(x > 0, z_bar / x, z_bar * 2 * x)

The cotangent of log(x) is 0 where x <= 0, but 0 * (1 / x) is NaN for x == 0. So the cotangent goes
whole along an arm, elementwise operations whose results no other block reads, and it is where the
arm ends that the selection is made: what was computed for other items is thrown away, infinite or
not. Two arms that end at one array are one selection, and what one arm reads twice goes on as one.
Where a value is read outside of the arm as well, what the arm has given it is masked there; behind
a value that two arms read, what is in neither of them is thrown away at the end.

Where an operand on the way is broadcast, its cotangent is a sum, which has to be one of selected
numbers: there the cotangent is masked before, and so are the arrays that the adjoint reads if the
operation can have infinite derivatives. The arm goes on along the operand; what is not selected
anywhere in the sum, `np.any` of the mask tells, is thrown away at its end.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

import numpy as np

from ir import facts, primitives
from ir.core import (
    Block,
    Call,
    Const,
    Op,
    Operand,
    Value,
    Yield,
    exit_operands,
    operands_of,
    type_of,
)
from ir.rewrite import blocks, walk
from ir.types import Type
from zyg.array_type import Array, One, is_big, is_named, is_number, same_shape
from zyg.arrays.quotients import in_floats, power_part, product_over, times_log
from zyg.arrays.selections import chosen, unmoved
from zyg.compiler.reverse.cotangent_types import is_array
from zyg.compiler.reverse.metadata import is_ufunc_of_items
from zyg.cotangents import cotangent
from zyg.facts.numpy_missing import replaced

# The mask, and whether the arm is what it selects where it is true.
Mask = tuple[Operand, bool]

PRODUCTS = (np.multiply, operator.mul)
CHOICES = (np.where, chosen)
# A product is among them for `x * np.log(x)`: 0 times an infinite factor.
SINGULAR = (
    *PRODUCTS,
    np.log, np.log2, np.log10, np.log1p, np.sqrt, np.cbrt, np.reciprocal, np.divide, np.power,
    np.float_power, np.arcsin, np.arccos, np.arccosh, np.arctanh, np.tan, np.exp, np.exp2,
    np.expm1, np.sinh, np.cosh, np.square, np.arctan2, np.hypot, np.logaddexp,
    operator.truediv, operator.pow, product_over, times_log,
)
ELEMENTWISE = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.neg,
    operator.pos, abs,
    # What adjoints call: an arm of a derivative.
    cotangent.add, cotangent.subtract, cotangent.accumulate, cotangent.conj, in_floats, power_part,
    product_over, times_log, unmoved,
)

# What asks whether numbers are finite, or replaces those that aren't, reads the arm itself:
# `np.where(np.isnan(y), 0, y)`.
GUARDS = (np.isnan, np.isfinite, np.isinf, replaced)

# What an adjoint reads where the other arm was taken: at 1 these have infinite derivatives.
ELSEWHERE: dict[object, float] = {
    np.arcsin: 0.5, np.arccos: 0.5, np.arctanh: 0.5, np.arccosh: 2.0,
}


def _is_display(op: Call) -> bool:
    return isinstance(op.callee, Const) and any(
        op.callee.value is build for build in (primitives.build_list, primitives.build_tuple)
    )


class Masks:
    """The masks of the values of one function, found as its adjoint is built."""

    def __init__(self, forward: list[Op]) -> None:
        self._masks: dict[Value, tuple[Mask, ...]] = {}
        self._readers: dict[Value, list[Op | None]] = {}  # None: what a block hands out
        self._calls: dict[Value, Call] = {}
        self._infinite: dict[Value, bool] = {}
        body = Block([], forward, Yield([]))
        for block in blocks(body):
            self._is_read(exit_operands(block.exit), None)
        for op in reversed(list(walk(body))):
            if isinstance(op, Call) and len(op.results) == 1:
                self._calls[op.results[0]] = op
                if _is_display(op) and op.results[0] not in self._readers:
                    continue  # what took it apart, as `np.select`, reads its items
            if isinstance(op, Call) and isinstance(op.callee, Const):
                if facts.is_metadata(op.callee.value) or op.callee.value in GUARDS:
                    continue
            self._is_read(operands_of(op), op)

    def _is_read(self, operands: Iterable[Operand], by: Op | None) -> None:
        for operand in operands:
            if isinstance(operand, Value):
                self._readers.setdefault(operand, []).append(by)

    def of(self, result: Operand) -> tuple[Mask, ...]:
        """The masks through which the cotangent of a value has still to go."""
        return self._masks.get(result, ()) if isinstance(result, Value) else ()

    def is_on_arm(self, operand: Operand, by_rules: set[Value], varied: set[Value]) -> bool:
        """Whether masks can be left to the cotangent of an operand: rules of this block alone
        contribute to it.

        `by_rules` are the results of rules in this block. Another block may not run, or not know
        the mask, and adjoints of calls take whole cotangents. What reads the operand and isn't
        among `varied`, a comparison for one, has no cotangent.
        """
        return (
            isinstance(operand, Value)
            and operand in by_rules
            and may_be_masked(operand.type)
            and all(
                isinstance(op, Call)
                and all(result in by_rules or result not in varied for result in op.results)
                for op in self._readers.get(operand, [])
            )
        )

    def leave(self, masks: tuple[Mask, ...], operand: Value) -> None:
        """Leaves masks to the cotangent of an operand on an arm."""
        self._masks[operand] = masks

    def may_be_infinite(self, operand: Operand) -> bool:
        """Whether an operation with infinite derivatives stands above in the arm."""
        call = self._calls.get(operand) if isinstance(operand, Value) else None
        if call is None or not isinstance(call.callee, Const):
            return False
        if call.result not in self._infinite:
            callee = call.callee.value
            is_singular = callee in SINGULAR and callee not in PRODUCTS
            self._infinite[call.result] = is_singular or (
                (callee in CHOICES or is_elementwise(callee))
                and any(map(self.may_be_infinite, call.args))
            )
        return self._infinite[call.result]


def may_be_masked(type_: Type) -> bool:
    """Whether values of a type are arrays, or numbers on which one choice decides."""
    return is_array(type_) or is_number(type_)


def have_one_shape(a: Type, b: Type) -> bool:
    return same_shape(a, b) or (is_one_number(a) and is_one_number(b))


def is_one_number(type_: Type) -> bool:
    return is_number(type_) or (is_array(type_) and type_.dims == ())


def is_elementwise(callee: object) -> bool:
    """Whether each item of the operands' cotangents comes of one item of the result's."""
    return callee in ELEMENTWISE or is_ufunc_of_items(callee)


def repeated_axes(
    condition: Operand, operand: Operand
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The axes of a mask along which an array is broadcast: those that it lacks, and, counted
    without these, those where it has length 1. None where the types don't tell."""
    type_, mask_type = type_of(operand), type_of(condition)
    if not isinstance(type_, Array) or not isinstance(mask_type, Array):
        return None
    if type_.dtype.kind not in "fc" or type_.dims is None or mask_type.dims is None:
        return None
    extra = max(0, len(mask_type.dims) - len(type_.dims))
    own_dims = mask_type.dims[extra:]
    repeated = []
    for axis, (own, dim) in enumerate(
        zip(own_dims, type_.dims[len(type_.dims) - len(own_dims) :], strict=True)
    ):
        if isinstance(dim, One) and is_big(own):
            repeated.append(axis)
        # What is not 1 is as long as the mask's, or NumPy would have raised.
        elif not (isinstance(own, One) or is_big(dim) or (own == dim and is_named(dim))):
            return None
    return tuple(range(extra)), tuple(repeated)
