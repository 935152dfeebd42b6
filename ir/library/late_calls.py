"""Calls that many programs don't have: what they mean to inference is imported at the first one.

    xs.append(v)        `ir.memory.changes` is imported, and makes a new version of `xs`

A test holds that each of these modules is declared here for all that it registers.
"""

from __future__ import annotations

import functools
import operator
from collections import Counter, OrderedDict, defaultdict, deque

from ir import facts, generators, heap, primitives, try_primitives
from ir.inference.special_calls import late
from ir.library.builtin_facts import IN_PLACE

# Changes in place.
late(
    "ir.memory.changes", operator.setitem, operator.delitem, primitives.augmented,
    primitives.store_back,
    list.append, list.insert, deque.insert, list.extend, list.pop, *IN_PLACE,
)
facts.late(
    "ir.memory.changes", primitives.item_to_pop, primitives.stored, primitives.stored_back,
    primitives.spliced, primitives.written, primitives.overwritten, primitives.added_at,
    primitives.subtracted_at, primitives.deleted, primitives.appended, primitives.inserted,
    primitives.extended,
)
# Those of mappings, sets and deques.
late(
    "ir.memory.collection_changes", dict.setdefault, OrderedDict.setdefault, dict.update,
    defaultdict, deque.append,
    deque.appendleft, deque.rotate, deque.clear, dict.clear, OrderedDict.clear,
    OrderedDict.move_to_end, deque.pop, deque.popleft, set.add, set.discard, set.remove,
    set.clear, set.difference_update, set.intersection_update, set.symmetric_difference_update,
)
facts.late(
    "ir.memory.collection_changes", primitives.pushed, primitives.pushed_left, primitives.regrouped,
    primitives.rotated, primitives.emptied, primitives.moved_to_end, primitives.cycled,
    primitives.touched, primitives.defaulted,
)
late("ir.memory.looked_up", dict.get)
# Attributes, stored and deleted.
late(
    "ir.inference.special_stores", heap.set_attribute, setattr, object.__setattr__,
    heap.delete_attribute,
    delattr, heap.store_attribute,
)
late("ir.inference.abstract_classes", isinstance)
# Functions that stand for others.
late("ir.inference.wrapped_functions", functools.wraps, functools.update_wrapper)
# What `ir.syntax.attempts` puts into programs.
late(
    "ir.library.attempt_facts", try_primitives.attempted, try_primitives.catching,
    try_primitives.catching_found, try_primitives.failure_of,
)
facts.late("ir.library.attempt_facts", try_primitives.catching, try_primitives.catching_found)
# Globals that a program shares.
late(
    "ir.inference.special_names", primitives.store_global, primitives.read_global,
    primitives.delete_global
)
late("ir.inference.items_of_sets", sorted)
# Dicts, sets and collections, made and copied.
facts.late(
    "ir.library.collection_facts", sorted, dict, set, OrderedDict, defaultdict, Counter, deque,
    primitives.merge_dicts, primitives.flatten, primitives.build_set, dict.get, dict.copy,
    list.copy, deque.copy, OrderedDict.copy, defaultdict.copy, dict.keys, dict.values, dict.items,
    OrderedDict.keys, OrderedDict.values, OrderedDict.items,
)
# Iterators.
late(
    "ir.inference.steps", next, iter, generators.advanced, generators.iterated,
    generators.memory_kept,
    generators.sending, generators.throwing,
)
