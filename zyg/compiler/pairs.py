"""The pairs of a compiler: those that have code, those that have IR, and those that wait for it.

    add(key, pair)       the pair may be called
    make(generate)       it and all that it calls have IR, and it is known what they hand over
    load()               they have code
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from zyg.compiler.activity import Flow
from zyg.compiler.generated import Generated, Pair, load
from zyg.compiler.reverse.handing_over import HandedOver
from zyg.compiler.specialisation import Specialisation

# A function for its types, its active inputs, whether it hands out the value alone, what it takes
# over, and whether the gradient that it is a part of stands inside of differentiated code. With the
# last goes what is known of objects there.
PairKey: TypeAlias = tuple[Specialisation, Flow, bool, HandedOver, bool, object]


class Pairs:
    def __init__(self) -> None:
        self._known: dict[PairKey, Pair] = {}
        self._pending: list[tuple[PairKey, Pair]] = []
        # Those of the compilation at hand.
        self._fresh: list[PairKey] = []
        self._made: list[tuple[Specialisation, Pair, list[Generated], bool]] = []
        self._is_making = False

    def get(self, key: PairKey) -> Pair | None:
        return self._known.get(key)

    def add(self, key: PairKey, pair: Pair) -> None:
        self._known[key] = pair
        self._fresh.append(key)
        self._pending.append((key, pair))

    def make(self, generate: Callable[[PairKey, Pair], None]) -> None:
        """Makes the IR of all pairs that were asked for, and of those that this asks for."""
        was_making, self._is_making = self._is_making, True
        try:
            while self._pending:
                generate(*self._pending.pop())
        except BaseException:
            self.abandon()
            raise
        finally:
            self._is_making = was_making
        if not was_making:
            backs = [pair.back for _, pair, _, _ in self._made if pair.back.handed.records]
            if backs:
                from zyg.compiler.reverse.handed_records import find_tables  # few programs have any

                find_tables(backs)

    def load_later(
        self, made: Specialisation, pair: Pair, functions: list[Generated], is_last: bool = False
    ) -> None:
        """Has functions loaded when the IR of all that they call is there."""
        self._made.append((made, pair, functions, is_last))

    def load(self) -> None:
        """Loads all that was made, unless more is about to be."""
        if self._is_making:
            return
        try:
            for made, pair, functions, is_last in self._made:
                pair.emitted = load(made, functions, is_last)
        except BaseException:
            self.abandon()
            raise
        self._made.clear()
        self._fresh.clear()

    def abandon(self) -> None:
        """Forgets the pairs of a compilation that failed: any of them may call one that has no
        code."""
        for key in self._fresh:
            self._known.pop(key, None)
        self._fresh.clear()
        self._pending.clear()
        self._made.clear()
