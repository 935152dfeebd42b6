"""Attributes by computed names, `vars` and `__dict__`, attributes of classes, copies of objects."""

import copy
import dataclasses
from collections import namedtuple

import numpy as np

from tests.corpus.registry import program

Pair = namedtuple("Pair", "a b")


class Box:
    made = 0

    def __init__(self, x, y=1.0):
        self.x = x
        self.y = y
        Box.made += 1
        self.number = type(self).made

    def scaled(self, factor):
        for name in self.__dict__:
            self.__dict__[name] *= factor
        return self

    def twin(self):
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made


class Fields:
    def __init__(self, **fields):
        self.__dict__.update(fields)


class Holder:
    def __init__(self, **fields):
        for name, value in fields.items():
            setattr(self, name, value)


@program((1.3,))
def names_that_are_computed(x):
    box = Box(x)
    for name in ("x", "y"):
        setattr(box, name, getattr(box, name) * x)
        delattr(box, "number" if name == "x" else "x")
    for name in ("x", "z"):
        if not hasattr(box, name):
            setattr(box, name, x * x)
    return box.x * box.y + box.z


@program((1.3,))
def items_of_an_object(x):
    box = Holder(a=x, b=x * x)
    total = sum(vars(box).values()) * vars(box)["a"]
    for name, value in box.__dict__.items():
        total += value * len(name)
    box.__dict__["a"] = x * 5
    vars(box)["b"] += x
    del vars(box)["a"]
    vars(box).update(c=x, d=vars(box).get("a", 2.0) * vars(box).pop("b"))
    return total + box.c * box.d if "a" not in vars(box) and len(f"{vars(box)}") else 0.0


@program((1.3,))
def objects_from_dicts(x):
    fields, other = Fields(a=x, b=x * x), Fields(**{"a": 3.0, "c": x})
    both = {**vars(fields), **vars(other)}
    copied = dict(vars(fields))
    copied["a"] = 7.0
    return both["a"] * both["b"] * both["c"] + fields.a * copied["b"]


@program((1.3,))
def methods_that_walk_over_attributes(x):
    box = Box(x, x * x).scaled(x)
    twin = box.twin()
    box.x = 3.0
    return twin.x * box.y * box.x


@program((1.3,))
def visits_what_objects_hold(x):
    total = 0.0

    def visit(value):
        nonlocal total
        for _, part in sorted(vars(value).items()):
            if isinstance(part, Holder):
                visit(part)
            else:
                total = total + part * part

    visit(Holder(a=x, b=Holder(c=x * x)))
    return total


class Counter:
    count = 0
    last = ""

    def __init__(self):
        self.__class__.count += 1


@program((1.3,))
def counts_in_a_class(x):
    Counter.count = 0
    before = Counter.count
    for _ in range(3):
        Counter()
    Counter.last = "third"
    return x * Counter.count + before + len(Counter.last)


@program((1.3,))
def deep_copies(x):
    box = Holder(a=x, b=[x, x * x], c=np.array([x, 2.0]), d=Holder(e=x))
    other = copy.deepcopy(box)
    other.b[0] = 5.0
    other.c[1] *= x
    other.d.e = other.d.e * other.a
    box.a = 3.0
    return other.a * other.b[1] * box.b[0] + other.c[1] * box.c[1] + other.d.e * box.d.e


@program((1.3,))
def deep_copies_of_what_is_shared(x):
    shared = Holder(v=x)
    first, second = copy.deepcopy([Holder(p=shared), Holder(p=shared)])
    first.p.v = first.p.v * 3
    return second.p.v * shared.v


class OwnWay:
    def __init__(self, value):
        self.value = value

    def __deepcopy__(self, memo):
        return OwnWay(self.value * 2)


@program((1.3,))
def states_of_the_past(x):
    state, past = Holder(x=x, y=[x, 2 * x]), []
    for _ in range(3):
        past.append(copy.deepcopy(state))
        state.x = state.x * x
        state.y[0] = state.y[0] * state.x
    return sum([one.x * one.y[0] * one.y[1] for one in past]) * copy.deepcopy(OwnWay(x)).value


@dataclasses.dataclass
class Base:
    a: float
    b: float = 2.0


class Derived(Base):
    def __init__(self, a, c):
        super().__init__(a * 2, c)
        self.c = c * 3


class ByName(Base):
    def __init__(self, a, c):
        Base.__init__(self, a, b=c)


@program((1.3,))
def made_by_the_class_above(x):
    derived = Derived(x, x * x)
    both = [cls(x, derived.c) for cls in (Derived, ByName)]
    return derived.a * derived.b + both[0].a * both[1].b


@dataclasses.dataclass
class Nested:
    base: Base
    items: list
    z: float


@program((1.3,))
def records_of_objects(x):
    nested = Nested(Base(x, x * x), [Base(x), x], x)
    as_dict, as_tuple = dataclasses.asdict(nested), dataclasses.astuple(nested)
    nested.z = 0.0
    pair = Pair(x, x * x)._asdict()
    first = as_dict["base"]["b"] * as_dict["items"][0]["a"] * as_dict["z"] + as_dict["items"][1]
    return first + as_tuple[0][1] * as_tuple[1][0][0] * as_tuple[2] + pair["a"] * pair["b"]
