"""IR to Python source: `emit(function)` gives text, `emit_functions` all that `load` needs.

Statements are built as syntax trees, which are compiled as they are; their text is rendered where
somebody asks for it (`ir.emit.text`).
"""

from __future__ import annotations

import ast
import builtins
import operator
import pickle
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

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
    exit_operands,
    is_end_guarded,
    type_of,
)
from ir.emit import attempts
from ir.emit import changes as changes  # registers how they are printed
from ir.emit.forms import statement_form, statements
from ir.emit.inlining import Inlining
from ir.emit.lower import Leave, lower
from ir.emit.naming import Naming
from ir.emit.order import append, is_store
from ir.emit.render import (
    BINARY,
    Environment,
    attribute,
    call_node,
    name_node,
    spell_module,
    subscript,
)
from ir.emit.text import placed, rendered
from ir.heap import delete_attribute, set_attribute
from ir.record import node
from ir.rewrite import blocks, clone, count_uses
from ir.types import Scalar, Type, Union

__all__ = ["Emitted", "emit", "emit_functions", "spell_module", "statement_form"]


@node
class Emitted:
    """Generated definitions, the objects they need by name, and where their lines come from."""

    environment: dict[str, object]
    locations: dict[int, Location]
    comments: bool
    # One of these; the second is the first as `pickle` writes it.
    _tree: list[ast.FunctionDef] | None
    _packed: bytes = b""
    _source: str = ""

    @property
    def definitions(self) -> list[ast.FunctionDef]:
        if self._tree is not None:
            return self._tree
        if self._packed:
            return pickle.loads(self._packed)  # type: ignore[no-any-return]
        return ast.parse(self._source).body  # type: ignore[return-value]

    @property
    def source(self) -> str:
        """The text of the definitions, which is rendered when it is first asked for."""
        if not self._source:
            self._source = rendered(self.definitions, self.locations if self.comments else {})
            self._tree, self._packed = None, b""
        return self._source

    def pack(self) -> None:
        """Keeps the definitions in few bytes, which takes less time than to render them."""
        if self._tree is not None:
            self._tree, self._packed = None, pickle.dumps(self._tree, pickle.HIGHEST_PROTOCOL)


# A tree takes fifty times the memory of its text, and each of its nodes is an object that the
# collector of garbage goes through: only the latest ones stay.
MAX_TREES = 8
_with_trees: deque[weakref.ref[Emitted]] = deque()


def _noted(emitted: Emitted) -> Emitted:
    _with_trees.append(weakref.ref(emitted))
    if len(_with_trees) > MAX_TREES:
        oldest = _with_trees.popleft()()
        if oldest is not None:
            oldest.pack()
    return emitted


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
        reserved |= _globals_read(function.body)
        reserved |= {
            value.name
            for block in blocks(function.body) for op in block.ops for value in op.results
            if value.name != "t"
        }
        reserved |= {value.name for value in [*function.params, *function.captured]}
    environment = Environment(reserved)
    for name, value in (known or {}).items():
        environment.name(value, name)
    definitions = [_FunctionEmitter(function, environment).emit() for function in functions]
    return _noted(Emitted(environment.objects, placed(definitions), comments, definitions))


def _globals_read(block: Block) -> set[str]:
    """The names of the globals that a block loads."""
    return {
        op.args[0].value
        for inner in blocks(block) for op in inner.ops
        if isinstance(op, Call) and isinstance(op.callee, Const)
        and op.callee.value is primitives.load_global and isinstance(op.args[0], Const)
    }


class _FunctionEmitter:
    def __init__(self, function: Function, environment: Environment) -> None:
        self.function = function
        self.environment = environment
        lower(self.function.body)
        ops = [op for block in blocks(self.function.body) for op in block.ops]
        self.consuming = {
            op for op in ops
            if isinstance(op, Call) and isinstance(op.callee, Const)
            and id(op.callee.value) in statements
        }
        self.uses = count_uses(self.function.body)
        self.inlining = Inlining(self.function.body, self.consuming, self.uses)
        self.definitions = {value: op for op in ops for value in op.results}
        globals_read = _globals_read(self.function.body)
        self.naming = Naming(
            self.function, self.inlining, globals_read, self.consuming, self.uses
        )
        environment.reserved |= set(self.naming.names.values())
        self.loops: list[list[Value]] = []
        self.ends: list[int] = []  # where what is guarded ends among the statements
        self.statements: list[ast.stmt] = []
        self.location: Location | None = None

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

    # Expressions

    def operand(self, operand: Operand) -> ast.expr:
        if isinstance(operand, Const):
            return self.environment.constant(operand.value)
        if operand in self.inlining.inlined:
            return self.expression(self.definitions[operand])
        return name_node(self.naming.name(operand))

    def expression(self, op: Op) -> ast.expr:
        match op:
            case Call():
                return self.call(op)
            case If():
                then, orelse = (self.operand(*exit_operands(block.exit)) for block in op.blocks)
                return ast.IfExp(test=self.condition(op.cond), body=then, orelse=orelse)
            case _:
                raise AssertionError(op)

    def condition(self, operand: Operand) -> ast.expr:
        """The test of a branch, which takes the truth value by itself."""
        if isinstance(operand, Value) and operand in self.inlining.inlined:
            op = self.definitions[operand]
            if isinstance(op, Call) and isinstance(op.callee, Const):
                if op.callee.value is operator.truth:
                    return self.operand(op.args[0])
        return self.operand(operand)

    def call(self, op: Call) -> ast.expr:
        args = [self.operand(arg) for arg in op.args]
        kwargs = {name: self.operand(arg) for name, arg in op.kwargs.items()}
        if isinstance(op.callee, Const):
            callee = op.callee.value
            return call_node(callee, args, kwargs, self.environment)
        keywords = [ast.keyword(arg=name, value=value) for name, value in kwargs.items()]
        return ast.Call(func=self.operand(op.callee), args=args, keywords=keywords)

    # Statements

    def add(self, statement: ast.stmt, location: Location | None = None) -> None:
        statement.zyg_location = location or self.location  # type: ignore[attr-defined]
        self.statements.append(statement)

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

    def assign(self, results: list[Value], value: ast.expr) -> None:
        if len(results) == 1:
            (result,) = results
            if not self.uses[result]:
                self.add(ast.Expr(value=value))
                return
            self.add(ast.Assign(targets=[self.target(result)], value=value, type_comment=None))
            return
        targets: list[ast.expr] = [self.target(result) for result in results]
        target = ast.Tuple(elts=targets, ctx=ast.Store())
        self.add(ast.Assign(targets=[target], value=value, type_comment=None))

    def target(self, value: Value) -> ast.Name:
        return name_node(self.naming.name(value) if self.uses[value] else "_", store=True)

    def call_statement(self, op: Call) -> None:
        callee = op.callee.value if isinstance(op.callee, Const) else None
        if is_end_guarded(op):
            self.ends.append(len(self.statements))
            return
        if callee is append:
            items, item = op.args
            if isinstance(items, Value) and self.uses[items] > 1:
                self.append(items, item)
            return
        if op in self.consuming:
            self.consume(op, callee)
            return
        if is_store(op) and not self.uses[op.results[0]]:
            build = attribute if callee is set_attribute else subscript
            place = build(self.operand(op.args[0]), self.operand(op.args[1]))
            value = self.operand(op.args[2])
            self.add(ast.Assign(targets=[place], value=value, type_comment=None))
            return
        if callee is delete_attribute and not self.uses[op.results[0]]:
            place = attribute(self.operand(op.args[0]), self.operand(op.args[1]))
            self.add(ast.Delete(targets=[place]))
            return
        if callee is primitives.unpack and len(op.results) > 1:
            self.assign(op.results, self.operand(op.args[0]))
            return
        if callee is primitives.unpack_starred and len(op.results) > 1:
            self.unpack_starred(op)
            return
        if self.is_augmented(op):
            self.add(
                ast.AugAssign(
                    target=self.target(op.result), op=BINARY[callee], value=self.operand(op.args[1])
                )
            )
            return
        self.assign(op.results, self.call(op))

    def append(self, items: Operand, item: Operand) -> None:
        function = ast.Attribute(value=self.operand(items), attr="append", ctx=ast.Load())
        call = ast.Call(func=function, args=[self.operand(item)], keywords=[])
        self.add(ast.Expr(value=call))

    def consume(self, op: Call, callee: object) -> None:
        args = [self.operand(arg) for arg in op.args]
        statement = statements[id(callee)](args, self.environment)
        if statement is not None:
            self.add(statement)

    def is_augmented(self, op: Call) -> bool:
        """Whether `x = x + y` can be printed as `x += y`: for scalars that is the same."""
        if not isinstance(op.callee, Const) or not _is(op.callee.value, BINARY):
            return False
        left = op.args[0]
        return (
            isinstance(left, Value)
            and left not in self.inlining.inlined
            and bool(self.uses[op.result])
            and _is_scalar(type_of(left))
            and self.naming.name(left) == self.naming.name(op.result)
        )

    def unpack_starred(self, op: Call) -> None:
        before = op.args[1].value  # type: ignore[union-attr]
        targets: list[ast.expr] = [self.target(result) for result in op.results]
        targets[before] = ast.Starred(value=targets[before], ctx=ast.Store())
        target = ast.Tuple(elts=targets, ctx=ast.Store())
        self.add(ast.Assign(targets=[target], value=self.operand(op.args[0]), type_comment=None))

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
        made, behind = attempts.statement(body[:at], body[at:], catches, name, handler, passing)
        self.add(made, location)
        self.statements += behind

    def known_class(self, operand: Operand) -> object:
        """The class that an operand of `except` is, as far as that can be told."""
        if isinstance(operand, Const):
            return operand.value
        match self.definitions.get(operand):
            case Call(Const(callee), [Const(str(name))]) if callee is primitives.load_global:
                return self.function.globals.get(name, getattr(builtins, name, None))
            case _:
                return None

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
            sources = [
                ast.Call(func=name_node("reversed"), args=[s], keywords=[]) for s in sources
            ]
        if len(sources) == 1:
            source, target = sources[0], targets[0]
        else:
            source = ast.Call(func=name_node("zip"), args=sources, keywords=[])
            target = ast.Tuple(elts=targets, ctx=ast.Store())
        body = self.body(op)
        self.location = location
        self.add(
            ast.For(target=target, iter=source, body=body or [ast.Pass()], orelse=[],
                    type_comment=None),
            location,
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


def _is(callee: object, table: dict[Any, Any]) -> bool:
    try:
        return callee in table
    except TypeError:
        return False


def _is_scalar(type_: Type) -> bool:
    if isinstance(type_, Union):
        return all(map(_is_scalar, type_.members))
    return isinstance(type_, Scalar)


def _negated(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return ast.UnaryOp(op=ast.Not(), operand=test)


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
