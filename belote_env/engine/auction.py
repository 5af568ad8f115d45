"""The three auctions: what may be said, and what it does (rules §3)."""

from __future__ import annotations

from belote_env.engine.jit import inner
from belote_env.engine.layout import (
    BID,
    BID_TRICKS,
    CAPOT,
    COINCHE,
    COINCHER,
    DENOMINATION,
    DOUBLED,
    GENERALE,
    LADDER,
    NONE,
    NUM_DENOMINATIONS,
    NUM_RUNGS,
    PASS,
    PASSES,
    RUNG,
    SEAT,
    SURCOINCHE,
    SURCOINCHER,
    TAKE,
    TAKER,
    TURNED,
)
from belote_env.engine.options import (
    AUCTION_TRICKS,
    AUCTION_TURNED,
    R_AUCTION,
    R_CAPOT_BID,
    R_DENOMINATIONS,
    R_GENERALE_BID,
    R_MAX_BID,
    R_SURCOINCHE,
    SURCOINCHE_BIDDER,
    SURCOINCHE_BOTH,
    SURCOINCHE_NONE,
)


@inner
def bid_action(r, rung, denomination):
    """Return the action that bids a rung and a denomination."""
    if r[R_AUCTION] == AUCTION_TRICKS and rung < CAPOT:
        return BID_TRICKS + NUM_DENOMINATIONS * rung + denomination
    return BID + NUM_DENOMINATIONS * rung + denomination


@inner
def rung_offered(r, rung):
    """Return whether the rules have this rung."""
    if rung == CAPOT:
        return r[R_CAPOT_BID] == 1
    if rung == GENERALE:
        return r[R_GENERALE_BID] == 1
    if r[R_AUCTION] == AUCTION_TRICKS:
        return rung < 9
    return 80 + 10 * rung <= r[R_MAX_BID]


@inner
def legal_calls(s, r):
    """Return the actions open to the seat to act as a set of three words, see ``kernel.legal_set``."""
    low = 1 << PASS
    middle = high = 0
    if r[R_AUCTION] == AUCTION_TURNED:
        turned = 1 << (s[TURNED] >> 3)
        return low | (turned if s[PASSES] < 4 else 15 & ~turned) << TAKE, middle, high
    if s[COINCHER] != NONE:
        return low | 1 << SURCOINCHE, middle, high
    if s[TAKER] != NONE and (s[TAKER] ^ s[SEAT]) & 1:
        low |= 1 << COINCHE
    denominations = r[R_DENOMINATIONS]
    for rung in range(s[RUNG] + 1, NUM_RUNGS):
        if not rung_offered(r, rung):
            continue
        first = bid_action(r, rung, 0)
        here = denominations << (first & 63)
        beyond = denominations >> (63 - (first & 63)) >> 1
        if first < 64:
            low |= here
            middle |= beyond
        elif first < 128:
            middle |= here
            high |= beyond
        else:
            high |= here
    return low, middle, high


@inner
def _call_turned(s, action):
    if action == PASS:
        s[PASSES] += 1
        s[SEAT] = (s[SEAT] + 1) & 3
        return s[PASSES] == 8
    s[TAKER] = s[SEAT]
    s[DENOMINATION] = action - TAKE
    return True


@inner
def _answer_coinche(s, r, action):
    """A player of the contract side answers a coinche with surcoinche or a pass."""
    if action == SURCOINCHE:
        s[DOUBLED] = 4
        s[SURCOINCHER] = s[SEAT]
        return True
    s[PASSES] += 1
    s[SEAT] = (s[SEAT] + 2) & 3
    return r[R_SURCOINCHE] == SURCOINCHE_BIDDER or s[PASSES] == 2


@inner
def _coinche(s, r):
    s[DOUBLED] = 2
    s[COINCHER] = s[SEAT]
    s[PASSES] = 0
    if r[R_SURCOINCHE] == SURCOINCHE_BIDDER:
        s[SEAT] = s[TAKER]
    elif r[R_SURCOINCHE] == SURCOINCHE_BOTH:
        s[SEAT] = (s[SEAT] + 1) & 3
    return r[R_SURCOINCHE] == SURCOINCHE_NONE


@inner
def apply_call(s, r, action):
    """Apply a legal action of the auction; return whether the auction is over.

    It is over without a contract if ``TAKER`` is NONE. ``SEAT`` is left at the next to speak.
    """
    if r[R_AUCTION] == AUCTION_TURNED:
        return _call_turned(s, action)
    if s[COINCHER] != NONE:
        return _answer_coinche(s, r, action)
    if action == COINCHE:
        return _coinche(s, r)
    if action == PASS:
        s[PASSES] += 1
        s[SEAT] = (s[SEAT] + 1) & 3
        return s[PASSES] == (4 if s[TAKER] == NONE else 3)
    offset = action - (BID_TRICKS if action >= BID_TRICKS else BID)
    s[RUNG] = offset // NUM_DENOMINATIONS
    s[DENOMINATION] = offset % NUM_DENOMINATIONS
    s[TAKER] = s[SEAT]
    s[LADDER + s[RUNG]] = 1 + s[SEAT] + 4 * s[DENOMINATION]
    s[PASSES] = 0
    s[SEAT] = (s[SEAT] + 1) & 3
    return False
