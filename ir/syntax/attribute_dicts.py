"""What is read from and stored into `x.__dict__` and `vars(x)`: attributes by computed names.

    vars(x)[k]                     ->    held_item(x, k)
    x.__dict__[k] = v              ->    hold_item(v, x, k)
    for k, v in vars(x).items()    ->    for k, v in held_items(x)
    f(**vars(x))                   ->    f(**held_dict(x))

The dict itself would be a second name of all that an object holds. So it is given to nobody: what
asks it for something, in the same expression, asks the object.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import gast

from ir.syntax.node_maker import NodeMaker

AUGMENTED = {
    gast.Add: operator.add, gast.Sub: operator.sub, gast.Mult: operator.mul,
    gast.Div: operator.truediv, gast.Pow: operator.pow, gast.Mod: operator.mod,
    gast.FloorDiv: operator.floordiv, gast.MatMult: operator.matmul,
}


def held_item(obj: Any, name: str) -> Any:
    """`vars(obj)[name]`"""
    return vars(obj)[name]


def hold_item(value: Any, obj: Any, name: str) -> None:
    """`vars(obj)[name] = value`"""
    vars(obj)[name] = value


def drop_item(obj: Any, name: str) -> None:
    """`del vars(obj)[name]`"""
    del vars(obj)[name]


def is_held(name: object, obj: Any) -> bool:
    """`name in vars(obj)`"""
    return name in vars(obj)


def held_names(obj: Any) -> Iterator[str]:
    """`iter(vars(obj))`"""
    return iter(vars(obj))


def held_items(obj: Any) -> Any:
    """`vars(obj).items()`"""
    return vars(obj).items()


def held_values(obj: Any) -> Any:
    """`vars(obj).values()`"""
    return vars(obj).values()


def held_or(obj: Any, name: str, default: Any = None) -> Any:
    """`vars(obj).get(name, default)`"""
    return vars(obj).get(name, default)


def hold_all(obj: Any, items: Any = (), /, **others: Any) -> None:
    """`vars(obj).update(items, **others)`"""
    vars(obj).update(items, **others)


def taken_item(obj: Any, name: str, *default: Any) -> Any:
    """`vars(obj).pop(name, default)`"""
    return vars(obj).pop(name, *default)


def held_dict(obj: Any) -> dict[str, Any]:
    """`dict(vars(obj))`"""
    return dict(vars(obj))


# What is asked for one item.
BY_COMPUTED_NAME = held_item, hold_item, drop_item, is_held, held_or, taken_item
_METHODS: dict[str, Callable[..., Any]] = {
    "items": held_items, "values": held_values, "keys": held_names, "get": held_or,
    "update": hold_all, "pop": taken_item, "copy": held_dict,
}
# Functions that take what they are given and keep none of it.
_READERS = {"dict", "list", "tuple", "set", "sorted", "len", "print", "str", "repr", "bool"}


def lower_attribute_dicts(function: Any, module_globals: dict[str, Any]) -> None:
    """Lets what asks `vars(x)` or `x.__dict__` in a function ask `x`, in place."""
    if any(map(_is_dict, gast.walk(function))):
        bound = {
            node.id for node in gast.walk(function)
            if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load)
        }
        _Lowering({*bound, *module_globals}).visit(function)


def _is_dict(node: Any) -> bool:
    match node:
        case gast.Attribute(attr="__dict__", ctx=gast.Load()):
            return True
        case gast.Call(func=gast.Name(id="vars"), args=[arg], keywords=[]):
            return not isinstance(arg, gast.Starred)
        case _:
            return False


class _Lowering:
    def __init__(self, bound: set[str]) -> None:
        self._has_vars = "vars" not in bound
        self._readers = _READERS - bound

    def visit(self, node: Any) -> Any:
        match node:
            case gast.Subscript():
                return self._subscript(node)
            case gast.Assign():
                return self._assign(node)
            case gast.AugAssign():
                return self._augmented(node)
            case gast.Delete():
                return self._delete(node)
            case gast.Compare():
                return self._compare(node)
            case gast.For() | gast.comprehension():
                return self._loop(node)
            case gast.FormattedValue():
                return self._formatted(node)
            case gast.Dict():
                return self._display(node)
            case gast.Call():
                return self._call(node)
            case _:
                return self._inside(node)

    def _inside(self, node: Any) -> Any:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                value[:] = [
                    self.visit(item) if isinstance(item, gast.AST) else item for item in value
                ]
            elif isinstance(value, gast.AST):
                setattr(node, field, self.visit(value))
        return node

    def _owner(self, node: Any) -> Any:
        """The object whose dict an expression reads; None for other expressions."""
        if not _is_dict(node):
            return None
        if isinstance(node, gast.Attribute):
            return self.visit(node.value)
        return self.visit(node.args[0]) if self._has_vars else None

    def _subscript(self, node: Any) -> Any:
        owner = self._owner(node.value) if isinstance(node.ctx, gast.Load) else None
        if owner is None:
            return self._inside(node)
        return NodeMaker(node).call(held_item, owner, self.visit(node.slice))

    def _assign(self, node: Any) -> Any:
        match node.targets:
            case [gast.Subscript(value=held, slice=name)]:
                owner = self._owner(held)
                if owner is not None:
                    made = NodeMaker(node)
                    # The operands are evaluated in Python's order.
                    stored = made.call(hold_item, self.visit(node.value), owner, self.visit(name))
                    return made.node(gast.Expr(value=stored))
        return self._inside(node)

    def _augmented(self, node: Any) -> Any:
        match node.target:
            case gast.Subscript(value=held, slice=gast.Name() | gast.Constant() as name):
                owner = self._owner(held)
                operation = AUGMENTED.get(type(node.op))
                if isinstance(owner, gast.Name) and operation is not None:
                    made = NodeMaker(node)
                    before = made.call(held_item, owner, _read(name))
                    after = made.call(operation, before, self.visit(node.value))
                    stored = made.call(hold_item, after, owner, _read(name))
                    return made.node(gast.Expr(value=stored))
        return self._inside(node)

    def _delete(self, node: Any) -> Any:
        match node.targets:
            case [gast.Subscript(value=held, slice=name)]:
                owner = self._owner(held)
                if owner is not None:
                    made = NodeMaker(node)
                    call = made.call(drop_item, owner, self.visit(name))
                    return made.node(gast.Expr(value=call))
        return self._inside(node)

    def _compare(self, node: Any) -> Any:
        match node:
            case gast.Compare(ops=[gast.In() | gast.NotIn() as operation], comparators=[held]):
                owner = self._owner(held)
                if owner is not None:
                    made = NodeMaker(node)
                    call = made.call(is_held, self.visit(node.left), owner)
                    if isinstance(operation, gast.In):
                        return call
                    return made.node(gast.UnaryOp(op=gast.Not(), operand=call))
        return self._inside(node)

    def _loop(self, node: Any) -> Any:
        self._walk_over_names(node)
        return self._inside(node)

    def _walk_over_names(self, node: Any) -> None:
        if _is_dict(node.iter):
            owner = self._owner(node.iter)
            if owner is not None:
                node.iter = NodeMaker(node.iter).call(held_names, owner)

    def _formatted(self, node: Any) -> Any:
        node.value = self._copied(node.value)
        return self._inside(node)

    def _display(self, node: Any) -> Any:
        node.values = [
            self._copied(value) if key is None else value
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return self._inside(node)

    def _call(self, node: Any) -> Any:
        made = NodeMaker(node)
        for keyword in node.keywords:
            if keyword.arg is None:
                keyword.value = self._copied(keyword.value)
        match node.func:
            case gast.Attribute(value=held, attr=method) if method in _METHODS and _is_dict(held):
                owner = self._owner(held)
                if owner is not None:
                    node.func = made.constant(_METHODS[method])
                    if method == "update":
                        node.args = [self._copied(arg) for arg in node.args]
                    node.args = [owner, *map(self.visit, node.args)]
                    node.keywords = list(map(self.visit, node.keywords))
                    return node
            case gast.Name(id=name) if name in self._readers:
                node.args = [self._copied(arg) for arg in node.args]
            case gast.Attribute(attr="update" | "dumps" | "pprint"):
                node.args = [self._copied(arg) for arg in node.args]
        return self._inside(node)

    def _copied(self, node: Any) -> Any:
        owner = self._owner(node)
        return node if owner is None else NodeMaker(node).call(held_dict, owner)


def _read(name: Any) -> Any:
    if isinstance(name, gast.Constant):
        return name
    return NodeMaker(name).load(name.id)
