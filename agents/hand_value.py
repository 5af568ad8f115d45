"""What a hand is worth in a denomination: the points that the takers' side may expect, from one hand alone.

The sum over the four suits of a table entry for the cards held in it, as a byte: one row for the trump suit, one for
a plain suit for each number of trumps beside it, one for no trumps, one for all trumps. There are tables for the
taker's own hand, for that of his partner and for that of an opponent. ``scripts/fit_players.py`` fits them by least
squares to the outcomes of whole deals played by ``card_policy``.
"""

from __future__ import annotations

from belote_env.cards import NO_TRUMPS
from belote_env.engine.bits import popcount
from belote_env.engine.jit import inner

# Sets of tables: by points and by tricks with eight cards, and by points with five cards and the turned one.
EIGHT_CARDS, EIGHT_CARDS_TRICKS, SIX_CARDS = range(3)
NUM_SETS = 3

# Whose hand it is. The tables of the last two are relative to an average hand.
TAKER_HAND, PARTNER_HAND, OPPONENT_HAND = range(3)
NUM_ROLES = 3

# Rows of a table. Six for plain suits: with 0, 1, 2, 3, 4, and more trumps beside them.
TRUMP_ROW = 0
PLAIN_ROW = 1
NO_TRUMPS_ROW = 7
ALL_TRUMPS_ROW = 8
NUM_ROWS = 9
_MOST_TRUMPS = 5


@inner
def hand_value(table, hand, denomination):
    """Return the points (tricks) that the takers may expect.

    Args:
        table: one role of one set, ``float64``, shape ``(NUM_ROWS, 256)``.
        hand: mask of the cards.
        denomination: of the contract.
    """
    if denomination >= NO_TRUMPS:
        row = NO_TRUMPS_ROW if denomination == NO_TRUMPS else ALL_TRUMPS_ROW
        total = 0.0
        for suit in range(4):
            total += table[row, hand >> (8 * suit) & 0xFF]
        return total
    plain = PLAIN_ROW + min(popcount(hand >> (8 * denomination) & 0xFF), _MOST_TRUMPS)
    total = table[TRUMP_ROW, hand >> (8 * denomination) & 0xFF]
    for suit in range(4):
        if suit != denomination:
            total += table[plain, hand >> (8 * suit) & 0xFF]
    return total
