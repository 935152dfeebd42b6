"""The iterators that differentiated code reads, and what they note for the way back.

    zip(xs, ys)       ->  read_once(zip, xs, ys)           an iterator with one reader
    filter(f, xs)     ->  read_once(kept.over, f, xs)      kept.positions: [0, 2]
    map(f, xs)        ->  read_once(calls.over, xs)        calls.backs: one per item

The cotangent of an iterator is the list of the cotangents of its items, in the order in which they
were taken. Two readers would each take a part of the items, and nobody could tell which: so there
may be only one.
"""

from __future__ import annotations

import itertools
from collections import abc
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ir import facts, primitives
from ir.core import Call, Operand, type_of
from ir.library.fact_rules import call_type
from ir.types import TOP, Known, Sequence, Tuple, Type
from zyg.array_type import Array
from zyg.cotangents.cotangent import accumulate, from_items
from zyg.errors import NotDifferentiable
from zyg.held.readers import read_once, refuse_steps
from zyg.held.shadow_calls import is_running


def items_of(iterable: Any) -> Any:
    """The items of an iterable, where they can be read again: itself, or a list."""
    refuse_steps(iterable)
    # Dicts have items by key, and iterate over the keys.
    return iterable if isinstance(iterable, abc.Sequence | np.ndarray) else list(iterable)


def of_items(bars: Any, iterable: Any) -> Any:
    """The cotangent of an iterable from that of `items_of` it."""
    return bars if isinstance(iterable, list | tuple | np.ndarray) else from_items(bars, iterable)


def readable_again(candidates: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of `max` or `min`, with a single one as something that can be read again."""
    return (items_of(candidates[0]),) if len(candidates) == 1 else candidates


def starred(items: Any, before: int, after: int) -> tuple[Any, ...]:
    """`a, *b, c = items` as one tuple."""
    return primitives.unpack_starred(items, before, after)


class Kept:
    """Which items `filter` has let through."""

    def __init__(self) -> None:
        self.positions: list[int] = []

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Kept:
        return self  # positions alone

    def over(self, function: Callable[[Any], Any] | None, iterable: Iterable[Any]) -> Any:
        return self._items(function or bool, enumerate(iterable))

    def _items(self, function: Callable[[Any], Any], numbered: Any) -> Iterator[Any]:
        for i, item in numbered:
            if function(item):
                self.positions.append(i)
                yield item


def kept_bars(bars: Any, kept: Kept, iterable: Any) -> Any:
    """The cotangent of what was filtered."""
    if bars is None:
        return None
    found = dict(zip(kept.positions, bars, strict=False))
    count = max(found, default=-1) + 1
    return from_items([found.get(i) for i in range(count)], iterable)


class Chosen:
    """Where the items came from that an iterator gave: their positions, which may repeat.

    `itertools.islice(xs, 2)` gives what it gives of the numbered items, without their numbers.
    """

    def __init__(self) -> None:
        self.positions: list[Any] = []

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Chosen:
        return self  # positions alone

    def over(self, choose: Callable[..., Any], iterable: Iterable[Any], *args: Any) -> Any:
        return self.note(choose(enumerate(iterable), *args))

    def where(
        self, choose: Callable[..., Any], function: Callable[[Any], Any], iterable: Iterable[Any]
    ) -> Any:
        return self.note(choose(lambda numbered: function(numbered[1]), enumerate(iterable)))

    def chained(self, chain: type[itertools.chain[Any]], *iterables: Iterable[Any]) -> Any:
        """`itertools.chain`, whose positions follow from lengths where all have one."""
        if all(hasattr(x, "__len__") for x in iterables):
            return chain(*iterables)
        return self.nested(iterables)

    def nested(self, iterables: Iterable[Iterable[Any]]) -> Any:
        """The items of all iterables; a position is that of the iterable and that in it."""
        return self.note(self._numbered(iter(iterables)))

    def _numbered(self, iterables: Iterator[Iterable[Any]]) -> Iterator[Any]:
        for i, inner in enumerate(iterables):
            for j, item in enumerate(inner):
                yield (i, j), item

    def note(self, numbered: Iterable[Any]) -> Iterator[Any]:
        for position, item in numbered:
            self.positions.append(position)
            yield item


def chosen_bars(bars: Any, chosen: Chosen, iterable: Any) -> Any:
    """The cotangent of an iterable from those of the items that were chosen."""
    if bars is None:
        return None
    found = sums_by_position(bars, chosen.positions)
    return from_items([found.get(i) for i in range(max(found, default=-1) + 1)], iterable)


def nested_chosen_bars(bars: Any, chosen: Chosen, iterables: Any) -> Any:
    """The same for an iterable of iterables, which have to be there still."""
    if bars is None:
        return None
    found = sums_by_position(bars, chosen.positions)
    if not hasattr(iterables, "__getitem__"):
        raise NotDifferentiable(
            "itertools.chain.from_iterable of an iterator can't be differentiated: pass a list"
        )
    rows = []
    for i, inner in enumerate(iterables):
        ends = [j for k, j in found if k == i]
        rows.append(from_items([found.get((i, j)) for j in range(len(ends))], inner))
    return from_items(rows, iterables)


def sums_by_position(bars: Any, positions: list[Any]) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for position, bar in zip(positions, bars, strict=False):
        found[position] = accumulate(found.get(position), bar)
    return found


def gathered(bars: list[Any] | None, places: list[int], count: int) -> list[Any] | None:
    """The cotangents of so many items, from those of what stood at these places of theirs."""
    if bars is None:
        return None
    found: list[Any] = [None] * count
    for i, bar in zip(places, bars, strict=True):
        found[i] = accumulate(found[i], bar)
    return found


def bars_at(bars: Any, noted: Kept | Chosen, like: Any) -> Any:
    """What was given to the items at the positions that were noted, for as many as were taken."""
    if bars is None or like is None:
        return None
    return [bars[i] for i in noted.positions[: len(like)]]


def nested_bars_at(bars: Any, chosen: Chosen, like: Any) -> Any:
    """The same for positions in an iterable of iterables."""
    if bars is None or like is None:
        return None
    return [
        None if bars[i] is None else bars[i][j] for i, j in chosen.positions[: len(like)]
    ]


def noted_bars(bars: Any, make: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The cotangents of the arguments of a method that notes what an iterator takes."""
    noted, name = getattr(make, "__self__", None), getattr(make, "__name__", make)
    rest = (None,) * (len(args) - 2)
    if isinstance(noted, Kept):
        return None, kept_bars(bars, noted, args[1])
    if isinstance(noted, Chosen) and name == "nested":
        return (nested_chosen_bars(bars, noted, args[0]),)
    if isinstance(noted, Chosen) and name == "over":
        return None, chosen_bars(bars, noted, args[1]), *rest
    if isinstance(noted, Chosen) and name == "where":
        return None, None, chosen_bars(bars, noted, args[2])
    if isinstance(noted, Groups):
        return group_bars(bars, noted, args[0]), None
    raise NotDifferentiable(
        f"an iterator that calls functions ({name}) can't be differentiated twice; use a "
        "comprehension"
    )


class Groups:
    """The groups that `itertools.groupby` gives, each an iterator of its own with one reader."""

    def __init__(self) -> None:
        self.members: list[Chosen] = []
        # Whether the key of each can have no derivative.
        self.are_exact: list[bool] = []

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Groups:
        return self  # positions alone

    def over(self, iterable: Iterable[Any], key: Callable[[Any], Any] | None) -> Any:
        numbered = itertools.groupby(
            enumerate(iterable), lambda pair: pair[1] if key is None else key(pair[1])
        )
        for value, group in numbered:
            self.members.append(Chosen())
            self.are_exact.append(is_exact(value))
            yield value, read_once(self.members[-1].note, group)


def is_exact(key: Any) -> bool:
    """Whether a key can have no derivative."""
    if isinstance(key, tuple):
        return all(map(is_exact, key))
    return isinstance(key, int | np.integer | str | bytes | type(None))


def group_bars(bars: Any, groups: Groups, iterable: Any) -> Any:
    """The cotangent of what was grouped, from those of the pairs of key and group."""
    if bars is None:
        return None
    positions: list[Any] = []
    items: list[Any] = []
    for pair, members, is_exact in zip(bars, groups.members, groups.are_exact, strict=False):
        if pair is not None and pair[0] is not None and not is_exact:
            raise NotDifferentiable("the keys of itertools.groupby can't be differentiated")
        if pair is not None and pair[1] is not None:
            positions += members.positions[: len(pair[1])]
            items += pair[1]
    found = sums_by_position(items, positions)
    return from_items([found.get(i) for i in range(max(found, default=-1) + 1)], iterable)


def group_bars_at(bars: Any, groups: Groups, like: Any) -> Any:
    """What was given to the items of groups, for the groups and items that were taken."""
    if bars is None or like is None:
        return None
    return [
        None if pair is None or pair[1] is None
        else (None, [bars[i] for i in members.positions[: len(pair[1])]])
        for pair, members in zip(like, groups.members, strict=False)
    ]


class Steps:
    """The calls that `itertools.accumulate` makes, and their back functions."""

    def __init__(self, pullback: Any, function: Callable[..., Any]) -> None:
        self.pullback = pullback
        self.function = function
        self.backs: list[Any] = []
        # Calls may change objects: their back functions run whether their results matter or not.
        self.on_heap = is_running()

    def over(self, iterable: Iterable[Any], initial: Any) -> Iterator[Any]:
        return self._totals(iter(iterable), initial)

    def _totals(self, items: Iterator[Any], total: Any) -> Iterator[Any]:
        if total is None:
            try:
                total = next(items)
            except StopIteration:
                return
        yield total
        for item in items:
            total, back = self.pullback(self.function, total, item)
            self.backs.append(back)
            yield total


def step_bars(bars: Any, steps: Steps, iterable: Any, initial: Any) -> tuple[Any, Any, Any]:
    """The cotangents of the items, of the function and of the initial value."""
    if not bars and not steps.on_heap:
        return None, None, None
    if steps.on_heap:
        bars = _filled(bars, 1 + len(steps.backs))
    backs = steps.backs[: len(bars) - 1]
    total_bar = function_bar = None
    item_bars: list[Any] = []
    for bar, back in zip(bars[len(backs) : 0 : -1], reversed(backs), strict=True):
        total_bar = accumulate(total_bar, bar)
        runs = steps.on_heap or total_bar is not None
        own, total_bar, item_bar = back(total_bar) if runs else (None,) * 3
        function_bar = accumulate(function_bar, own)
        item_bars.append(item_bar)
    total_bar = accumulate(total_bar, bars[0])
    if initial is None:
        return from_items([total_bar, *item_bars[::-1]], iterable), function_bar, None
    return from_items(item_bars[::-1], iterable), function_bar, total_bar


class Calls:
    """The calls that `map` makes, one for each item that is taken, and their back functions."""

    def __init__(self, pullback: Any, function: Callable[..., Any]) -> None:
        self.pullback = pullback
        self.function = function
        self.backs: list[Any] = []
        # Calls may change objects: their back functions run whether their results matter or not.
        self.on_heap = is_running()
        self.rows: list[Any] = []

    def over(self, *iterables: Iterable[Any]) -> Iterator[Any]:
        return self._items(zip(*iterables, strict=False))

    def over_rows(self, rows: Iterable[Iterable[Any]]) -> Iterator[Any]:
        """What `itertools.starmap` does; the rows are kept."""
        return self._items(map(self._noted, rows))

    def _noted(self, row: Any) -> Any:
        self.rows.append(items_of(row))
        return self.rows[-1]

    def _items(self, rows: Any) -> Iterator[Any]:
        for row in rows:
            y, back = self.pullback(self.function, *row)
            self.backs.append(back)
            yield y


def row_bars(bars: Any, calls: Calls, iterable: Any) -> tuple[Any, Any]:
    """The cotangents of the function and of the rows of `itertools.starmap`."""
    if bars is None and not calls.on_heap:
        return None, None
    function_bar, rows = _bars_of_calls(bars, calls, list(map(len, calls.rows)))
    found = [from_items(list(bars), row) for bars, row in zip(rows, calls.rows, strict=False)]
    return function_bar, from_items(found, iterable)


def call_bars(bars: Any, calls: Calls, iterables: tuple[Any, ...]) -> tuple[Any, ...]:
    """The cotangents of the function that was mapped and of each iterable."""
    if bars is None and not calls.on_heap:
        return (None,) * (1 + len(iterables))
    function_bar, rows = _bars_of_calls(bars, calls, [len(iterables)] * len(calls.backs))
    columns = [[row[i] for row in rows] for i in range(len(iterables))]
    return function_bar, *map(from_items, columns, iterables)


def _bars_of_calls(bars: Any, calls: Calls, counts: list[int]) -> tuple[Any, list[Any]]:
    """The cotangents of the function and of the arguments of each call, the last call first."""
    if calls.on_heap:
        bars = _filled(bars, len(calls.backs))
    function_bar = None
    rows: list[Any] = []
    made = list(zip(bars, calls.backs, counts, strict=False))
    for bar, back, count in reversed(made):
        runs = calls.on_heap or bar is not None
        own, *row = back(bar) if runs else (None,) * (1 + count)
        function_bar = accumulate(function_bar, own)
        rows.append(tuple(row))
    return function_bar, rows[::-1]


def _filled(bars: Any, count: int) -> list[Any]:
    """The cotangents of as many items, where a reader may have taken a part of them."""
    found = [] if bars is None else list(bars)
    return [*found, *[None] * (count - len(found))]


# What inference knows of them


@facts.result(read_once)
def read_once_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if isinstance(args[0], Known):
        return call_type(args[0].value, *args[1:], **kwargs)
    # A method that notes what is chosen: what chooses comes first.
    if len(args) > 1 and isinstance(args[1], Known) and isinstance(args[1].value, type):
        return call_type(args[1].value, *args[2:], **kwargs)
    return TOP


@facts.result(items_of)
def items_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) != 1:
        return TOP
    return args[0] if is_indexable(args[0]) else TOP


@facts.fold(items_of)
def fold_items(call: Call) -> Operand | None:
    """Lists, tuples and arrays are their own items."""
    return call.args[0] if is_indexable(type_of(call.args[0])) else None


@facts.result(of_items, readable_again)
def first_type(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0] if _changes_nothing(args[-1]) else TOP


@facts.fold(of_items, readable_again)
def fold_first(call: Call) -> Operand | None:
    return call.args[0] if _changes_nothing(type_of(call.args[-1])) else None


def _changes_nothing(type_: Type) -> bool:
    """Whether this is read again as it is, or a tuple of several or one that is."""
    match type_:
        case Tuple((single,)):
            return is_indexable(single)
        case _:
            return is_indexable(type_)


def is_indexable(type_: Type) -> bool:
    return isinstance(type_, Sequence | Tuple | Array)


def _anything(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return TOP


facts.result(starred, kept_bars, call_bars, chosen_bars, nested_chosen_bars)(_anything)
facts.result(group_bars, step_bars, row_bars, bars_at, nested_bars_at, noted_bars)(_anything)
facts.result(gathered, group_bars_at)(_anything)
facts.pure(gathered)
