"""What tangent functions inside of differentiated code ask at run time.

The table of tangents that is at hand then (`zyg.tangents.tangent_objects`) is that of the code
outside, of another level: an inner tangent function has its tangents of objects as values
(`zyg.compiler.nested.nested_dots`), and what the run time finds for it leaves objects alone.
"""

from __future__ import annotations

from typing import Any

from zyg.compiler.forward_mode import tangent_dispatch, tangent_primitives
from zyg.compiler.inference.objects import is_place
from zyg.errors import NotDifferentiable
from zyg.tangents.tangent import holds_numbers
from zyg.tangents.tangent_objects import without_table

Values = tuple[Any, ...]


def tangent_call(
    primals: Values, dots: Values, kwargs: Any = None, kwarg_dots: Any = None
) -> tuple[Any, Any]:
    """The value and the tangent of a call: the function comes first, then its arguments."""
    with without_table():
        return tangent_dispatch.tangent_call(primals, dots, kwargs, kwarg_dots)


def tangent_apply(primals: Values, dots: Values) -> tuple[Any, Any]:
    with without_table():
        return tangent_dispatch.tangent_apply(primals, dots)


def rule_call(
    primals: Values, dots: Values, kwargs: Any = None, kwarg_dots: Any = None
) -> tuple[Any, Any]:
    with without_table():
        return tangent_dispatch.rule_call(primals, dots, kwargs, kwarg_dots)


def rule_by_rows(
    primals: Values, dots: Values, kwargs: Any = None, kwarg_dots: Any = None
) -> tuple[Any, Any]:
    with without_table():
        return tangent_dispatch.rule_by_rows(primals, dots, kwargs, kwarg_dots)


def tangent_by_rule(function: Any, args: Values, dots: Values, kwargs: Any = None) -> Any:
    with without_table():
        return tangent_dispatch.tangent_by_rule(function, args, dots, kwargs)


def attribute_tangent(value: Any, obj: Any, name: str, *rest: Any) -> Any:
    if is_place(type(obj)) and hasattr(obj, name) and holds_numbers(value):
        # Where its class isn't known when code is made, neither is what holds its tangents.
        raise NotDifferentiable(
            f"a jvp inside of differentiated code reads `{name}` of a {type(obj).__name__}, of "
            "which it isn't known when code is made what it is; let what makes it return what is "
            "read"
        )
    with without_table():
        return tangent_primitives.attribute_tangent(value, obj, name, *rest)


# By what is called in the place of each.
INNER: dict[Any, Any] = {
    tangent_dispatch.tangent_call: tangent_call,
    tangent_dispatch.tangent_apply: tangent_apply,
    tangent_dispatch.rule_call: rule_call,
    tangent_dispatch.rule_by_rows: rule_by_rows,
    tangent_dispatch.tangent_by_rule: tangent_by_rule,
    tangent_primitives.attribute_tangent: attribute_tangent,
}
