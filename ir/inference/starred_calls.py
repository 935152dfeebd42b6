"""Calls with starred arguments of which nobody knows how many there are: as many as the function
takes.

    y = model(x, *p)          items = tuple(p)
                              if len(items) != 2:
                                  raise error_of_call(model, (x,) + items, {})
                              a, b = items
                              y = model(x, a, b)

Where parameters have defaults, each number of items that fits has a branch of its own. A function
that takes any number of arguments is called with the tuple of them:

    y = poly(x, *p)           the code of `def poly(x, *coefficients)` with `coefficients` for an
                              ordinary parameter
"""

from __future__ import annotations

import operator
import types
from collections import deque
from typing import TYPE_CHECKING, Any, TypeAlias

from ir import primitives
from ir.binding import error_of_call, is_method_of_container
from ir.core import (
    Block,
    Call,
    Const,
    Function,
    If,
    Lambda,
    Location,
    Op,
    Operand,
    Parameters,
    Raise,
    Value,
    Yield,
    type_of,
)
from ir.forgettable import IdentityTable, forgettable
from ir.heap import new_object
from ir.inference.special_calls import Folded
from ir.inference.standing_in import standing_in
from ir.record import node, record
from ir.rewrite import Mapping
from ir.suggestions import temporary_of_class
from ir.types import Closure, Instance, Known, Method, Sequence, Tuple

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

# What stands before the one tuple of unknown length, that tuple, and what stands behind it.
Pieces: TypeAlias = tuple[list[Operand], Operand, list[Operand]]

# Methods that don't say what they take, by `id`.
_OF_ONE = {
    id(method) for method in (
        deque.append, deque.appendleft, deque.extend, deque.extendleft, deque.remove, set.add,
        set.discard, set.remove,
    )
}
MAX_COUNTS = 4
VARARGS = 4  # in `co_flags`


@record
class Positional:
    """The parameters of a callable that positional arguments are bound to; `required` is the number
    of those without default, `takes_rest` whether there may be more arguments."""

    names: tuple[str, ...]
    required: int
    takes_rest: bool

    def without(self, count: int) -> Positional:
        """The parameters behind the first ones."""
        return Positional(self.names[count:], max(self.required - count, 0), self.takes_rest)


def by_count(
    self: TypedCalls, function: Operand, star: Operand, keywords: dict[str, Operand],
    names: list[str], loc: Location | None,
) -> Folded:
    """The results of a call with one tuple of unknown length among its arguments; None where what
    is called isn't known."""
    pieces = _pieces(self, star)
    if pieces is None:
        return None
    before, items, behind = pieces
    bound = self.methods.get(function) if isinstance(function, Value) else None
    if bound is not None:
        method, owner = bound
        before = [owner if self.places is None else self.places.read(owner, loc), *before]
        return _called(self, method, (before, items, behind), keywords, names, loc)
    called = self.surroundings.called_method(type_of(function))
    if called is not None:
        pieces = [function, *before], items, behind
        return _called(self, Const(called), pieces, keywords, names, loc)
    made = _made_by_any_number(self, function, pieces, keywords, names[0], loc)
    return _called(self, function, pieces, keywords, names, loc) if made is None else [made]


def _made_by_any_number(
    self: TypedCalls, cls: Operand, pieces: Pieces, keywords: dict[str, Operand], name: str,
    loc: Location | None,
) -> Operand | None:
    """An object of a class whose `__init__` takes any number of arguments."""
    if not isinstance(cls, Const) or not isinstance(cls.value, type):
        return None
    if _of_object(self, cls.value) is not None or self.surroundings.has_rule_of_user(cls.value):
        return None
    constructor = self.surroundings.constructor(cls.value, keywords)
    if constructor is None or constructor.base is not None or constructor.init is None:
        return None
    if constructor.maker is not new_object:  # an exception, which holds what it is given
        return None
    if self.heap is None:
        self.classes_made.add(cls.value)
        return None
    before, items, behind = pieces
    made = Value(temporary_of_class(name, cls.value), Instance(cls.value))
    self._define(Call(Const(new_object), [cls], {}, [made], loc))
    init, given = Const(constructor.init), ([made, *before], items, behind)
    if _called(self, init, given, keywords, ["_"], loc) is None:
        self.ops.pop()  # the object: nothing else was made
        return None
    return made


def _called(
    self: TypedCalls, function: Operand, pieces: Pieces, keywords: dict[str, Operand],
    names: list[str], loc: Location | None,
) -> Folded:
    """The results; None where that isn't known, and nothing was made."""
    before, items, behind = pieces
    positional = _positional(self, function)
    if positional is None:
        return None
    left = positional.without(len(before))
    counts = _counts(left, len(behind), tuple(keywords))
    if counts is None:
        return None
    rest, captures, kwdefaults = None, list[Operand](), dict[str, Operand]()
    if positional.takes_rest:
        if any(name in keywords for name in positional.names):
            return None
        found = _source(self, function, loc)
        if found is None:
            return None
        rest, captures, kwdefaults = found
    shape = Shape(
        left.names, rest, len(before), len(behind), tuple(keywords), len(captures),
        tuple(kwdefaults), isinstance(function, Const) and is_method_of_container(function.value),
    )
    ops, inputs, results = _branches(shape, counts, tuple(names), loc)
    operands = [
        function, items, *before, *behind, *keywords.values(), *captures, *kwdefaults.values(),
    ]
    mapping: Mapping = dict(zip(inputs, operands, strict=True))
    return standing_in(self, ops, mapping, results)


def _source(
    self: TypedCalls, function: Operand, loc: Location | None
) -> tuple[Function, list[Operand], dict[str, Operand]] | None:
    """The code of a function, what it captures, and the defaults of its keywords; None where that
    isn't known."""
    made = self.definitions.get(function) if isinstance(function, Value) else None
    if isinstance(made, Lambda):
        return made.function, made.captures, made.kwdefaults
    found = self.surroundings.known_function(type_of(function))
    if found is None:
        return None
    source, _ = found
    captures = [
        self.call(primitives.read_captured, function, Const(name), name=name, loc=loc)
        for name in (variable.name for variable in source.captured)
    ]
    kwdefaults = {
        name: self.call(primitives.read_default, function, Const(name), name=name, loc=loc)
        for name in source.kwdefaults
    }
    return source, captures, kwdefaults


def with_rest_given(function: Function) -> Function:
    """A function whose `*args` is an ordinary parameter, and without defaults before it."""
    known = _with_rest_given.of(function)
    if known is not None:
        return known
    old = function.signature
    signature = Parameters(
        old.positional_only, old.positional + 1, False, old.keyword_only, old.kwarg
    )
    made = Function(
        function.name, function.params, function.captured, function.body, function.loc, signature,
        0, function.kwdefaults, function.globals, function.code, function.docstring,
    )
    _with_rest_given.note(function, made)
    return made


_with_rest_given: IdentityTable[Function, Function] = IdentityTable()


def _pieces(self: TypedCalls, star: Operand) -> Pieces | None:
    """What stands before the one tuple of unknown length that others were added to, that tuple,
    and what stands behind it."""
    type_ = type_of(star)
    op = self.definitions.get(star) if isinstance(star, Value) else None
    is_sum = isinstance(op, Call) and isinstance(op.callee, Const) and (
        op.callee.value is operator.add
    )
    if not isinstance(op, Call) or not is_sum:
        is_tuple = isinstance(type_, Sequence) and type_.cls is tuple
        return ([], star, []) if is_tuple else None
    left, right = op.args
    known = _known_items(self, left)
    if known is not None:
        found = _pieces(self, right)
        return None if found is None else ([*known, *found[0]], found[1], found[2])
    known = _known_items(self, right)
    found = None if known is None else _pieces(self, left)
    return None if known is None or found is None else (found[0], found[1], [*found[2], *known])


def _known_items(self: TypedCalls, operand: Operand) -> list[Operand] | None:
    parts, type_ = self.parts(operand), type_of(operand)
    if parts is None and isinstance(type_, Tuple):
        return [self.call(operator.getitem, operand, Const(i)) for i in range(len(type_.items))]
    return parts


def _positional(self: TypedCalls, function: Operand) -> Positional | None:
    if isinstance(function, Const):
        return _of_object(self, function.value)
    match function.type:
        case Closure(Function() as code):
            kinds = code.signature
            count = kinds.positional_only + kinds.positional
            names = tuple([param.name for param in code.params[:count]])
            return Positional(names, count - code.defaults, kinds.vararg)
        case Closure(types.CodeType() as code, defaults=defaults):
            return _of_code(code, len(defaults))
        case Method(Known(method)):
            found = _of_object(self, method)
            return None if found is None or found.takes_rest else found.without(1)
    return None


def _of_object(self: TypedCalls, function: Any) -> Positional | None:
    """None for what doesn't say what it takes, and for a class or bound method that takes any
    number of arguments."""
    if isinstance(function, types.FunctionType):
        return _of_code(function.__code__, len(function.__defaults__ or ()))
    if id(function) in _OF_ONE:
        return Positional(("self", "object"), 2, False)
    is_of_c = isinstance(function, types.BuiltinFunctionType) or is_method_of_container(function)
    if is_of_c or function in (complex, float, int):
        return _of_signature(function)
    if isinstance(getattr(function, "nin", None), int):  # a ufunc
        return Positional(tuple([f"x{i}" for i in range(function.nin)]), function.nin, False)
    found = None
    if isinstance(function, types.MethodType):
        found = _of_object(self, function.__func__)
    elif isinstance(function, type) and issubclass(function, tuple):
        made_by = vars(function).get("__new__") if hasattr(function, "_field_defaults") else None
        found = _of_object(self, getattr(made_by, "__func__", made_by))
    elif isinstance(function, type):
        constructor = self.surroundings.constructor(function, {})
        if constructor is not None and constructor.base is None:
            found = _of_object(self, constructor.init)
    return None if found is None or found.takes_rest else found.without(1)


def _of_signature(function: Any) -> Positional | None:
    """The parameters of a function of C's."""
    import inspect  # few programs need it

    try:
        found = inspect.signature(function).parameters.values()
    except ValueError:
        return None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in found):
        return None
    positional = [parameter for parameter in found if parameter.kind in kinds]
    required = [one for one in positional if one.default is inspect.Parameter.empty]
    return Positional(tuple([one.name for one in positional]), len(required), False)


def _of_code(code: types.CodeType, defaults: int) -> Positional:
    count = code.co_argcount
    takes_rest = bool(code.co_flags & VARARGS)
    return Positional(code.co_varnames[:count], count - defaults, takes_rest)


def _counts(
    left: Positional, behind: int, keywords: tuple[str, ...]
) -> tuple[int, ...] | None:
    """How many items may fill parameters, with others behind them and keywords for the rest; where
    a function takes any number, how many are fewer than its parameters."""
    names = left.names
    by_keyword = [i for i, name in enumerate(names) if name in keywords]
    most = by_keyword[0] if by_keyword else len(names)
    unfilled = [i for i in range(left.required) if i not in by_keyword]
    least = max((unfilled[-1] + 1 if unfilled else 0) - behind, 0)
    if left.takes_rest:
        counts = tuple(range(least, len(names)))
        return counts if len(counts) < MAX_COUNTS else None
    counts = tuple(range(least, most - behind + 1))
    return counts if 0 < len(counts) <= MAX_COUNTS else None


@record
class Shape:
    """What the code of a call depends on: names of the parameters that nothing known is for, the
    function if it takes any number, how many operands there are of each kind, and whether the first
    one is the container that a method is called on."""

    given: tuple[str, ...]
    rest: Function | None
    before: int
    behind: int
    keywords: tuple[str, ...]
    captures: int
    kwdefaults: tuple[str, ...]
    is_method: bool


@forgettable(maxsize=1024)
def _branches(
    shape: Shape, counts: tuple[int, ...], names: tuple[str, ...], loc: Location | None
) -> tuple[list[Op], list[Value], list[Value]]:
    """The operations, with their inputs and results; made once, so that they keep their identity
    when the function is typed again."""
    kwargs = {name: Value(name) for name in shape.keywords}
    kwdefaults = {name: Value(name) for name in shape.kwdefaults}
    before, behind, captures = (
        [Value("t") for _ in range(count)] for count in (shape.before, shape.behind, shape.captures)
    )
    call = _StarredCall(
        Value("function"), Value("items"), before, behind, kwargs, shape, captures, kwdefaults, loc
    )
    inputs = [
        call.function, call.items, *before, *behind, *kwargs.values(), *captures,
        *kwdefaults.values(),
    ]
    results = [Value(name) for name in names]
    length = Value("length")
    first = Call(Const(len), [call.items], {}, [length], loc)
    return [first, *call.branches(length, counts, results)], inputs, results


@node
class _StarredCall:
    """The call that each branch makes."""

    function: Value
    items: Value
    before: list[Value]
    behind: list[Value]
    kwargs: dict[str, Value]
    shape: Shape
    captures: list[Value]
    kwdefaults: dict[str, Value]
    loc: Location | None

    def branches(self, length: Value, counts: tuple[int, ...], results: list[Value]) -> list[Op]:
        if not counts:
            return self._with_rest(length, results)
        count, *others = counts
        if not others and self.shape.rest is None:
            check = self._check(length, operator.ne, count)
            return [*check, *self._with(self._parts(count), count, results)]
        is_count = self._call(operator.eq, length, Const(count))
        first, second = ([Value(result.name) for result in results] for _ in range(2))
        made = self._with(self._parts(count), count, first)
        rest = self.branches(length, tuple(others), second)
        arms = Block([], made, Yield([*first])), Block([], rest, Yield([*second]))
        return [is_count, If(is_count.result, *arms, results, self.loc)]

    def _call(self, callee: Any, *args: Operand, name: str = "t") -> Call:
        return Call(Const(callee), list(args), {}, [Value(name)], self.loc)

    def _check(self, length: Value, compare: Any, count: int) -> list[Op]:
        """Raises what the call raises for another number of items."""
        ops: list[Op] = []
        before = self.before[1:] if self.shape.is_method else self.before
        whole = self._added(before, self.items, self.behind, ops)
        items = [part for name, value in self.kwargs.items() for part in (Const(name), value)]
        keywords = self._call(primitives.build_dict, *items)
        error = self._call(
            error_of_call, self.function, whole, keywords.result, name="error"
        )
        failing = Block([], [*ops, keywords, error], Raise(error.result, None, self.loc))
        is_other = self._call(compare, length, Const(count))
        return [is_other, If(is_other.result, failing, Block([], [], Yield([])), [], self.loc)]

    def _added(
        self, before: list[Value], items: Value, behind: list[Value], ops: list[Op]
    ) -> Value:
        """One tuple, made by operations that are appended."""
        for others, is_before in ((before, True), (behind, False)):
            if others:
                made = self._call(primitives.build_tuple, *others)
                pair = (made.result, items) if is_before else (items, made.result)
                both = self._call(operator.add, *pair)
                ops += [made, both]
                items = both.result
        return items

    def _parts(self, count: int) -> list[Value]:
        return [Value(name) for name in self.shape.given[:count]] + [
            Value("t") for _ in range(count - len(self.shape.given))
        ]

    def _with(self, parts: list[Value], count: int, results: list[Value]) -> list[Op]:
        """Calls the function with so many items."""
        args: list[Operand] = [*self.before, *parts, *self.behind]
        call = Call(self.function, args, {**self.kwargs}, results, self.loc)
        return [*self._unpacked(parts), call]

    def _unpacked(self, parts: list[Value]) -> list[Op]:
        if len(parts) > 1:
            count = Const(len(parts))
            return [Call(Const(primitives.unpack), [self.items, count], {}, [*parts], self.loc)]
        return [
            Call(Const(operator.getitem), [self.items, Const(0)], {}, [part], self.loc)
            for part in parts
        ]

    def _with_rest(self, length: Value, results: list[Value]) -> list[Op]:
        """Calls the function, where there are items for all its parameters, with a tuple of the
        other ones."""
        source = self.shape.rest
        assert source is not None
        count = source.signature.positional_only + source.signature.positional
        given, more, missing = self.before[:count], self.before[count:], len(self.shape.given)
        ops: list[Op] = self._check(length, operator.lt, missing) if missing else []
        parts = self._parts(missing)
        ops += [
            Call(Const(operator.getitem), [self.items, Const(i)], {}, [part], self.loc)
            for i, part in enumerate(parts)
        ]
        rest = self.items
        if missing:
            behind = self._call(operator.getitem, self.items, Const(slice(missing, None)))
            ops.append(behind)
            rest = behind.result
        rest = self._added(more, rest, self.behind, ops)
        made = Value(source.name)
        captures, kwdefaults = list[Operand](self.captures), dict[str, Operand](self.kwdefaults)
        ops.append(Lambda(with_rest_given(source), captures, [], kwdefaults, made, self.loc))
        args: list[Operand] = [*given, *parts, rest]
        return [*ops, Call(made, args, {**self.kwargs}, results, self.loc)]
