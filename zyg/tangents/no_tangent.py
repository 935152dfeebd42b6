"""What stands for the tangent of a result that has none, such as the error of an integral.

    value, error = scipy.integrate.quad(f, 0.0, 1.0)

Forward mode asks for the tangents of all results at once; that of `error` raises where it is used.
"""

from __future__ import annotations

from typing import Any, NoReturn

from zyg.errors import NotDifferentiable


class NoTangent:
    """Raises the error that says why there is no tangent, whatever is done with it."""

    __slots__ = ("_error",)
    __array_priority__ = 1e6

    def __init__(self, error: NotDifferentiable) -> None:
        self._error = error

    def __repr__(self) -> str:
        return f"<no tangent: {self._error}>"

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise self._error

    __array_ufunc__ = __array_function__ = __array__ = __getattr__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _refuse
    __rtruediv__ = __matmul__ = __rmatmul__ = __neg__ = __pos__ = __abs__ = __pow__ = _refuse
    __getitem__ = __iter__ = __len__ = __float__ = __complex__ = __bool__ = __call__ = _refuse
