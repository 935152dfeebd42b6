"""Classes that a function defines, made once: where they capture, their objects hold what it is.

    def f(x):                                  def make():
        class Scaled:                              class Scaled:
            def __init__(self, v):                     def __init__(self, v): ...
                self.v = v                             def get(self):
            def get(self):              ==>                return self._captured_x * self.v
                return x * self.v                  def new_Scaled(x, /, *args, **kwargs):
        return Scaled(2.0).get()                       made = object of Scaled
                                                       made._captured_x = x
                                                       made.__init__(*args, **kwargs)
                                                       return made
                                               f: return new_Scaled(x, 2.0).get()

Python makes a new class each time. Nobody can tell, as long as the class holds nothing that changes
and what its methods capture is assigned once. Everything else is refused.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any

import gast

from ir.core import Function, Location
from ir.errors import Unsupported
from ir.heap import made_once, makers
from ir.made_functions import give_ir
from ir.syntax.conversion import to_gast
from ir.syntax.locate import Source
from ir.syntax.node_maker import NodeMaker
from ir.syntax.scope import FUNCTIONS, local_names, stores_of

DECORATORS = (dataclasses.dataclass, functools.total_ordering)
METHOD_DECORATORS = ("property", "staticmethod", "classmethod", "setter", "getter", "deleter",
                     "cached_property", "abstractmethod", "override")
UNBOUND_METHODS = ("staticmethod", "classmethod")
PREFIX = "_captured_"
ParseMethod = Callable[[Any, types.CodeType, str], Function]


def lift_classes(source: Source, module_globals: dict[str, Any], parse: ParseMethod) -> None:
    """Replaces the class definitions of a function, outside of functions in it, by classes."""
    found = list(_definitions(source.gast_node.body))
    if not found:
        return
    originals = {
        (node.lineno, node.col_offset): node
        for node in ast.walk(source.node) if isinstance(node, ast.ClassDef)
    }
    lifting = _Lifting(source, module_globals, parse)
    for place, node in found:
        i = next(i for i, other in enumerate(place) if other is node)
        place[i : i + 1] = lifting.lifted(node, originals[node.lineno, node.col_offset])
    lifting.refuse_changes(source.gast_node)
    lifting.replace_constructors(source.gast_node)


def unless_changed(base: Any, known: Any) -> None:
    """Raises where a class was defined anew from which one derives that was made before."""
    if base is not known:
        raise Unsupported(
            f"the class {known.__name__}, from which one in a function derives, was defined anew",
            advice="define the function anew, too",
        )


def _definitions(statements: list[Any]) -> Iterator[tuple[list[Any], Any]]:
    for statement in statements:
        if isinstance(statement, gast.ClassDef):
            yield statements, statement
        elif not isinstance(statement, FUNCTIONS):
            for field in ("body", "orelse", "finalbody"):
                yield from _definitions(getattr(statement, field, None) or [])
            for handler in getattr(statement, "handlers", ()):
                yield from _definitions(handler.body)


class _Lifting:
    def __init__(
        self, source: Source, module_globals: dict[str, Any], parse: ParseMethod
    ) -> None:
        self._source = source
        self._globals = module_globals
        self._parse = parse
        self._locals = local_names(source.gast_node)
        self._stores = stores_of(source.gast_node.body)
        # The classes by name, what makes their objects, and the variables that these hold.
        self._classes: dict[str, Any] = {}
        self._makers: dict[str, Any] = {}
        self._captured: dict[str, list[str]] = {}

    def refuse(self, node: Any, why: str) -> Unsupported:
        location = Location(
            self._source.file, node.lineno, node.end_lineno or node.lineno, node.col_offset,
            node.end_col_offset or node.col_offset, self._source.code.co_name,
        )
        return Unsupported(
            f"a class definition in a function is not supported {why}", location,
            advice="define the class outside of the function",
        )

    def lifted(self, node: Any, original: ast.ClassDef) -> list[Any]:
        """The statements that assign the class."""
        name = original.name
        self._check(original)
        captured = self._captured_by(original)
        bases = [base.id for base in original.bases if isinstance(base, ast.Name)]
        for base in bases:
            captured += self._captured.get(base, [])
        self._captured[name] = list(dict.fromkeys(captured))
        cls, maker = self._made(original)
        self._classes[name] = cls
        if self._captured[name]:
            self._makers[name] = maker
        made = NodeMaker(node)
        checks = [
            made.expression(made.call(
                unless_changed, made.load(base), made.constant(self._value_of(base_node))
            ))
            for base_node, base in zip(original.bases, bases, strict=False)
            if base not in self._classes
        ]
        return [*checks, made.assign(name, made.constant(cls))]

    # What is refused

    def _check(self, node: ast.ClassDef) -> None:
        if node.keywords or len(self._stores.get(node.name, ())) > 1:
            raise self.refuse(node, "with keywords, or twice under one name")
        for base in node.bases:
            found = self._value_of(base)
            if isinstance(base, ast.Attribute) and found is not typing.NamedTuple:
                found = None
            if not isinstance(found, type) and found is not typing.NamedTuple:
                raise self.refuse(base, "whose bases aren't known")
            if isinstance(found, type) and (
                type(found) is not type or "__init_subclass__" in {
                    name for one in found.__mro__ if one is not object for name in vars(one)
                }
            ):
                raise self.refuse(base, "whose base has a metaclass or looks at its subclasses")
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self._value_of(called) not in DECORATORS:
                raise self.refuse(decorator, "with such a decorator")
        for statement in node.body:
            match statement:
                case ast.FunctionDef():
                    self._check_method(statement)
                case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None):
                    pass
                case ast.Assign(value=value) | ast.AnnAssign(value=value):
                    if not self._is_constant(value):
                        raise self.refuse(statement, "that holds more than constants and methods")
                case _:
                    raise self.refuse(statement, "that holds more than constants and methods")

    def _check_method(self, node: ast.FunctionDef) -> None:
        for decorator in node.decorator_list:
            name = decorator.attr if isinstance(decorator, ast.Attribute) else (
                decorator.id if isinstance(decorator, ast.Name) else ""
            )
            if name not in METHOD_DECORATORS:
                raise self.refuse(decorator, "where a method has such a decorator")
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            if not self._is_constant(default):
                raise self.refuse(default, "where the default of a method is no constant")
        for inner in ast.walk(node):
            if isinstance(inner, ast.Nonlocal | ast.ClassDef):
                raise self.refuse(inner, "with `nonlocal` or a class in a method")
            if isinstance(inner, ast.Attribute) and not isinstance(inner.ctx, ast.Load) and (
                _may_be_class(inner.value, node)
            ):
                raise self.refuse(inner, "where its attributes are changed")

    def _value_of(self, node: ast.expr) -> Any:
        """What a name means where the class is made, if that is known."""
        match node:
            case ast.Name(id=name) if name in self._classes:
                return self._classes[name]
            case ast.Name(id=name) if name not in self._locals:
                builtin = vars(__builtins__) if isinstance(__builtins__, types.ModuleType) else (
                    __builtins__
                )
                return self._globals.get(name, builtin.get(name))
            case ast.Attribute(value=owner, attr=attr):
                found = self._value_of(owner)
                return getattr(found, attr, None) if isinstance(found, types.ModuleType) else None
            case _:
                return None

    def _is_constant(self, node: Any) -> bool:
        match node:
            case ast.Constant():
                return True
            case ast.UnaryOp(operand=operand):
                return self._is_constant(operand)
            case ast.Tuple(elts=items):
                return all(map(self._is_constant, items))
            case ast.Call(func=function, args=[], keywords=keywords):
                return self._value_of(function) is dataclasses.field and all(
                    self._is_constant(keyword.value)
                    or self._value_of(keyword.value) in (list, dict, set, tuple)
                    for keyword in keywords
                )
            case _:
                return False

    def refuse_changes(self, function: Any) -> None:
        """Refuses stores into the classes, which are the same ones each time."""
        for node in gast.walk(function):
            if isinstance(node, gast.Attribute) and not isinstance(node.ctx, gast.Load):
                if isinstance(node.value, gast.Name) and node.value.id in self._classes:
                    raise self.refuse(node, "where its attributes are changed")

    # What methods capture

    def _captured_by(self, node: ast.ClassDef) -> list[str]:
        """The variables of the function that methods of a class read."""
        found: dict[str, None] = {}
        for method in node.body:
            if not isinstance(method, ast.FunctionDef):
                continue
            read = {name for name, _ in _free(method)} & self._locals
            names = sorted(read - {node.name, *self._classes})
            if not names:
                continue
            kinds = {getattr(d, "id", "") for d in method.decorator_list}
            if kinds & set(UNBOUND_METHODS) or not (method.args.posonlyargs or method.args.args):
                raise self.refuse(method, "where a method without an object captures variables")
            for name in names:
                self._check_captured(method, node, name)
            found.update(dict.fromkeys(names))
        if found:
            for inner in ast.walk(node):
                is_slots = isinstance(inner, ast.Name) and inner.id == "__slots__"
                is_class = isinstance(inner, ast.Attribute) and inner.attr == "__class__"
                is_type = isinstance(inner, ast.Call) and isinstance(inner.func, ast.Call)
                is_copy = isinstance(inner, ast.Name | ast.Attribute) and "replace" in (
                    getattr(inner, "id", ""), getattr(inner, "attr", "")
                )
                is_bound = isinstance(inner, ast.FunctionDef) and (
                    "classmethod" in _names_of(inner)
                )
                if is_slots or is_class or is_type or is_copy or is_bound:
                    raise self.refuse(inner, "that captures variables and has slots, or makes "
                                      "objects of the class that an object has")
        return list(found)

    def _check_captured(self, method: Any, node: ast.ClassDef, name: str) -> None:
        stores = self._stores.get(name, [])
        is_param = name in {arg.id for arg in gast.walk(self._source.gast_node.args)
                            if isinstance(arg, gast.Name)}
        position = node.lineno, node.col_offset
        is_late = any((store.lineno, store.col_offset) > position for store in stores)
        if len(stores) + is_param > 1 or is_late or self._is_in_loop(name):
            raise self.refuse(method, f"where a method captures `{name}`, which is assigned again")

    def _is_in_loop(self, name: str) -> bool:
        stores = self._stores.get(name, [])
        return any(
            any(inner is store for inner in gast.walk(loop) for store in stores)
            for loop in gast.walk(self._source.gast_node) if isinstance(loop, gast.For | gast.While)
        )

    # What is made

    def _made(self, original: ast.ClassDef) -> tuple[type, Any]:
        """The class, and the function that makes objects which hold what it captures."""
        name, captured = original.name, self._captured[original.name]
        rewritten = _Rewriting(captured, set(self._makers) | ({name} if captured else set()),
                               self._captured).rewritten(original)
        known = [*self._classes, *(f"new_{known}" for known in self._makers)]
        body: list[ast.stmt] = [rewritten]
        maker = f"new_{name}"
        text = f"def {maker}({', '.join([*captured, '/'] if captured else [])}, *args, **kwargs):\n"
        text = text.replace("(, ", "(")
        text += f"    made = object.__new__({name})\n"
        for variable in captured:
            text += f"    object.__setattr__(made, '{PREFIX}{variable}', {variable})\n"
        if _has_init(original):
            text += "    made.__init__(*args, **kwargs)\n"
        else:
            text += "    if args or kwargs:\n"
            text += f"        raise TypeError('{name}() takes no arguments')\n"
        text += "    return made\n"
        made = ast.parse(text).body[0]
        for inner in ast.walk(made):
            if hasattr(inner, "lineno"):
                ast.copy_location(inner, original)
        body += [made, ast.parse(f"return {name}, {maker}").body[0]]
        factory = ast.parse(f"def make({', '.join(known)}): pass").body[0]
        assert isinstance(factory, ast.FunctionDef)
        factory.body = body
        tree = ast.fix_missing_locations(ast.Module(body=[factory], type_ignores=[]))
        space: dict[str, Any] = {}
        exec(compile(tree, self._source.file, "exec"), self._globals, space)
        given = [*self._classes.values(), *self._makers.values()]
        cls, new = space["make"](*given)
        made_once.add(cls)
        if captured:
            makers.add(new)
        cls.__qualname__ = f"{self._source.qualname}.<locals>.{name}"
        self._give_code(new, made, None)
        methods = [m for m in rewritten.body if isinstance(m, ast.FunctionDef)]
        for function in _functions_of(cls):
            for method in methods:
                first = method.decorator_list[0].lineno if method.decorator_list else method.lineno
                code = function.__code__
                if code.co_name == method.name and code.co_firstlineno == first:
                    self._give_code(function, method, name)
        return cls, new

    def _give_code(self, function: Any, node: Any, class_name: str | None) -> None:
        """Lets a function be found by its code, which stands in no file as it is."""
        give_ir(function, self._parse(to_gast(node), function.__code__, class_name or ""))

    def replace_constructors(self, function: Any) -> None:
        """Lets objects that hold captured variables be made by what gives them these."""
        if not self._makers:
            return
        allowed: set[int] = set()
        for node in gast.walk(function):
            match node:
                case gast.Call(func=gast.Name(id=name)) if name in self._makers:
                    made = NodeMaker(node)
                    node.func = made.constant(self._makers[name])
                    node.args[:0] = [made.load(variable) for variable in self._captured[name]]
                case gast.Attribute(value=gast.Name(id=name) as owner) if name in self._makers:
                    allowed.add(id(owner))
                case gast.Call(func=gast.Name(id="isinstance"), args=[_, classes]):
                    allowed.update(id(inner) for inner in gast.walk(classes))
        for node in gast.walk(function):
            if isinstance(node, gast.Name) and node.id in self._makers and (
                isinstance(node.ctx, gast.Load) and id(node) not in allowed
            ):
                raise self.refuse(node, "that captures variables, and is handed on as a class")


def _has_init(node: ast.ClassDef) -> bool:
    """Whether a class may have an `__init__` that isn't the one of `object`."""
    return bool(node.bases or node.keywords or node.decorator_list) or any(
        "__init__" in _bound(statement) for statement in node.body
    )


def _may_be_class(node: ast.expr, method: ast.FunctionDef) -> bool:
    """Whether an expression in a method means the class of an object, or its own."""
    match node:
        case ast.Name(id=name):
            first = [*method.args.posonlyargs, *method.args.args][:1]
            is_first = bool(first) and first[0].arg == name
            return name[:1].isupper() or (is_first and "classmethod" in _names_of(method))
        case ast.Attribute(attr="__class__") | ast.Call():
            return True
        case _:
            return False


class _Rewriting(ast.NodeTransformer):
    """Lets methods read captured variables from their objects, and hand them on to others."""

    def __init__(
        self, captured: list[str], makers: set[str], by_class: dict[str, list[str]]
    ) -> None:
        self._captured = captured
        self._makers = makers
        self._by_class = by_class
        self._self = ""
        self._bound: set[str] = set()

    def rewritten(self, node: ast.ClassDef) -> ast.ClassDef:
        copied = copy.copy(node)
        copied.body = [self._method(statement) for statement in node.body]
        return copied

    def _method(self, node: Any) -> Any:
        node = copy.deepcopy(node)
        if not isinstance(node, ast.FunctionDef):
            return node
        first = [*node.args.posonlyargs, *node.args.args][:1]
        if first and not _names_of(node) & UNBOUND:
            self._self = first[0].arg
            self._free = {id(inner) for _, inner in _free(node)}
            node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit(self, node: Any) -> Any:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and (
            id(node.func) in self._free and node.func.id in self._makers
        ):
            given = [self._held(name, node) for name in self._by_class[node.func.id]]
            node.func = ast.copy_location(
                ast.Name(f"new_{node.func.id}", ast.Load()), node.func
            )
            self.generic_visit(node)
            node.args[:0] = given
            return node
        if isinstance(node, ast.Name) and id(node) in self._free and node.id in self._captured:
            return self._held(node.id, node)
        return self.generic_visit(node)

    def _held(self, name: str, like: ast.AST) -> ast.expr:
        owner = ast.copy_location(ast.Name(self._self, ast.Load()), like)
        return ast.copy_location(ast.Attribute(owner, f"{PREFIX}{name}", ast.Load()), like)


UNBOUND = frozenset(UNBOUND_METHODS)


def _names_of(node: ast.FunctionDef) -> set[str]:
    return {getattr(decorator, "id", "") for decorator in node.decorator_list}


def _free(node: Any, bound: frozenset[str] = frozenset()) -> Iterator[tuple[str, ast.AST]]:
    """The names that a function, or one in it, reads from outside, and where."""
    own = set(bound)
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        own |= {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
        inside = node.body if isinstance(node.body, list) else [node.body]
        for inner in inside:
            own |= set(_bound(inner))
        for inner in inside:
            yield from _free_in(inner, frozenset(own))


def _free_in(node: Any, bound: frozenset[str]) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            yield from _free_in(default, bound)
        yield from _free(node, bound)
        return
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        targets = {
            name.id for clause in node.generators for name in ast.walk(clause.target)
            if isinstance(name, ast.Name)
        }
        bound = bound | targets
    if isinstance(node, ast.Name):
        if node.id not in bound and isinstance(node.ctx, ast.Load):
            yield node.id, node
        return
    for child in ast.iter_child_nodes(node):
        yield from _free_in(child, bound)


def _bound(node: Any) -> Iterator[str]:
    """The names that a statement binds in its function."""
    if isinstance(node, ast.FunctionDef):
        yield node.name
        return
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    if isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name
    if isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    for child in ast.iter_child_nodes(node):
        yield from _bound(child)


def _functions_of(cls: type) -> Iterator[types.FunctionType]:
    for value in vars(cls).values():
        parts = [value, *(getattr(value, name, None) for name in (
            "__func__", "fget", "fset", "fdel", "func",
        ))]
        yield from (part for part in parts if isinstance(part, types.FunctionType))

