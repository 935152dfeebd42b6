"""A scalar loop of 1000 multiplications."""

from tests.benchmarks.program import Program


def power(x, n):
    r = 1.0
    for _ in range(n):
        r = r * x
    return r


def gradient_by_hand(x, n):
    r = 1.0
    records = []
    for _ in range(n):
        records.append(r)
        r = r * x
    r_bar = 1.0
    x_bar = 0.0
    for r in reversed(records):
        x_bar += r * r_bar
        r_bar = r_bar * x
    return x_bar, 0


def written_for_jax(x, n):
    from jax import lax

    return lax.fori_loop(0, n, lambda _, r: r * x, 1.0)


PROGRAM = Program("power", power, gradient_by_hand, (1.001, 1000), {}, written_for_jax)
