"""Arms of `np.where`: an infinite derivative where the other arm was selected does not count.

    np.where(x > 0, np.log(x), 0)       the cotangent of log(x) is 0 where x <= 0, but 0 * (1 / x)
                                        is NaN for x == 0: the adjoint reads where(x > 0, x, 1)

An arm is a chain of elementwise operations that nothing else reads. Along it, the adjoints of those
operations that can have infinite derivatives read the arrays that they captured through the mask.
"""

from __future__ import annotations

import operator
from collections import Counter

import numpy as np

from ir import facts
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
from zyg.array_type import Array, One, is_big, is_named, same_shape
from zyg.compiler.metadata import is_ufunc_of_items

# The mask, and whether the arm is what it selects where it is true.
Mask = tuple[Operand, bool]

# A product is among them for `x * np.log(x)`: 0 times an infinite factor.
SINGULAR = (
    np.multiply, operator.mul,
    np.log, np.log2, np.log10, np.log1p, np.sqrt, np.cbrt, np.reciprocal, np.divide, np.power,
    np.float_power, np.arcsin, np.arccos, np.arccosh, np.arctanh, np.tan, np.exp, np.exp2,
    np.expm1, np.sinh, np.cosh, np.square, np.arctan2, np.hypot, np.logaddexp,
    operator.truediv, operator.pow,
)
ELEMENTWISE = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.neg,
    operator.pos, abs,
)


# What an adjoint reads where the other arm was taken: at 1 these have infinite derivatives.
ELSEWHERE: dict[object, float] = {
    np.arcsin: 0.5, np.arccos: 0.5, np.arctanh: 0.5, np.arccosh: 2.0,
}


class Masks:
    """The masks of the values of one function, found as its adjoint is built."""

    def __init__(self, forward: list[Op]) -> None:
        self._masks: dict[Value, tuple[Mask, ...]] = {}
        self._readers: Counter[Value] = Counter()
        body = Block([], forward, Yield([]))
        for block in blocks(body):
            self._readers.update(o for o in exit_operands(block.exit) if isinstance(o, Value))
        for op in walk(body):
            if isinstance(op, Call) and isinstance(op.callee, Const):
                if facts.is_metadata(op.callee.value):
                    continue
            self._readers.update(dict.fromkeys(
                (o for o in operands_of(op) if isinstance(o, Value)), 1
            ))

    def note(self, callee: object, result: Value, targets: list[Operand]) -> None:
        """Notes what an operation, met on the way back, says about its operands."""
        if callee is np.where and len(targets) == 3:
            for arm, is_true in ((targets[1], True), (targets[2], False)):
                if self._is_arm(arm, result):
                    around = self._masks.get(result, ())
                    self._masks[arm] = (*around, (targets[0], is_true))  # type: ignore[index]
        elif result in self._masks and (callee in ELEMENTWISE or is_ufunc_of_items(callee)):
            for target in targets:
                if self._is_arm(target, result):
                    self._masks[target] = self._masks[result]  # type: ignore[index]

    def of(self, callee: object, result: Value) -> tuple[Mask, ...]:
        """The masks through which the adjoint of an operation has to read arrays."""
        return self._masks.get(result, ()) if callee in SINGULAR else ()

    def _is_arm(self, operand: Operand, result: Value) -> bool:
        return (
            isinstance(operand, Value)
            and self._readers[operand] == 1
            and same_shape(type_of(operand), result.type)
        )


def fits(mask: Mask, operand: Operand) -> bool:
    """Whether an array that an adjoint captured keeps its shape when a mask selects from it."""
    type_, mask_type = type_of(operand), type_of(mask[0])
    if not isinstance(type_, Array) or not isinstance(mask_type, Array):
        return False
    if type_.dtype.kind not in "fc" or type_.dims is None or mask_type.dims is None:
        return False
    if len(mask_type.dims) > len(type_.dims):
        return False
    pairs = zip(reversed(mask_type.dims), reversed(type_.dims), strict=False)
    # What is not 1 is as long as the mask's, or NumPy would have raised.
    return all(
        isinstance(own, One) or is_big(dim) or (own == dim and is_named(dim)) for own, dim in pairs
    )
