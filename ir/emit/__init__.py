"""IR to Python source: `emit(function)` gives text, `emit_functions` all that `load` needs.

Statements are built as syntax trees, which are compiled as they are; their text is rendered where
somebody asks for it (`ir.emit.text`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from ir import facts, primitives
from ir.core import (
    Block,
    Call,
    Const,
    For,
    Function,
    If,
    Lambda,
    Location,
    Op,
    Operand,
    Raise,
    Try,
    Value,
    While,
    Yield,
    is_end_guarded,
)
from ir.emit import changes as changes  # registers how they are printed
from ir.emit.forms import statement_form
from ir.emit.lower import Leave
from ir.emit.operations import OperationEmitter, globals_read
from ir.emit.render import Environment, name_node, negated, spell_module
from ir.emit.text import Text, text_of
from ir.record import node
from ir.rewrite import blocks, clone
from ir.suggestions import Suggested, suggestion_of

__all__ = ["Emitted", "emit", "emit_functions", "spell_module", "statement_form"]


@node
class Emitted:
    """Generated definitions, and the objects that they need by name."""

    environment: dict[str, object]
    text: Text

    @property
    def definitions(self) -> list[ast.FunctionDef]:
        return self.text.definitions

    @property
    def source(self) -> str:
        return self.text.source

    @property
    def locations(self) -> dict[int, Location]:
        return self.text.locations


def emit(function: Function) -> str:
    """The Python source of a function."""
    return emit_functions([clone(function)]).source


def emit_functions(
    functions: list[Function], comments: bool = True, known: dict[str, object] | None = None
) -> Emitted:
    """The source of several functions of one module; `known` objects have names of their own.

    The functions are used up: printing lowers them in place.
    """
    reserved = {function.name for function in functions}
    for function in functions:
        reserved |= globals_read(function.body)
        reserved |= {
            suggestion_of(value.name) or value.name
            for block in blocks(function.body) for op in block.ops for value in op.results
            if value.name != "t" or isinstance(value.name, Suggested)
        }
        reserved |= {value.name for value in [*function.params, *function.captured]}
    environment = Environment(reserved)
    for name, value in (known or {}).items():
        environment.name(value, name)
    # All have their names before the first constant gets one, which is that of all of them.
    emitters = [_FunctionEmitter(function, environment) for function in functions]
    definitions = [emitter.emit() for emitter in emitters]
    return Emitted(environment.objects, text_of(definitions, comments))


class _FunctionEmitter(OperationEmitter):
    """Prints a function: its branches and loops, as blocks of statements."""

    def emit(self) -> ast.FunctionDef:
        statements = self.block(self.function.body, self.returning)
        return ast.FunctionDef(
            name=_identifier(self.function.name),
            args=self.parameters(),
            body=statements or [ast.Pass()],
            decorator_list=[],
            returns=None,
            type_comment=None,
            type_params=[],  # type: ignore[call-arg]  # a field from Python 3.12 on
        )

    def parameters(self) -> ast.arguments:
        kinds = self.function.signature
        names = [ast.arg(arg=self.naming.name(v), annotation=None, type_comment=None)
                 for v in self.function.params]
        positional_only = names[: kinds.positional_only]
        rest = names[kinds.positional_only :]
        positional, rest = rest[: kinds.positional], rest[kinds.positional :]
        vararg = rest.pop(0) if kinds.vararg else None
        keyword_only, rest = rest[: kinds.keyword_only], rest[kinds.keyword_only :]
        return ast.arguments(
            posonlyargs=positional_only, args=positional, vararg=vararg,
            kwonlyargs=keyword_only, kw_defaults=[None] * len(keyword_only),
            kwarg=rest[0] if kinds.kwarg else None, defaults=[],
        )

    def block(self, block: Block, leave: Callable[[list[Operand]], None]) -> list[ast.stmt]:
        """The statements of a block; `leave` prints what its yield means here."""
        outer, self.statements = self.statements, []
        for op in block.ops:
            self.location = op.loc or self.location
            self.op(op)
        match block.exit:
            case Raise(exception, cause, loc):
                self.add(
                    ast.Raise(
                        exc=None if exception is None else self.operand(exception),
                        cause=None if cause is None else self.operand(cause),
                    ),
                    loc,
                )
            case Leave(values):
                self.leaving(values)
            case Yield(values):
                leave(values)
        done, self.statements = self.statements, outer
        return done

    def op(self, op: Op) -> None:
        match op:
            case Call():
                if op.results[0] not in self.inlining.inlined:
                    self.call_statement(op)
            case If():
                if op in self.inlining.expressions:
                    if op.results[0] not in self.inlining.inlined:
                        self.assign(op.results, self.expression(op))
                else:
                    self.branch(op)
            case Try():
                self.attempt(op)
            case For():
                self.for_loop(op)
            case While():
                self.while_loop(op)
            case Lambda():
                raise AssertionError("a lambda is made by its factory: see ir.closures")

    def branch(self, op: If) -> None:
        test = self.condition(op.cond)
        location = self.location
        results = op.results

        def merge(values: list[Operand]) -> None:
            self.copy([(r, v) for r, v in zip(results, values, strict=True) if self.uses[r]])

        then = self.block(op.then, merge)
        orelse = self.block(op.orelse, merge)
        self.location = location
        if not then and not orelse:
            if not isinstance(test, ast.Constant | ast.Name):
                self.add(ast.Expr(value=test))
            return
        if not then:
            test, then, orelse = _negated(test), orelse, []
        if orelse and _always_leaves(then):
            self.add(ast.If(test=test, body=then, orelse=[]), location)
            self.statements += orelse
            return
        if orelse and _always_leaves(orelse):
            self.add(ast.If(test=_negated(test), body=orelse, orelse=[]), location)
            self.statements += then
            return
        self.add(ast.If(test=test, body=then, orelse=orelse), location)

    def attempt(self, op: Try) -> None:
        location = self.location
        results = op.results

        def merge(values: list[Operand]) -> None:
            self.copy([(r, v) for r, v in zip(results, values, strict=True) if self.uses[r]])

        catches = [self.operand(operand) for operand in op.catches]
        body = self.block(op.body, merge)
        at = self.ends.pop() if any(map(is_end_guarded, op.body.ops)) else len(body)
        self.location = location
        handler = self.block(op.handler, merge)
        self.location = location
        name = self.naming.name(op.error) if self.uses[op.error] else None
        known = facts.uncaught_among(map(self.known_class, op.catches))
        passing = [self.environment.constant(error) for error in known]
        from ir.emit import attempts  # few programs have any

        made, behind = attempts.statement(body[:at], body[at:], catches, name, handler, passing)
        self.add(made, location)
        self.statements += behind

    # Exits

    def returning(self, values: list[Operand]) -> None:
        if values:
            self.add(ast.Return(value=self.operand(values[0])))

    def leaving(self, values: list[Operand]) -> None:
        if not self.loops:
            self.returning(values)
        else:
            self.iteration_end(values)

    def iteration_end(self, values: list[Operand]) -> None:
        if not values:
            return
        stop = values[0]
        carried = self.loops[-1]
        pairs = zip(carried, values[1:], strict=True)
        test = None if isinstance(stop, Const) else self.operand(stop)
        self.copy([(param, value) for param, value in pairs if self.is_kept(param)])
        if test is None:
            if stop.value:  # type: ignore[union-attr]
                self.add(ast.Break())
        else:
            self.add(ast.If(test=test, body=[ast.Break()], orelse=[]))

    def is_kept(self, param: Value) -> bool:
        return bool(self.uses[param]) or param in self.naming.kept

    def copy(self, copies: list[tuple[Value, Operand]]) -> None:
        """A parallel assignment, in as many statements as it allows."""
        made = [(self.naming.name(target), self.operand(source)) for target, source in copies]
        pending = [
            (name, node, _names(node)) for name, node in made
            if not (isinstance(node, ast.Name) and node.id == name)
        ]
        while pending:
            for i, (name, source, _) in enumerate(pending):
                if not any(name in read for j, (_, _, read) in enumerate(pending) if j != i):
                    assignment = ast.Assign(
                        targets=[name_node(name, store=True)], value=source, type_comment=None
                    )
                    self.add(assignment)
                    pending.pop(i)
                    break
            else:
                names: list[ast.expr] = [name_node(name, store=True) for name, *_ in pending]
                target = ast.Tuple(elts=names, ctx=ast.Store())
                sources = ast.Tuple(elts=[source for _, source, _ in pending], ctx=ast.Load())
                self.add(ast.Assign(targets=[target], value=sources, type_comment=None))
                return

    # Loops

    def enter(self, op: For | While) -> None:
        for items in op.results[len(op.init) :]:
            if self.uses[items] > 1:
                empty = ast.List(elts=[], ctx=ast.Load())
                self.add(ast.Assign(targets=[self.target(items)], value=empty, type_comment=None))
        pairs = zip(op.carried, op.init, strict=True)
        self.copy([(param, operand) for param, operand in pairs if self.is_kept(param)])

    def body(self, op: For | While) -> list[ast.stmt]:
        self.loops.append(op.carried)
        statements = self.block(op.body, self.iteration_end)
        self.loops.pop()
        return statements

    def for_loop(self, op: For) -> None:
        location = self.location
        sources = [self.operand(iterable) for iterable in op.iterables]
        self.enter(op)
        targets = [self.item_target(op, item) for item in op.items]
        if op.backwards:
            backwards = self.environment.constant(reversed)
            sources = [ast.Call(func=backwards, args=[s], keywords=[]) for s in sources]
        source, target = self.in_parallel(op, sources, targets)
        body = self.body(op)
        self.location = location
        self.add(
            ast.For(target=target, iter=source, body=body or [ast.Pass()], orelse=[],
                    type_comment=None),
            location,
        )

    def in_parallel(
        self, op: For, sources: list[ast.expr], targets: list[ast.expr]
    ) -> tuple[ast.expr, ast.expr]:
        """One iterable and one target for several: `zip`, and `enumerate` beside `numbers_from`."""
        match sources:
            case [ast.Call(func=ast.Name(id=name), args=[start]), *counted] if counted and (
                self.environment.objects.get(name) is primitives.numbers_from
            ):
                source, target = self.zipped(counted, targets[1:])
                is_zero = isinstance(start, ast.Constant) and start.value == 0
                args = [source] if is_zero else [source, start]
                function = self.environment.constant(enumerate)
                return (
                    ast.Call(func=function, args=args, keywords=[]),
                    ast.Tuple(elts=[targets[0], target], ctx=ast.Store()),
                )
        return self.zipped(sources, targets)

    def zipped(
        self, sources: list[ast.expr], targets: list[ast.expr]
    ) -> tuple[ast.expr, ast.expr]:
        if len(sources) == 1:
            return sources[0], targets[0]
        function = self.environment.constant(zip)
        return (
            ast.Call(func=function, args=sources, keywords=[]),
            ast.Tuple(elts=targets, ctx=ast.Store()),
        )

    def item_target(self, op: For, item: Value) -> ast.expr:
        """The loop target; an item that is unpacked at once is unpacked by the loop itself."""
        if self.uses[item] == 1:
            for first in op.body.ops:
                if not isinstance(first, Call) or not isinstance(first.callee, Const):
                    break
                if first.callee.value is not primitives.unpack:
                    break
                if first.args[0] is item and len(first.results) > 1:
                    op.body.ops.remove(first)
                    targets: list[ast.expr] = [self.target(v) for v in first.results]
                    return ast.Tuple(elts=targets, ctx=ast.Store())
        return self.target(item)

    def while_loop(self, op: While) -> None:
        location = self.location
        self.enter(op)
        test: ast.expr = ast.Constant(value=True, kind=None)
        body = self.body(op)
        match body:
            case [ast.If(test=cond, body=[ast.Break()], orelse=[]), *rest]:
                test, body = _negated(cond), rest
        self.location = location
        self.add(ast.While(test=test, body=body or [ast.Pass()], orelse=[]), location)


def _negated(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return negated(test)


def _always_leaves(statements: list[ast.stmt]) -> bool:
    return bool(statements) and isinstance(
        statements[-1], ast.Return | ast.Break | ast.Continue | ast.Raise
    )


def _names(node: ast.expr) -> set[str]:
    """The names that an expression reads."""
    if isinstance(node, ast.Constant):
        return set()
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}


def _identifier(name: str) -> str:
    return name if name.isidentifier() else "lambda_"
