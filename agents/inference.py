"""How likely a world makes what the other seats bid and played, if they think like the compiled players.

The logarithm of the likelihood of each call and card, with soft versions of ``call_policy`` and ``card_policy``:
a player nearly always does what is much better by his lights, and often does what is nearly as good.
"""

from __future__ import annotations

import math

from agents.call_policy import DOUBLE, TAKE_FIRST, TAKE_SECOND, hopes_of, opponent_brings, worth_of_rung
from agents.card_policy import kind_of_game, look_at_turn, score_card, situation
from agents.hand_value import EIGHT_CARDS, SIX_CARDS, TAKER_HAND, hand_value
from belote_env.engine.auction import rung_offered
from belote_env.engine.bits import lowest, popcount
from belote_env.engine.jit import inner
from belote_env.engine.kernel import playable_cards, step
from belote_env.engine.layout import (
    ANNOUNCE,
    ANNOUNCE_YES,
    ANNOUNCED,
    AUCTION,
    BELOTE,
    BELOTE_YES,
    BEST,
    BEST_SEAT,
    CALLED,
    COINCHER,
    CONTEST,
    DEALER,
    DEALT,
    DECLARED,
    DENOMINATION,
    EXCLUDED,
    GENERALE,
    HANDS,
    KNOWN,
    LADDER,
    LEADERS,
    NONE,
    NUM_DENOMINATIONS,
    PASSES,
    PHASE,
    PLAY,
    PLAYED,
    POINTS,
    RUNG,
    SEAT,
    SEQUENCE,
    SHOWN,
    SILENT,
    TAKER,
    TRICKS,
    TURNED,
)
from belote_env.engine.memory import copy_state
from belote_env.engine.options import (
    AUCTION_NONE,
    AUCTION_TRICKS,
    AUCTION_TURNED,
    R_AUCTION,
    R_SCORING,
    SCORING_ENCHERES,
    SCORING_MADE,
)

# How far, in points (tricks), two hands may differ and yet be bid alike; the same for cards.
CALL_SPREAD = 10.0
CALL_SPREAD_TRICKS = 0.6
CARD_SPREAD = 3.0
CARD_SPREAD_TRICKS = 0.15

# A hand that was bid on with the turned card and filled up since: the points that this added, and the blurred spread.
FULL_HAND_GAIN = 30.0
FULL_HAND_SPREAD = 20.0

# Share of cards that are played for a reason that nobody sees.
_WHIM = 0.05


@inner
def _log_chance(x):
    """Return the logarithm of the logistic function."""
    return -math.log1p(math.exp(-x)) if x > -30.0 else x


@inner
def _takes_and_passes(s, r, seat, tables, margins):
    """Return the log-likelihood of the turned-card auction as seen from ``seat``."""
    total = 0.0
    turned_suit = s[TURNED] >> 3
    last = s[PASSES]
    for i in range(last + 1):
        other = (s[DEALER] + 1 + i) & 3
        took = i == last
        if other == seat or (took and s[TAKER] == NONE):
            continue
        hand = s[DEALT + other] | 1 << s[TURNED]
        need = margins[0, TAKE_FIRST if i < 4 else TAKE_SECOND]
        spread = CALL_SPREAD
        if s[PHASE] != AUCTION:
            need += FULL_HAND_GAIN
            spread = FULL_HAND_SPREAD
        if took:
            total += _log_chance((_worth_taking(tables, hand, s[DENOMINATION]) - need) / spread)
            continue
        best = -1e9
        for suit in range(4):
            if (suit == turned_suit) == (i < 4):
                best = max(best, _worth_taking(tables, hand, suit))
        total += _log_chance((need - best) / spread)
    return total


@inner
def _worth_taking(tables, hand, suit):
    """Return the value of a hand with the turned card, before or after the rest was dealt."""
    return hand_value(tables[SIX_CARDS if popcount(hand) <= 6 else EIGHT_CARDS, TAKER_HAND], hand, suit)


@inner
def _bid_likelihood(s, r, rung, denomination, hopes, m):
    """Return the log-likelihood that a seat with these hopes bids this; of a pass with ``rung`` NONE."""
    tricks = r[R_AUCTION] == AUCTION_TRICKS
    spread = CALL_SPREAD_TRICKS if tricks else CALL_SPREAD
    best = hopes[0]
    for other in range(1, NUM_DENOMINATIONS):
        best = max(best, hopes[other])
    if rung == NONE:
        for higher in range(s[RUNG] + 1, GENERALE):
            if rung_offered(r, higher):
                return _log_chance((worth_of_rung(higher, tricks, m) - best) / spread)
        return 0.0
    hope = hopes[denomination]
    total = _log_chance((hope - worth_of_rung(rung, tricks, m)) / spread)
    total += _log_chance((hope - best) / spread + 1.0)
    if r[R_SCORING] != SCORING_ENCHERES and r[R_SCORING] != SCORING_MADE and rung_offered(r, rung + 1):
        total += _log_chance((worth_of_rung(rung + 1, tricks, m) - hope) / spread)
    return total


@inner
def _bids(s, r, seat, tables, margins, replica, hopes, found):
    """Return the log-likelihood of a points or tricks auction as seen from ``seat``; ``replica`` is scratch space."""
    copy_state(s, replica)
    replica[RUNG] = NONE
    replica[TAKER] = NONE
    tricks = r[R_AUCTION] == AUCTION_TRICKS
    spread = CALL_SPREAD_TRICKS if tricks else CALL_SPREAD
    m = margins[1 if tricks else 0]
    total = 0.0
    other = (s[DEALER] + 1) & 3
    rung = 0
    passes = s[PASSES]
    while True:
        while rung <= s[RUNG] and s[LADDER + rung] == 0:
            rung += 1
        bid = s[LADDER + rung] - 1 if rung <= s[RUNG] else NONE
        mine = other == seat
        if not mine:
            hopes_of(replica, r, other, s[DEALT + other], tables, margins, hopes, found)
        if bid >= 0 and bid & 3 == other:
            if not mine:
                total += _bid_likelihood(replica, r, rung, bid >> 2, hopes, m)
            replica[RUNG] = rung
            replica[TAKER] = other
            replica[DENOMINATION] = bid >> 2
            rung += 1
        elif bid < 0 and s[COINCHER] == other:
            if not mine:
                brings = opponent_brings(s[DEALT + other], s[DENOMINATION], tricks, tables)
                total += _log_chance((-m[DOUBLE] - brings) / spread)
            return total
        else:
            if bid < 0 and s[COINCHER] == NONE:
                # Passes after the last bid: as many as are counted.
                if passes == 0:
                    return total
                passes -= 1
            if not mine:
                total += _bid_likelihood(replica, r, NONE, NONE, hopes, m)
        other = (other + 1) & 3


@inner
def auction_likelihood(s, r, seat, tables, margins, replica, hopes, found):
    """Return the log-likelihood of the calls of the seats other than ``seat`` in the world ``s``."""
    if r[R_AUCTION] == AUCTION_NONE:
        return 0.0
    if r[R_AUCTION] == AUCTION_TURNED:
        return _takes_and_passes(s, r, seat, tables, margins)
    return _bids(s, r, seat, tables, margins, replica, hopes, found)


@inner
def _rewind(s, replica):
    """Make ``replica`` the world ``s`` at the start of the play."""
    copy_state(s, replica)
    replica[PHASE] = PLAY
    replica[SEAT] = s[LEADERS]
    replica[PLAYED] = 0
    replica[BEST] = replica[BEST_SEAT] = replica[CONTEST] = NONE
    for seat in range(4):
        replica[HANDS + seat] = s[DEALT + seat]
        replica[ANNOUNCED + seat] = NONE
        for field in (EXCLUDED, KNOWN, SHOWN, CALLED):
            replica[field + seat] = 0
    for field in (TRICKS, POINTS, DECLARED):
        replica[field] = replica[field + 1] = 0


@inner
def _card_likelihood(s, r, card, legal, weights, facts, spread):
    """Return the log-likelihood that the seat to act plays ``card``."""
    w = weights[kind_of_game(s, r), situation(s)]
    look_at_turn(s, facts.turn)
    reference = score_card(s, card, w, facts)
    total = 0.0
    count = 0
    while legal:
        score = score_card(s, lowest(legal), w, facts)
        total += math.exp(min(max((score - reference) / spread, -30.0), 30.0))
        legal &= legal - 1
        count += 1
    return math.log((1.0 - _WHIM) / total + _WHIM / count)


@inner
def play_likelihood(s, r, seat, weights, replica, facts):
    """Return the log-likelihood of the cards that the seats other than ``seat`` have played in the world ``s``."""
    if s[PLAYED] == 0:
        return 0.0
    _rewind(s, replica)
    spread = CARD_SPREAD_TRICKS if kind_of_game(s, r) >= 3 else CARD_SPREAD
    total = 0.0
    while replica[PLAYED] < s[PLAYED]:
        phase = replica[PHASE]
        actor = replica[SEAT]
        card = s[SEQUENCE + replica[PLAYED]]
        if phase == ANNOUNCE:
            step(replica, r, ANNOUNCE_YES if s[ANNOUNCED + actor] == 1 else SILENT)
        elif phase == BELOTE:
            said = s[CALLED + (s[SEQUENCE + replica[PLAYED] - 1] >> 3)] > 0
            step(replica, r, BELOTE_YES if said else SILENT)
        else:
            if actor != seat:
                legal = playable_cards(replica, r)
                if legal & (legal - 1):
                    total += _card_likelihood(replica, r, card, legal, weights, facts, spread)
            step(replica, r, card)
    return total
