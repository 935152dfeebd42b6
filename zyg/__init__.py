"""zyg: gradients of plain Python and NumPy functions, by source transformation.

    >>> import zyg
    >>> def power(x, n):
    ...     y = 1.0
    ...     for _ in range(n):
    ...         y = y * x
    ...     return y
    >>> zyg.gradient(power, 2.0, 3)
    (12.0, 0)
"""

import gc as _gc

_collecting = _gc.isenabled()
_gc.disable()  # nothing made here is garbage: looking for it takes a tenth of the time
try:
    import ir as _ir

    if not hasattr(_ir, "parse") or not hasattr(_ir, "emit"):
        raise ImportError(
            f"zyg needs its own package `ir`, but {_ir.__file__} stood in the way; rename that "
            "module or put it behind zyg on the path"
        )

    from importlib import import_module as _import_module
    from typing import TYPE_CHECKING as _TYPE_CHECKING

    import numpy as _np

    from ir import facts as _facts
    from ir.emit import spell_module as _spell_module
    from zyg import rules as _rules
    from zyg.api import (
        _pullback,
        adjoint,
        cache_clear,
        cache_info,
        dropgrad,
        grad,
        gradient,
        nograd,
        pullback,
        value_and_grad,
        withgradient,
    )
    from zyg.errors import (
        GradientMismatch,
        NotDifferentiable,
        SparsityMismatch,
        UnsupportedSyntax,
        ZygError,
    )
    from zyg.facts import cotangent_item_facts as _cotangent_item_facts
    from zyg.facts import draw_facts as _draw_facts
    from zyg.facts import numpy_facts as _numpy_facts

    _REGISTERING = _rules, _cotangent_item_facts, _draw_facts, _numpy_facts
finally:
    if _collecting:
        if not _gc.get_freeze_count():
            # All objects become old ones unseen, or else the next one that is made has the
            # collector go through those of this package.
            _gc.freeze()
            _gc.unfreeze()
        _gc.enable()

if _TYPE_CHECKING:
    from zyg.checking import check_grads
    from zyg.checkpointing import checkpoints
    from zyg.compiler.checkpoints.checkpoint_calls import checkpointed
    from zyg.derivatives import diaghessian, hessian, hvp, jacobian, vjp
    from zyg.flattening import flatten
    from zyg.forward import code_tangent, jvp
    from zyg.holdings import memory
    from zyg.inspection import code_adjoint, code_gradient, code_ir, explain
    from zyg.rules.hooks import hook, isderiving
    from zyg.sparsity.patterns import hessian_sparsity, jacobian_sparsity

_facts.helpers("zyg.rules.")
_facts.helpers("zyg.cotangents.cotangent")
_facts.helpers("zyg.held.keeping")
_spell_module("np", _np)
_spell_module("np.linalg", _np.linalg)

__all__ = [
    "GradientMismatch",
    "NotDifferentiable",
    "SparsityMismatch",
    "UnsupportedSyntax",
    "ZygError",
    "_pullback",
    "adjoint",
    "cache_clear",
    "cache_info",
    "check_grads",
    "checkpointed",
    "checkpoints",
    "code_adjoint",
    "code_gradient",
    "code_ir",
    "code_tangent",
    "diaghessian",
    "dropgrad",
    "explain",
    "flatten",
    "grad",
    "gradient",
    "hessian",
    "hessian_sparsity",
    "hook",
    "hvp",
    "isderiving",
    "jacobian",
    "jacobian_sparsity",
    "jvp",
    "memory",
    "nograd",
    "pullback",
    "value_and_grad",
    "vjp",
    "withgradient",
]

# What only people ask for, while they write and check a program: imported when it is asked for.
_MODULES = {
    "check_grads": "zyg.checking",
    **dict.fromkeys(("code_adjoint", "code_gradient", "code_ir", "explain"), "zyg.inspection"),
    **dict.fromkeys(("jvp", "code_tangent"), "zyg.forward"),
    **dict.fromkeys(("vjp", "hvp", "jacobian", "hessian", "diaghessian"), "zyg.derivatives"),
    **dict.fromkeys(("jacobian_sparsity", "hessian_sparsity"), "zyg.sparsity.patterns"),
    "checkpointed": "zyg.compiler.checkpoints.checkpoint_calls",
    "checkpoints": "zyg.checkpointing",
    "flatten": "zyg.flattening",
    **dict.fromkeys(("hook", "isderiving"), "zyg.rules.hooks"),
    "memory": "zyg.holdings",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'zyg' has no attribute {name!r}")
    return globals().setdefault(name, getattr(_import_module(_MODULES[name]), name))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
