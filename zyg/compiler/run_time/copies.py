"""Copies: by the type of what is copied; those of objects by code that is made for their class.

    copy.copy(items)      list(items)
    copy.copy(point)          def copy_of_Point(x):
                                  y = new_object(Point)
                       ->         if hasattr(x, "x"): y.x = x.x
                                  if hasattr(x, "y"): y.y = x.y
                                  unless_different(x, y)
                                  return y

Which attributes an object has is known when the code runs only: the code asks for all that methods
of the class store, and raises for an object that has others.
"""

from __future__ import annotations

import copy
import linecache
import operator
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from itertools import count
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MemberDescriptorType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any

import numpy as np

from ir import primitives
from ir.core import Const, Location, Operand, Value, type_of
from ir.forgettable import forgettable
from ir.heap import new_object
from ir.inference.special_calls import Folded, special
from ir.inference.typed_calls import TypedCalls
from ir.memory.place_state import check_call
from ir.memory.stand_ins import is_empty
from ir.syntax.attribute_dicts import is_held
from ir.types import (
    BOTTOM,
    Dict,
    Instance,
    Mapping,
    Sequence,
    Tuple,
    Type,
    class_of,
    widen,
)
from zyg.compiler.inference.fields import unnamed
from zyg.compiler.inference.objects import holds_no_objects, is_error, is_place, lookup
from zyg.compiler.run_time.deep_copies import says_how_it_is_copied, unless_reached_twice
from zyg.held import copying
from zyg.held.reaching import slots_of
from zyg.rules import deep_copies
from zyg.rules.attribute_dicts import copy_of_namespace
from zyg.rules.registry import constant

_serial = count(1)
_PLAIN_READS = object.__getattribute__, SimpleNamespace.__getattribute__
# Of these, copies are the same object.
SAME = (
    int, float, complex, str, bytes, bool, type(None), range, slice, type, FunctionType,
    BuiltinFunctionType, ModuleType, np.generic, np.ufunc, frozenset,
)
_SHALLOW: dict[type | None, Callable[..., Any]] = {
    list: copying.copy_of_list, dict: copying.copy_of_dict,
    **dict.fromkeys((np.ndarray, OrderedDict, defaultdict, deque, set), copying.copy_by_method),
}
constant(copying.unless_different, copying.unless_object, copying.unless_holding_objects)


@special(copy.copy)
def _copy(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if len(args) != 1 or kwargs:
        return None
    type_, cls = type_of(args[0]), class_of(type_of(args[0]))
    if isinstance(type_, Tuple) or (cls is not None and issubclass(cls, SAME)):
        return [args[0]]
    function = _SHALLOW.get(cls) or (object_copier(cls) if cls is not None else None)
    if function is copy_of_namespace and cls is not None and self.surroundings.is_apart():
        # Of attributes by computed names nothing would be known.
        function = copier_by_names(cls, _names_of(self, cls), False)
    if function is not None:
        return self.typed_call(Const(function), args, {}, names, loc)
    if cls is not None or holds_no_objects(type_):
        return None
    if self.places is None or self.heap is None:
        self.call(copying.unless_object, args[0], loc=loc)
        return None
    return self.unknown_call(Const(copy.copy), args, names, loc)


@special(copy.deepcopy)
def _deepcopy(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    # What objects hold has its cotangents elsewhere: to the rule these would look constant.
    if len(args) != 1 or kwargs or holds_no_objects(type_of(args[0])):
        return None
    cls = class_of(type_of(args[0]))
    if self.places is not None and self.heap is not None and self.surroundings.is_apart():
        self.ops.append(check_call(unless_reached_twice, args, loc))
        return self.typed_call(Const(deep_copies.deep_copied), args, {}, names, loc)
    if self.places is None or (self.heap is None and not (cls is not None and is_place(cls))):
        self.call(copying.unless_holding_objects, args[0], loc=loc)
        return None
    (made,) = self.unknown_call(Const(copy.deepcopy), args, names, loc)
    if isinstance(made, Value) and cls is not None and is_place(cls):
        made.type = Instance(cls)
    return [made]


@special(deep_copies.deep_copied)
def _deep_copied(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    """A deep copy in code that is differentiated in turn: by code for each class."""
    type_ = type_of(args[0])
    cls = class_of(type_)
    if holds_no_objects(type_):
        return self.typed_call(Const(copy.deepcopy), args, {}, names, loc)
    self.current_heap(loc)
    if isinstance(type_, Tuple):
        parts = []
        for i in range(len(type_.items)):
            part = self.call(operator.getitem, args[0], Const(i))
            parts += self.typed_call(Const(deep_copies.deep_copied), [part], {}, names, loc)
        return [self.call(primitives.build_tuple, *parts, loc=loc)]
    # Of what nothing has stored so far, a later look may find more.
    is_same = cls is not None and issubclass(cls, SAME) and not issubclass(cls, frozenset)
    if type_ == BOTTOM or is_same:
        return [args[0]]
    function, given = _deep_copier(self, type_), list(args)
    if function is None:
        return self.unknown_call(Const(copy.deepcopy), args, names, loc)
    if cls is not None and getattr(cls, "__deepcopy__", None) is function:
        given.append(self.call(primitives.build_dict, loc=loc))
        return self.typed_call(Const(function), given, {}, names, loc)
    (made,) = self.typed_call(Const(function), given, {}, names, loc)
    if isinstance(made, Value) and not isinstance(type_, Dict | Mapping):
        made.type = unnamed(widen(type_))  # also in a recursion, where this isn't known yet
    return [made]


def _deep_copier(self: TypedCalls, type_: Type) -> Callable[..., Any] | None:
    """A function that makes deep copies of values of a type; None where that isn't known."""
    if is_empty(type_):
        return _SHALLOW.get(class_of(type_))
    match type_:
        case Sequence(of) if of is list:
            return deep_copies.deep_copy_of_list
        case Dict():
            return deep_copies.deep_copy_of_dict
        case Mapping(of, key) if of is dict:
            return deep_copies.deep_copy_of_dict if holds_no_objects(key) else None
    cls = class_of(type_)
    if cls is None or not is_place(cls):
        return None
    own = getattr(cls, "__deepcopy__", None)
    if own is not None:
        return own if isinstance(own, FunctionType) else None
    if says_how_it_is_copied(cls) or lookup(cls, "__getattribute__") not in _PLAIN_READS:
        return None
    return copier_by_names(cls, _names_of(self, cls), True)


def _names_of(self: TypedCalls, cls: type) -> tuple[str, ...]:
    """The attributes that the objects of a class may have, as far as the program tells."""
    return tuple(sorted({*_stored_names(cls), *self.surroundings.names_of_class(cls)}))


def object_copier(cls: type) -> Callable[..., Any] | None:
    """A function that copies instances of a class, as the class says or attribute by attribute."""
    if not is_place(cls) or is_error(cls):
        return None
    own: Callable[..., Any] | None = getattr(cls, "__copy__", None)
    if own is not None:
        return own
    if says_how_it_is_copied(cls):
        return copying.no_object
    return copy_of_namespace if SimpleNamespace in cls.__mro__ else copier(cls)


@forgettable(maxsize=1024)
def copier(cls: type) -> FunctionType:
    """A function that gives copies of the instances of a class."""
    lines = [f"def copy_of_{cls.__name__}(x):\n", "    y = _new(_cls)\n"]
    for name in sorted(_stored_names(cls)):
        lines += [f"    if hasattr(x, {name!r}):\n", f"        y.{name} = x.{name}\n"]
    lines += ["    _unless_different(x, y)\n", "    return y\n"]
    return _made(f"copy_of_{cls.__name__}", cls, lines)


def _made(name: str, cls: type, lines: list[str]) -> FunctionType:
    """A function of these lines, which copies instances of a class."""
    text = "".join(lines)
    file = f"<{name.replace('_', ' ')} {next(_serial)}>"
    module_globals = {
        "__name__": cls.__module__, "__builtins__": __builtins__, "_new": new_object, "_cls": cls,
        "_unless_different": copying.unless_different, "_copied": deep_copies.deep_copied,
        "_store": object.__setattr__, "_is_held": is_held,
    }
    exec(compile(text, file, "exec"), module_globals)
    linecache.cache[file] = len(text), None, lines, file
    made = module_globals[name]
    assert isinstance(made, FunctionType)
    return made


@forgettable(maxsize=1024)
def copier_by_names(cls: type, names: tuple[str, ...], is_deep: bool) -> FunctionType:
    """A function that gives copies of the instances of a class that have no other attributes, as
    Python makes them: from what their dicts and slots hold."""
    name_of_function = f"{'deep_' * is_deep}copy_of_{cls.__name__}"
    # What is None is told apart: what is known then of the others has one class.
    value = "value if value is None else _copied(value)" if is_deep else "value"
    lines = [f"def {name_of_function}(x):\n", "    y = _new(_cls)\n"]
    for name in names:
        of_class = lookup(cls, name)
        is_slot = isinstance(of_class, MemberDescriptorType)
        if hasattr(type(of_class), "__set__") and not is_slot:
            continue
        lines += [
            f"    if {f'hasattr(x, {name!r})' if is_slot else f'_is_held({name!r}, x)'}:\n",
            f"        value = x.{name}\n",
            f"        _store(y, {name!r}, {value})\n",
        ]
    lines += ["    _unless_different(x, y)\n", "    return y\n"]
    return _made(name_of_function, cls, lines)


def _stored_names(cls: type) -> set[str]:
    """The attributes that methods of a class store, that it annotates, and its slots."""
    import dis  # which few programs need

    names = set(slots_of(cls))
    for base in cls.__mro__[:-1]:
        names.update(vars(base).get("__annotations__", {}))
        for value in vars(base).values():
            for function in _functions_of(value):
                for code in _codes(function.__code__):
                    names.update(
                        item.argval for item in dis.get_instructions(code)
                        if item.opname == "STORE_ATTR"
                    )
    return {name for name in names if not isinstance(vars(cls).get(name), property)} - {
        "__dict__", "__weakref__",
    }


def _functions_of(value: Any) -> Iterator[FunctionType]:
    for part in (value, *(getattr(value, name, None) for name in ("__func__", "fset", "fget"))):
        if isinstance(part, FunctionType):
            yield part


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _codes(const)
