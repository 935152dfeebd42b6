"""Lists, dicts, sets and arrays that functions share and change in place: memos, logs, stacks."""

import functools

import numpy as np

from tests.corpus.registry import program


@program((1.3,), (-0.7,))
def memo_of_a_recursion(x):
    memo = {}

    def fib(n):
        if n in memo:
            return memo[n]
        memo[n] = x if n < 2 else fib(n - 1) * 0.5 + fib(n - 2) * x
        return memo[n]

    return fib(6)


@program((1.3,))
def leaves_of_a_recursion(x):
    leaves = []

    def walk(depth, value):
        if depth == 0:
            leaves.append(value)
            return
        walk(depth - 1, value * x)
        walk(depth - 1, value + x)

    walk(3, x)
    return sum(value * i for i, value in enumerate(leaves))


@program((1.3,))
def leaves_by_another_name(x):
    leaves = []

    def walk(depth, value):
        found = leaves
        if depth == 0:
            found.append(value)
            return
        walk(depth - 1, value * x)
        walk(depth - 1, value + x)

    walk(2, x)
    return sum(leaves)


@program((1.3,))
def topological_order(x):
    seen, order = set(), []
    graph = {0: [1, 2], 1: [2], 2: []}
    weights = {0: x, 1: x * x, 2: 3.0}

    def visit(node):
        if node in seen:
            return
        seen.add(node)
        for other in graph[node]:
            visit(other)
        order.append(weights[node])

    visit(0)
    return order[0] * order[1] + order[2] * 2


@program((1.3,))
def array_of_all_functions(x):
    a = np.zeros(3)

    def put(i, value):
        a[i] = value

    def parts(i):
        if i < 3:
            rest = a[i:]
            rest[0] += x * i
            parts(i + 1)

    for i in range(3):
        put(i, x * i)
    parts(1)
    a[0] = a[2] * x
    return np.sum(a**2)


@program((np.array([1.0, 2.0, 4.0]), 0.3))
def right_hand_side_of_what_changes(u, rate):
    u = u.copy()

    def slope():
        return (u[1:] - u[:-1]) * rate

    for _ in range(3):
        u[1:] += 0.1 * slope()
    return np.sum(u)


@program(([1.0, 2.0], 1.5))
def argument_that_a_function_changes(xs, x):
    def push(value):
        xs.append(value * xs[-1])

    push(x)
    push(x)
    return xs[0] * xs[-1]


@program((1.3,))
def calls_from_a_list(x):
    total, calls = [0.0], []

    def add(value):
        total[0] += value

    def scale(value):
        total[0] *= 1 + value

    calls += [add, scale, lambda value: total.append(value * x)]
    for call in calls:
        call(x)
    for call in calls:
        call(*[x * x])
    return total[0] + sum(total[1:])


@program((1.3,))
def stack_machine(x):
    stack = [x]
    operations = {
        "dup": lambda: stack.append(stack[-1]),
        "mul": lambda: stack.append(stack.pop() * stack.pop()),
        "swap": lambda: stack.insert(0, stack.pop()),
    }
    for name in ("dup", "mul", "dup", "swap", "mul"):
        operations[name]()
    return stack[0]


@program((1.3,))
def reversed_by_a_lambda(x):
    values = [x, 1.0]

    swap = lambda: values.reverse()
    swap()
    return values[0] * values[1] ** 2


@program((1.3,))
def log_of_a_decorator(x):
    log = []

    def logged(f):
        @functools.wraps(f)
        def wrapper(*args):
            log.append(f(*args))
            return log[-1]

        return wrapper

    @logged
    def square(value):
        return value * value

    square(square(x))
    return sum(log)


@program((1.3,))
def state_of_a_loop(x):
    state = {"value": x, "count": 0}

    def step():
        state["value"] = state["value"] * x
        state["count"] += 1

    while state["count"] < 3:
        step()
    return state["value"]


@program((1.3,))
def lazy_value(x):
    count = [0]

    def compute():
        count[0] += 1
        return x * x

    class_of_values = Lazy(compute)
    return class_of_values.value + class_of_values.value * x + count[0]


class Lazy:
    def __init__(self, compute):
        self.compute = compute
        self.known = None

    @property
    def value(self):
        if self.known is None:
            self.known = self.compute()
        return self.known


@program((1.3,))
def list_that_a_function_gives(x):
    def made():
        items = []

        def add(value):
            items.append(value)
            return items

        return add

    first, second = made(), made()
    first(x)
    second(x * x)
    return sum(first(2 * x)) * sum(second(1.0))


@program((1.3,))
def rows_sorted_in_place(x):
    items = [x * i for i in range(5)]

    def quicksort(low, high):
        if low >= high:
            return
        pivot, i = items[high], low
        for j in range(low, high):
            if items[j] > pivot:
                items[i], items[j] = items[j], items[i]
                i += 1
        items[i], items[high] = items[high], items[i]
        quicksort(low, i - 1)
        quicksort(i + 1, high)

    quicksort(0, 4)
    return sum(i * item for i, item in enumerate(items))


@program((0.5,))
def fails_behind_a_change(x):
    total = [0.0]

    def add(value):
        total[0] += value
        if value > 3:
            raise ValueError
        total[0] *= 2

    for value in (x, x * x, 8 * x):
        try:
            add(value)
        except ValueError:
            total[0] -= x
    return total[0] * x


@program((1.3,))
def noted_by_vectorized_functions(x):
    noted = []

    def note(value):
        noted.append(value * x)
        return value

    np.vectorize(note, otypes=[float])(np.array([1.0, 2.0]))
    np.vectorize(note)([x])
    np.apply_along_axis(lambda row: note(row[0]), 0, np.ones((2, 2)))
    return sum(noted)
