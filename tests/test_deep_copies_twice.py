"""Second derivatives of programs that make deep copies of objects: by code for each class."""

import contextlib
import copy
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest

import zyg
from tests.orders_of_modes import MODES, check_second_derivative

X = 1.3


class Body:
    count = 0
    name = "body"

    def __init__(self, x):
        self.x = x
        self.v = np.array([x, x * x])
        self.log = [x]
        self.next = None

    @property
    def energy(self):
        return self.x * np.sum(self.v**2)

    def stepped(self, rate):
        later = copy.deepcopy(self)
        later.x = later.x * rate
        later.v += self.x
        later.v[0] *= rate
        later.log.append(later.energy)
        later.count = self.count + 1
        return later

    def total(self):
        return self.energy * sum(self.log) + self.count


class Group:
    def __init__(self, bodies, leader):
        self.bodies = bodies
        self.leader = leader

    def total(self):
        return sum(body.total() for body in self.bodies) * self.leader.energy


def steps_of_a_simulation(x):
    body, first = Body(x), None
    for i in range(3):
        later = body.stepped(x * 0.5 + i)
        first = first or later
        body = later
    return body.total() * first.energy * len(body.log)


def both_are_changed(x):
    body = Body(x)
    other = copy.deepcopy(body)
    other.x = other.x * body.x
    body.v[0] = x**3
    other.v[1] *= other.x
    body.log.append(other.v[0])
    other.log[0] += body.v[0] * x
    return body.total() * other.total()


def objects_in_objects(x):
    group = Group([Body(x * 2), Body(x * x)], Body(x))
    other = copy.deepcopy(group)
    other.bodies[0].x = group.bodies[1].x
    group.bodies[0].v *= x
    other.bodies[1].log.append(x)
    other.leader.v[0] = other.leader.v[1] * x
    return group.total() * other.total()


def linked_objects(x):
    first = Body(x)
    first.next = Body(x * x)
    first.next.next = Body(x * 2)
    other = copy.deepcopy(first)
    other.next.x = other.next.x * first.x
    first.next.v[0] = other.next.x
    total, node = 0.0, other
    while node is not None:
        total = total + node.energy * first.energy
        node = node.next
    return total + first.next.energy


def lists_and_dicts_of_objects(x):
    bodies = [Body(x), Body(x * x)]
    named = {"a": Body(x), "b": Body(2.0)}
    copied, again = copy.deepcopy(bodies), copy.deepcopy(named)
    copied[0].x = x**3
    bodies[1].v[0] = copied[0].x
    again["a"].log.append(x)
    named["b"].x = again["a"].x * x
    total = sum(body.total() for body in copied) * sum(body.total() for body in bodies)
    return total + again["a"].total() * named["b"].total() * again["b"].total()


def objects_in_a_tuple(x):
    body, factor = copy.deepcopy((Body(x), x * 2))
    body.x = body.x * factor
    return body.total()


class Slotted:
    __slots__ = ("items", "rate", "unset")

    def __init__(self, rate, items):
        self.rate = rate
        self.items = items


def objects_with_slots(x):
    slotted = Slotted(x, [x, x * x])
    other = copy.deepcopy(slotted)
    other.items[0] = other.rate * x
    slotted.rate = other.items[0]
    return other.rate * other.items[0] * slotted.items[0] * slotted.rate


@dataclass
class State:
    t: float
    q: list
    history: list = field(default_factory=list)

    def advance(self, rate):
        self.history.append(copy.deepcopy(self.q))
        self.t += rate
        self.q[0] += self.q[1] * rate
        self.q[1] -= self.q[0] * rate


def data_classes(x):
    state, past = State(x, [x, 1.0]), []
    for _ in range(3):
        past.append(copy.deepcopy(state))
        state.advance(0.1 * x)
    return sum(one.t * one.q[0] for one in past) * state.q[1] * state.history[1][0]


class Special(Body):
    def __deepcopy__(self, memo):
        made = Special(self.x * 2)
        made.log = self.log
        return made


def classes_that_say_how(x):
    body = Special(x)
    other = copy.deepcopy(body)
    other.log.append(x)
    other.x = other.x * x
    return other.total() * body.total()


def namespaces(x):
    space = SimpleNamespace(a=x, rows=[x, x * x], inner=SimpleNamespace(b=x))
    other, same = copy.deepcopy(space), copy.copy(space)
    other.rows[0] = x**3
    same.rows[1] *= x
    other.inner.b = other.a * x
    same.a = 2.0
    return other.rows[0] * space.rows[1] * other.inner.b * same.inner.b * space.a * same.a


def copies_of_copies(x):
    body = Body(x)
    other = copy.deepcopy(body)
    other.log.append(x)
    third = copy.deepcopy(other)
    third.log[1] = third.log[0] * x
    other.v[0] = third.log[1]
    return body.total() * other.total() * third.total()


def functions_in_objects(x):
    body = Body(x)
    body.rule = np.sin
    other = copy.deepcopy(body)
    other.x = other.rule(body.x)
    return other.total() * body.rule(x)


def one_of_two_arms(x):
    body = Body(x)
    other = copy.deepcopy(body) if x > 1.0 else body
    other.x = other.x * x
    other.v[0] = x
    return body.total() * other.total()


GLOBAL = Group([Body(2.0)], Body(3.0))


def object_in_a_global(x):
    group = copy.deepcopy(GLOBAL)
    group.leader.x = group.leader.x * x
    group.bodies[0].v[0] = x
    group.bodies[0].log.append(x * x)
    return group.total() * group.leader.x


PROGRAMS = [
    steps_of_a_simulation, both_are_changed, objects_in_objects, linked_objects,
    lists_and_dicts_of_objects, objects_in_a_tuple, objects_with_slots, data_classes,
    classes_that_say_how, namespaces, copies_of_copies, functions_in_objects, one_of_two_arms,
    object_in_a_global,
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative(f, mode):
    check_second_derivative(f, mode, mode, X)


@pytest.mark.thorough
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative_by_both_modes(f, mode):
    other = MODES[1 - MODES.index(mode)]
    check_second_derivative(f, mode, other, X)


# Refused, or right


class Tree:
    def __init__(self, x, branches):
        self.x = x
        self.branches = branches

    def total(self):
        return self.x * self.x + sum(branch.total() for branch in self.branches)


def objects_in_objects_of_their_class(x):
    tree = Tree(x, [Tree(x * x, []), Tree(2.0, [])])
    other = copy.deepcopy(tree)
    other.branches[0].x = other.branches[1].x * x
    return tree.total() * other.total()


@pytest.mark.parametrize("mode", MODES)
def test_recursive_copies(mode):
    with contextlib.suppress(zyg.ZygError):
        check_second_derivative(objects_in_objects_of_their_class, mode, mode, X)


# Refused: what is shared is shared in the copy


def one_object_twice(x):
    part = Body(x)
    group = Group([part, part], Body(x))
    other = copy.deepcopy(group)
    other.bodies[0].x = x * x
    return other.total()


def one_list_in_two_objects(x):
    first, second = Body(x), Body(x * x)
    second.log = first.log
    both = copy.deepcopy([first, second])
    both[0].log.append(x)
    return both[1].total()


def objects_in_a_circle(x):
    body = Body(x)
    body.next = body
    other = copy.deepcopy(body)
    other.next.x = x * x
    return other.energy


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", [one_object_twice, one_list_in_two_objects, objects_in_a_circle])
def test_shared_parts_are_refused(f, mode):
    with pytest.raises(zyg.ZygError):
        mode(mode(f))(X)
