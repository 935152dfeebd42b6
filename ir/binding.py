"""Binds the arguments of a call to the parameters of a function, before it runs.

Works on anything that stands for an argument (operands, types): the caller says how a tuple of
surplus positional arguments and a dict of surplus keywords are made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ir.core import Function

A = TypeVar("A")


class CannotBind(Exception):
    """The arguments don't fit, so the call raises a TypeError when it runs."""


def bind(
    function: Function,
    args: Sequence[A],
    kwargs: Mapping[str, A],
    defaults: Sequence[A],
    kwdefaults: Mapping[str, A],
    make_tuple: Callable[[Sequence[A]], A],
    make_dict: Callable[[Mapping[str, A]], A],
) -> list[A]:
    """One argument for each of `function.params`; raises `CannotBind` where Python would."""
    kinds = function.signature
    names = [param.name for param in function.params]
    positional = names[: kinds.positional_only + kinds.positional]
    keyword_start = len(positional) + kinds.vararg
    keyword_only = names[keyword_start : keyword_start + kinds.keyword_only]
    surplus = dict(kwargs)
    bound: dict[str, A] = dict(zip(positional, args, strict=False))
    if len(args) > len(positional) and not kinds.vararg:
        raise CannotBind
    for name in [*positional[kinds.positional_only :], *keyword_only]:
        if name in surplus:
            if name in bound:
                raise CannotBind
            bound[name] = surplus.pop(name)
    for name, default in zip(reversed(positional), reversed(defaults), strict=False):
        bound.setdefault(name, default)
    for name, default in kwdefaults.items():
        bound.setdefault(name, default)
    if surplus and not kinds.kwarg:
        raise CannotBind
    result = []
    for i, name in enumerate(names):
        if i < len(positional) or (keyword_start <= i < keyword_start + kinds.keyword_only):
            if name not in bound:
                raise CannotBind
            result.append(bound[name])
        elif kinds.vararg and i == len(positional):
            result.append(make_tuple(args[len(positional) :]))
        else:
            result.append(make_dict(surplus))
    return result
