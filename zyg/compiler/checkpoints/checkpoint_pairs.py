"""The pair of functions of a loop over checkpoints (`zyg.compiler.checkpoints.checkpoint_loops`).

The body is emitted twice: in `solve_loop`, which runs some iterations in a row, and in front of its
own adjoint, which reads what it needs of the body as a joint form does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ir import primitives
from ir.closures import replace_lambdas
from ir.core import (
    Block,
    Call,
    Const,
    For,
    Function,
    Op,
    Operand,
    Value,
    While,
    Yield,
    type_of,
)
from ir.emit import emit_functions
from ir.forgettable import IdentityTable
from ir.load import load_definitions
from ir.memory.memory_facts import CHANGING, is_change
from ir.rewrite import clone, free_values, replace_operands, substitute, walk
from ir.simplify import eliminate_dead, is_pure, is_silent, share_common
from ir.types import TOP, Known, Tuple
from zyg.checkpointing import Steps, compare, compare_values, run_steps, steps_back
from zyg.compiler.activity import Flow
from zyg.compiler.assemble import Compiler
from zyg.compiler.checkpoints.checkpoint_loops import FIRST, LoopFunction, Repeated, loop_of
from zyg.compiler.checkpoints.repeatable import is_repeatable
from zyg.compiler.forward.augment import Augmenter
from zyg.compiler.generated import Generated, Pair, finished_function, passed_inputs
from zyg.compiler.overwriting.mutation import unsupported
from zyg.compiler.overwriting.preserve import changed_at_entry, preserve
from zyg.compiler.overwriting.restoring import with_log
from zyg.compiler.reverse.cotangent_types import is_numeric, seed_type
from zyg.compiler.reverse.records import pack_records
from zyg.compiler.reverse.returned import seed_name
from zyg.compiler.reverse.saving import as_prototypes, close_forward, open_adjoint
from zyg.compiler.reverse.transpose import Transposer
from zyg.compiler.specialisation import Specialisation
from zyg.held import keeping


class OfLoop(Generated):
    """A function of such a pair: derivatives of it are those of the plain loop."""

    make: Callable[[], None]
    _plain: Function | None = None

    @property
    def ir_function(self) -> Function | None:
        if self._plain is None:
            self.make()
        return self._plain

    @ir_function.setter
    def ir_function(self, function: Function | None) -> None:
        self._plain = function


def generated(
    compiler: Compiler, made: Specialisation, active: Flow, forward: Generated, back: Generated
) -> tuple[OfLoop, OfLoop]:
    """The functions of a pair, whose plain IR is made when it is asked for."""

    source, indices = made.source, made.with_bars(active)
    begun: tuple[int, ...] = ()
    if isinstance(source, LoopFunction):
        first = source.body.ops[0]
        assert isinstance(first, For)
        begun = tuple(
            i for i, index in enumerate(indices)
            if index >= FIRST + len(first.init) and index not in made.updates
            and is_numeric(made.inputs[index])
        )

    def make() -> None:
        plain = Pair(
            Generated(forward.name, forward.results),
            Generated(back.name, back.results, begun=begun), passed_inputs(made), indices,
        )
        with_log(partial(compiler.pair_as_ir, made, active, False, plain))
        for function, source in zip(functions, (plain.forward, plain.back), strict=True):
            function.ir_function = source.ir_function
        compiler.finish()

    functions = OfLoop(forward.name, forward.results), OfLoop(back.name, back.results)
    for function in functions:
        function.make = make
    functions[1].begun = begun
    return functions


def generate(
    compiler: Compiler, made: Specialisation, active: Flow, pair: Pair, logged: list[int] | None
) -> None:
    """Makes the forward and back function of what is run again."""
    if isinstance(made.source, LoopFunction):
        _generate_loop(compiler, made, made.source, active, pair)
    else:
        _generate_call(compiler, made, active, pair, logged)


def _generate_call(
    compiler: Compiler, made: Specialisation, active: Flow, pair: Pair, logged: list[int] | None
) -> None:
    """The forward function saves what it is given; the back function is like a joint form."""
    augmenter, result, transposer = compiler._differentiate(made, active)
    versions = compiler._versions(made, augmenter, transposer, logged)
    inputs = compiler._inputs(made)
    passed = [inputs[i] for i in pair.passed]
    value = Value("t", made.returned_type)
    seed = Value(seed_name(result), seed_type(made.returned_type))
    first = Value("first", made.returned_type)
    if not is_repeatable(made):
        place = Const(f"{made.source.name} ({made.source.loc})")
        nothing = Value("_", Known(None))
        augmenter.ops.append(Call(Const(compare_values), [place, first, result], {}, [nothing]))
    transposer.add(result, seed)
    bars = compiler._adjoint(made, transposer, augmenter, pair.active)
    exit: Operand = bars[0] if len(bars) == 1 else transposer.call(primitives.build_tuple, *bars)
    adjoint = compiler.joined(made, augmenter, transposer, exit, versions, logged)
    run = Generated(made.source.name, [made.returned_type], pair=pair)
    run.ir_function = _of_types(made, run.name, passed)
    forward = Block([], [Call(Const(run), list(passed), {}, [value], made.source.loc)], Yield([]))
    if first in free_values(adjoint):
        forward.ops.append(Call(Const(keeping.kept), [value], {}, [first]))
    _finish(compiler, made, pair, augmenter, [run], (passed, forward, value), ([seed], adjoint))


def _generate_loop(
    compiler: Compiler, made: Specialisation, source: LoopFunction, active: Flow, pair: Pair
) -> None:
    augmenter, result, transposer = compiler._differentiate(made, active)
    loop = next(
        (
            op for op in augmenter.ops
            if isinstance(op, For) and op.iterables == made.function.params[:1]
        ),
        None,
    )
    inputs = compiler._inputs(made)
    passed = [inputs[i] for i in pair.passed]
    if loop is None or passed[:FIRST] != inputs[:FIRST]:
        raise unsupported("this loop over checkpoints", source.loc)
    steps = Generated(source.name, [made.returned_type], pair=pair)
    steps.ir_function = _of_types(made, source.name, passed)
    known = _facts(made, source, loop, passed[FIRST:])
    kept, whole = Value("kept", TOP), Value("t", made.returned_type)
    replayed = _Replayed(transposer, loop, known, steps, kept, passed[FIRST:])
    transposer.replay = replayed.records
    seed = Value(seed_name(whole), seed_type(made.returned_type))
    given = [seed, *transposer.begin_from([inputs[pair.active[i]] for i in pair.back.begun])]
    transposer.add(result, seed)
    bars = compiler._adjoint(made, transposer, augmenter, pair.active)
    exit: Operand = bars[0] if len(bars) == 1 else transposer.call(primitives.build_tuple, *bars)
    adjoint = Block([], transposer.ops, Yield([exit]))
    replayed.walk_forwards(adjoint)
    eliminate_dead(adjoint, is_pure)
    pack_records(adjoint, adjoint, [])
    before = augmenter.ops[: augmenter.ops.index(loop)]
    run = Call(
        Const(run_steps), [Const(steps), Const(known), *passed], {}, [whole, kept], source.loc
    )
    forward = Block([], [*before, run, *_taken_apart(augmenter, result, whole)], Yield([]))
    _finish(compiler, made, pair, augmenter, [steps], (passed, forward, whole), (given, adjoint))


def _finish(
    compiler: Compiler, made: Specialisation, pair: Pair, augmenter: Augmenter,
    functions: list[Generated], before: tuple[list[Value], Block, Value],
    behind: tuple[list[Value], Block],
) -> None:
    """Lets the forward function save what the back function reads, and loads both.

    `before`: the parameters, operations and value of the forward function; `behind`: the
    cotangents that the back function is given, and its operations.
    """
    passed, forward, whole = before
    given, adjoint = behind
    seed = given[0]
    saved = [value for value in free_values(adjoint) if value not in given]
    forward.exit = Yield([whole, *saved])
    eliminate_dead(forward, is_silent)
    saved = as_prototypes(forward, adjoint, saved)
    pair.copied = tuple(range(len(saved)))
    pair.saved_names = tuple(value.name for value in saved)
    close_forward(forward, [whole, *saved])
    open_adjoint(adjoint, saved)
    back_param = adjoint.params.pop(0) if adjoint.params else Value("saved")
    if back_param.name == seed.name:
        seed.name = f"{seed.name}_1"
    pair.dispatched = augmenter.dispatched
    for function, params, body in (
        (pair.forward, passed, forward), (pair.back, [back_param, *given], adjoint),
    ):
        functions.append(Generated(
            function.name, function.results, finished_function(made, function.name, params, body),
            function.cell,
        ))
    pair.run = functions[-2].ir_function
    compiler.pairs.load_later(made, pair, functions)


def _of_types(made: Specialisation, name: str, passed: list[Value]) -> Function:
    """The function itself, for the types at hand."""
    function = clone(finished_function(made, name, passed, made.function.body))
    eliminate_dead(function.body, is_silent)
    for op in walk(function.body):
        if isinstance(op, Call):
            replace_operands(op, _runnable)
    return function


def _runnable(operand: Operand) -> Operand:
    """What runs in the place of an inner loop or call that is run again: the plain one."""
    if isinstance(operand, Const) and isinstance(operand.value, Repeated):
        return Const(plain(operand.value))
    return operand


def plain(repeated: Repeated) -> Generated:
    """A loop or function that is run again, as it is."""
    known = _plain.of(repeated)
    if known is None:
        known = Generated(repeated.__name__, [TOP])
        _plain.note(repeated, known)
        function = clone(repeated.ir_function)
        replace_lambdas(function)
        emitted = emit_functions([function])
        known.pair, text = Pair(known, known, [], [], emitted), emitted.text
        loaded = load_definitions(
            text.definitions, lambda: text.source, name=function.name,
            module_globals=function.globals, environment=emitted.environment,
            locations=text.locations,
        )
        known.cell.cell_contents = loaded[function.name]
    return known


_plain: IdentityTable[Repeated, Generated] = IdentityTable()


def _is_needless(call: Call) -> bool:
    """Whether a call may be left out whose results nobody reads, where it is run again."""
    callee = call.callee.value if isinstance(call.callee, Const) else None
    return is_pure(call) or (id(callee) in CHANGING and callee is not primitives.updating)


def _facts(made: Specialisation, source: LoopFunction, loop: For, args: list[Value]) -> Steps:
    number = {value: i for i, value in enumerate(args)}
    plain = loop_of(made.function)
    first = source.body.ops[0]
    assert plain is not None and isinstance(first, For)
    params = made.function.params
    carried = tuple(map(number.get, params[FIRST : FIRST + len(first.init)]))
    changed = [number[params[i]] for i in made.handed_out]
    taken = [number[value] for value in loop.init if isinstance(value, Value)]
    moving = sorted({i for i in carried if i is not None}.union(changed))
    return Steps(
        carried, tuple(taken), tuple(moving), changed_at_entry(plain.body),
        bool(made.handed_out), source.may_stop, not is_repeatable(made), str(source.loc),
        tuple(value.name for value in args),
    )


def _taken_apart(augmenter: Augmenter, result: Operand, whole: Value) -> list[Op]:
    """What a loop results in, from what is returned of it."""
    ops: list[Op] = []
    known = {whole}
    pending = [(result, whole)]
    while pending:
        operand, given = pending.pop()
        parts = augmenter.parts(operand)
        if not parts:
            continue
        results = [
            part if isinstance(part, Value) and part not in known else Value("t", type_of(part))
            for part in parts
        ]
        known.update(results)
        ops.append(Call(Const(primitives.unpack), [given, Const(len(parts))], {}, results))
        pending += zip(parts, results, strict=True)
    return ops


class _Replayed:
    """Stands for the records of a loop: its body, run again in front of its adjoint."""

    def __init__(
        self, transposer: Transposer, loop: For, known: Steps, steps: Generated, kept: Value,
        args: list[Value],
    ) -> None:
        self._transposer = transposer
        self._loop = loop
        self._known = known
        self._steps = steps
        self._kept = kept
        self._args = args
        self._back = Value("back", TOP)

    def records(
        self, op: For | While, adjoint: Block
    ) -> tuple[list[Operand], list[Value]] | None:
        """What the adjoint of the loop goes over, and the items that it takes of that."""
        if op is not self._loop:
            return None
        loop, transposer = self._loop, self._transposer
        share_common(adjoint)
        eliminate_dead(adjoint, is_pure)
        forward = Block([], loop.body.ops, Yield([]))
        if any(map(is_change, walk(forward))):
            preserve(forward, adjoint, transposer.exported)
        begin = Call(
            Const(steps_back), [Const(self._steps), self._kept], {}, [self._back], loop.loc
        )
        transposer._define(begin)
        assert isinstance(loop.body.exit, Yield)
        taken: list[Value] = []
        made: list[Operand] = []
        fixed: dict[Value, Operand] = {}
        following = loop.body.exit.values[1:]
        for given, param, value in zip(loop.init, loop.carried, following, strict=True):
            if isinstance(given, Value):
                taken.append(param)
                made.append(value)
            else:
                fixed[param] = given
        again = list(forward.ops)
        if self._known.is_compared:
            nothing = Value("_", Known(None))
            again.append(Call(Const(compare), [self._back, *made], {}, [nothing], loop.loc))
        read = [*loop.items, *taken]
        record = Value("state", Tuple(tuple(value.type for value in read)))
        apart = Call(Const(primitives.unpack), [record, Const(len(read))], {}, read, loop.loc)
        adjoint.ops[:0] = [apart, *again]
        substitute(adjoint, fixed)
        # It has run before: nothing that is left out could raise now. Its memory is a copy.
        eliminate_dead(adjoint, _is_needless)
        return [self._back], [record]

    def walk_forwards(self, adjoint: Block) -> None:
        """Lets the reversed loop take states as they come: the last one first."""
        for op in adjoint.ops:
            if isinstance(op, For) and op.iterables == [self._back]:
                op.backwards = False
