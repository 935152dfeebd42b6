"""Functions in a function whose defaults are lists, dicts and arrays that they change."""

import numpy as np

from tests.corpus.registry import program


@program((1.5,), (-0.7,))
def log_of_all_calls(x):
    def total(v, seen=[]):
        seen.append(v * x)
        return sum(seen)

    first = total(x)
    return first * total(2.0) + total(x, [x, 1.0]) + total(0.5)


@program((1.5, 6), (0.8, 3))
def memo_of_a_recursion(x, n):
    def power(k, memo={}):
        if k not in memo:
            memo[k] = x if k < 2 else power(k // 2) * power(k - k // 2) + x
        return memo[k]

    return power(n) + power(n - 1)


@program((1.5, 6),)
def memo_that_is_handed_on(x, n):
    def fibonacci(k, memo={0: 1.0}):
        if k not in memo:
            memo[k] = x * fibonacci(k - 1, memo) + (fibonacci(k - 2, memo) if k > 1 else x)
        return memo[k]

    return fibonacci(n) - fibonacci(2, {0: x})


@program((np.array([0.5, 1.5, 2.5]),))
def buffer_by_keyword(v):
    def smoothed(i, *, buffer=np.zeros(3), rate=0.5):
        buffer[i] = rate * v[i] + (1.0 - rate) * buffer[i - 1]
        return buffer[i] ** 2

    return sum(smoothed(i) for i in range(3)) + smoothed(0, rate=0.25)


@program((2.0,), (0.3,))
def begins_with_what_is_there(x):
    history = [x]

    def step(v, history=history, seen=[x, 1.0]):
        history.append(v * history[-1])
        seen[1] += v
        return seen[1]

    y = step(x) + step(2.0 * x)
    return y * sum(history)


@program((1.2,),)
def function_that_is_handed_out(x):
    def counter(start):
        def count(step, state=[start]):
            state[0] = state[0] * x + step
            return state[0]

        return count

    a, b = counter(x), counter(1.0)
    return a(1.0) * b(2.0) + a(x) * b(x)


@program((1.2, True), (1.2, False))
def made_in_a_branch(x, is_long):
    if is_long:
        def note(v, notes=[x]):
            notes.append(v)
            return notes[-2]
    else:
        def note(v, notes=[]):
            notes.append(2.0 * v)
            return notes[0]

    return note(x) + note(x * x)
