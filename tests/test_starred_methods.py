"""Methods of C's that are called with starred arguments of unknown number."""

from collections import deque

import pytest

import zyg
from tests.scalar_checks import check_first

X = 1.3


def appended(x):
    stack, items = [], [x * x]
    stack.append(*items)
    return stack[0] * x


def machine(x):
    code = [("push", x), ("push", 2.0), ("mul",), ("push", x), ("mul",)]
    stack = []
    for name, *args in code:
        if name == "push":
            stack.append(*args)
        else:
            stack.append(stack.pop() * stack.pop())
    return stack[0]


def queued(x):
    queue, items = deque(), [x * x]
    queue.append(*items)
    queue.appendleft(*items)
    return queue[0] * queue[1]


def taken(x):
    items, places = [x, x * x], [1]
    return items.pop(*places) * x


def errors(x):
    stack = [x]
    for items in ([x], [x * x], []):
        try:
            stack.append(*items)
        except TypeError:
            stack.append(x**3)
    return stack[1] * stack[2] * stack[3]


@pytest.mark.parametrize("f", [appended, machine, queued, taken, errors])
def test_derivatives(f):
    check_first(f, X)


def test_error_is_that_of_python():
    def f(x, items):
        stack = []
        stack.append(*items)
        return x

    with pytest.raises(TypeError) as plain:
        f(X, [1.0, 2.0])
    with pytest.raises(TypeError) as found:
        zyg.gradient(f, X, [1.0, 2.0])
    assert str(found.value) == str(plain.value)
