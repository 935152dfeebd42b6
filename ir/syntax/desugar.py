"""Syntax to smaller syntax: every exit is moved into a tail position.

In the result, `break` and `continue` stand only where the body of their loop would end anyway,
`return` only where the body of the function would end, and loops have no `else`:

    for x in xs:                         returned = False
        if x > 3:                        for x in xs:
            return x          ==>            if x > 3:
        y = y * x                                result, returned = x, True
    return y                                     break
                                             else:
                                                 y = y * x
                                         if returned:
                                             return result
                                         else:
                                             return y

What follows a branch that always leaves moves into the other branch. Only where both branches may
go on and one of them may also leave is the way that was taken kept in a flag. The names made here
contain an `@`, so that they clash with nobody's.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import gast

from ir.syntax.attempt_nodes import EXITS, Attempt, Guarded, Leaving
from ir.syntax.scope import statements_in

Statements = list[gast.AST]


def lower_exits(
    body: Statements,
    is_static: Callable[[gast.AST], bool],
    never_suppresses: Callable[[gast.AST], bool],
) -> Statements:
    """The statements of a function body, with every exit in a tail position.

    `is_static` says of an expression in `except` whether it names a class that can be looked up
    before; `never_suppresses` whether that in a `with` makes a manager that lets exceptions pass.
    """
    if not any(isinstance(node, gast.Try | gast.With) for node in statements_in(body)):
        return Lowering().tail(body)
    # Imported where they are needed: most functions have neither statement.
    from ir.syntax.attempts import Attempts
    from ir.syntax.liveness import needed_after_failure

    lowering = Attempts()
    lowering.is_static, lowering.never_suppresses = is_static, never_suppresses
    lowering.needed = needed_after_failure(body)
    return lowering.tail(body)


def leaves(statement: gast.AST) -> set[type]:
    """The kinds of exit by which control can leave a statement sideways."""
    match statement:
        case gast.Return() | gast.Break() | gast.Continue():
            return {type(statement)}
        case gast.For() | gast.While():
            inside = leaves_any(statement.body) - {gast.Break, gast.Continue}
            return inside | leaves_any(statement.orelse)
        case gast.If():
            return leaves_any(statement.body) | leaves_any(statement.orelse)
        case Attempt():
            return leaves_any(statement.handler) | leaves_any(statement.orelse)
        case Guarded():
            arms = [*statement.handler, *statement.orelse, *statement.closing]
            return leaves_any([*statement.body, *arms])
        case gast.Try():
            arms = [*statement.body, *statement.orelse, *statement.finalbody]
            return leaves_any(arms).union(*(leaves_any(h.body) for h in statement.handlers))
        case gast.With():
            return leaves_any(statement.body)
        case _:
            return set()


def falls_through(statements: Statements) -> bool:
    """Whether control can arrive behind the last of these statements."""
    return all(map(_falls_through, statements))


def _falls_through(statement: gast.AST) -> bool:
    match statement:
        case gast.Return() | gast.Break() | gast.Continue() | gast.Raise():
            return False
        case gast.If():
            return falls_through(statement.body) or falls_through(statement.orelse)
        case Attempt() | Guarded():
            closing = statement.closing if isinstance(statement, Guarded) else []
            ends = falls_through([*statement.body, *statement.orelse, *closing])
            return ends or falls_through(statement.handler)
        case gast.Try():
            ends = falls_through([*statement.body, *statement.orelse])
            handled = any(falls_through(handler.body) for handler in statement.handlers)
            return falls_through(statement.finalbody) and (ends or handled)
        case gast.While() if _is_endless(statement):
            return gast.Break in leaves_any(statement.body)
        case _:
            return True


def _is_endless(loop: gast.AST) -> bool:
    is_constant = isinstance(loop, gast.While) and isinstance(loop.test, gast.Constant)
    return is_constant and bool(loop.test.value)


def leaves_any(statements: Statements) -> set[type]:
    """The kinds of exit by which control can leave one of these statements sideways."""
    return set().union(*map(leaves, statements)) if statements else set()


class Lowering:
    """The lowering of exits in a function without `try` and `with`."""

    def __init__(self) -> None:
        self._serial = count(1)

    def attempted(self, node: Any) -> Statements:
        """A `try` or `with` as smaller statements, whose exits are not lowered yet."""
        raise AssertionError("`ir.syntax.attempts` lowers it")

    def _name(self, base: str) -> str:
        return f"{base}@{next(self._serial)}"

    def tail(self, statements: Statements) -> Statements:
        """Lowers statements that stand where exits are allowed."""
        done: Statements = []
        rest = list(statements)
        while rest:
            statement = rest.pop(0)
            match statement:
                case gast.Return() | gast.Break() | gast.Continue() | gast.Raise():
                    return [*done, statement]
                case gast.For() | gast.While():
                    before, loop, after = self._loop(statement)
                    done += [*before, loop]
                    rest = [*after, *rest]
                    if not falls_through([statement]) and not after:
                        return done
                case gast.Try() | gast.With() | Guarded():
                    rest = [*self.attempted(statement), *rest]
                case gast.If() | Attempt():
                    nested = self._branch(statement, rest)
                    if nested is not None:
                        return [*done, nested]
                    if leaves(statement):
                        flagged, rest = self._flag(statement, rest)
                        done += flagged
                    else:
                        done.append(self._with_tails(statement, *_arms(statement)))
                case _:
                    done.append(statement)
        return done

    def _with_tails(self, branch: gast.AST, then: Statements, orelse: Statements) -> gast.AST:
        """A branch with other arms, which are lowered."""
        if isinstance(branch, Attempt):
            body = self.tail(branch.body)
            return branch.having(self.tail(orelse), self.tail(then), body)
        return _if(branch, self.tail(then), self.tail(orelse))

    def _branch(self, branch: gast.AST, rest: Statements) -> gast.AST | None:
        """The branch with the rest moved into it; None where the rest is needed twice."""
        then, orelse = _arms(branch)
        is_attempt = isinstance(branch, Attempt)
        begins = falls_through(branch.body) if is_attempt else True
        then_falls, else_falls = begins and falls_through(then), falls_through(orelse)
        if not leaves(branch) and (then_falls or else_falls):
            return None
        if not rest or not (then_falls or else_falls):
            return self._with_tails(branch, then, orelse)
        if not else_falls:
            return self._with_tails(branch, [*then, *rest], orelse)
        # What follows an attempt isn't run while its exception is being handled.
        if not then_falls and not is_attempt:
            return self._with_tails(branch, then, [*orelse, *rest])
        return None

    def _flag(self, branch: gast.AST, rest: Statements) -> tuple[Statements, Statements]:
        """Lets a branch end, with a flag that says how it would have left."""
        marked, onward = self.flagged([branch], rest, branch)
        return self.tail(marked), onward

    def flagged(
        self, statements: Statements, rest: Statements, like: gast.AST, exits: Leaving = list
    ) -> tuple[Statements, Statements]:
        """Statements without exits, with a flag for how they would have left; what follows."""
        branch = like
        statements = self._inner_loops(statements)
        leave, result = self._name("leave"), self._name("result")
        kinds = [kind for kind in EXITS if kind in leaves_any(statements)]
        codes = {kind: number for number, kind in enumerate(kinds, start=1)}

        def replace(statement: gast.AST) -> Statements:
            flag = _assign(statement, leave, codes[type(statement)])
            if isinstance(statement, gast.Return):
                return [_assign_node(statement, result, _value(statement)), flag, gast.Pass()]
            return [flag, gast.Pass()]

        marked = _replace_exits(statements, EXITS, replace)
        before = [_assign(branch, leave, 0)]
        inner = _NestRest().statements(marked, leave)
        onward = rest
        for kind in reversed(kinds):
            leaving = gast.Return(value=_load(branch, result)) if kind is gast.Return else kind()
            gast.copy_location(leaving, branch)
            test = gast.Compare(
                left=_load(branch, leave), ops=[gast.Eq()],
                comparators=[gast.Constant(value=codes[kind], kind=None)],
            )
            onward = [_if(branch, exits([leaving]), onward, test=test)]
        return [*before, *inner], onward

    def _loop(self, loop: gast.AST) -> tuple[Statements, gast.AST, Statements]:
        """The statements before, the loop itself and the statements after it."""
        # Inner loops first: what they leave behind is a `return` in this loop's own body.
        body = self._inner_loops(loop.body)
        before: Statements = []
        after: Statements = list(loop.orelse)
        if loop.orelse and gast.Break in leaves_any(body):
            broke = self._name("broke")
            before.append(_assign(loop, broke, False))
            after = [_if(loop, [gast.copy_location(gast.Pass(), loop)], after,
                         test=_load(loop, broke))]
            body = _replace_exits(
                body, (gast.Break,), lambda node: [_assign(node, broke, True), node]
            )
        if gast.Return in leaves_any(body):
            returned, result = self._name("returned"), self._name("result")
            leave = gast.copy_location(gast.Return(value=_load(loop, result)), loop)
            if falls_through([loop]):
                before.append(_assign(loop, returned, False))
                after = [_if(loop, [leave], after, test=_load(loop, returned))]
            else:
                after = [leave]

            def replace(node: gast.AST) -> Statements:
                return [
                    _assign_node(node, result, _value(node)),
                    _assign(node, returned, True),
                    gast.copy_location(gast.Break(), node),
                ]

            body = _replace_exits(body, (gast.Return,), replace)
        lowered = self.tail(body)
        match loop:
            case gast.For():
                new = gast.For(target=loop.target, iter=loop.iter, body=lowered, orelse=[],
                               type_comment=None)
            case _:
                new = gast.While(test=loop.test, body=lowered, orelse=[])
        return before, gast.copy_location(new, loop), after

    def _inner_loops(self, statements: Statements) -> Statements:
        """Lowers the loops in these statements, and nothing else."""
        done: Statements = []
        for statement in statements:
            match statement:
                case gast.For() | gast.While() if leaves(statement):
                    before, loop, after = self._loop(statement)
                    done += [*before, loop, *self._inner_loops(after)]
                case gast.If() | Attempt():
                    then, orelse = map(self._inner_loops, _arms(statement))
                    done.append(_with_arms(statement, then, orelse))
                case gast.Try() | gast.With() | Guarded():
                    done += self._inner_loops(self.attempted(statement))
                case _:
                    done.append(statement)
        return done


class _NestRest:
    """Skips, once the flag is set, what would have followed the exit inside a branch."""

    def statements(self, statements: Statements, leave: str) -> Statements:
        done: Statements = []
        for i, statement in enumerate(statements):
            rest = statements[i + 1 :]
            if isinstance(statement, gast.Pass) and not hasattr(statement, "lineno"):
                return done  # the mark of an exit: what follows is dead
            if isinstance(statement, gast.If | Attempt) and _sets(statement, leave):
                first, second = _arms(statement)
                then = self.statements(first, leave)
                orelse = self.statements(second, leave)
                if not rest:
                    return [*done, _with_arms(statement, then, orelse)]
                then_left, else_left = _ends_set(first), _ends_set(second)
                if then_left and else_left:
                    return [*done, _with_arms(statement, then, orelse)]
                # The arm that goes on may still leave on some way through it.
                if then_left and not isinstance(statement, Attempt):
                    onward = self.statements([*second, *rest], leave)
                    return [*done, _with_arms(statement, then, onward)]
                if else_left:
                    onward = self.statements([*first, *rest], leave)
                    return [*done, _with_arms(statement, onward, orelse)]
                onward = self.statements(rest, leave)
                stay = gast.Compare(
                    left=_load(statement, leave), ops=[gast.Eq()],
                    comparators=[gast.Constant(value=0, kind=None)],
                )
                return [*done, _with_arms(statement, then, orelse),
                        _if(statement, onward, [], test=stay)]
            done.append(statement)
        return done


def _sets(statement: gast.AST, name: str) -> bool:
    return any(
        isinstance(node, gast.Name) and node.id == name and isinstance(node.ctx, gast.Store)
        for node in gast.walk(statement)
    )


def _ends_set(statements: Statements) -> bool:
    """Whether every way through statements ends in an exit that has been marked."""
    for statement in statements:
        if isinstance(statement, gast.Pass) and not hasattr(statement, "lineno"):
            return True
        if isinstance(statement, gast.Raise):
            return True
        if isinstance(statement, gast.If | Attempt) and all(map(_ends_set, _arms(statement))):
            return True
    return False


def _replace_exits(
    statements: Statements,
    kinds: tuple[type, ...],
    replace: Callable[[gast.AST], Statements],
) -> Statements:
    """Replaces exits of this level: those of inner loops are theirs."""
    done: Statements = []
    for statement in statements:
        if isinstance(statement, kinds):
            done += replace(statement)
        elif isinstance(statement, gast.If | Attempt):
            then, orelse = (_replace_exits(arm, kinds, replace) for arm in _arms(statement))
            done.append(_with_arms(statement, then, orelse))
        elif isinstance(statement, gast.For | gast.While) and gast.Return in kinds:
            assert gast.Return not in leaves(statement), "inner loops are lowered first"
            done.append(statement)
        else:
            done.append(statement)
    return done


def _arms(branch: gast.AST) -> tuple[Statements, Statements]:
    """The arms of a branch; of an attempt, where it has gone well and where not."""
    if isinstance(branch, Attempt):
        return branch.orelse, branch.handler
    return branch.body, branch.orelse


def _with_arms(branch: gast.AST, then: Statements, orelse: Statements) -> gast.AST:
    if isinstance(branch, Attempt):
        return branch.having(orelse, then)
    return _if(branch, then, orelse)


def _if(
    like: gast.AST, body: Statements, orelse: Statements, test: gast.AST | None = None
) -> gast.If:
    if test is None:
        test = like.test
    else:
        gast.copy_location(test, like)
        gast.fix_missing_locations(test)
    return gast.copy_location(gast.If(test=test, body=body, orelse=orelse), like)


def _load(like: gast.AST, name: str) -> gast.Name:
    node = gast.Name(id=name, ctx=gast.Load(), annotation=None, type_comment=None)
    return gast.copy_location(node, like)


def _value(statement: gast.AST) -> gast.AST:
    if statement.value is not None:
        return statement.value
    return gast.copy_location(gast.Constant(value=None, kind=None), statement)


def _assign(like: gast.AST, name: str, value: object) -> gast.Assign:
    constant = gast.copy_location(gast.Constant(value=value, kind=None), like)
    return _assign_node(like, name, constant)


def _assign_node(like: gast.AST, name: str, value: gast.AST) -> gast.Assign:
    target = gast.Name(id=name, ctx=gast.Store(), annotation=None, type_comment=None)
    node = gast.Assign(targets=[gast.copy_location(target, like)], value=value, type_comment=None)
    return gast.copy_location(node, like)
