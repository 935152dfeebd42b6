"""The rule table: how a call of a known callable is differentiated.

A rule is a plain Python function of the callable's own arguments that returns the value and the
back function; compiler, tracker and tape all use it:

    @adjoint(np.multiply)
    def multiply(x, y):
        def back(z_bar):
            return unbroadcast(z_bar * conj(y), x), unbroadcast(z_bar * conj(x), y)
        return np.multiply(x, y), back

`back` returns one gradient per positional parameter; trailing parameters that have a default may
be left out, and None means "no gradient". A rule of one parameter may return the bare gradient.

A rule with a keyword parameter `pullback` is called at run time, and is given the function that
differentiates a call: `y, back = pullback(f, *args)`, where `back` returns the cotangents of `f`
and of the arguments. A substitute is a plain Python function that does what a callable written in C
does; its code is differentiated:

    @substitute(functools.reduce)
    def reduce(function, iterable, initial, /):
        for item in iterable:
            initial = function(initial, item)
        return initial

Where a callable has both, the rule is for calls without keyword arguments.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from zyg.signature import by_identity

Rule: TypeAlias = Callable[..., Any]
R = TypeVar("R", bound=Rule)

_rules: dict[int, Rule] = {}
_constant: set[int] = set()
_substitutes: dict[int, Callable[..., Any]] = {}
_alive: list[object] = []
_version = 0


def adjoint(*callees: object) -> Callable[[R], R]:
    """Registers a rule for one or several callables; a later rule replaces an earlier one."""
    for callee in callees:
        if not callable(callee) and not hasattr(callee, "__get__"):
            raise TypeError(f"@adjoint takes the functions that the rule is for, not {callee!r}")

    def register(rule: R) -> R:
        global _version
        for callee in callees:
            _rules[id(callee)] = rule
            _constant.discard(id(callee))
            _alive.append(callee)
            by_identity.add(id(callee))
        _version += 1
        return rule

    return register


def substitute(*callees: object) -> Callable[[R], R]:
    """Registers a plain Python function whose code is differentiated in the place of callables."""

    def register(function: R) -> R:
        global _version
        for callee in callees:
            _substitutes[id(callee)] = function
            _constant.discard(id(callee))
            _alive.append(callee)
            by_identity.add(id(callee))
        _version += 1
        return function

    return register


def constant(*callees: object) -> None:
    """Declares that results of these callables carry no derivative: shapes, comparisons, draws."""
    global _version
    for callee in callees:
        _constant.add(id(callee))
        _alive.append(callee)
        by_identity.add(id(callee))
    _version += 1


# Rules that few programs need are registered when a function of the module is first seen that has
# none: of `numpy` itself, what isn't an everyday function.
LATE = {
    "_bisect": ("heaps",),
    "_heapq": ("heaps",),
    "cmath": ("complex_scalar",),
    "copy": ("copies",),
    "heapq": ("heaps",),
    "itertools": ("lazy",),
    "numpy": (
        "array_iteration", "array_stores", "composites", "einsum", "order_statistics",
        "polynomials",
    ),
    "numpy.fft": ("fourier",),
    "numpy.linalg": ("linalg", "factorisations", "linalg_composites", "norms"),
    "numpy.random": ("draws",),
    "scipy.fft": ("fourier", "scipy_fft"),
    "scipy.integrate": ("scipy_integrate",),
    "scipy.interpolate": ("scipy_interpolate",),
    "scipy.optimize": ("scipy_optimize",),
    "scipy.sparse": ("scipy_sparse",),
    "scipy.sparse.linalg": ("scipy_sparse",),
    "scipy.ndimage": ("scipy_signal", "scipy_ndimage"),
    "scipy.stats": ("special_functions", "special_gamma", "scipy_stats"),
    "scipy.signal": ("scipy_signal",),
    "scipy.linalg": ("scipy_solve", "scipy_matrices", "scipy_factorisations"),
    "scipy.special": ("special_functions", "special_gamma", "special_bessel"),
    "statistics": ("averages",),
    "zyg.iterators": ("iteration_twice",),
}


def rule_of(callee: object) -> Rule | None:
    _look_for(callee)
    return _rules.get(id(callee))


def _look_for(callee: object) -> None:
    """Registers what zyg has for a callable that nothing is known of yet."""
    key = id(callee)
    if key in _rules or key in _constant or key in _substitutes:
        return
    owner = callee if hasattr(callee, "__module__") else getattr(callee, "__objclass__", None)
    module = getattr(owner, "__module__", None)
    if not isinstance(module, str):
        return
    # Functions of `numpy.lib._function_base_impl` belong to numpy, those of `numpy.random.mtrand`
    # to numpy.random.
    package = module.partition("._")[0].removesuffix(".lib").removesuffix(".mtrand")
    if package in LATE:
        register_late(package)


def register_imported() -> None:
    """Registers the rules of those parts of SciPy that the program has imported.

    The ufuncs of `special` don't say where they come from; of the others is known what a call may
    overwrite.
    """
    for package in ("scipy.special", "scipy.linalg", "scipy.fft"):
        if package in sys.modules:
            register_late(package)


def register_late(package: str) -> None:
    """Registers zyg's rules for a module of `LATE`; rules of the user's for it stay."""
    global _version
    missing = [f"zyg.rules.{name}" for name in LATE[package]]
    missing = [name for name in missing if name not in sys.modules]
    if missing:
        rules, substitutes = dict(_rules), dict(_substitutes)
        constants, version = set(_constant), _version
        for name in missing:
            importlib.import_module(name)
        _rules.update(rules)
        _substitutes.update(substitutes)
        _constant.update(constants)
        _constant.difference_update(rules, substitutes)
        _version = version  # no code was made for these functions before


def takes_pullback(rule: Rule) -> bool:
    """Whether a rule differentiates a function that it is given, by `pullback`."""
    return "pullback" in (getattr(rule, "__kwdefaults__", None) or ())


def substitute_of(callee: object) -> Callable[..., Any] | None:
    _look_for(callee)
    return _substitutes.get(id(callee))


def is_constant(callee: object) -> bool:
    _look_for(callee)
    return id(callee) in _constant


def outdate() -> None:
    """Has all code made anew at its next call: what it was made for is no longer so."""
    global _version
    _version += 1


def version() -> int:
    """Grows with each registration, so that generated code can tell that it is out of date."""
    return _version
