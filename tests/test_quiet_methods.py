"""What methods do that operators and attributes call, where types don't tell the class."""

import math
import operator

import pytest

import zyg
from ir.types import TOP
from tests.corpus.objects_changed import Vector
from tests.differences import check_gradient
from zyg.compiler.inference.quiet_methods import may_change_memory


class Log:
    def __init__(self, items):
        self.items = items

    def __add__(self, other):
        self.items.append(other)
        return self

    def __sub__(self, other):
        items = self.items
        items += [other]
        return self

    def __mul__(self, other):
        return self + other

    def __getattr__(self, name):
        if name in ("items", "total") or name.startswith("_"):
            raise AttributeError(name)
        self.items[-1] = self.items[-1] * 1.5
        return 1.0

    def __iter__(self):
        return iter(self.items)


@pytest.mark.parametrize("callee", [operator.add, operator.mul])
def test_quiet(callee):
    assert not may_change_memory(callee, [TOP, TOP], None, {"Vector": Vector})


@pytest.mark.parametrize("callee", [operator.add, operator.sub, operator.mul])
def test_changing(callee):
    assert may_change_memory(callee, [TOP, TOP], None, {"Vector": Vector, "Log": Log})


def mapped(x):
    log = Log([x, 2.0 * x, 3.0])

    def scaled(y):
        return y * log.scale

    return math.prod(map(scaled, log.items))


def test_a_function_that_changes_what_map_walks_over_is_refused_where_types_tell_nothing():
    with pytest.raises(zyg.NotDifferentiable, match="walk over the attribute"):
        zyg.gradient(mapped, 2.0)


def test_a_function_that_changes_what_map_walks_over_is_refused_in_try():
    class Held:
        def __init__(self, items):
            self.items = items

        def scaled(self, y):
            self.items[-1] = self.items[-1] * 1.5
            return y / y

    def f(x):
        held = Held([x, 2.0 * x, 3.0])
        try:
            total = math.prod(map(held.scaled, held.items))
        except ZeroDivisionError:
            total = held.items[-1]
        return total

    def summed(x):
        held = Held([x, 2.0 * x, 3.0])
        try:
            total = sum(map(held.scaled, held.items))
        except ZeroDivisionError:
            total = 1.0
        return total * held.items[-1] * held.items[0]

    with pytest.raises(zyg.UnsupportedSyntax, match="in statements of their own"):
        zyg.gradient(f, 2.0)
    check_gradient(summed, (2.0,), zyg.pullback)
