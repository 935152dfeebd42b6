"""Second derivatives of the programs of the corpus that return a float."""

import contextlib
import io

import pytest

import zyg
from tests import corpus, differences
from tests.test_corpus_itself import each_input


def gradient_of(f):
    """The gradient as a function that can itself be differentiated."""

    def gradient(*args):
        return zyg.gradient(f, *args)

    return gradient


def returns_float(case):
    program, args = case.values
    with contextlib.redirect_stdout(io.StringIO()):
        return isinstance(program.f(*args), float)


@pytest.mark.parametrize(("program", "args"), list(filter(returns_float, each_input(corpus.all))))
def test_second_order(program, args, capsys):
    differences.check_gradient(gradient_of(program.f), args, zyg.pullback)
