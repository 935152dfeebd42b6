"""Arrays made of nested lists: each item's cotangent is an entry of that of the array."""

import numpy as np
import pytest

import zyg

V = np.array([1.0, 2.0, -0.5])


def of_vectors(v):
    return np.sum(np.array([v, v * 2.0, v]) ** 3)


def of_rows(v):
    m = np.array([[v, v * v], [v, 2 * v]])
    return np.sum(m**2 * m)


def of_numbers(v):
    return np.sum(np.array([[v[0], 1], [2, v[1] * v[2]]]) @ np.array([v[1], v[0]]))


def right_hand_side(v):
    y = v
    for _ in range(4):
        y = y + 0.1 * np.array([y[1], -np.sin(y[0]), y[2] * y[0]])
    return y @ y


def rotations(v):
    whole = np.eye(3)
    for angle in v:
        c, s = np.cos(angle), np.sin(angle)
        whole = whole @ np.array([[c, -s, 0], [s, c, angle], [0, 0, 1]])
    return np.sum(whole[:2, 2] ** 2)


def of_complex_numbers(v):
    z = np.array([v[0] * 1j, v[1] + 2j * v[2]])
    return np.sum(np.abs(z) ** 2) + z.real[1]


def repeated(v):
    return np.sum(np.array([[v[0]] * 2, [v[1]] * 2]) ** 2)


def of_another_list(v):
    return np.sum(np.array([list(v), [v[0], v[1], v[2]]]) ** 2)


def changed_rows(v):
    row = [v[0], v[1]]
    row.append(v[2])
    row[0] = row[0] * 2
    return np.sum(np.array([row, row]) ** 2)


def with_more_dimensions(v):
    return np.sum(np.array([v, 1.0 * v], ndmin=3) ** 2)


def of_slices(v):
    return np.sum(np.asarray([v[:2], v[1:]]).T @ np.array([v[0], v[2]]))


def broadcast(v):
    return np.sum(np.array([v[:1], v[1:2]]) * v)


def changed_in_place(v):
    u = np.array([v, v])
    u[0] = u[0] * u[1]
    return np.sum(u * u)


PROGRAMS = [
    of_vectors, of_rows, of_numbers, right_hand_side, rotations, of_complex_numbers, repeated,
    of_another_list, changed_rows, with_more_dimensions, of_slices, broadcast, changed_in_place,
]


def differences(f, step):
    return np.array([(f(V + step * u) - f(V - step * u)) / (2 * step) for u in np.eye(3)])


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients(f):
    expected = pytest.approx(differences(f, 1e-6), rel=1e-6, abs=1e-8)
    back = zyg.pullback(f, V)[1]
    assert np.array(back(1.0)[0]) == expected
    assert np.array(back(1.0)[0]) == expected
    assert zyg.gradient(f, V)[0] == expected
    assert np.array([zyg.jvp(f, (V,), (u,))[1] for u in np.eye(3)]) == expected


@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivatives(f):
    def slope(v):
        return zyg.gradient(f, v)[0] @ np.array([0.3, -0.7, 1.1])

    expected = pytest.approx(differences(slope, 1e-5), rel=1e-5, abs=1e-6)
    assert zyg.gradient(slope, V)[0] == expected


def test_entries_are_read_of_the_array():
    for f in (of_numbers, right_hand_side, rotations):
        assert "nested_bar" not in str(zyg.code_adjoint(f, V))


