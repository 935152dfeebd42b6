"""Runs that find that names mean the same memory, and begin again.

    zyg.gradient(f, whole[:3], whole[1:])     `a[0] = 2 * b[0]` has changed what `b` shows as well

Most programs that change memory under several names have no names that meet, and code for them is
several times as fast as that which knows memory by its identity (`ir.syntax.changed_names`). So
they get such code when a run has found that they need it: what they were given is put back, and the
call is made again, if it has left no other trace (`zyg.compiler.checkpoints.starting_again`). What
prints or draws numbers looks at what it is given before it runs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from zyg.calls.entry_cache import Entry
from zyg.compiler.run_time.memory import shares_memory
from zyg.errors import SharedMemory
from zyg.held.memory_kinds import memory_in


class FirstRun:
    """Code of an entry that may find that names meet: then what it was given is as it was."""

    __slots__ = ("_changed", "_form", "_run")

    def __init__(self, run: Callable[..., Any], form: str, changed: list[int]) -> None:
        self._run = run
        self._form = form
        self._changed = changed

    def __call__(self, *inputs: Any) -> Any:
        given = [inputs[i] for i in self._changed]
        before = [(one, _contents(one)) for one in memory_in(given) if _may_change(one)]
        try:
            return self._run(*inputs)
        except SharedMemory as error:
            for memory, contents in before:
                _put_back(memory, contents)
            error.form = self._form
            raise


def watched(entry: Entry) -> None:
    """Has an entry whose run may begin again put back what it was given."""
    changed = changed_inputs(entry)
    if any(one.source.is_generated for one in entry.made.with_callees()):
        # What inner gradients change isn't told: all that they may be given is put back.
        changed = list(range(len(entry.passed)))
    entry.run = FirstRun(entry.run, entry.mode, changed)


def changed_inputs(entry: Entry) -> list[int]:
    """The numbers of the inputs that the code of an entry changes in place, but for objects."""
    made = entry.made
    sources = [entry.plan.inputs[i] for i in (*made.updates, *made.spoiled)]
    return [entry.passed.index(source) for source in sources if source.kind != "heap"]


def given_shared(entry: Entry, inputs: Sequence[Any]) -> bool:
    """Whether memory that a call changes in place has two names among what it is given."""
    changed = set(changed_inputs(entry))
    return shares_memory(
        [value for i, value in enumerate(inputs) if i in changed],
        [value for i, value in enumerate(inputs) if i not in changed],
    )


def _may_change(memory: Any) -> bool:
    return not isinstance(memory, np.ndarray) or bool(memory.flags.writeable)


# By the methods of Python's own containers, which the user's classes that derive from them may
# have replaced.


def _contents(memory: Any) -> Any:
    if isinstance(memory, np.ndarray):
        return memory.copy()
    kind = _kind_of(memory)
    return kind(kind.__iter__(memory)) if kind is not dict else dict.copy(memory)


def _put_back(memory: Any, contents: Any) -> None:
    if isinstance(memory, np.ndarray):
        memory[...] = contents
        return
    kind: Any = _kind_of(memory)
    kind.clear(memory)
    (kind.update if kind in (dict, set) else kind.extend)(memory, contents)


def _kind_of(memory: Any) -> Any:
    return next(kind for kind in (list, dict, set, deque, bytearray) if isinstance(memory, kind))
