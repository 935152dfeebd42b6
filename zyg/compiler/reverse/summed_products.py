"""Numbers that were taken out of sums and products, and go back where that saves an operation.

    t = c * x                              t = c * x
    b_bar = sum_over(x, 0) * c      ->     b_bar = sum_over(t, 0)

    x_bar = -(t * 1.5)              ->     x_bar = t * -1.5

`Algebra` moves numbers and signs outwards before anything is known of the readers. Where others
read the product, the multiplication of the sum is one too many, and keeps `x` alive behind its last
use. Where several read the negated product, none of them can subtract it instead.
"""

from __future__ import annotations

import operator
from collections import Counter
from typing import TypeGuard

from ir.core import Block, Call, Const, Op, Operand, Value, type_of
from ir.rewrite import blocks, count_uses
from zyg.compiler.reverse.cotangent_types import is_number
from zyg.cotangents import cotangent


def sum_products(adjoint: Block) -> None:
    """Lets sums read products that are computed before them, in place."""
    uses: Counter[Value] | None = None
    for block in blocks(adjoint):
        if any(_calls(op, cotangent.sum_over) for op in block.ops):
            uses = count_uses(adjoint) if uses is None else uses
            _sum_products(block, uses)


def negate_factors(adjoint: Block) -> None:
    """Negates constant factors in the place of products, in place."""
    uses: Counter[Value] | None = None
    for block in blocks(adjoint):
        if any(_calls(op, operator.neg) for op in block.ops):
            uses = count_uses(adjoint) if uses is None else uses
            _negate_factors(block, uses)


def _negate_factors(block: Block, uses: Counter[Value]) -> None:
    products: dict[Operand, tuple[Call, Operand, float]] = {}
    gone: set[Op] = set()
    for op in block.ops:
        match op:
            case Call(Const(operator.mul), [number, Const(float() as factor)], _, [made]):
                if uses[made] == 1 and is_number(type_of(number)):
                    products[made] = op, number, factor
            case Call(Const(operator.neg), [made], _, [negated]) if made in products:
                if uses[negated] > 1:
                    product, number, factor = products[made]
                    op.callee, op.args = product.callee, [number, Const(-factor)]
                    gone.add(product)
    block.ops = [op for op in block.ops if op not in gone]


def _sum_products(block: Block, uses: Counter[Value]) -> None:
    # Products of arrays and numbers, and sums that one operation reads, with their places.
    products: dict[frozenset[Operand], tuple[int, Value]] = {}
    sums: dict[Operand, tuple[int, Call]] = {}
    gone: set[Op] = set()
    for at, op in enumerate(block.ops):
        if _calls(op, cotangent.sum_over) and uses[op.result] == 1:
            sums[op.result] = at, op
        if not _calls(op, operator.mul) or not any(is_number(type_of(arg)) for arg in op.args):
            continue
        summed, factor = op.args
        if summed in sums:
            place, sum_ = sums[summed]
            made, product = products.get(frozenset((sum_.args[0], factor)), (place, None))
            if product is not None and made < place:
                sum_.args[0] = product
                sum_.results = op.results
                gone.add(op)
        else:
            products.setdefault(frozenset(op.args), (at, op.result))
    block.ops = [op for op in block.ops if op not in gone]


def _calls(op: Op, callee: object) -> TypeGuard[Call]:
    return isinstance(op, Call) and isinstance(op.callee, Const) and op.callee.value is callee
