"""The user's functions as code that runs on traced values.

    def residual(x):                        np.zeros gives an array that takes traced values,
        r = np.zeros(len(x))                math.sin a traced number, and functions of the user's
        r[0] = math.sin(x[0])               that are called run in the same way
"""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from zyg.rebinding import PACKAGES, Dispatching, Module, Rebinding
from zyg.rules import registry
from zyg.rules.hooks import isderiving
from zyg.sparsity.constant_matrices import ConstantMatrix, is_sparse_matrix
from zyg.sparsity.left_behind import settle
from zyg.sparsity.propagation import CHANGES, CONVERSIONS, NEW_ARRAYS, Run
from zyg.sparsity.traced import Traced, holds_traced, plain, traced_in
from zyg.sparsity.user_classes import (
    Stores,
    has_only_a_dict,
    may_have_twin,
    twin_of_class,
    twin_of_object,
)
from zyg.wrapped_values import ATOMS

_ALWAYS = NEW_ARRAYS | CONVERSIONS | CHANGES
_LEFT_ALONE = frozenset([*sys.stdlib_module_names, *PACKAGES, "ir"]) - {"__main__"}


class UserCode(Rebinding):
    """A rebinding that follows all functions written in Python, but for those of libraries."""

    def __init__(self, run: Run) -> None:
        super().__init__(holds_traced, plain, run.call)
        self._run = run
        self._made: dict[Any, Any] = {}
        self._objects: dict[int, tuple[Any, Any]] = {}  # beside each, its twin
        self._cells: dict[int, tuple[types.CellType, types.CellType]] = {}  # beside each, its twin
        self._filled: set[int] = set()
        self._stores = Stores()
        self._builtins.update(float=_conversion(float, run), complex=_conversion(complex, run))
        run.rebound = self.rebound

    def rebound(self, function: Any) -> Any:
        if isinstance(function, types.MethodType):
            return types.MethodType(self.rebound(function.__func__), function.__self__)
        if isinstance(function, functools.partial):
            args = tuple(map(self.converted, function.args))
            return functools.partial(self.converted(function.func), *args, **function.keywords)
        if not isinstance(function, types.FunctionType) or self._is_made_here(function):
            return function
        if function not in self._made:
            names = function.__code__.co_freevars
            # What `super()` asks for stays the class that the method was written in.
            cells = tuple(
                cell if name == "__class__" else self._twin_of_cell(cell)
                for name, cell in zip(names, function.__closure__ or (), strict=True)
            )
            twin = types.FunctionType(
                function.__code__, self._globals_of(function), function.__name__,
                function.__defaults__, cells or None,
            )  # fmt: skip
            twin.__kwdefaults__ = function.__kwdefaults__
            twin.__module__ = function.__module__
            twin.__dict__.update(function.__dict__)
            self._made[function] = twin  # before its cells: it may be in one of them
            for name, cell in zip(names, function.__closure__ or (), strict=True):
                if name != "__class__":
                    self._fill(cell)
        return self._made[function]

    def _twin_of_cell(self, cell: types.CellType) -> types.CellType:
        """A variable that all functions share whose originals do."""
        return self._cells.setdefault(id(cell), (cell, types.CellType()))[1]

    def _fill(self, original: types.CellType) -> None:
        if id(original) in self._filled:
            return
        self._filled.add(id(original))
        try:
            self._cells[id(original)][1].cell_contents = self.converted(original.cell_contents)
        except ValueError:
            return  # empty as yet

    def _is_made_here(self, function: types.FunctionType) -> bool:
        """Whether a function is a twin, or was made by one."""
        return any(function.__globals__ is names for names in self._twins.values())

    def _globals_of(self, function: types.FunctionType) -> dict[str, Any]:
        """The globals of a module: those that functions of it read which have a twin."""
        original = function.__globals__
        found = self.twin_of_names(original)
        for name in _names_in(function.__code__):
            if name in original and name not in found:
                found[name] = original[name]  # in case that what is converted reads it
                found[name] = self.converted(original[name])
        return found

    def twin_of_names(self, original: dict[str, Any]) -> dict[str, Any]:
        """What stands for the globals of a module: the names that were read or stored so far."""
        found = self._twins.get(id(original))
        if found is None:
            found = self._twins[id(original)] = dict(self._builtins)
            found["__builtins__"] = self._with_imports(original["__builtins__"])
            found["__name__"] = original.get("__name__")
        return found

    def _with_imports(self, builtins: Any) -> dict[str, Any]:
        """The builtins of a module, in which `import` gives what takes traced values."""
        content = builtins if isinstance(builtins, dict) else vars(builtins)

        def import_(*args: Any, **kwargs: Any) -> Any:
            return self.converted(content["__import__"](*args, **kwargs))

        return {**content, "__import__": import_}

    def converted(self, value: Any) -> Any:
        if type(value) is Traced or type(value) in ATOMS:
            return value
        if type(value) is tuple:
            items = tuple(map(self.converted, value))
            changed = any(a is not b for a, b in zip(items, value, strict=True))
            return items if changed else value
        if isinstance(value, types.FunctionType):
            package = str(value.__module__ or "").partition(".")[0]
            if value is importlib.import_module:
                return lambda *args: self.converted(importlib.import_module(*args))
            if value is isderiving:
                return lambda: True  # the pattern is that of the derivative
            if value.__module__ == "zyg.flattening":
                return self.rebound(value)
            if registry.rule_of(value) is not None or registry.is_constant(value):
                return Dispatching(value, self)
            if package == "zyg" and getattr(zyg_module(), value.__name__, None) is value:
                return _Refusing(value, self._run)
            return value if package in _LEFT_ALONE else self.rebound(value)
        if isinstance(value, (types.MethodType, functools.partial)):
            return self.rebound(value)
        if isinstance(value, types.ModuleType):
            package = value.__name__.partition(".")[0]
            if value is sys:
                return _System(self)
            if package in PACKAGES or value is importlib:
                return Module(value, self)
            return value if package in _LEFT_ALONE else _UserModule(value, self)
        if isinstance(value, type) and _is_followed(value) and may_have_twin(value):
            return self._twin_of_class(value)
        if type(value) in self._made or _is_followed(type(value)):
            return self._twin_of_object(value)
        if is_sparse_matrix(value):
            return ConstantMatrix(value)
        if isinstance(value, np.ufunc):
            return _Ufunc(value, self)
        try:
            is_made_here = value in _ALWAYS
        except (TypeError, ValueError):
            is_made_here = False  # no hash, or an array
        return _Always(value, self._run) if is_made_here else super().converted(value)

    def _twin_of_class(self, cls: Any) -> Any:
        if cls not in self._made:
            self._made[cls] = cls  # its methods may name it
            twin = twin_of_class(cls, _is_followed, self.converted, self._stores)
            self._made[cls] = self._made[twin] = twin
        return self._made[cls]

    def _twin_of_object(self, x: Any) -> Any:
        cls = type(x)
        if self._made.get(cls) is cls or not (may_have_twin(cls) and has_only_a_dict(x)):
            return x  # it has been made by a twin, or holds what a second object can't share
        if id(x) not in self._objects:
            self._objects[id(x)] = x, twin_of_object(x, self._twin_of_class(cls))
        return self._objects[id(x)][1]

    def settle(self) -> None:
        """Takes what the run has stored in classes back, and traced values out of what objects and
        containers hold."""
        self._stores.take_back()
        originals = {
            id(twin): cls for cls, twin in self._made.items()
            if isinstance(cls, type) and cls is not twin
        }
        names = [value for twin in self._twins.values() for value in list(twin.values())]
        objects = [x for x, _ in self._objects.values()]
        settle(
            [*names, *objects, *self._made], _is_followed,
            lambda cls: originals.get(id(cls), cls),
        )

    def _type(self, x: Any) -> Any:
        return self.converted(super()._type(x))


def _is_followed(cls: type) -> bool:
    """Whether a class is the user's, and is called as what it is."""
    package = str(cls.__module__ or "").partition(".")[0]
    return not (package == "zyg" or package in _LEFT_ALONE or registry.rule_of(cls) is not None)


def zyg_module() -> types.ModuleType:
    return sys.modules["zyg"]


def _names_in(code: types.CodeType) -> set[str]:
    """The names that code and the functions in it may look up."""
    inner = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return set(code.co_names).union(*map(_names_in, inner))


class _UserModule:
    """A module of the user's, whose names are those that its functions read and store."""

    def __init__(self, module: types.ModuleType, code: UserCode) -> None:
        vars(self).update(_module=module, _code=code)

    def __getattr__(self, name: str) -> Any:
        names = self._code.twin_of_names(vars(self._module))
        if name in names and not name.startswith("__"):
            return names[name]
        return self._code.converted(getattr(self._module, name))

    def __setattr__(self, name: str, value: Any) -> None:
        self._code.twin_of_names(vars(self._module))[name] = value


class _System:
    """`sys`, whose modules are those of the user that take traced values."""

    def __init__(self, code: UserCode) -> None:
        self.modules = _Modules(code)

    def __getattr__(self, name: str) -> Any:
        return getattr(sys, name)


class _Modules(Mapping[str, Any]):
    def __init__(self, code: UserCode) -> None:
        self._code = code

    def __getitem__(self, name: str) -> Any:
        return self._code.converted(sys.modules[name])

    def __iter__(self) -> Iterator[str]:
        return iter(sys.modules)

    def __len__(self) -> int:
        return len(sys.modules)


class _Conversion(type):
    """The class of what stands for `float` and `complex`: types, but for what a call gives."""

    original: type
    run: Run

    def __call__(cls, *args: Any) -> Any:
        if holds_traced(args):
            return cls.run.call(cls.original, args, {})
        return cls.original(*args)

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(plain(x), cls.original)


def _conversion(cls: type, run: Run) -> Any:
    """A type in the place of a built-in one; NumPy takes it for the same dtype."""
    content = {"original": cls, "run": run, "dtype": np.dtype(cls)}
    return _Conversion(cls.__name__, (cls,), content)


class _Always:
    """A function that makes arrays, which a program may store traced values into."""

    def __init__(self, function: Any, run: Run) -> None:
        self.function = function
        self.run = run

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.run.call(self.function, args, kwargs)


class _Ufunc(Dispatching):
    """A ufunc, whose methods take traced values as well."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.function, name)
        if not callable(method):
            return method

        def dispatched(*args: Any, **kwargs: Any) -> Any:
            x = next(traced_in((args, kwargs)), None)
            if x is None:
                return method(*args, **kwargs)
            return x.run.ufunc(self.function, name, args, kwargs)

        return dispatched


class _Refusing:
    """A function of zyg's, which can't differentiate what is traced."""

    def __init__(self, function: Any, run: Run) -> None:
        self.function = function
        self.run = run

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if holds_traced((args, kwargs)):
            raise self.run.refused(f"`zyg.{self.function.__name__}` is called by the program")
        return self.function(*args, **kwargs)
