"""Patterns of all rows of the table of rules and of the corpus lack no entry that differences see.

A program may be refused; a pattern that lacks an entry is what must not be.
"""

import contextlib
import copy
import io

import numpy as np
import pytest

import zyg
from tests import corpus, rule_rows_composites
from tests.rule_table import ROWS
from zyg.errors import NotDifferentiable, UnsupportedSyntax
from zyg.flattening import numbers_of
from zyg.sparsity.index_sets import members
from zyg.sparsity.patterns import run_on_sets

pytestmark = pytest.mark.thorough

ALL = [row for row in (*ROWS, *rule_rows_composites.ROWS) if "float32" not in str(row)]
# What looks at the classes of numbers, uses them as keys, or hands them to what makes plain ones.
REFUSED_PROGRAMS = {
    "abstract_collections.products_of_objects",
    "arrays.laid_end_to_end",
    "calls.functions_in_loop",
    "calls_not_looked_into.packed_and_read",
    "changed_items.sets_of_numbers",
    "changed_items.sets_that_lose_members",
    "changes_in_place.hands_new_memory_on",
    "changes_in_place.views_by_einsum_changed",
    "changes_in_place.writes_outputs",
    "complex_numbers.list_of_real_and_complex_numbers",
    "complex_numbers.parts_that_are_set",
    "decorators.cached_function",
    "decorators.cached_recursion",
    "decorators.cached_with_keyword",
    "held_walks.elements_by_index",
    "held_walks.flat_elements",
    "held_walks.views_of_elements",
    "iterators.mean_and_deviation",
    "iterators.most_frequent",
    "iterators.statistics_of_a_list",
    "known_calls.functions_by_computed_keys",
    "object_protocols.comparisons_of_dual_numbers",
    "objects_holding_containers.lists_of_arrays",
    "remembered_values.array_that_an_object_keeps",
    "remembered_values.equal_numbers",
    "remembered_values.number_that_is_not_used_at_first",
    "remembered_values.object_that_changes_behind_a_call_with_a_number",
    "remembered_values.recursion_of_a_number_in_many_ways",
    "remembered_values.remembered_in_what_is_remembered",
    "shared_contents.noted_by_vectorized_functions",
    "shared_names.array_in_a_table_scaled_by_the_item",
    "shared_names.buffer_filled_in_place",
    "shared_names.globals_passed_to_what_changes_them",
    "shared_names.views_of_a_global",
}
REFUSED_ROWS = ("numpy.float64", "numpy.asarray_chkfinite", "numpy.require")
# Second differences would ask for powers of negative numbers.
AT_THE_BORDER = ("math.pow(float:0.0, float:2.0)", "math.pow(float:0.0, float:1.0)")
_LARGEST_HESSIAN = 8


def name_of(program):
    return f"{program.__module__.removeprefix('tests.corpus.')}.{program.__name__}"


def called(row):
    """A function that makes the call: what it calls is looked at as that of any program."""
    callee, kwargs = row.callee, row.kwargs
    if not callable(callee):
        return lambda x: getattr(x, callee.__name__)
    return lambda *args: callee(*args, **kwargs)


def check(f, args, largest_hessian=_LARGEST_HESSIAN):
    """Whether the pattern was found; fails where it lacks an entry."""
    vector, unflatten = numbers_of(args)

    def at(point):
        return np.array(numbers_of(f(*copy.deepcopy(unflatten(point))))[0])

    if vector.dtype.kind == "c" or at(vector).dtype.kind == "c":
        return True
    try:
        patterns = zyg.jacobian_sparsity(f, *copy.deepcopy(args))
        _, run = run_on_sets(f, copy.deepcopy(args))
    except (NotDifferentiable, UnsupportedSyntax):
        return False
    pattern = np.hstack([part.toarray() for part in patterns])
    with np.errstate(all="ignore"):
        for j in np.flatnonzero(np.isfinite(vector)):  # an order of norms is infinite
            step = np.zeros(len(vector))
            step[j] = 1e-6 * max(1.0, abs(vector[j]))
            column = (at(vector + step) - at(vector - step)) / (2 * step[j])
            assert not np.any((np.abs(column) > 1e-5) & ~pattern[:, j])
        if len(vector) <= largest_hessian:
            check_pairs(at, vector, run.pairs)
    return True


def check_pairs(at, vector, noted):
    """That pairs of numbers which act together are among those that were noted."""
    pairs = {(i, k) for a, b in noted for i in members(a) for k in members(b)}
    weights = np.random.default_rng(1).uniform(0.5, 1.5, len(at(vector)))
    h = 1e-4 * np.eye(len(vector))
    for i in range(len(vector)):
        for k in range(i + 1):
            corners = [(s, t) for s in (1, -1) for t in (1, -1)]
            values = [weights @ at(vector + s * h[i] + t * h[k]) for s, t in corners]
            second = sum(s * t * y for (s, t), y in zip(corners, values, strict=True)) / 4e-8
            if abs(second) > 1e-4 * max(1.0, abs(weights @ at(vector))):
                assert (i, k) in pairs or (k, i) in pairs


@pytest.mark.parametrize("row", ALL, ids=str)
def test_rows(row):
    largest_hessian = 0 if str(row) in AT_THE_BORDER else _LARGEST_HESSIAN
    was_found = check(called(row), row.args, largest_hessian)
    assert was_found or str(row).startswith(REFUSED_ROWS)


def test_programs():
    count, refused = 0, set()
    for program in corpus.all:
        for args in program.inputs[:2]:
            with contextlib.redirect_stdout(io.StringIO()):
                count += 1
                if not check(program.f, args):
                    refused.add(name_of(program.f))
    assert count > 1000
    assert refused == REFUSED_PROGRAMS
