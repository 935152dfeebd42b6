"""Calls that may change what they are given, without inference having followed that.

    y = np.sum(a * w)          y = np.sum(a * w)
    tools[i](w)           ->   w_kept = w.copy(); tools[i](w)      where the adjoint reads w

No derivative flows through such a call, so it is made as it is. It may have got the memory before:
`stack.callback(w.fill, 0.0)` changes nothing yet, `stack.close()` does.
"""

from __future__ import annotations

import types
from collections.abc import Iterable

from ir import facts
from ir.contents import holds_memory
from ir.core import Call, Const, Op, Operand, Value, operands_of, type_of
from ir.memory_facts import changed_by
from ir.types import Closure, Known, Method
from zyg.rules.registry import is_constant, rule_of, substitute_of
from zyg.signature import is_by_rules


def may_be_changed_by(op: Op) -> list[Value]:
    """The operands that an operation changes in place, or may change unseen."""
    if not isinstance(op, Call) or not _is_unseen(op.callee, op.kwargs):
        return changed_by(op)
    return [
        operand for operand in operands_of(op)
        if isinstance(operand, Value) and holds_memory(operand.type)
    ]


def _is_unseen(callee: Operand, keywords: Iterable[str]) -> bool:
    """Whether it isn't known of a call what it leaves as it is."""
    if not isinstance(callee, Const):
        type_ = type_of(callee)
        function = type_.function if isinstance(type_, Method) else type_
        return not isinstance(function, Known | Closure)
    function = callee.value
    if isinstance(function, type) or (
        isinstance(function, types.FunctionType) and not is_by_rules(function)
    ):
        return False
    if type(function).__module__.startswith(("zyg.", "ir.")):  # generated code
        return False
    if any(name in ("out", "output") or name.startswith("overwrite_") for name in keywords):
        return True
    is_known = facts.result_of(function) is not None or facts.is_pure(function) or is_constant(
        function
    )
    return not is_known and rule_of(function) is None and substitute_of(function) is None
