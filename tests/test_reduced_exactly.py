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
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_value_and_derivatives(name):
    assert check(Program(PROGRAMS[name], ((2, 3, 5), (4, 7, 11)))) is None
