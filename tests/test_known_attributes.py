"""Attributes and calls that are resolved when code is made: what that rests on is looked at."""

import abc
import contextlib
import functools
import math
import operator

import numpy as np
import pytest

import zyg
from tests import corpus
from tests.random_checks import is_followed

RESOLVED = [
    program for program in corpus.all
    if program.area in ("computed_attributes", "known_calls", "changed_items")
]
# What is found at run time in them: an error that is caught, items and groups of iterators.
ASKED = {
    "changed_items.an_object_or_a_dict", "changed_items.augmented_items_of_objects",
    "changed_items.frontier_of_a_graph", "changed_items.sets_of_numbers",
    "changed_items.sets_that_lose_members", "computed_attributes.stored_by_descriptors",
    "computed_attributes.what_is_walked_over_is_made_once", "known_calls.getters",
    "known_calls.groups_by_whole_numbers", "known_calls.arrays_of_sizes_that_are_read",
    "computed_attributes.attributes_of_what_is_wrapped",
}


@pytest.mark.parametrize(
    "program", [program for program in RESOLVED if str(program) not in ASKED], ids=str
)
def test_nothing_is_left_to_the_run_time(program):
    assert "everything" in str(zyg.explain(program.f, *program.inputs[0]))


class Settings:
    def __init__(self):
        self.rate = 2.0
        self.names = ("rate",)


SETTINGS = Settings()
NAMES = ("rate",)


def test_a_setting_of_another_type(monkeypatch):
    def f(x):
        return SETTINGS.rate * x if SETTINGS.rate is not None else x * x

    assert zyg.gradient(f, 3.0) == (2.0,)
    monkeypatch.setattr(SETTINGS, "rate", 5)
    assert zyg.gradient(f, 3.0) == (5.0,)
    monkeypatch.setattr(SETTINGS, "rate", None)
    assert zyg.gradient(f, 3.0) == (6.0,)


def read_by_names(settings, x):
    return sum(getattr(settings, name) * x for name in NAMES)


def test_other_names_between_calls(monkeypatch):
    settings = Settings()
    settings.other = 7.0
    assert zyg.gradient(read_by_names, settings, 3.0)[1] == 2.0
    monkeypatch.setitem(globals(), "NAMES", ("rate", "other"))
    assert zyg.gradient(read_by_names, settings, 3.0)[1] == 9.0


def rename():
    global NAMES
    NAMES = ("rate", "rate")


def test_other_names_in_the_meantime(monkeypatch):
    monkeypatch.setitem(globals(), "NAMES", NAMES)

    def f(x):
        rename()
        return read_by_names(SETTINGS, x)

    assert zyg.gradient(f, 3.0) == (4.0,)

    hidden = np.array([rename], dtype=object)

    def by_what_is_unknown(x):
        hidden[0]()
        return read_by_names(SETTINGS, x)

    globals()["NAMES"] = ("rate",)
    found = None
    with contextlib.suppress(zyg.NotDifferentiable):
        found = zyg.gradient(by_what_is_unknown, 3.0)
    assert found in (None, (4.0,))


@functools.singledispatch
def weight(value):
    return 1.0


class Heavy:
    pass


def test_a_function_that_is_registered_later():
    def f(x):
        return weight(Heavy()) * x

    assert zyg.gradient(f, 3.0) == (1.0,)
    weight.register(Heavy, lambda value: 8.0)
    assert zyg.gradient(f, 3.0) == (8.0,)


def scaled(x, by=1.0):
    return x * by


partly = functools.partial(scaled)


def test_a_partial_function_that_changes():
    def f(x):
        return partly(x)

    assert zyg.gradient(f, 3.0) == (1.0,)
    partly.keywords["by"] = 4.0
    assert zyg.gradient(f, 3.0) == (4.0,)
    partly.__setstate__((math.sin, (), {}, None))
    assert zyg.gradient(f, 0.0) == (1.0,)


class Base(abc.ABC):
    @abc.abstractmethod
    def weight(self):
        """What those that are registered have."""


def test_a_class_that_is_registered_later():
    def f(x):
        return 2.0 * x if isinstance(Heavy(), Base) else x

    assert zyg.gradient(f, 3.0) == (1.0,)
    Base.register(Heavy)
    assert zyg.gradient(f, 3.0) == (2.0,)


def test_a_hook_that_is_defined_later(monkeypatch):
    def f(x):
        settings = Settings()
        return getattr(settings, "scale", 1.0) * x + hasattr(settings, "scale")

    assert zyg.gradient(f, 3.0) == (1.0,)
    monkeypatch.setattr(Settings, "__getattr__", lambda self, name: 6.0, raising=False)
    assert zyg.withgradient(f, 3.0) == (19.0, (6.0,))


def test_what_a_getter_refuses_is_raised_when_it_runs():
    def f(x):
        try:
            return operator.attrgetter(3)(x)
        except TypeError:
            return x * x

    assert zyg.gradient(f, 3.0) == (6.0,)


class Own:
    """A descriptor that keeps its values under the name that it hides."""

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, cls=None):
        return obj.__dict__[self.name]

    def __set__(self, obj, value):
        obj.__dict__[self.name] = value


class Account:
    balance = Own()

    def __init__(self, balance):
        self.balance = balance


def test_a_descriptor_that_hides_what_it_stores():
    assert zyg.gradient(lambda account: account.balance * 2.0, Account(2.0)) == ({"balance": 2.0},)
    with pytest.raises(zyg.NotDifferentiable, match="__dict__"):
        zyg.gradient(lambda x: Account(x).balance, 2.0)


class Counted:
    def __init__(self, value):
        self.value = value

    def step(self, rate, names):
        for name in names:
            setattr(self, name, self.value - rate)


def test_stores_by_unknown_names_are_not_lost_in_second_derivatives():
    counted = Counted(3.0)

    def f(rate):
        counted.step(rate, ("value",))
        return counted.value**2

    assert zyg.grad(zyg.grad(f))(2.0) == pytest.approx(2.0)


def test_keys_that_are_no_texts_beside_an_object():
    def f(settings, weights):
        return weights[1] ** 3 * settings.rate

    def second(settings, weights):
        return zyg.gradient(f, settings, weights)[1][1]

    _, bars = zyg.gradient(second, Settings(), {1: 0.3})
    assert bars[1] == pytest.approx(6.0 * 0.3 * 2.0)


def test_an_iterator_is_read_in_one_place_in_second_derivatives_too():
    def f(x):
        pairs, total = iter([x, 2.0]), 0.0
        for a, b in zip(pairs, pairs, strict=True):
            total += a * b
        return total * x

    assert zyg.jvp(f, (0.6,), (1.0,))[1] == pytest.approx(2.4)
    for second in (lambda: zyg.hvp(f, 0.6, 1.0), lambda: zyg.jvp(zyg.grad(f), (0.6,), (1.0,))):
        with pytest.raises(zyg.NotDifferentiable, match="two places"):
            second()


def test_sets_that_change_in_place():
    def f(x):
        numbers = {x, x * x, 3.0}
        numbers.add(2.0 * x)
        numbers.discard(x)
        numbers ^= {x * x, x**3}
        numbers |= {0.5 * x}
        numbers &= {x**3, 0.5 * x, 2.0 * x}
        return sum(numbers) * len(numbers)

    assert is_followed(f)
    assert zyg.jvp(f, (1.3,), (1.0,))[1] == pytest.approx(zyg.gradient(f, 1.3)[0])


NO_NAMES = ()


def stored_by_zip(x, strictly):
    settings = Settings()
    if strictly:
        for name, value in zip(("rate", "names"), (x,), strict=True):
            setattr(settings, name, value)
        for name, value in zip(NAMES, NO_NAMES, strict=True):
            setattr(settings, name, value)
    else:
        for name, value in zip(("rate", "names"), (x,), strict=False):
            setattr(settings, name, value)
        for name, value in zip(NAMES, NO_NAMES, strict=False):
            setattr(settings, name, 5.0 * value)
    return settings.rate * x


def test_names_that_are_zipped_with_nothing_and_with_too_few():
    assert zyg.gradient(stored_by_zip, 3.0, False)[0] == 6.0
    with pytest.raises(ValueError, match="zip"):
        zyg.gradient(stored_by_zip, 3.0, True)
