"""Functions in a function that change what their defaults hold: that is a variable like others.

    def visit(n, seen=[]):          visit_seen = []
        seen.append(n)         ==>  def visit(n, seen=NotGiven):
        ...                             if seen is NotGiven:
                                            seen = visit_seen
                                        seen.append(n)
                                        ...

Python makes a default once for each function object, the variable once for each call of the outer
function. So functions that are made in loops stay as they are.
"""

from __future__ import annotations

from typing import Any

import gast

from ir.syntax.changed_names import names_of_changed
from ir.syntax.jumps import is_generator
from ir.syntax.known_names import names_in, new_name
from ir.syntax.node_maker import NodeMaker, Statements
from ir.syntax.scope import FUNCTIONS, parameters
from ir.syntax.shared_memory import changed_by

_DISPLAYS = (gast.List, gast.Dict, gast.Set, gast.ListComp, gast.DictComp, gast.SetComp)


class NotGiven:
    """Stands for an argument that a call leaves out."""


def lower_changed_defaults(function: Any, module_globals: dict[str, Any]) -> None:
    """Puts variables in the place of defaults whose contents change, in a function in place."""
    if not any(
        isinstance(node, gast.Attribute) and node.attr in ("__defaults__", "__kwdefaults__")
        for node in gast.walk(function)
    ):
        _lower(function.body, names_in(function), module_globals)


def _lower(body: list[Any], names: set[str], module_globals: dict[str, Any]) -> None:
    for statement in list(body):
        if isinstance(statement, gast.FunctionDef):
            if not statement.decorator_list and not is_generator(statement):
                place = next(i for i, other in enumerate(body) if other is statement)
                body[place:place] = _lowered(statement, names, module_globals)
            _lower(statement.body, names, module_globals)
        elif not isinstance(statement, (*FUNCTIONS, gast.ClassDef, gast.For, gast.While)):
            for field in ("body", "orelse", "finalbody"):
                _lower(getattr(statement, field, None) or [], names, module_globals)
            for handler in getattr(statement, "handlers", ()):
                _lower(handler.body, names, module_globals)


def _lowered(node: Any, names: set[str], module_globals: dict[str, Any]) -> Statements:
    """Gives the variables for what the defaults of a function hold, and has it read these."""
    params = parameters(node.args)
    reached = names_of_changed(node, set(params), module_globals)
    changed = {changed_by(inner) for inner in gast.walk(node)}
    made = NodeMaker(node)
    variables: Statements = []
    reads: Statements = []
    positional = [*node.args.posonlyargs, *node.args.args]
    places = [
        *((arg, node.args.defaults, i) for i, arg in enumerate(
            positional[len(positional) - len(node.args.defaults) :]
        )),
        *((arg, node.args.kw_defaults, i) for i, arg in enumerate(node.args.kwonlyargs)),
    ]
    for arg, defaults, i in places:
        default = defaults[i]
        if not _may_be_memory(default) or arg.id not in (
            reached if isinstance(default, _DISPLAYS) else changed
        ):
            continue
        variable = new_name(f"{node.name}_{arg.id}", names)
        variables.append(made.assign(variable, default))
        defaults[i] = made.constant(NotGiven)
        is_left_out = made.compare(made.load(arg.id), gast.Is(), made.constant(NotGiven))
        reads.append(made.branch(is_left_out, [made.assign(arg.id, made.load(variable))]))
    node.body[:0] = reads
    return variables


def _may_be_memory(default: Any) -> bool:
    return isinstance(default, (*_DISPLAYS, gast.Call, gast.Name, gast.Attribute, gast.BinOp))
