"""Numbers that vary, as keys of dicts that are older than the program.

    if x not in MEMO:            the first call of a gradient stores x * x, with its derivative,
        MEMO[x] = x * x          and the second one finds a number there, which has none
    return MEMO[x]

What such a dict held when the program came to it is found by equality alone, which says nothing of
how it depends on the key: reading it is refused. A key whose derivative was dropped may be looked
up.
"""

from __future__ import annotations

from typing import Any

from ir import facts
from zyg.errors import NotDifferentiable
from zyg.held.shadow_calls import state


def note_keys(items: Any) -> None:
    """Notes which numbers are keys of a dict, in front of what may store another one."""
    if isinstance(items, dict) and state.run is not None and id(items) not in state.run.keys:
        state.run.keys[id(items)] = items, frozenset(filter(_has_number, items))


def unless_outer(items: Any, key: Any) -> None:
    """Raises for a key that varies, and that a dict had when the program came to it."""
    if not isinstance(items, dict) or state.run is None:
        return
    note_keys(items)
    if key in state.run.keys[id(items)][1]:
        raise NotDifferentiable(
            f"a number with a derivative, {key!r}, is looked up in a dict that held it before: "
            "what is found there says nothing of how it depends on the number; make the dict in "
            "the differentiated function, let functools.lru_cache remember, or look up "
            "zyg.dropgrad(key)"
        )


def _has_number(key: Any) -> bool:
    if isinstance(key, tuple):
        return any(map(_has_number, key))
    return isinstance(key, float | complex)


facts.effect(note_keys, unless_outer)
