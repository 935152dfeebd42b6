"""Source to structured SSA: `parse(f)` gives the `Function` of a Python function.

    def scale(x, n):                 function scale(x, n):
        while abs(x) > n:                x_3 = while with x_1 = x:
            x = x / 2                        t_1 = builtins.abs(x_1) ...
        return x                         return x_3

A name becomes the value that it holds at each point; where branches or iterations meet, blocks take
and yield values. Names that may not have been assigned carry `UNBOUND` and are checked where read.
"""

from __future__ import annotations

import atexit
import operator
import types
from _thread import allocate_lock
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import gast

from ir import facts, primitives, stored
from ir.attempt_nodes import Attempt, Unsplittable
from ir.attribute_dicts import lower_attribute_dicts
from ir.builder import Builder
from ir.core import (
    Block,
    Const,
    Exit,
    For,
    Function,
    If,
    Lambda,
    Location,
    Op,
    Operand,
    Parameters,
    Raise,
    Try,
    Value,
    While,
    Yield,
)
from ir.desugar import falls_through, leaves, lower_exits
from ir.expressions import IN_PLACE
from ir.generator_expressions import GeneratorLambda, lower_generator_expressions
from ir.generators import ir_of_made
from ir.heap import CONTENTS, cell_class, delete_attribute, new_object, set_attribute
from ir.jumps import is_generator
from ir.keeping import Keep, Restore
from ir.link import link
from ir.locate import Source, locate
from ir.matching import lower_matches
from ir.next_calls import guard_generators, hoist_next
from ir.parse_generators import Frame, GeneratorParser
from ir.primitives import UNBOUND
from ir.scope import (
    FUNCTIONS,
    assigned,
    body_of,
    children,
    free_names,
    local_names,
    parameters,
    rebound_captures,
    stores_of,
)
from ir.shared_memory import shared_and_changed
from ir.simplify import eliminate_dead

MAX_PARSED = 4096
# By the `id` of the code, which each function keeps alive: hashing code takes long.
_parsed: dict[int, Function] = {}
_lock = allocate_lock()


@atexit.register
def _store() -> None:
    """Keeps the IR of helpers for later processes: nobody waits for a gradient any more."""
    new = [
        (known.code, known.globals)
        for known in list(_parsed.values())
        if _is_helper(known.globals) and not _makes_generators(known.code)
        and stored.is_new(known.code)
    ]
    # What stays behind is made from text that is known to be that of the code.
    stored.write([parse_source(locate(*found), found[1]) for found in new])


def _is_helper(module_globals: dict[str, Any]) -> bool:
    return facts.is_helper_module(module_globals.get("__name__"))


def _makes_generators(code: types.CodeType) -> bool:
    return bool(code.co_flags & 0x20)


def parse(function: types.FunctionType) -> Function:
    """The IR of a Python function, from its source.

    Raises `SourceNotFound` where there is none, `Unsupported` for syntax that has no IR yet. The
    result is shared between calls: passes work on a `rewrite.clone` of it.
    """
    return parse_code(function.__code__, function.__globals__)


def parse_code(code: types.CodeType, module_globals: dict[str, Any]) -> Function:
    """The IR of a code object: the only door from Python's objects into the IR."""
    known = _parsed.get(id(code))
    if known is not None and known.globals is module_globals:
        return known
    made = ir_of_made(code)
    if made is not None:
        return made
    # Helpers are installed with the compiler: nobody edits them while the program runs.
    is_helper = _is_helper(module_globals)
    function = stored.find(code, module_globals) if is_helper else None
    if function is None:
        source = locate(code, module_globals, is_trusted=is_helper)
        function = parse_source(source, module_globals)
        if is_helper:
            link(function)
    with _lock:
        if len(_parsed) >= MAX_PARSED:
            _parsed.clear()
        _parsed[id(code)] = function
    return function


def parse_source(source: Source, module_globals: dict[str, Any]) -> Function:
    code = source.code
    unsupported = None
    if code.co_flags & (0x80 | 0x200):
        unsupported = "async functions are not supported"
    if isinstance(source.gast_node, gast.FunctionDef) and any(map(_is_class_body, code.co_consts)):
        from ir.local_classes import lift_classes  # which few programs need

        def parse_method(node: Any, code: types.CodeType, class_name: str) -> Function:
            return _parse_method(node, code, class_name, source.file, module_globals)

        lift_classes(source, module_globals, parse_method)
    _lower(source.gast_node, code, module_globals)
    parser = FunctionParser(
        source.gast_node, source.file, code.co_name, source.class_name, module_globals,
        captured=list(code.co_freevars), enclosing=None,
    )
    if unsupported:
        raise parser.unsupported(source.gast_node, unsupported)
    function = parser.function()
    function.code = code
    return function


def _is_class_body(const: Any) -> bool:
    """Whether a constant of a function's code is the body of a class: it has no fast variables."""
    return isinstance(const, types.CodeType) and not const.co_flags & 0x01


def _lower(node: Any, code: types.CodeType, module_globals: dict[str, Any]) -> None:
    """Rewrites what the parser doesn't know of, in place."""
    lower_matches(node)
    lower_generator_expressions(node)
    codes = list(_codes(code))
    if any("__dict__" in one.co_names or "vars" in one.co_names for one in codes):
        lower_attribute_dicts(node, module_globals)
    if any(one.co_flags & _GENERATOR for one in codes):
        guard_generators(node)
    hoist_next(node, module_globals)


_GENERATOR = 0x20


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object and those of the functions inside."""
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _codes(const)


def _parse_method(
    node: Any, code: types.CodeType, class_name: str, file: str, module_globals: dict[str, Any]
) -> Function:
    """The IR of a method of a class that a function defines."""
    _lower(node, code, module_globals)
    return FunctionParser(
        node, file, code.co_name, class_name or None, module_globals,
        captured=list(code.co_freevars), enclosing=None,
    ).function()


class FunctionParser(GeneratorParser):
    """Parses one function; a nested function gets a parser of its own, which knows this one."""

    def __init__(
        self,
        node: gast.AST,
        file: str,
        name: str,
        class_name: str | None,
        module_globals: dict[str, Any],
        captured: list[str],
        enclosing: FunctionParser | None,
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
        # Variables that functions share and that are assigned again live in cells.
        self.cells: set[Operand] = set()
        self.target_cells: dict[str, Operand] = {}
        self.frame: Frame | None = None
        if enclosing is not None:
            self.cells.update(
                value for name, value in self.captured.items() if enclosing.is_cell(name)
            )

    def advance_parser(self, node: gast.AST, frame: Frame) -> FunctionParser:
        parser = FunctionParser(
            node, self.file, self.name, self.class_name, self.globals, list(self.captured), self
        )
        parser.frame, parser.static, parser.functions = frame, self.static, self.functions
        return parser

    def is_cell(self, name: str) -> bool:
        return self.env.get(name) in self.cells

    def make_cells(self) -> None:
        """Makes the cells of variables, and puts the parameters among them there."""
        rebound, targets = rebound_captures(self.node)
        rebound |= shared_and_changed(body_of(self.node), local_names(self.node))
        if self.frame is not None:
            rebound = set()  # they are in the generator
        for name in sorted(rebound | (targets - self.locals)):
            if name in self.static:
                continue
            shown = self.mangled(name)
            cell = self.emit(self.node, new_object, Const(cell_class(name)), name=name)
            self.cells.add(cell)
            if name not in rebound:
                self.target_cells[shown] = cell
                continue
            if shown in self.env:
                self.emit(self.node, set_attribute, cell, Const(CONTENTS), self.env[shown])
            self.env[shown] = cell

    def location(self, node: gast.AST) -> Location:
        return Location(
            self.file, node.lineno, node.end_lineno or node.lineno,
            node.col_offset, node.end_col_offset or node.col_offset, self.name,
        )

    def is_global(self, name: str) -> bool:
        return "@" not in name and name not in self.locals and name not in self.captured

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
        if is_generator(self.node):
            body = self.builder.block([], [self.make_generator(names)])
            self.builder.ops = body.ops
        elif isinstance(self.node, gast.Lambda):
            self.make_cells()
            value = self.expression(self.node.body)
            body = self.builder.block([], [value])
        else:
            self.make_cells()
            statements = list(self.node.body)
            docstring, statements = _split_docstring(statements)
            self.finish(self.lowered(statements), _Returning())
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
            return lower_exits(statements, self.is_static_class, self.never_suppresses)
        except Unsplittable as error:
            raise self.unsupported(
                error.node,
                f"`:=` in `try` binds `{error}`, which is read where the rest of the statement "
                "fails", "assign it in a statement of its own",
            ) from None

    def guarded(self, statements: list[gast.AST]) -> None:
        self.finish(statements, _Falling())

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
                raise self.unsupported(node, f"{_statement_name(node)} is not supported")

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
                self.keep_memory(target, name, value)
            case gast.Tuple() | gast.List():
                self.unpack(target, value)
            case gast.Subscript():
                items, index = self.expression(target.value), self.expression(target.slice)
                self.emit(target, operator.setitem, items, index, value)
            case gast.Attribute():
                owner = self.expression(target.value)
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
            before = self.emit(node.target, operator.getitem, items, index)
            value = self.expression(node.value)
            after = self.emit(node, primitives.augmented, Const(in_place), items, before, value)
            self.emit(node, primitives.store_back, items, index, after)
            return
        if isinstance(node.target, gast.Attribute):
            owner = self.expression(node.target.value)
            name = Const(self.mangled(node.target.attr))
            before = self.emit(node.target, getattr, owner, name)
            value = self.expression(node.value)
            after = self.emit(node, in_place, before, value)
            self.emit(node, set_attribute, owner, name, after)
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
        arms, make = self.arms(node, _Falling())
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
        iterable = self.expression(node.iter)
        item = Value(node.target.id if isinstance(node.target, gast.Name) else "item")
        names = self.carried_names([node.target, *node.body])

        def start() -> None:
            self.assign(node.target, item)

        init, params, body, results = self.loop(node, names, start, node.body)
        body.params = [item, *params]
        self.builder.append(For([iterable], init, body, results, loc=self.location(node)))
        self.env.update(zip(names, results, strict=True))

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
        self.finish(statements, _Looping(names))
        self.loop_names.pop()
        body = Block([], self.builder.ops, self.exit)
        self.builder, self.env = outer, dict(before)
        return init, params, body, results

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
                        node, primitives.import_module, Const(alias.name), package, Const(0)
                    )
                    if alias.asname is None and "." in alias.name:
                        root = alias.name.split(".")[0]
                        module = self.emit(
                            node, primitives.import_module, Const(root), package, Const(0)
                        )
                    self.env[alias.asname or alias.name.split(".")[0]] = module
                case _:
                    if alias.name == "*":
                        raise self.unsupported(node, "`import *` is not supported")
                    module = self.emit(
                        node, primitives.import_module, Const(node.module or ""), package,
                        Const(node.level or 0),
                    )
                    self.env[alias.asname or alias.name] = self.emit(
                        node, primitives.import_from, module, Const(alias.name)
                    )

    @cached_property
    def namespace(self) -> Const:
        return Const(primitives.Namespace(self.globals))

    @cached_property
    def stored_globals(self) -> set[str]:
        """The globals that this function assigns."""
        declared: set[str] = set()
        pending = list(body_of(self.node))
        while pending:
            node = pending.pop()
            if isinstance(node, gast.Global):
                declared.update(node.names)
            elif not isinstance(node, FUNCTIONS):
                pending += children(node)
        return declared & set(assigned(body_of(self.node))) if declared else set()


def _is_parallel(target: gast.AST, value: gast.AST) -> bool:
    """Whether an assignment gives each of several targets a value of its own."""
    return (
        isinstance(target, gast.Tuple | gast.List)
        and isinstance(value, gast.Tuple)
        and len(target.elts) == len(value.elts)
        and not any(isinstance(e, gast.Starred) for e in [*target.elts, *value.elts])
    )


class Ending:
    """What a block hands on where it ends: depends on what the block is the body of."""

    def names(self, parser: FunctionParser) -> list[str]:
        raise AssertionError("abstract")

    def values(self, parser: FunctionParser, exit: gast.AST | None) -> list[Operand]:
        raise AssertionError("abstract")


class _Falling(Ending):
    """An arm of a branch that goes on behind it: its names are merged there."""

    def names(self, parser: FunctionParser) -> list[str]:
        return []

    def values(self, parser: FunctionParser, exit: gast.AST | None) -> list[Operand]:
        assert exit is None, "desugar moves every exit into a tail position"
        return []


class _Returning(Ending):
    """The body of a function."""

    def names(self, parser: FunctionParser) -> list[str]:
        return ["result"]

    def values(self, parser: FunctionParser, exit: gast.AST | None) -> list[Operand]:
        if exit is None or exit.value is None:
            return [Const(None)]
        return [parser.expression(exit.value)]


class _Looping(Ending):
    """The body of a loop: whether to stop, and the carried names."""

    def __init__(self, carried: list[str]) -> None:
        self.carried = carried

    def names(self, parser: FunctionParser) -> list[str]:
        return ["stop", *(name.partition("@")[0] for name in self.carried)]

    def values(self, parser: FunctionParser, exit: gast.AST | None) -> list[Operand]:
        stop = Const(isinstance(exit, gast.Break))
        return [stop, *(parser.env.get(name, Const(UNBOUND)) for name in self.carried)]


def static_functions(node: gast.AST) -> dict[str, gast.AST]:
    """The functions that a body defines once and never binds again.

    Only those that can be made again anywhere: undecorated, with defaults that are constant.
    """
    definitions = {
        child.name: child
        for child in body_of(node)
        if isinstance(child, gast.FunctionDef)
        and not child.decorator_list
        and all(
            isinstance(default, gast.Constant)
            for default in [*child.args.defaults, *filter(None, child.args.kw_defaults)]
        )
    }
    if not definitions:
        return {}
    stores = stores_of(body_of(node))
    params = set(parameters(node.args))
    return {
        name: definition for name, definition in definitions.items()
        if len(stores[name]) == 1 and name not in params
    }


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


_STATEMENTS = {
    "Try": "`try`", "TryStar": "`try`", "With": "`with`", "AsyncWith": "`async with`",
    "AsyncFor": "`async for`",
    "ClassDef": "a class definition", "AsyncFunctionDef": "an async function",
    "TypeAlias": "a type alias",
}


def _statement_name(node: gast.AST) -> str:
    kind = type(node).__name__
    return _STATEMENTS.get(kind, f"`{kind}`")
