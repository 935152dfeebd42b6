"""Tangents that were found at run time, in code that is differentiated again.

    y, y_dot = tangent_call((f, x), (None, x_dot))      in a `jvp` inside of differentiated code

The back function of `f` and its tangent along `x_dot` say all that is needed: with cotangents y_bar
and y_dot_bar, `x_dot` gets back(y_dot_bar), and `x` gets back(y_bar) and the tangent of
back(y_dot_bar). One more derivative forwards goes by these, one coordinate of the pair at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ir.derived import place_of_field
from zyg.compiler.forward_mode import inner_tangents, tangent_dispatch
from zyg.compiler.nested.nested_backs import OuterBack
from zyg.compiler.run_time import dynamic
from zyg.cotangents.cotangent import accumulate
from zyg.cotangents.cotangent_returned import NO_SLOT
from zyg.held.readers import read_once
from zyg.rules.registry import adjoint, rule_of
from zyg.rules.tangent_registry import tangent
from zyg.signature import BackFunction
from zyg.tangents.tangent import is_nothing, zero_tangent
from zyg.tangents.tangent_objects import without_table

Values = tuple[Any, ...]


class TangentBack(BackFunction):
    """From the cotangents of a value and its tangent to those of the operands of both."""

    def __init__(self, back: Any, back_dot: Any, keywords: Values, with_keywords: bool) -> None:
        self._back = back
        self._back_dot = back_dot
        self._keywords = keywords
        self._with_keywords = with_keywords

    def __call__(self, pair_bar: Any) -> tuple[Any, ...]:
        count = 5 if self._with_keywords else 3
        y_bar, dot_bar = (None, None) if pair_bar is None else pair_bar
        bars = None if is_nothing(y_bar) else self._back(y_bar)
        bars_of_dots = None
        if not is_nothing(dot_bar):
            with without_table():
                bars_of_dots, second = tangent_dispatch.tangent_of_back(
                    self._back, self._back_dot, dot_bar, None
                )
            if second is not None:
                bars = second if bars is None else tuple(map(_together, bars, second))
        primals_bar, keywords_bar = self._apart(bars)
        dots_bar, keyword_dots_bar = self._apart(bars_of_dots)
        return (None, primals_bar, dots_bar, keywords_bar, keyword_dots_bar)[:count]

    def _apart(self, bars: Any) -> tuple[Any, Any]:
        """Those of the function and its arguments, and those of keyword arguments by name."""
        if bars is None:
            return None, None
        at = len(bars) - len(self._keywords)
        return tuple(bars[:at]), dict(zip(self._keywords, bars[at:], strict=True))

    def with_own_memory(self, copy: Callable[[Any], Any]) -> TangentBack:
        """The same with copies of what it holds."""
        held = copy(self._back), copy(self._back_dot)
        return TangentBack(*held, self._keywords, self._with_keywords)


def _together(a: Any, b: Any) -> Any:
    """The sum of two cotangents, of what may be a keyword argument for which a rule has none."""
    return a if a is NO_SLOT else accumulate(a, b)


def pullback_of_tangent(
    primals: Values, dots: Values, kwargs: Any = None, kwarg_dots: Any = None
) -> tuple[Any, Any]:
    """A value and its tangent, and the back function of both."""
    with without_table():
        (y, back), pair_dot = tangent_dispatch.tangent_of_pair(
            dynamic.pullback_call, tuple(primals), tuple(dots), kwargs or {}, kwarg_dots or {}
        )
    y_dot, back_dot = (None, None) if pair_dot is None else pair_dot
    y_dot = zero_tangent(y) if y_dot is None else y_dot
    if hasattr(y_dot, "__next__"):
        y_dot = read_once(iter, y_dot)  # its cotangent rests on that, as that of the value does
    return (y, y_dot), TangentBack(back, back_dot, tuple(kwargs or ()), kwargs is not None)


def pullback_of_rule(
    function: Any, args: Values, dots: Values, kwargs: Any = None
) -> tuple[Any, Any]:
    """The tangent of a call by its rule, and the back function of that."""
    (_, y_dot), back = pullback_of_tangent((function, *args), (None, *dots), kwargs)

    def back_of_rule(back: Any, dot_bar: Any) -> tuple[Any, ...]:
        _, primals_bar, dots_bar = back(None if dot_bar is None else (None, dot_bar))[:3]
        parts = [None if bars is None else bars[1:] for bars in (primals_bar, dots_bar)]
        return (None, None, *parts, None)[: 4 if kwargs is None else 5]

    return y_dot, OuterBack(back, back_of_rule)


@adjoint(inner_tangents.attribute_tangent)
def _attribute_tangent(value: Any, obj: Any, name: str, *rest: Any) -> tuple[Any, Any]:
    y = inner_tangents.attribute_tangent(value, obj, name, *rest)

    def back(y_bar: Any) -> tuple[Any, ...]:
        return bars_of_attribute_tangent(y, y_bar, obj, name, rest)

    return y, back


def bars_of_attribute_tangent(
    y: Any, y_bar: Any, obj: Any, name: str, rest: Values
) -> tuple[Any, ...]:
    """What the operands of `attribute_tangent` get: the tangents of the object and the default."""
    at, has_default = _place_of_tangent(rest)
    bars: list[Any] = [None] * (3 + len(rest))
    if has_default and not hasattr(obj, name):
        bars[-1] = y_bar
    elif rest[at] is not None and not is_nothing(y_bar):
        bars[3 + at] = _bar_of_owner(y, y_bar, obj, name, rest[at])
    return tuple(bars)


def _bar_of_owner(y: Any, y_bar: Any, obj: Any, name: str, obj_dot: Any) -> Any:
    """The cotangent of the tangent of an object, of which the tangent `y` was read."""
    descriptor = getattr(type(obj), name, None)
    if isinstance(y, dict) and "__self__" in y:
        return y_bar.get("__self__")
    if rule_of(descriptor) is not None:
        return dynamic.call_rule(descriptor, obj)[1](y_bar)[-1]
    place = place_of_field(type(obj), name)
    if place is not None:
        return tuple([y_bar if i == place else None for i in range(len(obj_dot))])
    return {name: y_bar}


def _place_of_tangent(rest: Values) -> tuple[int, bool]:
    """Where the tangent of the object stands behind the name, and whether a default is given.

    What is given there: the default, if any, and the tangents of object, name and default.
    """
    return (len(rest) - 2) // 2, len(rest) > 2


@tangent(inner_tangents.attribute_tangent)
def _tangent_of_attribute_tangent(y: Any, *given: Any) -> Any:
    args, dots = given[: len(given) // 2], given[len(given) // 2 :]
    at, has_default = _place_of_tangent(args[3:])
    again = list(args)
    again[3 + at] = dots[3 + at]
    if has_default:
        again[-1] = dots[-1]
    return inner_tangents.attribute_tangent(*again)


dynamic.OF_TANGENTS[id(inner_tangents.tangent_by_rule)] = pullback_of_rule
for _call in (
    inner_tangents.tangent_call, inner_tangents.rule_call, inner_tangents.rule_by_rows,
):
    dynamic.OF_TANGENTS[id(_call)] = pullback_of_tangent
