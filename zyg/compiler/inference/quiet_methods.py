"""Whether methods that operators and attributes call leave lists, dicts and arrays as they are.

    for y in self.xs:
        total += self + y        what does `__add__` do to `self.xs`?

Where the class of an operand isn't known, it may be any that the module knows. What a method does
is read off its code: it is quiet if it computes, reads, stores attributes, and makes objects by
such methods; calls of what isn't known by its name count as changes.
"""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Iterable, Iterator
from typing import Any

from ir import facts, heap, primitives
from ir.core import Block, Call, Const, For, Function, If, Operand, Try, Value, While, blocks_of
from ir.errors import SourceNotFound, Unsupported
from ir.forgettable import forgettable
from ir.parse import parse_code
from ir.types import TOP, Top, Type, Union, class_of
from zyg.compiler.inference.objects import CERTAIN, IN_PLACE, OPERATORS, lookup
from zyg.rules.registry import rule_of
from zyg.signature import is_users

# The methods that Python asks beside the first one, by that.
_BESIDE = {
    "__bool__": ("__len__",), "__str__": ("__repr__",), "__int__": ("__index__", "__trunc__"),
    "__float__": ("__index__",), "__contains__": ("__iter__", "__getitem__"),
    "__iter__": ("__next__", "__getitem__"), "__getitem__": ("__missing__",),
    "__ne__": ("__eq__",),
}  # fmt: skip
_OTHER = {operator.not_: "__bool__", bool: "__bool__", str: "__str__", iter: "__iter__"}
_READ = ("__getattr__", "__getattribute__")
_CHANGING = (operator.setitem, operator.delitem)
_IN_PLACE = {
    getattr(operator, name) for name in dir(operator)
    if name.startswith("i") and getattr(operator, name[1:], None) is not None
    and hasattr(operator, f"__{name}__")
}


def may_change_memory(
    callee: object, types_: list[Type], name: object, module_globals: dict[str, Any]
) -> bool:
    """Whether a method that an operator may call, or what computes the attribute `name`, may change
    lists, dicts or arrays."""
    names = _names(callee, name)
    return any(
        not _is_quiet(method)
        for cls in _classes(types_, module_globals) for method in _methods(cls, names)
    )


def _names(callee: object, name: object) -> tuple[str, ...] | None:
    """What is looked up in classes; None for any name."""
    if callee is getattr:
        return (name, *_READ) if isinstance(name, str) else None
    found = OPERATORS.get(id(callee)) or IN_PLACE.get(callee)
    if found is None:
        single = _OTHER.get(callee) or CERTAIN.get(callee)
        if single is None:
            return ("__iter__", *_BESIDE["__iter__"]) if callee in _UNPACKING else None
        found = single, None
    names = [one for one in found if one is not None]
    return (*names, *(other for one in names for other in _BESIDE.get(one, ())))


_UNPACKING = (primitives.unpack, primitives.unpack_starred)


def _classes(types_: Iterable[Type], module_globals: dict[str, Any]) -> Iterator[type]:
    """The classes of the user's that operands may have."""
    for type_ in types_:
        if isinstance(type_, Union):
            yield from _classes(type_.members, module_globals)
        elif isinstance(type_, Top):
            for value in list(module_globals.values()):
                if isinstance(value, type) and is_users(value):
                    yield value
        else:
            cls = class_of(type_)
            if cls is not None and is_users(cls):
                yield cls


def _methods(cls: type, names: tuple[str, ...] | None) -> Iterator[Any]:
    """The functions that a class has under these names, those of properties included."""
    for name in {*dir(cls)} if names is None else names:
        found = lookup(cls, name)
        if isinstance(found, property):
            yield found.fget
        elif isinstance(found, functools.cached_property):
            yield found.func
        elif isinstance(found, types.FunctionType):
            if name.startswith("__"):
                yield found
        elif found is not None and is_users(type(found)):
            yield lookup(type(found), "__get__")


def _is_quiet(method: Any) -> bool:
    if method is None:
        return True
    return isinstance(method, types.FunctionType) and _is_quiet_code(method)


@forgettable(maxsize=1024)
def _is_quiet_code(function: types.FunctionType) -> bool:
    return _Reader().is_quiet(function)


class _Reader:
    """Reads functions, and those that they call."""

    def __init__(self) -> None:
        self._open: set[types.CodeType] = set()
        self._definitions: dict[Operand, Call] = {}
        # What loops carry that began as constants.
        self._own: set[Operand] = set()

    def is_quiet(self, function: types.FunctionType) -> bool:
        code = function.__code__
        if code in self._open:
            return True
        if code.co_filename == "<string>" and function.__name__.startswith("__"):
            return True  # of a dataclass
        self._open.add(code)
        try:
            parsed = parse_code(code, function.__globals__)
        except (Unsupported, SourceNotFound):
            return False
        if code.co_flags & inspect.CO_GENERATOR:
            return False
        return self._is_quiet_block(parsed.body, parsed)

    def _is_quiet_block(self, block: Block, function: Function) -> bool:
        for op in block.ops:
            match op:
                case Call():
                    for result in op.results:
                        self._definitions[result] = op
                    if not self._is_quiet_call(op, function):
                        return False
                case If() | Try():
                    if not all(self._is_quiet_block(arm, function) for arm in blocks_of(op)):
                        return False
                case For() | While():
                    for start, param, end in zip(op.init, op.carried, op.results, strict=False):
                        if isinstance(start, Const) or start in self._own:
                            self._own |= {param, end}
                    if not self._is_quiet_block(op.body, function):
                        return False
                case _:
                    return False
        return True

    def _is_quiet_call(self, op: Call, function: Function) -> bool:
        if not isinstance(op.callee, Const):
            made = self._definitions.get(op.callee)
            return made is not None and self._is_quiet_callee(made, function)
        callee = op.callee.value
        if callee in _IN_PLACE:
            return isinstance(op.args[0], Const) or op.args[0] in self._own
        if callee is heap.set_attribute:
            return True
        if callee is getattr or callee.__module__ == "_operator":
            name = op.args[1].value if callee is getattr and isinstance(op.args[1], Const) else None
            return callee not in _CHANGING and self._asks_quiet(callee, name, function)
        return callee in _PLAIN or facts.is_pure(callee)

    def _asks_quiet(self, callee: object, name: object, function: Function) -> bool:
        """Whether the methods are quiet that an operator or attribute inside of a method calls."""
        names = _names(callee, name)
        if callee is getattr:
            names = None if names is None else names[:1]  # `__getattr__` is rarely meant
        classes = _classes([TOP], function.globals)
        return all(
            isinstance(method, types.FunctionType) and self.is_quiet(method)
            for cls in classes for method in _methods(cls, names)
        )

    def _is_quiet_callee(self, made: Call, function: Function) -> bool:
        """Whether what a global name or an attribute of one means is quiet."""
        if not isinstance(made.callee, Const):
            return False  # what a call gives is called
        value = self._known(made, function)
        if isinstance(value, types.FunctionType) and rule_of(value) is None:
            return self.is_quiet(value)
        if isinstance(value, type) and is_users(value):
            init = lookup(value, "__init__")
            return lookup(value, "__new__") is object.__new__ and (
                init is object.__init__
                or (isinstance(init, types.FunctionType) and self.is_quiet(init))
            )
        if isinstance(value, type) and issubclass(value, BaseException):
            return True
        if made.callee.value is getattr and isinstance(made.args[1], Const):
            if made.args[1].value in _QUIET_NAMES:
                return not any(
                    _is_found(cls, made.args[1].value) for cls in _classes([TOP], function.globals)
                )
        return value is not None and (facts.is_pure(value) or value in _READING)

    def _known(self, made: Call, function: Function) -> Any:
        if not isinstance(made.callee, Const):
            return None
        if made.callee.value is primitives.load_global and isinstance(made.args[0], Const):
            name = made.args[0].value
            builtins = function.globals.get("__builtins__", {})
            builtins = builtins if isinstance(builtins, dict) else vars(builtins)
            return function.globals.get(name, builtins.get(name))
        if made.callee.value is getattr and len(made.args) == 2:
            owner, name = made.args
            source = self._definitions.get(owner) if isinstance(owner, Value) else None
            module = None if source is None else self._known(source, function)
            if isinstance(module, types.ModuleType) and isinstance(name, Const):
                return getattr(module, name.value, None)
        return None


def _is_found(cls: type, name: str) -> bool:
    return isinstance(lookup(cls, name), types.FunctionType)


_READING = (getattr, hasattr, type, zip, enumerate, range, reversed, iter)
# Methods of Python's own containers, texts and numbers that change nothing.
_QUIET_NAMES = {
    *dir(str), *dir(tuple), *dir(float), "copy", "items", "keys", "values", "get", "sum", "mean",
    "dot", "reshape", "ravel",
}
_PLAIN = (
    primitives.load_global, primitives.build_tuple, primitives.build_list, primitives.build_dict,
    primitives.unpack, primitives.unpack_starred, *primitives.PASSING_ON,
)
