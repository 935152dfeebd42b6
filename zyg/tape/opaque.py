"""Back functions that can't run on wrappers: those of rules that call functions they are given.

    #4 = quad(f, #0, #1)        #5 = back_of_quad(f, #0, #1, y_bar)

Such a back function is one operation. It has no derivative of its own: a second gradient through it
raises `UndifferentiablePrimitive`.
"""

from __future__ import annotations

import functools
from typing import Any

from zyg.rules import registry
from zyg.tape.primitives import Known, known, register
from zyg.tape.recording import applied, call, pullback_for_rules
from zyg.tape.wrappers import has_wrappers


@functools.lru_cache(256)
def back_of(function: Any) -> Any:
    """The operation that runs a rule and its back function: `(y_bar, args, kwargs) -> bars`."""

    def back(y_bar: Any, args: list[Any], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        rule = known(function).rule
        assert rule is not None
        options = dict(kwargs)
        if registry.takes_pullback(rule):
            options["pullback"] = pullback_for_rules
        _, rule_back = rule(*args, **options)
        bars = rule_back(y_bar)
        bars = bars if isinstance(bars, tuple) else (bars,)
        return (*bars, *(None,) * (len(args) - len(bars)))

    back.__name__ = back.__qualname__ = f"back_of_{getattr(function, '__name__', 'function')}"
    register(back, Known(is_primitive=True))
    return back


def call_back(function: Any, args: Any, kwargs: dict[str, Any], bar: Any) -> tuple[Any, ...]:
    """The gradients of the arguments of a call, by one operation."""
    given = list(args), dict(kwargs)
    if not has_wrappers((bar, given)):
        result: tuple[Any, ...] = applied(back_of(function), [bar, *given], {})
        return result
    return tuple(call(back_of(function), (bar, *given)))
