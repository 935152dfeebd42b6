"""The callables of `try` and `with`: what is caught, and calls whose error is a value."""

from __future__ import annotations

from typing import Any

from ir.primitives import UNBOUND


def end_guarded() -> None:
    """Ends what a `Try` guards: exceptions behind it go past the handler."""


def is_caught(error: BaseException, classes: Any) -> bool:
    """Whether `except classes` catches an exception: as Python asks, without `__instancecheck__`.
    """
    for cls in classes if isinstance(classes, tuple) else (classes,):
        if not (isinstance(cls, type) and issubclass(cls, BaseException)):
            raise TypeError(
                "catching classes that do not inherit from BaseException is not allowed"
            )
    known = type(error).__mro__
    return any(cls in known for cls in (classes if isinstance(classes, tuple) else (classes,)))


def special_method(owner: Any, name: str) -> Any:
    """The method of an object that syntax calls: looked up on its class."""
    for cls in type(owner).__mro__:
        if name in vars(cls):
            method = vars(cls)[name]
            return method.__get__(owner, type(owner)) if hasattr(method, "__get__") else method
    kind = type(owner).__qualname__
    missed = " (missed __exit__ method)" if name == "__exit__" else ""
    raise TypeError(f"{kind!r} object does not support the context manager protocol{missed}")


def check_not_suppressed(suppressed: object) -> None:
    """The promise of a context manager that suppresses no exception, kept."""
    if suppressed:
        raise RuntimeError("`__exit__` suppressed an exception, which it never did before")


def attempt(function: Any, *args: Any, **kwargs: Any) -> tuple[BaseException | None, Any]:
    """The error, or None, and the value of a call.

    It may also raise, if nothing was changed before.
    """
    return catching(function)(*args, **kwargs)


class Catching:
    """A callable that returns `(error or None, value)`."""

    __slots__ = ("function",)

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> tuple[BaseException | None, Any]:
        try:
            return None, self.function(*args, **kwargs)
        except BaseException as error:
            return error, UNBOUND


def catching(function: Any) -> Catching:
    """A function that returns what another one raises."""
    return Catching(function)


def catching_found(function: Any) -> Catching:
    """The same for a function that is known when the program runs only."""
    return Catching(function)


class Attempted:
    """An iterator that ends where another one fails, and keeps the error."""

    def __init__(self, iterator: Any) -> None:
        self.iterator = iterator
        self.error: BaseException | None = None

    def __iter__(self) -> Attempted:
        return self

    def __next__(self) -> Any:
        try:
            return next(self.iterator)
        except StopIteration:
            raise
        except BaseException as error:
            self.error = error
            raise StopIteration from None


def attempted(items: Any) -> Any:
    """An iterator over the items that raises nothing: `failure_of` has its error."""
    return items if type(items) in (list, tuple, range) else Attempted(iter(items))


def failure_of(items: Any, error: BaseException | None) -> BaseException | None:
    """The error that iterating over what `attempted` gave came to, else that of the body."""
    return items.error if type(items) is Attempted and items.error is not None else error
