"""A bidder that is a compiled function, from the value of its hand and what its partner said.

It bids what it expects its side to make, less a margin; its partner raises by what his hand brings more than an
average one; whoever holds more against a contract than an average defender, by some margin, doubles it. The margins
are ``MARGINS``, chosen by self-play (``scripts/fit_players.py``).
"""

from __future__ import annotations

from agents.hand_value import (
    EIGHT_CARDS,
    EIGHT_CARDS_TRICKS,
    OPPONENT_HAND,
    PARTNER_HAND,
    SIX_CARDS,
    TAKER_HAND,
    hand_value,
)
from belote_env.engine.auction import bid_action, rung_offered
from belote_env.engine.declarations import best_declarations, declaration_points
from belote_env.engine.jit import inner, lean
from belote_env.engine.layout import (
    BID,
    BID_TRICKS,
    CAPOT,
    COINCHE,
    COINCHER,
    DENOMINATION,
    GENERALE,
    HANDS,
    LADDER,
    NONE,
    NUM_DENOMINATIONS,
    PASS,
    PASSES,
    RUNG,
    SEAT,
    SURCOINCHE,
    TAKE,
    TAKER,
    TURNED,
)
from belote_env.engine.options import (
    AUCTION_TRICKS,
    AUCTION_TURNED,
    R_AUCTION,
    R_DECLARATIONS,
    R_DENOMINATIONS,
    R_SCORING,
    SCORING_ENCHERES,
    SCORING_MADE,
)

# Entries of a row of the margins: points (tricks) by which ...
(
    OPEN,  # a bid stays below what the own hand is worth
    RAISE,  # a raise stays below what both hands are worth
    DOUBLE,  # a hand is better than an average defender's when it doubles
    REDOUBLE,  # the takers expect more than they bid when they redouble
    CAPOT_WORTH,  # what a hand must be worth, less the margin, for a capot
    TAKE_FIRST,  # what a hand must be worth to take the turned suit
    TAKE_SECOND,  # ... to take another suit
) = range(7)
NUM_MARGINS = 7

DECLARATION_SHARE = 0.8
"""What share of the points of its declarations a hand counts on."""

HOPELESS = -1e9

DARING, DARING_TRICKS = 50.0, 2.5
"""Points and tricks above its hopes up to which a bid may be worth a thought."""


@inner
def worth_of_rung(rung, tricks, m):
    """Return the points (tricks) that a bid of this rung must make."""
    if rung == GENERALE:
        return -HOPELESS
    if rung == CAPOT:
        return m[CAPOT_WORTH]
    return rung + 1.0 if tricks else 80.0 + 10.0 * rung


@inner
def _declared(hand, denomination, r, found):
    if not r[R_DECLARATIONS]:
        return 0.0
    best_declarations(hand, denomination, r, found)
    return DECLARATION_SHARE * (declaration_points(found[0]) + declaration_points(found[1]))


@lean
def hopes_of(s, r, seat, hand, tables, margins, hopes, found):
    """Write the points (tricks) up to which ``seat`` would bid in each denomination into ``hopes``.

    Args:
        s: the state in a points or tricks auction; only what is public is read.
        r: the rule vector.
        seat: whose hopes.
        hand: the eight cards of that seat.
        tables: of ``hand_value``.
        margins: ``float64``, shape ``(2, NUM_MARGINS)``: for auctions in points, and in tricks.
        hopes: where to, ``float64``, length NUM_DENOMINATIONS; HOPELESS where the rules have no such denomination.
        found: scratch space, ``int64``, length 2.
    """
    tricks = r[R_AUCTION] == AUCTION_TRICKS
    table = tables[EIGHT_CARDS_TRICKS if tricks else EIGHT_CARDS]
    m = margins[1 if tricks else 0]
    for denomination in range(NUM_DENOMINATIONS):
        hopes[denomination] = HOPELESS
        if r[R_DENOMINATIONS] >> denomination & 1:
            hopes[denomination] = (
                hand_value(table[TAKER_HAND], hand, denomination) + _declared(hand, denomination, r, found) - m[OPEN]
            )
    mine = 0
    for rung in range(s[RUNG] + 1):
        bid = s[LADDER + rung] - 1
        if bid < 0 or (bid ^ seat) & 1:
            continue
        denomination = bid >> 2
        if bid & 3 == seat:
            mine |= 1 << denomination
        elif not mine >> denomination & 1:
            # The partner has named it first: his hand, and what mine adds. If he raised me, my hand is in it already.
            brings = hand_value(table[PARTNER_HAND], hand, denomination) + _declared(hand, denomination, r, found)
            raised = worth_of_rung(rung, tricks, m) + brings - m[RAISE]
            hopes[denomination] = max(hopes[denomination], raised)


@inner
def is_daring(bid, hopes, tricks, m):
    """Return whether an action that is a bid is far above what a seat with these hopes would bid."""
    offset = bid - (BID_TRICKS if bid >= BID_TRICKS else BID)
    worth = worth_of_rung(offset // NUM_DENOMINATIONS, tricks, m)
    return worth > hopes[offset % NUM_DENOMINATIONS] + (DARING_TRICKS if tricks else DARING)


@inner
def _take_or_pass(s, tables, margins):
    hand = s[HANDS + s[SEAT]] | 1 << s[TURNED]
    turned_suit = s[TURNED] >> 3
    first_round = s[PASSES] < 4
    best, call = margins[0, TAKE_FIRST if first_round else TAKE_SECOND], PASS
    for suit in range(4):
        if (suit == turned_suit) == first_round:
            value = hand_value(tables[SIX_CARDS, TAKER_HAND], hand, suit)
            if value >= best:
                best, call = value, TAKE + suit
    return call


@inner
def opponent_brings(hand, denomination, tricks, tables):
    """Return by how many points (tricks) a defending hand changes what the takers make: the less, the better it is."""
    return hand_value(tables[EIGHT_CARDS_TRICKS if tricks else EIGHT_CARDS, OPPONENT_HAND], hand, denomination)


@inner
def _highest_hope(hopes):
    best = 0
    for denomination in range(1, NUM_DENOMINATIONS):
        if hopes[denomination] > hopes[best]:
            best = denomination
    return best


@lean
def choose_call(s, r, tables, margins, hopes, found):
    """Return the call of the seat to act, in the phase AUCTION; scratch space as for :func:`hopes_of`."""
    if r[R_AUCTION] == AUCTION_TURNED:
        return _take_or_pass(s, tables, margins)
    seat = s[SEAT]
    hand = s[HANDS + seat]
    tricks = r[R_AUCTION] == AUCTION_TRICKS
    theirs = s[TAKER] != NONE and (s[TAKER] ^ seat) & 1
    m = margins[1 if tricks else 0]
    if s[COINCHER] == NONE and theirs and opponent_brings(hand, s[DENOMINATION], tricks, tables) < -m[DOUBLE]:
        return COINCHE
    hopes_of(s, r, seat, hand, tables, margins, hopes, found)
    if s[COINCHER] != NONE:
        spare = hopes[s[DENOMINATION]] + m[OPEN] - worth_of_rung(s[RUNG], tricks, m)
        return SURCOINCHE if spare >= m[REDOUBLE] else PASS
    denomination = _highest_hope(hopes)
    # Where the bid itself scores, bid all that is hoped for; elsewhere just enough.
    all_at_once = r[R_SCORING] != SCORING_ENCHERES and r[R_SCORING] != SCORING_MADE
    call = PASS
    for rung in range(s[RUNG] + 1, GENERALE):
        if rung_offered(r, rung) and worth_of_rung(rung, tricks, m) <= hopes[denomination]:
            call = bid_action(r, rung, denomination)
            if not all_at_once:
                break
    return call
