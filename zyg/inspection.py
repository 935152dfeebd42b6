"""What the compiler made of a call, for people to read.

    print(code_ir(f, 2.0))          the typed IR of f
    print(code_adjoint(f, 2.0))     forward and adjoint: the Python that `pullback` runs
    print(code_gradient(f, 2.0))    both in one function, as `gradient` runs it
    print(explain(f, 2.0))          the calls that are only resolved while it runs, and why

Each compiles for these arguments and runs nothing. Notebooks show the results with colours.
"""

from __future__ import annotations

import html
import io
import keyword
import re
import sys
import tokenize
import types
from collections.abc import Callable
from typing import Any

from ir.core import Function, Location, named
from ir.emit import Emitted
from ir.primitives import UNBOUND
from ir.printer import format_function
from ir.record import made, record
from zyg.calls.entry import entry_for
from zyg.calls.entry_cache import Entry
from zyg.calls.tracing import shown
from zyg.compiler.generated import Generated, Joint, Pair


@record
class Listing:
    """A text with a display for notebooks; `str` gives the text."""

    source: str

    def __str__(self) -> str:
        return self.source

    def __repr__(self) -> str:
        return self.source

    def _repr_html_(self) -> str:
        return f"<pre>{highlighted(self.source)}</pre>"


@record
class CodeIR(Listing):
    """The typed IR of a function for one signature."""

    function: Function


@record
class Code(Listing):
    """Generated functions: `source` is Python that runs where the user's names are in scope.

    `functions` holds the functions themselves by their name in the text.
    """

    functions: dict[str, Callable[..., Any]] = made(dict)


@record
class Dispatch:
    """A call that is resolved at run time: where, and why it could not be earlier."""

    location: Location | None
    why: str

    def __str__(self) -> str:
        if self.location is None:
            return self.why
        return f"{self.location}, in {self.location.function}: {self.why}"


@record
class Explanation(Listing):
    """The calls that fall to run-time dispatch; empty where all is known at compile time."""

    calls: tuple[Dispatch, ...]

    def __bool__(self) -> bool:
        return bool(self.calls)


def code_ir(f: Callable[..., Any], *args: Any, **kwargs: Any) -> CodeIR:
    """The IR of `f` with the types that it has for these arguments.

    >>> import math
    >>> def wave(x):
    ...     return math.sin(x)
    >>> code_ir(wave, 2.0)  # doctest: +SKIP
    function wave(x: float):
        t_1: float = math.sin(x)
        return t_1
    """
    function = _entry("pullback", f, args, kwargs).made.function
    return CodeIR(format_function(function), function)


def code_adjoint(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Code:
    """The forward and back function of `f`, followed by those of the functions that it calls.

    A comment names the line that a statement comes from.
    """
    return code_text(_entry("pullback", f, args, kwargs))


def code_gradient(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Code:
    """The function that `gradient` runs: forward and adjoint in one, without what nobody needs."""
    return code_text(_entry("gradient", f, args, kwargs))


def explain(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Explanation:
    """What was not known at compile time in `f` and in the functions that it calls.

    >>> explain(lambda x: x * x, 2.0)
    everything in zyg.inspection.<lambda>(float) is known at compile time
    """
    entry = _entry("pullback", f, args, kwargs)
    calls = []
    for code in _codes(entry.code):
        calls += [Dispatch(location, why) for location, why in code.dispatched]
    unique = tuple(dict.fromkeys(calls))
    description = f"{named(f)}({', '.join(map(repr, entry.types))})"
    if not unique:
        text = f"everything in {description} is known at compile time"
    else:
        lines = "\n".join(f"  {call}" for call in unique)
        text = f"resolved at run time in {description}:\n{lines}"
    return Explanation(text, unique)


def _entry(mode: str, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry:
    try:
        return entry_for(mode, f, args, kwargs)
    except Exception as error:
        shown(error)
        raise


def _codes(code: Pair | Joint) -> list[Pair | Joint]:
    """The code of a function and of all functions that it calls, each once."""
    found = [code]
    for current in found:  # grows on the way
        for value in _emitted(current).environment.values():
            if isinstance(value, Generated) and value.pair is not None:
                if not any(value.pair is other for other in found):
                    found.append(value.pair)
    return found


def _emitted(code: Pair | Joint) -> Emitted:
    assert code.emitted is not None
    return code.emitted


def _functions(code: Pair | Joint) -> list[types.FunctionType]:
    if isinstance(code, Joint):
        return [code.function]
    made = [item for item in (code.forward, code.back) if item is not None]
    return [item.cell.cell_contents for item in made]


def code_text(entry: Entry) -> Code:
    codes = _codes(entry.code)
    names = _Names({word for code in codes for word in _words(_emitted(code).source)})
    functions: dict[str, Callable[..., Any]] = {}
    for code in codes:
        for function in _functions(code):
            functions[names.of(function, function.__name__)] = function
    texts = []
    for code in codes:
        emitted = _emitted(code)
        renamed = {f.__name__: names.of(f, f.__name__) for f in _functions(code)}
        words = _words(emitted.source)
        for name, value in emitted.environment.items():
            if name not in words:
                continue
            target = value.cell.cell_contents if isinstance(value, Generated) else value
            renamed[name] = names.of(target, name)
        texts.append(_renamed(emitted.source, renamed))
    imports = _imports(names, functions)
    return Code("\n\n".join([*imports, *(t.rstrip("\n") + "\n" for t in texts)]), functions)


class _Names:
    """One name for each object in a text that is put together from several."""

    def __init__(self, words: set[str]) -> None:
        self._words = words
        self.objects: dict[str, Any] = {}
        self._found: dict[int, str] = {}

    def of(self, value: Any, wanted: str) -> str:
        if id(value) not in self._found:
            name, number = wanted, 1
            while name in self.objects or (number > 1 and name in self._words):
                number += 1
                name = f"{wanted}_{number}"
            self.objects[name] = value
            self._found[id(value)] = name
        return self._found[id(value)]


def _imports(names: _Names, functions: dict[str, Any]) -> list[str]:
    """The lines that bring the objects of a text into scope."""
    lines = []
    for name, value in names.objects.items():
        if name in functions:
            continue
        if isinstance(value, types.ModuleType):
            line = f"import {value.__name__}"
            lines.append(line if value.__name__ == name else f"{line} as {name}")
            continue
        module, own = getattr(value, "__module__", None), getattr(value, "__name__", None)
        if value is UNBOUND:
            module, own = UNBOUND.__module__, repr(UNBOUND)
        holder = sys.modules.get(module or "")
        is_other = value is not UNBOUND and getattr(holder, own or "", value) is not value
        if module and own and own.isidentifier() and is_other:
            lines.append(f"# {name} stands for {module}.{getattr(value, '__qualname__', own)}")
        elif module and own and own.isidentifier():
            line = f"from {module} import {own}"
            lines.append(line if own == name else f"{line} as {name}")
        else:
            lines.append(f"# {name} stands for {_described(value)}".replace("\n", " "))
    return ["\n".join(sorted(lines))] if lines else []


def _described(value: object) -> str:
    """A value in a line; the globals of a module by its name."""
    if isinstance(value, dict) and "__name__" in value:
        return f"the globals of {value['__name__']}"
    return repr(value)


def _words(source: str) -> set[str]:
    return set(re.findall(r"[^\W\d]\w*", source))


def _renamed(source: str, names: dict[str, str]) -> str:
    """The text with other names for some objects; attributes keep theirs."""
    changed = {old: new for old, new in names.items() if old != new}
    if not changed:
        return source
    lines = source.split("\n")
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for before, token in reversed(list(zip([None, *tokens], tokens, strict=False))):
        if token.type == tokenize.NAME and token.string in changed:
            if before is None or before.string != ".":
                row, start = token.start
                line = lines[row - 1]
                end = start + len(token.string)
                lines[row - 1] = line[:start] + changed[token.string] + line[end:]
    return "\n".join(lines)


_WORDS = re.compile(r"(#[^\n]*)|('(?:[^'\\\n]|\\.)*')|\b([^\W\d]\w*)\b")
_KEYWORDS = {*keyword.kwlist, "function", "yield", "with", "closure", "never"}


def highlighted(source: str) -> str:
    """A listing as HTML: comments grey, keywords bold."""

    def mark(match: re.Match[str]) -> str:
        comment, string, word = match.groups()
        text = html.escape(match.group())
        if comment:
            return f'<span style="color:#6a737d">{text}</span>'
        if string:
            return f'<span style="color:#22863a">{text}</span>'
        return f"<b>{text}</b>" if word in _KEYWORDS else text

    pieces, end = [], 0
    for match in _WORDS.finditer(source):
        pieces += [html.escape(source[end : match.start()]), mark(match)]
        end = match.end()
    return "".join([*pieces, html.escape(source[end:])])
