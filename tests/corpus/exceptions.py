"""`try`, `with` and what is raised: which statements count when one of them fails."""

import contextlib
import logging
import math
import sys

import numpy as np

from tests.corpus.registry import program, raises

LIMIT = 2.0


class TooLarge(ValueError):
    """An exception of the user's own."""

    def __init__(self, value, limit):
        super().__init__(value, limit)
        self.limit = limit


def root(x):
    if x < 0:
        raise ValueError(f"negative: {x}")
    return math.sqrt(x)


def inverse(x):
    return 1.0 / x if x > 0.25 else 1 / 0


def bounded(x):
    if x > LIMIT:
        raise TooLarge("too large", LIMIT)
    return x * x


@program((2.0,), (0.0,), (0.1,))
def division_or_default(x):
    try:
        y = inverse(x)
    except ZeroDivisionError:
        y = 3.0 * x
    return y


@program((4.0,), (-4.0,))
def return_in_body_and_handler(x):
    try:
        return root(x) * x
    except ValueError:
        return x * x


@program((4.0,), (-4.0,))
def return_in_body_only(x):
    try:
        return root(x)
    except ValueError:
        pass
    return -x * 2


@program((4.0,), (-4.0,))
def return_in_handler_only(x):
    try:
        y = root(x)
    except ValueError:
        return x
    z = y * y
    return z * y


@program((1.5,), (3.0,))
def attribute_of_the_exception(x):
    try:
        return bounded(x)
    except TooLarge as error:
        return x * error.limit


@program((4.0,), (-4.0,))
def else_clause(x):
    try:
        y = root(x)
    except ValueError as error:
        print(error)
        z = x * 3
    else:
        z = y * 2
    return z * x


@program((4.0,), (0.01,), (-1.0,))
def several_handlers(x):
    try:
        y = inverse(root(x))
    except ValueError:
        y = x
    except (ZeroDivisionError, OverflowError):
        y = 5.0 * x
    return y + x


@program((4.0,), (0.01,), (-1.0,))
def base_class_catches(x):
    try:
        y = inverse(root(x))
    except ArithmeticError:
        y = x * 2
    except Exception as error:
        y = x * len(error.args)
    return y


@program((4.0,), (0.0,))
def bare_except(x):
    try:
        y = inverse(x)
    except:
        y = x + 1.0
    return y * y


@program((4.0,), (-4.0,))
def finally_prints(x):
    try:
        y = root(x)
    except ValueError:
        y = x
    finally:
        print("done")
    return y * 2


@program((4.0,), (-4.0,))
def finally_after_return(x):
    try:
        return root(x)
    except ValueError:
        return x * x
    finally:
        print("left", x)


@program((4.0,), (-4.0,))
def return_in_finally_wins(x):
    y = x
    try:
        y = root(x)
    finally:
        return y * 3


def twice_of(x):
    return x * 2


@program((1.5, 2.0))
def raised_again_beside_finally(x, y):
    try:
        try:
            raise IndexError
        except IndexError:
            y = 3.0
            raise
        finally:
            twice_of(x)
    except IndexError:
        pass
    return x * y


@program(([1.0, 2.0],), ([1.0, 0.0, 4.0],), ([],))
def partial_sum(xs):
    total = 0.0
    try:
        for x in xs:
            total += inverse(x)
    except ZeroDivisionError:
        pass
    return total


@program(([1.0, 2.0],), ([1.0, 0.0, 4.0],))
def handled_in_each_iteration(xs):
    total = 0.0
    for x in xs:
        try:
            total += inverse(x)
        except ZeroDivisionError:
            total = total * 2.0
            continue
        total *= x + 1
    return total


@program(([1.0, 2.0, 3.0],), ([1.0, -2.0, 4.0],))
def break_in_handler(xs):
    total = 1.0
    for x in xs:
        try:
            y = root(x)
        except ValueError:
            break
        total *= y
    else:
        total += 1.0
    return total


@program(([1.0, 2.0, 3.0],), ([1.0, -2.0, 4.0],), ([-1.0, -2.0],))
def exits_in_body(xs):
    total = 1.0
    for x in xs:
        try:
            if x > 2.5:
                break
            if x < -1.5:
                continue
            y = root(x)
            total *= y * x
        except ValueError:
            total += x * x
        finally:
            total *= 1.5
    return total


@program((2.0, [1.0, 3.0]), (2.0, [1.0, 0.0, 3.0]), (0.0, [1.0, 3.0]))
def several_assignments(x, ys):
    a = b = c = x
    try:
        a = inverse(x)
        b = a * 2
        for y in ys:
            c = b * inverse(y)
            b = b + c
    except ZeroDivisionError:
        b = b * 3
    return a + 2 * b + 3 * c


@program((2.0, 1, 0), (2.0, 7, 0), (2.0, 1, 7), (-2.0, 1, 0))
def nested(x, i, j):
    items = [x, x * x]
    y = z = x
    try:
        y = items[i] * x
        try:
            z = root(x)
            y = y * z * items[j]
        except IndexError:
            y = 0.0
        z = z * z
    except IndexError:
        y = y * 5.0
    except ValueError:
        y = y * 7.0
    return y + z


@program((2.0,), (-2.0,))
def raised_again(x):
    y = x
    try:
        try:
            y = x * x
            root(x)
            y = y * x
        except ValueError:
            y = y * 2
            raise
    except ValueError:
        y = y * 3
    return y


@program((2.0,), (-2.0,))
def raised_from(x):
    try:
        try:
            return root(x)
        except ValueError as error:
            raise KeyError("other") from error
    except KeyError as error:
        print(error, repr(error.__cause__), repr(error.__context__))
        return x * x


@program((2.0,), (-2.0,))
def context_of_an_error_in_a_handler(x):
    try:
        try:
            return root(x)
        except ValueError:
            return x / (x - x)
    except ZeroDivisionError as error:
        print(error, repr(error.__context__))
        return x * 3


@program((-2.0,), (2.0,))
def exc_info_in_handler(x):
    y = x
    try:
        y = x * x
        y = y * root(x)
    except ValueError:
        print(sys.exc_info()[1])
        y = y * 2
    print(sys.exc_info())
    return y


@program((-2.0,), (2.0,))
def reraised_by_a_helper(x):
    def again():
        raise

    try:
        try:
            return root(x)
        except ValueError:
            again()
    except ValueError as error:
        print("again", error)
    return x * x


@program(({"a": 2.0}, "a"), ({"a": 2.0}, "b"))
def missing_key(table, key):
    try:
        return table[key] * 2
    except KeyError as error:
        print(error.args)
        return table["a"] * 3


@program(([1.0, 2.0], 1), ([1.0, 2.0], 5))
def missing_item(xs, i):
    try:
        x = xs[i]
    except IndexError:
        x = xs[0]
    return x * x


@program((2.0, "3.5"), (2.0, "three"))
def number_in_a_string(x, text):
    try:
        factor = float(text)
    except ValueError:
        factor = -1.0
    return x * factor


@program((np.array([[2.0, 1.0], [1.0, 3.0]]),), (-np.eye(2),))
def singular_matrix(a):
    try:
        b = np.linalg.cholesky(a @ a @ a)
    except np.linalg.LinAlgError:
        return np.sum(a * a)
    return np.sum(b)


@program((np.ones(3), np.arange(3.0)), (np.ones(3), np.arange(2.0)))
def shapes_that_do_not_match(a, b):
    try:
        a + b
    except ValueError:
        return np.sum(a) * 2
    return np.sum(a * b)


@program(([1.0, 2.0],), ([],))
def empty_sequence(xs):
    try:
        y = max(xs)
    except ValueError:
        y = 1.0
    return y * sum(xs)


@program(([1.0, 2.0],), ([1.0],))
def stop_iteration(xs):
    iterator = iter([len(xs), 2, 3][: len(xs)])
    try:
        next(iterator)
        n = next(iterator)
    except StopIteration:
        n = 10
    return xs[0] * n


@program((2.0, 1.0), (2.0, -1.0))
def assertion_fails(x, y):
    try:
        assert y > 0, "not positive"
        z = x * y
    except AssertionError as error:
        print(error)
        z = x - y
    return z


@program((2.0,), (-2.0,))
def loop_in_handler(x):
    try:
        y = root(x)
    except ValueError:
        y = 1.0
        for i in range(3):
            y = y * x + i
    return y * x


@program((0.5, 10), (3.0, 10), (300.0, 3))
def retry(x, n):
    for _ in range(n):
        try:
            return bounded(x) * x
        except TooLarge:
            x = x / 2
    return x


@program((3.0, 5), (3.0, 2))
def attempts_in_while(x, n):
    count = 0
    while True:
        try:
            y = math.log(x - count)
        except ValueError:
            break
        count += 1
        x = x + y * 0.1
        if count > n:
            break
    return x


@program((2.0,), (-2.0,))
def attempt_in_comprehension(x):
    def safe(value):
        try:
            return root(value)
        except ValueError:
            return value * value

    return sum([safe(x), safe(x - 1.0), safe(x + 5.0)])


@program((2.0, 4), (20.0, 4))
def raised_in_recursion(x, n):
    def down(value, depth):
        if depth == 0:
            return bounded(value)
        return down(value * 0.9, depth - 1) * value

    try:
        return down(x, n)
    except TooLarge:
        return x * 0.5


@program((2.0,), (-2.0,))
def exception_is_unbound_behind(x):
    error = x
    try:
        y = root(x)
        error = x * 2
    except ValueError as error:
        y = x
    try:
        return error * y
    except UnboundLocalError:
        return y * 4


@program(([1.0, 2.0, 3.0], 2), ([1.0, 2.0, 3.0], 7))
def classes_in_a_variable(xs, i):
    expected = (KeyError, IndexError)
    try:
        y = xs[i]
    except expected:
        y = xs[0] * xs[1]
    return y * y


@program((np.array([1.0, 2.0, 3.0]), 2), (np.array([1.0, 2.0, 3.0]), 7))
def stores_before_the_failure(a, i):
    b = a * a
    try:
        b[0] = b[1] * 2
        b[1] = b[0] * a[i]
        b[2] = 0.0
    except IndexError:
        b[0] = b[0] * 3
    return np.sum(b * a)


@program(([1.0, 2.0, 3.0],), ([1.0, 0.0, 3.0],))
def appended_before_the_failure(xs):
    ys = []
    try:
        for x in xs:
            ys.append(inverse(x))
    except ZeroDivisionError:
        ys.append(xs[0] * 7)
    return sum(ys) * len(ys)


@program(([1.0, 2.0, 3.0],), ([1.0, 0.0, 3.0],))
def list_made_in_the_body(xs):
    try:
        ys = []
        for x in xs:
            ys.append(inverse(x))
    except ZeroDivisionError:
        ys = [xs[0] * 7]
    return sum(ys) * len(ys)


@program((np.array([1.0, 2.0, 3.0]), 3), (np.array([1.0, 2.0, 3.0]), 5))
def loop_of_stores(a, n):
    b = np.zeros(3)
    try:
        for i in range(n):
            b[i] = a[i] * a[i]
    except IndexError:
        b *= a
    return np.sum(b)


@program((2.0, 2000), (2.0, 1))
def floating_point_errors(x, n):
    with np.errstate(over="ignore"):
        is_too_large = bool(np.isinf(np.exp(np.float64(n))))
    return x if is_too_large else x * x


@program((2.0, np.array([1.0, 2.0])), (2.0, np.array([1.0, 2000.0])))
def floating_point_errors_raised(x, a):
    try:
        with np.errstate(all="raise"):
            y = x * np.exp(a)
    except FloatingPointError:
        return x * 3
    return np.sum(y)


@program((2.0, 1), (2.0, 5))
def suppressed(x, i):
    y = x
    items = [x, x * x]
    with contextlib.suppress(IndexError, KeyError):
        y = items[i] * y
        y = y * 2
    return y


class Quiet:
    """Suppresses what it was told to."""

    def __init__(self, kind):
        self.kind = kind

    def __enter__(self):
        print("enter")
        return self

    def __exit__(self, kind, error, trace):
        print("exit", kind, error, trace is None)
        return kind is not None and issubclass(kind, self.kind)


class Noisy:
    def __enter__(self):
        print("enter")
        return 3.0

    def __exit__(self, kind, error, trace):
        print("exit", kind)


@program((4.0,), (-4.0,))
def manager_suppresses(x):
    y = x
    with Quiet(ValueError):
        y = x * 2
        y = y * root(x)
        print("in between")
    return y


@program((-4.0,))
def manager_that_does_not_suppress(x):
    y = x
    try:
        with Noisy() as factor:
            y = x * factor
            y = y * root(x)
    except ValueError:
        y = y * 2
    return y


@program((4.0,), (2.0,))
def return_in_with(x):
    with Noisy() as factor, Noisy() as other:
        if x > 3:
            return x * factor * other
        x = x * 2
    return x


@program(([1.0, 2.0, 3.0],),)
def exits_in_with(xs):
    total = 0.0
    for x in xs:
        with Noisy() as factor:
            if x > 2.5:
                break
            if x > 1.5:
                continue
            total += x * factor
    return total


@program((4.0,), (-4.0,))
def logged(x):
    try:
        y = root(x)
    except ValueError:
        logging.getLogger("none").debug("no root", exc_info=True)
        y = 0.0
    finally:
        x = x * 2
    return y + x


@raises(ValueError, (-2.0,))
def not_caught(x):
    try:
        return root(x)
    except (KeyError, TypeError):
        return x


@raises(ZeroDivisionError, (0.0,))
def raised_in_else(x):
    try:
        y = x * 2
        print(y)
    except ZeroDivisionError:
        return x
    else:
        y = 1.0 / y
    return y


@raises(KeyError, (-2.0,))
def raised_in_handler(x):
    try:
        return root(x)
    except ValueError:
        raise KeyError("k") from None
    finally:
        print("finally")


@raises(ValueError, (-2.0,))
def raised_through_finally(x):
    y = 1.0
    try:
        y = 2.0
        y = root(x)
    finally:
        print(y)
    return y


@raises(ValueError, (-2.0,))
def reraised_behind_a_cut(x):
    y = 1.0
    try:
        y = x * 2
        y = y * root(x)
    except ValueError:
        print(y)
        raise
    return y


@program((2.0,))
def texts_among_numbers(x):
    total = 0.0
    for item in [x, "text", x * x, ("pair", x)]:
        try:
            total += -item * x
        except TypeError:
            total += 5 * x
    return total


@program((2.0, "text"), (2.0, 3.0))
def text_whose_sum_nobody_reads(x, name):
    try:
        name + x
    except TypeError:
        return 7 * x
    return x


@raises(TypeError, (-2.0,))
def catches_no_exception(x):
    kinds = "text"
    try:
        return root(x)
    except kinds:
        return x


@raises(TypeError, (2.0,))
def not_a_manager(x):
    with x:
        return x


@raises(RuntimeError, (2.0,))
def nothing_to_raise(x):
    if x > 0:
        raise
    return x
