"""Arrays that are joined one by one are cut apart again by slices, whatever their kinds."""

import numpy as np
import pytest

import zyg

A, B, C = np.linspace(0.5, 1.0, 3), np.linspace(-1.0, 1.5, 4), np.linspace(2.0, 3.0, 3)
M, N = np.linspace(0.1, 1.2, 6).reshape(2, 3), np.linspace(-0.5, 0.7, 8).reshape(2, 4)
P = np.linspace(1.0, 2.0, 6).reshape(2, 3)

JOINED = {
    "concatenate": (lambda x, y: np.concatenate([x, y]), A, B),
    "concatenate_a_tuple": (lambda x, y: np.concatenate((x, y, x)), A, B),
    "concatenate_columns": (lambda x, y: np.concatenate([x, y], axis=1), M, N),
    "concatenate_from_behind": (lambda x, y: np.concatenate([y, x], axis=-1), M, N),
    "concatenate_rows": (lambda x, y: np.concatenate([x, y], 0), M, P),
    "concatenate_flat": (lambda x, y: np.concatenate([x, y], axis=None), M, A),
    "concatenate_flat_rows": (lambda x, y: np.concatenate([x, y], axis=None), A, B),
    "concatenate_with_a_constant": (lambda x, y: np.concatenate([[0.0], x, y[:2]]), A, B),
    "stack": (lambda x, y: np.stack([x, y, x]), A, C),
    "stack_columns": (lambda x, y: np.stack([x, y], axis=1), M, P),
    "stack_from_behind": (lambda x, y: np.stack([x, y], axis=-1), M, P),
    "stack_numbers": (lambda x, y: np.stack([x[0] * y[1], y[0], 2.0]), A, B),
    "vstack_rows": (lambda x, y: np.vstack([x, y]), A, C),
    "vstack_matrices": (lambda x, y: np.vstack([x, y]), M, P),
    "vstack_both": (lambda x, y: np.vstack([x, y]), M, A),
    "hstack_rows": (lambda x, y: np.hstack([x, y]), A, B),
    "hstack_matrices": (lambda x, y: np.hstack([x, y]), M, N),
    "hstack_numbers": (lambda x, y: np.hstack([x[0], y[1], 3.0]), A, B),
    "column_stack_rows": (lambda x, y: np.column_stack([x, y]), A, C),
    "column_stack_matrices": (lambda x, y: np.column_stack([x, y]), M, N),
    "column_stack_both": (lambda x, y: np.column_stack([x, y]), M, A[:2]),
    "append": (lambda x, y: np.append(x, y), A, B),
    "append_a_number": (lambda x, y: np.append(x, y[0] * 2.0), A, B),
    "append_rows": (lambda x, y: np.append(x, y, axis=0), M, P),
    "append_matrices": (lambda x, y: np.append(x, y), M, P),
}
WRITTEN_OUT = [
    name for name in JOINED if not name.endswith(("_both", "_numbers", "_matrices", "_constant"))
    and "_flat" not in name and name != "append_rows"
]


def weighted(joined):
    def loss(x, y):
        z = joined(x * x, y)
        return np.sum(z * np.arange(1.0, z.size + 1.0).reshape(z.shape) * z)

    return loss


@pytest.mark.parametrize("name", JOINED)
def test_derivatives(name):
    joined, x, y = JOINED[name]
    zyg.check_grads(weighted(joined), x, y, order=2)
    x_bar, y_bar = zyg.gradient(weighted(joined), x, y)
    assert x_bar.shape == x.shape and y_bar.shape == y.shape


@pytest.mark.parametrize("name", WRITTEN_OUT)
def test_code_cuts_by_slices(name):
    joined, x, y = JOINED[name]
    code = str(zyg.code_adjoint(weighted(joined), x, y))
    assert "concatenate_bar" not in code and "stack_bar" not in code and "likes_of" not in code


@pytest.mark.parametrize("name", ["concatenate", "append", "hstack_rows"])
def test_real_and_complex_arrays(name):
    joined, x, y = JOINED[name]

    def loss(x, y):
        z = joined(x, y)
        return np.sum(z.real * z.imag + z.real)

    z = y + 0.5j * y
    x_bar, z_bar = zyg.gradient(loss, x, z)
    assert x_bar.dtype == float and z_bar.dtype == complex
    zyg.check_grads(loss, x, z)


def test_dtypes_are_kept():
    x, y = A.astype(np.float32), B.astype(np.float32)
    x_bar, y_bar = zyg.gradient(lambda x, y: np.sum(np.concatenate([x, y]) ** 2), x, y)
    assert x_bar.dtype == y_bar.dtype == np.float32


def test_pieces_of_one_cotangent_are_apart():
    def loss(x, y):
        z = np.concatenate([x, y])
        return np.sum(z * z)

    _, back = zyg.pullback(loss, A, B)
    (x_bar, y_bar), again = back(1.0), back(1.0)
    x_bar += 1.0
    np.testing.assert_array_equal(y_bar, 2.0 * B)
    np.testing.assert_array_equal(again[0], 2.0 * A)


def gates(z):
    i, f, g, o = np.split(z, 4)
    return np.sum(np.tanh(i) * f + np.sin(g) * o)


def one_gate(z):
    i, _, _, o = np.split(z, 4)
    return np.sum(i * i * o)


@pytest.mark.parametrize("function", [gates, one_gate])
def test_parts_are_joined_again(function):
    z = np.linspace(-1.0, 2.0, 8)
    zyg.check_grads(function, z)


def test_parts_that_are_unpacked_are_a_list_of_cotangents():
    code = str(zyg.code_adjoint(gates, np.linspace(-1.0, 2.0, 8)))
    assert "from_items" not in code and "likes_of" not in code
