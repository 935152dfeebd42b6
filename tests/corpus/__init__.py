"""Programs as users write them, by area: what every check of the compiler is run on.

`all` lists the programs that have gradients, `late_bound` those that may also be refused,
`raising` those that raise an exception of their own, `refused` those that hold what can't be
differentiated yet.
"""

from tests.corpus import (
    arrays,
    assignments,
    branches,
    calls,
    changes_in_place,
    closures,
    collection_classes,
    comprehensions,
    containers,
    data_classes,
    decorators,
    event_queues,
    exceptions,
    exceptions_and_printing,
    expressions,
    failing_callees,
    failing_flow,
    failing_memory,
    failing_protocols,
    generator_consumers,
    generator_endings,
    generator_flow,
    generator_managers,
    generator_memory,
    generator_pipelines,
    generator_walks,
    generators,
    held_walks,
    iterators,
    local_classes,
    loop_exits,
    loops,
    matching,
    memory_by_several_names,
    memory_in_containers,
    models,
    names,
    names_of_attributes,
    numbers_in_containers,
    object_protocols,
    object_structures,
    objects,
    objects_aliased,
    objects_changed,
    objects_holding_containers,
    recursion,
    shared_contents,
    shared_names,
    shared_variables,
    unsupported,
    while_loops,
)
from tests.corpus.registry import Program, Raising, Refused, late_bound, raising, refused
from tests.corpus.registry import programs as all

__all__ = ["Program", "Raising", "Refused", "all", "late_bound", "raising", "refused"]
