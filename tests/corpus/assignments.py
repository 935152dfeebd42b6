"""Assignments: unpacking, chains, swaps, augmented assignment, names that may be unbound."""

import numpy as np

from tests.corpus.registry import program, raises


@program((2.0, 3.0))
def sequence(x, y):
    a = x * y
    b = a + x
    a = b * a
    return a - b


@program((2.0,))
def chained(x):
    a = b = x * x
    a = a + 1
    return a * b


@program((2.0, 3.0))
def swapped(x, y):
    x, y = y, x
    return x * x - y


@program((2.0, 3.0, 5.0))
def rotated(x, y, z):
    x, y, z = y, z, x
    x, y, z = z, x, x * y
    return x * 2 + y * 3 + z


@program((2.0, 3.0))
def parallel(x, y):
    x, y = x + y, x * y
    return x / y


@program(((2.0, 3.0),))
def unpacked_argument(pair):
    first, second = pair
    return first * second + first


@program((2.0, (3.0, (4.0, 5.0))))
def nested_unpacking(x, tree):
    a, (b, c) = tree
    [d, e] = x, a
    return a * b + c * d - e


@program(([1.0, 2.0, 3.0, 4.0],), ([1.0, 2.0],))
def starred_middle(values):
    first, *middle, last = values
    total = first * last
    for value in middle:
        total += value * value
    return total


@program(((1.0, 2.0, 3.0),), ((1.0,),))
def starred_rest(values):
    first, *rest = values
    return first * first + sum(rest) * first, rest


@program(((1.0, 2.0, 3.0),))
def starred_front(values):
    *front, last = values
    return [last * value for value in front]


@program((1.0, [2.0, [3.0, 4.0, 5.0]]))
def starred_inside_nested(x, tree):
    a, (b, *others) = tree
    return a * b * x + others[0] / others[-1]


@program((2.0, 3.0))
def augmented(x, y):
    x += y
    x *= x
    x -= y
    x /= y + 1
    x **= 2
    return x


@program((7.5,))
def augmented_division(x):
    x //= 2
    y = 7.5
    y %= 2
    return x * y


@program((2.0,))
def augmented_tuple(x):
    values = (x,)
    values += (x * x, 3.0)
    return values[0] * values[1] + values[2], values


@program((2.0,))
def augmented_text(x):
    name = "a"
    name += "b"
    return {name: x * x}


@program((2.0,))
def same_name_new_kind(x):
    v = x * x
    v = (v, x)
    v = [v[0], v[1], 1.0]
    v = {"a": v}
    return v["a"][0] * v["a"][1]


@program((2.0,), (-2.0,))
def assigned_in_both(x):
    if x > 0:
        y = x * x
    else:
        y = -x
    return y * x


@program((2.0,), (-2.0,))
def reassigned_in_one(x):
    y = x
    if x > 0:
        y = x * x
    return y * 3


@program((2.0,), (-2.0,))
def read_only_where_assigned(x):
    if x > 0:
        y = x * x
    z = x + 1
    if x > 0:
        z = y * z
    return z


@raises(UnboundLocalError, (-2.0,))
def unbound_after_branch(x):
    if x > 0:
        y = x * x
    return y


@raises(UnboundLocalError, (2.0,))
def unbound_before_assignment(x):
    z = x * y
    y = x
    return z + y


@raises(UnboundLocalError, (2.0, []))
def unbound_loop_variable(x, values):
    for value in values:
        pass
    return x * value


@raises(UnboundLocalError, (2.0,))
def unbound_augmented(x):
    total += x
    return total


@raises(ValueError, (2.0, [1.0, 2.0, 3.0]), (2.0, [1.0]))
def wrong_number_to_unpack(x, values):
    a, b = values
    return a * b * x


@program((2.0, 3.0))
def discarded_results(x, y):
    x * y
    _ = x + y
    None
    "text"
    return x


@program((2.0,))
def annotated(x: float) -> float:
    y: float = x * x
    z: int
    z = 2
    return y * z


@program((2.0, 3.0))
def target_read_on_both_sides(x, y):
    x = y = x * y + x
    return x * y


@program(((1.0, 2.0), (3.0, 4.0)))
def unpacked_twice(p, q):
    (a, b), (c, d) = p, q
    (a, b), (c, d) = (c, d), (a, b)
    return a * 1 + b * 2 + c * a + d


@program((2.0,), (0.5,))
def walrus_then_read(x):
    y = (z := x * 2) if x > 1 else (z := x * x)
    return y * z


@program((2.0,))
def unpacked_comprehension(x):
    a, b, c = [x * i for i in [1, 2, 3]]
    d, e = tuple(x * v for v in (a, b))
    return a * b * c + d * e


@program((2.0, ("text",)))
def single_item_is_unpacked(x, words):
    (word,) = words
    ((inner,),) = ((x * x,),)
    return inner * len(word)


class Doubling:
    """Is asked by `items += more` before the list is."""

    def __init__(self, last):
        self.last = last

    def __radd__(self, items):
        return [2 * item for item in items] + [self.last]

    def __iter__(self):
        return iter([self.last])


@program((1.5,))
def lists_that_do_not_grow(x):
    weights, others = [x, x], [x, x]
    kept = others
    weights += np.array([x, x * x])
    others += Doubling(x)
    return weights[0] * others[1] + len(others) * kept[0]


@program((1.5,))
def lists_that_grow_by_the_method(x):
    weights = [x]
    weights.__iadd__(Doubling(x * x))
    weights.__iadd__([x])
    return weights[0] * weights[1] * len(weights) + weights[2]
