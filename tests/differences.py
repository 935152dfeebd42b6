"""Derivatives by differences of programs whose arguments and results are structures.

The floats of a structure (tuples, lists and dicts of floats and float arrays, at any depth), in
order, make a vector: `floats({"a": 1.0, "b": (2.0, "x")})` is `[1.0, 2.0]`. An object of a class
written in the tests is the structure of its attributes. Other leaves stand still: ints, bools,
strings, None, functions.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

Vector: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
Pullback: TypeAlias = Callable[..., tuple[Any, Callable[[Any], Any]]]

STEP = 1e-3
TOLERANCE = 1e-6


class NotSmooth(AssertionError):
    """A small step changes the structure of the result: no derivative there."""


def floats(tree: Any) -> Vector:
    """The floats of a structure as one vector."""
    parts = [np.ravel(leaf) for leaf in _leaves(tree) if _is_float(leaf)]
    return np.concatenate(parts).astype(float) if parts else np.zeros(0)


def with_floats(tree: Any, vector: Vector) -> Any:
    """The same structure with these floats in the place of its own."""
    values = iter(vector)
    return _map(tree, lambda leaf: _replaced(leaf, values))


def seed_like(tree: Any, random: np.random.Generator) -> Any:
    """A cotangent for a result: random where it holds floats, None elsewhere.

    That of an object is the dict of its attributes'.
    """
    vector = random.uniform(0.5, 1.5, floats(tree).size) * random.choice([-1.0, 1.0])
    values = iter(vector)
    seed = _map(tree, lambda leaf: _replaced(leaf, values) if _is_float(leaf) else None)
    return with_attributes(seed)


def gradient_floats(gradient: Any, tree: Any) -> Vector:
    """The gradient of a structure as a vector that matches `floats(tree)`.

    Raises AssertionError where the gradient isn't of the kind, shape and dtype of its argument.
    None stands for zeros.
    """
    if gradient is None:
        return np.zeros(floats(tree).size)
    if isinstance(tree, tuple | list | deque):
        kind = tuple if isinstance(tree, tuple) else type(tree)
        assert isinstance(gradient, kind), (gradient, tree)
        assert len(gradient) == len(tree), (gradient, tree)
        return _joined([gradient_floats(g, t) for g, t in zip(gradient, tree, strict=True)])
    if isinstance(tree, dict):
        assert isinstance(gradient, type(tree)) and set(gradient) <= set(tree), (gradient, tree)
        return _joined([gradient_floats(gradient.get(key), tree[key]) for key in tree])
    if is_object(tree):
        attributes = attributes_of(tree)
        # What the class holds for all its objects is read through them, too.
        names = {*attributes, *dir(type(tree))}
        assert isinstance(gradient, dict) and set(gradient) <= names, (gradient, tree)
        return _joined([
            gradient_floats(gradient.get(name), value) for name, value in attributes.items()
        ])
    if not _is_float(tree):
        return np.zeros(0)
    if isinstance(tree, np.ndarray):
        assert isinstance(gradient, np.ndarray | np.floating), (gradient, tree)
        assert gradient.dtype == tree.dtype, (gradient.dtype, tree.dtype)
    assert np.shape(gradient) == np.shape(tree), (gradient, tree)
    return np.ravel(gradient).astype(float)


def with_attributes(gradient: Any) -> Any:
    """The same structure with a dict of the attributes in the place of each object."""
    if is_object(gradient):
        return {name: with_attributes(x) for name, x in attributes_of(gradient).items()}
    if isinstance(gradient, tuple) and hasattr(gradient, "_make"):
        return type(gradient)._make(map(with_attributes, gradient))
    if isinstance(gradient, tuple | list):
        return type(gradient)(map(with_attributes, gradient))
    if isinstance(gradient, dict):
        changed = copy.copy(gradient)
        for key, x in gradient.items():
            changed[key] = with_attributes(x)
        return changed
    return gradient


def directional(f: Callable[..., Any], args: tuple[Any, ...], direction: Vector) -> Vector:
    """The derivative of the result's floats along a direction of the arguments' floats.

    Central differences of two step lengths, extrapolated: the error is of fourth order.
    """
    coarse, fine = (_central(f, args, direction, step) for step in (STEP, STEP / 2))
    return (4 * fine - coarse) / 3


def one_sided(f: Callable[..., Any], args: tuple[Any, ...], direction: Vector) -> Vector:
    """The same derivative from one side only, so that a kink shows: error of second order."""
    here = floats(f(*copy.deepcopy(args)))
    first, second = (_moved(f, args, direction, STEP * k, here.size) for k in (0.01, 0.02))
    return (4 * first - 3 * here - second) / (0.02 * STEP)


def directions(size: int, random: np.random.Generator) -> list[Vector]:
    """Each axis where there are few, and always three random directions."""
    axes = list(np.eye(size)) if size <= 4 else []
    return [*axes, *(random.uniform(-1.0, 1.0, size) for _ in range(3))]


def check_gradient(
    function: Callable[..., Any], args: tuple[Any, ...], pullback: Pullback,
    may_round: bool = False,
) -> None:
    """Asserts that `pullback(f, *args)` gives f's value, and its gradient by differences.

    A function that changes its arguments finds them as they were each time; with the pullback,
    they hold what one plain call leaves in them. The last bit of the value may differ with
    `may_round`.
    """
    def f(*args: Any) -> Any:
        return function(*copy.deepcopy(args))

    random = np.random.default_rng(0)
    left, given = copy.deepcopy(args), copy.deepcopy(args)
    value = function(*left)
    y, back = pullback(function, *given)
    is_same = same(y, value) or (
        may_round and np.allclose(floats(y), floats(value), rtol=1e-14, atol=1e-14)
    )
    assert is_same, f"value {y!r}, plainly {value!r}"
    assert same_contents(given, left), f"arguments hold {given!r}, plainly {left!r}"
    seed = seed_like(value, random)
    gradients = back(seed)
    assert isinstance(gradients, tuple) and len(gradients) == len(args), gradients
    again = back(seed)
    assert same(again, gradients), f"the second call of back gave {again!r}, not {gradients!r}"
    gradient = gradient_floats(gradients, args)
    weights = floats(seed)
    for direction in directions(gradient.size, random):
        terms = weights * directional(f, args, direction)
        expected, found = float(np.sum(terms)), float(gradient @ direction)
        scale = max(1e-2, float(np.sum(np.abs(terms))), float(np.abs(gradient) @ abs(direction)))
        assert abs(found - expected) <= TOLERANCE * scale, (
            f"along {direction} the derivative is {expected!r}, by the gradient {found!r}; "
            f"gradient {gradients!r} at {args!r}"
        )


def same_contents(a: Any, b: Any) -> bool:
    """`same` for what structures hold that can be changed: lists, dicts and arrays."""
    if isinstance(a, np.ndarray | list | dict | tuple | deque):
        return type(a) is type(b) and _same_items(a, b)
    return True


def _same_items(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return same(a, b)
    if len(a) != len(b):
        return False
    pairs = [(a[k], b.get(k)) for k in a] if isinstance(a, dict) else list(zip(a, b, strict=True))
    return all(
        same_contents(p, q) and (not isinstance(p, float) or same(p, q)) for p, q in pairs
    )


def same(a: Any, b: Any) -> bool:
    """Whether two structures are equal: kinds, shapes, dtypes, and every bit of the numbers."""
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple | list | deque):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray | np.generic):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if is_object(a):
        return same(attributes_of(a), attributes_of(b))
    return bool(a == b) or (a != a and b != b)


def is_object(tree: Any) -> bool:
    """Whether this is an instance of a class of the corpus, not of a built-in one."""
    cls = type(tree)
    return cls.__module__.startswith("tests.") and not isinstance(tree, tuple | list | dict)


def attributes_of(instance: Any) -> dict[str, Any]:
    """The attributes that an object stores itself, in slots or in its dict."""
    slots = [name for cls in type(instance).__mro__ for name in getattr(cls, "__slots__", ())]
    found = {name: getattr(instance, name) for name in slots if hasattr(instance, name)}
    return {**found, **getattr(instance, "__dict__", {})}


def _central(f: Callable[..., Any], args: tuple[Any, ...], direction: Vector, h: float) -> Vector:
    size = floats(f(*args)).size
    ahead, behind = (_moved(f, args, direction, step, size) for step in (h, -h))
    return (ahead - behind) / (2 * h)


def _moved(
    f: Callable[..., Any], args: tuple[Any, ...], direction: Vector, step: float, size: int
) -> Vector:
    result = floats(f(*with_floats(args, floats(args) + step * direction)))
    if result.size != size:
        raise NotSmooth(f"the result has {result.size} floats a step away, {size} here")
    return result


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, tuple | list | deque):
        for item in tree:
            yield from _leaves(item)
    elif isinstance(tree, dict):
        for item in tree.values():
            yield from _leaves(item)
    elif is_object(tree):
        yield from _leaves(attributes_of(tree))
    else:
        yield tree


def _map(tree: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(tree, tuple) and hasattr(tree, "_make"):
        return type(tree)._make(_map(item, change) for item in tree)
    if isinstance(tree, tuple | list):
        return type(tree)(_map(item, change) for item in tree)
    if isinstance(tree, deque):
        return deque([_map(item, change) for item in tree], tree.maxlen)
    if isinstance(tree, dict):
        changed = copy.copy(tree)
        for key, item in tree.items():
            changed[key] = _map(item, change)
        return changed
    if is_object(tree):
        changed = copy.copy(tree)
        for name, value in attributes_of(tree).items():
            object.__setattr__(changed, name, _map(value, change))
        return changed
    return change(tree)


def _is_float(leaf: Any) -> bool:
    return isinstance(leaf, float) or (
        isinstance(leaf, np.ndarray | np.generic) and np.issubdtype(leaf.dtype, np.floating)
    )


def _replaced(leaf: Any, values: Iterator[float]) -> Any:
    if not _is_float(leaf):
        return leaf
    if isinstance(leaf, np.ndarray):
        taken = [next(values) for _ in range(leaf.size)]
        return np.array(taken, dtype=leaf.dtype).reshape(leaf.shape)
    return type(leaf)(next(values))


def _joined(parts: list[Vector]) -> Vector:
    return np.concatenate(parts) if parts else np.zeros(0)
