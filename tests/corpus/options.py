"""Values that may be None, or of one of several classes, as conditions tell."""

import numpy as np

from tests.corpus.registry import program


class Rod:
    def __init__(self, length):
        self.length = length


class Disk:
    def __init__(self, radius, hole=None):
        self.radius = radius
        self.hole = hole


@program(([3.0, 1.5, 2.0],), ([1.0],))
def best_so_far(xs):
    best = None
    for x in xs:
        cost = x * x
        if best is None or cost < best:
            best = cost
    return best * 2.0


@program(([1.0, 2.0, 3.0], 0.5), ([2.0], 0.5))
def begun_with_none(xs, w):
    total = None
    for x in xs:
        if total is None:
            total = x * w
        else:
            total = total * w + x
    return total


def unless_first(x, k):
    if k == 0:
        return None
    return x * x * k


@program((1.3,))
def none_is_skipped(x):
    total = 0.0
    for k in range(4):
        found = unless_first(x, k)
        if found is None:
            continue
        total += found * x
    return total


@program((1.3, None), (1.3, 2.0))
def none_as_a_default(x, scale):
    if scale is None:
        scale = x * 0.5
    return scale * x


@program(([1.0, (2.0, 3.0), 4.0],))
def numbers_and_pairs(xs):
    total = 0.0
    for x in xs:
        if isinstance(x, tuple):
            a, b = x
            total += a * b
        else:
            total += x * x
    return total


def solved(x, n, known):
    found = known.get(n)
    if found is not None:
        return found
    if n < 2:
        return x
    known[n] = solved(x, n - 1, known) * 0.5 + solved(x, n - 2, known)
    return known[n]


@program((1.3,))
def solutions_in_a_dict(x):
    return solved(x, 12, {})


@program((np.array([1.0, 2.0]),))
def an_array_or_none(x):
    velocity = None
    for k in range(3):
        if velocity is None:
            velocity = x * 0.1
        else:
            velocity *= 0.5
            velocity[0] += x[1] * k
        x = x - velocity
    return np.sum(x * velocity)


@program((1.3,))
def a_list_or_none(x):
    seen = None
    for k in range(4):
        if not seen:
            seen = [x]
        elif isinstance(seen, list) and k < 3:
            seen.append(seen[-1] * x)
        else:
            seen[0] = x * x * seen[1]
    return sum(seen)


@program((1.3, 0.7))
def shapes(x, y):
    total = 0.0
    for shape in [Rod(x), Disk(y), Disk(x * y, hole=Rod(y)), None]:
        if shape is None:
            break
        if isinstance(shape, Rod):
            total += shape.length
        elif shape.hole is not None:
            total += shape.radius * shape.hole.length
        else:
            total += shape.radius * shape.radius
    return total


def of_any_kind(value):
    if value is None:
        raise ValueError("nothing to count")
    if not isinstance(value, (list, tuple)):
        return value * value
    return sum([of_any_kind(item) for item in value])


@program((1.3, [0.5, (0.7, [0.2])]))
def nested_kinds(x, tree):
    return x * of_any_kind(tree) + of_any_kind(x)


@program((1.3, True), (1.3, False))
def a_function_or_none(x, is_scaled):
    scaled = (lambda value: value * x) if is_scaled else None
    y = x * x
    if scaled:
        y = scaled(y)
    return y if scaled is None else scaled(y)
