"""Typed calls whose failure is a value, where what they changed before it is not lost.

    error, value = attempt(check, account)     a call in the body of a `try` (`ir.catching`)
"""

from __future__ import annotations

from ir import primitives, try_primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.errors import Unsupported
from ir.inference.typed_builder import Attempting, TypedBuilder


class TypedAttempts(TypedBuilder):
    """Appends calls that may fail when they have changed something."""

    def typed_call(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
        loc: Location | None,
    ) -> list[Operand]:
        raise AssertionError("given by TypedCalls")

    def unknown_call(
        self, callee: Operand, args: list[Operand], names: list[str], loc: Location | None,
        kwargs: dict[str, Operand] | None = None,
    ) -> list[Operand]:
        raise AssertionError("given by TypedCalls")

    def _append(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
        loc: Location | None,
    ) -> list[Operand]:
        raise AssertionError("given by TypedCalls")

    def _attempted(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand], name: str,
        loc: Location | None,
    ) -> list[Operand]:
        """Appends a call; gives its error, or None, and its value."""
        outer, self.attempting = self.attempting, Attempting()
        try:
            (value,) = self.typed_call(callee, args, kwargs, [name], loc)
            return [self.attempting.error or Const(None), value]
        finally:
            self.attempting = outer

    def _caught(
        self, callee: Operand, args: list[Operand], kwargs: dict[str, Operand], names: list[str],
        loc: Location | None, is_of_held: bool,
    ) -> list[Operand] | None:
        """The value of a call that changes something, if it may fail then: its error is kept."""
        types_ = tuple(map(type_of, args))
        kwtypes = {name: type_of(arg) for name, arg in kwargs.items()}
        if not self.surroundings.may_fail_midway(type_of(callee), types_, kwtypes):
            return None
        if is_of_held or self.surroundings.catching(type_of(callee)) is None:
            return self.unknown_call(callee, args, names, loc, kwargs)
        function, attempting = self._catching(callee, loc)
        error, value = self._append(function, args, kwargs, ["error", names[0]], loc)
        self.attempting = attempting
        attempting.error = error
        if len(names) == 1:
            return [value]
        count = Const(len(names))
        return self.typed_call(Const(primitives.unpack), [value, count], {}, names, loc)

    def _is_catching(self, callee: Operand) -> bool:
        made = self.definitions.get(callee) if isinstance(callee, Value) else None
        return isinstance(made, Call) and isinstance(made.callee, Const) and (
            made.callee.value in (try_primitives.catching, try_primitives.catching_found)
        )

    def _catching(
        self, callee: Operand, loc: Location | None, is_known: bool = True
    ) -> tuple[Value, Attempting]:
        """The catching variant of what is called, and the attempt that its error is for."""
        attempting, self.attempting = self.attempting, None
        assert attempting is not None
        if attempting.error is not None:
            raise Unsupported(
                "one operation calls several functions that change something and may fail, where "
                "a handler goes on", loc, advice="call them in statements of their own",
            )
        made = try_primitives.catching if is_known else try_primitives.catching_found
        (function,) = self.typed_call(Const(made), [callee], {}, ["caught"], loc)
        assert isinstance(function, Value)
        return function, attempting
