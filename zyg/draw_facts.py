"""What inference knows of generators of random numbers: that `shuffle` changes what it is given."""

from __future__ import annotations

import random

import numpy as np

from ir import facts
from ir.container_facts import class_attribute
from ir.fact_rules import always
from ir.types import Instance, Known, Method, Type

GENERATORS = (random.Random, np.random.Generator, np.random.RandomState)


@facts.attributes(Instance)
def method_of_generator(type_: Instance, name: str) -> Type:
    if name != "shuffle" or not issubclass(type_.cls, GENERATORS):
        return class_attribute(type_, name)
    return Method(Known(getattr(type_.cls, name)), type_)


always(Instance(np.random.Generator), np.random.default_rng, np.random.Generator)
always(Instance(np.random.RandomState), np.random.RandomState)
always(Instance(random.Random), random.Random)
