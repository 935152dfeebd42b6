"""Nothing of what was compiled stays once it is forgotten: no IR, no types, no generated code."""

import contextlib
import copy
import gc
import io
import weakref

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
    """How much is left of what was compiled, by kind: also of what tests before have left to the
    end (tests/conftest.py), which may hold what is new."""
    zyg.cache_clear()
    gc.unfreeze()
    gc.collect()
    objects = gc.get_objects()
    return [sum(type(item) is cls for item in objects) for cls in (Value, Function, Generated)]


def test_programs_are_there():
    assert sorted(map(str, PROGRAMS)) == sorted(NAMES)


def leaving_something(programs):
    """Those among some programs of which something is left: to count that takes a second, so that
    all are run before, and one by one where they leave something together."""
    for program in programs:
        differentiated(program)  # which also reads the IR of the rules that it uses
    before = left_behind()
    for program in programs:
        differentiated(program)
    if left_behind() == before:
        return []
    if len(programs) == 1:
        return programs
    return [one for program in programs for one in leaving_something([program])]


def test_programs_leave_nothing():
    assert leaving_something(PROGRAMS) == []


def test_checkpoints_leave_nothing():
    zyg.gradient(checkpointed_steps, 1.2)
    before = left_behind()
    zyg.gradient(checkpointed_steps, 1.2)
    assert left_behind() == before


def counting(weights):
    calls = 0

    def f(x):
        nonlocal calls
        calls += 1
        weights[0] = weights[0] + 1.0
        return calls * np.sum(weights * x)

    return f


def with_a_class_that_counts(weights):
    class Count:
        calls = 0

    def f(x):
        Count.calls += 1
        weights[0] = weights[0] + 1.0
        return Count.calls * np.sum(weights * x)

    return f


def with_an_attribute_that_counts(weights):
    def f(x):
        f.calls += 1
        weights[0] = weights[0] + 1.0
        return f.calls * np.sum(weights * x)

    f.calls = 0
    return f


@pytest.mark.parametrize("made_with", [
    counting, with_a_class_that_counts, with_an_attribute_that_counts
])
def test_state_of_functions_leaves_nothing(made_with):
    weights = np.arange(3.0)
    kept = weakref.ref(weights)
    f = made_with(weights)
    del weights
    assert zyg.gradient(f, 2.0) == (4.0,)
    assert zyg.gradient(f, 2.0) == (10.0,)
    del f
    left_behind()
    assert kept() is None


def second_derivatives_of_a_function_that_is_found():
    powers = {"cube": lambda x: x**3}

    def f(x):
        return powers["cube"](x) * x

    assert zyg.grad(zyg.grad(f))(2.0) == zyg.hvp(f, 2.0, 1.0) == 48.0
    return weakref.ref(f)


def derivatives_by_objects_of_a_local_class():
    class Path:
        def __init__(self, position):
            self.position = position
            self.visited = []

        def __iter__(self):
            return iter(self.visited)

        def step(self, x):
            self.position = self.position * x
            self.visited.append(self.position)

    def f(path, x):
        for _ in range(2):
            path.step(x)
        return sum(path)

    assert zyg.gradient(f, Path(2.0), 3.0)[1] == 14.0
    assert zyg.hvp(lambda x: f(Path(x), x), 3.0, 1.0) == 2.0 + 6.0 * 3.0
    return weakref.ref(Path)


@pytest.mark.parametrize("derivatives", [
    second_derivatives_of_a_function_that_is_found, derivatives_by_objects_of_a_local_class
])
def test_functions_and_classes_are_let_go(derivatives):
    reference = derivatives()
    left_behind()
    assert reference() is None


def test_a_back_function_that_is_held_can_still_be_called():
    _, back = zyg.pullback(lambda x: (lambda y: y * x)(x), 3.0)
    left_behind()
    assert back(1.0) == (6.0,)
