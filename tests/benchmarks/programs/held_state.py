"""Simulations whose objects hold their state: lists that grow, arrays and dicts changed in place.

The adjoints by hand keep the state in local variables, and save what they read.
"""

import math
from collections import deque

import numpy as np

from tests.benchmarks.program import Program

PEERS = frozenset({"autograd", "jax", "torch"})


class Decay:
    def __init__(self, rate):
        self.rate = rate
        self.level = 1.0
        self.history = []

    def step(self):
        self.level = self.level - self.rate * self.level
        self.history.append(self.level)


def decay(rate):
    model = Decay(rate)
    for _ in range(50):
        model.step()
    return sum(model.history)


def decay_by_hand(rate):
    level, levels = 1.0, []
    history = []
    for _ in range(50):
        levels.append(level)
        level = level - rate * level
        history.append(level)
    history_bar = [1.0] * len(history)
    rate_bar = level_bar = 0.0
    for level in reversed(levels):
        level_bar += history_bar.pop()
        rate_bar -= level_bar * level
        level_bar -= level_bar * rate
    return (rate_bar,)


class Rod:
    def __init__(self, size):
        self.u = np.zeros(size)
        self.u[size // 2] = 1.0
        self.heat = []

    def step(self, k):
        self.u[1:-1] += k * (self.u[2:] - 2.0 * self.u[1:-1] + self.u[:-2])
        self.heat.append(self.u[1])


def rod(k):
    it = Rod(200)
    for _ in range(50):
        it.step(k)
    return it.heat[-1] + 100.0 * it.u[100] * it.u[101]


def rod_by_hand(k):
    u = np.zeros(200)
    u[100] = 1.0
    curvatures, heat = [], []
    for _ in range(50):
        curvature = u[2:] - 2.0 * u[1:-1] + u[:-2]
        curvatures.append(curvature)
        u[1:-1] += k * curvature
        heat.append(u[1])
    heat_bar = [0.0] * 49 + [1.0]
    u_bar = np.zeros(200)
    u_bar[100] = 100.0 * u[101]
    u_bar[101] = 100.0 * u[100]
    k_bar = 0.0
    for curvature in reversed(curvatures):
        u_bar[1] += heat_bar.pop()
        inner = u_bar[1:-1].copy()
        k_bar += np.sum(inner * curvature)
        inner *= k
        u_bar[2:] += inner
        u_bar[1:-1] -= 2.0 * inner
        u_bar[:-2] += inner
    return (k_bar,)


class Adam:
    def __init__(self, size):
        self.w = np.zeros(size)
        self.m = np.zeros(size)
        self.v = np.full(size, 0.1)

    def step(self, slope, rate):
        self.m *= 0.9
        self.m += 0.1 * slope
        self.v *= 0.99
        self.v += 0.01 * slope * slope
        self.w -= rate * self.m / (np.sqrt(self.v) + 1e-8)


TARGET = np.linspace(-1.0, 1.0, 50)


def adam(rate):
    it = Adam(50)
    for _ in range(20):
        it.step(it.w - TARGET, rate)
    return np.sum((it.w - TARGET) ** 2)


def adam_by_hand(rate):
    w, m, v = np.zeros(50), np.zeros(50), np.full(50, 0.1)
    saved = []
    for _ in range(20):
        slope = w - TARGET
        m *= 0.9
        m += 0.1 * slope
        v *= 0.99
        v += 0.01 * slope * slope
        root = np.sqrt(v)
        below = root + 1e-8
        step = m / below
        saved.append((slope, root, below, step))
        w -= rate * step
    w_bar = 2.0 * (w - TARGET)
    m_bar, v_bar = np.zeros(50), np.zeros(50)
    rate_bar = 0.0
    for slope, root, below, step in reversed(saved):
        rate_bar -= np.sum(w_bar * step)
        share = w_bar * (rate / below)
        m_bar -= share
        v_bar += share * step * (0.5 / root)
        slope_bar = 0.02 * v_bar * slope
        slope_bar += 0.1 * m_bar
        v_bar *= 0.99
        m_bar *= 0.9
        w_bar += slope_bar
    return (rate_bar,)


class Filter:
    def __init__(self, noise):
        self.x = np.zeros(2)
        self.p = np.eye(2)
        self.q = noise * np.eye(2)
        self.r = np.eye(1) * 0.5
        self.scores = []

    def predict(self, f):
        self.x = f @ self.x
        self.p = f @ self.p @ f.T + self.q

    def update(self, z, h):
        y = z - h @ self.x
        s = h @ self.p @ h.T + self.r
        gain = self.p @ h.T / s[0, 0]
        self.x = self.x + gain @ y
        self.p = self.p - gain @ h @ self.p
        self.scores.append(-0.5 * (y[0] * y[0] / s[0, 0] + np.log(s[0, 0])))


STEP = np.array([[1.0, 0.1], [0.0, 1.0]])
SEEN = np.array([[1.0, 0.0]])
TRACK = np.sin(0.3 * np.arange(30))


def filtered(noise):
    it = Filter(noise)
    for z in TRACK:
        it.predict(STEP)
        it.update(np.array([z]), SEEN)
    return sum(it.scores)


def filtered_by_hand(noise):
    f, h, eye = STEP, SEEN, np.eye(2)
    x, p, saved = np.zeros(2), eye, []
    q = noise * eye
    for z in TRACK:
        x = f @ x
        p = f @ p @ f.T + q
        y = z - x[0]
        s = p[0, 0] + 0.5
        column = p[:, 0]
        gain = column / s
        saved.append((y, s, gain, p))
        x = x + gain * y
        p = p - gain[:, None] @ (h @ p)
    x_bar, p_bar = np.zeros(2), np.zeros((2, 2))
    noise_bar = 0.0
    for y, s, gain, p in reversed(saved):
        row_bar = -(gain @ p_bar)
        gain_bar = x_bar * y - p_bar @ p[0]
        y_bar = gain @ x_bar - y / s
        column_bar = gain_bar / s
        s_bar = 0.5 * (y * y / (s * s) - 1.0 / s) - column_bar @ gain
        p_bar = p_bar.copy()
        p_bar[0] += row_bar
        p_bar[:, 0] += column_bar
        p_bar[0, 0] += s_bar
        x_bar = x_bar.copy()
        x_bar[0] -= y_bar
        noise_bar += p_bar[0, 0] + p_bar[1, 1]
        p_bar = f.T @ p_bar @ f
        x_bar = f.T @ x_bar
    return (noise_bar,)


class Ledger:
    def __init__(self):
        self.balances = {}
        self.entries = []

    def deposit(self, who, amount):
        self.balances[who] = self.balances.get(who, 0.0) + amount
        self.entries.append(amount)

    def interest(self, rate):
        for who in self.balances:
            self.balances[who] *= 1.0 + rate


def ledger(rate):
    it = Ledger()
    for i in range(20):
        it.deposit("abc"[i % 3], 100.0 + 50.0 * rate * i)
        it.interest(rate)
    return it.balances["a"] + sum(it.entries)


def ledger_by_hand(rate):
    balances, befores, entries = {}, [], []
    for i in range(20):
        who, amount = "abc"[i % 3], 100.0 + 50.0 * rate * i
        balances[who] = balances.get(who, 0.0) + amount
        entries.append(amount)
        before = {}
        for key in balances:
            before[key] = balances[key]
            balances[key] *= 1.0 + rate
        befores.append(before)
    bars = dict.fromkeys(balances, 0.0)
    bars["a"] = 1.0
    rate_bar = 0.0
    for i in reversed(range(20)):
        for key, value in befores[i].items():
            rate_bar += bars[key] * value
            bars[key] *= 1.0 + rate
        rate_bar += (bars["abc"[i % 3]] + 1.0) * 50.0 * i
    return (rate_bar,)


class Desk:
    def __init__(self):
        self.waiting = deque()
        self.now = 0.0

    def come(self, work):
        self.waiting.append(work)

    def serve(self):
        work = self.waiting.popleft()
        self.now += work
        return work


def desk(work):
    it = Desk()
    it.come(work)
    total = 0.0
    for i in range(40):
        done = it.serve()
        total += it.now * done
        it.come(done * 0.9)
        if i % 3 == 0:
            it.come(done * 0.5)
    return math.sqrt(total)


def desk_by_hand(work):
    works, factors, nows = [work], [1.0], []
    now, total = 0.0, 0.0
    for i in range(40):
        done = works[i]
        now += done
        nows.append(now)
        total += now * done
        works.append(done * 0.9)
        factors.append(factors[i] * 0.9)
        if i % 3 == 0:
            works.append(done * 0.5)
            factors.append(factors[i] * 0.5)
    total_bar = 0.5 / math.sqrt(total)
    works_bar = [0.0] * len(works)
    now_bar = 0.0
    for i in reversed(range(40)):
        now_bar += total_bar * works[i]
        works_bar[i] += total_bar * nows[i] + now_bar
    return (sum(b * f for b, f in zip(works_bar, factors, strict=True)),)


PROGRAMS = [
    Program("decay", decay, decay_by_hand, (0.03,), without=PEERS),
    Program("rod", rod, rod_by_hand, (0.2,), without=PEERS),
    Program("adam", adam, adam_by_hand, (0.05,), without=PEERS),
    Program("filtered", filtered, filtered_by_hand, (0.3,), without=PEERS),
    Program("ledger", ledger, ledger_by_hand, (0.05,), without=PEERS),
    Program("desk", desk, desk_by_hand, (0.3,), without=PEERS),
]
