"""Python's operators, NumPy's protocols and the methods of arrays, for values of a tape.

    1 - y               operator.sub         Node #2 { op=subtract input=[Const(1), #1] }
    np.sin(x)           np.sin, by __array_ufunc__
    x.sum(axis=0)       np.ndarray.sum
    if x > 0:           operator.gt, a node; that it was true is assumed by what follows

What would give a plain value in place of one on the tape raises where a gradient would be lost,
and is assumed where only its value matters: an index, a count, a condition.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from zyg.errors import NotDifferentiable
from zyg.rebinding import caller_in_scipy
from zyg.rules.registry import method_of_ufunc
from zyg.tape.primitives import is_flat, known, name_of
from zyg.tape.recording import (
    NUMBERS,
    REBINDING,
    call,
    found_again,
    is_unsteady_power,
    note_failure,
    noted,
    recorded,
)
from zyg.tape.wengert import mixed
from zyg.tape.wrappers import WRAPPERS, ArrayWrapper, RealWrapper, Wrapper, wrappers_in

OPERANDS = (int, float, complex, np.ndarray, np.generic, Wrapper)


def is_operand(x: Any) -> bool:
    """Whether an operator may take it: classes of the user's that derive from tuples have
    operators of their own, and the wrappers of other systems give themselves out for numbers."""
    cls = type(x)
    return issubclass(cls, OPERANDS) or cls is list or cls is tuple


def binary(function: Any) -> Callable[[Any, Any], Any]:
    """The method `x.__add__(y)` of `operator.add`."""
    is_power = function is operator.pow

    def operate(self: Any, other: Any) -> Any:
        cls = type(other)
        tape = self.tape
        if cls in WRAPPERS:
            value, parent = other.val, other.idx
            if other.tape is not tape:
                raise tape.refused(mixed())
        elif cls in NUMBERS:
            if tape.known is not None and changes_nothing(function, self.val, other):
                return self
            value, parent = other, tape.constant(other)
        elif is_operand(other):
            return call(function, (self, other))
        else:
            return NotImplemented
        if is_power and is_unsteady_power(self, other):
            return call(function, (self, other))
        return computed(tape, function, self.val, value, (self.idx, parent))

    return operate


def reflected(function: Any) -> Callable[[Any, Any], Any]:
    """The method `x.__radd__(y)` of `operator.add`."""
    is_product, is_power = function is operator.mul, function is operator.pow

    def operate(self: Any, other: Any) -> Any:
        if type(other) not in NUMBERS or is_power:
            return call(function, (other, self)) if is_operand(other) else NotImplemented
        tape = self.tape
        if is_product and tape.known is not None and changes_nothing(function, self.val, other):
            return self
        return computed(tape, function, other, self.val, (tape.constant(other), self.idx))

    return operate


def changes_nothing(function: Any, x: Any, other: Any) -> bool:
    """Whether an operation of an adjoint gives `x`: `1.0 * x`, as of the seed, and `x ** 1`."""
    if function is operator.mul:
        return type(other) is float and other == 1.0 and np.result_type(x).kind in "fc"
    if function is operator.pow:
        return type(other) is int and other == 1 and np.result_type(x).kind in "fc"
    return False


def computed(tape: Any, function: Any, x: Any, y: Any, parents: tuple[int, int]) -> Any:
    """The result of an operator, which has no options, on plain operands."""
    if tape.known is not None:
        found = found_again(tape, function, parents, None)
        if found is not None:
            return found
    back = None
    try:
        rule = None if tape.backs is None else known(function).rule
        if rule is None:
            value = function(x, y)
        else:
            value, back = rule(x, y)
    except Exception as error:
        note_failure(tape, function, parents, None, error)
        raise
    if back is not None:
        tape.backs[len(tape)] = back
    if type(value) is float:
        return RealWrapper(value, tape, noted(tape, value, function, parents, None))
    return recorded(tape, value, function, parents)


def unary(function: Any) -> Callable[[Any], Any]:
    return lambda self: call(function, (self,))


BINARY: dict[str, Any] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow,
    "matmul": operator.matmul, "divmod": divmod, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor, "lshift": operator.lshift, "rshift": operator.rshift,
}  # fmt: skip
UNARY: dict[str, Any] = {
    "neg": operator.neg, "pos": operator.pos, "abs": operator.abs, "invert": operator.invert,
}  # fmt: skip
COMPARISONS: dict[str, Any] = {
    name: getattr(operator, name) for name in ("lt", "le", "eq", "ne", "gt", "ge")
}
IN_PLACE = "add sub mul truediv floordiv mod pow matmul and or xor".split()


# NumPy's protocols

REDUCTIONS: dict[tuple[str, np.ufunc], Any] = {
    ("reduce", np.add): np.sum, ("reduce", np.multiply): np.prod,
    ("reduce", np.maximum): np.max, ("reduce", np.minimum): np.min,
    ("reduce", np.logical_and): np.all, ("reduce", np.logical_or): np.any,
    ("accumulate", np.add): np.cumsum, ("accumulate", np.multiply): np.cumprod,
}  # fmt: skip


def array_ufunc(self: Any, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
    """`np.sin(x)`, `np.add.reduce(x)` and what plain arrays and NumPy's scalars do with `x`."""
    if kwargs.pop("out", None) is not None:
        raise in_place(wrappers_in((args, self)), f"np.{ufunc.__name__}(..., out=...)")
    if method == "__call__":
        return call(ufunc, args, kwargs)
    if (method, ufunc) in REDUCTIONS:
        axis = args[1] if len(args) > 1 else kwargs.pop("axis", 0)
        return call(REDUCTIONS[method, ufunc], args[:1], {"axis": axis, **kwargs})
    if method == "outer" and len(args) == 2:
        a, b = args
        return call(ufunc, (np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b), kwargs)
    code = method_of_ufunc(ufunc, method) if method != "at" else None
    if code is not None:
        return REBINDING.rebound(code)(ufunc, *args, **kwargs)
    raise refused_by(
        wrappers_in((args, self)),
        f"np.{ufunc.__name__}.{method} has no rule for values of a tape; call the function that "
        "it stands for"
    )


def array_function(self: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """`np.sum(x)`, `np.concatenate([x, y])` and NumPy's other functions of arrays."""
    if kwargs.get("out") is not None:
        raise in_place(wrappers_in((args, kwargs)), f"{name_of(function)}(..., out=...)")
    kwargs.pop("out", None)
    return call(function, args, kwargs)


# Plain values of wrappers


def assumed(self: Any) -> Any:
    """The plain value, which the program depends on from here on."""
    self.tape.assume(self.idx, self.val)
    return self.val


def converted(self: Any, what: str) -> Any:
    """The plain value of what has no derivative; raises for all else."""
    if self.tape.is_active(self.idx, is_flat):
        caller = caller_in_scipy()
        if caller:
            raise refused_by(
                [self],
                f"{what.partition(', or')[0]}, which {caller} of SciPy calls, would drop the "
                f"gradient: call it by tape.record({caller}, ...)",
            )
        raise refused_by(
            [self],
            f"{what} would give a plain number, and drop the gradient: use the functions of NumPy "
            "on x itself (np.stack for arrays of numbers on a tape), tape.record(f, x) for other "
            "functions with a rule, or x.val where no gradient is wanted",
        )
    return assumed(self)


def to_array(self: Any, dtype: Any = None, copy: Any = None) -> Any:
    """`np.asarray(x)`, which raises where a gradient would be lost."""
    return np.array(converted(self, "np.asarray(x), or storing x in a plain array,"), dtype)


def to_float(self: Any) -> float:
    what = "float(x), or a function that calls it, as those of `math` do,"
    return float(converted(self, what))


def to_complex(self: Any) -> complex:
    return complex(converted(self, "complex(x)"))


def to_bool(self: Any) -> bool:
    """The way that the program takes: it is assumed from here on, not the number itself."""
    if isinstance(self.val, (bool, np.bool_)):
        return bool(assumed(self))
    return bool(assumed(call(operator.truth, (self,))))


def to_int(self: Any) -> int:
    """The integer part, which has no derivative."""
    if isinstance(self.val, (int, np.integer, np.bool_)):
        return int(assumed(self))
    return int(assumed(call(math.trunc, (self,))))


def to_index(self: Any) -> int:
    index = operator.index(self.val)
    assumed(self)
    return index


def hashed(self: Any) -> int:
    """The hash of an integer, by which it is found in a dict; other numbers are no keys."""
    if isinstance(self.val, (int, np.integer, np.bool_)):
        return hash(assumed(self))
    raise refused_by(
        [self],
        f"a {type(self.val).__name__} on a tape is no key of a dict or member of a set: use x.val, "
        "which has no gradient",
    )


# Attributes, methods and items


def refused_by(values: Iterable[Any], message: str) -> Exception:
    """The error for what can't be done with values of a tape, which takes note of it."""
    error: Exception = NotDifferentiable(message)
    for x in values:
        x.tape.refused(error)
    return error


def in_place(values: Iterable[Any], what: str) -> Exception:
    return refused_by(
        values,
        f"Can't differentiate `{what}`: values of a tape are not written in place; compute a new "
        "value (np.where, np.concatenate, x = x + y)",
    )


def refusing(what: str) -> Callable[..., Any]:
    def refuse(self: Any, *args: Any) -> Any:
        raise in_place([self], what)

    return refuse


CHANGES = "fill itemset partition put resize setfield setflags sort byteswap".split()
STORED = "real imag shape flat dtype strides".split()


def attribute(self: Any, name: str) -> Any:
    """`x.T`, `x.shape`, `x.sum`: by the rule of the attribute or method of plain values."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name in CHANGES:
        raise in_place([self], f"x.{name}(...)")
    descriptor = getattr(type(self.val), name)
    if callable(descriptor):
        try:
            known(descriptor)
        except NotDifferentiable as error:
            raise self.tape.refused(error) from None
        return functools.partial(_call_method, descriptor, self)
    return call(descriptor, (self,))


def _call_method(descriptor: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    if kwargs.get("out") is not None:
        raise in_place([self], f"x.{descriptor.__name__}(..., out=...)")
    return call(descriptor, (self, *args), kwargs)


def item_of_number(self: Any, index: Any) -> Any:
    """`x[()]` of a number of NumPy's, which is the number."""
    if not isinstance(self.val, np.generic):
        raise TypeError(f"'{type(self.val).__name__}' object is not subscriptable")
    return self if type(index) is tuple and not index else call(operator.getitem, (self, index))


def items(self: Any) -> Iterator[Any]:
    """The items of an array, as iterating over it gives them."""
    if self.val.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    for i in range(len(self.val)):
        yield self[i]


def contains(self: Any, value: Any) -> bool:
    return bool(np.any(self == value))


def define() -> None:
    """Gives both wrappers their operators."""
    for cls in (RealWrapper, ArrayWrapper):
        for name, function in BINARY.items():
            setattr(cls, f"__{name}__", binary(function))
            setattr(cls, f"__r{name}__", reflected(function))
        for name, function in COMPARISONS.items():
            setattr(cls, f"__{name}__", binary(function))
        for name, function in UNARY.items():
            setattr(cls, f"__{name}__", unary(function))
        for name, function in METHODS.items():
            setattr(cls, name, function)
    for name, function in ARRAY_METHODS.items():
        setattr(ArrayWrapper, name, function)
    for name, function in REAL_METHODS.items():
        setattr(RealWrapper, name, function)


METHODS: dict[str, Any] = {
    "__array_ufunc__": array_ufunc,
    "__array_function__": array_function,
    "__array__": to_array,
    "__float__": to_float,
    "__complex__": to_complex,
    "__int__": to_int,
    "__index__": to_index,
    "__bool__": to_bool,
    "__hash__": hashed,
    "__getattr__": attribute,
}
ARRAY_METHODS: dict[str, Any] = {
    "__getitem__": lambda self, index: call(operator.getitem, (self, index)),
    "__setitem__": refusing("x[i] = v"),
    "__delitem__": refusing("del x[i]"),
    "__len__": lambda self: len(self.val),
    "__iter__": items,
    "__contains__": contains,
    **{f"__i{name}__": refusing(f"operator.i{name}(x, y)") for name in IN_PLACE},
    **{
        name: property(functools.partial(attribute, name=name), refusing(f"x.{name} = v"))
        for name in STORED
    },
}
REAL_METHODS: dict[str, Any] = {
    "__getitem__": item_of_number,
    "__iter__": None,
    "__contains__": None,
    "__round__": lambda self, *digits: call(round, (self, *digits)),
    "__trunc__": lambda self: call(math.trunc, (self,)),
    "__floor__": lambda self: call(math.floor, (self,)),
    "__ceil__": lambda self: call(math.ceil, (self,)),
}
