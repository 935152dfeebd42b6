"""Random programs of NumPy's functions: against differences, and each mode against the others."""

import numpy as np
import pytest

import zyg
from tests.array_programs import program

# Second derivatives of stores into views that no name holds, and of what the run time finds.
REFUSED = (
    "objects hold more than lists", "which it finds at run time", "could not tell which function",
)


def check(seed):
    f, given = program(seed)
    random = np.random.default_rng(seed)
    directions = tuple(random.normal(size=np.shape(x))[()] for x in given)

    def along(vectors):
        return sum(np.sum(v * d) for v, d in zip(vectors, directions, strict=True))

    def at(step):
        return f(*[x + step * d for x, d in zip(given, directions, strict=True)])

    def slopes(*given):
        return zyg.gradient(f, *given)

    slope = along(slopes(*given))
    coarse, fine = [(at(h) - at(-h)) / (2 * h) for h in (1e-5, 1e-6)]
    if abs(coarse - fine) < 1e-6 * max(1.0, abs(fine)):  # no kink is close
        np.testing.assert_allclose(slope, coarse, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(zyg.jvp(f, given, directions)[1], slope, rtol=1e-9, atol=1e-10)
    try:
        forward = zyg.jvp(slopes, given, directions)[1]
        reverse = zyg.gradient(lambda *given: along(slopes(*given)), *given)
    except zyg.ZygError as error:
        if any(text in str(error) for text in REFUSED):
            return
        raise
    for a, b in zip(forward, reverse, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(40))
def test_random_program(seed):
    check(seed)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(40, 3000))
def test_more_random_programs(seed):
    check(seed)
