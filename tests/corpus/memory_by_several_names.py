"""Memory that objects hold and that branches and loops give other names to."""

import numpy as np

from tests.corpus.registry import program


class Holder:
    def __init__(self, items):
        self.items = items


@program((2.0,))
def held_since_the_first_iteration(x):
    holder, items, total = Holder([0.0]), None, 0.0
    for i in range(3):
        if i == 0:
            items = [x]
            holder.items = items
        else:
            holder.items[0] = holder.items[0] * x
        total += items[0]
    return total


@program((2.0,))
def replaced_in_the_first_iteration(x):
    holder, items, total = Holder([0.0]), [x], 0.0
    for i in range(3):
        if i == 0:
            items = [x * x]
            holder.items = items
        else:
            holder.items[0] = holder.items[0] * x
        total += items[0]
    return total


@program((2.0, True), (2.0, False))
def held_or_not(x, is_held):
    holder = Holder([x])
    items = holder.items if is_held else [x]
    holder.items[0] = holder.items[0] * x
    return items[0]


@program((2.0,))
def read_out_in_a_later_iteration(x):
    holder, items = Holder([x]), [x]
    for i in range(3):
        if i == 1:
            items = holder.items
        holder.items[0] = holder.items[0] * x
        x = x + items[0]
    return x


@program((2.0,))
def read_before_it_is_held(x):
    holder, items, total = Holder([x]), [x], 0.0
    for i in range(3):
        total += items[0]
        if i == 0:
            holder.items = items
        holder.items[0] = holder.items[0] * x
    return total


@program((2.0,))
def held_anew_in_each_iteration(x):
    holder, items, total = Holder([x]), [x], 0.0
    for _ in range(3):
        holder.items = items
        total += items[0]
        holder.items[0] = holder.items[0] * x
    return total


@program((2.0, 0.5))
def array_held_anew_in_each_iteration(x, y):
    array, total = np.stack([x, y]), 0.0
    holder = Holder(array)
    for _ in range(3):
        holder.items = array
        total += np.sum(array) * y
        holder.items *= x
    return total


@program((2.0, True), (2.0, False))
def held_after_the_branch(x, is_same):
    holder, items = Holder([x]), [x]
    chosen = items if is_same else [x, x]
    holder.items = items
    holder.items[0] = holder.items[0] * x
    return chosen[0]
