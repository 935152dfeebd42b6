"""From a code object to the syntax tree that it was compiled from.

    locate(f.__code__, f.__globals__)  ->  Source(node=<FunctionDef f>, file="model.py", ...)

Positions in the tree are those of the file. That the text still is what was compiled is checked
by compiling it again and comparing the code: a file that was edited since its import raises.

Reading a whole file only to find twenty lines would cost more than compiling them, so the text of
the function alone is cut out first, by indentation or, for a lambda, by brackets. It is compiled
inside a stand-in for its surroundings: the same imports, a function that has its free variables,
and a class that gives its private names. Only where that does not give the same code is the whole
file parsed.
"""

from __future__ import annotations

import ast
import linecache
import re
import sys
import warnings
from _thread import allocate_lock
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from types import CodeType, FunctionType, MethodType
from typing import Any

import gast

from ir.core import named
from ir.errors import SourceNotFound
from ir.load import FILE_PREFIX, restore_lines
from ir.record import made, node
from ir.syntax.conversion import to_gast
from ir.syntax.recompile import (
    FUTURES,
    FunctionNode,
    class_name_of,
    codes_in,
    has_name,
    imported_names,
    is_function,
    recompiles_to,
    same_code,
)

_TEXTS_KEPT = 16
_ENDS_TRIED = 16


@node
class Source:
    """A function's syntax tree and where it stands.

    `node` may be shared and must not be changed; `gast_node` is a conversion of its own. `lines`
    is the whole file, `class_name` the class whose private names the function mangles. `nested`
    relates each function node inside, of either tree and by its `id`, to its code object.
    """

    code: CodeType
    node: FunctionNode
    gast_node: Any
    file: str
    lines: Sequence[str]
    qualname: str
    class_name: str | None
    text: _Text

    @cached_property
    def nested(self) -> dict[int, CodeType]:
        """The code objects of the functions inside."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _nested_codes(self.node, self.gast_node, self.code, self.text.imported)


def function_code(function: Callable[..., Any]) -> CodeType:
    """The code object of a Python function or bound method; what has none raises."""
    match function:
        case FunctionType():
            return function.__code__
        case MethodType():
            return function_code(function.__func__)
        case type():
            why = "it is a class"
        case _:
            why = f"it is no Python function but a {type(function).__name__}"
    raise SourceNotFound(named(function), why, "use a function that is written in Python")


def locate(code: CodeType, module_globals: dict[str, Any], *, is_trusted: bool = False) -> Source:
    """The syntax tree of a function or lambda, found by its code object.

    A text that is trusted is not compiled to see whether it is the one that the code came from.

    Raises `SourceNotFound` if there is no text, or if it is not what the code was compiled from.
    Code that an import hook rewrote, as pytest does with `assert`, is found by name and line.
    """
    if not is_function(code):
        raise SourceNotFound(code.co_qualname, "it is not a function", "pass a function")
    with _lock, warnings.catch_warnings():
        # Python has shown the warnings about this text when it was compiled first.
        warnings.simplefilter("ignore")
        text = _text(code, module_globals)
        node = _find(text, code, is_trusted)
        if node is None:
            # `linecache` may hold the text from before a reload of the module.
            linecache.checkcache(code.co_filename)
            text = _text(code, module_globals)
            node = _find(text, code, is_trusted)
        if node is None:
            raise _not_found(code, text.lines)
    return Source(
        code=code,
        node=node,
        gast_node=to_gast(node),
        file=code.co_filename,
        lines=text.lines,
        qualname=code.co_qualname,
        class_name=class_name_of(code),
        text=text,
    )


def _not_found(code: CodeType, lines: Sequence[str]) -> SourceNotFound:
    file, line = code.co_filename, code.co_firstlineno
    if lines:
        why = f"{file}:{line} is not the text that it was compiled from"
        advice = "if the file changed since it was imported, import it again"
    elif file.startswith("<"):
        why = f"it was compiled from {file}, whose text Python does not keep"
        advice = "define it in a file or in a notebook cell, or register the text in linecache"
    else:
        why = f"the file {file} can't be read"
        advice = "make the file available under this path"
    return SourceNotFound(code.co_qualname, why, advice)


@node
class _Whole:
    """The functions of a whole file and their code."""

    nodes: dict[tuple[int, bool], list[FunctionNode]]
    codes: dict[tuple[int, bool], list[CodeType]]


@node
class _Text:
    """A file and, once needed, all of it (by compiler flags)."""

    lines: Sequence[str]
    whole: dict[int, _Whole | None] = made(dict)

    @cached_property
    def imported(self) -> frozenset[str]:
        """The names that the file imports."""
        return imported_names(self.lines)


_texts: OrderedDict[str, _Text] = OrderedDict()
# Guards `_texts` and what it holds, and the warning filters, which belong to the whole process.
_lock = allocate_lock()


def _text(code: CodeType, module_globals: dict[str, Any]) -> _Text:
    file, lines = code.co_filename, _lines(code, module_globals)
    text = _texts.get(file)
    if text is None or not (text.lines is lines or text.lines == lines):
        text = _texts[file] = _Text(lines)
    _texts.move_to_end(file)
    if len(_texts) > _TEXTS_KEPT:
        _texts.popitem(last=False)
    return text


def _lines(code: CodeType, module_globals: dict[str, Any]) -> list[str]:
    file = code.co_filename
    if file.startswith("<frozen "):  # a part of Python that comes with it, and has a file as well
        file = str(module_globals.get("__file__"))
    # Registers the loader of a module that comes from a zip file.
    linecache.lazycache(file, module_globals)
    lines = linecache.getlines(file, module_globals)
    if not lines and file.startswith(f"<{FILE_PREFIX} "):
        restore_lines(file)
        lines = linecache.getlines(file, module_globals)
    if not lines and file == "<string>" and module_globals.get("__name__") == "__main__":
        return _command_lines()
    return lines


def _command_lines() -> list[str]:
    """The text of `python -c`."""
    arguments = iter(sys.orig_argv[1:])
    for argument in arguments:
        if argument in ("-W", "-X", "--check-hash-based-pycs"):
            next(arguments, None)
        elif command := re.fullmatch(r"-[bBdEiIOPqsSuvx]*c(.*)", argument, re.DOTALL):
            text = command[1] or next(arguments, "")
            return text.splitlines(keepends=True)
        elif not argument.startswith("-"):
            break
    return []


def _find(text: _Text, code: CodeType, is_trusted: bool) -> FunctionNode | None:
    if not 1 <= code.co_firstlineno <= len(text.lines):
        return None
    if code.co_name == "<lambda>":
        node = _find_lambda(text, code)
    else:
        node = _find_definition(text, code, is_trusted)
    return node or _find_in_file(text, code)


def _find_definition(text: _Text, code: CodeType, is_trusted: bool) -> FunctionNode | None:
    """Cuts the definition out of the file: it ends before a line that is indented no deeper.

    Such a line may also stand in brackets or in a string: then what comes before does not parse.
    """
    lines, start = text.lines, code.co_firstlineno - 1
    indent = _indentation(lines[start])
    if indent and start == 0:
        return None
    # Empty lines in front, so that the parser counts as in the file.
    before = "\n" * (start - 1) + "if 1:\n" if indent else "\n" * start
    ends = (
        end
        for end in range(_last_line(code), len(lines) + 1)
        if end == len(lines) or _indentation(lines[end]) <= indent
    )
    for end in islice(ends, _ENDS_TRIED):
        body = _parse(before + "".join(lines[start:end]), code)
        if body and indent:
            assert isinstance(body[0], ast.If)
            body = body[0].body
        if body:
            node = body[0]
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                return None
            is_known = is_trusted and has_name(node, code)
            return node if is_known or recompiles_to(node, code, text.imported) else None
    return None


def _indentation(line: str) -> float:
    """The width of the indentation; infinite for a line that ends no block."""
    stripped = line.lstrip()
    if not stripped or stripped.startswith("#"):
        return float("inf")
    return len(line[: len(line) - len(stripped)].expandtabs())


def _last_line(code: CodeType) -> int:
    """The last line that left a trace in the code; the function may go on after it."""
    own = (line for _, _, line in code.co_lines() if line is not None)
    return max([code.co_firstlineno, *own, *map(_last_line, codes_in(code.co_consts))])


_LAMBDA = r"\blambda\b"
_LAMBDA_TOKEN = (
    r'''(?P<skip>"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\''''
    r"""|"(?:\\.|[^\\"\n])*"|'(?:\\.|[^\\'\n])*'|\#[^\n]*|\\\n)"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<end>[,:;\n]|\b(?:for|async)\b)"""
)


def _find_lambda(text: _Text, code: CodeType) -> FunctionNode | None:
    """Tries each `lambda` of the line, up to each place where it could end.

    Among lambdas that give the same code the positions decide, if the code has any.
    """
    lines, start = text.lines, code.co_firstlineno - 1
    below = "".join(lines[start : _last_line(code) + _ENDS_TRIED])
    found: FunctionNode | None = None
    for keyword in re.finditer(_LAMBDA, lines[start]):
        for end in islice(_lambda_ends(below, keyword.start()), _ENDS_TRIED):
            column = len(lines[start][: keyword.start()].encode())
            expression = " " * column + below[keyword.start() : end]
            body = _parse("\n" * start + "(\n" + expression + "\n)", code)
            if not body or not isinstance(body[0], ast.Expr):
                continue
            node = body[0].value
            if isinstance(node, ast.Lambda):
                ast.increment_lineno(node, -1)
                if recompiles_to(node, code, text.imported):
                    if _covers(node, code):
                        return node
                    found = found or node
    return found


def _lambda_ends(text: str, start: int) -> Iterator[int]:
    depth = 0
    # Compiled when it is first needed, which `re` remembers.
    for token in re.compile(_LAMBDA_TOKEN, re.DOTALL).finditer(text, start):
        match token.lastgroup:
            case "open":
                depth += 1
            case "close":
                if depth == 0:
                    yield token.start()
                    return
                depth -= 1
            case "end" if depth == 0:
                yield token.start()
    yield len(text)


def _covers(node: FunctionNode, code: CodeType) -> bool:
    """Whether all positions of the code, if it has any, lie in the node."""
    first = node.lineno, node.col_offset
    last = node.end_lineno or 0, node.end_col_offset or 0
    for line, end_line, column, end_column in code.co_positions():
        # The start of a function has a line but no columns.
        if line is None or end_line is None or column is None or not end_column:
            continue
        if (line, column) < first or (end_line, end_column) > last:
            return False
    return True


def _parse(text: str, code: CodeType) -> list[ast.stmt] | None:
    try:
        return ast.parse(text, code.co_filename).body
    except (SyntaxError, ValueError):
        return None


def _find_in_file(text: _Text, code: CodeType) -> FunctionNode | None:
    whole = _whole(text, code)
    if whole is None:
        return None
    key = _key(code)
    if not any(
        same_code(code, compiled) or _may_be_rewritten(compiled, code)
        for compiled in whole.codes.get(key, ())
    ):
        return None
    nodes = [node for node in whole.nodes.get(key, ()) if has_name(node, code)]
    if len(nodes) > 1:
        nodes = [node for node in nodes if recompiles_to(node, code, text.imported)] or nodes
    return next((node for node in nodes if _covers(node, code)), nodes[0] if nodes else None)


def _whole(text: _Text, code: CodeType) -> _Whole | None:
    flags = code.co_flags & FUTURES
    if flags not in text.whole:
        try:
            tree = ast.parse("".join(text.lines), code.co_filename)
            module = compile(tree, code.co_filename, "exec", flags, dont_inherit=True)
            text.whole[flags] = _Whole(_nodes_by_key(tree), _codes_by_key(module))
        except (SyntaxError, ValueError):
            text.whole[flags] = None
    return text.whole[flags]


def _may_be_rewritten(compiled: CodeType, code: CodeType) -> bool:
    """Whether an import hook may have made the code, having `@py_` names, of the compiled one."""
    parameters = code.co_argcount + code.co_kwonlyargcount
    return (
        _has_hooked_names(code)
        and compiled.co_name == code.co_name
        and compiled.co_varnames[:parameters] == code.co_varnames[:parameters]
        and set(compiled.co_names) <= set(code.co_names)
    )


def _has_hooked_names(code: CodeType) -> bool:
    names = code.co_names + code.co_varnames + code.co_cellvars
    return any(name.startswith("@py_") for name in names) or any(
        map(_has_hooked_names, codes_in(code.co_consts))
    )


def _key(code: CodeType) -> tuple[int, bool]:
    """What tells functions of one file apart, except lambdas that start on the same line."""
    return code.co_firstlineno, code.co_name == "<lambda>"


def _node_key(node: Any) -> tuple[int, bool]:
    if type(node).__name__ == "Lambda":
        return node.lineno, True
    return (node.decorator_list[0] if node.decorator_list else node).lineno, False


def _nodes_by_key(tree: ast.AST) -> dict[tuple[int, bool], list[FunctionNode]]:
    nodes: dict[tuple[int, bool], list[FunctionNode]] = {}
    for inner in ast.walk(tree):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            nodes.setdefault(_node_key(inner), []).append(inner)
    return nodes


def _codes_by_key(code: CodeType) -> dict[tuple[int, bool], list[CodeType]]:
    """All code objects inside this one, itself left out."""
    codes: dict[tuple[int, bool], list[CodeType]] = {}
    pending = list(codes_in(code.co_consts))
    while pending:
        nested = pending.pop()
        pending += codes_in(nested.co_consts)
        if is_function(nested):
            codes.setdefault(_key(nested), []).append(nested)
    return codes


def _nested_codes(
    node: FunctionNode, gast_node: Any, code: CodeType, imported: frozenset[str]
) -> dict[int, CodeType]:
    codes = _codes_by_key(code)
    if not codes:
        return {}
    body: Any = node.body if isinstance(node.body, list) else [node.body]
    at: dict[tuple[int, int], CodeType] = {}
    nested: dict[int, CodeType] = {}
    for key, nodes in _nodes_by_key(ast.Module(body, [])).items():
        candidates = codes.get(key, [])
        for inner in nodes:
            found = candidates[0] if len(candidates) == 1 else _choose(inner, candidates, imported)
            if found is not None:
                nested[id(inner)] = at[inner.lineno, inner.col_offset] = found
    for inner in gast.walk(gast_node):
        if isinstance(inner, gast.FunctionDef | gast.AsyncFunctionDef | gast.Lambda):
            # Each function starts with a keyword of its own, so its place identifies it.
            found = at.get((inner.lineno, inner.col_offset))
            if found is not None:
                nested[id(inner)] = found
    return nested


def _choose(node: FunctionNode, codes: list[CodeType], imported: frozenset[str]) -> CodeType | None:
    """The code of a lambda among those of its line; equal code is interchangeable."""
    giving = [code for code in codes if recompiles_to(node, code, imported)]
    return next((code for code in giving if _covers(node, code)), giving[0] if giving else None)
