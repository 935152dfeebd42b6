"""Simulations as one writes them: objects that hold arrays, beside local ones that are changed."""

import heapq
import math
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from tests.corpus.registry import program

X = np.array([[0.3, -1.2], [0.8, 0.4], [-0.5, 1.1]])


class Body:
    def __init__(self, mass, x, v):
        self.mass = mass
        self.x = x
        self.v = v

    def kick(self, force, dt):
        self.v = self.v + force / self.mass * dt

    def drift(self, dt):
        self.x = self.x + self.v * dt


@program((np.array([1.0, 2.0, 0.5]), X, X[::-1] * 0.2))
def forces_summed_in_place(masses, xs, vs):
    bodies = [Body(m, x.copy(), v.copy()) for m, x, v in zip(masses, xs, vs)]
    for _ in range(3):
        for body in bodies:
            body.drift(0.05)
        for i, a in enumerate(bodies):
            force = np.zeros(2)
            for j, b in enumerate(bodies):
                if i != j:
                    d = b.x - a.x
                    force += a.mass * b.mass * d / (d @ d + 0.1) ** 1.5
            a.kick(force, 0.05)
    return sum(0.5 * body.mass * (body.v @ body.v) for body in bodies)


@program((np.array([1.0, 2.0, 0.5]), X))
def forces_in_a_list_and_then_positions_in_place(masses, xs):
    bodies = [Body(m, x.copy(), np.zeros(2)) for m, x in zip(masses, xs)]
    for _ in range(2):
        forces = []
        for a in bodies:
            force = np.zeros(2)
            for b in bodies:
                if a is not b:
                    force = force + b.mass * (b.x - a.x)
            forces.append(force)
        for body, force in zip(bodies, forces):
            body.x += 0.1 * force
    return np.sum(bodies[0].x * bodies[1].x**2) + float(bodies[2].x @ bodies[2].x)


@program((0.5, X[0]))
def scaled_added_to_and_subtracted_from(m, x):
    bodies = [Body(m, x.copy(), x * m), Body(m * m, x * 2, x)]
    total = np.zeros(2)
    for body in bodies:
        total *= body.mass
        total += body.x * body.mass
        total -= body.v / 3
        body.x = body.x + total
    return (total @ x) * bodies[0].mass + np.sum(bodies[0].x * bodies[1].x)


@program((0.5, X[0]))
def masses_that_become_running_sums(m, x):
    body, total = Body(m, x.copy(), x), 0.0
    for _ in range(2):
        total = total + body.mass
        body.mass = total
    return total * x[0] * body.mass


@program((X, X[0]))
def sums_of_loops_in_a_list(xs, x):
    body, sums = Body(1.0, x.copy(), x), []
    for row in xs:
        total = np.zeros(2)
        for k in range(3):
            total = total + row * x**k
        sums.append(total)
    body.x += 1
    return np.sum(body.x * sums[1] * sums[2])


@program(({"gates": np.stack([X, X + 0.3, X * 0.5]), "bias": X}, X[:, ::-1]))
def gates_by_a_generator(weights, inputs):
    h = np.zeros(3)
    for x in inputs:
        pairs = zip(weights["gates"], weights["bias"].T[0])
        forget, enter, leave = (np.tanh(w @ x + b) for w, b in pairs)
        first, *_ = [*(gate * h for gate in (forget, enter))]
        h = leave * np.tanh(first + enter)
    return float(np.mean(h**2))


class Filter:
    def __init__(self, transition):
        self.transition = transition
        self.history = []

    def update(self, state, seen):
        state = self.transition @ state
        state = state + 0.3 * (seen - state)
        self.history.append((state, self.transition @ state))
        return state

    def smoothed(self):
        state = self.history[-1][0]
        states = [state]
        for past, ahead in reversed(self.history[:-1]):
            state = past + self.transition.T @ (state - ahead)
            states.insert(0, state)
        return np.array(states)


@program((np.array([[0.9, 0.2], [-0.1, 0.8]]), X))
def filtered_forward_and_smoothed_backward(transition, observations):
    model, state = Filter(transition), np.zeros(2)
    for seen in observations:
        state = model.update(state, seen)
    return np.sum(model.smoothed() ** 2)


@program((np.array([1.0, 0.7, 2.1, 0.4, 1.9, 0.8]),))
def shortest_paths_with_a_heap(lengths):
    edges = defaultdict(list)
    pairs = [(0, 1), (1, 2), (0, 2), (2, 3), (1, 3), (3, 4)]
    for (i, j), length in zip(pairs, lengths):
        edges[i].append((j, length))
        edges[j].append((i, length))
    distances, heap, done = {0: 0.0}, [(0.0, 0)], set()
    while heap:
        distance, i = heapq.heappop(heap)
        if i in done:
            continue
        done.add(i)
        for j, length in edges[i]:
            if distance + length < distances.get(j, math.inf):
                distances[j] = distance + length
                heapq.heappush(heap, (distances[j], j))
    return sum(d**2 for d in distances.values())


@program((X,))
def shifts_by_rows_of_a_table(xs):
    flow = np.stack([xs, xs * 2.0], axis=-1)
    for _ in range(2):
        flow = flow * 0.9
        for k, (down, right) in enumerate(np.array([[0, 1], [1, 0]])):
            flow[..., k] = np.roll(flow[..., k], (down, right), axis=(0, 1))
    return np.sum(flow**3)


class State(NamedTuple):
    position: np.ndarray
    time: float


def scan(step, state, inputs):
    outputs = []
    for u in inputs:
        state, output = step(state, u)
        outputs.append(output)
    return state, np.stack(outputs)


@program((X[0], 0.8))
def scan_over_states(x, gain):
    def step(state, u):
        position = state.position + gain * u * np.sin(state.position)
        state = state._replace(position=position, time=state.time + 0.1)
        return state, State(state.position * state.time, state.time).position

    state, outputs = scan(step, State(x, 0.0), np.linspace(0.0, 1.0, 4))
    return np.sum(outputs**2) + np.sum(state.position) * gain


@program((np.array([-1.9, -1.2, 0.3, 0.9, 1.6]), np.array([-1.0, 1.0]), np.array([0.4, 0.6])))
def mixture_by_expectation_and_maximisation(x, means, weights):
    scales = np.ones(2)
    for _ in range(3):
        logs = np.log(weights) - 0.5 * ((x[:, None] - means) / scales) ** 2 - np.log(scales)
        shares = np.exp(logs - logs.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        counts = shares.sum(0)
        means = shares.T @ x / counts
        scales = np.sqrt((shares * (x[:, None] - means) ** 2).sum(0) / counts + 1e-3)
        weights = counts / len(x)
    return means @ means + scales.sum() + weights[0]


@program((0.4,))
def pipeline_of_local_generators(x):
    def source():
        state = x
        while True:
            yield state
            state = 3.7 * state * (1 - state)

    def every_second(items):
        for i, item in enumerate(items):
            if i % 2 == 0:
                yield item

    def first_of(items, n):
        for _ in range(n):
            yield next(items)

    return sum(item * (i + 1) for i, item in enumerate(first_of(every_second(source()), 4)))
