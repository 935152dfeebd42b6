"""The arrays that calls of NumPy's functions are told to write into.

    np.clip(x, 0.0, 1.0, y)         the call `np.clip(x, 0.0, 1.0)`, and apart from it `y`
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from zyg.rules.registry import rule_of, substitute_of

T = TypeVar("T")


def without_output(
    callee: object, args: Sequence[T], keywords: Mapping[str, T]
) -> tuple[list[T], dict[str, T], T | None]:
    """The arguments of a call of a function that has a rule, and apart from them its `out`.

    An output by position is behind a ufunc's operands, or where the rule or the function has a
    parameter `out`.
    """
    rest = {name: value for name, value in keywords.items() if name != "out"}
    out = keywords.get("out")
    if isinstance(callee, np.ufunc):
        if len(args) > callee.nin and callee.nout > 1:
            return list(args), rest, out
        given = out is None and len(args) > callee.nin
        return list(args[: callee.nin]), rest, args[callee.nin] if given else out
    code = getattr(rule_of(callee) or substitute_of(callee), "__code__", None)
    names = () if code is None else code.co_varnames[: code.co_argcount]
    if "out" not in names and len(args) > 2:
        names = _names_of(callee)
    place = names.index("out") if "out" in names else len(args)
    if len(args) <= place:
        return list(args), rest, out
    behind = zip(names[place + 1 :], args[place + 1 :], strict=False)
    return list(args[:place]), {**dict(behind), **rest}, args[place]


def _names_of(callee: object) -> tuple[str, ...]:
    """The parameters of a function or method of NumPy's that may be given by position."""
    is_method = isinstance(callee, types.MethodDescriptorType) and callee.__objclass__ is np.ndarray
    is_numpys = str(getattr(callee, "__module__", None)).startswith("numpy")
    if isinstance(callee, type) or not (is_method or is_numpys) or callee.__hash__ is None:
        return ()
    return _parameters_of(callee)


@functools.cache
def _parameters_of(callee: Any) -> tuple[str, ...]:
    try:
        parameters = inspect.signature(callee).parameters.values()
    except (TypeError, ValueError):  # NumPy 1 doesn't tell the parameters of functions in C
        return ()
    return tuple([p.name for p in parameters if p.kind <= p.POSITIONAL_OR_KEYWORD])
