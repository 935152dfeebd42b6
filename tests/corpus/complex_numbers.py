"""Complex numbers on the way from real inputs to real results."""

import cmath
from collections import defaultdict

import numpy as np

from tests.corpus.registry import program

X = np.array([0.5, -1.2, 2.0, 0.3])


@program((X, [0.4, 1.1, -0.7, 0.9]))
def parts_of_squares(x, y):
    z = x + 1j * np.array(y)
    return np.abs(z) ** 2 + z.real * z.imag - np.angle(z) + np.conj(z * z).imag


@program((X,), (np.array([1.5, 0.2]),))
def spectrum_without_one_frequency(x):
    spectrum = np.fft.fft(x * x)
    spectrum[1] *= 0.5j
    spectrum[0] = 0
    return np.fft.ifft(spectrum).real + np.abs(spectrum)


@program((X,))
def half_spectrum(x):
    spectrum = np.fft.rfft(np.sin(x))
    spectrum *= np.array([1.0, 2j, 1 - 1j])
    return np.fft.irfft(spectrum, len(x)) * x


@program((0.2, 0.5, 4), (-0.4, 0.3, 7))
def orbit_until_it_escapes(x, y, steps):
    z, c = 0j, complex(x, y)
    for _ in range(steps):
        z = z * z + c
        if abs(z) > 0.6:
            break
    return z.real, z.imag * abs(z)


@program((X,), ([0.5, -1.2],))
def sum_that_becomes_complex(xs):
    s = 0
    for i, x in enumerate(xs):
        s = s * x + (1j * x if i % 2 else x)
    return abs(s) + s.real


@program(([0.5, -1.2, 2.0],))
def list_of_real_and_complex_numbers(xs):
    items = [xs[0], 2, xs[1] * 1j, np.float64(xs[2])]
    items[1] = items[2] * items[0] + 1
    items.append(items[1].conjugate())
    total = sum(items)
    return abs(total * items[3]) + sum([abs(z) ** 2 for z in items]) + total.imag


@program(({"a": 0.5, "b": -1.2, "c": 2.0},))
def dict_of_complex_sums(d):
    sums = defaultdict(complex)
    for i, (name, x) in enumerate(d.items()):
        sums[i % 2] += x * 1j**i
        sums[name] = sums[0] * x
    return sum(abs(z) ** 2 for z in sums.values())


@program((X,))
def stores_into_a_complex_array(x):
    z = np.zeros(len(x), complex)
    z[:2] = x[2:]
    z[1:] += 1j * x[:-1]
    for i in range(1, len(x)):
        z[i] *= z[i - 1]
    z[[0, 2]] = z[[2, 0]] * x[0]
    return z.real**2 + z.imag


@program((X,))
def views_of_a_complex_array(x):
    z = np.outer(x, x * (1 + 2j))
    row, column = z[1], z[:, 1]
    row *= 1j
    column += row
    z[0] -= np.conj(column)
    return np.sum(np.abs(z) ** 2) + np.sum(row * column).imag


@program((0.5, -1.2), (-0.3, 2.0))
def functions_of_one_complex_number(x, y):
    z = complex(x, y)
    w = cmath.exp(z) / (z + 2) + cmath.sqrt(z + 4j) * z**2
    radius, angle = cmath.polar(w)
    return radius * angle, cmath.phase(z) * z.real, (1 / w).imag, (2**z).real


@program((X,))
def sizes_and_directions(x):
    z = x + 1j * x[::-1] ** 2
    unit = z / np.abs(z)
    norm = np.linalg.norm(z)
    return np.sum(np.real(unit * np.array([1, 2j, -1, 1 + 1j]))) * norm + np.vdot(z, unit).real


@program((np.array([[2.0, 0.3], [-0.4, 1.5]]), np.array([[0.1, 0.7], [0.2, -0.6]])))
def complex_matrices(a, b):
    m = a + 1j * b
    solved = np.linalg.solve(m, b[0]) @ np.linalg.inv(m.conj().T)
    return np.abs(solved), np.linalg.det(m).real, np.linalg.slogdet(m)[1], (m @ a @ m).imag


@program((0.7, 3), (-0.4, 0))
def recursion_through_conjugates(x, depth):
    def turned(z, n):
        return z if n == 0 else z * turned(z.conjugate() * 1j, n - 1) + x

    return abs(turned(complex(x, 1.0), depth))


@program((0.7, True), (0.7, False))
def number_that_is_complex_in_one_branch(x, turned):
    z = x * 1j if turned else x
    w = [z, z * z, 1.0]
    try:
        w[0] = w[0] * w[3]
    except IndexError:
        w[1] += z
    return abs(w[1] * w[0] + 1) + w[1].real


@program((X,))
def polynomial_and_its_phases(x):
    z = np.exp(1j * np.cumsum(x))
    values = np.polyval([1.0, 2j, 0.5], z)
    return np.where(x > 0, values.real, np.abs(values)) + np.cumprod(z).imag


@program((X,))
def generator_of_complex_numbers(x):
    def waves():
        phase = 1 + 0j
        for item in x:
            phase *= complex(np.cos(item), np.sin(item))
            yield phase * item

    return abs(sum(w * w for w in waves()))


@program((X, X[::-1].copy()))
def parts_that_are_set(x, y):
    z = x + 1j * y
    w = z.astype(complex)
    w.imag = z.real * y
    w.real = w.imag + x
    return np.abs(w * z) + np.angle(w)
