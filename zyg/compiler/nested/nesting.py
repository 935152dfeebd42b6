"""Derivatives inside differentiated code: `gradient(f, x)` becomes the joint form of `f`, as IR.

    def slope(x):                          def slope(x):
        return zyg.gradient(f, x)[0]           bars = f_gradient(x)
                                               return bars[0]

`f_gradient` is IR like any other, made by the compiler before accumulation in place is decided: so
it is looked through, differentiated and emitted as a user's function is, to any depth.
"""

from __future__ import annotations

import operator
import types
from collections import deque
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from ir import facts, primitives
from ir.binding import CannotBind, bind
from ir.core import Call, Const, Function, Location, Op, Operand, Value, type_of
from ir.errors import NeedsHeap, SourceNotFound, Unsupported
from ir.heap import HEAP, HEAP_NAME, TOKEN, object_read, with_heap
from ir.inference.typed_calls import TypedCalls
from ir.memory.held_functions import may_be_memory
from ir.memory.held_types import is_deep
from ir.memory.place_state import check_call
from ir.rewrite import walk
from ir.types import (
    TOP,
    Closure,
    Dict,
    Known,
    Mapping,
    Method,
    Scalar,
    Sequence,
    Tuple,
    Type,
    Union,
    class_of,
    widen,
)
from zyg.array_type import Array, rank_of
from zyg.compiler.inference.arguments import read_defaults
from zyg.compiler.inference.object_needs import note_lost
from zyg.compiler.inference.objects import holds_no_objects, is_object_type
from zyg.compiler.inference.plain_operands import unless_holding_objects
from zyg.compiler.nested import inner_gradients
from zyg.compiler.nested.inner_gradients import CallsSolver, HoldsMemory, Opened, Unsettled
from zyg.compiler.specialisation import Specialisation, Target, parameter_type
from zyg.compiler.specialise import Specialiser
from zyg.cotangents import cotangent
from zyg.held.keeping import prototype
from zyg.rules.registry import constant

FLOAT = Scalar(float)
# Memory whose gradient what stands for its contents has a part of.
_HELD = (np.ndarray, list, dict, deque)


def expanded(
    specialiser: Specialiser,
    inference: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    with_value: bool,
    loc: Location | None,
) -> Operand | None:
    """The gradients of a function, and its value before, in terms of its joint form."""
    function, *xs = args
    leading: list[Operand] = []
    if isinstance(function, Value) and function in inference.methods:
        method, owner = inference.methods[function]
        function, leading = method, [owner]
    given = [*leading, *xs]
    starred: dict[int, int] = {}  # what a starred parameter takes, by its place there
    target = specialiser.target(type_of(function))
    if target is None and kwargs:
        raise Unsupported(
            "a gradient of what isn't known when code is made, with keyword arguments, inside of "
            "differentiated code", loc, advice="give it a function that passes them on",
        )
    if target is None:
        if not isinstance(function, Const) or isinstance(function.value, types.FunctionType):
            if inference.heap is None and isinstance(function, Value):
                unless_made_on_heap(specialiser, inference.definitions.get(function))
            run: Operand | None = inner_gradients.unknown(inference, args, with_value, loc)
            return run
        from zyg.compiler.calling import calling  # few calls need it

        source = calling(function.value, len(given), ())
        indices = list(range(len(leading), len(given)))
        inputs = list(given)
    else:
        source = target.source
        try:
            bound: list[Any] = bind(
                source, list(range(len(given))), kwargs,
                *read_own_defaults(inference, function, target), list,
                lambda items: keywords_of(inference, dict(items)),
            )
        except CannotBind:
            return None
        count = len(source.captured)
        captured = [
            read_captured(inference, function, value.name, type_)
            for value, type_ in zip(source.captured, target.captures, strict=True)
        ]
        inputs = [*captured, *(passed(inference, item, given) for item in bound)]
        indices = []
        for i in range(len(leading), len(given)):
            at = next(j for j, item in enumerate(bound) if item == i or takes(item, i))
            indices.append(count + at)
            if isinstance(bound[at], list):
                starred[i - len(leading)] = bound[at].index(i)
    made, heap = specialised(specialiser, inference, source, inputs, indices, loc)
    if made.lost & frozenset(indices):
        note_lost(specialiser.assigned, made)
        raise Unsupported(
            "the gradient of a function that stores into globals, inside differentiated code", loc,
            advice="let it return what it computes",
        )
    inference.works_on_objects |= made.works_on_objects
    if heap is not None:
        refuse_unsettled(specialiser, made, indices, loc)
        indices = [i + (i >= heap) for i in indices]
        inputs.insert(heap, Const(TOKEN))
    elif inference.heap is not None and made.works_on_objects:
        inputs = [with_contents(inference, operand, loc) for operand in inputs]
    active = frozenset(indices) if heap is None else frozenset([*indices, heap])
    derived = specialiser.derived(made, made.flow & active, with_value)
    # What it changes in place is another thing behind it: gradients are like what was given.
    likes = [_at_entry(inference, x, bool(made.updates)) for x in xs]
    held = [] if heap is None else held_inputs(specialiser, made, indices)
    noted = {} if heap is None else _noted(inference, xs, [indices.index(i) for i in held], loc)
    result = inference.call(Const(derived), *(inputs[i] for i in derived.passed), loc=loc)
    value: Operand = Const(None)
    if with_value:
        value = inference.call(operator.getitem, result, Const(0))
        result = inference.call(operator.getitem, result, Const(1))
    gradients = []
    for i, (x, index) in enumerate(zip(likes, indices, strict=True)):
        bar: Operand = Const(None)
        if index in derived.active:
            position = derived.active.index(index)
            bar = inference.call(operator.getitem, result, Const(position))
            inference.note_new_part(bar, result)
            if i in starred:
                bar = inference.call(operator.getitem, bar, Const(starred[i]))
        if i in noted:
            from zyg.compiler.nested.nested_arguments import (
                gradient_of_objects,  # few programs need it
            )

            table = inference.call(operator.getitem, result, Const(len(derived.active)))
            bar = gradient_of_objects(inference, table, noted[i], bar)
            if isinstance(bar, Value) and bar.type == TOP and holds_no_objects(type_of(x)):
                bar.type = _type_of_gradient(type_of(x))
            gradients.append(bar)
        elif index in derived.active:
            # Sums of 0-d arrays are numbers, of which only `project` makes arrays again; what is
            # typed as a float may be one of NumPy's where there are arrays, or objects, which may
            # hold some.
            may_be_numpys = heap is not None or any(map(rank_of, map(type_of, inputs)))
            is_number = class_of(type_of(x)) is float and may_be_numpys
            if widen(type_of(bar)) != widen(type_of(x)) or rank_of(type_of(x)) == 0 or is_number:
                bar = inference.call(cotangent.project, bar, x)
                inference.note_new_part(bar, bar)
                if is_number and isinstance(bar, Value):
                    bar.type = FLOAT
                elif isinstance(bar, Value) and bar.type == TOP:
                    bar.type = _type_of_gradient(type_of(x))
            gradients.append(bar)
        else:
            is_collection = getattr(class_of(type_of(x)), "__module__", "") == "collections"
            zero = inference.call(cotangent.project, Const(None), x) if is_collection else (
                inference.call(cotangent.zeros_like, x)
            )
            gradients.append(zero)
    whole = inference.call(primitives.build_tuple, *gradients)
    return inference.call(primitives.build_tuple, value, whole) if with_value else whole


def unless_made_on_heap(specialiser: Specialiser, op: Op | None) -> None:
    """Raises NeedsHeap where a call gave a function of which nothing is known, since what is called
    works on objects, and the program doesn't yet."""
    if not isinstance(op, Call) or not isinstance(type_of(op.callee), Known | Closure):
        return
    kwtypes = {name: type_of(arg) for name, arg in op.kwargs.items()}
    try:
        specialiser.call(type_of(op.callee), tuple(map(type_of, op.args)), kwtypes)
    except NeedsHeap:
        raise
    except (Unsupported, SourceNotFound):
        return


def _type_of_gradient(type_: Type) -> Type:
    """The type of what `project` makes like a value: where all numbers are inexact, that of it."""
    match type_:
        case Array(dtype) if dtype.kind in "fc":
            return type_
        case Scalar() if class_of(type_) in (float, complex):
            return type_
        case Sequence(cls, item) if cls in (list, tuple):
            inner = _type_of_gradient(item)
            return TOP if inner == TOP else Sequence(cls, inner)
        case Tuple(items):
            inners = tuple(map(_type_of_gradient, items))
            return TOP if TOP in inners else Tuple(inners)
        case Dict(items):
            named = tuple([(name, _type_of_gradient(item)) for name, item in items])
            return TOP if TOP in [item for _, item in named] else Dict(named)
        case _:
            return TOP


def _noted(
    inference: TypedCalls, arguments: list[Operand], held: list[int], loc: Location | None
) -> dict[int, Operand]:
    """What the arguments hold, by number, in which objects are that the function changes, or for
    the contents of which some may stand."""
    found: dict[int, Operand] = {}
    given: list[int] = []
    for i, argument in enumerate(arguments):
        type_ = type_of(argument)
        if not holds_no_objects(type_):
            from zyg.compiler.nested.nested_arguments import note  # few programs need it

            found[i] = note(inference, argument)
        elif i in held and class_of(type_) in _HELD and not is_deep(type_):
            given.append(i)
        elif i in held:
            refuse_contents(inference, [argument], loc)
    if given:
        from zyg.compiler.nested.nested_arguments import note_memory  # few programs need it

        found.update(zip(given, note_memory(
            inference, [arguments[i] for i in given], list(found.values())
        ), strict=True))
    return found


def specialised(
    specialiser: Specialiser, inference: TypedCalls, source: Function, inputs: list[Operand],
    active: list[int], loc: Location | None,
) -> tuple[Specialisation, int | None]:
    """What `with_needed_heap` gives; in a program that calls solvers, of their plain code."""
    specialiser.inner_gradients += 1
    try:
        return with_needed_heap(specialiser, inference, source, inputs, active, loc)
    finally:
        specialiser.inner_gradients -= 1


def unless_calling_solvers(specialiser: Specialiser, made: Specialisation) -> None:
    """Raises for a function that calls solvers by their rules, which have no derivatives."""
    if not specialiser.follows_solvers and any(one.calls_solver for one in made.with_callees()):
        raise CallsSolver


def with_needed_heap(
    specialiser: Specialiser, inference: TypedCalls, source: Function, inputs: list[Operand],
    active: list[int], loc: Location | None,
) -> tuple[Specialisation, int | None]:
    """A function whose derivative by some inputs is asked for; where it stores into objects, as one
    that takes the heap, with the number of that input."""
    types_ = [parameter_type(type_of(operand)) for operand in inputs]
    try:
        made = specialiser.specialise(source, types_)
        # One that was made before, by the rules of solvers, says nothing of their plain code.
        unless_calling_solvers(specialiser, made)
        # With what isn't known set apart, code for objects takes the heap, which is checked there;
        # and so it does where the contents of what objects hold are other objects', and where names
        # are attributes that no input leads to.
        follows = specialiser.fields is not None and specialiser.fields.follows_contents
        follows = follows and not _reads_rows_alone(made, active)
        is_apart = inference.heap is not None and (
            specialiser.sets_apart or follows or bool(specialiser.assigned.shared)
        )
        if not made.stored and not (is_apart and made.works_on_objects):
            return made, None
        if inference.heap is None:
            if may_store_unseen(specialiser, made, set()):
                raise NeedsHeap("the gradient of a function that may store into objects", loc)
            return made, None
    except NeedsHeap:
        if inference.heap is None:
            raise
    source = with_heap(source)
    heap = len(source.captured) + next(
        i for i, value in enumerate(source.params) if value.name == HEAP_NAME
    )
    types_.insert(heap, HEAP)
    made = specialiser.specialise(source, types_)
    unless_calling_solvers(specialiser, made)
    return made, heap


def held_inputs(
    specialiser: Specialiser, made: Specialisation, places: Iterable[int]
) -> list[int]:
    """The inputs of a function by which it is differentiated, and whose contents may be those of
    objects that stand for them."""
    if specialiser.fields is None or not specialiser.fields.follows_contents:
        return []
    changes = made.heap in made.updates
    return [
        i for i in places
        if (changes and may_be_memory(made.inputs[i])) or is_deep(made.inputs[i])
    ]


def refuse_contents(
    inference: TypedCalls, operands: Iterable[Operand], loc: Location | None
) -> None:
    """Has memory refused that something stands for: cotangents would be those of that."""
    check = inference.surroundings.unless_holding_contents
    inference.ops += [check_call(check, [operand], loc) for operand in operands]


def _reads_rows_alone(made: Specialisation, active: list[int]) -> bool:
    """Whether all that a function reads of objects is what the rows hold that it is given, and is
    differentiated by: it is given them whole."""
    if not any(is_deep(made.inputs[i]) for i in active):
        return False
    return all(map(holds_no_objects, made.inputs)) and not any(
        one.reads_objects for one in made.with_callees()
    )


def refuse_unsettled(
    specialiser: Specialiser, made: Specialisation, indices: list[int], loc: Location | None
) -> None:
    """Refuses the gradient of a function on objects where not all is known of these."""
    fields = specialiser.fields
    if fields is not None and fields.changes_held and not fields.follows_contents:
        raise HoldsMemory
    if fields is not None and fields.is_open and not fields.sets_apart:
        raise Opened
    if fields is not None and not fields.is_open:
        if fields.state() != specialiser.known_of_objects:
            raise Unsettled
        from zyg.compiler.nested.nested_arguments import is_followed  # few programs need it

        if all(is_followed(made.inputs[i]) for i in indices):
            return
    raise refused(loc)


def refused(loc: Location | None) -> Unsupported:
    return Unsupported(
        "the gradient of a function that may store into objects, inside of differentiated code "
        "that works on objects", loc, advice="let it return what it computes",
    )


def may_store_unseen(
    specialiser: Specialiser, made: Specialisation, seen: set[Specialisation]
) -> bool:
    """Whether a call may put something into objects that the run time doesn't look at.

    What is found at run time is refused there where it works on objects.
    """
    if not made.stored or made in seen:
        return False
    if made.stored - made.flow:
        return True  # where the result doesn't depend on it, the run time isn't asked at all
    seen.add(made)
    for op in walk(made.function.body):
        if not isinstance(op, Call):
            continue
        callee, types_ = type_of(op.callee), tuple(map(type_of, op.args))
        kwtypes = {name: type_of(arg) for name, arg in op.kwargs.items()}
        if not specialiser.works_on_objects(callee, types_, kwtypes):
            continue
        if callee == TOP or isinstance(callee, Union | Method):
            if op.results and all(value.type == TOP for value in op.results):
                continue
            return True
        inner = None
        if isinstance(callee, Known | Closure):
            try:
                inner = specialiser.call(callee, types_, kwtypes)
            except (Unsupported, SourceNotFound):
                return True
        if inner is None:
            if isinstance(callee, Known) and type(callee.value) is partial and all(
                value.type == TOP for value in op.results
            ):
                continue
            return True
        if may_store_unseen(specialiser, inner, seen):
            return True
    return False


def like_at_entry(x: Any) -> Any:
    """What the gradient of a container is like, which is changed in place meanwhile."""
    return prototype(x)


constant(like_at_entry)
facts.fresh(like_at_entry)


@facts.result(like_at_entry)
def _type_of_like(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0]


def _at_entry(inference: TypedCalls, x: Operand, is_changed: bool) -> Operand:
    cls = class_of(type_of(x))
    is_container = cls is None or issubclass(cls, list | tuple | dict | deque)
    return inference.call(like_at_entry, x) if is_changed and is_container else x


def passed(inference: TypedCalls, item: Any, xs: list[Operand]) -> Operand:
    """What a parameter is given: a default, an argument, or the tuple of those a starred takes."""
    if isinstance(item, list):
        return inference.call(primitives.build_tuple, *[xs[i] for i in item])
    return xs[item] if isinstance(item, int) else item


def keywords_of(inference: TypedCalls, items: dict[str, Operand]) -> Operand:
    """The dict that a parameter `**name` is given."""
    pairs = [operand for name, value in items.items() for operand in (Const(name), value)]
    return inference.call(primitives.build_dict, *pairs)


def takes(item: Any, position: int) -> bool:
    return isinstance(item, list) and position in item


def with_contents(inference: TypedCalls, operand: Operand, loc: Location | None) -> Operand:
    """An operand of code that takes no heap, and reads objects as they are at this point."""
    if holds_no_objects(type_of(operand)):
        return operand
    if isinstance(operand, Const):
        is_plain = isinstance(operand.value, types.BuiltinFunctionType | type) or (
            isinstance(operand.value, types.FunctionType) and not operand.value.__closure__
        )
        if not is_plain:
            inference.call(unless_holding_objects, operand, loc=loc)
        return operand
    if not is_object_type(type_of(operand)):
        is_container = isinstance(
            type_of(operand), Sequence | Tuple | Dict | Mapping | Closure
        )
        if is_container and not inference.surroundings.may_change_objects():
            raise Unsupported(
                "objects in a container are given to `gradient` inside of differentiated code that "
                "works on objects", loc, advice="give each as an argument of its own",
            )  # code that takes no heap can do that, where nothing is stored
    found = inference.call(object_read, inference.current_heap(loc), operand, loc=loc)
    if isinstance(found, Value):
        found.type = type_of(operand)
    return found


def read_captured(
    inference: TypedCalls, function: Operand, name: str, type_: Type
) -> Operand:
    """A captured variable of a function, of the type that it is guarded to have."""
    if isinstance(type_, Known):
        return Const(type_.value)
    found = inference.call(primitives.read_captured, function, Const(name))
    if isinstance(found, Value) and found.type == TOP:
        found.type = type_
    return found


def read_own_defaults(
    inference: TypedCalls, function: Operand, target: Target
) -> tuple[list[Operand], dict[str, Operand]]:
    known: Any = target.function
    if known is None:
        return read_defaults(inference, function, target)
    keywords: dict[str, Any] = known.__kwdefaults__ or {}
    by_name: dict[str, Operand] = {name: Const(value) for name, value in keywords.items()}
    return list(map(Const, known.__defaults__ or ())), by_name
