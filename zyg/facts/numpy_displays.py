"""Arrays made of nested lists: as many dimensions as there are brackets.

    np.array([[a, b], [c, d]])             list[list[float]]  ->  float64[?, ?]
    np.array([[f(x) for x in xs] ...])     the same, and a look at what came out
    np.asarray(a)                          a, where that is an array

The type of a list says nothing of its length, and an empty list of lists has one dimension only.
Where lists aren't written out, the array is looked at when the program runs.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ir import facts, primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.inference.special_calls import Folded, special
from ir.inference.typed_calls import TypedCalls
from ir.library.fact_rules import call_type
from ir.types import TOP, Known, Sequence, Tuple, Type, class_of, join_all, members_of
from zyg.array_type import ANY, Array, Dims, array_of, is_number, possible_dtypes
from zyg.errors import NotDifferentiable
from zyg.facts.example_calls import is_whole
from zyg.facts.numpy_arrangements import array
from zyg.facts.numpy_shapes import argument

OUTPUT = {"out"}
# Arguments by which a call is other code (`zyg.rules.options`), and not one by the rule.
BESIDE_RULES: dict[Any, set[str]] = {
    np.asarray: {"copy"}, np.asanyarray: {"copy"},
    np.vstack: {"dtype", "casting"}, np.hstack: {"dtype", "casting"},
}


def _array(
    callee: Any, self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand],
    names: list[str], loc: Location | None,
) -> Folded:
    if not args or kwargs.keys() & BESIDE_RULES.get(callee, OUTPUT):
        return None
    others = tuple(map(type_of, args[1:]))
    keywords = {name: type_of(value) for name, value in kwargs.items()}
    if _displays(self, args[0]):
        type_ = array((_written_out(self, args[0]), *others), keywords)
        if isinstance(type_, Array) and type_.dims is not None:
            return [_made(self, callee, args, kwargs, type_, names, loc)]
    nested = _of_nested_lists(type_of(args[0]), others, keywords)
    kinds = [kind for kind in members_of(nested) if isinstance(kind, Array)]
    if not kinds or any(kind.dims is None for kind in kinds) or (
        len(kinds) < len(list(members_of(nested)))
    ):
        return None
    made = _made(self, callee, args, kwargs, nested, names, loc)
    dtypes = [Const(kind.dtype) for kind in sorted(kinds, key=repr)]
    self.call(unless_empty, made, Const(len(kinds[0].dims or ())), *dtypes, loc=loc)
    return [made]


special(np.array)(partial(_array, np.array))


def _as_array(
    callee: Any, self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand],
    names: list[str], loc: Location | None,
) -> Folded:
    """An array of the dtype that is asked for is given back as it is."""
    own, keywords = [type_of(arg) for arg in args], {k: type_of(v) for k, v in kwargs.items()}
    if own and isinstance(own[0], Array) and len(own) <= 2 and keywords.keys() <= {"dtype"}:
        dtype = argument(tuple(own), keywords, 1, "dtype", Known(None))
        if isinstance(dtype, Known) and _is_dtype(dtype.value, own[0].dtype):
            return [args[0]]
    return _array(callee, self, args, kwargs, names, loc)


def _is_dtype(asked: Any, dtype: np.dtype[Any]) -> bool:
    try:
        return asked is None or np.dtype(asked) == dtype
    except TypeError:
        return False  # the call raises


for _callee in (np.asarray, np.asanyarray):
    special(_callee)(partial(_as_array, _callee))


def _of_items(
    callee: Any, self: TypedCalls, args: list[Operand], kwargs: dict[str, Operand],
    names: list[str], loc: Location | None,
) -> Folded:
    """A call with lists that are written out is typed as with tuples, if nothing is known else."""
    if kwargs.keys() & BESIDE_RULES.get(callee, OUTPUT) or (
        not any(_displays(self, arg) for arg in args)
    ):
        return None
    keywords = {name: type_of(value) for name, value in kwargs.items()}
    if is_whole(call_type(callee, *map(type_of, args), **keywords)):
        return None
    type_ = call_type(callee, *[_written_out(self, arg) for arg in args], **keywords)
    return [_made(self, callee, args, kwargs, type_, names, loc)] if is_whole(type_) else None


OF_ITEMS: tuple[Any, ...] = (
    np.ascontiguousarray, np.asfortranarray, np.concatenate, np.stack, np.vstack, np.hstack,
    np.column_stack, np.dstack, np.choose, np.tensordot, np.linalg.multi_dot,
)
for _function in OF_ITEMS:
    special(_function)(partial(_of_items, _function))


def _made(
    self: TypedCalls, callee: Any, args: list[Operand], kwargs: dict[str, Operand], type_: Type,
    names: list[str], loc: Location | None,
) -> Value:
    made = Value(names[0], type_)
    self._define(Call(Const(callee), args, kwargs, [made], loc))
    return made


def unless_empty(made: Any, count: int, *dtypes: Any) -> None:
    """Raises for an array of nested lists of which one is empty: it has fewer dimensions, or
    another dtype, than the type of the lists says."""
    if made.ndim != count or made.dtype not in dtypes:
        raise NotDifferentiable(
            f"an array of lists in lists was taken for one of {count} dimensions and "
            f"{' or '.join(map(str, dtypes))}, but has {made.ndim} and {made.dtype}: is one of the "
            "lists empty? Make it by np.zeros then"
        )


facts.effect(unless_empty)


def _of_nested_lists(type_: Type, others: tuple[Type, ...], keywords: dict[str, Type]) -> Type:
    """The type of an array of lists in lists, if none is empty; nothing is known of others."""
    if class_of(type_) not in (list, tuple) or len(others) > 1:
        return TOP
    dims, kinds = _dims_of_nested(type_), possible_dtypes(type_)
    dtype = argument((type_, *others), keywords, 1, "dtype", Known(None))
    if dims is None or len(dims) < 2 or not keywords.keys() <= {"dtype", "copy"}:
        return TOP
    if not isinstance(dtype, Known) or not kinds:
        return TOP
    try:
        found = kinds if dtype.value is None else [np.dtype(dtype.value)]
    except TypeError:
        return TOP
    return join_all(array_of(kind, dims) for kind in found)


def _dims_of_nested(type_: Type) -> Dims | None:
    """The dimensions of nested lists, tuples and arrays; None where they aren't known."""
    if isinstance(type_, Array):
        return type_.dims
    if isinstance(type_, Sequence) and type_.cls in (list, tuple):
        inner = _dims_of_nested(facts.item_of(type_))
        return None if inner is None else (ANY, *inner)
    if isinstance(type_, Tuple) and type_.items:
        first, *others = map(_dims_of_nested, type_.items)
        if first is None or any(dims is None or len(dims) != len(first) for dims in others):
            return None
        return (ANY,) * (1 + len(first))
    return () if all(map(is_number, members_of(type_))) else None


def _displays(self: TypedCalls, operand: Operand) -> list[Operand]:
    """The items of a list that was written out, where it still holds these."""
    op = self.definitions.get(operand) if isinstance(operand, Value) else None
    is_list = isinstance(op, Call) and isinstance(op.callee, Const) and (
        op.callee.value in (primitives.build_list, primitives.build_tuple)
    )
    return op.args if is_list else []  # type: ignore[union-attr]  # then it is a call


def _written_out(self: TypedCalls, operand: Operand) -> Type:
    items = _displays(self, operand)
    return Tuple(tuple(_written_out(self, item) for item in items)) if items else type_of(operand)
