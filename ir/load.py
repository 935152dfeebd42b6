"""From generated definitions to functions that run in the user's own globals.

    source = "def scale(x):\n    return x * factor\n"
    load(source, name="scale", module_globals=vars(model), environment={"factor": 2.0}, ...)

gives `{"scale": <function scale>}`. The names of the environment become free variables: the text
is compiled as if it stood in two enclosing functions,

    def outer(factor, scale):
        def inner():
            nonlocal scale
            def scale(x):
                return x * factor

and only `inner` runs, with cells of our own in the place of the variables of `outer`. So a global
that the text doesn't take from the environment is the user's, nothing is written into the user's
globals, and a cell can be filled later.

The text gets a file name of its own in `linecache`: `inspect.getsource` and debuggers show it. It
is made when they ask for it, where the definitions come as trees. The name is forgotten when the
last code object of the text is.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any

from ir.core import Location
from ir.record import node

FILE_PREFIX = "zyg"

_START: dict[str, Any] = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}
_SCOPE: dict[str, Any] = {"type_params": [], **_START}
# Names of the enclosing functions, which hide no global of the user's.
_OUTER, _INNER = "<outer>", "<inner>"

_numbers = itertools.count(1)
_generated: dict[str, Generated] = {}
_sources: dict[str, Callable[[], str]] = {}


@node
class Generated:
    """A loaded text: its file name, and the user's place for each of its lines."""

    file: str
    locations: Mapping[int, Location]


def load(
    source: str,
    *,
    name: str,
    module_globals: dict[str, Any],
    environment: Mapping[str, object],
    locations: Mapping[int, Location],
) -> dict[str, FunctionType]:
    """The functions that `source` defines: the text of one or more `def`s, nothing else.

    A value of the environment that is a `CellType` is used as the cell itself, any other value is
    put in a new cell. The functions see each other. A function whose name stands in the
    environment as a cell is stored in that cell. `locations` maps lines of the text, from 1, to
    where they come from; `ir.tracebacks` shows these. `name` only serves the file name.
    """
    tree = ast.parse(source).body
    definitions = [node for node in tree if isinstance(node, ast.FunctionDef)]
    if not definitions or len(definitions) != len(tree):
        raise ValueError("the text of `load` must consist of function definitions")
    return load_definitions(
        definitions, lambda: source, name=name, module_globals=module_globals,
        environment=environment, locations=locations,
    )


def load_definitions(
    tree: Sequence[ast.FunctionDef],
    source: Callable[[], str],
    *,
    name: str,
    module_globals: dict[str, Any],
    environment: Mapping[str, object],
    locations: Mapping[int, Location],
) -> dict[str, FunctionType]:
    """`load` for definitions whose nodes have the lines at which they stand in a text.

    The text itself is made by `source`, where `linecache` is asked for it.
    """
    definitions = [definition.name for definition in tree]
    file = f"<{FILE_PREFIX} {name} {next(_numbers)}>"
    inner = _compile_inner(tree, definitions, environment, file)
    cells = {
        variable: value if isinstance(value, CellType) else CellType(value)
        for variable, value in environment.items()
        if variable in inner.co_freevars
    }
    for definition in definitions:
        cells.setdefault(definition, CellType())
    FunctionType(inner, module_globals, closure=tuple(map(cells.get, inner.co_freevars)))()  # type: ignore[arg-type]
    _register(Generated(file, locations), source, inner)
    return {definition: cells[definition].cell_contents for definition in definitions}


def generated(file: str) -> Generated | None:
    """The loaded text of this file name, while a function of it lives."""
    return _generated.get(file)


def _compile_inner(
    tree: Sequence[ast.FunctionDef],
    definitions: list[str],
    environment: Mapping[str, object],
    file: str,
) -> CodeType:
    own = ast.Nonlocal(list(dict.fromkeys(definitions)), **_START)
    inner = _function(_INNER, [], [own, *tree])
    outer = _function(_OUTER, dict.fromkeys([*environment, *definitions]), [inner])
    module = ast.Module([outer], [])
    code = _nested(_nested(compile(module, file, "exec", dont_inherit=True)))
    return _without_prefix(code, f"{_OUTER}.<locals>.{_INNER}.<locals>.")


def _function(name: str, parameters: Iterable[str], body: list[ast.stmt]) -> ast.FunctionDef:
    arguments = ast.arguments(
        [], [ast.arg(parameter, **_START) for parameter in parameters], None, [], [], None, []
    )
    return ast.FunctionDef(name, arguments, body, [], **_SCOPE)


def _nested(code: CodeType) -> CodeType:
    return next(const for const in code.co_consts if isinstance(const, CodeType))


def _without_prefix(code: CodeType, prefix: str) -> CodeType:
    """The code and all code in it, named as if the definitions stood at the top of a module."""
    return code.replace(
        co_qualname=code.co_qualname.removeprefix(prefix),
        co_consts=tuple(
            _without_prefix(const, prefix) if isinstance(const, CodeType) else const
            for const in code.co_consts
        ),
    )


class _Entry(tuple[Any, ...]):
    """What `linecache` keeps of a file: size, time, lines, name. The lines are made when asked for.

    Its own way for that is not for files whose names stand in angle brackets.
    """

    source: Callable[[], str]

    def __getitem__(self, index: Any) -> Any:
        return self.source().splitlines(keepends=True) if index == 2 else super().__getitem__(index)


def _register(text: Generated, source: Callable[[], str], inner: CodeType) -> None:
    """Makes the text known until the last of its code objects dies.

    Code objects are watched, not functions: a nested function may outlive the one that made it.
    """
    _sources[text.file] = source
    _note_in_cache(text.file, source)
    _generated[text.file] = text
    codes = list(_codes_in(inner))
    alive = [None] * len(codes)
    for code in codes:
        weakref.finalize(code, _forget, text.file, alive).atexit = False


def _forget(file: str, alive: list[None]) -> None:
    # `pop` is atomic, a counter would not be; forgetting twice does no harm.
    alive.pop()
    if not alive:
        _generated.pop(file, None)
        _sources.pop(file, None)
        linecache.cache.pop(file, None)


def _note_in_cache(file: str, source: Callable[[], str]) -> None:
    # Without a modification time `linecache.checkcache` leaves an entry alone.
    entry = _Entry((0, None, [], file))
    entry.source = source
    linecache.cache[file] = entry


def restore_lines(file: str) -> None:
    """Lets `linecache` know a loaded text again, after it was cleared."""
    source = _sources.get(file)
    if source is not None:
        _note_in_cache(file, source)


def _codes_in(code: CodeType) -> list[CodeType]:
    """All code objects in the constants of this one, itself left out."""
    codes: list[CodeType] = []
    for const in code.co_consts:
        if isinstance(const, CodeType):
            codes += [const, *_codes_in(const)]
    return codes
