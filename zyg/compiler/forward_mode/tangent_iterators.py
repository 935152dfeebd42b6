"""Iterators and their tangents: one walk that gives pairs, read as two iterators.

    map(f, xs)               the values and tangents of f, asked for in turns
    islice(xs, 3)            islice of the pairs (x, x_dot), taken apart
    kept.over(f, xs)         the same of what a forward pass reads, which notes positions

Values and tangents are read at the same pace, so that little is kept of what one of them has read.
"""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from zyg.held.iterators import Chosen, Groups, Kept, is_exact
from zyg.held.readers import read_once
from zyg.tangents.tangent import tangent_items, tangent_or_zero

TangentCall = Callable[..., tuple[Any, Any]]
Keywords = dict[str, Any]
Paired = Callable[[TangentCall, tuple[Any, ...], tuple[Any, ...], Keywords, Keywords], Any]


def _apart(pairs: Iterable[Any]) -> tuple[Any, Any]:
    """The two iterators over the first and second items of pairs."""
    values, dots = itertools.tee(pairs)
    return (pair[0] for pair in values), (pair[1] for pair in dots)


def _pairs(items: Any, dot: Any) -> Any:
    return zip(items, tangent_items(dot, items), strict=False)


def _selected(
    call: TangentCall, primals: Any, dots: Any, kwargs: Keywords, kwarg_dots: Keywords
) -> Any:
    """`function(items, *settings)`, which gives some of the items."""
    function, items, *rest = primals
    return _apart(function(_pairs(items, dots[1]), *rest, **kwargs))


def _combined(
    call: TangentCall, primals: Any, dots: Any, kwargs: Keywords, kwarg_dots: Keywords
) -> Any:
    """`function(items, *settings)`, which gives tuples of items."""
    function, items, *rest = primals
    return _tuples(function(_pairs(items, dots[1]), *rest, **kwargs))


def _products(
    call: TangentCall, primals: Any, dots: Any, kwargs: Keywords, kwarg_dots: Keywords
) -> Any:
    """`function(*iterables)`, which gives tuples of their items."""
    function, *iterables = primals
    return _tuples(function(*map(_pairs, iterables, dots[1:]), **kwargs))


def _zipped_longest(
    call: TangentCall, primals: Any, dots: Any, kwargs: Keywords, kwarg_dots: Keywords
) -> Any:
    filling = kwargs.get("fillvalue")
    pairs = map(_pairs, primals[1:], dots[1:])
    filling_dot = tangent_or_zero(kwarg_dots.get("fillvalue"), filling)
    return _tuples(itertools.zip_longest(*pairs, fillvalue=(filling, filling_dot)))


def _tuples(found: Iterable[Any]) -> tuple[Any, Any]:
    return _apart((tuple(x for x, _ in row), tuple(dot for _, dot in row)) for row in found)


def _tested(
    call: TangentCall, primals: Any, dots: Any, kwargs: Keywords, kwarg_dots: Keywords
) -> Any:
    """`function(predicate, items)`, which gives some of the items."""
    function, predicate, items = primals
    test = bool if predicate is None else predicate
    return _apart(function(lambda pair: test(pair[0]), _pairs(items, dots[2])))


def _mapped(
    call: TangentCall, primals: Any, dots: Any, kwargs: Keywords, kwarg_dots: Keywords
) -> Any:
    _, function, *iterables = primals
    rows = zip(*map(_pairs, iterables, dots[2:]), strict=False)
    return _apart(
        call((function, *(x for x, _ in row)), (dots[1], *(dot for _, dot in row))) for row in rows
    )


def _starmapped(
    call: TangentCall, primals: Any, dots: Any, kwargs: Keywords, kwarg_dots: Keywords
) -> Any:
    _, function, rows = primals
    return _apart(
        call((function, *row), (dots[1], *tangent_or_zero(dot, tuple(row))))
        for row, dot in _pairs(rows, dots[2])
    )


def _chained(
    call: TangentCall, primals: Any, dots: Any, kwargs: Keywords, kwarg_dots: Keywords
) -> Any:
    rows = itertools.starmap(_pairs, _pairs(primals[1], dots[1]))
    return _apart(itertools.chain.from_iterable(rows))


def _split(
    call: TangentCall, primals: Any, dots: Any, kwargs: Keywords, kwarg_dots: Keywords
) -> Any:
    _, items, *rest = primals
    found = [_apart(one) for one in itertools.tee(_pairs(items, dots[1]), *rest)]
    return tuple(x for x, _ in found), tuple(dot for _, dot in found)


def _accumulated(
    call: TangentCall, primals: Any, dots: Any, kwargs: Keywords, kwarg_dots: Keywords
) -> Any:
    _, items, *rest = primals
    function = rest[0] if rest else kwargs.get("func")
    function_dot = dots[2] if rest else kwarg_dots.get("func")

    def join(total: Any, pair: Any) -> Any:
        if function is None:
            return total[0] + pair[0], total[1] + pair[1]
        return call((function, total[0], pair[0]), (function_dot, total[1], pair[1]))

    initial = kwargs.get("initial")
    start = None if initial is None else (
        initial, tangent_or_zero(kwarg_dots.get("initial"), initial)
    )
    return _apart(itertools.accumulate(_pairs(items, dots[1]), join, initial=start))


class _Key:
    """A key and its tangent, which is equal to another if the keys are."""

    __slots__ = ("dot", "value")

    def __init__(self, value: Any, dot: Any) -> None:
        self.value = value
        self.dot = dot

    def __eq__(self, other: Any) -> bool:
        return bool(self.value == other.value)


def _grouped(
    call: TangentCall, primals: Any, dots: Any, kwargs: Keywords, kwarg_dots: Keywords
) -> Any:
    """`function(items, key)`: that of `itertools`, or what notes the groups."""
    group_by, items, *rest = primals
    function = rest[0] if rest else kwargs.get("key")
    function_dot = dots[2] if rest else kwarg_dots.get("key")

    def key_of(pair: Any) -> _Key:
        if function is None:
            return _Key(*pair)
        return _Key(*call((function, pair[0]), (function_dot, pair[1])))

    def rows() -> Iterator[Any]:
        noted: Any = getattr(group_by, "__self__", None)
        for key, group in group_by(_pairs(items, dots[1]), key_of):
            xs, xs_dot = _apart(group)
            if isinstance(noted, Groups):
                noted.are_exact[-1] = is_exact(key.value)
                xs, xs_dot = read_once(iter, xs), read_once(iter, xs_dot)
            yield (key.value, xs), (key.dot, xs_dot)

    return _apart(rows())


# The same of what notes the positions of items: methods of `Kept`, `Chosen` and `Groups`.


class _PairsOf:
    """The pairs of items and their tangents, of a container: they have its length."""

    def __init__(self, items: Any, dot: Any) -> None:
        self._given = items, dot

    def __len__(self) -> int:
        return len(self._given[0])

    def __iter__(self) -> Iterator[Any]:
        return iter(_pairs(*self._given))


def _chosen(
    call: TangentCall, primals: Any, dots: Any, kwargs: Keywords, kwarg_dots: Keywords
) -> Any:
    """`chosen.over(function, items, *settings)`"""
    over, function, items, *rest = primals
    return _apart(over(function, _pairs(items, dots[2]), *rest))


def _chosen_where(
    call: TangentCall, primals: Any, dots: Any, kwargs: Keywords, kwarg_dots: Keywords
) -> Any:
    """`chosen.where(function, predicate, items)`"""
    where, function, test, items = primals
    return _apart(where(function, lambda pair: test(pair[0]), _pairs(items, dots[3])))


def _chosen_of_all(
    call: TangentCall, primals: Any, dots: Any, kwargs: Keywords, kwarg_dots: Keywords
) -> Any:
    """`chosen.chained(itertools.chain, *iterables)`"""
    chained, chain, *iterables = primals
    given = [
        (_PairsOf if hasattr(x, "__len__") else _pairs)(x, dot)
        for x, dot in zip(iterables, dots[2:], strict=True)
    ]
    return _apart(chained(chain, *given))


def _chosen_of_rows(
    call: TangentCall, primals: Any, dots: Any, kwargs: Keywords, kwarg_dots: Keywords
) -> Any:
    """`chosen.nested(iterables)`"""
    nested, rows = primals
    return _apart(nested(itertools.starmap(_pairs, _pairs(rows, dots[1]))))


NOTING: dict[Any, Paired] = {
    Kept.over: _tested,
    Chosen.over: _chosen,
    Chosen.where: _chosen_where,
    Chosen.chained: _chosen_of_all,
    Chosen.nested: _chosen_of_rows,
    Groups.over: _grouped,
}


def paired(function: Any) -> Any:
    """What walks over values and tangents together in the place of a function; None if nothing."""
    if isinstance(function, types.MethodType):
        return NOTING.get(function.__func__)
    kinds = type | types.BuiltinFunctionType | types.ClassMethodDescriptorType
    return PAIRED.get(function) if isinstance(function, kinds) else None


PAIRED: dict[Any, Paired] = {
    itertools.chain.from_iterable: _chained,
    vars(itertools.chain)["from_iterable"]: _chained,
    itertools.tee: _split,
    itertools.groupby: _grouped,
    map: _mapped,
    itertools.starmap: _starmapped,
    itertools.accumulate: _accumulated,
    itertools.product: _products,
    itertools.zip_longest: _zipped_longest,
    **dict.fromkeys((itertools.islice, itertools.cycle, itertools.compress), _selected),
    **dict.fromkeys(
        (
            itertools.pairwise, itertools.permutations, itertools.combinations,
            itertools.combinations_with_replacement,
        ), _combined,
    ),
    **dict.fromkeys(
        (filter, itertools.filterfalse, itertools.takewhile, itertools.dropwhile), _tested
    ),
}
