"""Calls of which the run time finds the tangent, as what tangent functions call."""

from __future__ import annotations

from collections import deque
from typing import Any

from ir import primitives
from ir.core import Call, Const, Operand, Value, type_of
from ir.library.fact_rules import is_int
from ir.memory.memory_facts import CHANGING
from ir.rewrite import Mapping
from ir.types import Scalar, class_of, widen
from zyg.compiler.forward.forward_steps import RuleStep
from zyg.compiler.forward_mode import tangent_dispatch
from zyg.compiler.forward_mode.inner_tangents import INNER
from zyg.compiler.forward_mode.tangent_iterators import paired
from zyg.compiler.forward_mode.tangent_rules import BUILT_IN, RuleTangents
from zyg.compiler.forward_mode.tangent_types import dot_name, dot_type
from zyg.compiler.reverse.cotangent_types import NONE, is_numeric
from zyg.tangents.tangent_objects import append_number, change, delete_item, store_number

FLOAT = Scalar(float)


class FoundTangents(RuleTangents):
    """Appends the calls that `zyg.compiler.forward_mode.tangent_dispatch` answers."""

    # Whether the tangent function stands in code that is differentiated.
    is_differentiated = False

    def _rows(self, step: RuleStep) -> Operand:
        """The tangent by a back function that is called for each coordinate of the value."""
        args, kwargs = self._calls[step.result]
        operands: list[Operand] = [Const(step.callee)]
        operands.append(self.made(primitives.build_tuple, *args))
        operands.append(self.made(primitives.build_tuple, *map(self._given_dot, args)))
        if kwargs:
            pairs = [part for name, value in kwargs.items() for part in (Const(name), value)]
            operands.append(self.made(primitives.build_dict, *pairs))
        return self.made(self.at_level(tangent_dispatch.tangent_by_rule), *operands)

    def at_level(self, function: Any) -> Any:
        """What a tangent function calls at run time, if it may be one in differentiated code."""
        return INNER.get(function, function) if self.is_differentiated else function

    def _by_run_time(
        self, op: Call, callee: Const, args: list[Operand], kwargs: dict[str, Operand],
        mapping: Mapping,
    ) -> None:
        has_rows = all(is_numeric(type_of(arg)) for arg in args) and (
            paired(callee.value) is None
        )
        function = tangent_dispatch.rule_by_rows if has_rows else tangent_dispatch.rule_call
        self._opaque_call(op, function, [callee, *args], kwargs, [], mapping)

    def _opaque_call(
        self, op: Call, function: Any, args: list[Operand], kwargs: dict[str, Operand],
        targets: list[tuple[Operand, str | None]], mapping: Mapping,
    ) -> None:
        """A call that gives its value and its tangent at run time."""
        is_read = isinstance(args[0], Const) and args[0].value is getattr
        self._refuse_objects(op, args[1:] if is_read else None)
        self.catch_up()
        self.loc = op.loc
        found = self.at_level(tangent_dispatch.IN_PLACE_OF.get(function, function))
        result = Value(op.result.name, op.result.type)
        given = list(map(self._given_dot, args))
        is_set = isinstance(args[0], Const) and args[0].value is primitives.regrouped
        if isinstance(args[0], Const) and id(args[0].value) in CHANGING and not is_set:
            given[1] = NONE  # known by what it is the tangent of
            if self._changes_heap and class_of(type_of(args[1])) in BUILT_IN:
                self._change(args, given, result)
                mapping[op.result] = result
                return
        if isinstance(args[0], Const) and paired(args[0].value) is not None:
            given = [
                self.items_dot(arg) if arg in self.held else dot
                for arg, dot in zip(args, given, strict=True)
            ]
        dots = self.made(primitives.build_tuple, *given)
        operands: list[Operand] = [self.made(primitives.build_tuple, *args), dots]
        if kwargs:
            for values in (kwargs, {n: self._given_dot(o) for n, o in kwargs.items()}):
                pairs = [part for n, o in values.items() for part in (Const(n), o)]
                operands.append(self.made(primitives.build_dict, *pairs))
        dot = Value(dot_name(result), dot_type(result.type))
        self._define(Call(Const(found), operands, {}, [result, dot], op.loc))
        mapping[op.result] = result
        self.set_dot(result, dot)

    def _change(self, args: list[Operand], dots: list[Operand], result: Value) -> None:
        """Appends a change of what is certainly memory, and of its tangent."""
        direct = None if self.is_differentiated else _directly(args, dots)
        if direct is not None:
            function, operands = direct
            self._define(Call(Const(function), operands, {}, [result], self.loc))
            self.set_dot(result, NONE)
            return
        values = self.made(primitives.build_tuple, *args[1:])
        value_dots = self.made(primitives.build_tuple, *dots[2:])
        self._define(Call(Const(change), [args[0], values, value_dots], {}, [result], self.loc))
        self.set_dot(result, NONE)

    def _given_dot(self, operand: Operand) -> Operand:
        found = self.dot_of(operand)
        return NONE if found is None else found


def _directly(args: list[Operand], dots: list[Operand]) -> tuple[Any, list[Operand]] | None:
    """What changes a container and its tangent, where a number is put there or an item deleted."""
    callee = args[0].value if isinstance(args[0], Const) else None
    cls = class_of(type_of(args[1]))
    if callee is primitives.deleted:
        is_item = cls in (list, deque) and is_int(type_of(args[2]))
        return (delete_item, args[1:]) if is_item else None
    if widen(type_of(args[-1])) != FLOAT or widen(type_of(dots[-1])) != FLOAT:
        return None
    operands = [*args[1:], dots[-1]]
    if (callee, cls) in ((primitives.appended, list), (primitives.pushed, deque)):
        return append_number, operands
    if callee is primitives.stored and (
        cls is dict or (cls is list and is_int(type_of(args[2])))
    ):
        return store_number, operands
    return None
