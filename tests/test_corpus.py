"""The corpus through `ir` and the compiler: one plain call's behaviour, and right gradients."""

import contextlib
import copy
import re

import numpy as np
import pytest

import ir
import zyg
from tests import corpus, differences
from tests.round_trip import rebuilt
from tests.test_corpus_itself import each_input


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


@pytest.mark.parametrize(("program", "args"), each_input([*corpus.all, *corpus.raising]))
def test_round_trip(program, args, capsys):
    assert_same_behaviour(program.f, rebuilt(program.f), args, capsys)


@pytest.mark.parametrize(("program", "args"), each_input(corpus.all))
def test_gradient(program, args, capsys):
    differences.check_gradient(program.f, args, zyg.pullback)


@pytest.mark.parametrize(("program", "args"), each_input([*corpus.all, *corpus.raising]))
def test_side_effects_and_exceptions_of_one_call(program, args, capsys):
    assert_same_behaviour(program.f, value_of_pullback(program.f), args, capsys)


@pytest.mark.parametrize(("program", "args"), each_input(corpus.all))
def test_back_is_silent(program, args, capsys):
    value, back = zyg.pullback(program.f, *copy.deepcopy(args))
    capsys.readouterr()
    back(differences.seed_like(value, np.random.default_rng(0)))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("program", "args"), each_input(corpus.all))
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


@pytest.mark.parametrize(("program", "args"), each_input(corpus.late_bound))
def test_late_binding_is_right_or_refused(program, args, capsys):
    with contextlib.suppress(ir.Unsupported):
        assert_same_behaviour(program.f, rebuilt(program.f), args, capsys)
    with contextlib.suppress(zyg.UnsupportedSyntax):
        differences.check_gradient(program.f, args, zyg.pullback)
