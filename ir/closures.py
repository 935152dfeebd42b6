"""Function objects made by emitted code.

A `Lambda` operation that is still needed as an object becomes a call of its `Maker`:

    g = make_g(a)        for        def g(y): return y * a
"""

from __future__ import annotations

import types
from _thread import RLock
from typing import Any

from ir import primitives
from ir.builder import Builder
from ir.core import Const, Function, Lambda, Op, Operand
from ir.emit import emit_functions
from ir.forgettable import IdentityTable
from ir.load import load_definitions
from ir.rewrite import blocks, clone

_makers: IdentityTable[Function, Maker] = IdentityTable()
_lock = RLock()


class Maker:
    """Makes the function objects of one nested function, each with cells of its own."""

    def __init__(self, function: Function) -> None:
        self.__name__ = f"make_{function.name if function.name.isidentifier() else 'function'}"
        self.function = function
        self._template: types.FunctionType | None = None

    def __call__(self, *captures: Any, defaults: Any = (), kwdefaults: Any = None) -> Any:
        template = self._template or self._load()
        names = [value.name for value in self.function.captured]
        new = dict(zip(names, map(types.CellType, captures), strict=True))
        cells = zip(template.__code__.co_freevars, template.__closure__ or (), strict=True)
        function = types.FunctionType(
            template.__code__, template.__globals__, template.__name__, tuple(defaults) or None,
            tuple(new.get(name, cell) for name, cell in cells),
        )
        function.__kwdefaults__ = kwdefaults or None
        if not new.keys() <= set(template.__code__.co_freevars):
            # The code has no use for some of them, but `read_captured` asks for all.
            function.__dict__["captured"] = dict(zip(names, captures, strict=True))
        return function

    @property
    def code(self) -> types.CodeType:
        """The code of the functions that it makes."""
        return self._load().__code__

    def _load(self) -> types.FunctionType:
        with _lock:
            if self._template is None:
                self._template = load_function(self.function)
            return self._template


def maker_of(function: Function) -> Maker:
    with _lock:
        maker = _makers.of(function)
        if maker is None:
            maker = Maker(function)
            _makers.note(function, maker)
        return maker


def replace_lambdas(function: Function) -> None:
    """Turns each `Lambda` into a call of its maker, in place."""
    for block in blocks(function.body):
        block.ops = [
            new for op in block.ops for new in (_made(op) if isinstance(op, Lambda) else [op])
        ]


def _made(op: Lambda) -> list[Op]:
    builder = Builder()
    builder.loc = op.loc
    kwargs: dict[str, Operand] = {}
    if op.defaults:
        kwargs["defaults"] = builder.call(primitives.build_tuple, *op.defaults)
    if op.kwdefaults:
        pairs = [part for name, value in op.kwdefaults.items() for part in (Const(name), value)]
        kwargs["kwdefaults"] = builder.call(primitives.build_dict, *pairs)
    builder.calls(maker_of(op.function), op.captures, [op.result], kwargs=kwargs)
    return builder.ops


def load_function(function: Function, like: types.FunctionType | None = None) -> types.FunctionType:
    """The function that an IR function describes; cells and defaults are those of `like`."""
    function = clone(function)
    replace_lambdas(function)
    emitted = emit_functions([function])
    environment, text = dict(emitted.environment), emitted.text
    cells = () if like is None else like.__closure__ or ()
    freevars = () if like is None else like.__code__.co_freevars
    outside: dict[str, object] = {v.name: types.CellType() for v in function.captured}
    outside.update(zip(freevars, cells, strict=True))
    loaded = load_definitions(
        text.definitions,
        lambda: text.source,
        name=function.name,
        module_globals=function.globals,
        environment={**environment, **outside},
        locations=text.locations,
    )
    (result,) = loaded.values()
    if like is not None:
        result.__defaults__, result.__kwdefaults__ = like.__defaults__, like.__kwdefaults__
    return result
