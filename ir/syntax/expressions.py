"""Expressions to IR: each becomes calls, and branches where Python evaluates conditionally.

    a < f(b) < c        t_1 = f(b)
                        t_2 = operator.lt(a, t_1)
                        if t_2: t_3 = operator.lt(t_1, c) else: t_2
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gast

from ir import primitives
from ir.builder import Builder
from ir.core import Block, Const, If, Location, Operand, Value, Yield
from ir.errors import Unsupported
from ir.late import late_class
from ir.primitives import UNBOUND
from ir.suggestions import suggest, temporary
from ir.syntax.generator_expressions import (
    as_generator,
    is_consumed_at_once,
    is_mapping_consumed_at_once,
    name_of_mapped,
)
from ir.syntax.node_maker import NodeMaker
from ir.syntax.place_names import name_of_call, name_of_item, name_of_place

BINARY = {
    gast.Add: operator.add,
    gast.Sub: operator.sub,
    gast.Mult: operator.mul,
    gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv,
    gast.Mod: operator.mod,
    gast.Pow: operator.pow,
    gast.MatMult: operator.matmul,
    gast.LShift: operator.lshift,
    gast.RShift: operator.rshift,
    gast.BitAnd: operator.and_,
    gast.BitOr: operator.or_,
    gast.BitXor: operator.xor,
}
IN_PLACE = {
    kind: getattr(operator, f"i{function.__name__.strip('_')}")
    for kind, function in BINARY.items()
}
UNARY = {
    gast.USub: operator.neg,
    gast.UAdd: operator.pos,
    gast.Invert: operator.invert,
    gast.Not: operator.not_,
}
COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
    gast.Lt: operator.lt,
    gast.LtE: operator.le,
    gast.Gt: operator.gt,
    gast.GtE: operator.ge,
    gast.Is: operator.is_,
    gast.IsNot: operator.is_not,
}
FRAME_READERS = {"locals", "eval", "exec", "vars", "dir", "globals"}


class ExpressionParser:
    """Parses expressions into the block that `self.builder` collects."""

    builder: Builder
    env: dict[str, Operand]
    maybe_unbound: set[Value]
    class_name: str | None
    globals: dict[str, Any]
    # The cells of what comprehensions bind and functions in them capture.
    target_cells: dict[str, Operand]
    loop_names: list[set[str]]

    def location(self, node: gast.AST) -> Location:
        raise AssertionError("given by FunctionParser")

    def is_global(self, name: str) -> bool:
        raise AssertionError("given by FunctionParser")

    def is_cell(self, name: str) -> bool:
        raise AssertionError("given by FunctionParser")

    def make_function(self, node: gast.AST) -> Value:
        raise AssertionError("given by FunctionParser")

    def assign(self, target: gast.AST, value: Operand) -> None:
        raise AssertionError("given by FunctionParser")

    def generator_expression(self, node: gast.GeneratorExp) -> Operand:
        raise AssertionError("given by ComprehensionParser")

    def nested_statements(self, statements: list[gast.AST]) -> None:
        raise AssertionError("given by FunctionParser")

    def sole_generator(self, node: gast.Call) -> gast.GeneratorExp | None:
        if node.func.id in self.globals:
            return None
        if is_consumed_at_once(node):
            return node.args[0]
        is_map = is_mapping_consumed_at_once(node) and self.is_global("map")
        if not is_map or "map" in self.globals:
            return None
        function = name_of_mapped(node)
        self.nested_statements([NodeMaker(node).assign(function, node.args[0].args[0])])
        return as_generator(node.args[0], function)

    def consume(self, node: gast.Call, generator: gast.GeneratorExp) -> Operand:
        raise AssertionError("given by ComprehensionParser")

    def comprehension(self, node: gast.AST, element: gast.AST) -> Value:
        raise AssertionError("given by ComprehensionParser")

    def unsupported(self, node: gast.AST, what: str, advice: str = "") -> Unsupported:
        return Unsupported(what, self.location(node), "", advice)

    def emit(
        self, node: gast.AST, callee: Any, *args: Operand, name: str = "t", **kwargs: Operand
    ) -> Value:
        result = Value(name)
        self.builder.calls(callee, args, [result], loc=self.location(node), kwargs=kwargs)
        return result

    def expression(self, node: gast.AST) -> Operand:
        match node:
            case gast.Constant():
                return Const(node.value)
            case gast.Name():
                return self.read(node)
            case gast.BinOp():
                left, right = self.expression(node.left), self.expression(node.right)
                return self.emit(node, BINARY[type(node.op)], left, right)
            case gast.UnaryOp():
                return self.unary(node)
            case gast.BoolOp():
                return self.short_circuit(node, node.values, isinstance(node.op, gast.And))
            case gast.Compare():
                return self.compare(node)
            case gast.IfExp():
                return self.choose(
                    node,
                    self.truth(node.test),
                    lambda: self.expression(node.body),
                    lambda: self.expression(node.orelse),
                )
            case gast.Call():
                result = self.call(node)
                suggest(result, name_of_call(node))
                return result
            case gast.Attribute():
                attribute = Const(self.mangled(node.attr))
                owner = self.expression(node.value)
                name = temporary(name_of_place(node))
                return self.emit(node, getattr, owner, attribute, name=name)
            case gast.Subscript():
                items = self.expression(node.value)
                index = self.expression(node.slice)
                name = temporary(name_of_item(node))
                return self.emit(node, operator.getitem, items, index, name=name)
            case gast.Slice():
                parts = (node.lower, node.upper, node.step)
                bounds = [Const(None) if part is None else self.expression(part) for part in parts]
                return self.emit(node, slice, *bounds)
            case gast.Tuple():
                return self.display(node, node.elts, primitives.build_tuple, tuple)
            case gast.List():
                return self.display(node, node.elts, primitives.build_list, list)
            case gast.Set():
                items = self.display(node, node.elts, primitives.build_list, list)
                return self.emit(node, set, items)
            case gast.Dict():
                return self.dict_display(node)
            case gast.Lambda():
                return self.make_function(node)
            case gast.ListComp():
                return self.comprehension(node, node.elt)
            case gast.SetComp():
                return self.emit(node, set, self.comprehension(node, node.elt))
            case gast.DictComp():
                pair = gast.Tuple(elts=[node.key, node.value], ctx=gast.Load())
                gast.copy_location(pair, node)
                return self.emit(node, dict, self.comprehension(node, pair))
            case gast.JoinedStr():
                texts = [self.expression(part) for part in node.values]
                return self.emit(node, primitives.build_string, *texts)
            case gast.FormattedValue():
                value = self.expression(node.value)
                conversion = Const(chr(node.conversion) if node.conversion > 0 else None)
                spec = Const("") if node.format_spec is None else self.expression(node.format_spec)
                return self.emit(node, primitives.format_value, value, conversion, spec)
            case gast.NamedExpr():
                value = self.expression(node.value)
                self.assign(node.target, value)
                return value
            case gast.GeneratorExp():
                return self.generator_expression(node)
            case gast.Await():
                raise self.unsupported(node, "`await` is not supported")
            case gast.Yield() | gast.YieldFrom():
                raise self.unsupported(node, "`yield` is not supported here")
            case gast.Starred():
                raise self.unsupported(node, "a starred expression is not supported here")
            case _:
                raise self.unsupported(node, f"`{type(node).__name__}` is not supported")

    def mangled(self, name: str) -> str:
        if not self.class_name or not name.startswith("__") or name.endswith("__"):
            return name
        return f"_{self.class_name.lstrip('_')}{name}"

    def read(self, node: gast.Name) -> Operand:
        name = self.mangled(node.id)
        if name not in self.env:
            if self.is_global(name):
                return self.emit(node, primitives.load_global, Const(name))
            self.env[name] = Const(UNBOUND)
        operand = self.env[name]
        is_unbound = isinstance(operand, Const) and operand.value is UNBOUND
        if not is_unbound and operand not in self.maybe_unbound:
            return operand
        shown = Const(name.partition("@")[0])
        if "@" in name:  # our own names are read only where they have been assigned
            self.maybe_unbound.discard(operand)
            return operand
        checked = self.emit(node, primitives.check_bound, operand, shown, name=name)
        self.env[name] = checked
        return checked

    def unary(self, node: gast.UnaryOp) -> Operand:
        if isinstance(node.operand, gast.Constant) and isinstance(node.op, gast.USub):
            if type(node.operand.value) in (int, float, complex):
                return Const(-node.operand.value)
        return self.emit(node, UNARY[type(node.op)], self.expression(node.operand))

    def truth(self, node: gast.AST) -> Operand:
        """The truth value of an expression, as a branch sees it."""
        return self.truth_of(node, self.expression(node))

    def truth_of(self, node: gast.AST, operand: Operand) -> Operand:
        if isinstance(operand, Const) and isinstance(operand.value, bool):
            return operand
        return self.emit(node, operator.truth, operand)

    def choose(
        self,
        node: gast.AST,
        cond: Operand,
        then: Callable[[], Operand],
        orelse: Callable[[], Operand],
    ) -> Value:
        """A branch that gives one value; a walrus in either arm is merged too."""
        before = self.env
        arms: list[tuple[Builder, Operand, dict[str, Operand]]] = []
        outer = self.builder
        for arm in (then, orelse):
            self.builder, self.env = Builder(), dict(before)
            value = arm()
            arms.append((self.builder, value, self.env))
        self.builder = outer
        (then_builder, then_value, then_env), (else_builder, else_value, else_env) = arms
        self.env = before
        result = Value("t")
        merged = self.merge(then_env, else_env)
        results = [result, *(value for value, _, _ in merged.values())]
        blocks = [
            Block([], then_builder.ops, Yield([then_value, *(a for _, a, _ in merged.values())])),
            Block([], else_builder.ops, Yield([else_value, *(b for _, _, b in merged.values())])),
        ]
        self.builder.append(If(cond, blocks[0], blocks[1], results, self.location(node)))
        self.env.update({name: value for name, (value, _, _) in merged.items()})
        return result

    def merge(
        self, then: dict[str, Operand], orelse: dict[str, Operand]
    ) -> dict[str, tuple[Value, Operand, Operand]]:
        """For each name that two branches leave different: a new value and the two it joins.

        A name that both leave the same means that from here on.
        """
        merged: dict[str, tuple[Value, Operand, Operand]] = {}
        for name in [*then, *(name for name in orelse if name not in then)]:
            a, b = then.get(name, Const(UNBOUND)), orelse.get(name, Const(UNBOUND))
            if a is b or (self.is_unbound(a) and self.is_unbound(b)):
                self.env[name] = a
                continue
            value = Value(name.partition("@")[0])
            if any(self.is_unbound(side) or side in self.maybe_unbound for side in (a, b)):
                self.maybe_unbound.add(value)
            merged[name] = value, a, b
        return merged

    def is_unbound(self, operand: Operand) -> bool:
        return isinstance(operand, Const) and operand.value is UNBOUND

    def short_circuit(self, node: gast.AST, nodes: list[gast.AST], is_and: bool) -> Operand:
        first = self.expression(nodes[0])
        if len(nodes) == 1:
            return first

        def rest() -> Operand:
            return self.short_circuit(node, nodes[1:], is_and)

        cond = self.truth_of(nodes[0], first)
        if is_and:
            return self.choose(node, cond, rest, lambda: first)
        return self.choose(node, cond, lambda: first, rest)

    def compare(self, node: gast.Compare) -> Operand:
        left = self.expression(node.left)
        return self.compare_chain(node, left, list(zip(node.ops, node.comparators, strict=True)))

    def compare_chain(
        self, node: gast.AST, left: Operand, chain: list[tuple[gast.AST, gast.AST]]
    ) -> Operand:
        kind, right_node = chain[0]
        right = self.expression(right_node)
        match kind:
            case gast.In():
                result = self.emit(node, operator.contains, right, left)
            case gast.NotIn():
                found = self.emit(node, operator.contains, right, left)
                result = self.emit(node, operator.not_, found)
            case _:
                result = self.emit(node, COMPARE[type(kind)], left, right)
        if len(chain) == 1:
            return result
        return self.choose(
            node,
            self.truth_of(node, result),
            lambda: self.compare_chain(node, right, chain[1:]),
            lambda: result,
        )

    def display(
        self, node: gast.AST, elements: list[gast.AST], build: Any, convert: Any
    ) -> Operand:
        """A tuple or list display; starred parts are concatenated."""
        pieces: list[Operand] = []
        plain: list[Operand] = []
        for element in elements:
            if isinstance(element, gast.Starred):
                if plain:
                    pieces.append(self.emit(node, build, *plain))
                    plain = []
                pieces.append(self.all_items(node, element, convert))
            else:
                plain.append(self.expression(element))
        if plain or not pieces:
            pieces.append(self.emit(node, build, *plain))
        whole = pieces[0]
        for piece in pieces[1:]:
            whole = self.emit(node, operator.add, whole, piece)
        return whole

    def all_items(self, node: gast.AST, element: gast.Starred, convert: Any) -> Operand:
        """What a starred part of a display gives, in a tuple or list of its own."""
        make = NodeMaker(element)
        taken = make.node(
            gast.Call(func=make.load(convert.__name__), args=[element.value], keywords=[])
        )
        sole = self.sole_generator(taken) if is_mapping_consumed_at_once(taken) else None
        if sole is not None:
            return self.consume(taken, sole)
        return self.emit(node, convert, self.expression(element.value))

    def dict_display(self, node: gast.Dict) -> Operand:
        pieces: list[Operand] = []
        plain: list[Operand] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                if plain:
                    pieces.append(self.emit(node, primitives.build_dict, *plain))
                pieces.append(self.expression(value))
                plain = []
            else:
                plain += [self.expression(key), self.expression(value)]
        if not pieces:
            return self.emit(node, primitives.build_dict, *plain)
        if plain:
            pieces.append(self.emit(node, primitives.build_dict, *plain))
        return self.emit(node, primitives.merge_dicts, *pieces)

    def call(self, node: gast.Call) -> Operand:
        if isinstance(node.func, gast.Name) and self.is_global(node.func.id):
            if node.func.id in FRAME_READERS and node.func.id not in self.globals:
                is_of_object = node.func.id == "vars" and node.args
                raise self.unsupported(
                    node, f"`{node.func.id}()` is not supported in differentiated code",
                    "ask for its items where it stands, or copy it: `dict(vars(x))`"
                    if is_of_object else "",
                )
            if node.func.id == "super" and not node.args and "super" not in self.globals:
                return self.super_call(node)
            if (sole := self.sole_generator(node)) is not None:
                return self.consume(node, sole)
        callee = self.expression(node.func)
        if any(isinstance(arg, gast.Starred) for arg in node.args) or any(
            keyword.arg is None for keyword in node.keywords
        ):
            args = self.display(node, node.args, primitives.build_tuple, tuple)
            keys = [
                None if keyword.arg is None else gast.Constant(value=keyword.arg, kind=None)
                for keyword in node.keywords
            ]
            values = [keyword.value for keyword in node.keywords]
            kwargs = self.dict_display(
                gast.copy_location(gast.Dict(keys=keys, values=values), node)
            )
            return self.emit(node, primitives.apply, callee, args, kwargs)
        operands = [self.expression(arg) for arg in node.args]
        keywords = {keyword.arg: self.expression(keyword.value) for keyword in node.keywords}
        return self.emit_call(node, callee, operands, keywords)

    def super_call(self, node: gast.Call) -> Operand:
        """`super()`, with the arguments that Python finds by itself."""
        raise AssertionError("given by FunctionParser")

    def emit_call(
        self, node: gast.AST, callee: Operand, args: list[Operand], kwargs: dict[str, Operand]
    ) -> Value:
        result = Value("t")
        self.builder.calls(callee, args, [result], loc=self.location(node), kwargs=kwargs)
        return result


# What stands between this class and the parser of statements, and few functions need.
if TYPE_CHECKING:
    from ir.syntax.parse_generators import GeneratorParser as GeneratorParser
else:  # comprehensions, `try` and `with`, generators
    ComprehensionParser = late_class(
        "ir.syntax.comprehensions", "ComprehensionParser", ExpressionParser,
        "generator_expression unmapped mapped_apart consume search outside hide_targets "
        "comprehension collect",
    )
    AttemptParser = late_class(
        "ir.syntax.parse_attempts", "AttemptParser", ComprehensionParser,
        "attempt_arms is_static_class static_value never_suppresses",
    )
    GeneratorParser = late_class(
        "ir.syntax.parse_generators", "GeneratorParser", AttemptParser,
        "make_generator _frame _advance enter_frame held keep keep_memory restore",
    )
