"""Sparse Jacobians and Hessians: patterns, colourings, products, and what is refused."""

import functools
import itertools
import math
import sys

import numpy as np
import pytest
from scipy import optimize, sparse

import zyg
from zyg.sparsity import colouring, compressed

N = 9
X = np.random.default_rng(3).uniform(0.4, 1.6, N)
BANDS = sparse.diags([1.0, -2.0, 1.0], offsets=[-1, 0, 1], shape=(N, N)).toarray()


# Programs


def by_slices(x):
    return x[2:] - 2.0 * x[1:-1] * x[:-2] + np.exp(x[1:-1])


def by_a_loop(x):
    r = np.zeros(len(x))
    for i in range(len(x)):
        r[i] = (3.0 - 2.0 * x[i]) * x[i] + 1.0
        if i > 0:
            r[i] -= math.sin(x[i - 1])
        if i < len(x) - 1:
            r[i] -= 2.0 * x[i + 1] ** 2
    return r


def by_stores_of_slices(x):
    r = np.empty_like(x)
    r[0] = x[0] ** 2
    r[1:-1] = x[2:] * x[1:-1] - x[:-2]
    r[-1] = 3.0
    left = r[:3]
    left *= x[4]
    return r


def by_a_list(x):
    return np.array([(a - b) ** 2 for a, b in zip(x[1:], x[:-1], strict=True)])


def by_a_matrix(x):
    return BANDS @ x**3 + np.roll(x, 2)


LAPLACIAN = sparse.csr_array(BANDS)


def by_a_sparse_matrix(x):
    return LAPLACIAN @ x**3 + (LAPLACIAN @ (x[:, None] * x[:2]))[:, 1]


def by_rows(x):
    grid = np.outer(x[:3], x[3:6])
    grid = grid.T.reshape(-1) + 0.0
    return np.concatenate([grid, np.sum(x.reshape(3, 3) ** 2, axis=1), [1.0]])


def by_padding(x):
    padded = np.pad(x, 1, mode="wrap")
    return np.diff(padded, n=2) + np.convolve(x, [1.0, 0.5], mode="same")


def by_helpers(x):
    def part(i):
        return np.maximum(x[i], half(x[i - 1]))

    return np.stack([part(i) for i in range(1, len(x))])


def half(a):
    while a > 0.3:
        a = a / 2.0
    return np.sqrt(a)


def by_places(x):
    r = np.zeros((2, len(x)))
    np.add.at(r, (0, [1, 1, 3]), x[:3])
    r[1, x > 1.0] = x[x > 1.0]
    return r


def in_part_dense(x):
    return np.linalg.solve(BANDS[:3, :3] + np.diag(x[:3]), x[3:6])


PROGRAMS = (
    by_slices, by_a_loop, by_stores_of_slices, by_a_list, by_a_matrix, by_a_sparse_matrix,
    by_rows, by_padding, by_helpers, by_places, in_part_dense,
)  # fmt: skip
EXACT = {by_slices, by_a_loop, by_stores_of_slices, by_a_list, by_a_matrix, by_padding, by_places}


def differences(f, x):
    """The Jacobian by central differences."""
    steps = 1e-6 * np.eye(len(x))
    return np.array([np.ravel(f(x + h) - f(x - h)) / 2e-6 for h in steps]).T


@pytest.mark.parametrize("f", PROGRAMS)
def test_a_pattern_lacks_nothing(f):
    (pattern,) = zyg.jacobian_sparsity(f, X)
    entries = np.abs(differences(f, X)) > 1e-5
    assert pattern.dtype == bool
    assert not np.any(entries & ~pattern.toarray())
    if f in EXACT:
        assert np.array_equal(entries, pattern.toarray())


@pytest.mark.parametrize("f", PROGRAMS)
def test_a_sparse_jacobian_is_the_dense_one(f):
    (found,) = zyg.jacobian(f, X, sparsity="detect")
    (expected,) = zyg.jacobian(f, X)
    assert found.format == "csr"
    np.testing.assert_allclose(
        found.toarray(), expected.reshape(found.shape), rtol=1e-12, atol=1e-14
    )


# The second derivative of a product with a sparse matrix in a closure's function raises as yet.
@pytest.mark.parametrize("f", [f for f in PROGRAMS if f is not by_a_sparse_matrix])
def test_a_pattern_of_second_derivatives_lacks_nothing(f):
    weights = np.random.default_rng(4).uniform(0.5, 1.5, np.size(f(X)))

    def total(x):
        return np.sum(weights * np.ravel(f(x)))

    expected = zyg.hessian(total, X)
    pattern = zyg.hessian_sparsity(total, X).toarray()
    assert not np.any((np.abs(expected) > 1e-12) & ~pattern)
    found = zyg.hessian(total, X, sparsity="detect")
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-10, atol=1e-12)


def test_second_derivatives_through_a_sparse_matrix():
    def energy(x):
        return np.sum(((-0.5 * LAPLACIAN) @ x**2) ** 2)

    found = zyg.hessian(energy, X, sparsity="detect")
    expected = zyg.hessian(energy, X)
    assert np.array_equal(np.abs(np.subtract.outer(range(N), range(N))) <= 2, expected != 0)
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-12)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_by_a_loop(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


@pytest.mark.parametrize("f", [rosenbrock, rosenbrock_by_a_loop])
def test_the_hessian_of_a_chain_has_three_diagonals(f):
    n = 2000
    x = np.linspace(-1.0, 1.0, n)
    found = zyg.hessian(f, x, sparsity="detect")
    assert found.nnz == 3 * n - 2
    diagonal = 2.0 + 1200.0 * x[:-1] ** 2 - 400.0 * x[1:]
    diagonal[1:] += 200.0
    np.testing.assert_allclose(found.diagonal(), [*diagonal, 200.0], rtol=1e-12)
    np.testing.assert_allclose(found.diagonal(1), -400.0 * x[:-1], rtol=1e-12)
    np.testing.assert_allclose(found.diagonal(-1), -400.0 * x[:-1], rtol=1e-12)


def test_numbers_by_other_ways_into_arrays():
    def f(x):
        filled = np.full(3, [x[0], x[1], 2.0]) * np.full((2, 3), fill_value=x[2])
        moved = np.flip(m=x)
        windows = np.lib.stride_tricks.sliding_window_view(x, 2)
        joined = np.concatenate([x[:2], [1.0]], dtype=np.float64)
        same = x.astype(float, copy=False)
        return [filled, moved[:1], np.sum(windows, axis=1), joined, same.real, np.asarray(x).imag]

    x = X[:3]
    value = zyg.flatten(f(x))[0]
    steps = 1e-6 * np.eye(3)
    rows = [(zyg.flatten(f(x + h))[0] - zyg.flatten(f(x - h))[0]) / 2e-6 for h in steps]
    (pattern,) = zyg.jacobian_sparsity(f, x)
    assert pattern.shape == (len(value), 3)
    assert not np.any((np.abs(np.array(rows).T) > 1e-5) & ~pattern.toarray())


def test_lengths_of_complex_numbers_are_not_linear():
    pattern = zyg.hessian_sparsity(lambda x: np.sum(np.abs(x[:2] + 1j * x[1:])), X[:3])
    assert np.array_equal(pattern.toarray(), np.abs(np.subtract.outer(range(3), range(3))) <= 1)
    assert zyg.hessian_sparsity(lambda x: np.sum(np.abs(x)), X[:3]).nnz == 0


def test_arrays_of_objects_are_refused():
    with pytest.raises(zyg.NotDifferentiable, match="dtype object"):
        zyg.jacobian_sparsity(lambda x: np.sum(np.array([x[0], x[1]], dtype=object)), X)


def test_only_what_is_brought_together_has_second_derivatives():
    def f(x):
        linear = np.sum(x) + 3.0 * x[0] - x[1] / 2.0
        return linear + x[2] * x[3] + x[4] / x[5] + x[6:8] @ x[6:8] + np.abs(x[8])

    expected = np.zeros((N, N), bool)
    for i, j in ((2, 3), (4, 5), (5, 5), (6, 6), (7, 7)):
        expected[i, j] = expected[j, i] = True
    assert np.array_equal(zyg.hessian_sparsity(f, X).toarray(), expected)


def test_several_arguments_and_containers():
    def f(model, t):
        return {"scaled": model["w"] * t[0], "bias": model["b"] + t[1], "steps": 3}

    model, t = {"w": np.arange(1.0, 4.0), "n": 2, "b": 0.5}, (2.0, 3.0)
    of_model, of_t = zyg.jacobian(f, model, t, sparsity="detect")
    np.testing.assert_allclose(of_model.toarray(), np.diag([2.0, 2.0, 2.0, 1.0]))
    np.testing.assert_allclose(of_t.toarray(), [[1.0, 0], [2.0, 0], [3.0, 0], [0, 1.0]])
    given = (np.eye(4), np.ones((4, 2)))
    of_model, of_t = zyg.jacobian(f, model, t, sparsity=given)
    np.testing.assert_allclose(of_model.toarray(), np.diag([2.0, 2.0, 2.0, 1.0]))
    np.testing.assert_allclose(of_t.toarray(), [[1.0, 0], [2.0, 0], [3.0, 0], [0, 1.0]])


def test_float32_stays_so():
    x = X.astype(np.float32)
    (found,) = zyg.jacobian(by_slices, x, sparsity="detect")
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.toarray(), zyg.jacobian(by_slices, x)[0], rtol=1e-5)


def test_a_pattern_holds_for_the_way_that_the_program_takes():
    def f(x):
        return x[0] * x if x[0] > 0 else x

    assert zyg.jacobian_sparsity(f, np.array([1.0, 2.0]))[0].nnz == 3
    assert zyg.jacobian_sparsity(f, np.array([-1.0, 2.0]))[0].nnz == 2


def test_patterns_are_those_of_the_code_that_is_differentiated():
    def f(x):
        return x * x[0] if zyg.isderiving() else x

    assert zyg.jacobian_sparsity(f, X)[0].nnz == 2 * N - 1
    (constant,) = zyg.jacobian_sparsity(lambda x: zyg.dropgrad(x), X)
    assert constant.nnz == 0


def test_the_arguments_are_left_alone():
    def f(x):
        x *= 2.0
        return x[1:] * x[:-1]

    x = X.copy()
    zyg.jacobian_sparsity(f, x)
    assert np.array_equal(x, X)


# Patterns that are given


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.coo_matrix])
def test_a_pattern_may_be_given(form):
    pattern = form(np.abs(differences(by_slices, X)) > 1e-5)
    (found,) = zyg.jacobian(by_slices, X, sparsity=pattern)
    np.testing.assert_allclose(found.toarray(), zyg.jacobian(by_slices, X)[0], rtol=1e-12)


def test_a_pattern_that_lacks_entries_is_noticed():
    (pattern,) = zyg.jacobian_sparsity(by_a_loop, X)
    for row, column in ((0, 0), (3, 4), (8, 7)):
        wrong = pattern.toarray()
        wrong[row, column] = False
        with pytest.raises(zyg.SparsityMismatch, match="lacks entries"):
            zyg.jacobian(by_a_loop, X, sparsity=wrong)
    wrong = zyg.hessian_sparsity(rosenbrock, X).toarray()
    wrong[2, 3] = wrong[3, 2] = False
    with pytest.raises(zyg.SparsityMismatch, match="lacks entries"):
        zyg.hessian(rosenbrock, X, sparsity=wrong)


def test_half_a_symmetric_pattern_is_enough():
    half_pattern = np.tril(np.ones((N, N))) * (np.abs(BANDS) > 0)
    found = zyg.hessian(rosenbrock, X, sparsity=half_pattern)
    np.testing.assert_allclose(found.toarray(), zyg.hessian(rosenbrock, X), rtol=1e-12)


def test_patterns_of_other_shapes_are_refused():
    with pytest.raises(ValueError, match="shape"):
        zyg.jacobian(by_slices, X, sparsity=np.eye(N))
    with pytest.raises(ValueError, match="2 patterns for 1"):
        zyg.jacobian(by_slices, X, sparsity=(np.eye(N), np.eye(N)))
    with pytest.raises(ValueError, match="detect"):
        zyg.jacobian(by_slices, X, sparsity="auto")


def test_optimisers_take_the_matrices():
    (pattern,) = zyg.jacobian_sparsity(by_a_loop, X)
    solution = optimize.least_squares(
        by_a_loop, -np.ones(N), lambda x: zyg.jacobian(by_a_loop, x, sparsity=pattern)[0],
        tr_solver="lsmr",
    )  # fmt: skip
    assert np.max(np.abs(by_a_loop(solution.x))) < 1e-8
    found = optimize.minimize(
        rosenbrock, np.zeros(N), method="trust-constr", jac=zyg.grad(rosenbrock),
        hess=functools.partial(zyg.hessian, rosenbrock, sparsity="detect"),
    )  # fmt: skip
    np.testing.assert_allclose(found.x, np.ones(N), atol=1e-5)


# Colourings


def random_pattern(random, rows, columns):
    return sparse.csr_array(random.random((rows, columns)) < random.choice([0.05, 0.2, 0.5]))


@pytest.mark.parametrize("seed", range(40))
def test_as_many_products_as_colours_give_all_entries(seed):
    random = np.random.default_rng(seed)
    pattern = random_pattern(random, *random.integers(1, 14, 2))
    matrix = pattern.toarray() * random.uniform(0.5, 1.5, pattern.shape)
    products = []

    def forward(v):
        products.append(v)
        return matrix @ v

    def backward(v):
        products.append(v)
        return v @ matrix

    for goes_forward in (forward, None):
        products.clear()
        by_columns, colours = colouring.jacobian_groups(pattern, goes_forward is not None)
        found = compressed.compressed_jacobian(pattern, goes_forward, backward, np.dtype(float))
        np.testing.assert_allclose(found.toarray(), matrix, rtol=1e-14)
        used = {colours[i] for i in pattern.nonzero()[1 if by_columns else 0]}
        assert len(products) == len(used) + 1  # the last one checks
        assert len(colours) == matrix.shape[1 if by_columns else 0]


@pytest.mark.parametrize("seed", range(40))
def test_symmetric_colours_give_all_entries(seed):
    random = np.random.default_rng(seed)
    half_pattern = random_pattern(random, *[random.integers(1, 14)] * 2).toarray()
    pattern = half_pattern | half_pattern.T
    matrix = pattern * random.uniform(0.5, 1.5, pattern.shape)
    matrix = matrix + matrix.T
    products = []

    def product(v):
        products.append(v)
        return matrix @ v

    given = sparse.csr_array(pattern)
    found = compressed.compressed_hessian(given, product, np.dtype(float))
    np.testing.assert_allclose(found.toarray(), matrix, rtol=1e-14)
    assert len(products) <= colouring.count(colouring.hessian_groups(given)) + 1


def test_known_patterns_take_known_numbers_of_colours():
    n = 50
    bands = sparse.diags([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(n, n))
    row = sparse.csr_array(np.eye(n) + (np.arange(n) == 0)[:, None])
    arrow = sparse.csr_array(np.abs(row + row.T))
    assert colouring.count(colouring.column_colours(bands)) == 3
    by_columns, colours = colouring.jacobian_groups(row, True)
    assert not by_columns
    assert colouring.count(colours) == 2
    assert colouring.count(colouring.symmetric_colours(sparse.csr_array(bands))) == 3
    assert colouring.count(colouring.symmetric_colours(arrow)) == 2
    reverse = sparse.csr_array(arrow.toarray()[::-1, ::-1])
    assert colouring.count(colouring.symmetric_colours(reverse)) == 2


def test_the_program_runs_once_for_each_colour():
    runs = []

    @zyg.nograd
    def note():
        runs.append(1)

    def f(x):
        note()
        return by_slices(x)

    (pattern,) = zyg.jacobian_sparsity(f, X)
    assert len(runs) == 1
    runs.clear()
    zyg.jacobian(f, X, sparsity=pattern)
    _, colours = colouring.jacobian_groups(pattern, True)
    assert colouring.count(colours) == 3
    assert len(runs) == 3 + 2  # the shape of the result, and the check


# Code in other places than functions of the module


class Spring:
    kind = 2.0

    def __init__(self, stiffness, link=None):
        self.stiffness = stiffness
        self.link = link
        self.forces = 0

    def force(self, x):
        self.forces += 1
        return self.stiffness * math.sin(x) + self.shift(x)

    @staticmethod
    def shift(x):
        return math.sqrt(x * x + 1.0)

    @property
    def other(self):
        return self.link

    def __eq__(self, other):
        return type(self) is type(other) and isinstance(other, Spring)


class StiffSpring(Spring):
    def force(self, x):
        return super().force(x) if self.kind > 3.0 else math.exp(x) + Spring.shift(x)


def test_methods_run_on_traced_values():
    spring = Spring(2.0, link=StiffSpring(3.0))

    def by_an_object_that_exists(x):
        return np.array([spring.force(x[0]), spring.other.force(x[1]), Spring.shift(x[2])])

    def by_objects_that_are_made(x):
        pairs = itertools.pairwise([Spring(a) for a in x])
        return np.array([a.force(b.stiffness) for a, b in pairs if a == b])

    def by_classes(x):
        match spring:
            case StiffSpring():
                return x[:1]
            case Spring(stiffness=a):
                return np.array([a * math.sin(x[1])])

    assert np.array_equal(pattern_of(by_an_object_that_exists), np.eye(3, len(X), dtype=bool))
    assert spring.forces == 1
    assert type(spring) is Spring
    neighbours = np.eye(len(X) - 1, len(X)) + np.eye(len(X) - 1, len(X), 1)
    assert np.array_equal(pattern_of(by_objects_that_are_made), neighbours.astype(bool))
    assert np.array_equal(np.flatnonzero(pattern_of(by_classes)), [1])


def test_modules_imported_in_functions():
    def f(x):
        import math as mathematics
        from math import cos

        return np.array([mathematics.sin(x[0]), cos(x[2])])

    assert np.array_equal(np.argwhere(pattern_of(f)), [[0, 0], [1, 2]])


def test_functions_in_a_tuple():
    functions = (math.sin, math.cos)

    def f(x):
        return np.array([g(a) for g, a in zip(functions, x, strict=False)])

    assert np.array_equal(np.argwhere(pattern_of(f)), [[0, 0], [1, 1]])


def pattern_of(f):
    return zyg.jacobian_sparsity(f, X)[0].toarray()


# What is refused


class Slotted:
    """Its objects have no second ones beside them, so that their methods run as they are."""

    __slots__ = ()

    def value(self, x):
        return math.sin(x[0])

    def value_or_zero(self, x):
        try:
            return np.array([math.sin(x[0])])
        except TypeError:
            return np.zeros(1)


def test_what_hides_numbers_is_refused():
    model = Slotted()
    with pytest.raises(zyg.NotDifferentiable, match="sparsity=pattern"):
        zyg.jacobian_sparsity(lambda x: model.value(x), X)


def test_a_handler_does_not_hide_a_refusal():
    model = Slotted()
    with pytest.raises(zyg.NotDifferentiable, match="sparsity=pattern"):
        zyg.jacobian_sparsity(lambda x: model.value_or_zero(x), X)


def test_forward_mode_is_not_needed():
    def f(x):
        return np.array([a * b for a, b in itertools.pairwise(x)])

    (found,) = zyg.jacobian(f, X, sparsity="detect")
    np.testing.assert_allclose(found.toarray(), zyg.jacobian(f, X)[0], rtol=1e-12)


def test_inner_gradients_are_refused():
    with pytest.raises(zyg.NotDifferentiable, match="sparsity=pattern"):
        zyg.jacobian_sparsity(lambda x: zyg.gradient(rosenbrock, x)[0], X)


def test_cached_functions_are_refused():
    @functools.cache
    def square(a):
        return a * a

    square(float(X[0]))
    with pytest.raises(zyg.NotDifferentiable, match="sparsity=pattern"):
        zyg.jacobian_sparsity(lambda x: np.array([square(x[0])]), X)


def test_errors_of_the_program_are_raised_as_they_are():
    with pytest.raises(ZeroDivisionError):
        zyg.jacobian_sparsity(lambda x: x / (1 // 0), X)


def test_a_hessian_is_that_of_a_number():
    with pytest.raises(TypeError, match="one real number"):
        zyg.hessian_sparsity(by_slices, X)
    with pytest.raises(zyg.NotDifferentiable, match="complex"):
        zyg.jacobian(lambda z: z, np.ones(2, complex), sparsity="detect")


def test_without_scipy_an_error_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(ImportError, match="install scipy"):
        zyg.jacobian(by_slices, X, sparsity="detect")
