"""What stands for calls of SciPy's solvers in programs with derivatives of derivatives.

    y = optimize.brentq(f, a, b)        y = found_number(optimize.brentq, f, a, b)
                                        y = dropgrad(y - f(y) / slope_of(f, y))
                                        y = y - f(y) / slope_of(f, y)
                                        y = y - f(y) / slope_of(f, y)

What the solver has found is a constant there, made as precise as numbers are by the first step.
Each of Newton's steps behind that squares the error of `y` as a function of the parameters: it
begins with the first power of their changes, behind one step with the second, behind two with the
fourth. So derivatives up to the third are right, and more are refused (`up_to_third`). Source: A.
Griewank and A. Walther, "Evaluating Derivatives" (2008), section 15.5.

That is code like the user's, which is differentiated in the place of the solver, in any mode.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize

from ir import facts
from ir.core import Const, Function, Location, Operand, type_of
from ir.errors import Unsupported
from ir.heap import HEAP, HEAP_NAME
from ir.types import Closure, Known, Scalar, Sequence, Tuple, Type
from zyg.api import dropgrad, gradient
from zyg.array_type import AnySize, Array
from zyg.arrays.equations import FAR, NO_ROOT
from zyg.compiler.nested.inner_gradients import expansions
from zyg.errors import NotDifferentiable
from zyg.rules.registry import R, adjoint, constant
from zyg.rules.scipy_optimize import (
    NO_FULL_OUTPUT,
    NOT_CONVERGED,
)

_code: dict[int, Any] = {}


def stands_for(*solvers: Any) -> Callable[[R], R]:
    """Declares the plain code for calls of solvers."""

    def register(function: R) -> R:
        for solver in solvers:
            _code[id(solver)] = function
        return function

    return register


def code_for(solver: Any) -> Any:
    """The plain code for calls of a solver; None where there is none."""
    if solver.__module__.startswith("scipy.integrate."):
        for name in ("zyg.inside.integrals_inside", "zyg.inside.flows_inside"):
            importlib.import_module(name)  # few programs need it
    if solver in (optimize.minimize, optimize.minimize_scalar):
        importlib.import_module("zyg.inside.minima_inside")
    return _code.get(id(solver))


def as_tuple(args: Any) -> Any:
    return args if isinstance(args, tuple) else (args,)


# What solvers find, as constants


def found_number(solver: Any, *args: Any, **options: Any) -> float:
    """The root of an equation in one number, by a solver that says whether it has converged."""
    root, report = solver(*args, **options, full_output=True)
    if not report.converged:
        raise NotDifferentiable(NOT_CONVERGED)
    return float(real(root))


def found_by_iteration(solver: Any, *args: Any, **options: Any) -> float:
    """The same by a solver that raises where it doesn't converge."""
    return float(real(solver(*args, **options)))


def found_numbers(solver: Any, *args: Any, **options: Any) -> Any:
    """The same for an array of numbers in one dimension."""
    return vector(solver(*args, **options))


def found_together(*args: Any, **options: Any) -> Any:
    """The roots of equations that are solved one by one by `newton`."""
    root, converged, _ = optimize.newton(*args, **options, full_output=True)
    if not np.all(converged):
        raise NotDifferentiable(NOT_CONVERGED)
    return vector(root)


def found_by_fsolve(*args: Any, **options: Any) -> Any:
    root, _, status, _ = optimize.fsolve(*args, **options, full_output=True)
    if status != 1:
        raise NotDifferentiable(NOT_CONVERGED)
    return vector(root)


def found_result(solver: Any, *args: Any, **options: Any) -> Any:
    """What `root` and the like return, which has to be a success."""
    result = solver(*args, **options)
    if not (result.converged if solver is optimize.root_scalar else result.success):
        raise NotDifferentiable(NOT_CONVERGED)
    return result


def number_of(result: Any) -> float:
    return float(real(result.root if "root" in result else result.x))


def numbers_of(result: Any) -> Any:
    return vector(result.x)


def vector(root: Any) -> Any:
    if np.ndim(root) != 1:
        raise NotDifferentiable("second derivatives of roots are for arrays of one dimension")
    return np.array(real(root), dtype=float)


def real(root: Any) -> Any:
    if np.iscomplexobj(root):
        raise NotDifferentiable("second derivatives of roots are for real numbers")
    return root


def entry(result: Any, name: str) -> Any:
    """How the solver fared: what has no derivative. Some methods don't tell all of it."""
    return result.get(name)


_NUMBERS = found_number, found_by_iteration, number_of
_ARRAYS = found_numbers, found_together, found_by_fsolve, numbers_of
constant(*_NUMBERS, *_ARRAYS, found_result, entry)


@facts.result(*_NUMBERS)
def _type_of_number(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Scalar(float)


@facts.result(*_ARRAYS)
def _type_of_array(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return Array(np.dtype(float), (AnySize(),))


# Functions are called several times where the program calls them once


def unless_changing(f: Any, x: Any, rest: Any) -> None:
    """Stands for nothing: where `f(x, *rest)` may change something, the call is refused."""


def refuse_changes(
    specialiser: Any, inference: Any, args: list[Operand], kwargs: Any, loc: Location | None
) -> Operand:
    made = called(specialiser, *map(type_of, args))
    if made is not None and made.updates:
        raise Unsupported(
            "the second derivative of what a solver finds, whose function changes objects or "
            "arguments", made.source.loc, advice="let it only return what it computes",
        )
    return Const(None)


def called(specialiser: Any, f: Type, given: Type, rest: Type) -> Any:
    """The specialisation that a call of a solver's function goes to; None where it isn't known."""
    first = given.items if isinstance(given, Tuple) else (given,)
    if isinstance(rest, Known) and isinstance(rest.value, tuple):
        rest = Tuple(tuple(map(Known, rest.value)))
    if isinstance(rest, Sequence) and rest.cls is tuple:
        count = count_of_parameters(f)
        if count is not None:
            rest = Tuple((rest.item,) * max(count - len(first), 0))
    if not isinstance(f, Known | Closure) or not isinstance(rest, Tuple):
        return None
    named = {} if specialiser.fields is None else {HEAP_NAME: HEAP}
    return specialiser.call(f, (*first, *rest.items), named)


def count_of_parameters(f: Type) -> int | None:
    """How many positional arguments a function takes."""
    function = f.value if isinstance(f, Known) else None
    code = f.code if isinstance(f, Closure) else getattr(function, "__code__", None)
    if isinstance(code, types.CodeType):
        return code.co_argcount
    if isinstance(code, Function):
        return code.signature.positional_only + code.signature.positional
    return None


expansions[id(unless_changing)] = refuse_changes


# Newton's steps


def stepped(f: Any, y: Any, rest: Any) -> Any:
    """The root of an equation in one number, with its derivatives."""
    return with_derivatives(f, y, rest, one_step, unless_simple)


def all_stepped(f: Any, x: Any, rest: Any) -> Any:
    """The same for as many equations as unknowns."""
    return with_derivatives(f, x, rest, one_step_of_all, unless_all_simple)


def with_derivatives(f: Any, root: Any, rest: Any, step: Any, unless_simple: Any) -> Any:
    unless_changing(f, root, rest)
    near, before = step(f, root, rest)
    unless_far(root, near)
    root, slope = step(f, dropgrad(near), rest)
    unless_simple(before, slope)
    return up_to_third(step(f, root, rest)[0])


def one_step(f: Any, y: Any, rest: Any) -> Any:
    """A better root, and the slope in front of it."""

    def value(y: Any) -> Any:
        return float(np.sum(f(y, *rest)))

    slope = gradient(value, y)[0]
    return y - value(y) / slope, slope


def one_step_of_all(f: Any, x: Any, rest: Any) -> Any:
    """The same for as many equations as unknowns, with their Jacobian."""
    value = flat(f(x, *rest))
    unless_as_many(value, x)
    units = np.eye(np.size(x))
    jacobian = np.zeros_like(units)
    for i in range(len(units)):
        jacobian[i] = row_of(f, x, rest, units[i])
    return x - np.linalg.solve(jacobian, value), jacobian


def row_of(f: Any, x: Any, rest: Any, unit: Any) -> Any:
    def component(x: Any) -> Any:
        return np.dot(unit, flat(f(x, *rest)))

    return gradient(component, x)[0]


def flat(value: Any) -> Any:
    return np.reshape(np.array(value), -1)


def unless_as_many(value: Any, x: Any) -> None:
    if np.size(value) != np.size(x):
        raise NotDifferentiable("a root of as many equations as unknowns is differentiable only")


def unless_simple(before: Any, slope: Any) -> None:
    """Raises for a root at which the slope vanishes: there, it is another one behind each step."""
    if not abs(slope - before) <= SIMPLE * abs(before):
        raise NotDifferentiable(NOT_SIMPLE)


def unless_far(root: Any, near: Any) -> None:
    """Raises where a solver has found no root of an equation: it may have found a kink."""
    if not np.all(np.abs(near - root) <= FAR * (1 + np.abs(root))):
        raise NotDifferentiable(NO_ROOT)


def unless_all_simple(before: Any, jacobian: Any) -> None:
    change = np.linalg.solve(before, jacobian) - np.eye(len(before))
    if not np.max(np.abs(change), initial=0.0) <= SIMPLE:
        raise NotDifferentiable(NOT_SIMPLE)


# How much the slope may change in a step, as a part of it: at a double root it is a half.
SIMPLE = 0.1
NOT_SIMPLE = (
    "the second derivative of a root that is no simple one, or that a solver has not found well "
    "enough"
)
_CHECKS = unless_as_many, unless_simple, unless_all_simple, unless_far
constant(*_CHECKS)
facts.effect(*_CHECKS)


# How many derivatives are right


def up_to_third(y: Any) -> Any:
    """Its argument, of which there are three derivatives: more than that are refused."""
    return y


def first(y: Any) -> Any:
    return np.ones_like(y)


def second(y: Any) -> Any:
    return np.zeros_like(y)


def third(y: Any) -> Any:
    return np.zeros_like(y)


def fourth(y: Any) -> Any:
    raise NotDifferentiable("the fourth derivative of what a solver of SciPy finds")


@adjoint(up_to_third)
def up_to_third_rule(y: Any) -> Any:
    return up_to_third(y), lambda z_bar: z_bar * first(y)


@adjoint(first)
def first_rule(y: Any) -> Any:
    return first(y), lambda z_bar: z_bar * second(y)


@adjoint(second)
def second_rule(y: Any) -> Any:
    return second(y), lambda z_bar: z_bar * third(y)


@adjoint(third)
def third_rule(y: Any) -> Any:
    return third(y), lambda z_bar: z_bar * fourth(y)


constant(fourth)
facts.effect(fourth)


@facts.result(up_to_third, first, second, third, fourth)
def _type_of_same(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0]


# The solvers


def bracketing(solver: Any) -> Any:
    def code(
        f: Any, a: Any, b: Any, args: Any = (), *, full_output: bool = False, **options: Any
    ) -> Any:
        if full_output:
            raise NotDifferentiable(NO_FULL_OUTPUT)
        return stepped(f, found_number(solver, f, a, b, args, **options), as_tuple(args))

    return code


for _solver in (
    optimize.brentq, optimize.brenth, optimize.bisect, optimize.ridder, optimize.toms748
):
    stands_for(_solver)(bracketing(_solver))


@stands_for(optimize.newton)
def newton(
    func: Any, x0: Any, fprime: Any = None, args: Any = (), *, full_output: bool = False,
    **options: Any,
) -> Any:
    if full_output:
        raise NotDifferentiable(NO_FULL_OUTPUT)
    rest = as_tuple(args)
    if np.ndim(x0) == 0:
        y = found_number(optimize.newton, func, x0, fprime, args, **options)
        return stepped(func, y, rest)
    return all_stepped(func, found_together(func, x0, fprime, args, **options), rest)


def without_derivative(name: str) -> NotDifferentiable:
    return NotDifferentiable(
        f"`{name}` of the result of a solver, in a program with derivatives of derivatives"
    )


class Root(NamedTuple):
    """What `root_scalar` returns in such a program: the root, and how the solver fared."""

    root: Any
    converged: bool
    flag: str
    iterations: int
    function_calls: int


@stands_for(optimize.root_scalar)
def root_scalar(
    f: Any, args: Any = (), method: Any = None, bracket: Any = None, fprime: Any = None,
    fprime2: Any = None, **options: Any,
) -> Root:
    found = found_result(
        optimize.root_scalar, f, args, method, bracket, fprime, fprime2, **options
    )

    def value(x: Any, *rest: Any) -> Any:
        return f(x, *rest)[0]

    if fprime is True or fprime2 is True:
        root = stepped(value, number_of(found), as_tuple(args))
    else:
        root = stepped(f, number_of(found), as_tuple(args))
    return Root(
        root, True, entry(found, "flag"), entry(found, "iterations"),
        entry(found, "function_calls"),
    )


class Roots(NamedTuple):
    """The same for `root`."""

    x: Any
    success: bool
    status: int
    message: str
    nfev: int

    @property
    def fun(self) -> Any:
        raise without_derivative("fun")

    @property
    def jac(self) -> Any:
        raise without_derivative("jac")


@stands_for(optimize.root)
def root(
    fun: Any, x0: Any, args: Any = (), method: str = "hybr", jac: Any = None, **options: Any
) -> Roots:
    found = found_result(optimize.root, fun, x0, args, method, jac, **options)

    def values(x: Any, *rest: Any) -> Any:
        return fun(x, *rest)[0]

    if jac is True:
        x = all_stepped(values, numbers_of(found), as_tuple(args))
    else:
        x = all_stepped(fun, numbers_of(found), as_tuple(args))
    return Roots(x, True, entry(found, "status"), entry(found, "message"), entry(found, "nfev"))


@stands_for(optimize.fsolve)
def fsolve(
    func: Any, x0: Any, args: Any = (), fprime: Any = None, *, full_output: bool = False,
    **options: Any,
) -> Any:
    if full_output:
        raise NotDifferentiable(NO_FULL_OUTPUT)
    return all_stepped(func, found_by_fsolve(func, x0, args, fprime, **options), as_tuple(args))


@stands_for(optimize.fixed_point)
def fixed_point(func: Any, x0: Any, args: Any = (), **options: Any) -> Any:
    def residual(x: Any, *rest: Any) -> Any:
        return func(x, *rest) - x

    rest = as_tuple(args)
    if np.ndim(x0) == 0:
        y = found_by_iteration(optimize.fixed_point, func, x0, args, **options)
        return stepped(residual, y, rest)
    x = found_numbers(optimize.fixed_point, func, x0, args, **options)
    return all_stepped(residual, x, rest)
