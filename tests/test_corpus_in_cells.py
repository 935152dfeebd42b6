"""Each program of the corpus with its memory in cells, as if all of it had several names."""

import pytest

import zyg
from tests import corpus, differences
from tests.test_corpus_itself import each_input
from zyg.calls.entry_cache import cache

CASES = list(each_input(corpus.all))
# Iterators over lists that objects hold, functions that `min` and `max` call for objects, the
# memory of Python's generators of random numbers, exceptions that hold numbers. Cells hand memory
# on by more than one name: calls that nobody looks into raise where they change it. So do changes
# of the rest of an array of which a view is held.
REFUSED = {
    *(f"calls_not_looked_into.{name}-{i}" for i in range(3) for name in (
        "packed_and_read", "by_a_function", "by_a_function_that_changes_another_one",
        "by_a_function_with_derivatives", "beside_an_object",
    )),
    "derived_containers.filled_by_an_init-0",
    "draws.chosen_and_drawn-0",
    "exceptions.attribute_of_the_exception-1",
    "generator_consumers.generator_expressions_over_iterators_as_arguments-0",
    "iterators.next_several_times-0",
    "local_classes.exceptions_managers_and_slots-0",
    "names.imported_where_it_is_used-0",
    "names.imported_where_it_is_used-1",
    "object_protocols.comparisons_of_dual_numbers-0",
    "object_protocols.comparisons_of_dual_numbers-1",
    "parts_of_complex_arrays.parts_of_views-0",
}


class Everything(set):
    """All keys there are."""

    def __contains__(self, key):
        return True

    def discard(self, key):
        raise zyg.NotDifferentiable("refused with memory in cells")


@pytest.fixture
def in_cells(monkeypatch):
    zyg.cache_clear()
    monkeypatch.setattr(cache, "in_cells", Everything())
    yield
    zyg.cache_clear()


@pytest.mark.thorough
@pytest.mark.one_version
@pytest.mark.parametrize(("program", "args"), [c for c in CASES if c.id not in REFUSED])
def test_gradient_with_memory_in_cells(program, args, in_cells, capsys):
    differences.check_gradient(program.f, args, zyg.pullback)


@pytest.mark.thorough
@pytest.mark.one_version
@pytest.mark.parametrize(("program", "args"), [c for c in CASES if c.id in REFUSED])
def test_refused_with_memory_in_cells(program, args, in_cells, capsys):
    with pytest.raises((zyg.NotDifferentiable, zyg.UnsupportedSyntax)):
        differences.check_gradient(program.f, args, zyg.pullback)
