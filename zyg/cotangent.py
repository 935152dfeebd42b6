"""The algebra of cotangents: what generated adjoints and rules compute with at run time.

A cotangent has the structure of the value that it belongs to: a number for a number, an array for
an array, a tuple of cotangents for a tuple. `None` is the structural zero. All functions here are
pure, but for `accumulate_at`, which consumes its buffer:

    accumulate((1.0, None), (2.0, 3.0))      (3.0, 3.0)
    unbroadcast(np.ones((4, 3)), like=2.0)   12.0
    one_hot(5.0, like=[1.0, 2.0], index=1)   [0.0, 5.0]
"""

from __future__ import annotations

import functools
import sys
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, ItemsView, KeysView, Set, ValuesView
from numbers import Number
from typing import Any

import numpy as np

from ir.primitives import UNBOUND
from zyg.errors import NotDifferentiable

_NUMERIC = (int, float, complex, np.generic, np.ndarray)


def accumulate(a: Any, b: Any) -> Any:
    """The sum of two cotangents of one value; containers are added field by field.

    >>> accumulate([1.0, None], [0.5, 2.0])
    [1.5, 2.0]
    """
    if a is None:
        return b
    if b is None:
        return a
    if type(a) is float or type(a) is np.ndarray:
        return a + b
    if isinstance(a, (list, tuple)):
        return rebuilt(a, [accumulate(p, q) for p, q in zip(a, b, strict=True)])
    if isinstance(b, (list, tuple)):
        return rebuilt(b, [accumulate(p, q) for p, q in zip(a, b, strict=True)])
    if isinstance(a, dict):
        return {key: accumulate(a.get(key), b.get(key)) for key in {**a, **b}}
    return a + b


def rebuilt(container: Any, items: list[Any]) -> Any:
    """A container of the kind of `container` (list, tuple, NamedTuple) that holds `items`."""
    if isinstance(container, (list, deque)):
        return items
    if hasattr(container, "_make"):
        return container._make(items)
    return tuple(items)


def accumulate_item(bars: Any, index: Any, value: Any, like: Any) -> Any:
    """The sum of the cotangent of the list `like`, if there is one yet, and that of an item."""
    return one_hot(value, like, index) if bars is None else accumulate_at(bars[:], index, value)


def accumulate_at(buffer: Any, index: Any, value: Any) -> Any:
    """Adds `value` to `buffer[index]` in place and returns the buffer, which the caller owns."""
    if value is None:
        return buffer
    if isinstance(buffer, tuple):
        return rebuilt(buffer, accumulate_at(list(buffer), index, value))
    if isinstance(buffer, np.ndarray):
        if _may_repeat(index):
            np.add.at(buffer, index, value)
        else:
            buffer[index] += value
    elif isinstance(index, slice):
        buffer[index] = [accumulate(a, b) for a, b in zip(buffer[index], value, strict=True)]
    elif isinstance(buffer, dict):
        buffer[index] = accumulate(buffer.get(index), value)
    else:
        buffer[index] = accumulate(buffer[index], value)
    return buffer


def _may_repeat(index: Any) -> bool:
    """Whether an index can name one element twice: integer arrays and lists can, masks not."""
    if isinstance(index, tuple):
        return any(_may_repeat(part) for part in index)
    if isinstance(index, np.ndarray):
        return index.dtype.kind != "b" and index.ndim > 0
    return isinstance(index, (list, range))


def one_hot(value_bar: Any, like: Any, index: Any) -> Any:
    """The cotangent of `like` that is `value_bar` at `index` and zero elsewhere.

    Positions that an index array names several times collect all their contributions.

    >>> one_hot(2.0, {"a": 1.0, "b": 3.0}, "b")
    {'a': 0.0, 'b': 2.0}
    """
    if value_bar is None:
        return None
    if isinstance(like, (list, tuple, deque)):
        positions = range(len(like))[index]
        given = positions if isinstance(index, slice) else (positions,)
        bars = [None if i in given else zeros_like(item) for i, item in enumerate(like)]
        if isinstance(index, slice):
            bars[index] = list(value_bar)
        else:
            bars[index] = value_bar
        return rebuilt(like, bars)
    if isinstance(like, dict):
        return {key: value_bar if key == index else zeros_like(like[key]) for key in like}
    if isinstance(like, (str, bytes, range)):
        return None
    if not isinstance(like, (np.ndarray, np.generic)):
        raise NotDifferentiable(
            f"reading an item of a {type(like).__name__} object can't be differentiated here; "
            f"import {type(like).__name__} into the module of this function"
        )
    buffer = np.asarray(zeros_like(like))
    bar = accumulate_at(buffer, index, realness_of(like, value_bar))
    return bar if isinstance(like, np.ndarray) else bar[()]


def taken(bar: Any, index: Any) -> Any:
    """The cotangent of what was stored at `index`, in memory of its own.

    Where an index array names a position several times, the last value stored there is the one
    that stays: it gets all, the others get zero.

    >>> taken(np.array([5.0, 7.0]), [0, 0])
    array([0., 5.])
    """
    if bar is None:
        return None
    if isinstance(bar, dict):
        return owned(bar.get(index))
    part = bar[index]
    if not isinstance(bar, np.ndarray):
        return owned(part)
    if not _may_repeat(index):
        return part.copy() if isinstance(part, np.ndarray) else part
    return np.where(_is_last(bar.shape, index, part.shape), part, 0)


def copied(bar: Any, index: Any) -> Any:
    """What `taken` gives for an array and an index that makes a view: printed `bar[i].copy()`."""
    return bar[index].copy()


def put_back(part_bar: Any, bar: Any, index: Any) -> Any:
    """The cotangent of `bar` where `taken(bar, index)` was read from it.

    >>> put_back(np.array([5.0, 7.0]), np.zeros(3), [0, 0])
    array([7., 0., 0.])
    """
    if part_bar is None or bar is None:
        return None
    if isinstance(bar, np.ndarray) and _may_repeat(index):
        is_last = _is_last(bar.shape, index, bar[index].shape)
        return one_hot(np.where(is_last, part_bar, 0), bar, index)
    return one_hot(part_bar, bar, index)


def _is_last(shape: tuple[int, ...], index: Any, stored: tuple[int, ...]) -> Any:
    """Which of the values that are stored by an index array are not overwritten by later ones."""
    writer = np.zeros(shape, int)
    order = np.arange(int(np.prod(stored))).reshape(stored)
    writer[index] = order
    return writer[index] == order


def cleared(bar: Any, index: Any) -> Any:
    """`bar` with zero at `index`: what was there before did not matter; `bar` is not changed."""
    return clear_at(owned(bar), index)


def clear_at(buffer: Any, index: Any) -> Any:
    """Sets an item or a part of a buffer, which the caller owns, to zero."""
    if buffer is None:
        return None
    if isinstance(buffer, int | float | complex | np.number):
        buffer = np.array(buffer)  # of an array without dimensions
    if isinstance(buffer, np.ndarray):
        buffer[index] = 0
    elif isinstance(buffer, dict):
        if isinstance(buffer.get(index), (int, float, complex, np.number)):
            buffer[index] = 0.0
        else:
            buffer.pop(index, None)
    elif isinstance(buffer, tuple):
        return rebuilt(buffer, clear_at(list(buffer), index))
    elif isinstance(index, slice):
        buffer[index] = [None] * len(buffer[index])
    else:
        is_number = isinstance(buffer[index], (int, float, complex, np.number))
        buffer[index] = 0.0 if is_number else None
    return buffer


def taken_view(bar: Any, view: Any, args: tuple[Any, ...]) -> Any:
    """The cotangent of a view that was changed, in memory of its own."""
    return None if bar is None else np.array(_viewed(bar, view, args))


def cleared_view(bar: Any, view: Any, args: tuple[Any, ...]) -> Any:
    """`bar` with zeros where a view looks at; `bar` is not changed."""
    if bar is None:
        return None
    bar = np.array(bar, order="C")
    _viewed(bar, view, args)[...] = 0
    return bar


def _viewed(bar: Any, view: Any, args: tuple[Any, ...]) -> Any:
    return view.__get__(bar) if hasattr(view, "__set__") else view(bar, *args)


def stored_bar(bar: Any, value: Any, items: Any) -> Any:
    """The cotangent of a value that was stored into `items`, from that of the place.

    An array of integers or bools rounds what is stored into it, which has no derivative; and it
    broadcasts what is stored, which is summed.
    """
    if bar is None or (isinstance(items, np.ndarray) and items.dtype.kind not in "fc"):
        return None
    if isinstance(items, np.ndarray):
        return _as_stored(bar, value)
    if isinstance(bar, list) and isinstance(value, (list, tuple)) and len(bar) != len(value):
        raise NotDifferentiable("a slice of a list was replaced by one of another length")
    return bar


def _as_stored(bar: Any, value: Any) -> Any:
    if not isinstance(value, (list, tuple)):
        return unbroadcast(bar, value)
    bars = unbroadcast(bar, np.empty(np.shape(value)))
    return rebuilt(value, [_as_stored(b, v) for b, v in zip(bars, value, strict=True)])


def without_last(bars: Any) -> Any:
    """The cotangent of a list before its last item was appended; `bars` is not changed."""
    return None if bars is None else bars[:-1]


def with_gap(bars: Any, index: Any, before: Any) -> Any:
    """The cotangent of a list or dict `before` the item at `index` was deleted."""
    if bars is None or isinstance(bars, dict):
        return bars
    positions = range(len(before))[index]
    found = iter(bars)
    gone = positions if isinstance(positions, range) else (positions,)
    return [None if i in gone else next(found) for i in range(len(before))]


def without_item(bars: Any, position: int) -> Any:
    """The cotangent of a list before an item was inserted at a position."""
    return None if bars is None else bars[:position] + bars[position + 1 :]


def position_of(index: int, items: list[Any]) -> int:
    """Where `items.insert(index, ...)` puts an item."""
    return slice(index, None).indices(len(items))[0]


def scatter(value_bar: Any, shape: tuple[int, ...], index: Any) -> Any:
    """`one_hot` where only the shape of the array is known: zeros but for `value_bar` at `index`.

    >>> scatter(np.array([1.0, 2.0]), (3,), [0, 0])
    array([3., 0., 0.])
    """
    dtype = np.result_type(value_bar, np.float16) if _is_integral(value_bar) else None
    return accumulate_at(np.zeros(shape, dtype or np.result_type(value_bar)), index, value_bar)


def _is_integral(x: Any) -> bool:
    return bool(np.result_type(x).kind in "biu")


def inexact_dtype(a: Any) -> np.dtype[Any]:
    """The dtype of the cotangents of an array."""
    dtype = np.result_type(a)
    return dtype if dtype.kind in "fc" else np.dtype(float)


def zeros_like(x: Any) -> Any:
    """The zero cotangent of `x`: 0 for an int, so that integer arithmetic stays exact, an array
    of the same dtype for an array (float64 for integers and bools), None for what has none.

    >>> zeros_like((1, 2.0, "text"))
    (0, 0.0, None)
    """
    cls = type(x)
    if cls is float:
        return 0.0
    if cls is np.ndarray:
        return np.zeros(x.shape, x.dtype if x.dtype.kind in "fc" else float)
    if cls is int:
        return 0
    if cls is complex:
        return 0j
    if isinstance(x, np.ndarray):
        return np.zeros(x.shape, x.dtype if x.dtype.kind in "fc" else float)
    if isinstance(x, np.number):
        return cls(0)
    if isinstance(x, (list, tuple, deque)):
        return rebuilt(x, [zeros_like(item) for item in x])
    if isinstance(x, dict):
        return {key: zeros_like(item) for key, item in x.items()}
    return None


def filled(bars: Any, likes: Any) -> Any:
    """The cotangents of several values, with zeros in place of structural zeros.

    >>> filled((1.0, None), (2.0, 3.0))
    [1.0, 0.0]
    """
    if bars is None:
        return [zeros_like(like) for like in likes]
    return [zeros_like(like) if bar is None else bar for bar, like in zip(bars, likes, strict=True)]


def conj(x: Any) -> Any:
    """The complex conjugate; real numbers and arrays are returned as they are, lists as arrays."""
    cls = type(x)
    if cls is float or cls is int:
        return x
    if cls is complex:
        return x.conjugate()
    if cls is np.ndarray:
        return np.conj(x) if x.dtype.kind == "c" else x
    if cls is list or cls is tuple:
        x = np.asarray(x)
    return np.conj(x) if np.iscomplexobj(x) else x


def realness_of(like: Any, bar: Any) -> Any:
    """`bar`, or its real part where `like` is real."""
    if np.iscomplexobj(bar) and not np.iscomplexobj(like):
        return np.real(bar)
    return bar


def unbroadcast(bar: Any, like: Any) -> Any:
    """Sums the cotangent of a broadcast value to the shape of the operand `like`.

    A dimension that `like` lacks, or where it has length 1, was repeated: its cotangent is the
    sum. A Python scalar gets a Python scalar; a real operand gets the real part.

    >>> unbroadcast(np.ones((4, 3)), np.zeros((1, 3)))
    array([[4., 4., 4.]])
    """
    if bar is None:
        return None
    cls = type(like)
    if cls is float or cls is int:
        bar_cls = type(bar)
        if bar_cls is float or bar_cls is int:
            return bar
        bar = np.sum(np.real(bar))
        return bar.item() if isinstance(bar, (np.generic, np.ndarray)) else bar
    if cls is np.ndarray and type(bar) is np.ndarray:
        if bar.dtype.kind == "c" and like.dtype.kind != "c":
            bar = bar.real
        bar_shape, shape = bar.shape, like.shape
    else:
        bar = realness_of(like, bar)
        bar_shape, shape = np.shape(bar), np.shape(like)
    if bar_shape != shape:
        bar = _summed_to(bar, bar_shape, shape)
    if cls is complex:
        return complex(bar)
    return bar


def _summed_to(bar: Any, bar_shape: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    extra = len(bar_shape) - len(shape)
    repeated = tuple(
        axis
        for axis, length in enumerate(bar_shape)
        if axis < extra or (shape[axis - extra] == 1 and length != 1)
    )
    if repeated:
        bar = np.sum(bar, axis=repeated, keepdims=True)
    if extra > 0:
        return np.reshape(bar, np.shape(bar)[extra:]) if shape else bar.sum()
    return np.broadcast_to(bar, shape) if np.shape(bar) != shape else bar


def project(bar: Any, x: Any) -> Any:
    """The cotangent that the user sees for the input `x`: of its shape, dtype and kind.

    None becomes zeros; an integer array gets float64; real inputs get real cotangents; str,
    bool, None and functions get None. Containers are projected item by item.

    >>> project(np.float64(2.0), 1.5), project(None, [1.0, "a"])
    (2.0, [0.0, None])
    """
    cls = type(x)
    if cls is float:
        return 0.0 if bar is None else float(_scalar(bar).real)
    if isinstance(x, np.ndarray):
        return _project_array(bar, x)
    if cls is bool or isinstance(x, (str, bytes, np.bool_)) or x is None:
        return None
    if isinstance(x, np.number):
        return _project_numpy_scalar(bar, x)
    if isinstance(x, int):
        if bar is None:
            return 0
        bar = _scalar(bar).real
        return bar if type(bar) is int else float(bar)
    if isinstance(x, complex):
        return 0j if bar is None else complex(_scalar(bar))
    if isinstance(x, float):
        return 0.0 if bar is None else float(_scalar(bar).real)
    if isinstance(x, (list, tuple, deque)):
        bars = [None] * len(x) if bar is None else bar
        items = [project(b, item) for b, item in zip(bars, x, strict=True)]
        return deque(items, x.maxlen) if isinstance(x, deque) else rebuilt(x, items)
    if isinstance(x, dict):
        bars = {} if bar is None else bar
        return like_mapping(x, {key: project(bars.get(key), item) for key, item in x.items()})
    if bar is not None and hasattr(x, "__next__"):
        raise NotDifferentiable(
            f"an argument is an iterator ({type(x).__name__}), which has no gradient; pass a list"
        )
    if callable(x) and not isinstance(bar, dict):
        return None
    refuse_conversion(bar, x)
    names = getattr(x, "__dict__", None)
    if type(bar) is dict and type(names) is dict:
        # In the order of the attributes, whatever order they were read in.
        return {**{name: bar[name] for name in names if name in bar}, **bar}
    return bar


def like_mapping(x: dict[Any, Any], items: dict[Any, Any]) -> Any:
    """A mapping of the class of `x` with other items."""
    if type(x) is defaultdict:
        return defaultdict(x.default_factory, items)
    return type(x)(items) if type(x) in (OrderedDict, Counter) else items


def refuse_conversion(bar: Any, x: Any) -> None:
    """Raises for an object, or one that it holds, that has the cotangent of a number."""
    if isinstance(bar, dict):
        for name, part in bar.items():
            refuse_conversion(part, getattr(x, "__dict__", {}).get(name))
    elif isinstance(x, list | tuple) and isinstance(bar, list | tuple):
        for part, item in zip(bar, x, strict=False):
            refuse_conversion(part, item)
    elif isinstance(bar, _NUMERIC) and type(x).__module__ not in ("builtins", "numpy"):
        # A twentieth of the time of `import zyg`, for a class that few programs use.
        from decimal import Decimal

        if not isinstance(x, (Number, Decimal, np.ndarray, np.generic)):
            raise NotDifferentiable(
                f"an object of class {type(x).__name__} was used as a number, by a function that "
                "converts it; convert it first, with float(x)"
            )


def _scalar(bar: Any) -> Any:
    return bar.item() if isinstance(bar, (np.ndarray, np.generic)) else bar


def _project_numpy_scalar(bar: Any, x: Any) -> Any:
    cls: Any = type(x) if isinstance(x, np.inexact) else np.float64
    if bar is None:
        return cls(0)
    bar = _scalar(bar)
    return cls(bar if isinstance(x, np.complexfloating) else bar.real)


def _project_array(bar: Any, x: np.ndarray[Any, Any]) -> Any:
    refuse_unusual(x)
    if x.dtype.kind not in "biufc":
        return None
    dtype = x.dtype if x.dtype.kind in "fc" else np.dtype(float)
    if bar is None:
        return np.zeros(x.shape, dtype)
    bar = np.asarray(realness_of(x, bar))
    if bar.dtype == dtype and bar.shape == x.shape and bar.flags.writeable and bar.base is None:
        return bar
    # A view can share memory with the input or with another cotangent: the user gets a copy.
    return np.array(np.broadcast_to(bar, x.shape) if bar.shape != x.shape else bar, dtype)


def refuse_unusual(x: np.ndarray[Any, Any]) -> None:
    """Raises NotDifferentiable for arrays whose meaning zyg's rules would get wrong."""
    if isinstance(x, np.matrix):
        raise NotDifferentiable("np.matrix has no gradients: pass np.asarray(x) instead")
    # NumPy imports `numpy.ma` when it is first asked for, which takes long.
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(x, masked.MaskedArray):
        raise NotDifferentiable(
            "masked arrays have no gradients: pass x.filled(value) and the mask separately"
        )
    if x.dtype.names is not None:
        raise NotDifferentiable(
            f"a structured array (dtype {x.dtype}) has no gradient: pass its fields separately"
        )
    if x.dtype.kind == "O":
        raise NotDifferentiable(
            "an array of dtype object has no gradient: pass a list, or an array of numbers"
        )


# What generated adjoints call


def add(a: Any, b: Any) -> Any:
    """The sum of two array cotangents: printed `a + b`, or `a += b` where `a` is nobody else's."""
    return a + b


def subtract(a: Any, b: Any) -> Any:
    """The difference of two array cotangents: printed `a - b`, or `a -= b`."""
    return a - b


def sum_over(bar: Any, axes: Any, keepdims: bool = False) -> Any:
    """The sum over some axes: what `unbroadcast` does where the types say which."""
    # The stubs of NumPy have `keepdims` as a literal only.
    return np.add.reduce(bar, axes, keepdims=keepdims)  # type: ignore[call-overload]


def zeros_list(x: Any) -> list[float]:
    """A list of zeros as long as an array: faster to add single elements to than an array."""
    return [0.0] * len(x)


def add_at(bar: Any, index: Any, value: Any) -> Any:
    """`bar` with `value` added at `index`; `bar` itself is not changed."""
    return accumulate_at(owned(bar), index, value)


def owned(bar: Any) -> Any:
    """A copy that can be accumulated into."""
    if isinstance(bar, np.ndarray):
        return bar.copy()
    if isinstance(bar, (list, dict)):
        return bar.copy()
    return bar


PLAIN = (int, float, complex, str, bytes, slice, range, np.generic)


def kept(x: Any) -> Any:
    """A copy of what will be overwritten: of arrays, and of the containers that hold them."""
    return kept_but(_nothing, x)


def shell(x: Any) -> Any:
    """A copy of containers alone, for what asks how many items of which kind they hold."""
    if isinstance(x, (list, tuple)):
        items = [item if type(item) in _SHELLS else shell(item) for item in x]
        return rebuilt(x, items)
    if isinstance(x, dict):
        return like_mapping(x, {key: shell(item) for key, item in x.items()})
    return kept(x)


_SHELLS = (np.ndarray, float, np.float64, int)


def _nothing(x: Any) -> bool:
    return False


def kept_but(stays: Callable[[Any], bool], x: Any) -> Any:
    """The same, but for values that are known by identity, which stay what they are."""
    if isinstance(x, np.ndarray):
        return x.copy()
    if isinstance(x, (list, tuple)):
        return rebuilt(x, [kept_but(stays, item) for item in x])
    if isinstance(x, dict):
        return like_mapping(x, {key: kept_but(stays, item) for key, item in x.items()})
    if isinstance(x, deque):
        return deque([kept_but(stays, item) for item in x], x.maxlen)
    if isinstance(x, (set, frozenset)):
        return type(x)(x)
    if x is None or x is UNBOUND or isinstance(x, PLAIN):
        return x
    if x is UNBOUND or isinstance(x, BaseException):
        return x  # what an exception holds has no cotangent
    if isinstance(x, (type, types.ModuleType, types.BuiltinFunctionType, np.ufunc, np.dtype)):
        return x
    if isinstance(x, types.FunctionType) and all(map(_never_changes, _captured(x))):
        return x
    if hasattr(x, "__next__") or stays(x):
        return x  # what it has given is known by other names
    if isinstance(x, (KeysView, ValuesView, ItemsView)) and hasattr(x, "mapping"):
        found = kept_but(stays, dict(x.mapping))
        return getattr(found, type(x).__name__.removeprefix("dict_"))()
    if hasattr(x, "with_own_memory"):
        return x.with_own_memory(functools.partial(kept_but, stays))
    raise NotDifferentiable(
        f"what a {type(x).__name__} object refers to is needed for the gradient, and is changed in "
        "place later; change a copy"
    )


def _captured(function: types.FunctionType) -> list[Any]:
    """What a function object holds: captured variables and defaults."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    made = getattr(function, "captured", {})  # of one that `ir.closures` made
    keywords = function.__kwdefaults__ or {}
    return [*cells, *made.values(), *(function.__defaults__ or ()), *keywords.values()]


def _never_changes(x: Any) -> bool:
    if isinstance(x, tuple):
        return all(map(_never_changes, x))
    if isinstance(x, types.FunctionType):
        return all(map(_never_changes, _captured(x)))
    is_number = x is None or isinstance(x, (int, float, complex, str, bytes, range, np.generic))
    return is_number or isinstance(x, (type, types.ModuleType, types.BuiltinFunctionType, np.ufunc))


def materialised(bar: Any, like: Any) -> Any:
    """A cotangent that came from run-time dispatch, with zeros for the structural zero."""
    return zeros_like(like) if bar is None else bar


def listed(bars: Any, like: Any) -> Any:
    """The cotangents of the items of a list, with structural zeros for the structural zero."""
    return [None] * len(like) if bars is None else bars


NO_SLOT = object()


def keyword_gradient(bars: Any, index: int, name: str) -> Any:
    """The gradient of a keyword argument; raises where the rule has none for it."""
    bar = bars[index]
    if bar is NO_SLOT:
        raise NotDifferentiable(
            f"the rule of a called function has no gradient for its keyword argument `{name}`"
        )
    return bar


def keyword_bar(bar: Any, name: str, value: Any) -> Any:
    """The gradient of a keyword argument that holds `value`: None for flags, axes and the like."""
    if bar is NO_SLOT and not isinstance(value, (float, complex, np.inexact, np.ndarray)):
        return None
    return keyword_gradient((bar,), 0, name)


def item(bar: Any, key: Any) -> Any:
    """One item of the cotangent of a container; the structural zero where there is none."""
    if bar is None:
        return None
    return bar.get(key) if isinstance(bar, dict) else bar[key]


def first_part(bar: Any, length: int) -> Any:
    """The cotangent of what stands in front in a longer list or tuple."""
    return None if bar is None else bar[:length]


def last_part(bar: Any, length: int) -> Any:
    """The cotangent of what stands behind the first `length` items of a list or tuple."""
    return None if bar is None else bar[length:]


def completed(bar: Any, like: Any) -> Any:
    """A cotangent of a tuple with zeros for structural zeros, at any depth.

    >>> completed((None, 2.0), (1.0, 3.0))
    (0.0, 2.0)
    """
    if bar is None:
        return zeros_like(like)
    if isinstance(like, tuple):
        return rebuilt(like, [completed(b, x) for b, x in zip(bar, like, strict=True)])
    return bar


def from_items(bars: Any, like: Any) -> Any:
    """The cotangent of `like`, a sequence or array, from the cotangents of its items in order.

    Items beyond those that were taken get zeros. The cotangent of an iterator, of a view of a dict
    and of a set is the list of the cotangents of their items.

    >>> from_items([1.0], like=[5.0, 6.0])
    [1.0, 0.0]
    """
    if bars is None or isinstance(like, (dict, str, bytes, range)):
        return None
    bars = list(bars)
    if isinstance(like, np.ndarray):
        whole = zeros_like(like)
        for i, bar in enumerate(bars):
            if bar is not None:
                whole[i] = bar
        return whole
    if isinstance(like, deque):
        like = list(like)
    if isinstance(like, (list, tuple)):
        return rebuilt(like, [*bars, *(zeros_like(rest) for rest in like[len(bars) :])])
    if isinstance(like, (Set, ValuesView)):
        return [*bars, *(None for _ in range(len(like) - len(bars)))]
    if hasattr(like, "__next__") or all(bar is None for bar in bars):
        return bars
    raise NotDifferentiable(
        f"what iterating over a {type(like).__name__} gives can't be differentiated; make a list "
        "of its items"
    )


def from_reversed_items(bars: list[Any] | None, like: Any) -> Any:
    """`from_items` for cotangents that were collected from the last item to the first."""
    if bars is None:
        return None
    in_order = bars[::-1]
    # The usual case, for which the cost of a call is noticed.
    return in_order if type(like) is list and len(like) == len(bars) else (
        from_items(in_order, like)
    )


def checked_gradient(bars: Any, callee: str) -> Any:
    """The gradient that a back function of one argument returned, bare or in a tuple."""
    if type(bars) is tuple:
        if len(bars) != 1:
            raise NotDifferentiable(
                f"the rule for `{callee}` returned {len(bars)} gradients for 1 argument"
            )
        return bars[0]
    return bars


def checked_gradients(bars: Any, required: int, count: int, callee: str) -> tuple[Any, ...]:
    """The gradients that a back function returned, with None for those left out."""
    if type(bars) is not tuple:
        if required <= 1:
            return (bars,) + (None,) * (count - 1)
        raise NotDifferentiable(
            f"the rule for `{callee}` returned one gradient, no tuple, for {count} arguments"
        )
    if not required <= len(bars) <= count:
        raise NotDifferentiable(
            f"the rule for `{callee}` returned {len(bars)} gradients for {count} arguments"
        )
    return bars + (None,) * (count - len(bars))


_ZEROS = bytes(64)


def prototype(x: Any) -> Any:
    """Something of the shape and dtype of an array that holds none of its memory."""
    if type(x) is np.ndarray:
        if x.dtype.hasobject:
            return x
        return np.ndarray(x.shape, x.dtype, _ZEROS, 0, (0,) * x.ndim)
    return x
