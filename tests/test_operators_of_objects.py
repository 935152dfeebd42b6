"""Operators of objects whose classes are known: which method answers."""

import numpy as np
import pytest

import zyg
from tests import differences


class Length:
    """Operators that decline what they don't know."""

    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        if isinstance(other, str):
            return NotImplemented
        return Length(self.x + (other.x if isinstance(other, Length) else other))

    def __mul__(self, other):
        return NotImplemented if isinstance(other, Length) else Length(self.x * other)

    def __rmul__(self, other):
        return Length(3.0 * self.x * other)

    def __lt__(self, other):
        return NotImplemented

    def __gt__(self, other):
        return self.x > other.x * 2.0


class Area(Length):
    def __radd__(self, other):
        return Area(self.x * other.x * 5.0)

    def __rmul__(self, other):
        return Length(7.0 * self.x * (other.x if isinstance(other, Length) else other))


def swapped(x):
    return (2.0 * Length(x) * x).x * x


def of_a_subclass(x):
    return (Length(x) + Area(x * x)).x


def multiplied_by_a_subclass(x):
    return (Length(x) * Area(x * x)).x


def compared_the_other_way(x):
    a, b = Length(x), Length(3.0 * x)
    return a.x * x if a < b else b.x * x * x


@pytest.mark.parametrize(
    "f", [swapped, of_a_subclass, multiplied_by_a_subclass, compared_the_other_way]
)
def test_operators_that_objects_answer(f):
    differences.check_gradient(f, (1.3,), zyg.pullback)
    differences.check_gradient(lambda x: zyg.gradient(f, x), (1.3,), zyg.pullback)


class Residue:
    def __init__(self, x):
        self.x = x

    def __pow__(self, exponent, modulus=None):
        power = self.x**exponent
        return power if modulus is None else power - modulus * (power // modulus)


def power_of_three_arguments(x):
    return pow(Residue(x), 2, 0.4 * x) * pow(Residue(x), 3)


def test_power_of_three_arguments():
    (found,) = zyg.gradient(power_of_three_arguments, 1.3)
    y, along = zyg.jvp(power_of_three_arguments, (1.3,), (2.0,))
    h = 1e-6
    slope = (power_of_three_arguments(1.3 + h) - power_of_three_arguments(1.3 - h)) / (2 * h)
    assert (y, found, along) == (
        power_of_three_arguments(1.3), pytest.approx(slope), pytest.approx(2.0 * slope)
    )


class Reading:
    """Rounds to its own step."""

    def __init__(self, x):
        self.x = x

    def round(self, *args, **kwargs):
        return 5.0 * self.x

    def __floor__(self):
        return 3.0 * self.x


@pytest.mark.parametrize("f", [
    lambda x: np.round(Reading(x)) * x, lambda x: np.around(Reading(x), 1) * x,
    lambda x: np.floor(Reading(x)) * x,
])
def test_rounding_by_methods_of_objects_is_refused(f):
    with pytest.raises(zyg.UnsupportedSyntax, match="an object of class Reading is given to"):
        zyg.gradient(f, 1.3)
    with pytest.raises(zyg.UnsupportedSyntax, match="an object of class Reading is given to"):
        zyg.jvp(f, (1.3,), (1.0,))


class OfNumbers:
    """Declines what is no number of Python: NumPy's numbers and arrays answer then, from C."""

    def __init__(self, value):
        self.value = value

    def __mul__(self, other):
        if not isinstance(other, OfNumbers | float):
            return NotImplemented
        return OfNumbers(self.value * (other.value if isinstance(other, OfNumbers) else other))

    __rmul__ = __mul__


def multiplied(x):
    product = OfNumbers(x) * x
    return product.value * product.value


def multiplied_in_try(x):
    try:
        product = OfNumbers(x) * x
    except OverflowError:
        return x
    return product.value * product.value


@pytest.mark.parametrize("program", [multiplied, multiplied_in_try])
@pytest.mark.parametrize("kind", [np.float32, np.array])
def test_operators_that_numpy_answers_are_refused(program, kind):
    assert program(kind(2.0)) == 16.0
    with pytest.raises(zyg.NotDifferentiable, match="taken apart by NumPy"):
        zyg.gradient(program, kind(2.0))
    assert zyg.gradient(program, np.float64(2.0)) == (32.0,)


def test_operators_that_nobody_answers_raise_as_python_does():
    with pytest.raises(TypeError, match="unsupported operand"):
        zyg.gradient(lambda x: OfNumbers(x) * {}, 2.0)


class Row:
    """Has items, so that NumPy makes an array of it."""

    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]

    def __rmul__(self, factor):
        return Row([factor * item * 10 for item in self.items])


@pytest.mark.parametrize("rows", [lambda x: Row([x, x * x]), lambda x: [Row([x, x * x])][0]])
def test_numbers_of_numpy_in_front_of_what_has_items(rows):
    def program(x):
        return (x * rows(x))[1]

    assert zyg.gradient(program, 2.0) == (120.0,)
    assert program(np.float64(2.0)) == 8.0
    for derivative in zyg.gradient, lambda f, x: zyg.jvp(f, (x,), (x,)):
        with pytest.raises(zyg.NotDifferentiable, match="a number of NumPy in front of an object"):
            derivative(program, np.float64(2.0))
