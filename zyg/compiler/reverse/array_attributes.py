"""Shapes and sizes of what is known to be an array are printed as its attributes.

    shape = np.shape(x)                    ->    shape = x.shape
    t = y_bar / math.prod(np.shape(x))     ->    t = y_bar / x.size

A call of NumPy's function costs four times what reading the attribute does.
"""

from __future__ import annotations

import math
from typing import TypeGuard

import numpy as np

from ir.core import Block, Call, Const, Op, Value, type_of
from ir.rewrite import blocks, count_uses
from zyg.array_type import rank_of
from zyg.compiler.reverse.cotangent_types import is_array


def read_attributes(body: Block) -> None:
    uses = None
    for block in blocks(body):
        shapes: dict[Value, Call] = {}
        gone: set[Op] = set()
        for op in block.ops:
            # What has no dimensions may be a number of Python's.
            if _calls(op, np.shape) and is_array(type_of(op.args[0])) and rank_of(
                type_of(op.args[0])
            ):
                op.callee = Const(np.ndarray.shape)
                shapes[op.result] = op
            elif _calls(op, math.prod) and op.args[0] in shapes and not op.kwargs:
                uses = count_uses(body) if uses is None else uses
                shape = shapes[op.args[0]]
                if uses[shape.result] == 1:
                    shape.callee, shape.results = Const(np.ndarray.size), op.results
                    gone.add(op)
        if gone:
            block.ops = [op for op in block.ops if op not in gone]


def _calls(op: Op, callee: object) -> TypeGuard[Call]:
    return isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value is callee
