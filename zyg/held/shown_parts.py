"""What a view of an array shows of something that there is for each of the array's items.

    owner = np.zeros((2, 3)); view = owner[1:]
    shown_by(view, owner, bars)[...] = 1.0    changes the last three of six cotangents
    marks_of(view, owner, marks).all()        whether these three items are marked

Views show some of the items, or the real or imaginary parts of complex ones, each of which has a
mark of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zyg.errors import NotDifferentiable

# What stands between an array and its views by `as_strided`, as those of sliding windows.
_STRIDED = type(np.lib.stride_tricks.as_strided(np.zeros(1)).base)


def owner_of(array: Any) -> Any:
    """The array that owns the memory of a view; other memory is its own."""
    while type(array) is np.ndarray and array.base is not None:
        base = array.base.base if type(array.base) is _STRIDED else array.base
        if type(base) is not np.ndarray:
            raise NotDifferentiable(
                f"an array in the memory of a {type(base).__name__} is held by an object, "
                "and changed in place there; copy it"
            )
        array = base
    return array


def _is_component(view: Any, owner: Any) -> bool:
    """Whether a view shows real or imaginary parts of complex numbers."""
    return bool(owner.dtype.kind == "c" and view.dtype == owner.real.dtype)


def shows_parts(view: Any, owner: Any) -> bool:
    """Whether a view shows items of an array, or parts of complex ones."""
    return view.dtype == owner.dtype or _is_component(view, owner)


def _place(view: Any, owner: Any) -> tuple[int, bool, list[int]]:
    """The first item of an array that a view shows, whether of its imaginary part, and the steps
    between items along each axis."""
    if not shows_parts(view, owner):
        raise NotDifferentiable("an array that an object holds is seen as one of another dtype")
    size = owner.itemsize
    first, within = divmod(_start(view) - _start(owner), size)
    return first, bool(within), [step // size for step in view.strides]


def _start(array: Any) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def shown_by(view: Any, owner: Any, flat: Any) -> Any:
    """What a view shows of a flat array with a number for each item; of complex ones its parts."""
    first, is_imaginary, steps = _place(view, owner)
    size, dtype = flat.itemsize, flat.dtype
    if view.dtype != owner.dtype:
        if dtype.kind != "c":
            raise NotDifferentiable(
                "an array that an object holds is seen as one of another dtype"
            )
        dtype = flat.real.dtype
    offset = first * size + is_imaginary * dtype.itemsize
    return np.ndarray(view.shape, dtype, flat, offset, [step * size for step in steps])


def new_marks(owner: Any) -> Any:
    """A flat array of flags for the items of an array, two for each complex number."""
    return np.zeros(owner.size * (2 if owner.dtype.kind == "c" else 1), bool)


def marks_of(view: Any, owner: Any, marks: Any) -> Any:
    """The flags that belong to a view; those of complex numbers stand along a last axis."""
    if owner.dtype.kind != "c":
        return shown_by(view, owner, marks)
    first, is_imaginary, steps = _place(view, owner)
    shape, strides = view.shape, [2 * step for step in steps]
    if view.dtype == owner.dtype:
        shape, strides = (*shape, 2), [*strides, 1]
    return np.ndarray(shape, bool, marks, 2 * first + is_imaginary, strides)


def where_marked(marks: Any, bar: Any, other: Any, view: Any) -> Any:
    """`bar` where the items of a view are marked, and `other` elsewhere."""
    if marks.ndim == view.ndim:
        return np.where(marks, bar, other)
    real = np.where(marks[..., 0], np.real(bar), np.real(other))
    return real + 1j * np.where(marks[..., 1], np.imag(bar), np.imag(other))


def clear_marked(marks: Any, bar: Any) -> None:
    """Sets to zero what is marked, in place."""
    if marks.ndim == bar.ndim:
        bar[marks] = 0
    else:
        bar.real[marks[..., 0]] = 0
        bar.imag[marks[..., 1]] = 0
