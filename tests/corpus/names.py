"""Names: annotations, `del`, `global` reads, walrus, nested functions with defaults."""

import math
from typing import Any

import numpy as np

from tests.corpus.registry import program, raises

OFFSET = 0.5


def annotated(x: "no such name", *rest: 1 / 0 if False else 3, k: [1, 2] = 2) -> lambda: 0:
    return x * k + sum(rest)


@program((2.0,))
def annotated_locals(x: float) -> float:
    y: float
    z: "anything" = x * x
    w: list[float] = [x, z]
    y = w[0] * w[1]
    (v): float = y + 1
    return v * z


@program((2.0, 3.0))
def annotated_parameters(x, y):
    def inner(a: undefined_name_1 if False else float, b: int = 2, *, c: Any = y) -> float:
        return a**b * c

    return inner(x) + inner(y, c=x) + annotated(x, y, y, k=x)


@program((2.0,))
def annotations_of_locals_are_not_evaluated(x):
    y: print("never") = x * x
    z: undefined_name_2
    return y


@program((2.0, 3.0))
def deleted_names(x, y):
    z = x * y
    del x
    x = z + y
    del y, z
    return x * x


@program((2.0, 3), (2.0, 0))
def deleted_in_loop(x, n):
    total = x
    for i in range(n):
        step = x * i
        total += step
        del step
    return total


@program((2.0, True), (2.0, False))
def deleted_in_branch(x, flag):
    y = x * x
    if flag:
        del y
        y = x
    return y * x


@program((2.0,))
def deleted_tuple(x):
    a = b = c = x
    total = a * b * c
    del (a, [b]), c
    return total


@raises(UnboundLocalError, (2.0,))
def read_after_del(x):
    y = x * x
    del y
    return y


@raises(UnboundLocalError, (2.0,))
def deleted_twice(x):
    y = x * x
    del y
    del y
    return x


@raises(UnboundLocalError, (2.0, True))
def deleted_on_one_path(x, flag):
    y = x * x
    if flag:
        del y
    return y * x


@raises(UnboundLocalError, (2.0,))
def declared_but_not_assigned(x):
    y: float
    return y * x


@program((2.0,))
def global_reads(x):
    global OFFSET
    return x * OFFSET + math.pi * x


@program(([1.0, 2.0, 3.0],))
def walrus_in_comprehension(values):
    squares = [y for v in values if (y := v * v) > 2]
    return sum(squares) * y


@program((2.0,))
def walrus_keeps_the_last(x):
    total = sum([(last := x * i) for i in range(4)])
    return total * last


@program((2.0, 3.0), (0.1, 0.2))
def walrus_everywhere(x, y):
    if (z := x * y) > 1 and (w := z + x) > 1:
        return z * w
    return (u := x) + u


@program((2.0, 3.0))
def nested_functions_with_defaults(x, y):
    z = x * y

    def f(a, b=z, *, c=x + 1.0):
        def g(d=a):
            return d * b

        return g() + g(c)

    return f(x) + f(y, b=x) + f(1.0, c=y)


@program((2.0, 3.0))
def lambda_with_defaults(x, y):
    functions = [lambda a, k=k, scale=x: a * k * scale for k in (1, 2, 3)]
    return sum([f(y) for f in functions])


@program((2.0,))
def names_like_builtins(x):
    sum = x * x
    max = [sum, x]
    return max[0] * max[1]


@program((2.0,))
def unicode_names(x):
    α = x * x
    Δx = α - x
    return α * Δx


chosen = None


def choose(value):
    global chosen
    chosen = value


@program((1.3,))
def global_that_changes_its_kind(x):
    choose(None)
    if chosen is None:
        choose(2)
    first = x * chosen
    choose("four")
    return first * len(chosen)


@program((np.array([[1.0, 2.0], [3.0, 4.0]]),))
def an_underscore_that_is_read(m):
    a, _ = m
    _sign, size = np.linalg.slogdet(np.outer(a, a) + np.eye(2))
    for i in range(3):
        a = a * (1 + i)
    return np.sum(_ * _) + size + np.sum(a)


@program((2.0, np.array([[1.0, 2.0], [3.0, 5.0]])))
def an_underscore_as_parameter(_, m):
    sign, size = np.linalg.slogdet(m)
    for i in range(2):
        size = size * 1.1
    return size * _


@program((np.array([[1.0, 2.0], [3.0, 5.0]]),))
def an_underscore_that_is_captured(m):
    _ = m[0]
    functions = []
    for i in range(2):
        functions.append(lambda q: np.sum(_) * q * q)
    sign, size = np.linalg.slogdet(m + np.eye(2))
    return functions[0](size) + sum(f(size) for f in functions) + (lambda _: _ * _)(size)


def _(text):
    """What programs with translations call."""
    return len(text) * 0.5


@program((1.5,))
def a_function_called_underscore(x):
    whole, rest = divmod(x, 1.0)
    for i in range(3):
        x = x * rest
    return x * _("half")


@program((np.array([[1.0, 2.0], [3.0, 4.5]]), 1.3))
def names_of_built_in_functions(m, total, reversed=2.0, zip=3.0, len=0.5, object=1.5, slice=2):
    values, _vectors = np.linalg.eigh(m @ m.T)
    for x in values:
        total = total * x * reversed * zip
    for x, y in m:
        total = total + x * y * len
    return np.sum(values * total) * object + m[0, 1] * total**slice + np.sum(m[1:, :])


@program((0.5, 0.9), (1.4, -0.3))
def imported_where_it_is_used(x, y):
    import heapq
    import os.path
    from collections import defaultdict, deque
    from math import sin as wave

    queue, sums, last = [x], defaultdict(list), deque([y], maxlen=2)
    heapq.heappush(queue, y * wave(x))
    sums[os.path.join("a", "b")].append(heapq.heappop(queue))
    last.append(sums["a/b"][0] * queue[0])
    return last[0] * last[1]


@program((0.5,), (1.5,))
def imported_in_one_of_two_ways(x):
    try:
        import module_that_is_nowhere as module
    except ImportError:
        import math as module
    if x > 1.0:
        from math import cos as f
    else:
        from math import exp as f
    return f(x) * module.sqrt(x)
