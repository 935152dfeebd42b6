"""Functions that decide, as the `key` of `sorted`: called and not differentiated, so that what they
change in objects would be lost."""

import bisect
import dataclasses
import functools
import heapq
import itertools
import math
import operator

import pytest

import zyg
from zyg.errors import UnsupportedSyntax

X = 1.37


class Square:
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2


class Circle:
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return 3.0 * self.radius**2


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __float__(self):
        return self.length()

    def length(self):
        return math.hypot(self.x, self.y)


class Counter:
    """Notes what it was asked for."""

    def __init__(self, value):
        self.value, self.asked = value, 0.0
        self.negated = operator.neg

    def key(self, weight=1.0):
        self.asked += self.value * weight
        return self.value

    def quiet(self, weight=1.0):
        return self.value * weight

    def least(self, xs):
        return sorted(xs, key=self.quiet)[0] * sorted(xs, key=self.negated)[0]


class Scaled:
    def __init__(self, weight):
        self.weight = weight

    def __call__(self, value):
        return self.weight * value


class Valued:
    def __init__(self, value):
        self.value = value


class Reverse(Valued):
    def __init__(self, value):
        super().__init__(value)
        self.weight = -value

    def __lt__(self, other):
        return self.weight < other.weight

    def __gt__(self, other):
        return self.weight > other.weight


@dataclasses.dataclass(order=True)
class Ordered:
    value: float
    weight: float = 1.0


SCALED = Scaled(2.0)
QUIET = Counter(2.0).quiet
OF_TWO = functools.partial(Counter.quiet, Counter(2.0))


def sorted_by_a_method(x):
    return sorted([Square(x), Circle(x), Square(2 * x)], key=lambda s: s.area())[1].area()


def sorted_in_place(x):
    shapes = [Square(2 * x), Circle(2 * x), Square(x)]
    shapes.sort(key=lambda s: s.area())
    return shapes[0].area() * shapes[-1].area()


def least_of_several_classes(x):
    return min([Square(x), Circle(2 * x)], key=lambda s: s.area()).area()


def largest_of_points(x):
    points = [Point(x, 1.0), Point(2.0, x)]
    return max(points, key=lambda p: p.length()).length() * min(points, key=Point.length).x


def filtered(x):
    return sum(s.area() for s in filter(lambda s: s.area() > 2, [Square(x), Circle(2 * x)]))


def taken_while(x):
    shapes = itertools.takewhile(lambda s: s.area() > 1, [Square(x), Square(0.5), Square(x)])
    return sum(s.area() for s in shapes)


def least_by_heapq(x):
    return heapq.nsmallest(1, [Square(x), Circle(2 * x)], key=lambda s: s.area())[0].area()


def by_functions_of_objects(x):
    counter = Counter(x)
    return counter.least([x, x * x]) + max([x, x * x], key=counter.quiet)


def by_functions_out_of_containers(x):
    keys = {"a": abs, "b": lambda v: -v}
    return sorted([x, x * x], key=keys["b"])[0] * max([x, x * x], key=[abs, keys["b"]][0])


def by_partial_functions(x):
    return sorted([x, x * x], key=functools.partial(pow, 2.0))[0] * x


def by_objects_that_are_called(x):
    scaled = Scaled(-x)
    return sorted([x, x * x], key=scaled)[0] * max([x, x * x], key=SCALED) * scaled(x)


def by_bound_and_partial_functions_of_globals(x):
    least = sorted([x, x * x], key=QUIET)[0] * max([x, x * x], key=OF_TWO)
    return least * sum(filter(SCALED, [x, x * x]))


def by_keys_that_are_made(x):
    found = sorted([x, x * x], key=Reverse)[0] * min([x, x * x], key=lambda v: Reverse(v))
    return found * sorted([x, x * x], key=Ordered)[0]


def by_comparisons(x):
    keys = [Reverse(x), Reverse(x * x)]
    return min(keys).weight * sorted([Ordered(x), Ordered(x * x)])[0].value * max(keys).value


PROGRAMS = [
    sorted_by_a_method, sorted_in_place, least_of_several_classes, largest_of_points, filtered,
    taken_while, least_by_heapq, by_functions_of_objects, by_functions_out_of_containers,
    by_partial_functions, by_objects_that_are_called, by_bound_and_partial_functions_of_globals,
    by_keys_that_are_made, by_comparisons,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_first_derivative(f):
    h = 1e-6
    difference = (f(X + h) - f(X - h)) / (2 * h)
    assert zyg.gradient(f, X) == (pytest.approx(difference, rel=1e-7),)
    assert zyg.jvp(f, (X,), (1.0,))[1] == pytest.approx(difference, rel=1e-7)


@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivative(f):
    h = 1e-4
    difference = (f(X + h) - 2 * f(X) + f(X - h)) / h**2
    assert zyg.grad(lambda x: zyg.grad(f)(x))(X) == pytest.approx(difference, rel=1e-5)


# Refused: what they change


def counts_in_a_lambda(x):
    a, b = Counter(x), Counter(2 * x)
    return min([a, b], key=lambda c: c.key()).value * b.asked


def counts_in_one_of_two_classes(x):
    a, b = Counter(x), Square(2 * x)
    least = sorted([a, b], key=lambda c: c.key() if isinstance(c, Counter) else c.area())[0]
    return least.value * a.asked


def counts_by_a_method(x):
    counter = Counter(x)
    return sorted([x, x * x], key=counter.key)[0] * counter.asked


def counts_in_a_filter(x):
    counter = Counter(x)
    return sum(filter(counter.key, [x, x * x])) * counter.asked


def counts_in_heapq(x):
    counter = Counter(x)
    return heapq.nsmallest(1, [x, x * x], key=counter.key)[0] * counter.asked


def counts_in_a_search(x):
    counter = Counter(x)
    return bisect.bisect_left([x, x * x, 9.0], 2.0, key=counter.key) * counter.asked


def notes_in_a_dict(x):
    noted = {}

    def key(v):
        noted[len(noted)] = v
        return v

    return sorted([x, x * x], key=key)[0] * noted[1]


def notes_in_a_list(x):
    seen = []
    return max([x, x * x], key=lambda v: (seen.append(v), v)[1]) * sum(seen)


def notes_in_a_comparison(x):
    seen = []

    def compared(a, b):
        seen.append(a)
        return -1 if a < b else 1

    return sorted([x, x * x], key=functools.cmp_to_key(compared))[0] * sum(seen)


class Called(Counter):
    __call__ = Counter.key


class Compared(Counter):
    def __lt__(self, other):
        return self.key() < other.key()

    __gt__ = __lt__


class Logged(Valued):
    def __init__(self, value):
        super().__init__(value)
        COUNTER.asked += value

    def __lt__(self, other):
        return self.value < other.value


COUNTER = Called(2.0)
KEY, PARTIAL = COUNTER.key, functools.partial(COUNTER.key)


@functools.lru_cache
def remembered(value):
    return COUNTER.key(value)


def counts_in_an_object_that_is_called(x):
    counter = Called(2.0)
    return sorted([x, x * x], key=counter)[0] * counter.asked


def counts_in_a_filter_of_an_object(x):
    counter = Called(2.0)
    return sum(filter(counter, [x, x * x])) * counter.asked


def counts_in_groups(x):
    counter = Called(2.0)
    return sum(sum(group) for _, group in itertools.groupby([x, x * x], counter)) * counter.asked


def counting_by(key):
    def f(x):
        COUNTER.asked = 0.0
        return max([x, x * x], key=key) * sorted([x, x * x], key=key)[0] * COUNTER.asked

    return f


def counts_in_comparisons(x):
    counters = [Compared(x), Compared(x * x)]
    return sorted(counters)[0].value * counters[0].asked


def counts_in_comparisons_of_two(x):
    a, b = Compared(x), Compared(x * x)
    return max(a, b).value * a.asked


def notes_by_a_method_of_a_list(x):
    seen = []
    return sum(filter(seen.append, [x, x * x])) + sum(seen) * x


def calls_what_is_not_known(x):
    counter = Counter(x)
    keys = [abs, counter.key, counter.quiet]
    at = int(x)
    return sorted([x, x * x], key=lambda v: keys[at](v))[0] * counter.asked


@pytest.mark.parametrize("f", [
    counts_in_an_object_that_is_called, counts_in_a_filter_of_an_object, counts_in_groups,
    counting_by(COUNTER), counting_by(KEY), counting_by(PARTIAL), counting_by(remembered),
    counting_by(Logged), counts_in_comparisons, counts_in_comparisons_of_two,
    notes_by_a_method_of_a_list, calls_what_is_not_known,
    counts_in_a_lambda, counts_in_one_of_two_classes, counts_by_a_method, counts_in_a_filter,
    counts_in_heapq, counts_in_a_search, notes_in_a_dict, notes_in_a_list, notes_in_a_comparison,
])  # fmt: skip
def test_refused_where_objects_change(f):
    with pytest.raises(UnsupportedSyntax, match="may change objects"):
        zyg.gradient(f, X)


@pytest.mark.parametrize("function", [
    lambda xs, c: max(xs, key=c.key), lambda xs, c: sorted(xs, key=c.key)[0],
])  # fmt: skip
def test_refused_where_arguments_change(function):
    def f(counter, x):
        return function([x, x * x], counter) * counter.asked

    with pytest.raises(UnsupportedSyntax, match="may change objects"):
        zyg.gradient(f, Counter(1.1), X)
