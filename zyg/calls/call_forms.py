"""The forms of calls: what generated code gives, of what it is differentiated, and how it is made.

    "gradient", f, (float64[N1], float)  ->  Entry with the joint form
    "pullback", f, (float64[N1], float)  ->  Entry with a forward and a back function
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir.errors import NeedsHeap, Unsupported
from ir.heap import HEAP
from ir.late import late
from ir.memory.contents import holds_memory
from ir.types import Type
from zyg.calls.binding import Plan, Source
from zyg.calls.entry_cache import Entry
from zyg.calls.gradients import assignment_of
from zyg.compiler.assemble import Compiler
from zyg.compiler.assigned import Outdated, Shared
from zyg.compiler.generated import Joint
from zyg.compiler.inference.number_keys import refuse_keys_read
from zyg.compiler.inference.object_needs import note_lost
from zyg.compiler.inference.stepping import is_own_iterator
from zyg.compiler.nested.inner_gradients import CallsSolver, Opened, Stepped, Unsettled
from zyg.errors import UnsupportedSyntax
from zyg.signature import is_users

if TYPE_CHECKING:
    from zyg.compiler.inference.fields import Fields
    from zyg.compiler.nested import nesting
    from zyg.compiler.specialisation import Specialisation
else:
    nesting = late("zyg.compiler.nested.nesting")

# The forms of calls that are found at run time: they give their value, the versions of what they
# change as well, or the same for the pair of an error and the value.
# "inner" is the first of these for a gradient that is itself differentiated.
AT_RUN_TIME = (
    "dispatch", "inner", "update", "held", "attempt", "attempted update", "attempted held",
)
# The kinds of inputs that each form of code differentiates with respect to.
_DIFFERENTIATED = {
    **dict.fromkeys(("gradient", "withgradient", "pullback"), ("arg", "tuple")),
    "_pullback": ("arg", "tuple", "cell"),
    **dict.fromkeys(
        AT_RUN_TIME,
        ("arg", "tuple", "cell", "keyword", "dict", "default", "kwdefault"),
    ),
}
# Forward mode: "tangent:" and, at run time, "tangent call:" and "tangent attempt:" go on with what
# is active (`is_active`).
TANGENT = "tangent"
MAX_ROUNDS = 4


def is_at_run_time(mode: str) -> bool:
    """Whether code of this form is part of a program that is differentiated."""
    return mode in AT_RUN_TIME or mode.startswith(f"{TANGENT} ")


def is_active(mode: str, source: Source, name: str) -> bool:
    """Whether an input is differentiated: one of the positions and names that a mode lists."""
    if not mode.startswith(TANGENT):
        return source.kind in (*_DIFFERENTIATED[mode], "heap")
    listed = mode.partition(":")[2].split(",")
    match source.kind:
        case "arg" | "keyword":
            return str(source.key) in listed
        case "tuple":
            return any(is_active(mode, part, "") for part in source.key)
        case "dict":
            return any(is_active(mode, part, "") for part in source.key.values())
        case "cell" | "default" | "kwdefault":
            return f".{name}" in listed
        case kind:
            return kind == "heap"


class ChangesArguments(UnsupportedSyntax):
    """A function that is found at run time changes some of its arguments in place."""


class FasterOnHeap(Exception):
    """Objects are read, and nothing is stored: there the types of what they hold are known."""


def made_on_heap(
    compiler: Compiler, mode: str, plan: Plan, types_: tuple[Type, ...], count: int,
    fields: Fields | None,
) -> Entry:
    """The entry of code that works on objects.

    That a function does so may show when its adjoint is made: then all is made again.
    """
    try:
        for _ in range(MAX_ROUNDS):
            known = len(compiler.needs_heap)
            try:
                with compiler.apart():
                    return made_of_signature(compiler, mode, plan, types_, count, fields)
            except NeedsHeap as error:
                compiler.abandon()
                found = error
                if len(compiler.needs_heap) == known:
                    break
        raise found
    finally:
        compiler.needs_heap.clear()


def made_of_signature(
    compiler: Compiler, mode: str, plan: Plan, types_: tuple[Type, ...], count: int,
    fields: Fields | None = None, on_values: bool = False,
) -> Entry:
    """The entry of a signature."""
    follows_solvers, rounds = False, 0
    while True:
        try:
            known = None if fields is None else fields.copy()
            with compiler.sharing(follows_solvers):
                return _generated(compiler, mode, plan, types_, count, known, on_values)
        except Outdated:
            compiler.forget()
        except CallsSolver:
            compiler.abandon()
            follows_solvers = True
        except Stepped:  # a call that the adjoint knows more of
            compiler.abandon()
            assert fields is not None
            fields = fields.copy()
            fields.set_apart(fields.copied())
            fields.go_by_steps(fields.copied())
        except Unsettled:  # the adjoint has put more into objects than the program does
            compiler.abandon()
            rounds += 1
            if known is None or rounds == MAX_ROUNDS:
                raise nesting.refused(plan.source.loc) from None
            fields = known
        except Opened:  # a call that the adjoint has other types for
            compiler.abandon()
            assert fields is not None and not fields.sets_apart
            fields = fields.copy()
            fields.set_apart(fields.copied())
        except NeedsHeap:
            raise
        except Unsupported:
            compiler.abandon()
            if not compiler.assigned.share_changed():
                raise


def _gains_by_heap(made: Specialisation, mode: str) -> bool:
    """Whether code that takes the heap would know more types: of what is read of objects, and those
    that are made are to be read. But there, numbers that exceptions hold aren't told apart."""
    callees = made.with_callees()
    if any(callee.reads_objects for callee in callees):
        return True
    if mode.startswith(TANGENT):
        # What such a function changes in place, by a name that it has of an object, is not seen.
        return any(
            any(map(is_users, callee.classes_made)) and any(map(holds_memory, callee.inputs))
            for callee in callees
        )
    classes = [
        cls for callee in callees for cls in callee.classes_made if not is_own_iterator(cls)
    ]
    return bool(classes) and not any(issubclass(cls, BaseException) for cls in classes)


def _generated(
    compiler: Compiler, mode: str, plan: Plan, types_: tuple[Type, ...], count: int,
    fields: Fields | None, on_values: bool,
) -> Entry:
    heap = next((i for i, s in enumerate(plan.inputs) if s.kind == "heap"), None)
    refuses_errors = heap is None and (on_values or is_at_run_time(mode))
    compiler.specialiser.refuses_errors = refuses_errors
    if heap is None and compiler.assigned.shared:
        raise NeedsHeap("globals or classes hold what is differentiated", plan.source.loc)
    if fields is None:
        made = compiler.specialiser.specialise(plan.source, types_)
    else:
        made = compiler.with_fields(plan.source, types_, fields)
    inputs = [value.name for value in (*plan.source.captured, *plan.source.params)]
    differentiated = [
        i for i, source in enumerate(plan.inputs) if is_active(mode, source, inputs[i])
    ]
    active = made.flow & frozenset(differentiated)
    if made.lost & frozenset(differentiated):
        note_lost(compiler.assigned, made)
        raise Unsupported(
            f"a derivative would get lost in a global that `{plan.source.name}`, or what it calls, "
            "assigns", plan.source.loc,
            advice="pass the value on by arguments, or drop its derivative with zyg.dropgrad",
        )
    refuse_keys_read(compiler.specialiser, made, frozenset(differentiated))
    if mode == "inner":
        nesting.unless_calling_solvers(compiler.specialiser, made)
    if mode == "inner" and nesting.may_store_unseen(compiler.specialiser, made, set()):
        raise Unsupported(
            f"`{plan.source.name}` may store into objects, and is called by a gradient inside of "
            "differentiated code", plan.source.loc, advice="let it return what it computes",
        )
    if mode != "inner" and made.stored & frozenset(differentiated):
        raise NeedsHeap("a call may store into objects", plan.source.loc)
    if heap is None and not on_values and not is_at_run_time(mode) and _gains_by_heap(made, mode):
        raise FasterOnHeap
    leaves_arrays = fields is not None and fields.leaves_arrays()
    code: Any
    if mode.startswith(TANGENT):
        # Imported when it is first asked for: most programs need reverse mode only.
        from zyg.compiler.forward_mode.tangent_code import tangents_of

        is_update = "update" in mode.partition(":")[0]
        if is_at_run_time(mode) and any(i != heap for i in made.updates) and not is_update:
            raise _changes(plan)
        code = tangents_of(compiler).tangent(made, active, of_value=not is_update)
        tangents_of(compiler).finish()
    elif mode in ("pullback", "_pullback", *AT_RUN_TIME):
        is_whole = is_at_run_time(mode) and "update" not in mode
        if is_whole and any(i != heap for i in made.updates):
            raise _changes(plan)
        with compiler.for_gradient(mode == "inner"):
            code = compiler.pair(made, active, of_value="update" not in mode)
    else:
        code = compiler.joint(made, active, wants_value=mode != "gradient")
    compiler.finish()
    assert leaves_arrays == (fields is not None and fields.leaves_arrays())
    names = made.all_names()
    if any(one.aside for one in made.with_callees()):
        from zyg.compiler.written_only import read_in

        _refuse_changed(compiler, plan, read_in(made, heap is not None or is_at_run_time(mode)))
    _refuse_changed(compiler, plan, {
        key: name for key, name in made.all_changed_names().items()
        if (key in names or heap is not None) and key not in compiler.assigned.shared
    })
    passed = [plan.inputs[i] for i in code.passed]
    return Entry(
        plan, made, code, made.all_guards(), 0, tuple(t for t in types_ if t != HEAP),
        assignment_of(plan.inputs, code.active, inputs, count),
        passed,
        passed == [Source("arg", i) for i in range(count)],
        code.function if isinstance(code, Joint) else code.forward.cell.cell_contents,
        any(i != heap for i in made.updates),
        heap is not None,
        mode,
        compiler.assigned.shared,
        names,
        heap is not None and (fields is None or fields.may_be_held()),
        leaves_arrays and fields is not None and fields.holds_at_run_time(),
    )


def _refuse_changed(compiler: Compiler, plan: Plan, names: Shared) -> None:
    """Raises where a call that runs as it is changes what the program reads, and an adjoint may
    keep a reference to, or where it would be a part of a program on objects but for that."""
    for owner, name in names.values():
        compiler.assigned.change(owner, name)
    for _, name in names.values():
        raise Unsupported(
            f"`{name}`, a global or an attribute of a class, is changed in place by a function "
            "that is called", plan.source.loc, advice="pass it as an argument",
        )


def _changes(plan: Plan) -> ChangesArguments:
    return ChangesArguments(
        f"`{plan.source.name}` changes an argument in place, and is called where zyg "
        "can't tell which function is called", plan.source.loc,
        advice="call it by its name",
    )
