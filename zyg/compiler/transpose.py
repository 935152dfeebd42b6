"""Forward to adjoint: the steps of a function, run backwards.

    y = math.sin(x)                x_bar = y_bar * math.cos(x)
    if c: z = y * x                if c: x_bar += z_bar * y; y_bar = z_bar * x
    for r in records: ...          for r in reversed(records): ...

Cotangents are values like all others; None stands for a structural zero. What the adjoint of a
block reads of the values inside that block, the block hands out: a branch as a further result, a
loop as a list of records. Operations that are cheap are done again instead.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ir import facts, primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    Function,
    If,
    Lambda,
    Location,
    Op,
    Operand,
    Raise,
    Value,
    While,
    Yield,
    operands_of,
    type_of,
)
from ir.infer import Inference, _same
from ir.rewrite import Mapping, clone_op, defined, free_values, substitute
from ir.simplify import eliminate_dead, is_pure, share_common
from ir.types import (
    TOP,
    Closure,
    Dict,
    Known,
    Scalar,
    Sequence,
    Tuple,
    Type,
    Union,
    join,
    join_all,
    widen,
)
from zyg import cotangent
from zyg.array_type import dtype_of_operand, rank_of, reduced, same_shape, summed_axes
from zyg.compiler.activity import may_vary
from zyg.compiler.augment import (
    Augmenter,
    BranchStep,
    CallStep,
    LambdaStep,
    LoopStep,
    OpaqueStep,
    RuleStep,
    Step,
    StructureStep,
)
from zyg.compiler.masks import Mask, Masks, fits
from zyg.compiler.metadata import reads_only_metadata
from zyg.errors import NotDifferentiable

NONE = Const(None)
MAX_ROUNDS = 6


class Transposer(Inference):
    """Builds the adjoint operations of the steps of one function."""

    def __init__(self, augmenter: Augmenter) -> None:
        super().__init__(augmenter.surroundings, augmenter.globals)
        self.home = augmenter.home
        self.definitions = augmenter.definitions
        self.methods = augmenter.methods
        self._varied = augmenter.varied
        self._forward = set(augmenter.definitions)
        self.bars: dict[Value, Operand] = {}
        self._masks = Masks(augmenter.ops)
        # The forward operations, where the adjoint will stand in the same function.
        self.joint_ops: list[Op] | None = None
        self._backs: dict[object, tuple[Block, list[Operand]]] = {}

    def typed_call(
        self,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        names: list[str],
        loc: Location | None,
    ) -> list[Operand]:
        """Appends a call; in an adjoint, neutral factors and exponents disappear."""
        if isinstance(callee, Const) and len(args) == 2 and not kwargs:
            neutral = _neutral(callee.value, args[0], args[1])
            if neutral is not None:
                return [neutral]
            args = self._unspread(callee.value, args)
        if isinstance(callee, Const) and not kwargs:
            simpler = self._simpler(callee.value, args, names, loc)
            if simpler is not None:
                return [simpler]
        return super().typed_call(callee, args, kwargs, names, loc)

    def _unspread(self, callee: object, args: list[Operand]) -> list[Operand]:
        """Operands without `np.broadcast_to` where the other operand has the full shape."""
        if callee not in _ELEMENTWISE:
            return args
        left, right = args
        source = self._spread_source(left, right)
        return [source, right] if source is not left else [left, self._spread_source(right, left)]

    def _spread_source(self, operand: Operand, other: Operand) -> Operand:
        call = self._call_of(operand, np.broadcast_to)
        if call is None or not same_shape(type_of(operand), type_of(other)):
            return operand
        source = call.args[0]
        return source if type_of(source) != TOP else operand

    def _simpler(
        self, callee: object, args: list[Operand], names: list[str], loc: Location | None
    ) -> Operand | None:
        """A reduction in the place of `unbroadcast`, and the type of a broadcast cotangent."""
        if callee is cotangent.unbroadcast:
            axes = summed_axes(type_of(args[0]), type_of(args[1]))
            if axes is not None:
                bar = args[0]
                over, keeps = axes
                operands = [bar, Const(over), Const(True)] if keeps else [bar, Const(over)]
                (summed,) = super().typed_call(
                    Const(cotangent.sum_over), operands, {}, names, loc
                )
                if isinstance(summed, Value):
                    summed.type = reduced(type_of(bar), type_of(args[1]))
                return summed
        if callee is np.expand_dims and isinstance(args[1], Const):
            rank = rank_of(type_of(args[0]))
            if rank is not None and type(args[1].value) is int:
                axis = args[1].value % (rank + 1)
                index = (*(slice(None),) * axis, None)
                return super().typed_call(
                    Const(operator.getitem), [args[0], Const(index)], {}, names, loc
                )[0]
        if callee is cotangent.one_hot and _is_array(type_of(args[1])):
            if isinstance(args[2], Const) and _is_reshaping(args[2].value):
                shape_ = self.call(np.shape, args[1])
                return self._typed_like(args[1], self.call(np.reshape, args[0], shape_))
        if callee is operator.mul:
            return self._scaled(args[0], args[1])
        if callee is np.broadcast_to:
            shape = self._call_of(args[1], np.shape)
            if shape is not None and _is_array(type_of(shape.args[0])):
                (made,) = super().typed_call(Const(callee), args, {}, names, loc)
                if (isinstance(made, Value) and made.type == TOP) or not same_shape(
                    type_of(made), type_of(shape.args[0])
                ):
                    dtype = dtype_of_operand(type_of(args[0]))
                    if dtype is not None and isinstance(made, Value):
                        like: Any = type_of(shape.args[0])
                        made.type = type(like)(dtype, like.dims)
                return made
        return None

    def _scaled(self, left: Operand, right: Operand) -> Operand | None:
        """`s * (c * x)` as `(s * c) * x`: one walk over the array less."""
        inner = self._call_of(right, operator.mul)
        if inner is None or not _is_number(type_of(left)) or not _is_array(type_of(right)):
            return None
        if not _is_number(type_of(inner.args[0])):
            return None
        return self.call(operator.mul, self.call(operator.mul, left, inner.args[0]), inner.args[1])

    # Cotangents

    def add(self, operand: Operand, bar: Operand) -> None:
        """Adds a contribution to the cotangent of a value."""
        if not isinstance(operand, Value) or operand not in self._varied or _is_none(bar):
            return
        bar = self._instantiated(operand, bar)
        before = self.bars.get(operand)
        total = bar if before is None else self.plus(before, bar, operand)
        if isinstance(total, Value) and total.name == "t" and operand.name != "t":
            total.name = f"{operand.name}_bar"
        self.bars[operand] = total

    def _instantiated(self, value: Value, bar: Operand) -> Operand:
        """A cotangent that is no structural zero, where the value is a number or an array."""
        if _may_be_none(type_of(bar)) and _is_numeric(value.type):
            made = self.call(cotangent.materialised, bar, value)
            if isinstance(made, Value):
                made.type = tangent_type(value.type)
            return made
        return bar

    def plus(self, a: Operand, b: Operand, like: Operand) -> Operand:
        """The sum of two cotangents of one value."""
        if _is_none(a):
            return b
        if _is_none(b):
            return a
        parts_a, parts_b = self.parts(a), self.parts(b)
        if parts_a is not None and parts_b is not None and len(parts_a) == len(parts_b):
            likes = self._items(like, len(parts_a))
            sums = map(self.plus, parts_a, parts_b, likes)
            return self.call(primitives.build_tuple, *sums)
        fields_a, fields_b = self.keywords(a), self.keywords(b)
        if fields_a is not None and fields_b is not None:
            names = dict.fromkeys([*fields_a, *fields_b])
            pairs: list[Operand] = []
            for name in names:
                total_field = self.plus(fields_a.get(name, NONE), fields_b.get(name, NONE), NONE)
                pairs += [Const(name), total_field]
            return self.call(primitives.build_dict, *pairs)
        hot = self._one_hot(b)
        if hot is not None and _is_buffer(type_of(a)):
            earlier = self._call_of(a, cotangent.add_at)
            if earlier is not None and _same(earlier.args[1], hot.args[2]):
                if _is_numeric(type_of(earlier.args[2])) and _is_numeric(type_of(hot.args[0])):
                    both = self.plus(earlier.args[2], hot.args[0], NONE)
                    made = self.call(cotangent.add_at, earlier.args[0], hot.args[2], both)
                    return self._typed_like(a, made)
            return self._typed_like(a, self.call(cotangent.add_at, a, hot.args[2], hot.args[0]))
        hot = self._one_hot(a)
        if hot is not None and _is_array(type_of(b)):
            return self._typed_like(b, self.call(cotangent.add_at, b, hot.args[2], hot.args[0]))
        if _is_numeric(type_of(a)) and _is_numeric(type_of(b)):
            negated = self._negated(b)
            is_array = _is_array(type_of(a)) or _is_array(type_of(b))
            if negated is not None:
                difference = cotangent.subtract if is_array else operator.sub
                return self._typed_like(a, self.call(difference, a, negated))
            result = self.call(cotangent.add if is_array else operator.add, a, b)
            return self._typed_like(a, result) if is_array else result
        return self.call(cotangent.accumulate, a, b)

    def _typed_like(self, like: Operand, result: Operand) -> Operand:
        if isinstance(result, Value):
            result.type = type_of(like)
        return result

    def _items(self, like: Operand, count: int) -> list[Operand]:
        return (self.parts(like) or [NONE] * count)[:count] if not _is_none(like) else (
            [NONE] * count
        )

    def _call_of(self, operand: Operand, callee: object) -> Call | None:
        op = self.definitions.get(operand) if isinstance(operand, Value) else None
        if isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value is callee:
            return op
        return None

    def _one_hot(self, operand: Operand) -> Call | None:
        return self._call_of(operand, cotangent.one_hot)

    def _negated(self, operand: Operand) -> Operand | None:
        call = self._call_of(operand, operator.neg)
        return None if call is None else call.args[0]

    def zero(self, value: Operand) -> Operand:
        """The zero cotangent of a value, as far as its type tells; else the structural zero."""
        match widen(type_of(value)):
            case Union() as union if _is_numeric(union):
                return Const(0.0)
            case Scalar(cls) if issubclass(cls, complex):
                return Const(0j)
            case Scalar(cls) if issubclass(cls, int) and cls is not bool:
                return Const(0)
            case Scalar(cls) if may_vary(Scalar(cls)):
                return Const(0.0)
            case Tuple(items) if all(map(_is_numeric, items)):
                parts = self.parts(value)
                if parts is None:
                    parts = [Value("t", item) for item in items]
                    if not all(isinstance(item, Scalar) for item in items):
                        return self.call(cotangent.zeros_like, value)
                return self.call(primitives.build_tuple, *map(self.zero, parts))
            case type_ if _is_array(type_):
                zeros = self.call(cotangent.zeros_like, value)
                if isinstance(zeros, Value):
                    zeros.type = tangent_type(type_)
                return zeros
            case Sequence(cls, item) if cls is list and may_vary(item):
                return self.call(cotangent.zeros_like, value)
            case _:
                return NONE

    # Steps

    def transpose(self, steps: list[Step]) -> None:
        """Appends the adjoint of steps; reads and extends `self.bars`."""
        for step in reversed(steps):
            match step:
                case RuleStep() | OpaqueStep() | CallStep():
                    bar = self.bars.pop(step.result, None)
                    if bar is None:
                        continue
                    self.loc = step.loc
                    match step:
                        case RuleStep():
                            self._rule(step, bar)
                        case OpaqueStep():
                            self._opaque(step, bar)
                        case CallStep():
                            self._call(step, bar)
                case StructureStep(call):
                    self.loc = call.loc
                    self._structure(call)
                case BranchStep():
                    self.loc = step.op.loc
                    self._branch_step(step)
                case LoopStep():
                    self.loc = step.op.loc
                    self._loop_step(step)
                case LambdaStep(op):
                    self.loc = op.loc
                    self._lambda_step(op)

    def _rule(self, step: RuleStep, bar: Operand) -> None:
        back = step.back
        positional = len(back.params) - len(step.defaults)
        if positional != 1:
            raise NotDifferentiable(
                f"the back function of the rule for `{_callee_name(step.callee)}` takes "
                f"{positional} arguments; it must take one, the cotangent of the result"
            )
        captures = step.captures
        self._masks.note(step.callee, step.result, step.targets)
        mask = self._masks.of(step.callee, step.result)
        if mask is not None:
            captures = [self._masked(mask, captured) for captured in captures]
        mapping = dict(zip(back.captured, captures, strict=True))
        mapping.update(zip(back.params, [bar, *step.defaults], strict=True))
        bars = self._unless_zero(bar, step, mapping)
        for target, gradient in zip(step.targets, bars, strict=False):
            self.add(target, gradient)

    def _masked(self, mask: Mask, operand: Operand) -> Operand:
        """An array with ones where `np.where` took the other arm."""
        if not fits(mask, operand):
            return operand
        condition, is_true = mask
        one = Const(1.0)
        arms = (operand, one) if is_true else (one, operand)
        return self._typed_like(operand, self.call(np.where, condition, *arms))

    def _unless_zero(self, bar: Operand, step: RuleStep, mapping: Any) -> list[Operand]:
        """The cotangents of a call; where the result's may be a structural zero, so are they."""
        if not _may_be_none(type_of(bar)):
            return self._inlined_back(step, mapping)
        outer = self.ops
        self.ops = []
        bars = self._inlined_back(step, mapping)
        wanted = [
            i for i, target in enumerate(step.targets[: len(bars)])
            if isinstance(target, Value) and target in self._varied
        ]
        then = Block([], self.ops, Yield([bars[i] for i in wanted]))
        self.ops = outer
        if not then.ops:
            return bars
        is_some = self.call(operator.is_not, bar, NONE)
        results = [Value("t", TOP) for _ in wanted]
        orelse = Block([], [], Yield([NONE] * len(wanted)))
        self._define(If(is_some, then, orelse, results, step.loc))
        found: list[Operand] = [NONE] * len(bars)
        for i, result in zip(wanted, results, strict=True):
            found[i] = result
        return found

    def _inlined_back(self, step: RuleStep, mapping: Any) -> list[Operand]:
        back = step.back
        outer_globals, self.globals = self.globals, back.globals
        outer_place, self.place = self.place, step.loc
        exit = self.inline(*self._simplified(back, mapping))
        self.globals, self.place = outer_globals, outer_place
        if isinstance(exit, Raise):
            self.ops.append(
                If(Const(True), Block([], [], exit), Block([], [], Yield([])), [], step.loc)
            )
            return []
        return self._gradients(step, exit.values[0])

    def _simplified(self, back: Function, mapping: Mapping) -> tuple[Block, Mapping]:
        """The body of a back function, and what its values are.

        From the second time on that it meets operands of the same types, what these decide is
        decided once for all: a rule's branches on kinds, the helpers that it calls.
        """
        if not facts.is_helper_module(back.globals.get("__name__")):
            return back.body, mapping
        operands = list(mapping.values())
        key = back, *map(type_of, operands)
        known = self._backs.get(key)
        if known is None:
            self._backs[key] = back.body, []
            return back.body, mapping
        body, inputs = known
        if body is back.body and not inputs:
            outer_ops, self.ops = self.ops, []
            outer_place, self.place = self.place, None
            inputs = [_like(value, operand) for value, operand in mapping.items()]
            exit = self.inline(back.body, dict(zip(mapping, inputs, strict=True)))
            if isinstance(exit, Yield) and all(isinstance(op, Call) for op in self.ops):
                body = Block([], self.ops, exit)
            else:
                inputs = list(mapping)
            self._backs[key] = body, inputs
            self.ops, self.place = outer_ops, outer_place
        given = zip(inputs, operands, strict=True)
        return body, {value: operand for value, operand in given if isinstance(value, Value)}

    def _gradients(self, step: RuleStep, result: Operand) -> list[Operand]:
        """The cotangents that a back function returned, one per positional parameter."""
        count = len(step.targets)
        parts = self.parts(result)
        type_ = type_of(result)
        if parts is None and isinstance(type_, Tuple):
            parts = [
                self.call(operator.getitem, result, Const(i)) for i in range(len(type_.items))
            ]
        required = count - step.optional
        if parts is None:
            is_bare = required <= 1 and (_is_numeric(type_) or _is_none(result))
            if is_bare:
                return [result]
            names = ["t"] * count
            return self.typed_call(
                Const(cotangent.checked_gradients),
                [result, Const(required), Const(count), Const(_callee_name(step.callee))],
                {}, names, self.loc,
            ) if count > 1 else [self.call(
                cotangent.checked_gradient, result, Const(_callee_name(step.callee))
            )]
        if not required <= len(parts) <= count:
            raise NotDifferentiable(
                f"the rule for `{_callee_name(step.callee)}` returned {len(parts)} gradients "
                f"for {count} arguments"
            )
        return parts

    def _opaque(self, step: OpaqueStep, bar: Operand) -> None:
        result = self.call(step.back, bar)
        for i, (target, keyword) in enumerate(step.targets):
            if isinstance(target, Value) and target in self._varied:
                if keyword is None:
                    self.add(target, self.call(operator.getitem, result, Const(i)))
                else:
                    self.add(target, self.call(
                        cotangent.keyword_gradient, result, Const(i), Const(keyword)
                    ))

    def _call(self, step: CallStep, bar: Operand) -> None:
        back: Any = step.back
        results = [
            Value("t", type_) for type_ in back.result_types()
        ]
        bar = self.completed(bar, step.result)
        self._define(Call(Const(back), [step.saved, bar], {}, results, step.loc))
        for (target, field), gradient in zip(step.targets, results, strict=True):
            if field is None:
                self.add(target, gradient)
            else:
                self.add(target, self.call(primitives.build_dict, Const(field), gradient))

    def completed(self, bar: Operand, like: Operand) -> Operand:
        """A cotangent without structural zeros in the place of numbers: callees rely on that."""
        type_ = type_of(like)
        if isinstance(type_, Tuple):
            bars = self.parts(bar)
            if bars is None and not isinstance(type_of(bar), Tuple):
                return self.call(cotangent.completed, bar, like)
            items = [
                self.call(operator.getitem, like, Const(i)) for i in range(len(type_.items))
            ]
            if bars is None:
                bars = [self.call(operator.getitem, bar, Const(i)) for i in range(len(items))]
            return self.call(
                primitives.build_tuple, *map(self.completed, bars, items)
            )
        if _is_numeric(type_):
            return self.zero(like) if _is_none(bar) else self._instantiated_like(bar, like)
        return bar

    def _instantiated_like(self, bar: Operand, like: Operand) -> Operand:
        if not _may_be_none(type_of(bar)):
            return bar
        made = self.call(cotangent.materialised, bar, like)
        if isinstance(made, Value):
            made.type = tangent_type(type_of(like))
        return made

    def _structure(self, call: Call) -> None:
        callee = call.callee.value  # type: ignore[union-attr]
        if callee is primitives.unpack and len(call.results) == 1:
            bar = self.bars.pop(call.result, None)
            if bar is not None:
                self._items_bar(call.args[0], bar)
            return
        if callee is primitives.unpack:
            bars = [self.bars.pop(result, None) for result in call.results]
            if any(bar is not None for bar in bars):
                self._unpack(call, bars)
            return
        bar = self.bars.pop(call.result, None)
        if bar is None:
            return
        if callee is primitives.check_bound:
            self.add(call.args[0], bar)
            return
        if callee is primitives.build_dict:
            for key, item in zip(call.args[::2], call.args[1::2], strict=True):
                if isinstance(item, Value) and item in self._varied:
                    self.add(item, self.call(cotangent.item, bar, key))
            return
        parts = self.parts(bar)
        for i, item in enumerate(call.args):
            if isinstance(item, Value) and item in self._varied:
                if parts is not None:
                    self.add(item, parts[i])
                elif isinstance(type_of(bar), Tuple):
                    self.add(item, self.call(operator.getitem, bar, Const(i)))
                else:
                    self.add(item, self.call(cotangent.item, bar, Const(i)))

    def _unpack(self, call: Call, bars: list[Operand | None]) -> None:
        source = call.args[0]
        known = [
            (self.zero(result) if bar is None else bar)
            for bar, result in zip(bars, call.results, strict=True)
        ]
        self._items_bar(source, self.call(primitives.build_tuple, *known))

    def _items_bar(self, source: Operand, items: Operand) -> None:
        """Adds the tuple of the cotangents of all items to the cotangent of a container."""
        if isinstance(type_of(source), Tuple):
            self.add(source, items)
        else:
            self.add(source, self.call(cotangent.from_items, items, source))

    def _lambda_step(self, op: Lambda) -> None:
        bar = self.bars.pop(op.result, None)
        if bar is None:
            return
        for captured, operand in zip(op.function.captured, op.captures, strict=True):
            if isinstance(operand, Value) and operand in self._varied:
                self.add(operand, self.call(cotangent.item, bar, Const(captured.name)))

    # Branches

    def _branch_step(self, step: BranchStep) -> None:
        op = step.op
        seeds = [
            (i, self.bars.pop(result)) for i, result in enumerate(op.results)
            if result in self.bars
        ]
        if not seeds:
            return
        outer_ops, outer_bars = self.ops, self.bars
        arms: list[tuple[Block, list[Op], dict[Value, Operand]]] = []
        for block, steps in zip(op.blocks, step.arms, strict=True):
            if isinstance(block.exit, Raise):
                continue
            self.ops, self.bars = [], dict(outer_bars)
            for i, bar in seeds:
                self.add(block.exit.values[i], bar)
            self.transpose(steps)
            inside = defined(block)
            changed = {
                value: bar for value, bar in self.bars.items()
                if value not in inside and outer_bars.get(value) is not bar
            }
            arms.append((block, self.ops, changed))
        self.ops, self.bars = outer_ops, outer_bars
        if len(arms) == 1:
            self._only_arm(op, *arms[0])
            return
        targets = list(dict.fromkeys(value for _, _, changed in arms for value in changed))
        yields: list[list[Operand]] = []
        blocks: list[Block] = []
        for _, ops, changed in arms:
            self.ops = ops
            values = [
                changed.get(v) or self.bars.get(v) or self.zero(v) for v in targets
            ]
            blocks.append(Block([], self.ops, Yield(values)))
            yields.append(values)
        self.ops = outer_ops
        if not targets:
            return
        self._export_arms(op, [block for block, _, _ in arms], blocks)
        results = [
            Value(_bar_name(v), join(widen(type_of(a)), widen(type_of(b))))
            for v, a, b in zip(targets, *yields, strict=True)
        ]
        self._define(If(op.cond, blocks[0], blocks[1], results, op.loc))
        self.bars.update(zip(targets, results, strict=True))

    def _only_arm(
        self, op: If, block: Block, ops: list[Op], changed: dict[Value, Operand]
    ) -> None:
        """The other arm raised: this one has run, and nothing needs to be told apart."""
        adjoint = Block([], ops, Yield(list(changed.values())))
        self._export_arms(op, [block], [adjoint])
        self.ops += adjoint.ops
        self.bars.update(zip(changed, adjoint.exit.values, strict=True))  # type: ignore[union-attr]

    def _export_arms(self, op: If, arms: list[Block], adjoints: list[Block]) -> None:
        """Hands what adjoint arms read of their forward arms out of the branch, slot by slot."""
        slots: list[Value] = []
        for arm, adjoint in zip(arms, adjoints, strict=True):
            taken: set[Value] = set()
            inside = defined(arm)
            needed = self._recomputed(adjoint, arm, inside)
            mapping: dict[Value, Operand] = {}
            for value in needed:
                slot = next((s for s in slots if s not in taken and s.type == value.type), None)
                if slot is None:
                    slot = Value(value.name, value.type)
                    slots.append(slot)
                    op.results.append(slot)
                    self.definitions[slot] = op
                    for block in op.blocks:
                        if isinstance(block.exit, Yield):
                            block.exit.values.append(NONE)
                taken.add(slot)
                mapping[value] = slot
                index = op.results.index(slot)
                assert isinstance(arm.exit, Yield)
                arm.exit.values[index] = value
            substitute(adjoint, mapping)

    # What is done again

    def _recomputed(self, adjoint: Block, forward: Block, inside: set[Value]) -> list[Value]:
        """The values of a forward block that its adjoint reads and can't cheaply do again."""
        available = set(forward.params)
        needed = [value for value in free_values(adjoint) if value in inside]
        definitions = {value: op for op in forward.ops for value in op.results}
        kept: list[Value] = []
        again: dict[Value, None] = {}
        for value in needed:
            if self._is_cheap(value, definitions, available, again):
                continue
            if _is_difference(definitions.get(value), set(needed), inside):
                again[value] = None
                continue
            kept.append(value)
        for value in list(again):
            for operand in operands_of(definitions[value]):
                if operand in available and operand not in kept and operand not in again:
                    kept.append(operand)
        mapping: dict[Value, Operand] = {}
        copies = []
        for op in forward.ops:
            if any(value in again for value in op.results):
                copies.append(clone_op(op, mapping))
                for value in op.results:
                    self.definitions[mapping[value]] = copies[-1]  # type: ignore[index]
        substitute(adjoint, mapping)
        adjoint.ops[:0] = copies
        return kept

    def _is_cheap(
        self,
        value: Value,
        definitions: dict[Value, Op],
        available: set[Value],
        again: dict[Value, None],
    ) -> bool:
        """Whether a value is an integer computed from others at hand: an index, a condition."""
        op = definitions.get(value)
        if not isinstance(op, Call) or len(op.results) != 1 or not isinstance(op.callee, Const):
            return False
        if op.callee.value not in _CHEAP or not _is_integer(value.type):
            return False
        for operand in [*op.args, *op.kwargs.values()]:
            if isinstance(operand, Value) and operand in definitions:
                if not self._is_cheap(operand, definitions, available, again):
                    return False
            elif isinstance(operand, Value) and operand in available:
                if not _is_integer(operand.type):
                    return False
        again[value] = None
        return True

    # Loops

    def _loop_step(self, step: LoopStep) -> None:
        op = step.op
        count = len(op.init)
        if not any(result in self.bars for result in op.results):
            return
        seeds = {result: self.bars.pop(result) for result in op.results if result in self.bars}
        assert isinstance(op.body.exit, Yield)
        yields = op.body.exit.values[1:]
        useful, carried = self._useful(op, yields, seeds)
        outer = [
            value for value in free_values(op.body)
            if value in useful and value in self._varied
        ]
        items = [
            value for value in (op.items if isinstance(op, For) else [])
            if value in useful and value in self._varied
        ]
        bars_in = [
            seeds.get(op.results[k]) or self.zero(op.results[k]) for k in carried
        ]
        accumulated = [self.bars.get(value) or self.zero(value) for value in outer]
        collected = [
            (yields[i], self._listed(seeds[op.results[i]], op.results[i]))
            for i in range(count, len(op.results)) if op.results[i] in seeds
        ]
        init = [*bars_in, *accumulated]
        targets = [op.carried[k] for k in carried]
        types = [
            join(widen(type_of(operand)), tangent_type(value.type))
            for operand, value in zip(init, [*targets, *outer], strict=True)
        ]
        names = [_bar_name(value) for value in [*targets, *outer]]
        outer_ops, outer_bars = self.ops, self.bars
        # The cotangent of a sum that the loop only adds to is the same in each iteration.
        steady = {k: bars_in[i] for i, k in enumerate(carried) if _is_accumulator(op, k)}
        for _ in range(MAX_ROUNDS):
            params = [Value(name, type_) for name, type_ in zip(names, types, strict=True)]
            item_params = [
                Value(_bar_name(value), facts.item_of(type_of(bars)))
                for value, bars in collected
            ]
            self.ops = []
            self.bars = dict(zip(outer, params[len(carried) :], strict=True))
            for k, param in zip(carried, params, strict=False):
                self.add(yields[k], steady.get(k, param))
            for (value, _), param in zip(collected, item_params, strict=True):
                self.add(value, param)
            self.transpose(step.steps)
            following = [
                self.bars.get(value) or self.zero(value) for value in [*targets, *outer]
            ]
            item_bars = [self.bars.get(value) or self.zero(value) for value in items]
            unsteady = [
                k for k, bar in zip(carried, following, strict=False)
                if k in steady and not _same(bar, steady[k])
            ]
            if unsteady:
                for k in unsteady:
                    del steady[k]
                continue
            following = [
                param if i < len(carried) and carried[i] in steady else bar
                for i, (param, bar) in enumerate(zip(params, following, strict=True))
            ]
            found = [
                join(type_, widen(type_of(bar)))
                for type_, bar in zip(types, following, strict=True)
            ]
            ops = self.ops
            if found == types:
                break
            types = found
        self.ops, self.bars = outer_ops, outer_bars
        # What the body only hands on needs no walk through it.
        changed = [
            i for i, (param, bar) in enumerate(zip(params, following, strict=True))
            if param is not bar
        ]
        constant: dict[Value, Operand] = {
            param: operand for param, operand, bar in zip(params, init, following, strict=True)
            if param is bar
        }
        passed = [(k, init[i]) for i, k in enumerate(carried) if i not in changed]
        outer = [outer[i - len(carried)] for i in changed if i >= len(carried)]
        carried = [k for i, k in enumerate(carried) if i in changed]
        init, params = [init[i] for i in changed], [params[i] for i in changed]
        names, types = [names[i] for i in changed], [types[i] for i in changed]
        following = [following[i] for i in changed]
        body = Block(
            [*item_params, *params], ops, Yield([Const(False), *following, *item_bars])
        )
        substitute(body, constant)
        if not carried and not items and not collected and self._fuse(op, body, outer, init):
            for k, result in passed:
                self.add(op.init[k], result)
            return
        sources = [bars for _, bars in collected]
        iterables, read = self._records(op, body, sources)
        body.params = [*item_params, *read, *params]
        results = [Value(name, type_) for name, type_ in zip(names, types, strict=True)]
        item_lists = [Value(_bar_name(value) + "s", Sequence(list, TOP)) for value in items]
        for bar, bars in zip(item_bars, item_lists, strict=True):
            bars.type = Sequence(list, widen(type_of(bar)))
        loop = For(iterables, init, body, [*results, *item_lists], True, op.loc)
        self._define(loop)
        # The accumulators started from what was there, so that they replace it.
        self.bars.update(zip(outer, results[len(carried) :], strict=True))
        for k, result in [*zip(carried, results, strict=False), *passed]:
            self.add(op.init[k], result)
        for value, bars in zip(items, item_lists, strict=True):
            assert isinstance(op, For)
            iterable = op.iterables[op.items.index(value)]
            # A loop that went backwards is reversed from the first item to the last.
            collect = cotangent.from_items if op.backwards else cotangent.from_reversed_items
            self.add(iterable, self.call(collect, bars, iterable))

    def _fuse(
        self, op: For | While, body: Block, outer: list[Value], init: list[Operand]
    ) -> bool:
        """Reverses each iteration right behind itself, where all that a loop does is to add.

        Then nothing is recorded. That takes the joint form, and cotangents that are known before
        the loop runs.
        """
        home = self.joint_ops
        if home is None or not any(inner is op for inner in home):
            return False
        exit, adjoint = op.body.exit, body.exit
        assert isinstance(exit, Yield) and isinstance(adjoint, Yield)
        if not (isinstance(exit.values[0], Const) and not exit.values[0].value):
            return False
        at = next(i for i, inner in enumerate(home) if inner is op)
        behind = {value for inner in home[at:] for value in inner.results}
        behind |= {value for inner in self.ops for value in inner.results}
        zeros = [self._call_of(operand, cotangent.zeros_like) for operand in init]
        for operand, zero in zip(init, zeros, strict=True):
            if not isinstance(operand, Const) and (zero is None or zero.args[0] in behind):
                return False
        own = defined(op.body) | set(body.params) | defined(body)
        params = body.params
        if any(v in behind and v not in own for v in free_values(body)):
            return False
        eliminate_dead(body, is_pure)
        starts: list[Operand] = []
        for operand, zero in zip(init, zeros, strict=True):
            if zero is not None:
                made = Value(operand.name, operand.type)  # type: ignore[union-attr]
                moved = Call(zero.callee, list(zero.args), {}, [made], op.loc)
                self.definitions[made] = moved
                home.insert(at, moved)
                at += 1
                operand = made
            starts.append(operand)
        count = len(op.init)
        results = [Value(_bar_name(value), param.type) for value, param in
                   zip(outer, params, strict=True)]
        op.init += starts
        op.body.params += params
        op.body.ops += body.ops
        exit.values[1 + count : 1 + count] = adjoint.values[1:]
        op.results[count:count] = results
        for result in results:
            self.definitions[result] = op
        share_common(op.body)
        self.bars.update(zip(outer, results, strict=True))
        return True

    def _listed(self, bars: Operand, items: Value) -> Operand:
        """The list of the cotangents of a list's items, also where there are none at run time."""
        if isinstance(type_of(bars), Sequence):
            return bars
        made = self.call(cotangent.listed, bars, items)
        if isinstance(made, Value):
            item = tangent_type(facts.item_of(items.type))
            made.type = Sequence(list, TOP if not isinstance(type_of(bars), Sequence) else item)
        return made

    def _useful(
        self, op: For | While, yields: list[Operand], seeds: dict[Value, Operand]
    ) -> tuple[set[Value], list[int]]:
        """The values of a loop body that cotangents arrive at, and the carried ones of them."""
        count = len(op.init)
        wanted = {i for i, result in enumerate(op.results) if result in seeds}
        while True:
            reached = _influencing(op.body, [yields[i] for i in sorted(wanted)])
            new = {
                k for k in range(count)
                if op.carried[k] in reached and op.carried[k] in self._varied
            }
            if new <= wanted:
                return reached, sorted(
                    k for k in wanted if (k < count and op.carried[k] in self._varied)
                    or (k < count and yields[k] in self._varied)
                )
            wanted |= new

    def _records(
        self,
        op: For | While,
        adjoint: Block,
        iterables: list[Operand],
    ) -> tuple[list[Operand], list[Value]]:
        """What the adjoint of a loop walks over backwards, and the items that it reads there."""
        assert isinstance(op.body.exit, Yield)
        stop = op.body.exit.values[0]
        is_whole = isinstance(stop, Const) and not stop.value
        needed = self._recomputed(adjoint, op.body, defined(op.body))
        read: list[Value] = []
        mapping: dict[Value, Operand] = {}
        for value in needed:
            again = self._walkable(op, value) if is_whole else None
            item = Value(value.name, value.type)
            if again is None:
                value = self._lean(op, adjoint, value)
                records = Value(f"{value.name}s" if value.name != "t" else "records",
                                Sequence(list, value.type))
                op.results.append(records)
                op.body.exit.values.append(value)
                self.definitions[records] = op
                again = records
            iterables.append(again)
            read.append(item)
            mapping[value] = item
        substitute(adjoint, mapping)
        if not iterables:
            iterables.append(self._trips(op, is_whole))
            read.append(Value("_", Scalar(int)))
        return iterables, read

    def _lean(self, op: For | While, adjoint: Block, value: Value) -> Value:
        """The prototype of an array, where the adjoint of an iteration reads just its shape."""
        if not _is_array(value.type) or not reads_only_metadata(adjoint, value):
            return value
        made = Value(value.name, value.type)
        call = Call(Const(cotangent.prototype), [value], {}, [made], op.loc)
        at = next((i + 1 for i, o in enumerate(op.body.ops) if value in o.results), 0)
        op.body.ops.insert(at, call)
        self.definitions[made] = call
        substitute(adjoint, {value: made})
        return made

    def _walkable(self, op: For | While, value: Value) -> Operand | None:
        """The iterable that gave an item, where it can be walked over again, backwards."""
        if not isinstance(op, For) or len(op.iterables) != 1 or value is not op.items[0]:
            return None
        iterable = op.iterables[0]
        if op.backwards:
            return None  # it would have to be walked the other way than the records
        return iterable if isinstance(type_of(iterable), Sequence | Tuple) else None

    def _trips(self, op: For | While, is_whole: bool) -> Operand:
        """Something as long as the loop has run."""
        assert isinstance(op.body.exit, Yield)
        if isinstance(op, For) and is_whole and len(op.iterables) == 1:
            type_ = type_of(op.iterables[0])
            if isinstance(type_, Sequence | Tuple):
                return op.iterables[0]
        count = len(op.init)
        param, total = Value("trips", Scalar(int)), Value("trips", Scalar(int))
        following = Value("trips", Scalar(int))
        op.body.ops.append(
            Call(Const(operator.add), [param, Const(1)], {}, [following], op.loc)
        )
        op.init.append(Const(0))
        op.body.params.append(param)
        op.body.exit.values.insert(1 + count, following)
        op.results.insert(count, total)
        self.definitions[total] = op
        return self.call(range, total)


def _is_difference(op: Op | None, needed: set[Value], inside: set[Value]) -> bool:
    """Whether a value is a sum or difference of floats that are at hand in the adjoint anyway."""
    if not isinstance(op, Call) or not isinstance(op.callee, Const):
        return False
    if op.callee.value not in (operator.add, operator.sub, operator.neg):
        return False
    return all(
        isinstance(arg, Const) or ((arg in needed or arg not in inside)
        and type_of(arg) == Scalar(float)) for arg in op.args
    )


def _is_accumulator(op: For | While, k: int) -> bool:
    """Whether a loop does nothing with a carried value but add to it or subtract from it."""
    assert isinstance(op.body.exit, Yield)
    param, following = op.carried[k], op.body.exit.values[k + 1]
    for inner in op.body.ops:
        if following in inner.results:
            return (
                isinstance(inner, Call)
                and isinstance(inner.callee, Const)
                and inner.callee.value in (operator.add, operator.sub)
                and inner.args[0] is param
                and isinstance(widen(param.type), Scalar | Union)
            )
    return False


def _influencing(block: Block, roots: list[Operand]) -> set[Value]:
    """The values that the roots are computed from, inside a block and outside of it."""
    definitions: dict[Value, tuple[Op, int]] = {}
    owners: dict[Value, Op] = {}

    def scan(inner: Block) -> None:
        for op in inner.ops:
            for i, value in enumerate(op.results):
                definitions[value] = op, i
            match op:
                case If():
                    scan(op.then)
                    scan(op.orelse)
                case For() | While():
                    for value in op.body.params:
                        owners[value] = op
                    scan(op.body)

    scan(block)
    reached: set[Value] = set()
    pending = [root for root in roots if isinstance(root, Value)]

    def push(operands: Any) -> None:
        pending.extend(o for o in operands if isinstance(o, Value) and o not in reached)

    while pending:
        value = pending.pop()
        if value in reached:
            continue
        reached.add(value)
        if value in definitions:
            op, i = definitions[value]
            match op:
                case If():
                    for arm in op.blocks:
                        if isinstance(arm.exit, Yield):
                            push([arm.exit.values[i]])
                case For() | While():
                    _push_loop(op, i, push)
                case _:
                    push(operands_of(op))
        elif value in owners:
            op = owners[value]
            assert isinstance(op, For | While)
            items = len(op.iterables) if isinstance(op, For) else 0
            index = op.body.params.index(value)
            if index < items:
                assert isinstance(op, For)
                push([op.iterables[index]])
            else:
                _push_loop(op, index - items, push)
    return reached


def _push_loop(op: For | While, i: int, push: Any) -> None:
    if i < len(op.init):
        push([op.init[i], op.carried[i]])
    if isinstance(op.body.exit, Yield):
        push([op.body.exit.values[i + 1]])


def tangent_type(type_: Type) -> Type:
    """The type of cotangents of values of a type, as zeros have it."""
    match widen(type_):
        case Tuple(items):
            return Tuple(tuple(map(tangent_type, items)))
        case Closure() | Dict():
            return TOP
        case Union(members):
            return join_all(map(tangent_type, sorted(members, key=repr)))
        case other if _is_array(other) and other.dtype.kind not in "fc":  # type: ignore[attr-defined]
            return type(other)(np.dtype(float), other.dims)  # type: ignore[attr-defined,call-arg]
        case Scalar() as scalar:
            return scalar
        case other if _is_array(other):
            return other
        case _:
            return TOP


_ELEMENTWISE = (operator.mul, operator.truediv, operator.sub, cotangent.add, cotangent.subtract)


def _neutral(callee: object, left: Operand, right: Operand) -> Operand | None:
    """The operand that a product with one or a first power is equal to."""
    if callee is operator.mul:
        if _is_one(left) and _is_inexact(type_of(right)):
            return right
        if _is_one(right) and _is_inexact(type_of(left)):
            return left
    if callee in (operator.pow, operator.truediv) and _is_one(right):
        return left if _is_inexact(type_of(left)) else None
    return None


def _is_number(type_: Type) -> bool:
    match type_:
        case Known(value):
            return type(value) in (int, float)
        case Scalar(cls):
            return issubclass(cls, float | int) and cls is not bool
        case _:
            return False


def _is_reshaping(index: object) -> bool:
    """Whether an index takes all items in their order, and only changes the shape."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(part is None or part is Ellipsis or part == slice(None) for part in parts)


def _may_be_none(type_: Type) -> bool:
    """Whether a cotangent of this type may be the structural zero at run time."""
    return not isinstance(type_, Tuple | Sequence) and not _is_numeric(type_)


def _is_buffer(type_: Type) -> bool:
    """Whether cotangents of this type are never a structural zero, and can be added to."""
    return _is_array(type_) or (isinstance(type_, Sequence) and type_.cls is list)


def _is_one(operand: Operand) -> bool:
    return isinstance(operand, Const) and type(operand.value) in (int, float) and (
        operand.value == 1
    )


def _is_inexact(type_: Type) -> bool:
    match type_:
        case Known(value):
            return type(value) in (float, complex)
        case Scalar(cls):
            return issubclass(cls, float | complex | np.inexact)
        case _:
            return _is_array(type_) and type_.dtype.kind in "fc"  # type: ignore[attr-defined]


def _is_array(type_: Type) -> bool:
    return type(type_).__name__ == "Array"


def _is_numeric(type_: Type) -> bool:
    match type_:
        case Union(members):
            return all(isinstance(member, Scalar) and may_vary(member) for member in members)
        case Known(value):
            return isinstance(value, int | float | complex)
        case Scalar():
            return may_vary(type_)
        case _:
            return _is_array(type_)


def _is_integer(type_: Type) -> bool:
    match type_:
        case Known(value):
            return isinstance(value, int)
        case Scalar(cls):
            return issubclass(cls, int)
        case Sequence(cls):
            return cls is range
        case _:
            return False


_CHEAP = (
    operator.add, operator.sub, operator.mul, operator.neg, operator.lt, operator.le, operator.gt,
    operator.ge, operator.eq, operator.ne, operator.not_, operator.truth,
)


def _is_none(operand: Operand) -> bool:
    return isinstance(operand, Const) and operand.value is None


def _bar_name(operand: Operand) -> str:
    return f"{operand.name}_bar" if isinstance(operand, Value) else "t_bar"


def _like(value: Value, operand: Operand) -> Operand:
    """An operand of which no more is known than the type of another one."""
    return operand if isinstance(operand, Const) else Value(value.name, operand.type)


def _callee_name(callee: object) -> str:
    return str(getattr(callee, "__name__", callee))


