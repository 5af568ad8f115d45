"""How a deal came to where it stands: from a whole state, such as a world, the pack and the actions that lead there.

In a world some of it is one way among those that nobody can tell apart: which of his cards a player had before those
that followed a turned-card auction, and, with ``announce="choose"``, what was silently answered.
"""

from __future__ import annotations

import numpy as np

from belote_env.engine.auction import bid_action
from belote_env.engine.bits import lowest, popcount
from belote_env.engine.deal import DEALING_ORDER, TURNED_AT
from belote_env.engine.encode import write_observation
from belote_env.engine.jit import inner, lean
from belote_env.engine.kernel import begin_deal, legal_set, step, write_mask
from belote_env.engine.layout import (
    ANNOUNCE,
    ANNOUNCE_YES,
    ANNOUNCED,
    AUCTION,
    BELOTE,
    BELOTE_YES,
    CALLED,
    COINCHE,
    COINCHER,
    DEALER,
    DEALS,
    DEALT,
    DENOMINATION,
    HANDS,
    LADDER,
    NONE,
    PACK,
    PASS,
    PASSES,
    PHASE,
    PLAY,
    PLAYED,
    RUNG,
    SEAT,
    SEQUENCE,
    SILENT,
    STATE_SIZE,
    SURCOINCHE,
    SURCOINCHER,
    TAKE,
    TAKER,
    TURNED,
    WINNER,
)
from belote_env.engine.memory import copy_state
from belote_env.engine.options import AUCTION_TURNED, R_AUCTION
from belote_env.engine.rng import random_below
from belote_env.rules import Rules


@inner
def _draw_card(past: np.ndarray, seat: int) -> int:
    """Take a card out of a hand at random and return it."""
    cards = past[HANDS + seat]
    for _ in range(random_below(past, popcount(cards))):
        cards &= cards - 1
    past[HANDS + seat] &= ~(cards & -cards)
    return lowest(cards)


@inner
def _write_pack(s: np.ndarray, r: np.ndarray, past: np.ndarray) -> None:
    """Write a pack that deals out what the seats held in the state ``s``."""
    for seat in range(4):
        past[HANDS + seat] = s[DEALT + seat]
    turned = r[R_AUCTION] == AUCTION_TURNED
    if turned and s[TAKER] != NONE:
        past[HANDS + s[TAKER]] &= ~(1 << s[TURNED])
    for i in range(TURNED_AT if turned else 32):
        past[PACK + i] = _draw_card(past, (s[DEALER] + DEALING_ORDER[i]) & 3)
    if not turned:
        return
    past[PACK + TURNED_AT] = s[TURNED]
    if s[TAKER] == NONE:
        return  # the stock still lies there
    position = PACK + TURNED_AT + 1
    for i in range(1, 5):
        seat = (s[DEALER] + i) & 3
        while past[HANDS + seat]:
            past[position] = _draw_card(past, seat)
            position += 1


@lean
def wind_back(s: np.ndarray, r: np.ndarray, past: np.ndarray) -> None:
    """Write into ``past`` the state before the first call of the deal of ``s``, or its first card if there are none."""
    copy_state(s, past)
    _write_pack(s, r, past)
    begin_deal(past, r, s[DENOMINATION])
    past[DEALS] = s[DEALS]


@inner
def _call_taken(s: np.ndarray, r: np.ndarray, past: np.ndarray) -> int:
    """Return the call that was made in ``past`` on the way to ``s``."""
    seat = past[SEAT]
    if r[R_AUCTION] == AUCTION_TURNED:
        return TAKE + s[DENOMINATION] if s[TAKER] != NONE and past[PASSES] == s[PASSES] else PASS
    if past[COINCHER] != NONE:
        return SURCOINCHE if s[SURCOINCHER] == seat else PASS
    for rung in range(past[RUNG] + 1, s[RUNG] + 1):
        bid = s[LADDER + rung] - 1
        if bid >= 0:
            return bid_action(r, rung, bid >> 2) if bid & 3 == seat else PASS
    return COINCHE if s[COINCHER] == seat else PASS


@lean
def action_taken(s: np.ndarray, r: np.ndarray, past: np.ndarray) -> int:
    """Return the action that was taken in ``past`` on the way to ``s``, NONE if ``past`` has come to where ``s`` is."""
    phase = past[PHASE]
    if phase == s[PHASE] and past[PLAYED] == s[PLAYED]:
        if phase != AUCTION:
            return NONE
        if past[RUNG] == s[RUNG] and past[COINCHER] == s[COINCHER] and past[PASSES] == s[PASSES]:
            return NONE
    if phase == AUCTION:
        return _call_taken(s, r, past)
    if phase == ANNOUNCE:
        return ANNOUNCE_YES if s[ANNOUNCED + past[SEAT]] == 1 else SILENT
    if phase == BELOTE:
        return BELOTE_YES if s[CALLED + (s[SEQUENCE + past[PLAYED] - 1] >> 3)] > 0 else SILENT
    return s[SEQUENCE + past[PLAYED]]


@lean
def count_decisions(s: np.ndarray, r: np.ndarray, past: np.ndarray) -> int:
    """Return how many calls and cards led to ``s``; ``past`` is scratch space."""
    count = 0
    wind_back(s, r, past)
    while True:
        action = action_taken(s, r, past)
        if action == NONE:
            return count
        count += past[PHASE] == AUCTION or past[PHASE] == PLAY
        step(past, r, action)


@inner
def has_choice(low: int, middle: int, high: int) -> bool:
    """Return whether a set of actions, see ``kernel.legal_set``, has more than one."""
    return (low & (low - 1)) | middle | high != 0


@lean
def past_decisions(
    worlds: np.ndarray,
    r: np.ndarray,
    blank: np.ndarray,
    seat: int,
    past: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
    actions: np.ndarray,
    owners: np.ndarray,
) -> int:
    """Write what the seats other than ``seat`` decided in each world, and what they saw then; return how often.

    Decisions are calls and cards where there was a choice.

    Args:
        worlds: ``int64``, ``(n, STATE_SIZE)``.
        r: the rule vector.
        blank: ``Rules.blank_observation``.
        seat: whose decisions are left out.
        past: scratch space for a state.
        observations: ``uint8``, ``(n * count_decisions, OBSERVATION_SIZE)``.
        masks: ``int8``, as many rows of NUM_ACTIONS: the legal actions.
        actions: ``int64``, as many: those taken.
        owners: ``int64``, as many: the number of the world.
    """
    count = 0
    for i in range(len(worlds)):
        s = worlds[i]
        wind_back(s, r, past)
        while True:
            action = action_taken(s, r, past)
            if action == NONE:
                break
            if past[SEAT] != seat and (past[PHASE] == AUCTION or past[PHASE] == PLAY):
                low, middle, high = legal_set(past, r)
                if has_choice(low, middle, high):
                    write_observation(past, r, blank, past[SEAT], observations[count])
                    write_mask(low, middle, high, masks[count])
                    actions[count] = action
                    owners[count] = i
                    count += 1
            step(past, r, action)
    return count


def start_deal(rules: Rules, dealer: int, pack: list[int], trump: int = NONE) -> np.ndarray:
    """Return the state after dealing, scores 0: ``int64``, shape ``(STATE_SIZE,)``.

    Args:
        rules: the rule set.
        dealer: the seat that deals.
        pack: the 32 cards in the order in which they are dealt.
        trump: the suit, in a game that draws it.
    """
    state = np.zeros(STATE_SIZE, dtype=np.int64)
    state[DEALER] = dealer
    state[WINNER] = NONE
    state[PACK : PACK + 32] = pack
    begin_deal(state, rules.vector, trump)
    return state


def pack_of(state: np.ndarray, rules: Rules) -> list[int]:
    """Return a pack that deals out the hands of a whole state; which of a seat's cards came first is not known."""
    past = np.empty(STATE_SIZE, dtype=np.int64)
    wind_back(state, rules.vector, past)
    return list(past[PACK : PACK + 32].tolist())


def actions_of(state: np.ndarray, rules: Rules) -> list[int]:
    """Return the ids of the actions taken so far in a whole state, in order."""
    past = np.empty(STATE_SIZE, dtype=np.int64)
    wind_back(state, rules.vector, past)
    actions = []
    while (action := action_taken(state, rules.vector, past)) != NONE:
        actions.append(int(action))
        step(past, rules.vector, action)
    return actions
