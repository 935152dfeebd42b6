"""Classes of the user's that derive from lists, dicts, tuples and collections, made and changed."""

import math
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

from tests.corpus.registry import program

ITEMS = [1.0, 2.0, 3.0]


class Params(dict):
    scale = 0.5

    def scaled(self, k):
        return type(self)({name: k * value for name, value in self.items()})

    def norm(self):
        return sum([value * value for value in self.values()]) ** 0.5

    @property
    def count(self):
        return len(self)

    @classmethod
    def of(cls, **values):
        return cls(values)

    @staticmethod
    def doubled(x):
        return 2.0 * x


class Tree(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self[name] = value


class Aliased(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class Mirrored(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__dict__ = self


class Layer(dict):
    def __init__(self, w, b):
        super().__init__(w=w, b=b)

    def __call__(self, x):
        return self["w"] * x + self["b"]


class Vector(list):
    def __add__(self, other):
        return Vector([a + b for a, b in zip(self, other, strict=True)])

    def __mul__(self, k):
        return Vector([a * k for a in self])

    __rmul__ = __mul__

    def dot(self, other):
        return sum(a * b for a, b in zip(self, other, strict=True))


class Polynomial(list):
    def __init__(self, coefficients):
        super().__init__([c for c in coefficients if c != 0.0])

    def __call__(self, x):
        total = 0.0
        for c in reversed(self):
            total = total * x + c
        return total


class Stack(list):
    def push(self, *items):
        for item in items:
            super().append(item)
        return self

    def peek(self):
        return self[-1]


class Point(tuple):
    __slots__ = ()

    def __new__(cls, x, y=1.0):
        return super().__new__(cls, (x, y))

    x = property(lambda self: self[0])
    y = property(lambda self: self[1])

    def __sub__(self, other):
        return Point(self.x - other.x, self.y - other.y)

    def norm(self):
        return sum([c * c for c in self]) ** 0.5


class Row(tuple):
    def total(self):
        return sum(self)


class Window(deque):
    def mean(self):
        return sum(self) / len(self)


class Ordered(OrderedDict):
    def first(self):
        return next(iter(self.values()))


class Groups(defaultdict):
    pass


class Counts(Counter):
    pass


class Holder:
    def __init__(self, items):
        self.items = items


@program((2.0, 3.0))
def parameters(x, y):
    p = Params(a=x, b=y)
    p["c"] = p["a"] * p["b"]
    p["a"] *= y
    p.update(d=x * x)
    q = p.scaled(y)
    return q["c"] * p.pop("a") * p["d"] + p.norm() + q.count + Params.of(z=x)["z"] * p.doubled(y)


@program((2.0, 3.0))
def items_as_attributes(x, y):
    p = Tree(a=x, layer=Tree(w=y, b=x))
    p.c = p.a * p.layer.w
    q = Aliased(a=p.c, b=y)
    q.c = q.a * q.b
    del q.a
    return p.c * q.c * p.layer.b * len(q)


@program((2.0, 3.0))
def items_of_trees_changed(x, y):
    p = Tree(layer=Tree(w=x, b=y))
    for _ in range(3):
        p.layer.w = p.layer.w * p.layer.b
        p.layer.b -= 0.1 * p.layer.w
    return p.layer.w * p.layer.b


@program((2.0, 3.0))
def a_dict_that_is_its_dict(x, y):
    p = Mirrored(a=x, b=y)
    p.c = p.a * p["b"]
    p.c *= x
    p["d"] = p.c * y
    return sum(p.values()) * p.d


@program((2.0, 3.0))
def filled_by_an_init(x, y):
    layers = [Layer(x, y), Layer(y, x)]
    for layer in layers:
        x = math.tanh(layer(x))
    return x * Polynomial([x, y, 1.0])(y)


@program((2.0, 3.0))
def vectors(x, y):
    v = Vector([x, y]) + Vector([y, y])
    w = 2.0 * v * x
    w[0] = w[1] * y
    w += [x]
    plain = w[1:] + [y]
    return v.dot(w[:2]) * w[2] + sum(plain) * max(w)


@program((2.0, 3.0))
def stacks(x, y):
    s = Stack()
    s.push(x, y).push(x * y)
    s *= 2
    total = s.pop() * s.peek()
    return total * sum(s) * len(s)


@program(([[1.0, 2.0, 3.0], [0.5, 1.5, 2.5]], 2.0))
def rows_of_lists(rows, x):
    table = Vector([Vector(row) for row in rows])
    table[0][1] = x * table[1][2]
    row = table[1]
    row[0] = row[0] * x
    return table[0].dot(table[1])


@program((np.array([1.0, 2.0]), 3.0))
def arrays_in_dicts(a, x):
    p = Params(w=a * x, b=np.ones(2) * x)
    p["w"] += p["b"] * x
    p["w"][0] = p["w"][1] * 2.0
    return np.sum(p["w"] * p["b"])


@program((2.0, 3.0))
def points(x, y):
    p, total = Point(x, y), 0.0
    for k in range(1, 4):
        p = p - Point(0.5 * k)
        a, b = p
        total += p.norm() * a * b
    return total * Row([x, y, total]).total() * (isinstance(p, tuple) + len(p))


@program((ITEMS, 2.0))
def collections_of_ones_own(xs, x):
    window = Window(maxlen=2)
    groups, counts = Groups(float), Counts()
    for i, item in enumerate(xs):
        window.append(item * x)
        groups[i % 2] += window.mean()
        counts["all"] += item * x
    ordered = Ordered(a=groups[0], b=groups[1])
    ordered.move_to_end("a")
    return ordered.first() * counts["all"] * window.popleft() * (1.0 + counts["none"])


@program((2.0, 3.0))
def held_by_an_object(x, y):
    holder = Holder(Vector([x, y]))
    again = holder.items
    again.append(x * y)
    holder.items[0] = again[2] * again[0]
    return holder.items.dot(again)


@program((2.0, 3.0))
def changed_by_callees(x, y):
    def bump(p, name):
        p[name] = p[name] * y
        return p

    p = Params(a=x)
    try:
        bump(p, "a")
        bump(p, "b")
    except KeyError:
        p["b"] = x
    return bump(p, "b")["b"] * p["a"] * p.scale


@program((2.0, 3.0))
def structures_mapped(x, y):
    def mapped(tree):
        if isinstance(tree, dict):
            return type(tree)({name: mapped(part) for name, part in tree.items()})
        return tree * tree

    found = mapped(Params(a=x, b=Params(c=y)))
    return found["a"] * found["b"]["c"]


@program((2.0, 3.0))
def methods_by_their_names(x, y):
    p = Params(a=x)
    dict.__setitem__(p, "b", y * x)
    p.__setitem__("c", dict.__getitem__(p, "b"))
    items = [x]
    list.append(items, y)
    list.__setitem__(items, 0, p["c"])
    return items.__getitem__(0) * items[1] * list.__len__(items)


class NeverTrue(list):
    def __bool__(self):
        return False


@program((1.5,))
def popped_from_a_list_that_is_never_true(x):
    items = NeverTrue([x, x * x])
    last = items.pop()
    return last * items.pop(0) + (x if items else last)
