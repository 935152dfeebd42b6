"""Generator functions to IR: one function that makes the object, and one that lets it go on.

    def powers(x):                   generator = new_object(powers_generator)
        y = x                        set_attribute(generator, 'x', x)
        while True:         ==>      set_attribute(generator, '_state', 0)
            yield y                  return generator
            y = y * x

What a generator function captures, and parameters that it never assigns, are stored when the
generator is made. Variables that functions inside of it capture are cells, which it holds too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gast

from ir.core import Const, Function, Operand, Value
from ir.generators import STATE_ATTRIBUTE, generator_class, memory_kept
from ir.heap import CONTENTS, cell_class, new_object, set_attribute
from ir.primitives import UNBOUND
from ir.record import node
from ir.syntax.jumps import CLOSING, FINISHED, SELF, SENT, STATE, THROWN, NotResumable
from ir.syntax.keeping import Keep, Restore
from ir.syntax.node_maker import NodeMaker
from ir.syntax.parse_attempts import AttemptParser
from ir.syntax.scope import (
    FUNCTIONS,
    assigned,
    body_of,
    children,
    free_names,
    local_names,
    parameters,
)

if TYPE_CHECKING:
    from ir.syntax.function_parser import FunctionParser
    from ir.syntax.resuming import Resumable

OWN = (SELF, SENT, THROWN, CLOSING, STATE)


@node
class Frame:
    """What a generator holds: by the variable's name, the attribute.

    `params` are those of the generator function, `constants` what is never assigned again.
    """

    params: list[str]
    constants: list[str]
    cells: list[str]
    variables: set[str]
    # Those that are stored where they are assigned, if they may be memory.
    lasting: frozenset[str] = frozenset()

    def attribute(self, name: str) -> str:
        """The attribute that holds a variable."""
        base = name.replace("@", "_").replace(".", "_")
        known = {*self.constants, *self.cells, *self.variables, STATE_ATTRIBUTE}
        while "@" in name and base in known:
            base += "_"
        return f"{base}_" if name == STATE_ATTRIBUTE else base


class GeneratorParser(AttemptParser):
    """Parses generator functions, and the functions that let generators go on."""

    node: Any
    name: str
    frame: Frame | None
    locals: set[str]
    captured: dict[str, Value]
    cells: set[Operand]
    static: dict[str, gast.AST]

    def advance_parser(self, node: gast.AST, frame: Frame) -> FunctionParser:
        raise AssertionError("given by FunctionParser")

    def make_generator(self, params: list[str]) -> Value:
        """Makes the object that a call of the generator function gives."""
        frame = self._frame(params)
        advance, lowered = self._advance(frame, params)
        base = self.name if self.name.isidentifier() else "generator"
        counts = map(frame.attribute, lowered.counts)
        cls = generator_class(base, advance, self.globals, lowered.cleanup, counts)
        made = self.emit(self.node, new_object, Const(cls), name=base)

        def store(name: str, value: Operand) -> None:
            self.emit(self.node, set_attribute, made, Const(frame.attribute(name)), value)

        for name in frame.cells:
            cell = self.emit(self.node, new_object, Const(cell_class(name)), name=name)
            if name in params:
                self.emit(self.node, set_attribute, cell, Const(CONTENTS), self.env[name])
            store(name, cell)
        for name in dict.fromkeys([*frame.constants, *params]):
            if name not in frame.cells:
                store(name, self.env[name])
        self.emit(self.node, set_attribute, made, Const(STATE_ATTRIBUTE), Const(0))
        return made

    def _frame(self, params: list[str]) -> Frame:
        body = body_of(self.node)
        own = {self.mangled(name) for name in local_names(self.node)}
        stored = {self.mangled(name) for name in assigned(body)} & own
        inner = {self.mangled(name) for name in _captured_inside(body)}
        cells = sorted((stored & inner) - set(self.static))
        constants = [*self.captured, *(name for name in params if name not in stored)]
        return Frame(params, constants, cells, own - {*constants, *cells})

    def _advance(self, frame: Frame, params: list[str]) -> tuple[Function, Resumable]:
        from ir.syntax.resuming import resumable  # a large module, for few programs

        def is_kept(name: str) -> bool:
            return self.mangled(name) in frame.variables or ("@" in name and name not in OWN)

        raw = [name for name in parameters(self.node.args) if self.mangled(name) in params]
        try:
            lowered = resumable(
                self.node, [name for name in raw if is_kept(name)], is_kept,
                lambda name: self.is_global(name) and name not in self.globals,
            )
        except NotResumable as error:
            raise self.unsupported(error.node, error.what, error.advice) from None
        made = NodeMaker(self.node)
        begin = [
            made.assign(STATE, made.node(gast.Attribute(
                value=made.load(SELF), attr=STATE_ATTRIBUTE, ctx=gast.Load()
            ))),
            made.node(Keep([], FINISHED)),
        ]
        arguments = gast.arguments(
            posonlyargs=[
                made.node(gast.Name(name, gast.Param(), None, None))
                for name in (SELF, SENT, THROWN, CLOSING)
            ],
            args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None,
            defaults=[made.constant(None), made.constant(None), made.constant(False)],
        )
        definition = made.node(gast.FunctionDef(
            name=self.name, args=arguments, body=[*begin, *lowered.body], decorator_list=[],
            returns=None, type_comment=None, type_params=[],
        ))
        frame.lasting = frozenset(map(self.mangled, lowered.lasting))
        function = self.advance_parser(definition, frame).function()
        for param in function.params:
            param.name = param.name.partition("@")[0]
        function.name = f"advance_{self.name}" if self.name.isidentifier() else "advance"
        return function, lowered

    # In the function that lets a generator go on

    def enter_frame(self) -> None:
        """Reads what the generator holds from its beginning on."""
        assert self.frame is not None
        for name in [*self.frame.constants, *self.frame.cells]:
            is_cell = name in self.frame.cells or self.captured.get(name) in self.cells
            value = self.held(self.node, name)
            self.env[name] = value
            self.captured[name] = value
            if is_cell:
                self.cells.add(value)

    def held(self, node: gast.AST, name: str) -> Value:
        assert self.frame is not None
        attribute = Const(self.frame.attribute(name))
        return self.emit(node, getattr, self.env[SELF], attribute, name=name.partition("@")[0])

    def keep(self, node: Keep) -> None:
        assert self.frame is not None
        for variable in node.names:
            name = self.mangled(variable.id)
            value = self.env.get(name, Const(UNBOUND))
            self.emit(
                node, set_attribute, self.env[SELF], Const(self.frame.attribute(name)), value
            )
        state = Const(node.state)
        self.emit(node, set_attribute, self.env[SELF], Const(STATE_ATTRIBUTE), state)

    def keep_memory(self, target: gast.AST, name: str, value: Operand) -> None:
        """Stores a variable where it is assigned, if it may be memory that is read later."""
        if self.frame is not None and name in self.frame.lasting:
            attribute = Const(self.frame.attribute(name))
            self.emit(target, memory_kept, self.env[SELF], attribute, value)

    def restore(self, node: Restore) -> None:
        for variable in node.names:
            name = self.mangled(variable.id)
            value = self.held(node, name)
            self.env[name] = value
            if variable.id in node.unsure:
                self.maybe_unbound.add(value)


def _captured_inside(body: list[Any]) -> set[str]:
    """The names that functions inside of statements read or bind from outside of them."""
    found: set[str] = set()
    pending = list(body)
    while pending:
        current = pending.pop()
        if isinstance(current, FUNCTIONS):
            found.update(free_names(current))
            pending += [*current.args.defaults, *filter(None, current.args.kw_defaults)]
        else:
            pending += children(current)
    return found
