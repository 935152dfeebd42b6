"""Tangents that are declared beside rules, of calls that tangent code finds at run time."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

from ir import primitives
from zyg.compiler.forward_mode.tangent_containers import joined, regrouped
from zyg.compiler.forward_mode.tangent_iterators import paired
from zyg.compiler.forward_mode.tangent_matrices import between_matrices
from zyg.compiler.run_time import dynamic
from zyg.compiler.run_time.refusals import refuse_uncovered
from zyg.rules.registry import rule_of
from zyg.rules.tangent_registry import (
    is_of_numpy,
    is_read_twice,
    linear_in,
    tangent_of,
    way_by_jvp,
)
from zyg.tangents.tangent import settled, settled_tangent, zero_tangent

Values: TypeAlias = tuple[Any, ...]
TangentCall: TypeAlias = Callable[..., tuple[Any, Any]]


def declared_tangent(function: Any, args: Values, dots: Values, kwargs: dict[str, Any]) -> Any:
    """The value and tangent of a call by a declared tangent; None if there is none."""
    if not str(getattr(rule_of(function), "__module__", "")).startswith("zyg."):
        return None
    if function is primitives.regrouped:
        return regrouped(args, dots)
    if function in (operator.add, operator.mul) and not kwargs:
        found = joined(function, args, dots)
        if found is not None:
            return found
    if not kwargs:
        found = between_matrices(function, args, dots)
        if found is not None:
            return found
    declared, groups = tangent_of(function, kwargs), linear_in(function, args, kwargs)
    if declared is None and (groups is None or len(groups) != 1 or (is_of_numpy(function) and any(
        dot is not None for i, dot in enumerate(dots) if i not in groups[0]
    ))):
        return None
    if is_read_twice(function) and args:
        args = settled(args[0]), *args[1:]
        dots = settled_tangent(dots[0], args[0]), *dots[1:]
    whole = [zero_tangent(x) if dot is None else dot for x, dot in zip(args, dots, strict=True)]
    # An attribute such as `ndarray.T` is read, not called.
    plain = function if callable(function) else function.__get__
    y = plain(*args, **kwargs)
    if declared is not None:
        return y, declared(y, *args, *whole, **kwargs)
    assert groups is not None
    if all(whole[i] is None for i in groups[0]):
        return y, zero_tangent(y)  # of what objects hold: that is known with them
    given = [whole[i] if i in groups[0] else x for i, x in enumerate(args)]
    return y, plain(*given, **kwargs)


def by_jvp(
    call: TangentCall, function: Any, args: Values, dots: Values, kwargs: dict[str, Any],
    kwarg_dots: dict[str, Any],
) -> tuple[Any, Any] | None:
    """The value and tangent of what solves equations by tangents of the functions that it is given;
    None for other functions."""
    rule: Any = rule_of(function)
    solve = way_by_jvp(function)
    if solve is None or not str(rule.__module__).startswith("zyg."):
        return None
    refuse_uncovered(rule, function, args, kwargs)
    names = rule.__code__.co_varnames[: rule.__code__.co_argcount]
    by_name = {**dict(zip(names, dots, strict=False)), **kwarg_dots}

    def jvp(primals: Values, dots: Values) -> tuple[Any, Any]:
        dynamic.unless_storing(*primals)
        return call(primals, dots)

    found: tuple[Any, Any] = solve(jvp, by_name, *args, **kwargs)
    return found


def has_tangent_as_iterator(make: Any) -> bool:
    """Whether the tangent of what makes an iterator is another iterator."""
    return paired(make) is not None or tangent_of(make) is not None
