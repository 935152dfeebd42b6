"""What is known about callables and classes: the one registry that passes consult.

`ir` registers what it knows of the standard library; other packages add to it:

    facts.pure(np.sin)                      no side effect, result depends on arguments only
    facts.result(np.sin)(lambda args, kwargs: ...)       the type of a call from argument types
    facts.fold(unbroadcast)(lambda call: ...)            a call that is simpler for these types
    facts.abstraction(np.ndarray)(lambda array: ...)     the type of a value at hand
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import partial
from importlib import import_module
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any, TypeAlias, TypeVar

from ir.core import Call, Const
from ir.types import TOP, Instance, Type, class_of, members_of

ResultOf: TypeAlias = Callable[[tuple[Type, ...], dict[str, Type]], Type]
F = TypeVar("F", bound=Callable[..., Any])

# What operators refuse where it meets a number.
NO_NUMBERS = frozenset({type(None), str, bytes})
_pure: set[int] = set()
_total: set[int] = set()
_of_numbers: set[int] = set()
_fresh: set[int] = set()
_fresh_when: dict[int, Callable[[Call], bool]] = {}
_joining: set[int] = set()
_metadata: set[int] = set()
_effects: set[int] = set()
_unseen: set[int] = set()
_is_object: list[Callable[[type], bool]] = []
_is_opaque: list[Callable[[type], bool]] = []
_buffer: set[int] = set()
_passing: set[int] = set()
_uncaught: list[type[BaseException]] = []
_views: dict[int, Callable[..., Any]] = {}
_at_times: set[int] = set()
_immutable: list[type] = []
_fixed: list[Callable[[object], bool]] = []
_arrays: list[type] = []
_may_store: list[Callable[..., Any]] = []
_helper_modules: list[str] = []
_quiet: dict[int, Callable[..., Any]] = {}
_results: dict[int, ResultOf] = {}
_makers: dict[int, Callable[[Any], ResultOf]] = {}  # what makes the rule of a callable
_of_modules: dict[str | int, Callable[[], object]] = {}  # what declares their facts
_folds: dict[int, Callable[..., Any]] = {}
_abstractions: dict[type, Callable[[Any], Type]] = {}
_items: dict[type, Callable[[Any], Type]] = {}
_attributes: dict[type, Callable[[Any, str], Type]] = {}
_alive: list[object] = []


def _mark(marks: set[int], callees: Iterable[object]) -> None:
    callees = list(callees)
    marks.update(map(id, callees))
    _alive.extend(callees)


def pure(*callees: object) -> None:
    """Calls have no side effect, and equal arguments give equal results."""
    _mark(_pure, callees)


def total(*callees: object) -> None:
    """Pure, and for arguments of a known numeric type a call raises nothing but shape errors."""
    _mark(_pure, callees)
    _mark(_total, callees)


def of_numbers(*callees: object) -> None:
    """Total functions of numbers that raise TypeError where one of these is None or a text."""
    _mark(_total, callees)
    _mark(_pure, callees)
    _mark(_of_numbers, callees)


def fresh(*callees: object, when: Callable[[Call], bool] | None = None) -> None:
    """An array that such a call returns shares no memory with anything."""
    _mark(_fresh, callees)
    if when is not None:
        _fresh_when.update((id(callee), when) for callee in callees)


def joining(*callees: object) -> None:
    """Takes arrays in a list or tuple as its first argument, and keeps neither."""
    _mark(_joining, callees)


def passing(*managers: object) -> None:
    """Classes of context managers, or functions that make them, that suppress no exception."""
    _mark(_passing, managers)


def never_suppresses(manager: object) -> bool:
    """Whether `manager(...)` is known to let exceptions pass; by its code, where it is Python's."""
    if id(manager) in _passing:
        return True
    leave = getattr(manager, "__exit__", None) if isinstance(manager, type) else None
    return isinstance(leave, FunctionType) and not _may_return_true(leave.__code__)


def _may_return_true(code: CodeType) -> bool:
    from dis import get_instructions  # which few programs need

    before: object = None
    for instruction in get_instructions(code):
        if instruction.opname == "RETURN_CONST" and instruction.argval:
            return True
        if instruction.opname == "RETURN_VALUE" and before not in (None, False):
            return True
        before = instruction.argval if instruction.opname == "LOAD_CONST" else code
    return bool(code.co_flags & (0x20 | 0x80 | 0x200))


def uncaught(*errors: type[BaseException]) -> None:
    """Exceptions of the compiler's own, which handlers of the program must not see."""
    _uncaught.extend(errors)


def uncaught_among(catches: Iterable[object]) -> list[type[BaseException]]:
    """The compiler's own exceptions that an `except` of these would catch; None: of any class."""
    classes: list[object] = []
    for cls in catches:
        classes += cls if isinstance(cls, tuple) else [cls]

    def is_hit(error: type[BaseException]) -> bool:
        kinds = [error, *_subclasses(error)]
        return any(
            not isinstance(cls, type) or any(issubclass(kind, cls) for kind in kinds)
            for cls in classes
        )

    return [error for error in _uncaught if is_hit(error)]


def _subclasses(cls: type) -> list[type]:
    found: list[type] = list(cls.__subclasses__())
    return found + [inner for derived in found for inner in _subclasses(derived)]


def buffer(*callees: object) -> None:
    """Makes new memory that will be written into: two such calls are never the same."""
    _mark(_fresh, callees)
    _mark(_pure, callees)
    _mark(_buffer, callees)


def is_buffer(callee: object) -> bool:
    return id(callee) in _buffer


def quiet(*callees: object) -> Callable[[F], F]:
    """Declares for which argument types a call raises nothing but shape errors."""

    def register(predicate: F) -> F:
        for callee in callees:
            _quiet[id(callee)] = predicate
            _alive.append(callee)
        return predicate

    return register


def quiet_of(callee: object) -> Callable[[tuple[Type, ...]], bool] | None:
    return _quiet.get(id(callee))


def view(*callees: object) -> Callable[[F], F]:
    """Declares for which calls the result is certainly a view of the first operand: memory that
    `callee(operand, ...)` reaches again, and nothing but that."""

    def register(predicate: F) -> F:
        for callee in callees:
            _views[id(callee)] = predicate
            _alive.append(callee)
        return predicate

    return register


def is_view(call: Any) -> bool:
    """Whether a `Call` of a known callee gives a view of its first operand."""
    predicate = _views.get(id(call.callee.value))
    return predicate is not None and bool(predicate(call))


def copies_at_times(*callees: object) -> None:
    """Their results are views where that is possible, and copies elsewhere."""
    _mark(_at_times, callees)


def may_copy(callee: object) -> bool:
    return id(callee) in _at_times


def storing_copies(*classes: type) -> None:
    """Storing into an instance of these classes copies, and `+=` writes into it: arrays."""
    _arrays.extend(classes)


def copies_items(cls: type) -> bool:
    return cls in _arrays


def fixed(predicate: Callable[[object], bool]) -> None:
    """Declares of which objects methods are looked up when code is generated: those of libraries
    whose classes nobody changes."""
    _fixed.append(predicate)


def is_fixed(value: object) -> bool:
    return any(predicate(value) for predicate in _fixed)


def kinds(may_store: F) -> F:
    """Declares when numbers of the second type fit into an array of the first one as they are."""
    _may_store.append(may_store)
    return may_store


def same_kind(items: Type, value: Type) -> bool:
    """Whether storing a value into an array can't change its kind."""
    return any(may_store(items, value) for may_store in _may_store)


def immutable(*classes: type) -> None:
    """Instances of these classes never change."""
    _immutable.extend(classes)


def opaque(predicate: Callable[[type], bool]) -> None:
    """Declares which classes have objects that nothing of a program is held by: what changes in
    them is theirs, and they are read by calls alone that aren't repeated."""
    _is_opaque.append(predicate)


def is_opaque(cls: type) -> bool:
    return any(predicate(cls) for predicate in _is_opaque)


def objects(predicate: Callable[[type], bool]) -> None:
    """Declares which classes have objects whose contents are attributes."""
    _is_object.append(predicate)


def is_object(cls: type) -> bool:
    return any(predicate(cls) for predicate in _is_object)


def is_immutable(cls: type) -> bool:
    return issubclass(cls, tuple(_immutable))


def metadata(*callees: object) -> None:
    """Pure, cheap, and the result is small whatever the size of the argument: shapes, dtypes."""
    _mark(_pure, callees)
    _mark(_metadata, callees)


def is_pure(callee: object) -> bool:
    return id(callee) in _pure or (_declared(callee) and id(callee) in _pure)


def helpers(module_prefix: str) -> None:
    """The Python functions of these modules are pure: they are what generated code is made of."""
    _helper_modules.append(module_prefix)


def effect(*callees: object) -> None:
    """Helpers that change something, so that a call is never left out."""
    _mark(_effects, callees)


def has_effect(callee: object) -> bool:
    return id(callee) in _effects


def changes_unseen(*callees: object) -> None:
    """Helpers that may change memory which they aren't given, as what objects hold."""
    _mark(_unseen, callees)


def may_change_unseen(callee: object) -> bool:
    return id(callee) in _unseen or bool(getattr(callee, "works_on_objects", False))


def is_helper(callee: object) -> bool:
    return is_helper_module(getattr(callee, "__module__", None))


def is_helper_module(name: object) -> bool:
    return isinstance(name, str) and name.startswith(tuple(_helper_modules))


def is_total(callee: object, operands: Iterable[Type]) -> bool:
    """Whether a call raises nothing but shape errors, as far as None and texts decide that."""
    if id(callee) not in _of_numbers:
        return id(callee) in _total
    return not any(
        class_of(member) in NO_NUMBERS for operand in operands for member in members_of(operand)
    )


def is_joining(callee: object) -> bool:
    return id(callee) in _joining


def is_fresh(call: Call) -> bool:
    """Whether what a call returns shares no memory with anything."""
    callee = call.callee.value if isinstance(call.callee, Const) else None
    return is_always_fresh(callee) or (id(callee) in _fresh and _fresh_when[id(callee)](call))


def is_always_fresh(callee: object) -> bool:
    """The same for any operands."""
    return id(callee) in _fresh and id(callee) not in _fresh_when


def is_metadata(callee: object) -> bool:
    return id(callee) in _metadata


def result(*callees: object) -> Callable[[ResultOf], ResultOf]:
    """Declares the type of a call: a function of the argument types and keyword types."""

    def register(result_of: ResultOf) -> ResultOf:
        for callee in callees:
            _results[id(callee)] = result_of
            _alive.append(callee)
        return result_of

    return register


def result_made_by(maker: Callable[[Any], ResultOf], *callees: object) -> None:
    """Declares the types of calls by what makes the rule of each callable, when it is first asked
    for: of the functions of NumPy, a program calls few."""
    for callee in callees:
        _makers[id(callee)] = maker
        _results.pop(id(callee), None)
    _alive.extend(callees)


def of_module(*names: str) -> Callable[[F], F]:
    """Has the facts of these modules' callables declared when one of them is first asked for.

    The methods of a class of C are those of a module of its name: `builtins.str`.
    """

    def register(declare: F) -> F:
        _of_modules.update(dict.fromkeys(names, declare))
        return declare

    return register


def late(module_of_facts: str, *callees: object) -> None:
    """Has a module that declares the facts of these callables, or of those of the modules of these
    names, imported when one of them is first asked for that has none."""
    declare = partial(import_module, module_of_facts)
    _of_modules.update(
        (callee if isinstance(callee, str) else id(callee), declare) for callee in callees
    )
    _alive.extend(callees)


def _made(callee: object) -> ResultOf | None:
    """The rule of a callable, if it is one that is made when it is asked for."""
    maker = _makers.get(id(callee))
    if maker is None:
        return None
    return _results.setdefault(id(callee), maker(callee))


def _declared(callee: object) -> bool:
    """Whether the facts of the module of a callable are of those that are declared late."""
    if id(callee) in _of_modules:
        return _declared_by_itself(callee)
    owner = getattr(callee, "__objclass__", None)
    if owner is None:
        module = getattr(callee, "__module__", "")
    else:
        module = f"{owner.__module__}.{owner.__name__}"
    declare = _of_modules.get(module)
    if declare is None:
        return False
    declare()
    _of_modules.pop(module, None)
    return True


def _declared_by_itself(callee: object) -> bool:
    declare = _of_modules.get(id(callee))
    if declare is not None:
        declare()  # waits, where another thread is at it
        _of_modules.pop(id(callee), None)
    return True


def result_of(callee: object) -> ResultOf | None:
    found = _results.get(id(callee)) or _made(callee)
    if found is None and _declared(callee):
        found = _results.get(id(callee)) or _made(callee)
    return found


def fold(*callees: object) -> Callable[[F], F]:
    """Declares a simplification: takes a `Call`, gives an operand, a `Call` or None.

    The operands have types; the results don't have theirs yet.
    """

    def register(simplify: F) -> F:
        for callee in callees:
            _folds[id(callee)] = simplify
            _alive.append(callee)
        return simplify

    return register


def fold_of(callee: object) -> Callable[..., Any] | None:
    if id(callee) in _of_modules:
        _declared_by_itself(callee)
    return _folds.get(id(callee))


def abstraction(*classes: type) -> Callable[[F], F]:
    """Declares how an instance of exactly these classes becomes a type."""

    def register(abstract: F) -> F:
        for cls in classes:
            _abstractions[cls] = abstract
        return abstract

    return register


def abstraction_of(cls: type) -> Callable[[Any], Type] | None:
    return _abstractions.get(cls)


def abstract(value: object) -> Type:
    """The type of a value at hand."""
    find = _abstractions.get(type(value))
    return find(value) if find is not None else Instance(type(value))


def items(kind: type[Type]) -> Callable[[F], F]:
    """Declares what iterating over a value of this kind of type gives."""

    def register(item_of: F) -> F:
        _items[kind] = item_of
        return item_of

    return register


def item_of(type_: Type) -> Type:
    find = _items.get(type(type_))
    return find(type_) if find is not None else TOP


def attributes(kind: type[Type]) -> Callable[[F], F]:
    """Declares the types of attributes of values of this kind of type."""

    def register(attribute_of: F) -> F:
        _attributes[kind] = attribute_of
        return attribute_of

    return register


def attribute_of(type_: Type, name: str) -> Type:
    find = _attributes.get(type(type_))
    return find(type_, name) if find is not None else TOP


def descriptor_of(type_: Type, name: str) -> object | None:
    """What computes an attribute of a value of built-in class, as `np.ndarray.T`: calling it with
    the value is reading the attribute. None for methods, and where nothing is known.
    """
    cls = class_of(type_)
    if cls is None or attribute_of(type_, name) == TOP:
        return None
    owner = next((base for base in cls.__mro__ if name in vars(base)), None)
    member = None if owner is None else vars(owner)[name]
    return member if isinstance(member, GetSetDescriptorType | MemberDescriptorType) else None


def hashable(value: object) -> bool:
    return isinstance(value, Hashable)
