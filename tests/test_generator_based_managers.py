"""`contextlib.contextmanager` in differentiated code: the order of effects, errors, refusals."""

import contextlib

import numpy as np
import pytest

import zyg


@contextlib.contextmanager
def logged(name, x):
    print(f"enter {name}")
    try:
        yield x * x
    except ValueError as error:
        print(f"{name} caught {error}")
    else:
        print(f"{name} went well")
    finally:
        print(f"exit {name}")


def printed(capsys):
    return capsys.readouterr().out.splitlines()


def test_effects_happen_once_and_in_order(capsys):
    def f(x):
        with logged("a", x) as a, logged("b", a) as b:
            print("body")
            return a * b

    value, back = zyg.pullback(f, 1.5)
    assert printed(capsys) == [
        "enter a", "enter b", "body", "b went well", "exit b", "a went well", "exit a",
    ]
    assert value == 1.5**6
    assert back(1.0) == back(1.0) == (pytest.approx(6 * 1.5**5),)
    assert printed(capsys) == []


def test_the_manager_that_catches_ends_the_body(capsys):
    def f(x):
        total = x
        with logged("a", x) as a:
            total = total * a
            raise ValueError("enough")
        return total * x

    assert zyg.gradient(f, 2.0) == (4 * 2.0**3,)
    assert printed(capsys) == ["enter a", "a caught enough", "exit a"]


def test_what_is_not_caught_is_raised_as_it_was(capsys):
    error = KeyError("mine")

    def f(x):
        with logged("a", x) as a:
            raise error
        return a

    with pytest.raises(KeyError) as caught:
        zyg.gradient(f, 2.0)
    assert caught.value is error
    assert printed(capsys) == ["enter a", "exit a"]


@contextlib.contextmanager
def endless(x):
    while True:
        try:
            yield x
        except ValueError:
            print("again")


@pytest.mark.parametrize("fails", [False, True])
def test_a_manager_has_to_end(fails):
    def f(x):
        with endless(x) as y:
            if fails:
                raise ValueError
        return y

    for call in (f, lambda x: zyg.gradient(f, x)):
        with pytest.raises(RuntimeError, match="generator didn't stop"):
            call(2.0)


def test_a_manager_has_to_begin():
    @contextlib.contextmanager
    def empty():
        return
        yield

    def f(x):
        with empty():
            return x * x

    with pytest.raises(RuntimeError, match="generator didn't yield"):
        zyg.gradient(f, 2.0)


def test_memory_is_as_the_manager_leaves_it():
    @contextlib.contextmanager
    def shifted(values, by):
        values += by
        yield
        values -= 2.0 * by

    def f(x):
        values = x * 1.0
        with shifted(values, x[0]):
            inside = np.sum(values**2)
        return inside * values[1]

    # inside = (2a)² + (b + a)², behind it b - a
    (slope,) = zyg.gradient(f, np.array([1.0, 3.0]))
    a, b = 1.0, 3.0
    inside = 4 * a * a + (a + b) ** 2
    np.testing.assert_allclose(
        slope,
        [(8 * a + 2 * (a + b)) * (b - a) - inside, 2 * (a + b) * (b - a) + inside],
    )


def test_an_error_that_passes_a_manager_to_a_handler(capsys):
    def f(x):
        try:
            with logged("a", x) as a:
                total = a / (x - x)
        except ZeroDivisionError:
            total = 3.0 * x
        return total

    assert zyg.gradient(f, 2.0) == (3.0,)
    assert printed(capsys) == ["enter a", "exit a"]


LOG = []


@contextlib.contextmanager
def noted(x):
    LOG.append(x)
    try:
        yield x * x
    finally:
        LOG.append(-x)


def passed_by_an_error(x):
    try:
        with noted(x) as a:
            total = a / (x - x)
    except ZeroDivisionError:
        total = 3.0 * x * LOG[0] * LOG[1]
    return total


@pytest.mark.parametrize("derive", [
    lambda f: zyg.gradient(f, 2.0)[0], lambda f: zyg.jvp(f, (2.0,), (1.0,))[1],
])
def test_an_error_that_passes_a_manager_which_changes_something(derive):
    LOG.clear()
    assert derive(passed_by_an_error) == -36.0
    assert LOG == [2.0, -2.0]


def test_an_error_that_passes_several_changes_is_refused():
    def f(x):
        LOG.clear()
        return passed_by_an_error(x)

    with pytest.raises(zyg.NotDifferentiable, match="may have changed something in place"):
        zyg.gradient(f, 2.0)


def test_exit_stacks_are_refused():
    def f(x):
        with contextlib.ExitStack() as stack:
            return stack.enter_context(logged("a", x)) * x

    with pytest.raises(zyg.NotDifferentiable):
        zyg.gradient(f, 2.0)
