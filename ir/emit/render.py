"""Operands and calls to Python syntax trees."""

from __future__ import annotations

import ast
import builtins
import math
import operator
import types
from collections.abc import Callable
from typing import Any

from ir import heap, primitives
from ir.outer_cells import OuterCell

BINARY: dict[Any, ast.operator] = {
    operator.add: ast.Add(),
    operator.sub: ast.Sub(),
    operator.mul: ast.Mult(),
    operator.truediv: ast.Div(),
    operator.floordiv: ast.FloorDiv(),
    operator.mod: ast.Mod(),
    operator.pow: ast.Pow(),
    operator.matmul: ast.MatMult(),
    operator.lshift: ast.LShift(),
    operator.rshift: ast.RShift(),
    operator.and_: ast.BitAnd(),
    operator.or_: ast.BitOr(),
    operator.xor: ast.BitXor(),
}
UNARY: dict[Any, ast.unaryop] = {
    operator.neg: ast.USub(),
    operator.pos: ast.UAdd(),
    operator.invert: ast.Invert(),
}
COMPARE: dict[Any, ast.cmpop] = {
    operator.eq: ast.Eq(),
    operator.ne: ast.NotEq(),
    operator.lt: ast.Lt(),
    operator.le: ast.LtE(),
    operator.gt: ast.Gt(),
    operator.ge: ast.GtE(),
    operator.is_: ast.Is(),
    operator.is_not: ast.IsNot(),
}

# Modules whose members are spelled `alias.member`, in the order of preference.
_modules: list[tuple[str, types.ModuleType]] = [("math", math)]
_spelled: dict[int, tuple[str, str]] = {}


def spell_module(alias: str, module: types.ModuleType) -> None:
    """Prints the callables of a module as `alias.name` in generated code."""
    _modules.append((alias, module))


def _spelling(value: object) -> tuple[str, str] | None:
    """The name that a module has for a callable, in the first module that has it: its own name if
    it is there, else the first one."""
    known = _spelled.get(id(value))
    if known is not None or not callable(value):
        return known
    home = getattr(value, "__module__", None)  # which ufuncs don't always have
    package = home.partition(".")[0] if isinstance(home, str) else None
    for alias, module in _modules:
        if package not in (None, module.__name__.partition(".")[0]):
            continue
        members = vars(module)
        own = str(getattr(value, "__name__", ""))
        for name in [own, *members] if own in members else members:
            if members[name] is value and name[0] != "_":
                _spelled[id(value)] = alias, name  # the module keeps it alive
                return alias, name
    return None


_forms: dict[int, Callable[[list[ast.expr], Environment], ast.expr]] = {}


def expression_form(callee: object) -> Callable[[Any], Any]:
    """Prints calls of `callee` by a function of the arguments' syntax and the environment."""

    def register(build: Any) -> Any:
        _forms[id(callee)] = build
        return build

    return register


def name_node(name: str, store: bool = False) -> ast.Name:
    return ast.Name(id=name, ctx=ast.Store() if store else ast.Load())


class Environment:
    """The names by which generated functions reach objects that are no literals."""

    def __init__(self, reserved: set[str]) -> None:
        self.objects: dict[str, object] = {}
        self._names: dict[int, str] = {}
        self._fixed: dict[int, str] = {}
        self.reserved = reserved

    def name(self, value: object, name: str) -> None:
        """Fixes the name for an object, which is listed once it is used."""
        self._fixed[id(value)] = name

    def add(self, value: object, base: str) -> str:
        """The name for an object; the same object keeps its first name."""
        if id(value) in self._fixed:
            self.objects[self._fixed[id(value)]] = value
            return self._fixed[id(value)]
        if id(value) in self._names:
            return self._names[id(value)]
        base = base if base.isidentifier() else "constant"
        name, number = base, 0
        while name in self.reserved or name in self.objects or hasattr(builtins, name):
            number += 1
            name = f"{base}_{number}"
        self.objects[name] = value
        self._names[id(value)] = name
        return name

    def constant(self, value: object) -> ast.expr:
        """The expression for an object known at compile time."""
        literal = self._literal(value)
        if literal is not None:
            return literal
        spelled = _spelling(value)
        if spelled is not None:
            alias, member = spelled
            root, *path = alias.split(".")
            modules = dict(_modules)
            node: ast.expr = name_node(self.add(modules[root], root))
            for part in [*path, member]:
                node = ast.Attribute(value=node, attr=part, ctx=ast.Load())
            return node
        if value is primitives.UNBOUND:
            return name_node(self.add(value, "UNBOUND"))
        if type(value) is OuterCell:
            return name_node(self.add(value, f"{value.variable}_cell"))
        name = getattr(value, "__name__", None)
        if isinstance(name, str) and getattr(builtins, name, None) is value:
            if name not in self.reserved:
                return name_node(name)
        if type(value).__module__ == "numpy.dtypes":
            name = str(value)  # "float64"
        return name_node(self.add(value, (name or type(value).__name__).rpartition(".")[2]))

    def _literal(self, value: Any) -> ast.expr | None:
        kind = type(value)
        if kind in (int, float, complex) and (value != value or value in (math.inf, -math.inf)):
            return None
        if kind in (int, float) and (value < 0 or str(value).startswith("-")):
            return ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=-value, kind=None))
        if kind is complex and value.real == 0:  # written without a sign of that zero: `-2j`
            size = ast.Constant(value=complex(0.0, abs(value.imag)), kind=None)
            is_negative = math.copysign(1.0, value.imag) < 0
            return ast.UnaryOp(op=ast.USub(), operand=size) if is_negative else size
        if kind in (int, float, complex, str, bytes, bool, type(None), type(Ellipsis)):
            return ast.Constant(value=value, kind=None)
        if kind is tuple:
            return ast.Tuple(elts=[self.constant(item) for item in value], ctx=ast.Load())
        if kind is slice:
            return ast.Call(
                func=self.constant(slice),
                args=[self.constant(p) for p in (value.start, value.stop, value.step)],
                keywords=[],
            )
        return None


# What `not` makes of a comparison that asks for no method's answer but its truth.
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}


def negated(test: ast.expr) -> ast.expr:
    """`not test`, as one writes it."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPPOSITE:
            return ast.Compare(left=left, ops=[_OPPOSITE[type(op)]()], comparators=[right])
        case _:
            return ast.UnaryOp(op=ast.Not(), operand=test)


def call_node(
    callee: object, args: list[ast.expr], kwargs: dict[str, ast.expr], environment: Environment
) -> ast.expr:
    """The expression for a call of a known callable, in the syntax that stands for it."""
    if not kwargs:
        plain = _syntax(callee, args)
        if plain is not None:
            return plain
        form = _forms.get(id(callee))
        if form is not None:
            return form(args, environment)
    if isinstance(callee, types.GetSetDescriptorType | types.MemberDescriptorType):
        return ast.Attribute(value=args[0], attr=callee.__name__, ctx=ast.Load())
    if isinstance(callee, types.ClassMethodDescriptorType):
        owner = environment.constant(callee.__objclass__)
        function: ast.expr = ast.Attribute(value=owner, attr=callee.__name__, ctx=ast.Load())
    elif args and _is_method(callee):
        assert hasattr(callee, "__name__")
        function = ast.Attribute(value=args[0], attr=callee.__name__, ctx=ast.Load())
        args = args[1:]
    else:
        function = environment.constant(callee)
    keywords = [ast.keyword(arg=name, value=value) for name, value in kwargs.items()]
    return ast.Call(func=function, args=args, keywords=keywords)


def _is_method(callee: object) -> bool:
    """Whether this is the method of a class that is written in C, or by Cython, or a logger's.

    What stands behind a statement (`list.__getitem__`) is called where a class has another one.
    """
    if isinstance(callee, types.MethodDescriptorType):
        return not callee.__name__.startswith("__")
    if isinstance(callee, types.FunctionType) and callee.__module__ == "logging":
        return "." in callee.__qualname__
    return type(callee).__name__ == "cython_function_or_method" and (
        "." in getattr(callee, "__qualname__", "")
    )


def _syntax(callee: object, args: list[ast.expr]) -> ast.expr | None:
    match args:
        case [left, right] if _in(callee, BINARY):
            return ast.BinOp(left=left, op=BINARY[callee], right=right)
        case [left, right] if _in(callee, COMPARE):
            return ast.Compare(left=left, ops=[COMPARE[callee]], comparators=[right])
        case [operand] if callee is operator.not_:
            return negated(operand)
        case [operand] if _in(callee, UNARY):
            return ast.UnaryOp(op=UNARY[callee], operand=operand)
    build = _DISPLAYS.get(id(callee))
    return build(args) if build is not None else None


def _in(callee: object, table: dict[Any, Any]) -> bool:
    try:
        return callee in table
    except TypeError:
        return False


def subscript(items: ast.expr, index: ast.expr) -> ast.expr:
    """`items[index]`, with slices in their own syntax."""
    if isinstance(index, ast.Tuple) and index.elts:
        index = ast.Tuple(elts=[_as_slice(e) for e in index.elts], ctx=ast.Load())
    else:
        index = _as_slice(index)
    return ast.Subscript(value=items, slice=index, ctx=ast.Load())


def _as_slice(index: ast.expr) -> ast.expr:
    match index:
        case ast.Call(func=ast.Name(id="slice"), args=[lower, upper, step], keywords=[]):
            parts = [None if _is_none(part) else part for part in (lower, upper, step)]
            return ast.Slice(*parts)
        case _:
            return index


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def attribute(owner: ast.expr, name: ast.expr) -> ast.expr:
    """`owner.name`, for a name that is a literal."""
    assert isinstance(name, ast.Constant) and isinstance(name.value, str)
    return ast.Attribute(value=owner, attr=name.value, ctx=ast.Load())


def _getattr(args: list[ast.expr]) -> ast.expr | None:
    match args:
        case [value, ast.Constant(value=str(name))] if name.isidentifier():
            return ast.Attribute(value=value, attr=name, ctx=ast.Load())
        case _:
            return None


def _contains(args: list[ast.expr]) -> ast.expr:
    return ast.Compare(left=args[1], ops=[ast.In()], comparators=[args[0]])


def _build_dict(args: list[ast.expr]) -> ast.expr:
    return ast.Dict(keys=list(args[::2]), values=args[1::2])


def _load_global(args: list[ast.expr]) -> ast.expr | None:
    match args:
        case [ast.Constant(value=str(name))]:
            return name_node(name)
        case _:
            return None


def _apply(args: list[ast.expr]) -> ast.expr:
    function, star, double = args
    match star:
        case ast.Tuple(elts=elements):
            positional = list(elements)
        case _:
            positional = [ast.Starred(value=star, ctx=ast.Load())]
    keywords = []
    if not (isinstance(double, ast.Dict) and not double.keys):
        keywords = [ast.keyword(arg=None, value=double)]
    return ast.Call(func=function, args=positional, keywords=keywords)


_DISPLAYS: dict[int, Callable[[list[ast.expr]], ast.expr | None]] = {
    id(primitives.build_tuple): lambda args: ast.Tuple(elts=args, ctx=ast.Load()),
    id(primitives.build_list): lambda args: ast.List(elts=args, ctx=ast.Load()),
    id(primitives.build_set): lambda args: ast.Set(elts=args) if args else None,
    id(primitives.build_dict): _build_dict,
    id(primitives.load_global): _load_global,
    id(primitives.apply): _apply,
    id(primitives.alias): lambda args: args[0],
    id(primitives.owner_of): lambda args: attribute(args[0], ast.Constant(value="__self__")),
    id(operator.getitem): lambda args: subscript(args[0], args[1]),
    id(operator.contains): _contains,
    id(getattr): _getattr,
    id(heap.attribute_read): lambda args: _getattr(args[1:]),
    id(heap.class_attribute): _getattr,
    id(heap.found_attribute): lambda args: _getattr(args[1:]),
}


