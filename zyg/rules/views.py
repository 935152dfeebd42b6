"""Rules of what reads an array in another form and copies nothing: `x.T`, `x.real`, broadcasting.

What is asked about the form alone (`x.shape`, `np.ndim(x)`) has no derivative.
"""

from __future__ import annotations

import numpy as np

from zyg.cotangents.cotangent import unbroadcast
from zyg.rules.registry import adjoint, constant

constant(
    *(np.shape, np.ndim, np.size, np.broadcast_shapes, np.result_type, np.can_cast, np.isscalar),
    *(np.dtype, np.finfo, np.iinfo, np.isfortran, np.shares_memory, np.may_share_memory),
    *(np.ndarray.shape, np.ndarray.ndim, np.ndarray.size, np.ndarray.dtype),
)


@adjoint(np.ndarray.T)
def T(self):
    return self.T, lambda y_bar: np.transpose(y_bar)


if hasattr(np.ndarray, "mT"):

    @adjoint(np.ndarray.mT)
    def mT(self):
        return self.mT, lambda y_bar: np.swapaxes(y_bar, -1, -2)


@adjoint(np.ndarray.real)
def real(self):
    return self.real, lambda y_bar: y_bar


@adjoint(np.ndarray.imag)
def imag(self):
    return self.imag, lambda y_bar: y_bar * 1j if np.iscomplexobj(self) else None


@adjoint(np.broadcast_to)
def broadcast_to(array, shape):
    return np.broadcast_to(array, shape), lambda y_bar: (unbroadcast(y_bar, array), None)
