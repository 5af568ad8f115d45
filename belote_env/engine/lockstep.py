"""The compiled half of the vector environment: one step of many games in lockstep.

The games of a batch are the rows of one array, so that a game's step touches one short run of memory.
"""

from __future__ import annotations

from belote_env.engine.encode import pack_observation, write_observation, write_privileged
from belote_env.engine.hiding import hide
from belote_env.engine.jit import inner, lean
from belote_env.engine.kernel import legal_actions, legal_mask, next_deal, start_match, step
from belote_env.engine.layout import NONE, OVER, PHASE, SEAT, STATE_SIZE, WINNER
from belote_env.features import OBSERVATION_SIZE, SCALE
from belote_env.rewards import write_rewards

# Forms of the observation.
NO_OBSERVATION, BYTES, PACKED, FLOATS = range(4)

WAIT = -1
"""In place of an action: this game stands still."""


@lean
def start_games(states, r, first, last):
    """Begin a new match in the games ``first`` to ``last - 1``, each from its own generator."""
    for game in range(first, last):
        start_match(states[game], r)


@inner
def _end_deal(s, r, reward, by_match, rewards, final):
    """Record a deal that is over and begin the next one or the next match; return whether the episode is over."""
    write_rewards(s, r, reward, rewards)
    for i in range(STATE_SIZE):
        final[i] = s[i]
    if by_match and s[WINNER] == NONE:
        next_deal(s, r)
        return False
    start_match(s, r)
    return True


@lean
def advance(states, r, actions, reward, by_match, skip_forced, first, last, ids, rewards, deal_over, done, finals):
    """Take ``actions`` in the games ``first`` to ``last - 1``; see ``vector.Step`` for what is written."""
    for game in range(first, last):
        s = states[game]
        for seat in range(4):
            rewards[game, seat] = 0.0
        deal_over[game] = done[game] = False
        action = actions[game]
        while action != WAIT:
            step(s, r, action)
            if s[PHASE] == OVER:
                deal_over[game] = True
                done[game] = _end_deal(s, r, reward, by_match, rewards[game], finals[game])
            if not skip_forced or legal_actions(s, r, ids) > 1:
                break
            action = ids[0]


@lean
def look(
    states, r, form, with_privileged, first, last, ids, hidden, flat, seats, masks, observations, floats, privileged
):
    """Write seat, mask and observation of whoever is to act in the games ``first`` to ``last - 1``.

    ``hidden``, ``flat`` and ``ids`` are scratch space of this call alone.
    """
    for game in range(first, last):
        s = states[game]
        seat = s[SEAT]
        seats[game] = seat
        legal_mask(s, r, ids, masks[game])
        if form != NO_OBSERVATION:
            hide(s, r, seat, hidden)
            if form == BYTES:
                write_observation(hidden, r, seat, observations[game])
            else:
                write_observation(hidden, r, seat, flat)
                if form == PACKED:
                    pack_observation(flat, observations[game])
                else:
                    for i in range(OBSERVATION_SIZE):
                        floats[game, i] = flat[i] / SCALE[i]
        if with_privileged:
            write_privileged(s, seat, privileged[game])


@lean
def first_illegal(masks, actions):
    """Return the first game whose action is not legal, NONE if all are."""
    for game in range(len(actions)):
        action = actions[game]
        if action != WAIT and (action < 0 or action >= masks.shape[1] or masks[game, action] == 0):
            return game
    return NONE
