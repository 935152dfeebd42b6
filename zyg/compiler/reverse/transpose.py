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
from typing import TYPE_CHECKING, Any

import numpy as np

from ir import facts, primitives
from ir.core import (
    Block,
    Call,
    Const,
    Function,
    If,
    Lambda,
    Operand,
    Raise,
    Value,
    Yield,
    type_of,
)
from ir.errors import Unsupported
from ir.late import late_class
from ir.rewrite import Mapping
from ir.simplify import eliminate_dead, is_pure, share_common
from ir.types import TOP, NamedTuple, Sequence, Tuple, class_of, members_of
from zyg.array_type import Array
from zyg.compiler.forward.forward_steps import (
    BranchStep,
    CallStep,
    ChangeStep,
    ContentsStep,
    ItemStep,
    LambdaStep,
    LoopStep,
    OpaqueStep,
    ReadStep,
    RuleStep,
    SeenStep,
    Step,
    StoreStep,
    StructureStep,
)
from zyg.compiler.reverse.branches import BranchTransposer
from zyg.compiler.reverse.cotangent_types import (
    NONE,
    callee_name,
    is_none,
    is_numeric,
    may_be_none,
)
from zyg.compiler.reverse.heap_steps import HeapTransposer
from zyg.compiler.reverse.masks import CHOICES, have_one_shape, is_elementwise
from zyg.compiler.reverse.nested_lists import entries_of
from zyg.compiler.reverse.summed_products import double_factors, negate_factors, sum_products
from zyg.cotangents import cotangent, cotangent_items, cotangent_returned
from zyg.errors import NotDifferentiable

if TYPE_CHECKING:
    from zyg.compiler.inference.fields import Fields
    from zyg.compiler.reverse.masked_arms import MaskedArms
else:  # it is for programs with `np.where`
    MaskedArms = late_class(
        "zyg.compiler.reverse.masked_arms", "MaskedArms", BranchTransposer,
        "_begins_arm _pass_on _narrowed _goes_on _has_shape_of _masked_operands _reads_infinite "
        "_masked _of_number _settle _whole _all_masks _condition_changes",
    )

# What a back function gives that is found at run time.
BARS = Sequence(tuple, TOP)


def held_by(op: Lambda) -> list[tuple[str, Operand]]:
    """What a function object holds: captured variables and defaults, by name."""
    function = op.function
    positional = function.signature.positional_only + function.signature.positional
    params = function.params[positional - len(op.defaults) : positional]
    values = [*function.captured, *params]
    held = zip(values, [*op.captures, *op.defaults], strict=True)
    return [*((value.name, operand) for value, operand in held), *op.kwdefaults.items()]


class Transposer(MaskedArms, HeapTransposer):
    """Builds the adjoint operations of the steps of one function."""

    def transpose(self, steps: list[Step]) -> None:
        """Appends the adjoint of steps; reads and extends `self.bars`."""
        by_rules = {step.result for step in steps if isinstance(step, RuleStep)}
        for step in reversed(steps):
            self._by_rules = by_rules
            match step:
                case RuleStep():
                    self.take_back(step.result)
                    bar = self.bars.pop(step.result, None)
                    if bar is not None:
                        self.loc = step.loc
                        self._rule(step, bar)
                case OpaqueStep() | CallStep():
                    self._call_step(step)
                case (
                    ReadStep() | StoreStep() | ContentsStep() | SeenStep() | ItemStep()
                    | ChangeStep()
                ):
                    self._heap_step(step)
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

    def finished(self, exit: Operand, fields: Fields | None) -> Block:
        """The operations so far as an adjoint that gives `exit`, without what is of no use."""
        adjoint = Block([], self.ops, Yield([exit]))
        share_common(adjoint)
        eliminate_dead(adjoint, is_pure)
        sum_products(adjoint)
        negate_factors(adjoint)
        double_factors(adjoint)
        if self.heap is not None and self.table is None:
            from zyg.compiler.reverse.held_items import (
                leave_zeros_out,  # few programs work on objects
            )

            leave_zeros_out(adjoint)
        if fields is not None and not fields.is_open:
            from zyg.compiler.reverse.object_bars import use_records  # few programs work on objects

            use_records(adjoint, fields)
        return adjoint

    def _call_step(self, step: OpaqueStep | CallStep) -> None:
        bar = self.bars.pop(step.result, None)
        if bar is None and not (step.changes_objects and self._counts_what_is_stored()):
            return
        self.loc = step.loc
        if self.heap is not None and step.works_on_objects:
            self.heap_bar()  # what is stored before counts from here on
        if bar is None:  # all that comes back is by what the call has stored
            bar = self.zero(step.result)
        if isinstance(step, OpaqueStep):
            self._opaque(step, bar)
        else:
            self._call(step, bar)

    def _rule(self, step: RuleStep, bar: Operand) -> None:
        back = step.back
        positional = len(back.params) - len(step.defaults)
        if positional != 1:
            raise NotDifferentiable(
                f"the back function of the rule for `{callee_name(step.callee)}` takes "
                f"{positional} arguments; it must take one, the cotangent of the result"
            )
        captures = step.captures
        masks = self._masks.of(step.result)
        is_selected = bool(masks) and not self._goes_on(step, bar)
        if is_selected:
            bar, captures = self._masked_operands(step, masks, bar)
            # Behind an operand that is broadcast, the arm goes on along the other one.
            masks = masks if is_elementwise(step.callee) else ()
        stand_ins = self.stand_ins(captures)
        mapping: Mapping = dict(zip(back.captured, captures, strict=True))
        for inner, captured in mapping.items():
            if isinstance(captured, Value):
                mapping[inner] = stand_ins.get(captured, captured)
        mapping.update(zip(back.params, [bar, *step.defaults], strict=True))
        mark = len(self.ops)
        bars = self._unless_zero(bar, step, mapping)
        if stand_ins:
            bars = self.read_from_replicas(mark, bars, stand_ins)
        if not facts.is_helper_module(back.globals.get("__name__")):
            bars = [self._inexact(*pair) for pair in zip(step.targets, bars, strict=False)]
        if len(step.targets) == 2 and step.targets[0] is step.targets[1]:
            bars = self._doubled(bars)
        for i, (target, gradient) in enumerate(zip(step.targets, bars, strict=False)):
            is_left = False  # whether masks are, to the operand
            if step.callee in CHOICES and self._begins_arm(step, i, masks, bar):
                is_left = True
                # An arm that is broadcast gets a sum, which is one of selected numbers.
                if have_one_shape(type_of(target), type_of(bar)):
                    gradient = self.call(cotangent.realness_of, target, bar, loc=step.loc)
            elif not masks or is_none(gradient) or not isinstance(target, Value):
                pass
            elif self._pass_on(masks, target, step):
                is_left = True
            elif not is_selected:
                gradient = self._masked(masks, self._instantiated(target, gradient), 0)
            is_mixed = not is_left and bool(self._masks.of(target))
            if is_mixed and isinstance(target, Value) and not is_none(gradient):
                self._settle(target, self._all_masks(step, i, masks))
            self.add(target, gradient)

    def _unless_zero(self, bar: Operand, step: RuleStep, mapping: Any) -> list[Operand]:
        """The cotangents of a call; where the result's may be a structural zero, so are they."""
        if not may_be_none(type_of(bar)):
            return self._inlined_back(step, mapping)
        is_some = self.call(operator.is_not, bar, NONE)
        if isinstance(is_some, Const) and is_some.value:  # as what has made it tells
            return self._inlined_back(step, mapping)
        outer = self.ops
        self.ops = []
        bars = self._inlined_back(step, mapping)
        wanted = [
            i for i, target in enumerate(step.targets[: len(bars)])
            if isinstance(target, Value) and target in self._varied and not is_none(bars[i])
        ]
        then = Block([], self.ops, Yield([bars[i] for i in wanted]))
        self.ops = outer
        if not then.ops:
            return bars
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
            is_bare = required <= 1 and (is_numeric(type_) or is_none(result))
            if is_bare:
                return [result]
            names = ["t"] * count
            return self.typed_call(
                Const(cotangent_returned.checked_gradients),
                [result, Const(required), Const(count), Const(callee_name(step.callee))],
                {}, names, self.loc,
            ) if count > 1 else [self.call(
                cotangent_returned.checked_gradient, result, Const(callee_name(step.callee))
            )]
        if not required <= len(parts) <= count:
            raise NotDifferentiable(
                f"the rule for `{callee_name(step.callee)}` returned {len(parts)} gradients "
                f"for {count} arguments"
            )
        return parts

    def _opaque(self, step: OpaqueStep, bar: Operand) -> None:
        if self.table is not None and (step.works_on_objects or step.changes_objects):
            self.surroundings.unless_apart()
            if step.read is None:
                raise Unsupported(
                    "the second derivative of code that works on objects, and calls what isn't "
                    "known", step.loc, advice="call functions by their names",
                )
            from zyg.compiler.run_time.apart import unless_place  # few programs need it

            self.call(unless_place, *step.read)
        result = self.call(step.back, bar)
        if isinstance(result, Value):
            result.type = BARS
        for i, (target, keyword) in enumerate(step.targets):
            if isinstance(target, Value) and target in self._varied:
                if keyword is None:
                    self.add(target, self.call(operator.getitem, result, Const(i)))
                else:
                    self.add(target, self.call(
                        cotangent_returned.keyword_gradient, result, Const(i), Const(keyword)
                    ))

    def _call(self, step: CallStep, bar: Operand) -> None:
        back: Any = step.back
        results = [
            Value("t", type_) for type_ in back.result_types()
        ]
        bar = self.completed(bar, step.result, with_containers=not back.works_on_objects)
        shown = results or [Value("_", TOP)]  # all that it does may be with objects
        begun: dict[int, Value] = {}
        sums = []
        for i in back.begun:
            target, _ = step.targets[i]
            before = self.zero(target)
            if isinstance(target, Value) and target not in begun.values():
                begun[i] = target
                before = self.bars.get(target) or before
            sums.append(self.completed(before, target, with_containers=True))
        tables = [] if self.table is None or not back.works_on_objects else [self.heap_bar()]
        self._define(Call(Const(back), [step.saved, bar, *sums, *tables], {}, shown, step.loc))
        self.bars.update((target, results[i]) for i, target in begun.items())
        for i, ((target, field), gradient) in enumerate(zip(step.targets, results, strict=True)):
            if i in begun:
                continue
            if field is None:
                self.add(target, gradient)
            else:
                self.add(target, self.call(primitives.build_dict, Const(field), gradient))

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
        if callee in primitives.PASSING_ON:
            self.add(call.args[0], bar)
            return
        if callee is primitives.build_dict:
            for key, item in zip(call.args[::2], call.args[1::2], strict=True):
                if isinstance(item, Value) and item in self._varied:
                    self.add(item, self._item_bar(bar, key, item))
            return
        parts = self.parts(bar)
        entries = entries_of(self, bar, call.args) if parts is None else None
        for i, item in enumerate(call.args):
            if isinstance(item, Value) and item in self._varied:
                if entries is not None:
                    self.add(item, entries.at(i, item))
                elif parts is not None:
                    self.add(item, parts[i])
                elif isinstance(type_of(bar), Tuple):
                    self.add(item, self.call(operator.getitem, bar, Const(i)))
                else:
                    self.add(item, self._item_bar(bar, Const(i), item))

    def _item_bar(self, bar: Operand, place: Operand, item: Value) -> Operand:
        """The cotangent of one item of a container that may have one array for all of them."""
        made = self.call(cotangent_items.item, bar, place)
        is_known = item.type is not TOP or isinstance(type_of(bar), Sequence | Tuple)
        return made if is_known else self.call(cotangent_items.kept_real, made, item)

    def _unpack(self, call: Call, bars: list[Operand | None]) -> None:
        source = call.args[0]
        # Rules of functions with several results leave out the work for those that are unread.
        is_left_out = isinstance(type_of(source), NamedTuple)
        known = [
            bar if bar is not None else NONE if is_left_out else self.zero(result)
            for bar, result in zip(bars, call.results, strict=True)
        ]
        if isinstance(type_of(source), Sequence) and class_of(type_of(source)) is list:
            self.add(source, self.call(primitives.build_list, *known))  # of all of its items
            return
        if _are_floats_in(source, known):
            self.add(source, self.call(np.array, self.call(primitives.build_tuple, *known)))
            return
        self._items_bar(source, self.call(primitives.build_tuple, *known))

    def _items_bar(self, source: Operand, items: Operand) -> None:
        """Adds the tuple of the cotangents of all items to the cotangent of a container."""
        if isinstance(type_of(source), Tuple | NamedTuple):
            self.add(source, items)
        else:
            self.add(source, self.call(cotangent.from_items, items, source))

    def _lambda_step(self, op: Lambda) -> None:
        bar = self.bars.pop(op.result, None)
        if bar is None:
            return
        for name, operand in held_by(op):
            if isinstance(operand, Value) and operand in self._varied:
                self.add(operand, self.call(cotangent_items.item, bar, Const(name)))


def _are_floats_in(source: Operand, bars: list[Operand]) -> bool:
    """Whether these are the cotangents of the elements of an array of floats."""
    type_ = type_of(source)
    if not isinstance(type_, Array) or type_.dtype != np.float64:
        return False
    if type_.dims is None or len(type_.dims) != 1:
        return False
    members = (member for bar in bars for member in members_of(type_of(bar)))
    return all(class_of(member) in (float, np.float64) for member in members)


def _like(value: Value, operand: Operand) -> Operand:
    """An operand of which no more is known than the type of another one."""
    return operand if isinstance(operand, Const) else Value(value.name, operand.type)
