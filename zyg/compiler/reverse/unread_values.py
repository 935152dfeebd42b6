"""Arrays that are computed for their shape alone: the shape follows from those of operands.

    t = c * np.diff(x)                     shape = np.broadcast_shapes(
    shape = np.shape(t)                        np.shape(c), diff_shape(np.shape(x), 1, -1))

In the joint form nobody reads the product under a sum, but its adjoint spreads a cotangent over as
many items. Where the types don't say which operand has the shape, and where an adjoint asks for the
shape of an operand that it doesn't read, this pass leaves out the work that makes the items.
"""

from __future__ import annotations

import operator

import numpy as np

from ir import facts, primitives
from ir.core import (
    Block,
    Call,
    Const,
    Op,
    Operand,
    Value,
    Yield,
    blocks_of,
    exit_operands,
    operands_of,
    type_of,
)
from ir.rewrite import blocks, substitute, walk
from ir.simplify import eliminate_dead, is_silent
from zyg.array_type import Array, Dim, One, Symbol, is_named
from zyg.compiler.reverse.cotangent_types import is_array, is_numeric
from zyg.compiler.reverse.metadata import ELEMENTWISE, reads_metadata
from zyg.cotangents.cotangent import of_shape
from zyg.facts.numpy_result_shapes import SHAPES


def shapes_without_values(body: Block, inputs: list[Value]) -> None:
    """Rewrites a block in place, and leaves out what nobody reads."""
    eliminate_dead(body, is_silent)
    while _Rewriter(body, inputs).run(body):
        eliminate_dead(body, is_silent)


def parted(forward: list[Op], body: Block) -> tuple[Block, list[Op]]:
    """The forward operations of a block, with what stands in the place of some, and the others."""
    own = set(forward)
    end = max((i for i, op in enumerate(body.ops) if op in own), default=-1) + 1
    return Block([], body.ops[:end], Yield([])), body.ops[end:]


def _asks_for_shape(op: Op) -> Value | None:
    """What `np.shape` gives, where an operation is such a call."""
    is_call = isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value is np.shape
    return op.results[0] if is_call else None


class _Rewriter:
    def __init__(self, body: Block, inputs: list[Value]) -> None:
        self._made: dict[Value, Call] = {}
        self._readers: dict[Value, list[Op]] = {}
        self._handed_on: set[Value] = set()
        self._sizes: dict[Dim, tuple[Value, int]] = {}
        for value in inputs:
            if isinstance(value.type, Array):
                for axis, dim in enumerate(value.type.dims or ()):
                    if isinstance(dim, Symbol) and is_named(dim):
                        self._sizes.setdefault(dim, (value, axis))
        for op in walk(body):
            if isinstance(op, Call) and len(op.results) == 1:
                self._made[op.result] = op
            for operand in operands_of(op):
                if isinstance(operand, Value):
                    self._readers.setdefault(operand, []).append(op)
        for block in blocks(body):
            self._handed_on.update(o for o in exit_operands(block.exit) if isinstance(o, Value))
        self._ops: list[Op] = []

    def run(self, block: Block) -> bool:
        changed = False
        ops: list[Op] = []
        mapping: dict[Value, Operand] = {}
        for op in block.ops:
            for inner in blocks_of(op):
                changed |= self.run(inner)
            self._ops = []
            if isinstance(op, Call) and self._is_unread(op):
                shape = self._shape_by_operands(op)
                if shape is not None:
                    ops += self._ops
                    self._replace(op, shape, ops, mapping)
                    changed = True
            ops.append(op)
        block.ops = ops
        if mapping:
            substitute(block, mapping)
        return changed

    def _replace(
        self, op: Call, shape: Operand, ops: list[Op], mapping: dict[Value, Operand]
    ) -> None:
        """Lets all readers of a result look at its shape, or at an array that has it."""
        if isinstance(shape, Value):
            shape.name = "shape"
        asks = [_asks_for_shape(reader) for reader in self._readers[op.result]]
        mapping.update((found, shape) for found in asks if found is not None)
        if None in asks:
            like = Value(op.result.name, op.result.type)
            assert isinstance(op.result.type, Array)
            dtype = Const(op.result.type.dtype.type)
            ops.append(Call(Const(of_shape), [shape, dtype], {}, [like], op.loc))
            mapping[op.result] = like

    def _is_unread(self, op: Op) -> bool:
        """Whether of an operation's only result, an array, nothing but the shape is read."""
        if not isinstance(op, Call) or len(op.results) != 1:
            return False
        value, type_ = op.result, op.result.type
        if not isinstance(type_, Array) or not type_.dims or value in self._handed_on:
            return False
        readers = self._readers.get(value, [])
        if not readers or not all(reads_metadata(reader, value) for reader in readers):
            return False
        return is_silent(op) and facts.is_fresh(op)  # a view costs nothing

    def _call(self, callee: object, *args: Operand, **kwargs: Operand) -> Value:
        result = Value("t")
        self._ops.append(Call(Const(callee), list(args), kwargs, [result]))
        return result

    def _shape(self, operand: Operand) -> Operand:
        op = self._made.get(operand) if isinstance(operand, Value) else None
        found = self._shape_by_operands(op) if op is not None and is_silent(op) else None
        return self._call(np.shape, operand) if found is None else found

    def _shape_by_operands(self, op: Call) -> Operand | None:
        """The shape of a result by those of operands; None where they don't tell."""
        by_inputs = self._shape_by_inputs(op.result.type)
        if by_inputs is not None:
            return by_inputs
        if not isinstance(op.callee, Const):
            return None
        callee = op.callee.value
        is_ufunc = isinstance(callee, np.ufunc) and callee.signature is None
        if not op.kwargs and (is_ufunc or callee in (*ELEMENTWISE, np.where)):
            if not all(is_numeric(type_of(arg)) for arg in op.args):
                return None
            arrays = dict.fromkeys(arg for arg in op.args if is_array(type_of(arg)))
            shapes = list(map(self._shape, arrays))
            return shapes[0] if len(shapes) == 1 else self._call(np.broadcast_shapes, *shapes)
        if callee.__hash__ is None or callee not in SHAPES:
            return None
        shape_of, count = SHAPES[callee]
        data, settings = op.args[:count], op.args[count:]
        if len(data) < count or not all(is_array(type_of(arg)) for arg in data):
            return None
        return self._call(shape_of, *map(self._shape, data), *settings, **op.kwargs)

    def _shape_by_inputs(self, type_: object) -> Operand | None:
        """The shape of an array, each dimension of which is that of an input."""
        if not isinstance(type_, Array) or type_.dims is None:
            return None
        if not all(isinstance(dim, One) or dim in self._sizes for dim in type_.dims):
            return None
        sizes: list[Operand] = []
        for dim in type_.dims:
            if isinstance(dim, One):
                sizes.append(Const(1))
            else:
                value, axis = self._sizes[dim]
                sizes.append(self._call(operator.getitem, self._call(np.shape, value), Const(axis)))
        return self._call(primitives.build_tuple, *sizes)
