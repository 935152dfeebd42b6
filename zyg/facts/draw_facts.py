"""What inference knows of generators of random numbers: which methods they have, and what draws
give.

    rng.normal(x[N1], 1.0)   -> float64[N1]         random numbers are new memory
    rng.integers(3)          -> int64
    rng.random((n, 1))       -> float64[?, 1]

Neither `random` nor `numpy.random` is imported for that: few programs need them, and they take a
fifth of the time of `import zyg`.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ir import facts
from ir.library.container_facts import class_attribute
from ir.library.fact_rules import always, declare, is_int
from ir.types import TOP, Instance, Known, Method, Scalar, Tuple, Type, class_of
from zyg.array_type import (
    Array,
    Dims,
    array_of,
    as_array,
    broadcast,
    dims_of,
    dtypes_in,
    is_number,
)
from zyg.facts.numpy_shapes import argument, dims_from

# By module and name.
GENERATORS = {
    ("random", "Random"),
    ("numpy.random._generator", "Generator"),
    ("numpy.random.mtrand", "RandomState"),
}
OF_NUMPY = ("Generator", "RandomState")
# The parameters of draws of floats, in front of `size`. Single numbers are Python's.
FLOATS = {
    "random": (), "random_sample": (), "standard_normal": (), "standard_exponential": (),
    "exponential": ("scale",), "rayleigh": ("scale",),
    "normal": ("loc", "scale"), "laplace": ("loc", "scale"), "logistic": ("loc", "scale"),
    "gumbel": ("loc", "scale"), "lognormal": ("mean", "sigma"), "uniform": ("low", "high"),
}
# Those that take the sizes themselves as their arguments.
BY_SIZES = ("rand", "randn")
# Draws of integers: the parameters in front of `size`.
INTEGERS = {"poisson": ("lam",), "binomial": ("n", "p"), "geometric": ("p",)}
BOUNDED = ("integers", "randint")
AMONG_ITEMS = ("choice", "permutation")
# Methods that are code in differentiated programs (`zyg.rules.draws_of_python`).
OF_ALL = ("shuffle", "choices", "gauss")
DRAWS = {*FLOATS, *INTEGERS, *BY_SIZES, *BOUNDED, *AMONG_ITEMS}


def is_generator(cls: type) -> bool:
    return any((base.__module__, base.__name__) in GENERATORS for base in cls.__mro__)


def is_numpys(cls: type) -> bool:
    """Whether this is a class of generators itself: one of a user's that derives from it may hold
    anything."""
    return cls.__name__ in OF_NUMPY and (cls.__module__, cls.__name__) in GENERATORS


facts.opaque(is_numpys)


@facts.attributes(Instance)
def method_of_generator(type_: Instance, name: str) -> Type:
    """A draw is that of the class: nothing can be stored into a generator of NumPy's."""
    is_known = name in OF_ALL and is_generator(type_.cls)
    if not is_known and not (is_numpys(type_.cls) and name in DRAWS):
        return class_attribute(type_, name)
    method = getattr(type_.cls, name, None)
    return TOP if method is None else Method(Known(method), type_)


def dims_of_parameters(types: list[Type]) -> Dims | None:
    """What the parameters of a distribution broadcast to."""
    found: list[Dims | None] = []
    for type_ in types:
        array = type_ if is_number(type_) else as_array(type_)
        found.append(None if array is None else dims_of(array))
    return broadcast(found)


def drawn(names: tuple[str, ...], item: type, start: int) -> facts.ResultOf:
    """The rule of a draw whose parameters begin at an argument, behind the generator itself."""

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        args = args[start:]
        if len(args) > len(names) + 1 or not kwargs.keys() <= {*names, "size"}:
            return TOP  # of a given dtype, or into a given array
        given = [argument(args, kwargs, i, name, Scalar(item)) for i, name in enumerate(names)]
        size = argument(args, kwargs, len(names), "size", Known(None))
        if size != Known(None):
            return sized(size, item)
        dims = dims_of_parameters(given)
        if dims is None:
            return TOP
        return array_of(np.dtype(item), dims) if dims else Scalar(item)

    return result_of


def sized(size: Type, item: Any) -> Type:
    dims = dims_from(size)
    return TOP if dims is None else array_of(np.dtype(item), dims)


def drawn_by_sizes(start: int) -> facts.ResultOf:
    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        dims = None if kwargs else dims_from(Tuple(args[start:]))
        if dims is None:
            return TOP
        return array_of(np.dtype(float), dims) if dims else Scalar(float)

    return result_of


def bounded(start: int) -> facts.ResultOf:
    """The rule of draws of integers between bounds: what is drawn at once is an array."""

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        size = argument(args[start:], kwargs, 2, "size", Known(None))
        is_plain = len(args) <= start + 3 and kwargs.keys() <= {"low", "high", "size", "endpoint"}
        return sized(size, int) if is_plain and size != Known(None) else TOP

    return result_of


def chosen(start: int) -> facts.ResultOf:
    """The rule of draws of items of an array or list, or of numbers below one."""

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        items = argument(args[start:], kwargs, 0, "a", TOP)
        size = argument(args[start:], kwargs, 1, "size", Known(None))
        if not kwargs.keys() <= {"a", "size", "replace", "p"}:
            return TOP
        if is_int(items):
            return TOP if size == Known(None) else sized(size, int)
        dtype = _dtype_in(items)
        if dtype is None:
            return TOP
        return Scalar(dtype.type) if size == Known(None) else sized(size, dtype)

    return result_of


def _dtype_in(items: Type) -> np.dtype[Any] | None:
    """What the numbers in a list or array of one dimension are; None where that isn't known."""
    if isinstance(items, Array):
        return items.dtype if items.dims is not None and len(items.dims) == 1 else None
    item = facts.item_of(items) if class_of(items) in (list, tuple) else TOP
    kinds = dtypes_in(item)
    if isinstance(item, Array) or len(kinds) != 1:
        return None
    return kinds.pop()


def permuted(start: int) -> facts.ResultOf:
    """The rule of permutations of the rows of an array, or of the numbers below one."""

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        items = argument(args[start:], kwargs, 0, "x", TOP)
        if is_int(items):
            return sized(items, int)
        return items if isinstance(items, Array) and items.dims else TOP

    return result_of


def declare_draws(owner: Any, start: int) -> None:
    """Of the methods of a class, or of the functions of the module."""
    for names, item in ((FLOATS, float), (INTEGERS, int)):
        for name, parameters in names.items():
            if hasattr(owner, name):
                declare(getattr(owner, name))(drawn(parameters, item, start))
                facts.fresh(getattr(owner, name))
    rules = {
        **dict.fromkeys(BY_SIZES, drawn_by_sizes), **dict.fromkeys(BOUNDED, bounded),
        "choice": chosen, "permutation": permuted,
    }
    for name, rule in rules.items():
        if hasattr(owner, name):
            declare(getattr(owner, name))(rule(start))
            facts.fresh(getattr(owner, name))


@facts.of_module("random", "numpy.random", "numpy.random._generator", "numpy.random.mtrand")
def declare_makers() -> None:
    """Of the modules that are imported: callables of the others don't exist."""
    for module, name in GENERATORS:
        if module in sys.modules:
            cls = getattr(sys.modules[module], name)
            always(Instance(cls), cls)
    if "numpy.random" in sys.modules:
        numpy_random = sys.modules["numpy.random"]
        always(Instance(numpy_random.Generator), numpy_random.default_rng)
        declare_draws(numpy_random, 0)
        for name in OF_NUMPY:
            declare_draws(getattr(numpy_random, name), 1)
