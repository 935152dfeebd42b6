"""Data classes whose objects differentiated code makes, changes, compares and makes anew."""

from dataclasses import dataclass, field, replace

from tests.corpus.registry import program


@dataclass
class Particle:
    position: float
    velocity: float = 1.0
    mass: float = field(default=2.0, kw_only=True)
    history: tuple = field(default_factory=tuple, init=False, repr=False)
    energy: float = field(init=False)

    def __post_init__(self):
        self.energy = 0.5 * self.mass * self.velocity**2

    def step(self, dt):
        self.position += self.velocity * dt
        self.history = (*self.history, self.position)


@dataclass
class Charged(Particle):
    charge: float = 1.0

    def __post_init__(self):
        super().__post_init__()
        self.energy += self.charge * self.position


@program((2.0, 3.0))
def data_class_with_everything(a, b):
    p = Particle(a, b, mass=a * b)
    p.step(0.5)
    p.step(a)
    return p.energy * p.history[0] * p.position


@program((2.0, 3.0))
def data_class_that_inherits(a, b):
    p = Charged(a, charge=b)
    p.step(b)
    q = replace(p, position=p.position * a, velocity=p.energy)
    return q.energy * p.energy + q.position


@dataclass(frozen=True, slots=True)
class State:
    x: float
    v: float

    def __add__(self, other):
        return State(self.x + other.x, self.v + other.v)

    def __mul__(self, factor):
        return State(self.x * factor, self.v * factor)


@program((1.0, 0.5))
def runge_kutta_of_frozen_states(x, v):
    def slope(state):
        return State(state.v, -state.x - 0.1 * state.v**3)

    state = State(x, v)
    for _ in range(3):
        first = slope(state)
        second = slope(state + first * 0.05)
        third = slope(state + second * 0.05)
        fourth = slope(state + third * 0.1)
        state = state + (first + second * 2.0 + third * 2.0 + fourth) * (0.1 / 6)
    return state.x * state.v


@dataclass(order=True)
class Ranked:
    rank: float
    value: float = field(compare=False)


@program((2.0, 3.0), (3.0, 2.0))
def smallest_by_generated_comparison(a, b):
    items = [Ranked(a, b), Ranked(b, a * b)]
    first = min(items)
    first.value = first.value * a
    return sorted(items)[0].value * max(items).value
