"""Which cards may be played, and what a card played proves about the hand it came from (rules §4)."""

from __future__ import annotations

from belote_env.cards import ALL_TRUMPS, NO_TRUMPS
from belote_env.engine.jit import hot
from belote_env.engine.layout import NONE
from belote_env.engine.options import (
    PARTNER_FREE,
    PARTNER_MUST_TRUMP,
    R_OVERTAKE_PARTNER,
    R_PARTNER_WINNING,
    R_UNDERTRUMP,
    UNDERTRUMP_FREE,
)
from belote_env.engine.tables import HIGHER, SUIT_MASKS


@hot
def legal_cards(hand, lead, best, partner_winning, denomination, r):
    """Return the mask of the cards of ``hand`` that may be played.

    Args:
        hand: mask of the cards held.
        lead: suit led, or NONE when this card leads.
        best: card that is winning the trick, anything when leading.
        partner_winning: whether ``best`` is the partner's.
        denomination: of the contract.
        r: rule vector.
    """
    if lead == NONE:
        return hand
    follow = hand & SUIT_MASKS[lead]
    if denomination == NO_TRUMPS:
        return follow if follow else hand
    if denomination == ALL_TRUMPS or lead == denomination:
        if not follow:
            return hand
        if lead == denomination and partner_winning and not r[R_OVERTAKE_PARTNER]:
            return follow
        higher = follow & HIGHER[denomination, best]
        return higher if higher else follow
    if follow:
        return follow
    trumps = hand & SUIT_MASKS[denomination]
    if not trumps:
        return hand
    ruffed = best >> 3 == denomination
    higher = trumps & HIGHER[denomination, best] if ruffed else trumps
    if partner_winning and r[R_PARTNER_WINNING] != PARTNER_MUST_TRUMP:
        if r[R_PARTNER_WINNING] == PARTNER_FREE or not ruffed or not higher:
            return hand
        return hand & ~trumps | higher
    if higher:
        return higher
    return hand if r[R_UNDERTRUMP] == UNDERTRUMP_FREE else trumps


@hot
def excluded_by(card, lead, best, partner_winning, denomination, r):
    """Return the mask of cards that a player who legally plays ``card`` cannot hold besides it.

    These are exactly the cards next to which ``card`` would have been illegal: voids, missed overtrumps.
    """
    if lead == NONE:
        return 0
    suit = card >> 3
    if denomination == NO_TRUMPS:
        return 0 if suit == lead else SUIT_MASKS[lead]
    if denomination == ALL_TRUMPS or lead == denomination:
        if suit != lead:
            return SUIT_MASKS[lead]
        if lead == denomination and partner_winning and not r[R_OVERTAKE_PARTNER]:
            return 0
        higher = HIGHER[denomination, best]
        return 0 if higher >> card & 1 else higher
    if suit == lead:
        return 0
    excluded = SUIT_MASKS[lead]
    ruffed = best >> 3 == denomination
    higher = HIGHER[denomination, best] if ruffed else SUIT_MASKS[denomination]
    if suit == denomination and higher >> card & 1:
        return excluded
    if partner_winning and r[R_PARTNER_WINNING] != PARTNER_MUST_TRUMP:
        if suit == denomination and r[R_PARTNER_WINNING] != PARTNER_FREE:
            excluded |= higher
        return excluded
    if suit == denomination or r[R_UNDERTRUMP] == UNDERTRUMP_FREE:
        return excluded | higher
    return excluded | SUIT_MASKS[denomination]
