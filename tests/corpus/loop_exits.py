"""`for` loops that are left early: `break`, `continue`, `else`, `return` at any depth."""

from tests.corpus.registry import program


@program(([1.0, 5.0, 2.0], 3.0), ([1.0, 2.0], 3.0))
def with_break(values, limit):
    total = 0.0
    for value in values:
        if value > limit:
            total = total * value
            break
        total += value * limit
    return total


@program(([1.0, -5.0, 2.0],))
def with_continue(values):
    total = 1.0
    for value in values:
        if value < 0:
            continue
        total *= value
    return total


@program(([1.0, -5.0, 2.0, 8.0, 3.0],))
def break_and_continue(values):
    total = 1.0
    for value in values:
        if value < 0:
            total += value
            continue
        if value > 6:
            break
        total *= value
    return total * value


@program(([1.0, 5.0, 2.0], 3.0), ([1.0, 2.0], 3.0))
def with_else(values, limit):
    for value in values:
        if value > limit:
            break
    else:
        value = limit * limit
    return value * 2


@program(([1.0, 5.0, 2.0], 3.0), ([1.0, 2.0], 3.0), ([], 3.0))
def returns_inside(values, limit):
    total = limit
    for value in values:
        if value > limit:
            return value * total
        total += value * value
    return total


@program(([[1.0, 2.0], [3.0, 9.0]], 5.0), ([[1.0, 2.0], [3.0]], 5.0), ([[6.0], [3.0]], 5.0))
def returns_inside_nested(rows, limit):
    total = 0.0
    for row in rows:
        for value in row:
            if value > limit:
                return total * value
            total += value * limit
        total *= 2
    return total


@program(([[1.0, 2.0], [-3.0, 9.0], [4.0]],), ([[1.0, 2.0], [50.0, 1.0], [4.0]],))
def exits_of_nested(rows):
    total = 1.0
    for row in rows:
        for value in row:
            if value < 0:
                break
            if value > 20:
                return total
            total *= value
        else:
            total += 1
            continue
        total *= 3
    else:
        total = total * total
    return total


@program((2.0,), (-2.0,))
def first_iteration_leaves(x):
    for i in range(5):
        if x > 0:
            return x * x
        x = x * i - 1
        break
    return x


@program((0.3, 1), (0.3, 2), (0.3, 5))
def break_at_count(x, n):
    total = 1.0
    for i in range(4):
        total += total * x
        if i == n:
            total = total * total
            break
    else:
        total = -total
    return total * (i + 1)
