"""Tuples, lists and dicts: built, indexed, sliced, concatenated, compared, returned."""

from typing import NamedTuple

import numpy as np

from tests.corpus.registry import program, raises


class Point(NamedTuple):
    x: float
    y: float


@program((2.0, 3.0))
def tuple_of_values(x, y):
    pair = (x * y, x)
    return pair[0] * pair[1] + pair[-1]


@program((2.0, 3.0))
def list_of_values(x, y):
    values = [x, y, x * y]
    return values[0] * values[2] - values[-2]


@program((2.0, 3.0))
def dict_of_values(x, y):
    values = {"a": x, "b": y * x, 3: y}
    return values["a"] * values["b"] + values[3]


@program((2.0,))
def nested_structure(x):
    tree = {"left": (x, [x * x, {"leaf": x + 1}]), "right": None}
    return tree["left"][1][1]["leaf"] * tree["left"][1][0] + tree["left"][0]


@program(({"w": [1.0, 2.0], "b": 0.5}, 3.0))
def structured_argument(parameters, x):
    return parameters["w"][0] * x + parameters["w"][1] * x * x + parameters["b"]


@program(([(1.0, 2.0), (3.0, 4.0)], 0.5))
def layers(parameters, x):
    for w, b in parameters:
        x = w * x + b
    return x


@program(([1.0, 2.0, 3.0, 4.0, 5.0],))
def slices(values):
    return (
        values[1:3],
        values[:2],
        values[-2:],
        values[::2],
        values[::-1],
        values[3:1],
        values[0] * values[-1],
    )


@program(((1.0, 2.0, 3.0), 1), ((1.0, 2.0, 3.0), -1))
def variable_index(values, i):
    return values[i] * values[i - 1] + sum(values[i:])


@program((2.0, 3.0))
def concatenated(x, y):
    values = [x] + [y, x * y] + []
    pair = (x,) + (y,)
    return values[2] * pair[1], values, pair


@program((2.0,))
def multiplied(x):
    values = [x, 1.0] * 2
    copies = 3 * (x * x,)
    return values[2] * copies[2] + sum(copies) + len(values)


@program((2.0, [1.0, 3.0]))
def displays_with_stars(x, values):
    longer = [x, *values, x * x]
    as_tuple = *values, x
    return longer[1] * longer[3] + as_tuple[2] * as_tuple[0]


@program(({"a": 1.0, "b": 2.0}, 3.0))
def merged_dicts(parameters, x):
    merged = {**parameters, "b": x, "c": x * parameters["b"]}
    united = parameters | {"a": x}
    return merged["a"] * merged["b"] + merged["c"] * united["a"] + united["b"]


@program(({"a": 1.5},), ({"b": 1.5, "a": 2.0},))
def dict_get(parameters):
    x = parameters.get("b", 3.0)
    y = parameters.get("c")
    return x * parameters["a"] + (x if y is None else y)


@program(({"a": 1.5, "b": 2.5},))
def dict_views(parameters):
    names = list(parameters)
    values = list(parameters.values())
    pairs = list(parameters.items())
    return values[0] * values[1] + pairs[1][1] * len(names) + ("a" in parameters)


@program(({"a": 1.5, "b": 2.5},))
def dict_from_pairs(parameters):
    copied = dict(parameters)
    built = dict(a=copied["b"], c=1.0)
    zipped = dict(zip(["u", "v"], [built["a"], copied["a"]]))
    return zipped["u"] * zipped["v"], built


@program((2.0, 3.0))
def conversions(x, y):
    values = list((x, y))
    pair = tuple([y, x * x])
    again = tuple(values)
    return values[0] * pair[1] + again[1]


@program(([1.0, 2.0, 3.0],))
def lengths_and_tests(values):
    x = values[0]
    if len(values) == 3 and values:
        x = x * values[len(values) - 1]
    return x * (5 if [] else 2)


@program((2.0, 3.0), (-1.0, 3.0))
def compared_containers(x, y):
    if (x, y) > (1.0, 100.0):
        return x * y
    return [x, y] < [1.0, 2.0], x * x


@program(([[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0]))
def matrix_times_vector(matrix, vector):
    result = []
    for row in matrix:
        result = result + [sum(a * b for a, b in zip(row, vector))]
    return result


@program(([1.0, 2.0, 3.0],))
def reversed_and_sorted(values):
    back = list(reversed(values))
    ordered = sorted([v * v - 4.5 * v for v in values], reverse=True)
    return back[0] * ordered[0] + ordered[-1]


@program(([1.0, 2.0, 3.0],))
def zipped_and_unzipped(values):
    pairs = list(zip(values, values[1:]))
    firsts, seconds = zip(*pairs)
    return firsts[0] * seconds[1] + pairs[1][0]


@program(([1.0, 2.0, 3.0],))
def enumerated_list(values):
    pairs = list(enumerate(values, 1))
    return pairs[2][1] * pairs[2][0] + pairs[0][1] ** 2


@program((2.0, 3.0))
def named_tuple(x, y):
    point = Point(x * y, y)
    moved = Point(y=point.x, x=point.y)
    return moved.x * point.x + moved[1]


@program((Point(2.0, 3.0),))
def named_tuple_argument(point):
    x, y = point
    return point.x * point.y + x - y * y


@program(
    ((1.0, (2.0, 3.0)), (4.0, (5.0, 6.0))),
    ((4.0, (2.0, 3.0)), (1.0, (5.0, 6.0))),
)
def whole_structures_pass_through(p, q):
    chosen = p if p[0] < q[0] else q
    other, same = q, chosen
    return same[1][0] * other[1][1], chosen


@program((2.0,))
def same_value_in_many_places(x):
    y = x * x
    values = [y, (y, {"a": y}), x]
    return values[0] * values[1][0] * values[1][1]["a"]


@program((2.0, 3))
def list_built_of_counts(x, n):
    powers = [x**i for i in range(n)]
    return powers[-1] * powers[1] + sum(powers)


@program((2.0, "b"), (2.0, "a"), (2.0, "z"))
def lookup_by_argument(x, key):
    rates = {"a": 2.0, "b": x}
    return rates[key] * x if key in rates else 0.0


@program(([1.0, 2.0, 3.0], ["a", "b", "b"]))
def count_and_index(values, names):
    return values[0] * names.count("b") + values[names.index("b")] ** 2


@program((0.5, 2))
def tuples_as_keys(x, n):
    grid = {(i, j): x * i + j for i in range(n) for j in range(n)}
    return grid[1, 0] * grid[(0, 1)] + grid[1, 1] ** 2


@program(([0.5, 1.5],))
def sum_with_lists(values):
    return sum([[v, v * v] for v in values], [])


@raises(KeyError, (2.0, {"a": 1.0}))
def missing_key(x, parameters):
    return x * parameters["b"]


@raises(IndexError, (2.0, [1.0]), (2.0, []))
def index_out_of_range(x, values):
    return x * values[1]


@program((1.5, 3.0))
def item_of_list_that_was_walked_over(x, y):
    items = [x * y, y]
    for _ in range(2):
        enumerate(items)
        y = items[-2]
    return y


@program(({"a": 2.0, "b": 3.0}, {0: 3.0, 1: 2.0}))
def extremes_of_dicts_are_keys(by_name, by_number):
    name = max(by_name, key=by_name.get)
    number = min(by_number, key=by_number.get)
    first = sorted(by_number, key=by_number.get)[0]
    return by_name[name] * by_number[number] * (first + 1) + max(by_number)


@program((np.array([1.5, 0.5]),))
def largest_and_smallest_of_nested_tuples(x):
    last, state = max({0.1: x * 2, 0.2: x * x}.items())
    cost, (_, value) = min((x[0] * i, (i, x[1] + i)) for i in range(1, 3))
    tied = max([(x[0], "a", 3.0 * x[0]), (x[0], "a", 3.0 * x[0])])
    return np.sum(state) * last + cost * value + tied[2]


def squares_in(order, items):
    return [items[i] * items[i] for i in order]


@program((1.3,))
def squares_in_several_orders(x):
    items = [x, x * x, 2 * x]
    first, second = squares_in([2, 0], items), squares_in([0, 1], items)
    return first[0] ** 3 + first[1] * second[1] + second[0]


@program((1.3, 0.7))
def cubes_in_order(x, y):
    items = [x, x * y, y]
    items.sort(reverse=True)
    return sum(item**3 for item in sorted(items)) * items[0]
