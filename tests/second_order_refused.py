"""Programs of the corpus whose second derivative zyg refuses so far, by area.

Most of them change lists, dicts or arrays that objects hold; others store into objects and call
what is found at run time and works on objects, or read iterators of C's (docs/limits.md).
"""

BY_AREA = {
    "asked_classes": """
        names_of_modules_that_are_found what_the_metaclass_of_one_of_several_classes_computes
    """,
    "bound_methods": "mapped_and_sorted of_an_argument",
    "calls_not_looked_into": """
        appended_by_a_function_that_is_found packed_and_read sorted_by_a_function_that_is_found
        updated_by_a_function_that_is_found
    """,
    "containers": "largest_and_smallest_of_nested_tuples",
    "derived_containers": "a_dict_that_is_its_dict",
    "event_queues": """
        actions_that_plan_others arrays_and_numbers_in_one_queue desk_with_planned_events
    """,
    "failing_callees": "unknown_functions",
    "failing_protocols": "partials prop_getter",
    "generator_consumers": "classes_in_a_list",
    "generator_endings": "told_that_it_is_closed",
    "generator_flow": "sliding_windows",
    "generator_pipelines": "coroutine_of_groups",
    "generator_walks": "search_in_a_graph",
    "held_by_callees": "by_a_function_that_is_found scaled_by_another_name",
    "held_items_that_move": "dict_of_arrays_and_pairs",
    "held_walks": "parts_of_iterators views_of_elements",
    "names_of_attributes": """
        deep_copies_of_what_is_shared methods_that_walk_over_attributes records_of_objects
    """,
    "names_that_meet": """
        arrays_of_an_object_and_of_ones_own cells_of_lists copies_that_look_like_views
        groups_of_two linked_list row_behind_a_deletion rows_that_are_filtered walk_up_a_tree
    """,
    "object_protocols": "attributes_of_a_wrapped_object",
    "objects": "container_of_the_user",
    "objects_holding_containers": "dicts_of_lists",
    "parts_of_complex_arrays": "parts_of_what_an_object_holds wave_by_its_two_fields",
    "remembered_values": """
        array_that_an_object_keeps method_that_remembers number_that_is_not_used_at_first
        object_that_changes_behind object_that_changes_behind_a_call_with_a_number
        remembered_in_what_is_remembered value_that_is_not_used_at_first
    """,
    "shared_contents": "noted_by_vectorized_functions",
}
REFUSED = {f"{area}.{name}" for area, names in BY_AREA.items() for name in names.split()}
# Whose code takes half a minute and more to be made, or refused: generators that call each other.
TOO_LONG = {
    "generator_flow.merge_sort_by_generators",
    "generator_walks.towers_of_hanoi",
    "generators.recursive_walk",
    "generators.sending_through_yield_from",
}
