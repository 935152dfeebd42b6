"""Adjoints of the operations on the arms of `np.where`, whose cotangents are masked at the end.

    y = np.where(x > 0, np.log(x), table)      a row x, and a table of many rows

    t_bar = np.sum(np.where(x > 0, y_bar, 0), axis=0)       of np.log(x): one sum for each x
    x_bar = np.where(x > 0, t_bar / x, 0)                   0, not NaN, where x is 0
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence

import numpy as np

from ir.core import Const, Operand, Value, type_of
from ir.types import widen
from zyg.array_type import Array, is_number
from zyg.arrays import selections
from zyg.compiler.forward.forward_steps import RuleStep
from zyg.compiler.reverse.branches import BranchTransposer
from zyg.compiler.reverse.cotangent_types import is_array
from zyg.compiler.reverse.masks import (
    CHOICES,
    ELSEWHERE,
    PRODUCTS,
    SINGULAR,
    Mask,
    have_one_shape,
    is_elementwise,
    is_one_number,
    repeated_axes,
)


class MaskedArms(BranchTransposer):
    """Masks the cotangents of what `np.where` has selected from."""

    _by_rules: set[Value]  # the results of rules in the block that is being transposed

    def _begins_arm(
        self, step: RuleStep, at: int, masks: tuple[Mask, ...], bar: Operand
    ) -> bool:
        """Whether what `np.where` selects for an operand is left to where its arm ends."""
        arms = step.targets[1:]
        if at == 0 or len(arms) != 2 or arms[0] is arms[1] or not self._has_shape_of(step, bar):
            return False
        if self._condition_changes(step):
            return False  # it is read here, as it is now
        return self._pass_on(self._all_masks(step, at, masks), arms[at - 1], step)

    def _condition_changes(self, step: RuleStep) -> bool:
        return self.log is not None and self.log.source(step.targets[0]) is not None

    def _all_masks(self, step: RuleStep, at: int, masks: tuple[Mask, ...]) -> tuple[Mask, ...]:
        """The masks of an operand, where those of the result are given."""
        if step.callee not in CHOICES or self._condition_changes(step):
            return masks
        mask = step.targets[0], at == 1
        return masks if mask in masks else (*masks, mask)

    def _pass_on(self, masks: tuple[Mask, ...], operand: Operand, step: RuleStep) -> bool:
        if not isinstance(operand, Value) or not self._masks.is_on_arm(
            operand, self._by_rules, self._varied
        ):
            return False
        if not have_one_shape(operand.type, step.result.type):
            masks = self._narrowed(masks, operand, self._masks.may_be_infinite(operand))
        if not masks or (operand in self.bars and self._masks.of(operand) != masks):
            return False  # it is a result as well
        self._masks.leave(masks, operand)
        return True

    def _settle(self, operand: Value, masks: tuple[Mask, ...]) -> None:
        """Masks what arms have given an operand that is read outside of them, or in another arm.

        `masks` are those of what comes next, which is masked already. Where that is in an arm as
        well, what is in neither is left to be thrown away, if there is something to throw away.
        """
        left = self._masks.of(operand)
        if all(mask in masks for mask in left):
            return  # what comes next is in this arm
        masks = self._narrowed(masks, operand, True)  # the operand may be broadcast there
        self.bars[operand] = self._masked(left, self.bars[operand], 0)
        if not masks or not self._masks.may_be_infinite(operand):
            masks = ()
        elif not all(mask in left for mask in masks):
            either = self.call(np.logical_or, self._whole(left), self._whole(masks))
            masks = ((either, True),)
        self._masks.leave(masks, operand)

    def _whole(self, masks: tuple[Mask, ...]) -> Operand:
        """Where all of some masks are as an arm wants them."""
        wanted = [
            condition if is_true else self.call(np.logical_not, condition)
            for condition, is_true in masks
        ]
        return functools.reduce(lambda a, b: self.call(np.logical_and, a, b), wanted)

    def _narrowed(
        self, masks: tuple[Mask, ...], operand: Operand, where_broadcast: bool
    ) -> tuple[Mask, ...]:
        """Masks of the numbers of an operand; where it is broadcast, of those that count anywhere.
        """
        narrowed = []
        for condition, is_true in masks:
            if is_number(type_of(operand)):
                if where_broadcast or is_one_number(type_of(condition)):
                    narrowed.append(self._of_number(condition, is_true))
                continue
            axes = repeated_axes(condition, operand)
            if axes != ((), ()) and not where_broadcast:
                continue
            if axes is None:  # only the arrays themselves tell
                type_ = type_of(operand)
                if not is_array(type_):
                    continue
                shape = self.call(np.shape, operand)
                mask = self.call(selections.narrowed, condition, shape, Const(is_true))
                if isinstance(mask, Value):
                    mask.type = Array(np.dtype(bool), type_.dims)
                narrowed.append((mask, is_true))
                continue
            over = Const(np.any if is_true else np.all)
            for some, keeps in zip(axes, (False, True), strict=True):
                if some:
                    args = [condition, Const(some[0] if len(some) == 1 else some)]
                    options: dict[str, Operand] = {"keepdims": Const(True)} if keeps else {}
                    (condition,) = self.typed_call(over, args, options, ["mask"], self.loc)
            narrowed.append((condition, is_true))
        return tuple(narrowed)

    def _of_number(self, condition: Operand, is_true: bool) -> Mask:
        """The mask of a number: where it is broadcast, it counts if it counts anywhere."""
        if is_array(type_of(condition)) and not is_one_number(type_of(condition)):
            condition = self.call(np.any if is_true else np.all, condition)
        return condition, is_true

    def _goes_on(self, step: RuleStep, bar: Operand) -> bool:
        """Whether the cotangents of an operation on an arm can be masked as well as its own."""
        return self._has_shape_of(step, bar) and all(
            have_one_shape(type_of(target), step.result.type) for target in step.targets
            if isinstance(target, Value) and target in self._varied
        ) and (step.callee in CHOICES or is_elementwise(step.callee))

    def _has_shape_of(self, step: RuleStep, bar: Operand) -> bool:
        return have_one_shape(type_of(bar), step.result.type)

    def _masked_operands(
        self, step: RuleStep, masks: tuple[Mask, ...], bar: Operand
    ) -> tuple[Operand, list[Operand]]:
        """The cotangent of a result, and what the adjoint captured, both masked."""
        captures = step.captures
        if step.callee in SINGULAR:
            elsewhere = ELSEWHERE.get(step.callee, 1.0)
            captures = [
                self._masked(
                    self._narrowed(masks, captured, self._reads_infinite(step, captured)),
                    captured, elsewhere,
                )
                for captured in captures
            ]
        return self._masked(masks, bar, 0), captures

    def _reads_infinite(self, step: RuleStep, captured: Operand) -> bool:
        """Whether an adjoint may multiply the zeros of a masked cotangent with what is infinite."""
        return step.callee not in PRODUCTS or self._masks.may_be_infinite(captured)

    def _masked(self, masks: Sequence[Mask], operand: Operand, elsewhere: float) -> Operand:
        """An array with another number where `np.where` took the other arm. The first mask, that of
        what stands outside, selects last, so that all its arms become one selection."""
        for condition, is_true in reversed(masks):
            other = Const(elsewhere)
            if is_number(type_of(operand)):
                condition, _ = self._of_number(condition, is_true)
                condition = condition if is_true else self.call(operator.not_, condition)
                selected = self.call(selections.chosen, condition, operand, other)
            else:
                arms = (operand, other) if is_true else (other, operand)
                selected = self.call(np.where, condition, *arms)
            operand = self._with_type(selected, widen(type_of(operand)))
        return operand
