"""What `pullback` returns: the adjoint of one call, as a value that can be kept and called again.

A `Pullback` is a reference to generated code and the values that it reads. Its pickle carries the
source of that code, with the code of what it calls, and names modules and functions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from zyg.calls.gradients import Assignment, Captured, Keyword, detached, gradients_of
from zyg.calls.portable import Text, packed, unpacked
from zyg.calls.saved_values import held, with_contents, without_contents
from zyg.calls.seeds import Like, checked_seed, filled, filled_in_tuples, filled_within
from zyg.calls.tracing import shown
from zyg.compiler.generated import Generated
from zyg.compiler.nested.found_calls import as_callable, refuse_objects
from zyg.compiler.nested.nested_backs import NestedBack
from zyg.errors import NotDifferentiable
from zyg.held.keeping import prototype
from zyg.held.shadow_calls import current_shadows
from zyg.signature import BackFunction

if TYPE_CHECKING:
    from zyg.held.watched_memory import Watched


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
    the structure and shape of the result, and is a dict by attribute where that is an object;
    ValueError otherwise.
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
        saved = without_contents(self._saved)
        return _restored, (self._adjoint, saved, self._like, self._finish, self._description)


def _restored(adjoint: Adjoint, saved: Any, *rest: Any) -> Pullback:
    return Pullback(adjoint, with_contents(saved), *rest)


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
        return _restored_gradients, (self._assignment, without_contents(self._likes))


def _restored_gradients(assignment: Assignment, likes: Any) -> Gradients:
    return Gradients(assignment, with_contents(likes))


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
        saved = without_contents(self.saved)
        return _restored_dispatched, (self.adjoint, saved, self.finish, self._like)


class ObjectsBack(DispatchedBack):
    """The same for a function that works on objects: it runs also where nothing read its result."""

    __slots__ = ()

    def nested(self) -> NestedBack:
        raise NotDifferentiable(
            "the gradient of a call that works on objects, found at run time, is differentiated"
        )

    def __call__(self, y_bar: Any) -> tuple[Any, ...]:
        return self.finish.shared(self.adjoint.run(self.saved, filled_in_tuples(y_bar, self._like)))

    def with_own_memory(self, copy: Callable[[Any], Any]) -> ObjectsBack:
        return self  # code that works on objects saves copies where it needs them

    def __reduce__(self) -> Any:
        saved = without_contents(self.saved)
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
        seeds = [filled_in_tuples(y_bar, like)]
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
    return ObjectsBack(adjoint, with_contents(saved), finish, like)


def _restored_dispatched(
    adjoint: Adjoint, saved: Any, finish: Any, like: Like
) -> DispatchedBack:
    return DispatchedBack(adjoint, with_contents(saved), finish, like)
