"""Loops over known ranges and containers to their end, and what is left after them."""

import itertools
import math

from tests.corpus.registry import program


@program((1.5, 3), (1.5, 0), (-2.0, 1))
def power(x, n):
    result = 1
    for _ in range(n):
        result = result * x
    return result


@program((1.5,))
def range_with_step(x):
    total = 0.0
    for i in range(1, 10, 3):
        total += i * x**i
    for i in range(5, 0, -2):
        total -= x / i
    return total


@program(([1.0, 2.0, 3.0],), ([],))
def over_list(values):
    total = 0.0
    for value in values:
        total += value * value
    return total


@program(((1.0, 2.0, 3.0), 0.5))
def over_tuple(values, x):
    product = 1.0
    for value in values:
        product *= value + x
    return product


@program((2.0,))
def over_literal(x):
    total = x
    for value in (x, x * x, 3):
        total = total * value
    for value in [1, total]:
        total += value
    return total


@program(([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), ([1.0, 2.0], [4.0, 5.0, 6.0]))
def over_zip(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total += x * y
    return total


@program(([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]))
def over_zip_of_three(a, b):
    total = 0.0
    for x, y, i in zip(a, b, range(10)):
        total += i * x / y
    return total


@program(([1.0, 2.0, 3.0], 2.0))
def over_enumerate(values, x):
    total = 0.0
    for i, value in enumerate(values):
        total += value * x**i
    for i, value in enumerate(values, start=2):
        total -= value / i
    return total


@program(([1.0, 2.0, 3.0], 2.0))
def over_reversed(coefficients, x):
    result = 0.0
    for coefficient in reversed(coefficients):
        result = result * x + coefficient
    for i in reversed(range(3)):
        result += i * x
    return result


@program(({"a": 1.0, "b": 2.0},))
def over_dict_items(parameters):
    total = 0.0
    for name, value in parameters.items():
        total += value * (3 if name == "a" else value)
    return total


@program(({"a": 1.0, "b": 2.0}, 3.0))
def over_dict_keys_and_values(parameters, x):
    total = 0.0
    for value in parameters.values():
        total += value * value
    for key in parameters:
        total *= parameters[key]
    for key in parameters.keys():
        total += parameters[key] * x
    return total


@program((2.0,))
def over_text(x):
    total = 0.0
    for letter in "axxa":
        if letter == "x":
            total += x * x
        else:
            total *= x + 1
    return total


@program(([(1.0, 2.0), (3.0, 4.0)],))
def over_pairs(pairs):
    total = 0.0
    for a, b in pairs:
        total += a * b
    return total


@program(([(1.0, (2.0, 3.0)), (3.0, (4.0, 5.0))],))
def over_nested_pairs(pairs):
    total = 0.0
    for i, (a, (b, c)) in enumerate(pairs):
        total += a * b - i * c * c
    return total


@program(([[1.0, 2.0, 3.0], [4.0, 5.0]],))
def over_starred(rows):
    total = 0.0
    for first, *rest in rows:
        total += first * sum(rest)
    return total


@program(([[1.0, 2.0], [3.0, 4.0, 5.0], []],))
def nested(rows):
    total = 0.0
    for row in rows:
        product = 1.0
        for value in row:
            product *= value
        total += product
    return total


@program((1.1, 3))
def triangular(x, n):
    total = 0.0
    for i in range(n):
        for j in range(i + 1):
            total = total * x + i * j
    return total + x


@program((2.0, 3.0))
def swapped(x, y):
    for _ in range(3):
        x, y = y, x * y
    return x - y


@program((2.0, 3.0, 0.5))
def rotated(x, y, z):
    for i in range(4):
        x, y, z = y, z, x
        if i == 1:
            x = x * y
    return x * 2 + y * y + z * 3


@program((0.5, 7))
def fibonacci(x, n):
    a, b = x, 1.0
    for _ in range(n):
        a, b = b, a + b
    return a * b


@program((0.5,))
def delayed(x):
    previous = before = 0.0
    current = x
    for _ in range(4):
        before, previous, current = previous, current, current * x + before
    return current + previous * before


@program((1.5, 3))
def loop_variable_after(x, n):
    for i in range(n):
        y = x * i
    return y * i + x


@program(([1.0, 2.0],))
def last_item_after(values):
    for value in values:
        square = value * value
    return value * square


@program((1.5,))
def loop_variable_reassigned(x):
    total = 0.0
    for i in range(3):
        i = i * x
        total += i * i
    return total * i


@program((1.5,))
def same_variable_nested(x):
    total = 0.0
    for i in range(2):
        for i in range(3):
            total += i * x
        total = total * x + i
    return total * i


@program((1.5,), (0.5,))
def assigned_in_one_iteration(x):
    for i in range(3):
        if i == 0:
            first = x * x
        else:
            first = first * x
    return first


@program((1.5,))
def argument_reassigned(x):
    for _ in range(3):
        x = math.sin(x) * x
    return x


@program((1.5, [0.5, 0.25]))
def iterable_rebound(x, values):
    total = 0.0
    for value in values:
        values = [value * x]
        total += values[0] * value
    return total + values[0]


@program((0.4,), (1.4,))
def loops_in_branches(x):
    y = 1.0
    if x > 1:
        for i in range(3):
            y *= x + i
    else:
        for i in range(2):
            y += y * x
    return y


@program((0.4,))
def branches_in_loop(x):
    y = x
    for i in range(6):
        if i % 3 == 0:
            y = y * x
        elif i % 3 == 1:
            y = y + x
        else:
            z = y * y
            y = z - x
    return y


@program((0.4,))
def value_dependent_path(x):
    for _ in range(8):
        if x < 0.5:
            x = 3.7 * x
        else:
            x = 3.1 * (1 - x) * x
    return x


@program((0.5,))
def list_grows(x):
    values = []
    for i in range(4):
        values = values + [x**i]
    return sum(values), values


@program((0.5,))
def tuple_grows(x):
    values = ()
    for i in range(3):
        values += (x * i,)
    return values


@program((0.5, 0.7))
def carried_structure(x, y):
    state = (x, {"velocity": y})
    for _ in range(3):
        position, rest = state
        velocity = rest["velocity"]
        state = (position + 0.1 * velocity, {"velocity": velocity - position * x})
    return state


@program((0.5,))
def over_itertools(x):
    total = 0.0
    for i in itertools.count(1):
        if i > 4:
            break
        total += x**i
    for a, b in itertools.product([1, x], [2, total]):
        total += a * b
    for value in itertools.chain([x, 2], (total,)):
        total *= value
    return total


@program(([1.0, 2.0, 3.0, 4.0],))
def over_pairwise(values):
    total = 0.0
    for a, b in itertools.pairwise(values):
        total += (b - a) ** 2 * a
    for a, b in itertools.combinations(values, 2):
        total += a * b
    return total


@program(([3.0, 1.0, 2.0],))
def over_sorted(values):
    total = 0.0
    for rank, value in enumerate(sorted(values)):
        total += rank * value * value
    return total


@program(([1.0, -2.0, 3.0],))
def over_map_and_filter(values):
    total = 0.0
    for value in map(lambda v: v * v, values):
        total += value
    for value in filter(lambda v: v > 0, values):
        total *= value
    return total


@program(([1.0, 2.0, 3.0],))
def over_slices(values):
    total = 0.0
    for value in values[1:]:
        total += value * values[0]
    for value in values[::-2]:
        total *= value
    return total


@program(([1.0, 2.0, 3.0, 4.0],))
def by_index(values):
    total = 0.0
    for i in range(len(values) - 1):
        total += values[i] * values[i + 1] - values[-i]
    return total


@program((0.3,))
def deeply_nested(x):
    total = 0.0
    for i in range(2):
        for j in range(2):
            for k in range(3):
                if k == 2 and j == 1:
                    break
                if i == j == k:
                    continue
                total = total * x + x * (i + j + k)
    return total


@program((0.3,), (1.3,))
def empty_body(x):
    for _ in range(3):
        pass
    for i in range(2):
        continue
    return x * x * i


@program((1.5,))
def unused_work(x):
    waste = x
    for _ in range(3):
        waste = waste * waste
    return x * 2


@program(([1.0, 2.0], 3))
def repeated_list(values, n):
    total = 1.0
    for value in values * n:
        total = total * 0.5 + value * value
    return total


@program((0.9, 2.0, 0.1, 0.02))
def euler_steps(x, y, rate, dt):
    for _ in range(5):
        dx = rate * x - x * y
        dy = x * y - y
        x, y = x + dt * dx, y + dt * dy
    return x, y
