"""Gradients of programs on objects that call what is found at run time, differentiated in turn."""

import random

import numpy as np
import pytest

import zyg
from tests import corpus, differences
from tests.test_corpus_itself import each_input


class Base:
    def __init__(self, v):
        self.v = v
        self.w = 1.0

    @property
    def twice(self):
        return self.v * 2.0


class Derived(Base):
    def __init__(self, v):
        super().__init__(v)
        self.w = v * 3.0

    @property
    def twice(self):
        return self.v * self.w


class Other:
    def __init__(self, v):
        self.v = v * v
        self.w = 2.0
        self.twice = v


class Counter:
    def __init__(self, x):
        self.x = x
        self.calls = 0.0
        self.parts = ()

    def scale(self, factor):
        self.x = self.x * factor
        return self.x

    def note(self, part):
        self.parts = (*self.parts, part)
        self.calls += 1.0


class Pair:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __mul__(self, other):
        return Pair(self.a * other.a, self.b * other.b)

    def __lt__(self, other):
        self.a = self.a * 3.0
        return self.b < other.b


SHARED = Counter(1.0)


def unknown(value):
    """The same value, of which inference knows nothing: it stands in a tuple that has grown."""
    held = Counter(0.0)
    for _ in range(4):
        held.note(value)
    return held.parts[1]


def second(f):
    return lambda *args: zyg.gradient(f, *args)


def parts_of_a_tuple_that_grows(x):
    counter = Counter(x)
    for _ in range(3):
        counter.note(counter.x * x)
        counter.scale(1.1)
    return counter.parts[0] * counter.parts[2] + counter.parts[1] * counter.x


def functions_in_a_dict(x):
    counter = Counter(x)
    table = {"square": lambda y: y * y, "cube": lambda y: y * y * y * x}
    for name in ("square", "cube"):
        counter.note(table[name](counter.x))
        counter.scale(x)
    return counter.parts[0] * counter.parts[1] * counter.calls


def lists_that_grow_by_augmented_assignments(x):
    counter = Counter(x)
    counter.note(2.0 * x)
    total = unknown(x)
    total += counter.parts[0] * x
    return total * counter.parts[0]


def objects_of_one_of_three_classes(x):
    total = unknown(x)
    for i in range(4):
        o = Derived(x) if i % 3 == 0 else Base(x * i) if i % 3 == 1 else Other(x)
        o.v = o.v * x
        o.w += o.v
        total += o.twice * o.w
    return total


def default_of_an_attribute(x):
    base = Base(x)
    base.w = base.v * x
    return base.w + getattr(base, "missing", base.v * 2.0)


def test_default_of_an_attribute_that_nothing_stores():
    differences.check_gradient(default_of_an_attribute, (1.3,), zyg.pullback)


@pytest.mark.parametrize("f", [
    objects_of_one_of_three_classes, parts_of_a_tuple_that_grows, functions_in_a_dict,
    lists_that_grow_by_augmented_assignments,
])
def test_what_leaves_objects_alone(f):
    differences.check_gradient(second(f), (1.3,), zyg.pullback)


@pytest.mark.parametrize("f", [
    objects_of_one_of_three_classes, parts_of_a_tuple_that_grows,
    lists_that_grow_by_augmented_assignments,
])
def test_forward_over_reverse(f):
    _, back = zyg.pullback(second(f), 1.3)
    _, (dot,) = zyg.jvp(second(f), (1.3,), (1.0,))
    assert dot == pytest.approx(back((1.0,))[0], rel=1e-12)


def stores_by_setattr(x):
    counter = Counter(x)
    counter.note(x)
    unknown({"set": setattr, "other": print})["set" if x > 0 else "other"](counter, "x", x * x)
    return counter.x * counter.parts[0]


def calls_methods(x):
    counter = Counter(x)
    counter.note(x)
    {"scale": counter.scale, "note": counter.note}["scale" if x > 0 else "note"](x)
    return counter.x * counter.parts[0]


def calls_methods_with_constants(x):
    counter = Counter(x)
    counter.note(x)
    {"scale": counter.scale, "note": counter.note}["scale" if x > 0 else "note"](2.0)
    return counter.x * counter.parts[0]


def reads_a_global(x):
    SHARED.x = x * x
    SHARED.parts = (x,)
    table = unknown({"read": lambda: SHARED.x, "other": lambda: 0.0})
    return table["read" if x > 0 else "other"]() * x * unknown(x) * SHARED.parts[0]


def gives_an_object(x):
    counter = Counter(x)
    counter.note(x)
    table = unknown({"same": lambda: SHARED, "other": lambda: 1.0})
    found = table["same" if x > 0 else "other"]()
    if isinstance(found, Counter):
        return found.x * counter.x * counter.parts[0]
    return counter.x


def gives_an_object_in_a_list(x):
    counter = Counter(x)
    counter.note(x)
    table = {"same": lambda: [(SHARED, 1.0)], "other": lambda: 1.0}
    found = table["same" if x > 0 else "other"]()[0][0]
    if isinstance(found, Counter):
        return found.x * counter.x * counter.parts[0]
    return counter.x


def multiplies_objects(x):
    counter = Counter(x)
    counter.note(x)
    pair = unknown(Pair(x, counter.parts[0]))
    return (pair * pair).a * counter.x


def compares_objects(x):
    counter = Counter(x)
    counter.note(x)
    pair = unknown(Pair(x, counter.parts[0]))
    if pair < unknown(Pair(x, 5.0)):
        return pair.a * counter.x
    return counter.x


def appends_by_another_name(x):
    counter = Counter(x)
    counter.note(x)
    xs = [x]
    {"append": xs.append, "other": print}["append" if x > 0 else "other"](x * x)
    return xs[-1] * counter.parts[0]


def shuffles(x):
    counter = Counter(x)
    counter.note(x)
    xs = [x, x * x, 2.0]
    unknown({"shuffle": random.shuffle, "other": print})["shuffle" if x > 0 else "other"](xs)
    return xs[0] * counter.parts[0]


def changes_a_list(x):
    counter = Counter(x)
    counter.note(x)
    xs = [x]

    def change(items):
        items[0] = items[0] * x

    unknown({"change": change, "other": print})["change" if x > 0 else "other"](xs)
    return xs[0] * counter.parts[0]


def changes_an_array(x):
    counter = Counter(x)
    counter.note(x)
    xs = np.ones(3) * x
    unknown({"put": np.put, "other": print})["put" if x > 0 else "other"](xs, 0, x * x)
    return xs[0] * counter.parts[0]


def writes_into_an_array(x):
    counter = Counter(x)
    counter.note(x)
    xs = np.ones(3)
    unknown({"add": np.add, "other": print})["add" if x > 0 else "other"](xs, x, xs)
    return xs[0] * counter.parts[0]


def augmented_list(x):
    counter = Counter(x)
    counter.note(x)
    xs = [x]
    ys = unknown(xs)
    ys += [x * x]
    return xs[-1] * counter.parts[0]


def undifferentiated_call(x):
    counter = Counter(x)
    counter.note(x)

    def double():
        counter.x *= 2.0

    zyg.nograd({"double": double, "other": print}["double" if x > 0 else "other"])()
    return counter.x * counter.parts[0]


@pytest.mark.parametrize("f", [
    stores_by_setattr, reads_a_global, gives_an_object, appends_by_another_name, shuffles,
    changes_a_list, changes_an_array, writes_into_an_array, augmented_list, undifferentiated_call,
])
def test_what_works_on_objects_is_refused(f):
    """What calls do that are found at run time isn't known when code is made."""
    with pytest.raises(zyg.ZygError):
        differences.check_gradient(second(f), (1.3,), zyg.pullback)


@pytest.mark.parametrize("f", [
    calls_methods, calls_methods_with_constants, multiplies_objects, compares_objects,
])
def test_one_of_several_methods_is_asked_for(f):
    differences.check_gradient(second(f), (1.3,), zyg.pullback)


def stores_by_one_of_two(x):
    counter = Counter(x)
    counter.note(x)
    {"set": setattr, "other": print}["set" if x > 0 else "other"](counter, "x", x * x)
    return counter.x * counter.parts[0]


def changes_by_one_of_two(x):
    counter = Counter(x)
    counter.note(x)
    xs = np.ones(3) * x
    {"put": np.put, "other": print}["put" if x > 0 else "other"](xs, 0, x * x)
    {"add": np.add, "other": print}["add" if x > 0 else "other"](xs, x, xs)
    return xs[0] * counter.parts[0]


def object_of_one_of_two(x):
    counter = Counter(x)
    counter.note(x)
    table = {"same": lambda: SHARED, "other": lambda: 1.0}
    found = table["same" if x > 0 else "other"]()
    return found.x * counter.x * counter.parts[0] if isinstance(found, Counter) else counter.x


@pytest.mark.parametrize("f", [
    stores_by_one_of_two, changes_by_one_of_two, object_of_one_of_two, gives_an_object_in_a_list,
])  # fmt: skip
def test_functions_of_which_one_is_called_are_known(f):
    differences.check_gradient(second(f), (1.3,), zyg.pullback)


@pytest.mark.parametrize(("program", "args"), [
    case for case in each_input(corpus.all) if str(case.values[0]) in {
        "generator_pipelines.power_iteration", "generator_pipelines.objects_that_move",
    }
])
def test_gradients_that_round_once_more(program, args):
    """They are the same but for that."""

    def pullback(function, *given):
        y, back = zyg.pullback(function, *given)
        plain = function(*given)
        for found, expected in zip(y, plain, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12)
        return plain, back

    differences.check_gradient(second(program.f), args, pullback)
