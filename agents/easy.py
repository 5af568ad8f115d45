"""Easy, the first difficulty level (rules §8): bids by rough feel, with noise, and is often careless with its cards."""

from __future__ import annotations

import numpy as np

from belote_env.cards import ALL_TRUMPS, NO_TRUMPS, cards_of
from belote_env.engine.layout import (
    ANNOUNCE_YES,
    BELOTE_YES,
    BEST,
    BEST_SEAT,
    BID,
    BID_TRICKS,
    COINCHE,
    DENOMINATION,
    GENERALE,
    HANDS,
    NONE,
    NUM_DENOMINATIONS,
    PASS,
    PLAYED,
    RUNG,
    SURCOINCHE,
    TAKE,
    TAKER,
    TURNED,
    VALUES,
)
from belote_env.engine.tables import BEATS, CARD_POINTS, RANK_9, RANK_A, RANK_J, RANK_K, RANK_Q, RANK_T, STRENGTH
from belote_env.view import View

CARELESS = 0.3
"""Share of cards that are played without a thought."""

NOISE = 12.0
"""Standard deviation, in points, of how Easy feels about a hand."""

# What a card feels worth towards the points of its side.
_AS_TRUMP = {RANK_J: 30.0, RANK_9: 20.0, RANK_A: 13.0, RANK_T: 11.0, RANK_K: 7.0, RANK_Q: 6.0}
_AS_PLAIN = {RANK_A: 15.0, RANK_T: 6.0}
_WITHOUT_TRUMPS = {RANK_A: 26.0, RANK_T: 11.0, RANK_K: 4.0}
_SMALL_TRUMP = 5.0
_BELOTE = 15.0
_PARTNER = 34.0
_UNSEEN_CARD = 4.0


def strength(hand: list[int], denomination: int) -> float:
    """Return how many points a side feels it will make with ``hand`` (card ids) and an average partner."""
    total = _PARTNER + _UNSEEN_CARD * (8 - len(hand))
    for card in hand:
        suit, rank = card >> 3, card & 7
        if denomination == NO_TRUMPS:
            total += _WITHOUT_TRUMPS.get(rank, 0.0)
        elif denomination == ALL_TRUMPS:
            total += _AS_TRUMP.get(rank, 0.0) * 0.6
        elif suit == denomination:
            total += _AS_TRUMP.get(rank, _SMALL_TRUMP)
        else:
            total += _AS_PLAIN.get(rank, 0.0)
    if denomination < NO_TRUMPS:
        pair = {8 * denomination + RANK_K, 8 * denomination + RANK_Q}
        total += _BELOTE if pair <= set(hand) else 0.0
    return total


class EasyAgent:
    """The Easy level, for every rule set.

    Args:
        seed: an integer, a ``numpy.random.Generator``, or None.
    """

    def __init__(self, seed: int | np.random.Generator | np.random.SeedSequence | None = None) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """Return one of ``view.legal``."""
        if view.phase == "play":
            if self._rng.random() < CARELESS:
                return view.legal[int(self._rng.random() * len(view.legal))]
            return best_guess(view)
        if view.phase == "auction":
            return self._call(view)
        return ANNOUNCE_YES if view.phase == "announce" else BELOTE_YES

    def _feel(self, hand: list[int], denomination: int) -> float:
        return strength(hand, denomination) + self._rng.normal(0.0, NOISE)

    def _call(self, view: View) -> int:
        hand = list(cards_of(int(view.state[HANDS + view.seat])))
        if view.rules.auction == "turned":
            return self._take_or_pass(view, [*hand, int(view.state[TURNED])])
        if SURCOINCHE in view.legal:
            return PASS
        if COINCHE in view.legal and self._would_coinche(view, hand):
            return COINCHE
        return self._bid_or_pass(view, hand)

    def _take_or_pass(self, view: View, hand: list[int]) -> int:
        """Take the suit that feels best if it feels like more than half of the points."""
        takes = [action for action in view.legal if action != PASS]
        feelings = [self._feel(hand, action - TAKE) for action in takes]
        best = int(np.argmax(feelings))
        return takes[best] if feelings[best] > 90 else PASS

    def _would_coinche(self, view: View, hand: list[int]) -> bool:
        """Double when the own hand alone feels as if it took what the bidder must not lose."""
        rung = int(view.state[RUNG])
        needed = 162.0 if rung >= 11 else 18.0 * (rung + 1) if view.rules.auction == "tricks" else 80.0 + 10 * rung
        return self._feel(hand, int(view.state[DENOMINATION])) > 200.0 - needed + 40.0

    def _bid_or_pass(self, view: View, hand: list[int]) -> int:
        """Bid the lowest rung on offer in the denomination that feels best, if it feels worth that much."""
        if view.state[TAKER] != NONE and (int(view.state[TAKER]) ^ view.seat) & 1 == 0:
            # The partner's bid is good enough.
            return PASS
        bids = [action for action in view.legal if action >= BID]
        if not bids:
            return PASS
        feelings = {d: self._feel(hand, d) for d in sorted({_denomination(action) for action in bids})}
        best = max(feelings, key=feelings.__getitem__)
        action = min((a for a in bids if _denomination(a) == best), key=_needed)
        return action if feelings[best] >= _needed(action) else PASS


def _denomination(bid: int) -> int:
    return (bid - (BID_TRICKS if bid >= BID_TRICKS else BID)) % NUM_DENOMINATIONS


def _needed(bid: int) -> float:
    """Return the points that a bid should feel like."""
    if bid >= BID_TRICKS:
        return 20.0 * ((bid - BID_TRICKS) // NUM_DENOMINATIONS + 1)
    rung = (bid - BID) // NUM_DENOMINATIONS
    return 80.0 + 10 * rung if rung < GENERALE - 1 else 250.0


def best_guess(view: View) -> int:
    """Return the card that a simple player thinks right."""
    state = view.state
    denomination = int(state[DENOMINATION])
    points = CARD_POINTS[state[VALUES]]
    force = STRENGTH[denomination]
    cards = view.legal
    cheap = min(cards, key=lambda card: (points[card], force[card]))
    if state[BEST] == NONE:
        return _lead(view, cheap)
    beating = BEATS[denomination, state[BEST]]
    winners = [card for card in cards if beating >> card & 1]
    last = state[PLAYED] & 3 == 3
    if (int(state[BEST_SEAT]) ^ view.seat) & 1 == 0:
        # Points for the partner's trick, as long as it looks safe.
        safe = last or force[state[BEST]] >= 6
        plain = [card for card in cards if card >> 3 != denomination] or cards
        return max(plain, key=lambda card: points[card]) if safe else cheap
    if last and winners:
        return max(winners, key=lambda card: points[card])
    masters = [card for card in winners if force[card] == 7]
    return masters[0] if masters else cheap


def _lead(view: View, cheap: int) -> int:
    """Draw trumps with the jack when the own side took; else the highest card of a plain suit; else a cheap one."""
    denomination = int(view.state[DENOMINATION])
    tops = [card for card in view.legal if STRENGTH[denomination, card] == 7]
    took = view.state[TAKER] != NONE and (int(view.state[TAKER]) ^ view.seat) & 1 == 0
    trumps = [card for card in tops if card >> 3 == denomination]
    if trumps and took:
        return trumps[0]
    plain = [card for card in tops if card >> 3 != denomination]
    return plain[0] if plain else cheap
