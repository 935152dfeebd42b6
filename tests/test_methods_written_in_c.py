"""Methods that are written in C, of numbers, arrays and containers of which no type is known.

    held[0].__abs__()

What has no rule is refused there as it is where types are known: it isn't taken for a constant.
"""

import collections

import numpy as np
import pytest

import zyg
from tests.differences import check_gradient
from tests.test_forward import check_jvp

HELD = {"same": [lambda x: x, print, "text", None], **{str(i): i for i in range(60)}}


def unknown(x):
    return HELD["same"][0](x)


COMPUTING = {
    "abs": lambda a, x: unknown(a).__abs__() * x,
    "neg": lambda a, x: unknown(a).__neg__() * x,
    "abs of complex": lambda a, x: unknown(complex(a, x)).__abs__(),
    "float": lambda a, x: np.array(a).__float__() * x,
    "view": lambda a, x: unknown(np.array([a, x])).view()[0] * x,
    "view of a number": lambda a, x: unknown(np.float64(a)).view() * x,
    "copy of an array": lambda a, x: unknown(np.array([a, x])).__copy__()[0] * x,
    "field": lambda a, x: unknown(np.array([a, x])).getfield(np.float64)[0] * x,
    "copy of a deque": lambda a, x: unknown(collections.deque([a, x])).__copy__()[0] * x,
    "backwards": lambda a, x: sum(unknown([a]).__reversed__()) * x,
    "joined": lambda a, x: unknown([a, x]).__add__([])[0] * x,
    "copy of a set": lambda a, x: sum(unknown({a, x}).copy()) * x,
}
DISCRETE = {
    "tests": lambda a, x: a * x if unknown(a).is_integer() or unknown(x).__gt__(1.0) else a,
    "counts": lambda a, x: unknown(a).__int__() * x + unknown(x).__round__() * a,
    "sets": lambda a, x: a * x if unknown({a, x}).issubset({a, x}) else a,
    "lengths": lambda a, x: unknown([a, x]).__len__() * x + unknown((a, x)).__getitem__(0) * x,
    "texts": lambda a, x: a * x + len(unknown("text").upper()) + unknown(5).bit_length() * x,
}


@pytest.mark.parametrize("differentiate", [
    zyg.gradient, lambda f, *args: zyg.jvp(f, args, (1.0, 0.5)),
])
@pytest.mark.parametrize("name", COMPUTING)
def test_refused_where_it_computes(name, differentiate):
    with pytest.raises(zyg.NotDifferentiable, match=r"has no rule.*\n.*test_methods_written_in_c"):
        differentiate(COMPUTING[name], 1.25, 1.5)


@pytest.mark.parametrize("name", DISCRETE)
def test_constant_where_it_counts(name):
    check_gradient(DISCRETE[name], (1.25, 1.4), zyg.pullback)
    check_jvp(DISCRETE[name], (1.25, 1.4))


@pytest.mark.parametrize("form", ["%r", "%.3f"])
def test_numbers_that_become_text_are_constants(form):
    def shown(x):
        return float(form % x) * x + float(unknown(form) % x)

    assert zyg.gradient(shown, 1.25) == (1.25,)
    assert zyg.jvp(shown, (1.25,), (1.0,))[1] == 1.25
