"""Tangents out of back functions, which are linear in the cotangent.

    back = lambda y_bar: y_bar * (1 - y * y)       x_dot * (1 - y * y)           applied
    back = lambda y_bar: np.cumsum(y_bar[::-1])    np.cumsum(x_dot)[::-1]        transposed

The derivative is a linear map, the back function its transpose; the transpose of that is the map
again. So the body of a back function is differentiated in reverse, as any program is, with the
tangents as seeds. What it computes with the cotangent itself is dropped, since it is linear.
"""

from __future__ import annotations

import operator
from typing import Any

from ir import facts
from ir.core import (
    Block,
    Call,
    Const,
    For,
    If,
    Lambda,
    Location,
    Op,
    Operand,
    Try,
    Value,
    While,
    Yield,
    operands_of,
    type_of,
)
from ir.errors import Unsupported
from ir.library.fact_rules import call_type
from ir.rewrite import Mapping, substitute
from ir.simplify import eliminate_dead, is_pure
from ir.types import Type
from zyg.array_type import Array, One, is_big
from zyg.compiler.activity import Flow, may_vary
from zyg.compiler.forward.augment import Augmenter
from zyg.compiler.forward.forward_steps import RuleStep
from zyg.compiler.forward_mode.tangent_types import dot_type, is_real_numeric
from zyg.compiler.reverse.cotangent_types import is_number
from zyg.compiler.reverse.lengths import Lengths
from zyg.compiler.reverse.transpose import Transposer
from zyg.cotangents import cotangent
from zyg.errors import NotDifferentiable
from zyg.rules.registry import is_constant

_ACTIVE: Flow = frozenset([0])


class BackInliner(Transposer):
    """Inlines back functions; the sums that undo broadcasting are left out where they multiply."""

    is_spread = False
    # Whether arrays that the function has read may have been changed in place since.
    is_behind_changes = False

    def _call_of(self, operand: Operand, callee: object) -> Call | None:
        """The call that makes an operand, where its own operands are what they were.

        An adjoint keeps what it reads of arrays that are changed; a tangent reads them as they are.
        """
        call = super()._call_of(operand, callee)
        if call is not None and self.is_behind_changes and any(
            isinstance(type_of(arg), Array) for arg in call.args
        ):
            return None
        return call

    def typed_call(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
        loc: Location | None,
    ) -> list[Operand]:
        if self.is_spread and isinstance(callee, Const) and callee.value is cotangent.unbroadcast:
            return [args[0]]
        return super().typed_call(callee, args, kwargs, names, loc)

    def applied(self, step: RuleStep, position: int, dot: Operand) -> Operand:
        """The tangent of a call in one operand, by a back function that multiplies."""
        self.is_spread = True
        try:
            bars = self.bars_for(step, dot)
        finally:
            self.is_spread = False
        if position >= len(bars):
            return Const(0.0)
        return Const(0.0) if _is_none(bars[position]) else bars[position]

    def plus(self, a: Operand, b: Operand, like: Operand) -> Operand:
        """Tangents of several operands have shapes of their own."""
        types_ = type_of(a), type_of(b)
        if all(isinstance(type_, Array) for type_ in types_):
            total = call_type(operator.add, *types_)
            if not all(has_shape_of(type_, total) for type_ in types_):
                return self.sum_of_numbers(a, b, like)
        return super().plus(a, b, like)

    def type_of_sum(self, a: Operand, b: Operand) -> Type:
        first, second = type_of(a), type_of(b)
        if is_number(first) or is_number(second):
            return super().type_of_sum(a, b)
        # Of what may be a number or an array nothing tells the shape.
        found = call_type(operator.add, first, second)
        # What isn't spread has the shape of the sum.
        return first if has_shape_of(first, found) else found

    def bars_for(self, step: RuleStep, bar: Operand) -> list[Operand]:
        """The cotangents of the operands of a call for the cotangent of its result."""
        back = step.back
        mapping: Mapping = dict(zip(back.captured, step.captures, strict=True))
        if len(back.params) != 1 + len(step.defaults):
            raise NotDifferentiable("the back function of a rule takes one argument")
        mapping.update(zip(back.params, [bar, *step.defaults], strict=True))
        outer = self.place
        self._backs = {}
        try:
            return self._inlined_back(step, mapping)
        finally:
            self.place = outer


def has_shape_of(array: Type, total: Type) -> bool:
    """Whether an array has the shape of a sum that it is a part of."""
    if not isinstance(array, Array) or not isinstance(total, Array):
        return False
    if array.dims is None or total.dims is None or len(array.dims) != len(total.dims):
        return False
    return array.dtype == total.dtype and all(
        is_big(dim) or isinstance(of_total, One)
        for dim, of_total in zip(array.dims, total.dims, strict=True)
    )


def _is_none(operand: Operand) -> bool:
    return isinstance(operand, Const) and operand.value is None


class _Reach:
    """Which values of a piece of code depend on one of them."""

    def __init__(self, source: Value, block: Block) -> None:
        self.varied: set[Value] = {source}
        self._block(block)

    def of(self, operand: Operand) -> Flow:
        return _ACTIVE if isinstance(operand, Value) and operand in self.varied else frozenset()

    def _block(self, block: Block) -> None:
        for op in block.ops:
            self._op(op)

    def _op(self, op: Op) -> None:
        match op:
            case Call():
                callee = op.callee.value if isinstance(op.callee, Const) else None
                if not is_constant(callee) and not facts.is_metadata(callee):
                    self._mark(op, any(o in self.varied for o in operands_of(op)))
            case If():
                for inner in op.blocks:
                    self._block(inner)
                yields = [b.exit.values for b in op.blocks if isinstance(b.exit, Yield)]
                for i, result in enumerate(op.results):
                    if any(values[i] in self.varied for values in yields):
                        self._mark_value(result)
            case Lambda() | Try():
                raise Unsupported("a back function that makes functions", op.loc)
            case For() | While():
                raise Unsupported("a back function with a loop", op.loc)

    def _mark(self, op: Call, depends: bool) -> None:
        if depends:
            for value in op.results:
                self._mark_value(value)

    def _mark_value(self, value: Value) -> None:
        if may_vary(value.type):
            self.varied.add(value)


class _BackAugmenter(Augmenter):
    """The forward pass of a back function."""

    def __init__(self, like: Augmenter, reach: _Reach, source: Value) -> None:
        Lengths.__init__(self, like.surroundings, like.globals)
        self.home, self.definitions, self.methods = like.home, like.definitions, like.methods
        self.loc = like.loc
        self._specialiser, self._function = like._specialiser, like._function
        self._home, self._callees = like._home, like._callees
        self._flows: Any = reach
        self._active = _ACTIVE
        self._pair_of = _no_pair
        self.steps = []
        self.varied = {source}
        self._checked = set()
        self._unseen = []
        self._contents = like._contents
        self._held_here = {}
        self._around = []
        self.seen_here = {}
        self._in_loop = None
        self.steady = set()
        self.dispatched = []
        self.is_inner = False

    def _opaque_call(self, *args: Any) -> None:
        raise Unsupported("a back function that calls what isn't known", self.loc)


def _no_pair(*args: Any) -> Any:
    raise Unsupported("a back function that calls a function with code of its own")


def transposed(builder: Any, step: RuleStep, dots: dict[int, Operand]) -> Operand:
    """Appends the tangent of a call by transposing its back function.

    Raises Unsupported where the back function is more than known calls.
    """
    bar = Value("y_bar", dot_type(step.result.type))
    outer, builder.ops = builder.ops, []
    try:
        bars = builder._inlined(lambda inliner: inliner.bars_for(step, bar))
        block = Block([], builder.ops, Yield(list(bars)))
        eliminate_dead(block, is_pure)
        reach = _Reach(bar, block)
        augmenter = _BackAugmenter(builder, reach, bar)
        exit = augmenter.inline(block, {})
        if not isinstance(exit, Yield):
            raise Unsupported("a back function that raises", step.loc)
        transposer = Transposer(augmenter)
        transposer.loc = step.loc
        for i, dot in dots.items():
            if i < len(exit.values):
                transposer.add(exit.values[i], dot)
        transposer.transpose(augmenter.steps)
        found = transposer.bars.get(bar)
        result: Operand = Const(None) if found is None else found
        # The value itself stands for the cotangent where its shape is asked for.
        done = Block([], [*augmenter.ops, *transposer.ops], Yield([result]))
        eliminate_dead(done, is_pure)
        substitute(done, {bar: step.result})
    finally:
        builder.ops = outer
    if found is None:
        zero: Operand = builder.zero_dot(step.result)
        return zero
    builder.ops += done.ops
    assert isinstance(done.exit, Yield)
    found = done.exit.values[0]
    if may_be_complex(step, dots):
        found = builder.made(cotangent.realness_of, step.result, found)
    return found


def may_be_complex(step: RuleStep, dots: dict[int, Operand]) -> bool:
    """Whether the transpose may give a real value a complex tangent.

    The back function hands a real cotangent on to a complex operand, as that of `z.real` does: its
    transpose is the real part.
    """
    type_ = type_of(step.result)
    return is_real_numeric(type_) and not all(
        is_real_numeric(type_of(step.targets[i])) for i in dots
    )
