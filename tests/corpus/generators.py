"""Generator functions: what they hold between two items, and how they go on."""

import numpy as np

from tests.corpus.registry import program


def powers(x, n):
    for i in range(n):
        yield x**i


@program((2.0,))
def loop_over_generator(x):
    total = 0.0
    for power in powers(x, 4):
        total += power * power
    return total


@program((2.0,))
def two_generators_in_turns(x):
    first, second = powers(x, 5), powers(x * x, 5)
    total = 0.0
    for a in first:
        total += a * next(second)
        next(first, None)
    return total


@program((2.0,))
def order_of_effects(x):
    def noisy(n):
        print("begin")
        for i in range(n):
            print("give", i)
            yield x * i
        print("end")

    total = 0.0
    for item in noisy(3):
        print("take", round(item, 3))
        total += item * item
    return total


@program((2.0,))
def nothing_runs_before_the_first_item(x):
    def noisy():
        print("running")
        yield x

    generator = noisy()
    print("made")
    return next(generator) * x


def above(limit, values):
    for value in values:
        if value < limit:
            continue
        if value > 100.0:
            break
        yield value * value
    else:
        yield limit
    yield 2.0 * limit


@program((1.0, [0.5, 2.0, 3.0]), (1.0, [2.0, 200.0, 3.0]))
def continue_break_and_else(limit, values):
    total = 1.0
    for item in above(limit, values):
        total *= item
    return total


@program((1.1,))
def while_loop_in_generator(x):
    def growing(y):
        while y < 5.0:
            y = y * x * 1.5
            yield y
        yield -y

    return sum(growing(x))


def naturals(x):
    while True:
        yield x
        x = x * 1.5


@program((2.0,))
def infinite_generator(x):
    total = 0.0
    for value in naturals(x):
        if value > 20.0:
            break
        total += value
    return total


@program((2.0,))
def partly_consumed(x):
    generator = powers(x, 6)
    next(generator)
    second = next(generator)
    rest = sum(generator)
    return second * rest


@program((2.0,))
def finished_generator(x):
    generator = powers(x, 3)
    total = sum(generator)
    return total + sum(generator) + next(generator, x)


@program(([1.0, 2.0, 4.0],), ([3.0],))
def differences_of_neighbours(values):
    def steps():
        first = True
        for value in values:
            if not first:
                yield (value - before) ** 2
            before = value
            first = False

    return sum(steps()) + values[0]


def average():
    total, count, mean = 0.0, 0, 0.0
    while True:
        value = yield mean
        total = total + value
        count += 1
        mean = total / count


@program((2.0,))
def sending(x):
    means = average()
    next(means)
    total = 0.0
    for k in range(4):
        total = total * x + means.send(x * k)
    return total


def echo(x):
    received = yield x
    while received is not None:
        received = yield received * x
    return x * x


@program((2.0,))
def sending_until_the_end(x):
    generator = echo(x)
    total = next(generator)
    total += generator.send(3.0 * x)
    total += generator.send(total)
    try:
        generator.send(None)
    except StopIteration:
        total = total * x
    return total


def with_value(x):
    yield x
    yield x * x
    return x**3


def delegating(x):
    result = yield from with_value(x)
    yield 2.0 * result
    yield from [x, x * x]
    return result


@program((2.0,))
def value_of_yield_from(x):
    return sum(delegating(x))


@program((2.0,))
def value_of_two_levels(x):
    def outer():
        value = yield from delegating(x)
        yield value * x

    total = 1.0
    for item in outer():
        total = total * 0.5 + item
    return total


@program((2.0,))
def sending_through_yield_from(x):
    def outer():
        yield (yield from echo(x))

    generator = outer()
    a = next(generator)
    b = generator.send(a * x)
    return a * b + generator.send(None)


@program((2.0,))
def yield_from_over_iterables(x):
    def items():
        yield from (x, 2.0 * x)
        yield from range(2)
        yield from {"a": x}
        yield from np.array([x, 1.0])

    total = 1.0
    for item in items():
        total = total * 1.5 + (len(item) if isinstance(item, str) else item)
    return total


def walk(tree):
    if tree is None:
        return
    left, value, right = tree
    yield from walk(left)
    yield value
    yield from walk(right)


@program((2.0,))
def recursive_walk(x):
    tree = ((None, x, None), x * x, ((None, 3.0, None), x**3, None))
    total = 0.0
    for i, value in enumerate(walk(tree)):
        total += (i + 1) * value
    return total


def permutations(items):
    if len(items) <= 1:
        yield items
        return
    for i in range(len(items)):
        for rest in permutations(items[:i] + items[i + 1 :]):
            yield [items[i]] + rest


@program((1.5,))
def recursive_permutations(x):
    total = 0.0
    for a, b, c in permutations([x, 2.0, x * x]):
        total += a * b**2 * c**3
    return total


@program((2.0,))
def recursion_inside(x):
    def halves(y, depth):
        if depth > 0:
            yield from halves(y / 2.0, depth - 1)
            yield y * x
            yield from halves(y * y, depth - 1)

    return sum(halves(x, 3))


@program((2.0,))
def captured_variable_that_changes(x):
    factor = 1.0

    def growing():
        while factor < 60.0:
            yield factor * x

    total = 0.0
    for item in growing():
        factor = factor * x * 2.0
        total += item * item
    return total


@program((2.0,))
def nonlocal_in_generator(x):
    total = x

    def adding():
        nonlocal total
        for k in range(3):
            total = total + k * x
            yield total

    product = 1.0
    for item in adding():
        product *= item
    return product * total


@program((2.0,))
def functions_made_in_generator(x):
    functions = []

    def making():
        for k in range(3):
            functions.append(lambda v: v * k * x)
            yield k * x

    total = sum(making())
    return total + functions[0](3.0)


@program((2.0,))
def nested_function_in_generator(x):
    def items():
        def scaled(y):
            return y * x

        yield scaled(3.0)
        received = scaled(x)
        yield received
        yield scaled(received)

    return sum(items())


@program((2.0,))
def default_and_keyword_arguments(x):
    def items(n, *more, factor=x, **named):
        for i in range(n):
            yield factor * i
        for item in more:
            yield item * named["scale"]

    return sum(items(3)) + sum(items(2, x, x * x, factor=3.0, scale=x))


@program((np.array([1.0, 2.0, 3.0]),))
def array_changed_between_items(values):
    def doubling(a):
        for i in range(len(a)):
            a[i] = a[i] * 2.0
            yield a[i] * a[i]

    values = values.copy()
    total = 0.0
    for item in doubling(values):
        total += item
    return total + values[0] * values[2]


@program((2.0,))
def yielded_array_is_the_same(x):
    def summing(a):
        for i in range(1, len(a)):
            a[i] += a[i - 1]
            yield a

    values = np.array([x, 2.0 * x, x * x])
    total = 0.0
    for seen in summing(values):
        total += seen[0] * seen[1]
    return total + np.sum(values)


@program((2.0,))
def list_filled_by_generator(x):
    found = []

    def filling():
        for k in range(4):
            found.append(k * x)
            yield len(found)

    count = 0
    for length in filling():
        count += length
    return found[1] * found[3] * count


@program((2.0,))
def rows_changed_by_who_takes_them(x):
    def rows(table):
        yield from table

    table = np.array([[x, 2.0 * x], [x * x, x]])
    total = 0.0
    for row in rows(table):
        row *= x
        total += row[0]
    return total + np.sum(table)


@program((2.0,))
def handed_to_a_function(x):
    def product(items):
        result = 1.0
        for item in items:
            result *= item
        return result

    return product(powers(x, 4))


def made_elsewhere(x):
    return (x * k for k in range(1, 4))


@program((2.0,))
def returned_from_a_function(x):
    total = 1.0
    for item in made_elsewhere(x):
        total *= item
    return total


@program((2.0,))
def stored_in_containers(x):
    generators = [powers(x, 3), powers(x * x, 3)]
    total = 0.0
    for generator in generators:
        next(generator)
        total += next(generator)
    return total + sum(generators[0])


@program((2.0,))
def round_robin(x):
    waiting = [powers(x, 3), powers(3.0 * x, 2)]
    total = 0.0
    while waiting:
        generator = waiting.pop(0)
        item = next(generator, None)
        if item is None:
            continue
        total = total * 1.1 + item
        waiting.append(generator)
    return total


@program((2.0,), (-1.0,))
def yield_in_branches(x):
    def items():
        if x > 0:
            yield x
            y = x * x
        else:
            y = -x
        yield y
        if y > 2.0:
            return
        yield 3.0 * y

    return sum(items()) * x


@program((2.0,))
def yields_in_expressions(x):
    def items():
        total = (yield x) * 2.0 + (yield 2.0 * x)
        yield total
        yield [(yield x), x][1]
        y = x if (yield) else 0.5 * x
        yield y

    generator = items()
    next(generator)
    second = generator.send(x)
    third = generator.send(second * x)
    next(generator)
    fourth = generator.send(None)
    next(generator)
    return second + third * fourth + generator.send(1.0 > 0.0)


@program((2.0,))
def yield_in_nested_loops(x):
    def cells(rows):
        for i, row in enumerate(rows):
            for value in row:
                if value > 50.0:
                    return i
                yield i * value

    total = 0.0
    for cell in cells([[x, 1.0], [x * x, 3.0], [x, 60.0, x]]):
        total += cell * cell
    return total
