"""Programs as data: `trace` records one, `append_adjoint` appends its gradient to the same tape.

    t = trace(lambda x: x**3, 2.0)      outputs: the value 8.0
    append_adjoint(t)                   outputs: the gradient 12.0
    append_adjoint(t)                   outputs: the second derivative 12.0
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from zyg.cotangents.cotangent import project
from zyg.errors import NotDifferentiable
from zyg.tape.adjoint import Adjoint, fitted
from zyg.tape.plain_walk import ConsumingWalk, PlainWalk
from zyg.tape.structures import filled, gradient_of, is_number, mapped, template
from zyg.tape.wengert import Tape, identity, mixed
from zyg.tape.wrappers import WRAPPERS, has_wrappers, plain, wrappers_in


def trace(f: Callable[..., Any], *xs: Any, **options: Any) -> Tape:
    """Runs `f(*xs)` and records what it computes from the numbers and arrays in `xs`.

    Control flow is unrolled: the tape holds the branches that were taken. Keyword arguments are
    passed on as they are.

    >>> t = trace(lambda x, y: x * y + 1, 2.0, 3.0)
    >>> t.inputs, t.outputs
    ([0, 1], [4])
    >>> print(t)
    Node #0 { input=2.0 }
    Node #1 { input=3.0 }
    Node #2 { op=multiply input=[#0, #1] }
    Node #4 { op=add input=[#2, Const(1)] }
    output=[#4]
    """
    tape = Tape()
    arguments = wrapped_arguments(tape, f, xs)
    with tape.recording():
        y = f(*arguments, **options)
    set_result(tape, y)
    return tape


def wrapped_arguments(tape: Tape, f: Any, xs: tuple[Any, ...]) -> list[Any]:
    """The arguments with inputs of the tape in the place of their numbers and arrays."""
    leaves: list[Any] = []
    inputs: list[Any] = []
    made: dict[int, Any] = {}  # an object that is given twice is one object
    templates = []
    for name, x in zip(parameter_names(f, len(xs)), xs, strict=True):
        templates.append(template(x, leaves, made))
        within = leaves[len(inputs) :]
        inputs += [
            tape.input(leaf, name if is_number(x) else f"{name}_{i}")
            for i, leaf in enumerate(within)
        ]
    tape.arguments = tuple(templates)
    return list(filled(tape.arguments, inputs))


def parameter_names(f: Any, count: int) -> list[str]:
    """The names of positional parameters, as far as they are known."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = [
        parameter.name for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]  # fmt: skip
    return [*names[:count], *(f"x{i + 1}" for i in range(len(names), count))]


def set_result(tape: Tape, y: Any) -> None:
    """Declares what a function has returned as the outputs of the tape."""
    outputs: list[Any] = []
    tape.result = template(y, outputs)
    tape.outputs = [tape.index_of(leaf) for leaf in outputs]


def append_adjoint(tape: Tape, seeds: Sequence[Any] | None = None) -> tuple[Any, ...]:
    """Appends the gradient of the outputs in the inputs; gives it, and makes it the outputs.

    Without `seeds`, there must be one output, a real number. Else each output takes one: a number
    or array of its shape, plain or of the tape, or None for an output that doesn't count. The
    gradients are values of the tape, one for each argument of `trace` or each input.

    Called again, it appends the gradient of the gradient.

    >>> t = trace(lambda x: x**3, 2.0)
    >>> append_adjoint(t), append_adjoint(t), append_adjoint(t)[0].val
    ((RealWrapper{float}(12.0, #5),), (RealWrapper{float}(12.0, #8),), 6.0)
    """
    outputs = tape.output_indices()
    if seeds is None:
        if len(outputs) != 1:
            raise TypeError(
                f"the tape has {len(outputs)} outputs: pass append_adjoint a seed for each"
            )
        seeds = [unit_seed(tape.values[outputs[0]])]
    if len(seeds) != len(outputs):
        raise ValueError(f"{len(seeds)} seeds for {len(outputs)} outputs")
    given: dict[int, Any] = {}
    for idx, seed in zip(outputs, seeds, strict=True):
        if seed is not None:
            fitting = seed_like(seed, tape.values[idx])
            given[idx] = fitting if idx not in given else given[idx] + fitting
    beginning = len(tape)
    bars = Adjoint(tape, tape.inputs).run(given)
    gradients = [gradient_node(tape, idx, bars.get(idx)) for idx in tape.inputs]
    tape.adjoints.append(beginning)
    tape.outputs = [g.idx for g in gradients]
    if tape.arguments is None:
        tape.result = None
        return tuple(gradients)
    slots: list[Any] = []
    nested = gradient_of(tape.arguments, gradients)
    tape.result = mapped(nested, lambda g: slot_of(g, slots), is_wrapper)
    tape.outputs = [g.idx for g in slots]
    return tuple(nested)


def is_wrapper(x: Any) -> bool:
    return type(x) in WRAPPERS


def slot_of(x: Any, found: list[Any]) -> Any:
    return template(x, found)


def gradient_node(tape: Tape, idx: int, bar: Any) -> Any:
    """The gradient of an input as a value of the tape."""
    bar = fitted(bar, tape.values[idx], tape.wrapper(idx))
    return bar if type(bar) in WRAPPERS else tape.wrapper(tape.constant(bar))


def unit_seed(value: Any) -> Any:
    """The seed of a real scalar: one, of its kind."""
    check_scalar(value)
    return np.ones((), value.dtype) if isinstance(value, np.ndarray) else (
        1.0 if isinstance(value, (int, float)) else type(value)(1)
    )


def check_scalar(value: Any) -> None:
    if np.shape(value) != () or not is_number(value):
        shown = f"of shape {np.shape(value)}" if is_number(value) else type(value).__name__
        raise TypeError(
            f"the gradient of an output {shown}: sum it, or pass seeds to tape.append_adjoint"
        )
    if np.iscomplexobj(value):
        raise TypeError("the gradient of a complex output: take its real part or absolute value")


def seed_like(seed: Any, value: Any) -> Any:
    """A seed, which must have the shape of the output."""
    if np.shape(plain(seed)) != np.shape(value):
        raise ValueError(
            f"a seed of shape {np.shape(plain(seed))} for an output of shape {np.shape(value)}"
        )
    return np.array(seed) if isinstance(seed, (list, tuple)) else seed


def gradient(f: Callable[..., Any], *xs: Any, **options: Any) -> tuple[Any, ...]:
    """The gradients of `f(*xs)`, a real number: one for each argument.

    Where arguments are values of a tape, the gradient is appended to that tape, and its results
    are values of it: gradients nest.

    >>> gradient(lambda x, y: x * y, 2.0, 3.0)
    (3.0, 2.0)
    >>> gradient(lambda x: gradient(lambda y: y**3, x)[0], 2.0)
    (12.0,)
    """
    if any(has_wrappers(x) for x in leaves_of(xs)):
        return nested_gradient(f, xs, options)
    tape = Tape()
    tape.backs = {}
    arguments = wrapped_arguments(tape, f, xs)
    with tape.recording():
        y = f(*arguments, **options)
    check_scalar(plain(y))
    seeds = {tape.index_of(y): unit_seed(plain(y))} if type(y) in WRAPPERS else {}
    del y, arguments
    bars = ConsumingWalk(tape, tape.inputs).run(seeds)
    gradients = [owned(project(bars.get(idx), tape.values[idx])) for idx in tape.inputs]
    return tuple(gradient_of(tape.arguments, gradients))


def leaves_of(xs: Any) -> list[Any]:
    leaves: list[Any] = []
    template(xs, leaves)
    return leaves


def owned(x: Any) -> Any:
    """An array that the user may write into."""
    return x if not isinstance(x, np.ndarray) or x.flags.writeable else x.copy()


def nested_gradient(
    f: Callable[..., Any], xs: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Any, ...]:
    """A gradient as a part of a program that is recorded itself."""
    leaves: list[Any] = []
    arguments = template(xs, leaves)
    tape = next(wrappers_in(leaves)).tape
    targets = []
    for leaf in leaves:
        parent = tape.index_of(leaf)
        targets.append(tape.append(tape.values[parent], identity, (parent,)))
    recording = tape.known
    tape.known = None
    try:
        with tape.recording():
            y = f(*filled(arguments, [tape.wrapper(idx) for idx in targets]), **options)
    finally:
        tape.known = recording
    check_scalar(plain(y))
    bars: dict[int, Any] = {}
    if type(y) in WRAPPERS:
        if y.tape is not tape:
            raise mixed()
        bars = Adjoint(tape, targets).run({y.idx: unit_seed(y.val)})
    gradients = [gradient_node(tape, idx, bars.get(idx)) for idx in targets]
    return tuple(gradient_of(arguments, gradients))


def pulled_back(f: Callable[..., Any], *xs: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The plain value of `f(*xs)` and its back function, with gradients of `f` and arguments."""
    tape = Tape()
    tape.backs = {}
    arguments = wrapped_arguments(tape, f, xs)
    with tape.recording():
        y = f(*arguments)
    if has_wrappers(y) and type(y) not in WRAPPERS:
        raise NotDifferentiable(f"a function that gives a {type(y).__name__}: give an array")

    def back(delta: Any) -> tuple[Any, ...]:
        bars: dict[int, Any] = {}
        if type(y) in WRAPPERS:
            bars = PlainWalk(tape, tape.inputs).run({y.idx: delta})
        gradients = [project(bars.get(idx), tape.values[idx]) for idx in tape.inputs]
        return None, *gradient_of(tape.arguments, gradients)

    return plain(y), back
