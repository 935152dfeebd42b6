"""Generator functions that end, fail, are closed or thrown at, in `try` and in `with`."""

import numpy as np

from tests.corpus.registry import program, raises


def powers(x, n):
    for i in range(n):
        yield x**i


def with_value(x):
    yield x
    yield x * x
    return x**3


def delegating(x):
    result = yield from with_value(x)
    yield 2.0 * result
    yield from [x, x * x]
    return result


def average():
    total, count, mean = 0.0, 0, 0.0
    while True:
        value = yield mean
        total = total + value
        count += 1
        mean = total / count


@program((2.0,))
def try_and_finally(x):
    def items():
        try:
            yield x
            yield x * x
        finally:
            print("closed")

    return sum(items())


@program((2.0,))
def exception_caught_in_generator(x):
    def items(values):
        for value in values:
            try:
                y = 1.0 / value
            except ZeroDivisionError:
                y = 100.0 * x
            yield y * x

    return sum(items([x, 0.0, 4.0]))


@program((2.0,))
def next_in_try(x):
    generator = powers(x, 3)
    total = 0.0
    while True:
        try:
            item = next(generator)
        except StopIteration:
            break
        total = total * x + item
    return total


@program((2.0,))
def endless_loop_in_try(x):
    generator = delegating(x)
    total = 0.0
    try:
        while True:
            total = total * 2.0 + next(generator)
    except StopIteration:
        pass
    return total


@program((2.0,))
def closed_by_hand(x):
    generator = powers(x, 5)
    total = next(generator) + next(generator) * x
    generator.close()
    return total + sum(generator)


@program((2.0,))
def thrown_into_a_generator(x):
    def items():
        y = x
        while True:
            try:
                yield y
                y = y * x
            except ValueError:
                y = y + 1.0

    generator = items()
    total = next(generator) + next(generator)
    total = total * generator.throw(ValueError("again"))
    return total + next(generator)


@program((2.0,))
def with_around_a_yield(x):
    class_of_manager = Announcing
    def items():
        with class_of_manager(x) as y:
            yield y
            yield y * x

    return sum(items())


class Announcing:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        print("enter")
        return self.value * self.value

    def __exit__(self, *error):
        print("exit", error[0])


def failing(x):
    yield x
    raise ValueError("no more")


@raises(ValueError, (2.0,))
def error_in_generator(x):
    return sum(failing(x))


@raises(StopIteration, (2.0,))
def next_behind_the_end(x):
    generator = powers(x, 1)
    next(generator)
    return next(generator) * x


@raises(TypeError, (2.0,))
def sending_too_early(x):
    return average().send(x)


@raises(UnboundLocalError, (2.0,))
def unbound_in_generator(x):
    def items(flag):
        if flag:
            y = x
        yield x
        yield y

    return sum(items(False))


@program((2.0,), (0.9,))
def closed_by_break(x):
    def items():
        try:
            yield x
            yield x * x
        finally:
            print("closed")

    for item in items():
        if item > 1.0:
            break
    print("behind")
    return item * x


@program((2.0,))
def closed_inside_of_yield_from(x):
    def inner():
        try:
            yield x
            yield x * x
        finally:
            print("closed")

    def outer():
        yield from inner()

    generator = outer()
    first, second = next(generator), next(generator)
    generator.close()
    print("behind")
    return first * second


def in_pairs(items):
    it = iter(items)
    while True:
        first = next(it)
        yield first * next(it)


@program((1.3,))
def runs_out_of_items(x):
    total = x
    try:
        for pair in in_pairs([x, x * x, 3.0]):
            total = total + pair
    except RuntimeError as error:
        total = 5 * x if isinstance(error.__cause__, StopIteration) else x
    return total


def fails_later(x):
    yield x
    yield x * x
    if x > 1:
        raise ValueError
    yield x


@program((1.3,), (0.3,))
def fails_in_a_loop(x):
    total = 0.0
    try:
        for item in fails_later(x):
            total = total + item
    except ValueError:
        total = 5 * x
    return total


class Level:
    def __init__(self, value):
        self.value = value


def rising(level):
    for i in range(5):
        level.value = level.value * level.value * 0.5
        yield level.value
        if i == 2:
            raise ValueError


@program((1.3,))
def fails_in_a_called_loop(x):
    level = Level(x)

    def run():
        for item in rising(level):
            level.value = level.value + item * 0.25

    try:
        run()
    except ValueError:
        pass
    return level.value * 3


@program((1.3, 0.7), (-0.4, 2.0))
def told_that_it_is_closed(x, y):
    log = []

    def items():
        try:
            while True:
                log.append((yield x))
        except GeneratorExit:
            log.append(x * y)
            raise
        finally:
            log.append(y)

    def outer():
        try:
            yield from items()
        except:  # which catches GeneratorExit, too
            log.append(2 * x)
            raise

    running = outer()
    total = next(running) + running.send(y) * running.send(x)
    running.close()
    for item in items():
        total += item * y
        break
    return total * sum(i * item for i, item in enumerate(log))


@program((1.3, 0.7), (2.0, -0.4))
def closed_with_a_handler_that_ends_it(x, y):
    weights = np.array([x, y])

    def scaled():
        try:
            yield weights.sum()
        except (KeyError, GeneratorExit):
            weights[0] *= y
        weights[1] += x

    total = 0.0
    for _ in range(2):
        items = scaled()
        total += next(items)
        items.close()
    return total * weights[0] + weights[1] ** 2


@program((1.3, 0.7), (-0.5, 2.0))
def raised_again_by_its_handler(x, y):
    log = []

    def quotients():
        try:
            yield x
            yield y / (x - x)
        except ZeroDivisionError:
            log.append(x * y)
            if x > 0:
                raise
            yield y

    total = 0.0
    try:
        for item in [*quotients()]:
            total += item
    except ZeroDivisionError:
        total = total + x
    return total * y + sum(log)


@raises(RuntimeError, (1.3,))
def goes_on_when_it_is_closed(x):
    def stubborn():
        try:
            yield x
        except GeneratorExit:
            yield x * x

    items = stubborn()
    y = next(items)
    items.close()
    return y


def controlled(gain, damping):
    total, last = 0.0, None
    out = 0.0
    while True:
        error = yield out
        if error is None:
            return total
        total += 0.1 * error
        slope = 0.0 if last is None else (error - last) / 0.1
        last = error
        out = gain * error + 0.5 * total + damping * slope


@program((2.0, 0.3))
def value_of_a_coroutine_that_ends(gain, damping):
    control = controlled(gain, damping)
    next(control)
    x = v = cost = 0.0
    for _ in range(5):
        push = control.send(1.0 - x)
        v += 0.1 * (push - 0.5 * v - x)
        x += 0.1 * v
        cost += (1.0 - x) ** 2
    try:
        control.send(None)
    except StopIteration as stop:
        cost += stop.value * gain
    return cost


def steps_up(x):
    total = 0.0
    for i in range(3):
        total += x * i
        yield total
    return total * x if x > 1 else None


@program((1.3,), (0.7,))
def value_at_the_end_of_a_loop(x):
    steps, total = steps_up(x), 0.0
    try:
        while True:
            total += next(steps)
    except StopIteration as stop:
        return total if stop.value is None else total * stop.value + len(stop.args)
