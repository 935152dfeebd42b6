"""Derivatives of `jvp` of the programs of the corpus that take and return floats, in both modes."""

import contextlib

import pytest

import zyg
from tests import differences
from tests.test_corpus_second_order import SECOND_ORDER, is_first, is_refused
from tests.test_forward import check_jvp

pytestmark = pytest.mark.thorough

DIRECTION = 1.0, 0.5, 0.25, 0.3, 0.2, 0.7

# Beside those whose second derivative is refused in reverse mode: classes that derive from
# containers, calls of what is found at run time beside objects, globals that are assigned.
REFUSED_HERE = {
    "decorators.decorated_inside",
    "derived_containers.held_by_an_object",
    "derived_containers.items_as_attributes",
    "derived_containers.stacks",
    "derived_containers.structures_mapped",
    "draws.chosen_and_drawn",
    "enumerations.properties_and_methods_of_members",
    "exceptions.return_in_with",
    "failing_callees.payload",
    "failing_flow.type_error",
    "generator_managers.suppresses_in_a_generator",
    "local_classes.exceptions_managers_and_slots",
    "local_classes.made_by_others",
    "names_of_attributes.visits_what_objects_hold",
    "recursion.function_made_by_a_recursion",
    "remembered_values.asked_for_its_cache",
}
# Which read iterators of C's: their tangents are two of them, and have no tangents in turn; and a
# partial function that the run time finds; generators that hold what objects hold;
# functions behind caches and decorators.
REFUSED_TWICE_FORWARD = {
    "decorators.partials_that_are_looked_at",
    "decorators.past_its_decorators",
    "event_queues.arrays_and_numbers_in_one_queue",
    "generator_endings.told_that_it_is_closed",
    "held_walks.slices_and_copies",
    "known_calls.groups_by_whole_numbers",
    "loops.over_itertools",
    "simulations.pipeline_of_local_generators",
}


def derivative_along(f, count):
    if count == 1:
        return lambda x: zyg.jvp(f, (x,), DIRECTION[:1])[1]
    if count == 2:
        return lambda x, y: zyg.jvp(f, (x, y), DIRECTION[:2])[1]
    return lambda *xs: zyg.jvp(f, xs, DIRECTION[: len(xs)])[1]


def is_refused_here(case):
    return is_refused(case) or str(case.values[0]) in REFUSED_HERE


OF_FLOATS = [
    case for case in SECOND_ORDER
    if is_first(case) and all(type(arg) is float for arg in case.values[1])
]
WORKING = [case for case in OF_FLOATS if not is_refused_here(case)]


# In one mode each: both take the same way up to what stands outside.
@pytest.mark.parametrize(("program", "args"), WORKING[::2])
def test_reverse_over_forward(program, args, capsys):
    along = derivative_along(program.f, len(args))
    differences.check_gradient(along, args, zyg.pullback)


@pytest.mark.parametrize(
    ("program", "args"), [c for c in WORKING[1::2] if str(c.values[0]) not in REFUSED_TWICE_FORWARD]
)
def test_forward_over_forward(program, args, capsys):
    check_jvp(derivative_along(program.f, len(args)), args)


@pytest.mark.parametrize(("program", "args"), list(filter(is_refused_here, OF_FLOATS))[::4])
def test_refused_is_never_wrong(program, args, capsys):
    along = derivative_along(program.f, len(args))
    errors = zyg.ZygError, TypeError, ValueError, AttributeError, RecursionError
    with contextlib.suppress(*errors):
        differences.check_gradient(along, args, zyg.pullback)
