"""Views of arrays that objects hold, as parts of what stands for the whole array's contents.

    a = part_of(whole, place_of(view))              the view itself, where `whole` is its array
    whole_1 = whole_with(whole, a_1, place)         the array, with what the view is now

When a program runs, both are the memory as it is. Cotangents and tangents are arrays of their own,
of which `gathered` gives the items that the view shows, and in which `scattered` puts them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ir import facts
from ir.heap import IDENTITY, Identity
from ir.types import Known, Type
from zyg.array_type import ANY, Array, rank_of
from zyg.errors import NotDifferentiable
from zyg.held.shown_parts import owner_of


class Place(Identity):
    """Where a view lies in the array that owns its memory; `indices` of its items in that, in the
    order of its own items, or None for an array that owns its memory."""

    __slots__ = ("indices", "owner")

    def __init__(self, memory: Any) -> None:
        super().__init__(memory)
        self.owner = owner_of(memory)
        self.indices = None if self.owner is memory else _indices(memory, self.owner)


def _indices(view: Any, owner: Any) -> Any:
    if view.dtype != owner.dtype or not (owner.flags.c_contiguous or owner.flags.f_contiguous):
        raise NotDifferentiable(
            "objects hold a view of an array that shows it in another way, in code that is "
            "differentiated more than once and changes what they hold; let them hold a copy"
        )
    first = view.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    offsets = np.full(view.shape, first)
    for axis, (count, stride) in enumerate(zip(view.shape, view.strides, strict=True)):
        steps = np.arange(count) * stride
        offsets = offsets + steps.reshape((-1, *[1] * (view.ndim - axis - 1)))
    items = offsets // max(owner.itemsize, 1)
    if owner.flags.c_contiguous or owner.size == 0:
        return items
    return np.ravel_multi_index(np.unravel_index(items, owner.shape, order="F"), owner.shape)


def place_of(memory: Any) -> Place:
    return Place(memory)


def part_of(whole: Any, place: Place, ndim: int | None) -> Any:
    """What a view of so many dimensions shows of an array: the view itself, where this is the array
    that it is one of."""
    if place.indices is None:
        return whole
    return place.value if owner_of(whole) is place.owner else gathered(whole, place, ndim)


def whole_with(whole: Any, part: Any, place: Place, ndim: int | None) -> Any:
    """An array with what a view of it shows now."""
    if place.indices is None:
        return part
    if owner_of(whole) is place.owner and owner_of(part) is place.owner:
        return whole
    found = np.array(whole, order="C", dtype=np.result_type(whole, part))
    found.reshape(-1)[place.indices] = part
    return found


def gathered(bar: Any, place: Place, ndim: int | None) -> Any:
    """The items of an array that a view shows."""
    if place.indices is None:
        return bar
    return np.broadcast_to(bar, place.owner.shape).reshape(-1)[place.indices]


def scattered(bar: Any, place: Place) -> Any:
    """The transpose: an array of zeros, but for what a view shows."""
    if place.indices is None:
        return bar
    found = np.zeros(place.owner.size, np.result_type(bar))
    np.add.at(found, place.indices, bar)
    return found.reshape(place.owner.shape)


def cleared(bar: Any, place: Place) -> Any:
    """An array with zeros where a view shows it."""
    if place.indices is None:
        return np.zeros_like(bar)
    found = np.array(np.broadcast_to(bar, place.owner.shape), order="C")
    found.reshape(-1)[place.indices] = 0
    return found


def whole_type(type_: Type) -> Type:
    """The type of the array that an array of a type may be a view of."""
    return Array(type_.dtype, None) if isinstance(type_, Array) else type_


def ndim_of(type_: Type) -> int | None:
    """The number of dimensions of arrays of a type, if it is known."""
    return rank_of(type_)


facts.pure(place_of, part_of, whole_with, gathered, scattered, cleared)


@facts.result(whole_with, scattered, cleared)
def _whole(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return whole_type(args[0])


@facts.result(place_of)
def _place(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return IDENTITY


@facts.result(part_of, gathered)
def _part(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    whole, _, ndim = args
    if isinstance(whole, Array) and isinstance(ndim, Known) and ndim.value is not None:
        return Array(whole.dtype, (ANY,) * ndim.value)
    return whole_type(whole)
