"""Lists, dicts and arrays that generators change between two items, by several names."""

import itertools

import numpy as np

from tests.corpus.registry import program


def scaling_the_first(items, x, n):
    for _ in range(n):
        items[0] = items[0] * x
        yield items


@program((1.3,))
def changed_by_both_sides(x):
    total = 0.0
    for items in scaling_the_first([x, x], x, 3):
        items[1] = items[1] + items[0]
        total += items[1]
    return total


@program((1.3,))
def read_by_another_name(x):
    shared = [x, x]
    total = 0.0
    for items in scaling_the_first(shared, x, 3):
        items[1] = items[1] * x
        total += items[-1] * shared[0]
    return total + sum(shared)


@program((1.3,))
def grows_between_items(x):
    shared = [x, x]

    def growing(items):
        for k in range(3):
            items[0] = items[0] * x
            yield items
            items.append(x * k)

    total = 0.0
    for items in growing(shared):
        items[1] = items[1] + items[0]
        total += items[-1] * shared[0]
    return total + sum(shared)


@program((1.3,))
def dict_as_a_cache(x):
    def caches():
        cache = {}
        for k in range(4):
            cache[k % 2] = cache.get(k % 2, x) * x
            if k:
                yield cache

    return sum(sum(cache.values()) * x for cache in caches())


@program((1.3,))
def buffer_given_several_times(x):
    def buffers():
        buffer = np.zeros(3)
        for k in range(5):
            buffer[k % 3] += x**k
            if k % 2:
                yield buffer

    total = 0.0
    for buffer in buffers():
        total += np.sum(buffer * buffer)
    return total


@program((1.3,))
def copies_of_a_buffer(x):
    def buffers():
        buffer = np.zeros(3)
        for k in range(5):
            buffer[k % 3] += x**k
            if k % 2:
                yield buffer.copy()

    return sum(np.sum(buffer * buffer) for buffer in buffers())


@program((1.3,))
def stack_of_work(x):
    def work(stack):
        while stack:
            value = stack.pop()
            if value < 50.0:
                stack.append(value * x)
            if value < 3.0:
                stack.append(value + 1.9 * x)
            yield value

    return sum(value for value in work([x]))


@program((1.3,))
def names_that_change(x):
    def items():
        first = second = [x]
        while len(first) < 5:
            first.append(first[-1] * 1.1)
            yield second[-1]
            if len(first) == 3:
                second = [x * x]
            elif len(first) == 4:
                first = second

    return sum(itertools.islice(items(), 7))


@program((1.3,))
def replaced_on_the_way(x):
    def items(n):
        best = None
        for k in range(n):
            if best is None or k == 2:
                best = [x * k]
            best[0] += x * x
            if k % 2 == 0:
                yield best[0]
            old = best
        yield old[0] * best[0]

    return sum(items(4))


@program((1.3,))
def shared_with_an_inner_generator(x):
    def inner(accumulated):
        for _ in range(2):
            accumulated[0] = accumulated[0] * x
            yield accumulated[0]

    def outer():
        accumulated = [x]
        yield from inner(accumulated)
        accumulated[0] += x
        yield from inner(accumulated)
        yield accumulated[0]

    return sum(value * (i + 1) for i, value in enumerate(outer()))


@program(([1.0, 4.0, 2.0, 3.0], 3), ([1.0, 4.0, 2.0, 3.0], 2))
def window_as_a_list(values, size):
    def windows():
        window = []
        for value in values:
            window.append(value)
            if len(window) == size:
                yield tuple(window)
                window.pop(0)

    return sum(window[0] * window[-1] for window in windows())
