"""Decorators, the user's own and those of `functools`, and the callables of `operator`."""

import functools
import math
import operator

import numpy as np

from tests.corpus.registry import program


def scaled_by(factor):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            return factor * f(*args, **kwargs)

        return wrapper

    return decorate


def announced(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        print("calling", f.__name__)
        result = f(*args, **kwargs)
        print("called", f.__name__)
        return result

    return wrapper


class Squaring:
    """A decorator that is a class."""

    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f = f

    def __call__(self, *args):
        return self.f(*args) ** 2


@scaled_by(3.0)
def cube(x):
    return x**3


@announced
@scaled_by(2.0)
def weighted(x, y, *, power=1):
    return x * y**power


@Squaring
def shifted(x, y):
    return x + 2 * y


@functools.lru_cache(maxsize=None)
def fibonacci_like(n, x):
    print("computing", n)
    if n < 2:
        return x**n
    return fibonacci_like(n - 1, x) + x * fibonacci_like(n - 2, x)


@functools.cache
def expensive(x):
    print("expensive")
    return math.sin(x) * x


@functools.lru_cache
def with_keyword(x, *, scale=1.0):
    return x**2 * scale


@functools.singledispatch
def size(x):
    return x * x


@size.register
def _(x: list):
    return sum(x) ** 2


@size.register(tuple)
def _(x):
    return x[0] * size(x[1])


@size.register
def _(x: np.ndarray):
    return np.sum(x**3)


def polynomial(a, b, c, x=1.0):
    return a * x**2 + b * x + c


linear = functools.partial(polynomial, 0.0)
at_two = functools.partial(linear, x=2.0)


class Circle:
    def __init__(self, radius):
        self.radius = radius

    @functools.cached_property
    def area(self):
        print("area")
        return math.pi * self.radius**2

    @functools.lru_cache(maxsize=8)
    def sector(self, angle):
        print("sector")
        return self.area * angle / (2 * math.pi)

    def ring(self, inner, *, factor=1.0):
        return factor * math.pi * (self.radius**2 - inner**2)

    half_ring = functools.partialmethod(ring, factor=0.5)

    @announced
    def perimeter(self):
        return 2 * math.pi * self.radius

    @functools.singledispatchmethod
    def scaled(self, factor):
        return self.radius * factor

    @scaled.register
    def _(self, factors: list):
        return self.radius**2 * sum(factors)


@program((2.0,))
def wrapper_with_factor(x):
    return cube(x) * x + cube.__wrapped__(x)


@program((2.0, 3.0))
def stacked_wrappers(x, y):
    return weighted(x, y) + weighted(y, x, power=2) + weighted(x, y=x)


@program((2.0, 3.0))
def decorated_by_a_class(x, y):
    return shifted(x, y) * x


@program((2.0, 3.0))
def decorated_inside(x, y):
    @scaled_by(y)
    def f(z):
        return z * z

    return f(x) + f(2.0)


@program((1.3,))
def cached_recursion(x):
    fibonacci_like.cache_clear()
    return fibonacci_like(6, x)


@program((1.3, 0.7))
def cached_function(x, y):
    expensive.cache_clear()
    total = expensive(x) * y + expensive(x)
    return total + expensive(y) * expensive(x)


@program((2.0, 3.0))
def cached_with_keyword(x, y):
    with_keyword.cache_clear()
    return with_keyword(x, scale=y) + with_keyword(2, scale=x) + with_keyword(2.0, scale=x)


@program((3.0, [1.0, 2.0], np.array([1.0, 2.0])))
def dispatched_on_type(x, values, array):
    return size(x) + size(values) * size((x, values)) + size(array)


@program((2.0, 3.0))
def partial_functions(x, y):
    own = functools.partial(polynomial, x, c=y)
    return linear(x, y) * at_two(y, x) + own(b=x) + own(y, x=x)


@program((2.0, 3.0))
def partials_that_are_handed_on(x, y):
    total = 0.0
    for i in range(3):
        own = functools.partial(polynomial, x * i, c=y)
        total += functools.partial(linear, y)(own(b=2.0)) + own(x, x=y)
    square = functools.partial(polynomial, x, y)
    return total + sum(map(square, [1.0, y, x])) + functools.reduce(square, [y, 0.5], 1.0)


@program((2.0, 3.0))
def partials_that_are_kept(x, y):
    kept = [functools.partial(polynomial, x), functools.partial(linear, b=y, c=x)]
    own = functools.partial(polynomial, *(x, y), **{"c": 2.0})
    again = functools.partial(linear, x, y)
    is_partial = isinstance(again, functools.partial)
    return kept[0](y, c=1.0) * kept[1](x=x) + own.args[0] * own() + again() * is_partial


def weighted_by_what_it_is(f, x):
    return f(x) * 2.0 if isinstance(f, functools.partial) else f(x)


@program((2.0, 3.0))
def partials_that_are_looked_at(x, y):
    return weighted_by_what_it_is(functools.partial(polynomial, x, y), 1.5)


@program((2.0, 3.0))
def partial_of_keywords_that_change(x, y):
    keywords = {"b": y, "c": 1.0}
    own = functools.partial(polynomial, x, **keywords)
    keywords["c"] = x * y
    return own(x=y) * keywords["c"]


@program((Circle(2.0), 0.5))
def method_with_partial(circle, x):
    return circle.half_ring(x) * circle.half_ring(x, factor=0.25) + circle.perimeter()


@program((2.0, 0.5))
def method_dispatched_on_type(radius, x):
    return CIRCLE.scaled(x) * radius + CIRCLE.scaled([x, radius])


@program(([3.0, 2.0, 5.0], {"a": 2.0, "b": 3.0}))
def item_getters(values, named):
    second = operator.itemgetter(1)
    both = operator.itemgetter("b", "a")
    b, a = both(named)
    return second(values) ** 2 * b + a * operator.itemgetter(slice(1, 3))(values)[1]


@program((Circle(2.0),))
def attribute_getters(circle):
    return operator.attrgetter("radius")(circle) ** 3


@program((Circle(2.0), 0.5))
def method_callers(circle, x):
    return operator.methodcaller("ring", x, factor=3.0)(circle)


@program(([(1.0, 3.0), (2.0, 1.0)],))
def sorted_by_item(pairs):
    ordered = sorted(pairs, key=operator.itemgetter(1))
    return ordered[0][0] * 3 + ordered[1][0] * ordered[0][1]


@program((2.0, 3.0))
def functions_of_operator(x, y):
    total = operator.add(x, y) * operator.mul(x, y) - operator.neg(operator.truediv(x, y))
    return operator.pow(total, 2) + operator.sub(y, operator.pos(x))


CIRCLE = Circle(3.0)


@program((1.3,))
def cached_recursion_of_its_own(x):
    @functools.lru_cache(maxsize=None)
    def fib(n):
        return x if n < 2 else fib(n - 1) * fib(n - 2) * 0.5 + x

    @functools.cache
    def paths(i, j):
        return x if i == 0 or j == 0 else paths(i - 1, j) * 0.5 + paths(i, j - 1) * x

    return fib(6) + paths(3, 3)


@program((1.3,))
def weighted_edit_distance(x):
    word, other = "kitten", "sitting"

    @functools.lru_cache
    def distance(i, j):
        if i == 0:
            return j * x
        if j == 0:
            return i * 1.0
        changed = 0.0 if word[i - 1] == other[j - 1] else x * x
        return min(
            distance(i - 1, j) + 1.1, distance(i, j - 1) + x, distance(i - 1, j - 1) + changed
        )

    return distance(len(word), len(other))


@program((1.3,))
def recursion_through_a_decorator(x):
    calls = 0

    def counted(f):
        cache = {}

        @functools.wraps(f)
        def wrapper(*args):
            nonlocal calls
            calls += 1
            if args not in cache:
                cache[args] = f(*args)
            return cache[args]

        return wrapper

    @counted
    def factorial(n):
        return x if n <= 1 else n * factorial(n - 1) * x

    return factorial(4) * calls


@program((1.3, 0.7), (-0.6, 1.5))
def past_its_decorators(x, y):
    @announced
    @scaled_by(y)
    def power(n):
        return x**n

    @Squaring
    def multiple(n):
        return n * x

    @functools.lru_cache(maxsize=1)
    def shifted(n):
        return n + x * y

    plain = power.__wrapped__.__wrapped__(3) + multiple.__wrapped__(2) + shifted.__wrapped__(1)
    return power(2) * plain + multiple(1) + shifted(1) * shifted(2)
