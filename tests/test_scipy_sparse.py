"""Products of sparse arrays with dense ones, on either side, and multiples of sparse arrays."""

import numpy as np
import pytest

import zyg

sparse = pytest.importorskip("scipy.sparse")

S = sparse.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]))
ROW, COLUMN = np.array([0.4, 1.2]), np.array([0.3, 0.7, 1.1])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("program", "args"),
    [
        (lambda x: S @ (x * x), (COLUMN,)),
        (lambda x: (x * x) @ S, (ROW,)),
        (lambda x: x @ S, (np.outer(COLUMN, ROW),)),
        (lambda x: S.T @ x, (ROW,)),
        (lambda x: (2.0 * S) @ x, (COLUMN,)),
        (lambda x, c: (c * S) @ x, (COLUMN, 2.0)),
        (lambda x, c: x @ (S / c), (ROW, 2.0)),
    ],
)
def test_products(program, args):
    zyg.check_grads(program, *args, order=1)


def test_forward_mode_beside_a_method():
    y, y_dot = zyg.jvp(lambda x: S @ x + S.dot(x), (COLUMN,), (COLUMN,))
    np.testing.assert_allclose(y, 2.0 * (S @ COLUMN))
    np.testing.assert_allclose(y_dot, y)


def test_what_has_no_rule_is_refused():
    with pytest.raises(zyg.NotDifferentiable, match="multiply"):
        zyg.gradient(lambda x: np.sum(S.multiply(x)), COLUMN)
