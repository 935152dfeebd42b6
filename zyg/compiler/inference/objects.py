"""What objects of the user's classes compute themselves: operators, attributes, calls, iteration.

    v + w      ->  type(v).__add__(v, w), or type(w).__radd__(w, v)
    o.area     ->  Circle.area.fget(o)
    o(x)       ->  type(o).__call__(o, x)

Each is looked up as Python does it, and the method that is found is differentiated. The cotangent
of an object is a dict of those of its attributes, that of `super()` is the object's own.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import math
import operator
import types
from collections import Counter, deque
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ir import facts, primitives
from ir.derived import HEAP_TYPE
from ir.forgettable import forgettable
from ir.generators import Generator
from ir.heap import Cell, Contents, Identity, holds_attribute, is_stored_in
from ir.inference.callees import is_choice
from ir.shared_names import Names
from ir.types import (
    Closure,
    Dict,
    Instance,
    Known,
    Mapping,
    NamedTuple,
    Scalar,
    Sequence,
    Top,
    Tuple,
    Type,
    Union,
    class_of,
)
from zyg.cotangents.missing_items import OF_COUNTER
from zyg.held import keeping
from zyg.held.keeping import kept_but
from zyg.held.nested_shadows import Bars, BarTable
from zyg.held.shadow_calls import is_running
from zyg.rules.registry import adjoint, constant, is_constant, substitute_of
from zyg.signature import is_by_rules, is_users

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
REFLECTED: dict[Any, tuple[str, str]] = {
    **{function: (f"__{name}__", f"__r{name}__") for function, name in _BINARY.items()},
    **COMPARISONS,
}
_COMPARISON_NAMES = {names[0] for names in COMPARISONS.values()}
_OWN: dict[Any, str] = {
    operator.neg: "__neg__", operator.pos: "__pos__", operator.invert: "__invert__",
    operator.inv: "__invert__", operator.abs: "__abs__", abs: "__abs__", float: "__float__",
    complex: "__complex__", iter: "__iter__", reversed: "__reversed__",
    operator.getitem: "__getitem__", round: "__round__", math.floor: "__floor__",
    math.ceil: "__ceil__", math.trunc: "__trunc__",
}
# The methods by which an operator asks its first and its second operand.
OPERATORS: dict[int, tuple[str, str | None]] = {
    **{id(function): names for function, names in REFLECTED.items()},
    **{id(function): (name, None) for function, name in _OWN.items()},
}
ARITHMETIC = [
    name for names in OPERATORS.values() for name in names
    if name not in (None, "__getitem__", "__iter__", "__reversed__")
    and (names[0], names[1]) not in COMPARISONS.values()
]
COMPUTED = (
    property, functools.cached_property, functools.partialmethod, functools.singledispatchmethod
)
ANY_NAME = "__getattr__"
ALL_NAMES = "__getattribute__"


def lookup(cls: type, name: str) -> Any:
    """What a class says about a name, before it is bound to an object; None if nothing."""
    for base in cls.__mro__:
        if name in vars(base):
            return vars(base)[name]
    if name == "__iter__" and is_users(cls) and overloads(cls, "__getitem__"):
        from zyg.rules.generators import each_by_index  # few programs need it

        return each_by_index
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


def item_of_class(cls: object) -> types.FunctionType | None:
    """The function of a user's class that answers `cls[key]`: its `__class_getitem__`."""
    if not isinstance(cls, type) or lookup(type(cls), "__getitem__") is not None:
        return None
    for base in cls.__mro__:
        found = vars(base).get("__class_getitem__")
        if found is not None:
            plain = getattr(found, "__func__", None) if is_users(base) else None
            return plain if isinstance(plain, types.FunctionType) else None
    return None


# What a dict calls for a key that it doesn't have.
_ASKED = {"__getitem__": ("__getitem__", "__missing__")}


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
    if callee is operator.getitem and isinstance(types_[0], Known | Top):
        classes = [types_[0].value] if isinstance(types_[0], Known) else module_globals.values()
        if any(item_of_class(cls) is not None for cls in list(classes)):
            return True
    for type_, name in zip(types_, names, strict=False):
        if name is None:
            continue
        for member in type_.members if isinstance(type_, Union) else (type_,):
            cls = class_of(member)
            if cls is not None and not is_users(cls):
                continue
            asked = _ASKED.get(name, (name,))
            if cls is not None and any(
                overloads(cls, one) and lookup(cls, one) is not OF_COUNTER for one in asked
            ):
                return True
            if isinstance(member, Top) and not _methods(module_globals).isdisjoint(asked):
                return True
    return False


def is_computed(type_: Type, name: str, module_globals: dict[str, Any]) -> bool:
    """Whether reading an attribute may run code of a user's class."""
    if isinstance(type_, Union):
        return any(is_computed(member, name, module_globals) for member in type_.members)
    cls = class_of(type_)
    if cls is None:
        computed = _methods(module_globals) if is_unknown(type_) else set()
        return bool(computed) and (f".{name}" in computed or ANY_NAME in computed)
    return cls is super or (is_users(cls) and _computes(cls, name))


# Built-in functions by what they iterate over: their first argument, all, all but the first.
_OVER_FIRST = {
    id(f) for f in (
        list, tuple, set, frozenset, sum, sorted, enumerate, any, all, itertools.islice,
        itertools.cycle, itertools.tee, itertools.combinations, itertools.permutations,
        itertools.combinations_with_replacement, itertools.accumulate, itertools.pairwise,
        itertools.groupby, itertools.compress, vars(itertools.chain)["from_iterable"], deque,
        math.prod, math.fsum, np.fromiter,
    )
}
_OVER_ALL = {id(f) for f in (zip, itertools.chain, itertools.product, itertools.zip_longest)}
_OVER_REST = {
    id(f) for f in (
        map, filter, itertools.filterfalse, itertools.takewhile, itertools.dropwhile,
        itertools.starmap,
    )
}
_OVER_SINGLE = {id(f) for f in (min, max)}
_OVER_FIRST |= {id(primitives.unpack), id(primitives.unpack_starred)}
_ITERATING = _OVER_FIRST | _OVER_ALL | _OVER_REST | _OVER_SINGLE


def iterates(callee: object) -> bool:
    """Whether a built-in function takes the items of one of its arguments."""
    return id(callee) in _ITERATING


def iterates_over(callee: object, position: int, count: int) -> bool:
    """Whether a built-in function takes the items of its argument at a position."""
    key = id(callee)
    if key in _OVER_FIRST or (key in _OVER_SINGLE and count == 1):
        return position == 0
    return key in _OVER_ALL or (key in _OVER_REST and position > 0)


def overloads_addition(type_: Type) -> bool:
    """Whether a value is certain to be an object of a user's class that answers `+`."""
    if isinstance(type_, Union):
        return all(map(overloads_addition, type_.members))
    cls = class_of(type_)
    return cls is not None and is_users(cls) and (
        overloads(cls, "__add__") or overloads(cls, "__radd__")
    )


def adds_unknown(callee: object, types_: list[Type]) -> bool:
    """Whether items about whose class nothing is known are added or multiplied."""
    return callee in (sum, math.prod) and bool(types_) and is_unknown(facts.item_of(types_[0]))


def _computes(cls: type, name: str) -> bool:
    if overloads(cls, ALL_NAMES):
        return True
    found = lookup(cls, name)
    if found is None:
        return lookup(cls, ANY_NAME) is not None
    return isinstance(found, COMPUTED) or overloads(type(found), "__get__")


def is_unknown(type_: Type) -> bool:
    """Whether a type doesn't tell by which class operators are answered."""
    if isinstance(type_, Union):
        return any(map(is_unknown, type_.members))
    return isinstance(type_, Top) or (
        isinstance(type_, Instance) and (is_users(type_.cls) or is_sparse_matrix(type_.cls))
    )


def is_sparse_matrix(cls: type) -> bool:
    """Whether `*` of a class of SciPy's is a product of matrices, which no rule expects."""
    return is_by_rules(cls) and any(base.__name__ == "spmatrix" for base in cls.__mro__)


def unknown_operands(callee: object, types_: list[Type]) -> list[int]:
    """The operands of an arithmetic operator about whose class nothing is known."""
    names = OPERATORS.get(id(callee))
    if names is None or names[0] in ("__getitem__", "__iter__", "__reversed__"):
        return []  # their cotangents can tell
    return [i for i, type_ in enumerate(types_[:2]) if is_unknown(type_)]


# Modules whose classes are what others derive from: who names them knows no object of them.
_ABSTRACT = {"collections.abc", "typing", "numbers", "abc", "contextlib"}


def _methods(module_globals: dict[str, Any]) -> set[str]:
    """The methods of classes that a module knows, and `.name` for attributes that they compute."""
    found: set[str] = set()
    others = _ABSTRACT - {module_globals.get("__name__")}
    for cls in list(module_globals.values()):
        if isinstance(cls, type) and is_users(cls) and cls.__module__ not in others:
            metaclass: type = type(cls)
            for base in (*cls.__mro__, *metaclass.__mro__):
                # Python's own, of which only counters could be meant, are values that have rules.
                if is_users(base) and base is not Counter:
                    found |= _methods_of(base)
    return found


@forgettable(maxsize=1024)
def _methods_of(cls: type) -> set[str]:
    found = {name for name in vars(cls) if overloads(cls, name)}
    return found | {f".{name}" for name in vars(cls) if _computes(cls, name)}


def is_place(cls: type) -> bool:
    """Whether instances of a class are known by identity: those of the user's plain classes.

    A `SimpleNamespace` is one of them. Subclasses of containers and numbers are values like these;
    classes that are known otherwise, such as `np.ndindex`, which is written in Python, are no plain
    ones.
    """
    if is_error(cls):
        return not is_constant(cls)
    if not is_users(cls):
        return issubclass(cls, _ZYGS) or cls is types.SimpleNamespace
    if is_constant(cls) or substitute_of(cls) is not None or is_of_logging(cls):
        return False
    return _is_of_python(cls) and not issubclass(cls, _VALUES)


@forgettable(maxsize=1024)
def is_error(cls: type) -> bool:
    """Whether exceptions of a class hold what they are made of, under `args`, and attributes."""
    return issubclass(cls, BaseException) and lookup(cls, "__new__") in _NEW_OF_ERRORS and all(
        base in _PLAIN_ERRORS or base.__flags__ & HEAP_TYPE for base in cls.__mro__[:-1]
    )


def is_of_logging(cls: type) -> bool:
    """Whether this is a class of the module `logging`, whose objects keep what they are told."""
    return cls.__module__ == "logging"


facts.objects(is_place)
facts.opaque(is_of_logging)
constant(is_stored_in, holds_attribute, is_choice)
facts.effect(is_stored_in, holds_attribute)


@facts.result(is_stored_in, holds_attribute)
def _bool(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Scalar(bool)


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
        case Mapping(_, key, item):
            return holds_no_objects(key) and holds_no_objects(item)
        case Union(members):
            return all(map(holds_no_objects, members))
        case Scalar():
            return True
        case _:
            return type(type_).__name__ == "Array"


def shows_objects(type_: Type) -> bool:
    """Whether a type tells the class of an object that is reached from its values."""
    match type_:
        case Closure(_, _, captures, defaults, kwdefaults):
            parts = (*captures, *defaults, *(item for _, item in kwdefaults))
        case NamedTuple(items=items) | Tuple(items):
            parts = items
        case Dict(items):
            parts = tuple(item for _, item in items)
        case Mapping(_, key, item):
            parts = (key, item)
        case Sequence(_, item):
            parts = (item,)
        case Union(members):
            parts = tuple(members)
        case _:
            return is_object_type(type_)
    return is_object_type(type_) or any(map(shows_objects, parts))


def is_object(value: Any) -> bool:
    """Whether a value is known by its identity in code that works on objects."""
    return is_place(type(value)) or isinstance(value, Identity)


def kept_with_objects(x: Any) -> Any:
    """`cotangent.kept` in code that works on objects, which are not copied."""
    return kept_but(is_object, x)


@adjoint(kept_with_objects)
def _kept_with_objects(x: Any) -> Any:
    return kept_with_objects(x), lambda y_bar: (y_bar,)


def _is_object_of_program(value: Any) -> bool:
    return is_running() and is_object(value)


keeping.stays_in_program = _is_object_of_program
facts.fresh(kept_with_objects)
facts.pure(kept_with_objects)
facts.total(kept_with_objects)


@facts.result(kept_with_objects)
def _type_of_kept(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0]


@forgettable(maxsize=4096)
def _is_of_python(cls: type) -> bool:
    """Whether a class and all that it derives from are made by class statements."""
    return not any(
        isinstance(vars(base).get("__new__"), types.BuiltinFunctionType)
        for base in cls.__mro__ if base not in (object, types.SimpleNamespace)
    )


_ZYGS = (Cell, Contents, Generator, Names, Bars, BarTable)
_VALUES = (
    tuple, list, dict, set, frozenset, str, bytes, int, float, complex, np.ndarray, np.generic,
    BaseException, type,
)


# Stands among the functions that need the heap, where exceptions have to be objects.
ERRORS: Any = "what exceptions hold"
# Classes of Python's exceptions that hold nothing but `args`: they are as large as the first one.
# StopIteration holds its first one as `value`, too.
_PLAIN_ERRORS = {StopIteration} | {
    cls for cls in vars(builtins).values()
    if isinstance(cls, type) and issubclass(cls, BaseException)
    and cls.__basicsize__ == BaseException.__basicsize__
}
_NEW_OF_ERRORS = {vars(cls)["__new__"] for cls in _PLAIN_ERRORS if "__new__" in vars(cls)}
INIT_OF_ERRORS = {
    id(vars(cls)["__init__"]): vars(cls)["__init__"] for cls in _PLAIN_ERRORS
    if "__init__" in vars(cls)
}

# Operators that ask their first operand alone, and take what its method gives.
CERTAIN = {
    **_OWN, operator.setitem: "__setitem__", operator.delitem: "__delitem__", len: "__len__",
    operator.contains: "__contains__", operator.truth: "__bool__", bool: "__bool__", int: "__int__",
    hash: "__hash__", repr: "__repr__",
}
IN_PLACE = {
    getattr(operator, f"i{name}"): (f"__i{name}__", f"__{name}__")
    for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
        "lshift", "rshift",
    )
    if hasattr(operator, f"i{name}")
}
IN_PLACE |= {operator.iand: ("__iand__", "__and__"), operator.ior: ("__ior__", "__or__")}


def is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
