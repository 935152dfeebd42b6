"""What inference knows about SciPy's linear algebra, and the permission to overwrite arguments.

    scipy.linalg.inv(a, overwrite_a=True)  ->  scipy.linalg.inv(a, overwrite_a=False)

`overwrite_a` is a permission, and what is left in `a` is not defined. Nothing is gained by it where
`a` may be read again in the reverse pass, so that differentiated code doesn't pass it on.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ir import facts
from ir.core import Call, Const
from ir.types import TOP, Type
from zyg.numpy_example import by_example


def keep_arguments(functions: Iterable[Any]) -> None:
    """Takes the permission to overwrite from those of these functions that have one."""
    for function in functions:
        try:
            names = list(inspect.signature(function).parameters)
        except (TypeError, ValueError):
            continue
        if any(name.startswith("overwrite_") for name in names):
            facts.fold(function)(keeping(names))


def keeping(names: list[str]) -> Callable[[Call], Call | None]:
    """The same call without permission; None where there is none."""

    def simplify(call: Call) -> Call | None:
        positional = [
            Const(False) if name.startswith("overwrite_") else arg
            for name, arg in zip(names, call.args, strict=False)
        ]
        kwargs = {
            name: Const(False) if name.startswith("overwrite_") else arg
            for name, arg in call.kwargs.items()
        }
        if len(positional) != len(call.args) or (
            all(map(_is_same, positional, call.args))
            and all(map(_is_same, kwargs.values(), call.kwargs.values()))
        ):
            return None
        return Call(call.callee, positional, kwargs, call.results, call.loc)

    return simplify


def _is_same(a: Any, b: Any) -> bool:
    return a is b or (isinstance(b, Const) and b.value is False)


def typed_like(function: Any, of_numpy: Any, data: int) -> None:
    """Results have the type that NumPy's function of the same meaning has, for `data` arrays."""
    result_of = facts.result_of(of_numpy)
    assert result_of is not None

    def result(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        return result_of(args[:data], {}) if len(args) >= data else TOP

    facts.pure(function)
    facts.fresh(function)
    facts.result(function)(result)


def of_linear_algebra(linalg: Any) -> None:
    keep_arguments(vars(linalg).values())
    for function in (linalg.solve, linalg.solve_triangular):
        typed_like(function, np.linalg.solve, 2)
    for function in (linalg.inv, linalg.cholesky, linalg.expm):
        typed_like(function, np.linalg.inv, 1)
    facts.pure(linalg.det)
    facts.result(linalg.det)(by_example(linalg.det))
