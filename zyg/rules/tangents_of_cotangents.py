"""Declared tangents of the cotangent algebra: what forward over reverse meets.

All of it is linear in the cotangents, and differentiated adjoints are as cheap as adjoints.
"""

from __future__ import annotations

from zyg.arrays import transposes
from zyg.cotangents import cotangent, cotangent_items, cotangent_places, cotangent_views
from zyg.cotangents.cotangent_items import add_at
from zyg.rules.registry import adjoint
from zyg.rules.tangent_registry import linear, tangent
from zyg.tangents.tangent import tangent_like

for _callee in (
    cotangent.unbroadcast, cotangent.sum_over, cotangent.project, cotangent.filled,
    cotangent.materialised, cotangent_items.kept_real, cotangent.from_items,
    cotangent.from_reversed_items, cotangent.completed, cotangent.completed_container,
    cotangent.listed, cotangent.inexact, cotangent_items.with_numbers,
    cotangent_items.taken, cotangent_items.cleared, cotangent_items.stored_bar,
    cotangent_items.one_hot, cotangent_items.scatter, cotangent_items.put_back,
    cotangent_items.with_gap, cotangent_items.without_item, cotangent_items.without_last,
    cotangent_items.item, cotangent_items.first_part, cotangent_items.last_part,
    cotangent_views.taken_view, cotangent_views.cleared_view, cotangent_views.put_back_view,
    cotangent_items.with_place,
    cotangent_items.before_push, cotangent_items.cycled_back,
    cotangent_places.item_in, cotangent_places.found_in, cotangent_places.cleared_in,
    cotangent_places.one_hot_in, cotangent_places.cleared_to, cotangent_places.without_key,
    cotangent_places.with_key, cotangent_places.without_place_in, cotangent_places.with_place_in,
    transposes.differences_back, transposes.diagonal_back,
):
    linear(_callee, 0)
linear(cotangent.realness_of, 1)
linear(cotangent.accumulate, (0, 1))
linear(cotangent_places.add_in, (0, 1))


@tangent(cotangent_items.accumulate_at, cotangent_items.add_at)
def accumulate_at(y, buffer, index, value, buffer_dot, index_dot, value_dot):
    return add_at(buffer_dot, index, value_dot)


@adjoint(tangent_like)
def tangent_like_(dot, x):
    return tangent_like(dot, x), lambda y_bar: (y_bar, None)


linear(tangent_like, 0)
