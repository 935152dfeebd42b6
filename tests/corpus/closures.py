"""Nested functions and lambdas: captured variables, late binding, several on one line."""

import math

from tests.corpus.registry import binds_late, program


@program((2.0, 3.0))
def captured_argument(x, y):
    def scale(z):
        return z * x

    return scale(y) + scale(scale(y))


@program((2.0, 3.0))
def captured_local(x, y):
    product = x * y

    def shifted(z):
        return z + product

    return shifted(x) * shifted(y)


@program((2.0,))
def single_lambda(x):
    f = lambda z: z * z * x
    return f(x) + f(3.0)


@program((2.0, 3.0))
def lambdas_on_one_line(x, y):
    f, g, h = lambda a: a * x, lambda a: a + x, lambda a: a * a
    return f(y) * g(y) - h(x)


@program((2.0, 3.0))
def equal_lambdas_on_one_line(x, y):
    f, g = lambda a: a * x, lambda a: a * x
    return f(y) + g(x)


@program((2.0,))
def immediate_lambda(x):
    return (lambda a, b=2.0: a * b * x)(x) + (lambda: x * x)()


@program((2.0,))
def two_levels(x):
    y = x * x

    def outer(a):
        z = a * x

        def inner(b):
            return b * y + z * x

        return inner(a) + inner(z)

    return outer(3.0) + outer(x)


@program((2.0,))
def lambda_in_lambda(x):
    add = lambda a: lambda b: lambda c: a * b + c * x
    return add(x)(3.0)(4.0) + add(1.0)(x)(x)


@program((2.0,))
def default_captures_value(x):
    total = 0.0
    for f in [lambda a, i=i: a * i * x for i in range(3)]:
        total += f(x)
    return total


@binds_late((2.0,))
def late_binding_in_comprehension(x):
    total = 0.0
    for f in [lambda a: a * i * x for i in range(3)]:
        total += f(x)
    return total


@binds_late((2.0,))
def reassigned_before_call(x):
    y = x

    def read():
        return y * y

    first = read()
    y = x * 3
    return first + read()


@binds_late((2.0,))
def defined_before_variable(x):
    def read(a):
        return a * late

    late = x * x
    return read(x)


@binds_late((2.0,))
def defined_in_loop(x):
    total = x
    for i in range(3):

        def step(a):
            return a * x + i

        total = step(total) * 0.5
    return total + step(x)


@program((2.0, 3.0))
def calls_sibling(x, y):
    def f(a):
        return g(a) * x

    def g(a):
        return a * a + y

    return f(y) + g(x)


@program((2.0,))
def returned_closure(x):
    def make(a):
        b = a * x

        def apply(c):
            return b * c

        return apply

    double, triple = make(2.0), make(3.0)
    return double(x) * triple(x)


@program((2.0,))
def closures_in_containers(x):
    operations = {"scale": lambda a: a * x, "shift": lambda a: a + x}
    pair = (operations["scale"], lambda a: a - x * x)
    return pair[0](3.0) * pair[1](x) + operations["shift"](x)


@program((0.5,))
def closure_over_closure(x):
    def f(a):
        return math.sin(a * x)

    def g(a):
        return f(a) * f(a + 1)

    def h(a):
        return g(f(a))

    return h(x)


@program((2.0, 3.0))
def shadowed_names(x, y):
    def f(x):
        y = x * x
        return y

    def g(a, x=x):
        return a * x + y

    return f(y) + g(x)


@program((2.0,))
def nested_defaults(x):
    def f(a, b=x * x, *, c=x + 1):
        return a * b * c

    x = 10.0
    return f(1.5) + f(x, c=2.0) + f(1.0, 2.0)


@program((0.5,))
def integrates(x):
    def quadrature(f, a, b, n=4):
        h = (b - a) / n
        total = 0.0
        for i in range(n):
            total += f(a + (i + 0.5) * h) * h
        return total

    return quadrature(lambda t: t * t * x, 0.0, x) + quadrature(math.sin, x, 2.0)


def make_scale(factor):
    def scale(x):
        return x * factor

    return scale


def make_counter(steps):
    return lambda f, x: [x := f(x) for _ in range(steps)][-1]


by_three = make_scale(3.0)
by_half = make_scale(0.5)


@program((2.0,))
def global_closures(x):
    return by_three(x) * by_half(x * x)


@program((0.5,))
def walrus_binds_parameter(x):
    return make_counter(3)(lambda a: a * a + x, x)


@program((2.0, 3.0), (-0.2, 0.3))
def closure_with_exits(x, y):
    def choose(a):
        if a > 0:
            return a * y
        for i in range(3):
            if i - a > 2.5:
                return a * i
        return a * a

    return choose(x) + choose(-y)


@program((2.0,), (-2.0,))
def closure_of_maybe_variable(x):
    if x > 0:
        y = x * x
    else:
        y = 3.0

    def f():
        return y * x

    return f()


@binds_late(([1.0, 2.0, 3.0],))
def closure_in_comprehension(values):
    return [(lambda a: a * value)(value + 1) for value in values]


@program((2.0,))
def function_attribute_and_doc(x):
    def f(a):
        """Scales."""
        return a * x

    return f(x) * len(f.__name__)


@program((2.0,))
def lambda_with_star(x):
    f = lambda *a, **k: a[0] * a[-1] + k["c"]
    return f(x, 3.0, x, c=x)


@binds_late((2.0,))
def lambda_over_loop_variable(x):
    for i in range(1, 4):
        x = sum(map(lambda v: v * i * 0.5, [x, x * x]))
    return x


@binds_late(([3.0, 1.0, 2.0],))
def key_over_loop_variable(values):
    total = 0.0
    for center in values:
        total += max(values, key=lambda v: abs(v - center - 0.2)) * center
    return total


@binds_late((2.0,), (-2.0,))
def immediate_lambda_over_reassigned(x):
    y = (lambda a: a * x)(3.0)
    x = y * x
    return (lambda: x * y)()


@binds_late((2.0,))
def closures_outlive_their_iteration(x):
    functions = []
    y = x
    for _ in range(3):
        functions = [*functions, lambda a: a * y]
        y = y * x
    return functions[0](1.0) + functions[2](x)


@program((2.0,))
def comprehension_variable_named_like_captured(x):
    def f(a):
        return a * x

    return sum([x * x for x in [1.0, 2.0]]) * f(3.0)


@binds_late(([1.0, 2.0],))
def comprehension_variable_with_the_name_of_a_local(v):
    best = [max(range(2), key=lambda i: v[i] * (s - 0.5)) for s in range(3)]
    s = max(range(2), key=v.__getitem__)
    late = [lambda: s * v[0] for s in range(3)]
    return v[s] * (1 + sum(best)) + sum([f() for f in late])
