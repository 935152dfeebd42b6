"""The adjoint of a loop: a loop over what it recorded, backwards.

    for _ in range(n):               for y in reversed(ys):
        ys.append(y)          ->         x_bar += y_bar * y
        y = y * x                        y_bar = y_bar * x

The cotangents of what the loop carries are carried too; those of values from outside are added up.
A loop that only adds is reversed iteration by iteration, without a record, in the joint form.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from ir import facts
from ir.core import (
    Block,
    Call,
    Const,
    For,
    If,
    Loop,
    Op,
    Operand,
    Try,
    Value,
    While,
    Yield,
    operands_of,
    type_of,
)
from ir.inference.typed_branches import is_same_operand
from ir.memory.memory_facts import is_change
from ir.rewrite import blocks, defined, free_values, substitute, walk
from ir.simplify import eliminate_dead, is_pure, share_common
from ir.types import (
    TOP,
    Dict,
    Mapping,
    Scalar,
    Sequence,
    Type,
    Union,
    join,
    members_of,
    widen,
)
from zyg.compiler.forward.forward_steps import (
    BranchStep,
    CallStep,
    ChangeStep,
    LoopStep,
    OpaqueStep,
    RuleStep,
    Step,
    StoreStep,
    touches_heap,
    works_on_heap,
)
from zyg.compiler.reverse.cotangent_types import (
    NONE,
    bar_name,
    is_container_of_floats,
    is_none,
    is_number,
    tangent_type,
)
from zyg.compiler.reverse.lengths import outside as known_behind
from zyg.compiler.reverse.loop_records import LoopRecords
from zyg.cotangents import cotangent, cotangent_items
from zyg.facts.cotangent_facts import has_number_for_each, holds_numbers, is_table

MAX_ROUNDS = 6


class LoopTransposer(LoopRecords):
    """Builds the adjoints of loops."""

    def transpose(self, steps: list[Step]) -> None:
        raise AssertionError("given by Transposer")

    # Loops

    def _loop_step(self, step: LoopStep) -> None:
        op = step.op
        count = len(op.init)
        has_seeds = any(result in self.bars for result in op.results)
        crossing = self.crossing(op)
        is_passed = not has_seeds and not crossing
        if is_passed and not (self.heap is not None and works_on_heap(step.steps)):
            return
        on_heap = self.heap is not None and touches_heap(step.steps)
        heap_bar = self.heap_bar() if on_heap else None
        seeds = {result: self.bars.pop(result) for result in op.results if result in self.bars}
        assert isinstance(op.body.exit, Yield)
        yields = op.body.exit.values[1:]
        targets_of = _targets_of(step.steps)
        stored = list(_stored(step.steps)) if on_heap else []
        useful, carried = self._useful(op, yields, seeds, targets_of, stored)
        inside = defined(op.body)
        outside = dict.fromkeys(free_values(op.body))
        for operands in targets_of.values():
            outside.update((v, None) for v in operands if isinstance(v, Value) and v not in inside)
        outer = [value for value in outside if value in useful and value in self._varied]
        items = [
            value for value in (op.items if isinstance(op, For) else [])
            if value in useful and value in self._varied
        ]
        bars_in = [self._begun(seeds.get(op.results[k]), op.results[k]) for k in carried]
        keys = [self.log.keys[chain] for chain in crossing] if self.log is not None else []
        outer += keys
        accumulated = [self._begun(self.bars.get(value), value) for value in outer]
        alike: list[tuple[Operand, Operand]] = []
        collected: list[tuple[Operand, Operand]] = []
        for value, made in zip(yields[count:], op.results[count:], strict=True):
            if made in seeds:
                each = self._bar_of_each(seeds[made])
                if each is not None:
                    alike.append((value, each))
                else:
                    collected.append((value, self._listed(seeds[made], made)))
        init = [*bars_in, *accumulated]
        targets = [op.carried[k] for k in carried]
        types = [
            value.type if value in keys else _carried_type(operand, value)
            for operand, value in zip(init, [*targets, *outer], strict=True)
        ]
        names = [self.name_of_bar(value) for value in [*targets, *outer]]
        outer_ops, outer_bars = self.ops, self.bars
        # The cotangent of a sum that the loop only adds to is the same in each iteration.
        steady = {k: bars_in[i] for i, k in enumerate(carried) if _is_accumulator(op, k)}
        for _ in range(MAX_ROUNDS):
            params = [Value(name, type_) for name, type_ in zip(names, types, strict=True)]
            item_params = [
                Value(bar_name(value), facts.item_of(type_of(bars)))
                for value, bars in collected
            ]
            self.ops = []
            self.bars = self.replicas(crossing, outer_bars)
            self.bars.update(zip(outer, params[len(carried) :], strict=True))
            self.enter(op, crossing, 0)
            if self.heap is not None and heap_bar is not None:
                self.bars[self.heap] = heap_bar
            for k, param in zip(carried, params, strict=False):
                self.add(yields[k], steady.get(k, param))
            for value, bar in alike:
                self.add(value, bar)
            for (value, _), param in zip(collected, item_params, strict=True):
                self.add(value, param)
            self.transpose(step.steps)
            self.leave(op, crossing)
            following = [
                self.bars.get(value) or self.zero(value) for value in [*targets, *outer]
            ]
            item_bars = [
                self.with_all_fields(self.bars.get(value, NONE), value.type)
                if isinstance(value.type, Dict) else self.bars.get(value, NONE) for value in items
            ]
            unsteady = [
                k for k, bar in zip(carried, following, strict=False)
                if k in steady and not is_same_operand(bar, steady[k])
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
        self.left(op, crossing)
        # The cotangents of objects are in the table: nothing is collected for them. Nor is it for
        # what the body only asks, as for indices.
        some = [(value, bar) for value, bar in zip(items, item_bars, strict=True)
                if not is_none(bar)]
        items, item_bars = [value for value, _ in some], [bar for _, bar in some]
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
        item_lists = [Value(bar_name(value) + "s", Sequence(list, TOP)) for value in items]
        for bar, bars in zip(item_bars, item_lists, strict=True):
            bars.type = Sequence(list, known_behind(widen(type_of(bar))))
        is_plain = not carried and not collected and not on_heap
        if is_plain and self._fuse(op, body, outer, init, item_lists):
            for k, result in passed:
                self.add(op.init[k], result)
            self._add_items(op, items, item_lists, is_fused=True)
            return
        eliminate_dead(body, is_pure)  # records are of what is read
        sources = [bars for _, bars in collected]
        iterables, read = self._records(op, body, sources)
        body.params = [*item_params, *read, *params]
        results = [Value(name, type_) for name, type_ in zip(names, types, strict=True)]
        loop = For(iterables, init, body, [*results, *item_lists], True, op.loc)
        self._define(loop)
        # The accumulators started from what was there, so that they replace it.
        self.bars.update(zip(outer, results[len(carried) :], strict=True))
        for k, result in [*zip(carried, results, strict=False), *passed]:
            self.add(op.init[k], result)
        self._add_items(op, items, item_lists, is_fused=False)

    def _add_items(
        self, op: For | While, items: list[Value], item_lists: list[Value], is_fused: bool
    ) -> None:
        """Adds the cotangents of its items to those of what a loop walks over."""
        for value, bars in zip(items, item_lists, strict=True):
            assert isinstance(op, For)
            # A loop that went backwards is reversed from the first item to the last.
            in_order = op.backwards is not is_fused
            collect = cotangent.from_items if in_order else cotangent.from_reversed_items
            iterable = op.iterables[op.items.index(value)]
            self.add(iterable, self.call(collect, bars, iterable))

    def _begun(self, bar: Operand | None, value: Value) -> Operand:
        """What the cotangent of a value is before a loop, which may change it number by number."""
        if bar is None:
            return self.zero(value)
        if self.heap is not None:
            return bar
        if is_container_of_floats(value.type):
            is_begun = is_container_of_floats(type_of(bar))
            return bar if is_begun else self.completed_container(bar, value)
        type_ = type_of(bar)
        if has_number_for_each(widen(value.type)) and not (holds_numbers(type_) or is_table(type_)):
            return self.call(cotangent_items.with_numbers, bar, value)
        return bar

    def _fuse(
        self, op: For | While, body: Block, outer: list[Value], init: list[Operand],
        item_lists: list[Value],
    ) -> bool:
        """Reverses each iteration right behind itself, where all that a loop does is to add.

        Then nothing is recorded. That takes the joint form, and cotangents that are known before
        the loop runs.
        """
        home = self.joint_ops
        if home is None or not any(inner is op for inner in home):
            return False
        if any(map(is_change, walk(op.body))):
            return False  # behind the iteration, memory that the adjoint reads may be overwritten
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
        results = [Value(bar_name(value), param.type) for value, param in
                   zip(outer, params, strict=True)]
        op.init += starts
        op.body.params += params
        op.body.ops += body.ops
        following = 1 + len(params)
        exit.values[1 + count : 1 + count] = adjoint.values[1:following]
        exit.values += adjoint.values[following:]
        op.results[count:count] = results
        op.results += item_lists
        for result in (*results, *item_lists):
            self.definitions[result] = op
        share_common(op.body)
        self.bars.update(zip(outer, results, strict=True))
        return True

    def _bar_of_each(self, bars: Operand) -> Operand | None:
        """The cotangent that all items of a list have: `[bar] * len(items)`."""
        repeated = self._call_of(bars, operator.mul)
        one = None if repeated is None else self.parts(repeated.args[0])
        if one is None or len(one) != 1 or not all(map(is_number, members_of(type_of(one[0])))):
            return None
        return one[0]

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
        self, op: For | While, yields: list[Operand], seeds: dict[Value, Operand],
        targets: dict[Value, list[Operand]], stored: list[Operand],
    ) -> tuple[set[Value], list[int]]:
        """The values of a loop body that cotangents arrive at, and the carried ones of them.

        They arrive at what has a cotangent behind the loop, and at what is `stored` in objects.
        """
        count = len(op.init)
        wanted = {i for i, result in enumerate(op.results) if result in seeds}
        while True:
            roots = [*(yields[i] for i in sorted(wanted)), *stored]
            reached = _influencing(op.body, roots, targets)
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


def _carried_type(bar: Operand, value: Value) -> Type:
    """What the cotangent of a value may be that a loop starts with `bar` for."""
    if isinstance(value.type, Sequence | Dict | Mapping):
        return widen(type_of(bar))
    return join(widen(type_of(bar)), tangent_type(value.type))


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


def _targets_of(steps: list[Step]) -> dict[Value, list[Operand]]:
    """What the cotangents of results go to: more than what computes them, where that was folded."""
    found: dict[Value, list[Operand]] = {}
    for step in steps:
        match step:
            case RuleStep():
                found[step.result] = step.targets
            case OpaqueStep() | CallStep():
                found[step.result] = [operand for operand, _ in step.targets]
            case BranchStep(_, arms):
                for arm in arms:
                    found.update(_targets_of(arm))
            case LoopStep(_, inner):
                found.update(_targets_of(inner))
            case _:
                pass
    return found


def _stored(steps: list[Step]) -> Iterator[Operand]:
    """The operands whose cotangents come out of what objects hold."""
    for step in steps:
        match step:
            case StoreStep() | ChangeStep():
                if step.value is not None:
                    yield step.value
            case CallStep() | OpaqueStep():
                if step.changes_objects:
                    yield from (operand for operand, _ in step.targets)
            case BranchStep(_, arms):
                for arm in arms:
                    yield from _stored(arm)
            case LoopStep(_, inner):
                yield from _stored(inner)


def _influencing(
    block: Block, roots: list[Operand], targets: dict[Value, list[Operand]]
) -> set[Value]:
    """The values that the roots are computed from, inside a block and outside of it."""
    definitions: dict[Value, tuple[Op, int]] = {}
    owners: dict[Value, Op] = {}

    for inner in blocks(block):
        for op in inner.ops:
            for i, value in enumerate(op.results):
                definitions[value] = op, i
            if isinstance(op, Loop):
                for value in op.body.params:
                    owners[value] = op
    reached: set[Value] = set()
    pending = [root for root in roots if isinstance(root, Value)]

    def push(operands: Any) -> None:
        pending.extend(o for o in operands if isinstance(o, Value) and o not in reached)

    while pending:
        value = pending.pop()
        if value in reached:
            continue
        reached.add(value)
        push(targets.get(value, ()))
        if value in definitions:
            op, i = definitions[value]
            match op:
                case If() | Try():
                    for arm in op.blocks:
                        if isinstance(arm.exit, Yield):
                            push([arm.exit.values[i]])
                case For() | While():
                    _push_loop(op, i, push)
                case _:
                    push(operands_of(op))
        elif value in owners:
            op = owners[value]
            assert isinstance(op, Loop)
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
