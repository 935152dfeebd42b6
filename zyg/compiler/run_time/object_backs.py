"""How cotangents of a method's arguments become those of an operation on its object.

    o(x)    back of `type(o).__call__`: (callee, self, x)    ->    (callee and self together, x)
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from zyg.compiler.inference.objects import Back, Differentiate, is_place
from zyg.compiler.run_time import from_api
from zyg.held.reaching import items_held, reached


class Through:
    """A back function that arranges the cotangents that another one gives."""

    __slots__ = ("arrange", "back")

    def __init__(self, back: Back, arrange: Callable[[Any], tuple[Any, ...]]) -> None:
        self.back = back
        self.arrange = arrange

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        return self.arrange(self.back(y_bar))

    def __reduce__(self) -> Any:
        return Through, (self.back, self.arrange)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Through:
        """The same with copies of what it holds."""
        return Through(copy(self.back), self.arrange)


class Refusing:
    """The back function of a call that could not be differentiated, where it is not needed."""

    __slots__ = ("count", "error")

    def __init__(self, count: int, error: Exception) -> None:
        self.count = count
        self.error = error

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        if y_bar is not None:
            raise self.error
        return (None,) * self.count

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Refusing:
        return self

    def __reduce__(self) -> Any:
        return Refusing, (self.count, self.error)


class OfItem:
    """The back function of a read of one item of a list (of so many items) or dict (None): nothing
    that these hold is needed."""

    __slots__ = ("count", "index")

    def __init__(self, items: Any, index: Any) -> None:
        self.count = None if isinstance(items, dict) else len(items)
        self.index = index

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        if y_bar is None:
            return None, None, None
        if self.count is None:
            return None, {self.index: y_bar}, None
        bars = [None] * self.count
        bars[self.index] = y_bar
        return None, bars, None

    def with_own_memory(self, copy: Callable[[Any], Any]) -> OfItem:
        return self


def alone(y_bar: Any) -> tuple[Any, ...]:
    return (y_bar,)


def picked(source: int, target: int, count: int, bars: Any) -> tuple[Any, ...]:
    """`count` cotangents, of which only the one at `target` isn't a structural zero."""
    return (*(None,) * target, bars[source], *(None,) * (count - target - 1))


def as_callee(bars: Any) -> tuple[Any, ...]:
    return tuple(bars[1:])


def as_applied(bars: Any) -> tuple[Any, ...]:
    """The cotangents of `apply` and its arguments from those of what it applied."""
    return None, *bars


def as_constructor(bars: Any) -> tuple[Any, ...]:
    _, _, *rest = bars
    return None, *rest


def swapped(bars: Any) -> tuple[Any, ...]:
    own, y, x = bars
    return own, x, y


def as_self(bars: Any) -> tuple[Any, ...]:
    """The cotangents of a bound method and its arguments from those of its function's."""
    _, self_bar, *rest = bars
    return {"__self__": self_bar}, *rest


STORES = (setattr, delattr, object.__setattr__)


def differentiated(
    pullback: Differentiate, method: Any, *args: Any
) -> tuple[Any, Back]:
    """A call of a method that Python makes by itself.

    Its result may have no part in any derivative: what can't be compiled is run as it is.
    """
    if isinstance(method, types.FunctionType):
        error = from_api.why_not_compiled(method, args)
        if error is not None:
            y = method(*args)
            if y is None or any(is_place(type(found)) for found in reached(y, items_held)):
                raise error  # derivatives of objects go by no cotangent that could be refused
            return y, Refusing(1 + len(args), error)
    return pullback(method, *args)


def of_operator(bars: Any) -> tuple[Any, ...]:
    """The cotangents of an operator's function and operands from those of a method's."""
    return tuple(bars)


def of_augmented(bars: Any) -> tuple[Any, ...]:
    """The cotangents of `augmented` and its arguments from those of the operator."""
    _, *operands = bars
    return None, None, None, *operands


def of_setter(bars: Any) -> tuple[Any, ...]:
    _, obj_bar, value_bar = bars
    return None, obj_bar, None, value_bar


def of_descriptor(bars: Any) -> tuple[Any, ...]:
    _, _, obj_bar, value_bar = bars
    return None, obj_bar, None, value_bar


def of_hook(bars: Any) -> tuple[Any, ...]:
    _, obj_bar, _, value_bar = bars
    return None, obj_bar, None, value_bar


def of_self(is_bound: bool, depth: int, count: int, bars: Any) -> tuple[Any, ...]:
    """The cotangent of the object from that of a method, which partial functions may hold."""
    (bar,) = bars
    for _ in range(depth):
        bar = None if bar is None else bar.get("func")
    self_bar = bar.get("__self__") if is_bound and bar is not None else None
    return (None, self_bar, *(None,) * (count - 2))


def of_object(count: int, bars: Any) -> tuple[Any, ...]:
    """The cotangent of the object that a method which looks at its argument's class is of."""
    (bar,) = bars
    return (None, None if bar is None else bar.get("obj"), *(None,) * (count - 2))
