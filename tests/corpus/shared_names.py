"""Globals and attributes of classes that a program changes, and through which derivatives go.

Each program clears first what it shares: they are run again and again.
"""

import numpy as np

from tests.corpus.registry import program

LOG = []
ALIAS = LOG
CACHE = {}
BUFFER = np.zeros(4)
GRID = np.zeros((2, 3))
TABLE = [1.0, 2.0, 3.0]
SPECTRA = {"all": np.ones(3)}
total = 0.0
best = None


class State:
    def __init__(self):
        self.items = []
        self.row = np.zeros(3)
        self.count = 0.0


STATE = State()


class Counter:
    items = []
    total = 0.0
    table = {}

    def __init__(self, weight):
        self.weight = weight

    @classmethod
    def add(cls, x):
        cls.total += x
        return cls.total

    def note(self, x):
        self.items.append(x * self.weight)
        return self.items[-1]

    def weighted(self):
        return self.total * self.weight


class Derived(Counter):
    pass


def cleared():
    global total, best
    LOG.clear()
    CACHE.clear()
    BUFFER[:] = 0.0
    GRID[:] = 0.0
    TABLE[:] = [1.0, 2.0, 3.0]
    total, best = 0.0, None
    STATE.items, STATE.row, STATE.count = [], np.zeros(3), 0.0
    Counter.items.clear()
    Counter.table.clear()
    Counter.total = 0.0
    Derived.total = 0.0


def push(x):
    LOG.append(x)


def last():
    return LOG[-1]


@program((2.0, 3.0))
def log_that_is_written_only(a, b):
    cleared()
    LOG.append("start")
    y = a * b
    for i in range(3):
        LOG.append(i)
        y = y * a
    LOG.append(f"{y:.3f}")
    return y


@program((2.0, 3.0))
def log_changed_and_read_by_others(a, b):
    cleared()
    push(a * b)
    first = last()
    push(a)
    return first * last() * b


@program((2.0, 3.0))
def log_summed_behind_a_loop(a, b):
    cleared()
    for i in range(4):
        LOG.append(a * i + b)
    return sum(LOG) * a


@program((2.0, 3.0))
def log_under_two_names(a, b):
    cleared()
    LOG.append(a)
    ALIAS.append(a * b)
    return ALIAS[0] * LOG[-1]


@program((2.0, 3.0))
def list_changed_in_all_ways(a, b):
    cleared()
    LOG.extend([a, b, a * b])
    LOG.insert(0, b * b)
    x = LOG.pop()
    LOG[1] = LOG[0] * x
    del LOG[0]
    LOG.reverse()
    return LOG[0] * LOG[1]


def remembered(n, x):
    if n not in CACHE:
        CACHE[n] = x if n < 2 else remembered(n - 1, x) * x + remembered(n - 2, x)
    return CACHE[n]


@program((2.0, 3.0))
def cache_of_a_recursion(a, b):
    cleared()
    return remembered(5, a) * b


@program((np.array([0.5, 1.0, 2.0]),))
def buffer_filled_in_place(xs):
    cleared()
    BUFFER[0] = xs[0]
    for i in range(1, 4):
        BUFFER[i] = BUFFER[i - 1] * xs[i - 1] + i
    squared = np.dot(BUFFER, BUFFER)
    BUFFER[:] = 7.0
    return squared * BUFFER[0]


@program((np.array([0.5, 1.0, 2.0]),))
def views_of_a_global(xs):
    cleared()
    row = GRID[0]
    row[:] = xs
    GRID.T[2] = xs[0] * xs[1]
    GRID[1] += row
    return np.sum(GRID * GRID)


def filled(buffer, xs):
    for i in range(len(xs)):
        buffer[i] = xs[i] * xs[i]


@program((np.array([0.5, 1.0, 2.0]),))
def globals_passed_to_what_changes_them(xs):
    cleared()
    filled(BUFFER, xs)
    filled(STATE.row, xs * xs)
    return np.sum(BUFFER[:3] * STATE.row)


def added(x):
    global total
    total = total * 2.0 + x


@program((2.0, 3.0))
def number_assigned_by_another(a, b):
    cleared()
    added(a)
    before = total
    added(a * b)
    return before * total


@program((2.0, 3.0))
def best_so_far(a, b):
    global best
    cleared()
    for x in (a, b, a * b):
        if best is None or x > best:
            best = x
    return best * a


@program((2.0, 3.0))
def list_bound_again(a, b):
    global LOG
    cleared()
    before = LOG
    LOG = []
    push(a)
    push(b)
    product = last() * LOG[0]
    LOG = before
    push(a * b)
    return product * last()


@program((2.0, 3.0))
def what_a_global_object_holds(a, b):
    cleared()
    STATE.items.append(a)
    STATE.items.append(a * b)
    STATE.row[1] = b
    STATE.row += a
    STATE.count += a
    return sum(STATE.items) * STATE.row[1] * STATE.count


@program((2.0, 3.0))
def attributes_of_a_class(a, b):
    cleared()
    Counter.items.append(a)
    Counter.total = Counter.total + b
    Counter.total += a
    Counter.table["x"] = a
    return Counter.items[-1] * Counter.total * Counter.table["x"]


@program((2.0, 3.0))
def class_method_that_counts(a, b):
    cleared()
    return Counter.add(a) * Counter.add(b) * Counter.total


@program((2.0, 3.0))
def attributes_of_a_base(a, b):
    cleared()
    Counter.total = a * b
    counter, derived = Counter(a), Derived(b)
    Derived.total = Counter.total + a
    counter.note(b)
    derived.note(a)
    own = Counter(b)
    own.total = a
    return counter.weighted() * derived.weighted() + sum(Counter.items) * own.weighted()


def failing(x):
    global total
    total = x * x
    LOG.append(x)
    if x > 0:
        raise KeyError("behind the changes")
    total = 0.0


@program((2.0, 3.0), (-2.0, 3.0))
def what_a_failing_function_left(a, b):
    cleared()
    try:
        failing(a)
        LOG.append(b)
    except KeyError:
        LOG.append(a * b)
    return total * LOG[0] * LOG[-1]


def logging_products(x):
    for i in range(3):
        LOG.append(x * i)
        yield LOG[-1]


@program((2.0, 3.0))
def changed_by_a_generator_in_turns(a, b):
    cleared()
    y = 0.0
    for x in logging_products(a):
        y = y + x * b
        LOG.append(y)
    return y * LOG[3]


@program((2.0, 3.0))
def functions_found_at_run_time(a, b):
    cleared()
    for function in [push, lambda x: LOG.append(x * x)]:
        function(a)
    return LOG[0] * LOG[1] * b


@program((2.0, 3.0))
def table_changed_between_two_loops(a, b):
    cleared()
    y = 0.0
    for x in TABLE:
        y = y + x * a
    TABLE[1] = y
    TABLE.append(b)
    for x in TABLE:
        y = y + x * x
    return y


@program((2.0, 3.0))
def array_in_a_table_scaled_by_the_item(a, b):
    SPECTRA["all"][:] = 1.5
    SPECTRA["all"] *= np.array([a, b, a * b])
    SPECTRA["all"][0] *= b
    return np.sum(SPECTRA["all"] ** 2)
