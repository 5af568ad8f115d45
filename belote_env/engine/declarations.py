"""Declarations: what a hand holds, which one is best, when it is said and shown (rules §5).

A declaration is one integer: bits 0-2 kind, 3-5 rank of its top card, 6-7 suit, 8-11 length, 12 up points.
0 is "no declaration".
"""

from __future__ import annotations

import numpy as np

from belote_env.engine.bits import lowest
from belote_env.engine.jit import inner, lean
from belote_env.engine.layout import (
    ANNOUNCED,
    CONTEST,
    DECLARATIONS,
    DECLARED,
    DENOMINATION,
    HANDS,
    KNOWN,
    NONE,
    SHOWN,
)
from belote_env.engine.options import (
    CARRES_LITERAL,
    CARRES_NATURAL,
    ORDER_CARRE_FIRST,
    ORDER_VALUE_LENGTH,
    R_CARRE_ORDER,
    R_DECLARATION_ORDER,
    R_NT_CARRES,
)
from belote_env.engine.tables import RANK_9, RANK_A, RANK_J, RANK_K, RANK_Q, RANK_T, STRENGTH

TIERCE, CINQUANTE, CENT, CARRE = 1, 2, 3, 4

_ONE_RANK = 0x01010101  # the sevens; shifted by a rank, the cards of that rank
_UP_TO_QUEEN = 0x3F3F3F3F


def _carre_points() -> np.ndarray:
    table = np.zeros((3, 8), dtype=np.int64)
    table[0, [RANK_T, RANK_Q, RANK_K, RANK_A]] = 100
    table[0, [RANK_J, RANK_9]] = 200, 150
    table[1, [RANK_A, RANK_T]] = 200, 150
    table[1, [RANK_K, RANK_Q, RANK_J]] = 100
    table[2, [RANK_A, RANK_T, RANK_J, RANK_9]] = 200, 150, 200, 150
    table[2, [RANK_K, RANK_Q]] = 100
    return table


# [suit or AT contract, NT plain, NT literal][rank]
CARRE_POINTS = _carre_points()


@lean
def declaration_kind(declaration):
    """Return TIERCE, CINQUANTE, CENT or CARRE, 0 for none."""
    return declaration & 7


@lean
def declaration_top(declaration):
    """Return the natural rank of the top card of a sequence, the rank of a carré."""
    return declaration >> 3 & 7


@lean
def declaration_points(declaration):
    """Return the points of a declaration."""
    return declaration >> 12


@lean
def declaration_mask(declaration):
    """Return the cards of a declaration."""
    top = declaration >> 3 & 7
    if declaration & 7 == CARRE:
        return _ONE_RANK << top
    length = declaration >> 8 & 15
    return ((1 << length) - 1) << (8 * (declaration >> 6 & 3) + top - length + 1)


@inner
def _pack(kind, top, suit, length, points):
    return kind | top << 3 | suit << 6 | length << 8 | points << 12


@lean
def declaration_rank(declaration, denomination, r):
    """Return how good a declaration is against others of its deal: the larger the better, equal means a tie.

    The order is that of the option ``declaration_order``; no declaration is 0.
    """
    if declaration == 0:
        return 0
    kind = declaration & 7
    top = declaration >> 3 & 7
    suit = declaration >> 6 & 3
    length = declaration >> 8 & 15
    points = declaration >> 12
    order = r[R_DECLARATION_ORDER]
    if kind == CARRE:
        # Any suit shows the strength order in AT and NT; a suit contract has it in the trump suit only.
        strength = STRENGTH[denomination, top + 8 * (denomination & 3)]
        height = top if r[R_CARRE_ORDER] == CARRES_NATURAL else strength
        tie_break = height << 1
        carre, size = 1, 0
    else:
        tie_break = top << 1 | (suit == denomination)
        carre, size = 0, length
    if order == ORDER_CARRE_FIRST:
        # Sequences go by length alone, which agrees with points up to five cards.
        return carre << 24 | (points if carre else size) << 8 | tie_break
    if order != ORDER_VALUE_LENGTH:
        size = 0
    return points << 16 | carre << 12 | size << 8 | tie_break


@inner
def _carre_points_of(rank, denomination, r):
    if denomination != 4:
        return CARRE_POINTS[0, rank]
    return CARRE_POINTS[2 if r[R_NT_CARRES] == CARRES_LITERAL else 1, rank]


@inner
def _collect(hand, carres, denomination, r, found):
    """Write the declarations of ``hand`` with the given carrés (a mask of ranks) into ``found``; return the points."""
    count = total = 0
    found[0] = found[1] = 0
    rest = hand & ~(carres * _ONE_RANK)
    while carres:
        rank = lowest(carres)
        carres &= carres - 1
        points = _carre_points_of(rank, denomination, r)
        found[count] = _pack(CARRE, rank, 0, 4, points)
        count += 1
        total += points
    starts = _sequence_starts(rest)
    while starts:
        first = lowest(starts)
        bottom = first & 7
        length = lowest(~(rest >> first) | 1 << (8 - bottom))
        starts &= -1 << (first + length)
        kind = CENT if length > 4 else length - 2
        points = 100 if length > 4 else 30 * length - 70
        found[count] = _pack(kind, bottom + length - 1, first >> 3, length, points)
        count += 1
        total += points
    if count == 2 and declaration_rank(found[1], denomination, r) > declaration_rank(found[0], denomination, r):
        found[0], found[1] = found[1], found[0]
    return total


@inner
def _sequence_starts(cards):
    """Return the cards that have the next two of their suit above them: bit by bit, each run of three or more."""
    return cards & cards >> 1 & cards >> 2 & _UP_TO_QUEEN


@lean
def best_declarations(hand, denomination, r, best):
    """Write the declarations that ``hand`` (eight cards) makes into ``best[0:2]``, the best one first.

    Of all ways to choose disjoint declarations: the highest total, then the best single declaration. Eight
    cards never hold more than two. Which carrés to declare decides all the rest.
    """
    carres = hand & hand >> 8 & hand >> 16 & hand >> 24 & 0xFF
    if not carres | _sequence_starts(hand):
        best[0] = best[1] = 0
        return
    for rank in range(8):
        if carres >> rank & 1 and _carre_points_of(rank, denomination, r) == 0:
            carres &= ~(1 << rank)
    chosen = subset = carres
    total = height = -1
    while True:
        points = _collect(hand, subset, denomination, r, best)
        rank = declaration_rank(best[0], denomination, r)
        if points > total or (points == total and rank > height):
            chosen, total, height = subset, points, rank
        if subset == 0:
            break
        subset = (subset - 1) & carres
    if chosen:
        _collect(hand, chosen, denomination, r, best)


@inner
def find_declarations(s, r):
    """Fill in what each hand would declare, once the contract is known."""
    for seat in range(4):
        best_declarations(s[HANDS + seat], s[DENOMINATION], r, s[DECLARATIONS + 2 * seat : DECLARATIONS + 2 * seat + 2])


@inner
def settle_contest(s, r):
    """After the first trick: give the contest to the team with the best announced declaration, and its points."""
    best = tie = 0
    winner = NONE
    for seat in range(4):
        if s[ANNOUNCED + seat] != 1:
            continue
        rank = declaration_rank(s[DECLARATIONS + 2 * seat], s[DENOMINATION], r)
        if rank > best:
            best, winner, tie = rank, seat & 1, 0
        elif rank == best and rank > 0 and seat & 1 != winner:
            tie = 1
    if tie or winner == NONE:
        return
    s[CONTEST] = winner
    for seat in range(winner, 4, 2):
        if s[ANNOUNCED + seat] == 1:
            first, second = s[DECLARATIONS + 2 * seat], s[DECLARATIONS + 2 * seat + 1]
            s[DECLARED + winner] += declaration_points(first) + declaration_points(second)


@inner
def show_declarations(s, seat):
    """Lay the announced declarations of ``seat`` open if its side won the contest."""
    if s[CONTEST] == NONE or s[CONTEST] != seat & 1 or s[ANNOUNCED + seat] != 1:
        return
    for i in range(2):
        declaration = s[DECLARATIONS + 2 * seat + i]
        if declaration:
            s[SHOWN + seat] |= declaration_mask(declaration)
    s[KNOWN + seat] |= s[SHOWN + seat] & s[HANDS + seat]
