"""Functions that have captured themselves, or one another, as functions of all that they captured.

    captured: power, x                        captured: power, x
    power(n):                                 power(n):
        ... power(n - 1) * x                      power_1 = closure[x]   (a call of the same)
                                                  ... power_1(n - 1) * x

A function that is made at run time holds itself in a cell. Calls of it that it makes must not take
what it has captured for constants: its derivative is the sum over all of them. Lambda lifting (T.
Johnsson, 1985) gives the functions of such a cycle the variables that any of them has captured.
Nested functions whose source is at hand are parsed that way (`ir.syntax.function_parser`).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, TypeAlias

from ir import primitives
from ir.core import Call, Const, Function, Lambda, Op, Operand, Value
from ir.forgettable import forgettable
from ir.inference.special_calls import captured_names, default_names
from ir.rewrite import clone
from ir.types import TOP, Around, Closure, Known, Type, levels_out

Parse: TypeAlias = Callable[[Any, dict[str, Any]], Function]
# How a variable is reached from the first function: the names under which functions are captured,
# and its own; that of a default has its place behind it, or None if it is keyword-only.
Path: TypeAlias = tuple[Any, ...]


@forgettable(maxsize=256)
def lifted(type_: Closure, parse: Parse) -> Function:
    """The function of this type, which has captured itself, in which those of its cycle are made
    again where they call each other. It has captured what the function itself has."""
    return _Lifting(type_, parse).entrance()


class _Member:
    """One function of a cycle."""

    def __init__(self, type_: Closure, path: Path, outer: _Member | None, parse: Parse) -> None:
        self.type, self.path, self.outer = type_, path, outer
        code = type_.code
        self.source = code if isinstance(code, Function) else parse(code, type_.globals)
        self.function = clone(self.source)
        self.function.code = self.function
        self.members: dict[str, _Member] = {}

    def captured(self, name: str, part: Type) -> _Member | None:
        """The member that it has captured under a name; None if that is a variable."""
        if not isinstance(part, Around):
            return self.members.get(name)
        found = self
        for _ in range(part.levels):
            assert found.outer is not None
            found = found.outer
        return found

    def parts(self) -> list[tuple[str, Type]]:
        return list(zip(captured_names(self.type.code), self.type.captures, strict=True))

    def defaults(self) -> list[tuple[Path, Type]]:
        type_ = self.type
        names = default_names(type_.code, len(type_.defaults))
        return [
            *(((*self.path, name, i), part)
              for i, (name, part) in enumerate(zip(names, type_.defaults, strict=True))),
            *(((*self.path, name, None), part) for name, part in type_.kwdefaults),
        ]


class _Lifting:
    """The functions of one cycle, and their variables."""

    def __init__(self, type_: Closure, parse: Parse) -> None:
        self._parse = parse
        self._members: list[_Member] = []
        self._variables: dict[Path, Type] = {}
        # A path that leads to each member from the first one.
        self._reached: dict[_Member, Path] = {}
        self._first = self._member(type_, (), None)
        for member in self._members:
            self._fill(member)

    def _member(self, type_: Closure, path: Path, outer: _Member | None) -> _Member:
        member = _Member(type_, path, outer, self._parse)
        self._members.append(member)
        if path:
            self._reached[member] = path
        for name, part in member.parts():
            if isinstance(part, Closure) and levels_out(part) > 0:
                member.members[name] = self._member(part, (*path, name), member)
            elif isinstance(part, Around):
                found = member.captured(name, part)
                assert found is not None
                self._reached.setdefault(found, (*path, name))
            else:
                self._variables[(*path, name)] = part
        self._variables.update(member.defaults())
        return member

    def _fill(self, member: _Member) -> None:
        """Gives a member all variables, of which it makes the others."""
        function = member.function
        own = dict(zip(captured_names(member.type.code), function.captured, strict=True))
        values: dict[Path, Value] = {}
        for path in self._variables:
            if path[:-1] == member.path and path[-1] in own:
                values[path] = own[path[-1]]
            else:
                values[path] = Value(_unused(path, [*own, *(one.name for one in values.values())]))
        function.captured = list(values.values())
        function.body.ops[:0] = self._made(member, own, dict(values))

    def _made(
        self, member: _Member, own: dict[str, Value], variables: dict[Path, Operand]
    ) -> list[Op]:
        """Makes the members that a member has captured."""
        made: list[Op] = []
        for name, part in member.parts():
            found = member.captured(name, part)
            if found is not None:
                places, keywords = [], {}
                for path, _ in found.defaults():
                    if path[-1] is None:
                        keywords[path[-2]] = variables[path]
                    else:
                        places.append(variables[path])
                captures = list(variables.values())
                loc = member.source.loc
                made.append(Lambda(found.function, captures, places, keywords, own[name], loc))
        return made

    def entrance(self) -> Function:
        """The first function, of what it has captured itself."""
        first = self._first
        function = clone(first.source)
        own = dict(zip(captured_names(first.type.code), function.captured, strict=True))
        given = {
            name: own[name] if first.captured(name, part) is None else Value(name)
            for name, part in first.parts()
        }
        reads: list[Op] = []
        variables = {
            path: self._read(path, part, given, reads) for path, part in self._variables.items()
        }
        function.captured = list(given.values())
        function.body.ops[:0] = [*reads, *self._made(first, own, variables)]
        return function

    def _read(
        self, path: Path, type_: Type, given: dict[str, Value], reads: list[Op]
    ) -> Operand:
        """A variable, read from what the first function has captured."""
        if isinstance(type_, Known):
            return Const(type_.value)

        def read(callee: Any, owner: Value, names: Path, type_: Type) -> Value:
            result = Value(names[0], type_)
            args: list[Operand] = [owner, *map(Const, names)]
            reads.append(Call(Const(callee), args, {}, [result], self._first.source.loc))
            return result

        def function_at(path: Path) -> Value:
            found = given[path[0]]
            for name in path[1:]:
                found = read(primitives.read_captured, found, (name,), TOP)
            return found

        if len(path) == 1:
            return given[path[0]]
        if isinstance(path[-1], str):
            return read(primitives.read_captured, function_at(path[:-1]), path[-1:], type_)
        member = next(one for one in self._members if one.path == path[:-2])
        name = path[-2:] if path[-1] is not None else path[-2:-1]
        return read(primitives.read_default, function_at(self._reached[member]), name, type_)


def _unused(path: Path, taken: list[str]) -> str:
    """A name for a variable; what a function has captured is told apart by its names."""
    name = path[-1] if isinstance(path[-1], str) else path[-2]
    return next(new for i in count(1) if (new := f"{name}_{i}") not in taken)
