"""Expressions: arithmetic, comparisons, short circuits as values, conditional expressions."""

import math
import operator
from math import cos, exp

from tests.corpus.registry import program


@program((2.0,), (-1.5,))
def identity(x):
    return x


@program((2.0, 3.0))
def ignores_first(x, y):
    return y * y


@program((2.0,))
def constant(x):
    return 4.5


@program((2.0,))
def returns_none_beside(x):
    return x * x, None


@program((1.5, -0.5))
def polynomial(x, y):
    return 3 * x**2 - 2 * x * y + y / 4 - 7


@program((1.5, 0.5), (-2.0, 3.0))
def quotient(x, y):
    return (x + 1) / (y * y + 1) - x / y


@program((1.5, 2.5))
def general_power(x, y):
    return x**y + 2.0**x + y**-2


@program((1.5,))
def negations(x):
    return -(-x) - -x * +x


@program((7.3, 2.1), (-7.3, 2.1), (7.3, -2.1))
def remainder(x, y):
    return x % y + x // y


@program((7.3,))
def division_and_remainder(x):
    quotient, rest = divmod(x, 2.0)
    return rest * rest + quotient


@program((0.7,))
def library_functions(x):
    return math.sin(x) * math.exp(-x) + cos(x) / exp(x) + math.sqrt(x) * math.log(x + 1)


@program((0.3, 0.8))
def more_library_functions(x, y):
    return math.atan2(y, x) + math.hypot(x, y) + math.tanh(x) + math.pow(x, y) + math.log(y, 2)


@program((0.4,))
def operator_functions(x):
    product = operator.mul(x, x)
    return operator.sub(operator.truediv(product, 3), operator.neg(x))


@program((1.5, 2.5), (-1.5, 2.5), (1.5, -2.5))
def magnitudes(x, y):
    return abs(x) * y + abs(y) - round(0.2 * abs(x))


@program((2.0, 3.0), (3.0, 2.0))
def extremes(x, y):
    return max(x, y) * 2 + min(x, y, 10.0) + max([x, 2.5]) - min((y * y, 2.9, x))


@program((3.7,), (-3.7,))
def rounded_parts(x):
    return x - int(x) + math.floor(x) * x + math.ceil(x)


@program((2.0, 3.0), (3.0, 2.0))
def conditional(x, y):
    return x * x if x > y else x * y


@program((-2.0,), (0.5,), (1.5,), (4.0,))
def nested_conditional(x):
    return -x if x < 0 else x * x if x < 1 else (x * 3 if x < 2 else 1 / x)


@program((0.5, 2.0), (5.0, 2.0), (2.0, 5.0))
def conditional_operands(x, y):
    return (x if x < 1 else y) * (y if x < y else x * x)


@program((2.0, 3.0), (2.0, None), (2.0, 0))
def falls_back_with_or(x, scale):
    return (scale or 3.0) * 2 * x + (x or 1.0)


@program((2.0, 3.0), (0, 3.0))
def continues_with_and(x, y):
    return (x and y * x) + y


@program((2.0, 3.0), (2.0, 0), (0, 3.0), (0, 0))
def short_circuit_chain(x, y):
    return (x and y and x * y) + (x or y or 5.0) * y + (x and 2.0 or y)


@program((0.5,), (-0.5,), (3.0,))
def short_circuit_condition(x):
    if x > 0 and 1 / x < 1 or x < -10:
        return x * x
    return x * 3


@program((0.5,), (1.5,), (2.5,))
def chained_comparison(x):
    return x * x if 0 < x <= 1 else x * 5 if 1 < x < 2 != 3 else -x


@program((0.5, 1), (0.5, 2), (0.5, 7))
def membership(x, n):
    scale = 2.0 if n in (1, 3) else 3.0 if n not in [1, 7] else 0.5
    return scale * x * x


@program((0.5,), (-0.5,))
def negated_condition(x):
    return x * 2 if not x > 0 else x * x * x


@program((0.5,), (-0.5,))
def comparison_as_number(x):
    return (x > 0) * x * 3 + (x <= 0) * x * x


@program((1.5, True), (1.5, False))
def flag_argument(x, squared):
    return x * x if squared else x


@program((1.5, None), (1.5, 2.0))
def optional_argument(x, scale):
    if scale is None:
        return x * x
    return scale * x


@program((1.5, None), (1.5, 2.0))
def optional_is_not_none(x, scale):
    return x * scale if scale is not None else x * 7


@program((1.5, "sin"), (1.5, "cos"), (1.5, "other"))
def dispatch_on_text(x, kind):
    if kind == "sin":
        return math.sin(x)
    elif kind == "cos":
        return math.cos(x)
    return x


@program((1.5, 2), (1.5, 5))
def integers_and_floats(x, n):
    half = n // 2
    bits = (n << 1) ^ 3 | n & 1
    return x * half + x**n / (n + 1) - bits * x


@program((1.5, 3))
def integer_argument_as_number(x, n):
    return n * x + n * n / 2


@program((2.5, 1.5))
def walrus_operand(x, y):
    return (product := x * y) * product + (total := x + product) / total**2


@program((2.0,), (0.5,))
def walrus_in_condition(x):
    if (square := x * x) > 1:
        return square * 3
    return square + x


@program((2.0,), (-0.5,))
def walrus_under_short_circuit(x):
    if x > 0 and (root := x**0.5) > 1:
        return root * x
    return x


@program((2.0,))
def used_often(x):
    return x * x * x + x * x + x + (x + x) * (x - x)


@program((2.0, 3.0))
def structured_result(x, y):
    return {"sum": x + y, "parts": [x * y, (x, y / x)], "name": "result", "count": 2}


@program((2.0, 3.0))
def equal_results(x, y):
    product = x * y
    return product, product, x


@program((2.0,))
def nested_parentheses(x):
    return ((((x + 1) * (x + 2)) / ((x + 3) * (x + 4))) ** 2 - 1) * x


@program((0.9,))
def unicode_names(π):
    λ = π * π
    return λ * math.sin(λ)


@program((2.0,))
def names_of_generated_code(y_bar):
    saved = y_bar * y_bar
    records = saved + y_bar
    back = records * saved
    y = back * 2
    return y


@program((2.0, 3.0))
def shadowed_builtins(sum, list):
    max = sum * list
    return max + sum


@program((1.5,), (2,))
def type_tests(x):
    if isinstance(x, float) and not isinstance(x, str):
        return x * x if callable(math.sin) else x
    return 0.0


@program((2.0,))
def positions_in_text(x):
    lines = "a b c".split()
    return x * len(lines) + x ** len("ab") * (lines[-1] == "c")


@program((2.0 + 0.5,))
def converted(x):
    return float(x) * x + float("2.5") * x + int("3") * x


@program((2.0, 3.0))
def complex_parts(x, y):
    z = complex(x, y)
    return (z * z).real + abs(z)
