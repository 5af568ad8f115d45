"""Action values in bulk, for learning: what every legal action is worth in each of many states.

``action_values`` is what a level would say: means over the worlds that it imagines. ``outcomes`` is what each action
comes to with the cards as they lie, and in a few imagined worlds if asked: a sample of the same mean at a fraction of
the cost, and the true cards are one from exactly the worlds that the players' own choices make likely. A regression
over many states averages over what a player cannot see.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from agents.call_policy import hopes_of, is_daring
from agents.endgame import solved_values
from agents.monte_carlo import Budget, Memory, draw_worlds, ends_exactly, new_memory, result_for, think
from agents.rollout import Policy, Scratch, choose, new_scratch, play_out, shipped_policy
from agents.worlds import plan_memory, prepare
from belote_env.checks import check_threads
from belote_env.engine.hiding import hide
from belote_env.engine.jit import compiled, lean
from belote_env.engine.kernel import legal_actions, step
from belote_env.engine.layout import (
    ANNOUNCE,
    AUCTION,
    BELOTE,
    BID,
    HANDS,
    NONE,
    NUM_ACTIONS,
    OVER,
    PHASE,
    RNG,
    SEAT,
    STATE_SIZE,
)
from belote_env.engine.memory import copy_state
from belote_env.engine.options import AUCTION_TRICKS, R_AUCTION
from belote_env.engine.rng import random_below, random_bits
from belote_env.rules import Rules

TEACHER = Budget(calls=60, cards=60, candidates=4, call_temper=1.0, card_temper=0.5, prune=False)
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
    return _valued(_label, states, rules, seed, first, budget, threads)


SENSIBLE_BIDS, OTHER_BIDS = 4, 1
"""How many bids :func:`outcomes` tries of those that are at all sensible, and of the others."""


def outcomes(
    states: np.ndarray,
    rules: Rules,
    seed: int = 0,
    *,
    imagined: tuple[int, int] = (0, 0),
    solve: int = 0,
    first: int = 0,
    threads: int | None = None,
) -> np.ndarray:
    """Return what each legal action comes to with the cards as they lie, all four seats going on by compiled rules.

    Of many bids a random few are tried, most of them not far above what the compiled bidder would bid.

    Args:
        states: whole states, ``int64``, shape ``(n, STATE_SIZE)``.
        rules: their rule set.
        seed: of the choice of bids and of the imagined worlds, which depend on it and on a state's number.
        imagined: in how many more worlds calls are tried, and cards; the outcome is then the mean over these and the
            true one.
        solve: with at most this many cards a hand, worlds are solved exactly instead.
        first: number of the first state.
        threads: how many; all cores by default. The outcomes are the same for any number.

    Returns:
        ``float32``, shape ``(n, NUM_ACTIONS)``: score of the own side less that of the other; nan for actions that
        are illegal or not tried, and as for :func:`action_values`.

    Raises:
        ValueError: for states of another shape or type.
    """
    budget = TEACHER._replace(calls=imagined[0], cards=imagined[1], solve=solve)
    return _valued(_outcomes, states, rules, seed, first, budget, threads)


PROSPECTS = 4
"""How many outcomes :func:`prospects` tells of a state."""


def prospects(states: np.ndarray, rules: Rules, *, threads: int | None = None) -> np.ndarray:
    """Return what a deal comes to with the cards as they lie if the compiled rule player goes on for all four seats.

    A critic that sees all hands can start from it: it tells more of the outcome than most networks find out.

    Args:
        states: whole states, ``int64``, shape ``(n, STATE_SIZE)``.
        rules: their rule set.
        threads: how many; all cores by default.

    Returns:
        ``float32``, shape ``(n, PROSPECTS)``: score of the side to act less that of the other as it is, and the mean,
        best and worst over its legal actions but bids; 0 where the deal is over.

    Raises:
        ValueError: for states of another shape or type.
    """
    _check(states)
    told = np.zeros((len(states), PROSPECTS), dtype=np.float32)

    def tell(low: int, high: int) -> None:
        rows = np.ascontiguousarray(states[low:high])
        _prospects(rows, rules.vector, shipped_policy(), new_scratch(), told[low:high])

    _share(tell, len(states), threads)
    return told


def rule_actions(states: np.ndarray, rules: Rules, *, threads: int | None = None) -> np.ndarray:
    """Return the action of the compiled rule player in each state: ``int64``, shape ``(n,)``; NONE where it is over.

    Args:
        states: whole states, ``int64``, shape ``(n, STATE_SIZE)``; only what the seat to act knows is used.
        rules: their rule set.
        threads: how many; all cores by default.

    Raises:
        ValueError: for states of another shape or type.
    """
    _check(states)
    actions = np.empty(len(states), dtype=np.int64)

    def act(low: int, high: int) -> None:
        _rule_actions(states[low:high], rules.vector, shipped_policy(), new_scratch(), actions[low:high])

    _share(act, len(states), threads)
    return actions


def _valued(
    function: Callable[..., None],
    states: np.ndarray,
    rules: Rules,
    seed: int,
    first: int,
    budget: Budget,
    threads: int | None,
) -> np.ndarray:
    """Return the values that a compiled function writes for states, shared out over threads."""
    _check(states)
    values = np.full((len(states), NUM_ACTIONS), np.nan, dtype=np.float32)

    def value(low: int, high: int) -> None:
        function(
            np.ascontiguousarray(states[low:high]),
            rules.vector,
            seed,
            first + low,
            budget,
            shipped_policy(),
            plan_memory(),
            new_memory(budget._replace(cards=budget.cards + 1)),  # outcomes adds the true world
            values[low:high],
        )

    _share(value, len(states), threads)
    return values


def _check(states: np.ndarray) -> None:
    if states.ndim != 2 or states.shape[1] != STATE_SIZE or states.dtype != np.int64:
        raise ValueError(f"states are int64 of shape (n, {STATE_SIZE}), not {states.dtype} of shape {states.shape}")


def _share(work: Callable[[int, int], None], count: int, threads: int | None) -> None:
    """Call ``work(low, high)`` for equal parts of ``count`` states, each in a thread of its own."""
    workers = max(1, min(check_threads(threads), count))
    bounds = np.linspace(0, count, workers + 1).astype(int).tolist()
    if workers == 1:
        work(0, count)
        return
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, bounds[:-1], bounds[1:]))


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


@compiled
def _outcomes(
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
        if count == 1:
            continue
        rng[RNG] = seed
        rng[RNG] = np.int64(random_bits(rng)) + first + i
        seat = s[SEAT]
        if phase == AUCTION:
            count = _pick_calls(s, r, ids, count, policy, memory.scratch, rng)
        imagined = budget.calls if phase == AUCTION else budget.cards
        if imagined:
            hide(s, r, seat, hidden)
            if not prepare(hidden, r, seat, plan):
                continue
            if not draw_worlds(hidden, r, seat, plan, rng, imagined, budget, policy, memory):
                continue
        if ends_exactly(s, budget):
            copy_state(s, memory.worlds[len(memory.worlds) - 1])
            memory.order[imagined] = len(memory.worlds) - 1
            solved_values(r, seat, ids, count, imagined + 1, memory)
            for j in range(count):
                values[i, ids[j]] = memory.values[j]
            continue
        for j in range(count):
            total = 0.0
            for n in range(imagined + 1):
                world = s if n == imagined else memory.worlds[memory.order[n]]
                total += _outcome(world, r, ids[j], policy, memory.scratch, memory.world)
            values[i, ids[j]] = total / (imagined + 1)


@lean
def _outcome(s: np.ndarray, r: np.ndarray, action: int, policy: Policy, scratch: Scratch, world: np.ndarray) -> float:
    """Return what an action, or going on by rule for NONE, comes to for the side to act; ``world`` is written over."""
    copy_state(s, world)
    if action != NONE:
        step(world, r, action)
    play_out(world, r, policy, scratch)
    return result_for(world, s[SEAT] & 1)


@compiled
def _prospects(states: np.ndarray, r: np.ndarray, policy: Policy, scratch: Scratch, told: np.ndarray) -> None:
    ids = np.empty(NUM_ACTIONS, dtype=np.int64)
    world = np.empty(STATE_SIZE, dtype=np.int64)
    for i in range(len(states)):
        s = states[i]
        if s[PHASE] == OVER:
            continue
        told[i] = _outcome(s, r, NONE, policy, scratch, world)
        tried, total = 0, 0.0
        for j in range(legal_actions(s, r, ids)):
            if ids[j] >= BID:
                continue
            outcome = _outcome(s, r, ids[j], policy, scratch, world)
            tried += 1
            total += outcome
            told[i, 2] = outcome if tried == 1 else max(told[i, 2], outcome)
            told[i, 3] = outcome if tried == 1 else min(told[i, 3], outcome)
        told[i, 1] = total / tried


@lean
def _pick_calls(
    s: np.ndarray, r: np.ndarray, ids: np.ndarray, count: int, policy: Policy, scratch: Scratch, rng: np.ndarray
) -> int:
    """Move the calls to be tried to the front of ``ids``, in random order; return their number."""
    for i in range(count - 1, 0, -1):
        j = random_below(rng, i + 1)
        ids[i], ids[j] = ids[j], ids[i]
    tricks = r[R_AUCTION] == AUCTION_TRICKS
    m = policy.margins[1 if tricks else 0]
    hopes_of(s, r, s[SEAT], s[HANDS + s[SEAT]], policy.tables, policy.margins, scratch.hopes, scratch.found)
    kept, sensible, others = 0, 0, 0
    for i in range(count):
        if ids[i] < BID:
            keep = True
        elif is_daring(ids[i], scratch.hopes, tricks, m):
            keep = others < OTHER_BIDS
            others += 1
        else:
            keep = sensible < SENSIBLE_BIDS
            sensible += 1
        if keep:
            ids[kept] = ids[i]
            kept += 1
    return kept


@compiled
def _rule_actions(states: np.ndarray, r: np.ndarray, policy: Policy, scratch: Scratch, actions: np.ndarray) -> None:
    for i in range(len(states)):
        actions[i] = NONE if states[i][PHASE] == OVER else choose(states[i], r, policy, scratch)
