"""Real and imaginary parts of complex arrays that are changed in place: views like others."""

import numpy as np

from tests.corpus.registry import program

VECTOR = np.array([0.3, 0.7, 1.2, -0.4])
WAVE = np.array([0.3 + 0.2j, 0.7 - 0.5j, 1.2 + 0.1j, -0.4 + 0.9j])


@program((VECTOR,))
def stored_part_by_part(x):
    z = np.zeros(4, complex)
    z.real[:] = x
    z.imag[1:] = x[:-1] ** 2
    return np.sum(np.abs(z * z + 1) ** 2)


@program((VECTOR, 0.1))
def wave_by_its_two_fields(x, dt):
    psi = x + 0.5j * x**2
    real, imag = psi.real, psi.imag
    for _ in range(3):
        real[1:-1] -= dt * (imag[:-2] - 2 * imag[1:-1] + imag[2:])
        imag[1:-1] += dt * (real[:-2] - 2 * real[1:-1] + real[2:])
        psi *= np.exp(-1j * dt)
    return np.sum(np.abs(psi) ** 4)


@program((VECTOR,))
def spectrum_that_is_damped(x):
    z = np.fft.fft(x)
    z.imag[1:] *= x[0]
    z.real[2:] -= x[2:] ** 2
    z.imag[0] = 0
    return np.sum(np.fft.ifft(z).real ** 2) + np.sum(np.abs(z))


@program((VECTOR,))
def impedances_in_loops(x):
    y = np.zeros((3, 3), dtype=complex)
    for i in range(3):
        y.real[i, i] += x[i]
        for j in range(i):
            if x[i] > x[j]:
                y.imag[i, j] = y.imag[j, i] = x[i] * x[j]
            y.real[j, j] += y.imag[i, j] ** 2
    return np.sum(np.abs(np.linalg.inv(y + np.eye(3))) ** 2)


def fill(part, values):
    part[1:] = values[1:] ** 2
    part += values


@program((VECTOR,))
def parts_given_to_a_function(x):
    z = x + 0j
    fill(z.imag, x)
    fill(z.real, x * z.imag)
    return np.sum(np.abs(z * z + 1) ** 2)


@program((VECTOR,))
def results_put_into_parts(x):
    z = x * (1 + 0.5j)
    np.multiply(z.real, x, out=z.imag)
    np.add.at(z.imag, [0, 0, 2], x[:3])
    np.copyto(z.real, z.imag * x)
    return np.sum(np.abs(z * z + 1) ** 2)


@program((VECTOR,))
def parts_of_views(x):
    z = np.outer(x, x * 1j)
    row = z[1].imag
    row[0] = x[2] ** 2
    z.T.real[0] += x
    z[2:].imag[:, ::2] *= z.real[2:, 1::2]
    return np.sum(np.abs(z @ z) ** 2)


@program((VECTOR,))
def changed_and_stored(x):
    z = x + 2j * x**2
    z.real += x
    z.imag *= x
    z.imag = z.real * z.imag
    return np.sum(np.abs(z * z + 1) ** 2)


@program((VECTOR,))
def parts_of_real_arrays(x):
    w = np.real(x * 1.0)
    w[0] = x[1] ** 2
    y = x * 2
    y.real[1:] *= x[0] ** 2
    return np.sum(w**2) + np.sum(y**3)


@program((WAVE, VECTOR))
def parts_of_an_argument(z, x):
    z.imag[1:] *= x[1:]
    before = z.real.copy()
    np.real(z)[...] = z.imag * x
    return np.sum(before**3) + np.sum(np.abs(z) ** 2)


class Field:
    def __init__(self, x):
        self.values = x + 2j * x * x

    def step(self, x):
        self.values.imag[1:] = x[1:] ** 3
        self.values.real *= x
        real = self.values.real
        real[0] = self.values.imag[1]


@program((VECTOR,))
def parts_of_what_an_object_holds(x):
    field = Field(x)
    for _ in range(2):
        field.step(x)
    return np.sum(np.abs(field.values**2 + 1) ** 2)
