"""What objects of the user's classes compute themselves: operators, attributes, calls, iteration.

    v + w      ->  type(v).__add__(v, w), or type(w).__radd__(w, v)
    o.area     ->  Circle.area.fget(o)
    o(x)       ->  type(o).__call__(o, x)

Each is looked up as Python does it, and the method that is found is differentiated. The cotangent
of an object is a dict of those of its attributes, that of `super()` is the object's own.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import operator
import types
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

from ir import facts, primitives
from ir.heap import Cell, Identity, new_object
from ir.infer import Constructor, Member
from ir.types import (
    Dict,
    Instance,
    Known,
    Scalar,
    Sequence,
    Top,
    Tuple,
    Type,
    Union,
    class_of,
)
from zyg.compiler.dataclass_init import init_of_dataclass
from zyg.cotangent import accumulate, kept_but
from zyg.errors import NotDifferentiable
from zyg.iterators import Steps, step_bars
from zyg.rules.registry import constant, outdate
from zyg.shadows import (
    current_run,
    current_shadows,
    hold_value,
    is_memory,
    is_running,
    release,
)
from zyg.signature import by_identity, is_users

Back: TypeAlias = Callable[[Any], tuple[Any, ...]]
Differentiate: TypeAlias = Callable[..., tuple[Any, Back]]

_BINARY = {
    operator.add: "add", operator.sub: "sub", operator.mul: "mul", operator.truediv: "truediv",
    operator.floordiv: "floordiv", operator.mod: "mod", operator.pow: "pow", pow: "pow",
    operator.matmul: "matmul", operator.and_: "and", operator.or_: "or", operator.xor: "xor",
    operator.lshift: "lshift", operator.rshift: "rshift", divmod: "divmod",
}
COMPARISONS: dict[Any, tuple[str, str]] = {
    operator.lt: ("__lt__", "__gt__"), operator.gt: ("__gt__", "__lt__"),
    operator.le: ("__le__", "__ge__"), operator.ge: ("__ge__", "__le__"),
    operator.eq: ("__eq__", "__eq__"), operator.ne: ("__ne__", "__ne__"),
}
_REFLECTED: dict[Any, tuple[str, str]] = {
    **{function: (f"__{name}__", f"__r{name}__") for function, name in _BINARY.items()},
    **COMPARISONS,
}
_COMPARISON_NAMES = {names[0] for names in COMPARISONS.values()}
_OWN: dict[Any, str] = {
    operator.neg: "__neg__", operator.pos: "__pos__", operator.invert: "__invert__",
    operator.inv: "__invert__", operator.abs: "__abs__", abs: "__abs__", float: "__float__",
    complex: "__complex__", iter: "__iter__", reversed: "__reversed__",
    operator.getitem: "__getitem__",
}
# The methods by which an operator asks its first and its second operand.
OPERATORS: dict[int, tuple[str, str | None]] = {
    **{id(function): names for function, names in _REFLECTED.items()},
    **{id(function): (name, None) for function, name in _OWN.items()},
}
_ARITHMETIC = [
    name for names in OPERATORS.values() for name in names
    if name not in (None, "__getitem__", "__iter__", "__reversed__")
    and (names[0], names[1]) not in COMPARISONS.values()
]
COMPUTED = (
    property, functools.cached_property, functools.partialmethod, functools.singledispatchmethod
)
_METHODS = (
    types.FunctionType, classmethod, staticmethod, functools.partialmethod,
    functools.singledispatchmethod,
)
ANY_NAME = "__getattr__"
ALL_NAMES = "__getattribute__"


def lookup(cls: type, name: str) -> Any:
    """What a class says about a name, before it is bound to an object; None if nothing."""
    for base in cls.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return None


def overloads(cls: type, name: str) -> bool:
    """Whether a class has a method of this name that is written in Python.

    The comparisons that `dataclasses` generate have no source, and return truth values.
    """
    if not is_users(cls):
        return False
    code = getattr(lookup(cls, name), "__code__", None)
    if code is None:
        return False
    return name not in _COMPARISON_NAMES or code.co_filename != "<string>"


# What the compiler asks: does a call depend on the class of an object?


def may_overload(callee: object, types_: list[Type], module_globals: dict[str, Any]) -> bool:
    """Whether an operator may call a method of a user's class.

    Where types tell nothing, it may if the module knows a class that overloads it. (Objects that
    come from elsewhere without a type are refused by the rule of the operator.)
    """
    if callee is sum and types_:
        added = facts.item_of(types_[0])
        return may_overload(operator.add, [added, added], module_globals)
    names = OPERATORS.get(id(callee))
    if names is None:
        return False
    for type_, name in zip(types_, names, strict=False):
        if name is None:
            continue
        for member in type_.members if isinstance(type_, Union) else (type_,):
            cls = class_of(member)
            if cls is not None and overloads(cls, name):
                return True
            if isinstance(member, Top) and name in _methods(module_globals):
                return True
    return False


def is_computed(type_: Type, name: str, module_globals: dict[str, Any]) -> bool:
    """Whether reading an attribute may run code of a user's class."""
    cls = class_of(type_)
    if cls is None:
        computed = _methods(module_globals) if _is_unknown(type_) else set()
        return bool(computed) and (f".{name}" in computed or ANY_NAME in computed)
    return cls is super or (is_users(cls) and _computes(cls, name))


# Built-in functions by what they iterate over: their first argument, all, all but the first.
_OVER_FIRST = {id(f) for f in (list, tuple, set, frozenset, sum, sorted, enumerate, any, all)}
_OVER_ALL = {id(f) for f in (zip, itertools.chain, itertools.product)}
_OVER_REST = {id(f) for f in (map, filter)}
_OVER_SINGLE = {id(f) for f in (min, max)}


_OVER_FIRST |= {id(primitives.unpack), id(primitives.unpack_starred)}


def iterates_over(callee: object, position: int, count: int) -> bool:
    """Whether a built-in function takes the items of its argument at a position."""
    key = id(callee)
    if key in _OVER_FIRST or (key in _OVER_SINGLE and count == 1):
        return position == 0
    return key in _OVER_ALL or (key in _OVER_REST and position > 0)


def adds_unknown(callee: object, types_: list[Type]) -> bool:
    """Whether items about whose class nothing is known are added or multiplied."""
    return callee in (sum, math.prod) and bool(types_) and _is_unknown(facts.item_of(types_[0]))


def _computes(cls: type, name: str) -> bool:
    if overloads(cls, ALL_NAMES):
        return True
    found = lookup(cls, name)
    if found is None:
        return lookup(cls, ANY_NAME) is not None
    return isinstance(found, COMPUTED) or overloads(type(found), "__get__")


def _is_unknown(type_: Type) -> bool:
    if isinstance(type_, Union):
        return any(map(_is_unknown, type_.members))
    return isinstance(type_, Top) or (isinstance(type_, Instance) and is_users(type_.cls))


def unknown_operands(callee: object, types_: list[Type]) -> list[int]:
    """The operands of an arithmetic operator about whose class nothing is known."""
    names = OPERATORS.get(id(callee))
    if names is None or names[0] in ("__getitem__", "__iter__", "__reversed__"):
        return []  # their cotangents can tell
    return [i for i, type_ in enumerate(types_[:2]) if _is_unknown(type_)]


def _methods(module_globals: dict[str, Any]) -> set[str]:
    """The methods of classes that a module knows, and `.name` for attributes that they compute."""
    found: set[str] = set()
    for cls in list(module_globals.values()):
        if isinstance(cls, type) and is_users(cls):
            for base in cls.__mro__:
                # Python's own, of which only counters could be meant, are values that have rules.
                if is_users(base) and base is not Counter:
                    found |= _methods_of(base)
    return found


@functools.lru_cache(maxsize=1024)
def _methods_of(cls: type) -> set[str]:
    found = {name for name in vars(cls) if overloads(cls, name)}
    return found | {f".{name}" for name in vars(cls) if _computes(cls, name)}


# Objects as places: what they hold is known by their identity


def is_place(cls: type) -> bool:
    """Whether instances of a class are known by identity: those of the user's plain classes.

    Subclasses of containers and numbers are values like these.
    """
    if not is_users(cls):
        return issubclass(cls, Cell)
    return _is_of_python(cls) and not issubclass(cls, _VALUES)


facts.objects(is_place)


def is_object_type(type_: Type) -> bool:
    """Whether values of a type are known by identity in code that works on objects."""
    cls = class_of(type_)
    return cls is not None and is_place(cls)


def holds_no_objects(type_: Type) -> bool:
    """Whether values of a type hold no objects that are known by their identity."""
    match type_:
        case Known(value):
            return not callable(value) and not is_place(type(value))
        case Tuple(items):
            return all(map(holds_no_objects, items))
        case Dict(items):
            return all(holds_no_objects(item) for _, item in items)
        case Sequence(item=item):
            return holds_no_objects(item)
        case Union(members):
            return all(map(holds_no_objects, members))
        case Scalar():
            return True
        case _:
            return type(type_).__name__ == "Array"


def is_object(value: Any) -> bool:
    """Whether a value is known by its identity in code that works on objects."""
    return is_place(type(value)) or isinstance(value, Identity)


def kept_with_objects(x: Any) -> Any:
    """`cotangent.kept` in code that works on objects, which are not copied."""
    return kept_but(is_object, x)


facts.fresh(kept_with_objects)
facts.pure(kept_with_objects)
facts.total(kept_with_objects)


@facts.result(kept_with_objects)
def _type_of_kept(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0]


@functools.lru_cache(maxsize=4096)
def _is_of_python(cls: type) -> bool:
    """Whether a class and all that it derives from are made by class statements."""
    return not any(
        isinstance(vars(base).get("__new__"), types.BuiltinFunctionType)
        for base in cls.__mro__ if base is not object
    )


_VALUES = (
    tuple, list, dict, set, frozenset, str, bytes, int, float, complex, np.ndarray, np.generic,
    BaseException, type,
)


def member(type_: Type, name: str) -> Member:
    """What is known of an attribute of objects of a type."""
    cls = class_of(type_)
    if cls is None:
        unknown = isinstance(type_, Top | Union)
        return Member("unknown") if unknown else Member("other")
    if not is_place(cls):
        return Member("unknown" if cls is super else "other")
    if issubclass(cls, Cell):
        return Member("stored", store="plain", is_plainly_deleted=True)
    found = lookup(cls, name)
    kind, getter = _as_read(cls, name, found)
    store, setter = _as_stored(found)
    hook = None if _is_frozen(cls) else lookup(cls, "__setattr__")
    if hook is object.__setattr__:
        hook = None
    elif hook is not None and not isinstance(hook, types.FunctionType):
        store, hook = "unknown", None
    deletes = lookup(cls, "__delattr__") is object.__delattr__ or _is_frozen(cls)
    return Member(kind, getter, store, setter, hook, deletes and store == "plain")


def _as_read(cls: type, name: str, found: Any) -> tuple[str, Any]:
    """The kind of an attribute that is found as this in its class, and what computes it."""
    if overloads(cls, ALL_NAMES):
        return "unknown", None
    if type(found) is property:
        return "computed", found.fget
    if isinstance(found, COMPUTED) or _has_code(type(found), "__get__", "__set__", "__delete__"):
        return "unknown", None
    if found is None and lookup(cls, ANY_NAME) is not None:
        return "unknown", None
    if isinstance(found, types.FunctionType):
        return "method", found
    if isinstance(found, classmethod | staticmethod):
        is_plain = isinstance(found.__func__, types.FunctionType)
        kind = "static" if isinstance(found, staticmethod) else "of class"
        return kind if is_plain else "unknown", found.__func__
    return "stored", None


def _as_stored(found: Any) -> tuple[str, Any]:
    """How an attribute is stored that is found as this in its class, and what stores it."""
    if type(found) is property:
        return ("unknown", None) if found.fset is None else ("computed", found.fset)
    if found is None or isinstance(found, types.MemberDescriptorType):
        return "plain", None
    if isinstance(found, _METHODS) or hasattr(type(found), "__set__"):
        return "unknown", None
    return ("unknown" if hasattr(type(found), "__delete__") else "plain"), None


def _has_code(cls: type, *names: str) -> bool:
    return any(isinstance(lookup(cls, name), types.FunctionType) for name in names)


def _is_frozen(cls: type) -> bool:
    """Whether a class is a dataclass whose `__setattr__` does nothing but raise."""
    parameters = getattr(cls, "__dataclass_params__", None)
    return parameters is not None and parameters.frozen and "__setattr__" in vars(cls)


_PLAIN_NEW: Any = lookup(object, "__new__")
_PLAIN_INIT: Any = lookup(object, "__init__")


def constructor(cls: type) -> Constructor | None:
    """How an object is made, if its class leaves `__new__` and the metaclass's call to Python."""
    if not is_place(cls) or type(cls).__call__ is not type.__call__:
        return None
    if lookup(cls, "__new__") is not _PLAIN_NEW or getattr(cls, "__abstractmethods__", None):
        return None
    init = lookup(cls, "__init__")
    if init is _PLAIN_INIT:
        return Constructor(None)
    if dataclasses.is_dataclass(cls) and init.__code__.co_filename == "<string>":
        return Constructor(init_of_dataclass(cls))
    return Constructor(init) if isinstance(init, types.FunctionType) else None


# Operators that ask their first operand alone, and take what its method gives.
_CERTAIN = {
    **_OWN, operator.setitem: "__setitem__", operator.delitem: "__delitem__", len: "__len__",
    operator.contains: "__contains__", operator.truth: "__bool__",
}
_IN_PLACE = {
    getattr(operator, f"i{name}"): (f"__i{name}__", f"__{name}__")
    for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
        "lshift", "rshift",
    )
    if hasattr(operator, f"i{name}")
}
_IN_PLACE |= {operator.iand: ("__iand__", "__and__"), operator.ior: ("__ior__", "__or__")}


def operator_method(callee: object, types_: tuple[Type, ...]) -> tuple[str, Any] | None:
    """The name and function of the method that an operator is certain to call on an object."""
    cls = class_of(types_[0]) if types_ else None
    if cls is None or not is_place(cls) or not _is_hashable(callee):
        return None
    names: tuple[str, ...] = ()
    if callee in _CERTAIN:
        names = (_CERTAIN[callee],)
    elif callee in _IN_PLACE and len(types_) == 2:
        names = _IN_PLACE[callee]
    elif callee in _REFLECTED and len(types_) == 2:
        other = class_of(types_[1])
        if other is None or (other is not cls and issubclass(other, cls)):
            return None  # whose reflected method would come first
        names = (_REFLECTED[callee][0],)
    for name in names:
        method = lookup(cls, name)
        if isinstance(method, types.FunctionType):
            may_decline = callee not in _CERTAIN and _names_not_implemented(method)
            return None if may_decline else (name, method)
    return None


def _names_not_implemented(method: types.FunctionType) -> bool:
    return "NotImplemented" in method.__code__.co_names


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


# What generated code asks at run time


def unless_overloaded(*operands: Any) -> None:
    """Raises for operands whose class answers operators by code that wasn't looked for."""
    for operand in operands:
        cls = type(operand)
        if is_users(cls) and any(overloads(cls, name) for name in _ARITHMETIC):
            outdate()  # the next call looks again at what the module knows
            raise NotDifferentiable(
                f"an object of class {cls.__name__} overloads operators, and nothing told the "
                f"compiler that one could stand here; import {cls.__name__} into the module of "
                "this function"
            )


def unless_items_overloaded(items: Any) -> None:
    """`unless_overloaded` for what is summed; the items of iterators can't be looked at before."""
    if isinstance(items, list | tuple | dict | set):
        unless_overloaded(*items)


def unless_holding_objects(value: Any) -> None:
    """Raises for what holds objects, given to code whose cotangents of them nobody would take."""
    pending, seen = [value], set()
    while pending:
        current = pending.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        if is_place(type(current)) or callable(current):
            raise NotDifferentiable(
                "an object in a container, or one that a function holds, is given to `gradient` "
                "inside of differentiated code that works on objects; give it as an argument of "
                "its own"
            )
        if isinstance(current, list | tuple):
            pending += current
        elif isinstance(current, dict):
            pending += current.values()


def refuse_lost(name: str, value: Any) -> None:
    """Raises for a value out of an object that a global would hide the derivative of."""
    if not isinstance(value, int | str | bytes | np.integer | np.bool_ | None):
        raise NotDifferentiable(
            f"a derivative would get lost in the global `{name}`: pass the value on by arguments, "
            "or drop its derivative with zyg.dropgrad"
        )


constant(unless_overloaded, unless_items_overloaded, unless_holding_objects, refuse_lost)


class Through:
    """A back function that arranges the cotangents that another one gives."""

    __slots__ = ("arrange", "back")

    def __init__(self, back: Back, arrange: Callable[[Any], tuple[Any, ...]]) -> None:
        self.back = back
        self.arrange = arrange

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        return self.arrange(self.back(y_bar))

    def __reduce__(self) -> Any:
        return Through, (self.back, self.arrange)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Through:
        """The same with copies of what it holds."""
        return Through(copy(self.back), self.arrange)


class Refusing:
    """The back function of a call that could not be differentiated, where it is not needed."""

    __slots__ = ("count", "error")

    def __init__(self, count: int, error: Exception) -> None:
        self.count = count
        self.error = error

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        if y_bar is not None:
            raise self.error
        return (None,) * self.count

    def __reduce__(self) -> Any:
        return Refusing, (self.count, self.error)


def _alone(y_bar: Any) -> tuple[Any, ...]:
    return (y_bar,)


def _picked(source: int, target: int, count: int, bars: Any) -> tuple[Any, ...]:
    """`count` cotangents, of which only the one at `target` isn't a structural zero."""
    return (*(None,) * target, bars[source], *(None,) * (count - target - 1))


def as_callee(bars: Any) -> tuple[Any, ...]:
    return tuple(bars[1:])


def _as_constructor(bars: Any) -> tuple[Any, ...]:
    _, _, *rest = bars
    return None, *rest


def _swapped(bars: Any) -> tuple[Any, ...]:
    own, y, x = bars
    return own, x, y


def as_self(bars: Any) -> tuple[Any, ...]:
    """The cotangents of a bound method and its arguments from those of its function's."""
    _, self_bar, *rest = bars
    return {"__self__": self_bar}, *rest


_STORES = (setattr, delattr, object.__setattr__)


def call_of_object(
    pullback: Differentiate, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Back] | None:
    """The value and the back function of a call that a user's class answers; None if none does."""
    if function is sum and args and hasattr(args[0], "__len__"):
        # Iterators give their items once: those of objects are refused where they are added.
        if any(overloads(type(x), name) for x in args[0] for name in ("__add__", "__radd__")):
            return _added(pullback, args[0], *args[1:], *kwargs.values())
    if not kwargs and any(function is store for store in _STORES):
        return _changed_attribute(pullback, function, *args)
    if function is getattr:
        return _attribute(pullback, *args) if 1 < len(args) < 4 and not kwargs else None
    names = OPERATORS.get(id(function))
    if names is not None and not kwargs and 0 < len(args) < 3:
        asked = zip(args, names, strict=False)
        if any(name is not None and overloads(type(arg), name) for arg, name in asked):
            if names[1] is None:
                return _differentiated(pullback, lookup(type(args[0]), names[0]), *args)
            return _operator(pullback, function, names[0], names[1], args)
    if isinstance(function, type) and is_running():
        made = constructor(function)
        if made is not None and made.init is None:
            count = 1 + len(args) + len(kwargs)
            made_bars = functools.partial(_picked_none, count)
            return function(*args, **kwargs), Through(_alone, made_bars)
        obj = None if made is None else new_object(function)
        if made is not None and (kwargs or why_not_compiled(made.init, (obj, *args)) is None):
            _, back = pullback(made.init, obj, *args, **kwargs)
            return obj, Through(Made(back, obj), _as_constructor)
    cls = type(function)
    if is_users(cls) and id(function) not in by_identity:
        call = lookup(cls, "__call__")
        if isinstance(call, types.FunctionType):
            y, back = pullback(call, function, *args, **kwargs)
            return y, Through(back, as_callee)
    return None


def _not_set(function: Any, args: tuple[Any, ...]) -> Exception | None:
    raise RuntimeError("`zyg.api` has to be imported first")


# Set by the API: why a Python function can't be compiled for some arguments, None if it can.
why_not_compiled: Callable[[Any, tuple[Any, ...]], Exception | None] = _not_set


def _differentiated(
    pullback: Differentiate, method: Any, *args: Any
) -> tuple[Any, Back]:
    """A call of a method that Python makes by itself.

    Its result may have no part in any derivative: what can't be compiled is run as it is.
    """
    if isinstance(method, types.FunctionType):
        error = why_not_compiled(method, args)
        if error is not None:
            return method(*args), Refusing(1 + len(args), error)
    return pullback(method, *args)


def _added(pullback: Differentiate, items: Any, *start: Any) -> tuple[Any, Back]:
    """`sum` of objects that overload `+`."""
    steps = Steps(pullback, operator.add)
    initial = start[0] if start else 0
    totals = list(steps.over(items, initial))

    def back(y_bar: Any) -> tuple[Any, ...]:
        bars = [*(None for _ in totals[1:]), y_bar]
        items_bar, _, start_bar = step_bars(bars, steps, items, initial)
        return (None, items_bar, start_bar)[: 2 + len(start)]

    return totals[-1], back


def _operator(
    pullback: Differentiate, function: Any, name: str, reflected: str, args: tuple[Any, ...]
) -> tuple[Any, Back]:
    if len(args) != 2:
        raise NotDifferentiable(
            f"{function.__name__} of an object takes two arguments in differentiated code"
        )
    for method, is_swapped in _candidates(name, reflected, *args):
        given = args[::-1] if is_swapped else args
        y, back = _differentiated(pullback, method, *given)
        if y is not NotImplemented:
            return y, Through(back, _swapped) if is_swapped else back
    y = function(*args)  # raises Python's error, or compares identities
    return y, Through(_alone, functools.partial(_picked_none, 3))


def attempted_operator(
    attempt: Differentiate, function: Any, args: tuple[Any, ...]
) -> tuple[Any, Back] | None:
    """An operator's pair of an error, or None, and its value; None if no user's class answers."""
    name, reflected = OPERATORS.get(id(function), (None, None))
    if name is None or len(args) > 2 or not any(
        of is not None and overloads(type(arg), of)
        for arg, of in zip(args, (name, reflected), strict=False)
    ):
        return None
    if reflected is None:
        return attempt(lookup(type(args[0]), name), *args)
    for method, is_swapped in _candidates(name, reflected, *args):
        pair, back = attempt(method, *(args[::-1] if is_swapped else args))
        if pair[1] is not NotImplemented:
            return pair, Through(back, _swapped) if is_swapped else back
    return (None, function(*args)), Through(_alone, functools.partial(_picked_none, 3))


def _picked_none(count: int, bars: Any) -> tuple[Any, ...]:
    return (None,) * count


def _candidates(name: str, reflected: str, x: Any, y: Any) -> Iterator[tuple[Any, bool]]:
    """The methods that an operator asks, in their order, and whether the operands are swapped.

    Those of numbers and texts, written in C, give way to methods in Python.
    """
    left, right = lookup(type(x), name), lookup(type(y), reflected)
    if type(x) is type(y) and (name, reflected) not in COMPARISONS.values():
        right = None
    is_subclass = type(y) is not type(x) and issubclass(type(y), type(x))
    order = [(left, False), (right, True)]
    if is_subclass and right is not lookup(type(x), reflected):
        order.reverse()
    elif isinstance(x, np.ndarray) and not _gives_way(type(y)):
        raise NotDifferentiable(
            f"an array in front of an object of class {type(y).__name__} takes the operator apart "
            "item by item; put the object in front, or set its class's `__array_ufunc__` to None"
        )
    elif isinstance(x, str | bytes) and name == "__mod__":
        return
    yield from [(method, swap) for method, swap in order if hasattr(method, "__code__")]


def _gives_way(cls: type) -> bool:
    """Whether NumPy leaves an operator to this class."""
    return getattr(cls, "__array_ufunc__", True) is None or (
        getattr(cls, "__array_priority__", 0) > 0
    )


# Attributes


class Stored:
    """The back function of a store into an object, or of a deletion from it."""

    __slots__ = ("_count", "_is_first", "_name", "_obj", "_value")

    def __init__(
        self, obj: Any, name: str, count: int, value: Any = None, is_first: bool = False
    ) -> None:
        self._obj = obj
        self._name = name
        self._count = count
        self._value = value
        self._is_first = is_first

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        taken = release(
            current_shadows(), self._obj, self._name, Identity(self._value), self._is_first
        )
        return (None, None, None, taken)[: self._count]

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Stored:
        return self

    def __reduce__(self) -> Any:
        return Stored, (self._obj, self._name, self._count, self._value, self._is_first)


class Read:
    """The back function of a read of what an object holds."""

    __slots__ = ("_count", "_name", "_obj", "_value")

    def __init__(self, obj: Any, name: str, count: int, value: Any) -> None:
        self._obj = obj
        self._name = name
        self._count = count
        self._value = value if is_memory(value) else None

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        current_shadows().add_held(self._obj, self._name, y_bar, self._value)
        return (None,) * self._count

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Read:
        return self

    def __reduce__(self) -> Any:
        return Read, (self._obj, self._name, self._count, self._value)


class Made:
    """The back function of making an object: that of its `__init__`, which returns nothing."""

    __slots__ = ("_back", "_obj")

    def __init__(self, back: Back, obj: Any) -> None:
        self._back = back
        self._obj = obj

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        shadows = current_shadows()
        for name, bar in (y_bar or {}).items():
            shadows.add_held(self._obj, name, bar, getattr(self._obj, name, None))
        return self._back(None)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Made:
        return self

    def __reduce__(self) -> Any:
        return Made, (self._back, self._obj)


_CHANGING_METHODS: dict[Any, str] = {
    primitives.stored: "__setitem__", primitives.spliced: "__setitem__",
    primitives.stored_back: "__setitem__", primitives.deleted: "__delitem__",
    **{function: names[0] for function, names in _IN_PLACE.items()},
}


def changing_method(function: Any, obj: Any) -> Any:
    """The method of a user's class by which an object is changed in place; None if it has none."""
    cls = type(obj)
    if not is_place(cls) or function not in _CHANGING_METHODS:
        return None
    method = lookup(cls, _CHANGING_METHODS[function])
    return method if isinstance(method, types.FunctionType) else None


def of_operator(bars: Any) -> tuple[Any, ...]:
    """The cotangents of an operator's function and operands from those of a method's."""
    return tuple(bars)


def _changed_attribute(
    pullback: Differentiate, function: Any, obj: Any, name: str, *value: Any
) -> tuple[Any, Back]:
    """A store into an attribute, or its deletion, of what is found at run time."""
    cls = type(obj)
    if not is_place(cls):
        kind = "a class" if isinstance(obj, type) else f"an object of class {cls.__name__}"
        raise NotDifferentiable(f"the attribute `{name}` of {kind} is changed")
    found = member(Instance(cls), name)
    if function is setattr and found.hook is not None:
        _, back = pullback(found.hook, obj, name, *value)
        return None, Through(back, _of_hook)
    if function is not delattr and found.store == "computed":
        _, back = pullback(found.setter, obj, *value)
        return None, Through(back, _of_setter)
    descriptor = lookup(cls, name)
    if function is not delattr and overloads(type(descriptor), "__set__"):
        _, back = pullback(lookup(type(descriptor), "__set__"), descriptor, obj, *value)
        return None, Through(back, _of_descriptor)
    is_plain = found.is_plainly_deleted if function is delattr else found.store == "plain"
    if not is_plain:
        raise NotDifferentiable(
            f"the attribute `{name}` of {cls.__name__} is changed, which is no plain attribute"
        )
    function(obj, name, *value)
    if not value:
        return None, Stored(obj, name, 3)
    return None, Stored(obj, name, 4, value[0], hold_value(value[0]))


def _of_setter(bars: Any) -> tuple[Any, ...]:
    _, obj_bar, value_bar = bars
    return None, obj_bar, None, value_bar


def _of_descriptor(bars: Any) -> tuple[Any, ...]:
    _, _, obj_bar, value_bar = bars
    return None, obj_bar, None, value_bar


def _of_hook(bars: Any) -> tuple[Any, ...]:
    _, obj_bar, _, value_bar = bars
    return None, obj_bar, None, value_bar


def _attribute(
    pullback: Differentiate, obj: Any, name: str, *default: Any
) -> tuple[Any, Back] | None:
    """Reading an attribute that is computed; None for one that is stored."""
    count = 3 + len(default)
    try:
        found = _computed(pullback, obj, name, count)
    except AttributeError:
        if not default:
            raise
        return default[0], Through(_alone, functools.partial(_picked, 0, 3, 4))
    return found


def _computed(
    pullback: Differentiate, obj: Any, name: str, count: int
) -> tuple[Any, Back] | None:
    cls, owner = type(obj), obj
    if overloads(cls, ALL_NAMES):
        error = NotDifferentiable(
            f"the attribute `{name}` of {cls.__name__} is what its `__getattribute__` makes of it"
        )
        return getattr(obj, name), Refusing(count, error)
    stored: Any = getattr(obj, "__dict__", {})
    if is_running() and is_place(cls):
        plain = member(Instance(cls), name).kind == "stored" or name in stored
        if plain and not isinstance(lookup(cls, name), COMPUTED):
            y = getattr(obj, name)
            return y, Read(obj, name, count, y)
    if cls is super:
        owner, stored = obj.__self__, {}
        found = _found_above(obj, name)
    elif not is_users(cls) or isinstance(obj, type):
        return None
    else:
        found = lookup(cls, name)

    def through(back: Back, position: int) -> Back:
        return Through(back, functools.partial(_picked, position, 1, count))

    if isinstance(found, property) and found.fget is not None:
        try:
            y, back = _differentiated(pullback, found.fget, owner)
        except AttributeError:
            if lookup(cls, ANY_NAME) is None:
                raise
            found = None
        else:
            return y, through(back, 1)
    if isinstance(found, functools.cached_property):
        y, back = _cached(pullback, found, owner, name)
        return y, through(back, 1)
    if not isinstance(found, COMPUTED) and overloads(type(found), "__get__"):
        is_data = hasattr(type(found), "__set__") or hasattr(type(found), "__delete__")
        if is_data or name not in stored:
            getter = lookup(type(found), "__get__")
            y, back = _differentiated(pullback, getter, found, owner, type(owner))
            return y, through(back, 2)
    if isinstance(found, functools.singledispatchmethod):
        return getattr(obj, name), Through(_alone, functools.partial(_of_object, count))
    if cls is super or isinstance(found, functools.partialmethod):
        y = getattr(obj, name)
        depth, method = 0, y
        while isinstance(method, functools.partial):
            depth, method = depth + 1, method.func
        bound = getattr(method, "__self__", None)
        if bound is not owner and not isinstance(bound, type | None):
            raise NotDifferentiable(f"the attribute `{name}` can't be differentiated")
        return y, Through(_alone, functools.partial(_of_self, bound is owner, depth, count))
    if found is None and name not in stored and (method := lookup(cls, ANY_NAME)) is not None:
        y, back = _differentiated(pullback, method, obj, name)
        return y, through(back, 1)
    return None


def _found_above(obj: Any, name: str) -> Any:
    """What a name is found as through `super()`."""
    bases = obj.__self_class__.__mro__
    for base in bases[bases.index(obj.__thisclass__) + 1 :]:
        if name in vars(base):
            return vars(base)[name]
    return None


def _of_self(is_bound: bool, depth: int, count: int, bars: Any) -> tuple[Any, ...]:
    """The cotangent of the object from that of a method, which partial functions may hold."""
    (bar,) = bars
    for _ in range(depth):
        bar = None if bar is None else bar.get("func")
    self_bar = bar.get("__self__") if is_bound and bar is not None else None
    return (None, self_bar, *(None,) * (count - 2))


def _of_object(count: int, bars: Any) -> tuple[Any, ...]:
    """The cotangent of the object that a method which looks at its argument's class is of."""
    (bar,) = bars
    return (None, None if bar is None else bar.get("obj"), *(None,) * (count - 2))


class CachedBack:
    """The back function of a cached property that is computed, stored, and read from there on."""

    __slots__ = ("_back", "_is_first", "_name", "_obj", "_value")

    def __init__(self, back: Back, obj: Any, name: str, value: Any, is_first: bool) -> None:
        self._back = back
        self._obj = obj
        self._name = name
        self._value = value if is_memory(value) else None
        self._is_first = is_first

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        taken = release(
            current_shadows(), self._obj, self._name, Identity(self._value), self._is_first
        )
        return self._back(accumulate(y_bar, taken))

    def with_own_memory(self, copy: Callable[[Any], Any]) -> CachedBack:
        return self

    def __reduce__(self) -> Any:
        held = self._back, self._obj, self._name, self._value, self._is_first
        return CachedBack, held


# In which forward pass a cached property was computed, and the `id` of what it was.
_cached_in: dict[tuple[int, str], tuple[int, object]] = {}
# What cached properties were computed as in differentiated code, by which back functions, and what
# else the objects held then.
_cached_backs: dict[tuple[int, str], tuple[Any, Back, dict[str, Any]]] = {}
MAX_CACHED = 1024  # a back function may keep its object alive


def _cached(
    pullback: Differentiate, found: functools.cached_property[Any], obj: Any, name: str
) -> tuple[Any, Back]:
    """A cached property: computed when it is read first, and stored in the object."""
    stored = obj.__dict__
    key, run = (id(obj), name), current_run()
    if run is not None and name in stored and _cached_in.get(key) == (id(stored[name]), run):
        return stored[name], Read(obj, name, 2, stored[name])
    if name in stored:
        before = _cached_backs.get(key)
        if before is None or before[0] is not stored[name] or not _holds(obj, before[2]):
            raise NotDifferentiable(
                f"the cached property `{name}` of this {type(obj).__name__} was computed before, "
                "so that nothing is known of what it was computed from; delete it first, with "
                f"`del x.{name}`"
            )
        return stored[name], before[1]
    held = dict(stored)
    y, back = _differentiated(pullback, found.func, obj)
    stored[name] = y
    if key not in _cached_backs:
        weakref.finalize(obj, _forget_cached, key)
    if len(_cached_backs) >= MAX_CACHED:
        _cached_backs.pop(next(iter(_cached_backs)))
    _cached_backs[key] = y, back, held
    if run is None:
        return y, back
    _cached_in[key] = id(y), run
    return y, CachedBack(back, obj, name, y, hold_value(y))


def _forget_cached(key: tuple[int, str]) -> None:
    _cached_backs.pop(key, None)
    _cached_in.pop(key, None)


def _holds(obj: Any, held: dict[str, Any]) -> bool:
    """Whether an object holds what it held before, beside what was cached since."""
    stored = obj.__dict__
    return all(name in stored and stored[name] is value for name, value in held.items())
