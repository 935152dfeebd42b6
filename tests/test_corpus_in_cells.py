"""Each program of the corpus with its memory in cells, as if all of it had several names: right, or
refused."""

import pytest

import zyg
from tests import corpus, differences
from tests.test_corpus_itself import each_input
from zyg.entry_cache import cache


class Everything(set):
    """All keys there are."""

    def __contains__(self, key):
        return True


@pytest.fixture
def in_cells(monkeypatch):
    zyg.cache_clear()
    monkeypatch.setattr(cache, "in_cells", Everything())
    yield
    zyg.cache_clear()


@pytest.mark.thorough
@pytest.mark.one_version
@pytest.mark.parametrize(("program", "args"), each_input(corpus.all))
def test_gradient_with_memory_in_cells(program, args, in_cells, capsys):
    try:
        differences.check_gradient(program.f, args, zyg.pullback)
    except (zyg.NotDifferentiable, zyg.UnsupportedSyntax) as error:
        pytest.skip(str(error).split("\n")[0])
