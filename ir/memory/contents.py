"""What lists, dicts and tuples hold: elements that are memory themselves.

    row = rows[0]              row = getitem(rows, 0)        a view, as a row of an array is
    row[1] = v                 row_1 = stored(row, 1, v)
                               rows_1 = written(rows, 0, row_1)
    rows.append(a)             from here on, `a` is a view as well: the last element of `rows`

So the *region* of a container is its own memory and all that is reached through it. That holds as
long as an element is in one place: what is put into a container under a name that isn't followed
further is remembered as a *member*, and regions that may have members in common are compared when
the program runs. A change that moves elements (`insert`, `del`) detaches the views that it may
concern: these go on as memory of their own, which may be a part of the region or not.
"""

from __future__ import annotations

import functools
import operator
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, TracebackType
from typing import TYPE_CHECKING, TypeAlias

from ir import facts, primitives
from ir.core import Call, Const, Operand, Value, type_of
from ir.derived import container_class
from ir.heap import Heap, Identity
from ir.memory.place_state import joined_members
from ir.types import (
    NUMBERS,
    Around,
    Bottom,
    Closure,
    Dict,
    Known,
    Mapping,
    Method,
    NamedTuple,
    Scalar,
    Sequence,
    Slice,
    Tuple,
    Type,
    Union,
    class_of,
)
from ir.types import Iterator as IteratorType

if TYPE_CHECKING:
    from ir.memory.storages import Storages

IMMUTABLE = (
    int, float, complex, str, bytes, tuple, slice, range, frozenset, type(None), type,
    FunctionType, BaseException, TracebackType,
)
# What stands for memory of which nothing is known.
UNKNOWN = Value("unknown")
ELEMENT_OF = (operator.getitem, primitives.item_to_pop)
CONTAINERS = (list, dict, tuple, deque, OrderedDict, defaultdict, Counter)
Index: TypeAlias = "Operand | None"


def is_container(type_: Type) -> bool:
    """Whether what a value of a type holds is read by indices and unpacking."""
    return container_class(type_) in CONTAINERS or isinstance(type_, NamedTuple)


def is_immutable_class(cls: type) -> bool:
    return issubclass(cls, IMMUTABLE) or facts.is_immutable(cls) or facts.is_opaque(cls)


def held_classes(type_: Type) -> set[type] | None:
    """The classes of the memory in what a value of this type holds, itself included; None where
    that can be anything."""
    match type_:
        case Known() | Around() | Bottom() | IteratorType():
            return set()
        case Closure(captures=captures, defaults=defaults, kwdefaults=keywords):
            captured = [*captures, *defaults, *(part for _, part in keywords)]
            if any(isinstance(part, IteratorType) for part in captured):
                return None  # what it will come to
            return united(held_classes, [part for part in captured if not is_object(part)])
        case _ if is_composed(type_):
            return of_parts(held_classes, type_)
        case _:
            known = class_of(type_)
            return None if known is None else _classes_of_instance(known)


def is_object(type_: Type) -> bool:
    """Whether values of a type have attributes that are followed; what a partial function holds is
    what it has captured."""
    cls = class_of(type_)
    return cls is not None and cls is not functools.partial and facts.is_object(cls)


def _classes_of_instance(cls: type) -> set[type] | None:
    if cls in (Heap, Identity):
        return set()
    if cls is set or cls is frozenset:
        return {set}  # its members never change
    if is_immutable_class(cls) and not issubclass(cls, tuple | frozenset):
        return set()
    return {cls} if facts.copies_items(cls) else None


def is_composed(type_: Type) -> bool:
    """Whether a type is that of several values, or of one that holds others."""
    return isinstance(type_, Union | Tuple | Method | Sequence | Dict | Mapping)


def of_parts(classes_of: Callable[[Type], set[type] | None], type_: Type) -> set[type] | None:
    """The classes of memory of such a type, by those of its parts."""
    match type_:
        case Union(parts) | Tuple(parts):
            return united(classes_of, parts)
        case Method(self=owner):
            return classes_of(owner)
        case Sequence(cls, item) | Mapping(cls=cls, item=item):
            held = set() if cls is range else classes_of(item)
        case Dict(items):
            cls, held = dict, united(classes_of, [value for _, value in items])
        case _:
            raise AssertionError(type_)
    if held is None:
        return None
    return held if cls in (tuple, range) else {cls, *held}


def united(
    classes_of: Callable[[Type], set[type] | None], types: Iterable[Type]
) -> set[type] | None:
    """What classes of memory one of these types has; None where that can be anything."""
    found: set[type] = set()
    for type_ in types:
        classes = classes_of(type_)
        if classes is None:
            return None
        found |= classes
    return found


def holds_memory(type_: Type) -> bool:
    """Whether a value of a type is, or holds, something that can be changed in place."""
    if type(type_) is Known or (type(type_) is Scalar and type_.cls in NUMBERS):  # most values
        return False
    return isinstance(type_, IteratorType) or held_classes(type_) != set()


def has_parts(type_: Type) -> bool:
    """Whether a container of this type may hold memory beside its own."""
    match type_:
        case Sequence(_, item):
            return holds_memory(item)
        case Mapping(item=item):
            return holds_memory(item)
        case Dict(items):
            return any(holds_memory(value) for _, value in items)
        case Tuple(items):
            return any(map(holds_memory, items))
        case Union(members):
            return any(map(has_parts, members))
        case _:
            cls = class_of(type_)
            is_flat = cls is not None and (cls in (set, frozenset) or facts.copies_items(cls))
            return not is_flat and holds_memory(type_)


def may_overlap(value: Type, changed: Type, deep: bool) -> bool:
    """Whether `value` may hold what was changed: `changed` itself, or something in it."""
    held = held_classes(value)
    cls = class_of(changed)
    found = held_classes(changed) if deep else (None if cls is None else {cls})
    if held is None or found is None:
        return held != set() and found != set()
    return bool(held & found)


def element_of(value: Value, op: object) -> tuple[Operand, Operand] | None:
    """The container and the index that an element was read from."""
    if not isinstance(op, Call) or not isinstance(op.callee, Const) or not op.args:
        return None
    callee, container = op.callee.value, op.args[0]
    if callee is not primitives.unpack and callee not in ELEMENT_OF:
        return None
    if not is_container(type_of(container)) or not holds_memory(value.type):
        return None
    cls = class_of(type_of(container)) or tuple
    if callee is primitives.unpack:
        if issubclass(cls, dict):
            return None
        return container, Const(op.results.index(value))
    # What is no key of a dict either: a part of a list, a copy.
    if not issubclass(cls, dict | deque) and _is_slice(type_of(op.args[1])):
        return None
    return container, op.args[1]


def _is_slice(type_: Type) -> bool:
    return isinstance(type_, Slice) or (
        isinstance(type_, Known) and isinstance(type_.value, slice)
    ) or class_of(type_) in (slice, None)


class Contents:
    """Follows what the containers of one function hold."""

    def __init__(self, places: Storages) -> None:
        self._places = places
        # Indices that count from the front, whatever is appended.
        self.positions: set[Value] = set()

    # Views

    def place(self, value: Value) -> tuple[Operand, Operand] | None:
        """The container, under its first name, and the index that a value is the element of."""
        places = self._places
        first = places.origin(value)
        adopted = places.state.adopted.get(first)
        if adopted is not None:
            return adopted
        if first in places.state.detached or first in places.returned_new:
            return None
        found = element_of(first, places.definition(first))
        if found is None or not isinstance(found[0], Value) or places.parts(found[0]):
            return None
        return found

    def chain(self, value: Value) -> Iterator[Value]:
        """The containers that a value is reached through, from the inside."""
        places = self._places
        while True:
            place = self.place(value)
            whole = place[0] if place is not None else places.whole(places.origin(value))
            if not isinstance(whole, Value):
                return
            if place is not None:
                yield places.origin(whole)
            value = places.origin(whole)

    def is_element(self, value: Value) -> bool:
        return next(self.chain(value), None) is not None

    def is_stale(self, view: Value) -> bool:
        """Whether something in the region of an element was changed since it was read."""
        state = self._places.state
        return state.stamps.get(self._places.storage(view)) is not state.taken.get(view)

    def read(self, value: Value) -> None:
        """Notes an element that was just read from a container."""
        state = self._places.state
        state.views[value] = None
        state.taken[value] = state.stamps.get(self._places.storage(value))

    def changed(self, value: Value, version: Value, deep: bool = False) -> None:
        """Notes that a value, which may be an element, has been changed, or its elements."""
        places, state = self._places, self._places.state
        if not deep and not self.is_element(value):
            return
        root, view = places.storage(value), places.origin(value)
        state.stamps[root] = version
        state.deep[root] = None
        while view is not root:
            state.taken[view] = version
            whole = places.whole(view)
            assert isinstance(whole, Value)
            view = places.origin(whole)

    # What is put into containers

    def put(self, container: Value, items: Iterable[tuple[Index, Operand]]) -> None:
        """Notes what was put into a container, and at which index if that stays known."""
        for index, operand in items:
            if not isinstance(operand, Value) or not holds_memory(operand.type):
                continue
            parts = self._places.parts(operand)
            for source in self._places.with_sources([operand])[1:]:
                self.link(container, source)
            if parts:
                self.put(container, [(None, part) for part in parts])
            elif index is not None and self._may_adopt(container, operand):
                self._adopt(container, index, operand)
            else:
                self.link(container, operand)

    def _may_adopt(self, container: Value, operand: Value) -> bool:
        places = self._places
        first = places.origin(operand)
        return (
            places.storage(first) is first and first in places.state.born
            and first not in places.covers and first not in places.state.held
            and places.kind(first) != "unknown" and places.storage(container) is not first
            and is_container(container.type)
            and places.storage(container) not in places.roots(first)
        )

    def _adopt(self, container: Value, index: Operand, operand: Value) -> None:
        """The name of what was put into a container becomes that of an element."""
        places, state = self._places, self._places.state
        first, root = places.origin(operand), places.storage(container)
        is_back = places.left.get(first) is root
        is_shared = places.kind(first) != "new" or places.roots(first) & places.roots(root)
        if (is_shared and not is_back) or first in state.tangled:
            state.tangled[root] = None
        self._join_roots(root, first)
        if first in state.stamps:
            state.stamps[root] = operand
        state.adopted[first] = places.origin(container), index
        state.views[first] = None
        state.taken[first] = state.stamps.get(root)

    def link(self, container: Value, operand: Operand) -> None:
        """Notes that a container holds something that is not followed as its element."""
        places, state = self._places, self._places.state
        if not isinstance(operand, Value) or not holds_memory(operand.type):
            return
        root, storage = places.storage(container), places.storage(operand)
        roots = places.roots(storage)
        is_only = storage in state.born and storage not in places.covers and not (
            self.is_element(operand)
        ) and all(places.kind(r) == "new" and r not in state.held for r in roots)
        if not is_only or not roots.isdisjoint(state.tangled):
            state.tangled[root] = None
        self._join_roots(root, storage)
        for other in {storage, *places.shallow_roots(storage)}:
            self._join(other, {root}, is_held=False)
            if self.is_element(operand) or not places.may_be(operand, other):
                state.lent[other] = None
            else:
                state.held[other] = None
        self._lend_sources(roots)

    def _lend_sources(self, roots: Iterable[Value]) -> None:
        """What unknown memory was computed from may be that memory."""
        places = self._places
        pending, seen = list(roots), set()
        while pending:
            root = pending.pop()
            for source in places.sources.get(root, ()):
                if source not in seen:
                    seen.add(source)
                    places.state.lent[source] = None
                    pending.append(source)

    def _join(self, root: Value, members: Iterable[Value], is_held: bool = True) -> None:
        """Notes what may have memory in common with a value, and whether the value may hold it,
        and not only be held by it."""
        state = self._places.state
        found = dict.fromkeys(members, is_held)
        found.pop(root, None)
        state.members[root] = joined_members(state.members.get(root, {}), found)

    def _join_roots(self, root: Value, storage: Value) -> None:
        """Notes that a container may hold a value, or what that holds."""
        places = self._places
        within = places.roots_within(storage)
        self._join(root, within)
        self._join(root, places.roots(storage) - within, is_held=False)

    def mix(self, container: Value) -> None:
        """Notes that a container may hold anything."""
        self._join(self._places.storage(container), {UNKNOWN})

    def copied_by_call(self, result: Value, operands: Iterable[Operand]) -> None:
        """A container of its own that a function has filled with anything."""
        self.copied(result, operands)
        self._join(result, {UNKNOWN})

    def made_of(self, operand: Operand, local: set[Value]) -> set[Value]:
        """The storages from outside of a loop that what its iterations give may be a part of."""
        places = self._places
        found: set[Value] = set()
        for part in places.leaves(operand):
            if isinstance(part, Value) and holds_memory(part.type):
                for root in places.roots(places.storage(part)):
                    if root not in local:
                        found.add(root)
                    elif places.kind(root) == "unknown" or root in places.state.hidden or (
                        root in places.new
                    ):
                        found |= {UNKNOWN, *places.outer_sources(root, local)}
        return found

    def collected(self, result: Value, members: set[Value]) -> None:
        """A list of what the iterations of a loop gave."""
        if members:
            self._places.state.tangled[result] = None
            self._join(result, members)
            for root in members:
                self._join(root, {result}, is_held=False)

    def copied(self, result: Value, operands: Iterable[Operand]) -> None:
        """A container of its own that holds what others hold."""
        places = self._places
        for operand in operands:
            for part in places.leaves(operand):
                if isinstance(part, Value) and holds_memory(part.type):
                    places.state.tangled[result] = None
                    roots = places.roots(places.storage(part))
                    self._join_roots(result, places.storage(part))
                    places.state.lent[places.storage(part)] = None
                    self._lend_sources(roots)

    # Changes that move elements

    def moving(self, callee: object, target: Value, operands: list[Operand]) -> list[Value]:
        """Detaches the views that a change of their container may concern."""
        places, state = self._places, self._places.state
        container, root = places.origin(target), places.storage(target)
        gone: list[Value] = []
        cls = class_of(target.type)
        if cls is not None and facts.copies_items(cls):
            return gone
        state.moved[root] = None
        if callee is not primitives.stored:
            for is_part in (False, True) if callee is primitives.updating else (
                (container is not root,)
            ):
                state.resized[root, is_part] = object()
        if not has_parts(target.type):
            return gone
        around = set(self.chain(target))  # no list is its own element
        for view in list(state.views):
            place = self.place(view)
            if place is None or not isinstance(place[0], Value):
                continue
            owner = places.origin(place[0])
            if places.storage(view) is not root or (owner is not container and owner is root):
                continue
            if owner is not container and (container is root or owner in around):
                continue
            if owner is container and self._stays(callee, target, operands, place[1]):
                continue
            self.detach(view)
            gone.append(places.origin(view))
        return gone

    def detach(self, view: Value) -> None:
        places = self._places
        places.latest(view)
        is_known = places.kind(places.storage(view)) != "unknown"
        self.detach_behind(view, is_known and not places.held.has_contents(view))

    def detach_behind(self, view: Value, is_known: bool) -> None:
        """Lets an element go on as memory of its own, from which all others can be told."""
        places, state = self._places, self._places.state
        root = places.storage(view)
        first = places.origin(view)
        state.adopted.pop(first, None)
        state.detached[first] = is_known
        if root not in state.tangled:
            places.left[first] = root
        elif has_parts(first.type):
            state.tangled[first] = None
        state.views.pop(first, None)
        self._join(first, places.roots(root) - places.shallow_roots(root))
        self._join(first, places.shallow_roots(root), is_held=False)
        state.since[first] = len(state.trail)
        stamp = state.stamps.get(root)
        if stamp is not None:
            state.stamps[first] = stamp

    def _stays(
        self, callee: object, target: Value, operands: list[Operand], index: Operand
    ) -> bool:
        """Whether an element certainly stays at its index."""
        is_dict = issubclass(class_of(target.type) or object, dict)
        if callee in (primitives.appended, primitives.extended):
            return self._is_position(index)
        if callee is primitives.stored or (callee is primitives.deleted and is_dict):
            other = operands[0]
            if not isinstance(index, Const) or not isinstance(other, Const):
                return False
            return index.value != other.value and (
                is_dict or (self._is_position(index) and self._is_position(other))
            )
        return False

    def _is_position(self, index: Operand) -> bool:
        if isinstance(index, Const):
            return isinstance(index.value, int) and index.value >= 0
        return index in self.positions

    def position_of_last(self, container: Value) -> Operand:
        """The position of what was just appended."""
        inference = self._places.inference
        length = inference.call(len, container)
        position = inference.call(operator.sub, length, Const(1))
        if isinstance(position, Value):
            self.positions.add(position)
        return position
