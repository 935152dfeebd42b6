"""Statements to structured SSA: blocks, branches and loops, and the variables that they carry.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import gast

from ir import primitives
from ir.builder import Builder
from ir.core import (
    Block,
    Const,
    Exit,
    For,
    Function,
    If,
    Location,
    Op,
    Operand,
    Raise,
    Try,
    Value,
    While,
    Yield,
)
from ir.errors import statement_name
from ir.heap import CONTENTS, cell_class, delete_attribute, new_object, set_attribute
from ir.primitives import UNBOUND
from ir.suggestions import suggest, temporary
from ir.syntax.attempt_nodes import Attempt, Unsplittable
from ir.syntax.desugar import falls_through, leaves, lower_exits
from ir.syntax.endings import Ending, Falling, Looping
from ir.syntax.expressions import IN_PLACE, GeneratorParser
from ir.syntax.generator_expressions import mapped_in, name_of_mapped
from ir.syntax.keeping import Keep, Restore
from ir.syntax.place_names import name_of_item
from ir.syntax.scope import assigned, local_names, rebound_captures, static_functions

if TYPE_CHECKING:
    from ir.syntax.parse_generators import Frame


class StatementParser(GeneratorParser):
    """Parses the statements of one function."""

    def __init__(
        self,
        node: gast.AST,
        file: str,
        name: str,
        class_name: str | None,
        module_globals: dict[str, Any],
        captured: list[str],
        enclosing: StatementParser | None,
    ) -> None:
        self.node = node
        self.file = file
        self.name = name
        self.class_name = class_name
        self.globals = module_globals
        self.enclosing = enclosing
        self.locals = {self.mangled(local) for local in local_names(node)}
        self.captured = {name: Value(name) for name in captured}
        self.env: dict[str, Operand] = dict(self.captured)
        self.maybe_unbound: set[Value] = set()
        self.builder = Builder()
        self.exit: Exit = Yield([])
        self.static = static_functions(node)
        self.functions: dict[int, Function] = {}
        self.loop_names: list[set[str]] = []
        # Variables that functions share and that are assigned again live in cells; so do those
        # under which memory is changed, where that is asked for.
        self.in_cells: bool = enclosing is not None and enclosing.in_cells
        self.cells: set[Operand] = set()
        self.target_cells: dict[str, Operand] = {}
        self.frame: Frame | None = None
        if enclosing is not None:
            self.cells.update(
                value for name, value in self.captured.items() if enclosing.is_cell(name)
            )

    def define(self, node: gast.FunctionDef) -> None:
        raise AssertionError("given by FunctionParser")

    def imports(self, node: gast.AST) -> None:
        raise AssertionError("given by FunctionParser")

    @cached_property
    def namespace(self) -> Const:
        raise AssertionError("given by FunctionParser")

    @cached_property
    def stored_globals(self) -> set[str]:
        raise AssertionError("given by FunctionParser")

    def is_cell(self, name: str) -> bool:
        return self.env.get(name) in self.cells

    def make_cells(self) -> None:
        """Makes the cells of variables, and puts the parameters among them there."""
        rebound, targets = rebound_captures(self.node)
        from ir.syntax.shared_memory import shared_and_changed

        rebound |= shared_and_changed(self.node)
        shared = set(rebound)
        if self.in_cells:
            from ir.syntax.changed_names import names_of_changed

            changed = names_of_changed(self.node, {*self.locals, *self.captured}, self.globals)
            rebound |= changed & local_names(self.node)
        if self.frame is not None:
            rebound = set()  # they are in the generator
        for name in sorted(targets):
            self.target_cells[self.mangled(name)] = self.cell(name)
        for name in sorted(rebound):
            if name in self.static:
                continue
            shown, cell = self.mangled(name), self.cell(name, name in shared)
            if shown in self.env:
                self.emit(self.node, set_attribute, cell, Const(CONTENTS), self.env[shown])
            self.env[shown] = cell

    def cell(self, name: str, is_shared: bool = True) -> Value:
        """An object that holds a variable."""
        cell = self.emit(self.node, new_object, Const(cell_class(name, is_shared)), name=name)
        self.cells.add(cell)
        return cell

    def location(self, node: gast.AST) -> Location:
        return Location(
            self.file, node.lineno, node.end_lineno or node.lineno,
            node.col_offset, node.end_col_offset or node.col_offset, self.name,
        )

    def is_global(self, name: str) -> bool:
        return "@" not in name and name not in self.locals and name not in self.captured

    # Statements

    def finish(self, statements: list[gast.AST], ending: Ending) -> None:
        """Parses a block whose last statement may be an exit, and sets `self.exit`."""
        for statement in statements[:-1]:
            self.statement(statement)
        last = statements[-1] if statements else None
        match last:
            case gast.Return() | gast.Break() | gast.Continue():
                self.exit = Yield(ending.values(self, last))
            case gast.Raise():
                self.exit = self.raising(last)
            case gast.If() | Attempt() if leaves(last) or not falls_through([last]):
                self.exit = self.finish_branch(last, ending)
            case None:
                self.exit = Yield(ending.values(self, None))
            case _:
                self.statement(last)
                self.exit = Yield(ending.values(self, None))

    def lowered(self, statements: list[gast.AST]) -> list[gast.AST]:
        try:
            return lower_exits(
                statements, lambda node: self.is_static_class(node),
                lambda node: self.never_suppresses(node),
            )
        except Unsplittable as error:
            raise self.unsupported(
                error.node,
                f"`:=` in `try` binds `{error}`, which is read where the rest of the statement "
                "fails", "assign it in a statement of its own",
            ) from None

    def guarded(self, statements: list[gast.AST]) -> None:
        self.finish(statements, Falling())

    def arms(
        self, node: gast.AST, ending: Ending
    ) -> tuple[list[tuple[Block, dict[str, Operand]]], Callable[[list[Value]], Op]]:
        """The arms of a branch with the variables behind each, and what makes the operation."""
        if isinstance(node, Attempt):
            catches, found = self.attempt_arms(
                node, lambda statements: self.finish(statements, ending)
            )
            (body, _), (handler, _) = found
            location = self.location(node)
            return found, lambda results: Try(body, handler, catches, results, location)
        cond = self.truth(node.test)
        outer, before = self.builder, self.env
        found = []
        for statements in (node.body, node.orelse):
            self.builder, self.env = Builder(), dict(before)
            self.finish(statements, ending)
            found.append((Block([], self.builder.ops, self.exit), self.env))
        self.builder, self.env = outer, before
        (then, _), (orelse, _) = found
        return found, lambda results: If(cond, then, orelse, results, self.location(node))

    def finish_branch(self, node: gast.AST, ending: Ending) -> Yield:
        arms, make = self.arms(node, ending)
        blocks = [block for block, _ in arms]
        names = ending.names(self)
        results = [Value(name) for name in names]
        self.maybe_unbound.update(
            value for i, value in enumerate(results) if any(
                isinstance(block.exit, Yield)
                and (self.is_unbound(block.exit.values[i])
                     or block.exit.values[i] in self.maybe_unbound)
                for block in blocks
            )
        )
        self.builder.append(make(results))
        return Yield(list(results))

    def raising(self, node: gast.Raise) -> Raise:
        exception = None if node.exc is None else self.expression(node.exc)
        cause = None if node.cause is None else self.expression(node.cause)
        return Raise(exception, cause, self.location(node))

    def nested_statements(self, statements: list[gast.AST]) -> None:
        for statement in self.lowered(statements):
            self.statement(statement)

    def statement(self, node: gast.AST) -> None:
        match node:
            case gast.Assign(targets=[target]) if _is_parallel(target, node.value):
                values = [self.expression(item) for item in node.value.elts]
                for item, value in zip(target.elts, values, strict=True):
                    self.assign(item, value)
            case gast.Assign():
                value = self.expression(node.value)
                for target in node.targets:
                    self.assign(target, value)
            case gast.AnnAssign():
                if node.value is not None:
                    self.assign(node.target, self.expression(node.value))
                elif not isinstance(node.target, gast.Name):
                    self.expression(node.target.value)  # all that Python evaluates, but for a key
                    if isinstance(node.target, gast.Subscript):
                        self.expression(node.target.slice)
            case gast.AugAssign():
                self.augmented(node)
            case gast.Expr():
                if not isinstance(node.value, gast.Constant):
                    self.expression(node.value)
            case gast.If() | Attempt():
                self.branch(node)
            case gast.For():
                self.for_loop(node)
            case gast.While():
                self.while_loop(node)
            case gast.Assert():
                self.assertion(node)
            case gast.Pass():
                pass
            case Keep():
                self.keep(node)
            case Restore():
                self.restore(node)
            case gast.FunctionDef():
                self.define(node)
            case gast.Import() | gast.ImportFrom():
                self.imports(node)
            case gast.Global():
                pass  # see `stored_globals`
            case gast.Nonlocal():
                for name in node.names:
                    if not self.is_cell(self.mangled(name)):
                        raise self.unsupported(
                            node, f"`{name}` belongs to a function that zyg doesn't see, where it "
                            "is changed by `nonlocal`",
                        )
            case gast.Delete():
                for target in node.targets:
                    self.delete(target)
            case _:
                raise self.unsupported(node, f"{statement_name(node)} is not supported")

    def assign(self, target: gast.AST, value: Operand) -> None:
        match target:
            case gast.Name() if self.is_cell(self.mangled(target.id)):
                cell = self.env[self.mangled(target.id)]
                self.emit(target, set_attribute, cell, Const(CONTENTS), value)
            case gast.Name() if target.id in self.stored_globals:
                name = self.mangled(target.id)
                self.emit(
                    target, primitives.store_global, self.namespace, Const(name), value
                )
            case gast.Name():
                name = self.mangled(target.id)
                if isinstance(value, Value) and value.name in ("t", "items", "item"):
                    value.name = name.partition("@")[0]
                self.env[name] = value
                if self.frame is not None:
                    self.keep_memory(target, name, value)
            case gast.Tuple() | gast.List():
                self.unpack(target, value)
            case gast.Subscript():
                items, index = self.expression(target.value), self.expression(target.slice)
                suggest(value, name_of_item(target))
                self.emit(target, operator.setitem, items, index, value)
            case gast.Attribute():
                owner = self.expression(target.value)
                suggest(value, target.attr)
                self.emit(target, set_attribute, owner, Const(self.mangled(target.attr)), value)
            case _:
                raise self.unsupported(target, "this assignment is not supported")

    def delete(self, target: gast.AST) -> None:
        match target:
            case gast.Name() if self.is_cell(self.mangled(target.id)):
                cell = self.env[self.mangled(target.id)]
                self.emit(target, delete_attribute, cell, Const(CONTENTS))
            case gast.Name() if target.id in self.stored_globals:
                name = self.mangled(target.id)
                self.emit(target, primitives.delete_global, self.namespace, Const(name))
            case gast.Name():
                self.read(target)  # raises where the name isn't bound
                self.env[self.mangled(target.id)] = Const(UNBOUND)
            case gast.Tuple() | gast.List():
                for part in target.elts:
                    self.delete(part)
            case gast.Subscript():
                items, index = self.expression(target.value), self.expression(target.slice)
                self.emit(target, operator.delitem, items, index)
            case gast.Attribute():
                owner = self.expression(target.value)
                self.emit(target, delete_attribute, owner, Const(self.mangled(target.attr)))
            case _:
                raise self.unsupported(target, "this `del` is not supported")

    def unpack(self, target: gast.AST, value: Operand) -> None:
        elements = target.elts
        starred = [i for i, item in enumerate(elements) if isinstance(item, gast.Starred)]
        inner = [item.value if isinstance(item, gast.Starred) else item for item in elements]
        results = [
            Value(item.id.partition("@")[0] if isinstance(item, gast.Name) else "item")
            for item in inner
        ]
        counts: tuple[int, ...] = (len(elements),)
        callee: Any = primitives.unpack
        if starred:
            callee, counts = primitives.unpack_starred, (
                starred[0], len(elements) - starred[0] - 1
            )
        operands = [value, *map(Const, counts)]
        if len(results) > 1:
            self.builder.calls(callee, operands, results, loc=self.location(target))
        else:
            whole = self.emit(target, callee, *operands)
            results = [self.emit(target, operator.getitem, whole, Const(i))
                       for i in range(len(results))]
        for item, result in zip(inner, results, strict=True):
            self.assign(item, result)

    def augmented(self, node: gast.AugAssign) -> None:
        in_place = IN_PLACE[type(node.op)]
        if isinstance(node.target, gast.Subscript):
            items = self.expression(node.target.value)
            index = self.expression(node.target.slice)
            name = temporary(name_of_item(node.target))
            before = self.emit(node.target, operator.getitem, items, index, name=name)
            value = self.expression(node.value)
            after = self.emit(
                node, primitives.augmented, Const(in_place), items, before, value, name=name
            )
            self.emit(node, primitives.store_back, items, index, after)
            return
        if isinstance(node.target, gast.Attribute):
            owner = self.expression(node.target.value)
            attribute = Const(self.mangled(node.target.attr))
            name = temporary(node.target.attr)
            before = self.emit(node.target, getattr, owner, attribute, name=name)
            value = self.expression(node.value)
            after = self.emit(node, in_place, before, value, name=name)
            self.emit(node, set_attribute, owner, attribute, after)
            return
        read = gast.copy_location(
            gast.Name(id=node.target.id, ctx=gast.Load(), annotation=None, type_comment=None),
            node.target,
        )
        left, right = self.expression(read), self.expression(node.value)
        result = self.emit(node, in_place, left, right, name=node.target.id)
        self.assign(node.target, result)

    def assertion(self, node: gast.Assert) -> None:
        if not __debug__:
            return
        cond = self.truth(node.test)
        outer, before = self.builder, self.env
        self.builder, self.env = Builder(), dict(before)
        args = [] if node.msg is None else [self.expression(node.msg)]
        error = self.emit(node, AssertionError, *args)
        failing = Block([], self.builder.ops, Raise(error, None, self.location(node)))
        self.builder, self.env = outer, before
        self.builder.append(If(cond, Block([], [], Yield([])), failing, [], self.location(node)))

    def branch(self, node: gast.AST) -> None:
        arms, make = self.arms(node, Falling())
        before = self.env
        (then, then_env), (orelse, else_env) = arms
        if isinstance(then.exit, Raise) or isinstance(orelse.exit, Raise):
            # Only one arm goes on: what it defines needs no merging, but leaves its block.
            survivor, block = (else_env, orelse) if isinstance(then.exit, Raise) else (
                then_env, then
            )
            changed = {
                name: operand for name, operand in survivor.items()
                if before.get(name) is not operand
            }
            results = []
            for name, operand in changed.items():
                value = Value(name.partition("@")[0])
                if self.is_unbound(operand) or operand in self.maybe_unbound:
                    self.maybe_unbound.add(value)
                results.append(value)
            if isinstance(block.exit, Yield):
                block.exit.values += changed.values()
        else:
            merged = self.merge(then_env, else_env)
            results = [value for value, _, _ in merged.values()]
            then.exit = Yield([a for _, a, _ in merged.values()])
            orelse.exit = Yield([b for _, _, b in merged.values()])
            changed = {name: value for name, (value, _, _) in merged.items()}
        self.builder.append(make(results))
        self.env.update(zip(changed, results, strict=True))

    # Loops

    def for_loop(self, node: gast.For) -> None:
        mapped = name_of_mapped(node)
        if mapped_in(node.iter) is not None:
            node = self.unmapped(node)
        iterable = self.expression(node.iter)
        item = Value(node.target.id if isinstance(node.target, gast.Name) else "item")
        names = self.carried_names([node.target, *node.body])

        def start() -> None:
            self.assign(node.target, item)

        init, params, body, results = self.loop(node, names, start, node.body)
        body.params = [item, *params]
        self.builder.append(For([iterable], init, body, results, loc=self.location(node)))
        self.env.update(zip(names, results, strict=True))
        for name in [name for name in self.env if name == mapped or name.startswith(f"{mapped}.")]:
            del self.env[name]

    def while_loop(self, node: gast.While) -> None:
        names = self.carried_names([node.test, *node.body])
        is_endless = isinstance(node.test, gast.Constant) and bool(node.test.value)
        stop = gast.copy_location(gast.Break(), node)
        statements = node.body if is_endless else [
            gast.copy_location(gast.If(test=node.test, body=node.body, orelse=[stop]), node)
        ]
        init, params, body, results = self.loop(node, names, lambda: None, statements)
        body.params = params
        self.builder.append(While(init, body, results, loc=self.location(node)))
        self.env.update(zip(names, results, strict=True))

    def carried_names(self, nodes: list[gast.AST]) -> list[str]:
        return [
            name for name in map(self.mangled, assigned(nodes))
            if not self.is_global(name) and not self.is_cell(name)
        ]

    def loop(
        self, node: gast.AST, names: list[str], start: Any, statements: list[gast.AST]
    ) -> tuple[list[Operand], list[Value], Block, list[Value]]:
        outer, before = self.builder, self.env
        init = [before.get(name, Const(UNBOUND)) for name in names]
        shown = [name.partition("@")[0] for name in names]
        params, results = [Value(name) for name in shown], [Value(name) for name in shown]
        for param, result, operand in zip(params, results, init, strict=True):
            if self.is_unbound(operand) or operand in self.maybe_unbound:
                self.maybe_unbound |= {param, result}
        self.builder = Builder()
        self.env = {**before, **dict(zip(names, params, strict=True))}
        self.loop_names.append(set(names))
        start()
        self.finish(statements, Looping(names))
        self.loop_names.pop()
        body = Block([], self.builder.ops, self.exit)
        self.builder, self.env = outer, dict(before)
        return init, params, body, results


def _is_parallel(target: gast.AST, value: gast.AST) -> bool:
    """Whether an assignment gives each of several targets a value of its own."""
    return (
        isinstance(target, gast.Tuple | gast.List)
        and isinstance(value, gast.Tuple)
        and len(target.elts) == len(value.elts)
        and not any(isinstance(e, gast.Starred) for e in [*target.elts, *value.elts])
    )
