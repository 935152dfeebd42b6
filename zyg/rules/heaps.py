"""`heapq` and `bisect`: priority queues and sorted lists, as the steps that they consist of.

A comparison has no derivative; what is moved takes its cotangent along. The steps are those of
Python's own `heapq`, so that items stand where Python leaves them.
"""

from __future__ import annotations

import bisect
import heapq

from zyg.rules.registry import constant, substitute

constant(bisect.bisect_left, bisect.bisect_right)


@substitute(heapq.heappush)
def heappush(heap, item, /):
    heap.append(item)
    move_towards_root(heap, 0, len(heap) - 1)


@substitute(heapq.heappop)
def heappop(heap, /):
    last = heap.pop()
    if len(heap) == 0:
        return last
    first = heap[0]
    heap[0] = last
    move_towards_leaves(heap, 0)
    return first


@substitute(heapq.heapreplace)
def heapreplace(heap, item, /):
    first = heap[0]
    heap[0] = item
    move_towards_leaves(heap, 0)
    return first


@substitute(heapq.heappushpop)
def heappushpop(heap, item, /):
    if len(heap) > 0 and heap[0] < item:
        first = heap[0]
        heap[0] = item
        move_towards_leaves(heap, 0)
        return first
    return item


@substitute(heapq.heapify)
def heapify(heap, /):
    for position in reversed(range(len(heap) // 2)):
        move_towards_leaves(heap, position)


def move_towards_root(heap, start, position):
    """Moves an item to the place where none above it is larger."""
    item = heap[position]
    while position > start:
        above = (position - 1) >> 1
        parent = heap[above]
        if not item < parent:
            break
        heap[position] = parent
        position = above
    heap[position] = item


def move_towards_leaves(heap, position):
    """Moves the smaller ones below an item up to a leaf, and the item from there upwards."""
    end, start = len(heap), position
    item = heap[position]
    below = 2 * position + 1
    while below < end:
        right = below + 1
        if right < end and not heap[below] < heap[right]:
            below = right
        heap[position] = heap[below]
        position = below
        below = 2 * position + 1
    heap[position] = item
    move_towards_root(heap, start, position)


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
