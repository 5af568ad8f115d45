"""Cards that a side is sure to win when a trick begins, whatever the others do: the solver's quick bounds."""

from __future__ import annotations

from belote_env.cards import NO_TRUMPS
from belote_env.engine.bits import popcount
from belote_env.engine.jit import hot
from belote_env.solver.tables import ABOVE, PLAIN, STRONGEST, SUIT_POINTS, TRUMP, WEAKEST


@hot
def points_of(mask, row):
    """Return the points of a set of cards under a row of ``POINTS``."""
    return (
        SUIT_POINTS[row, 0, mask & 0xFF]
        + SUIT_POINTS[row, 1, mask >> 8 & 0xFF]
        + SUIT_POINTS[row, 2, mask >> 16 & 0xFF]
        + SUIT_POINTS[row, 3, mask >> 24 & 0xFF]
    )


@hot
def top_trumps(side, others, denomination):
    """Return the trumps of a side above all trumps of the others: under a trump suit that side wins every one of them.

    Whenever one is played, the trick goes to it or to a stronger one, which is the same side's.
    """
    shift = 8 * denomination
    return side & (ABOVE[TRUMP, others >> shift & 0xFF] << shift)


@hot
def _rounds_cashed(masters, length, length_a, ruffs_a, length_b, ruffs_b, length_c, ruffs_c):
    """Return how often a suit is cashed: all of it once the others have none, but while those with trumps follow."""
    rounds = masters
    if masters >= length_a and masters >= length_b and masters >= length_c:
        rounds = length
    if ruffs_a:
        rounds = min(rounds, length_a)
    if ruffs_b:
        rounds = min(rounds, length_b)
    if ruffs_c:
        rounds = min(rounds, length_c)
    return rounds


@hot
def sure_cards(own, left, partner, right, denomination):
    """Return the cards that the leader's side wins by cashing, and the number of those tricks.

    The leader cashes the suits of which he holds the master, trumps first; then he leads a small card to a master of
    his partner, who cashes his. Small cards are masters too once masters have taken all that the others hold. A suit
    is led only as often as everybody who still has trumps follows: an opponent would ruff, and the other of the two may
    have to (he may hold nothing but trumps, or relief from trumping may be off), which would give him the lead. The
    side plays its best cards to these tricks, the opponents their worst.

    The partner keeps his masters if both cash no more tricks than there are; if there are as many or more, he throws
    away some that are not needed.
    """
    captured = partner_captured = 0
    tricks = partner_tricks = 0
    crossed = False
    # Who still has trumps when the leader cashes other suits, and when the partner does.
    ruff_left = ruff_partner = ruff_right = False
    late_left = late_own = late_right = False
    for turn in range(4):
        suit, kind = turn, TRUMP
        if denomination < NO_TRUMPS:
            suit = turn + denomination & 3
            kind = PLAIN if turn else TRUMP
        elif denomination == NO_TRUMPS:
            kind = PLAIN
        drawing = turn == 0 and denomination < NO_TRUMPS
        shift = 8 * suit
        own_suit, left_suit = own >> shift & 0xFF, left >> shift & 0xFF
        partner_suit, right_suit = partner >> shift & 0xFF, right >> shift & 0xFF
        own_length, left_length = popcount(own_suit), popcount(left_suit)
        partner_length, right_length = popcount(partner_suit), popcount(right_suit)
        rounds = popcount(own_suit & ABOVE[kind, left_suit | partner_suit | right_suit])
        late_rounds = 0
        if rounds:
            rounds = _rounds_cashed(
                rounds, own_length, left_length, ruff_left, partner_length, ruff_partner, right_length, ruff_right
            )
            tricks += rounds
        else:
            late_rounds = popcount(partner_suit & ABOVE[kind, left_suit | own_suit | right_suit])
            if late_rounds:
                late_rounds = _rounds_cashed(
                    late_rounds, partner_length, left_length, late_left, own_length, late_own, right_length, late_right
                )
                partner_tricks += late_rounds
                if late_rounds and own_suit and (left_suit or not ruff_left) and (right_suit or not ruff_right):
                    crossed = True
        if rounds | late_rounds:
            count = rounds | late_rounds
            cards = (
                STRONGEST[kind, count, own_suit]
                | STRONGEST[kind, count, partner_suit]
                | WEAKEST[kind, count, left_suit]
                | WEAKEST[kind, count, right_suit]
            ) << shift
            if rounds:
                captured |= cards
            else:
                partner_captured |= cards
        if drawing:
            ruff_left, ruff_partner, ruff_right = left_length > rounds, partner_length > rounds, right_length > rounds
            drawn = rounds | late_rounds
            late_left, late_own, late_right = left_length > drawn, own_length > drawn, right_length > drawn
    if crossed:
        captured |= partner_captured
        tricks = min(tricks + partner_tricks, popcount(own))
    return captured, tricks
