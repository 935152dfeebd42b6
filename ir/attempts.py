"""`try` and `with` to smaller syntax: one guarded body, one handler, no exit inside of the body.

    try:                              attempt:
        return 1 / table[key]             result@2 = 1 / table[key]
    except KeyError as e:             failing with (KeyError, ZeroDivisionError) as e@1:
        log(e)                ==>         if isinstance(e@1, KeyError):
    except ZeroDivisionError:                 e = e@1; log(e); del e
        return 0.0                        else:
                                              return 0.0
                                      else:
                                          return result@2

What a body has done before it fails must outlast the failure if somebody sees it: a variable that
the handlers or the code behind read, a change in place. So a body is cut behind each such
statement. The pieces keep their error, the last one raises it again where the handler is:

    try:                              attempt: y = f(x)
        y = f(x)                      failing as caught@2: error@1 = caught@2
        z = g(y)              ==>     attempt:
    except ValueError:                    if error@1 is not None: raise error@1
        z = y                             z = g(y)
                                      failing with ValueError as error@3: z = y

`finally` is in two places, as CPython has it: in a handler that raises again, and behind the body.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from typing import Any

import gast

from ir import primitives
from ir.attempt_nodes import EXITS, Attempt, Guarded, Unsplittable
from ir.desugar import Lowering, falls_through, leaves_any
from ir.generators import advanced, sending, throwing
from ir.keeping import Keep
from ir.liveness import Names, Place, place_of, targets
from ir.node_maker import NodeMaker
from ir.primitives import UNBOUND
from ir.scope import assigned

Statements = list[Any]
LOOPS = (gast.For, gast.While)
# Methods that change what they are called on.
CHANGING_METHODS = {
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update",
    "setdefault", "popitem", "add", "discard", "appendleft", "popleft", "extendleft", "fill",
    "rotate", "difference_update",
}
# What makes an iterator go on: `next` and its like in `try`.
STEPS = (advanced, sending, throwing)
HARMLESS = {"print", "len", "isinstance", "float", "int", "str", "abs", "repr"}


class Split:
    """How the pieces of a body that is cut hand on their error."""

    def __init__(
        self, error: str, catches: Statements | None, needed: Names, fresh: Names,
        sees_changes: bool, leaving: Callable[[Any], Statements], is_in_loop: bool,
    ) -> None:
        self.error = error
        self.catches = catches
        self.needed = needed
        self.fresh = fresh
        self.sees_changes = sees_changes
        self.leaving = leaving
        self.is_in_loop = is_in_loop

    def in_loop(self) -> Split:
        return Split(self.error, self.catches, self.needed, self.fresh, self.sees_changes,
                     self.leaving, True)


class Attempts(Lowering):
    """The lowering of exits in a function with `try` or `with`."""

    # The variables that are read once a body has failed; whether an expression names a class that
    # is there already; whether a context manager is known not to suppress exceptions.
    needed: dict[Place, Names]
    is_static: Callable[[Any], bool]
    never_suppresses: Callable[[Any], bool]

    # What a statement guards

    def attempted(self, node: Any) -> Statements:
        """A `try` or `with` as attempts; what stands in their arms is not lowered yet."""
        before, found = self._guarded(node)
        return [*before, *self._lowered(found)]

    def _guarded(self, node: Any) -> tuple[Statements, Guarded]:
        match node:
            case Guarded():
                return [], node
            case gast.With():
                return self._with(node)
            case gast.Try() if node.finalbody:
                inner = node.body
                if node.handlers:
                    inner = [gast.copy_location(
                        gast.Try(body=node.body, handlers=node.handlers, orelse=node.orelse,
                                 finalbody=[]), node,
                    )]
                again = gast.copy_location(gast.Raise(exc=None, cause=None), node)
                handler = [*node.finalbody, again]
                needed = self.needed[place_of("finally", node)]
                return [], Guarded(
                    node, inner, None, self._name("error"), handler, [], node.finalbody, needed
                )
            case _:
                return [], self._handled(node)

    def _handled(self, node: Any) -> Guarded:
        names = [handler.name.id for handler in node.handlers if handler.name is not None]
        caught = self._name(names[0] if names else "error")
        catches: Statements | None = []
        for handler in node.handlers:
            if handler.type is None or not self.is_static(handler.type):
                catches = None
                break
            is_tuple = isinstance(handler.type, gast.Tuple)
            catches += handler.type.elts if is_tuple else [handler.type]  # type: ignore[operator]
        chain: Statements = []
        if catches is None and node.handlers[-1].type is not None:
            chain = [gast.copy_location(gast.Raise(exc=None, cause=None), node)]
        for handler in reversed(node.handlers):
            made = NodeMaker(handler)
            body = handler.body
            if handler.name is not None:
                body = [made.assign(handler.name.id, made.load(caught)), *body]
                if falls_through(handler.body):
                    body.append(made.assign(handler.name.id, made.constant(UNBOUND)))
            is_last = handler is node.handlers[-1]
            if handler.type is None or (is_last and catches is not None):
                chain = body
                continue
            test = isinstance if catches is not None else primitives.is_caught
            chain = [made.branch(made.call(test, made.load(caught), handler.type), body, chain)]
        needed = self.needed[place_of("handlers", node)]
        return Guarded(node, node.body, catches, caught, chain, node.orelse, [], needed)

    def _with(self, node: Any) -> tuple[Statements, Guarded]:
        """The language reference's definition of `with`, one manager at a time."""
        item, *others = node.items
        made = NodeMaker(item.context_expr)
        body = node.body
        if others:
            body = [gast.copy_location(
                gast.With(items=others, body=body, type_comment=None), node
            )]
        manager, enter, leave = map(self._name, ("manager", "enter", "exit"))
        before = [made.assign(manager, item.context_expr)]
        before += [
            made.assign(name, made.call(
                primitives.special_method, made.load(manager), made.constant(method)
            ))
            for name, method in ((enter, "__enter__"), (leave, "__exit__"))
        ]
        entered = made.node(gast.Call(func=made.load(enter), args=[], keywords=[]))
        if item.optional_vars is None:
            before.append(made.node(gast.Expr(value=entered)))
        else:
            value = self._name("entered")
            before.append(made.assign(value, entered))
            target = gast.Assign(
                targets=[item.optional_vars], value=made.load(value), type_comment=None
            )
            body = [made.node(target), *body]
        error = self._name("error")
        kind = made.call(type, made.load(error))
        trace = gast.Attribute(value=made.load(error), attr="__traceback__", ctx=gast.Load())
        left = gast.Call(
            func=made.load(leave), args=[kind, made.load(error), made.node(trace)], keywords=[]
        )
        again = made.node(gast.Raise(exc=None, cause=None))
        needed = self.needed[place_of("with", item.context_expr)]
        if self.never_suppresses(item.context_expr):
            never = made.call(primitives.check_not_suppressed, made.node(left))
            handler = [made.node(gast.Expr(value=never)), again]
            needed = frozenset()
        else:
            stays = made.node(gast.UnaryOp(op=gast.Not(), operand=made.node(left)))
            handler = [made.branch(stays, [again])]
        nothing = [made.constant(None) for _ in range(3)]
        closing = gast.Call(func=made.load(leave), args=nothing, keywords=[])
        closed = made.node(gast.Expr(value=made.node(closing)))
        return before, Guarded(node, body, None, error, handler, [], [closed], needed)

    # Bodies

    def _lowered(self, node: Guarded) -> Statements:
        node.body = self._stores_apart(node.body, node.needed)
        completes = falls_through(node.handler) or bool(leaves_any(node.handler))
        split = Split(
            self._name("error"), node.catches, node.needed,
            frozenset(assigned(node.body)) - node.needed, completes, node.leaving, False,
        )
        lost = _lost_binding(node.body, node.needed)
        if lost is not None:
            raise Unsplittable(lost)
        if not self._is_cut(node.body, split):
            before, body, onward = self._without_exits(node)
            return [*before, Attempt(
                node, body, node.catches, node.name, node.handler, onward
            )]
        made = NodeMaker(node)
        # What is behind the last cut can't be seen by anybody who handles its failure.
        at = len(node.body) - 1
        while at >= 0 and self._is_plain(node.body[at], split):
            at -= 1
        is_last = at == len(node.body) - 1 and self._is_simple(node.body[at])
        at = at if is_last else at + 1
        raised = made.branch(
            made.compare(made.load(split.error), gast.IsNot(), made.constant(None)),
            [made.node(gast.Raise(exc=made.load(split.error), cause=None))],
        )
        return [
            made.assign(split.error, made.constant(None)),
            *self._pieces(node.body[:at], split),
            Attempt(node, [raised, *node.body[at:]], node.catches, node.name, node.handler,
                    [*node.orelse, *node.closing]),
        ]

    def _stores_apart(self, body: Statements, needed: Names) -> Statements:
        """`y, a[i] = v` in steps, if `y` is read where storing `a[i]` has failed."""
        done: Statements = []
        for statement in body:
            if isinstance(statement, (gast.If, *LOOPS)):
                statement = copy.copy(statement)
                statement.body = self._stores_apart(statement.body, needed)
                statement.orelse = self._stores_apart(statement.orelse, needed)
            match statement:
                case gast.Assign() if needed & targets(statement.targets) and (
                    _may_fail_between(statement.targets)
                ):
                    made = NodeMaker(statement)
                    value = self._name("value")
                    done.append(made.assign(value, statement.value))
                    for target in statement.targets:
                        done += self._stored(target, value, made)
                case gast.For() if needed & targets([statement.target]) and (
                    _may_fail_between([statement.target])
                ):
                    made = NodeMaker(statement)
                    item = self._name("item")
                    first = self._stored(statement.target, item, made)
                    statement.target = made.store(item)
                    statement.body = [*first, *statement.body]
                    done.append(statement)
                case gast.Delete() if len(statement.targets) > 1:
                    made = NodeMaker(statement)
                    done += [
                        made.node(gast.Delete(targets=[target])) for target in statement.targets
                    ]
                case _:
                    done.append(statement)
        return done

    def _stored(self, target: Any, value: str, made: NodeMaker) -> Statements:
        """The statements that store the value of a variable into a target, one by one."""
        if not isinstance(target, gast.Tuple | gast.List):
            return [made.node(gast.Assign(
                targets=[target], value=made.load(value), type_comment=None
            ))]
        names = [self._name("part") for _ in target.elts]
        parts = [
            made.node(gast.Starred(value=made.store(name), ctx=gast.Store()))
            if isinstance(part, gast.Starred) else made.store(name)
            for name, part in zip(names, target.elts, strict=True)
        ]
        done: Statements = [made.unpack(parts, made.load(value))]
        for name, part in zip(names, target.elts, strict=True):
            inner = part.value if isinstance(part, gast.Starred) else part
            done += self._stored(inner, name, made)
        return done

    def _without_exits(self, node: Guarded) -> tuple[Statements, Statements, Statements]:
        """A body whose exits are taken behind it: what stands before it, itself, what follows."""
        *first, last = node.body
        if not leaves_any(node.body):
            return [], node.body, [*node.orelse, *node.closing]
        if isinstance(last, EXITS) and not leaves_any(first):
            if isinstance(last, gast.Return) and last.value is not None and not isinstance(
                last.value, gast.Constant
            ):
                made = NodeMaker(last)
                result = self._name("result")
                first = [*first, made.assign(result, last.value)]
                last = made.node(gast.Return(value=made.load(result)))
            return [], first, node.leaving(last)
        marked, onward = self.flagged(node.body, node.orelse, node, node.exits)
        return [], marked, [*node.closing, *onward]

    # Cuts

    def _is_simple(self, statement: Any) -> bool:
        return not isinstance(
            statement, (gast.If, *LOOPS, gast.Try, gast.With, Guarded, Attempt, *EXITS)
        )

    def _ends_piece(self, statement: Any, split: Split) -> bool:
        """Whether a simple statement does what somebody sees after a failure behind it."""
        if split.needed & set(assigned([statement])):
            return True
        return split.sees_changes and _changes_memory(statement, split.fresh)

    def _is_plain(self, statement: Any, split: Split) -> bool:
        """Whether nobody can tell how far a statement came, and it has no exits."""
        if self._is_simple(statement):
            return not self._ends_piece(statement, split)
        return not leaves_any([statement]) and not any(
            self._ends_piece(inner, split) for inner in _simple_statements(statement)
        )

    def _is_cut(self, statements: Statements, split: Split) -> bool:
        """Whether something fails behind what somebody sees."""
        *first, last = statements
        if any(not self._sees_nothing(statement, split) for statement in first):
            return True
        if self._is_simple(last) or isinstance(last, EXITS):
            return False
        if isinstance(last, gast.If):
            arms = [arm for arm in (last.body, last.orelse) if arm]
            return any(self._is_cut(arm, split) for arm in arms)
        return not self._sees_nothing(last, split)

    def _sees_nothing(self, statement: Any, split: Split) -> bool:
        if isinstance(statement, EXITS):
            return True
        inner = [statement] if self._is_simple(statement) else _simple_statements(statement)
        return not any(self._ends_piece(one, split) for one in inner)

    def _piece(self, like: Any, body: Statements, split: Split, orelse: Statements) -> Statements:
        if not body:
            return orelse
        made = NodeMaker(like)
        caught = self._name("caught")
        handler = [made.assign(split.error, made.load(caught)), *self._stopping(like, split)]
        return [Attempt(like, body, split.catches, caught, handler, orelse)]

    def _stopping(self, like: Any, split: Split) -> Statements:
        return [gast.copy_location(gast.Break(), like)] if split.is_in_loop else []

    def _pieces(self, statements: Statements, split: Split) -> Statements:
        """Statements that raise nothing: their error is in a variable, or they run to the end."""
        for i, statement in enumerate(statements):
            if self._is_plain(statement, split):
                continue
            before, after = statements[:i], statements[i + 1 :]
            if self._is_simple(statement):
                rest = self._pieces(after, split)
                return self._piece(statement, [*before, statement], split, rest)
            return self._compound(before, statement, after, split)
        return self._piece(statements[0], statements, split, []) if statements else []

    def _after(self, like: Any, after: Statements, split: Split) -> Statements:
        """What follows a statement that may have left an error."""
        made = NodeMaker(like)
        rest = self._pieces(after, split)
        if split.is_in_loop:
            failed = made.compare(made.load(split.error), gast.IsNot(), made.constant(None))
            return [made.branch(failed, self._stopping(like, split)), *rest]
        fine = made.compare(made.load(split.error), gast.Is(), made.constant(None))
        return [made.branch(fine, rest)] if rest else []

    def _compound(
        self, before: Statements, statement: Any, after: Statements, split: Split
    ) -> Statements:
        made = NodeMaker(statement)
        new: Any
        match statement:
            case gast.Return():
                value = statement.value
                if value is not None and not isinstance(value, gast.Constant):
                    result = self._name("result")
                    before = [*before, made.assign(result, value)]
                    value = made.load(result)
                exit = made.node(gast.Return(value=value))
                return self._piece(statement, before, split, split.leaving(exit))
            case gast.Break() | gast.Continue():
                left = [statement] if split.is_in_loop else split.leaving(statement)
                return self._piece(statement, before, split, left)
            case gast.If():
                test = self._name("test")
                before = [*before, made.assign(test, _truth(made, statement.test))]
                new = made.branch(
                    made.load(test), self._pieces(statement.body, split),
                    self._pieces(statement.orelse, split),
                )
                return self._piece(
                    statement, before, split, [new, *self._after(statement, after, split)]
                )
            case gast.For():
                return self._for(before, statement, after, split)
            case gast.While():
                return self._while(before, statement, after, split)
            case _:
                first, inner = self._guarded(statement)
                whole = self._inner(inner, split)
                return self._piece(
                    statement, [*before, *first], split,
                    [whole, *self._after(statement, after, split)],
                )

    def _inner(self, inner: Guarded, split: Split) -> Guarded:
        """A guarded statement within a body that is cut: none of its arms raises anything."""
        made = NodeMaker(inner)
        lost = [
            made.assign(split.error, made.load(inner.name)), *self._stopping(inner, split)
        ]
        handler = self._pieces(inner.handler, split)
        catches = None
        if inner.catches is not None:
            classes = made.node(gast.Tuple(elts=inner.catches, ctx=gast.Load()))
            own = made.call(isinstance, made.load(inner.name), classes)
            handler = [made.branch(own, handler, lost)]
            if split.catches is not None:
                catches = [*inner.catches, *split.catches]
        closing = self._pieces(inner.closing, split)

        def exits(found: Statements) -> Statements:
            (exit,) = found
            is_own = split.is_in_loop and not isinstance(exit, gast.Return)
            left = found if is_own else split.leaving(exit)
            if not closing:
                return left
            fine = made.compare(made.load(split.error), gast.Is(), made.constant(None))
            return [made.branch(fine, left, self._stopping(inner, split))]

        return Guarded(
            inner, inner.body, catches, inner.name, handler, self._pieces(inner.orelse, split),
            closing, inner.needed | split.needed, exits,
        )

    def _for(
        self, before: Statements, loop: Any, after: Statements, split: Split
    ) -> Statements:
        made = NodeMaker(loop)
        items, item = self._name("items"), self._name("item")
        iterated = made.call(primitives.attempted, loop.iter)
        before = [*before, made.assign(items, iterated)]
        body = loop.body
        target = loop.target
        if not isinstance(target, gast.Name):
            whole = gast.Assign(targets=[target], value=made.load(item), type_comment=None)
            body, target = [made.node(whole), *body], made.store(item)
        failure = made.call(primitives.failure_of, made.load(items), made.load(split.error))
        ended = made.assign(split.error, failure)
        orelse = [ended, *self._after(loop, loop.orelse, split)] if loop.orelse else []
        new = gast.For(
            target=target, iter=made.load(items), body=self._pieces(body, split.in_loop()),
            orelse=orelse, type_comment=None,
        )
        return self._piece(
            loop, before, split,
            [made.node(new), ended, *self._after(loop, after, split)],
        )

    def _while(
        self, before: Statements, loop: Any, after: Statements, split: Split
    ) -> Statements:
        made = NodeMaker(loop)
        inner = split.in_loop()
        body = self._pieces(loop.body, inner)
        finished = self._name("finished")
        first: Statements = []
        if not (isinstance(loop.test, gast.Constant) and loop.test.value):
            test = self._name("test")
            stop = gast.copy_location(gast.Break(), loop)
            done = [made.assign(finished, made.constant(True))] if loop.orelse else []
            missed = made.node(gast.UnaryOp(op=gast.Not(), operand=made.load(test)))
            body = self._piece(
                loop, [made.assign(test, _truth(made, loop.test))], inner,
                [made.branch(missed, [*done, stop]), *body],
            )
        ending: Statements = []
        if loop.orelse:
            first = [made.assign(finished, made.constant(False))]
            ending = [made.branch(made.load(finished), self._pieces(loop.orelse, split))]
        new = gast.While(test=made.constant(True), body=body, orelse=[])
        return self._piece(
            loop, before, split,
            [*first, made.node(new), *ending, *self._after(loop, after, split)],
        )


def _truth(made: NodeMaker, test: Any) -> Any:
    return made.call(operator.truth, test)


def _lost_binding(body: Statements, needed: Names) -> Any:
    """A `:=` in the midst of a statement, whose variable is read after a failure of its rest."""
    inside = [node for statement in body for node in gast.walk(statement)]
    bindings = [
        node for node in inside if isinstance(node, gast.NamedExpr) and node.target.id in needed
    ]
    if not bindings:
        return None
    last: list[Any] = []
    for node in inside:
        last += [getattr(node, "value", None)] if isinstance(node, gast.stmt) else []
        last += [node.test] if isinstance(node, gast.If | gast.While) else []
    last += [node.operand for node in last if isinstance(node, gast.UnaryOp)]
    last += [
        node.left for node in last
        if isinstance(node, gast.Compare)
        and all(isinstance(other, gast.Constant) for other in node.comparators)
    ]
    return next((node for node in bindings if not any(node is other for other in last)), None)


def _may_fail_between(found: Statements) -> bool:
    """Whether one of several stores may fail behind another one."""
    leaves = [
        part for target in found
        for part in (target.elts if isinstance(target, gast.Tuple | gast.List) else [target])
    ]
    leaves = [leaf.value if isinstance(leaf, gast.Starred) else leaf for leaf in leaves]
    is_nested = len(found) > 1 and any(not isinstance(target, gast.Name) for target in found)
    return is_nested or any(not isinstance(leaf, gast.Name) for leaf in leaves[1:])


def _simple_statements(node: Any) -> Statements:
    """The simple statements inside of a compound one."""
    found: Statements = []
    for field in ("body", "orelse", "finalbody", "handler", "closing"):
        for statement in getattr(node, field, None) or ():
            inner = _simple_statements(statement)
            found += inner or [statement]
    for handler in getattr(node, "handlers", ()):
        found += _simple_statements(handler)
    if isinstance(node, gast.For):
        whole = gast.Assign(targets=[node.target], value=node.iter, type_comment=None)
        found.append(gast.copy_location(whole, node))
    return found


def _changes_memory(statement: Any, fresh: Names) -> bool:
    """Whether a statement evidently changes something in place that was there before."""
    for node in gast.walk(statement):
        match node:
            case gast.Subscript(ctx=gast.Store() | gast.Del()) | gast.Attribute(
                ctx=gast.Store() | gast.Del()
            ):
                if _root(node) not in fresh:
                    return True
            case gast.Call(func=gast.Attribute(value=owner, attr=name)):
                if name in CHANGING_METHODS and _root(owner) not in fresh:
                    return True
            case gast.keyword(arg="out"):
                return True
            case gast.Call(func=gast.Constant(value=callee)) if callee in STEPS:
                return True
            case Keep():
                return True
            case _:
                pass
    match statement:
        case gast.Expr(value=gast.Call(func=func, args=args)):
            # A call for its effect: on its object, or on what it is given as it stands.
            given = [_root(arg) for arg in args]
            if isinstance(func, gast.Attribute):
                given.append(_root(func))
            is_harmless = isinstance(func, gast.Name) and func.id in HARMLESS
            return not is_harmless and any(name not in fresh for name in given if name)
        case _:
            return False


def _root(node: Any) -> str | None:
    """The variable that an expression is a part of."""
    while isinstance(node, gast.Subscript | gast.Attribute | gast.Starred):
        node = node.value
    return node.id if isinstance(node, gast.Name) else None
