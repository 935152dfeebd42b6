"""What a call's results depend on, from what its arguments depend on.

    x * y                   number by number, the union of both sets; pairs of one of x and one of y
    np.sum(x, axis=0)       the unions over the axis
    np.reshape(x, (2, 3))   the same call on the array of sets
    np.linalg.solve(a, b)   each number of the result depends on all of a and b

The last is what holds for every function that isn't known better: never less than the truth. For
second derivatives the pairs of indices are noted that an operation brings together in a product:
none for linear operations, those of one operand with the other for bilinear ones, all else.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from zyg.errors import NotDifferentiable
from zyg.rules import registry
from zyg.sparsity import structure
from zyg.sparsity.index_sets import (
    EMPTY,
    IndexSet,
    SetArray,
    boxed,
    filled,
    union,
    union_along,
    union_of,
    union_of_arrays,
)
from zyg.sparsity.traced import Traced, holds_traced, plain, traced_in

# Of one number for each, without or with second derivatives.
LINEAR = {
    operator.add, operator.sub, operator.neg, operator.pos, operator.abs, abs,
    np.add, np.subtract, np.negative, np.positive, np.conjugate, np.absolute, np.fabs, np.maximum,
    np.minimum, np.fmax, np.fmin, np.deg2rad, np.rad2deg, np.degrees, np.radians, np.where, np.clip,
    np.interp, np.ndarray.clip, np.real, np.nan_to_num, math.fabs, math.radians, math.degrees,
    float, np.ndarray.conj, np.ndarray.conjugate,
}  # fmt: skip
LENGTHS = {operator.abs, abs, np.absolute}  # of complex numbers
PRODUCTS = {operator.mul, np.multiply}
QUOTIENTS = {operator.truediv, np.divide}
POWERS = {operator.pow, pow, np.power, np.float_power, math.pow}
CONTRACTIONS = {operator.matmul, np.matmul, np.dot, np.ndarray.dot, np.inner, np.vdot}
ELEMENTWISE = (
    LINEAR | PRODUCTS | QUOTIENTS | POWERS | {operator.floordiv, operator.mod, np.sinc, np.i0}
)
LINEAR_REDUCTIONS = {
    np.sum, np.mean, np.max, np.min, np.nansum, np.nanmean, np.nanmax, np.nanmin, np.ptp,
    np.ndarray.sum, np.ndarray.mean, np.ndarray.max, np.ndarray.min,
}  # fmt: skip
REDUCTIONS = LINEAR_REDUCTIONS | {
    np.prod, np.var, np.std, np.nanprod, np.nanvar, np.nanstd,
    np.ndarray.prod, np.ndarray.var, np.ndarray.std, np.linalg.norm, np.median, np.nanmedian,
}  # fmt: skip
AXIS_AT = {np.linalg.norm: 2}
LINEAR_SUMS = {np.cumsum, np.ndarray.cumsum}
CUMULATIVE = LINEAR_SUMS | {np.cumprod, np.ndarray.cumprod}
OF_UFUNCS = {
    (np.add, "reduce"): np.sum, (np.multiply, "reduce"): np.prod, (np.maximum, "reduce"): np.max,
    (np.minimum, "reduce"): np.min, (np.add, "accumulate"): np.cumsum,
    (np.multiply, "accumulate"): np.cumprod,
}  # fmt: skip
# What makes arrays that a program may store into.
NEW_ARRAYS = {
    np.zeros, np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like, np.full_like,
}  # fmt: skip
CONVERSIONS = {np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray}
# What writes into its first argument, and isn't followed.
CHANGES = {
    *(np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal, np.ndarray.put),
    *(np.ndarray.sort, np.ndarray.partition, np.ndarray.resize, np.ndarray.setfield),
    *(np.ndarray.setflags, np.ndarray.byteswap, np.ndarray.itemset if hasattr(
        np.ndarray, "itemset") else np.ndarray.put),
}  # fmt: skip
_PYTHON = frozenset(["builtins", "_operator"])
_LARGEST_PRODUCT = 10**6
_REDUCTION_OPTIONS = {"axis", "keepdims", "dtype", "ddof", "where", "ord"}


class Run:
    """One run of a program on index sets: what it was refused, and the pairs that products made."""

    def __init__(self) -> None:
        self.pairs: set[tuple[IndexSet, IndexSet]] = set()
        self.refusal: NotDifferentiable | None = None
        self.rebound: Callable[[Any], Any] = lambda function: function

    def refused(self, message: str) -> NotDifferentiable:
        error = NotDifferentiable(f"{message}; give the pattern: sparsity=pattern")
        if self.refusal is None:
            self.refusal = error
        return error

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call, traced."""
        if kwargs and kwargs.get("out") is not None:
            return self._into(function, args, kwargs)
        way = _WAYS.get(function)
        if way is None:
            if isinstance(function, np.ufunc) and function.signature is None and function.nout == 1:
                way = Run.elementwise
            elif structure.moves_numbers(function):
                way = Run.moved
            else:
                way = Run._other
        return way(self, function, args, kwargs)

    def _other(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A function that isn't in the tables here: one that is a constant, or Python code."""
        if registry.is_constant(function):
            return function(*plain(args), **plain(kwargs))
        if getattr(function, "__module__", None) in _PYTHON and not isinstance(function, type):
            return function(*args, **kwargs)  # by operators of traced values
        found = registry.substitute_of(function)
        if found is not None:
            return self.rebound(found)(*args, **kwargs)
        return self.dense(function, args, kwargs)

    def _substituted(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return structure.SUBSTITUTES[function](*args, **kwargs)

    def _refused_change(self, function: Any, args: Any, kwargs: Any) -> Any:
        raise self.refused(f"`{_name(function)}` writes into its argument")

    # Second derivatives

    def brings_together(self, a: Any, b: Any) -> None:
        """Notes that numbers depend on products of what is in `a` and in `b`, number by number."""
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            left, right = np.broadcast_arrays(boxed(a), boxed(b))
            self.pairs.update(zip(left.ravel().tolist(), right.ravel().tolist(), strict=True))
        elif a and b:
            self.pairs.add((a, b))

    # Kinds of calls

    def of_numbers(self, function: Any, x: Any, y: Any) -> Any:
        """The result of an operator on two numbers: what loops over numbers spend their time on."""
        if function is divmod:
            return self.call(function, (x, y), {})
        if type(x) is not Traced:
            value, sets = function(x, y.value), y.sets
        elif type(y) is not Traced:
            value, sets = function(x.value, y), x.sets
        else:
            value, sets = function(x.value, y.value), union(x.sets, y.sets)
        if function is operator.floordiv or not _is_inexact(value):
            return value
        if function not in LINEAR:
            self._note_products(function, (x, y), sets)
        return Traced(value, sets, self)

    def elementwise(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if getattr(function, "__module__", None) in _PYTHON and not any(
            type(x) is Traced for x in args
        ):
            return function(*args, **kwargs)  # lists
        value = function(*[plain(x) for x in args], **plain(kwargs))
        if registry.is_constant(function) or not _is_inexact(value):
            return value
        args = tuple(
            [self._converted(np.array, (x,), {}) if type(x) in (list, tuple) else x for x in args]
        )
        given = [x.sets for x in args if type(x) is Traced]
        given += [x.sets for x in kwargs.values() if type(x) is Traced]
        sets = given[0]
        for more in given[1:]:
            sets = _united(sets, more)
        is_length = function in LENGTHS and any(np.iscomplexobj(plain(x)) for x in args)
        if function not in LINEAR or is_length:
            self._note_products(function, args, sets)
        if not isinstance(value, np.ndarray):
            return Traced(value, boxed(sets).item(), self)
        if value.base is not None or any(type(x) is Traced and value is x.value for x in args):
            value = value.copy()  # `np.real` of real numbers: what is stored would be lost
            value.flags.writeable = False
        return self._of_array(value, np.array(np.broadcast_to(boxed(sets), value.shape)))

    def _note_products(self, function: Any, args: tuple[Any, ...], sets: Any) -> None:
        """What an elementwise operation that isn't linear brings together."""
        if function in PRODUCTS and len(args) == 2:
            if type(args[0]) is type(args[1]) is Traced:
                self.brings_together(args[0].sets, args[1].sets)
        elif function in QUOTIENTS and len(args) == 2:
            if type(args[1]) is Traced:
                self.brings_together(sets, args[1].sets)
        elif not (function in POWERS and len(args) == 2 and _is_one(args[1])):
            self.brings_together(sets, sets)

    def _reduced(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        x, *rest = args
        if type(x) in (list, tuple):
            x = self._converted(np.array, (x,), {})
        if type(x) is not Traced or len(rest) > 2 or holds_traced((rest, kwargs)) or (
            not kwargs.keys() <= _REDUCTION_OPTIONS
        ):
            return self.dense(function, args, kwargs)
        args = (x, *rest)
        value = function(*plain(args), **kwargs)
        if not _is_inexact(value):
            return value
        place = AXIS_AT.get(function, 1)
        axis = args[place] if len(args) > place else kwargs.get("axis")
        sets = union_along(boxed(x.sets), axis, bool(kwargs.get("keepdims", False)))
        if function not in LINEAR_REDUCTIONS:
            self.brings_together(sets, sets)
        return self._of_array(value, sets)

    def _accumulated(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        x = args[0]
        if type(x) is not Traced or len(args) > 2 or "dtype" in kwargs:
            return self.dense(function, args, kwargs)
        value = function(*args_of(args), **kwargs)
        axis = args[1] if len(args) > 1 else kwargs.get("axis")
        sets = boxed(x.sets)
        sets = sets.ravel() if axis is None else sets
        rows = np.moveaxis(np.array(sets), 0 if axis is None else axis, 0)
        for i in range(1, len(rows)):
            rows[i] = _united(rows[i - 1], rows[i])
        sets = np.moveaxis(rows, 0, 0 if axis is None else axis)
        if function not in LINEAR_SUMS:
            self.brings_together(sets, sets)
        return self._of_array(value, sets)

    def moved(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call itself, on values and on sets."""
        if holds_traced(kwargs):
            return self.dense(function, args, kwargs)
        value = structure.called(function, args_of(args), plain(kwargs))
        if not _holds_inexact(value):
            return value
        sets = structure.sets_of(function, args)
        options = {name: x for name, x in kwargs.items() if name not in ("dtype", "casting")}
        moved = structure.called(structure.of_arrays(function), sets, options)
        return self._beside(value, moved)

    def _beside(self, value: Any, sets: Any) -> Any:
        """Values and the sets that have come out beside them, in lists or alone."""
        if isinstance(value, (list, tuple)):
            return [self._beside(v, s) for v, s in zip(value, sets, strict=True)]
        return self._view(value, sets)

    def _view(self, value: Any, sets: Any) -> Any:
        """A result that is a view of the argument, in both, or else a copy of both."""
        if not isinstance(value, np.ndarray):
            return Traced(value, boxed(sets).item(), self)
        sets = structure.cleaned(boxed(sets))
        if value.base is None:
            sets = np.array(sets) if sets.base is not None else sets
            return self._of_array(value, sets)
        if sets.base is None:  # a view and a copy: what is stored would be lost
            value = value.copy()
            value.flags.writeable = False
        return Traced(value, sets, self)

    def _contracted(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Products of vectors and matrices, sums of products of numbers."""
        if kwargs or len(args) != 2:
            return self.dense(function, args, kwargs)
        values = [np.asarray(x) for x in args_of(args)]
        a, b = values
        value = function(*args_of(args))
        is_plain = a.ndim <= 2 and b.ndim <= 2 and min(a.ndim, b.ndim) > 0
        if function is np.vdot or (function is np.inner and not a.ndim == b.ndim == 1):
            is_plain = function is np.vdot and a.ndim == b.ndim == 1
        size = a.size * (b.shape[1] if b.ndim == 2 else 1)
        if not is_plain or size > _LARGEST_PRODUCT:
            return self.dense(function, args, {})
        left, right = (_factor_sets(x) for x in args)
        if a.ndim == 1:
            left = left[None, :]
        if b.ndim == 1:
            right = right[:, None]
        # A number of the plain factor that is zero brings nothing in.
        products = [self._row_products(row, right, args) for row in left]
        sets = np.empty((left.shape[0], right.shape[1]), object)
        for i, row in enumerate(products):
            sets[i, :] = row
        return self._of_array(value, sets.reshape(np.shape(value)))

    def _row_products(self, row: SetArray, right: SetArray, args: tuple[Any, ...]) -> SetArray:
        """The sets of one row of a matrix product; None stands for a zero of a plain factor."""
        found = np.empty(right.shape[1], object)
        places = [k for k, part in enumerate(row.tolist()) if part is not None]
        is_both = type(args[0]) is type(args[1]) is Traced
        for j in range(right.shape[1]):
            column = right[:, j].tolist()
            pairs = [(row[k], column[k]) for k in places if column[k] is not None]
            found[j] = union_of([part for pair in pairs for part in pair])
            if is_both:
                self.pairs.update(pairs)
        return found

    def dense(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of which nothing is known: all that it gives depends on all that it was given."""
        values = _protected(plain(args)), _protected(plain(kwargs))
        try:
            value = function(*values[0], **values[1]) if callable(function) else (
                function.__get__(values[0][0])
            )
        except ValueError as error:
            if "read-only" in str(error):
                raise self.refused(f"`{_name(function)}` writes into its argument") from error
            raise
        whole = union_of(
            part for x in traced_in((args, kwargs)) for part in boxed(x.sets).ravel().tolist()
        )
        if not registry.is_constant(function):
            self.brings_together(whole, whole)
        return self._all_of(value, whole, function)

    def _all_of(self, value: Any, whole: IndexSet, function: Any) -> Any:
        if _is_inexact(value):
            if not isinstance(value, np.ndarray):
                return Traced(value, whole, self)
            can_write = value.flags.writeable
            value = np.array(value)
            value.flags.writeable = can_write  # else it may be a view of an argument
            return Traced(value, filled(value.shape, whole), self)
        if isinstance(value, (list, tuple)):
            items = [self._all_of(item, whole, function) for item in value]
            return value._make(items) if hasattr(value, "_make") else type(value)(items)
        if isinstance(value, (int, str, np.integer, np.bool_, np.dtype, type(None))) or (
            isinstance(value, np.ndarray) and value.dtype.kind in "biu"
        ):
            return value
        raise self.refused(f"`{_name(function)}` gave an object of class {type(value).__name__}")

    def _new_array(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        value = function(*plain(args), **plain(kwargs))
        if value.dtype.kind not in "fc":
            return value
        if function in (np.full, np.full_like):
            given = args[1] if len(args) > 1 else kwargs.get("fill_value")
            if type(given) in (list, tuple):
                given = self._converted(np.array, (given,), {})
            sets = boxed(given.sets if type(given) is Traced else EMPTY)
            return Traced(value, np.array(np.broadcast_to(sets, value.shape)), self)
        return self._of_array(value, filled(value.shape))

    def _converted(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        x = args[0]
        value = function(plain(x), *plain(args[1:]), **plain(kwargs))
        if value.dtype.kind not in "fc":
            if value.dtype.kind in "OV" and holds_traced(x):
                raise self.refused(f"an array of dtype {value.dtype} is made of numbers")
            return value
        if type(x) is Traced:
            sets = boxed(x.sets)
            if value is x.value:
                return x
            if value.ndim != sets.ndim:
                sets = sets.reshape(value.shape)
            return self._of_array(value, np.array(sets))
        sets = filled(value.shape)
        structure.fill(sets, x)
        return self._of_array(value, sets)

    def _into(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call with `out=`, which must be an array that is traced."""
        out = kwargs.pop("out")
        target = out[0] if isinstance(out, tuple) else out
        if type(target) is not Traced:
            if not holds_traced((args, kwargs)):
                return function(*args, out=out, **kwargs)
            raise self.refused("an array of another function is written into, by `out=`")
        if "where" in kwargs:
            raise self.refused("`out=` with `where=` isn't followed")
        found = self.call(function, args, kwargs)
        target[...] = found
        return target

    def _of_array(self, value: Any, sets: SetArray) -> Any:
        """A new value, with sets in the same layout of memory: views of both stay alike."""
        if not isinstance(value, np.ndarray):
            return Traced(value, boxed(sets).item(), self)
        if not value.flags.c_contiguous:
            value = value.copy()
        if not sets.flags.c_contiguous or sets.base is not None:
            sets = sets.copy()
        return Traced(value, sets, self)

    # Methods

    def ufunc(self, ufunc: Any, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if method == "__call__":
            if len(args) > ufunc.nin:
                kwargs = {"out": args[ufunc.nin :], **kwargs}
            return self.call(ufunc, args[: ufunc.nin], kwargs)
        if method == "outer" and len(args) == 2:
            a, b = args
            return self.call(ufunc, (np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b), kwargs)
        if method == "at":
            return self._at(ufunc, *args)
        function = OF_UFUNCS.get((ufunc, method))
        if function is not None and len(args) <= 2:
            axis = args[1] if len(args) > 1 else kwargs.pop("axis", 0)
            return self.call(function, args[:1], {"axis": axis, **kwargs})
        return self.call(getattr(ufunc, method), args, kwargs)

    def _at(self, ufunc: Any, target: Any, index: Any, *more: Any) -> None:
        if type(target) is not Traced or ufunc not in (np.add, np.subtract):
            raise self.refused(f"np.{ufunc.__name__}.at isn't followed here")
        (item,) = more
        ufunc.at(target.value, plain(index), plain(item))
        sets = boxed(item.sets if type(item) is Traced else EMPTY)
        union_of_arrays.at(target.sets, plain(index), sets)

    def attribute(self, x: Traced, name: str) -> Any:
        """`x.T`, `x.shape`, `x.sum`."""
        descriptor = getattr(type(x.value), name)
        if name in structure.PLAIN_ATTRIBUTES:
            return getattr(x.value, name)
        if name in ("real", "imag") and np.isrealobj(x.value):
            return x if name == "real" else np.zeros_like(x.value)[()]
        if name == "flat":
            raise self.refused("`x.flat` isn't followed")
        if name == "fill":
            return functools.partial(x.__setitem__, ...)
        if name in structure.NAMES and isinstance(x.value, np.ndarray):
            function = getattr(np, name)
            return lambda *args, **kwargs: self.call(function, (x, *args), kwargs)
        if callable(descriptor):
            return lambda *args, **kwargs: self.call(descriptor, (x, *args), kwargs)
        return self.call(descriptor, (x,), {})


def args_of(args: tuple[Any, ...]) -> list[Any]:
    return [plain(x) for x in args]


def _united(a: Any, b: Any) -> Any:
    """The unions of sets or arrays of them."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return boxed(union_of_arrays(a, boxed(b)))
    return union(a, b)


def _factor_sets(x: Any) -> SetArray:
    """The sets of a factor; None for the zeros of one that depends on nothing."""
    if type(x) is Traced:
        return boxed(x.sets)
    value = np.asarray(plain(x))
    found = filled(value.shape)
    found[value == 0] = None
    return found


def _is_inexact(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fc"
    return isinstance(value, (float, complex, np.inexact))


def _holds_inexact(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_holds_inexact, value))
    return _is_inexact(value)


def _is_one(x: Any) -> bool:
    return type(x) is not Traced and np.ndim(x) == 0 and bool(x == 1)


def _protected(x: Any) -> Any:
    """Arguments whose arrays can't be written into."""
    if isinstance(x, np.ndarray):
        view = x.view()
        view.flags.writeable = False
        return view
    if type(x) in (list, tuple):
        return type(x)(map(_protected, x))
    if type(x) is dict:
        return {key: _protected(item) for key, item in x.items()}
    return x


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", function))


_WAYS: dict[Any, Callable[..., Any]] = {
    **dict.fromkeys(ELEMENTWISE, Run.elementwise),
    **dict.fromkeys(REDUCTIONS, Run._reduced),
    **dict.fromkeys(CUMULATIVE, Run._accumulated),
    **dict.fromkeys(CONTRACTIONS, Run._contracted),
    **dict.fromkeys(NEW_ARRAYS, Run._new_array),
    **dict.fromkeys(CONVERSIONS, Run._converted),
    **dict.fromkeys(CHANGES, Run._refused_change),
    **dict.fromkeys(structure.SUBSTITUTES, Run._substituted),
}
