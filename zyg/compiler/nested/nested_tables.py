"""Adjoints of programs on objects as programs on objects, which can be differentiated again.

    heap_bar = current_shadows()              heap_bar = new_table()
    heap_bar.add(b, 'x', t)            ->     b_bars = bars_of(heap_bar, Body_bars, b)
    t_bar = heap_bar.take(b, 'v')             b_bars.x = accumulate(b_bars.x, t)
                                              t_bar = b_bars.v
                                              b_bars.v = None

An adjoint reads and changes cotangents in a table that is none of its values, so that nothing would
differentiate them. In a gradient inside of differentiated code each object has a second one, which
holds its cotangents in attributes. Inference then finds reads and stores of attributes, and what
stands outside differentiates them as such, in either mode.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from typing import Any

from ir.core import (
    Block,
    Call,
    Const,
    If,
    Location,
    Op,
    Operand,
    Value,
    Yield,
    blocks_of,
    type_of,
)
from ir.errors import Unsupported
from ir.heap import set_attribute
from ir.types import TOP, Instance, Known, Scalar, class_of
from zyg.compiler.inference.fields import Fields
from zyg.compiler.inference.objects import is_place
from zyg.compiler.reverse.cotangent_types import is_none
from zyg.compiler.run_time.seen_objects import leave
from zyg.cotangents import cotangent
from zyg.held import shadow_calls, shadow_items
from zyg.held.held_memory import held_memory, hold
from zyg.held.nested_shadows import (
    Bars,
    bars_class,
    bars_of,
    new_table,
    number_bars_of,
    unless_moved,
)
from zyg.rules.registry import constant

constant(new_table, bars_of, number_bars_of, unless_moved)

FLOAT = Scalar(float)
# What is done with memory that objects hold, which has no such form.
_OF_MEMORY = (
    shadow_calls.add_held, shadow_calls.release, shadow_calls.absorb, shadow_calls.absorb_item,
    shadow_calls.current_shadows, shadow_items.add_held_item, hold, held_memory,
)


def as_program(block: Block, fields: Fields) -> None:
    """Rewrites a generated block in place, so that it can be differentiated."""
    _OfCotangents(fields).block(block)


class Lowering(ABC):
    """Writes operations on a table as those on objects that it gives."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self._ops: list[Op] = []
        self._loc: Location | None = None

    def block(self, block: Block) -> None:
        outer, self._ops = self._ops, []
        for op in block.ops:
            for inner in blocks_of(op):
                self.block(inner)
            self._loc = op.loc
            if not isinstance(op, Call) or not isinstance(op.callee, Const) or (
                not self._rewritten(op, op.callee.value)
            ):
                self._ops.append(op)
        block.ops, self._ops = self._ops, outer

    @abstractmethod
    def _rewritten(self, op: Call, callee: Any) -> bool:
        """Appends what stands for a call of a table; False for other calls."""

    def _found(self, table: Operand, cls: type[Bars], obj: Operand, name: Operand) -> Value:
        """The object that holds the cotangents, or the tangents, of another one."""
        is_number = isinstance(name, Const) and self._fields.first_bar(cls, name.value) == FLOAT
        found = Value(cls.__name__.rpartition("_")[2], Instance(cls))
        lookup = number_bars_of if is_number else bars_of
        self._call(lookup, [table, Const(cls), obj, name], found)
        return found

    def _call(self, callee: Any, args: list[Operand], result: Value) -> None:
        self._ops.append(Call(Const(callee), list(args), {}, [result], self._loc))


class _OfCotangents(Lowering):
    def __init__(self, fields: Fields) -> None:
        super().__init__(fields)
        # The tables of which records are asked, with the classes and attributes of those.
        self._tables: dict[Value, tuple[Operand, list[Operand]]] = {}

    def _rewritten(self, op: Call, callee: Any) -> bool:
        if callee is shadow_calls.records:
            self._tables[op.result] = op.args[0], op.args[1:]
        elif callee is shadow_calls.record:
            table, obj = op.args
            assert isinstance(table, Value)
            heap_bar, (cls, numbers) = self._tables[table]
            assert isinstance(cls, Const) and isinstance(numbers, Const)
            operands = [heap_bar, Const(bars_class(cls.value)), obj, *map(Const, numbers.value)]
            self._call(number_bars_of, operands, op.result)
        elif callee is shadow_calls.bar_of:
            self._call(getattr, op.args, op.result)
        elif callee is shadow_calls.set_bar:
            self._call(set_attribute, op.args, op.result)
        elif callee is shadow_calls.increase_bar:
            record, name, bar = op.args
            before, after = Value("t", FLOAT), Value("t", FLOAT)
            self._call(getattr, [record, name], before)
            self._call(operator.add, [before, bar], after)
            self._call(set_attribute, [record, name, after], op.result)
        elif callee is shadow_calls.add:
            _, _, name, bar = op.args
            bars = self._bars_of(op)
            before, after = Value("t", TOP), Value("t", TOP)
            self._call(getattr, [bars, name], before)
            self._call(cotangent.accumulate, [before, bar], after)
            self._call(set_attribute, [bars, name, after], op.result)
        elif callee is shadow_calls.take:
            self._take(op)
        elif callee in (shadow_items.add_object, shadow_items.add_constant_object):
            if not is_none(op.args[2]):
                self._call(unless_moved, op.args[1:], op.result)
        elif callee is leave:
            self._call(unless_moved, op.args[1:], op.result)
        elif any(callee is function for function in _OF_MEMORY):
            raise Unsupported(
                "the second derivative of code in which objects hold more than numbers", op.loc,
                advice="let it return what it computes",
            )
        else:
            return False
        return True

    def _take(self, op: Call) -> None:
        _, _, name, *default = op.args
        bars, nothing = self._bars_of(op), Value("_", Known(None))
        may_be_none = not default or is_none(default[0])
        found = op.result if may_be_none else Value(op.result.name, TOP)
        self._call(getattr, [bars, name], found)
        self._call(set_attribute, [bars, name, Const(None)], nothing)
        if may_be_none:
            return
        missing = Value("t", Scalar(bool))
        self._call(operator.is_, [found, Const(None)], missing)
        arms = Block([], [], Yield([default[0]])), Block([], [], Yield([found]))
        self._ops.append(If(missing, *arms, [op.result], op.loc))

    def _bars_of(self, op: Call) -> Value:
        """The object that holds the cotangents of another one."""
        heap_bar, obj, name = op.args[:3]
        cls = class_of(type_of(obj))
        if cls is None or not is_place(cls):
            raise Unsupported(
                "the second derivative of code that stores into objects of unknown classes",
                op.loc, advice="let it return what it computes",
            )
        return self._found(heap_bar, bars_class(cls), obj, name)
