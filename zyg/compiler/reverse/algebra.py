"""Algebra on cotangents, as they are built: signs and constant factors move outwards.

    -y_bar * a            ->  -(y_bar * a), which `x_bar - y_bar * a` takes up
    (x * 0.5) * (2 * y)   ->  x * y
    100.0 * (2 * x)       ->  200.0 * x
    1.0 / n * 2.0         ->  2.0 / n
    2.0 * abs(z) * (z / abs(z))   ->  2.0 * z
    y_bar * x * (0.5 / sqrt(x))   ->  y_bar * sqrt(x) * 0.5
    x + x * 0.5           ->  x * 1.5
    np.sum(-x, axis=0)    ->  -np.sum(x, axis=0)
    np.where(mask, x, 0) + np.where(mask, 0, y)   ->  np.where(mask, x, y)

Signs are exact, factors are within rounding. What is written as a number times an array stays so:
the number is the cheaper place for a sign.
"""

from __future__ import annotations

import math
import operator
from typing import TypeGuard

import numpy as np

from ir import primitives
from ir.core import Block, Call, Const, If, Operand, Value, Yield, type_of
from ir.types import Known, Scalar, Type
from zyg.array_type import rank_of, reduced, same_shape
from zyg.compiler.reverse.cotangent_types import NONE, is_array, is_inexact, is_number, may_be_none
from zyg.compiler.reverse.lengths import Lengths
from zyg.cotangents import cotangent
from zyg.facts.numpy_facts import is_real

_PRODUCTS = (operator.mul, operator.truediv, np.divide)
# The callees in which a sign of an operand moves outwards.
SIGNED = (*_PRODUCTS, operator.neg, operator.getitem, operator.matmul, np.reshape)


class Algebra(Lengths):
    """Builds operations of an adjoint, in simpler form where the definitions allow it."""

    _forward: set[Value]  # what the forward pass has computed

    def _negated(self, operand: Operand) -> Operand | None:
        """`x`, where an operand is `-x`."""
        call = self._call_of(operand, operator.neg)
        return None if call is None else call.args[0]

    def _subtracted(self, operand: Operand) -> Operand | None:
        """`x`, where adding an operand is subtracting `x`."""
        inner = self._negated(operand)
        call = self._call_of(operand, operator.mul)
        if inner is None and call is not None:
            number = self._negated(call.args[0])
            if number is not None and is_inexact(type_of(call.args[1])):
                return self.call(operator.mul, number, call.args[1])
        return inner

    def _sign_outside(self, callee: object, args: list[Operand]) -> Operand | None:
        """`-(a * b)` for `-a * b`, and `x` for `-(-x)`."""
        if callee is operator.neg:
            inner = self._negated(args[0])
            return inner if inner is not None and is_inexact(type_of(inner)) else None
        if callee is np.reshape or callee is operator.getitem:
            inner = self._negated(args[0])
            if inner is None or not is_array(type_of(inner)) or not is_inexact(type_of(inner)):
                return None
            return self.call(operator.neg, self.call(callee, inner, *args[1:]))
        if callee is operator.matmul:
            return self._sign_outside_matmul(args)
        if callee not in _PRODUCTS or len(args) != 2:
            return None
        inner_args = [None if _is_named_number(arg) else self._negated(arg) for arg in args]
        signs = sum(inner is not None for inner in inner_args)
        types = list(map(type_of, args))
        if not signs or not all(is_inexact(t) or is_number(t) for t in types):
            return None
        if signs == 1:
            at = 0 if inner_args[0] is not None else 1
            if is_array(types[1 - at]) and not is_array(types[at]):
                return None
        pairs = zip(args, inner_args, strict=True)
        plain = [arg if inner is None else inner for arg, inner in pairs]
        result = self.call(callee, *plain)
        return result if signs == 2 else self.call(operator.neg, result)

    def _sign_outside_matmul(self, args: list[Operand]) -> Operand | None:
        """`-(m @ v)` for `-m @ v`, where what the sign is taken of has no more dimensions."""
        ranks = [rank_of(type_of(arg)) for arg in args]
        for at, (arg, rank) in enumerate(zip(args, ranks, strict=True)):
            inner, other = self._negated(arg), ranks[1 - at]
            if inner is None or rank is None or other not in (1, 2) or rank > 2:
                continue
            if rank + other - 2 <= rank and all(is_inexact(type_of(a)) for a in args):
                plain = [inner, args[1]] if at == 0 else [args[0], inner]
                return self.call(operator.neg, self.call(operator.matmul, *plain))
        return None

    def _factored(self, operand: Operand) -> tuple[Operand, Operand] | None:
        """`c` and `x`, where an operand is `c * x` for a plain number `c` and an array `x`."""
        call = self._call_of(operand, operator.mul)
        if call is None:
            return None
        for factor, array in (call.args, call.args[::-1]):
            if _is_plain(type_of(factor)) and is_array(type_of(array)):
                if is_inexact(type_of(array)) and type_of(array) == type_of(operand):
                    return factor, array
        return None

    def _product(self, left: Operand, right: Operand) -> Operand | None:
        """A product with its numbers multiplied first: an operation less each."""
        for literal, signed in ((left, right), (right, left)):
            if _is_literal(literal) and literal.value == -1 and is_inexact(type_of(signed)):
                return self.call(operator.neg, signed)
        for quotient, factor in ((left, right), (right, left)):
            found = self._product_of_quotient(quotient, factor)
            if found is not None:
                return found
        if is_number(type_of(left)) and is_array(type_of(right)):
            inner = self._call_of(right, operator.mul)
            if inner is None or not is_number(type_of(inner.args[0])):
                return None
            number = self.call(operator.mul, left, inner.args[0])
            return self.call(operator.mul, number, inner.args[1])
        if _is_literal(left):
            inner = self._call_of(right, operator.mul)
            if inner is None or not is_inexact(type_of(right)):
                return None
            inside = inner.args[0]
            if _is_literal(inside):
                return self.call(operator.mul, Const(left.value * inside.value), inner.args[1])
            return None
        simpler = self._direction(right, left) or self._rooted(left, right)
        if simpler is not None:
            return simpler
        factored = self._factored(left)
        if factored is None:
            return None
        factor, array = factored
        if _is_plain(type_of(right)):
            return self.call(operator.mul, array, self.call(operator.mul, factor, right))
        other = self._factored(right)
        if other is None:
            return None
        number = self.call(operator.mul, factor, other[0])
        return self.call(operator.mul, self.call(operator.mul, array, other[1]), number)

    def _product_of_quotient(self, quotient: Operand, factor: Operand) -> Operand | None:
        """`2.0 / n` for `1.0 / n * 2.0`, and `x / n` for `1.0 / n * x`, where these are numbers."""
        call = None if quotient in self._forward else self._call_of(quotient, operator.truediv)
        if call is None or not all(is_number(type_of(o)) for o in (factor, call.args[1])):
            return None
        number, divisor = call.args
        if not _is_literal(number) or not is_inexact(type_of(quotient)):
            return None
        if _is_literal(factor):
            return self.call(operator.truediv, Const(number.value * factor.value), divisor)
        if abs(number.value) != 1:
            return None
        found = self.call(operator.truediv, factor, divisor)
        return found if number.value == 1 else self.call(operator.neg, found)

    def _direction(self, quotient: Operand, size: Operand) -> Operand | None:
        """`c * z` for `c * abs(z)` times `z / abs(z)`, whose divisor is 1 where `z` is 0."""
        call = self._call_of(quotient, operator.truediv)
        divisor = None if call is None else self._call_of(call.args[1], np.where)
        if call is None or divisor is None or len(divisor.args) != 3:
            return None
        is_zero, one, modulus = divisor.args
        absolute = self._call_of(modulus, np.absolute)
        test = self._call_of(is_zero, operator.eq)
        if absolute is None or test is None or absolute.args[0] is not call.args[0]:
            return None
        if test.args[0] is not modulus or not is_const(test.args[1], 0) or not is_const(one, 1):
            return None
        if size is modulus:
            return call.args[0]
        factored = self._factored(size)
        if factored is None or factored[1] is not modulus:
            return None
        return self.call(operator.mul, factored[0], call.args[0])

    def _rooted(self, product: Operand, slope: Operand) -> Operand | None:
        """`c * sqrt(x) * 0.5` for `c * x` times the slope of `sqrt(x)`: it is finite at 0, too."""
        root = self._root_of_slope(slope)
        if root is None:
            return None
        taken = self._call_of(root, math.sqrt) or self._call_of(root, np.sqrt)
        factors = self._call_of(product, operator.mul)
        scaled: Operand
        if taken is None:
            return None
        if product is taken.args[0]:
            scaled = root
        elif factors is not None and taken.args[0] in factors.args:
            other = factors.args[factors.args[0] is taken.args[0]]
            scaled = self.call(operator.mul, other, root)
        else:
            return None
        return self.call(operator.mul, scaled, Const(0.5))

    def _root_of_slope(self, slope: Operand) -> Operand | None:
        """`y` where an operand is `0.5 / y`, or `0.5 / y if y else math.inf`."""
        match self.definitions.get(slope) if isinstance(slope, Value) else None:
            case If(cond, Block(_, [Call(_, _, _, [made]) as call], Yield([value]))):
                tested = self._call_of(cond, operator.truth)
                if value is not made or tested is None or tested.args[0] not in call.args:
                    return None
            case Call() as call:
                pass
            case _:
                return None
        match call:
            case Call(Const(operator.truediv), [Const(float() as number), root]) if number == 0.5:
                return root
        return None

    def _with_multiple(self, a: Operand, b: Operand) -> Operand | None:
        """`1.5 * x` for `x + 0.5 * x`."""
        for whole, part in ((a, b), (b, a)):
            call = self._call_of(part, operator.mul)
            if call is None or not isinstance(call.args[1], Const):
                continue
            factor = call.args[1].value
            if type(factor) is float and self._is_same(whole, call.args[0]):
                return self.call(operator.mul, whole, Const(1.0 + factor))
        return None

    def _is_same(self, a: Operand, b: Operand) -> bool:
        """Whether two operands are one, or products of the same."""
        products = [self._call_of(operand, operator.mul) for operand in (a, b)]
        return a is b or (
            products[0] is not None and products[1] is not None
            and all(x is y for x, y in zip(products[0].args, products[1].args, strict=True))
        )

    def _doubled(self, bars: list[Operand]) -> list[Operand]:
        """Both cotangents of `x * x` as one, `z_bar * 2 * x`, where `z_bar` is a number."""
        products = [self._call_of(bar, operator.mul) for bar in bars]
        if len(products) != 2 or products[0] is None or products[1] is None:
            return bars
        left, right = products[0].args
        is_number_ = is_inexact(type_of(left)) and not is_array(type_of(left))
        if not is_number_ or products[1].args[0] is not left or products[1].args[1] is not right:
            return bars
        return [self.call(operator.mul, self.call(operator.mul, left, Const(2)), right)]

    def _only_result(self, bar: Operand, index: Operand, count: int) -> Operand | None:
        """The cotangents of several results of which one was read."""
        if not isinstance(index, Const) or type(index.value) is not int:
            return None
        if may_be_none(type_of(bar)):
            return None
        bars = [bar if i == index.value % count else NONE for i in range(count)]
        return self.call(primitives.build_tuple, *bars)

    def _sum_over(
        self, bar: Operand, axes: Operand, keeps: list[Operand], like: Operand
    ) -> Operand:
        """The sum of a cotangent over some axes, which has the shape of `like`."""
        inner = self._negated(bar)
        if inner is not None and type_of(inner) == type_of(bar) and is_inexact(type_of(bar)):
            return self.call(operator.neg, self._sum_over(inner, axes, keeps, like))
        factored = self._factored(bar)
        if factored is not None:
            factor, array = factored
            return self.call(operator.mul, self._sum_over(array, axes, keeps, like), factor)
        product = self._call_of(bar, operator.mul)
        if product is not None and not keeps and _are_real_vectors(*product.args):
            summed = self.call(operator.matmul, *product.args)
        else:
            summed = self.call(cotangent.sum_over, bar, axes, *keeps)
        if isinstance(summed, Value):
            summed.type = reduced(type_of(bar), type_of(like))
        return summed


    def _sum_as_number(self, bar: Operand, like: Operand) -> Operand:
        """The sum of a cotangent as a Python number, of which `like` is one."""
        inner = self._negated(bar)
        if inner is not None and type_of(inner) == type_of(bar):
            return self.call(operator.neg, self._sum_as_number(inner, like))
        factored = self._factored(bar)
        if factored is not None:
            factor, array = factored
            return self.call(operator.mul, self._sum_as_number(array, like), factor)
        return self.call(float, self._sum_over(bar, NONE, [], like))


def _is_literal(operand: Operand) -> TypeGuard[Const]:
    """Whether an operand is a known number."""
    return isinstance(operand, Const) and type(operand.value) in (int, float)


def is_const(operand: Operand, number: int) -> bool:
    return isinstance(operand, Const) and type(operand.value) is int and operand.value == number


def _is_named_number(operand: Operand) -> bool:
    """Whether a reader would miss a value that costs no walk: the cotangent of a variable."""
    return isinstance(operand, Value) and operand.name != "t" and not is_array(operand.type)


def _are_real_vectors(a: Operand, b: Operand) -> bool:
    """Whether the sum of the products of two operands is what `@` gives."""
    types_ = type_of(a), type_of(b)
    are_vectors = all(rank_of(type_) == 1 and is_inexact(type_) for type_ in types_)
    return are_vectors and types_[0] == types_[1] and same_shape(*types_) and is_real(types_[0])


def _is_plain(type_: Type) -> bool:
    """Whether a value is a Python number: its product with an array has the array's dtype."""
    match type_:
        case Known(value):
            return type(value) in (int, float)
        case Scalar(cls):
            return cls in (int, float)
        case _:
            return False


def neutral(callee: object, left: Operand, right: Operand) -> Operand | None:
    """The operand that a product with one or a first power is equal to."""
    if callee is operator.mul:
        if _is_one(left) and is_inexact(type_of(right)):
            return right
        if _is_one(right) and is_inexact(type_of(left)):
            return left
    if callee in (operator.pow, operator.truediv) and _is_one(right):
        return left if is_inexact(type_of(left)) else None
    return None


def _is_one(operand: Operand) -> bool:
    return isinstance(operand, Const) and type(operand.value) in (int, float) and (
        operand.value == 1
    )
