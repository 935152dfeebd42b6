"""Nothing of what was compiled stays once it is forgotten: no IR, no types, no generated code."""

import contextlib
import copy
import gc
import io

import numpy as np
import pytest

import zyg
from ir.core import Function, Value
from ir.load import Generated
from tests import corpus
from tests.differences import seed_like

# Programs for which the compiler makes functions or classes of its own, or whose code is about
# itself: each of these once stayed for ever.
NAMES = """
    abstract_collections.a_sequence changes_in_place.methods_of_dicts
    failing_callees.context_cause generator_consumers.map_and_filter
    generator_endings.closed_by_hand generator_flow.fibonacci_taken_while
    generator_managers.array_changed_for_a_while generator_walks.paths_with_a_weight
    generators.yields_in_expressions held_walks.asked_one_by_one
    local_classes.methods_that_capture objects.operators_from_the_left
    recursion.nested_recursion recursion.recursion_in_generator
    shared_contents.reversed_by_a_lambda shared_variables.totals_of_a_recursion
    simulations.scan_over_states
""".split()
PROGRAMS = [program for program in corpus.all if str(program) in NAMES]


def differentiated(program):
    for args in program.inputs:
        with contextlib.redirect_stdout(io.StringIO()):
            value, back = zyg.pullback(program.f, *copy.deepcopy(args))
            back(seed_like(value, np.random.default_rng(0)))


def checkpointed_steps(x):
    def step(x):
        return np.sin(x) * x

    for _ in zyg.checkpoints(range(4), slots=2):
        x = zyg.checkpointed(step, x)
    return x


def left_behind():
    zyg.cache_clear()
    gc.collect()
    objects = gc.get_objects()
    return [sum(type(item) is cls for item in objects) for cls in (Value, Function, Generated)]


def test_programs_are_there():
    assert sorted(map(str, PROGRAMS)) == sorted(NAMES)


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_programs_leave_nothing(program):
    differentiated(program)  # which also reads the IR of the rules that it uses
    before = left_behind()
    differentiated(program)
    assert left_behind() == before


def test_checkpoints_leave_nothing():
    zyg.gradient(checkpointed_steps, 1.2)
    before = left_behind()
    zyg.gradient(checkpointed_steps, 1.2)
    assert left_behind() == before


def test_a_back_function_that_is_held_can_still_be_called():
    _, back = zyg.pullback(lambda x: (lambda y: y * x)(x), 3.0)
    left_behind()
    assert back(1.0) == (6.0,)
