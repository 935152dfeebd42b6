"""Checks one call of a rule: value, gradient by differences, shapes, dtypes, purity."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from zyg.cotangents.cotangent import project

IS_OLD = np.lib.NumpyVersion(np.__version__) < "2.0.0"


def check_rule(rule: Callable[..., Any], call: Callable[..., Any], args: Any, kwargs: Any) -> None:
    """Raises AssertionError where `rule(*args, **kwargs)` is not a derivative of `call(*args)`."""
    before = copy.deepcopy(args)
    y, back = rule(*args, **kwargs)
    assert_same(y, call(*args))
    random = np.random.default_rng(1)
    seed = noise(y, random)
    check_count(rule, back(seed))
    bars = gradients(back, seed, args)
    assert_same(bars, gradients(back, seed, args))
    assert_same(args, before)
    check_structural_zeros(back, y, args)
    for bar, x in zip(bars, args, strict=True):
        check_projected(bar, x)
        # NumPy 1 makes double precision of a number of single precision and one of Python's.
        if IS_OLD and not isinstance(y, (tuple, list)) and np.ndim(y) == 0:
            continue
        if is_single(x) and is_single(y) and bar is not None:
            assert not any(leaf.dtype in (np.float64, np.complex128) for leaf in arrays_of(bar))
    check_differences(call, y, seed, args, bars, random)


def gradients(back: Callable[..., Any], seed: Any, args: Any) -> list[Any]:
    bars = back(seed)
    bars = bars if isinstance(bars, tuple) else (bars,)
    return [bars[i] if i < len(bars) else None for i in range(len(args))]


def check_structural_zeros(back: Callable[..., Any], y: Any, args: Any) -> None:
    """Nothing comes of several results of which none matters."""
    if isinstance(y, (tuple, list)):
        for bar in arrays_of(gradients(back, rebuilt(y, [None] * len(y)), args)):
            assert not np.any(bar)


def check_count(rule: Callable[..., Any], bars: Any) -> None:
    """One cotangent for each positional parameter; those with a default may be left out."""
    parameters = inspect.signature(rule).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        assert isinstance(bars, tuple)
        return
    positional = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    required = [p for p in positional if p.default is p.empty]
    if isinstance(bars, tuple):
        assert len(required) <= len(bars) <= len(positional)
    else:
        assert len(positional) == 1


def check_differences(
    call: Callable[..., Any], y: Any, seed: Any, args: Any, bars: Any, random: Any
) -> None:
    """Central differences in float64, along one random direction for each argument."""
    widened = [widened_value(x) if differentiable(x, bar) else x for x, bar in pairs(args, bars)]
    tolerance = 2e-4 if is_single(args) or is_single(y) else 2e-6
    for i, bar in enumerate(bars):
        if not differentiable(args[i], bar):
            continue
        direction = noise(widened[i], random)
        # A conversion to single precision rounds, but is linear: a large step is exact there.
        step = 3e-6 if not is_single(call(*widened)) else 0.05
        above = call(*widened[:i], moved(widened[i], direction, step), *widened[i + 1 :])
        below = call(*widened[:i], moved(widened[i], direction, -step), *widened[i + 1 :])
        expected = (paired(seed, above) - paired(seed, below)) / (2 * step)
        actual = 0.0 if bar is None else paired(bar_like(bar, args[i]), direction)
        assert np.isfinite(expected), "arguments on a kink"
        size = 1 + abs(expected) + abs(actual)
        assert abs(actual - expected) <= tolerance * size, (i, actual, expected)


def pairs(args: Any, bars: Any) -> Any:
    return zip(args, bars, strict=True)


def differentiable(x: Any, bar: Any) -> bool:
    """Whether to compare with differences: all inexact input, integers if they got a gradient."""
    kinds = {leaf.dtype.kind for leaf in arrays_of(x)}
    return bool(kinds & set("fc")) or (bar is not None and bool(kinds))


def arrays_of(x: Any) -> list[np.ndarray]:
    """The numbers in a value, as arrays."""
    if isinstance(x, (list, tuple)):
        return [leaf for item in x for leaf in arrays_of(item)]
    if isinstance(x, dict):
        return [leaf for item in x.values() for leaf in arrays_of(item)]
    if isinstance(x, np.dtype) or x is None or isinstance(x, (str, slice, bool, type)):
        return []
    if x is Ellipsis:
        return []
    array = np.asarray(x)
    return [array] if array.dtype.kind in "iufc" else []


def is_single(x: Any) -> bool:
    """Whether single precision goes in and no array or NumPy scalar of double precision."""
    leaves = [leaf for leaf in numpy_leaves(x) if leaf.dtype.kind in "iufc"]
    singles = [leaf.dtype in (np.float32, np.complex64) for leaf in leaves]
    return any(singles) and all(singles)


def numpy_leaves(x: Any) -> list[np.ndarray]:
    if isinstance(x, (list, tuple)):
        return [leaf for item in x for leaf in numpy_leaves(item)]
    return [np.asarray(x)] if isinstance(x, (np.ndarray, np.generic)) else []


def rebuilt(x: Any, items: list[Any]) -> Any:
    if hasattr(x, "_make"):
        return x._make(items)
    return type(x)(items) if type(x) in (list, tuple) else items


def structural(x: Any, leaf: Callable[..., Any], *others: Any) -> Any:
    if isinstance(x, (list, tuple)):
        items = [structural(*row) for row in zip(x, [leaf] * len(x), *others, strict=True)]
        return rebuilt(x, items)
    if isinstance(x, dict):
        return {key: structural(x[key], leaf, *[other[key] for other in others]) for key in x}
    return leaf(x, *others)


def noise(x: Any, random: Any) -> Any:
    """Random numbers in the structure of `x`; none for integers and other kinds."""

    def leaf(value: Any) -> Any:
        array = np.asarray(value)
        if array.dtype.kind not in "fciu":
            return None
        drawn = random.standard_normal(array.shape)
        if array.dtype.kind == "c":
            drawn = drawn + 1j * random.standard_normal(array.shape)
        drawn = np.asarray(drawn).astype(array.dtype if array.dtype.kind in "fc" else float)
        return drawn if isinstance(value, np.ndarray) and value.ndim else drawn[()]

    return structural(x, leaf)


def widened_value(x: Any) -> Any:
    """The same numbers in double precision, as the same kind of scalar or array."""

    def leaf(value: Any) -> Any:
        if isinstance(value, (np.ndarray, np.generic)):
            return value.astype(complex if value.dtype.kind == "c" else float)
        return float(value) if isinstance(value, int) else value

    return structural(x, leaf)


def moved(x: Any, direction: Any, step: float) -> Any:
    def leaf(value: Any, along: Any) -> Any:
        return value if along is None else type_kept(value, value + step * along)

    return structural(x, leaf, direction)


def type_kept(old: Any, new: Any) -> Any:
    """A Python float stays one: `math` and NumPy treat the kinds of scalar differently."""
    if isinstance(old, np.ndarray):
        return np.asarray(new)
    return type(old)(new) if isinstance(old, (float, complex)) else new


def bar_like(bar: Any, x: Any) -> Any:
    """The cotangent in the structure of `x`: an array may stand for a list."""
    if bar is None:
        return None
    if isinstance(x, (list, tuple)):
        return rebuilt(x, [bar_like(bar[i], item) for i, item in enumerate(x)])
    if isinstance(x, dict):
        return {key: bar_like(bar[key], item) for key, item in x.items()}
    return bar


def paired(bar: Any, x: Any) -> float:
    """The real inner product of two structures."""
    if bar is None or x is None:
        return 0.0
    if isinstance(bar, dict):
        return sum(paired(bar[key], x[key]) for key in bar)
    if isinstance(bar, (list, tuple)):
        return sum(paired(b, item) for b, item in zip(bar, x, strict=True))
    terms = np.real(np.conj(bar) * np.asarray(x))
    return float(np.sum(np.where(np.isnan(np.asarray(x)), 0, terms)))


def check_projected(bar: Any, x: Any) -> None:
    """The projected cotangent has the shape and dtype of the input, and memory of its own."""
    if not isinstance(x, (np.ndarray, np.generic, float, complex)) or isinstance(x, np.bool_):
        return
    out = project(bar, x)
    if isinstance(x, np.ndarray) and x.dtype.kind == "b":
        return
    assert np.shape(out) == np.shape(x)
    expected = np.result_type(x) if np.result_type(x).kind in "fc" else np.dtype(float)
    assert np.result_type(out) == expected, (np.result_type(out), expected)
    if isinstance(x, np.ndarray):
        assert isinstance(out, np.ndarray) and not np.shares_memory(out, x)
    else:
        assert isinstance(out, type(x)) or isinstance(x, np.integer)


def assert_same(a: Any, b: Any) -> None:
    """Equal values, types, dtypes and structure."""
    if isinstance(a, (list, tuple)):
        assert type(a) is type(b) and len(a) == len(b), (a, b)
        for x, y in zip(a, b, strict=True):
            assert_same(x, y)
        return
    assert type(a) is type(b), (type(a), type(b))
    if isinstance(a, np.ndarray):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    elif isinstance(a, (float, complex, np.generic)):
        np.testing.assert_equal(a, b)
    else:
        assert a == b
