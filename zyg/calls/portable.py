"""Generated functions as data: their source, and what it refers to, by name.

    f_back, which calls g_back, np.cos and itself
    ->  Text("f_back", source, {"g_back": Text 1, "np": module numpy, "f_back_1": Text 0})
        Text("g_back", ...)

That is what the pickle of a pullback carries: `unpacked(*packed(function))` is the same function,
loaded anew, in any process that can import what it refers to.
"""

from __future__ import annotations

import ast
import builtins
import dis
import importlib
import types
from collections.abc import Iterator
from typing import Any

from ir.core import Location
from ir.load import load
from ir.record import record
from zyg.compiler.generated import Generated


@record
class Text:
    """The source of one generated function; `module` is the one of the user's function."""

    name: str
    source: str
    locations: dict[int, Location]
    environment: dict[str, Reference]
    globals: dict[str, Reference]
    module: str


@record
class Reference:
    """Something that a text refers to: a text by its number, a module by its name, or an object
    that pickles by itself, as functions do by module and name."""

    kind: str
    target: Any


def packed(function: Generated) -> list[Text]:
    """The texts of a generated function, which stands first, and of those that it calls."""
    found = [function]
    return [_text(generated, found) for generated in found]  # `found` grows on the way


def unpacked(texts: list[Text]) -> types.FunctionType:
    """The first function of the texts, loaded with all that it calls."""
    cells = [types.CellType() for _ in texts]

    def resolved(reference: Reference) -> Any:
        match reference.kind:
            case "text":
                return cells[reference.target]
            case "module":
                return importlib.import_module(reference.target)
            case _:
                return reference.target

    for text, cell in zip(texts, cells, strict=True):
        module_globals: dict[str, Any] = {"__name__": text.module, "__builtins__": builtins}
        module_globals.update({n: resolved(r) for n, r in text.globals.items()})
        loaded = load(
            text.source, name=text.name, module_globals=module_globals,
            environment={n: resolved(r) for n, r in text.environment.items()},
            locations=text.locations,
        )
        cell.cell_contents = loaded[text.name]
    function: types.FunctionType = cells[0].cell_contents
    return function


def _text(generated: Generated, found: list[Generated]) -> Text:
    function: types.FunctionType = generated.cell.cell_contents
    assert generated.pair is not None and generated.pair.emitted is not None
    emitted = generated.pair.emitted
    definition = next(
        node for node in ast.parse(emitted.source).body
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__
    )
    start, end = definition.lineno, definition.end_lineno or definition.lineno
    lines = emitted.source.split("\n")[start - 1 : end]
    locations = {
        line - start + 1: location
        for line, location in emitted.locations.items() if start <= line <= end
    }
    needed = function.__code__.co_freevars
    environment = {
        name: _reference(value, found) for name, value in emitted.environment.items()
        if name in needed
    }
    module_globals = function.__globals__
    read = {
        name: _reference(module_globals[name], found)
        for name in _globals_read(function.__code__) if name in module_globals
    }
    return Text(
        function.__name__, "\n".join(lines) + "\n", locations, environment, read,
        str(module_globals.get("__name__")),
    )


def _reference(value: Any, found: list[Generated]) -> Reference:
    if isinstance(value, Generated):
        if value not in found:
            found.append(value)
        return Reference("text", found.index(value))
    if isinstance(value, types.ModuleType):
        return Reference("module", value.__name__)
    return Reference("object", value)


def _globals_read(code: types.CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _globals_read(const)
