"""Calls that have rules: the outer part of the rule is cloned into the forward pass."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from ir import primitives
from ir.binding import CannotBind
from ir.core import (
    Block,
    Call,
    Const,
    Lambda,
    Op,
    Operand,
    Raise,
    Value,
    Yield,
    operands_of,
    type_of,
)
from ir.errors import SourceNotFound, Unsupported
from ir.inference.infer import Inference
from ir.late import late
from ir.parse import parse_code
from ir.rewrite import Mapping, clone_exit
from ir.types import TOP, class_of
from zyg.compiler.forward.forward_steps import RuleStep
from zyg.compiler.forward.varied import Variation
from zyg.compiler.inference.arguments import bind_operands
from zyg.compiler.inference.objects import unknown_operands
from zyg.compiler.inference.plain_operands import unless_overloaded
from zyg.errors import NotDifferentiable
from zyg.rules.registry import takes_pullback

if TYPE_CHECKING:
    from zyg.compiler.run_time import dynamic
else:  # it is for calls that are found at run time
    dynamic = late("zyg.compiler.run_time.dynamic")


class ForwardRules(Variation):
    """Appends calls by their rules, and notes the back function of each."""

    def _rule_call(
        self,
        op: Call,
        callee: Const,
        rule: Any,
        args: list[Operand],
        kwargs: dict[str, Operand],
        mapping: Mapping,
    ) -> None:
        mark, steps = len(self.ops), len(self.steps)
        inlined = None
        if isinstance(rule, types.FunctionType) and not takes_pullback(rule):
            inlined = self._inline_rule(rule, args, kwargs)
        if inlined is None:
            del self.ops[mark:], self.steps[steps:]
            self.dispatched.append((op.loc, f"the rule of {callee_name(callee)} can't be split"))
            whole = positional_targets(args) + keyword_targets(kwargs)
            self._opaque_call(op, dynamic.call_rule, [callee, *args], kwargs, whole, mapping)
            return
        result, made, targets, optional = inlined
        self._as_written(result, callee, args, kwargs, mark)
        is_own = result in _defined_since(self.ops, mark)
        if not isinstance(result, Value) or not is_own or self.parts(result) is not None:
            # A value of its own, whose parts nobody takes out behind the rule's back.
            value = Value("t", type_of(result))
            self._define(Call(Const(primitives.alias), [result], {}, [value], op.loc))
            result = value
        result.name = op.result.name
        if class_of(result.type) is None:
            result.type = op.result.type  # inference knows what a rule doesn't tell
        mapping[op.result] = result
        self.varied.add(result)
        if unknown_operands(callee.value, [TOP]) and not self.may_give_matrix(callee.value):
            self._checked.add((unless_overloaded, result))
        back = made.function
        step = RuleStep(
            result, targets, back, list(made.captures), list(made.defaults), optional,
            callee.value, op.loc,
        )
        self.steps.append(step)

    def _as_written(
        self, result: Operand, callee: Const, args: list[Operand], kwargs: dict[str, Operand],
        mark: int,
    ) -> None:
        """Where a rule's value is the call itself, it is the user's call, word for word."""
        call = self.definitions.get(result) if isinstance(result, Value) else None
        if isinstance(call, Call) and any(call is op for op in self.ops[mark:]):
            passed = {*args, *kwargs.values()}
            is_same = isinstance(call.callee, Const) and call.callee.value is callee.value
            if is_same and all(isinstance(o, Const) or o in passed for o in operands_of(call)):
                call.args, call.kwargs = list(args), dict(kwargs)

    def _inline_rule(
        self, rule: types.FunctionType, args: list[Operand], kwargs: dict[str, Operand]
    ) -> tuple[Operand, Lambda, list[Operand], int] | None:
        """Inlines the outer part of a rule: its value, back function and the operands."""
        mark = len(self.ops)
        try:
            source = parse_code(rule.__code__, rule.__globals__)
            bound = bind_operands(self, source, args, kwargs, rule)
        except (CannotBind, SourceNotFound, Unsupported):
            return None
        captured = [
            self.call(primitives.read_captured, Const(rule), Const(value.name))
            for value in source.captured
        ]
        mapping = dict(zip([*source.captured, *source.params], [*captured, *bound], strict=True))
        outer_globals, self.globals = self.globals, source.globals
        outer_place, self.place = self.place, self.loc
        try:
            exit = self._inline_plain(source.body, mapping)
        finally:
            self.globals, self.place = outer_globals, outer_place
        parts = self.parts(exit.values[0]) if isinstance(exit, Yield) else None
        if parts is None or len(parts) != 2:
            return None
        made = self.definitions.get(parts[1]) if isinstance(parts[1], Value) else None
        if not isinstance(made, Lambda) or not any(made is op for op in self.ops[mark:]):
            return None
        kinds = source.signature
        positional = kinds.positional_only + kinds.positional
        targets = list(bound[:positional])
        optional = source.defaults
        if kinds.vararg:
            extra = self.parts(bound[positional])
            if extra is None:
                return None
            targets += extra
        with_slots = {value.name for value in source.params[:positional]}
        for name, operand in kwargs.items():
            if self.is_varied(operand) and name not in with_slots:
                raise NotDifferentiable(
                    f"the rule for `{rule.__name__}` has no gradient for its keyword argument "
                    f"`{name}`"
                )
        # The back function is not made, nor the tuple that the rule returns it in.
        assert isinstance(exit, Yield)
        whole = exit.values[0]
        pair = self.definitions.get(whole) if isinstance(whole, Value) else None
        self.ops[mark:] = [op for op in self.ops[mark:] if op is not made and op is not pair]
        return parts[0], made, targets, optional

    def _inline_plain(self, block: Block, mapping: Mapping) -> Yield | Raise:
        """Inlines operations that are not differentiated: the outer part of a rule."""
        for op in block.ops:
            Inference.op(self, op, mapping)
        return clone_exit(block.exit, mapping)


def positional_targets(operands: list[Operand]) -> list[tuple[Operand, str | None]]:
    return [(operand, None) for operand in operands]


def keyword_targets(kwargs: dict[str, Operand]) -> list[tuple[Operand, str | None]]:
    return [(operand, name) for name, operand in kwargs.items()]


def _defined_since(ops: list[Op], mark: int) -> set[Value]:
    return {value for op in ops[mark:] for value in op.results}


def callee_name(operand: Operand) -> str:
    if isinstance(operand, Const):
        name = getattr(operand.value, "__name__", None)
        return repr(operand.value) if name is None else name
    return operand.name if operand.name != "t" else "a callee"
