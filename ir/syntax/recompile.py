"""Whether compiling a syntax tree gives a code object that stands elsewhere.

A function compiles to other code where its surroundings differ: a name may be local to an
enclosing function, private to a class, or imported. So the tree is compiled inside a stand-in,
made from what the code object itself and the imports of its file tell:

    def inner(y):                            import numpy
        return numpy.sin(__x) * y     ->     def <surroundings>(_Model__x):
                                                 class Model:
                                                     def inner(y): ...
"""

from __future__ import annotations
import __future__

import ast
import inspect
from collections.abc import Iterable, Iterator, Sequence
from types import CodeType
from typing import Any, TypeAlias

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_START: dict[str, Any] = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}
_SCOPE: dict[str, Any] = {"type_params": [], **_START}
FUTURES = 0
for _feature in __future__.all_feature_names:
    FUTURES |= getattr(__future__, _feature).compiler_flag


def recompiles_to(node: FunctionNode, code: CodeType, imported: frozenset[str]) -> bool:
    """Whether compiling the node in a place like that of the code gives the same code."""
    if not has_name(node, code):
        return False
    statement: ast.stmt
    statement = ast.Expr(node, **_START) if isinstance(node, ast.Lambda) else node
    class_name = class_name_of(code)
    if class_name is not None:
        statement = ast.ClassDef(class_name, [], [], [statement], [], **_SCOPE)
    body: list[ast.stmt] = [statement]
    defined = class_name or code.co_name
    if defined.isidentifier() and defined not in code.co_freevars:
        body.insert(0, ast.Global([defined], **_START))
    free = [ast.arg(name, **_START) for name in code.co_freevars]
    arguments = ast.arguments([], free, None, [], [], None, [])
    stand_in = ast.FunctionDef("<surroundings>", arguments, body, [], **_SCOPE)
    imports = [ast.Import([ast.alias(name, **_START)], **_START) for name in imported]
    module = ast.Module([*imports, stand_in], [])
    flags = code.co_flags & FUTURES
    try:
        compiled = compile(module, code.co_filename, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    while not is_function(compiled):
        # The code of the node comes after that of its decorators and defaults.
        *_, compiled = codes_in(compiled.co_consts)
    return same_code(code, compiled)


def same_code(left: CodeType, right: CodeType) -> bool:
    """Whether two code objects do the same, wherever they stand."""
    return (
        left.co_code == right.co_code
        and left.co_name == right.co_name
        and left.co_names == right.co_names
        and left.co_varnames == right.co_varnames
        and left.co_cellvars == right.co_cellvars
        and left.co_freevars == right.co_freevars
        and left.co_argcount == right.co_argcount
        and left.co_posonlyargcount == right.co_posonlyargcount
        and left.co_kwonlyargcount == right.co_kwonlyargcount
        and (left.co_flags | inspect.CO_NESTED) == (right.co_flags | inspect.CO_NESTED)
        and left.co_exceptiontable == right.co_exceptiontable
        and _same_constant(left.co_consts, right.co_consts)
    )


def _same_constant(left: object, right: object) -> bool:
    if type(left) is not type(right):
        return False
    match left, right:
        case CodeType(), CodeType():
            return same_code(left, right)
        case tuple(), tuple():
            return len(left) == len(right) and all(map(_same_constant, left, right))
        case frozenset(), frozenset():
            return {(type(item), item) for item in left} == {(type(item), item) for item in right}
        case (float(), float()) | (complex(), complex()):
            # Tells 0.0 from -0.0, and finds NaN equal to itself.
            return repr(left) == repr(right)
        case _:
            return left == right


def has_name(node: FunctionNode, code: CodeType) -> bool:
    return isinstance(node, ast.Lambda) or node.name == code.co_name


def class_name_of(code: CodeType) -> str | None:
    """The innermost class: a part of `f.<locals>.A.m.<locals>.g` with a plain name after it."""
    parts = code.co_qualname.split(".")
    for part, following in zip(parts[-2::-1], parts[:0:-1], strict=True):
        if not part.startswith("<") and following != "<locals>":
            return part
    return None


def is_function(code: CodeType) -> bool:
    """Whether a `def` or a `lambda` made the code, not a class, comprehension or module."""
    named_by_user = code.co_name == "<lambda>" or not code.co_name.startswith("<")
    return named_by_user and bool(code.co_flags & inspect.CO_OPTIMIZED)


def codes_in(constants: Sequence[object]) -> Iterator[CodeType]:
    return (constant for constant in constants if isinstance(constant, CodeType))


def _import_statements(lines: Iterable[str]) -> Iterator[str]:
    """The lines of unindented imports: with brackets, or a backslash, they go on."""
    rest = iter(lines)
    for line in rest:
        if line.startswith(("import ", "from ", "import\t", "from\t")):
            yield line
            depth = line.count("(") - line.count(")")
            while depth > 0 or line.endswith("\\\n"):
                line = next(rest, "")
                if not line:
                    return
                yield line
                depth += line.count("(") - line.count(")")


def imported_names(lines: Sequence[str]) -> frozenset[str]:
    """The names that unindented imports bind.

    Python compiles `a.f()` in another way where the module imports the name `a`.
    """
    try:
        body = ast.parse("".join(_import_statements(lines))).body
    except (SyntaxError, ValueError):
        return frozenset()
    return frozenset(
        (alias.asname or alias.name).partition(".")[0]
        for statement in body
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for alias in statement.names
        if alias.name != "*"
    )
