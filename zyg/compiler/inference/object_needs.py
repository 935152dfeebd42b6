"""Whether a function reads or changes what objects hold, and from where its values come."""

from __future__ import annotations

import functools
import sys
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from ir import facts, primitives
from ir.core import Call, Const, Function, Operand, type_of
from ir.errors import NeedsHeap, SourceNotFound, Unsupported
from ir.heap import HEAP_NAME, attribute_read, class_read, class_stored, makers
from ir.inference.surroundings import STORED
from ir.memory.contents import holds_memory
from ir.parse import parse_code
from ir.rewrite import walk
from ir.types import BOTTOM, TOP, Closure, Known, Scalar, Tuple, Type, Union, class_of
from zyg.compiler.activity import Flow
from zyg.compiler.assigned import Assigned
from zyg.compiler.guards import AnyGuard
from zyg.compiler.inference.constructors import reads_by_rule_of_user
from zyg.compiler.inference.conversions import takes_apart
from zyg.compiler.inference.deciding_functions import CACHED, DecidingFunctions
from zyg.compiler.inference.declared_constant import leaves_memory_alone
from zyg.compiler.inference.members import member
from zyg.compiler.inference.objects import (
    ERRORS,
    holds_no_objects,
    is_error,
    is_place,
    may_overload,
)
from zyg.compiler.inference.stepping import PROGRAMS, step_of
from zyg.compiler.origins import is_run_time, works_on_values
from zyg.compiler.recursions import Recursions
from zyg.compiler.specialisation import Specialisation, Target, is_exact
from zyg.facts.draw_facts import is_generator
from zyg.rules.registry import (
    is_constant,
    rule_of,
    substitute_of,
    takes_pullback,
    without_choosing,
)
from zyg.signature import BACK, is_by_rules

if TYPE_CHECKING:
    from zyg.compiler.inference.fields import Fields

# Operations that hand on what they are given: calls of them pass derivatives through.
PASSING = {
    id(function)
    for function in (
        primitives.build_tuple, primitives.build_list, primitives.build_dict, primitives.unpack,
        primitives.unpack_starred, *primitives.PASSING_ON, primitives.apply, getattr,
    )
}

_IMMUTABLE = (int, float, complex, str, bytes, type(None), np.number, np.bool_)
# Objects that call functions of Python's.
_OF_PYTHON = (functools.partial, types.MethodType, CACHED)


# What tells the functions of the standard library nothing of a program.
_PLAIN = {*primitives.VALUES, bytes}


def _leaves_objects_alone(function: types.FunctionType, given: tuple[Type, ...]) -> bool:
    """Whether a function that is constant has no part in what a program's objects hold."""
    module = str(function.__module__)
    if module.startswith(("zyg.", "ir.")) or facts.is_pure(function):
        return True
    match module.partition(".")[0]:
        case "logging":
            return True
        case "numpy":  # `np.errstate(...)` holds no object of a program
            is_context = function.__name__ in ("__enter__", "__exit__")
            return is_context or all(map(holds_no_objects, given))
        case package:
            return package in sys.stdlib_module_names and _PLAIN.issuperset(map(class_of, given))


def _is_checkpointed(function: object) -> bool:
    """Whether this is `zyg.checkpointed`, which few programs import."""
    module = sys.modules.get("zyg.checkpointing")
    return module is not None and function is module.checkpointed


def _calls_python(function: object) -> bool:
    """Whether an object calls functions of Python's; `np.random.normal`, a method, doesn't."""
    if isinstance(function, types.MethodType) and is_generator(type(function.__self__)):
        return isinstance(function.__func__, types.FunctionType)
    return isinstance(function, _OF_PYTHON)


class ObjectNeeds(DecidingFunctions):
    """Knows which functions work on the contents of objects."""

    def __init__(self) -> None:
        self._known: dict[object, Specialisation] = {}
        # Counts compilations: no guard ceases to hold while one goes on.
        self._compilation = 0
        # Specialisations by the calls that were found to go to them, with the guards of these.
        self._called: dict[object, tuple[Specialisation, dict[object, AnyGuard]]] = {}
        self._stack: list[Specialisation] = []
        self._recursions = Recursions(self._stack)
        # What was found to need the heap in this compilation.
        self._needing: dict[object, NeedsHeap] = {}
        self._raised: dict[Specialisation, Flow] = {}
        # Operands that get into globals, in the function that is being made.
        self._lost: list[Operand] = []
        # Functions that were found to work on objects when their adjoints were made.
        self.needs_heap: set[Function] = set()
        # Whether numbers that exceptions hold have no derivatives, and raise.
        self.refuses_errors = False
        # What objects hold, in code that works on objects and is all known.
        self.fields: Fields | None = None
        # What was known of objects where this began.
        self.known_of_objects: object = None
        # Set by the compiler, which stands above: derivatives inside differentiated code.
        self.derived: Any = None
        self.expand: Any = None
        # Whether plain code is in the place of solvers, and memory that is changed in cells (None:
        # where it has to be); how many functions are looked at that inner gradients are of.
        self.follows_solvers = False
        self.in_cells: bool | None = None
        self.inner_gradients = 0
        # What the program assigns that code looks up; shared with the other specialisers.
        self.assigned = Assigned()

    def target(self, callee: Type) -> Target | None:
        raise AssertionError("given by Specialiser")

    def call(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> Specialisation | None:
        raise AssertionError("given by Specialiser")

    def _is_overloaded(self, callee: object, call: Call) -> bool:
        raise AssertionError("given by Specialiser")

    def _flowing(
        self, call: Call, callee: Type, flow: Flow
    ) -> list[Operand]:
        raise AssertionError("given by Specialiser")

    @property
    def sets_apart(self) -> bool:
        """Whether what the run time finds is taken to leave objects alone, by code that looks."""
        if self.fields is None or not self.fields.sets_apart or not self._stack:
            return False
        return self._stack[-1].heap is not None

    def overloading(self) -> dict[str, Any]:
        """The globals whose classes may be those of operands of which nothing is known."""
        return {} if self.sets_apart else self._stack[-1].home

    def works_on_objects(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> bool:
        """Whether a call may read or change what objects hold."""
        if self._stack and works_on_values(self._stack[-1].source.globals):
            return False
        if isinstance(callee, Union):
            members = callee.members - {Known(None)}
            return any(self.works_on_objects(one, args, kwargs) for one in members)
        if isinstance(callee, Known) and not self._has_needed_heap(callee):
            function = callee.value
            if function is primitives.apply:
                return not self.sets_apart and self._applies_to_objects(args[0])
            if args and _is_checkpointed(function):
                return self.works_on_objects(args[0], args[1:], kwargs)
            rule = rule_of(function)
            if (
                is_constant(function) and isinstance(function, types.FunctionType)
                and not _leaves_objects_alone(function, (*args, *kwargs.values()))
                and not leaves_memory_alone(self, function, args, kwargs)
            ):
                if self.fields is not None:
                    self.fields.is_open = True  # it may do anything with objects
                if any(type_ == TOP or _is_of_place(type_) for type_ in (*args, *kwargs.values())):
                    return True
            self.refuse_hidden_stores(function, args, kwargs)
            if is_constant(function) or rule is not None:
                if rule is not None and takes_pullback(rule):
                    if function is map and len(args) > 1:
                        items = tuple(map(facts.item_of, args[1:]))
                        return self.works_on_objects(args[0], items, {})
                    return True
                if function is functools.update_wrapper and class_of(
                    next(iter((*args, *kwargs.values())), TOP)
                ) is None:
                    return True  # it stores into what may be an object
                if self.fields is not None and reads_by_rule_of_user(
                    function, (*args, *kwargs.values()),
                    asks_later=self.sets_apart or self.inner_gradients > 0,
                ):
                    return True
                return self._may_be_method(function, args) or takes_apart(function, args)
            if isinstance(function, types.FunctionType):
                if _works_on_what_it_gets(function):
                    return False
                if is_by_rules(function) and substitute_of(function) is None:
                    return any(_is_code(type_) for type_ in (*args, *kwargs.values()))
            elif substitute_of(function) is None and not (
                getattr(function, "is_of_program", False)
            ):
                if isinstance(function, type):
                    return self.follows_errors() if is_error(function) else is_place(function)
                if type(function) is CACHED and self.remembers_numbers(function, args, kwargs):
                    return False
                return is_place(type(function)) or _calls_python(function)
        elif not isinstance(callee, Known | Closure):
            return callee != BACK and not self.sets_apart
        try:
            target = self.target(callee)
            if target is None or target.source in self.needs_heap:
                return True
            made = self.call(callee, args, kwargs)
        except NeedsHeap:
            return True
        except (Unsupported, SourceNotFound):
            if self._stack:
                self._stack[-1].calls_unseen = True
            # What it reads of objects may vary, and the objects themselves don't; what reads an
            # iterator changes it.
            given = (*args, *kwargs.values())
            classes = [class_of(type_) for type_ in given]
            return self.fields is not None or any(map(_is_of_place, given)) or any(
                cls is not None and step_of(cls) is not None for cls in classes
            )
        if made is None:  # a call that fails, for one: what it is given may be changed before
            if self._stack:
                self._stack[-1].calls_unseen = True
            return any(map(_is_of_place, args))
        if made.takes_apart and self._stack:
            self._stack[-1].takes_apart = True
            return made.works_on_objects or self._stack[-1].heap is not None
        return made.works_on_objects

    def follows_errors(self) -> bool:
        """Whether exceptions are objects: a number that one holds is used by what catches it."""
        return ERRORS in self.needs_heap

    def remembers_numbers(
        self, cached: Any, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> Specialisation | None:
        """What a call of a function that remembers its values computes, where that has no part in
        what objects and globals hold, and gives what nobody can change; else None."""
        given = {name: type_ for name, type_ in kwargs.items() if name != HEAP_NAME}
        try:
            made = self.call(Known(cached.__wrapped__), args, given)
        except (NeedsHeap, Unsupported, SourceNotFound):
            return None
        if made is None or made.works_on_objects or made.updates or made.spoiled or made.lost:
            return None
        if any(one.changed_names or one.aside for one in made.with_callees()):
            return None
        return made if _is_immutable(made.value_type) else None

    def _applies_to_objects(self, callee: Type) -> bool:
        """The same for `callee(*args, **kwargs)`, where the arguments aren't known."""
        if not isinstance(callee, Known):
            return True
        if is_constant(callee.value):
            return False
        function = callee.value
        if isinstance(function, types.FunctionType) and rule_of(function) is None:
            return not _works_on_what_it_gets(function)
        return self.works_on_objects(callee, (), {})

    def _has_needed_heap(self, callee: Known) -> bool:
        """Whether a function that stands for a callee worked on objects when its adjoint was
        made."""
        plain = substitute_of(callee.value)
        if not isinstance(plain, types.FunctionType):
            return False
        return parse_code(plain.__code__, plain.__globals__) in self.needs_heap

    def stored(self, call: Call) -> list[Operand]:
        """The operands that a call may put into objects, where the caller has no heap."""
        types_ = tuple(map(type_of, call.args))
        kwtypes = {name: type_of(arg) for name, arg in call.kwargs.items()}
        callee = type_of(call.callee)
        if _holds_captured(callee) and any(map(_may_hold_memory, types_)):
            raise NeedsHeap("what a class has captured may be changed by its methods", call.loc)
        try:
            if not self.works_on_objects(callee, types_, kwtypes):
                return []
        except NeedsHeap:
            raise
        except Unsupported as error:
            where = error.location or call.loc
            raise type(error)(error.what, where, error.why, error.advice) from None
        if isinstance(callee, Known) and callee.value is getattr:
            return []
        try:
            made = self.call(callee, types_, kwtypes)
        except (Unsupported, SourceNotFound):
            made = None
        if made is None:
            return [call.callee, *call.args, *call.kwargs.values()]
        return self._flowing(call, callee, made.stored)

    def _may_be_method(self, function: object, args: tuple[Type, ...]) -> bool:
        if not self._stack:
            return False
        if self._stack[-1].source.is_generated:
            # There, what may be an object is called by the run time; what is left are numbers.
            args = tuple(BOTTOM if arg == TOP else arg for arg in args)
        return may_overload(function, list(args), self.overloading())

    def sources(self, call: Call) -> list[Operand]:
        """The operands whose derivatives a call's results depend on."""
        if isinstance(call.callee, Const) and call.callee.value is primitives.updating:
            call = Call(call.args[0], call.args[2:], call.kwargs, call.results, call.loc)
        elif all(isinstance(value.type, Scalar | Known) for value in call.results):
            return self._sources_of_value(call)  # numbers depend on what is read alone
        # What a call leaves in objects hangs together with what they held before.
        heap = [operand for name, operand in call.kwargs.items() if name == HEAP_NAME]
        return [*self._sources_of_value(call), *heap]

    def _sources_of_value(self, call: Call) -> list[Operand]:
        if isinstance(call.callee, Const):
            callee = call.callee.value
            if is_global_store(call) and not is_exact(type_of(call.args[-1])):
                self._lost.append(call.args[-1])
            if is_constant(callee):
                return list(call.args) if self._is_overloaded(callee, call) else []
            if callee is class_read or (
                callee is attribute_read and not self._may_field_vary(call)
            ):
                return []
            if id(callee) in PASSING or rule_of(callee) is not None:
                return [*call.args, *without_choosing(callee, call.kwargs)]
        types_ = tuple(map(type_of, call.args))
        kwtypes = {name: type_of(arg) for name, arg in call.kwargs.items()}
        callee_type = type_of(call.callee)
        if isinstance(callee_type, Known | Closure):
            try:
                specialisation = self.call(callee_type, types_, kwtypes)
            except (Unsupported, SourceNotFound):
                specialisation = None
            if specialisation is not None:
                if specialisation.lost:
                    self._lost += self._flowing(call, callee_type, specialisation.lost)
                return self._flowing(call, callee_type, specialisation.flow)
        return [call.callee, *call.args, *call.kwargs.values()]

    def _may_field_vary(self, read: Call) -> bool:
        _, obj, name, *default = read.args
        if default or self.fields is None or not isinstance(name, Const):
            return True
        cls = class_of(type_of(obj))
        if cls is not None and is_error(cls) and not self.follows_errors():
            return True
        if member(type_of(obj), name.value).kind not in STORED:
            return True
        return bool(self.fields.ask("may_vary", class_of(type_of(obj)), name.value))


def _holds_captured(callee: Type) -> bool:
    """Whether calls make objects of a class in a function, which hold what the class captured."""
    return (
        isinstance(callee, Known) and isinstance(callee.value, types.FunctionType)
        and callee.value in makers
    )


def _is_immutable(type_: Type) -> bool:
    """Whether a value is a number, a text or None, or consists of such: nobody can change it."""
    match type_:
        case Union(members):
            return all(map(_is_immutable, members))
        case Tuple(items):
            return all(map(_is_immutable, items))
        case _:
            cls = class_of(type_)
            return type_ == BOTTOM or (cls is not None and issubclass(cls, _IMMUTABLE))


def _may_hold_memory(type_: Type) -> bool:
    if isinstance(type_, Closure):
        return any(map(_may_hold_memory, type_.captures))
    return holds_memory(type_)


def _works_on_what_it_gets(function: types.FunctionType) -> bool:
    """Whether a function is a part of rules or of generated code, which read no objects."""
    if substitute_of(function) is not None:
        return False
    is_ours = str(function.__module__).startswith(("ir.", "zyg."))
    return is_run_time(function) or (is_ours and function.__module__ not in PROGRAMS)


def _is_of_place(type_: Type) -> bool:
    cls = class_of(type_)
    return cls is not None and is_place(cls)


def _is_code(type_: Type) -> bool:
    """Whether a value may be a function of the user's, or hold one."""
    if isinstance(type_, Tuple):
        return any(map(_is_code, type_.items))
    return isinstance(type_, Closure) or (isinstance(type_, Known) and callable(type_.value))


def is_global_store(op: Call) -> bool:
    """Whether an operation stores into a global, or into an attribute of a class."""
    return isinstance(op.callee, Const) and (
        op.callee.value in (primitives.store_global, class_stored)
    )


def note_lost(assigned: Assigned, made: Specialisation) -> None:
    """Notes the names by which a program may lose derivatives."""
    for one in made.with_callees():
        for op in walk(one.function.body):
            if isinstance(op, Call) and is_global_store(op) and not is_exact(type_of(op.args[-1])):
                *_, owner, name, _ = op.args
                assert isinstance(owner, Const) and isinstance(name, Const)
                is_module = isinstance(owner.value, primitives.Namespace)
                assigned.change(owner.value.contents if is_module else owner.value, name.value)
