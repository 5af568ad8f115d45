"""Monte-Carlo action values: what each legal action is worth over sampled worlds, each played out by compiled rules.

For each world every legal action is taken and the deal played to its end by ``rollout``, all four players seeing their
own cards only; the value of an action is its mean over the worlds. Unlike double-dummy values this does not take for
granted that everyone sees everything ("strategy fusion"; Long et al. 2010, Furtak & Buro 2013). Worlds are drawn
uniformly from those that agree with what is public and resampled by how likely they make what the others did
(Rebstock et al. 2019), tempered, since the others need not think like the model.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from agents.call_policy import hopes_of, is_daring
from agents.endgame import solved_values
from agents.inference import auction_likelihood, play_likelihood
from agents.rollout import TIE_BREAK, Scratch, choose, new_scratch, play_out
from agents.worlds import draw, prepare
from belote_env.engine.jit import inner, lean
from belote_env.engine.kernel import step
from belote_env.engine.layout import (
    AUCTION,
    BID,
    COINCHER,
    DEAL_SCORES,
    GENERALE,
    HANDS,
    NONE,
    NUM_ACTIONS,
    PHASE,
    PLAY,
    PLAYED,
    POINTS,
    RUNG,
    STATE_SIZE,
    TRICKS,
)
from belote_env.engine.memory import copy_state
from belote_env.engine.options import AUCTION_TRICKS, AUCTION_TURNED, R_AUCTION
from belote_env.engine.rng import random_below, random_bits
from belote_env.solver import table_memory, working_memory

MOST_WORLDS = 1_000_000
"""Worlds that may be drawn for one decision; to think longer, think for a time."""


class Budget(NamedTuple):
    """How much a Monte-Carlo player thinks, and how.

    Attributes:
        calls: worlds imagined for a call.
        cards: worlds imagined for a card.
        candidates: worlds drawn for each that is kept, the likelier ones being kept more often.
        call_temper: power to which the likelihood of the others' calls is raised; 0 ignores them.
        card_temper: the same for the cards they played.
        solve: with at most this many cards a hand, worlds are solved exactly instead of played out.
        prune: whether actions that look bad are given up early.
    """

    calls: int
    cards: int
    candidates: int = 1
    call_temper: float = 0.0
    card_temper: float = 0.0
    solve: int = 0
    prune: bool = True

    def times(self, factor: float) -> Budget:
        """Return the budget with ``factor`` times the worlds, of which none become none and some at least one."""
        calls, cards = (max(round(worlds * factor), worlds > 0) for worlds in (self.calls, self.cards))
        return self._replace(calls=int(calls), cards=int(cards))


class Memory(NamedTuple):
    """Memory that the search works in; one for each thread.

    Attributes:
        worlds: ``int64``, shape ``(at least worlds * candidates, STATE_SIZE)``.
        chances: ``float64``, one a world drawn: first log-likelihoods, then the running sum of likelihoods.
        order: ``int64``, one a world drawn: which of ``worlds`` are kept, some of them more than once.
        world: a world being played out.
        values: ``float64``, shape ``(NUM_ACTIONS,)``: of the legal actions, in their order.
        open: ``int64``, shape ``(NUM_ACTIONS,)``: places of the actions that are still looked at.
        scratch: of the rollouts.
        work, table: of the exact solver.
        points: ``int64``, length 32: what the solver finds for each card.
    """

    worlds: np.ndarray
    chances: np.ndarray
    order: np.ndarray
    world: np.ndarray
    values: np.ndarray
    open: np.ndarray
    scratch: Scratch
    work: np.ndarray
    table: np.ndarray
    points: np.ndarray


def new_memory(budget: Budget) -> Memory:
    """Return memory for thinking this much.

    Raises:
        ValueError: if that is more than MOST_WORLDS at a time.
    """
    worlds = max(budget.calls, budget.cards, 1) * budget.candidates
    if worlds > MOST_WORLDS:
        raise ValueError(f"{worlds:,} worlds at a time are too many: at most {MOST_WORLDS:,}, of 1.3 kB each")
    return Memory(
        np.empty((worlds, STATE_SIZE), dtype=np.int64),
        np.empty(worlds),
        np.empty(worlds, dtype=np.int64),
        np.empty(STATE_SIZE, dtype=np.int64),
        np.empty(NUM_ACTIONS),
        np.empty(NUM_ACTIONS, dtype=np.int64),
        new_scratch(),
        working_memory(),
        table_memory(12 if budget.solve <= 5 else 16),
        np.empty(32, dtype=np.int64),
    )


@inner
def result_for(s, team):
    """Return what a finished deal is worth to a team: the difference of the scores, then of points and tricks."""
    other = 1 - team
    small = s[POINTS + team] - s[POINTS + other] + s[TRICKS + team] - s[TRICKS + other]
    return s[DEAL_SCORES + team] - s[DEAL_SCORES + other] + TIE_BREAK * small


@lean
def draw_worlds(hidden, r, seat, plan, rng, count, budget, model, memory):
    """Draw ``count`` worlds, each the pick of ``candidates``, into ``memory.worlds``; return whether there are any.

    Args:
        hidden: what ``seat`` knows.
        r: the rule vector.
        seat: the seat.
        plan: from ``worlds.prepare``.
        rng: the generator, as for ``worlds.draw``.
        count: how many worlds to keep.
        budget: how many to draw for each, and how to weigh them.
        model: how the others are taken to have bid and played.
        memory: where to.
    """
    drawn = count * budget.candidates
    for i in range(drawn):
        if not draw(hidden, r, seat, plan, rng, memory.worlds[i]):
            return False
        memory.order[i] = i
    if budget.candidates == 1:
        return True
    scratch = memory.scratch
    best = -1e300
    for i in range(drawn):
        world = memory.worlds[i]
        chance = 0.0
        if budget.call_temper > 0.0:
            chance += budget.call_temper * auction_likelihood(
                world, r, seat, model.tables, model.margins, memory.world, scratch.hopes, scratch.found
            )
        if budget.card_temper > 0.0 and hidden[PHASE] != AUCTION:
            chance += budget.card_temper * play_likelihood(world, r, seat, model.weights, memory.world, scratch.facts)
        memory.chances[i] = chance
        best = max(best, chance)
    total = 0.0
    for i in range(drawn):
        total += math.exp(memory.chances[i] - best)
        memory.chances[i] = total
    # Systematic resampling: evenly spaced pointers on the running sum, from a random start.
    pointer = float(random_bits(rng) >> np.uint64(11)) * 2.0**-53 * total / count
    pick = 0
    for i in range(count):
        while pick < drawn - 1 and memory.chances[pick] < pointer:
            pick += 1
        memory.order[i] = pick
        pointer += total / count
    # So that the first worlds looked at are like the others.
    for i in range(count - 1, 0, -1):
        j = random_below(rng, i + 1)
        memory.order[i], memory.order[j] = memory.order[j], memory.order[i]
    return True


@inner
def _open_all(count, memory):
    for i in range(count):
        memory.open[i] = i
    return count


@inner
def _open_sensible_calls(hidden, r, seat, ids, count, model, memory):
    """Put the places of the calls worth a thought first in ``memory.open``; return their number.

    Left out are bids far above what the compiled bidder would bid.
    """
    if r[R_AUCTION] == AUCTION_TURNED or hidden[COINCHER] != NONE:
        return _open_all(count, memory)
    tricks = r[R_AUCTION] == AUCTION_TRICKS
    m = model.margins[1 if tricks else 0]
    hopes = memory.scratch.hopes
    hopes_of(hidden, r, seat, hidden[HANDS + seat], model.tables, model.margins, hopes, memory.scratch.found)
    first, last = 0, count
    for i in range(count):
        if ids[i] < BID or not is_daring(ids[i], hopes, tricks, m):
            memory.open[first] = i
            first += 1
        else:
            last -= 1
            memory.open[last] = i
    return first


@inner
def _keep_best(memory, start, count, keep):
    """Move the places of the ``keep`` actions with the highest values to ``memory.open[start:]``."""
    for i in range(start, min(start + keep, count)):
        best = i
        for j in range(i + 1, count):
            if memory.values[memory.open[j]] > memory.values[memory.open[best]]:
                best = j
        memory.open[i], memory.open[best] = memory.open[best], memory.open[i]


@lean
def rollout_values(r, seat, ids, count, looked_at, worlds, prune, calling, policy, memory):
    """Write the mean value of each action over the drawn worlds into ``memory.values``; return the best one's place.

    Args:
        r: the rule vector.
        seat: the seat to act.
        ids: the legal actions.
        count: how many.
        looked_at: how many of ``memory.open`` are looked at.
        worlds: how many worlds of ``memory.order`` are used.
        prune: whether actions that look bad are given up early: after an eighth of the worlds all but eight, after a
            quarter all but four, after half all but two. Their values are -inf. Of many bids, those that were lucky so
            far are kept: so calls are valued anew after each time that some are given up, and the first of them, a
            pass, is always kept.
        calling: whether the actions are calls.
        policy: plays the deals out.
        memory: holds the worlds.
    """
    team = seat & 1
    kept = 1 if calling else 0
    since = 0
    for i in range(count):
        memory.values[i] = 0.0
    for n in range(worlds):
        if prune and n and (n == worlds >> 3 or n == worlds >> 2 or n == worlds >> 1):
            keep = 8 if n == worlds >> 3 else (4 if n == worlds >> 2 else 2)
            if looked_at > kept + keep:
                _keep_best(memory, kept, looked_at, keep)
                looked_at = kept + keep
                if calling:
                    since = n
        origin = memory.worlds[memory.order[n]]
        for j in range(looked_at):
            i = memory.open[j]
            copy_state(origin, memory.world)
            step(memory.world, r, ids[i])
            play_out(memory.world, r, policy, memory.scratch)
            if n == since:
                memory.values[i] = 0.0
            memory.values[i] += (result_for(memory.world, team) - memory.values[i]) / (n - since + 1)
    for j in range(looked_at, count):
        memory.values[memory.open[j]] = -np.inf
    _keep_best(memory, 0, looked_at, 1)
    return memory.open[0]


@inner
def ends_exactly(s, budget):
    """Return whether worlds of a position are solved exactly instead of played out."""
    return s[PHASE] == PLAY and 8 - (s[PLAYED] >> 2) <= budget.solve and s[RUNG] != GENERALE


@lean
def think(hidden, r, seat, ids, count, budget, model, policy, plan, rng, memory):
    """Write the values of the legal actions into ``memory.values``; return the best one's place, NONE without a world.

    Args:
        hidden: what ``seat``, which is to act, knows.
        r: the rule vector.
        seat: the seat.
        ids: the legal actions to choose from.
        count: how many.
        budget: how much to think.
        model: how the others are taken to have bid and played.
        policy: plays the deals out.
        plan: from ``worlds.plan_memory``.
        rng: the generator, as for ``worlds.draw``.
        memory: from :func:`new_memory`, for this budget.
    """
    calling = hidden[PHASE] == AUCTION
    worlds = budget.calls if calling else budget.cards
    if not prepare(hidden, r, seat, plan):
        return NONE
    if not draw_worlds(hidden, r, seat, plan, rng, worlds, budget, model, memory):
        return NONE
    if ends_exactly(hidden, budget):
        return solved_values(r, seat, ids, count, worlds, memory)
    if calling and budget.prune:
        looked_at = _open_sensible_calls(hidden, r, seat, ids, count, model, memory)
    else:
        looked_at = _open_all(count, memory)
    return rollout_values(r, seat, ids, count, looked_at, worlds, budget.prune, calling, policy, memory)


@lean
def choose_by_rule(hidden, r, seat, policy, plan, rng, memory):
    """Return the action of the compiled rules; NONE if no deal agrees with what ``seat`` knows.

    A world is drawn only to know which cards are out: the rules look at no other hand.
    """
    if not prepare(hidden, r, seat, plan) or not draw(hidden, r, seat, plan, rng, memory.world):
        return NONE
    return choose(memory.world, r, policy, memory.scratch)
