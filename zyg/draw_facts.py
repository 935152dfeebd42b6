"""What inference knows of generators of random numbers: that `shuffle` changes what it is given.

Neither `random` nor `numpy.random` is imported for that: few programs need them, and they take a
fifth of the time of `import zyg`.
"""

from __future__ import annotations

import sys

from ir import facts
from ir.container_facts import class_attribute
from ir.fact_rules import always
from ir.types import Instance, Known, Method, Type

# By module and name.
GENERATORS = {
    ("random", "Random"),
    ("numpy.random._generator", "Generator"),
    ("numpy.random.mtrand", "RandomState"),
}


def is_generator(cls: type) -> bool:
    return any((base.__module__, base.__name__) in GENERATORS for base in cls.__mro__)


@facts.attributes(Instance)
def method_of_generator(type_: Instance, name: str) -> Type:
    if name != "shuffle" or not is_generator(type_.cls):
        return class_attribute(type_, name)
    return Method(Known(getattr(type_.cls, name)), type_)


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
