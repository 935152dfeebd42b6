"""The rules of what `try` and `with` are made of.

    for x in attempted(xs): ...     the items and their order are those of `xs`
    enter = special_method(manager, "__enter__")       a bound method: `{"__self__": ...}`
"""

from __future__ import annotations

import numpy as np

from ir import try_primitives
from ir.binding import error_of_call
from zyg.errors import NotDifferentiable
from zyg.rules.attributes import attribute_bar
from zyg.rules.registry import adjoint, constant

constant(
    try_primitives.is_caught, try_primitives.end_guarded, try_primitives.check_not_suppressed,
    try_primitives.failure_of, error_of_call,
    # Settings, which NumPy keeps where no rule reaches.
    np.errstate.__enter__, np.errstate.__exit__,
)


@adjoint(try_primitives.special_method)
def special_method(owner, name):
    method = try_primitives.special_method(owner, name)
    return method, lambda method_bar: (attribute_bar(method_bar, method, owner, name), None)


@adjoint(try_primitives.catching)
def catching(function):
    return try_primitives.catching(function), lambda function_bar: function_bar


@adjoint(try_primitives.catching_found)
def catching_found(function):
    return try_primitives.catching_found(function), lambda function_bar: function_bar


@adjoint(try_primitives.attempted)
def attempted(items):
    made = items if is_sequence(items) else try_primitives.attempted(items)
    return made, lambda items_bar: (bar_of_sequence(items_bar, items),)


def bar_of_sequence(items_bar, items):
    """The cotangent of what was iterated over, which is known for sequences only."""
    if not is_sequence(items) and items_bar is not None:
        raise NotDifferentiable(
            f"iterating over a {type(items).__name__} in `try`, where a variable that the "
            "loop assigns is read after a failure: iterate over a list of the items"
        )
    return items_bar


def is_sequence(items):
    """Whether iterating raises nothing, so that it needs no watching."""
    is_array = isinstance(items, np.ndarray) and items.ndim > 0
    return is_array or type(items) in (list, tuple, range)
