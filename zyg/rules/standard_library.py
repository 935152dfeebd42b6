"""Functions of the standard library whose results carry no derivatives: text, whole numbers, draws.

What else `random` has (`choice`, `shuffle`, `gauss`) is Python code around these, and differentiated.
"""

from __future__ import annotations

import json
import random

from zyg.rules.registry import constant

constant(
    *(json.dump, json.dumps, json.load, json.loads),
    *(json.JSONEncoder.encode, json.JSONEncoder.iterencode, json.JSONDecoder.decode),
)
constant(
    *(random.Random.random, random.Random.seed, random.Random.getrandbits),
    *(random.Random.getstate, random.Random.setstate, random.Random._randbelow),
    *(random.Random.randint, random.Random.randrange, random.Random.randbytes),
)
