"""Random programs in arithmetic modulo a prime, reduced, that once failed: compared with `==`."""

import pytest

from tests.fuzz.check import check
from tests.fuzz.program import Program

PROGRAMS = {
    # What `setdefault` put is read out of the cotangents before it is cleared there.
    "integers by default": """
def program(a, b, c):
    shared = 1

    def unused(u):
        nonlocal shared
    one = 1
    items = {key: mul(shared, i) for i, key in enumerate('abc')}
    items.setdefault('b', sub(one, shared))
    for i in [1]:
        i = items['a']
    else:
        residue(c, 2)
        return i
""",
    # An operator of the class may change what the dict holds, whose keys the loop walks over.
    "items that may be objects": """
class Sum:
    def __add__(self, other):
        return other

def program(a, b, c, x):
    held = {'a': [x[1] or Sum()]}
    return sum([sum(items) for i, items in enumerate(held.values())])
""",
    # What a comprehension binds is shared with a function.
    "shared variable bound in a comprehension": """
def program(a, b, c):
    shared = 3

    def scaled(u):
        nonlocal shared
        shared = mul(shared, u)
        return shared
    items = [(shared := mul(shared, e)) for e in [a, b] if scaled(e)]
    return add(scaled(c), sum(items))
""",
    # The helper is compiled for what its first call has left in the list.
    "helper that shortens a list twice": """
def shorten(items, a):
    if items:
        items.pop(0)
    return a

def program(a, b, c):
    counts = [2, 3]
    if shorten(counts, 2):
        shorten(counts, a)
    return mul(a, len(counts) + 1)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_value_and_derivatives(name):
    source = PROGRAMS[name]
    arrays = ((3, 5, 7, 11),) if ", x)" in source else ()
    inputs = (2, 3, 5, *arrays), (4, 7, 11, *arrays)
    assert check(Program(source, inputs)) is None
