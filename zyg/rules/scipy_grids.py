"""Rules of `scipy.interpolate` on grids of several dimensions, as Python code.

    interpn((x, y), values, points)     the mean of the corners of the cell of each point, with the
                                        products of distances as weights
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from scipy import interpolate

from ir import facts
from ir.types import TOP, Known
from zyg.cotangents.cotangent import unbroadcast
from zyg.errors import NotDifferentiable
from zyg.rules.registry import adjoint, constant, substitute
from zyg.rules.scipy_objects import stands_in
from zyg.signature import abstract


class Grid(NamedTuple):
    """Values on a grid, as `scipy.interpolate.RegularGridInterpolator`."""

    grid: Any
    values: Any
    method: Any
    bounds_error: Any
    fill_value: Any

    @staticmethod
    def stood_in(made):
        return made if isinstance(made, tuple) else grid_of(made)

    def __call__(self, xi, method=None, *, nu=None):
        method = self.method if method is None else method
        refuse_method(method, nu)
        return on_grid(self.grid, self.values, xi, method, self.bounds_error, self.fill_value)


@substitute(interpolate.RegularGridInterpolator)
def regular_grid(
    points, values, method="linear", bounds_error=True, fill_value=np.nan, *, solver=None,
    solver_args=None,
):
    refuse_method(method, None)
    refuse_descending(points)
    values = np.asarray(values)
    values = values.astype(np.result_type(values, np.float32))
    return Grid(tuple([np.asarray(x) for x in points]), values, method, bounds_error, fill_value)


@substitute(interpolate.interpn)
def interpn(points, values, xi, method="linear", bounds_error=True, fill_value=np.nan):
    return regular_grid(points, values, method, bounds_error, fill_value)(xi)


def refuse_method(method, nu):
    if method not in ("linear", "nearest") or nu is not None:
        raise NotDifferentiable(
            "scipy.interpolate.RegularGridInterpolator has a rule for the methods 'linear' and "
            "'nearest' only"
        )


def refuse_descending(points):
    for x in points:
        if np.any(np.diff(x) <= 0):
            raise NotDifferentiable(
                "scipy.interpolate.RegularGridInterpolator has a rule for rising points only: flip"
            )


def on_grid(grid, values, xi, method, bounds_error, fill_value):
    count = len(grid)
    if isinstance(xi, tuple):
        xi = np.stack(np.broadcast_arrays(*xi), -1)
    xi = np.asarray(xi)
    if np.ndim(xi) == 1:
        xi = np.reshape(xi, (-1, count))
    if bounds_error:
        refuse_out_of_bounds(grid, xi)
    cells = [cell(x, xi[..., i]) for i, x in enumerate(grid)]
    shares = [share(x, at, xi[..., i]) for i, (x, at) in enumerate(zip(grid, cells, strict=True))]
    trailing = np.shape(xi)[:-1] + (1,) * (np.ndim(values) - count)
    if method == "nearest":
        pairs = zip(cells, shares, strict=True)
        value = values[tuple([at + np.greater(part, 0.5) for at, part in pairs])]
    else:
        value = 0.0
        for corner in itertools.product((0, 1), repeat=count):
            weight = 1.0
            for step, part in zip(corner, shares, strict=True):
                weight = weight * (part if step else 1 - part)
            item = values[tuple([at + step for at, step in zip(cells, corner, strict=True)])]
            value = value + item * np.reshape(weight, trailing)
    if bounds_error or fill_value is None:
        return value
    return np.where(np.reshape(is_outside(grid, xi), trailing), fill_value, value)


def cell(x, points):
    """The place on a grid in front of each point."""
    return np.clip(np.searchsorted(x, points, side="right") - 1, 0, len(x) - 2)


def share(x, at, points):
    """How far each point is on its way through a cell."""
    return (points - x[at]) / (x[at + 1] - x[at])


def is_outside(grid, xi):
    return np.any([(xi[..., i] < x[0]) | (xi[..., i] > x[-1]) for i, x in enumerate(grid)], axis=0)


def refuse_out_of_bounds(grid, xi):
    for i, x in enumerate(grid):
        if np.any(xi[..., i] < x[0]) or np.any(xi[..., i] > x[-1]):
            raise ValueError(f"One of the requested xi is out of bounds in dimension {i}")


# Of a grid that was made elsewhere, the values are constant.


def grid_of(made):
    refuse_descending(made.grid)
    return Grid(made.grid, made.values, made.method, made.bounds_error, made.fill_value)


@facts.result(grid_of)
def type_of_grid(args, kwargs):
    return abstract(grid_of(args[0].value)) if isinstance(args[0], Known) else TOP


constant(refuse_method, refuse_descending, cell, is_outside, refuse_out_of_bounds, grid_of)
stands_in(Grid)


@substitute(interpolate.RegularGridInterpolator.__call__)
def grid_call(self, xi, method=None, *, nu=None):
    return grid_of(self)(xi, method, nu=nu)


@adjoint(interpolate.BivariateSpline.ev)
def spline_of_two_variables(self, xi, yi, dx=0, dy=0):
    return self.ev(xi, yi, dx, dy), lambda bar: (
        None,
        unbroadcast(bar * self.ev(xi, yi, dx + 1, dy), xi),
        unbroadcast(bar * self.ev(xi, yi, dx, dy + 1), yi),
    )
