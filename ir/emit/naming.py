"""Gives every value that becomes a variable its name.

Values that stand for one variable at different times (what a loop carries, what branches join)
share a name where their lifetimes allow it; two values that live at the same time never do.
"""

from __future__ import annotations

import keyword
from collections import Counter, defaultdict
from collections.abc import Iterable

from ir.core import (
    Block,
    Call,
    Const,
    For,
    Function,
    If,
    Lambda,
    Op,
    Operand,
    Raise,
    Try,
    Value,
    While,
    Yield,
    exit_operands,
    is_end_guarded,
    operands_of,
)
from ir.emit.inlining import Inlining
from ir.emit.lower import Leave
from ir.emit.order import append, is_temporary
from ir.errors import Unsupported
from ir.memory.failing import may_fail
from ir.memory.place_state import shown_name
from ir.rewrite import blocks, free_values
from ir.suggestions import Suggested, suggestion_of

Copies = list[tuple[Value, Operand]]

# In a row of more calls than this, no two values share a name: to find out which ones could would
# take time in proportion to the square of the length.
LONGEST_ROW = 1000


class Naming:
    """Names for the variables of one function."""

    def __init__(
        self, function: Function, inlining: Inlining, reserved: set[str], shared: set[Call],
        uses: Counter[Value],
    ) -> None:
        self._inlined = inlining.inlined
        self._expressions = inlining.expressions
        self._consuming = shared
        self._uses = uses
        self._definitions: dict[Value, Op] = {}
        # Values that are in use when one comes into being; two interfere if one has the other here.
        self._edges: dict[Value, set[Value]] = defaultdict(set)
        self._walked: dict[Operand, set[Value]] = {}
        self._wishes: list[tuple[Value, Value]] = []
        self._required: list[tuple[Value, Value]] = []
        self._parent: dict[Value, Value] = {}
        self._members: dict[Value, list[Value]] = {}
        self._order: list[Value] = []
        self._loops: list[tuple[Copies, set[Value]]] = []
        self.kept: set[Value] = set()
        # What the handlers around a place read; what they will, before the end of what is guarded.
        self._handled: set[Value] = set()
        self._guarding: list[set[Value]] = []
        # The same behind the last operation that can fail: there, nothing is kept for handlers.
        self._dormant: set[Value] = set()
        fixed = [*function.captured, *function.params]
        self._fixed = _distinct(fixed)
        # What takes the values that nobody reads.
        self.unread = "_"
        while self.unread in reserved or self.unread in self._fixed.values():
            self.unread += "_"
        reserved = {*reserved, self.unread}
        for value in fixed:
            self._register(value)
        self._collect(function.body)
        if _is_long_row(function.body, shared):
            self.names = self._apart(reserved)
            return
        live = self._block(function.body, set(), None)
        self._define(fixed, live)
        for captured in function.captured:  # assigning its name would make that a local one
            self._edges[captured].update(self._order)
            self._edges[captured].discard(captured)
        self._unite()
        self.names = self._assign(reserved)

    def name(self, value: Value) -> str:
        return self.names[self._find(value)]

    # Liveness, from the last operation to the first

    def _collect(self, block: Block) -> None:
        for param in block.params:
            self._register(param)
        for op in block.ops:
            for value in op.results:
                self._definitions[value] = op
                self._register(value)
            match op:
                case If():
                    self._collect(op.then)
                    self._collect(op.orelse)
                case Try():
                    self._collect(op.body)
                    self._collect(op.handler)
                case For() | While():
                    self._collect(op.body)

    def _register(self, value: Value) -> None:
        if value not in self._parent:
            self._parent[value] = value
            self._members[value] = [value]
            self._order.append(value)

    def _define(self, values: Iterable[Value], live: set[Value]) -> None:
        """Values come into being while `live` are in use: no two of them can share a name."""
        new = list(values)
        for value in new:
            edges = self._edges[value]
            edges.update(live, new)
            edges.discard(value)
        live.difference_update(new)

    def _use(self, operand: Operand, live: set[Value]) -> None:
        """Reads an operand; what is folded into it is read here too."""
        if isinstance(operand, Const):
            return
        if operand not in self._inlined:
            live.add(operand)
            return
        op = self._definitions[operand]
        for inner in operands_of(op):
            self._use(inner, live)
        if isinstance(op, If):
            for block in op.blocks:
                for value in exit_operands(block.exit):
                    self._use(value, live)

    def _copy(self, copies: Copies, live: set[Value]) -> None:
        """A parallel assignment of operands to variables."""
        targets = [target for target, _ in copies]
        for target, source in copies:
            edges = self._edges[target]
            edges |= live - {target, source}
            edges.update([other for other in targets if other is not target])
            if isinstance(source, Value) and source not in self._inlined:
                self._wishes.append((target, source))
        live.difference_update(targets)
        for _, source in copies:
            self._use(source, live)

    def _block(self, block: Block, live_out: set[Value], exit_to: list[Value] | None) -> set[Value]:
        """The values live before a block; `exit_to` are the results of the branch it is in."""
        live = set(live_out)
        match block.exit:
            case Raise():
                live = set()
                for operand in exit_operands(block.exit):
                    self._use(operand, live)
            case Leave():
                live = self._leave(block.exit)
            case Yield() if exit_to is None:
                for operand in block.exit.values:
                    self._use(operand, live)
            case Yield(values):
                pairs = zip(exit_to, values, strict=True)
                self._copy([(t, v) for t, v in pairs if self._uses[t]], live)
        for op in reversed(block.ops):
            self._op(op, live)
        return live

    def _leave(self, exit: Leave) -> set[Value]:
        if not self._loops:
            live: set[Value] = set()
            for operand in exit.values:
                self._use(operand, live)
            return live
        return self._continue(exit.values)

    def _continue(self, values: list[Operand]) -> set[Value]:
        """The end of an iteration: carried values are handed on."""
        carried, outside = self._loops[-1]
        live = set(outside) | {param for param, _ in carried}
        self._copy(
            [(param, value) for (param, _), value in zip(carried, values[1:], strict=True)
             if self._uses[param] or param in self.kept],
            live,
        )
        self._use(values[0], live)
        return live

    def _handed_on(self, block: Block) -> set[Value]:
        """What is in use behind a block that ends the iteration it is in."""
        if not self._loops or not any(isinstance(inner.exit, Leave) for inner in blocks(block)):
            return set()
        carried, outside = self._loops[-1]
        return outside | {param for param, _ in carried}

    def _op(self, op: Op, live: set[Value]) -> None:
        if is_end_guarded(op):
            self._dormant = self._guarding.pop()
            return
        if self._dormant and may_fail(op):
            self._handled, self._dormant = self._dormant, set()
        if self._handled and isinstance(op, Call) and op in self._consuming:
            # Versions of one object: a handler that reads an older one finds the same.
            live -= self._handled & self._older(op)
            self._any_op(op, live)
        else:
            live |= self._handled
            self._any_op(op, live)
        live |= self._handled

    def _older(self, op: Op | None) -> set[Value]:
        """The versions of an object before a change in place, the last of several."""
        found: set[Value] = set()
        while isinstance(op, Call) and op in self._consuming and isinstance(op.args[0], Value):
            found.add(op.args[0])
            op = self._definitions.get(op.args[0])
        return found

    def _any_op(self, op: Op, live: set[Value]) -> None:
        match op:
            case Call() if op.results[0] in self._inlined:
                return
            case Call():
                used = [v for v in op.results if self._uses[v] or len(op.results) > 1]
                consumed = op.args[0] if op in self._consuming else None
                if isinstance(consumed, Value):
                    self._required.append((op.results[0], consumed))
                is_append = isinstance(op.callee, Const) and op.callee.value is append
                self._define([] if is_append else used, live)
                for operand in operands_of(op):
                    self._use(operand, live)
                for operand in op.args[:1]:
                    self._tell_apart(op.results, self._walked.get(operand, set()))
            case If():
                self._branch(op, live)
            case Try():
                self._attempt(op, live)
            case For() | While():
                self._loop(op, live)
            case Lambda():
                self._define([op.result], live)
                for operand in operands_of(op):
                    self._use(operand, live)

    def _tell_apart(self, parts: list[Value], walked: set[Value]) -> None:
        """Gives no item, and no part of one, the name of what the loop walks over."""
        for part in parts:
            self._walked[part] = walked
            self._edges[part] |= walked

    def _branch(self, op: If, live: set[Value]) -> None:
        if op in self._expressions:
            if op.results[0] not in self._inlined:
                self._define(op.results, live)
                for block in op.blocks:
                    for operand in exit_operands(block.exit):
                        self._use(operand, live)
                self._use(op.cond, live)
            return
        results = [value for value in op.results if self._uses[value]]
        before = live - set(results)
        outcome: set[Value] = set()
        for block in op.blocks:
            outcome |= self._block(block, before, op.results)
        live.clear()
        live |= outcome
        self._use(op.cond, live)

    def _attempt(self, op: Try, live: set[Value]) -> None:
        """While the body is guarded, all that the handler reads is in use too."""
        behind = live - set(op.results)
        handled = self._block(op.handler, behind, op.results)
        # Python unbinds the variable of the exception behind the handler, also where it is left.
        self._define([op.error], live | handled | self._handed_on(op.handler))
        handled.discard(op.error)
        for operand in op.catches:
            self._use(operand, handled)
        outer = self._handled
        if any(map(is_end_guarded, op.body.ops)):
            self._guarding.append(handled | outer)
        else:
            self._handled = handled | outer
        inner = self._block(op.body, behind, op.results)
        self._handled, self._dormant = outer, set()
        live.clear()
        live |= inner | handled

    def _loop(self, op: For | While, live: set[Value]) -> None:
        count = len(op.init)
        carried_results, collected = op.results[:count], op.results[count:]
        for param, result in zip(op.carried, carried_results, strict=True):
            if self._uses[result]:
                self.kept.add(param)
            if self._uses[result] or self._uses[param]:
                self._required.append((param, result))
        after = live - set(op.results)
        free = free_values(op.body)
        outside = after | {v for v in free if v not in op.results}
        outside -= self._inlined
        for value in free:
            self._use(value, outside)
        outside |= {items for items in collected if self._uses[items]}
        outside -= set(carried_results)
        active = [
            (param, operand) for param, operand in zip(op.carried, op.init, strict=True)
            if self._uses[param] or param in self.kept
        ]
        params = [param for param, _ in active]
        carried_pairs: Copies = list(zip(op.carried, op.init, strict=True))
        self._loops.append((carried_pairs, outside))
        if isinstance(op, For):
            walked: set[Value] = set()
            for operand in op.iterables:
                self._use(operand, walked)
            self._tell_apart(op.items, walked)
        exit = op.body.exit
        if type(exit) is Yield and exit.values:
            inner = self._continue(exit.values)
        elif isinstance(exit, Raise):
            inner = set()
            for operand in exit_operands(exit):
                self._use(operand, inner)
        else:
            inner = set()
        for inner_op in reversed(op.body.ops):
            self._op(inner_op, inner)
        self._loops.pop()
        inner |= outside
        inner |= set(params)
        if isinstance(op, For):
            self._define(op.items, inner)
        live.clear()
        live |= outside | set(params)
        # The loop's own variables are set before its iterables are evaluated.
        if isinstance(op, For):
            for operand in op.iterables:
                self._use(operand, live)
        self._copy(active, live)
        for items in collected:
            if self._uses[items]:
                self._define([items], live)

    # Sharing of names

    def _find(self, value: Value) -> Value:
        while self._parent[value] is not value:
            value = self._parent[value]
        return value

    def _unite(self) -> None:
        for a, b in self._required:
            first, second = self._find(a), self._find(b)
            if first is not second and self._interfere(first, second):
                made = self._definitions.get(a)
                raise Unsupported(
                    f"{shown_name(b.name)} is read as it was before it is changed in place",
                    made.loc if made is not None else None, advice="read it before, or copy it",
                )
            self._merge(first, second)
        for a, b in self._wishes:
            first, second = self._find(a), self._find(b)
            if first is second or not self._agree(first, second):
                continue
            if not self._interfere(first, second):
                self._merge(first, second)

    def _agree(self, a: Value, b: Value) -> bool:
        """Whether sharing a variable keeps the names that a reader expects."""
        names_a = {v.name for v in self._members[a] if not is_temporary(v)}
        names_b = {v.name for v in self._members[b] if not is_temporary(v)}
        both_fixed = any(v in self._fixed for v in self._members[a]) and any(
            v in self._fixed for v in self._members[b]
        )
        return not both_fixed and (not names_a or not names_b or bool(names_a & names_b))

    def _interfere(self, a: Value, b: Value) -> bool:
        mine, others = self._members[a], self._members[b]
        return any(not self._edges[member].isdisjoint(others) for member in mine) or any(
            not self._edges[member].isdisjoint(mine) for member in others
        )

    def _merge(self, a: Value, b: Value) -> None:
        if a is not b:
            self._parent[b] = a
            self._members[a] += self._members.pop(b)

    def _assign(self, reserved: set[str]) -> dict[Value, str]:
        names: dict[Value, str] = {}
        # The values that have a name, and what is in use when these come into being.
        taken_by: dict[str, set[Value]] = defaultdict(set)
        in_use: dict[str, set[Value]] = defaultdict(set)

        def take(root: Value, name: str) -> None:
            names[root] = name
            taken_by[name].update(self._members[root])
            in_use[name].update(*(self._edges[member] for member in self._members[root]))

        roots = [value for value in self._order if self._parent[value] is value]
        for root in roots:
            for member in self._members[root]:
                if member in self._fixed:
                    take(root, self._fixed[member])
        bases = {root: self._base(root) for root in roots if root not in names}
        given = {*names.values(), *(base for base in bases.values() if type(base) is str)}
        bases = {root: self._unless_given(base, given) for root, base in bases.items()}
        # The user's names come first.
        for root in sorted(bases, key=lambda root: isinstance(bases[root], Suggested)):
            members = self._members[root]
            if not root.name.strip("_") and not any(self._uses[value] for value in members):
                names[root] = self.unread
                continue
            base = suggestion_of(bases[root]) or bases[root]
            candidate, number = base, 0
            while True:
                if not (candidate in reserved or keyword.iskeyword(candidate)):
                    if candidate not in taken_by or (
                        in_use[candidate].isdisjoint(members) and all(
                            self._edges[member].isdisjoint(taken_by[candidate])
                            for member in members
                        )
                    ):
                        break
                number += 1
                candidate = f"{base}_{number}"
            take(root, candidate)
        return names

    def _apart(self, reserved: set[str]) -> dict[Value, str]:
        """A name of its own for each value that has one."""
        names = dict(self._fixed)
        taken = {*reserved, *names.values()}
        numbers: Counter[str] = Counter()
        given = {value.name for value in self._order if type(value.name) is str}
        for value in self._order:
            if value in names or value in self._inlined:
                continue
            name = self._unless_given(self._base(value), given)
            base = candidate = suggestion_of(name) or name
            while candidate in taken or keyword.iskeyword(candidate):
                numbers[base] += 1
                candidate = f"{base}_{numbers[base]}"
            names[value] = candidate
            taken.add(candidate)
        return names

    def _unless_given(self, name: str, given: set[str]) -> str:
        """A name without what is suggested, where a variable of the user's is called so."""
        suggestion = suggestion_of(name)
        is_of_user = suggestion in given and not suggestion.endswith(("_bar", "_dot"))
        return str(name) if is_of_user else name

    def _base(self, root: Value) -> str:
        """The user's name, if values of a variable have one, or a name suggested for all."""
        given: Counter[str] = Counter()
        suggested: set[str | None] = set()
        for value in self._members[root]:
            if isinstance(value.name, Suggested):
                suggested.add(value.name.suggestion)
            elif not is_temporary(value):
                given[value.name] += 1
            else:
                suggested.add(None)  # which may be something else at times
        if given:
            name = max(given, key=given.__getitem__)
        elif len(suggested) == 1 and (suggestion := suggested.pop()) is not None:
            return Suggested("t", suggestion)
        else:
            name = str(self._members[root][0].name)
        return name if name.isidentifier() and name.strip("_") else "t"


def _is_long_row(body: Block, shared: set[Call]) -> bool:
    """Whether a block is a long row of calls, none of which changes what it is given."""
    return len(body.ops) > LONGEST_ROW and not shared and all(
        isinstance(op, Call) for op in body.ops
    )


def _distinct(params: list[Value]) -> dict[Value, str]:
    """The names of parameters: the user's, told apart where compiler-made ones are the same."""
    names: dict[Value, str] = {}
    for value in params:
        name, number = str(value.name), 0
        while name in names.values():
            number += 1
            name = f"{value.name}_{number}"
        names[value] = name
    return names
