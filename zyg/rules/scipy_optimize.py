"""Rules of `scipy.optimize`: roots, fixed points and minima, by the implicit function theorem.

Where `f(x, p) = 0`, a cotangent `x_bar` goes to the parameters through one adjoint equation

    J^T w = x_bar      J = df/dx at the root
    p_bar = -(df/dp)^T w

for the arguments in `args` and for what `f` has captured. How the root was found plays no part, and
the start has no influence. Source: A. Griewank and A. Walther, "Evaluating Derivatives" (2008),
section 15.3.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy import optimize

from zyg.arrays.equations import solved, unless_far
from zyg.cotangents.cotangent import accumulate, rebuilt, unbroadcast
from zyg.errors import NotDifferentiable
from zyg.held.shadows import asked_again
from zyg.rules import registry
from zyg.rules.registry import adjoint, constant, goes_beyond, stand_in

constant(optimize.show_options)


def as_tuple(args):
    return args if isinstance(args, tuple) else (args,)


def like_args(bars, args):
    """The cotangent of `args`, which may be one argument without a tuple."""
    return tuple(bars) if isinstance(args, tuple) else bars[0]


def unit_seeds(value):
    """For each number of a result the cotangent that is 1 there, in the form of the result."""
    count = np.size(value)
    return [seed_like(value, row) for row in np.eye(count)]


def seed_like(value, numbers):
    if isinstance(value, (list, tuple)):
        return type(value)([float(x) for x in numbers])
    if np.ndim(value) == 0:
        return complex(numbers[0]) if np.iscomplexobj(value) else float(numbers[0])
    return np.reshape(numbers, np.shape(value))


def implicit_bars(equation, x, x_bar, at=1):
    """Cotangents of the operands of an equation: those in front of `x`, which is `at`, and others.
    """
    bars = bars_of_equation(equation, x, x_bar, at)
    return bars[:at], bars[at + 1 :]


def bars_of_equation(equation, x, x_bar, at=1, free=True):
    """Cotangents of the operands of an equation.

    `equation` is what `pullback` gave where the root was found: later, what the function reads may
    have changed. Unknowns that aren't `free` stay where they are, and their equations don't count.
    """
    value, back = equation
    with asked_again():
        rows = [back(seed)[at] for seed in unit_seeds(value)]
    size = np.size(x)
    jacobian = np.stack([
        np.zeros(size) if row is None else np.reshape(row, size) for row in rows
    ])
    if np.shape(jacobian) != (size, size):
        raise NotDifferentiable("a root of as many equations as unknowns is differentiable only")
    x_bar = np.zeros(size) if x_bar is None else np.where(free, np.reshape(x_bar, size), 0.0)
    both = np.logical_and.outer(np.broadcast_to(free, size), np.broadcast_to(free, size))
    jacobian = np.where(both, jacobian, np.eye(size))
    unless_far(jacobian, np.where(free, np.reshape(value, size), 0.0), np.reshape(x, size))
    weights = solved(np.transpose(jacobian), x_bar)
    bars = back(seed_like(value, -weights))
    by_equation = None if bars[at] is None else np.where(free, np.reshape(bars[at], size), 0.0)
    unless_stored(by_equation, x_bar, np.abs(jacobian.T) @ np.abs(weights))
    return bars


def unless_stored(by_equation, x_bar, scale):
    """Raises where more depends on a root than what the solver has returned.

    The equation has stored it, or what it has computed of it: its cotangent isn't `-x_bar` alone.
    """
    by_equation = 0.0 if by_equation is None else np.reshape(by_equation, -1)
    if np.any(np.abs(by_equation + x_bar) > 1e-6 * scale):
        raise NotDifferentiable(
            "the function that a solver is given stores what depends on the root, and is read "
            "elsewhere: let it only return what it computes"
        )


def root_bars(equation, x, args, x_bar):
    """Cotangents of the function and of `args`."""
    own, others = implicit_bars(equation, x, x_bar)
    return own[0], like_args(others, args)


NO_FULL_OUTPUT = "solvers of scipy.optimize have no rule for full_output=True: use root_scalar"
NOT_CONVERGED = "the solver has not converged, so that nothing is known of a root"

NO_CONSTRAINTS = "scipy.optimize.minimize has no rule for constraints: substitute variables"


def bracketing(solver):
    """The rule of a solver that is given an interval."""

    def rule(f, a, b, args=(), *, pullback=None, full_output=False, **options):
        if full_output:
            raise NotDifferentiable(NO_FULL_OUTPUT)
        y, report = solver(f, a, b, args, **options, full_output=True)
        has_converged = report.converged
        equation = pullback(f, y, *as_tuple(args))

        def back(y_bar):
            f_bar, args_bar = bars_if_converged(has_converged, equation, y, args, y_bar)
            return f_bar, None, None, args_bar

        return y, back

    return rule


for _solver in (optimize.brentq, optimize.brenth, optimize.bisect, optimize.ridder):
    adjoint(_solver)(bracketing(_solver))
adjoint(optimize.toms748)(bracketing(optimize.toms748))


@adjoint(optimize.newton)
def newton(func, x0, fprime=None, args=(), *, pullback=None, full_output=False, **options):
    if full_output:
        raise NotDifferentiable(NO_FULL_OUTPUT)
    y, report, *_ = optimize.newton(func, x0, fprime, args, **options, full_output=True)
    has_converged = np.all(getattr(report, "converged", report))
    equation = pullback(func, y, *as_tuple(args))

    def back(y_bar):
        f_bar, args_bar = bars_if_converged(has_converged, equation, y, args, y_bar)
        return f_bar, None, None, args_bar

    return y, back


@adjoint(optimize.root_scalar)
def root_scalar(
    f, args=(), method=None, bracket=None, fprime=None, fprime2=None, *, pullback=None, **options
):
    y = optimize.root_scalar(f, args, method, bracket, fprime, fprime2, **options)
    root, converged = y.root, y.converged
    place = 0 if fprime is True or fprime2 is True else None
    equation = pullback(result_at, f, place, root, *as_tuple(args))

    def back(bars):
        own, others = implicit_bars(equation, root, bar_of(bars, "root", converged), at=3)
        return own[1], like_args(others, args)

    return y, back


def matters(bar):
    """Whether something depends on what has this cotangent."""
    if isinstance(bar, (list, tuple, dict)):
        return any(map(matters, bar.values() if isinstance(bar, dict) else bar))
    if hasattr(bar, "count_nonzero"):  # a sparse matrix
        return bool(bar.count_nonzero())
    return bar is not None and bool(np.any(bar))


def bar_of(bars, *names):
    """The cotangents of some entries of a result; the others say how the solver fared.

    Nothing depends on a result whose cotangent is None: the back function runs for what calls of
    the equation have changed.
    """
    *names, converged = names
    if bars is None:
        return None if len(names) == 1 else [None] * len(names)
    unknown = [name for name, bar in bars.items() if name not in names and matters(bar)]
    if unknown:
        raise NotDifferentiable(f"`{unknown[0]}` of the result of a solver has no derivative")
    if not converged:
        raise NotDifferentiable(NOT_CONVERGED)
    found = [bars.get(name) for name in names]
    return found[0] if len(found) == 1 else found


@adjoint(optimize.root)
def root(fun, x0, args=(), method="hybr", jac=None, *, pullback=None, **options):
    y = optimize.root(fun, x0, args, method, jac, **options)
    x, success = np.copy(y.x), y.success
    place = 0 if jac is True else None
    equation = pullback(result_at, fun, place, x, *as_tuple(args))

    def back(bars):
        own, others = implicit_bars(equation, x, bar_of(bars, "x", success), at=3)
        return own[1], None, like_args(others, args)

    return y, back


def result_at(function, place, x, *args):
    """What a function returns, or one entry of that: with `jac=True` it returns a pair."""
    y = function(x, *args)
    return y if place is None else y[place]


@adjoint(optimize.fsolve)
def fsolve(func, x0, args=(), fprime=None, *, pullback=None, full_output=False, **options):
    if full_output:
        raise NotDifferentiable(NO_FULL_OUTPUT)
    y, _, status, message = optimize.fsolve(func, x0, args, fprime, True, **options)
    has_converged = said_whether_converged(status, message)
    equation = pullback(func, y, *as_tuple(args))

    def back(y_bar):
        f_bar, args_bar = bars_if_converged(has_converged, equation, y, args, y_bar)
        return f_bar, None, args_bar

    return y, back


def said_whether_converged(status, message):
    """Whether `fsolve` has found a root; else it warns, as SciPy does."""
    if status != 1:
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    return status == 1


def bars_if_converged(has_converged, equation, x, args, x_bar):
    if not has_converged:
        raise NotDifferentiable(NOT_CONVERGED)
    return root_bars(equation, x, args, x_bar)


def residual(function, x, *args):
    return function(x, *args) - x


@adjoint(optimize.fixed_point)
def fixed_point(func, x0, args=(), *, pullback=None, **options):
    y = optimize.fixed_point(func, x0, args, **options)
    equation = pullback(residual, func, y, *as_tuple(args))

    def back(y_bar):
        own, others = implicit_bars(equation, y, y_bar, at=2)
        return own[1], None, like_args(others, args)

    return y, back


@adjoint(optimize.minimize)
def minimize(
    fun, x0, args=(), method=None, jac=None, hess=None, hessp=None, bounds=None, *, pullback=None,
    constraints=(), **options,
):
    if constraints:
        raise NotDifferentiable(NO_CONSTRAINTS)
    y = optimize.minimize(fun, x0, args, method, jac, hess, hessp, bounds, **options)
    x, success = np.copy(y.x), y.success
    free = within(x, ends_of_pairs(bounds))
    place = 0 if jac is True else None
    _, least_back = pullback(result_at, fun, place, x, *as_tuple(args))

    def back(bars):
        x_bar, least_bar = bar_of(bars, "x", "fun", success)
        by_place = argmin_bars(fun, jac, x, args, x_bar, free, pullback)
        by_value = least_bars(least_back, args, least_bar)
        fun_bar, args_bar, x_bar = map(accumulate, by_place[:3], by_value)
        pairs_bar = bars_of_pairs(np.where(free, 0.0, 0.0 if x_bar is None else x_bar), x, bounds)
        return fun_bar, None, args_bar, None, by_place[3], None, None, pairs_bar

    return y, back


@adjoint(optimize.minimize_scalar)
def minimize_scalar(
    fun, bracket=None, bounds=None, args=(), method=None, *, pullback=None, **options
):
    y = optimize.minimize_scalar(fun, bracket, bounds, args, method, **options)
    x, success = y.x, y.success
    equation = pullback(registry.gradient_function(fun), x, *as_tuple(args))
    _, least_back = pullback(fun, x, *as_tuple(args))

    def back(bars):
        x_bar, least_bar = bar_of(bars, "x", "fun", success)
        slope_bar, args_bar = (None, None) if x_bar is None else root_bars(
            equation, x, args, x_bar
        )
        by_value = least_back(0.0 if least_bar is None else least_bar)
        return (
            accumulate((slope_bar or {}).get("f"), by_value[0]), None, None,
            accumulate(args_bar, like_args(by_value[2:], args)),
        )

    return y, back


def within(x, ends):
    """Which numbers of a minimum are between their bounds: the others move with these."""
    return ~(reached(x, ends[0]) | reached(x, ends[1]))


def ends_of(bounds):
    """The lower and the upper bounds, of which `least_squares` is given a pair."""
    return (bounds.lb, bounds.ub) if isinstance(bounds, optimize.Bounds) else bounds


def ends_of_pairs(bounds):
    """The lower and the upper bounds, of which `minimize` is given a pair for each number."""
    if bounds is None:
        return -np.inf, np.inf
    if isinstance(bounds, optimize.Bounds):
        return bounds.lb, bounds.ub
    pairs = np.array(list(bounds), dtype=float)  # None is NaN, which nothing is close to
    return pairs[:, 0], pairs[:, 1]


def reached(x, bound):
    bound = np.asarray(bound, dtype=float)
    return np.abs(x - bound) <= 1e-6 * (1 + np.abs(np.where(np.isfinite(bound), bound, 0.0)))


def bars_of_pairs(push, x, bounds):
    """The cotangents of bounds, given as pairs: those of the numbers that stay at them."""
    if bounds is None or isinstance(bounds, optimize.Bounds):
        return None
    low, high = ends_of_pairs(bounds)
    at_low = np.where(reached(x, low), push, 0.0)
    both = np.stack([at_low, np.where(reached(x, high), push - at_low, 0.0)], axis=1)
    if isinstance(bounds, np.ndarray):
        return both
    items = zip(bounds, both.tolist(), strict=True)
    return type(bounds)([rebuilt(pair, bars) for pair, bars in items])


def bars_of_ends(push, x, bounds):
    """The same for lower and upper bounds, each a number or array."""
    if isinstance(bounds, optimize.Bounds):
        return None
    low, high = bounds
    at_low = np.where(reached(x, low), push, 0.0)
    at_high = np.where(reached(x, high), push - at_low, 0.0)
    return unbroadcast(at_low, low), unbroadcast(at_high, high)


def argmin_bars(fun, jac, x, args, x_bar, free, pullback):
    """Cotangents of `fun`, `args`, `x` and `jac`: the minimum is a root of the gradient."""
    if x_bar is None:
        return None, None, None, None
    if jac is True:
        equation = pullback(result_at, fun, 1, x, *as_tuple(args))
        _, fun_bar, _, by_equation, *others = bars_of_equation(equation, x, x_bar, 3, free)
        return fun_bar, like_args(others, args), x_bar + by_equation, None
    slope = jac if callable(jac) else registry.gradient_function(fun)
    equation = pullback(slope, x, *as_tuple(args))
    own, by_equation, *others = bars_of_equation(equation, x, x_bar, 1, free)
    args_bar = like_args(others, args)
    if slope is jac:
        return None, args_bar, x_bar + by_equation, own
    return (own or {}).get("f"), args_bar, x_bar + by_equation, None


def least_bars(least_back, args, least_bar):
    """Cotangents of `fun`, `args` and `x`: at a minimum, `fun` doesn't change with what is free."""
    if least_bar is None:
        return None, None, None
    _, fun_bar, _, x_bar, *others = least_back(least_bar)
    return fun_bar, like_args(others, args), x_bar


# Sums of squares


@goes_beyond(optimize.least_squares)
def has_arguments(fun, x0, jac="2-point", bounds=None, *, args=(), kwargs=None, **options):
    return args != () or kwargs is not None


@stand_in(optimize.least_squares)
def least_squares_of_one(
    fun, x0, jac="2-point", bounds=(-np.inf, np.inf), *, args=(), kwargs=None, **options
):
    """By functions of the unknowns alone."""
    rest, named = as_tuple(args), {} if kwargs is None else kwargs

    def residuals(x):
        return fun(x, *rest, **named)

    def slopes(x):
        return jac(x, *rest, **named)

    return optimize.least_squares(
        residuals, x0, slopes if callable(jac) else jac, bounds, **options
    )


@adjoint(optimize.least_squares)
def least_squares(
    fun, x0, jac="2-point", bounds=(-np.inf, np.inf), *, pullback=None, loss="linear", args=(),
    kwargs=None, **options,
):
    if loss != "linear" or kwargs or args:
        raise NotDifferentiable("scipy.optimize.least_squares has a rule for loss='linear' only")
    y = optimize.least_squares(fun, x0, jac, bounds, **options)
    x, success = np.copy(y.x), y.success
    free = within(x, ends_of(bounds))
    _, squares_back = pullback(half_square, x, fun)
    equation = pullback(registry.gradient_function(half_square), x, fun)

    def back(bars):
        x_bar, cost_bar = bar_of(bars, "x", "cost", success)
        by_place = squares_bars(equation, x, x_bar, free)
        by_value = (None, None) if cost_bar is None else squares_back(cost_bar)[1:]
        x_bar, fun_bar = map(accumulate, by_place, by_value)
        push = np.where(free, 0.0, 0.0 if x_bar is None else x_bar)
        return fun_bar, None, None, bars_of_ends(push, x, bounds)

    return y, back


def squares_bars(equation, x, x_bar, free):
    """Cotangents of the argmin and of the function."""
    if x_bar is None:
        return None, None
    _, by_equation, fun_bar = bars_of_equation(equation, x, x_bar, 1, free)
    return x_bar + by_equation, fun_bar


def half_square(x, function):
    residuals = np.asarray(function(x))
    return 0.5 * np.sum(residuals * residuals)


@adjoint(optimize.curve_fit)
def curve_fit(
    f, xdata, ydata, p0=None, sigma=None, absolute_sigma=False, check_finite=None,
    bounds=(-np.inf, np.inf), *, pullback=None, full_output=False, **options,
):
    if full_output or np.ndim(sigma) > 1:
        raise NotDifferentiable(
            "scipy.optimize.curve_fit has no rule for full_output=True and matrices as sigma"
        )
    popt, pcov = optimize.curve_fit(
        f, xdata, ydata, p0, sigma, absolute_sigma, check_finite, bounds, **options
    )
    free = within(popt, ends_of(bounds))
    equation = pullback(registry.gradient_function(misfit), popt, f, xdata, ydata, sigma)

    def back(bars):
        popt_bar = fitted_bar(bars)
        found = bars_of_equation(equation, popt, popt_bar, 1, free)
        push = np.where(free, 0.0, 0.0 if popt_bar is None else popt_bar + found[1])
        ends_bar = bars_of_ends(push, popt, bounds)
        return (*found[2:5], None, found[5], None, None, ends_bar)

    return (popt, pcov), back


def fitted_bar(bars):
    if matters(bars[1]):
        raise NotDifferentiable("the covariance that curve_fit gives has no derivative")
    return bars[0]


def misfit(parameters, f, xdata, ydata, sigma):
    residuals = f(xdata, *parameters) - np.asarray(ydata)
    scaled = residuals if sigma is None else residuals / sigma
    return 0.5 * np.sum(scaled * scaled)
