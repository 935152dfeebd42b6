"""Comprehensions, and generator expressions directly inside the functions that consume them."""

import math

from tests.corpus.registry import program


@program(([1.0, 2.0, 3.0], 0.5))
def list_comprehension(values, x):
    return [value * value * x for value in values]


@program(([1.0, -2.0, 3.0], 0.5))
def filtered(values, x):
    positive = [value * x for value in values if value > 0]
    return sum(positive), positive


@program(([1.0, -2.0, 3.0, 8.0],))
def filtered_twice(values):
    return [value * value for value in values if value > 0 if value < 5]


@program(([1.0, -2.0, 3.0],))
def conditional_inside(values):
    return [value * 2 if value > 0 else value * value for value in values]


@program(([1.0, 2.0], [3.0, 4.0, 5.0]))
def two_loops(a, b):
    return [x * y for x in a for y in b]


@program(([1.0, 2.0, 3.0],))
def dependent_loops(values):
    return [values[i] * values[j] for i in range(3) for j in range(i) if i + j > 1]


@program(([[1.0, 2.0], [3.0]],))
def nested_comprehension(rows):
    squares = [[value * value for value in row] for row in rows]
    return [sum(row) for row in squares], squares


@program(([[1.0, 2.0], [3.0, 4.0]],))
def transposed(rows):
    return [[row[i] for row in rows] for i in range(2)]


@program((0.5,))
def dict_comprehension(x):
    return {name: x**i for i, name in enumerate("abc")}


@program(({"a": 1.0, "b": -2.0},))
def dict_of_items(parameters):
    scaled = {name + "2": value * 3 for name, value in parameters.items() if value > 0}
    flipped = {name: -value for name, value in parameters.items()}
    return scaled, flipped["b"] * flipped["a"]


@program(([1, 2, 2, 3], 0.5))
def set_comprehension(numbers, x):
    distinct = {n % 3 for n in numbers}
    return x * len(distinct) + x * x * (2 in distinct)


@program(([1.0, 2.0, 3.0], 0.5))
def generator_in_sum(values, x):
    return sum(value * value * x for value in values) + sum((x for _ in range(3)), start=x * x)


@program(([1.0, -2.0, 3.0],))
def filtered_generator_in_sum(values):
    return sum(value**3 for value in values if value > 0) * values[1]


@program(([1.0, 2.0, 3.0],), ([4.0, 5.0],))
def generator_in_extremes(values):
    return max(value * value for value in values) + min((1 / value for value in values), default=0)


@program(([1.0, 2.0, 3.0],), ([1.0, -2.0, 3.0],), ([-1.0],))
def generator_in_any_and_all(values):
    x = values[0]
    if all(value > 0 for value in values):
        x = x * x
    if any(value < 0 for value in values):
        x = x * 3 + values[-1]
    return x


@program(([1.0, 2.0, 3.0],))
def generator_in_constructors(values):
    squares = list(value * value for value in values)
    halves = tuple(value / 2 for value in values if value < 2.5)
    return squares[0] * squares[1] + halves[1], squares, halves


@program(([1.0, 2.0], [3.0, 4.0]))
def generator_over_zip(a, b):
    return sum(x * y for x, y in zip(a, b)) + sum(i * x for i, x in enumerate(a))


@program(([[1.0, 2.0], [3.0, 4.0]],))
def generator_of_generators(rows):
    return sum(sum(value * value for value in row) * row[0] for row in rows)


@program((0.5, 4))
def captured_in_comprehension(x, n):
    y = x * x
    return [y * i + x for i in range(n)]


@program((0.5,))
def own_scope(x):
    i = x * 2
    values = [i * i for i in range(3)]
    return i * values[2]


@program((0.5,))
def walrus_inside(x):
    total = 0.0
    sums = [total := total + x**i for i in range(4)]
    return total * sums[1], sums


@program((0.5,))
def comprehension_in_loop(x):
    values = [x, 1.0]
    for i in range(3):
        values = [a * b + i for a, b in zip(values, values[::-1])]
    return values


@program((0.5,))
def loop_over_comprehension(x):
    total = 1.0
    for value in [x * i for i in range(1, 4)]:
        if value > 1.2:
            break
        total *= value
    return total


@program((0.4,))
def calls_inside(x):
    def f(a):
        return math.sin(a) if a > 1 else a * a

    return [f(x * i) for i in range(5)]


@program(([(1.0, 2.0), (3.0, 4.0)],))
def unpacking_target(pairs):
    return [a * b for a, b in pairs], sum(first for first, *_ in pairs)


@program(([1.0, 2.0, 3.0],))
def condition_with_exits(values):
    return [v * v for v in values if (v > 1.5 and v < 2.5) or not v < 2.5]


@program(([1.0, 2.0],))
def empty_results(values):
    return [v * 2 for v in values if v > 10], sum(v for v in []), values[0] * values[1]


@program((0.5,))
def comprehension_as_argument(x):
    return math.fsum([x * i for i in range(3)]) + math.prod([x + i for i in range(3)])


@program((0.5,))
def products_and_distances(x):
    return math.dist([x, 1.0], [2.0, x * x]) + math.prod([x * i for i in range(1, 3)])


@program(([0.5, 1.5],))
def starred_comprehension(values):
    return max(*[v * v for v in values], values[0]) + sum([*values, *[v * 2 for v in values]])
