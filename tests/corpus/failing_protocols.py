"""Operators, properties, constructors and managers that change something, then raise."""

import contextlib
import functools
from dataclasses import dataclass

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


class Sub(Box):
    def mul(self, x, limit=5.0):
        self.v = self.v + 0.5
        y = super().mul(x, limit=limit)
        self.v = self.v - 0.25
        return y

    @staticmethod
    def touch(b, x):
        b.v = b.v * x
        if b.n > 1:
            raise KeyError("n")
        b.n += 1

    @classmethod
    def make(cls, reg, x):
        reg.v = reg.v + x
        if x < 0:
            raise ValueError
        return cls(x)


class Temp:
    def __init__(self, c):
        self._c = c
        self.tries = 0.0

    @property
    def c(self):
        return self._c

    @c.setter
    def c(self, v):
        self.tries = self.tries + v
        if v < -10:
            raise ValueError("too cold")
        self._c = v


class Strict:
    def __setattr__(self, n, v):
        object.__setattr__(self, "last", v)
        if isinstance(v, float) and v > 5:
            raise ValueError(n)
        object.__setattr__(self, n, v)


class Checked:
    def __init__(self, reg, x):
        reg.tries = reg.tries + x * x
        self.v = x
        if x < 0:
            raise ValueError("negative")
        reg._c = x


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


class CM:
    def __init__(self, o, k):
        self.o = o
        self.k = k

    def __enter__(self):
        self.o.v = self.o.v * self.k
        return self

    def __exit__(self, t, e, tb):
        self.o.v = self.o.v + self.k
        return t is ValueError


class Prop:
    def __init__(self, v):
        self.v = v
        self.c = 0
        self.k = 1.0

    @property
    def next(self):
        self.c += 1
        self.v = self.v * self.k
        if self.c == 2:
            raise ValueError
        self.v = self.v + 1
        return self.v * 2

    def __getattr__(self, n):
        self.__dict__["v"] = self.__dict__["v"] * 1.5
        raise AttributeError(n)


class Eq:
    def __init__(self, b):
        self.b = b

    def __lt__(self, o):
        self.b.v = self.b.v + 1
        if self.b.v > 4:
            raise ValueError
        return self.b.v < 3

    def __bool__(self):
        self.b.v = self.b.v * 1.1
        if self.b.v > 5:
            raise TypeError
        return True

    def __len__(self):
        return 3

    def __float__(self):
        self.b.v = self.b.v * 1.1
        return 1.0


@dataclass
class DC:
    x: float
    y: float = 1.0

    def __post_init__(self):
        self.y = self.y * self.x
        if self.x > 2.5:
            raise ValueError


def logged(f):
    @functools.wraps(f)
    def w(*args, **kw):
        args[0].n += 1
        try:
            return f(*args, **kw)
        finally:
            args[0].v = args[0].v * 1.05

    return w


@logged
def deco(o, x):
    o.v = o.v + x
    if o.n > 2:
        raise ValueError
    o.v = o.v * x
    return o.v


@program((3.0, -4.0))
def setter(a, b):
    t = Temp(a)
    for k in (1.0, 2.0, 5.0, 2.0):
        try:
            t.c = b * k
        except ValueError:
            t._c = t._c * a
    return t.c * t.tries


@program((3.0, 2.0))
def hook(a, b):
    s = Strict()
    s.x = a
    for k in (1.0, 3.0, 1.5):
        try:
            s.x = b * k
        except ValueError:
            s.x = s.last * 0.1
    return s.x * s.last + a


@program((3.0, 2.0))
def init_raises(a, b):
    made = []
    reg = Temp(a)
    class_ = Checked
    r = 0.0
    for x in (a, b, -a, a * b):
        try:
            c = class_(reg, x)
            r += c.v
        except ValueError:
            r += reg.tries * 0.01
    return r * reg.tries


@program((3.0, 2.0))
def operators(a, b):
    m = Money(a, "e")
    r = 0.0
    for cur, x in (("e", a), ("d", b), ("e", b)):
        o = Money(x, cur)
        try:
            s = m + o
            r += s.v
        except TypeError:
            r += m.uses * o.v
        try:
            m += o
        except TypeError:
            m.v = m.v * a
    return r * m.v


@program((3.0, 2.0))
def items(a, b):
    m = Money(a, "e")
    r = 0.0
    for i in range(4):
        try:
            r += m[i] * b
        except IndexError:
            r += m.v
        try:
            m[i] = r * 0.3
        except IndexError:
            r = r * b
    return r * m.v


@program((3.0, 2.0))
def callable_object(a, b):
    m = Money(a, "e")
    r = 0.0
    for x in (a, b, a * b, b * 0.5):
        try:
            r += m(x)
        except RuntimeError:
            r = r * m.v
    return r


@program((1.5, 2.0))
def managers(a, b):
    m = Money(a, "e")
    for x in (a, b, 3.0):
        try:
            with CM(m, x) as c:
                m.v = m.v * 1.2
                if x == b:
                    raise ValueError
                if x == 3.0:
                    raise KeyError("k")
                m.v += a
        except KeyError:
            m.v = m.v * b
    return m.v


@program((1.3, 2.0))
def prop_getter(a, b):
    class_ = Prop
    p = class_(a)
    r = 0.0
    for k in (b, a, b):
        p.k = k
        try:
            r += p.next * a
        except ValueError:
            r = r * b + p.v
    return r * p.v


@program((1.3, 2.0))
def compare(a, b):
    s = Box(a)
    e = Eq(s)
    r = 0.0
    for i in range(4):
        try:
            if e < e:
                r += s.v
            if e:
                r += s.v
        except ValueError:
            r = r * 1.1
            s.v = s.v * 0.9
    return r * s.v


@program((1.3, 2.0))
def dataclasses_(a, b):
    r = 0.0
    for v in (a, 3.0, b):
        try:
            d = DC(v, b)
            r += d.y
        except ValueError:
            r = r * a
    return r * d.y


@program((1.3, 2.0))
def with_raises(a, b):
    s = Box(a)
    r = 0.0
    for x in (a, b, b * 2, 0.3):
        try:
            with s as v:
                r += v * x
                s.v = s.v * b
                if x == b:
                    raise ValueError
        except OverflowError:
            s.v = s.v * 0.5
        except ValueError:
            r = r * s.v
    return r * s.v


@program((1.3, 2.0))
def static_class(a, b):
    g = Sub(a)
    r = 0.0
    for x in (b, -a, a, b):
        try:
            o = Sub.make(g, x)
            Sub.touch(o, a)
            Sub.touch(g, b)
            r += o.v
        except (ValueError, KeyError) as e:
            r += g.v * (2.0 if isinstance(e, KeyError) else 1.0)
    return r * g.v


@program((1.3, 2.0))
def sup(a, b):
    s = Sub(a)
    r = 0.0
    for x in (b, b, a, 0.1, b):
        try:
            r += s.mul(x)
        except OverflowError:
            r -= s.v
            s.v = s.v * 0.2
    return r * s.v


@program((1.3, 2.0))
def partials(a, b):
    s = Box(a)
    r = 0.0
    p = functools.partial(s.mul, limit=3.0)
    q = functools.partial(Box.mul, s)
    for f in (p, q, p, q, s.mul):
        try:
            r += f(b)
        except OverflowError:
            s.v = s.v * 0.3
    return r * s.v


@program((1.3, 2.0))
def decorated(a, b):
    s = Box(a)
    r = 0.0
    for x in (a, b, a, b):
        try:
            r += deco(s, x)
        except ValueError:
            r = r * 1.1
    return r * s.v


@program((1.3, 2.0))
def suppress(a, b):
    s = Box(a)
    r = 0.0
    for x in (a, b, b, b):
        with contextlib.suppress(OverflowError):
            r += s.mul(x)
            r = r * 2
        s.v = s.v * 0.7
    return r * s.v
