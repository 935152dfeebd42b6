"""The graph that tracked values leave behind: what was called with what, and how far `back` came.

    y = W * x       y.tracker  Tracked(ref 0, Call(operator.mul, (W, x)), isleaf False, grad None)
                    W.tracker  Tracked(ref 0, Call(), isleaf True, grad: the sum of all `back`s)

A `TrackedReal` or `TrackedArray` is a light wrapper around its `Tracked`; calls hold the wrappers
of their arguments, so the last result holds all that it was computed from, and nothing else does.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np

from zyg.errors import NotDifferentiable
from zyg.wrapped_values import ATOMS, looking_for

NO_OPTIONS: dict[str, Any] = {}


class Call:
    """A recorded call: the operation, its arguments, and the back function that its rule gave.

    `Call()` is that of a leaf. `call()` computes the result again, of the plain data.

    >>> import operator
    >>> Call(operator.add, (1, 2))
    Call(add, (1, 2))
    >>> Call(operator.add, (1, 2))()
    3
    """

    __slots__ = ("args", "back", "func", "kwargs")

    def __init__(
        self,
        func: Any = None,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] = NO_OPTIONS,
        back: Callable[[Any], Any] | None = None,
    ) -> None:
        self.func = func
        self.args = args
        self.kwargs = kwargs
        self.back = back

    def __call__(self) -> Any:
        if self.func is None:
            raise TypeError("the call of a leaf: nothing was computed")
        return applied(self.func, [plain(arg) for arg in self.args], self.kwargs)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Call):
            return NotImplemented
        return self.func == other.func and _are_same(self.args, other.args)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        if self.back is not None and "<locals>" in self.back.__qualname__:
            raise pickle.PicklingError(
                "a tracked result holds the calls that it was computed by, which are not pickled: "
                "pickle parameters, or tracker.data(x)"
            )
        return Call, (self.func, self.args, self.kwargs, self.back)

    def __repr__(self) -> str:
        args = [inline(arg) for arg in self.args]
        listed = f"({args[0]},)" if len(args) == 1 else f"({', '.join(args)})"
        return f"Call({getattr(self.func, '__name__', self.func)}, {listed})"


def applied(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The plain call of a function, or the attribute that a descriptor reads."""
    return function(*args, **kwargs) if callable(function) else function.__get__(args[0])


def _are_same(a: Any, b: Any) -> bool:
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_are_same, a, b))
    if type(a) in TRACKED or type(b) in TRACKED:
        return a is b
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b))
    return bool(a == b)


class Tracked:
    """One value of the graph.

    `ref` counts the uses that `back` has not come through yet: 0 at rest. `f` is the call that made
    the value; `grad` is the gradient that a leaf has collected. Other values have one only where
    several uses were added up by the last `back`.
    """

    __slots__ = ("__weakref__", "data", "f", "grad", "isleaf", "ref")

    def __init__(self, ref: int, f: Call, isleaf: bool, grad: Any, data: Any = None) -> None:
        self.ref = ref
        self.f = f
        self.isleaf = isleaf
        self.grad = grad
        self.data = data

    def __repr__(self) -> str:
        shown = (self.ref, self.f, self.isleaf, self.data, self.grad)
        return f"Tracked({', '.join(map(str, shown))})"


LEAF = Call()
USED = Call()


class TrackedValue:
    """What the wrappers have in common: a value and its place in the graph."""

    __slots__ = ("data", "tracker")

    data: Any
    tracker: Tracked

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class of the value, so that `isinstance(x, float)` takes the way of plain numbers."""
        return type(self.data)

    @property
    def grad(self) -> Any:
        """The gradient collected so far: zeros at first, for a leaf."""
        return self.tracker.grad

    @grad.setter
    def grad(self, value: Any) -> None:
        self.tracker.grad = value

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if not self.tracker.isleaf:
            raise NotDifferentiable(
                "a deep copy of a tracked result would be cut off from its parameters: use "
                "tracker.param(x) for a value of its own, or tracker.data(x).copy()"
            )
        copied = param(self.data.copy() if isinstance(self.data, np.ndarray) else self.data)
        copied.grad = self.grad + 0
        return copied

    def __reduce__(self) -> Any:
        # Left to itself, pickle would take `__class__` at its word.
        return restored, (type(self), self.data, self.tracker)

    # Comparisons compare data, so only identity is left to be hashed.
    __hash__ = object.__hash__


def restored(cls: Any, data: Any, tracker: Tracked) -> Any:
    """A tracked value from a pickle, or as a copy."""
    x = object.__new__(cls)
    x.data, x.tracker = data, tracker
    return x


class TrackedReal(TrackedValue):
    """A number that remembers how it was computed: `3.0 (tracked)`."""

    __slots__ = ()

    def __init__(self, data: Any, tracker: Tracked) -> None:
        self.data = data
        self.tracker = tracker
        if tracker.data is None:
            tracker.data = data

    def __repr__(self) -> str:
        return f"{self.data} (tracked)"

    def __format__(self, form: str) -> str:
        return format(self.data, form) + " (tracked)"


class TrackedArray(TrackedValue):
    """An array that remembers how it was computed: `Tracked 2x2 Array{float64,2}:`."""

    __slots__ = ()

    def __init__(self, tracker: Tracked, data: Any, grad: Any = None) -> None:
        self.data = data
        self.tracker = tracker
        if tracker.data is None:
            tracker.data = data
        if grad is not None:
            tracker.grad = grad

    def __repr__(self) -> str:
        shape = self.data.shape
        size = f"{shape[0]}-element" if len(shape) == 1 else "x".join(map(str, shape)) or "0-d"
        title = f"Tracked {size} Array{{{self.data.dtype},{len(shape)}}}:"
        return f"{title}\n{np.array2string(self.data, separator=', ')}"


class _OfDimension(type):
    """The type of the arrays of one number of dimensions, for `isinstance`."""

    ndim: int

    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, TrackedArray) and bool(x.data.ndim == cls.ndim)


class TrackedVector(metaclass=_OfDimension):
    """A `TrackedArray` of one dimension."""

    ndim = 1


class TrackedMatrix(metaclass=_OfDimension):
    """A `TrackedArray` of two dimensions."""

    ndim = 2


class TrackedTuple(TrackedValue):
    """The results of a call that has several; what the caller gets are its items, tracked."""

    __slots__ = ()

    def __init__(self, data: Any, tracker: Tracked) -> None:
        self.data = data
        self.tracker = tracker


TRACKED = frozenset([TrackedReal, TrackedArray, TrackedTuple])
# Values without tracking, and the tracked values among values.
plain, tracked_in = looking_for(TRACKED, attrgetter("data"), ATOMS | {slice})


def has_tracked(x: Any) -> bool:
    return next(tracked_in(x), None) is not None


def inline(x: Any) -> str:
    """A value as an argument is shown: `param([5.0, 6.0])`."""
    if isinstance(x, TrackedValue):
        data = x.data.tolist() if isinstance(x.data, np.ndarray) else x.data
        return f"param({data})"
    return str(x) if isinstance(x, (np.ndarray, np.generic)) else repr(x)


# Values


def wrapped(y: Any, call: Call) -> Any:
    """The result of a call, tracked; what has no derivative (an integer, a text) is as it is."""
    cls = type(y)
    if cls is float or cls is np.float64:
        return TrackedReal(y, Tracked(0, call, False, None, y))
    if cls is np.ndarray:
        if y.dtype.kind not in "fc":
            return _refused_objects(y)
        return TrackedArray(Tracked(0, call, False, None, y), y)
    # Not `isinstance`: the values of a tape give themselves out for numbers.
    if issubclass(cls, (complex, np.inexact, float)):
        return TrackedReal(y, Tracked(0, call, False, None, y))
    if isinstance(y, (list, tuple)):
        whole = TrackedTuple(y, Tracked(0, call, False, None, y))
        items = [wrapped(item, component_call(whole, i)) for i, item in enumerate(y)]
        return y._make(items) if hasattr(y, "_make") else type(y)(items)
    if y is None or isinstance(y, (bool, int, str, np.integer, np.bool_, np.dtype, slice, type)):
        return y
    raise NotDifferentiable(
        f"a tracked call gave an object of class {type(y).__name__}, which can't be tracked"
    )


def _refused_objects(y: Any) -> Any:
    if y.dtype.kind == "O":
        raise NotDifferentiable("an array of dtype object can't be tracked: use np.stack")
    return y


def component(whole: Any, index: int) -> Any:
    """One of several results of a call."""
    return plain(whole)[index]


def component_rule(whole: Any, index: int) -> Any:
    """The cotangent of several results where one of them has one, and the others none."""
    values = plain(whole)

    def back(bar: Any) -> Any:
        return [bar if i == index else None for i in range(len(values))], None

    return values[index], back


def component_call(whole: TrackedTuple, index: int) -> Call:
    return Call(component, (whole, index), back=component_rule(whole, index)[1])


def param(x: Any) -> Any:
    """A leaf: a number or an array whose gradient is to be collected; always of floats.

    What is tracked already stays connected to what it was computed from.

    >>> param([5, 6])
    Tracked 2-element Array{float64,1}:
    [5., 6.]
    >>> param(3)
    3.0 (tracked)
    """
    if isinstance(x, TrackedValue):
        return same(x)
    if isinstance(x, (list, tuple, np.ndarray)):
        array = x if isinstance(x, np.ndarray) else np.array(x)
        if type(array) is not np.ndarray or array.dtype.kind not in "biufc":
            raise NotDifferentiable(f"a parameter is a number or an array of them, not {x!r}")
        data = array if array.dtype.kind in "fc" else array.astype(float)
        return TrackedArray(Tracked(0, LEAF, True, np.zeros_like(data), data), data)
    if isinstance(x, (int, float, complex, np.number)):
        number = x if isinstance(x, (complex, np.inexact)) else float(x)
        return TrackedReal(number, Tracked(0, LEAF, True, type(number)(0), number))
    raise NotDifferentiable(
        f"a parameter is a number or an array of them, not a {type(x).__name__}"
    )


def identity(x: Any) -> Any:
    return x


def identity_rule(x: Any) -> Any:
    return plain(x), lambda bar: (bar,)


def same(x: TrackedValue) -> Any:
    """A tracked value with the same data, whose uses are told apart from those of `x`."""
    return wrapped(x.data, Call(identity, (x,), back=identity_rule(x)[1]))


def data(x: Any) -> Any:
    """The plain value of a tracked one; any other value is its own.

    >>> data(param([5, 6]))
    array([5., 6.])
    """
    return x.data if isinstance(x, TrackedValue) else plain(x)


def grad(x: Any) -> Any:
    """The gradient that a tracked value has collected; None for any other value."""
    return x.tracker.grad if isinstance(x, TrackedValue) else None


def istracked(x: object) -> bool:
    return isinstance(x, TrackedValue)


