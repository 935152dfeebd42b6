"""Classes that derive from Python's containers, and leave to these what they hold.

    class Params(dict):          Params(w=1.0)      Mapping(Params, str, float)
        def total(self): ...

An instance is a value, as a dict is: known by its contents, not by its identity as objects are. A
class that says itself how items are read, stored or walked over is none of these.
"""

from __future__ import annotations

import operator
import types
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from typing import Any

from ir import facts
from ir.forgettable import forgettable
from ir.types import (
    BOTTOM,
    TOP,
    Dict,
    Instance,
    Known,
    Mapping,
    NamedTuple,
    Sequence,
    Tuple,
    Type,
    any_keys,
    class_of,
    join_all,
    widen,
)

BASES: tuple[type, ...] = (list, deque, OrderedDict, defaultdict, Counter, dict, tuple)
HEAP_TYPE = 1 << 9  # in `__flags__`: made by a class statement
# What a class may have of its own: how it is made and shown, attributes, and operators that give
# something else. All other names of its base say what it holds, or change that.
_FREE = frozenset(
    """
    __init__ __doc__ __repr__ __str__ __format__ __class_getitem__ __init_subclass__ __hash__
    __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __add__ __mul__ __rmul__ __or__ __ror__ __sub__
    __and__ __neg__ __pos__ __setattr__ __delattr__ __reduce__ __reduce_ex__ __sizeof__ __dir__
    __class__ __subclasshook__ copy __copy__ __module__ __static_attributes__ __firstlineno__
    __annotations__ __dict__ __weakref__ __slots__
    """.split()
)


# The methods of containers that a derived class can't replace, as what Python calls them for.
SLOTS: dict[str, Any] = {
    "__getitem__": operator.getitem, "__setitem__": operator.setitem,
    "__delitem__": operator.delitem, "__contains__": operator.contains, "__len__": len,
    "__iter__": iter, "__reversed__": reversed, "__iadd__": operator.iadd,
    "__imul__": operator.imul, "__ior__": operator.ior,
}
_INIT = (list.__init__, dict.__init__)


# Packages whose classes are known by rules, and not looked into.
known_by_rules: set[str] = set()


def is_made(cls: type) -> bool:
    """Whether a class was made by a class statement that may be looked into."""
    if not cls.__flags__ & HEAP_TYPE:
        return False
    return cls.__module__.partition(".")[0] not in known_by_rules


@forgettable(maxsize=4096)
def base_of(cls: type) -> type | None:
    """The container that instances of a user's class are, with its methods; None if they are none,
    or if the class changes what items are."""
    if not is_made(cls) or cls in BASES or type(cls).__call__ is not type.__call__:
        return None
    base = next((base for base in cls.__mro__ if base in BASES), None)
    if base is None:
        return None
    own = _names_below(cls, base)
    if _changes_items(own, base) or ("_fields" in own and not is_named_tuple(cls)):
        return None
    # What these copy themselves by is their class, with the arguments that their base takes.
    if base not in (list, dict) and "__init__" in own:
        return None
    return base


def _names_below(cls: type, base: type) -> set[str]:
    """The names that a class, and those between it and one of its bases, give something."""
    return {name for above in cls.__mro__[: cls.__mro__.index(base)] for name in vars(above)}


def _changes_items(own: set[str], base: type) -> bool:
    """Whether a class with these names of its own says itself what items are."""
    if base is tuple:
        own = own - {"__new__", "__getnewargs__"}
    return bool(own & (set(dir(base)) - _FREE)) or "__missing__" in own


def is_named_tuple(cls: Any) -> bool:
    """Whether calling this class does no more than to make a NamedTuple, with items as a tuple has
    them."""
    if not isinstance(cls, type) or not issubclass(cls, tuple) or not hasattr(cls, "_fields"):
        return False
    maker = next(base for base in cls.__mro__ if "__new__" in base.__dict__)
    is_generated = "_tuple_new" in getattr(cls.__new__, "__globals__", ())
    if not is_generated or cls.__init__ is not object.__init__:
        return False
    # What the generated `__new__` takes, and the generated methods make, is said where it stands.
    is_own = any(found_in(cls, name) is not vars(maker).get(name) for name in _OF_MAKER)
    return not is_own and not _changes_items(_names_below(cls, tuple), tuple)


_OF_MAKER = "_fields", "_field_defaults", "_make"


_METHODS = namedtuple("_METHODS", "field")
_Field = type(vars(_METHODS)["field"])


def place_of_field(cls: type, name: str) -> int | None:
    """The place of an item of a NamedTuple that has a name; None for other attributes.

    A class that derives from it may use the name for something of its own.
    """
    found = found_in(cls, name)
    if isinstance(found, _Field):
        _, (place, *_) = found.__reduce__()
        return int(place)
    fields: tuple[str, ...] = getattr(cls, "_fields", ())
    is_known = issubclass(cls, tuple) and not is_made(cls)  # SciPy's have properties
    return fields.index(name) if is_known and name in fields else None


_GENERATED = {vars(_METHODS)[name].__code__ for name in ("_replace", "_asdict")}


def is_method_of_named(found: Any) -> bool:
    """Whether a function is `_replace` or `_asdict`, as every NamedTuple is given one."""
    return getattr(found, "__code__", None) in _GENERATED


def container_class(type_: Type) -> type | None:
    """The class of a value, or the container that it derives from."""
    cls = class_of(type_)
    return None if cls is None else base_of(cls) or cls


def is_derived(type_: Type) -> bool:
    cls = class_of(type_)
    return cls is not None and base_of(cls) is not None


def is_asked(type_: Type) -> bool:
    """Whether operators ask a class for its own methods, for values of this type; of a class, for
    what answers `cls[key]`."""
    is_class = isinstance(type_, Known) and isinstance(type_.value, type)
    return is_class or isinstance(type_, Instance) or is_derived(type_)


def found_in(cls: type, name: str) -> Any:
    """What a class says about a name, before it is bound to an object; None if nothing."""
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


def callable_of(found: Any) -> Any:
    """What is called for a function that a class has under a name; None for other values."""
    if isinstance(found, types.WrapperDescriptorType):
        return found if found in _INIT else SLOTS.get(found.__name__)
    is_method = isinstance(found, types.FunctionType | types.MethodDescriptorType)
    return found if is_method else None


def replaces(cls: type, name: str) -> bool:
    """Whether a class that derives from a container has code of its own for one of its methods."""
    if not is_made(cls) or not issubclass(cls, BASES):
        return False
    return isinstance(found_in(cls, name), types.FunctionType) and cls is not Counter


def derived(cls: Any, items: Any) -> Any:
    """`cls(items)`, for a container that is new, and of the class that `cls` derives from."""
    if isinstance(items, deque):
        return cls(items, items.maxlen)
    if isinstance(items, defaultdict):
        return cls(items.default_factory, items)
    return tuple.__new__(cls, items) if isinstance(items, tuple) else cls(items)


def has_attributes_beside(value: Any) -> bool:
    """Whether attributes of a value stand beside what it is, a list or a number of a class of the
    user's: there is no place for them in its cotangent."""
    if not is_made(type(value)) or not isinstance(value, (*BASES, *_ATOMS)):
        return False
    return not is_named_tuple(type(value)) and getattr(value, "__dict__", None) is not value


_ATOMS = int, float, complex, str, bytes


@forgettable(maxsize=4096)
def is_of_users(cls: type) -> bool:
    """Whether a class of the user's derives from a container, whatever it changes of that."""
    is_container = is_made(cls) and issubclass(cls, BASES)
    return is_container and cls not in BASES and not is_named_tuple(cls)


def copied(items: Any, copy: Callable[[Any], Any]) -> Any:
    """A container of the same class with copies of the items, past the code that the class has."""
    cls: type = type(items)
    base = next(base for base in cls.__mro__ if base in BASES)
    if base is tuple:
        made: Any = tuple.__new__(cls, map(copy, tuple.__iter__(items)))
    elif issubclass(base, dict):
        made = base.__new__(cls)
        if base is defaultdict:
            made.default_factory = items.default_factory
        for key, item in base.items(items):
            base.__setitem__(made, key, copy(item))
    else:
        made = base.__new__(cls)
        walk: Any = list.__iter__ if base is list else deque.__iter__
        given = [copy(item) for item in walk(items)]
        list.__init__(made, given) if base is list else deque.__init__(made, given, items.maxlen)
    attributes = getattr(items, "__dict__", None)
    if attributes is items:
        made.__dict__ = made
    elif attributes:
        made.__dict__.update(attributes)
    return made


def underived(items: Any) -> Any:
    """What an instance of a derived class holds, in the container that its class derives from; a
    NamedTuple holds no more, and stays what it is."""
    cls: type = type(items)
    base = None if is_named_tuple(cls) else base_of(cls)
    if base is deque:
        return deque(items, items.maxlen)
    if base is defaultdict:
        return defaultdict(items.default_factory, items)
    return items if base is None else base(items)


@facts.result(derived)
def _type_of_derived(args: tuple[Type, ...], kwargs: dict[str, Type]) -> Type:
    cls, items = args
    if not isinstance(cls, Known):
        return TOP
    return as_class(cls.value, items)


def as_class(cls: type, items: Type) -> Type:
    """The type of an instance of a derived class that holds what a value of its base holds."""
    items = any_keys(items) if isinstance(items, Dict) else widen(items)
    match items:
        case Tuple(parts):
            return NamedTuple(cls, join_all(parts), parts)
        case Sequence(item=item):
            return Sequence(cls, item)
        case Mapping(_, key, item, factory):
            return Mapping(cls, key, item, factory)
        case _:
            is_mapping = issubclass(cls, dict)
            return Mapping(cls, TOP, TOP) if is_mapping else Sequence(cls, TOP)


def without_items(cls: type) -> Type:
    """The type of an instance of a derived class before `__init__` has run."""
    if issubclass(cls, dict):
        return Mapping(cls, BOTTOM, BOTTOM)
    return Sequence(cls, BOTTOM)


facts.fresh(derived)


@facts.quiet(derived)
def _makes_tuple(types_: tuple[Type, ...]) -> bool:
    return isinstance(types_[1], Tuple)
