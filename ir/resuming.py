"""The body of a generator function as one that runs from a `yield` to the next: `advance`.

    def powers(x, n):                def advance(self, sent@):
        for i in range(n):               state@ = self.state; self.state = FINISHED
            yield x ** i                 if state@ == 0:
                                             items@1 = iterated(range(n)); state@ = 1
                                         if state@ == 1:
                                             alive@2, i, _ = advanced(items@1)
                                             if not alive@2: return False, UNBOUND, None
                                             self.items_1 = items@1; self.state = 1
                                             return True, x ** i, UNBOUND
                                         return False, UNBOUND, None

Statements around a `yield` are taken apart into blocks that end in a jump; what holds none stays
as it is. A block that is jumped to from one place stands there; the others have numbers, and run
in the order of the source, around which a loop stands if a jump goes back. Blocks in `try` stand in
a `try` of their own. A variable that is read behind a `yield` and was assigned before is stored in
the generator where it stops (`Keep`), and read where it goes on (`Restore`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import gast

from ir import primitives
from ir.desugar import falls_through, leaves
from ir.generators import advanced, closed, iterated
from ir.keeping import Keep, Restore
from ir.liveness import NONE, After, Names, live_before, reads, targets
from ir.node_maker import NodeMaker
from ir.primitives import UNBOUND
from ir.record import node
from ir.scope import FUNCTIONS, assigned, children

Statements = list[Any]
FINISHED = -1
# The parameters of `advance`: the generator, and what `send`, `throw` and `close` bring.
SELF, SENT, THROWN, CLOSING = "self@", "sent@", "thrown@", "closing@"
STATE = "state@"
OUTCOMES = (gast.Break, gast.Continue, gast.Return)


class NotResumable(Exception):
    """A statement of a generator that can't be taken apart; `what` it is, and what to do."""

    def __init__(self, where: Any, what: str, advice: str = "") -> None:
        super().__init__(what)
        self.node, self.what, self.advice = where, what, advice


@node
class Region:
    """The blocks of the body of a `try`; `handlers` with the blocks that they begin with.

    `cleanup` is what runs where an exception leaves; it may go on at `suppressed`.
    """

    parent: Region | None
    where: Any
    handlers: list[tuple[Any, Block]]
    cleanup: Statements | None = None
    suppressed: Block | None = None

    @property
    def entries(self) -> list[Block]:
        """The blocks that exceptions lead to."""
        found = [entry for _, entry in self.handlers]
        return found if self.suppressed is None else [*found, self.suppressed]

    def is_in(self, other: Region | None) -> bool:
        region: Region | None = self
        while region is not None and region is not other:
            region = region.parent
        return region is other


@node
class Block:
    """Statements that run one behind the other, and what then comes."""

    region: Region | None
    like: Any
    statements: Statements
    exit: Jump | Test | Suspend | Finish | None = None


@node
class Jump:
    target: Block


@node
class Test:
    test: Any
    then: Block
    orelse: Block


@node
class Suspend:
    """Gives an item; the generator goes on at `target`."""

    item: Any
    target: Block


@node
class Finish:
    value: Any


@node
class Loop:
    """Where `break` and `continue` lead, with as many cleanups around the loop."""

    after: Block
    head: Block
    depth: int


@node
class Cleanup:
    """What runs where control leaves a region; `close` where a generator is closed in there."""

    region: Region
    statements: Callable[[], Statements]
    close: Callable[[], Statements]


def is_generator(function: Any) -> bool:
    """Whether a function definition has a `yield` of its own."""
    body = [function.body] if isinstance(function, gast.Lambda) else function.body
    return any(map(yields, body))


def yields(node: Any) -> bool:
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, gast.Yield | gast.YieldFrom):
            return True
        if not isinstance(current, FUNCTIONS):
            pending += children(current)
    return False


@node
class Resumable:
    """The statements of `advance`, and what closing the generator runs: own, inner or none."""

    body: Statements
    cleanup: str
    # The variables that count items.
    counts: list[str]


def resumable(
    function: Any, params: list[str], kept: Callable[[str], bool],
    is_builtin: Callable[[str], bool],
) -> Resumable:
    """The body of `advance` for a generator function.

    `kept` says of a name whether it is a variable of this function that `Keep` has to store;
    `params` are those among them that the generator holds from the beginning. `is_builtin` says of
    a name whether it means what Python gives that name.
    """
    machine = _Machine(function, is_builtin)
    body = [function.body] if isinstance(function, gast.Lambda) else function.body
    machine.statements(body)
    machine.finish(NodeMaker(body[-1]).constant(None), body[-1])
    done = _Assembly(machine, function, params, kept).statements()
    cleanup = "own" if machine.has_cleanup else "inner" if machine.delegates else "none"
    return Resumable(done, cleanup, machine.counts)


class _Machine:
    """Takes statements apart into blocks."""

    def __init__(self, function: Any, is_builtin: Callable[[str], bool]) -> None:
        self._serial = count(1)
        self._is_builtin = is_builtin
        self.region: Region | None = None
        self.loops: list[Loop] = []
        self.cleanups: list[Cleanup] = []
        self.blocks: list[Block] = []
        self.resumed: dict[int, Block] = {}
        self.has_cleanup = self.delegates = False
        self.counts: list[str] = []
        self.start = self.at = self.block(function)

    def block(self, like: Any) -> Block:
        made = Block(self.region, like, [])
        self.blocks.append(made)
        return made

    def name(self, base: str) -> str:
        return f"{base}@{next(self._serial)}"

    # Exits

    def append(self, *statements: Any) -> None:
        self.at.statements += statements

    def jump(self, target: Block) -> None:
        if self.at.exit is None:
            self.at.exit = Jump(target)

    def begin(self, block: Block) -> None:
        self.at = block

    def test(self, test: Any, then: Block, orelse: Block) -> None:
        if self.at.exit is None:
            self.at.exit = Test(test, then, orelse)

    def finish(self, value: Any, like: Any) -> None:
        """Ends the generator, past the cleanups around."""
        made = NodeMaker(like)
        if self.cleanups and not isinstance(value, gast.Constant):
            result = self.name("result")
            self.append(made.assign(result, value))
            value = made.load(result)
        self.leave(0, like, lambda: self._end(Finish(value)))

    def _end(self, exit: Finish) -> None:
        if self.at.exit is None:
            self.at.exit = exit

    def leave(
        self, depth: int, like: Any, onward: Callable[[], None], closes: bool = False
    ) -> None:
        """Runs the cleanups above a depth, the last one first, and goes on."""
        outer = self.region, self.cleanups
        while len(self.cleanups) > depth:
            *self.cleanups, cleanup = self.cleanups
            self.region = cleanup.region.parent
            outside = self.block(like)
            self.jump(outside)
            self.begin(outside)
            self.statements(cleanup.close() if closes else cleanup.statements())
        onward()
        self.region, self.cleanups = outer
        self.begin(self.block(like))  # which nothing leads to

    def suspend(self, item: Any, like: Any) -> None:
        """Gives an item; what comes is what runs when the generator goes on."""
        made = NodeMaker(like)
        given = self.name("item")
        self.append(made.assign(given, item))
        target = self.block(like)
        self.resumed[id(target)] = target
        self.at.exit = Suspend(made.load(given), target)
        self.begin(target)

    def check(self, like: Any) -> None:
        """Goes on as `throw` and `close` say, where they brought the generator here."""
        if self.region is None and not self.cleanups:
            return
        made = NodeMaker(like)
        closes, stays = self.block(like), self.block(like)
        self.test(made.load(CLOSING), closes, stays)
        self.begin(closes)
        end = Finish(made.constant(None))
        self.leave(0, like, lambda: self._end(end), closes=True)
        self.begin(stays)
        self._raise_thrown(like)

    def _raise_thrown(self, like: Any) -> None:
        made = NodeMaker(like)
        is_thrown = made.compare(made.load(THROWN), gast.IsNot(), made.constant(None))
        raising, stays = self.block(like), self.block(like)
        self.test(is_thrown, raising, stays)
        raising.statements.append(made.node(gast.Raise(exc=made.load(THROWN), cause=None)))
        self.begin(stays)

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
            self.append(_with_outcomes(statement))
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
        if any(_has_loop_return(statement) for statement in [node]):
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

        body = [_replacing(node, replaced), made.node(gast.Break())]
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
            entry = self.block(handler)
            self.begin(entry)
            region.handlers.append((handler, entry))
            made = NodeMaker(handler)
            if handler.name is None:
                self.statements(handler.body)
            else:
                caught = _caught(handler)
                self.append(made.assign(handler.name.id, made.load(caught)))
                self.statements(_raising_again(handler.body, handler.name.id))
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
                primitives.special_method, made.load(manager), made.constant(method)
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
        self.cleaned(node, body, [_Named(made, error), again], lambda: closed, lambda: aborted)

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
        parts = [(field, i, part) for field, i, part in _parts_of(node)]
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
        end = Finish(made.constant(None))
        self.leave(0, node, lambda: self._end(end), closes=True)
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


class _Named(gast.AST):  # type: ignore[misc]
    """The name under which a cleanup knows the exception that leaves."""

    _fields = ()

    def __init__(self, made: NodeMaker, name: str) -> None:
        super().__init__()
        self.name = name


def _caught(handler: Any) -> str:
    return f"{handler.name.id}@{handler.lineno}.{handler.col_offset}"


def _parts_of(node: Any) -> Iterable[tuple[str, int | None, Any]]:
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            yield from ((field, i, item) for i, item in enumerate(value)
                        if isinstance(item, gast.AST) and item._fields)
        elif isinstance(value, gast.AST) and value._fields:
            yield field, None, value


def _has_loop_return(statement: Any) -> bool:
    """Whether a `return` stands in a loop of a statement."""
    return any(
        isinstance(node, gast.For | gast.While) and gast.Return in leaves(node)
        for node in gast.walk(statement) if isinstance(node, gast.stmt)
    )


def _copied(node: Any, **changed: Any) -> Any:
    fields = {field: getattr(node, field, None) for field in node._fields}
    return gast.copy_location(type(node)(**{**fields, **changed}), node)


def _replacing(
    node: Any, replaced: Callable[[Any], Statements], kinds: tuple[type, ...] = OUTCOMES
) -> Any:
    """A statement with others in the place of the exits that leave it."""
    def inside(statements: Statements, inner: tuple[type, ...]) -> Statements:
        done: Statements = []
        for statement in statements:
            if isinstance(statement, inner):
                done += replaced(statement)
            else:
                done.append(_replacing(statement, replaced, inner))
        return done

    if isinstance(node, FUNCTIONS) or not leaves(node) & set(kinds):
        return node
    changed: dict[str, Any] = {}
    is_loop = isinstance(node, gast.For | gast.While)
    for field in ("body", "orelse", "finalbody"):
        if isinstance(getattr(node, field, None), list):
            inner = (gast.Return,) if is_loop and field == "body" else kinds
            changed[field] = inside(getattr(node, field), tuple(set(inner) & set(kinds)))
    if getattr(node, "handlers", None):
        changed["handlers"] = [
            _copied(handler, body=inside(handler.body, kinds)) for handler in node.handlers
        ]
    return _copied(node, **changed)


def outcome(like: Any, alive: bool, item: Any, value: Any) -> Any:
    """What `advance` returns: whether it gives an item, the item, or the generator's value."""
    made = NodeMaker(like)
    parts = [made.constant(alive), item, value]
    whole = made.node(gast.Tuple(elts=parts, ctx=gast.Load()))
    return made.node(gast.Return(value=whole))


def _with_outcomes(statement: Any) -> Any:
    """A statement that stays as it is, with what `advance` returns in the place of `return`."""
    def replaced(exit: Any) -> Statements:
        made = NodeMaker(exit)
        value = exit.value or made.constant(None)
        return [outcome(exit, False, made.constant(UNBOUND), value)]

    return _replacing(statement, replaced, (gast.Return,))


def _raising_again(statements: Statements, name: str) -> Statements:
    """The statements of a handler that stands outside of its `except`."""
    done: Statements = []
    for statement in statements:
        if isinstance(statement, gast.Raise) and statement.exc is None:
            done.append(NodeMaker(statement).node(
                gast.Raise(exc=NodeMaker(statement).load(name), cause=None)
            ))
        else:
            done.append(statement)
    return done


class _Assembly:
    """Puts blocks together to statements, with what is kept between two `yield`s."""

    def __init__(
        self, machine: _Machine, function: Any, params: list[str], kept: Callable[[str], bool]
    ) -> None:
        self._machine = machine
        self._like = machine.start.like
        self._kept = kept
        self._params = frozenset(params)
        self._own = self._params.union(
            assigned(statement for block in machine.blocks for statement in block.statements)
        )
        self._resumed = machine.resumed
        self._thread_jumps()
        self._blocks = self._reached()
        self._live = self._liveness()
        self._dirty, self._bound = self._assignments()
        self._in: dict[int, int] = {}
        for block in self._blocks:
            for target in self._targets(block):
                self._in[id(target)] = self._in.get(id(target), 0) + 1
        self._number()

    # What leads where

    def _thread_jumps(self) -> None:
        """Lets a generator go on where an empty block would lead it."""
        for block in self._machine.blocks:
            if isinstance(block.exit, Suspend):
                seen: set[int] = set()
                while (
                    isinstance(block.exit.target.exit, Jump)
                    and not block.exit.target.statements
                    and block.exit.target.region is block.exit.target.exit.target.region
                    and id(block.exit.target) not in seen
                ):
                    seen.add(id(block.exit.target))
                    block.exit.target = block.exit.target.exit.target
                self._resumed[id(block.exit.target)] = block.exit.target

    def _targets(self, block: Block) -> list[Block]:
        match block.exit:
            case Jump(target):
                return [target]
            case Test(_, then, orelse):
                return [then, orelse]
            case _:
                return []

    def _onward(self, block: Block) -> list[Block]:
        """The blocks that may come behind one, in this run of `advance` or in a later one."""
        found = self._targets(block)
        if isinstance(block.exit, Suspend):
            found = [block.exit.target]
        region = block.region
        while region is not None:
            found += region.entries
            region = region.parent
        return found

    def _reached(self) -> list[Block]:
        seen: set[int] = set()
        pending = [self._machine.start]
        while pending:
            block = pending.pop()
            if id(block) not in seen:
                seen.add(id(block))
                pending += self._onward(block)
        return [block for block in self._machine.blocks if id(block) in seen]

    # Variables

    def _exit_reads(self, block: Block) -> Names:
        match block.exit:
            case Test(test, _, _):
                return reads([test])
            case Suspend(item, _):
                return reads([item])
            case Finish(value):
                return reads([value])
            case _:
                return NONE

    def _failing(self, region: Region | None, live: dict[int, Names]) -> Names:
        """What is read where a block of a region fails."""
        found: Names = NONE
        while region is not None:
            for handler, entry in region.handlers:
                caught = frozenset() if handler.name is None else frozenset([_caught(handler)])
                types = reads(filter(None, [handler.type]))
                found |= types | (live[id(entry)] - caught)
            if region.cleanup is not None:
                found |= reads(region.cleanup) - _named(region.cleanup)
            if region.suppressed is not None:
                found |= live[id(region.suppressed)]
            region = region.parent
        return found

    def _liveness(self) -> dict[int, Names]:
        live: dict[int, Names] = {id(block): NONE for block in self._blocks}
        changed = True
        while changed:
            changed = False
            for block in reversed(self._blocks):
                onward = self._targets(block)
                if isinstance(block.exit, Suspend):
                    onward = [block.exit.target]
                falling = NONE.union(*(live[id(target)] for target in onward))
                falling |= self._exit_reads(block)
                after = After(falling, failing=self._failing(block.region, live))
                found = live_before(block.statements, after) | after.failing
                if found != live[id(block)]:
                    live[id(block)], changed = found, True
        return live

    def _assignments(self) -> tuple[dict[int, Names], dict[int, Names]]:
        """For each block, what may have been assigned since the generator went on, and what has
        certainly been assigned, where it begins."""
        dirty: dict[int, Names] = {id(self._machine.start): self._own - self._params}
        bound: dict[int, Names] = {id(self._machine.start): self._params}
        pending = [self._machine.start]
        while pending:
            block = pending.pop(0)
            stored = dirty[id(block)] | frozenset(assigned(block.statements))
            sure = bound[id(block)]
            for statement in block.statements:
                match statement:
                    case gast.Assign(targets=found):
                        sure |= targets(found)
                    case gast.AugAssign(target=found) | gast.For(target=found):
                        sure |= targets([found]) if isinstance(statement, gast.AugAssign) else NONE
                    case gast.FunctionDef(name=name):
                        sure |= {name}
                    case _:
                        pass
                sure -= _unbound_by(statement)
            direct = self._targets(block)
            for target in self._onward(block):
                is_resumed = isinstance(block.exit, Suspend) and target is block.exit.target
                new_dirty = NONE if is_resumed else stored
                # A handler may begin anywhere in the block.
                is_handler = not is_resumed and not any(target is other for other in direct)
                new_bound = bound[id(block)] & sure if is_handler else sure
                known = dirty.get(id(target))
                merged = new_dirty if known is None else known | new_dirty
                held = new_bound if known is None else bound[id(target)] & new_bound
                if known is None or merged != known or held != bound[id(target)]:
                    dirty[id(target)], bound[id(target)] = merged, held
                    pending.append(target)
        return dirty, bound

    def _names_at(self, block: Block) -> list[str]:
        """The variables that a generator which goes on at a block has kept."""
        return sorted(n for n in self._live[id(block)] & self._own if self._kept(n))

    # Statements

    def _number(self) -> None:
        """Numbers the blocks that stand for themselves, those of a region in a row."""
        machine = self._machine
        stands = [
            block for block in self._blocks
            if block is machine.start or id(block) in self._resumed
            or self._in.get(id(block), 0) > 1 or self._enters(block)
        ]
        self._items: dict[int, list[Block | Region]] = {}
        placed: set[int] = set()
        for block in stands:
            item: Block | Region = block
            region = block.region
            while True:
                place = self._items.setdefault(id(region) if region else 0, [])
                if id(item) in placed:
                    break
                placed.add(id(item))
                place.append(item)
                if region is None:
                    break
                item, region = region, region.parent
        self._state: dict[int, int] = {}
        self._range: dict[int, tuple[int, int]] = {}
        self._count = count()
        self._number_items(0)

    def _number_items(self, key: int) -> None:
        for item in self._items.get(key, ()):
            if isinstance(item, Block):
                self._state[id(item)] = next(self._count)
            else:
                first = len(self._state)
                self._number_items(id(item))
                self._range[id(item)] = first, len(self._state) - 1

    def _enters(self, block: Block) -> bool:
        """Whether a block is come to from another region, or by an exception."""
        if any(entry is block for region in self._regions() for entry in region.entries):
            return True
        return any(
            target is block and source.region is not block.region
            for source in self._blocks for target in self._targets(source)
        )

    def _regions(self) -> list[Region]:
        found: dict[int, Region] = {}
        for block in self._blocks:
            region = block.region
            while region is not None:
                found[id(region)] = region
                region = region.parent
        return list(found.values())

    def statements(self) -> Statements:
        made = NodeMaker(self._like)
        ended = outcome(self._like, False, made.constant(UNBOUND), made.constant(None))
        stopped, chain = self._stopped(made, ended), self._chain(0)
        for block in self._blocks:
            restored = self._restored(block) if self._in.get(id(block)) else []
            if restored:  # not where other blocks lead to it
                number = made.constant(self._state[id(block)])
                test = made.compare(made.load(STATE), gast.Eq(), number)
                stopped.append(made.branch(test, restored))
        if not self._goes_back(0):
            return [*stopped, *chain, ended]
        done = made.compare(made.load(STATE), gast.Eq(), made.constant(FINISHED))
        loop = made.node(gast.While(test=made.constant(True), body=chain, orelse=[]))
        return [*stopped, made.branch(done, [ended]), loop]

    def _stopped(self, made: NodeMaker, ended: Any) -> Statements:
        """What `close` and `throw` do where the generator stopped in no `try` or `yield from`."""
        raising = made.node(gast.Raise(exc=made.load(THROWN), cause=None))
        is_thrown = made.compare(made.load(THROWN), gast.IsNot(), made.constant(None))
        checks = [
            made.branch(made.load(CLOSING), [ended]), made.branch(is_thrown, [raising])
        ]
        outside = [
            made.compare(made.load(STATE), gast.NotEq(), made.constant(self._state[id(block)]))
            for block in self._blocks if id(block) in self._resumed and _asks(block)
        ]
        if not outside:
            return checks
        test = outside[0] if len(outside) == 1 else made.node(
            gast.BoolOp(op=gast.And(), values=outside)
        )
        return [made.branch(made.node(gast.BoolOp(op=gast.Or(), values=[
            made.load(CLOSING), is_thrown,
        ])), [made.branch(test, checks)])]

    def _goes_back(self, key: int) -> bool:
        """Whether a jump among the items of a region leads to itself or to one before."""
        items = self._items.get(key, [])
        for position, item in enumerate(items):
            for block in self._blocks_in(item):
                for target in self._leading(block):
                    state = self._state.get(id(target))
                    if state is None:
                        continue
                    at = self._position(items, target)
                    is_inner = isinstance(item, Region) and at == position
                    if at is not None and at <= position and not is_inner:
                        return True
        return False

    def _leading(self, block: Block) -> list[Block]:
        found = self._targets(block)
        region = block.region
        while region is not None:
            found += region.entries
            region = region.parent
        return found

    def _position(self, items: list[Block | Region], block: Block) -> int | None:
        for i, item in enumerate(items):
            if item is block or (
                isinstance(item, Region) and block.region and block.region.is_in(item)
            ):
                return i
        return None

    def _blocks_in(self, item: Block | Region) -> list[Block]:
        if isinstance(item, Region):
            return [b for b in self._blocks if b.region is not None and b.region.is_in(item)]
        found, pending = [], [item]
        while pending:
            block = pending.pop()
            found.append(block)
            pending += [t for t in self._targets(block) if id(t) not in self._state]
        return found

    def _chain(self, key: int) -> Statements:
        done: Statements = []
        for item in self._items.get(key, ()):
            if isinstance(item, Block):
                made = NodeMaker(item.like)
                number = made.constant(self._state[id(item)])
                test = made.compare(made.load(STATE), gast.Eq(), number)
                done.append(made.branch(test, self._emitted(item)))
            else:
                done.append(self._guarded(item))
        return done

    def _guarded(self, region: Region) -> Any:
        made = NodeMaker(region.where)
        first, last = self._range[id(region)]
        inside = made.node(gast.Compare(
            left=made.constant(first), ops=[gast.LtE(), gast.LtE()],
            comparators=[made.load(STATE), made.constant(last)],
        ))
        body = self._chain(id(region))
        if self._goes_back(id(region)):
            body = [made.node(gast.While(test=inside, body=body, orelse=[]))]
        handlers = []
        for handler, entry in region.handlers:
            here = NodeMaker(handler)
            named = None if handler.name is None else here.store(_caught(handler) + "e")
            onward: Statements = []
            if handler.name is not None:
                onward.append(here.assign(
                    _caught(handler), here.load(_caught(handler) + "e")
                ))
            onward.append(here.assign(STATE, here.constant(self._state[id(entry)])))
            handlers.append(here.node(
                gast.ExceptHandler(type=handler.type, name=named, body=onward)
            ))
        if region.cleanup is not None:
            name = next((s.name for s in region.cleanup if isinstance(s, _Named)), None)
            rest = [s for s in region.cleanup if not isinstance(s, _Named)]
            if region.suppressed is not None:
                state = self._state[id(region.suppressed)]
                rest.append(made.assign(STATE, made.constant(state)))
            handlers = [made.node(gast.ExceptHandler(
                type=None if name is None else made.constant(BaseException),
                name=None if name is None else made.store(name), body=rest,
            ))]
        whole = gast.Try(body=body, handlers=handlers, orelse=[], finalbody=[])
        return made.branch(inside, [made.node(whole)])

    def _emitted(self, block: Block) -> Statements:
        done: Statements = []
        if not self._in.get(id(block)):
            done += self._restored(block)
        done += block.statements
        made = NodeMaker(block.like)
        match block.exit:
            case Jump(target):
                done += self._led(target, made)
            case Test(test, then, orelse):
                made = NodeMaker(test)
                first, second = self._led(then, made), self._led(orelse, made)
                done.append(made.branch(test, first or [made.node(gast.Pass())], second))
            case Suspend(item, target):
                state = self._state[id(target)]
                dirty = self._dirty[id(block)] | frozenset(assigned(block.statements))
                names = [name for name in self._names_at(target) if name in dirty]
                made = NodeMaker(item)
                done.append(made.node(Keep([made.load(name) for name in names], state)))
                done.append(outcome(item, True, item, made.constant(UNBOUND)))
            case Finish(value):
                done.append(outcome(value, False, made.constant(UNBOUND), value))
            case None if falls_through(block.statements):
                raise AssertionError("a block without an exit")
            case None:
                pass
        return done

    def _restored(self, block: Block) -> Statements:
        """Reads what was kept where a generator goes on at a block."""
        names = self._names_at(block)
        if block is self._machine.start:
            names = [name for name in names if name in self._params]
        elif id(block) not in self._resumed:
            return []
        if not names:
            return []
        made = NodeMaker(block.like)
        unsure = frozenset(names) - self._bound[id(block)]
        return [made.node(Restore([made.store(name) for name in names], unsure))]

    def _led(self, target: Block, made: NodeMaker) -> Statements:
        number = self._state.get(id(target))
        if number is None:
            return self._emitted(target)
        return [made.assign(STATE, made.constant(number))]


def _asks(block: Block) -> bool:
    """Whether a block that a generator goes on at looks at what `close` and `throw` brought."""
    return isinstance(block.exit, Test) and CLOSING in reads([block.exit.test])


def _named(cleanup: Statements) -> Names:
    return frozenset(item.name for item in cleanup if isinstance(item, _Named))


def _unbound_by(statement: Any) -> Names:
    """The variables that a statement may leave without a value."""
    found: set[str] = set()
    pending = [statement]
    while pending:
        current = pending.pop()
        if isinstance(current, gast.Name) and isinstance(current.ctx, gast.Del):
            found.add(current.id)
        if isinstance(current, gast.ExceptHandler) and current.name is not None:
            found.add(current.name.id)
        if not isinstance(current, FUNCTIONS):
            pending += children(current)
    if isinstance(statement, gast.Assign) and isinstance(statement.value, gast.Constant):
        if statement.value.value is UNBOUND:
            found |= targets(statement.targets)
    return frozenset(found)
