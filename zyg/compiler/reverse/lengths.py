"""Symbols for the lengths of slices with variable bounds, where code for one function is made.

    column = a[k + 1 :, k]         float64[n(N1, k + 1:)]
    row = a[k, k + 1 :]            float64[n(N2, k + 1:)]
    rest = np.outer(column, row)   the shape of a[k + 1 :, k + 1 :]: no `unbroadcast` is needed

Types that inference finds hold for all iterations of a loop, so that it can't say this. The passes
behind it look at one iteration at a time: there, slices of one array by equal bounds have one
length. Where nothing says how long a result is (`a[a > 0]`), it has a length of its own, which what
is computed from it has as well. What loops carry and what calls are given has types from inference,
without such symbols; of arrays that a loop does nothing with but to store into them, the shape is
known all the same.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable

from ir import primitives
from ir.core import Call, Const, For, If, Op, Operand, Value, While, Yield, type_of
from ir.memory.memory_facts import changed_by
from ir.rewrite import walk
from ir.types import (
    Closure,
    Dict,
    Known,
    NamedTuple,
    Sequence,
    Slice,
    Tuple,
    Type,
    Union,
    join_all,
)
from zyg.array_type import (
    ANY,
    BIG,
    Array,
    Bounds,
    Dim,
    Measured,
    Symbol,
    Unnamed,
    is_big,
    is_named,
)
from zyg.compiler.reverse.cotangent_types import is_array
from zyg.compiler.reverse.sizes import Sizes, is_integer
from zyg.cotangents import cotangent_items

READS: list[object] = [operator.getitem, cotangent_items.taken]
_ARITHMETIC = (
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.neg,
)


class Lengths(Sizes):
    """Inference that knows the bounds of slices."""

    def _result_type(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand]
    ) -> Type:
        found = self._sharper(callee, args, kwargs)
        if isinstance(callee, Const) and callee.value is primitives.stored:
            self._note_updated(args)
        if isinstance(found, NamedTuple):
            items = tuple(map(_with_names, found.items))
            return NamedTuple(found.cls, join_all(items), items)
        if found in map(type_of, args):
            return found  # it may be the shape of that operand, of which nothing is known
        return _with_names(found)

    def _sharper(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand]
    ) -> Type:
        """The type of a result by the operands that are bounds and sizes in it."""
        found = super()._result_type(callee, args, kwargs)
        if not isinstance(callee, Const) or not isinstance(found, Array) or not found.dims:
            return found
        if all(map(is_named, found.dims)):
            return found
        if len(args) == 2 and any(callee.value is f for f in READS) and is_array(type_of(args[0])):
            index = self._measured(args[1])
            types_ = type_of(args[0]), index
            sharper = super()._result_type(Const(operator.getitem), [
                Value("items", types_[0]), Value("index", types_[1])
            ], {})
            return sharper if isinstance(sharper, Array) else found
        return found

    def _note_updated(self, args: list[Operand]) -> None:
        """In `a *= b`, or `t = a * b; a[...] = t`, `t` has the shape of `a`, or that raises."""
        before, index, new = args
        made = self.definitions.get(new) if isinstance(new, Value) else None
        if not isinstance(made, Call) or not isinstance(index, Const) or not made.args:
            return
        if len(made.results) != 1:
            return  # a call that changes its arguments, and gives them back
        if index.value is Ellipsis and made.args[0] is before and isinstance(before, Value):
            made.result.type = made.result.type.of_one_shape(before.type)

    def _size(self, size: Operand) -> Dim:
        dim = super()._size(size)
        return dim if is_named(dim) else Symbol(Bounds(self._key(size), None, None), is_big(dim))

    def _measured(self, index: Operand) -> Type:
        """The type of an index in which slices know the operands that are their bounds."""
        call = self._call_of(index, primitives.build_tuple)
        if call is not None:
            return Tuple(tuple(map(self._measured, call.args)))
        call = self._call_of(index, slice)
        if call is None or len(call.args) != 3:
            return type_of(index)
        if all(isinstance(type_of(bound), Known) for bound in call.args):
            return type_of(index)
        return Slice(*(Measured(self._key(bound)) for bound in call.args))

    def _key(self, operand: Operand) -> Hashable:
        """What an integer is computed from: equal keys mean equal numbers."""
        if isinstance(operand, Const):
            return Known(operand.value)
        if isinstance(operand.type, Known):
            return operand.type
        op = self.definitions.get(operand)
        if isinstance(op, Call) and isinstance(op.callee, Const) and is_integer(operand.type):
            if op.callee.value in _ARITHMETIC and all(is_integer(type_of(a)) for a in op.args):
                return (op.callee.value.__name__, *map(self._key, op.args))
        dim = self._length(operand)
        return operand if dim is None or not is_named(dim) else dim


def _with_names(type_: Type) -> Type:
    """The type of an array whose sizes that aren't known have names of their own."""
    if not isinstance(type_, Array) or not type_.dims or ANY not in type_.dims:
        return type_
    dims = (Symbol(Unnamed(), False) if dim == ANY else dim for dim in type_.dims)
    return Array(type_.dtype, tuple(dims))


def outside(type_: Type) -> Type:
    """A type without the symbols that mean something in one iteration, or one function, only."""
    match type_:
        case Array(dtype, dims) if dims is not None:
            if not any(map(_is_inner, dims)):
                return type_
            return Array(dtype, tuple(
                (BIG if is_big(dim) else ANY) if _is_inner(dim) else dim for dim in dims
            ))
        case Tuple(items):
            return Tuple(tuple(map(outside, items)))
        case NamedTuple(cls, item, items):
            return NamedTuple(cls, outside(item), tuple(map(outside, items)))
        case Sequence(cls, item):
            return Sequence(cls, outside(item))
        case Dict(items):
            return Dict(tuple((key, outside(item)) for key, item in items))
        case Union(members):
            return join_all(sorted(map(outside, members), key=repr))
        case Closure(code, module_globals, captures, defaults, kwdefaults):
            return Closure(
                code, module_globals, tuple(map(outside, captures)), tuple(map(outside, defaults)),
                tuple((name, outside(item)) for name, item in kwdefaults),
            )
        case _:
            return type_


def _is_inner(dim: Dim) -> bool:
    return isinstance(dim, Symbol) and _is_of_inner(dim.id)


def _is_of_inner(id: Hashable) -> bool:
    if isinstance(id, tuple):
        return any(map(_is_of_inner, id))
    return isinstance(id, Bounds | Unnamed) or (isinstance(id, Symbol) and _is_inner(id))


def stored_into(op: For | While, k: int) -> bool:
    """Whether all that a loop does with a carried array is to store into it: its shape stays."""
    if not isinstance(op.body.exit, Yield):
        return False
    definitions = {value: inner for inner in walk(op.body) for value in inner.results}
    return _origin(op.body.exit.values[1 + k], definitions) is op.carried[k]


def _origin(operand: Operand, definitions: dict[Value, Op]) -> Operand | None:
    """The array whose memory a version is."""
    while isinstance(operand, Value) and operand in definitions:
        op = definitions[operand]
        i = op.results.index(operand)
        match op:
            case Call() if op.results == [operand] and op.args and changed_by(op) == op.args[:1]:
                operand = op.args[0]
            case For() | While() if i < len(op.init) and stored_into(op, i):
                operand = op.init[i]
            case If():
                ends = [
                    _origin(block.exit.values[i], definitions)
                    for block in op.blocks if isinstance(block.exit, Yield)
                ]
                if not ends or any(end is not ends[0] for end in ends):
                    return None
                operand = ends[0] or operand
                if ends[0] is None:
                    return None
            case _:
                return operand
    return operand
