"""Arrays, lists and dicts that are changed in place, under one name and under several."""

import math

import numpy as np

from tests.corpus.registry import program

VECTOR = np.array([1.0, 2.0, 3.0, 4.0])
SIX = np.array([1.0, 2.0, -1.5, 4.0, 0.5, 3.0])
MATRIX = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
GRID = np.arange(12.0).reshape(3, 4) / 5 + 0.1


@program((VECTOR,))
def jacobi(u):
    u = u.copy()
    for _ in range(3):
        new = np.zeros_like(u)
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        u = new
    return u.sum()


@program((VECTOR,))
def jacobi_with_two_buffers(u):
    u, v = u.copy(), u.copy()
    for _ in range(3):
        v[1:-1] = 0.5 * (u[:-2] + u[2:])
        u, v = v, u
    return (u * u).sum()


@program((GRID,))
def jacobi_in_two_dimensions(u):
    old = u * 1.0
    new = old.copy()
    for _ in range(2):
        new[1:-1, 1:-1] = 0.25 * (
            old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:]
        )
        old[:] = new
    return (old * old).sum()


@program((VECTOR, VECTOR / 10))
def gauss_seidel(u, f):
    u = u.copy()
    for _ in range(3):
        for i in range(1, len(u) - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1] - f[i] * u[i])
    return (u**2).sum()


@program((MATRIX,))
def cholesky(a):
    n = a.shape[0]
    factor = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j] - factor[i, :j] @ factor[j, :j]
            if i == j:
                factor[i, j] = math.sqrt(s)
            else:
                factor[i, j] = s / factor[j, j]
    return factor.sum()


@program((MATRIX,))
def lu_in_argument(a):
    n = len(a)
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return np.sum(np.log(np.abs(np.diag(a))))


@program((VECTOR, VECTOR / 3))
def tridiagonal(d, b):
    n = len(d)
    c, x = np.zeros(n), b.copy()
    for i in range(1, n):
        w = 1.0 / d[i - 1]
        d[i] -= w * 0.3
        x[i] -= w * x[i - 1]
    c[-1] = x[-1] / d[-1]
    for i in range(n - 2, -1, -1):
        c[i] = (x[i] - 0.3 * c[i + 1]) / d[i]
    return c @ c


@program((SIX, 0.3))
def accumulates_and_masks(a, s):
    out, total = np.empty(6), np.zeros(6)
    for i in range(6):
        total += np.tanh(a * s * i)
        out[i] = total.sum()
        total *= 0.5
    out[out > 2] *= s
    out[[0, 0, 1]] = a[:3] * out[2]
    return out.sum()


@program((SIX, 0.3), (SIX, -0.3))
def changes_in_branches(a, s):
    b = a.copy()
    if s > 0:
        b[0] = s * b[1]
    else:
        b[1] = 2.0
    c = b
    c[2] = b[0] * b[1]
    for i in range(6):
        if i % 2:
            b[i] = b[i] * s
            continue
        if i > 3:
            break
        c[i] += b[i - 1]
    return b @ c


@program((GRID,))
def views_of_rows(a):
    b = a * 2
    r = b[0]
    r[1] = b[1, 2] * 3
    b[1] += r
    r += b[1] * 0.1
    return (b * b).sum() + r[1]


@program((SIX,))
def strided_and_reversed_views(a):
    b = a * 1.0
    even, odd = b[::2], b[1::2]
    even *= odd
    odd[:] = even[::-1]
    b[1:] += b[:-1]
    return (b * np.arange(6)).sum()


@program((VECTOR, 0.5))
def transposed_view(a, x):
    m = np.outer(a, a)
    t = m.T
    t[0, 1] = x
    m[2] *= x
    return (m * t).sum()


@program((GRID, 0.5))
def flat_view(a, x):
    m = a * x
    flat = m.reshape(-1)
    flat[3] = x * x
    m[1] += flat[0]
    column = m.ravel()[::4]
    column *= 2.0
    return (m * m).sum() + flat[4] * column[1]


@program((GRID, 0.5))
def rows_bound_by_a_loop(a, x):
    g = a * 1.0
    for row in g:
        row[1:] *= x
        row[0] += row[1]
    return (g * g).sum()


@program((VECTOR, 2.0))
def changes_argument(a, x):
    a[0] = x
    a += x * x
    a[1:] *= a[:-1]
    return a.sum()


@program((VECTOR, VECTOR * 0.5))
def changes_one_of_two(a, b):
    a[0] = b[1]
    b = b * a[0]
    a *= b
    return (a * b).sum()


@program((VECTOR, 0.3))
def writes_outputs(a, s):
    b = np.empty(4)
    np.multiply(a, s, out=b)
    np.exp(b, out=b)
    np.add(b, a, b)
    c = np.zeros(4)
    c.fill(s)
    np.copyto(c[1:], b[:-1])
    c.sort()
    np.add.at(c, [0, 0, 2], b[1:])
    d = np.zeros(())
    np.sum(c * b, out=d)
    return float(d) * s


def relax(u, f, w):
    for i in range(1, len(u) - 1):
        u[i] = w * 0.5 * (u[i - 1] + u[i + 1] - f[i])
    return u[1]


@program((VECTOR, VECTOR / 10, 0.9))
def helper_changes_argument(u, f, w):
    u = u.copy()
    t = 0.0
    for _ in range(3):
        t += relax(u, f, w)
    relax(f, u, 2.0)
    return (u * f).sum() * t


def ramp(n, v):
    a = np.zeros(n)
    for i in range(n):
        a[i] = v * i
    return a


@program((1.2,))
def changes_what_a_call_made(x):
    a = ramp(4, x)
    a[1] += x
    b = ramp(3, a[2])
    b[0] = a[1] * x
    return a.sum() * b.sum()


def pair_of(n, v):
    return ramp(n, v), ramp(n, v * v)


@program((1.2,))
def changes_parts_of_a_returned_pair(x):
    a, b = pair_of(4, x)
    a[1] = b[2]
    b[2] = a[3] * x
    return a @ b


def set_first(a, x):
    a[0] = x
    return a


@program((VECTOR, 0.5))
def call_returns_its_argument(a, x):
    c = a.copy()
    b = set_first(c, x * 2)
    b[1] = x
    return (b * c).sum() * x


@program((1.5, 4))
def grows_list(x, n):
    xs = []
    for i in range(n):
        xs.append(x * i)
    xs[1] = xs[2] * x
    t = xs.pop()
    xs.insert(1, t * t)
    xs.extend([x, 2 * x])
    return sum(xs) * xs[-1]


@program((2.0, 3))
def stack_in_while_loop(x, n):
    stack = [x]
    total = 0.0
    while stack:
        v = stack.pop()
        total += v * v
        if n > 0:
            n -= 1
            stack.append(v * 0.5)
            stack.append(v + x)
    return total


def push(xs, v):
    if v > 0:
        xs.append(v)
    for i in range(len(xs)):
        xs[i] = xs[i] * 2


@program((1.2, 3))
def helper_grows_list(x, n):
    xs = [x]
    for i in range(n):
        push(xs, x * i)
    return sum(xs)


@program((1.2, 3.0))
def methods_of_lists(x, y):
    xs = [x * y, x, y * y, 2.0]
    xs.sort()
    t = xs[0] * x
    xs.reverse()
    xs.remove(2.0)
    xs += [t, x]
    s = xs[0] * xs[-1] + xs[1] * t
    xs.clear()
    xs.append(s)
    return xs[0] * len(xs)


@program((1.2, 3.0))
def slices_and_deletions_of_lists(x, y):
    xs = [x, y, x * y, y * y, x + y]
    xs[1:3] = [x * x]
    del xs[0]
    ys = xs
    ys[-1] = xs[0] * ys[1]
    del ys[1:2]
    return xs[0] * xs[1] * len(xs)


@program(([1.0, 2.0, 3.0], 2.0))
def list_argument(xs, x):
    xs[0] = x * xs[1]
    xs.append(xs[0] * x)
    return xs[0] + xs[-1] * xs[2]


@program(([3.0, 1.0, 2.0],))
def bubble_sort(xs):
    for i in range(len(xs)):
        for j in range(len(xs) - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs[0] + 10 * xs[1] + 100 * xs[2]


@program((1.5,))
def stores_into_dict(x):
    d = {}
    d["a"] = x * x
    d["b"] = d["a"] * x
    d["a"] = d["b"] + 1
    return d["a"] * d["b"]


@program((1.5, 3))
def counts_in_dict(x, n):
    totals = {}
    for i in range(n):
        key = i % 2
        totals[key] = totals.get(key, 0.0) + x**i
    del totals[1]
    return totals[0] * len(totals)


@program((1.2, 3.0))
def methods_of_dicts(x, y):
    d = {"a": x}
    d.update(b=y * x)
    d.update({"c": x * x, "a": y})
    t = d.setdefault("a", 5.0) * d.setdefault("z", x)
    t += d.pop("b") * d["c"]
    return t * d["z"] + d.pop("q", x * 7) + len(d)


@program((2.0, 3))
def recurrence_in_an_array(x, n):
    memory = np.zeros(n + 2)
    memory[0], memory[1] = x, x * x
    for i in range(2, n + 2):
        memory[i] = memory[i - 1] + memory[i - 2] * memory[i - 1]
    return memory[n + 1]


@program((VECTOR, 0.1, 4))
def euler_in_place(y, h, n):
    y = y.copy()
    path = np.empty((n, len(y)))
    for k in range(n):
        path[k] = y
        y += h * np.sin(y)
        y[0] -= h * y[1] ** 2
    return (path**2).sum() + y.sum()


@program((VECTOR,))
def stores_of_broadcast_values(a):
    m = np.zeros((3, 4))
    m[:] = a
    m[1] = a[0]
    m[:, 2] = [a[1], a[2] ** 2, 1.0]
    m[2, :3] += a[1:]
    return (m * m).sum()


@program((VECTOR, 2.0))
def integer_array_steers(a, x):
    order = np.zeros(4, int)
    for i in range(4):
        order[i] = 3 - i
    order[0] += 0
    return (a[order] * np.arange(4) * x).sum()


@program((VECTOR,))
def old_contents_stay_needed(a):
    b = a.copy()
    s = 0.0
    for i in range(3):
        s += np.sum(np.exp(b * 0.1))
        b[i] = s * b[i + 1]
        b *= b
        b /= 10.0
    return s + b[2]


@program((1, 2.0, SIX))
def returns_from_a_loop_that_binds_a_list(c, b, x):
    while True:
        if c:
            unused = [1]
        x[1] = 1
        return b * x[2]


@program((2.0,))
def hands_new_memory_on(x):
    u = np.zeros(3)
    s = 0.0
    for i in range(4):
        u[0] += i * x
        s = s + u[0] * x
        u = u.copy() if i % 2 else np.ones(3)
    return s + u[0]


@program((3.0, VECTOR))
def changes_before_and_in_a_loop(b, y):
    y[:2] = b
    for _ in range(3):
        y *= 2.0
    n = 0
    while True:
        n += 1
        if n > 2:
            break
        y += b
    return y.sum()


@program((3.0, VECTOR), (-3.0, VECTOR))
def changes_a_name_in_a_branch(b, y):
    z = y[1:]
    items = [b, b * b]
    if b > 0:
        y *= b
        z += 1.0
        items += [b]
    y[0] = items[-1]
    return (y * y).sum() + z[0]


@program((2.0, VECTOR))
def iterates_over_what_was_changed(b, y):
    items = [b, b * b]
    for i in range(2):
        items[i] = items[i] * y[i]
    items[0] *= 3.0
    y[1:] = b
    total = sum([item * item for item in items])
    for value in y:
        total += value * value
    return total


@program((VECTOR, 0.5))
def loop_changes_items_ahead(a, s):
    b = a * s
    total = 0.0
    for i, x in enumerate(b):
        if i < 3:
            b[i + 1] *= x
        total += x
    for x, y in zip(b, b[1:], strict=False):
        b[1:] *= 1.1
        total += x * y
    return total


@program((1.2, 3.0))
def loop_changes_items_of_list(x, y):
    xs = [x, y, x * y]
    total = 0.0
    for i, v in enumerate(xs):
        if i < 2:
            xs[i + 1] = xs[i + 1] * v
        total += v
    for v in xs:
        xs[-1] = v + total
    return total * xs[2]


@program((GRID,))
def loop_changes_rows_ahead(a):
    b = a * 1.0
    total = 0.0
    for row in b:
        b[1] = b[1] * row[0]
        total += (row * row).sum()
    return total


@program((VECTOR,))
def lists_of_lists_made_by_loops(a):
    rows = []
    for i in range(3):
        row = []
        for j in range(i + 1):
            row.append(a[j] * a[i])
        rows.append(row)
    total = 0.0
    for row in rows:
        total += sum(row) * row[0]
    return total


@program((VECTOR,))
def closures_over_what_was_changed(a):
    b = a * 1.0
    b[0] = a[1] ** 2
    xs = [a[0]]
    xs.append(a[2] * a[3])

    def f(i):
        return b[i] * b[0] * xs[i]

    return f(0) * f(1)


@program((VECTOR, 1.0), (VECTOR, -1.0))
def branch_chooses_what_was_changed(a, s):
    b, c = a * s, a * 2
    b[0] = a[1] ** 2
    d = b if s > 0 else c
    return (d * d).sum()


@program((VECTOR,))
def tuple_holds_an_earlier_version(a):
    b = a * 1.0
    pair = (b, [b * 2])
    b[0] = a[1] ** 2
    return pair[0].sum() * pair[1][0].sum()


def product_into(a, *, out):
    out[0] = a[1] * a[0]


@program((VECTOR,))
def keyword_called_out(a):
    b = a * 1.0
    product_into(a, out=b)
    product_into(b, out=a)
    return (a * b).sum()


@program((VECTOR,))
def array_without_dimensions(a):
    b = np.array(a[0])
    b[...] = b * a[1]
    b += a[2]
    b[()] *= b
    return float(b) * a[3]


@program((MATRIX,))
def rows_as_far_as_they_are_done(a):
    a = a.copy()
    for i in range(len(a)):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        for j in range(i, len(a)):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return np.sum(a)


@program((SIX,))
def all_that_came_before(a):
    y = np.zeros(len(a))
    for t in range(len(a)):
        y[t] = np.tanh(a[t] + y[:t] @ a[:t])
        if t % 2:
            y[:t] *= 0.5
    return y @ y


@program((GRID, [1.0, 2.0]))
def states_in_a_list(w, x):
    states = [np.zeros(4)]
    for i in range(3):
        states.append(np.tanh(states[-1] * w[i] + x[i % 2]))
        if i == 1:
            states[0] = states[-1] * 2.0
    return sum([state @ state for state in states])


@program((np.array([0.5, -1.2, 2.0]), 0.3))
def results_of_functions(v, x):
    spectrum = np.fft.fft(v)
    spectrum[1] = 0
    spectrum *= x
    taken = np.take(v, [0, 2])
    taken[0] = x * taken[1]
    longer = np.append(v, x)
    longer[-1] *= 2
    shorter = np.delete(v, 1)
    shorter[0] += x
    wide = np.insert(v, 1, x)
    wide[1] += 1
    gaps = np.diff(v)
    gaps *= x
    diagonal = np.diag(v)
    diagonal[0, 1] = x
    return (
        np.abs(np.fft.ifft(spectrum)).sum() + taken.prod() + longer.sum() + shorter.prod()
        + wide.prod() + gaps.sum() + np.linalg.det(diagonal + diagonal.T)
    )


@program((np.array([[2.0, 0.3, -0.4], [0.1, 1.5, 0.2], [-0.3, 0.4, 1.8]]), 0.5))
def places_from_functions(a, x):
    a = a.copy()
    a[np.diag_indices_from(a)] += x
    a[np.ix_([0, 2], [1, 2])] *= x
    a[np.triu_indices(3, 1)] -= x
    a[np.nonzero(a > 2.2)] *= 3
    return (a**2).sum()


@program((np.array([0.5, 1.2, -0.3, 0.8]), 0.6))
def lattice_of_two_velocities(density, relaxation):
    steps = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)])  # of which no type is known
    lattice = density[:, None] * np.ones((4, 3))
    for _ in range(2):
        velocity = np.tensordot(steps.T, lattice, axes=1) / 4.0
        velocity[:, 0] += relaxation * density[:2]
        velocity[1] *= 1.0 - relaxation
        lattice = lattice + 0.1 * steps @ velocity
    return np.sum(lattice**2)


@program((MATRIX, 1.5))
def views_by_einsum_changed(a, x):
    diagonal = np.einsum("ii->i", a)
    turned = np.einsum(a, [0, 1], [1, 0])
    y = diagonal @ diagonal
    diagonal[1] = x
    turned[0] *= x
    return y + np.sum(a**3) + np.sum(diagonal)
