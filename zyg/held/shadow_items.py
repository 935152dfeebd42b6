"""What a table of cotangents gets by parts: of one item, in its time, or of an object.

    shadows.add(o, 'xs', one_hot(bar, xs, i))                 add_item(shadows, o, 'xs', bar, xs, i)
    add_held(shadows, o, 'xs', one_hot(bar, xs, i), seen)     add_held_item(..., bar, seen, i)
    accumulate(total, absorb(..., absorb_item(..., i, bar)))  add_rest_at(total, ..., i, bar)

`zyg.compiler.reverse.held_items` puts them in the place of what stands on the left; `add_held_item`
is there from the beginning, so that nothing is saved for it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from ir import facts
from ir.late import late
from zyg.cotangents.cotangent import accumulate, realness_of
from zyg.cotangents.cotangent_items import accumulate_at, one_hot
from zyg.errors import NotDifferentiable
from zyg.held.shadow_calls import UNTOUCHED

if TYPE_CHECKING:
    from zyg.held import memory_kinds
    from zyg.held.held_memory import Seen
    from zyg.held.shadows import Shadows
else:
    memory_kinds = late("zyg.held.memory_kinds")


def add_item(
    shadows: Shadows, obj: Any, name: str, bar: Any, like: Any, index: Any
) -> None:
    """Adds to the cotangent of an attribute what an item of `like`, which it held, has got."""
    if bar is None:
        return
    record = shadows.record_of(obj)
    before: Any = getattr(record, name, UNTOUCHED)
    own = shadows.own.get((record, name))
    if before is own and _has_place(own, like):
        if not isinstance(bar, list | tuple | dict | deque):  # the parts of these differ in shape
            bar = realness_of(own, bar)
        if type(own) is list or np.result_type(own, bar) == own.dtype:
            accumulate_at(own, index, bar)
            return
    hot = one_hot(bar, like, index)
    made = hot if before is UNTOUCHED else accumulate(before, hot)
    setattr(record, name, made)
    if type(made) is list or type(made) is np.ndarray:
        shadows.own[record, name] = made


def add_held_item(
    shadows: Shadows, obj: Any, name: str, bar: Any, seen: Seen, index: Any
) -> None:
    """The same where an attribute held memory, or a tuple of such, as it was when it was read."""
    shadows.add(obj, name, shadows.absorb_read(seen, index, bar))


def _has_place(own: Any, like: Any) -> bool:
    """Whether a sum that belongs to the table has a place for each item."""
    if type(own) is np.ndarray:
        return bool(own.shape == np.shape(like))
    return type(own) is list and len(own) == len(like)


def add_rest_at(total: Any, shadows: Shadows, seen: Seen, index: Any, bar: Any) -> Any:
    """The sum of a cotangent and of what is left of that of an item, which was read at an index,
    when the memory that objects hold has got its part."""
    return accumulate(total, shadows.absorb(seen, shadows.absorb_item(seen, index, bar)))


def add_rest_into(total: Any, shadows: Shadows, seen: Seen, index: Any, bar: Any) -> Any:
    """`add_rest_at` that consumes `total`."""
    if bar is None:
        return total
    if (
        type(total) is list and type(seen.value) is list and type(index) is int
        and len(total) == seen.size and shadows.holds_none_of(seen.value)
    ):
        part = None if seen.parts is None else seen.parts[index]
        return accumulate_at(total, index, bar if part is None else shadows.absorb(part, bar))
    return add_rest_at(total, shadows, seen, index, bar)


def add_object(shadows: Shadows, obj: Any, bar: Any) -> None:
    """Takes the cotangent of an object, by names: a call that knows no table has read it.

    What stands in its attributes may have been replaced since, so that they have to hold numbers.
    """
    for name, own in (bar or {}).items():
        if own is not None and (isinstance(own, dict | tuple) or memory_kinds.is_memory(own)):
            raise NotDifferentiable(
                f"the attribute `{name}` of a {type(obj).__name__} holds more than a number, in a "
                "call that zyg differentiates apart from the code around it, which changes objects"
            )
        shadows.add(obj, name, own)


def add_constant_object(shadows: Shadows, obj: Any, bar: Any) -> None:
    """`add_object` in a program that stores nothing into objects."""
    for name, own in (bar or {}).items():
        held = getattr(obj, name, None)
        if isinstance(own, dict) and hasattr(held, "__dict__") and type(held) is not dict:
            add_constant_object(shadows, held, own)
        else:
            shadows.add(obj, name, own)


facts.effect(add_item, add_held_item, add_rest_at, add_rest_into, add_object, add_constant_object)
