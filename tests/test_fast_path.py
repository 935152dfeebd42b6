"""Repeated calls take made-to-measure code, which serves no call but those it was made for."""

import functools
import gc
import threading
import traceback
import weakref

import numpy as np
import pytest

import zyg
from tests.benchmarks.programs import held_state
from tests.test_keys import ALIKE, DISTINCT
from zyg.calls.entry import entry_for
from zyg.calls.entry_cache import CALLS_UNTIL_PATH, MAX_PATHS, cache
from zyg.calls.gradients import gradient_of
from zyg.calls.keys import key_of
from zyg.held.shadow_calls import is_running, running

TURNS = CALLS_UNTIL_PATH + 1


def warmed(call, f, *args, **kwargs):
    """The path for such calls, after the calls that it takes until there is one."""
    for _ in range(TURNS):
        call(f, *args, **kwargs)
    return paths(f, call.__name__)[0]


def paths(f, form="gradient"):
    return cache.paths[form].by_code.get(id(f.__code__), ())


def first(x, a):
    return x


def served(path, f, value, **kwargs):
    return path(f, (1.0, value), kwargs) is not None


# What a path serves


@pytest.mark.parametrize("i", range(len(DISTINCT)), ids=lambda i: f"{i} {type(DISTINCT[i])}")
def test_a_path_serves_no_value_with_another_key(i):
    zyg.cache_clear()
    try:
        path = warmed(zyg.gradient, first, 1.0, DISTINCT[i])
    except zyg.ZygError:
        assert isinstance(DISTINCT[i], np.ma.MaskedArray)  # has no gradient, and so no path
        return
    for j, other in enumerate(DISTINCT):
        if j != i:
            assert not served(path, first, other), (DISTINCT[i], other)
    for pair in ALIKE:
        for value in pair:
            if key_of(value) != key_of(DISTINCT[i]):
                assert not served(path, first, value), (DISTINCT[i], value)


@pytest.mark.parametrize("pair", ALIKE)
def test_a_path_serves_the_values_of_its_key(pair):
    zyg.cache_clear()
    path = warmed(zyg.gradient, first, 1.0, pair[0])
    if not callable(pair[0]) or pair[0].__class__ is type(first):
        assert served(path, first, pair[1])


def test_keywords():
    def f(x, *, a, b=2.0):
        return x * a * b

    path = warmed(zyg.gradient, f, 1.0, a=3.0)
    assert path(f, (1.0,), {"a": 5.0}) == (10.0,)
    for args, kwargs in [
        ((1.0,), {}), ((1.0,), {"b": 3.0}), ((1.0,), {"a": 1.0, "b": 1.0}), ((), {"a": 1.0}),
        ((1.0, 2.0), {"a": 1.0}), ((1.0,), {"a": 1}), ((1,), {"a": 1.0}),
    ]:  # fmt: skip
        assert path(f, args, kwargs) is None
    f.__kwdefaults__["b"] = 3
    assert path(f, (1.0,), {"a": 5.0}) is None
    f.__kwdefaults__["b"] = 4.0
    assert zyg.gradient(f, 1.0, a=5.0) == (20.0,)


def test_flags_by_value_and_items_of_lists_by_kind():
    def f(x, how, items):
        return x * (2.0 if how == "twice" else 3.0) * len(items)

    for _ in range(TURNS):
        assert zyg.gradient(f, 1.0, "twice", ["a", "b"])[0] == 4.0
        assert zyg.gradient(f, 1.0, "thrice", ["a", "b"])[0] == 6.0
        assert zyg.gradient(f, 1.0, None, ["c"])[0] == 3.0
        assert zyg.gradient(f, 1.0, True, [])[0] == 0.0
    assert len(paths(f)) == 4


def test_collected_arguments():
    def f(*args, **kwargs):
        return args[0] * args[1] * kwargs["a"]

    for _ in range(TURNS):
        x, y = np.array([2.0]), 3.0
        x_bar, y_bar = zyg.gradient(f, x[0], y, a=5.0)
        assert (x_bar, y_bar) == (15.0, 10.0)
        assert zyg.withgradient(f, 2.0, 3.0, a=5.0) == (30.0, (15.0, 10.0))
    (path,) = paths(f)
    assert path(f, (np.float64(2.0), 3.0), {"a": 1.0}) == (3.0, 2.0)


def test_captured_variables_and_defaults():
    def scaled(factor, g):
        return lambda x, k=2.0: g(x) * factor * k

    def square(x):
        return x * x

    for turn in range(2 * TURNS):
        assert zyg.gradient(scaled(float(turn), square), 3.0) == (12.0 * turn,)
    path = paths(scaled(1.0, square))[0]
    assert path(scaled(2.0, square), (3.0,), {}) == (24.0,)
    assert path(scaled(2, square), (3.0,), {}) is None
    assert path(scaled(2.0, abs), (3.0,), {}) is None
    assert path(scaled(2.0, lambda x: x), (3.0,), {}) is None
    assert zyg.gradient(scaled(2, lambda x: x), 3.0) == (4.0,)


def test_a_rule_for_a_function_of_the_same_code():
    def make():
        def f(x):
            return x * x

        return f

    plain, ruled = make(), make()
    path = warmed(zyg.gradient, plain, 3.0)
    zyg.adjoint(ruled)(lambda x: (x * x, lambda y_bar: 100.0))
    assert path(plain, (3.0,), {}) is None  # a rule was added
    path = warmed(zyg.gradient, plain, 3.0)
    assert path(plain, (3.0,), {}) == (6.0,)
    assert path(ruled, (3.0,), {}) is None
    for _ in range(TURNS):
        assert zyg.gradient(ruled, 3.0) == (100.0,)


def test_methods_and_partial_functions_stay_what_they_were():
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        def of(self, x):
            return x * self.factor

    for factor in range(1, 2 * TURNS):
        scale = Scale(float(factor))
        assert zyg.gradient(scale.of, 1.0) == (factor,)
        assert zyg.gradient(functools.partial(Scale.of, scale), 1.0) == (factor,)
        assert zyg.gradient(Scale.of, scale, 1.0) == ({"factor": 1.0}, factor)


# What a path hands out


def loss(params, x):
    layers, (scale, shift), count, name = params["layers"], params["pair"], params["n"], "unused"
    for w, b in layers:
        x = np.tanh(w @ x + b)
    return np.sum(scale * x + shift) * count if name else 0.0


def parameters():
    random = np.random.default_rng(3)
    layers = [(random.normal(size=(3, 3)), random.normal(size=3)) for _ in range(4)]
    return {"layers": layers, "pair": (2.0, np.ones(3)), "n": 3, "name": "some", "none": None}


def leaves(value):
    if isinstance(value, dict):
        value = value.values()
    if isinstance(value, list | tuple | type({}.values())):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def test_containers():
    args = parameters(), np.ones(3)
    expected = zyg.gradient(loss, *args)
    for _ in range(TURNS):
        found = zyg.gradient(loss, *args)
        y, with_value = zyg.withgradient(loss, *args)
        assert y == loss(*args)
        for gradients in (found, with_value):
            assert list(gradients[0]) == list(args[0])
            assert [type(item) for item in leaves(gradients)] == [
                type(item) for item in leaves(expected)
            ]
            for ours, theirs in zip(leaves(gradients), leaves(expected), strict=True):
                np.testing.assert_array_equal(ours, theirs)
    assert paths(loss)
    assert paths(loss, "withgradient")


SHARING = {
    "one cotangent for two arguments": (lambda x, y: np.sum(x + y), np.ones(3), np.ones(3)),
    "the argument as cotangent": (lambda x, y: np.sum(x * y), np.ones(3), np.ones(3)),
    "a view": (lambda x, y: np.sum(np.reshape(x, (3,)) * y), np.ones((3, 1)), np.ones(3)),
    "a transpose": (lambda x, y: np.sum(x.T * y), np.ones((3, 2)), np.ones((2, 3))),
    "both in a tuple": (lambda p: np.sum(p[0] * p[1]), (np.ones(3), np.ones(3))),
    "one array in a list": (lambda p: np.sum(p[0] + p[1]), [np.ones(3), np.ones(3)]),
    "a list in a list": (lambda p: np.sum(p[0][0] + p[1][0]), [[np.ones(3)], [np.ones(3)]]),
    "in a dict": (lambda p: np.sum(p["a"] + p["b"]), {"a": np.ones(3), "b": np.ones(3)}),
    "new memory backwards": (lambda x: np.sum(np.arange(3.0) * np.cumsum(x)), np.ones(3)),
    "new memory and a view of it": (
        lambda x, y: np.sum(np.exp(x + np.flip(y))), np.ones(3), np.ones(3)
    ),
    "two views of new memory": (
        lambda x, y: np.sum(np.exp(x.T + np.flip(y.T))), np.ones((3, 2)), np.ones((3, 2))
    ),
    "a part of new memory": (lambda x: np.sum(np.exp(np.pad(x, 2))), np.ones(3)),
    "half influence": (lambda p, q: np.sum(p[0]) + 0.0 * q, (np.ones(3), np.ones(2)), 1.0),
}


@pytest.mark.parametrize("name", SHARING)
def test_gradients_own_their_memory(name):
    f, *args = SHARING[name]
    inputs = [x for x in leaves(args) if isinstance(x, np.ndarray)]
    for _ in range(TURNS + 1):
        for gradients in (zyg.gradient(f, *args), zyg.withgradient(f, *args)[1]):
            arrays = [x for x in leaves(gradients) if isinstance(x, np.ndarray)]
            for i, array in enumerate(arrays):
                whole = array if array.base is None else array.base
                assert whole.flags.owndata
                assert whole.nbytes == array.nbytes
                assert array.flags.writeable
                for other in [*arrays[:i], *inputs]:
                    assert not np.shares_memory(array, other)
    assert paths(f)


def test_a_cotangent_that_the_user_keeps_is_copied():
    kept = np.ones(3)

    def total(x):
        return np.sum(x)

    zyg.adjoint(total)(lambda x: (np.sum(x), lambda y_bar: kept))

    def f(x):
        return total(x)

    for _ in range(TURNS + 1):
        (x_bar,) = zyg.gradient(f, np.zeros(3))
        assert x_bar is not kept
        x_bar += 1.0
    np.testing.assert_array_equal(kept, np.ones(3))
    assert paths(f)


@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_new_arrays_of_a_wrong_shape_are_refused_in_every_call(shape):
    def total(x):
        return np.sum(x)

    zyg.adjoint(total)(
        lambda x: (np.sum(x), lambda y_bar: np.multiply(y_bar, np.ones((len(x) + 1, *x.shape[1:]))))
    )

    def f(x):
        return total(x)

    for _ in range(TURNS + 1):
        with pytest.raises(ValueError, match="broadcast"):
            zyg.gradient(f, np.ones(shape))
        with pytest.raises(ValueError, match="broadcast"):
            zyg.withgradient(f, np.ones(shape))
    assert paths(f)


NEW = {
    "products": (lambda x, y: np.sum(np.tanh(x @ y)), (np.ones((3, 2)), np.ones((2, 4))), {0, 1}),
    "one that another is a view of": (
        lambda x, y: np.sum(np.exp(x + np.flip(y))), (np.ones(3), np.ones(3)), set()
    ),
    "arguments": (lambda x, y: np.sum(x * y), (np.ones(3), np.ones(3)), set()),
    "numbers of another kind": (lambda x: np.sum(np.exp(x)), (np.ones(3, int),), set()),
    "given twice": (lambda x, y: np.sum(np.exp(x + y)), (np.ones(3), np.ones(3)), set()),
}


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize("form", ["gradient", "withgradient"])
def test_which_gradients_are_known_to_be_new(name, form):
    f, args, expected = NEW[name]
    assert entry_for(form, f, args, {}).code.new == expected


@pytest.mark.parametrize(
    "arg",
    [np.ones(3), (np.ones(3), 1.0), [np.ones(3)] * 3, [(np.ones(3), 2.0)] * 2, {"a": np.ones(3)}],
    ids=["array", "tuple", "list", "pairs", "dict"],
)
def test_new_memory_is_handed_out_as_it_is(arg):
    made = []

    def total(x):
        return np.sum(x)

    def back(y_bar):
        made.append(y_bar * np.ones(3))
        ids.append(id(made[-1]))
        return made.pop()

    zyg.adjoint(total)(lambda x: (np.sum(x), back))

    def f(x):
        if isinstance(x, list):
            result = 0.0
            for item in x:
                result += total(item[0] if isinstance(item, tuple) else item)
            return result
        if isinstance(x, tuple):
            part, scale = x
            return total(part) * scale
        return total(x["a"]) if isinstance(x, dict) else total(x)

    for _ in range(TURNS + 1):
        ids = []
        gradients = zyg.gradient(f, arg)
    assert paths(f)
    arrays = [x for x in leaves(gradients) if isinstance(x, np.ndarray)]
    assert sorted(map(id, arrays)) == sorted(ids)


def test_the_value_and_the_gradients_share_nothing():
    def f(x, y):
        doubled = 2.0 * y
        return np.sum(x * doubled), doubled

    for _ in range(TURNS + 1):
        (_, kept), (x_bar, y_bar) = zyg.withgradient(f, np.ones(3), np.ones(3))
        assert not np.shares_memory(kept, x_bar)
        assert not np.shares_memory(kept, y_bar)
        np.testing.assert_array_equal(x_bar, kept)
    assert paths(f, "withgradient")


@pytest.mark.parametrize(
    "arg",
    [
        1.0, 2, True, None, "text", 1j, np.float32(2), np.int8(3), np.ones(2, np.float32), [], (),
        np.ones(2, int), np.ones(2, bool), np.ones((), complex), [1.0, 2], [1, 2], {1: 2.0},
        {"a": np.ones(1)}, np.ones(2, ">f8"), ((1.0, "a"), [np.ones(2)]), tuple(range(100)), len,
    ],
    ids=repr,
)  # fmt: skip
def test_zeros_of_arguments_without_influence(arg):
    def f(x, a):
        return x

    expected = gradient_of(None, arg)
    for _ in range(TURNS + 1):
        _, found = zyg.gradient(f, 1.0, arg)
        assert type(found) is type(expected)
        assert repr(found) == repr(expected)


@pytest.mark.parametrize("kind", [float, int, np.float32, np.float64, np.int64, complex])
def test_numbers_keep_their_kind(kind):
    def f(x, y):
        return abs(x * y) ** 2

    expected = zyg.gradient(f, kind(3), 2)
    for _ in range(TURNS + 1):
        found = zyg.gradient(f, kind(3), 2)
        assert found == expected
        assert [*map(type, found)] == [*map(type, expected)]


def test_numbers_from_elements_of_arrays():
    def f(x, n, a):
        return x * n * a[0]

    for _ in range(TURNS + 1):
        for a in (np.ones(2), np.ones(2, np.float32), np.ones(2, int)):
            found = zyg.gradient(f, 2.0, 3, a)
            assert found[:2] == (3.0, 2.0)
            assert [*map(type, found)] == [float, float, np.ndarray]
    assert len(paths(f)) == 3


# How paths come and go


def test_errors_show_the_users_lines_only():
    def f(x, n):
        return x / n

    warmed(zyg.gradient, f, 1.0, 2.0)
    with pytest.raises(ZeroDivisionError) as caught:
        zyg.gradient(f, 1.0, 0.0)
    names = [frame.name for frame in traceback.extract_tb(caught.tb)]
    assert names == ["test_errors_show_the_users_lines_only", "f"]


def test_paths_are_bounded_and_cleared():
    def f(x, a):
        return x

    zyg.cache_clear()
    for flag in range(2 * MAX_PATHS):
        for _ in range(TURNS):
            zyg.gradient(f, 1.0, [1.0] * (flag % 2) + [None] * (flag // 2) + [str(flag)])
            zyg.gradient(f, 1.0, (None,) * flag)
    assert len(paths(f)) == MAX_PATHS
    zyg.cache_clear()
    assert not any(form.by_code for form in cache.paths.values())


def test_a_path_goes_with_its_entry():
    def f(x):
        return x * 2.0

    def other(x):
        return x * 3.0

    zyg.cache_clear()
    path = weakref.ref(warmed(zyg.gradient, f, 1.0))
    assert path() is not None
    try:
        cache._size = 1
        zyg.gradient(other, 1.0)
        assert paths(f) == ()
        gc.collect()
        assert path() is None
        assert zyg.gradient(f, 1.0) == (2.0,)
    finally:
        cache._size = 1024


def test_a_new_entry_replaces_the_path():
    def f(x):
        global helper
        return x * helper(x)

    def define(body):
        f.__globals__["helper"] = body

    try:
        for factor in (2.0, 3, 4.0, np.float64(5.0)):
            define(lambda x, k=factor: x * k)
            for _ in range(TURNS):
                assert zyg.gradient(f, 1.0) == (2.0 * factor,)
            assert len(paths(f)) == 1
    finally:
        del f.__globals__["helper"]


def test_calls_through_paths_are_counted():
    def f(x):
        return x * x

    zyg.cache_clear()
    for _ in range(20):
        zyg.gradient(f, 1.0)
    assert zyg.cache_info()[:2] == (19, 1)


def test_threads_that_make_use_and_clear_paths():
    functions = [lambda x, i=float(i): x * i * x for i in range(3)]
    wrong = []
    start = threading.Barrier(6)

    def work(number):
        start.wait()
        try:
            for turn in range(200):
                i = (number + turn) % len(functions)
                x = 3.0 if turn % 2 else 3
                if zyg.gradient(functions[i], x) != (6.0 * i,):
                    wrong.append(i)
                if zyg.withgradient(functions[i], x) != (9.0 * i, (6.0 * i,)):
                    wrong.append(i)
                if number == 0 and turn % 20 == 0:
                    zyg.cache_clear()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# Programs that work on objects


class Point:
    def __init__(self, x):
        self.x = x

    def move(self, t):
        self.x += t * self.x


def moved(x, t, times):
    point = Point(x)
    for _ in range(times):
        point.move(t)
    if point.x > 100.0:
        raise ValueError("far away")
    return point.x


def test_a_program_on_objects_of_its_own_has_a_path():
    path = warmed(zyg.gradient, moved, 3.0, 0.5, 2)
    plain = path(moved, (3.0, 0.5, 2), {})
    assert plain == zyg.gradient(moved, 3.0, 0.5, 2) == (2.25, 9.0, 0.0)
    value, bars = warmed(zyg.withgradient, moved, 3.0, 0.5, 2)(moved, (3.0, 0.5, 2), {})
    assert (value, bars) == (6.75, plain)


def test_nothing_runs_behind_a_call_on_objects_that_failed():
    path = warmed(zyg.gradient, moved, 3.0, 0.5, 2)
    with pytest.raises(ValueError, match="far away"):
        path(moved, (3.0, 0.5, 50), {})
    assert not is_running()
    assert running.shadows is None
    assert path(moved, (3.0, 0.5, 2), {}) == (2.25, 9.0, 0.0)


def test_a_call_that_is_given_objects_or_memory_has_none():
    def read(point, x):
        Point(x).move(1.0)
        return point.x * x

    def kept(array):
        point = Point(array)
        point.x[0] *= 2.0
        return np.sum(point.x * array)

    for _ in range(TURNS):
        assert zyg.gradient(read, Point(2.0), 3.0) == ({"x": 3.0}, 2.0)
        assert zyg.gradient(kept, np.ones(2))[0].tolist() == [8.0, 2.0]
    assert not paths(read)
    assert not paths(kept)


@pytest.mark.parametrize("name", ["decay", "filtered", "ledger", "desk"])
def test_a_program_whose_own_objects_hold_lists_has_a_path(name):
    f = getattr(held_state, name)
    plain = {x: zyg.gradient(lambda x: f(x), x) for x in (0.1, 0.3)}
    for x in (0.1, 0.3, 0.1):
        for _ in range(TURNS):
            assert zyg.gradient(f, x) == plain[x]
    path = None if name == "filtered" else paths(f)[0]  # that reads arrays of its module
    assert path is None or path(f, (0.3,), {}) == plain[0.3]
    assert bool(paths(f)) == (name != "filtered")


TOTAL = Point(0.0)


def test_a_program_that_changes_a_global_object_sees_it_as_it_is():
    def added(x):
        TOTAL.x += x
        return TOTAL.x * x

    TOTAL.x = 0.0
    for turn in range(1, TURNS + 3):
        assert zyg.gradient(added, 2.0) == (2.0 * turn + 2.0,)


def numbers(point):
    try:
        while True:
            yield point.x
    finally:
        point.x += 1.0


def first_of(x, is_left):
    made = numbers(Point(x))
    y = next(made)
    if is_left < 1:
        made.close()
    return y * y


def test_a_generator_that_is_left_open_is_refused_by_a_path_too():
    path = warmed(zyg.gradient, first_of, 3.0, 0)
    assert path(first_of, (3.0, 0), {}) == (6.0, 0.0)
    with pytest.raises(zyg.NotDifferentiable, match="left before its end"):
        path(first_of, (3.0, 1), {})
