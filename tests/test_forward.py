"""Forward mode over the corpus and the table of rules: right numbers or a refusal by zyg."""

import contextlib
import copy
import functools
import math
import operator
import re
from collections import Counter

import numpy as np
import pytest

import zyg
from tests import corpus, differences, rule_check
from tests.random_stores import SIZE, random_function
from tests.rule_table import ROWS
from tests.test_corpus import assert_same_behaviour
from tests.test_corpus_itself import each_input
from tests.test_corpus_second_order import SECOND_ORDER, gradient_of
from tests.test_corpus_second_order import is_refused as is_refused_twice
from zyg.compiler import generated
from zyg.rules.registry import rule_of

pytestmark = pytest.mark.thorough


@pytest.fixture(autouse=True)
def verified(monkeypatch):
    monkeypatch.setattr(generated, "verifying", True)


def tangents_along(args, direction):
    """Tangents of the structure of the arguments: dicts of attributes for objects, None for what
    is no float."""
    values = iter(direction)
    moved = differences._map(
        args,
        lambda leaf: differences._replaced(leaf, values) if differences._is_float(leaf) else None,
    )
    return differences.with_attributes(moved)


def check_jvp(function, args, same=differences.same):
    """Asserts that `jvp` gives the value and effects of one plain call, and the derivative."""
    random = np.random.default_rng(0)
    left, given = copy.deepcopy(args), copy.deepcopy(args)
    value = function(*left)
    *_, direction = differences.directions(differences.floats(args).size, random)
    tangents = tangents_along(args, direction)
    kept = copy.deepcopy(tangents)
    y, y_dot = zyg.jvp(function, given, tangents)
    assert same(y, value), f"value {y!r}, plainly {value!r}"
    assert differences.same_contents(given, left), f"arguments hold {given!r}, plainly {left!r}"
    assert differences.same(tangents, kept), "the tangents were changed"
    expected = differences.directional(
        lambda *args: function(*copy.deepcopy(args)), args, direction
    )
    found = differences.gradient_floats(y_dot, value)
    scale = max(1e-2, float(np.max(np.abs(expected), initial=0.0)))
    assert np.all(np.abs(found - expected) <= differences.TOLERANCE * scale), (
        f"along {direction} the derivative is {expected!r}, by jvp {found!r} at {args!r}"
    )


# Programs of one input each, where code is large: their other inputs run the same code.
COSTLY = ("generator", "object", "failing", "memory_by", "shared", "data_classes", "decorators")
CASES = [
    case for case in each_input(corpus.all)
    if case.id.endswith("-0") or not str(case.values[0]).startswith(COSTLY)
]


@pytest.mark.parametrize(("program", "args"), CASES)
def test_along_a_direction(program, args, capsys):
    check_jvp(program.f, args)


@pytest.mark.parametrize(("program", "args"), CASES[::29])
def test_inner_product_with_reverse_mode(program, args, capsys):
    """`y_bar . y_dot == x_bar . x_dot`: both modes are one derivative."""
    random = np.random.default_rng(1)
    direction = random.uniform(-1.0, 1.0, differences.floats(args).size)
    y, y_dot = zyg.jvp(program.f, copy.deepcopy(args), tangents_along(args, direction))
    value, back = zyg.pullback(program.f, *copy.deepcopy(args))
    seed = differences.seed_like(value, random)
    forward = differences.floats(seed) @ differences.gradient_floats(y_dot, y)
    reverse = differences.gradient_floats(back(seed), args) @ direction
    assert forward == pytest.approx(reverse, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize(("program", "args"), each_input(corpus.raising)[::10])
def test_exceptions_pass_through(program, args, capsys):
    def value_of_jvp(*args):
        return zyg.jvp(program.f, args, (None,) * len(args))[0]

    with contextlib.suppress(zyg.ZygError):
        assert_same_behaviour(program.f, value_of_jvp, args, capsys)


@pytest.mark.parametrize(("program", "args"), each_input(corpus.refused))
def test_refused_with_an_error_of_zyg(program, args, capsys):
    with pytest.raises(zyg.ZygError):
        check_jvp(program.f, args)


@pytest.mark.parametrize("seed", range(12))
def test_random_stores(seed):
    """Stores into arrays and their views: the tangents that they leave are those of reverse mode.
    """
    function = random_function(seed)
    random = np.random.default_rng(seed)
    args = random.uniform(-1.0, 1.0, SIZE), random.uniform(-1.0, 1.0, (SIZE, SIZE)), 0.3
    dots = tuple(random.uniform(-1.0, 1.0, np.shape(arg)) for arg in args)
    _, y_dot = zyg.jvp(function, copy.deepcopy(args), dots)
    gradients = zyg.gradient(function, *copy.deepcopy(args))
    expected = sum(np.sum(bar * dot) for bar, dot in zip(gradients, dots, strict=True))
    assert y_dot == pytest.approx(expected, rel=1e-9, abs=1e-12)


# Whose gradient adds three numbers in another order where it is differentiated in turn.
ADDED_OTHERWISE = {"models.soft_game"}


def same_but_for_the_last_bit(y, value):
    found, expected = differences.floats(y), differences.floats(value)
    return found.shape == expected.shape and bool(np.all(
        np.abs(found - expected) <= np.spacing(np.maximum(np.abs(found), np.abs(expected)))
    ))


@pytest.mark.parametrize(
    ("program", "args"),
    [case for case in SECOND_ORDER if not is_refused_twice(case)][::24],
)
def test_forward_over_reverse(program, args, capsys):
    """Adjoints that read iterators, or work on objects, at run time are refused: none is wrong."""
    refusal = None
    same = same_but_for_the_last_bit if str(program) in ADDED_OTHERWISE else differences.same
    try:
        check_jvp(gradient_of(program.f), args, same)
    except (zyg.NotDifferentiable, zyg.UnsupportedSyntax) as error:
        refusal = str(error)
    assert refusal is None or re.search(
        "what (read_once|read_captured|read_default|super) returns"
        "|a gradient inside of code that works on objects calls"
        "|forward mode can't write the code", refusal
    )


# Rules


def directions_of(args, random):
    return tuple(
        rule_check.noise(x, random)
        if any(leaf.dtype.kind in "fc" for leaf in rule_check.arrays_of(x)) else None
        for x in args
    )


def called(row):
    """What a row calls, and its arguments: a descriptor is read by its name."""
    if callable(row.callee):
        return functools.partial(row.callee, **row.kwargs) if row.kwargs else row.callee, row.args
    return getattr, (row.args[0], row.callee.__name__)


# Rows in one test per callee: a test each would take longer than the checks.
CALLEES = {}
for _row in ROWS:
    CALLEES.setdefault(str(_row).partition("(")[0], []).append(_row)


@pytest.mark.parametrize("name", CALLEES)
def test_rule(name):
    """The tangent of each rule is the transpose of its back function."""
    for row in CALLEES[name]:
        check_rule(row)


def check_rule(row):
    function, args = called(row)
    dots = directions_of(args, np.random.default_rng(1))
    y, y_dot = zyg.jvp(function, args, dots)
    rule_check.assert_same(y, row.call(*row.args))
    seed = rule_check.noise(y, np.random.default_rng(2))
    _, back = rule_of(row.callee)(*row.args, **row.kwargs)
    bars = rule_check.gradients(back, seed, row.args)
    forward = rule_check.paired(seed, y_dot)
    reverse = sum(
        rule_check.paired(rule_check.bar_like(bar, x), dot)
        for bar, x, dot in zip(bars, row.args, dots, strict=False) if dot is not None
    )
    single = rule_check.is_single(args) or rule_check.is_single(y)
    tolerance = 2e-4 if single else 1e-9
    assert abs(forward - reverse) <= tolerance * (1 + abs(forward)), (str(row), forward, reverse)


# Behaviour


def test_kinds_of_tangents():
    assert zyg.jvp(lambda x, n: x**n, (2.0, 3), (1, None)) == (8.0, 12.0)
    _y, y_dot = zyg.jvp(lambda x: x * 2, (np.float32(1.5),), (1.0,))
    assert type(y_dot) is np.float32 and y_dot == 2
    with pytest.raises(ValueError, match="shape"):
        zyg.jvp(np.sum, (np.ones(3),), (np.ones(2),))
    with pytest.raises(TypeError):
        zyg.jvp(np.sum, (np.ones(3),), ())
    with pytest.raises(TypeError, match=r"as tuples .* of type ndarray"):
        zyg.jvp(lambda x: x, np.ones(1), np.ones(1))


def test_results_are_the_callers():
    x, x_dot = np.ones(3), np.arange(3.0)
    _, y_dot = zyg.jvp(lambda x: x, (x,), (x_dot,))
    y_dot[0] = 9.0
    assert x_dot[0] == 0.0

    def overwritten(x):
        x[0] = 2.0 * x[1]
        return x

    _y, y_dot = zyg.jvp(overwritten, (x,), (x_dot,))
    assert x_dot[0] == 0.0 and y_dot[0] == 2.0 and x[0] == 2.0


def test_a_function_that_always_raises():
    def failing(x):
        y = x * x
        raise ValueError(y)

    for differentiate in (zyg.gradient, zyg.pullback, lambda f, x: zyg.jvp(f, (x,), (1.0,))):
        with pytest.raises(ValueError, match="4"):
            differentiate(failing, 2.0)


def test_sum_from_a_start_that_is_a_keyword():
    def f(x):
        return sum([x * x, np.array([x, 1.0])], start=np.ones((2, 2)))

    y, y_dot = zyg.jvp(f, (1.5,), (1.0,))
    assert np.array_equal(y, f(1.5))
    assert np.array_equal(y_dot, [[4.0, 3.0], [4.0, 3.0]])


def test_objects_have_dicts_of_tangents():
    body = Body(1.0, 2.0)
    y, y_dot = zyg.jvp(pushed, (body, 3.0), ({"x": 1.0, "v": 0.0}, 0.5))
    assert (y, y_dot) == (1.0 + 0.1 * 5.0, 1.0 + 0.1 * 0.5)
    moved, moved_dot = zyg.jvp(pushed_body, (Body(1.0, 2.0), 3.0), ({"x": 1.0}, 0.5))
    assert moved.x == 1.5 and moved_dot == {"x": 1.05, "v": 0.5}


class Body:
    def __init__(self, x, v):
        self.x = x
        self.v = v


def pushed_body(body, force):
    body.v = body.v + force
    body.x = body.x + 0.1 * body.v
    return body


def pushed(body, force):
    return pushed_body(body, force).x


def test_equal_numbers_of_a_call_of_an_object_are_told_apart():
    """Both arguments are one object in memory, with two tangents."""
    x = 1.5
    assert zyg.jvp(scaled_difference, (x, x), (1.0, 0.0)) == (0.0, 3.0)
    assert zyg.jvp(scaled_difference, (x, x), (0.0, 1.0)) == (0.0, -3.0)


class Scaled:
    def __call__(self, a, b):
        return 3.0 * (a - b)


def scaled_difference(a, b):
    total = 0.0
    for f in [Scaled()]:
        total = total + f(a, b)
    return total


def test_reads_by_repeated_positions_of_what_is_stored_into():
    def f(u):
        u = u.copy()
        u[0] = u[1] * 2.0
        picked = u[[0, 0, 2]]
        u[[1, 1]] = picked[:2] * np.array([1.0, 3.0])
        return np.sum(picked * np.array([1.0, 10.0, 100.0])) + u[1]

    u, u_dot = np.array([1.0, 2.0, 3.0]), np.array([0.5, -1.0, 2.0])
    expected = zyg.gradient(f, u)[0] @ u_dot
    assert zyg.jvp(f, (u,), (u_dot,))[1] == pytest.approx(expected)


def test_sums_of_broadcast_operands_of_which_one_has_no_known_rank():
    def grid(x):
        row = x[None, :]
        column = x[:, None] if x[0] > 0 else x[0]
        return row**2 - column**2

    x = np.array([1.0, 2.0, 3.0])
    _, dot = zyg.jvp(grid, (x,), (x,))
    assert dot.tolist() == (2 * x**2 - 2 * x[:, None] ** 2).tolist()


def test_integers_and_flags_are_not_moved():
    assert zyg.jvp(lambda x, flag: x if flag else -x, (2.0, False), (1.0, None)) == (-2.0, -1.0)
    assert zyg.jvp(lambda n, x: n * x, (3, 2.0), (1.0, 0.0)) == (6.0, 2.0)


def test_changes_in_a_failing_body_are_caught_like_plainly():
    def f(x):
        try:
            y = x**0.5
        except ZeroDivisionError:
            y = -1.0
        return y

    y, y_dot = zyg.jvp(f, (0.0,), (1.0,))
    assert y == 0.0 and y_dot == math.inf


def test_a_rule_of_the_user_says_what_the_tangent_is():
    def scaled(x):
        return np.sum(x)

    @zyg.adjoint(scaled)
    def _(x):
        return np.sum(x), lambda y_bar: (3.0 * y_bar * np.ones(len(x)),)

    assert zyg.jvp(lambda x: scaled(x) * 2.0, (np.ones(2),), (np.ones(2),))[1] == 12.0


def test_mixed_modes_to_third_order():
    def slope(x):
        return zyg.jvp(lambda x: x**4, (x,), (1.0,))[1]

    def curvature(x):
        return zyg.gradient(slope, x)[0]

    def twice(x):
        return zyg.jvp(slope, (x,), (1.0,))[1]

    assert curvature(2.0) == pytest.approx(48.0)
    assert twice(2.0) == pytest.approx(48.0)
    assert zyg.jvp(curvature, (2.0,), (1.0,))[1] == pytest.approx(48.0)
    assert zyg.gradient(twice, 2.0)[0] == pytest.approx(48.0)


def test_a_redefined_helper_is_seen():
    source = {"np": np}
    exec("def outer(x): return inner(x) * x", source)
    source["inner"] = math.sin
    with pytest.raises(zyg.ZygError):
        zyg.jvp(source["outer"], (1.0,), (1.0,))  # no source: refused by name
    global helper
    helper = math.sin
    assert zyg.jvp(uses_helper, (0.0,), (1.0,))[1] == 1.0
    helper = math.cos
    assert zyg.jvp(uses_helper, (0.0,), (1.0,))[1] == 0.0


def uses_helper(x):
    return helper(x)


def test_the_code_runs_by_itself():
    def area(r):
        return math.pi * r * r

    code = zyg.code_tangent(area, 2.0)
    (function,) = code.functions.values()
    assert function(2.0, 1.0) == (math.pi * 4.0, pytest.approx(math.pi * 4.0))


class Holder:
    def __init__(self, x):
        self.x = x


@pytest.mark.parametrize("dot", [1.0, (1.0,), Holder(1.0), {"y": 1.0}])
def test_tangents_of_objects_are_dicts_by_attribute(dot):
    f = lambda holder: holder.x**2
    assert zyg.jvp(f, (Holder(3.0),), ({"x": 1.0},)) == (9.0, 6.0)
    with pytest.raises((TypeError, ValueError), match="the tangent of a Holder object"):
        zyg.jvp(f, (Holder(3.0),), (dot,))


class Layer:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return self.w * x


def test_objects_that_can_be_called_have_tangents_as_others_do():
    assert zyg.jvp(lambda w: Layer(w * w), (3.0,), (1.0,))[1] == {"w": 6.0}
    assert zyg.jvp(lambda w: [Holder(Layer(w * w)), max], (3.0,), (1.0,))[1] == [
        {"x": {"w": 6.0}}, None,
    ]


def test_tangents_of_dicts_name_their_items():
    with pytest.raises(ValueError, match="'y', which it hasn't"):
        zyg.jvp(lambda d: d["x"], ({"x": 3.0},), ({"y": 1.0},))


@pytest.mark.parametrize("f", [
    lambda c: operator.itemgetter("none")(c) + c["a"] ** 2,
    lambda c: sum(map(c.__getitem__, ["a", "none"])) ** 2,
    lambda c: [operator.getitem][0](c, "none") + c["a"] ** 2,
])
def test_items_that_a_counter_lacks_are_constants(f):
    assert zyg.jvp(f, (Counter(a=3.0),), ({"a": 1.0},)) == (9.0, 6.0)
    assert zyg.gradient(f, Counter(a=3.0)) == (Counter(a=6.0),)


class OneSlot:
    __slots__ = "weight"

    def __init__(self, weight):
        self.weight = weight

    def read(self):
        return self.weight


class PrivateSlot:
    __slots__ = ("__weight",)

    def __init__(self, weight):
        self.__weight = weight

    def read(self):
        return self.__weight


@pytest.mark.parametrize(("obj", "name"), [
    (OneSlot(3.0), "weight"), (PrivateSlot(3.0), "_PrivateSlot__weight"),
])
def test_slots_have_tangents_by_their_names(obj, name):
    assert zyg.jvp(lambda obj: obj.read() ** 2, (obj,), ({name: 1.0},)) == (9.0, 6.0)
