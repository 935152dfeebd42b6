"""NamedTuples that stand for objects of SciPy's in differentiated code.

    spline = make(x, y)       ->    spline = Pieces.stood_in(make(x, y))

What a function of the user's gives is SciPy's object where it is called as it is, because nothing
that it is given varies, and a NamedTuple where its code was differentiated.
"""

from __future__ import annotations

from ir import facts
from zyg.rules.registry import adjoint
from zyg.rules.tangent_registry import tangent


def stands_in(cls):
    """Declares a class whose `stood_in` gives a NamedTuple for either."""
    stood_in = cls.stood_in
    facts.pure(stood_in)
    facts.result(stood_in)(same)
    adjoint(stood_in)(rule_of_standing_in(stood_in))
    tangent(stood_in)(tangent_of_standing_in)


def same(args, kwargs):
    return args[0]


def rule_of_standing_in(stood_in):
    def rule(made):
        return stood_in(made), lambda bar: (bar,)

    return rule


def tangent_of_standing_in(y, made, made_dot):
    return made_dot
