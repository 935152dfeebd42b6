"""Cotangents of what stands deep in containers: numbers in the rows of a table.

    item_in([[1.0, 2.0]], 0, 1)            2.0
    add_in([[1.0, 2.0]], 5.0, 0, 1)        [[1.0, 7.0]]       printed `bar[0][1] += 5.0`
    cleared_in([[1.0, 2.0]], 0, 1)         [[1.0, 0.0]]       printed `bar[0][1] = 0.0`

They stand for what `cotangent_items` does to one row, and to the table that holds it:

    add_at(bar, i, one_hot(v, row, j))                      add_in(bar, v, i, j)
    add_at(cleared(bar, i), i, cleared(taken(bar, i), j))   cleared_in(bar, i, j)

which take a copy of the row each. All functions are pure.
"""

from __future__ import annotations

from typing import Any

from zyg.cotangents.cotangent import owned, rebuilt, zeros_like
from zyg.cotangents.cotangent_items import (
    accumulate_at,
    clear_at,
    cleared,
    item,
    one_hot,
    with_place,
)


def item_in(bar: Any, *path: Any) -> Any:
    """What stands at the end of a path of indices and keys."""
    for index in path:
        bar = bar[index]
    return bar


def found_in(bar: Any, *path: Any) -> Any:
    """`item_in` of a cotangent in which structural zeros may stand."""
    for index in path:
        if bar is None:
            return None
        bar = item(bar, index)
    return bar


def add_in(bar: Any, value: Any, *path: Any) -> Any:
    """`bar` with a number added at the end of a path; shares what isn't on the path."""
    index, *rest = path
    if not rest:
        return accumulate_at(owned(bar), index, value)
    return _with(bar, index, add_in(bar[index], value, *rest))


def cleared_in(bar: Any, *path: Any) -> Any:
    """`bar` with zero at the end of a path; shares what isn't on the path."""
    index, *rest = path
    if bar is None or not rest:
        return clear_at(owned(bar), index)
    return _with(bar, index, cleared_in(bar[index], *rest))


def _with(bar: Any, index: Any, part: Any) -> Any:
    bar = owned(bar)
    bar[index] = part
    return bar


def without_place_in(bar: Any, *path: Any) -> Any:
    """`bar` without the place at the end of a path."""
    index, *rest = path
    if bar is None:
        return None
    if not rest:
        return drop_place([*bar], index)
    return _with(bar, index, without_place_in(bar[index], *rest))


def drop_place(buffer: Any, index: Any) -> Any:
    del buffer[index]
    return buffer


def with_place_in(bar: Any, zero: Any, *path: Any) -> Any:
    """`bar` where `zero` stands at the end of a path, before what has stood there."""
    index, *rest = path
    if bar is None:
        return None
    if not rest:
        return with_place(bar, index, zero)
    return _with(bar, index, with_place_in(bar[index], zero, *rest))


def row_at(items: Any, index: Any) -> Any:
    """The row of a table that a store replaces; None where no table is seen to be."""
    if isinstance(items, dict):
        row = dict.get(items, index)
    else:
        row = items[index] if isinstance(items, list) and isinstance(index, int) else None
    return row if isinstance(row, list | dict) else None


def cleared_to(bar: Any, index: Any, before: Any) -> Any:
    """`bar` with zeros for the row that stood at `index` before, which may be of another length."""
    if bar is None or before is None:
        return cleared(bar, index)
    return _with(bar, index, zeros_like(before))


def without_key(bar: Any, key: Any) -> Any:
    """The cotangent of a dict before a key came in."""
    return cleared(bar, key)


def with_key(bar: Any, key: Any, before: Any) -> Any:
    """The cotangent of a dict of cotangents of which a key was left out."""
    return None if bar is None or before is None else _with(bar, key, zeros_like(before))


def one_hot_in(value: Any, like: Any, *path: Any) -> Any:
    """The cotangent of `like` that is `value` at the end of a path, and zero elsewhere.

    >>> one_hot_in(5.0, [[1.0], [2.0, 3.0]], 1, 0)
    [[0.0], [5.0, 0.0]]
    """
    if value is None:
        return None
    index, *rest = path
    return one_hot(one_hot_in(value, like[index], *rest) if rest else value, like, index)


def owned_within(bar: Any) -> Any:
    """A copy of a cotangent of which each list and dict can be accumulated into.

    >>> bars = [1.0], 2.0
    >>> owned_within(bars)[0] is bars[0]
    False
    """
    if isinstance(bar, tuple):
        return rebuilt(bar, [owned_within(item) for item in bar])
    if isinstance(bar, list):
        return [owned_within(item) for item in bar]
    if isinstance(bar, dict):
        return {key: owned_within(item) for key, item in bar.items()}
    return owned(bar)
