"""Numbers that were taken out of sums and products, and go back where that saves an operation.

    t = c * x                              t = c * x
    b_bar = sum_over(x, 0) * c      ->     b_bar = sum_over(t, 0)

    x_bar = -(t * 1.5)              ->     x_bar = t * -1.5

    t = y_bar * x
    x_bar = t + t                   ->     x_bar = y_bar * 2.0 * x

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
from ir.types import Type, members_of
from zyg.compiler.reverse.cotangent_types import is_array, is_number
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


def double_factors(adjoint: Block) -> None:
    """Doubles numbers in the place of their products with arrays, in place."""
    uses: Counter[Value] | None = None
    for block in blocks(adjoint):
        if any(_is_doubling(op) for op in block.ops):
            uses = count_uses(adjoint) if uses is None else uses
            _double_factors(block, uses)


def _is_doubling(op: Op) -> TypeGuard[Call]:
    if not isinstance(op, Call) or not isinstance(op.callee, Const) or len(op.args) != 2:
        return False
    is_sum = op.callee.value in (cotangent.add, operator.add)
    return is_sum and op.args[0] is op.args[1] and is_array(op.result.type)


def _double_factors(block: Block, uses: Counter[Value]) -> None:
    products: dict[Operand, Call] = {}
    ops: list[Op] = []
    for op in block.ops:
        if _calls(op, operator.mul) and _is_number(type_of(op.args[0])):
            products[op.result] = op
        made = op
        product = products.get(op.args[0]) if _is_doubling(op) else None
        if product is not None and uses[product.result] == 2:
            factor, array = product.args
            doubled = Value("t", type_of(factor))
            ops.remove(product)
            ops.append(Call(Const(operator.mul), [factor, Const(2.0)], {}, [doubled], product.loc))
            made = Call(Const(operator.mul), [doubled, array], {}, op.results, op.loc)
        ops.append(made)
    block.ops = ops


def _is_number(type_: Type) -> bool:
    return all(map(is_number, members_of(type_)))


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
