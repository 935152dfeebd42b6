"""Products of arrays that nothing else reads, written so that NumPy reuses their memory.

    t = np.tan(x)                          x_bar = y_bar * (1.0 + np.tan(x) ** 2)
    x_bar = y_bar * (1.0 + t * t)    ->

    t = 1 / u                              x_bar = y_bar / u / u
    x_bar = y_bar / u * t            ->

NumPy writes the result of an operator into an operand that is an unnamed intermediate result. In
`t * t` the array has a name. The product with a reciprocal is two passes where a quotient is one.
"""

from __future__ import annotations

import operator

from ir.core import Block, Call, Const, Op, Operand, Value, type_of
from ir.rewrite import count_uses, walk
from zyg.compiler.overwriting.unseen_changes import may_be_changed_by
from zyg.compiler.reverse.cotangent_types import is_array


def reuse_temporaries(body: Block, adjoint: list[Op]) -> None:
    """Rewrites products of an adjoint in place, in the block that holds the forward part as well.

    What the program computes keeps its rounding.
    """
    _Products(body, set(adjoint)).rewrite()


class _Products:
    def __init__(self, body: Block, adjoint: set[Op]) -> None:
        self._body = body
        self._adjoint = adjoint
        self._uses = count_uses(body)
        self._made: dict[Operand, Call] = {}
        self._has_changes = any(map(may_be_changed_by, walk(body)))

    def rewrite(self) -> None:
        gone: set[Op] = set()
        for op in self._body.ops:
            if not isinstance(op, Call) or len(op.results) != 1:
                continue
            if op in self._adjoint and _calls(op, operator.mul) and _is_real_array(op.result):
                gone |= self._product(op)
            self._made[op.result] = op
        self._body.ops = [op for op in self._body.ops if op not in gone]

    def _product(self, op: Call) -> set[Op]:
        left, right = op.args
        if left is right:
            if self._is_temporary(left, 2):
                op.callee, op.args = Const(operator.pow), [left, Const(2)]
            return set()
        reciprocal = self._made.get(right)
        if reciprocal is None or not self._is_temporary(right, 1) or not _is_real_array(left):
            return set()
        if not _calls(reciprocal, operator.truediv) or not _is_one(reciprocal.args[0]):
            return set()
        # The divisor, which is now read later, is what it was: the other factor has just read it.
        other = self._made.get(left)
        if other is None or other not in self._adjoint or self._has_changes:
            return set()
        if not any(arg is reciprocal.args[1] for arg in other.args):
            return set()
        op.callee, op.args = Const(operator.truediv), [left, reciprocal.args[1]]
        return {reciprocal}

    def _is_temporary(self, operand: Operand, count: int) -> bool:
        """Whether an operation makes an array that is read so often, and no more."""
        is_read = isinstance(operand, Value) and self._uses[operand] == count
        return is_read and operand in self._made and _is_real_array(operand)


def _is_real_array(operand: Operand) -> bool:
    type_ = type_of(operand)
    return is_array(type_) and bool(type_.dims) and type_.dtype.kind == "f"


def _calls(op: Call, callee: object) -> bool:
    return isinstance(op.callee, Const) and op.callee.value is callee and not op.kwargs


def _is_one(operand: Operand) -> bool:
    return isinstance(operand, Const) and type(operand.value) in (int, float) and operand.value == 1
