"""The binomial schedule: which states of a loop to keep, to run it backwards in little memory.

With room for `c` states, the one before the first step included, and `r` sweeps over any step,
`(c + r)! / (c! r!)` steps can be reversed. Source: A. Griewank and A. Walther, "Algorithm 799:
revolve", ACM Transactions on Mathematical Software 26 (2000), section 2.

    >>> fewest_steps(100, 100), fewest_steps(100, 5), fewest_steps(100, 1)
    (99, 316, 4950)
"""

from __future__ import annotations

from functools import lru_cache
from math import comb


def reach(slots: int, sweeps: int) -> int:
    """How many steps can be reversed if each is run at most `sweeps` times before its reversal."""
    return comb(slots + sweeps, slots) if sweeps >= 0 else 0


def sweeps_for(steps: int, slots: int) -> int:
    """How often a step has to be run, at the most, before it is reversed."""
    sweeps = 0
    while reach(slots, sweeps) < steps:
        sweeps += 1
    return sweeps


def fewest_steps(steps: int, slots: int) -> int:
    """How many runs of a step the reversal of `steps` steps takes at least, beside one for each
    step in which it is reversed."""
    sweeps = sweeps_for(steps, slots)
    return sweeps * steps - reach(slots + 1, sweeps - 1)


@lru_cache(1 << 14)
def next_kept(steps: int, slots: int) -> int:
    """How far to go from a kept state to the next one that is to be kept.

    There are `steps` steps behind it, and `slots` slots with its own: two or more.
    """
    sweeps = sweeps_for(steps, slots)
    # What is left behind has to be in reach of this many sweeps, and of a slot less; what lies
    # before, of one sweep less, and of all slots.
    return max(1, reach(slots, sweeps - 2), steps - reach(slots - 1, sweeps))
