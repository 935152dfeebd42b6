"""Arrays, lists, dicts and attributes that are changed, and a failure in the midst of it."""

import numpy as np

from tests.corpus.registry import program


class Box:
    def __init__(self, v):
        self.v = v
        self.n = 0

    def mul(self, x, limit=6.0):
        self.n += 1
        self.v = self.v * x
        if self.v > limit:
            raise OverflowError("limit")
        return self.v

    def both(self, x, *more, scale=1.0, **kw):
        for m in more:
            self.mul(m * scale)
        self.v = self.v + kw["off"]
        return self.v * x

    def __enter__(self):
        self.v = self.v + 1
        return self.v

    def __exit__(self, t, e, tb):
        self.v = self.v * 0.9
        if t is None and self.v > 8:
            raise OverflowError("at exit")
        return False


def push(xs, v):
    xs.append(v)
    if len(xs) % 2 == 0:
        raise ValueError("even")
    xs.append(v * v)


class Money:
    def __init__(self, v, cur):
        self.v = v
        self.cur = cur
        self.uses = 0

    def __add__(self, o):
        self.uses += 1
        if self.cur != o.cur:
            raise TypeError("currency")
        return Money(self.v + o.v, self.cur)

    def __iadd__(self, o):
        self.v = self.v * 1.01
        if self.cur != o.cur:
            raise TypeError("currency")
        self.v = self.v + o.v
        return self

    def __getitem__(self, i):
        self.v = self.v + 0.1
        if i > 1:
            raise IndexError(i)
        return self.v * i

    def __setitem__(self, i, v):
        self.v = self.v * 1.1
        if i > 1:
            raise IndexError(i)
        self.v = v

    def __call__(self, x):
        self.v = self.v + x
        if x > 2.5:
            raise RuntimeError
        return self.v * x


@program((np.array([1.0, 2.0, 3.0]), 2.0))
def array_arg(x, b):
    y = x * 1.0

    def upd(z, i):
        z[i] = z[i] * b
        if i == 1:
            raise IndexError
        z[0] = z[0] + z[i]

    for i in range(4):
        try:
            upd(y, i)
        except IndexError:
            y[2] = y[2] * y[0]
    return np.sum(y * y)


@program((1.5, 2.0))
def list_arg(a, b):
    xs = [a]
    r = 0.0
    for i in range(4):
        try:
            push(xs, b * i + a)
        except ValueError:
            r += xs[-1]
    return r + sum(xs)


@program((1.5, 2.0))
def dict_arg(a, b):
    d = {"x": a, "y": b}

    def upd(d, k):
        d["x"] = d["x"] * b
        d["y"] = d["y"] + d[k]

    for k in ("x", "z", "y"):
        try:
            upd(d, k)
        except KeyError:
            d["x"] = d["x"] - a
    return d["x"] * d["y"]


@program((1.5, 2.0))
def store_after_bind(a, b):
    arr = np.array([a, b])
    y = a
    for i in (0, 5, 1):
        try:
            y, arr[i] = y * b, y + a
        except IndexError:
            y = y * 1.1
    return y * arr[0] * arr[1]


@program((1.5, 2.0))
def delattr_(a, b):
    m = Money(a, "e")
    m.extra = b
    for i in range(3):
        try:
            m.v = m.v * b
            del m.extra
            m.v = m.v + a
        except AttributeError:
            m.extra = m.v * 0.1
    return m.v * (m.extra if hasattr(m, "extra") else a)


@program((np.array([1.0, 2.0, 3.0]), 0.5))
def held_array(x, b):
    o = Box(x * 1.0)

    def f(i, k):
        o.v[i] = o.v[i] * k
        o.n = o.n + 1
        o.v[i + 1] = o.v[i] + b
        o.v = o.v * 1.1
        return o.v

    r = 0.0
    for i in range(4):
        try:
            r += np.sum(f(i, b + i))
        except IndexError:
            r = r * o.v[0]
    return r + np.sum(o.v**2)


@program((np.array([1.0, 2.0, 3.0]), 0.5))
def arrays_direct(x, b):
    y = np.zeros(3)
    r = 0.0

    def fill(z, v, n):
        for i in range(n):
            z[i] = z[i] + v[i] * v[i] * b
        return z * b

    for n in (2, 5, 3):
        try:
            w = fill(y, x, n)
            r += np.sum(w)
        except IndexError:
            y[0] = y[0] * 2
            r = r + y[2]
    return r + np.sum(y * y)


@program((np.array([1.0, 2.0, 3.0]), 0.5))
def array_result(x, b):
    s = Box(1.0)
    tot = 0.0

    def f(v, k):
        s.v = s.v * 1.5
        if k > 1:
            raise ValueError
        s.v = s.v + np.sum(v)
        return v * s.v

    for k in range(3):
        try:
            u = f(x * b, k)
            u = u * u
            tot += np.sum(u)
        except ValueError:
            tot += s.v
    return tot * s.v


@program((1.3, 2.0))
def attrs_order(a, b):
    o = Box(a)
    o.p = Box(b)

    def f(k):
        o.v, o.p.v, o.q.v = o.p.v * k, o.v + k, 1.0

    def g(k):
        o.p.v += k
        o.z += 1.0

    for k in (a, b):
        try:
            f(k)
        except AttributeError:
            o.v = o.v * 1.5
        try:
            g(k)
        except AttributeError:
            o.p.v = o.p.v * 1.5
    return o.v * o.p.v


@program((1.3, 2.0))
def nested_targets(a, b):
    arr = np.array([a, b])
    y = a
    z = b
    for i in (0, 4, 1):
        try:
            y, (z, arr[i]), z = z * 1.1, (y * b, y + a), y * z
        except IndexError:
            y = y + z * 0.3
    return y * z + arr[0] * arr[1]


@program((1.3, 2.0))
def del_multi(a, b):
    o = Box(a)
    d = {"k": a}
    for i in range(3):
        try:
            o.v = o.v * b
            del d["k"], o.extra
        except KeyError:
            o.v = o.v + a
            o.extra = b
        except AttributeError:
            o.v = o.v * 1.5
    return o.v


@program(([1.3, 2.0],))
def arg_list(xs):
    def f(v, i):
        v[i] = v[i] * 2
        v.append(v[i])
        if len(v) > 4:
            raise ValueError
        v[0] = v[0] + v[1]

    ys = list(xs)
    r = 0.0
    for i in range(4):
        try:
            f(ys, i)
        except ValueError:
            r += ys[-1]
    return r + sum(ys)


@program((np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.5, -0.5])))
def iterative(A, x):
    st = Box(x)

    def newton(A, tol):
        st.v = st.v - A @ st.v * 0.1
        st.n += 1
        if st.n > tol:
            raise StopIteration
        st.v = st.v * 1.01

    for i in range(5):
        try:
            newton(A, 2)
        except StopIteration:
            break
    return np.sum(st.v**2) * st.n


@program((np.array([1.0, 2.0, 3.0]), 0.5))
def views(x, b):
    y = x * 1.0
    r = 0.0

    def f(row, i):
        row[0] = row[0] * b
        row[i] = row[i] + 1.0
        row[1] = row[0]

    for i in (1, 5, 0):
        try:
            f(y[1:], i)
        except IndexError:
            r += y[1]
    return r + np.sum(y * y)


@program((np.array([1.0, 2.0, 3.0]), 0.5))
def inplace_add(x, b):
    y = x * 1.0
    r = 0.0

    def f(z, w):
        z *= b
        z += w
        z[0] = 1.0 * z[1]

    for w in (x, np.ones(4), x * x):
        try:
            f(y, w)
        except ValueError:
            r += y[1]
    return r + np.sum(y * y)


@program((1.0, 2.0))
def swap_fail(a, b):
    p, q = Box(a), Box(b)
    for k in ("v", "w"):
        try:
            p.v, q.v = q.v * 1.5, getattr(p, k)
        except AttributeError:
            p.v = p.v + q.v
    return p.v * q.v
