"""Functions of the standard library whose results carry no derivatives: draws, dates.

What else `random` has (`choice`, `gauss`) is Python code around these, and differentiated.
`registry.PLAIN_MODULES` lists modules all of whose functions are of that kind.
"""

from __future__ import annotations

import datetime
import json
import random

from zyg.rules.registry import constant

# `json.dumps` is none of them: `json.loads(json.dumps(x))` is how some programs copy numbers.
constant(json.load, json.loads)
constant(
    *(random.Random.random, random.Random.seed, random.Random.getrandbits),
    *(random.Random.getstate, random.Random.setstate),
    *(random.Random.randint, random.Random.randrange, random.Random.randbytes),
    vars(random.Random)["_randbelow"],
)
# These take no numbers with a derivative, as a length of time in seconds would be.
for _class in (datetime.datetime, datetime.date, datetime.time, datetime.timedelta):
    constant(*[
        getattr(_class, _name)
        for _name in ("isoformat", "strftime", "date", "time", "weekday", "total_seconds", "ctime")
        if hasattr(_class, _name)
    ])
