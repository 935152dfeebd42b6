"""`match` statements to smaller syntax: tests, assignments and branches.

    match point:                    subject@1 = point
        case [x, y] if x > 0:       case@2 = False
            return y          ==>   if is_sequence(subject@1):
        case 0:                         if len(subject@1) == 2:
            return 1.0                      item@3, item@4 = subject@1
                                            x, y = item@3, item@4
                                            case@2 = truth(x > 0)
                                    if case@2:
                                        x, y = item@3, item@4
                                        return y
                                    elif subject@1 == 0: ...

As in CPython, the names of a pattern are bound when the whole pattern has matched, before the
guard is asked (PEP 634). The names made here contain an `@`, so that they clash with nobody's.
"""

from __future__ import annotations

import operator
from itertools import count

import gast

from ir import patterns
from ir.primitives import UNBOUND
from ir.syntax.node_maker import NodeMaker
from ir.syntax.scope import assigned

Statements = list[gast.AST]


def lower_matches(node: gast.AST) -> None:
    """Replaces each `match` in the body of a function, and of those nested in it, in place."""
    if not isinstance(node, gast.Lambda):
        _Lowering().bodies(node)


class _Lowering:
    def __init__(self) -> None:
        self._serial = count(1)

    def bodies(self, node: gast.AST) -> None:
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list):
                setattr(node, field, self.statements(statements))
        for handler in getattr(node, "handlers", ()):
            self.bodies(handler)

    def statements(self, statements: Statements) -> Statements:
        done: Statements = []
        for statement in statements:
            if isinstance(statement, gast.Match):
                done += self._match(statement)
            else:
                self.bodies(statement)
                done.append(statement)
        return done

    def _name(self, base: str) -> str:
        return f"{base}@{next(self._serial)}"

    def _match(self, node: gast.Match) -> Statements:
        made = NodeMaker(node.subject)
        subject = self._name("subject")
        return [made.assign(subject, node.subject), *self._cases(node.cases, subject)]

    def _cases(self, cases: list[gast.AST], subject: str) -> Statements:
        if not cases:
            return []
        case, *rest = cases
        made = NodeMaker(case.pattern)
        body = self.statements(case.body)
        test = self._test(case.pattern, subject)
        if test is not None and case.guard is None:
            return [made.branch(test, body, self._cases(rest, subject))]
        tests: Statements = []
        names: dict[str, str] = {}
        found = self._pattern(case.pattern, subject, names, tests)
        bound = [made.assign(name, made.load(held)) for name, held in names.items()]
        if case.guard is not None:
            found += bound
        if found is tests:  # it always matches
            if case.guard is None:
                return [*tests, *bound, *body]
            return [*tests, made.branch(case.guard, body, self._cases(rest, subject))]
        matched = self._name("case")
        answer = made.constant(True)
        if case.guard is not None:
            answer = NodeMaker(case.guard).call(operator.truth, case.guard)
            if assigned([case.guard]):
                bound = []
        found.append(made.assign(matched, answer))
        # Behind the guard the names are bound once more: there, they are known to be.
        return [
            made.assign(matched, made.constant(False)),
            *tests,
            made.branch(made.load(matched), [*bound, *body], self._cases(rest, subject)),
        ]

    def _test(self, pattern: gast.AST, subject: str) -> gast.AST | None:
        """The pattern as one expression, where it binds no name and takes nothing apart."""
        made = NodeMaker(pattern)
        match pattern:
            case gast.MatchValue():
                return made.compare(made.load(subject), gast.Eq(), pattern.value)
            case gast.MatchSingleton():
                return made.compare(made.load(subject), gast.Is(), made.constant(pattern.value))
            case gast.MatchOr():
                tests = [self._test(part, subject) for part in pattern.patterns]
                if any(test is None for test in tests):
                    return None
                return made.node(gast.BoolOp(op=gast.Or(), values=tests))
            case gast.MatchClass() if not pattern.patterns and not pattern.kwd_patterns:
                return made.call(patterns.is_instance, made.load(subject), pattern.cls)
            case _:
                return None

    # Each of these appends the tests of a pattern to `place`, and gives the statements that run
    # where it matched. `names` says which variable then holds the value of each name.

    def _pattern(
        self, pattern: gast.AST, subject: str, names: dict[str, str], place: Statements
    ) -> Statements:
        test = self._test(pattern, subject)
        if test is not None:
            return NodeMaker(pattern).tested(test, place)
        match pattern:
            case gast.MatchAs():
                if pattern.pattern is not None:
                    place = self._pattern(pattern.pattern, subject, names, place)
                if pattern.name is not None:
                    names[pattern.name] = subject
                return place
            case gast.MatchOr():
                return self._alternatives(pattern, subject, names, place)
            case gast.MatchSequence():
                return self._sequence(pattern, subject, names, place)
            case gast.MatchMapping():
                return self._mapping(pattern, subject, names, place)
            case _:
                return self._class(pattern, subject, names, place)

    def _all(
        self, parts: list[tuple[gast.AST, str]], names: dict[str, str], place: Statements
    ) -> Statements:
        for pattern, subject in parts:
            place = self._pattern(pattern, subject, names, place)
        return place

    def _alternatives(
        self, pattern: gast.MatchOr, subject: str, names: dict[str, str], place: Statements
    ) -> Statements:
        """Every alternative binds the same names: variables hold what the one that matched did."""
        made = NodeMaker(pattern)
        matched = self._name("alternative")
        shared: dict[str, str] = {}
        place.append(made.assign(matched, made.constant(False)))
        for i, alternative in enumerate(pattern.patterns):
            missed = made.node(gast.UnaryOp(op=gast.Not(), operand=made.load(matched)))
            tests = made.tested(missed, place) if i else place
            bound: dict[str, str] = {}
            found = self._pattern(alternative, subject, bound, tests)
            for name, held in bound.items():
                shared.setdefault(name, self._name(name))
                found.append(made.assign(shared[name], made.load(held)))
            found.append(made.assign(matched, made.constant(True)))
        names.update(shared)
        return made.tested(made.load(matched), place)

    def _sequence(
        self, pattern: gast.MatchSequence, subject: str, names: dict[str, str], place: Statements
    ) -> Statements:
        made = NodeMaker(pattern)
        parts = pattern.patterns
        place = made.tested(made.call(patterns.is_sequence, made.load(subject)), place)
        stars = [i for i, part in enumerate(parts) if isinstance(part, gast.MatchStar)]
        if not stars:
            place = made.tested(made.length(subject, gast.Eq(), len(parts)), place)
        elif len(parts) > 1:
            place = made.tested(made.length(subject, gast.GtE(), len(parts) - 1), place)
        if all(map(_is_ignored, parts)):
            return place
        inner: list[tuple[gast.AST, str]] = []
        if stars and _is_ignored(parts[stars[0]]):  # `[first, *_, last]` reads single items
            for i, part in enumerate(parts):
                if not _is_ignored(part):
                    inner.append((part, self._name("item")))
                    item = made.node(gast.Subscript(
                        value=made.load(subject), ctx=gast.Load(),
                        slice=made.constant(i if i < stars[0] else i - len(parts)),
                    ))
                    place.append(made.assign(inner[-1][1], item))
            return self._all(inner, names, place)
        targets: list[gast.AST] = []
        for part in parts:
            if isinstance(part, gast.MatchStar):
                names[part.name] = held = self._name("rest")
                targets.append(made.node(gast.Starred(value=made.store(held), ctx=gast.Store())))
            else:
                inner.append((part, self._name("item")))
                targets.append(made.store(inner[-1][1]))
        place.append(made.unpack(targets, made.load(subject)))
        return self._all(inner, names, place)

    def _mapping(
        self, pattern: gast.MatchMapping, subject: str, names: dict[str, str], place: Statements
    ) -> Statements:
        made = NodeMaker(pattern)
        place = made.tested(made.call(patterns.is_mapping, made.load(subject)), place)
        if pattern.keys:
            place = made.tested(made.length(subject, gast.GtE(), len(pattern.keys)), place)
        keys: list[gast.AST] = []
        for key in pattern.keys:
            if not isinstance(key, gast.Constant):
                name = self._name("key")
                place.append(made.assign(name, key))
                key = made.load(name)
            keys.append(key)
        if not all(isinstance(key, gast.Constant) for key in keys):
            place.append(made.node(gast.Expr(value=made.call(patterns.check_keys, *keys))))
        # Every key is looked up before the first of the patterns is tried.
        inner: list[tuple[gast.AST, str]] = []
        for key, part in zip(keys, pattern.patterns, strict=True):
            inner.append((part, self._name("value")))
            get = made.node(gast.Attribute(
                value=made.load(subject), attr="get", ctx=gast.Load()
            ))
            found = made.node(gast.Call(
                func=get, args=[key, made.constant(UNBOUND)], keywords=[]
            ))
            place = self._present(inner[-1][1], found, place)
        place = self._all(inner, names, place)
        if pattern.rest is not None:
            names[pattern.rest] = self._name("rest")
            others = made.call(patterns.without_keys, made.load(subject), *keys)
            place.append(made.assign(names[pattern.rest], others))
        return place

    def _class(
        self, pattern: gast.MatchClass, subject: str, names: dict[str, str], place: Statements
    ) -> Statements:
        made = NodeMaker(pattern)
        cls = self._name("class")
        place.append(made.assign(cls, pattern.cls))
        is_instance = made.call(patterns.is_instance, made.load(subject), made.load(cls))
        place = made.tested(is_instance, place)
        # Every attribute is read before the first of the patterns is tried.
        inner: list[tuple[gast.AST, str]] = []
        if pattern.patterns:
            attributes = self._name("attributes")
            asked = made.call(
                patterns.match_attributes, made.load(cls),
                made.constant(len(pattern.patterns)), *map(made.constant, pattern.kwd_attrs),
            )
            place.append(made.assign(attributes, asked))
            for i, part in enumerate(pattern.patterns):
                inner.append((part, self._name("part")))
                read = made.call(
                    patterns.match_attribute, made.load(subject), made.load(attributes),
                    made.constant(i),
                )
                place = self._present(inner[-1][1], read, place)
        for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            inner.append((part, self._name(name)))
            read = made.call(
                getattr, made.load(subject), made.constant(name), made.constant(UNBOUND)
            )
            place = self._present(inner[-1][1], read, place)
        return self._all(inner, names, place)

    def _present(self, name: str, value: gast.AST, place: Statements) -> Statements:
        """Looks for a part of the subject; `UNBOUND` says that it isn't there."""
        made = NodeMaker(value)
        place.append(made.assign(name, value))
        return made.tested(made.call(patterns.is_present, made.load(name)), place)


def _is_ignored(pattern: gast.AST) -> bool:
    """Whether this is `_` or `*_`."""
    is_name = isinstance(pattern, gast.MatchAs | gast.MatchStar) and pattern.name is None
    return is_name and getattr(pattern, "pattern", None) is None
