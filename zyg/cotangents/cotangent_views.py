"""Cotangents and tangents of arrays of which a view was changed: of `view(items, *args)`.

    taken_view([1.0, 2.0, 3.0, 4.0], np.reshape, ((2, 2),))   what the changed view gets
    cleared_view(...)                                         what the old array gets

Each is linear, and its adjoint is another one of them. The imaginary part of a real array, which
stands for a complex one as long as nothing imaginary came in, is no memory: there is nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_IMAGINARY = (np.imag, np.ndarray.imag)
_COMPONENTS = (np.real, np.ndarray.real, *_IMAGINARY)


def is_component(view: Any) -> bool:
    """Whether a view is the real or the imaginary part."""
    return any(view is component for component in _COMPONENTS)


def _is_nothing(items: Any, view: Any) -> bool:
    return any(view is part for part in _IMAGINARY) and np.isrealobj(items)


def _viewed(items: Any, view: Any, args: tuple[Any, ...]) -> Any:
    return view.__get__(items) if hasattr(view, "__set__") else view(items, *args)


def taken_view(bar: Any, view: Any, args: tuple[Any, ...]) -> Any:
    """The cotangent of a view that was changed, in memory of its own.

    >>> taken_view(np.arange(4.0), np.reshape, ((2, 2),))
    array([[0., 1.],
           [2., 3.]])
    """
    return None if bar is None else np.array(_viewed(np.asarray(bar), view, args))


def cleared_view(bar: Any, view: Any, args: tuple[Any, ...]) -> Any:
    """`bar` with zeros where a view looks at; `bar` is not changed.

    >>> cleared_view(np.array([1 + 2j, 3 + 4j]), np.imag, ())
    array([1.+0.j, 3.+0.j])
    """
    if bar is None:
        return None
    bar = np.array(bar, order="C")
    if not _is_nothing(bar, view):
        _viewed(bar, view, args)[...] = 0
    return bar


def put_back_view(part_bar: Any, view: Any, args: tuple[Any, ...], like: Any) -> Any:
    """The adjoint of `taken_view`: zeros of the shape of `like`, but for a view of them.

    >>> put_back_view(np.array([1.0, 2.0]), np.imag, (), np.zeros(2, complex))
    array([0.+1.j, 0.+2.j])
    """
    if part_bar is None or like is None:
        return None
    if is_component(view):
        whole, part_bar = np.zeros_like(like, order="C"), np.real(part_bar)
    else:
        whole = np.zeros(np.shape(like), np.asarray(part_bar).dtype)
    if not _is_nothing(whole, view):
        _viewed(whole, view, args)[...] = part_bar
    return whole


def placed_view(items_dot: Any, view: Any, part_dot: Any, args: tuple[Any, ...]) -> Any:
    """The tangent of an array behind a change of its view `view(items, *args)`.

    >>> placed_view(np.array([1.0, 2.0]), np.imag, np.array([3.0, 4.0]), ())
    array([1.+3.j, 2.+4.j])
    """
    whole = np.array(items_dot, order="C")
    if _is_nothing(whole, view):
        whole = whole.astype(np.result_type(whole, 1j))
    _viewed(whole, view, args)[...] = part_dot
    return whole
