"""Assertions, exceptions and what is printed: as in one plain call."""

import math
import sys

from tests.corpus.registry import program, raises


class OutOfRange(ValueError):
    """An exception of the user's own."""

    def __init__(self, value, limit):
        super().__init__(value, limit)
        self.limit = limit


def checked(x):
    if x < 0:
        raise OutOfRange(x, limit=0)
    return math.sqrt(x)


@program((2.0,))
def prints(x):
    print("start")
    y = x * x
    print("square", y, sep=": ", end="!\n")
    return y * 2


@program((2.0, 3))
def prints_in_loop(x, n):
    for i in range(n):
        x = x * 0.5 + i
        print(f"step {i}: {x:.3f}")
    else:
        print("done")
    return x


@program((2.0,), (-2.0,))
def prints_in_branch(x):
    if x > 0:
        print("positive")
        return x * x
    print("negative", file=sys.stdout)
    return x


@program((2.0,))
def prints_in_helper(x):
    def noisy(a):
        print(f"{a=} {a!r:>10} {{braces}} {'nested ' + str(a)}")
        return a * a

    return noisy(x) + noisy(noisy(x))


@program((2.0,))
def prints_in_comprehension(x):
    def noisy(a):
        print(a, flush=True)
        return a

    return sum(noisy(x * i) for i in range(3)) + [noisy(v) for v in (x, 1.0)][0]


@program((2.0,), (-2.0,))
def printing_order(x):
    def say(value, result):
        print(value)
        return result

    if say("a", x > 0) and say("b", x > 1) or say("c", True):
        x = say("d", x) * say("e", x)
    values = [say("f", x), say("g", x * 2)]
    return say("h", values)[say("i", 0)] + (say("j", x) if say("k", x > 0) else say("l", 1.0))


@program((2.0,))
def prints_dead_results(x):
    unused = print("printed though unused")
    return x * x if unused is None else x


@program((2.0,))
def formatted_text(x):
    label = f"{x:.2f}|{x!s}|{x:{'8.1f'}}"
    print(label)
    return x * len(f"{'ab':>5}")


@program((2.0,), (0.5,))
def asserted(x):
    assert x > 0, f"{x} is not positive"
    assert isinstance(x, float)
    return x * x


@program((2.0,))
def raise_not_reached(x):
    if x < 0:
        raise ValueError("negative")
    return x * x


@raises(AssertionError, (-2.0,))
def assertion_fails(x):
    assert x > 0, ("not positive", x)
    return x * x


@raises(AssertionError, (-2.0,))
def bare_assertion_fails(x):
    y = x * x
    assert x > 0
    return y


@raises(ValueError, (-2.0,))
def raises_value_error(x):
    if x < 0:
        raise ValueError("negative", x)
    return x * x


@raises(OutOfRange, (-2.0,))
def raises_own_class(x):
    return checked(x) * x


@raises(NotImplementedError, (2.0, "b"))
def raises_class(x, kind):
    if kind == "a":
        return x
    raise NotImplementedError


@raises(RuntimeError, (2.0,))
def raises_from_cause(x):
    if x > 1:
        raise RuntimeError("outer") from ValueError("inner")
    return x


@raises(StopIteration, (2.0,))
def raises_in_loop(x):
    for i in range(5):
        print(i)
        x = x * x
        if x > 100:
            raise StopIteration(i)
    return x


@raises(LookupError, (2.0,))
def raises_in_else(x):
    for i in range(3):
        if i > x * 10:
            break
    else:
        raise LookupError(f"none below {x}")
    return x * i


@raises(ZeroDivisionError, (2.0, 0.0), (2.0, 0))
def divides_by_zero(x, y):
    print("before")
    z = x / y
    print("after")
    return z


@raises(ValueError, (-2.0,))
def domain_error(x):
    return math.log(x) + x


@raises(OverflowError, (1000.0,))
def overflow(x):
    return math.exp(x)


@raises(TypeError, (2.0, "a"), (2.0, None))
def wrong_type(x, y):
    return x * x + y


@raises(TypeError, (2.0,))
def wrong_number_of_arguments(x):
    return checked(x, x)


@raises(NameError, (2.0,))
def unknown_name(x):
    return x * no_such_name


@raises(AttributeError, (2.0,))
def unknown_attribute(x):
    return math.no_such_function(x)


@raises(RecursionError, (2.0,))
def endless_recursion(x):
    return endless_recursion(x * 0.5) * x


@raises(ZeroDivisionError, (2.0,))
def fails_though_unused(x):
    unused = 1 / (x - x)
    return x * x


@raises(IndexError, (2.0,))
def failing_condition(x):
    values = [x]
    while values[3] > 0:
        x = x * x
    return x
