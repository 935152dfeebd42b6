"""What the attributes of objects hold, by class: types that hold in one whole program.

    class Body: ...      Fields: Body.x: float, Body.v: float

A program whose functions are all known when code is made stores what inference sees it store, into
objects that it makes or that are reached from its arguments. So the type of an attribute is the
join of what the arguments' objects hold and of all stores. Where something unknown may store too,
nothing is known. In the same way it is found which attributes hold what depends on an input: of the
others nobody asks for cotangents.
"""

from __future__ import annotations

import functools
import types
from collections import OrderedDict, deque
from typing import Any, TypeAlias

import numpy as np

from ir import facts
from ir.generators import Generator
from ir.heap import Cell, Contents
from ir.memory.held_tables import kind_of_items
from ir.memory.held_types import CONTAINERS, item_held
from ir.shared_names import Names
from ir.types import (
    BOTTOM,
    TOP,
    Closure,
    Dict,
    Instance,
    Known,
    Scalar,
    Sequence,
    Tuple,
    Type,
    Union,
    class_of,
    join,
    join_all,
    widen,
)
from zyg.array_type import ANY, BIG, Array, Symbol, is_big
from zyg.compiler.inference.changed_types import (
    NUMBERS,
    Changed,
    Kinds,
    Sameness,
    joined_within,
    kinds_of_items,
    may_be_same,
    of_anything,
)
from zyg.compiler.inference.members import member
from zyg.compiler.inference.memory_classes import classes_reached
from zyg.compiler.inference.objects import is_error, is_place
from zyg.compiler.inference.stepping import step_of
from zyg.held.nested_shadows import Bars, BarTable
from zyg.held.reaching import attributes_of
from zyg.signature import abstract

# What was asked about the attributes of objects, with the answers.
Answers: TypeAlias = dict[tuple[Any, ...], Any]
CHANGED = object()  # is no answer
NOWHERE = object()  # is no value of a class
# What a class may hold for all its objects, and nobody changes in place.
PLAIN = (int, float, complex, bool, str, bytes, type(None))
VALUES = (int, float, complex, bool, str, bytes, type(None), type, range, slice)
CONSTANTS = (*VALUES, types.FunctionType, types.BuiltinFunctionType)
_WITHOUT_CONTENTS = (
    types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType, np.ufunc,
    types.ModuleType,
)


# Objects that a program doesn't know as such.
_OF_ZYG = (Bars, BarTable, Cell, Contents, Names, Generator)
# What stands in a class for an attribute that the object holds.
_COMPUTED_UNLESS_STORED = (types.MemberDescriptorType, functools.cached_property)


class Fields:
    """The types of attributes by class and name; `is_open` if something unknown may store."""

    def __init__(self) -> None:
        self.types: dict[tuple[type, str], Type] = {}
        self.is_open = False
        # The classes of objects that come from outside.
        self._entered: set[type] = set()
        # The attributes into which the program itself stores.
        self._assigned: set[tuple[type, str]] = set()
        # Whether what the run time finds is taken to leave objects alone
        # (`zyg.compiler.run_time.apart`).
        self.sets_apart = False
        # Whether built-in functions that give iterators are generators, which go on by steps.
        self.goes_by_steps = False
        # Whether the program itself stores anything.
        self.is_stored = False
        # The attributes into which something is stored that may depend on an input.
        self._varied: set[tuple[type, str]] = set()
        # Whether memory that objects hold is changed in place; to which types of containers.
        self.changes_held = False
        self.changed: Changed = {}
        # Whether arrays among that, or under names that objects may know, are changed in place.
        self.changes_arrays = False
        # Whether there are objects that loops ask for one item after the other.
        self.has_steps = False
        # Whether memory that objects hold is followed by what stands for its contents
        # (`ir.memory.followed_memory`).
        self.follows_contents = False
        self.follows_views = False  # and views of arrays, as parts of the whole ones' contents
        # The types of what global names and attributes of classes hold that the program reads.
        self.named: set[Type] = set()
        # The attributes that code reads or asks for, and the classes of whose objects some are read
        # or stored by computed names.
        self._read: set[tuple[type, str]] = set()
        self._by_names: set[type] = set()
        # Where the questions are noted that a function is made by, with their answers.
        self.asked: Answers | None = None

    def ask(self, question: str, *args: Any) -> Any:
        """The answer of one of the methods that tell what is known, which is noted."""
        answer = getattr(self, question)(*args)
        if self.asked is not None:
            noted = self.asked.setdefault((question, *args), answer)
            if noted is not answer and noted != answer:
                self.asked[question, *args] = CHANGED
        return answer

    def still_answers(self, asked: Answers) -> bool:
        """Whether all questions have the answers now that they had before."""
        return all(
            getattr(self, question)(*args) == answer
            for (question, *args), answer in asked.items()
        )

    def may_be_stored(self) -> bool:
        """Whether the program may store into objects."""
        return self.is_open or self.is_stored

    def may_be_held(self) -> bool:
        """Whether memory that objects hold may be changed in place."""
        return self.is_open or self.changes_held

    def may_hold(self, type_: Type) -> bool:
        """Whether an object, or a name of the module's, may hold a value, or memory that the value
        holds: of a class of which some hold memory."""
        if self.is_open:
            return True
        own = classes_reached(type_)
        if own is not None and not own:
            return False
        held = [
            classes_reached(known)
            for known in (*self.types.values(), *self.changed.values(), *self.named)
        ]
        return own is None or any(known is None or own & known for known in held)

    def may_step(self) -> bool:
        """Whether there may be objects that loops ask for one item after the other."""
        return self.has_steps

    def is_never_stored(self, cls: type | None, name: str) -> bool:
        """Whether nothing is stored into an attribute."""
        return not self.is_open and (cls, name) not in self.types

    def is_never_assigned(self, cls: type, name: str) -> bool:
        """Whether the program stores nothing into an attribute, of whatever objects come from
        outside."""
        return not self.is_open and (cls, name) not in self._assigned

    def is_made_inside(self, cls: type | None) -> bool:
        """Whether no object of a class comes from outside."""
        return not self.is_open and cls not in self._entered

    def change_held(self, cls: type | None, name: str, type_: Type, keeps_type: bool) -> None:
        """Notes a change in place of what an attribute holds; `keeps_type`: of an array."""
        self.changes_held = True
        self.changes_arrays |= keeps_type or class_of(type_) is None
        if not keeps_type:
            before = TOP if cls is None else self.types.get((cls, name), TOP)
            self.store(cls, name, type_)
            changed = self._note_changed(unnamed(widen(type_)), before, False)
            self._join_held(changed, self._may_be_filled)

    def change_given(self, type_: Type, before: Type, is_element: bool) -> None:
        """The same for a container that some attribute holds, or a container in one, which was of
        this type before; `is_element` if it was in one."""
        self.changes_held = True
        self.changes_arrays |= class_of(type_) is None
        new = unnamed(widen(type_))
        changed = self._note_changed(new, before, is_element)
        self._join_held(changed, self._is_same_in_attribute)

    def _join_held(self, changed: Changed, is_same: Sameness) -> None:
        for place, known in self.types.items():
            self.types[place] = joined_within(known, changed, is_same)

    def _note_changed(self, new: Type, before: Type, is_element: bool) -> Changed:
        """Notes what may be the same container: one with items of the kind that they are now, or
        were before. Where contents are followed, they are of one kind. Where nothing was in it,
        no name of it says that there was."""
        kinds = {kinds_of_items(new)}
        old = widen(before)
        if not self.follows_contents and not (
            isinstance(old, CONTAINERS) and item_held(old) == BOTTOM
        ):
            kinds.add(kinds_of_items(old))
        keys = [(class_of(new), kind, is_element) for kind in kinds]
        for key in keys:
            self.changed[key] = join(self.changed.get(key, BOTTOM), new)
        return dict.fromkeys(keys, new)

    def changed_type(self, type_: Type, is_element: bool) -> Type:
        """The type of a container that an object may have changed in place meanwhile; `is_element`
        if it was taken out of another one."""
        if self.is_open or any(cls is None and kind is None for cls, kind, _ in self.changed):
            return of_anything(type_)
        if is_element:
            return joined_within(widen(type_), self.changed, self._is_same_in_attribute, depth=1)
        return joined_within(widen(type_), self.changed, may_be_same)

    def _may_be_filled(self, changed: Kinds, is_element: bool, type_: Type, depth: int) -> bool:
        """Whether a container that an attribute holds, and in which is nothing, or None, may be one
        that was changed by another attribute. Of others, code doesn't rest on what is in them."""
        item = item_held(type_)
        kinds = item.members if isinstance(item, Union) else (item,)
        if item != BOTTOM and Known(None) not in kinds:
            return False
        return self._is_same_in_attribute(changed, self.follows_contents, type_, depth)

    def _is_same_in_attribute(
        self, changed: Kinds, is_element: bool, type_: Type, depth: int
    ) -> bool:
        """Whether a container that an attribute holds, so many containers deep, is taken for one
        that was changed. One that was empty could be any. Where contents are followed, it is taken
        for the likely one: the run time looks whether containers are empty that code takes for
        such (`unless_filled`), and whether those that objects hold have one type."""
        if not may_be_same(changed, is_element, type_, depth):
            return False
        if kind_of_items(type_) is not None or not self.follows_contents:
            return True
        return not is_element if depth == 0 else changed in (None, NUMBERS)

    def store(self, cls: type | None, name: str, type_: Type) -> None:
        """Notes what a store leaves in an attribute."""
        if cls is None:
            self.is_open = True
            return
        self._assigned.add((cls, name))
        self._note(cls, name, type_)

    def _note(self, cls: type, name: str, type_: Type) -> None:
        self.has_steps |= step_of(cls) is not None
        new = unnamed(widen(type_))
        known = self.types.get((cls, name))
        self.types[cls, name] = new if known is None else join(known, new)

    def vary(self, cls: type | None, name: str) -> None:
        """Notes that an attribute may hold what depends on an input."""
        if cls is None:
            self.is_open = True
        else:
            self._varied.add((cls, name))

    def may_vary(self, cls: type | None, name: str) -> bool:
        """Whether an attribute may hold what depends on an input."""
        return self.is_open or self.changes_held or cls is None or (cls, name) in self._varied

    def may_vary_somewhere(self) -> bool:
        """Whether any object may hold what depends on an input."""
        return self.is_open or self.changes_held or bool(self._varied)

    def type_of(self, cls: type, name: str) -> Type:
        """The type of what a read of an attribute gives."""
        if self.is_open:
            return TOP
        self._read.add((cls, name))
        found = self.types.get((cls, name))
        if issubclass(cls, Bars):
            return join(self.first_bar(cls, name), BOTTOM if found is None else found)
        default = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), NOWHERE)
        is_made_with = is_error(cls) and name == "args" and cls not in self._entered
        if default is NOWHERE or isinstance(default, _COMPUTED_UNLESS_STORED) or is_made_with:
            if found is None and (
                self.is_of_nested() or issubclass(cls, Generator)
                or isinstance(default, functools.cached_property)
            ):
                return BOTTOM  # it is read where it has been stored, which is looked at later
            return TOP if found is None else found
        if type(default) not in PLAIN:
            return TOP  # what stands in the class may be changed when the program doesn't run
        # What is none of the object's is the class's, which a guard keeps as it is.
        return join(widen(abstract(default)), BOTTOM if found is None else found)

    def names_of(self, cls: type) -> tuple[str, ...]:
        """The attributes of the objects of a class that the program stores into, or reads."""
        self._by_names.add(cls)
        return self._known_names(cls)

    def classes_with(self, name: str) -> tuple[type, ...]:
        """The classes of objects that hold an attribute of a name, or of which a property computes
        it."""
        known: dict[type, set[str]] = {}
        for cls, held in self.types:
            if is_place(cls) and not issubclass(cls, _OF_ZYG):
                known.setdefault(cls, set()).add(held)
        found = [
            cls for cls, names in known.items()
            if member(Instance(cls), name).kind == ("stored" if name in names else "computed")
        ]
        return tuple(sorted(found, key=lambda cls: (cls.__module__, cls.__qualname__)))

    def note_name(self, cls: type, name: str) -> None:
        """Notes that code asks for an attribute."""
        self._read.add((cls, name))

    def _known_names(self, cls: type) -> tuple[str, ...]:
        return tuple(sorted({name for of, name in (*self.types, *self._read) if of is cls}))

    def is_number(self, cls: type, name: str) -> bool:
        """Whether something is stored into an attribute, and that are numbers alone."""
        return (cls, name) in self.types and self.type_of(cls, name) == Scalar(float)

    def first_bar(self, cls: type[Bars], name: str) -> Type:
        """What a cotangent is before anything is added: a number's own, or a structural zero."""
        is_number = self.is_number(cls.of, name) and not issubclass(cls.of, Cell)
        return Scalar(float) if is_number else Known(None)

    def enter(self, value: Any) -> None:
        """Notes what the objects hold that are reached from an argument."""
        seen: set[int] = set()
        pending = [value]
        while pending and not self.is_open:
            current = pending.pop()
            cls = type(current)
            if isinstance(current, VALUES) or id(current) in seen or hasattr(cls, "dtype"):
                continue
            seen.add(id(current))
            if cls is types.FunctionType:
                pending += [*(current.__defaults__ or ()), *(current.__kwdefaults__ or {}).values()]
                for cell in current.__closure__ or ():
                    try:
                        pending.append(cell.cell_contents)
                    except ValueError:
                        self.is_open = True
                continue
            if cls in (list, tuple, set, frozenset, deque):
                pending.extend(current)
            elif cls in (dict, OrderedDict):
                pending += current.values()
            elif cls in (types.MethodType, functools.partial):
                pending.extend(_parts(current))
            elif cls in _WITHOUT_CONTENTS or facts.is_opaque(cls):
                continue
            elif is_place(cls):
                self.has_steps |= step_of(cls) is not None
                self._entered.add(cls)
                for name, item in attributes_of(current).items():
                    self._note(cls, name, abstract(item))
                    self.vary(cls, name)
                    pending.append(item)
            else:
                self.is_open = True

    def copied(self) -> dict[str, Any]:
        """What is known now, to go back to."""
        return {
            name: value.copy() if isinstance(value, dict | set) else value
            for name, value in vars(self).items()
        }

    def copy(self) -> Fields:
        """What is known now, for a program that is made of it: it will note what it stores."""
        found = Fields()
        vars(found).update(self.copied())
        return found

    def follow_contents(self, at_entry: dict[str, Any]) -> None:
        """Begins anew, and follows the memory that objects hold."""
        self._begin_anew(at_entry, follows_contents=True, changes_held=True)

    def follow_views(self, at_entry: dict[str, Any]) -> None:
        """Begins anew, and follows views of arrays, too."""
        self._begin_anew(at_entry, follows_views=True)

    def holds_at_run_time(self) -> bool:
        """Whether the run time follows the memory that objects hold."""
        return self.may_be_held() and not self.follows_contents

    def leaves_arrays(self) -> bool:
        """Whether no array that objects may know is changed in place, so that it is a value as
        numbers are."""
        return self.may_be_held() and not (self.is_open or self.changes_arrays)

    def is_of_nested(self) -> bool:
        """Whether derivatives are differentiated in turn, and all has to be known."""
        return self.sets_apart or self.follows_contents

    def set_apart(self, at_entry: dict[str, Any]) -> None:
        """Begins anew, with what the run time finds set apart."""
        self._begin_anew(at_entry, sets_apart=True)

    def go_by_steps(self, at_entry: dict[str, Any]) -> None:
        """Begins anew, with generators in the place of Python's own iterators."""
        self._begin_anew(at_entry, goes_by_steps=True)

    def _begin_anew(self, at_entry: dict[str, Any], **found: bool) -> None:
        vars(self).update(at_entry, asked=None, **found)

    def state(self) -> object:
        """What code that was made for these types rests on."""
        if self.is_open:
            return None, self.has_steps
        kinds = self.changes_held, self.changes_arrays, self.is_stored, self.has_steps
        changed = frozenset(self.changed.items())
        named = frozenset(self.named), *map(self._known_names, self._by_names)
        return frozenset(self.types.items()), frozenset(self._varied), kinds, changed, named


def entered(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Fields:
    """What the objects hold that a call is given."""
    fields = Fields()
    fields.enter((function, args, kwargs))
    return fields


def state_of(value: Any) -> object:
    """What the objects hold that are reached from a value."""
    fields = Fields()
    fields.enter(value)
    return fields.state()


def holds_objects(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call is given objects, of which the types of what they hold are known."""
    fields = entered(function, args, kwargs)
    return bool(fields.types) and not fields.is_open


def _parts(function: Any) -> list[Any]:
    if isinstance(function, types.MethodType):
        return [function.__self__, function.__func__]
    return [function.func, *function.args, *function.keywords.values()]


def unnamed(type_: Type) -> Type:
    """A type that means the same in all functions: the symbols of sizes are one function's own."""
    match type_:
        case Array(dtype, dims):
            if dims is None:
                return type_
            known = tuple(
                dim if not isinstance(dim, Symbol) else (BIG if is_big(dim) else ANY)
                for dim in dims
            )
            return Array(dtype, known)
        case Tuple(items):
            return Tuple(tuple(map(unnamed, items)))
        case Sequence(cls, item):
            return Sequence(cls, unnamed(item))
        case Dict(items):
            return Dict(tuple((key, unnamed(item)) for key, item in items))
        case Union(members):
            return join_all(sorted(map(unnamed, members), key=repr))
        case Closure(_, _, captures, defaults, kwdefaults):
            held = [*captures, *defaults, *(item for _, item in kwdefaults)]
            return type_ if all(unnamed(item) == item for item in held) else TOP
        case Known(value) if not isinstance(value, CONSTANTS):
            return Instance(type(value)) if is_place(type(value)) else type_
        case _:
            return type_

