"""Keys: equal for calls that one code serves, different for all others; widened; under threads."""

import functools
import itertools
import linecache
import operator
import threading
import types

import numpy as np
import pytest

import zyg
from ir.types import Known
from zyg.calls.entry_cache import MAX_ENTRIES, cache
from zyg.calls.keys import key_of
from zyg.calls.variants import MAX_VARIANTS
from zyg.signature import abstract

numbers = itertools.count()


def made(source, **module_globals):
    """The function `f` that a text defines, in a file, globals and a code object of its own."""
    file = f"<made {next(numbers)}>"
    linecache.cache[file] = (len(source), None, [source], file)
    exec(compile(source, file, "exec"), module_globals)
    return module_globals["f"]


def closure(*captured):
    if len(captured) == 1:
        (a,) = captured
        return lambda x: (x, a)
    a, b = captured
    return lambda x: (x, a, b)


def with_default(value):
    def f(x, a=value):
        return x, a

    return f


def with_kwdefault(value):
    def f(x, *, a=value):
        return x, a

    return f


def recursive():
    def f(n):
        return f(n - 1)

    return f


def mutually_recursive():
    def f(n):
        return g(n)

    def g(n):
        return f(n)

    return f


class FloatChild(float):
    pass


class ListChild(list):
    pass


class DictChild(dict):
    pass


class ArrayChild(np.ndarray):
    pass


DISTINCT = [
    True, False, 1, 1.0, 1j, None, "a", "b", b"a", b"b", np.bool_(True), np.float64(1), ...,
    np.float32(1), np.int64(1), np.int32(1), FloatChild(1), "True", "bool", range(3),
    np.ones(()), np.ones(2), np.ones(1), np.ones((2, 2)), np.ones((1, 2)), np.ones((2, 1)),
    np.ones(2, np.float32), np.ones(2, ">f8"), np.ones(2, int), np.ones(2, bool),
    np.ones(2).view(ArrayChild), np.ma.masked_array([1.0]),
    (), (1,), (1.0,), (True,), (1, 1), ((1,), 1), (None,), ("a",), (np.ones(2),), (np.ones(1),),
    [], [1], [1.0], [True], [[1]], [(1,)], ["a"], [1, "a"], [np.ones(2)], [np.ones(1)],
    [None], [np.ones(2), np.ones(1)], [()], ListChild(),
    {}, {"a": 1}, {"a": 1.0}, {"b": 1}, {"a": 1, "b": 1}, {"b": 1, "a": 1}, {1: 1}, DictChild(),
    {"a": [1]}, {"a": (1,)}, {"a": None},
    list, dict, int, bool, np, types, len, np.sin, np.cos,
    closure(1), closure(1.0), closure(True), closure("a"), closure(np.ones(2)), closure(None),
    closure(1, 2.0), closure(1.0, 2), closure(np.ones(1)), closure(np), closure(np.sin),
    closure([1]), closure([1.0]), closure((1, 2)), closure(closure(1)), closure(closure(1.0)),
    with_default(1), with_default(1.0), with_default(np.ones(2)), with_default("a"),
    with_kwdefault(1), with_kwdefault(1.0), recursive(), mutually_recursive(),
    made("def f(x): return x"), made("def f(x): return x"), made("def f(x): return x", y=1),
    [].append,
]  # fmt: skip
# Pairs that only differ in what code doesn't depend on.
ALIKE = [
    (1, 2), (1.0, np.nan), (np.ones(2), np.ones(30)), (np.ones((2, 1)), np.zeros((9, 1))),
    ([1, 2], [3]), (["a"], ["b", "c"]), ([True], [False]), ({"a": "u"}, {"a": "v"}),
    ([("a", 1)], [("b", 2), ("c", 3)]), (closure(1), closure(2)),
    (closure(closure(1.0)), closure(closure(2.0))), (with_default(1), with_default(2)),
    ((1, [2.0]), (3, [4.0, 5.0])),
    ({1: 2}, {5: 1, 2: 3}), ([].append, [1].append),
]  # fmt: skip


def test_distinct_values_have_distinct_keys():
    keys = [key_of(value) for value in DISTINCT]
    for i, key in enumerate(keys):
        for j, other in enumerate(keys[:i]):
            assert key != other, (DISTINCT[i], DISTINCT[j])


@pytest.mark.parametrize("pair", ALIKE)
def test_values_that_one_code_serves_share_a_key(pair):
    one, other = pair
    assert key_of(one) == key_of(other)
    assert hash(key_of(one)) == hash(key_of(other))
    assert abstract(one) == abstract(other)


def test_equal_keys_mean_equal_abstractions():
    values = DISTINCT + [value for pair in ALIKE for value in pair]
    by_key = {}
    for value in values:
        type_ = abstract(value)
        assert by_key.setdefault(key_of(value), type_) == type_, value


def test_functions_with_a_rule_are_known_by_identity():
    def make():
        def square(x):
            return x * x

        return square

    plain, ruled = make(), make()
    assert key_of(plain) == key_of(ruled)
    zyg.adjoint(ruled)(lambda x: (x * x, lambda y_bar: 100.0))
    assert key_of(plain) != key_of(ruled)
    assert abstract(ruled) == Known(ruled)
    assert zyg.gradient(ruled, 3.0) == (100.0,)
    assert zyg.gradient(plain, 3.0) == (6.0,)
    assert zyg.gradient(lambda g, x: g(x), ruled, 3.0)[1] == 100.0
    assert zyg.gradient(lambda g, x: g(x), plain, 3.0)[1] == 6.0


def test_equal_code_in_other_globals():
    text = "def f(x): return x * factor"
    functions = [made(text, factor=2.0), made(text, factor=3.0), made(text, factor=4)]
    assert [zyg.gradient(f, 1.0) for f in functions] == [(2.0,), (3.0,), (4.0,)]


def test_flags_are_known_values():
    def f(x, twice):
        return x * 2.0 if twice else x

    assert zyg.gradient(f, 1.0, True) == (2.0, None)
    assert zyg.gradient(f, 1.0, False) == (1.0, None)
    assert zyg.gradient(f, 1.0, 1)[0] == 2.0
    assert zyg.gradient(f, 1.0, 0.0)[0] == 1.0


def test_a_changing_string_is_widened():
    def f(x, name):
        return x * 2.0 if name == "name 3" or name == "name 40" else x

    zyg.cache_clear()
    for turn in range(2):
        for i in range(50):
            expected = 2.0 if i in (3, 40) else 1.0
            assert zyg.gradient(f, 1.0, f"name {i}") == (expected, None), (turn, i)
    assert zyg.cache_info().misses == MAX_VARIANTS + 1


@pytest.mark.parametrize("wrap", [lambda s: (s, 1), lambda s: lambda: s], ids=["tuple", "closure"])
def test_strings_inside_are_widened(wrap):
    def f(x, how):
        return x * len(how[0] if isinstance(how, tuple) else how())

    zyg.cache_clear()
    for i in range(40):
        assert zyg.gradient(f, 1.0, wrap("a" * i))[0] == i
    assert zyg.cache_info().misses <= MAX_VARIANTS + 1


def test_a_captured_changing_string_is_widened():
    def scaled(name):
        return lambda x: x * len(name)

    zyg.cache_clear()
    for i in range(40):
        assert zyg.gradient(scaled("a" * i), 1.0) == (i,)
    assert zyg.cache_info().misses <= MAX_VARIANTS + 1


SCALES = {f"by {k}": functools.partial(operator.mul, float(k)) for k in range(2 * MAX_VARIANTS)}


class Held:
    def __init__(self, value):
        self.value = value


def scaled_by_name(x, name):
    held = Held(x)
    held.value = SCALES[name](held.value)
    return held.value * len(name)


def chosen_by_name(name):
    return lambda x: scaled_by_name(x, name)


def test_many_strings_in_programs_that_work_on_objects():
    for name, scale in SCALES.items():
        expected = scale(1.0) * len(name)
        assert zyg.gradient(scaled_by_name, 3.0, name)[0] == expected
        assert zyg.gradient(chosen_by_name(name), 3.0) == (expected,)
        assert zyg.jvp(chosen_by_name(name), (3.0,), (1.0,))[1] == expected
        assert zyg.pullback(chosen_by_name(name), 3.0)[1](1.0) == (expected,)


def test_bytes_are_no_constant():
    def f(x, text):
        return x * len(text)

    assert zyg.gradient(f, 1.0, b"ab")[0] == 2.0
    assert zyg.gradient(f, 1.0, b"abc")[0] == 3.0


def test_methods_partial_functions_and_callable_objects():
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        def of(self, x):
            return x * self.factor

        def __call__(self, x):
            return x * self.factor

    zyg.cache_clear()
    for factor in (2.0, 3.0, 4.0):
        assert zyg.gradient(Scale(factor).of, 1.0) == (factor,)
    for factor in (2.0, 3.0, 4.0):
        partial = functools.partial(lambda a, x, *, b: a * x * b, factor, b=10.0)
        assert zyg.gradient(partial, 1.0) == (10 * factor,)
    assert zyg.gradient(Scale(5.0), 1.0) == (5.0,)


def test_the_cache_is_bounded():
    zyg.cache_clear()
    text = "def f(x): return x * 2.0"
    functions = [made(text) for _ in range(5)]
    for f in functions:
        zyg.gradient(f, 1.0)
    info = zyg.cache_info()
    assert (info.misses, info.currsize, info.maxsize) == (5, 5, MAX_ENTRIES)
    try:
        cache._size = 3
        zyg.gradient(made(text), 1.0)
        assert zyg.cache_info().currsize == 3
        assert zyg.gradient(functions[0], 1.0) == (2.0,)
    finally:
        cache._size = MAX_ENTRIES


def test_hits_and_misses_are_counted():
    def f(x):
        return x * x

    zyg.cache_clear()
    for x in (1.0, 2.0, 3.0):
        zyg.gradient(f, x)
    zyg.gradient(f, np.float64(1.0))
    assert zyg.cache_info()[:2] == (2, 2)
    zyg.cache_clear()
    assert zyg.cache_info() == (0, 0, MAX_ENTRIES, 0)


def test_threads_that_compile_and_clear():
    texts = [f"def f(x): return x * {i}.0 * x" for i in range(6)]
    functions = [made(text) for text in texts]
    wrong = []
    start = threading.Barrier(8)

    def work(number):
        start.wait()
        try:
            for turn in range(30):
                i = (number + turn) % len(functions)
                if zyg.gradient(functions[i], 3.0) != (6.0 * i,):
                    wrong.append((i, "gradient"))
                y, back = zyg.pullback(functions[i], 2.0)
                if (y, back(1.0)) != (4.0 * i, (4.0 * i,)):
                    wrong.append((i, "pullback"))
                if number == 0 and turn % 5 == 0:
                    zyg.cache_clear()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
