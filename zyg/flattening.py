"""Structures of numbers as vectors, for optimisers that know vectors only.

    vector, unflatten = flatten({"w": np.ones(2), "b": 0.5, "steps": 3})
    vector                      array([1. , 1. , 0.5])
    unflatten(2 * vector)       {'w': array([2., 2.]), 'b': 1.0, 'steps': 3}
    unflatten.vector(gradient)  the numbers of another structure of this kind, in the same order
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

import numpy as np

from zyg.compiler.inference.objects import is_place
from zyg.cotangents.cotangent import like_mapping, project, rebuilt
from zyg.held.reaching import items_held, reached
from zyg.rules.registry import adjoint, constant
from zyg.rules.tangent_registry import tangent
from zyg.tangents.tangent import zero_tangent

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


class Unflatten(Protocol):
    """Makes structures like `tree` of vectors, and vectors of structures like it."""

    tree: Any
    size: int

    def __call__(self, vector: Any) -> Any: ...

    def vector(self, tree: Any) -> Vector:
        """The numbers of a structure of this kind, as of a gradient."""


class Structure:
    """What a way back knows: a structure, and how many numbers it has."""

    def __init__(self, tree: Any, size: int) -> None:
        self.tree = tree
        self.size = size

    def unflatten(self) -> Unflatten:
        """The way back from vectors, as a function: the compiler looks into it."""
        structure = self

        def unflatten(vector: Any) -> Any:
            return unflattened(structure, vector)

        found: Any = unflatten
        found.tree, found.size = self.tree, self.size
        found.vector = partial(flattened, structure)
        result: Unflatten = found
        return result


def unflattened(structure: Structure, vector: Any) -> Any:
    """A structure of these numbers; its other parts stay as they are."""
    return _filled(structure, vector, None)


def flattened(structure: Structure, tree: Any) -> Vector:
    """The numbers of a structure of this kind, as of a gradient."""
    parts = [np.ravel(part) for part in _beside(structure.tree, tree)]
    found = np.concatenate(parts) if parts else np.zeros(0)
    if found.shape != (structure.size,):
        raise ValueError(f"the structure has {structure.size} numbers, this one {found.size}")
    return found


def _filled(structure: Structure, vector: Any, other: Any) -> Any:
    """The structure of a vector's numbers, and `other(part)` of the parts that hold none."""
    vector = np.asarray(vector)
    if vector.shape != (structure.size,):
        raise ValueError(f"the structure has {structure.size} numbers, not {vector.shape}")
    position = 0

    def taken(leaf: Any) -> Any:
        nonlocal position
        count = np.size(leaf)
        part = vector[position : position + count]
        position += count
        if not np.iscomplexobj(leaf) and np.iscomplexobj(part):
            if np.any(part.imag):
                raise ValueError("a real number of the structure was given a complex one")
            part = part.real
        if isinstance(leaf, np.ndarray):
            return part.reshape(leaf.shape).astype(leaf.dtype)
        return type(leaf)(part[0].item())

    return with_leaves(structure.tree, taken, other)


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
    TypeError: an object in it holds numbers, which would be left out; give its attributes in a
    dict, and let the function make the object.

    >>> vector, unflatten = flatten([1.0, (np.zeros(2), "name")])
    >>> vector, unflatten(vector + 1)
    (array([1., 0., 0.]), [2.0, (array([1., 1.]), 'name')])
    """
    for part in _others(tree):
        if any(map(is_leaf, reached(part, _parts))):
            raise TypeError(
                f"an object of class {type(part).__name__} holds numbers, which a vector has no "
                "place for; give its attributes in a dict, as `vars` does, and make it of them"
            )
    return numbers_of(tree)


def numbers_of(tree: Any) -> tuple[Vector, Unflatten]:
    """The same of what may be an object: that has no numbers, and stays as it is."""
    parts = [np.ravel(leaf) for leaf in leaves(tree)]
    vector = np.concatenate(parts) if parts else np.zeros(0)
    return vector, Structure(tree, vector.size).unflatten()


def _others(tree: Any) -> Iterator[Any]:
    """The objects of a structure that hold attributes."""
    for part in reached(tree, items_held):
        if is_place(type(part)):
            yield part


def _parts(value: Any) -> Any:
    return vars(value).values() if hasattr(value, "__dict__") else items_held(value)


# Derivatives. All is linear; counts and flags of a structure have nothing to do with the vector.


def spread(structure: Structure, vector: Any) -> Any:
    """A vector's numbers as a tangent or cotangent of the structure."""
    return _filled(structure, vector, zero_tangent)


def gathered(structure: Structure, bars: Any) -> Vector:
    """A tangent or cotangent of the structure as a vector; parts may be missing."""
    return flattened(structure, project(bars, structure.tree))


@adjoint(unflattened)
def unflattened_rule(structure: Any, vector: Any) -> Any:
    return unflattened(structure, vector), lambda bars: (None, gathered(structure, bars))


@adjoint(spread)
def spread_rule(structure: Any, vector: Any) -> Any:
    return spread(structure, vector), lambda bars: (None, gathered(structure, bars))


@tangent(unflattened, spread)
def unflattened_tangent(
    y: Any, structure: Any, vector: Any, structure_dot: Any, vector_dot: Any
) -> Any:
    return spread(structure, vector_dot)


@adjoint(flattened)
def flattened_rule(structure: Any, tree: Any) -> Any:
    return flattened(structure, tree), lambda y_bar: (None, spread(structure, y_bar))


@adjoint(gathered)
def gathered_rule(structure: Any, bars: Any) -> Any:
    return gathered(structure, bars), lambda y_bar: (None, spread(structure, y_bar))


@tangent(flattened, gathered)
def flattened_tangent(y: Any, structure: Any, tree: Any, structure_dot: Any, tree_dot: Any) -> Any:
    return gathered(structure, tree_dot)


@adjoint(flatten)
def flatten_rule(tree: Any) -> Any:
    vector, unflatten = flatten(tree)
    structure = structure_of(unflatten)
    return (vector, unflatten), lambda bars: (spread(structure, bars[0]),)


@adjoint(numbers_of)
def numbers_rule(tree: Any) -> Any:
    vector, unflatten = numbers_of(tree)
    structure = structure_of(unflatten)
    return (vector, unflatten), lambda bars: (spread(structure, bars[0]),)


@tangent(flatten, numbers_of)
def flatten_tangent(y: Any, tree: Any, tree_dot: Any) -> Any:
    return gathered(structure_of(y[1]), tree_dot), None


def structure_of(unflatten: Unflatten) -> Structure:
    return Structure(unflatten.tree, unflatten.size)


constant(structure_of)
