"""Objects that NumPy's functions, or those of `math`, take for numbers or arrays.

    math.sqrt(length)         calls `type(length).__float__` from C
    np.sum([v, w])            adds the items by `type(v).__add__`, from C

What such a method gives has no derivative, since its caller is written in C. So objects of classes
that have such methods are refused there: where types tell, when code is made, else when it runs.
"""

from __future__ import annotations

import functools
import itertools
import operator
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from ir import facts, primitives
from ir.core import Const, Location, Operand, type_of
from ir.derived import replaces
from ir.errors import Unsupported
from ir.types import Bottom, Instance, Known, Scalar, Slice, Top, Tuple, Type, Union, class_of
from zyg.array_type import Array
from zyg.compiler.inference.objects import ARITHMETIC, OPERATORS, is_place, overloads
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant, is_constant

_ARRAYS = ("__array__", "__array_ufunc__", "__array_function__", "__getitem__")
# What calls a function for each of several items.
_EACH = (map, filter, itertools.starmap, itertools.accumulate, functools.reduce)
# What goes through the items of each item.
_OVER_ITEMS = (itertools.starmap, vars(itertools.chain)["from_iterable"])
_OPERATORS = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, operator.matmul,
)
# What has no derivative, but for objects of classes that round in their own way.
_ROUNDING = {
    id(function): function.__name__.replace("around", "round")
    for function in (np.round, np.around, np.floor, np.ceil, np.trunc, np.rint, np.fix)
}
# Types of values that neither are objects nor hold some.
_PLAIN = frozenset([Array, Scalar, Known, Slice, Bottom])
_ADVICE = "convert it first, with float(x), or write out in Python what is done with it"


def refuse_objects(
    inference: Any, callee: Const, args: list[Operand], loc: Location | None
) -> None:
    """Raises for a call that takes an object apart, and looks at what may be one."""
    if _PLAIN.issuperset([type(type_of(arg)) for arg in args]):
        return
    function = callee.value
    if any(function is over for over in _OVER_ITEMS) and args:
        _refuse_items(inference, function, facts.item_of(type_of(args[-1])), loc)
    if any(function is each for each in _EACH) and args and isinstance(args[0], Const):
        function, args = args[0].value, args[1:]
    if not _may_take_apart(function, tuple(map(type_of, args))):
        return
    unknown = []
    for arg in args:
        type_ = type_of(arg)
        found = [cls for cls in _classes(type_) if _is_taken_apart(cls, function)]
        if found and inference.heap is not None:
            raise Unsupported(_what(found[0], function), loc, advice=_ADVICE)
        inference.takes_apart |= bool(found)
        is_looked_at = inference.heap is not None and id(function) not in _ROUNDING
        if found or (is_looked_at and _may_be_object(type_)):
            unknown.append(arg)
    if unknown:
        inference.call(unless_taken_apart, Const(function), *unknown, loc=loc)


def _refuse_items(
    inference: Any, function: Any, type_: Type, loc: Location | None
) -> None:
    """The same for objects of which C goes through the items, as it does with lists."""
    found = [
        cls for cls in _classes(type_)
        if is_place(cls) and (overloads(cls, "__iter__") or overloads(cls, "__getitem__"))
    ]
    if found and inference.heap is not None:
        raise Unsupported(_what(found[0], function), loc, advice=_ADVICE)
    inference.takes_apart |= bool(found)


def takes_apart(function: Any, args: tuple[Type, ...]) -> bool:
    """Whether a function is certain to take an object apart."""
    return _may_take_apart(function, args) and any(
        _is_taken_apart(cls, function) for type_ in args for cls in _classes(type_)
    )


def _may_take_apart(callee: Any, args: tuple[Type, ...]) -> bool:
    if callee is primitives.stored or any(callee is function for function in _OPERATORS):
        return any(class_of(type_) is np.ndarray for type_ in args)
    return takes_numbers(callee) or id(callee) in _ROUNDING


def takes_numbers(callee: Any) -> bool:
    """Whether a function written in C, or one of NumPy's, computes with what it is given."""
    if is_constant(callee):
        return False
    if callee is complex or callee is reversed or isinstance(callee, np.ufunc):
        return True
    owner = getattr(callee, "__self__", None)
    if isinstance(callee, BuiltinFunctionType) and isinstance(owner, np.ufunc):
        return True
    if getattr(callee, "__objclass__", None) is np.ndarray:
        return True
    module = str(getattr(callee, "__module__", None))
    return module in ("math", "cmath", "statistics") or module.partition(".")[0] == "numpy"


def _what(cls: type, callee: Any) -> str:
    name = "an array" if callee is primitives.stored else f"`{callee.__name__}`"
    return (
        f"an object of class {cls.__name__} is given to {name}, which would call its methods where "
        "nothing is differentiated"
    )


def _classes(type_: Type) -> list[type]:
    """The classes of objects that a value of a type is or holds, as far as is known."""
    match type_:
        case Instance(cls):
            return [cls]
        case Union(parts) | Tuple(parts):
            return [cls for part in parts for cls in _classes(part)]
    return _classes(facts.item_of(type_)) if class_of(type_) in (list, tuple) else []


def _may_be_object(type_: Type) -> bool:
    match type_:
        case Top():
            return True
        case Instance(cls):
            return cls is np.ndarray  # of dtype object
        case Union(parts) | Tuple(parts):
            return any(map(_may_be_object, parts))
    return class_of(type_) in (list, tuple) and _may_be_object(facts.item_of(type_))


def _is_taken_apart(cls: type, callee: Any) -> bool:
    """Whether an object of a class is asked for a number or an array, or computes with others."""
    if not is_place(cls) or cls.__module__.partition(".")[0] == "numpy":
        return any(replaces(cls, name) for name in ("__iter__", "__getitem__", "__len__"))
    rounding = _ROUNDING.get(id(callee))
    if rounding is not None:
        own_names = "__array_function__", "__array_ufunc__", rounding, f"__{rounding}__"
        return any(overloads(cls, name) for name in own_names)
    if isinstance(callee, np.ufunc):  # which look for a method of their own name
        return True
    if callee is reversed:
        return overloads(cls, "__getitem__") and not overloads(cls, "__reversed__")
    names = OPERATORS[id(callee)] if any(callee is function for function in _OPERATORS) else ()
    if any(name is not None and overloads(cls, name) for name in names):
        return False  # asked as Python asks it, or refused behind an array
    own = any(overloads(cls, name) for name in ARITHMETIC)
    return own or any(overloads(cls, name) for name in _ARRAYS)


def unless_taken_apart(callee: Any, *args: Any) -> None:
    """The same at run time, for arguments whose classes weren't known before."""
    pending = list(args)
    while pending:
        current = pending.pop()
        cls = type(current)
        if cls is list or cls is tuple:
            pending.extend(current)
        elif cls is np.ndarray:
            if current.dtype.kind == "O":
                pending.extend(current.flat)
        elif cls is not float and _is_taken_apart(cls, callee):
            raise NotDifferentiable(f"{_what(cls, callee)}; {_ADVICE}")


constant(unless_taken_apart)
