"""Generator expressions to generator functions that are called where they stand.

    (x * y for x in xs if x > 0)    ->    (lambda items@:            # with this body:
                                               for x in items@:
                                                   if x > 0:
                                                       yield x * y
                                          )(iterated(xs))

Python asks for the items of the first iterable at once, and for all else when the first item is
taken. Those that `sum` and its like consume at once stay: `ir.syntax.expressions` collects them.
Those that are unpacked, or given to `type(x)`, become lists. `map(f, xs)` that is consumed at once
is one of them, too; a loop over it, or over a `zip` or `enumerate` of it, calls `f` itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any

import gast

from ir.generators import iterated
from ir.syntax.node_maker import NodeMaker

ITEMS = "items@"
# Consumers that take all items of a generator before they return: a list gives the same.
EAGER = {"sum", "min", "max", "list", "tuple", "sorted", "set", "frozenset", "dict"}


# Functions of modules that do so.
EAGER_OF_MODULES = {
    "math": {"fsum", "prod"},
    "statistics": {
        "fmean", "geometric_mean", "harmonic_mean", "mean", "median", "median_high", "median_low",
        "pstdev", "pvariance", "stdev", "variance",
    },
}


class GeneratorLambda(gast.Lambda):  # type: ignore[misc]
    """A function without a name, whose body is a loop with a `yield`."""

    _fields = gast.Lambda._fields
    _attributes = gast.Lambda._attributes


def lower_generator_expressions(node: Any) -> None:
    """Replaces the generator expressions in a function definition, in place."""
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, gast.AST):
            setattr(node, field, _lowered(value))
        elif isinstance(value, list):
            value[:] = [_lowered(item) if isinstance(item, gast.AST) else item for item in value]


def collect_for_library(
    node: Any, module_globals: dict[str, Any], captured: Iterable[str]
) -> None:
    """Makes lists of the generator expressions that functions of modules are given which take all
    items at once, in place."""
    inner = list(gast.walk(node))
    bound = {*captured, *(
        one.id for one in inner if isinstance(one, gast.Name) and not isinstance(one.ctx, gast.Load)
    )}
    for call in inner:
        if not isinstance(call, gast.Call) or not call.args:
            continue
        first = call.args[0]
        if isinstance(first, gast.GeneratorExp) and not _binds_outside(first) and (
            _takes_all(call.func, module_globals, bound)
        ):
            call.args[0] = _collected(first)


def _takes_all(function: Any, module_globals: dict[str, Any], bound: set[str]) -> bool:
    match function:
        case gast.Attribute(value=gast.Name(id=name), attr=attribute):
            owner = module_globals.get(name)
            found = getattr(owner, attribute, None) if isinstance(owner, ModuleType) else None
        case gast.Name(id=name):
            found = module_globals.get(name)
        case _:
            return False
    known = EAGER_OF_MODULES.get(str(getattr(found, "__module__", None)), ())
    return name not in bound and getattr(found, "__name__", None) in known


def _lowered(node: Any) -> Any:
    if is_consumed_at_once(node):
        generator = node.args[0]
        lower_generator_expressions(generator)
        node.args[1:] = map(_lowered, node.args[1:])
        for keyword in node.keywords:
            lower_generator_expressions(keyword)
        return node
    if is_given_to_class(node) and not _binds_outside(node.args[0]):
        node.args = [_collected(node.args[0])]
    if is_unpacked(node) and not _binds_outside(node.value):
        node.value = _collected(node.value)
    lower_generator_expressions(node)
    is_plain = isinstance(node, gast.GeneratorExp) and not any(
        clause.is_async for clause in node.generators
    )
    return called(node) if is_plain and not _binds_outside(node) else node


def _collected(generator: gast.GeneratorExp) -> Any:
    """A list of the items."""
    return NodeMaker(generator).node(
        gast.ListComp(elt=generator.elt, generators=generator.generators)
    )


def is_given_to_class(node: Any) -> bool:
    """Whether a container is made of another one's class: `type(tree)(f(x) for x in tree)`."""
    if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Call) or node.keywords:
        return False
    asked = node.func
    is_class = isinstance(asked.func, gast.Name) and asked.func.id == "type"
    is_class = is_class and len(asked.args) == 1 and not asked.keywords
    return is_class and len(node.args) == 1 and isinstance(node.args[0], gast.GeneratorExp)


def is_consumed_at_once(node: Any) -> bool:
    """Whether a call has the name of a function that takes all items of its first argument."""
    if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Name):
        return False
    if not node.args or not isinstance(node.args[0], gast.GeneratorExp):
        return False
    is_search = node.func.id in ("any", "all") and len(node.args) == 1
    return is_search or node.func.id in EAGER


def is_mapping_consumed_at_once(node: gast.Call) -> bool:
    """Whether it takes all items of a `map` instead."""
    if not node.args or not is_mapping(node.args[0]):
        return False
    return node.func.id in EAGER or (node.func.id in ("any", "all") and len(node.args) == 1)


def is_mapping(node: Any) -> bool:
    """Whether an expression is a call of `map`, with iterables that are written out."""
    if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Name):
        return False
    is_plain = node.func.id == "map" and len(node.args) > 1 and not node.keywords
    return is_plain and not any(isinstance(arg, gast.Starred) for arg in node.args)


def name_of_mapped(consumer: Any) -> str:
    """The variable for the function of a `map` that a call or loop consumes."""
    return f"map@{consumer.lineno}.{consumer.col_offset}"


def as_generator(mapping: gast.Call, function: str) -> Any:
    """`function(item) for item in xs` for `map(f, xs)`, by the name that `f` has got."""
    made = NodeMaker(mapping)
    _, *iterables = mapping.args
    names = [f"item@{function.partition('@')[2]}.{i}" for i in range(len(iterables))]
    load = [made.load(name) for name in names]
    element = made.node(gast.Call(func=made.load(function), args=load, keywords=[]))
    target, iterable = made.store(names[0]), iterables[0]
    if len(iterables) > 1:
        targets = [made.store(name) for name in names]
        target = made.node(gast.Tuple(elts=targets, ctx=gast.Store()))
        iterable = made.call(zip, *iterables)
    clause = gast.comprehension(target=target, iter=iterable, ifs=[], is_async=0)
    return made.node(gast.GeneratorExp(elt=element, generators=[clause]))


def mapped_in(iterable: Any) -> Any:
    """The call of `map` whose items a loop takes one at a time, if there is one: all that it goes
    over, what `enumerate` counts, or the last that `zip` puts beside others."""
    match iterable:
        case gast.Call(func=gast.Name(id="enumerate"), args=[gast.Call() as call, *_]):
            return call if _is_of_one(call) else None
        case gast.Call(func=gast.Name(id="zip"), args=[*_, gast.Call() as call]):
            is_plain = isinstance(call.args[0], _PLAIN) if _is_of_one(call) else False
            return call if is_plain and not any(map(_is_starred, iterable.args)) else None
    return iterable if is_mapping(iterable) else None


# What is the same function whether it is read before other iterables or behind them.
_PLAIN = (gast.Name, gast.Attribute, gast.Lambda)


def _is_of_one(node: Any) -> bool:
    """Whether a call is of `map`, and goes over one iterable."""
    return is_mapping(node) and len(node.args) == 2


def _is_starred(node: Any) -> bool:
    return isinstance(node, gast.Starred)


def over_items(iterable: Any, function: str) -> tuple[Any, Any, Any]:
    """What a loop over this goes over without `map`: what it names an item, that iterable, and what
    stands for an item.

    `zip(xs, map(f, ys))`: `(x, y)`, `zip(xs, ys)` and `(x, f(y))`.
    """
    mapping = mapped_in(iterable)
    generator = as_generator(mapping, function)
    (clause,) = generator.generators
    if mapping is iterable:
        return clause.target, clause.iter, generator.elt
    made = NodeMaker(iterable)
    is_zip = iterable.func.id == "zip"
    place = len(iterable.args) - 1 if is_zip else 0
    args = [*iterable.args[:place], clause.iter, *iterable.args[place + 1 :]]
    names = [f"beside{clause.target.id}.{i}" for i in range(place if is_zip else 1)]
    targets = [made.node(gast.Tuple([*map(made.store, names), clause.target], gast.Store()))]
    element = made.node(gast.Tuple([*map(made.load, names), generator.elt], gast.Load()))
    return *targets, made.node(gast.Call(iterable.func, args, iterable.keywords)), element


def is_unpacked(node: Any) -> bool:
    """Whether all items of a generator expression are taken before anything else is done."""
    is_several = isinstance(node, gast.Assign) and all(
        isinstance(target, gast.Tuple | gast.List) for target in node.targets
    )
    return (is_several or isinstance(node, gast.Starred)) and isinstance(
        node.value, gast.GeneratorExp
    )


def _binds_outside(node: gast.GeneratorExp) -> bool:
    return any(isinstance(inner, gast.NamedExpr) for inner in gast.walk(node))


def called(node: gast.GeneratorExp) -> gast.Call:
    """The call of a generator function that a generator expression stands for."""
    made = NodeMaker(node)
    first, *others = node.generators
    body: Any = made.node(gast.Expr(value=made.node(gast.Yield(value=node.elt))))
    for clause in reversed(others):
        body = made.node(_loop(clause, clause.iter, body))
    body = made.node(_loop(first, made.load(ITEMS), body))
    arguments = gast.arguments(
        args=[made.node(gast.Name(ITEMS, gast.Param(), None, None))], posonlyargs=[], vararg=None,
        kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[],
    )
    function = made.node(GeneratorLambda(args=arguments, body=body))
    items = NodeMaker(first.iter).call(iterated, first.iter)
    return made.node(gast.Call(func=function, args=[items], keywords=[]))


def _loop(clause: Any, iterable: Any, body: Any) -> gast.For:
    for test in reversed(clause.ifs):
        body = NodeMaker(test).branch(test, [body])
    return gast.For(target=clause.target, iter=iterable, body=[body], orelse=[], type_comment=None)
