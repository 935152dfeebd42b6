"""Gradients against differences: `check_grads(f, *args)` raises where the two disagree.

The result of `f` is projected on a random direction c, and the arguments are moved along each of
their components t:

    (c . f(x + h e_t) - c . f(x - h e_t)) / 2h      against      back(c)[t]

For complex numbers the gradient is df/dx + i df/dy; both parts are moved. The second order does the
same to the projected gradient in the place of `f`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from zyg import api
from zyg.errors import GradientMismatch

MAX_COMPONENTS = 200
Path = tuple[Any, ...]


def check_grads(
    f: Callable[..., Any], *args: Any, order: int = 2, rtol: float = 1e-4, **kwargs: Any
) -> None:
    """Raises GradientMismatch unless the gradients of `f` agree with central differences.

    Checked are the value, and for the result projected on a random direction: each component of
    each argument (200 of them, where there are more), that each gradient has the structure, shape
    and dtype of its argument and memory of its own, that `back` gives the same when it is called
    again, and with `order=2` the gradient of the gradient. Arguments are numbers, arrays, and
    tuples, lists and dicts of them; `f` gets copies, which it may change. `rtol` is relative to the
    largest component; float32 gets 0.02.

    >>> check_grads(lambda x: x * x, 3.0, order=1)
    """
    if order not in (1, 2):
        raise ValueError(f"check_grads checks order 1 or 2, not {order}")
    random = np.random.default_rng(0)
    given = _copied(args)
    y, back = api.pullback(f, *given, **_copied(kwargs))
    _check_value(y, f(*_copied(args), **_copied(kwargs)), rtol)
    seed = _direction(y, random)
    gradients = back(seed)
    _check_form(gradients, args, given)
    # The first gradients are the user's: overwriting them must not reach what `back` holds.
    kept = _copied(gradients)
    _overwrite(gradients)
    _check_same(kept, back(seed))

    def projected() -> Callable[..., Any]:
        return _projected(f, seed, _copied(kwargs))

    _check_differences(projected, args, kept, rtol, random, "gradient")
    if order == 2:
        directions = tuple([_direction(arg, random) for arg in args])

        def slope() -> Callable[..., Any]:
            return _projected(_gradient_of(projected()), directions, {})

        second = api.gradient(slope(), *_copied(args))
        _check_differences(slope, args, second, 10 * rtol, random, "second derivative")


def _projected(
    f: Callable[..., Any], direction: Any, kwargs: dict[str, Any]
) -> Callable[..., Any]:
    """The function whose value is the scalar product Re(conj(c) . f), for a direction c."""
    parts = [(path, np.conj(leaf)) for path, leaf in _leaves(direction)]

    def projected(*args: Any) -> Any:
        y = f(*args, **kwargs)
        total = 0.0
        for path, component in parts:
            part = y
            for key in path:
                part = part[key]
            total = total + np.sum(np.real(component * part))
        return total

    return projected


def _gradient_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The gradients of a function, as a function that can be differentiated."""

    def gradients(*args: Any) -> Any:
        return api.gradient(function, *args)

    return gradients


# What gradients look like


def _check_form(gradients: tuple[Any, ...], args: tuple[Any, ...], given: tuple[Any, ...]) -> None:
    for i, (gradient, arg) in enumerate(zip(gradients, args, strict=True)):
        _check_one_form(gradient, arg, f"argument {i}")
    arrays = [array for _, array in _leaves(gradients) if isinstance(array, np.ndarray)]
    taken = [array for _, array in _leaves(given) if isinstance(array, np.ndarray)]
    for i, array in enumerate(arrays):
        if any(np.shares_memory(array, other) for other in [*arrays[:i], *taken]):
            raise GradientMismatch(
                "two gradients, or a gradient and an argument, share their memory"
            )


def _check_one_form(gradient: Any, arg: Any, where: str) -> None:
    match arg:
        case np.ndarray() if arg.dtype.kind in "iufc":
            dtype = arg.dtype if arg.dtype.kind in "fc" else np.dtype(float)
            if not isinstance(gradient, np.ndarray):
                raise GradientMismatch(f"the gradient of {where} is no array but {gradient!r}")
            if (gradient.shape, gradient.dtype) != (arg.shape, dtype):
                raise GradientMismatch(
                    f"the gradient of {where} is {gradient.dtype} of shape {gradient.shape}, "
                    f"the argument {arg.dtype} of shape {arg.shape}"
                )
        case list() | tuple() | dict():
            if type(gradient) is not type(arg) or len(gradient) != len(arg):
                raise GradientMismatch(
                    f"the gradient of {where} has another structure: {gradient!r}"
                )
            for key in arg if isinstance(arg, dict) else range(len(arg)):
                _check_one_form(gradient[key], arg[key], f"{where}[{key!r}]")
        case float() | complex() | np.inexact():
            if type(gradient) is not type(arg):
                raise GradientMismatch(
                    f"the gradient of {where} is a {type(gradient).__name__}, the argument a "
                    f"{type(arg).__name__}"
                )


def _check_value(found: Any, expected: Any, rtol: float) -> None:
    """Raises where rules have computed another value than the functions that they stand for."""
    for (path, a), (_, b) in zip(_leaves(found), _leaves(expected), strict=True):
        close = _tolerance(b, rtol)
        if np.shape(a) != np.shape(b) or not np.allclose(a, b, close, close, equal_nan=True):
            place = f" at {_spelled(path)}" if path else ""
            raise GradientMismatch(f"the value{place} is wrong: rules give {a!r}, the call {b!r}")


def _check_same(first: Any, second: Any) -> None:
    for (path, a), (_, b) in zip(_leaves(first), _leaves(second), strict=True):
        if not np.array_equal(a, b, equal_nan=True):
            raise GradientMismatch(
                f"back gives another result when it is called again: argument {_spelled(path)} had "
                f"{a!r}, now has {b!r}"
            )


def _overwrite(gradients: Any) -> None:
    for _, leaf in _leaves(gradients):
        if isinstance(leaf, np.ndarray):
            leaf[...] = 123.0


# Differences


class Comparison(NamedTuple):
    """One component: where, along which direction (1 or 1j), and both numbers."""

    path: Path
    part: complex
    by_differences: float
    computed: float
    tolerance: float

    def excess(self) -> float:
        """How far the two are apart, in tolerances; infinite for what is no number."""
        ratio = abs(self.by_differences - self.computed) / self.tolerance
        same = self.by_differences == self.computed
        return 0.0 if same else (float("inf") if np.isnan(ratio) else ratio)


def _check_differences(
    made: Callable[[], Callable[..., Any]],
    args: tuple[Any, ...],
    gradients: tuple[Any, ...],
    rtol: float,
    random: np.random.Generator,
    what: str,
) -> None:
    """Compares component by component; the error names the worst one.

    `made` gives the function anew for each call, with what it is given by keyword.
    """
    places = list(_components(args))
    if len(places) > MAX_COMPONENTS:
        places = [places[i] for i in random.choice(len(places), MAX_COMPONENTS, replace=False)]
    numbers = [
        (_difference(made, args, path, part), _computed(gradients, path, part))
        for path, part in places
    ]
    scale = max([1.0, *(abs(number) for pair in numbers for number in pair)])
    compared = [
        Comparison(path, part, *pair, scale * _tolerance(_at(args, path), rtol))
        for (path, part), pair in zip(places, numbers, strict=True)
    ]
    worst = max(compared, key=Comparison.excess, default=None)
    if worst is not None and worst.excess() > 1.0:
        along = " (imaginary part)" if worst.part == 1j else ""
        raise GradientMismatch(
            f"the {what} is wrong: argument {_spelled(worst.path)}{along} has {worst.computed!r}, "
            f"differences say {worst.by_differences!r}"
        )


def _difference(
    made: Callable[[], Callable[..., Any]], args: Any, path: Path, part: complex
) -> float:
    value = _at(args, path)
    step = (1e-2 if _is_single(value) else 1e-5) * max(1.0, abs(value))
    up = float(made()(*_moved(_copied(args), path, part * step)))
    down = float(made()(*_moved(_copied(args), path, -part * step)))
    return float((up - down) / (2.0 * step))


def _computed(gradients: Any, path: Path, part: complex) -> float:
    bar = _at(gradients, path)
    return float(np.imag(bar) if part == 1j else np.real(bar))


def _tolerance(value: Any, rtol: float) -> float:
    return max(rtol, 0.02) if _is_single(value) else rtol


def _is_single(value: Any) -> bool:
    return isinstance(value, np.generic) and value.dtype.char in "efF"


# Structures: paths lead to leaves, and with the index of an array to components


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The numbers and arrays in nested containers, each with its path."""
    if isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from _leaves(item, (*path, i))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    elif isinstance(value, np.ndarray | np.number | float | int | complex):
        yield path, value


def _components(args: tuple[Any, ...]) -> Iterator[tuple[Path, complex]]:
    """The paths of all numbers that can be moved, with the directions: 1, and 1j if complex."""
    for path, leaf in _leaves(args):
        kind = np.asarray(leaf).dtype.kind
        if kind not in "fc":
            continue
        indices = np.ndindex(leaf.shape) if isinstance(leaf, np.ndarray) else [None]
        for index in indices:
            place = path if index is None else (*path, index)
            yield place, 1.0
            if kind == "c":
                yield place, 1j


def _at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def _spelled(path: Path) -> str:
    return f"{path[0]}{''.join(f'[{key!r}]' for key in path[1:])}"


def _moved(value: Any, path: Path, by: complex) -> Any:
    """The structure with one component moved; arrays are copied, their dtypes kept."""
    if not path:
        return type(value)(value + (by if isinstance(value, complex | np.complexfloating)
                                    else np.real(by)))
    if isinstance(value, np.ndarray):
        moved = value.copy()
        moved[path[0]] = _moved(value[path[0]], (), by)
        return moved
    items = dict(value) if isinstance(value, dict) else list(value)
    items[path[0]] = _moved(value[path[0]], path[1:], by)
    if isinstance(value, tuple):
        return value._make(items) if hasattr(value, "_make") else tuple(items)
    return items


def _copied(value: Any) -> Any:
    if isinstance(value, list | tuple):
        items = [_copied(item) for item in value]
        return value._make(items) if hasattr(value, "_make") else type(value)(items)
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return value.copy() if isinstance(value, np.ndarray) else value


def _direction(value: Any, random: np.random.Generator) -> Any:
    """A random cotangent of a value: of its structure, None for what has none."""
    if isinstance(value, list | tuple):
        items = [_direction(item, random) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {key: _direction(item, random) for key, item in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        drawn: Any = np.asarray(random.uniform(0.5, 1.5, value.shape))
        if value.dtype.kind == "c":
            drawn = drawn + 1j * random.uniform(0.5, 1.5, value.shape)
        return drawn.astype(value.dtype)
    if isinstance(value, complex | np.complexfloating):
        return type(value)(complex(*random.uniform(0.5, 1.5, 2)))
    if isinstance(value, float | np.floating):
        return type(value)(random.uniform(0.5, 1.5))
    return None

