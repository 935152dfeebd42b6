"""Patterns of programs that store into classes, modules, objects and containers: what is stored
under one name is seen under the others, and what stays behind is plain."""

import importlib
import sys

import numpy as np
import pytest

import zyg
from tests.corpus import elsewhere

pytest.importorskip("scipy")


class Base:
    total = 1.0

    def read(self):
        return self.total


class Above(Base):
    def read(self):
        return super().total


class Meta(type):
    pass


class WithMeta(metaclass=Meta):
    total = 1.0


class Node:
    def __init__(self, value):
        self.value = value

    def doubled(self):
        return self.value * 2.0


class Holder:
    pass


HOLDER = Holder()
HISTORY = []


def stores_in_a_class(x):
    Base.total = x[0]
    return Above().read() * x[1] + getattr(Above, "total", 2.0) * x[0]


def deletes_what_it_stores(x):
    Above.total = x[1] * x[0]
    y = Above.total
    del Above.total
    return y * x[0] + Above.total


def stores_in_a_module(x):
    elsewhere.set_offset(x[0])
    found = sys.modules[elsewhere.__name__]
    return found.OFFSET * x[1] + importlib.import_module(elsewhere.__name__).OFFSET * x[0]


def stores_in_a_module_by_its_name(x):
    elsewhere.OFFSET = x[1]
    return elsewhere.OFFSET * x[0]


def two_functions_of_a_variable():
    kept = 0.0

    def keep(value):
        nonlocal kept
        kept = value

    return keep, lambda: kept


keep, look = two_functions_of_a_variable()


def stores_in_a_variable_of_two_functions(x):
    keep(x[0])
    return look() * x[1]


def stores_in_a_variable_by_way_of_an_object(x):
    kept = 0.0

    def keep(value):
        nonlocal kept
        kept = value

    HOLDER.keep = keep
    HOLDER.keep(x[0])
    return kept * x[1]


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (stores_in_a_variable_of_two_functions, [[0, 1], [1, 0]]),
        (stores_in_a_variable_by_way_of_an_object, [[0, 1], [1, 0]]),
        (stores_in_a_class, [[1, 1], [1, 0]]), (deletes_what_it_stores, [[1, 1], [1, 0]]),
        (stores_in_a_module, [[1, 1], [1, 0]]), (stores_in_a_module_by_its_name, [[0, 1], [1, 0]]),
    ],
)
def test_what_is_stored_is_seen(f, expected):
    x = np.array([1.5, 0.5])
    offset = elsewhere.OFFSET
    pattern = zyg.hessian_sparsity(f, x)
    assert pattern.toarray().astype(int).tolist() == expected
    assert (Base.total, elsewhere.OFFSET) == (1.0, offset)


def leaves_things_behind(x):
    HISTORY.append(Node(x))
    HOLDER.node, HOLDER.pair, WithMeta.total = Node(x * x), (x, 1), x
    return HISTORY[-1].doubled() * HOLDER.node.doubled() * WithMeta.total


def test_what_is_left_behind_is_plain():
    assert zyg.jacobian_sparsity(leaves_things_behind, 1.5)[0].toarray().all()
    for node in (HISTORY.pop(), HOLDER.node):
        assert type(node) is Node and type(node.value) is float
    assert type(HOLDER.pair[0]) is float and type(WithMeta.total) is float
    WithMeta.total = 1.0


def appended_to_what_it_returns(x):
    HISTORY.append(x)
    return HISTORY


def test_what_is_returned_keeps_its_pattern():
    assert zyg.jacobian_sparsity(appended_to_what_it_returns, 1.5)[0].toarray().all()
    assert [type(item) for item in HISTORY] == [float]
    HISTORY.clear()
