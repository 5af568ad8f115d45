"""Constant tables of the kernel: card points, which card beats which, suits as masks (rules §1)."""

from __future__ import annotations

import numpy as np

from belote_env.cards import RANKS
from belote_env.engine.options import AT_13, AT_14, AT_FULL, NT_ACE19, NT_DOUBLED

SUIT_MASKS = np.array([0xFF << (8 * suit) for suit in range(4)], dtype=np.int64)

_TRUMP_ORDER = "J9ATKQ87"
_PLAIN_ORDER = "ATKQJ987"

_TRUMP_POINTS = (20, 14, 11, 10, 4, 3, 0, 0)
_PLAIN_POINTS = (11, 10, 4, 3, 2, 0, 0, 0)
_NT_POINTS = {NT_ACE19: (19, 10, 4, 3, 2, 0, 0, 0), NT_DOUBLED: (22, 20, 8, 6, 4, 0, 0, 0)}
_AT_POINTS = {
    AT_13: (13, 9, 6, 5, 3, 2, 0, 0),
    AT_14: (14, 9, 6, 5, 3, 1, 0, 0),
    AT_FULL: _TRUMP_POINTS,
}

# Rows of CARD_POINTS: the four trump suits, then NT and AT by the option's value.
NT_ROW = 4
AT_ROW = NT_ROW + len(_NT_POINTS)


def _rank_points(order: str, points: tuple[int, ...]) -> list[int]:
    return [points[order.index(rank)] for rank in RANKS]


def _card_points() -> np.ndarray:
    trump = _rank_points(_TRUMP_ORDER, _TRUMP_POINTS)
    plain = _rank_points(_PLAIN_ORDER, _PLAIN_POINTS)
    rows = [
        [(trump if suit == trumps else plain)[rank] for suit in range(4) for rank in range(8)] for trumps in range(4)
    ]
    rows += [4 * _rank_points(_PLAIN_ORDER, points) for points in _NT_POINTS.values()]
    rows += [4 * _rank_points(_TRUMP_ORDER, points) for points in _AT_POINTS.values()]
    return np.array(rows, dtype=np.int64)


def _strength(denomination: int, card: int) -> int:
    """Return how strong a card is within its suit, 0..7."""
    trump = denomination in (card >> 3, 5)
    return 7 - (_TRUMP_ORDER if trump else _PLAIN_ORDER).index(RANKS[card & 7])


def _higher() -> np.ndarray:
    table = np.zeros((6, 32), dtype=np.int64)
    for denomination in range(6):
        for card in range(32):
            suit = range(card & ~7, (card & ~7) + 8)
            stronger = (c for c in suit if _strength(denomination, c) > _strength(denomination, card))
            table[denomination, card] = sum(1 << c for c in stronger)
    return table


def _beats(higher: np.ndarray) -> np.ndarray:
    table = higher.copy()
    for trumps in range(4):
        for card in range(32):
            if card >> 3 != trumps:
                table[trumps, card] |= SUIT_MASKS[trumps]
    return table


CARD_POINTS = _card_points()
"""``[row, card]``: points of a card.

The row of a contract is its suit, or ``NT_ROW + nt_values`` or ``AT_ROW + at_values``.
"""

STRENGTH = np.array(
    [[_strength(denomination, card) for card in range(32)] for denomination in range(6)], dtype=np.int64
)
"""``[denomination, card]``: strength of a card within its suit, 0 (weakest) to 7."""

HIGHER = _higher()
"""``[denomination, card]``: mask of the stronger cards of the same suit."""

BEATS = _beats(HIGHER)
"""``[denomination, card]``: mask of the cards that win against ``card`` when it is the best of the trick so far.

A card of neither the suit of ``card`` nor the trump suit never beats it, which the mask says too.
"""

# Index of a rank in the natural order 7 8 9 T J Q K A.
RANK_9, RANK_T, RANK_J, RANK_Q, RANK_K, RANK_A = range(2, 8)
