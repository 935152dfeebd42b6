"""Sums of cotangents, as they are built: zeros, one-hot contributions, neutral factors.

    x_bar = y_bar * a          the first contribution is the cotangent, others are added
    x_bar = x_bar + z_bar
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ir import primitives
from ir.core import Block, Call, Const, Location, Op, Operand, Value, type_of
from ir.inference.typed_branches import is_same_operand
from ir.late import late
from ir.suggestions import suggest_derived
from ir.types import (
    BOTTOM,
    TOP,
    Mapping,
    NamedTuple,
    Sequence,
    Tuple,
    Type,
    class_of,
)
from zyg.array_type import (
    dtype_of_operand,
    fits_within,
    is_summed_to_number,
    rank_of,
    same_shape,
    summed_axes,
)
from zyg.compiler.forward.augment import Augmenter
from zyg.compiler.inference.objects import is_object_type
from zyg.compiler.reverse.algebra import SIGNED, is_const, neutral
from zyg.compiler.reverse.cotangent_types import (
    NONE,
    bar_name,
    holds_inexact,
    is_array,
    is_buffer,
    is_inexact,
    is_integer,
    is_none,
    is_numeric,
    seed_type,
)
from zyg.compiler.reverse.masks import Masks
from zyg.compiler.reverse.zeros import Zeros
from zyg.cotangents import cotangent, cotangent_items
from zyg.facts.cotangent_facts import holds_numbers
from zyg.facts.numpy_facts import is_real
from zyg.held.shadow_calls import current_shadows

if TYPE_CHECKING:
    from zyg.held import shadow_items
else:  # it is for cotangents of objects
    shadow_items = late("zyg.held.shadow_items")


class Accumulation(Zeros):
    """Builds adjoint operations, and keeps the cotangent of each value: `bars`."""

    def __init__(self, augmenter: Augmenter) -> None:
        super().__init__(augmenter.surroundings, augmenter.globals)
        self.home = augmenter.home
        self.definitions = augmenter.definitions
        self.methods = augmenter.methods
        self._varied = augmenter.varied
        self._seen_here = augmenter.seen_here
        self.heap = augmenter.heap
        self._steady = augmenter.steady
        self._forward = set(augmenter.definitions)
        # The table of the cotangents of objects, where the adjoint is differentiated in turn.
        self.table: Operand | None = None
        self.bars: dict[Value, Operand] = {}
        self._masks = Masks(augmenter.ops)
        # The forward operations, where the adjoint will stand in the same function.
        self.joint_ops: list[Op] | None = None
        # The results by which branches and loops hand out what the adjoint reads.
        self.exported: set[Value] = set()
        self._backs: dict[object, tuple[Block, list[Operand]]] = {}

    def typed_call(
        self,
        callee: Operand,
        args: list[Operand],
        kwargs: dict[str, Operand],
        names: list[str],
        loc: Location | None,
    ) -> list[Operand]:
        """Appends a call; in an adjoint, neutral factors and exponents disappear."""
        if isinstance(callee, Const) and not kwargs and id(callee.value) in _SIMPLIFIED:
            if len(args) == 2:
                args = self._unspread(callee.value, args)
                same = neutral(callee.value, args[0], args[1])
                if same is not None:
                    return [same]
            simpler = self._sign_outside(callee.value, args)
            if simpler is None:
                simpler = self._simpler(callee.value, args, names, loc)
            if simpler is not None:
                return [simpler]
            if callee.value in _ARITHMETIC:
                args = [_as_float(args[0], args[1]), _as_float(args[1], args[0])]
        made = super().typed_call(callee, args, kwargs, names, loc)
        for value in made:
            # What is read of a list into which nothing is seen to be put may be there all the same.
            if isinstance(value, Value) and value.type == BOTTOM:
                value.type = TOP
        return made

    def _one_hot(self, operand: Operand) -> Call | None:
        hot = self._call_of(operand, cotangent_items.one_hot)
        return self._call_of(operand, cotangent_items.at_index) if hot is None else hot

    def _unspread(self, callee: object, args: list[Operand]) -> list[Operand]:
        """Operands without `np.broadcast_to` where the other operand has the full shape."""
        if callee not in _ELEMENTWISE:
            return args
        left, right = args
        source = self._spread_source(left, right)
        return [source, right] if source is not left else [left, self._spread_source(right, left)]

    def _spread_source(self, operand: Operand, other: Operand) -> Operand:
        call = self._call_of(operand, np.broadcast_to)
        if call is None:
            return self._spread_number(operand, other)
        source = call.args[0]
        is_same = same_shape(type_of(operand), type_of(other))
        return source if is_same and type_of(source) != TOP else operand

    def _spread_number(self, operand: Operand, other: Operand) -> Operand:
        """The number in the place of `np.broadcast_to(number, shape)[:, None]`."""
        expanded = self._call_of(operand, operator.getitem)
        if expanded is None or not fits_within(type_of(operand), type_of(other)):
            return operand
        index = expanded.args[1]
        call = self._call_of(expanded.args[0], np.broadcast_to)
        if call is None or not isinstance(index, Const) or not _is_reshaping(index.value):
            return operand
        source = type_of(call.args[0])
        return call.args[0] if is_numeric(source) and not is_array(source) else operand

    def _simpler(
        self, callee: object, args: list[Operand], names: list[str], loc: Location | None
    ) -> Operand | None:
        """A reduction in the place of `unbroadcast`, and the type of a broadcast cotangent."""
        if callee is cotangent.unbroadcast:
            if is_summed_to_number(type_of(args[0]), type_of(args[1])):
                return self._sum_as_number(*args)
            axes = summed_axes(type_of(args[0]), type_of(args[1]))
            if axes is not None:
                over, keeps = axes
                keepdims: list[Operand] = [Const(True)] if keeps else []
                return self._sum_over(args[0], Const(over), keepdims, args[1])
        if callee is np.expand_dims and isinstance(args[1], Const):
            rank = rank_of(type_of(args[0]))
            if rank is not None and type(args[1].value) is int:
                axis = args[1].value % (rank + 1)
                index = (*(slice(None),) * axis, None)
                return super().typed_call(
                    Const(operator.getitem), [args[0], Const(index)], {}, names, loc
                )[0]
        if callee is cotangent_items.one_hot and is_array(type_of(args[1])):
            if isinstance(args[2], Const) and _is_reshaping(args[2].value):
                shape_ = self.call(np.shape, args[1])
                return self._typed_like(args[1], self.call(np.reshape, args[0], shape_))
        if callee is cotangent_items.one_hot:
            results = type_of(args[1])
            if isinstance(results, NamedTuple):
                return self._only_result(args[0], args[2], len(results.items))
        if callee is cotangent_items.with_gap:
            bars, place = type_of(args[0]), type_of(args[1])
            if is_buffer(bars) and isinstance(bars, Sequence) and class_of(place) is int:
                zero = Const(0.0) if holds_numbers(bars) else NONE
                return self.call(cotangent_items.with_place, args[0], args[1], zero)
        if callee is cotangent_items.before_push and len(args) == 3 and holds_numbers(
            type_of(args[0])
        ):
            return self.call(callee, *args, Const(0.0))
        if callee is cotangent_items.item and isinstance(args[1], Const):
            fields = self.keywords(args[0])
            if fields is not None:
                return fields.get(args[1].value, NONE)
        if callee in (cotangent_items.taken, cotangent_items.item, operator.getitem):
            return self.read_within(*args)
        if callee is operator.mul:
            return self._product(args[0], args[1])
        if callee is np.broadcast_to:
            shape = self._call_of(args[1], np.shape)
            if shape is not None and is_array(type_of(shape.args[0])):
                (made,) = super().typed_call(Const(callee), args, {}, names, loc)
                if (isinstance(made, Value) and made.type == TOP) or not same_shape(
                    type_of(made), type_of(shape.args[0])
                ):
                    dtype = dtype_of_operand(type_of(args[0]))
                    if dtype is not None and isinstance(made, Value):
                        like: Any = type_of(shape.args[0])
                        made.type = type(like)(dtype, like.dims)
                return made
        return None

    # Cotangents

    def begin_from(self, values: list[Value]) -> list[Value]:
        """Lets the cotangents of values begin from what is given for them."""
        given = [Value(bar_name(value), seed_type(value.type)) for value in values]
        self.bars.update(zip(values, given, strict=True))
        return given

    def add(self, operand: Operand, bar: Operand) -> None:
        """Adds a contribution to the cotangent of a value."""
        if not isinstance(operand, Value) or operand not in self._varied or is_none(bar):
            return
        if self.heap is not None and is_object_type(operand.type):
            # Another call has read it, or the caller knows more of it than it can see.
            if operand in self._seen_here:
                self.leave_to_objects(self._seen_here[operand], bar)
                return
            changes = self.surroundings.may_change_objects()
            add = shadow_items.add_object if changes else shadow_items.add_constant_object
            self.call(add, self.heap_bar(), operand, bar)
            return
        bar = self._instantiated(operand, bar)
        before = self.bars.get(operand)
        total = bar if before is None else self.plus(before, bar, operand)
        if isinstance(total, Value) and total.name == "t":
            if operand.name != "t":
                total.name = bar_name(operand)
            else:
                suggest_derived(total, operand.name, "_bar")
        self.bars[operand] = total

    def leave_to_objects(self, seen: Value, bar: Operand) -> Operand:
        """Leaves a cotangent to the objects that something held at a point; gives the rest."""
        from zyg.compiler.run_time.seen_objects import leave  # few programs need it

        return self.call(leave, self.heap_bar(), seen, bar)

    def heap_bar(self) -> Operand:
        """The table of the cotangents of what objects hold: one for all versions of the heap."""
        assert self.heap is not None
        found = self.bars.get(self.heap)
        if found is None:
            table = self.table
            if table is None:
                table = self.call(current_shadows, name="heap_bar")
            found = self.bars[self.heap] = table
        return found

    def _instantiated(self, value: Value, bar: Operand) -> Operand:
        """A cotangent that is no structural zero, where the value is a number or an array."""
        if not is_numeric(value.type):
            return bar
        made = self._instantiated_like(bar, value)
        if isinstance(made, Value):
            made.type = made.type.of_one_shape(value.type)
        return made

    def _inexact(self, target: Operand, bar: Operand) -> Operand:
        """What a user's rule gives for an operand: floats, unless this is an integer."""
        is_wanted = isinstance(target, Value) and target in self._varied
        type_ = type_of(bar)
        if not is_wanted or is_integer(type_of(target)) or holds_inexact(type_):
            return bar
        return self.call(cotangent.inexact, bar)

    def plus(self, a: Operand, b: Operand, like: Operand) -> Operand:
        """The sum of two cotangents of one value."""
        if is_none(a):
            return b
        if is_none(b):
            return a
        parts_a, parts_b = self.parts(a), self.parts(b)
        if parts_a is not None and parts_b is not None and len(parts_a) == len(parts_b):
            likes = self._items(like, len(parts_a))
            sums = map(self.plus, parts_a, parts_b, likes)
            return self.call(primitives.build_tuple, *sums)
        for whole, item in ((a, b), (b, a)):
            hot_item = self._hot_item(item) if isinstance(type_of(item), Tuple) else None
            items = None if hot_item is None else self._tuple_items(whole)
            if hot_item is not None and items is not None:
                index, bar = hot_item
                items[index] = self.plus(items[index], bar, NONE)
                types = type_of(whole).items  # type: ignore[attr-defined]
                filled = [
                    self.zero(Value("t", type_)) if is_none(part) else part
                    for part, type_ in zip(items, types, strict=True)
                ]
                return self.call(primitives.build_tuple, *filled)
        fields_a, fields_b = self.keywords(a), self.keywords(b)
        if fields_a is not None and fields_b is not None:
            names = dict.fromkeys([*fields_a, *fields_b])
            pairs: list[Operand] = []
            for name in names:
                total_field = self.plus(fields_a.get(name, NONE), fields_b.get(name, NONE), NONE)
                pairs += [Const(name), total_field]
            return self.call(primitives.build_dict, *pairs)
        hot, earlier_hot = self._one_hot(b), self._one_hot(a)
        if hot is not None and earlier_hot is not None and is_array(type_of(a)):
            if self._negated(earlier_hot.args[0]) and not self._negated(hot.args[0]):
                # What comes second can be subtracted.
                a, b, hot = b, a, earlier_hot
        is_container = isinstance(type_of(a), Sequence | Mapping) and is_buffer(type_of(a))
        if hot is None and is_container:
            hot = self._hot_unless_none(b)
        if is_container:
            nested = self.nested_sum(a, b, hot)
            if nested is not None:
                return nested
        if hot is not None and is_buffer(type_of(a)) and _holds(a, hot):
            earlier = self._call_of(a, cotangent_items.add_at)
            if earlier is not None and is_same_operand(earlier.args[1], hot.args[2]):
                if is_numeric(type_of(earlier.args[2])) and is_numeric(type_of(hot.args[0])):
                    both = self.plus(earlier.args[2], hot.args[0], NONE)
                    made = self.call(cotangent_items.add_at, earlier.args[0], hot.args[2], both)
                    return self._typed_like(a, made)
            made = self.call(cotangent_items.add_at, a, hot.args[2], hot.args[0])
            return self._typed_like(a, made) if is_array(type_of(a)) else made
        if hot is not None and self.is_item_of_list(hot):
            return self.call(cotangent_items.accumulate_item, a, hot.args[2], *hot.args[:2])
        hot = self._one_hot(a)
        if hot is not None and is_array(type_of(b)) and _holds(b, hot):
            made = self.call(cotangent_items.add_at, b, hot.args[2], hot.args[0])
            return self._typed_like(b, made)
        if is_numeric(type_of(a)) and is_numeric(type_of(b)):
            return self.sum_of_numbers(a, b, like)
        return self.call(cotangent.accumulate, a, b)

    def sum_of_numbers(self, a: Operand, b: Operand, like: Operand) -> Operand:
        """The sum of two numbers or arrays, as a difference where one of them is negated."""
        arrays = [operand for operand in (a, b) if is_array(type_of(operand))]
        simpler = self._sum_of_selections(a, b) or self._with_multiple(a, b)
        if simpler is not None:
            return simpler
        plus = cotangent.add if arrays else operator.add
        minus = cotangent.subtract if arrays else operator.sub
        minus_a, minus_b = self._subtracted(a), self._subtracted(b)
        if minus_a is None and minus_b is None:
            minus_b = self._subtracted(self._spread_source(b, a))
        if minus_a is not None and minus_b is not None:
            return self.call(operator.neg, self.plus(minus_a, minus_b, like))
        if minus_b is not None:
            result = self.call(minus, a, minus_b)
        elif minus_a is not None:
            result = self.call(minus, b, minus_a)
        else:
            result = self.call(plus, a, b)
        # A number keeps its type: that of a constant would say what the sum is.
        if not arrays or len({_is_complex(operand) for operand in (a, b)}) > 1:
            return result
        return self._with_type(result, self.type_of_sum(a, b))

    def _sum_of_selections(self, left: Operand, right: Operand) -> Operand | None:
        """The sum of what one mask selects, as one selection."""
        first, second = self._call_of(left, np.where), self._call_of(right, np.where)
        if first is None or second is None or first.args[0] is not second.args[0]:
            return None
        if type_of(left) != type_of(right) or len(first.args) != 3 or len(second.args) != 3:
            return None
        arms = [
            b if is_const(a, 0) else a if is_const(b, 0) else self.sum_of_numbers(a, b, NONE)
            for a, b in zip(first.args[1:], second.args[1:], strict=True)
        ]
        made = self.call(np.where, first.args[0], *arms)
        if isinstance(made, Value):
            made.type = type_of(left)
        return made

    def type_of_sum(self, a: Operand, b: Operand) -> Type:
        """Cotangents of one value have its shape: that of the first one that is an array."""
        return type_of(a) if is_array(type_of(a)) else type_of(b)

    def _typed_like(self, like: Operand, result: Operand) -> Operand:
        return self._with_type(result, type_of(like))

    def _with_type(self, result: Operand, type_: Type) -> Operand:
        inner = self._negated(result)
        for value in (result, inner):
            if isinstance(value, Value):
                value.type = type_
        return result

    def _items(self, like: Operand, count: int) -> list[Operand]:
        return (self.parts(like) or [NONE] * count)[:count] if not is_none(like) else (
            [NONE] * count
        )

_ELEMENTWISE = (operator.mul, operator.truediv, operator.sub, cotangent.add, cotangent.subtract)
_ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.truediv)
MAX_EXACT = 2**53  # of the whole numbers that are floats
# The callees that these methods and those of `Algebra` look for.
_SIMPLIFIED = {
    id(callee) for callee in (
        *_ELEMENTWISE, *SIGNED, operator.add, operator.pow, cotangent.unbroadcast,
        cotangent_items.one_hot, cotangent_items.taken, cotangent_items.item,
        cotangent_items.with_gap,
        cotangent_items.before_push,
        np.expand_dims, np.broadcast_to,
    )
}


def _is_complex(operand: Operand) -> bool:
    return not is_real(type_of(operand))


def _holds(bars: Operand, hot: Call) -> bool:
    """Whether an item's cotangent can be added in place: that of a complex array may be real so
    far, as that of `x.real` is.
    """
    is_real_sum = is_array(type_of(bars)) and not _is_complex(bars)
    return not (is_real_sum and all(map(_is_complex, hot.args[:2])))


def _as_float(operand: Operand, other: Operand) -> Operand:
    """A whole number as a float, where it meets floats: what Python and NumPy make of it each
    time.
    """
    if isinstance(operand, Const) and type(operand.value) is int and is_inexact(type_of(other)):
        if abs(operand.value) <= MAX_EXACT:
            return Const(float(operand.value))
    return operand


def _is_reshaping(index: object) -> bool:
    """Whether an index takes all items in their order, and only changes the shape."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(part is None or part is Ellipsis or part == slice(None) for part in parts)
