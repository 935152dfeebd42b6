"""What NumPy's calls that write into an array mean to inference: a new version of the array.

    a.fill(v)                      a_1 = stored(a, ..., v)
    a.sort()                       a_1 = stored(a, ..., np.sort(a))
    np.multiply(x, y, out=a)       a_1 = overwritten(a, np.multiply(x, y))
    np.add.at(a, index, v)         a_1 = added_at_each(a, index, v)
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ir import facts, primitives
from ir.core import Const, Location, Operand, Value, type_of
from ir.emit import statement_form
from ir.emit.render import name_node
from ir.errors import NeedsHeap
from ir.inference.special_calls import Folded, special
from ir.inference.typed_calls import TypedCalls
from ir.memory.memory_facts import CHANGING
from ir.types import Bottom, Type, class_of
from zyg.array_type import Array

ELLIPSIS = Const(...)
SIZED_BY_OUTPUT = {
    "Generator.random", "Generator.standard_normal", "Generator.standard_exponential"
}


def added_at_each(items: Any, index: Any, value: Any) -> Any:
    """`np.add.at(items, index, value)`: gives `items`."""
    np.add.at(items, index, value)
    return items


CHANGING.add(id(added_at_each))


@statement_form(added_at_each)
def _print_added_at_each(args: list[ast.expr], environment: Any) -> ast.stmt:
    add = ast.Attribute(value=name_node(environment.add(np, "np")), attr="add", ctx=ast.Load())
    at = ast.Attribute(value=add, attr="at", ctx=ast.Load())
    return ast.Expr(value=ast.Call(func=at, args=args, keywords=[]))


@facts.result(added_at_each)
def _added_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0]


def _overwrite(
    self: TypedCalls, target: Operand, value: Operand, loc: Location | None
) -> Value:
    """Replaces the contents of an array by a value of the same kind."""
    assert self.places is not None
    type_ = type_of(target)
    if facts.same_kind(type_, type_of(value)):
        return self.places.change(primitives.stored, target, [ELLIPSIS, value], loc, type_, [])
    return self.places.change(primitives.overwritten, target, [value], loc, type_, [])


@special(np.ndarray.fill)
def _fill(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or len(args) != 2 or kwargs:
        return None
    type_ = type_of(args[0])
    self.places.change(primitives.stored, args[0], [ELLIPSIS, args[1]], loc, type_, [])
    return [Const(None)]


@special(np.ndarray.sort)
def _sort(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or kwargs.keys() - {"axis"}:
        return None
    (value,) = self.typed_call(Const(np.sort), args, kwargs, ["t"], loc)
    _overwrite(self, args[0], value, loc)
    return [Const(None)]


@special(np.copyto)
def _copyto(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    if self.places is None or len(args) != 2 or not kwargs.keys() <= {"where"}:
        return None
    if not _is_array(args[0]):
        if self.heap is None and class_of(type_of(args[0])) is None:
            raise NeedsHeap("`copyto` writes into what may be no array", loc)
        return None
    value = args[1]
    if kwargs:  # what isn't chosen stays what it is
        value = self.call(np.where, kwargs["where"], value, args[0], loc=loc)
        new, old = type_of(value), type_of(args[0])
        if not isinstance(new, Array) or not isinstance(old, Array) or not (
            np.can_cast(new.dtype, old.dtype, "same_kind")
        ):
            return None
    _overwrite(self, args[0], value, loc)
    return [Const(None)]


def is_sized_by_output(callee: Any) -> bool:
    """Whether this is a draw of as many numbers as there are in the array that it is written into.
    """
    name = getattr(callee, "__qualname__", None)
    return name in SIZED_BY_OUTPUT and callee.__module__ == "numpy.random._generator"


def added_at(
    self: TypedCalls, callee: Any, args: list[Operand], kwargs: dict[str, Operand],
    loc: Location | None,
) -> list[Operand] | None:
    """`np.add.at(items, index, value)`; None for another call."""
    if callee is not np.ufunc.at or not isinstance(args[0], Const) or args[0].value is not np.add:
        return None
    if len(args) != 4 or kwargs or not _is_array(args[1]):
        return None
    type_ = type_of(args[1])
    self.places.change(added_at_each, args[1], args[2:], loc, type_, [])  # type: ignore[union-attr]
    return [Const(None)]


def _is_array(operand: Operand) -> bool:
    return isinstance(type_of(operand), Array)


def written_out(
    self: TypedCalls,
    callee: Any,
    args: list[Operand],
    rest: dict[str, Operand],
    out: Operand,
    masked: Any,
    names: list[str],
    loc: Location | None,
) -> list[Operand] | None:
    """A call that writes its result into an array: `args` and `rest` are its other arguments.

    `masked`: for a call with `where=` the function of these and of what was in the array before.
    """
    if isinstance(out, Const) and out.value is None:
        return self.typed_call(Const(callee), args, rest, names, loc)
    parts = self.parts(out)
    if parts is not None and len(parts) == 1:
        (out,) = parts
    if isinstance(type_of(out), Bottom):
        return None  # known when it is looked at again
    if len(names) != 1:
        return None
    if not _is_array(out) and self.heap is None:
        raise NeedsHeap(f"`{callee.__name__}` writes into what may be no array", loc)
    if is_sized_by_output(callee) and len(args) == 1 and "size" not in rest:
        rest = {**rest, "size": self.call(np.shape, out, loc=loc)}
    if masked is not None:  # what the mask leaves out stays
        callee, args = masked, [Const(callee), *args, out]
    (value,) = self.typed_call(Const(callee), args, rest, ["t"], loc)
    return [_overwrite(self, out, value, loc)]
