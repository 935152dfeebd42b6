"""Functions to IR: parameters, captured variables, nested functions and imports."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import gast

from ir import primitives
from ir.core import Block, Const, Function, Lambda, Operand, Parameters, Value, Yield
from ir.heap import CONTENTS, set_attribute
from ir.late import late
from ir.primitives import UNBOUND
from ir.simplify import eliminate_dead
from ir.syntax.endings import Returning
from ir.syntax.generator_expressions import GeneratorLambda
from ir.syntax.jumps import YIELDS, is_generator
from ir.syntax.scope import (
    FUNCTIONS,
    assigned,
    body_of,
    children,
    free_names,
    kinds_in,
    parameters,
    statements_in,
    stores_of,
)
from ir.syntax.statements import StatementParser

if TYPE_CHECKING:
    from ir import imports
    from ir.syntax.parse_generators import Frame
else:  # it is for imports inside of functions
    imports = late("ir.imports")


class FunctionParser(StatementParser):
    """Parses one function; a nested function gets a parser of its own, which knows this one."""

    def advance_parser(self, node: gast.AST, frame: Frame) -> FunctionParser:
        parser = FunctionParser(
            node, self.file, self.name, self.class_name, self.globals, list(self.captured), self
        )
        parser.frame, parser.static, parser.functions = frame, self.static, self.functions
        return parser

    def function(self) -> Function:
        arguments = self.node.args
        names = [self.mangled(name) for name in parameters(arguments)]
        params = [Value(name.partition("@")[0]) for name in names]
        self.env.update(zip(names, params, strict=True))
        captured = list(self.captured.values())
        docstring = None
        if self.frame is not None:
            self.enter_frame()
            captured = []
        kinds = kinds_in(body_of(self.node))
        may_have_cells = self.in_cells or any(issubclass(kind, FUNCTIONS) for kind in kinds)
        if not kinds.isdisjoint(YIELDS) and is_generator(self.node):
            body = self.builder.block([], [self.make_generator(names)])
            self.builder.ops = body.ops
        elif isinstance(self.node, gast.Lambda):
            if may_have_cells:
                self.make_cells()
            value = self.expression(self.node.body)
            body = self.builder.block([], [value])
        else:
            if may_have_cells:
                self.make_cells()
            statements = list(self.node.body)
            docstring, statements = _split_docstring(statements)
            self.finish(self.lowered(statements), Returning())
            body = Block([], self.builder.ops, self.exit)
            # A variable that no later iteration reads isn't carried: to what is changed in place
            # it would be one more name.
            eliminate_dead(body, lambda call: False)
        return Function(
            name=self.name,
            params=params,
            captured=captured,
            body=body,
            loc=self.location(self.node),
            signature=Parameters(
                len(arguments.posonlyargs), len(arguments.args), arguments.vararg is not None,
                len(arguments.kwonlyargs), arguments.kwarg is not None,
            ),
            defaults=len(arguments.defaults),
            kwdefaults=tuple(
                self.mangled(node.id)
                for node, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
                if default is not None
            ),
            globals=self.globals,
            docstring=docstring,
        )

    # Functions, imports

    def define(self, node: gast.FunctionDef) -> None:
        decorators = [self.expression(decorator) for decorator in node.decorator_list]
        value: Operand = self.make_function(node)
        for decorator in reversed(decorators):
            value = self.emit_call(node, decorator, [value], {})
        if isinstance(value, Value):
            value.name = node.name
        name = self.mangled(node.name)
        if self.is_cell(name):
            self.emit(node, set_attribute, self.env[name], Const(CONTENTS), value)
        else:
            self.env[name] = value

    def make_function(self, node: gast.AST) -> Value:
        defaults = [self.expression(default) for default in node.args.defaults]
        kwdefaults = {
            arg.id: self.expression(default)
            for arg, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if default is not None
        }
        function = self.nested(node)
        captures = [self.capture(node, value.name) for value in function.captured]
        result = Value(_name_of(node) if isinstance(node, gast.FunctionDef) else "t")
        self.builder.append(
            Lambda(function, captures, defaults, kwdefaults, result, self.location(node))
        )
        return result

    def capture(self, node: gast.AST, name: str) -> Operand:
        """The value of a variable at the point where a nested function captures it."""
        operand = self.env.get(name, Const(UNBOUND))
        if operand in self.cells:
            return operand
        if self.is_rebound_after(node, name) or self.is_unbound(operand):
            raise self.unsupported(
                node, f"the captured variable `{name}` is assigned after the function that "
                "captures it is made",
                "assign it before, or pass it as an argument",
            )
        return operand

    @cached_property
    def stores(self) -> dict[str, list[gast.AST]]:
        """The nodes that bind names in this function."""
        return stores_of(body_of(self.node))

    def is_rebound_after(self, node: gast.AST, name: str) -> bool:
        """Whether an assignment may run once the nested function exists."""
        if any(name in names for names in self.loop_names):
            return True
        position = (node.lineno, node.col_offset)
        return any(
            (store.lineno, store.col_offset) > position
            for store in self.stores.get(name, ())
        )

    def nested(self, node: gast.AST) -> Function:
        """The IR of a nested function; parsed once, so that static functions can be recursive."""
        known = self.functions.get(id(node))
        if known is not None:
            return known
        name = _name_of(node)
        captured, visible = self.captured_by(node)
        parser = FunctionParser(
            node, self.file, name, self.class_name, self.globals, captured, self
        )
        parser.static = {**visible, **parser.static}
        parser.functions = self.functions
        shell = Function(name, [], list(parser.captured.values()), Block([], [], Yield([])), None,
                         Parameters(0, 0, False, 0, False), globals=self.globals)
        self.functions[id(node)] = shell
        done = parser.function()
        shell.__dict__.update(done.__dict__)
        shell.code = shell
        return shell

    def captured_by(self, node: gast.AST) -> tuple[list[str], dict[str, gast.AST]]:
        """The variables that a nested function needs, and the static functions that it sees.

        Functions that are defined once are not captured but made again where they are read, with
        the variables that they need in turn: so they can call each other and themselves.
        """
        captured: dict[str, None] = {}
        visible: dict[str, gast.AST] = {}
        pending = [node]
        seen = {id(node)}
        while pending:
            for name in free_names(pending.pop()):
                definition = self.static.get(name)
                if definition is not None:
                    visible[name] = definition
                    if id(definition) not in seen:
                        seen.add(id(definition))
                        pending.append(definition)
                elif name in self.locals or name in self.captured or name in self.env:
                    captured.setdefault(name)
        return list(captured), visible

    def read(self, node: gast.Name) -> Operand:
        definition = self.static.get(node.id)
        if definition is not None and node.id not in self.env and node.id not in self.locals:
            return self.make_function(definition)
        if self.is_cell(self.mangled(node.id)):
            cell = self.env[self.mangled(node.id)]
            return self.emit(node, getattr, cell, Const(CONTENTS), name=node.id)
        if node.id in self.stored_globals:
            name = self.mangled(node.id)
            return self.emit(
                node, primitives.read_global, self.namespace, Const(name), name=node.id
            )
        return super().read(node)

    def super_call(self, node: gast.Call) -> Operand:
        first = parameters(self.node.args)[:1] if self.frame is None else self.frame.params[:1]
        if "__class__" not in self.captured or not first or first[0] in self.stores:
            raise self.unsupported(
                node, "`super()` is not supported here", "write `super(Class, self)`"
            )
        return self.emit(node, super, self.env["__class__"], self.env[self.mangled(first[0])])

    def imports(self, node: gast.AST) -> None:
        package = Const(self.globals.get("__package__"))
        for alias in node.names:
            match node:
                case gast.Import():
                    module = self.emit(
                        node, imports.import_module, Const(alias.name), package, Const(0)
                    )
                    if alias.asname is None and "." in alias.name:
                        root = alias.name.split(".")[0]
                        module = self.emit(
                            node, imports.import_module, Const(root), package, Const(0)
                        )
                    self.env[alias.asname or alias.name.split(".")[0]] = module
                case _:
                    if alias.name == "*":
                        raise self.unsupported(node, "`import *` is not supported")
                    module = self.emit(
                        node, imports.import_module, Const(node.module or ""), package,
                        Const(node.level or 0),
                    )
                    self.env[alias.asname or alias.name] = self.emit(
                        node, imports.import_from, module, Const(alias.name)
                    )

    @cached_property
    def namespace(self) -> Const:
        return Const(primitives.Namespace(self.globals))

    @cached_property
    def stored_globals(self) -> set[str]:
        """The globals that this function assigns."""
        declared: set[str] = set()
        if not any(type(node) is gast.Global for node in statements_in(body_of(self.node))):
            return declared
        pending = list(body_of(self.node))
        while pending:
            node = pending.pop()
            if isinstance(node, gast.Global):
                declared.update(node.names)
            elif not isinstance(node, FUNCTIONS):
                pending += children(node)
        return declared & set(assigned(body_of(self.node))) if declared else set()


def _name_of(node: gast.AST) -> str:
    if isinstance(node, GeneratorLambda):
        return "<genexpr>"
    return "<lambda>" if isinstance(node, gast.Lambda) else str(node.name)


def _split_docstring(statements: list[gast.AST]) -> tuple[str | None, list[gast.AST]]:
    match statements:
        case [gast.Expr(value=gast.Constant(value=str(text))), *rest]:
            return text, rest
        case _:
            return None, statements
