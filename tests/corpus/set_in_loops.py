"""Variables that have no value before a loop, and are set and changed in place in it."""

import numpy as np

from tests.corpus.registry import program

VECTOR = np.array([1.0, 2.0, -1.5, 4.0, 0.5])


@program((VECTOR,))
def made_in_the_first_iteration(u):
    for i in range(3):
        if i == 0:
            total = np.zeros_like(u)
        total[1:-1] += u[:-2] * u[2:]
        total *= 1.1
    return np.sum(total**2)


@program((VECTOR,))
def made_in_a_loop_inside(u):
    for _ in range(3):
        for k in range(2):
            new = k * u * u
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        u = new
    return np.sum(u * new)


@program((VECTOR,))
def made_in_a_loop_that_is_left(u):
    for _ in range(3):
        while True:
            new = np.zeros_like(u)
            break
        try:
            new[1:-1] = 0.5 * (u[:-2] + u[2:]) ** 2
        finally:
            u = u / 2
        u = u + new
    return u.sum()


@program((VECTOR,))
def changed_before_it_is_made_again(u):
    for i in range(3):
        if i:
            new[1:-1] = 0.5 * (u[:-2] + u[2:])
            u = u + new
        while True:
            new = u * u
            break
    return u.sum() / 1e3 + new.sum() / 1e9


@program((VECTOR,))
def not_set_where_it_raises(u):
    total = 0.0
    for i in range(3):
        try:
            buffer[i] = u[i] ** 2
        except UnboundLocalError:
            buffer = u * i + 1.0
        total = total + np.sum(buffer * u)
    return total
