"""Numbers that exceptions carry to what catches them: early exits, retries, errors with details."""

import contextlib
import math

import numpy as np

from tests.corpus.registry import program


class Converged(Exception):
    def __init__(self, value, steps):
        super().__init__("converged")
        self.value = value
        self.steps = steps


class Stop(Exception):
    """Holds what it is made with under `args` alone."""


class Late(Stop):
    pass


class OutOfRange(ValueError):
    @property
    def distance(self):
        return self.args[0] - self.args[1]

    def scaled(self, factor):
        return self.args[0] * factor


def halved(x, a, step):
    better = 0.5 * (x + a / x)
    if abs(better - x) < 1e-9:
        raise Converged(better, step)
    return better


@program((2.3,), (400.0,))
def root_by_steps_that_stop(a):
    x = 1.0
    try:
        for step in range(8):
            x = halved(x, a, step)
    except Converged as found:
        return found.value * a + found.steps
    return x


@program((2.3,), (400.0,))
def root_in_one_function(a):
    x = 1.0
    try:
        for step in range(8):
            better = 0.5 * (x + a / x)
            if abs(better - x) < 1e-9:
                raise Converged(better, step)
            x = better
    except Exception as found:
        return found.value * a
    return x


@program((1.1, np.array([1.0, 1.5, 2.0])))
def found_by_a_search(x, weights):
    def visit(i, total):
        if total > 2.0:
            raise Stop(total * x, i)
        visit(i + 1, total + weights[i] * x)

    try:
        visit(0, 0.0)
    except Stop as found:
        total, depth = found.args
        return total * x + depth


@program((1.3,))
def changed_and_raised_again(x):
    def inner(y):
        try:
            raise Stop(y * y)
        except Stop as stopped:
            stopped.args = (stopped.args[0] * 3.0, y)
            raise

    try:
        inner(x)
    except Stop as stopped:
        return stopped.args[0] * stopped.args[1]


@program((1.3,))
def one_that_another_one_causes(x):
    try:
        try:
            raise Stop(x * x)
        except Stop as stopped:
            raise ValueError("wrong", np.sin(x)) from stopped
    except ValueError as error:
        return error.args[1] * error.__cause__.args[0]


@program((1.3,))
def kept_in_a_list(x):
    errors = []
    for k in range(3):
        try:
            if k != 1:
                raise Late(x**k, k)
        except Stop as stopped:
            errors.append(stopped)
    return sum(error.args[0] * error.args[1] for error in errors)


@program((1.3,), (0.3,))
def what_its_class_computes(x):
    try:
        if x > 1.0:
            raise OutOfRange(x * x, 1.0)
        return x
    except ValueError as error:
        return error.distance * error.scaled(x)


@program((np.array([1.0, 2.0]),))
def array_that_is_changed_by_who_catches_it(x):
    y = x * 2.0
    try:
        raise Stop(y, "rows")
    except Stop as stopped:
        stopped.args[0][0] = x[1] ** 2
    return np.sum(y * y)


@program((1.3,))
def past_what_is_done_at_last(x):
    total = 0.0
    try:
        try:
            raise Stop(x * x)
        finally:
            total += x
    except Stop as stopped:
        total += stopped.args[0]
    return total


@program((1.1,))
def raised_several_times_in_a_loop(x):
    total = 0.0
    for k in range(5):
        try:
            total += x
            if total > 2.0:
                raise Converged(total * k, k)
        except Converged as found:
            total = found.value * 0.3
    return total


@contextlib.contextmanager
def collecting(found):
    try:
        yield
    except Stop as stopped:
        found.append(stopped.args[0])


@program((1.3,))
def collected_by_a_manager(x):
    found = []
    with collecting(found):
        raise Stop(x * x)
    return found[0] * x


class Keeping:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.value = error.args[0]
        return True


@program((1.3,))
def kept_by_a_manager(x):
    kept = Keeping()
    with kept:
        raise Stop(x * x)
    return kept.value * x


@program((1.3,), (0.7,))
def one_of_two_classes(x):
    try:
        if x > 1.0:
            raise Stop(x * x)
        raise Converged(np.exp(x), 1)
    except (Stop, Converged) as error:
        value = error.value if isinstance(error, Converged) else error.args[0]
        return value * x


@program((1.3,), (-0.4,))
def asserted(x):
    try:
        assert x < 0.0, x * x
        return x**3
    except AssertionError as error:
        return error.args[0] * x


@program((1.3,))
def made_before_it_is_raised(x):
    error = Stop(x * x)
    try:
        raise error
    except Stop as stopped:
        stopped.more = np.cos(x)
    return error.more * error.args[0]


@program((1.3,))
def retried_with_what_failed(x):
    def attempt(y, limit):
        if y > limit:
            raise OutOfRange(y, limit)
        return math.log(y)

    y, total = x * 4.0, 0.0
    while True:
        try:
            return total + attempt(y, 2.0)
        except OutOfRange as error:
            y = error.args[0] * 0.6
            total += error.distance
