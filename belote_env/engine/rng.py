"""Random numbers whose generator is one entry of the state, so that a copied or saved game has the same future.

SplitMix64 (Steele, Lea & Flood 2014): 64 bits of state, period 2**64, passes BigCrush.
"""

from __future__ import annotations

import numpy as np

from belote_env.engine.jit import lean
from belote_env.engine.layout import RNG


@lean
def random_bits(s):
    """Advance the generator of state ``s`` and return 64 random bits as ``uint64``."""
    z = np.uint64(s[RNG]) + np.uint64(0x9E3779B97F4A7C15)
    s[RNG] = np.int64(z)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@lean
def random_below(s, n):
    """Return a random integer in ``[0, n)``, ``n < 2**31``; the bias of at most ``n / 2**32`` is accepted."""
    return np.int64(((random_bits(s) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))
