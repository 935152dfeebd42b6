"""Functions that have captured themselves, or one another, given as arguments."""

import pytest

import zyg


def itself(x):
    def power(n):
        return x * 1.0 if n == 0 else power(n - 1) * x

    return power


def one_another(x, y):
    def even(n):
        return x * 1.0 if n == 0 else odd(n - 1) * y

    def odd(n):
        return y * 3.0 if n == 0 else even(n - 1) * x + odd(0)

    return even


def one_another_of_one(x):
    return one_another(x, x)


def three(x):
    def first(n):
        return x if n == 0 else second(n - 1) * x

    def second(n, scale=x):
        return scale if n == 0 else third(n - 1, by=2.0) + first(n - 1)

    def third(n, *, by=x):
        return by if n == 0 else first(n - 1) * third(n - 1)

    return first


def with_a_helper(x):
    def helper(n):
        return x if n == 0 else helper(n - 1) * 2.0

    def walk(n):
        return helper(n) if n == 0 else walk(n - 1) * helper(1)

    return walk


def in_a_list(x):
    walks = []

    def walk(n):
        return x if n == 0 else walks[0](n - 1) * x

    walks.append(walk)
    return walk


MAKERS = {
    "itself": itself, "one_another": one_another_of_one, "three": three,
    "with_a_helper": with_a_helper, "in_a_list": in_a_list,
}
CALLS = {
    "called": lambda f: f(3) * f(2),
    "mapped": lambda f: sum(map(f, [1, 2, 3])),
    "in_another": lambda f: (lambda n: f(n) * 2.0)(2),
    "in_a_dict": lambda f: {"f": f}["f"](3),
    "by_key": lambda f: max([1, 2], key=f) * f(2),
}


def total(cotangent):
    """The sum of all numbers in a cotangent: each variable of the makers is `x`, to begin with."""
    match cotangent:
        case None:
            return 0.0
        case dict():
            return sum(map(total, cotangent.values()))
        case list() | tuple():
            return sum(map(total, cotangent))
    return float(cotangent)


def difference(f, x, step=1e-6):
    return (f(x + step) - f(x - step)) / (2.0 * step)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("make", [itself, one_another_of_one, with_a_helper, three])
def test_what_each_has_captured_has_its_gradient(make, call):
    (found,) = zyg.gradient(call, make(1.3))
    assert total(found) == pytest.approx(difference(lambda x: call(make(x)), 1.3), rel=1e-6)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_those_made_in_the_function(make, call):
    expected = difference(lambda x: call(make(x)), 1.3)
    assert zyg.gradient(lambda x: call(make(x)), 1.3)[0] == pytest.approx(expected, rel=1e-6)
    assert zyg.jvp(lambda x: call(make(x)), (1.3,), (1.0,))[1] == pytest.approx(expected, rel=1e-6)


def test_the_gradients_of_several():
    (found,) = zyg.gradient(lambda f: f(2), one_another(2.0, 5.0))
    # y (x x + 3 y), of which the first x and the first y are what `even` has captured.
    assert found["x"] == 10.0 and found["y"] == 19.0
    assert found["odd"]["x"] == 10.0 and found["odd"]["y"] == 15.0


def test_a_list_that_has_captured_the_function():
    # Each way to the number is a part of its own.
    (found,) = zyg.gradient(lambda f: f(2), in_a_list(2.0))
    assert found["x"] == 4.0 and found["walks"][0]["x"] == 4.0
    assert total(found) == 12.0
    with pytest.raises(zyg.UnsupportedSyntax, match="may change objects"):
        zyg.gradient(CALLS["by_key"], in_a_list(2.0))
