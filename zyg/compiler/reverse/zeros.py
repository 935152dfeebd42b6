"""Zero cotangents, and cotangents without structural zeros in the place of numbers.

    zero of a float         0.0
    zero of an array        zeros_like(x)
    zero of an object       None: the structural zero
"""

from __future__ import annotations

import operator
from collections import deque
from typing import TYPE_CHECKING

from ir import primitives
from ir.core import Call, Const, Operand, Value, type_of
from ir.late import late_class
from ir.types import TOP, Dict, Mapping, Scalar, Sequence, Tuple, Type, Union, class_of, widen
from zyg.array_type import NUMPY_SCALARS
from zyg.compiler.activity import may_vary
from zyg.compiler.reverse.algebra import Algebra
from zyg.compiler.reverse.cotangent_types import (
    NONE,
    as_mapping,
    is_array,
    is_container_of_floats,
    is_none,
    is_numeric,
    may_be_none,
    seed_type,
    tangent_type,
)
from zyg.cotangents import cotangent
from zyg.facts.cotangent_facts import has_number_for_each
from zyg.facts.numpy_facts import is_real

if TYPE_CHECKING:
    from zyg.compiler.reverse.item_contributions import ItemContributions
else:  # it is for cotangents of single items
    ItemContributions = late_class(
        "zyg.compiler.reverse.item_contributions", "ItemContributions", Algebra,
        "nested_sum _numbers_in _changes _change_of _changed read_within is_item_of_list "
        "_hot_unless_none _hot_item _tuple_items items_of_sum with_all_fields _fields_of_sum",
    )


class Zeros(ItemContributions):
    """Builds the zeros of an adjoint."""

    def zero(self, value: Operand) -> Operand:
        """The zero cotangent of a value, as far as its type tells; else the structural zero."""
        match widen(type_of(value)):
            case Union(members) as union if is_numeric(union):
                return self._zeros(value) if any(map(is_array, members)) else Const(0.0)
            case Scalar(cls) if issubclass(cls, complex):
                return Const(0j)
            case Scalar(cls) if issubclass(cls, int) and cls is not bool:
                return Const(0)
            case Scalar(cls) if may_vary(Scalar(cls)):
                return Const(0.0)
            case Tuple(items) if all(map(is_numeric, items)):
                parts = self.parts(value)
                if parts is None:
                    parts = [Value("t", item) for item in items]
                    if not all(isinstance(item, Scalar) for item in items):
                        zeros = self.call(cotangent.zeros_like, value)
                        if isinstance(zeros, Value) and self._may_be_unbound(value):
                            zeros.type = TOP
                        return zeros
                return self.call(primitives.build_tuple, *map(self.zero, parts))
            case type_ if is_array(type_):
                return self._zeros(value)
            case Sequence(cls, item) if cls in (list, deque) and may_vary(item):
                return self.call(cotangent.zeros_like, value)
            case Dict() | Mapping() as type_ if has_number_for_each(as_mapping(type_)):
                zeros = self.call(cotangent.zeros_like, value)
                if isinstance(zeros, Value):
                    zeros.type = as_mapping(type_of(zeros))
                return zeros
            case _:
                return NONE

    def _may_be_unbound(self, value: Operand) -> bool:
        """Whether a value may be the item of an iterator that was at its end: `alive, item, _`."""
        op = self.definitions.get(value) if isinstance(value, Value) else None
        return isinstance(op, Call) and isinstance(op.callee, Const) and (
            op.callee.value is primitives.unpack and len(op.results) == 3
        )

    def _zeros(self, value: Operand) -> Operand:
        zeros = self.call(cotangent.zeros_like, value)
        if isinstance(zeros, Value):
            zeros.type = tangent_type(type_of(value))
        return zeros

    def completed(self, bar: Operand, like: Operand, with_containers: bool = False) -> Operand:
        """A cotangent without structural zeros in the place of numbers: callees rely on that.

        As a seed, also in lists and tables of floats.
        """
        type_ = type_of(like)
        if isinstance(type_, Tuple):
            bars = [NONE for _ in type_.items] if is_none(bar) else self.items_of_sum(bar)
            if bars is not None and len(bars) != len(type_.items):
                # Code of an arm that isn't taken: for what another function has saved.
                return self.call(cotangent.completed, bar, like)
            if bars is None and not (isinstance(type_of(bar), Tuple) and with_containers):
                # A branch hands out None in the place of a tuple of the arm that it didn't take.
                return self.call(cotangent.completed, bar, like)
            items = [
                self.call(operator.getitem, like, Const(i)) for i in range(len(type_.items))
            ]
            if bars is None:
                bars = [self.call(operator.getitem, bar, Const(i)) for i in range(len(items))]
            parts = [
                self.completed(*pair, with_containers) for pair in zip(bars, items, strict=True)
            ]
            return self.call(primitives.build_tuple, *parts)
        if with_containers and is_container_of_floats(type_):
            is_complete = is_container_of_floats(type_of(bar))
            return bar if is_complete else self.completed_container(bar, like)
        if is_numeric(type_):
            if is_none(bar):
                return self.zero(like)
            return self._complex_like(self._instantiated_like(bar, like), type_)
        return self.with_all_fields(bar, type_) if isinstance(type_, Dict) else bar

    def _complex_like(self, bar: Operand, type_: Type) -> Operand:
        """A cotangent that is real so far, of what is complex, as a complex one."""
        found = type_of(bar)
        if is_array(type_) and type_.dtype.kind == "c":
            is_real = is_array(found) and found.dtype.kind == "f"
            return self.call(operator.add, bar, Const(0j)) if is_real else bar
        if class_of(type_) is complex and class_of(found) is float:
            return self.call(complex, bar)
        return bar

    def completed_container(self, bar: Operand, like: Operand) -> Operand:
        """The cotangent of a list or dict of floats without structural zeros."""
        made = self.call(cotangent.completed_container, bar, like)
        if isinstance(made, Value):
            made.type = seed_type(type_of(like))
        return made

    def _instantiated_like(self, bar: Operand, like: Operand) -> Operand:
        if not may_be_none(type_of(bar)):
            return bar
        # A branch hands out something else in the place of a number of the arm that it didn't
        # take, so that the type tells the zero, and not the value.
        type_, cls = type_of(like), class_of(type_of(like))
        known = like
        if cls in NUMPY_SCALARS:
            known = Const(cls(0))
        elif cls in (int, float, complex) or (
            isinstance(type_, Union) and not any(map(is_array, type_.members)) and is_real(type_)
        ):
            known = self.zero(like)  # the cotangent of what is real is made real
        made = self.call(cotangent.materialised, bar, known)
        if isinstance(made, Value):
            made.type = tangent_type(type_of(like))
        return made
