"""Objects that refer to each other: lists, trees, graphs, parents, owners, observers."""

import math
from dataclasses import dataclass

import numpy as np

from tests.corpus.registry import program


class Link:
    def __init__(self, value, rest=None):
        self.value = value
        self.rest = rest


class Chain:
    """A linked list with a head, to which one pushes."""

    def __init__(self):
        self.head = None
        self.length = 0

    def push(self, value):
        self.head = Link(value, self.head)
        self.length += 1
        return self

    def pop(self):
        link = self.head
        self.head = link.rest
        self.length -= 1
        return link.value

    def reverse(self):
        before, link = None, self.head
        while link is not None:
            after = link.rest
            link.rest = before
            before, link = link, after
        self.head = before


@program((2.0, 3.0))
def linked_list_that_is_walked(a, b):
    chain = Chain().push(a).push(b).push(a * b)
    link, weight, total = chain.head, 1.0, 0.0
    while link:
        link.value = link.value * weight
        total = total + link.value
        weight = weight * b
        link = link.rest
    return total * chain.head.value


@program((2.0, 3.0))
def linked_list_reversed_and_popped(a, b):
    chain = Chain().push(a).push(b).push(a * b)
    chain.reverse()
    first = chain.pop()
    chain.head.value = chain.head.value * first
    return first * chain.pop() ** 2 * chain.pop() * chain.length + chain.length


@program((Link(1.0, Link(2.0, Link(3.0))), 2.0))
def linked_list_as_argument(link, factor):
    first = link
    while link is not None:
        link.value = link.value * factor
        if link.rest is not None:
            link.rest.value += link.value
        link = link.rest
    return first.value + first.rest.value * first.rest.rest.value


@program((2.0, 3.0))
def appended_at_the_end(a, b):
    head = tail = Link(a)
    for i in range(3):
        tail.rest = Link(tail.value * b + i)
        tail = tail.rest
    return head.rest.value * tail.value


@program((2.0, 3.0))
def last_link_by_recursion(a, b):
    def last(link):
        return link if link.rest is None else last(link.rest)

    link = Link(a, Link(b, Link(a * b)))
    last(link).value *= a
    last(link).rest = Link(b)
    return last(link).value * link.rest.rest.value


class Tree:
    """A search tree: what is inserted changes the tree in a place far below."""

    def __init__(self, key, value):
        self.key = key
        self.value = value
        self.left = self.right = None
        self.parent = None

    def insert(self, key, value):
        if key == self.key:
            self.value = self.value + value
        elif key < self.key:
            if self.left is None:
                self.left = Tree(key, value)
                self.left.parent = self
            else:
                self.left.insert(key, value)
        elif self.right is None:
            self.right = Tree(key, value)
            self.right.parent = self
        else:
            self.right.insert(key, value)

    def sum(self):
        total = self.value
        for child in (self.left, self.right):
            if child is not None:
                total += child.sum()
        return total

    def depth_weighted(self, weight):
        if self.parent is not None:
            self.value = self.value * self.parent.value
        total = self.value * weight
        if self.left:
            total += self.left.depth_weighted(weight * 2)
        if self.right:
            total += self.right.depth_weighted(weight * 3)
        return total


@program((2.0, 3.0))
def search_tree(a, b):
    tree = Tree(5, a)
    for key, value in ((3, b), (8, a * b), (4, a), (3, a * a)):
        tree.insert(key, value)
    return tree.sum() * tree.left.right.value


@program((2.0, 3.0))
def tree_with_parents(a, b):
    tree = Tree(5, a)
    tree.insert(2, b)
    tree.insert(7, a * b)
    tree.insert(1, 1.0)
    return tree.depth_weighted(a) + tree.left.left.parent.parent.value


class Node:
    def __init__(self, name, value):
        self.name = name
        self.value = value
        self.neighbours = ()
        self.grad = 0.0

    def connect(self, *others):
        self.neighbours = (*self.neighbours, *others)


@program((2.0, 3.0))
def diffusion_on_a_cyclic_graph(a, b):
    nodes = [Node(name, value) for name, value in zip("abc", (a, b, a * b), strict=True)]
    first, second, third = nodes
    first.connect(second, third)
    second.connect(first)
    third.connect(first, second, third)
    for _ in range(2):
        flows = [sum(n.value for n in node.neighbours) for node in nodes]
        for node, flow in zip(nodes, flows, strict=True):
            node.value = node.value + 0.1 * (flow - len(node.neighbours) * node.value)
    return first.value * third.neighbours[0].value + second.value


@program((2.0, 3.0))
def sweep_over_a_cyclic_graph(a, b):
    nodes = {name: Node(name, value) for name, value in (("x", a), ("y", b), ("z", a * b))}
    nodes["x"].connect(nodes["y"])
    nodes["y"].connect(nodes["z"])
    nodes["z"].connect(nodes["x"], nodes["y"])
    for _ in range(2):
        for node in nodes.values():
            for other in node.neighbours:
                other.value = other.value + 0.5 * node.value
    return nodes["x"].value * nodes["z"].value


class Value:
    """Reverse mode by hand: a graph of objects, walked backwards."""

    def __init__(self, data, parents=(), weights=()):
        self.data = data
        self.grad = 0.0
        self.parents = parents
        self.weights = weights

    def __add__(self, other):
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def tanh(self):
        y = math.tanh(self.data)
        return Value(y, (self,), (1 - y * y,))

    def backward(self, grad):
        self.grad += grad
        for parent, weight in zip(self.parents, self.weights, strict=True):
            parent.backward(grad * weight)


@program((0.2, 0.3))
def reverse_mode_inside(a, b):
    x, y = Value(a), Value(b)
    z = (x * y + x).tanh() * y
    z.backward(1.0)
    return x.grad * y.grad + z.data


class Account:
    def __init__(self, owner, balance=0.0):
        self.owner = owner
        self.balance = balance
        self.observers = ()

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("the amount must be positive")
        self.balance += amount
        self.notify(amount)

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("insufficient funds")
        self.balance -= amount
        self.notify(-amount)
        return amount

    def transfer(self, other, amount):
        other.deposit(self.withdraw(amount) * 0.9)

    def notify(self, amount):
        for observer in self.observers:
            observer(self, amount)


class Savings(Account):
    rate = 0.05

    def compound(self, years):
        for _ in range(years):
            self.deposit(self.balance * self.rate)
        return self


class Audit:
    def __init__(self):
        self.volume = 0.0
        self.largest = None

    def __call__(self, account, amount):
        self.volume += abs(amount)
        if self.largest is None or amount > self.largest:
            self.largest = amount
            self.owner = account.owner


class Bank:
    def __init__(self, *accounts):
        self.accounts = {account.owner: account for account in accounts}
        self.fees = 0.0

    def transfer(self, source, target, amount, fee=0.01):
        self.accounts[source].transfer(self.accounts[target], amount * (1 - fee))
        self.fees += amount * fee

    @property
    def total(self):
        return sum(account.balance for account in self.accounts.values())


@program((100.0, 20.0))
def bank_with_transfers(a, b):
    bank = Bank(Account("ann", a), Savings("bob", b))
    bank.transfer("ann", "bob", b)
    bank.accounts["bob"].compound(3)
    bank.transfer("bob", "ann", a / 10, fee=0.1)
    return bank.total * bank.fees


@program((100.0, 20.0))
def accounts_that_are_observed(a, b):
    audit, other = Audit(), Audit()
    ann, bob = Account("ann", a), Savings("bob", b)
    ann.observers = (audit, lambda account, amount: other(account, amount * b))
    bob.observers = (audit,)
    ann.transfer(bob, a / 2)
    bob.compound(2).transfer(ann, b)
    return audit.volume * other.largest + audit.largest


@program((Account("ann", 100.0), 20.0))
def account_as_argument(account, amount):
    before = account.balance
    account.deposit(amount)
    account.deposit(account.balance)
    return account.balance * before


@dataclass
class Body:
    x: float
    v: float
    mass: float = 1.0


class System:
    def __init__(self, bodies):
        self.bodies = bodies
        self.time = 0.0

    def forces(self):
        return [
            sum(
                other.mass * body.mass * (other.x - body.x)
                for other in self.bodies if other is not body
            )
            for body in self.bodies
        ]

    def step(self, dt):
        for body, force in zip(self.bodies, self.forces(), strict=True):
            body.v += force / body.mass * dt
            body.x += body.v * dt
        self.time += dt

    def energy(self):
        return sum(body.mass * body.v**2 / 2 for body in self.bodies)


@program(
    (0.1, [Body(0.0, 0.1), Body(1.0, -0.1, 2.0), Body(2.0, 0.3, 0.5)]),
)
def bodies_that_attract_each_other(dt, bodies):
    system = System(bodies)
    while system.time < 0.35:
        system.step(dt)
    return system.energy() * system.bodies[0].x


class Light:
    """A machine of states, each of which is an object."""

    def __init__(self, energy):
        self.energy = energy
        self.state = Off()

    def press(self, strength):
        self.state = self.state.press(self, strength)


class Off:
    def press(self, light, strength):
        light.energy = light.energy * strength
        return On(strength)


class On:
    def __init__(self, strength):
        self.strength = strength

    def press(self, light, strength):
        light.energy = light.energy - self.strength * strength
        if strength > 2:
            return Off()
        self.strength += strength
        return self


@program((5.0, 1.5), (5.0, 2.5))
def machine_of_states(energy, strength):
    light = Light(energy)
    for i in range(4):
        light.press(strength + 0.1 * i)
    return light.energy * strength


class Query:
    """A builder: each method changes the object and returns it."""

    def __init__(self):
        self.scale = 1.0
        self.offset = None
        self.name = "query"

    def times(self, factor):
        self.scale *= factor
        return self

    def plus(self, offset):
        self.offset = offset if self.offset is None else self.offset + offset
        return self

    def called(self, name):
        self.name = name
        return self

    def on(self, x):
        return x * self.scale + (self.offset or 0.0)


@program((2.0, 3.0))
def fluent_builder(a, b):
    query = Query().times(a).plus(b).called("linear").times(b).plus(a)
    return query.on(a) * query.scale if query.name == "linear" else 0.0


@program((2.0, np.array([1.0, 2.0])))
def attribute_of_many_types(a, x):
    holder = Link(None)
    seen = 0.0
    for i in range(4):
        if holder.value is None:
            holder.value = a
        elif isinstance(holder.value, float):
            seen = seen + holder.value
            holder.value = x * holder.value
        else:
            holder.value = np.sum(holder.value) * i
            holder.rest = holder
    return seen * holder.value


@program((2.0, 3.0))
def objects_in_tuples_and_dicts(a, b):
    link = Link(a)
    pair = (link, {"link": link, "other": [Link(b), link]})
    pair[1]["link"].value = link.value * b
    pair[1]["other"][0].value *= pair[0].value
    pair[1]["other"][-1].value += b
    first, *_ = pair[1]["other"]
    return first.value * link.value


@program((2.0, 3.0))
def objects_exchanged_in_a_list(a, b):
    links = [Link(a), Link(b)]
    kept = links[0]
    links[0], links[1] = links[1], links[0]
    links[1].value = links[1].value * links[0].value
    links[0].rest = links[1]
    return kept.value * links[0].rest.value * links[0].value


@program((2.0, 3.0), (3.0, 2.0))
def object_chosen_by_a_condition(a, b):
    first, second = Link(a), Link(b)
    chosen = first if a > b else second
    other = second if chosen is first else first
    chosen.value = chosen.value * other.value
    other = None or chosen
    other.value += a
    return first.value * second.value


@program((2.0, 3.0))
def object_returned_by_a_function(a, b):
    def double(link):
        link.value = link.value * 2
        return link, link.rest

    link, rest = double(Link(a, Link(b)))
    rest.value = rest.value * link.value
    same, _ = double(link)
    return same.value * link.rest.value + same.rest.value


class Total:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def __call__(self, x, y):
        return self.first(x, y) + self.second(x, y)


class Smooth:
    def __init__(self, width):
        self.width = width

    def __call__(self, x, y):
        return np.exp(-0.5 * ((x[:, None] - y[None, :]) / self.width) ** 2)


class Noise:
    def __init__(self, level):
        self.level = level

    def __call__(self, x, y):
        return self.level**2 * np.eye(len(x)) if x is y else np.zeros((len(x), len(y)))


@program((0.8, 0.6))
def sums_of_functions_that_are_objects(width, level):
    x, other = np.array([0.0, 0.5, 1.1]), np.array([0.2, 1.5])
    covariance = Total(Total(Smooth(width), Smooth(0.3)), Noise(level))
    factor = np.linalg.cholesky(covariance(x, x))
    weights = np.linalg.solve(factor, np.sin(x))
    return weights @ weights + np.sum(covariance(other, x) ** 2) + np.log(np.diag(factor)).sum()
