"""Loops that read or store attributes by the names that they walk over, written out.

    for name in ('a', 'b'):          setattr(o, 'a', 0.0)
        setattr(o, name, 0.0)        setattr(o, 'b', 0.0)

So each attribute is known by its name when code is made, and has a type of its own. Names come from
tuples of texts (of a module or class, too), from dicts of known keys, from `dataclasses.fields`,
and from `zip` and `enumerate` of these.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from ir import primitives
from ir.core import Block, Call, Const, For, Operand, Raise, Value, Yield, operands_of, type_of
from ir.heap import attribute_read
from ir.late import imported
from ir.memory.place_state import check_call
from ir.record import record
from ir.rewrite import Mapping, walk
from ir.types import Dict, Tuple, class_of

if TYPE_CHECKING:
    from ir.inference.infer import Inference
    from ir.inference.typed_calls import TypedCalls

# An item, which is made when its iteration begins.
Item: TypeAlias = Callable[[], Operand]
MAX_ITEMS = 16
MAX_OPS = 400
BY_NAME = {"getattr", "setattr", "hasattr", "delattr", "vars"}


@record
class Written:
    """The items of a loop, the calls that do nothing but to give them, and the tuples that have to
    be as they are."""

    items: list[Item]
    unread: list[Call]
    constants: list[tuple[Operand, Any]]


def known_items(self: Inference, op: For, iterable: Operand) -> Written | None:
    """The items that a loop walks over, where its body names attributes; None for other loops."""
    exit = op.body.exit
    if op.backwards or len(op.iterables) != 1 or not isinstance(exit, Yield):
        return None
    stop = exit.values[0]
    if not isinstance(stop, Const) or stop.value is not False:
        return None
    items = _Items(self, op)
    found = items.of(iterable, op.iterables[0])
    if found is None or len(found) > MAX_ITEMS or not _names_attributes(op.body):
        return None
    if len(found) * len(walk(op.body)) > MAX_OPS:
        return None
    return Written(found, items.unread, items.constants)


def write_out(
    self: Inference, op: For, iterable: Operand, known: Written, init: list[Operand],
    mapping: Mapping,
) -> Raise | None:
    """Appends the body once for each item."""
    carried, count = init, len(op.carried)
    for value, expected in known.constants:
        check = self.surroundings.unless_same
        self.ops.append(check_call(check, [value, Const(expected)], op.loc))
    _forget(self, op, op.iterables[0], iterable, known.unread)
    collected: list[list[Operand]] = [[] for _ in op.results[count:]]
    for item in known.items:
        mapping.update(zip(op.body.params, [item(), *carried], strict=True))
        exit = self.inline(op.body, mapping)
        if isinstance(exit, Raise):
            return exit
        _, *values = exit.values
        carried = values[:count]
        for found, value in zip(collected, values[count:], strict=True):
            found.append(value)
    lists = [
        self.typed_call(Const(primitives.build_list), found, {}, [result.name], op.loc)[0]
        for found, result in zip(collected, op.results[count:], strict=True)
    ]
    mapping.update(zip(op.results, [*carried, *lists], strict=True))
    return None


def _forget(
    self: Inference, op: For, source: Operand, iterable: Operand, unread: list[Call]
) -> None:
    """Puts something that is dropped in the place of what was made for the loop alone, where that
    does nothing but to be walked over."""
    read = self.made_for(op, source)
    made = self.definitions.get(iterable) if isinstance(iterable, Value) else None
    if read is None or not any(made is other for other in unread):
        return
    assert isinstance(made, Call)
    if len(read.args) == len(made.args):
        for of_source, operand in zip(read.args, made.args, strict=True):
            _forget(self, op, of_source, operand, unread)
    place = next((i for i, other in enumerate(self.ops) if other is made), None)
    if place is not None:
        self.ops[place] = Call(Const(primitives.build_tuple), [], {}, made.results, made.loc)


def _names_attributes(body: Block) -> bool:
    for op in walk(body):
        if isinstance(op, Call) and isinstance(op.callee, Const) and op.args:
            named = op.args[-1].value if isinstance(op.args[-1], Const) else None
            if op.callee.value is primitives.load_global and named in BY_NAME:
                return True
            if op.callee.value is getattr and named == "__dict__":
                return True
            asking = imported("ir.syntax.attribute_dicts")
            if asking and any(op.callee.value is one for one in asking.BY_COMPUTED_NAME):
                return True
    return False


class _Items:
    """Finds the items of what a loop walks over."""

    def __init__(self, inference: Inference, op: For) -> None:
        self._inference = inference
        self._op = op
        self.unread: list[Call] = []
        self.constants: list[tuple[Operand, Any]] = []

    def of(self, iterable: Operand, source: Operand | None) -> list[Item] | None:
        """The items, of which some are texts or fields, or hold such; `source` is the iterable in
        the program."""
        if isinstance(iterable, Const):
            return self._constants(iterable.value)
        made = self._inference.definitions.get(iterable)
        if isinstance(type_of(iterable), Dict):
            return self._of_dict(iterable, source, with_values=False)
        if not isinstance(made, Call) or not isinstance(made.callee, Const):
            return None
        callee: Any = made.callee.value
        # What nobody else reads.
        read = None if source is None else self._inference.made_for(self._op, source)
        if callee is primitives.build_tuple or (
            callee is primitives.build_list and read is not None
        ):
            return list(map(self._given, made.args)) if any(map(_is_text, made.args)) else None
        if callee in (dict.items, dict.keys) and isinstance(type_of(made.args[0]), Dict):
            self.unread.append(made)
            owner = None if read is None else self._owner_of(read.callee)
            return self._of_dict(made.args[0], owner, with_values=callee is dict.items)
        if callee is zip and read is not None and len(read.args) == len(made.args):
            self.unread.append(made)
            return self._zipped(made, read.args)
        if made.kwargs:
            return None
        if callee is enumerate and read is not None and len(read.args) == len(made.args) == 1:
            self.unread.append(made)
            found = self.of(made.args[0], read.args[0])
            return found and [self._pair(self._given(Const(i)), it) for i, it in enumerate(found)]
        assert isinstance(iterable, Value)
        return self._named(iterable, made)

    def _zipped(self, made: Call, sources: list[Operand]) -> list[Item] | None:
        """The items of `zip`; None where it will raise, too."""
        strict = made.kwargs.get("strict", Const(False))
        if not isinstance(strict, Const) or made.kwargs.keys() - {"strict"}:
            return None
        found = [self.of(part, source) for part, source in zip(made.args, sources, strict=True)]
        if all(items is None for items in found):
            return None
        known = []
        for part, items in zip(made.args, found, strict=True):
            items = self._of_tuple(part) if items is None else items
            if items is None:
                return None
            known.append(items)
        if strict.value and len(set(map(len, known))) > 1:
            return None
        return [self._pair(*items) for items in zip(*known, strict=False)]

    def _of_tuple(self, value: Operand) -> list[Item] | None:
        type_ = type_of(value)
        if not isinstance(type_, Tuple):
            return None
        return [self._read(value, i) for i in range(len(type_.items))]

    def _owner_of(self, method: Operand) -> Operand | None:
        """The object that a method is read of in the program, if it is called alone."""
        read = self._inference.made_for(self._op, method) if isinstance(method, Value) else None
        return None if read is None else read.args[0]

    def _of_dict(
        self, of: Operand, source: Operand | None, with_values: bool
    ) -> list[Item] | None:
        """The keys or items of a dict that the body doesn't know: it can't change its size."""
        type_ = type_of(of)
        assert isinstance(type_, Dict)
        if source is None or any(source in operands_of(op) for op in walk(self._op.body)):
            return None
        if not with_values:
            return [self._given(Const(key)) for key, _ in type_.items]
        return [self._pair(self._given(Const(k)), self._read(of, k)) for k, _ in type_.items]

    def _named(self, value: Value, made: Call) -> list[Item] | None:
        """A tuple that a module or class has under a name, and keeps as far as is known."""
        inference, callee, args = self._inference, made.callee, made.args
        assert isinstance(callee, Const)
        container: Any = None
        owner: Any = None
        if callee.value is primitives.load_global and isinstance(args[0], Const):
            container, name = inference.globals, args[0].value
            owner = container
        elif callee.value is operator.getitem and isinstance(args[0], Const):
            container, name = args[0].value, args[1].value if isinstance(args[1], Const) else None
            if not isinstance(container, dict) or "__name__" not in container:
                return None
            owner = container
        elif callee.value is getattr and isinstance(args[0], Const) and isinstance(args[1], Const):
            name = args[1].value
            owner, container = _holder(args[0].value, name)
        elif callee.value is attribute_read and isinstance(args[2], Const):
            cls, name = class_of(type_of(args[1])), args[2].value
            if cls is None or not inference.surroundings.is_of_class(cls, name):
                return None
            inference.surroundings.note_lookup(cls, name)
            owner, container = _holder(cls, name)
        if container is None or type(container.get(name)) is not tuple:
            return None
        if owner is not None and inference.surroundings.is_assigned(owner, name):
            return None
        items = self._constants(container[name])
        if items is not None:
            inference.surroundings.note_constant(container, name)
            self.constants.append((value, container[name]))
        return items

    def _constants(self, values: object) -> list[Item] | None:
        if type(values) is not tuple or not all(map(_is_name, values)):
            return None
        return [self._given(Const(value)) for value in values]

    def _given(self, operand: Operand) -> Item:
        return lambda: operand

    def _read(self, of: Operand, key: object) -> Item:
        inference, loc = self._inference, self._op.loc

        def read() -> Operand:
            places = inference.places
            latest = of if places is None or isinstance(of, Const) else places.read(of, loc)
            operands = [latest, Const(key)]
            return inference.typed_call(Const(operator.getitem), operands, {}, ["t"], loc)[0]

        return read

    def _pair(self, *items: Item) -> Item:
        inference, loc = self._inference, self._op.loc
        build = Const(primitives.build_tuple)
        return lambda: inference.typed_call(build, [one() for one in items], {}, ["t"], loc)[0]


def _holder(owner: Any, name: str) -> tuple[Any, Any]:
    """The module or class that has a name, and its namespace."""
    if isinstance(owner, type):
        owner = next((base for base in owner.__mro__ if name in vars(base)), None)
        return owner, None if owner is None else vars(owner)
    return owner, vars(owner) if hasattr(owner, "__dict__") else None


def _is_name(value: object) -> bool:
    return isinstance(value, str) or is_field(value)


def _is_text(operand: Operand) -> bool:
    return isinstance(operand, Const) and isinstance(operand.value, str)


def fields_of_dataclass(self: TypedCalls, args: list[Operand]) -> Const | None:
    """What `dataclasses.fields` gives, of which code asks for the names."""
    from dataclasses import fields, is_dataclass  # which programs import that ask for it

    of = args[0].value if isinstance(args[0], Const) else class_of(type_of(args[0]))
    cls = of if isinstance(of, type) else type(of)
    if not is_dataclass(cls):
        return None
    self.surroundings.note_lookup(cls, "__dataclass_fields__")
    return Const(fields(cls))


def is_field(value: object) -> bool:
    """Whether this is a field of a dataclass; the module is large."""
    cls = type(value)
    return cls.__module__ == "dataclasses" and cls.__name__ == "Field"
