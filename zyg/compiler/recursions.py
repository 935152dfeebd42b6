"""Functions that call each other, made again in rounds until what is known of them doesn't change.

    def f(x, n): ... g(x, n - 1) ...       round 1: f asks for g, which asks for f, which is open:
    def g(x, n): ... f(x, n - 1) ...                nothing is known of it yet
                                           round 2: f asks for g, which is made again with what
                                                    round 1 found out about f

A specialisation rests on the open ones whose calls it was made with: it is provisional. In each
round of a function, those that rest on it are made once more when they are asked for, and keep what
is known of them until then. They are final when a round has changed nothing that callers see.
"""

from __future__ import annotations

from zyg.compiler.specialisation import Specialisation


class Recursions:
    """What rests on the specialisations that are open: those being made, from the outermost on."""

    def __init__(self, open_: list[Specialisation]) -> None:
        self._open = open_
        self._provisional: dict[Specialisation, None] = {}

    def rest_on(self, known: Specialisation) -> None:
        """Notes that the open ones rest on what one tells that isn't final."""
        depths = {open_: depth for depth, open_ in enumerate(self._open)}
        outer = {*known.rests_on}
        if known in depths:
            known.is_recursive = True
            outer.add(known)
        for open_, depth in depths.items():
            open_.rests_on.update(one for one in outer if depths[one] < depth)

    def begin_round(self, made: Specialisation) -> None:
        """Has those that rest on an open one made again when they are asked for."""
        for inner in self._provisional:
            inner.is_stale = inner.is_stale or made in inner.rests_on
        made.rests_on.clear()
        made.has_unsettled = False
        made.callees.clear()

    def close(self, made: Specialisation, has_changed: bool) -> list[Specialisation]:
        """Settles what rests on one that is open no more, and returns what nothing rests on now.

        Where it rests on others itself, these go on; else all is final that was part of its last
        round.
        """
        if made.rests_on:
            self._provisional[made] = None
            for outer in made.rests_on:
                outer.has_unsettled |= has_changed or made.has_unsettled
        made.is_done = not made.rests_on
        dropped = []
        for inner in list(self._provisional):
            if made not in inner.rests_on:
                continue
            inner.rests_on.remove(made)
            inner.rests_on |= made.rests_on
            if not inner.rests_on:
                del self._provisional[inner]
                inner.is_done = not inner.is_stale
                if inner.is_stale:
                    dropped.append(inner)
        return dropped

    def abandon(self, made: Specialisation) -> list[Specialisation]:
        """The same where one could not be made: what rests on it is of no use."""
        lost = [inner for inner in self._provisional if made in inner.rests_on or inner is made]
        for inner in lost:
            del self._provisional[inner]
        return lost
