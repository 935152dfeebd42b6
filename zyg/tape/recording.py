"""Calls with wrappers among their arguments: computed on plain values, and appended to the tape.

    call(np.sum, (x,), {"axis": 0})
    ->  an ArrayWrapper of np.sum(x.val, axis=0)
        Node #5 { op=sum input=[#4] axis=0 }

A callable that has a substitute runs as that Python code on the wrappers; one whose results follow
from types and shapes is called on plain values, and leaves no trace. What has no rule raises.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from zyg.cotangents.cotangent import accumulate, conj, realness_of, unbroadcast
from zyg.cotangents.matrix_bars import is_sparse
from zyg.errors import NotDifferentiable, ZygError
from zyg.pruning import without
from zyg.rebinding import Rebinding, method_of_library
from zyg.rules import registry
from zyg.tape.assumptions import kind_of
from zyg.tape.forms import Form
from zyg.tape.primitives import ABOUT_VALUES, Known, is_flat, known, name_of, register
from zyg.tape.wengert import Tape, mixed
from zyg.tape.wrappers import (
    WRAPPERS,
    ArrayWrapper,
    RealWrapper,
    has_wrappers,
    plain,
    wrappers_in,
)

NO_OPTIONS: dict[str, Any] = {}
NUMBERS = frozenset([int, float, complex, np.float64, np.float32, np.int64, np.complex128])


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any] = NO_OPTIONS) -> Any:
    """The result of a call with wrappers among its arguments, wrapped."""
    try:
        return _called(function, args, kwargs)
    except NotDifferentiable as error:
        for x in wrappers_in((args, kwargs)):
            x.tape.refused(error)
        raise


def _called(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    entry = known(function)
    if entry.is_static:
        return _static(function, args, kwargs)
    if entry.substitute is not None and (kwargs or entry.rule is None):
        return REBINDING.rebound(entry.substitute)(*args, **kwargs)
    if entry.rule is not None and registry.has_stand_in(function):
        code = registry.stand_in_of(function, args, kwargs)
        if code is not None:
            leading = (function,) if isinstance(function, np.ufunc) else ()
            return REBINDING.rebound(code)(*leading, *args, **kwargs)
    if kwargs and entry.rule is not None:
        args, kwargs = _bound(function, entry.rule, args, kwargs)
    if kwargs or any(arg is True for arg in args):
        args, kwargs = without_permissions(function, args, kwargs)
    tape = tape_of(args, kwargs)
    parents, form = laid_out(tape, args, kwargs)
    if tape.known is not None:
        found = found_again(tape, function, parents, form)
        if found is not None:
            return found
    values = [arg.val if type(arg) in WRAPPERS else plain(arg) for arg in args]
    options = plain(kwargs) if kwargs else NO_OPTIONS
    back = None
    try:
        if tape.backs is None or entry.rule is None or function is operator.getitem:
            value = applied(function, values, options)
        else:
            value, back = by_rule(entry.rule, args, values, options)
    except Exception as error:
        note_failure(tape, function, parents, form, error)
        raise
    idx = len(tape)
    result = recorded(tape, value, function, parents, form)
    if back is not None and tape.backs is not None and len(tape) > idx:
        tape.backs[idx] = back
    if len(tape) > idx and depends_on_values(function, args, kwargs):
        tape.assume(idx, kind_of(value))
    return result


INEXACT = frozenset([np.ndarray, float, np.float64, complex])


def by_rule(
    rule: Callable[..., Any], args: tuple[Any, ...], values: list[Any], options: dict[str, Any]
) -> tuple[Any, Any]:
    """The value of a call and its back function, which leaves out the gradients of constants."""
    if registry.takes_pullback(rule):
        options = {**options, "pullback": pullback_for_rules}
    else:
        constants = tuple([i for i, arg in enumerate(args) if type(arg) in INEXACT])
        rule = without(rule, constants) if constants else rule
    value, back = rule(*values, **options)
    return value, back


def pullback_for_rules(function: Any, *args: Any) -> Any:
    """`pullback` for rules that differentiate a function which they are given.

    What the function refers to gets no gradient, so it must not stand on a tape.
    """
    from zyg.tape.gradients import pulled_back

    return pulled_back(function, *map(plain, args))


@functools.lru_cache(256)
def fails(function: Any, error: Any) -> Any:
    """The question whether calls of a function raise an error of a class."""

    def is_failing(*args: Any, **kwargs: Any) -> bool:
        try:
            applied(function, list(args), kwargs)
        except error:
            return True
        return False

    is_failing.__name__ = is_failing.__qualname__ = f"{error.__name__}_in_{name_in_text(function)}"
    register(is_failing, Known(is_constant=True))
    return is_failing


def name_in_text(function: Any) -> str:
    return str(getattr(function, "__name__", "call"))


def note_failure(
    tape: Tape, function: Any, parents: tuple[int, ...], form: Form | None, error: Exception
) -> None:
    """Assumes that a call raises: the program may have a handler, and go on without its value."""
    if tape.known is None and not isinstance(error, ZygError):
        cls: Any = type(error)
        idx = tape.append(True, fails(function, cls), parents, form)
        tape.assume(idx, True)


def without_permissions(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments without leave to write into others, which are values of nodes."""
    options = {
        name: False if name.startswith("overwrite_") else value for name, value in kwargs.items()
    }
    if function is np.nan_to_num and "copy" in options:
        options["copy"] = True
    if not any(arg is True for arg in args):
        return args, options
    rule = known(function).rule
    names = list(signature_of(rule).parameters) if rule is not None else []
    kept = tuple([
        False if arg is True and name.startswith("overwrite_") else arg
        for arg, name in zip(args, [*names, *[""] * len(args)], strict=False)
    ])  # fmt: skip
    return kept, options


def _static(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A plain result; a shape that is given by counts on the tape takes them for granted."""
    is_about_values = function in ABOUT_VALUES
    for x in wrappers_in((args if is_about_values else args[1:], kwargs)):
        if is_about_values or isinstance(x.val, (int, np.integer)):
            x.tape.assume(x.idx, x.val)
    return applied(function, [plain(arg) for arg in args], plain(kwargs))


def applied(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The plain call of a function, or the attribute that a descriptor reads."""
    return function(*args, **kwargs) if callable(function) else function.__get__(args[0])


def tape_of(args: Any, kwargs: Any) -> Tape:
    """The one tape of the wrappers among arguments."""
    tape: Tape | None = None
    for x in wrappers_in((args, kwargs)) if kwargs else wrappers_in(args):
        if tape is None:
            tape = x.tape
        elif tape is not x.tape:
            raise mixed()
    assert tape is not None
    return tape


def laid_out(
    tape: Tape, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[int, ...], Form | None]:
    """The parents of a call, and the form of its arguments where they are not just those."""
    if not kwargs:
        parents = []
        for arg in args:
            cls = type(arg)
            if cls in WRAPPERS:
                parents.append(arg.idx)
            elif cls in NUMBERS or cls is np.ndarray:
                parents.append(tape.constant(arg))
            else:
                break
        else:
            return tuple(parents), None
    layout = tape.layout()
    parts = tuple(
        layout.slot(arg) if type(arg) in NUMBERS else layout.part(arg) for arg in args
    )
    options = {name: layout.part(arg) for name, arg in kwargs.items()}
    return tuple(layout.parents), Form(parts, options)


def found_again(
    tape: Tape, function: Any, parents: tuple[int, ...], form: Form | None
) -> Any:
    """While an adjoint is recorded: the node that has computed the same already."""
    own = tape.own
    idx = None
    if own is not None and own[0] is function and is_same_call(tape, own, parents, form):
        idx = own[3]
    elif form is None and tape.known is not None:
        idx = tape.known.get((function, parents))
    if idx is None or tape.is_spent(idx) or tape.values[idx] is None:  # None is no node otherwise
        return None
    return of_node(tape, idx)


def is_same_call(
    tape: Tape,
    own: tuple[Any, tuple[int, ...], Form | None, int],
    parents: tuple[int, ...],
    form: Form | None,
) -> bool:
    """Whether a rule calls its own function as it was called, if in other words."""
    function, own_parents, own_form, _ = own
    if own_parents == parents and own_form == form:
        return True
    rule = known(function).rule
    if rule is None or (own_form is None and form is None):
        return False
    signature = signature_of(rule)
    bound = []
    for given, template in ((own_parents, own_form), (parents, form)):
        named = [
            ("constant", type(tape.values[idx]), tape.values[idx])
            if tape.is_constant(idx) and not isinstance(tape.values[idx], np.ndarray)
            else ("node", idx)
            for idx in given
        ]
        args, kwargs = (named, {}) if template is None else template.filled(named)
        try:
            arguments = signature.bind(*args, **kwargs)
        except TypeError:
            return False
        arguments.apply_defaults()
        bound.append({
            name: ("constant", type(x), x) if type(x) in NUMBERS else x
            for name, x in arguments.arguments.items()
        })  # fmt: skip
    return bound[0] == bound[1]


def of_node(tape: Tape, idx: int) -> Any:
    """What a call has given: a wrapper, or a tuple of them."""
    value = tape.values[idx]
    return with_items(tape, value, idx) if isinstance(value, (list, tuple)) else tape.wrapper(idx)


def recorded(
    tape: Tape, value: Any, function: Any, parents: tuple[int, ...], form: Form | None = None
) -> Any:
    """Appends a call to the tape; its value, wrapped. What is no number stays plain."""
    cls = type(value)
    if cls is float or cls is np.float64:
        return RealWrapper(value, tape, noted(tape, value, function, parents, form))
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufc":
            raise NotDifferentiable(f"an array of dtype {value.dtype} can't stand on a tape")
        if cls is not np.ndarray:
            value = np.asarray(value)
        return ArrayWrapper(value, tape, noted(tape, value, function, parents, form))
    # Not `isinstance`: tracked values give themselves out for numbers.
    if issubclass(cls, (int, float, complex, np.number, np.bool_)):
        return RealWrapper(value, tape, noted(tape, value, function, parents, form))
    if isinstance(value, (list, tuple)):
        return with_items(tape, value, noted(tape, value, function, parents, form))
    if value is None or isinstance(value, (str, np.dtype, slice, type)):
        return value
    raise NotDifferentiable(
        f"`{name_of(function)}` gave an object of class {cls.__name__}, which can't stand on a tape"
    )


def noted(
    tape: Tape, value: Any, function: Any, parents: tuple[int, ...], form: Form | None
) -> int:
    idx = tape.append(value, function, parents, form)
    if tape.known is not None and form is None:
        tape.known.setdefault((function, parents), idx)
    return idx


def with_items(tape: Tape, values: Any, whole: int) -> Any:
    """Several results of a call: each is a node of its own, `getitem(#whole, i)`."""
    items = []
    for i, value in enumerate(values):
        parents = whole, tape.constant(i)
        found = None
        if tape.known is not None:
            found = found_again(tape, operator.getitem, parents, None)
        if found is None:
            found = recorded(tape, value, operator.getitem, parents)
        items.append(found)
    return values._make(items) if hasattr(values, "_make") else type(values)(items)


# Whose results have a type or a shape that follows from values, or are None for some, by name: not
# all versions of NumPy and SciPy have all of them.
BY_VALUES = {
    "numpy": (
        "nonzero flatnonzero argwhere unique unique_values unique_counts unique_inverse unique_all "
        "extract compress trim_zeros union1d intersect1d setdiff1d setxor1d delete real_if_close "
        "roots poly polymul polyadd polysub polydiv histogram histogram_bin_edges bincount"
    ),
    "numpy.linalg": "eig eigvals lstsq",
    "scipy.linalg": (
        "eig eigvals sqrtm logm fractional_matrix_power funm signm orth null_space lstsq"
    ),
    "zyg.arrays.quotients": "over_length over_square power_part product_over times_log",
}
BY_VALUES_OF_ARRAYS = {np.ndarray.nonzero, np.ndarray.compress}


def depends_on_values(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the type or the shape of a result may be another one for other inputs."""
    if isinstance(function, np.ufunc) or function in COMMON:
        return False
    if function is operator.pow or function is pow:
        return is_unsteady_power(*args[:2])
    if is_by_values(function):
        return True
    if function is np.where:
        return len(args) == 1
    if function is operator.getitem and type(args[1]) in WRAPPERS:
        return bool(np.result_type(args[1].val).kind == "b")
    return any(np.result_type(x.val).kind in "biu" for x in wrappers_in((args, kwargs)))


@functools.lru_cache(1024)
def is_by_values(function: Any) -> bool:
    owner, name = getattr(function, "__module__", None), getattr(function, "__name__", "")
    if not isinstance(owner, str):
        return function in BY_VALUES_OF_ARRAYS
    package = owner.partition("._")[0].removesuffix(".lib")
    return name in BY_VALUES.get(package, "").split()


COMMON = frozenset([
    operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul, operator.neg,
    np.sum, np.matmul, np.dot, np.any, np.all, np.count_nonzero, np.take, np.take_along_axis,
])  # fmt: skip


def is_unsteady_power(x: Any, y: Any) -> bool:
    """Whether a power of Python numbers may become complex, or a float where it was an integer."""
    base, exponent = type(plain(x)), type(plain(y))
    if base not in (int, float) or exponent not in (int, float):
        return False
    return has_wrappers(y) or exponent is float


# In the cotangent algebra mostly nothing is to be done, and no node is left.


def unbroadcast_on_tape(bar: Any, like: Any) -> Any:
    """`unbroadcast`: a sum and a reshape, where shapes differ."""
    if type(bar) in WRAPPERS:
        value, target = bar.val, like.val if type(like) in WRAPPERS else like
        if is_real(value) and is_real(target):
            shape, extra = np.shape(target), np.ndim(value) - np.ndim(target)
            if np.shape(value) == shape:
                return bar
            if extra > 0 and np.shape(value)[extra:] == shape:
                axes = None if not shape else 0 if extra == 1 else tuple(range(extra))
                return call(np.sum, (bar,), {"axis": axes})
    return REBINDING.rebound(unbroadcast)(bar, like)


def conj_on_tape(x: Any) -> Any:
    return x if type(x) in WRAPPERS and is_real(x.val) else REBINDING.rebound(conj)(x)


def is_real(x: Any) -> bool:
    """Whether a number or array is known to be real; lists are looked at by others."""
    cls = type(x)
    if cls is float or cls is np.float64 or cls is int:
        return True
    return cls is np.ndarray and x.dtype.kind != "c"


def realness_on_tape(like: Any, bar: Any) -> Any:
    return REBINDING.rebound(realness_of)(like, bar)


def accumulate_on_tape(a: Any, b: Any) -> Any:
    return REBINDING.rebound(accumulate)(a, b)


REBINDING = Rebinding(
    has_wrappers, plain, call,
    {
        unbroadcast: unbroadcast_on_tape, conj: conj_on_tape, realness_of: realness_on_tape,
        accumulate: accumulate_on_tape, is_sparse: is_sparse,
    },
)  # fmt: skip


@functools.lru_cache(1024)
def signature_of(rule: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(rule)


def _bound(
    function: Any, rule: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with wrappers among keyword arguments by position, where they have a gradient.
    """
    try:
        bound = signature_of(rule).bind(*args, **kwargs)
    except TypeError as error:
        raise NotDifferentiable(
            f"the rule of `{name_of(function)}` has no derivative for a call with the keyword "
            f"arguments {', '.join(kwargs)}: {error}"
        ) from None
    if not has_wrappers(kwargs):
        return args, kwargs
    bound.apply_defaults()
    options = {name: value for name, value in bound.kwargs.items() if name != "pullback"}
    for x in wrappers_in(options):
        if x.tape.is_active(x.idx, is_flat):
            raise NotDifferentiable(
                f"the rule of `{name_of(function)}` has no gradient for one of its keyword "
                f"arguments: {', '.join(options)}"
            )
    return bound.args, options


def record(f: Any, *xs: Any, **options: Any) -> Any:
    """Calls a function that has a rule: those of `math` and `scipy`, which refuse wrappers.

    >>> import math
    >>> from zyg import tape
    >>> tape.gradient(lambda x: tape.record(math.sin, x), 0.0)
    (1.0,)

    So are calls of methods of SciPy's objects: `record(stats.norm.logpdf, x, mu, sigma)`.
    """
    method = method_of_library(f)
    function, args = (f, xs) if method is None else (method[0], (method[1], *xs))
    known(function)
    # What a frozen distribution holds may be on the tape.
    held = () if method is None else getattr(method[1], "__dict__", ())
    if has_wrappers(xs) or has_wrappers(options) or has_wrappers(held):
        return call(function, args, options)
    return applied(f, list(xs), options)
