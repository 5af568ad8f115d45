"""A card player that is a compiled function: what rollouts are played with, and what a seat knows is all it uses.

Each legal card is described by a few dozen facts that a good player looks at: what the trick holds, who is winning it
and whether those still to play can beat that, which cards and trumps are out, who is known to be void, what the card
is worth and what it leaves behind. Its score is their weighted sum, with weights for each situation: the denomination,
the place in the trick, the role, who is winning. ``scripts/fit_players.py`` fits the weights to the outcomes of whole
deals; the score is in card points (in tricks, in games that count those).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belote_env.cards import ALL_TRUMPS, NO_TRUMPS
from belote_env.engine.bits import lowest, popcount
from belote_env.engine.jit import hot, lean
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

# Entries of a turn: masks of the cards that are out, of the trumps, of what each other seat may hold; points of the
# trick so far; a bit for each suit that the own side has led before, if it leads now.
_OUT, _TRUMPS, _LEFT, _PARTNER, _RIGHT, _TRICK_POINTS, _LED_BY_US = range(7)
_TURN_SIZE = 7

# The situations: leading by role, then following by place, who is winning, and side.
NUM_SITUATIONS = 4 + 5 * 3
NUM_KINDS = 6
"""Sets of weights: suit, no trumps, all trumps, for games scored in points and for those scored in tricks."""


@hot
def kind_of_game(s, r):
    """Return which set of weights the contract of ``s`` needs."""
    denomination = s[DENOMINATION]
    tricks = r[R_SCORING] == SCORING_ENCHERES or r[R_SCORING] == SCORING_MORE_TRICKS
    return (0 if denomination < 4 else denomination - 3) + (3 if tricks else 0)


@hot
def situation(s):
    """Return the situation of the seat to act, which is to play a card."""
    seat = s[SEAT]
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


class Facts(NamedTuple):
    """Scratch space for what is known about a turn and about one card; one for each thread.

    Attributes:
        turn: ``int64``: what :func:`look_at_turn` finds.
        which: ``int64``, length NUM_FACTS: the facts about a card that are not 0.
        amount: ``float64``, length NUM_FACTS: how much of each.
    """

    turn: np.ndarray
    which: np.ndarray
    amount: np.ndarray


def new_facts() -> Facts:
    """Return scratch space."""
    return Facts(np.empty(_TURN_SIZE, dtype=np.int64), np.empty(NUM_FACTS, dtype=np.int64), np.empty(NUM_FACTS))


@hot
def look_at_turn(s, turn):
    """Write what all cards that the seat to act may play have in common into ``turn``.

    Of the hands, only that of the seat to act and which cards the others hold together are looked at.
    """
    seat = s[SEAT]
    out = (s[HANDS] | s[HANDS + 1] | s[HANDS + 2] | s[HANDS + 3]) & ~s[HANDS + seat]
    trumps = SUIT_MASKS[s[DENOMINATION]] if s[DENOMINATION] < NO_TRUMPS else 0
    turn[_OUT] = out
    turn[_TRUMPS] = trumps
    turn[_LEFT] = out & ~s[EXCLUDED + (seat + 1 & 3)]
    turn[_PARTNER] = out & ~s[EXCLUDED + (seat + 2 & 3)]
    turn[_RIGHT] = out & ~s[EXCLUDED + (seat + 3 & 3)]
    points = 0
    for i in range(s[PLAYED] & ~3, s[PLAYED]):
        points += CARD_POINTS[s[VALUES], s[SEQUENCE + i]]
    turn[_TRICK_POINTS] = points
    led = 0
    if s[PLAYED] & 3 == 0:
        for trick in range(s[PLAYED] >> 2):
            if (s[LEADERS + trick] ^ seat) & 1 == 0:
                led |= 1 << (s[SEQUENCE + 4 * trick] >> 3)
    turn[_LED_BY_US] = led


@hot
def _add(facts, count, fact, amount):
    facts.which[count] = fact
    facts.amount[count] = amount
    return count + 1


@hot
def _standing(s, best, ours, led, turn):
    """Return how the trick stands when ``best`` is winning it and the seat to act has played."""
    place = s[PLAYED] & 3
    denomination = s[DENOMINATION]
    if not ours:
        return _PARTNER_MAY_WIN if place < 2 and turn[_PARTNER] & BEATS[denomination, best] else _LOST
    over = HIGHER[denomination, best]
    cards_led = SUIT_MASKS[led]
    trumps = turn[_TRUMPS]
    ruffs = trumps if best >> 3 != denomination else 0
    standing = _SURE
    # Opponents still to play: the left one unless the trick ends here, the right one after a lead.
    for i in range(2 if place == 0 else (1 if place < 3 else 0)):
        held = turn[_LEFT] if i == 0 else turn[_RIGHT]
        if held & cards_led == 0 and held & (ruffs | over & trumps):
            return _RUFFED
        if held & over & (cards_led | trumps):
            standing = _MAYBE_BEATEN
        elif held & ruffs and standing == _SURE:
            standing = _MAYBE_RUFFED
    return standing


@hot
def _ruffs(held, cards_of_suit, trumps):
    """Return whether a hand that may hold these cards is void in a suit and may trump it."""
    return held & cards_of_suit == 0 and held & trumps != 0


@hot
def describe_card(s, card, facts):
    """Write the facts about playing ``card`` that are not 0 into ``facts``; return how many.

    Args:
        s: the state; of the hands only that of the seat to act is read.
        card: a legal card.
        facts: scratch space in which :func:`look_at_turn` has written the turn.
    """
    turn = facts.turn
    denomination = s[DENOMINATION]
    place = s[PLAYED] & 3
    suit = card >> 3
    cards_of_suit = SUIT_MASKS[suit]
    out, trumps = turn[_OUT], turn[_TRUMPS]
    hand = s[HANDS + s[SEAT]] & ~(1 << card)
    opponents = turn[_LEFT] | turn[_RIGHT]
    points = CARD_POINTS[s[VALUES], card] * 0.1
    higher = HIGHER[denomination, card] & out

    best, ours = s[BEST], (s[BEST_SEAT] ^ s[SEAT]) & 1 == 0
    led = suit if place == 0 else s[SEQUENCE + (s[PLAYED] & ~3)] >> 3
    if place == 0 or BEATS[denomination, best] >> card & 1:
        best, ours = card, True
    standing = _standing(s, best, ours, led, turn)
    n = _add(facts, 0, standing, 1.0)
    n = _add(facts, n, _POINTS_BY_STANDING + standing, points)
    n = _add(facts, n, _TRICK_BY_STANDING + standing, turn[_TRICK_POINTS] * 0.1)
    if standing == _MAYBE_BEATEN:
        n = _add(facts, n, _BEATABLE_BY, popcount(HIGHER[denomination, best] & out & SUIT_MASKS[led]) * 0.25)

    count_higher = popcount(higher)
    if denomination == suit:
        n = _add(facts, n, _TRUMP, 1.0)
        n = _add(facts, n, _TRUMP_OUT, popcount(out & trumps) * 0.25)
        n = _add(facts, n, _HIGHER_TRUMP if higher else _MASTER_TRUMP, count_higher * 0.25 if higher else 1.0)
        n = _add(facts, n, _STRONG_TRUMP, STRENGTH[denomination, card] * 0.125)
        return _add(facts, n, _ONLY_TRUMPS, 1.0) if opponents & trumps == 0 else n
    companions = popcount(hand & cards_of_suit)
    n = _add(facts, n, _HIGHER if higher else _MASTER, count_higher * 0.25 if higher else 1.0)
    n = _add(facts, n, _PLAIN_POINTS, points)
    n = _add(facts, n, _COMPANIONS, companions * 0.25)
    n = _add(facts, n, _SUIT_OUT, popcount(out & cards_of_suit) * 0.25)
    if companions == 0 and hand & trumps:
        n = _add(facts, n, _MAKES_VOID, 1.0)
    if count_higher == 1:
        n = _add(facts, n, _SECOND, 1.0)
    if companions < 2 and denomination != ALL_TRUMPS and out >> (8 * suit + RANK_A) & 1:
        if companions == 1 and hand >> (8 * suit + RANK_T) & 1:
            n = _add(facts, n, _BARES_TEN, 1.0)
        elif companions == 0 and card & 7 == RANK_T:
            n = _add(facts, n, _BARE_TEN, 1.0)
    if higher and opponents & higher == 0:
        n = _add(facts, n, _PARTNER_HAS_HIGHER, 1.0)
    if place:
        return n
    if _ruffs(turn[_LEFT], cards_of_suit, trumps) or _ruffs(turn[_RIGHT], cards_of_suit, trumps):
        n = _add(facts, n, _OPPONENT_RUFFS, 1.0)
    if _ruffs(turn[_PARTNER], cards_of_suit, trumps):
        n = _add(facts, n, _PARTNER_RUFFS, 1.0)
    if turn[_LED_BY_US] >> suit & 1:
        n = _add(facts, n, _SUIT_LED_BY_US, 1.0)
    return n


@hot
def score_card(s, card, w, facts):
    """Return the score of a card under the weights of its situation; the turn has been looked at."""
    score = 0.0
    for i in range(describe_card(s, card, facts)):
        score += w[facts.which[i]] * facts.amount[i]
    return score


@lean
def choose_card(s, r, legal, weights, facts):
    """Return the card of the mask ``legal`` that scores best for the seat to act.

    Args:
        s: the state, in the phase PLAY.
        r: the rule vector.
        legal: mask of the legal cards.
        weights: ``float64``, shape ``(NUM_KINDS, NUM_SITUATIONS, NUM_FACTS)``.
        facts: scratch space.
    """
    if legal & (legal - 1) == 0:
        return lowest(legal)
    w = weights[kind_of_game(s, r), situation(s)]
    look_at_turn(s, facts.turn)
    best = NONE
    best_score = -1e300
    while legal:
        card = lowest(legal)
        legal &= legal - 1
        score = score_card(s, card, w, facts)
        if score > best_score:
            best, best_score = card, score
    return best
