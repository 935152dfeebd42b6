"""Generator functions in the ways of everyday programs: iterations, searches, streams, walks."""

import itertools
import math
from collections import deque

import numpy as np

from tests.corpus.registry import program, raises


def newton(f, slope, x):
    while True:
        x = x - f(x) / slope(x)
        yield x


@program((2.0,), (5.0,))
def iterates_until_converged(a):
    previous = a
    for root in newton(lambda x: x * x - a, lambda x: 2.0 * x, a):
        if abs(root - previous) < 1e-9:
            break
        previous = root
    return root * a


@program((2.0,))
def last_iterate_by_islice(a):
    steps = newton(lambda x: x**3 - a, lambda x: 3.0 * x * x, a)
    return next(itertools.islice(steps, 6, None))


def euler(f, y, dt):
    t = 0.0
    while True:
        yield t, y
        y = y + dt * f(t, y)
        t = t + dt


@program((1.0, 0.1), (2.0, 0.05))
def trajectory_until_time(y, dt):
    total = 0.0
    for t, state in euler(lambda t, y: -y * t + 1.0, y, dt):
        if t > 0.52:
            return total + state
        total += dt * state * state


@program((1.0,))
def trajectory_zipped_with_targets(y):
    targets = [0.5, 0.6, 0.7]
    loss = 0.0
    for (t, state), target in zip(euler(lambda t, y: -y, y, 0.3), targets, strict=False):
        loss += (state - target) ** 2 * (1.0 + t)
    return loss


def fibonacci(a, b):
    while True:
        yield a
        a, b = b, a + b


@program((1.0, 2.0))
def fibonacci_taken_while(a, b):
    return sum(itertools.takewhile(lambda v: v < 50.0, fibonacci(a, b)))


@program((1.0, 2.0))
def fibonacci_by_next(a, b):
    numbers = fibonacci(a, b)
    for _ in range(5):
        next(numbers)
    return next(numbers) * next(numbers)


def collatz(n):
    while n != 1:
        yield n
        n = n // 2 if n % 2 == 0 else 3 * n + 1


@program((1.5, 6))
def integers_steer(x, n):
    total = x
    for k in collatz(n):
        if k % 2:
            total = total * x
        else:
            total = total + x / k
    return total


def primes():
    found = []
    for n in itertools.count(2):
        if all(n % p for p in found):
            found.append(n)
            yield n


@program((1.1,))
def sieve(x):
    total = 0.0
    for p in primes():
        if p > 20:
            break
        total += x**p / p
    return total


def continued_fraction(x):
    yield x
    yield from continued_fraction(1.0 / (1.0 + x))


@program((2.0,))
def endless_recursion(x):
    return sum(itertools.islice(continued_fraction(x), 5))


def even_steps(x, n):
    if n > 0:
        yield x
        yield from odd_steps(x * 1.5, n - 1)


def odd_steps(x, n):
    if n > 0:
        yield -x * x
        yield from even_steps(x + 1.0, n - 1)


@program((2.0,))
def mutual_recursion(x):
    return sum(even_steps(x, 5))


def running(values):
    total = 0.0
    for count, value in enumerate(values, 1):
        total += value
        yield total / count


@program(([1.0, 4.0, 2.0],))
def running_means(values):
    return sum(mean * mean for mean in running(values))


def windows(values, size):
    window = deque(maxlen=size)
    for value in values:
        window.append(value)
        if len(window) == size:
            yield tuple(window)


@program(([1.0, 4.0, 2.0, 3.0],))
def sliding_windows(values):
    return sum(a * b * c for a, b, c in windows(values, 3))


def pieces(values, size):
    for start in range(0, len(values), size):
        yield values[start : start + size]


@program(([1.0, 4.0, 2.0, 3.0, 5.0],))
def pieces_of_a_list(values):
    total = 1.0
    for piece in pieces(values, 2):
        total *= sum(piece)
    return total


def merged(first, second):
    first, second = iter(first), iter(second)
    a, b = next(first, None), next(second, None)
    while a is not None or b is not None:
        if b is None or (a is not None and a < b):
            yield a
            a = next(first, None)
        else:
            yield b
            b = next(second, None)


@program(([1.0, 4.0, 6.0], [2.0, 3.0]), ([1.0], [2.0, 3.0]))
def merge_of_sorted(first, second):
    total = 0.0
    for value in merged(first, second):
        total = total * 0.5 + value
    return total


@program(([4.0, 1.0, 6.0, 3.0],))
def merge_sort_by_generators(values):
    def ordered(values):
        if len(values) < 2:
            yield from values
        else:
            middle = len(values) // 2
            yield from merged(ordered(values[:middle]), ordered(values[middle:]))

    return sum((k + 1) * value for k, value in enumerate(ordered(values)))


def alternating(*generators):
    waiting = list(generators)
    while waiting:
        for generator in list(waiting):
            try:
                yield next(generator)
            except StopIteration:
                waiting.remove(generator)


@program((2.0,))
def alternate_until_all_end(x):
    total = 0.0
    for item in alternating(pieces([x, 1.0, x * x], 1), pieces([3.0 * x], 1)):
        total = total * x + item[0]
    return total


@program((2.0, 3.0), (2.0, 9.0))
def first_that_fulfils(x, limit):
    found = next((v for v in fibonacci(x, x * x) if v > limit), None)
    return found * x


@program((2.0,))
def default_when_empty(x):
    def nothing():
        return
        yield

    return next(nothing(), x) + sum(nothing(), x * x) + len(list(nothing()))


@program((2.0,), (0.5,))
def returns_early(x):
    def items(y):
        yield y
        if y < 1.0:
            return
        yield y * y
        for k in range(5):
            if k * y > 3.0:
                return
            yield k * y

    return sum(items(x))


@program((2.0,), (-2.0,))
def result_of_a_generator(x):
    def steps(y):
        while abs(y) < 20.0:
            yield y
            y = y * x if y > 0 else -y
        return y

    def driver():
        last = yield from steps(x)
        print("last", round(last, 6))
        yield last * x

    return sum(driver())


@program((2.0,))
def value_of_stop_iteration_unused(x):
    def items():
        yield x
        return "done"

    generator = items()
    total = next(generator)
    try:
        total += next(generator)
    except StopIteration as stop:
        total = total * x
        print(stop is None)
    return total


@program((2.0,))
def while_with_walrus(x):
    items = fibonacci(x, 1.0)
    total = 0.0
    while (item := next(items)) < 15.0:
        total += item * item
    return total + item


@program((2.0,))
def loop_goes_on_where_another_broke(x):
    items = fibonacci(x, 1.0)
    total = 0.0
    for item in items:
        if item > 3.5:
            break
        total += item
    for item in items:
        if item > 20.0:
            break
        total = total * x + item
    return total


@program((2.0,))
def same_generator_in_nested_loops(x):
    items = iter(pieces([x, 1.0, x * x, 2.0, 3.0 * x], 1))
    total = 0.0
    for a in items:
        for b in items:
            total += a[0] * b[0]
            break
    return total


@program((2.0,))
def same_generator_zipped_with_itself(x):
    items = (x * k for k in range(1, 7))
    return sum(a * b for a, b in zip(items, items, strict=False))


@program((2.0,))
def in_pairs_by_hand(x):
    def pairs(items):
        for item in items:
            yield item, next(items, 1.0)

    return sum(a**2 * b for a, b in pairs(x + k for k in range(5)))


@program((2.0,), (20.0,))
def for_else_over_a_generator(x):
    total = 0.0
    for item in pieces([x, x * x], 1):
        if item[0] > 100.0:
            break
        total += item[0]
    else:
        total = total * x
    return total


@program((2.0, 3),)
def recursion_with_results(x, depth):
    def visit(y, depth):
        if depth == 0:
            yield y
            return 1
        left = yield from visit(y * x, depth - 1)
        right = yield from visit(y + x, depth - 1)
        return left + right

    def counted():
        count = yield from visit(x, depth)
        yield count * x

    return sum(counted())


@program((np.array([3.0, 1.0, 2.0]),))
def swaps_of_a_sort(values):
    def bubbles(a):
        for end in range(len(a) - 1, 0, -1):
            for i in range(end):
                if a[i] > a[i + 1]:
                    a[i], a[i + 1] = a[i + 1], a[i]
                    yield i

    values = values * 1.0
    count = 0
    for place in bubbles(values):
        count += place + 1
    return values[0] * values[1] ** 2 * values[2] ** 3 * count


@program((2.0,))
def match_in_a_generator(x):
    def run(commands):
        value = 0.0
        for command in commands:
            match command:
                case ("push", amount):
                    value = amount
                case ("scale", factor):
                    value = value * factor
                case "emit":
                    yield value

    commands = [("push", x), "emit", ("scale", x), ("scale", 3.0), "emit", "emit"]
    return sum(run(commands))


@raises(ZeroDivisionError, (0.0,))
def fails_at_the_third_item(x):
    total = 1.0
    for item in (1.0 / (x + k) for k in (2.0, 1.0, 0.0)):
        total *= item
    return total


@raises(ValueError, (2.0,))
def too_few_to_unpack(x):
    a, b, c = (x * k for k in range(2))
    return a + b + c


def batches(rows, size):
    for i in range(0, len(rows), size):
        yield rows[i : i + size], i


@program((np.array([[0.3, 1.2], [-0.5, 0.8], [1.1, 0.4]]), np.array([0.1, -0.3]), 0.2))
def descent_by_batches(rows, weights, rate):
    for batch, i in batches(rows, 2):
        weights = weights - rate * batch.T @ np.tanh(batch @ weights - i)
    return np.sum(weights**2)


@program((np.array([0.1, -0.3]), 0.2))
def descent_by_batches_of_constants(weights, rate):
    for batch, i in batches(np.ones((3, 2)), 2):
        weights = weights - rate * batch.T @ np.tanh(batch @ weights - i)
    return np.sum(weights**2)
