"""The permission to overwrite arguments, which differentiated code doesn't pass on.

    scipy.linalg.inv(a, overwrite_a=True)  ->  scipy.linalg.inv(a, overwrite_a=False)

It is a permission, and what is left in `a` is not defined. Nothing is gained by it where `a` may be
read again in the reverse pass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ir import facts
from ir.core import Call, Const


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
        if len(positional) < len(call.args):
            positional += call.args[len(positional) :]
        if (
            all(map(_is_same, positional, call.args))
            and all(map(_is_same, kwargs.values(), call.kwargs.values()))
        ):
            return None
        return Call(call.callee, positional, kwargs, call.results, call.loc)

    return simplify


def _is_same(a: Any, b: Any) -> bool:
    return a is b or (isinstance(b, Const) and b.value is False)


facts.fold(np.median)(keeping(["a", "axis", "out", "overwrite_input"]))
facts.fold(np.quantile, np.percentile)(keeping(["a", "q", "axis", "out", "overwrite_input"]))
