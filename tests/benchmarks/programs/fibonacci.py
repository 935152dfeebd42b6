"""A recursion shaped like Fibonacci's, depth 15: two functions, one per direction."""

from tests.benchmarks.program import Program


def fibonacci(x, n):
    if n < 2:
        return x
    return fibonacci(x, n - 1) + x * fibonacci(x, n - 2)


def fibonacci_forward(x, n):
    if n < 2:
        return x, None
    before, before_saved = fibonacci_forward(x, n - 1)
    earlier, earlier_saved = fibonacci_forward(x, n - 2)
    return before + x * earlier, (x, earlier, before_saved, earlier_saved)


def fibonacci_back(saved, y_bar):
    if saved:
        x, earlier, before_saved, earlier_saved = saved
        return (
            y_bar * earlier
            + fibonacci_back(earlier_saved, y_bar * x)
            + fibonacci_back(before_saved, y_bar)
        )
    return y_bar


def gradient_by_hand(x, n):
    _, saved = fibonacci_forward(x, n)
    return fibonacci_back(saved, 1.0), 0


PROGRAM = Program("fibonacci", fibonacci, gradient_by_hand, (0.7, 15))
