"""The rule table: how a call of a known callable is differentiated.

A rule is a plain Python function of the callable's own arguments that returns the value and the
back function; compiler, tracker and tape all use it:

    @adjoint(np.multiply)
    def multiply(x, y):
        def back(z_bar):
            return unbroadcast(z_bar * conj(y), x), unbroadcast(z_bar * conj(x), y)
        return np.multiply(x, y), back

`back` returns one gradient per positional parameter; trailing parameters that have a default may
be left out, and None means "no gradient". A rule of one parameter may return the bare gradient.

A rule with a keyword parameter `pullback` is called at run time, and is given the function that
differentiates a call: `y, back = pullback(f, *args)`, where `back` returns the cotangents of `f`
and of the arguments. A substitute is a plain Python function that does what a callable written in C
does; its code is differentiated:

    @substitute(functools.reduce)
    def reduce(function, iterable, initial, /):
        for item in iterable:
            initial = function(initial, item)
        return initial

Where a callable has both, the rule is for calls without keyword arguments.

A stand-in is the same for those calls of a function that its rule doesn't cover, because they have
arguments for which the rule has no parameter:

    @stand_in(np.sum)
    def masked_sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=0, where=True):
        return np.sum(np.where(where, a, 0), axis, dtype, keepdims=keepdims, initial=initial)
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import types
from _thread import RLock  # the import of `threading` takes as long as seven modules here
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard, TypeVar

import numpy as np

from ir.record import record
from zyg.rules.index import HAVING_RULES, LATE, WITHOUT_MODULE, named
from zyg.signature import by_identity

Rule: TypeAlias = Callable[..., Any]
R = TypeVar("R", bound=Rule)
T = TypeVar("T")

_rules: dict[int, Rule] = {}
_constant: set[int] = set()
_substitutes: dict[int, Callable[..., Any]] = {}
# Those of class methods written in C, each of which is a new object whenever it is read.
_of_class_methods: dict[tuple[str, int], Callable[..., Any]] = {}
_stand_ins: dict[int, Callable[..., Any]] = {}
_stood_for: dict[int, Any] = {}  # by the code that stands for one callable
_beyond: dict[int, Callable[..., bool]] = {}
_choosing: dict[int, str] = {}
_ufunc_methods: dict[tuple[int, str], Callable[..., Any]] = {}
_alive: list[object] = []
_version = 0


def adjoint(*callees: object) -> Callable[[R], R]:
    """Registers a rule for one or several callables; a later rule replaces an earlier one."""
    for callee in callees:
        if not callable(callee) and not hasattr(callee, "__get__"):
            raise TypeError(f"@adjoint takes the functions that the rule is for, not {callee!r}")

    def register(rule: R) -> R:
        global _version
        for callee in callees:
            _rules[id(callee)] = rule
            _constant.discard(id(callee))
            _alive.append(callee)
            by_identity.add(id(callee))
        _version += 1
        return rule

    return register


def substitute(*callees: object) -> Callable[[R], R]:
    """Registers a plain Python function whose code is differentiated in the place of callables."""

    def register(function: R) -> R:
        global _version
        for callee in callees:
            if is_class_method(callee):
                _of_class_methods[callee.__qualname__, id(callee.__self__)] = function
                continue
            _substitutes[id(callee)] = function
            _constant.discard(id(callee))
            _alive.append(callee)
            by_identity.add(id(callee))
        _version += 1
        return function

    return register


def stand_in(*callees: object) -> Callable[[R], R]:
    """Registers plain Python code for calls with arguments that the callables' rule hasn't."""

    def register(function: R) -> R:
        for callee in callees:
            _stand_ins[id(callee)] = function
            _alive.append(callee)
        if len(callees) == 1:
            _stood_for[id(function.__code__)] = callees[0]
        return function

    return register


@record
class Unread:
    """An argument that is not known when code is made, but for its class."""

    cls: type | None


def goes_beyond(callee: object) -> Callable[[R], R]:
    """Registers a function of a call's arguments: whether they ask for more than the rule has.

    Then the stand-in serves. Arguments that aren't known when code is made are `Unread`.
    """

    def register(function: R) -> R:
        _beyond[id(callee)] = function
        return function

    return register


def of_ufuncs(method: str, *ufuncs: object, replace: bool = True) -> Callable[[R], R]:
    """Registers plain Python code for a method of ufuncs; the ufunc is its first argument."""

    def register(function: R) -> R:
        for ufunc in ufuncs:
            if replace or (id(ufunc), method) not in _ufunc_methods:
                _ufunc_methods[id(ufunc), method] = function
        return function

    return register


def method_of_ufunc(ufunc: object, method: str) -> Callable[..., Any] | None:
    """The Python code that stands for a method of a ufunc; None where there is none."""
    register_late("numpy")
    return _ufunc_methods.get((id(ufunc), method))


def constant(*callees: object) -> None:
    """Declares that results of these callables carry no derivative: shapes, comparisons, draws."""
    global _version
    for callee in callees:
        _constant.add(id(callee))
        _alive.append(callee)
        by_identity.add(id(callee))
    _version += 1


def chosen_by(keyword: str, *callees: object) -> None:
    """Declares that callables give what they are given, chosen or ordered by a keyword argument.

    What they give doesn't vary with that argument: `sorted(range(n), key=lambda i: x[i])`.
    """
    for callee in callees:
        _choosing[id(callee)] = keyword
        _alive.append(callee)


def without_choosing(callee: object, keywords: Mapping[str, T]) -> list[T]:
    """The keyword arguments that the results of a callable may vary with."""
    if not keywords:
        return []
    _look_for(callee)
    choosing = _choosing.get(id(callee))
    return [value for name, value in keywords.items() if name != choosing]


def share(callee: object, other: object) -> None:
    """Gives another callable the rule that one has been given by now, if any."""
    rule = _rules.get(id(callee))
    if rule is not None:
        adjoint(other)(rule)
    elif id(callee) in _constant:
        constant(other)


# Modules of the standard library whose functions give text, bytes, whole numbers and what belongs
# to the system: derivatives end there, as they do at `str`.
PLAIN_MODULES = frozenset([
    *("_csv", "_hashlib", "_io", "_md5", "_sha1", "_sha2", "base64", "binascii", "csv"),
    *("genericpath", "getpass", "glob", "hashlib", "io", "logging", "nt", "ntpath", "os"),
    *("pathlib", "platform", "posix", "posixpath", "pprint", "re", "shutil", "string", "tempfile"),
    *("textwrap", "time", "uuid", "warnings", "zlib"),
])


def is_of_plain_module(callee: object) -> bool:
    """Whether this is a function of such a module: what its code does concerns no derivative."""
    return _package(callee) in PLAIN_MODULES and is_constant(callee)


# These call functions that they are given.
CALLING_BACK = frozenset(["sub", "subn"])


def rule_of(callee: object) -> Rule | None:
    rule = _rules.get(id(callee))
    if rule is None and _look_for(callee):
        rule = _rules.get(id(callee))
    return rule


# The callables of which all modules of rules are registered, those without any among them.
_looked_for: set[int] = set()


def _look_for(callee: object) -> bool:
    """Registers what zyg has for a callable that wasn't looked for yet; whether it did."""
    key = id(callee)
    if key in _looked_for:
        return False
    if _is_known(key):
        _looked_for.add(key)
        # One of several modules with its rules may have been imported for another callable.
        modules = _modules_of(callee)
        _register(modules if len(modules) > 1 else ())
        return len(modules) > 1
    package = _package(callee)
    if package is None:
        if isinstance(callee, np.ufunc):
            register_imported()  # SciPy's, which a function may import where it is called
        return _is_known(key)
    if package not in HAVING_RULES and package not in PLAIN_MODULES:
        return False
    if _register_named(callee) and _is_known(key):
        return True
    if package in PLAIN_MODULES:
        name = getattr(callee, "__name__", None)
        if isinstance(callee, types.MethodType) or name in CALLING_BACK:
            return False
        _constant.add(key)
        _alive.append(callee)
        by_identity.add(key)
        return True
    if package in LATE:
        register_late(package)
    if not _is_known(key) and _stays(callee):
        _looked_for.add(key)
    return package in LATE


def _stays(callee: object) -> bool:
    """Whether a callable is a function of a module, so that no other one will get its identity."""
    if type(callee) is not types.FunctionType:
        return False
    return getattr(sys.modules.get(callee.__module__), callee.__name__, None) is callee


def _is_known(key: int) -> bool:
    return key in _constant or key in _rules or key in _substitutes


def _package(callee: object) -> str | None:
    """The module that the rules of a callable are found by; None where it doesn't say."""
    owner = callee if hasattr(callee, "__module__") else getattr(callee, "__objclass__", None)
    module = getattr(owner, "__module__", None)
    if module == "builtins":
        module = WITHOUT_MODULE.get(getattr(owner, "__name__", ""), module)
    if not isinstance(module, str):
        # NumPy's ufuncs say so since NumPy 2.
        is_numpys = isinstance(callee, np.ufunc) and getattr(np, callee.__name__, None) is callee
        return "numpy" if is_numpys else None
    package = _packages.get(module)
    if package is None:
        package = _packages[module] = _package_of(module)
    return package


# Of the modules of callables the ones that the tables know them under.
_packages: dict[str, str] = {}


def _package_of(module: str) -> str:
    # Functions of `numpy.lib._function_base_impl` belong to numpy, those of `numpy.random.mtrand`
    # to numpy.random, and with NumPy 1 those of `numpy.core._ufunc_config` and `numpy.lib.utils`.
    package = module.partition("._")[0].removesuffix(".utils")
    return package.removesuffix(".lib").removesuffix(".mtrand").removesuffix(".core")


def register_imported() -> None:
    """Registers the rules of those parts of SciPy that the program has imported.

    The ufuncs of `special` don't say where they come from; of the others is known what a call may
    overwrite.
    """
    for package in ("scipy.special", "scipy.linalg", "scipy.fft"):
        if package in sys.modules:
            register_late(package)



def register_own(*callees: object) -> None:
    """Registers zyg's rules for callables that are about to get one of the user's, which then
    replaces them."""
    for callee in callees:
        if not _is_known(id(callee)):
            _register_named(callee)


def _register_named(callee: object) -> bool:
    modules = _modules_of(callee)
    _register(modules)
    return bool(modules)


def _modules_of(callee: object) -> Sequence[str]:
    """The modules with the rules of a callable, by its name."""
    package = _package(callee)
    name = getattr(callee, "__qualname__", None) or getattr(callee, "__name__", None)
    return named(package, name) if package is not None and isinstance(name, str) else ()


def register_late(package: str) -> None:
    """Registers zyg's rules for a module of `LATE`; rules of the user's for it stay."""
    _register(LATE[package])


# A thread that asks for rules waits for another one that is registering them.
_registering = RLock()
_registered: set[str] = set()


def _register(modules: Sequence[str]) -> None:
    """Imports modules of rules; those that are registered already stay."""
    global _version
    if _registered.issuperset(modules):
        return
    with _registering:
        missing = [name for name in modules if name not in _registered]
        rules, substitutes, stand_ins = dict(_rules), dict(_substitutes), dict(_stand_ins)
        constants, version = set(_constant), _version
        for name in missing:
            importlib.import_module(f"zyg.rules.{name}")
        _rules.update(rules)
        _substitutes.update(substitutes)
        _stand_ins.update(stand_ins)
        _constant.update(constants)
        _constant.difference_update(rules, substitutes)
        _version = version  # no code was made for these functions before
        _registered.update(missing)


# The function that gives the gradient of another one; set by `zyg.api`.
gradient_function: Callable[[Any], Any]


def takes_pullback(rule: Rule) -> bool:
    """Whether a rule differentiates a function that it is given, by `pullback`."""
    return "pullback" in (getattr(rule, "__kwdefaults__", None) or ())


def is_solver(callee: object) -> bool:
    """Whether a callable is one of SciPy's that call back, which has zyg's own rule."""
    if type(callee) is not types.FunctionType or (
        not str(callee.__module__).startswith("scipy.")
    ):
        return False
    rule = rule_of(callee)
    return rule is not None and str(rule.__module__).startswith("zyg.") and takes_pullback(rule)


@functools.lru_cache(4096)
def count_of_required(rule: Rule) -> int:
    """How many gradients the back function of a rule gives at least: those of the arguments
    without default."""
    return sum(
        parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        for parameter in inspect.signature(rule).parameters.values()
    )


def is_listed(callee: object) -> bool:
    """Whether there are rules for a callable, or for others of its name; imports nothing."""
    return _is_known(id(callee)) or bool(_modules_of(callee))


def substitute_of(callee: object) -> Callable[..., Any] | None:
    found = _substitutes.get(id(callee))
    if found is None and is_class_method(callee):
        _register(("class_methods",))
        return _of_class_methods.get((callee.__qualname__, id(callee.__self__)))
    if found is None and _look_for(callee):
        found = _substitutes.get(id(callee))
    return found


def is_class_method(callee: object) -> TypeGuard[types.BuiltinMethodType]:
    """Whether a callable is a class method written in C, as `dict.fromkeys`."""
    return type(callee) is types.BuiltinMethodType and isinstance(callee.__self__, type)


def stand_in_of(
    callee: object, args: Sequence[T], keywords: Mapping[str, T],
    read: Callable[[T], Any] = lambda arg: arg,
) -> Callable[..., Any] | None:
    """The Python code that stands for a call with these arguments, if the rule isn't for it.

    `read` gives what is known of an argument. The code for a ufunc takes it as the first one.
    """
    rule = rule_of(callee)
    if rule is None:
        return None
    if covers(rule, len(args), keywords):
        beyond = _beyond.get(id(callee))
        if beyond is None:
            return None
        if not beyond(*map(read, args), **{name: read(arg) for name, arg in keywords.items()}):
            return None
    package = _package_of(str(getattr(callee, "__module__", None)))
    register_late(package if package in LATE else "numpy")
    return _stand_ins.get(id(callee))


def stood_for(code: object) -> Any:
    """The callable that a function with this code stands for in some calls, if it does."""
    return _stood_for.get(id(code))


def has_stand_in(callee: object) -> bool:
    """Whether some calls of a callable are other Python code, as far as that is registered."""
    return id(callee) in _stand_ins


def covers(rule: Rule, count: int, keywords: Collection[str]) -> bool:
    """Whether a rule has parameters for so many positional arguments and for these keywords."""
    code = getattr(rule, "__code__", None)
    if code is None:
        return True
    positional = code.co_argcount
    if count > positional and not code.co_flags & inspect.CO_VARARGS:
        return False
    if code.co_flags & inspect.CO_VARKEYWORDS:
        return True
    named = code.co_varnames[code.co_posonlyargcount : positional + code.co_kwonlyargcount]
    return all(name in named for name in keywords)


def is_beyond(callee: object) -> bool:
    """Whether some calls of a callable, by what their arguments are, ask for more than its rule
    has."""
    return id(callee) in _beyond


def is_constant(callee: object) -> bool:
    return id(callee) in _constant or (_look_for(callee) and id(callee) in _constant)


def outdate() -> None:
    """Has all code made anew at its next call: what it was made for is no longer so."""
    global _version
    _version += 1


def version() -> int:
    """Grows with each registration, so that generated code can tell that it is out of date."""
    return _version
