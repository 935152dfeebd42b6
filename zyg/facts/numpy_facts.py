"""What inference knows about NumPy's elementwise functions, operators on arrays, and scalars.

Importing this module (which imports the facts about shapes, indexing and products, and has others
imported when they are asked for) fills `ir.facts`, and extends what `ir` knows of operators:

    operator.mul  (float64[N1, N2], float)         -> float64[N1, N2]
    operator.add  (float32[1, N1], np.float64)     -> float64[1, N1]
    np.exp        (float)                          -> np.float64
    np.less       (float64[N1], float64[N2])       -> bool[N1]
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from types import GetSetDescriptorType, MethodDescriptorType
from typing import Any

import numpy as np

from ir import facts
from ir.core import Call, Const, Operand, type_of
from ir.library import builtin_facts as builtin_facts
from ir.library.fact_rules import NONE, call_type, declare, distributed
from ir.types import (
    BOTTOM,
    TOP,
    Known,
    Method,
    Scalar,
    Tuple,
    Type,
    Union,
    class_of,
    widen,
)
from zyg.array_type import (
    NUMPY_SCALARS,
    Array,
    One,
    array_of,
    as_array,
    is_basic_index,
    is_number,
)
from zyg.facts import numpy_indexing as numpy_indexing
from zyg.facts import numpy_linear as numpy_linear
from zyg.facts import numpy_shapes as numpy_shapes
from zyg.facts.numpy_example import broadcast_result, by_example, class_key, elementwise

facts.late(
    "zyg.facts.numpy_library", "numpy", "numpy.linalg", "numpy.ndarray",
    "numpy.lib.stride_tricks",
)
facts.late("zyg.facts.numpy_transforms", "numpy.fft")
facts.late("zyg.facts.permissions", np.median, np.percentile, np.quantile)

UFUNCS = tuple(
    {id(item): item for item in vars(np).values() if isinstance(item, np.ufunc)}.values()
)
# For integers they raise (negative powers) or refuse floats; `matmul` and its kin don't broadcast
# all dimensions.
PARTIAL_UFUNCS = (
    np.power,
    np.ldexp,
    np.bitwise_and,
    np.bitwise_or,
    np.bitwise_xor,
    np.invert,
    np.left_shift,
    np.right_shift,
    np.gcd,
    np.lcm,
    np.isnat,
)

facts.pure(*UFUNCS)
facts.fresh(*UFUNCS)
BROADCASTING = [ufunc for ufunc in UFUNCS if ufunc.signature is None]
facts.result_made_by(lambda ufunc: elementwise(ufunc, ufunc.nin), *BROADCASTING)
facts.of_numbers(*(ufunc for ufunc in BROADCASTING if ufunc not in PARTIAL_UFUNCS))

ELEMENTWISE = (np.where, np.clip, np.isclose, np.ndarray.clip, np.nan_to_num, np.sinc, np.i0)
for _function in ELEMENTWISE:
    facts.result(_function)(elementwise(_function))
_chosen = elementwise(np.where, 3)


@facts.result(np.where)
def where(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    """With a condition alone it gives places; one of which nothing is known may be an array."""
    if len(args) == 3 and args[0] == TOP:
        args = Array(np.dtype(bool), None), *args[1:]
    return call_type(np.nonzero, args[0]) if len(args) == 1 else _chosen(args, kwargs)


facts.late(
    "zyg.facts.numpy_places", np.tril_indices, np.triu_indices, np.tril_indices_from,
    np.triu_indices_from, np.diag_indices, np.diag_indices_from, np.nonzero, np.ix_,
    np.flatnonzero, np.argwhere, np.lexsort, np.searchsorted, np.ndarray.searchsorted, np.digitize,
)


BOUNDS = {"a_min", "a_max", "min", "max"}


def clipped(callee: Callable[..., Any]) -> facts.ResultOf:
    """The rule of `np.clip`, where None is no bound; bounds may have names."""

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        if len(args) != 3 and not 0 < len(kwargs.keys() & BOUNDS) == len(kwargs) <= 2:
            return elementwise(callee)(args, kwargs)
        bounds = [arg for arg in (*args[1:], *kwargs.values()) if arg != Known(None)]
        if not args or len(bounds) not in (1, 2):
            return TOP
        return elementwise(np.clip)((args[0], bounds[0], bounds[-1]), {})

    return distributed(result_of)


for _function in (np.clip, np.ndarray.clip):
    facts.result(_function)(clipped(_function))
facts.pure(*ELEMENTWISE, np.allclose, np.array_equal)
facts.total(np.where, np.clip, np.isclose, np.sinc, np.nan_to_num)
facts.fresh(np.where, np.clip, np.isclose, np.ndarray.clip, np.sinc, np.i0, abs)
facts.fresh(np.nan_to_num, when=lambda call: len(call.args) == 1 and "copy" not in call.kwargs)

OPERATORS: tuple[Callable[..., Any], ...] = (
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.neg,
    operator.pos,
    operator.invert,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
    *builtin_facts.EQUALITIES,
    *builtin_facts.ORDERINGS,
    abs,
    divmod,
)


def _is_numpy(type_: Type) -> bool:
    return isinstance(type_, Array) or class_of(type_) in NUMPY_SCALARS


def _is_operand(type_: Type) -> bool:
    return isinstance(type_, Array) or is_number(type_)


def extend(callee: Any, rule: facts.ResultOf) -> None:
    """Adds what holds where an argument is an array or a NumPy scalar; the rest stays as it is."""
    plain = facts.result_of(callee)

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        if any(map(_is_numpy, args)):
            return rule(args, kwargs)
        return TOP if plain is None else plain(args, kwargs)

    facts.result(callee)(distributed(result_of))


def arithmetic(callee: Callable[..., Any], key_of: Callable[[Type], Any]) -> facts.ResultOf:
    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        operands = [
            type_ if _is_operand(type_) else (as_array(type_) if has_array else None)
            for has_array in [any(isinstance(arg, Array) for arg in args)]
            for type_ in args
        ]
        if kwargs or not all(operands):
            is_refused = NONE in args and callee not in builtin_facts.EQUALITIES and all(
                operand or arg == NONE for operand, arg in zip(operands, args, strict=True)
            )
            return BOTTOM if is_refused else TOP
        return broadcast_result(callee, operands, key_of)  # type: ignore[arg-type]

    return result_of


def exponent_key(type_: Type) -> Any:
    """Powers with a known exponent have types of their own: `a ** 2` is `square(a)`."""
    return type_ if isinstance(type_, Known) else class_key(type_)


for _operator in OPERATORS:
    extend(_operator, arithmetic(_operator, class_key))


def power(callee: Callable[..., Any]) -> facts.ResultOf:
    rule = arithmetic(callee, exponent_key)

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        if isinstance(args[0], Array) and args[0].dtype.kind == "b":
            # Bools squared are int8, but int64 for other exponents.
            if not all(isinstance(type_, Array | Known) for type_ in args[1:]):
                return TOP
        return rule(args, kwargs)

    return result_of


for _operator in (operator.pow, pow):
    extend(_operator, power(_operator))
facts.fresh(*OPERATORS, operator.pow, pow)


facts.storing_copies(np.ndarray)
facts.immutable(np.generic, np.dtype, np.ufunc)


@facts.view(operator.getitem)
def is_view(call: Any) -> bool:
    """An array that a basic index gives: the same memory."""
    items, index = call.args
    return isinstance(type_of(items), Array) and isinstance(call.results[0].type, Array) and (
        is_basic_index(type_of(index))
    )


@facts.view(
    np.transpose, np.swapaxes, np.moveaxis, np.reshape, np.ravel, np.squeeze, np.expand_dims,
    np.ndarray.transpose, np.ndarray.swapaxes, np.ndarray.reshape, np.ndarray.ravel,
    np.ndarray.squeeze, np.ndarray.T, np.ndarray.flat, np.flip,
)
def is_view_of_whole(call: Any) -> bool:
    """The same memory in another shape; where `reshape` copies, the run time finds out."""
    is_array = isinstance(type_of(call.args[0]), Array) if call.args else False
    return is_array and not call.kwargs and isinstance(call.results[0].type, Array)


@facts.view(np.real, np.ndarray.real)
def is_view_of_real_part(call: Any) -> bool:
    """The real part, or a real array itself."""
    return bool(call.args) and isinstance(type_of(call.args[0]), Array) and not call.kwargs


@facts.view(np.imag, np.ndarray.imag)
def is_view_of_imaginary_part(call: Any) -> bool:
    """The imaginary part of a complex array: that of a real one is new."""
    items = type_of(call.args[0]) if call.args else None
    return isinstance(items, Array) and items.dtype.kind == "c" and not call.kwargs


facts.copies_at_times(
    np.reshape, np.ravel, np.ndarray.reshape, np.ndarray.ravel, np.ndarray.flat,
)


@facts.kinds
def may_store(items: Type, value: Type) -> bool:
    """Real numbers fit into arrays of floats, and arrays into those of their own dtype."""
    if not isinstance(items, Array):
        return False
    if isinstance(value, Array):
        return value.dtype == items.dtype
    cls = class_of(widen(value))
    is_real = cls is not None and issubclass(cls, float | int)
    return items.dtype.kind in "fc" and is_real


def _declare_in_place(in_place: Any, plain: Any) -> None:
    def update(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        if len(args) == 2 and isinstance(args[0], Array):
            # Written in place (or an error); without dimensions it stays an array too.
            return args[0] if _is_operand(args[1]) else TOP
        return call_type(plain, *args)

    extend(in_place, update)


for _in_place, _plain in builtin_facts.IN_PLACE.items():
    _declare_in_place(_in_place, _plain)


def _scalar_only(callee: Callable[..., Any]) -> facts.ResultOf:
    """Functions of one number that are not NumPy's: the class of the result by example."""

    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        if kwargs or not all(map(is_number, args)):
            return TOP
        return broadcast_result(callee, list(args))

    return result_of


for _convert in (round, math.floor, math.ceil, math.trunc, complex):
    extend(_convert, _scalar_only(_convert))

for _cls in NUMPY_SCALARS:
    facts.result(_cls)(by_example(_cls))
    facts.total(_cls)


@facts.quiet(operator.truediv, operator.pow, np.power, operator.floordiv, operator.mod)
def divides_quietly(args: tuple[Type, ...]) -> bool:
    """NumPy's floating-point numbers and arrays divide by zero with a warning."""

    def is_inexact(type_: Type) -> bool:
        if isinstance(type_, Array):
            return type_.dtype.kind in "fc"
        return isinstance(type_, Scalar) and issubclass(type_.cls, np.inexact)

    return any(map(is_inexact, args)) and all(
        is_inexact(type_) or class_of(type_) in (int, float) for type_ in args
    )


# Methods that do what the function of that name does, of arrays and of numbers.
_FUNCTIONS = {
    name: getattr(np, name) for name in (
        "sum", "prod", "mean", "std", "var", "max", "min", "all", "any", "argmax", "argmin",
        "cumsum", "cumprod", "dot", "round", "clip",
    )
}


@facts.attributes(Union)
def attribute_of_several(type_: Union, name: str) -> Type:
    """A method that all members have, where these are arrays and numbers of NumPy's: what is
    computed of an array of unknown dimensions may be a number."""
    function = _FUNCTIONS.get(name)
    if function is None or not all(
        isinstance(member, Array)
        or (isinstance(member, Scalar) and issubclass(member.cls, np.generic))
        for member in type_.members
    ):
        return TOP
    return Method(Known(function), type_)


@facts.attributes(Array)
def array_attribute(type_: Array, name: str) -> Type:
    member = getattr(np.ndarray, name, None)
    if isinstance(member, MethodDescriptorType):
        return Method(Known(member), type_)
    return call_type(member, type_) if isinstance(member, GetSetDescriptorType) else TOP


def rank_of(type_: Type) -> int | None:
    """The number of dimensions; None where unknown."""
    if isinstance(type_, Array):
        return None if type_.dims is None else len(type_.dims)
    return 0 if is_number(type_) else None


def shape_type(type_: Type) -> Type:
    if rank_of(type_) is None:
        return TOP
    dims = (type_.dims if isinstance(type_, Array) else ()) or ()
    return Tuple(tuple(Known(1) if isinstance(dim, One) else Scalar(int) for dim in dims))


def metadata_type(kind: Callable[[Type], Type]) -> facts.ResultOf:
    def result_of(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
        operand = as_array(args[0]) if len(args) == 1 and not kwargs else None
        return TOP if operand is None else kind(operand)

    return distributed(result_of)


def ndim_type(type_: Type) -> Type:
    rank = rank_of(type_)
    return Scalar(int) if rank is None else Known(rank)


def size_type(type_: Type) -> Type:
    dims = type_.dims if isinstance(type_, Array) else ()
    return Scalar(int) if dims is None or not all(isinstance(d, One) for d in dims) else Known(1)


def dtype_type(type_: Type) -> Type:
    return Known(type_.dtype) if isinstance(type_, Array) else Known(np.dtype(class_of(type_)))


def transposed_type(type_: Type) -> Type:
    if isinstance(type_, Array):
        return Array(type_.dtype, None if type_.dims is None else type_.dims[::-1])
    return type_


def component_type(name: str) -> Callable[[Type], Type]:
    """`.real` and `.imag`: of the same kind, in the real dtype."""

    def kind(type_: Type) -> Type:
        if isinstance(type_, Array):
            return array_of(getattr(np.ones(1, type_.dtype), name).dtype, type_.dims)
        return Scalar(type(getattr(class_of(type_)(1), name)))  # type: ignore[misc]

    return kind


METADATA = {"ndim": ndim_type, "shape": shape_type, "size": size_type, "dtype": dtype_type}
VIEWS = {
    "T": transposed_type,
    "real": component_type("real"),
    "imag": component_type("imag"),
}

for _owner in (np.ndarray, np.generic):
    for _name, _kind in {**METADATA, **VIEWS}.items():
        facts.result(getattr(_owner, _name))(metadata_type(_kind))
    facts.metadata(*(getattr(_owner, _name) for _name in METADATA))
    facts.metadata(_owner.itemsize, _owner.nbytes)
    facts.pure(*(getattr(_owner, _name) for _name in VIEWS))


def matrix_transposed_type(type_: Type) -> Type:
    if not isinstance(type_, Array) or type_.dims is None or len(type_.dims) < 2:
        return TOP
    *batch, rows, columns = type_.dims
    return Array(type_.dtype, (*batch, columns, rows))


if hasattr(np.ndarray, "mT"):  # of NumPy 2
    facts.result(np.ndarray.mT)(metadata_type(matrix_transposed_type))
    facts.pure(np.ndarray.mT)
facts.result(np.ndarray.itemsize, np.generic.itemsize, np.ndarray.nbytes, np.generic.nbytes)(
    metadata_type(lambda type_: Scalar(int))
)

facts.result(np.ndim)(metadata_type(ndim_type))
facts.result(np.shape)(metadata_type(shape_type))
facts.metadata(np.ndim, np.shape, np.size, np.result_type, np.iscomplexobj, np.isrealobj)


@declare(np.size)
def size(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    if len(args) != 1 or kwargs:
        return Scalar(int) if args and isinstance(args[0], Array) else TOP
    operand = as_array(args[0])
    return TOP if operand is None else size_type(operand)


@declare(np.iscomplexobj)
def iscomplexobj(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    operand = as_array(args[0]) if len(args) == 1 else None
    dtype = dtype_type(operand) if operand is not None else None
    return Known(dtype.value.kind == "c") if isinstance(dtype, Known) else TOP


@declare(np.isrealobj)
def isrealobj(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    answer = iscomplexobj(args, kwargs)
    return Known(not answer.value) if isinstance(answer, Known) else TOP


@facts.fold(np.ndim, np.shape, np.size, np.ndarray.ndim, np.ndarray.shape, np.ndarray.size)
@facts.fold(np.generic.ndim, np.generic.shape, np.generic.size, np.iscomplexobj, np.isrealobj)
def fold_metadata(call: Call) -> Operand | None:
    """A constant, where the type of the operand decides: `np.ndim` of a known rank."""
    if not isinstance(call.callee, Const):
        return None
    keywords = {name: type_of(operand) for name, operand in call.kwargs.items()}
    result = call_type(call.callee.value, *map(type_of, call.args), **keywords)
    if isinstance(result, Known):
        return Const(result.value)
    if isinstance(result, Tuple) and all(isinstance(item, Known) for item in result.items):
        return Const(tuple(item.value for item in result.items))  # type: ignore[attr-defined]
    return None


def is_real(type_: Type) -> bool:
    """Whether this is a number or array of a real dtype."""
    if isinstance(type_, Union):
        return all(map(is_real, type_.members))
    if isinstance(type_, Array):
        return type_.dtype.kind in "biuf"
    return is_number(type_) and np.dtype(class_of(type_)).kind in "biuf"
