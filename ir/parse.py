"""Source to structured SSA: `parse(f)` gives the `Function` of a Python function.

    def scale(x, n):                 function scale(x, n):
        while abs(x) > n:                x_3 = while with x_1 = x:
            x = x / 2                        t_1 = builtins.abs(x_1) ...
        return x                         return x_3

A name becomes the value that it holds at each point; where branches or iterations meet, blocks take
and yield values. Names that may not have been assigned carry `UNBOUND` and are checked where read.
"""

from __future__ import annotations

import atexit
import types
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import gast

from ir import facts, stored
from ir.core import Function
from ir.errors import SourceNotFound
from ir.forgettable import IdentityTable
from ir.late import late
from ir.link import link
from ir.made_functions import ir_of_made
from ir.suggestions import forget_suggestions
from ir.syntax.function_parser import FunctionParser
from ir.syntax.generator_expressions import collect_for_library, lower_generator_expressions
from ir.syntax.locate import Source, locate
from ir.syntax.scope import statements_in

if TYPE_CHECKING:
    from ir.syntax import attribute_dicts, changed_defaults
else:
    attribute_dicts = late("ir.syntax.attribute_dicts")
    changed_defaults = late("ir.syntax.changed_defaults")

# Helpers by the `id` of their code, which they keep alive. They are installed with the compiler:
# nobody edits them while the program runs, and there are only so many.
_helpers: dict[int, Function] = {}
_parsed: IdentityTable[types.CodeType, Function] = IdentityTable()


@atexit.register
def _store() -> None:
    """Keeps the IR of helpers for later processes: nobody waits for a gradient any more."""
    keep(
        (known.code, known.globals)
        for known in list(_helpers.values())
    )


def keep(helpers: Iterable[tuple[types.CodeType, dict[str, Any]]]) -> None:
    """Writes the IR of helpers that isn't kept yet, by their code and the globals of it."""
    from contextlib import suppress

    new = [
        (code, module_globals)
        for code, module_globals in helpers
        if not _makes_generators(code) and stored.is_new(code, module_globals)
    ]
    # What stays behind is made from text that is known to be that of the code; generated text may
    # be forgotten by now.
    functions: list[Function] = []
    for code, module_globals in new:
        with suppress(SourceNotFound):
            functions.append(parse_source(locate(code, module_globals), module_globals))
    stored.write(functions)


def _is_helper(module_globals: dict[str, Any]) -> bool:
    return facts.is_helper_module(module_globals.get("__name__"))


def _makes_generators(code: types.CodeType) -> bool:
    return bool(code.co_flags & 0x20)


def parse(function: types.FunctionType) -> Function:
    """The IR of a Python function, from its source.

    Raises `SourceNotFound` where there is none, `Unsupported` for syntax that has no IR yet. The
    result is shared between calls: passes work on a `rewrite.clone` of it.
    """
    return parse_code(function.__code__, function.__globals__)


def parse_code(
    code: types.CodeType, module_globals: dict[str, Any], cells: frozenset[str] = frozenset(),
    in_cells: bool = False,
) -> Function:
    """The IR of a code object: the only door from Python's objects into the IR.

    `cells` are captured variables that the function is given as objects which hold them
    (`ir.outer_cells`). `in_cells`: variables of the user's functions under which these change
    memory are held by objects, too (`ir.syntax.changed_names`).
    """
    in_cells = in_cells and not _is_helper(module_globals) and ir_of_made(code) is None
    if cells or in_cells:
        return _with_cells(code, module_globals, cells, in_cells)
    known = _helpers.get(id(code)) or _parsed.of(code)
    if known is not None and known.globals is module_globals:
        return known
    made = ir_of_made(code)
    if made is not None:
        return made
    if _is_helper(module_globals):
        function = stored.find(code, module_globals)
        if function is None:
            source = locate(code, module_globals, is_trusted=True)
            function = parse_source(source, module_globals)
            forget_suggestions(function.body)  # which aren't stored either
            link(function)
        _helpers[id(code)] = function
    else:
        function = parse_source(locate(code, module_globals), module_globals)
        _parsed.note(code, function)
    return function


def parse_in_cells(code: types.CodeType, module_globals: dict[str, Any]) -> Function:
    """`parse_code` with memory that is changed in cells."""
    return parse_code(code, module_globals, in_cells=True)


def _with_cells(
    code: types.CodeType, module_globals: dict[str, Any], cells: frozenset[str], in_cells: bool
) -> Function:
    known = _parsed.of(code, (cells, in_cells))
    if known is None or known.globals is not module_globals:
        known = parse_source(locate(code, module_globals), module_globals, cells, in_cells)
        _parsed.note(code, known, (cells, in_cells))
    return known


def parse_source(
    source: Source, module_globals: dict[str, Any], cells: frozenset[str] = frozenset(),
    in_cells: bool = False,
) -> Function:
    code = source.code
    unsupported = None
    if code.co_flags & (0x80 | 0x200):
        unsupported = "async functions are not supported"
    if isinstance(source.gast_node, gast.FunctionDef) and any(map(_is_class_body, code.co_consts)):
        from ir.syntax.local_classes import lift_classes  # which few programs need

        def parse_method(node: Any, code: types.CodeType, class_name: str) -> Function:
            _lower(node, code, module_globals)
            method = FunctionParser(
                node, source.file, code.co_name, class_name or None, module_globals,
                captured=list(code.co_freevars), enclosing=None,
            )
            method.in_cells = in_cells
            return method.function()

        lift_classes(source, module_globals, parse_method)
    _lower(source.gast_node, code, module_globals)
    parser = FunctionParser(
        source.gast_node, source.file, code.co_name, source.class_name, module_globals,
        captured=list(code.co_freevars), enclosing=None,
    )
    parser.cells.update(value for name, value in parser.captured.items() if name in cells)
    parser.in_cells = in_cells
    if unsupported:
        raise parser.unsupported(source.gast_node, unsupported)
    function = parser.function()
    function.code = code
    return function


def _is_class_body(const: Any) -> bool:
    """Whether a constant of a function's code is the body of a class: it has no fast variables."""
    return isinstance(const, types.CodeType) and not const.co_flags & 0x01


def _lower(node: Any, code: types.CodeType, module_globals: dict[str, Any]) -> None:
    """Rewrites what the parser doesn't know of, in place."""
    # What few functions have is lowered by modules of their own.
    kinds = set(map(type, statements_in([node])))
    if gast.Match in kinds:
        from ir.syntax.matching import lower_matches

        lower_matches(node)
    codes = list(codes_in(code))
    if any(one.co_name == "<genexpr>" for one in codes):
        collect_for_library(node, module_globals, code.co_freevars)
        lower_generator_expressions(node)
    if any("__dict__" in one.co_names or "vars" in one.co_names for one in codes):
        attribute_dicts.lower_attribute_dicts(node, module_globals)
    if any(one.co_flags & _GENERATOR for one in codes):
        from ir.syntax.next_calls import guard_generators

        guard_generators(node)
        kinds.add(gast.Try)
    if any("partial" in one.co_names for one in codes):
        from ir.syntax.partial_functions import lower_partial_functions

        lower_partial_functions(node, module_globals)
    if len(codes) > 1 and gast.FunctionDef in kinds and _has_defaults(node):
        changed_defaults.lower_changed_defaults(node, module_globals)
    if any({"lru_cache", "cache"} & {*one.co_names} for one in codes):
        from ir.syntax.cached_functions import lower_cached_functions

        lower_cached_functions(node, module_globals)
    if any("next" in one.co_names for one in codes):
        from ir.syntax.next_calls import start_iterators

        start_iterators(node, module_globals)
    if gast.Try in kinds:
        from ir.syntax.next_calls import hoist_next

        hoist_next(node, module_globals)


def _has_defaults(function: Any) -> bool:
    """Whether functions in a function have parameters with defaults."""
    return any(
        isinstance(inner, gast.FunctionDef)
        and any((*inner.args.defaults, *inner.args.kw_defaults))
        for inner in statements_in(function.body)
    )


_GENERATOR = 0x20


def codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object and those of the functions inside."""
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from codes_in(const)
