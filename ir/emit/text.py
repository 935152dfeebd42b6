"""The text of emitted definitions, and the line in it at which each statement stands.

    def f(x):              # 1            def f(x):
        y = math.sin(x)    # 2      ->        y = math.sin(x)  # model.py:7
        return y           # 3                return y

Most generated code is never looked at, and rendering takes as long as compiling it. So the lines
are told from the trees, one line a statement, as astor prints them in this module alone; where the
location of a statement differs from the one before, it is appended as a comment.
"""

from __future__ import annotations

import ast
import pickle
import weakref
from collections import deque
from os.path import basename
from typing import Any

from ir import record
from ir.core import Location

BLANK_LINES = 2  # between two definitions
# The attribute of a statement that tells where in the source it comes from.
LOCATION = "zyg_location"
# A tree takes fifty times the memory of its text, and each of its nodes is an object that the
# collector of garbage goes through: only the latest ones stay.
MAX_TREES = 8


@record.node
class Text:
    """The text of definitions, and where its lines come from.

    It knows nothing of the objects that the definitions need: it lives as long as their code, and
    these may lead to that.
    """

    locations: dict[int, Location]
    comments: bool
    # One of these; the second is the first as `pickle` writes it.
    _tree: list[ast.FunctionDef] | None
    _packed: bytes = b""
    _source: str = ""

    @property
    def definitions(self) -> list[ast.FunctionDef]:
        if self._tree is not None:
            return self._tree
        if self._packed:
            unpacked: list[ast.FunctionDef] = pickle.loads(self._packed)
            return unpacked
        parsed = ast.parse(self._source).body
        return [statement for statement in parsed if isinstance(statement, ast.FunctionDef)]

    @property
    def source(self) -> str:
        """It is rendered when it is first asked for."""
        if not self._source:
            self._source = rendered(self.definitions, self.locations if self.comments else {})
            self._tree, self._packed = None, b""
        return self._source

    def pack(self) -> None:
        """Keeps the definitions in few bytes, which takes less time than to render them."""
        if self._tree is not None:
            self._tree, self._packed = None, pickle.dumps(self._tree, pickle.HIGHEST_PROTOCOL)


_with_trees: deque[weakref.ref[Text]] = deque()


def text_of(definitions: list[ast.FunctionDef], comments: bool) -> Text:
    """The text of definitions, whose nodes are given their lines in it."""
    text = Text(placed(definitions), comments, definitions)
    _with_trees.append(weakref.ref(text))
    if len(_with_trees) > MAX_TREES:
        oldest = _with_trees.popleft()()
        if oldest is not None:
            oldest.pack()
    return text


def placed(definitions: list[ast.FunctionDef]) -> dict[int, Location]:
    """Gives all nodes the lines at which they stand in the text; where these lines come from."""
    locations: dict[int, Location] = {}
    line = 1
    for definition in definitions:
        body, definition.body = definition.body, []
        _place(definition, line)
        definition.body = body
        line = _place_all(body, line + 1, locations) + BLANK_LINES
    return locations


def _place_all(statements: list[ast.stmt], line: int, locations: dict[int, Location]) -> int:
    """Places the statements of a block; gives the line behind it."""
    for statement in statements:
        location = getattr(statement, LOCATION, None)
        if location is not None:
            locations[line] = location
        match statement:
            case ast.If(test, body, orelse):
                _place_one(statement, line)
                _place(test, line)
                line = _place_all(body, line + 1, locations)
                if len(orelse) == 1 and isinstance(orelse[0], ast.If):  # an `elif`
                    line = _place_all(orelse, line, locations)
                elif orelse:
                    line = _place_all(orelse, line + 1, locations)
            case ast.For(target, iterable, body):
                _place_one(statement, line)
                _place(target, line)
                _place(iterable, line)
                line = _place_all(body, line + 1, locations)
            case ast.While(test, body):
                _place_one(statement, line)
                _place(test, line)
                line = _place_all(body, line + 1, locations)
            case ast.Try(body, handlers, orelse):
                _place_one(statement, line)
                line = _place_all(body, line + 1, locations)
                for handler in handlers:
                    _place_one(handler, line)
                    if handler.type is not None:
                        _place(handler.type, line)
                    line = _place_all(handler.body, line + 1, locations)
                if orelse:
                    line = _place_all(orelse, line + 1, locations)
            case _:
                _place(statement, line)
                line += 1
        for target, context in _targets(statement):
            _make_target(target, context)
    return line


def _targets(statement: ast.stmt) -> list[tuple[ast.expr, ast.expr_context]]:
    """What a statement assigns to or deletes."""
    match statement:
        case ast.Assign(targets):
            return [(target, ast.Store()) for target in targets]
        case ast.AugAssign(target) | ast.For(target):
            return [(target, ast.Store())]
        case ast.Delete(targets):
            return [(target, ast.Del()) for target in targets]
        case _:
            return []


def _make_target(target: ast.expr, context: ast.expr_context) -> None:
    """Says what becomes of an expression, which shows in a tree, but in no text."""
    match target:
        case ast.Tuple(items) | ast.List(items):
            for item in items:
                _make_target(item, context)
        case ast.Starred(inner):
            _make_target(inner, context)
    target.ctx = context  # type: ignore[attr-defined]


_PLACED = (ast.expr, ast.keyword, ast.arguments, ast.arg)


def _place(root: ast.AST, line: int) -> None:
    """Gives a node and all nodes inside it a line."""
    position = _position(line)
    pending = [root]
    for node in pending:  # which grows
        fields = node.__dict__
        for value in fields.values():
            if isinstance(value, _PLACED):
                pending.append(value)
            elif type(value) is list:
                pending += [item for item in value if isinstance(item, _PLACED)]
        fields.update(position)


def _place_one(node: ast.AST, line: int) -> None:
    node.__dict__.update(_position(line))


def _position(line: int) -> dict[str, Any]:
    # Without columns: no caret is shown in generated code.
    return {"lineno": line, "end_lineno": line, "col_offset": 0, "end_col_offset": 0}


def rendered(definitions: list[ast.FunctionDef], locations: dict[int, Location]) -> str:
    """The text of definitions that were `placed`, with locations in comments."""
    # Imported late: astor costs more to import than most of the package.
    import astor

    lines: list[str] = []
    for definition in definitions:
        if lines:
            lines += [""] * BLANK_LINES
        text = astor.to_source(
            definition, pretty_source="".join, pretty_string=lambda text, *_, **__: repr(text)
        )
        previous: Location | None = None
        for offset, line in enumerate(text.rstrip("\n").split("\n")):
            location = locations.get(len(lines) + 1)
            if location is not None:
                shown = previous is None or (location.file, location.line) != (
                    previous.file, previous.line
                )
                if shown and offset > 0:
                    line = f"{line}  # {basename(location.file)}:{location.line}"
                previous = location
            lines.append(line)
    return "\n".join(lines) + "\n"
