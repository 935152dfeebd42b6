"""The rules of Python's and NumPy's functions; importing this package registers all of them."""

from zyg.rules import (
    binary,
    cotangents,
    creation,
    einsum,
    elementwise,
    indexing,
    joining,
    linalg,
    methods,
    norms,
    operators,
    products,
    python_builtins,
    reductions,
    scalar,
    shape,
)

__all__ = [
    "binary",
    "cotangents",
    "creation",
    "einsum",
    "elementwise",
    "indexing",
    "joining",
    "linalg",
    "methods",
    "norms",
    "operators",
    "products",
    "python_builtins",
    "reductions",
    "scalar",
    "shape",
]
