"""The rules of Python's and NumPy's functions; importing this package registers those of everyday.

The others are registered when they are first asked for: `zyg.rules.index` tells which.
"""

from zyg.rules import (
    assembly,
    attributes,
    cotangents,
    elementwise,
    operators,
    products,
    python_builtins,
    sums,
    views,
)

__all__ = [
    "assembly",
    "attributes",
    "cotangents",
    "elementwise",
    "operators",
    "products",
    "python_builtins",
    "sums",
    "views",
]
