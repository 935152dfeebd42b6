"""Functions that decide, as the `key` of `sorted`, are called and not differentiated.

    sorted(orders, key=cost)        `cost` is called; the items are what they were
    max(orders)                     so is their `__gt__`

What such a function changes in objects would have no part in the adjoint: it is refused.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import types
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ir import facts, primitives
from ir.core import Call, Const, Value, type_of
from ir.errors import NeedsHeap, SourceNotFound, Unsupported
from ir.heap import HEAP, HEAP_NAME, STORES, new_object
from ir.rewrite import walk
from ir.types import TOP, Closure, Instance, Known, Method, Tuple, Type, Union, class_of
from zyg.compiler.inference.constructors import with_source
from zyg.compiler.inference.objects import OPERATORS, is_place, lookup, overloads
from zyg.compiler.overwriting.mutation import is_mutating
from zyg.compiler.specialisation import Specialisation

if TYPE_CHECKING:
    from zyg.compiler.inference.fields import Fields

Types: TypeAlias = tuple[Type, ...]
Named: TypeAlias = dict[str, Type]


class DecidingFunctions:
    """Refuses functions that decide, where they may change objects."""

    # Given by the specialiser.
    _known: dict[object, Specialisation]
    _called: dict[object, Any]
    _needing: dict[object, NeedsHeap]
    _stack: list[Specialisation]
    fields: Fields | None

    def call(self, callee: Type, args: Types, kwargs: Named) -> Specialisation | None:
        raise AssertionError("given by Specialiser")

    def refuse_hidden_stores(self, caller: Any, args: Types, kwargs: Named) -> None:
        """Refuses a call of a function that may change objects where that decides: first with the
        heap, and in the end with classes asked for, it may be known what it calls.
        """
        if id(caller) not in _CALLING or not self._may_decide_by_change(caller, args, kwargs):
            return
        what = f"the function that {caller.__name__} is given may change objects"
        if self._needs_no_heap():
            raise NeedsHeap(what, None)
        if self.fields is not None and not self.fields.sets_apart:
            from zyg.compiler.nested.inner_gradients import Opened  # few programs come here

            raise Opened
        raise Unsupported(what, advice="call it in a list comprehension before")

    def _may_decide_by_change(self, caller: Any, args: Types, kwargs: Named) -> bool:
        if caller is np.piecewise:
            functions = _functions_in(*args, *kwargs.values())
            given = (TOP, *args[3:])  # of `x`, the conditions and the functions
            return any(self._may_change(function, given) for function in functions)
        items = [item for item in map(facts.item_of, args) if item != TOP]
        deciding = self._deciding(caller, args, kwargs)
        compared: tuple[Type, ...] = (Instance(deciding.value),) if _is_class(deciding) else ()
        if deciding in (None, Known(None)) and id(caller) in _COMPARING:
            compared = (*items, *args)
        name = "__gt__" if caller is max else "__lt__"
        if any(self._may_comparison_change(type_, name) for type_ in compared):
            return True
        given = (*items, TOP)[:1]
        return deciding == TOP or any(
            self._may_change(function, given) for function in (*args, *kwargs.values())
        )

    def _deciding(self, caller: Any, args: Types, kwargs: Named) -> Any:
        """The type of the function that decides; it isn't asked for where `min` and `max` with a
        key are written."""
        if not self._stack or self._stack[-1].source.globals.get("__name__") == _OF_EXTREMES:
            return None
        if id(caller) in _COMPARING:
            return kwargs.get("key")
        place = 1 if caller is itertools.groupby else 0
        return args[place] if place < len(args) else kwargs.get("key")

    def _may_comparison_change(self, type_: Type, name: str) -> bool:
        if isinstance(type_, Union):
            return any(self._may_comparison_change(one, name) for one in type_.members)
        cls = class_of(type_)
        if cls is None or not is_place(cls) or not overloads(cls, name):
            return False
        return self._may_change(Known(lookup(cls, name)), (type_, type_))

    def _may_change(self, function: Type, given: Types) -> bool:
        """Whether a call may change what objects hold, if this is a function at all."""
        if isinstance(function, Known) and _is_class(function):
            cls: type = function.value
            init = lookup(cls, "__init__")
            if not isinstance(init, types.FunctionType):
                return False
            made = Instance(cls)
            return self._may_store(Known(with_source(init, cls)), (made, *given), {}, is_new=True)
        return self._may_store(*_plain_call(function, given, {}))

    def _may_store(
        self, function: Type, given: Types, named: Named, is_new: bool = False
    ) -> bool:
        """Whether the code of a function may change objects that were there before, other than by
        operators of unknown operands. Its first argument was not if it is new."""
        if isinstance(function, Known) and not isinstance(function.value, types.FunctionType):
            return is_mutating(function.value)
        if not isinstance(function, Known | Closure):
            return class_of(function) in _OF_PROGRAMS
        with self._tentatively() if self._needs_no_heap() else nullcontext():
            try:
                made = self.call(function, given, {**named, HEAP_NAME: HEAP})
            except (Unsupported, SourceNotFound):
                return True
            if made is None:
                return True
            calls = [op for op in walk(made.function.body) if isinstance(op, Call)]
            new = {made.function.params[0]} if is_new else set()
            for call in calls:
                if isinstance(call.callee, Const) and call.callee.value is new_object:
                    new.update(call.results)
            return any(self._is_store(call, new) for call in calls)

    def _is_store(self, call: Call, new: set[Value]) -> bool:
        if not isinstance(call.callee, Const):
            return type_of(call.callee) == TOP
        if call.callee.value in STORES:
            return call.args[1] not in new
        if call.callee.value is not primitives.updating:
            return False
        callee, _, *args = call.args
        if isinstance(callee, Const) and id(callee.value) in OPERATORS:
            return False
        if not args or args[0] not in new:
            return True
        named = {name: type_of(arg) for name, arg in call.kwargs.items()}
        return self._may_store(type_of(callee), tuple(map(type_of, args)), named, is_new=True)

    def _needs_no_heap(self) -> bool:
        """Whether code without the heap is made, which knows nothing of objects."""
        return not self._stack or self._stack[-1].heap is None

    @contextmanager
    def _tentatively(self) -> Iterator[None]:
        """Forgets what is made meanwhile, and what that notes of objects."""
        tables: list[dict[Any, Any]] = [self._known, self._called, self._needing]
        tables += [self._stack[-1].callees] if self._stack else []
        before = [table.copy() for table in tables]
        noted = {} if self.fields is None else self.fields.copied()
        noted.pop("asked", None)  # that belongs to the code which asks
        try:
            yield
        finally:
            for table, content in zip(tables, before, strict=True):
                table.clear()
                table.update(content)
            if self.fields is not None:
                vars(self.fields).update(noted)


def _is_class(type_: Any) -> bool:
    return isinstance(type_, Known) and isinstance(type_.value, type) and is_place(type_.value)


def _functions_in(*types_: Type) -> tuple[Type, ...]:
    """What may be a function among values and the items of their containers."""
    found: list[Type] = []
    for type_ in types_:
        match type_:
            case Union(members):
                found += _functions_in(*members)
            case Tuple(items):
                found += _functions_in(*items)
            case Closure() | Method() | Known():
                found.append(type_)
            case Instance(cls) if isinstance(lookup(cls, "__call__"), types.FunctionType):
                found.append(type_)
            case _ if facts.item_of(type_) != TOP:
                found += _functions_in(facts.item_of(type_))
    return tuple(found)


def _plain_call(function: Type, given: Types, named: Named) -> tuple[Type, Types, Named]:
    """The function that a call of something callable comes to, and what that is given."""
    match function:
        case Method(method, owner):
            return _plain_call(method, (owner, *given), named)
        case Known(types.MethodType() as bound):
            owner = facts.abstract(bound.__self__)
            return _plain_call(Known(bound.__func__), (owner, *given), named)
        case Known(functools.partial() as partial):
            held = map(facts.abstract, partial.args)
            keywords = {name: facts.abstract(value) for name, value in partial.keywords.items()}
            return _plain_call(Known(partial.func), (*held, *given), {**keywords, **named})
        case Known(CACHED() as cached):
            return _plain_call(Known(cached.__wrapped__), given, named)
        case Known(types.BuiltinMethodType() as bound) if isinstance(bound.__self__, list | dict):
            method = getattr(type(bound.__self__), bound.__name__)
            return Known(method), (facts.abstract(bound.__self__), *given), named
    cls = None if isinstance(function, Closure) else class_of(function)
    called = None if cls is None else lookup(cls, "__call__")
    if isinstance(called, types.FunctionType):
        return Known(called), (function, *given), named
    return function, given, named


CACHED = type(functools.lru_cache(lambda: None))
# Objects that may call code of the program, if it isn't known which.
_OF_PROGRAMS = (types.FunctionType, types.MethodType, functools.partial, CACHED, np.vectorize)
_OF_EXTREMES = "zyg.rules.functional"
_SEARCHING = {id(bisect.bisect_left), id(bisect.bisect_right)}
_COMPARING = {id(sorted), id(min), id(max), id(list.sort), *_SEARCHING}
# These call a function that decides, and pass on what they were given.
_CALLING = {
    *_COMPARING,
    *map(id, (
        filter, itertools.filterfalse, itertools.takewhile, itertools.dropwhile, itertools.groupby,
        np.piecewise,
    )),
}  # fmt: skip
