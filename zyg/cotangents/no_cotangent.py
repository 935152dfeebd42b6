"""What stands for the cotangent of a number in which a function has no known derivative.

    y = special.jv(nu, x)   ->    nu_bar = NoCotangent(...), x_bar = y_bar * ...

Where code is made it isn't always known that `nu` is a constant: it may come as an item of a tuple
of which others vary, or as an attribute of an object. Whatever is computed from it is NoCotangent
again, as NaN is, and it raises where a number is asked for: at the latest when it is handed out.

A gradient inside of differentiated code raises at once: its cotangents are values there.
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import Any, NoReturn

import numpy as np

from zyg.errors import NotDifferentiable


class NoCotangent:
    """Stands for a cotangent that is unknown; raises where it would become a number."""

    __slots__ = ("_message", "_places")
    __array_priority__ = 1e6

    def __init__(self, message: str) -> None:
        self._message = message
        self._places = _places_now()

    def __repr__(self) -> str:
        return f"<no cotangent: {self._message}>"

    def _same(self, *args: Any) -> NoCotangent:
        return self

    def refuse(self, *args: Any) -> NoReturn:
        from ir.tracebacks import user_location  # few programs need it

        error = NotDifferentiable(self._message)
        error.places = [
            place for code, line in self._places
            if (place := user_location(code, line)) is not None
        ]
        raise error

    def __getattr__(self, name: str) -> NoReturn:
        if name == "dtype" or name.startswith("__"):  # which ask whether it is an array
            raise AttributeError(name)
        self.refuse()

    def __array_ufunc__(
        self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any
    ) -> NoCotangent:
        # What is written into an array would be lost.
        if out is not None or method == "at" or ufunc.nout != 1:
            self.refuse()
        return self

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> NoCotangent:
        if func not in _GIVING_ARRAYS or kwargs.get("out") is not None:
            self.refuse()
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _same
    __rtruediv__ = __matmul__ = __rmatmul__ = __neg__ = __pos__ = __getitem__ = _same
    __pow__ = __rpow__ = __abs__ = __floordiv__ = __mod__ = refuse
    __array__ = __float__ = __complex__ = __int__ = __index__ = __bool__ = __len__ = refuse
    __iter__ = __call__ = __setitem__ = __contains__ = refuse
    __lt__ = __le__ = __gt__ = __ge__ = refuse


# Functions of a cotangent that is linear in it, and new.
_GIVING_ARRAYS = (
    np.where, np.sum, np.reshape, np.ravel, np.broadcast_to, np.real, np.imag, np.concatenate,
    np.stack, np.transpose, np.swapaxes, np.moveaxis, np.expand_dims, np.squeeze, np.flip,
    np.cumsum, np.dot, np.outer, np.tensordot, np.einsum, np.mean,
)


def _places_now() -> list[tuple[CodeType, int]]:
    """The lines that are being run, the innermost first: a frame would keep its variables."""
    frame: FrameType | None = sys._getframe(2)
    places: list[tuple[CodeType, int]] = []
    while frame is not None and len(places) < 40:
        places.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back
    return places


def refuse_later(refusing: Any, standing_in: Any) -> None:
    """Declares what gives NoCotangent in the place of a function that raises."""
    _later[id(refusing)] = standing_in


_later: dict[int, Any] = {}


def refused_if_asked(callee: Any) -> Any:
    return _later.get(id(callee))


def unless_unknown(bar: Any) -> None:
    """Raises for a cotangent that isn't known."""
    if type(bar) is NoCotangent:
        bar.refuse()
