"""Python's operators, NumPy's protocols and the methods of arrays, for tracked values.

    W * x                operator.mul          np.sin(W)    np.sin, by __array_ufunc__
    W.sum(axis=0)        np.ndarray.sum        np.dot(a, W) np.dot, by __array_function__

each through its rule. What would give a plain value in place of a tracked one raises: `float(x)`,
`np.asarray(x)`, writing in place.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from zyg.errors import NotDifferentiable
from zyg.pruning import without
from zyg.rebinding import caller_in_scipy
from zyg.rules.registry import method_of_ufunc
from zyg.tracker.graph import (
    TRACKED,
    Call,
    TrackedArray,
    TrackedReal,
    TrackedValue,
    plain,
    tracked_in,
    wrapped,
)
from zyg.tracker.recording import REBINDING, call, known, name_of

OPERANDS = (int, float, complex, np.ndarray, np.generic, TrackedValue)


def is_operand(x: Any) -> bool:
    """Whether an operator may take it: classes of the user's that derive from tuples have
    operators of their own, and the wrappers of other systems give themselves out for numbers."""
    cls = type(x)
    return issubclass(cls, OPERANDS) or cls is list or cls is tuple


def binary(function: Any) -> Callable[[Any, Any], Any]:
    """The method `x.__add__(y)` of `operator.add`."""

    def operate(self: Any, other: Any) -> Any:
        cls = type(other)
        if cls in TRACKED:
            y = other.data
        elif is_operand(other):
            y = other
        else:
            return NotImplemented
        rule = known(function).rule
        if rule is None or cls is list or cls is tuple:
            return call(function, (self, other))
        if cls is np.ndarray:
            rule = without(rule, (1,))
        z, back = rule(self.data, y)
        return wrapped(z, Call(function, (self, other), back=back))

    return operate


def reflected(function: Any) -> Callable[[Any, Any], Any]:
    """The method `x.__radd__(y)` of `operator.add`."""

    def operate(self: Any, other: Any) -> Any:
        if not is_operand(other):
            return NotImplemented
        rule = known(function).rule
        if rule is None or isinstance(other, (list, tuple)):
            return call(function, (other, self))
        if type(other) is np.ndarray:
            rule = without(rule, (0,))
        z, back = rule(other, self.data)
        return wrapped(z, Call(function, (other, self), back=back))

    return operate


def unary(function: Any) -> Callable[[Any], Any]:
    return lambda self: call(function, (self,))


def compared(function: Any) -> Callable[[Any, Any], Any]:
    """Comparisons are plain: they have no derivative."""
    return lambda self, other: function(self.data, plain(other))


BINARY: dict[str, Any] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow,
    "matmul": operator.matmul, "divmod": divmod,
}  # fmt: skip
UNARY: dict[str, Any] = {"neg": operator.neg, "pos": operator.pos, "abs": operator.abs}
COMPARISONS: dict[str, Any] = {
    name: getattr(operator, name) for name in ("lt", "le", "eq", "ne", "gt", "ge")
}
IN_PLACE = "add sub mul truediv floordiv mod pow matmul".split()


# NumPy's protocols

REDUCTIONS = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min}
CUMULATIONS = {np.add: np.cumsum, np.multiply: np.cumprod}


def array_ufunc(self: Any, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
    """`np.sin(x)`, `np.add.reduce(x)` and what plain arrays and NumPy's scalars do with `x`."""
    out = kwargs.pop("out", None)
    if out is not None:
        raise in_place(f"np.{ufunc.__name__}(..., out=...)")
    if method == "__call__":
        return call(ufunc, args, kwargs)
    if method == "reduce" and ufunc in REDUCTIONS:
        axis = args[1] if len(args) > 1 else kwargs.pop("axis", 0)
        return call(REDUCTIONS[ufunc], args[:1], {"axis": axis, **kwargs})
    if method == "accumulate" and ufunc in CUMULATIONS:
        axis = args[1] if len(args) > 1 else kwargs.pop("axis", 0)
        return call(CUMULATIONS[ufunc], args[:1], {"axis": axis, **kwargs})
    if method == "outer" and len(args) == 2:
        a, b = args
        return call(ufunc, (np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b), kwargs)
    if known(ufunc).is_constant:
        return getattr(ufunc, method)(*map(plain, args), **plain(kwargs))
    code = method_of_ufunc(ufunc, method) if method != "at" else None
    if code is not None:
        return REBINDING.rebound(code)(ufunc, *args, **kwargs)
    raise NotDifferentiable(
        f"np.{ufunc.__name__}.{method} has no rule for tracked values; call the function that "
        "it stands for"
    )


def array_function(self: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """`np.sum(x)`, `np.concatenate([x, y])` and NumPy's other functions of arrays."""
    if kwargs.get("out") is not None:
        raise in_place(f"{name_of(function)}(..., out=...)")
    kwargs.pop("out", None)
    return call(function, args, kwargs)


def to_array(self: Any, dtype: Any = None, copy: Any = None) -> Any:
    """`np.asarray(x)` would be untracked, and raises."""
    refuse_conversion(self, "np.asarray(x), or storing x in a plain array,")
    return np.array(self.data, dtype)


def to_float(self: Any) -> float:
    refuse_conversion(self, "float(x), or a function that calls it, as those of `math` do,")
    return float(self.data)


def to_complex(self: Any) -> complex:
    refuse_conversion(self, "complex(x)")
    return complex(self.data)


def refuse_conversion(x: TrackedValue, what: str) -> None:
    """Raises, unless nothing tracked went into `x`, as into the results of `gradient`."""
    tracker = x.tracker
    if tracker.isleaf or any(True for _ in tracked_in(tracker.f.args)):
        caller = caller_in_scipy()
        if caller:
            raise NotDifferentiable(
                f"{what.partition(', or')[0]}, which {caller} of SciPy calls, would drop the "
                f"gradient: call it by tracker.track({caller}, ...)"
            )
        raise NotDifferentiable(
            f"{what} would give a plain number, and drop the gradient: use the functions of NumPy "
            "on x itself (np.stack for arrays of tracked numbers), tracker.track(f, x) for other "
            "functions with a rule, or tracker.data(x) where no gradient is wanted"
        )


def in_place(what: str) -> NotDifferentiable:
    return NotDifferentiable(
        f"Can't differentiate `{what}`: tracked values are not written in place; compute a new "
        "value (np.where, np.concatenate, x = x + y)"
    )


def refused(what: str) -> Callable[..., Any]:
    def refuse(self: Any, *args: Any) -> Any:
        raise in_place(what)

    return refuse


# Attributes and methods

CHANGES = "fill itemset partition put resize setfield setflags sort byteswap".split()
STORED = "real imag shape flat dtype strides".split()


def attribute(self: Any, name: str) -> Any:
    """`x.T`, `x.shape`, `x.sum`: by the rule of the attribute or method of plain values."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name in CHANGES:
        raise in_place(f"x.{name}(...)")
    descriptor = getattr(type(self.data), name)
    entry = known(descriptor)
    if entry.is_constant:
        return getattr(self.data, name)
    if callable(descriptor):
        return functools.partial(_call_method, descriptor, self)
    return call(descriptor, (self,))


def _call_method(descriptor: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    if kwargs.get("out") is not None:
        raise in_place(f"x.{descriptor.__name__}(..., out=...)")
    return call(descriptor, (self, *args), kwargs)


def items(self: Any) -> Iterator[Any]:
    """The items of an array, as iterating over it gives them."""
    if self.data.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    for i in range(len(self.data)):
        yield self[i]


def item(self: Any, index: Any) -> Any:
    if any(True for _ in tracked_in(index)):
        index = plain(index)
    return call(operator.getitem, (self, index))


def item_of_number(self: Any, index: Any) -> Any:
    """`x[()]` of a number of NumPy's, which is the number."""
    if not isinstance(self.data, np.generic):
        raise TypeError(f"'{type(self.data).__name__}' object is not subscriptable")
    return self if type(index) is tuple and not index else item(self, index)


def define() -> None:
    """Gives both types of tracked values their operators."""
    for cls in (TrackedReal, TrackedArray):
        for name, function in BINARY.items():
            setattr(cls, f"__{name}__", binary(function))
            setattr(cls, f"__r{name}__", reflected(function))
        for name, function in UNARY.items():
            setattr(cls, f"__{name}__", unary(function))
        for name, function in COMPARISONS.items():
            setattr(cls, f"__{name}__", compared(function))
        for name, function in METHODS.items():
            setattr(cls, name, function)
    for name, function in ARRAY_METHODS.items():
        setattr(TrackedArray, name, function)
    for name, function in REAL_METHODS.items():
        setattr(TrackedReal, name, function)


METHODS: dict[str, Any] = {
    "__array_ufunc__": array_ufunc,
    "__array_function__": array_function,
    "__array__": to_array,
    "__float__": to_float,
    "__complex__": to_complex,
    "__int__": lambda self: int(self.data),
    "__bool__": lambda self: bool(self.data),
    "__getattr__": attribute,
}
ARRAY_METHODS: dict[str, Any] = {
    "__getitem__": item,
    "__setitem__": refused("x[i] = v"),
    "__delitem__": refused("del x[i]"),
    "__len__": lambda self: len(self.data),
    "__iter__": items,
    "__contains__": lambda self, value: plain(value) in self.data,
    **{f"__i{name}__": refused(f"operator.i{name}(x, y)") for name in IN_PLACE},
    **{
        name: property(functools.partial(attribute, name=name), refused(f"x.{name} = v"))
        for name in STORED
    },
}
REAL_METHODS: dict[str, Any] = {
    "__getitem__": item_of_number,
    "__iter__": None,
    "__contains__": None,
    "__round__": lambda self, digits=None: round(self.data, digits),
    "__trunc__": lambda self: math.trunc(self.data),
    "__floor__": lambda self: math.floor(self.data),
    "__ceil__": lambda self: math.ceil(self.data),
}
