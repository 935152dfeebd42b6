"""Abstract interpretation: a copy of a function for given argument types, with a type everywhere.

    f(x: float, flag: =True)             f(x: float)
        t_1 = truth(flag)                    t_1: float = math.sin(x)
        if t_1: ... load_global('math')      return t_1

On the way, what types decide is decided: callees that are found through globals, modules and
methods become constants, branches on known conditions disappear, tuples are taken apart. A loop is
run again until the types that it carries cover what its body yields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ir import facts, primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    Function,
    If,
    Lambda,
    Op,
    Operand,
    Raise,
    Try,
    Value,
    While,
    Yield,
    guarded,
    type_of,
)
from ir.errors import Unsupported
from ir.heap import HEAP_NAME
from ir.inference import written_out
from ir.inference.narrowing import Told, narrow
from ir.inference.typed_builder import known_operand
from ir.inference.typed_loops import TypedLoops
from ir.memory.failing import changes_of, may_lose_changes
from ir.memory.held_functions import may_be_memory
from ir.memory.kept_names import kept_positions, without_kept
from ir.memory.places import Places
from ir.rewrite import Mapping, clone_exit
from ir.types import BOTTOM, TOP, Closure, Known, Tuple, Type, widen


class Inference(TypedLoops):
    """Builds the typed copy: appended operations are typed, resolved and folded at once."""

    # Blocks

    def function(
        self, function: Function, params: list[Type], captured: list[Type],
        are_held: bool = False,
    ) -> tuple[Function, Type]:
        """The typed copy of a function and the type of what it returns; `are_held`: objects hold
        all memory that it is given."""
        mapping: Mapping = {}
        self.is_generated = function.is_generated
        places = self.places = Places(self, function.is_generated)
        is_rule = facts.is_helper_module(function.globals.get("__name__"))
        self.is_of_user = function.code is not None and not is_rule
        new_captured = [self._param(v, t, mapping) for v, t in
                        zip(function.captured, captured, strict=True)]
        new_params = [self._param(v, t, mapping) for v, t in
                      zip(function.params, params, strict=True)]
        places.inputs.update(dict.fromkeys([*new_captured, *new_params]))
        self.heap = next((param for param in new_params if param.name == HEAP_NAME), None)
        self.works_on_objects = places.held.is_read_in([*new_captured, *new_params])
        places.state.born.update(places.inputs)
        places.held.expose([*new_captured, *new_params])
        if are_held:
            places.state.stored.update(dict.fromkeys(places.inputs, True))
        self._whole_source = function.body
        body = self.inner_block(function.body, [], mapping)
        body.ops[:0] = places.entry
        changes = changes_of(body, places)
        self.changes = self._in_source(changes)
        self.may_fail_midway = may_lose_changes(body, changes, self._at_once)
        if function.updates:
            self._take_over_updates(function, places, [*new_captured, *new_params], body)
        else:
            self.updates = self._finish_updates(places, [*new_captured, *new_params], body)
        self.returned = function.returned or self.returned
        result = type_of(body.exit.values[0]) if isinstance(body.exit, Yield) else BOTTOM
        typed = Function(
            function.name, new_params, new_captured, body, function.loc, function.signature,
            function.defaults, function.kwdefaults, function.globals, function.code,
            function.docstring,
        )
        return typed, result

    def release(self) -> None:
        """Has what was only needed on the way freed at once: it refers to this in turn."""
        if self.places is not None:
            self.places.release()
            self.places = None

    def _in_source(self, ops: set[Op]) -> frozenset[Op]:
        """The operations of the source that these were made for."""
        found: set[Op] = set()
        for op in ops:
            op = self._made_for.get(op, op)
            while op in self.cuts.made_for:
                op = self.cuts.made_for[op]
            found.add(op)
        return frozenset(found)

    def _take_over_updates(
        self, function: Function, places: Places, inputs: list[Value], body: Block
    ) -> None:
        """Leaves the last versions that generated code returns, with that of the heap behind."""
        self.updates, self.effects = function.updates, list(function.effects)
        if self.heap is None or not places.is_written(self.heap):
            return
        assert isinstance(body.exit, Yield)
        whole = body.exit.values[0]
        assert isinstance(whole, Value)
        op = self.definitions[whole]
        assert isinstance(op, Call) and isinstance(op.callee, Const)
        assert op.callee.value is primitives.build_tuple
        heap = places.held.at_exit(self.heap)
        parts = [*op.args, heap]
        self.updates = (*function.updates, inputs.index(self.heap))
        self.effects.append(places.effect(self.heap))
        last = Value("t", Tuple(tuple(map(type_of, parts))))
        body.ops.append(Call(Const(primitives.build_tuple), parts, {}, [last]))
        body.exit.values = [last]

    def _finish_updates(
        self, places: Places, inputs: list[Value], body: Block
    ) -> tuple[int, ...]:
        """Lets a function that changes inputs in place return their last versions too."""
        self.ops, outer = body.ops, self.ops
        # What was changed under an unknown name, too, has no version that would hold it all.
        finals = {
            value: places.held.at_exit(value) for value in inputs
            if places.is_written(value) and not places.is_lost(value)
        }
        self.ops = outer
        self.spoiled = tuple(
            i for i, value in enumerate(inputs)
            if value not in finals and may_be_memory(value.type) and places.is_spoiled(value)
        )
        given = {
            i: places.storage(value) for i, value in enumerate(inputs)
            if places.storage(value) in places.held.given
        }
        doubtful = places.state.doubtful
        self.held_inputs = tuple(i for i, storage in given.items() if storage not in doubtful)
        self.lent_inputs = tuple(i for i, storage in given.items() if storage in doubtful)
        updates = tuple(i for i, value in enumerate(inputs) if value in finals)
        self.effects = [places.effect(inputs[i]) for i in updates]
        if isinstance(body.exit, Yield):
            self.returned = places.returned(body.exit.values[0], inputs)
        if updates and isinstance(body.exit, Yield):
            parts = [*body.exit.values, *finals.values()]
            whole = Value("t", Tuple(tuple(map(type_of, parts))))
            body.ops.append(Call(Const(primitives.build_tuple), list(parts), {}, [whole]))
            body.exit.values = [whole]
        return updates

    def _param(self, value: Value, type_: Type, mapping: Mapping) -> Value:
        new = Value(value.name, type_)
        mapping[value] = Const(type_.value) if isinstance(type_, Known) else new
        return new

    def inner_block(
        self, block: Block, params: list[Value], mapping: Mapping, told: Iterable[Told] = ()
    ) -> Block:
        """A typed copy of a block, with new parameters; `told` is known where it begins."""
        outer = self.ops, self.narrowed
        self.ops, self.narrowed = [], []
        mapping = {**mapping, **dict(zip(block.params, params, strict=True))}
        narrow(self, told, mapping, self._statement)
        is_handler = len(params) == 1 and params[0] in self.caught
        if is_handler:
            self.handling.append(params[0])
        exit = self.inline(block, mapping)
        if is_handler:
            self.handling.pop()
        if self.places is not None:
            self.places.widen_again(self.narrowed)
        done = Block(params, self.ops, exit)
        self.ops, self.narrowed = outer
        return done

    def inline(self, block: Block, mapping: Mapping) -> Yield | Raise:
        """Appends the operations of a block; gives its exit, in terms of what was appended."""
        outer, self._source = self._source, block
        try:
            for op in block.ops:
                if not isinstance(op, Call):
                    self._statement = op.loc or self._statement
                if self.op(op, mapping) is not None:
                    return Raise(None, None)
        finally:
            self._source = outer
        exit = clone_exit(block.exit, mapping)
        if self.places is not None and self.places.is_watching and isinstance(exit, Yield):
            loc = self.loc or self._statement
            exit.values = [self.places.read(value, loc) for value in exit.values]
        return exit

    def op(self, op: Op, mapping: Mapping) -> Raise | None:
        """Appends the typed copy of an operation; gives an exit where nothing comes behind it."""
        if isinstance(op, Call):
            self._copy_call(op, mapping)
            return None

        def new(operand: Operand) -> Operand:
            return mapping.get(operand, operand) if isinstance(operand, Value) else operand

        match op:
            case If():
                return self._branch(op, new(op.cond), mapping)
            case Try() if op not in self.cuts.failing and self._cannot_fail(op, mapping):
                rest = op.body.ops[len(guarded(op)) + 1 :]
                exit = self.inline(Block([], rest, op.body.exit), mapping)
                if isinstance(exit, Raise):
                    self._always_raised(op, exit, mapping)
                    return None
                mapping.update(zip(op.results, exit.values, strict=True))
            case Try():
                if not self._inlining:
                    self.cuts.failing.add(op)
                return self._attempt(op, mapping)
            case For():
                iterables = [self._latest(new(i), op) for i in op.iterables]
                if self.places is not None:
                    if not op.backwards:  # else it is a list that generated code has made
                        iterables = self._items_of_objects(None, iterables, op.loc)
                    outlined = self.surroundings.outlined(self, op, iterables, mapping)
                    if outlined is not None:
                        mapping.update(zip(op.results, outlined, strict=True))
                        return None
                init = [self._latest(new(i), op) for i in op.init]
                if self.places is not None and not self.is_generated:
                    items = written_out.known_items(self, op, iterables[0])
                    if items is not None:
                        return written_out.write_out(self, op, iterables[0], items, init, mapping)
                self._loop_or_kept(
                    lambda op, init: self._for(op, iterables, init, mapping), op, init, mapping
                )
            case While():
                init = [self._latest(new(i), op) for i in op.init]
                self._loop_or_kept(
                    lambda op, init: self._while(op, init, mapping), op, init, mapping
                )
            case Lambda():
                self._lambda(op, new, mapping)
        return None

    def _loop_or_kept(
        self, append: Callable[[Any, list[Operand]], None], op: For | While,
        init: list[Operand], mapping: Mapping,
    ) -> None:
        """Appends a loop; if it is refused, one that doesn't assign what it changes in place."""
        kept = [] if self.places is None or self.is_generated else kept_positions(op, init)
        if not kept:
            append(op, init)
            return
        assert self.places is not None
        outer = self.ops, self.narrowed, self._whole_source
        ops, state = list(self.ops), self.places.state.copy()
        known, definitions, methods = dict(mapping), dict(self.definitions), dict(self.methods)
        try:
            append(op, list(init))
        except Unsupported as error:
            if type(error) is not Unsupported:
                raise
            self.ops, self.narrowed, self._whole_source = outer
            self.ops[:], self.places.state = ops, state
            self.definitions, self.methods = definitions, methods
            mapping.clear()
            mapping.update(known)
            append(*without_kept(op, init, kept, mapping))

    def _attempt(self, op: Try, mapping: Mapping) -> Raise | None:
        """Appends a `Try`; in pieces where its body may change something, and fail then."""
        catches = [
            known_operand(mapping.get(cls, cls) if isinstance(cls, Value) else cls)
            for cls in op.catches
        ]
        mark, tried = len(self.ops), dict(mapping)
        state = dict(self.definitions), dict(self.methods)
        memory = self.places.state.copy() if self.places is not None else None
        found = self.cuts.changes.get(op)
        if found is None:
            lost = self._merge_arms(op, tried, lambda body, handler, results: Try(
                body, handler, catches, results, op.loc
            ))
            found = self._in_source(lost)
            if op in self.cuts.pieces:
                self.missed |= found
            if not lost or op in self.cuts.pieces:
                mapping.update(tried)
                return None
        assert self.places is not None and memory is not None
        from ir.catching import cut_try  # few functions need it

        outer = self.missed
        while True:
            del self.ops[mark:]
            self.definitions, self.methods = dict(state[0]), dict(state[1])
            self.places.state = memory.copy()
            tried, self.missed = dict(mapping), frozenset()
            pieces = self.cuts.cut.get((op, found))
            if pieces is None:
                pieces = self.cuts.cut[op, found] = cut_try(op, found, self.cuts)
            exits = [self.op(piece, tried) for piece in pieces]
            if self.missed <= found:
                break
            found |= self.missed
        self.missed = outer
        if not self._inlining:
            self.cuts.changes[op] = found
        mapping.update(tried)
        return next(filter(None, exits), None)

    def _copy_call(self, op: Call, mapping: Mapping) -> None:
        if not self._inlining and not self.is_standing_in:
            self._at = op
        self.copied = op, mapping
        new: Any = mapping.get  # which has no constants
        args = [new(arg, arg) for arg in op.args]
        kwargs = {name: new(arg, arg) for name, arg in op.kwargs.items()} if op.kwargs else {}
        loc = self.place or op.loc or self.loc
        callee = new(op.callee, op.callee)
        if self.places is not None and type(callee) is Const and (
            callee.value is primitives.build_list
        ):
            from ir.memory.lists_given import is_given_at_once

            if is_given_at_once(op, args, self._source, mapping):
                callee = Const(primitives.build_tuple)
        if len(op.results) == 1:
            (value,) = op.results
            decided = None
            if not kwargs and isinstance(callee, Const):
                decided = self._decided(callee, args, value, loc)
            if decided is None:
                (made,) = self.typed_call(callee, args, kwargs, [value.name], loc)
            else:
                made = decided
            mapping[value] = made
            if value.type is not TOP and isinstance(made, Value) and made.type == TOP:
                made.type = value.type  # what a pass knew that typed it before
            return
        names = [value.name for value in op.results]
        results = self.typed_call(callee, args, kwargs, names, loc)
        for value, made in zip(op.results, results, strict=True):
            mapping[value] = made
            if value.type is not TOP and isinstance(made, Value) and made.type == TOP:
                made.type = value.type  # what a pass knew that typed it before

    def _lambda(self, op: Lambda, new: Callable[[Operand], Operand], mapping: Mapping) -> None:
        captures = [self._latest(new(operand), op) for operand in op.captures]
        defaults = [self._latest(new(operand), op) for operand in op.defaults]
        kwdefaults = {
            name: self._latest(new(operand), op) for name, operand in op.kwdefaults.items()
        }
        type_ = Closure(
            op.function,
            op.function.globals,
            tuple(widen(type_of(o)) if not _is_static(o) else type_of(o) for o in captures),
            tuple(map(type_of, defaults)),
            tuple((name, type_of(operand)) for name, operand in kwdefaults.items()),
        )
        result = Value(op.result.name, type_)
        mapping[op.result] = result
        made = Lambda(op.function, captures, defaults, kwdefaults, result, op.loc)
        self._define(made)
        if self.places is not None:
            self.places.captured(made)


def _is_static(operand: Operand) -> bool:
    return isinstance(operand, Const)
