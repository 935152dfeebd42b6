"""Functions that raise half way through their changes, where a handler goes on behind them."""

import math

from tests.corpus.registry import program


class Insufficient(Exception):
    pass


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.log = 0.0
        self.count = 0

    def withdraw(self, x):
        self.log = self.log + x * x
        if x > self.balance:
            raise Insufficient(x)
        self.balance -= x
        self.count += 1
        return self.balance

    def deposit(self, x):
        self.log += x
        if x < 0:
            raise ValueError("negative")
        self.balance = self.balance + x


def transfer(src, dst, x):
    src.withdraw(x)
    dst.deposit(x * 0.9)
    return x


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


class Machine:
    def __init__(self, x):
        self.state = "idle"
        self.x = x
        self.history = []

    def step(self, event, v):
        old = self.x
        self.x = self.x * v
        self.history.append(self.x)
        try:
            if self.state == "idle" and event == "go":
                self.state = "run"
            elif self.state == "run" and event == "stop":
                self.state = "idle"
            else:
                raise RuntimeError("bad event")
            self.x = self.x + v
        except RuntimeError:
            self.x = old + 0.1 * self.x
            raise
        finally:
            self.x = self.x * 1.1


class Loop:
    def __init__(self):
        self.handlers = {}
        self.acc = 1.0
        self.missed = 0

    def on(self, name, f):
        self.handlers[name] = f

    def fire(self, name, v):
        self.acc = self.acc * 1.5
        h = self.handlers[name]
        self.acc = h(self.acc, v)


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


def rec(o, n):
    o.v = o.v * 1.1 + n
    if n == 0:
        raise StopIteration
    if n % 2:
        try:
            rec(o, n - 1)
        except StopIteration:
            o.v = o.v * 2
            raise ValueError
    else:
        rec(o, n - 1)
    o.v += 5


@program((10.0, 3.0, 4.0))
def bank1(a, b, x):
    p = Account(a)
    q = Account(b)
    fails = 0
    for amount in (x, x * x, x, -x):
        try:
            transfer(p, q, amount)
        except Insufficient:
            fails += 1
            q.log = q.log * 2
        except ValueError:
            p.balance = p.balance * 0.5
    return p.balance * q.balance + p.log * q.log * fails


@program((10.0, 3.0, 4.0))
def bank2(a, b, x):
    p = Account(a)
    q = Account(b)
    total = 0.0
    for amount in (x, x * x, x):
        try:
            total = total + p.withdraw(amount) * q.withdraw(amount / 2)
        except Insufficient:
            total = total * p.log
    return total + p.balance * q.balance


@program((10.0, 3.0, 4.0))
def bank_rollback(a, b, x):
    p = Account(a)
    q = Account(b)
    for amount in (x, x * x, x):
        saved = p.balance, q.balance
        try:
            p.balance = p.balance - amount * 1.5
            q.deposit(amount)
            if p.balance < 0:
                raise Insufficient
        except Insufficient:
            p.balance, q.balance = saved
    return p.balance * q.balance + q.log


@program(([10.0, 3.0, 7.0], 4.0))
def bank_list(bs, x):
    accounts = [Account(b) for b in bs]
    got = 0.0
    for k in accounts:
        try:
            got += k.withdraw(x)
        except Insufficient as e:
            got += k.log * 0.1
    return got * sum([k.balance for k in accounts])


@program((1.5, 2.0))
def machine(x, v):
    m = Machine(x)
    for e in ("go", "go", "stop", "stop", "go"):
        try:
            m.step(e, v)
        except RuntimeError:
            m.x = m.x + x
    return m.x + sum(m.history)


@program((1.2, 0.7))
def events(a, b):
    l = Loop()
    l.on("add", lambda s, v: s + v * a)
    l.on("mul", lambda s, v: s * v)
    for n, v in (("add", a), ("none", b), ("mul", b), ("add", b)):
        try:
            l.fire(n, v)
        except KeyError:
            l.missed += 1
            l.acc = l.acc - b
    return l.acc * l.missed


@program((3.0, 2.0))
def nested_finally(a, b):
    box = Temp(a)

    def inner(x):
        box.tries = box.tries + x
        if x > 4:
            raise KeyError("big")
        box._c = box._c * x

    def middle(x):
        box._c += 1.0
        try:
            inner(x)
            box.tries = box.tries * b
        finally:
            box._c = box._c * 0.5 + x
        box.tries += a

    def outer(x):
        try:
            middle(x)
        except KeyError:
            box.tries = box.tries * 1.1
            return 0.5 * x
        return x * box._c

    r = 0.0
    for x in (a, b, a * b, a + b):
        r += outer(x)
    return r * box._c + box.tries


@program((3.0, 2.0))
def unknown_functions(a, b):
    m = Money(a, "e")

    def up(x):
        m.v = m.v * x
        return m.v

    def bad(x):
        m.v = m.v + x
        raise ValueError

    def worse(x):
        m.v = m.v - x
        return {}["k"]

    r = 0.0
    for f in [up, bad, worse, up, m]:
        try:
            r += f(b)
        except (ValueError, KeyError):
            r = r * 0.5 + m.v
    return r * m.v


@program((3.0, 2.0))
def nonlocals(a, b):
    total = a
    n = 0

    def add(x):
        nonlocal total, n
        total = total * x
        n += 1
        if n % 2 == 0:
            raise ValueError
        total += b
        return total

    r = 0.0
    for i in range(5):
        try:
            r = r + add(b * (i + 1) * 0.3)
        except ValueError:
            total = total - r * 0.1
    return r + total


@program((1.5,))
def recursion(a):
    m = Money(a, "e")
    for n in (0, 1, 2, 3):
        try:
            rec(m, n)
        except (ValueError, StopIteration):
            m.v = m.v * m.v * 0.1
    return m.v


@program((1.3, 2.0))
def mutual(a, b):
    s = Box(a)

    def even(n):
        s.v = s.v * 1.1
        if n == 0:
            return s.v
        return odd(n - 1) + b

    def odd(n):
        s.v = s.v + b
        if n == 0:
            raise ValueError
        return even(n - 1) * 2

    r = 0.0
    for n in (2, 3, 4):
        try:
            r += even(n)
        except ValueError:
            r = r * 0.5 + s.v
    return r * s.v


@program((1.3, 2.0))
def lambda_cells(a, b):
    fs = []
    s = Box(a)

    def mk(k):
        def f(x):
            s.v = s.v + k * x
            if s.v > 8:
                raise ValueError
            return s.v * k

        return f

    for k in (a, b, a * b):
        fs.append(mk(k))
    r = 0.0
    for f in fs:
        for x in (a, b):
            try:
                r += f(x)
            except ValueError:
                s.v = s.v * 0.1
    return r * s.v


@program((1.3, 2.0))
def default_mut(a, b):
    s = Box(a)

    def f(x, k=b, *, o=s):
        o.v = o.v * k
        if x > 1.5:
            raise ValueError
        o.v = o.v + x

    for x in (a, b, a):
        try:
            f(x)
        except ValueError:
            s.v = s.v - 0.5
        try:
            f(x, a)
        except ValueError:
            s.v = s.v - 0.5
    return s.v


@program((1.3, 2.0))
def nested_try_callee(a, b):
    s = Box(a)

    def inner(x):
        try:
            s.mul(x)
            s.mul(x)
        except OverflowError:
            s.v = s.v * 0.5
            if x > 2.5:
                raise ValueError
        else:
            s.v = s.v + 1
        s.n += 10
        if s.n > 40:
            raise KeyError
        return s.v

    def outer(x):
        s.v = s.v + 0.1
        try:
            return inner(x)
        except ValueError:
            s.v = s.v * 0.9
            raise

    r = 0.0
    for x in (a, b, 3.0, 1.0, 1.1, 0.5):
        try:
            r += outer(x)
        except ValueError:
            r -= s.v
        except KeyError:
            r = r * 2
    return r * s.v


@program((1.5, 2.0))
def error_reraise(a, b):
    m = Money(a, "e")

    def f(x):
        try:
            m(x)
        except RuntimeError as e:
            m.v = m.v * 2
            raise ValueError("wrapped") from e
        finally:
            m.v = m.v + 0.5

    for x in (a, 3.0, b):
        try:
            f(x)
        except ValueError as e:
            m.v = m.v * (1.5 if isinstance(e.__cause__, RuntimeError) else 9.0)
    return m.v


@program((1.3, 2.0))
def payload(a, b):
    s = Box(a)
    r = 0.0

    def f(x):
        s.v = s.v * x
        if x > 1.5:
            raise ValueError("big")
        return s.v

    for x in (a, b, a):
        try:
            r += f(x)
        except ValueError as e:
            r += len(e.args) * s.v
    return r


@program((1.3, 2.0))
def context_cause(a, b):
    s = Box(a)

    def f(x):
        try:
            s.mul(x)
        except OverflowError:
            s.v = s.v * 0.5
            raise KeyError("inner")

    n = 0.0
    for x in (a, 9.0, b):
        try:
            f(x)
        except KeyError as e:
            n += 1.0 if isinstance(e.__context__, OverflowError) else 100.0
            s.v = s.v * a
    return s.v * n


class Purse:
    def __init__(self, content):
        self.content = content

    def add(self, *amounts, factor=1.0):
        for amount in amounts:
            self.content += amount * factor
            if self.content > 100:
                raise ValueError
        return self.content


@program((1.3, 2.0), (1.3, 200.0))
def starred_calls_that_fail_midway(x, y):
    purse = Purse(x)
    total, calls, amounts = 0.0, [purse.add], (x, y, x * x)
    try:
        for call in calls:
            total = call(*amounts, **{"factor": x})
    except ValueError:
        total = purse.content * 2
    return total + purse.content


class Miss(Exception):
    pass


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __sub__(self, other):
        return Point(self.x - other.x, self.y - other.y)

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y


class Sphere:
    def __init__(self, centre, radius):
        self.centre, self.radius = centre, radius
        self.asked = 0.0

    def hit(self, origin, ray):
        way = origin - self.centre
        self.asked += way @ ray
        root = (way @ ray) ** 2 - way @ way + self.radius**2
        if root < 0:
            raise Miss
        return -(way @ ray) - root**0.5


class Plane:
    def __init__(self, height):
        self.height = height
        self.asked = 0.0

    def hit(self, origin, ray):
        self.asked += ray.y * self.height
        if ray.y <= 0:
            raise Miss
        return (self.height - origin.y) / ray.y


def nearest(scene, origin, ray):
    best, found = math.inf, None
    for shape in scene:
        try:
            distance = shape.hit(origin, ray)
        except Miss:
            continue
        if distance < best:
            best, found = distance, shape
    return 0.5 * ray.y if found is None else best * (1.0 + found.asked)


@program((0.2, 0.9), (0.4, 0.5))
def methods_of_several_classes_that_miss(x, r):
    scene = [
        Sphere(Point(x, 3.0), r), Sphere(Point(-1.0, 4.0), 0.8), Plane(5.0 * r),
        Sphere(Point(2 * x, 1.0), 0.1 * r),
    ]
    total = 0.0
    for i in range(-2, 3):
        ray = Point(0.3 * i, math.sqrt(1.0 - 0.09 * i * i))
        total += nearest(scene, Point(0.1 * x, 0.0), ray) * (1.0 + 0.1 * i)
    try:
        total *= nearest(scene, Point(x, 0.0), Point(1.0, 0.0))
    finally:
        total += sum(shape.asked for shape in scene)
    return total


def by_tenths(account, x):
    account.balance -= 0.1 * x
    if account.balance < 0.5:
        raise Insufficient("tenths")
    account.count += 1


def by_halves(account, x):
    account.balance -= 0.5 * x
    account.log += account.balance * x
    if account.balance < 1.0:
        raise ValueError("halves")
    account.count += 1


@program((1.2,), (2.3,))
def functions_of_a_table_that_fail(x):
    account = Account(x * x)
    ways = {"tenths": by_tenths, "halves": by_halves}
    for name in ["halves", "tenths", "halves", "tenths", "tenths"]:
        try:
            ways[name](account, x)
        except (Insufficient, ValueError) as error:
            account.log += account.balance * len(str(error))
    return account.log * account.balance + account.count
