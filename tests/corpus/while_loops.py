"""`while` loops: counters, convergence, `while True`, exits, `else`."""

import math

from tests.corpus.registry import program


@program((1.5, 3), (1.5, 0))
def counted(x, n):
    result = 1.0
    while n > 0:
        result *= x
        n -= 1
    return result


@program((5.0,), (0.5,))
def halved_until_small(x):
    steps = 0
    while x > 1:
        x = x / 2
        steps += 1
    return x * x + steps * x


@program((2.0,), (5.0,))
def newton_root(a):
    x = a
    while abs(x * x - a) > 1e-13:
        x = 0.5 * (x + a / x)
    return x


@program((0.4,))
def fixed_point(a):
    x = 1.0
    for _ in range(60):
        x = math.cos(a * x)
    return x


@program((5.0,), (0.5,))
def endless_with_break(x):
    while True:
        if x < 1:
            break
        x = x / 3
    return x * 2


@program((5.0,), (0.5,))
def endless_with_return(x):
    count = 0
    while True:
        if x < 1:
            return x * count + x
        x = x * x / 10 + 0.1
        count += 1


@program((5.0, 3), (5.0, 10))
def with_else(x, limit):
    count = 0
    while x > 1:
        x /= 2
        count += 1
        if count >= limit:
            x = x * x
            break
    else:
        x = x + count
    return x * 3


@program((1.5,))
def with_continue(x):
    i = 0
    total = 1.0
    while i < 6:
        i += 1
        if i % 2:
            continue
        total += total * x * i
    return total


@program((0.5,))
def several_conditions(x):
    i = 0
    while i < 10 and x < 3 or i < 2:
        x = x * 1.5 + 0.01 * i
        i += 1
    return x


@program((0.5,))
def walrus_condition(x):
    total = 0.0
    i = 0
    while (i := i + 1) < 4:
        total += x**i
    return total * i


@program((0.5,))
def value_walrus_condition(x):
    y = x
    while (z := y * 1.7) < 3:
        y = z + x
    return y * z


@program((0.9,))
def nested_while(x):
    i = 0
    total = x
    while i < 3:
        j = 0
        while j < i:
            total = total * x + j
            j += 1
        i += 1
    return total


@program((0.9,), (2.6,), (9.1,))
def while_in_for(x):
    total = 0.0
    for i in range(1, 4):
        rest = x * i
        while rest > 1:
            rest -= 1
            total += rest * x
            if total > 50:
                return total
        total += rest * rest
    return total


@program((0.9,))
def for_in_while(x):
    n = 3
    while n:
        for i in range(n):
            if i == 2:
                break
            x = x * x + 0.1
        n -= 1
    return x


@program((10.0, 3.1))
def euclid(a, b):
    while b > 0.5:
        a, b = b, a % b
    return a * a


@program((6, 0.5), (27, 0.5))
def collatz(n, x):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n //= 2
            x = x * 0.99
        else:
            n = 3 * n + 1
            x = x + 0.01
        steps += 1
        if steps > 20:
            return x * x
    return x * steps


@program((2.0,), (0.2,))
def never_or_once(x):
    while x > 1:
        x = x * 0.25
        y = x
        break
    else:
        y = x * x
    return x * y


@program(([1.0, 2.0, 4.0],))
def walks_list(values):
    i = 0
    total = 0.0
    while i < len(values):
        total = total * 0.5 + values[i] * values[-1 - i]
        i += 1
    return total


@program(([1.0, 2.0, 4.0],))
def consumes_list(values):
    product = 1.0
    while values:
        head, *values = values
        product = product * head + 1
    return product


@program((0.1, 3.0))
def bisection(low, high):
    def height(x):
        return x**3 - 2 * x - 2

    while high - low > 0.5:
        middle = (low + high) / 2
        if height(middle) > 0:
            high = middle
        else:
            low = middle
    return low + high * high


@program((1.3,))
def series_until_small(x):
    term = total = 1.0
    n = 1
    while abs(term) > 1e-12:
        term = term * x / n
        total += term
        n += 1
    return total


@program((1.5,))
def condition_of_function(x):
    def inside(y):
        return y * y < 30

    while inside(x):
        x = x * 1.5
    return x


@program((1.5, True), (1.5, False))
def flag_loop(x, going):
    while going:
        x = x * x
        going = x < 20
    return x
