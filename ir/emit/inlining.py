"""Decides which values are printed inside the expression that reads them.

A value without a name of the user's, read once, is folded into its reader; nothing that can raise
or has effects is moved across anything else that can.
"""

from __future__ import annotations

from collections import Counter

from ir import primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    If,
    Lambda,
    Loop,
    Op,
    Operand,
    Value,
    Yield,
    blocks_of,
    exit_operands,
    is_end_guarded,
    operands_of,
)
from ir.emit.order import (
    append,
    is_ordered,
    is_store,
    is_temporary,
    may_change_unseen,
    reads_memory,
)
from ir.memory.memory_facts import is_change

MAX_FOLDED = 12
STORING = (primitives.stored, primitives.spliced)


class Inlining:
    """The values of a function that are printed where they are read."""

    def __init__(self, body: Block, consuming: set[Call], uses: Counter[Value]) -> None:
        self._consuming = consuming
        self.inlined: set[Value] = set()
        self.expressions: set[If] = set()
        self._uses = uses
        self._weight: dict[Value, int] = {}
        self._ordered: set[Value] = set()
        # Those that read memory, which objects may hold under other names.
        self._reading: set[Value] = set()
        self._block(body)

    def _block(self, block: Block) -> None:
        pending: list[Value] = []  # candidates that must keep their order, oldest first
        free: set[Value] = set()  # candidates that may move
        for op in block.ops:
            arms = blocks_of(op)
            for arm in arms:
                self._block(arm)
            is_expression = isinstance(op, If) and self._is_expression(op)
            operands = self._read_in_order(op)
            inside = [inner for arm in arms for inner in arm.ops]
            keeps_order = any(map(is_ordered, inside)) if is_expression else is_ordered(op)
            taken = self._take(operands, pending, free)
            keeps_order = keeps_order or not self._ordered.isdisjoint(taken)
            if may_change_unseen(op):
                free -= self._reading
            weight = 1 + sum(self._weight.get(value, 0) for value in taken)
            if self._is_candidate(op, is_expression) and weight <= MAX_FOLDED:
                value = op.results[0]
                self._weight[value] = weight
                if isinstance(op, If):
                    self.expressions.add(op)
                if any(map(reads_memory, [op, *inside])) or not self._reading.isdisjoint(taken):
                    self._reading.add(value)
                if keeps_order:
                    self._ordered.add(value)
                    pending.append(value)
                else:
                    free.add(value)
            elif keeps_order or arms:
                pending.clear()
            is_statement = bool(arms) and not is_expression
            if is_statement or op in self._consuming or is_change(op) or is_end_guarded(op):
                pending.clear()
                free.clear()
        self._take(exit_operands(block.exit), pending, free)

    def _take(
        self, operands: list[Operand], pending: list[Value], free: set[Value]
    ) -> list[Value]:
        """Folds what can be folded of the operands, given in the order of their evaluation."""
        ordered = [o for o in operands if isinstance(o, Value) and o in pending]
        taken: list[Value] = []
        if ordered:
            if pending[len(pending) - len(ordered) :] == ordered:
                del pending[len(pending) - len(ordered) :]
                taken += ordered
            else:
                pending.clear()
        for operand in operands:
            if isinstance(operand, Value) and operand in free:
                free.discard(operand)
                taken.append(operand)
        self.inlined.update(taken)
        return taken

    def _read_in_order(self, op: Op) -> list[Operand]:
        operands = list(operands_of(op))
        if op in self._consuming:
            rest = operands[2:]  # behind the callee and the variable that is changed
            # An assignment evaluates its right side first.
            callee = operands[0]
            assigns = isinstance(callee, Const) and callee.value in STORING
            return rest[::-1] if assigns else rest
        if is_store(op) and not self._uses[op.results[0]]:
            return [operands[0], operands[3], *operands[1:3]]
        if isinstance(op, Loop):
            return operands[: len(op.iterables)] if isinstance(op, For) else []
        if isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value is append:
            return operands[1:]
        if isinstance(op, Lambda):
            return []
        return operands

    def _is_candidate(self, op: Op, is_expression: bool) -> bool:
        if isinstance(op, Call):
            if len(op.results) != 1 or not isinstance(op, Call):
                return False
            if op in self._consuming:
                return False
            if isinstance(op.callee, Const) and op.callee.value is append:
                return False
        elif not is_expression:
            return False
        value = op.results[0]
        return is_temporary(value) and self._uses[value] == 1

    def _is_expression(self, op: If) -> bool:
        """Whether a branch can be printed as `a if c else b`."""
        if len(op.results) != 1 or not is_temporary(op.results[0]):
            return False
        for block in op.blocks:
            if type(block.exit) is not Yield:
                return False
            inside = list(block.ops)
            if any(
                not self._is_candidate(inner, inner in self.expressions)
                or inner.results[0] not in self.inlined
                for inner in inside
            ):
                return False
        return True
