"""New nodes of syntax for what a lowering puts in the place of others."""

from __future__ import annotations

from typing import Any

import gast

Statements = list[gast.AST]


class NodeMaker:
    """Makes nodes of syntax that stand where another one does."""

    def __init__(self, like: gast.AST) -> None:
        self._like = like

    def node(self, node: Any) -> Any:
        return gast.copy_location(node, self._like)

    def constant(self, value: object) -> gast.AST:
        return self.node(gast.Constant(value=value, kind=None))

    def load(self, name: str) -> gast.AST:
        return self._variable(name, gast.Load())

    def store(self, name: str) -> gast.AST:
        return self._variable(name, gast.Store())

    def _variable(self, name: str, context: gast.AST) -> gast.AST:
        return self.node(gast.Name(id=name, ctx=context, annotation=None, type_comment=None))

    def call(self, callee: object, *args: gast.AST) -> gast.AST:
        return self.node(gast.Call(func=self.constant(callee), args=list(args), keywords=[]))

    def compare(self, left: gast.AST, operation: gast.AST, right: gast.AST) -> gast.AST:
        return self.node(gast.Compare(left=left, ops=[operation], comparators=[right]))

    def length(self, name: str, operation: gast.AST, expected: int) -> gast.AST:
        return self.compare(
            self.call(len, self.load(name)), operation, self.constant(expected)
        )

    def assign(self, name: str, value: gast.AST) -> gast.AST:
        return self._assigned(self.store(name), value)

    def unpack(self, targets: list[gast.AST], value: gast.AST) -> gast.AST:
        return self._assigned(self.node(gast.Tuple(elts=targets, ctx=gast.Store())), value)

    def _assigned(self, target: gast.AST, value: gast.AST) -> gast.AST:
        return self.node(gast.Assign(targets=[target], value=value, type_comment=None))

    def tuple(self, items: list[gast.AST]) -> gast.AST:
        return self.node(gast.Tuple(elts=items, ctx=gast.Load()))

    def item(self, name: str, key: gast.AST) -> gast.AST:
        return self._item(name, key, gast.Load())

    def assign_item(self, name: str, key: gast.AST, value: gast.AST) -> gast.AST:
        return self._assigned(self._item(name, key, gast.Store()), value)

    def _item(self, name: str, key: gast.AST, context: gast.AST) -> gast.AST:
        return self.node(gast.Subscript(value=self.load(name), slice=key, ctx=context))

    def delete_item(self, name: str, key: gast.AST) -> gast.AST:
        return self.node(gast.Delete(targets=[self._item(name, key, gast.Del())]))

    def attribute(self, name: str, attribute: str) -> gast.AST:
        return self.node(gast.Attribute(value=self.load(name), attr=attribute, ctx=gast.Load()))

    def empty_dict(self) -> gast.AST:
        return self.node(gast.Dict(keys=[], values=[]))

    def negated(self, test: gast.AST) -> gast.AST:
        return self.node(gast.UnaryOp(op=gast.Not(), operand=test))

    def expression(self, value: gast.AST) -> gast.AST:
        return self.node(gast.Expr(value=value))

    def returned(self, value: gast.AST) -> gast.AST:
        return self.node(gast.Return(value=value))

    def function(
        self, names: list[str], body: gast.AST, vararg: str | None = None, kwarg: str | None = None
    ) -> gast.AST:
        """A function of some parameters, as an expression."""
        arguments = gast.arguments(
            args=[self._parameter(name) for name in names], posonlyargs=[],
            vararg=None if vararg is None else self._parameter(vararg), kwonlyargs=[],
            kw_defaults=[], kwarg=None if kwarg is None else self._parameter(kwarg), defaults=[],
        )
        return self.node(gast.Lambda(args=arguments, body=body))

    def _parameter(self, name: str) -> gast.AST:
        return self._variable(name, gast.Param())

    def branch(
        self, test: gast.AST, body: Statements, orelse: Statements | None = None
    ) -> gast.AST:
        return self.node(gast.If(test=test, body=body, orelse=orelse or []))

    def tested(self, test: gast.AST, place: Statements) -> Statements:
        """Appends a branch without statements; gives the list of those that it will hold."""
        body: Statements = []
        place.append(self.branch(test, body))
        return body
