"""The systems that are timed: a `Program` and the name of a system -> a call of its gradient.

autograd, JAX and PyTorch run the primal itself, with their own module behind its global names
`np` and `math`; where that makes no sense in JAX the program brings a version of its own. Arguments
are converted once, outside of what is timed. A system that is not installed raises ImportError.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from tests.benchmarks.program import Program

Thunk = Callable[[], Any]


class NotAvailable(Exception):
    """A system that is not installed, or does not know the program."""


def rebound(function: Callable[..., Any], **names: object) -> Callable[..., Any]:
    """The function with other objects behind some of its global names, as `np=jax.numpy`."""
    assert isinstance(function, FunctionType)
    twin = FunctionType(
        function.__code__,
        {**function.__globals__, **names},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    twin.__globals__[function.__name__] = twin
    return twin


def primal(program: Program) -> Thunk:
    function, arguments, data = program.primal, program.arguments, program.data
    return lambda: function(*arguments, **data)


def by_hand(program: Program) -> Thunk:
    function, arguments, data = program.gradient_by_hand, program.arguments, program.data
    return lambda: function(*arguments, **data)


def with_zyg(program: Program) -> Thunk:
    import zyg

    if not hasattr(zyg, "gradient"):
        raise NotAvailable("zyg has no gradient yet")
    gradient, function = zyg.gradient, program.primal
    arguments, data = program.arguments, program.data
    return lambda: gradient(function, *arguments, **data)


def with_code_of_zyg(program: Program) -> Thunk:
    """The generated code by itself: what a call of `zyg.gradient` runs once it has found it."""
    import zyg

    bound = inspect.signature(program.primal).bind(*program.arguments, **program.data)
    bound.apply_defaults()
    code = zyg.code_gradient(program.primal, *program.arguments, **program.data)
    run = code.functions[f"{program.primal.__name__}_gradient"]
    names = list(inspect.signature(run).parameters)
    if not set(names) <= set(bound.arguments):
        raise NotAvailable("the code is given more than the arguments")
    inputs = [bound.arguments[name] for name in names]
    try:
        run(*inputs)
    except zyg.NotDifferentiable as error:
        raise NotAvailable("the code works on objects that the call prepares") from error
    return lambda: run(*inputs)


def with_autograd(program: Program) -> Thunk:
    import autograd
    import autograd.numpy as autograd_numpy

    function = rebound(program.primal, np=autograd_numpy, math=autograd_numpy)
    gradient = autograd.grad(function, program.differentiated)
    arguments, data = program.arguments, program.data
    return lambda: gradient(*arguments, **data)


def with_jax(program: Program) -> Thunk:
    import jax
    import jax.numpy as jnp

    constant = [i for i in range(len(program.arguments)) if i not in program.differentiated]
    function = program.written_for_jax or rebound(program.primal, np=jnp, math=jnp)
    gradient = jax.jit(jax.grad(function, program.differentiated), static_argnums=constant)
    arguments = [a if i in constant else jnp.asarray(a) for i, a in enumerate(program.arguments)]
    data = {name: jnp.asarray(value) for name, value in program.data.items()}
    return lambda: jax.block_until_ready(gradient(*arguments, **data))


def with_torch(program: Program) -> Thunk:
    import torch

    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    function = rebound(program.primal, np=torch, math=torch)
    arguments = list(program.arguments)
    for i in program.differentiated:
        arguments[i] = torch.tensor(arguments[i], dtype=torch.float64, requires_grad=True)
    leaves = [arguments[i] for i in program.differentiated]
    data = {name: torch.tensor(value) for name, value in program.data.items()}
    return lambda: torch.autograd.grad(function(*arguments, **data), leaves)


SYSTEMS: dict[str, Callable[[Program], Thunk]] = {
    "zyg": with_zyg,
    "code": with_code_of_zyg,
    "autograd": with_autograd,
    "jax": with_jax,
    "torch": with_torch,
}


def thunk(system: str, program: Program) -> Thunk:
    """A call of the gradient in one system; NotAvailable says why there is none."""
    if system in program.without:
        raise NotAvailable(f"{program.name} is left out in {system}")
    try:
        return SYSTEMS[system](program)
    except ImportError as error:
        raise NotAvailable(str(error)) from error


def check_gradient(program: Program, gradient: Any, rtol: float = 1e-8) -> None:
    """Raises AssertionError unless a system's gradient equals the hand-written one.

    Accepts one gradient for each argument (zyg) or for each differentiated argument (the peers).
    """
    expected = program.gradient_by_hand(*program.arguments, **program.data)
    if len(gradient) != len(expected):
        expected = tuple(expected[i] for i in program.differentiated)
    for ours, theirs in zip(expected, gradient, strict=True):
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        assert ours.shape == theirs.shape, f"shape {theirs.shape}, not {ours.shape}"
        largest = float(np.max(np.abs(ours)))
        np.testing.assert_allclose(theirs, ours, rtol=rtol, atol=rtol * largest)
