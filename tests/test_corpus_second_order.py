"""Second derivatives of the programs of the corpus that return a float."""

import contextlib
import copy
import io

import pytest

import zyg
from tests import corpus, differences
from tests.second_order_refused import REFUSED, TOO_LONG
from tests.test_corpus_itself import each_input

pytestmark = pytest.mark.thorough


def gradient_of(f):
    """The gradient as a function that can itself be differentiated."""

    def gradient(*args):
        return zyg.gradient(f, *args)

    return gradient


def returns_float(case):
    program, args = case.values
    with contextlib.redirect_stdout(io.StringIO()):
        return isinstance(program.f(*copy.deepcopy(args)), float)


# Its gradient has what the class holds as well where it is differentiated, and the object's own
# attributes alone where it isn't; of the others six add in another order, and round once more,
# and one has numbers of NumPy's for Python's.
UNLIKE = {
    "objects.class_attributes", "arrays.attributes_found_at_run_time", "objects.property_is_read",
    "draws.shuffled_by_numpy", "generator_pipelines.power_iteration",
    "generator_pipelines.objects_that_move", "namespaces.functions_in_a_namespace",
    "models.soft_game",
}
# Whose gradient adds in another order where it is differentiated.
ROUNDED = {
    "calls.methods_of_dicts_as_values", "held_on_some_ways.held_in_one_arm",
    "shared_contents.right_hand_side_of_what_changes",
}
# The other inputs of one make it store into objects that are arguments, those of another call an
# object of a class that is found at run time: both are refused, as is a call that fails behind a
# change. Of the third, an attribute that is a whole number has a zero in the one gradient, and
# nothing in the other.
FIRST_INPUT_ALONE = {
    "objects.reflected_method_of_a_subclass", "objects.called_object",
    "matching.attributes_as_literals",
    "names_that_meet.what_the_last_iteration_has_given_in_try",
}
SECOND_ORDER = [
    case for case in each_input(corpus.all)
    if str(case.values[0]) not in UNLIKE | TOO_LONG and returns_float(case)
    and (str(case.values[0]) not in FIRST_INPUT_ALONE or case.id.endswith("-0"))
]


def is_refused(case):
    return str(case.values[0]) in REFUSED


def is_first(case):
    """Whether this is the first input of a program: its others run much of the same code."""
    return case.id.endswith("-0")


WORKING = [case for case in SECOND_ORDER if not is_refused(case)]
FIRST, OTHERS = [c for c in WORKING if is_first(c)], [c for c in WORKING if not is_first(c)]


@pytest.mark.parametrize(("program", "args"), FIRST + OTHERS)
def test_second_order(program, args, capsys):
    may_round = str(program) in ROUNDED
    differences.check_gradient(gradient_of(program.f), args, zyg.pullback, may_round)


# One in five: to compile what is refused in the end takes as long as all that works.
@pytest.mark.parametrize(
    ("program", "args"), [c for c in filter(is_refused, SECOND_ORDER) if is_first(c)][::5]
)
def test_refused_is_never_wrong(program, args, capsys):
    """An error of zyg's, no number; what works by now leaves the list."""
    with pytest.raises((zyg.ZygError, TypeError, ValueError, AttributeError, RecursionError)):
        differences.check_gradient(gradient_of(program.f), args, zyg.pullback)


def second_of(f):
    """The gradient of a sum of what the gradient holds, for a function of numbers."""

    def sum_of_slopes(*args):
        total = 0.0
        for i, slope in enumerate(zyg.gradient(f, *args)):
            total += (i + 1.0) * slope
        return total

    return gradient_of(sum_of_slopes)


# Whose third derivative is refused (objects in containers, exceptions that are objects, back
# functions in unions of types, what functions of a module remember), or ends in a ValueError (what
# a recursion saves at several depths).
REFUSED_THIRD = {
    "abstract_collections.a_sequence_that_changes",
    "assignments.lists_that_grow_by_the_method",
    "calls.methods_of_dicts_as_values",
    "changed_items.sets_of_numbers",
    "changed_items.sets_that_lose_members",
    "computed_attributes.stored_by_descriptors",
    "decorators.cached_function",
    "decorators.cached_recursion",
    "decorators.cached_with_keyword",
    "decorators.decorated_inside",
    "decorators.partial_of_keywords_that_change",
    "decorators.partials_that_are_kept",
    "decorators.partials_that_are_looked_at",
    "decorators.past_its_decorators",
    "decorators.recursion_through_a_decorator",
    "derived_containers.changed_by_callees",
    "derived_containers.filled_by_an_init",
    "derived_containers.held_by_an_object",
    "enumerations.members_that_are_called",
    "iterators.functions_as_items",
    "loops.over_itertools",
    "matching.class_patterns",
    "names_of_attributes.visits_what_objects_hold",
    "names_that_meet.list_in_two_lists",
    "names_that_meet.what_the_last_iteration_has_given_in_try",
    "numbers_in_exceptions.asserted",
    "numbers_in_exceptions.kept_in_a_list",
    "numbers_in_exceptions.one_of_two_classes",
    "numbers_in_exceptions.one_that_another_one_causes",
    "numbers_in_exceptions.past_what_is_done_at_last",
    "numbers_in_exceptions.raised_several_times_in_a_loop",
    "numbers_in_exceptions.retried_with_what_failed",
    "numbers_in_exceptions.root_by_steps_that_stop",
    "numbers_in_exceptions.root_in_one_function",
    "object_protocols.named_tuple_in_an_object",
    "object_protocols.newton_step_of_a_polynomial",
    "object_protocols.walked_by_positions",
    "objects.global_object",
    "recursion.lists_given_on_in_lists",
    "recursion.tail_recursion",
    "recursion.tree_of_tuples",
    "remembered_values.asked_for_its_cache",
    "remembered_values.equal_numbers",
    "remembered_values.made_in_a_loop",
    "remembered_values.recursion_of_a_number_in_many_ways",
    "shared_names.changed_by_a_generator_in_turns",
}


def is_scalar(case):
    program, args = case.values
    if program.area.startswith(("generator", "failing")):
        return False  # most of them are refused
    return str(program) not in REFUSED_THIRD and all(type(arg) in (float, int) for arg in args)


SCALAR = list(filter(is_scalar, FIRST))


@pytest.mark.parametrize(("program", "args"), SCALAR[::6])
def test_third_order(program, args, capsys):
    differences.check_gradient(second_of(program.f), args, zyg.pullback)


@pytest.mark.thorough
@pytest.mark.parametrize(("program", "args"), [c for i, c in enumerate(SCALAR) if i % 6])
def test_third_order_of_the_others(program, args, capsys):
    differences.check_gradient(second_of(program.f), args, zyg.pullback)
