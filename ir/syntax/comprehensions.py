"""Comprehensions, and generator expressions that are consumed at once, to loops that collect.

    [f(x) for x in xs if x > 0]        items = For(xs, x -> if x > 0: [f(x)] else: [])
                                       flatten(items)
    any(x > 0 for x in xs)             a loop that stops at the first such item
"""

from __future__ import annotations

from typing import Any

import gast

from ir import primitives
from ir.builder import Builder
from ir.core import Const, For, Operand, Value
from ir.primitives import UNBOUND
from ir.syntax.expressions import ExpressionParser
from ir.syntax.generator_expressions import called, mapped_in, name_of_mapped, over_items
from ir.syntax.node_maker import NodeMaker
from ir.syntax.scope import assigned


class ComprehensionParser(ExpressionParser):
    """Parses comprehensions: each is a loop with variables of its own."""

    def generator_expression(self, node: gast.GeneratorExp) -> Operand:
        if any(clause.is_async for clause in node.generators):
            raise self.unsupported(node, "asynchronous generator expressions are not supported")
        if any(isinstance(inner, gast.NamedExpr) for inner in gast.walk(node)):
            raise self.unsupported(
                node, "`:=` in a generator expression is not supported",
                "write a generator function",
            )
        return self.expression(called(node))

    def unmapped(self, node: gast.For) -> gast.For:
        """A loop over what `map` goes over, which calls its function; others stay."""
        apart = self.mapped_apart(node.iter, name_of_mapped(node))
        if apart is None:
            return node
        target, iterable, element = apart
        first = NodeMaker(node.iter).node(gast.Assign([node.target], element, None))
        body = [first, *node.body]
        return gast.copy_location(
            gast.For(target, iterable, body, node.orelse, node.type_comment), node
        )

    def mapped_apart(self, iterable: Any, function: str) -> tuple[Any, Any, Any] | None:
        """What `over_items` tells of an iterable with `map` in it, whose function gets a name here;
        None of others."""
        mapping = mapped_in(iterable)
        if mapping is None:
            return None
        names = {mapping.func.id, iterable.func.id}
        if not all(self.is_global(name) and name not in self.globals for name in names):
            return None
        self.nested_statements([NodeMaker(mapping).assign(function, mapping.args[0])])
        return over_items(iterable, function)

    def consume(self, node: gast.Call, generator: gast.GeneratorExp) -> Operand:
        if node.func.id in ("any", "all"):
            found = self.search(node, generator, is_any=node.func.id == "any")
            self.env.pop(name_of_mapped(node), None)
            return found
        callee = self.expression(node.func)
        items = self.comprehension(generator, generator.elt)
        self.env.pop(name_of_mapped(node), None)
        rest = [self.expression(arg) for arg in node.args[1:]]
        keywords = {keyword.arg: self.expression(keyword.value) for keyword in node.keywords}
        return self.emit_call(node, callee, [items, *rest], keywords)

    def search(self, node: gast.Call, generator: gast.GeneratorExp, is_any: bool) -> Operand:
        """`any` and `all` of a generator: a loop that stops at the first decisive item."""
        found, first = (
            gast.Name(id=f"{name}@{node.lineno}.{node.col_offset}", ctx=gast.Store(),
                      annotation=None, type_comment=None)
            for name in ("found", "items")
        )
        hit = generator.elt if is_any else gast.UnaryOp(op=gast.Not(), operand=generator.elt)
        set_found = gast.Assign(targets=[found], value=gast.Constant(value=is_any, kind=None),
                                type_comment=None)
        body: list[gast.AST] = [gast.If(test=hit, body=[set_found, gast.Break()], orelse=[])]
        for depth, clause in reversed(list(enumerate(generator.generators))):
            for test in reversed(clause.ifs):
                body = [gast.If(test=test, body=body, orelse=[])]
            items = clause.iter if depth > 0 else gast.Name(
                id=first.id, ctx=gast.Load(), annotation=None, type_comment=None,
            )
            body = [gast.For(target=clause.target, iter=items, body=body, orelse=[],
                             type_comment=None)]
            if depth > 0:  # leave the outer loops too
                read = gast.Name(id=found.id, ctx=gast.Load(), annotation=None, type_comment=None)
                test = read if is_any else gast.UnaryOp(op=gast.Not(), operand=read)
                body.append(gast.If(test=test, body=[gast.Break()], orelse=[]))
        start = gast.Assign(targets=[found], value=gast.Constant(value=not is_any, kind=None),
                            type_comment=None)
        over = gast.Assign(targets=[first], value=generator.generators[0].iter, type_comment=None)
        for statement in [start, over, *body]:
            for child in gast.walk(statement):
                if isinstance(child, gast.expr | gast.stmt) and not hasattr(child, "lineno"):
                    gast.copy_location(child, node)
        outside = self.outside(generator)
        self.nested_statements([start, over])
        self.hide_targets(generator.generators)
        self.nested_statements(body)
        self.env.update(outside)
        self.env.pop(first.id)
        return self.env.pop(found.id)

    def outside(self, comprehension: gast.AST) -> dict[str, Operand]:
        """What the names that a comprehension binds for itself stand for outside of it."""
        names = assigned([clause.target for clause in comprehension.generators])
        return {name: self.env.get(name, Const(UNBOUND)) for name in names}

    def hide_targets(self, clauses: list[gast.comprehension]) -> None:
        """Lets names that a comprehension binds mean its own variables, of which some are cells,
        behind its first iterable."""
        for name in assigned([clause.target for clause in clauses]):
            if name in self.target_cells:
                self.env[name] = self.target_cells[name]
            elif self.is_cell(name):
                self.env[name] = Const(UNBOUND)

    def comprehension(self, node: gast.AST, element: gast.AST) -> Value:
        """The list of a comprehension."""
        outside = self.outside(node)
        result = self.collect(node, list(node.generators), element)
        for name, operand in outside.items():
            if self.is_unbound(operand) and self.is_global(name):
                self.env.pop(name, None)
            else:
                self.env[name] = operand
        return result

    def collect(
        self, node: gast.AST, clauses: list[gast.comprehension], element: gast.AST
    ) -> Value:
        clause, *inner = clauses
        if clause.is_async:
            raise self.unsupported(node, "asynchronous comprehensions are not supported")
        mapped = name_of_mapped(clause.iter)
        apart = self.mapped_apart(clause.iter, mapped)
        target, over, first = apart or (clause.target, clause.iter, None)
        iterable = self.expression(over)
        self.hide_targets(clauses)
        is_flat = not inner and not clause.ifs

        def item_list(tests: list[gast.AST]) -> Operand:
            if tests:
                return self.choose(
                    node,
                    self.truth(tests[0]),
                    lambda: item_list(tests[1:]),
                    lambda: self.emit(node, primitives.build_list),
                )
            if inner:
                return self.collect(node, inner, element)
            return self.emit(node, primitives.build_list, self.expression(element))

        walrus = assigned([element, *clause.ifs, *(c for g in inner for c in (g.iter, *g.ifs))])
        # Shared variables are kept in cells, which stay what they are.
        names = [name for name in walrus if not (self.is_global(name) or self.is_cell(name))]
        outer, before = self.builder, self.env
        init = [before.get(name, Const(UNBOUND)) for name in names]
        params = [Value(name) for name in names]
        self.maybe_unbound.update(
            param for param, operand in zip(params, init, strict=True)
            if self.is_unbound(operand) or operand in self.maybe_unbound
        )
        item = Value(target.id if isinstance(target, gast.Name) else "item")
        self.builder = Builder()
        self.env = {**before, **dict(zip(names, params, strict=True))}
        self.loop_names.append({*names, *assigned([target, clause.target])})
        self.assign(target, item)
        if first is not None:
            self.assign(clause.target, self.expression(first))
        value = self.expression(element) if is_flat else item_list(list(clause.ifs))
        self.loop_names.pop()
        carried = [self.env[name] for name in names]
        body = self.builder.block([item, *params], [Const(False), *carried, value])
        results = [Value(name) for name in names]
        self.maybe_unbound.update(
            result for result, operand in zip(results, init, strict=True)
            if self.is_unbound(operand) or operand in self.maybe_unbound
        )
        collected = Value("items")
        self.builder, self.env = outer, before
        self.env.update(zip(names, results, strict=True))
        self.env.pop(mapped, None)
        self.builder.append(
            For([iterable], init, body, [*results, collected], loc=self.location(node))
        )
        if is_flat:
            return collected
        return self.emit(node, primitives.flatten, collected)
