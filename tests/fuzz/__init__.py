"""Random programs in arithmetic modulo a prime, differentiated exactly: compared with `==`.

    python -m tests.fuzz --count 20000 --seed 0

`generate` writes programs, `oracles` differentiates them in two ways of its own, `check` compares
these with the compiler, `reduction` makes a failing program small.
"""
