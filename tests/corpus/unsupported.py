"""What isn't differentiated yet: each program runs, and its gradient is refused with the line."""

from collections import defaultdict

import numpy as np

from tests.corpus.registry import refuses

VECTOR = np.array([1.0, 2.0, 3.0])


class Box:
    shared = 0.0

    def __init__(self, value):
        self.value = value


@refuses(3, (2.0,))
def changes_objects_in_turns_with_map(x):
    box = Box(x)
    for y, _ in zip(map(lambda factor: factor * box.value, (1.0, 2.0)), "ab"):
        box.value = box.value + y
    return box.value


@refuses(4, (2.0,))
def changes_what_an_iterator_has_not_come_to(x):
    box = Box([x, x * x])
    pairs = reversed(box.value)
    for y in pairs:
        box.value[0] = box.value[0] * y
    return box.value[0] + len(list(pairs))


@refuses(4, (2.0,))
def changes_an_object_in_a_condition(x):
    box = Box(x)
    note = lambda y: setattr(box, "value", box.value + y)
    return len(list(filter(note, (1.0, x)))) + box.value


@refuses(4, (2.0,))
def binds_before_a_failure(x):
    y = 0.0
    try:
        z = 1 // int(y := x * x)
    except ZeroDivisionError:
        z = 3.0
    return y * z


@refuses(2, (2.0,))
def makes_items_by_a_function_that_captures(x):
    made = defaultdict(lambda: x * 2)
    return made["a"] * x


@refuses(3, (2.0,))
def defines_a_class_with_state(x):
    class Local:
        made = []

    return len(Local.made) + x


@refuses(6, (2.0,))
def hands_on_a_class_that_captures(x):
    class Local:
        def get(self):
            return x

    classes = [Local]
    return classes[0]().get()


@refuses(2, (2.0,))
def catches_groups(x):
    try:
        y = x * x
    except* ValueError:
        y = 0.0
    return y
