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
    CAPOT,
    COINCHE,
    DENOMINATION,
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
_ALL_TRUMPS_SHARE = 0.6

# The feeling, in points, from which a suit is taken in the turned-card auction, a capot is bid, and each trick is bid.
_TAKE = 90.0
_CAPOT = 250.0
_TRICK = 20.0
# Coinche when the hand's feeling in their denomination and this share of the points that they bid exceed that.
_COINCHE_SHARE = 0.25
_COINCHE = 135.0

_POINTS: list[list[int]] = CARD_POINTS.tolist()
_STRENGTH: list[list[int]] = STRENGTH.tolist()
_BEATS: list[list[int]] = BEATS.tolist()
_MASTER = 7


def strength(hand: list[int], denomination: int) -> float:
    """Return how many points a side feels it will make with ``hand`` (card ids) and an average partner."""
    total = _PARTNER + _UNSEEN_CARD * (8 - len(hand))
    for card in hand:
        suit, rank = card >> 3, card & 7
        if denomination == NO_TRUMPS:
            total += _WITHOUT_TRUMPS.get(rank, 0.0)
        elif denomination == ALL_TRUMPS:
            total += _AS_TRUMP.get(rank, 0.0) * _ALL_TRUMPS_SHARE
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
        best = max(range(len(takes)), key=feelings.__getitem__)
        return takes[best] if feelings[best] > _TAKE else PASS

    def _would_coinche(self, view: View, hand: list[int]) -> bool:
        """Double when the own hand feels strong in what they bid, the sooner the more they bid."""
        needed = _worth(int(view.state[RUNG]), view.rules.auction == "tricks")
        return self._feel(hand, int(view.state[DENOMINATION])) + _COINCHE_SHARE * needed > _COINCHE

    def _bid_or_pass(self, view: View, hand: list[int]) -> int:
        """Bid the lowest rung on offer in the denomination that feels best, if it feels worth that much."""
        bids = [action for action in view.legal if action >= BID]
        if not bids or _ours(view, TAKER):
            # What the partner bid is good enough.
            return PASS
        feelings = {d: self._feel(hand, d) for d in sorted({_denomination(bid) for bid in bids})}
        best = max(feelings, key=feelings.__getitem__)
        bid = min((bid for bid in bids if _denomination(bid) == best), key=_needed)
        return bid if feelings[best] >= _needed(bid) else PASS


def _ours(view: View, field: int) -> bool:
    """Return whether the seat named in ``field`` of the state is of the own side; not if nobody is."""
    seat = int(view.state[field])
    return seat != NONE and (seat ^ view.seat) & 1 == 0


def _denomination(bid: int) -> int:
    return (bid - (BID_TRICKS if bid >= BID_TRICKS else BID)) % NUM_DENOMINATIONS


def _needed(bid: int) -> float:
    """Return the points that a bid should feel like."""
    tricks = bid >= BID_TRICKS
    return _worth((bid - (BID_TRICKS if tricks else BID)) // NUM_DENOMINATIONS, tricks)


def _worth(rung: int, tricks: bool) -> float:
    """Return a rung of the ladder of bids in points."""
    if rung >= CAPOT:
        return _CAPOT
    return _TRICK * (rung + 1) if tricks else 80.0 + 10 * rung


def best_guess(view: View) -> int:
    """Return the card that a simple player thinks right."""
    state = view.state
    points, strengths = _POINTS[state[VALUES]], _STRENGTH[state[DENOMINATION]]
    cheap = min(view.legal, key=lambda card: (points[card], strengths[card]))
    if state[BEST] == NONE:
        return _lead(view, cheap)
    if _ours(view, BEST_SEAT):
        return _give(view, cheap)
    beating = _BEATS[state[DENOMINATION]][state[BEST]]
    winners = [card for card in view.legal if beating >> card & 1]
    return _win(view, winners) if winners else cheap


def _lead(view: View, cheap: int) -> int:
    """Draw trumps with the jack when the own side took; else lead the top card of a plain suit; else a cheap one."""
    denomination = int(view.state[DENOMINATION])
    tops = [card for card in view.legal if _STRENGTH[denomination][card] == _MASTER]
    trumps = [card for card in tops if card >> 3 == denomination]
    if trumps and _ours(view, TAKER):
        return trumps[0]
    return next((card for card in tops if card >> 3 != denomination), cheap)


def _give(view: View, cheap: int) -> int:
    """Throw points on the partner's trick if it looks safe, but no trump; else a cheap card."""
    denomination = int(view.state[DENOMINATION])
    if not _is_last(view) and _STRENGTH[denomination][view.state[BEST]] < _MASTER - 1:
        return cheap
    points = _POINTS[view.state[VALUES]]
    return max(_plain(view.legal, denomination) or view.legal, key=points.__getitem__)


def _win(view: View, winners: list[int]) -> int:
    """Return the card to win with: the last player wins points or ruffs low, the others go high or win cheaply."""
    denomination = int(view.state[DENOMINATION])
    points, strengths = _POINTS[view.state[VALUES]], _STRENGTH[denomination]
    plain = _plain(winners, denomination)
    if _is_last(view) and plain:
        return max(plain, key=points.__getitem__)
    masters = [card for card in plain if strengths[card] == _MASTER]
    return masters[0] if masters else min(winners, key=strengths.__getitem__)


def _plain(cards: list[int], denomination: int) -> list[int]:
    return [card for card in cards if card >> 3 != denomination]


def _is_last(view: View) -> bool:
    return int(view.state[PLAYED]) & 3 == 3
