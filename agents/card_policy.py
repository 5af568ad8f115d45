"""A card player that is a compiled function: what rollouts are played with, and what a seat knows is all it uses.

Each legal card is described by a few dozen facts that a good player looks at: what the trick holds, who is winning it
and whether those still to play can beat that, which cards and trumps are out, who is known to be void, what the card
is worth and what it leaves behind. Its score is their weighted sum, with weights for each situation: the denomination,
the place in the trick, the role, who is winning. ``scripts/fit_players.py`` fits the weights to the outcomes of whole
deals; the score is in card points (in tricks, in games that count those).
"""

from __future__ import annotations

from belote_env.cards import ALL_TRUMPS, NO_TRUMPS
from belote_env.engine.bits import lowest, popcount
from belote_env.engine.jit import inner, lean
from belote_env.engine.layout import (
    BEST,
    BEST_SEAT,
    DENOMINATION,
    EXCLUDED,
    HANDS,
    LEADERS,
    NONE,
    PLAYED,
    SEAT,
    SEQUENCE,
    TAKER,
    VALUES,
)
from belote_env.engine.options import R_SCORING, SCORING_ENCHERES, SCORING_MORE_TRICKS
from belote_env.engine.tables import BEATS, CARD_POINTS, HIGHER, RANK_A, RANK_T, STRENGTH, SUIT_MASKS

# How the trick stands after the card, as far as its player can tell.
_SURE, _MAYBE_RUFFED, _MAYBE_BEATEN, _RUFFED, _PARTNER_MAY_WIN, _LOST = range(6)
_STANDINGS = 6

# The facts about a card: its standing, its points and those of the trick by standing, then single ones.
_POINTS_BY_STANDING = _STANDINGS
_TRICK_BY_STANDING = 2 * _STANDINGS
(
    _TRUMP,
    _TRUMP_OUT,
    _MASTER,
    _MASTER_TRUMP,
    _HIGHER,
    _HIGHER_TRUMP,
    _STRONG_TRUMP,
    _PLAIN_POINTS,
    _COMPANIONS,
    _MAKES_VOID,
    _SUIT_OUT,
    _BARES_TEN,
    _BARE_TEN,
    _OPPONENT_RUFFS,
    _PARTNER_RUFFS,
    _PARTNER_HAS_HIGHER,
    _SECOND,
    _ONLY_TRUMPS,
    _BEATABLE_BY,
    _SUIT_LED_BY_US,
) = range(3 * _STANDINGS, 3 * _STANDINGS + 20)
NUM_FACTS = 3 * _STANDINGS + 20

# The situations: leading by role, then following by place, who is winning, and side.
NUM_SITUATIONS = 4 + 5 * 3
NUM_KINDS = 6
"""Sets of weights: suit, no trumps, all trumps, for games scored in points and for those scored in tricks."""


@inner
def kind_of_game(s, r):
    """Return which set of weights the contract of ``s`` needs."""
    denomination = s[DENOMINATION]
    tricks = r[R_SCORING] == SCORING_ENCHERES or r[R_SCORING] == SCORING_MORE_TRICKS
    return (0 if denomination < 4 else denomination - 3) + (3 if tricks else 0)


@inner
def situation(s, seat):
    """Return the situation of ``seat``, which is to play a card."""
    place = s[PLAYED] & 3
    taker = s[TAKER]
    if place == 0:
        if taker == NONE:
            return 3
        return 0 if taker == seat else (1 if (taker ^ seat) & 1 == 0 else 2)
    side = 2 if taker == NONE else (taker ^ seat) & 1
    ours = (s[BEST_SEAT] ^ seat) & 1 == 0
    where = 0 if place == 1 else (2 * place - 3 + (1 if ours else 0))
    return 4 + 3 * where + side


@inner
def describe_card(s, card, seat, out, trick_points, facts):
    """Write the facts about playing ``card`` into ``facts`` (``float64``, length NUM_FACTS).

    Args:
        s: the state; of the hands only that of ``seat`` is read.
        card: a legal card.
        seat: the seat to act.
        out: mask of the cards held by the other seats together.
        trick_points: points of the cards of the trick so far.
        facts: where to.
    """
    for i in range(NUM_FACTS):
        facts[i] = 0.0
    denomination = s[DENOMINATION]
    hand = s[HANDS + seat] & ~(1 << card)
    suit = card >> 3
    cards_of_suit = SUIT_MASKS[suit]
    trumps = SUIT_MASKS[denomination] if denomination < 4 else 0
    points = CARD_POINTS[s[VALUES], card] * 0.1
    higher = HIGHER[denomination, card] & out
    left = (seat + 1) & 3
    partner = (seat + 2) & 3
    right = (seat + 3) & 3
    left_may_hold = out & ~s[EXCLUDED + left]
    partner_may_hold = out & ~s[EXCLUDED + partner]
    right_may_hold = out & ~s[EXCLUDED + right]
    place = s[PLAYED] & 3

    best, ours = s[BEST], (s[BEST_SEAT] ^ seat) & 1 == 0
    led = suit if place == 0 else s[SEQUENCE + (s[PLAYED] & ~3)] >> 3
    if place == 0 or BEATS[denomination, best] >> card & 1:
        best, ours = card, True
    over = HIGHER[denomination, best]
    cards_led = SUIT_MASKS[led]
    ruffs = trumps if best >> 3 != denomination else 0
    standing = _SURE if ours else _LOST
    # Opponents still to play: the left one unless the trick ends here, the right one after a lead.
    beaten_by = 0
    if ours:
        for i in range(2):
            if place == 3 or (i == 1 and place != 0):
                break
            held = left_may_hold if i == 0 else right_may_hold
            void = held & cards_led == 0
            if void and held & (ruffs | over & trumps):
                standing = _RUFFED
            elif held & over & (cards_led | trumps):
                beaten_by += 1
                if standing != _RUFFED:
                    standing = _MAYBE_BEATEN
            elif held & ruffs and standing == _SURE:
                standing = _MAYBE_RUFFED
    elif place < 2 and partner_may_hold & BEATS[denomination, best]:
        standing = _PARTNER_MAY_WIN
    facts[standing] = 1.0
    facts[_POINTS_BY_STANDING + standing] = points
    facts[_TRICK_BY_STANDING + standing] = trick_points * 0.1
    facts[_BEATABLE_BY] = popcount(over & out & cards_led) * 0.25 if standing == _MAYBE_BEATEN else 0.0

    companions = popcount(hand & cards_of_suit)
    count_higher = popcount(higher)
    if denomination == suit:
        trumps_out = popcount(out & trumps)
        facts[_TRUMP] = 1.0
        facts[_TRUMP_OUT] = trumps_out * 0.25
        facts[_MASTER_TRUMP] = 1.0 if higher == 0 else 0.0
        facts[_HIGHER_TRUMP] = count_higher * 0.25
        facts[_STRONG_TRUMP] = STRENGTH[denomination, card] * 0.125
        facts[_ONLY_TRUMPS] = 1.0 if (left_may_hold | right_may_hold) & trumps == 0 else 0.0
        return
    facts[_MASTER] = 1.0 if higher == 0 else 0.0
    facts[_HIGHER] = count_higher * 0.25
    facts[_PLAIN_POINTS] = points
    facts[_COMPANIONS] = companions * 0.25
    facts[_MAKES_VOID] = 1.0 if companions == 0 and hand & trumps else 0.0
    facts[_SUIT_OUT] = popcount(out & cards_of_suit) * 0.25
    facts[_SECOND] = 1.0 if count_higher == 1 else 0.0
    ten = 1 << (8 * suit + RANK_T)
    ace = 1 << (8 * suit + RANK_A)
    if denomination != ALL_TRUMPS and out & ace:
        facts[_BARES_TEN] = 1.0 if hand & ten and companions == 1 else 0.0
        facts[_BARE_TEN] = 1.0 if card & 7 == RANK_T and companions == 0 else 0.0
    if higher and (left_may_hold | right_may_hold) & higher == 0:
        facts[_PARTNER_HAS_HIGHER] = 1.0
    if denomination < NO_TRUMPS and place == 0:
        if (left_may_hold & cards_of_suit == 0 and left_may_hold & trumps) or (
            right_may_hold & cards_of_suit == 0 and right_may_hold & trumps
        ):
            facts[_OPPONENT_RUFFS] = 1.0
        if partner_may_hold & cards_of_suit == 0 and partner_may_hold & trumps:
            facts[_PARTNER_RUFFS] = 1.0
    if place == 0:
        for trick in range(s[PLAYED] >> 2):
            if s[SEQUENCE + 4 * trick] >> 3 == suit and (s[LEADERS + trick] ^ seat) & 1 == 0:
                facts[_SUIT_LED_BY_US] = 1.0


@inner
def points_on_table(s):
    """Return the points of the cards of the trick in progress."""
    points = 0
    for i in range(s[PLAYED] & ~3, s[PLAYED]):
        points += CARD_POINTS[s[VALUES], s[SEQUENCE + i]]
    return points


@lean
def choose_card(s, r, legal, weights, facts):
    """Return the card of the mask ``legal`` that scores best for the seat to act.

    Args:
        s: the state, in the phase PLAY; of the hands, the union and that of the seat to act are read.
        r: the rule vector.
        legal: mask of the legal cards.
        weights: ``float64``, shape ``(NUM_KINDS, NUM_SITUATIONS, NUM_FACTS)``.
        facts: scratch space, ``float64``, length NUM_FACTS.
    """
    if legal & (legal - 1) == 0:
        return lowest(legal)
    seat = s[SEAT]
    out = (s[HANDS] | s[HANDS + 1] | s[HANDS + 2] | s[HANDS + 3]) & ~s[HANDS + seat]
    w = weights[kind_of_game(s, r), situation(s, seat)]
    trick_points = points_on_table(s)
    best = NONE
    best_score = -1e300
    while legal:
        card = lowest(legal)
        legal &= legal - 1
        describe_card(s, card, seat, out, trick_points, facts)
        score = 0.0
        for i in range(NUM_FACTS):
            score += w[i] * facts[i]
        if score > best_score:
            best, best_score = card, score
    return best
