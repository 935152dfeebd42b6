"""Loops over `zyg.checkpoints(...)`: functions of their own, whose reversal runs them again.

    for t in zyg.checkpoints(range(n), slots=k):
        u = u + dt * rate(u, t)

becomes the call `u = solve_loop(range(n), k, u, dt)` when types are inferred, and so the body has
its types, versions and activity as each function has. The pair of such a function is

    def solve_loop_forward(items, slots, u, dt):
        u, kept = run_steps(solve_loop, items, slots, u, dt)
        return u, (dt, kept)

    def solve_loop_back(saved, u_bar):
        dt, kept = saved
        dt_bar = 0.0
        for t, u in steps_back(solve_loop, kept):
            ...                                     the body and its adjoint, as in a joint form
        return u_bar, dt_bar

`zyg.checkpointing` runs `solve_loop` from state to state. Derivatives of such code are those of the
plain loop, with its records.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ir import primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    Function,
    Location,
    Op,
    Operand,
    Parameters,
    Value,
    Yield,
    type_of,
)
from ir.errors import NeedsHeap
from ir.forgettable import IdentityTable
from ir.inference.infer import Inference
from ir.record import node
from ir.rewrite import Mapping, free_values
from ir.types import TOP, Known, join
from zyg.checkpointing import checkpoints
from zyg.compiler.overwriting.mutation import unsupported
from zyg.compiler.reverse.cotangent_types import is_array
from zyg.compiler.specialisation import RunAgain
from zyg.errors import UnsupportedSyntax

if TYPE_CHECKING:
    from zyg.compiler.specialisation import Specialisation
    from zyg.compiler.specialise import Specialiser

MAX_ROUNDS = 6
ITEMS, SLOTS = "items", "slots"
FIRST = 2  # what the loop carries stands behind the items and the slots


class LoopFunction(RunAgain):
    """The function that a loop over checkpoints has become; `may_stop`: it has a `break`."""

    may_stop: bool = False


@node
class Repeated:
    """What generated code calls in the place of a loop, or of a function, that is run again."""

    ir_function: RunAgain
    is_of_program = True

    @property
    def __name__(self) -> str:
        return self.ir_function.name

    def __call__(self, *args: Any) -> Any:
        from zyg.compiler.checkpoints.checkpoint_pairs import plain  # at run time

        return plain(self)(*args)


_loops: IdentityTable[For, Repeated] = IdentityTable()


def outlined(
    specialiser: Specialiser, inference: Inference, op: For, iterable: Operand, mapping: Mapping
) -> list[Operand]:
    """What a loop over checkpoints results in, by a call."""
    items, slots = _marked(inference, op, iterable)
    assert isinstance(op.body.exit, Yield)
    if len(op.results) > len(op.init):
        raise unsupported(
            "a comprehension over checkpoints", op.loc, "write a `for` loop, which keeps less"
        )
    loop = _loops.of(op)
    if loop is None:
        loop = Repeated(_function_of(op, inference.globals))
        _loops.note(op, loop)
    function = loop.ir_function
    assert isinstance(function, LoopFunction)
    ends = [Const(False), Const(0)] if function.may_stop else []
    outside = function.params[FIRST + len(op.init) + len(ends) :]
    operands = [
        items, slots, *(mapping.get(o, o) if isinstance(o, Value) else o for o in op.init), *ends,
        *(mapping.get(value, value) for value in outside),
    ]
    operands = _as_carried(specialiser, inference, loop, operands)
    names = [value.name for value in op.results] + ["t"] * len(ends)
    name = names[0] if len(names) == 1 else "t"
    (whole,) = inference.typed_call(Const(loop), operands, {}, [name], op.loc)
    if len(names) == 1:
        return [whole]
    results = inference.typed_call(
        Const(primitives.unpack), [whole, Const(len(names))], {}, names, op.loc
    )
    made = specialiser.call(Known(loop), tuple(map(type_of, operands)), {})
    call = inference.definitions.get(whole) if isinstance(whole, Value) else None
    if made is not None and isinstance(made.returned, tuple) and isinstance(call, Call):
        for i, part in enumerate(made.returned):
            if isinstance(part, int):  # an array that the loop has changed, by its own name
                results[i] = call.results[1 + made.updates.index(part)]
    return results[: len(op.results)]


def elsewhere(loc: Location | None) -> UnsupportedSyntax:
    """The error for checkpoints that are not made by the `for` that goes over them."""
    return unsupported(
        "`zyg.checkpoints` elsewhere than in a `for` statement", loc,
        "write `for t in zyg.checkpoints(items, slots=k)`",
    )


def _marked(inference: Inference, op: For, iterable: Operand) -> tuple[Operand, Operand]:
    """The items and the slots of the checkpoints that a loop goes over."""
    made = inference.definitions.get(iterable) if isinstance(iterable, Value) else None
    is_call = isinstance(made, Call) and isinstance(made.callee, Const) and (
        made.callee.value is checkpoints
    )
    if not is_call or made not in inference.ops or not inference.is_made_for(op):
        raise elsewhere(op.loc)
    assert isinstance(made, Call)
    given = dict(zip(("iterable", "slots"), made.args, strict=False))
    given.update(made.kwargs)
    inference.ops.remove(made)
    if set(given) != {"iterable", "slots"} or len(made.args) > 2:
        raise unsupported(
            "these arguments of zyg.checkpoints", op.loc, "it takes an iterable and `slots`"
        )
    return given["iterable"], given["slots"]


def _function_of(op: For, module_globals: dict[str, Any]) -> LoopFunction:
    """A function of the items, the slots, what a loop carries, and all that it reads."""
    body = op.body
    assert isinstance(body.exit, Yield)
    stop = body.exit.values[0]
    may_stop = not (isinstance(stop, Const) and not stop.value)
    carried = [Value(value.name) for value in op.carried]
    outside = free_values(body)
    if may_stop:
        # Whether an iteration was the last one, and how many there were.
        ended, count, following = Value("is_over"), Value("count"), Value("count")
        carried += [Value("is_over"), Value("count")]
        more = Call(Const(operator.add), [count, Const(1)], {}, [following], op.loc)
        body = Block(
            [*body.params, ended, count], [*body.ops, more],
            Yield([stop, *body.exit.values[1:], stop, following]),
        )
    items, slots = Value(ITEMS), Value(SLOTS)
    results = [Value(value.name) for value in op.results] + [Value("t") for _ in carried[
        len(op.results) :
    ]]
    loop = For([items], list(carried), body, results, False, op.loc)
    ops: list[Op] = [loop]
    whole = results[0] if len(results) == 1 else Value("t")
    if len(results) != 1:
        ops.append(Call(Const(primitives.build_tuple), list(results), {}, [whole], op.loc))
    params = [items, slots, *carried, *outside]
    name = f"{op.loc.function if op.loc is not None else 'function'}_loop"
    function = LoopFunction(
        name.rpartition(".")[2], params, [], Block([], ops, Yield([whole])), op.loc,
        Parameters(0, len(params), False, 0, False), globals=module_globals,
    )
    function.may_stop = may_stop
    return function


def _as_carried(
    specialiser: Specialiser, inference: Inference, loop: Repeated, operands: list[Operand]
) -> list[Operand]:
    """The operands of a loop with the types that its iterations hand on, which it may start from.

    `best = None` before a loop that assigns a number to it is None or a number.
    """
    function = loop.ir_function
    assert isinstance(function, LoopFunction)
    for _ in range(MAX_ROUNDS):
        try:
            made = specialiser.call(Known(loop), tuple(map(type_of, operands)), {})
        except NeedsHeap:
            raise _on_objects(function) from None
        assert made is not None, "a loop is called with all that it takes"
        _refuse(inference, made, function)
        typed = loop_of(made.function)
        if typed is None:  # it always raises, or it is being made: a recursion
            return operands
        found = list(operands)
        for k, value in enumerate(typed.carried[: len(typed.init)]):
            given = typed.init[k]
            i = _number(given, made.function.params, k)
            if i is None:
                continue
            type_ = join(type_of(operands[i]), value.type)
            if type_ != type_of(operands[i]):
                wider = Value(function.params[i].name, type_)
                alias = Call(Const(primitives.alias), [operands[i]], {}, [wider], function.loc)
                inference._define(alias)
                found[i] = wider
        if found == operands:
            return operands
        operands = found
    raise unsupported("a loop over checkpoints that carries values of many types", function.loc)


def _number(given: Operand, params: list[Value], k: int) -> int | None:
    """The number of the parameter that a loop starts a carried value from."""
    if isinstance(given, Value):
        return params.index(given) if given in params else None
    return FIRST + k if FIRST + k < len(params) else None


def loop_of(function: Function) -> For | None:
    """The loop over checkpoints that a function consists of."""
    for op in function.body.ops:
        if isinstance(op, For) and op.iterables[:1] == function.params[:1]:
            return op
    return None


def _on_objects(function: LoopFunction) -> UnsupportedSyntax:
    return unsupported(
        "a loop over checkpoints that works on objects, or calls what may do so", function.loc,
        "let it carry numbers and arrays, and draw random numbers before",
    )


def _refuse(inference: Inference, made: Specialisation, function: LoopFunction) -> None:
    """Refuses loops that can't be run again, for what they change."""
    # Without the heap nothing is stored into objects, and they may be read.
    if made.stored or (made.works_on_objects and inference.heap is not None):
        raise _on_objects(function)
    for i in made.updates:
        type_ = made.inputs[i]
        if i == 0:
            raise unsupported(
                "a loop over checkpoints that changes what it goes over", function.loc,
                "go over a copy",
            )
        if not is_array(type_) and type_ != TOP:
            raise unsupported(
                f"a loop over checkpoints that changes `{function.params[i].name}` in place, which "
                "is not an array", function.loc, "let it make a new value, or carry numbers",
            )
