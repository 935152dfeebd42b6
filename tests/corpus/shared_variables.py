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
    f = lambda: y * a
    y = a * b
    return f()


@program((2.0, 3.0))
def loop_variable_seen_by_lambdas(a, b):
    functions = []
    for i in range(3):
        factor = a * i
        functions = [*functions, lambda x: x * factor]
    return sum([f(b) for f in functions])


@program((2.0, 3.0))
def lambda_called_in_its_iteration(a, b):
    total = 0.0
    for i in range(3):
        factor = a**i
        total += (lambda x: x * factor + i)(b)
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
    functions = [lambda x: x * factor for factor in (a, b)]
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


@program((2.0, 3.0))
def memo_that_is_replaced(a, b):
    memo = {}

    def power(n):
        nonlocal memo
        if n not in memo:
            memo = {**memo, n: power(n // 2) * power(n - n // 2) if n > 1 else a}
        return memo[n]

    return power(5) * b + power(3)


@program((2.0, 3.0))
def account_made_of_closures(a, b):
    def account(balance):
        def deposit(amount):
            nonlocal balance
            balance += amount
            return balance

        def withdraw(amount):
            nonlocal balance
            if amount > balance:
                return None
            balance -= amount
            return amount

        return deposit, withdraw, lambda: balance

    deposit, withdraw, balance = account(a)
    deposit(b * b)
    taken = withdraw(a * 2)
    refused = withdraw(100.0)
    return balance() * taken if refused is None else 0.0


@program((2.0, 3.0))
def nonlocal_through_two_levels(a, b):
    x = a

    def outer():
        y = x * b

        def inner():
            nonlocal x, y
            x = x * y
            y = x + b

        inner()
        inner()
        return y

    return outer() + x


@program((2.0, 3.0))
def shared_state_of_two_functions(a, b):
    left, right = a, b

    def swap():
        nonlocal left, right
        left, right = right, left * b

    def combine():
        return left * left + right

    swap()
    total = combine()
    for _ in range(3):
        swap()
        total += combine()
    return total


@program((2.0, 3.0))
def default_keeps_what_the_capture_does_not(a, b):
    k = a
    f = lambda x, k=k: x * k
    g = lambda x: x * k
    k = b
    return f(b) + g(a) * k


@program((2.0, 3.0))
def running_average_closure(a, b):
    def averager():
        count, total = 0, 0.0

        def add(x):
            nonlocal count, total
            count += 1
            total += x
            return total / count

        return add

    average = averager()
    return [average(x) for x in (a, b, a * b)][-1] * average(a)


@program((2.0, 3.0))
def newton_with_a_shared_guess(a, b):
    guess = 1.0
    steps = 0

    def improve():
        nonlocal guess, steps
        guess = 0.5 * (guess + a * b / guess)
        steps += 1

    while steps < 4:
        improve()
    return guess * a


@program((2.0, 3.0), (-2.0, 3.0))
def shared_variable_set_in_a_branch(a, b):
    found = None

    def look(x):
        nonlocal found
        if x < 0:
            found = x * b
            return
        found = x

    look(a)
    return found * a


@program((2.0, 3.0))
def captured_by_a_comprehension_and_changed(a, b):
    k = a
    scaled = [k * x for x in (a, b)]
    k = k * b
    f = lambda: [k * x for x in scaled]
    k = k + 1.0
    return sum(f()) * k


@program((2.0, 3.0))
def decorator_that_counts(a, b):
    def counted(f):
        calls = 0

        def wrapper(x):
            nonlocal calls
            calls += 1
            return f(x) * calls

        return wrapper

    @counted
    def square(x):
        return x * x

    return square(a) + square(b) * square(a * b)


@program((2.0, 3.0))
def object_in_a_shared_variable(a, b):
    class_free = [a]
    state = (a, b)

    def advance(dt):
        nonlocal state
        x, v = state
        state = x + v * dt, v - x * dt

    for _ in range(3):
        advance(0.1 * b)
    return state[0] * state[1] * class_free[0]
