"""Loops and calls that are run again for their reversal, so that it needs little memory.

    for t in zyg.checkpoints(range(n), slots=k):       for t, u in steps_back(steps, kept):
        u = step(u, t)                            ->       ...the adjoint of one iteration

`run_steps` runs such a loop and keeps the states before some iterations, `steps_back` gives the
state before each iteration, from the last to the first: it runs the loop again from one that was
kept (`zyg.binomial` says which are). `steps` is generated: it runs some iterations in a row. The
compiler makes it (`zyg.compiler.checkpoints.checkpoint_loops`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ir import facts
from ir.primitives import UNBOUND
from ir.record import record
from ir.types import Instance, Type
from zyg.binomial import next_kept
from zyg.errors import NotDifferentiable
from zyg.signature import by_identity

Values = tuple[Any, ...]


class Checkpoints:
    """The items of an iterable, for a loop whose reversal keeps no more than `slots` states."""

    __slots__ = ("iterable", "slots")

    def __init__(self, iterable: Any, slots: int) -> None:
        self.iterable = iterable
        self.slots = slots

    def __iter__(self) -> Iterator[Any]:
        return iter(self.iterable)

    def __len__(self) -> int:
        return len(self.iterable)

    def __repr__(self) -> str:
        return f"checkpoints({self.iterable!r}, slots={self.slots})"


def checkpoints(iterable: Any, slots: int) -> Checkpoints:
    """The items of a sequence, for a `for` loop whose reversal keeps at most `slots` states.

    A state is all that one iteration hands to the next. The states that are not kept are computed
    again: reversing `n` iterations takes the runs of the body that `zyg.binomial.fewest_steps`
    tells, the fewest possible, and `n + 1` more. Gradients are the same, bit for bit. Where
    nothing is differentiated, this is the iterable.

    >>> import zyg
    >>> def power(x, n):
    ...     y = 1.0
    ...     for _ in checkpoints(range(n), slots=3):
    ...         y = y * x
    ...     return y
    >>> zyg.gradient(power, 2.0, 10)
    (5120.0, 0)
    """
    return Checkpoints(iterable, checked_slots(slots))


def checkpointed(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`f(*args, **kwargs)`, of which a gradient keeps the arguments alone.

    The reverse pass calls `f` again, once for each reversal; calls inside of `f` may be
    checkpointed in turn. What `f` is given must not be changed by it.

    >>> import math, zyg
    >>> zyg.gradient(lambda x: checkpointed(math.exp, checkpointed(math.sin, x)), 0.0)
    (1.0,)
    """
    return f(*args, **kwargs)


# They are known as what they are also where they are passed on.
by_identity.update((id(checkpoints), id(checkpointed)))


@facts.result(checkpoints)
def _checkpoints_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Instance(Checkpoints)


def checked_slots(slots: Any) -> int:
    try:
        count = operator.index(slots)
    except TypeError:
        raise TypeError(f"slots is a number of states, not {slots!r}") from None
    if count < 1:
        raise ValueError(f"slots is {count}, but one state at least has to be kept: the first")
    return count


@record
class Steps:
    """What is known of a loop when code is made.

    Its generated function takes the items, the slots and arguments, which are numbered: what the
    loop carries, and what it reads from outside.
    """

    # The arguments that become what it returns, in this order; None for what never changes.
    carried: tuple[int | None, ...]
    # The arguments that an iteration takes, in the order of its adjoint.
    taken: tuple[int, ...]
    # The arguments of which iterations make something else, or whose memory they change.
    moving: tuple[int, ...]
    changes_memory: bool
    # Whether it returns the last versions of arrays that it changes behind its value.
    has_versions: bool
    # Whether an iteration may end it; then it returns, at last, whether one did and their number.
    may_stop: bool
    # Whether it has to be seen that iterations do the same when they are run again.
    is_compared: bool
    place: str
    names: tuple[str, ...]
    __name__ = "loop"


class Kept:
    """The states of a loop that were kept on its way, for `steps_back`."""

    __slots__ = ("args", "end", "items", "loop", "slots", "states")

    def __init__(
        self, loop: Steps, items: Any, slots: int, args: Values, states: list[tuple[int, Values]],
        end: Values | None,
    ) -> None:
        self.loop = loop
        self.items = items
        self.slots = slots
        self.args = args
        self.states = states
        # What the last iteration made, where that is compared.
        self.end = end

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Kept:
        """The same with copies of what it holds."""
        states = [(at, copy(state)) for at, state in self.states]
        return Kept(
            self.loop, copy(self.items), self.slots, copy(self.args), states, copy(self.end)
        )

    def held(self) -> dict[str, Values]:
        """What it holds, by name."""
        names, moving = self.loop.names, self.loop.moving
        states = [state for _, state in self.states]
        found: dict[str, Values] = {
            names[i]: tuple(column)
            for i, column in zip(moving, zip(*states, strict=True), strict=True)
        }
        others = [i for i in range(len(names)) if i not in moving]
        return {**found, **{names[i]: (self.args[i],) for i in others}, "items": (self.items,)}

    def handed_over(self) -> list[tuple[int, Values]]:
        """The states, all but the first of which the reversal may forget: it needs their room.

        Another reversal runs the loop again from the first one.
        """
        states, self.states = self.states, self.states[:1]
        return states


def run_steps(steps: Any, loop: Steps, items: Any, slots: Any, *args: Any) -> tuple[Any, Kept]:
    """What a loop returns, and the states that its reversal starts from."""
    slots = checked_slots(slots)
    items = _sequence(items, loop)
    if loop.changes_memory:
        _refuse_overlaps(loop, args)
    states = [(0, _state(loop, args))]
    at, whole = 0, None
    given: list[Any] = list(args)
    for goal in _goals(len(items), slots):
        whole = steps(items[at:goal], slots, *given)
        given = _continued(loop, given, whole)
        is_over, at = _progress(loop, whole, goal)
        if is_over or goal == len(items):
            break
        states.append((at, _state(loop, given)))
    end = _state(loop, given) if loop.is_compared else None
    fixed = tuple(None if i in loop.moving else arg for i, arg in enumerate(args))
    return whole, Kept(loop, items[:at], slots, fixed, states, end)


def _goals(count: int, slots: int) -> Iterator[int]:
    """Where a loop stops on its way, for its state to be kept, and its end.

    Before the last iteration, too: there the reversal begins.
    """
    at = 0
    while slots > 1 and count - at > 1:
        at += next_kept(count - at, slots)
        slots -= 1
        yield at
    if at < count - 1:
        yield count - 1
    yield count


def _continued(loop: Steps, args: Values | list[Any], whole: Any) -> list[Any]:
    """The arguments with which a loop goes on behind what it returned."""
    following = list(args)
    value = whole[0] if loop.has_versions else whole
    values = (value,) if len(loop.carried) == 1 else value
    for i, item in zip(loop.carried, values, strict=True):
        if i is not None:
            following[i] = item
    return following


def _progress(loop: Steps, whole: Any, goal: int) -> tuple[bool, int]:
    """Whether a loop was ended, and how many iterations there have been."""
    if not loop.may_stop:
        return False, goal
    *_, is_over, count = whole[0] if loop.has_versions else whole
    return is_over, count


class StepsBack:
    """What the iterations of a loop take, from the last one to the first.

    Each is a tuple: the item, and those arguments that `Steps.taken` lists.
    """

    def __init__(self, steps: Any, kept: Kept) -> None:
        self._steps = steps
        self._kept = kept
        self._loop = kept.loop
        self._made = kept.end

    def __iter__(self) -> Iterator[Values]:
        kept, loop = self._kept, self._loop
        items, slots, run = kept.items, kept.slots, self._steps
        moving, taken, copies, is_compared = (
            loop.moving, loop.taken, loop.changes_memory, loop.is_compared
        )
        args = list(kept.args)
        states = kept.handed_over()
        last = len(items)
        while last > 0:
            last -= 1
            at, state = states[-1]
            if at == last:
                del states[-1]
                is_own = at > 0  # a further reversal starts from the first state
            else:
                is_own = False
                free = slots - len(states)
                while at < last:
                    if copies and not is_own:
                        state = _own(loop, state)
                    for i, value in zip(moving, state, strict=True):
                        args[i] = value
                    goal = last if free <= 0 else at + next_kept(last + 1 - at, free + 1)
                    whole = run(items[at:goal], slots, *args)
                    args = _continued(loop, args, whole)
                    state = tuple([args[i] for i in moving])
                    at, is_own = goal, True
                    if at < last:
                        states.append((at, _own(loop, state) if copies else state))
                        free -= 1
            if copies and not is_own:
                state = _own(loop, state)
            for i, value in zip(moving, state, strict=True):
                args[i] = value
            following = _own(loop, state) if is_compared else None
            del state
            yield items[last], *[args[i] for i in taken]
            self._made = following

    def compare(self, *made: Any) -> None:
        """Raises if an iteration that was run again makes something else than at first."""
        assert self._made is not None
        known = dict(zip(self._loop.moving, self._made, strict=True))
        pairs = [(known.get(i), value) for i, value in zip(self._loop.taken, made, strict=True)]
        if not all(_is_same(first, again) for first, again in pairs if first is not None):
            raise NotDifferentiable(
                f"the loop over checkpoints at {self._loop.place} did something else when it was "
                "run again: it may draw random numbers, or read what it changes elsewhere; draw "
                "them before the loop, and hand on all that changes from iteration to iteration"
            )


def steps_back(steps: Any, kept: Kept) -> StepsBack:
    """What the iterations of a loop take, from the last one to the first."""
    return StepsBack(steps, kept)


def compare(back: StepsBack, *made: Any) -> None:
    """Raises if the iteration at hand makes something else than at first."""
    back.compare(*made)


def compare_values(place: str, first: Any, again: Any) -> None:
    """Raises if a call that was run again gives something else than at first."""
    if not _is_same(first, again):
        raise NotDifferentiable(
            f"the checkpointed call of {place} gave something else when it was run again: it may "
            "draw random numbers, or read what changes elsewhere; hand these in as arguments"
        )


def _sequence(items: Any, loop: Steps) -> Any:
    """What a loop goes over, of which it must be possible to take any part again."""
    if isinstance(items, list):
        return items[:]
    if isinstance(items, range | tuple) or (isinstance(items, np.ndarray) and items.ndim > 0):
        return items
    raise NotDifferentiable(
        f"the loop over checkpoints at {loop.place} goes over what can't be gone over "
        "again from any place on: take a range, a list or an array of its items"
    )


def _state(loop: Steps, args: Values | list[Any]) -> Values:
    return _own(loop, tuple([args[i] for i in loop.moving]))


def _own(loop: Steps, state: Values) -> Values:
    """A state in memory of its own, if the loop changes memory; what is one array stays one."""
    if not loop.changes_memory:
        return state
    known: dict[int, np.ndarray[Any, Any]] = {}
    return tuple([_copied(value, known, loop) for value in state])


def _copied(value: Any, known: dict[int, np.ndarray[Any, Any]], loop: Steps) -> Any:
    if isinstance(value, np.ndarray):
        if id(value) not in known:
            known[id(value)] = _like(value)
        return known[id(value)]
    if type(value) in (list, tuple):
        return type(value)([_copied(item, known, loop) for item in value])
    if type(value) is dict:
        return {key: _copied(item, known, loop) for key, item in value.items()}
    if value is None or value is UNBOUND or isinstance(value, _NUMBERS):
        return value
    raise NotDifferentiable(
        f"the loop over checkpoints at {loop.place} changes arrays in place, and carries a "
        f"{type(value).__name__}, of which no copy can be made to run it again"
    )


_NUMBERS = (int, float, complex, str, bytes, range, slice, np.generic)


def _like(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy that lies in memory as the array does, so that the same parts of it are views."""
    copy = array.copy(order="K")
    if copy.strides != array.strides and array.flags.forc:
        copy = np.empty_like(array, order="A")
        copy[...] = array
    return copy


def _refuse_overlaps(loop: Steps, args: Values) -> None:
    """Raises if a part of a state shares memory with something else: copies would not."""
    moving = [array for i in loop.moving for array in _arrays(args[i])]
    others = [
        array for i, arg in enumerate(args) if i not in loop.moving for array in _arrays(arg)
    ]
    for n, array in enumerate(moving):
        for other in moving[n + 1 :]:
            if array is not other and np.may_share_memory(array, other):
                raise _overlapping(loop)
        if any(np.may_share_memory(array, other) for other in others):
            raise _overlapping(loop)


def _arrays(value: Any) -> list[np.ndarray[Any, Any]]:
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, list | tuple):
        return [array for item in value for array in _arrays(item)]
    if isinstance(value, dict):
        return [array for item in value.values() for array in _arrays(item)]
    return []


def _overlapping(loop: Steps) -> NotDifferentiable:
    return NotDifferentiable(
        f"the loop over checkpoints at {loop.place} changes arrays in place, and two of those that "
        "it works on share memory: let one of them be a copy"
    )


def _is_same(a: Any, b: Any) -> bool:
    """Whether two values hold the same numbers, NaN included."""
    if a is b:
        return True
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_is_same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_is_same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and bool(np.all((a == b) | ((a != a) & (b != b))))
    if isinstance(a, int | float | complex | np.generic):
        return bool(a == b or (a != a and b != b))
    return True
