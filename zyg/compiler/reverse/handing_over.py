"""Which cotangents a back function takes over from its caller, and which it gives away.

    def cost_back(saved, y_bar, xs_bar):        the caller's sum for `xs`, which nobody else knows
        ...
        xs_bar[i] += y_bar * t
        return i_bar, xs_bar                    the caller's own again

A function that reads single items of a list, dict or array, and makes one for all of them at each
call, takes a time in proportion to their length, where the call that it is the adjoint of takes one
step. So it adds to what it is given. The same holds for the last version of a list or dict that the
function changes: its cotangent becomes that of the version before the call.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable

from ir import facts, primitives
from ir.core import (
    Call,
    Const,
    Function,
    Lambda,
    Op,
    Value,
    exit_operands,
    operands_of,
    type_of,
)
from ir.record import record
from ir.rewrite import blocks, walk
from ir.types import Closure, Known, Tuple, Type
from zyg.array_type import is_number
from zyg.compiler.activity import Flow
from zyg.compiler.reverse.cotangent_types import is_array, is_container_of_floats
from zyg.compiler.specialisation import RunAgain, Specialisation
from zyg.rules.registry import is_constant, rule_of, substitute_of


@record
class HandedOver:
    """Results that are sums which a back function is given the beginnings of, what it takes over
    (arguments, or parts of one, by number), and the results that are the caller's own.

    With `records`, it is handed the records of the objects that it works on (`handed_records`).
    """

    begun: tuple[int, ...] = ()
    takes: tuple[tuple[int, int | None], ...] = ()
    gives: tuple[int, ...] = ()
    records: bool = False


NOTHING = HandedOver()


def handed_over(
    made: Specialisation, indices: list[int], held: Flow, may_hold: Callable[[Type], bool]
) -> HandedOver:
    """What the back function of a specialisation takes over, where generated code calls it.

    `indices` are the inputs whose cotangents it gives. Those that are `held` by the function object
    have theirs in that of the object, which is summed as a whole. `may_hold`: whether objects may
    hold values of a type, whose cotangents are in the table then.
    """
    if isinstance(made.source, RunAgain):
        return NOTHING
    inputs = [*made.function.captured, *made.function.params]
    if made.heap is not None:
        sums = tuple(
            number for number, i in enumerate(indices)
            if i not in held and i not in made.handed_out and _is_read_by_items(made, inputs[i])
            and not may_hold(inputs[i].type)
        )
        return HandedOver(sums, tuple((2 + i, None) for i in range(len(sums))), sums, records=True)
    returned = made.returned_type
    versions = returned.items[1:] if made.handed_out and isinstance(returned, Tuple) else ()
    changed = [number for number, i in enumerate(indices) if i in made.handed_out]
    begun = tuple(
        number for number, i in enumerate(indices)
        if number not in changed and i not in held and _is_read_by_items(made, inputs[i])
    )
    parts = [part for part, type_ in enumerate(versions, 1) if is_container_of_floats(type_)]
    before = [i for i in changed if is_container_of_floats(made.inputs[indices[i]])]
    return HandedOver(
        begun,
        (*((1, part) for part in parts), *((2 + i, None) for i in range(len(begun)))),
        tuple(sorted([*begun, *before])),
    )


def taken_over(function: Function, takes: tuple[tuple[int, int | None], ...]) -> set[Value]:
    """The cotangents that nobody else has any more: parameters, or parts that are read once."""
    found: set[Value] = set()
    for argument, part in takes:
        param = function.params[argument]
        if part is None:
            found.add(param)
            continue
        reads = [op for op in walk(function.body) if param in operands_of(op)]
        is_handed_on = any(param in exit_operands(block.exit) for block in blocks(function.body))
        parts = [op for op in reads if _is_part(op, part)]
        if len(parts) == 1 and not is_handed_on and all(_is_part(op, None) for op in reads):
            found.update(parts[0].results)
    return found


def _is_read_by_items(made: Specialisation, value: Value) -> bool:
    is_container = is_container_of_floats(value.type)
    if not is_container and not (
        is_array(value.type) and value.type.dtype.kind == "f" and len(value.type.dims or ()) > 0
    ):
        return False
    is_passed_on = is_container or made.calls_itself()
    ops = list(walk(made.function.body))
    captured = {
        op.result for op in ops if isinstance(op, Lambda) and value in (*op.captures, *op.defaults)
    }
    return any(
        isinstance(op, Call) and (
            _is_item(op, value) or (is_passed_on and _is_given(op, value, captured))
        )
        for op in ops
    )


def _is_given(op: Call, value: Value, captured: set[Value]) -> bool:
    """Whether a call of generated code is given a value, or the function has captured it."""
    is_updating = isinstance(op.callee, Const) and op.callee.value is primitives.updating
    callee = op.args[0] if is_updating else op.callee
    return _is_of_user(op) and (value in op.args or callee in captured)


def _is_item(op: Call, value: Value) -> bool:
    callee = type_of(op.callee)
    return callee == Known(operator.getitem) and op.args[0] is value and (
        is_number(type_of(op.args[1])) or not is_array(value.type)
    )


def _is_of_user(op: Call) -> bool:
    """Whether this is a call of a function that has generated code of its own."""
    is_updating = isinstance(op.callee, Const) and op.callee.value is primitives.updating
    match type_of(op.args[0] if is_updating else op.callee):
        case Closure():
            return True
        case Known(types.FunctionType() as function):
            is_by_rule = rule_of(function) or substitute_of(function) or is_constant(function)
            return not is_by_rule and not facts.is_helper(function)
        case _:
            return False


def _is_part(op: Op, part: int | None) -> bool:
    """Whether an operation reads an item, or the one of a number, of a tuple."""
    if not isinstance(op, Call) or type_of(op.callee) != Known(operator.getitem):
        return False
    index = op.args[1]
    return isinstance(index, Const) and (part is None or index.value == part)
