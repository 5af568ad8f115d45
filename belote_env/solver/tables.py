"""Constant tables of the solver: what cards, a byte of one suit and the last trick are worth, and what stands above."""

from __future__ import annotations

import numpy as np

from belote_env.cards import ALL_TRUMPS
from belote_env.engine.options import NT_DOUBLED
from belote_env.engine.tables import CARD_POINTS, HIGHER, NT_ROW, STRENGTH

PLAIN, TRUMP = range(2)
_A_DENOMINATION = (0, ALL_TRUMPS)  # one in which the suit of hearts is plain, one in which it is trumps
_HEARTS = 8


POINTS = np.vstack([CARD_POINTS, np.ones(32, dtype=np.int64)])
"""``[row, card]``: points of a card. The rows of ``CARD_POINTS``, then TRICK_ROW."""

TRICK_ROW = len(CARD_POINTS)
"""The row in which every card is worth one, so that every trick is worth four, the last one twice that."""

LAST_TRICK = np.full(len(POINTS), 10, dtype=np.int64)
"""``[row]``: points of the last trick."""
LAST_TRICK[NT_ROW + NT_DOUBLED] = 20
LAST_TRICK[TRICK_ROW] = 4

FULL_POINTS = POINTS.sum(axis=1) + LAST_TRICK
"""``[row]``: points of a whole deal."""


def _suit_points() -> np.ndarray:
    table = np.zeros((len(POINTS), 4, 256), dtype=np.int64)
    for row, points in enumerate(POINTS):
        for suit in range(4):
            for byte in range(256):
                table[row, suit, byte] = sum(points[8 * suit + rank] for rank in range(8) if byte >> rank & 1)
    return table


def _strength(kind: int) -> np.ndarray:
    return STRENGTH[_A_DENOMINATION[kind], _HEARTS : _HEARTS + 8]


def _extreme(strongest: bool) -> np.ndarray:
    table = np.zeros((2, 9, 256), dtype=np.int64)
    for kind in (PLAIN, TRUMP):
        ranks = sorted(range(8), key=lambda rank: _strength(kind)[rank], reverse=strongest)
        for byte in range(256):
            taken = 0
            held = [rank for rank in ranks if byte >> rank & 1]
            for number in range(9):
                table[kind, number, byte] = taken
                if number < len(held):
                    taken |= 1 << held[number]
    return table


def _above() -> np.ndarray:
    table = np.full((2, 256), 0xFF, dtype=np.int64)
    for kind in (PLAIN, TRUMP):
        for byte in range(1, 256):
            best = max((rank for rank in range(8) if byte >> rank & 1), key=lambda rank: _strength(kind)[rank])
            table[kind, byte] = HIGHER[_A_DENOMINATION[kind], _HEARTS + best] >> _HEARTS
    return table


SUIT_POINTS = _suit_points()
"""``[row, suit, byte]``: points of the cards of one suit, given as eight bits; rows as in ``POINTS``."""

STRONGEST = _extreme(True)
"""``[kind, n, byte]``: the n strongest, and most valuable, ranks of a suit that is PLAIN or TRUMP, or all if fewer."""

WEAKEST = _extreme(False)
"""``[kind, n, byte]``: the n weakest, and least valuable, ranks."""

ABOVE = _above()
"""``[kind, byte]``: the ranks that beat every card of the set, eight bits."""
