"""The rules of Python's and NumPy's functions; importing this package registers most of them.

Those of `zyg.rules.registry.LATE` are registered when they are first asked for.
"""

from zyg.rules import (
    assembly,
    attempts,
    attributes,
    binary,
    changes,
    collection_classes,
    containers,
    cotangents,
    creation,
    elementwise,
    functional,
    indexing,
    iteration,
    joining,
    methods,
    operators,
    products,
    python_builtins,
    reductions,
    shape,
)

__all__ = [
    "assembly",
    "attempts",
    "attributes",
    "binary",
    "changes",
    "collection_classes",
    "containers",
    "cotangents",
    "creation",
    "elementwise",
    "functional",
    "indexing",
    "iteration",
    "joining",
    "methods",
    "operators",
    "products",
    "python_builtins",
    "reductions",
    "shape",
]
