"""Tangents of programs on objects as programs on objects, which can be differentiated again.

    y_dot = read_dot(b, 'x', y)               b_dots = bars_of(heap_dot, Body_dots, b)
    store_dot(b, 'v', t)               ->     y_dot = b_dots.x
                                              b_dots.v = t

A tangent function keeps the tangents of what objects hold in a table that is none of its
values (`zyg.tangents.tangent_objects`). In a `jvp` inside of differentiated code each object has a
second one, which holds its tangents, as cotangents have in an inner gradient
(`zyg.compiler.nested.nested_tables`).
"""

from __future__ import annotations

import operator
from typing import Any

from ir.core import Block, Call, Const, If, Operand, Value, Yield, type_of
from ir.errors import Unsupported
from ir.heap import set_attribute
from ir.types import TOP, Scalar, class_of
from zyg.compiler.inference.fields import Fields
from zyg.compiler.inference.objects import is_place
from zyg.compiler.nested import nested_arguments
from zyg.compiler.nested.nested_tables import Lowering
from zyg.held.nested_shadows import dots_class, number_bars_of
from zyg.tangents import tangent_objects
from zyg.tangents.tangent import zero_tangent

# What is done with memory that objects hold, which has no such form.
_OF_MEMORY = (
    tangent_objects.store_held, tangent_objects.now, tangent_objects.now_within,
    tangent_objects.item_dot, tangent_objects.held_item_dot, tangent_objects.change,
    tangent_objects.live_items,
)


def as_program(block: Block, fields: Fields, table: Operand) -> None:
    """Rewrites the block of a tangent function in place, so that it can be differentiated."""
    _OfTangents(fields, table).block(block)


class _OfTangents(Lowering):
    def __init__(self, fields: Fields, table: Operand) -> None:
        super().__init__(fields)
        self._table = table

    def _rewritten(self, op: Call, callee: Any) -> bool:
        if callee is tangent_objects.read_dot:
            self._read(op)
        elif callee is tangent_objects.store_dot:
            obj, name, dot = op.args
            self._call(set_attribute, [self._dots_of(obj, name), name, dot], op.result)
        elif callee is tangent_objects.delete_dot:
            obj, name = op.args
            self._call(set_attribute, [self._dots_of(obj, name), name, Const(None)], op.result)
        elif any(callee is function for function in _OF_MEMORY):
            raise Unsupported(
                "jvp of code in which objects hold more than numbers, inside of differentiated "
                "code", op.loc, advice="let it return what it computes",
            )
        elif callee is nested_arguments.tangent_of_gradient_at_entry:
            raise Unsupported(
                "jvp of a gradient with respect to objects, inside of differentiated code",
                op.loc, advice="give the function numbers and arrays for the objects",
            )
        else:
            return False
        return True

    def _read(self, op: Call) -> None:
        obj, name, value = op.args
        dots = self._dots_of(obj, name)
        asked = self._ops[-1]
        assert isinstance(asked, Call)
        if isinstance(asked.callee, Const) and asked.callee.value is number_bars_of:
            self._call(getattr, [dots, name], op.result)
            return
        found, missing = Value(op.result.name, TOP), Value("t", Scalar(bool))
        self._call(getattr, [dots, name], found)
        self._call(operator.is_, [found, Const(None)], missing)
        zero = Value("zero", op.result.type)
        made = Call(Const(zero_tangent), [value], {}, [zero], op.loc)
        arms = Block([], [made], Yield([zero])), Block([], [], Yield([found]))
        self._ops.append(If(missing, *arms, [op.result], op.loc))

    def _dots_of(self, obj: Operand, name: Operand) -> Value:
        """The object that holds the tangents of another one."""
        cls = class_of(type_of(obj))
        if cls is None or not is_place(cls):
            raise Unsupported(
                "jvp of code that works on objects of unknown classes, inside of differentiated "
                "code", self._loc, advice="let it return what it computes",
            )
        return self._found(self._table, dots_class(cls), obj, name)
