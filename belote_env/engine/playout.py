"""Whole random deals in one compiled loop, for benchmarks and for filling hands with legal histories."""

from __future__ import annotations

import numpy as np

from belote_env.engine.jit import compiled
from belote_env.engine.kernel import legal_actions, start_match, step
from belote_env.engine.layout import NUM_ACTIONS, OVER, PHASE
from belote_env.engine.rng import random_below


@compiled
def random_deals(s, r, deals):
    """Play ``deals`` first deals of matches with uniformly random legal actions; return the number of actions."""
    ids = np.empty(NUM_ACTIONS, dtype=np.int64)
    actions = 0
    for _ in range(deals):
        start_match(s, r)
        while s[PHASE] != OVER:
            count = legal_actions(s, r, ids)
            step(s, r, ids[random_below(s, count)])
            actions += 1
    return actions
