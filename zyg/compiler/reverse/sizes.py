"""Symbols for the sizes of new arrays, by the arrays whose sizes they are.

    hidden = np.zeros(targets.shape)       the shape of targets: float64[N1, N2]
    rows = np.ones((len(x), 3))            float64[N3, N]
"""

from __future__ import annotations

import operator

import numpy as np

from ir import primitives
from ir.core import Call, Const, Operand, Value, type_of
from ir.inference.infer import Inference
from ir.types import Known, Scalar, Type, class_of
from zyg.array_type import ANY, Array, Dim, Dims, is_big, is_named, size_dim

_NEW = {id(np.zeros), id(np.ones), id(np.empty), id(np.full)}
_SHAPES = (np.shape, np.ndarray.shape)


class Sizes(Inference):
    """Inference that knows what sizes are computed from."""

    def _result_type(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand]
    ) -> Type:
        found = super()._result_type(callee, args, kwargs)
        if isinstance(found, Array) and isinstance(callee, Const) and id(callee.value) in _NEW:
            if args and found.dims:
                return Array(found.dtype, self._sizes(args[0], found.dims))
        return found

    def _sizes(self, shape: Operand, dims: Dims) -> Dims:
        """The dimensions of a new array, as far as they are the lengths of others."""
        call = self._call_of(shape, primitives.build_tuple)
        whole = self._array_with(shape) if call is None else None
        if isinstance(whole, Array) and whole.dims is not None:
            return whole.dims if len(whole.dims) == len(dims) else dims
        sizes = [shape] if call is None else call.args
        if len(sizes) != len(dims):
            return dims
        return tuple(
            dim if is_named(dim) or not is_integer(type_of(size)) else self._size(size)
            for size, dim in zip(sizes, dims, strict=True)
        )

    def _size(self, size: Operand) -> Dim:
        known = type_of(size)
        if isinstance(known, Known):
            return size_dim(known.value)
        return self._length(size) or ANY

    def _length(self, operand: Operand) -> Dim | None:
        """The dimension that an integer is the length of."""
        call = self._call_of(operand, len)
        if call is not None:
            return _dim_of(type_of(call.args[0]), 0)
        call = self._call_of(operand, operator.getitem)
        if call is not None and isinstance(call.args[1], Const):
            return _dim_of(self._array_with(call.args[0]), call.args[1].value)
        call = self._call_of(operand, primitives.unpack)
        if call is not None and isinstance(operand, Value):
            return _dim_of(self._array_with(call.args[0]), call.results.index(operand))
        return None

    def _array_with(self, shape: Operand) -> Type | None:
        """The type of the array that a tuple is the shape of."""
        for callee in _SHAPES:
            call = self._call_of(shape, callee)
            if call is not None:
                return type_of(call.args[0])
        call = self._call_of(shape, getattr)
        if call is not None and type_of(call.args[1]) == Known("shape"):
            return type_of(call.args[0])
        return None

    def _call_of(self, operand: Operand, callee: object) -> Call | None:
        op = self.definitions.get(operand) if isinstance(operand, Value) else None
        if isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value is callee:
            return op
        return None


def is_integer(type_: Type) -> bool:
    cls = class_of(type_) if isinstance(type_, Scalar | Known) else None
    return isinstance(cls, type) and issubclass(cls, int) and cls is not bool


def _dim_of(type_: Type | None, axis: object) -> Dim | None:
    if not isinstance(type_, Array) or type_.dims is None or type(axis) is not int:
        return None
    if not -len(type_.dims) <= axis < len(type_.dims):
        return None
    dim = type_.dims[axis]
    return dim if is_named(dim) or is_big(dim) else None
