"""`copy.deepcopy`, `dataclasses.asdict` and `astuple` of objects, in forward mode.

What a copy holds has the tangents of what the original holds.
"""

from __future__ import annotations

import copy
from typing import Any

from zyg.compiler.run_time.deep_copies import DeepCopied, Part, RecordBack
from zyg.tangents.tangent import tangent_or_zero
from zyg.tangents.tangent_objects import now, read_dot, store_held


def tangent_of_copy(y: Any, back: Any, dot: Any) -> tuple[Any] | None:
    """The tangent of a copy `y`, in a tuple; None for what is no such copy."""
    if isinstance(back, DeepCopied):
        for field in back.fields:
            before = getattr(field.original, field.name)
            value = getattr(field.copied, field.name)
            store_held(field.copied, field.name, value, copied_dot(
                read_dot(field.original, field.name, before)
            ))
        return (copied_dot(dot),)
    if isinstance(back, RecordBack):
        return (_record_dot(back.part, y, dot, back.is_on_heap),)
    return None


def copied_dot(dot: Any) -> Any:
    return copy.deepcopy(dot)


def _record_dot(part: Part, y: Any, dot: Any, is_on_heap: bool) -> Any:
    """The tangent of what was made of a part, which is `y`, by that of the part."""
    if part.obj is not None:
        dots: Any = {
            name: read_dot(part.obj, name, seen.value) if is_on_heap else (dot or {}).get(name)
            for name, seen in part.values.items()
        }
    elif part.rebuild is None:
        return copied_dot(now(y, dot) if is_on_heap else tangent_or_zero(dot, y))
    elif dot is None:
        dots = dict.fromkeys(part.parts)
    else:
        dots = dot if part.rebuild is dict else dict(enumerate(dot))
    items = y.values() if isinstance(y, dict) else y
    found = {
        key: tangent_or_zero(
            _record_dot(inner, item, dots.get(key), is_on_heap), item
        )
        for (key, inner), item in zip(part.parts.items(), items, strict=True)
    }
    if isinstance(y, dict):
        return dict(zip(y, found.values(), strict=True))
    return type(y)(found.values())
