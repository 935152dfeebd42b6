"""Second derivatives of programs that store and read attributes by computed names."""

import pytest

import zyg
from tests.derivatives_twice import MODES, slope_of


class Holder:
    def __init__(self, **fields):
        for name, value in fields.items():
            setattr(self, name, value)


class Updated:
    def __init__(self, **fields):
        self.__dict__.update(fields)

    def scaled(self, factor):
        for name in self.__dict__:
            self.__dict__[name] *= factor
        return self


def items_of_the_dict(x):
    holder = Holder()
    vars(holder)["a"] = x
    vars(holder)["b"] = x * x
    return holder.a * holder.b


def stored_past_hooks(x):
    holder = Holder()
    object.__setattr__(holder, "a", x)
    object.__setattr__(holder, "b", x * x)
    return holder.a * holder.b


def updated(x):
    fields, other = Updated(a=x, b=x * x), Updated(a=3.0, c=x)
    both = {**vars(fields), **vars(other)}
    return both["a"] * both["b"] * both["c"] + fields.a


def walked_over(x):
    fields = Updated(a=x, b=x * x, c=x**3).scaled(x)
    total = 0.0
    for name, value in sorted(vars(fields).items()):
        total += value * len(name) * fields.a
    return total * fields.b


def read_by_a_choice(x):
    holder = Holder(a=x, b=x * x)
    total = 0.0
    for i in range(4):
        total += getattr(holder, "ab"[i % 2]) * x
    return total


def stored_by_a_choice(x):
    holder = Holder(a=x, b=x * x)
    setattr(holder, "a" if x > 1 else "b", x**3)
    return holder.a * holder.b


def numbered(x):
    holder = Holder()
    for i, value in enumerate((x, x * x, x**3)):
        setattr(holder, f"x{i}", value * value)
    delattr(holder, "x" + str(0))
    total = 0.0
    for name in ("x0", "x1", "x2"):
        total += getattr(holder, name, x)
    return total * getattr(holder, "x7", 2.0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", [
    items_of_the_dict, stored_past_hooks, updated, walked_over, read_by_a_choice,
    stored_by_a_choice, numbered,
])
def test_second_derivative(f, mode):
    step = 1e-3
    expected = (f(1.5 + step) - 2 * f(1.5) + f(1.5 - step)) / step**2
    assert mode(slope_of(f))(1.5) == pytest.approx(expected, rel=1e-4)


def test_names_of_which_nothing_is_known():
    def unknown(x):
        holder = Holder(a=x)
        setattr(holder, f"c{int(x)}", x)
        return holder.a * x

    with pytest.raises(zyg.NotDifferentiable, match="the attribute `c1` of a Holder"):
        zyg.gradient(slope_of(unknown), 1.5)
