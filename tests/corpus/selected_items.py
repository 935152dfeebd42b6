"""Items of arrays that are selected by lists, places and draws, which makes copies to change."""

import numpy as np

from tests.corpus.registry import program

X = np.array([0.5, 0.3, 1.2, 2.0])
A = np.array([[0.2, 1.5, -0.4], [1.1, 0.3, 0.8], [-2.0, 0.6, 1.4]])


@program((A, np.array([0.7, -1.2, 0.4])))
def solved_with_pivots_in_a_list(a, b):
    a = a.copy()
    n = len(a)
    order = list(range(n))
    for k in range(n - 1):
        pivot = k + np.argmax(np.abs(a[k:, k]))
        if pivot != k:
            a[[k, pivot]] = a[[pivot, k]]
            order[k], order[pivot] = order[pivot], order[k]
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    y = b[order]
    for i in range(1, n):
        y[i] -= a[i, :i] @ y[:i]
    for i in reversed(range(n)):
        y[i] = (y[i] - a[i, i + 1 :] @ y[i + 1 :]) / a[i, i]
    return y


@program((X,))
def by_lists_that_may_be_empty(x):
    odd = [i for i in range(4) if i % 2]
    y = x[np.array(odd)]
    y *= x[odd]
    y[0] += 1.0
    return np.sum(y * y)


@program((X,))
def by_places(x):
    chosen = x[np.where(x > 0.4)[0]]
    chosen *= 2.0
    (below,) = np.nonzero(x < 1)
    rest = x[below]
    rest -= 1.0
    rows = x[np.argwhere(x > 0.4)[:, 0]]
    rows[...] = rows * chosen
    last = x[np.flatnonzero(x)]
    last /= x
    x[below] += rest
    return chosen @ chosen + np.sum(rest**3) + np.sum(rows) + np.sum(last) * x[0]


@program((X,))
def by_order(x):
    bins = np.digitize(x, [0.4, 1.0])
    order = np.lexsort((x, bins))
    y = x[order]
    y += 1.0
    z = x[np.minimum(np.searchsorted(np.cumsum(x), x + 0.1), 3)]
    z *= x
    return y @ y * z[0] + x[np.searchsorted(np.sort(x), 0.4)] + z @ np.arange(4.0)
