"""Back functions that have derivatives of their own: what `nested_dispatch` gives.

    bars, back_of_back = pullback_call(back, y_bar)

The cotangent of a back function is that of what its code reads: the values that a forward function
saved, or what the back function of a rule captured.
"""

from __future__ import annotations

import copy
import functools
import types
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ir.derived import derived, is_named_tuple
from ir.late import late
from ir.types import Instance
from zyg.compiler.forward.captured import held_by, with_held
from zyg.compiler.inference.members import member
from zyg.compiler.inference.objects import is_place, lookup
from zyg.compiler.run_time import from_api, object_backs
from zyg.held import callables
from zyg.signature import BackFunction

if TYPE_CHECKING:
    from zyg.compiler.run_time import dynamic, rule_backs
else:  # which is on top of this
    dynamic = late("zyg.compiler.run_time.dynamic")
    rule_backs = late("zyg.compiler.run_time.rule_backs")

Values = tuple[Any, ...]
Bars = tuple[Any, ...]


class NestedBack(BackFunction):
    """The back function of a call, as code and what that reads.

    `code(*held, seed_of(y_bar))` gives cotangents, which `arranged` brings into the order of the
    call: (function's, *arguments', *keyword arguments'). `as_given(bars_bar, given)` is the
    transpose of that.
    """

    __slots__ = ("arranged", "as_given", "code", "held", "seed_of")

    def __init__(
        self, code: Any, held: Values, seed_of: Callable[[Any], Any],
        arranged: Callable[[Any], Bars], as_given: Callable[[Bars, Any], Any],
    ) -> None:
        self.code = code
        self.held = held
        self.seed_of = seed_of
        self.arranged = arranged
        self.as_given = as_given

    def __call__(self, y_bar: Any) -> Bars:
        if y_bar is None:
            return self.arranged(None)
        return self.arranged(self.code(*self.held, self.seed_of(y_bar)))

    def pullback(self, y_bar: Any) -> tuple[Bars, BackFunction]:
        """The cotangents, and the function to (this function's, y_bar's)."""
        if y_bar is None:
            return self.arranged(None), rule_backs.Zero(2)
        given, back = from_api.compile_call(self.code, *self.held, self.seed_of(y_bar))

        def back_of_back(back: Any, bars_bar: Any) -> Bars:
            if is_zero(bars_bar):
                return None, None
            return self._own_and_seed(back(self.as_given(bars_bar, given)))

        return self.arranged(given), OuterBack(back, back_of_back)

    def pullback_of_pullback(self, y_bar: Any) -> tuple[Any, Any]:
        """The pair that `pullback` gives, and the back function of that."""
        if y_bar is None:
            return (self.arranged(None), rule_backs.Zero(2)), rule_backs.Zero(2)
        (given, back), outer = dynamic.pullback_call(
            dynamic.pullback_call, self.code, *self.held, self.seed_of(y_bar)
        )

        def back_of_pair(outer: Any, pair_bar: Any) -> Bars:
            if is_zero(pair_bar):
                return None, None
            bars_bar, back_bar = pair_bar
            given_bar = None if is_zero(bars_bar) else self.as_given(bars_bar, given)
            return self._own_and_seed(outer((given_bar, back_bar))[1:])

        arranged = ArrangedBack(
            back, lambda bars_bar: self.as_given(bars_bar, given), self._own_and_seed,
            self._as_given_to_code, self.arranged,
        )
        return (self.arranged(given), arranged), OuterBack(outer, back_of_pair)

    def _own_and_seed(self, bars: Bars) -> Bars:
        """The cotangents of this function and of y_bar, from those of the code's operands."""
        own, *rest = bars
        return (tuple(rest[:-1]) if self.held else own), rest[-1]

    def _as_given_to_code(self, bars_bar: Bars) -> Bars:
        """The transpose of that."""
        own, seed = bars_bar
        if self.held:
            return None, *(own or (None,) * len(self.held)), seed
        return own, seed

    def tangent(self, own_dot: Any, y_bar: Any, y_bar_dot: Any, call: Any) -> tuple[Bars, Bars]:
        """The cotangents and their tangents, by `call`, which differentiates forwards."""
        if y_bar is None:
            return self.arranged(None), self.arranged(None)
        seed = self.seed_of(y_bar)
        seed_dot = None if y_bar_dot is None else self.seed_of(y_bar_dot)
        held_dot = (own_dot or (None,) * len(self.held)) if self.held else ()
        given, given_dot = call(
            self.code, (*self.held, seed), None if self.held else own_dot, (*held_dot, seed_dot),
            {}, {},
        )
        return self.arranged(given), self.arranged(given_dot)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> NestedBack:
        """The same with copies of what it holds: that of a rule holds it itself."""
        code = self.code
        if not self.held:
            code = with_held(code, {name: copy(x) for name, x in held_by(code).items()})
        return NestedBack(code, copy(self.held), self.seed_of, self.arranged, self.as_given)


class OuterBack(BackFunction):
    """The back function of a call that gives a back function: `run(back, bar)`."""

    __slots__ = ("_back", "_run")

    def __init__(self, back: Any, run: Callable[[Any, Any], Bars]) -> None:
        self._back = back
        self._run = run

    def __call__(self, bar: Any) -> Bars:
        return self._run(self._back, bar)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> OuterBack:
        """The same with copies of what it holds."""
        return OuterBack(copy(self._back), self._run)


class ArrangedBack(BackFunction):
    """Another back function, with other forms of what goes in and comes out.

    Both forms are linear; `of_out` and `of_in` are the transposes of `out` and `into`.
    """

    __slots__ = ("_back", "_into", "_of_in", "_of_out", "_out")

    def __init__(
        self, back: Any, into: Callable[[Any], Any], out: Callable[[Any], Bars],
        of_out: Callable[[Any], Any], of_in: Callable[[Any], Any],
    ) -> None:
        self._back = back
        self._into = into
        self._out = out
        self._of_out = of_out
        self._of_in = of_in

    def __call__(self, bar: Any) -> Bars:
        return self._out(self._back(None if is_zero(bar) else self._into(bar)))

    def pullback(self, bar: Any) -> tuple[Bars, BackFunction]:
        """The cotangents, and the function to (this function's, bar's)."""
        given, back = dynamic.pullback_call(self._back, None if is_zero(bar) else self._into(bar))

        def back_of_back(back: Any, bars_bar: Any) -> Bars:
            if is_zero(bars_bar):
                return None, None
            return self._own_and_bar(back(self._of_out(bars_bar)))

        return self._out(given), OuterBack(back, back_of_back)

    def pullback_of_pullback(self, bar: Any) -> tuple[Any, Any]:
        """The pair that `pullback` gives, and the back function of that."""
        (given, back), outer = dynamic.pullback_call(
            dynamic.pullback_call, self._back, None if is_zero(bar) else self._into(bar)
        )

        def back_of_pair(outer: Any, pair_bar: Any) -> Bars:
            if is_zero(pair_bar):
                return None, None
            bars_bar, back_bar = pair_bar
            given_bar = None if is_zero(bars_bar) else self._of_out(bars_bar)
            return self._own_and_bar(outer((given_bar, back_bar))[1:])

        arranged = ArrangedBack(
            back, self._of_out, self._own_and_bar, self._of_own_and_bar, self._out
        )
        return (self._out(given), arranged), OuterBack(outer, back_of_pair)

    def tangent(
        self, own_dot: Any, bar: Any, bar_dot: Any,
        tangent_of_back: Callable[[Any, Any, Any, Any], tuple[Bars, Bars]],
    ) -> tuple[Bars, Bars]:
        """The cotangents and their tangents."""
        given, given_dot = tangent_of_back(
            self._back, own_dot, *(None if is_zero(x) else self._into(x) for x in (bar, bar_dot))
        )
        return self._out(given), self._out(given_dot)

    def _own_and_bar(self, bars: Bars) -> Bars:
        own, bar = bars
        return own, None if bar is None else self._of_in(bar)

    def _of_own_and_bar(self, bars_bar: Bars) -> Bars:
        own, bar = bars_bar
        return own, None if bar is None else self._into(bar)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> ArrangedBack:
        return ArrangedBack(copy(self._back), self._into, self._out, self._of_out, self._of_in)


def of_apply(
    args: Any, items: Values, keywords: dict[str, Any], back: Any
) -> tuple[ArrangedBack, rule_backs.ApplyBack]:
    """The back function of `function(*args)`, from that of the call with arguments one by one, and
    how it arranges the cotangents of these: `args` may be lengthened later."""
    like = copy.copy(args) if isinstance(args, list | deque) else args
    layout = rule_backs.ApplyBack(None, like, keywords, len(items))
    arranged = ArrangedBack(back, as_it_is, layout.arranged, layout.of_arranged, as_it_is)
    return arranged, layout


class LinearBack(BackFunction):
    """The back function of making a NamedTuple, say, or an exception: it holds nothing."""

    __slots__ = ("_back", "_transposed")

    def __init__(self, back: Any, transposed: Callable[[Bars], Any]) -> None:
        self._back = back
        self._transposed = transposed

    def __call__(self, y_bar: Any) -> Bars:
        bars: Bars = self._back(y_bar)
        return bars

    def pullback(self, y_bar: Any) -> tuple[Bars, BackFunction]:
        """The cotangents, and the function to (this function's, y_bar's)."""
        is_none = y_bar is None
        return self._back(y_bar), OuterBack(None, lambda _, bars_bar: (
            None, None if is_none or bars_bar is None else self._transposed(bars_bar)
        ))

    def tangent_of_value(self, dots: Bars) -> Any:
        """The tangent of what is made, from those of the function and its arguments."""
        return None if is_zero(dots) else self._transposed(dots)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> LinearBack:
        return self


def made_of_arguments(
    function: Any, args: Values, kwargs: dict[str, Any]
) -> tuple[Any, Any] | None:
    """What is made of its arguments by a call that makes something of them; None for others."""
    if is_named_tuple(function):
        y, back = callables.named_tuple(function, *args, **kwargs)

        def of_fields(bars_bar: Bars) -> Any:
            of = dict(zip(function._fields, bars_bar[1:], strict=False))
            of.update(zip(kwargs, bars_bar[1 + len(args) :], strict=True))
            return tuple([of.get(name) for name in function._fields])

        return y, LinearBack(back, of_fields)
    if function is derived and is_named_tuple(args[0]):
        return derived(*args), LinearBack(
            lambda y_bar: (None, None, y_bar), lambda bars_bar: bars_bar[2]
        )
    if function is functools.partial:
        partial, back = callables.partial(*args, **kwargs)
        return partial, LinearBack(back, lambda bars_bar: _as_partial(bars_bar, args[0], kwargs))
    if function is getattr and len(args) == 2 and not kwargs:
        return _read_of(*args)
    of_tuple = _of_named_tuple(function, args, kwargs)
    if of_tuple is not None:
        return of_tuple
    if isinstance(function, type) and issubclass(function, BaseException):
        raised = rule_backs.RaisedBack(1 + len(args) + len(kwargs))
        return function(*args, **kwargs), LinearBack(raised, lambda bars_bar: None)
    return None


def _as_partial(bars_bar: Bars, function: Any, kwargs: dict[str, Any]) -> Any:
    """What the parts of a partial function have, from what its function and arguments have; that
    of a partial function takes over the arguments of it."""
    _, own, *rest = bars_bar
    count = len(rest) - len(kwargs)
    args, keywords = tuple(rest[:count]), dict(zip(kwargs, rest[count:], strict=True))
    if type(function) is functools.partial:
        parts = own or {}
        own = parts.get("func")
        args = *(parts.get("args") or (None,) * len(function.args)), *args
        keywords = {**(parts.get("keywords") or {}), **keywords}
    return {"func": own, "args": args, "keywords": keywords}


def _of_named_tuple(
    function: Any, args: Values, kwargs: dict[str, Any]
) -> tuple[Any, Any] | None:
    """A call of `_replace`, `_make` or `_asdict`, bound or as a function."""
    is_bound = type(function) is types.MethodType
    whole = (function.__self__, *args) if is_bound else args
    found = callables.method_of_named_tuple(
        function.__func__ if is_bound else function, whole, kwargs
    )
    if found is None:
        return None
    y, back = found

    def of_parts(bars_bar: Bars) -> Any:
        own, *rest = bars_bar
        if is_bound:
            rest.insert(0, None if own is None else own.get("__self__"))
        if isinstance(y, dict):
            return None if rest[0] is None else dict(zip(y, rest[0], strict=True))
        if not kwargs and len(whole) == 2:  # `_make` of a class and of what it goes over
            return None if rest[1] is None else tuple(rest[1])
        fields = dict(zip(y._fields, rest[0] or (None,) * len(y), strict=True))
        return tuple({**fields, **dict(zip(kwargs, rest[1:], strict=True))}.values())

    made = object_backs.Through(back, object_backs.as_self) if is_bound else back
    return y, LinearBack(made, of_parts)


def _read_of(obj: Any, name: str) -> tuple[Any, Any] | None:
    """A read of what an object holds under a name, of a method by `super()`, or a partial one."""
    cls = type(obj)
    if isinstance(obj, BaseException):
        y = getattr(obj, name)
        back: Any = rule_backs.RaisedBack(3)
        return None if callable(y) else (y, LinearBack(back, lambda bars_bar: None))
    if cls is super:
        y = getattr(obj, name)
        if type(y) is not types.MethodType or y.__self__ is not obj.__self__:
            return None
        back, transposed = _of_method, _as_method
    elif is_place(cls) and member(Instance(cls), name).kind in ("stored", "missing") and (
        name in getattr(obj, "__dict__", ())
    ):
        y = getattr(obj, name)
        back = functools.partial(_of_attribute, name)
        transposed = functools.partial(_as_attribute, name)
    elif isinstance(lookup(cls, name), functools.partialmethod):
        y = method = getattr(obj, name)
        depth = 0
        while isinstance(method, functools.partial):
            depth, method = depth + 1, method.func
        if type(method) is not types.MethodType or method.__self__ is not obj:
            return None
        back = functools.partial(_of_partial_method, depth)
        transposed = functools.partial(_as_partial_method, depth)
    else:
        return None
    return y, LinearBack(back, transposed)


def _of_method(y_bar: Any) -> Bars:
    """The cotangents of `getattr(obj, name)` from that of a bound method."""
    return None, None if y_bar is None else y_bar.get("__self__"), None


def _as_method(bars_bar: Bars) -> Any:
    """The transpose of that."""
    return None if bars_bar[1] is None else {"__self__": bars_bar[1]}


def _of_partial_method(depth: int, y_bar: Any) -> Bars:
    """The same from that of a partial function, or one of such ones, of a bound method."""
    return object_backs.of_self(True, depth, 3, (y_bar,))


def _as_partial_method(depth: int, bars_bar: Bars) -> Any:
    """The transpose of that."""
    bar = _as_method(bars_bar)
    for _ in range(depth):
        bar = None if bar is None else {"func": bar, "args": None, "keywords": None}
    return bar


def _of_attribute(name: str, y_bar: Any) -> Bars:
    """The same from the cotangent of what an object holds."""
    return None, None if y_bar is None else {name: y_bar}, None


def _as_attribute(name: str, bars_bar: Bars) -> Any:
    """The transpose of that."""
    return None if bars_bar[1] is None else bars_bar[1].get(name)


def as_it_is(y_bar: Any) -> Any:
    return y_bar


def as_returned(layout: Any, given: Any) -> Bars:
    """The cotangents of a call from what the back function of its rule returned."""
    found: Bars = layout(None) if given is None else layout.of_returned(given)
    return found


def is_zero(bar: Any) -> bool:
    """Whether a cotangent, perhaps of several values, is a structural zero."""
    return bar is None or (isinstance(bar, tuple) and all(part is None for part in bar))
