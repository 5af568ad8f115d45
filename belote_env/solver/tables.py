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


def _strongest() -> np.ndarray:
    table = np.zeros((2, 256), dtype=np.int64)
    for kind in (PLAIN, TRUMP):
        strength = STRENGTH[_A_DENOMINATION[kind], _HEARTS : _HEARTS + 8]
        for byte in range(1, 256):
            table[kind, byte] = max((rank for rank in range(8) if byte >> rank & 1), key=lambda rank: strength[rank])
    return table


def _above() -> np.ndarray:
    table = np.full((2, 256), 0xFF, dtype=np.int64)
    for kind in (PLAIN, TRUMP):
        for byte in range(1, 256):
            table[kind, byte] = HIGHER[_A_DENOMINATION[kind], _HEARTS + STRONGEST[kind, byte]] >> _HEARTS
    return table


SUIT_POINTS = _suit_points()
"""``[row, suit, byte]``: points of the cards of one suit, given as eight bits; rows as in ``POINTS``."""

STRONGEST = _strongest()
"""``[kind, byte]``: rank of the strongest card of a suit that is PLAIN or TRUMP; 0 for the empty set."""

ABOVE = _above()
"""``[kind, byte]``: the ranks that beat every card of the set, eight bits."""
