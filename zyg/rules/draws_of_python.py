"""Draws of Python's `random` among given items, and of normal numbers.

    random.choices(xs, weights, k=2)      positions = random.choices(range(len(xs)), weights, k=2)
                                          [xs[i] for i in positions]

The same positions are drawn as by Python; only the items have derivatives. What else `random` has
(`choice`, `sample`, `expovariate`) is Python code around numbers, which is differentiated.
"""

from __future__ import annotations

import functools
import random

import numpy as np

from ir import facts
from ir.library.fact_rules import always
from ir.types import TOP, Scalar, Sequence, Type, class_of
from zyg.errors import NotDifferentiable
from zyg.rules.registry import constant, substitute

# Inference doesn't look into these, which would lead it back to what they stand in.
normal_number = functools.partial(random.Random.gauss, mu=0.0, sigma=1.0)
chosen = functools.partial(random.Random.choices)


@substitute(random.Random.gauss)
def gauss(self, mu=0.0, sigma=1.0):
    return mu + normal_number(self) * sigma


def _order_shuffled(generator, items):
    """The positions of items in the order into which the generator shuffles them."""
    if isinstance(items, np.ndarray):
        order = np.arange(len(items)).reshape((-1,) + (1,) * (items.ndim - 1))
        generator.shuffle(order)
        return order.reshape(-1)
    positions = list(range(len(items)))
    generator.shuffle(positions)
    return positions


order_shuffled = functools.partial(_order_shuffled)


@substitute(random.Random.shuffle)
def shuffle(self, x):
    order = order_shuffled(self, x)
    x[:] = [x[i] for i in order]


@substitute(np.random.Generator.shuffle)
def shuffle_of_numpy(self, x, axis=0):
    if axis != 0:
        raise NotDifferentiable("Generator.shuffle along an axis; shuffle a transposed array")
    order = order_shuffled(self, x)
    if isinstance(x, np.ndarray):
        x[:] = x[order]
    else:
        x[:] = [x[i] for i in order]


@substitute(np.random.RandomState.shuffle)
def legacy_shuffle(self, x):
    order = order_shuffled(self, x)
    if isinstance(x, np.ndarray):
        x[:] = x[order]
    else:
        x[:] = [x[i] for i in order]


@substitute(random.Random.choices)
def choices(self, population, weights=None, *, cum_weights=None, k=1):
    positions = chosen(self, range(len(population)), weights, cum_weights=cum_weights, k=k)
    return [population[i] for i in positions]


constant(normal_number, order_shuffled, chosen)
facts.effect(normal_number, order_shuffled, chosen)  # on the generator
POSITIONS = Sequence(list, Scalar(int))
always(Scalar(float), normal_number)
always(POSITIONS, chosen)


@facts.result(order_shuffled)
def _type_of_order(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    cls = class_of(args[1])
    return TOP if cls is None or issubclass(cls, np.ndarray) else POSITIONS
