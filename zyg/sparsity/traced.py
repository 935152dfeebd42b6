"""Values that know which numbers of the arguments they depend on.

    Traced(2.0, frozenset({3}), run)            the number x[3] of the value 2.0
    Traced(array, sets, run)                    an array, and the array of its sets

A program computes with them as with numbers and arrays. Views stay views, of values and of sets, so
that what is stored through one name is seen through the others. What would give a plain number in
the place of one that depends on something raises, and the run takes note of that: a handler of the
program's must not hide it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from zyg.sparsity.index_sets import EMPTY, boxed
from zyg.wrapped_values import ATOMS, looking_for

if TYPE_CHECKING:
    from zyg.sparsity.propagation import Run

OPERANDS = (int, float, complex, np.ndarray, np.generic)
_NUMBERS = frozenset([float, int, np.float64])


class Traced:
    """A number or an array of floats, and the set of indices of each number."""

    __slots__ = ("run", "sets", "value")
    value: Any
    sets: Any

    def __init__(self, value: Any, sets: Any, run: Run) -> None:
        self.value = value
        self.sets = sets
        self.run = run

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class of the value, so that `isinstance(x, float)` takes the way of plain numbers."""
        return type(self.value)

    def __repr__(self) -> str:
        return repr(self.value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.run.attribute(self, name)

    # Arrays

    def __getitem__(self, index: Any) -> Any:
        index = plain(index)
        value = self.value[index]
        sets = boxed(self.sets)[index]
        if isinstance(value, np.ndarray) and not isinstance(sets, np.ndarray):
            sets = boxed(sets)
        return Traced(value, sets, self.run)

    def __setitem__(self, index: Any, item: Any) -> None:
        index = plain(index)
        if isinstance(item, (list, tuple)):
            item = self.run.call(np.array, (item,), {}) if holds_traced(item) else np.array(item)
        if isinstance(item, Traced):
            self.value[index] = item.value
            # A set alone, not in an array: that array would become the item.
            is_one = np.size(item.value) == 1
            self.sets[index] = boxed(item.sets).item() if is_one else item.sets
        else:
            self.value[index] = item
            self.sets[index] = EMPTY

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        if np.ndim(self.value) == 0:
            raise TypeError("iteration over a number")
        return (self[i] for i in range(len(self.value)))

    def __contains__(self, item: Any) -> bool:
        return plain(item) in self.value

    # NumPy's protocols

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        return self.run.ufunc(ufunc, method, args, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self.run.call(function, args, kwargs)

    # Plain values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._plain("a plain array"), dtype)

    def __float__(self) -> float:
        return float(self._plain("a plain number"))

    def __complex__(self) -> complex:
        return complex(self._plain("a plain number"))

    def _plain(self, what: str) -> Any:
        """The value, where it depends on nothing."""
        if any(boxed(self.sets).ravel().tolist()):
            raise self.run.refused(
                f"{what} was made of a value that depends on the arguments, by a function that the "
                "search for the pattern can't look into"
            )
        return self.value

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)

    def __round__(self, *digits: Any) -> Any:
        return round(self.value, *digits)

    def __trunc__(self) -> Any:
        return math.trunc(self.value)

    def __floor__(self) -> Any:
        return math.floor(self.value)

    def __ceil__(self) -> Any:
        return math.ceil(self.value)

    def __format__(self, form: str) -> str:
        return format(self.value, form)

    def __copy__(self) -> Any:
        is_array = isinstance(self.value, np.ndarray)
        return self.run.call(np.ndarray.copy, (self,), {}) if is_array else self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.__copy__()

    def __hash__(self) -> int:
        raise self.run.refused("a number that depends on the arguments is used as a key")


# Values without index sets, and the traced values among values.
plain, traced_in = looking_for(frozenset([Traced]), attrgetter("value"), ATOMS)


def holds_traced(x: Any) -> bool:
    cls = type(x)
    return cls is Traced or (cls not in ATOMS and next(traced_in(x), None) is not None)


# Operators

BINARY: dict[str, Any] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow,
    "matmul": operator.matmul, "divmod": divmod,
}  # fmt: skip
UNARY: dict[str, Any] = {"neg": operator.neg, "pos": operator.pos, "abs": operator.abs}
COMPARISONS: dict[str, Any] = {
    name: getattr(operator, name) for name in ("lt", "le", "eq", "ne", "gt", "ge")
}


def is_operand(x: Any) -> bool:
    cls = type(x)
    return cls is Traced or isinstance(x, OPERANDS) or cls is list or cls is tuple


def _binary(function: Any, is_constant: bool = False) -> Callable[[Any, Any], Any]:
    def operate(self: Traced, other: Any) -> Any:
        if not is_operand(other):
            return NotImplemented
        if is_constant:
            return function(self.value, plain(other))
        if type(self.value) in _NUMBERS and type(plain(other)) in _NUMBERS:
            return self.run.of_numbers(function, self, other)
        return self.run.call(function, (self, other), {})

    return operate


def _reflected(function: Any) -> Callable[[Any, Any], Any]:
    def operate(self: Traced, other: Any) -> Any:
        if not is_operand(other):
            return NotImplemented
        if type(self.value) in _NUMBERS and type(other) in _NUMBERS:
            return self.run.of_numbers(function, other, self)
        return self.run.call(function, (other, self), {})

    return operate


def _unary(function: Any) -> Callable[[Any], Any]:
    return lambda self: self.run.call(function, (self,), {})


def _in_place(function: Any) -> Callable[[Any, Any], Any]:
    """`x += y`, which writes into an array and gives a new number."""

    def operate(self: Traced, other: Any) -> Any:
        if not is_operand(other):
            return NotImplemented
        found = self.run.call(function, (self, other), {})
        if not isinstance(self.value, np.ndarray):
            return found
        self[...] = found
        return self

    return operate


for _name, _function in BINARY.items():
    setattr(Traced, f"__{_name}__", _binary(_function))
    setattr(Traced, f"__r{_name}__", _reflected(_function))
    if _name != "divmod":
        setattr(Traced, f"__i{_name}__", _in_place(_function))
for _name, _function in COMPARISONS.items():
    setattr(Traced, f"__{_name}__", _binary(_function, is_constant=True))
for _name, _function in UNARY.items():
    setattr(Traced, f"__{_name}__", _unary(_function))
