"""The corpus through `ir` and the compiler: one plain call's behaviour, and right gradients.

All checks of one program run together, so that what the first one compiles serves the others.
"""

import contextlib
import copy
import re

import numpy as np
import pytest

import ir
import zyg
from tests import corpus, differences
from tests.emitted_text import assert_no_bare_names, assert_one_program, collected
from tests.round_trip import rebuilt
from tests.test_corpus_itself import each_input


class Case:
    """One input of one program; equal to itself only, whatever the program's arguments are."""

    def __init__(self, program, args):
        self.program, self.args = program, args


def cases(programs):
    return [pytest.param(Case(*param.values), id=param.id) for param in each_input(programs)]


def each(cases):
    """Runs a check on each of the cases; the scope lets pytest group the checks by case."""
    return pytest.mark.parametrize("case", cases, scope="module")


ALL, RAISING, LATE_BOUND = map(cases, (corpus.all, corpus.raising, corpus.late_bound))


@pytest.fixture
def program(case):
    return case.program


@pytest.fixture
def args(case):
    return case.args


def behaviour(f, args, capsys):
    """What a call does: result or exception (class and arguments), and what it prints."""
    capsys.readouterr()
    try:
        outcome = f(*copy.deepcopy(args))
    except Exception as error:
        outcome = type(error), error.args
    return outcome, capsys.readouterr().out


def value_of_pullback(f):
    return lambda *args: zyg.pullback(f, *args)[0]


def assert_same_behaviour(f, changed, args, capsys):
    expected, found = behaviour(f, args, capsys), behaviour(changed, args, capsys)
    assert differences.same(found, expected), f"{found!r}, plainly {expected!r}"


@each([*ALL, *RAISING])
def test_round_trip(program, args, capsys):
    assert_same_behaviour(program.f, rebuilt(program.f), args, capsys)


@pytest.mark.thorough
@each(ALL)
def test_tree_that_is_compiled_is_the_text_that_is_shown(program, args, monkeypatch, capsys):
    texts = collected(monkeypatch)
    zyg.pullback(program.f, *copy.deepcopy(args))
    assert texts
    for tree, text in texts:
        assert_one_program(tree, text)
        assert_no_bare_names(tree)


@each(ALL)
def test_gradient(program, args, capsys):
    differences.check_gradient(program.f, args, zyg.pullback)


@each([*ALL, *RAISING])
def test_side_effects_and_exceptions_of_one_call(program, args, capsys):
    assert_same_behaviour(program.f, value_of_pullback(program.f), args, capsys)


@each(ALL)
def test_back_is_silent(program, args, capsys):
    value, back = zyg.pullback(program.f, *copy.deepcopy(args))
    capsys.readouterr()
    back(differences.seed_like(value, np.random.default_rng(0)))
    assert capsys.readouterr().out == ""


@pytest.mark.one_version
@each(ALL)
def test_joint_form(program, args, capsys):
    """`gradient` compiles forward and adjoint together: the same numbers, printed once."""
    value, printed = behaviour(program.f, args, capsys)
    if not isinstance(value, float):
        return
    gradients = zyg.gradient(program.f, *copy.deepcopy(args))
    assert capsys.readouterr().out == printed
    _, back = zyg.pullback(program.f, *copy.deepcopy(args))
    expected = differences.gradient_floats(back(1.0), args)
    found = differences.gradient_floats(gradients, args)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def pullback_and_back(f, args):
    _, back = zyg.pullback(f, *args)
    return back(1.0)


@pytest.mark.parametrize(("refused", "args"), each_input(corpus.refused))
def test_refused_with_the_line(refused, args, capsys):
    with pytest.raises(zyg.UnsupportedSyntax) as caught:
        pullback_and_back(refused.f, copy.deepcopy(args))
    lines = re.findall(r"unsupported\.py:(\d+)", str(caught.value))
    assert refused.file_line in [getattr(caught.value, "lineno", None), *map(int, lines)]


@each(LATE_BOUND)
def test_late_binding_is_right_or_refused(program, args, capsys):
    with contextlib.suppress(ir.Unsupported):
        assert_same_behaviour(program.f, rebuilt(program.f), args, capsys)
    with contextlib.suppress(zyg.UnsupportedSyntax):
        differences.check_gradient(program.f, args, zyg.pullback)
