"""The last cards, solved exactly: what each card is worth over sampled worlds when both sides see everything.

The solver tells how many points each side ends with; what they score follows from the contract.
"""

from __future__ import annotations

from agents.rollout import TIE_BREAK
from belote_env.cards import ALL_TRUMPS
from belote_env.engine.jit import inner, lean
from belote_env.engine.layout import (
    BELOTE_POINTS,
    DEAL_SCORES,
    DENOMINATION,
    HANDS,
    LEADERS,
    POINTS,
    TRICKS,
)
from belote_env.engine.memory import copy_state
from belote_env.engine.options import R_CAPOT_POINTS, R_SCORING, SCORING_ENCHERES, SCORING_MORE_TRICKS
from belote_env.engine.scoring import TOTAL, count_belote, pairs_in_play, settle_deal
from belote_env.engine.tables import RANK_K, RANK_Q
from belote_env.solver.search import UNPLAYABLE
from belote_env.solver.state import state_card_values

ENDING = 5
"""So many cards in hand are the last ones: Crazy solves worlds exactly, and policies have a network for them."""

_PAIR = 1 << RANK_Q | 1 << RANK_K


@inner
def _count_belotes(s, r):
    """Credit the belotes still to be announced."""
    if not pairs_in_play(s, r):
        return
    for suit in range(4):
        if s[DENOMINATION] == ALL_TRUMPS or s[DENOMINATION] == suit:
            for seat in range(4):
                if s[HANDS + seat] >> 8 * suit & _PAIR == _PAIR:
                    count_belote(s, r, seat)


@inner
def _score_of(world, s, r, team, difference):
    """Return the score of ``team`` less the other's if the deal of ``s`` ends with this difference of points."""
    other = 1 - team
    copy_state(s, world)
    _count_belotes(world, r)
    cards = difference - world[BELOTE_POINTS + team] + world[BELOTE_POINTS + other]
    if r[R_SCORING] == SCORING_ENCHERES or r[R_SCORING] == SCORING_MORE_TRICKS:
        # Nine are shared, the last trick counting twice; whoever has eight or nine of them has the last.
        mine = (9 + cards) // 2
        world[LEADERS + 8] = team if mine >= 8 else other
        world[TRICKS + team] = mine - (mine >= 8)
        world[TRICKS + other] = 8 - world[TRICKS + team]
    else:
        swept = abs(cards) >= min(r[R_CAPOT_POINTS], TOTAL) and (world[TRICKS] == 0 or world[TRICKS + 1] == 0)
        total = abs(cards) if swept else TOTAL
        world[POINTS + team] = (total + cards) // 2
        world[POINTS + other] = (total - cards) // 2
        world[TRICKS + team] = (8 if cards > 0 else 0) if swept else 4
        world[TRICKS + other] = 8 - world[TRICKS + team]
    settle_deal(world, r)
    return world[DEAL_SCORES + team] - world[DEAL_SCORES + other] + TIE_BREAK * difference


@lean
def solved_values(r, seat, ids, count, worlds, memory):
    """Write the mean exact value of each card over the drawn worlds into ``memory.values``; return the best's place.

    Args as for ``monte_carlo.rollout_values``. The worlds must be in the phase PLAY.
    """
    team = seat & 1
    for i in range(count):
        memory.values[i] = 0.0
    for n in range(worlds):
        origin = memory.worlds[memory.order[n]]
        state_card_values(origin, r, memory.work, memory.table, memory.points)
        for i in range(count):
            if memory.points[ids[i]] != UNPLAYABLE:
                score = _score_of(memory.world, origin, r, team, memory.points[ids[i]])
                memory.values[i] += score / worlds
    best = 0
    for i in range(1, count):
        if memory.values[i] > memory.values[best]:
            best = i
    return best
