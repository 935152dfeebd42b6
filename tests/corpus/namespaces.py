"""`types.SimpleNamespace`: made, read and changed like an object of a class of one's own."""

import copy
import math
import types
from types import SimpleNamespace

import numpy as np

from tests.corpus.registry import program


class Parameters(SimpleNamespace):
    """Attributes that its caller names, and methods."""

    def norm(self):
        return math.sqrt(self.a**2 + self.b**2)

    @property
    def total(self):
        return self.a + self.b


class State(SimpleNamespace):
    def __init__(self, x, **others):
        super().__init__(x=x, **others)
        self.steps = 0

    def step(self):
        self.x = self.x * 1.5
        self.steps += 1
        return self


class Shifted(SimpleNamespace):
    def __init__(self, x):
        super().__init__(x=x + 1.0)


@program((1.3, 0.7))
def namespace_of_numbers(x, y):
    point = types.SimpleNamespace(x=x, y=y * y)
    return point.x * point.y


@program((1.3,))
def namespace_with_more(x):
    p = SimpleNamespace(a=x, count=3)
    p.c = p.a * p.count
    p.a *= p.c
    empty = SimpleNamespace()
    empty.z = p.a + p.c
    del p.c
    return empty.z * p.a if not hasattr(p, "c") else x


@program((1.3,))
def namespace_of_a_dict(x):
    given = {"a": x, "b": x * x}
    p = SimpleNamespace(**given, self=3.0 * x)
    return p.a * p.b + p.self


@program((0.5,))
def oscillator_in_a_namespace(x):
    state = SimpleNamespace(position=x, velocity=0.0, history=[], mode="euler")

    def step(state, dt):
        state.position += dt * state.velocity
        state.velocity -= dt * state.position
        state.history.append(state.position)

    for _ in range(4):
        step(state, 0.1)
    if state.mode == "euler":
        state.velocity *= 2
    return sum(state.history) * state.velocity


@program((1.2,))
def namespaces_in_each_other(x):
    c = SimpleNamespace(inner=SimpleNamespace(k=x, m=2.0), w=np.array([x, 2 * x]))
    c.inner.k = c.inner.k**2
    c.w[0] = c.inner.k
    named = {"p": c.inner, "q": SimpleNamespace(k=x * x)}
    for value in named.values():
        value.k = value.k * 2
    return np.sum(c.w) * c.inner.m * named["q"].k + c.inner.k


@program((Parameters(a=1.5, inner=Parameters(w=[1.0, 2.0]), n=2), 0.7))
def namespace_as_argument(p, x):
    p.a = p.a * x
    p.inner.w[0] = p.a * p.n
    return p.a + sum(p.inner.w) * x


@program((1.4,))
def namespaces_in_a_list(x):
    parts = [SimpleNamespace(v=x * i, order=-i) for i in range(3)]
    parts.sort(key=lambda part: part.order)
    for part in parts:
        part.v += 0.1 * x
    return parts[0].v * 2 + parts[1].v ** 2 + max(parts, key=lambda part: part.v).v


@program((1.4,))
def dicts_of_namespaces(x):
    s = SimpleNamespace(a=x, b=x * x)
    vars(s).update(c=3 * x)
    s.__dict__["d"] = x**3
    return sum(vars(s).values()) + getattr(s, "e", x) * len(vars(s))


@program((1.4,))
def copied_namespaces(x):
    s = SimpleNamespace(a=x, inner=SimpleNamespace(c=x * x), values=[x, 2.0])
    shallow, deep = copy.copy(s), copy.deepcopy(s)
    shallow.a = 3 * x
    shallow.inner.c *= 2
    deep.inner.c *= 3
    deep.values[0] = 5 * x
    return s.a * shallow.a * s.inner.c * deep.inner.c * deep.values[0] * shallow.values[0]


@program((1.4,))
def classes_of_namespaces(x):
    p = Parameters(a=x, b=3.0)
    s = State(x, y=x * x)
    return p.norm() * p.total + s.step().step().x * s.y * s.steps + Shifted(x).x


@program((1.4, "square"), (1.4, "cube"), (1.4, "other"))
def matched_namespaces(x, kind):
    match SimpleNamespace(value=x, kind=kind):
        case SimpleNamespace(kind="square", value=value):
            return value * value
        case SimpleNamespace(kind="cube", value=value):
            return value**3
        case _:
            return x


@program((1.4,))
def functions_in_a_namespace(x):
    s = SimpleNamespace(f=lambda t: t * t * x, g=math.sin, twice=None)
    s.twice = lambda t: s.f(s.f(t))
    return s.f(x) * s.g(x) + s.twice(x)
