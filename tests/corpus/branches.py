"""Branches: if, elif, else, nested, with returns in any of them."""

import math

from tests.corpus.registry import program, raises


@program((2.0,), (-2.0,))
def if_without_else(x):
    y = x
    if x > 0:
        y = y * x
    return y


@program((2.0,), (-2.0,))
def early_return(x):
    if x < 0:
        return -x
    return x * x


@program((-2.0,), (0.5,), (1.5,), (5.0,))
def elif_chain(x):
    if x < 0:
        y = x * x
    elif x < 1:
        y = 2 * x
    elif x < 2:
        y = math.sin(x)
    else:
        y = 1 / x
    return y * x


@program((2.0, 3.0), (2.0, -3.0), (-2.0, 3.0), (-2.0, -3.0))
def nested_if(x, y):
    if x > 0:
        if y > 0:
            z = x * y
        else:
            z = x - y
    else:
        z = y
        if y > 0:
            z = z * z
    return z + x


@program((2.0, 3.0), (2.0, -3.0), (-2.0, 3.0))
def returns_at_depth(x, y):
    if x > 0:
        z = x * x
        if y > 0:
            return z * y
        z = z + y
    else:
        return y
    return z


@program((2.0,), (-2.0,))
def all_paths_return(x):
    if x > 0:
        return x * x
    else:
        return x * 3


@program((2.0,), (-2.0,))
def different_structures(x):
    if x > 0:
        return x * x, x
    return [x, {"a": x * 2}]


@program((2.0,), (-2.0,))
def number_or_integer(x):
    if x > 0:
        return 0
    return x * x


@program((2.0,), (-2.0,))
def float_or_none(x):
    y = None
    if x > 0:
        y = x * x
    return x if y is None else y


@program((2.0,), (-2.0,))
def falls_off_the_end(x):
    if x > 0:
        return x * x


@program((2.0, 1.0), (1.0, 2.0))
def swapped_in_branch(x, y):
    if x < y:
        x, y = y, x
    return x * x - y


@program((0.5, 2.0), (2.0, 0.5), (-1.0, 0.5))
def branch_changes_later_branch(x, y):
    if x > y:
        x = x - y
    if x > 1:
        y = x * y
    elif x < 0:
        y = y * y
    return x * y


@program((2.0, True, False), (2.0, False, True), (2.0, False, False))
def flags(x, first, second):
    if first:
        x = x * x
    elif second:
        x = x + 3
    if first or second:
        x = x * 2
    if first and not second:
        x = x * x
    return x


@program((2.0,), (-1.0,))
def empty_branch(x):
    if x > 0:
        pass
    else:
        x = x * x
    return x * 3


@program((2.0,))
def branch_on_constant(x):
    if True:
        y = x * x
    else:
        y = undefined_name
    if 0:
        y = 7
    return y


@program((2.0,), (-1.0,))
def code_after_return(x):
    if x > 0:
        return x * x
        x = 1 / 0
    return x


@program((0.2,), (0.7,), (1.4,))
def huber(x):
    distance = abs(x - 1)
    if distance < 0.5:
        return 0.5 * distance**2
    return 0.5 * (distance - 0.25)


@program((2.0, 3), (2.0, 4), (-2.0, 5))
def integer_conditions(x, n):
    if n % 2 == 0:
        x = x * x
    if n > 3 and x < 0:
        x = x * 5
    return x * n


@program(([],), ([2.0],), ([2.0, 3.0],))
def truth_of_containers(values):
    if not values:
        return 1.0
    if values[1:]:
        return values[0] * values[1]
    return values[0] ** 2


@program((1.0, "a", 2), (1.0, "b", 2), (1.0, "b", 3), (1.0, "c", 0))
def dispatch(x, kind, n):
    if kind == "a":
        scale = 2.0
    elif kind == "b" and n == 2:
        scale = x
    elif kind == "b":
        scale = x * x
    else:
        scale = -1.0
    return scale * x


@program((1.0,), (3.0,))
def results_of_comparisons(x):
    small = x < 2
    both = small and x > 0
    return x * x if both else x * 4


@program((1.0, 2.0), (3.0, 2.0))
def branch_defines_function(x, y):
    if x < y:

        def scale(z):
            return z * x
    else:

        def scale(z):
            return z * z + y

    return scale(x) + scale(y)


@program((0.5,), (-0.5,), (4.5,), (3.0,), (-20.0,), (200.0,))
def many_exits(x):
    if x < 0:
        if x < -10:
            return 0.0
        return x * x
    if x > 1:
        if x > 4:
            if x > 100:
                return 1.0
            return x * 3
    return x * x * x


@program((2.0, 3.0), (-2.0, 3.0))
def swapped_in_both_arms(x, y):
    if x > 0:
        x, y = y, x
    else:
        x, y = y, x
    return x * x + 2 * y


@program((2.0, 3.0), (-2.0, 3.0))
def swapped_in_both_arms_of_an_expression(x, y):
    z = (x := y) if x > 0 else 2 * (x := y)
    return x * z


@raises(UnboundLocalError, (2.0,), (-2.0,))
def deleted_in_both_arms(x):
    y = x
    if x > 0:
        del y
    else:
        del y
    return y
