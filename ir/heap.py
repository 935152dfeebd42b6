"""Objects as contents of a heap: reads and stores of attributes, with versions of the whole.

    o.x = v          heap_1 = attribute_stored(heap, o, 'x', v)
    y = o.x          y = attribute_read(heap_1, o, 'x')
    z = f(o)         z, heap_2 = updating(f, ('heap@',), o, heap@=heap_1)

An object is known by its identity, whatever its names are; so all objects are one value, and a
store makes a new version of that. A function that works on objects takes the heap as one more
argument, by keyword, and hands out its last version like any argument that it changes in place.
When a program runs, the heap is a token: reads and stores go to the objects themselves.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any
from weakref import WeakSet

from ir import facts
from ir.core import Const, Function, Operand, Parameters, Value
from ir.derived import base_of, without_items
from ir.forgettable import IdentityTable
from ir.types import TOP, Instance, Known, Type

# Classes that functions define and that are made once: what they hold has to stay what it is.
made_once: WeakSet[type] = WeakSet()
# The functions that make their objects, where these hold what the classes have captured.
makers: WeakSet[FunctionType] = WeakSet()


class Heap:
    """The token that stands for the contents of all objects."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<heap>"


class Identity:
    """What may be memory, where it is known by its identity: nobody copies it under this name."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce__(self) -> Any:
        raise TypeError(
            "what belongs to memory that objects hold, and that may be changed in place, can't be "
            "pickled: it is known by its identity in this process"
        )


IDENTITY = Instance(Identity)


class Cell:
    """A variable that functions share and that is assigned again: an object that holds it.

    Each such variable has a class of its own, so that types tell them apart. `error`: what reading
    it raises where it has no value.
    """

    __slots__ = ("contents",)
    contents: Any
    variable = ""
    error: type[NameError] = NameError

    def __getattr__(self, name: str) -> Any:
        if name != "contents":
            raise AttributeError(name)
        variable = type(self).variable
        raise type(self).error(
            f"cannot access variable '{variable}' where it is not associated with a value",
            name=variable,
        )


def cell_class(name: str, is_shared: bool = True) -> type[Cell]:
    """The class of the cell of one variable."""
    error = NameError if is_shared else UnboundLocalError
    return type(f"{name}_cell", (Cell,), {"__slots__": (), "variable": name, "error": error})


class Contents:
    """What a piece of memory holds, in code that follows it as an attribute
    (`ir.memory.followed_memory`).

    Memory of each type has a class of its own; `of` is that of the memory. `is_mixed`: it holds
    memory beside numbers.
    """

    items: Any
    of: type
    is_mixed: bool


CONTENTS = "contents"
ITEMS = "items"
HEAP = Instance(Heap)
TOKEN = Heap()
# The parameter by which a function takes the heap: no name of the user's.
HEAP_NAME = "heap@"


def set_attribute(obj: Any, name: str, value: Any) -> None:
    """`obj.name = value`, as the source has it."""
    setattr(obj, name, value)


def delete_attribute(obj: Any, name: str) -> None:
    """`del obj.name`, as the source has it."""
    delattr(obj, name)


def attribute_read(heap: Any, obj: Any, name: str, *default: Any) -> Any:
    """`obj.name`, for an attribute that may be stored in the object, or a default."""
    return getattr(obj, name, *default)


def holds_attribute(obj: Any, name: str) -> bool:
    """Whether an object, or its class, has an attribute that nothing computes."""
    try:
        object.__getattribute__(obj, name)
    except AttributeError:
        return False
    return True


def is_stored_in(obj: Any, name: str) -> bool:
    """Whether an object itself holds an attribute."""
    return name in getattr(obj, "__dict__", ())


def stored_attribute(obj: Any, name: str) -> Any:
    """`obj.name`, for what the object itself holds."""
    return obj.__dict__[name]


def other_attribute(obj: Any, name: str) -> Any:
    """`obj.name`, for what is no object of a class that the program knows with such an attribute.
    """
    return getattr(obj, name)


def store_attribute(obj: Any, name: str, value: Any) -> None:
    """Stores into the object itself, past all hooks."""
    obj.__dict__[name] = value


def attribute_stored(heap: Any, obj: Any, name: str, value: Any) -> Any:
    """`obj.name = value`, for an attribute that is stored in the object: gives the heap."""
    setattr(obj, name, value)
    return heap


def attribute_set(heap: Any, obj: Any, name: str, value: Any) -> Any:
    """The same past a `__setattr__` of the class, as `object.__setattr__` does it."""
    object.__setattr__(obj, name, value)
    return heap


def class_stored(heap: Any, cls: Any, name: str, value: Any) -> Any:
    """`cls.name = value`, for an attribute of a class: gives the heap."""
    setattr(cls, name, value)
    return heap


def class_read(heap: Any, cls: Any, name: str) -> Any:
    """`cls.name`, for an attribute of a class that the program stores."""
    return getattr(cls, name)


def found_attribute(heap: Any, obj: Any, name: str) -> Any:
    """`obj.name`, for a name whose owner the run time tells: an object, its class or a base."""
    return getattr(obj, name)


def class_attribute(cls: Any, name: str) -> Any:
    """The same as what runs; its place among other operations matters."""
    return getattr(cls, name)


def contents_read(heap: Any, value: Any) -> Any:
    """A value, behind a point where objects that may hold it may have changed it in place."""
    return value


def object_read(heap: Any, obj: Any) -> Any:
    """An object with all that it holds, for a call that takes no heap."""
    return obj


def attribute_deleted(heap: Any, obj: Any, name: str) -> Any:
    """`del obj.name`, for an attribute that is stored in the object: gives the heap."""
    delattr(obj, name)
    return heap


def new_object(cls: Any) -> Any:
    """An object without contents, as `cls(...)` makes it before `__init__` runs."""
    return cls.__new__(cls)


facts.fresh(new_object)


@facts.result(new_object)
def _type_of_new(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    (cls,) = args
    if not isinstance(cls, Known):
        return TOP
    return without_items(cls.value) if base_of(cls.value) else Instance(cls.value)


# Stores as new versions of the heap, and the effects that they are when a program runs.
STORES = {
    attribute_stored: set_attribute,
    attribute_set: object.__setattr__,
    attribute_deleted: delete_attribute,
    class_stored: set_attribute,
}


_with_heap: IdentityTable[Function, Function] = IdentityTable()
# The variants whose inputs objects hold.
_holding: IdentityTable[Function, Function] = IdentityTable()


def with_heap(function: Function) -> Function:
    """The function with the heap as one more parameter, by keyword only."""
    known = _with_heap.of(function)
    if known is not None:
        return known
    if takes_heap(function):
        return function
    old = function.signature
    signature = Parameters(
        old.positional_only, old.positional, old.vararg, old.keyword_only + 1, old.kwarg
    )
    params = list(function.params)
    params.insert(len(params) - old.kwarg, Value(HEAP_NAME, HEAP))
    result = Function(
        function.name, params, function.captured, function.body, function.loc, signature,
        function.defaults, function.kwdefaults, function.globals, function.code,
        function.docstring, None if function.plain is None else with_heap(function.plain),
    )
    result.is_generated = function.is_generated
    result.updates, result.effects = function.updates, function.effects
    result.returned, result.changes = function.returned, function.changes
    _with_heap.note(function, result)
    return result


def with_held_inputs(function: Function) -> Function:
    """The variant of a function with the heap for inputs that objects hold, and it may change."""
    known = _holding.of(function)
    if known is not None:
        return known
    result = Function(**vars(function))
    result.inputs_are_held = True
    _holding.note(function, result)
    return result


def takes_heap(function: Function) -> bool:
    return any(param.name == HEAP_NAME for param in function.params)


def without_heap(kwargs: dict[str, Operand]) -> dict[str, Operand]:
    """The keyword arguments that the user's function is called with."""
    return {name: operand for name, operand in kwargs.items() if name != HEAP_NAME}


def is_heap(operand: Operand) -> bool:
    return not isinstance(operand, Const) and operand.type == HEAP
