"""Second derivatives where objects hold numbers beside memory, in tuples: a history of times and
states, queues of priorities and tasks, losses and gradients by name."""

import contextlib
import heapq
from collections import deque

import numpy as np
import pytest

import zyg
from tests.orders_of_modes import MODES, check_second_derivative

X = 1.3


class History:
    def __init__(self, items):
        self.items = items

    def note(self, t, state):
        self.items.append((t, state))
        return state

    def total(self):
        return sum(t * np.sum(state**2) for t, state in self.items)


def state(x):
    return np.array([x, x * x])


def grown_from_nothing(x):
    history, v = History([]), state(x)
    for i in range(4):
        v = v * 0.5 + x * i
        history.note(x * i, v)
    return history.total()


def state_that_is_changed_behind(x):
    """The list holds the array itself, whose contents change when it has been put there."""
    history, v = History([]), state(x)
    history.note(x, v)
    history.note(x * 3, v)
    v[0] = v[1] * x
    v *= x
    return history.total() * history.items[0][0]


def changed_as_an_element(x):
    history = History([(x, state(x)), (x * x, state(x * 2))])
    t, v = history.items[0]
    v += t
    history.items[1][1][0] *= x * t
    history.note(t * x, v)
    return history.total() + np.sum(v) * t


def changed_in_a_loop(x):
    history = History([(x, state(x)), (x * x, state(x * 2))])
    for t, v in history.items:
        v *= t
        v[1] = v[0] * t
    history.note(1.0, state(x))
    return history.total()


def lists_beside_numbers(x):
    history = History([])
    for name, value in (("a", x), ("b", x * x)):
        history.items.append((name, value, [value]))
    for _, value, row in history.items:
        row.append(value * row[0])
    name, value, row = history.items.pop(0)
    row[0] = row[1] * value
    history.items.insert(1, (name, row[0], row))
    return sum(value * row[0] * row[-1] for _, value, row in history.items)


def one_array_in_two_tuples(x):
    v = state(x)
    first, second = History([(x, v)]), History([(x * 2, v), (3.0, v * x)])
    first.items[0][1][0] = x**3
    second.items[1][1][1] *= first.items[0][1][0]
    second.items.extend(first.items)
    second.items[0][1][1] += x
    return first.total() * second.total()


def tuples_in_tuples(x):
    history = History([(x, (x * 2, state(x)))])
    t, (scale, v) = history.items[0]
    history.items.append((t * scale, (t, v * x)))
    history.items[0][1][1][0] *= scale
    return sum(t * scale * np.sum(v * v) for t, (scale, v) in history.items)


def dict_of_tuples(x):
    history = History({})
    for k in range(3):
        history.items[k] = (x * k, state(x + k))
    history.items[1][1][0] *= x
    history.items[0] = history.items.pop(2)
    total = 0.0
    for key, (t, v) in history.items.items():
        total = total + t * np.sum(v**2) * (key + 1)
    return total


def queue_of_limited_length(x):
    history, v = History(deque()), state(x)
    for i in range(5):
        v = v * x
        history.items.append((x * i, v))
        if len(history.items) > 3:
            t, gone = history.items.popleft()
            gone[0] = 0.0
            v = v + t
    return history.total()


def last_one_is_replaced(x):
    history = History([(x, state(x))])
    t, v = history.items[-1]
    history.items[-1] = (t * 2, v * t)
    history.items[0][1][1] = t
    t, v = history.items[-1]
    history.items[-1] = (t * t, v)
    return history.total()


def heap_of_tasks(x):
    history = History([])
    for k in (3, 1, 2):
        heapq.heappush(history.items, (x * k, [x + k]))
    total = 0.0
    while history.items:
        priority, task = heapq.heappop(history.items)
        task.append(priority * task[0])
        total = total * 0.5 + priority * task[-1]
    return total


def copies_of_the_list(x):
    history = History([(x, state(x)), (x * x, state(x * 2))])
    before = list(history.items)
    later = [*history.items[1:], (x * 3, state(x))]
    history.items[1][1][0] = x
    history.items.clear()
    history.note(x, before[0][1])
    before[0][1][1] *= x
    return history.total() + sum(t * v[0] * v[1] for t, v in before + later)


def given_to_a_function(x):
    history = History([(x, state(x)), (x * x, state(x * 2))])
    grow(history.items, x)
    scale(history.items[0], x)
    return history.total()


def grow(items, x):
    t, v = items[-1]
    items.append((t * x, v * x))
    items[0][1][0] += t


def scale(pair, x):
    t, v = pair
    v *= t * x


def tuple_in_an_attribute(x):
    history = History([])
    history.pair = (x, state(x))
    history.items.append(history.pair)
    history.pair[1][0] = x**3
    history.items.append((history.pair[0] * 2, history.pair[1]))
    return history.total()


def read_at_several_times(x):
    history, total = History([]), 0.0
    for i in range(3):
        history.note(x + i, state(x * i))
        history.items[0][1][1] += x
        total = total + history.total() * history.items[0][0]
    return total


def best_of_all(x):
    history = History([])
    for i in range(3):
        history.note(x * (2 - i) ** 2, state(x + i))
    history.items[1][1][0] *= x
    t, v = min(history.items, key=lambda item: item[0])
    v[0] = v[0] * x
    history.items.sort(key=lambda item: -item[0])
    return t * history.total() + np.sum(v) * history.items[0][0]


def kept_by_several_objects(x):
    shared = [(x, state(x))]
    first, second = History(shared), History(shared)
    first.note(x * 2, state(x * x))
    second.items[1][1][0] = second.items[0][0]
    second.items[0] = (x**3, second.items[1][1])
    return first.total() * second.total()


def fails_midway(x):
    history = History([(x, state(x))])
    try:
        history.note(x * 2, state(x * 2))
        history.items[0][1][0] = x**3
        history.items[7][1][0] = 1.0
    except IndexError:
        history.note(x * x, history.items[0][1])
    return history.total()


def arrays_as_a_whole(x):
    history = History([(x, state(x)), (x * x, state(x * 2))])
    history.items[0][1][0] = x * x
    times = np.array([t for t, _ in history.items])
    states = np.array([v for _, v in history.items])
    return np.sum(times @ states)


def one_arm_grows(x):
    history = History([(x, state(x))])
    for i in range(4):
        if i % 2:
            history.note(x * i, history.items[-1][1])
        else:
            history.items[-1][1][0] += x * i
    return history.total()


class Model:
    def __init__(self, x):
        self.params = {"w": np.array([x, 0.5]), "b": x * 0.3}
        self.steps = 0

    def loss(self, x):
        return np.sum(self.params["w"] ** 2) * x + self.params["b"] ** 2

    def step(self, rate):
        w, b = self.params["w"], self.params["b"]
        self.params["w"] -= rate * 2.0 * w * b
        self.params["b"] -= rate * 2.0 * b
        self.steps += 1


def parameters_by_name(x):
    model = Model(x)
    for _ in range(3):
        model.step(0.1 * x)
    return model.loss(x)


def replaced_by_name(x):
    model = Model(x)
    before = model.params["w"]
    model.params["w"] = before * model.params["b"]
    before[0] = x**3
    model.params["b"] = np.sum(model.params["w"]) * before[0]
    return model.loss(x) + np.sum(before)


def dict_given_to_a_function(x):
    model = Model(x)
    change_parameters(model.params, x)
    return model.loss(x)


def change_parameters(params, x):
    params["w"][1] *= x * params["b"]
    params["b"] = params["b"] * params["w"][1]


def two_dicts_of_one_array(x):
    w = state(x)
    first, second = History({"w": w, "b": x}), History({"w": w, "b": x * 2})
    first.items["w"][0] *= second.items["b"]
    second.items["b"] += first.items["w"][0]
    w[1] = second.items["b"] * x
    return np.sum(second.items["w"]) * first.items["b"] + second.items["b"]


def rows_of_two_depths(x):
    table = History({"row": [x], "rows": [[x * x], [x]], "n": 2})
    table.items["row"].append(x * table.items["rows"][0][0])
    table.items["rows"][1][0] = table.items["row"][1] * x
    table.items["n"] += 1
    return table.items["rows"][1][0] * table.items["row"][-1] * table.items["n"]


def moments_of_an_optimiser(x):
    model = History({"w": state(x), "b": x})
    moments = History({"w": np.zeros(2), "b": 0.0})
    for _ in range(3):
        slope_w, slope_b = 2.0 * model.items["w"] * model.items["b"], np.sum(model.items["w"] ** 2)
        moments.items["w"] += 0.1 * slope_w
        moments.items["b"] += 0.1 * slope_b
        model.items["w"] -= 0.1 * moments.items["w"]
        model.items["b"] -= 0.1 * moments.items["b"]
    return np.sum(model.items["w"]) * model.items["b"]


def dict_in_a_list(x):
    layers = History([{"w": state(x), "b": x}, {"w": state(x * 0.5), "b": 1.0}])
    for layer in layers.items:
        layer["w"] *= layer["b"]
        layer["b"] += layer["w"][0] * x
    h = layers.items[0]["b"]
    for layer in layers.items:
        h = np.sum(layer["w"]) * h + layer["b"]
    return h


def dict_in_a_dict(x):
    model = History({"layer": {"w": state(x), "b": x}, "scale": x * x})
    layer = model.items["layer"]
    layer["w"][0] *= model.items["scale"]
    model.items["scale"] += layer["w"][0]
    layer["b"] = model.items["scale"] * layer["b"]
    return np.sum(model.items["layer"]["w"]) * model.items["layer"]["b"] * model.items["scale"]


class Part:
    def __init__(self, x):
        self.x = x


def objects_beside_memory(x):
    history = History([(Part(x), state(x)), (Part(x * x), state(x * 2))])
    part, v = history.items[0]
    part.x = part.x * v[0]
    history.items[1][1][0] *= part.x
    history.items.append((history.items[1][0], v))
    v[1] = history.items[2][0].x
    return sum(part.x * np.sum(v**2) for part, v in history.items)


def objects_by_name(x):
    parts = History({"a": Part(x), "b": Part(x * x)})
    parts.items["a"].x *= x
    parts.items["b"] = parts.items["a"]
    parts.items["b"].x += x
    return parts.items["a"].x * parts.items["b"].x


def objects_and_memory_by_name(x):
    parts = History({"a": Part(x), "w": state(x), "b": x * x})
    parts.items["w"][0] *= parts.items["a"].x
    parts.items["a"].x = parts.items["w"][0] * parts.items["b"]
    parts.items["b"] += parts.items["a"].x
    return np.sum(parts.items["w"]) * parts.items["b"] * parts.items["a"].x


PROGRAMS = [
    grown_from_nothing, state_that_is_changed_behind, changed_as_an_element, changed_in_a_loop,
    lists_beside_numbers, one_array_in_two_tuples, tuples_in_tuples, dict_of_tuples,
    queue_of_limited_length, last_one_is_replaced, heap_of_tasks, copies_of_the_list,
    given_to_a_function, tuple_in_an_attribute, read_at_several_times, best_of_all,
    kept_by_several_objects, fails_midway, arrays_as_a_whole, one_arm_grows,
    parameters_by_name, replaced_by_name, dict_given_to_a_function, two_dicts_of_one_array,
    rows_of_two_depths, moments_of_an_optimiser, dict_in_a_list, dict_in_a_dict,
    objects_beside_memory, objects_by_name, objects_and_memory_by_name,
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative(f, mode):
    check_second_derivative(f, mode, mode, X)


@pytest.mark.thorough
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative_by_both_modes(f, mode):
    other = MODES[1 - MODES.index(mode)]
    check_second_derivative(f, mode, other, X)


# Refused, or right


def unzipped(x):
    history = History([(x, state(x)), (x * x, state(x * 2))])
    history.items[0][1][0] *= x
    times, states = zip(*history.items, strict=True)
    states[1][1] = times[0]
    return times[0] * np.sum(states[0] ** 2) + times[1] * np.sum(states[1] ** 2) + history.total()


def nothing_but_numbers_at_first(x):
    history = History([])
    history.items.append((x, None))
    history.items.append((x * 2, state(x)))
    history.items[1][1][0] *= x
    return sum(t for t, _ in history.items) * np.sum(history.items[1][1] ** 2)


def updated_from_another_dict(x):
    model, other = Model(x), {"w": state(x * 2), "b": x * x}
    model.params.update(other)
    other["w"][0] = x
    model.params["w"][1] *= model.params["b"]
    return model.loss(x)


def dict_that_gets_a_key(x):
    model = Model(x)
    model.params["c"] = state(x)
    model.params["c"][0] = x * model.params["b"]
    return model.loss(x) * np.sum(model.params["c"])


REFUSED = [
    unzipped, nothing_but_numbers_at_first, updated_from_another_dict, dict_that_gets_a_key,
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_refused_or_right(f, mode):
    with contextlib.suppress(zyg.ZygError):
        check_second_derivative(f, mode, mode, X)
