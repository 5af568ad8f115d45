"""Constant tables of the solver: what a byte of one suit is worth, and which ranks stand above it."""

from __future__ import annotations

import numpy as np

from belote_env.cards import ALL_TRUMPS
from belote_env.engine.tables import CARD_POINTS, HIGHER, STRENGTH

PLAIN, TRUMP = range(2)
_A_DENOMINATION = (0, ALL_TRUMPS)  # one in which the suit of hearts is plain, one in which it is trumps
_HEARTS = 8


def _suit_points() -> np.ndarray:
    table = np.zeros((len(CARD_POINTS), 4, 256), dtype=np.int64)
    for row, points in enumerate(CARD_POINTS):
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
"""``[row, suit, byte]``: points of the cards of one suit, given as eight bits; rows as in ``CARD_POINTS``."""

STRONGEST = _strongest()
"""``[kind, byte]``: rank of the strongest card of a suit that is PLAIN or TRUMP; 0 for the empty set."""

ABOVE = _above()
"""``[kind, byte]``: the ranks that beat every card of the set, eight bits."""
