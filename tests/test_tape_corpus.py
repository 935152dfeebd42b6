"""The corpus on a tape: right gradients or a refusal, and replays that notice another way."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from tests import corpus, differences
from tests.test_corpus_itself import each_input
from zyg import tape
from zyg.errors import NotDifferentiable
from zyg.tape.structures import filled, template

pytestmark = pytest.mark.thorough

# What a tape can't see: that NumPy's own errors were asked for while the program ran.
UNSEEN = ("exceptions.floating_point_errors_raised",)
# Areas whose subject is memory that is written in place, and what functions of `math` and `cmath`
# do, which want plain numbers: the errors of the former, and complex numbers.
WRITING = (
    "changes_in_place", "memory_in_containers", "held_items_that_move", "names_that_meet",
    "parts_of_complex_arrays",
)
RAISING = ("exceptions", "complex_numbers")
# Why any recorded number refuses: Python or NumPy want a plain one there.
WANTING = (
    "would give a plain number", "is no key of a dict", "__bool__ should return bool",
    "returned non-float",
)


def recorded(f, args):
    """A tape of the program, or what is said where it is refused."""
    try:
        return tape.trace(f, *copy.deepcopy(args))
    except NotDifferentiable as error:
        return str(error)
    except TypeError as error:
        # Python wants plain values of some methods, as `__bool__`.
        if "RealWrapper" not in str(error):
            raise
        return str(error)


def close(found, expected):
    """Whether two results hold the same numbers."""
    a, b = [], []
    template(found, a), template(expected, b)
    return len(a) == len(b) and all(
        np.shape(x) == np.shape(y) and np.allclose(x, y, 1e-9, 1e-11, equal_nan=True)
        for x, y in zip(a, b, strict=True)
    )


def seeds_of(values, random):
    """A seed for each output, None for integers; and those of the floats in a row."""
    seeds = [
        random.uniform(0.5, 1.5, np.shape(x))[()] if np.result_type(x).kind in "fc" else None
        for x in values
    ]
    rows = [np.ravel(seed) for seed in seeds if seed is not None]
    return seeds, np.concatenate(rows) if rows else np.zeros(0)


def test_few_programs_are_refused(capsys):
    """Those that write in place, as simulations do, and those that want plain numbers."""
    cases = [(program, args) for program in corpus.all for args in program.inputs]
    refused = [
        (program.area, why) for program, args in cases
        if type(why := recorded(program.f, args)) is str
    ]
    areas = [program.area for program, _ in cases]
    in_place = [area for area, why in refused if "written in place" in why]
    wanting = [area for area, why in refused if "written in place" not in why]
    for found, subjects, share in (in_place, WRITING, 0.03), (wanting, RAISING, 0.09):
        others = sum(area not in subjects for area in areas)
        assert sum(area not in subjects for area in found) < share * others
    whys = [why for _, why in refused if "written in place" not in why]
    assert sum(not any(reason in why for reason in WANTING) for why in whys) <= 1


def is_complex(value):
    """Whether a value on the tape is complex; functions with several results give tuples."""
    if isinstance(value, tuple):
        return any(is_complex(part) for part in value)
    return np.iscomplexobj(value)


@pytest.mark.parametrize(("program", "args"), each_input(corpus.all))
def test_value_and_gradient(program, args, capsys):
    value = program.f(*copy.deepcopy(args))
    t = recorded(program.f, args)
    if type(t) is str:
        return
    assert close(filled(t.result, [t.values[idx] for idx in t.outputs]), value)
    random = np.random.default_rng(0)
    seeds, weights = seeds_of([t.values[idx] for idx in t.outputs], random)
    if not weights.size or is_complex(weights) or any(is_complex(v) for v in t.values):
        return
    tape.append_adjoint(t, seeds)
    gradients = filled(t.result, [t.values[idx] for idx in t.outputs])
    gradient = differences.gradient_floats(gradients, args)

    if type(value) is float:
        once = tape.gradient(program.f, *copy.deepcopy(args))
        np.testing.assert_allclose(
            differences.gradient_floats(once, args) * seeds[0], gradient, rtol=1e-9, atol=1e-11
        )

    def f(*args):
        return program.f(*copy.deepcopy(args))

    for direction in differences.directions(gradient.size, random):
        terms = weights * differences.directional(f, args, direction)
        expected, found = float(np.sum(terms)), float(gradient @ direction)
        scale = max(1e-2, float(np.sum(np.abs(terms))), float(np.abs(gradient) @ abs(direction)))
        assert abs(found - expected) <= differences.TOLERANCE * scale


@pytest.mark.parametrize(
    ("program", "args"), each_input(p for p in corpus.all if str(p) not in UNSEEN)
)
def test_replay(program, args, capsys):
    """With the inputs of the program: what it would give, or an error that it goes another way."""
    t = recorded(program.f, args)
    if type(t) is str:
        return
    for other in program.inputs:
        try:
            found = tape.replay(t, *copy.deepcopy(other))
        except (tape.TapeMismatch, np.linalg.LinAlgError):
            assert other is not args
            continue
        assert close(found, program.f(*copy.deepcopy(other)))
