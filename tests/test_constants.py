"""What is registered as constant has no derivative: its results don't follow its arguments."""

from __future__ import annotations

import cmath
import itertools
import math
import statistics
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from zyg.rules import registry

linalg = pytest.importorskip("scipy.linalg")
NAMESPACES: list[Any] = [np, np.linalg, np.fft, math, cmath, statistics, linalg]
NAMESPACES += [
    pytest.importorskip(f"scipy.{name}") for name in ("special", "fft", "signal", "sparse", "stats")
]

# What computes nothing with its numbers: it reads files, memory that nobody has written, or texts,
# or it changes settings, which `constants` leaves out by their names.
APART = {np.empty_like, np.mintypecode, np.info, np.fromstring}
APART |= {np.save, np.savez, np.savez_compressed}
APART |= {np.test, getattr(np, "show_config", None), getattr(np, "show_runtime", None), np.savetxt}
# Lengths, which NumPy takes as numbers of any kind.
LENGTHS = {np.bartlett, np.blackman, np.hamming, np.hanning, linalg.dft}

_random = np.random.default_rng(7)
ARGUMENTS: dict[str, Any] = {
    "count": 4,
    "number": 0.61,
    "large": 3.7,
    "vector": _random.uniform(0.3, 0.7, 3),
    "matrix": _random.uniform(0.3, 0.7, (3, 3)),
    "list": [0.4, 0.55, 0.4],
}


def constants() -> Iterator[Any]:
    registry.register_imported()
    for space in NAMESPACES:
        for name in dir(space):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                member = getattr(space, name, None)
            is_open = name[0] != "_" and not name.startswith("set")
            if callable(member) and is_open and registry.is_constant(member):
                yield member


def numbers(x: Any) -> list[complex]:
    """The floats in a result; none in texts and objects of other kinds."""
    if isinstance(x, (list, tuple)):
        return [number for item in x for number in numbers(item)]
    is_number = isinstance(x, (np.ndarray, np.inexact, float, complex))
    return [*map(complex, np.ravel(x))] if is_number and np.result_type(x).kind in "fc" else []


def copied(x: Any) -> Any:
    """A copy: functions write into a last argument, which they take for `out`."""
    return x.copy() if isinstance(x, np.ndarray) else x


def moved(x: Any) -> Any:
    """An argument with other floats. A step so small crosses no place where a result jumps."""
    if isinstance(x, list):
        return [item * (1 + 1e-9) for item in x]
    return x if isinstance(x, int) else x * (1 + 1e-9)


def follows(function: Any, *args: Any) -> bool:
    try:
        before, after = (numbers(function(*map(change, args))) for change in (copied, moved))
    except Exception:
        return False  # no arguments for this function
    return not np.array_equal(before, after, equal_nan=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "function", sorted(set(constants()) - APART - LENGTHS, key=str), ids=lambda f: str(f.__name__)
)
def test_results_do_not_follow_arguments(function: Any) -> None:
    for count in (1, 2, 3):
        for kinds in itertools.product(ARGUMENTS, repeat=count):
            assert not follows(function, *[ARGUMENTS[kind] for kind in kinds]), kinds


def test_a_function_that_follows_is_found() -> None:
    assert follows(np.fft.fftfreq, 4, 0.5)
    assert follows(np.ix_, ARGUMENTS["vector"])
    assert not follows(np.round, 0.61) and not follows(np.argsort, ARGUMENTS["vector"])
