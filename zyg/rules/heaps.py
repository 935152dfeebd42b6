"""`heapq` and `bisect`: priority queues and sorted lists, as the steps that they consist of.

    heappush(heap, x)        heap.append(x); cycle(heap, [6, 2, 0])
    heappop(heap)            cycle(heap, [0, 2, 5, 6]); heap.pop()

A comparison has no derivative; what is moved takes its cotangent along, by the path that is kept.
Comparisons are those of Python's own `heapq`, so that items stand where Python leaves them.
"""

from __future__ import annotations

import bisect
import heapq

from ir import facts, primitives
from ir.core import Const, type_of
from ir.inference.special_calls import special
from ir.types import Scalar, Sequence, class_of
from zyg.cotangents.cotangent_items import cycled_back
from zyg.rules.registry import adjoint, constant, substitute

constant(bisect.bisect_left, bisect.bisect_right)


@substitute(heapq.heappush)
def heappush(heap, item, /):
    heap.append(item)
    path = path_from_end(heap)
    cycle(heap, path)


@substitute(heapq.heappop)
def heappop(heap, /):
    path = path_to_end(heap)
    cycle(heap, path)
    return heap.pop()


@substitute(heapq.heapreplace)
def heapreplace(heap, item, /):
    first = heap[0]
    heap[0] = item
    cycle(heap, path_to_leaves(heap, 0))
    return first


@substitute(heapq.heappushpop)
def heappushpop(heap, item, /):
    heap.append(item)
    path = path_through(heap)
    cycle(heap, path)
    return heap.pop()


@substitute(heapq.heapify)
def heapify(heap, /):
    for position in reversed(range(len(heap) // 2)):
        cycle(heap, path_to_leaves(heap, position))


def cycle(items, path):
    """Moves items of a list along a path of positions, and the first to its end."""
    first = items[path[0]]
    for i in range(len(path) - 1):
        items[path[i]] = items[path[i + 1]]
    items[path[-1]] = first


def _is_list(self, items):
    """Whether a value is a list for sure, and one that no object holds."""
    type_ = type_of(items)
    if not isinstance(type_, Sequence) or type_.cls is not list or self.places is None:
        return False
    return self.heap is None or not self.places.held.is_held(items)


@special(cycle)
def _cycle(self, args, kwargs, names, loc):
    """One change of a list; what objects hold is changed item by item."""
    if not _is_list(self, args[0]):
        return None
    self.places.change(primitives.cycled, args[0], args[1:], loc, type_of(args[0]), [])
    return [Const(None)]


def _in_place_of(callee, function):
    @special(callee)
    def steps(self, args, kwargs, names, loc):
        """The steps of a function that changes a list, where the call stands."""
        if kwargs or not args or self.places is None or class_of(type_of(args[0])) is not list:
            return None
        return self.typed_call(Const(function), args, {}, names, loc)


_in_place_of(heapq.heappush, heappush)
_in_place_of(heapq.heappop, heappop)
_in_place_of(heapq.heapreplace, heapreplace)
_in_place_of(heapq.heappushpop, heappushpop)


@adjoint(primitives.cycled)
def cycled(items, path):
    return primitives.cycled(items, path), lambda bar: (cycled_back(bar, path), None)


def path_from_end(heap):
    """Where the last item goes: below the first of those above it that isn't larger."""
    position = len(heap) - 1
    item, path = heap[position], [position]
    while position > 0:
        position = (position - 1) >> 1
        if not item < heap[position]:
            break
        path.append(position)
    return tuple(path)


def path_down(heap, item, start, end):
    """Where an item goes from a position, that of the smaller ones below which move up.

    They are compared down to a leaf, and with the item from there upwards.
    """
    position, path = start, [start]
    below = 2 * position + 1
    while below < end:
        right = below + 1
        if right < end and not heap[below] < heap[right]:
            below = right
        position = below
        path.append(position)
        below = 2 * position + 1
    while len(path) > 1 and item < heap[path[-1]]:
        path.pop()
    return tuple(path)


def path_to_leaves(heap, position):
    return path_down(heap, heap[position], position, len(heap))


def path_to_end(heap):
    """Where the first item goes to be dropped, and the last one in its place."""
    last = len(heap) - 1
    if last < 0:
        raise IndexError("index out of range")
    return (*path_down(heap, heap[last], 0, last), last) if last > 0 else (0,)


def path_through(heap):
    """The same where the last item is new, and stays if it is the smallest."""
    last = len(heap) - 1
    if last > 0 and heap[0] < heap[last]:
        return path_to_end(heap)
    return (last,)


constant(path_from_end, path_to_leaves, path_to_end, path_through)
facts.result(path_from_end, path_to_leaves, path_to_end, path_through)(
    lambda args, kwargs: Sequence(tuple, Scalar(int))
)


@substitute(heapq.nsmallest)
def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[: max(n, 0)]


@substitute(heapq.nlargest)
def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


@substitute(bisect.insort_right)
def insort_right(a, x, lo=0, hi=None, *, key=None):
    sought = x if key is None else key(x)
    a.insert(bisect.bisect_right(a, sought, lo, hi, key=key), x)


@substitute(bisect.insort_left)
def insort_left(a, x, lo=0, hi=None, *, key=None):
    sought = x if key is None else key(x)
    a.insert(bisect.bisect_left(a, sought, lo, hi, key=key), x)
