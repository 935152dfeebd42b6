"""Solvers of `scipy.optimize` and `scipy.integrate`: through `args` and captured variables."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import zyg

pytest.importorskip("scipy")

from scipy import integrate, optimize

A = np.array([[2.0, 0.3], [0.1, 1.5]])
B = np.array([0.4, 1.2])


def system(x, a, b):
    return a @ x + 0.1 * x**3 - b


def rosen(x, a, b):
    return np.sum((x - b) ** 2) + 0.2 * np.sum((a @ x) ** 4)


def slope_of_rosen(x, a, b):
    return zyg.gradient(rosen, x, a, b)[0]


def decay(t, y, a):
    return -a @ y + np.sin(t)


def lotka(y, t, p):
    return [p[0] * y[0] - y[0] * y[1], y[0] * y[1] - p[1] * y[1]]


TIMES = np.array([0.0, 0.4, 1.0])

ROOTS = [
    (lambda a, b: np.sum(optimize.fsolve(system, B, (a, b), xtol=1e-14) ** 2), (A, B)),
    (lambda c: optimize.fsolve(lambda x: x**3 - c, 1.0, xtol=1e-14), (2.0,)),
    (lambda c: optimize.brentq(lambda x: x**3 - c, 0.0, 3.0) ** 2, (2.0,)),
    (lambda c: optimize.brentq(lambda x, c: x**3 - c, 0.0, 3.0, args=(c,)), (2.0,)),
    (lambda c: optimize.brentq(lambda x, c: x**3 - c, 0.0, 3.0, args=c), (2.0,)),
    (lambda c: optimize.bisect(lambda x: np.sum(c) * x - 1.0, 0.0, 3.0, xtol=1e-14), (B,)),
    (lambda c: optimize.newton(lambda x: x**3 - c, 1.0, tol=1e-13), (2.0,)),
    (lambda c: optimize.newton(lambda x, c: x**3 - c, 1.0, args=(c,), tol=1e-13), (2.0,)),
    (lambda c: optimize.root_scalar(lambda x: x**3 - c, bracket=[0.0, 3.0]).root, (2.0,)),
    (lambda c: optimize.root_scalar(
        lambda x, c: x**3 - c, args=(c,), x0=1.0, x1=1.4, xtol=1e-13).root, (2.0,)),
    (lambda a, b: np.sum(optimize.root(system, np.ones(2), (a, b), tol=1e-11).x ** 2), (A, B)),
    (lambda a, b: np.sum(
        optimize.root(lambda x: system(x, a, b), np.ones(2), tol=1e-11)["x"] ** 2), (A, B)),
    (lambda c: optimize.root(lambda x: x**2 - c, 1.0, tol=1e-11).x[0], (2.0,)),
    (lambda c: optimize.fixed_point(lambda x: np.cos(c * x), 0.6, xtol=1e-14), (0.8,)),
    (lambda c: np.sum(optimize.fixed_point(
        lambda x, c: np.cos(c * x), B, (c,), xtol=1e-14)), (0.8 * B,)),
    (lambda a, b: optimize.minimize(
        lambda x: rosen(x, a, b), np.ones(2), tol=1e-6).fun, (A, B)),
]
INTEGRALS = [
    (lambda c: integrate.quad(lambda x: np.sin(c * x), 0.0, 1.0)[0], (1.3,)),
    (lambda a, b: integrate.quad(lambda x, c: x * x * c, a, b, args=(a,))[0], (0.3, 1.7)),
    (lambda c: integrate.quad(lambda x: np.sum(c) * np.exp(-c[0] * x * x), 0, np.inf)[0], (B,)),
]
EPS = 1e-10
FLOWS = [
    (lambda a, y0: np.sum(integrate.solve_ivp(
        decay, (0.0, 1.0), y0, args=(a,), t_eval=TIMES, rtol=EPS, atol=EPS).y ** 2), (A, B)),
    (lambda a, y0: np.sum(integrate.solve_ivp(
        lambda t, y: decay(t, y, a), (0.0, 1.0), y0, rtol=EPS, atol=EPS).y[:, -1] ** 2), (A, B)),
    (lambda p, y0: np.sum(
        integrate.odeint(lotka, y0, TIMES, (p,), rtol=EPS, atol=EPS) ** 2), (B, B + 0.3)),
    (lambda a, y0: np.sum(integrate.odeint(
        lambda t, y: decay(t, y, a), y0, TIMES, tfirst=True, rtol=EPS, atol=EPS) ** 2), (A, B)),
    (lambda t: np.sum(
        integrate.odeint(lotka, B, t, (B,), rtol=EPS, atol=EPS) ** 2), (TIMES + 0.1,)),
]


@pytest.mark.parametrize(("f", "args"), [*ROOTS, *INTEGRALS, *FLOWS])
def test_gradient(f, args):
    zyg.check_grads(f, *args, order=1)


def rebound(c):
    level = c
    root = optimize.brentq(lambda x: x**3 - level, 0, 10)
    level = 50 * c
    return root


def integral_of_rebound(c):
    level = c
    y, _ = integrate.quad(lambda t: level * t, 0, 1)
    level = 50 * c
    return y


def solution_of_rebound(c):
    level = c
    y = integrate.solve_ivp(lambda t, y: -level * y, (0, 1.0), [1.0], t_eval=[1.0]).y[0, 0]
    level = 50 * c
    return y


class Model:
    def __init__(self, a):
        self.a = a

    def residual(self, x):
        return x**3 - self.a

    def slope(self, t, y):
        return -self.a * y


def root_of_model(c):
    model = Model(c)
    root = optimize.brentq(model.residual, 0, 10)
    model.a = 50 * c
    return root + optimize.root(lambda x: x**3 - model.a, 5.0).x[0]


def test_what_changes_after_a_solver_has_run():
    assert zyg.gradient(rebound, 2.0)[0] == pytest.approx(2 ** (-2 / 3) / 3)
    expected = (2 ** (-2 / 3) + 50 * 100 ** (-2 / 3)) / 3
    assert zyg.gradient(root_of_model, 2.0)[0] == pytest.approx(expected)
    for f in (integral_of_rebound, solution_of_rebound):
        with pytest.raises(zyg.NotDifferentiable, match=r"has changed since|by `args`"):
            zyg.gradient(f, 2.0)


def with_history(c):
    history = []

    def equation(x):
        history.append(x * c)
        return x**3 - c

    return optimize.brentq(equation, 0, 3) + history[-1]


def of_history_alone(c):
    history = []

    def equation(x):
        history.append(x * c)
        return x**3 - c

    optimize.brentq(equation, 0, 3)
    return history[-1]


def with_a_shared_variable(c):
    last = c

    def equation(x):
        nonlocal last
        last = x[0] * c
        return x**3 - c

    return optimize.root(equation, [1.0]).x[0] * last


def with_history_of_parameters(c):
    history = []

    def equation(x):
        history.append(c)
        return x**3 - c

    return optimize.brentq(equation, 0, 3) * history[-1]


class Store:
    pass


def with_an_array_of_an_object(c):
    store = Store()

    def equation(x):
        store.last = np.array([x[0] * c])
        return x**3 - c

    return optimize.root(equation, [1.0]).x[0] + store.last[0]


def test_what_the_equation_stores():
    """What it stores depends on the root, of which it is given a number: that is refused."""
    for f in (with_history, of_history_alone, with_a_shared_variable, with_an_array_of_an_object):
        with pytest.raises(zyg.NotDifferentiable, match="stores what depends on the root"):
            zyg.gradient(f, 2.0)
    expected = 4 / 3 * 2 ** (1 / 3)
    assert zyg.gradient(with_history_of_parameters, 2.0)[0] == pytest.approx(expected)


WEIGHTS = np.array([2.0, 1.0])


def test_globals_that_change_before_the_reverse_pass():
    _, back = zyg.pullback(lambda c: optimize.brentq(lambda x: x**3 - c * WEIGHTS[0], 0, 9), 2.0)
    _, solution_back = zyg.pullback(
        lambda c: integrate.odeint(lambda y, t: -c * WEIGHTS[0] * y, [1.0], [0.0, 1.0])[1, 0], 2.0
    )
    WEIGHTS[0] = 100.0
    try:
        assert back(1.0)[0] == pytest.approx(2 / (3 * 4 ** (2 / 3)))
        with pytest.raises(zyg.NotDifferentiable, match="has changed since"):
            solution_back(1.0)
    finally:
        WEIGHTS[0] = 2.0


def test_right_hand_sides_of_objects_are_refused():
    def f(c):
        model = Model(c)
        return integrate.solve_ivp(model.slope, (0, 1.0), [1.0]).y[0, -1]

    with pytest.raises(zyg.NotDifferentiable, match="by `args`"):
        zyg.gradient(f, 2.0)


def test_argmin_is_a_root_of_the_gradient():
    def by_minimum(a, b):
        found = optimize.minimize(rosen, np.ones(2), (a, b), jac=slope_of_rosen)
        return np.sum(found.x**2)

    def by_root(a, b):
        return np.sum(optimize.root(slope_of_rosen, np.ones(2), (a, b)).x ** 2)

    zyg.check_grads(by_root, A, B, order=1)
    pairs = zip(zyg.gradient(by_minimum, A, B), zyg.gradient(by_root, A, B), strict=True)
    for bar, expected in pairs:
        np.testing.assert_allclose(bar, expected, rtol=1e-3)


def rosen_and_slope(x, a, b):
    return rosen(x, a, b), slope_of_rosen(x, a, b)


def both_of_a_pair(x, a, b):
    return slope_of_rosen(x, a, b), np.eye(2)


def minimum(fun, jac):
    def f(a, b):
        found = optimize.minimize(fun, np.ones(2), (a, b), jac=jac, tol=1e-10, method="BFGS")
        return np.sum(found.x**2) + found.fun

    return f


def test_gradients_of_functions_that_solvers_are_given():
    """By a function of its own, together with the value, and by zyg's gradient."""
    a, b = A + 0.5, B + 0.5
    expected = zyg.gradient(minimum(rosen, slope_of_rosen), a, b)
    captured = zyg.gradient(lambda a, b: optimize.minimize(
        lambda x: rosen(x, a, b), np.ones(2), options={"gtol": 1e-6}).x @ B, a, b)
    known = zyg.gradient(lambda a, b: optimize.root(slope_of_rosen, np.ones(2), (a, b)).x @ B, a, b)
    pairs = [
        (zyg.gradient(minimum(rosen_and_slope, True), a, b), expected, 1e-7),
        (captured, known, 1e-3),
        (zyg.gradient(lambda a, b: optimize.root(
            both_of_a_pair, np.ones(2), (a, b), jac=True, method="lm").x @ B, a, b), known, 1e-6),
    ]
    for found, by_hand, tolerance in pairs:
        for bar, other in zip(found, by_hand, strict=True):
            np.testing.assert_allclose(bar, other, rtol=tolerance, atol=tolerance)


TIGHT = {"ftol": 1e-15, "gtol": 1e-14, "xtol": 1e-15}



def bounded(x, a, b):
    return (x - b) @ a @ (x - b)


def exact(function, a, b, bounds):
    return optimize.minimize(
        function, np.zeros(2), (a + a.T, b), "L-BFGS-B", lambda x, a, b: 2 * a @ (x - b),
        bounds=bounds, options={"ftol": 1e-16, "gtol": 1e-14},
    )


LINE = np.array([0.0, 0.7, 1.5, 2.2])

BOUNDED = [
    lambda a, b, c: exact(bounded, a, b, [(0, c), (None, None)]).x,
    lambda a, b, c: exact(bounded, a, b, [(0, c), (None, None)]).fun,
    lambda a, b, c: exact(bounded, a, b, np.array([[-c, c], [2 * c, 9.0]])).x,
    lambda a, b, c: exact(bounded, a, b, optimize.Bounds(-1.0, 0.3)).x,
    lambda a, b, c: c * exact(bounded, a, b, [(-9, 9), (-9, 9)]).x,
    lambda a, b, c: optimize.minimize(
        lambda x: (bounded(x, a + a.T, b), 2 * (a + a.T) @ (x - b)), np.zeros(2), jac=True,
        bounds=((0, c), (0, 9)), options={"ftol": 1e-16, "gtol": 1e-14}).x,
    lambda a, b, c: optimize.least_squares(
        lambda x: np.array([x[0] ** 2 - c, x[0] * x[1] - b[0], x[1] - b[1]]), np.ones(2),
        jac=lambda x: np.array([[2 * x[0], 0.0], [x[1], x[0]], [0.0, 1.0]]), **TIGHT).x,
    lambda a, b, c: optimize.least_squares(
        lambda x: np.append(a @ x - b, c * x[0]), np.zeros(2), **TIGHT).cost,
    lambda a, b, c: optimize.least_squares(
        lambda x: np.append(a @ x - b, x[0]), np.zeros(2), bounds=([-9, -9], c / 2),
        method="dogbox", **TIGHT).x,
    lambda a, b, c: optimize.curve_fit(
        lambda x, p, q: p * np.exp(q * x) + c, LINE, np.append(b, b + 3), [1.0, 0.3], **TIGHT)[0],
    lambda a, b, c: optimize.curve_fit(
        lambda x, p, q: p * x + q, LINE * c, np.append(b, b + 3), None, np.append(b + 1, [c, 1]),
        **TIGHT)[0],
    lambda a, b, c: optimize.curve_fit(
        lambda x, p, q: p * x + q, LINE, np.append(b, b + 3), bounds=(0, [c, 9.0]),
        method="dogbox", **TIGHT)[0],
]


@pytest.mark.parametrize("f", BOUNDED)
def test_minima_with_bounds_and_sums_of_squares(f):
    args = A, B, 0.7
    weights = np.array([1.0, 2.0])
    bars = zyg.gradient(lambda *args: np.sum(weights * f(*args)), *args)
    dots = np.array([[0.5, 1.0], [-0.3, 0.7]]), np.array([0.3, 1.1]), 0.4
    step = 1e-3  # the solvers leave errors of some 1e-8
    above, below = (
        f(*(x + sign * step * dot for x, dot in zip(args, dots, strict=True))) for sign in (1, -1)
    )
    expected = np.sum(weights * (above - below)) / (2 * step)
    found = sum(np.sum(bar * dot) for bar, dot in zip(bars, dots, strict=True))
    assert found == pytest.approx(expected, rel=1e-4)
    y_dot = zyg.jvp(lambda *args: np.sum(weights * f(*args)), args, dots)[1]
    assert y_dot == pytest.approx(found, rel=1e-9)


@pytest.mark.parametrize("method", ["Nelder-Mead", "L-BFGS-B", "Powell"])
def test_tangents_of_minima_beside_other_results(method):
    def f(c):
        return optimize.minimize(
            lambda x: np.sum((x - c) ** 2), np.zeros(2), method=method, tol=1e-10).x

    np.testing.assert_allclose(zyg.jvp(f, (B,), (np.ones(2),))[1], np.ones(2), rtol=1e-6)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda c: optimize.brentq(lambda x: x - c, 0, 3, full_output=True)[0], "full_output"),
        (lambda c: optimize.bisect(
            lambda x: x**3 - c, 0, 3, maxiter=2, disp=False), "not converged"),
        (lambda c: optimize.newton(
            lambda x: x**3 - c, 9.0, maxiter=2, disp=False), "not converged"),
        (lambda c: optimize.minimize(
            lambda x: (x[0] - c) ** 2, [0.0], method="SLSQP",
            constraints={"type": "eq", "fun": lambda x: x[0] - 1}).x[0], "constraints"),
        (lambda c: optimize.root(lambda x: x * x + c, 1.0).x[0], "not converged"),
        (lambda c: optimize.root(lambda x: x - c, 1.0).fun[0], "`fun` of the result"),
        (lambda c: optimize.curve_fit(lambda x, a: a * x + c, B, B)[1][0, 0], "the covariance"),
        (lambda c: optimize.curve_fit(
            lambda x, a: a * x + c, B, B, full_output=True)[0][0], "full_output"),
        (lambda c: optimize.least_squares(lambda x: x - c, [1.0], loss="soft_l1").x[0], "loss="),
        (lambda c: optimize.minimize(
            lambda x: (x[0] - c) ** 2 + 4 * abs(x[0]), [1.0], method="Nelder-Mead").x[0], "kink"),
        (lambda c: optimize.minimize(
            lambda x: abs(x[0] - c), [1.0], method="Nelder-Mead").x[0], "singular"),
        (lambda c: optimize.minimize_scalar(
            lambda x: (x - c) ** 2, bounds=(0.0, 1.0), method="bounded").x, "bound"),
        (lambda c: optimize.least_squares(lambda x: x - c, [1.0]).grad[0], "`grad` of the result"),
        (lambda c: optimize.nnls(A * c, B)[0][0], "nnls has no rule"),
        (lambda c: integrate.quad(lambda x: c * x, 0, 1)[1], "the error of"),
        (lambda c: optimize.approx_fprime([1.0], lambda x: c * x[0] ** 2)[0], "approx_fprime has"),
        (lambda c: integrate.solve_ivp(
            lambda t, y: c * y, (0, 1), [1.0], dense_output=True).sol(0.3)[0], "dense_output"),
    ],
)
def test_refused(f, message):
    with pytest.raises(zyg.NotDifferentiable, match=message):
        zyg.gradient(f, 1.5)


def error_function(a):
    return integrate.quad(lambda x: math.exp(-a * x * x), 0.0, 2.0)


def test_forward_mode_of_one_of_several_results():
    """The value of an integral has a tangent, its error has none."""
    slope = zyg.gradient(lambda a: error_function(a)[0], 0.7)[0]
    assert zyg.jvp(lambda a: error_function(a)[0], (0.7,), (1.0,))[1] == pytest.approx(slope)
    for f in (lambda a: sum(error_function(a)), lambda a: error_function(a)[1] * a):
        with pytest.raises(zyg.NotDifferentiable, match=r"error of scipy\.integrate\.quad"):
            zyg.jvp(f, (0.7,), (1.0,))


def test_forward_mode_of_a_solution():
    def f(rate, start):
        found = integrate.solve_ivp(
            lambda t, y: -rate * y, (0.0, 1.0), start, t_eval=[0.5, 1.0], rtol=1e-9, atol=1e-9
        )
        return np.sum(found.y**2)

    args = 0.8, np.array([1.0, 0.5])
    slopes = zyg.gradient(f, *args)
    tangent = zyg.jvp(f, args, (1.0, np.array([0.2, -0.3])))[1]
    assert tangent == pytest.approx(slopes[0] + slopes[1] @ [0.2, -0.3])


class Cubic:
    """An equation whose parameters are attributes."""

    def __init__(self, slope):
        self.slope = slope
        self.slopes = [slope]

    def residual(self, x):
        return x**3 + self.slope * x - 1

    def root(self):
        return optimize.brentq(self.residual, 0, 2)


def by_a_function_that_captured_an_object(slope):
    cubic = Cubic(slope)
    cubic.slope = cubic.slope * slope
    return optimize.root_scalar(lambda x: cubic.residual(x), bracket=(0.0, 2.0)).root


def by_a_partial(slope):
    cubic = Cubic(slope)
    return optimize.root(functools.partial(Cubic.residual, cubic), [1.0]).x[0]


def in_a_loop(slope):
    total = 0.0
    cubic = Cubic(slope)
    for level in (0.5, 1.0):
        cubic.slope = cubic.slope + level
        total += optimize.brentq(lambda x: cubic.residual(x) - level, 0, 2)  # noqa: B023
    return total


SETTINGS = {"xtol": 1e-13, "maxiter": 50}


def with_settings(slope):
    return optimize.brentq(lambda x: x**3 + slope * x - 1, 0, 2, **SETTINGS)


@pytest.mark.parametrize(
    "f",
    [
        lambda slope: Cubic(slope).root(), by_a_function_that_captured_an_object, by_a_partial,
        in_a_loop, with_settings,
    ],
)
def test_forward_mode_of_what_a_solver_reads_of_objects(f):
    zyg.check_grads(f, 0.7, order=1)
    assert zyg.jvp(f, (0.7,), (1.0,))[1] == pytest.approx(zyg.gradient(f, 0.7)[0], rel=1e-9)


def test_forward_mode_of_what_a_solver_reads_of_memory_in_objects_is_refused():
    def f(slope):
        cubic = Cubic(slope)
        return optimize.brentq(lambda x: x**3 + cubic.slopes[0] * x - 1, 0, 2)

    zyg.check_grads(f, 0.7, order=1)
    with pytest.raises(zyg.NotDifferentiable, match="memory that objects hold"):
        zyg.jvp(f, (0.7,), (1.0,))


class Noted:
    def __init__(self):
        self.last, self.calls = 0.0, 0


def test_what_is_stored_by_a_function_that_c_calls_is_refused():
    """It would have no tangent, and none of what an integrand stores has a cotangent."""
    noted = Noted()

    def of_root(c):
        def equation(x):
            noted.last = x * c
            return x**3 - c

        return optimize.brentq(equation, 0.0, 3.0) + noted.last

    def of_integral(c):
        def integrand(x):
            noted.last = x * c
            return x * c

        return integrate.quad(integrand, 0.0, 1.0)[0] + noted.last

    for call in (
        lambda: zyg.gradient(of_integral, 2.0), lambda: zyg.jvp(of_integral, (2.0,), (1.0,)),
        lambda: zyg.gradient(of_root, 2.0), lambda: zyg.jvp(of_root, (2.0,), (1.0,)),
    ):
        with pytest.raises(zyg.NotDifferentiable, match="stores what"):
            call()


def test_calls_may_be_counted():
    def root(c):
        noted = Noted()

        def equation(x):
            noted.calls += 1
            return x**3 - c

        return optimize.brentq(equation, 0.0, 3.0)

    assert zyg.gradient(root, 2.0) == pytest.approx((2.0 ** (-2 / 3) / 3,))


LIMITS = {"limit": 60, "epsabs": 1e-10}


@pytest.mark.parametrize("f", [
    lambda c: integrate.quad(lambda t: np.exp(-c * t), 0, 1, **LIMITS)[0],
    lambda c: integrate.quad(lambda t: np.exp(-c * t), 0, 1, epsabs=LIMITS["epsabs"])[0],
    lambda c: integrate.quad(lambda t: np.exp(-c * t), 0, 1, points=[0.3 * c])[0],
    lambda c: integrate.odeint(
        lambda y, t: np.exp(-c * t), [0.0], [0.0, 1.0], rtol=LIMITS["epsabs"])[1, 0],
    lambda c: integrate.solve_ivp(
        lambda t, y: np.exp(-c * t), (0.0, 1.0), [0.0], rtol=LIMITS["epsabs"]).y[0, -1],
])
def test_settings_that_vary(f):
    """What a solver finds doesn't depend on them."""
    expected = (np.exp(-1.5) * 2.5 - 1) / 1.5**2
    assert zyg.gradient(f, 1.5)[0] == pytest.approx(expected, rel=1e-6)
