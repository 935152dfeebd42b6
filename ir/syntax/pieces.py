"""Bodies of `try` in pieces, where somebody sees what was done before a failure.

    y = f(x)              attempt: y = f(x)
    z = g(y)              failing as caught@2: error@1 = caught@2
                   ==>    attempt:
                              if error@1 is not None: raise error@1
                              z = g(y)

A body is cut behind each statement that binds what is read behind a failure, or changes memory.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast

from ir import try_primitives
from ir.generators import advanced, sending, throwing
from ir.syntax.attempt_nodes import EXITS, Attempt, Guarded
from ir.syntax.desugar import Lowering, leaves_any
from ir.syntax.keeping import Keep
from ir.syntax.liveness import Names
from ir.syntax.node_maker import NodeMaker
from ir.syntax.scope import assigned

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


class Pieces(Lowering):
    """Cuts bodies behind what a failure must not take back."""

    def _guarded(self, node: Any) -> tuple[Statements, Guarded]:
        raise AssertionError("given by Attempts")

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
        iterated = made.call(try_primitives.attempted, loop.iter)
        before = [*before, made.assign(items, iterated)]
        body = loop.body
        target = loop.target
        if not isinstance(target, gast.Name):
            whole = gast.Assign(targets=[target], value=made.load(item), type_comment=None)
            body, target = [made.node(whole), *body], made.store(item)
        failure = made.call(try_primitives.failure_of, made.load(items), made.load(split.error))
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
