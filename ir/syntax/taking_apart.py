"""Takes the body of a generator function apart into blocks that end in a jump (`ir.syntax.jumps`).

    for x in xs:                     items@1 = iterated(xs); jump to 1
        yield x * y         ->    1: alive@2, x, _ = advanced(items@1); test alive@2: 2, else 3
                                  2: suspend with x * y, go on at 1
                                  3: finish
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from ir import try_primitives
from ir.generators import advanced, closed, iterated
from ir.primitives import UNBOUND
from ir.syntax.block_building import (
    BlockBuilder,
    Named,
    caught_name,
    copied,
    has_loop_return,
    parts_of,
    raises_again,
    raising_again,
    replacing,
    with_outcomes,
)
from ir.syntax.desugar import leaves
from ir.syntax.jumps import (
    CLOSING,
    OUTCOMES,
    SENT,
    THROWN,
    Block,
    Cleanup,
    Loop,
    NotResumable,
    Region,
    Statements,
    yields,
)
from ir.syntax.node_maker import NodeMaker


class TakenApart(BlockBuilder):
    """Takes statements apart into blocks."""

    # Statements

    def statements(self, statements: Statements) -> None:
        for statement in statements:
            self.statement(statement)

    def is_plain(self, statement: Any) -> bool:
        """Whether a statement stays as it is, but for the `return`s in it."""
        left = leaves(statement)
        is_inside = gast.Break not in left and gast.Continue not in left
        return not yields(statement) and is_inside and (
            not self.cleanups or gast.Return not in left
        )

    def statement(self, statement: Any) -> None:
        if self.is_plain(statement) and not isinstance(statement, gast.Return):
            self.append(with_outcomes(statement))
            return
        match statement:
            case gast.Return():
                value = statement.value
                if value is None:
                    value = NodeMaker(statement).constant(None)
                self.finish(self.hoisted(value), statement)
            case gast.Break() | gast.Continue():
                loop = self.loops[-1]
                is_break = isinstance(statement, gast.Break)
                target = loop.after if is_break else loop.head
                self.leave(loop.depth, statement, lambda: self.jump(target))
            case gast.Expr(value=gast.Yield(value=value)):
                self.give(value, statement)
            case gast.If():
                self.branch(statement)
            case gast.While():
                self.while_loop(statement)
            case gast.For():
                self.for_loop(statement)
            case gast.Try() if not yields(statement):
                self.plain_try(statement)
            case gast.Try():
                self.guarded(statement)
            case gast.With():
                self.with_(statement)
            case gast.Assign() | gast.AugAssign() | gast.AnnAssign() | gast.Expr() | gast.Raise():
                self.simple(statement)
            case gast.Assert():
                made = NodeMaker(statement)
                error = made.call(AssertionError, *filter(None, [statement.msg]))
                failing = made.node(gast.Raise(exc=error, cause=None))
                negated = made.node(gast.UnaryOp(op=gast.Not(), operand=statement.test))
                if __debug__:
                    self.branch(made.branch(negated, [failing]))
            case _:
                raise NotResumable(statement, "a `yield` in this statement is not supported")

    def simple(self, statement: Any) -> None:
        """A statement with `yield` in one of its expressions."""
        new = type(statement)(**{
            field: getattr(statement, field, None) for field in statement._fields
        })
        gast.copy_location(new, statement)
        if isinstance(statement, gast.AugAssign):
            if not isinstance(statement.target, gast.Name):
                raise NotResumable(
                    statement, "a `yield` in an augmented assignment to a part is not supported",
                    "assign what it gives to a variable before",
                )
            # Python reads the variable before it computes the value.
            before = self.name("before")
            made = NodeMaker(statement)
            self.append(made.assign(before, made.load(statement.target.id)))
            value = self.hoisted(statement.value)
            old, after = self.name("old"), made.load(before)
            self.append(made.assign(old, value))
            self.append(made.assign(statement.target.id, after))
            new.value = made.load(old)
            self.append(new)
            return
        if any(map(yields, getattr(statement, "targets", ()))):
            raise NotResumable(statement, "a `yield` in a target is not supported")
        for field in ("value", "exc"):
            if getattr(statement, field, None) is not None:
                setattr(new, field, self.hoisted(getattr(statement, field)))
        if isinstance(new, gast.Expr) and isinstance(new.value, gast.Name | gast.Constant):
            return
        self.append(new)

    def give(self, value: Any, like: Any) -> None:
        item = NodeMaker(like).constant(None) if value is None else self.hoisted(value)
        self.suspend(item, like)
        self.check(like)

    def branch(self, node: Any) -> None:
        test = self.hoisted(node.test)
        then, orelse, after = (self.block(node) for _ in range(3))
        self.test(test, then, orelse)
        for block, statements in ((then, node.body), (orelse, node.orelse)):
            self.begin(block)
            self.statements(statements)
            self.jump(after)
        self.arrive(after)

    def arrive(self, after: Block) -> None:
        """Goes on at a block that stands behind those made since."""
        self.blocks.remove(after)
        self.blocks.append(after)
        self.begin(after)

    def while_loop(self, node: Any) -> None:
        head, body, orelse, after = (self.block(node) for _ in range(4))
        self.jump(head)
        self.begin(head)
        is_endless = isinstance(node.test, gast.Constant) and bool(node.test.value)
        if is_endless:
            self.jump(body)
        else:
            self.test(self.hoisted(node.test), body, orelse)
        self._loop(node, head, body, orelse, after)

    def _loop(self, node: Any, head: Block, body: Block, orelse: Block, after: Block) -> None:
        self.loops.append(Loop(after, head, len(self.cleanups)))
        self.begin(body)
        self.statements(node.body)
        self.jump(head)
        self.loops.pop()
        self.begin(orelse)
        self.statements(node.orelse)
        self.jump(after)
        self.arrive(after)

    def counted_loop(self, node: Any) -> None:
        """A loop over `range(n)` or `range(a, n)`, which needs no iterator."""
        made = NodeMaker(node.iter)
        position, count = self.name("position"), self.name("count")
        self.counts += [position, count]
        first, *_ = arguments = [self._kept(self.hoisted(arg)) for arg in node.iter.args]
        whole = made.node(gast.Call(func=node.iter.func, args=arguments, keywords=[]))
        self.append(made.assign(count, made.call(len, whole)))
        self.append(made.assign(position, made.constant(0)))
        head, body, orelse, after = (self.block(node) for _ in range(4))
        self.jump(head)
        self.begin(head)
        self.test(made.compare(made.load(position), gast.Lt(), made.load(count)), body, orelse)
        item = made.load(position)
        if len(arguments) > 1:
            item = made.node(gast.BinOp(left=first, op=gast.Add(), right=item))
        onward = made.node(gast.BinOp(
            left=made.load(position), op=gast.Add(), right=made.constant(1)
        ))
        taken = gast.Assign(targets=[node.target], value=item, type_comment=None)
        body.statements += [made.node(taken), made.assign(position, onward)]
        self._loop(node, head, body, orelse, after)

    def _is_counted(self, iterable: Any) -> bool:
        return (
            isinstance(iterable, gast.Call) and isinstance(iterable.func, gast.Name)
            and iterable.func.id == "range" and self._is_builtin("range")
            and 0 < len(iterable.args) < 3 and not iterable.keywords
            and not any(isinstance(arg, gast.Starred) for arg in iterable.args)
        )

    def for_loop(self, node: Any) -> None:
        if self._is_counted(node.iter):
            self.counted_loop(node)
            return
        made = NodeMaker(node.iter)
        items, alive, item = self.name("items"), self.name("alive"), self.name("item")
        iterable = self.hoisted(node.iter)
        self.append(made.assign(items, made.call(iterated, iterable)))
        head, body, orelse, after = (self.block(node) for _ in range(4))
        self.jump(head)
        self.begin(head)
        self.append(self.advancing(made, alive, item, self.name("result"), made.load(items)))
        self.test(made.load(alive), body, orelse)
        taken = gast.Assign(targets=[node.target], value=made.load(item), type_comment=None)
        body.statements.append(made.node(taken))
        self._loop(node, head, body, orelse, after)

    def advancing(
        self, made: NodeMaker, alive: str, item: str, result: str, *args: Any
    ) -> Any:
        names = [made.store(name) for name in (alive, item, result)]
        return made.unpack(names, made.call(advanced, *args))

    # `try`

    def plain_try(self, node: Any) -> None:
        """A `try` without `yield` that is left by `break`, `continue` or `return`."""
        if any(has_loop_return(statement) for statement in [node]):
            self.guarded(node)
            return
        made = NodeMaker(node)
        leave, result = self.name("leave"), self.name("result")
        codes = {kind: number for number, kind in enumerate(OUTCOMES, start=1)}

        def replaced(exit: Any) -> Statements:
            here = NodeMaker(exit)
            noted = [here.assign(leave, here.constant(codes[type(exit)])), here.node(gast.Break())]
            if isinstance(exit, gast.Return):
                value = exit.value or here.constant(None)
                noted.insert(0, here.assign(result, value))
            return noted

        body = [replacing(node, replaced), made.node(gast.Break())]
        self.append(made.assign(leave, made.constant(0)))
        if gast.Return in leaves(node):
            self.append(made.assign(result, made.constant(None)))
        self.append(made.node(gast.While(test=made.constant(True), body=body, orelse=[])))
        for kind in OUTCOMES:
            if kind in leaves(node):
                exit = gast.Return(value=made.load(result)) if kind is gast.Return else kind()
                test = made.compare(made.load(leave), gast.Eq(), made.constant(codes[kind]))
                self.branch(made.branch(test, [made.node(exit)]))

    def guarded(self, node: Any) -> None:
        if node.finalbody:
            if any(map(yields, node.finalbody)):
                raise NotResumable(node, "a `yield` in `finally` is not supported")
            inner: Statements = node.body
            if node.handlers:
                whole = gast.Try(
                    body=node.body, handlers=node.handlers, orelse=node.orelse, finalbody=[]
                )
                inner = [gast.copy_location(whole, node)]
            again = gast.copy_location(gast.Raise(exc=None, cause=None), node)
            cleanup = [*node.finalbody, again]
            self.cleaned(node, inner, cleanup, lambda: node.finalbody, None)
            return
        after, orelse = self.block(node), self.block(node)
        outer = self.region
        self.region = region = Region(outer, node, [])
        body = self.block(node)
        self.jump(body)
        self.begin(body)
        self.statements(node.body)
        self.jump(orelse)
        self.region = outer
        self.arrive(orelse)
        self.statements(node.orelse)
        self.jump(after)
        for handler in node.handlers:
            made = NodeMaker(handler)
            if handler.name is None and raises_again(handler.body):
                handler = copied(handler, name=made.store(self.name("error")))
            entry = self.block(handler)
            self.begin(entry)
            region.handlers.append((handler, entry))
            if handler.name is None:
                self.statements(handler.body)
            else:
                caught = caught_name(handler)
                self.append(made.assign(handler.name.id, made.load(caught)))
                self.statements(raising_again(handler.body, caught))
                self.append(made.assign(handler.name.id, made.constant(UNBOUND)))
            self.jump(after)
        self.arrive(after)

    def cleaned(
        self, node: Any, inner: Statements, cleanup: Statements,
        closing: Callable[[], Statements], close: Callable[[], Statements] | None,
    ) -> None:
        """`inner`, behind which `closing` runs, or `cleanup` where an exception leaves it."""
        self.has_cleanup = True
        outer, after = self.region, self.block(node)
        self.region = region = Region(outer, node, [], cleanup)
        if close is not None:
            region.suppressed = after
        body = self.block(node)
        self.jump(body)
        self.begin(body)
        depth = len(self.cleanups)
        self.cleanups = [*self.cleanups, Cleanup(region, closing, close or closing)]
        self.statements(inner)
        self.leave(depth, node, lambda: self.jump(after))
        self.region, self.cleanups = outer, self.cleanups[:depth]
        self.arrive(after)

    def with_(self, node: Any) -> None:
        item, *others = node.items
        made = NodeMaker(item.context_expr)
        body = node.body
        if others:
            inner = gast.With(items=others, body=body, type_comment=None)
            body = [gast.copy_location(inner, node)]
        manager, enter, leave = map(self.name, ("manager", "enter", "exit"))
        self.append(made.assign(manager, self.hoisted(item.context_expr)))
        for name, method in ((enter, "__enter__"), (leave, "__exit__")):
            found = made.call(
                try_primitives.special_method, made.load(manager), made.constant(method)
            )
            self.append(made.assign(name, found))
        entered = made.node(gast.Call(func=made.load(enter), args=[], keywords=[]))
        if item.optional_vars is None:
            self.append(made.node(gast.Expr(value=entered)))
        else:
            value = self.name("entered")
            self.append(made.assign(value, entered))
            target = gast.Assign(
                targets=[item.optional_vars], value=made.load(value), type_comment=None
            )
            body = [made.node(target), *body]

        def left(*args: Any) -> Any:
            return made.node(gast.Call(func=made.load(leave), args=list(args), keywords=[]))

        nothing = [made.constant(None) for _ in range(3)]
        closed = [made.node(gast.Expr(value=left(*nothing)))]
        error = self.name("error")
        trace = gast.Attribute(value=made.load(error), attr="__traceback__", ctx=gast.Load())
        failing = left(made.call(type, made.load(error)), made.load(error), made.node(trace))
        stays = made.node(gast.UnaryOp(op=gast.Not(), operand=failing))
        again = made.branch(stays, [made.node(gast.Raise(exc=None, cause=None))])
        exits = made.call(GeneratorExit)
        aborted = [made.node(gast.Expr(value=left(
            made.constant(GeneratorExit), exits, made.constant(None)
        )))]
        self.cleaned(node, body, [Named(made, error), again], lambda: closed, lambda: aborted)

    # Expressions

    def hoisted(self, node: Any) -> Any:
        """The expression with what it yields before it, in Python's order."""
        if node is None or not yields(node):
            return node
        made = NodeMaker(node)
        match node:
            case gast.Yield():
                self.give(node.value, node)
                value = self.name("sent")
                self.append(made.assign(value, made.load(SENT)))
                return made.load(value)
            case gast.YieldFrom():
                return self.delegated(node)
            case gast.BoolOp():
                result = self.name("value")
                self._short_circuit(node, node.values, result)
                return made.load(result)
            case gast.IfExp():
                result = self.name("value")
                self.branch(made.branch(
                    node.test, [made.assign(result, node.body)],
                    [made.assign(result, node.orelse)],
                ))
                return made.load(result)
            case gast.NamedExpr():
                self.append(made.assign(node.target.id, self.hoisted(node.value)))
                return made.load(node.target.id)
            case gast.Compare() if len(node.ops) > 1:
                raise NotResumable(node, "a `yield` in a chain of comparisons is not supported")
            case gast.BinOp() | gast.UnaryOp() | gast.Compare() | gast.Call() | gast.Tuple() | (
                gast.List() | gast.Set() | gast.Subscript() | gast.Attribute() | gast.Starred()
                | gast.keyword() | gast.Slice()
            ):
                return self._parts(node)
            case _:
                raise NotResumable(
                    node, "a `yield` in this expression is not supported",
                    "assign what it gives to a variable before",
                )

    def _short_circuit(self, node: Any, values: Statements, result: str) -> None:
        made = NodeMaker(node)
        self.append(made.assign(result, self.hoisted(values[0])))
        if len(values) == 1:
            return
        test = made.load(result)
        if isinstance(node.op, gast.Or):
            test = made.node(gast.UnaryOp(op=gast.Not(), operand=test))
        then, after = self.block(node), self.block(node)
        self.test(test, then, after)
        self.begin(then)
        self._short_circuit(node, values[1:], result)
        self.jump(after)
        self.arrive(after)

    def _parts(self, node: Any) -> Any:
        """An expression whose parts are evaluated one behind the other."""
        parts = [(field, i, part) for field, i, part in parts_of(node)]
        last = max(k for k, (_, _, part) in enumerate(parts) if yields(part))
        new = type(node)(**{field: getattr(node, field, None) for field in node._fields})
        for field in node._fields:
            if isinstance(getattr(new, field, None), list):
                setattr(new, field, list(getattr(new, field)))
        gast.copy_location(new, node)
        for k, (field, i, part) in enumerate(parts):
            if k > last:
                break
            done = self.hoisted(part)
            if k < last and not isinstance(done, gast.Constant):
                done = self._kept(done)
            if i is None:
                setattr(new, field, done)
            else:
                getattr(new, field)[i] = done
        return new

    def _kept(self, part: Any) -> Any:
        """A part that is evaluated here, whatever is assigned before it is used."""
        made = NodeMaker(part)
        if isinstance(part, gast.Starred | gast.keyword):
            part.value = self._kept(part.value)
            return part
        if isinstance(part, gast.Slice):
            raise NotResumable(part, "a `yield` behind a slice is not supported")
        value = self.name("value")
        self.append(made.assign(value, part))
        return made.load(value)

    def delegated(self, node: Any) -> Any:
        """The value of `yield from`."""
        self.delegates = True
        made = NodeMaker(node)
        items, given, alive, item, result = map(
            self.name, ("items", "given", "alive", "item", "result")
        )
        iterable = self.hoisted(node.value)
        self.append(made.assign(items, made.call(iterated, iterable)))
        self.append(made.assign(given, made.constant(None)))
        head, body, after = (self.block(node) for _ in range(3))
        self.jump(head)
        self.begin(head)
        self.append(self.advancing(
            made, alive, item, result, made.load(items), made.load(given)
        ))
        self.test(made.load(alive), body, after)
        self.begin(body)
        self.suspend(made.load(item), node)
        closes, stays = self.block(node), self.block(node)
        self.test(made.load(CLOSING), closes, stays)
        self.begin(closes)
        self.append(made.node(gast.Expr(value=made.call(
            closed, made.load(items)
        ))))
        self.close(node)
        self.begin(stays)
        thrown, plain = self.block(node), self.block(node)
        is_thrown = made.compare(made.load(THROWN), gast.IsNot(), made.constant(None))
        self.test(is_thrown, thrown, plain)
        self.begin(thrown)
        self.append(self.advancing(
            made, alive, item, result, made.load(items), made.constant(None), made.load(THROWN)
        ))
        self.test(made.load(alive), body, after)
        self.begin(plain)
        self.append(made.assign(given, made.load(SENT)))
        self.jump(head)
        self.arrive(after)
        return made.load(result)
