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
from collections.abc import Callable
from typing import Any

import gast

from ir import try_primitives
from ir.primitives import UNBOUND
from ir.syntax.attempt_nodes import Attempt, Guarded, Unsplittable
from ir.syntax.desugar import falls_through, leaves_any
from ir.syntax.liveness import Names, Place, place_of, targets
from ir.syntax.node_maker import NodeMaker
from ir.syntax.pieces import LOOPS, Pieces, Split, Statements
from ir.syntax.scope import assigned


class Attempts(Pieces):
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
            test = isinstance if catches is not None else try_primitives.is_caught
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
                try_primitives.special_method, made.load(manager), made.constant(method)
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
            never = made.call(try_primitives.check_not_suppressed, made.node(left))
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
