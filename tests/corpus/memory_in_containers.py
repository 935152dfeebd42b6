"""Elements of containers that are changed in place: rows of lists, parameters in dicts."""

from collections import defaultdict

import numpy as np

from tests.corpus.registry import program

ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
ARRAYS = [np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0])]
MATRIX = np.array([[0.5, -1.2, 2.0], [0.3, 0.8, -0.6], [1.4, -0.9, 0.2]])
NAMED = {"w": np.array([1.0, 2.0]), "b": np.array([3.0, 4.0])}
LAYERS = {"layers": [{"W": np.array([1.0, 2.0])}, {"W": np.array([3.0, 4.0])}]}


@program((ROWS, 2.0))
def item_of_row(rows, x):
    rows[0][1] = x * rows[1][0]
    rows[2][0] += rows[0][1]
    return rows[0][1] * rows[0][0] * rows[2][0]


@program((ARRAYS, 2.0))
def rows_of_a_loop(rows, x):
    for row in rows:
        row[0] = x * row[1]
    for i, row in enumerate(rows):
        row -= i * x
    rows[0] += 1.0
    return sum((row * row).sum() for row in rows)


@program(({"w": [1.0, 2.0], "b": [3.0]}, 2.0))
def table_of_lists(table, x):
    for i in range(2):
        table["w"][i] += x * table["b"][0]
    return table["w"][0] * table["w"][1]


@program((LAYERS, 0.1))
def parameters_of_layers(params, rate):
    for i in range(2):
        params["layers"][i]["W"] -= rate * params["layers"][i]["W"] ** 2
    return sum((layer["W"] ** 2).sum() for layer in params["layers"])


@program((ARRAYS, [2.0 * a for a in ARRAYS], 0.1))
def descends_along_lists(params, gradients, rate):
    for param, gradient in zip(params, gradients):
        param -= rate * gradient * param
    return sum((param * param).sum() for param in params)


@program((NAMED, {name: 0.5 * a for name, a in NAMED.items()}, 0.1))
def descends_along_dicts(params, gradients, rate):
    for name in params:
        params[name] -= rate * gradients[name] * params[name]
    for param, gradient in zip(params.values(), gradients.values()):
        param -= rate * gradient * param
    for name, param in params.items():
        param *= gradients[name]
    return (params["w"] * params["b"]).sum()


@program((np.array([1.0, 2.0]), np.array([1.0, 2.0]), 0.3))
def arguments_in_a_list(weight, bias, rate):
    for param in [weight, bias]:
        param -= rate * param * param
    return (weight * bias).sum()


@program((2.0,))
def names_of_elements(x):
    a = np.zeros(3)
    history = [a]
    a[0] = x
    history[0][1] = x * x
    history.append(a * 2.0)
    history[1][2] = a[0]
    return (history[0] * history[1]).sum() + a[1]


@program((2.0,))
def containers_in_containers(x):
    inner = [0.0, 0.0]
    outer = {"a": [inner, [1.0]]}
    inner[0] = x
    outer["a"][0][1] = x * x
    outer["a"][1].append(x)
    return inner[0] * inner[1] * outer["a"][1][1]


@program((2.0, 4))
def table_of_partial_results(x, n):
    table = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            before = table[i - 1][j] * table[i][j - 1] if i and j else 1.0
            table[i][j] = x + before
    return table[n - 1][n - 1]


@program((ROWS, 2.0, 0, 0), (ROWS, 2.0, 0, 1))
def two_views_of_unknown_places(rows, x, i, j):
    a, b = rows[i], rows[j]
    a[0] = x * b[1]
    b[1] = a[0] * x
    return a[1] * b[0]


@program((ROWS, 2.0))
def rows_change_places(rows, x):
    rows[0], rows[1] = rows[1], rows[0]
    rows[0][0] *= x
    last = rows.pop()
    last[0] = x * last[1]
    rows.insert(0, [x, 1.0])
    rows[0][1] *= rows[1][0]
    return rows[0][1] * rows[2][0] * last[0]


@program((ROWS, 2.0))
def rows_walk_round(rows, x):
    for _ in range(2):
        row = rows.pop(0)
        row[0] *= x
        rows.append(row)
    done = []
    while rows:
        done.append(rows.pop())
    done[0][1] *= x
    return done[0][0] * done[0][1] * done[1][0] * done[2][1]


@program((ROWS, 2.0))
def copies_of_the_outer_list(rows, x):
    ordered = sorted(rows, key=lambda row: -row[0])
    ordered[0][0] *= x
    turned = ordered[::-1]
    turned[0][1] *= turned[2][0]
    return sum(row[0] * row[1] for row in turned)


def scale(row, factor):
    for i in range(len(row)):
        row[i] = factor * row[i]


def add_multiple(row, other, factor):
    for i in range(len(row)):
        row[i] += factor * other[i]


@program((ROWS, 2.0))
def helpers_change_rows(rows, x):
    for row in rows:
        scale(row, x)
    for i in range(1, 3):
        add_multiple(rows[i], rows[i - 1], rows[0][0])
    return rows[2][0] * rows[2][1]


@program(([4.0, 1.0, 0.5, 6.0, 3.0, 0.2, 0.5, 0.2, 2.0], [1.0, 2.0, 3.0]))
def gauss_with_pivots(flat, b):
    n = len(b)
    m = [flat[n * i : n * i + n] for i in range(n)]
    for k in range(n):
        pivot = k
        for r in range(k + 1, n):
            if abs(m[r][k]) > abs(m[pivot][k]):
                pivot = r
        m[k], m[pivot] = m[pivot], m[k]
        b[k], b[pivot] = b[pivot], b[k]
        for i in range(k + 1, n):
            factor = m[i][k] / m[k][k]
            for j in range(k, n):
                m[i][j] -= factor * m[k][j]
            b[i] -= factor * b[k]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - sum(m[i][j] * x[j] for j in range(i + 1, n))) / m[i][i]
    return sum(v * v for v in x)


@program(([[np.array([1.0, 2.0])], [np.array([3.0, 4.0])]], 2.0))
def arrays_in_nested_lists(grid, x):
    for row in grid:
        for a in row:
            a *= x
            a[0] += a[1]
    part = grid[0][0][1:]
    part[0] = x * x
    return sum((a * a).sum() for row in grid for a in row)


@program(((np.array([1.0, 2.0]), [np.array([3.0, 4.0])]), 2.0))
def arrays_in_a_tuple(pair, x):
    pair[0][0] = x
    a, rows = pair
    rows[0] *= a
    row = pair[1][0]
    row += x
    return pair[1][0].sum() * a[0]


@program((([(np.array([1.0, 2.0]), np.array([1.0]))], 2.0)))
def arrays_in_pairs(pairs, x):
    for weight, bias in pairs:
        weight -= x * weight
        bias += weight.sum()
    return sum((weight * weight).sum() * bias[0] for weight, bias in pairs)


@program((2.0, 3))
def elements_in_branches_and_loops(x, n):
    rows = [[1.0, 2.0], [3.0, 4.0]]
    row = rows[0]
    for i in range(n):
        row[0] *= x
        if i % 2:
            rows[0][1] += row[0]
        else:
            row[1] *= rows[1][0]
    row = rows[1]
    rows[1] = [x, x * n]
    rows[1][0] *= row[0]
    return rows[0][1] * rows[0][0] * rows[1][0]


@program((2.0, 3))
def current_row_is_the_next_one_s_previous(x, n):
    rows, previous = [], [x, 1.0]
    for _ in range(n):
        current = [0.0, 0.0]
        rows.append(current)
        current[0] = previous[0] * x
        current[1] = previous[1] + current[0]
        previous = current
    return rows[-1][0] * rows[1][1]


@program(([[1.0, 2.0], [3.0]], 2.0))
def rows_that_grow(rows, x):
    for row in rows:
        row.append(sum(row) * x)
    for i in range(2):
        rows[i] += [rows[i - 1][0] * x]
    return sum(sum(row) for row in rows) ** 2


@program((np.array([1.0, 2.0]), 3.0, 1))
def chosen_of_a_tuple(a, x, i):
    b, c = a * 1.0, a * 2.0
    chosen = (b, c)[i]
    b[0] = x
    return chosen[0] * b[0]


@program((np.array([1.0, 2.0]), 3.0, True), (np.array([1.0, 2.0]), 3.0, False))
def list_of_one_arm(a, x, is_first):
    b, c = a * 1.0, a * 2.0
    rows = [b] if is_first else [c]
    return rows[0][0] * x


@program((ROWS, 2.0))
def filtered_rows(rows, x):
    long = [row for row in rows if row[0] > 2.0]
    long[0][0] = x
    return long[0][0] * long[1][1]


@program((MATRIX,))
def rows_in_buckets(a):
    buckets = [[] for _ in range(2)]
    for i in range(3):
        buckets[i % 2].append(a[i])
        buckets[0].extend([a[i] * 2])
    return sum(sum(bucket).prod() for bucket in buckets)


@program((MATRIX,))
def default_lists_of_numbers(a):
    totals = defaultdict(lambda: [0.0, 0.0])
    for i in range(3):
        for j in range(3):
            totals[i % 2][j % 2] += a[i, j] ** 2
    return totals[0][0] * totals[1][1]


@program((MATRIX,))
def default_dicts(a):
    totals = defaultdict(dict)
    for i in range(3):
        for j in range(3):
            totals[i % 2][j % 2] = totals[i % 2].get(j % 2, 0.0) + a[i, j]
    return totals[0][0] * totals[1][1]


@program(({"w": MATRIX[:, :2].copy(), "b": np.array([0.3, -0.2])}, MATRIX[0].copy()))
def parameters_descend_by_items(parameters, x):
    for _, w in parameters.items():
        w -= 0.1 * w**2
    return np.tanh(x @ parameters["w"] + parameters["b"]).sum()


def trajectory(f, state, steps):
    states = [state]
    for _ in range(steps):
        states.append(states[-1] + 0.1 * f(states[-1]))
    return states


def trajectory_by_midpoints(f, state, steps):
    states = {0: state}
    for i in range(steps):
        states[i + 1] = states[i] + 0.1 * f(states[i] + 0.05 * f(states[i]))
    return list(states.values())


@program((MATRIX[0].copy(),))
def trajectories_that_begin_with_an_argument(x):
    ends = [solve(np.sin, x, 3)[-1] for solve in (trajectory, trajectory_by_midpoints)]
    return np.sum(trajectory(np.tanh, x, 2)[1]) + ends[0] @ ends[1] + np.sum(x**2)
