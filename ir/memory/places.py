"""Changes in place as new versions of a value: what a name means behind a store.

    a[i] = v                   a_1 = stored(a, i, v)         `a` means a_1 from here on
    row = a[0]                 row = getitem(a, 0)           a view: the same memory
    row[1] = v                 row_1 = stored(row, 1, v)
                               a_1 = written(a, 0, row_1)

So the passes behind inference see values only. That is right as long as all names of the memory
that is written are known. What may be an unknown name of it is compared when the program runs
(`check_distinct`), and what can't be followed is refused:

- A *storage* is the memory behind a value: made by a call that returns new memory, given from
  outside, merged where branches or iterations meet, or unknown (an item of a container, the result
  of a call).
- Written is only what is new, given, or merged of such, and was not put into a container before.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from types import MethodDescriptorType, WrapperDescriptorType
from typing import TYPE_CHECKING

from ir import facts, primitives
from ir.core import Call, Const, If, Lambda, Location, Operand, Value, Yield, type_of
from ir.memory.contents import has_parts, holds_memory, is_object
from ir.memory.held import HeldMemory
from ir.memory.memory_facts import (
    ARITHMETIC,
    CHANGING,
    CHANGING_FUNCTIONS,
    CHANGING_METHODS,
    HOLDING,
    UNPACKING,
    is_mutable,
)
from ir.memory.place_merging import PlaceMerging
from ir.memory.place_state import ABSENT, NEW, SHALLOW, Returned
from ir.types import Known, Method, Type, class_of

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls


class Places(PlaceMerging):
    """Follows the memory of the values of one function while inference walks over it."""

    def __init__(self, inference: TypedCalls, is_generated: bool = False) -> None:
        super().__init__(inference)
        self.held = HeldMemory(self)
        # Whether reads and stores of objects are operations on values: what a read changes is a
        # store already.
        self.is_in_versions = is_generated and inference.surroundings.follows_contents()
        if inference.surroundings.follows_contents():
            # Few programs need them.
            from ir.memory.followed_memory import FollowedMemory
            from ir.memory.memory_in_versions import InVersions

            self.held = InVersions(self) if is_generated else FollowedMemory(self)

    # What becomes known under other names

    def hold(self, operands: Iterable[Operand]) -> None:
        """Notes what becomes known to something that isn't followed."""
        for operand in self.with_sources(operands):
            if not isinstance(operand, Value) or not holds_memory(operand.type):
                continue
            storage = self.storage(operand)
            for root in {storage, *self.roots(storage)}:
                self.state.hidden[root] = None
            if self.contents.is_element(operand):
                self.lend([operand])
                continue
            self._hold_itself(operand)

    def _hold_itself(self, operand: Value) -> None:
        storage = self.storage(operand)
        for root in {storage, *self.shallow_roots(storage)}:
            if self.may_be(operand, root):
                self.state.held[root] = None
            else:
                self.lend([operand])

    def collect(self, operands: Iterable[Operand]) -> None:
        """Notes what an iteration adds to the lists that its loop makes."""
        for operand in operands:
            parts = self.parts(operand)
            if parts:
                self.collect(parts)
            elif isinstance(operand, Value) and holds_memory(operand.type):
                self.lend([operand])
                if not self.contents.is_element(operand):
                    self._hold_itself(operand)

    def defined(self, call: Call) -> None:
        """Notes what a call does with the names of memory that it is given."""
        self.held.made(call)
        if isinstance(call.callee, Const) and id(call.callee.value) in CHANGING:
            return
        if not _leaves_functions_alone(call.callee):
            self._handed_to_change([*call.args, *call.kwargs.values()], call.loc)
        if call.results and self.owner_of_method(call.results[0]) is not None:
            return
        if not isinstance(call.callee, Const):
            given = [*call.args, *call.kwargs.values()]
            self.lend(given)
            self.hold_parts(given)
            for result in call.results:
                if result not in self.state.origins and holds_memory(result.type):
                    self.note_sources(result, [call.callee, *given])
                    self.given_back.add(result)
            return
        callee = call.callee.value
        if callee not in UNPACKING and callee is not primitives.build_tuple:
            if id(callee) not in HOLDING and not _keeps_nothing(call):
                self.hold_parts([*call.args, *call.kwargs.values()])
        if id(callee) in HOLDING:
            self._built(call)
            return
        operands = [*call.args, *call.kwargs.values()]
        for result in call.results:
            if result in self.state.origins or not holds_memory(result.type):
                continue
            if self.contents.is_element(result):
                self.contents.read(result)
            elif callee is operator.getitem and self.parts(call.args[0]):
                self.cover(result, self.parts(call.args[0]))
            elif (facts.is_fresh(call) or self.is_new_container(call, result)) and not (
                has_parts(result.type)
            ):
                continue
            elif not facts.is_view(call) and callee is not primitives.build_tuple:
                self.lend(operands)
                self.note_sources(result, operands)
                if id(callee) not in ARITHMETIC and not _may_read_object(call):
                    self.given_back.add(result)
                if has_parts(result.type) and self.kind(result) == "new":
                    self.contents.copied(result, operands)

    def _handed_to_change(self, given: list[Operand], loc: Location | None) -> None:
        """Gives up memory of which a call gets a method that changes it (`log.append`), or a
        function that does, beside it: whoever has got that may call it at any time."""
        for operand in given:
            if not _is_changing(type_of(operand)):
                continue
            if isinstance(type_of(operand), Known):
                for other in given:
                    self.spoil(other, loc)
            elif isinstance(operand, Value):
                owner = self.owner_of_method(operand)
                if owner is not None:
                    self.spoil(owner, loc)

    def _built(self, call: Call) -> None:
        """A container that was made of its items."""
        items: list[tuple[Operand | None, Operand]] = []
        if call.callee.value is primitives.build_dict:  # type: ignore[union-attr]
            keys = [key.value for key in call.args[::2] if isinstance(key, Const)]
            are_known = len(keys) * 2 == len(call.args) and len(set(keys)) == len(keys)
            for key, operand in zip(call.args[::2], call.args[1::2], strict=True):
                items += [(None, key), (key if are_known else None, operand)]
        elif call.callee.value is primitives.build_list:  # type: ignore[union-attr]
            items += [(Const(i), operand) for i, operand in enumerate(call.args)]
        else:
            items += [(None, operand) for operand in call.args]
        self.contents.put(call.result, items)

    def hold_parts(self, operands: Iterable[Operand]) -> None:
        """What tuples hold is known by another name where they are handed on."""
        for operand in operands:
            parts = self.parts(operand)
            if parts:
                self.hold(parts)
                self.hold_parts(parts)

    def lend(self, operands: Iterable[Operand]) -> None:
        for operand in operands:
            if isinstance(operand, Value) and holds_memory(operand.type):
                storage = self.storage(operand)
                self.state.lent[storage] = None
                for root in self.roots(storage):
                    self.state.lent[root] = None

    def captured(self, op: Lambda) -> None:
        captures = [*op.captures, *op.defaults, *op.kwdefaults.values()]
        self._handed_to_change(captures, op.loc)
        self.hold(captures)
        self.hold_parts(captures)
        self.contents.put(op.result, [(None, operand) for operand in captures])
        self.held.lend(captures)  # the function may put them into objects

    def returned(self, operand: Operand, inputs: list[Value]) -> Returned:
        """What a caller may know of the memory that a function returns."""
        if not isinstance(operand, Value):
            return None
        op = self.inference.definitions.get(operand)
        if isinstance(op, If):
            return self._returned_by_arms(op, operand, inputs)
        if isinstance(op, Call) and isinstance(op.callee, Const):
            if op.callee.value is primitives.build_tuple:
                items = [self._returned_part(arg, inputs) for arg in op.args]
                numbers = [item for item in items if type(item) is int]
                known: set[Value] = set()
                is_apart = len(set(numbers)) == len(numbers)
                for arg, item in zip(op.args, items, strict=True):
                    if item in (NEW, SHALLOW) and isinstance(arg, Value):
                        roots = self.roots(self.storage(arg)) | {self.storage(arg)}
                        is_apart = is_apart and not known & roots
                        known |= roots
                return tuple(items) if is_apart else None
        return self._returned_part(operand, inputs)

    def _returned_by_arms(self, op: If, result: Value, inputs: list[Value]) -> Returned:
        """The same for what each arm of a branch gives a tuple of: new memory, or none at all."""
        position = op.results.index(result)
        rows: list[list[object]] = []
        for block in op.blocks:
            if not isinstance(block.exit, Yield):
                continue
            operand = block.exit.values[position]
            made = self.inference.definitions.get(operand) if isinstance(operand, Value) else None
            known = self.returned(operand, inputs)
            if isinstance(made, If) and isinstance(known, tuple):
                rows.append([*known])
                continue
            parts = self.parts(operand)
            if not parts or not isinstance(known, tuple):
                return None
            rows.append([
                ABSENT if isinstance(part, Const) or not holds_memory(part.type) else kind
                for part, kind in zip(parts, known, strict=True)
            ])
        whole: list[object] = []
        for column in zip(*rows, strict=False):
            kinds = set(column) - {ABSENT}
            if len({len(row) for row in rows}) > 1 or len(kinds) > 1:
                return None
            whole.append(kinds.pop() if kinds else ABSENT)
        if not any(kind in (NEW, SHALLOW) for kind in whole):
            return None
        return tuple(kind if kind in (NEW, SHALLOW, ABSENT) else None for kind in whole)

    def _returned_part(self, operand: Operand, inputs: list[Value]) -> Returned:
        if not isinstance(operand, Value) or not is_mutable(operand.type):
            return None
        if self.contents.is_element(operand) and self.origin(operand) in self.inputs:
            return None
        storage = self.storage(operand)
        if storage in inputs:
            is_whole = self.state.current.get(storage) is operand
            return inputs.index(storage) if is_whole else None
        # An element of a new container is as new as all that the container holds.
        is_part = self.may_be_element(operand)
        known = self.roots(storage) if is_part else self.shallow_roots(storage)
        if storage in self.items or not self._is_new(known | {storage}):
            return None
        are_apart = all(
            self.kind(root) == "new" and root not in self.state.hidden
            for root in self.roots(storage)
        )
        if is_part and not are_apart:
            return None
        is_deep = are_apart and storage not in self.state.tangled
        return NEW if is_deep else SHALLOW

    def _is_new(self, roots: Iterable[Value]) -> bool:
        return all(
            (self.kind(root) == "new" or root in self.covers) and root not in self.state.held
            and root not in self.held.given
            for root in roots
        )


def _may_read_object(call: Call) -> bool:
    """Whether a call reads an attribute of an object: what that holds is followed by the heap."""
    if not isinstance(call.callee, Const) or call.callee.value is not getattr:
        return False
    type_ = type_of(call.args[0])
    return class_of(type_) is None or is_object(type_)


def _keeps_nothing(call: Call) -> bool:
    """Whether a call gives new memory that has no room for what it was given."""
    return facts.is_fresh(call) and not (
        any(has_parts(result.type) for result in call.results)
    )


def _leaves_functions_alone(callee: Operand) -> bool:
    """Whether inference knows what a call does with a function that it is given."""
    return isinstance(callee, Const) and (
        facts.result_of(callee.value) is not None or facts.is_pure(callee.value)
    )


def _is_changing(type_: Type) -> bool:
    """Whether this is a method or function of Python's own that changes what it is given."""
    function = type_.function if isinstance(type_, Method) else type_
    if not isinstance(function, Known):
        return False
    is_method = isinstance(function.value, MethodDescriptorType | WrapperDescriptorType)
    return id(function.value) in CHANGING_FUNCTIONS or (
        is_method and function.value.__name__ in CHANGING_METHODS
    )
