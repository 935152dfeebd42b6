"""Attributes of objects of which types tell nothing, in derivatives of derivatives."""

import contextlib

import numpy as np
import pytest

import zyg
from tests.orders_of_modes import check_second_derivative, forward, reverse


class Stop(Exception):
    """Holds what it is made with under `args` alone."""


class Late(Stop):
    pass


class Converged(Exception):
    def __init__(self, value, steps):
        super().__init__("converged")
        self.value = value
        self.steps = steps


class Box:
    def __init__(self, value):
        self.value = value


class Weighted:
    def __init__(self, value, weight):
        self.value = value
        self.weight = weight


class Tripled:
    def __init__(self, x):
        self.x = x

    @property
    def value(self):
        return 3.0 * self.x


class Squared(Box):
    @property
    def root(self):
        return self.value


def kept_in_a_dict(x):
    errors = {}
    for k in range(3):
        try:
            raise Converged(x ** (k + 2), k)
        except Converged as error:
            errors[k] = error
    return errors[0].value * errors[2].value + errors[1].steps * x**3


def arrays_kept_in_a_list(x):
    errors = []
    for k in range(2):
        try:
            raise Stop(np.array([x, x * k + 1.0]))
        except Stop as error:
            errors.append(error)
    return np.sum(errors[0].args[0] * errors[1].args[0] * x)


def changed_where_they_are_kept(x):
    def unless_small(value):
        if value > 0.1:
            raise Stop(value * value)
        return value

    errors = []
    for k in (1, 2):
        try:
            unless_small(x * k)
        except Exception as error:
            errors.append(error)
    first, second = errors
    first.args = (second.args[0] * x,)
    return first.args[0] * second.args[0]


@contextlib.contextmanager
def collecting(found):
    try:
        yield
    except Stop as stopped:
        found.append(stopped)


def collected(x):
    found = []
    with collecting(found):
        raise Late(x * x)
    return found[0].args[0] * x


def converge(x):
    raise Converged(x, 1)


def what_was_raised_before(x):
    try:
        try:
            raise Stop(x * x)
        except Stop:
            converge(x)
    except Converged as error:
        return error.value * error.__context__.args[0]


def beside_one_of_pythons_own(x):
    errors = []
    for text in ("no number", "1.5"):
        try:
            raise ValueError(float(text) * x * x)
        except ValueError as error:
            errors.append(error)
    return x * errors[1].args[0]


@pytest.mark.parametrize("f", [
    kept_in_a_dict, arrays_kept_in_a_list, changed_where_they_are_kept, collected,
    what_was_raised_before, beside_one_of_pythons_own,
])
@pytest.mark.parametrize("outer", [forward, reverse])
def test_what_exceptions_hold_that_are_kept(f, outer):
    check_second_derivative(f, reverse, outer, 1.3)


def objects_of_several_classes(x):
    stored = {"a": Box(x * x), "b": Weighted(x**3, x), "c": Squared(x**4), "d": Late(x)}
    things = {**stored, "e": Tripled(x)}
    total = 0.0
    for key in ["a", "b", "c", "e"]:
        total += things[key].value ** 2
    for key in ["a", "b", "c"]:
        stored[key].value = total * x
    return total * things["a"].value + things["b"].value * things["b"].weight + things["c"].root


def of_what_nothing_holds(x):
    box = Box(x)
    box.inner = Box(x * x)
    for k in (x, 2.0):
        try:
            box.value, box.inner.value, box.other.value = box.inner.value * k, box.value + k, 1.0
        except AttributeError:
            box.value = box.value * 1.5
    return box.value * box.inner.value


def object_by_two_names(x):
    box = Box(x)
    things = {"a": box, "b": Weighted(x, 1.0), "c": box, "d": 1.0}
    total = 0.0
    for key in ["a", "b", "c"]:
        things[key].value = things[key].value * x
        total += things[key].value
    return total * box.value


@pytest.mark.parametrize("f", [
    objects_of_several_classes, object_by_two_names, of_what_nothing_holds,
])
@pytest.mark.parametrize("inner", [forward, reverse])
@pytest.mark.parametrize("outer", [forward, reverse])
def test_objects_of_several_classes(f, inner, outer):
    check_second_derivative(f, inner, outer, 1.3)


def reads_what_another_has_made(x):
    errors = []
    try:
        float("no number")
    except ValueError as error:
        errors.append(error)
    try:
        raise ValueError(x * x)
    except ValueError as error:
        errors.append(error)
    return x * errors[1].args[0] * len(errors[0].args[0])


def test_what_another_has_made_is_refused():
    with pytest.raises(zyg.NotDifferentiable, match="which the program didn't make"):
        reverse(reverse(reads_what_another_has_made))(1.3)
