"""Rules of views of arrays that objects hold, which are linear (`zyg.held.array_parts`)."""

from __future__ import annotations

import numpy as np

from zyg.held.array_parts import cleared, gathered, part_of, place_of, scattered, whole_with
from zyg.rules.registry import adjoint, constant
from zyg.rules.tangent_registry import linear


@adjoint(part_of)
def part_of_(whole, place, ndim):
    return part_of(whole, place, ndim), lambda y_bar: (scattered(y_bar, place), None, None)


@adjoint(whole_with)
def whole_with_(whole, part, place, ndim):
    return whole_with(whole, part, place, ndim), lambda y_bar: (
        cleared(y_bar, place), gathered(y_bar, place, ndim), None, None
    )


@adjoint(gathered)
def gathered_(bar, place, ndim):
    return gathered(bar, place, ndim), lambda y_bar: (scattered(y_bar, place), None, None)


@adjoint(scattered)
def scattered_(bar, place):
    return scattered(bar, place), lambda y_bar: (gathered(y_bar, place, np.ndim(bar)), None)


@adjoint(cleared)
def cleared_(bar, place):
    return cleared(bar, place), lambda y_bar: (cleared(y_bar, place), None)


for _function in (part_of, gathered, scattered, cleared):
    linear(_function, 0)
linear(whole_with, (0, 1))
constant(place_of)
