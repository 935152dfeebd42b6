"""Refuses changes in place, which are not differentiated yet.

Inference looks through functions; what it finds out about a container would be wrong behind a
change of that container. So functions that change one are not looked through either: they are
called as they are where nothing is differentiated, and refused where something is.
"""

from __future__ import annotations

import operator
import types

import numpy as np

from ir.core import Const, Location, Operand, Value
from ir.infer import Inference
from zyg.errors import UnsupportedSyntax

MUTATING_METHODS = {
    *("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update"),
    *("setdefault", "popitem", "add", "discard", "appendleft", "popleft", "extendleft"),
    *("fill", "resize", "put", "partition", "itemset", "setfield", "setflags", "byteswap"),
    *("__setitem__", "__delitem__", "__iadd__", "rotate", "difference_update"),
}
MUTATING_FUNCTIONS = {
    id(f) for f in (
        np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal,
        operator.setitem, operator.delitem, setattr, delattr,
    )
}



def unsupported(what: str, loc: Location | None, advice: str = "") -> UnsupportedSyntax:
    return UnsupportedSyntax(what, loc, "", advice)


def refuse_mutation(
    inference: Inference,
    callee: Operand,
    args: list[Operand],
    kwargs: dict[str, Operand],
    loc: Location | None,
) -> None:
    """Raises for a call that is known to change one of its arguments."""
    out = kwargs.get("out")
    if out is not None and not (isinstance(out, Const) and out.value is None):
        raise unsupported("writing into an array by `out=` is not supported", loc)
    if isinstance(callee, Value):
        bound = inference.methods.get(callee)
        if bound is not None and _is_mutating(bound[0].value):
            raise _changes_object(bound[0].value.__name__, loc)
        return
    value = callee.value
    if isinstance(value, np.ufunc) and len(args) > value.nin:
        raise unsupported("writing into an array is not supported", loc)
    if id(value) in MUTATING_FUNCTIONS:
        raise unsupported(
            f"`{value.__name__}` changes its argument in place, which is not supported", loc
        )
    if _is_mutating(value):
        raise _changes_object(value.__name__, loc)
    if getattr(value, "__name__", "") == "at" and isinstance(
        getattr(value, "__self__", None), np.ufunc
    ):
        raise unsupported("`ufunc.at` changes its argument in place, which is not supported", loc)


def _is_mutating(method: object) -> bool:
    return (
        isinstance(method, types.MethodDescriptorType)
        and method.__name__ in MUTATING_METHODS
        and not issubclass(method.__objclass__, str | bytes | tuple)
    )


def _changes_object(method: str, loc: Location | None) -> UnsupportedSyntax:
    return unsupported(f"`.{method}()` changes its object in place, which is not supported", loc)
