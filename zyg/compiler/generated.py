"""Generated functions: the pair and the joint form, and how their IR becomes code.

    Function f_forward, Function f_back  ->  one text of Python, loaded: the code of a `Pair`

Other generated code names them before they have code: a `Generated` holds a cell for it.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any, TypeAlias

from ir.closures import replace_lambdas
from ir.core import Block, Function, Location, Loop, Op, Operand, Parameters, Value, Yield
from ir.emit import Emitted, emit_functions
from ir.heap import HEAP
from ir.late import imported, late
from ir.load import load_definitions
from ir.record import made, node
from ir.rewrite import clone, walk
from ir.types import Known, Type
from ir.verify import verify
from zyg.compiler.overwriting.looking import read_buffers_in_place
from zyg.compiler.reverse.array_attributes import read_attributes
from zyg.compiler.reverse.cotangent_types import seed_type
from zyg.compiler.reverse.handing_over import NOTHING, HandedOver, taken_over
from zyg.compiler.reverse.item_updates import shorten_updates
from zyg.compiler.reverse.ownership import reuse_buffers
from zyg.compiler.reverse.table_ownership import reuse_tables
from zyg.compiler.reverse.unset_variables import Unset
from zyg.compiler.specialisation import Specialisation

if TYPE_CHECKING:
    from zyg.compiler.reverse import held_items
else:  # it is for programs on objects
    held_items = late("zyg.compiler.reverse.held_items")

verifying = False  # tests turn this on: the IR is checked after each pass


# The records of the objects of a class, of whose attributes some hold numbers.
Table: TypeAlias = tuple[type, tuple[str, ...]]


@node
class Generated:
    """A generated function: its IR at once, its code when the compilation that needs it ends."""

    name: str
    results: list[Type]
    ir_function: Function | None = None
    cell: types.CellType = made(types.CellType)
    # The positions of the arguments that it changes in place.
    changes: tuple[int, ...] = ()
    # Whether it may change others, by calls that nobody looks into.
    gives_unseen: bool = False
    works_on_objects: bool = False
    # Of a forward function: whether what it saves shares no memory with what it changes or returns.
    # What one call of a recursion saves would be copied in each call around it else.
    saves_apart: bool = False
    pair: Pair | None = None
    # Of a back function: the numbers of those results that it adds to what it is given for them,
    # and what else it takes over.
    begun: tuple[int, ...] = ()
    handed: HandedOver = NOTHING
    # Of a back function on objects: the records that it is handed behind its other arguments.
    tables: tuple[Table, ...] = ()
    # Whether its code keeps less than its IR says: no derivative of it will be asked for.
    is_last: bool = False
    # Whether it is a part of a program that works on objects, and is differentiated in turn.
    is_of_program: bool = False

    @property
    def __name__(self) -> str:
        return self.name

    def take_over(self, handed: HandedOver, inputs: list[Type]) -> None:
        """Has a back function, of inputs of such types, take over what callers hand to it."""
        self.begun, self.handed = handed.begun, handed
        for number in handed.begun:
            self.results[number] = seed_type(inputs[number])

    def result_types(self) -> list[Type]:
        return self.results

    def __call__(self, *args: Any) -> Any:
        return self.cell.cell_contents(*args)


@node
class Pair:
    """The forward and back function of a specialisation for certain active inputs."""

    forward: Generated
    back: Generated
    passed: list[int]
    active: list[int]
    emitted: Emitted | None = None
    copied: tuple[int, ...] = ()
    saved_names: tuple[str, ...] = ()
    # The forward function as it runs, where derivatives of it start from another one.
    run: Function | None = None
    dispatched: list[tuple[Location | None, str]] = made(list)

    def handed_on(self, result: Operand, inputs: list[Value]) -> list[Operand]:
        """What callers may change behind a call, from which that keeps apart what it saves."""
        if not self.forward.saves_apart:
            return []
        return [result, *(inputs[self.passed[i]] for i in self.forward.changes)]


@node
class Joint:
    """One function that computes the gradients of the active inputs, and the value if wanted."""

    function: Any
    passed: list[int]
    active: list[int]
    emitted: Emitted
    result: Type
    dispatched: list[tuple[Location | None, str]]
    # The numbers of gradients that are new arrays, of the dtype and rank of their inputs.
    new: frozenset[int] = frozenset()


def load(made: Specialisation, generated: list[Generated], is_last: bool = False) -> Emitted:
    """Prints generated functions, which are there as IR, and loads them.

    `is_last`: these are a joint form or a pair, and no derivatives of them will be asked for.
    """
    functions = []
    for item in generated:
        assert item.ir_function is not None
        if verifying:
            verify(item.ir_function)
        # The IR stays as it is, free of changes in place: derivatives of it start there.
        functions.append(clone(item.ir_function))
        item.is_last = is_last
    if is_last and any(map(_may_stop, walk(functions[0].body))):
        from zyg.compiler.reverse.last_records import leave_out_last  # few programs need it

        leave_out_last(functions)
    unset = Unset([function.body for function in functions])
    for item, function in zip(generated, functions, strict=True):
        if verifying:
            verify(function)
        handed_records = imported("zyg.compiler.reverse.handed_records")  # `Pairs` has found some
        if handed_records is not None:
            handed_records.hand_over(function, item.tables)
        replica = imported("zyg.compiler.overwriting.replica")  # without a log there are none
        if replica is not None:
            replica.read_in_place(function.body)
        if made.heap is not None:
            held_items.add_single_items(function.body)
            if imported("zyg.tangents.tangent_objects") is not None:
                from zyg.compiler.nested.object_dots import use_dicts  # for forward mode

                use_dicts(function)
        taken = taken_over(function, item.handed.takes)
        reuse_tables(function.body, taken, item.handed.gives)
        reuse_buffers(function.body, taken, item.handed.gives)
        shorten_updates(function.body)
        read_buffers_in_place(function.body, unset)
        read_attributes(function.body)
        replace_lambdas(function)
    known: dict[str, object] = {item.name: item for item in generated}
    emitted = emit_functions(functions, known=known)
    text = emitted.text  # which lives as long as the code, and knows none of its objects
    environment = {
        name: value.cell if isinstance(value, Generated) else value
        for name, value in emitted.environment.items()
    }
    loaded = load_definitions(
        text.definitions,
        lambda: text.source,
        name=made.function.name,
        module_globals=made.function.globals,
        environment=environment,
        locations=text.locations,
    )
    for item in generated:
        item.cell.cell_contents = loaded[item.name]
    return emitted


def _may_stop(op: Op) -> bool:
    """Whether a loop finds out in its body that it stops."""
    if not isinstance(op, Loop) or not isinstance(op.body.exit, Yield):
        return False
    return isinstance(op.body.exit.values[0], Value)


def passed_inputs(made: Specialisation) -> list[int]:
    return [
        i for i, type_ in enumerate(made.inputs)
        if not isinstance(type_, Known) and type_ != HEAP
    ]


def finished_function(
    made: Specialisation, name: str, params: list[Value], body: Block
) -> Function:
    return Function(
        name, params, [], body, made.function.loc,
        Parameters(0, len(params), False, 0, False), globals=made.function.globals,
        is_generated=True,
    )


def identifier(name: str) -> str:
    plain = name.strip("_") or name
    return plain if plain.isidentifier() else "function"
