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
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from itertools import count
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from ir.core import Const, Location, Operand, Value, type_of
from ir.forgettable import forgettable
from ir.heap import new_object
from ir.inference.special_calls import Folded, special
from ir.inference.typed_calls import TypedCalls
from ir.types import Instance, Tuple, class_of
from zyg.compiler.inference.objects import holds_no_objects, is_place
from zyg.compiler.run_time.deep_copies import says_how_it_is_copied
from zyg.held import copying
from zyg.rules.attribute_dicts import copy_of_namespace
from zyg.rules.registry import constant

_serial = count(1)
# Of these, copies are the same object.
SAME = (
    int, float, complex, str, bytes, bool, type(None), range, slice, type, FunctionType,
    BuiltinFunctionType, ModuleType, np.generic, frozenset,
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
    if self.places is None or (self.heap is None and not (cls is not None and is_place(cls))):
        self.call(copying.unless_holding_objects, args[0], loc=loc)
        return None
    (made,) = self.unknown_call(Const(copy.deepcopy), args, names, loc)
    if isinstance(made, Value) and cls is not None and is_place(cls):
        made.type = Instance(cls)
    return [made]


def object_copier(cls: type) -> Callable[..., Any] | None:
    """A function that copies instances of a class, as the class says or attribute by attribute."""
    if not is_place(cls):
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
    text = "".join(lines)
    file = f"<copy of {cls.__qualname__} {next(_serial)}>"
    module_globals = {
        "__name__": cls.__module__, "__builtins__": __builtins__, "_new": new_object, "_cls": cls,
        "_unless_different": copying.unless_different,
    }
    exec(compile(text, file, "exec"), module_globals)
    linecache.cache[file] = len(text), None, lines, file
    made = module_globals[f"copy_of_{cls.__name__}"]
    assert isinstance(made, FunctionType)
    return made


def _stored_names(cls: type) -> set[str]:
    """The attributes that methods of a class store, that it annotates, and its slots."""
    import dis  # which few programs need

    names: set[str] = set()
    for base in cls.__mro__[:-1]:
        slots = vars(base).get("__slots__", ())
        names.update([slots] if isinstance(slots, str) else slots)
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
