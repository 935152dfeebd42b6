"""Functions that are declared to have no derivative (`zyg.nograd`), and change something.

What they put into memory and objects is a constant from then on, and what stood there before has no
part in the gradient.
"""

import operator
import types

import numpy as np
import pytest

import zyg


@zyg.nograd
def halve(a):
    a *= 0.5


@zyg.nograd
def halve_part(a):
    a[1:] *= 0.5


@zyg.nograd
def scaled_into(a, b):
    np.multiply(a, b, out=a)


@zyg.nograd
def order(a):
    a.sort()


@zyg.nograd
def copy_into(a, b):
    a[:] = b


@zyg.nograd
def copy_by_name(a, b):
    np.copyto(a, b)


@zyg.nograd
def lengthen(xs, ys):
    xs.extend(ys)
    xs += ys


@zyg.nograd
def splice(xs, ys):
    xs[1:] = ys


@zyg.nograd
def fill_in(d, x):
    d.update(a=x)
    d.setdefault("b", x * x)
    d["c"] = x


@zyg.nograd
def swap(xs):
    xs[0], xs[1] = xs[1], xs[0]


@zyg.nograd
def normalise(a):
    a /= np.linalg.norm(a)
    return a.sum()


@zyg.nograd
def fill(a, x):
    a.fill(x)
    a[0] += x
    a[1] = a[0] * x


@zyg.nograd
def square_all(xs):
    for i, x in enumerate(xs):
        if x > 0.0:
            xs[i] = _square(x)


def _square(x):
    return x * x


def vector(x):
    return np.array([x, x * x, 3 * x])


def of_vector(change):
    def values(x):
        a = vector(x)
        change(a, x)
        return a

    return values


def of_list(change):
    def values(x):
        xs = [x, x * x]
        change(xs)
        return np.array(xs)

    return values


def behind_a_list(x):
    xs = [0.0]
    lengthen(xs, [x, x * x])
    return np.array(xs)


def behind_a_slice(x):
    xs = [0.0, x]
    splice(xs, [x, x * x])
    return np.array(xs)


def of_a_dict(x):
    d = {}
    fill_in(d, x)
    return np.array(list(d.values()))


def with_result(x):
    a = vector(x)
    return normalise(a) * a


class Run:
    """A simulation whose diagnostics aren't part of its derivative."""

    def __init__(self, x):
        self.a, self.xs, self.d = vector(x), [x, x * x], {}
        self.n, self.log, self.peak = x, [], None

    halve_at_once = zyg.nograd(lambda self: operator.imul(self.a, 0.5) is None)

    @zyg.nograd
    def apply(self, change, *args):
        change(self.a, *args)

    @zyg.nograd
    def halve(self):
        self.a *= 0.5

    @zyg.nograd
    def change_items(self):
        self.a[1:] *= 0.5
        self.xs[0] *= 3
        self.xs[1] = self.n
        self.xs.extend(self.xs)

    @zyg.nograd
    def replace(self):
        self.a = self.a * 0.5
        self.d["first"] = self.xs[0]
        self.xs = [2 * x for x in self.xs]

    @zyg.nograd
    def add_at(self, b):
        self.a[:] = b
        np.add.at(self.a, [0, 0], b[:2])

    @zyg.nograd
    def cube(self, x):
        self.n = x**3

    @zyg.nograd
    def report(self, i):
        self.log.append((i, float(np.sum(self.a))))
        if self.peak is None or self.log[-1][1] > self.peak:
            self.peak = self.log[-1][1]
        self._mean()

    def _mean(self):
        self.n = self.n * self.a[0]

    @zyg.nograd
    def drop_last(self):
        self.xs.pop()


def of_method(change, read):
    def values(x):
        run = Run(x)
        change(run, x)
        return np.array(read(run))

    return values


# All of these numbers are constants.
CONSTANTS = [
    of_vector(lambda a, x: halve(a)), of_vector(lambda a, x: scaled_into(a, vector(x))),
    of_vector(lambda a, x: order(a)), of_vector(lambda a, x: copy_into(a, vector(2 * x))),
    of_vector(lambda a, x: copy_by_name(a, vector(2 * x))), of_vector(fill),
    of_list(swap), of_list(square_all), behind_a_list, behind_a_slice, of_a_dict, with_result,
    lambda x: of_vector(lambda a, x: halve_part(a))(x)[1:],
    of_method(lambda run, x: run.change_items(), lambda run: [*run.a[1:], *run.xs]),
    of_method(lambda run, x: run.replace(), lambda run: [*run.a, *run.xs, run.d["first"]]),
    of_method(lambda run, x: run.cube(x), lambda run: [run.n]),
    of_method(lambda run, x: run.add_at(vector(x)), lambda run: run.a[1:]),
    of_method(lambda run, x: run.halve(), lambda run: run.a),
    of_method(lambda run, x: run.halve_at_once(), lambda run: run.a),
    of_method(lambda run, x: run.report(1), lambda run: [run.n, run.peak, run.log[0][1]]),
]


@pytest.mark.parametrize("values", CONSTANTS)
def test_what_is_put_there_is_a_constant(values):
    def f(x):
        return np.sum(values(x) ** 2) * x

    constant = np.sum(values(1.3) ** 2)
    np.testing.assert_allclose(zyg.gradient(f, 1.3)[0], constant, rtol=1e-13)
    y, back = zyg.pullback(f, 1.3)
    np.testing.assert_allclose([y, back(1.0)[0], back(1.0)[0]], [f(1.3), constant, constant])
    np.testing.assert_allclose(zyg.jvp(f, (1.3,), (1.0,))[1], constant, rtol=1e-13)


# In the last ones objects hold views, or what is more than numbers.
SECOND = CONSTANTS[:-4]


@pytest.mark.parametrize("values", SECOND)
def test_derivatives_of_derivatives(values):
    def f(x):
        return np.sum(values(x) ** 2) * x**2

    constant = 2 * np.sum(values(1.3) ** 2)
    np.testing.assert_allclose(
        zyg.gradient(lambda x: zyg.gradient(f, x)[0], 1.3)[0], constant, rtol=1e-13
    )


@pytest.mark.parametrize(("change", "args"), [(halve, ()), (copy_into, (vector(2.0),))])
def test_functions_that_a_method_is_given(change, args):
    def f(x):
        run = Run(x)
        run.apply(change, *args)
        return np.sum(run.a**2) * x

    run = Run(1.3)
    run.apply(change, *args)
    constant = np.sum(run.a**2)
    np.testing.assert_allclose(zyg.gradient(f, 1.3)[0], constant, rtol=1e-13)
    np.testing.assert_allclose(zyg.jvp(f, (1.3,), (1.0,))[1], constant, rtol=1e-13)


def test_items_that_are_left_keep_their_derivatives():
    def f(x):
        run = Run(x)
        run.drop_last()
        run.xs[0] = run.xs[0] * 2
        return sum(run.xs) * x

    assert zyg.gradient(f, 1.3) == pytest.approx((4 * 1.3,), rel=1e-13)
    assert zyg.jvp(f, (1.3,), (1.0,))[1] == pytest.approx(4 * 1.3, rel=1e-13)


def test_a_simulation_with_diagnostics():
    def run(x):
        simulation = Run(x)
        for i in range(3):
            simulation.a = simulation.a * 1.1 - 0.1 * np.roll(simulation.a, 1) ** 2
            simulation.report(i)
        return simulation

    def f(x):
        simulation = run(x)
        return np.sum(simulation.a**2) + simulation.peak * x + simulation.n * x

    h = 1e-6
    slope = (np.sum(run(1.3 + h).a ** 2) - np.sum(run(1.3 - h).a ** 2)) / (2 * h)
    slope += run(1.3).peak + run(1.3).n
    assert zyg.gradient(f, 1.3)[0] == pytest.approx(slope, rel=1e-8)
    assert zyg.jvp(f, (1.3,), (1.0,))[1] == pytest.approx(slope, rel=1e-8)
    assert "pullback_call" not in str(zyg.code_adjoint(f, 1.3))


def test_an_argument_that_is_changed():
    def f(run, x):
        run.cube(x)
        return run.n * x

    run = Run(2.0)
    gradient, x_bar = zyg.gradient(f, run, 3.0)
    assert (gradient, x_bar, run.n) == ({"n": 0.0}, 27.0, 27.0)


def found_at_run_time(x):
    run = Run(x)
    {"cube": run.cube, "other": print}["cube" if x > 0 else "other"](x)
    return run.n * x


def test_methods_that_the_run_time_finds():
    assert zyg.gradient(found_at_run_time, 1.3) == pytest.approx((1.3**3,), rel=1e-13)
    assert zyg.jvp(found_at_run_time, (1.3,), (1.0,))[1] == pytest.approx(1.3**3, rel=1e-13)


# A function of which no source is known.
halve_unseen = zyg.nograd(types.FunctionType(halve.__code__.replace(co_filename="?"), {}))


@pytest.mark.parametrize("derive", [
    lambda f: zyg.gradient(f, 1.3), lambda f: zyg.jvp(f, (1.3,), (1.0,)),
])
def test_what_cannot_be_looked_into_may_change_nothing(derive):
    def f(x):
        run = Run(x)
        halve_unseen(run.a)
        return np.sum(run.a**2)

    with pytest.raises(zyg.NotDifferentiable, match="has changed a ndarray"):
        derive(f)
