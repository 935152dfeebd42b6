"""Back functions of calls that were found at run time: y_bar -> one cotangent for each operand.

A rule gives what its parameters ask for; a call wants the cotangents of the function, of each
positional argument and of each keyword argument.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from pickle import PicklingError
from typing import Any

from ir.facts import is_helper_module
from zyg.compiler.forward.captured import held_by, nested_function, path_of, with_held
from zyg.compiler.nested import nested_backs
from zyg.compiler.run_time import rule_objects
from zyg.compiler.run_time.refusals import full_name
from zyg.cotangents import cotangent, cotangent_returned
from zyg.errors import NotDifferentiable
from zyg.held.shadow_calls import is_running
from zyg.rules.registry import rule_of, takes_pullback
from zyg.signature import BackFunction


class BackOfValue(BackFunction):
    """The back function of a call that has not failed, for the pair (None, value)."""

    __slots__ = ("_back",)

    def __init__(self, back: Any) -> None:
        self._back = back

    def __call__(self, pair_bar: Any) -> tuple[Any, ...]:
        found: tuple[Any, ...] = self._back(None if pair_bar is None else pair_bar[1])
        return found

    def with_own_memory(self, copy: Callable[[Any], Any]) -> BackOfValue:
        """The same with copies of what it holds."""
        return BackOfValue(copy(self._back))


class ApplyBack(BackFunction):
    """The back function of `function(*args, **kwargs)`: cotangents of the three operands."""

    def __init__(self, back: Any, args: Any, keywords: dict[str, Any], count: int) -> None:
        self._back = back
        self._args = args
        self._keywords = keywords
        self._count = count

    def __call__(self, y_bar: Any) -> tuple[Any, Any, Any]:
        return self.arranged(self._back(y_bar))

    def arranged(self, bars: Any) -> tuple[Any, Any, Any]:
        """The cotangents of the three operands from those of the function and its arguments."""
        function_bar, *bars = bars
        keywords = self._keywords
        bar_of = dict(zip(keywords, bars[self._count :], strict=True))
        keyword_bars = {
            name: cotangent_returned.keyword_bar(bar, name, keywords[name])
            for name, bar in bar_of.items()
        }
        args_bar = cotangent.from_items(bars[: self._count], self._args)
        return function_bar, args_bar, keyword_bars

    def of_arranged(self, bars_bar: Any) -> tuple[Any, ...]:
        """The transpose of that."""
        function_bar, args_bar, keyword_bars = bars_bar
        items = (None,) * self._count if args_bar is None else tuple(args_bar)
        names = self._keywords if keyword_bars else ()
        return function_bar, *items, *(
            keyword_bars.get(name) if names else None for name in self._keywords
        )

    def with_own_memory(self, copy: Callable[[Any], Any]) -> ApplyBack:
        """The same with copies of what it holds."""
        held = copy(self._back), copy(self._args), copy(self._keywords)
        return ApplyBack(*held, self._count)


class RuleBack(BackFunction):
    """The back function of a rule, with one cotangent for each argument, in a tuple."""

    def __init__(
        self,
        back: Any,
        function: Any,
        leading: int,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        with_function: bool = True,
    ) -> None:
        self._back = back
        self._function = function
        self._leading = leading
        self._count = len(args)
        self._with_function = with_function
        self._slots = [_slot(function, name) for name in kwargs]
        # How a solver works has no influence on what it finds.
        self._without_slot = None if takes_settings(function) else cotangent_returned.NO_SLOT
        # Which gradients may be integers: all that zyg's own rules give are as they should be.
        self._whole: list[bool] | None = None
        if not is_helper_module(getattr(rule_of(function), "__module__", None)):
            self._whole = [type(arg) is int for arg in (*args, *kwargs.values())]
        # The objects among the operands, where a table has the cotangents of what they hold.
        is_on_table = self._whole is not None and is_running()
        operands = (*args, *kwargs.values())
        self._objects = rule_objects.objects_in(operands) if is_on_table else None
        if self._objects is not None:
            self._read_later = rule_objects.ReadLater(back, operands)
        # What it has called may have changed objects.
        self._runs_always = is_running() and takes_pullback(rule_of(function) or function)

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        if y_bar is None and not self._runs_always:
            bars: tuple[Any, ...] = (None,) * (self._count + len(self._slots))
        else:
            if self._objects is not None:
                self._read_later.unless_changed(getattr(self._function, "__name__", "a function"))
            return self.of_returned(self._back(y_bar))
        return self._arranged(bars)

    def pullback(self, y_bar: Any) -> Any:
        """The cotangents, and the function to (this function's, y_bar's)."""
        return self.nested().pullback(y_bar)

    def nested(self) -> nested_backs.NestedBack:
        """The same as code that can be differentiated."""
        if self._objects is not None:
            raise NotDifferentiable(
                f"the second derivative of {full_name(self._function)}, whose rule is given "
                "objects, in code that works on objects; give it what it reads of them"
            )
        return nested_backs.NestedBack(
            self._back, (), nested_backs.as_it_is,
            functools.partial(nested_backs.as_returned, self), self.as_returned,
        )

    def of_returned(self, returned: Any) -> tuple[Any, ...]:
        """The cotangents of the call from what the rule's own back function returned."""
        name = getattr(self._function, "__name__", repr(self._function))
        count = max(self._count, _positional(self._function))
        if count == 1:
            found: tuple[Any, ...] = (cotangent_returned.checked_gradient(returned, name),)
        else:
            required = min(_required(self._function), count)
            found = cotangent_returned.checked_gradients(returned, required, count, name)
        keywords = [self._without_slot if slot is None else found[slot] for slot in self._slots]
        bars = (*found[: self._count], *keywords)
        if self._whole is not None:
            bars = tuple(
                bar if is_whole else cotangent.inexact(bar)
                for bar, is_whole in zip(bars, self._whole, strict=True)
            )
        if self._objects is not None:
            bars = rule_objects.without_objects(self._objects, bars)
        return self._arranged(bars)

    def _arranged(self, bars: tuple[Any, ...]) -> tuple[Any, ...]:
        if not self._with_function:
            return bars
        if self._leading:
            return ({"__self__": bars[0]}, *bars[self._leading :])
        return (None, *bars)

    def as_returned(self, bars_bar: tuple[Any, ...], returned: Any) -> Any:
        """The transpose of `of_returned`: of what the back function returned, from those of the
        cotangents of the call."""
        if self._with_function:
            own, *rest = bars_bar
            first = [None if own is None else own.get("__self__")] if self._leading else []
            bars_bar = (*first, *rest)
        if type(returned) is not tuple:
            return bars_bar[0]
        found: list[Any] = [None] * len(returned)
        given = min(self._count, len(returned))
        found[:given] = bars_bar[:given]
        for slot, bar in zip(self._slots, bars_bar[self._count :], strict=True):
            if slot is not None and slot < len(returned):
                found[slot] = cotangent.accumulate(found[slot], bar)
        return tuple(found)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> RuleBack:
        """The same with copies of what it holds."""
        return self.with_captured({name: copy(v) for name, v in self.captured().items()})

    def captured(self) -> dict[str, Any]:
        """What the rule's own back function reads, by name."""
        return held_by(self._back)

    def with_captured(self, captured: dict[str, Any]) -> RuleBack:
        """The same back function with other values in the place of what it reads."""
        return self._with(with_held(self._back, captured)) if captured else self

    def _with(self, back: Any) -> RuleBack:
        made = RuleBack.__new__(RuleBack)
        vars(made).update(vars(self), _back=back)
        return made

    def __reduce__(self) -> Any:
        path = path_of(getattr(self._back, "__code__", None), rule_of(self._function))
        if path is None or self._back.__defaults__ or self._back.__kwdefaults__:
            raise PicklingError(
                f"the back function of the rule for {full_name(self._function)} can't be "
                "pickled: it is no plain nested function of the rule"
            )
        plain = self._with(None)
        return _restored, (self._function, path, self.captured(), vars(plain))


def _restored(
    function: Any, path: tuple[int, ...], captured: dict[str, Any], state: dict[str, Any]
) -> RuleBack:
    rule = rule_of(function)
    if rule is None:
        raise NotDifferentiable(
            f"the pickled pullback needs the rule for {full_name(function)}: import its module"
        )
    restored = RuleBack.__new__(RuleBack)
    vars(restored).update(state, _back=nested_function(rule, path, captured))
    return restored


def _slot(function: Any, keyword: str) -> int | None:
    """The position of the gradient of a keyword argument among those that a rule returns."""
    code = getattr(rule_of(function), "__code__", None)
    names = () if code is None else code.co_varnames[: code.co_argcount]
    return names.index(keyword) if keyword in names else None


def takes_settings(function: Any) -> bool:
    """Whether all keywords that the rule of a function has no name for are settings of a solver."""
    rule = rule_of(function)
    return rule is not None and takes_pullback(rule) and rule.__module__ in (
        "zyg.rules.scipy_optimize", "zyg.rules.scipy_integrate"
    )


def _positional(function: Any) -> int:
    """How many gradients a rule may return: one for each parameter that has a position."""
    code = getattr(rule_of(function), "__code__", None)
    return 0 if code is None else code.co_argcount


def _required(function: Any) -> int:
    """How many gradients a rule has to return at least."""
    rule = rule_of(function)
    if not isinstance(rule, types.FunctionType):
        return 0
    return rule.__code__.co_argcount - len(rule.__defaults__ or ())


class Zero(BackFunction):
    """The back function of a call that nothing flows through."""

    def with_own_memory(self, copy: Callable[[Any], Any]) -> Zero:
        return self

    def __init__(self, count: int) -> None:
        self._count = count

    def __call__(self, y_bar: Any) -> tuple[None, ...]:
        return (None,) * self._count

    def pullback(self, y_bar: Any) -> Any:
        return self(y_bar), Zero(2)


class RaisedBack(Zero):
    """The back function of making an exception, which nothing may flow through."""

    def __call__(self, y_bar: Any) -> tuple[None, ...]:
        if y_bar is not None:
            raise NotDifferentiable("what an exception holds can't be differentiated")
        return super().__call__(y_bar)
