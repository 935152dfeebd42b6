"""Changes of memory in place, and what they do to other names of it."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from ir import facts, primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.errors import NamesUnknown, NeedsHeap, Unsupported
from ir.heap import HEAP, HEAP_NAME
from ir.memory.contents import has_parts, holds_memory
from ir.memory.memory_facts import is_array_like, keeps_places
from ir.memory.place_reads import PlaceReads
from ir.memory.place_state import Effect, ItemChanged, check_call, shown_name
from ir.shared_names import ASIDE, name_read
from ir.types import Known, Type, class_of


class PlaceWrites(PlaceReads):
    """Follows what is written, under all of its names."""

    def lend(self, operands: Iterable[Operand]) -> None:
        raise AssertionError("given by Places")

    def effect(self, value: Value) -> Effect:
        """What was done to the elements of an input."""
        storage = self.storage(value)
        return Effect(
            storage in self.state.deep or any(
                w is not storage and storage in self.roots(w) for w in self.state.writes
            ),
            storage in self.state.moved,
            any(self.kind(root) == "unknown" for root in self.roots(storage)),
        )

    def is_element_at(self, value: Operand, container: Operand, index: Operand) -> bool:
        """Whether a value is known to be the element of a container at an index."""
        if not isinstance(value, Value) or not isinstance(container, Value):
            return False
        place = self.contents.place(value)
        if place is None or not isinstance(place[0], Value):
            return False
        is_same = place[1] is index or (
            isinstance(place[1], Const) and isinstance(index, Const)
            and Known(place[1].value) == Known(index.value)
        )
        return is_same and self.origin(place[0]) is self.origin(container)

    # Writes

    def written_to(self, before: Value, version: Value) -> None:
        """`version` is what a value, and all that it is a view of, has become."""
        self.written(self.state.current.get(self.origin(before), before), version, None)

    def change(
        self, callee: Any, target: Operand, operands: list[Operand], loc: Location | None,
        type_: Type, held: list[Operand], index: Operand | None = None,
    ) -> Value:
        """Appends a call that changes `target`, which means its result from here on.

        `held` are the operands that the target knows behind it, at an index if that is known.
        """
        if not isinstance(target, Value):
            raise Unsupported(
                "what is changed in place here is an object of the compile time, a global for "
                "one", loc, advice="pass it as an argument",
            )
        operands = self.inference.surroundings.put(self.inference, target, operands, loc)
        storage = self.storage(target)
        aside = ASIDE.get(id(callee))
        if aside is not None and self.inference.heap is None and self._is_aside(storage, target):
            target = self.latest(target)
            nothing = Value("t", Known(None))
            self.inference._define(Call(Const(aside), [target, *operands], {}, [nothing], loc))
            return target
        if self.held.is_held(target):
            self.note_names(target, loc)
            return self.held.change(callee, target, operands, loc, type_, held)
        self._check_writable(target, loc)
        if not keeps_places(callee):
            self.contents.moving(callee, target, operands)
        before = self.latest(target)
        self.held.check_local(target, before, loc)
        version = Value(before.name, type_)
        self.inference._define(Call(Const(callee), [before, *operands], {}, [version], loc))
        self.state.writes.setdefault(storage, loc)
        self.written(before, version, loc)
        self.contents.changed(target, version)
        self.state.trail.append((storage, self.origin(target)))
        held = [o for o in held if isinstance(o, Value) and holds_memory(o.type)]
        if callee is primitives.appended and held:
            index = self.contents.position_of_last(version)
        if callee in (primitives.spliced, primitives.extended):
            self.contents.copied(storage, held)
        else:
            self.contents.put(version, [(index, operand) for operand in held])
        return version

    def passed(
        self,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        result: Value,
        changed: list[tuple[int | str, Operand]],
        types: list[Type],
        effects: list[Effect],
        loc: Location | None,
    ) -> None:
        """Appends a call that changes some of its arguments, which get versions of new types."""
        targets: list[Value] = []
        for (_, operand), effect in zip(changed, effects, strict=True):
            if not isinstance(operand, Value):
                raise NamesUnknown("a call changes a constant in place", loc)
            if not self.held.has_contents(operand, effect.deep, loc):
                self._check_writable(operand, loc, effect.deep)
            targets.append(operand)
        given = [*args, *kwargs.values()]
        self._check_apart(changed, [*enumerate(args), *kwargs.items()], loc)
        positions = Const(tuple(position for position, _ in changed))
        for operand, effect in zip(targets, effects, strict=True):
            if effect.moves:
                gone = self.contents.moving(primitives.updating, operand, [])
                if effect.deep:
                    # They may have been changed when they were elements no more.
                    self.state.lost.update(dict.fromkeys(gone, loc))
        before = [self.latest(operand) for operand in targets]
        for operand, version, effect in zip(targets, before, effects, strict=True):
            if operand.type != HEAP and not self.held.has_contents(operand):
                self.held.check_local(operand, version, loc, effect.deep)
        storages = [self.storage(operand) for operand in targets]
        versions = [
            Value(value.name, type_) for value, type_ in zip(before, types, strict=True)
        ]
        call = Call(
            Const(primitives.updating), [callee, positions, *args], kwargs, [result, *versions],
            loc,
        )
        self.inference._define(call)
        others = [
            o for o in given if isinstance(o, Value) and holds_memory(o.type)
            and not any(o is other for _, other in changed)
        ]
        held = [
            (operand, version) for operand, version in zip(targets, versions, strict=True)
            if self.held.has_contents(operand)
        ]
        for storage, old, version, effect in zip(storages, before, versions, effects, strict=True):
            if any(version is other for _, other in held):
                continue
            self.state.writes.setdefault(storage, loc)
            old = self.state.current.get(self.origin(old), old)
            self.written(old, version, loc)
            if version.type == HEAP:
                continue
            self.contents.changed(old, version, effect.deep)
            is_deep = effect.deep or effect.moves
            self.state.trail.append((storage, None if is_deep else self.origin(old)))
            if has_parts(version.type):
                if effect.mixes:
                    self.contents.mix(version)
                for operand in others:
                    self.contents.link(version, operand)
        for operand, version in held:
            self.held.was_changed(operand, version, loc)
        for (_, a), version in zip(changed, versions, strict=True):
            for _, b in changed:
                if a is not b and has_parts(version.type):
                    self.contents.link(version, b)
        self.note_sources(result, [callee, *given])
        on_objects = any(position == HEAP_NAME for position, _ in changed)
        if holds_memory(result.type):
            self.given_back.add(result)
            self.lend(given)
        elif on_objects:
            self.lend(others)
        if on_objects:
            put, lent = self.inference.surroundings.held_operands(callee, args, kwargs)
            put, lent = self.held.with_captured(callee, put), self.held.with_captured(callee, lent)
            self.held.changed_in_call([*put, *lent])
            self.held.expose([*others, result])
            self.held.mark(put)
            self.held.mark_perhaps(lent)

    def _check_apart(
        self, changed: list[tuple[int | str, Operand]], given: list[tuple[int | str, Operand]],
        loc: Location | None,
    ) -> None:
        """Sees to it that a call gets what it changes under one name only."""
        for i, (position, target) in enumerate(changed):
            done = {position for position, _ in changed[: i + 1]}
            for other, operand in given:
                if other in done or not isinstance(operand, Value) or (
                    not holds_memory(operand.type)
                ):
                    continue
                assert isinstance(target, Value)
                storage = self.storage(target)
                if self.storage(operand) is not storage:
                    continue
                if self.origin(operand) is storage or self.origin(target) is storage:
                    raise NamesUnknown(
                        f"`{operand.name}` is passed to a call that changes it under another "
                        "name", loc,
                    )
                callee = self.inference.surroundings.check_separate
                operands: list[Operand] = [self.latest(operand), self.latest(target)]
                self.inference.ops.append(check_call(callee, operands, loc))

    def written(self, before: Value, version: Value, loc: Location | None) -> None:
        """A new version of a value, and of all that it is a view of."""
        self.consumed.add(before)
        first = self.origin(before)
        self._note(first, version)
        place = self.contents.place(first)
        if place is not None:
            self._element_written(place, version, loc)
            return
        whole = self.whole(first)
        if isinstance(whole, Value):
            op = self.inference.definitions[first]
            assert isinstance(op, Call)
            old = self.state.current.get(self.origin(whole), self.origin(whole))
            new = Value(old.name, old.type)
            assert isinstance(op.callee, Const)
            if op.callee.value is operator.getitem:
                operands: list[Operand] = [Const(primitives.written), old, op.args[1], version]
            else:
                view = self.inference.surroundings.written_view
                operands = [Const(view), old, op.callee, version, *op.args[1:]]
            self.inference._define(Call(operands[0], operands[1:], {}, [new], loc))
            self.written(old, new, loc)
            self.state.derived[first] = new

    def _element_written(
        self, place: tuple[Operand, Operand], version: Value, loc: Location | None
    ) -> None:
        container, index = place
        assert isinstance(container, Value)
        first = self.origin(container)
        old = self.state.current.get(first, first)
        result_of = facts.result_of(primitives.stored)
        assert result_of is not None
        # An array keeps its shape and dtype, so that types of containers that hold it stay true.
        type_ = old.type if is_array_like(version.type) else (
            result_of((old.type, type_of(index), version.type), {})
        )
        new = Value(old.name, type_)
        operands: list[Operand] = [old, index, version]
        self.inference._define(Call(Const(primitives.written), operands, {}, [new], loc))
        self.written(old, new, loc)

    def _check_writable(
        self, value: Value, loc: Location | None, deep: bool = False
    ) -> None:
        storage, state = self.storage(value), self.state
        item = self.item_of_loop(storage)
        if item is not None:
            raise ItemChanged(item)
        is_deep = deep or self.may_be_element(value)
        roots = self.roots(storage) if is_deep else self.shallow_roots(storage)
        if any(self.kind(root) == "unknown" for root in roots):
            self.note_names(value, loc)
            may_be_object = self.inference.heap is None and any(
                class_of(root.type) is None for root in roots
            )
            raise (NeedsHeap if may_be_object else NamesUnknown)(
                f"{shown_name(value.name)} is changed in place, but zyg can't tell which other "
                "names its memory has", loc, advice="change a copy",
            )
        known = state.hidden if is_deep else state.held
        if any(root in known for root in {storage, *roots}):
            raise NamesUnknown(
                f"{shown_name(value.name)} is changed in place after it was put into a container",
                loc,
                advice="put a copy into the container, or change it before",
            )
        if is_deep:
            self.untangle(storage, loc)

    def _is_aside(self, storage: Value, target: Value) -> bool:
        """Whether a list or dict that is changed is known by a global, or is an element of one that
        is, of which the program may read nothing."""
        found = name_read(self.inference.definitions.get(storage), self.inference.home)
        if found is None or class_of(target.type) not in (list, dict):
            return False
        if self.origin(target) is not storage and not self.contents.is_element(target):
            return False
        return self.roots(storage) == {storage} and (
            self.inference.surroundings.may_change_aside(*found)
        )

    def note_names(self, value: Value, loc: Location | None) -> None:
        """Refuses a change of what a global or a class holds under a name that isn't shared yet."""
        inference, is_named = self.inference, False
        for root in self.roots(self.storage(value)):
            if not holds_memory(root.type):
                continue
            found = name_read(inference.definitions.get(root), inference.home)
            if found is not None and not inference.surroundings.is_shared(*found):
                inference.surroundings.note_changed_name(*found)
                is_named = True
        if is_named:
            raise NamesUnknown(
                f"{shown_name(value.name)} is changed in place, but zyg can't tell which other "
                "names its memory has", loc, advice="change a copy",
            )

    def item_of_loop(self, storage: Value) -> Value | None:
        """The item of what a loop iterates over that a storage is, or is a part of, as a row is in
        `for i, row in enumerate(rows)`."""
        if storage in self.items:
            return storage
        op = self.inference.definitions.get(storage)
        if isinstance(op, Call) and isinstance(op.callee, Const) and op.args[:1]:
            whole = op.args[0]
            if op.callee.value in (primitives.unpack, operator.getitem) and whole in self.items:
                return whole  # the items are values
        return None
