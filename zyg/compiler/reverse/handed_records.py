"""Records of objects are looked up once, and handed to the back functions that are called.

    def step_back(saved, y_bar):                      def step_back(saved, y_bar, body_bars):
        heap_bar = current_shadows()                      ...
        body_bars = heap_bar.records(Body, (...))
        ...                                     ->

    heap_bar = current_shadows()                      heap_bar = current_shadows()
    for saved in reversed(records):                   body_bars = heap_bar.records(Body, (...))
        step_back(saved, None)                        for saved in reversed(records):
                                                          step_back(saved, None, body_bars)

A method that is short, and called in a loop, takes less time than these two lines do. What the run
time calls looks its tables up itself: that are pairs of their own (`HandedOver.records`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.core import Block, Call, Const, Function, Op, Operand, Parameters, Value, blocks_of
from ir.rewrite import blocks, count_uses, substitute, walk
from ir.types import Instance
from zyg.held import shadow_calls

if TYPE_CHECKING:
    from zyg.compiler.generated import Generated, Table


def find_tables(backs: list[Generated]) -> None:
    """Finds out which tables back functions need, those that they and their callees look up.

    They are made at once, and may call each other; callees that were made before are known.
    """
    made = {id(back) for back in backs}
    found: dict[int, dict[Table, None]] = {}
    calls = {}
    for back in backs:
        assert back.ir_function is not None
        body = back.ir_function.body
        found[id(back)] = dict.fromkeys(_table(op) for op in _lookups(body))
        calls[id(back)] = [callee for _, callee in _handing(body)]
    is_open = True
    while is_open:
        is_open = False
        for back in backs:
            own = found[id(back)]
            before = len(own)
            for callee in calls[id(back)]:
                of_callee = found[id(callee)] if id(callee) in made else callee.tables
                own.update(dict.fromkeys(of_callee))
            is_open |= len(own) > before
    for back in backs:
        back.tables = tuple(found[id(back)]) if back.handed.records else ()


def hand_over(function: Function, tables: tuple[Table, ...]) -> None:
    """Lets a function take over the tables that it is given, and hand on what its callees need."""
    body = function.body
    calls = _handing(body)
    if not calls and not tables:
        return
    from zyg.held.shadow_records import Records  # few programs need it

    known = {table: Value(f"{table[0].__name__.lower()}_bars", Instance(Records))
             for table in (*tables, *(table for _, callee in calls for table in callee.tables))}
    lookups = [op for op in _lookups(body) if _table(op) in known]
    if not tables:
        at, heap_bar = _beginning(body, [*lookups, *(op for op, _ in calls)])
        body.ops[at:at] = [
            Call(Const(shadow_calls.records), [heap_bar, *map(Const, table)], {}, [value], None)
            for table, value in known.items()
        ]
    for op, callee in calls:
        op.args += [known[table] for table in callee.tables]
    for block in blocks(body):
        block.ops = [op for op in block.ops if op not in lookups]
    substitute(body, {op.result: known[_table(op)] for op in lookups})
    uses = count_uses(body)
    for block in blocks(body):
        block.ops = [op for op in block.ops if not _is_current(op) or uses[op.results[0]]]
    function.params += [known[table] for table in tables]
    function.signature = Parameters(0, len(function.params), False, 0, False)


def _beginning(body: Block, first: list[Call]) -> tuple[int, Operand]:
    """Where tables are looked up that a function needs as a whole, and the table of all."""
    at = next(
        i for i, op in enumerate(body.ops)
        if op in first or any(inner in first for block in blocks_of(op) for inner in walk(block))
    )
    for i, op in enumerate(body.ops[:at]):
        if _is_current(op):
            return i + 1, op.results[0]
    heap_bar = Value("heap_bar")
    body.ops.insert(at, Call(Const(shadow_calls.current_shadows), [], {}, [heap_bar], None))
    return at + 1, heap_bar


def _handing(body: Block) -> list[tuple[Call, Generated]]:
    """The calls of back functions that are handed tables."""
    return [
        (op, op.callee.value) for op in walk(body)
        if isinstance(op, Call) and isinstance(op.callee, Const)
        and getattr(getattr(op.callee.value, "handed", None), "records", False)
    ]


def _lookups(body: Block) -> list[Call]:
    heap_bars = {op.results[0] for op in walk(body) if _is_current(op)}
    return [
        op for op in walk(body)
        if isinstance(op, Call) and _calls(op, shadow_calls.records) and op.args[0] in heap_bars
    ]


def _table(lookup: Call) -> Table:
    cls, numbers = lookup.args[1:]
    assert isinstance(cls, Const) and isinstance(numbers, Const)
    return cls.value, numbers.value


def _is_current(op: Op) -> bool:
    return isinstance(op, Call) and _calls(op, shadow_calls.current_shadows)


def _calls(op: Call, callee: object) -> bool:
    return isinstance(op.callee, Const) and op.callee.value is callee
