"""The compiled half of the vector environment: one step of many games in lockstep.

The games of a batch are the rows of one array, so that a game's step touches one short run of memory.
"""

from __future__ import annotations

from belote_env.engine.bits import lowest, popcount
from belote_env.engine.encode import pack_observation, scale_observation, write_observation, write_privileged
from belote_env.engine.jit import inner, lean
from belote_env.engine.kernel import legal_set, next_deal, start_match, step, write_mask
from belote_env.engine.layout import NONE, OVER, PHASE, SEAT, STATE_SIZE, WINNER
from belote_env.engine.memory import prefetch_row
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
def step_games(
    states, r, blank, actions, reward, by_match, skip_forced, form, with_privileged, first, last, flat,
    observations, floats, masks, seats, rewards, done, deal_over, privileged, finals,
):  # fmt: skip
    """Act in the games ``first`` to ``last - 1`` and write what ``vector.Step`` describes.

    A game is acted in and looked at in one go, while its state is at hand, and the state of the next game is on its
    way. ``flat`` is scratch space of this call alone.
    """
    for game in range(first, last):
        prefetch_row(states, game + 1)
        s = states[game]
        for seat in range(4):
            rewards[game, seat] = 0.0
        deal_over[game] = done[game] = False
        action = actions[game]
        while True:
            if action != WAIT:
                step(s, r, action)
                if s[PHASE] == OVER:
                    deal_over[game] = True
                    done[game] = _end_deal(s, r, reward, by_match, rewards[game], finals[game])
            low, middle, high = legal_set(s, r)
            if action == WAIT or not skip_forced or popcount(low) > 1 or middle | high:
                break
            action = lowest(low)
        write_mask(low, middle, high, masks[game])
        seat = s[SEAT]
        seats[game] = seat
        if form != NO_OBSERVATION:
            if form == BYTES:
                write_observation(s, r, blank, seat, observations[game])
            else:
                write_observation(s, r, blank, seat, flat)
                if form == PACKED:
                    pack_observation(flat, observations[game])
                else:
                    scale_observation(flat, floats[game])
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
