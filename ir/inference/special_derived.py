"""Instances of classes that derive from Python's containers: how they are made, and attributes.

    Params(w=1.0)          ->    derived(Params, dict(w=1.0))
    Params(w)              ->    p = new_object(Params); Params.__init__(p, w)
    p.w (an AttrDict)      ->    AttrDict.__getattr__(p, 'w')

They are values, as containers are: methods that change them give them back as new versions.
"""

from __future__ import annotations

import ast
import operator
import types
from dis import get_instructions
from typing import TYPE_CHECKING, Any

from ir import primitives
from ir.core import Call, Const, Location, Operand, Value, type_of
from ir.derived import (
    as_class,
    base_of,
    callable_of,
    derived,
    found_in,
    is_method_of_named,
    is_named_tuple,
    place_of_field,
    without_items,
)
from ir.errors import SourceNotFound, Unsupported
from ir.forgettable import forgettable
from ir.heap import new_object
from ir.inference.computed_attributes import bound_method
from ir.inference.special_calls import Folded, special, typed
from ir.inference.surroundings import Constructor
from ir.memory.place_state import check_call
from ir.suggestions import temporary_of_class
from ir.syntax.locate import locate
from ir.types import TOP, Known, class_of

if TYPE_CHECKING:
    from ir.inference.typed_calls import TypedCalls

def made_of_items(
    self: TypedCalls,
    cls: Const,
    constructor: Constructor,
    args: list[Operand],
    kwargs: dict[str, Operand],
    name: str,
    loc: Location | None,
) -> Operand:
    """Makes an instance as `cls(*args, **kwargs)` does."""
    self.surroundings.note_lookup(cls.value, "__init__")
    if constructor.base is tuple:
        self.surroundings.note_lookup(cls.value, "__new__")
        if is_named_tuple(cls.value):
            return _named_tuple(self, cls, args, kwargs, name, loc)
        new = found_in(cls.value, "__new__")
        if isinstance(new, staticmethod):  # which `__new__` always is
            return self.typed_call(Const(new.__func__), [cls, *args], kwargs, [name], loc)[0]
    if constructor.init is None:
        plain = len(args) == 1 and not kwargs and class_of(type_of(args[0])) is constructor.base
        items = args[0] if plain else (
            self.typed_call(Const(constructor.base), args, kwargs, [name], loc)[0]
        )
        made = Value(temporary_of_class(name, cls.value), as_class(cls.value, type_of(items)))
        self._define(Call(Const(derived), [cls, items], {}, [made], loc))
        return made
    made = Value(temporary_of_class(name, cls.value), without_items(cls.value))
    self._define(Call(Const(new_object), [cls], {}, [made], loc))
    (result,) = self.typed_call(Const(constructor.init), [made, *args], kwargs, ["_"], loc)
    filled = made if self.places is None else self.places.latest(made)
    if filled is made and type_of(result) == TOP:  # which runs as it is, and nobody knows what
        types_ = type_of(made), *map(type_of, args)
        kwtypes = {name: type_of(arg) for name, arg in kwargs.items()}
        self.surroundings.updates(Known(constructor.init), types_, kwtypes)  # tells why
        raise Unsupported(f"`{cls.value.__name__}.__init__` can't be followed", loc)
    return filled


def _named_tuple(
    self: TypedCalls,
    cls: Const,
    args: list[Operand],
    kwargs: dict[str, Operand],
    name: str,
    loc: Location | None,
) -> Operand:
    """Makes a NamedTuple; where the arguments aren't those that it takes, Python raises."""
    left = cls.value._fields[len(args) :]
    defaults = cls.value._field_defaults
    if len(args) > len(cls.value._fields) or not kwargs.keys() <= set(left) or not (
        set(left) <= kwargs.keys() | defaults.keys()
    ):
        return self._append(cls, args, kwargs, [name], loc)[0]
    given = [kwargs[field] if field in kwargs else Const(defaults[field]) for field in left]
    items = self.call(primitives.build_tuple, *args, *given, loc=loc)
    return typed(self, derived, [cls, items], [name], loc, as_class(cls.value, type_of(items)))[0]


def replaced(items: Any, /, **fields: Any) -> Any:
    """`items._replace(**fields)` of a NamedTuple, whatever its class."""
    return items._replace(**fields)


def as_dict(items: Any, /) -> dict[str, Any]:
    """`items._asdict()` of a NamedTuple, whatever its class."""
    found: dict[str, Any] = items._asdict()
    return found


METHODS_OF_NAMED = {"_replace": replaced, "_asdict": as_dict}


@special(replaced)
def _replaced(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    cls: Any = class_of(type_of(args[0]))
    if len(args) != 1 or not kwargs.keys() <= set(cls._fields):
        return self._append(Const(cls._replace), args, kwargs, names, loc)
    given = [
        kwargs[field] if field in kwargs
        else self.call(operator.getitem, args[0], Const(place), loc=loc)
        for place, field in enumerate(cls._fields)
    ]
    return [_named_tuple(self, Const(cls), given, {}, names[0], loc)]


@special(as_dict)
def _as_dict(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    cls: Any = class_of(type_of(args[0]))
    if len(args) != 1 or kwargs:
        return self._append(Const(cls._asdict), args, kwargs, names, loc)
    parts: list[Operand] = []
    for i, field in enumerate(cls._fields):
        parts += [Const(field), self.call(operator.getitem, args[0], Const(i), loc=loc)]
    return self.typed_call(Const(primitives.build_dict), parts, {}, names, loc)


@special(tuple.__new__)
def _new_tuple(
    self: TypedCalls,
    args: list[Operand],
    kwargs: dict[str, Operand],
    names: list[str],
    loc: Location | None,
) -> Folded:
    cls = args[0] if args else None
    if not isinstance(cls, Const) or kwargs or base_of(cls.value) is not tuple:
        return None
    items = self.typed_call(Const(tuple), args[1:], {}, names, loc)[0]
    made = as_class(cls.value, type_of(items))
    return typed(self, derived, [cls, items], names, loc, made)


def read_of_derived(
    self: TypedCalls, owner: Operand, name: str, names: list[str], loc: Location | None
) -> Folded:
    """Reads an attribute: a method, what a property or `__getattr__` computes, or what the run time
    finds."""
    cls = class_of(type_of(owner))
    assert cls is not None
    self.surroundings.note_lookup(cls, name)
    place = place_of_field(cls, name)
    if place is not None:
        given = [owner, Const(place)]
        return self.typed_call(Const(operator.getitem), given, {}, names, loc)
    found = found_in(cls, name)
    function = callable_of(found)
    if is_named_tuple(cls) and is_method_of_named(found):
        function = METHODS_OF_NAMED[name]
    is_own_dict = issubclass(cls, dict) and mirrors_items(cls)
    if is_own_dict and self.places is not None:
        given = [owner, Const(name), Const(found is not None)]
        self.ops.append(check_call(self.surroundings.unless_item_of_dict, given, loc))
        if found is None and not name.startswith("__"):
            return self.typed_call(Const(operator.getitem), given[:2], {}, names, loc)
    if function is not None:
        return bound_method(self, function, owner, [owner, Const(name)], names, loc)
    of_class = read_of_class(self, Const(cls), name, names, loc)
    if of_class is not None:
        return of_class
    if type(found) is property and found.fget is not None:
        return self.typed_call(Const(found.fget), [owner], {}, names, loc)
    hook = callable_of(found_in(cls, "__getattr__")) if found is None else None
    if hook is not None and not name.startswith("__"):
        self.surroundings.note_lookup(cls, "__getattr__")
        if issubclass(cls, dict) and reads_item(hook) and self.places is not None:
            given = [owner, Const(name), Const(hook)]
            self.ops.append(check_call(self.surroundings.unless_missing, given, loc))
            return self.typed_call(Const(operator.getitem), given[:2], {}, names, loc)
        return self.typed_call(Const(hook), [owner, Const(name)], {}, names, loc)
    if found is not None and not hasattr(type(found), "__get__") and self.places is not None:
        # What the class holds for all, which a program may store into.
        self.ops.append(check_call(self.surroundings.unless_own, [owner, Const(name)], loc))
        return self.typed_call(Const(getattr), [Const(cls), Const(name)], {}, names, loc)
    return typed(self, getattr, [owner, Const(name)], names, loc, TOP)


def read_of_class(
    self: TypedCalls, cls: Const, name: str, names: list[str], loc: Location | None
) -> Folded:
    """A class method or static method."""
    self.surroundings.note_lookup(cls.value, name)
    found = found_in(cls.value, name)
    if isinstance(found, staticmethod) and isinstance(found.__func__, types.FunctionType):
        return None if name == "__new__" else [Const(found.__func__)]
    if isinstance(found, classmethod) and isinstance(found.__func__, types.FunctionType):
        return bound_method(self, found.__func__, cls, [cls, Const(name)], names, loc)
    return None


@forgettable(maxsize=256)
def mirrors_items(cls: type) -> bool:
    """Whether the `__init__` of a class may say `self.__dict__ = self`."""
    code = getattr(found_in(cls, "__init__"), "__code__", None)
    return code is not None and any(
        one.opname == "STORE_ATTR" and one.argval == "__dict__" for one in get_instructions(code)
    )


@forgettable(maxsize=256)
def reads_item(function: Any) -> bool:
    """Whether a `__getattr__` gives the item under the name, and raises where there is none.

        def __getattr__(self, name):            def __getattr__(self, name):
            return self[name]                       try:
                                                        return self[name]
                                                    except KeyError:
                                                        raise AttributeError(name)
    """
    if function is operator.getitem:
        return True
    if not isinstance(function, types.FunctionType):
        return False
    try:
        node = locate(function.__code__, function.__globals__).node
    except SourceNotFound:
        return False
    if isinstance(node, ast.Lambda) or len(node.args.args) != 2:
        return False
    first, second = (argument.arg for argument in node.args.args)
    match node.body:
        case [ast.Try(body=[inner], handlers=[handler], orelse=[], finalbody=[])]:
            if not isinstance(handler.body[-1], ast.Raise) or len(handler.body) != 1:
                return False
        case [inner]:
            pass
        case _:
            return False
    return isinstance(inner, ast.Return) and inner.value is not None and (
        ast.unparse(inner.value) == f"{first}[{second}]"
    )


def changed_by_attribute(
    self: TypedCalls, method: str, owner: Operand, given: list[Operand], loc: Location | None
) -> list[Operand]:
    """Stores or deletes an attribute by the method that the class has for that."""
    cls = class_of(type_of(owner))
    assert cls is not None
    (name, *_) = given
    self.surroundings.note_lookup(cls, method)
    found = found_in(cls, name.value) if isinstance(name, Const) else None
    if type(found) is property and method == "__setattr__" and found.fset is not None and (
        found_in(cls, method) is object.__setattr__
    ):
        self.typed_call(Const(found.fset), [owner, *given[1:]], {}, ["_"], loc)
        return [Const(None)]
    if isinstance(name, Const) and self.places is not None and issubclass(cls, dict):
        is_itself = given[1:] and isinstance(owner, Value) and isinstance(given[1], Value) and (
            self.places.origin(owner) is self.places.origin(given[1])
        )
        if name.value == "__dict__" and is_itself:
            self.ops.append(check_call(self.surroundings.hold_in_itself, [owner], loc))
            return [Const(None)]
        is_plain = found_in(cls, method) in (object.__setattr__, object.__delattr__)
        if is_plain and found is None and mirrors_items(cls):
            is_new = Const(method == "__setattr__")
            checked = [owner, name, Const(None) if is_new.value else Const(False)]
            self.ops.append(check_call(self.surroundings.unless_item_of_dict, checked, loc))
            change = operator.setitem if is_new.value else operator.delitem
            self.typed_call(Const(change), [owner, *given], {}, ["_"], loc)
            return [Const(None)]
    hook = callable_of(found_in(cls, method))
    if hook is None:
        what = name.value if isinstance(name, Const) else "..."
        raise Unsupported(
            f"the attribute `{what}` is stored in a {cls.__name__}, which derives from a container",
            loc, advice="store it under a key, or let an object of a plain class hold both",
        )
    self.typed_call(Const(hook), [owner, *given], {}, ["_"], loc)
    return [Const(None)]
