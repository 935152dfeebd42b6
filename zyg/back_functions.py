"""What `pullback` returns: the adjoint of one call, as a value that can be kept and called again.

A `Pullback` is a reference to generated code and the values that it reads. Its pickle carries the
source of that code, with the code of what it calls, and names modules and functions.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from zyg import cotangent
from zyg.checkpointing import Kept
from zyg.compiler.checkpoint_calls import RunAgainBack
from zyg.compiler.generated import Generated
from zyg.compiler.nested_backs import NestedBack
from zyg.compiler.nested_dispatch import as_callable, refuse_objects
from zyg.compiler.object_backs import Through
from zyg.compiler.rule_backs import RuleBack
from zyg.errors import NotDifferentiable
from zyg.gradients import Assignment, Captured, Keyword, detached, gradients_of
from zyg.held_memory import Watched
from zyg.keeping import prototype
from zyg.portable import Text, packed, unpacked
from zyg.shadows import current_shadows
from zyg.signature import BackFunction
from zyg.tracing import shown


class Adjoint:
    """A generated back function, which pickles as its source."""

    __slots__ = ("_origin", "run")

    def __init__(self, origin: Generated | list[Text]) -> None:
        self._origin = origin
        self.run: Callable[[Any, Any], Any] = (
            origin.cell.cell_contents if isinstance(origin, Generated) else unpacked(origin)
        )

    @property
    def generated(self) -> Generated | None:
        """The function that it is, if it was made by this process."""
        return self._origin if isinstance(self._origin, Generated) else None

    def to_differentiate(self) -> Generated:
        """The function as one that can be differentiated."""
        if not isinstance(self._origin, Generated):
            raise NotDifferentiable("a pullback that was pickled is itself differentiated")
        return self._origin

    def __reduce__(self) -> Any:
        origin = self._origin
        return Adjoint, (packed(origin) if isinstance(origin, Generated) else origin,)


class Pullback:
    """The adjoint of one call: calling it with a cotangent of the result gives gradients.

    It holds the values that the adjoint reads, and can be called any number of times. The seed has
    the structure and shape of the result; ValueError otherwise.
    """

    __slots__ = ("__weakref__", "_adjoint", "_description", "_finish", "_like", "_saved")

    def __init__(
        self,
        adjoint: Adjoint,
        saved: Any,
        like: Like,
        finish: Callable[[Any], tuple[Any, ...]],
        description: str,
    ) -> None:
        self._adjoint = adjoint
        self._saved = saved
        self._like = like
        self._finish = finish
        self._description = description

    @property
    def description(self) -> str:
        """Which function it belongs to, and of which signature."""
        return self._description

    @property
    def saved(self) -> Any:
        """The values that the adjoint reads."""
        return self._saved

    @property
    def origin(self) -> Generated | None:
        """The adjoint, if it was made by this process."""
        return self._adjoint.generated

    def __call__(self, seed: Any) -> tuple[Any, ...]:
        try:
            if seed is None:
                return self._finish(None)
            seed = checked_seed(seed, self._like)
            return self._finish(self._adjoint.run(self._saved, seed))
        except Exception as error:
            shown(error)
            raise

    def __repr__(self) -> str:
        count, size = held(self._saved)
        values = "value" if count == 1 else "values"
        return f"<pullback of {self._description}: {count} {values}, {size} bytes>"

    def __reduce__(self) -> Any:
        saved = _without_contents(self._saved)
        return _restored, (self._adjoint, saved, self._like, self._finish, self._description)


def _restored(adjoint: Adjoint, saved: Any, *rest: Any) -> Pullback:
    return Pullback(adjoint, _with_contents(saved), *rest)


class Gradients:
    """The last step of a public pullback: gradients of the arguments, zeros where there is none."""

    __slots__ = ("_assignment", "_likes")

    def __init__(self, assignment: Assignment, args: tuple[Any, ...]) -> None:
        self._assignment = assignment
        self._likes = tuple(map(prototype, args))

    def __call__(self, bars: Any) -> tuple[Any, ...]:
        each = self._assignment.unpacked(bars)
        del bars  # what only `each` refers to need not be copied
        return gradients_of(self._assignment, each, self._likes)

    def __reduce__(self) -> Any:
        return _restored_gradients, (self._assignment, _without_contents(self._likes))


def _restored_gradients(assignment: Assignment, likes: Any) -> Gradients:
    return Gradients(assignment, _with_contents(likes))


class StructuralGradients:
    """The last step of `_pullback`: the gradient of the function, then of each argument, keyword
    arguments last where `keywords` names them."""

    __slots__ = ("_assignment", "_count", "_keywords")

    def __init__(
        self, assignment: Assignment, count: int, keywords: tuple[str, ...] = ()
    ) -> None:
        self._assignment = assignment
        self._count = count
        self._keywords = keywords

    def __call__(self, bars: Any) -> tuple[Any, ...]:
        return tuple(map(detached, self.shared(bars)))

    def shared(self, bars: Any) -> tuple[Any, ...]:
        """The same, in memory that it may share with other cotangents."""
        found = self._assignment.by_target(self._assignment.unpacked(bars))
        own = {key.name: bar for key, bar in found.items() if isinstance(key, Captured)}
        targets = [*range(self._count), *map(Keyword, self._keywords)]
        return own or None, *(found.get(target) for target in targets)

    def as_given(self, bars_bar: tuple[Any, ...], given: Any) -> Any:
        """The transpose of `shared`: of what generated code gave, from those of the gradients."""
        found = tuple([self._bar_of(target, bars_bar) for target in self._assignment.targets])
        return found[0] if len(found) == 1 else found

    def _bar_of(self, target: Any, bars: tuple[Any, ...]) -> Any:
        match target:
            case int():
                return bars[1 + target]
            case tuple():
                return tuple([self._bar_of(part, bars) for part in target])
            case dict():
                return {name: self._bar_of(part, bars) for name, part in target.items()}
            case Keyword(name):
                return bars[1 + self._count + self._keywords.index(name)]
            case Captured(name):
                return None if bars[0] is None else bars[0].get(name)
            case _:
                return None

    def __reduce__(self) -> Any:
        return StructuralGradients, (self._assignment, self._count, self._keywords)


class DispatchedBack(BackFunction):
    """The back function of a call that was compiled at run time; part of what a caller saves."""

    __slots__ = ("_like", "adjoint", "finish", "saved")

    def __init__(
        self, adjoint: Adjoint, saved: Any, finish: StructuralGradients, like: Like
    ) -> None:
        self.adjoint = adjoint
        self.saved = saved
        self.finish = finish
        self._like = like

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        if y_bar is None:
            return self.finish.shared(None)
        return self.finish.shared(self.adjoint.run(self.saved, filled(y_bar, self._like)))

    def pullback(self, y_bar: Any) -> Any:
        """The cotangents, and the function to (this function's, y_bar's)."""
        return self.nested().pullback(y_bar)

    def nested(self) -> NestedBack:
        """The same as code that can be differentiated."""
        refuse_objects(self)
        return NestedBack(
            as_callable(self.adjoint.to_differentiate()), (self.saved,),
            partial(filled, like=self._like), self.finish.shared, self.finish.as_given,
        )

    def with_saved(self, saved: Any) -> DispatchedBack:
        return DispatchedBack(self.adjoint, saved, self.finish, self._like)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> DispatchedBack:
        """The same with copies of what it holds."""
        return self.with_saved(copy(self.saved))

    def __reduce__(self) -> Any:
        saved = _without_contents(self.saved)
        return _restored_dispatched, (self.adjoint, saved, self.finish, self._like)


class ObjectsBack(DispatchedBack):
    """The same for a function that works on objects: it runs also where nothing read its result."""

    __slots__ = ()

    def nested(self) -> NestedBack:
        raise NotDifferentiable(
            "the gradient of a call that works on objects, found at run time, is differentiated"
        )

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        return self.finish.shared(self.adjoint.run(self.saved, filled(y_bar, self._like)))

    def with_own_memory(self, copy: Callable[[Any], Any]) -> ObjectsBack:
        return self  # code that works on objects saves copies where it needs them

    def __reduce__(self) -> Any:
        saved = _without_contents(self.saved)
        return _restored_objects_back, (self.adjoint, saved, self.finish, self._like)


class UpdateBack(ObjectsBack):
    """The same for a call that changes memory which objects hold: arguments, by position."""

    __slots__ = ("_held",)

    def __init__(
        self, adjoint: Adjoint, saved: Any, finish: StructuralGradients, like: Like,
        held: dict[int, Watched],
    ) -> None:
        super().__init__(adjoint, saved, finish, like)
        self._held = held

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        shadows = current_shadows()
        like, *likes = self._like.items
        seeds = [filled(y_bar, like)]
        for watched, whole in zip(self._held.values(), likes, strict=True):
            seeds.append(filled_within(shadows.before_call(watched), whole))
        bars = list(self.finish.shared(self.adjoint.run(self.saved, tuple(seeds))))
        for position, watched in self._held.items():
            bars[1 + position] = shadows.absorb(watched.before, bars[1 + position])
        return tuple(bars)

    def with_own_memory(self, copy: Callable[[Any], Any]) -> UpdateBack:
        saved = copy(self.saved)  # by code that knows nothing of what objects do with it later
        return UpdateBack(self.adjoint, saved, self.finish, self._like, self._held)


def _restored_objects_back(adjoint: Adjoint, saved: Any, finish: Any, like: Like) -> ObjectsBack:
    return ObjectsBack(adjoint, _with_contents(saved), finish, like)


def _restored_dispatched(
    adjoint: Adjoint, saved: Any, finish: Any, like: Like
) -> DispatchedBack:
    return DispatchedBack(adjoint, _with_contents(saved), finish, like)


# Prototypes have strides of 0, which pickles don't keep: a shape must not weigh what an array does


class _Repeated:
    """An array all of whose elements are one and the same."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._shape = array.shape
        self._element = np.array(array[(0,) * array.ndim]) if array.size else (
            np.zeros((), array.dtype)
        )

    def array(self) -> np.ndarray[Any, Any]:
        return np.broadcast_to(self._element, self._shape)


def _is_repeated(array: np.ndarray[Any, Any]) -> bool:
    return array.ndim > 0 and not any(array.strides)


def _without_contents(value: Any) -> Any:
    return _rebuilt(value, _described, _items)


def _described(value: Any) -> Any:
    return _Repeated(value) if isinstance(value, np.ndarray) and _is_repeated(value) else value


def _with_contents(value: Any) -> Any:
    return _rebuilt(value, lambda v: v.array() if isinstance(v, _Repeated) else v, _items)


class Like:
    """The structure of a result, without its contents."""

    __slots__ = ("dtype", "items", "kind", "shape")

    def __init__(self, y: Any) -> None:
        self.kind = type(y)
        is_array = isinstance(y, np.ndarray | np.generic)
        self.shape = y.shape if is_array else None
        self.dtype: Any = y.dtype if is_array else None
        self.items: Any = None
        if isinstance(y, list | tuple | deque):
            self.items = [Like(item) for item in y]
        elif isinstance(y, dict):
            self.items = {key: Like(item) for key, item in y.items()}


def zero_of(like: Like) -> Any:
    """The zero cotangent of a result, for a seed of None."""
    if like.items is not None:
        if isinstance(like.items, dict):
            return {key: zero_of(item) for key, item in like.items.items()}
        items = [zero_of(item) for item in like.items]
        return items if like.kind in (list, deque) else tuple(items)
    if like.shape is not None and like.dtype is not None and like.dtype.kind in "fciu":
        zeros = np.zeros(like.shape, like.dtype if like.dtype.kind in "fc" else float)
        return zeros if like.kind is np.ndarray else zeros[()]
    return like.kind(0) if like.kind in (int, float, complex) else None


def filled_within(bar: Any, like: Like) -> Any:
    """A cotangent with zeros for structural zeros at any depth."""
    if bar is None:
        return zero_of(like)
    if like.items is None:
        return bar
    if isinstance(like.items, dict):
        return {key: filled_within(bar.get(key), item) for key, item in like.items.items()}
    return cotangent.rebuilt(
        bar, [filled_within(own, item) for own, item in zip(bar, like.items, strict=True)]
    )


def filled(bar: Any, like: Like) -> Any:
    """A cotangent with zeros for structural zeros, in tuples too: generated code relies on it."""
    if bar is None:
        return zero_of(like)
    if isinstance(bar, tuple | list) and issubclass(like.kind, tuple):
        return tuple(map(filled, bar, like.items))
    return bar


def checked_seed(seed: Any, like: Like) -> Any:
    """The seed in the form that generated code takes; raises where it doesn't fit the result."""
    if seed is None:
        return zero_of(like)
    if like.kind is float or like.kind is int:
        if type(seed) in (float, int):
            return seed
        if np.ndim(seed) != 0:
            raise ValueError(
                f"the result is a number, but the seed has the shape {np.shape(seed)}"
            )
        return seed.item() if isinstance(seed, np.ndarray | np.generic) else seed
    if like.items is not None:
        return _checked_items(seed, like)
    if like.shape is not None:
        if np.shape(seed) != like.shape:
            raise ValueError(
                f"the result has the shape {like.shape}, but the seed has {np.shape(seed)}"
            )
        if like.shape == () and like.kind is not np.ndarray:
            return seed
        return np.asarray(seed)
    return seed


def _checked_items(seed: Any, like: Like) -> Any:
    if isinstance(like.items, dict):
        if not isinstance(seed, dict):
            raise ValueError(f"the result is a dict, but the seed a {type(seed).__name__}")
        unknown = [key for key in seed if key not in like.items]
        if unknown:
            raise ValueError(f"the result has no key {unknown[0]!r}, but the seed has")
        return {key: checked_seed(seed.get(key), item) for key, item in like.items.items()}
    if not isinstance(seed, list | tuple | deque) or len(seed) != len(like.items):
        given = f"{len(seed)} items" if isinstance(seed, list | tuple) else type(seed).__name__
        raise ValueError(
            f"the result is a {like.kind.__name__} of {len(like.items)} items, but the seed is "
            f"{given}"
        )
    items = [checked_seed(a, b) for a, b in zip(seed, like.items, strict=True)]
    return items if like.kind in (list, deque) else tuple(items)


def held(saved: Any) -> tuple[int, int]:
    """How many values a pullback holds, and how many bytes the arrays among them take."""
    sizes = [*sizes_of(saved, {})]
    return len(sizes), sum(size for _, size in sizes)


def sizes_of(saved: Any, known: dict[int, Any]) -> Iterator[tuple[Any, int]]:
    """The numbers, arrays and other values that a value consists of, with their bytes.

    Arrays that share memory count once: `known` are owners of such by their `id`. A number counts
    as it does in an array.
    """
    left = [saved]
    while left:
        value = left.pop()
        if isinstance(value, np.ndarray):
            owner = _owner(value)
            size = 0 if id(owner) in known else (
                value.itemsize if _is_repeated(value) else owner.nbytes
            )
            known[id(owner)] = owner
            yield value, size
        elif isinstance(value, list | tuple):
            left.extend(value)
        elif isinstance(value, dict):
            left.extend(value.values())
        elif isinstance(value, DispatchedBack):
            left.append(value.saved)
        elif isinstance(value, RuleBack):
            left.extend(value.captured().values())
        elif isinstance(value, Kept | RunAgainBack):
            left.extend(value.held().values())
        elif value is not None:
            yield value, 8


def _owner(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array whose memory a view keeps alive."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def protected(saved: Any, indices: tuple[int, ...], count: int) -> Any:
    """The saved values, with copies of the arrays that the user can reach."""
    if not indices:
        return saved
    if count == 1:
        return copied(saved)
    return tuple(copied(v) if i in indices else v for i, v in enumerate(saved))


def copied(value: Any) -> Any:
    """A copy of the arrays in a value; everything else is kept."""
    return _rebuilt(value, _own_memory, _parts)


def _own_memory(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value.with_own_memory(copied) if hasattr(value, "with_own_memory") else value
    return _Repeated(value).array() if _is_repeated(value) else value.copy()


Parts: TypeAlias = tuple[Sequence[Any], Callable[[list[Any]], Any]]


def _items(value: Any) -> Parts | None:
    """What a list or tuple holds, and how it is made of other items."""
    return (value, type(value)) if type(value) in (list, tuple) else None


def _parts(value: Any) -> Parts | None:
    """The same for all that can be saved and holds values."""
    if type(value) is dict:
        return tuple(value.values()), lambda items: dict(zip(value, items, strict=True))
    if isinstance(value, ObjectsBack):
        return None
    if type(value) in (OrderedDict, defaultdict, Counter):
        return tuple(value.values()), lambda items: cotangent.like_mapping(
            value, dict(zip(value, items, strict=True))
        )
    if type(value) is deque:
        return tuple(value), lambda items: deque(items, value.maxlen)
    if isinstance(value, DispatchedBack):
        return (value.saved,), lambda items: value.with_saved(items[0])
    if isinstance(value, RuleBack):
        captured = value.captured()
        return tuple(captured.values()), lambda items: value.with_captured(
            dict(zip(captured, items, strict=True))
        )
    if isinstance(value, Through):
        return (value.back,), lambda items: Through(items[0], value.arrange)
    return _items(value)


def _rebuilt(
    value: Any, change: Callable[[Any], Any], parts_of: Callable[[Any], Parts | None]
) -> Any:
    """The value with all that it holds changed.

    Without recursion: what a recursive function saves is nested as deep as its calls were.
    """
    unfinished: list[tuple[list[Any], Iterator[Any], Callable[[list[Any]], Any]]] = [
        ([], iter((value,)), list)
    ]
    while True:
        done, rest, combined = unfinished[-1]
        for item in rest:
            parts = parts_of(item)
            if parts is not None:
                unfinished.append(([], iter(parts[0]), parts[1]))
                break
            done.append(change(item))
        else:
            unfinished.pop()
            if not unfinished:
                return done[0]
            unfinished[-1][0].append(combined(done))
