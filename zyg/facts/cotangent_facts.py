"""What inference knows about the algebra of cotangents, and where its calls fold away.

    conj(x)                   x: float64[N1]                                 ->  x
    unbroadcast(bar, like)    bar: float64[N1, 1], like: float32[N1, 1]      ->  bar
    unbroadcast(bar, like)    bar: float64[N1, N2], like: float64[1, N2]     stays
    accumulate(a, b)          a: float64[N1], b: float                       ->  a + b
    zeros_like(x)             x: float                                       ->  0.0

A fold is made only where the function would return just that; only `unbroadcast` of a NumPy
scalar for a Python scalar keeps its class.
"""

from __future__ import annotations

import operator
from collections import OrderedDict, defaultdict, deque
from functools import cache
from typing import Any

import numpy as np

from ir import facts
from ir.core import Call, Const, Operand, type_of
from ir.library.fact_rules import always, call_type, declare, is_int
from ir.types import (
    TOP,
    Dict,
    Known,
    Mapping,
    Scalar,
    Sequence,
    Slice,
    Tuple,
    Type,
    Union,
    class_of,
    join,
    join_all,
    members_of,
    widen,
)
from zyg.array_type import (
    ANY,
    BIG,
    NUMPY_SCALARS,
    Array,
    Dim,
    One,
    array_of,
    dims_of,
    element_or_array,
    is_big,
    is_named,
    is_number,
)
from zyg.arrays.quotients import in_floats, power_part, product_over, times_log
from zyg.cotangents import cotangent, cotangent_items, cotangent_views
from zyg.cotangents.matrix_bars import is_sparse, product_left, product_right
from zyg.facts.numpy_example import elementwise
from zyg.facts.numpy_facts import is_real
from zyg.facts.numpy_shapes import dims_from
from zyg.held import keeping

NONE = Known(None)
PURE = (
    cotangent.accumulate,
    cotangent.unbroadcast,
    cotangent.conj,
    cotangent.zeros_like,
    cotangent_items.one_hot,
    cotangent_items.scatter,
)
facts.pure(*PURE, cotangent.filled)
facts.total(cotangent.conj, cotangent.zeros_like, cotangent.accumulate, cotangent.unbroadcast)
facts.fresh(cotangent.zeros_like, cotangent_items.one_hot, cotangent_items.scatter)


def is_numeric(type_: Type) -> bool:
    return isinstance(type_, Array) or is_number(type_)


def dtype_of(type_: Type) -> np.dtype[Any]:
    return type_.dtype if isinstance(type_, Array) else np.dtype(class_of(type_))


@declare(cotangent.conj)
def conj(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) != 1 or not is_numeric(args[0]):
        return TOP
    x = widen(args[0])
    return x if is_real(x) or x == Scalar(complex) else call_type(np.conjugate, x)


@facts.fold(cotangent.conj)
def fold_conj(call: Call) -> Operand | None:
    """Real numbers and arrays are their own conjugates."""
    return call.args[0] if is_real(type_of(call.args[0])) else None


@facts.fold(in_floats)
def fold_in_floats(call: Call) -> Operand | None:
    type_ = type_of(call.args[0])
    return call.args[0] if is_numeric(type_) and dtype_of(type_).kind in "fc" else None


facts.total(cotangent.realness_of)


@declare(cotangent.realness_of)
def realness_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[1] if all(map(is_numeric, args)) and is_real(args[1]) else TOP


@facts.fold(cotangent.realness_of)
def fold_realness_of(call: Call) -> Operand | None:
    """What is real stays as it is, and so does the cotangent of what is complex."""
    like, bar = call.args
    known = [operand for operand in (like, bar) if is_numeric(type_of(operand))]
    is_complex = like in known and not is_real(type_of(like))
    return bar if is_complex or (bar in known and is_real(type_of(bar))) else None


@facts.fold(cotangent_items.kept_real)
def fold_kept_real(call: Call) -> Operand | None:
    bar, like = call.args
    is_known = is_numeric(type_of(like)) and not is_real(type_of(like))
    is_real_bar = is_numeric(type_of(bar)) and is_real(type_of(bar))
    return bar if is_known or is_real_bar else None


facts.pure(cotangent.inexact)
facts.total(cotangent.inexact)


@declare(cotangent.inexact)
def inexact(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Known of numbers and arrays; what containers hold is looked at when the program runs."""
    return inexact_type(args[0]) if len(args) == 1 and is_numeric(args[0]) else TOP


def inexact_type(type_: Type) -> Type:
    is_whole = dtype_of(type_).kind in "biu"
    if isinstance(type_, Array):
        return array_of(np.dtype(np.float64), type_.dims) if is_whole else type_
    kind = np.float64 if class_of(type_) in NUMPY_SCALARS else float
    return Scalar(kind) if is_whole else widen(type_)


@facts.fold(cotangent.inexact)
def fold_inexact(call: Call) -> Operand | None:
    """What is no integer stays as it is."""
    type_ = type_of(call.args[0])
    is_own = is_numeric(type_) and dtype_of(type_).kind not in "biu"
    return call.args[0] if is_own or type_ == NONE else None


@declare(cotangent.zeros_like)
def zeros_like(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return zeros_type(args[0]) if len(args) == 1 else TOP


def zeros_type(type_: Type) -> Type:
    """The type of the zero cotangent of a value."""
    match type_:
        case Array(dtype, dims):
            return array_of(dtype if dtype.kind in "fc" else np.dtype(np.float64), dims)
        case Tuple(items):
            return Tuple(tuple(map(zeros_type, items)))
        case Sequence(cls, item) if cls in (list, tuple):
            return Sequence(cls, zeros_type(item))
        case Sequence(cls, item) if cls is deque:
            return Sequence(list, zeros_type(item))
        case Dict(items):
            return Dict(tuple((key, zeros_type(item)) for key, item in items))
        case Mapping(cls, key, item) if issubclass(cls, dict):
            return Mapping(dict, key, zeros_type(item))
        case Union():
            return call_type(cotangent.zeros_like, type_)
        case Scalar() | Known():
            kind = class_of(type_)
            if kind in (int, float, complex) or (kind in NUMPY_SCALARS and kind is not np.bool_):
                return widen(type_)
            return NONE if kind in (bool, str, bytes, np.bool_, type(None)) else TOP
        case _:
            return TOP


@facts.fold(cotangent.zeros_like)
def fold_zeros_like(call: Call) -> Operand | None:
    match type_of(call.args[0]):
        case Scalar(cls) if cls in (int, float, complex):
            return Const(cls(0))
        case _:
            return None


@declare(cotangent.accumulate)
def accumulate(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) != 2:
        return TOP
    a, b = args
    if a == NONE or b == NONE:
        return b if a == NONE else a
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        return Tuple(tuple(map(_accumulated, a.items, b.items)))
    if is_numeric(a) and is_numeric(b):
        return call_type(operator.add, a, b)
    if isinstance(a, Sequence) and a.cls is list:
        return Sequence(list, TOP)
    if isinstance(a, Union) or isinstance(b, Union):  # None, as long as nothing was added
        pairs = [accumulate((x, y), {}) for x in members_of(a) for y in members_of(b)]
        return TOP if TOP in pairs else join_all(pairs)
    return TOP


def _accumulated(a: Type, b: Type) -> Type:
    return call_type(cotangent.accumulate, a, b)


@facts.fold(cotangent.accumulate)
def fold_accumulate(call: Call) -> Operand | Call | None:
    """Numbers and arrays are added; a structural zero adds nothing."""
    left, right = call.args
    types = type_of(left), type_of(right)
    if types[0] == NONE:
        return right
    if types[1] == NONE:
        return left
    if all(map(is_sum_of_numbers, types)):
        return Call(Const(operator.add), [left, right], {}, call.results, call.loc)
    return None


def has_number_for_each(type_: Type) -> bool:
    """Whether the cotangent of a value can have a number for each of its items, at any time."""
    zeros = zeros_type(type_)
    return _has_all_keys(type_) and (holds_numbers(zeros) or is_table(zeros))


def _has_all_keys(type_: Type) -> bool:
    if isinstance(type_, Mapping):
        return type_.cls in _MAPPINGS and _has_all_keys(type_.item)
    return not isinstance(type_, Sequence) or _has_all_keys(type_.item)


def is_sum_of_numbers(type_: Type) -> bool:
    if isinstance(type_, Union):
        return all(map(is_numeric, type_.members))
    return is_numeric(type_)


_SEQUENCES = (list, tuple, deque)
# Those that have each key which is read of them: a Counter needn't.
_MAPPINGS = (dict, defaultdict, OrderedDict)


@declare(cotangent_items.one_hot)
def one_hot(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) != 3 or not (is_numeric(args[0]) or isinstance(args[0], Tuple | Sequence)):
        return TOP
    match args:
        case (Sequence() as bars, Sequence(cls, item), Slice()) if cls is list:
            return Sequence(list, join(zeros_type(item), facts.item_of(bars)))
        case (_, Array() as like, _):
            return zeros_type(like)
        case (bar, Tuple(items), Known(int(index))) if -len(items) <= index < len(items):
            zeros = list(map(zeros_type, items))
            zeros[index] = widen(bar)
            return Tuple(tuple(zeros))
        case (bar, Sequence(cls, item), index) if cls in _SEQUENCES and is_number(index):
            made = tuple if cls is tuple else list
            return Sequence(made, join(zeros_type(item), widen(bar)))
        case (bar, Mapping(cls, key, item), _) if cls in _MAPPINGS:
            return Mapping(dict, key, join(zeros_type(item), widen(bar)))
        case _:
            return TOP


@declare(cotangent_items.scatter)
def scatter(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) != 3 or not is_numeric(args[0]):
        return TOP
    dims, dtype = dims_from(args[1]), dtype_of(args[0])
    return TOP if dims is None or dtype.kind not in "fc" else array_of(dtype, dims)


def has_same_size(bar: Dim, like: Dim) -> bool:
    """Whether a dimension that `like` was broadcast to has the size of `like`'s own."""
    if is_big(bar) and is_big(like):
        return True
    return bar == like and is_named(bar)


def is_shaped_like(bar: Type, like: Type) -> bool:
    shapes = dims_of(bar), dims_of(like)
    if shapes[0] is None or shapes[1] is None or len(shapes[0]) != len(shapes[1]):
        return False
    return all(map(has_same_size, shapes[0], shapes[1]))


def needs_no_unbroadcast(bar: Type, like: Type) -> bool:
    """Whether `unbroadcast(bar, like)` is `bar`, for all members of unions."""
    if isinstance(bar, Union):
        return all(needs_no_unbroadcast(member, like) for member in bar.members)
    if isinstance(like, Union):
        return all(needs_no_unbroadcast(bar, member) for member in like.members)
    if not is_numeric(bar) or not is_numeric(like):
        return False
    if is_number(like) != is_number(bar):
        # Without dimensions, but one is an array: `unbroadcast` decides on the class.
        return False
    return is_shaped_like(bar, like) and (is_real(bar) or not is_real(like))


@facts.fold(cotangent.unbroadcast)
def fold_unbroadcast(call: Call) -> Operand | None:
    bar, like = call.args
    types = type_of(bar), type_of(like)
    return bar if types[0] == NONE or needs_no_unbroadcast(*types) else None


@declare(cotangent.unbroadcast)
def unbroadcast(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) != 2:
        return TOP
    bar, like = args
    if not is_numeric(bar) or not is_numeric(like):
        return NONE if bar == NONE and isinstance(like, Array) else TOP
    if class_of(like) in (int, float):
        return widen(bar) if class_of(bar) in (int, float) else python_sum(dtype_of(bar))
    if class_of(like) is complex:
        return Scalar(complex)
    dtype = real_dtype(dtype_of(bar)) if is_real(like) else dtype_of(bar)
    if needs_no_unbroadcast(bar, like):
        return widen(bar)
    is_taken = not is_real(bar) and is_real(like)  # the real part
    if dtype.kind not in "fc" or (is_taken and not all(isinstance(x, Array) for x in args)):
        # Sums of small integers have another dtype than what is not summed.
        return TOP
    return summed_type(dtype, bar, like)


def summed_type(dtype: np.dtype[Any], bar: Type, like: Type) -> Type:
    """The type of a floating-point cotangent that takes the shape of an array or NumPy scalar."""
    dims, bar_dims = dims_of(like), dims_of(bar)
    if dims is None or bar_dims is None:
        return TOP
    extra = len(bar_dims) - len(dims)
    if extra <= 0:
        # Equal ranks, or a cotangent that stands for all elements: the shape becomes that of like.
        return array_of(dtype, dims) if dims else TOP
    if not dims:
        return element_or_array(dtype, ())
    return array_of(dtype, tuple(map(summed_dim, bar_dims[extra:], dims)))


def summed_dim(bar: Dim, like: Dim) -> Dim:
    if isinstance(like, One) or bar == like:
        return like
    # A cotangent of size 1 is not widened beside a dimension that is summed away.
    return (like if is_named(like) else BIG) if is_big(bar) and is_big(like) else ANY


@cache
def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.ones(1, dtype).real.dtype


@cache
def python_sum(dtype: np.dtype[Any]) -> Type:
    """The Python number that the sum of the real part is."""
    return Scalar(type(np.sum(np.ones(1, dtype).real).item()))


@facts.fold(cotangent.inexact_dtype)
def fold_inexact_dtype(call: Call) -> Operand | None:
    type_ = type_of(call.args[0])
    if isinstance(type_, Array) and type_.dtype.kind in "fc":
        return Const(type_.dtype.type)
    return None


facts.pure(is_sparse, product_left, product_right)


@declare(is_sparse)
def _is_sparse(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    is_plain = isinstance(args[0], Array | Scalar | Sequence | Tuple | Mapping)
    return Known(False) if is_plain else Scalar(bool)


facts.pure(cotangent.add, cotangent.subtract, cotangent_items.add_at, cotangent.sum_over)
facts.pure(cotangent.materialised, cotangent.from_items, cotangent_items.kept_real)
facts.pure(cotangent_items.item, cotangent.from_reversed_items, cotangent.owned)
facts.pure(cotangent.completed_container)
facts.fresh(cotangent.sum_over, cotangent.owned)
facts.total(cotangent.add, cotangent.subtract, cotangent.sum_over)
# What makes such a call knows its type: that of the operand which the cotangent belongs to.
always(TOP, cotangent.add, cotangent.subtract, cotangent.sum_over)
facts.buffer(cotangent.zeros_like)
declare(cotangent.add)(elementwise(operator.add, 2))
declare(cotangent.subtract)(elementwise(operator.sub, 2))

facts.pure(cotangent_items.taken, cotangent_items.cleared, cotangent_items.stored_bar)
facts.pure(cotangent_items.without_last, cotangent_items.with_gap, cotangent_items.without_item)
facts.pure(cotangent_items.put_back, cotangent_items.position_of, cotangent_items.with_place)
facts.pure(cotangent_items.before_push)
facts.fresh(keeping.kept, cotangent.prototype)
facts.pure(keeping.shell, cotangent_items.accumulate_item)
facts.total(keeping.kept, cotangent.prototype)
declare(cotangent_items.position_of)(lambda args, kwargs: Scalar(int))


facts.pure(cotangent.of_shape)
facts.total(cotangent.of_shape)


@declare(cotangent.prototype)
def prototype(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0]


@declare(keeping.kept, keeping.shell)
def kept(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    return args[0]


_OF_VIEWS = (
    cotangent_views.taken_view, cotangent_views.cleared_view, cotangent_views.put_back_view,
    cotangent_views.placed_view,
)
facts.pure(*_OF_VIEWS)
facts.fresh(*_OF_VIEWS)
declare(cotangent_views.cleared_view)(lambda args, kwargs: args[0])
facts.fresh(cotangent_items.taken, cotangent_items.cleared, cotangent_items.without_last)
facts.fresh(cotangent_items.with_place, cotangent_items.before_push)


facts.total(power_part, product_over, times_log, in_floats)
facts.pure(in_floats)
facts.fresh(power_part, product_over, times_log)


@facts.result(power_part)
def _power_part(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Like a product, or None."""
    return join(call_type(operator.mul, *args), NONE)


@facts.result(times_log)
def _times_log(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Like a product with a logarithm, or None."""
    return join(call_type(operator.mul, args[0], call_type(np.log, args[1])), NONE)


@facts.result(product_over)
def _product_over(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """Like a product divided by the divisor, or None."""
    product = call_type(operator.mul, *args[:2])
    return join(call_type(operator.truediv, product, args[2]), NONE)


def holds_numbers(type_: Type) -> bool:
    """Whether a cotangent is a list or dict with a number at each place."""
    if not isinstance(type_, Sequence | Mapping) or type_.cls not in (list, dict):
        return False
    return all(map(is_number, members_of(type_.item)))


def is_table(type_: Type) -> bool:
    """Whether a cotangent is a list or dict of such, at any depth, without structural zeros: with a
    number, or a tuple of numbers, at each place."""
    if not isinstance(type_, Sequence | Mapping) or type_.cls not in (list, dict):
        return False
    return is_row(type_.item) or is_table(type_.item)


def is_row(type_: Type) -> bool:
    """Whether a cotangent is a list or dict of numbers, or of tuples of numbers."""
    if not isinstance(type_, Sequence | Mapping) or type_.cls not in (list, dict):
        return False
    return all(map(_is_leaf, members_of(type_.item)))


def _is_leaf(type_: Type) -> bool:
    return all(map(is_number, type_.items)) if isinstance(type_, Tuple) else is_number(type_)


def is_place_of_number(bar: Type, index: Type) -> bool:
    """Whether there is a number at an index in the cotangent of a list or dict."""
    return holds_numbers(bar) and (isinstance(bar, Mapping) or is_int(index))
