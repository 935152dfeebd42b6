"""Structures of numbers as vectors, for optimisers that know vectors only.

    vector, unflatten = flatten({"w": np.ones(2), "b": 0.5, "steps": 3})
    vector                      array([1. , 1. , 0.5])
    unflatten(2 * vector)       {'w': array([2., 2.]), 'b': 1.0, 'steps': 3}
    unflatten.vector(gradient)  the numbers of another structure of this kind, in the same order
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ir.record import record
from zyg.cotangent import like_mapping, rebuilt

Vector = np.ndarray[Any, Any]


def is_leaf(x: Any) -> bool:
    """Whether a part of a structure holds real numbers: counts and flags stand still."""
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "fc"
    return isinstance(x, float | complex | np.inexact)


def leaves(tree: Any) -> Iterator[Any]:
    """The numbers and arrays of a structure, in order."""
    if isinstance(tree, list | tuple | deque):
        for item in tree:
            yield from leaves(item)
    elif isinstance(tree, dict):
        for item in tree.values():
            yield from leaves(item)
    elif is_leaf(tree):
        yield tree


def with_leaves(tree: Any, change: Callable[[Any], Any], other: Any = None) -> Any:
    """The same structure with `change(leaf)` in the place of each leaf, `other` of other parts."""
    if isinstance(tree, list | tuple):
        return rebuilt(tree, [with_leaves(item, change, other) for item in tree])
    if isinstance(tree, deque):
        return deque([with_leaves(item, change, other) for item in tree], tree.maxlen)
    if isinstance(tree, dict):
        return like_mapping(tree, {k: with_leaves(x, change, other) for k, x in tree.items()})
    if is_leaf(tree):
        return change(tree)
    return tree if other is None else other(tree)


@record
class Unflatten:
    """Makes structures like `tree` of vectors, and vectors of structures like it."""

    tree: Any
    size: int

    def __call__(self, vector: Any) -> Any:
        vector = np.asarray(vector)
        if vector.shape != (self.size,):
            raise ValueError(f"the structure has {self.size} numbers, not {vector.shape}")
        position = 0

        def taken(leaf: Any) -> Any:
            nonlocal position
            count = np.size(leaf)
            part = vector[position : position + count]
            position += count
            if isinstance(leaf, np.ndarray):
                kept = part if leaf.dtype.kind == "c" else part.real
                return kept.reshape(leaf.shape).astype(leaf.dtype)
            number = part[0].item()
            return type(leaf)(number if isinstance(leaf, complex | np.complexfloating) else (
                number.real
            ))

        return with_leaves(self.tree, taken)

    def vector(self, tree: Any) -> Vector:
        """The numbers of a structure of this kind, as of a gradient."""
        parts = [np.ravel(part) for part in _beside(self.tree, tree)]
        found = np.concatenate(parts) if parts else np.zeros(0)
        if found.shape != (self.size,):
            raise ValueError(f"the structure has {self.size} numbers, this one {found.size}")
        return found


def _beside(like: Any, tree: Any) -> Iterator[Any]:
    """The parts of a structure that stand where `like` has leaves."""
    if isinstance(like, list | tuple | deque):
        if len(like) != len(tree):
            raise ValueError(f"a part of the structure has {len(like)} items, not {len(tree)}")
        for a, b in zip(like, tree, strict=True):
            yield from _beside(a, b)
    elif isinstance(like, dict):
        for key, a in like.items():
            yield from _beside(a, tree[key])
    elif is_leaf(like):
        if np.shape(like) != np.shape(tree):
            raise ValueError(f"an array of shape {np.shape(like)} got {np.shape(tree)}")
        yield tree


def flatten(tree: Any) -> tuple[Vector, Unflatten]:
    """The numbers of a structure as one vector, and the way back.

    Lists, tuples, dicts and what they hold at any depth; integers, flags and text stay as they are.

    >>> vector, unflatten = flatten([1.0, (np.zeros(2), "name")])
    >>> vector, unflatten(vector + 1)
    (array([1., 0., 0.]), [2.0, (array([1., 1.]), 'name')])
    """
    parts = [np.ravel(leaf) for leaf in leaves(tree)]
    vector = np.concatenate(parts) if parts else np.zeros(0)
    return vector, Unflatten(tree, vector.size)
