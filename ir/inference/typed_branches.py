"""Typed copies of branches: an arm where the condition is decided, else what both arms give."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import TypeAlias

from ir import facts
from ir.core import (
    Block,
    Branch,
    Call,
    Const,
    If,
    Location,
    Op,
    Operand,
    Raise,
    Try,
    Value,
    Yield,
    guarded,
    type_of,
)
from ir.inference.narrowing import Told, narrow, told_by
from ir.inference.typed_builder import known_operand
from ir.inference.typed_calls import TypedCalls
from ir.memory.failing import changes_of, may_fail, may_lose_changes
from ir.memory.memory_facts import is_mutable
from ir.memory.place_state import State
from ir.primitives import UNBOUND
from ir.rewrite import Mapping, defined
from ir.types import Known, class_of, join_all

# Makes a branch of its two arms and its results.
MakeBranch: TypeAlias = Callable[[Block, Block, list[Value]], Branch]


class TypedBranches(TypedCalls):
    """Copies branches; what is known behind them is what both arms agree on."""

    def inner_block(
        self, block: Block, params: list[Value], mapping: Mapping, told: Iterable[Told] = ()
    ) -> Block:
        raise AssertionError("given by Inference")

    def op(self, op: Op, mapping: Mapping) -> Raise | None:
        raise AssertionError("given by Inference")

    def _decided(
        self, callee: Const, args: list[Operand], result: Value, loc: Location | None
    ) -> Operand | None:
        """The value of a call that types make one of its operands, or a constant.

        Most of what rules ask and do is such a call, so this comes before all else.
        """
        decided = _answer(callee.value, args)
        if decided is None and self.places is None:
            fold = facts.fold_of(callee.value)
            simpler = None if fold is None else fold(Call(callee, args, {}, [result], loc))
            return None if isinstance(simpler, Call) else simpler
        return decided

    def _branch(self, op: If, cond: Operand, mapping: Mapping) -> Raise | None:
        if isinstance(cond, Const):
            chosen = op.then if cond.value else op.orelse
            inner = dict(mapping)
            exit = self.inline(chosen, inner)
            if isinstance(exit, Raise):
                self._always_raised(op, exit, mapping)
            else:
                mapping.update(zip(op.results, exit.values, strict=True))
            return None
        self._merge_arms(
            op, mapping, lambda then, orelse, results: If(cond, then, orelse, results, op.loc),
            cond,
        )
        return None

    def _always_raised(self, op: Branch, exit: Raise, mapping: Mapping) -> None:
        """Nothing behind this point runs; a branch that always raises says so."""
        last = Block([], [], exit)
        self.ops.append(If(Const(True), last, Block([], [], exit), [], op.loc))
        mapping.update((value, Const(UNBOUND)) for value in op.results)

    def _cannot_fail(self, op: Try, mapping: Mapping) -> bool:
        """Appends what a `Try` guards, if types tell that it raises nothing."""
        first = guarded(op)
        if len(first) == len(op.body.ops):
            return False
        mark, tried = len(self.ops), dict(mapping)
        state = dict(self.definitions), dict(self.methods)
        memory = self.places.state.copy() if self.places is not None else None
        if self._inline_unless_failing(Block([], first, Yield([])), tried):
            mapping.update(tried)
            return True
        del self.ops[mark:]
        self.definitions, self.methods = state
        if self.places is not None and memory is not None:
            self.places.state = memory
        return False

    def _inline_unless_failing(self, block: Block, mapping: Mapping) -> bool:
        """Appends the operations of a block up to one that may fail; whether there was none."""
        outer, self._source = self._source, block
        try:
            for op in block.ops:
                mark = len(self.ops)
                if not isinstance(op, Call):
                    self._statement = op.loc or self._statement
                if self.op(op, mapping) is not None or any(map(may_fail, self.ops[mark:])):
                    return False
        finally:
            self._source = outer
        return True

    def _merge_arms(
        self, op: Branch, mapping: Mapping, make: MakeBranch, cond: Operand | None = None
    ) -> set[Op]:
        """Appends a branch with typed arms; `mapping` learns its results, and what is known of
        other values where one arm alone goes on.

        Gives the changes of which a failure may lose some.
        """
        tellings = [list(told_by(cond, holds, self.definitions)) for holds in (True, False)]
        blocks, changed, origins, memory, lost = self._arms(op, mapping, tellings)
        yields = [block.exit.values for block in blocks if isinstance(block.exit, Yield)]
        results: list[Value] = []
        kept: list[int] = []
        same: dict[Value, Value] = {}
        for i, result in enumerate(op.results):
            operands = [values[i] for values in yields]
            if operands and all(is_same_operand(operands[0], other) for other in operands[1:]) and (
                self._is_outer(operands[0], blocks)
            ):
                mapping[result] = operands[0]
                continue
            (origin, *others) = {names[i] for names in origins} or {None}
            if origin is not None and not others:
                same[result] = origin
                continue
            value = Value(result.name, join_all(map(type_of, operands)))
            mapping[result] = value
            results.append(value)
            kept.append(i)
            if self.places is not None:
                self.places.cover(value, [values[i] for values in memory])
        versions = [
            Value(first.name, join_all(type_of(values[len(op.results) + i]) for values in yields))
            for i, first in enumerate(changed)
        ]
        kept += range(len(op.results), len(op.results) + len(changed))
        for values in yields:
            values[:] = [values[i] for i in kept]
        self._define(make(blocks[0], blocks[1], [*results, *versions]))
        for first, version in zip(changed, versions, strict=True):
            assert self.places is not None
            self.places.replace(first, version)
        for result, first in same.items():
            assert self.places is not None
            mapping[result] = self.places.latest(first)
        if self.places is not None:
            for result in results:
                self.places.merged(result)
        for block, telling in zip(blocks, reversed(tellings), strict=True):
            if isinstance(block.exit, Raise):
                narrow(self, telling, mapping, op.loc)
        return lost

    def _arms(
        self, op: Branch, mapping: Mapping, tellings: list[list[Told]]
    ) -> tuple[
        list[Block], list[Value], list[list[Value | None]], list[list[Operand]], set[Op]
    ]:
        """The typed arms of a branch, which also yield the versions of what one of them changes.

        Beside them, for each arm that yields, the first names of the versions that it yields, and
        the memory of what it yields; and the changes of which a failure may lose some.
        """
        places = self.places
        if places is None:
            arms = [
                self.inner_block(block, self._params_of(op, block, mapping), mapping, told)
                for block, told in zip(op.blocks, tellings, strict=True)
            ]
            return arms, [], [], [], set()
        before = places.state
        start = before.copy()
        blocks: list[Block] = []
        states: list[State] = []
        for block, told in zip(op.blocks, tellings, strict=True):
            places.state = before.copy()
            params = self._params_of(op, block, mapping)
            blocks.append(self.inner_block(block, params, mapping, told))
            states.append(places.state)
        lost: set[Op] = set()
        if isinstance(op, Try):
            places.state = states[0]
            lost = self._lost_changes(op, blocks)
        inside = [defined(block) for block in blocks]
        changed: dict[Value, None] = {}
        for block, state, local in zip(blocks, states, inside, strict=True):
            places.state = state
            if state.writes and isinstance(block.exit, Yield):
                changed.update((v, None) for v in places.changed_since(before) if v not in local)
        origins: list[list[Value | None]] = []
        memory: list[list[Operand]] = []
        for block, state, local in zip(blocks, states, inside, strict=True):
            if isinstance(block.exit, Yield):
                places.state = state
                names = [
                    places.origin(v) if isinstance(v, Value) and is_mutable(v.type) else None
                    for v in block.exit.values
                ]
                origins.append([None if name in local else name for name in names])
                # A version made in the arm is a name of older memory that only the arm knows.
                memory.append([
                    places.name_outside(v) if isinstance(v, Value) and is_mutable(v.type) else v
                    for v in block.exit.values
                ])
                block.exit.values += [
                    state.current.get(v, before.current.get(v, v)) for v in changed
                ]
            places.state = state
            places.leave_arm(before, local, start)
            before = places.state
        going_on = [
            pair for pair, block in zip(zip(states, inside, strict=True), blocks, strict=True)
            if isinstance(block.exit, Yield)
        ]
        before.lost.update(dict.fromkeys(places.views_lost_in_arms(start, going_on), op.loc))
        return blocks, list(changed), origins, memory, lost

    def _params_of(self, op: If | Try, block: Block, mapping: Mapping) -> list[Value]:
        params = _like_params(block)
        if isinstance(op, Try) and block is op.handler:
            catches = [
                known_operand(mapping.get(cls, cls) if isinstance(cls, Value) else cls)
                for cls in op.catches
            ]
            self.caught[params[0]] = tuple(
                cls.value for cls in catches if isinstance(cls, Const)
            )
        return params

    def _lost_changes(self, op: Try, blocks: list[Block]) -> set[Op]:
        """The changes of a body that its handler would not see, where that goes on.

        Where the body is in pieces already, the handler raises if it comes to that. Generated code
        is made of bodies that lose nothing: what stands there behind a change doesn't fail.
        """
        body, handler = blocks
        assert self.places is not None
        if self.is_generated:
            return set()
        changes = changes_of(body, self.places)
        if not isinstance(handler.exit, Yield):
            return set()
        if not may_lose_changes(body, changes, self._at_once):
            return set()
        if op in self.cuts.pieces:
            outer, self.ops = self.ops, handler.ops
            self._append(
                Const(self.surroundings.refuse_lost_changes), [handler.params[0]], {}, ["_"],
                op.loc,
            )
            self.ops = outer
        return changes

    def _is_outer(self, operand: Operand, blocks: list[Block]) -> bool:
        return isinstance(operand, Const) or not any(
            operand in block.params or any(operand in op.results for op in block.ops)
            for block in blocks
        )


def _answer(callee: object, args: list[Operand]) -> Const | None:
    """What a rule asks most often about its operands, where their classes tell."""
    if callee is operator.truth:
        (arg,) = args
        return arg if isinstance(arg, Const) and type(arg.value) is bool else None
    if callee is not isinstance or len(args) != 2:
        return None
    value, classes = args
    if type(value) is not Value or not isinstance(classes, Const):
        return None
    cls, choices = class_of(value.type), classes.value
    if cls is None or type(choices) is not tuple or not all(type(c) is type for c in choices):
        return None
    return Const(issubclass(cls, choices))


def is_same_operand(a: Operand, b: Operand) -> bool:
    if isinstance(a, Const) and isinstance(b, Const):
        return Known(a.value) == Known(b.value)
    return a is b


def _like_params(block: Block) -> list[Value]:
    return [Value(param.name, param.type) for param in block.params]
