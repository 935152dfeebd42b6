"""Memory that a function puts into an object and changes there, and its caller has a name for."""

from dataclasses import dataclass, field

import numpy as np

from tests.corpus.registry import program


class Box:
    def __init__(self, held=None):
        self.held = held

    def fill(self, n, x, into):
        self.held = into
        for i in range(n):
            self.held.append(x * x + i)


def appended_twice(box, x):
    for i in range(2):
        box.held.append(x * x + i)


def stored_twice(box, x):
    for i in range(2):
        box.held[i] = x * x + i


def appended_in_a_new_object(x, items):
    appended_twice(Box(items), x)


def stored_in_a_new_object(x, items):
    box = Box(items)
    stored_twice(box, x)


def put_into(box, x, items):
    box.held = items
    appended_twice(box, x)


def put_into_a_new_one(x, items):
    box = Box(items)
    appended_twice(box, x)
    return box


def by_a_nested_function(x, items):
    def add(n):
        if n > 0:
            add(n - 1)
        items.append(x * n)

    add(3)


def visited(visit, n):
    for i in range(n):
        visit(i)


def unless_it_fails(x, items):
    box = Box(items)
    try:
        appended_twice(box, x)
        box.held.append(x / 0)
    except ZeroDivisionError:
        box.held.append(x**3)


FUNCTIONS = [appended_in_a_new_object, print, "appended"]


@program((0.7,))
def by_a_method(x):
    items = []
    Box().fill(2, x, items)
    return sum(items)


@program((0.7,))
def array_and_part_of_it(x):
    whole, other = np.zeros(3), np.zeros((2, 2))
    stored_in_a_new_object(x, whole)
    stored_in_a_new_object(x, other.T[1])
    return whole @ whole + np.sum(other**2)


@program((0.7,))
def in_a_loop(x):
    items = [x]
    for _ in range(2):
        appended_in_a_new_object(x, items)
        x = x + items[-1]
    return sum(items)


@program((0.7,))
def in_an_object_of_the_callers(x):
    items, box = [x], Box()
    put_into(box, x, items)
    return sum(items) + box.held[1]


@program((0.7,))
def one_of_two_rows(x):
    rows = [[1.0, 0.0], [2.0, x]]
    stored_in_a_new_object(x, rows[1])
    return rows[1][0] * rows[1][1] + rows[0][0]


@program((0.7,))
def beside_what_is_given_back(x):
    items = []
    box = put_into_a_new_one(x, items)
    return sum(items) * box.held[0]


@program((0.7,))
def by_what_calls_itself(x):
    items = []
    by_a_nested_function(x, items)
    return sum(item * item for item in items)


@program((0.7,))
def by_a_visitor(x):
    items, seen = [x], 0

    def add(i):
        nonlocal seen
        seen = seen + i
        items.append(x * x)

    visited(add, 2)
    return sum(items) * seen


@program((0.7,))
def in_try(x):
    items = []
    unless_it_fails(x, items)
    return sum(items)


@program((0.7, 0))
def by_a_function_that_is_found(x, n):
    items = []
    FUNCTIONS[n](x, items)
    return sum(items)


@program((0.7,), (-0.7,))
def one_of_two_lists(x):
    first, second = [1.0, 2.0], [3.0, 4.0]
    chosen = first if x > 0 else second
    stored_in_a_new_object(x, chosen)
    return first[0] * second[0] + chosen[1]


class Node:
    def __init__(self, value, before=()):
        self.value = value
        self.before = before


def collected(last, order):
    def visit(node):
        for other in node.before:
            visit(other)
        order.append(node)

    visit(last)


@program((0.7,))
def nodes_in_their_order(x):
    first = Node(x)
    last = Node(first.value * 2, (first, Node(x * x, (first,))))
    order = []
    collected(last, order)
    for node in order:
        node.value = node.value * node.value
    return sum(i * node.value for i, node in enumerate(order))


def by_an_item_of_ones_own(items, x):
    for i in range(2):
        table = {}
        table["items"] = items
        table["items"][i] = x * x


def by_a_function_that_gives_it(items, x):
    def get():
        return items

    for _ in range(2):
        given = get()
        given[0] = x * x


def by_another_name(box, x):
    held = box.held
    for _ in range(2):
        held *= x


def added_by_another_name(items, x):
    held = Box(items).held
    for _ in range(2):
        held += [x]


def by_what_a_nested_function_has_captured(items, x):
    box = Box()

    def fill(x):
        box.held = items
        stored_twice(box, x)

    fill(x)


@program((0.7,))
def under_other_names(x):
    first, second, third = [1.0, 2.0], [2.0, x], [x]
    by_an_item_of_ones_own(first, x)
    by_a_function_that_gives_it(second, x)
    added_by_another_name(third, x)
    return first[0] * first[1] + second[0] * second[1] + sum(third)


@program((0.7,))
def captured_by_a_nested_function(x):
    items, table = [1.0, 2.0], {"items": [x, 1.0]}
    by_what_a_nested_function_has_captured(items, x)
    by_what_a_nested_function_has_captured(table["items"], x * x)
    return items[0] * items[1] + table["items"][0]


@program((0.7,))
def scaled_by_another_name(x):
    whole = np.ones(2)
    by_another_name(Box(whole), x)
    return np.sum(whole * whole)


@dataclass
class Record:
    value: object
    more: list = field(default_factory=list)


def filled_between_steps(items, x):
    for k in range(1):
        record = Record(0)
        record.more.append(items)
        for _ in range(1):
            record.more[0].insert(0, x)
        yield k


@program((0.7,))
def by_a_generator(x):
    items = [1.0, 2.0, 0.5]
    for _ in filled_between_steps(items, x):
        pass
    return sum([item * item for item in items])
