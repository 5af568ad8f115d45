"""Cards that a side is sure to win when a trick begins, whatever the others do: the solver's quick bounds."""

from __future__ import annotations

from belote_env.cards import ALL_TRUMPS, NO_TRUMPS
from belote_env.engine.bits import popcount
from belote_env.engine.jit import hot
from belote_env.engine.tables import SUIT_MASKS
from belote_env.solver.tables import ABOVE, PLAIN, STRONGEST, SUIT_POINTS, TRUMP


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
def sure_cards(own, left, partner, right, denomination):
    """Return the cards that the leader's side wins if the leader cashes his masters, and the number of those tricks.

    Trumps first, as far as they are masters. Then the masters of each other suit, but only as often as everybody
    who still has trumps follows: an opponent would ruff, and the partner may have to (he may hold nothing but trumps,
    or relief from trumping may be off), which would give him the lead.
    """
    captured = 0
    tricks = 0
    drawn = 0  # rounds of trumps
    if denomination < NO_TRUMPS:
        shift = 8 * denomination
        masters = top_trumps(own, left | partner | right, denomination)
        drawn = popcount(masters)
        tricks = drawn
        captured = masters
        trumps = SUIT_MASKS[denomination]
        ruff_left = popcount(left & trumps) > drawn
        ruff_partner = popcount(partner & trumps) > drawn
        ruff_right = popcount(right & trumps) > drawn
        if drawn:
            if not ruff_left:
                captured |= left & trumps
            if not ruff_partner:
                captured |= partner & trumps
            if not ruff_right:
                captured |= right & trumps
    else:
        ruff_left = ruff_partner = ruff_right = False
    kind = TRUMP if denomination == ALL_TRUMPS else PLAIN
    for suit in range(4):
        if suit == denomination:
            continue
        shift = 8 * suit
        byte = own >> shift & 0xFF
        if not byte:
            continue
        left_suit, partner_suit, right_suit = left >> shift & 0xFF, partner >> shift & 0xFF, right >> shift & 0xFF
        masters = byte & ABOVE[kind, left_suit | partner_suit | right_suit]
        if not masters:
            continue
        rounds = count = popcount(masters)
        left_length, partner_length, right_length = popcount(left_suit), popcount(partner_suit), popcount(right_suit)
        if ruff_left and left_length < rounds:
            rounds = left_length
        if ruff_right and right_length < rounds:
            rounds = right_length
        if ruff_partner and partner_length < rounds:
            rounds = partner_length
        if not rounds:
            continue
        if rounds < count:
            cashed = 0
            for _ in range(rounds):
                cashed |= 1 << STRONGEST[kind, masters & ~cashed]
            masters = cashed
        if left_length <= rounds:
            masters |= left_suit
        if partner_length <= rounds:
            masters |= partner_suit
        if right_length <= rounds:
            masters |= right_suit
        tricks += rounds
        captured |= masters << shift
    return captured, tricks


@hot
def can_cross(own, left, partner, right, denomination):
    """Return whether the leader can give his partner the lead by a card that nobody beats.

    The partner then cashes as if he had led to this trick himself: the leader's card is the one he would have followed
    with, and the partner's master is one of those counted.
    """
    kind = TRUMP if denomination == ALL_TRUMPS else PLAIN
    trumps = SUIT_MASKS[denomination] if denomination < NO_TRUMPS else 0
    for suit in range(4):
        shift = 8 * suit
        byte = own >> shift & 0xFF
        theirs = partner >> shift & 0xFF
        if not byte or not theirs:
            continue
        left_suit, right_suit = left >> shift & 0xFF, right >> shift & 0xFF
        if suit == denomination:
            if theirs & ABOVE[TRUMP, byte | left_suit | right_suit]:
                return True
        elif (
            theirs & ABOVE[kind, byte | left_suit | right_suit]
            and (left_suit or not left & trumps)
            and (right_suit or not right & trumps)
        ):
            return True
    return False
