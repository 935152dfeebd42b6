"""Objects that hold lists, queues and dicts of arrays, the items of which change places.

Each program runs with arrays that nobody changes, which are values then, and with one that is
changed in place, which is known by its identity.
"""

from collections import deque

import numpy as np

from tests.corpus.registry import program

X = np.array([1.3, 2.4])


class Track:
    def __init__(self, states, x):
        self.states = states
        self.state = x

    def back(self):
        """The states from the last one to the first, each times the one behind it."""
        self.state = self.states[-1]
        found = Track([self.state], self.state)
        for earlier in reversed(self.states[:-1]):
            found.state = found.state * earlier
            found.states.insert(0, found.state)
        return np.array(found.states)


def array_of(x, changes):
    a = x * 3
    if changes:
        a[0] = 5.0
    return a


@program((X,))
def put_in_front(x):
    track = Track([x], x)
    for _ in range(3):
        x = x * 0.5
        track.states.insert(0, x)
    return np.sum(track.states[0] ** 2) + np.sum(np.array(track.states) ** 3)


@program((X,))
def from_the_last_to_the_first(x):
    track = Track([x], x)
    for _ in range(3):
        x = x * 0.5
        track.states.append(x)
    return np.sum(track.back() ** 2)


@program((X, False), (X, True))
def pairs_in_front(x, changes):
    a = array_of(x, changes)
    track = Track([(x[0] * 2, a)], x)
    track.states.insert(0, (x[1], x * 0.5))
    track.states.insert(1, (x[1] * x[0], a))
    return sum(u * np.sum(v**2) for u, v in track.states)


@program((X, False), (X, True))
def queue_of_pairs(x, changes):
    a = array_of(x, changes)
    track = Track(deque([(x[0] * 2, a)]), x)
    track.states.appendleft((x[1], x * 0.5))
    track.states.insert(1, (x[1] * x[0], a))
    track.states.rotate(1)
    return sum(u * np.sum(v**2) * (i + 1) for i, (u, v) in enumerate(track.states))


@program((X, False), (X, True))
def pairs_sorted_and_spliced(x, changes):
    a = array_of(x, changes)
    track = Track([(x[0] * 2, a), (x[1], x * 0.5), (x[1] * x[0], a)], x)
    track.states.reverse()
    u, v = track.states.pop(0)
    track.states.sort(key=lambda pair: -pair[0] * pair[1][0])
    track.states[1:] = [(u, v), track.states[1]]
    track.states += [(u * u, v)]
    del track.states[0]
    return sum(u * np.sum(v**2) * (i + 1) for i, (u, v) in enumerate(track.states))


@program((X, False), (X, True))
def arrays_sorted_and_spliced(x, changes):
    a = array_of(x, changes)
    track = Track([a, x, x * 2], x)
    track.states.reverse()
    track.states.insert(0, x * 3)
    track.states.insert(2, x * 4)
    track.states.pop(1)
    track.states.extend([x, a])
    track.states[0:2] = [x * x]
    track.states.sort(key=lambda v: v[1] * v[0])
    return sum(np.sum(v**2) * (i + 1) for i, v in enumerate(track.states))


@program((X, False), (X, True))
def dict_of_arrays_and_pairs(x, changes):
    a = array_of(x, changes)
    track = Track({"u": a, "v": (x[0], a), "w": x[0]}, x)
    track.states.update({"u": x * 2, "z": (x[1], x)})
    track.states.setdefault("y", a)
    factor, v = track.states["v"]
    del track.states["v"]
    last = track.states["y"]
    track.states.update(n=x * x)
    total = sum(np.sum(track.states[key]) for key in ("u", "n", "w"))
    return total + factor * np.sum(v**2) + np.sum(last**3)
