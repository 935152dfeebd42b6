"""Reads of memory that changes: its latest version, and refused where two names may mix."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Iterable

from ir import facts, primitives
from ir.core import Call, Const, Lambda, Location, Operand, Value, type_of
from ir.errors import NamesUnknown
from ir.heap import HEAP
from ir.late import imported
from ir.memory.contents import has_parts, holds_memory, is_object, may_overlap
from ir.memory.held_functions import captures_memory, may_be_memory
from ir.memory.held_types import CONTAINERS, item_held
from ir.memory.memory_facts import KEYS, is_mutable
from ir.memory.place_state import State, check_call, shown_name
from ir.memory.storages import Storages
from ir.types import Closure, Iterator, Method, Tuple, Type, Union, class_of


def has_flat_rows(type_: Type) -> bool:
    """Whether a container holds lists, dicts and the like of objects and of what is no memory."""
    row = item_held(type_)
    if not isinstance(row, CONTAINERS) or class_of(row) is tuple:
        return False
    item = item_held(row)
    cls = class_of(item)
    return not holds_memory(item) or (cls is not None and facts.is_object(cls))


def may_be_method(type_: Type) -> bool:
    """Whether a value is a bound method of an array or container, or one of several."""
    if isinstance(type_, Union):
        return any(map(may_be_method, type_.members))
    return isinstance(type_, Method) and may_be_memory(type_.self)


class PlaceReads(Storages):
    """Reads values as what their memory holds by now."""

    # Reads

    def read(self, operand: Operand, loc: Location | None) -> Operand:
        """The operand to read in the place of one that the source names."""
        if isinstance(operand, Const) or not self.is_watching:
            return operand
        if isinstance(operand.type, Tuple) and self.parts(operand):
            return self._tuple_again(operand, loc)
        if may_be_method(operand.type):
            return self._method_again(operand, loc)
        if self.is_made_here(operand):
            self._compare_captured(operand, loc)
            return operand
        if not holds_memory(operand.type):
            return operand
        if self.inference.heap is not None and is_object(operand.type):
            return operand  # what it holds is compared where it is read
        if self.state.has_changes:
            self._compare(operand, loc)
            operand = self.latest(operand)
        return self.held.read(operand, loc) if self.held.is_watching else operand

    def _method_again(self, method: Value, loc: Location | None) -> Operand:
        """A bound method of what memory holds now."""
        owner = self.owner_of_method(method)
        if owner is None:
            if self.state.has_changes:
                self._compare(method, loc)
            return self.held.read_function(method, loc)
        latest = self.read(owner, loc)
        if latest is owner:
            return method
        made = self.inference.definitions[self.origin(method)]
        assert isinstance(made, Call)
        return self.inference.call(getattr, latest, made.args[1], name=method.name, loc=loc)

    def is_made_here(self, function: Value) -> bool:
        return isinstance(function.type, Closure) and (
            isinstance(self.inference.definitions.get(self.origin(function)), Lambda)
        )

    def _compare_captured(self, function: Value, loc: Location | None) -> None:
        """Sees to it that what a function has captured is no unknown name of what was changed."""
        made = self.inference.definitions[self.origin(function)]
        assert isinstance(made, Lambda)
        if self.state.has_changes:
            for value in (*made.captures, *made.defaults, *made.kwdefaults.values()):
                if not isinstance(value, Value):
                    continue
                owner = self.owner_of_method(value)
                if self.is_made_here(value):
                    self._compare_captured(value, loc)
                elif owner is not None and self.latest(owner) is not owner:
                    raise NamesUnknown(
                        f"a function has captured a method of `{owner.name}`, which was changed "
                        "since", loc, advice="let it hold a lambda that calls the method",
                    )
                elif holds_memory(value.type):
                    self._compare(value, loc)

    def _compare(self, value: Value, loc: Location | None) -> None:
        """Sees to it that a value is no unknown name of memory that was written."""
        storage = self.storage(value)
        if storage in self.state.lost:
            raise NamesUnknown(
                f"`{value.name}` may have been changed in place under another name", loc,
                advice="copy what is changed, or use one name for it",
            )
        if isinstance(value.type, Iterator):
            if not self._is_fresh_iterator(value):
                raise NamesUnknown(
                    f"`{value.name}` reads what was changed in place after it was made", loc,
                    advice="make a list of its items before the change",
                )
            for source in self._read_later(value):
                if is_mutable(source.type):
                    self._compare(source, loc)
        start, state = self.state.since.get(storage, 0), self.state
        state.since[storage] = len(state.trail)
        for written, target in dict.fromkeys(state.trail[start:]):
            if written in self.gone:
                self._compare_gone(storage, written, loc)
                continue
            if written is storage or self.storage(written) is storage:
                continue
            if self._may_share(storage, written, target):
                self._check(storage, written, target, loc)

    def _compare_gone(self, storage: Value, written: Value, loc: Location | None) -> None:
        """Sees to it that a storage isn't what was changed under a name of an inner block."""
        whole = self.state.current.get(storage, storage).type
        gone = self.gone[written]
        if storage is gone.source:
            self.untangle(storage, loc)  # it held once what has left it
        elif self._may_be_one_of(storage, gone.names) and may_overlap(whole, written.type, True):
            raise NamesUnknown(
                f"{shown_name(storage.name)} may have been changed in place under another name",
                loc or gone.loc,
                advice="copy what is changed, or use one name for it",
            )

    def _may_be_one_of(self, storage: Value, names: Iterable[Value]) -> bool:
        roots = self.roots(storage)
        return any(roots & self.roots(name) for name in names)

    def _is_fresh_iterator(self, iterator: Value) -> bool:
        """Whether nothing was changed that an iterator, made from it before, will read."""
        if class_of(iterator.type) is KEYS:
            return True
        return all(
            version is self.state.current.get(source, source) and self._is_fresh_iterator(source)
            for source, version in self.sources.get(self.storage(iterator), {}).items()
        )

    def _read_later(self, value: Value) -> list[Value]:
        """The storages that an iterator, or what may be one, reads when it is read itself."""
        cls = class_of(value.type)
        if cls is KEYS or not (
            cls is None or cls is functools.partial or isinstance(value.type, Iterator)
        ):
            return []
        found: list[Value] = []
        for source in self.sources.get(self.storage(value), {}):
            found += [source, *self._read_later(source)]
        return found

    def with_sources(self, operands: Iterable[Operand]) -> list[Operand]:
        """Operands, with what those among them will read that read others later."""
        operands = list(operands)
        later: list[Operand] = []
        for operand in operands:
            if not isinstance(operand, Value):
                continue
            owner = self.owner_of_method(operand)
            parts = self.parts(operand)
            if parts:
                later += self.with_sources(parts)[len(parts) :]
            elif owner is not None:
                later.append(owner)
            elif self.reads_others(operand):
                later += self._read_later(operand)
            elif captures_memory(operand.type) and not self.is_made_here(operand):
                later += self.may_come_from(operand)
        return [*operands, *later]

    def may_come_from(self, value: Value) -> list[Value]:
        """What a value may be or hold: what the call was given that made it."""
        found: list[Value] = []
        for root in self.roots(self.storage(value)):
            type_ = self.state.current.get(root, root).type
            if self.kind(root) == "unknown" or has_parts(type_):
                found += [
                    source for source, version in self.sources.get(root, {}).items()
                    if source is not root and (
                        isinstance(type_, Iterator) or isinstance(source.type, Iterator)
                        or may_overlap(type_, version.type, True)
                    )
                ]
        return found

    def reads_others(self, value: Operand) -> bool:
        """Whether a value reads others when it is read or called: an iterator of Python's own, a
        view of a dict, if not of its keys, or a partial function."""
        if not isinstance(value, Value) or class_of(value.type) is KEYS:
            return False
        if isinstance(value.type, Iterator):
            return True
        made = self.inference.definitions.get(self.origin(value))
        if not isinstance(made, Call) or not isinstance(made.callee, Const):
            return False
        if made.callee.value in (operator.getitem, primitives.unpack):  # one of `itertools.tee`
            return self.reads_others(made.args[0])
        return made.callee.value in (iter, reversed, itertools.tee, functools.partial)

    def _gives_positions(self, iterable: Value) -> bool:
        """Whether a loop walks over positions already, as Python's own iterator comes to them."""
        made = self.inference.definitions.get(iterable)
        callee = made.callee if isinstance(made, Call) else None
        held_walks = imported("ir.memory.held_walks")  # which makes such walks
        return held_walks is not None and isinstance(callee, Const) and any(
            callee.value is one for one in held_walks.BY_POSITIONS
        )

    def changed_iterable(
        self, iterables: list[Operand], before: State, loc: Location | None
    ) -> int | None:
        """Which of the iterables of a loop the body changes, where it has to read the items by
        their positions to see that."""
        for i, iterable in enumerate(iterables):
            if not isinstance(iterable, Value) or self._gives_positions(iterable):
                continue
            storages = [self.storage(iterable), *self._read_later(iterable)]
            changed = [
                storage for storage in storages
                if self.state.current.get(storage) is not before.current.get(storage)
            ]
            is_part = self.contents.is_element(iterable)
            is_resized = any(
                class_of(storage.type) is not dict
                and before.resized.get((storage, is_part)) is not (
                    self.state.resized.get((storage, is_part))
                )
                for storage in changed
            )
            if is_resized:
                raise NamesUnknown(
                    f"a loop changes the length of `{changed[0].name}`, which it iterates over",
                    loc, advice="iterate over a copy",
                )
            is_keyed = issubclass(class_of(iterable.type) or object, dict | KEYS)
            if changed and not is_keyed:
                return i
        return None

    def iterated(self, iterable: Operand, loc: Location | None) -> None:
        """Sees to it that the body of a loop changed nothing that it iterates over by another
        name."""
        if isinstance(iterable, Value) and self.state.has_changes and is_mutable(iterable.type):
            self._compare(iterable, loc)

    def _may_share(self, storage: Value, written: Value, target: Value | None) -> bool:
        changed = written if target is None else target
        if changed.type == HEAP:
            return False  # a token: what objects hold is looked after as such
        type_ = self.state.current.get(changed, changed).type
        whole = self.state.current.get(storage, storage).type
        if not may_overlap(whole, type_, target is None):
            return False
        roots, others = self.roots(storage), self.roots(written)
        if roots & others:
            return True
        if target is written and not self.may_have_been_element(written):
            others = self.shallow_roots(written)
        return any(self._may_be_same(a, b) for a in roots for b in others)

    def _may_be_same(self, a: Value, b: Value) -> bool:
        kinds = {self.kind(a), self.kind(b)}
        if "new" in kinds:
            new = a if self.kind(a) == "new" else b
            # An unknown value can be new memory only if that was given away.
            return "unknown" in kinds and (new in self.state.lent or new in self.state.held)
        return True

    def _check(
        self, storage: Value, written: Value, target: Value | None, loc: Location | None
    ) -> None:
        """Appends the question whether a storage knows what was changed: `target`, which is a
        part of the region of `written`, or anything there."""
        surroundings = self.inference.surroundings
        callee = surroundings.check_distinct
        if not self.is_named(target):
            callee = surroundings.check_separate
        elif has_parts(self.state.current.get(storage, storage).type):
            callee = surroundings.check_outside
        are_apart = not self.roots(storage) & self.roots(written)
        if storage in self.inputs and written in self.inputs and are_apart:
            is_whole = target is written
            callee = callee if is_whole else surroundings.check_separate
            if (storage, written, is_whole) not in self.compared:
                self.compared[storage, written, is_whole] = None
                self.entry.append(check_call(callee, [storage, written], loc))
            return
        changed = target if self.is_named(target) else written
        assert changed is not None
        operands: list[Operand] = [self.latest(storage), self.latest(changed)]
        self.inference.ops.append(check_call(callee, operands, loc))

    def untangle(self, storage: Value, loc: Location | None) -> None:
        """Sees to it that a container, whose elements are changed, holds none of them twice."""
        for root in self.roots(storage):
            if root in self.inputs and has_parts(root.type) and root not in self.apart:
                self.apart[root] = None
                self.entry.append(self._check_apart_in(root, loc))
        if storage in self.state.tangled:
            self.state.tangled.pop(storage, None)
            self.inference.ops.append(self._check_apart_in(self.latest(storage), loc))

    def _check_apart_in(self, container: Operand, loc: Location | None) -> Call:
        surroundings = self.inference.surroundings
        is_flat = has_flat_rows(type_of(container))
        callee = surroundings.check_rows_apart if is_flat else surroundings.check_apart
        return check_call(callee, [container], loc)
