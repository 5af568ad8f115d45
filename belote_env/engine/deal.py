"""Dealing: shuffling, cutting, gathering the tricks, handing out the cards (rules §2)."""

from __future__ import annotations

import numpy as np

from belote_env.engine.jit import inner, lean
from belote_env.engine.layout import (
    DEALER,
    DEALT,
    HANDS,
    KNOWN,
    LEADERS,
    NONE,
    PACK,
    PLAYED,
    SEQUENCE,
    TAKER,
    TURNED,
)
from belote_env.engine.options import DEAL_TURNED, R_DEAL
from belote_env.engine.rng import random_below

TURNED_AT = 20
"""Position in the pack of the card turned up, after five cards each; the stock follows it."""

DEALING_ORDER = np.array(
    [1 + i // 3 for i in range(12)] + [1 + i // 2 for i in range(8)] + [1 + i // 3 for i in range(12)]
)
"""``[position]``: how many seats after the dealer the one is that gets the card: three each, two each, three each."""


@lean
def shuffle_pack(s):
    """Put all 32 cards into the pack in uniformly random order."""
    for i in range(32):
        s[PACK + i] = i
    for i in range(31, 0, -1):
        j = random_below(s, i + 1)
        s[PACK + i], s[PACK + j] = s[PACK + j], s[PACK + i]


@inner
def _lift_pack(s):
    """Copy the pack into the entries of the cards played, free between two deals, to put it back in another order."""
    for i in range(32):
        s[SEQUENCE + i] = s[PACK + i]


@inner
def cut_pack(s):
    """Cut the pack once, at a uniform point 1..31."""
    point = 1 + random_below(s, 31)
    _lift_pack(s)
    for i in range(32):
        s[PACK + i] = s[SEQUENCE + ((i + point) & 31)]


@inner
def _gather_tricks(s):
    """Rebuild the pack from the tricks: team 0's in the order won, then team 1's, cards in the order played."""
    position = 0
    for team in range(2):
        for trick in range(8):
            if s[LEADERS + trick + 1] & 1 == team:
                for i in range(4):
                    s[PACK + position] = s[SEQUENCE + 4 * trick + i]
                    position += 1


@lean
def seat_dealt(r, dealer, position):
    """Return the seat that the card at ``position`` of the pack goes to before the auction, NONE for the rest."""
    if position >= TURNED_AT and r[R_DEAL] == DEAL_TURNED:
        return NONE
    return (dealer + DEALING_ORDER[position]) & 3


@inner
def _gather_hands(s, r):
    """Rebuild the pack after a thrown-in deal: hands in seat order, each as it was dealt, then the rest."""
    _lift_pack(s)
    stock = TURNED_AT if r[R_DEAL] == DEAL_TURNED else 32
    position = 0
    for seat in range(4):
        for i in range(stock):
            if seat_dealt(r, s[DEALER], i) == seat:
                s[PACK + position] = s[SEQUENCE + i]
                position += 1


@inner
def gather_pack(s, r):
    """Rebuild the pack from the deal just finished, the first card gathered on top."""
    if s[PLAYED] == 32:
        _gather_tricks(s)
    else:
        _gather_hands(s, r)


@inner
def hand_out(s, r):
    """Give out the pack to the hands as they are before the auction, and turn a card up if the game does."""
    for seat in range(4):
        s[HANDS + seat] = 0
    for i in range(TURNED_AT if r[R_DEAL] == DEAL_TURNED else 32):
        s[HANDS + seat_dealt(r, s[DEALER], i)] |= 1 << s[PACK + i]
    for seat in range(4):
        s[DEALT + seat] = s[HANDS + seat]
    if r[R_DEAL] == DEAL_TURNED:
        s[TURNED] = s[PACK + TURNED_AT]


@inner
def hand_out_stock(s):
    """Complete the hands after a turned-card auction: the turned card and two to the taker, three to the others."""
    taker = s[TAKER]
    s[HANDS + taker] |= 1 << s[TURNED]
    s[KNOWN + taker] |= 1 << s[TURNED]
    position = TURNED_AT + 1
    for i in range(4):
        seat = (s[DEALER] + 1 + i) & 3
        for _ in range(2 if seat == taker else 3):
            s[HANDS + seat] |= 1 << s[PACK + position]
            position += 1
    for seat in range(4):
        s[DEALT + seat] = s[HANDS + seat]
