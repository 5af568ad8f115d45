"""How many ways there are to deal unseen cards to three hands, and one of them at random, each as likely.

Each hand must hold some of the cards and may hold others. The free cards fall into classes by which hands may hold
them. Once it is known how many cards of a class go to each hand, which ones is a matter of binomial coefficients:
so the sum over all such splits counts the ways exactly, and a split drawn by its ways leads to a uniform deal.

The hands are 0, 1, 2. What no hand needs is left over: the stock, before it is dealt. No class but that of all three
hands may have cards left over, which holds because nothing is known of any card by then.
"""

from __future__ import annotations

from math import comb

import numpy as np

from belote_env.engine.bits import popcount
from belote_env.engine.jit import inner
from belote_env.engine.rng import random_below

# Entries of a plan: the deal drawn last.
HAND = 0  # mask a hand: the unseen cards that it got
LEFT_OVER = HAND + 3  # mask of those that nobody got
COUNTS_END = LEFT_OVER + 1

# Entries of a row, which is one problem of this kind; the row starts anywhere in a plan.
FORCED = 0  # mask a hand: cards that it holds in every way
NEED = FORCED + 3  # a hand: how many free cards it gets besides
CLASSES = NEED + 3  # masks of the cards that hands 0 and 1, 0 and 2, 1 and 2, and all three may hold
COUNTS_ROW_END = CLASSES + 4

_MOST_CARDS = 26
_CHOOSE = np.array([[comb(n, k) for k in range(_MOST_CARDS + 1)] for n in range(_MOST_CARDS + 1)], dtype=np.int64)
_EVERY_WAY = 1 << 62


@inner
def set_hand(plan: np.ndarray, row: int, hand: int, cards: int, size: int) -> None:
    """Begin a row: a ``hand`` of ``size`` unseen cards must hold ``cards``."""
    plan[row + FORCED + hand] = cards
    plan[row + NEED + hand] = size - popcount(cards)


@inner
def _force(plan: np.ndarray, row: int, hand: int, cards: int) -> None:
    plan[row + FORCED + hand] |= cards
    plan[row + NEED + hand] -= popcount(cards)


@inner
def count_ways(plan: np.ndarray, row: int, free: int, a: int, b: int, c: int) -> int:
    """Complete a row and return in how many ways its hands can be dealt.

    Args:
        plan: ``int64`` array that holds the row.
        row: index of its first entry.
        free: mask of the cards to deal besides the forced ones.
        a: mask of the cards of ``free`` that hand 0 may hold.
        b: the same of hand 1.
        c: the same of hand 2.
    """
    if free & ~(a | b | c):
        return 0
    _force(plan, row, 0, a & ~(b | c))
    _force(plan, row, 1, b & ~(a | c))
    _force(plan, row, 2, c & ~(a | b))
    for hand in range(3):
        if plan[row + NEED + hand] < 0:
            return 0
    plan[row + CLASSES] = a & b & ~c
    plan[row + CLASSES + 1] = a & c & ~b
    plan[row + CLASSES + 2] = b & c & ~a
    plan[row + CLASSES + 3] = a & b & c
    return _find_split(plan, row, _EVERY_WAY)[0]


@inner
def _find_split(plan: np.ndarray, row: int, ticket: int) -> tuple[int, int, int]:
    """Return the split that the way number ``ticket`` belongs to, and how many ways come before it.

    A split is how many cards hand 0 gets of the first class and of the second: (ways before, first, second).
    With a ticket beyond the last way, all ways come before.
    """
    ab = popcount(plan[row + CLASSES])
    ac = popcount(plan[row + CLASSES + 1])
    bc = popcount(plan[row + CLASSES + 2])
    abc = popcount(plan[row + CLASSES + 3])
    need_a, need_b, need_c = plan[row + NEED], plan[row + NEED + 1], plan[row + NEED + 2]
    before = 0
    # Hands 1 and 2 must have room for what hand 0 leaves of the classes that it shares with one of them.
    for first in range(max(0, ab - need_b), min(ab, need_a) + 1):
        for second in range(max(0, ac - need_c), min(ac, need_a - first) + 1):
            third = need_a - first - second
            pool = bc + abc - third
            b = need_b - (ab - first)
            if third > abc or b > pool:
                continue
            ways = _CHOOSE[ab, first] * _CHOOSE[ac, second] * _CHOOSE[abc, third]
            ways *= _CHOOSE[pool, b] * _CHOOSE[pool - b, need_c - (ac - second)]
            if before + ways > ticket:
                return before, first, second
            before += ways
    return before, 0, 0


@inner
def _pick(cards: int, count: int, rng: np.ndarray) -> int:
    """Return a random subset of ``count`` cards."""
    picked = 0
    left = popcount(cards)
    # A card is taken with the share of those still to take among those left. No branch: it could not be predicted.
    while count:
        card = cards & -cards
        taken = random_below(rng, left) < count
        picked |= card * taken
        count -= taken
        cards ^= card
        left -= 1
    return picked


@inner
def deal_row(plan: np.ndarray, row: int, ticket: int, rng: np.ndarray) -> None:
    """Deal the hands of a row at random into ``plan[HAND:]``.

    Args:
        plan: ``int64`` array that holds the row.
        row: index of its first entry.
        ticket: a random number below the number of ways.
        rng: ``int64`` array whose entry RNG is the generator.
    """
    _, first, second = _find_split(plan, row, ticket)
    ab, ac, bc, abc = plan[row + CLASSES], plan[row + CLASSES + 1], plan[row + CLASSES + 2], plan[row + CLASSES + 3]
    from_ab, from_ac = _pick(ab, first, rng), _pick(ac, second, rng)
    from_abc = _pick(abc, plan[row + NEED] - first - second, rng)
    to_b, to_c = ab & ~from_ab, ac & ~from_ac
    pool = bc | abc & ~from_abc
    picked = _pick(pool, plan[row + NEED + 1] - popcount(to_b), rng)
    pool ^= picked
    to_b |= picked
    picked = _pick(pool, plan[row + NEED + 2] - popcount(to_c), rng)
    plan[HAND] = plan[row + FORCED] | from_ab | from_ac | from_abc
    plan[HAND + 1] = plan[row + FORCED + 1] | to_b
    plan[HAND + 2] = plan[row + FORCED + 2] | to_c | picked
    plan[LEFT_OVER] = pool ^ picked
