"""Action values in bulk, for learning: what every legal action is worth in each of many states.

The same code as that of the levels, over many states at a time and with threads: thousands of decisions a second.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from agents.monte_carlo import Budget, Memory, new_memory, think
from agents.rollout import Policy, shipped_policy
from agents.worlds import plan_memory
from belote_env.engine.hiding import hide
from belote_env.engine.jit import compiled
from belote_env.engine.kernel import legal_actions
from belote_env.engine.layout import ANNOUNCE, AUCTION, BELOTE, NONE, NUM_ACTIONS, OVER, PHASE, RNG, SEAT, STATE_SIZE
from belote_env.engine.rng import random_bits
from belote_env.rules import Rules

TEACHER = Budget(calls=60, cards=60, candidates=4, call_temper=1.0, prune=False)
"""Enough for labels that a regression averages: its noise is paid for by their number."""


def action_values(
    states: np.ndarray,
    rules: Rules,
    budget: Budget = TEACHER,
    seed: int = 0,
    *,
    first: int = 0,
    threads: int | None = None,
) -> np.ndarray:
    """Return what each legal action is worth to the seat to act, who sees his own cards only.

    Args:
        states: whole states, ``int64``, shape ``(n, STATE_SIZE)``.
        rules: their rule set.
        budget: how much to think of each; with ``prune`` the values of poor actions are missing too.
        seed: of the imagined worlds. A state's values depend on it, on its number, and on what the seat knows.
        first: number of the first state, so that a stream of states can be labelled in parts.
        threads: how many; all cores by default. The values are the same for any number.

    Returns:
        ``float32``, shape ``(n, NUM_ACTIONS)``: score of the own side less that of the other; nan for actions that
        are illegal, and where there is nothing to think about: one action only, an announcement, a deal that is over.

    Raises:
        ValueError: for states of another shape or type.
    """
    if states.ndim != 2 or states.shape[1] != STATE_SIZE or states.dtype != np.int64:
        raise ValueError(f"states are int64 of shape (n, {STATE_SIZE}), not {states.dtype} of shape {states.shape}")
    values = np.full((len(states), NUM_ACTIONS), np.nan, dtype=np.float32)
    workers = max(1, min(threads or os.cpu_count() or 1, len(states)))
    bounds = np.linspace(0, len(states), workers + 1).astype(int)

    def label(worker: int) -> None:
        low, high = bounds[worker], bounds[worker + 1]
        _label(
            np.ascontiguousarray(states[low:high]),
            rules.vector,
            seed,
            first + low,
            budget,
            shipped_policy(),
            plan_memory(),
            new_memory(budget),
            values[low:high],
        )

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(label, range(workers)))
    return values


@compiled
def _label(
    states: np.ndarray,
    r: np.ndarray,
    seed: int,
    first: int,
    budget: Budget,
    policy: Policy,
    plan: np.ndarray,
    memory: Memory,
    values: np.ndarray,
) -> None:
    ids = np.empty(NUM_ACTIONS, dtype=np.int64)
    hidden = np.empty(STATE_SIZE, dtype=np.int64)
    rng = np.zeros(STATE_SIZE, dtype=np.int64)
    for i in range(len(states)):
        s = states[i]
        phase = s[PHASE]
        if phase in (OVER, ANNOUNCE, BELOTE):
            continue
        count = legal_actions(s, r, ids)
        if count == 1 or (budget.calls if phase == AUCTION else budget.cards) == 0:
            continue
        rng[RNG] = seed
        rng[RNG] = np.int64(random_bits(rng)) + first + i
        seat = s[SEAT]
        hide(s, r, seat, hidden)
        if think(hidden, r, seat, ids, count, budget, policy, policy, plan, rng, memory) == NONE:
            continue
        for j in range(count):
            values[i, ids[j]] = memory.values[j]
