"""Objects that globals lead to, of a class that the program makes objects of as well: what these
hold isn't what the others do."""

import types
from collections import OrderedDict, deque

import numpy as np
import pytest

import zyg


class Node:
    def __init__(self, w):
        self.w = w
        self.next = None


def node():
    found = Node([1.0, 2.0])
    found.next = Node([1.0, 2.0])
    return found


def reader(found):
    def read():
        return found.w[1]

    return read


class Names:
    table = {"a": node()}


TABLE = {"a": node()}
ITEMS = [node()]
ROWS = {"a": [node()]}
PAIR = (node(),)
ORDERED = OrderedDict(a=node())
QUEUE = deque([node()])
FUNCTIONS = {"a": reader(node())}
MODULE = types.ModuleType("of_objects")
MODULE.found = node()
read_captured = reader(node())


def read_default(found=PAIR[0]):
    return found.w[1]


READS = {
    "item of a dict": lambda: TABLE["a"].w[1],
    "what get gives": lambda: TABLE.get("a").w[1],
    "value of a dict": lambda: sum([found.w[1] for found in TABLE.values()]),
    "item of a list": lambda: sum([found.w[1] for found in ITEMS]),
    "item of an item": lambda: ROWS["a"][0].w[1],
    "item of a tuple": lambda: PAIR[0].w[1],
    "item of an OrderedDict": lambda: ORDERED["a"].w[1],
    "item of a deque": lambda: QUEUE[0].w[1],
    "attribute of a class": lambda: Names.table["a"].w[1],
    "attribute of a module": lambda: MODULE.found.w[1],
    "captured": lambda: read_captured(),
    "captured by an item": lambda: FUNCTIONS["a"](),
    "default": lambda: read_default(),
    "attribute of an attribute": lambda: TABLE["a"].next.w[1],
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_gradients(read):
    def f(x):
        return Node(x * x).w * read()

    assert zyg.gradient(f, 1.5) == zyg.pullback(f, 1.5)[1](1.0) == (6.0,)
    assert zyg.jvp(f, (1.5,), (1.0,)) == (4.5, 6.0)
    assert zyg.gradient(lambda x: zyg.gradient(f, x)[0], 1.5) == (4.0,)
    assert zyg.gradient(lambda x: zyg.jvp(f, (x,), (1.0,))[1], 1.5) == (4.0,)


def without_next(x):
    made = Node(x)
    return x if TABLE["a"].next is None else made.w * x * TABLE["a"].next.w[1]


def test_what_is_made_does_not_choose_the_branch():
    assert zyg.withgradient(without_next, 1.5) == (4.5, (6.0,))


def test_what_they_hold_may_change_between_calls():
    def f(x):
        return Node(x * x).w * ITEMS[0].w[1]

    held = ITEMS[0].w
    try:
        for factor in (3.0, 3, np.float64(2.0)):
            ITEMS[0].w = [1.0, factor]
            assert zyg.gradient(f, 1.5) == (3.0 * factor,)
            assert zyg.gradient(lambda x: zyg.gradient(f, x)[0], 1.5) == (2.0 * factor,)
        ITEMS[0].w = {1: 2.0}
        assert zyg.gradient(f, 1.5) == (6.0,)
    finally:
        ITEMS[0].w = held
