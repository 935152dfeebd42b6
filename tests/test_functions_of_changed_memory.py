"""Closures, bound methods and partial functions that refer to memory, called behind a change of it:
their derivatives are those of what it holds then, or refused."""

import functools

import numpy as np
import pytest

from tests.random_checks import outcomes, second_outcomes
from tests.random_code import names_of


class Holder:
    def __init__(self, value=None):
        self.value = value


def called(f):
    return f()


def first_called(fs):
    return fs[0]()


def changes(q, x, f):
    q.w[1] = x**3
    return f()


def method_of(a):
    return a.sum


def lambda_of(a):
    return lambda: np.sum(a)


def partial_of(a):
    return functools.partial(np.sum, a)


def lambda_of_method(a):
    m = a.sum
    return lambda: m()


def partial_of_a_lambda(a):
    return functools.partial(lambda v: np.sum(v), a)


def keyword_of(a):
    return lambda *, v=a: np.sum(v)


def cached(a):
    return functools.lru_cache(lambda: np.sum(a))


def wrapping(a):
    def inner():
        return np.sum(a)

    @functools.wraps(inner)
    def outer():
        return inner()

    return outer


def composed(a):
    return functools.reduce(lambda f, g: lambda: g(f()), [lambda: a, np.sum])


def lambda_of_a_list(a):
    fs = [lambda: np.sum(a)]
    return lambda: fs[0]()


def lambda_of_an_iterator(a):
    items = iter([a])
    return lambda: np.sum(next(items))


FACTORIES = (
    method_of, lambda_of, partial_of, lambda_of_method, partial_of_a_lambda, keyword_of, cached,
    wrapping, composed, lambda_of_a_list, lambda_of_an_iterator,
)
# What refers to `a`.
REFERENCES = {
    "method": "a.sum", "lambda": "lambda: np.sum(a)", "partial": "functools.partial(np.sum, a)",
    "partial_method": "functools.partial(a.sum, 0)",
    "one_of_two": "a.sum if x > 0 else a.prod", "of_an_element": "[a][0].sum",
    **{factory.__name__: f"{factory.__name__}(a)" for factory in FACTORIES},
}
# How it gets to where it is called: what keeps it, and what calls it.
WAYS = {
    "variable": ("v = {0}", "v()"), "closure": ("v = {0}; look = lambda: v()", "look()"),
    "default": ("look = lambda v={0}: v()", "look()"), "list": ("v = [{0}]", "v[0]()"),
    "dict": ("v = {{'k': {0}}}", "v['k']()"), "tuple": ("v = ({0}, 1)", "v[0]()"),
    "argument": ("v = {0}", "called(v)"), "argument_in_a_list": ("v = [{0}]", "first_called(v)"),
    "twice": ("v = {0}; inner = lambda: v(); look = lambda: inner()", "look()"),
    "attribute": ("q.f = {0}", "q.f()"), "attribute_in_a_list": ("v = [{0}]; q.f = v", "q.f[0]()"),
    "attribute_in_a_lambda": ("v = {0}; q.f = lambda: v()", "q.f()"),
    "appended": ("v = []; v.append({0})", "v[0]()"), "stored": ("v = {{}}; v[0] = {0}", "v[0]()"),
    "comprehension": ("v = [{0} for i in range(2)]", "v[1]()"),
    "generator": ("v = (f() for f in [{0}])", "sum(v)"),
    "constructor": ("k = Holder({0})", "k.value()"),
}
# What is done before and behind; `a` is another name of what `q` holds where that is changed.
CHANGES = {
    "by_its_name": ("", "a[1] = x**3"), "by_an_attribute": ("", "q.w = a; q.w[1] = x**3"),
    "of_what_was_held": ("q.w = a", "q.w[1] = x**3"),
    "in_a_call": ("q.w = a", "changes(q, x, lambda: 0)"),
    "in_a_loop": ("q.w = a", "for i in range(2): q.w[1] = x**(3 + i)"),
}
NAMES = {
    "np": np, "functools": functools, "Holder": Holder, "called": called, "changes": changes,
    "first_called": first_called, **{factory.__name__: factory for factory in FACTORIES},
}


def program(reference, way, change, has_objects=True):
    keep, call = WAYS[way]
    before, behind = CHANGES[change]
    lines = [
        "def f(x):", "a = np.array([x, x * x, 2.0 * x, 1.0])", "q = Holder()" * has_objects,
        before, keep.format(REFERENCES[reference]), behind, f"return x * {call}",
    ]
    file = f"<{reference} {way} {change}>"
    return names_of(["\n    ".join(filter(None, lines))], file, NAMES)["f"]


@pytest.mark.thorough
@pytest.mark.parametrize("reference", REFERENCES)
def test_none_is_wrong(reference):
    for way in ("variable", "closure", "list", "attribute"):
        for change in ("by_its_name", "of_what_was_held"):
            assert False not in list(outcomes(program(reference, way, change))), (way, change)


@pytest.mark.parametrize("reference", REFERENCES)
def test_none_is_wrong_without_objects(reference):
    for way in ("variable", "closure", "list", "argument"):
        f = program(reference, way, "by_its_name", has_objects=False)
        assert False not in list(outcomes(f)), way


@pytest.mark.thorough
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("way", WAYS)
def test_none_is_wrong_whichever_way_it_goes(reference, way):
    for change in CHANGES:
        assert False not in list(outcomes(program(reference, way, change))), change


@pytest.mark.thorough
@pytest.mark.parametrize("reference", REFERENCES)
def test_no_second_derivative_is_wrong(reference):
    for way in ("variable", "closure", "list", "attribute", "argument"):
        f = program(reference, way, "of_what_was_held")
        assert False not in list(second_outcomes(f)), way


@pytest.mark.parametrize("reference", ["lambda_of", "keyword_of", "lambda_of_method", "wrapping"])
def test_no_second_derivative_is_wrong_where_memory_is_changed_by_its_name(reference):
    for way in ("attribute", "attribute_in_a_list", "constructor"):
        f = program(reference, way, "by_its_name")
        assert False not in list(second_outcomes(f)), way


@pytest.mark.parametrize("reference", ["method", "lambda", "method_of", "lambda_of"])
@pytest.mark.parametrize("way", ["variable", "closure", "list", "argument", "attribute"])
def test_what_objects_hold_is_read_as_it_is(reference, way):
    assert list(outcomes(program(reference, way, "of_what_was_held"))) == [True] * 3


def stepping(x):
    rates = np.array([x, 1.0])

    def stepper(rates):
        return lambda y: y * rates

    step, found = stepper(rates), np.zeros(2)
    found[0] = x  # other memory
    for i in range(3):
        found = step(found)
        found[1] += x * i
    return np.sum(found)


def test_functions_of_other_memory_are_not_refused():
    assert list(outcomes(stepping)) == [True] * 3
