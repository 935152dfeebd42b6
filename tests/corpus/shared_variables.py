"""Variables that functions share and that are assigned again: `nonlocal`, late binding, globals."""

import numpy as np

from tests.corpus.registry import program


@program((2.0, 3.0))
def added_by_an_inner_function(a, b):
    total = a

    def add(y):
        nonlocal total
        total = total + y * b

    add(a * b)
    add(b)
    return total * total


@program((2.0, 3.0))
def assigned_after_the_lambda(a, b):
    y = a
    f = lambda: y * a  # noqa: E731
    y = a * b
    return f()


@program((2.0, 3.0))
def loop_variable_seen_by_lambdas(a, b):
    functions = []
    for i in range(3):
        factor = a * i
        functions = [*functions, lambda x: x * factor]  # noqa: B023
    return sum([f(b) for f in functions])


@program((2.0, 3.0))
def lambda_called_in_its_iteration(a, b):
    total = 0.0
    for i in range(3):
        factor = a**i
        total += (lambda x: x * factor + i)(b)  # noqa: B023
    return total


@program((2.0, 3.0))
def two_counters(a, b):
    def counter():
        count = 0.0

        def increase(x):
            nonlocal count
            count += x
            return count

        return increase

    first = counter()
    second = counter()
    first(a)
    first(b)
    second(a * b)
    return first(1.0) * second(b)


@program((2.0, 3.0))
def lambda_called_in_a_comprehension(a, b):
    return sum([(lambda x: x * factor)(a) for factor in (a, b)])


@program((2.0, 3.0))
def lambdas_of_a_comprehension(a, b):
    functions = [lambda x: x * factor for factor in (a, b)]  # noqa: B023
    return functions[0](a) * functions[1](b)


@program((2.0, 3.0))
def parameter_assigned_by_an_inner_function(a, b):
    def outer(x):
        def inner():
            nonlocal x
            x = x * b
            return x

        inner()
        inner()
        return x

    return outer(a)


@program((2.0, 3.0))
def totals_of_a_recursion(a, b):
    count = 0
    total = 0.0

    def visit(x, depth):
        nonlocal count, total
        count += 1
        total += x
        if depth > 0:
            visit(x * a, depth - 1)
            visit(x * b, depth - 1)

    visit(1.0, 3)
    return total / count


@program((2.0, 3.0))
def variable_deleted_and_assigned(a, b):
    x = a

    def f():
        return x * b

    product = f()
    x = x * a
    product += f()
    del x
    x = b
    return product * f()


@program((2.0, 3.0), (3.0, 0.5))
def best_so_far(a, b):
    best = None

    def update(x):
        nonlocal best
        if best is None or x > best:
            best = x

    for x in (a, b * a, b):
        update(x * x)
    return best


@program((np.array([1.0, 2.0, 3.0]), 2.0))
def array_replaced_by_an_inner_function(weights, factor):
    total = np.zeros(3)

    def add(x):
        nonlocal total
        total = total + x

    for i in range(3):
        add(weights * factor**i)
    return np.sum(total**2)
