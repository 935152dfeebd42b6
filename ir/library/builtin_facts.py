"""What inference knows about the standard library: operators, `math`, built-in functions.

Importing this module (which imports `ir.library.container_facts`) fills `ir.facts`; the facts of
modules that fewer programs use are imported when they are asked for:

    operator.add  (int, float)      -> float
    pow           (float, float)    -> float | complex      a negative base is possible
    round         (float)           -> int
    zip           (list[float], range)  -> iterator over (float, int)
    isinstance    (float, =int)     -> =False

A result type covers every value that a call with such arguments can return; where that takes more
than is known, it is `TOP`. The classes are exact: an operand of type `float` is no subclass with
operators of its own.
"""

from __future__ import annotations

import itertools
import math
import operator
import types
from abc import ABCMeta
from collections import deque
from typing import Any

from ir import facts, primitives
from ir.core import Call, Const, Operand, type_of
from ir.library import container_facts as container_facts
from ir.library.fact_rules import (
    BOOL,
    EXAMPLES,
    FLOAT,
    INT,
    NONE,
    STR,
    always,
    by_class,
    call_type,
    declare,
    declare_by_class,
    refuses,
)
from ir.types import (
    BOTTOM,
    TOP,
    Instance,
    Iterator,
    Known,
    Method,
    Scalar,
    Tuple,
    Type,
    class_of,
    join,
)

facts.late("ir.library.itertools_facts", "itertools")
facts.late("ir.library.complex_facts", "cmath")
facts.late(
    "ir.library.scalar_facts", "builtins.int", "builtins.float", "builtins.complex", "builtins.str"
)
facts.late("ir.library.matching_calls", "ir.patterns")

BITWISE = (operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift)
DIVISIONS = (operator.truediv, operator.floordiv, operator.mod, divmod)
EQUALITIES = (operator.eq, operator.ne)
ORDERINGS = (operator.lt, operator.le, operator.gt, operator.ge)

# Addition overflows to inf; division and powers raise ZeroDivisionError.
facts.of_numbers(operator.add, operator.sub, operator.mul, operator.neg, operator.pos, abs)
facts.total(*EQUALITIES, operator.is_, operator.is_not)
facts.effect(primitives.check_lengths)
facts.pure(*BITWISE, *DIVISIONS, *ORDERINGS, operator.pow, pow, operator.invert, operator.index)
facts.pure(operator.not_, operator.truth, round, float, int, bool, complex, str, isinstance)
facts.pure(repr, format, chr, ord, type, callable, issubclass, ascii, bin, hex, oct)


@facts.quiet(super)
def is_above(types: tuple[Type, ...]) -> bool:
    """Whether `super(cls, obj)` finds an instance of the class."""
    match types:
        case (Known(type() as cls), Instance(of_object)):
            return issubclass(of_object, cls)
    return False


declare_by_class(operator.sub, operator.neg, operator.pos, abs, *DIVISIONS, *BITWISE, *ORDERINGS)
declare_by_class(complex, operator.index, ascii, bin, hex, oct)


def _declare_of_sets(callee: Any) -> None:
    """What is made of two sets is of the class of the first one."""
    plain = facts.result_of(callee)

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        if len(args) == 2 and all(class_of(arg) in (set, frozenset) for arg in args):
            return args[0]
        return TOP if plain is None else plain(args, kwargs)

    facts.result(callee)(result_of)


for _callee in (operator.sub, operator.and_, operator.or_, operator.xor):
    _declare_of_sets(_callee)

# These return exactly this class, whatever `__float__` and the like of the argument give.
always(FLOAT, float)


@facts.result(math.prod)
def prod_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    is_integral = len(args) == 1 and not kwargs and isinstance(args[0], Tuple) and all(
        class_of(item) is int for item in args[0].items
    )
    return INT if is_integral else TOP


always(INT, int, ord)
always(BOOL, bool, operator.not_, operator.truth, callable, issubclass)
always(STR, chr, str.format, str.join)
always(NONE, print)


@declare(operator.invert)
def invert(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    # Asking Python for ~True warns.
    return INT if len(args) == 1 and class_of(args[0]) in (int, bool) else TOP


@declare(operator.pow, pow)
def power(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """The class of a power depends on the sign of the base and on the exponent."""
    if len(args) != 2 or kwargs:
        return by_class(pow, args, kwargs)
    base, exponent = args
    kinds = (class_of(base), class_of(exponent))
    if not all(kind in (bool, int, float, complex) for kind in kinds):
        return BOTTOM if refuses(operator.pow, kinds) else TOP
    if complex in kinds:
        return Scalar(complex)
    if kinds[1] is not float:
        if kinds[0] is float:
            return FLOAT
        if kinds[1] is bool:
            return INT
        if isinstance(exponent, Known):
            return INT if exponent.value >= 0 else FLOAT
        return join(INT, FLOAT)
    if isinstance(exponent, Known) and exponent.value.is_integer():
        return FLOAT
    if isinstance(base, Known) and base.value >= 0:
        return FLOAT
    return join(FLOAT, Scalar(complex))


@declare(*EQUALITIES)
def equality(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Comparing built-in values gives a bool; other objects may answer anything."""
    return BOOL if len(args) == 2 and all(map(_answers_bool, args)) else TOP


def _answers_bool(type_: Type) -> bool:
    cls = class_of(type_)
    return cls in EXAMPLES or cls in (type(None), type(Ellipsis), tuple, list, dict, range, slice)


@declare(round)
def round_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    given = (*args, *kwargs.values())
    if len(given) == 2 and class_of(given[1]) not in (int, bool, type(None)):
        return TOP
    return by_class(round, args, kwargs)


@declare(str)
def str_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    # `__str__` of an unknown object may return a subclass of str.
    return STR if all(map(_answers_bool, args)) else TOP


facts.result(repr, format)(facts.result_of(str))  # type: ignore[arg-type]


def is_instance(type_: Type, classes: Type) -> bool | None:
    """Whether all values of a type are instances of known plain classes; None: undecided."""
    if isinstance(classes, Known) and isinstance(classes.value, types.UnionType):
        classes = Tuple(tuple(map(Known, classes.value.__args__)))
    if isinstance(classes, Tuple):
        answers = [is_instance(type_, item) for item in classes.items]
        return True if True in answers else (None if None in answers else False)
    cls = class_of(type_)
    if cls is None or not isinstance(classes, Known):
        return None
    if type(classes.value) is ABCMeta and classes.value.__module__ not in (
        "numbers", "collections.abc"
    ):
        # Others may be registered later.
        is_below = classes.value in cls.__mro__ and issubclass(cls, classes.value)
        return True if is_below else None
    if type(classes.value) not in (type, ABCMeta):
        return None
    return issubclass(cls, classes.value)


@declare(isinstance)
def isinstance_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    answer = is_instance(*args) if len(args) == 2 else None
    return BOOL if answer is None else Known(answer)


facts.pure(primitives.owner_of)


@declare(primitives.owner_of)
def owner_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0].self if isinstance(args[0], Method) else TOP


@declare(type)
def type_call(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    cls = class_of(args[0]) if len(args) == 1 else None
    return TOP if cls is None else Known(cls)


def identity(left: Type, right: Type) -> bool | None:
    """Whether two values are one object; None: undecided."""
    if isinstance(left, Known) and isinstance(right, Known):
        singletons = (type(None), type(Ellipsis), bool, type)
        if type(left.value) in singletons or type(right.value) in singletons:
            return left.value is right.value
    classes = class_of(left), class_of(right)
    if None not in classes and classes[0] is not classes[1]:
        return False
    return None


@declare(operator.is_)
def is_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    answer = identity(*args) if len(args) == 2 else None
    return BOOL if answer is None else Known(answer)


@declare(operator.is_not)
def is_not(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    answer = identity(*args) if len(args) == 2 else None
    return BOOL if answer is None else Known(not answer)


@facts.fold(isinstance, operator.is_, operator.is_not, type)
def fold_decided(call: Call) -> Operand | None:
    """A constant, where the types decide."""
    if not isinstance(call.callee, Const) or call.kwargs:
        return None
    type_ = call_type(call.callee.value, *map(type_of, call.args))
    return Const(type_.value) if isinstance(type_, Known) else None


@facts.fold(operator.or_)
def fold_union_of_classes(call: Call) -> Operand | None:
    """`float | int`, as `isinstance` takes it."""
    values = [arg.value for arg in call.args if isinstance(arg, Const)]
    kinds = (type, types.UnionType)
    if len(values) != 2 or call.kwargs or not all(type(value) in kinds for value in values):
        return None
    return Const(operator.or_(*values))


@facts.fold(operator.truth, bool)
def fold_truth(call: Call) -> Operand | None:
    """The truth of a bool is the bool itself; of a tuple, known from its length."""
    if len(call.args) != 1 or call.kwargs:
        return None
    match type_of(call.args[0]):
        case Scalar(cls) if cls is bool:
            return call.args[0]
        case Known(bool()):
            return call.args[0]
        case Tuple(items):
            return Const(bool(items))
        case _:
            return None


@facts.fold(float, int, complex, tuple)
def fold_conversion(call: Call) -> Operand | None:
    """A value of exactly the wanted class is itself."""
    if len(call.args) == 1 and not call.kwargs and isinstance(call.callee, Const):
        if class_of(type_of(call.args[0])) is call.callee.value:
            return call.args[0]
    return None


IN_PLACE = {
    operator.iadd: operator.add,
    operator.isub: operator.sub,
    operator.imul: operator.mul,
    operator.itruediv: operator.truediv,
    operator.ifloordiv: operator.floordiv,
    operator.imod: operator.mod,
    operator.ipow: operator.pow,
    operator.iand: operator.and_,
    operator.ior: operator.or_,
    operator.ixor: operator.xor,
    operator.ilshift: operator.lshift,
    operator.irshift: operator.rshift,
    operator.imatmul: operator.matmul,
}


def _declare_in_place(in_place: object, plain: object) -> None:
    @declare(in_place)
    def update(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        immutable = len(args) == 2 and isinstance(args[0], Scalar | Known | Tuple)
        return call_type(plain, *args) if immutable else TOP


for _in_place, _plain in IN_PLACE.items():
    _declare_in_place(_in_place, _plain)


# `math` converts its arguments itself: the class of the result is always the same.
MATH_FLOAT = (
    "acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh degrees dist erf erfc exp exp2 "
    "expm1 fabs fma fmod fsum gamma hypot ldexp lgamma log log10 log1p log2 nextafter pow radians "
    "remainder sin sinh sqrt tan tanh ulp"
).split()
MATH_INT = "comb factorial gcd isqrt lcm perm".split()
MATH_BOOL = "isclose isfinite isinf isnan".split()
MATH_TOTAL = (
    "asinh atan atan2 cbrt copysign degrees erf erfc fabs hypot isfinite isinf isnan nextafter "
    "radians tanh ulp"
).split()

for _names, _type in ((MATH_FLOAT, FLOAT), (MATH_INT, INT), (MATH_BOOL, BOOL)):
    # Some came with Python 3.12 and 3.13.
    always(_type, *(getattr(math, name) for name in _names if hasattr(math, name)))
always(Tuple((FLOAT, FLOAT)), math.modf)
always(Tuple((FLOAT, INT)), math.frexp)
declare_by_class(math.floor, math.ceil, math.trunc)
facts.pure(
    *(
        function
        for name, function in vars(math).items()
        # These two read an iterable, which may be an iterator.
        if not name.startswith("_")
        and callable(function)
        and name not in ("fsum", "prod", "sumprod", "dist")
    )
)
facts.of_numbers(*(getattr(math, name) for name in MATH_TOTAL))


# Iterators over iterables.

always(Iterator(itertools.count, INT), primitives.numbers_from)


@declare(zip)
def zip_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Iterator(zip, Tuple(tuple(map(facts.item_of, args))) if args else BOTTOM)


@declare(enumerate)
def enumerate_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Iterator(enumerate, Tuple((INT, facts.item_of(args[0])))) if args else TOP


@declare(map)
def map_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    items = [facts.item_of(arg) for arg in args[1:]]
    return Iterator(map, call_type(args[0].value, *items) if isinstance(args[0], Known) else TOP)


@declare(filter)
def filter_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Iterator(filter, facts.item_of(args[1])) if len(args) == 2 else TOP


@declare(reversed)
def reversed_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return _iterator(reversed, args)


@declare(iter)
def iter_(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) == 1 and isinstance(args[0], Iterator) and hasattr(args[0].cls, "__next__"):
        return args[0]
    return _iterator(iter, args)


def _iterator(make: Any, args: tuple[Type, ...]) -> Type:
    cls = class_of(args[0]) if len(args) == 1 else None
    if cls not in (tuple, list, range, dict, str, deque):
        return TOP
    example: Any = range(1) if cls is range else cls()
    return Iterator(type(make(example)), facts.item_of(args[0]))
