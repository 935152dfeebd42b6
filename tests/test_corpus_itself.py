"""The corpus without the compiler: its programs run, are smooth, and reach all of their lines.

The check of gradients runs here on gradients by differences, and must notice wrong ones.
"""

import copy
import dis
import sys
import types

import numpy as np
import pytest

from tests import corpus, differences

# Their subject is code that never runs.
UNREACHED = {
    *("branch_on_constant", "code_after_return", "raise_not_reached"),
    *("names_stay_bound", "subject_is_evaluated_once", "text_is_no_sequence"),
}


def pullback_by_differences(f, *args):
    """What the compiler computes, from differences along each axis."""
    before = copy.deepcopy(args)
    value = f(*args)

    def fresh(*args):
        return f(*copy.deepcopy(args))

    def back(seed):
        weights = differences.floats(seed)
        axes = np.eye(differences.floats(before).size)
        gradient = [weights @ differences.directional(fresh, before, axis) for axis in axes]
        return differences.with_attributes(differences.with_floats(before, np.array(gradient)))

    return value, back


def each_input(programs):
    return [
        pytest.param(program, args, id=f"{program}-{i}")
        for program in programs
        for i, args in enumerate(program.inputs)
    ]


def test_names_are_unique():
    names = [
        str(program)
        for program in [*corpus.all, *corpus.late_bound, *corpus.raising, *corpus.refused]
    ]
    assert len(names) == len(set(names))


def test_size():
    assert len(corpus.all) >= 500
    assert len(corpus.refused) >= 7


@pytest.mark.parametrize(("program", "args"), each_input([*corpus.all, *corpus.late_bound]))
def test_smooth(program, args, capsys):
    def plain(*args):
        return program.f(*copy.deepcopy(args))

    before = copy.deepcopy(args)
    differences.check_gradient(program.f, args, pullback_by_differences)
    random = np.random.default_rng(1)
    for direction in differences.directions(differences.floats(args).size, random):
        central = differences.directional(plain, args, direction)
        for side in (direction, -direction):
            slope = differences.one_sided(plain, args, side)
            sign = 1 if side is direction else -1
            np.testing.assert_allclose(sign * slope, central, rtol=1e-4, atol=1e-5)
    assert differences.same(args, before)


@pytest.mark.parametrize(("program", "args"), each_input(corpus.raising))
def test_raises(program, args, capsys):
    with pytest.raises(program.exception) as caught:
        program.f(*copy.deepcopy(args))
    assert type(caught.value) is program.exception


@pytest.mark.parametrize(("program", "args"), each_input(corpus.refused))
def test_refused_programs_run(program, args, capsys):
    program.f(*copy.deepcopy(args))
    assert 1 < program.line <= len(set(lines_of(program.f.__code__)) | {program.line})


@pytest.mark.parametrize("program", corpus.all, ids=str)
def test_inputs_reach_each_line(program, capsys):
    if program.f.__name__ in UNREACHED:
        return
    reached = set()

    def trace(frame, event, _):
        if event in ("call", "line"):
            reached.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        for args in program.inputs:
            program.f(*copy.deepcopy(args))
    finally:
        sys.settrace(previous)
    file = program.f.__code__.co_filename
    assert not {line for line in lines_of(program.f.__code__) if (file, line) not in reached}


def lines_of(code):
    """The lines of a code object and those of the functions inside, but not of their `def`s."""
    lines = {line for _, line in dis.findlinestarts(code) if line} - {code.co_firstlineno}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            lines |= lines_of(constant)
    return lines


def product(x, y, n):
    return {"value": x * y**n, "rest": [x, "text"]}


def wrong_factor(gradients):
    return (gradients[0] * (1 + 1e-4), *gradients[1:])


@pytest.mark.parametrize(
    "spoil",
    [
        wrong_factor,
        lambda gradients: (None, *gradients[1:]),
        lambda gradients: gradients[:2],
        lambda gradients: list(gradients),
        lambda gradients: (gradients[0], np.ones(1) * gradients[1], gradients[2]),
    ],
)
def test_check_notices_wrong_gradients(spoil):
    def pullback(f, *args):
        value, back = pullback_by_differences(f, *args)
        return value, lambda seed: spoil(back(seed))

    differences.check_gradient(product, (2.0, 3.0, 2), pullback_by_differences)
    with pytest.raises(AssertionError):
        differences.check_gradient(product, (2.0, 3.0, 2), pullback)


def test_check_notices_wrong_value_and_changing_back():
    def wrong_value(f, *args):
        value, back = pullback_by_differences(f, *args)
        return {**value, "rest": tuple(value["rest"])}, back

    def changing(f, *args):
        value, back = pullback_by_differences(f, *args)
        results = iter([back, lambda seed: (0.0, 0.0, 2)])
        return value, lambda seed: next(results)(seed)

    for pullback in (wrong_value, changing):
        with pytest.raises(AssertionError):
            differences.check_gradient(product, (2.0, 3.0, 2), pullback)
