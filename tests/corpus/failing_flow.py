"""Loops, branches and exits in bodies whose calls change something, then raise."""

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


@program((1.5, 2.0))
def comp(a, b):
    m = Money(a, "e")
    r = 0.0
    for xs in ((a, b), (a, 3.0), (b,)):
        try:
            r += sum([m(x) for x in xs])
        except RuntimeError:
            r += m.v
    return r * m.v


@program((1.3, 2.0))
def comps(a, b):
    s = Box(a)
    r = 0.0

    def f(xs):
        return [s.mul(x) for x in xs if x != 1.0]

    for xs in ([a, b], [b, 1.0, b], [0.2]):
        try:
            r += sum(f(xs)) + max(s.mul(0.9 * x) for x in xs)
        except OverflowError:
            s.v = s.v * 0.2
            r = r + s.v
    return r * s.v


@program((1.3, 2.0))
def zips(a, b):
    bs = [Box(a), Box(b), Box(a * b)]
    r = 0.0

    def all_(xs):
        for i, (o, x) in enumerate(zip(bs, xs)):
            r0 = o.mul(x)
            o.v = o.v + i * r0 * 0.1
        return bs[0].v

    for xs in ((a, b, a), (b, 3.0, b), (0.5, 0.5, 0.5)):
        try:
            r += all_(xs)
        except OverflowError:
            r += bs[1].v
    return r + sum([o.v for o in bs])


@program((1.5, 2.0))
def whiles(a, b):
    m = Money(a, "e")

    def run(n):
        i = 0
        while True:
            m.v = m.v * 1.1
            if i > n:
                break
            if m.v > 4:
                raise OverflowError
            i += 1
        else:
            m.v = 0.0
        m.v += b

    for n in (1, 2, 9, 1):
        try:
            run(n)
        except OverflowError:
            m.v = m.v / b
    return m.v


@program((1.3, 2.0))
def while_cond(a, b):
    s = Box(a)
    r = 0.0
    for k in (3, 9):
        try:
            while s.mul(1.2) < k:
                r += s.v
        except OverflowError:
            s.v = s.v * 0.2
            r = r * 1.5
    return r * s.v


@program((1.5, 2.0))
def early_return(a, b):
    m = Money(a, "e")

    def f(x):
        m.v = m.v + x
        for i in range(5):
            m.v = m.v * 1.1
            if i == 2 and x < 1.8:
                return m.v
            if i == 3 and x > 1.9:
                raise ValueError
        return 0.5 * m.v

    r = 0.0
    for x in (a, b, 1.85, a):
        try:
            r += f(x) * 2
        except ValueError as e:
            r -= m.v
    return r


@program((1.5, 2.0))
def ifexp(a, b):
    m = Money(a, "e")
    r = 0.0
    for x in (a, b, 3.0):
        try:
            r += (m(x) if x < 2.7 else m(x) * 2) + (m(x / 3) or 1.0)
        except RuntimeError:
            r = r + m.v
    return r * m.v


@program((1.3, 2.0))
def cond_expr(a, b):
    s = Box(a)
    r = 0.0
    for i in range(4):
        try:
            r += s.mul(b) if i % 2 else (lambda: s.mul(a))()
        except OverflowError:
            s.v *= 0.1
    return r * s.v


@program((1.3, 2.0))
def walrus(a, b):
    s = Box(a)
    r = 0.0
    for i in range(5):
        try:
            if (y := s.mul(b)) > 3:
                r += y
        except OverflowError:
            s.v *= 0.1
            r += 0.5
    return r * s.v + y


@program((1.3, 2.0))
def bool_ops(a, b):
    s = Box(a)
    r = 0.0
    for x in (0.5, b, b, b):
        try:
            if s.mul(x) > 2 and s.mul(b) > 3 or s.mul(0.9) > 0:
                r += s.v
        except OverflowError:
            r += s.n
    return r * s.v


@program((1.5, 2.0))
def orelse(a, b):
    m = Money(a, "e")
    r = 1.0
    for x in (a, 3.0, b):
        try:
            y = m(x)
        except RuntimeError:
            r = r * b
        else:
            r = r + y
            m.v = m.v * 1.3
        finally:
            r = r * 1.1
    return r * m.v


@program((1.3, 2.0))
def raise_in_else(a, b):
    s = Box(a)
    r = 0.0

    def f(x):
        try:
            s.mul(x)
        except OverflowError:
            s.v = s.v * 0.3
        else:
            s.v = s.v + 1
            if s.n > 2:
                raise KeyError
        finally:
            s.n += 1
        return s.v

    for x in (a, b, a, b, b):
        try:
            r += f(x)
        except KeyError:
            r = r * 1.1
    return r * s.v


@program((1.3, 2.0))
def finally_return(a, b):
    s = Box(a)

    def f(x):
        try:
            s.mul(x)
            s.mul(x)
        finally:
            s.v = s.v * 0.7
            return s.v * x

    r = 0.0
    for x in (b, a, b, 3.0):
        r += f(x)
    return r * s.v


@program((1.3, 2.0))
def loop_exits(a, b):
    s = Box(a)
    r = 0.0
    for x in (b, a, b, 3.0, 0.1, b):
        try:
            y = s.mul(x)
            if x == a:
                continue
            if s.n > 5:
                break
            r += y
        except OverflowError:
            s.v = s.v * 0.1
            r = r * a
        finally:
            r += s.v
    return r * s.v


@program((1.3, 2.0))
def ret_in_try(a, b):
    s = Box(a)

    def f(x):
        for i in range(4):
            try:
                y = s.mul(x)
                if i == 2:
                    return y * s.n
            except OverflowError:
                s.v = s.v * 0.1
                if x > 2.5:
                    return s.v
        return s.v * s.v

    return f(b) * f(a) * f(3.0) + s.v


@program((1.3, 2.0))
def varargs(a, b):
    s = Box(a)
    r = 0.0
    for k in (1.0, 2.0, 0.2):
        try:
            r += s.both(a, b, k, scale=a, off=b)
        except OverflowError:
            s.v = s.v / b
            r += 1
    try:
        r += s.both(a, 0.1, wrong=1)
    except KeyError:
        r = r * s.v
    return r * s.v


@program((1.3, 2.0))
def type_error(a, b):
    s = Box(a)
    try:
        s.v = s.v * b
        s.mul(1, 2, 3, 4)
    except TypeError:
        s.v = s.v * b
    return s.v


@program((1.3, 2.0))
def type_obj(a, b):
    s = Box(a)
    kinds = {"x": OverflowError, "y": KeyError}
    r = 0.0
    for k in ("x", "x", "x", "y"):
        try:
            try:
                r += s.mul(b * 2)
            except kinds[k]:
                s.v = s.v * 0.3
            r += s.v
        except OverflowError:
            r -= s.v
    return r * s.v


@program((1.3, 2.0))
def bare(a, b):
    s = Box(a)
    r = 0.0
    for x in (a, b, b, b):
        try:
            r += s.mul(x)
        except:
            s.v = s.v * 0.3
    return r * s.v


@program((1.3, 2.0))
def assert_(a, b):
    s = Box(a)
    r = 0.0

    def f(x):
        s.v = s.v * x
        assert s.v < 4, "big"
        s.v = s.v + 1

    for x in (a, b, b, 0.1):
        try:
            f(x)
        except AssertionError:
            s.v = s.v * 0.3
    return s.v
