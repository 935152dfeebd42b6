"""Arrays: elementwise, broadcasting, reductions, shapes, indexing, linear algebra, no mutation."""

import numpy as np

from tests.corpus.registry import program

V = np.array([0.5, -1.2, 2.0])
W = np.array([1.5, 0.3, -0.7])
A = np.array([[2.0, 0.3, -0.4], [0.1, 1.5, 0.2], [-0.3, 0.4, 1.8]])
B = np.array([[0.5, -0.2], [1.0, 0.3], [0.7, 0.9]])
X = np.array([[0.2, -0.5, 1.0], [0.8, 0.1, -0.3]])


@program((V, W))
def elementwise(x, y):
    return x * y + x / (y * y + 1) - y**2


@program((V,))
def ufuncs(x):
    return np.sin(x) * np.exp(-x) + np.tanh(x) + np.log(x * x + 1) + np.sqrt(np.abs(x))


@program((V, 2.0), (np.abs(V), 2.0))
def scalar_with_array(x, s):
    return s * x + x**s if np.all(x > 0) else s * x - s / x


@program((A, V))
def broadcast_rows(a, v):
    return a * v + v


@program((A, V))
def broadcast_columns(a, v):
    return a * v[:, np.newaxis] - v[:, None] / 2


@program((np.array([[1.0], [2.0]]), np.array([[0.5, 1.5, 2.5]])))
def broadcast_both(column, row):
    return column * row + column


@program((np.float64(2.0), V))
def numpy_scalar(s, x):
    return np.sum(x * s) * s


@program((np.array(2.0), V))
def zero_dimensional(s, x):
    return np.sum(x * s) + s * s


@program((V,))
def norms(x):
    return np.sqrt(np.sum(x * x)) + np.linalg.norm(x) + np.abs(x).sum() + x @ x


@program((A,))
def reductions_with_axis(a):
    return np.sum(a, axis=0), a.mean(axis=1), np.sum(a, axis=(0, 1)), a.sum()


@program((A,))
def reductions_keep_dimensions(a):
    centred = a - a.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).sum(axis=1, keepdims=True))


@program((A,))
def extremes(a):
    return np.max(a), a.min(axis=0), np.maximum(a, 0.15) * np.minimum(a, 1.0)


@program((A,))
def moments(a):
    return np.var(a, axis=0) + np.std(a), np.prod(a, axis=1), np.cumsum(a, axis=1)


@program((V,))
def softmax(x):
    shifted = x - np.max(x)
    weights = np.exp(shifted)
    return weights / np.sum(weights)


@program((A,))
def log_sum_exp(a):
    top = np.max(a, axis=-1, keepdims=True)
    return np.log(np.sum(np.exp(a - top), axis=-1)) + top[:, 0]


@program((V,))
def log_sum_exp_of_all(x):
    largest = np.max(x)
    return largest + np.log(np.sum(np.exp(x - largest)))


@program((A, V))
def signs_and_factors(a, v):
    quotient = -a / v
    return np.sum(0.5 * (quotient - v) ** 2 - 3.0 * a * -quotient) - 2.0 * np.sum(-v)


@program(((A, V), (B, np.array([0.1, 0.2])), X))
def two_layers(first, second, x):
    w, b = first
    hidden = np.tanh(x @ w + b)
    w, b = second
    return hidden @ w + b


@program(([(A, V), (A.T, W)], X))
def layers_in_loop(layers, x):
    for w, b in layers:
        x = np.maximum(x @ w + b, 0.0)
    return np.mean(x**2)


@program((X, np.array([0, 2])))
def cross_entropy(logits, labels):
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_probabilities = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return -log_probabilities[np.arange(len(labels)), labels].mean()


@program((A, B, V))
def matrix_products(a, b, v):
    return a @ b, a @ v, v @ a, np.dot(a, b), np.dot(v, v), np.matmul(a, v)


@program((A, B))
def contractions(a, b):
    return np.einsum("ij,jk->ik", a, b), np.einsum("ij->", a), np.tensordot(a, b, axes=1)


@program((V, W))
def outer_and_trace(x, y):
    return np.trace(np.outer(x, y)) + np.sum(np.outer(y, y)[0])


@program((A,))
def items(a):
    return a[0, 1] * a[-1, -1] + a[1][2]


@program((A,))
def slices(a):
    return a[1:, :2] * a[:2, 1:], a[::-1], a[..., 0], a[:, ::2]


@program((V, 1), (V, -1))
def index_argument(x, i):
    return x[i] * x[i - 1] + x[:2][i]


@program((V,))
def boolean_mask(x):
    return np.sum(x[x > 0] ** 2) + np.sum(x[x < 0])


@program((A,))
def fancy_indices(a):
    return a[[0, 2, 0]], a[[0, 1], [1, 2]], a[:, [2, 2]], np.take(a, [0, 5])


@program((V,))
def where(x):
    return np.where(x > 0, x * x, -3 * x), np.where(x > 0, np.log(np.abs(x)), 0.0)


@program((V,))
def clipped(x):
    return np.clip(x, -1.0, 1.5) * x + x.clip(0.0, None)


@program((A,))
def reshaped(a):
    return a.reshape(9)[::4], a.reshape(1, -1) * 2, np.ravel(a)[3:], a.flatten()[0]


@program((X,))
def transposed(x):
    return x.T @ x, np.transpose(x), np.swapaxes(x, 0, 1) * 2, x.transpose(1, 0)


@program((X,))
def expanded(x):
    return np.expand_dims(x, 0) + x[:, None, :], np.squeeze(x[:1]), np.atleast_2d(x[0])


@program((V, W))
def joined(x, y):
    return (
        np.concatenate([x, y * 2]),
        np.stack([x, y], axis=1),
        np.hstack((x, y)),
        np.vstack((x, y)),
    )


@program((np.arange(6.0) / 4,))
def split_up(x):
    a, b, c = np.split(x, 3)
    return a * b - c


@program((A,))
def repeated(a):
    return np.tile(a[0], 2), np.repeat(a[1], 2), np.roll(a, 1, axis=0), np.flip(a, 1)


@program((A, V))
def rows_in_loop(a, v):
    total = np.zeros(3)
    for row in a:
        total = total * 0.5 + row * (row @ v)
    return total


@program((A,))
def rows_unpacked(a):
    first, second, third = a
    return first * second - third


@program((V,))
def items_in_loop(x):
    total = 0.0
    for value in x:
        total = total * 0.5 + value * value
    return total


@program((np.array([0.5, 1.5, 0.8, 1.2]),))
def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return total


@program((A, np.array([[0.3, -0.1, 0.2]] * 4)))
def recurrent(w, inputs):
    state = np.zeros(3)
    states = []
    for x in inputs:
        state = np.tanh(w @ state + x)
        states = states + [state]
    return np.stack(states)


@program((V,))
def stacked_comprehension(x):
    return np.array([x * i for i in range(3)]) @ x, np.array([v * v for v in x])


@program((0.5, 2.0))
def array_of_scalars(x, y):
    a = np.array([x, y, x * y])
    return np.sum(a * a) + a[2] * x, np.array([[x, 1.0], [y, x]]) @ np.array([y, 2.0])


@program((A, V))
def solved(a, v):
    return np.linalg.solve(a, v), np.linalg.inv(a) @ v


@program((A,))
def determinants(a):
    sign, log_det = np.linalg.slogdet(a)
    return np.linalg.det(a) + sign * log_det


@program((A,))
def cholesky_factor(a):
    return np.linalg.cholesky(a @ a.T + np.eye(3))


@program((V, A))
def gaussian_log_density(x, a):
    covariance = a @ a.T + 0.5 * np.eye(len(x))
    factor = np.linalg.cholesky(covariance)
    z = np.linalg.solve(factor, x)
    return -0.5 * z @ z - np.sum(np.log(np.diag(factor))) - 0.5 * len(x) * np.log(2 * np.pi)


@program((np.array([1.2, 0.9, 1.4, 1.1]), 0.3, 0.2))
def kalman_filter(observations, noise, drift):
    mean, variance, likelihood = 0.0, 10.0, 0.0
    for y in observations:
        variance = variance + drift
        total = variance + noise
        error = y - mean
        likelihood -= 0.5 * (np.log(2 * np.pi * total) + error**2 / total)
        gain = variance / total
        mean = mean + gain * error
        variance = (1 - gain) * variance
    return likelihood


@program((np.array([1.0, 0.5]), np.array([0.5, 0.2])))
def runge_kutta(state, parameters):
    def slope(y):
        a, b = parameters
        return np.array([a * y[0] - b * y[0] * y[1], b * y[0] * y[1] - a * y[1]])

    h = 0.1
    for _ in range(4):
        k1 = slope(state)
        k2 = slope(state + h / 2 * k1)
        k3 = slope(state + h / 2 * k2)
        k4 = slope(state + h * k3)
        state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return state


@program((V,), (-V,), (-A,))
def branch_on_array(x):
    if np.sum(x) > 0:
        return x * x
    elif x.ndim == 2:
        return x
    return np.sum(x) * x


@program((V,))
def shapes_steer(x):
    n = x.shape[0]
    grid = np.arange(n) / n + np.ones_like(x) * np.linspace(0.0, 1.0, n)
    return np.sum(x * grid) / x.size + len(x) * x.dtype.itemsize


@program((V, np.array([True, False, True])))
def mask_argument(x, mask):
    return np.sum(x[mask]) * np.sum(x[~mask] ** 2) + np.sum(x * mask)


@program((V, [0, 2, 2]))
def gathered(x, indices):
    return [x[i] * x[i] for i in indices], x[indices] @ W


@program((V,))
def newton_on_array(a):
    x = np.ones_like(a)
    for _ in range(3):
        x = x - (x**3 + x - a) / (3 * x**2 + 1)
    return x


@program((V,))
def while_norm(x):
    while np.linalg.norm(x) > 0.5:
        x = x * 0.7
    return x


@program((A, V))
def power_iteration(a, v):
    for _ in range(3):
        v = a @ v
        v = v / np.linalg.norm(v)
    return v @ a @ v


@program(({"w": A, "b": V}, X))
def parameters_in_dict(parameters, x):
    return np.sum(np.tanh(x @ parameters["w"] + parameters["b"]))


@program((X,))
def pairwise_distances(x):
    differences = x[:, None, :] - x[None, :, :]
    return np.sqrt(np.sum(differences**2, axis=-1) + 1e-3)


@program((V,))
def finite_stencil(x):
    return np.diff(x) ** 2, x[1:] - x[:-1], np.convolve(x, [1.0, 2.0])


@program((np.array([[0.5, 0.2], [0.1, 0.9]]),))
def matrix_power(a):
    return np.linalg.matrix_power(a, 3), np.triu(a), np.diag(a), np.kron(a, a)[1]


@program((V, W))
def swapped_arrays(x, y):
    for i in range(3):
        x, y = y, x * y + i
    return x - y


@program((np.array([1.0, 2.0, 3.0]), 4))
def geometric(x, n):
    return sum(x**k for k in range(n))


@program((V,))
def same_array_returned(x):
    return x, x, {"a": x}


@program((V,))
def ties_with_integers(x):
    counts = np.array([1, 2, 3])
    return x * counts, counts @ x, np.sum(counts)


@program((1.5,))
def numpy_on_scalars(x):
    return np.sin(x) * np.exp(x) + np.maximum(x, 1.0) + np.sum([x, x * x]) + np.float64(3.0) * x


@program((A,))
def methods(a):
    return a.dot(a).sum(axis=0).max() + a.T.ravel()[1] + a.mean() * a.prod() + a.trace()


@program((V,), (V[:2],))
def mixture_of_gaussians(x):
    means = np.array([-1.0, 0.5])
    log_weights = np.log(np.array([0.3, 0.7]))
    log_terms = log_weights - 0.5 * (x[:, None] - means) ** 2
    top = log_terms.max(axis=1)
    return np.sum(top + np.log(np.exp(log_terms - top[:, None]).sum(axis=1)))


@program((V, W))
def laid_end_to_end(x, y):
    table = np.c_[np.ones(3), x, y**2]
    return np.r_[table @ np.array([1.0, 2.0, 3.0]), 0.5, y[0], 1:3].prod()


@program((A,))
def attributes_found_at_run_time(a):
    total = 0.0
    for function in {"tanh": np.tanh, "sin": np.sin}.values():
        m = function(a)
        total += (m.T @ m).sum() + m.real.sum() + m[0].prod()
    return total


@program((A, 0.5))
def sums_by_labels_in_lists(a, x):
    b = next(iter([{"of no known type": a * x}][0].values()))
    return np.einsum(b, [0, 1], a, [1, 2], [0, 2]).sum() + np.sum(np.einsum(b, [0, 0], [0]) ** 2)


@program((V, 0.5))
def bytes_in_the_other_order(a, x):
    b = a.astype(">f8")
    b *= x
    return float(np.sum(np.exp(b) * b**2))
