"""The forms in which result types are declared: for single kinds of type, and by example.

    declare(operator.contains)(rule)    `rule` sees no union: the join over the members is taken
    declare_by_class(operator.sub)      (int, float) -> float, found by computing `1 - 1.0` once
    always(INT, len)                    whatever the arguments are

Calling a function once with an example of each class keeps Python's own tables of result types
from being written down a second time here. It is right only for functions whose result type
follows from the classes of the arguments; others (`pow`, `round`) have a rule.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import product
from types import NoneType
from typing import Any

from ir import facts
from ir.types import (
    BOTTOM,
    LITERALS,
    NUMBERS,
    TOP,
    Bottom,
    Known,
    Scalar,
    Slice,
    Tuple,
    Type,
    Union,
    class_of,
    join_all,
)

INT, FLOAT, BOOL, STR = Scalar(int), Scalar(float), Scalar(bool), Scalar(str)
NONE = Known(None)

EXAMPLES: dict[type, Any] = {
    int: 1,
    float: 1.0,
    complex: 1 + 0j,
    bool: True,
    str: "1",
    bytes: b"1",
}

# Beyond so many combinations of union members a result is not worth its compile time.
MAX_COMBINATIONS = 9
MAX_REPEATED_ITEMS = 64


def expand(type_: Type) -> Type:
    """A known immutable object by its parts: `=(1, 2)` becomes `(=1, =2)`. Literals stay."""
    if not isinstance(type_, Known):
        if isinstance(type_, Tuple):
            return Tuple(tuple(map(expand, type_.items)))
        return type_
    if type(type_.value) in LITERALS:
        return type_
    value = type_.value
    if type(value) is tuple:
        return Tuple(tuple(expand(Known(item)) for item in value))
    if type(value) is slice:
        return Slice(Known(value.start), Known(value.stop), Known(value.step))
    # What a known list or dict holds can change before the program reads it.
    if type(value) in (list, dict) or facts.abstraction_of(type(value)) is None:
        return type_
    return facts.abstract(value)


_COMPOSED = {Known, Tuple, Union, Bottom}


def distributed(rule: facts.ResultOf) -> facts.ResultOf:
    """Extends a rule for single kinds to unions (the join over their members) and `BOTTOM`."""
    # What was found for numbers: most calls are of these.
    of_numbers: dict[tuple[type, ...], Type] = {}

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        if not kwargs:
            classes = tuple([arg.cls for arg in args if type(arg) is Scalar])
            if len(classes) == len(args) and NUMBERS.issuperset(classes):
                found = of_numbers.get(classes)
                if found is None:
                    found = of_numbers[classes] = rule(args, kwargs)
                return found
            if _COMPOSED.isdisjoint(map(type, args)):
                return rule(args, kwargs)
        types = [expand(type_) for type_ in (*args, *kwargs.values())]
        kinds = set(map(type, types))
        if Bottom in kinds:
            return BOTTOM
        if Union not in kinds:
            return rule(
                tuple(types[: len(args)]), dict(zip(kwargs, types[len(args) :], strict=True))
            )
        choices = [
            [expand(member) for member in type_.members] if isinstance(type_, Union) else [type_]
            for type_ in types
        ]
        if math.prod(map(len, choices)) > MAX_COMBINATIONS:
            return TOP
        return join_all(
            rule(choice[: len(args)], dict(zip(kwargs, choice[len(args) :], strict=True)))
            for choice in product(*choices)
        )

    return result_of


def declare(*callees: object) -> Callable[[facts.ResultOf], facts.ResultOf]:
    """Registers a rule that is written for single kinds of type."""

    def register(rule: facts.ResultOf) -> facts.ResultOf:
        facts.result(*callees)(distributed(rule))
        return rule

    return register


def always(type_: Type, *callees: object) -> None:
    """Declares that every call which returns at all returns this type."""
    facts.result(*callees)(lambda args, kwargs: type_)


def call_type(callee: object, *args: Type, **kwargs: Type) -> Type:
    """The type of a call, for rules that follow what Python itself would call."""
    result_of = facts.result_of(callee)
    return TOP if result_of is None else result_of(args, kwargs)


@lru_cache(maxsize=4096)
def _example_type(
    callee: Callable[..., Any], classes: tuple[type, ...], keywords: tuple[tuple[str, type], ...]
) -> Type:
    try:
        value = callee(
            *(EXAMPLES.get(cls) for cls in classes),
            **{name: EXAMPLES.get(cls) for name, cls in keywords},
        )
    except TypeError:
        return BOTTOM if refuses(callee, classes) and not keywords else TOP
    except Exception:
        return TOP
    return facts.abstract(value)


def refuses(callee: object, classes: tuple[type | None, ...]) -> bool:
    """Whether a TypeError follows from the classes: None, or a text, where a number belongs.

    What `%` makes of a text depends on what that says.
    """
    if callee is operator.mod and classes[0] in (str, bytes):
        return False
    return not facts.NO_NUMBERS.isdisjoint(classes) and set(classes) <= NUMBERS | facts.NO_NUMBERS


def by_class(callee: Any, args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """The result of a function whose result type follows from the classes of its arguments."""
    classes = [class_of(type_) for type_ in args]
    keywords = [(name, class_of(type_)) for name, type_ in kwargs.items()]
    for cls in (*classes, *(cls for _, cls in keywords)):
        if cls not in EXAMPLES and cls is not NoneType:
            return TOP
    return _example_type(callee, tuple(classes), tuple(keywords))


def declare_by_class(*callees: object) -> None:
    for callee in callees:
        declare(callee)(partial(by_class, callee))


def is_int(type_: Type) -> bool:
    """Whether every value of this type works as an index of a list."""
    cls = class_of(type_)
    return isinstance(type_, Scalar | Known) and hasattr(cls, "__index__")
