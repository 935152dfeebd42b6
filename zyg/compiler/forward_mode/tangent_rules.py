"""The tangent of one call of what has a rule.

    y = np.sum(x, axis=0)     y_dot = np.sum(x_dot, axis=0)       declared: linear
    y = np.tanh(x)            y_dot = x_dot * (1 - y * y)         the back function multiplies
    y = np.cumsum(x)          y_dot = ...                         the back function, transposed

A back function that multiplies element by element, by whatever derivative, is its own transpose: it
is applied to the tangent, without the sums that undo broadcasting. Any other is transposed as the
steps of a program are. What can't be is left to the run time
(`zyg.compiler.forward_mode.tangent_dispatch`).
"""

from __future__ import annotations

import operator
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ir import facts, primitives
from ir.core import Call, Const, Operand, Value, type_of
from ir.errors import Unsupported
from ir.memory.memory_facts import is_change
from ir.primitives import UNBOUND
from ir.rewrite import Mapping as Renaming
from ir.types import (
    TOP,
    Closure,
    Known,
    Method,
    Scalar,
    Tuple,
    Type,
    class_of,
    widen,
)
from zyg.array_type import rank_of, same_shape
from zyg.arrays.selections import unmoved
from zyg.compiler.activity import Flow
from zyg.compiler.forward.augment import Augmenter
from zyg.compiler.forward.forward_steps import RuleStep
from zyg.compiler.forward.varied import PairOf
from zyg.compiler.forward_mode.steep_functions import may_be_steep
from zyg.compiler.forward_mode.tangent_back import BackInliner, transposed
from zyg.compiler.forward_mode.tangent_types import (
    dot_name,
    dot_type,
    holds_floats,
    is_elementwise,
    is_real_number,
    is_real_numeric,
    may_lack_items,
)
from zyg.compiler.inference.objects import is_object_type, is_place
from zyg.compiler.reverse.cotangent_types import NONE, is_array, is_none, is_numeric
from zyg.compiler.run_time.apart import unless_place
from zyg.compiler.run_time.memory import written_view
from zyg.compiler.specialisation import Specialisation
from zyg.compiler.specialise import Specialiser
from zyg.cotangents import cotangent
from zyg.errors import NotDifferentiable
from zyg.facts.numpy_changes import added_at_each
from zyg.rules.tangent_registry import (
    Groups,
    is_of_numpy,
    is_only_when_run,
    is_read_late,
    is_read_twice,
    linear_in,
    tangent_of,
)
from zyg.tangents.tangent import (
    part_of,
    picked_item,
    settled,
    settled_tangent,
    spread,
    stored_tangent,
    zero_tangent,
)
from zyg.tangents.tangent_objects import held_item_dot, item_dot, live_items
from zyg.tangents.tangent_sets import order_of

Action = Callable[[], None]
# What no class of the user's answers for.
BUILT_IN = (list, dict, set, deque, defaultdict, OrderedDict, Counter, np.ndarray)
# Changes whose last argument is stored.
STORING = (
    primitives.stored, primitives.stored_back, primitives.overwritten, primitives.added_at,
    primitives.subtracted_at, added_at_each,
)

_ZEROS: dict[Type, float] = {Scalar(int): 0, Scalar(float): 0.0}


class RuleTangents(Augmenter):
    """Keeps the tangent of each varied value: `dots`."""

    def __init__(
        self, specialiser: Specialiser, surroundings: Any, made: Specialisation, active: Flow,
        pair_of: PairOf,
    ) -> None:
        super().__init__(specialiser, surroundings, made, active, pair_of)
        self._made = made
        self.dots: dict[Value, Operand] = {}
        self.own: set[Any] = set()
        # Values of which another version is changed in place.
        self.written: set[Value] = set()
        # Values that depend on nothing, and are looked at where an object might have changed them.
        self.still: set[Value] = set()
        # Memory that objects may hold: the object and attribute, or the tangent if none does.
        self.held: dict[Operand, tuple[Operand, ...]] = {}
        self._pending: list[Action] = []
        # The arguments of calls that rules were inlined for.
        self._calls: dict[Value, tuple[list[Operand], dict[str, Operand]]] = {}
        self._is_deferring = False
        # Whether the call at hand makes a new version of the heap.
        self._changes_heap = False
        self._inliner = BackInliner(self)
        # The tangents of objects, where they are values (`zyg.compiler.nested.nested_dots`).
        self.table: Operand | None = None

    # Tangents of values

    def later(self, action: Action) -> None:
        """Notes what makes a tangent: done at once, or behind what a `try` guards."""
        self._pending.append(action)

    def catch_up(self) -> None:
        pending, self._pending = self._pending, []
        for action in pending:
            action()

    def note_own(self, mark: int) -> None:
        self.own.update(self.ops[mark:])

    def made(self, callee: Any, *args: Operand, **kwargs: Operand) -> Operand:
        """Appends a call for tangents alone."""
        mark = len(self.ops)
        found = callee if isinstance(callee, Value | Const) else Const(callee)
        (result,) = self.typed_call(found, list(args), kwargs, ["t"], self.loc)
        self.note_own(mark)
        return result

    def set_dot(self, value: Operand, dot: Operand) -> None:
        if not isinstance(value, Value):
            return
        self.varied.add(value)
        if isinstance(dot, Value) and not is_array(value.type) and rank_of(dot.type) == 0:
            dot.name = "t"
            dot = self.made(operator.getitem, dot, Const(()))  # a number, which is no memory
        if isinstance(dot, Value) and dot.type == TOP:
            dot.type = dot_type(value.type)
        if isinstance(dot, Value) and dot.name in ("t", "y_bar_bar"):
            dot.name = dot_name(value)
        self.dots[value] = dot

    def dot_of(self, operand: Operand) -> Operand | None:
        """The tangent of a value; None for a structural zero."""
        if not isinstance(operand, Value):
            return None
        found = self.dots.get(operand)
        if found is None and is_object_type(operand.type):
            return NONE
        if found is None and operand in self.varied and operand not in self.still:
            raise NotDifferentiable(
                f"forward mode has no tangent for `{operand.name}`: use zyg.pullback"
            )
        return found

    def dot_or_zero(self, operand: Operand) -> Operand:
        found = self.dot_of(operand)
        return self.zero_dot(operand) if found is None else found

    def zero_dot(self, operand: Operand) -> Operand:
        """The zero tangent of a value, by its type where that tells."""
        if isinstance(operand, Const):
            return self._zero_of_constant(operand.value)
        match widen(operand.type):
            case Scalar(cls) if cls in (bool, str, bytes, type(None)):
                return NONE
            case Scalar(cls) if issubclass(cls, int):
                return Const(0)
            case Scalar(cls) if issubclass(cls, float):
                return Const(0.0)
            case Scalar(cls) if cls is complex:
                return Const(0j)
            case Closure() | Known() | Method():
                return NONE
            # Others are asked for as a whole: what isn't set yet has no parts.
            case Tuple(items) if _ZEROS.keys() >= {*map(widen, items)}:
                zeros_of_items = [Const(_ZEROS[widen(item)]) for item in items]
                return self.made(primitives.build_tuple, *zeros_of_items)
            case type_ if is_array(type_):
                zeros = self.made(cotangent.zeros_like, operand)
            case _:
                zeros = self.made(zero_tangent, operand)
        if isinstance(zeros, Value):
            zeros.type = dot_type(operand.type)
        return zeros

    def _zero_of_constant(self, value: Any) -> Operand:
        if value is UNBOUND or isinstance(value, bool):
            return NONE
        if type(value) in (int, float, complex):
            return Const(type(value)(0))
        if isinstance(value, tuple | list | dict) or hasattr(value, "dtype"):
            return self.made(zero_tangent, Const(value))
        return NONE

    # Calls

    def _varied_call(
        self, op: Call, callee: Operand, args: list[Operand], kwargs: dict[str, Operand],
        mapping: Renaming,
    ) -> None:
        self.note_steps()
        if not self._is_deferring:
            self.catch_up()
        super()._varied_call(op, callee, args, kwargs, mapping)

    def note_steps(self) -> None:
        raise AssertionError("given by TangentBuilder")

    def _rule_call(
        self, op: Call, callee: Const, rule: Any, args: list[Operand],
        kwargs: dict[str, Operand], mapping: Renaming,
    ) -> None:
        function = callee.value
        if str(getattr(rule, "__module__", "")).startswith("zyg."):
            declared = tangent_of(function, kwargs)
            groups = linear_in(function, args, kwargs)
            if groups is not None and is_of_numpy(function) and any(
                self.is_varied(arg) for i, arg in enumerate(args)
                if not any(i in group for group in groups)
            ):
                groups = None
            is_covered = not any(map(self.is_varied, kwargs.values())) and not (
                is_only_when_run(function)
            )
            if is_covered and (declared is not None or groups is not None):
                if function is getattr:
                    self._refuse_objects(op, args)
                    declared = self.at_level(declared)
                self._declared(op, callee, args, kwargs, mapping, declared, groups)
                return
        if not self._is_transposable(op, function, args, kwargs):
            self.dispatched.append((op.loc, _found_late(function)))
            self._by_run_time(op, callee, args, kwargs, mapping)
            return
        super()._rule_call(op, callee, rule, args, kwargs, mapping)
        result = mapping[op.result]
        if isinstance(result, Value):
            self._calls[result] = args, kwargs

    def _is_transposable(
        self, op: Call, function: Any, args: list[Operand], kwargs: dict[str, Operand]
    ) -> bool:
        """Whether types say enough of a call to make its tangent from the rule now."""
        if any(map(self.is_varied, kwargs.values())):
            return False
        operands = [arg for arg in args if self.is_varied(arg)]
        types = [type_of(operand) for operand in operands]
        return all(map(is_numeric, types)) and is_numeric(op.result.type)

    def _declared(
        self, op: Call, callee: Const, args: list[Operand], kwargs: dict[str, Operand],
        mapping: Renaming, declared: Any, groups: Groups | None,
    ) -> None:
        if is_read_twice(callee.value) and args:
            args = [self._settled(args[0], op), *args[1:]]
        names = [op.result.name]
        before: list[Operand] | None = None
        order: Operand = NONE
        is_changed = is_change(op) or callee.value is written_view
        if is_changed:  # what it was is not to be looked at behind the change
            self.catch_up()
            self.loc = op.loc
            before = self._dots_of(callee, args)
            if callee.value is primitives.regrouped:
                order = self.made(order_of, args[0])
            is_plain = holds_floats(type_of(args[0])) and is_numeric(type_of(args[-1]))
            if any(callee.value is store for store in STORING) and not is_plain:
                before[-1] = self.made(stored_tangent, before[-1], args[0])
        (result,) = self.typed_call(callee, args, kwargs, names, op.loc)
        mapping[op.result] = result
        if not isinstance(result, Value) or result in self.dots:
            return
        if class_of(result.type) is None:
            result.type = op.result.type
        self.varied.add(result)

        def tangent() -> None:
            self.loc = op.loc
            if declared is not None:
                dots = self._dots_of(callee, args) if before is None else before
                given = [order, *args[1:]] if is_changed else args
                dot = self.made(declared, result, *given, *dots, **kwargs)
            else:
                assert groups is not None
                dot = self._linear(callee, args, kwargs, groups, result)
            self.set_dot(result, dot)

        self.later(tangent)

    def _dots_of(self, callee: Const, args: list[Operand]) -> list[Operand]:
        of = self.items_dot if is_read_late(callee.value) else self.dot_or_zero
        return list(map(of, args))

    def items_dot(self, items: Operand) -> Operand:
        """The tangent of what is walked over: of memory that is changed meanwhile, as it is then.
        """
        dot, is_live = self.dot_or_zero(items), self._is_part_of_held(items)
        return self.made(live_items, items, dot) if is_live else dot

    def _is_part_of_held(self, items: Operand) -> bool:
        """Whether this is memory that an object holds, or a view of it."""
        while items not in self.held:
            op = self.definitions.get(items) if isinstance(items, Value) else None
            if not isinstance(op, Call) or not isinstance(op.callee, Const) or (
                not facts.is_view(op)
            ):
                return False
            items = op.args[0]
        return True

    def _settled(self, items: Operand, op: Call) -> Operand:
        """What can be read twice, in the place of what may be an iterator."""
        if not self.is_varied(items) or class_of(type_of(items)) in (list, tuple, dict):
            return items
        found = self.call(settled, items, loc=op.loc)
        self.later(lambda: self.set_dot(
            found, self.made(settled_tangent, self.dot_or_zero(items), found)
        ))
        if isinstance(found, Value):
            self.varied.add(found)
        return found

    def _linear(
        self, callee: Const, args: list[Operand], kwargs: dict[str, Operand], groups: Groups,
        result: Value,
    ) -> Operand:
        """The sum of the same call with tangents in the place of each group of arguments."""
        total: Operand | None = None
        for group in groups:
            if not any(self.is_varied(args[i]) for i in group if i < len(args)):
                continue
            given = list(args)
            for i in group:
                if i < len(args):
                    given[i] = self.dot_or_zero(args[i])
                    if class_of(type_of(args[i])) is bool and is_of_numpy(callee.value):
                        given[i] = Const(0.0)
            is_item = callee.value is operator.getitem
            if is_item and args[0] in self.held:
                term = self._held_item(args, result)
            elif is_item and given[0] in self._kept_apart(args[0]):
                term = self._copied_part(given, result)
            elif is_item and may_lack_items(type_of(given[0])):
                term = self.made(picked_item, *given, result, args[0])
            else:
                term = self.made(callee, *given, **kwargs)
            if isinstance(term, Value) and term.type == TOP:
                term.type = dot_type(result.type)
            total = term if total is None else self.sum_of(total, term, result)
        return self.zero_dot(result) if total is None else total

    def _held_item(self, args: list[Operand], item: Value) -> Operand:
        """The tangent of an item of memory that an object may hold: not all of it is asked for."""
        where = self.held[args[0]]
        if len(where) == 2:
            return self.made(held_item_dot, *where, *args, item)
        return self.made(item_dot, *args, item, *where)

    def _kept_apart(self, items: Operand) -> list[Operand]:
        """The tangent of an array that is changed in place: what is read of it is a copy."""
        return [self.dots[items]] if isinstance(items, Value) and items in self.written and (
            is_array(items.type) and items in self.dots
        ) else []

    def _copied_part(self, given: list[Operand], result: Value) -> Operand:
        if not is_array(result.type):
            return self.made(operator.getitem, *given)
        part = self.made(part_of, *given)
        if isinstance(part, Value):
            part.type = dot_type(result.type)
        return part

    def sum_of(self, a: Operand, b: Operand, like: Operand) -> Operand:
        """The sum of two tangents, or their difference where one is negated."""
        total: Operand = self._inlined(lambda inliner: inliner.plus(a, b, like))
        return total

    def _inlined(self, action: Callable[[BackInliner], Any]) -> Any:
        """What is made by the algebra of cotangents, which simplifies."""
        mark = len(self.ops)
        inliner = self._inliner
        inliner.ops, inliner.loc, inliner.globals = self.ops, self.loc, self.globals
        inliner.place = self.place
        result = action(inliner)
        self.note_own(mark)
        return result

    # Steps

    def rule_tangent(self, step: RuleStep) -> None:
        """Appends the tangent of what a rule was inlined for."""
        self.loc = step.loc
        dots: dict[int, Operand] = {}
        for i, target in enumerate(step.targets):
            found = self.dot_of(target)
            if found is not None and not is_none(found):
                dots[i] = found
        if not dots:
            self.set_dot(step.result, self.zero_dot(step.result))
            return
        if self._multiplies(step):
            total: Operand | None = None
            for i, dot in dots.items():
                apply = partial(BackInliner.applied, step=step, position=i, dot=dot)
                term: Operand = self._inlined(apply)
                made = self.definitions.get(step.result)
                if is_array(type_of(dot)) and may_be_steep(step.callee, made):
                    term = self.made(unmoved, term, dot)
                total = term if total is None else self.sum_of(total, term, step.result)
            assert total is not None
            self.set_dot(step.result, self._spread(total, step.result))
            return
        self.set_dot(step.result, self._by_transposition(step, dots))

    def _multiplies(self, step: RuleStep) -> bool:
        """Whether the back function of a rule multiplies real numbers element by element."""
        targets = [target for target in step.targets if self.is_varied(target)]
        types = [step.result.type, *map(type_of, targets)]
        if all(map(is_real_number, types)):
            return True
        return is_elementwise(step.callee) and all(map(is_real_numeric, types)) and all(
            is_real_numeric(type_of(target)) for target in step.targets
        )

    def _spread(self, dot: Operand, result: Value) -> Operand:
        """A tangent in the shape of its value: some operands were broadcast."""
        if not is_array(result.type) or same_shape(type_of(dot), result.type):
            return dot
        if rank_of(result.type) == 0:
            return dot
        whole = self.made(spread, dot, result)
        if isinstance(whole, Value):
            whole.type = dot_type(result.type)
        return whole

    def _by_transposition(self, step: RuleStep, dots: dict[int, Operand]) -> Operand:
        mark = len(self.ops)
        try:
            dot = transposed(self, step, dots)
        except (NotDifferentiable, Unsupported):
            dot = None
            del self.ops[mark:]
        if dot is None:
            self.dispatched.append((step.loc, _found_late(step.callee)))
            dot = self._rows(step)
        self.note_own(mark)
        return dot

    def _rows(self, step: RuleStep) -> Operand:
        raise AssertionError("given by FoundTangents")

    def _by_run_time(
        self, op: Call, callee: Const, args: list[Operand], kwargs: dict[str, Operand],
        mapping: Renaming,
    ) -> None:
        raise AssertionError("given by FoundTangents")

    def at_level(self, function: Any) -> Any:
        raise AssertionError("given by FoundTangents")

    def _refuse_objects(self, op: Call, read: list[Operand] | None = None) -> None:
        """Refuses a call that the run time finds, and that may ask for tangents of objects, where
        these are values that it doesn't know; `read` are the operands of `getattr`."""
        if self.table is None or self._is_apart(op):
            return
        cls = None if read is None else class_of(type_of(read[0]))
        if read is not None and (cls is None or not is_place(cls)):
            if isinstance(read[1], Const) and self.surroundings.classes_with(read[1].value):
                self.surroundings.unless_apart()  # where these are asked for
            self.call(unless_place, read[0], read[1], loc=op.loc)
            return
        self.surroundings.unless_apart()
        raise Unsupported(
            "jvp of code that works on objects, and calls what isn't known, inside of "
            "differentiated code", op.loc, advice="call functions by their names",
        )


def _found_late(callee: object) -> str:
    return f"the tangent of {getattr(callee, '__name__', callee)} is found at run time"

