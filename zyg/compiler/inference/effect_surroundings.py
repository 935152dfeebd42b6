"""What inference asks about the effects of calls: what they change, return, and may fail after."""

from __future__ import annotations

import types
from typing import Any

from ir.binding import bind
from ir.core import Const, Location, Operand, Value, type_of
from ir.errors import NamesUnknown, SourceNotFound, Unsupported
from ir.heap import CONTENTS, HEAP, HEAP_NAME, with_heap
from ir.inference.typed_calls import TypedCalls
from ir.memory.contents import holds_memory
from ir.memory.place_state import Effect, Returned
from ir.outer_cells import outer_cell, unless_known_to_change
from ir.types import BOTTOM, TOP, Closure, Known, Tuple, Type
from zyg.compiler.inference.object_surroundings import ObjectSurroundings
from zyg.compiler.inference.stepping import gives_iterator
from zyg.compiler.overwriting.mutation import may_change_captured
from zyg.rules.registry import is_constant


class EffectSurroundings(ObjectSurroundings):
    """Answers by the specialisations of what is called."""

    def updates(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> tuple[tuple[int, ...], list[Type]]:
        if _is_found_later(callee, kwargs):
            return (), []
        made = self._specialiser.call(callee, args, kwargs)
        if made is None:
            return (), []
        if made.result == BOTTOM:  # as far as is known by now, it doesn't come to its end
            return made.updates, [made.inputs[i] for i in made.updates]
        final = made.result.items[1:] if isinstance(made.result, Tuple) else ()
        return made.updates, list(final or [TOP] * len(made.updates))

    def returned(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> Returned:
        try:
            made = self._specialiser.call(callee, args, kwargs)
        except (Unsupported, SourceNotFound):
            return None
        return None if made is None else made.returned

    def works_on_objects(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> bool:
        return self._specialiser.works_on_objects(callee, args, kwargs)

    def may_fail_midway(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> bool:
        if not isinstance(callee, Known | Closure):
            return True
        if isinstance(callee, Known) and is_constant(callee.value):
            return True
        try:
            made = self._specialiser.call(callee, args, kwargs)
        except (Unsupported, SourceNotFound):
            return True
        return made is None or made.may_fail_midway

    def catching(self, callee: Type) -> Type | None:
        if isinstance(callee, Known) and is_constant(callee.value):
            return None
        target = self._specialiser.target(callee)
        if target is None or target.source.plain is not None:
            return None
        from ir.catching import catching  # few functions need it

        source = catching(target.source)
        return Closure(
            source, source.globals, target.captures, target.defaults,
            tuple(target.kwdefaults.items()),
        )

    def effects(
        self, callee: Type, args: tuple[Type, ...], kwargs: dict[str, Type]
    ) -> list[Effect]:
        if _is_found_later(callee, kwargs):
            return []
        made = self._specialiser.call(callee, args, kwargs)
        return [] if made is None else made.effects

    def _share_captured(self, callee: Type, variable: str) -> None:
        """Notes that a captured variable is changed in place, of a function that was made before.
        """
        function = callee.value if isinstance(callee, Known) else None
        if isinstance(function, types.FunctionType) and variable in function.__code__.co_freevars:
            cell = (function.__closure__ or ())[function.__code__.co_freevars.index(variable)]
            unless_known_to_change(cell, variable)
            self._specialiser.assigned.change(outer_cell(cell, variable).names, CONTENTS)

    def updated(
        self,
        inference: TypedCalls,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        loc: Location | None,
    ) -> list[tuple[int | str, Operand]]:
        unknown: list[tuple[int | str, Operand]] = [
            (name, operand) for name, operand in kwargs.items() if name == HEAP_NAME
        ]
        found = self._updated(inference, callee, args, kwargs, loc, unknown)
        if unknown and found is unknown:
            if isinstance(callee, Const) and gives_iterator(callee.value):
                self.unless_by_steps()
            self.note_store(None, "", TOP)
        return found

    def _may_begin(
        self, callee: Type, types_: tuple[Type, ...], kwtypes: dict[str, Type]
    ) -> bool:
        """Whether a function takes the arguments of a call; of others, none of its code runs."""
        target = self._specialiser.target(callee)
        kwtypes = {name: type_ for name, type_ in kwtypes.items() if name != HEAP_NAME}
        return target is None or self._specialiser.bound_types(target, types_, kwtypes) is not None

    def _updated(
        self,
        inference: TypedCalls,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        loc: Location | None,
        unknown: list[tuple[int | str, Operand]],
    ) -> list[tuple[int | str, Operand]]:
        """The same; `unknown` for a call of which that can't be told."""
        callee_type = type_of(callee)
        if not isinstance(callee_type, Known | Closure):
            return unknown
        if isinstance(callee_type, Known) and is_constant(callee_type.value):
            return unknown
        if not self._specialiser.target(callee_type):
            return unknown
        types_ = tuple(map(type_of, args))
        kwtypes = {name: type_of(arg) for name, arg in kwargs.items()}
        try:
            made = self._specialiser.call(callee_type, types_, kwtypes)
        except Unsupported as error:
            # It will run as it is, and nobody would see what it changes.
            captured = callee_type.captures if isinstance(callee_type, Closure) else ()
            is_given_memory = isinstance(error, NamesUnknown) and any(
                holds_memory(type_) for type_ in (*types_, *kwtypes.values(), *captured)
                if type_ != HEAP
            )
            if is_given_memory or may_change_captured(callee_type):
                raise
            return unknown
        except SourceNotFound:
            return unknown
        if made is None:
            return unknown if self._may_begin(callee_type, types_, kwtypes) else []
        if not (made.updates or made.spoiled):
            return []
        target = self._specialiser.target(callee_type)
        assert target is not None
        if HEAP_NAME in kwargs:
            target.source = with_heap(target.source)
        count = len(target.captures)
        bound: list[Any] = bind(
            target.source, list(range(len(args))), {name: name for name in kwargs},
            [None] * len(target.defaults), dict.fromkeys(target.kwdefaults),
            lambda items: None, lambda items: None,
        )
        assert inference.places is not None
        found: list[tuple[int | str, Operand]] = []
        for i in made.spoiled:
            position = None if i < count else bound[i - count]
            if position is None:
                raise Unsupported("a call may change in place what it has captured", loc)
            operand = kwargs[position] if isinstance(position, str) else args[position]
            inference.places.spoil(operand, loc)
            if isinstance(operand, Value) and inference.places.held.is_held(operand):
                if self.follows_contents():
                    raise Unsupported(
                        "a call may change in place what an object holds, under a name that isn't "
                        "known, in code that is differentiated more than once", loc,
                        advice="let it return what it computes",
                    )
                found.append((position, operand))  # the run time follows it
        for i in made.updates:
            position = None if i < count else bound[i - count]
            if position is None and i < count:
                self._share_captured(callee_type, target.source.captured[i].name)
            if position is None:
                raise NamesUnknown(
                    "a call changes in place what it was not passed as an argument of its own: a "
                    "captured variable, a default, one of `*args`", loc,
                    advice="pass it as an argument",
                )
            operand = kwargs[position] if isinstance(position, str) else args[position]
            found.append((position, operand))
        return found


def _is_found_later(callee: Type, kwargs: dict[str, Type]) -> bool:
    """Whether a function has no derivative, by declaration, and may change objects all the same."""
    return HEAP_NAME in kwargs and isinstance(callee, Known) and is_constant(callee.value)
