"""Declared tangents of the cotangent algebra: what forward over reverse meets.

All of it is linear in the cotangents, and differentiated adjoints are as cheap as adjoints.
"""

from __future__ import annotations

from zyg import cotangent
from zyg.cotangent import add_at
from zyg.rules.registry import adjoint
from zyg.rules.tangent_registry import linear, tangent
from zyg.tangent import tangent_like

for _callee in (
    cotangent.unbroadcast, cotangent.sum_over, cotangent.project, cotangent.taken,
    cotangent.cleared, cotangent.stored_bar, cotangent.one_hot, cotangent.scatter,
    cotangent.put_back, cotangent.with_gap, cotangent.without_item, cotangent.without_last,
    cotangent.materialised, cotangent.from_items, cotangent.from_reversed_items, cotangent.item,
    cotangent.first_part, cotangent.last_part, cotangent.taken_view, cotangent.cleared_view,
    cotangent.filled, cotangent.completed, cotangent.listed,
):
    linear(_callee, 0)
linear(cotangent.realness_of, 1)
linear(cotangent.accumulate, (0, 1))


@tangent(cotangent.accumulate_at)
def accumulate_at(y, buffer, index, value, buffer_dot, index_dot, value_dot):
    return add_at(buffer_dot, index, value_dot)


@adjoint(tangent_like)
def tangent_like_(dot, x):
    return tangent_like(dot, x), lambda y_bar: (y_bar, None)


linear(tangent_like, 0)
