"""Declared tangents of changes in place: the same change of the tangent, as a new version of it.

What a change was made in has the new contents by then, so that nothing here reads the old ones:
what stands in its place is None, and of a set the order that its members had.
"""

from __future__ import annotations

from ir import primitives
from zyg.cotangents.cotangent_items import add_at, cycled_back
from zyg.facts.numpy_changes import added_at_each
from zyg.rules.registry import constant
from zyg.rules.tangent_registry import tangent
from zyg.tangents.tangent import (
    changed,
    extended_by,
    moved_within,
    part_of,
    placed,
    spliced_tangent,
    with_last,
    without,
    zero_tangent,
)
from zyg.tangents.tangent_sets import order_of, regrouped_tangent

constant(order_of)


@tangent(primitives.stored)
def stored(y, items, index, value, items_dot, index_dot, value_dot):
    return placed(items_dot, index, value_dot)


@tangent(primitives.stored_back)
def stored_back(y, items, index, value, items_dot, index_dot, value_dot):
    return placed(items_dot, index, value_dot)


@tangent(primitives.written)
def written(y, items, index, part, items_dot, index_dot, part_dot):
    return placed(items_dot, index, part_dot)


@tangent(primitives.overwritten)
def overwritten(y, items, value, items_dot, value_dot):
    return placed(items_dot, ..., value_dot)


@tangent(primitives.added_at)
def added_at(y, items, index, value, items_dot, index_dot, value_dot):
    return placed(items_dot, index, part_of(items_dot, index) + value_dot)


@tangent(primitives.subtracted_at)
def subtracted_at(y, items, index, value, items_dot, index_dot, value_dot):
    return placed(items_dot, index, part_of(items_dot, index) - value_dot)


@tangent(added_at_each)
def add_at_each(y, items, index, value, items_dot, index_dot, value_dot):
    return add_at(items_dot, index, value_dot)


@tangent(primitives.spliced)
def spliced(y, items, index, values, items_dot, index_dot, values_dot):
    return spliced_tangent(items_dot, index, values_dot)


@tangent(primitives.deleted)
def deleted(y, items, index, items_dot, index_dot):
    return without(items_dot, index)


@tangent(primitives.item_to_pop)
def item_to_pop(y, items, index, items_dot, index_dot):
    return items_dot[index]


@tangent(primitives.appended)
def appended(y, items, value, items_dot, value_dot):
    return with_last(items_dot, value_dot)


@tangent(primitives.extended)
def extended(y, items, more, items_dot, more_dot):
    return extended_by(items_dot, more_dot, y)


@tangent(primitives.inserted)
def inserted(y, items, index, value, items_dot, index_dot, value_dot):
    return changed(items_dot, "insert", index, value_dot)


@tangent(primitives.pushed)
def pushed(y, items, value, items_dot, value_dot):
    return changed(items_dot, "append", value_dot)


@tangent(primitives.pushed_left)
def pushed_left(y, items, value, items_dot, value_dot):
    return changed(items_dot, "appendleft", value_dot)


@tangent(primitives.rotated)
def rotated(y, items, count, items_dot, count_dot):
    return changed(items_dot, "rotate", count)


@tangent(primitives.emptied)
def emptied(y, items, items_dot):
    return changed(items_dot, "clear")


@tangent(primitives.moved_to_end)
def moved_to_end(y, mapping, key, last, mapping_dot, key_dot, last_dot):
    return moved_within(mapping_dot, key, last)


@tangent(primitives.defaulted)
def defaulted(y, mapping, key, value, mapping_dot, key_dot, value_dot):
    return changed(mapping_dot, "setdefault", key, value_dot)


@tangent(primitives.touched)
def touched(y, mapping, key, mapping_dot, key_dot):
    return changed(mapping_dot, "setdefault", key, zero_tangent(y[key]))


@tangent(primitives.cycled)
def cycled(y, items, path, items_dot, path_dot):
    return cycled_back(items_dot, path[::-1])


@tangent(primitives.regrouped)
def regrouped(y, before, method, *rest):
    count = len(rest) // 2 - 1
    member, member_dot = (rest[0], rest[-1]) if count == 1 else (None, None)
    return regrouped_tangent(y, before, method, member, rest[count], member_dot)
