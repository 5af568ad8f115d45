"""From a user's seed to the 64 bits that a game's generator starts from."""

from __future__ import annotations

import numpy as np


def generator_seed(seed: int | np.random.Generator | None) -> np.int64:
    """Return the start of a kernel generator: hashed from an integer, drawn from a Generator, or from the system.

    Raises:
        ValueError: if ``seed`` is a negative integer or something else.
    """
    if isinstance(seed, np.random.Generator):
        return seed.integers(-(1 << 63), 1 << 63, dtype=np.int64)
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0):
        raise ValueError(f"a seed is a whole number from 0 up, a numpy Generator or None, not {seed!r}")
    return np.random.SeedSequence(seed).generate_state(1, np.uint64).view(np.int64)[0]
