"""Objects of classes that the module of a program doesn't know, met where types tell nothing."""

import pytest

import zyg


def shifted(items):
    """A list of a class that nothing here has a name for."""

    class Shifted(list):
        def __getitem__(self, index):
            return 1.0 + 5.0 * list.__getitem__(self, index)

        def __iter__(self):
            return iter([3.0 * list.__getitem__(self, i) for i in range(len(self))])

    return Shifted(items)


def product(s):
    return s[0] * s[1]


def swapped(s):
    a, b = s
    return a * b * b


@pytest.mark.parametrize("f", [
    product, swapped, lambda s: sum(s) ** 2, lambda s: max(s) ** 2, lambda s: list(s)[1] ** 2,
    lambda s: [x * x for x in s][-1], lambda s: s[-1] * sum(x * s[0] for x in s),
])
def test_arguments_of_unknown_classes(f):
    def of_numbers(a, b):
        return f(shifted([a, b]))

    h = 1e-6
    by_a = (of_numbers(2.0 + h, 3.0) - of_numbers(2.0 - h, 3.0)) / (2 * h)
    by_b = (of_numbers(2.0, 3.0 + h) - of_numbers(2.0, 3.0 - h)) / (2 * h)
    (found,) = zyg.gradient(f, shifted([2.0, 3.0]))
    assert found == pytest.approx([by_a, by_b], rel=1e-7)
    _, along = zyg.jvp(f, (shifted([2.0, 3.0]),), ([1.0, 2.0],))
    assert along == pytest.approx(by_a + 2 * by_b, rel=1e-7)


def items(tables):
    return tables["s"][0] * tables["s"][1]


def sums(tables):
    total = 1.0
    for row in tables.values():
        total *= sum(row)
    return total


def in_loops(tables):
    total = 1.0
    for row in tables.values():
        for i, x in enumerate(row):
            total *= x + i
    return total


def taken_apart(tables):
    total = 1.0
    for a, b in tables.values():
        total *= a * b * b
    return total


def in_a_closure(tables):
    total = 1.0
    for row in tables.values():
        total *= (lambda i: row[i])(0)
    return total


def made(a, b):
    return {"list": [1.0, 2.0], "tuple": (1.0, 3.0), "s": shifted([a, b])}


DOTS = {"list": [0.0, 0.0], "tuple": (0.0, 0.0), "s": [1.0, 2.0]}


@pytest.mark.parametrize("f", [sums, in_loops, taken_apart])
def test_unknown_classes_in_loops(f):
    h = 1e-6
    by_a = (f(made(2.0 + h, 3.0)) - f(made(2.0 - h, 3.0))) / (2 * h)
    by_b = (f(made(2.0, 3.0 + h)) - f(made(2.0, 3.0 - h))) / (2 * h)
    (found,) = zyg.gradient(f, made(2.0, 3.0))
    assert found["s"] == pytest.approx([by_a, by_b], rel=1e-7)
    _, along = zyg.jvp(f, (made(2.0, 3.0),), (DOTS,))
    assert along == pytest.approx(by_a + 2 * by_b, rel=1e-7)


@pytest.mark.parametrize("f", [items, in_a_closure])
def test_unknown_classes_in_containers_are_refused(f):
    with pytest.raises(zyg.NotDifferentiable, match="Shifted says itself what its items are"):
        zyg.gradient(f, made(2.0, 3.0))
    with pytest.raises(zyg.NotDifferentiable, match="Shifted says itself what its items are"):
        zyg.jvp(f, (made(2.0, 3.0),), (DOTS,))
