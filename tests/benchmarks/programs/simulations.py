"""Simulations as they are written with classes and dicts: bodies that attract, and a queue.

The adjoints by hand keep numbers in lists in the place of objects, write methods out, and save what
they read. In the queue the order of the events is that of the primal: only their times move.
"""

import math

from tests.benchmarks.program import Program


class Body:
    def __init__(self, x, y, vx, vy, mass):
        self.x = x
        self.y = y
        self.vx = vx
        self.vy = vy
        self.mass = mass


class System:
    def __init__(self, bodies, softening):
        self.bodies = bodies
        self.softening = softening

    def kick(self, dt):
        bodies = self.bodies
        for i in range(len(bodies)):
            a = bodies[i]
            for j in range(i):
                b = bodies[j]
                dx = b.x - a.x
                dy = b.y - a.y
                r2 = dx * dx + dy * dy + self.softening
                f = dt / (r2 * math.sqrt(r2))
                a.vx += f * b.mass * dx
                a.vy += f * b.mass * dy
                b.vx -= f * a.mass * dx
                b.vy -= f * a.mass * dy

    def drift(self, dt):
        for body in self.bodies:
            body.x += dt * body.vx
            body.y += dt * body.vy

    def energy(self):
        return sum([0.5 * b.mass * (b.vx * b.vx + b.vy * b.vy) for b in self.bodies])


def leapfrog(size, speed, softening, dt):
    bodies = [
        Body(
            size * math.cos(i), size * math.sin(i), -speed * math.sin(i), speed * math.cos(i),
            1.0 / (i + 1),
        )
        for i in range(5)
    ]
    system = System(bodies, softening)
    for _ in range(50):
        system.drift(0.5 * dt)
        system.kick(dt)
        system.drift(0.5 * dt)
    return system.energy()


def leapfrog_by_hand(size, speed, softening, dt):
    every = range(5)
    pairs = [(i, j) for i in every for j in range(i)]
    cos = [math.cos(i) for i in every]
    sin = [math.sin(i) for i in every]
    mass = [1.0 / (i + 1) for i in every]
    x = [size * c for c in cos]
    y = [size * s for s in sin]
    vx = [-speed * s for s in sin]
    vy = [speed * c for c in cos]
    half = 0.5 * dt
    records = []
    for _ in range(50):
        before = vx.copy(), vy.copy()
        for i in every:
            x[i] += half * vx[i]
            y[i] += half * vy[i]
        forces = []
        for i, j in pairs:
            dx = x[j] - x[i]
            dy = y[j] - y[i]
            r2 = dx * dx + dy * dy + softening
            g = 1.0 / (r2 * math.sqrt(r2))
            forces.append((i, j, dx, dy, r2, g))
            f = dt * g
            fi = f * mass[i]
            fj = f * mass[j]
            vx[i] += fj * dx
            vy[i] += fj * dy
            vx[j] -= fi * dx
            vy[j] -= fi * dy
        for i in every:
            x[i] += half * vx[i]
            y[i] += half * vy[i]
        records.append((before, forces, vx.copy(), vy.copy()))
    x_bar = [0.0] * 5
    y_bar = [0.0] * 5
    vx_bar = [m * v for m, v in zip(mass, vx, strict=True)]
    vy_bar = [m * v for m, v in zip(mass, vy, strict=True)]
    half_bar = dt_bar = softening_bar = 0.0
    for (vx_before, vy_before), forces, vx, vy in reversed(records):
        for i in every:
            half_bar += x_bar[i] * vx[i] + y_bar[i] * vy[i]
            vx_bar[i] += half * x_bar[i]
            vy_bar[i] += half * y_bar[i]
        for i, j, dx, dy, r2, g in reversed(forces):
            mi, mj = mass[i], mass[j]
            px = mj * vx_bar[i] - mi * vx_bar[j]
            py = mj * vy_bar[i] - mi * vy_bar[j]
            along = px * dx + py * dy
            f = dt * g
            dt_bar += along * g
            r2_bar = -1.5 * along * f / r2
            softening_bar += r2_bar
            dx_bar = f * px + 2.0 * dx * r2_bar
            dy_bar = f * py + 2.0 * dy * r2_bar
            x_bar[j] += dx_bar
            x_bar[i] -= dx_bar
            y_bar[j] += dy_bar
            y_bar[i] -= dy_bar
        for i in every:
            half_bar += x_bar[i] * vx_before[i] + y_bar[i] * vy_before[i]
            vx_bar[i] += half * x_bar[i]
            vy_bar[i] += half * y_bar[i]
    size_bar = sum([x_bar[i] * cos[i] + y_bar[i] * sin[i] for i in every])
    speed_bar = sum([vy_bar[i] * cos[i] - vx_bar[i] * sin[i] for i in every])
    return size_bar, speed_bar, softening_bar, dt_bar + 0.5 * half_bar


NEXT = {"arrival": "desk", "desk": "test"}
SERVED = 50


def mean_stay(spacing, desk, test):
    """The mean time that a customer spends at two counters, one behind the other."""
    rates = {"arrival": spacing, "desk": desk, "test": test}
    events = {"arrival": spacing, "desk": math.inf, "test": math.inf}
    queues = {"desk": 0, "test": 0}
    stay = time = 0.0
    counts = {"arrival": 0, "desk": 0, "test": 0}
    present = served = 0
    while served < SERVED:
        name = min(events, key=events.get)
        now = events[name]
        stay += present * (now - time)
        time = now
        counts[name] += 1
        factor = 0.5 + counts[name] * 0.618 % 1.0
        if name == "arrival":
            present += 1
            events[name] = now + rates[name] * factor
        else:
            queues[name] -= 1
            events[name] = now + rates[name] * factor if queues[name] else math.inf
        try:
            target = NEXT[name]
            queues[target] += 1
            if queues[target] == 1:
                events[target] = now + rates[target] * factor
        except KeyError:
            present -= 1
            served += 1
    return stay / SERVED


def mean_stay_by_hand(spacing, desk, test):
    rates = {"arrival": spacing, "desk": desk, "test": test}
    events = {"arrival": spacing, "desk": math.inf, "test": math.inf}
    queues = {"desk": 0, "test": 0}
    counts = {"arrival": 0, "desk": 0, "test": 0}
    present = served = 0
    records = []
    while served < SERVED:
        name = min(events, key=events.get)
        now = events[name]
        counts[name] += 1
        factor = 0.5 + counts[name] * 0.618 % 1.0
        before = present
        if name == "arrival":
            present += 1
            again = True
        else:
            queues[name] -= 1
            again = queues[name] > 0
        events[name] = now + rates[name] * factor if again else math.inf
        target = NEXT.get(name)
        if target is None:
            present -= 1
            served += 1
        else:
            queues[target] += 1
            if queues[target] == 1:
                events[target] = now + rates[target] * factor
            else:
                target = None
        records.append((name, before, factor, again, target))
    rate_bars = {"arrival": 0.0, "desk": 0.0, "test": 0.0}
    event_bars = {"arrival": 0.0, "desk": 0.0, "test": 0.0}
    time_bar = 0.0
    for name, before, factor, again, target in reversed(records):
        weight = before / SERVED
        now_bar = time_bar + weight
        time_bar = -weight
        if target is not None:
            bar = event_bars[target]
            event_bars[target] = 0.0
            rate_bars[target] += factor * bar
            now_bar += bar
        if again:
            bar = event_bars[name]
            rate_bars[name] += factor * bar
            now_bar += bar
        event_bars[name] = now_bar
    return rate_bars["arrival"] + event_bars["arrival"], rate_bars["desk"], rate_bars["test"]


# The peers know neither attributes of objects nor dicts that change.
PEERS = frozenset({"autograd", "jax", "torch"})
PROGRAMS = (
    Program("leapfrog", leapfrog, leapfrog_by_hand, (1.0, 0.3, 0.05, 0.01), without=PEERS),
    Program("mean_stay", mean_stay, mean_stay_by_hand, (1.0, 0.8, 0.9), without=PEERS),
)
