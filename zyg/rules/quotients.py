"""Rules of what the adjoints of quotients, powers and choices call: for derivatives of them."""

from __future__ import annotations

import operator

import numpy as np

from ir import facts
from ir.types import Known, Tuple, join, widen
from zyg.arrays.quotients import (
    in_floats,
    over_length,
    over_plain_square,
    over_square,
    power_part,
    product_over,
    times_log,
    weight_of_two,
)
from zyg.arrays.selections import (
    below_infinity,
    chosen,
    is_finite,
    is_steep,
    narrowed,
    selected,
    unmoved,
)
from zyg.cotangents.cotangent import conj, unbroadcast
from zyg.facts.numpy_example import elementwise
from zyg.rules.registry import adjoint, constant
from zyg.rules.tangent_registry import linear, tangent


@adjoint(power_part)
def power_part_rule(power, bar):
    def back(part_bar):
        return unbroadcast(bar * conj(part_bar), power), unbroadcast(part_bar * power, bar)

    return power_part(power, bar), back


@adjoint(in_floats)
def in_floats_rule(x):
    return in_floats(x), lambda y_bar: unbroadcast(y_bar, x)


@adjoint(product_over)
def product_over_rule(bar, factor, divisor):
    z = product_over(bar, factor, divisor)

    def back(z_bar):
        share = z_bar / conj(divisor)
        return (
            unbroadcast(share * conj(factor), bar),
            unbroadcast(share * conj(bar), factor),
            unbroadcast(-(share * conj(z)), divisor),
        )

    return z, back


@adjoint(times_log)
def times_log_rule(bar, x):
    def back(z_bar):
        return unbroadcast(z_bar * np.log(x), bar), unbroadcast(bar * conj(z_bar / x), x)

    return times_log(bar, x), back


@adjoint(over_square)
def over_square_rule(bar, x, y):
    part, rest = over_square(bar, x, y)

    def back(z_bar):
        part_bar = 0.0 if z_bar[0] is None else z_bar[0]
        # As the quotient was made: whether another one is exact may depend on its numerator.
        again = over_plain_square(part_bar, x, y) if rest is None else part_bar / rest
        scale = slope_of_square(z_bar[1], part * again, rest)
        return (
            unbroadcast(again, bar), unbroadcast(scale * x, x), unbroadcast(scale * y, y)
        )

    return (part, rest), back


@tangent(over_square)
def over_square_tangent(z, bar, x, y, bar_dot, x_dot, y_dot):
    # Found by items, a slope that is infinite for one of them would spoil the others.
    part, root = z
    half = np.multiply(x, x_dot) + np.multiply(y, y_dot)
    if root is None:
        return over_plain_square(bar_dot - 2 * part * half, x, y), None
    root_dot = half / root
    return (bar_dot - part * root_dot) / root, root_dot


def slope_of_square(rest_bar, product, root):
    """The derivative of `over_square` in `x` over `x`: of the quotient, or of part and root."""
    if root is None:
        return -2 * product
    return ((0.0 if rest_bar is None else rest_bar) - product) / root


@facts.result(over_square)
def quotient_type(args, kwargs):
    """Like a sum of the operands, if the second part may be None as well."""
    add = facts.result_of(operator.add)
    part = add((args[0], add((args[1], args[2]), {})), {})
    return Tuple((part, join(part, Known(None))))


facts.fresh(over_square)


@adjoint(over_plain_square)
def over_plain_square_rule(bar, x, y):
    part = over_plain_square(bar, x, y)

    def back(part_bar):
        again = over_plain_square(part_bar, x, y)
        scale = -2 * part * again
        return unbroadcast(again, bar), unbroadcast(scale * x, x), unbroadcast(scale * y, y)

    return part, back


@facts.result(over_plain_square)
def plain_quotient_type(args, kwargs):
    return quotient_type(args, kwargs).items[0]


facts.fresh(over_plain_square)


@adjoint(over_length)
def over_length_rule(bar, length):
    part, size = over_length(bar, length)

    def back(z_bar):
        again = 0.0 if z_bar[0] is None else z_bar[0] if size is not None else z_bar[0] / length
        return unbroadcast(again, bar), length_bar(again, z_bar[1], part, size, length)

    return (part, size), back


@tangent(over_length)
def over_length_tangent(z, bar, length, bar_dot, length_dot):
    part, size = z
    if size is None:
        return (bar_dot - part * length_dot) / length, None
    return bar_dot * np.ones_like(length), np.where(length == 0, 0, length_dot)


def length_bar(again, size_bar, part, size, length):
    """By way of the quotient, or of the size, which is 1 where the length is 0."""
    if size is None:
        return unbroadcast(-(part * again), length)
    return None if size_bar is None else np.where(length == 0, 0, size_bar)


@facts.result(over_length)
def over_length_type(args, kwargs):
    return Tuple((facts.result_of(operator.truediv)(args, {}), join(args[1], Known(None))))


facts.fresh(over_length)


@adjoint(weight_of_two)
def weight_of_two_rule(x, y):
    def back(z_bar):
        return (
            unbroadcast(z_bar * (weight_of_two(x, y) * weight_of_two(y, x)), x),
            unbroadcast(-z_bar * (weight_of_two(x, y) * weight_of_two(y, x)), y),
        )

    return weight_of_two(x, y), back


facts.total(weight_of_two)
facts.fresh(weight_of_two)
facts.result(weight_of_two)(elementwise(np.logaddexp, 2))


@adjoint(chosen)
def chosen_rule(condition, bar, other):
    return chosen(condition, bar, other), lambda y_bar: (None, chosen(condition, y_bar, 0.0), None)


facts.total(chosen)
facts.pure(chosen)
facts.result(chosen)(lambda args, kwargs: widen(args[1]))


@adjoint(selected)
def selected_rule(bar, mask):
    return selected(bar, mask), lambda y_bar: (unbroadcast(selected(y_bar, mask), bar), None)


facts.total(selected)
facts.fresh(selected)
facts.result(selected)(elementwise(np.multiply, 2))


@adjoint(unmoved)
def unmoved_rule(y_dot, x_dot):
    def back(z_bar):
        return z_bar if is_finite(y_dot) else np.where(is_steep(y_dot, x_dot), 0, z_bar), None

    return unmoved(y_dot, x_dot), back


constant(is_steep, narrowed)
facts.pure(narrowed)
linear(unmoved, 0)
facts.total(unmoved)
facts.pure(unmoved)


@facts.result(unmoved, below_infinity)
def same_type(args, kwargs):
    return args[0]


@adjoint(below_infinity)
def below_infinity_rule(x, most):
    def back(y_bar):
        return y_bar if is_finite(x) else np.where(np.isinf(x), 0, y_bar), None

    return below_infinity(x, most), back


facts.total(below_infinity)
facts.pure(below_infinity)
