"""Second derivatives of the programs of the corpus that return a float."""

import contextlib
import copy
import io

import pytest

import zyg
from tests import corpus, differences
from tests.test_corpus_itself import each_input

pytestmark = pytest.mark.thorough

# Programs whose second derivative zyg refuses so far: they store into objects, read iterators of
# functions such as `map`, or change containers of an unknown class in place (docs/limits.md).
REFUSED = {
    "arrays.attributes_found_at_run_time",
    "arrays.laid_end_to_end",
    "changes_in_place.results_of_functions",
    "memory_in_containers.default_dicts",
    "memory_in_containers.default_lists_of_numbers",
    "models.basis_splines",  # an `lru_cache`
    "models.soft_game",  # a dict that closures share
    "models.tree_likelihood",  # an iterator that closures share
    "containers.extremes_of_dicts_are_keys",
    "calls.mapped",
    "calls.star_arguments",
    "collection_classes.defaultdict_as_argument",
    "collection_classes.events",
    "collection_classes.groups_by_default",
    "collection_classes.named_tuples",
    "collection_classes.sums_by_default",
    "comprehensions.starred_comprehension",
    "containers.zipped_and_unzipped",
    "decorators.attribute_getters",
    "decorators.cached_function",
    "decorators.cached_recursion",
    "decorators.cached_recursion_of_its_own",
    "decorators.recursion_through_a_decorator",
    "decorators.weighted_edit_distance",
    "decorators.cached_with_keyword",
    "decorators.decorated_by_a_class",
    "decorators.dispatched_on_type",
    "decorators.item_getters",
    "decorators.method_dispatched_on_type",
    "decorators.method_with_partial",
    "exceptions.exits_in_with",
    "exceptions.manager_suppresses",
    "exceptions.manager_that_does_not_suppress",
    "iterators.accumulated",
    "iterators.grouped",
    "iterators.mapped_with_gradient_of_the_function",
    "iterators.math_of_sequences",
    "iterators.sorted_items_of_a_dict",
    "iterators.starmapped",
    "loops.over_map_and_filter",
    "matching.everything_caught_in_a_list",
    "memory_in_containers.containers_in_containers",
    "numbers_in_containers.default_lists_of_known_keys",
}
# What is done with objects of which only the class is known may store into them.
REFUSED_AREAS = {
    "objects", "object_protocols", "object_structures", "objects_aliased", "objects_changed",
    "objects_holding_containers", "held_walks",
    "shared_variables", "data_classes", "generators", "generator_consumers", "generator_flow",
    "generator_endings", "generator_managers", "generator_memory",
    "generator_pipelines", "generator_walks", "memory_by_several_names",
    "shared_contents", "shared_names", "event_queues", "names_of_attributes", "local_classes",
}
# Programs whose callees change something and fail, of the same kinds.
REFUSED |= {
    "failing_callees.bank1",
    "failing_callees.bank2",
    "failing_callees.bank_list",
    "failing_callees.bank_rollback",
    "failing_callees.context_cause",
    "failing_callees.default_mut",
    "failing_callees.error_reraise",
    "failing_callees.events",
    "failing_callees.lambda_cells",
    "failing_callees.machine",
    "failing_callees.mutual",
    "failing_callees.nested_finally",
    "failing_callees.nested_try_callee",
    "failing_callees.nonlocals",
    "failing_callees.payload",
    "failing_callees.recursion",
    "failing_callees.starred_calls_that_fail_midway",
    "failing_callees.unknown_functions",
    "failing_flow.assert_",
    "failing_flow.bare",
    "failing_flow.bool_ops",
    "failing_flow.comp",
    "failing_flow.comps",
    "failing_flow.cond_expr",
    "failing_flow.early_return",
    "failing_flow.finally_return",
    "failing_flow.ifexp",
    "failing_flow.loop_exits",
    "failing_flow.orelse",
    "failing_flow.raise_in_else",
    "failing_flow.ret_in_try",
    "failing_flow.type_error",
    "failing_flow.type_obj",
    "failing_flow.varargs",
    "failing_flow.walrus",
    "failing_flow.while_cond",
    "failing_flow.whiles",
    "failing_flow.zips",
    "failing_memory.array_result",
    "failing_memory.attrs_order",
    "failing_memory.del_multi",
    "failing_memory.delattr_",
    "failing_memory.held_array",
    "failing_memory.iterative",
    "failing_memory.swap_fail",
    "failing_protocols.callable_object",
    "failing_protocols.compare",
    "failing_protocols.dataclasses_",
    "failing_protocols.decorated",
    "failing_protocols.hook",
    "failing_protocols.init_raises",
    "failing_protocols.items",
    "failing_protocols.managers",
    "failing_protocols.operators",
    "failing_protocols.partials",
    "failing_protocols.prop_getter",
    "failing_protocols.setter",
    "failing_protocols.static_class",
    "failing_protocols.sup",
    "failing_protocols.suppress",
    "failing_protocols.with_raises",
}


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
# attributes alone where it isn't.
UNLIKE = {"objects.class_attributes"}
SECOND_ORDER = [
    case for case in each_input(corpus.all)
    if str(case.values[0]) not in UNLIKE and returns_float(case)
]


# In these areas, but they store into no object that depends on anything.
WITHOUT_STORES = {
    "event_queues.heap_by_hand",
    "event_queues.kept_in_order",
    "event_queues.shortest_path",
    "event_queues.smallest_and_largest",
    "event_queues.waiting_line",
    "generator_consumers.expression_shadows_a_name",
    "generator_managers.suppresses_in_a_generator",
    "generator_pipelines.array_of_a_generator",
    "generator_pipelines.arrays_stacked",
    "generator_pipelines.captured_by_a_loop",
    "generator_pipelines.conditional_elements",
    "generator_pipelines.enumerated_and_sorted",
    "generator_pipelines.nested_clauses",
    "generator_pipelines.nested_expressions",
    "local_classes.exceptions_managers_and_slots",
    "objects.attribute_by_name",
    "objects.attributes_and_methods",
    "objects.class_and_static_methods",
    "objects.global_object",
    "objects.method_of_class",
    "objects.slots",
    "objects.truth_of_an_object",
}


def is_refused(case):
    program, _ = case.values
    in_area = program.area in REFUSED_AREAS and str(program) not in WITHOUT_STORES
    return str(program) in REFUSED or in_area


def is_first(case):
    """Whether this is the first input of a program: its others run much of the same code."""
    return case.id.endswith("-0")


WORKING = [case for case in SECOND_ORDER if not is_refused(case)]
FIRST, OTHERS = [c for c in WORKING if is_first(c)], [c for c in WORKING if not is_first(c)]


@pytest.mark.parametrize(("program", "args"), FIRST + OTHERS[::3])
def test_second_order(program, args, capsys):
    differences.check_gradient(gradient_of(program.f), args, zyg.pullback)


# One in five: to compile what is refused in the end takes as long as all that works.
@pytest.mark.parametrize(
    ("program", "args"), [c for c in filter(is_refused, SECOND_ORDER) if is_first(c)][::5]
)
def test_refused_is_never_wrong(program, args, capsys):
    """An error of zyg's, no number; what works by now leaves the list."""
    with pytest.raises((zyg.ZygError, TypeError, ValueError, AttributeError)):
        differences.check_gradient(gradient_of(program.f), args, zyg.pullback)


def second_of(f):
    """The gradient of a sum of what the gradient holds, for a function of numbers."""

    def sum_of_slopes(*args):
        total = 0.0
        for i, slope in enumerate(zyg.gradient(f, *args)):
            total += (i + 1.0) * slope
        return total

    return gradient_of(sum_of_slopes)


# Whose third derivative is refused (objects in containers, back functions in unions of types), or
# takes half a minute (`methods_of_dicts`).
REFUSED_THIRD = {
    "calls.partial_function",
    "changes_in_place.methods_of_dicts",
    "changes_in_place.methods_of_lists",
    "containers.named_tuple",
    "decorators.partial_functions",
    "event_queues.heap_by_hand",
    "event_queues.shortest_path",
    "event_queues.waiting_line",
    "exceptions.logged",
    "generator_managers.suppresses_in_a_generator",
    "iterators.repeated",
    "loops.over_itertools",
    "matching.class_patterns",
    "objects.global_object",
}


def is_scalar(case):
    program, args = case.values
    return str(program) not in REFUSED_THIRD and all(type(arg) in (float, int) for arg in args)


@pytest.mark.parametrize(("program", "args"), list(filter(is_scalar, FIRST))[::6])
def test_third_order(program, args, capsys):
    differences.check_gradient(second_of(program.f), args, zyg.pullback)
