"""Memory in memory that objects hold: rows of tables, lists in a dict, arrays in a tuple.

    self.rows[i].append(v)     table = attribute_read(heap, self, 'rows')
                               row = table[i]
                               c = contents_of(row)
                               a = attribute_read(heap, c, 'items')

A table holds references alone, which have no cotangents: something stands for the contents of each
of its rows. So what reads a table as a whole, like a rule, is given one with what its rows hold
now; and each function that is given one works on objects.
"""

from __future__ import annotations

import operator
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from ir import facts, primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.errors import Unsupported
from ir.generators import iterated
from ir.heap import ITEMS
from ir.inference.special_calls import special
from ir.memory.held_functions import may_be_memory
from ir.memory.held_types import (
    CONTAINERS,
    is_deep,
    is_memory_of_memory,
    is_mixed,
    is_mixed_tuple,
    item_held,
    kinds_held,
)
from ir.memory.memory_facts import LAZY, WITHOUT_STEPS
from ir.memory.place_state import NEW, SHALLOW
from ir.memory.stand_ins import StandIns
from ir.types import (
    BOTTOM,
    TOP,
    Closure,
    Dict,
    Instance,
    Iterator,
    Known,
    Method,
    Scalar,
    Tuple,
    Type,
    Union,
    class_of,
)

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

# What may hold memory.
_OF_MEMORY = (list, dict, tuple, deque, OrderedDict, defaultdict)
_JOINING = (operator.add, operator.mul, operator.iadd, operator.imul)
# What the items of a container are: `()` for numbers and the like, for memory its class and the
# kind of its items, for a dict of several kinds its keys; None where that isn't known.
Kind: TypeAlias = tuple[Any, ...] | None


def put(memory: Any, type_: Type) -> None:
    """Notes, in code that inference looks through, that objects hold memory from here on, which
    they know as of this type."""
    raise AssertionError("inference puts operations on objects in its place")


def whole(memory: Any) -> Any:
    """Memory with what it holds now, at any depth."""
    raise AssertionError("inference puts operations on objects in its place")


@special(put)
def _put(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> list[Operand]:
    operand, type_ = args
    assert isinstance(type_, Const)
    _tables(self).put(operand, type_.value, loc)
    return [Const(None)]


@special(whole)
def _whole(
    self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
    loc: Location | None,
) -> list[Operand]:
    self.current_heap(loc)  # of what objects hold
    return [_tables(self).whole(args[0], loc)]


def _tables(inference: TypedCalls) -> HeldTables:
    assert inference.places is not None
    held = inference.places.held
    assert isinstance(held, HeldTables)
    return held


def is_of_unknown(type_: Type) -> bool:
    """Whether nothing is known of what a container holds."""
    return TOP in kinds_held(type_)


def _reaches_memory(type_: Type) -> bool:
    """Whether what is given such a value may read memory in it."""
    if isinstance(type_, Union):
        return any(map(_reaches_memory, type_.members))
    return is_deep(type_) or (isinstance(type_, Method) and may_be_memory(type_.self))


def is_known(type_: Type) -> bool:
    """Whether memory of a type holds numbers and the like, or memory of which that is known."""
    if isinstance(type_, Tuple):
        return all(map(_is_known_part, type_.items))
    cls = class_of(type_)
    if facts.copies_items(cls or object) or cls is set:  # no memory is in a set
        return True
    if not isinstance(type_, CONTAINERS):
        return False
    if isinstance(type_, Dict):
        return not is_memory_of_memory(type_) or all(map(_is_known_part, kinds_held(type_)))
    item = item_held(type_)
    if item == TOP or not may_be_memory(item):
        return True
    return cls in _OF_MEMORY and is_known(item)


def _is_known_part(type_: Type) -> bool:
    """Whether it is known what stands in a tuple or under a key: memory, an object, a number or a
    text."""
    if may_be_memory(type_):
        return is_known(type_)
    if isinstance(type_, Union):
        return all(map(_is_known_part, type_.members))
    cls = class_of(type_)
    is_plain = cls is not None and (
        facts.is_object(cls) or issubclass(cls, int | float | complex | str | type(None))
    )
    return is_plain or isinstance(type_, Scalar)


def kind_of_items(type_: Type) -> Kind:
    """What tells apart containers of one class, whatever is changed in them."""
    if not isinstance(type_, CONTAINERS):
        return None
    kind = kind_of_item(item_held(type_))
    if kind is None and isinstance(type_, Dict) and is_memory_of_memory(type_):
        return frozenset(name for name, _ in type_.items), ()
    return kind


def kind_of_item(item: Type) -> Kind:
    """The kind of which one item is."""
    cls = class_of(item)
    if cls is None:
        return None
    return (cls, kind_of_items(item)) if may_be_memory(item) else ()


def may_be_one(first: Kind, second: Kind) -> bool:
    """Whether containers with items of these kinds may be the same one."""
    if first is None or second is None:
        return True
    if len(first) != len(second):
        return False
    return not first or (first[0] == second[0] and may_be_one(first[1], second[1]))


def _hands_on(callee: Operand, args: list[Operand]) -> bool:
    """Whether a call gives the tuple that it is given, or calls a function that is known with the
    items of one, which that reads or changes."""
    if not isinstance(callee, Const):
        return False
    if callee.value is tuple:
        return class_of(type_of(args[0])) is tuple
    if callee.value is not primitives.apply:
        return False
    function, given, named = map(type_of, args)
    is_known = isinstance(function, Known | Closure)
    return is_known and isinstance(given, Tuple) and isinstance(named, Dict)


def _joins(callee: Operand, args: list[Operand]) -> bool:
    """Whether a call makes a list or tuple of what others hold, by `+` or `*`."""
    return isinstance(callee, Const) and callee.value in _JOINING and all(
        class_of(type_of(arg)) in (list, tuple, deque, int) for arg in args
    )


class HeldTables(StandIns):
    """Follows memory in memory."""

    def put(self, operand: Operand, type_: Type, loc: Location | None) -> None:
        """Notes that objects hold memory from here on, with all that it holds."""
        if isinstance(operand, Value) and may_be_memory(operand.type):
            self._put_contents(operand, type_, loc)
            self.mark([operand])

    def _put_contents(self, value: Value, type_: Type, loc: Location | None) -> Value:
        """Stores what memory holds into what stands for that; gives the heap behind it.

        A container of memory holds references alone, for which nothing stands.
        """
        inference = self._places.inference
        if isinstance(type_, Tuple):
            self._put_parts(value, type_, loc)
            return inference.current_heap(loc)
        if is_memory_of_memory(type_):
            self._put_memory_in(value, type_, loc)
            if not is_mixed(type_):
                return inference.current_heap(loc)
        elif is_memory_of_memory(value.type):
            raise self._refused(loc)
        self._put_owner(value, loc)
        cls = self._class_for(type_, loc)
        if is_of_unknown(type_) or is_of_unknown(value.type):
            self._check(inference.surroundings.unless_items_are_memory, value, loc)
        contents = self._contents(cls, value, loc, is_new=True)
        return self._store_items(inference.current_heap(loc), contents, value, loc)

    def _put_memory_in(self, value: Value, type_: Type, loc: Location | None) -> None:
        """The same for the memory in a container, not for the container itself."""
        self._check_known(type_, loc)
        inference = self._places.inference
        if isinstance(type_, Dict):
            self._put_values(value, dict(type_.items), loc)
            return
        functions = inference.surroundings.part_functions(class_of(type_) or object)
        if functions is None:
            raise self._refused(loc)
        if item_held(value.type) != BOTTOM:
            item = Const(item_held(type_))
            inference.typed_call(Const(functions[0]), [value, item], {}, ["_"], loc)

    def _put_values(self, value: Value, types: dict[str, Type], loc: Location | None) -> None:
        """The same for a dict, whose values have types of their own."""
        for name, part in self._values(value, loc).items():
            if isinstance(part, Value) and may_be_memory(part.type):
                if class_of(types.get(name, TOP)) is not class_of(part.type):
                    raise self._refused(loc)
                self.put(part, types[name], loc)

    def _values(self, value: Value, loc: Location | None) -> dict[str, Operand]:
        """What a dict with known keys holds now."""
        if not isinstance(value.type, Dict):
            raise self._refused(loc)
        return {
            name: self._places.read(
                self._places.inference.call(operator.getitem, value, Const(name), loc=loc), loc
            )
            for name, _ in value.type.items
        }

    def _put_owner(self, value: Value, loc: Location | None) -> None:
        """The same for the array of which this is a view, as far as is known."""
        owner = self._owner(self._places.origin(value))
        if owner is self._places.origin(value) or not facts.copies_items(
            class_of(value.type) or object
        ):
            return
        inference = self._places.inference
        inference.surroundings.unless_views()
        items = self._places.read(owner, loc)
        assert isinstance(items, Value)
        contents = self._contents(self._class_for(items.type, loc), items, loc, is_new=True)
        self._store_items(inference.current_heap(loc), contents, items, loc)
        self.mark([owner])

    def _owner(self, first: Value) -> Value:
        """What a view is one of: an array that is known by a name, or as an element."""
        places = self._places
        while places.contents.place(first) is None:
            whole = places.whole(first)
            if not isinstance(whole, Value):
                break
            first = places.origin(whole)
        return first

    def _put_parts(self, value: Value, type_: Tuple, loc: Location | None) -> None:
        """The same for a tuple, each part of which is of a type of its own."""
        if not isinstance(value.type, Tuple) or len(value.type.items) != len(type_.items):
            raise self._refused(loc)
        for part, item in zip(self._parts(value, loc), type_.items, strict=True):
            part = self._places.read(part, loc)
            if isinstance(part, Value) and may_be_memory(part.type):
                if class_of(item) is not class_of(part.type):
                    raise self._refused(loc)
                self.put(part, item, loc)

    def _parts(self, value: Value, loc: Location | None) -> list[Operand]:
        """The parts of a tuple."""
        assert isinstance(value.type, Tuple)
        return self._places.parts(value) or [
            self._places.inference.call(operator.getitem, value, Const(i), loc=loc)
            for i in range(len(value.type.items))
        ]

    def _put_into(self, operand: Operand, type_: Type, loc: Location | None) -> Value:
        """Puts the memory in what a container of memory will hold, or that itself, into objects;
        gives a reference, or what has cotangents of the numbers beside the memory."""
        if not isinstance(operand, Value) or class_of(type_) is not class_of(operand.type):
            raise self._refused(loc)
        if isinstance(type_, Tuple) or not is_mixed(type_):
            self._put_contents(operand, type_, loc)
        else:
            self._put_memory_in(operand, type_, loc)
        is_value = is_mixed_tuple(type_) or is_mixed(type_)
        if isinstance(type_, Dict):
            type_ = operand.type  # it need not have all keys that it is put beside
        return (self._retyped if is_value else self._reference)(operand, type_, loc)

    def _item_type(
        self, callee: Any, type_: Type, operands: list[Operand], item: Value,
        loc: Location | None,
    ) -> Type:
        """The type of what a container of a type will hold, which one of its changes is given."""
        if not isinstance(type_, Dict):
            return item_held(type_)
        key = operands[0]
        if callee is primitives.stored and isinstance(key, Const):
            return dict(type_.items)[key.value]
        found = {one for one in kinds_held(type_) if class_of(one) is class_of(item.type)}
        if len(found) != 1:
            raise self._refused(loc)
        return found.pop()

    def _reference(self, value: Value, type_: Type, loc: Location | None) -> Value:
        found = Value(value.name, type_)
        reference = self._places.inference.surroundings.reference
        self._append(Call(Const(reference), [value], {}, [found], loc))
        return found

    def _retyped(self, value: Value, type_: Type, loc: Location | None) -> Value:
        found = Value(value.name, type_)
        self._append(Call(Const(primitives.alias), [value], {}, [found], loc))
        return found

    def whole(self, operand: Operand, loc: Location | None) -> Operand:
        """A value with what all memory in it holds now; of an iterator a list."""
        inference = self._places.inference
        if not isinstance(operand, Value) or not is_deep(operand.type):
            return operand
        if isinstance(operand.type, Tuple):
            now = [
                self.whole(self._places.read(part, loc), loc)
                for part in self._parts(operand, loc)
            ]
            return inference.call(primitives.build_tuple, *now, loc=loc)
        if isinstance(operand.type, Dict):
            pairs = [
                one for name, part in self._values(operand, loc).items()
                for one in (Const(name), self.whole(part, loc))
            ]
            return inference.call(primitives.build_dict, *pairs, loc=loc)
        is_iterator = isinstance(operand.type, Iterator)
        cls = list if is_iterator else class_of(operand.type) or object
        functions = inference.surroundings.part_functions(cls)
        if functions is None:
            raise self._refused(loc)
        if self._holds_constants(operand):
            return operand
        (found,) = inference.typed_call(Const(functions[1]), [operand], {}, [operand.name], loc)
        return found

    def _holds_constants(self, operand: Value) -> bool:
        """Whether this is a list of the function's own, of arrays of truths or counts: what these
        hold has no derivative, and isn't followed."""
        kind = getattr(getattr(item_held(operand.type), "dtype", None), "kind", None)
        return kind in ("b", "i", "u") and self._places.returned(operand, []) in (NEW, SHALLOW)

    def expose(self, operands: Iterable[Operand]) -> None:
        operands = list(operands)
        super().expose(operands)
        for operand in operands:
            # What is taken out of an iterator is what a table holds.
            if isinstance(operand, Value) and isinstance(operand.type, Iterator):
                first = self._places.origin(operand)
                self.known.update((first, self._places.storage(first)))

    def is_read_in(self, inputs: list[Value]) -> bool:
        return any(_reaches_memory(value.type) for value in inputs)

    def operands_of(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> tuple[list[Operand], dict[str, Operand]]:
        args, kwargs = super().operands_of(callee, args, kwargs, loc)
        if not any(is_deep(type_of(arg)) for arg in (*args, *kwargs.values())):
            return args, kwargs
        if _hands_on(callee, args):
            return args, kwargs
        known = id(callee.value) if isinstance(callee, Const) else None
        if known in WITHOUT_STEPS:
            raise self._refused(loc)
        if known in LAZY:
            return self._by_steps(args, LAZY[known], loc), kwargs
        if not self._places.inference.surroundings.reads_whole(callee) or _joins(callee, args):
            return args, kwargs
        return [self.whole(arg, loc) for arg in args], {
            name: self.whole(arg, loc) for name, arg in kwargs.items()
        }

    def _by_steps(
        self, args: list[Operand], positions: slice, loc: Location | None
    ) -> list[Operand]:
        """Operands with iterators in the place of tables, which read a row when they come to it."""
        inference = self._places.inference
        taken = range(len(args))[positions]
        return [
            inference.typed_call(Const(iterated), [arg], {}, ["items"], loc)[0]
            if i in taken and is_deep(type_of(arg)) else arg
            for i, arg in enumerate(args)
        ]

    # What is known of memory

    def _is_value_place(self, owner: Operand) -> bool:
        cls = class_of(type_of(owner))
        return cls is not None and self._places.inference.surroundings.is_value_place(cls)

    def _class_for(self, type_: Type, loc: Location | None) -> type:
        """The class of what stands for memory of a type."""
        self._check_known(type_, loc)
        if self.is_part(type_):
            type_ = self._places.inference.surroundings.whole_type(type_)
        cls: type = self._places.inference.surroundings.contents_class(type_)
        self._places.inference.surroundings.note_store(Instance(cls), ITEMS, type_)
        return cls

    def _check_known(self, type_: Type, loc: Location | None) -> None:
        """Refuses memory of which it isn't known what it holds."""
        if not is_known(type_):
            inference = self._places.inference
            inference.surroundings.unless_settled()
            if inference.caught:  # it may stand in an exception
                inference.surroundings.follow_errors(loc)
            raise self._refused(loc)

    def _refused(self, loc: Location | None) -> Unsupported:
        return Unsupported(
            "the second derivative of code in which objects hold more than lists, dicts and "
            "arrays of numbers", loc, advice="let it return what it computes",
        )
