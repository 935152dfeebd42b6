"""Views of arrays that objects hold: first and second derivatives are right, or refused."""

import numpy as np
import pytest

import zyg


class Holder:
    def __init__(self):
        self.log, self.named, self.view = [], {}, None


def of_an_argument(x):
    holder = Holder()
    holder.view = x[:2]
    holder.log.append(np.sum(holder.view**2))
    return holder.log[0] * np.sum(x)


def rows_in_a_list(x):
    holder = Holder()
    a = x.reshape(2, 2)
    holder.log = [a[0], a[1]]
    holder.named["transposed"] = a.T
    holder.log[0] = holder.log[0] * holder.log[1]
    return np.sum(holder.log[0] * holder.named["transposed"][1])


def of_another_objects_array(x):
    holder, other = Holder(), Holder()
    holder.view = x * 2
    other.view = holder.view[1:]
    other.log.append(other.view[0] * holder.view[1])
    holder.view = holder.view * 3
    return np.sum(other.view) * other.log[0] * np.sum(holder.view)


def in_a_dict(x):
    holder = Holder()
    holder.view = x[::2]
    holder.named = {"a": holder.view, "b": holder.view[1:]}
    holder.named["a"] = holder.named["a"] * x[1]
    return np.sum(holder.named["a"]) * np.sum(holder.named["b"]) * np.sum(holder.view)


def windows(x):
    holder = Holder()
    for i in range(2):
        holder.log.append(x[i : i + 2])
        holder.log[i] = holder.log[i] ** 2
    return sum(np.sum(window) for window in holder.log) * holder.log[1][0]


def dicts_in_a_list(x):
    layers = [{"w": x[:2], "b": x[2:3]}, {"w": x[1:3], "b": x[3:]}]
    for layer in layers:
        for name in layer:
            layer[name] = layer[name] - 0.1 * layer[name] ** 2 * x[0]
    return sum(np.sum(layer["w"]) * np.sum(layer["b"]) for layer in layers)


def one_behind_the_other(x):
    holder = Holder()
    holder.view = x[:2]
    first = holder.view
    holder.view = x[2:]
    holder.log.append(first[0])
    return np.sum(holder.view * first) * holder.log[0]


def changed_under_its_own_name(x):
    holder = Holder()
    a = x * 1.0
    holder.view = a[:2]
    a[0] = a[1] * 2
    holder.log.append(1.0)
    return np.sum(holder.view**2) * holder.log[0]


def changed_by_the_attribute(x):
    holder = Holder()
    a = x * 1.0
    holder.view = a[:2]
    holder.view[0] = x[3] ** 2
    holder.log.append(x[0])
    return np.sum(a**2) * holder.log[0]


def walked_over(x):
    holder = Holder()
    holder.view = x.copy()
    holder.named["halves"] = [holder.view[:2], holder.view[2:]]
    holder.log.append(x[0])
    return sum(np.sum(half**3) * holder.log[0] for half in holder.named["halves"])


PROGRAMS = [
    of_an_argument, rows_in_a_list, of_another_objects_array, in_a_dict, windows, dicts_in_a_list,
    one_behind_the_other, changed_under_its_own_name, changed_by_the_attribute, walked_over,
]
X, ALONG = np.array([0.3, 0.7, -0.5, 1.2]), np.array([1.0, -0.5, 0.3, 0.8])


def slope(f, x):
    return zyg.gradient(f, x)[0]


def test_right_or_refused():
    """In one test, since what a program leaves behind was met by another one."""
    refused = 0
    for f in PROGRAMS:
        h = 1e-5
        along = (f(X + h * ALONG) - f(X - h * ALONG)) / (2 * h)
        derivatives = [
            (lambda f=f: slope(f, X) @ ALONG, along),
            (lambda f=f: zyg.jvp(f, (X,), (ALONG,))[1], along),
        ]
        try:
            curvature = (slope(f, X + h * ALONG) - slope(f, X - h * ALONG)) / (2 * h)
            derivatives += [
                (lambda f=f: zyg.jvp(lambda x: slope(f, x), (X,), (ALONG,))[1], curvature),
                (lambda f=f: zyg.pullback(lambda x: slope(f, x), X)[1](ALONG)[0], curvature),
            ]
        except zyg.ZygError:
            refused += 1
        for derive, expected in derivatives:
            try:
                np.testing.assert_allclose(derive(), expected, rtol=1e-4, atol=1e-6, err_msg=str(f))
            except zyg.ZygError:
                refused += 1
    assert refused <= 13


@pytest.mark.parametrize("f", [of_an_argument, windows, one_behind_the_other])
def test_not_refused(f):
    zyg.pullback(lambda x: slope(f, x), X)[1](ALONG)
