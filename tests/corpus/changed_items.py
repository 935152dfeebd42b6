"""Items of objects, sets, and parts of arrays, that are changed by `+=` and the like."""

import numpy as np

from tests.corpus.registry import program


class Cell:
    """Whose items are one attribute."""

    def __init__(self, value):
        self.value = value

    def __getitem__(self, key):
        return self.value

    def __setitem__(self, key, value):
        self.value = value


class Table:
    """Whose items are those of a dict, with a default."""

    def __init__(self):
        self.items = {}

    def __getitem__(self, key):
        return self.items.get(key, 0.0)

    def __setitem__(self, key, value):
        self.items[key] = value

    def __delitem__(self, key):
        self.items["deleted"] = self[key]
        del self.items[key]

    def doubled(self, key):
        self[key] *= 2.0
        return self


@program((1.5, 0.7))
def augmented_items_of_objects(x, y):
    cell = Cell(x)
    cell[0] *= y
    for key in range(3):
        cell[key] += x * key
    table = Table()
    for key in "abca":
        table[key] += x * y
    table.doubled("a")["b"] -= y
    del table["c"]
    return cell.value * table["a"] + table["b"] * table["deleted"]


@program((1.5, 0.7))
def augmented_items_of_objects_in_containers(x, y):
    cells = [Cell(x), Cell(y)]
    held = {"cell": Cell(x * y)}
    cells[0][0] **= 2
    held["cell"][0] -= cells[1][0]
    cells[1][0] = cells[0][0] * 3.0
    return cells[1].value * held["cell"].value


@program((1.5, 0.7), (0.5, 0.7))
def an_object_or_a_dict(x, y):
    items = Cell(x) if x > 1.0 else [y]
    items[0] = x * y + y
    return items[0] * y


@program((1.5, 0.7))
def sets_of_numbers(x, y):
    some = {x, y, x * y} | {2.0 * x}
    some -= {y}
    return sum(some & {x, 5.0}) * sum(some ^ {x}) + sum({x, y}.union([x * 3.0]).difference([x]))


@program((1.5, 0.7))
def sets_that_lose_members(x, y):
    some = {x, 2.0 * x}
    more, sizes = some | {y}, sorted(some)
    squares = [member * member for member in some]
    some.discard(x)
    some.add(x * y)
    more.symmetric_difference_update({y, x + y})
    return sum(more) * sizes[0] ** 2 + sum(squares) * sum([one**3 for one in some])


@program((1.5, 0.7))
def frontier_of_a_graph(x, y):
    neighbours = {0: [1, 2], 1: [3], 2: [3], 3: [0]}
    seen, front, total, weight = set(), {0}, 0.0, x
    while front:
        seen |= front
        reached = set()
        for node in sorted(front):
            reached.update(neighbours[node])
            total += weight * y
        front = reached - seen
        weight *= x
    return total


@program((np.array([1.5, 0.7, 0.3]),))
def part_that_a_loop_changes(x):
    padded = np.zeros((2, len(x) + 2))
    padded[0, 1:-1] = x
    inner, other = padded[0, 1:-1], padded[1, 1:-1]
    for i in range(3):
        inner *= 0.5
        if i % 2:
            other += inner * x
        else:
            other -= 0.1
        padded[:, 0] = padded[:, -2]
    return np.sum(padded * padded) + np.sum(inner)


class Halved(Cell):
    """Whose items aren't what was stored."""

    def __setitem__(self, key, value):
        self.value = value / 2.0

    def __delitem__(self, key):
        self.value = self.value * 3.0

    def append(self, value):
        self.value = self.value * value


class Call:
    """A function's arguments, which are known when the program runs."""

    def __init__(self, *arguments):
        self.arguments = arguments

    def of(self, function):
        return function(*self.arguments)


def stored_in_either(x, y):
    items = Halved(x) if x > 1.0 else [y, x]
    items[0] = x * y + y
    items[0] += x
    items.append(y * y)
    return items[0] * y


def stored_in_either_once(x, y):
    items = Halved(x) if x > 1.0 else [y]
    items[0] = x * y + y
    return items[0] * y


@program((1.5, 0.7), (0.5, 0.7))
def an_object_or_a_list_at_run_time(x, y):
    return Call(x, y).of(stored_in_either) * stored_in_either(y, x)


@program((1.5, 0.7), (0.5, 0.7))
def an_object_or_a_list_once_at_run_time(x, y):
    return Call(x, y).of(stored_in_either_once)


@program((1.5, 0.7), (0.5, 0.7))
def an_object_or_a_list_that_is_shortened(x, y):
    items = Halved(x) if x > 1.0 else [y, x]
    alias = items
    items[0] *= y
    del items[0]
    return alias[0] * y


@program((1.5, 0.7))
def objects_among_lists_and_arrays(x, y):
    total = 0.0
    for items in (Halved(x), [y], np.array([x, y])):
        items[0] = items[0] * y
        items[0] += x
        total += items[0] ** 2
    return total
