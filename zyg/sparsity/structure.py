"""Functions that move numbers about: their calls, made on arrays of sets as on arrays of numbers.

    np.roll(x, 1)                   np.roll(sets, 1)
    np.concatenate([x, [0.0]])      np.concatenate([sets, [EMPTY]])

And those that are Python code of other functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zyg.sparsity.index_sets import EMPTY, Gathered, IndexSet, SetArray, boxed, filled
from zyg.sparsity.traced import Traced, holds_traced, plain, traced_in

# Of the first argument.
_OF_ONE = (
    "reshape ravel transpose swapaxes moveaxis rollaxis expand_dims squeeze broadcast_to "
    "atleast_1d atleast_2d atleast_3d repeat tile flip fliplr flipud rot90 roll triu tril diagonal "
    "diag diagflat split array_split vsplit hsplit dsplit take take_along_axis delete copy "
    "compress resize matrix_transpose permute_dims"
).split()
_JOINS = "concatenate stack vstack hstack column_stack dstack concat block".split()
_METHODS = (
    "reshape ravel transpose swapaxes squeeze repeat diagonal take copy flatten compress item "
    "tolist"
).split()

_PLACES: dict[Any, tuple[int, ...]] = {
    **{getattr(np, name): (0,) for name in _OF_ONE if hasattr(np, name)},
    **{getattr(np.ndarray, name): (0,) for name in _METHODS},
    **{getattr(np.generic, name): (0,) for name in _METHODS},
    np.ndarray.T: (0,), np.compress: (1,), np.ndarray.compress: (0,),
    np.lib.stride_tricks.sliding_window_view: (0,), np.pad: (0,),
    np.fft.fftshift: (0,), np.fft.ifftshift: (0,),
    np.append: (0, 1), np.insert: (0, 2),
}  # fmt: skip
_OF_ARRAYS = {getattr(np.generic, name): getattr(np.ndarray, name) for name in _METHODS}
_JOINING = {getattr(np, name) for name in _JOINS if hasattr(np, name)}
PLAIN_ATTRIBUTES = frozenset("shape ndim size dtype itemsize nbytes strides flags".split())
# Methods that are functions of NumPy's as well.
NAMES = frozenset("sum mean prod var std max min cumsum cumprod ptp clip trace dot".split())


def moves_numbers(function: Any) -> bool:
    return function in _PLACES or function in _JOINING


def of_arrays(function: Any) -> Any:
    """The method of arrays in the place of one of NumPy's numbers: their sets are in arrays."""
    return _OF_ARRAYS.get(function, function)


def called(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    return function(*args, **kwargs) if callable(function) else function.__get__(args[0])


def sets_of(function: Any, args: tuple[Any, ...]) -> list[Any]:
    """The arguments of such a call with sets in the place of numbers."""
    if function in _JOINING:
        return [_joined(args[0]), *map(plain, args[1:])]
    places = _PLACES[function]
    return [_sets(x) if i in places else plain(x) for i, x in enumerate(args)]


def _sets(x: Any) -> SetArray:
    if type(x) is Traced:
        return boxed(x.sets)
    sets = filled(np.shape(plain(x)))
    fill(sets, x)
    return sets


def _joined(parts: Any) -> Any:
    """The arrays that a function joins, in lists that may be nested (`np.block`)."""
    if type(parts) is list or type(parts) is tuple:
        return [_joined(part) for part in parts]
    return _sets(parts)


def fill(sets: SetArray, x: Any) -> None:
    """Puts the sets of what a list holds, at any depth, into those of the array that it makes."""
    if type(x) is Traced:
        sets[...] = x.sets
    elif type(x) in (list, tuple):
        for i, item in enumerate(x):
            if sets.ndim > 1:
                fill(sets[i], item)
            elif type(item) is Traced:
                sets[i] = boxed(item.sets).item()


def _set_or_empty(x: Any) -> IndexSet:
    return x if type(x) is frozenset or type(x) is Gathered else EMPTY


_cleaned = np.frompyfunc(_set_or_empty, 1, 1)


def cleaned(sets: SetArray) -> SetArray:
    """The same, with empty sets where the function has put numbers of its own."""
    if all(type(x) is frozenset or type(x) is Gathered for x in sets.ravel().tolist()):
        return sets
    return boxed(_cleaned(sets))


# Functions by others


def _diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    if type(a) is not Traced:
        a = np.stack(a)
    behind: list[Any] = [slice(None)] * np.ndim(a)
    before = list(behind)
    behind[axis], before[axis] = slice(1, None), slice(None, -1)
    for _ in range(n):
        a = a[tuple(behind)] - a[tuple(before)]
    return a


def _ediff1d(a: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    parts = (to_begin, _diff(np.ravel(a)), to_end)
    return np.concatenate([np.ravel(part) for part in parts if part is not None])


def _outer(a: Any, b: Any) -> Any:
    return np.ravel(a)[:, None] * np.ravel(b)[None, :]


def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1)


def _astype(a: Any, dtype: Any, *args: Any, **kwargs: Any) -> Any:
    """Numbers of another kind; integers depend on nothing."""
    kind = np.dtype(dtype).kind
    if kind in "OV":
        raise a.run.refused(f"an array of dtype {np.dtype(dtype)} is made of numbers")
    if kind not in "fc":
        return a.value.astype(dtype)
    if a.value.dtype == np.dtype(dtype) and (kwargs.get("copy") is False or len(args) > 3):
        return a
    return a.run.call(np.array, (a, dtype), {})


def _copyto(target: Any, source: Any, where: Any = True) -> None:
    run = next(traced_in((target, source))).run
    if type(target) is not Traced:
        raise run.refused("np.copyto writes into an array of another function")
    whole = np.broadcast_to(source, np.shape(target)) if np.ndim(source) else source
    if where is True:
        target[...] = whole
    else:
        mask = np.broadcast_to(plain(where), np.shape(target))
        target[mask] = whole[mask] if np.ndim(whole) else whole


def _convolve(a: Any, v: Any, mode: str | int = "full") -> Any:
    if len(v) > len(a):
        a, v = v, a
    run = next(traced_in((a, v))).run
    whole = run.call(np.zeros, (len(a) + len(v) - 1,), {})
    for j in range(len(v)):
        whole[j : j + len(a)] += v[j] * a
    if mode in ("full", 2):
        return whole
    start, count = ((len(v) - 1) // 2, len(a)) if mode in ("same", 1) else (
        len(v) - 1, len(a) - len(v) + 1
    )
    return whole[start : start + count]


_PADDINGS = ("edge", "wrap", "reflect", "symmetric")


def _pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    run = next(traced_in((array, options))).run
    if not options and (mode == "constant" or mode in _PADDINGS):
        return run.moved(np.pad, (array, pad_width, mode), {})
    if mode == "constant" and not holds_traced(options):
        return run.moved(np.pad, (array, pad_width), {"mode": mode, **options})
    return run.dense(np.pad, (array, pad_width, mode), options)


def _interp(x: Any, xp: Any, fp: Any, *args: Any, **kwargs: Any) -> Any:
    run = next(traced_in((x, xp, fp, args, kwargs))).run
    if type(x) is Traced and not holds_traced((xp, fp, args, kwargs)):
        return run.elementwise(np.interp, (x, xp, fp, *args), kwargs)
    return run.dense(np.interp, (x, xp, fp, *args), kwargs)


def _broadcast_arrays(*arrays: Any) -> Any:
    shape = np.broadcast_shapes(*map(np.shape, arrays))
    return [np.broadcast_to(array, shape) for array in arrays]


def _divmod(x: Any, y: Any) -> Any:
    return x // y, x % y


SUBSTITUTES: dict[Any, Any] = {
    np.diff: _diff, np.ediff1d: _ediff1d, np.outer: _outer, np.trace: _trace,
    np.ndarray.trace: _trace, np.ndarray.astype: _astype, np.copyto: _copyto,
    np.convolve: _convolve, np.pad: _pad, np.interp: _interp, divmod: _divmod,
    np.divmod: _divmod, np.broadcast_arrays: _broadcast_arrays,
}  # fmt: skip
