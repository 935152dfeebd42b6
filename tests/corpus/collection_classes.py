"""Deques, defaultdicts, ordered dicts, counters, sets; dicts of other keys than strings."""

import math
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple

import numpy as np

from tests.corpus.registry import program

ITEMS = [1.0, 2.0, 3.0, 4.0]
Point = namedtuple("Point", "x y")


@program((ITEMS, 2.0))
def groups_by_hand(xs, x):
    groups = {}
    for i, item in enumerate(xs):
        key = "even" if i % 2 == 0 else "odd"
        if key not in groups:
            groups[key] = []
        groups[key].append(item * x)
    return sum(groups["even"]) * sum(groups["odd"])


@program((ITEMS, 2.0))
def groups_by_default(xs, x):
    groups, lists = {}, defaultdict(list)
    for i, item in enumerate(xs):
        groups.setdefault(i % 2, []).append(item * x)
        lists[i % 3].append(item * item)
    total = groups.setdefault("none", x)
    return sum(groups[0]) * sum(groups[1]) * total + sum(sum(v) ** 2 for v in lists.values())


@program((ITEMS, 2.0))
def sums_by_default(xs, x):
    sums = defaultdict(float)
    for i, item in enumerate(xs):
        sums[i % 2] += item * x
        sums["all"] += item * item
    return sums[0] * sums[1] * sums["all"] * (1.0 + sums["none"]) * len(sums)


@program((ITEMS, 2.0))
def moving_window(xs, x):
    window, total = deque(maxlen=2), 0.0
    for item in xs:
        window.append(item * x)
        total += window[-1] * window[0]
    last = deque(xs, 2)
    last.appendleft(total)
    return last[0] * last[1] * len(last)


@program((ITEMS, 2.0))
def waiting_queue(xs, x):
    queue, total = deque(xs), 0.0
    while queue:
        first = queue.popleft()
        total = total * x + first * first
        if len(queue) > 2:
            queue.append(first * x)
            queue[0] += queue.pop()
    return total


@program((ITEMS, 2.0))
def other_methods_of_deques(xs, x):
    queue = deque(xs)
    queue.rotate(1)
    queue[0] *= x
    queue.rotate(-2)
    queue.extend([x * x, 1.0])
    queue.extendleft(xs[:2])
    queue.reverse()
    del queue[1]
    queue.insert(2, x)
    other = queue.copy()
    queue.clear()
    queue.append(x)
    return sum(i * item for i, item in enumerate(other)) * queue[0]


@program((deque([1.0, 2.0, 3.0], maxlen=3), 2.0))
def deque_as_argument(queue, x):
    queue.append(x * queue[0])
    queue[0] *= x
    for i, item in enumerate(queue):
        queue[i] = item * item
    return queue[0] * queue[1] * queue[2]


@program((ITEMS, 2.0))
def deque_of_lists(xs, x):
    queue = deque()
    for item in xs:
        queue.append([item * x])
    queue[0][0] *= x
    queue[-1].append(x)
    first = queue.popleft()
    first[0] *= x
    return first[0] * queue[0][0] * queue[2][1]


@program((OrderedDict(a=1.0, b=2.0), 2.0))
def ordered(d, x):
    d["c"] = d["a"] * x
    d.move_to_end("a")
    _, first = d.popitem(last=False)
    _, last = d.popitem()
    total = 0.0
    for _, item in d.items():
        total += item * item
    return first * last * total


@program((defaultdict(float, {1: 1.0, 2: 2.0}), 2.0))
def defaultdict_as_argument(d, x):
    d[1] += x * d[2]
    d[7] += d[1] * x
    return d[1] * d[7]


@program((Counter({"a": 1.5, "b": 2.5}), 2.0))
def weights(c, x):
    c["a"] += x
    c["z"] += c["b"] * x
    c.update({"a": x})
    return c["a"] * c["z"] + c["none"] + c.most_common(1)[0][1] * c.total()


@program(({1: [1.0, 2.0], 2: [3.0, 4.0]}, 2.0))
def keys_that_are_numbers(d, x):
    for key in d:
        d[key][0] *= x
    for items in d.values():
        items.append(x)
    for key, items in d.items():
        items[1] += key * x
    return d[1][0] * d[2][2] * d[2][1]


@program(({(0, 1): np.array([1.0, 2.0]), (1, 1): np.array([3.0, 4.0])}, 2.0))
def keys_that_are_tuples(d, x):
    for (i, j), block in d.items():
        block -= x * block * (i + j)
    return (d[0, 1] * d[1, 1]).sum()


@program(([3.0, 1.0, 2.0], 2.0))
def events(delays, x):
    state = {"time": 0.0, "log": [], "visits": defaultdict(int)}
    queue = deque([(delay * x, i) for i, delay in enumerate(delays)])
    while queue:
        delay, i = queue.popleft()
        state["time"] += delay
        state["log"].append(state["time"] * delay)
        state["visits"][i] += 1
        if state["visits"][i] < 2:
            queue.append((delay * 0.5, i))
    return sum(state["log"])


@program(([1.0, 2.0, 3.0], 0.5))
def states_of_a_network(xs, w):
    state, outputs, cache = [0.0], deque(maxlen=2), {}
    for i, item in enumerate(xs):
        new = [math.tanh(w * h + item) for h in state]
        new.append(item * w)
        cache[i] = new
        outputs.appendleft(new[0])
        state = new
    cache[0][0] *= w
    return sum(outputs) * sum(state) * cache[0][0]


@program(({"a": 1.0, "b": 2.0}, 2.0))
def merged_in_place(d, x):
    d.update(c=x, a=d["b"] * x)
    d |= {"e": x * x}
    key, item = d.popitem()
    scaled = {name: value * x for name, value in d.items()}
    return scaled["a"] * scaled["c"] * item * d.pop("b") * d.pop("none", x) * len(key)


@program(([1.0, 2.0, 3.0], 2.3))
def lists_in_place(xs, x):
    xs *= 2
    xs[1:5:2] = [x, x * x]
    del xs[::3]
    xs.sort(key=lambda item: -item)
    xs.reverse()
    ys = xs.copy()
    ys.remove(ys[1])
    zs = ys[:]
    ys.clear()
    ys.append(x)
    return sum(i * item for i, item in enumerate(xs)) + zs[0] * ys[0]


@program(([3.0, 1.0, 2.0],))
def sets_of_keys(xs):
    seen, total = set(), 0.0
    for i, item in enumerate(xs + xs):
        if i % 3 in seen:
            continue
        seen.add(i % 3)
        total += item * item
    seen.discard(1)
    seen.update([5, 6])
    return total * len(seen)


@program((1.0, 2.0))
def named_tuples(a, b):
    first = Point(a * b, b)
    second = first._replace(x=first.x * a)
    third = Point._make([second.y, a])
    return third.x * third.y * second[0]
