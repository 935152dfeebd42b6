"""What goes with a derivative (hooks, constants, auxiliary results, vectors of structures), in
derivatives of every kind and of second order."""

import math
from collections import OrderedDict, deque, namedtuple

import numpy as np
import pytest

import zyg

X = np.array([1.0, 2.0, 3.0])
ONES = np.ones(3)
Pair = namedtuple("Pair", "first second")


def second_derivatives(f, x):
    """The Hessian of `f` in all the ways that there are, as matrices."""
    units = np.eye(len(x))

    def gradient(x):
        return zyg.gradient(f, x)[0]

    back = zyg.pullback(gradient, x)[1]
    return {
        "hessian": zyg.hessian(f, x),
        "hvp": np.array([zyg.hvp(f, x, unit) for unit in units]),
        "reverse over reverse": np.array([back(unit)[0] for unit in units]),
        "jacobian": zyg.jacobian(gradient, x)[0],
        "diaghessian": np.diag(zyg.diaghessian(f, x)[0]),
    }


def check_diagonal(f, expected, x=X):
    for way, found in second_derivatives(f, x).items():
        np.testing.assert_allclose(found, np.diag(expected), rtol=1e-12, err_msg=way)


# Constants


def test_dropgrad_is_constant_in_all_derivatives():
    def f(x):
        return np.sum(zyg.dropgrad(x) * x**2)

    assert np.array_equal(zyg.gradient(f, X)[0], 2.0 * X**2)
    assert zyg.jvp(f, (X,), (ONES,))[1] == pytest.approx(np.sum(2.0 * X**2))
    check_diagonal(f, 2.0 * X)


def test_nograd_is_constant_in_all_derivatives():
    @zyg.nograd
    def total(x):
        return float(np.sum(x))

    def f(x):
        return total(x) * np.sum(x**2)

    assert np.array_equal(zyg.gradient(f, X)[0], 12.0 * X)
    assert zyg.jvp(f, (X,), (ONES,))[1] == pytest.approx(72.0)
    check_diagonal(f, [12.0, 12.0, 12.0])
    (found,) = zyg.jacobian(lambda x: total(x) * x, X)
    assert np.array_equal(found, 6.0 * np.eye(3))


# Hooks


def test_a_hook_sees_and_changes_the_cotangent():
    seen = []

    def note(x_bar):
        seen.append(x_bar)
        return x_bar

    (found,) = zyg.gradient(lambda x: np.sum(zyg.hook(note, x) ** 2), X)
    assert np.array_equal(found, 2.0 * X)
    assert len(seen) == 1
    assert np.array_equal(seen[0], 2.0 * X)
    found = zyg.gradient(lambda x: np.sum(zyg.hook(lambda x_bar: -x_bar, x) ** 3), X)[0]
    assert np.array_equal(found, -3.0 * X**2)
    clipped = zyg.grad(lambda x: zyg.hook(lambda x_bar: min(x_bar, 5.0), x) ** 2)
    assert clipped(2.0) == 4.0
    assert clipped(3.0) == 5.0


def test_a_pullback_calls_its_hooks_each_time():
    seen = []

    def note(x_bar):
        seen.append(x_bar)
        return x_bar

    _, back = zyg.pullback(lambda x: zyg.hook(note, x) * 3.0, 2.0)
    assert seen == []
    assert back(1.0) == (3.0,)
    assert back(2.0) == (6.0,)
    assert seen == [3.0, 6.0]


def test_a_hook_in_second_derivatives_and_jacobians():
    check_diagonal(lambda x: np.sum(zyg.hook(lambda x_bar: 2.0 * x_bar, x) ** 2), [4.0, 4.0, 4.0])
    check_diagonal(
        lambda x: np.sum(zyg.hook(lambda x_bar: x_bar * x_bar, x) ** 2), 8.0 * X
    )  # its gradient is (2 x)^2
    (found,) = zyg.jacobian(lambda x: zyg.hook(lambda x_bar: 2.0 * x_bar, x) * ONES, 2.0)
    assert np.array_equal(found, [2.0, 2.0, 2.0])


def test_what_a_hook_must_not_do():
    with pytest.raises(zyg.NotDifferentiable, match="forward mode has none"):
        zyg.jvp(lambda x: zyg.hook(lambda x_bar: x_bar, x), (1.0,), (1.0,))
    with pytest.raises(ValueError, match="returned None"):
        zyg.gradient(lambda x: zyg.hook(print, x), 1.0)
    with pytest.raises(ValueError, match=r"the shape \(3,\), this one returned one of the shape"):
        zyg.gradient(lambda x: np.sum(zyg.hook(lambda x_bar: x_bar[:2], x)), X)


def test_code_asks_whether_it_is_differentiated():
    def f(x):
        return x**3 if zyg.isderiving() else x

    assert f(2.0) == 2.0
    assert zyg.gradient(f, 2.0) == (12.0,)
    assert zyg.jvp(f, (2.0,), (1.0,)) == (8.0, 12.0)
    assert zyg.pullback(f, 2.0)[0] == 8.0
    assert zyg.hvp(f, 2.0, 1.0) == 12.0
    assert zyg.gradient(lambda xs: sum(map(f, xs)), [1.0, 2.0]) == ([3.0, 12.0],)


# Some arguments, auxiliary results


def product(a, b, c):
    return a * b**2 * c**3


def with_notes(a, b):
    return a * b**2, {"b": b, "text": "kept"}


def test_argnums_as_a_tuple_in_second_derivatives():
    assert zyg.grad(product, (0, 2))(2.0, 3.0, 4.0) == (576.0, 864.0)
    assert zyg.grad(zyg.grad(product, 1), (0, 2))(2.0, 3.0, 4.0) == (384.0, 576.0)
    found = zyg.jacobian(zyg.grad(product, (0, 1)), 2.0, 3.0, 4.0)
    assert found == ((0.0, 384.0), (384.0, 256.0), (432.0, 576.0))

    def part(a):
        return zyg.value_and_grad(product, (0, 1))(a, a, a)[1][1]  # 2 a^5

    assert zyg.jvp(part, (3.0,), (1.0,)) == (486.0, 810.0)
    assert zyg.gradient(part, 3.0) == (810.0,)


def test_auxiliary_results_in_derivatives():
    assert zyg.withgradient(with_notes, 2.0, 3.0) == (
        (18.0, {"b": 3.0, "text": "kept"}), (9.0, 12.0)
    )  # fmt: skip
    both = zyg.value_and_grad(with_notes, (0, 1), has_aux=True)
    assert both(2.0, 3.0) == ((18.0, {"b": 3.0, "text": "kept"}), (9.0, 12.0))

    def gradient_in_b(a):
        return zyg.withgradient(with_notes, a, a)[1][1]  # 2 a^2

    def note(a):
        return zyg.value_and_grad(with_notes, has_aux=True)(a, a)[0][1]["b"] ** 2

    assert zyg.jvp(gradient_in_b, (3.0,), (1.0,)) == (18.0, 12.0)
    assert zyg.gradient(gradient_in_b, 3.0) == (12.0,)
    assert zyg.gradient(note, 3.0) == (6.0,)


# Captured variables, objects, containers


def test_gradients_of_captured_variables():
    def energy(k):
        return lambda x: np.sum(k * x**2)

    own, bar = zyg._pullback(energy(X), ONES)[1](1.0)
    assert np.array_equal(own["k"], ONES)
    assert np.array_equal(bar, 2.0 * X)

    def slope(k):
        return np.sum(zyg.gradient(energy(k), k)[0] ** 2)  # of 2 k^2

    check_diagonal(slope, 48.0 * X**2)


class Layer:
    def __init__(self, weights, bias):
        self.weights = weights
        self.bias = bias

    def __call__(self, x):
        return np.sum(np.tanh(self.weights * x + self.bias))


def test_derivatives_with_objects():
    layer = Layer(np.array([0.1, 0.2, 0.3]), 0.4)
    slope = 1.0 - np.tanh(layer.weights * X + layer.bias) ** 2
    gradient, bar = zyg.gradient(lambda layer, x: layer(x), layer, X)
    np.testing.assert_allclose(gradient["weights"], slope * X)
    np.testing.assert_allclose(gradient["bias"], np.sum(slope))
    np.testing.assert_allclose(bar, slope * layer.weights)
    moved = {"weights": ONES, "bias": 0.0}
    _, y_dot = zyg.jvp(lambda layer, x: layer(x), (layer, X), (moved, None))
    assert y_dot == pytest.approx(np.sum(slope * X))
    nothing, rows = zyg.jacobian(lambda layer, x: layer.weights * x, layer, X)
    assert nothing is None
    assert np.array_equal(rows, np.diag(layer.weights))


def test_second_derivatives_of_containers():
    model = {"w": np.array([1.0, 2.0]), "b": 3.0, "n": 2, "name": "m"}

    def f(model):
        return model["w"] @ model["w"] * model["b"] ** model["n"]

    along = {"w": np.ones(2), "b": 1.0, "n": None, "name": None}
    product = zyg.hvp(f, model, along)
    np.testing.assert_allclose(product["w"], 18.0 + 12.0 * model["w"])
    assert product["b"] == pytest.approx(46.0)
    found = zyg.hessian(f, model)
    assert np.array_equal(found["w"]["b"], 12.0 * model["w"])
    assert found["name"] is None
    (diagonal,) = zyg.diaghessian(f, model)
    assert np.array_equal(diagonal["w"], [18.0, 18.0])
    assert diagonal["b"] == 10.0
    assert diagonal["n"] is None
    assert diagonal["name"] is None


# Structures as vectors

TREES = [
    {"w": np.ones((2, 2), np.float32), "b": 0.5, "n": 3, "text": "t", "none": None},
    {"empty": np.zeros((0, 3)), "number": np.float64(2.0), "counts": np.arange(3), "flag": True},
    [np.array(1.5), np.float32(0.25)], [], (), {}, [[], {}], None, 3, 2.5, np.float32(1.5),
    Pair(1.0, [2.0, (np.ones(2),)]), deque([1.0, 2.0], maxlen=5), OrderedDict(b=1.0, a=2.0),
    [1.0 + 2.0j, 3.0, np.array([1.0j, 2.0])], np.asfortranarray(np.arange(6.0).reshape(2, 3)),
]  # fmt: skip


def same(a, b):
    if isinstance(a, np.ndarray):
        return type(b) is np.ndarray and a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, (list, tuple, deque)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_structures_go_to_vectors_and_back(tree):
    vector, unflatten = zyg.flatten(tree)
    back = unflatten(vector)
    assert same(back, tree)
    assert np.array_equal(unflatten.vector(back), vector)
    assert unflatten.size == len(vector)
    doubled = unflatten(2.0 * vector)
    assert np.array_equal(zyg.flatten(doubled)[0], 2.0 * vector)
    with pytest.raises(ValueError, match="numbers"):
        unflatten(np.ones(len(vector) + 1))


def test_a_complex_number_does_not_lose_its_part():
    _, unflatten = zyg.flatten([1.0, 2.0j])
    assert unflatten(np.array([3.0, 1.0j])) == [3.0, 1.0j]
    with pytest.raises(ValueError, match="complex"):
        unflatten(np.array([1.0j, 2.0j]))


MODEL = {"w": np.array([1.0, 2.0]), "b": 0.5, "n": 3, "name": None}


def loss(model):
    return np.sum(model["w"] ** 3) * model["b"] * model["n"]


def test_derivatives_through_unflatten():
    vector, unflatten = zyg.flatten(MODEL)

    def f(vector):
        return loss(unflatten(vector))

    w, b = MODEL["w"], MODEL["b"]
    gradient = np.array([*(9.0 * w**2 * b), 27.0])
    hessian = np.array([[9.0, 0.0, 9.0], [0.0, 18.0, 36.0], [9.0, 36.0, 0.0]])
    np.testing.assert_allclose(zyg.gradient(f, vector)[0], gradient)
    assert zyg.jvp(f, (vector,), (ONES,))[1] == pytest.approx(np.sum(gradient))
    ways = second_derivatives(f, vector)
    ways["sparse"] = zyg.hessian(f, vector, sparsity="detect").toarray()
    np.testing.assert_allclose(ways.pop("diaghessian"), np.diag(np.diag(hessian)))
    for way, found in ways.items():
        np.testing.assert_allclose(found, hessian, err_msg=way)
    assert zyg.hessian_sparsity(f, vector).nnz == 6


def test_derivatives_through_flatten():
    def f(model):
        return np.sum(zyg.flatten(model)[0] ** 3)

    (gradient,) = zyg.gradient(f, MODEL)
    assert np.array_equal(gradient["w"], [3.0, 12.0])
    assert gradient["b"] == 0.75
    along = {"w": np.ones(2), "b": 1.0, "n": None, "name": None}
    assert zyg.jvp(f, (MODEL,), (along,))[1] == pytest.approx(15.75)
    product = zyg.hvp(f, MODEL, along)
    assert np.array_equal(product["w"], [6.0, 12.0])
    assert product["b"] == 3.0

    def there_and_back(model):
        vector, unflatten = zyg.flatten(model)
        return loss(unflatten(2.0 * vector))

    (gradient,) = zyg.gradient(there_and_back, MODEL)
    np.testing.assert_allclose(gradient["b"], 16.0 * 27.0)
    assert math.isclose(zyg.jvp(there_and_back, (MODEL,), (along,))[1], 16.0 * (27.0 + 22.5))


def wave(p, x):
    return np.sum(p * np.sin(x)) * np.exp(-x[0])


def laplacian(p, x):
    total = 0.0
    for i in range(len(x)):
        unit = np.zeros(len(x))
        unit[i] = 1.0
        total += zyg.hvp(lambda x: wave(p, x), x, unit)[i]
    return total**2


def laplacian_by_one_buffer(p, x):
    total, unit = 0.0, np.zeros(len(x))
    for i in range(len(x)):
        unit[:] = 0.0
        unit[i] = 1.0
        total += zyg.hvp(lambda x: wave(p, x), x, unit)[i] * (i + 1)
        unit *= total
        total += zyg.hvp(lambda x: wave(p, x), x, unit)[0]
    return total


def slope_along_what_is_changed(p, x):
    y, back = zyg.pullback(lambda x: zyg.gradient(wave, p, x)[1], x)
    total, seed = 0.0, x.copy()
    for _ in range(2):
        total += np.sum(back(seed)[0] * y)
        seed *= total
    return total


@pytest.mark.parametrize(
    "f", [laplacian, laplacian_by_one_buffer, slope_along_what_is_changed]
)
def test_directions_that_are_changed_in_place(f):
    zyg.check_grads(f, np.array([0.3, 1.2]), np.array([0.4, 0.9]), order=1)


@zyg.nograd
def weight(x, *others):
    return x * x + sum(others)


class Weighted:
    def __init__(self, items):
        self.items = items

    def changed(self):
        self.items = [x + 1.0 for x in self.items]
        return weight(*self.items) * self.items[0]


@pytest.mark.parametrize(("f", "expected"), [
    (lambda xs: weight(*xs) * xs[0], 3.0),
    (lambda xs: weight(*np.array(xs)) * xs[0], 3.0),
    (lambda xs: weight(xs[0], *xs) * xs[0], 4.0),
    (lambda xs: sum(weight(*p) for p in zip(xs, xs, strict=True)) * xs[0], 8.0),
    (lambda xs: Weighted(xs).changed(), 7.0),
])
def test_nograd_of_a_function_that_takes_any_number_of_arguments(f, expected):
    xs = [1.0, 2.0]
    assert zyg.gradient(f, xs) == ([expected, 0.0],)
    assert zyg.jvp(f, (xs,), ([1.0, 5.0],))[1] == expected
    np.testing.assert_allclose(zyg.gradient(lambda x: f([x, 2.0 * x]), 1.0), expected)


@pytest.mark.parametrize("f", [
    lambda x: np.sum((x**2).astype(np.float64) ** 2),
    lambda x: np.sum(np.cumsum(x * x, dtype=np.float64)),
    lambda x: np.sum(x.astype(np.float32) ** 3),
])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gradients_inside_have_the_precision_of_the_argument(f, dtype):
    def gradient(x):
        return zyg.gradient(f, x)[0]

    x = np.array([0.5, -0.7, 1.3], dtype)
    y, back = zyg.pullback(gradient, x)
    along, y_dot = zyg.jvp(gradient, (x,), (x,))
    assert {a.dtype for a in (gradient(x), y, back(x)[0], along, y_dot)} == {np.dtype(dtype)}
    np.testing.assert_allclose(y, gradient(x), rtol=1e-12)
    np.testing.assert_allclose(y_dot, back(x)[0], rtol=1e-6)


@zyg.nograd
def overwrite(a, value):
    a[0] = value


@zyg.nograd
def note(items, value):
    items.append(value)


@zyg.nograd
def put_first(items):
    items.insert(0, 5.0)


def with_overwritten(x):
    a = np.array([x, x * x])
    overwrite(a, 7.0)
    return a[0] * a[1]


def with_one_more(x):
    items = [x, x * x]
    put_first(items)
    return items[0] * items[1] + items[2]


def with_another_key(x):
    table = {0: x, 1: x * x}
    overwrite(table, 7.0)
    return table[0] * table[1]


@pytest.mark.parametrize(("f", "slope"), [
    (with_overwritten, 14 * 0.7), (with_one_more, 5 + 2 * 0.7), (with_another_key, 14 * 0.7),
])
def test_nograd_of_a_function_that_changes_what_varies(f, slope):
    assert zyg.gradient(f, 0.7) == pytest.approx((slope,), rel=1e-12)
    assert zyg.jvp(f, (0.7,), (1.0,))[1] == pytest.approx(slope, rel=1e-12)


def test_nograd_of_a_function_that_changes_constants():
    def f(x):
        buffer, log = np.zeros(2), []
        for i in range(2):
            overwrite(buffer, x)
            note(log, x * i)
        return buffer[0] * x + len(log)

    assert zyg.gradient(f, 3.0) == (3.0,)


def test_items_that_nobody_was_seen_to_put_into_a_list():
    def f(x):
        log = []
        note(log, 2.0)
        return x * x + log[0] * x

    assert zyg.gradient(f, 3.0) == (8.0,)
    assert zyg.pullback(f, 3.0)[1](1.0) == (8.0,)
